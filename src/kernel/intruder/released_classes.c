/*
 * released_classes.c
 *		What a released column is of what is known, as another one says.
 *
 * A tax is an income times the rate of a class that is released beside it, and
 * both alone tell nothing of the income.  In each class of the records the
 * line of the column is learned that tells what is known best; it stands in
 * for the column then, and goes with what is known as any other does.  Lines
 * and the form are learned in turn, until that does not make the form better
 * (Breiman and Friedman 1985).
 *
 * A price is lowered by a number of percent.  Then the coefficients of the
 * line are curves of that number (varying coefficients; Hastie and Tibshirani
 * 1993), and what has to be known for the column to be what it is stands in
 * its place.
 */
#include "kernel/intruder/error_law.h"
#include "kernel/intruder/released.h"

#include <math.h>
#include <string.h>

#include "kernel/linear/square.h"

/* What the classes explain at least of what one line of all leaves. */
#define LEAST_OF_LEFT 0.2

/* Rounds, and by what part the spread has to fall in each. */
#define ROUNDS     10
#define LEAST_FALL 0.01

/* Records that a class has, on the average. */
#define RECORDS_OF_CLASS 8

/* Powers of a number in a coefficient that varies with it, variables of both
 * coefficients, and rounds of their fit. */
#define POWERS       3
#define VARIABLES    (2 * POWERS)
#define CURVE_ROUNDS 5

/* Rounds that tell whether a fit is worth more of them, and what they explain
 * at least then: the first one only tells the spread without any. */
#define FEW_ROUNDS 2
#define LEAST_SEEN (LEAST_OF_LEFT / 4)

/* Links for each variable. */
#define LINKS_OF_VARIABLE 10

/* Beside its mean square, where a factor of what is known is too small to
 * divide by. */
#define LEAST_FACTOR 0.05

int32_t *
sdc_learning_own_records(const SdcLearning *learning)
{
	const SdcIntruder *intruder = learning->intruder;
	int32_t *own =
		sdc_new(intruder->host, int32_t, (size_t) intruder->records + 1);
	int32_t i;

	for (i = 0; i < intruder->records; i++)
		own[i] = -1;
	for (i = 0; i < intruder->persons; i++)
	{
		int32_t record = learning->released->partner[i];

		if (record >= 0)
			own[record] = record;
	}
	return own;
}

bool
sdc_learning_is_class(const SdcLearning *form, int column, int class)
{
	const SdcIntruderReleased *released = form->released;

	return released->class_of_record != NULL && class != column &&
		   released->class_of_record[class] != NULL &&
		   released->classes[class] > 1 &&
		   released->classes[class] <=
			   form->intruder->records / RECORDS_OF_CLASS;
}

SdcLines
sdc_learning_lines_by_class(const SdcLearning *form, int column,
							const int32_t *own, const double *wanted)
{
	SdcLines of = {.persons = form->intruder->records,
				   .partner = own,
				   .column = wanted,
				   .code = form->released->class_of_record[column],
				   .codes = form->released->classes[column],
				   .step = 1,
				   .degrees = form->degrees};

	return of;
}

/* Records as whom lines are learned. */
typedef struct Classes
{
	int32_t *own;   /* each record by itself, -1: it is nobody's */
	int32_t links;  /* of records that are somebody's */
	double *wanted; /* what lines are to tell, by record; NaN: nobody's */
	int column;     /* that says which law it is */
	const SdcStandard
		*number; /* where coefficients vary with it: its values */
} Classes;

static Classes
start_classes(const SdcLearning *form)
{
	SdcHost *host = form->intruder->host;
	size_t records = (size_t) form->intruder->records + 1;
	Classes classes = {.own = sdc_learning_own_records(form),
					   .wanted = sdc_new(host, double, records)};
	int32_t i;

	for (i = 0; i < form->intruder->records; i++)
	{
		classes.links += classes.own[i] >= 0;
		classes.wanted[i] = NAN;
	}
	return classes;
}

static void
end_classes(SdcHost *host, Classes *classes)
{
	host->release(host, classes->own);
	host->release(host, classes->wanted);
}

/* Lines of the column by the classes of another one. */
static SdcLines
lines_of(const SdcLearning *form, const Classes *classes, int class)
{
	SdcLines of = sdc_learning_lines_by_class(form, class, classes->own,
											  classes->wanted);

	of.numbers = 1;
	of.number[0] = form->target;
	return of;
}

/* What is known of the persons is what lines are to tell. */
static void
want_known(const SdcLearning *learning, int known, Classes *classes)
{
	int32_t i;

	for (i = 0; i < learning->intruder->persons; i++)
	{
		int32_t record = learning->released->partner[i];

		if (record >= 0)
			classes->wanted[record] =
				sdc_standard_at(&learning->person[known], i);
	}
}

