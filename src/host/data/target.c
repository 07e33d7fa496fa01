/*
 * target.c
 *		The argument "target": a new table that a query fills, and the rows of
 *		sdc.mask_step that say so.
 *
 * The name is resolved once, to a schema and a name in it, and written with
 * both from then on.  The statement runs under a copy of the snapshot of the
 * calling statement, the one that the rows were read with: a row that comes or
 * changes in between is in neither.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "nodes/makefuncs.h"
#include "portability/instr_time.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
#include "utils/varlena.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/error.h"
#include "host/server/host.h"
#include "host/server/progress.h"
#include "host/server/result.h"

pg_noreturn static void
name_is_taken(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_TABLE),
			 errmsg("relation \"%s\" already exists", name),
			 errhint("Argument \"target\" must name a table that does not "
					 "exist yet.")));
}

SdcTarget *
sdcpg_target_find(const text *name)
{
	SdcTarget *target = palloc0(sizeof(SdcTarget));
	RangeVar *parsed =
		makeRangeVarFromNameList(textToQualifiedNameList((text *) name));
	Oid existing;

	/* checks the right to create in the schema, and keeps it from going */
	target->schema =
		RangeVarGetAndCheckCreationNamespace(parsed, NoLock, &existing);
	if (OidIsValid(existing))
		name_is_taken(parsed->relname);
	target->name = parsed->relname;
	/* the number in the name of a temporary schema is nobody's business */
	target->sql = quote_qualified_identifier(
		isTempNamespace(target->schema) ? "pg_temp"
										: get_namespace_name(target->schema),
		target->name);
	return target;
}

bool
sdcpg_target_is_temporary(const text *name)
{
	return isAnyTempNamespace(RangeVarGetCreationNamespace(
		makeRangeVarFromNameList(textToQualifiedNameList((text *) name))));
}

void
sdcpg_target_need_all_rows(const SdcRelation *relation, bool allowed)
{
	if (relation->row_security && !allowed)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("row-level security hides rows of relation \"%s\"",
						relation->name),
				 errdetail("The result would hold, and be computed from, the "
						   "visible rows only."),
				 errhint("Run it as a role that sees all rows, or say "
						 "params => '{\"rls\": \"allow\"}'.")));
}

void
sdcpg_target_column(StringInfo sql, const SdcRelation *relation,
					const SdcRelationColumn *column, const char *condition)
{
	if (condition == NULL)
		appendStringInfo(sql, "r.%s", column->sql);
	else
		appendStringInfo(sql,
						 "CAST(CASE WHEN %s THEN NULL ELSE r.%s END AS %s) "
						 "AS %s",
						 condition, column->sql,
						 sdcpg_relation_base_type(relation, column),
						 column->sql);
}

List *
sdcpg_target_keys(const SdcRelationColumns *columns)
{
	List *names = NIL;
	int i;

	for (i = 0; i < columns->count; i++)
		names = lappend(names, columns->column[i].name);
	return names;
}

/* Is the n-th column, from 0, the first of its name, and in the list? */
static bool
is_first_listed(List *names, TupleDesc descriptor, int n)
{
	const char *name = NameStr(TupleDescAttr(descriptor, n)->attname);
	int i;

	for (i = 0; i < n; i++)
		if (strcmp(NameStr(TupleDescAttr(descriptor, i)->attname), name) == 0)
			return false;
	return sdcpg_params_is_listed(names, name);
}

SdcKeyForm
sdcpg_target_key_form(TupleDesc descriptor, int n, List *keys)
{
	Form_pg_attribute column = TupleDescAttr(descriptor, n);
	int32 modifier = column->atttypmod;
	Oid base = getBaseTypeAndTypmod(column->atttypid, &modifier);

	if (!is_first_listed(keys, descriptor, n) ||
		!sdcpg_equality_has_forms(base, modifier, column->attcollation))
		return SDC_KEY_AS_IT_IS;
	return base == FLOAT4OID || base == FLOAT8OID ? SDC_KEY_PLUS_ZERO
												  : SDC_KEY_FIRST;
}

/*
 * The n-th column of q as it is published.  concat calls the output function
 * of a type, where a cast might be somebody's.
 */
