/*
 * suppress_wildcard.h
 *		A suppression being chosen; private to suppress*.c.
 *
 * Classes are grouped by the keys that they would keep: the key of a group is
 * the packed codes of a class with those of the suppressed keys taken out.
 */
#ifndef SDC_KERNEL_SUPPRESS_WILDCARD_H
#define SDC_KERNEL_SUPPRESS_WILDCARD_H

#include "kernel/base/host.h"
#include "kernel/base/table.h"
#include "kernel/generalization/suppress.h"
#include "kernel/generalization/suppress_models.h"
#include "kernel/table/frequency.h"

/* All that is known while the sets of keys are chosen. */
typedef struct SdcSuppressState
{
	SdcHost *host;
	const SdcFrequency *frequency;
	const SdcClasses *classes;
	const SdcSuppressRequest *request;
	SdcSuppression *result;

	int words; /* of a set of keys: bit j % 64 of word j / 64 is key j */

	/* sets of keys, cheapest first, and what they cost */
	int masks;
	uint64_t *mask; /* words of each */
	double *cost;
	int *chain; /* keys of the sets of the fixed order, 0 for the others */
	int *order; /* the fixed order: that many keys of it are such a set */

	/* by class */
	uint64_t *nulls;  /* keys that are NULL in the table, words of each */
	uint64_t *packed; /* codes in 64 bits, or a hash of them */
	bool any_nulls;

	/* classes by the keys that are NULL in them, the largest pattern first */
	int patterns;
	uint64_t *pattern;      /* words of each */
	int32_t *pattern_start; /* patterns + 1 places in by_pattern */
	int32_t *by_pattern;
	int32_t *pattern_of; /* by class */
	int64_t *sum;        /* room, by group */

	/* bits of each key in packed; 0 bits in all: packed is a hash */
	bool hashed;
	uint64_t *bits;
	/* hashes without the first keys of the fixed order */
	uint64_t *chained; /* by class, NULL until there is need */
	uint64_t *without; /* these keys */
	int chained_keys;

	/* classes that lack something, in their order */
	int32_t violators;
	int32_t *violator;

	/* the groups of one set of keys */
	uint64_t *suppressed; /* that set */
	uint64_t *joined;     /* room for a set */
	uint64_t *both;       /* and for another one */
	uint64_t keep;        /* bits of packed that stay */
	const uint64_t *base; /* hashes of which some keys are taken out: */
	uint64_t *out;        /* these */
	int32_t groups;
	uint64_t *group_key;
	SdcTable table;   /* of groups */
	int32_t *diverse; /* by group: sensitive columns with l values */
	uint64_t *pair;   /* (group, value), of one sensitive column */
	int32_t pairs;
	SdcTable pair_table;
	int32_t *distinct;   /* by group, of one sensitive column */
	int32_t *seen;       /* room for l codes of each sensitive column */
	int64_t *seen_count; /* by sensitive column */
	int32_t *arranged;   /* room for the classes of a group, twice */
	/* with models: the classes of a group, to be judged */
	SdcUnion *joined_classes;
} SdcSuppressState;

/* The keys that are NULL in a class. */
static inline const uint64_t *
sdc_suppress_nulls(const SdcSuppressState *state, int32_t class)
{
	return state->nulls + (size_t) class * (size_t) state->words;
}

/* The set that is tried in place m. */
static inline const uint64_t *
sdc_suppress_mask(const SdcSuppressState *state, int m)
{
	return state->mask + (size_t) m * (size_t) state->words;
}

/* A set with no keys, in memory of the host. */
extern uint64_t *sdc_suppress_empty(const SdcSuppressState *state);

/* to = a without b. */
static inline void
sdc_suppress_minus(const SdcSuppressState *state, uint64_t *to,
				   const uint64_t *a, const uint64_t *b)
{
	int w;

	for (w = 0; w < state->words; w++)
		to[w] = a[w] & ~b[w];
}

/* Are all keys of a in b? */
static inline bool
sdc_suppress_within(const SdcSuppressState *state, const uint64_t *a,
					const uint64_t *b)
{
	int w;

	for (w = 0; w < state->words; w++)
		if ((a[w] & ~b[w]) != 0)
			return false;
	return true;
}

/* Polls in each 64k-th step. */
static inline void
sdc_suppress_poll(const SdcSuppressState *state, int32_t step)
{
	if (step % SDC_POLL_STEPS == 0)
		state->host->poll(state->host, 0, 0);
}

/* Packs the codes of all classes and finds their NULLs. */
extern void sdc_suppress_pack(SdcSuppressState *state);

/*
 * Gets ready for the set that is tried in place m, so that a class is grouped
 * by it in a time that does not depend on how many keys a set of the fixed
 * order has.  O(classes * keys that it has more than the one before).
 */
extern void sdc_suppress_prepare(SdcSuppressState *state, int m);

/*
 * Starts grouping by what is left without a set of keys; at most that many
 * groups will be made.
 */
extern void sdc_suppress_groups_start(SdcSuppressState *state,
									  const uint64_t *suppressed,
									  int32_t most);

/* The group of a class, made if it is not there. */
extern int32_t sdc_suppress_groups_add(SdcSuppressState *state, int32_t class);

/* The group of a class, or -1. */
extern int32_t sdc_suppress_groups_find(const SdcSuppressState *state,
										int32_t class);

/*
 * total[i] becomes the number of records that may agree with those of class[i]
 * in all keys but a set, NULL matching everything; or, if that is k or more,
 * any number from k on.  Ends the present grouping.
 */
extern void sdc_suppress_match(SdcSuppressState *state, const uint64_t *mask,
							   const int32_t *class, int32_t count,
							   int64_t *total);

/*
 * Counts, for one sensitive column after another, the different values that
 * classes bring to their groups: begin, then bring each class, then end, which
 * adds to state->diverse the groups that have l of them.
 */
extern void sdc_suppress_values_begin(SdcSuppressState *state);
extern void sdc_suppress_values_bring(SdcSuppressState *state, int sensitive,
									  int32_t class, int32_t group);
extern void sdc_suppress_values_end(SdcSuppressState *state);

/*
 * Has a run of cells at least l values in each column from first on?  Room for
 * l codes is lent.
 */
extern bool sdc_suppress_is_diverse(const SdcFrequency *frequency, int first,
									int32_t begin, int32_t end, int64_t l,
									int32_t *seen);

/* Appends a step to the result. */
extern void sdc_suppress_add(SdcSuppressState *state, int32_t class,
							 const uint64_t *mask, int64_t count);

/*
 * Chooses what the violators lose when NULL matches everything.  alike[class]
 * records look like those of a class; diverse[class]: have these l values in
 * each sensitive column?
 */
extern void sdc_suppress_wildcard(SdcSuppressState *state,
								  const int64_t *alike, const bool *diverse);

#endif
