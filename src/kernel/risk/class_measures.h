/*
 * class_measures.h
 *		Measures of a sensitive column over all classes, in one pass.
 *
 * The classes are runs of a frequency table whose last column is sensitive.
 * Each class gives one figure for every measure asked for; the pass keeps the
 * worst and counts the classes that fail a bound.  Nothing is allocated for a
 * class, so a million of them cost what their cells cost.
 */
#ifndef SDC_KERNEL_CLASS_MEASURES_H
#define SDC_KERNEL_CLASS_MEASURES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/base/host.h"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"

/*
 * The values of a class: codes ascending, NULL last, each once, with counts of
 * at least 1.  cells may be 0.
 */
typedef struct SdcHistogram
{
	int32_t cells;
	const int32_t *code;
	const int64_t *count;
	int64_t records; /* sum of count */
} SdcHistogram;

/*
 * The values of the table that the classes are compared with.  Every value of
 * a class must occur here at least as often.
 */
typedef struct SdcTotals
{
	int32_t values;    /* codes are 0 .. values - 1 */
	int32_t occurring; /* values that occur; NULL counts as one */
	int64_t *total;    /* records with each code; total[values]: with NULL */
	int64_t records;   /* sum of total */
} SdcTotals;

/* Where the total of a code is. */
static inline int32_t
sdc_histogram_slot(const SdcTotals *totals, int32_t code)
{
	return code == SDC_CODE_NULL ? totals->values : code;
}

/*
 * The values of the last column in the cells first .. end - 1, which must
 * agree in all other columns.  Without nulls the cell of NULL is left out.
 * Points into the table.  O(cells of the class).
 */
extern SdcHistogram sdc_histogram_class(const SdcFrequency *frequency,
										int32_t first, int32_t end,
										bool nulls);

/*
 * Entropy l-diversity (Machanavajjhala et al. 2007, def. 4.1): exp(H) with
 * H = -sum p ln p, the largest l that the class satisfies.  From 1 to the
 * number of values, and exactly that when all are equally frequent.  0 when
 * there are no records.
 */
extern double sdc_diversity_entropy(const int64_t *count, int32_t n);

/*
 * Frequency l-diversity: records / the largest count, so that no value has a
 * share above 1/l (Wong et al. 2006).  0 when there are no records.
 */
extern double sdc_diversity_frequency(const int64_t *count, int32_t n);

/*
 * Sorts counts in place, largest first.  The functions below want them so.
 * O(n log n), no memory.
 */
extern void sdc_diversity_rank(int64_t *count, int32_t n);

/*
 * Recursive (c, l)-diversity (def. 4.2): r_1 < c (r_l + ... + r_m), where
 * r_1 >= ... >= r_m are the counts.  Strictly less, as in the paper (Xiao and
 * Tao 2006 have "or equal").  False when there are fewer than l values.
 * c > 0.
 */
extern bool sdc_diversity_is_recursive(const int64_t *ranked, int32_t n,
									   double c, double l);

/* The largest l for which the class is recursive (c, l)-diverse; 0 if none. */
extern int32_t sdc_diversity_recursive(const int64_t *ranked, int32_t n,
									   double c);

/*
 * Positive disclosure-recursive (c, l)-diversity (def. 4.4): values that may
 * be disclosed are exempt.  most is the count of the most frequent value that
 * may not, 0 if there is none; y, its rank, is the first with that count (of
 * equal counts any gives the same answer).  With y <= l - 1 the demand is
 * most < c (r_l + ... + r_m); else most < c (r_{l-1} + ... + r_m - most).
 * True when most is 0.  c > 0; l below 2 demands most < c * records.
 */
extern bool sdc_diversity_is_pd_recursive(const int64_t *ranked, int32_t n,
										  int64_t most, double c, double l);

/*
 * The largest l for which the class is so; 0 if there is none, INFINITY when
 * most is 0.  O(n).
 */
