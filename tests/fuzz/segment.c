/* runs: 25000 */
/*
 * What a client reads in a segment. Of one that a writer made, it says what a model of its
 * directories says; of hostile bytes, only what these bytes contain, in few steps, and nothing
 * beyond the segment is read.
 *
 * Input, in lines: d PATH (a listed directory), n NAME (in the last one), r PATH (refused), p FLAGS
 * PATH (a file of which all is known: access_ok, xattr_absent and flags as hexadecimal digits), c
 * NAME (the canonical name of the last path; none: its own), w OFFSET VALUE (a hostile word), f
 * PLACE VALUE (a hostile word of the record, filter, text or slot that was made last), h PATH (a
 * slot with its hash that leads to the last path's record), b BYTES (all that follows, as the
 * segment itself), ? QUESTION DETAIL PATH.
 */
#include "fuzz.h"

#include "base/atomic.h"

/* Every load of the reader and the client is looked at. */
static void look_at(const volatile void *p, size_t bytes);
#undef load_relaxed
#define load_relaxed(p)                                                                            \
	({                                                                                         \
		__typeof__(&*(p)) at_ = (p);                                                       \
		look_at(at_, sizeof *at_);                                                         \
		__atomic_load_n(at_, __ATOMIC_RELAXED);                                            \
	})

/* A segment of a sixty-fourth of the size has so many slots less. */
#include "cache/layout.h"
#define SEGMENT_SLOTS_MAX (1 << 11)

#include "preload/client.c"

#include "cache/writer.h"

enum {
	LIMIT = 16 * 1024,
	WHOLE = LIMIT + SEGMENT_SLACK,
	RESERVED = 128, /* the header */
	NAMES = 64,
	KNOWN = 48,
	ASKED = 16,
	TEXT = 4096,
};

static struct segment *s;
static uint64_t steps;

static void look_at(const volatile void *p, size_t bytes)
{
	const char *at = (const char *)p, *first = (const char *)s;

	steps++;
	MUSTF(at < first - 4096 || at >= first + WHOLE + 4096 ||
		  (at >= first && at + bytes <= first + WHOLE),
	      "reads %zu bytes at %td of %d", bytes, at - first, WHOLE);
	MUST((uintptr_t)at % bytes == 0);
}

/* What client.c would call on to; nothing here comes there. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-parameter"
struct scope scope;
void *next_found[NEXT_COUNT];
#define NEVER                                                                                      \
	{                                                                                          \
		abort();                                                                           \
	}
void *next_resolve(enum next which) NEVER void scope_spread(void) NEVER
    bool scope_catch_up(void) NEVER bool session_attach(void) NEVER
    bool session_attach_to_exec(void) NEVER
    void session_teach(const struct path *p, unsigned question, unsigned detail, uint32_t weight,
		       bool refused) NEVER bool ledger_samples(void) NEVER
    void ledger_price(uint64_t ns) NEVER
    void ledger_loss(const struct path *p, unsigned question, unsigned detail) NEVER
    void report_begin_child(void) NEVER void profile_note(enum fastpath_call family) NEVER
    bool verify_agrees(struct lookup *q, enum verdict verdict) NEVER
    bool scope_is_borrowing(void) NEVER bool memory_goes_on(const char *page) NEVER
#pragma clang diagnostic pop

    /* ---- what a writer put in ---- */

    struct known {
	char path[256], canonical[256];
	bool refused, listed, positive;
	uint8_t access_ok, xattr_absent, flags;
	char names[NAMES][64];
	uint32_t names_used;
	struct record *record;
};

static struct known known[KNOWN];
static uint32_t known_used;
static bool hostile; /* something was written that no writer writes */

/* The model's, in normal form, made when new. NULL: no more. */
static struct known *know(const char *spelled)
{
	static struct path p;
	char *text = aligned_alloc(PATH_PAGE, PATH_PAGE);
	struct known *k = NULL;
	struct record *r;

