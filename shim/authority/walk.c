/*
 * walk.c - the chain walk.
 *
 * For each new component: open it (O_PATH, O_NOFOLLOW) relative to its parent's descriptor, watch
 * it through that descriptor, then look the name up again: if it is the same inode, any later
 * rename makes an event; else a rename slipped in between. Components whose places live are not
 * opened at all.
 */
#include "authority/walk.h"

#include "authority/place.h"
#include "authority/refuse.h"
#include "authority/watch.h"
#include "base/bytes.h"
#include "base/path.h"
#include "base/sys.h"
#include "cache/reader.h"
#include "cache/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/stat.h>

bool identity_equal(const struct identity *a, const struct identity *b)
{
	return a->ino == b->ino && a->mount == b->mount && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor;
}

bool identity_of(struct authority *a, struct identity *id, int dir, const char *name)
{
	struct statx *out = &a->found;
	unsigned mask = STATX_TYPE | STATX_MODE | STATX_INO | SYS_STATX_MNT_ID |
			SYS_STATX_MNT_ID_UNIQUE;
	int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (*name ? 0 : AT_EMPTY_PATH);

	if (sys_statx(dir, name, flags, mask, out))
		return false;
	/* Linux < 5.8 has no mount ids. */
	if (!(out->stx_mask & (SYS_STATX_MNT_ID | SYS_STATX_MNT_ID_UNIQUE)))
		return false;
	a->old_mount_ids = !(out->stx_mask & SYS_STATX_MNT_ID_UNIQUE);
	*id = (struct identity){
		.ino = out->stx_ino,
		.mount = out->stx_mnt_id,
		.dev_major = out->stx_dev_major,
		.dev_minor = out->stx_dev_minor,
	};
	return true;
}

int walk_begin(struct walk *w, struct authority *a, bool lists)
{
	*w = (struct walk){.a = a, .fd = -1, .lists = lists};
	w->borrowed = bell_borrow(&a->bell);
	return w->borrowed < 0 ? w->borrowed : 0;
}

static void leave(struct walk *w)
{
	if (w->peeked && w->peek >= 0)
		sys_close(w->peek);
	w->peeked = false;
	if (w->fd >= 0)
		sys_close(w->fd);
	w->fd = -1;
}

void walk_end(struct walk *w)
{
	leave(w);
	watch_stand_back(w->a);
	bell_return(&w->a->bell, w->borrowed);
}

static void move_to(struct walk *w, uint32_t place, int fd)
{
	leave(w);
	w->place = place;
	w->fd = fd;
}

