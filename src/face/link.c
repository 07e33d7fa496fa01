/*
 * link.c
 *		sdc.attack_distance: who is nearest to whom.
 *
 * A record is linked to the whole set of records that are equally near, each
 * with the same probability; a set too large to list is cut short and the
 * rest of the probability is given in one row without a name.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "pg/call/args.h"
#include "pg/server/compat.h"
#include "pg/disclosure/linkage.h"
#include "pg/call/params.h"
#include "pg/server/result.h"

PG_FUNCTION_INFO_V1(sdcf_attack_distance);

static const char *const methods[] = {"euclidean", NULL};
static const char *const keys_of_params[] = {"direction", "max_candidates",
											 NULL};
static const char *const directions[] = {"to_masked", "to_original", NULL};

#define MAX_CANDIDATES_DEFAULT 100
#define MAX_CANDIDATES_LIMIT   1000000

/* Records between two polls while rows are returned. */
#define POLL_RECORDS 256

/* The rows that are being returned, and what the present record has. */
typedef struct Emission
{
	const SdcLinkage *linkage;
	ReturnSetInfo *result;
	MemoryContext scratch;
	SdcLinkSearch *search;
	int32 max_candidates;
	int64 size; /* equally near records */
	double distance;
	int32 count; /* of them in candidate[], the first by id */
	int32 *candidate;
} Emission;

static int
compare_rows(const void *a, const void *b)
{
	int32 x = *(const int32 *) a;
	int32 y = *(const int32 *) b;

	return x < y ? -1 : x > y;
}