	snprintf(text, sizeof k->path, "%s", spelled);
	if (path_parse(&p, text) == PATH_ABSOLUTE) {
		for (uint32_t i = 0; i < known_used; i++)
			if (strlen(known[i].path) == p.length &&
			    !memcmp(known[i].path, p.text, p.length))
				k = &known[i];
		r = k ? NULL : segment_record(s, p.text, p.length);
		if (r && known_used < KNOWN) {
			k = &known[known_used++];
			*k = (struct known){.record = r};
			memcpy(k->path, p.text, p.length);
		}
	}
	free(text);
	if (k) {
		MUST(record_is(k->record, k->path, (uint32_t)strlen(k->path)));
		k->record->name_max = 255;
	}
	return k;
}

static struct known *list(struct known *k)
{
	uint32_t filter = k && !k->listed ? segment_filter(s, 4) : 0;

	if (filter) {
		store_relaxed(&k->record->filter, filter);
		k->listed = true;
	}
	return k;
}

static void name(struct known *k, const char *text)
{
	if (!k || !k->listed || k->names_used == NAMES || !*text ||
	    strlen(text) >= sizeof k->names[0] || strchr(text, '/'))
		return;
	strcpy(k->names[k->names_used++], text);
	filter_add(s, k->record->filter, hash_name(text, strlen(text)));
}

static void canonical(struct known *k, const char *text)
{
	uint32_t at;

	if (!k || strlen(text) >= sizeof k->canonical)
		return;
	if (!*text) {
		k->record->flags |= RECORD_SAME;
		strcpy(k->canonical, k->path);
	} else if (!(k->record->flags & RECORD_SAME) &&
		   (at = segment_text(s, 0, text, (uint32_t)strlen(text)))) {
		k->record->canonical = at;
		strcpy(k->canonical, text);
	}
}

static void positive(struct known *k, uint64_t what)
{
	if (!k)
		return;
	k->positive = true;
	k->access_ok = k->record->access_ok = what >> 12 & 0xf;
	k->xattr_absent = k->record->xattr_absent = what >> 4 & 0xff;
	k->flags |= (uint8_t)(RECORD_POSITIVE | (what & RECORD_NOT_LINK));
	k->record->flags = (uint8_t)(k->record->flags | k->flags);
	s->positives = 1;
}

/* ---- the model of a well-made segment ---- */

static struct known *find(const char *path, size_t length)
{
	for (uint32_t i = 0; i < known_used; i++)
		if (strlen(known[i].path) == length && !memcmp(known[i].path, path, length))
			return &known[i];
	return NULL;
}

static bool has(const struct known *k, const char *component, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (component[i] & 0x80)
			return true;
	for (uint32_t i = 0; i < k->names_used; i++) {
		const char *there = k->names[i];
		bool same = strlen(there) == n;

		for (size_t c = 0; there[c]; c++) {
			if (there[c] & 0x80)
				return true;
			same = same && (there[c] | 0x20) == (component[c] | 0x20);
		}
		if (same)
			return true;
	}
	return false;
}

/* FOUND_ABSENT: or what `otherwise` says, since filters are not exact. */
static enum found model(const struct path *p, enum found *otherwise)
{
	size_t prefix = p->directory, end = p->length, n;
	const struct known *k;

	*otherwise = FOUND_ABSENT;
	if (!end)
		return FOUND_PERHAPS;
	for (;; end = prefix,
		prefix = (size_t)((const char *)memrchr(p->text, '/', prefix) - p->text)) {
		k = find(p->text, prefix);
		if (k && k->refused)
			return FOUND_REFUSED;
		if (k && k->listed)
			break;
		if (!prefix)
			return FOUND_UNKNOWN;
	}
	n = end - prefix - 1;
	if (n > 255 || (n == 2 && !memcmp(p->text + prefix, "/..", 3)))
		return FOUND_PERHAPS;
	*otherwise = prefix == p->directory ? FOUND_PERHAPS : FOUND_UNKNOWN;
	return has(k, p->text + prefix + 1, n) ? *otherwise : FOUND_ABSENT;
}

static bool model_holds(const struct known *k, const struct lookup *q)
{
	switch ((enum question)q->question) {
	case QUESTION_ACCESS:
		return (k->access_ok & ACCESS_EXISTS) && !(q->detail & ~k->access_ok);
	case QUESTION_PATH:
		return *k->canonical || (k->record->flags & RECORD_SAME);
	case QUESTION_LINK:
		return k->flags & RECORD_NOT_LINK;
	default:
		return k->xattr_absent &
		       1U << (q->detail + (q->question == QUESTION_LXATTR ? XATTR_NAMES : 0));
	}
}

