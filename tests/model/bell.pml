/*
 * bell.pml - the protocol between readers of a segment and its owner, small enough to be checked whole.
 *
 * What is modelled: segment_seq(), segment_quiet() and segment_settled() of cache/reader.h;
 * segment_begin() and segment_end() of cache/writer.c; learn(), conclude() and catch_up() of
 * authority/learn.c; bell.c and ring.c with the kernel's half of a DEFER_TASKRUN ring that polls once.
 *
 * The world: a directory in which NAMES names are created (by as many processes), and a mount table
 * that changes MOUNTS times. A fact is what was known when it was asked for: `listed`, the changes of
 * the mount table that it has taken account of, or NONE; and `bits`, the names in the filter.
 *
 * Properties: 1. Whoever begins to ask after a change has returned gets no answer from before it
 * (Reader). 2. A ring never holds two polls (arm).
 *
 * Memory: what the owner stores is seen by others when Buffer says so, in whatever order, except
 * that segment_end() is a release and a fence waits. The kernel's stores, on behalf of whomever, are
 * seen at once: they may overtake the owner's. A reader's loads of facts are not ordered among
 * themselves nor to its look at the bell. One reader stands for all, since it writes nothing.
 *
 * Each macro below that is not a number breaks the protocol in one place: tests/model.sh
 * demands that spin finds out.
 */
#ifndef NAMES
#define NAMES 2
#endif
#ifndef MOUNTS
#define MOUNTS 1
#endif
#ifndef READERS
#define READERS 1
#endif
#ifndef OPERATIONS /* of the owner's */
#define OPERATIONS 3
#endif
#ifndef TRIES /* CATCH_UP_TRIES */
#define TRIES 2
#endif

/* The two files polled, and the rings they are polled in. */
#define INOTIFY 0
#define TABLE	1
#ifdef ONE_RING
#define RING(file) 0
#else
#define RING(file) (file)
#endif

#define NONE	 128 /* nothing is listed */
#define ODD(seq) ((seq) & 1)

/* ---- the world ---- */

byte names, names_returned;   /* bits: created; and the creating call has returned */
byte mounts, mounts_returned; /* the same of changes of the mount table */
bool watched;		      /* events come from the directory */
byte queue;		      /* names in inotify's queue */
byte table_events, table_polled; /* the table's counter, and what a poll saw last */
bool namespace_lock;

/* ---- the rings: words that readers see, and the kernel's own ---- */

bool flag[2];	 /* IORING_SQ_TASKRUN */
byte tail[2];	 /* of the completion queues */
bool done[2];	 /* a file's completion that was not yet taken */
bool armed[2] = true;  /* a poll waits in the file's wait queue */
bool owned[2];	 /* somebody deals with that poll: poll_refs is not 0 */
bool again[2];	 /* woken meanwhile: poll_refs is more than 1 */
bool queued[2];	 /* the poll is in its ring's list of deferred work */
bool waking[2];	 /* the lock of the file's wait queue */
bool in_kernel;	 /* the owner, where no signal ends it */
bool killed;

/* ---- the segment: as the owner knows it, and as others see it ---- */

byte seq = 2, seen_seq = 2;
byte listed = NONE, seen_listed = NONE;
byte bits, seen_bits;
byte head[2]; /* of the completion queues: to see it late does no harm */

#define FACTS_SEEN (seen_listed == listed && seen_bits == bits)

active proctype Buffer()
{
end:	do
	:: d_step { seen_listed != listed -> seen_listed = listed }
	:: d_step { seen_bits != bits -> seen_bits = bits }
#ifdef NO_RELEASE
	:: d_step { seen_seq != seq -> seen_seq = seq }
#else
	:: d_step { seen_seq != seq && (ODD(seq) || FACTS_SEEN) -> seen_seq = seq }
#endif
	od
}

/* ---- the kernel ---- */

#define READY(file) ((file) == INOTIFY -> queue != 0 : table_events != table_polled)
#define IN_LIST(ring) ((queued[0] && RING(0) == ring) || (queued[1] && RING(1) == ring))

/* Into the list of deferred work. Only who finds it empty sets the flag: io_req_local_work_add(). */
inline defer(file)
{
	d_step {
		first = !IN_LIST(RING(file));
		queued[file] = true
	}
	if
	:: atomic { first -> flag[RING(file)] = true; first = false }
	:: else
	fi
}

/* The wake-up by whoever changed something, under the lock of the wait queue: io_poll_wake(). */
inline wake(file)
{
	atomic { !waking[file] -> waking[file] = true }
	if
	:: atomic { armed[file] && !owned[file] -> owned[file] = true }
		defer(file)
	:: atomic { armed[file] && owned[file] -> again[file] = true }
	:: !armed[file]
	fi
}

