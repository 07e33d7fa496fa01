/*
 * set_centres.c
 *		Clusters of sets of items around few of these sets.
 *
 * What a further centre gains can only become less as there are more of them,
 * so gains that were computed earlier are bounds: they lie in a heap, and only
 * those that come to the top are computed anew.
 */
#include <string.h>

#include "kernel/base/heap.h"
#include "kernel/base/host.h"
#include "kernel/transaction/item_sets.h"
#include "kernel/transaction/set_centres.h"

/* The sets at most for which single centres are exchanged as well. */
#define SDC_SET_CENTRES_EXCHANGED 2048

/* Jaccard distances of one set to all, by the inverted index. */
typedef struct SdcSetDistances
{
	SdcHost *host;
	const SdcItemSets *sets;
	SdcItemSets index;
	int32_t *shared; /* items shared with each set; 0 outside of a call */
	int32_t *row;    /* sets nearer than 1, in the order they were met */
	double *distance;
	int32_t rows;
	uint64_t work;
} SdcSetDistances;

static void set_centres_measure(SdcSetDistances *distances, int32_t set);

/* ----------------------------------------------------------------------
 * Fewer centres: one is dropped, and others are exchanged for it.
 *
 * For a set that might become a centre, one pass over all sets tells what the
 * sum would be without each of the present centres (Schubert and Rousseeuw
 * 2021, FastPAM).  An exchange is made as soon as it lowers the sum.
 * ----------------------------------------------------------------------
 */

/* A gain that is more than rounding. */
#define LEAST_GAIN 1e-9

typedef struct Exchange
{
	SdcHost *host;
	int32_t n;
	const double *distance; /* n x n */
	bool *is_centre;
	int32_t centres;
	int32_t *nearest; /* of each set: a centre, and the next nearest */
	double *first;
	double *second;
	double *loss; /* of each centre: what the sum gains without it */
	double *delta;
	double total;
} Exchange;

/* Finds the two nearest centres of each set. */
static void
exchange_assign(Exchange *exchange)
{
	int32_t n = exchange->n;
	int32_t i;
	int32_t c;

	for (i = 0; i < n; i++)
	{
		exchange->nearest[i] = -1;
		exchange->first[i] = 1;
		exchange->second[i] = 1;
	}
	memset(exchange->loss, 0, sizeof(double) * (size_t) n);
	for (c = 0; c < n; c++)
	{
		const double *row = &exchange->distance[(int64_t) c * n];

		if (!exchange->is_centre[c])
			continue;
		exchange->host->poll(exchange->host, 0, 0);
		for (i = 0; i < n; i++)
			if (row[i] < exchange->first[i])
			{
				exchange->second[i] = exchange->first[i];
				exchange->first[i] = row[i];
				exchange->nearest[i] = c;
			}
			else if (row[i] < exchange->second[i])
				exchange->second[i] = row[i];
	}
	exchange->total = 0;
	for (i = 0; i < n; i++)
	{
		exchange->total += exchange->first[i];
		if (exchange->nearest[i] >= 0)
			exchange->loss[exchange->nearest[i]] +=
				exchange->second[i] - exchange->first[i];
	}
}

/* The centre that is best dropped, by what[] of each. */
static int32_t
least_of(const Exchange *exchange, const double *what)
{
	int32_t best = -1;
	int32_t c;

	for (c = 0; c < exchange->n; c++)
		if (exchange->is_centre[c] && (best < 0 || what[c] < what[best]))
			best = c;
	return best;
}

