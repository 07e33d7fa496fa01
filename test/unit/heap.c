/*
 * heap.c
 *		Heaps of numbers against a search of the whole array.
 */
#include "unit.h"

#include "kernel/base/heap.h"
#include "kernel/base/random.h"

#define ITEMS 60

/* The context is an array of priorities; of equal ones the later item. */
static bool
is_above(const int32_t *priority, int32_t a, int32_t b)
{
	return priority[a] > priority[b] || (priority[a] == priority[b] && a > b);
}

SDC_HEAP(items, int32_t, const int32_t *, is_above)

/* The item above all of a set; takes it out. */
static int32_t
take_first(const int32_t *priority, bool *in, int32_t n)
{
	int32_t first = -1;
	int32_t i;

	for (i = 0; i < n; i++)
		if (in[i] && (first < 0 || is_above(priority, i, first)))
			first = i;
	in[first] = false;
	return first;
}

/* Items come and go as chance has it; each that goes is the first. */
static bool
comes_and_goes(SdcRandom *random, const int32_t *priority, int32_t n)
{
	bool in[ITEMS] = {false};
	int32_t heap[ITEMS];
	int32_t count = 0;
	int32_t added = 0;
	bool right = true;

	while (added < n || count > 0)
		if (count == 0 || (added < n && sdc_random_below(random, 3) > 0))
		{
			in[added] = true;
			items_push(priority, heap, &count, added++);
		}
		else
		{
			int32_t first = take_first(priority, in, n);

			right = right && items_pop(priority, heap, &count) == first;
		}
	return right;
}

/* An array that is made a heap and unrolled is in order, the first last. */
static bool
unrolls(const int32_t *priority, int32_t n)
{
	int32_t heap[ITEMS];
	bool right = true;
	int32_t i;

	for (i = 0; i < n; i++)
		heap[i] = i;
	items_make(priority, heap, n);
	items_unroll(priority, heap, n);
	for (i = 1; i < n; i++)
		right = right && is_above(priority, heap[i], heap[i - 1]);
	return right;
}

/* Of all that are offered, the most that stand below all others stay. */
static bool
keeps_lowest(const int32_t *priority, int32_t n, int32_t most)
{
	int32_t heap[ITEMS];
	int32_t count = 0;
	bool right = true;
	int32_t i;
	int32_t k;

	for (i = 0; i < n; i++)
	{
		bool kept = items_offer(priority, heap, &count, most, i);
		int32_t below = 0;

		for (k = 0; k < i; k++)
			below += is_above(priority, i, k);
		right = right && kept == (below < most);
	}
	for (k = 0; k < count; k++)
	{
		int32_t below = 0;

		for (i = 0; i < n; i++)
			below += is_above(priority, heap[k], i);
		right = right && below < most;
	}
	return right && count == (n < most ? n : most);
}

int
main(void)
{
	uint64_t seed;

	unit_start("heap");
	for (seed = 1; seed <= 20; seed++)
	{
		int32_t n = (int32_t) (seed * seed % ITEMS);
		int32_t priority[ITEMS];
		SdcRandom random;
		int32_t i;

		sdc_random_seed(&random, seed, 0);
		for (i = 0; i < ITEMS; i++)
			priority[i] = (int32_t) sdc_random_below(&random, 1 + seed % 7);
		unit_check(comes_and_goes(&random, priority, n),
				   "seed %d: the first one goes", (int) seed);
		unit_check(unrolls(priority, n), "seed %d: in order", (int) seed);
		unit_check(keeps_lowest(priority, n, 1 + (int32_t) seed % 9),
				   "seed %d: the lowest stay", (int) seed);
	}
	return unit_finish();
}
