/*
 * suggestion.c
 *		sdc.suggest: roles for columns that have none; sdc.separation: which
 *		columns tell records apart.
 *
 * One scan, with the rights of the caller, leaves a number of 64 bits of each
 * value of each column; sorted, they tell how many records share a value.
 * Columns whose type has no such number, and all when there is no memory for
 * one, are counted by PostgreSQL, one after the other.  The kernel makes a
 * guess from the counts, the name and the type.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/data/frequency.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/risk/separation.h"
#include "topic/registry/roles.h"
#include "topic/risk/risk.h"

PG_FUNCTION_INFO_V1(sdcf_suggest);

static const char *const params_keys[] = {"values", NULL};
static const char *const values_choices[] = {"count", "skip", NULL};

static SdcSuggestionType
suggestion_type(Oid base)
{
	switch (base)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return SDC_SUGGESTION_INTEGER;
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case CASHOID:
			return SDC_SUGGESTION_REAL;
		case DATEOID:
		case TIMEOID:
		case TIMETZOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return SDC_SUGGESTION_DATE;
		case BOOLOID:
			return SDC_SUGGESTION_BOOLEAN;
		case UUIDOID:
		case INETOID:
		case CIDROID:
		case MACADDROID:
		case MACADDR8OID:
			return SDC_SUGGESTION_ADDRESS;
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case CHAROID:
		case NAMEOID:
			return SDC_SUGGESTION_TEXT;
		case POINTOID:
			return SDC_SUGGESTION_PLACE;
		default:
			return type_is_enum(base) ? SDC_SUGGESTION_TEXT
									  : SDC_SUGGESTION_OTHER;
	}
}

/* ----------------------------------------------------------------------
 * Records that share a value, counted for many columns in one scan.
 *
 * Numbers, dates and the like are their own numbers, so equal ones are equal
 * values; of other values it is the hash of their type, of which two values in
 * 2^64 share one.
 * ----------------------------------------------------------------------
 */

/* Bytes of each row while a column is sorted. */
#define SORT_BYTES (sizeof(uint64) * 2 + sizeof(int32) * 3)

/* A column that is scanned. */
typedef struct Scanned
{
	const SdcRelationColumn *column;
	SdcColumnType type;
	FmgrInfo *hash; /* NULL: the value is its own number */
	uint64 *key;    /* of the values that are not NULL */
	int64 values;
	SdcSeparation *counts;
} Scanned;

typedef struct ColumnScan
{
	SdcPgHost *host;
	int columns;
	Scanned *column;
	int64 rows;
	int64 room;
} ColumnScan;

/* The same number for equal values. */
static uint64
key_of(const Scanned *column, Datum value)
{
	double number;
	uint64 bits;

	if (column->hash != NULL)
		return DatumGetUInt64(FunctionCall2Coll(
			column->hash, column->type.collation, value, Int64GetDatum(0)));
	if (column->type.kind != SDC_COLUMN_FLOAT)
		return sdcpg_column_bits(&column->type, value);
	number = column->type.base == FLOAT4OID ? DatumGetFloat4(value)
											: DatumGetFloat8(value);
	/* one zero, one NaN */
	number = isnan(number) ? get_float8_nan() : number + 0.0;
	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

/* The collations are those of the columns, not of their types. */
static void
start_rows(void *arg, TupleDesc descriptor)
{
	ColumnScan *scan = arg;
	int i;

	for (i = 0; i < scan->columns; i++)
		scan->column[i].type.collation =
			TupleDescAttr(descriptor, i)->attcollation;
}

static void
take_row(void *arg, TupleDesc descriptor, const Datum *values,
		 const bool *isnull)
{
	ColumnScan *scan = arg;
	int i;

	if (scan->rows == scan->room)
	{
		scan->room = Max(scan->room * 3 / 2, 1024);
		for (i = 0; i < scan->columns; i++)
			scan->column[i].key = sdcpg_host_grow(
				scan->host, scan->column[i].key, scan->room, sizeof(uint64));
	}
	scan->rows++;
	for (i = 0; i < scan->columns; i++)
		if (!isnull[i])
			scan->column[i].key[scan->column[i].values++] =
				key_of(&scan->column[i], values[i]);
}

/* Adds up the runs of equal numbers; records without a value are alike. */
static void
count_runs(const ColumnScan *scan, Scanned *column)
{
	SdcHost *host = &scan->host->kernel;
	int32 *row = sdc_new(host, int32, column->values);
	int64 first = 0;
	int64 i;

	memset(row, 0, sizeof(int32) * column->values);
	sdc_sort_keys(host, (uint64_t *) column->key, row, column->values);
	host->release(host, row);
	memset(column->counts, 0, sizeof(SdcSeparation));
	if (scan->rows > column->values)
		sdc_separation_add(column->counts, scan->rows - column->values, 1);
	for (i = 1; i <= column->values; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, column->values);
		if (i < column->values && column->key[i] == column->key[first])
			continue;
		sdc_separation_add(column->counts, i - first, 1);
		first = i;
	}
	host->release(host, column->key);
}

