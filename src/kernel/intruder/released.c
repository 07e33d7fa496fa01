/*
 * released.c
 *		What goes with a key without being one.
 *
 * The masked file shows columns of which nothing is known of any person.
 * If one of them goes with what is known, as a tax goes with an income, it
 * tells of which person a record is, however well the income was masked.  How
 * they go together the intruder is taken to know, as from a law or a published
 * table: a line and a spread, fitted to the true links.  A column is a linear
 * form of what is known of the person, of the masked values of the record, and
 * of the columns before it, with errors of a Student law (4 degrees; Lange,
 * Little and Taylor 1989) or, where what a law gives was rounded, of a uniform
 * one: of the values as they are, of the logarithms of their sizes, of their
 * ranks, or of their squares, which are a linear form of what is known and its
 * squares where the column is a distance.
 *
 * It counts only what a column tells beyond the record's other values: each
 * density is compared with that of the same form without the person.  So a
 * copy of a masked key, or a column that was masked together with it, is not
 * counted twice.  Half of the links are fitted, and the other half has to
 * agree.  A law may also be of some of the records, and each class of them may
 * have another one: then each has a term.  Ranks find what rises with a key,
 * released_effects.c what differs by category, released_classes.c what does by
 * what else is released, and released_categories.c what goes with a key in no
 * line.
 */
#include "kernel/intruder/released.h"

#include <math.h>
#include <string.h>

#include "kernel/base/elementary.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/error_law.h"

/* Links that are fitted or have to agree, and for each variable: of all
 * numbers, and of chosen ones, which explain more than chance does. */
#define LINKS           4000
#define LINKS_OF_EACH   10
#define LINKS_OF_CHOSEN 4

/* Rounds of a fit that tells whether it is worth more of them. */
#define FEW_ROUNDS 3

/* The log of the likelihood that each link of the other half gains, and where
 * there are too few links to learn from all numbers. */
#define LEAST_OF_EACH 0.01
#define LEAST_OF_FEW  0.25

/* One of so many records has a common value, and so many times as many as any
 * other. */
#define COMMON 10

/* How far a spread may be widened: errors of an order are none at all, or as
 * far as the next one. */
#define WIDEST          4
#define WIDEST_OF_ORDER 1000

/* Rounds of the fit of a law that holds for most, which comes near slowly. */
#define ROUNDS_OF_MOST 100

/* Spreads beyond which a link follows no such law: one in 160 that do. */
#define FAR_OFF 100

/* What a form leaves is little, in deviations of the column, and how many
 * links may lie so many spreads beyond it, or a law that holds for most is
 * looked for. */
#define LITTLE 0.01
#define BEYOND 10
#define MANY   0.02

/* ---------------------------------------------------------------------------
 * A linear form.
 */

double
sdc_learning_expected(const SdcLearning *learning, const SdcForm *form,
					  int32_t person)
{
	double sum = form->factor[0];
	int c;

	for (c = 0; c < learning->known; c++)
		sum += form->factor[1 + c] *
			   sdc_standard_at(&learning->person[c], person);
	return sum;
}

/* What the column is less what the record's other values make of it. */
static double
record_part(const SdcLearning *learning, const SdcForm *form, int32_t record)
{
	const double *factor = form->factor + 1 + learning->known;
	double sum = sdc_standard_at(&learning->target, record);
	int c;

	for (c = 0; c < learning->beside; c++)
		sum -= factor[c] * sdc_learning_beside(learning, c, record);
	return sum;
}

/* The error of a link; NaN where a value is missing. */
double
sdc_learning_error(const SdcLearning *learning, const SdcForm *form,
				   int32_t person)
{
	return record_part(learning, form, learning->released->partner[person]) -
		   sdc_learning_expected(learning, form, person);
}

static int
rounds_of(const SdcLearning *learning)
{
	return sdc_learning_of_most(learning) ? ROUNDS_OF_MOST : SDC_FORM_ROUNDS;
}

/* ---------------------------------------------------------------------------
 * Columns.
 */

/*
 * The logarithm of the likelihood that the links which were not fitted gain by
 * what is known of the person.
 */
static double
gain_of(const SdcLearning *learning, int rounds)
{
	SdcForm with = sdc_learning_fit_links(learning, 2, true, rounds);
	SdcForm without = sdc_learning_fit_links(learning, 2, false, rounds);
	double gain = 0;
	int32_t known = 0;
	int32_t k;

	for (k = 1; k < learning->links; k += 2)
	{
		double error = sdc_learning_error(learning, &with, learning->link[k]);

		if (isnan(error))
			continue;
		known++;
		gain += sdc_error_log_density(error, with.spread, learning->degrees) -
				sdc_error_log_density(
					sdc_learning_error(learning, &without, learning->link[k]),
					without.spread, learning->degrees);
	}
	if (known < LINKS_OF_CHOSEN * (1 + learning->known + learning->beside) ||
		gain < learning->least * known)
		return 0;
	return gain;
}

