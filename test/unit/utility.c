/*
 * utility.c
 *		Moments, correlations and losses of pairs: formulas in long form, and
 *		the figures that sdcMicro gives.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/linear/moments.h"
#include "kernel/utility/loss.h"
#include "published_table.h"

#define ROWS 300

static const double a[2][6] = {{10, 20, 30, 40, 50, 60}, {1, 3, 2, 5, 4, 6}};
static const double b[2][6] = {{12, 18, 33, 40, 47, 62}, {1, 2, 3, 4, 5, 6}};
static const int32_t same[] = {0, 1, 2, 3, 4, 5};

static void
check_published(void)
{
	const double *original[] = {a[0], a[1]};
	const double *masked[] = {b[0], b[1]};
	SdcMoments *x = sdc_moments_measure(unit_host(), 6, 2, original);
	SdcMoments *y = sdc_moments_measure(unit_host(), 6, 2, masked);
	SdcMomentsDifference difference;
	double il1s = 0;
	double percent = 0;
	int undefined;
	int dropped;
	int j;

	for (j = 0; j < 2; j++)
	{
		SdcPairLoss loss = sdc_pair_loss_numbers(unit_host(), 6, a[j], b[j],
												 same, sqrt(x->variance[j]));

		il1s += sdc_pair_loss_il1s(&loss, sqrt(x->variance[j])) / 2;
		percent += loss.percent;
	}
	unit_check(fabs(il1s - 0.163785) < 5e-7, "EX-UT-1: %.6f", il1s);
	unit_check(fabs(percent - 177.6667) < 5e-5, "IL1 of EX-UT: %.4f", percent);
	difference = sdc_moments_compare(x, y, &undefined);
	unit_check(fabs(difference.correlation - 0.105869) < 5e-7 &&
				   undefined == 0,
			   "EX-UT-2: %.6f", difference.correlation);
	unit_check(fabs(sdc_correlation_loss_eigen(unit_host(), x->correlation,
											   y->correlation, 2, &dropped) -
					0.9825) < 5e-5 &&
				   dropped == 0,
			   "eigenvalues of EX-UT");
}

/* Random columns with missing values, against sums in long form. */
static void
check_moments(void)
{
	static double x[2][ROWS];
	const double *column[] = {x[0], x[1]};
	SdcRandom random;
	SdcMoments *moments;
	long double sum[2] = {0};
	long double both[5] = {0};
	long double squares = 0;
	long double n[2] = {0};
	long double pairs = 0;
	int i;

	sdc_random_seed(&random, 3, 0);
	for (i = 0; i < ROWS; i++)
	{
		double shared = sdc_random_normal(&random);

		x[0][i] = i % 7 == 0 ? NAN : 1e6 + shared;
		x[1][i] = i % 5 == 0 ? NAN : shared + sdc_random_normal(&random);
	}
	moments = sdc_moments_measure(unit_host(), ROWS, 2, column);
	for (i = 0; i < ROWS; i++)
	{
		if (!isnan(x[0][i]))
		{
			sum[0] += x[0][i];
			n[0]++;
		}
		if (isnan(x[0][i]) || isnan(x[1][i]))
			continue;
		pairs++;
		both[0] += x[0][i];
		both[1] += x[1][i];
	}
	for (i = 0; i < ROWS; i++)
	{
		if (!isnan(x[0][i]))
			squares += (x[0][i] - sum[0] / n[0]) * (x[0][i] - sum[0] / n[0]);
		if (isnan(x[0][i]) || isnan(x[1][i]))
			continue;
		both[2] += (x[0][i] - both[0] / pairs) * (x[1][i] - both[1] / pairs);
		both[3] += (x[0][i] - both[0] / pairs) * (x[0][i] - both[0] / pairs);
		both[4] += (x[1][i] - both[1] / pairs) * (x[1][i] - both[1] / pairs);
	}
	unit_check(moments->count[0] == (int64_t) n[0] &&
				   fabs(moments->mean[0] - (double) (sum[0] / n[0])) < 1e-9 &&
				   fabs(moments->variance[0] -
						(double) (squares / (n[0] - 1))) < 1e-9,
			   "mean and variance without what is missing");
	unit_check(fabs(moments->covariance[1] -
					(double) (both[2] / (pairs - 1))) < 1e-9 &&
				   fabs(moments->correlation[2] -
						(double) (both[2] / sqrtl(both[3] * both[4]))) < 1e-12,
			   "covariance and correlation of the rows that have both");
}