/* Can the values of a column be numbered?  Prepares it. */
static bool
prepare_column(const SdcRelationColumn *column, Scanned *scanned)
{
	TypeCacheEntry *cache;

	if (!sdcpg_type_has_equality(column->base))
		return false;
	memset(scanned, 0, sizeof(*scanned));
	scanned->column = column;
	scanned->type = sdcpg_column_type(column->type, InvalidOid);
	if (scanned->type.kind != SDC_COLUMN_COMPARED || scanned->type.is_enum)
		return true;
	cache =
		lookup_type_cache(column->base, TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	if (!OidIsValid(cache->hash_extended_proc_finfo.fn_oid))
		return false;
	scanned->hash = &cache->hash_extended_proc_finfo;
	return true;
}

/* How many rows there are, and how many columns may be scanned at a time. */
static int
columns_at_a_time(const SdcRelation *relation)
{
	static const SdcCatalogParameters none;
	SdcCatalogRows *rows = sdcpg_catalog_read(
		psprintf("SELECT pg_catalog.count(*) FROM %s AS r", relation->sql),
		&none);
	Size count = Max(DatumGetInt64(rows->value[0][0]), 1);
	Size limit = (Size) sdcpg_memory_limit * 1024;

	/* arrays grow by half, and others are moved meanwhile */
	if (count > SDC_MAX_ROWS || count * SORT_BYTES * 2 > limit)
		return 0;
	return (int) Min((limit - count * SORT_BYTES) /
						 (count * sizeof(uint64) * 5 / 2),
					 PG_INT16_MAX);
}

/* Scans columns once. */
static void
scan_columns(SdcPgHost *host, const SdcRelation *relation, Scanned *column,
			 int columns)
{
	ColumnScan scan = {host, columns, column};
	SdcRows rows = {start_rows, take_row, &scan};
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	for (i = 0; i < columns; i++)
		appendStringInfo(&sql, "%s r.%s", i == 0 ? "SELECT" : ",",
						 column[i].column->sql);
	appendStringInfo(&sql, " FROM %s AS r", relation->sql);
	sdcpg_rows_receive(host, sql.data, &rows);
	for (i = 0; i < columns; i++)
		count_runs(&scan, &column[i]);
}

/*
 * Counts the values of columns in as few scans as memory allows; counted tells
 * of which.
 */
static void
count_shared(SdcPgHost *host, const SdcRelation *relation,
			 const SdcRelationColumns *columns, SdcSeparation *counts,
			 bool *counted)
{
	Scanned *scanned = palloc(sizeof(Scanned) * (columns->count + 1));
	int most = columns_at_a_time(relation);
	int found = 0;
	int i;

	for (i = 0; i < columns->count; i++)
	{
		counted[i] =
			most > 0 && prepare_column(&columns->column[i], &scanned[found]);
		if (counted[i])
			scanned[found++].counts = &counts[i];
	}
	for (i = 0; i < found; i += most)
		scan_columns(host, relation, scanned + i, Min(most, found - i));
}

/* Counts the values of a column; false when its type cannot be grouped. */
static bool
count_values(SdcPgHost *host, const SdcRelation *relation,
			 const SdcRelationColumn *column, SdcSeparation *counts)
{
	const SdcFrameType types[] = {SDC_FRAME_COUNT, SDC_FRAME_COUNT};
	SdcRelationColumns one = {1, (SdcRelationColumn *) column};
	SdcFrame *frame;
	int32 i;

	memset(counts, 0, sizeof(*counts));
	if (!sdcpg_type_is_counted(column->base))
		return false;
	frame = sdcpg_frame_load(host, sdcpg_query_class_sizes(relation, "", &one),
							 2, types);
	for (i = 0; i < frame->rows; i++)
		sdc_separation_add(counts, frame->column[0].count[i],
						   frame->column[1].count[i]);
	sdcpg_frame_release(frame);
	return true;
}

void
sdcpg_suggestion_put(ReturnSetInfo *result, const char *name, const char *role,
					 const char *reason, const SdcSeparation *counts)
{
	double distinction =
		counts == NULL ? NAN : sdc_separation_distinction(counts);
	double share = counts == NULL ? NAN : sdc_separation_share(counts);
	Datum values[5];
	bool isnull[5] = {false, false, false, isnan(distinction), isnan(share)};

	values[0] = DirectFunctionCall1(namein, CStringGetDatum(name));
	values[1] = CStringGetTextDatum(role);
	values[2] = CStringGetTextDatum(reason);
	values[3] = Float8GetDatum(distinction);
	values[4] = Float8GetDatum(share);
	sdcpg_result_put(result, values, isnull);
}

/*
 * Puts the suggestion for a column; only the first of several ids stays one.
 * The reason follows on what before says, unless that is empty.  made: counts
 * that were made before, or NULL.
 */
static void
suggest_column(ReturnSetInfo *result, SdcPgHost *host,
			   const SdcRelation *relation, const SdcRelationColumn *column,
			   const SdcSeparation *made, bool count, bool *has_id,
			   const char *before)
{
	SdcSeparation counts;
	bool counted;
	SdcSuggestion suggestion;

	if (made != NULL)
		counts = *made;
	counted = made != NULL ||
			  (count && count_values(host, relation, column, &counts));
	suggestion = sdc_suggestion_make(
		column->name, suggestion_type(column->base), counted ? &counts : NULL);

	if (!sdcpg_type_is_counted(column->base) &&
		strcmp(suggestion.role, "identifier") != 0)
	{
		suggestion.role = "identifier";
		suggestion.reason =
			psprintf("Values of type %s cannot be compared, so it can be no "
					 "other role that is counted.",
					 format_type_be(column->type));
	}
	if (strcmp(suggestion.role, "id") == 0)
	{
		if (*has_id)
			suggestion.role = "identifier";
		*has_id = true;
	}
	sdcpg_suggestion_put(result, column->name, suggestion.role,
						 psprintf("%s%s", before, suggestion.reason),
						 counted ? &counts : NULL);
}

static void
tell_row_security(const SdcRelation *relation)
{
	if (relation->row_security)
		ereport(NOTICE,
				(errmsg("row-level security may hide records of relation "
						"\"%s\" from you",
						relation->name)));
}

/*
 * suggest(relation regclass, params jsonb)
 */
Datum
sdcf_suggest(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(1) ? NULL : PG_GETARG_JSONB_P(1);
	SdcRelation *relation;
	SdcRelationColumns columns;
	SdcPgHost *host;
	SdcSeparation *counts;
	bool *counted;
	bool count;
	bool has_id = false;
	int i;

	sdcpg_args_need(fcinfo, 0);
	sdcpg_params_check(params, params_keys);
	count = sdcpg_params_choice(params, "values", values_choices) == 0;
	relation = sdcpg_relation_find(PG_GETARG_OID(0));
	sdcpg_roles_need_reader(relation);
	columns = sdcpg_relation_all_columns(relation);
	if (count)
		tell_row_security(relation);
	host = sdcpg_host_begin("suggest", CurrentMemoryContext);
	counts = palloc(sizeof(SdcSeparation) * (columns.count + 1));
	counted = palloc0(sizeof(bool) * (columns.count + 1));
	if (count)
		count_shared(host, relation, &columns, counts, counted);
	for (i = 0; i < columns.count; i++)
		suggest_column(result, host, relation, &columns.column[i],
					   counted[i] ? &counts[i] : NULL, count, &has_id, "");
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* Columns with a role that others have the names of, or of another type. */
static void
put_changed(ReturnSetInfo *result, const SdcRelation *relation,
			const SdcRelationColumn *column, const SdcRoleColumn *declared)
{
	char *type = sdcpg_roles_type(relation, column);

	if (declared->moved)
		sdcpg_suggestion_put(result, column->name,
							 sdcpg_roles_word(declared->role), SDC_ROLES_MOVED,
							 NULL);
	else if (strcmp(type, declared->type) != 0)
		sdcpg_suggestion_put(
			result, column->name, sdcpg_roles_word(declared->role),
			psprintf("Its type was %s when it was declared, and is now "
					 "%s.",
					 declared->type, type),
			NULL);
}

/* Columns with a role that the relation has not any more. */
static void
put_gone(ReturnSetInfo *result, const SdcRelation *relation,
		 const SdcRoles *declared)
{
	int i;

	for (i = 0; i < declared->count; i++)
		if (get_attnum(relation->oid, declared->column[i].name) ==
			InvalidAttrNumber)
			sdcpg_suggestion_put(
				result, declared->column[i].name,
				sdcpg_roles_word(declared->column[i].role),
				"It was dropped or renamed since it was declared.", NULL);
}

static bool
declares_id(const SdcRoles *declared)
{
	int i;

	for (i = 0; i < declared->count; i++)
		if (declared->column[i].role == SDC_ROLE_ID)
			return true;
	return false;
}

void
sdcpg_suggestion_put_drift(ReturnSetInfo *result, SdcPgHost *host,
						   const SdcRelation *relation,
						   const SdcRoles *declared)
{
	SdcRelationColumns columns = sdcpg_relation_all_columns(relation);
	bool has_id = declares_id(declared);
	int i;

	for (i = 0; i < columns.count; i++)
	{
		const SdcRelationColumn *column = &columns.column[i];
		const SdcRoleColumn *role =
			sdcpg_roles_declared(declared, column->name);

		if (role == NULL)
			suggest_column(result, host, relation, column, NULL, true, &has_id,
						   "It has no role. ");
		else
			put_changed(result, relation, column, role);
	}
	put_gone(result, relation, declared);
}

/* ----------------------------------------------------------------------
 * sdc.separation, and a line of sdc.risk_report: how well sets of keys tell
 * records apart.
 *
 * The relation is counted once by all keys; the kernel measures the subsets.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_separation);

/* Columns of a subset unless params.max_size says otherwise. */
#define DEFAULT_SIZE 3

/* Columns of a subset at the most; few keys have so many subsets. */
#define MOST_SIZE 64

/* Subsets at the most: each costs a pass over the cells of the table. */
#define MAX_SUBSETS 10000

static const char *const separation_params_keys[] = {"max_size", NULL};

static void
check_subsets(int columns, int largest)
{
	if (sdc_separation_subsets(columns, largest, MAX_SUBSETS) > MAX_SUBSETS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than %d subsets of the keys to measure",
						MAX_SUBSETS),
				 errdetail("There are %d keys, and subsets of up to %d of "
						   "them were asked for.",
						   columns, largest),
				 errhint("Name fewer keys, or set a smaller max_size in "
						 "argument \"params\".")));
}