/* Appends one row for a record; to is the linked row, or -1. */
static void
put_row(Emission *emission, int32 from, int32 to, double probability)
{
	const SdcLinkage *linkage = emission->linkage;
	bool linked = emission->size > 0;
	bool right = to >= 0 && to == linkage->partner[from];
	Datum values[7];
	bool isnull[7] = {false, to < 0, false, false, !linked, false, false};

	values[0] = CStringGetTextDatum(
		sdcpg_frame_text(&linkage->from.frame->column[0], from));
	values[1] = to < 0 ? (Datum) 0
					   : CStringGetTextDatum(sdcpg_frame_text(
							 &linkage->to.frame->column[0], to));
	values[2] = Int64GetDatum(emission->size);
	values[3] = Float8GetDatum(probability);
	values[4] = Float8GetDatum(emission->distance);
	values[5] = BoolGetDatum(false);
	values[6] = BoolGetDatum(right && emission->size == 1);
	sdcpg_result_put(emission->result, values, isnull);
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
keep_smallest(Emission *emission, int32 row)
{
	int32 *heap = emission->candidate;
	int32 hole = emission->count;

	if (emission->count == emission->max_candidates)
	{
		if (row > heap[0])
			return false;
		heap[0] = row;
		sift_down(heap, emission->count);
		return true;
	}
	emission->count++;
	while (hole > 0 && heap[(hole - 1) / 2] < row)
	{
		heap[hole] = heap[(hole - 1) / 2];
		hole = (hole - 1) / 2;
	}
	heap[hole] = row;
	return true;
}

/* Collects the records at the nearest points of a record's point. */
static void
collect_candidates(Emission *emission, int32 point)
{
	const SdcLinkage *linkage = emission->linkage;
	const SdcLinkFile *to = &linkage->to.file;
	const SdcLinkHit *hit = &linkage->hit[point];
	const int32 *nearest = hit->point;
	int32 i;

	if (hit->count > SDC_LINK_KEPT)
	{
		sdc_link_search_run(emission->search,
							linkage->from.file.coordinate +
								(Size) point * linkage->from.file.columns);
		nearest = emission->search->point;
	}
	for (i = 0; i < hit->count; i++)
	{
		int32 first = to->first[nearest[i]];
		int32 end = to->first[nearest[i] + 1];

		emission->size += end - first;
		while (first < end && keep_smallest(emission, to->member[first]))
			first++;
	}
	emission->distance = sqrt(hit->smallest / to->columns);
	qsort(emission->candidate, emission->count, sizeof(int32), compare_rows);
}

/* Is the row with the record's id equally near as the candidates? */
static bool
has_partner(const Emission *emission, int32 from, int32 point)
{
	const SdcLinkage *linkage = emission->linkage;
	const SdcLinkHit *hit = &linkage->hit[point];
	const int32 *nearest =
		hit->count > SDC_LINK_KEPT ? emission->search->point : hit->point;
	int32 partner = linkage->partner[from];
	int32 i;

	if (partner < 0)
		return false;
	for (i = 0; i < hit->count; i++)
		if (nearest[i] == linkage->to.file.point[partner])
			return true;
	return false;
}

/* Returns the rows of a set that is too large to list. */
static void
put_cut_short(Emission *emission, int32 from, int32 point)
{
	int32 partner = emission->linkage->partner[from];
	double each = 1.0 / emission->size;
	int32 left = emission->max_candidates;
	int32 i;

	if (has_partner(emission, from, point))
	{
		put_row(emission, from, partner, each);
		left--;
	}
	else
		partner = -1;
	for (i = 0; i < emission->count && left > 0; i++)
	{
		if (emission->candidate[i] == partner)
			continue;
		put_row(emission, from, emission->candidate[i], each);
		left--;
	}
	put_row(emission, from, -1,
			(double) (emission->size - emission->max_candidates) /
				emission->size);
}

/* Returns the rows of one record. */
static void
put_record(Emission *emission, int32 from)
{
	const SdcLinkage *linkage = emission->linkage;
	int32 point = linkage->from.file.point[from];
	int32 i;

	emission->size = 0;
	emission->count = 0;
	emission->distance = 0;
	if (point < 0 || linkage->hit == NULL)
	{
		put_row(emission, from, -1, 1);
		return;
	}
	collect_candidates(emission, point);
	if (emission->size > emission->max_candidates)
	{
		put_cut_short(emission, from, point);
		return;
	}
	for (i = 0; i < emission->count; i++)
		put_row(emission, from, emission->candidate[i], 1.0 / emission->size);
}

static void
put_records(const SdcLinkage *linkage, ReturnSetInfo *result,
			int32 max_candidates)
{
	SdcHost *host = &linkage->host->kernel;
	int32 records = linkage->from.file.rows;
	Emission emission;
	MemoryContext caller;
	int32 i;

	memset(&emission, 0, sizeof(emission));
	emission.linkage = linkage;
	emission.result = result;
	emission.max_candidates =
		Min(max_candidates, Max(linkage->to.file.rows, 1));
	emission.candidate = sdc_new(host, int32, emission.max_candidates);
	if (linkage->hit != NULL)
		emission.search = sdc_link_search_create(host, &linkage->index);
	emission.scratch = AllocSetContextCreate(linkage->host->work, "sdc result",
											 ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(emission.scratch);
	host->stage(host, "returning links");
	for (i = 0; i < records; i++)
	{
		if (i % POLL_RECORDS == 0)
		{
			MemoryContextReset(emission.scratch);
			host->poll(host, i, records);
		}
		put_record(&emission, i);
	}
	MemoryContextSwitchTo(caller);
}

/* Stops unless the arguments that must be given are. */
static void
check_arguments(FunctionCallInfo fcinfo)
{
	static const char *const names[] = {"original", "masked", "id", "keys",
										"method"};
	int i;

	for (i = 0; i < lengthof(names); i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(names[i]);
	sdcpg_args_choice("method", PG_GETARG_TEXT_PP(4), methods);
}

/*
 * attack_distance(original regclass, masked regclass, id name, keys name[],
 *                 method text, params jsonb, seed bigint)
 */
Datum
sdcf_attack_distance(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	SdcLinkage linkage;
	SdcPgHost *host;
	int32 max_candidates;
	bool to_original;

	check_arguments(fcinfo);
	sdcpg_params_check(params, keys_of_params);
	to_original = sdcpg_params_choice(params, "direction", directions) == 1;
	max_candidates =
		sdcpg_params_integer(params, "max_candidates", MAX_CANDIDATES_DEFAULT,
							 1, MAX_CANDIDATES_LIMIT);
	host = sdcpg_host_begin("attack_distance", CurrentMemoryContext);
	sdcpg_linkage_run(&linkage, host, PG_GETARG_OID(to_original ? 1 : 0),
					  PG_GETARG_OID(to_original ? 0 : 1),
					  NameStr(*PG_GETARG_NAME(2)), PG_GETARG_ARRAYTYPE_P(3));
	put_records(&linkage, result, max_candidates);
	sdcpg_linkage_end(&linkage);
	sdcpg_host_end(host);
	return (Datum) 0;
}
