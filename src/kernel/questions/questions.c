/*
 * questions.c
 *		The three questions of data protection law, asked of a released file:
 *		rates and risks, then singling out, then what the nearest records tell.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/elementary.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/questions/questions.h"

/*
 * Distances of scaled columns, as whole numbers.
 *
 * Gower's distance (1971): a number counts by its share of the range of the
 * column, a category or one NULL by 1.  In whole numbers sums are exact, so
 * ties are found, and a column can be taken off a sum again.
 */
#define SCALED_ONE (1 << 20)

/* As far from every number as a column can be; codes have their own. */
#define SCALED_NULL (-(1 << 22))

/* The normal quantile of two-sided 95 percent. */
#define Z 1.959963984540054

static SdcQuestionRate
question_rate(double right, double tried)
{
	SdcQuestionRate rate = {0, 0};

	if (tried <= 0)
		return rate;
	rate.rate = (right + Z * Z / 2) / (tried + Z * Z);
	rate.error = Z / (tried + Z * Z) *
				 sqrt(right * (tried - right) / tried + Z * Z / 4);
	return rate;
}

static double
cut(double share)
{
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

SdcQuestionRisk
sdc_question_risk(const SdcQuestionCount *count)
{
	SdcQuestionRisk risk;
	double rest;
	double error;
	double r;

	risk.used = question_rate(count->used_right, count->used);
	risk.guess = question_rate(count->guess_right, count->used);
	risk.control = question_rate(count->control_right, count->control);
	risk.better = risk.used.rate > risk.guess.rate;
	rest = 1 - risk.control.rate;
	if (count->used <= 0 || rest <= 0)
	{
		risk.risk = risk.low = risk.high = NAN;
		return risk;
	}
	r = (risk.used.rate - risk.control.rate) / rest;
	error =
		sqrt(risk.used.error / rest * (risk.used.error / rest) +
			 risk.control.error * (1 - risk.used.rate) / (rest * rest) *
				 (risk.control.error * (1 - risk.used.rate) / (rest * rest)));
	risk.risk = cut(r);
	risk.low = cut(r - error);
	risk.high = cut(r + error);
	return risk;
}

/* ----------------------------------------------------------------------
 * The order of records, and the scale of columns.
 * ----------------------------------------------------------------------
 */

/* Puts a column into a new order. */
static void
reorder(SdcHost *host, SdcQuestionFile *file, int j, const int32_t *order)
{
	size_t rows = (size_t) file->rows;
	double *number = NULL;
	int32_t *code = NULL;
	size_t i;

	if (file->number[j] != NULL)
		number = sdc_new(host, double, rows);
	else
		code = sdc_new(host, int32_t, rows);
	for (i = 0; i < rows; i++)
		if (number != NULL)
			number[i] = file->number[j][order[i]];
		else
			code[i] = file->code[j][order[i]];
	file->number[j] = number;
	file->code[j] = code;
}

static void
sort_file(SdcHost *host, SdcQuestionFile *file, int columns)
{
	size_t rows = (size_t) file->rows;
	uint64_t *key = sdc_new(host, uint64_t, rows + 1);
	int32_t *order = sdc_new(host, int32_t, rows + 1);
	size_t i;
	int j;

	for (i = 0; i < rows; i++)
		order[i] = (int32_t) i;
	for (j = columns - 1; j >= 0; j--)
	{
		for (i = 0; i < rows; i++)
			key[i] = file->number[j] != NULL
						 ? sdc_sort_key(file->number[j][order[i]])
						 : (uint64_t) ((int64_t) file->code[j][order[i]] + 1);
		sdc_sort_keys(host, key, order, rows);
	}
	for (j = 0; j < columns; j++)
		reorder(host, file, j, order);
	host->release(host, key);
	host->release(host, order);
}

/* Extremes and deviation of a column in all files, by their order. */
typedef struct Range
{
	double low;
	double high;
} Range;

static void
widen(const SdcQuestionFile *file, int j, Range *range)
{
	int32_t i;

	for (i = 0; i < file->rows; i++)
	{
		range->low = fmin(range->low, file->number[j][i]);
		range->high = fmax(range->high, file->number[j][i]);
	}
}

static double
deviation_of(const SdcQuestionFile *file, int j)
{
	double count = 0;
	double mean = 0;
	double squares = 0;
	int32_t i;

	for (i = 0; i < file->rows; i++)
	{
		double x = file->number[j][i];
		double before = x - mean;

		if (isnan(x))
			continue;
		mean += before / ++count;
		squares += before * (x - mean);
	}
	return count > 1 ? sqrt(squares / (count - 1)) : 0;
}

static int32_t
scale_number(double x, const Range *range)
{
	double width = range->high / 2 - range->low / 2;

	if (isnan(x))
		return SCALED_NULL;
	if (width == 0)
		return 0;
	return (int32_t) floor((x / 2 - range->low / 2) / width * SCALED_ONE +
						   0.5);
}

static void
scale_file(SdcHost *host, SdcQuestionFile *file, int columns,
		   const Range *range)
{
	int32_t i;
	int j;

	file->scaled = sdc_new(host, int32_t *, (size_t) columns);
	for (j = 0; j < columns; j++)
	{
		file->scaled[j] = file->code[j];
		if (file->number[j] == NULL)
			continue;
		file->scaled[j] = sdc_new(host, int32_t, (size_t) file->rows + 1);
		for (i = 0; i < file->rows; i++)
			file->scaled[j][i] = scale_number(file->number[j][i], &range[j]);
	}
}

void
sdc_question_scale(SdcHost *host, SdcQuestions *questions)
{
	SdcQuestionFile *file[] = {&questions->used, &questions->released,
							   &questions->control};
	size_t columns = (size_t) questions->columns;
	Range *range = sdc_new(host, Range, columns);
	int j;
	int f;

	questions->deviation = sdc_new(host, double, columns);
	for (f = 0; f < 3; f++)
		sort_file(host, file[f], questions->columns);
	for (j = 0; j < questions->columns; j++)
	{
		range[j].low = INFINITY;
		range[j].high = -INFINITY;
		questions->deviation[j] = 0;
		if (questions->used.number[j] == NULL)
			continue;
		for (f = 0; f < 3; f++)
			widen(file[f], j, &range[j]);
		questions->deviation[j] = deviation_of(&questions->used, j);
	}
	for (f = 0; f < 3; f++)
		scale_file(host, file[f], questions->columns, range);
	host->release(host, range);
}

/*
 * Numbers of rows, drawn without replacement, in ascending order; all when
 * there are no more than wanted.  *count is how many.  O(rows).
 */
static int32_t *
question_sample(SdcHost *host, int32_t rows, int32_t wanted, SdcRandom *random,
				int32_t *count)
{
	int32_t left = wanted < rows ? wanted : rows;
	int32_t *row = sdc_new(host, int32_t, (size_t) left + 1);
	int32_t i;

	*count = 0;
	for (i = 0; i < rows && left > 0; i++)
		if (sdc_random_below(random, (uint64_t) (rows - i)) < (uint64_t) left)
		{
			row[(*count)++] = i;
			left--;
		}
	return row;
}

/* ----------------------------------------------------------------------
 * Predicates that fit one released record, tried on the originals.
 *
 * A control of another size is isolated in more or less often than one of the
 * size of the original.  As Giomi et al. do, the rate at which a predicate of
 * weight up to w isolates in n records, K int_0^w n v (1 - v)^(n-1) dv, is
 * fitted, here to what the predicates are expected to isolate in samples of
 * the original, which their counts in it tell exactly (hypergeometric); the
 * control is scaled by its ratio at both sizes.
 * ----------------------------------------------------------------------
 */

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

static void
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

static void
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

			if (file->number[j] != NULL)
				apply_number(condition, file->number[j] + first, n, fits);
			else
				apply_code(condition, file->code[j] + first, n, fits);
		}
		for (i = 0; i < n; i++)
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