static void check_well_made(struct lookup *q, enum verdict verdict, enum found found)
{
	const struct known *k = find(q->path.text, q->path.length);
	bool asks = q->question && s->positives && !q->path.trailing;
	enum found otherwise, want = model(&q->path, &otherwise);

	if (asks && k && k->positive && model_holds(k, q)) {
		MUSTF(verdict == KNOWN_PRESENT, "'%s' is not known to be there", k->path);
		MUST(!q->canonical || !strcmp(q->canonical, k->canonical));
		return;
	}
	MUST(verdict != KNOWN_PRESENT);
	if (q->canonical && want == FOUND_ABSENT && verdict == ASK_KERNEL)
		return; /* a canonical name that is not known, or too long */
	MUSTF((verdict == KNOWN_ABSENT ? FOUND_ABSENT : found) == want ||
		  (want == FOUND_ABSENT && found == otherwise),
	      "'%.*s': %d, must be %d or %d", (int)q->path.length, q->path.text, found, want,
	      otherwise);
}

/* ---- what hostile bytes contain: every record that any slot leads to ---- */

/* Bytes of the segment, by offset: false where there are none. */
static bool get(uint64_t at, void *out, size_t n)
{
	if (at > WHOLE || n > WHOLE - at)
		return false;
	memcpy(out, (const char *)s + at, n);
	return true;
}

struct witness {
	uint64_t at;
	struct record record; /* without its path */
};

/* The next record of that path, from slot *i on. */
static bool next_record(const char *text, size_t length, uint64_t *i, struct witness *w)
{
	char path[TEXT];

	/* Offsets have 32 bits: with a mask that is none, any word can be a slot. */
	bool any = s->index_mask >= SEGMENT_SLOTS_MAX;

	for (; any ? *i < LIMIT / 8 : *i <= s->index_mask; ++*i) {
		uint32_t at = (any ? 0 : s->index) + 8 * (uint32_t)*i;
		uint64_t slot;

		if (at >= LIMIT || !get(at & ~7U, &slot, 8) || !slot)
			continue;
		w->at = (uint32_t)slot & ~7U;
		if ((uint32_t)slot < LIMIT && get(w->at, &w->record, sizeof w->record) &&
		    w->record.length == length && get(w->at + sizeof w->record, path, length) &&
		    !memcmp(path, text, length)) {
			++*i;
			return true;
		}
	}
	return false;
}

/* Do its bytes say that the component is not in this directory? */
static bool denies(const struct witness *w, const char *component, size_t n)
{
	uint64_t hash = hash_name(component, n), bits = 0, word;
	uint32_t filter = w->record.filter, words;

	if (!filter || filter >= LIMIT || !get(filter & ~7U, &words, 4) || !words || !hash)
		return false;
	for (int i = 0; i < 4; i++)
		bits |= UINT64_C(1) << (hash >> (6 * i)) % 64;
	filter += 8 + 8 * (uint32_t)((hash >> 32) * words / (UINT64_C(1) << 32));
	return filter < LIMIT && get(filter & ~7U, &word, 8) && (word & bits) != bits;
}

static bool told(const struct lookup *q, const struct witness *w)
{
	const struct record *r = &w->record;
	unsigned shift = q->question == QUESTION_LXATTR ? XATTR_NAMES : 0;

	if (!(r->flags & RECORD_POSITIVE))
		return false;
	switch ((enum question)q->question) {
	case QUESTION_ACCESS:
		return (r->access_ok & ACCESS_EXISTS) && !(q->detail & ~r->access_ok);
	case QUESTION_LINK:
		return r->flags & RECORD_NOT_LINK;
	case QUESTION_PATH:
		return true;
	default:
		return r->xattr_absent & 1U << (q->detail + shift);
	}
}

