/*
 * frequency.c
 *		Frequency tables of relations: PostgreSQL reads or counts; sdc decides.
 *
 * Each row, or group, that a query brings is turned into codes by one
 * dictionary per column and added to the table being counted.  When all
 * relations are read, the dictionaries are sorted and the tables finished
 * with the ranks of the values as codes.  Cells that were counted while a
 * relation was written (a tally) come as groups do.
 */
#include "postgres.h"

#include <math.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "nodes/plannodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/typcache.h"

#include "host/call/catalog.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/data/dictionary.h"
#include "host/data/frequency.h"
#include "host/data/pack.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/table/frequency.h"

/* Parallel workers from which on PostgreSQL counts faster than one reader. */
#define SDC_PLAN_MANY_WORKERS 4

/* ----------------------------------------------------------------------
 * Who would do the work of a query.
 * ----------------------------------------------------------------------
 */

static bool plan_is_shared(const Plan *plan);

static bool
any_is_shared(List *plans)
{
	ListCell *cell;

	foreach (cell, plans)
		if (plan_is_shared(lfirst(cell)))
			return true;
	return false;
}

/* Does a scan stand for more than one relation, as when it counts? */
static bool
is_whole_query(const Scan *scan)
{
	return scan->scanrelid == 0;
}

static bool
plan_is_shared(const Plan *plan)
{
	if (plan == NULL)
		return false;
	check_stack_depth();
	switch (nodeTag(plan))
	{
		case T_ForeignScan:
		case T_CustomScan:
			/* a scan of one relation only brings its rows */
			if (is_whole_query((const Scan *) plan))
				return true;
			break;
		case T_Gather:
			if (((const Gather *) plan)->num_workers >= SDC_PLAN_MANY_WORKERS)
				return true;
			break;
		case T_GatherMerge:
			if (((const GatherMerge *) plan)->num_workers >=
				SDC_PLAN_MANY_WORKERS)
				return true;
			break;
		case T_Append:
			return any_is_shared(((const Append *) plan)->appendplans);
		case T_MergeAppend:
			return any_is_shared(((const MergeAppend *) plan)->mergeplans);
		case T_SubqueryScan:
			return plan_is_shared(((const SubqueryScan *) plan)->subplan);
		default:
			break;
	}
	return plan_is_shared(plan->lefttree) || plan_is_shared(plan->righttree);
}

/*
 * Would PostgreSQL hand the counting to others: to a foreign server, to the
 * custom scan of an extension (a distributed table), or to at least
 * SDC_PLAN_MANY_WORKERS parallel workers?  Plans the query, with the caller's
 * settings, and looks at the plan; runs nothing.
 */
static bool
sdcpg_plan_is_shared(const char *sql)
{
	SPIPlanPtr prepared;
	CachedPlan *cached;
	bool shared = false;
	ListCell *cell;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	prepared = sdcpg_catalog_prepare(sql, NULL, CURSOR_OPT_PARALLEL_OK);
	cached = SPI_plan_get_cached_plan(prepared);
	if (cached != NULL)
	{
		foreach (cell, cached->stmt_list)
			shared = shared ||
					 plan_is_shared(((PlannedStmt *) lfirst(cell))->planTree);
		ReleaseCachedPlan(cached, SDC_PLAN_NO_OWNER);
	}
	SPI_finish();
	return shared;
}

/* Rows of the sample of a distributed table, about, if there are more. */
#define SAMPLE_ROWS 30000

/* Groups of all shards together, for each row, above which rows are read. */
#define MANY_GROUPS 0.7

/* Rows of a distributed table, or -1 if no sample of it can be drawn. */
static double
count_rows(const SdcRelation *relation)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(relation->oid),
					   false);
	if (sdcpg_catalog_read(
			"SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_am AS a"
			" ON a.oid OPERATOR(pg_catalog.=) c.relam"
			" WHERE c.oid OPERATOR(pg_catalog.=) $1"
			" AND a.amname OPERATOR(pg_catalog.=) 'heap'",
			&parameters)
			->count == 0)
		return -1;
	return (double) DatumGetInt64(
		sdcpg_catalog_read(
			psprintf("SELECT pg_catalog.count(*) FROM %s AS r", relation->sql),
			NULL)
			->value[0][0]);
}

