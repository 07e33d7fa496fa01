/*
 * singling_out.c
 *		Predicates that fit one released record, tried on the originals.
 *
 * A control of another size is isolated in more or less often than one of the
 * size of the original.  As Giomi et al. do, the rate at which a predicate of
 * weight up to w isolates in n records, K int_0^w n v (1 - v)^(n-1) dv, is
 * fitted, here to what the predicates are expected to isolate in samples of
 * the original, which their counts in it tell exactly (hypergeometric); the
 * control is scaled by its ratio at both sizes.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/elementary.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/questions/questions.h"
#include "kernel/questions/questions_private.h"

/* Columns of a predicate at the most, and draws for each predicate. */
#define MOST_COLUMNS 16
#define DRAWS        20

/* Rows whose conditions are evaluated at a time. */
#define BLOCK 1024

/* Sizes of samples that the rate is fitted to, and weights that are tried. */
#define SIZES   10
#define WEIGHTS 400

typedef enum Comparison
{
	EQUAL,
	AT_MOST,
	AT_LEAST,
	ABSENT
} Comparison;

typedef struct Condition
{
	int column;
	Comparison comparison;
	double number;
	int32_t code;
} Condition;

typedef struct Predicate
{
	int conditions;
	Condition condition[MOST_COLUMNS];
} Predicate;

/* ----------------------------------------------------------------------
 * How many records a predicate fits.
 * ----------------------------------------------------------------------
 */

SDC_CLONES static void
apply_number(const Condition *condition, const double *number, int32_t n,
			 uint8_t *fits)
{
	double x = condition->number;
	int32_t i;

	/* a comparison with NaN is false */
	switch (condition->comparison)
	{
		case EQUAL:
			for (i = 0; i < n; i++)
				fits[i] &= number[i] == x;
			break;
		case AT_MOST:
			for (i = 0; i < n; i++)
				fits[i] &= number[i] <= x;
			break;
		case AT_LEAST:
			for (i = 0; i < n; i++)
				fits[i] &= number[i] >= x;
			break;
		case ABSENT:
			for (i = 0; i < n; i++)
				fits[i] &= isnan(number[i]) != 0;
	}
}

SDC_CLONES static void
apply_code(const Condition *condition, const int32_t *code, int32_t n,
		   uint8_t *fits)
{
	int32_t i;

	for (i = 0; i < n; i++)
		fits[i] &= condition->comparison == ABSENT
					   ? code[i] < 0
					   : code[i] == condition->code;
}

/* Records that a predicate fits, counted as far as most + 1. */
static int32_t
count_fits(SdcHost *host, const SdcQuestionFile *file,
		   const Predicate *predicate, int32_t most)
{
	uint8_t fits[BLOCK];
	int32_t count = 0;
	int32_t first;
	int32_t i;
	int c;

	for (first = 0; first < file->rows && count <= most; first += BLOCK)
	{
		int32_t n = file->rows - first < BLOCK ? file->rows - first : BLOCK;

		memset(fits, 1, sizeof(fits));
		for (c = 0; c < predicate->conditions; c++)
		{
			const Condition *condition = &predicate->condition[c];
			int j = condition->column;

			if (c > 0 && memchr(fits, 1, (size_t) n) == NULL)
				break;
			if (file->number[j] != NULL)
				apply_number(condition, file->number[j] + first, n, fits);
			else
				apply_code(condition, file->code[j] + first, n, fits);
		}
		for (i = 0; c == predicate->conditions && i < n; i++)
			count += fits[i];
	}
	host->poll(host, 0, 0);
	return count;
}

/* ----------------------------------------------------------------------
 * Predicates.
 * ----------------------------------------------------------------------
 */

/* Some of those that were offered, each with the same chance. */
typedef struct Predicates
{
	int32_t count;
	int32_t room;
	int64_t offered;
	Predicate *predicate;
} Predicates;

/* Keeps one in place of a random other one once there is no room (Vitter) */
static void
offer_predicate(Predicates *predicates, const Predicate *predicate,
				SdcRandom *random)
{
	uint64_t at = (uint64_t) predicates->count;

	predicates->offered++;
	if (predicates->count < predicates->room)
		predicates->count++;
	else
		at = sdc_random_below(random, (uint64_t) predicates->offered);
	if (at < (uint64_t) predicates->room)
		predicates->predicate[at] = *predicate;
}

/* The rows of a released column in the order of its values. */
static int32_t *
sort_column(SdcHost *host, const SdcQuestionFile *file, int j, uint64_t *key)
{
	int32_t *order = sdc_new(host, int32_t, (size_t) file->rows + 1);
	int32_t i;

	for (i = 0; i < file->rows; i++)
	{
		order[i] = i;
		key[i] = file->number[j] != NULL
					 ? sdc_sort_key(file->number[j][i])
					 : (uint64_t) ((int64_t) file->code[j][i] + 1);
	}
	sdc_sort_keys(host, key, order, (size_t) file->rows);
	return order;
}

