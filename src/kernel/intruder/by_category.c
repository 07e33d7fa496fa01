/*
 * by_category.c
 *		Numbers by category: means, lines and places.
 *
 * A tax is a line of an income, another one in each canton; a score is what
 * somebody has above the mean of his school.  The first is learned from links,
 * by least squares in each category, and again with less weight for what lies
 * far off (a Student law).  How well it does is learned from
 * lines that do not have the own person in them, or codes that occur once
 * would tell all of theirs: links are in folds by their record.  What is then
 * attacked is one line of each category, the same for all who are in it.  The
 * second needs no links: who holds the original file computes it.
 */
#include "kernel/intruder/by_category.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/linear/square.h"

/* Links that a category has for each number of its own line, and the constant;
 * of less it has the slopes of all. */
#define LEAST_LINKS 5

/* Categories between two polls. */
#define POLL_CODES 1024

/* Rounds of weights, and where many links may follow no line. */
#define ROUNDS         5
#define ROUNDS_OF_MOST 20

/* ---------------------------------------------------------------------------
 * Lines.
 */

/* Sums by category and fold: links, their weights, the column, and of each
 * number itself and its products with the column and the numbers so far; the
 * last category is all. */
typedef struct LineSums
{
	const SdcLines *of;
	int width;
	double *center; /* by category: means of the column and the numbers */
	double *sum;
	double *factor; /* by category and fold left out: constant, slopes */
} LineSums;

/* A constant and slopes, and the sums from which they follow. */
#define FACTORS   (1 + SDC_LINE_NUMBERS)
#define MOST_SUMS (3 + SDC_LINE_NUMBERS * (SDC_LINE_NUMBERS + 5) / 2)

static LineSums
start_sums(SdcHost *host, const SdcLines *of)
{
	int n = of->numbers;
	size_t codes = (size_t) of->codes + 1;
	LineSums sums = {.of = of, .width = 3 + n + n * (n + 1) / 2 + n};

	sums.center = sdc_new(host, double, codes *(size_t) (1 + n));
	sums.sum = sdc_new(host, double, codes *SDC_FOLDS *(size_t) sums.width);
	sums.factor = sdc_new(host, double, codes *(SDC_FOLDS + 1) * FACTORS);
	return sums;
}

static void
end_sums(SdcHost *host, LineSums *sums)
{
	host->release(host, sums->center);
	host->release(host, sums->sum);
	host->release(host, sums->factor);
}

/* Polls now and then on the way through the persons. */
static inline void
poll_at(SdcHost *host, int32_t person, int32_t step)
{
	if (person % SDC_POLL_STEPS < step)
		host->poll(host, 0, 0);
}

static inline int32_t
code_of(const SdcLines *of, int32_t person)
{
	return of->code == NULL ? 0 : of->code[person];
}

/* A person's link; false: there is none that can be learned from. */
static bool
link_of(const SdcLines *of, int32_t person, double *value)
{
	int32_t record = of->partner[person];
	int a;

	if (record < 0 || code_of(of, person) < 0 || isnan(of->column[record]))
		return false;
	value[0] = of->column[record];
	for (a = 0; a < of->numbers; a++)
	{
		value[1 + a] = sdc_standard_at(&of->number[a], person);
		if (isnan(value[1 + a]))
			return false;
	}
	return true;
}

static void
add_center(LineSums *sums, int32_t code, const double *value, double *count)
{
	int width = 1 + sums->of->numbers;
	double *center = sums->center + (size_t) code * (size_t) width;
	int a;

	count[code]++;
	for (a = 0; a < width; a++)
		center[a] += (value[a] - center[a]) / count[code];
}

/* Means, from which sums are taken, so that they lose no digits. */
static void
find_centers(SdcHost *host, LineSums *sums)
{
	const SdcLines *of = sums->of;
	double *count = sdc_new(host, double, (size_t) of->codes + 1);
	double value[FACTORS];
	int32_t i;

	memset(count, 0, sizeof(double) * ((size_t) of->codes + 1));
	memset(sums->center, 0,
		   sizeof(double) * ((size_t) of->codes + 1) *
			   (size_t) (1 + of->numbers));
	for (i = 0; i < of->persons; i += of->step)
	{
		int32_t person = sdc_random_of_step(i, of->step, of->persons);

		poll_at(host, i, of->step);
		if (link_of(of, person, value))
		{
			add_center(sums, code_of(of, person), value, count);
			add_center(sums, of->codes, value, count);
		}
	}
	host->release(host, count);
}

