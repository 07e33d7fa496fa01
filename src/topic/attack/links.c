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

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/heap.h"
#include "kernel/base/host.h"
#include "kernel/linear/moments.h"
#include "kernel/linkage/class_items.h"
#include "topic/attack/links.h"

/* ----------------------------------------------------------------------
 * The rows of sdc.link, which every attack returns.
 * ----------------------------------------------------------------------
 */

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

static bool
is_greater(const void *of, int32 a, int32 b)
{
	(void) of;
	return a > b;
}

/* The smallest rows: the greatest of them on top. */
SDC_HEAP(smallest, int32, const void *, is_greater)

void
sdcpg_links_add(SdcLinks *links, const int32 *row, int32 count)
{
	int32 i = 0;

	links->candidates += count;
	if (links->partner >= 0 && !links->has_partner)
		links->has_partner = bsearch(&links->partner, row, count,
									 sizeof(int32), compare_rows) != NULL;
	while (i < count && smallest_offer(NULL, links->candidate, &links->named,
									   links->max_candidates, row[i]))
		i++;
}

void
sdcpg_links_add_first(SdcLinks *links, const int32 *row, int32 count,
					  int64 candidates, bool has_partner)
{
	int32 i = 0;

	links->candidates += candidates;
	links->has_partner |= has_partner;
	while (i < count && smallest_offer(NULL, links->candidate, &links->named,
									   links->max_candidates, row[i]))
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

/* ----------------------------------------------------------------------
 * Rows of sdc.link for candidates that are not equally likely.
 *
 * The likeliest are named first, so that a list that is cut short loses least.
 * ----------------------------------------------------------------------
 */

/* Appends the row of one candidate. */
static double
put_candidate(SdcLinks *links, const char *id, const SdcItemSet *set,
			  int32 place, double total, int32 own, bool certain,
			  const char *name)
{
	SdcLink link = {id, name, set->items};

	link.probability = set->weight[place] / total;
	link.distance = get_float8_nan();
	link.certain = certain && set->items == 1;
	link.correct = set->items == 1 && set->item[place] == own;
	sdcpg_links_put(links, &link);
	return link.probability;
}

/* Appends the row without a name. */
static void
put_rest(SdcLinks *links, const char *id, int32 candidates, double rest)
{
	SdcLink link = {id, NULL, candidates};

	link.probability = rest;
	link.distance = get_float8_nan();
	sdcpg_links_put(links, &link);
}

void
sdcpg_weighted_links_put(SdcLinks *links, const char *id, SdcItemSet *set,
						 int32 max_candidates, int32 own, bool certain,
						 SdcItemName name, void *arg)
{
	double total = 0;
	double rest = 1;
	int32 named = Min(set->items, max_candidates);
	int32 own_place = -1;
	int32 i;

	sdc_class_items_rank(&links->host->kernel, set);
	for (i = 0; i < set->items; i++)
	{
		total += set->weight[i];
		if (set->item[i] == own)
			own_place = i;
	}
	/* the right one takes the place of the last that would be named */
	if (own_place >= named)
		named--;
	for (i = 0; i < named; i++)
		rest -= put_candidate(links, id, set, i, total, own, certain,
							  name(arg, set->item[i]));
	if (own_place >= named)
		rest -= put_candidate(links, id, set, own_place, total, own, certain,
							  name(arg, set->item[own_place]));
	if (set->items == 0 || set->items > max_candidates)
		put_rest(links, id, set->items, rest);
}

/* ----------------------------------------------------------------------
 * sdc.reid: how many records an attack has found.
 *
 * Reid_d counts unique right links, Reid_k adds up the probability given to
 * the right record, K.Reid counts the links that are right and that the
 * intruder knows to be right (Torra 2024).
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_reid_accum);
PG_FUNCTION_INFO_V1(sdcf_reid_combine);
PG_FUNCTION_INFO_V1(sdcf_reid_final);

/* What the state holds: doubles and nothing else. */
typedef struct State
{
	SdcExactSum probability; /* of all links: 1 for each record */
	SdcExactSum right;       /* probability of right links */
	double unique_right;     /* records */
	double certain_right;    /* records */
	double certain;          /* records */
} State;

#define STATES ((int) (sizeof(State) / sizeof(double)))

/* The columns of sdc.link, in order. */
typedef enum Column
{
	ID,
	LINKED_ID,
	CANDIDATES,
	LINK_PROBABILITY,
	DISTANCE,
	LINK_CERTAIN,
	CORRECT,
	COLUMNS
} Column;

/* Takes a link apart. */
static void
deform_link(HeapTupleHeader header, Datum *values, bool *isnull)
{
	TupleDesc descriptor = lookup_rowtype_tupdesc(
		HeapTupleHeaderGetTypeId(header), HeapTupleHeaderGetTypMod(header));
	HeapTupleData tuple;

	if (descriptor->natts != COLUMNS)
		elog(ERROR, "sdc.link has %d columns", descriptor->natts);
	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = header;
	heap_deform_tuple(&tuple, descriptor, values, isnull);
	ReleaseTupleDesc(descriptor);
}

/* Is the link to the record itself? */
static bool
is_right(const Datum *values, const bool *isnull)
{
	text *id;
	text *linked;

	if (isnull[ID] || isnull[LINKED_ID])
		return false;
	id = DatumGetTextPP(values[ID]);
	linked = DatumGetTextPP(values[LINKED_ID]);
	return VARSIZE_ANY_EXHDR(id) == VARSIZE_ANY_EXHDR(linked) &&
		   memcmp(VARDATA_ANY(id), VARDATA_ANY(linked),
				  VARSIZE_ANY_EXHDR(id)) == 0;
}

/* A state may come from anybody who calls these functions by himself. */
static const State *
check(const State *state)
{
	sdcpg_state_need(sdc_exact_valid(&state->probability) &&
					 sdc_exact_valid(&state->right));
	return state;
}

/* reid_accum(state float8[], links sdc.link) */
Datum
sdcf_reid_accum(PG_FUNCTION_ARGS)
{
	State *state = (State *) sdcpg_state_change(fcinfo, 0, STATES);
	Datum values[COLUMNS];
	bool isnull[COLUMNS];
	double probability;
	bool certain;
	bool correct;

	(void) check(state);
	deform_link(PG_GETARG_HEAPTUPLEHEADER(1), values, isnull);
	probability = isnull[LINK_PROBABILITY]
					  ? 0
					  : DatumGetFloat8(values[LINK_PROBABILITY]);
	if (!(probability >= 0 && probability <= 1))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("probability of a link must lie between 0 and "
							   "1")));
	certain = !isnull[LINK_CERTAIN] && DatumGetBool(values[LINK_CERTAIN]);
	correct = !isnull[CORRECT] && DatumGetBool(values[CORRECT]);
	sdc_exact_add(&state->probability, probability);
	/* what is linked need not be a record: see attack_composition */
	if (correct || is_right(values, isnull))
		sdc_exact_add(&state->right, probability);
	state->unique_right += correct;
	state->certain += certain;
	state->certain_right += certain && correct;
	return sdcpg_state_datum((double *) state);
}

