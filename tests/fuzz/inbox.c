/* runs: 4000 */
/*
 * Whatever lies in the inbox, a broker's round takes each whole post once, counts what it says,
 * acts on none that a client would not have written, changes nothing in the segment but hints, and
 * ends. Posts of clients are not lost.
 *
 * Input, in lines, numbers in hexadecimal: p KIND QUESTION DETAIL KEY COUNT PRICE SERVED TEXT (a
 * client posts), a SLOT KIND QUESTION DETAIL LENGTH COUNT PRICE SERVED TEXT (a whole and announced
 * post, however it is made), s SLOT WORD VALUE, i WORD VALUE (words of a slot, of the inbox), t
 * (the broker's round), w (it looks for slots to free), e (eager or not). The authority is a broken
 * one: it asks the kernel nothing.
 */
#include "fuzz.h"

#include "broker/broker.c"

enum {
	PATTERN = 0x5a,
	PLACE = 1,
	USED = 32 * 1024, /* of the session: what comes behind is never reached */
};

static bool scribbled;
static uint32_t posted; /* losses, modulo 2^32: clients add to 32 bits */

static void fresh(void)
{
	size_t inbox = (sizeof(struct inbox) + 4095) / 4096 * 4096;
	struct segment *s;

	if (!broker.session) {
		broker.session = (struct session *)guarded(SESSION_BYTES);
		broker.inbox = (struct inbox *)(guarded(inbox) + inbox - sizeof(struct inbox));
	}
	memset(broker.session, 0, USED);
	memset(broker.inbox, 0, sizeof *broker.inbox);
	memset(broker.losses, 0, sizeof broker.losses);
	memset(broker.lost_at, 0, sizeof broker.lost_at);
	memset(broker.busy, 0, sizeof broker.busy);
	memset(&broker.programs, 0, sizeof broker.programs);
	broker.programs.session = broker.session;
	broker.programs.preload_ns = 20000;
	broker.programs.attach_ns = 30000;
	broker.programs.lookup_ns = 800;
	s = &broker.session->segment;
	segment_begin(s);
	segment_reset(s, sizeof(struct session), SESSION_BYTES - SEGMENT_SLACK);
	segment_record(s, "/known\0", 6)->place = PLACE;
	segment_end(s);
	MUST(s->used < USED);
	broker.authority.segment = s;
	broker.authority.broken = true;
	broker.authority.eager = false;
	broker.authority.learn_ns = 40000;
	scribbled = false;
	posted = 0;
}

/* ---- the model of a round ---- */

struct model {
	unsigned posts;
	uint64_t losses;
	bool acts; /* on something that a client would have written */
};

/* An absolute path in normal form: what lies between slashes is neither nothing nor a dot. */
static bool is_normal(const char *text)
{
	char copy[POST_TEXT], *rest = copy, *piece;

	strcpy(copy, text);
	piece = strsep(&rest, "/");
	if (*piece || !rest || !*rest)
		return false;
	while ((piece = strsep(&rest, "/")))
		if (!*piece || !strcmp(piece, "."))
			return false;
	return true;
}

static bool may_ask(unsigned question, unsigned detail)
{
	return question == QUESTION_ACCESS
		   ? detail == 0 || detail == 1 || detail == 4 || detail == 5
	       : question == QUESTION_XATTR || question == QUESTION_LXATTR
		   ? detail < 4
		   : !detail && (question == QUESTION_NONE || question == QUESTION_PATH ||
				 question == QUESTION_LINK);
}

static bool is_whole(uint32_t slot)
{
	return broker.inbox->posts[slot].state == 2 &&
	       broker.inbox->news[slot / 64] >> slot % 64 & 1;
}

static struct model foresee(void)
{
	struct model m = {0, 0, false};

	for (uint32_t slot = 0; slot < POST_SLOTS; slot++) {
		const struct post *p = &broker.inbox->posts[slot];
		uint32_t length = p->note.length < POST_TEXT ? p->note.length : POST_TEXT - 1;
		char text[POST_TEXT];

		if (!is_whole(slot))
			continue;
		m.posts++;
		memcpy(text, p->text, length);
		text[length] = 0;
		if (p->note.kind != POST_LOST || strlen(text) != length)
			continue;
		m.losses += p->note.count;
		/* A length that was cut off is not the text's. */
		m.acts |= may_ask(p->note.question, p->note.detail) && is_normal(text);
	}
	return m;
}

/* The posts one by one, from a copy into memory that ends with the text. */
static void check_taking(unsigned posts)
{
	static struct inbox copy;
	char *text = malloc(POST_TEXT);
	uint32_t slot = 0, last;
	struct note n;

	copy = *broker.inbox;
	for (unsigned i = 0; last = slot, inbox_take(&copy, &slot, &n, text); i++) {
		const struct post *from = &broker.inbox->posts[slot - 1];

		MUST(i < posts && slot > last && slot <= POST_SLOTS && is_whole(slot - 1));
		MUST(n.length < POST_TEXT && !text[n.length] &&
		     !memcmp(text, from->text, n.length));
		MUST(n.length == from->note.length || from->note.length >= POST_TEXT);
	}
	free(text);
}

static void check_programs(void)
{
	bool any = false; /* was ever dropped */

	for (uint32_t i = 0; i < SESSION_PROGRAMS; i++) {
		const struct program *there = &broker.session->programs[i];
		const struct record_of_runs *r = &broker.programs.of[i];

		MUST(!(there->flags &
		       ~(uint32_t)(PROGRAM_KNOWN | PROGRAM_CANNOT | PROGRAM_DROP | PROGRAM_EXECS)));
		MUST(there->key || (!there->flags && !r->runs));
		MUST(!there->key || (there->flags & PROGRAM_KNOWN));
		MUST((there->flags & (PROGRAM_DROP | PROGRAM_EXECS)) !=
		     (PROGRAM_DROP | PROGRAM_EXECS));
		MUST(memchr(r->exe, 0, sizeof r->exe));
		any = any || r->drops;
	}
	for (uint32_t i = 0; i < SESSION_DROPPED; i++)
		MUST(any || !broker.session->dropped[i]);
}

