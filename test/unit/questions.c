/*
 * questions.c
 *		The three questions by brute force, and published rates.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/questions/questions.h"

#define COLUMNS 4
#define FEW     40
#define MANY    2000

static SdcRandom generator;

static int32_t
below(int32_t bound)
{
	return (int32_t) sdc_random_below(&generator, (uint64_t) bound);
}

/* ----------------------------------------------------------------------
 * Rates and risks.
 * ----------------------------------------------------------------------
 */

/* Figures of Anonymeter on adult8: education, hours, and linkability. */
static void
check_rates(void)
{
	const SdcQuestionCount education = {2000, 876, 381, 2000, 543};
	const SdcQuestionCount hours = {500, 171, 137, 500, 159};
	const SdcQuestionCount nothing = {0, 0, 0, 0, 0};
	const SdcQuestionCount alone = {100, 50, 50, 0, 0};
	SdcQuestionRisk risk = sdc_question_risk(&education);

	unit_check(fabs(risk.used.rate - 0.4381) < 5e-5 &&
				   fabs(risk.used.error - 0.0217) < 5e-5,
			   "a rate with its interval");
	unit_check(fabs(risk.guess.rate - 0.1911) < 5e-5 && risk.better,
			   "guessing");
	unit_check(fabs(risk.risk - 0.2283) < 5e-5 &&
				   fabs(risk.low - 0.1920) < 5e-5 &&
				   fabs(risk.high - 0.2645) < 5e-5,
			   "a risk with its interval");
	risk = sdc_question_risk(&hours);
	unit_check(fabs(risk.risk - 0.0350) < 5e-5 && risk.low == 0 &&
				   fabs(risk.high - 0.1189) < 5e-5,
			   "a risk that may be 0");
	risk = sdc_question_risk(&nothing);
	unit_check(isnan(risk.risk), "nothing tried: no risk");
	risk = sdc_question_risk(&alone);
	unit_check(risk.risk == risk.used.rate && !risk.better,
			   "without a control the risk is the rate");
}

/* ----------------------------------------------------------------------
 * Small files: two numbers of 0 .. 64, two categories, NULLs.
 * ----------------------------------------------------------------------
 */

static SdcQuestionFile
draw_file(int32_t rows, int shift)
{
	SdcQuestionFile file;
	int32_t i;
	int j;

	memset(&file, 0, sizeof(file));
	file.rows = rows;
	file.number = sdc_new(unit_host(), double *, COLUMNS);
	file.code = sdc_new(unit_host(), int32_t *, COLUMNS);
	for (j = 0; j < COLUMNS; j++)
	{
		file.number[j] =
			j < 2 ? sdc_new(unit_host(), double, (size_t) rows + 1) : NULL;
		file.code[j] =
			j < 2 ? NULL : sdc_new(unit_host(), int32_t, (size_t) rows + 1);
	}
	for (i = 0; i < rows; i++)
	{
		/* the ends are there, so that the range is 64 */
		file.number[0][i] = i < 2 ? 64 * i : below(65);
		file.number[1][i] = i < 2 ? 64 * i
							: below(9) == 0
								? NAN
								: (file.number[0][i] + below(30)) / 2;
		file.code[2][i] = below(5) - (below(9) == 0 ? 10 : 0);
		if (file.code[2][i] < 0)
			file.code[2][i] = -1;
		file.code[3][i] = (int32_t) file.number[0][i] / 16 + shift;
	}
	return file;
}

static SdcQuestions
draw_questions(int32_t used, int32_t released, int32_t control)
{
	SdcQuestions questions;

	memset(&questions, 0, sizeof(questions));
	questions.columns = COLUMNS;
	questions.used = draw_file(used, 0);
	questions.released = draw_file(released, 0);
	questions.control = draw_file(control, 0);
	sdc_question_scale(unit_host(), &questions);
	return questions;
}

static double
apart(const SdcQuestionFile *a, int32_t i, const SdcQuestionFile *b, int32_t k,
	  int j)
{
	double x;
	double y;

	if (a->number[j] == NULL)
		return a->code[j][i] != b->code[j][k];
	x = a->number[j][i];
	y = b->number[j][k];
	if (isnan(x) || isnan(y))
		return isnan(x) != isnan(y);
	return fabs(x - y) / 64;
}

/* Of a side (or, side NULL, all but column j) */
static double
distance(const SdcQuestions *questions, const SdcQuestionFile *people,
		 int32_t i, int32_t k, const int *side, int which)
{
	double sum = 0;
	int j;

	for (j = 0; j < COLUMNS; j++)
		if (side != NULL ? side[j] == which : j != which)
			sum += apart(people, i, &questions->released, k, j);
	return sum;
}

/* The k-th smallest distance. */
static double
reach(const SdcQuestions *questions, const SdcQuestionFile *people, int32_t i,
	  const int *side, int which, int k)
{
	double all[FEW];
	int32_t r;
	int32_t s;

	for (r = 0; r < questions->released.rows; r++)
	{
		double d = distance(questions, people, i, r, side, which);

		for (s = r; s > 0 && all[s - 1] > d; s--)
			all[s] = all[s - 1];
		all[s] = d;
	}
	return all[k - 1];
}