/*
 * How many groups a relation of so many rows has, from a sample: as ANALYZE
 * estimates distinct values (Haas and Stokes 1998, Duj1).
 */
static double
estimate_groups(const SdcFrequencyRequest *request, double rows)
{
	SdcRelationColumns columns = {request->columns, request->column};
	double share = Min(100, 100 * SAMPLE_ROWS / Max(rows, 1));
	SdcCatalogRows *sizes = sdcpg_catalog_read(
		sdcpg_query_class_sizes(request->relation,
								psprintf("TABLESAMPLE SYSTEM (%.9g) ", share),
								&columns),
		NULL);
	double sampled = 0;
	double met = 0;
	double once = 0;
	int64 i;

	for (i = 0; i < sizes->count; i++)
	{
		int64 size = DatumGetInt64(sizes->value[i][0]);
		int64 classes = DatumGetInt64(sizes->value[i][1]);

		sampled += (double) size * classes;
		met += classes;
		once += size == 1 ? classes : 0;
	}
	if (sampled == 0)
		return 1;
	return sampled * met /
		   (sampled - once + once * sampled / Max(rows, sampled));
}

/*
 * Would the groups of a relation be much fewer than its rows, where each shard
 * has groups of its own?  True for a relation that is not distributed.
 */
static bool
groups_are_few(const SdcFrequencyRequest *request)
{
	int64 shards = sdcpg_shards_of(request->relation->oid);
	double rows;
	double groups;
	double part;

	if (shards <= 1)
		return true;
	rows = count_rows(request->relation);
	if (rows <= SAMPLE_ROWS)
		return true;
	groups = estimate_groups(request, rows);
	part = rows / shards;
	return shards * (part * groups / (part + groups)) < MANY_GROUPS * rows;
}

/* ----------------------------------------------------------------------
 * Cells by hash: a relation in parts that have no class in common.
 * ----------------------------------------------------------------------
 */

/* Bytes of the cells of a part, about. */
#define PART_BYTES (64 * 1024 * 1024)

#define MAX_PARTS 1024

/*
 * The SQL of a hash of a column of r that all servers agree on, or NULL.
 * Labels of enums have numbers of their own on each server, and other
 * collations other libraries.
 */
static char *
hash_sql(const SdcRelation *relation, const SdcRelationColumn *column)
{
	SdcColumnType type;
	Oid collation;
	Oid function;
	Oid found;
	int32 modifier;

	get_atttypetypmodcoll(relation->oid, column->number, &found, &modifier,
						  &collation);
	type = sdcpg_column_type(found, collation);
	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		return NULL;
	if (type.is_enum)
		return psprintf("pg_catalog.hashtextextended(r.%s::pg_catalog.text "
						"COLLATE pg_catalog.\"C\", %d)",
						column->sql, column->number);
	function = lookup_type_cache(type.base, TYPECACHE_HASH_EXTENDED_PROC)
				   ->hash_extended_proc;
	if (type.holds_numbers || !OidIsValid(function) ||
		function >= FirstNormalObjectId)
		return NULL;
	return psprintf("pg_catalog.%s(r.%s, %d)",
					quote_identifier(get_func_name(function)), column->sql,
					column->number);
}

/* The SQL of a hash of the first columns, or NULL. */
static char *
hash_of_keys(const SdcFrequencyRequest *request, int keys)
{
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	for (j = 0; j < keys; j++)
	{
		char *hash = hash_sql(request->relation, &request->column[j]);

		if (hash == NULL)
			return NULL;
		appendStringInfo(&sql, "%sCOALESCE(%s, %d)",
						 j > 0 ? " OPERATOR(pg_catalog.#) " : "", hash, j);
	}
	return sql.data;
}

int
sdcpg_frequency_parts(const SdcFrequencyRequest *request, int keys)
{
	/* codes, counts and hashes, while they grow, and values of their own */
	double cell = 2 * (20 + 4 * request->columns) + 24;
	double room = Min(PART_BYTES, (double) sdcpg_memory_limit * 1024 / 16);
	double rows;
	double bytes;
	int parts = 1;

	if (request->weight != NULL || request->id != NULL ||
		sdcpg_shards_of(request->relation->oid) <= 1 ||
		hash_of_keys(request, keys) == NULL)
		return 1;
	rows = count_rows(request->relation);
	if (rows * cell <= room)
		return 1;
	bytes = cell * Min(rows, estimate_groups(request, rows));
	while (parts < MAX_PARTS && parts * room < bytes)
		parts *= 2;
	return parts;
}

