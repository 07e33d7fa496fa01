/*
 * record_swap.c
 *		sdc.record_swap: households at risk trade places with similar ones
 *		elsewhere.
 *
 * All columns become codes in the order of their values, so a seed gives the
 * same result whatever the order of the table.  Records without a household
 * are one each.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "host/call/params.h"
#include "host/data/column.h"
#include "host/data/window.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/mask/record_swap.h"

PG_FUNCTION_INFO_V1(sdcf_record_swap);

/* The partition as codes. */
typedef struct Partition
{
	SdcWindow *window;
	SdcHost *host;
	SdcRecordSwap swap;
	int32 *area[SDC_RECORD_SWAP_LEVELS];
	SdcColumn *place; /* its place, by record */
	uint64 digest;    /* of all columns */
	bool *stays;      /* by row, then by household */
} Partition;

/* The codes of an argument by row; NULL is -1. */
static int32 *
read_codes(Partition *partition, int argument)
{
	SdcWindow *window = partition->window;
	SdcColumn *column = sdcpg_window_column(window, argument);
	int32 *order = sdcpg_column_order(window->host, column);
	int32 distinct;
	int32 *rank = sdcpg_column_ranks(window->host, column, order, &distinct);
	int32 *code = sdc_new(partition->host, int32, window->rows + 1);
	int64 i;

	for (i = 0; i < window->rows; i++)
		code[i] = -1;
	for (i = 0; i < column->count; i++)
		code[sdcpg_column_place(column, i)] = rank[i];
	partition->digest = sdc_random_mix(
		partition->digest ^ sdcpg_column_digest(window->host, column, order));
	if (argument == 0)
		partition->place = column;
	return code;
}

/* The levels of a place as texts; stops unless there are as many as before. */
static void
take_apart(Partition *partition, Datum place, Datum **level, bool **isnull)
{
	ArrayType *array = DatumGetArrayTypeP(place);
	int levels;

	if (ARR_NDIM(array) != 1)
		levels = 0;
	else
		deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, level,
						  isnull, &levels);
	if (levels == 0 || levels > SDC_RECORD_SWAP_LEVELS ||
		(partition->swap.levels > 0 && partition->swap.levels != levels))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("places must all have the same number of levels, 1 "
						"to %d",
						SDC_RECORD_SWAP_LEVELS),
				 errhint("Write ARRAY[county, town], the coarsest first.")));
	partition->swap.levels = levels;
}

/* Is a level of the place NULL? */
static bool
has_null(const bool *isnull, int levels)
{
	int l;

	for (l = 0; l < levels; l++)
		if (isnull[l])
			return true;
	return false;
}

/*
 * The areas of each level by row.  Arrays are ordered by their elements from
 * the first on, so an area is a run of them.  A place with a NULL stays.
 */
static void
read_areas(Partition *partition, const int32 *place)
{
	SdcWindow *window = partition->window;
	SdcColumn *column = partition->place;
	int32 *order = sdcpg_column_order(window->host, column);
	int32 code[SDC_RECORD_SWAP_LEVELS] = {0};
	Datum *level[2] = {NULL, NULL};
	bool *isnull[2];
	int64 r;
	int32 i;
	int l;

	for (l = 0; l < SDC_RECORD_SWAP_LEVELS; l++)
	{
		partition->area[l] = sdc_new(partition->host, int32, window->rows + 1);
		/* of rows without a place: the last area */
		for (r = 0; r < window->rows; r++)
			partition->area[l][r] = PG_INT32_MAX;
	}
	for (r = 0; r < window->rows; r++)
		partition->stays[r] = true;
	for (i = 0; i < column->count; i++)
	{
		int32 row = sdcpg_column_place(column, order[i]);
		bool same = true;

		if (i % 1024 == 0)
			partition->host->poll(partition->host, i, column->count);
		if (i == 0 ||
			place[row] != place[sdcpg_column_place(column, order[i - 1])])
		{
			take_apart(partition, column->value[order[i]], &level[1],
					   &isnull[1]);
			for (l = 0; l < partition->swap.levels && level[0] != NULL; l++)
			{
				same = same && isnull[0][l] == isnull[1][l] &&
					   (isnull[0][l] || DatumGetInt32(DirectFunctionCall2Coll(
											bttextcmp, column->type.collation,
											level[0][l], level[1][l])) == 0);
				code[l] += !same;
			}
			level[0] = level[1];
			isnull[0] = isnull[1];
		}
		for (l = 0; l < partition->swap.levels; l++)
			partition->area[l][row] = code[l];
		partition->stays[row] = has_null(isnull[0], partition->swap.levels);
	}
}

