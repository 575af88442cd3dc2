/*
 * exec.c - exec and spawn: candidates that are surely absent are not tried.
 *
 * Nothing is learned from an exec's ENOENT: it may be a script's missing interpreter. execvp() keeps
 * glibc's rules: each candidate that may exist is tried by libc itself.
 */
#include "preload/client.h"
#include "preload/next.h"
#include "preload/report.h"
#include "preload/session.h"

#include "base/bytes.h"
#include "base/sys.h"
#include "cache/session.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>

int execve(const char *path, char *const argv[], char *const envp[]);
int execv(const char *path, char *const argv[]);
int execvp(const char *file, char *const argv[]);
int execvpe(const char *file, char *const argv[], char *const envp[]);
int execl(const char *path, const char *arg, ...);
int execle(const char *path, const char *arg, ...);
int execlp(const char *file, const char *arg, ...);
int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags);
int fexecve(int fd, char *const argv[], char *const envp[]);

enum { CANDIDATE_BYTES = 384 };

static char **environment(void)
{
	char ***at = next_address(NEXT_environ);

	return *at;
}

static bool absent(struct lookup *q, const char *path)
{
	return client_absent(q, FASTPATH_EXEC, path);
}

/* What exec said, -1 or not at all. */
static int tried(struct lookup *q, int result)
{
	int *(*location)(void) = NEXT(errno_location, int *(*)(void));
	int error = q->watched && location ? *location() : 0;

	if (error == ENOENT) {
		client_missed(q);
		*location() = error;
	}
	return result;
}

/* Copies LD_PRELOAD's list without our entry; false when nothing is left of it. */
static bool copy_preload(char *to, const char *list)
{
	size_t n, kept = 0;

	for (; *list; list += n) {
		const char *last;
		bool ours;

		n = *list == ':' || *list == ' ';
		last = list + n;
		for (; list[n] && list[n] != ':' && list[n] != ' '; n++)
			if (list[n] == '/')
				last = list + n + 1;
		ours = string_after(last, "libfastpath.so") == list + n;
		for (size_t i = 0; i < n && !ours; i++)
			if (kept || (list[i] != ':' && list[i] != ' '))
				to[kept++] = list[i];
	}
	to[kept] = 0;
	return kept > 0;
}

/* What a program's environment is to be. */
enum treatment {
	AS_IT_IS,
	WITHOUT_PRELOAD,
	WITHOUT_US, /* after chroot() our file is not there for the loader: without our variables too */
	MARKED,	    /* for a program that is to attach at once */
	ASKED,	    /* for one that is to tell how its run went */
	NOT_THERE,  /* there is no such program */
};

static const char preload[] = "LD_PRELOAD=", session[] = "FASTPATH_SESSION=";

static bool is_ours(const char *entry)
{
	return string_after(entry, "FASTPATH=") || string_after(entry, "FASTPATH_");
}

/* A changed copy of an entry in `text`; NULL: the entry is dropped. */
static char *change(char *text, char *entry, enum treatment how)
{
	const char mark = (char)(how == MARKED ? SESSION_MARK : how == ASKED ? SESSION_ASKED : 0);
	const char *list = mark ? NULL : string_after(entry, preload);

	if (list) {
		bytes_copy(text, preload, sizeof preload - 1);
		return copy_preload(text + sizeof preload - 1, list) ? text : NULL;
	}
	if (mark && string_after(entry, session) && entry[sizeof session - 1] == SESSION_NO_MARK) {
		bytes_copy(text, entry, bytes_length(entry) + 1);
		text[sizeof session - 1] = mark;
		return text;
	}
	return how == WITHOUT_US && is_ours(entry) ? NULL : entry;
}

/* The environment as it is to be. `text` has changed_bytes(). */
static void treat(char **to, char *text, char *const *from, enum treatment how)
{
	for (; *from; from++) {
		char *entry = change(text, *from, how);

		if (entry)
			*to++ = entry;
		if (entry == text)
			text += bytes_length(text) + 1;
	}
	*to = NULL;
}

/* Bytes of the entries that change, as long as they can become. */
static size_t changed_bytes(char *const *list)
{
	size_t n = 1;

	for (; *list; list++)
		if (string_after(*list, preload) || string_after(*list, session))
			n += bytes_length(*list) + 1;
	return n;
}