double
sdc_learning_gain(const SdcLearning *learning)
{
	return gain_of(learning, rounds_of(learning));
}

/* The records in the order of what is compared with the expected values. */
typedef struct Order
{
	int32_t count;
	int32_t *record;
	uint64_t *key;
} Order;

static Order
order_records(const SdcLearning *learning, const SdcForm *with)
{
	SdcHost *host = learning->intruder->host;
	size_t records = (size_t) learning->intruder->records + 1;
	Order order = {0, sdc_new(host, int32_t, records),
				   sdc_new(host, uint64_t, records)};
	int32_t i;

	for (i = 0; i < learning->intruder->records; i++)
	{
		double x = record_part(learning, with, i);

		if (isnan(x))
			continue;
		order.key[order.count] = sdc_sort_key(x);
		order.record[order.count++] = i;
	}
	sdc_sort_keys(host, order.key, order.record, (size_t) order.count);
	return order;
}

/* Where what is expected of a link is among the records in order. */
static int64_t
place_of(const Order *order, double expected)
{
	return (int64_t) sdc_sort_keys_below(order->key, (size_t) order->count,
										 sdc_sort_key(expected));
}

/* The m-th record that a link's is compared with, 0: its own: one spread over
 * the file, or those next to what is expected, the place; -1: it is the own
 * one. */
static int32_t
other_record(const SdcLearning *learning, const Order *order, int32_t link,
			 int64_t place, int m)
{
	const int32_t *partner = learning->released->partner;
	int32_t own = partner[learning->link[link]];
	int32_t record;
	int64_t other;

	if (m == 0)
		return own;
	if (order->count > SDC_TOLD_RECORDS)
	{
		other = place + (m % 2 ? 1 : -1) * (m / 2) + order->count;
		record = order->record[other % order->count];
		return record == own ? -1 : record;
	}
	other = link + (int64_t) m * learning->links / (SDC_TOLD_RECORDS + 1);
	return partner[learning->link[other % learning->links]];
}

/* What a form makes of all records, where many are asked for more than once;
 * NULL: it is made when it is asked for. */
static double *
parts_of_records(const SdcLearning *learning, const SdcForm *form, size_t room)
{
	int32_t records = learning->intruder->records;
	double *part;
	int32_t i;

	if ((size_t) records > room)
		return NULL;
	part = sdc_new(learning->intruder->host, double, (size_t) records + 1);
	for (i = 0; i < records; i++)
		part[i] = record_part(learning, form, i);
	return part;
}

static inline double
part_of(const SdcLearning *learning, const SdcForm *form, const double *part,
		int32_t record)
{
	return part != NULL ? part[record] : record_part(learning, form, record);
}

/* Puts other people's records beside the links: who only has the order of a
 * column takes somebody for the next one. */
static SdcErrorsBeside
put_beside(const SdcLearning *learning, const SdcForm *with,
		   const SdcForm *without, bool next)
{
	SdcHost *host = learning->intruder->host;
	int32_t step = learning->links / SDC_TOLD_LINKS + 1;
	size_t room =
		(size_t) (learning->links / (2 * step) + 1) * (SDC_TOLD_RECORDS + 1);
	SdcErrorsBeside beside = {0, 0, sdc_new(host, double, room),
							  sdc_new(host, double, room)};
	double *by_with = parts_of_records(learning, with, room);
	double *by_without = parts_of_records(learning, without, room);
	Order order = {0, NULL, NULL};
	size_t pair = 0;
	int32_t k;
	int m;

	if (next)
		order = order_records(learning, with);
	for (k = 1; k < learning->links; k += 2 * step)
	{
		double known =
			sdc_learning_expected(learning, with, learning->link[k]);
		int64_t place;

		if (isnan(sdc_learning_error(learning, with, learning->link[k])))
		{
			beside.missing++;
			continue;
		}
		place = next ? place_of(&order, known) : 0;
		for (m = 0; m <= SDC_TOLD_RECORDS; m++, pair++)
		{
			int32_t record = other_record(learning, &order, k, place, m);
			double usual;

			beside.error[pair] = NAN;
			if (record < 0)
				continue;
			beside.error[pair] =
				part_of(learning, with, by_with, record) - known;
			usual = part_of(learning, without, by_without, record) -
					without->factor[0];
			beside.unusual[pair] =
				without->spread /
				sdc_error_density(usual / without->spread, learning->degrees);
		}
		beside.links++;
	}
	if (next)
	{
		host->release(host, order.record);
		host->release(host, order.key);
	}
	if (by_with != NULL)
	{
		host->release(host, by_with);
		host->release(host, by_without);
	}
	return beside;
}

/*
 * How wide the law of the errors should be, and with which tails, beside the
 * next records or beside any: a line that is not quite the truth, or errors
 * that are not alike, make a form too sure of single links, and tails that
 * errors do not have make it doubt.
 */