static void
append_shaped(StringInfo sql, Form_pg_attribute column, int n, SdcKeyForm form,
			  bool in_place)
{
	int32 modifier = column->atttypmod;
	Oid base = getBaseTypeAndTypmod(column->atttypid, &modifier);
	char *type = format_type_extended(in_place ? column->atttypid : base,
									  in_place ? column->atttypmod : modifier,
									  FORMAT_TYPE_TYPEMOD_GIVEN |
										  FORMAT_TYPE_FORCE_QUALIFY);

	if (form == SDC_KEY_AS_IT_IS)
		appendStringInfo(sql, "q.c%d", n);
	else if (form == SDC_KEY_PLUS_ZERO)
		appendStringInfo(sql,
						 "CAST(CAST(q.c%d AS %s) OPERATOR(pg_catalog.+) "
						 "CAST(0 AS %s) AS %s)",
						 n, format_type_be_qualified(base),
						 format_type_be_qualified(base), type);
	else
		appendStringInfo(sql,
						 "CAST(pg_catalog.first_value(q.c%d) OVER (PARTITION "
						 "BY q.c%d ORDER BY pg_catalog.concat(q.c%d) COLLATE "
						 "pg_catalog.\"C\") AS %s)",
						 n, n, n, type);
	appendStringInfo(sql, " AS %s",
					 quote_identifier(NameStr(column->attname)));
}

/* The columns that a SELECT returns. */
static TupleDesc
describe(const char *select, const SdcCatalogParameters *parameters)
{
	MemoryContext caller = CurrentMemoryContext;
	SPIPlanPtr plan;
	CachedPlanSource *source;
	TupleDesc descriptor;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	plan = sdcpg_catalog_prepare(select, parameters, 0);
	source = linitial(SPI_plan_get_plan_sources(plan));
	MemoryContextSwitchTo(caller);
	descriptor = CreateTupleDescCopy(source->resultDesc);
	SPI_finish();
	return descriptor;
}

#define RANDOM_ORDER "pg_catalog.gen_random_uuid()"

static char *
shape(const char *select, const SdcCatalogParameters *parameters, List *keys,
	  bool in_place, bool spread, const char *order)
{
	TupleDesc descriptor = describe(select, parameters);
	StringInfoData sql;
	bool fenced = false;
	int i;

	if (descriptor->natts == 0)
		return pstrdup(select);
	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (i = 0; i < descriptor->natts; i++)
	{
		SdcKeyForm form = sdcpg_target_key_form(descriptor, i, keys);

		appendStringInfoString(&sql, i > 0 ? ", " : "");
		append_shaped(&sql, TupleDescAttr(descriptor, i), i + 1, form,
					  in_place);
		/* a copy is sorted by such a key */
		if (form == SDC_KEY_FIRST && !in_place && order == NULL)
			order = RANDOM_ORDER;
		fenced = fenced || (spread && form == SDC_KEY_FIRST);
	}
	/* Citus would compute a key on two servers, and not get the same */
	appendStringInfo(&sql, " FROM (%s%s) AS q (", select,
					 fenced ? " OFFSET 0" : "");
	for (i = 0; i < descriptor->natts; i++)
		appendStringInfo(&sql, "%sc%d", i > 0 ? ", " : "", i + 1);
	appendStringInfoChar(&sql, ')');
	if (order != NULL)
		appendStringInfo(&sql, " ORDER BY %s", order);
	return sql.data;
}

char *
sdcpg_target_shape(const char *select, const SdcCatalogParameters *parameters,
				   List *keys, bool shuffled)
{
	return shape(select, parameters, keys, false, false,
				 shuffled ? NULL : RANDOM_ORDER);
}

/* Arguments that a function takes, less some. */
#define HASHED_COLUMNS 90

/*
 * What sorts q by the n-th column, from 0: by its own order, and as text where
 * it has none or equal values may differ.
 */