/* What a form makes of all that is known is. */
static void
want_expected(const SdcLearning *learning, Classes *classes)
{
	SdcForm form = sdc_learning_fit(learning);
	int32_t i;

	for (i = 0; i < learning->intruder->persons; i++)
	{
		int32_t record = learning->released->partner[i];

		if (record >= 0)
			classes->wanted[record] =
				sdc_learning_expected(learning, &form, i);
	}
}

/* What the form makes of the column is. */
static void
want_fitted(const SdcLearning *learning, const SdcForm *form, Classes *classes)
{
	int32_t i;

	for (i = 0; i < learning->intruder->persons; i++)
	{
		int32_t record = learning->released->partner[i];

		if (record >= 0)
			classes->wanted[record] =
				sdc_standard_at(&learning->target, record) -
				sdc_learning_error(learning, form, i);
	}
}

/* How many links lines explain, by a sample of them. */
static double
explained_by(SdcHost *host, const SdcLines *of)
{
	return sdc_lines_by_category(host, of, NULL, NULL) * of->step;
}

/* How many links one line of all explains, by the same sample. */
static double
explained_by_one(SdcHost *host, const SdcLines *of)
{
	SdcLines one = *of;

	one.code = NULL;
	one.codes = 1;
	return explained_by(host, &one);
}

/* The column of classes by which most of a known number is explained that one
 * line of all leaves, if that is more; -1: it is not. */
static int
find_best(const SdcLearning *form, const Classes *classes, double *most)
{
	SdcHost *host = form->intruder->host;
	int32_t step = 0;
	double by_all = 0;
	int best = -1;
	int c;

	for (c = 0; c < form->released->columns; c++)
	{
		SdcLines of;
		double share;

		host->poll(host, 0, 0);
		if (!sdc_learning_is_class(form, form->column, c))
			continue;
		of = lines_of(form, classes, c);
		of.step = sdc_learning_step(of.persons, of.codes);
		if (of.step != step)
			by_all = explained_by_one(host, &of);
		step = of.step;
		/* a sample of all that are explained may stand for one more */
		share = (explained_by(host, &of) - by_all) /
				fmax(classes->links - by_all, 1);
		if (share > *most)
		{
			*most = share;
			best = c;
		}
	}
	return best;
}

/* The column of classes and the known number by which most is explained that
 * one line of all leaves; -1: not much is. */
static int
find_class(const SdcLearning *form, Classes *classes, int *number)
{
	double most = LEAST_OF_LEFT;
	int best = -1;
	int k;

	for (k = 0; k < form->known; k++)
	{
		int class;

		want_known(form, k, classes);
		class = find_best(form, classes, &most);
		if (class < 0)
			continue;
		best = class;
		*number = k;
	}
	return best;
}

/* Puts the lines of a class in place of the column. */
static bool
draw_lines(const SdcLearning *form, const Classes *classes,
		   SdcLearning *classed)
{
	double *learned = sdc_standard_values(&classed->record[classed->beside]);
	double *shown = sdc_standard_values(&classed->shown[classed->beside]);
	SdcLines of = lines_of(form, classes, classes->column);
	int32_t i;

	(void) sdc_lines_by_category(form->intruder->host, &of, learned, shown);
	for (i = 0; i < form->intruder->records; i++)
		if (isnan(sdc_standard_at(&form->target, i)))
			learned[i] = shown[i] = NAN;
	return sdc_learning_make_standard(learned, shown, form->intruder->records);
}

/* Puts what a law of the column by another one makes of it in its place, the
 * law being learned of what is wanted; false: there is none. */
typedef bool (*PutInPlace)(const SdcLearning *form, const Classes *classes,
						   SdcLearning *classed);

/* A form with room for what stands in place of the column, as another one
 * says. */
static void
start_in_place(const SdcLearning *form, int column, SdcLearning *classed)
{
	SdcHost *host = form->intruder->host;
	size_t records = (size_t) form->intruder->records + 1;

	*classed = *form;
	classed->classes |= (uint32_t) 1 << column;
	classed->record[form->beside] =
		sdc_standard_kept(sdc_new(host, double, records));
	classed->shown[form->beside] =
		sdc_standard_kept(sdc_new(host, double, records));
	classed->target = classed->record[form->beside];
}

