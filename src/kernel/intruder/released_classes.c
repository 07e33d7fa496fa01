/*
 * released_classes.c
 *		What a released column is of what is known, in each class of records.
 *
 * A tax is an income times the rate of a class that is released beside it, and
 * both alone tell nothing of the income.  In each class of the records the
 * line of the column is learned that tells what is known best; it stands in
 * for the column then, and goes with what is known as any other does.  Lines
 * and the form are learned in turn, until that does not make the form better
 * (Breiman and Friedman 1985).
 */
#include "kernel/intruder/released.h"

#include <math.h>
#include <string.h>

#include "kernel/intruder/by_category.h"

/* What the classes explain at least of what one line of all leaves. */
#define LEAST_OF_LEFT 0.2

/* Rounds, and by what part the spread has to fall in each. */
#define ROUNDS     10
#define LEAST_FALL 0.01

/* Records that a class has, on the average. */
#define RECORDS_OF_CLASS 8

/* Records, as whom lines by category are learned, and what they are to tell. */
typedef struct Classes
{
	int32_t *own;   /* each record by itself, -1: it is nobody's */
	int32_t *all;   /* one code of all records */
	double *wanted; /* by record; NaN: nobody's */
} Classes;

static Classes
start_classes(const SdcLearning *learning)
{
	SdcHost *host = learning->intruder->host;
	size_t records = (size_t) learning->intruder->records + 1;
	Classes classes = {sdc_new(host, int32_t, records),
					   sdc_new(host, int32_t, records),
					   sdc_new(host, double, records)};
	int32_t i;

	for (i = 0; i < learning->intruder->records; i++)
	{
		classes.own[i] = -1;
		classes.all[i] = 0;
		classes.wanted[i] = NAN;
	}
	for (i = 0; i < learning->intruder->persons; i++)
	{
		int32_t record = learning->released->partner[i];

		if (record >= 0)
			classes.own[record] = record;
	}
	return classes;
}

static void
end_classes(SdcHost *host, Classes *classes)
{
	host->release(host, classes->own);
	host->release(host, classes->all);
	host->release(host, classes->wanted);
}

/* Lines of a column by the codes of the records. */
static SdcLines
lines_of(const SdcLearning *form, const Classes *classes, const int32_t *code,
		 int32_t codes)
{
	SdcLines of = {.persons = form->intruder->records,
				   .partner = classes->own,
				   .column = classes->wanted,
				   .code = code,
				   .codes = codes,
				   .numbers = 1,
				   .number = {form->target},
				   .step = 1,
				   .degrees = form->degrees};

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
			classes->wanted[record] = learning->person[known][i];
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
			classes->wanted[record] = learning->target[record] -
									  sdc_learning_error(learning, form, i);
	}
}

/* How much of what one line leaves of a known number the lines of a class
 * explain. */
static double
share_of_class(const SdcLearning *form, const Classes *classes, int class,
			   double by_all)
{
	const SdcIntruderReleased *released = form->released;
	SdcLines of = lines_of(form, classes, released->class_of_record[class],
						   released->classes[class]);
	double by_class =
		sdc_lines_by_category(form->intruder->host, &of, NULL, NULL);

	return (by_class - by_all) / (form->intruder->records - by_all);
}

/* May the column be a law in each class of another one? */
static bool
is_class(const SdcLearning *form, int column, int class)
{
	const SdcIntruderReleased *released = form->released;

	return released->class_of_record != NULL && class != column &&
		   released->class_of_record[class] != NULL &&
		   released->classes[class] > 1 &&
		   released->classes[class] <=
			   form->intruder->records / RECORDS_OF_CLASS;
}

/* The class and the known number that explain most; -1: none explains much. */
static int
find_class(const SdcLearning *form, Classes *classes, int column, int *number)
{
	SdcHost *host = form->intruder->host;
	double most = LEAST_OF_LEFT;
	int best = -1;
	int c;
	int k;

	for (k = 0; k < form->known; k++)
	{
		SdcLines of = lines_of(form, classes, classes->all, 1);
		double by_all;

		want_known(form, k, classes);
		by_all = sdc_lines_by_category(host, &of, NULL, NULL);
		for (c = 0; c < form->released->columns; c++)
		{
			double share = is_class(form, column, c)
							   ? share_of_class(form, classes, c, by_all)
							   : 0;

			host->poll(host, 0, 0);
			if (share > most)
			{
				most = share;
				best = c;
				*number = k;
			}
		}
	}
	return best;
}

/* Gives what is learned mean 0 and deviation 1, and what is shown the same;
 * false: all are alike. */
static bool
make_standard(double *learned, double *shown, int32_t n)
{
	double mean = 0;
	double square = 0;
	int32_t known = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		if (!isnan(learned[i]))
		{
			double before = learned[i] - mean;

			mean += before / ++known;
			square += before * (learned[i] - mean);
		}
	for (i = 0; i < n && square > 0; i++)
	{
		learned[i] = (learned[i] - mean) / sqrt(square / known);
		shown[i] = (shown[i] - mean) / sqrt(square / known);
	}
	return square > 0;
}

/* Puts the lines of a class in place of the column. */
static bool
draw_lines(const SdcLearning *form, const Classes *classes, int class,
		   SdcLearning *classed)
{
	const SdcIntruderReleased *released = form->released;
	double *learned = classed->record[classed->beside];
	double *shown = classed->shown[classed->beside];
	SdcLines of = lines_of(form, classes, released->class_of_record[class],
						   released->classes[class]);
	int32_t i;

	(void) sdc_lines_by_category(form->intruder->host, &of, learned, shown);
	for (i = 0; i < form->intruder->records; i++)
		if (isnan(form->target[i]))
			learned[i] = shown[i] = NAN;
	return make_standard(learned, shown, form->intruder->records);
}

/* Draws lines and fits the form in turn; false: there are no such lines. */
static bool
find_lines(const SdcLearning *form, Classes *classes, int class,
		   SdcLearning *classed)
{
	double before = INFINITY;
	int round;

	for (round = 0; round < ROUNDS; round++)
	{
		SdcForm with;

		form->intruder->host->poll(form->intruder->host, 0, 0);
		if (!draw_lines(form, classes, class, classed))
			return false;
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

	host->release(host, classed->record[classed->beside]);
	host->release(host, classed->shown[classed->beside]);
}

int
sdc_learning_by_class(const SdcLearning *form, int column,
					  SdcLearning *classed)
{
	SdcHost *host = form->intruder->host;
	size_t records = (size_t) form->intruder->records + 1;
	Classes classes = start_classes(form);
	int number;
	int class = find_class(form, &classes, column, &number);

	if (class >= 0)
	{
		*classed = *form;
		classed->record[form->beside] = sdc_new(host, double, records);
		classed->shown[form->beside] = sdc_new(host, double, records);
		classed->target = classed->record[form->beside];
		want_known(form, number, &classes);
		if (!find_lines(form, &classes, class, classed))
		{
			sdc_learning_drop_class(classed);
			class = -1;
		}
	}
	end_classes(host, &classes);
	return class;
}
