/*
 * price.h - what a lookup costs here, untraced: by making some of those that were made again.
 */
#ifndef AUDIT_PRICE_H
#define AUDIT_PRICE_H

#include "audit/model.h"

struct prices {
	double ns[CALL_FAMILIES][MODEL_RESULTS];      /* 0: not measured */
	uint32_t paths[CALL_FAMILIES][MODEL_RESULTS]; /* on how many */
};

/* Measures with the sampled paths whose answer is still the same; only regular files are opened,
 * and nothing is executed. A millisecond or two for each family. */
void price_measure(struct prices *p, const struct model *m);

#endif