static void
append_sorted(StringInfo sql, TupleDesc descriptor, int n)
{
	Form_pg_attribute column = TupleDescAttr(descriptor, n);
	int32 modifier = column->atttypmod;
	Oid base = getBaseTypeAndTypmod(column->atttypid, &modifier);
	bool sorted =
		OidIsValid(lookup_type_cache(base, TYPECACHE_LT_OPR)->lt_opr);

	if (sql->len > 0)
		appendStringInfoString(sql, ", ");
	if (sorted)
		appendStringInfo(sql, "q.c%d", n + 1);
	if (!sorted ||
		sdcpg_equality_has_forms(base, modifier, column->attcollation))
		appendStringInfo(sql,
						 "%spg_catalog.concat(q.c%d) COLLATE "
						 "pg_catalog.\"C\"",
						 sorted ? ", " : "", n + 1);
}

/*
 * Which columns are sorted by their hash: none where one has keys whose equal
 * values get a common form, which their hash would tell apart.
 */
static Bitmapset *
hashed_columns(TupleDesc descriptor, List *keys, const SdcSortHint *hint)
{
	Bitmapset *hashed = NULL;
	int i;

	for (i = 0; i < descriptor->natts; i++)
	{
		if (sdcpg_target_key_form(descriptor, i, keys) != SDC_KEY_AS_IT_IS)
			return NULL;
		if (is_first_listed(hint->plain, descriptor, i))
			hashed = bms_add_member(hashed, i);
	}
	return bms_num_members(hashed) <= HASHED_COLUMNS ? hashed : NULL;
}

/* What sorts q by its content. */
static char *
content_order(TupleDesc descriptor, List *keys, const SdcSortHint *hint)
{
	List *enough = hint == NULL ? NIL : hint->enough;
	Bitmapset *done = NULL;
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	if (hint != NULL && hint->first != NULL)
	{
		List *first = list_make1((char *) hint->first);

		for (i = 0; i < descriptor->natts; i++)
			if (is_first_listed(first, descriptor, i))
			{
				append_sorted(&sql, descriptor, i);
				done = bms_add_member(done, i);
			}
	}
	else if (hint != NULL)
		done = hashed_columns(descriptor, keys, hint);
	if (done != NULL && sql.len == 0)
	{
		for (i = -1; (i = bms_next_member(done, i)) >= 0;)
			appendStringInfo(&sql, "%sq.c%d",
							 sql.len == 0 ? "sdc.content_hash(" : ", ", i + 1);
		appendStringInfoChar(&sql, ')');
	}
	for (i = 0; i < descriptor->natts; i++)
		if (!bms_is_member(i, done) &&
			(enough == NIL || is_first_listed(enough, descriptor, i)))
			append_sorted(&sql, descriptor, i);
	return sql.data;
}

char *
sdcpg_target_shape_sorted(const char *select,
						  const SdcCatalogParameters *parameters, List *keys,
						  const SdcSortHint *hint)
{
	return shape(select, parameters, keys, false, true,
				 content_order(describe(select, parameters), keys, hint));
}

char *
sdcpg_target_shape_in_place(const char *select,
							const SdcCatalogParameters *parameters, List *keys,
							bool random_order)
{
	return shape(select, parameters, keys, true, false,
				 random_order ? RANDOM_ORDER : NULL);
}

/* CREATE TABLE ... AS. */
static uint64
create_as(SdcPgHost *host, const SdcTarget *target, const char *select,
		  const SdcCatalogParameters *parameters)
{
	sdcpg_progress_stage(&host->progress, "writing");
	if (OidIsValid(get_relname_relid(target->name, target->schema)))
		name_is_taken(target->name);
	return sdcpg_catalog_run_as_seen(
		psprintf("CREATE %sTABLE %s AS %s",
				 sdcpg_catalog_is_hidden(target->name) &&
						 !isTempNamespace(target->schema)
					 ? "UNLOGGED "
					 : "",
				 target->sql, select),
		parameters);
}

uint64
sdcpg_target_create(SdcPgHost *host, SdcTarget *target, const char *select,
					const SdcCatalogParameters *parameters, List *keys)
{
	instr_time start;
	instr_time end;

	INSTR_TIME_SET_CURRENT(start);
	target->rows = (int64) create_as(
		host, target, sdcpg_target_shape(select, parameters, keys, false),
		parameters);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	target->seconds = INSTR_TIME_GET_DOUBLE(end);
	return (uint64) target->rows;
}

void
sdcpg_target_create_empty(SdcPgHost *host, const SdcTarget *target,
						  const char *select,
						  const SdcCatalogParameters *parameters)
{
	(void) create_as(host, target, psprintf("%s WITH NO DATA", select),
					 parameters);
}