SdcRelation *
sdcpg_frequency_part(const SdcFrequencyRequest *request, int keys, int parts,
					 int number)
{
	SdcRelation *part = palloc(sizeof(SdcRelation));

	*part = *request->relation;
	part->sql = psprintf("(SELECT * FROM %s AS r WHERE (%s) "
						 "OPERATOR(pg_catalog.&) %d OPERATOR(pg_catalog.=) "
						 "%d)",
						 request->relation->sql, hash_of_keys(request, keys),
						 parts - 1, number);
	return part;
}

/* ----------------------------------------------------------------------
 * Frequency tables of relations: PostgreSQL reads or counts; sdc decides.
 * ----------------------------------------------------------------------
 */

#define FIRST_ROWS 1024

/* One relation being counted. */
typedef struct Loader
{
	SdcPgHost *host;
	const SdcFrequencyRequest *request;
	SdcFrequencyTable *table;
	SdcDictionary **dictionary; /* shared by all relations */
	SdcFrequencyCount *counting;
	bool groups; /* rows of the query are groups */
	Oid weight;  /* base type of the weights */
	/* codes of rows that are counted together, or NULL */
	int32 *codes;
	int waiting; /* such rows */
	int32 room;
	SdcPack ids;
	SdcDictionary *households;
} Loader;

void
sdcpg_frequency_want_one(SdcFrequencyRequest *request,
						 SdcRelationColumn column)
{
	Size size = sizeof(SdcRelationColumn) * (request->columns + 1);

	if (request->columns == SDC_FREQUENCY_MAX_COLUMNS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("more than %d columns to count",
							   SDC_FREQUENCY_MAX_COLUMNS)));
	request->column =
		request->columns == 0 ? palloc(size) : repalloc(request->column, size);
	request->column[request->columns++] = column;
}

void
sdcpg_frequency_want(SdcFrequencyRequest *request,
					 const SdcRelationColumns *columns)
{
	int i;

	for (i = 0; i < columns->count; i++)
		sdcpg_frequency_want_one(request, columns->column[i]);
}

/* Makes a dictionary, or compares with the one of another relation. */
static void
match_dictionary(Loader *loader, int j, Form_pg_attribute attribute)
{
	SdcDictionary **dictionary = &loader->dictionary[j];

	if (*dictionary == NULL)
		*dictionary = sdcpg_dictionary_new(loader->host, attribute->atttypid,
										   attribute->attcollation);
	else if (getBaseType(sdcpg_dictionary_type(*dictionary)) !=
			 getBaseType(attribute->atttypid))
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column \"%s\" of relation \"%s\" has type %s, expected "
					"%s",
					loader->request->column[j].name,
					loader->request->relation->name,
					format_type_be(attribute->atttypid),
					format_type_be(sdcpg_dictionary_type(*dictionary))),
			 errhint("Cast one of the two columns in a view.")));
}

static void
start_rows(void *arg, TupleDesc descriptor)
{
	Loader *loader = arg;
	int columns = loader->request->columns;
	Form_pg_attribute attribute;
	int j;

	for (j = 0; j < columns; j++)
		match_dictionary(loader, j, TupleDescAttr(descriptor, j));
	if (loader->request->weight != NULL)
		loader->weight =
			getBaseType(TupleDescAttr(descriptor, columns)->atttypid);
	if (loader->request->household != NULL)
	{
		/* the last column */
		attribute = TupleDescAttr(descriptor, descriptor->natts - 1);
		loader->households = sdcpg_dictionary_new(
			loader->host, attribute->atttypid, attribute->attcollation);
	}
}

static double
check_weight(const Loader *loader, Datum value, bool isnull)
{
	double weight = isnull ? -1 : sdcpg_number(loader->weight, value);

	if (!(weight >= 0) || isinf(weight))
		ereport(
			ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("column \"%s\" holds a weight that is not a number of at "
					"least 0",
					loader->request->weight->name),
			 errhint("Weights must not be NULL, negative, NaN or infinite.")));
	return weight;
}

