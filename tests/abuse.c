/*
 * abuse.c - several processes change a small tree at random, others ask about it under the library,
 * and each answer that can be judged must be the kernel's.
 *
 *	abuse [-s SEED] [-t MS] [-n HITS] [-m CHANGERS] [-r READERS] [-M] [-P] [-K] DIR -- PREFIX...
 *
 * PREFIX becomes the readers: "env FASTPATH=1 LD_PRELOAD=..." or "fastpath run --". MS is the
 * length, HITS how many judged answers of the cache it takes; a slow machine may take longer.
 * -M: mounts come and go too; half of the changers live in a mount namespace of their own that
 * propagates, and one more in one that does not, for whom mount points are plain directories
 * (needs root, in a private namespace). -P: the root is pivoted to and fro. -K: the session's
 * broker is stopped, continued, and in the end killed.
 *
 * The oracle: a changer's number is odd while its change is in flight. The reader takes all
 * numbers, asks the kernel, asks libc, asks the kernel again and takes the numbers again. If
 * none was odd and none moved, all changes had returned before and none began: the three answers
 * must be one. So no model of a file system is needed. Readers change too, and ask at once.
 *
 * A seed repeats all draws; who is first is the scheduler's.
 */
#include "fastpath.h"
#include "e2e/progs/raw.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum {
	SLOTS = 12,
	LOG = 6,
	NOTE = 120,
	PATH = 512, /* aligned so: the library leaves alone what crosses a page */
	CALLS = 26,
	OVERTIME = 20, /* times the length, while there are too few hits */
	OVERTIME_MS = 8000,
	HANG_MS = 20000,
	OURS = 800, /* descriptors from here on may be the pending-check's */
	DESCRIPTORS = 1024,
	HELD = 4,
	NOBODY = 65534,
};

/* What one process changes. The last changes are kept, for the report of a wrong answer. */
struct slot {
	_Alignas(64) _Atomic unsigned long seq; /* odd: in flight */
	unsigned long when[LOG];
	char log[LOG][NOTE];
	char touched[NOTE]; /* read while it is written: any string will do as a path */
};

struct shared {
	struct slot slots[SLOTS];
	_Alignas(64) _Atomic unsigned long asked; /* what changers wait for */
	_Alignas(64) _Atomic unsigned long clock, changes, judged, hits,
	    overlapped, unsteady, lives;
	_Atomic unsigned long hits_of[CALLS];
	_Atomic int stop, wrong;
	_Atomic unsigned bells, scopes;
	unsigned long need;
	unsigned seed, changers, readers;
	bool mounts, trouble;
	double ends, gives_up;
	_Atomic int in_session;
	unsigned char identifier[16]; /* of the key, once there is one */
	char dir[PATH];               /* where the names are */
	char why[1200];
};

static struct shared *shared;
static struct slot *mine;
static unsigned self;
static bool is_root, may_climb; /* of a changer; "..": it is in a jail */
static int tree_fd = -1;        /* of a changer's tree */
static bool is_apart;           /* in a mount namespace without the tree's mounts */
static _Thread_local uint64_t random_state;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void nap(unsigned us)
{
	struct timespec t = {0, us * 1000L};

	nanosleep(&t, NULL);
}

/* ---- draws ---- */

static void draws_from(unsigned long a, unsigned long b)
{
	random_state = (shared->seed + 1) * 0x9E3779B97F4A7C15u ^ (a + 1) * 0xD1B54A32D192ED03u ^
		       (b + 1) * 0x94D049BB133111EBu;
}

static unsigned below(unsigned n)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (unsigned)((random_state * 0x2545F4914F6CDD1Du) >> 33) % n;
}

static bool percent(unsigned n)
{
	return below(100) < n;
}

#define PICK(array) ((array)[below(sizeof(array) / sizeof *(array))])

/* Adds "/NAME", or NAME to an empty path. m1 to m3 are mount points. */
static void draw_component(char *path)
{
	static const char *const names[] = {"a", "a", "a", "b", "b", "b", "c", "c", "d", "d", "e"};
	size_t n = strlen(path);
	const char *name = PICK(names);

	if (shared->mounts && !n && percent(30))
		name = PICK(((const char *const[]){"m1", "m2", "m3"}));
	else if (percent(3))
		name = PICK(((const char *const[]){"A", "B", "C", "D"}));
	if (n + strlen(name) + 2 < NOTE)
		sprintf(path + n, "%s%s", n ? "/" : "", name);
}

static void draw_path(char *path)
{
	static const unsigned char depths[] = {1, 1, 2, 2, 2, 3, 3, 4};

	*path = 0;
	for (unsigned depth = PICK(depths); depth; depth--)
		draw_component(path);
}

/* The same, there (as far as one process can know). */
static const char *draw_present(char *path)
{
	struct stat st;

	for (int i = 0; i < 12; i++) {
		draw_path(path);
		if (!raw_fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW))
			break;
	}
	return path;
}

/* The same, not there but its directory is. */
static const char *draw_absent(char *path)
{
	struct stat st;

	for (int i = 0; i < 12; i++) {
		char *slash;

		draw_path(path);
		if (!raw_fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		slash = strrchr(path, '/');
		if (!slash)
			break;
		*slash = 0;
		bool there = !raw_fstatat(AT_FDCWD, path, &st, 0);

		*slash = '/';
		if (there)
			break;
	}
	return path;
}

/* ---- changes: raw system calls, relative to the tree ---- */

static void begin(const char *touched, const char *format, ...)
{
	unsigned long seq = atomic_load(&mine->seq);
	char *log = mine->log[seq / 2 % LOG];
	va_list args;

	va_start(args, format);
	vsnprintf(log, NOTE, format, args);
	va_end(args);
	mine->when[seq / 2 % LOG] = atomic_fetch_add(&shared->clock, 1);
	if (*touched != '.') /* what changers make for themselves is nobody's business */
		snprintf(mine->touched, NOTE, "%s", touched);
	atomic_store(&mine->seq, seq + 1);
	atomic_thread_fence(memory_order_seq_cst);
}

static long last_result;

static long end(long result)
{
	unsigned long seq = atomic_load(&mine->seq);
	char *log = mine->log[seq / 2 % LOG];
	size_t n = strlen(log);

	last_result = result;
	if (result < 0)
		snprintf(log + n, NOTE - n, " = %ld", result);
	else
		atomic_fetch_add(&shared->changes, 1);
	atomic_thread_fence(memory_order_seq_cst);
	atomic_store(&mine->seq, seq + 1);
	return result;
}

static unsigned draw_mode(void)
{
	static const unsigned modes[] = {0755, 0755, 0755, 0777,  0711, 0700,
					 0644, 0444, 0000, 01777, 0744};

	return PICK(modes);
}

/* What is not "#!" and no program: exec fails, without a look for modules. */
static long make_file(const char *path, int flags, unsigned mode)
{
	long fd = raw_openat(AT_FDCWD, path, flags | O_WRONLY | O_CLOEXEC, mode);

	if (fd >= 0) {
		raw3(SYS_write, fd, "none\n", 5);
		raw_close((int)fd);
	}
	return fd;
}

static void op_create(void)
{
	char p[NOTE];
	unsigned mode = draw_mode();

	begin(draw_absent(p), "create %s %o", p, mode);
	end(make_file(p, O_CREAT | O_EXCL, mode));
}

static void op_mkdir(void)
{
	char p[NOTE];
	unsigned mode = percent(70) ? 0755 : draw_mode();

	begin(draw_absent(p), "mkdir %s %o", p, mode);
	end(raw3(SYS_mkdirat, AT_FDCWD, p, mode));
}

static void clear_at(int dir, const char *name, int depth);

/* A tree built where nobody asks, moved in whole. */
static void op_move_tree_in(void)
{
	char p[NOTE], temporary[16], q[NOTE];

	sprintf(temporary, ".t%u", self);
	clear_at(AT_FDCWD, temporary, 8);
	raw3(SYS_mkdirat, AT_FDCWD, temporary, 0755);
	for (int i = 0; i < 4; i++) {
		sprintf(q, "%s/", temporary);
		draw_path(q + strlen(q));
		if (percent(60))
			raw3(SYS_mkdirat, AT_FDCWD, q, 0755);
		else
			make_file(q, O_CREAT | O_EXCL, 0755);
	}
	begin(draw_absent(p), "rename %s (a tree) %s", temporary, p);
	end(raw5(SYS_renameat2, AT_FDCWD, temporary, AT_FDCWD, p, 0));
}

static void op_unlink(void)
{
	char p[NOTE];

	begin(draw_present(p), "unlink %s", p);
	end(raw3(SYS_unlinkat, AT_FDCWD, p, 0));
}

static void op_rmdir(void)
{
	char p[NOTE];

	begin(draw_present(p), "rmdir %s", p);
	end(raw3(SYS_unlinkat, AT_FDCWD, p, AT_REMOVEDIR));
}

/* Each step is a change of its own. */
static void clear_at(int dir, const char *name, int depth)
{
	struct dirent64 {
		uint64_t ino, off;
		uint16_t length;
		uint8_t type;
		char name[];
	};
	char buffer[2048] __attribute__((aligned(8)));
	long n, fd = raw_openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);

	while (depth && fd >= 0 && (n = raw3(SYS_getdents64, fd, buffer, sizeof buffer)) > 0) {
		for (long at = 0; at < n;) {
			struct dirent64 *d = (void *)(buffer + at);

			at += d->length;
			if (strcmp(d->name, ".") && strcmp(d->name, ".."))
				clear_at((int)fd, d->name, depth - 1);
		}
	}
	if (fd >= 0)
		raw_close((int)fd);
	begin(name, "clear .../%s", name);
	end(raw3(SYS_unlinkat, dir, name, fd >= 0 ? AT_REMOVEDIR : 0));
}

