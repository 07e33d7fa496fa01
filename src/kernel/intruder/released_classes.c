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

/* What the classes explain at least of what one line of all leaves. */
#define LEAST_OF_LEFT 0.2

/* Rounds, and by what part the spread has to fall in each. */
#define ROUNDS     10
#define LEAST_FALL 0.01

/* Records that a class has, on the average. */
#define RECORDS_OF_CLASS 8

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
sdc_learning_is_class(const SdcLearning *form, int column)
{
	const SdcIntruderReleased *released = form->released;

	return released->class_of_record != NULL && column != form->column &&
		   released->class_of_record[column] != NULL &&
		   released->classes[column] > 1 &&
		   released->classes[column] <=
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
	int32_t *all;   /* one code of all records */
	double *wanted; /* what lines are to tell, by record; NaN: nobody's */
} Classes;

static Classes
start_classes(const SdcLearning *form)
{
	SdcHost *host = form->intruder->host;
	size_t records = (size_t) form->intruder->records + 1;
	Classes classes = {sdc_learning_own_records(form),
					   sdc_new(host, int32_t, records),
					   sdc_new(host, double, records)};
	int32_t i;

	memset(classes.all, 0, sizeof(int32_t) * records);
	for (i = 0; i < form->intruder->records; i++)
		classes.wanted[i] = NAN;
	return classes;
}

static void
end_classes(SdcHost *host, Classes *classes)
{
	host->release(host, classes->own);
	host->release(host, classes->all);
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

/* How many links the lines of a class explain, or one line of all, of those of
 * a sample. */
static double
explained_by(const SdcLearning *form, const Classes *classes, int class,
			 bool as_one)
{
	SdcLines of = lines_of(form, classes, class);

	of.step = sdc_learning_step(of.persons, of.codes);
	if (as_one)
	{
		of.code = classes->all;
		of.codes = 1;
	}
	return sdc_lines_by_category(form->intruder->host, &of, NULL, NULL) *
		   of.step;
}

/* The column of classes and the known number by which most is explained that
 * one line of all leaves; -1: not much is. */
static int
find_class(const SdcLearning *form, Classes *classes, int *number)
{
	SdcHost *host = form->intruder->host;
	double most = LEAST_OF_LEFT;
	int best = -1;
	int c;
	int k;

	for (c = 0; c < form->released->columns; c++)
		for (k = 0; k < form->known && sdc_learning_is_class(form, c); k++)
		{
			double by_all;
			double share;

			host->poll(host, 0, 0);
			want_known(form, k, classes);
			by_all = explained_by(form, classes, c, true);
			share = (explained_by(form, classes, c, false) - by_all) /
					(form->intruder->records - by_all);
			if (share > most)
			{
				most = share;
				best = c;
				*number = k;
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
	double *learned = classed->record[classed->beside];
	double *shown = classed->shown[classed->beside];
	SdcLines of = lines_of(form, classes, class);
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

bool
sdc_learning_by_class(const SdcLearning *form, SdcLearning *classed)
{
	SdcHost *host = form->intruder->host;
	size_t records = (size_t) form->intruder->records + 1;
	Classes classes = start_classes(form);
	int number;
	int class = find_class(form, &classes, &number);
	bool found = false;

	if (class >= 0)
	{
		*classed = *form;
		classed->classes |= (uint32_t) 1 << class;
		classed->record[form->beside] = sdc_new(host, double, records);
		classed->shown[form->beside] = sdc_new(host, double, records);
		classed->target = classed->record[form->beside];
		want_known(form, number, &classes);
		found = find_lines(form, &classes, class, classed);
		if (!found)
			sdc_learning_drop_class(classed);
	}
	end_classes(host, &classes);
	return found;
}
