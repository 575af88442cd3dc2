/*
 * Random changes and random learning: after each change whatever is answered must be what the
 * kernel says then. One process, so the kernel's answer is the truth.
 */
#include "session.h"

#include <sys/time.h>
#include <sys/xattr.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { STEPS = 1500 };
#else
enum { STEPS = 5000 };
#endif

static const char *const names[] = {"a", "b", "c", "C"};
static unsigned served_absent, served_present;
static char did[160];

/* A path of one to three names; if not plain, with a ".." now and then. */
static void random_path(char *out, bool plain)
{
	int n = sprintf(out, "%s", session_base), depth = rand() % 3 + 1;

	for (int i = 0; i < depth; i++) {
		n += sprintf(out + n, "/%s", names[rand() % 4]);
		if (!plain && rand() % 12 == 0)
			n += sprintf(out + n, "/..");
	}
	memset(out + n, 0, 8);
}

/* A target: relative, absolute, up, or of no use. */
static void random_target(char *out)
{
	static const char *const forms[] = {"a",     "b/c", "../a", "./b",
					    "c//a/", "..",  ".",    "../../b"};

	if (rand() % 4 == 0)
		random_path(out, true);
	else
		strcpy(out, forms[rand() % 8]);
}

/* Links lead up and out of our directory: nothing may be changed there. `whole` follows the last.
 */
static bool is_ours(const char *path, bool whole)
{
	char dir[512], real[PATH_MAX];
	size_t n = strlen(session_base);

	strcpy(dir, path);
	if (!whole)
		*strrchr(dir, '/') = 0;
	return realpath(dir, real) && !strncmp(real, session_base, n) &&
	       (real[n] == '/' || (!real[n] && !whole));
}

static void change(void)
{
	char one[512], two[512];
	int how = rand() % 14;

	random_path(one, true);
	random_path(two, true);
	if (!is_ours(one, false) || !is_ours(two, false))
		return;
	switch (how) {
	case 0:
	case 1:
		close(open(one, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644));
		break;
	case 2:
	case 3:
	case 4:
		mkdir(one, 0755);
		break;
	case 5:
		unlink(one);
		break;
	case 6:
		rmdir(one);
		break;
	case 7:
	case 8:
		rename(one, two);
		break;
	case 9:
		renameat2(AT_FDCWD, one, AT_FDCWD, two, RENAME_EXCHANGE);
		break;
	case 10:
	case 11:
		random_target(two);
		symlink(two, one) == 0 ? (void)0 : (void)unlink(one);
		break;
	case 12:
		if (is_ours(one, true))
			chmod(one, rand() % 2 ? 0755 : 0600);
		break;
	default:
		link(one, two) == 0 ? (void)0 : (void)remove(one);
	}
	snprintf(did, sizeof did, "%d %.70s %.70s", how, one, two);
}

static void check_absent(const char *path)
{
	struct stat st;

	if (!is_absent(path))
		return;
	served_absent++;
	CHECKF(lstat(path, &st) == -1 && errno == ENOENT, "%.150s is there; after %s", path, did);
}

static void check_present(const char *path)
{
	static const unsigned modes[] = {F_OK, R_OK, X_OK, R_OK | X_OK};
	char want[PATH_MAX], target[PATH_MAX];

	for (int i = 0; i < 4; i++) {
		if (!is_present(path, QUESTION_ACCESS, modes[i]))
			continue;
		served_present++;
		CHECKF(access(path, (int)modes[i]) == 0, "access(%.200s, %u); after %s", path,
		       modes[i], did);
	}
	if (is_present(path, QUESTION_PATH, 0)) {
		CHECKF(realpath(path, want), "realpath(%.200s) fails; after %s", path, did);
		CHECKF(!strcmp(want, canonical(path)),
		       "realpath(%.90s) is %.90s, not %.90s; after %s", path, want, canonical(path),
		       did);
		served_present++;
	}
	if (is_present(path, QUESTION_LINK, 0))
		CHECKF(readlink(path, target, sizeof target) == -1 && errno == EINVAL,
		       "%.200s is a link; after %s", path, did);
	if (is_present(path, QUESTION_XATTR, 1))
		CHECKF(getxattr(path, "security.capability", NULL, 0) == -1 && errno == ENODATA,
		       "getxattr(%.150s): %s; after %s", path, strerror(errno), did);
}

/* What the kernel itself says leads to what may be learned, as with a client. */
static void learn_something(void)
{
	char path[512], target[PATH_MAX];
	struct stat st;

	random_path(path, false);
	if (lstat(path, &st) == -1) {
		if (errno == ENOENT)
			learn(path);
		return;
	}
	if (access(path, R_OK) == 0)
		learn_present(path, QUESTION_ACCESS, R_OK);
	if (access(path, X_OK) == 0)
		learn_present(path, QUESTION_ACCESS, X_OK);
	if (realpath(path, target))
		learn_present(path, QUESTION_PATH, 0);
	if (readlink(path, target, sizeof target) == -1 && errno == EINVAL)
		learn_present(path, QUESTION_LINK, 0);
	if (getxattr(path, "security.capability", NULL, 0) == -1 && errno == ENODATA)
		learn_present(path, QUESTION_XATTR, 1);
}

static void check_all(void)
{
	char path[512];

	for (int i = 0; i < 6; i++) {
		random_path(path, false);
		check_absent(path);
		check_present(path);
	}
}

/* Every answer has what it is made of. */
static void check_invariants(void)
{
	const struct authority *a = now->authority;

	CHECK(!(segment_seq(now->segment) & 1));
	for (uint32_t i = 1; i <= a->places_used; i++) {
		const struct place *p = &a->places[i];
		const struct record *r = place_record(a, i);

		CHECK(r->place == i);
		if (p->kind == PLACE_NONE) {
			CHECKF(!r->filter && !r->access_ok && !r->xattr_absent && !r->canonical,
			       "a dead place has facts: %s", (const char *)r->path);
			continue;
		}
		CHECKF(r->canonical || (r->flags & RECORD_SAME), "%s has no canonical name",
		       (const char *)r->path);
		CHECKF(watch_find(now->authority, p->wd), "%s is not watched",
		       (const char *)r->path);
		CHECK(!p->parent || place_alive(a, p->parent));
		CHECK(!p->in_wd || watch_find(now->authority, p->in_wd));
		if (r->filter) {
			uint32_t target = place_target(a, i);
			const struct watch *w = watch_find(now->authority, a->places[target].wd);

			CHECKF(w && w->filter == r->filter, "the listing of %s is another's",
			       (const char *)r->path);
		}
	}
}

static void run(unsigned seed)
{
	served_absent = served_present = 0;
	srand(seed);
	for (int step = 0; step < STEPS; step++) {
		change();
		check_all(); /* before anybody took note */
		if (rand() % 3 == 0)
			learn_something();
		check_all();
		if (rand() % 2 == 0) {
			CHECK(catch_up());
			learn_something();
			check_all();
			check_invariants();
		}
	}
	CHECKF(served_absent > STEPS / 10, "only %u absences were served", served_absent);
	CHECKF(served_present > STEPS / 50, "only %u presences were served", served_present);
}

TEST_BELLS(no_answer_is_ever_other_than_the_kernels)
{
	run(11);
	session_empty();
	authority_forget(now->authority);
	run((unsigned)getpid());
}
