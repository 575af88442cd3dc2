/* runs: 12000 */
/*
 * Events of inotify end exactly the facts that a model of the tables in README says they end, and
 * what was listed never denies a name that came. Events come as the kernel writes them, in packets
 * of whole ones, with any name.
 *
 * Input, in lines, numbers in hexadecimal: D PARENT WD NAME (a directory that is known, below one
 * that is), F PARENT WD NAME (a file), L PARENT WD TARGET NAME (a symlink to an earlier place), l
 * WD (its directory is listed), e WD MASK PAD NAME (an event; WD 0: of a watch that is none), t
 * (they are taken note of; so they are before every other line). A place of number 0, the root, is
 * there from the beginning: its watch is 1.
 */
#include "fuzz.h"

#include "authority/authority.h"
#include "authority/place.h"
#include "authority/watch.h"
#include "cache/reader.h"
#include "cache/writer.h"

#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	MOST = 24, /* places, and watches */
	NAME = 48,
	NAMES = 40,
	TEXT = 512,
	PACKET = EVENT_BYTES - 8 - 320, /* a larger one may be one of several */
	OUTGROWN = 24,                  /* new names after which a listing may be given up */
};

/* The model: a place and a watch by number. */
struct fact {
	char path[TEXT], name[NAME];
	uint32_t place;                /* the authority's number */
	int parent, target, wd, in_wd; /* -1: none */
	enum place_kind kind;
	bool alive;
};

struct inode {
	bool listed, unsure;
	char names[NAMES][NAME];
	unsigned names_used, came;
	uint32_t filter;
};

static struct fact facts[MOST];
static struct inode inodes[MOST + 1]; /* by watch descriptor; 0 unused */
static unsigned facts_used;
static union {
	struct segment segment;
	char bytes[256 * 1024];
} memory;
static struct authority a;
static int queue = -1; /* what we write is what the authority reads */
static bool queued;
static char packet[PACKET];
static size_t packet_used;

static void socket_make(void)
{
	int pair[2], silent[2], bytes = 1 << 20;
	struct epoll_event e = {.events = EPOLLIN, .data.u32 = EPOLLIN};

	/* Packets are read whole, one a read, as inotify's events are. */
	MUST(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair) && !pipe(silent));
	MUST(!setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes));
	queue = pair[0];
	a.bell.inotify_fd = pair[1];
	a.bell.mounts_fd = silent[0];
	a.bell.epoll_fd = epoll_create1(0);
	MUST(!epoll_ctl(a.bell.epoll_fd, EPOLL_CTL_ADD, pair[1], &e));
}

static int fact_add(int parent, int wd, int target, enum place_kind kind, const char *name);

/* As watch_add() would: an entry for each, and a slot that leads to it. */
static void watch_make(int wd)
{
	a.watches[wd - 1] = (struct watch){.wd = wd};
	a.watch_index[wd] = (uint16_t)wd;
	a.unused_watches++;
	inodes[wd] = (struct inode){.listed = false};
}

static void fresh(void)
{
	struct bell bell;

	if (queue < 0)
		socket_make();
	bell = a.bell;
	memset(&a, 0, sizeof a);
	memset(&memory, 0, sizeof memory);
	memset(inodes, 0, sizeof inodes);
	facts_used = 0;
	a.bell = bell;
	a.bell.kind = BELL_EPOLL;
	a.segment = &memory.segment;
	a.eager = true;
	a.learn_ns = 40000;
	segment_begin(a.segment);
	segment_reset(a.segment, sizeof memory.segment, sizeof memory - SEGMENT_SLACK);
	segment_end(a.segment);
	a.watches_used = a.free_watch = MOST;
	fact_add(-1, 1, -1, PLACE_DIRECTORY, "");
}

/* ---- what is known at first ---- */

static int resolve(int fact)
{
	while (fact >= 0 && facts[fact].kind == PLACE_LINK)
		fact = facts[fact].target;
	return fact;
}