static double
brute_link(const SdcQuestions *questions, const SdcQuestionFile *people,
		   const int *side, int k, double *guess)
{
	double right = 0;
	int32_t i;
	int32_t r;

	for (i = 0; i < people->rows; i++)
	{
		double a = reach(questions, people, i, side, 1, k);
		double b = reach(questions, people, i, side, 2, k);
		int32_t by_a = 0;
		int32_t by_b = 0;
		bool met = false;
		double miss = 1;

		for (r = 0; r < questions->released.rows; r++)
		{
			bool in_a = distance(questions, people, i, r, side, 1) <= a + 1e-9;
			bool in_b = distance(questions, people, i, r, side, 2) <= b + 1e-9;

			by_a += in_a;
			by_b += in_b;
			met = met || (in_a && in_b);
		}
		right += met;
		/* one after the other of b misses a */
		for (r = 0; r < by_b; r++)
			miss *= fmax(0, questions->released.rows - by_a - r) /
					(questions->released.rows - r);
		*guess += 1 - miss;
	}
	return right;
}

static double
brute_infer(const SdcQuestions *questions, const SdcQuestionFile *people,
			int j, double tolerance)
{
	double right = 0;
	int32_t i;
	int32_t r;

	for (i = 0; i < people->rows; i++)
	{
		double best = reach(questions, people, i, NULL, j, 1);
		double ties = 0;
		double good = 0;

		for (r = 0; r < questions->released.rows; r++)
		{
			double x;
			double y;

			if (distance(questions, people, i, r, NULL, j) > best + 1e-9)
				continue;
			ties++;
			if (j >= 2)
			{
				good += people->code[j][i] == questions->released.code[j][r];
				continue;
			}
			x = people->number[j][i];
			y = questions->released.number[j][r];
			good +=
				isnan(x) || isnan(y)
					? isnan(x) && isnan(y)
					: fabs(x - y) <=
						  tolerance * fmax(fabs(x), questions->deviation[j]);
		}
		right += good / ties;
	}
	return right;
}

static void
check_nearest(void)
{
	const int side[COLUMNS] = {1, 2, 0, 1};
	const bool secret[COLUMNS] = {true, true, true, false};
	int linked = 0;
	int inferred = 0;
	int trial;

	for (trial = 0; trial < 40; trial++)
	{
		SdcQuestions questions =
			draw_questions(10 + below(30), 10 + below(30), below(30));
		SdcQuestionCount found[COLUMNS];
		SdcQuestionCount link;
		double guess = 0;
		double other = 0;
		int k = 1 + trial % 3;
		int j;

		link = sdc_question_link(unit_host(), &questions, side, k, 1000,
								 &generator);
		linked +=
			link.used == questions.used.rows &&
			link.control == questions.control.rows &&
			link.used_right ==
				brute_link(&questions, &questions.used, side, k, &guess) &&
			link.control_right ==
				brute_link(&questions, &questions.control, side, k, &other) &&
			fabs(link.guess_right - guess) < 1e-9;
		sdc_question_infer(unit_host(), &questions, secret, 0.2, 1000,
						   &generator, found);
		for (j = 0; j < 3; j++)
			inferred +=
				fabs(found[j].used_right -
					 brute_infer(&questions, &questions.used, j, 0.2)) <
					1e-9 &&
				fabs(found[j].control_right -
					 brute_infer(&questions, &questions.control, j, 0.2)) <
					1e-9;
	}
	unit_check(linked == 40, "linkability by brute force (%d of 40)", linked);
	unit_check(inferred == 120, "inference by brute force (%d of 120)",
			   inferred);
}

/* ----------------------------------------------------------------------
 * Singling out.
 * ----------------------------------------------------------------------
 */

/* Originals with x <= value (1), >= (2), = (0) of a number, or a code. */
static int32_t
count_of(const SdcQuestionFile *file, int j, const SdcQuestionFile *from,
		 int32_t row, int how)
{
	int32_t count = 0;
	int32_t i;

	for (i = 0; i < file->rows; i++)
		if (file->number[j] == NULL)
			count += file->code[j][i] == from->code[j][row];
		else if (isnan(from->number[j][row]))
			count += isnan(file->number[j][i]);
		else if (how == 0)
			count += file->number[j][i] == from->number[j][row];
		else
			count += how == 1 ? file->number[j][i] <= from->number[j][row]
							  : file->number[j][i] >= from->number[j][row];
	return count;
}

