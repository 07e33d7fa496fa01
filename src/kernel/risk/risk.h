/*
 * risk.h
 *		Risk of a file, from the sizes of its classes.
 *
 * A class is the records that agree in all quasi-identifiers: an intruder who
 * knows no more cannot tell them apart.
 */
#ifndef SDC_KERNEL_RISK_H
#define SDC_KERNEL_RISK_H

#include "kernel/base/host.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"

/* How likely records are re-identified. */
typedef struct SdcReidentification
{
	double highest; /* probability of a record */
	double lowest;
	double average;  /* see below */
	int64_t at_risk; /* records whose probability exceeds the threshold */
	int64_t records;
} SdcReidentification;

/*
 * Journalist: 1 / population, the sizes of the same classes in the population
 * (sdc_presence_match).  The population holds the sample, so a class that is
 * smaller there, or missing (0), counts with its size in the sample.  The
 * average is max(classes / sum of population, marketer's), El Emam's R_b.
 * Without a population (NULL) it is the prosecutor: 1 / size, whose average
 * over the records, also the expected share of right links, is classes /
 * records.  All 0 without records.  O(classes), as the others.
 */
extern SdcReidentification
sdc_reidentification_journalist(SdcHost *host, const int64_t *size,
								const int64_t *population, int32_t classes,
								double threshold);

/*
 * Marketer: the expected share of records linked rightly, (1/n) sum of
 * size / population.  Summed in the order of the classes.
 */
extern double sdc_reidentification_marketer(SdcHost *host, const int64_t *size,
											const int64_t *population,
											int32_t classes);

/*
 * Discernibility (Bayardo and Agrawal 2005): each record costs the size of its
 * class, so a class costs size^2; a record of a class below k is suppressed
 * and costs the size of the file.  k = 0 suppresses nothing.  Exact.
 * O(classes).
 */
extern unsigned __int128 sdc_discernibility_cost(SdcHost *host,
												 const int64_t *size,
												 int32_t classes, int64_t k);

/*
 * For each class of the sample (by its first keys columns), the number of
 * records of the population's class with the same codes; 0 when it has none.
 * NULL matches NULL.  keys columns of both tables must agree in their codes.
 * O(cells of both).
 */
extern int64_t *sdc_presence_match(SdcHost *host, const SdcFrequency *sample,
								   const SdcClasses *sample_classes,
								   const SdcFrequency *population,
								   const SdcClasses *population_classes,
								   int keys);

/* What a population gives away about a sample of it. */
typedef struct SdcPresence
{
	/*
	 * delta-presence (Nergiz, Atzori and Clifton 2007): smallest and largest
	 * share |c in sample| / |c in population| over the classes of the
	 * population; a class that the sample does not have counts with 0.  0 when
	 * the population is empty.
	 */
	double lowest;
	double highest;
	/*
	 * k-map (Sweeney 2002): records of the smallest class of the population
	 * that has a match in the sample; 0 when a sample class has none there.
	 */
	int64_t map;
	int32_t matched;       /* classes of the sample found in the population */
	int64_t outside;       /* records of the sample without a match there */
	int32_t larger;        /* classes with more sample than population */
	int32_t below;         /* classes of the sample with a match below k */
	int64_t records_below; /* their records */
} SdcPresence;

/*
 * Sums up a match.  outside or larger above 0 say that the sample was not
 * drawn from this population, or was changed since.  k counts the classes
 * that k-map would refuse.  O(classes).
 */
extern SdcPresence sdc_presence_measure(SdcHost *host,
										const SdcClasses *sample,
										const int64_t *match,
										const SdcClasses *population,
										int64_t k);

/* Risk by the numbers of records that look alike. */
typedef struct SdcRisk
{
	int64_t records;
	int64_t classes;
	int64_t smallest; /* set of records that look alike; 0: there is none */
	int64_t largest;
	int64_t uniques; /* records that look like no other */
	int64_t below_3; /* records that look like at most 1 other */
	int64_t below_5;
	int64_t at_risk; /* records with 1 / alike above the threshold */
	/* sum of 1 / alike: links an intruder who guesses gets right */
	double expected;
	/* sum of alike over the records; classes^2 when NULLs match nothing */
	double discernibility;
} SdcRisk;

/*
 * Sums up classes.  alike[c] is the number of records that look like one of
 * class c, itself included: its size or, when NULLs match everything, what
 * sdc_wildcard_match found.  The smallest is the k of k-anonymity (Samarati
 * and Sweeney 1998); the sum of squares is the discernibility metric of
 * Bayardo and Agrawal (2005).  O(classes).
 */
extern SdcRisk sdc_risk_summarize(SdcHost *host, const SdcClasses *classes,
								  const int64_t *alike, double threshold);

/* ----------------------------------------------------------------------
 * Bounds on the sizes of classes, as models of a search.
 *
 * The first ones are about one class and its people in a register of the
 * population, the others about all classes of a file.
 * ----------------------------------------------------------------------
 */