static void
add_link(LineSums *sums, int32_t code, int fold, const double *value,
		 double weight)
{
	int n = sums->of->numbers;
	const double *center = sums->center + (size_t) code * (size_t) (1 + n);
	double *sum = sums->sum + ((size_t) code * SDC_FOLDS + (size_t) fold) *
								  (size_t) sums->width;
	double y = value[0] - center[0];
	int a;
	int b;

	*sum++ += 1;
	*sum++ += weight;
	*sum++ += weight * y;
	for (a = 1; a <= n; a++)
	{
		double x = weight * (value[a] - center[a]);

		*sum++ += x;
		*sum++ += x * y;
		for (b = 1; b <= a; b++)
			*sum++ += x * (value[b] - center[b]);
	}
}

/* The sums of a category without a fold, or SDC_FOLDS: none. */
static void
sums_without(const LineSums *sums, int32_t code, int fold, double *total)
{
	const double *sum =
		sums->sum + (size_t) code * SDC_FOLDS * (size_t) sums->width;
	int f;
	int k;

	memset(total, 0, sizeof(double) * (size_t) sums->width);
	for (f = 0; f < SDC_FOLDS; f++)
		for (k = 0; k < sums->width && f != fold; k++)
			total[k] += sum[f * sums->width + k];
}

/* Slopes by least squares; false: there are too few links, or no line. */
static bool
solve_slopes(int n, const double *total, double *slope)
{
	double matrix[SDC_LINE_NUMBERS * SDC_LINE_NUMBERS];
	double inverse[SDC_LINE_NUMBERS * SDC_LINE_NUMBERS];
	double with[SDC_LINE_NUMBERS] = {0};
	double mean[SDC_LINE_NUMBERS];
	double weight = total[1];
	const double *sum = total + 3;
	int a;
	int b;

	if (n == 0 || total[0] < LEAST_LINKS * (1 + n))
		return false;
	for (a = 0; a < n; a++)
	{
		mean[a] = *sum++ / weight;
		with[a] = *sum++ - mean[a] * total[2];
		for (b = 0; b <= a; b++)
			matrix[a * n + b] = matrix[b * n + a] =
				*sum++ - mean[a] * mean[b] * weight;
		/* a number that does not vary in the category has no slope */
		matrix[a * n + a] += 1e-10 * matrix[a * n + a] + 1e-12 * weight;
	}
	return sdc_square_solve(n, matrix, inverse, 1e-15 * weight, with, slope);
}

/* The line of a category without a fold, through its means, NaN where nobody
 * is; slopes are its own or those of all. */
static void
find_line(const LineSums *sums, int32_t code, int fold, const double *of_all,
		  double *factor)
{
	int n = sums->of->numbers;
	const double *center = sums->center + (size_t) code * (size_t) (1 + n);
	double total[MOST_SUMS];
	const double *sum = total + 3;
	int a;

	sums_without(sums, code, fold, total);
	if (!solve_slopes(n, total, factor + 1))
		memcpy(factor + 1, of_all + 1, sizeof(double) * (FACTORS - 1));
	factor[0] = center[0] + total[2] / total[1];
	for (a = 0; a < n; sum += 3 + a, a++)
		factor[0] -= factor[1 + a] * (center[1 + a] + *sum / total[1]);
}

/* Where the factors of a category and a fold are. */
static double *
factors_of(const LineSums *sums, int32_t code, int fold)
{
	return sums->factor +
		   ((size_t) code * (SDC_FOLDS + 1) + (size_t) fold) * FACTORS;
}

/* Has a category links of one fold only?  Then its line is not learned by
 * those whose links they are, and would tell them from all others who have
 * it. */
static bool
is_of_one_fold(const LineSums *sums, int32_t code)
{
	const double *sum =
		sums->sum + (size_t) code * SDC_FOLDS * (size_t) sums->width;
	int folds = 0;
	int f;

	for (f = 0; f < SDC_FOLDS; f++)
		folds += sum[f * sums->width] > 0;
	return folds <= 1;
}