/* Numbers the records without a household, in the order of their codes. */
static int32
number_alone(Partition *partition, int32 *household, int32 households,
			 const int32 *const *code, int codes)
{
	SdcHost *host = partition->host;
	int32 rows = (int32) partition->window->rows;
	uint64 *key = sdc_new(host, uint64, rows + 1);
	int32 *row = sdc_new(host, int32, rows + 1);
	int32 count = 0;
	int32 i;
	int c;

	for (i = 0; i < rows; i++)
		if (household[i] < 0)
			row[count++] = i;
	for (c = 0; c < codes; c++)
	{
		for (i = 0; i < count; i++)
			key[i] = (uint64) (code[c][row[i]] + 1);
		sdc_sort_keys(host, key, row, count);
	}
	for (i = 0; i < count; i++)
		household[row[i]] = households++;
	host->release(host, key);
	host->release(host, row);
	return households;
}

/*
 * Finds a member of each household, and stops where another one is elsewhere;
 * a household stays when its place does.
 */
static int32 *
find_heads(Partition *partition, const int32 *place)
{
	const SdcRecordSwap *swap = &partition->swap;
	int32 *head = sdc_new(partition->host, int32, swap->households + 1);
	bool *stays = sdc_new(partition->host, bool, swap->households + 1);
	int32 apart = 0;
	int32 i;

	for (i = 0; i < swap->households; i++)
		head[i] = -1;
	for (i = 0; i < swap->records; i++)
	{
		int32 *here = &head[swap->household[i]];

		if (*here < 0)
			*here = i;
		apart += place[*here] != place[i];
		stays[swap->household[i]] = partition->stays[i];
	}
	if (apart > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("members of a household are in different places"),
				 errdetail_plural("It is so for %d record.",
								  "It is so for %d records.", apart, apart),
				 errhint("Households move as a whole: name a column that is "
						 "the same for those of one place only.")));
	partition->stays = stays;
	return head;
}

/* Gives each row the place that its household has got. */
static void
put_places(Partition *partition, const int32 *head, const int32 *from)
{
	SdcWindow *window = partition->window;
	const SdcColumn *column = partition->place;
	Datum *place = sdc_new(partition->host, Datum, window->rows + 1);
	int32 i;

	for (i = 0; i < column->count; i++)
		place[sdcpg_column_place(column, i)] = column->value[i];
	for (i = 0; i < column->count; i++)
	{
		int32 row = sdcpg_column_place(column, i);

		sdcpg_window_put(window, row,
						 place[head[from[partition->swap.household[row]]]]);
	}
}

static void
tell_counts(SdcWindow *window, const SdcRecordSwapCounts *counts)
{
	window->unchanged = counts->moved == 0;
	if (counts->left > 0)
		ereport(NOTICE,
				(errmsg("%d of %d households at risk have no partner",
						counts->left, counts->at_risk),
				 errdetail("A partner is of the same size and match columns, "
						   "in another area."),
				 errhint("Match by fewer columns, or coarser ones.")));
}

static void
record_swap(SdcWindow *window)
{
	SdcHost *host = &window->host->kernel;
	double p = sdcpg_window_float8(window, 4, "p");
	Partition partition = {.window = window,
						   .host = host,
						   .swap = {.records = (int32) window->rows,
									.k = sdcpg_window_int32(window, 5, "k"),
									.share = p / 100},
						   .stays = sdc_new(host, bool, window->rows + 1)};
	int32 *place;
	int32 *household;
	int32 *code[3];
	int32 *head;
	int32 *from;
	int32 households = 0;
	SdcRecordSwapCounts counts;
	SdcRandom random;
	int64 i;

	sdcpg_args_range("p", p, 0, 100);
	sdcpg_args_range("k", partition.swap.k, 0, PG_INT32_MAX);
	place = read_codes(&partition, 0);
	household = read_codes(&partition, 1);
	code[0] = read_codes(&partition, 3);
	code[1] = read_codes(&partition, 2);
	code[2] = place;
	read_areas(&partition, place);
	if (partition.swap.levels == 0)
		return;
	for (i = 0; i < window->rows; i++)
	{
		households = Max(households, household[i] + 1);
		/* a NULL is a value like another one */
		code[0][i]++;
		code[1][i]++;
	}
	partition.swap.households = number_alone(&partition, household, households,
											 (const int32 *const *) code, 3);
	partition.swap.household = household;
	partition.swap.area = (const int32 *const *) partition.area;
	partition.swap.match = code[0];
	partition.swap.risk = code[1];
	head = find_heads(&partition, place);
	partition.swap.stays = partition.stays;
	sdcpg_window_random(window, 6, &random, partition.digest);
	from = sdc_new(host, int32, partition.swap.households + 1);
	counts = sdc_record_swap(host, &partition.swap, &random, from);
	put_places(&partition, head, from);
	tell_counts(window, &counts);
}

/*
 * record_swap(place text[], household text, risk text[], match text[],
 *			   p float8, k int, seed bigint) OVER w
 */
Datum
sdcf_record_swap(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "record_swap", 4, record_swap);
}