/* Makes room for what is kept of each row. */
static void
grow_rows(Loader *loader)
{
	SdcPgHost *host = loader->host;
	SdcFrequencyTable *table = loader->table;
	int64 room = loader->room == 0 ? FIRST_ROWS : (int64) loader->room * 2;

	if (table->rows == SDC_MAX_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than %d rows in a relation", SDC_MAX_ROWS)));
	loader->room = Min(room, SDC_MAX_ROWS);
	table->cell =
		sdcpg_host_grow(host, table->cell, loader->room, sizeof(int32));
	table->id = sdcpg_host_grow(host, table->id, loader->room, sizeof(char *));
	if (loader->request->weight != NULL)
		table->weight =
			sdcpg_host_grow(host, table->weight, loader->room, sizeof(double));
	if (loader->request->household != NULL)
		table->household = sdcpg_host_grow(host, table->household,
										   loader->room, sizeof(int32));
}

static char *
copy_id(Loader *loader, Datum id)
{
	char *name = TextDatumGetCString(id);

	return sdcpg_pack_copy(loader->host, &loader->ids, name, strlen(name) + 1);
}

/* Keeps the id, and after it the household, and the cell of a row. */
static void
keep_row(Loader *loader, int32 cell, double weight, const Datum *values,
		 const bool *isnull)
{
	SdcFrequencyTable *table = loader->table;

	if (table->rows == loader->room)
		grow_rows(loader);
	table->id[table->rows] = isnull[0] ? NULL : copy_id(loader, values[0]);
	table->cell[table->rows] = cell;
	if (table->weight != NULL)
		table->weight[table->rows] = weight;
	if (table->household != NULL)
		table->household[table->rows] =
			isnull[1] ? SDC_CODE_NULL
					  : sdcpg_dictionary_code(loader->households, values[1]);
	table->rows++;
}

/* Makes room for rows that are counted together, if they may be. */
static void
start_counting(Loader *loader)
{
	const SdcFrequencyRequest *request = loader->request;
	SdcHost *host = &loader->host->kernel;

	loader->counting =
		sdc_frequency_start(host, request->columns, request->weight != NULL);
	if (request->weight == NULL && request->id == NULL)
		loader->codes = sdc_new(
			host, int32, (Size) request->columns * SDC_FREQUENCY_TOGETHER);
}

/* Counts the rows that wait. */
static void
count_waiting(Loader *loader)
{
	sdc_frequency_add_many(loader->counting, loader->codes, loader->waiting);
	loader->waiting = 0;
}

/*
 * Columns of the query: those asked for, then either how many rows, or weight,
 * id and household.
 */
static void
count_row(void *arg, TupleDesc descriptor, const Datum *values,
		  const bool *isnull)
{
	Loader *loader = arg;
	int next = loader->request->columns;
	bool together = loader->codes != NULL && !loader->groups;
	int32 room[SDC_FREQUENCY_MAX_COLUMNS];
	int32 *codes =
		together ? loader->codes + (Size) loader->waiting * next : room;
	int64 count = loader->groups ? DatumGetInt64(values[next]) : 1;
	double weight = 0;
	int32 cell;
	int j;

	for (j = 0; j < loader->request->columns; j++)
		codes[j] = isnull[j] ? SDC_CODE_NULL
							 : sdcpg_dictionary_code(loader->dictionary[j],
													 values[j]);
	if (together)
	{
		if (++loader->waiting == SDC_FREQUENCY_TOGETHER)
			count_waiting(loader);
		return;
	}
	if (loader->request->weight != NULL)
	{
		weight = check_weight(loader, values[next], isnull[next]);
		next++;
	}
	cell = sdc_frequency_add(loader->counting, codes, count, weight);
	if (loader->request->id != NULL)
		keep_row(loader, cell, weight, values + next, isnull + next);
}

/* Is it PostgreSQL that counts, with this query? */
static bool
count_groups(const SdcFrequencyRequest *request, const char *groups)
{
	int i;

	/* rows are wanted one by one, or sums that do not depend on the plan */
	if (request->id != NULL || request->weight != NULL)
		return false;
	/* points are counted, but SQL cannot group them */
	for (i = 0; i < request->columns; i++)
		if (!sdcpg_type_has_equality(request->column[i].base))
			return false;
	if (sdcpg_count_with != SDC_COUNT_AUTO)
		return sdcpg_count_with == SDC_COUNT_GROUPS;
	/* there are many */
	if (request->part)
		return false;
	return sdcpg_plan_is_shared(groups) && groups_are_few(request);
}

/* Stops unless the weight is a number. */
static void
check_weight_type(const SdcFrequencyRequest *request)
{
	SdcRelationColumn weight = *request->weight;
	SdcRelationColumns columns = {1, &weight};

	sdcpg_relation_need_numbers(request->relation, &columns);
}

/* Turns cell numbers as counted into those of the finished table. */
static void
finish_relation(Loader *loader, const int32 *const *rank, const int32 *values)
{
	SdcFrequencyTable *table = loader->table;
	SdcHost *host = &loader->host->kernel;
	int32 *place;
	int32 i;

	count_waiting(loader);
	host->release(host, loader->codes);
	table->dictionary = loader->dictionary;
	table->frequency = sdc_frequency_finish(
		loader->counting, rank, values,
		loader->request->id == NULL ? NULL : (int32_t **) &place);
	if (loader->request->id == NULL)
		return;
	for (i = 0; i < table->rows; i++)
		table->cell[i] = place[table->cell[i]];
	host->release(host, place);
}

/* Sorts the dictionaries that the loaders share, and finishes the tables. */
static void
finish_relations(Loader *loader, int relations, int columns)
{
	SdcHost *host = &loader->host->kernel;
	const int32 **rank = sdc_new(host, const int32 *, columns);
	int32 *values = sdc_new(host, int32, columns);
	int i;

	host->stage(host, "counting");
	for (i = 0; i < columns; i++)
	{
		rank[i] = sdcpg_dictionary_sort(loader->dictionary[i]);
		values[i] = sdcpg_dictionary_values(loader->dictionary[i]);
	}
	for (i = 0; i < relations; i++)
		finish_relation(&loader[i], rank, values);
}

/* ----------------------------------------------------------------------
 * Cells that were counted while the rows of a relation were written.
 * ----------------------------------------------------------------------
 */

struct SdcFrequencyTally
{
	TupleDesc descriptor; /* of the columns that are counted */
	int *place;           /* of each in the rows */
	SdcFrequencyRequest request;
	Loader loader;
	SdcFrequencyTable table; /* when all are counted */
};

const SdcFrequencyTally *sdcpg_frequency_tallied = NULL;

SdcFrequencyTally *
sdcpg_frequency_tally(SdcPgHost *host, TupleDesc descriptor, int columns,
					  const int *place)
{
	MemoryContext caller = MemoryContextSwitchTo(host->work);
	SdcFrequencyTally *tally = palloc0(sizeof(SdcFrequencyTally));
	Loader *loader = &tally->loader;
	bool counted = true;
	int j;

	tally->descriptor = CreateTemplateTupleDesc(columns);
	tally->place = palloc(sizeof(int) * columns);
	for (j = 0; j < columns; j++)
	{
		tally->place[j] = place[j];
		TupleDescCopyEntry(tally->descriptor, j + 1, descriptor, place[j] + 1);
		counted &= sdcpg_type_is_counted(
			getBaseType(TupleDescAttr(tally->descriptor, j)->atttypid));
	}
	tally->request.columns = columns;
	loader->host = host;
	loader->request = &tally->request;
	loader->table = &tally->table;
	loader->dictionary = palloc0(sizeof(SdcDictionary *) * columns);
	if (counted)
	{
		start_rows(loader, tally->descriptor);
		start_counting(loader);
	}
	MemoryContextSwitchTo(caller);
	return counted ? tally : NULL;
}

void
sdcpg_frequency_tally_row(SdcFrequencyTally *tally, const Datum *values,
						  const bool *isnull)
{
	Datum value[SDC_FREQUENCY_MAX_COLUMNS];
	bool null[SDC_FREQUENCY_MAX_COLUMNS];
	int j;

	for (j = 0; j < tally->request.columns; j++)
	{
		value[j] = values[tally->place[j]];
		null[j] = isnull[tally->place[j]];
	}
	count_row(&tally->loader, tally->descriptor, value, null);
}

void
sdcpg_frequency_tally_end(SdcFrequencyTally *tally,
						  const SdcRelation *relation)
{
	tally->request.relation = relation;
	finish_relations(&tally->loader, 1, tally->request.columns);
}

/* Is this what is asked for? */
static bool
is_asked(const SdcFrequencyTally *tally, const SdcFrequencyRequest *request)
{
	int j;

	if (tally == NULL ||
		request->relation->oid != tally->request.relation->oid ||
		strcmp(request->relation->sql, tally->request.relation->sql) != 0 ||
		request->columns != tally->request.columns || request->part ||
		request->weight != NULL || request->id != NULL)
		return false;
	for (j = 0; j < request->columns; j++)
		if (request->column[j].number != tally->place[j] + 1)
			return false;
	return true;
}

/* Takes the cells of a tally as if PostgreSQL had counted them. */
static void
take_tally(Loader *loader, const SdcFrequencyTally *tally)
{
	const SdcFrequency *frequency = tally->table.frequency;
	SdcHost *host = &loader->host->kernel;
	int columns = frequency->columns;
	Datum *value = palloc(sizeof(Datum) * (columns + 1));
	bool *isnull = palloc0(sizeof(bool) * (columns + 1));
	int32 cell;
	int j;

	loader->groups = true;
	start_rows(loader, tally->descriptor);
	for (cell = 0; cell < frequency->cells; cell++)
	{
		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		for (j = 0; j < columns; j++)
		{
			int32 code = frequency->code[j][cell];

			isnull[j] = code == SDC_CODE_NULL;
			if (!isnull[j])
				value[j] =
					sdcpg_dictionary_value(tally->table.dictionary[j], code);
		}
		value[columns] = Int64GetDatum(frequency->count[cell]);
		count_row(loader, tally->descriptor, value, isnull);
	}
	pfree(value);
	pfree(isnull);
}

/* ----------------------------------------------------------------------
 * Relations are read, or what was counted of them is taken.
 * ----------------------------------------------------------------------
 */

static void
read_relation(Loader *loader)
{
	const SdcFrequencyRequest *request = loader->request;
	SdcRelationColumns columns = {request->columns, request->column};
	SdcRows rows = {start_rows, count_row, loader};
	const char *sql;

	sdcpg_relation_need_equality(request->relation, &columns);
	if (request->weight != NULL)
		check_weight_type(request);
	start_counting(loader);
	if (is_asked(sdcpg_frequency_tallied, request))
	{
		take_tally(loader, sdcpg_frequency_tallied);
		return;
	}
	sql = sdcpg_query_groups(request->relation, request->column,
							 request->columns);
	loader->groups = count_groups(request, sql);
	if (!loader->groups)
		sql = sdcpg_query_rows(request->relation, request->column,
							   request->columns, request->weight, request->id,
							   request->household);
	sdcpg_rows_receive(loader->host, sql, &rows);
}

static int
most_columns(const SdcFrequencyRequest *request, int requests)
{
	int columns = 0;
	int i;

	for (i = 0; i < requests; i++)
		columns = Max(columns, request[i].columns);
	return columns;
}

void
sdcpg_frequency_load(SdcPgHost *host, const SdcFrequencyRequest *request,
					 int requests, SdcFrequencyTable *table)
{
	SdcHost *kernel = &host->kernel;
	int columns = most_columns(request, requests);
	Loader *loader = sdc_new(kernel, Loader, requests);
	SdcDictionary **dictionary = sdc_new(kernel, SdcDictionary *, columns);
	int i;

	memset(dictionary, 0, sizeof(*dictionary) * columns);
	memset(table, 0, sizeof(*table) * requests);
	memset(loader, 0, sizeof(*loader) * requests);
	for (i = 0; i < requests; i++)
	{
		loader[i].host = host;
		loader[i].request = &request[i];
		loader[i].table = &table[i];
		loader[i].dictionary = dictionary;
		read_relation(&loader[i]);
	}
	finish_relations(loader, requests, columns);
}