/* The names of the columns of a subset, as a reader writes them. */
static char *
list_subset(const SdcRelationColumns *keys, const SdcSeparationSubset *subset)
{
	StringInfoData list;
	int i;

	initStringInfo(&list);
	for (i = 0; i < subset->size; i++)
		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "",
						 keys->column[subset->column[i]].sql);
	return list.data;
}

static char *
distinction_sentence(const SdcRelation *relation, const SdcSeparation *counts)
{
	if (counts->records == 0)
		return "There are no records.";
	return psprintf(
		INT64_FORMAT " %s in " INT64_FORMAT " %s%s.", counts->classes,
		counts->classes == 1 ? "combination of values"
							 : "different combinations of values",
		counts->records, counts->records == 1 ? "record" : "records",
		relation->row_security
			? "; row-level security may hide others from you"
			: "");
}

static char *
separation_sentence(const SdcSeparation *counts)
{
	double pairs = sdc_separation_pairs(counts);

	if (counts->records < 2)
		return "There are no pairs of records.";
	return psprintf("%.0f of %.0f %s of records %s.", pairs - counts->equal,
					pairs, pairs == 1 ? "pair" : "pairs",
					pairs - counts->equal == 1 ? "differs" : "differ");
}

static void
put_subset(ReturnSetInfo *result, const SdcRelation *relation,
		   const SdcRelationColumns *keys, const SdcSeparationSubset *subset)
{
	const SdcSeparation *counts = &subset->counts;
	double distinction = sdc_separation_distinction(counts);
	double share = sdc_separation_share(counts);
	char *subject = list_subset(keys, subset);

	sdcpg_result_measure(result, "separation", subject, share, isnan(share),
						 separation_sentence(counts));
	sdcpg_result_measure(result, "distinction", subject, distinction,
						 isnan(distinction),
						 distinction_sentence(relation, counts));
}

