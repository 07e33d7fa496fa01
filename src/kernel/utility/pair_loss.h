/*
 * pair_loss.h
 *		How far the masked values of a column are from their originals.
 */
#ifndef SDC_KERNEL_PAIR_LOSS_H
#define SDC_KERNEL_PAIR_LOSS_H

#include "kernel/base/host.h"

/* Sums over the pairs of which neither value is missing. */
typedef struct SdcPairLoss
{
	int64_t pairs;
	int64_t missing;   /* original there, masked value missing */
	double difference; /* of |x - x'| */
	double percent;    /* of 100 |x - x'| / |x|, x not 0 */
	int64_t zeros;     /* pairs changed from 0, which percent leaves out */
	double squares;    /* of (x - x')^2 */
	double total;      /* of (x - mean)^2, the mean of these x */
	double angle;      /* of (2 / pi) atan(|x - x'| / scale) */
} SdcPairLoss;

/*
 * Numbers, NAN when missing; partner[i] is the row of masked that belongs to
 * row i, negative for none.  scale > 0 is the deviation that differences are
 * measured by in angle; with a scale of 0 or NAN a difference counts 1.  In
 * the order of the rows.  O(rows); polls.
 *
 * Source: Yancey, Winkler and Creecy 2002 (differences); Mlodak 2020 (angle).
 */
extern SdcPairLoss sdc_pair_loss_numbers(SdcHost *host, size_t rows,
										 const double *original,
										 const double *masked,
										 const int32_t *partner, double scale);

/* The mean of |x - x'| / (sqrt(2) deviation); 0 when nothing changed. */
extern double sdc_pair_loss_il1s(const SdcPairLoss *loss, double deviation);

/*
 * The mean distance of codes: 0 or 1, or with levels > 1 |rank - rank'| /
 * (levels - 1).  A value that became missing (negative), or the reverse,
 * counts 1; pairs of missing values are not counted.  *pairs tells how many
 * were; the mean of none is NAN.
 */
extern double sdc_pair_loss_codes(SdcHost *host, size_t rows,
								  const int32_t *original,
								  const int32_t *masked,
								  const int32_t *partner, int32_t levels,
								  int64_t *pairs);

#endif