/* ----------------------------------------------------------------------
 * Questions that nearest released records answer.
 *
 * Records are compared in blocks that stay in the cache, each with all people
 * that are attacked; sums of whole numbers, so that equal distances are equal
 * and a compiler makes vector instructions of the loops.
 * ----------------------------------------------------------------------
 */

/* Records of a block. */
#define NEAREST_QUESTION_BLOCK 2048

/* Adds a column's distances from x to n values; or sets them. */
SDC_CLONES static void
add_numbers(const int32_t *restrict value, int32_t x, int32_t n,
			int32_t *restrict sum)
{
	int32_t i;

	for (i = 0; i < n; i++)
	{
		int32_t difference = value[i] > x ? value[i] - x : x - value[i];

		sum[i] += difference < SCALED_ONE ? difference : SCALED_ONE;
	}
}

SDC_CLONES static void
add_codes(const int32_t *restrict value, int32_t x, int32_t n,
		  int32_t *restrict sum)
{
	int32_t i;

	for (i = 0; i < n; i++)
		sum[i] += value[i] == x ? 0 : SCALED_ONE;
}

/* The least of n sums less another one. */
SDC_CLONES static int32_t
least_of(const int32_t *restrict sum, const int32_t *restrict less, int32_t n)
{
	int32_t least = INT32_MAX;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		int32_t value = sum[i] - less[i];

		least = value < least ? value : least;
	}
	return least;
}

