/*
 * released.c
 *		Columns that are no keys and go with them, against who knows the line.
 *
 * The key is masked with noise as wide as itself, so that by itself it finds
 * next to nobody.  Seeds are fixed.
 */
#include "intruder_files.h"

#include "kernel/base/elementary.h"
#include "kernel/mask/noise.h"

#define N 500

static SdcRandom random_state;

/* What a case releases beside the masked key. */
typedef struct Case
{
	double key[N];
	double masked[N];
	double column[SDC_INTRUDER_RELEASED][N];
	int columns;
	bool used[SDC_INTRUDER_RELEASED];
} Case;

static Case *
make_case(int columns)
{
	Case *made = sdc_new(unit_host(), Case, 1);
	int i;

	made->columns = columns;
	for (i = 0; i < N; i++)
	{
		made->key[i] = sdc_exp(4 + sdc_random_normal(&random_state));
		made->masked[i] = made->key[i] + 50 * sdc_random_normal(&random_state);
	}
	return made;
}

static double
normal(void)
{
	return sdc_random_normal(&random_state);
}

/* The records that are found by the likeliest link, one person at a time. */
static int
attack(Case *of)
{
	const double *person = of->key;
	const double *mask = of->masked;
	const double *record[SDC_INTRUDER_RELEASED];
	double base = 0;
	int32_t partner[N];
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), N, N, SDC_INTRUDER_ERROR, 5);
	SdcIntruderNoise noise = {.law = SDC_NOISE_GAUSSIAN,
							  .alpha = 1,
							  .columns = 1,
							  .person = &person,
							  .record = &mask,
							  .base = &base};
	SdcIntruderReleased released = {1,           &person, 1,       &mask,
									of->columns, record,  partner, of->used};
	SdcIntruderCandidates *found;
	int right = 0;
	int i;

	for (i = 0; i < of->columns; i++)
		record[i] = of->column[i];
	for (i = 0; i < N; i++)
		partner[i] = i;
	sdc_intruder_add_noise(intruder, &noise);
	sdc_intruder_add_released(intruder, &released);
	found = search_all(intruder, NULL, N, 64, SDC_INTRUDER_DEPTH, false);
	for (i = 0; i < N; i++)
		right += found->record[found->lists.column[found->lists.first[i]]] ==
				 found->person[i];
	return right;
}

/* The records that the nearest one finds, by the line itself. */
static int
nearest(const double *expected, const double *column)
{
	int right = 0;
	int i;
	int j;

	for (i = 0; i < N; i++)
	{
		int best = 0;

		for (j = 1; j < N; j++)
			if (fabs(column[j] - expected[i]) <
				fabs(column[best] - expected[i]))
				best = j;
		right += best == i;
	}
	return right;
}

/* A tax, with one in 50 who pays something else and some who hide it. */
static void
check_line(void)
{
	Case *of = make_case(2);
	double expected[N];
	int by_line;
	int found;
	int i;

	for (i = 0; i < N; i++)
	{
		of->column[0][i] = normal();
		expected[i] = 0.7 * of->key[i] - 3;
		of->column[1][i] =
			i % 50 == 0 ? 1e5 * normal() : expected[i] + 0.1 * normal();
	}
	by_line = nearest(expected, of->column[1]);
	for (i = 7; i < N; i += 40)
		of->column[1][i] = NAN;
	found = attack(of);
	unit_check(!of->used[0] && of->used[1] && found > by_line - 25,
			   "a line: %d found, %d by who knows it", found, by_line);
	unit_release_all();
}

/* By its logarithm. */
static void
check_size(void)
{
	Case *of = make_case(1);
	double expected[N];
	int by_line;
	int found;
	int i;

	for (i = 0; i < N; i++)
	{
		expected[i] = of->key[i] * of->key[i];
		of->column[0][i] = expected[i] * sdc_exp(0.002 * normal());
	}
	by_line = nearest(expected, of->column[0]);
	found = attack(of);
	unit_check(of->used[0] && found > by_line / 2,
			   "a square: %d found, %d by who knows it", found, by_line);
	unit_release_all();
}

/* A sum with a column that says nothing by itself. */
static void
check_sum(void)
{
	Case *of = make_case(2);
	int found;
	int i;

	for (i = 0; i < N; i++)
	{
		of->column[0][i] = 300 * normal();
		of->column[1][i] = of->key[i] + of->column[0][i];
	}
	found = attack(of);
	unit_check(!of->used[0] && of->used[1] && found > N * 0.95,
			   "a sum: %d of %d found", found, N);
	unit_release_all();
}

/* What goes with the masked key tells nothing that the key does not. */
static void
check_copies(void)
{
	Case *of = make_case(3);
	int i;

	for (i = 0; i < N; i++)
	{
		of->column[0][i] = 3 * of->masked[i] + 1;
		of->column[1][i] = of->masked[i] + 20 * normal();
		of->column[2][i] = normal();
	}
	attack(of);
	unit_check(!of->used[0] && !of->used[1] && !of->used[2],
			   "copies of a masked key are not counted again (%d %d %d)",
			   of->used[0], of->used[1], of->used[2]);
	unit_release_all();
}

int
main(void)
{
	unit_start("columns that go with a key");
	sdc_random_seed(&random_state, 8, 1);
	check_line();
	check_size();
	check_sum();
	check_copies();
	return unit_finish();
}
