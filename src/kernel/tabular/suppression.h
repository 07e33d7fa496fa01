/*
 * suppression.h
 *		Which further cells must be hidden so that unsafe ones stay unknown.
 */
#ifndef SDC_KERNEL_SUPPRESSION_H
#define SDC_KERNEL_SUPPRESSION_H

#include "kernel/tabular/tabular.h"

/* How long to search. */
typedef struct SdcSuppressionOptions
{
	/*
	 * How much work the search may do: simplex iterations times the rows and
	 * columns of the program.  The first pattern of the heuristic is always
	 * finished.  0: the heuristic alone.
	 */
	double work;
	/*
	 * How much the programs around one cell of a table of 2,000 cells or more
	 * may take to find its cheapest protection, and then to find any; a cell
	 * without one is given up.  0: 5e8 each, some 30 s.
	 */
	double each_work;
	double any_work;
} SdcSuppressionOptions;

/* What a search for a pattern found. */
typedef struct SdcSuppression
{
	/* a pattern was found, and the audit at the end has passed it */
	bool found;
	/* no pattern costs less */
	bool proven;
	double cost;
	/* no pattern costs less than this */
	double bound;
	int32_t secondary; /* cells hidden beyond the unsafe ones */
	/* not found: a cell that cannot be protected; -1: work ran out */
	int32_t unmet;
	bool undecided; /* unmet was given up, so it may be possible */
	int64_t cuts;   /* constraints that were added */
	int64_t nodes;  /* of the branch and bound */
	double work;    /* what was done, in the unit of the options */
} SdcSuppression;

/*
 * Fills hidden[] with a pattern of least cost that protects every unsafe cell
 * against an outsider and against each holder.  Exact by branch and cut of
 * our own over linear relaxations; when the work is spent the best pattern
 * found, with a bound.  Nothing is returned that the audit has not passed.
 *
 * Weights must be positive; when all are whole numbers the bound is rounded
 * up.  Runs under the solver's guard.  Fischetti and Salazar (2001), Solving
 * the cell suppression problem on tabular data with linear constraints,
 * Management Science 47.
 */
extern SdcSuppression sdc_suppression_run(const SdcTabular *table,
										  const SdcSuppressionOptions *options,
										  bool *hidden);

/*
 * How many needs of unsafe cells, up and down, are not met while the cells of
 * hidden[] are: each by linear programs of its own.  *first, unless NULL,
 * gets the cell of the first, or -1.
 */
extern int32_t sdc_tabular_audit(const SdcTabular *table, const bool *hidden,
								 int32_t *first);

/*
 * Is it enough to know of a hidden cell that it may be least and largest, and
 * all between, whatever else it may be?  Once ends is true they are the ends
 * of its interval, and the answer is not looked at.
 */
typedef struct SdcEnough
{
	bool (*is)(void *arg, int32_t cell, double least, double largest,
			   bool ends);
	void *arg;
} SdcEnough;

/*
 * The interval that an outsider can infer of each hidden cell; both ends of a
 * cell that is shown are its value.  enough, unless NULL, says of which cells
 * the ends are not looked for: each solution of a program shows values of all
 * cells, and mostly that they are not known.  Of those the interval is what
 * was seen.  Runs under the solver's guard.
 */
extern void sdc_tabular_intervals(const SdcTabular *table, const bool *hidden,
								  const SdcEnough *enough, double *least,
								  double *largest);

/*
 * Values of the hidden cells of a published table that add up with those of
 * the others, cell i between least[i] and most[i]; false when there are none.
 * For an attack on a table whose true values nobody has: the intervals do not
 * depend on which values these are.  Sets value, low and high of the hidden
 * cells.  Runs under the solver's guard.
 */
extern bool sdc_tabular_complete(SdcTabular *table, const bool *hidden,
								 const double *least, const double *most);

/* What is known of cells that are known to be whole, and what is asked. */
typedef struct SdcWholeBounds
{
	const double *low; /* of all values, whole or not */
	const double *high;
	const SdcEnough *enough;
} SdcWholeBounds;

/*
 * Narrows intervals of sdc_tabular_intervals to those of whole values: each
 * end is one that whole values of all hidden cells reach, as far as so much
 * work for each end finds out; one that is not decided is not narrowed too
 * far.  Where several ends of cells that hang together are not decided, no
 * more are looked for there, and intervals stay.  bounds go with intervals
 * that are not the ends, NULL with others.  False when no whole values add up.
 * Runs under the solver's guard.
 */
extern bool sdc_tabular_whole(const SdcTabular *table, const bool *hidden,
							  double work, const SdcWholeBounds *bounds,
							  double *least, double *largest);

#endif
