/*
 * likeness.h
 *		beta-likeness and delta-disclosure: relative gains of an intruder.
 *
 * t-closeness adds differences up; these look at the worst single value, so a
 * rare one counts as much as a frequent one.  p is the share of a value in the
 * class, q in the table; only values that occur in the class are looked at.
 * A ratio is formed from exact integers and divided once; n * N must be below
 * 2^127, see closeness.h.
 */
#ifndef SDC_KERNEL_LIKENESS_H
#define SDC_KERNEL_LIKENESS_H

#include "kernel/risk/histogram.h"

/*
 * Basic beta-likeness (Cao and Karras 2012): the smallest beta with
 * (p - q) / q <= beta for all values.  At least 0; 0 without records.
 * O(cells of the class), as the others.
 */
extern double sdc_likeness_beta(const SdcHistogram *histogram,
								const SdcTotals *totals);

/*
 * Enhanced beta-likeness (ibid.): (p - q) / q <= min(beta, -ln q).  The
 * smallest beta, which is that of the basic form, or infinity when some value
 * gains more than -ln q, for then no beta will do.
 */
extern double sdc_likeness_enhanced(const SdcHistogram *histogram,
									const SdcTotals *totals);

/*
 * delta-disclosure privacy (Brickell and Shmatikov 2008): the largest
 * |log2(p / q)|.  The class satisfies every delta strictly above it.  As in
 * ARX the logarithm is binary and values that the class does not have are left
 * out; to see those gone is no gain here, but it is in l-diversity.
 */
extern double sdc_likeness_delta(const SdcHistogram *histogram,
								 const SdcTotals *totals);

#endif
