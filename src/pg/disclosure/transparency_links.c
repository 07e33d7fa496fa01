/*
 * transparency_links.c
 *		The rows of an attack that knows the rules.
 *
 * The candidates to be named are kept in a heap with the worst on top.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "pg/disclosure/links.h"
#include "pg/disclosure/transparency_links.h"
#include "pg/server/compat.h"
#include "pg/server/result.h"

/* Records between two polls while rows are returned. */
#define POLL_RECORDS 256

/* The rows that are being returned. */
typedef struct Emission
{
	SdcTransparency *transparency;
	SdcLinks links;
	SdcTransparencyRecord record;
	int32 max_candidates;
	int32 named;
	int32 *place; /* of the candidates that are named */
	int32 empty;  /* records without candidate */
} Emission;

/* Is candidate a worse than b?  Equally good ones are in the order of ids. */
static bool
is_worse(const SdcTransparencyRecord *record, int32 a, int32 b)
{
	if (record->cost[a] != record->cost[b])
		return record->cost[a] > record->cost[b];
	return record->row[a] > record->row[b];
}

/* Moves the first candidate of a heap of count down to its place. */
static void
sift_down(const SdcTransparencyRecord *record, int32 *heap, int32 count)
{
	int32 moved = heap[0];
	int32 hole = 0;
	int32 child;

	while ((child = 2 * hole + 1) < count)
	{
		if (child + 1 < count &&
			is_worse(record, heap[child + 1], heap[child]))
			child++;
		if (!is_worse(record, heap[child], moved))
			break;
		heap[hole] = heap[child];
		hole = child;
	}
	heap[hole] = moved;
}

static void
add_candidate(Emission *emission, int32 t)
{
	const SdcTransparencyRecord *record = &emission->record;
	int32 *heap = emission->place;
	int32 hole = emission->named;

	if (emission->named == emission->max_candidates)
	{
		if (!is_worse(record, heap[0], t))
			return;
		heap[0] = t;
		sift_down(record, heap, emission->named);
		return;
	}
	emission->named++;
	while (hole > 0 && is_worse(record, t, heap[(hole - 1) / 2]))
	{
		heap[hole] = heap[(hole - 1) / 2];
		hole = (hole - 1) / 2;
	}
	heap[hole] = t;
}

/* Puts the heap in order, the best first. */
static void
sort_heap(Emission *emission)
{
	int32 *heap = emission->place;
	int32 left;

	for (left = emission->named - 1; left > 0; left--)
	{
		int32 worst = heap[0];

		heap[0] = heap[left];
		heap[left] = worst;
		sift_down(&emission->record, heap, left);
	}
}

/* Chooses who is named; the right one, if it is a candidate, always is. */
static void
choose(Emission *emission, int32 partner)
{
	const SdcTransparencyRecord *record = &emission->record;
	int32 own = -1;
	int32 t;

	emission->named = 0;
	for (t = 0; t < record->candidates; t++)
	{
		if (record->row[t] == partner)
			own = t;
		add_candidate(emission, t);
	}
	sort_heap(emission);
	if (own < 0)
		return;
	for (t = 0; t < emission->named; t++)
		if (emission->place[t] == own)
			return;
	emission->place[emission->named - 1] = own;
}

static void
put_record(Emission *emission, int32 i)
{
	SdcTransparency *transparency = emission->transparency;
	const SdcTransparencyRecord *record = &emission->record;
	int32 partner = transparency->partner[i];
	int columns = transparency->score.columns;
	double rest = 1;
	SdcLink link = {0};
	int32 k;

	link.id = sdcpg_frame_text(&transparency->original.frame->column[0], i);
	link.candidates = record->candidates;
	choose(emission, partner);
	for (k = 0; k < emission->named; k++)
	{
		int32 t = emission->place[k];

		link.linked_id = sdcpg_frame_text(
			&transparency->masked.frame->column[0], record->row[t]);
		link.probability = record->probability[t] * transparency->share;
		link.distance =
			columns == 0 ? NAN : sqrt(record->squared[t] / columns);
		link.certain = record->certain;
		link.correct = record->row[t] == partner &&
					   sdcpg_transparency_links_to(record, partner);
		rest -= link.probability;
		sdcpg_links_put(&emission->links, &link);
	}
	if (emission->named == record->candidates && record->candidates > 0 &&
		!transparency->sampled)
		return;
	link.linked_id = NULL;
	link.probability = Max(rest, 0);
	link.distance = NAN;
	link.certain = link.correct = false;
	sdcpg_links_put(&emission->links, &link);
}

