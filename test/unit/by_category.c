/*
 * by_category.c
 *		Lines and places by category, against laws that are known and counts
 *		that are made one by one.
 *
 * Seeds are fixed.
 */
#include "intruder_files.h"

#include "kernel/base/random.h"
#include "kernel/intruder/by_category.h"

#define N     600
#define CODES 12

static SdcRandom random_state;

/* Persons, their categories and numbers, and records in another order. */
typedef struct Case
{
	SdcIntruder *intruder;
	int32_t partner[N];
	int32_t code[N];
	double number[2][N];
	double column[N];
	double law[N]; /* what the column of each person is by its law */
	double learned[N];
	double line[N];
} Case;

static Case *
make_case(void)
{
	Case *made = sdc_new(unit_host(), Case, 1);
	int i;

	made->intruder =
		sdc_intruder_create(unit_host(), N, N, SDC_INTRUDER_ERROR, 5);
	for (i = 0; i < N; i++)
	{
		made->partner[i] = N - 1 - i;
		made->code[i] = (int32_t) sdc_random_below(&random_state, CODES);
		made->number[0][i] = sdc_random_normal(&random_state);
		made->number[1][i] = sdc_random_normal(&random_state);
	}
	return made;
}

/* Columns by a law of the category: a constant and two slopes. */
static void
make_law(Case *of, double noise)
{
	double factor[CODES][3];
	int i;

	for (i = 0; i < 3 * CODES; i++)
		factor[i / 3][i % 3] = 3 * sdc_random_normal(&random_state);
	for (i = 0; i < N; i++)
	{
		const double *own = factor[of->code[i]];

		of->law[i] =
			own[0] + own[1] * of->number[0][i] + own[2] * of->number[1][i];
		of->column[of->partner[i]] =
			of->law[i] + noise * sdc_random_normal(&random_state);
	}
}

static double
learn_by(Case *of, int numbers, int32_t step)
{
	SdcLines lines = {.persons = of->intruder->persons,
					  .partner = of->partner,
					  .column = of->column,
					  .code = of->code,
					  .codes = CODES,
					  .numbers = numbers,
					  .number = {sdc_standard_kept(of->number[0]),
								 sdc_standard_kept(of->number[1])},
					  .step = step,
					  .degrees = SDC_FIT_DEGREES};

	return sdc_lines_by_category(of->intruder->host, &lines, of->learned,
								 of->line);
}

static double
learn(Case *of, int numbers)
{
	return learn_by(of, numbers, 1);
}

/* How far a line is from the law at most, of whom counts. */
static double
farthest(const Case *of, const double *line)
{
	double most = 0;
	int i;

	for (i = 0; i < N; i++)
		most = fmax(most, fabs(line[i] - of->law[i]));
	return most;
}

/* The law of every second person is that of all: but for a category of which
 * too few are read for slopes of its own. */
static void
check_sample(void)
{
	Case *of = make_case();
	int read[CODES] = {0};
	int differ = 0;
	int few = 0;
	int i;

	make_law(of, 0);
	(void) learn_by(of, 2, 2);
	for (i = 0; i < N; i += 2)
		read[of->code[i]]++;
	for (i = 0; i < N; i++)
		if (read[of->code[i]] < 15)
			few++;
		else
			differ += fabs(of->line[i] - of->law[i]) > 1e-6;
	unit_check(differ == 0 && few < N / 2,
			   "of every second one: %d differ, %d are of few", differ, few);
	for (i = 0; i < N; i++)
		of->code[i] = i % 2;
	make_law(of, 0);
	(void) learn_by(of, 2, 2);
	unit_check(farthest(of, of->line) < 1e-6,
			   "categories that take turns are %.1e off",
			   farthest(of, of->line));
	unit_release_all();
}

/* A law is learned as it is, one in 40 records that are wrong or missing
 * notwithstanding. */
static void
check_law(void)
{
	Case *of = make_case();
	double found;
	int i;

	make_law(of, 0);
	found = learn(of, 2);
	unit_check(found > N - 1 && found < N + 1e-6 &&
				   farthest(of, of->line) < 1e-6 &&
				   farthest(of, of->learned) < 1e-6,
			   "a law explains %.3f of %d; %.1e and %.1e off", found, N,
			   farthest(of, of->line), farthest(of, of->learned));
	found = learn(of, 1);
	unit_check(found < 0.95 * N && farthest(of, of->line) > 1,
			   "without a number %.1f", found);
	for (i = 0; i < N; i += 40)
		of->column[i] = i % 80 == 0 ? NAN : of->column[i] + 30;
	(void) learn(of, 2);
	unit_check(farthest(of, of->line) < 0.05 &&
				   farthest(of, of->learned) < 0.05,
			   "with wrong records it is %.1e and %.1e off",
			   farthest(of, of->line), farthest(of, of->learned));
	unit_release_all();
}