static size_t count(char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

/* Before the image goes (for_good), or a program is started. */
static void leave(bool for_good)
{
	if (likely(!scope.on))
		return;
	if (scope.settings.session)
		session_report_exec(for_good); /* before what was counted is forgotten */
	if (for_good && scope.observed)
		report_exit();
}

/* The same, once for all candidates of a search. */
static void leave_once(bool *left)
{
	if (!*left)
		leave(true);
	*left = true;
}

/* What is the environment of the program that `path` names to be? */
static enum treatment treatment_of(int dir, const char *path, int flags)
{
	enum injection how;

	if (scope.chrooted)
		return WITHOUT_US;
	if (session_offered())
		session_attach_to_exec();
	if (!scope.settings.session)
		return AS_IT_IS;
	how = session_injects(dir, path, flags);
	return how == INJECT_NOT      ? WITHOUT_PRELOAD
	       : how == INJECT_NONE   ? NOT_THERE
	       : how == INJECT_MARKED ? MARKED
	       : how == INJECT_ASKED  ? ASKED
				      : AS_IT_IS;
}

/*
 * `call` runs the next exec or spawn with the environment it is given; the program is what `path` names
 * relative to dir. Where the kernel was asked already, and found none, `missing` is the result.
 */
#define EXECUTE(envp, dir, path, flags, call, missing)                                         \
	({                                                                                     \
		char *const *environment_ = (envp);                                            \
		enum treatment how_ = unlikely(scope.on) && environment_                       \
					      ? treatment_of(dir, path, flags)                 \
					      : AS_IT_IS;                                      \
		if (how_ != AS_IT_IS && how_ != NOT_THERE) {                                   \
			char **copy_ = __builtin_alloca((count(environment_) + 1) *            \
							sizeof *copy_);                        \
			char *text_ = __builtin_alloca(changed_bytes(environment_));           \
			treat(copy_, text_, environment_, how_);                               \
			environment_ = copy_;                                                  \
		}                                                                              \
		how_ == NOT_THERE ? (missing) : call(environment_);                            \
	})

/* May an environment other than the program's own be needed? */
static bool may_treat(void)
{
	return scope.chrooted || scope.settings.session;
}

static int by_path(const char *path, char *const argv[], char *const envp[])
{
	struct lookup q;

	if (absent(&q, path))
		return answer(ENOENT);
#define CALL_EXECVE(e)                                                                         \
	(leave(true), NEXT(execve, int (*)(const char *, char *const *, char *const *))(path, argv, e))
	return tried(&q, EXECUTE(envp, AT_FDCWD, path, 0, CALL_EXECVE, answer(ENOENT)));
}

typedef int search_function(const char *, char *const *, char *const *);

/* The value of PATH in the program's environment. NULL: not set. */
static const char *path_variable(void)
{
	for (char **e = environment(); e && *e; e++) {
		const char *value = string_after(*e, "PATH=");

		if (value)
			return value;
	}
	return NULL;
}

/* What a search of PATH for `file` leaves of it. */
enum search {
	SEARCH_BY_LIBC, /* not for us: no or unusual PATH, a slash in the name */
	SEARCH_ENDED,	/* no element is left */
	SEARCH_FOUND,	/* `candidate` may exist */
};

/* The next candidate of *path that is not surely absent; *skipped: those before it were. */
static enum search search(const char **path, const char *file, char *candidate, bool *skipped,
			  struct lookup *q)
{
	size_t name = bytes_length(file);

	*skipped = false;
	while (*path) {
		const char *p = *path;
		size_t n = 0;

		while (p[n] && p[n] != ':')
			n++;
		if (*p != '/' || n + name + 2 > CANDIDATE_BYTES)
			return SEARCH_BY_LIBC;
		bytes_copy(candidate, p, n);
		candidate[n] = '/';
		bytes_copy(candidate + n + 1, file, name + 1);
		*path = p[n] ? p + n + 1 : NULL;
		if (!absent(q, candidate))
			return SEARCH_FOUND;
		*skipped = true;
	}
	return SEARCH_ENDED;
}

/* Would search() give up on a later element? Then it must not have tried an earlier one. */
static bool is_searchable(const char *path, const char *file)
{
	size_t name = 0;

	if (!scope.on || scope.detached || !path || !file || !*file)
		return false;
	for (; file[name]; name++)
		if (file[name] == '/' || name > PATH_NAME_MAX)
			return false;
	for (size_t n = 0;; path++, n++) {
		if (n == 0 && *path != '/')
			return false;
		if (n + name + 2 > CANDIDATE_BYTES)
			return false;
		if (!*path)
			return true;
		if (*path == ':')
			n = (size_t)-1;
	}
}

/* errno values after which glibc's search goes on. */
static bool goes_on(int error)
{
	return error == EACCES || error == ENOENT || error == ESTALE || error == ENOTDIR ||
	       error == ENODEV || error == ETIMEDOUT;
}

/* With a slash in it, a candidate is tried as it is. */
static FP_COLD void try_one(struct lookup *q, const char *candidate, char *const argv[],
			    char *const envp[], bool *left)
{
#define CALL_CANDIDATE(e) (leave_once(left), NEXT(execvpe, search_function *)(candidate, argv, e))
	tried(q, EXECUTE(envp, AT_FDCWD, candidate, 0, CALL_CANDIDATE, answer(ENOENT)));
}

static int try_each(const char *path, const char *file, char *const argv[], char *const envp[])
{
	int *(*location)(void) = NEXT(errno_location, int *(*)(void));
	char candidate[CANDIDATE_BYTES];
	bool denied = false, skipped, left = false;
	int error = ENOENT;
	struct lookup q;

	while (search(&path, file, candidate, &skipped, &q) == SEARCH_FOUND) {
		try_one(&q, candidate, argv, envp, &left);
		error = *location();
		denied |= error == EACCES;
		if (!goes_on(error))
			return -1;
	}
	/* Without an EACCES, the last candidate's errno counts. */
	return answer(denied ? EACCES : skipped ? ENOENT : error);
}

/* envp NULL: the program's own. */
static int by_search(const char *file, char *const argv[], char *const envp[])
{
	const char *path = unlikely(scope.on) ? path_variable() : NULL;
	struct lookup q = {.watched = 0};

	if (unlikely(scope.on) && session_offered())
		session_attach_to_exec(); /* what is surely absent is skipped */
	if (file && *file == '/' && absent(&q, file))
		return answer(ENOENT);
	if (is_searchable(path, file))
		return try_each(path, file, argv, envp ? envp : environment());
	if (!envp && !may_treat()) {
		leave(true);
		return tried(&q, NEXT(execvp, int (*)(const char *, char *const *))(file, argv));
	}
	envp = envp ? envp : environment();
#define CALL_SEARCH(e) (leave(true), NEXT(execvpe, search_function *)(file, argv, e))
	/* Where libc searches, file may not be a path: then the preload stays. */
	return tried(&q, EXECUTE(envp, AT_FDCWD, file, 0, CALL_SEARCH, answer(ENOENT)));
}

FP_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return by_path(path, argv, envp);
}