static SdcErrorLaw
law_of_errors(const SdcLearning *learning, const SdcForm *with,
			  const SdcForm *without, double wrong, bool next)
{
	SdcHost *host = learning->intruder->host;
	SdcErrorsBeside beside = put_beside(learning, with, without, next);
	SdcErrorLaw law = sdc_error_law_find(&beside, with->spread, wrong,
										 next ? WIDEST_OF_ORDER : WIDEST);

	/* of whom it tells nothing, any of these records may be it */
	law.log -= beside.missing * sdc_random_log(1 + SDC_TOLD_RECORDS);
	host->release(host, beside.error);
	host->release(host, beside.unusual);
	return law;
}

/* A term of a column: expected of persons and of records, and the law of the
 * difference. */
typedef struct SdcIntruderTold
{
	double *person; /* NULL: it tells nothing */
	double *record;
	double scale;
	int degrees;
	double level;
	double width;
	double told;      /* how well it tells own records from others */
	double gain;      /* of the links that were not fitted */
	double wrong;     /* how often a record is */
	uint32_t classes; /* columns that it is by, too, as bits */
	/* of the records of another class; NULL: none */
	struct SdcIntruderTold *next;
} Told;

/* The part of the other half of the links whose errors are so large. */
static double
share_beyond(const SdcLearning *learned, const SdcForm *with, double least)
{
	int32_t known = 0;
	int32_t far = 0;
	int32_t k;

	for (k = 1; k < learned->links; k += 2)
	{
		double error = sdc_learning_error(learned, with, learned->link[k]);

		known += !isnan(error);
		far += fabs(error) > least;
	}
	return known > 0 ? (double) far / known : 0;
}

/*
 * Learns the law of a term by half of the links.  An order's errors are hardly
 * any, or as far as the next: their spread is that of these links.
 *
 * Terms are compared by the logarithms of all chances of own records, beside
 * those that are next to what is expected, and beside any of the file: by the
 * first one a good form is told from a better one, and by the second a bad
 * one.  The likelihood of a form that says the same of many, exactly, is
 * without bounds.
 */
static void
learn_law(const SdcLearning *learned, bool compared, Told *term)
{
	SdcForm with =
		sdc_learning_fit_links(learned, 2, true, rounds_of(learned));
	SdcForm without =
		sdc_learning_fit_links(learned, 2, false, rounds_of(learned));
	double wrong = sdc_learning_of_most(learned)
					   ? share_beyond(learned, &with, FAR_OFF * with.spread)
					   : 0;
	SdcErrorLaw law =
		law_of_errors(learned, &with, &without, wrong, learned->by_order);

	term->scale = law.wider * (learned->by_order ? with.spread : term->width);
	term->degrees = law.degrees;
	term->wrong = fmax(term->wrong, wrong);
	if (compared)
		term->told = law.log + law_of_errors(learned, &with, &without, wrong,
											 !learned->by_order)
								   .log;
}

/* The term of a form that gains so much; compared: is it to be told whether it
 * is the best? */
static Told
term_of(const SdcLearning *learned, double gain, bool compared)
{
	SdcIntruder *intruder = learned->intruder;
	SdcHost *host = intruder->host;
	SdcForm with =
		sdc_learning_fit_links(learned, 1, true, rounds_of(learned));
	SdcForm without =
		sdc_learning_fit_links(learned, 1, false, rounds_of(learned));
	Told term = {
		.person = sdc_new(host, double, (size_t) intruder->persons + 1),
		.record = sdc_new(host, double, (size_t) intruder->records + 1),
		.width = with.spread,
		.gain = gain,
		.wrong = intruder->error,
		.classes = learned->classes};
	SdcLearning as_shown = *learned;
	double level = 0;
	int32_t known = 0;
	int32_t i;

	learn_law(learned, compared, &term);
	memcpy(as_shown.person, learned->named, sizeof(as_shown.person));
	memcpy(as_shown.record, learned->shown, sizeof(as_shown.record));
	as_shown.target = learned->shown[learned->beside];
	for (i = 0; i < intruder->persons; i++)
		term.person[i] = sdc_learning_expected(&as_shown, &with, i);
	for (i = 0; i < intruder->records; i++)
	{
		double error = record_part(&as_shown, &without, i) - without.factor[0];

		term.record[i] = record_part(&as_shown, &with, i);
		if (!isnan(error))
			level += (sdc_error_log_density(error, without.spread,
											learned->degrees) -
					  level) /
					 ++known;
	}
	term.level = SDC_STUDENT_TOP + level;
	return term;
}

static void
drop_term(SdcHost *host, Told *term)
{
	Told *next = term->next;

	if (next != NULL)
	{
		drop_term(host, next);
		host->release(host, next);
	}
	if (term->person != NULL)
	{
		host->release(host, term->person);
		host->release(host, term->record);
	}
	term->person = term->record = NULL;
	term->next = NULL;
}

