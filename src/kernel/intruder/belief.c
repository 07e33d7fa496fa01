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
 * Wants are damped by the geometric mean with the round before.
 */
#include "kernel/intruder/match.h"

#include <math.h>

#include "kernel/base/elementary.h"

/* Rounds end when no chance changes by more. */
#define CHANGE 1e-3f

/* Bounds that keep the messages finite. */
#define MOST_WANT  1e9f
#define LEAST_FREE 1e-6f

/* Rows between two polls. */
#define POLL_ROWS 4096

typedef struct Belief
{
	const SdcMatchLists *lists;
	float *weight;
	float *want;
	double *sum;  /* wants of a column, the round before */
	double *next; /* this round */
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

/* One row of a round; returns the greatest change of a chance. */
static float
pass_row(Belief *b, int32_t row, float outside, bool begin,
		 const float *free_column, float free_weight, float *chance,
		 float *inside)
{
	const SdcMatchLists *lists = b->lists;
	const int32_t *column = lists->column + lists->first[row];
	float *weight = b->weight + lists->first[row];
	float *want = b->want + lists->first[row];
	int32_t n = (int32_t) (lists->first[row + 1] - lists->first[row]);
	float sum = outside;
	float change = 0;
	int32_t k;

	chance += lists->first[row];
	for (k = 0; k < n; k++)
	{
		float others = (float) (b->sum[column[k]] - (double) want[k]);
		float spare =
			free_column != NULL ? free_column[column[k]] : free_weight;

		others = others < 0 ? 0 : others;
		spare = spare < LEAST_FREE ? LEAST_FREE : spare;
		chance[k] = begin ? 1 : 1 / (others + spare);
		sum += weight[k] * chance[k];
	}
	*inside = n == 0 ? 0 : 1 - outside / sum;
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
		before = begin ? 0 : want[k] * give / (1 + want[k] * give);
		after = now * give / (1 + now * give);
		before = before > after ? before - after : after - before;
		change = before > change ? before : change;
		want[k] = now;
		chance[k] = had / sum;
		b->next[column[k]] += now;
	}
	return change;
}

int
sdc_match_belief(SdcHost *host, const SdcMatchLists *lists,
				 const SdcMatchBelief *belief, float *chance, float *inside)
{
	size_t entries = (size_t) lists->first[lists->rows];
	size_t columns = (size_t) lists->columns;
	float *outside = sdc_new(host, float, (size_t) lists->rows + 1);
	Belief b = {lists, sdc_new(host, float, entries + 1),
				sdc_new(host, float, entries + 1),
				sdc_new(host, double, columns + 1),
				sdc_new(host, double, columns + 1)};
	float change = 1;
	int round;
	int32_t i;
	size_t e;

	host->stage(host, "weighing beliefs");
	for (e = 0; e < entries; e++)
		b.want[e] = 0;
	for (i = 0; i < lists->columns; i++)
		b.next[i] = 0;
	for (i = 0; i < lists->rows; i++)
		outside[i] = row_weights(lists, i, b.weight + lists->first[i]);
	for (round = 0; round < belief->rounds && change > CHANGE; round++)
	{
		double *swap = b.sum;

		b.sum = b.next;
		b.next = swap;
		change = round < 3 ? 1 : 0;
		for (i = 0; i < lists->columns; i++)
			b.next[i] = 0;
		for (i = 0; i < lists->rows; i++)
		{
			float x =
				pass_row(&b, i, outside[i], round == 0, belief->free_column,
						 belief->free_weight, chance, &inside[i]);

			change = x > change ? x : change;
			if (i % POLL_ROWS == 0)
				host->poll(host, (uint64_t) round, (uint64_t) belief->rounds);
		}
	}
	host->release(host, outside);
	host->release(host, b.weight);
	host->release(host, b.want);
	host->release(host, b.sum);
	host->release(host, b.next);
	return round;
}
