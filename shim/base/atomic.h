/*
 * atomic.h - the whole memory-ordering vocabulary of fastpath.
 *
 * Shared words are plain integers accessed only through these names. Each load_acquire() names its
 * partner where it stands.
 */
#ifndef BASE_ATOMIC_H
#define BASE_ATOMIC_H

#define load_relaxed(p)	    __atomic_load_n((p), __ATOMIC_RELAXED)
#define store_relaxed(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define load_acquire(p)	    __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)

/* True for the one caller that changed *p from 0 to v; pairs with store_release(p, 0). */
#define try_claim(p, v)                                                                        \
	({                                                                                     \
		__typeof__(*(p)) zero_ = 0;                                                    \
		__atomic_compare_exchange_n((p), &zero_, (v), 0, __ATOMIC_ACQUIRE,             \
					    __ATOMIC_RELAXED);                                 \
	})

#define add_relaxed(p, v) __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)

/*
 * Stand-alone fences. ThreadSanitizer does not model them (gcc refuses them under it), so a build
 * under it has none: there the acquire loads alone order the readers.
 */
#if defined(__SANITIZE_THREAD__)
#define fence_acquire() ((void)0)
#define fence_full()	((void)0)
#else
#define fence_acquire() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define fence_full()	__atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

/* A counter with one writing thread at a time. */
#define count_owned(p, v) store_relaxed((p), load_relaxed(p) + (v))

#endif