/* The condition that a column has the value of a row. */
static Condition
equal_to(const SdcQuestionFile *file, int j, int32_t row)
{
	Condition condition = {j, EQUAL, 0, 0};

	if (file->number[j] != NULL)
	{
		condition.number = file->number[j][row];
		if (isnan(condition.number))
			condition.comparison = ABSENT;
	}
	else
	{
		condition.code = file->code[j][row];
		if (condition.code < 0)
			condition.comparison = ABSENT;
	}
	return condition;
}

/* Values of a column that occur once; of a number the ends as well. */
static void
list_column(SdcHost *host, const SdcQuestionFile *file, int j,
			SdcRandom *random, Predicates *predicates)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) file->rows + 1);
	int32_t *order = sort_column(host, file, j, key);
	int32_t i;

	for (i = 0; i < file->rows; i++)
	{
		Predicate predicate = {1, {equal_to(file, j, order[i])}};
		bool last =
			i + 1 == file->rows ||
			(file->number[j] != NULL && isnan(file->number[j][order[i + 1]]));

		if ((i > 0 && key[i - 1] == key[i]) ||
			(i + 1 < file->rows && key[i + 1] == key[i]))
			continue;
		offer_predicate(predicates, &predicate, random);
		if (file->number[j] == NULL ||
			predicate.condition[0].comparison == ABSENT)
			continue;
		predicate.condition[0].comparison = i == 0 ? AT_MOST : AT_LEAST;
		if (i == 0 || last)
			offer_predicate(predicates, &predicate, random);
	}
	host->release(host, key);
	host->release(host, order);
}

/* The middle of each released number. */
static double *
find_medians(SdcHost *host, const SdcQuestions *questions)
{
	const SdcQuestionFile *file = &questions->released;
	double *median = sdc_new(host, double, (size_t) questions->columns);
	uint64_t *key = sdc_new(host, uint64_t, (size_t) file->rows + 1);
	int j;

	for (j = 0; j < questions->columns; j++)
	{
		int32_t *order;
		int32_t count = 0;

		median[j] = NAN;
		if (file->number[j] == NULL)
			continue;
		order = sort_column(host, file, j, key);
		while (count < file->rows && !isnan(file->number[j][order[count]]))
			count++;
		if (count > 0)
			median[j] = file->number[j][order[(count - 1) / 2]];
		host->release(host, order);
	}
	host->release(host, key);
	return median;
}

/* Different columns in random order: the first ones of a shuffle. */
static void
draw_columns(const SdcQuestions *questions, int wanted, SdcRandom *random,
			 int *column)
{
	int all[64];
	int i;

	for (i = 0; i < questions->columns; i++)
		all[i] = i;
	for (i = 0; i < wanted; i++)
	{
		int other = i + (int) sdc_random_below(
							random, (uint64_t) (questions->columns - i));

		column[i] = all[other];
		all[other] = all[i];
	}
}

/*
 * Conditions on some columns of one released record, by where it stands to the
 * medians; without these a guess, that knows nothing but which values there
 * are: each condition from another record.
 */
static Predicate
make_predicate(const SdcQuestions *questions, const double *median,
			   int columns, SdcRandom *random)
{
	const SdcQuestionFile *file = &questions->released;
	uint64_t rows = (uint64_t) file->rows;
	Predicate predicate = {columns, {{0, EQUAL, 0, 0}}};
	int column[MOST_COLUMNS];
	int32_t row = 0;
	int c;

	if (median != NULL)
		row = (int32_t) sdc_random_below(random, rows);
	draw_columns(questions, columns, random, column);
	for (c = 0; c < columns; c++)
	{
		Condition *condition = &predicate.condition[c];
		int j = column[c];

		if (median == NULL)
			row = (int32_t) sdc_random_below(random, rows);
		*condition = equal_to(file, j, row);
		if (file->number[j] == NULL || condition->comparison != EQUAL)
			continue;
		if (median == NULL)
			condition->comparison = (Comparison) sdc_random_below(random, 3);
		else
			condition->comparison =
				condition->number >= median[j] ? AT_LEAST : AT_MOST;
	}
	return predicate;
}

static void
draw_multivariate(SdcHost *host, const SdcQuestions *questions, int columns,
				  int32_t attacks, SdcRandom *random, Predicates *predicates)
{
	double *median = find_medians(host, questions);
	int64_t draws = (int64_t) attacks * DRAWS;

	for (; draws > 0 && predicates->count < attacks; draws--)
	{
		Predicate predicate =
			make_predicate(questions, median, columns, random);

		if (count_fits(host, &questions->released, &predicate, 1) == 1)
			offer_predicate(predicates, &predicate, random);
	}
	host->release(host, median);
}