/* All predicates of one column, and those that fit one original. */
static void
brute_univariate(const SdcQuestions *questions, double *tried, double *right)
{
	const SdcQuestionFile *released = &questions->released;
	int32_t i;
	int how;
	int j;

	for (j = 0; j < COLUMNS; j++)
		for (i = 0; i < released->rows; i++)
			for (how = 0; how < 3; how++)
			{
				bool plain = released->number[j] == NULL ||
							 isnan(released->number[j][i]);

				/* the value itself, and an end of the numbers */
				if (count_of(released, j, released, i, 0) != 1 ||
					(how > 0 &&
					 (plain || count_of(released, j, released, i, how) != 1)))
					continue;
				(*tried)++;
				*right += count_of(&questions->used, j, released, i, how) == 1;
			}
}

static void
check_single(void)
{
	SdcQuestions questions;
	SdcQuestionCount found;
	SdcQuestionRisk risk;
	int right = 0;
	int trial;

	for (trial = 0; trial < 40; trial++)
	{
		double tried = 0;
		double good = 0;

		questions = draw_questions(30 + below(10), 30 + below(10), 0);
		brute_univariate(&questions, &tried, &good);
		found = sdc_question_single_out(unit_host(), &questions, 1, 10000,
										&generator);
		right += found.used == tried && found.used_right == good;
	}
	unit_check(right == 40, "one column by brute force (%d of 40)", right);
	questions = draw_questions(MANY, 10, MANY / 4);
	questions.released = questions.used;
	found =
		sdc_question_single_out(unit_host(), &questions, 3, 500, &generator);
	risk = sdc_question_risk(&found);
	unit_check(found.used > 100 && found.used_right == found.used &&
				   risk.low > 0.5,
			   "the original itself singles out (%.3f)", risk.risk);
	questions = draw_questions(MANY, MANY, MANY / 4);
	found =
		sdc_question_single_out(unit_host(), &questions, 3, 2000, &generator);
	risk = sdc_question_risk(&found);
	unit_check(risk.low == 0 && risk.high < 0.15,
			   "another draw does not, whatever the size of the control "
			   "(%.3f to %.3f)",
			   risk.low, risk.high);
}

/* ----------------------------------------------------------------------
 * The closest record, and the order of records.
 * ----------------------------------------------------------------------
 */

static void
check_closest(void)
{
	SdcQuestions questions = draw_questions(MANY, MANY, MANY / 2);
	SdcQuestionClosest found =
		sdc_question_closest(unit_host(), &questions, MANY, &generator);
	SdcQuestionRisk risk = sdc_question_risk(&found.copies);
	double copied = 0;
	int32_t i;
	int32_t r;

	for (i = 0; i < MANY; i++)
	{
		for (r = 0; r < MANY; r++)
			if (distance(&questions, &questions.used, i, r, NULL, -1) == 0)
				break;
		copied += r < MANY;
	}
	unit_check(found.copies.used_right == copied && copied > 0,
			   "copies by brute force (%.0f)", copied);
	unit_check(risk.low == 0, "another draw copies nobody but by chance");
	unit_check(fabs(found.nearer / found.tried - 0.5) < 0.04,
			   "and is no nearer to who was used (%.3f)",
			   found.nearer / found.tried);
	questions.released = questions.used;
	found = sdc_question_closest(unit_host(), &questions, MANY, &generator);
	risk = sdc_question_risk(&found.copies);
	unit_check(found.copies.used_right == MANY && risk.low > 0.95 &&
				   found.nearer / found.tried > 0.6,
			   "copies are found");
}

/* Puts the records of a file into reverse order. */
static void
reverse(SdcQuestionFile *file)
{
	int32_t i;
	int j;

	for (j = 0; j < COLUMNS; j++)
		for (i = 0; i < file->rows / 2; i++)
		{
			int32_t other = file->rows - 1 - i;

			if (file->number[j] != NULL)
			{
				double x = file->number[j][i];

				file->number[j][i] = file->number[j][other];
				file->number[j][other] = x;
			}
			else
			{
				int32_t code = file->code[j][i];

				file->code[j][i] = file->code[j][other];
				file->code[j][other] = code;
			}
		}
}

static void
check_order(void)
{
	const int side[COLUMNS] = {1, 1, 2, 2};
	SdcQuestions questions = draw_questions(500, 500, 300);
	SdcQuestionCount link[2];
	SdcQuestionCount single[2];
	int turn;

	for (turn = 0; turn < 2; turn++)
	{
		sdc_random_seed(&generator, 3, 0);
		link[turn] = sdc_question_link(unit_host(), &questions, side, 1, 100,
									   &generator);
		single[turn] = sdc_question_single_out(unit_host(), &questions, 2, 100,
											   &generator);
		reverse(&questions.used);
		reverse(&questions.released);
		reverse(&questions.control);
		sdc_question_scale(unit_host(), &questions);
	}
	unit_check(memcmp(&link[0], &link[1], sizeof(link[0])) == 0 &&
				   memcmp(&single[0], &single[1], sizeof(single[0])) == 0,
			   "the order of the records does not matter");
}

int
main(void)
{
	unit_start("questions");
	sdc_random_seed(&generator, 1, 0);
	check_rates();
	check_nearest();
	check_single();
	check_closest();
	check_order();
	return unit_finish();
}
