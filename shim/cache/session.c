/*
 * session.c - programs by identity, and the inbox.
 */
#include "cache/session.h"

#include "base/bytes.h"
#include "base/hash.h"

#include <linux/stat.h>

uint64_t program_key(const struct statx *found)
{
	uint64_t h = hash_mix(found->stx_ino, (uint64_t)found->stx_dev_major << 32 | found->stx_dev_minor);

	h = hash_mix(h, (uint64_t)found->stx_ctime.tv_sec << 30 ^ found->stx_ctime.tv_nsec);
	return hash_mix(h, found->stx_size) | 1;
}

uint64_t session_rules(const char *skip, const char *trust)
{
	uint64_t a = skip ? hash_string(skip, bytes_length(skip)) : hash_string("", 0);
	uint64_t b = trust ? hash_string(trust, bytes_length(trust)) : hash_string("", 0);

	/* Processes of another word size may be offered the session too, and hash otherwise. */
	return hash_mix(hash_mix(a, b), sizeof(void *));
}

uint32_t session_program(const struct session *s, uint64_t key)
{
	for (uint32_t i = 0; i < SESSION_PROBES; i++) {
		const struct program *p = &s->programs[(key / 2 + i) & (SESSION_PROGRAMS - 1)];

		if (load_relaxed(&p->key) == key)
			return load_relaxed(&p->flags);
	}
	return 0;
}

bool session_has_room(const struct session *s, uint64_t key)
{
	for (uint32_t i = 0; i < SESSION_PROBES; i++)
		if (!load_relaxed(&s->programs[(key / 2 + i) & (SESSION_PROGRAMS - 1)].key))
			return true;
	return false;
}

static uint32_t path_hash(const char *path, size_t length)
{
	return (uint32_t)(hash_string(path, (uint32_t)length) >> 32) | 1;
}

bool session_drops(const struct session *s, const char *path, uint32_t length)
{
	uint32_t hash = path_hash(path, length);

	return load_relaxed(&s->dropped[hash / 2 % SESSION_DROPPED]) == hash;
}

void session_note_dropped(struct session *s, const char *path, bool dropped)
{
	uint32_t hash = path_hash(path, bytes_length(path)), *at = &s->dropped[hash / 2 % SESSION_DROPPED];

	if (dropped || load_relaxed(at) == hash)
		store_relaxed(at, dropped ? hash : 0);
}

/* The words of a note, each for itself: the other side may be at it too. */
static void note_copy(struct note *to, const struct note *from)
{
	store_relaxed(&to->key, load_relaxed(&from->key));
	store_relaxed(&to->count, load_relaxed(&from->count));
	store_relaxed(&to->price_ns, load_relaxed(&from->price_ns));
	store_relaxed(&to->served, load_relaxed(&from->served));
	store_relaxed(&to->length, load_relaxed(&from->length));
	store_relaxed(&to->kind, load_relaxed(&from->kind));
	store_relaxed(&to->question, load_relaxed(&from->question));
	store_relaxed(&to->detail, load_relaxed(&from->detail));
	store_relaxed(&to->execs, load_relaxed(&from->execs));
}

/* NOLINTNEXTLINE(readability-non-const-parameter): it is written to */
static void text_copy(char *to, const char *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		store_relaxed(&to[i], load_relaxed(&from[i]));
}

static void announce(struct inbox *in, uint32_t slot)
{
	uint64_t bit = UINT64_C(1) << slot % 64, *news = &in->news[slot / 64];

	if (!(load_relaxed(news) & bit))
		__atomic_fetch_or(news, bit, __ATOMIC_RELEASE); /* pairs with inbox_take()'s fetch_and */
}

void inbox_post(struct inbox *in, const struct note *n, const char *text)
{
	for (uint32_t i = 0; i < POST_PROBES; i++) {
		uint32_t slot = (uint32_t)((n->key >> 8) + i) % POST_SLOTS;
		struct post *p = &in->posts[slot];
		uint32_t state = load_acquire(&p->state); /* pairs with the store_release() of 2 */

		if (state == 2 && load_relaxed(&p->note.key) == n->key) {
			add_relaxed(&p->note.count, n->count);
			announce(in, slot); /* its writer may have been stopped before it could */
			return;
		}
		if (state || !try_claim(&p->state, 1))
			continue;
		note_copy(&p->note, n);
		text_copy(p->text, text, n->length);
		store_release(&p->state, 2); /* pairs with inbox_take() */
		announce(in, slot);
		return;
	}
	add_relaxed(&in->lost, 1);
}

bool inbox_take(struct inbox *in, uint32_t *slot, struct note *n, char text[POST_TEXT])
{
	for (; *slot < POST_SLOTS; ++*slot) {
		uint64_t bit = UINT64_C(1) << *slot % 64, *news = &in->news[*slot / 64];
		struct post *p = &in->posts[*slot];

		if (!(load_relaxed(news) & bit))
			continue;
		__atomic_fetch_and(news, ~bit, __ATOMIC_ACQUIRE); /* pairs with announce() */
		if (load_acquire(&p->state) != 2)
			continue;
		note_copy(n, &p->note);
		/* Now it does not change any more. */
		if (n->length >= POST_TEXT)
			n->length = POST_TEXT - 1;
		text_copy(text, p->text, n->length);
		text[n->length] = 0;
		store_release(&p->state, 0); /* pairs with try_claim() */
		++*slot;
		return true;
	}
	return false;
}

void inbox_sweep(struct inbox *in, uint64_t busy[POST_SLOTS / 64])
{
	for (uint32_t slot = 0; slot < POST_SLOTS; slot++) {
		uint64_t bit = UINT64_C(1) << slot % 64, *was = &busy[slot / 64];
		struct post *p = &in->posts[slot];

		if (!load_relaxed(&p->state)) {
			*was &= ~bit;
		} else if (*was & bit) {
			store_release(&p->state, 0);
			*was &= ~bit;
		} else {
			*was |= bit;
		}
	}
}