/*
 * separation(relation regclass, keys columns, params jsonb)
 */
Datum
sdcf_separation(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(2) ? NULL : PG_GETARG_JSONB_P(2);
	SdcFrequencyRequest request = {0};
	SdcFrequencyTable table;
	SdcRelation *relation;
	SdcRelationColumns keys;
	SdcSeparationSubset *subsets;
	SdcPgHost *host;
	int32 count;
	int32 i;
	int largest;

	sdcpg_args_need(fcinfo, 0);
	sdcpg_params_check(params, separation_params_keys);
	largest =
		sdcpg_params_integer(params, "max_size", DEFAULT_SIZE, 1, MOST_SIZE);
	relation = sdcpg_relation_find(PG_GETARG_OID(0));
	keys = sdcpg_roles_need_columns(
		relation, "keys", PG_ARGISNULL(1) ? NULL : PG_GETARG_ARRAYTYPE_P(1),
		SDC_ROLE_KEY);
	check_subsets(keys.count, Min(largest, keys.count));
	request.relation = relation;
	sdcpg_frequency_want(&request, &keys);
	host = sdcpg_host_begin("separation", CurrentMemoryContext);
	sdcpg_frequency_load(host, &request, 1, &table);
	subsets = sdc_separation_measure(&host->kernel, table.frequency, largest,
									 &count);
	for (i = 0; i < count; i++)
		put_subset(result, relation, &keys, &subsets[i]);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * A line of sdc.risk_report: the smallest class of any m keys.
 *
 * Who knows m things about a person knows any m.  A table of many keys in
 * which all are alone may still hide everybody from him.
 * ----------------------------------------------------------------------
 */

#define SUBSET_K "subset_k_anonymity"

/* Combinations of values that may be looked at, in all subsets together. */
#define MAX_WORK 2e11

/* What NULL as a wildcard costs more. */
#define WILDCARD_WORK 200

/* Stops before what would take hours. */
static void
check_work(const RiskReport *risk, int64 subsets, int size)
{
	double work = (double) subsets * risk->table[0].frequency->cells *
				  (risk->nulls == SDC_NULLS_WILDCARD ? WILDCARD_WORK : 1);

	if (work > MAX_WORK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many subsets of the keys to measure"),
				 errdetail("There are " INT64_FORMAT
						   " sets of %d of the %d keys, and %d combinations "
						   "of values.",
						   subsets, size, risk->keys.count,
						   risk->table[0].frequency->cells),
				 errhint("Name fewer keys, or set a smaller m in argument "
						 "\"params\".")));
}

