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
} Classes;

static Classes
start_classes(const SdcLearning *form)
{
	SdcHost *host = form->intruder->host;
	size_t records = (size_t) form->intruder->records + 1;
	Classes classes = {sdc_learning_own_records(form), 0,
					   sdc_new(host, double, records)};
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
	return sdc_learning_make_standard(learned, shown, form->intruder->records);
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