/* Data of any order of magnitude: what a power of two leaves alone. */
static void
check_magnitudes(void)
{
	static const int exponent[] = {0, 660, -660, 1000, -1000};
	double x[2][6];
	const double *column[] = {x[0], x[1]};
	SdcMoments *plain = NULL;
	size_t e;
	int i;

	for (e = 0; e < sizeof(exponent) / sizeof(exponent[0]); e++)
	{
		SdcMoments *moments;
		SdcScale scale;

		for (i = 0; i < 6; i++)
		{
			x[0][i] = ldexp(a[0][i], exponent[e]);
			x[1][i] = a[1][i];
		}
		moments = sdc_moments_measure(unit_host(), 6, 2, column);
		scale = sdc_scale_measure(unit_host(), x[0], NULL, 6, 1);
		plain = plain == NULL ? moments : plain;
		unit_check(moments->mean[0] == ldexp(35, exponent[e]) &&
					   sdc_scale_restore(&scale, scale.deviation) ==
						   ldexp(sqrt(plain->variance[0]), exponent[e]) &&
					   moments->correlation[1] == plain->correlation[1],
				   "values times 2^%d", exponent[e]);
	}
	unit_check(fabs(plain->variance[0] - 350) < 1e-12 &&
				   fabs(plain->correlation[1] - 31 / 35.0) < 1e-15,
			   "deviation and correlation of EX-UT: %.17g, %.17g",
			   plain->variance[0], plain->correlation[1]);
}

/* Weights count as repeated values do. */
static void
check_weights(void)
{
	static const double value[] = {1e15, 1e15 + 1, NAN, 1e15 + 4};
	static const double weight[] = {2, 3, 5, 1};
	static const double repeated[] = {0, 0, 1, 1, 1, 4};
	SdcScale a_scale = sdc_scale_measure(unit_host(), value, weight, 4, 1);
	SdcScale b_scale = sdc_scale_measure(unit_host(), repeated, NULL, 6, 1);

	unit_check(a_scale.weight == 6 &&
				   fabs(sdc_scale_restore(&a_scale, a_scale.deviation) -
						sdc_scale_restore(&b_scale, b_scale.deviation)) <
					   1e-14,
			   "weights are repetitions, and an offset costs nothing");
}

/* The relative difference of two means. */
static double
relative_mean(double x, double y)
{
	const double *of_x = &x;
	const double *of_y = &y;
	int undefined;

	return sdc_moments_compare(sdc_moments_measure(unit_host(), 1, 1, &of_x),
							   sdc_moments_measure(unit_host(), 1, 1, &of_y),
							   &undefined)
		.mean;
}