extern double sdc_diversity_pd_recursive(const int64_t *ranked, int32_t n,
										 int64_t most, double c);

/*
 * The largest of the counts that are not marked as allowed: the argument most
 * above.
 */
extern int64_t sdc_diversity_most(const int64_t *count, const bool *allowed,
								  int32_t n);

/*
 * The smallest share, in percent, of a protected value: negative disclosure
 * (c1, c2, l)-diversity (def. 4.5) demands at least c2 percent in each class.
 * A protected value whose count is 0, also one that is missing from the
 * counts altogether (found < wanted), makes it 0.  100 when wanted is 0.
 * marked[i] tells that value i is protected; wanted is the number of values
 * that must be there.
 */
extern double sdc_diversity_protected(const int64_t *count, const bool *marked,
									  int32_t n, int32_t wanted);

/* The totals, prepared for a distance; private to closeness.c. */
typedef struct SdcClosenessOrder SdcClosenessOrder;
typedef struct SdcClosenessTree SdcClosenessTree;

/* Low is bad for those up to SDC_CLASS_PROTECTED, high for the others. */
typedef enum SdcClassMeasure
{
	SDC_CLASS_DISTINCT,     /* number of values */
	SDC_CLASS_ENTROPY,      /* exp(H) */
	SDC_CLASS_FREQUENCY,    /* records / largest count */
	SDC_CLASS_RECURSIVE,    /* largest l for c, 0 if none */
	SDC_CLASS_PD_RECURSIVE, /* the same, some values being allowed */
	SDC_CLASS_PROTECTED,    /* smallest share of a protected value */
	SDC_CLASS_T_EQUAL,      /* earth mover's distances */
	SDC_CLASS_T_ORDERED,
	SDC_CLASS_T_HIERARCHICAL, /* needs a hierarchy */
	SDC_CLASS_BETA,           /* smallest basic beta */
	SDC_CLASS_BETA_ENHANCED,  /* infinity when none will do */
	SDC_CLASS_DELTA,          /* largest |log2(p / q)| */
	SDC_CLASS_MEASURES
} SdcClassMeasure;

/* A measure as a bit of SdcClassRequest.wanted. */
#define SDC_CLASS_WANT(measure) (1u << (measure))

/* Is a low figure the bad one? */
static inline bool
sdc_class_measures_low_is_bad(SdcClassMeasure measure)
{
	return measure <= SDC_CLASS_PROTECTED;
}

/*
 * What joining classes does to a bound that they satisfy: the class of both
 * satisfies it whatever the other one was; if the other one did, too (or, for
 * a figure of the whole file, if nothing is suppressed); not even then.
 */
typedef enum SdcGrowth
{
	SDC_GROWS_ALWAYS,
	SDC_GROWS_PASSING,
	SDC_GROWS_NEVER
} SdcGrowth;

/*
 * The growth of a bound on a measure.  Distinct values only come in.  Shares
 * in the class of both lie between those of the two, so what is convex in them
 * cannot get worse than the worse one.  Not so delta: a value that one of them
 * does not have is not counted there, and may come in too small.
 */
extern SdcGrowth sdc_class_measures_growth(SdcClassMeasure measure);

/* What is wanted of each class, and what it must meet. */
typedef struct SdcClassRequest
{
	unsigned wanted;   /* SDC_CLASS_WANT of each measure, joined by | */
	bool ignore_nulls; /* leave out records whose sensitive value is NULL */
	double c; /* of SDC_CLASS_RECURSIVE and SDC_CLASS_PD_RECURSIVE, > 0 */
	/*
	 * By slot of the value (sdc_histogram_slot): those that may be disclosed,
	 * and those that each class must have, of which there are so many, some
	 * of them perhaps without a code.  NULL: none.
	 */
	const bool *allowed;
	const bool *guarded;
	int32_t guards;
	const SdcHierarchy *hierarchy; /* of the sensitive column, or NULL */
	/*
	 * A class fails a measure when its figure is worse than the bound; delta
	 * must stay below it.  Entropy, t and beta accept a relative error of
	 * 1e-9.  NAN: there is no bound.
	 */
	double bound[SDC_CLASS_MEASURES];
	int64_t k; /* classes of fewer records fail; 0: none do */
} SdcClassRequest;