/* Nobody learns from his own record, and of chance nothing is learned. */
static void
check_own(void)
{
	Case *of = make_case();
	double before[2];
	double found;
	int i;

	make_law(of, 0.5);
	(void) learn(of, 0);
	before[0] = of->learned[7];
	before[1] = of->line[7];
	of->column[of->partner[7]] += 100;
	(void) learn(of, 0);
	unit_check(of->learned[7] == before[0] && of->line[7] > before[1] + 0.5,
			   "the own record moves %.3g of others, %.3g of all",
			   of->learned[7] - before[0], of->line[7] - before[1]);
	for (i = 0; i < N; i++)
		of->column[i] = sdc_random_normal(&random_state);
	found = learn(of, 0) + learn(of, 2);
	unit_check(found == 0, "chance explains %.1f", found);
	unit_release_all();
}

/* A category of few links has the slopes of all and its own mean; one of the
 * own link alone has the line of all. */
static void
check_few(void)
{
	Case *of = make_case();
	double apart = 0;
	int i;

	for (i = 0; i < N; i++)
	{
		of->code[i] = i < 4 ? 0 : i == 4 ? 1 : 2 + i % 2;
		of->law[i] = 5.0 * (of->code[i] == 0) + 2 * of->number[0][i];
		of->column[of->partner[i]] = of->law[i];
	}
	(void) learn(of, 1);
	for (i = 0; i < 4; i++)
		apart = fmax(apart, fabs(of->line[i] - of->law[i]));
	unit_check(apart < 1e-3, "four links: %.1e off", apart);
	of->column[of->partner[4]] += 50;
	(void) learn(of, 1);
	unit_check(fabs(of->line[4] - of->law[4]) < 1 &&
				   fabs(of->learned[4] - of->law[4]) < 1,
			   "who is alone learns of himself: %.1e",
			   fabs(of->line[4] - of->law[4]));
	of->code[4] = -1;
	of->number[0][5] = NAN;
	(void) learn(of, 1);
	unit_check(isfinite(of->line[4]) && isfinite(of->line[5]) &&
				   isfinite(of->learned[5]),
			   "who lacks something has the line of all");
	unit_release_all();
}

/* Places, counted one by one. */
static double
counted(const Case *of, SdcGroupPlace place, int i)
{
	const double *x = of->number[0];
	double count = 0;
	double sum = 0;
	double square = 0;
	double below = 0;
	double above = 0;
	double least = x[i];
	double most = x[i];
	int j;

	for (j = 0; j < N; j++)
		if ((of->code[j] < 0 ? -1 : of->code[j]) ==
				(of->code[i] < 0 ? -1 : of->code[i]) &&
			!isnan(x[j]))
		{
			count++;
			sum += x[j];
			below += x[j] < x[i];
			above += x[j] > x[i];
			least = fmin(least, x[j]);
			most = fmax(most, x[j]);
		}
	for (j = 0; j < N; j++)
		if ((of->code[j] < 0 ? -1 : of->code[j]) ==
				(of->code[i] < 0 ? -1 : of->code[i]) &&
			!isnan(x[j]))
			square += (x[j] - sum / count) * (x[j] - sum / count);
	switch (place)
	{
		case SDC_PLACE_RANK:
			return below;
		case SDC_PLACE_RANK_DOWN:
			return above;
		case SDC_PLACE_PART:
			return count > 1 ? below / (count - 1) : 0;
		case SDC_PLACE_SHARE:
			return x[i] / sum;
		case SDC_PLACE_TO_MOST:
			return x[i] / most;
		case SDC_PLACE_UNDER_MOST:
			return most - x[i];
		case SDC_PLACE_OVER_LEAST:
			return x[i] - least;
		case SDC_PLACE_FROM_MEAN:
			return x[i] - sum / count;
		case SDC_PLACE_TO_MEAN:
			return x[i] / (sum / count);
		case SDC_PLACE_STANDARD:
			return (x[i] - sum / count) / sqrt(square / (count - 1));
		case SDC_PLACE_SUM:
			return sum;
		default:
			return 0;
	}
}