static void
check_edges(void)
{
	const double constant[] = {0.1, 0.1, 0.1};
	const double other[] = {1, 2, 3};
	const double none[] = {NAN, NAN, NAN};
	const double zero[] = {0, 0, 5};
	const int32_t no_partner[] = {-1, -1, -1};
	const int32_t codes[] = {0, 1, -1, 3};
	const int32_t masked[] = {0, 3, -1, -1};
	const double *column[] = {constant, other, none};
	SdcMoments *moments = sdc_moments_measure(unit_host(), 3, 3, column);
	SdcMoments *empty = sdc_moments_measure(unit_host(), 0, 3, column);
	SdcPairLoss loss =
		sdc_pair_loss_numbers(unit_host(), 3, zero, other, same, 0);
	int64_t pairs;
	int undefined;

	unit_check(moments->variance[0] == 0 && isnan(moments->correlation[0]) &&
				   isnan(moments->correlation[1]) && isnan(moments->mean[2]),
			   "a constant has variance 0 and no correlation");
	unit_check(isnan(empty->mean[0]) && isnan(empty->covariance[1]) &&
				   isnan(sdc_moments_compare(empty, empty, &undefined).mean),
			   "no rows, no moments");
	unit_check(loss.zeros == 2 && fabs(loss.percent - 40) < 1e-12 &&
				   loss.angle == 3 && isnan(sdc_pair_loss_il1s(&loss, 0)),
			   "changes from 0, and without a scale");
	loss = sdc_pair_loss_numbers(unit_host(), 3, zero, other, no_partner, 1);
	unit_check(loss.pairs == 0 && loss.missing == 0 &&
				   isnan(sdc_pair_loss_il1s(&loss, 1)),
			   "no pairs");
	unit_check(sdc_pair_loss_codes(unit_host(), 4, codes, masked, same, 0,
								   &pairs) == 2.0 / 3 &&
				   pairs == 3,
			   "codes that differ, or became missing");
	unit_check(fabs(sdc_pair_loss_codes(unit_host(), 4, codes, masked, same, 5,
										&pairs) -
					1.5 / 3) < 1e-15,
			   "ranks of codes");
	unit_check(relative_mean(0, 0) == 0 && isnan(relative_mean(0, 1)) &&
				   relative_mean(-2, 1) == 1.5,
			   "relative differences");
}