static void
add_column(const SdcQuestions *questions, const SdcQuestionFile *from,
		   int32_t first, int32_t n, int j, int32_t x, int32_t *sum)
{
	if (questions->used.number[j] != NULL)
		add_numbers(from->scaled[j] + first, x, n, sum);
	else
		add_codes(from->scaled[j] + first, x, n, sum);
}

static int32_t
block_rows(const SdcQuestionFile *file, int32_t first)
{
	return file->rows - first < NEAREST_QUESTION_BLOCK
			   ? file->rows - first
			   : NEAREST_QUESTION_BLOCK;
}

/* ----------------------------------------------------------------------
 * Linkability.
 * ----------------------------------------------------------------------
 */

/* The k least distances of somebody, ascending, by each side. */
typedef struct Near
{
	int k;
	int32_t *least; /* [person][side][k] */
} Near;

static void
keep_least(int32_t *least, int k, int32_t distance)
{
	int i;

	if (distance >= least[k - 1])
		return;
	for (i = k - 1; i > 0 && least[i - 1] > distance; i--)
		least[i] = least[i - 1];
	least[i] = distance;
}

/* The distances of a person to a block by the columns of one side. */
static void
measure_side(const SdcQuestions *questions, const SdcQuestionFile *people,
			 int32_t person, const int *side, int which, int32_t first,
			 int32_t n, int32_t *sum)
{
	int j;

	memset(sum, 0, sizeof(int32_t) * (size_t) n);
	for (j = 0; j < questions->columns; j++)
		if (side[j] == which)
			add_column(questions, &questions->released, first, n, j,
					   people->scaled[j][person], sum);
}

static void
find_least(SdcHost *host, const SdcQuestions *questions,
		   const SdcQuestionFile *people, const int32_t *person, int32_t count,
		   const int *side, Near *near)
{
	int32_t sum[NEAREST_QUESTION_BLOCK];
	int32_t none[NEAREST_QUESTION_BLOCK] = {0};
	int32_t first;
	int32_t p;
	int32_t i;
	int s;

	for (first = 0; first < questions->released.rows;
		 first += NEAREST_QUESTION_BLOCK)
	{
		int32_t n = block_rows(&questions->released, first);

		for (p = 0; p < count; p++)
			for (s = 0; s < 2; s++)
			{
				int32_t *least = near->least + ((size_t) p * 2 + (size_t) s) *
												   (size_t) near->k;

				measure_side(questions, people, person[p], side, s + 1, first,
							 n, sum);
				if (near->k == 1)
					keep_least(least, 1, least_of(sum, none, n));
				else
					for (i = 0; i < n; i++)
						keep_least(least, near->k, sum[i]);
				if (p % 64 == 0)
					host->poll(host, (uint64_t) first,
							   (uint64_t) questions->released.rows);
			}
	}
}