static void
add_term(SdcIntruder *intruder, const Told *told)
{
	const double *person = told->person;
	const double *record = told->record;
	SdcTerm *term = sdc_intruder_add_numbers(intruder, SDC_TERM_GROUP, 1,
											 &person, &record);

	term->head.scale = told->scale;
	term->head.degrees = told->degrees;
	term->head.level = told->level;
	term->head.width = told->width;
	term->head.exceptions = told->wrong > intruder->error;
	term->head.error = (float) told->wrong;
	term->head.floor = sdc_log_float(term->head.error);
}

/* What a term adds to a score, or that of the class of the record: it may be
 * wrong as it is in all terms. */
static float
score_of(const void *arg, int32_t person, int32_t record)
{
	const Told *term = arg;
	double error = term->record[record] - term->person[person];

	if (isnan(error))
		return term->next != NULL ? score_of(term->next, person, record) : 0;
	return (float) sdc_error_with_wrong(
		sdc_error_log_density(error, term->scale, term->degrees) -
			term->level + SDC_STUDENT_TOP,
		term->wrong);
}

/*
 * The form that gains the most of the column in question, or the first one.
 * That of squares has many variables: a few rounds have to say that it gains
 * more than others before it is fitted.
 */
static const SdcLearning *
best_form(const SdcLearning *form, double *most)
{
	const SdcLearning *best = &form[0];
	int f;

	*most = gain_of(best, SDC_FORM_ROUNDS);
	for (f = 1; f < SDC_MEASURES; f++)
	{
		double gain;

		if (f == SDC_MEASURE_SQUARE && gain_of(&form[f], FEW_ROUNDS) <= *most)
			continue;
		gain = gain_of(&form[f], SDC_FORM_ROUNDS);
		if (gain > *most)
		{
			*most = gain;
			best = &form[f];
		}
	}
	return best;
}

/*
 * What a column is learned from: of all numbers, where they are at most so
 * many and links enough, or else of chosen ones.  Squares of few numbers are
 * not chosen, as there are lines enough that look like them in few links.
 */
static SdcLearning
learning_of(const SdcLearning *all, int column, SdcMeasure measure)
{
	int most = SDC_INTRUDER_TOGETHER * (measure == SDC_MEASURE_SQUARE ? 2 : 1);
	bool few = all->known <= most && all->masks <= most;
	bool enough = all->links >=
				  2 * LINKS_OF_EACH * (1 + all->known + all->masks + column);
	int room = all->links / (2 * LINKS_OF_CHOSEN) - 1;
	SdcLearning one = *all;
	int place[SDC_FORM_VARIABLES];
	int c;

	one.column = column;
	one.beside = all->masks + column;
	one.target = all->record[one.beside];
	one.least = enough ? LEAST_OF_EACH : LEAST_OF_FEW;
	if (few && enough)
		return one;
	if (few && (room < 2 || measure == SDC_MEASURE_SQUARE))
	{
		one.known = 0;
		return one;
	}
	room = room < 2 ? 0 : room;
	one.beside = sdc_learning_choose(
		&one, all->record, one.beside, false,
		room / 2 < SDC_FORM_RECORDS ? room / 2 : SDC_FORM_RECORDS, place);
	for (c = 0; c < one.beside; c++)
	{
		one.record[c] = all->record[place[c]];
		one.shown[c] = all->shown[place[c]];
	}
	one.record[c] = all->record[all->masks + column];
	one.shown[c] = all->shown[all->masks + column];
	room -= one.beside;
	one.known = sdc_learning_choose(
		&one, all->person, all->known, true,
		room < SDC_FORM_PERSONS ? room : SDC_FORM_PERSONS, place);
	for (c = 0; c < one.known; c++)
	{
		one.person[c] = all->person[place[c]];
		one.named[c] = all->named[place[c]];
		one.raw[c] = all->raw[place[c]];
	}
	return one;
}

/* ---------------------------------------------------------------------------
 * Which form of a column is used.
 *
 * By itself, the form that gains most.  Beside masked keys that tell something
 * that is not the one that tells most: a town is known by the place of a home
 * that was moved, and a form which finds it a second time gains by that.  So
 * there it is the form which tells own records best from their rivals by all
 * terms before.
 */

/* What is learned of a file. */
typedef struct Lesson
{
	SdcLearning form[SDC_MEASURES];
	bool alone; /* are there no terms before? */
	bool met;   /* were rivals searched? */
	SdcRivals rivals;
} Lesson;

static void
start_stage(SdcHost *host)
{
	host->stage(host, "learning what goes together");
}

/* How well own records are told from their rivals with a term; NULL: by all
 * terms before. */
