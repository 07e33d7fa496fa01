/*
 * links.c
 *		The rows of sdc.link, which every attack returns.
 *
 * A record is linked to its whole set of candidates; a set too large to list
 * is cut short and the rest of the probability is given in one row without a
 * name.  The candidates that are named are kept in a heap with the largest
 * row on top, so a set of any size takes no more memory than the list.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "pg/disclosure/links.h"
#include "pg/server/compat.h"
#include "pg/server/result.h"

/* Records between two polls while rows are returned. */
#define POLL_RECORDS 256

void
sdcpg_links_begin(SdcLinks *links, SdcPgHost *host, ReturnSetInfo *result,
				  uint64 records)
{
	memset(links, 0, sizeof(*links));
	links->host = host;
	links->result = result;
	links->records = records;
	links->scratch =
		AllocSetContextCreate(host->work, "sdc links", ALLOCSET_DEFAULT_SIZES);
	links->caller = MemoryContextSwitchTo(links->scratch);
	host->kernel.stage(&host->kernel, "returning links");
}

void
sdcpg_links_end(SdcLinks *links)
{
	MemoryContextSwitchTo(links->caller);
	MemoryContextDelete(links->scratch);
	links->host->kernel.release(&links->host->kernel, links->candidate);
	links->candidate = NULL;
}

void
sdcpg_links_step(SdcLinks *links)
{
	SdcHost *host = &links->host->kernel;

	if (links->done++ % POLL_RECORDS != 0)
		return;
	MemoryContextReset(links->scratch);
	host->poll(host, links->done - 1, links->records);
}

void
sdcpg_links_put(SdcLinks *links, const SdcLink *link)
{
	Datum values[7];
	bool isnull[7] = {false};

	values[0] = CStringGetTextDatum(link->id);
	isnull[1] = link->linked_id == NULL;
	values[1] = isnull[1] ? (Datum) 0 : CStringGetTextDatum(link->linked_id);
	values[2] = Int64GetDatum(link->candidates);
	values[3] = Float8GetDatum(link->probability);
	isnull[4] = isnan(link->distance);
	values[4] = Float8GetDatum(link->distance);
	values[5] = BoolGetDatum(link->certain);
	values[6] = BoolGetDatum(link->correct);
	sdcpg_result_put(links->result, values, isnull);
}

void
sdcpg_links_prepare_sets(SdcLinks *links, const SdcFrameColumn *ids,
						 int32 rows, int32 max_candidates)
{
	links->ids = ids;
	links->max_candidates = Min(max_candidates, Max(rows, 1));
	links->candidate =
		sdc_new(&links->host->kernel, int32, links->max_candidates);
}

void
sdcpg_links_begin_record(SdcLinks *links, const char *id, int32 partner)
{
	sdcpg_links_step(links);
	links->id = id;
	links->partner = partner;
	links->has_partner = false;
	links->candidates = 0;
	links->named = 0;
}

static int
compare_rows(const void *a, const void *b)
{
	int32 x = *(const int32 *) a;
	int32 y = *(const int32 *) b;

	return x < y ? -1 : x > y;
}

/* Moves the largest row number of a heap down to its place. */
static void
sift_down(int32 *heap, int32 count)
{
	int32 row = heap[0];
	int32 hole = 0;
	int32 child;

	while ((child = 2 * hole + 1) < count)
	{
		if (child + 1 < count && heap[child + 1] > heap[child])
			child++;
		if (heap[child] <= row)
			break;
		heap[hole] = heap[child];
		hole = child;
	}
	heap[hole] = row;
}

/* Adds a row to the heap of the smallest ones; false when it is too large. */
static bool
keep_smallest(SdcLinks *links, int32 row)
{
	int32 *heap = links->candidate;
	int32 hole = links->named;

	if (links->named == links->max_candidates)
	{
		if (row > heap[0])
			return false;
		heap[0] = row;
		sift_down(heap, links->named);
		return true;
	}
	links->named++;
	while (hole > 0 && heap[(hole - 1) / 2] < row)
	{
		heap[hole] = heap[(hole - 1) / 2];
		hole = (hole - 1) / 2;
	}
	heap[hole] = row;
	return true;
}

void
sdcpg_links_add(SdcLinks *links, const int32 *row, int32 count)
{
	int32 i = 0;

	links->candidates += count;
	if (links->partner >= 0 && !links->has_partner)
		links->has_partner = bsearch(&links->partner, row, count,
									 sizeof(int32), compare_rows) != NULL;
	while (i < count && keep_smallest(links, row[i]))
		i++;
}

/* Appends one row for the present record; to is the linked row, or -1. */
static void
put_row(SdcLinks *links, int32 to, double probability, double distance,
		bool certain)
{
	SdcLink link;

	link.id = links->id;
	link.linked_id = to < 0 ? NULL : sdcpg_frame_text(links->ids, to);
	link.candidates = links->candidates;
	link.probability = probability;
	link.distance = links->candidates == 0 ? NAN : distance;
	link.certain = certain && links->candidates == 1;
	link.correct = to >= 0 && to == links->partner && links->candidates == 1;
	sdcpg_links_put(links, &link);
}

/* Returns the rows of a set that is too large to list. */
static void
put_cut_short(SdcLinks *links, double distance)
{
	double each = 1.0 / links->candidates;
	int32 left = links->max_candidates;
	int32 i;

	if (links->has_partner)
	{
		put_row(links, links->partner, each, distance, false);
		left--;
	}
	for (i = 0; i < links->named && left > 0; i++)
	{
		if (links->has_partner && links->candidate[i] == links->partner)
			continue;
		put_row(links, links->candidate[i], each, distance, false);
		left--;
	}
	put_row(links, -1,
			(double) (links->candidates - links->max_candidates) /
				links->candidates,
			distance, false);
}

void
sdcpg_links_end_record(SdcLinks *links, double distance, bool certain)
{
	int32 i;

	qsort(links->candidate, links->named, sizeof(int32), compare_rows);
	if (links->candidates == 0)
		put_row(links, -1, 1, distance, false);
	else if (links->candidates > links->max_candidates)
		put_cut_short(links, distance);
	else
		for (i = 0; i < links->named; i++)
			put_row(links, links->candidate[i], 1.0 / links->candidates,
					distance, certain);
}