/* Learns the law and fits the form in turn; false: there is no such law. */
static bool
learn_in_turn(const SdcLearning *form, Classes *classes, PutInPlace put,
			  SdcLearning *classed)
{
	double before = INFINITY;
	int round;

	start_in_place(form, classes->column, classed);
	for (round = 0; round < ROUNDS; round++)
	{
		SdcForm with;

		form->intruder->host->poll(form->intruder->host, 0, 0);
		if (!put(form, classes, classed))
		{
			sdc_learning_drop_class(classed);
			return false;
		}
		with = sdc_learning_fit(classed);
		if (!(with.spread < (1 - LEAST_FALL) * before))
			break;
		before = with.spread;
		want_fitted(classed, &with, classes);
	}
	return true;
}

void
sdc_learning_drop_class(const SdcLearning *classed)
{
	SdcHost *host = classed->intruder->host;

	host->release(host,
				  sdc_standard_values(&classed->record[classed->beside]));
	host->release(host, sdc_standard_values(&classed->shown[classed->beside]));
}

bool
sdc_learning_by_class(const SdcLearning *form, SdcLearning *classed)
{
	Classes classes = start_classes(form);
	int number = 0;
	bool found;

	classes.column = find_class(form, &classes, &number);
	found = classes.column >= 0;
	if (found)
	{
		want_known(form, number, &classes);
		found = learn_in_turn(form, &classes, draw_lines, classed);
	}
	end_classes(form->intruder->host, &classes);
	return found;
}

/* ---------------------------------------------------------------------------
 * Coefficients that vary with a number.
 */

/* The column is offset + slope * what is known, both curves of a number. */
typedef struct Varying
{
	const SdcStandard *number; /* by record */
	double factor[VARIABLES];
	double spread;
} Varying;

static double
curve(const double *factor, double x)
{
	double sum = 0;
	int power;

	for (power = POWERS - 1; power >= 0; power--)
		sum = sum * x + factor[power];
	return sum;
}

/* The error of a record for whom so much is wanted; NaN: something is
 * missing. */
static double
error_of(const SdcLearning *form, const Varying *varying, double wanted,
		 int32_t record)
{
	double x = sdc_standard_at(varying->number, record);

	return sdc_standard_at(&form->target, record) - curve(varying->factor, x) -
		   curve(varying->factor + POWERS, x) * wanted;
}

/* Adds a record to the sums of squares, the last column being the target. */
static void
add_record(double x, double wanted, double target, double weight,
		   double sums[VARIABLES][VARIABLES + 1])
{
	double variable[VARIABLES + 1];
	double power = 1;
	int a;
	int b;

	for (a = 0; a < POWERS; a++, power *= x)
	{
		variable[a] = power;
		variable[POWERS + a] = power * wanted;
	}
	variable[VARIABLES] = target;
	for (a = 0; a < VARIABLES; a++)
		for (b = 0; b <= VARIABLES; b++)
			sums[a][b] += weight * variable[a] * variable[b];
}

/* The factors of the least squares, by so many variables; the others are 0. */
static bool
solve(double sums[VARIABLES][VARIABLES + 1], int variables, double *factor)
{
	double matrix[VARIABLES * VARIABLES];
	double inverse[VARIABLES * VARIABLES];
	double with[VARIABLES];
	double ridge = 1e-9 * (sums[0][0] + 1);
	int a;
	int b;

	for (a = 0; a < variables; a++)
	{
		with[a] = sums[a][VARIABLES];
		for (b = 0; b < variables; b++)
			matrix[a * variables + b] = sums[a][b] + (a == b ? ridge : 0);
	}
	return sdc_square_solve(variables, matrix, inverse, ridge * 1e-3, with,
							factor);
}

/* One round of a fit to the links that are to be fitted, weighted by the
 * errors of the one before, whose spread is given. */
static bool
fit_round(const SdcLearning *form, const double *wanted, int variables,
		  Varying *varying)
{
	double sums[VARIABLES][VARIABLES + 1] = {{0}};
	double squares = 0;
	double spread = varying->spread;
	int32_t known = 0;
	int32_t k;

	for (k = 0; k < form->links; k += 2)
	{
		int32_t record = form->released->partner[form->link[k]];
		double error = error_of(form, varying, wanted[record], record);
		double weight =
			spread == 0 ? 1
						: sdc_student_weight(error, spread, SDC_FIT_DEGREES);

		if (isnan(error))
			continue;
		add_record(sdc_standard_at(varying->number, record), wanted[record],
				   sdc_standard_at(&form->target, record), weight, sums);
		squares += weight * error * error;
		known++;
	}
	if (known < LINKS_OF_VARIABLE * VARIABLES)
		return false;
	varying->spread = fmax(sqrt(squares / known), SDC_LEAST_SPREAD);
	return solve(sums, variables, varying->factor);
}