static int by_path_alone(const char *path, char *const argv[])
{
	struct lookup q;

	if (may_treat())
		return by_path(path, argv, environment());
	if (absent(&q, path))
		return answer(ENOENT);
	leave(true);
	return tried(&q, NEXT(execv, int (*)(const char *, char *const *))(path, argv));
}

FP_EXPORT int execv(const char *path, char *const argv[])
{
	return by_path_alone(path, argv);
}

FP_EXPORT int execvp(const char *file, char *const argv[])
{
	return by_search(file, argv, NULL);
}

FP_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	static char *const none[] = {NULL};

	return by_search(file, argv, envp ? envp : none); /* NULL is an empty environment */
}

FP_EXPORT int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
	struct lookup q = {.watched = 0};

	if (flags)
		client_argument(FASTPATH_EXEC);
	else if (absent(&q, path))
		return answer(ENOENT);
#define CALL_EXECVEAT(e)                                                                       \
	NEXT(execveat, int (*)(int, const char *, char *const *, char *const *, int))(dir, path,      \
										      argv, e, flags)
	leave(true);
	return tried(&q, EXECUTE(envp, dir, path, flags, CALL_EXECVEAT, answer(ENOENT)));
}

FP_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
#define CALL_FEXECVE(e) NEXT(fexecve, int (*)(int, char *const *, char *const *))(fd, argv, e)
	leave(true);
	return EXECUTE(envp, fd, "", AT_EMPTY_PATH, CALL_FEXECVE, answer(ENOENT));
}

/* The list's arguments, on the stack, as an array: glibc does no other. `last` is the list after
 * its NULL. */
/* NOLINTBEGIN(bugprone-macro-parentheses): va_start() takes names */
#define COLLECT(argv, arg, list)                                                               \
	do {                                                                                   \
		size_t n_ = 1;                                                                 \
		va_start(list, arg);                                                           \
		while (va_arg(list, const char *))                                             \
			n_++;                                                                  \
		va_end(list);                                                                  \
		argv = __builtin_alloca((n_ + 1) * sizeof *argv);                              \
		argv[0] = (char *)arg;                                                         \
		va_start(list, arg);                                                           \
		for (size_t i_ = 1; i_ <= n_; i_++)                                            \
			argv[i_] = va_arg(list, char *);                                       \
	} while (0)
/* NOLINTEND(bugprone-macro-parentheses) */

FP_EXPORT int execl(const char *path, const char *arg, ...)
{
	char **argv;
	va_list list;

	COLLECT(argv, arg, list);
	va_end(list);
	return by_path_alone(path, argv);
}

FP_EXPORT int execle(const char *path, const char *arg, ...)
{
	char **argv, **envp;
	va_list list;

	COLLECT(argv, arg, list);
	envp = va_arg(list, char **);
	va_end(list);
	return by_path(path, argv, envp);
}