/* Is this the beginning of what was written to q->canonical? Its length, or -1. */
static int names(const struct lookup *q, const struct witness *w)
{
	uint64_t at = w->at + sizeof w->record;
	uint32_t n = w->record.length, text = w->record.canonical;
	char bytes[CANONICAL_BYTES];

	if (!(w->record.flags & RECORD_SAME)) {
		if (!text || text >= LIMIT || !get(text & ~7U, &n, 4))
			return -1;
		at = (text & ~7U) + sizeof(struct text);
	}
	return n < CANONICAL_BYTES && get(at, bytes, n) && !memcmp(bytes, q->canonical, n) ? (int)n
											   : -1;
}

static bool present_is_told(const struct lookup *q)
{
	struct witness w;

	for (uint64_t i = 0; next_record(q->path.text, q->path.length, &i, &w);)
		if (told(q, &w) && (!q->canonical || names(q, &w) == (int)q->canonical_length))
			return true;
	return false;
}

/* Is some prefix listed without its next component, or refused? */
static bool is_told(const struct lookup *q, bool refused)
{
	const char *text = q->path.text, *end = text + q->path.length, *next;
	struct witness w;

	for (const char *at = text; at < end; at = next) {
		next = memchr(at + 1, '/', (size_t)(end - at - 1));
		next = next ? next : end;
		for (uint64_t i = 0; next_record(text, (size_t)(at - text), &i, &w);) {
			int n = q->canonical && !refused ? names(q, &w) : 0;

			if (refused
				? w.record.flags & RECORD_REFUSED
				: denies(&w, at + 1, (size_t)(next - at - 1)) && n >= 0 &&
				      (!q->canonical ||
				       (q->canonical_length == (size_t)n + (size_t)(next - at) &&
					!memcmp(q->canonical + n, at, (size_t)(next - at)))))
				return true;
		}
	}
	return false;
}

static void check_hostile(const struct lookup *q, enum verdict verdict, enum found found)
{
	if (verdict == KNOWN_PRESENT)
		MUSTF(present_is_told(q), "nothing says that '%.*s' is there", (int)q->path.length,
		      q->path.text);
	else if (verdict == KNOWN_ABSENT)
		MUSTF(is_told(q, false), "nothing says that '%.*s' is absent", (int)q->path.length,
		      q->path.text);
	else if (found == FOUND_REFUSED)
		MUSTF(is_told(q, true), "nothing refuses '%.*s'", (int)q->path.length,
		      q->path.text);
}

/* ---- questions ---- */

static void ask(unsigned question, unsigned detail, const char *text)
{
	static struct lookup q;
	static char *page;
	size_t n = strlen(text), components = 2;
	enum verdict verdict;
	enum found found;

	if (!page)
		page = guarded(PATH_PAGE);
	memcpy(page + PATH_PAGE - n - 1, text, n + 1);
	memset(&q, 0xa5, sizeof q);
	q.question = (uint8_t)(question % 6);
	q.detail = (uint8_t)(detail % (q.question == QUESTION_ACCESS ? 8 : XATTR_NAMES));
	if (path_parse(&q.path, page + PATH_PAGE - n - 1) != PATH_ABSOLUTE)
		return;
	q.canonical = q.question == QUESTION_PATH ? malloc(CANONICAL_BYTES) : NULL;
	for (uint32_t i = 0; i < q.path.length; i++)
		components += q.path.text[i] == '/';
	steps = 0;
	verdict = look(s, &q, &found);
	/* Of each prefix, as many slots as there may be, and of each as many words as a path has.
	 */
	MUSTF(steps <= components * (16 + (uint64_t)SEGMENT_SLOTS_MAX * (4 + n / 8)) +
			   3 * CANONICAL_BYTES,
	      "%llu steps", (unsigned long long)steps);
	if (q.canonical && verdict != ASK_KERNEL)
		MUST(q.canonical_length < CANONICAL_BYTES && !q.canonical[q.canonical_length]);
	if (!hostile)
		check_well_made(&q, verdict, found);
	check_hostile(&q, verdict, found);
	free(q.canonical);
}

/* A word that a writer made last: of the record, its filter, its text, or the slot that leads to
 * it. */