static int fact_add(int parent, int wd, int target, enum place_kind kind, const char *name)
{
	struct fact *f = &facts[facts_used];
	int in = resolve(parent);
	struct place *p;

	if (facts_used == MOST || (target >= 0 && !facts[target].alive) ||
	    (parent >= 0 && (!*name || !strcmp(name, ".") || strchr(name, '/') ||
			     facts[in].kind != PLACE_DIRECTORY || !facts[in].alive)))
		return -1;
	*f = (struct fact){.parent = parent,
			   .target = target,
			   .wd = wd,
			   .in_wd = in < 0 ? 0 : facts[in].wd,
			   .kind = kind,
			   .alive = true};
	if (parent >= 0) {
		if (!facts[parent].alive || strlen(facts[parent].path) + NAME + 16 > TEXT)
			return -1;
		sprintf(f->path, "%s/%s", facts[parent].path, name);
		strcpy(f->name, name);
	}
	if (place_find(&a, f->path, (uint32_t)strlen(f->path)) ||
	    !(f->place = place_of(&a, f->path, (uint32_t)strlen(f->path))))
		return -1;
	if (!watch_find(&a, wd))
		watch_make(wd);
	p = &a.places[f->place];
	p->kind = (uint8_t)kind;
	p->parent = parent < 0 ? 0 : facts[parent].place;
	p->via = target < 0 ? 0 : facts[target].place;
	p->wd = wd;
	p->in_wd = f->in_wd;
	p->name = parent < 0 ? 0 : event_name(name, strlen(name));
	watch_use(&a, wd);
	watch_use_named(&a, f->in_wd);
	place_record(&a, f->place)->access_ok = ACCESS_EXISTS;
	place_record(&a, f->place)->name_max = 255;
	place_record(&a, f->place)->filter =
	    kind == PLACE_DIRECTORY && inodes[wd].listed ? inodes[wd].filter : 0;
	return (int)facts_used++;
}

static void list(int wd)
{
	struct watch *w = watch_find(&a, wd);

	if (!w || w->filter || inodes[wd].listed || inodes[wd].unsure)
		return;
	w->filter = inodes[wd].filter = segment_filter(a.segment, 16);
	inodes[wd].listed = true;
	for (unsigned i = 0; i < facts_used; i++)
		if (facts[i].alive && facts[i].wd == wd && facts[i].kind == PLACE_DIRECTORY)
			place_record(&a, facts[i].place)->filter = w->filter;
}

/* ---- the model ---- */

static bool foldable(const char *name)
{
	for (; *name; name++)
		if (*name & 0x80)
			return false;
	return true;
}

static bool same_name(const char *x, const char *y)
{
	if (!foldable(x) || !foldable(y))
		return true; /* it may be any other */
	for (; *x && *y; x++, y++)
		if ((*x | 0x20) != (*y | 0x20))
			return false;
	return *x == *y;
}

static void model_dependents(void)
{
	for (bool more = true; more;) {
		more = false;
		for (unsigned i = 0; i < facts_used; i++) {
			struct fact *f = &facts[i];
			bool rests = (f->parent < 0 || facts[f->parent].alive) &&
				     (f->target < 0 || facts[f->target].alive);

			more = more || (f->alive && !rests);
			f->alive = f->alive && rests;
		}
	}
}

static void model_unlist(int wd)
{
	inodes[wd].listed = false;
}

static void model_name(struct inode *n, const char *name)
{
	n->came++;
	n->unsure = n->unsure || n->came > OUTGROWN || n->names_used == NAMES;
	if (n->names_used < NAMES)
		strcpy(n->names[n->names_used++], name);
}

static void model_event(int wd, uint32_t mask, const char *name)
{
	bool known = wd > 0 && wd <= MOST && watch_find(&a, wd); /* as it is before this round */

	if (mask & IN_Q_OVERFLOW) {
		for (unsigned i = 0; i < facts_used; i++)
			facts[i].alive = false;
		for (int i = 1; i <= MOST; i++)
			model_unlist(i);
		return;
	}
	if (!known || inodes[wd].filter == UINT32_MAX)
		return;
	for (unsigned i = 0; i < facts_used; i++) {
		struct fact *f = &facts[i];

		if (*name ? f->in_wd == wd && f->parent >= 0 && same_name(f->name, name)
			  : f->wd == wd && (mask & (IN_MOVE_SELF | IN_DELETE_SELF | IN_ATTRIB |
						    IN_UNMOUNT | IN_IGNORED)))
			f->alive = false;
	}
	model_dependents();
	if (!*name &&
	    (mask & (IN_MOVE_SELF | IN_DELETE_SELF | IN_ATTRIB | IN_UNMOUNT | IN_IGNORED)))
		model_unlist(wd);
	if (!*name && (mask & IN_IGNORED))
		inodes[wd].filter = UINT32_MAX; /* gone */
	if (*name && inodes[wd].listed && (mask & (IN_CREATE | IN_MOVED_TO)))
		model_name(&inodes[wd], name);
}

