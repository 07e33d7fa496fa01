/*
 * link_assignment.c
 *		One-to-one linkage by distance: the assignment of least total cost.
 *
 * Each record gets a list of the nearest records of the other file, and
 * kernel/intruder/match.h finds the best assignment on the lists.  Rows of
 * both files are shuffled first: most files lie in the order of their ids, so
 * that ties which go to the first would mostly go to the right one.
 */
#include "kernel/linkage/link_assignment.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/intruder/match.h"

/* The greatest magnitude of a score, which is a cost with its sign turned. */
#define GREATEST_SCORE 1000

/* Streams of the seed. */
#define STREAM_FROM 1
#define STREAM_TO   2

/* Rows that take part, in an order by chance; returns how many. */
static int32_t
shuffle_rows(SdcHost *host, int32_t rows, const int32_t *point, uint64_t seed,
			 uint64_t stream, int32_t **shuffled)
{
	int32_t *row = sdc_new(host, int32_t, (size_t) rows + 1);
	int32_t count = 0;
	SdcRandom random;
	int32_t i;

	sdc_random_seed(&random, seed, stream);
	for (i = 0; i < rows; i++)
	{
		int32_t place;

		if (point[i] < 0)
			continue;
		place = (int32_t) sdc_random_below(&random, (uint64_t) count + 1);
		row[count++] = row[place];
		row[place] = i;
	}
	*shuffled = row;
	return count;
}

static SdcLinkOrder
make_order(SdcHost *host, const SdcLinkSides *sides, uint64_t seed)
{
	SdcLinkOrder order;
	int32_t i;

	order.persons = shuffle_rows(host, sides->rows[0], sides->point[0], seed,
								 STREAM_FROM, &order.person);
	order.records = shuffle_rows(host, sides->rows[1], sides->point[1], seed,
								 STREAM_TO, &order.record);
	order.place = sdc_new(host, int32_t, (size_t) sides->rows[1] + 1);
	for (i = 0; i < sides->rows[1]; i++)
		order.place[i] = -1;
	for (i = 0; i < order.records; i++)
		order.place[order.record[i]] = i;
	return order;
}

static void
release_order(SdcHost *host, SdcLinkOrder *order)
{
	host->release(host, order->person);
	host->release(host, order->record);
	host->release(host, order->place);
}

/* The lists while they are made; columns are places in a shuffled order. */
typedef struct Lists
{
	SdcHost *host;
	const SdcLinkOrder *order;
	int32_t most; /* entries of a person */
	int64_t *first;
	int32_t *column;
	double *cost;
} Lists;

int32_t
sdc_link_assign_most(int32_t persons, int32_t records)
{
	double pairs = (double) persons * records;
	double share = (double) SDC_LINK_ASSIGN_ENTRIES / persons;

	if (pairs <= SDC_LINK_ASSIGN_PAIRS)
		return records;
	if (share > SDC_LINK_ASSIGN_MOST)
		share = SDC_LINK_ASSIGN_MOST;
	return share < SDC_LINK_ASSIGN_LEAST ? SDC_LINK_ASSIGN_LEAST
										 : (int32_t) share;
}

static void
fill_lists(Lists *lists, const SdcLinkSides *sides)
{
	SdcHost *host = lists->host;
	size_t persons = (size_t) lists->order->persons;
	int64_t entry = 0;
	int32_t i;

	lists->first = sdc_new(host, int64_t, persons + 1);
	lists->column = sdc_new(host, int32_t, persons * (size_t) lists->most);
	lists->cost = sdc_new(host, double, persons *(size_t) lists->most);
	for (i = 0; i < lists->order->persons; i++)
	{
		if (i % 64 == 0)
			host->poll(host, (uint64_t) i, persons);
		lists->first[i] = entry;
		entry += sides->list(sides->arg, lists->order, i, lists->most,
							 lists->column + entry, lists->cost + entry);
	}
	lists->first[persons] = entry;
}

/* The lists as scores: the higher the better. */
static float *
make_scores(Lists *lists)
{
	int64_t entries = lists->first[lists->order->persons];
	float *score = sdc_new(lists->host, float, (size_t) entries + 1);
	double greatest = 0;
	int64_t e;

	for (e = 0; e < entries; e++)
		greatest = fmax(greatest, fabs(lists->cost[e]));
	for (e = 0; e < entries; e++)
		score[e] = greatest > 0
					   ? (float) (-lists->cost[e] / greatest * GREATEST_SCORE)
					   : 0;
	return score;
}

