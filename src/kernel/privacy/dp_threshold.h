/*
 * dp_threshold.h
 *		Which groups may be named at all: a threshold for noisy counts.
 *
 * That a group exists can give somebody away who is alone in it.  A group is
 * named when its count plus discrete Laplace noise reaches a threshold, which
 * the group of one unit does with a probability of at most delta.
 */
#ifndef SDC_KERNEL_DP_THRESHOLD_H
#define SDC_KERNEL_DP_THRESHOLD_H

#include <stdint.h>

/*
 * The share of delta, 0 < delta < 1, for each of so many groups that one unit
 * can be in: 1 - (1 - delta)^(1 / groups), rounded down.
 */
extern double sdc_dp_threshold_share(double delta, uint32_t groups);

/*
 * The least threshold t such that rows + Y >= t has a probability of at most
 * delta, where Y is discrete Laplace noise of scale 1 / epsilon, rounded up
 * as sdc_discrete_laplace_scale does: rows + ceil(ln(1 / (delta (1 + r))) /
 * epsilon) with r = exp(-epsilon), and never below rows + 1.  rows is the most
 * that one unit adds to a group; 2^-30 <= epsilon <= 2^10, 0 < delta < 1.
 */
extern int64_t sdc_dp_threshold_count(uint32_t rows, double epsilon,
									  double delta);

#endif