/* A poll looks at its file; of the mount table that consumes the event. */
inline look(file)
{
	d_step {
		ready = READY(file);
		table_polled = (file == TABLE -> table_events : table_polled)
	}
}

/* Out of the wait queue, with a completion. */
inline complete(file)
{
	d_step {
		!waking[file] ->
		armed[file] = false;
		owned[file] = false
	}
	d_step {
		done[file] = true;
		tail[RING(file)] = (tail[RING(file)] + 1) % 4;
		ready = false
	}
}

/* A poll's deferred work: io_poll_check_events(). */
inline work(file)
{
	do
	:: again[file] = false;
		look(file);
		if
		:: ready ->
			complete(file);
			break
		:: atomic { !ready && !again[file] -> owned[file] = false }
			break
		:: !ready && again[file]
		fi
	od
}

/* io_uring_enter(GETEVENTS) */
inline enter(ring)
{
	d_step {
		in_kernel = true;
		flag[ring] = false
	}
	d_step {
		taken[0] = queued[0] && RING(0) == ring;
		taken[1] = queued[1] && RING(1) == ring;
		queued[0] = queued[0] && !taken[0];
		queued[1] = queued[1] && !taken[1]
	}
	if
	:: taken[0] -> work(0)
	:: else
	fi
	if
	:: taken[1] -> work(1)
	:: else
	fi
	atomic {
		in_kernel = false;
		taken[0] = false;
		taken[1] = false
	}
}

/* io_uring_enter() with one IORING_OP_POLL_ADD, which may complete at once. */
inline arm(file)
{
	in_kernel = true;
	assert(!armed[file]); /* property 2 */
	d_step {
		!waking[file] ->
		armed[file] = true;
		owned[file] = true;
		again[file] = false
	}
	look(file);
	if
	:: ready -> complete(file)
	:: atomic { !ready && !again[file] -> owned[file] = false }
	:: !ready && again[file] -> defer(file)
	fi
	in_kernel = false
}

/*
 * The owner may die between any two of its steps; then its polls are cancelled, which rings. That is
 * taken for one step: a change that is made between the kernel's taking of the poll and its setting of
 * the flag (DEATH_IN_STEPS), some instructions of io_poll_cancel_req(), is told by nothing.
 */
#ifndef IMMORTAL
active proctype Death()
{
	bool first;
	byte file;

end:	atomic { !in_kernel -> killed = true }
	do
	:: file < 2 ->
#ifndef SILENT_DEATH
		if
#ifdef DEATH_IN_STEPS
		:: atomic { armed[file] && !owned[file] -> owned[file] = true }
			defer(file)
#else
		:: d_step {
			armed[file] && !owned[file] ->
			owned[file] = true;
			queued[file] = true;
			flag[RING(file)] = true
		   }
#endif
		:: !armed[file] || owned[file]
		fi;
#endif
		atomic { !waking[file] -> armed[file] = false; file++ }
	:: else -> break
	od
}
#endif

/* ---- whoever changes something ---- */

#if NAMES > 0
active [NAMES] proctype Creator()
{
	byte name = 1 << (_pid % NAMES);
	bool first, told;

	/* It can be seen before the event is queued. */
	d_step { names = names | name; told = watched }
	if
	:: told ->
		queue = queue | name;
		wake(INOTIFY);
		d_step { waking[INOTIFY] = false; names_returned = names_returned | name }
	:: else ->
		names_returned = names_returned | name
	fi
}

#endif

/* pivot_root(2) tells of the change first; mount(2) and umount(2) last. */
active proctype Mounter()
{
	bool first;
	byte n;

	do
	:: n < MOUNTS ->
		d_step { !namespace_lock -> namespace_lock = true }
		if
		:: table_events++ /* and the change itself comes after the wake-up */
		:: d_step { mounts = mounts | 1 << n; table_events++ }
		fi;
		wake(TABLE);
		waking[TABLE] = false;
		d_step {
			mounts = mounts | 1 << n;
			namespace_lock = false;
			mounts_returned = mounts_returned | 1 << n;
			n++
		}
	:: else -> break
	od
}

/* ---- the owner ---- */

inline segment_begin()
{
	seq = seq | 1;
#ifndef NO_FENCE
	seen_seq == seq && FACTS_SEEN
#endif
}

inline segment_end()
{
	seq = (seq | 1) + 1
}

#define RING_RUNG(ring) (flag[ring] || tail[ring] != head[ring])
#define BELL_RUNG	(RING_RUNG(RING(0)) || RING_RUNG(RING(1)))

inline take(file)
{
	d_step {
		if
		:: done[file] ->
			done[file] = false;
			head[RING(file)] = (head[RING(file)] + 1) % 4;
			rang[file] = true
		:: else
		fi
	}
}