/* Makes a set a centre in place of another one, when that lowers the sum. */
static bool
try_set(Exchange *exchange, int32_t x)
{
	const double *row = &exchange->distance[(int64_t) x * exchange->n];
	double *delta = exchange->delta;
	double gain = 0;
	int32_t dropped;
	int32_t i;

	memcpy(delta, exchange->loss, sizeof(double) * (size_t) exchange->n);
	for (i = 0; i < exchange->n; i++)
	{
		if (row[i] < exchange->first[i])
		{
			gain += row[i] - exchange->first[i];
			if (exchange->nearest[i] >= 0)
				delta[exchange->nearest[i]] +=
					exchange->first[i] - exchange->second[i];
		}
		else if (row[i] < exchange->second[i] && exchange->nearest[i] >= 0)
			delta[exchange->nearest[i]] += row[i] - exchange->second[i];
	}
	dropped = least_of(exchange, delta);
	if (gain + delta[dropped] >= -LEAST_GAIN)
		return false;
	exchange->is_centre[dropped] = false;
	exchange->is_centre[x] = true;
	exchange_assign(exchange);
	return true;
}

/* Exchanges until none lowers the sum. */
static void
improve(Exchange *exchange)
{
	int32_t tried = 0;
	int32_t x = 0;

	while (tried < exchange->n)
	{
		exchange->host->poll(exchange->host, 0, 0);
		if (!exchange->is_centre[x] && try_set(exchange, x))
			tried = 0;
		else
			tried++;
		x = x + 1 < exchange->n ? x + 1 : 0;
	}
}

static double *
measure_all(SdcSetDistances *distances)
{
	int32_t n = distances->sets->sets;
	double *all = sdc_new(distances->host, double, (size_t) n *n + 1);
	int64_t k;
	int32_t i;
	int32_t j;

	for (k = 0; k < (int64_t) n * n; k++)
		all[k] = 1;
	for (i = 0; i < n; i++)
	{
		set_centres_measure(distances, i);
		for (j = 0; j < distances->rows; j++)
			all[(int64_t) i * n + distances->row[j]] = distances->distance[j];
	}
	return all;
}

static void
prepare(Exchange *exchange, SdcSetDistances *distances, bool *is_centre)
{
	SdcHost *host = distances->host;
	int32_t n = distances->sets->sets;
	int32_t i;

	exchange->host = host;
	exchange->n = n;
	exchange->distance = measure_all(distances);
	exchange->is_centre = is_centre;
	exchange->centres = 0;
	for (i = 0; i < n; i++)
		exchange->centres += is_centre[i];
	exchange->nearest = sdc_new(host, int32_t, (size_t) n + 1);
	exchange->first = sdc_new(host, double, (size_t) n + 1);
	exchange->second = sdc_new(host, double, (size_t) n + 1);
	exchange->loss = sdc_new(host, double, (size_t) n + 1);
	exchange->delta = sdc_new(host, double, (size_t) n + 1);
}

/*
 * Drops centres while exchanges keep the sum within the bound: for
 * set_centres.c.  is_centre[] is changed.
 */
static void
set_centres_exchange(SdcSetDistances *distances, bool *is_centre, double bound,
					 int32_t least)
{
	SdcHost *host = distances->host;
	int32_t n = distances->sets->sets;
	bool *kept = sdc_new(host, bool, (size_t) n + 1);
	Exchange exchange;

	prepare(&exchange, distances, is_centre);
	memcpy(kept, is_centre, sizeof(bool) * (size_t) n);
	exchange_assign(&exchange);
	while (exchange.centres > 1 && exchange.centres > least)
	{
		improve(&exchange);
		if (exchange.total > bound)
			break;
		memcpy(kept, is_centre, sizeof(bool) * (size_t) n);
		is_centre[least_of(&exchange, exchange.loss)] = false;
		exchange.centres--;
		exchange_assign(&exchange);
		improve(&exchange);
		if (exchange.total > bound)
			break;
		memcpy(kept, is_centre, sizeof(bool) * (size_t) n);
	}
	memcpy(is_centre, kept, sizeof(bool) * (size_t) n);
	host->release(host, (void *) exchange.distance);
	host->release(host, exchange.nearest);
	host->release(host, exchange.first);
	host->release(host, exchange.second);
	host->release(host, exchange.loss);
	host->release(host, exchange.delta);
	host->release(host, kept);
}