static void op_clear(void)
{
	char p[NOTE];

	clear_at(AT_FDCWD, draw_present(p), 12);
}

static void rename_any(const char *from, const char *to, unsigned flags)
{
	begin(to, "rename %s %s %u", from, to, flags);
	end(raw5(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags));
}

static void op_rename(void)
{
	char p[NOTE], q[NOTE];

	rename_any(draw_present(p), draw_absent(q), percent(20) ? RENAME_NOREPLACE : 0);
}

static void op_rename_over(void)
{
	char p[NOTE], q[NOTE];

	rename_any(draw_present(p), draw_present(q), 0);
}

static void op_exchange(void)
{
	char p[NOTE], q[NOTE];

	rename_any(draw_present(p), draw_present(q), RENAME_EXCHANGE);
}

/* Leaves a device where the name was, without an event of its creation. */
static void op_whiteout(void)
{
	char p[NOTE], q[NOTE];

	rename_any(draw_present(p), draw_absent(q), RENAME_WHITEOUT);
}

static void draw_target(char *to)
{
	static const char *const targets[] = {"a", "b", "nowhere", "b/",   "./a/.",
					      ".", "c", "d",       "a//b", "e/a"};
	static const char *const up[] = {"..", "../a", "../b/c", "../../b", "b/../a"};
	char p[NOTE];

	if (may_climb && percent(30)) {
		strcpy(to, PICK(up));
	} else if (percent(25)) {
		draw_path(p);
		snprintf(to, PATH, "%.300s/%s", shared->dir, p);
	} else {
		strcpy(to, PICK(targets));
	}
}

static void op_symlink(void)
{
	char p[NOTE], target[PATH];

	draw_target(target);
	begin(draw_absent(p), "symlink %.40s %s", target, p);
	end(raw3(SYS_symlinkat, target, AT_FDCWD, p));
}

/* A new symlink takes the place of whatever is there. */
static void op_retarget(void)
{
	char p[NOTE], target[PATH], temporary[16];

	draw_target(target);
	sprintf(temporary, ".l%u", self);
	raw3(SYS_unlinkat, AT_FDCWD, temporary, 0);
	raw3(SYS_symlinkat, target, AT_FDCWD, temporary);
	begin(draw_present(p), "rename (symlink to %.40s) %s", target, p);
	end(raw5(SYS_renameat2, AT_FDCWD, temporary, AT_FDCWD, p, 0));
}

static void op_link(void)
{
	char p[NOTE], q[NOTE];

	begin(draw_absent(q), "link %s %s", draw_present(p), q);
	end(raw5(SYS_linkat, AT_FDCWD, p, AT_FDCWD, q, 0));
}

static void op_tmpfile(void)
{
	char p[NOTE];
	long fd = raw_openat(AT_FDCWD, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0755);

	if (fd < 0)
		return;
	raw3(SYS_write, fd, "none\n", 5);
	begin(draw_absent(p), "link (unnamed) %s", p);
	end(raw5(SYS_linkat, fd, "", AT_FDCWD, p, AT_EMPTY_PATH));
	raw_close((int)fd);
}

static void op_node(void)
{
	char p[NOTE];
	bool device = percent(30);

	begin(draw_absent(p), "mknod %s %s", p, device ? "c 1 3" : "p");
	end(raw4(SYS_mknodat, AT_FDCWD, p, (device ? S_IFCHR : S_IFIFO) | 0644,
		 device ? 0x103 : 0));
}

static void op_socket(void)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	long fd = raw3(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char p[NOTE];

	draw_absent(p);
	snprintf(name.sun_path, sizeof name.sun_path, "%.100s", p);
	begin(p, "bind %s", p);
	end(raw3(SYS_bind, fd, &name, sizeof name));
	raw_close((int)fd);
}

static void op_chmod(void)
{
	char p[NOTE];
	unsigned mode = draw_mode();

	begin(draw_present(p), "chmod %s %o", p, mode);
	end(raw3(SYS_fchmodat, AT_FDCWD, p, mode));
}

/* By a descriptor whose name may be another one by then. */
static void op_chmod_by_fd(void)
{
	char p[NOTE], q[NOTE];
	unsigned mode = draw_mode();
	long fd = raw_openat(AT_FDCWD, draw_present(p), O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);

	if (percent(50))
		rename_any(p, draw_absent(q), 0);
	begin(p, "fchmod (of %s) %o", p, mode);
	end(raw3(SYS_fchmod, fd, mode, 0));
	raw_close((int)fd);
}

static void op_chmod_by_link(void)
{
	char p[NOTE], temporary[16];
	unsigned mode = draw_mode();

	sprintf(temporary, ".h%u", self);
	raw3(SYS_unlinkat, AT_FDCWD, temporary, 0);
	raw5(SYS_linkat, AT_FDCWD, draw_present(p), AT_FDCWD, temporary, 0);
	begin(p, "chmod (link of %s) %o", p, mode);
	end(raw3(SYS_fchmodat, AT_FDCWD, temporary, mode));
	raw3(SYS_unlinkat, AT_FDCWD, temporary, 0);
}

static void op_chown(void)
{
	char p[NOTE];
	unsigned id = percent(50) ? NOBODY : 0;

	begin(draw_present(p), "chown %s %u", p, id);
	end(raw5(SYS_fchownat, AT_FDCWD, p, percent(50) ? id : ~0u, id, AT_SYMLINK_NOFOLLOW));
}

static void op_acl(void)
{
	struct {
		uint32_t version;
		struct {
			uint16_t tag, permissions;
			uint32_t id;
		} entries[5];
	} acl = {2,
		 {{1, 7, ~0u},
		  {2, (uint16_t)below(8), NOBODY},
		  {4, 5, ~0u},
		  {0x10, 7, ~0u},
		  {0x20, 5, ~0u}}};
	const char *name = percent(30) ? "system.posix_acl_default" : "system.posix_acl_access";
	bool set = percent(60);
	char p[NOTE];

	begin(draw_present(p), "%s %s %s", set ? "setxattr" : "removexattr", p, name);
	end(set ? raw5(SYS_setxattr, p, name, &acl, sizeof acl, 0)
		: raw3(SYS_removexattr, p, name, 0));
}