/* Fits coefficients; with so many variables the slope may be one for all. */
static bool
fit_varying(const SdcLearning *form, const double *wanted, int variables,
			int rounds, Varying *varying)
{
	int round;

	varying->spread = 0;
	memset(varying->factor, 0, sizeof(varying->factor));
	for (round = 0; round < rounds; round++)
		if (!fit_round(form, wanted, variables, varying))
			return false;
	return true;
}

/* What part of the squares a slope that varies with a number explains of those
 * that one slope for all leaves, by a fit of so many rounds. */
static double
explained_by_slopes(const SdcLearning *form, const double *wanted,
					const SdcStandard *number, int rounds)
{
	Varying one = {.number = number};
	Varying varying = {.number = number};

	if (!fit_varying(form, wanted, POWERS + 1, rounds, &one) ||
		!fit_varying(form, wanted, VARIABLES, rounds, &varying))
		return 0;
	return 1 - varying.spread * varying.spread / (one.spread * one.spread);
}

/* The same, where a few rounds say that it is worth more of them. */
static double
explained_by_number(const SdcLearning *form, const double *wanted,
					const SdcStandard *number)
{
	return explained_by_slopes(form, wanted, number, FEW_ROUNDS) < LEAST_SEEN
			   ? 0
			   : explained_by_slopes(form, wanted, number, CURVE_ROUNDS);
}

/* What is wanted: a number that is known, or what the form makes of all. */
static void
want_some(const SdcLearning *form, int known, Classes *classes)
{
	if (known < form->known)
		want_known(form, known, classes);
	else
		want_expected(form, classes);
}

/* The released number, of all, by which most is explained of what is wanted,
 * if that is more; -1: it is not. */
static int
best_number(const SdcLearning *all, const SdcLearning *form,
			const double *wanted, double *most)
{
	const SdcIntruderReleased *released = form->released;
	int best = -1;
	int c;

	for (c = 0; c < released->columns; c++)
	{
		double share;

		form->intruder->host->poll(form->intruder->host, 0, 0);
		if (c == form->column ||
			(released->learned != NULL && released->learned[c] != NULL))
			continue;
		share =
			explained_by_number(form, wanted, &all->record[all->masks + c]);
		if (share > *most)
		{
			*most = share;
			best = c;
		}
	}
	return best;
}

/* The released number, and what is wanted, by which most is explained; -1: not
 * much is. */
static int
find_number(const SdcLearning *all, const SdcLearning *form, Classes *classes,
			int *known)
{
	double most = LEAST_OF_LEFT;
	int best = -1;
	int k;

	for (k = 0; k <= form->known && form->known > 0; k++)
	{
		int column;

		want_some(form, k, classes);
		column = best_number(all, form, classes->wanted, &most);
		if (column < 0)
			continue;
		best = column;
		*known = k;
	}
	return best;
}

/* The mean square of the factors of what is known. */
static double
square_of_factors(const Varying *varying, int32_t records)
{
	double squares = 0;
	int32_t known = 0;
	int32_t i;

	for (i = 0; i < records; i++)
	{
		double factor = curve(varying->factor + POWERS,
							  sdc_standard_at(varying->number, i));

		if (isnan(factor))
			continue;
		squares += factor * factor;
		known++;
	}
	return squares / fmax(known, 1);
}

/* Puts what has to be known in place of the column. */
static bool
put_known(const SdcLearning *form, const Classes *classes, SdcLearning *varied)
{
	Varying varying = {.number = classes->number};
	double *learned = sdc_standard_values(&varied->record[varied->beside]);
	double *shown = sdc_standard_values(&varied->shown[varied->beside]);
	int32_t records = form->intruder->records;
	double least;
	int32_t i;

	if (!fit_varying(form, classes->wanted, VARIABLES, CURVE_ROUNDS, &varying))
		return false;
	least = LEAST_FACTOR * LEAST_FACTOR * square_of_factors(&varying, records);
	for (i = 0; i < records; i++)
	{
		double factor =
			curve(varying.factor + POWERS, sdc_standard_at(varying.number, i));

		learned[i] = factor * factor <= least
						 ? NAN
						 : error_of(form, &varying, 0, i) / factor;
	}
	memcpy(shown, learned, sizeof(double) * (size_t) records);
	return sdc_learning_make_standard(learned, shown, records);
}

bool
sdc_learning_by_number(const SdcLearning *all, const SdcLearning *form,
					   SdcLearning *varied)
{
	Classes classes = start_classes(form);
	int known = 0;
	bool found;

	classes.column = find_number(all, form, &classes, &known);
	found = classes.column >= 0;
	if (found)
	{
		want_some(form, known, &classes);
		classes.number = &all->record[all->masks + classes.column];
		found = learn_in_turn(form, &classes, put_known, varied);
	}
	end_classes(form->intruder->host, &classes);
	return found;
}