/* ----------------------------------------------------------------------
 * Clusters of sets of items around few of these sets.
 *
 * What a further centre gains can only become less as there are more of them,
 * so gains that were computed earlier are bounds: they lie in a heap, and only
 * those that come to the top are computed anew.
 * ----------------------------------------------------------------------
 */

typedef struct Greedy
{
	SdcSetDistances distances;
	double *nearest; /* of each set: distance to its nearest centre */
	double *gain;    /* at most, of each set as a centre */
	int32_t *heap;
	int32_t heaped;
	bool *is_centre;
	int32_t centres;
	double total;
} Greedy;

static SdcSetDistances
set_centres_distances(SdcHost *host, const SdcItemSets *sets)
{
	SdcSetDistances distances;
	size_t room = (size_t) sets->sets + 1;

	distances.host = host;
	distances.sets = sets;
	distances.index = sdc_item_sets_invert(host, sets);
	distances.shared = sdc_new(host, int32_t, room);
	distances.row = sdc_new(host, int32_t, room);
	distances.distance = sdc_new(host, double, room);
	distances.rows = 0;
	distances.work = 0;
	memset(distances.shared, 0, sizeof(int32_t) * room);
	return distances;
}

static void
poll_work(SdcSetDistances *distances, int64_t more)
{
	distances->work += (uint64_t) more;
	if (distances->work < SDC_POLL_STEPS)
		return;
	distances->work = 0;
	distances->host->poll(distances->host, 0, 0);
}

/* Sets without items are equal to each other. */
static void
meet_empty(SdcSetDistances *distances)
{
	int32_t i;

	for (i = 0; i < distances->sets->sets; i++)
		if (sdc_item_sets_size(distances->sets, i) == 0)
			distances->row[distances->rows++] = i;
}

/* Finds the sets nearer than 1 to a set, itself among them. */
static void
set_centres_measure(SdcSetDistances *distances, int32_t set)
{
	const SdcItemSets *sets = distances->sets;
	const SdcItemSets *index = &distances->index;
	int32_t size = sdc_item_sets_size(sets, set);
	int64_t r;
	int64_t p;
	int32_t i;

	distances->rows = 0;
	if (size == 0)
		meet_empty(distances);
	for (r = sets->start[set]; r < sets->start[set + 1]; r++)
	{
		int32_t item = sets->item[r];

		for (p = index->start[item]; p < index->start[item + 1]; p++)
			if (distances->shared[index->item[p]]++ == 0)
				distances->row[distances->rows++] = index->item[p];
		poll_work(distances, index->start[item + 1] - index->start[item]);
	}
	for (i = 0; i < distances->rows; i++)
	{
		int32_t row = distances->row[i];
		int32_t shared = distances->shared[row];
		int32_t whole = size + sdc_item_sets_size(sets, row) - shared;

		distances->distance[i] =
			whole == 0 ? 0 : (double) (whole - shared) / whole;
		distances->shared[row] = 0;
	}
	poll_work(distances, distances->rows + 1);
}

/* What the sum would lose with one more centre. */
static double
gain_of(Greedy *greedy, int32_t set)
{
	SdcSetDistances *distances = &greedy->distances;
	double gain = 0;
	int32_t i;

	set_centres_measure(distances, set);
	for (i = 0; i < distances->rows; i++)
		if (distances->distance[i] < greedy->nearest[distances->row[i]])
			gain +=
				greedy->nearest[distances->row[i]] - distances->distance[i];
	return gain;
}

/* Is a before b in the heap? */
static bool
is_better(const Greedy *greedy, int32_t a, int32_t b)
{
	return greedy->gain[a] > greedy->gain[b] ||
		   (greedy->gain[a] == greedy->gain[b] && a < b);
}

SDC_HEAP(gains, int32_t, const Greedy *, is_better)

