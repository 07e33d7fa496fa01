/*
 * event_likelihood.c
 *		Who is who by what is known of a person's events, through several
 *		channels at once.
 *
 * A record shows a set of marks.  If it is a person's, each of his marks is in
 * it with the chance keep, and any other mark with `extra` times the chance u
 * that the mark has in any record.  Against a record of somebody else this is
 * worth
 *
 *   keep / u              for a mark of both,
 *   (1 - keep) / (1 - u)  for one that only the person has,
 *   extra                 for one that only the record has,
 *   (1 - extra u) / (1 - u) for one that neither has,
 *
 * so a rare day in both is worth much and a common one little.  The sum of the
 * logarithms is one of the person, one of the record, and one over the marks
 * that both have, which the inverted index gives.  A number is worth the
 * density of Cauchy's law at its move.  Channels add up, as if they knew
 * nothing of each other (naive Bayes).
 *
 * A value y that a record shows, of a channel of values, is worth
 *
 *   1 + keep / (1 - keep) * mean of near(y - x) over the person's values x
 *                         / mean of near(y - x) over everybody's,
 *
 * so a near value says little where values are dense, and little of a person
 * who has many.  Which moves are near is a histogram that is learned.
 *
 * A number only takes away from a score, so what a person has by marks alone
 * is the most that he can have.  Who shares no mark with a record has what he
 * adds without any: such persons are tried from the greatest of these on, or
 * from those on whose number is nearest, until it is too little.
 *
 * libm: isnan, fabs and fmax, which are exact.
 */
#include "kernel/transaction/event_likelihood.h"

#include <math.h>
#include <string.h>

#include "kernel/base/elementary.h"
#include "kernel/base/heap.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"

/* No chance is believed to be nearer to 0 or 1 than that. */
#define LEAST_KEEP   0.01
#define LEAST_EXTRA  0.001
#define LEAST_SPREAD 1e-6

double
sdc_event_scale(double x)
{
	double log = sdc_random_log(1 + fabs(x));

	return x < 0 ? -log : log;
}

