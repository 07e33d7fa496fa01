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
#include "kernel/table/frequency.h"

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
 * Attribute disclosure in the cells of a table.
 *
 * A cell is the records that agree in all quasi-identifiers.  Who knows that
 * a person is in a cell learns what all of its records share: an external
 * attack.  A coalition of some of them knows its own values, takes them away
 * and learns what the rest shares: an internal attack.
 * ----------------------------------------------------------------------
 */

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
