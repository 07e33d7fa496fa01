/*
 * suppress.h
 *		Local suppression: values taken out of single records.
 *
 * A record whose combination of keys too few others have loses some of them,
 * and only it: no column is coarsened for all.  What counts as "too few
 * others" depends on what a NULL means to whom reads the table.
 *
 * As a wildcard, NULL may stand for anything: records are alike when they
 * agree in every key in which neither is NULL.  Only records that are below k
 * lose values, and none loses dearer keys than it needs by itself: so that
 * the original records that agree in the keys it keeps are at least k.  But
 * what it loses makes others like it, which then lose nothing.
 *
 * As a category, NULL is a value like others: records are alike when GROUP BY
 * puts them in one group.  Then what is suppressed must form groups of at
 * least k, too, for which records that were safe may have to lose values.
 */
#ifndef SDC_KERNEL_SUPPRESS_H
#define SDC_KERNEL_SUPPRESS_H

#include "kernel/base/host.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"

/* What is demanded of the suppressed table. */
typedef struct SdcSuppressRequest
{
	int keys;                 /* the first columns; the others are sensitive */
	int64_t k;                /* at least 1 */
	int64_t l;                /* different sensitive values; 1: do not care */
	bool wildcard;            /* NULL matches everything */
	const double *importance; /* by key, positive; NULL: all the same */
	/*
	 * By sensitive column: bounds that the records alike satisfy; NULL: none.
	 * Only when NULL is a category.
	 */
	const SdcClassRequest *models;
} SdcSuppressRequest;

/* Some records of a class lose some keys. */
typedef struct SdcSuppressStep
{
	int32_t class;
	int64_t count; /* records, at least 1 */
} SdcSuppressStep;

/* What the records of each class lose, step by step. */
typedef struct SdcSuppression
{
	int32_t steps; /* those of a class hold at most its records together */
	int32_t room;
	SdcSuppressStep *step;
	int words;       /* of 64 keys each that a set of keys takes */
	uint64_t *lost;  /* the words of each step, see sdc_suppression_loses */
	int64_t records; /* that lose a value */
	int64_t values;  /* that are lost */
} SdcSuppression;

/* The keys that the records of a step lose, in words of 64 bits. */
static inline const uint64_t *
sdc_suppression_lost(const SdcSuppression *plan, int32_t step)
{
	return plan->lost + (size_t) step * (size_t) plan->words;
}

/* Do the records of a step lose key j, which was no NULL before? */
static inline bool
sdc_suppression_loses(const SdcSuppression *plan, int32_t step, int j)
{
	return (sdc_suppression_lost(plan, step)[j / 64] >> j % 64 & 1) != 0;
}

/*
 * Chooses what to suppress in the classes of the first keys columns of a
 * table so that every record has k records like it, itself included, with at
 * least l different values (NULL being one) in each sensitive column.  Which
 * records of a class are taken makes no difference.  The cost of a value is
 * the importance of its key; of keys equally important, those with more values
 * go first.
 *
 * Needs k <= records, l no more than each sensitive column has values, and
 * all records together that satisfy the models (sdc_suppress_possible).
 * The result depends on the table only and lies in memory of the host.  Up to
 * 12 keys all sets of them are tried, from more on only small ones before a
 * fixed order: at most 4096 sets and as many as there are keys.  O(sets *
 * classes) expected; when NULL is a wildcard and the table has NULLs already,
 * that much for each combination of keys that are NULL together, but no more
 * than for each class that lacks something; and with l as much as
 * sdc_wildcard_expand for each set.  With models, the cells of the classes
 * that are grouped, for each set, and again for up to 8 safe classes tried.
 */
extern SdcSuppression *sdc_suppress_plan(SdcHost *host,
										 const SdcFrequency *frequency,
										 const SdcClasses *classes,
										 const SdcSuppressRequest *request);

/* Do all records together, of which there are some, satisfy the models? */
extern bool sdc_suppress_possible(SdcHost *host, const SdcFrequency *frequency,
								  const SdcClasses *classes,
								  const SdcSuppressRequest *request);

/*
 * How many records of a table still lack k records like them or l values
 * among these: what a suppression is checked with.
 */
extern int64_t sdc_suppress_violations(SdcHost *host,
									   const SdcFrequency *frequency,
									   const SdcSuppressRequest *request);

#endif
