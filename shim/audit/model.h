/*
 * model.h - what the lookups of a tree add up to: per call, program, directory and origin, what had
 * been asked before, and what of it fastpath could have answered. The tracer feeds it, cli/ reads
 * it.
 *
 * Knows nothing of ptrace. Without memory it drops lookups and counts them.
 */
#ifndef AUDIT_MODEL_H
#define AUDIT_MODEL_H

#include "audit/calls.h"
#include "audit/facts.h"
#include "audit/names.h"

#include <stdbool.h>
#include <stdint.h>

enum model_scope { SCOPE_PROCESS, SCOPE_TREE, MODEL_SCOPES };

/* Why a lookup was made, as far as can be told. */
enum model_origin {
	ORIGIN_OTHER = 0,
	ORIGIN_PATH,    /* a command looked for in the directories of PATH */
	ORIGIN_INCLUDE, /* a header looked for by a compiler */
	ORIGIN_LOADER,  /* made by the dynamic loader's own code */
	ORIGIN_LOCALE,  /* locale, messages, character sets: made inside libc */
	MODEL_ORIGINS
};

extern const char *const model_origins[MODEL_ORIGINS];

/* Can a preloaded library stand before this program's lookups? */
enum model_reach { REACH_DYNAMIC, REACH_STATIC, REACH_FOREIGN, MODEL_REACHES };

extern const char *const model_reaches[MODEL_REACHES];

enum model_result { RESULT_DONE, RESULT_FAILED, MODEL_RESULTS };

/* Lookups by what they cost. */
typedef uint64_t model_counts[CALL_FAMILIES][MODEL_RESULTS];

struct tally {
	model_counts calls;
	uint64_t repeats[MODEL_SCOPES];    /* the same answer to the same question, again */
	model_counts served[MODEL_SCOPES]; /* what fastpath could have answered at most */
};

enum { MODEL_ERRNOS = 134, MODEL_SAMPLES = 16, MODEL_TALLIED_CALLS = 32 };

struct model_call {
	struct tally tally;
	uint64_t errors[MODEL_ERRNOS]; /* by errno; [0]: those beyond the table */
};

struct model_program {
	uint8_t reach;
	bool compiles;
	uint64_t processes; /* times it was executed */
	struct tally tally;
};

struct model_directory {
	struct tally tally;
	uint32_t existing; /* the deepest directory above or at it that existed, + 1; 0: not looked
			      yet */
};

/* PATH as a list of directories. */
struct model_search {
	uint32_t *directories;
	uint32_t n;
};

/* Paths that were asked, to measure what asking costs: a fair sample of a family's. */
struct model_sample {
	uint32_t paths[MODEL_SAMPLES]; /* in names */
	uint64_t seen;
};

struct model {
	struct names names;       /* paths, and programs */
	struct names directories; /* as spelled; the numbers of directory[] */
	struct names searches;    /* values of PATH; the numbers of search[] */
	struct names programs;    /* the numbers of program[] */
	struct model_directory *directory;
	struct model_search *search;
	struct model_program *program;
	uint32_t directory_room, search_room, program_room;
	struct facts tree;
	struct model_call call[MODEL_TALLIED_CALLS];
	struct tally origin[MODEL_ORIGINS];
	struct tally relative; /* what could have been served, if the path had been absolute */
	struct tally all;
	struct model_sample sample[CALL_FAMILIES][MODEL_RESULTS];
	uint64_t processes, threads;
	uint64_t dropped; /* lookups, for want of memory */
	uint64_t random;
	bool (*exists)(
	    const char *directory); /* asked once for each directory in which something failed */
};

/* What the lookups of one process since its last exec or fork are charged to. */
struct model_process {
	struct facts facts;
	uint32_t program; /* NAMES_NONE: unknown, for want of memory */
	uint32_t search;
};

struct lookup {
	const struct call *call;
	const char *path;
	uint32_t length;
	uint32_t mode;  /* open flags or access mode; 0 if the call has none */
	int error;      /* 0 or an errno */
	bool by_loader; /* the instruction is the dynamic loader's */
	bool foreign;   /* of another architecture than ours */
};

/* The number of a program by the path of its file, which starts to run once more. NAMES_NONE: no
 * memory. */
uint32_t model_program_starts(struct model *m, const char *exe, enum model_reach reach);

/* The number of a value of PATH, of whose end no NUL needs to tell. NAMES_NONE: no memory. */
uint32_t model_search_add(struct model *m, const char *value, size_t length);

void model_add(struct model *m, struct model_process *p, const struct lookup *l);

enum model_origin model_origin_of(const struct model *m, const struct model_process *p,
				  const struct lookup *l, uint32_t directory);

#endif