/* Assigns on the lists and writes it down by rows. */
static void
solve_lists(Lists *lists, SdcLinkAssignment *assignment)
{
	SdcHost *host = lists->host;
	const SdcLinkOrder *order = lists->order;
	size_t persons = (size_t) order->persons;
	float *outside = sdc_new(host, float, persons);
	int32_t *assigned = sdc_new(host, int32_t, persons);
	int64_t *entry = sdc_new(host, int64_t, persons);
	SdcMatchLists match = {0};
	int32_t i;

	for (i = 0; i < order->persons; i++)
		outside[i] = -INFINITY;
	match.rows = order->persons;
	match.columns = order->records;
	match.first = lists->first;
	match.column = lists->column;
	match.score = make_scores(lists);
	match.outside = outside;
	assignment->exact =
		sdc_match_assign(host, &match, SDC_MATCH_BUDGET, assigned, entry)
			.exact &&
		assignment->whole;
	for (i = 0; i < order->persons; i++)
	{
		int32_t row = order->person[i];

		if (assigned[i] < 0)
			continue;
		assignment->row[row] = order->record[assigned[i]];
		assignment->cost[row] = lists->cost[entry[i]];
	}
	host->release(host, (void *) match.score);
	host->release(host, outside);
	host->release(host, assigned);
	host->release(host, entry);
}

SdcLinkAssignment
sdc_link_assign_lists(SdcHost *host, const SdcLinkSides *sides, uint64_t seed)
{
	SdcLinkOrder order = make_order(host, sides, seed);
	Lists lists = {.host = host, .order = &order};
	size_t rows = (size_t) sides->rows[0];
	SdcLinkAssignment assignment;
	int32_t i;

	assignment.row = sdc_new(host, int32_t, rows + 1);
	assignment.cost = sdc_new(host, double, rows + 1);
	assignment.whole = assignment.exact = true;
	for (i = 0; i < sides->rows[0]; i++)
		assignment.row[i] = -1;
	if (order.persons > 0 && order.records > 0)
	{
		lists.most = sdc_link_assign_most(order.persons, order.records);
		assignment.whole = lists.most >= order.records;
		host->stage(host, "computing distances");
		fill_lists(&lists, sides);
		host->stage(host, "assigning records");
		solve_lists(&lists, &assignment);
		host->release(host, lists.first);
		host->release(host, lists.column);
		host->release(host, lists.cost);
	}
	release_order(host, &order);
	return assignment;
}

/* ----------------------------------------------------------------------
 * Lists by a search for near points.
 * ----------------------------------------------------------------------
 */

typedef struct Near
{
	SdcHost *host;
	const SdcLinkFile *from;
	const SdcLinkFile *to;
	SdcLinkSearch *search;
	bool root;
	int32_t *member; /* places of the rows at each point of to, shuffled */
} Near;

/* The places of the rows of a point, in the shuffled order. */
static void
order_members(Near *near, const SdcLinkOrder *order)
{
	SdcHost *host = near->host;
	const SdcLinkFile *to = near->to;
	int32_t *next = sdc_new(host, int32_t, (size_t) to->points + 1);
	int32_t i;

	near->member = sdc_new(host, int32_t, (size_t) order->records + 1);
	memcpy(next, to->first, sizeof(int32_t) * (size_t) to->points);
	for (i = 0; i < order->records; i++)
		near->member[next[to->point[order->record[i]]]++] = i;
	host->release(host, next);
}

static double
cost_of(const Near *near, double sum)
{
	if (!near->root)
		return sum;
	return sum < 0 ? -sqrt(-sum) : sqrt(sum);
}

/*
 * Lists the rows of the points that the search has found, the nearest first.
 * Where only some rows of a point fit, each person takes others.
 */
static int32_t
list_found(const Near *near, int32_t person, int32_t most, int32_t *place,
		   double *cost)
{
	const SdcLinkSearch *search = near->search;
	int32_t entry = 0;
	int32_t i;
	int32_t k;

	for (i = 0; i < search->count && entry < most; i++)
	{
		int32_t begin = near->to->first[search->point[i]];
		int32_t rows = near->to->first[search->point[i] + 1] - begin;
		int32_t start =
			(int32_t) (sdc_random_mix((uint64_t) person) % (uint64_t) rows);

		for (k = 0; k < rows && entry < most; k++)
		{
			place[entry] = near->member[begin + (start + k) % rows];
			cost[entry++] = cost_of(near, search->item[i].sum);
		}
	}
	return entry;
}

static int32_t
list_near(void *arg, const SdcLinkOrder *order, int32_t person, int32_t most,
		  int32_t *place, double *cost)
{
	Near *near = arg;
	int32_t point = near->from->point[order->person[person]];

	if (near->member == NULL)
		order_members(near, order);
	sdc_link_search_several(near->search,
							near->from->coordinate +
								(size_t) point * (size_t) near->from->columns,
							most < near->to->points ? most : near->to->points);
	return list_found(near, person, most, place, cost);
}

SdcLinkAssignment
sdc_link_assign(SdcHost *host, const SdcLinkFile *from, const SdcLinkFile *to,
				SdcLinkSearch *search, bool root, uint64_t seed)
{
	Near near = {
		.host = host, .from = from, .to = to, .search = search, .root = root};
	SdcLinkSides sides = {
		{from->rows, to->rows}, {from->point, to->point}, list_near, &near};
	SdcLinkAssignment assignment = sdc_link_assign_lists(host, &sides, seed);

	host->release(host, near.member);
	return assignment;
}
