/*
 * local_search.c
 *		Better groups by taking neighbouring groups apart.
 *
 * An iteration picks a random row, takes its group and the groups of its
 * nearest points, and gives their rows to repartition.c.  A new partition
 * takes the place of the old one only if its sum of squares is smaller, so
 * the search can be stopped after any iteration.
 */
#include "kernel/microaggregation/local_search.h"

#include "kernel/microaggregation/neighbour_graph.h"
#include "kernel/base/random.h"
#include "kernel/microaggregation/repartition.h"

#include <string.h>

/* Groups taken apart together. */
#define MOST_GROUPS 5

/* Attempts to reach further groups through members of those taken. */
#define MOST_DETOURS 20

/* Nearest points kept; fewer when the points are very many. */
#define DEGREE       16
#define DEGREE_LARGE 8
#define LARGE_POINTS 200000

/* How often groups are only shaken instead of grown anew. */
#define SHAKEN 0.3

/* Improvements below this part of the cost are rounding. */
#define LEAST_GAIN 1e-9

#define POLL_ITERATIONS 256

typedef struct LocalSearch
{
	SdcHost *host;
	const SdcPoints *points;
	int k;
	int most_members; /* 2k - 1 */
	double *value;    /* value[row * columns + column] */
	int32_t *point;   /* point of a row */
	int degree;
	int32_t *neighbour; /* neighbour[point * degree + i] */
	int32_t *group;
	int32_t *member; /* member[group * most_members + i] */
	int32_t *count;  /* rows of a group */
	int32_t groups;  /* numbers in use or in unused[] */
	int32_t *unused; /* numbers of groups that have gone */
	int32_t unused_count;
	SdcRepartition *repartition;
	SdcRandom random;
} LocalSearch;

/* The groups that an iteration takes apart. */
typedef struct Taken
{
	int groups;
	int rows;
	int32_t group[MOST_GROUPS];
	int32_t row[SDC_REPARTITION_ROWS];
	int label[SDC_REPARTITION_ROWS];
} Taken;

static void
start(LocalSearch *search, int32_t *group, int32_t groups)
{
	SdcHost *host = search->host;
	const SdcPoints *points = search->points;
	size_t rows = (size_t) points->rows;
	size_t most_groups = rows / (size_t) search->k;
	int32_t point;
	int32_t row;

	search->value = sdc_new(host, double, rows *(size_t) points->columns);
	search->point = sdc_new(host, int32_t, rows);
	search->member =
		sdc_new(host, int32_t, most_groups * (size_t) search->most_members);
	search->count = sdc_new(host, int32_t, most_groups);
	search->unused = sdc_new(host, int32_t, most_groups);
	search->group = group;
	search->groups = groups;
	search->unused_count = 0;
	memset(search->count, 0, most_groups * sizeof(*search->count));
	for (point = 0; point < points->distinct; point++)
		for (row = points->first[point]; row < points->first[point + 1]; row++)
		{
			int32_t own = group[row];

			if (row % SDC_POLL_STEPS == 0)
				host->poll(host, 0, 0);
			search->point[row] = point;
			search->member[(int64_t) own * search->most_members +
						   search->count[own]++] = row;
			sdc_points_get(points, row,
						   search->value +
							   (size_t) row * (size_t) points->columns);
		}
}

static void
finish(LocalSearch *search)
{
	SdcHost *host = search->host;

	host->release(host, search->value);
	host->release(host, search->point);
	host->release(host, search->member);
	host->release(host, search->count);
	host->release(host, search->unused);
	host->release(host, search->neighbour);
	sdc_repartition_release(host, search->repartition);
}

/* Takes a group apart unless it is already, or there are too many rows. */
static void
take_group(LocalSearch *search, Taken *taken, int32_t group)
{
	const int32_t *member =
		search->member + (int64_t) group * search->most_members;
	int32_t count = search->count[group];
	int32_t i;

	for (i = 0; i < taken->groups; i++)
		if (taken->group[i] == group)
			return;
	if (taken->rows + count > SDC_REPARTITION_ROWS)
		return;
	for (i = 0; i < count; i++)
	{
		taken->row[taken->rows] = member[i];
		taken->label[taken->rows++] = taken->groups;
	}
	taken->group[taken->groups++] = group;
}

