/*
 * suppress_masks.c
 *		Local suppression: the sets of keys to try, cheapest first.
 *
 * A set costs the sum of the importance of its keys.  Of sets that cost the
 * same, the one whose keys have more values comes first: without such a key
 * more records become alike.
 */
#include <string.h>

#include "kernel/base/sort.h"
#include "kernel/generalization/suppress_state.h"

/* Sets at the most, not counting those of the fixed order. */
#define MOST_MASKS 4096

typedef struct Masks
{
	SdcSuppressState *state;
	int rank[SDC_SUPPRESS_MAX_KEYS]; /* 0: suppressed first */
	int by_rank[SDC_SUPPRESS_MAX_KEYS];
	uint64_t *mask;
	double *cost;
	int *tie; /* sum of ranks */
	int count;
} Masks;

static double
importance(const SdcSuppressState *state, int j)
{
	const double *given = state->request->importance;

	return given == NULL ? 1 : given[j];
}

double
sdc_suppress_cost(const SdcSuppressState *state, uint64_t mask)
{
	double cost = 0;

	for (; mask != 0; mask &= mask - 1)
		cost += importance(state, __builtin_ctzll(mask));
	return cost;
}

/* Does key a go before key b? */
static bool
goes_first(const SdcSuppressState *state, int a, int b)
{
	double cost_a = importance(state, a);
	double cost_b = importance(state, b);
	int32_t values_a = state->frequency->values[a];
	int32_t values_b = state->frequency->values[b];

	if (cost_a != cost_b)
		return cost_a < cost_b;
	if (values_a != values_b)
		return values_a > values_b;
	return a < b;
}

static void
rank_keys(Masks *masks)
{
	int keys = masks->state->request->keys;
	int a;
	int b;

	for (a = 0; a < keys; a++)
	{
		masks->rank[a] = 0;
		for (b = 0; b < keys; b++)
			masks->rank[a] += b != a && goes_first(masks->state, b, a);
		masks->by_rank[masks->rank[a]] = a;
	}
}

static void
add_mask(Masks *masks, uint64_t mask)
{
	int i = masks->count++;

	masks->mask[i] = mask;
	masks->cost[i] = sdc_suppress_cost(masks->state, mask);
	masks->tie[i] = 0;
	for (; mask != 0; mask &= mask - 1)
		masks->tie[i] += masks->rank[__builtin_ctzll(mask)];
}

/* Adds all sets of size keys out of those of rank first and above. */
static void
add_sets(Masks *masks, uint64_t mask, int first, int size)
{
	int keys = masks->state->request->keys;
	int r;

	if (size == 0)
	{
		add_mask(masks, mask);
		return;
	}
	for (r = first; r + size <= keys; r++)
		add_sets(masks, mask | UINT64_C(1) << masks->by_rank[r], r + 1,
				 size - 1);
}

static int
compare_masks(int32_t a, int32_t b, void *arg)
{
	const Masks *masks = arg;

	if (masks->cost[a] != masks->cost[b])
		return masks->cost[a] < masks->cost[b] ? -1 : 1;
	return masks->tie[a] - masks->tie[b];
}

/*
 * Makes all sets of up to a size that leaves no more than MOST_MASKS of them,
 * then the first keys by rank for each size above it.
 */
static void
make_masks(Masks *masks)
{
	int keys = masks->state->request->keys;
	double sets = 1;
	int total = 0;
	uint64_t mask = 0;
	int size;

	for (size = 1; size <= keys; size++)
	{
		sets = sets * (keys - size + 1) / size;
		if (total + sets > MOST_MASKS)
			break;
		total += (int) sets;
		add_sets(masks, 0, 0, size);
	}
	for (; size <= keys; size++)
	{
		int r;

		mask = 0;
		for (r = 0; r < size; r++)
			mask |= UINT64_C(1) << masks->by_rank[r];
		add_mask(masks, mask);
	}
}

void
sdc_suppress_masks(SdcSuppressState *state)
{
	SdcHost *host = state->host;
	int room = MOST_MASKS + SDC_SUPPRESS_MAX_KEYS;
	Masks masks = {.state = state};
	int32_t *order = sdc_new(host, int32_t, room);
	int i;

	masks.mask = sdc_new(host, uint64_t, room);
	masks.cost = sdc_new(host, double, room);
	masks.tie = sdc_new(host, int, room);
	rank_keys(&masks);
	make_masks(&masks);
	for (i = 0; i < masks.count; i++)
		order[i] = i;
	sdc_sort_rows(host, order, (size_t) masks.count, compare_masks, &masks);
	state->masks = masks.count;
	state->mask = sdc_new(host, uint64_t, masks.count);
	state->cost = sdc_new(host, double, masks.count);
	for (i = 0; i < masks.count; i++)
	{
		state->mask[i] = masks.mask[order[i]];
		state->cost[i] = masks.cost[order[i]];
	}
	host->release(host, masks.mask);
	host->release(host, masks.cost);
	host->release(host, masks.tie);
	host->release(host, order);
}
