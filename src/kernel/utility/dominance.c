/*
 * dominance.c
 *		Which of several maskings another one beats in risk and in loss.
 *
 * In the order of risk, then loss, whatever dominates a point comes before it;
 * and if any point does, the one with the least loss so far does.
 */
#include <math.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/utility/dominance.h"

typedef struct Points
{
	const double *risk;
	const double *loss;
} Points;

static bool
is_known(const Points *points, int32_t i)
{
	return !isnan(points->risk[i]) && !isnan(points->loss[i]);
}

/* By risk, then loss; points with a NaN are last. */
static int
compare(int32_t a, int32_t b, void *arg)
{
	const Points *points = arg;
	bool known = is_known(points, a);

	if (known != is_known(points, b))
		return known ? -1 : 1;
	if (!known)
		return 0;
	if (points->risk[a] != points->risk[b])
		return points->risk[a] < points->risk[b] ? -1 : 1;
	if (points->loss[a] != points->loss[b])
		return points->loss[a] < points->loss[b] ? -1 : 1;
	return 0;
}

void
sdc_dominance_find(SdcHost *host, const double *risk, const double *loss,
				   int32_t n, int32_t *by)
{
	Points points = {risk, loss};
	int32_t *order = sdc_new(host, int32_t, n);
	int32_t best = SDC_DOMINANCE_NONE;
	int32_t i;

	for (i = 0; i < n; i++)
		order[i] = i;
	sdc_sort_rows(host, order, n, compare, &points);
	for (i = 0; i < n; i++)
	{
		int32_t point = order[i];

		by[point] = SDC_DOMINANCE_NONE;
		if (!is_known(&points, point))
			continue;
		if (best == SDC_DOMINANCE_NONE || loss[point] < loss[best])
			best = point;
		else if (loss[point] > loss[best] || risk[point] > risk[best])
			by[point] = best;
	}
	host->release(host, order);
}