/* Takes the group of a random row of a point; -1 is no point. */
static void
take_group_of(LocalSearch *search, Taken *taken, int32_t point)
{
	int32_t first;
	uint64_t rows;

	if (point < 0)
		return;
	first = search->points->first[point];
	rows = (uint64_t) (search->points->first[point + 1] - first);
	if (rows > 1)
		first += (int32_t) sdc_random_below(&search->random, rows);
	take_group(search, taken, search->group[first]);
}

/* Takes 2 to MOST_GROUPS groups around a random row, if there are so many. */
static void
take_groups(LocalSearch *search, Taken *taken)
{
	SdcRandom *random = &search->random;
	int32_t row =
		(int32_t) sdc_random_below(random, (uint64_t) search->points->rows);
	int32_t point = search->point[row];
	int wanted = 2 + (int) sdc_random_below(random, MOST_GROUPS - 1);
	int i;

	taken->groups = taken->rows = 0;
	take_group(search, taken, search->group[row]);
	take_group_of(search, taken, point);
	for (i = 0; i < search->degree && taken->groups < wanted; i++)
		take_group_of(search, taken,
					  search->neighbour[(int64_t) point * search->degree + i]);
	for (i = 0; i < MOST_DETOURS && taken->groups < wanted; i++)
	{
		uint64_t member = sdc_random_below(random, (uint64_t) taken->rows);
		uint64_t edge = sdc_random_below(random, (uint64_t) search->degree);

		point = search->point[taken->row[member]];
		take_group_of(search, taken,
					  search->neighbour[(int64_t) point * search->degree +
										(int64_t) edge]);
	}
}

/* Puts the new groups in the place of those taken apart. */
static void
accept(LocalSearch *search, const Taken *taken)
{
	const SdcRepartition *repartition = search->repartition;
	int32_t number[SDC_REPARTITION_GROUPS];
	int i;

	for (i = 0; i < taken->groups; i++)
		search->unused[search->unused_count++] = taken->group[i];
	for (i = 0; i < repartition->groups; i++)
	{
		number[i] = search->unused_count > 0
						? search->unused[--search->unused_count]
						: search->groups++;
		search->count[number[i]] = 0;
	}
	for (i = 0; i < taken->rows; i++)
	{
		int32_t group = number[repartition->label[i]];

		search->group[taken->row[i]] = group;
		search->member[(int64_t) group * search->most_members +
					   search->count[group]++] = taken->row[i];
	}
}

static void
iterate(LocalSearch *search)
{
	SdcRepartition *repartition = search->repartition;
	Taken taken;
	double cost;

	take_groups(search, &taken);
	if (taken.groups < 2)
		return;
	sdc_repartition_load(repartition, search->value, taken.row, taken.label,
						 taken.rows, taken.groups);
	cost = sdc_repartition_cost(repartition);
	if (sdc_random_unit(&search->random) < SHAKEN)
		sdc_repartition_shake(repartition, &search->random);
	else
		sdc_repartition_regrow(repartition, &search->random);
	sdc_repartition_descend(repartition);
	if (sdc_repartition_cost(repartition) < cost * (1 - LEAST_GAIN))
		accept(search, &taken);
}

/* Numbers the groups from 0 in the order of their first rows. */
static int32_t
renumber(LocalSearch *search)
{
	int32_t *number = search->count;
	int32_t groups = 0;
	int32_t row;

	memset(number, -1, (size_t) search->groups * sizeof(*number));
	for (row = 0; row < search->points->rows; row++)
	{
		int32_t *own = &search->group[row];

		if (number[*own] < 0)
			number[*own] = groups++;
		*own = number[*own];
	}
	return groups;
}

int32_t
sdc_local_search(SdcHost *host, const SdcPoints *points, int k,
				 int64_t iterations, uint64_t seed, int32_t *group,
				 int32_t groups)
{
	LocalSearch search;
	int64_t i;

	if (groups < 2 || points->distinct < 2 ||
		2 * (int64_t) k > SDC_REPARTITION_ROWS)
		return groups;
	search.host = host;
	search.points = points;
	search.k = k;
	search.most_members = 2 * k - 1;
	search.degree = points->distinct > LARGE_POINTS ? DEGREE_LARGE : DEGREE;
	search.neighbour = sdc_neighbour_graph(host, points, search.degree);
	search.repartition = sdc_repartition_create(host, points->columns, k);
	sdc_random_seed(&search.random, seed, 0);
	start(&search, group, groups);
	for (i = 0; i < iterations; i++)
	{
		if (i % POLL_ITERATIONS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) iterations);
		iterate(&search);
	}
	groups = renumber(&search);
	finish(&search);
	return groups;
}