inline bell_answer()
{
	d_step { rang[0] = false; rang[1] = false }
	if
	:: RING_RUNG(RING(INOTIFY)) ->
		enter(RING(INOTIFY));
		take(INOTIFY);
#ifdef ONE_RING
		take(TABLE);
#endif
#ifdef REARM_UNASKED
		rang[INOTIFY] = true
#endif
	:: else
	fi;
#ifndef ONE_RING
	if
	:: RING_RUNG(TABLE) ->
		enter(TABLE);
		take(TABLE)
	:: else
	fi
#endif
}

inline rearm(file)
{
	if
	:: rang[file] ->
#ifndef NO_REARM
		if
		:: arm(file)
#ifdef ARM_FAILURE_IGNORED
		:: skip
#else
		:: broken = true
#endif
		fi
#else
		skip
#endif
	:: else
	fi
}

inline catch_up()
{
	tries = 0;
	do
	:: tries < TRIES && !broken ->
		tries++;
		bell_answer();
#ifdef CLEARED_WHILE_EVEN
		segment_begin();
#endif
		if
		:: rang[TABLE] ->
#ifndef NO_AWAIT
			!namespace_lock;
#endif
			listed = NONE;
			bits = 0
		:: else
		fi;
		if
		:: rang[INOTIFY] ->
			d_step { got = queue; queue = 0 }
			if
			:: listed != NONE -> bits = bits | got
			:: else
			fi
		:: else
		fi;
		rearm(INOTIFY);
		rearm(TABLE);
#ifdef NO_SECOND_LOOK
		break
#else
		if
		:: !BELL_RUNG -> break
		:: else
		fi
#endif
	:: else -> break /* still ringing, or broken */
	od;
	atomic { tries = 0; got = 0; rang[0] = false; rang[1] = false }
}

/* take_note() and end_seq(): a broken bell leaves seq odd. */
inline conclude()
{
	if
	:: BELL_RUNG -> catch_up()
	:: else
	fi;
	if
	:: broken ->
		listed = NONE
	:: else ->
		watched = watched && listed != NONE;
		segment_end()
	fi
}

inline publish()
{
	listed = asked_mounts;
	bits = asked_names;
	d_step { asked_mounts = 0; asked_names = 0 }
}

inline ask()
{
	asked_mounts = mounts;
	asked_names = names
}

inline learn()
{
#ifdef ASKED_BEFORE_WATCHED
	ask();
	watched = true;
#else
	watched = true;
	ask();
#endif
	segment_begin();
#ifdef PUBLISHED_AFTER_NOTING
	conclude();
	if
	:: !broken ->
		segment_begin();
		publish();
		segment_end()
	:: else
	fi
#else
	publish();
#ifdef PUBLISHED_WITHOUT_NOTING
	segment_end()
#else
	conclude()
#endif
#endif
}

active proctype Owner()
{
	bool first, ready, broken;
	bool taken[2], rang[2];
	byte tries, got, asked_mounts, asked_names, operations;

	{
end:		do
		:: operations < OPERATIONS && !broken && BELL_RUNG ->
			operations++;
#ifndef CLEARED_WHILE_EVEN
			segment_begin();
#endif
			conclude()
		:: operations < OPERATIONS && !broken && listed == NONE ->
			operations++;
			learn()
		od
	} unless { killed }
}

/* ---- a reader ---- */

#define STALE ((found_bits & must_names) != must_names || (found_listed & must_mounts) != must_mounts)

active [READERS] proctype Reader()
{
	byte began, at, must_names, must_mounts, found_listed, found_bits;
	bool has_listed, has_bits;

end:	d_step {
		names_returned || mounts_returned ->
		must_names = names_returned;
		must_mounts = mounts_returned
	}
	began = seen_seq;
	if
	:: ODD(began) -> goto kernel
	:: else
	fi;
	do
	:: !has_listed ->
		d_step { found_listed = seen_listed; has_listed = true }
		if
		:: found_listed == NONE -> goto kernel
		:: else
		fi
	:: !has_bits -> d_step { found_bits = seen_bits; has_bits = true }
	:: at == 0 || at == 2 ->
		if
		:: flag[RING(at / 2)] -> goto kernel
		:: else -> at++
		fi
	:: at == 1 || at == 3 ->
		if
#ifndef FLAG_ALONE
		:: head[RING(at / 2)] != tail[RING(at / 2)] -> goto kernel
#endif
		:: else -> at++
		fi
	:: has_listed && has_bits && !STALE ->
		goto kernel /* right, whatever else is found: not followed on */
	:: has_listed && has_bits && STALE && at == 4 ->
		break
	od;
#ifndef SEQ_READ_ONCE
	if
	:: seen_seq != began -> goto kernel
	:: else
	fi;
#endif
	/* Property 1: what was there when the question was asked is not said to be absent. */
	assert(!STALE);
kernel:	atomic {
		began = 0; at = 0; must_names = 0; must_mounts = 0;
		found_listed = 0; found_bits = 0; has_listed = false; has_bits = false
	}
}