static void
find_lines(SdcHost *host, const LineSums *sums)
{
	static const double nothing[FACTORS];
	int32_t all = sums->of->codes;
	int32_t code;
	int fold;

	for (fold = 0; fold <= SDC_FOLDS; fold++)
		find_line(sums, all, fold, nothing, factors_of(sums, all, fold));
	for (code = 0; code < all; code++)
	{
		if (code % POLL_CODES == 0)
			host->poll(host, 0, 0);
		for (fold = 0; fold <= SDC_FOLDS; fold++)
			find_line(sums, code, fold, factors_of(sums, all, fold),
					  factors_of(sums, code, fold));
		if (is_of_one_fold(sums, code))
			memcpy(factors_of(sums, code, SDC_FOLDS),
				   factors_of(sums, all, SDC_FOLDS), sizeof(double) * FACTORS);
	}
}

/* The mean of a category without a fold; NaN: nobody's. */
static double
mean_without(const LineSums *sums, int32_t code, int fold)
{
	const double *center =
		sums->center + (size_t) code * (size_t) (1 + sums->of->numbers);
	double total[MOST_SUMS];

	sums_without(sums, code, fold, total);
	return center[0] + total[2] / total[1];
}

/* What the line of a category without a fold makes of a person; NaN: there is
 * none, or a number is missing. */
static double
line_at(const LineSums *sums, int32_t code, int fold, int32_t person)
{
	const SdcLines *of = sums->of;
	const double *factor;
	double y;
	int a;

	if (code < 0)
		return NAN;
	factor = factors_of(sums, code, fold);
	y = factor[0];
	for (a = 0; a < of->numbers; a++)
		y += factor[1 + a] * sdc_standard_at(&of->number[a], person);
	return y;
}

/* The error of a link by the line without its fold; nobody else is there: it
 * has none. */
static double
error_of(const LineSums *sums, const double *value, int32_t person)
{
	const SdcLines *of = sums->of;
	int fold = sdc_fold_of(of->partner[person]);
	double error = value[0] - line_at(sums, code_of(of, person), fold, person);

	return isnan(error) ? 0 : error;
}

/* Sums all links, with the weights that the lines before give them by the
 * spread of their errors, 0: there are none yet; returns that spread. */
static double
sum_links(SdcHost *host, LineSums *sums, double spread)
{
	const SdcLines *of = sums->of;
	size_t cells = ((size_t) of->codes + 1) * SDC_FOLDS * (size_t) sums->width;
	LineSums next = *sums;
	double value[FACTORS];
	double square = 0;
	double links = 0;
	int32_t i;

	next.sum = sdc_new(host, double, cells);
	memset(next.sum, 0, sizeof(double) * cells);
	for (i = 0; i < of->persons; i += of->step)
	{
		int32_t person = sdc_random_of_step(i, of->step, of->persons);
		double weight = 1;

		poll_at(host, i, of->step);
		if (!link_of(of, person, value))
			continue;
		if (spread > 0)
		{
			double error = error_of(sums, value, person);

			weight = sdc_student_weight(error, spread, of->degrees);
			square += weight * error * error;
			links++;
		}
		add_link(&next, code_of(of, person), sdc_fold_of(of->partner[person]),
				 value, weight);
		add_link(&next, of->codes, sdc_fold_of(of->partner[person]), value,
				 weight);
	}
	host->release(host, sums->sum);
	sums->sum = next.sum;
	return links > 0 ? sqrt(square / links) : 0;
}

/* Welford's sums of two numbers. */
typedef struct Moments
{
	double n;
	double mean[2];
	double product[3]; /* x x, y y, x y */
} Moments;

static void
add_moments(Moments *moments, double x, double y)
{
	double before[2] = {x - moments->mean[0], y - moments->mean[1]};

	moments->n++;
	moments->mean[0] += before[0] / moments->n;
	moments->mean[1] += before[1] / moments->n;
	moments->product[0] += before[0] * (x - moments->mean[0]);
	moments->product[1] += before[1] * (y - moments->mean[1]);
	moments->product[2] += before[0] * (y - moments->mean[1]);
}

/* The share of the first number that the second explains; 0: it does not rise
 * with it, or does not vary but for rounding. */
static double
explained_share(const Moments *moments)
{
	const double *product = moments->product;

	if (!(product[0] > 0 && product[1] > 1e-12 * product[0] && product[2] > 0))
		return 0;
	return (product[2] / product[0]) * (product[2] / product[1]);
}