/* Who is how often within both distances, and within each. */
typedef struct Met
{
	int32_t both;
	int32_t by[2];
} Met;

static void
count_near(SdcHost *host, const SdcQuestions *questions,
		   const SdcQuestionFile *people, const int32_t *person, int32_t count,
		   const int *side, const Near *near, Met *met)
{
	int32_t sum[2][NEAREST_QUESTION_BLOCK];
	int32_t first;
	int32_t p;
	int32_t i;

	for (first = 0; first < questions->released.rows;
		 first += NEAREST_QUESTION_BLOCK)
	{
		int32_t n = block_rows(&questions->released, first);

		for (p = 0; p < count; p++)
		{
			const int32_t *least =
				near->least + (size_t) p * 2 * (size_t) near->k;
			int32_t a = least[near->k - 1];
			int32_t b = least[2 * near->k - 1];

			measure_side(questions, people, person[p], side, 1, first, n,
						 sum[0]);
			measure_side(questions, people, person[p], side, 2, first, n,
						 sum[1]);
			for (i = 0; i < n; i++)
			{
				met[p].by[0] += sum[0][i] <= a;
				met[p].by[1] += sum[1][i] <= b;
				met[p].both += sum[0][i] <= a && sum[1][i] <= b;
			}
			if (p % 64 == 0)
				host->poll(host, (uint64_t) first,
						   (uint64_t) questions->released.rows);
		}
	}
}

/* That two sets of a and b of n records, drawn at random, meet. */
static double
chance_to_meet(double n, double a, double b)
{
	double apart = 1;
	double i;

	if (a < b)
	{
		double swap = a;

		a = b;
		b = swap;
	}
	for (i = 0; i < b && apart > 1e-12; i++)
		apart *= n - a - i <= 0 ? 0 : (n - a - i) / (n - i);
	return 1 - apart;
}

/* The people of one file; adds to right and, unless NULL, to guessed. */
static double
link_file(SdcHost *host, const SdcQuestions *questions,
		  const SdcQuestionFile *people, const int *side, int k,
		  int32_t attacks, SdcRandom *random, double *right, double *guessed)
{
	int32_t count;
	int32_t *person =
		question_sample(host, people->rows, attacks, random, &count);
	size_t room = (size_t) count * 2 * (size_t) k;
	Near near = {k, sdc_new(host, int32_t, room + 1)};
	Met *met = sdc_new(host, Met, (size_t) count + 1);
	size_t i;
	int32_t p;

	for (i = 0; i < room; i++)
		near.least[i] = INT32_MAX;
	memset(met, 0, sizeof(Met) * (size_t) count);
	find_least(host, questions, people, person, count, side, &near);
	count_near(host, questions, people, person, count, side, &near, met);
	for (p = 0; p < count; p++)
	{
		*right += met[p].both > 0;
		if (guessed != NULL)
			*guessed += chance_to_meet(questions->released.rows, met[p].by[0],
									   met[p].by[1]);
	}
	host->release(host, person);
	host->release(host, near.least);
	host->release(host, met);
	return count;
}

SdcQuestionCount
sdc_question_link(SdcHost *host, const SdcQuestions *questions,
				  const int *side, int k, int32_t attacks, SdcRandom *random)
{
	SdcQuestionCount count = {0, 0, 0, 0, 0};

	count.used = link_file(host, questions, &questions->used, side, k, attacks,
						   random, &count.used_right, &count.guess_right);
	count.control = link_file(host, questions, &questions->control, side, k,
							  attacks, random, &count.control_right, NULL);
	return count;
}

/* ----------------------------------------------------------------------
 * Inference.
 * ----------------------------------------------------------------------
 */

/* The nearest records of a person without one column. */
typedef struct Guess
{
	int32_t least;
	int32_t ties;
	int32_t right;
} Guess;

