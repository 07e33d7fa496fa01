/*
 * distance_form.c
 *		Parametric distances against definitions written out, and how they
 *		contain each other.
 */
#include "unit.h"

#include "kernel/base/random.h"
#include "kernel/learned/learned_form.h"

#include <math.h>
#include <string.h>

#define COLUMNS 5
#define SETS    (1 << COLUMNS)
#define TRIALS  200

static SdcRandom random_state;

static double
draw(void)
{
	/* small whole numbers make ties */
	return (double) sdc_random_below(&random_state, 9) - 4;
}

static void
draw_weights(double *weight)
{
	double sum = 0;
	int j;

	for (j = 0; j < COLUMNS; j++)
		sum += weight[j] = (double) sdc_random_below(&random_state, 100) + 1;
	for (j = 0; j < COLUMNS; j++)
		weight[j] /= sum;
}

static void
draw_differences(double *difference)
{
	int j;

	for (j = 0; j < COLUMNS; j++)
		difference[j] = draw();
}

/* A random monotone capacity: sums of random gains of sets, scaled to 1. */
static void
draw_capacity(double *capacity)
{
	double gain[SETS];
	int a;
	int b;

	gain[0] = 0;
	for (a = 1; a < SETS; a++)
		gain[a] = (double) sdc_random_below(&random_state, 10);
	gain[SETS - 1] += 1;
	for (a = 0; a < SETS; a++)
	{
		capacity[a] = 0;
		for (b = 0; b <= a; b++)
			if ((a & b) == b)
				capacity[a] += gain[b];
	}
	for (a = 0; a < SETS; a++)
		capacity[a] /= capacity[SETS - 1];
}

/*
 * The Choquet integral as an area: the capacity of the columns that reach t,
 * summed over t between the different values.
 */
static double
choquet_by_levels(const double *capacity, const double *difference)
{
	double before = 0;
	double sum = 0;
	int j;

	for (;;)
	{
		double next = INFINITY;
		int set = 0;

		for (j = 0; j < COLUMNS; j++)
		{
			double x = difference[j] * difference[j];

			if (x <= before)
				continue;
			set |= 1 << j;
			next = fmin(next, x);
		}
		if (set == 0)
			return sum;
		sum += (next - before) * capacity[set];
		before = next;
	}
}

/* The Moebius form: sum over all sets of m(A) times the least x in A. */
static double
choquet_by_moebius(const double *capacity, const double *difference)
{
	double sum = 0;
	int a;
	int b;
	int j;

	for (a = 1; a < SETS; a++)
	{
		double moebius = 0;
		double least = INFINITY;

		for (b = 0; b <= a; b++)
			if ((a & b) == b)
				moebius +=
					(__builtin_popcount((unsigned) (a ^ b)) % 2 ? -1 : 1) *
					capacity[b];
		for (j = 0; j < COLUMNS; j++)
			if (a >> j & 1)
				least = fmin(least, difference[j] * difference[j]);
		sum += moebius * least;
	}
	return sum;
}

static bool
close_to(double a, double b)
{
	return fabs(a - b) <= 1e-12 * (1 + fabs(a) + fabs(b));
}

static void
check_choquet(void)
{
	double capacity[SETS];
	double difference[COLUMNS];
	SdcDistanceForm form = {SDC_DISTANCE_CHOQUET, COLUMNS, capacity};
	bool same = true;
	bool sound = true;
	int i;

	for (i = 0; i < TRIALS; i++)
	{
		double value;

		draw_capacity(capacity);
		draw_differences(difference);
		value = sdc_distance_form_value(&form, difference);
		same = same &&
			   close_to(value, choquet_by_levels(capacity, difference)) &&
			   close_to(value, choquet_by_moebius(capacity, difference));
		sound = sound && sdc_distance_form_flaw(&form) == NULL;
	}
	unit_check(same, "Choquet: sorted, by levels and by Moebius masses");
	unit_check(sound, "a monotone capacity has no flaw");
}

/* Additive Choquet = WM, symmetric Choquet = OWA, diagonal bilinear = WM. */
static void
check_nesting(void)
{
	double weight[COLUMNS];
	double capacity[SETS];
	double matrix[COLUMNS * COLUMNS];
	double difference[COLUMNS];
	SdcDistanceForm wm = {SDC_DISTANCE_WM, COLUMNS, weight};
	SdcDistanceForm owa = {SDC_DISTANCE_OWA, COLUMNS, weight};
	SdcDistanceForm choquet = {SDC_DISTANCE_CHOQUET, COLUMNS, capacity};
	SdcDistanceForm pairs = {SDC_DISTANCE_CHOQUET2, COLUMNS, matrix};
	SdcDistanceForm bilinear = {SDC_DISTANCE_BILINEAR, COLUMNS, matrix};
	bool same[4] = {true, true, true, true};
	int trial;
	int a;
	int j;

	for (trial = 0; trial < TRIALS; trial++)
	{
		draw_weights(weight);
		draw_differences(difference);
		memset(matrix, 0, sizeof(matrix));
		memset(capacity, 0, sizeof(capacity));
		for (j = 0; j < COLUMNS; j++)
			matrix[j * COLUMNS + j] = weight[j];
		for (a = 0; a < SETS; a++)
			for (j = 0; j < COLUMNS; j++)
				capacity[a] += (a >> j & 1) ? weight[j] : 0;
		same[0] =
			same[0] && close_to(sdc_distance_form_value(&choquet, difference),
								sdc_distance_form_value(&wm, difference));
		same[1] =
			same[1] && close_to(sdc_distance_form_value(&pairs, difference),
								sdc_distance_form_value(&wm, difference));
		same[2] =
			same[2] && close_to(sdc_distance_form_value(&bilinear, difference),
								sdc_distance_form_value(&wm, difference));
		memset(capacity, 0, sizeof(capacity));
		for (a = 0; a < SETS; a++)
			for (j = 0; j < __builtin_popcount((unsigned) a); j++)
				capacity[a] += weight[j];
		same[3] =
			same[3] && close_to(sdc_distance_form_value(&choquet, difference),
								sdc_distance_form_value(&owa, difference));
	}
	unit_check(same[0], "an additive Choquet integral is a weighted mean");
	unit_check(same[1], "2-additive without interactions is a weighted mean");
	unit_check(same[2], "a diagonal bilinear form is a weighted mean");
	unit_check(same[3], "a symmetric Choquet integral is an OWA");
}

