/*
 * formula.c
 *		Formulas that are drawn are found, whatever the units, and sums, curves
 *		of one key with errors and numbers at random are none.
 */
#include <math.h>
#include <string.h>

#include "unit.h"

#include "kernel/base/random.h"
#include "kernel/intruder/formula.h"

#define KEYS  4
#define ROWS  300
#define CASES 50

static SdcRandom random_state;

typedef double (*Made)(const double *key);

static double
share(const double *key)
{
	return key[1] / (key[0] + key[1]);
}

static double
distance(const double *key)
{
	return sqrt(key[0] * key[0] + key[1] * key[1]);
}

static double
harmonic(const double *key)
{
	return 2 * key[0] * key[1] / (key[0] + key[1]);
}

static double
product(const double *key)
{
	return (key[0] + key[1]) * key[2];
}

static double
absolute(const double *key)
{
	return fabs(key[0] - 2 * key[1]);
}

static double
squared(const double *key)
{
	return (key[0] - key[1]) * (key[0] - key[1]);
}

static double
two_terms(const double *key)
{
	return key[0] * key[0] / 50000 - key[1];
}

/* Its logarithm is a sum of terms. */
static double
compound(const double *key)
{
	return key[0] / key[2] * exp(key[1] * key[3] * 1e-5);
}

static double
sum(const double *key)
{
	return 3 * key[0] - key[1] + 17;
}

static double
powers(const double *key)
{
	return key[0] / sqrt(key[1]);
}

static double
chance(const double *key)
{
	return sdc_random_normal(&random_state) + 0 * key[0];
}

static double
noisy(const double *key)
{
	return key[0] + 2000 * sdc_random_normal(&random_state) + key[1];
}

typedef struct Case
{
	const char *name;
	Made made;
	double unit; /* it is rounded to */
	bool found;
} Case;

static const Case cases[] = {
	{"a share of two", share, 1e-4, true},
	{"a distance", distance, 1e-2, true},
	{"a harmonic mean", harmonic, 1e-2, true},
	{"a product of a sum", product, 1e-1, true},
	{"the size of a difference", absolute, 1e-2, true},
	{"the square of a difference", squared, 1, true},
	{"a square and a key", two_terms, 1e-2, true},
	{"interest on interest", compound, 1e-4, true},
	{"a sum", sum, 1e-2, false},
	{"a product of powers", powers, 1e-9, false},
	{"chance", chance, 1e-4, false},
	{"a sum with errors", noisy, 1e-2, false},
};

static void
draw_keys(double key[KEYS][ROWS])
{
	int i;

	for (i = 0; i < ROWS; i++)
	{
		key[0][i] = 10000 + 40000 * sdc_random_unit(&random_state);
		key[1][i] = 8000 + 14000 * sdc_random_unit(&random_state);
		key[2][i] = 150 + 40 * sdc_random_unit(&random_state);
		key[3][i] = (double) sdc_random_below(&random_state, 5);
	}
}

static void
fill_column(const Case *of, double key[KEYS][ROWS], double *column)
{
	int i;
	int k;

	for (i = 0; i < ROWS; i++)
	{
		double row[KEYS];

		for (k = 0; k < KEYS; k++)
			row[k] = key[k][i];
		column[i] = rint(of->made(row) / of->unit) * of->unit;
	}
}

/* Of rows that were not shown: the share that is no further away than so many
 * units. */
static double
share_near(const Case *of, const SdcFormula *formula, double units)
{
	double drawn[KEYS][ROWS];
	const double *key[KEYS] = {drawn[0], drawn[1], drawn[2], drawn[3]};
	double column[ROWS];
	int near = 0;
	int i;

	draw_keys(drawn);
	fill_column(of, drawn, column);
	for (i = 0; i < ROWS; i++)
		near += fabs(sdc_formula_apply(formula, key, i) - column[i]) <=
				units * of->unit;
	return (double) near / ROWS;
}