/* Is the value of a released record that of a person, as good as? */
static bool
is_right(const SdcQuestions *questions, const SdcQuestionFile *people, int j,
		 int32_t person, int32_t record, double tolerance)
{
	double truth;
	double guess;

	if (questions->used.number[j] == NULL)
		return people->code[j][person] ==
				   questions->released.code[j][record] ||
			   (people->code[j][person] < 0 &&
				questions->released.code[j][record] < 0);
	truth = people->number[j][person];
	guess = questions->released.number[j][record];
	if (isnan(truth) || isnan(guess))
		return isnan(truth) && isnan(guess);
	return fabs(guess - truth) <=
		   tolerance * fmax(fabs(truth), questions->deviation[j]);
}

/* Takes a block of distances without column j into account. */
static void
take_block(const SdcQuestions *questions, const SdcQuestionFile *people, int j,
		   int32_t person, int32_t first, int32_t n, const int32_t *sum,
		   const int32_t *own, double tolerance, Guess *guess)
{
	int32_t least = least_of(sum, own, n);
	int32_t i;

	if (least > guess->least)
		return;
	if (least < guess->least)
	{
		guess->least = least;
		guess->ties = guess->right = 0;
	}
	for (i = 0; i < n; i++)
		if (sum[i] - own[i] == least)
		{
			guess->ties++;
			guess->right +=
				is_right(questions, people, j, person, first + i, tolerance);
		}
}

static void
infer_block(const SdcQuestions *questions, const SdcQuestionFile *people,
			const bool *secret, int32_t person, int32_t first,
			double tolerance, Guess *guess)
{
	int32_t n = block_rows(&questions->released, first);
	int32_t sum[NEAREST_QUESTION_BLOCK] = {0};
	int32_t own[NEAREST_QUESTION_BLOCK];
	int j;

	for (j = 0; j < questions->columns; j++)
		add_column(questions, &questions->released, first, n, j,
				   people->scaled[j][person], sum);
	for (j = 0; j < questions->columns; j++)
	{
		if (!secret[j])
			continue;
		memset(own, 0, sizeof(int32_t) * (size_t) n);
		add_column(questions, &questions->released, first, n, j,
				   people->scaled[j][person], own);
		take_block(questions, people, j, person, first, n, sum, own, tolerance,
				   &guess[j]);
	}
}

/* The guesses about people of one file, [person][column]. */
static Guess *
guess_file(SdcHost *host, const SdcQuestions *questions,
		   const SdcQuestionFile *people, const int32_t *person, int32_t count,
		   const bool *secret, double tolerance)
{
	size_t columns = (size_t) questions->columns;
	Guess *guess = sdc_new(host, Guess, (size_t) count * columns + 1);
	int32_t first;
	int32_t p;
	size_t i;

	memset(guess, 0, sizeof(Guess) * (size_t) count * columns);
	for (i = 0; i < (size_t) count * columns; i++)
		guess[i].least = INT32_MAX;
	for (first = 0; first < questions->released.rows;
		 first += NEAREST_QUESTION_BLOCK)
		for (p = 0; p < count; p++)
		{
			infer_block(questions, people, secret, person[p], first, tolerance,
						guess + (size_t) p * columns);
			if (p % 64 == 0)
				host->poll(host, (uint64_t) first,
						   (uint64_t) questions->released.rows);
		}
	return guess;
}