static void
start_greedy(Greedy *greedy, SdcHost *host, const SdcItemSets *sets)
{
	int32_t n = sets->sets;
	int32_t i;

	greedy->distances = set_centres_distances(host, sets);
	greedy->nearest = sdc_new(host, double, (size_t) n + 1);
	greedy->gain = sdc_new(host, double, (size_t) n + 1);
	greedy->heap = sdc_new(host, int32_t, (size_t) n + 1);
	greedy->is_centre = sdc_new(host, bool, (size_t) n + 1);
	greedy->heaped = n;
	greedy->centres = 0;
	greedy->total = n;
	for (i = 0; i < n; i++)
	{
		greedy->nearest[i] = 1;
		greedy->is_centre[i] = false;
		greedy->heap[i] = i;
	}
	for (i = 0; i < n; i++)
		greedy->gain[i] = gain_of(greedy, i);
	gains_make(greedy, greedy->heap, n);
}

/* The sum is taken anew: differences would add up their rounding. */
static double
sum_of(const double *distance, int32_t n)
{
	double sum = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		sum += distance[i];
	return sum;
}

/* Makes the best set a centre. */
static void
add_centre(Greedy *greedy)
{
	SdcSetDistances *distances = &greedy->distances;
	int32_t best = greedy->heap[0];
	double gain = gain_of(greedy, best);
	int32_t i;

	/* a bound that was too high goes down to its place */
	while (gain < greedy->gain[best])
	{
		greedy->gain[best] = gain;
		gains_down(greedy, greedy->heap, (size_t) greedy->heaped, 0, best);
		best = greedy->heap[0];
		gain = gain_of(greedy, best);
	}
	for (i = 0; i < distances->rows; i++)
		if (distances->distance[i] < greedy->nearest[distances->row[i]])
			greedy->nearest[distances->row[i]] = distances->distance[i];
	greedy->is_centre[best] = true;
	greedy->centres++;
	greedy->total = sum_of(greedy->nearest, distances->sets->sets);
	(void) gains_pop(greedy, greedy->heap, &greedy->heaped);
}

/* Finds the nearest centre of each set. */
static SdcSetCentres
assign(SdcHost *host, Greedy *greedy)
{
	SdcSetDistances *distances = &greedy->distances;
	int32_t n = distances->sets->sets;
	SdcSetCentres found;
	int32_t i;
	int32_t j;

	found.count = 0;
	found.centre = sdc_new(host, int32_t, (size_t) n + 1);
	found.cluster = sdc_new(host, int32_t, (size_t) n + 1);
	for (i = 0; i < n; i++)
	{
		greedy->nearest[i] = 1;
		found.cluster[i] = 0;
	}
	for (i = 0; i < n; i++)
	{
		if (!greedy->is_centre[i])
			continue;
		set_centres_measure(distances, i);
		for (j = 0; j < distances->rows; j++)
		{
			int32_t row = distances->row[j];

			if (distances->distance[j] >= greedy->nearest[row] && row != i)
				continue;
			greedy->nearest[row] = distances->distance[j];
			found.cluster[row] = found.count;
		}
		found.centre[found.count++] = i;
	}
	found.total = sum_of(greedy->nearest, n);
	return found;
}

SdcSetCentres
sdc_set_centres_choose(SdcHost *host, const SdcItemSets *sets, double t,
					   int32_t least)
{
	int32_t n = sets->sets;
	double bound = t * n;
	SdcSetCentres found;
	Greedy greedy;

	host->stage(host, "choosing centres");
	start_greedy(&greedy, host, sets);
	while (greedy.heaped > 0 && (greedy.centres < least ||
								 greedy.total > bound || greedy.centres == 0))
		add_centre(&greedy);
	if (n <= SDC_SET_CENTRES_EXCHANGED)
		set_centres_exchange(&greedy.distances, greedy.is_centre, bound,
							 least);
	found = assign(host, &greedy);
	sdc_item_sets_release(host, &greedy.distances.index);
	host->release(host, greedy.distances.shared);
	host->release(host, greedy.distances.row);
	host->release(host, greedy.distances.distance);
	host->release(host, greedy.nearest);
	host->release(host, greedy.gain);
	host->release(host, greedy.heap);
	host->release(host, greedy.is_centre);
	return found;
}