SdcRelation *
sdcpg_target_open(const SdcTarget *target)
{
	CommandCounterIncrement();
	PushCopiedSnapshot(GetActiveSnapshot());
	UpdateActiveSnapshotCommandId();
	return sdcpg_relation_find(
		get_relname_relid(target->name, target->schema));
}

void
sdcpg_target_close(void)
{
	PopActiveSnapshot();
}

void
sdcpg_target_spread(const SdcTarget *target, const char *column,
					const char *with, int64 shards)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, target->sql);
	sdcpg_catalog_bind_text(&parameters, column);
	sdcpg_catalog_bind_text(&parameters, with);
	sdcpg_catalog_bind(&parameters, INT4OID, Int32GetDatum((int32) shards),
					   false);
	(void) sdcpg_catalog_run_as_seen(
		psprintf("SELECT pg_catalog.create_distributed_table("
				 "$1::pg_catalog.regclass, $2, colocate_with => $3%s)",
				 strcmp(with, "none") == 0 ? ", shard_count => $4" : ""),
		&parameters);
}

void
sdcpg_target_fill(SdcPgHost *host, SdcTarget *target, const char *select,
				  const SdcCatalogParameters *parameters, const char *column,
				  const char *with, int64 shards)
{
	sdcpg_target_create_empty(host, target, select, parameters);
	if (column != NULL)
		sdcpg_target_spread(target, column, with, shards);
	(void) sdcpg_target_open(target);
	target->rows = (int64) sdcpg_catalog_run_as_seen(
		psprintf("INSERT INTO %s %s", target->sql, select), parameters);
	sdcpg_target_close();
}

/* ----------------------------------------------------------------------
 * Rows of sdc.mask_step: what a function that writes a table has done.
 * ----------------------------------------------------------------------
 */

#define COLUMNS 10

static void
put_text(Datum *value, bool *isnull, int place, const char *text)
{
	isnull[place] = text == NULL;
	if (text != NULL)
		value[place] = CStringGetTextDatum(text);
}

static void
put_count(Datum *value, bool *isnull, int place, int64 count)
{
	isnull[place] = count < 0;
	value[place] = Int64GetDatum(count);
}

void
sdcpg_step_put(ReturnSetInfo *result, const SdcStep *step)
{
	Datum value[COLUMNS] = {0};
	bool isnull[COLUMNS] = {0};

	put_text(value, isnull, 0, step->step);
	put_text(value, isnull, 1, step->subject);
	put_text(value, isnull, 2, step->method);
	put_count(value, isnull, 3, step->rows);
	put_count(value, isnull, 4, step->changed);
	isnull[5] = step->seconds < 0;
	value[5] = Float8GetDatum(sdcpg_result_round(step->seconds));
	put_text(value, isnull, 6, step->detail);
	put_text(value, isnull, 7, step->sql);
	put_text(value, isnull, 8, step->measure);
	isnull[9] = isnan(step->value);
	value[9] = Float8GetDatum(sdcpg_result_round(step->value));
	sdcpg_result_put(result, value, isnull);
}

void
sdcpg_step_masked(ReturnSetInfo *result, const char *column,
				  const char *method, int64 rows, int64 changed,
				  const char *detail)
{
	SdcStep step = SDC_STEP("mask");

	step.subject = column;
	step.method = method;
	step.rows = rows;
	step.changed = changed;
	step.detail = detail;
	sdcpg_step_put(result, &step);
}

void
sdcpg_step_written(ReturnSetInfo *result, const SdcTarget *target)
{
	SdcStep step = SDC_STEP("write");

	step.subject = target->sql;
	step.rows = target->rows;
	step.seconds = target->seconds;
	sdcpg_step_put(result, &step);
}

void
sdcpg_step_measure(ReturnSetInfo *result, const char *measure,
				   const char *subject, double value, const char *format, ...)
{
	SdcStep step = SDC_STEP("measure");
	va_list args;

	step.subject = subject;
	step.measure = measure;
	step.value = value;
	va_start(args, format);
	step.detail = sdcpg_result_sentence(format, args);
	va_end(args);
	sdcpg_step_put(result, &step);
}