static void
check_case(const Case *of)
{
	double least = 1;
	int found = 0;
	int c;

	for (c = 0; c < CASES; c++)
	{
		double drawn[KEYS][ROWS];
		const double *key[KEYS] = {drawn[0], drawn[1], drawn[2], drawn[3]};
		double column[ROWS];
		SdcFormula formula;

		draw_keys(drawn);
		fill_column(of, drawn, column);
		if (!sdc_formula_find(unit_host(), key, KEYS, KEYS, true, column, ROWS,
							  &formula))
			continue;
		found++;
		least = fmin(least, share_near(of, &formula, 10));
	}
	if (of->found)
		unit_check(found == CASES && least > 0.95,
				   "%s is a formula (%d of %d, %.2f within ten units)",
				   of->name, found, CASES, least);
	else
		unit_check(found == 0, "%s is no formula (%d of %d)", of->name, found,
				   CASES);
}

/* In other units by powers of two, and with rows that lack a number. */
static void
check_units(void)
{
	double drawn[KEYS][ROWS];
	const double *key[KEYS] = {drawn[0], drawn[1], drawn[2], drawn[3]};
	double column[ROWS];
	double before[ROWS];
	SdcFormula formula;
	bool found[2];
	int same = 0;
	int i;

	draw_keys(drawn);
	fill_column(&cases[1], drawn, column);
	for (i = 0; i < ROWS; i += 7)
		drawn[i % KEYS][i] = i % 2 == 0 ? NAN : INFINITY;
	found[0] = sdc_formula_find(unit_host(), key, KEYS, KEYS, true, column,
								ROWS, &formula);
	for (i = 0; i < ROWS; i++)
		before[i] = sdc_formula_apply(&formula, key, i);
	for (i = 0; i < ROWS; i++)
	{
		drawn[0][i] = ldexp(drawn[0][i], 900);
		drawn[1][i] = ldexp(drawn[1][i], -30);
		column[i] = ldexp(column[i], -1000);
	}
	found[1] = sdc_formula_find(unit_host(), key, KEYS, KEYS, true, column,
								ROWS, &formula);
	for (i = 0; i < ROWS; i++)
	{
		double now = sdc_formula_apply(&formula, key, i);

		same += isnan(now) ? isnan(before[i]) : now == ldexp(before[i], -1000);
	}
	unit_check(isnan(before[0]) && isnan(before[49]) && !isnan(before[1]),
			   "who lacks a key has no number");
	unit_check(found[0] && found[1] && same == ROWS,
			   "units by powers of two change nothing (%d of %d)", same, ROWS);
}

/* Few rows that are fitted follow some formula by chance, and the others do
 * not. */
static void
check_few(void)
{
	int found = 0;
	int c;

	for (c = 0; c < CASES; c++)
	{
		double drawn[KEYS][ROWS];
		const double *key[KEYS] = {drawn[0], drawn[1], drawn[2], drawn[3]};
		double column[ROWS];
		SdcFormula formula;
		int i;

		draw_keys(drawn);
		for (i = 0; i < ROWS; i++)
			column[i] = drawn[0][i] + drawn[1][i] +
						300 * sdc_random_normal(&random_state);
		found += sdc_formula_find(unit_host(), key, KEYS, KEYS, true, column,
								  70, &formula);
	}
	unit_check(found == 0, "nor is a sum with small errors of few (%d of %d)",
			   found, CASES);
}

/* A product of joined keys and a sum with others is found, and the others
 * dropped. */
static void
check_joined(void)
{
	double drawn[KEYS][ROWS];
	const double *key[KEYS] = {drawn[0], drawn[2], drawn[1], drawn[3]};
	double column[ROWS];
	SdcFormula formula;
	bool found;
	int near = 0;
	int i;

	draw_keys(drawn);
	for (i = 0; i < ROWS; i++)
		column[i] = drawn[0][i] * drawn[2][i] - 40 * drawn[1][i];
	found = sdc_formula_find(unit_host(), key, KEYS, 2, true, column, ROWS,
							 &formula);
	sdc_formula_drop(&formula, 2);
	for (i = 0; i < ROWS && found; i++)
	{
		double made = sdc_formula_apply(&formula, key, i) -
					  sdc_formula_apply(&formula, key, 0);
		double meant = drawn[0][i] * drawn[2][i] - drawn[0][0] * drawn[2][0];

		near += fabs(made - meant) < 1e-3;
	}
	unit_check(near == ROWS, "keys that are not joined are dropped (%d of %d)",
			   near, ROWS);
	for (i = 0; i < ROWS; i++)
		column[i] = drawn[1][i] * drawn[3][i];
	unit_check(!sdc_formula_find(unit_host(), key, KEYS, 2, true, column, ROWS,
								 &formula),
			   "and are in no product");
}