static void
check_inverse(void)
{
	/* R = [1 r 0; r 1 0; 0 0 1]: the diagonal is 1/(1-r^2), twice, and 1 */
	const double one[] = {1, 0.5, 0, 0.5, 1, 0, 0, 0, 1};
	const double unit[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
	const double flat[] = {1, 1, 0, 1, 1, 0, 0, 0, 1};
	double p = 1 / 0.75;
	double norm = sqrt(2 * p * p + 1);
	double third = 1 / sqrt(3);
	double right = sqrt((2 * (p / norm - third) * (p / norm - third) +
						 (1 / norm - third) * (1 / norm - third)) /
						2);
	int dropped;

	unit_check(fabs(sdc_correlation_loss_inverse(unit_host(), one, unit, 3) -
					right) < 1e-15,
			   "the diagonal of the inverse");
	unit_check(isnan(sdc_correlation_loss_inverse(unit_host(), flat, unit, 3)),
			   "a collinear matrix has no inverse");
	unit_check(
		fabs(sdc_correlation_loss_eigen(unit_host(), flat, one, 3, &dropped) -
			 0.25) < 1e-14 &&
			dropped == 1,
		"its zero eigenvalue is left out");
}

/* The order of rows changes no bit of sums taken in the order of digests, nor
 * does another unit, a power of two. */
static void
check_order(void)
{
	static double x[3][ROWS];
	static int32_t code[3][ROWS];
	double sum[3] = {0, 0, 0};
	SdcRandom random;
	int side;
	int i;

	sdc_random_seed(&random, 5, 0);
	for (i = 0; i < ROWS; i++)
	{
		x[0][i] = i % 9 == 0 ? NAN : exp(20 * sdc_random_normal(&random));
		x[0][i] *= i % 5 == 0 ? -1 : 1;
		code[0][i] = (int32_t) sdc_random_below(&random, 3) - 1;
	}
	for (i = 0; i < ROWS; i++)
	{
		x[1][i] = x[0][(i * 7 + 3) % ROWS];
		code[1][i] = code[0][(i * 7 + 3) % ROWS];
		x[2][i] = ldexp(x[0][i], -37);
		code[2][i] = code[0][i];
	}
	for (side = 0; side < 3; side++)
	{
		uint64_t digest[ROWS] = {0};
		int32_t *order;

		sdc_record_order_mix(unit_host(), x[side], NULL, ROWS, digest);
		sdc_record_order_mix(unit_host(), NULL, code[side], ROWS, digest);
		order = sdc_record_order_sort(unit_host(), digest, NULL, ROWS);
		for (i = 0; i < ROWS; i++)
			if (!isnan(x[side][order[i]]))
				sum[side] = sum[side] * 0.99 + x[side][order[i]];
	}
	unit_check(sum[0] == sum[1], "the same order for permuted rows");
	unit_check(sum[0] == ldexp(sum[2], 37), "and for other units");
}

/* Only five: all columns are collinear, which is an error in sdcMicro. */
static void
check_five(const SdcMatrix *x, const SdcMatrix *y)
{
	const double *some[2][5];
	SdcMoments *moments[2];
	int j;

	for (j = 0; j < 5; j++)
	{
		some[0][j] = x->column[j];
		some[1][j] = y->column[j];
	}
	moments[0] = sdc_moments_measure(unit_host(), x->rows, 5, some[0]);
	moments[1] = sdc_moments_measure(unit_host(), y->rows, 5, some[1]);
	unit_check(
		fabs(sdc_correlation_loss_inverse(unit_host(), moments[0]->correlation,
										  moments[1]->correlation, 5) /
				 0.0129980694587411 -
			 1) < 1e-9,
		"IL_correl of five columns");
}

/* census.csv and its fixed perturbation, against sdcMicro 5.8.1. */
static void
check_reference(void)
{
	SdcMatrix x;
	SdcMatrix y;
	SdcMoments *moments[2];
	int32_t *partner;
	double percent = 0;
	double il1s = 0;
	double angle = 0;
	int dropped;
	double eigen;
	size_t i;
	int j;

	published_table_read("census.csv", &x);
	published_table_read("census_fixed_perturbation.csv", &y);
	partner = malloc(sizeof(int32_t) * x.rows);
	for (i = 0; i < x.rows; i++)
		partner[i] = (int32_t) i;
	moments[0] = sdc_moments_measure(unit_host(), x.rows, x.columns,
									 (const double *const *) x.column);
	moments[1] = sdc_moments_measure(unit_host(), y.rows, y.columns,
									 (const double *const *) y.column);
	for (j = 0; j < x.columns; j++)
	{
		/* sdcMicro leaves the scale of the angle out */
		SdcPairLoss loss = sdc_pair_loss_numbers(
			unit_host(), x.rows, x.column[j], y.column[j], partner, 1);
		double deviation = sqrt(moments[0]->variance[j]);

		percent += loss.percent;
		il1s += loss.difference / (sqrt(2) * deviation);
		angle += loss.angle / (double) x.rows / x.columns;
	}
	unit_check(fabs(percent / 1283644.39500356 - 1) < 1e-9, "IL1 %.8f",
			   percent);
	unit_check(fabs(il1s / 632.212190825928 - 1) < 1e-12, "IL1s %.12f", il1s);
	unit_check(fabs(angle / 0.991702918337056 - 1) < 1e-12,
			   "IL_variables, unscaled as there %.15f", angle);
	eigen = sdc_correlation_loss_eigen(unit_host(), moments[0]->correlation,
									   moments[1]->correlation, x.columns,
									   &dropped);
	unit_check(dropped > 0 && eigen >= 0 && eigen < x.columns,
			   "eigen %g, %d collinear (there: -8.9e13)", eigen, dropped);
	check_five(&x, &y);
	free(partner);
	published_table_free(&x);
	published_table_free(&y);
}

int
main(void)
{
	unit_start("utility");
	check_published();
	check_moments();
	check_magnitudes();
	check_weights();
	check_edges();
	check_inverse();
	check_order();
	check_reference();
	return unit_finish();
}