static double
told_with(Lesson *lesson, const Told *term)
{
	if (!lesson->met)
	{
		lesson->rivals = sdc_rivals_find(lesson->form[0].intruder,
										 lesson->form[0].released->partner);
		start_stage(lesson->form[0].intruder->host);
	}
	lesson->met = true;
	return sdc_rivals_told(&lesson->rivals, term == NULL ? NULL : score_of,
						   term)
		.log;
}

/* Is this term better than the one before, by so much? */
static bool
is_better(Lesson *lesson, const Told *before, const Told *term, double least)
{
	double told;

	if (lesson->alone)
		return before->person == NULL || term->told > before->told + least;
	told = before->person != NULL ? told_with(lesson, before)
								  : told_with(lesson, NULL) + SDC_LEAST_TOLD;
	return told_with(lesson, term) > told + least;
}

static void
swap_terms(Told *a, Told *b)
{
	Told old = *a;

	*a = *b;
	*b = old;
}

/* Takes a form instead of the one before, if it is better: one by which many
 * follow no law only if that is plain. */
static void
take_better(Lesson *lesson, Told *best, const SdcLearning *form)
{
	SdcHost *host = form->intruder->host;
	double gain = sdc_learning_gain(form);
	Told term;

	if (gain < SDC_LEAST_GAIN)
		return;
	term = term_of(form, gain, lesson->alone);
	if (is_better(lesson, best, &term,
				  sdc_learning_of_most(form) ? SDC_LEAST_TOLD : 0))
		swap_terms(best, &term);
	drop_term(host, &term);
}

/* A form of what rises with several numbers together, by any curve.  What
 * rises with one has its rank, and a category has no order but that of its
 * means. */
static void
take_order(Lesson *lesson, Told *best, const SdcLearning *form)
{
	SdcLearning ordered;
	double *target;

	if (form->known < 2 || !sdc_learning_is_as_shown(form))
		return;
	target = sdc_learning_by_order(form, &ordered);
	if (target == NULL)
		return;
	take_better(lesson, best, &ordered);
	form->intruder->host->release(form->intruder->host, target);
}

/* Forms of a column that is another law in each class of records, or by
 * another number of theirs. */
static void
take_class(Lesson *lesson, Told *best, const SdcLearning *form)
{
	SdcLearning classed;

	if (!sdc_learning_is_as_shown(form))
		return;
	if (sdc_learning_by_class(form, &classed))
	{
		take_better(lesson, best, &classed);
		sdc_learning_drop_class(&classed);
	}
	if (sdc_learning_by_number(&lesson->form[SDC_MEASURE_VALUE], form,
							   &classed))
	{
		take_better(lesson, best, &classed);
		sdc_learning_drop_class(&classed);
	}
}

/* Does a form leave more than a little, or do many links not follow it? */
static bool
leaves_much(const SdcLearning *learned)
{
	SdcForm form = sdc_learning_fit(learned);

	return form.spread > LITTLE ||
		   share_beyond(learned, &form, fmax(BEYOND * form.spread, LITTLE)) >
			   MANY;
}

/* A form with effects that gains more than the plain one does; explained: what
 * part of the rest an effect does at most.  False: it leaves little. */
static bool
take_effects(Lesson *lesson, Told *best, const SdcLearning *one,
			 const SdcLearning *plain, double gain, double *explained)
{
	SdcLearning with = sdc_learning_with_effects(one, plain, gain, explained);
	bool much = leaves_much(&with);

	if (with.effects + with.record_effects > 0)
		take_better(lesson, best, &with);
	sdc_learning_drop_effects(&with);
	return much;
}

/* A form that holds for most of the people, and not at all for others;
 * explained: what part of a column an effect does as if all followed it. */
static void
take_most(Lesson *lesson, Told *best, const SdcLearning *one, double explained)
{
	SdcLearning most[2] = {one[SDC_MEASURE_VALUE], one[SDC_MEASURE_SIZE]};
	double gain[2];
	int of;

	for (of = 0; of < 2; of++)
	{
		most[of].degrees = SDC_DEGREES_OF_MOST;
		gain[of] = gain_of(&most[of], ROUNDS_OF_MOST);
	}
	of = gain[1] > gain[0];
	take_better(lesson, best, &most[of]);
	if (explained >= SDC_LEAST_OF_MOST || gain[of] >= SDC_LEAST_GAIN)
		(void) take_effects(lesson, best, most, &most[of], gain[of],
							&explained);
}

/* Takes the best of the forms of a column, and of those with effects, and by
 * order, as far as it is better than the term before. */
static void
take_forms(Lesson *lesson, Told *best, const SdcLearning *one)
{
	const SdcLearning *plain;
	double gain;
	double explained;

	plain = best_form(one, &gain);
	if (best->person != NULL)
		take_better(lesson, best, plain);
	else if (gain >= SDC_LEAST_GAIN)
		*best = term_of(plain, gain, lesson->alone);
	if (take_effects(lesson, best, one, plain, gain, &explained))
		take_most(lesson, best, one, explained);
	take_class(lesson, best, &one[SDC_MEASURE_VALUE]);
	if (best->person == NULL)
		return;
	take_order(lesson, best, &one[SDC_MEASURE_VALUE]);
	/* as the places of homes by their distance from one */
	if (one[SDC_MEASURE_SQUARE].known <= SDC_INTRUDER_TOGETHER)
		take_order(lesson, best, &one[SDC_MEASURE_SQUARE]);
}

