/*
 * link.c
 *		The nearest points, with all ties, against a loop over all pairs.
 */
#include "fuzz.h"

#include <math.h>

#include "kernel/linkage/link_measure.h"
#include "kernel/linkage/link_nearest.h"

#define LINK_POINTS  160
#define LINK_QUERIES 12
#define LINK_COLUMNS 3

static double link_point[LINK_POINTS * LINK_COLUMNS];
static double link_query[LINK_QUERIES * LINK_COLUMNS];
static double link_sum[LINK_POINTS];
static int32_t link_rank[LINK_POINTS];
static int32_t link_points;
static int link_columns;

/* Quarters, many of them equal, some a hair beside each other, few far out. */
static double
link_coordinate(FuzzBytes *bytes)
{
	int8_t byte = (int8_t) fuzz_byte(bytes);
	double value = (byte >> 2) / 4.0;

	switch (byte & 3)
	{
		case 1:
			return value + ldexp(1, -44);
		case 2:
			return value * ldexp(1, 20);
		default:
			return value;
	}
}

/* All sums for a query, and the points by rising sum and number. */
static void
link_look(const double *query)
{
	int32_t i;
	int32_t k;
	int j;

	for (i = 0; i < link_points; i++)
	{
		double sum = 0;

		for (j = 0; j < link_columns; j++)
		{
			double d = query[j] - link_point[i * link_columns + j];

			sum += d * d;
		}
		for (k = i; k > 0 && link_sum[link_rank[k - 1]] > sum; k--)
			link_rank[k] = link_rank[k - 1];
		link_rank[k] = i;
		link_sum[i] = sum;
	}
}

/* Points with a sum of at most so much. */
static int32_t
link_within(double limit)
{
	int32_t count = 0;

	while (count < link_points && link_sum[link_rank[count]] <= limit)
		count++;
	return count;
}

static void
link_check(SdcLinkSearch *search, const SdcLinkHit *hit, const double *query,
		   int32_t most)
{
	int32_t near;
	int32_t found = 0;
	int32_t i;

	link_look(query);
	near = link_within(link_sum[link_rank[0]] * (1 + 1e-9) +
					   link_columns * 1e-20);
	fuzz_check(hit->count == near && hit->smallest == link_sum[link_rank[0]],
			   "the smallest sum, and how many have it");
	sdc_link_search_run(search, query);
	fuzz_check(search->count == near, "a search finds as many");
	for (i = 0; i < link_points; i++)
	{
		if (link_sum[i] > link_sum[link_rank[near - 1]])
			continue;
		fuzz_check(search->point[found] == i &&
					   (near > SDC_LINK_KEPT || hit->point[found] == i),
				   "the nearest points, ascending");
		found++;
	}
	if (most > link_points)
		most = link_points;
	sdc_link_search_several(search, query, most);
	/* here only equal sums are ties */
	near = link_within(link_sum[link_rank[most - 1]]);
	fuzz_check(search->count == near, "the nearest several, with ties");
	for (i = 0; i < near; i++)
		fuzz_check(search->point[i] == link_rank[i] &&
					   search->item[i].sum == link_sum[link_rank[i]],
				   "by rising sum, then by number");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const SdcLinkMeasure *measure = &sdc_link_measure_squares;
	FuzzBytes bytes = {data, size};
	int32_t queries = 1 + fuzz_byte(&bytes) % LINK_QUERIES;
	int32_t most = 1 + fuzz_byte(&bytes) % 9;
	SdcPointIndex index;
	SdcLinkMeasure its;
	SdcLinkSearch *search;
	void *task;
	uint64_t block;
	int32_t i;

	link_columns = 1 + fuzz_byte(&bytes) % LINK_COLUMNS;
	link_points = 1 + fuzz_byte(&bytes) % LINK_POINTS;
	for (i = 0; i < queries * link_columns; i++)
		link_query[i] = link_coordinate(&bytes);
	for (i = 0; i < link_points * link_columns; i++)
		link_point[i] = link_coordinate(&bytes);
	task = malloc(
		sdc_link_task_size(link_points, queries, link_columns, measure));
	fuzz_check(task != NULL, "memory");
	sdc_link_task_fill(unit_host(), task, link_point, link_points, link_query,
					   queries, link_columns, measure);
	for (block = sdc_link_task_blocks(task); block-- > 0;)
		sdc_link_task_work(unit_host(), task, block);
	sdc_link_task_index(unit_host(), task, &index, &its);
	search = sdc_link_search_create(unit_host(), &index, &its);
	for (i = 0; i < queries; i++)
		link_check(search, &sdc_link_task_hits(task)[i],
				   link_query + i * link_columns, most);
	unit_release_all();
	free(task);
	return 0;
}