/* The next smaller number, equal ones of which there is one before. */
static bool
next_is_right(const Case *of, const SdcGroups *groups, int i)
{
	double over = sdc_group_place(groups, SDC_PLACE_OVER_NEXT, i);
	double next = -INFINITY;
	int equal = 0;
	int j;

	for (j = 0; j < N; j++)
		if (of->code[j] == of->code[i] && !isnan(of->number[0][j]))
		{
			equal += j != i && of->number[0][j] == of->number[0][i];
			if (of->number[0][j] < of->number[0][i])
				next = fmax(next, of->number[0][j]);
		}
	if (isnan(over))
		return next == -INFINITY;
	return over == of->number[0][i] - next || (equal > 0 && over == 0);
}

static void
check_places(void)
{
	Case *of = make_case();
	uint64_t *key = sdc_new(unit_host(), uint64_t, N);
	int32_t *order = sdc_new(unit_host(), int32_t, N);
	SdcGroups groups;
	int wrong = 0;
	int place;
	int i;

	for (i = 0; i < N; i++)
	{
		of->code[i] = i % 17 == 0 ? -1 : i == 1 ? CODES - 1 : i % (CODES - 1);
		of->number[0][i] =
			i % 23 == 0 ? NAN
						: (double) sdc_random_below(&random_state, 40) + 1;
		key[i] = sdc_sort_key(of->number[0][i]);
		order[i] = i;
	}
	sdc_sort_keys(unit_host(), key, order, N);
	groups =
		sdc_groups_of(unit_host(), N, of->number[0], order, of->code, CODES);
	for (i = 0; i < N; i++)
		for (place = 0; place < SDC_PLACES; place++)
		{
			double got = sdc_group_place(&groups, (SdcGroupPlace) place, i);
			double want = counted(of, (SdcGroupPlace) place, i);

			if (isnan(of->number[0][i]))
				wrong += !isnan(got);
			else if (place == SDC_PLACE_OVER_NEXT)
				wrong += !next_is_right(of, &groups, i);
			else if (place == SDC_PLACE_STANDARD && i == 1)
				wrong += !isnan(got); /* he is alone */
			else
				wrong += !(fabs(got - want) <= 1e-9 * (1 + fabs(want)));
		}
	unit_check(wrong == 0, "%d places are not those counted", wrong);
	sdc_groups_release(unit_host(), &groups);
	unit_release_all();
}

/* The mean of what the others of a name have of a number, made one by one. */
static double
mean_of_others(const double *number, const int32_t *code, int32_t i)
{
	double sum = 0;
	int count = 0;
	int k;

	for (k = 0; k < N; k++)
		if (k != i && code[k] == code[i] && isfinite(number[k]))
		{
			sum += number[k];
			count++;
		}
	return code[i] < 0 || count == 0 ? NAN : sum / count;
}

/* Names are means of the others, of the number that goes with them. */
static void
check_names(void)
{
	Case *of = make_case();
	const double *mask[2] = {of->number[0], of->number[1]};
	SdcIntruderReleased released = {.masks = 2, .mask = mask};
	int wrong = 0;
	int i;

	for (i = 0; i < N; i++)
	{
		/* four of each name, but for one that is alone, and some without */
		of->code[i] = i % 50 == 7 ? -1 : i == 0 ? N / 4 : i / 4;
		of->number[1][i] += 3 * (of->code[i] % 9);
	}
	of->number[1][8] = NAN;
	of->number[1][9] = INFINITY;
	unit_check(sdc_intruder_masked_means(of->intruder, &released, of->code,
										 N / 4 + 1, of->line),
			   "names go with a number");
	for (i = 0; i < N; i++)
	{
		double want = mean_of_others(of->number[1], of->code, i);

		wrong += isnan(want) ? !isnan(of->line[i])
							 : !(fabs(of->line[i] - want) <= 1e-9);
	}
	unit_check(wrong == 0, "%d names are not the means of the others", wrong);
	released.masks = 0;
	unit_check(!sdc_intruder_masked_means(of->intruder, &released, of->code,
										  N / 4 + 1, of->line) &&
				   isnan(of->line[5]),
			   "without a masked key names have no means");
	unit_release_all();
}

int
main(void)
{
	unit_start("lines and places by category");
	sdc_random_seed(&random_state, 8, 2);
	check_law();
	check_own();
	check_few();
	check_places();
	check_names();
	check_sample();
	return unit_finish();
}
