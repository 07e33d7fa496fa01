/*
 * mask_write.c
 *		The rows of a plan, read once and handed to where they go.
 *
 * A masked column comes twice in each row, as it was and as it will be, so
 * that changes are counted without reading anything again.  They are compared
 * by their bytes: no operator of the user is called.
 */
#include "postgres.h"

#include "portability/instr_time.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "pg/data/rows.h"
#include "pg/mask/mask_guard.h"
#include "pg/mask/mask_select.h"
#include "pg/mask/mask_write.h"
#include "pg/server/compat.h"

/* A column that is compared with what it was. */
typedef struct Pair
{
	int masked; /* places in the row */
	int original;
	int column; /* of the plan */
	bool byval;
	int16 length;
	FmgrInfo output; /* of the original, when the masked one is text */
	bool is_text;
} Pair;

typedef struct Writing
{
	SdcPgHost *host;
	SdcMaskPlan *plan;
	const SdcMaskTaker *taker;
	SdcMaskCount *count;
	int pairs;
	Pair *pair;
} Writing;

/* Learns where in a row the columns lie that are compared. */
static void
find_pairs(Writing *writing)
{
	SdcMaskPlan *plan = writing->plan;
	int place = plan->in_place ? 1 : 0;
	int i;

	writing->pair = palloc0(sizeof(Pair) * (plan->columns + 1));
	for (i = 0; i < plan->columns; i++)
	{
		SdcMaskColumn *column = &plan->column[i];
		Pair *pair = &writing->pair[writing->pairs];
		Oid output;
		bool is_varlena;

		writing->count->changed[i] = -1;
		if (!sdcpg_mask_select_has(plan, column))
			continue;
		place++;
		if (!sdcpg_mask_select_compares(column))
			continue;
		writing->count->changed[i] = 0;
		pair->masked = place - 1;
		pair->column = i;
		pair->is_text = column->is_text;
		get_typlenbyval(column->column.base, &pair->length, &pair->byval);
		getTypeOutputInfo(column->column.base, &output, &is_varlena);
		fmgr_info(output, &pair->output);
		writing->pairs++;
	}
	for (i = 0; i < writing->pairs; i++)
		writing->pair[i].original = place++;
}

static bool
is_same(Pair *pair, const Datum *values, const bool *isnull)
{
	Datum masked = values[pair->masked];
	Datum original = values[pair->original];

	if (isnull[pair->masked] || isnull[pair->original])
		return isnull[pair->masked] == isnull[pair->original];
	if (pair->is_text)
		return strcmp(TextDatumGetCString(masked),
					  OutputFunctionCall(&pair->output, original)) == 0;
	return datum_image_eq(masked, original, pair->byval, pair->length);
}

static void
start_rows(void *arg, TupleDesc descriptor)
{
}

static void
take_row(void *arg, TupleDesc descriptor, const Datum *values,
		 const bool *isnull)
{
	Writing *writing = arg;
	int i;

	writing->count->rows++;
	for (i = 0; i < writing->pairs; i++)
		if (!is_same(&writing->pair[i], values, isnull))
			writing->count->changed[writing->pair[i].column]++;
	if (writing->taker != NULL)
		writing->taker->take(writing->taker->arg, values, isnull);
}

static void
receive(void *arg)
{
	Writing *writing = arg;
	SdcRows rows = {start_rows, take_row, writing};

	sdcpg_rows_receive_bound(writing->host, writing->count->sql,
							 &writing->plan->parameters, &rows);
}

SdcMaskCount *
sdcpg_mask_write(SdcPgHost *host, SdcMaskPlan *plan, const SdcMaskTaker *taker)
{
	Writing writing = {host, plan, taker};
	SdcMaskCount *count = palloc0(sizeof(SdcMaskCount));
	instr_time start;
	instr_time end;

	INSTR_TIME_SET_CURRENT(start);
	writing.count = count;
	count->changed = palloc(sizeof(int64) * (plan->columns + 1));
	count->sql = sdcpg_mask_select(plan, true);
	find_pairs(&writing);
	sdcpg_mask_guard(plan->relation->name, receive, &writing);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	count->seconds = INSTR_TIME_GET_DOUBLE(end);
	return count;
}