/* 2-additive against the capacity of all sets that it stands for. */
static void
check_pairs(void)
{
	double matrix[COLUMNS * COLUMNS];
	double capacity[SETS];
	double difference[COLUMNS];
	SdcDistanceForm pairs = {SDC_DISTANCE_CHOQUET2, COLUMNS, matrix};
	SdcDistanceForm choquet = {SDC_DISTANCE_CHOQUET, COLUMNS, capacity};
	bool same = true;
	bool agree = true;
	int trial;
	int a;
	int j;
	int k;

	for (trial = 0; trial < TRIALS; trial++)
	{
		double all = 0;

		for (j = 0; j < COLUMNS; j++)
			for (k = 0; k <= j; k++)
				matrix[j * COLUMNS + k] = matrix[k * COLUMNS + j] =
					j == k ? 3 + fabs(draw()) : draw() / 2;
		for (j = 0; j < COLUMNS; j++)
			for (k = 0; k <= j; k++)
				all += matrix[j * COLUMNS + k];
		for (j = 0; j < COLUMNS * COLUMNS; j++)
			matrix[j] /= all;
		memset(capacity, 0, sizeof(capacity));
		for (a = 0; a < SETS; a++)
			for (j = 0; j < COLUMNS; j++)
				for (k = 0; k <= j; k++)
					if ((a >> j & 1) && (a >> k & 1))
						capacity[a] += matrix[j * COLUMNS + k];
		draw_differences(difference);
		same = same && close_to(sdc_distance_form_value(&pairs, difference),
								sdc_distance_form_value(&choquet, difference));
		agree = agree && (sdc_distance_form_flaw(&pairs) == NULL) ==
							 (sdc_distance_form_flaw(&choquet) == NULL);
	}
	unit_check(same, "2-additive equals the capacity of its sets");
	unit_check(agree, "both find the same of them monotone");
}

static void
check_bilinear(void)
{
	double matrix[COLUMNS * COLUMNS];
	double difference[COLUMNS];
	SdcDistanceForm form = {SDC_DISTANCE_BILINEAR, COLUMNS, matrix};
	bool same = true;
	int trial;
	int j;
	int k;

	for (trial = 0; trial < TRIALS; trial++)
	{
		double sum = 0;

		for (j = 0; j < COLUMNS; j++)
			for (k = 0; k <= j; k++)
				matrix[j * COLUMNS + k] = matrix[k * COLUMNS + j] = draw();
		draw_differences(difference);
		for (j = 0; j < COLUMNS; j++)
			for (k = 0; k < COLUMNS; k++)
				sum += matrix[j * COLUMNS + k] * difference[j] * difference[k];
		same =
			same && close_to(sum, sdc_distance_form_value(&form, difference));
	}
	unit_check(same, "bilinear: the double sum");
	unit_check(sdc_distance_form_flaw(&form) == NULL,
			   "any symmetric matrix will do");
	matrix[1] += 1;
	unit_check(sdc_distance_form_flaw(&form) != NULL,
			   "one that is not symmetric will not");
}

static void
check_flaws(void)
{
	double weight[] = {0.5, 0.7, -0.2};
	double capacity[] = {0, 0.6, 0.3, 1, 0.2, 0.7, 0.5, 1};
	SdcDistanceForm wm = {SDC_DISTANCE_WM, 3, weight};
	SdcDistanceForm choquet = {SDC_DISTANCE_CHOQUET, 3, capacity};

	unit_check(sdc_distance_form_flaw(&wm) != NULL, "a negative weight");
	weight[2] = 0.2;
	unit_check(sdc_distance_form_flaw(&wm) != NULL, "a sum above 1");
	weight[1] = 0.3;
	unit_check(sdc_distance_form_flaw(&wm) == NULL &&
				   sdc_distance_form_is_monotone(&wm),
			   "weights as they should be");
	weight[0] = NAN;
	unit_check(sdc_distance_form_flaw(&wm) != NULL, "a weight that is none");
	unit_check(sdc_distance_form_flaw(&choquet) == NULL &&
				   sdc_distance_form_is_monotone(&choquet),
			   "a capacity as it should be");
	capacity[3] = 0.5;
	unit_check(sdc_distance_form_flaw(&choquet) != NULL &&
				   !sdc_distance_form_is_monotone(&choquet),
			   "a set worth less than a part of it");
	capacity[3] = 1;
	capacity[7] = 0.9;
	unit_check(sdc_distance_form_flaw(&choquet) != NULL,
			   "all columns worth less than 1");
	unit_check(sdc_distance_form_parameters(SDC_DISTANCE_CHOQUET, 17) == 0 &&
				   sdc_distance_form_parameters(SDC_DISTANCE_CHOQUET, 16) ==
					   65536,
			   "a capacity of at most 16 columns");
}

int
main(void)
{
	unit_start("parametric distances");
	sdc_random_seed(&random_state, 11, 1);
	check_choquet();
	check_nesting();
	check_pairs();
	check_bilinear();
	check_flaws();
	return unit_finish();
}