static void op_capability(void)
{
	static const uint32_t capability[5] = {0x02000001, 1 << 13, 0, 0, 0};
	static const char *const names[] = {"security.capability", "user.x"};
	const char *name = PICK(names);
	bool set = percent(60);
	char p[NOTE];

	begin(draw_present(p), "%s %s %s", set ? "setxattr" : "removexattr", p, name);
	end(set ? raw5(SYS_setxattr, p, name, capability, sizeof capability, 0)
		: raw3(SYS_removexattr, p, name, 0));
}

/* Readers go on for a while in between. */
static void wait_asked(unsigned n)
{
	unsigned long want = atomic_load(&shared->asked) + n;
	double until = now_ms() + 4;

	while (atomic_load(&shared->asked) < want && now_ms() < until &&
	       !atomic_load(&shared->stop))
		nap(50);
}

static void set_flag(const char *p, long fd, int flag, bool on)
{
	int flags = 0;

	begin(p, "chattr %c%x %s", on ? '+' : '-', (unsigned)flag, p);
	raw3(SYS_ioctl, fd, FS_IOC_GETFLAGS, &flags);
	flags = on ? flags | flag : flags & ~flag;
	end(raw3(SYS_ioctl, fd, FS_IOC_SETFLAGS, &flags));
}

static void op_immutable(void)
{
	char p[NOTE];
	long fd = raw_openat(AT_FDCWD, draw_present(p), O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
	int flag = percent(50) ? FS_IMMUTABLE_FL : FS_APPEND_FL;

	if (fd < 0)
		return;
	set_flag(p, fd, flag, true);
	wait_asked(40);
	set_flag(p, fd, flag, false);
	raw_close((int)fd);
}

/* An empty directory that folds case, where the file system can do that. */
static void op_casefold(void)
{
	char p[NOTE];
	long fd = raw_openat(AT_FDCWD, draw_present(p), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

	if (fd < 0)
		return;
	set_flag(p, fd, FS_CASEFOLD_FL, percent(70));
	raw_close((int)fd);
}

/* No change of what is asked, but an event. */
static void op_touch(void)
{
	char p[NOTE];

	raw4(SYS_utimensat, AT_FDCWD, draw_present(p), NULL, AT_SYMLINK_NOFOLLOW);
}

static int held[HELD] = {-1, -1, -1, -1};

/* A directory that is open lives on when it is removed. */
static void hold(const char *p)
{
	int *h = &held[below(HELD)];

	if (*h >= 0)
		raw_close(*h);
	*h = (int)raw_openat(AT_FDCWD, p,
			     (percent(50) ? O_PATH : O_RDONLY) | O_DIRECTORY | O_CLOEXEC, 0);
}

static void op_hold(void)
{
	char p[NOTE];

	hold(draw_present(p));
}

/* An empty directory that somebody holds is removed and made again, or another one is renamed over
 * it. */
static void op_replace_held(void)
{
	char p[NOTE], q[NOTE], temporary[16];

	hold(draw_present(p));
	sprintf(temporary, ".t%u", self);
	clear_at(AT_FDCWD, temporary, 8);
	raw3(SYS_mkdirat, AT_FDCWD, temporary, 0755);
	sprintf(q, "%s/%c", temporary, 'a' + (int)below(4));
	make_file(q, O_CREAT | O_EXCL, 0755);
	if (percent(50)) {
		begin(p, "rmdir %s (held)", p);
		if (end(raw3(SYS_unlinkat, AT_FDCWD, p, AT_REMOVEDIR)))
			return;
		wait_asked(below(20));
	}
	begin(p, "rename %s (with a file) %s (held)", temporary, p);
	end(raw5(SYS_renameat2, AT_FDCWD, temporary, AT_FDCWD, p, 0));
}

/*
 * The tree itself is open to all again: else nothing more could be seen. By a descriptor, since
 * whoever may not search it cannot even name it.
 */
static void op_heal(void)
{
	begin("a", "heal");
	raw3(SYS_fremovexattr, tree_fd, "system.posix_acl_access", 0);
	raw3(SYS_fremovexattr, tree_fd, "system.posix_acl_default", 0);
	end(raw3(SYS_fchmod, tree_fd, 0755, 0));
}

static void op_subvolume(void)
{
	struct btrfs_ioctl_vol_args args = {.fd = -1};
	char p[NOTE], *name;
	bool create = percent(60);
	long fd;

	if (create)
		draw_absent(p);
	else
		draw_present(p);
	name = strrchr(p, '/');
	snprintf(args.name, sizeof args.name, "%s", name ? name + 1 : p);
	if (name)
		*name = 0;
	fd = raw_openat(AT_FDCWD, name ? p : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (name)
		*name = '/';
	if (fd < 0)
		return;
	begin(p, "subvolume %s %s", create ? "create" : "delete", p);
	end(raw3(SYS_ioctl, fd, create ? BTRFS_IOC_SUBVOL_CREATE : BTRFS_IOC_SNAP_DESTROY, &args));
	raw_close((int)fd);
}

/* The key of encrypted directories, where the file system can have them: names come and go with it.
 */
static void op_key(void)
{
	static uint8_t identifier[FSCRYPT_KEY_IDENTIFIER_SIZE];
	static bool there;
	union {
		struct fscrypt_add_key_arg a;
		unsigned char bytes[sizeof(struct fscrypt_add_key_arg) + 64];
	} key;
	struct fscrypt_remove_key_arg gone = {.key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER};
	long fd = raw_openat(AT_FDCWD, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

	memset(&key, 0x5a, sizeof key);
	memset(&key.a, 0, sizeof key.a);
	key.a.key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER;
	key.a.raw_size = 64;
	begin("a", "%s the key", there ? "remove" : "add");
	if (there) {
		memcpy(gone.key_spec.u.identifier, identifier, sizeof identifier);
		end(raw3(SYS_ioctl, fd, FS_IOC_REMOVE_ENCRYPTION_KEY, &gone));
		there = false;
	} else if (!end(raw3(SYS_ioctl, fd, FS_IOC_ADD_ENCRYPTION_KEY, &key.a))) {
		memcpy(identifier, key.a.key_spec.u.identifier, sizeof identifier);
		there = true;
	}
	raw_close((int)fd);
	if (there)
		memcpy(shared->identifier, identifier, sizeof identifier);
}

/* An empty directory becomes an encrypted one. */
static void op_encrypt(void)
{
	struct fscrypt_policy_v2 policy = {.version = FSCRYPT_POLICY_V2,
					   .contents_encryption_mode = FSCRYPT_MODE_AES_256_XTS,
					   .filenames_encryption_mode = FSCRYPT_MODE_AES_256_CTS,
					   .flags = FSCRYPT_POLICY_FLAGS_PAD_32};
	char p[NOTE];
	long fd = raw_openat(AT_FDCWD, draw_present(p), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

	if (fd < 0)
		return;
	memcpy(policy.master_key_identifier, shared->identifier, sizeof shared->identifier);
	begin(p, "encrypt %s", p);
	end(raw3(SYS_ioctl, fd, FS_IOC_SET_ENCRYPTION_POLICY, &policy));
	raw_close((int)fd);
	for (char c = 'a'; !last_result && c <= 'd'; c++) {
		char q[NOTE + 2];

		snprintf(q, sizeof q, "%s/%c", p, c);
		begin(q, "create %s (encrypted)", q);
		end(make_file(q, O_CREAT | O_EXCL, 0755) < 0);
	}
}

/* ---- mounts ---- */

enum { CALL_OPEN_TREE = 428, CALL_MOVE_MOUNT = 429, CALL_MOUNT_SETATTR = 442, BENEATH = 0x200 };

static int mounts_made;

static void op_bind(void)
{
	char p[NOTE], q[NOTE];
	unsigned long flags = MS_BIND | (percent(30) ? MS_REC : 0);

	if (mounts_made > 3)
		return;
	begin(draw_present(q), "mount --bind %s %s", draw_present(p), q);
	if (!end(raw5(SYS_mount, p, q, NULL, flags, NULL)))
		mounts_made++;
}

static void op_tmpfs(void)
{
	char p[NOTE];

	if (mounts_made > 3)
		return;
	begin(draw_present(p), "mount -t tmpfs %s", p);
	if (!end(raw5(SYS_mount, "abuse", p, "tmpfs", 0, "mode=755,size=1m")))
		mounts_made++;
}

static const char *draw_mount(char *p)
{
	if (percent(40)) {
		sprintf(p, "m%u", 1 + below(3));
		return p;
	}
	return draw_present(p);
}

static void op_umount(void)
{
	char p[NOTE];
	int flags = percent(60) ? MNT_DETACH : 0;

	begin(draw_mount(p), "umount%s %s", flags ? " -l" : "", p);
	if (!end(raw3(SYS_umount2, p, flags, 0)) && mounts_made)
		mounts_made--;
}

static void op_move_mount(void)
{
	char p[NOTE], q[NOTE];

	begin(draw_present(q), "mount --move %s %s", draw_mount(p), q);
	end(raw5(SYS_mount, p, q, NULL, MS_MOVE, NULL));
}

/* Under what is mounted there: seen when that goes. */
static void op_mount_beneath(void)
{
	char p[NOTE], q[NOTE];
	long fd = raw3(CALL_OPEN_TREE, AT_FDCWD, draw_present(p), 1 | O_CLOEXEC);

	begin(draw_mount(q), "mount %s beneath %s", p, q);
	end(raw5(CALL_MOVE_MOUNT, fd, "", AT_FDCWD, q, 4 | BENEATH));
	raw_close((int)fd);
}

static void op_remount(void)
{
	static const unsigned long kinds[] = {MS_RDONLY, MS_NOEXEC, MS_NOSYMFOLLOW};
	unsigned long kind = PICK(kinds);
	unsigned long whole = kind == MS_RDONLY && percent(30) ? 0 : MS_BIND;
	char p[NOTE];

	begin(draw_mount(p), "remount %s %lx%s", p, kind, whole ? "" : " (the file system)");
	if (end(raw5(SYS_mount, NULL, p, NULL, MS_REMOUNT | whole | kind, NULL)))
		return;
	wait_asked(60);
	begin(p, "remount %s 0", p);
	end(raw5(SYS_mount, NULL, p, NULL, MS_REMOUNT | whole, NULL));
}

static void op_setattr(void)
{
	struct {
		uint64_t set, clear, propagation, fd;
	} attributes = {percent(50) ? 1 : 8, 0, 0, 0};
	char p[NOTE];

	for (int i = 0; i < 2; i++) {
		begin(draw_mount(p), "mount_setattr %s %d", p, i);
		end(raw5(CALL_MOUNT_SETATTR, AT_FDCWD, p, 0, &attributes, sizeof attributes));
		wait_asked(60);
		attributes.clear = attributes.set;
		attributes.set = 0;
	}
}

/* ---- pivot_root: "/" and "B", a copy of it in which the tree is another ---- */

static char other_root[PATH], put_there[2 * PATH];

static void op_pivot(void)
{
	static bool there;
	char back[PATH + PATH], put[3 * PATH];
	long result;

	/* The readers' command finds its files where they are. A session ends with its root. */
	while (atomic_load(&shared->hits) < shared->need && !atomic_load(&shared->stop))
		nap(1000);
	if (there && atomic_load(&shared->in_session)) {
		nap(20000);
		return;
	}
	begin("a", "pivot_root %s", there ? "back" : "there");
	snprintf(back, sizeof back, "%s", put_there + strlen(other_root));
	snprintf(put, sizeof put, "%s%s", back, other_root);
	result = there ? raw3(SYS_pivot_root, back, put, 0)
		       : raw3(SYS_pivot_root, other_root, put_there, 0);
	there ^= !result;
	end(result);
	wait_asked(below(600));
}

/* ---- the table of changes ---- */

enum need { ANY, ROOT, MOUNTS };

static bool unsupported[64]; /* by the file system */

static const struct op {
	void (*run)(void);
	unsigned char weight;
	enum need need;
} ops[] = {
    {op_create, 16, ANY},       {op_mkdir, 20, ANY},        {op_move_tree_in, 8, ANY},
    {op_unlink, 8, ANY},        {op_rmdir, 6, ANY},         {op_clear, 5, ANY},
    {op_rename, 12, ANY},       {op_rename_over, 4, ANY},   {op_exchange, 8, ANY},
    {op_whiteout, 2, ROOT},     {op_symlink, 10, ANY},      {op_retarget, 6, ANY},
    {op_link, 5, ANY},          {op_tmpfile, 4, ANY},       {op_node, 4, ANY},
    {op_socket, 3, ANY},        {op_chmod, 10, ANY},        {op_chmod_by_fd, 4, ANY},
    {op_chmod_by_link, 4, ANY}, {op_chown, 5, ROOT},        {op_acl, 5, ANY},
    {op_capability, 4, ANY},    {op_immutable, 2, ROOT},    {op_casefold, 4, ANY},
    {op_touch, 3, ANY},         {op_heal, 5, ANY},          {op_hold, 6, ANY},
    {op_replace_held, 8, ANY},  {op_subvolume, 6, ANY},     {op_key, 6, ROOT},
    {op_encrypt, 12, ROOT},     {op_bind, 14, MOUNTS},      {op_tmpfs, 8, MOUNTS},
    {op_umount, 22, MOUNTS},    {op_move_mount, 8, MOUNTS}, {op_mount_beneath, 4, MOUNTS},
    {op_remount, 6, MOUNTS},    {op_setattr, 4, MOUNTS},
};

static unsigned weight_of(unsigned i)
{
	enum need may = !is_root ? ANY : shared->mounts && !is_apart ? MOUNTS : ROOT;

	return ops[i].need <= may && !unsupported[i] ? ops[i].weight : 0;
}

static void change_once(void)
{
	const unsigned count = sizeof ops / sizeof *ops;
	unsigned sum = 0, drawn, i = 0;

	for (unsigned k = 0; k < count; k++)
		sum += weight_of(k);
	for (drawn = below(sum); drawn >= weight_of(i); i++)
		drawn -= weight_of(i);
	last_result = 0;
	ops[i].run();
	unsupported[i] = last_result == -ENOTTY || last_result == -EOPNOTSUPP;
}

/* In bursts, and after a while of peace in which the cache learns. */
static void change_on(void (*always)(void))
{
	while (!atomic_load(&shared->stop)) {
		(always ? always : change_once)();
		switch (below(8)) {
		case 0:
		case 1:
			break;
		case 2:
		case 3:
		case 4:
			wait_asked(below(60));
			break;
		default:
			wait_asked(below(1500));
			break;
		}
	}
}

/*
 * A reader's own change. It is in no jail, so its names are looked up by the kernel in the tree
 * alone.
 */
static void change_as_reader(void)
{
	enum { CALL_OPENAT2 = 437 };
	struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
			       .resolve = RESOLVE_BENEATH};
	char p[NOTE], q[NOTE], target[PATH], *name;
	long dir;

	if (percent(50))
		draw_absent(p);
	else
		draw_present(p);
	name = strrchr(p, '/');
	if (name)
		*name++ = 0;
	dir = raw4(CALL_OPENAT2, AT_FDCWD, name ? p : ".", &how, sizeof how);
	if (dir < 0)
		return;
	strcpy(q, p);
	if (name)
		q[strlen(p)] = '/', strcpy(q + strlen(p) + 1, name);
	else
		name = p;
	draw_target(target);
	begin(q, "(by a reader) change %s", q);
	switch (below(7)) {
	case 0:
		end(raw3(SYS_mkdirat, dir, name, 0755));
		break;
	case 1:
		end(raw3(SYS_unlinkat, dir, name, 0));
		break;
	case 2:
		end(raw3(SYS_unlinkat, dir, name, AT_REMOVEDIR));
		break;
	case 3:
		end(raw3(SYS_symlinkat, target, dir, name));
		break;
	case 4:
		end(raw5(SYS_renameat2, dir, name, dir,
			 PICK(((const char *const[]){"a", "b", "c"})), below(3)));
		break;
	case 5:
		end(raw4(SYS_mknodat, dir, name, S_IFIFO | 0644, 0));
		break;
	default: {
		long fd = raw_openat((int)dir, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0755);

		if (fd >= 0)
			raw_close((int)fd);
		end(fd);
	}
	}
	raw_close((int)dir);
}

/* ---- questions ---- */

enum call {
	ACCESS_F,
	ACCESS_R,
	ACCESS_W,
	ACCESS_X,
	FACCESSAT,
	FACCESSAT_EFFECTIVE,
	FACCESSAT_LINK,
	EUIDACCESS,
	STAT,
	LSTAT,
	FSTATAT,
	STATX,
	OPEN,
	OPEN_DIRECTORY,
	OPENDIR,
	READLINK,
	REALPATH,
	CANONICALIZE,
	GETXATTR,
	LGETXATTR,
	LISTXATTR,
	LLISTXATTR,
	EXECVE,
	SPAWNP,
	FOPEN_MISSING,
	OPENAT,
};

static const unsigned char call_weights[CALLS] = {
    [ACCESS_F] = 12,      [ACCESS_R] = 8,       [ACCESS_W] = 4,
    [ACCESS_X] = 8,       [FACCESSAT] = 4,      [FACCESSAT_EFFECTIVE] = 4,
    [FACCESSAT_LINK] = 4, [EUIDACCESS] = 3,     [STAT] = 12,
    [LSTAT] = 8,          [FSTATAT] = 3,        [STATX] = 3,
    [OPEN] = 8,           [OPEN_DIRECTORY] = 3, [OPENDIR] = 3,
    [READLINK] = 8,       [REALPATH] = 10,      [CANONICALIZE] = 3,
    [GETXATTR] = 6,       [LGETXATTR] = 6,      [LISTXATTR] = 2,
    [LLISTXATTR] = 2,     [EXECVE] = 3,         [SPAWNP] = 1,
    [FOPEN_MISSING] = 2,  [OPENAT] = 3,
};
static const char *const call_names[CALLS] = {
    "access F_OK",
    "access R_OK",
    "access W_OK",
    "access X_OK",
    "faccessat X_OK",
    "faccessat AT_EACCESS",
    "faccessat AT_SYMLINK_NOFOLLOW",
    "euidaccess",
    "stat",
    "lstat",
    "fstatat",
    "statx",
    "open",
    "open O_DIRECTORY",
    "opendir",
    "readlink",
    "realpath",
    "canonicalize_file_name",
    "getxattr",
    "lgetxattr",
    "listxattr",
    "llistxattr",
    "execve",
    "posix_spawnp",
    "fopen",
    "openat",
};
static const char *const attributes[] = {"security.selinux", "security.capability",
					 "system.posix_acl_access", "system.posix_acl_default",
					 "user.x"};
static char *(*libc_realpath)(const char *, char *);
static _Thread_local bool threaded; /* numbers and counts are shared with another thread */

/* An answer: a result or -errno, and what else the call says. */
struct answer {
	long result;
	uint64_t rest;
};

struct question {
	enum call call;
	const char *attribute;
	char path[PATH];
	char search[3 * PATH]; /* PATH, for posix_spawnp */
} __attribute__((aligned(PATH)));

static uint64_t mix(uint64_t h, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ ((const unsigned char *)bytes)[i]) * 0x100000001B3u;
	return h;
}

static uint64_t mix_stat(const struct stat *st)
{
	uint64_t h = mix(1, &st->st_dev, sizeof st->st_dev);

	h = mix(h, &st->st_ino, sizeof st->st_ino);
	h = mix(h, &st->st_mode, sizeof st->st_mode);
	h = mix(h, &st->st_uid, sizeof st->st_uid);
	return mix(h, &st->st_gid, sizeof st->st_gid);
}

static struct answer of(long result, uint64_t rest)
{
	return (struct answer){result, result < 0 ? 0 : rest};
}

static struct answer of_stat(long result, const struct stat *st)
{
	return of(result, result < 0 ? 0 : mix_stat(st));
}

static struct answer of_statx(long result, const struct statx *st)
{
	return of(result, result < 0 ? 0 : mix(mix(1, &st->stx_ino, 8), &st->stx_mode, 2));
}

/* The number of a new descriptor is part of the answer: none of ours is below. */
static struct answer of_open(long fd)
{
	struct stat st;

	if (fd < 0)
		return of(fd, 0);
	raw_fstatat((int)fd, "", &st, AT_EMPTY_PATH);
	raw_close((int)fd);
	return of(threaded ? 0 : fd, mix_stat(&st));
}

static struct answer of_string(const char *string, const char *buffer)
{
	int err = errno;

	if (string)
		return of(0, mix(1, string, strlen(string)));
	/* glibc leaves the prefix that is missing. */
	return (struct answer){-err, err == ENOENT && buffer ? mix(1, buffer, strlen(buffer)) : 0};
}

#define RESULT(call) ((call) < 0 ? -(long)errno : 0L)

static _Thread_local char name_buffer[PATH_MAX + 1];

static struct answer spawned(const struct question *q, bool raw);

static struct answer ask_kernel(const struct question *q)
{
	enum { CALL_FACCESSAT2 = 439 };
	const char *p = q->path;
	char *argv[] = {NULL};
	struct statx stx;
	struct stat st;
	char *string;
	long n;

	switch (q->call) {
	case ACCESS_F:
	case ACCESS_R:
	case ACCESS_W:
	case ACCESS_X: {
		static const int modes[] = {F_OK, R_OK, W_OK, X_OK};

		return of(raw_access(p, modes[q->call]), 0);
	}
	case FACCESSAT:
		return of(raw_access(p, X_OK), 0);
	case FACCESSAT_EFFECTIVE:
		return of(raw4(CALL_FACCESSAT2, AT_FDCWD, p, R_OK, AT_EACCESS), 0);
	case FACCESSAT_LINK:
		return of(raw4(CALL_FACCESSAT2, AT_FDCWD, p, F_OK, AT_SYMLINK_NOFOLLOW), 0);
	case EUIDACCESS:
		return of(raw4(CALL_FACCESSAT2, AT_FDCWD, p, X_OK, AT_EACCESS), 0);
	case STAT:
	case FSTATAT:
		n = raw_fstatat(AT_FDCWD, p, &st, 0);
		return of_stat(n, &st);
	case LSTAT:
		n = raw_fstatat(AT_FDCWD, p, &st, AT_SYMLINK_NOFOLLOW);
		return of_stat(n, &st);
	case STATX:
		n = raw5(SYS_statx, AT_FDCWD, p, 0, STATX_BASIC_STATS, &stx);
		return of_statx(n, &stx);
	case OPEN:
	case OPENAT:
		return of_open(raw_openat(AT_FDCWD, p, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0));
	case OPEN_DIRECTORY:
		return of_open(raw_openat(AT_FDCWD, p, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
	case OPENDIR:
		n = raw_openat(AT_FDCWD, p, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
		if (n >= 0)
			raw_close((int)n);
		return of(n < 0 ? n : 0, 0);
	case READLINK:
		n = raw4(SYS_readlinkat, AT_FDCWD, p, name_buffer, PATH_MAX);
		return of(n, n < 0 ? 0 : mix(1, name_buffer, (size_t)n));
	case REALPATH:
		*name_buffer = 0;
		string = libc_realpath(p, name_buffer);
		return of_string(string, name_buffer);
	case CANONICALIZE:
		return of_string(libc_realpath(p, name_buffer), NULL);
	case GETXATTR:
		return of(raw4(SYS_getxattr, p, q->attribute, NULL, 0), 0);
	case LGETXATTR:
		return of(raw4(SYS_lgetxattr, p, q->attribute, NULL, 0), 0);
	case LISTXATTR:
		return of(raw3(SYS_listxattr, p, NULL, 0), 0);
	case LLISTXATTR:
		return of(raw3(SYS_llistxattr, p, NULL, 0), 0);
	case EXECVE:
		return of(raw3(SYS_execve, p, argv, argv), 0);
	case SPAWNP:
		return spawned(q, true);
	case FOPEN_MISSING:
		n = raw_fstatat(AT_FDCWD, p, &st, 0);
		return of(n < 0 ? n : 0, 0);
	}
	return of(0, 0);
}

static struct answer ask_libc(const struct question *q)
{
	static const int modes[] = {F_OK, R_OK, W_OK, X_OK};
	const char *p = q->path;
	char *argv[] = {NULL}, *string;
	struct answer a;
	struct statx stx;
	struct stat st;
	DIR *dir;
	FILE *file;
	long n;

	switch (q->call) {
	case ACCESS_F:
	case ACCESS_R:
	case ACCESS_W:
	case ACCESS_X:
		return of(RESULT(access(p, modes[q->call])), 0);
	case FACCESSAT:
		return of(RESULT(faccessat(AT_FDCWD, p, X_OK, 0)), 0);
	case FACCESSAT_EFFECTIVE:
		return of(RESULT(faccessat(AT_FDCWD, p, R_OK, AT_EACCESS)), 0);
	case FACCESSAT_LINK:
		return of(RESULT(faccessat(AT_FDCWD, p, F_OK, AT_SYMLINK_NOFOLLOW)), 0);
	case EUIDACCESS:
		return of(RESULT(euidaccess(p, X_OK)), 0);
	case STAT:
		n = RESULT(stat(p, &st));
		return of_stat(n, &st);
	case FSTATAT:
		n = RESULT(fstatat(AT_FDCWD, p, &st, 0));
		return of_stat(n, &st);
	case LSTAT:
		n = RESULT(lstat(p, &st));
		return of_stat(n, &st);
	case STATX:
		n = RESULT(statx(AT_FDCWD, p, 0, STATX_BASIC_STATS, &stx));
		return of_statx(n, &stx);
	case OPEN:
		n = open(p, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		return of_open(n < 0 ? -errno : n);
	case OPENAT:
		n = openat(AT_FDCWD, p, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		return of_open(n < 0 ? -errno : n);
	case OPEN_DIRECTORY:
		n = open(p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		return of_open(n < 0 ? -errno : n);
	case OPENDIR:
		dir = opendir(p);
		n = dir ? 0 : -errno;
		if (dir)
			closedir(dir);
		return of(n, 0);
	case READLINK:
		n = readlink(p, name_buffer, PATH_MAX);
		return of(n < 0 ? -errno : n, n < 0 ? 0 : mix(1, name_buffer, (size_t)n));
	case REALPATH:
		*name_buffer = 0;
		string = realpath(p, name_buffer);
		return of_string(string, name_buffer);
	case CANONICALIZE:
		string = canonicalize_file_name(p);
		a = of_string(string, NULL);
		free(string);
		return a;
	case GETXATTR:
		n = getxattr(p, q->attribute, NULL, 0);
		return of(n < 0 ? -errno : n, 0);
	case LGETXATTR:
		n = lgetxattr(p, q->attribute, NULL, 0);
		return of(n < 0 ? -errno : n, 0);
	case LISTXATTR:
		n = listxattr(p, NULL, 0);
		return of(n < 0 ? -errno : n, 0);
	case LLISTXATTR:
		n = llistxattr(p, NULL, 0);
		return of(n < 0 ? -errno : n, 0);
	case EXECVE:
		execve(p, argv, argv);
		return of(-errno, 0);
	case SPAWNP:
		return spawned(q, false);
	case FOPEN_MISSING: /* of what may come to be, a fifo would block */
		if (raw_fstatat(AT_FDCWD, p, &st, 0) == 0)
			return of(0, 0);
		file = fopen(p, "re");
		n = file ? 0 : -errno;
		if (file)
			fclose(file);
		return of(n, 0);
	}
	return of(0, 0);
}

/* A search that never starts anything: there is no program in the tree. */
static struct answer spawned(const struct question *q, bool raw)
{
	const char *name = strrchr(q->path, '/') + 1, *colon;
	char *argv[] = {(char *)(uintptr_t)name, NULL}, candidate[2 * PATH];
	long last = -ENOENT;
	bool denied = false;
	pid_t pid;

	if (!raw)
		return of(-posix_spawnp(&pid, name, NULL, NULL, argv, argv + 1), 0);
	for (const char *p = q->search; *p; p = colon + (*colon == ':')) {
		colon = strchrnul(p, ':');
		snprintf(candidate, sizeof candidate, "%.*s/%s", (int)(colon - p), p, name);
		last = raw3(SYS_execve, candidate, argv, argv + 1);
		denied |= last == -EACCES;
		if (last != -ENOENT && last != -ENOTDIR && last != -EACCES && last != -ESTALE &&
		    last != -ENODEV && last != -ETIMEDOUT)
			return of(last, 0);
	}
	return of(denied ? -EACCES : last, 0);
}

/* ---- the reader ---- */

static uint64_t served(void)
{
	struct fastpath_stats s;
	uint64_t sum = 0;

	if (!fastpath_stats || fastpath_stats(&s, offsetof(struct fastpath_stats, kernel)))
		return 0;
	for (int i = 0; i < FASTPATH_CALLS; i++)
		sum += s.served[i];
	return sum;
}

/* False: a change is in flight. */
static bool numbers_taken(unsigned long to[SLOTS])
{
	bool quiet = true;

	for (unsigned i = 0; i < SLOTS; i++) {
		to[i] = atomic_load(&shared->slots[i].seq);
		quiet &= !(to[i] & 1);
	}
	return quiet;
}

/* The first complaint is the one to report, with the last changes in their order. */
static void complain(const char *format, ...)
{
	size_t n;
	va_list args;
	unsigned long before = ULONG_MAX;

	if (atomic_exchange(&shared->wrong, 1))
		return;
	va_start(args, format);
	n = (size_t)vsnprintf(shared->why, sizeof shared->why, format, args);
	va_end(args);
	for (int k = 0; k < 8; k++) {
		const struct slot *of_slot = NULL;
		int entry = 0;
		unsigned long latest = 0;

		for (unsigned i = 0; i < SLOTS; i++)
			for (int l = 0; l < LOG; l++)
				if (*shared->slots[i].log[l] && shared->slots[i].when[l] < before &&
				    (!of_slot || shared->slots[i].when[l] >= latest)) {
					of_slot = &shared->slots[i];
					entry = l;
					latest = of_slot->when[l];
				}
		if (!of_slot || n + NOTE + 8 >= sizeof shared->why)
			break;
		before = latest;
		n += (size_t)sprintf(shared->why + n, "; -%d: %.100s", k + 1, of_slot->log[entry]);
	}
	atomic_store(&shared->stop, 1);
}

static void check(const struct question *q)
{
	unsigned long before[SLOTS], after[SLOTS];
	bool quiet = numbers_taken(before), hit;
	struct answer first, got, last;
	uint64_t was;

	first = ask_kernel(q);
	was = served();
	got = ask_libc(q);
	hit = !threaded && served() != was;
	last = ask_kernel(q);
	atomic_thread_fence(memory_order_seq_cst);
	quiet = quiet && numbers_taken(after) && !memcmp(before, after, sizeof before);
	atomic_fetch_add_explicit(&shared->asked, 1, memory_order_relaxed);
	if (!quiet) {
		if (hit)
			atomic_fetch_add_explicit(&shared->overlapped, 1, memory_order_relaxed);
		return;
	}
	if (first.result != last.result || first.rest != last.rest) {
		atomic_fetch_add(&shared->unsteady, 1);
		return;
	}
	atomic_fetch_add_explicit(&shared->judged, 1, memory_order_relaxed);
	if (hit) {
		atomic_fetch_add_explicit(&shared->hits, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&shared->hits_of[q->call], 1, memory_order_relaxed);
	}
	if (got.result != first.result || got.rest != first.rest)
		complain("%s of %s%s%s is %ld (%llx), %s%s; the kernel's is %ld (%llx)",
			 call_names[q->call], q->path + strlen(shared->dir) + 1,
			 q->attribute ? " " : "", q->attribute ? q->attribute : "", got.result,
			 (unsigned long long)got.rest, hit ? "SERVED" : "not served",
			 threaded ? " (two threads)" : "", first.result,
			 (unsigned long long)first.rest);
}

static void draw_question(struct question *q)
{
	unsigned sum = 0, drawn;
	char *tail;

	for (int i = 0; i < CALLS; i++)
		sum += call_weights[i];
	drawn = below(sum);
	for (q->call = 0; drawn >= call_weights[q->call]; q->call++)
		drawn -= call_weights[q->call];
	/* PATH belongs to the whole process. */
	if (q->call == SPAWNP && threaded)
		q->call = EXECVE;
	q->attribute = q->call == GETXATTR || q->call == LGETXATTR ? PICK(attributes) : NULL;
	sprintf(q->path, "%.300s/", shared->dir);
	tail = q->path + strlen(q->path);
	if (percent(50)) { /* what was just changed, or what is below or above it */
		char *slash;

		snprintf(tail, NOTE - 8, "%s", shared->slots[below(SLOTS)].touched);
		if (percent(30) && *tail)
			draw_component(tail);
		else if (percent(20) && (slash = strrchr(tail, '/')))
			*slash = 0;
	} else {
		*tail = 0;
	}
	if (!*tail)
		draw_path(tail);
	if (percent(15))
		strcat(tail, percent(50) ? "/none" : "/none/below");
	else if (percent(3))
		strcat(tail, percent(50) ? "/" : "/..");
	if (q->call == FOPEN_MISSING && !strstr(tail, "none"))
		strcat(tail, "/none");
	if (q->call != SPAWNP)
		return;
	if (!*(strrchr(q->path, '/') + 1))
		strcat(q->path, "none");
	*q->search = 0;
	for (int i = 0; i < 3; i++) {
		char p[NOTE];

		draw_path(p);
		sprintf(q->search + strlen(q->search), "%s%.300s/%s", i ? ":" : "", shared->dir, p);
	}
	setenv("PATH", q->search, 1);
}

static void ask_some(struct question *q)
{
	draw_question(q);
	for (unsigned n = 1 + below(4); n && !atomic_load(&shared->stop); n--)
		check(q);
}

static void *second_thread(void *until)
{
	static struct question q;

	threaded = true;
	draws_from(self + 100, (unsigned long)*(double *)until);
	while (now_ms() < *(double *)until && !atomic_load(&shared->stop))
		ask_some(&q);
	return NULL;
}

static void fork_and_ask(struct question *q)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		for (int i = 0; i < 30; i++)
			ask_some(q);
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		complain("a forked child ended with %#x", (unsigned)status);
}

static bool is_open(int fd)
{
	return raw3(SYS_fcntl, fd, F_GETFD, 0) >= 0;
}

static void note_bell(bool open_before[DESCRIPTORS])
{
	struct fastpath_stats s;

	if (!fastpath_stats || fastpath_stats(&s, sizeof s) || !served())
		return;
	atomic_fetch_or(&shared->bells, 1u << s.bell);
	atomic_fetch_or(&shared->scopes, 1u << s.scope);
	for (int fd = 0; fd < DESCRIPTORS; fd++)
		if (is_open(fd) != open_before[fd] && (fd < OURS || s.bell == FASTPATH_BELL_PAGE))
			complain("descriptor %d is %s", fd,
				 open_before[fd] ? "gone" : "not the program's");
}

/* One process that asks, from nothing known to its end. */
static void live(unsigned number)
{
	static struct question q;
	static bool open_before[DESCRIPTORS];
	double until;
	pthread_t thread = 0;

	draws_from(self, number);
	until = now_ms() + 80 + below(500);
	if (chdir(shared->dir))
		_exit(errno == ENOENT || errno == EACCES ? 0 : 4); /* as a change left it */
	for (int fd = 0; fd < DESCRIPTORS; fd++)
		open_before[fd] = is_open(fd);
	if (number % 6 == 5) {
		threaded = true;
		if (pthread_create(&thread, NULL, second_thread, &until))
			thread = 0;
	}
	while (now_ms() < until && !atomic_load(&shared->stop)) {
		for (int i = 0; i < 16; i++)
			ask_some(&q);
		if (percent(12) && !threaded) {
			change_as_reader();
			for (int i = 0; i < 3; i++) {
				draw_question(&q);
				snprintf(q.path, sizeof q.path, "%.300s/%s", shared->dir,
					 mine->touched);
				check(&q);
			}
		}
		if (percent(2) && fastpath_flush)
			fastpath_flush();
		if (percent(3) && !threaded)
			fork_and_ask(&q);
	}
	if (thread)
		pthread_join(thread, NULL);
	note_bell(open_before);
	atomic_fetch_add(&shared->lives, 1);
	_exit(0);
}

static pid_t fork_bound(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
	}
	return pid;
}

static bool is_over(void)
{
	double now = now_ms();
	bool enough = atomic_load(&shared->hits) >= shared->need;

	if (now > shared->gives_up || (now > shared->ends && enough))
		atomic_store(&shared->stop, 1);
	return atomic_load(&shared->stop);
}

/* The session's broker, from the variable that tells it. */
static pid_t broker(void)
{
	const char *session = getenv("FASTPATH_SESSION");

	return session ? (pid_t)strtoul(session, NULL, 16) : 0;
}

static void trouble_broker(void)
{
	static bool stopped;
	static double next;
	pid_t pid = broker();

	if (now_ms() < next || pid <= 1)
		return;
	next = now_ms() + (stopped ? 5 : 30) + below(20);
	stopped = !stopped;
	if (atomic_load(&shared->hits) >= shared->need)
		kill(pid, SIGKILL);
	else
		kill(pid, stopped ? SIGSTOP : SIGCONT);
}

/* Under the library: lives, one after the other for each reader. */
static int reading(int fd)
{
	pid_t lives[SLOTS] = {0};
	unsigned number[SLOTS] = {0};
	double hangs;

	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		return 1;
	raw_close(fd);
	libc_realpath = (char *(*)(const char *, char *))(uintptr_t)dlsym(
	    dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "realpath");
	if (!libc_realpath)
		complain("libc has no realpath");
	draws_from(0, 2000);
	atomic_store(&shared->in_session, broker() != 0);
	for (;;) {
		bool over = is_over(), busy = false;

		for (unsigned i = 0; i < shared->readers; i++) {
			int status = 0;

			if (lives[i] && waitpid(lives[i], &status, WNOHANG) == lives[i]) {
				lives[i] = 0;
				if (status)
					complain("a reader ended with %#x", (unsigned)status);
			}
			busy |= lives[i] != 0;
			if (lives[i] || over)
				continue;
			self = shared->changers + i;
			mine = &shared->slots[self];
			if ((lives[i] = fork_bound()) == 0)
				live(number[i]);
			number[i]++;
		}
		if (over && !busy)
			return 0;
		if (shared->trouble)
			trouble_broker();
		hangs = shared->gives_up + HANG_MS;
		if (now_ms() > hangs) {
			complain("a reader hangs");
			return 1;
		}
		nap(500);
	}
}

/* ---- the whole ---- */

static void populate(void)
{
	static const char *const dirs[] = {"a", "b", "c", "a/a", "b/a", "b/c", "a/a/b"};
	static const char *const files[] = {"d", "a/d", "b/c/a", "a/a/c"};

	for (unsigned i = 0; i < sizeof dirs / sizeof *dirs; i++)
		mkdir(dirs[i], 0755);
	for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
		make_file(files[i], O_CREAT | O_EXCL, 0755);
	if (symlink("a", "e"))
		return; /* an earlier round's */
}

static int broken(const char *what)
{
	printf("the case is broken: %s: %s\n", what, strerror(errno));
	return 2;
}

/* The tree is a mount of its own, whose changes propagate to and from other namespaces. */
static int make_mounts(void)
{
	if (mount(shared->dir, shared->dir, NULL, MS_BIND | MS_REC, NULL) ||
	    mount(NULL, shared->dir, NULL, MS_SHARED, NULL) || chdir("/") || chdir(shared->dir))
		return broken("mount");
	for (unsigned i = 0; i < 3; i++) {
		char p[8];

		sprintf(p, "m%u", i + 1);
		mkdir(p, 0755);
		if (i < 2 && mount(i ? "a" : "tmpfs", p, i ? NULL : "tmpfs", i ? MS_BIND : 0,
				   i ? NULL : "mode=755,size=4m"))
			return broken("mount");
	}
	return 0;
}

/* DIR/../B is all of "/", but that the tree in it is DIR/../t. */
static int make_other_root(void)
{
	char other[PATH], in_it[2 * PATH];

	snprintf(other_root, sizeof other_root, "%.300s-root", shared->dir);
	snprintf(other, sizeof other, "%.300s-other", shared->dir);
	snprintf(in_it, sizeof in_it, "%s%s", other_root, shared->dir);
	snprintf(put_there, sizeof put_there, "%s%.300s-old", other_root, shared->dir);
	mkdir(other_root, 0755);
	mkdir(other, 0777);
	mkdir(put_there + strlen(other_root), 0755);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("/", other_root, NULL, MS_BIND | MS_REC, NULL) ||
	    mount(other, in_it, NULL, MS_BIND, NULL))
		return broken("mount");
	return 0;
}

/*
 * Symlinks that lead up, and mounts, must not lead out: a changer's root is the tree. Who is not
 * root needs a user namespace for that; without one, no symlink leads up.
 */
static void enter_jail(void)
{
	may_climb = !chroot(".");
	if (!may_climb && !is_root && !unshare(CLONE_NEWUSER))
		may_climb = !chroot(".");
	if ((is_root && !may_climb) || (may_climb && chdir("/")))
		_exit(3);
}

static void changing(unsigned i, bool pivot)
{
	char other[PATH];

	self = i;
	mine = &shared->slots[i];
	draws_from(i, 1000);
	umask(0);
	if (pivot && i == 1) {
		snprintf(other, sizeof other, "%.300s-other", shared->dir);
		if (chdir(other))
			complain("chdir: %s", strerror(errno));
		populate();
	}
	is_apart = shared->mounts && i == shared->changers - 1;
	if (shared->mounts && (i % 2 || is_apart) &&
	    (unshare(CLONE_NEWNS) ||
	     (is_apart && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) || chdir("/") ||
	     chdir(shared->dir)))
		complain("unshare: %s", strerror(errno));
	for (unsigned m = 1; is_apart && m <= 3; m++) {
		char p[8];

		sprintf(p, "m%u", m);
		while (!umount2(p, MNT_DETACH))
			;
	}
	if (pivot && i == 0)
		change_on(op_pivot);
	tree_fd = (int)raw_openat(AT_FDCWD, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	enter_jail();
	change_on(NULL);
	_exit(0);
}

static int verdict(void)
{
	printf("seed %u: %lu changes, %lu lives, %lu asked, %lu judged, of which %lu from the "
	       "cache (%lu more while something "
	       "changed); %lu unsteady; bells%s%s; scopes%s%s\n",
	       shared->seed, shared->changes, shared->lives, shared->asked, shared->judged,
	       shared->hits, shared->overlapped, shared->unsteady,
	       shared->bells & 1 << FASTPATH_BELL_PAGE ? " page" : "",
	       shared->bells & 1 << FASTPATH_BELL_EPOLL ? " epoll" : "",
	       shared->scopes & 1 << FASTPATH_SCOPE_PROCESS ? " process" : "",
	       shared->scopes & 1 << FASTPATH_SCOPE_TREE ? " tree" : "");
	if (getenv("ABUSE_CALLS"))
		for (int i = 0; i < CALLS; i++)
			printf("    %8lu %s\n", (unsigned long)shared->hits_of[i], call_names[i]);
	if (shared->wrong) {
		printf("WRONG: %s\n", shared->why);
		return 1;
	}
	if (shared->hits < shared->need) {
		printf("too few answers came from the cache: %lu, must be %lu\n", shared->hits,
		       shared->need);
		return 1;
	}
	if (shared->unsteady > 20 + shared->judged / 1000) {
		printf("the case is broken: the kernel contradicts itself\n");
		return 2;
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned ms = 1000, seed = (unsigned)time(NULL);
	bool mounts = false, pivot = false, trouble = false;
	unsigned long need = 300;
	unsigned changers = 2, readers = 2;
	char fd_text[12], program[PATH], **command;
	int opt, fd, status = 0;
	pid_t pids[SLOTS + 1];

	if (argc == 3 && !strcmp(argv[1], "read"))
		return reading(atoi(argv[2]));
	while ((opt = getopt(argc, argv, "+s:t:n:m:r:MPK")) != -1) {
		switch (opt) {
		case 's':
			seed = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 't':
			ms = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'n':
			need = strtoul(optarg, NULL, 10);
			break;
		case 'm':
			changers = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'r':
			readers = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'M':
			mounts = true;
			break;
		case 'P':
			pivot = true;
			break;
		case 'K':
			trouble = true;
			break;
		default:
			return 2;
		}
	}
	changers += mounts;
	if (argc - optind < 3 || strcmp(argv[optind + 1], "--") || changers + readers > SLOTS)
		return 2;
	fd = memfd_create("abuse", 0);
	if (fd < 0 || ftruncate(fd, sizeof *shared))
		return broken("memfd");
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED || chdir(argv[optind]) || !getcwd(shared->dir, 300) ||
	    !realpath("/proc/self/exe", program))
		return broken(argv[optind]);
	is_root = !geteuid();
	shared->seed = seed;
	shared->need = need;
	shared->changers = changers;
	shared->readers = readers;
	shared->mounts = mounts;
	shared->trouble = trouble;
	umask(0);
	populate();
	if ((mounts && make_mounts()) || (pivot && make_other_root()))
		return 2;
	shared->ends = now_ms() + ms;
	shared->gives_up = shared->ends + OVERTIME * (double)ms + OVERTIME_MS;
	signal(SIGPIPE, SIG_IGN);
	for (unsigned i = 0; i < changers; i++)
		if ((pids[i] = fork_bound()) == 0)
			changing(i, pivot);
	sprintf(fd_text, "%d", fd);
	command = calloc((size_t)(argc - optind) + 4, sizeof *command);
	if (!command)
		return broken("memory");
	int words = 0;

	for (int i = optind + 2; i < argc; i++)
		command[words++] = argv[i];
	command[words++] = program;
	command[words++] = (char[]){"read"};
	command[words] = fd_text;
	if ((pids[changers] = fork_bound()) == 0) {
		if (chdir("/") == 0)
			execvp(command[0], command);
		_exit(127);
	}
	while (waitpid(pids[changers], &status, 0) < 0 && errno == EINTR)
		;
	atomic_store(&shared->stop, 1);
	if (status && !shared->wrong)
		complain("the readers' command ended with %#x", (unsigned)status);
	for (unsigned i = 0; i < changers; i++)
		if (waitpid(pids[i], &status, 0) == pids[i] && status)
			complain("a changer ended with %#x", (unsigned)status);
	return verdict();
}