/* A key that most rows lack hides no formula of others. */
static void
check_sparse(void)
{
	double drawn[KEYS][ROWS];
	const double *key[KEYS] = {drawn[2], drawn[0], drawn[1], drawn[3]};
	double column[ROWS];
	SdcFormula formula;
	int i;

	draw_keys(drawn);
	fill_column(&cases[1], drawn, column);
	for (i = 0; i < ROWS; i++)
		if (i % 20 != 0)
			drawn[2][i] = NAN;
	unit_check(sdc_formula_find(unit_host(), key, KEYS, KEYS, true, column,
								ROWS, &formula) &&
				   fabs(sdc_formula_apply(&formula, key, 1) - column[1]) < 0.1,
			   "a key that most lack hides no formula");
}

/* A part of the rows that follows nothing hides no formula of the others, and
 * errors that all rows have are no such part. */
static void
check_wrong(double part, double error, double least)
{
	int found = 0;
	int c;

	for (c = 0; c < CASES; c++)
	{
		double drawn[KEYS][ROWS];
		const double *key[KEYS] = {drawn[0], drawn[1], drawn[2], drawn[3]};
		double column[ROWS];
		SdcFormula formula;
		int i;

		draw_keys(drawn);
		for (i = 0; i < ROWS; i++)
		{
			column[i] = (drawn[0][i] + drawn[1][i]) * drawn[2][i] +
						error * (sdc_random_unit(&random_state) - 0.5);
			if (sdc_random_unit(&random_state) < part)
				column[i] = 1e7 * sdc_random_unit(&random_state);
		}
		found += sdc_formula_find(unit_host(), key, KEYS, KEYS, true, column,
								  ROWS, &formula) &&
				 (least == 0 ||
				  fabs(sdc_formula_apply(&formula, key, 0) -
					   (drawn[0][0] + drawn[1][0]) * drawn[2][0]) < 0.1);
	}
	unit_check(least > 0 ? found >= least * CASES : found == 0,
			   "%g of the rows follow nothing, errors of %g: %d of %d found",
			   part, error, found, CASES);
}

/* The halves of the terms make the column. */
static void
check_halves(void)
{
	double drawn[KEYS][ROWS];
	const double *key[KEYS] = {drawn[0], drawn[1], drawn[2], drawn[3]};
	double column[ROWS];
	double worst = 0;
	SdcFormula formula;
	int i;
	int k;

	draw_keys(drawn);
	fill_column(&cases[1], drawn, column);
	unit_check(sdc_formula_find(unit_host(), key, KEYS, KEYS, true, column,
								ROWS, &formula),
			   "a distance has a formula");
	for (i = 0; i < ROWS; i++)
	{
		double sum = formula.constant;

		for (k = 0; k < formula.terms; k++)
			sum += formula.term[k].factor *
				   sdc_formula_half(&formula, k, 0, key, i) *
				   sdc_formula_half(&formula, k, 1, key, i);
		worst = fmax(worst,
					 fabs(sum / sdc_formula_turned(&formula, column[i]) - 1));
	}
	unit_check(worst < 1e-6, "halves of terms make it, turned (%.2g)", worst);
}

static void
check_little(void)
{
	double few[KEYS][ROWS];
	const double *key[KEYS] = {few[0], few[1], few[2], few[3]};
	double column[ROWS] = {0};
	SdcFormula formula;
	int32_t n;

	draw_keys(few);
	for (n = 0; n < 8; n++)
		if (sdc_formula_find(unit_host(), key, KEYS, KEYS, true, column, n,
							 &formula))
			break;
	unit_check(n == 8, "of few rows there is no formula");
	unit_check(!sdc_formula_find(unit_host(), key, KEYS, KEYS, true, column,
								 ROWS, &formula),
			   "nor of a constant");
}

int
main(void)
{
	size_t c;

	unit_start("formula");
	sdc_random_seed(&random_state, 50, 0);
	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
		check_case(&cases[c]);
	check_few();
	check_joined();
	check_sparse();
	check_wrong(0, 0.1, 1);
	check_wrong(0.1, 0.1, 0.9);
	check_wrong(0.25, 0.1, 0.6);
	check_wrong(0, 5e5, 0);
	check_halves();
	check_units();
	check_little();
	unit_release_all();
	return unit_finish();
}