/* reid_combine(state float8[], other float8[]) */
Datum
sdcf_reid_combine(PG_FUNCTION_ARGS)
{
	State *state = (State *) sdcpg_state_change(fcinfo, 0, STATES);
	const State *other =
		check((const State *) sdcpg_state_read(fcinfo, 1, STATES));

	(void) check(state);
	sdc_exact_merge(&state->probability, &other->probability);
	sdc_exact_merge(&state->right, &other->right);
	state->unique_right += other->unique_right;
	state->certain += other->certain;
	state->certain_right += other->certain_right;
	return sdcpg_state_datum((double *) state);
}

/* reid_final(state float8[]) */
Datum
sdcf_reid_final(PG_FUNCTION_ARGS)
{
	const State *state =
		check((const State *) sdcpg_state_read(fcinfo, 0, STATES));
	double records = rint(sdc_exact_total(&state->probability));
	bool none = records == 0;
	TupleDesc descriptor;
	Datum values[6];
	bool isnull[6] = {false, none, none, none, none, state->certain == 0};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = Int64GetDatum((int64) records);
	values[1] = Float8GetDatum(state->unique_right / records);
	values[2] = Float8GetDatum(sdc_exact_total(&state->right) / records);
	values[3] = Float8GetDatum(state->certain_right / records);
	values[4] = Float8GetDatum(state->certain / records);
	values[5] = Float8GetDatum(state->certain_right / state->certain);
	return HeapTupleGetDatum(
		heap_form_tuple(BlessTupleDesc(descriptor), values, isnull));
}
