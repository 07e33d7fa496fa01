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

#include "kernel/generalization/hierarchy.h"
#include "kernel/risk/histogram.h"

/* Low is bad for the first four, high for the others. */
typedef enum SdcClassMeasure
{
	SDC_CLASS_DISTINCT,  /* number of values */
	SDC_CLASS_ENTROPY,   /* exp(H) */
	SDC_CLASS_FREQUENCY, /* records / largest count */
	SDC_CLASS_RECURSIVE, /* largest l for c, 0 if none */
	SDC_CLASS_T_EQUAL,   /* earth mover's distances */
	SDC_CLASS_T_ORDERED,
	SDC_CLASS_T_HIERARCHICAL, /* needs a hierarchy */
	SDC_CLASS_BETA,           /* smallest basic beta */
	SDC_CLASS_BETA_ENHANCED,  /* infinity when none will do */
	SDC_CLASS_DELTA,          /* largest |log2(p / q)| */
	SDC_CLASS_MEASURES
} SdcClassMeasure;

#define SDC_CLASS_WANT(measure) (1u << (measure))

typedef struct SdcClassRequest
{
	unsigned wanted;   /* SDC_CLASS_WANT of each measure, joined by | */
	bool ignore_nulls; /* leave out records whose sensitive value is NULL */
	double c;          /* of SDC_CLASS_RECURSIVE, > 0 */
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
 * and recursive, which take O(cells log values).
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
