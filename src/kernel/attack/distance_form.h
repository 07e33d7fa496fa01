/*
 * distance_form.h
 *		Distances with parameters: how differences are put together.
 */
#ifndef SDC_KERNEL_DISTANCE_FORM_H
#define SDC_KERNEL_DISTANCE_FORM_H

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"

typedef enum SdcDistanceKind
{
	SDC_DISTANCE_WM,
	SDC_DISTANCE_OWA,
	SDC_DISTANCE_CHOQUET,
	SDC_DISTANCE_CHOQUET2,
	SDC_DISTANCE_BILINEAR
} SdcDistanceKind;

/* Columns up to which a capacity of all sets is accepted: 2^16 numbers. */
#define SDC_DISTANCE_CHOQUET_COLUMNS 16

/*
 * A combination of n = columns differences d[0 .. n - 1], which are signed
 * differences of standard scores; x[j] = d[j]^2.  parameter[] holds:
 *
 * WM		n weights p: sum of p[j] x[j].  p >= 0, sum 1.
 * OWA		n weights p: sum of p[k] times the k-th largest x.  p >= 0, sum 1.
 * CHOQUET	2^n numbers, a capacity by sets of columns: bit j of the index
 *			tells that column j is in the set.  With x in ascending order,
 *			sum of (x_(k) - x_(k-1)) parameter[{(k), .., (n)}], x_(0) = 0.
 *			0 for the empty set, 1 for all columns, monotone.
 *			n <= SDC_DISTANCE_CHOQUET_COLUMNS.
 * CHOQUET2	n * n numbers, the Moebius form of a 2-additive capacity, a
 *			symmetric matrix m: sum of m[j, j] x[j], plus, over j < k, of
 *			m[j, k] min(x[j], x[k]).  The diagonal and what is above it add
 *			up to 1; monotone: m[j, j] plus the negative m[j, k] is >= 0.
 * BILINEAR	n * n numbers, a symmetric matrix m: sum of m[j, k] d[j] d[k].
 *			Nothing else is asked; it may be negative.
 */
typedef struct SdcDistanceForm
{
	SdcDistanceKind kind;
	int columns;
	double *parameter;
} SdcDistanceForm;

/* Parameters may miss what is asked of them by this much (LP solvers do). */
#define SDC_DISTANCE_SLACK 1e-6

/* Parameters are no larger than this in magnitude. */
#define SDC_DISTANCE_GREATEST 1e100

/* The number of parameters; 0 if the kind does not take so many columns. */
extern size_t sdc_distance_form_parameters(SdcDistanceKind kind, int columns);

/*
 * The squared distance of signed differences, columns of them, all finite.
 * The same operations in the same order whoever calls.  O(columns), OWA and
 * CHOQUET O(columns^2) at worst, CHOQUET2 and BILINEAR O(columns^2).
 * V. Torra 2016, "On machine learning for data privacy", slides 26-37.
 */
extern double sdc_distance_form_value(const SdcDistanceForm *form,
									  const double *difference);

/*
 * The same of squared differences, for every kind but BILINEAR.
 */
extern double sdc_distance_form_combine(const SdcDistanceForm *form,
										const double *square);

/*
 * Says what is wrong with the parameters, as the end of a sentence ("a weight
 * is negative"), or NULL.  O(parameters columns).
 */
extern const char *sdc_distance_form_flaw(const SdcDistanceForm *form);

/*
 * Does a larger squared difference never make the value smaller?  Exactly,
 * without slack; false for every BILINEAR.  O(parameters columns).
 */
extern bool sdc_distance_form_is_monotone(const SdcDistanceForm *form);

#endif
