/*
 * set_centres_exchange.c
 *		Fewer centres: one is dropped, and others are exchanged for it.
 *
 * For a set that might become a centre, one pass over all sets tells what the
 * sum would be without each of the present centres (Schubert and Rousseeuw
 * 2021, FastPAM).  An exchange is made as soon as it lowers the sum.
 */
#include <string.h>

#include "kernel/transaction/set_centres.h"

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
assign(Exchange *exchange)
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
	assign(exchange);
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
		sdc_set_centres_measure(distances, i);
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

void
sdc_set_centres_exchange(SdcSetDistances *distances, bool *is_centre,
						 double bound, int32_t least)
{
	SdcHost *host = distances->host;
	int32_t n = distances->sets->sets;
	bool *kept = sdc_new(host, bool, (size_t) n + 1);
	Exchange exchange;

	prepare(&exchange, distances, is_centre);
	memcpy(kept, is_centre, sizeof(bool) * (size_t) n);
	assign(&exchange);
	while (exchange.centres > 1 && exchange.centres > least)
	{
		improve(&exchange);
		if (exchange.total > bound)
			break;
		memcpy(kept, is_centre, sizeof(bool) * (size_t) n);
		is_centre[least_of(&exchange, exchange.loss)] = false;
		exchange.centres--;
		assign(&exchange);
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
