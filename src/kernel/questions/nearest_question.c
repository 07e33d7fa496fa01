/*
 * nearest_question.c
 *		Questions that nearest released records answer.
 *
 * Records are compared in blocks that stay in the cache, each with all people
 * that are attacked; sums of whole numbers, so that equal distances are equal
 * and a compiler makes vector instructions of the loops.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/questions/questions.h"
#include "kernel/questions/questions_private.h"

/* Records of a block. */
#define BLOCK 2048

/* Adds a column's distances from x to n values; or sets them. */
SDC_CLONES static void
add_numbers(const int32_t *restrict value, int32_t x, int32_t n,
			int32_t *restrict sum)
{
	int32_t i;

	for (i = 0; i < n; i++)
	{
		int32_t difference = value[i] > x ? value[i] - x : x - value[i];

		sum[i] += difference < SDC_SCALED_ONE ? difference : SDC_SCALED_ONE;
	}
}

SDC_CLONES static void
add_codes(const int32_t *restrict value, int32_t x, int32_t n,
		  int32_t *restrict sum)
{
	int32_t i;

	for (i = 0; i < n; i++)
		sum[i] += value[i] == x ? 0 : SDC_SCALED_ONE;
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
	return file->rows - first < BLOCK ? file->rows - first : BLOCK;
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
	int32_t sum[BLOCK];
	int32_t none[BLOCK] = {0};
	int32_t first;
	int32_t p;
	int32_t i;
	int s;

	for (first = 0; first < questions->released.rows; first += BLOCK)
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
	int32_t sum[2][BLOCK];
	int32_t first;
	int32_t p;
	int32_t i;

	for (first = 0; first < questions->released.rows; first += BLOCK)
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
		sdc_question_sample(host, people->rows, attacks, random, &count);
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
	int32_t sum[BLOCK] = {0};
	int32_t own[BLOCK];
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
	for (first = 0; first < questions->released.rows; first += BLOCK)
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
		sdc_question_sample(host, people->rows, attacks, random, &count);
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
	int32_t none[BLOCK] = {0};
	int32_t sum[BLOCK];
	int32_t first;
	int32_t p;
	int32_t i;
	int j;

	for (p = 0; p < count; p++)
	{
		closest[p].distance = INT32_MAX;
		closest[p].copied = false;
	}
	for (first = 0; first < from->rows; first += BLOCK)
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
		sdc_question_sample(host, people->rows, attacks, random, &count);
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
		sdc_question_sample(host, file->rows, wanted, random, &subset.rows);
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
	double unit = (double) SDC_SCALED_ONE * questions->columns;
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
	int32_t *record = sdc_question_sample(host, questions->released.rows,
										  attacks, random, &count);
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