FP_EXPORT int execlp(const char *file, const char *arg, ...)
{
	char **argv;
	va_list list;

	COLLECT(argv, arg, list);
	va_end(list);
	return by_search(file, argv, NULL);
}

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const *, char *const *);

#if defined(SPAWN_OLD_VERSION)
spawn_function fastpath_spawn, fastpath_spawn_old, fastpath_spawnp, fastpath_spawnp_old;

__asm__(".symver fastpath_spawn, posix_spawn@@" SPAWN_VERSION);
__asm__(".symver fastpath_spawn_old, posix_spawn@" SPAWN_OLD_VERSION);
__asm__(".symver fastpath_spawnp, posix_spawnp@@" SPAWN_VERSION);
__asm__(".symver fastpath_spawnp_old, posix_spawnp@" SPAWN_OLD_VERSION);
#else
spawn_function fastpath_spawn __asm__("posix_spawn"), fastpath_spawnp __asm__("posix_spawnp");
#endif

/* File actions can change the directory or fail first; attributes can change the ids, or fail. */
static bool is_plain(const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes)
{
	const int harmless = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_USEVFORK;

	return (!actions || !actions->__used) && (!attributes || !(attributes->__flags & ~harmless));
}

static int spawn(enum next next, pid_t *pid, const char *path,
		 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
		 char *const *argv, char *const *envp)
{
	bool plain = scope.on && is_plain(actions, attributes);
	struct lookup q = {.watched = 0};
	int error;

	if (plain && absent(&q, path))
		return ENOENT;
#define CALL_SPAWN(e) ((spawn_function *)next_address(next))(pid, path, actions, attributes, argv, e)
	if (!may_treat())
		return CALL_SPAWN(envp);
	leave(false);
	error = EXECUTE(envp, AT_FDCWD, path, 0, CALL_SPAWN, plain ? ENOENT : CALL_SPAWN(envp));
	if (error == ENOENT && q.watched)
		client_missed(&q);
	return error;
}

/* The first candidate that may exist and, in a session, does: libc will search for itself. */
static bool find_program(const char *path, const char *file, char *candidate, bool *skipped)
{
	struct statx found;
	struct lookup q;
	long error;

	if (search(&path, file, candidate, skipped, &q) == SEARCH_ENDED)
		return false;
	while (scope_session() &&
	       (error = sys_statx(SYS_AT_FDCWD, candidate, 0, STATX_TYPE, &found))) {
		if (error == -ENOENT)
			client_missed(&q);
		if (search(&path, file, candidate, skipped, &q) == SEARCH_ENDED)
			break;
	}
	return true;
}

static int spawn_search(enum next next, pid_t *pid, const char *file,
			const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attributes, char *const *argv, char *const *envp)
{
	const char *path = unlikely(scope.on) ? path_variable() : NULL;
	char candidate[CANDIDATE_BYTES];
	const char *program = file;
	bool skipped;

	if (file && *file == '/')
		return spawn(next, pid, file, actions, attributes, argv, envp);
	if (is_searchable(path, file) && is_plain(actions, attributes)) {
		if (!find_program(path, file, candidate, &skipped))
			return ENOENT;
		program = candidate;
	}
#define CALL_SPAWNP(e) ((spawn_function *)next_address(next))(pid, file, actions, attributes, argv, e)
	if (!may_treat())
		return CALL_SPAWNP(envp);
	leave(false);
	return EXECUTE(envp, AT_FDCWD, program, 0, CALL_SPAWNP, CALL_SPAWNP(envp));
}

FP_EXPORT int fastpath_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			     const posix_spawnattr_t *attributes, char *const *argv,
			     char *const *envp)
{
	return spawn(NEXT_posix_spawn, pid, path, actions, attributes, argv, envp);
}

FP_EXPORT int fastpath_spawnp(pid_t *pid, const char *file,
			      const posix_spawn_file_actions_t *actions,
			      const posix_spawnattr_t *attributes, char *const *argv,
			      char *const *envp)
{
	return spawn_search(NEXT_posix_spawnp, pid, file, actions, attributes, argv, envp);
}

#if defined(SPAWN_OLD_VERSION)
/* The old versions run a script without #! by the shell. */
FP_EXPORT int fastpath_spawn_old(pid_t *pid, const char *path,
				 const posix_spawn_file_actions_t *actions,
				 const posix_spawnattr_t *attributes, char *const *argv,
				 char *const *envp)
{
	return spawn(NEXT_posix_spawn_old, pid, path, actions, attributes, argv, envp);
}

FP_EXPORT int fastpath_spawnp_old(pid_t *pid, const char *file,
				  const posix_spawn_file_actions_t *actions,
				  const posix_spawnattr_t *attributes, char *const *argv,
				  char *const *envp)
{
	return spawn_search(NEXT_posix_spawnp_old, pid, file, actions, attributes, argv, envp);
}
#endif
