/*
 * fastpath.h - ask libfastpath.so, when it is preloaded, what it saved; pause and flush it.
 *
 * Every function is declared weak: a program that includes this header links and runs without the
 * library. Test before calling:
 *
 *	if (fastpath_stats)
 *		fastpath_stats(&stats, sizeof stats);
 *
 * All functions are thread-safe and async-signal-safe, and none changes errno.
 */
#ifndef FASTPATH_H
#define FASTPATH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FASTPATH_VERSION_MAJOR 0
#define FASTPATH_VERSION_MINOR 1
#define FASTPATH_VERSION_PATCH 0
#define FASTPATH_VERSION       "0.1.0"

/* Call families: the index of the arrays in struct fastpath_stats and the keys of the JSON line. */
enum fastpath_call {
	FASTPATH_ACCESS,   /* access, faccessat, eaccess, euidaccess */
	FASTPATH_STAT,     /* stat, lstat, fstatat, statx and their variants */
	FASTPATH_OPEN,     /* open, openat, fopen, opendir */
	FASTPATH_EXEC,     /* exec*, posix_spawn, posix_spawnp; one per candidate path */
	FASTPATH_READLINK, /* readlink, readlinkat */
	FASTPATH_REALPATH, /* realpath, canonicalize_file_name */
	FASTPATH_XATTR,    /* getxattr, lgetxattr, listxattr, llistxattr */
	FASTPATH_CALLS
};

/* Why a call went to the kernel. */
enum fastpath_kernel {
	FASTPATH_PENDING,  /* a change was announced and not yet applied, or a writer was at work */
	FASTPATH_UNKNOWN,  /* nothing was known of the path */
	FASTPATH_PERHAPS,  /* the name may exist: the kernel has to say */
	FASTPATH_REFUSED,  /* its directory is one that is never cached */
	FASTPATH_RELATIVE, /* a relative path */
	FASTPATH_ARGUMENT, /* unusual arguments: creation, unknown flags, bad pointers */
	FASTPATH_DETACHED, /* caching had ended for this process, or was paused */
	FASTPATH_REASONS
};

enum fastpath_scope {
	FASTPATH_SCOPE_OFF,	/* inert, or nothing was worth setting up so far */
	FASTPATH_SCOPE_PROCESS, /* this process watches for itself */
	FASTPATH_SCOPE_TREE	/* a session's broker watches for the whole tree */
};

enum fastpath_bell {
	FASTPATH_BELL_NONE,
	FASTPATH_BELL_PAGE, /* a flag in memory: no system call */
	FASTPATH_BELL_EPOLL /* one epoll_wait() for each answer */
};

/*
 * Counts since caching began in this process, or, with FASTPATH_STATS or FASTPATH_VERIFY set, since
 * the process itself began; in a forked child, since the fork.
 */
struct fastpath_stats {
	uint32_t scope; /* enum fastpath_scope */
	uint32_t bell;	/* enum fastpath_bell */
	uint64_t calls[FASTPATH_CALLS];
	uint64_t served[FASTPATH_CALLS];
	uint64_t kernel[FASTPATH_REASONS];
	uint64_t learned;	    /* directories listed and positive facts found */
	uint64_t invalidated;	    /* facts ended by a change */
	uint64_t verify_checked;    /* hits compared with the kernel, FASTPATH_VERIFY */
	uint64_t verify_wrong;	    /* ... that differed: always 0, or a bug to report */
	uint64_t verify_unresolved; /* ... whose facts changed while being compared */
	int64_t saved_ns;	    /* estimate: system call time saved less what caching cost */
};

#if defined(__GNUC__)
#define FASTPATH_WEAK __attribute__((weak))
#else
#define FASTPATH_WEAK
#endif

/* The version of the library that is loaded, as in FASTPATH_VERSION. */
FASTPATH_WEAK const char *fastpath_version(void);

/*
 * Fill the first `size` bytes of *stats (a program built with an older header passes a smaller
 * size). Returns 0, or -1 when the library is inert in this process (FASTPATH unset).
 */
FASTPATH_WEAK int fastpath_stats(struct fastpath_stats *stats, size_t size);

/*
 * Forget every private fact; in tree scope, look whether this process may still use the session's
 * facts, and end caching where not. Never needed for correctness.
 */
FASTPATH_WEAK void fastpath_flush(void);

/* Between pause and resume every call of this process goes to the kernel. Calls nest. */
FASTPATH_WEAK void fastpath_pause(void);
FASTPATH_WEAK void fastpath_resume(void);

#ifdef __cplusplus
}
#endif

#endif
