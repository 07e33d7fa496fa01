/*
 * mask_write.c
 *		The rows of a plan, read once and handed to where they go.
 *
 * A masked column comes twice in each row, as it was and as it will be, so
 * that changes are counted without reading anything again.  They are compared
 * by their bytes: no operator of the user is called.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "pg/data/rows.h"
#include "pg/mask/mask_guard.h"
#include "pg/mask/mask_select.h"
#include "pg/mask/mask_write.h"
#include "pg/mask/owner.h"
#include "pg/server/compat.h"

/* Examples of each column. */
#define EXAMPLES 3

/* A column that is compared with what it was. */
typedef struct Pair
{
	int masked; /* places in the row */
	int original;
	int column; /* of the plan */
	bool byval;
	int16 length;
	FmgrInfo output; /* of the original */
	bool is_text;    /* the masked one */
	int examples;    /* that are wanted still */
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

/* Keeps what a value was and what it became. */
static void
keep_example(Writing *writing, Pair *pair, const Datum *values,
			 const bool *isnull)
{
	List **list = &writing->count->example[pair->column];
	const char *before = "NULL";
	const char *after = "NULL";
	MemoryContext scratch;

	pair->examples--;
	if (!isnull[pair->original])
		before = OutputFunctionCall(&pair->output, values[pair->original]);
	if (!isnull[pair->masked])
		after = pair->is_text
					? TextDatumGetCString(values[pair->masked])
					: OutputFunctionCall(&pair->output, values[pair->masked]);
	scratch = MemoryContextSwitchTo(writing->host->work);
	*list = lappend(*list, psprintf("%s becomes %s", before, after));
	MemoryContextSwitchTo(scratch);
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
	{
		Pair *pair = &writing->pair[i];

		if (is_same(pair, values, isnull))
			continue;
		writing->count->changed[pair->column]++;
		if (pair->examples > 0)
			keep_example(writing, pair, values, isnull);
	}
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
sdcpg_mask_count_new(const SdcMaskPlan *plan)
{
	SdcMaskCount *count = palloc0(sizeof(SdcMaskCount));
	int i;

	count->changed = palloc(sizeof(int64) * (plan->columns + 1));
	count->suppressed = palloc(sizeof(int64) * (plan->columns + 1));
	count->example = palloc0(sizeof(List *) * (plan->columns + 1));
	for (i = 0; i < plan->columns; i++)
		count->changed[i] = count->suppressed[i] = -1;
	return count;
}

/* Gets ready to run the SELECT of a plan. */
static void
prepare(Writing *writing, SdcMaskPlan *plan)
{
	writing->count = sdcpg_mask_count_new(plan);
	writing->count->sql = sdcpg_mask_select(plan, true);
	find_pairs(writing);
}

static void
run(void *arg)
{
	Writing *writing = arg;
	instr_time start;
	instr_time end;

	INSTR_TIME_SET_CURRENT(start);
	sdcpg_mask_guard(writing->plan->relation->name, receive, writing);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	writing->count->seconds = INSTR_TIME_GET_DOUBLE(end);
}

SdcMaskCount *
sdcpg_mask_write(SdcPgHost *host, SdcMaskPlan *plan, const SdcMaskTaker *taker)
{
	Writing writing = {host, plan, taker};

	prepare(&writing, plan);
	run(&writing);
	return writing.count;
}

/* May the caller see values of a column? */
static bool
may_read(const SdcMaskPlan *plan, const SdcMaskColumn *column)
{
	Oid table = plan->relation->oid;

	return pg_class_aclcheck(table, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		   pg_attribute_aclcheck(table, column->column.number, GetUserId(),
								 ACL_SELECT) == ACLCHECK_OK;
}

SdcMaskCount *
sdcpg_mask_preview(SdcPgHost *host, SdcMaskPlan *plan)
{
	Writing writing = {host, plan, NULL};
	int i;

	prepare(&writing, plan);
	for (i = 0; i < writing.pairs; i++)
		if (may_read(plan, &plan->column[writing.pair[i].column]))
			writing.pair[i].examples = EXAMPLES;
	if (plan->in_place)
		sdcpg_owner_run(plan->relation->oid, run, &writing);
	else
		run(&writing);
	return writing.count;
}

void
sdcpg_mask_write_again(SdcPgHost *host, SdcMaskPlan *plan, const char *sql,
					   const SdcMaskTaker *taker)
{
	Writing writing = {host, plan, taker};
	SdcMaskCount count = {0};

	count.sql = (char *) sql;
	writing.count = &count;
	sdcpg_mask_guard(plan->relation->name, receive, &writing);
}