static void
put_worst(const RiskReport *risk, const SdcSubsetClass *worst, int size,
		  int64 subsets)
{
	StringInfoData names;
	int i;

	initStringInfo(&names);
	for (i = 0; i < size; i++)
		appendStringInfo(&names, "%s%s", i > 0 ? ", " : "",
						 risk->keys.column[worst->column[i]].sql);
	sdcpg_report_put(
		risk->report, SUBSET_K, names.data, worst->smallest,
		"The smallest class has " INT64_FORMAT
		" %s, and classes as small hold " INT64_FORMAT
		" %s; among the worst of " INT64_FORMAT " %s of %d %s.",
		worst->smallest, worst->smallest == 1 ? "record" : "records",
		worst->records, worst->records == 1 ? "record" : "records", subsets,
		subsets == 1 ? "set" : "sets", size, size == 1 ? "key" : "keys");
}

void
sdcpg_risk_subsets(RiskReport *risk)
{
	int keys = risk->keys.count;
	int size = sdcpg_keys_integer(sdcpg_risk_params, risk->params, "m");
	int32 room = sdcpg_keys_integer(sdcpg_risk_params, risk->params, "worst");
	int64 subsets;
	SdcSubsetClass *worst;
	int32 count;
	int32 i;

	if (!sdcpg_report_wants(risk->report, SUBSET_K) || keys == 0)
		return;
	size = Min(size, keys);
	subsets =
		sdc_separation_subsets(keys, size, PG_INT64_MAX - 1) -
		(size > 1 ? sdc_separation_subsets(keys, size - 1, PG_INT64_MAX - 1)
				  : 0);
	check_work(risk, subsets, size);
	worst = sdc_new(&risk->host->kernel, SdcSubsetClass, room);
	count = sdc_subsets_worst(&risk->host->kernel, risk->table[0].frequency,
							  keys, size, risk->nulls == SDC_NULLS_WILDCARD,
							  room, worst);
	for (i = 0; i < count; i++)
		put_worst(risk, &worst[i], size, subsets);
}