/* How much of the column the lines without the own fold explain. */
static double
explained_by(SdcHost *host, const LineSums *sums)
{
	const SdcLines *of = sums->of;
	Moments moments = {0};
	double value[FACTORS];
	int32_t i;

	for (i = 0; i < of->persons; i += of->step)
	{
		int32_t person = sdc_random_of_step(i, of->step, of->persons);
		double x;

		poll_at(host, i, of->step);
		if (!link_of(of, person, value))
			continue;
		x = line_at(sums, code_of(of, person),
					sdc_fold_of(of->partner[person]), person);
		if (!isnan(x))
			add_moments(&moments, value[0], x);
	}
	return moments.n * explained_share(&moments);
}

/* The lines of persons, as they are learned and as they are attacked: of whom
 * a category tells nothing, all links do. */
static void
write_lines(const LineSums *sums, double *learned, double *line)
{
	const SdcLines *of = sums->of;
	double mean = mean_without(sums, of->codes, SDC_FOLDS);
	int32_t i;

	for (i = 0; i < of->persons; i++)
	{
		int32_t record = of->partner[i];
		int32_t code = code_of(of, i);
		double all = line_at(sums, of->codes, SDC_FOLDS, i);
		double others =
			record < 0 ? NAN : line_at(sums, code, sdc_fold_of(record), i);

		all = isnan(all) ? mean : all;
		learned[i] = isnan(others) ? all : others;
		line[i] = line_at(sums, code, SDC_FOLDS, i);
		line[i] = isnan(line[i]) ? all : line[i];
	}
}

/* Means are those of all, unless many may not follow them. */
static int
rounds_of(const SdcLines *of)
{
	if (of->degrees == SDC_DEGREES_OF_MOST)
		return ROUNDS_OF_MOST;
	return of->numbers == 0 ? 1 : ROUNDS;
}

double
sdc_lines_by_category(SdcHost *host, const SdcLines *of, double *learned,
					  double *line)
{
	LineSums sums = start_sums(host, of);
	int rounds = rounds_of(of);
	double spread = 0;
	double found;
	int round;

	find_centers(host, &sums);
	for (round = 0; round < (learned != NULL ? rounds : 1); round++)
	{
		/* the first lines have no errors yet: all weigh the same */
		spread = sum_links(host, &sums, round == 1 ? 1 : spread);
		find_lines(host, &sums);
		if (round > 0 && !(spread > 1e-9))
			break;
	}
	found = explained_by(host, &sums);
	if (learned != NULL)
		write_lines(&sums, learned, line);
	end_sums(host, &sums);
	return found >= SDC_LEAST_EXPLAINED ? found : 0;
}

double
sdc_intruder_known_means(SdcIntruder *intruder,
						 const SdcIntruderReleased *released,
						 const double *column, const int32_t *code,
						 int32_t codes, double *learned, double *mean)
{
	SdcLines of = {.persons = intruder->persons,
				   .partner = released->partner,
				   .column = column,
				   .code = code,
				   .codes = codes,
				   .step = 1,
				   .degrees = SDC_FIT_DEGREES};

	return sdc_lines_by_category(intruder->host, &of, learned, mean);
}

/* ---------------------------------------------------------------------------
 * Categories of records as means of what is known.
 */

/* Turns what links hold round, so that the column is what is known and the
 * category of a person is that of his record. */
static void
turn_links(const SdcIntruder *intruder, const int32_t *partner,
		   const double *known, const int32_t *code, double *column,
		   int32_t *category)
{
	int32_t i;

	for (i = 0; i < intruder->records; i++)
		column[i] = NAN;
	for (i = 0; i < intruder->persons; i++)
	{
		int32_t record = partner[i];

		category[i] = record < 0 ? -1 : code[record];
		if (record >= 0 && isfinite(known[i]))
			column[record] = known[i];
	}
}

/* The means of records, without their folds as if all folds had one mean. */
static void
write_means(const LineSums *sums, const int32_t *code, int32_t records,
			double *learned, double *shown)
{
	int32_t all = sums->of->codes;
	double mean = mean_without(sums, all, SDC_FOLDS);
	int32_t i;

	for (i = 0; i < records; i++)
	{
		int fold = sdc_fold_of(i);

		learned[i] = code[i] < 0 ? NAN
								 : mean_without(sums, code[i], fold) + mean -
									   mean_without(sums, all, fold);
		shown[i] =
			isnan(learned[i]) ? NAN : mean_without(sums, code[i], SDC_FOLDS);
	}
}