/* The value that is far more common than any other; NaN: there is none. */
static double
common_value(SdcHost *host, const double *value, int32_t n)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) n + 1);
	int32_t *row = sdc_new(host, int32_t, (size_t) n + 1);
	int32_t known = sdc_sort_numbers(host, value, n, key, row);
	int32_t most[2] = {0, 0};
	double common = NAN;
	int32_t from;
	int32_t to;

	for (from = 0; from < known; from = to)
	{
		for (to = from; to < known && key[to] == key[from]; to++)
			;
		if (to - from > most[0])
		{
			most[1] = most[0];
			most[0] = to - from;
			common = value[row[from]];
		}
		else if (to - from > most[1])
			most[1] = to - from;
	}
	host->release(host, key);
	host->release(host, row);
	return COMMON * (int64_t) most[0] >= known &&
				   most[0] >= COMMON * (int64_t) most[1]
			   ? common
			   : NAN;
}

/* ---------------------------------------------------------------------------
 * Forms of some of the records: of those without a common value, and of each
 * class of them.
 */

/* Classes that may each have a law of its own, links of each, and how many
 * columns of such classes are tried. */
#define MOST_CLASSES   12
#define LINKS_OF_CLASS 40
#define CLASSINGS      3

/* What laws of classes gain more than one of all, by link: there are many, and
 * the best of them in each class is taken. */
#define LEAST_OF_SPLIT 0.1

/* Beside masked keys that tell something, what they leave at most of the doubt
 * who it is: those that left half found 518 moved homes, 610 are without. */
#define MOST_LEFT 0.25

/* A column of standard values of some of the records. */
static double *
values_of_some(const SdcIntruder *intruder, const SdcStandard *column,
			   const bool *some)
{
	double *values =
		sdc_new(intruder->host, double, (size_t) intruder->records + 1);
	int32_t i;

	for (i = 0; i < intruder->records; i++)
		values[i] = some[i] ? sdc_standard_at(column, i) : NAN;
	return values;
}

/* The links to some of the records, an array of the caller's. */
static int32_t *
links_of_some(const SdcLearning *form, const bool *some, int32_t *links)
{
	int32_t *link =
		sdc_new(form->intruder->host, int32_t, (size_t) form->links + 1);
	int32_t k;

	*links = 0;
	for (k = 0; k < form->links; k++)
		if (some[form->released->partner[form->link[k]]])
			link[(*links)++] = form->link[k];
	return link;
}

/* A column of some of the records. */
typedef struct Part
{
	SdcLearning form[SDC_MEASURES];
	double *values[SDC_MEASURES];
	int32_t *link;
} Part;

/* apart: only their links are halved, where they are few of all. */
static Part
start_part(const Lesson *lesson, int column, const bool *some, bool apart)
{
	Part part;
	int32_t links;
	int f;

	part.link = links_of_some(lesson->form, some, &links);
	for (f = 0; f < SDC_MEASURES; f++)
	{
		SdcLearning form = lesson->form[f];
		int at = form.masks + column;

		part.values[f] = values_of_some(form.intruder, &form.record[at], some);
		form.record[at] = form.shown[at] = sdc_standard_kept(part.values[f]);
		form.link = apart ? part.link : form.link;
		form.links = apart ? links : form.links;
		part.form[f] = learning_of(&form, column, (SdcMeasure) f);
	}
	return part;
}

static void
end_part(SdcHost *host, Part *part)
{
	int f;

	for (f = 0; f < SDC_MEASURES; f++)
		host->release(host, part->values[f]);
	host->release(host, part->link);
}

/* The forms of a column of which a common value is left out: who pays nothing
 * pays it by no law.  That he does, his category tells. */
static void
take_uncommon(Lesson *lesson, Told *best, int column)
{
	SdcIntruder *intruder = lesson->form[0].intruder;
	const double *value = lesson->form[0].released->record[column];
	double common = common_value(intruder->host, value, intruder->records);
	bool *some;
	Part part;
	int32_t i;

	if (isnan(common))
		return;
	some = sdc_new(intruder->host, bool, (size_t) intruder->records + 1);
	for (i = 0; i < intruder->records; i++)
		some[i] = value[i] != common;
	part = start_part(lesson, column, some, false);
	take_forms(lesson, best, part.form);
	end_part(intruder->host, &part);
	intruder->host->release(intruder->host, some);
}