static double
between(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

/* ----------------------------------------------------------------------
 * What is believed of the channels, made into sums.
 * ----------------------------------------------------------------------
 */

/* How often the records show each mark; one that none shows is rare. */
static double *
count_shares(SdcHost *host, const SdcItemSets *shown)
{
	double *share = sdc_new(host, double, (size_t) shown->items + 1);
	int64_t r;
	int32_t t;

	memset(share, 0, sizeof(double) * ((size_t) shown->items + 1));
	for (r = 0; r < shown->start[shown->sets]; r++)
		share[shown->item[r]]++;
	for (t = 0; t < shown->items; t++)
		share[t] = (share[t] + 0.5) / (shown->sets + 1.0);
	return share;
}

static void
poll(SdcEventIntruder *intruder, uint64_t steps)
{
	uint64_t before = intruder->work / SDC_POLL_STEPS;

	intruder->work += steps;
	if (intruder->work / SDC_POLL_STEPS != before)
		intruder->host->poll(intruder->host, intruder->work, 0);
}

/* Counts the persons of each part; an order starts with these. */
static SdcEventOrder
new_order(SdcHost *host, const SdcEventFiles *files)
{
	SdcEventOrder order;
	size_t parts = (size_t) files->parts;
	int32_t i;

	order.first = sdc_new(host, int32_t, parts + 2);
	order.person = sdc_new(host, int32_t, (size_t) files->persons + 1);
	memset(order.first, 0, sizeof(int32_t) * (parts + 2));
	for (i = 0; i < files->persons; i++)
		order.first[files->person_part ? files->person_part[i] + 1 : 1]++;
	for (i = 0; i < files->parts; i++)
		order.first[i + 1] += order.first[i];
	return order;
}

/* Orders the persons of each part by keys, the least first. */
static void
sort_order(SdcEventIntruder *intruder, SdcEventOrder *order, uint64_t *key)
{
	SdcHost *host = intruder->host;
	const SdcEventFiles *files = intruder->files;
	size_t n = (size_t) files->persons;
	int32_t *sorted = sdc_new(host, int32_t, n + 1);
	int32_t *next = sdc_new(host, int32_t, (size_t) files->parts + 1);
	int32_t i;

	for (i = 0; i < files->persons; i++)
		sorted[i] = i;
	sdc_sort_keys(host, key, sorted, n);
	memcpy(next, order->first, sizeof(int32_t) * (size_t) files->parts);
	for (i = 0; i < files->persons; i++)
	{
		int32_t part = files->person_part ? files->person_part[sorted[i]] : 0;

		order->person[next[part]++] = sorted[i];
	}
	host->release(host, sorted);
	host->release(host, next);
}

/* Sets the weights of the marks of a channel, and adds to the persons'. */
static void
weigh_channel(SdcEventIntruder *intruder, int c)
{
	const SdcItemSets *known = &intruder->files->channel[c].known;
	const SdcEventLaw *law = &intruder->law[c];
	const double *share = intruder->share[c];
	double *weight = intruder->weight[c];
	double *miss = sdc_new(intruder->host, double, (size_t) known->items + 1);
	double extra = sdc_random_log(law->extra);
	int32_t i;
	int64_t r;

	for (i = 0; i < known->items; i++)
	{
		double neither =
			sdc_random_log((1 - law->extra * share[i]) / (1 - share[i]));

		if (i % SDC_POLL_STEPS == 0)
			intruder->host->poll(intruder->host, (uint64_t) i,
								 (uint64_t) known->items);
		miss[i] = sdc_random_log((1 - law->keep) / (1 - share[i])) - neither;
		weight[i] = sdc_random_log(law->keep / share[i]) - extra - miss[i];
	}
	for (i = 0; i < known->sets; i++)
		for (r = known->start[i]; r < known->start[i + 1]; r++)
			intruder->base[i] += miss[known->item[r]];
	intruder->host->release(intruder->host, miss);
}

/* How many persons a number tells apart, by and large. */
static double
tell_apart(SdcEventIntruder *intruder, int c)
{
	SdcHost *host = intruder->host;
	const double *number = intruder->files->channel[c].known_number;
	double *known =
		sdc_new(host, double, (size_t) intruder->files->persons + 1);
	double apart = 0;
	int32_t n = 0;
	int32_t i;

	for (i = 0; i < intruder->files->persons; i++)
		if (!isnan(number[i]))
			known[n++] = number[i];
	if (n > 0)
	{
		double low;

		sdc_select_record(host, known, 1, n, n / 20, 0);
		low = known[n / 20];
		sdc_select_record(host, known, 1, n, n - 1 - n / 20, 0);
		apart = (known[n - 1 - n / 20] - low) / intruder->law[c].spread;
	}
	host->release(host, known);
	return apart;
}

/* Chooses the number to look for near persons by, and orders them by it. */
static void
order_by_value(SdcEventIntruder *intruder)
{
	SdcHost *host = intruder->host;
	const SdcEventFiles *files = intruder->files;
	uint64_t *key = sdc_new(host, uint64_t, (size_t) files->persons + 1);
	double most = -1;
	int32_t i;
	int k;

	for (k = 0; k < intruder->numbers; k++)
	{
		double apart = tell_apart(intruder, intruder->number[k]);

		if (apart > most)
		{
			most = apart;
			intruder->telling = intruder->number[k];
		}
	}
	for (i = 0; i < files->persons; i++)
		key[i] =
			sdc_sort_key(files->channel[intruder->telling].known_number[i]);
	sort_order(intruder, &intruder->by_value, key);
	host->release(host, key);
}

static void
order_by_base(SdcEventIntruder *intruder)
{
	SdcHost *host = intruder->host;
	int32_t persons = intruder->files->persons;
	uint64_t *key = sdc_new(host, uint64_t, (size_t) persons + 1);
	int32_t i;

	for (i = 0; i < persons; i++)
		key[i] = sdc_sort_key(-intruder->base[i]);
	sort_order(intruder, &intruder->by_base, key);
	host->release(host, key);
}

/* Makes sums and orders of what is believed of the channels. */
static void
weigh(SdcEventIntruder *intruder)
{
	const SdcEventFiles *files = intruder->files;
	int c;

	memset(intruder->base, 0, sizeof(double) * ((size_t) files->persons + 1));
	for (c = 0; c < files->channels; c++)
		if (!files->channel[c].is_number && files->channel[c].value == NULL)
			weigh_channel(intruder, c);
	order_by_base(intruder);
	if (intruder->numbers > 0)
		order_by_value(intruder);
}

static void
create_channel(SdcEventIntruder *intruder, int c)
{
	static const SdcEventLaw nothing = {0.9, 0.1, 0, 0.1, false, 0, 0, {0}};
	SdcHost *host = intruder->host;
	const SdcEventChannel *channel = &intruder->files->channel[c];

	intruder->law[c] = nothing;
	if (channel->is_number)
	{
		intruder->number[intruder->numbers++] = c;
		return;
	}
	intruder->index[c] = sdc_item_sets_invert(host, &channel->known);
	if (channel->value != NULL)
	{
		/* how far they were moved is not known yet */
		intruder->law[c].keep = 0;
		intruder->share[c] = intruder->weight[c] = NULL;
		return;
	}
	intruder->share[c] = count_shares(host, &channel->shown);
	intruder->weight[c] =
		sdc_new(host, double, (size_t) channel->known.items + 1);
}

SdcEventIntruder
sdc_event_intruder_create(SdcHost *host, const SdcEventFiles *files)
{
	size_t persons = (size_t) files->persons + 1;
	size_t channels = (size_t) files->channels + 1;
	SdcEventIntruder intruder;
	int c;

	memset(&intruder, 0, sizeof(intruder));
	intruder.host = host;
	intruder.files = files;
	intruder.telling = -1;
	intruder.law = sdc_new(host, SdcEventLaw, channels);
	intruder.index = sdc_new(host, SdcItemSets, channels);
	intruder.share = sdc_new(host, double *, channels);
	intruder.weight = sdc_new(host, double *, channels);
	intruder.number = sdc_new(host, int, channels);
	intruder.base = sdc_new(host, double, persons);
	intruder.score = sdc_new(host, double, persons);
	intruder.seen = sdc_new(host, int64_t, persons);
	intruder.touched = sdc_new(host, int32_t, persons);
	intruder.nearby = sdc_new(host, double, persons);
	intruder.met = sdc_new(host, int32_t, persons);
	memset(intruder.nearby, 0, sizeof(double) * persons);
	intruder.row = sdc_new(host, int32_t, persons);
	memset(intruder.seen, 0, sizeof(int64_t) * persons);
	for (c = 0; c < files->channels; c++)
		create_channel(&intruder, c);
	intruder.by_base = new_order(host, files);
	intruder.by_value = new_order(host, files);
	weigh(&intruder);
	return intruder;
}

static void
release_order(SdcHost *host, SdcEventOrder *order)
{
	host->release(host, order->first);
	host->release(host, order->person);
}

void
sdc_event_intruder_release(SdcEventIntruder *intruder)
{
	SdcHost *host = intruder->host;
	int c;

	for (c = 0; c < intruder->files->channels; c++)
	{
		if (intruder->files->channel[c].is_number)
			continue;
		sdc_item_sets_release(host, &intruder->index[c]);
		host->release(host, intruder->share[c]);
		host->release(host, intruder->weight[c]);
	}
	host->release(host, intruder->law);
	host->release(host, intruder->index);
	host->release(host, intruder->share);
	host->release(host, intruder->weight);
	host->release(host, intruder->number);
	host->release(host, intruder->base);
	host->release(host, intruder->score);
	host->release(host, intruder->seen);
	host->release(host, intruder->touched);
	host->release(host, intruder->nearby);
	host->release(host, intruder->met);
	host->release(host, intruder->row);
	release_order(host, &intruder->by_base);
	release_order(host, &intruder->by_value);
}

/* ----------------------------------------------------------------------
 * The score of a person.
 * ----------------------------------------------------------------------
 */

/* A product of that many is near the end of what a double holds. */
#define GREAT 1e150

/* What the moves of a person's numbers take from his score, 0 or more. */
static double
moves(const SdcEventIntruder *intruder, int32_t person, int32_t record)
{
	double product = 1;
	double sum = 0;
	int k;

	for (k = 0; k < intruder->numbers; k++)
	{
		int c = intruder->number[k];
		const SdcEventChannel *channel = &intruder->files->channel[c];
		double move =
			(channel->shown_number[record] - channel->known_number[person] -
			 intruder->law[c].middle) /
			intruder->law[c].spread;

		if (isnan(move))
			continue;
		product *= 1 + move * move;
		if (product > GREAT)
		{
			sum += sdc_random_log(product);
			product = 1;
		}
	}
	return product > 1 ? sum + sdc_random_log(product) : sum;
}

/* The values of a channel, in the scale of its law. */
static const double *
values_of(const SdcEventIntruder *intruder, int c)
{
	const SdcEventChannel *channel = &intruder->files->channel[c];

	return intruder->law[c].scaled ? channel->scaled : channel->value;
}

/* The values that can have become y: from begin on, up to end. */
static void
values_around(const SdcEventIntruder *intruder, int c, double y,
			  int32_t *begin, int32_t *end)
{
	const double *value = values_of(intruder, c);
	int32_t values = intruder->files->channel[c].known.items;
	const SdcEventLaw *law = &intruder->law[c];

	*begin = (int32_t) sdc_sort_below(
		value, (size_t) values, y - law->low - law->step * SDC_EVENT_STEPS);
	*end = (int32_t) sdc_sort_below(value, (size_t) values, y - law->low);
	while (*end < values && y - value[*end] >= law->low)
		(*end)++;
}

/* What everybody's values around y come to. */
static double
sum_around(const SdcEventIntruder *intruder, int c, double y)
{
	const double *value = values_of(intruder, c);
	double sum = 0;
	int32_t begin;
	int32_t end;

	values_around(intruder, c, y, &begin, &end);
	for (; begin < end; begin++)
		sum += sdc_event_law_chance(&intruder->law[c], y - value[begin]) *
			   sdc_item_sets_size(&intruder->index[c], begin);
	return sum;
}

/* The same of a person. */
static double
sum_own(const SdcEventIntruder *intruder, int c, int32_t person, double y)
{
	const SdcItemSets *known = &intruder->files->channel[c].known;
	const double *value = values_of(intruder, c);
	double sum = 0;
	int64_t p;

	for (p = known->start[person]; p < known->start[person + 1]; p++)
		sum +=
			sdc_event_law_chance(&intruder->law[c], y - value[known->item[p]]);
	return sum;
}

/* How much oftener a person has what is near than others, of sums that are
 * not 0. */
static double
times_nearer(const SdcEventIntruder *intruder, int c, int32_t person,
			 double own, double all)
{
	const SdcItemSets *known = &intruder->files->channel[c].known;

	return own / sdc_item_sets_size(known, person) *
		   ((double) known->start[known->sets] / all);
}

/* What a value adds to the score of a person. */
static double
gain_of(const SdcEventIntruder *intruder, int c, int32_t person, double own,
		double all)
{
	double keep = intruder->law[c].keep;

	return sdc_random_log(1 + keep / (1 - keep) *
								  times_nearer(intruder, c, person, own, all));
}

/* What the values of a record add to the score of a person. */
static double
add_own_values(const SdcEventIntruder *intruder, int c, int32_t person,
			   int32_t record, double score)
{
	const SdcItemSets *shown = &intruder->files->channel[c].shown;
	int64_t r;

	if (intruder->law[c].keep == 0)
		return score;
	for (r = shown->start[record]; r < shown->start[record + 1]; r++)
	{
		double y = values_of(intruder, c)[shown->item[r]];
		double own = sum_own(intruder, c, person, y);

		if (own > 0)
			score +=
				gain_of(intruder, c, person, own, sum_around(intruder, c, y));
	}
	return score;
}

double
sdc_event_intruder_score(const SdcEventIntruder *intruder, int32_t person,
						 int32_t record)
{
	double score = intruder->base[person];
	int c;

	for (c = 0; c < intruder->files->channels; c++)
	{
		const SdcItemSets *known = &intruder->files->channel[c].known;
		const SdcItemSets *shown = &intruder->files->channel[c].shown;
		int64_t p;
		int64_t r;

		if (intruder->files->channel[c].is_number)
			continue;
		if (intruder->files->channel[c].value != NULL)
		{
			score = add_own_values(intruder, c, person, record, score);
			continue;
		}
		p = known->start[person];
		for (r = shown->start[record]; r < shown->start[record + 1]; r++)
		{
			while (p < known->start[person + 1] &&
				   known->item[p] < shown->item[r])
				p++;
			if (p < known->start[person + 1] &&
				known->item[p] == shown->item[r])
				score += intruder->weight[c][shown->item[r]];
		}
	}
	return score - moves(intruder, person, record);
}

double
sdc_event_intruder_cost(const SdcEventIntruder *intruder, int32_t records)
{
	return intruder->search == 0
			   ? 0
			   : (double) intruder->work / (double) intruder->search * records;
}

/* ----------------------------------------------------------------------
 * A record against the persons of its part.
 * ----------------------------------------------------------------------
 */

/* A person with a score; of equal ones the earlier place goes first. */
typedef struct Candidate
{
	double score;
	int32_t place;
} Candidate;

static bool
is_worse(const void *nothing, Candidate a, Candidate b)
{
	(void) nothing;
	return a.score < b.score || (a.score == b.score && a.place > b.place);
}

SDC_HEAP(candidates, Candidate, const void *, is_worse)

/* What is looked for: the best persons with all ties, or so many. */
typedef struct Wanted
{
	SdcEventIntruder *intruder;
	int32_t record;
	int32_t part;
	double floor;         /* a lower score is of no use */
	const int32_t *place; /* of each person; NULL: the best with ties */
	Candidate *heap;
	int32_t count;
	int32_t most;
} Wanted;

static int32_t
part_of(const SdcEventIntruder *intruder, int32_t record)
{
	const int32_t *part = intruder->files->record_part;

	return part == NULL ? 0 : part[record];
}

/* Is a person in the part of a record? */
static bool
is_of_part(const SdcEventIntruder *intruder, int32_t person, int32_t part)
{
	const int32_t *own = intruder->files->person_part;

	return own == NULL || own[person] == part;
}

/* Adds to the score of a person, who may be met for the first time. */
static void
add_score(SdcEventIntruder *intruder, int32_t person, double more)
{
	if (intruder->seen[person] != intruder->search)
	{
		intruder->seen[person] = intruder->search;
		intruder->score[person] = intruder->base[person];
		intruder->touched[intruder->touches++] = person;
	}
	intruder->score[person] += more;
}

/* Adds what a value that a record shows is worth to who has near ones. */
static void
add_value(SdcEventIntruder *intruder, int c, double y)
{
	const SdcItemSets *index = &intruder->index[c];
	const double *value = values_of(intruder, c);
	double all = 0;
	int32_t met = 0;
	int32_t begin;
	int32_t end;
	int32_t k;

	values_around(intruder, c, y, &begin, &end);
	for (; begin < end; begin++)
	{
		double chance =
			sdc_event_law_chance(&intruder->law[c], y - value[begin]);
		int32_t size = sdc_item_sets_size(index, begin);
		int64_t p;

		poll(intruder, (uint64_t) size + 1);
		all += chance * size;
		for (p = index->start[begin];
			 chance > 0 && p < index->start[begin + 1]; p++)
		{
			int32_t i = index->item[p];

			if (intruder->nearby[i] == 0)
				intruder->met[met++] = i;
			intruder->nearby[i] += chance;
		}
	}
	for (k = 0; k < met; k++)
	{
		int32_t i = intruder->met[k];

		add_score(intruder, i,
				  gain_of(intruder, c, i, intruder->nearby[i], all));
		intruder->nearby[i] = 0;
	}
}

static void
add_values(SdcEventIntruder *intruder, int c, int32_t record)
{
	const SdcItemSets *shown = &intruder->files->channel[c].shown;
	int64_t r;

	if (intruder->law[c].keep == 0)
		return;
	for (r = shown->start[record]; r < shown->start[record + 1]; r++)
		add_value(intruder, c, values_of(intruder, c)[shown->item[r]]);
}

/* Adds the marks that a record shares with persons. */
static void
add_marks(SdcEventIntruder *intruder, int c, int32_t record)
{
	const SdcItemSets *shown = &intruder->files->channel[c].shown;
	const SdcItemSets *index = &intruder->index[c];
	int64_t r;
	int64_t p;

	for (r = shown->start[record]; r < shown->start[record + 1]; r++)
	{
		int32_t mark = shown->item[r];
		double weight = intruder->weight[c][mark];

		poll(intruder, (uint64_t) sdc_item_sets_size(index, mark));
		for (p = index->start[mark]; p < index->start[mark + 1]; p++)
			add_score(intruder, index->item[p], weight);
	}
}

/* Scores of those who share a mark, by marks alone. */
static void
touch(SdcEventIntruder *intruder, int32_t record)
{
	int c;

	intruder->search++;
	intruder->touches = 0;
	for (c = 0; c < intruder->files->channels; c++)
		if (intruder->files->channel[c].value != NULL)
			add_values(intruder, c, record);
		else if (!intruder->files->channel[c].is_number)
			add_marks(intruder, c, record);
}

/* Who is less likely than the best by that (e^40) is not listed. */
#define LEAST_LIKELY 40

/* Keeps a person whose score is good enough. */
static void
keep_person(Wanted *wanted, int32_t person, double score)
{
	SdcEventIntruder *intruder = wanted->intruder;
	Candidate candidate;

	if (score < wanted->floor)
		return;
	if (wanted->place == NULL)
	{
		if (score > wanted->floor || intruder->rows == 0)
			intruder->rows = 0;
		intruder->best = wanted->floor = score;
		intruder->row[intruder->rows++] = person;
		return;
	}
	candidate.score = score;
	candidate.place = wanted->place[person];
	if (candidate.place < 0)
		return;
	(void) candidates_offer(NULL, wanted->heap, &wanted->count, wanted->most,
							candidate);
	wanted->floor = fmax(wanted->floor, score - LEAST_LIKELY);
	if (wanted->count == wanted->most)
		wanted->floor = fmax(wanted->floor, wanted->heap[0].score);
}

/* Looks at a person who has so much by marks alone. */
static void
consider(Wanted *wanted, int32_t person, double most)
{
	if (most < wanted->floor)
		return;
	if (wanted->intruder->numbers > 0)
		most -= moves(wanted->intruder, person, wanted->record);
	keep_person(wanted, person, most);
}

/* Those who share a mark: first the one who has the most by marks. */
static void
consider_touched(Wanted *wanted)
{
	SdcEventIntruder *intruder = wanted->intruder;
	int32_t first = -1;
	int32_t k;

	poll(intruder, (uint64_t) intruder->touches);
	for (k = 0; k < intruder->touches; k++)
	{
		int32_t i = intruder->touched[k];

		if (is_of_part(intruder, i, wanted->part) &&
			(first < 0 || intruder->score[i] > intruder->score[first]))
			first = i;
	}
	if (first < 0)
		return;
	consider(wanted, first, intruder->score[first]);
	for (k = 0; k < intruder->touches; k++)
	{
		int32_t i = intruder->touched[k];

		if (i != first && is_of_part(intruder, i, wanted->part))
			consider(wanted, i, intruder->score[i]);
	}
}

/* The others by what they have without a mark. */
static void
consider_by_base(Wanted *wanted)
{
	SdcEventIntruder *intruder = wanted->intruder;
	const SdcEventOrder *order = &intruder->by_base;
	int32_t m;

	for (m = order->first[wanted->part]; m < order->first[wanted->part + 1];
		 m++)
	{
		int32_t i = order->person[m];

		poll(intruder, 1);
		if (intruder->base[i] < wanted->floor)
			return;
		if (intruder->seen[i] != intruder->search)
			consider(wanted, i, intruder->base[i]);
	}
}

/* Rounding may make a bound a little less than what it bounds. */
#define SLACK 1e-9

/* Can nobody whose number is that far off, or farther, be good enough? */
static bool
is_too_far(const Wanted *wanted, double greatest, double move)
{
	double most = greatest - sdc_random_log(1 + move * move);

	return most + SLACK * (1 + fabs(most)) < wanted->floor;
}

/* The first place of a part whose number is not below a value. */
static int32_t
place_of(const SdcEventOrder *order, const double *number, int32_t part,
		 double value)
{
	int32_t low = order->first[part];
	int32_t high = order->first[part + 1];

	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;

		/* NaN is last */
		if (number[order->person[middle]] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The others from those on whose telling number is nearest. */
static void
consider_by_value(Wanted *wanted)
{
	SdcEventIntruder *intruder = wanted->intruder;
	const SdcEventOrder *order = &intruder->by_value;
	const SdcEventChannel *channel =
		&intruder->files->channel[intruder->telling];
	const SdcEventLaw *law = &intruder->law[intruder->telling];
	const double *number = channel->known_number;
	double value = channel->shown_number[wanted->record] - law->middle;
	int32_t begin = order->first[wanted->part];
	int32_t end = order->first[wanted->part + 1];
	int32_t high = place_of(order, number, wanted->part, value);
	int32_t low = high - 1;
	double greatest;

	if (begin == end)
		return;
	greatest = intruder->base[intruder->by_base.person[begin]];
	while (end > begin && isnan(number[order->person[end - 1]]))
		end--;
	while (low >= begin || high < end)
	{
		double down =
			low < begin ? INFINITY : value - number[order->person[low]];
		double up =
			high >= end ? INFINITY : number[order->person[high]] - value;
		int32_t i = order->person[down < up ? low-- : high++];

		poll(intruder, 1);
		if (is_too_far(wanted, greatest, fmin(down, up) / law->spread))
			break;
		if (intruder->seen[i] != intruder->search)
			consider(wanted, i, intruder->base[i]);
	}
	for (; end < order->first[wanted->part + 1]; end++)
	{
		int32_t i = order->person[end];

		poll(intruder, 1);
		if (intruder->seen[i] != intruder->search)
			consider(wanted, i, intruder->base[i]);
	}
}

static void
search(Wanted *wanted)
{
	SdcEventIntruder *intruder = wanted->intruder;
	int telling = intruder->telling;

	wanted->part = part_of(intruder, wanted->record);
	wanted->floor = -INFINITY;
	touch(intruder, wanted->record);
	consider_touched(wanted);
	if (telling >= 0 &&
		!isnan(intruder->files->channel[telling].shown_number[wanted->record]))
		consider_by_value(wanted);
	else
		consider_by_base(wanted);
}

static int
compare_persons(int32_t a, int32_t b, void *arg)
{
	(void) arg;
	return a < b ? -1 : a > b;
}

void
sdc_event_intruder_best(SdcEventIntruder *intruder, int32_t record)
{
	Wanted wanted = {.intruder = intruder, .record = record};

	intruder->rows = 0;
	search(&wanted);
	if (intruder->rows > 1)
		sdc_sort_rows(intruder->host, intruder->row, (size_t) intruder->rows,
					  compare_persons, NULL);
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

		if (!is_of_part(intruder, i, part_of(intruder, record)) ||
			intruder->score[i] < intruder->best - LEAST_LEARNED)
			continue;
		less =
			intruder->best - intruder->score[i] + moves(intruder, i, record);
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
	double all = 0;
	double sum;
	int32_t j;

	for (j = 0; j < intruder->files->records; j += step)
	{
		(void) list_likely(intruder, j, &sum);
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
		sdc_event_law_start(&intruder->law[c], middle, reach);
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
	value = values_of(intruder, c);
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
		sdc_event_law_start(&intruder->law[c], guess.middle, guess.reach);
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
	const double *value = values_of(intruder, c);
	const SdcEventLaw *law = &intruder->law[c];
	int64_t p;
	int64_t r;

	moved->shown += likely * sdc_item_sets_size(shown, record);
	for (r = shown->start[record]; r < shown->start[record + 1]; r++)
	{
		double y = value[shown->item[r]];
		double own = sum_own(intruder, c, person, y);
		double times;

		if (!(own > 0))
			continue;
		times = times_nearer(intruder, c, person, own,
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
			all[k] = sum_around(
				intruder, c,
				values_of(intruder, c)[shown->item[shown->start[record] + k]]);
		for (k = 0; k < some; k++)
		{
			int32_t i = intruder->touched[k];

			poll(intruder, (uint64_t) size);
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
	sdc_event_law_narrow(law);
}

/* Links every step-th record to the first of the best persons. */
static int32_t
link_some(SdcEventIntruder *intruder, int32_t step, int32_t *record,
		  int32_t *person)
{
	int32_t links = 0;
	int32_t j;

	for (j = 0; j < intruder->files->records; j += step)
	{
		sdc_event_intruder_best(intruder, j);
		if (intruder->rows == 0)
			continue;
		record[links] = j;
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
		weigh(intruder);
	}
	host->release(host, record);
	host->release(host, person);
	host->release(host, moved);
}

void
sdc_event_intruder_believe(SdcEventIntruder *intruder, const SdcEventLaw *law)
{
	memcpy(intruder->law, law,
		   sizeof(SdcEventLaw) * (size_t) intruder->files->channels);
	weigh(intruder);
}

/* ----------------------------------------------------------------------
 * One to one.
 * ----------------------------------------------------------------------
 */

typedef struct Listing
{
	SdcEventIntruder *intruder;
	Candidate *heap;
} Listing;

/* All persons of the part of a record, in the order that they have. */
static int32_t
list_all(const Listing *listing, const SdcLinkOrder *order, int32_t record,
		 int32_t *place, double *cost)
{
	const SdcEventIntruder *intruder = listing->intruder;
	int32_t part = part_of(intruder, record);
	double least = INFINITY;
	int32_t n = 0;
	int32_t k;

	for (k = 0; k < order->records; k++)
	{
		int32_t i = order->record[k];
		bool met = intruder->seen[i] == intruder->search;

		if (!is_of_part(intruder, i, part))
			continue;
		place[n] = k;
		cost[n] = moves(intruder, i, record) -
				  (met ? intruder->score[i] : intruder->base[i]);
		least = fmin(least, cost[n++]);
	}
	for (k = 0; k < n; k++)
		cost[k] -= least;
	return n;
}

/*
 * The best persons of a record, as sdc_link_assign_lists asks for them: in the
 * order by chance that it has, so that no tie is broken by the files' order.
 * The cost is how much less likely a person is than the best one.
 */
static int32_t
list_best(void *arg, const SdcLinkOrder *order, int32_t person, int32_t most,
		  int32_t *place, double *cost)
{
	Listing *listing = arg;
	Wanted wanted = {.intruder = listing->intruder,
					 .record = order->person[person],
					 .place = order->place,
					 .heap = listing->heap,
					 .most = most};
	int32_t k;

	if (most >= order->records)
	{
		touch(listing->intruder, wanted.record);
		return list_all(listing, order, wanted.record, place, cost);
	}
	search(&wanted);
	candidates_unroll(NULL, wanted.heap, wanted.count);
	for (k = 0; k < wanted.count; k++)
	{
		place[k] = wanted.heap[k].place;
		cost[k] = wanted.heap[0].score - wanted.heap[k].score;
	}
	return wanted.count;
}

SdcLinkAssignment
sdc_event_intruder_assign(SdcEventIntruder *intruder, uint64_t seed)
{
	SdcHost *host = intruder->host;
	const SdcEventFiles *files = intruder->files;
	int32_t more =
		files->persons > files->records ? files->persons : files->records;
	int32_t *point = sdc_new(host, int32_t, (size_t) more + 1);
	Listing listing = {intruder,
					   sdc_new(host, Candidate, (size_t) files->persons + 1)};
	SdcLinkSides sides = {
		{files->records, files->persons}, {point, point}, list_best, &listing};
	SdcLinkAssignment assignment;

	memset(point, 0, sizeof(int32_t) * ((size_t) more + 1));
	assignment = sdc_link_assign_lists(host, &sides, seed);
	host->release(host, listing.heap);
	host->release(host, point);
	return assignment;
}