static void round_(void)
{
	static char before[USED];
	static struct loss losses[BROKER_LOSSES];
	static struct post posts[POST_SLOTS];
	const size_t hints = offsetof(struct session, programs);
	const size_t end = offsetof(struct session, dropped) + sizeof broker.session->dropped;
	const struct model m = foresee();
	struct haul h;

	memcpy(before, broker.session, USED);
	memcpy(losses, broker.losses, sizeof losses);
	memcpy(posts, broker.inbox->posts, sizeof posts);
	check_taking(m.posts);
	h = read_inbox();
	MUSTF(h.posts == m.posts, "%u posts, must be %u", h.posts, m.posts);
	MUST(h.losses == m.losses && !h.useful);
	MUST(scribbled || (uint32_t)h.losses == posted);
	posted = 0;
	MUST(!memcmp(before, broker.session, hints));
	MUST(!memcmp(before + end, (char *)broker.session + end, USED - end));
	MUST(m.acts || !memcmp(losses, broker.losses, sizeof losses));
	for (uint32_t slot = 0; slot < POST_SLOTS; slot++) {
		struct post *p = &broker.inbox->posts[slot];

		MUST(!is_whole(slot));
		MUST(p->state == posts[slot].state || (p->state == 0 && posts[slot].state == 2));
		MUST(!memcmp((char *)p + 4, (char *)&posts[slot] + 4, sizeof *p - 4));
	}
	check_programs();
}

/* ---- what happens ---- */

static void client_posts(struct input *in)
{
	struct note n = {.kind = (uint8_t)input_hex(in)};
	char text[POST_TEXT];
	uint32_t lost = broker.inbox->lost;

	n.question = (uint8_t)input_hex(in);
	n.detail = (uint8_t)input_hex(in);
	n.key = input_hex(in);
	n.count = (uint32_t)input_hex(in);
	n.price_ns = (uint32_t)input_hex(in);
	n.served = (uint32_t)input_hex(in);
	n.length = (uint16_t)input_until(in, '\n', text, sizeof text);
	/* Clients' keys tell kinds apart; and here it is all losses that are counted. */
	scribbled = scribbled || n.kind != POST_LOST || strlen(text) != n.length;
	inbox_post(broker.inbox, &n, text);
	posted += broker.inbox->lost == lost ? n.count : 0;
}

static void anybody_posts(struct input *in)
{
	uint32_t slot = input_hex(in) % POST_SLOTS;
	struct post *p = &broker.inbox->posts[slot];
	char text[POST_TEXT + 1];
	size_t n;

	memset(p->text, PATTERN, sizeof p->text);
	p->note = (struct note){.kind = (uint8_t)input_hex(in)};
	p->note.question = (uint8_t)input_hex(in);
	p->note.detail = (uint8_t)input_hex(in);
	p->note.length = (uint16_t)input_hex(in);
	p->note.count = (uint32_t)input_hex(in);
	p->note.price_ns = (uint32_t)input_hex(in);
	p->note.served = (uint32_t)input_hex(in);
	n = input_until(in, '\n', text, sizeof text);
	memcpy(p->text, text, n);
	p->state = 2;
	broker.inbox->news[slot / 64] |= UINT64_C(1) << slot % 64;
	scribbled = true;
}

static void scribble(struct input *in, void *from, size_t bytes)
{
	uint64_t word = input_hex(in) % (bytes / 8), value = input_hex(in);

	memcpy((char *)from + 8 * word, &value, 8);
	scribbled = true;
}

static void sweep_(void)
{
	uint32_t states[POST_SLOTS];
	uint64_t busy[POST_SLOTS / 64];

	memcpy(busy, broker.busy, sizeof busy);
	for (uint32_t i = 0; i < POST_SLOTS; i++)
		states[i] = broker.inbox->posts[i].state;
	inbox_sweep(broker.inbox, broker.busy);
	for (uint32_t i = 0; i < POST_SLOTS; i++) {
		bool was = busy[i / 64] >> i % 64 & 1, is = broker.busy[i / 64] >> i % 64 & 1;

		/* Freed are those that were busy the last time too. */
		MUST(broker.inbox->posts[i].state == (was ? 0 : states[i]));
		MUST(is == (states[i] && !was));
		scribbled = scribbled || (was && states[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, data + size};
	char rest[2];

	fresh();
	while (input_left(&in)) {
		char line = (char)input_byte(&in);

		if (line == '\n')
			continue;
		if (line == 't' || line == 'w' || line == 'e') {
			if (line == 't')
				round_();
			else if (line == 'w')
				sweep_();
			else
				broker.authority.eager = !broker.authority.eager;
			input_until(&in, '\n', rest, sizeof rest);
			continue;
		}
		input_space(&in);
		if (line == 'p')
			client_posts(&in);
		else if (line == 'a')
			anybody_posts(&in);
		else if (line == 's')
			scribble(&in, &broker.inbox->posts[input_hex(&in) % POST_SLOTS],
				 sizeof(struct post));
		else if (line == 'i')
			scribble(&in, broker.inbox, sizeof *broker.inbox);
		else
			input_until(&in, '\n', rest, sizeof rest);
	}
	round_();
	return 0;
}