/* ----------------------------------------------------------------------
 * A control of another size.
 * ----------------------------------------------------------------------
 */

/* (1 - w)^n for 0 < w < 1. */
static double
power_of_rest(double w, double n)
{
	return sdc_exp(n * sdc_random_log(1 - w));
}

/* int_0^w n v (1 - v)^(n-1) dv */
static double
isolation_rate(double n, double w)
{
	return (1 - power_of_rest(w, n + 1)) / (n + 1) - w * power_of_rest(w, n);
}

/*
 * That a sample of m of n records has exactly one of the k that a predicate
 * fits: k m / n times that none of the others is there.
 */
static double
expected_isolation(double n, double m, double k)
{
	double chance = k * m / n;
	double i;

	for (i = 0; i < k - 1 && chance > 1e-15; i++)
		chance *= n - m - i <= 0 ? 0 : (n - m - i) / (n - 1 - i);
	return chance;
}

/* How much more often predicates isolate in n records than in m. */
static double
size_correction(const int32_t *fits, int32_t count, int32_t n, int32_t m)
{
	double rate[SIZES];
	double best = INFINITY;
	double ratio = 1;
	int s;
	int w;
	int32_t i;

	for (s = 0; s < SIZES; s++)
	{
		rate[s] = 0;
		for (i = 0; i < count; i++)
			if (fits[i] > 0)
				rate[s] += expected_isolation(
					n, floor((double) n * (s + 1) / SIZES), fits[i]);
	}
	for (w = 0; w < WEIGHTS; w++)
	{
		/* weights from 1 / (100 n) to 0.9, in equal ratios */
		double weight =
			0.9 * sdc_exp(-sdc_random_log(90.0 * n) * w / (WEIGHTS - 1));
		double product = 0;
		double squares = 0;
		double error = 0;

		for (s = 0; s < SIZES; s++)
		{
			double f =
				isolation_rate(floor((double) n * (s + 1) / SIZES), weight);

			product += f * rate[s];
			squares += f * f;
		}
		for (s = 0; s < SIZES && squares > 0; s++)
		{
			double f =
				isolation_rate(floor((double) n * (s + 1) / SIZES), weight);
			double miss = rate[s] - product / squares * f;

			error += miss * miss;
		}
		if (squares == 0 || error >= best || isolation_rate(m, weight) <= 0)
			continue;
		best = error;
		ratio = isolation_rate(n, weight) / isolation_rate(m, weight);
	}
	return ratio;
}

SdcQuestionCount
sdc_question_single_out(SdcHost *host, const SdcQuestions *questions,
						int columns, int32_t attacks, SdcRandom *random)
{
	SdcQuestionCount found = {0, 0, 0, 0, 0};
	Predicates predicates = {0, attacks, 0, NULL};
	bool same_size = questions->control.rows == questions->used.rows;
	int32_t *fits;
	int32_t i;
	int j;

	if (questions->released.rows == 0)
		return found;
	if (columns > questions->columns)
		columns = questions->columns;
	if (columns > MOST_COLUMNS)
		columns = MOST_COLUMNS;
	predicates.predicate = sdc_new(host, Predicate, (size_t) attacks + 1);
	if (columns == 1)
		for (j = 0; j < questions->columns; j++)
			list_column(host, &questions->released, j, random, &predicates);
	else
		draw_multivariate(host, questions, columns, attacks, random,
						  &predicates);
	fits = sdc_new(host, int32_t, (size_t) attacks + 1);
	for (i = 0; i < predicates.count; i++)
	{
		Predicate guess = make_predicate(questions, NULL, columns, random);
		int32_t most = same_size || questions->control.rows == 0 ? 1 : 1000;

		fits[i] =
			count_fits(host, &questions->used, &predicates.predicate[i], most);
		found.used_right += fits[i] == 1;
		found.guess_right +=
			count_fits(host, &questions->used, &guess, 1) == 1;
		if (questions->control.rows > 0)
			found.control_right +=
				count_fits(host, &questions->control, &predicates.predicate[i],
						   1) == 1;
	}
	found.used = predicates.count;
	if (questions->control.rows > 0)
		found.control = predicates.count;
	if (found.control_right > 0 && !same_size)
		found.control_right =
			fmin(found.control, found.control_right *
									size_correction(fits, predicates.count,
													questions->used.rows,
													questions->control.rows));
	host->release(host, fits);
	host->release(host, predicates.predicate);
	return found;
}
