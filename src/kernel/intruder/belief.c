/*
 * belief.c
 *		Probabilities of links when each record has at most one person.
 *
 * Belief propagation on the graph of candidates.  A row tells each of its
 * columns how much it wants it, given its other choices; a column tells each
 * of its rows how free it is of the others.  With w the weight of an entry,
 *		free = 1 / (free_weight + sum of the other rows' wants)
 *		want = w / (outside + sum over the row's other entries of w free)
 *		chance = want free / (1 + want free).
 * Wants are damped by the geometric mean with the round before, and rows
 * are passed one after the other, each on what the rows before it said.
 */
#include "kernel/intruder/match.h"

#include <math.h>

#include "kernel/base/elementary.h"

/* Rounds end when no chance changes by more. */
#define CHANGE 1e-3f

/* Bounds that keep the messages finite. */
#define MOST_WANT  1e9f
#define LEAST_FREE 1e-6f

/* Weight of staying outside beside the row's best at least: as rare as an
 * entry that is not worth listing, and within the range of the bounds. */
#define LEAST_OUTSIDE 1e-8f

/*
 * Rows whose chances change by less than half of that rest, but for the first
 * rounds and then every so many.
 */
#define FIRST 4
#define WAKE  8

/* Rows between two polls. */
#define POLL_ROWS 4096

typedef struct Belief
{
	const SdcMatchLists *lists;
	float *weight;
	float *want;
	double *sum;  /* wants of a column */
	float *spare; /* its weight of having no row */
	float *outside;
	uint8_t *awake; /* rows whose chances still change */
} Belief;

/* Weights of a row, its largest being 1; returns that of staying outside. */
static float
row_weights(const SdcMatchLists *lists, int32_t row, float *weight)
{
	int64_t first = lists->first[row];
	int32_t n = (int32_t) (lists->first[row + 1] - first);
	float top = lists->outside[row];
	int32_t k;

	for (k = 0; k < n; k++)
		top = lists->score[first + k] > top ? lists->score[first + k] : top;
	for (k = 0; k < n; k++)
		weight[k] = sdc_exp_float(lists->score[first + k] - top);
	return isinf(lists->outside[row])
			   ? 0
			   : sdc_exp_float(lists->outside[row] - top);
}

void
sdc_match_alone(SdcHost *host, const SdcMatchLists *lists, float *chance,
				float *inside)
{
	int32_t row;

	for (row = 0; row < lists->rows; row++)
	{
		int64_t first = lists->first[row];
		int64_t end = lists->first[row + 1];
		float outside = row_weights(lists, row, chance + first);
		float sum = outside;
		int64_t e;

		if (row % POLL_ROWS == 0)
			host->poll(host, (uint64_t) row, (uint64_t) lists->rows);
		for (e = first; e < end; e++)
			sum += chance[e];
		for (e = first; e < end; e++)
			chance[e] /= sum;
		inside[row] = first == end ? 0 : 1 - outside / sum;
	}
}

/*
 * Passes the messages of one row; returns the greatest change of a chance.
 * The sums of its columns change at once, so later rows see it.
 */
static float
pass_row(Belief *b, int32_t row, bool begin, float *chance, float *inside)
{
	const SdcMatchLists *lists = b->lists;
	const int32_t *column = lists->column + lists->first[row];
	const float *weight = b->weight + lists->first[row];
	float *want = b->want + lists->first[row];
	int32_t n = (int32_t) (lists->first[row + 1] - lists->first[row]);
	float sum = b->outside[row];
	float change = 0;
	int32_t k;

	chance += lists->first[row];
	for (k = 0; k < n; k++)
	{
		float others = (float) (b->sum[column[k]] - (double) want[k]);

		others = others < 0 ? 0 : others;
		chance[k] = begin ? 1 : 1 / (others + b->spare[column[k]]);
		sum += weight[k] * chance[k];
	}
	*inside = n == 0 ? 0 : 1 - b->outside[row] / sum;
	for (k = 0; k < n; k++)
	{
		float give = chance[k];
		float had = weight[k] * give;
		float rest = sum - had;
		float now;
		float before;
		float after;

		rest = rest < 1e-6f * sum ? 1e-6f * sum : rest;
		now = weight[k] / rest;
		now = now > MOST_WANT ? MOST_WANT : now;
		if (!begin)
			now = sqrtf(now * want[k]);
		before = want[k] * give / (1 + want[k] * give);
		after = now * give / (1 + now * give);
		before = before > after ? before - after : after - before;
		change = before > change ? before : change;
		b->sum[column[k]] += (double) now - (double) want[k];
		want[k] = now;
		chance[k] = had / sum;
	}
	return begin ? 1 : change;
}

/* Adds the wants of all columns anew, for rounding does not add up. */
static void
add_wants(Belief *b)
{
	const SdcMatchLists *lists = b->lists;
	int64_t entries = lists->first[lists->rows];
	int32_t column;
	int64_t e;

	for (column = 0; column < lists->columns; column++)
		b->sum[column] = 0;
	for (e = 0; e < entries; e++)
		b->sum[lists->column[e]] += b->want[e];
}

static void
start_belief(SdcHost *host, const SdcMatchLists *lists,
			 const SdcMatchBelief *belief, Belief *b)
{
	size_t entries = (size_t) lists->first[lists->rows];
	size_t rows = (size_t) lists->rows;
	size_t columns = (size_t) lists->columns;
	size_t i;

	b->lists = lists;
	b->weight = sdc_new(host, float, entries + 1);
	b->want = sdc_new(host, float, entries + 1);
	b->sum = sdc_new(host, double, columns + 1);
	b->spare = sdc_new(host, float, columns + 1);
	b->outside = sdc_new(host, float, rows + 1);
	b->awake = sdc_new(host, uint8_t, rows + 1);
	for (i = 0; i < entries; i++)
		b->want[i] = 0;
	for (i = 0; i < columns; i++)
	{
		float spare = belief->free_column != NULL ? belief->free_column[i]
												  : belief->free_weight;

		b->spare[i] = spare < LEAST_FREE ? LEAST_FREE : spare;
	}
	for (i = 0; i < rows; i++)
	{
		float outside =
			row_weights(lists, (int32_t) i, b->weight + lists->first[i]);

		b->outside[i] = outside < LEAST_OUTSIDE ? LEAST_OUTSIDE : outside;
	}
}

int
sdc_match_belief(SdcHost *host, const SdcMatchLists *lists,
				 const SdcMatchBelief *belief, float *chance, float *inside)
{
	Belief b;
	float change = 1;
	int round;
	int32_t i;

	host->stage(host, "weighing beliefs");
	start_belief(host, lists, belief, &b);
	for (round = 0; round < belief->rounds && change > CHANGE; round++)
	{
		bool all = round < FIRST || round % WAKE == 0;
		float greatest = 0;

		if (all)
			add_wants(&b);
		for (i = 0; i < lists->rows; i++)
		{
			float x;

			if (i % POLL_ROWS == 0)
				host->poll(host, (uint64_t) round, (uint64_t) belief->rounds);
			if (!all && !b.awake[i])
				continue;
			x = pass_row(&b, i, round == 0, chance, &inside[i]);
			b.awake[i] = x > CHANGE / 2;
			greatest = x > greatest ? x : greatest;
		}
		change = all ? greatest : 1;
	}
	host->release(host, b.weight);
	host->release(host, b.want);
	host->release(host, b.sum);
	host->release(host, b.spare);
	host->release(host, b.outside);
	host->release(host, b.awake);
	return round;
}
