/*
 * changed_values.h
 *		Tables that publish every cell, with another value: controlled
 *		rounding, controlled adjustment, and the noise of cell keys.
 */
#ifndef SDC_KERNEL_CHANGED_VALUES_H
#define SDC_KERNEL_CHANGED_VALUES_H

#include "kernel/base/host.h"
#include "kernel/tabular/tabular.h"

/* ----------------------------------------------------------------------
 * Rounding: all cells to multiples of a base, still adding up.
 * ----------------------------------------------------------------------
 */

/* What a rounding changed. */
typedef struct SdcRounding
{
	/* false: the search found none, and the fast way is not one for it */
	bool found;
	/* each cell is one of the two multiples next to its value */
	bool restricted;
	/* no restricted rounding changes less in sum */
	bool proven;
	double change;  /* the sum of all changes */
	double bound;   /* no restricted rounding changes less */
	double largest; /* change of one cell */
	int32_t beyond; /* cells that are not next to their value */
	double work;    /* what the search took, as SdcProgram.work */
} SdcRounding;

/*
 * Rounds the values to multiples of base, a whole number of 1 or more, into
 * rounded[], so that all equations hold to the last unit.  Multiples stay
 * where that can be had.  Searches for the restricted rounding of least
 * change with so much work; when there is none, or none was found, or work is
 * 0, the cells that are no totals are rounded to a multiple next to them and
 * totals follow, as near to their values as single changes of cells bring
 * them: O(cells * totals above a cell) for each of a few passes.  That is not
 * possible, and nothing found, where totals are not sums of these cells, as of
 * linked tables.  Runs under the solver's guard.  Salazar (2006), Controlled
 * rounding and cell perturbation; Langsrud and Heldal (2018) for the second.
 */
extern SdcRounding sdc_rounding_run(const SdcTabular *table, double base,
									double work, double *rounded);

/* ----------------------------------------------------------------------
 * Adjustment: unsafe cells move away from their values, the others as little
 * as they must.
 * ----------------------------------------------------------------------
 */

/* What an adjustment changed. */
typedef struct SdcAdjustment
{
	bool found;
	bool proven;   /* no adjustment costs less */
	double cost;   /* the sum of all changes, each by the weight of its cell */
	double bound;  /* no adjustment costs less */
	double change; /* the sum of all changes */
	double largest; /* change of one cell */
	int32_t moved;  /* cells that changed */
	int32_t unmet;  /* not found: an unsafe cell that cannot move, or -1 */
	double work;    /* as above */
} SdcAdjustment;

/*
 * Fills adjusted[] with whole numbers that satisfy all equations, in which
 * each unsafe cell is need_high or more above its value or need_low or more
 * below it, and no cell leaves value - low .. value + high; cells with the
 * role SDC_CELL_SHOWN stay.  Of these, one whose sum of |change| / weight is
 * least, as far as so much work finds it.  What is returned has been checked
 * without the solver.  Runs under the solver's guard.  Dandekar and Cox
 * (2002), Synthetic tabular data; Castro (2006) for the program.
 */
extern SdcAdjustment sdc_adjustment_run(const SdcTabular *table, double work,
										double *adjusted);

/* ----------------------------------------------------------------------
 * Cell keys: noise that is the same wherever a cell has the same records.
 *
 * Each record has a random number of 64 bits for good; the key of a cell is
 * the sum of those of its records, modulo 2^64, so cells of the same records
 * have the same key in any table.  The key picks the noise from a
 * perturbation table, by the count of the cell.
 * ----------------------------------------------------------------------
 */

/* Bounds of what a perturbation table may be asked for. */
#define SDC_PERTURBATION_LARGEST 100

/* A key counts by so many of its upper bits; chances are whole parts of it. */
#define SDC_PERTURBATION_BITS 44

/* A perturbation table. */
typedef struct SdcPerturbation
{
	int32_t largest; /* noise, D */
	int32_t gap;     /* no count from 1 to this is published */
	double variance; /* of the noise, at most */
	/* rows 0 .. rows - 1: the last one is for all counts from there on */
	int32_t rows;
	/*
	 * chance[row * (2 largest + 1) + v + largest]: of the noise v, in parts
	 * of 2^SDC_PERTURBATION_BITS; the chances of a row add up to that.
	 */
	uint64_t *chance;
} SdcPerturbation;

/* Why there is no such table. */
typedef enum SdcPerturbationStatus
{
	SDC_PERTURBATION_MADE,
	/* a row could have no noise but 0: largest must be above gap */
	SDC_PERTURBATION_TOO_SHORT,
	/* a count of up to gap can go to 0 or beyond the gap only */
	SDC_PERTURBATION_TOO_STILL
} SdcPerturbationStatus;

/*
 * Makes the table in which the noise of each row has mean 0, exactly, a
 * variance of at most the one given, at most largest either way, leaves no
 * count below 0 or from 1 to gap, and else the greatest entropy; with no gap
 * also falling chances to either side of 0.  A count of 0 stays.  Variance
 * above 0, largest 1 to SDC_PERTURBATION_LARGEST.  Marley and Leaver (2011),
 * Giessing (2016); O(largest^2 * steps of Newton).
 */
extern SdcPerturbationStatus
sdc_perturbation_make(SdcHost *host, int32_t largest, double variance,
					  int32_t gap, SdcPerturbation *made);

/* The noise of a cell with that count and key.  O(largest). */
extern int32_t sdc_perturbation_noise(const SdcPerturbation *perturbation,
									  double count, uint64_t key);

/*
 * The largest number that n whole numbers of at least 0 and at most 2^53 are
 * all multiples of; 1 when all are 0.  O(n log of the largest).
 */
extern double sdc_perturbation_grain(const double *value, int32_t n);

/*
 * What is published of a sum, of multiples of grain, whose largest
 * contribution is largest: a whole number of at least 0.  A step of noise is
 * share of that contribution, and the noise that of the last row, filled
 * evenly between its steps.  Where that is less than grain, rounding to
 * multiples would take it away: then a step is grain, and the row that of the
 * sum in it, as of a count.  0 <= share * (made->largest + 0.5) < 1; a sum of
 * 0 stays.  O(made->largest).
 */
extern double sdc_perturbation_sum(const SdcPerturbation *made, double sum,
								   double largest, double share, double grain,
								   uint64_t key);

#endif