/* ---- both, side by side ---- */

static enum found ask(const struct fact *f, const char *name)
{
	static char page[PATH_PAGE] __attribute__((aligned(PATH_PAGE)));
	static struct path p;
	const struct record *by;
	uint32_t at;

	snprintf(page, sizeof page, "%s/%s", f->path, name);
	MUST(path_parse(&p, page) == PATH_ABSOLUTE);
	return reader_absent(a.segment, &p, &by, &at);
}

static void check_listing(const struct fact *f)
{
	const struct record *r = place_record(&a, f->place);
	const struct inode *n = &inodes[f->wd];

	MUST(!r->filter || f->alive);
	if (n->unsure || f->kind != PLACE_DIRECTORY)
		return;
	if (f->alive && n->listed) {
		MUST(r->filter && r->filter == n->filter);
		for (unsigned i = 0; i < n->names_used; i++)
			MUSTF(ask(f, n->names[i]) != FOUND_ABSENT, "%s/%s is denied", f->path,
			      n->names[i]);
	}
	/* Without a listing nothing is denied right below it. */
	if (!n->listed && r->filter)
		MUST(ask(f, "a name") != FOUND_ABSENT);
}

static void check(void)
{
	unsigned users[MOST + 1] = {0};

	MUST(!(segment_seq(a.segment) & 1));
	for (unsigned i = 0; i < facts_used; i++) {
		const struct fact *f = &facts[i];
		const struct record *r = place_record(&a, f->place);

		MUSTF(place_alive(&a, f->place) == f->alive, "%s is %s", f->path,
		      f->alive ? "dead" : "alive");
		MUSTF(!r->access_ok == !f->alive, "the facts of %s", f->path);
		check_listing(f);
		if (f->alive) {
			users[f->wd]++;
			users[f->in_wd]++;
		}
	}
	for (int wd = 1; wd <= MOST; wd++) {
		const struct watch *w = watch_find(&a, wd);

		MUST(!w == !users[wd]); /* swept when nobody needs it */
		MUST(!w || w->users == users[wd]);
	}
}

static void send_packet(void)
{
	if (packet_used)
		MUST(write(queue, packet, packet_used) == (ssize_t)packet_used);
	queued = queued || packet_used;
	packet_used = 0;
}

static void event(int wd, uint32_t mask, unsigned pad, const char *name)
{
	size_t n = strlen(name), length = n ? (n / 16 + 1 + pad % 4) * 16 : 0;
	struct inotify_event e = {.wd = wd, .mask = mask, .cookie = pad, .len = (uint32_t)length};

	if (packet_used + sizeof e + length > sizeof packet || strchr(name, '/') ||
	    !strcmp(name, ".") || !strcmp(name, ".."))
		return;
	memcpy(packet + packet_used, &e, sizeof e);
	memset(packet + packet_used + sizeof e, 0, length);
	memcpy(packet + packet_used + sizeof e, name, n);
	packet_used += sizeof e + length;
	model_event(wd, mask, name);
}

static void take_note(void)
{
	send_packet();
	MUST(authority_catch_up(&a, 0));
	MUST(!queued || bell_pending(&a.bell)); /* all was read */
	queued = false;
	check();
}

static int numbers_of(char line)
{
	return line == 'e' || line == 'L'   ? 3
	       : line == 'D' || line == 'F' ? 2
	       : line == 'l'                ? 1
					    : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, data + size};
	char name[NAME];

	fresh();
	while (input_left(&in)) {
		char line = (char)input_byte(&in);
		uint64_t n[3] = {0};

		if (line == '\n')
			continue;
		input_space(&in);
		for (int i = 0; i < numbers_of(line); i++)
			n[i] = input_hex(&in);
		input_until(&in, '\n', name, sizeof name);
		if (line == 't' || (line != 'e' && packet_used))
			take_note(); /* the model applies an event when it comes */
		if (line == 'D' || line == 'F' || line == 'L')
			fact_add((int)(n[0] % facts_used), 1 + (int)(n[1] % MOST),
				 line == 'L' ? (int)(n[2] % facts_used) : -1,
				 line == 'D'   ? PLACE_DIRECTORY
				 : line == 'F' ? PLACE_FILE
					       : PLACE_LINK,
				 name);
		else if (line == 'l')
			list(1 + (int)(n[0] % MOST));
		else if (line == 'e')
			event((int)(n[0] % (MOST + 2)), (uint32_t)n[1], (unsigned)n[2], name);
	}
	take_note();
	return 0;
}
