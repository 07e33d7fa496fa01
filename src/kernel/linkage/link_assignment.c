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

/* The rows of a file that have a point, in an order by chance. */
typedef struct Shuffled
{
	int32_t count;
	int32_t *row;
} Shuffled;

static Shuffled
shuffle_rows(SdcHost *host, const SdcLinkFile *file, uint64_t seed,
			 uint64_t stream)
{
	Shuffled shuffled = {0, sdc_new(host, int32_t, (size_t) file->rows + 1)};
	SdcRandom random;
	int32_t i;

	sdc_random_seed(&random, seed, stream);
	for (i = 0; i < file->rows; i++)
	{
		int32_t place;

		if (file->point[i] < 0)
			continue;
		place =
			(int32_t) sdc_random_below(&random, (uint64_t) shuffled.count + 1);
		shuffled.row[shuffled.count++] = shuffled.row[place];
		shuffled.row[place] = i;
	}
	return shuffled;
}

/* The lists while they are made; columns are places in a shuffled order. */
typedef struct Lists
{
	SdcHost *host;
	const SdcLinkFile *from;
	const SdcLinkFile *to;
	SdcLinkSearch *search;
	bool root;
	Shuffled person;
	Shuffled record;
	int32_t *member; /* places of the rows at each point of to, shuffled */
	int32_t most;    /* entries of a person */
	int64_t *first;
	int32_t *column;
	double *cost;
} Lists;

/* The places of the rows of a point, in the shuffled order. */
static void
order_members(Lists *lists)
{
	SdcHost *host = lists->host;
	const SdcLinkFile *to = lists->to;
	int32_t *next = sdc_new(host, int32_t, (size_t) to->points + 1);
	int32_t i;

	lists->member = sdc_new(host, int32_t, (size_t) lists->record.count + 1);
	memcpy(next, to->first, sizeof(int32_t) * (size_t) to->points);
	for (i = 0; i < lists->record.count; i++)
		lists->member[next[to->point[lists->record.row[i]]]++] = i;
	host->release(host, next);
}

/* How many entries each person may have. */
static int32_t
choose_most(const Lists *lists)
{
	double pairs = (double) lists->person.count * lists->record.count;
	double share = (double) SDC_LINK_ASSIGN_ENTRIES / lists->person.count;

	if (pairs <= SDC_LINK_ASSIGN_PAIRS)
		return lists->record.count;
	if (share > SDC_LINK_ASSIGN_MOST)
		share = SDC_LINK_ASSIGN_MOST;
	return share < SDC_LINK_ASSIGN_LEAST ? SDC_LINK_ASSIGN_LEAST
										 : (int32_t) share;
}

static double
cost_of(const Lists *lists, double sum)
{
	if (!lists->root)
		return sum;
	return sum < 0 ? -sqrt(-sum) : sqrt(sum);
}

/*
 * Appends the rows of the points that the search has found, the nearest
 * first.  Where only some rows of a point fit, each person takes others.
 */
static int64_t
append_found(Lists *lists, int32_t person, int64_t entry)
{
	const SdcLinkSearch *search = lists->search;
	int64_t end = entry + lists->most;
	int32_t i;
	int32_t k;

	for (i = 0; i < search->count && entry < end; i++)
	{
		int32_t begin = lists->to->first[search->point[i]];
		int32_t rows = lists->to->first[search->point[i] + 1] - begin;
		int32_t start =
			(int32_t) (sdc_random_mix((uint64_t) person) % (uint64_t) rows);

		for (k = 0; k < rows && entry < end; k++)
		{
			lists->column[entry] = lists->member[begin + (start + k) % rows];
			lists->cost[entry++] = cost_of(lists, search->item[i].sum);
		}
	}
	return entry;
}

static void
fill_lists(Lists *lists)
{
	SdcHost *host = lists->host;
	size_t persons = (size_t) lists->person.count;
	int32_t columns = lists->from->columns;
	int32_t most =
		lists->most < lists->to->points ? lists->most : lists->to->points;
	int64_t entry = 0;
	int32_t i;

	lists->first = sdc_new(host, int64_t, persons + 1);
	lists->column = sdc_new(host, int32_t, persons * (size_t) lists->most);
	lists->cost = sdc_new(host, double, persons *(size_t) lists->most);
	for (i = 0; i < lists->person.count; i++)
	{
		int32_t point = lists->from->point[lists->person.row[i]];

		if (i % 64 == 0)
			host->poll(host, (uint64_t) i, persons);
		lists->first[i] = entry;
		sdc_link_search_several(
			lists->search,
			lists->from->coordinate + (size_t) point * (size_t) columns, most);
		entry = append_found(lists, i, entry);
	}
	lists->first[persons] = entry;
}

/* The lists as scores: the higher the better. */
static float *
make_scores(Lists *lists)
{
	int64_t entries = lists->first[lists->person.count];
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
	size_t persons = (size_t) lists->person.count;
	float *outside = sdc_new(host, float, persons);
	int32_t *assigned = sdc_new(host, int32_t, persons);
	int64_t *entry = sdc_new(host, int64_t, persons);
	SdcMatchLists match = {0};
	int32_t i;

	for (i = 0; i < lists->person.count; i++)
		outside[i] = -INFINITY;
	match.rows = lists->person.count;
	match.columns = lists->record.count;
	match.first = lists->first;
	match.column = lists->column;
	match.score = make_scores(lists);
	match.outside = outside;
	assignment->exact =
		sdc_match_assign(host, &match, SDC_MATCH_BUDGET, assigned, entry)
			.exact &&
		assignment->whole;
	for (i = 0; i < lists->person.count; i++)
	{
		int32_t row = lists->person.row[i];

		if (assigned[i] < 0)
			continue;
		assignment->row[row] = lists->record.row[assigned[i]];
		assignment->cost[row] = lists->cost[entry[i]];
	}
	host->release(host, (void *) match.score);
	host->release(host, outside);
	host->release(host, assigned);
	host->release(host, entry);
}

static void
release_lists(Lists *lists)
{
	SdcHost *host = lists->host;

	host->release(host, lists->member);
	host->release(host, lists->first);
	host->release(host, lists->column);
	host->release(host, lists->cost);
}

SdcLinkAssignment
sdc_link_assign(SdcHost *host, const SdcLinkFile *from, const SdcLinkFile *to,
				SdcLinkSearch *search, bool root, uint64_t seed)
{
	Lists lists = {
		.host = host, .from = from, .to = to, .search = search, .root = root};
	SdcLinkAssignment assignment;
	int32_t i;

	assignment.row = sdc_new(host, int32_t, (size_t) from->rows + 1);
	assignment.cost = sdc_new(host, double, (size_t) from->rows + 1);
	assignment.whole = assignment.exact = true;
	for (i = 0; i < from->rows; i++)
		assignment.row[i] = -1;
	lists.person = shuffle_rows(host, from, seed, STREAM_FROM);
	lists.record = shuffle_rows(host, to, seed, STREAM_TO);
	if (lists.person.count > 0 && lists.record.count > 0)
	{
		lists.most = choose_most(&lists);
		assignment.whole = lists.most >= lists.record.count;
		order_members(&lists);
		host->stage(host, "computing distances");
		fill_lists(&lists);
		host->stage(host, "assigning records");
		solve_lists(&lists, &assignment);
		release_lists(&lists);
	}
	host->release(host, lists.person.row);
	host->release(host, lists.record.row);
	return assignment;
}