/* What the better form of a part gains, as it is or with effects. */
static double
gain_of_part(const Part *part, bool effects)
{
	double gain[2] = {gain_of(&part->form[SDC_MEASURE_VALUE], FEW_ROUNDS),
					  gain_of(&part->form[SDC_MEASURE_SIZE], FEW_ROUNDS)};
	int of = gain[1] > gain[0];
	double explained;
	SdcLearning with;

	if (!effects)
		return gain[of];
	with = sdc_learning_with_effects(part->form, &part->form[of], gain[of],
									 &explained);
	if (with.effects + with.record_effects > 0)
		gain[of] = sdc_learning_gain(&with);
	sdc_learning_drop_effects(&with);
	return gain[of];
}

/* A column of the records of a class; some is room for which they are. */
static Part
start_class(const Lesson *lesson, int column, int class, int32_t code,
			bool *some)
{
	const SdcLearning *form = lesson->form;
	const int32_t *codes = form->released->class_of_record[class];
	int32_t i;

	for (i = 0; i < form->intruder->records; i++)
		some[i] = codes[i] == code;
	return start_part(lesson, column, some, true);
}

/* What forms of each class of a column of classes gain. */
static double
gain_of_split(const Lesson *lesson, int column, int class, bool *some,
			  bool effects)
{
	const SdcLearning *form = lesson->form;
	double gain = 0;
	int32_t c;

	for (c = 0; c < form->released->classes[class]; c++)
	{
		Part part = start_class(lesson, column, class, c, some);

		gain += gain_of_part(&part, effects);
		end_part(form->intruder->host, &part);
	}
	return gain;
}

/* Adds the term of a class to those of others. */
static void
add_class(SdcHost *host, Told *split, Told *one)
{
	if (split->person != NULL)
	{
		one->next = sdc_new(host, Told, 1);
		*one->next = *split;
		one->gain += split->gain;
		one->classes |= split->classes;
	}
	*split = *one;
}

/* The terms of each class of a column of classes, as one. */
static Told
split_by(Lesson *lesson, int column, int class, bool *some)
{
	const SdcLearning *form = lesson->form;
	SdcHost *host = form->intruder->host;
	Told split = {.person = NULL};
	int32_t c;

	for (c = 0; c < form->released->classes[class]; c++)
	{
		Told one = {.person = NULL};
		Part part = start_class(lesson, column, class, c, some);

		take_forms(lesson, &one, part.form);
		end_part(host, &part);
		one.classes |= (uint32_t) 1 << class;
		if (one.person != NULL)
			add_class(host, &split, &one);
	}
	return split;
}

static int
terms_of(const Told *told)
{
	int terms = 0;

	for (; told != NULL; told = told->next)
		terms += told->person != NULL;
	return terms;
}

/* Are the terms of classes better than the one of all? */
static bool
is_better_split(Lesson *lesson, const Told *best, const Told *split)
{
	int terms = terms_of(split);

	if (terms == 0 ||
		!sdc_intruder_has_room(lesson->form[0].intruder, terms, terms))
		return false;
	if (lesson->alone)
		return split->gain > best->gain +
								 LEAST_OF_SPLIT * lesson->form[0].links +
								 terms * SDC_LEAST_GAIN;
	return told_with(lesson, split) >
		   MOST_LEFT * told_with(lesson, best->person != NULL ? best : NULL);
}

/* May each class of this column have a law of its own? */
static bool
may_split(const SdcLearning *form, int column, int class)
{
	return sdc_learning_is_class(form, column, class) &&
		   form->released->classes[class] <= MOST_CLASSES &&
		   (int64_t) form->released->classes[class] * LINKS_OF_CLASS <=
			   form->links;
}

/* The columns of classes whose forms gain most, without effects, as these take
 * long; returns how many. */
static int
choose_classes(const Lesson *lesson, int column, bool *some, int *chosen)
{
	const SdcLearning *form = &lesson->form[0];
	double gain[CLASSINGS + 1];
	int count = 0;
	int c;
	int k;

	for (c = 0; c < form->released->columns; c++)
	{
		double own;

		if (!may_split(form, column, c))
			continue;
		own = gain_of_split(lesson, column, c, some, false);
		for (k = count; k > 0 && gain[k - 1] < own; k--)
		{
			gain[k] = gain[k - 1];
			chosen[k] = chosen[k - 1];
		}
		gain[k] = own;
		chosen[k] = c;
		count += count < CLASSINGS;
	}
	return count;
}

/* A law for each class of the records, where one for all leaves much. */
static void
take_split(Lesson *lesson, Told *best, int column)
{
	const SdcLearning *form = &lesson->form[0];
	SdcHost *host = form->intruder->host;
	int chosen[CLASSINGS + 1];
	bool *some;
	int count;
	int k;

	if (best->person != NULL && best->width <= LITTLE && best->wrong <= MANY)
		return;
	some = sdc_new(host, bool, (size_t) form->intruder->records + 1);
	count = choose_classes(lesson, column, some, chosen);
	for (k = 0; k < count; k++)
	{
		int class = chosen[k];
		Told split;

		if (gain_of_split(lesson, column, class, some, true) <
			best->gain + LEAST_OF_SPLIT * form->links +
				form->released->classes[class] * SDC_LEAST_GAIN)
			continue;
		split = split_by(lesson, column, class, some);
		if (is_better_split(lesson, best, &split))
			swap_terms(best, &split);
		drop_term(host, &split);
	}
	host->release(host, some);
}

