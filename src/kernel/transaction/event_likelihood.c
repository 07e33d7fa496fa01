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
 * who has many.  Which moves are near is a histogram that is learned.  Of a
 * record of few values each is another one of the person's: products of these
 * odds over all ways to pair some of them, which a sum over the subsets of the
 * record's values gives.  What values one by one come to is a bound of that,
 * and only who reaches the best so far by it is looked at so.
 *
 * A number only takes away from a score, so what a person has by marks alone
 * is the most that he can have.  Who shares no mark with a record has what he
 * adds without any: such persons are tried from the greatest of these on, or
 * from those on whose number is nearest, until it is too little.
 *
 * libm: isnan, fabs and fmax, which are exact.
 */
#include "kernel/transaction/event_private.h"

#include <math.h>
#include <string.h>

#include "kernel/base/elementary.h"
#include "kernel/base/heap.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"

double
sdc_event_scale(double x)
{
	double log = sdc_random_log(1 + fabs(x));

	return x < 0 ? -log : log;
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

void
sdc_event_poll(SdcEventIntruder *intruder, uint64_t steps)
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
void
sdc_event_weigh(SdcEventIntruder *intruder)
{
	const SdcEventFiles *files = intruder->files;
	int c;

	intruder->looked = -1;
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

/* Room for what is around each value of a record. */
static void
create_around(SdcEventIntruder *intruder, int c)
{
	const SdcItemSets *shown = &intruder->files->channel[c].shown;
	int32_t most = 0;
	int32_t j;

	intruder->around[c] = NULL;
	if (intruder->files->channel[c].value == NULL)
		return;
	intruder->values++;
	for (j = 0; j < shown->sets; j++)
		if (sdc_item_sets_size(shown, j) > most)
			most = sdc_item_sets_size(shown, j);
	intruder->around[c] = sdc_new(intruder->host, double, (size_t) most + 1);
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
	intruder.looked = -1;
	intruder.around = sdc_new(host, double *, channels);
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
	{
		create_channel(&intruder, c);
		create_around(&intruder, c);
	}
	intruder.by_base = new_order(host, files);
	intruder.by_value = new_order(host, files);
	sdc_event_weigh(&intruder);
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
		host->release(host, intruder->around[c]);
		if (intruder->files->channel[c].is_number)
			continue;
		sdc_item_sets_release(host, &intruder->index[c]);
		host->release(host, intruder->share[c]);
		host->release(host, intruder->weight[c]);
	}
	host->release(host, intruder->law);
	host->release(host, intruder->around);
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

/* The values that can have become y: from begin on, up to end. */
static void
values_around(const SdcEventIntruder *intruder, int c, double y,
			  int32_t *begin, int32_t *end)
{
	const double *value = sdc_event_values(intruder, c);
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
	const double *value = sdc_event_values(intruder, c);
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
double
sdc_event_sum_own(const SdcEventIntruder *intruder, int c, int32_t person,
				  double y)
{
	const SdcItemSets *known = &intruder->files->channel[c].known;
	const double *value = sdc_event_values(intruder, c);
	double sum = 0;
	int64_t p;

	for (p = known->start[person]; p < known->start[person + 1]; p++)
		sum +=
			sdc_event_law_chance(&intruder->law[c], y - value[known->item[p]]);
	return sum;
}

/* How much oftener a person has what is near than others, of sums that are
 * not 0. */
double
sdc_event_times_nearer(const SdcEventIntruder *intruder, int c, int32_t person,
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

	return sdc_random_log(
		1 + keep / (1 - keep) *
				sdc_event_times_nearer(intruder, c, person, own, all));
}

/* What everybody's values around the k-th of a record come to. */
double
sdc_event_around(const SdcEventIntruder *intruder, int c, int32_t record,
				 int32_t k)
{
	const SdcItemSets *shown = &intruder->files->channel[c].shown;

	if (intruder->looked == record && intruder->around[c] != NULL)
		return intruder->around[c][k];
	return sum_around(
		intruder, c,
		sdc_event_values(intruder, c)[shown->item[shown->start[record] + k]]);
}

/* The k-th value that a record shows. */
static double
value_shown(const SdcEventIntruder *intruder, int c, int32_t record, int32_t k)
{
	const SdcItemSets *shown = &intruder->files->channel[c].shown;

	return sdc_event_values(intruder,
							c)[shown->item[shown->start[record] + k]];
}

/* What values add to the score of a person, each looked at by itself. */
static double
add_apart(const SdcEventIntruder *intruder, int c, int32_t person,
		  int32_t record)
{
	int32_t size =
		sdc_item_sets_size(&intruder->files->channel[c].shown, record);
	double sum = 0;
	int32_t k;

	for (k = 0; k < size; k++)
	{
		double own = sdc_event_sum_own(intruder, c, person,
									   value_shown(intruder, c, record, k));

		if (own > 0)
			sum += gain_of(intruder, c, person, own,
						   sdc_event_around(intruder, c, record, k));
	}
	return sum;
}

/* Records of so many values are looked at together with a person's. */
#define MOST_PAIRED 8

/*
 * The ways to pair one value of a person more with one of a record's:
 * before[s] are those to pair the values of the subset s, times[k] is how much
 * oftener the k-th one comes from this value than from anybody's.
 */
static void
add_ways(const double *before, double *ways, int32_t size, const double *times)
{
	int32_t first;
	int32_t k;
	int32_t s;

	memcpy(ways, before, sizeof(double) << size);
	for (k = 0; k < size; k++)
		for (first = 0; times[k] > 0 && first < 1 << size; first += 2 << k)
			for (s = first; s < first + (1 << k); s++)
				ways[s + (1 << k)] += before[s] * times[k];
}

/* The sum of the ways to pair any, each by the orders that it may have. */
static double
sum_ways(const double *ways, int32_t size, int32_t had)
{
	double orders[1 << MOST_PAIRED] = {1};
	double sum = ways[0];
	int32_t subset;
	int32_t pairs;
	int32_t left;

	for (subset = 1; subset < 1 << size; subset++)
	{
		pairs = 0;
		for (left = subset & (subset - 1); left != 0; left &= left - 1)
			pairs++;
		orders[subset] = orders[subset & (subset - 1)] * (had - pairs);
		if (ways[subset] > 0)
			sum += ways[subset] / orders[subset];
	}
	return sum;
}

/*
 * What the values of a record add to the score of a person.  O(2^values of the
 * record * his values).
 */
static double
add_own_values(const SdcEventIntruder *intruder, int c, int32_t person,
			   int32_t record)
{
	const SdcItemSets *known = &intruder->files->channel[c].known;
	const double *value = sdc_event_values(intruder, c);
	const SdcEventLaw *law = &intruder->law[c];
	int32_t size =
		sdc_item_sets_size(&intruder->files->channel[c].shown, record);
	double ways[2][1 << MOST_PAIRED] = {{1}};
	double odds[MOST_PAIRED];
	int now = 0;
	int64_t p;
	int32_t k;

	if (law->keep == 0)
		return 0;
	if (size > MOST_PAIRED)
		return add_apart(intruder, c, person, record);
	for (k = 0; k < size; k++)
		odds[k] = law->keep / (1 - law->keep) *
				  (double) known->start[known->sets] /
				  sdc_event_around(intruder, c, record, k);
	for (p = known->start[person]; p < known->start[person + 1]; p++)
	{
		double times[MOST_PAIRED];
		bool any = false;

		for (k = 0; k < size; k++)
		{
			double move =
				value_shown(intruder, c, record, k) - value[known->item[p]];

			times[k] = sdc_event_law_chance(law, move);
			/* nothing is near what nobody has near */
			if (times[k] > 0)
				times[k] *= odds[k];
			any |= times[k] > 0;
		}
		if (!any)
			continue;
		add_ways(ways[now], ways[1 - now], size, times);
		now = 1 - now;
	}
	return sdc_random_log(
		sum_ways(ways[now], size, sdc_item_sets_size(known, person)));
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
			score += add_own_values(intruder, c, person, record);
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
static double
add_value(SdcEventIntruder *intruder, int c, double y)
{
	const SdcItemSets *index = &intruder->index[c];
	const double *value = sdc_event_values(intruder, c);
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

		sdc_event_poll(intruder, (uint64_t) size + 1);
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
	return all;
}

static void
add_values(SdcEventIntruder *intruder, int c, int32_t record)
{
	const SdcItemSets *shown = &intruder->files->channel[c].shown;
	int64_t r;

	if (intruder->law[c].keep == 0)
		return;
	for (r = shown->start[record]; r < shown->start[record + 1]; r++)
		intruder->around[c][r - shown->start[record]] = add_value(
			intruder, c, sdc_event_values(intruder, c)[shown->item[r]]);
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

		sdc_event_poll(intruder, (uint64_t) sdc_item_sets_size(index, mark));
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
	intruder->looked = record;
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

/* Rounding may make a bound a little less than what it bounds. */
#define SLACK 1e-9

/* How much more a person may have by all values than by one after another. */
static double
more_together(const SdcEventIntruder *intruder, int32_t person, int32_t record)
{
	double ways = 1;
	int c;

	for (c = 0; c < intruder->files->channels; c++)
	{
		const SdcEventChannel *channel = &intruder->files->channel[c];
		int32_t size;
		int32_t had;
		int32_t k;

		if (channel->value == NULL || intruder->law[c].keep == 0)
			continue;
		size = sdc_item_sets_size(&channel->shown, record);
		had = sdc_item_sets_size(&channel->known, person);
		for (k = 1; k < size && k < had && size <= MOST_PAIRED; k++)
			ways *= (double) had / (had - k);
	}
	return ways > 1 ? sdc_random_log(ways) : 0;
}

bool
sdc_event_reaches(SdcEventIntruder *intruder, int32_t person, int32_t record,
				  double floor)
{
	double most =
		intruder->score[person] + more_together(intruder, person, record);

	return most + SLACK * (1 + fabs(most)) >= floor;
}

double
sdc_event_score_met(SdcEventIntruder *intruder, int32_t person, int32_t record)
{
	uint64_t steps = 1;
	int c;

	if (intruder->values == 0)
		return intruder->score[person] - moves(intruder, person, record);
	for (c = 0; c < intruder->files->channels; c++)
		if (intruder->files->channel[c].value != NULL)
		{
			const SdcEventChannel *channel = &intruder->files->channel[c];
			int32_t size = sdc_item_sets_size(&channel->shown, record);
			uint64_t had =
				(uint64_t) sdc_item_sets_size(&channel->known, person);

			steps += size <= MOST_PAIRED ? (had << size) / 8
										 : had * (uint64_t) size;
		}
	sdc_event_poll(intruder, steps);
	return sdc_event_intruder_score(intruder, person, record);
}

/* Looks at a person who shares no mark, who has so much. */
static void
consider(Wanted *wanted, int32_t person, double most)
{
	if (most < wanted->floor)
		return;
	if (wanted->intruder->numbers > 0)
		most -= moves(wanted->intruder, person, wanted->record);
	keep_person(wanted, person, most);
}

/* Looks at one who shares some. */
static void
consider_met(Wanted *wanted, int32_t person)
{
	if (sdc_event_reaches(wanted->intruder, person, wanted->record,
						  wanted->floor))
		keep_person(
			wanted, person,
			sdc_event_score_met(wanted->intruder, person, wanted->record));
}

/* Those who share a mark: first the one who has the most by marks. */
static void
consider_touched(Wanted *wanted)
{
	SdcEventIntruder *intruder = wanted->intruder;
	int32_t first = -1;
	int32_t k;

	sdc_event_poll(intruder, (uint64_t) intruder->touches);
	for (k = 0; k < intruder->touches; k++)
	{
		int32_t i = intruder->touched[k];

		if (sdc_event_is_of_part(intruder, i, wanted->part) &&
			(first < 0 || intruder->score[i] > intruder->score[first]))
			first = i;
	}
	if (first < 0)
		return;
	consider_met(wanted, first);
	for (k = 0; k < intruder->touches; k++)
	{
		int32_t i = intruder->touched[k];

		if (i != first && sdc_event_is_of_part(intruder, i, wanted->part))
			consider_met(wanted, i);
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

		sdc_event_poll(intruder, 1);
		if (intruder->base[i] < wanted->floor)
			return;
		if (intruder->seen[i] != intruder->search)
			consider(wanted, i, intruder->base[i]);
	}
}

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

		sdc_event_poll(intruder, 1);
		if (is_too_far(wanted, greatest, fmin(down, up) / law->spread))
			break;
		if (intruder->seen[i] != intruder->search)
			consider(wanted, i, intruder->base[i]);
	}
	for (; end < order->first[wanted->part + 1]; end++)
	{
		int32_t i = order->person[end];

		sdc_event_poll(intruder, 1);
		if (intruder->seen[i] != intruder->search)
			consider(wanted, i, intruder->base[i]);
	}
}

static void
search(Wanted *wanted)
{
	SdcEventIntruder *intruder = wanted->intruder;
	int telling = intruder->telling;

	wanted->part = sdc_event_part_of(intruder, wanted->record);
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

void
sdc_event_intruder_believe(SdcEventIntruder *intruder, const SdcEventLaw *law)
{
	memcpy(intruder->law, law,
		   sizeof(SdcEventLaw) * (size_t) intruder->files->channels);
	sdc_event_weigh(intruder);
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
	int32_t part = sdc_event_part_of(intruder, record);
	double least = INFINITY;
	int32_t n = 0;
	int32_t k;

	for (k = 0; k < order->records; k++)
	{
		int32_t i = order->record[k];
		bool met = intruder->seen[i] == intruder->search;

		if (!sdc_event_is_of_part(intruder, i, part))
			continue;
		place[n] = k;
		cost[n] = met ? -sdc_event_score_met(listing->intruder, i, record)
					  : moves(intruder, i, record) - intruder->base[i];
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