static void falsify(const struct known *k, unsigned place, uint64_t value)
{
	const struct record *r = k->record;
	uint32_t at = (uint32_t)((const char *)r - (const char *)s);
	const uint32_t objects[] = {at, r->filter, r->canonical};

	if (place < 12) {
		at = objects[place % 3] + 8 * (place / 3);
		memcpy((char *)s + at, &value, 8);
		return;
	}
	for (uint32_t i = 0; i <= s->index_mask; i++) {
		uint64_t *slot = (uint64_t *)((char *)s + s->index + (size_t)8 * i);

		if ((uint32_t)*slot == at)
			*slot = place == 12 ? (*slot >> 32 << 32) | (uint32_t)value : value;
	}
}

/* As if both paths had one hash. */
static void collide(const struct known *k, const char *text)
{
	uint64_t hash = hash_string(text, strlen(text));
	uint32_t mask = s->index_mask, at = (uint32_t)((const char *)k->record - (const char *)s);
	uint64_t *slots = (uint64_t *)((char *)s + s->index);

	for (uint32_t i = 0; i <= mask; i++) {
		uint64_t *slot = &slots[((uint32_t)hash + i) & mask];

		if (*slot)
			continue;
		*slot = (hash >> 32 << 32) | at;
		return;
	}
}

static void fresh(void)
{
	if (!s)
		s = (struct segment *)guarded(WHOLE);
	memset(s, 0, WHOLE);
	memset(known, 0, sizeof known);
	known_used = 0;
	hostile = false;
	segment_begin(s);
	segment_reset(s, RESERVED, LIMIT);
	segment_end(s);
}

/* Two things whoever maps a segment has checked: how large it is, and where the bells are (none
 * here). */
static void repair(void)
{
	hostile = true;
	s->limit = LIMIT;
}

static void scribble(struct input *in, char what)
{
	uint64_t at, value;

	if (what == 'b') {
		size_t n = (size_t)(in->end - in->at) < WHOLE ? (size_t)(in->end - in->at) : WHOLE;

		/* The questions come first: they are asked again at the end. */
		memcpy(s, in->at, n);
		in->at = in->end;
	} else if (what == 'h') {
		char text[256];

		input_until(in, '\n', text, sizeof text);
		if (known_used && !hostile)
			collide(&known[known_used - 1], text);
	} else {
		at = input_hex(in);
		value = input_hex(in);
		if (what == 'f' && known_used && !hostile)
			falsify(&known[known_used - 1], (unsigned)at % 16, value);
		else if (what == 'w')
			memcpy((char *)s + at % (WHOLE / 8) * 8, &value, 8);
	}
	repair();
}

/* A line of a writer's. */
static void put_in(char line, struct input *in)
{
	static struct known *last;
	uint64_t what = line == 'p' ? input_hex(in) : 0;
	char text[256];

	if (!known_used)
		last = NULL;
	input_until(in, '\n', text, sizeof text);
	switch (line) {
	case 'd':
		last = list(know(text));
		break;
	case 'p':
		positive(last = know(text), what);
		break;
	case 'r':
		last = know(text);
		if (last) {
			last->refused = true;
			last->record->flags |= RECORD_REFUSED;
		}
		break;
	case 'n':
		name(last, text);
		break;
	default:
		canonical(last, text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct {
		unsigned question, detail;
		char text[TEXT];
	} asked[ASKED];
	struct input in = {data, data + size};
	unsigned questions = 0;
	char none[2];

	fresh();
	while (input_left(&in)) {
		char line = (char)input_byte(&in);

		if (line == '\n')
			continue;
		input_space(&in);
		if (line == '?' && questions < ASKED) {
			asked[questions].question = (unsigned)input_hex(&in);
			asked[questions].detail = (unsigned)input_hex(&in);
			if (input_until(&in, '\n', asked[questions].text, TEXT))
				questions++;
		} else if (memchr("bwfh", line, 4)) {
			scribble(&in, line);
		} else if (memchr("dprnc", line, 5) &&
			   !hostile) { /* a writer believes its segment */
			put_in(line, &in);
		} else {
			input_until(&in, '\n', none, sizeof none);
		}
	}
	for (unsigned i = 0; i < questions; i++)
		ask(asked[i].question, asked[i].detail, asked[i].text);
	return 0;
}