/* An O_PATH descriptor of a name, which need not end where it ends in `text`. */
static int open_name(struct walk *w, int dir, const char *name, uint32_t length)
{
	if (length > PATH_NAME_MAX)
		return -ENAMETOOLONG;
	bytes_copy(w->a->name, name, length);
	w->a->name[length] = 0;
	return (int)sys_openat(dir, w->a->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

bool walk_open(struct walk *w)
{
	const struct record *r = place_record(w->a, w->place);
	uint32_t target = place_target(w->a, w->place);
	struct identity id;

	if (w->fd >= 0)
		return true;
	w->fd = (int)sys_openat(SYS_AT_FDCWD, r->length ? (const char *)r->path : "/",
				O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w->fd < 0)
		return false;
	if (target && identity_of(w->a, &id, w->fd, "") &&
	    identity_equal(&id, &w->a->places[target].id))
		return true;
	leave(w);
	return false;
}

/* A place in the making. */
struct step {
	const char *text; /* the spelled path so far */
	uint32_t length;
	uint32_t whole; /* length of all that will be walked */
	uint32_t in; /* place of the directory that holds it; 0 for "/" */
	int fd;	     /* O_PATH of the component */
	struct identity id;
	const struct mount *mount;
	uint32_t mode;
	enum place_kind kind;
	const char *name;
	uint32_t name_length;
	bool slash; /* a symlink's text ends in "/" or "/.": only a directory will do */
};

/*
 * More events from the watched directory that holds the component, which itself is watched for `mask`.
 * Without its own ATTRIB, the holder's is needed, and MOVED_TO: a directory renamed over an empty one
 * makes no other event while somebody holds the empty one open.
 * A mount hides its mount point, which another mount namespace may rename, mount and all: only the
 * holder is told.
 */
static bool watch_holder(struct walk *w, const struct step *s, uint32_t mask)
{
	uint32_t target = place_target(w->a, s->in);
	uint32_t need = s->kind == PLACE_LINK || (s->kind == PLACE_FILE && s->mount->overlay)
				? WATCH_HOLDER
				: WATCH_THROUGH;
	struct watch *in = target ? watch_find(w->a, w->a->places[target].wd) : NULL;

	if (!(mask & IN_ATTRIB))
		need |= IN_ATTRIB | IN_MOVED_TO;
	if (!in)
		return false;
	if (w->a->places[target].id.mount != s->id.mount)
		need |= IN_MOVED_FROM;
	if ((in->mask & need) == need)
		return true;
	return watch_add(w->a, w->borrowed, w->fd, need) == in->wd;
}

/* The canonical name of a directory or file reached by name: its parent's, and its own. */
static bool name_canonically(struct walk *w, const struct step *s, uint32_t place)
{
	struct authority *a = w->a;
	struct record *r = place_record(a, place);
	const struct record *parent;
	const struct text *t = NULL;
	char *out = a->link[LINK_DEPTH - 1]; /* no walk is that deep when it names */
	const char *base;
	uint32_t n;

	if (!s->in) {
		store_relaxed(&r->flags, r->flags | RECORD_SAME);
		return true;
	}
	/* A symlink's record has its target's canonical name. */
	parent = place_record(a, s->in);
	t = (const struct text *)((char *)a->segment + parent->canonical);
	base = parent->flags & RECORD_SAME ? (const char *)parent->path : t->bytes;
	n = parent->flags & RECORD_SAME ? parent->length : t->length;
	if (s->name_length == 2 && bytes_equal(s->name, "..", 2)) {
		while (n && base[--n] != '/')
			;
		bytes_copy(out, base, n);
	} else if (parent->flags & RECORD_SAME) {
		store_relaxed(&r->flags, r->flags | RECORD_SAME);
		return true;
	} else {
		if (n + 1 + s->name_length > LINK_BYTES)
			return false;
		bytes_copy(out, base, n);
		out[n] = '/';
		bytes_copy(out + n + 1, s->name, s->name_length);
		n += 1 + s->name_length;
	}
	a->places[place].text = segment_text(a->segment, a->places[place].text, out, n);
	store_relaxed(&r->canonical, a->places[place].text);
	return r->canonical;
}

static void adopt_target_name(struct authority *a, uint32_t place, uint32_t target)
{
	struct record *r = place_record(a, place);
	const struct record *t = place_record(a, target);

	if (!(t->flags & RECORD_SAME)) {
		store_relaxed(&r->canonical, t->canonical);
		return;
	}
	a->places[place].text = segment_text(a->segment, a->places[place].text,
					     (const char *)t->path, t->length);
	store_relaxed(&r->canonical, a->places[place].text);
}

/* Within segment_begin() and segment_end(). */
static bool write_down(struct walk *w, const struct step *s, int wd, uint32_t place, uint32_t via)
{
	struct authority *a = w->a;
	struct place *p = &a->places[place];
	uint32_t in = place_target(a, s->in);
	struct record *r = place_record(a, place);

	p->id = s->id;
	p->name = event_name(s->name, s->name_length);
	p->wd = wd;
	p->in_wd = in ? a->places[in].wd : 0;
	p->parent = s->in;
	p->via = via;
	p->kind = (uint8_t)s->kind;
	p->sticky = (s->mode & S_ISVTX) != 0;
	watch_use(a, p->wd);
	watch_use_named(a, p->in_wd);
	store_relaxed(&r->name_max, s->mount->name_max);
	store_relaxed(&r->flags, r->flags & (uint8_t) ~(RECORD_REFUSED | RECORD_SAME));
	if (s->kind == PLACE_LINK) {
		adopt_target_name(a, place, via);
	} else {
		store_relaxed(&r->flags, r->flags | RECORD_NOT_LINK);
		name_canonically(w, s, place);
	}
	if (r->canonical || (r->flags & RECORD_SAME))
		return true;
	place_end(a, place); /* the segment is full, or the name too long */
	return false;
}

/* Makes the place alive: everything it rests on is watched. `via` for symlinks. */
static bool settle(struct walk *w, const struct step *s, int wd, uint32_t place, uint32_t via)
{
	bool good;

	segment_begin(w->a->segment);
	good = write_down(w, s, wd, place, via);
	segment_end(w->a->segment);
	return good;
}

/* The place of an opened component, made when it is new. 0: the segment is full. */
static uint32_t place_opened(struct authority *a, const struct step *s, bool refused)
{
	struct record *r;
	uint32_t place;

	segment_begin(a->segment);
	place = place_of(a, s->text, s->length);
	r = place_record(a, place);
	if (place && refused)
		store_relaxed(&r->flags, r->flags | RECORD_REFUSED);
	segment_end(a->segment);
	return place;
}

/* Opens and judges the component. */
static enum walked step_open(struct walk *w, struct step *s)
{
	struct authority *a = w->a;
	mode_t type;

	if (s->in) {
		if (!w->peeked && !walk_open(w))
			return WALK_RACED;
		s->fd = w->peeked ? w->peek : open_name(w, w->fd, s->name, s->name_length);
		w->peeked = false;
	} else {
		s->fd = (int)sys_openat(SYS_AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	if (s->fd < 0)
		return s->fd == -ENOENT ? WALK_MISSING : WALK_REFUSED;
	if (!identity_of(a, &s->id, s->fd, ""))
		return WALK_REFUSED;
	s->mode = a->found.stx_mode;
	s->mount = refuse_component(a, s->fd, &a->found, s->text, s->length);
	if (!s->mount)
		return WALK_REFUSED;
	type = s->mode & S_IFMT;
	s->kind = type == S_IFDIR ? PLACE_DIRECTORY : type == S_IFLNK ? PLACE_LINK : PLACE_FILE;
	/* fs.protected_symlinks: who may follow it depends on who owns it. */
	if (s->kind == PLACE_LINK && a->places[place_target(a, s->in)].sticky)
		return WALK_REFUSED;
	return WALK_WHOLE;
}

/* NOLINTBEGIN(misc-no-recursion): symlinks within symlinks, at most LINK_DEPTH */
static enum walked follow(struct walk *w, struct step *s, int wd, int depth, uint32_t place);
static enum walked walk_from(struct walk *w, const char *text, uint32_t at, uint32_t length,
			     int depth);

/* Is the directory where the component was looked up its parent, and told of what happens to it? */
static bool is_held_by_name(const struct authority *a, const struct step *s)
{
	uint32_t in = place_target(a, s->in);
	bool up = s->name_length == 2 && s->name[0] == '.' && s->name[1] == '.';

	return in && !up && !s->mount->overlay && a->places[in].id.mount == s->id.mount;
}

/*
 * What to watch a component for. The next one is opened already, to know whether this is a directory
 * to go through or the one to be listed: adding a watch is the dearest step, and one is enough.
 */
static uint32_t watch_mask(struct walk *w, const struct step *s, int *next)
{
	uint32_t n;

	*next = -EINVAL;
	if (s->kind != PLACE_DIRECTORY || s->length == s->whole)
		return WATCH_SELF;
	n = path_component(s->text, s->length + 1, s->whole);
	*next = open_name(w, s->fd, s->text + s->length + 1, n);
	if (*next >= 0)
		return WATCH_SELF | WATCH_THROUGH;
	if (*next != -ENOENT || !w->lists)
		return WATCH_SELF;
	/*
	 * Its own ATTRIB also comes as its holder's child's (but for that of its end: watch_holder()). To
	 * ask for it here makes the kernel walk all cached children of this directory, and it has one for
	 * each name that was missed.
	 */
	if (is_held_by_name(w->a, s))
		return (WATCH_SELF & ~(uint32_t)IN_ATTRIB) | WATCH_LISTED;
	return WATCH_SELF | WATCH_LISTED;
}

/* Watches the opened component, and makes sure that its name still leads there. */
static enum walked step_watch(struct walk *w, const struct step *s, int *wd, int *next)
{
	struct authority *a = w->a;
	uint32_t mask = watch_mask(w, s, next);
	struct identity again;

	if (s->in && !watch_holder(w, s, mask))
		return WALK_REFUSED;
	*wd = watch_add(a, w->borrowed, s->fd, mask);
	if (*wd < 0 || (s->kind == PLACE_DIRECTORY && refuse_by_acl(a, s->mount, s->fd)))
		return WALK_REFUSED;
	if (!s->in)
		return WALK_WHOLE;
	bytes_copy(a->name, s->name, s->name_length);
	a->name[s->name_length] = 0;
	return identity_of(a, &again, w->fd, a->name) && identity_equal(&again, &s->id)
		       ? WALK_WHOLE
		       : WALK_RACED;
}

/* The component of `text` that ends at `length`; the walk stands in the directory that holds it. */
static enum walked step(struct walk *w, const char *text, uint32_t whole, uint32_t length,
			uint32_t name, int depth)
{
	struct authority *a = w->a;
	uint32_t place = place_find(a, text, length);
	struct step s = {
		.text = text,
		.length = length,
		.whole = whole,
		.in = w->place,
		.fd = -1,
		.name = text + name,
		.name_length = length - name,
	};
	enum walked how;
	int wd = 0, next = -EINVAL;

	if (place_alive(a, place)) {
		move_to(w, place, -1);
		return WALK_WHOLE;
	}
	how = step_open(w, &s);
	if (s.fd >= 0 && !(place = place_opened(a, &s, how == WALK_REFUSED)))
		how = WALK_REFUSED;
	if (how == WALK_WHOLE)
		how = step_watch(w, &s, &wd, &next);
	if (how == WALK_WHOLE && s.kind != PLACE_LINK && !settle(w, &s, wd, place, 0))
		how = WALK_REFUSED;
	if (how != WALK_WHOLE) {
		if (s.fd >= 0)
			sys_close(s.fd);
		if (next >= 0)
			sys_close(next);
		return how;
	}
	if (s.kind == PLACE_LINK)
		return follow(w, &s, wd, depth, place);
	move_to(w, place, s.fd);
	w->peeked = next >= 0 || next == -ENOENT;
	w->peek = next;
	return WALK_WHOLE;
}

/* Folds `//`, `/./` and a last `/` out of the n bytes of a symlink's text, in place. */
static uint32_t fold_link(char *text, uint32_t from, uint32_t n)
{
	uint32_t out = from, i = from;

	while (i < n) {
		uint32_t part = path_component(text, i, n);

		if (part && !(part == 1 && text[i] == '.')) {
			text[out++] = '/';
			for (uint32_t k = 0; k < part; k++)
				text[out++] = text[i + k];
		}
		i += part + 1;
	}
	return out;
}

/*
 * Spells the symlink's target in a->link[depth]: its own text when absolute, else after the spelled
 * directory that holds it. The text is moved up by one byte so that folding in place has room.
 */
static uint32_t spell_target(struct walk *w, struct step *s, int depth, uint32_t *from)
{
	char *out = w->a->link[depth];
	const struct record *in = place_record(w->a, s->in);
	uint32_t base = in->length;
	long n;

	if (base + 16 >= LINK_BYTES)
		return 0;
	n = sys_readlinkat(s->fd, "", out + base + 1, LINK_BYTES - base - 9);
	if (n <= 0 || n >= LINK_BYTES - (long)base - 9)
		return 0;
	s->slash = out[base + n] == '/' || (out[base + n] == '.' && out[base + n - 1] == '/');
	if (out[base + 1] == '/') {
		for (long i = 0; i < n; i++)
			out[i] = out[base + 1 + i];
		*from = 0;
		/* The leading slash is an empty component: fold_link() drops it and puts its own. */
		n = fold_link(out, 0, (uint32_t)n);
		return (uint32_t)n;
	}
	bytes_copy(out, in->path, base);
	*from = base;
	out[base] = '/';
	return fold_link(out, base, base + 1 + (uint32_t)n);
}

/* A symlink: its place leads through its target's. */
static enum walked follow(struct walk *w, struct step *s, int wd, int depth, uint32_t place)
{
	struct authority *a = w->a;
	enum walked how = WALK_REFUSED;
	uint32_t from = 0, length, in = w->place;

	if (depth + 1 < LINK_DEPTH) {
		length = spell_target(w, s, depth, &from);
		if (!from)
			move_to(w, 0, -1);
		if (length)
			how = walk_from(w, a->link[depth], from, length, depth + 1);
		else if (!from)
			how = WALK_REFUSED;
	}
	sys_close(s->fd);
	/* Missing: a dangling link is nobody's directory. The holder may have died on the way. */
	if (how == WALK_MISSING)
		how = WALK_REFUSED;
	if (how == WALK_WHOLE && s->slash && place_alive(a, w->place) &&
	    a->places[place_target(a, w->place)].kind != PLACE_DIRECTORY)
		return WALK_REFUSED; /* ENOTDIR: the kernel's to say */
	if (how != WALK_WHOLE || !place_alive(a, w->place) || !place_alive(a, in))
		return how == WALK_WHOLE ? WALK_RACED : how;
	if (!settle(w, s, wd, place, w->place))
		return WALK_REFUSED;
	w->place = place; /* w->fd, if open, is the target's: the same directory */
	return WALK_WHOLE;
}

/* Walks on from w->place (0: from the root) along text[at..length). */
static enum walked walk_from(struct walk *w, const char *text, uint32_t at, uint32_t length,
			     int depth)
{
	enum walked how = WALK_WHOLE;
	uint32_t target;

	if (!w->place)
		how = step(w, text, length, 0, 0, depth);
	while (how == WALK_WHOLE && at < length) {
		uint32_t n = path_component(text, at + 1, length);

		target = place_target(w->a, w->place);
		if (!target || w->a->places[target].kind != PLACE_DIRECTORY)
			return WALK_REFUSED; /* ENOTDIR: the kernel's to say */
		at += 1 + n;
		how = step(w, text, length, at, at - n, depth);
	}
	return how;
}

/* NOLINTEND(misc-no-recursion) */

enum walked walk_path(struct walk *w, const char *text, uint32_t length)
{
	move_to(w, 0, -1);
	return walk_from(w, text, 0, length, 0);
}