bool
sdc_intruder_category_means(SdcIntruder *intruder,
							const SdcIntruderReleased *released,
							const int32_t *code, int32_t codes,
							double *learned, double *shown)
{
	SdcHost *host = intruder->host;
	double *column = sdc_new(host, double, (size_t) intruder->records + 1);
	int32_t *category = sdc_new(host, int32_t, (size_t) intruder->persons + 1);
	SdcLines of = {.persons = intruder->persons,
				   .partner = released->partner,
				   .column = column,
				   .code = category,
				   .codes = codes,
				   .step = 1};
	double most = 0;
	int32_t i;
	int k;

	for (i = 0; i < intruder->records; i++)
		learned[i] = shown[i] = NAN;
	for (k = 0; k < released->known; k++)
	{
		LineSums sums = start_sums(host, &of);
		double found;

		host->poll(host, (uint64_t) k, (uint64_t) released->known);
		turn_links(intruder, released->partner, released->person[k], code,
				   column, category);
		find_centers(host, &sums);
		(void) sum_links(host, &sums, 0);
		find_lines(host, &sums);
		found = explained_by(host, &sums);
		if (found > most)
		{
			most = found;
			write_means(&sums, code, intruder->records, learned, shown);
		}
		end_sums(host, &sums);
	}
	host->release(host, column);
	host->release(host, category);
	return most > 0;
}

/* The means of what other records of a category have of a number; returns how
 * well they go with the own one (the square of a correlation), 0: not. */
static double
means_of_others(SdcHost *host, const double *number, const int32_t *code,
				int32_t codes, int32_t records, double *mean)
{
	double *sum = sdc_new(host, double, (size_t) codes + 1);
	int32_t *count = sdc_new(host, int32_t, (size_t) codes + 1);
	Moments moments = {0};
	int32_t i;

	memset(sum, 0, sizeof(double) * ((size_t) codes + 1));
	memset(count, 0, sizeof(int32_t) * ((size_t) codes + 1));
	for (i = 0; i < records; i++)
		if (code[i] >= 0 && isfinite(number[i]))
		{
			sum[code[i]] += number[i];
			count[code[i]]++;
		}
	for (i = 0; i < records; i++)
	{
		bool own = code[i] >= 0 && isfinite(number[i]);

		poll_at(host, i, 1);
		mean[i] = code[i] < 0 || count[code[i]] <= own
					  ? NAN
					  : (sum[code[i]] - (own ? number[i] : 0)) /
							(count[code[i]] - own);
		if (own && !isnan(mean[i]))
			add_moments(&moments, number[i], mean[i]);
	}
	host->release(host, sum);
	host->release(host, count);
	return explained_share(&moments);
}

bool
sdc_intruder_masked_means(SdcIntruder *intruder,
						  const SdcIntruderReleased *released,
						  const int32_t *code, int32_t codes, double *mean)
{
	SdcHost *host = intruder->host;
	size_t records = (size_t) intruder->records;
	double *one = sdc_new(host, double, records + 1);
	double most = 0;
	size_t i;
	int m;

	for (i = 0; i < records; i++)
		mean[i] = NAN;
	for (m = 0; m < released->masks; m++)
	{
		double share = means_of_others(host, released->mask[m], code, codes,
									   intruder->records, one);

		if (share <= most)
			continue;
		most = share;
		memcpy(mean, one, sizeof(double) * records);
	}
	host->release(host, one);
	return most > 0;
}

/* ---------------------------------------------------------------------------
 * Places.
 */

/* Counts, sums and extremes of the groups. */
static void
sum_groups(SdcGroups *of)
{
	int32_t i;

	for (i = 0; i < of->groups; i++)
	{
		of->count[i] = 0;
		of->sum[i] = of->square[i] = 0;
		of->least[i] = INFINITY;
		of->most[i] = -INFINITY;
	}
	for (i = 0; i < of->persons; i++)
	{
		int32_t g = of->group[i];
		double x = of->number[i];
		double before;

		if (!isfinite(x))
			continue;
		before = of->count[g] == 0 ? 0 : x - of->sum[g] / of->count[g];
		of->count[g]++;
		of->sum[g] += x;
		of->square[g] += before * (x - of->sum[g] / of->count[g]);
		of->least[g] = fmin(of->least[g], x);
		of->most[g] = fmax(of->most[g], x);
	}
}