/* Learns one column: its best term, or none that tells anything. */
static Told
learn_best(Lesson *lesson, int column)
{
	const SdcIntruderReleased *released = lesson->form[0].released;
	SdcLearning one[SDC_MEASURES];
	Told best = {.person = NULL};
	int f;

	for (f = 0; f < SDC_MEASURES; f++)
		one[f] = learning_of(&lesson->form[f], column, (SdcMeasure) f);
	take_forms(lesson, &best, one);
	if (released->learned == NULL || released->learned[column] == NULL)
	{
		take_uncommon(lesson, &best, column);
		if (released->told == NULL)
			take_split(lesson, &best, column);
	}
	/* the best of forms that say nothing, or what is wrong, is none */
	if (best.person != NULL && !lesson->alone &&
		!(told_with(lesson, &best) > told_with(lesson, NULL) + SDC_LEAST_TOLD))
		drop_term(lesson->form[0].intruder->host, &best);
	return best;
}

/* Adds the terms of a column, and says which columns they are by. */
static void
use_terms(Lesson *lesson, int column, const Told *told)
{
	const SdcIntruderReleased *released = lesson->form[0].released;
	const Told *term;
	int c;

	for (term = told; term != NULL; term = term->next)
		add_term(lesson->form[0].intruder, term);
	for (c = 0; c < released->columns; c++)
		if (c == column || (told->classes >> c & 1))
			sdc_note_used(released->used, released->gain, c, told->gain);
	if (lesson->met)
		sdc_rivals_add(&lesson->rivals, score_of, told);
}

/* Leaves what was learned of a column to who chooses. */
static void
leave_told(SdcHost *host, Told *best, Told **place)
{
	if (place == NULL)
	{
		drop_term(host, best);
		return;
	}
	*place = sdc_new(host, Told, 1);
	**place = *best;
}

/* Learns one column, unless that was done; false: it does not go with what is
 * known. */
static bool
learn_column(Lesson *lesson, int column)
{
	SdcIntruder *intruder = lesson->form[0].intruder;
	const SdcIntruderReleased *released = lesson->form[0].released;
	Told **place = released->told == NULL ? NULL : &released->told[column];
	bool done = place != NULL && *place != NULL;
	Told best;
	bool goes;

	if (!sdc_intruder_has_room(intruder, 1, 1))
		return false;
	best = done ? **place : learn_best(lesson, column);
	goes = best.person != NULL;
	if (goes)
		use_terms(lesson, column, &best);
	if (!done)
		leave_told(intruder->host, &best, place);
	return goes;
}

void
sdc_intruder_move_told(SdcIntruderTold *told, const int *place, int columns)
{
	uint32_t classes = 0;
	int c;

	for (c = 0; c < columns && told != NULL; c++)
		if (told->classes >> c & 1 && place[c] >= 0)
			classes |= (uint32_t) 1 << place[c];
	if (told != NULL)
		told->classes = classes;
}

void
sdc_intruder_forget(SdcHost *host, SdcIntruderTold *told)
{
	if (told == NULL)
		return;
	drop_term(host, told);
	host->release(host, told);
}

int
sdc_intruder_add_released(SdcIntruder *intruder,
						  const SdcIntruderReleased *released)
{
	SdcHost *host = intruder->host;
	Lesson lesson;
	SdcLearning *form = lesson.form;
	int used = 0;
	int c;
	int f;

	start_stage(host);
	memset(&lesson, 0, sizeof(lesson));
	form[0].intruder = intruder;
	form[0].released = released;
	form[0].degrees = SDC_FIT_DEGREES;
	form[0].link = sdc_new(host, int32_t, LINKS);
	form[0].links = sdc_intruder_draw_links(
		host, released->partner, intruder->persons, LINKS, form[0].link);
	for (f = 1; f < SDC_MEASURES; f++)
		form[f] = form[0];
	for (f = 0; f < SDC_MEASURES; f++)
		sdc_learning_take_columns(&form[f], (SdcMeasure) f);
	lesson.alone = intruder->terms == 0;
	for (c = 0; c < released->columns; c++)
	{
		host->poll(host, (uint64_t) c, (uint64_t) released->columns);
		used += learn_column(&lesson, c);
	}
	if (lesson.met)
		sdc_rivals_release(host, &lesson.rivals);
	for (f = 0; f < SDC_MEASURES; f++)
		sdc_learning_drop_columns(&form[f]);
	host->release(host, form[0].link);
	return used;
}