/* Adds the guesses of one file to the counts; control says of which. */
static void
infer_file(SdcHost *host, const SdcQuestions *questions, bool control,
		   const bool *secret, double tolerance, int32_t attacks,
		   SdcRandom *random, SdcQuestionCount *found)
{
	const SdcQuestionFile *people =
		control ? &questions->control : &questions->used;
	int32_t released = questions->released.rows;
	int32_t count;
	int32_t *person =
		question_sample(host, people->rows, attacks, random, &count);
	Guess *guess =
		guess_file(host, questions, people, person, count, secret, tolerance);
	int32_t p;
	int j;

	for (p = 0; p < count; p++)
		for (j = 0; j < questions->columns; j++)
		{
			const Guess *own =
				guess + (size_t) p * (size_t) questions->columns + j;
			double share = own->ties > 0 ? (double) own->right / own->ties : 0;

			if (!secret[j])
				continue;
			*(control ? &found[j].control : &found[j].used) += 1;
			*(control ? &found[j].control_right : &found[j].used_right) +=
				share;
			if (!control && released > 0)
				found[j].guess_right += is_right(
					questions, people, j, person[p],
					(int32_t) sdc_random_below(random, (uint64_t) released),
					tolerance);
		}
	host->release(host, person);
	host->release(host, guess);
}

void
sdc_question_infer(SdcHost *host, const SdcQuestions *questions,
				   const bool *secret, double tolerance, int32_t attacks,
				   SdcRandom *random, SdcQuestionCount *count)
{
	memset(count, 0, sizeof(SdcQuestionCount) * (size_t) questions->columns);
	infer_file(host, questions, false, secret, tolerance, attacks, random,
			   count);
	infer_file(host, questions, true, secret, tolerance, attacks, random,
			   count);
}

/* ----------------------------------------------------------------------
 * The closest record.
 * ----------------------------------------------------------------------
 */

/* Are two records equal in all columns, not only once they are scaled? */
static bool
are_equal(const SdcQuestions *questions, const SdcQuestionFile *a, int32_t i,
		  const SdcQuestionFile *b, int32_t k)
{
	int j;

	for (j = 0; j < questions->columns; j++)
		if (questions->used.number[j] == NULL
				? a->code[j][i] != b->code[j][k]
				: a->number[j][i] != b->number[j][k] &&
					  !(isnan(a->number[j][i]) && isnan(b->number[j][k])))
			return false;
	return true;
}

/* The nearest record of a person among those of a file, and an equal one. */
typedef struct Closest
{
	int32_t distance;
	bool copied;
} Closest;

static Closest *
find_closest(SdcHost *host, const SdcQuestions *questions,
			 const SdcQuestionFile *people, const int32_t *person,
			 int32_t count, const SdcQuestionFile *from)
{
	Closest *closest = sdc_new(host, Closest, (size_t) count + 1);
	int32_t none[NEAREST_QUESTION_BLOCK] = {0};
	int32_t sum[NEAREST_QUESTION_BLOCK];
	int32_t first;
	int32_t p;
	int32_t i;
	int j;

	for (p = 0; p < count; p++)
	{
		closest[p].distance = INT32_MAX;
		closest[p].copied = false;
	}
	for (first = 0; first < from->rows; first += NEAREST_QUESTION_BLOCK)
	{
		int32_t n = block_rows(from, first);

		for (p = 0; p < count; p++)
		{
			int32_t least;

			memset(sum, 0, sizeof(int32_t) * (size_t) n);
			for (j = 0; j < questions->columns; j++)
				add_column(questions, from, first, n, j,
						   people->scaled[j][person[p]], sum);
			least = least_of(sum, none, n);
			if (least < closest[p].distance)
				closest[p].distance = least;
			for (i = 0; least == 0 && i < n && !closest[p].copied; i++)
				closest[p].copied =
					sum[i] == 0 &&
					are_equal(questions, people, person[p], from, first + i);
			if (p % 64 == 0)
				host->poll(host, (uint64_t) first, (uint64_t) from->rows);
		}
	}
	return closest;
}

/* People of a file who have a released record like theirs. */
static double
count_copied(SdcHost *host, const SdcQuestions *questions,
			 const SdcQuestionFile *people, int32_t attacks, SdcRandom *random,
			 double *tried)
{
	int32_t count;
	int32_t *person =
		question_sample(host, people->rows, attacks, random, &count);
	Closest *closest = find_closest(host, questions, people, person, count,
									&questions->released);
	double copied = 0;
	int32_t p;

	for (p = 0; p < count; p++)
		copied += closest[p].copied;
	*tried = count;
	host->release(host, person);
	host->release(host, closest);
	return copied;
}