/* What is bounded; high is bad unless it says so. */
typedef enum SdcSizeMeasure
{
	SDC_SIZE_K_MAP, /* people of the class; low is bad */
	SDC_SIZE_PRESENCE_HIGHEST,
	SDC_SIZE_JOURNALIST_HIGHEST,
	SDC_SIZE_OF_CLASSES, /* how many are about a class */
	SDC_SIZE_PRESENCE_LOWEST = SDC_SIZE_OF_CLASSES, /* low is bad */
	SDC_SIZE_JOURNALIST_AVERAGE,
	SDC_SIZE_MARKETER,
	SDC_SIZE_AVERAGE, /* records of a class; low is bad */
	SDC_SIZE_PROSECUTOR_AVERAGE,
	SDC_SIZE_AT_RISK,      /* share of the records */
	SDC_SIZE_UNIQUE_SHARE, /* the same of those alone in their class */
	/* share of the people who are unique, by Dankar's rule */
	SDC_SIZE_POPULATION_UNIQUES,
	SDC_SIZE_MEASURES
} SdcSizeMeasure;

/* The bounds; made by sdc_size_bounds. */
typedef struct SdcSizeBounds
{
	double bound[SDC_SIZE_MEASURES]; /* NAN: none */
	double threshold;                /* of SDC_SIZE_AT_RISK */
	double people; /* behind the file, of SDC_SIZE_POPULATION_UNIQUES */
} SdcSizeBounds;

/* Is a low figure the bad one? */
extern bool sdc_size_low_is_bad(SdcSizeMeasure measure);

/* No bounds; threshold 0.2. */
extern SdcSizeBounds sdc_size_bounds(void);

/* Is there a bound on one of the measures from first to before end? */
extern bool sdc_size_bounds_any(const SdcSizeBounds *bounds, int first,
								int end);

/*
 * The growth of a bound.  One on a figure of the whole file is kept when
 * classes are joined, for it is a mean, or a sum over fewer classes; but the
 * number of uniques of a population is an estimate, and the mean of the
 * journalist takes a file for people where it has more than the register.
 */
extern SdcGrowth sdc_size_growth(SdcSizeMeasure measure);

/* The classes of a file that are kept. */
typedef struct SdcSizes
{
	int32_t classes;
	const int64_t *size;
	const int64_t *match; /* people of each; NULL without a register */
	int32_t people;       /* classes of the register, matched or not */
	int64_t records;      /* sum of size */
} SdcSizes;

/*
 * Does a class of so many records and people fail a bound on classes?  One
 * without a match in the register is no part of the population that it was
 * drawn from, and fails all of them.  O(1).
 */
extern bool sdc_size_class_fails(const SdcSizeBounds *bounds, int64_t size,
								 int64_t match);

/*
 * So many records at least of a class lie in parts that fail a bound on
 * classes, however it is split: all, where a larger class cannot fail; or what
 * its people are too few for.  O(1).
 */
extern int64_t sdc_size_class_lost(const SdcSizeBounds *bounds, int64_t size,
								   int64_t match);

/*
 * Is it sure that the bound on the lowest presence fails, with a class of so
 * many records and people, 0 of them when it is suppressed?  Then it does
 * however the class is split: one part has no larger share than all.  O(1).
 */
extern bool sdc_size_presence_fails(const SdcSizeBounds *bounds, int64_t size,
									int64_t match);

/*
 * The figure of all classes, of any measure; NAN when there is none, as the
 * classes are too few for an estimate or there are none at all.  O(classes),
 * but for SDC_SIZE_POPULATION_UNIQUES.
 */
extern double sdc_size_measure(SdcHost *host, const SdcSizeBounds *bounds,
							   const SdcSizes *sizes, SdcSizeMeasure measure);

/*
 * Does a figure fail the bound on its measure?  A relative error of 1e-9 is
 * accepted; NAN fails.  False without a bound.
 */
extern bool sdc_size_fails(const SdcSizeBounds *bounds, SdcSizeMeasure measure,
						   double value);

/* ----------------------------------------------------------------------
 * Attribute disclosure in the cells of a table.
 *
 * A cell is the records that agree in all quasi-identifiers.  Who knows that
 * a person is in a cell learns what all of its records share: an external
 * attack.  A coalition of some of them knows its own values, takes them away
 * and learns what the rest shares: an internal attack.
 * ----------------------------------------------------------------------
 */

/* A cell; filled by sdc_cells_measure. */
typedef struct SdcCell
{
	int32_t number;  /* of the class */
	int32_t column;  /* which sensitive column, for the caller */
	int32_t values;  /* different sensitive values */
	int32_t value;   /* the most frequent one, the first of equally frequent */
	int64_t records; /* in the cell; 0 when none is counted */
	int64_t largest; /* of them, those that have value */
} SdcCell;

/*
 * Fills one SdcCell for each class of the columns before the last one, which
 * is the sensitive one; column is stored in each.  ignore_null leaves records
 * out whose sensitive value is NULL, else NULL is one more value and comes
 * last.  O(cells of the table).
 */
extern void sdc_cells_measure(SdcHost *host, const SdcFrequency *frequency,
							  const SdcClasses *classes, bool ignore_null,
							  int32_t column, SdcCell *cell);

/*
 * The records whose values must be pooled before the rest of the cell is
 * known to share one value: its records less the largest group, 0 when nobody
 * needs to.  An attack by a coalition of c discloses the cell when this is at
 * most c (Torra 2024; c = 0 is the external attack).
 */
static inline int64_t
sdc_cells_coalition(const SdcCell *cell)
{
	return cell->records - cell->largest;
}

/*
 * Sorts cells: those that the smallest coalition discloses first, of these
 * the largest first, then in the order they had.  Cells without records come
 * last.  Returns the number of the cells that have records.  O(n).
 */
extern int32_t sdc_cells_sort(SdcHost *host, SdcCell *cell, int32_t n);

#endif