/* A request that wants nothing and sets no bound. */
extern SdcClassRequest sdc_class_measures_request(void);

/* One measure over all classes. */
typedef struct SdcClassWorst
{
	double value;    /* of the worst class; NAN when no class was measured */
	int32_t number;  /* the first class that has it, or -1 */
	int32_t classes; /* that fail the bound */
	int64_t records; /* in them, with those whose value is NULL */
} SdcClassWorst;

/* What a pass over all classes found. */
typedef struct SdcClassReport
{
	SdcClassWorst worst[SDC_CLASS_MEASURES]; /* those that were wanted */
	int32_t homogeneous_classes;             /* one value only: all learn it */
	int64_t homogeneous_records;
	/* classes without a single value, which only ignore_nulls can make */
	int32_t empty_classes;
	int64_t empty_records;
	/* classes that fail k or at least one bound */
	int32_t failing_classes;
	int64_t failing_records;
} SdcClassReport;

/* A request, prepared for a table; private to class_measures.c. */
typedef struct SdcClassMeasuring SdcClassMeasuring;

/*
 * Prepares a request for the classes of a table whose last column is
 * sensitive: what it holds in all is what the classes are compared with.  A
 * hierarchy must stay until the end.  Time O(cells + values * levels).
 */
extern SdcClassMeasuring *
sdc_class_measures_start(SdcHost *host, const SdcFrequency *frequency,
						 const SdcClassRequest *request);

/* Gives what was prepared back before the host ends; NULL is ignored. */
extern void sdc_class_measures_release(SdcHost *host,
									   SdcClassMeasuring *measuring);

/*
 * The wanted figures of one class: value[measure]; NAN for those not wanted,
 * and for all when the class has no records.  O(cells) for all but ordered t
 * and the recursive ones, which take O(cells log values).
 */
extern void sdc_class_measures_class(SdcClassMeasuring *measuring,
									 const SdcHistogram *histogram,
									 double *value);

/*
 * Does the figure fail the bound that the request sets for its measure?
 * NAN does not.
 */
extern bool sdc_class_measures_fails(const SdcClassRequest *request,
									 SdcClassMeasure measure, double value);

/*
 * Does a class fail one of the bounds on what is wanted?  The same as by the
 * two above, mostly without the exact figures; a class without records does
 * not.  Unless lost is NULL, so many of its records at least lie in classes
 * that fail however it is split; 0 when it passes.
 */
extern bool sdc_class_measures_refuses(SdcClassMeasuring *measuring,
									   const SdcHistogram *histogram,
									   int64_t *lost);

/* What a quick look at a class says. */
typedef enum SdcClassGlance
{
	SDC_CLASS_PASSES,
	SDC_CLASS_FAILS,
	SDC_CLASS_UNCLEAR
} SdcClassGlance;

/*
 * The same of a class as a row of class_rows.h: row[slot] records of each
 * value, and records in all.  Unclear where a figure is near
 * its bound, or is one that a row is no help for.
 */
extern SdcClassGlance
sdc_class_measures_row(const SdcClassMeasuring *measuring, const int32_t *row,
					   int32_t width, int64_t records);

/*
 * Measures all classes of a table; they must be those of all its columns but
 * the last.  The table is the one the request was prepared for, or one with
 * the same records whose other columns are generalized: a search over many
 * generalizations prepares once.  Empty classes are counted but neither
 * measured nor refused, but for k.  O(cells), see above.
 */
extern void sdc_class_measures_walk(SdcHost *host,
									SdcClassMeasuring *measuring,
									const SdcFrequency *frequency,
									const SdcClasses *classes,
									SdcClassReport *report);

#endif