/* A file of some of the records of another one. */
static SdcQuestionFile
subset_of(SdcHost *host, const SdcQuestions *questions,
		  const SdcQuestionFile *file, int32_t wanted, SdcRandom *random)
{
	SdcQuestionFile subset = *file;
	size_t columns = (size_t) questions->columns;
	int32_t *row =
		question_sample(host, file->rows, wanted, random, &subset.rows);
	int32_t i;
	size_t j;

	subset.number = sdc_new(host, double *, columns);
	subset.code = sdc_new(host, int32_t *, columns);
	subset.scaled = sdc_new(host, int32_t *, columns);
	for (j = 0; j < columns; j++)
	{
		subset.number[j] = file->number[j] == NULL
							   ? NULL
							   : sdc_new(host, double, (size_t) wanted + 1);
		subset.code[j] = file->number[j] != NULL
							 ? NULL
							 : sdc_new(host, int32_t, (size_t) wanted + 1);
		subset.scaled[j] = sdc_new(host, int32_t, (size_t) wanted + 1);
		for (i = 0; i < subset.rows; i++)
		{
			subset.scaled[j][i] = file->scaled[j][row[i]];
			if (subset.number[j] != NULL)
				subset.number[j][i] = file->number[j][row[i]];
			else
				subset.code[j][i] = file->code[j][row[i]];
		}
	}
	host->release(host, row);
	return subset;
}

/* The median and the 5 percent quantile, as means of columns. */
static void
describe_distances(SdcHost *host, const SdcQuestions *questions,
				   const Closest *closest, int32_t count, double *median,
				   double *low)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) count + 1);
	int32_t *order = sdc_new(host, int32_t, (size_t) count + 1);
	double unit = (double) SCALED_ONE * questions->columns;
	int32_t p;

	for (p = 0; p < count; p++)
	{
		key[p] = (uint64_t) closest[p].distance;
		order[p] = p;
	}
	sdc_sort_keys(host, key, order, (size_t) count);
	*median = (double) key[(count - 1) / 2] / unit;
	*low = (double) key[(count - 1) / 20] / unit;
	host->release(host, key);
	host->release(host, order);
}

/* Released records between used and control records, as many of each. */
static void
compare_distances(SdcHost *host, const SdcQuestions *questions,
				  int32_t attacks, SdcRandom *random,
				  SdcQuestionClosest *found)
{
	int32_t size = questions->control.rows < questions->used.rows
					   ? questions->control.rows
					   : questions->used.rows;
	SdcQuestionFile file[2];
	Closest *closest[2];
	int32_t count;
	int32_t *record = question_sample(host, questions->released.rows, attacks,
									  random, &count);
	int32_t p;
	int f;

	if (size == 0 || count == 0)
		return;
	file[0] = subset_of(host, questions, &questions->used, size, random);
	file[1] = subset_of(host, questions, &questions->control, size, random);
	for (f = 0; f < 2; f++)
	{
		closest[f] = find_closest(host, questions, &questions->released,
								  record, count, &file[f]);
		describe_distances(host, questions, closest[f], count,
						   &found->median[f], &found->low[f]);
	}
	found->tried = count;
	for (p = 0; p < count; p++)
		if (closest[0][p].distance < closest[1][p].distance)
			found->nearer += 1;
		else if (closest[0][p].distance == closest[1][p].distance)
			found->nearer += 0.5;
}

SdcQuestionClosest
sdc_question_closest(SdcHost *host, const SdcQuestions *questions,
					 int32_t attacks, SdcRandom *random)
{
	SdcQuestionClosest found;
	SdcQuestionCount *copies = &found.copies;

	memset(&found, 0, sizeof(found));
	copies->used_right = count_copied(host, questions, &questions->used,
									  attacks, random, &copies->used);
	copies->control_right = count_copied(host, questions, &questions->control,
										 attacks, random, &copies->control);
	compare_distances(host, questions, attacks, random, &found);
	return found;
}
