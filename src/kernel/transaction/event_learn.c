/*
 * event_learn.c
 *		What an intruder learns of the masking from the files alone.
 *
 * Records are linked to the best persons by what is believed so far, and what
 * became of their marks is counted; how far values were moved is counted over
 * all persons whose a record may be, as a step of EM.  It starts from the
 * width that explains some records best.
 *
 * libm: isnan, fabs and fmin, which are exact.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/elementary.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/transaction/event_private.h"

/* No chance is believed to be nearer to 0 or 1 than that. */
#define LEAST_KEEP   0.01
#define LEAST_EXTRA  0.001
#define LEAST_SPREAD 1e-6

static double
between(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

/* ----------------------------------------------------------------------
 * The laws, from the links that are believed so far.
 * ----------------------------------------------------------------------
 */

/* What was counted of a channel of sets. */
typedef struct Count
{
	double kept;  /* marks of both */
	double had;   /* marks of the persons */
	double added; /* marks of the records only */
	double room;  /* how many there would be, were they anybody's records */
} Count;

/* The number of marks of both of two sets. */
static int32_t
count_shared(const SdcItemSets *a, int32_t i, const SdcItemSets *b, int32_t j)
{
	int64_t p = a->start[i];
	int64_t q = b->start[j];
	int32_t shared = 0;

	while (p < a->start[i + 1] && q < b->start[j + 1])
	{
		int32_t x = a->item[p];
		int32_t y = b->item[q];

		shared += x == y;
		p += x <= y;
		q += y <= x;
	}
	return shared;
}

static void
count_marks(const SdcEventIntruder *intruder, int c, int32_t person,
			int32_t record, Count *count)
{
	const SdcEventChannel *channel = &intruder->files->channel[c];
	const SdcItemSets *known = &channel->known;
	const SdcItemSets *shown = &channel->shown;
	int32_t shared = count_shared(known, person, shown, record);
	double room = (double) shown->start[shown->sets] / shown->sets;
	int64_t r;

	for (r = known->start[person]; r < known->start[person + 1]; r++)
		room -= intruder->share[c][known->item[r]];
	count->kept += shared;
	count->had += sdc_item_sets_size(known, person);
	count->added += sdc_item_sets_size(shown, record) - shared;
	count->room += room > 0 ? room : 0;
}

static void
fit_marks(SdcEventLaw *law, const Count *count)
{
	if (count->had > 0)
		law->keep =
			between(count->kept / count->had, LEAST_KEEP, 1 - LEAST_KEEP);
	if (count->room > 0)
		law->extra = between(count->added / count->room, LEAST_EXTRA, 1);
}

/* The middle of n numbers, which are put in order. */
static double
median(SdcHost *host, double *x, int32_t n)
{
	if (n == 0)
		return 0;
	sdc_select_record(host, x, 1, n, n / 2, 0);
	return x[n / 2];
}

static void
fit_number(SdcEventIntruder *intruder, int c, const int32_t *record,
		   const int32_t *person, int32_t links)
{
	SdcHost *host = intruder->host;
	const SdcEventChannel *channel = &intruder->files->channel[c];
	SdcEventLaw *law = &intruder->law[c];
	double *move = sdc_new(host, double, (size_t) links + 1);
	int32_t n = 0;
	int32_t k;

	for (k = 0; k < links; k++)
	{
		double x = channel->shown_number[record[k]] -
				   channel->known_number[person[k]];

		if (!isnan(x))
			move[n++] = x;
	}
	law->middle = median(host, move, n);
	for (k = 0; k < n; k++)
		move[k] = fabs(move[k] - law->middle);
	law->spread = between(median(host, move, n), LEAST_SPREAD, 1e6);
	host->release(host, move);
}

/* ----------------------------------------------------------------------
 * How far values were moved.
 * ----------------------------------------------------------------------
 */

/* Halvings of half of the range of values that are tried. */
#define HALVINGS 12

/* Records on which they are tried, and what all of them may cost, in values
 * met. */
#define TRIED_RECORDS 100
#define TRIED_VALUES  2e8

/* What all records that are learned from may cost in a round. */
#define LEARNED_VALUES 3e8

/* So much of it is spread over all of its steps. */
#define FLAT 0.02

/* Moves about a middle by a normal law, of which reach is four deviations. */
static void
start_law(SdcEventLaw *law, double middle, double reach)
{
	int k;

	law->low = middle - reach;
	law->step = 2 * reach / SDC_EVENT_STEPS;
	law->keep = 0.95;
	for (k = 0; k < SDC_EVENT_STEPS; k++)
	{
		double off = (k + 0.5) / (SDC_EVENT_STEPS / 2) - 1;

		law->near[k] = sdc_exp(-(off * off * 8));
	}
}

/* A histogram is narrowed to its middle where beyond it is less than that. */
#define TAIL 0.01

/* Makes the steps of a histogram finer, where most of them are empty. */
static void
narrow_law(SdcEventLaw *law)
{
	double near[SDC_EVENT_STEPS];
	double low;
	double step;
	double tail = 0;
	int first = 0;
	int last = SDC_EVENT_STEPS - 1;
	int k;

	for (k = 0; k < SDC_EVENT_STEPS && tail + law->near[k] < TAIL; k++)
		tail += law->near[k];
	first = k - 1;
	for (k = SDC_EVENT_STEPS - 1, tail = 0;
		 k > first && tail + law->near[k] < TAIL; k--)
		tail += law->near[k];
	last = k + 1;
	if (last - first + 1 > SDC_EVENT_STEPS / 2)
		return;
	low = law->low + first * law->step;
	step = law->step * (last - first + 1) / SDC_EVENT_STEPS;
	for (k = 0; k < SDC_EVENT_STEPS; k++)
		near[k] = sdc_event_law_chance(law, low + (k + 0.5) * step) *
				  (last - first + 1) / SDC_EVENT_STEPS;
	memcpy(law->near, near, sizeof(near));
	law->low = low;
	law->step = step;
}

/* The middle of the values of all sets. */
static double
middle_value(SdcHost *host, const double *values, const SdcItemSets *sets)
{
	int64_t n = sets->start[sets->sets];
	double *value = sdc_new(host, double, (size_t) n + 1);
	double middle;
	int64_t r;

	for (r = 0; r < n; r++)
		value[r] = values[sets->item[r]];
	middle = median(host, value, (int32_t) n);
	host->release(host, value);
	return middle;
}

/* Who is less likely than the best by that (e^8) is not learned from. */
#define LEAST_LEARNED 8

/*
 * Lists in touched who is likely enough to be a record's person, and in score
 * how likely; *sum is the logarithm of what all of them have.
 */
static int32_t
list_likely(SdcEventIntruder *intruder, int32_t record, double *sum)
{
	double all = 0;
	int32_t some = 0;
	int32_t k;

	sdc_event_intruder_best(intruder, record);
	for (k = 0; k < intruder->touches; k++)
	{
		int32_t i = intruder->touched[k];
		double less;

		if (!sdc_event_is_of_part(intruder, i,
								  sdc_event_part_of(intruder, record)) ||
			!sdc_event_reaches(intruder, i, record,
							   intruder->best - LEAST_LEARNED))
			continue;
		less = intruder->best - sdc_event_score_met(intruder, i, record);
		if (less > LEAST_LEARNED)
			continue;
		intruder->score[i] = sdc_exp(-less);
		all += intruder->score[i];
		intruder->touched[some++] = i;
	}
	for (k = 0; k < some; k++)
		intruder->score[intruder->touched[k]] /= all;
	*sum = some == 0 ? 0 : intruder->best + sdc_random_log(all);
	return some;
}

/* How well records are explained by what is believed: how much likelier they
 * are than by anybody, together. */
static double
explain(SdcEventIntruder *intruder, int32_t step)
{
	int32_t records = intruder->files->records;
	double all = 0;
	double sum;
	int32_t j;

	for (j = 0; j < records; j += step)
	{
		(void) list_likely(intruder, sdc_random_of_step(j, step, records),
						   &sum);
		all += sum;
	}
	return all;
}

/* What was tried of a channel and explains most. */
typedef struct Guess
{
	double most;
	double middle;
	double reach; /* 0: nothing yet */
	bool scaled;
} Guess;

/* Tries moves about a middle, from far ones to small ones. */
static void
try_moves(SdcEventIntruder *intruder, int c, double middle, double range,
		  Guess *guess)
{
	const SdcEventChannel *channel = &intruder->files->channel[c];
	int32_t step = (intruder->files->records - 1) / TRIED_RECORDS + 1;
	double pairs = (double) channel->known.start[channel->known.sets] *
				   ((double) channel->shown.start[channel->shown.sets] / step);
	int k;

	for (k = 0; k < HALVINGS; k++)
	{
		double reach = range / 2 / (double) ((int64_t) 1 << k);
		double sum;

		if (pairs * fmin(1, 2 * reach / range) > TRIED_VALUES / HALVINGS)
			continue;
		start_law(&intruder->law[c], middle, reach);
		sum = explain(intruder, step);
		if (guess->reach > 0 && sum <= guess->most)
			continue;
		guess->most = sum;
		guess->middle = middle;
		guess->reach = reach;
		guess->scaled = intruder->law[c].scaled;
	}
}

/* Tries how far values of a channel were moved on a scale: about nothing, or
 * as far as the middle of all was. */
static void
try_scale(SdcEventIntruder *intruder, int c, bool scaled, Guess *guess)
{
	const SdcEventChannel *channel = &intruder->files->channel[c];
	int32_t items = channel->known.items;
	const double *value;
	double range;
	double middle;

	intruder->law[c].scaled = scaled;
	value = sdc_event_values(intruder, c);
	range = value[items - 1 - items / 20] - value[items / 20];
	if (!(range > 0))
		return;
	middle = middle_value(intruder->host, value, &channel->shown) -
			 middle_value(intruder->host, value, &channel->known);
	try_moves(intruder, c, 0, range, guess);
	/* less is among the far moves about nothing */
	if (fabs(middle) > range / 16)
		try_moves(intruder, c, middle, range, guess);
}

static void
guess_moves(SdcEventIntruder *intruder, int c)
{
	const SdcEventChannel *channel = &intruder->files->channel[c];
	Guess guess = {0, 0, 0, false};

	if (channel->known.start[channel->known.sets] == 0 ||
		channel->shown.start[channel->shown.sets] == 0)
		return;
	try_scale(intruder, c, false, &guess);
	if (channel->scaled != NULL)
		try_scale(intruder, c, true, &guess);
	intruder->law[c].keep = 0;
	intruder->law[c].scaled = guess.scaled;
	if (guess.reach > 0)
		start_law(&intruder->law[c], guess.middle, guess.reach);
}

/* Guesses the moves of each channel of values by itself; is there any? */
static bool
guess_all_moves(SdcEventIntruder *intruder)
{
	bool any = false;
	double *keep = sdc_new(intruder->host, double,
						   (size_t) intruder->files->channels + 1);
	int c;

	for (c = 0; c < intruder->files->channels; c++)
	{
		if (intruder->files->channel[c].value == NULL)
			continue;
		any = true;
		guess_moves(intruder, c);
		keep[c] = intruder->law[c].keep;
		intruder->law[c].keep = 0;
	}
	for (c = 0; c < intruder->files->channels; c++)
		if (intruder->files->channel[c].value != NULL)
			intruder->law[c].keep = keep[c];
	intruder->host->release(intruder->host, keep);
	return any;
}

/* What was counted of a channel of values. */
typedef struct Moved
{
	double by[SDC_EVENT_STEPS]; /* values that were moved by a step */
	double kept;                /* the sum of it */
	double shown;               /* all values of the records */
} Moved;

/* Counts by which steps the values of a record, around which everybody's come
 * to so much, came from a person's, who is so likely its own. */
static void
count_moves(const SdcEventIntruder *intruder, int c, int32_t person,
			int32_t record, double likely, const double *all, Moved *moved)
{
	const SdcItemSets *known = &intruder->files->channel[c].known;
	const SdcItemSets *shown = &intruder->files->channel[c].shown;
	const double *value = sdc_event_values(intruder, c);
	const SdcEventLaw *law = &intruder->law[c];
	int64_t p;
	int64_t r;

	moved->shown += likely * sdc_item_sets_size(shown, record);
	for (r = shown->start[record]; r < shown->start[record + 1]; r++)
	{
		double y = value[shown->item[r]];
		double own = sdc_event_sum_own(intruder, c, person, y);
		double times;

		if (!(own > 0))
			continue;
		times = sdc_event_times_nearer(intruder, c, person, own,
									   all[r - shown->start[record]]);
		times =
			likely * law->keep * times / (1 - law->keep + law->keep * times);
		moved->kept += times;
		for (p = known->start[person]; p < known->start[person + 1]; p++)
		{
			double move = y - value[known->item[p]];
			double chance = sdc_event_law_chance(law, move);

			if (chance > 0)
				moved->by[(int) ((move - law->low) / law->step)] +=
					times * chance / own;
		}
	}
}

/*
 * Counts the moves of the values of a record, from all persons whose it may
 * be: the best one alone has nearer values than the right one mostly has.
 */
static void
count_likely(SdcEventIntruder *intruder, int32_t record, Moved *moved)
{
	double sum;
	int32_t some = list_likely(intruder, record, &sum);
	int c;

	for (c = 0; c < intruder->files->channels; c++)
	{
		const SdcItemSets *shown = &intruder->files->channel[c].shown;
		int32_t size;
		double *all;
		int32_t k;

		if (intruder->files->channel[c].value == NULL ||
			intruder->law[c].keep == 0)
			continue;
		size = sdc_item_sets_size(shown, record);
		all = sdc_new(intruder->host, double, (size_t) size + 1);
		for (k = 0; k < size; k++)
			all[k] = sdc_event_around(intruder, c, record, k);
		for (k = 0; k < some; k++)
		{
			int32_t i = intruder->touched[k];

			sdc_event_poll(intruder, (uint64_t) size);
			count_moves(intruder, c, i, record, intruder->score[i], all,
						&moved[c]);
		}
		intruder->host->release(intruder->host, all);
	}
}

static void
fit_values(SdcEventLaw *law, const Moved *moved)
{
	int k;

	if (!(moved->kept > 0))
		return;
	law->keep =
		between(moved->kept / moved->shown, LEAST_KEEP, 1 - LEAST_KEEP);
	for (k = 0; k < SDC_EVENT_STEPS; k++)
		law->near[k] =
			(1 - FLAT) * moved->by[k] / moved->kept + FLAT / SDC_EVENT_STEPS;
	narrow_law(law);
}

/* Links one record in so many to the first of the best persons. */
static int32_t
link_some(SdcEventIntruder *intruder, int32_t step, int32_t *record,
		  int32_t *person)
{
	int32_t records = intruder->files->records;
	int32_t links = 0;
	int32_t j;

	for (j = 0; j < records; j += step)
	{
		int32_t one = sdc_random_of_step(j, step, records);

		sdc_event_intruder_best(intruder, one);
		if (intruder->rows == 0)
			continue;
		record[links] = one;
		person[links++] = intruder->row[0];
	}
	return links;
}

/* Looks at some records to see how many can be learned from. */
static int32_t
afford_step(SdcEventIntruder *intruder, int32_t step)
{
	int32_t records = intruder->files->records;
	int32_t some = records / TRIED_RECORDS + 1;
	uint64_t before = intruder->work;
	double cost;

	(void) explain(intruder, some);
	cost = (double) (intruder->work - before) * some / step;
	return cost <= LEARNED_VALUES
			   ? step
			   : (int32_t) fmin(step * cost / LEARNED_VALUES + 1, some);
}

void
sdc_event_intruder_fit(SdcEventIntruder *intruder, int rounds, int32_t most)
{
	SdcHost *host = intruder->host;
	const SdcEventFiles *files = intruder->files;
	int32_t step = files->records / most + 1;
	size_t room = (size_t) (files->records / step) + 2;
	int32_t *record = sdc_new(host, int32_t, room);
	int32_t *person = sdc_new(host, int32_t, room);
	Moved *moved = sdc_new(host, Moved, (size_t) files->channels + 1);
	bool values;
	int round;

	host->stage(host, "learning what was masked");
	values = guess_all_moves(intruder);
	if (values)
		step = afford_step(intruder, step);
	for (round = 0; round < rounds; round++)
	{
		int32_t links = link_some(intruder, step, record, person);
		int32_t k;
		int c;

		memset(moved, 0, sizeof(Moved) * (size_t) files->channels);
		for (k = 0; k < links && values; k++)
			count_likely(intruder, record[k], moved);

		for (c = 0; c < files->channels; c++)
		{
			Count count = {0};

			if (files->channel[c].is_number)
				fit_number(intruder, c, record, person, links);
			if (files->channel[c].value != NULL)
				fit_values(&intruder->law[c], &moved[c]);
			if (files->channel[c].is_number || files->channel[c].value != NULL)
				continue;
			for (k = 0; k < links; k++)
				count_marks(intruder, c, person[k], record[k], &count);
			fit_marks(&intruder->law[c], &count);
		}
		sdc_event_weigh(intruder);
	}
	host->release(host, record);
	host->release(host, person);
	host->release(host, moved);
}