/* Tells of records that cannot have become anything. */
static void
tell_empty(const Emission *emission)
{
	if (emission->empty > 0)
		ereport(NOTICE,
				(errmsg("%d of %d records have no candidate", emission->empty,
						emission->transparency->original.frame->rows),
				 errdetail("They are not in the masked relation, or it was "
						   "not masked by these rules: a bound on p may be "
						   "too low.")));
}

void
sdcpg_transparency_put_links(SdcTransparency *transparency,
							 ReturnSetInfo *result, int32 max_candidates)
{
	SdcHost *host = &transparency->host->kernel;
	int32 rows = transparency->original.frame->rows;
	Emission emission;
	int32 i;

	memset(&emission, 0, sizeof(emission));
	emission.transparency = transparency;
	emission.max_candidates =
		Min(max_candidates, Max(transparency->masked.frame->rows, 1));
	emission.place = sdc_new(host, int32, emission.max_candidates);
	sdcpg_links_begin(&emission.links, transparency->host, result, rows);
	for (i = 0; i < rows; i++)
	{
		sdcpg_links_step(&emission.links);
		sdcpg_transparency_record(transparency, i, &emission.record);
		emission.empty += emission.record.candidates == 0;
		put_record(&emission, i);
	}
	sdcpg_links_end(&emission.links);
	tell_empty(&emission);
}

/* One row of sdc.candidate_set; own is -1 when that cannot be said. */
static void
put_set(ReturnSetInfo *result, const char *id, const char *subject,
		const char *method, int64 candidates, int own, bool exact)
{
	Datum values[6];
	bool isnull[6] = {false, false, method == NULL, false, own < 0, false};

	values[0] = CStringGetTextDatum(id);
	values[1] = CStringGetTextDatum(subject);
	values[2] = method == NULL ? (Datum) 0 : CStringGetTextDatum(method);
	values[3] = Int64GetDatum(candidates);
	values[4] = BoolGetDatum(own > 0);
	values[5] = BoolGetDatum(exact);
	sdcpg_result_put(result, values, isnull);
}

/* The rows of one record. */
static void
put_sets(SdcTransparency *transparency, ReturnSetInfo *result, int32 i)
{
	const char *id =
		sdcpg_frame_text(&transparency->original.frame->column[0], i);
	SdcCandidateSearch *search = transparency->search;
	int32 partner = transparency->partner[i];
	int own = partner < 0 ? -1 : 0;
	int32 t;
	int j;

	for (j = 0; j < transparency->parts; j++)
	{
		const SdcTransparencyPart *part = &transparency->part[j];

		put_set(result, id, part->subject,
				part->rule == NULL ? NULL : part->rule->method->name,
				sdc_candidate_set_size(&part->set, i),
				partner < 0 ? -1
							: sdc_candidate_set_has(&part->set, i, partner),
				part->exact);
	}
	sdc_candidate_search_run(search, i, transparency->masked.frame->rows);
	for (t = 0; t < search->count; t++)
		if (search->row[t] == partner)
			own = 1;
	put_set(result, id, "*", NULL, search->count, own,
			transparency->all_exact && !transparency->sampled);
}

void
sdcpg_transparency_put_sets(SdcTransparency *transparency,
							ReturnSetInfo *result)
{
	SdcHost *host = &transparency->host->kernel;
	int32 rows = transparency->original.frame->rows;
	MemoryContext scratch = AllocSetContextCreate(
		transparency->host->work, "sdc sets", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	int32 i;

	host->stage(host, "returning sets");
	for (i = 0; i < rows; i++)
	{
		if (i % POLL_RECORDS == 0)
		{
			MemoryContextReset(scratch);
			host->poll(host, i, rows);
		}
		put_sets(transparency, result, i);
	}
	MemoryContextSwitchTo(caller);
}