/* What was seen of a group on the way through the order. */
typedef struct Seen
{
	int32_t count;
	int32_t equal; /* to the last one */
	double last;
} Seen;

/*
 * How many of the group come before each person, in ascending or descending
 * order, equal ones not counted; and the one that came before, or NULL.
 */
static void
count_before(SdcHost *host, const SdcGroups *of, const int32_t *order,
			 bool ascending, Seen *seen, int32_t *before, double *next)
{
	int32_t k;

	memset(seen, 0, sizeof(Seen) * (size_t) of->groups);
	for (k = 0; k < of->persons; k++)
	{
		int32_t i = order[ascending ? k : of->persons - 1 - k];
		Seen *group = &seen[of->group[i]];
		double x = of->number[i];

		if (k % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (!isfinite(x))
			continue;
		if (next != NULL)
			next[i] = group->count == 0 ? NAN : group->last;
		group->equal =
			group->count > 0 && group->last == x ? group->equal + 1 : 1;
		group->last = x;
		group->count++;
		before[i] = group->count - group->equal;
	}
}

SdcGroups
sdc_groups_of(SdcHost *host, int32_t persons, const double *number,
			  const int32_t *order, const int32_t *code, int32_t codes)
{
	size_t rows = (size_t) persons + 1;
	size_t groups = (size_t) codes + 1;
	int32_t *group = sdc_new(host, int32_t, rows);
	Seen *seen = sdc_new(host, Seen, groups);
	SdcGroups of = {.persons = persons,
					.number = number,
					.group = group,
					.groups = codes + 1,
					.count = sdc_new(host, int32_t, groups),
					.sum = sdc_new(host, double, groups),
					.square = sdc_new(host, double, groups),
					.least = sdc_new(host, double, groups),
					.most = sdc_new(host, double, groups),
					.below = sdc_new(host, int32_t, rows),
					.above = sdc_new(host, int32_t, rows),
					.next = sdc_new(host, double, rows)};
	int32_t i;

	for (i = 0; i < persons; i++)
		group[i] = code[i] < 0 ? codes : code[i];
	sum_groups(&of);
	count_before(host, &of, order, true, seen, of.below, of.next);
	count_before(host, &of, order, false, seen, of.above, NULL);
	host->release(host, seen);
	return of;
}

void
sdc_groups_release(SdcHost *host, SdcGroups *of)
{
	host->release(host, of->group);
	host->release(host, of->count);
	host->release(host, of->sum);
	host->release(host, of->square);
	host->release(host, of->least);
	host->release(host, of->most);
	host->release(host, of->below);
	host->release(host, of->above);
	host->release(host, of->next);
}

double
sdc_group_place(const SdcGroups *of, SdcGroupPlace place, int32_t person)
{
	int32_t g = of->group[person];
	double x = of->number[person];
	double count = of->count[g];
	double mean = of->sum[g] / count;

	if (!isfinite(x))
		return NAN;
	switch (place)
	{
		case SDC_PLACE_RANK:
			return of->below[person];
		case SDC_PLACE_RANK_DOWN:
			return of->above[person];
		case SDC_PLACE_PART:
			return count > 1 ? of->below[person] / (count - 1) : 0;
		case SDC_PLACE_SHARE:
			return of->sum[g] == 0 ? NAN : x / of->sum[g];
		case SDC_PLACE_TO_MOST:
			return of->most[g] == 0 ? NAN : x / of->most[g];
		case SDC_PLACE_UNDER_MOST:
			return of->most[g] - x;
		case SDC_PLACE_OVER_LEAST:
			return x - of->least[g];
		case SDC_PLACE_FROM_MEAN:
			return x - mean;
		case SDC_PLACE_TO_MEAN:
			return mean == 0 ? NAN : x / mean;
		case SDC_PLACE_STANDARD:
			return of->square[g] > 0
					   ? (x - mean) / sqrt(of->square[g] / (count - 1))
					   : NAN;
		case SDC_PLACE_OVER_NEXT:
			return x - of->next[person];
		case SDC_PLACE_SUM:
			return of->sum[g];
		case SDC_PLACES:
			break;
	}
	return NAN;
}
