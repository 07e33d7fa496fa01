/*
 * catalog.c
 *		sdc's own tables: read as the caller, written as their owner, and the
 *		same on all servers.
 *
 * No function of sdc is SECURITY DEFINER.  For the time of one statement that
 * stands in the code, the current user becomes the owner of the table, as
 * referential integrity does it; an error restores the user with the
 * transaction or subtransaction that it ends.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/index.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "optimizer/optimizer.h"
#include "storage/lock.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "host/call/catalog.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/error.h"
#include "host/server/host.h"
#include "host/server/result.h"

/* ----------------------------------------------------------------------
 * Generated columns, which give away what they are made from.
 *
 * A column generated from a key repeats the key, or part of it, so whoever
 * takes the key out of a record must take the column out as well.
 * ----------------------------------------------------------------------
 */

/* The columns in the expression of a generated column, as the planner has it.
 */
static Bitmapset *
find_parts(Relation table, AttrNumber number)
{
	TupleConstr *constraints = RelationGetDescr(table)->constr;
	Bitmapset *parts = NULL;
	int i;

	for (i = 0; constraints != NULL && i < constraints->num_defval; i++)
		if (constraints->defval[i].adnum == number)
			pull_varattnos(stringToNode(constraints->defval[i].adbin), 1,
						   &parts);
	return parts;
}

Bitmapset *
sdcpg_generated_from(const SdcRelation *relation,
					 const SdcRelationColumn *column,
					 const SdcRelationColumns *columns)
{
	Relation table = table_open(relation->oid, AccessShareLock);
	Bitmapset *from = NULL;
	Bitmapset *parts;
	int j;

	if (TupleDescAttr(RelationGetDescr(table), column->number - 1)
			->attgenerated != '\0')
	{
		parts = find_parts(table, column->number);
		for (j = 0; j < columns->count; j++)
			if (bms_is_member(columns->column[j].number -
								  FirstLowInvalidHeapAttributeNumber,
							  parts))
				from = bms_add_member(from, j);
	}
	table_close(table, AccessShareLock);
	return from;
}

/* A table of the owner of sdc whose rows are asked for. */
#define OWNED "hierarchy"

/* ----------------------------------------------------------------------
 * Whose functions a server of Citus calls.
 *
 * Citus writes functions and operators of pg_catalog without their schema into
 * what it sends, and a server looks them up by the search_path of its own
 * session; so does this one for shards that are here.  Whoever may create
 * functions in a schema of that path could put there one that fits better,
 * concat(integer) where pg_catalog has concat("any"), and it would run with
 * the rights of whoever calls sdc.  So there is no other schema in the path
 * while sdc reads or writes such a relation: here for each statement, on the
 * workers to the end of the transaction, as nothing tells when a call ends.
 * ----------------------------------------------------------------------
 */

#define SAFE_PATH "pg_catalog, pg_temp"

static bool reads_citus = false; /* a relation of Citus, in the transaction */
static bool workers_told = false;
static char looked_in[4 * NAMEDATALEN];

static void
forget_citus(XactEvent event, void *arg)
{
	reads_citus = workers_told = false;
}

/* What was told within a subtransaction is taken back with it. */
static void
forget_told(SubXactEvent event, SubTransactionId own, SubTransactionId parent,
			void *arg)
{
	if (event == SUBXACT_EVENT_ABORT_SUB)
		workers_told = false;
}

/* Has this database a catalog of Citus? */
static bool
has_citus(void)
{
	return OidIsValid(
		get_relname_relid("pg_dist_partition", PG_CATALOG_NAMESPACE));
}

void
sdcpg_catalog_name_safely(Oid relation, bool (*is_of_citus)(Oid relation))
{
	static bool registered = false;

	if (reads_citus || !has_citus() || IsInParallelMode() ||
		RecoveryInProgress() || !is_of_citus(relation))
		return;
	if (!registered)
	{
		RegisterXactCallback(forget_citus, NULL);
		RegisterSubXactCallback(forget_told, NULL);
		registered = true;
	}
	reads_citus = true;
}

/*
 * Tells the workers.  Citus passes a SET on to their transactions, and to
 * those that begin later; it gives them one where this one is distributed, as
 * an intermediate result makes it; and it does so from within a block of code.
 */
static void
tell_workers(void)
{
	SdcCatalogParameters none = {0};
	int settings = NewGUCNestLevel();

	workers_told = true;
	sdcpg_set_for_now("citus.propagate_set_commands", "local");
	sdcpg_catalog_write(OWNED,
						"SELECT pg_catalog.create_intermediate_result("
						"'sdc_none', 'SELECT 1 WHERE false')",
						&none);
	sdcpg_catalog_write(
		OWNED,
		"DO LANGUAGE plpgsql 'BEGIN SET LOCAL search_path = " SAFE_PATH
		"; END'",
		&none);
	AtEOXact_GUC(false, settings);
}

/*
 * Does a statement define something and read no rows?  An event trigger that
 * it fires looks for names as its session does.
 */
static bool
only_defines(const char *sql)
{
	static const char *const none = " WITH NO DATA";
	Size length = strlen(sql);

	return strncmp(sql, "DROP ", 5) == 0 || strncmp(sql, "ALTER ", 6) == 0 ||
		   (strncmp(sql, "CREATE ", 7) == 0 && length > strlen(none) &&
			strcmp(sql + length - strlen(none), none) == 0);
}

/* Is the path one that sdcpg_catalog_look_in has set? */
static bool
looks_in(void)
{
	return looked_in[0] != '\0' &&
		   strcmp(namespace_search_path, looked_in) == 0;
}

void
sdcpg_catalog_hidden(const char *sql, void (*work)(void *arg), void *arg)
{
	int settings;

	if (!reads_citus || looks_in() || only_defines(sql))
	{
		sdcpg_error_hidden(sql, work, arg);
		return;
	}
	if (!workers_told)
		tell_workers();
	settings = NewGUCNestLevel();
	sdcpg_set_for_now("search_path", SAFE_PATH);
	sdcpg_error_hidden(sql, work, arg);
	AtEOXact_GUC(false, settings);
}

void
sdcpg_catalog_look_in(const char *path)
{
	strlcpy(looked_in, path, sizeof(looked_in));
	sdcpg_set_for_now("search_path", path);
}

/* ----------------------------------------------------------------------
 * Statements that sdc has written, which errors do not show.
 * ----------------------------------------------------------------------
 */

typedef struct Statement
{
	const char *sql;
	const SdcCatalogParameters *parameters;
	bool read_only;
	int options; /* of a cursor */
	SPIPlanPtr plan;
} Statement;

static const SdcCatalogParameters none;

static void
run_statement(void *arg)
{
	const Statement *statement = arg;
	const SdcCatalogParameters *parameters = statement->parameters;

	if (SPI_execute_with_args(statement->sql, parameters->count,
							  (Oid *) parameters->type,
							  (Datum *) parameters->value, parameters->null,
							  statement->read_only, 0) < 0)
		elog(ERROR, "could not run a statement");
}

void
sdcpg_catalog_run(const char *sql, const SdcCatalogParameters *parameters,
				  bool read_only)
{
	Statement statement = {sql, parameters != NULL ? parameters : &none,
						   read_only};

	sdcpg_catalog_hidden(sql, run_statement, &statement);
}

static void
prepare(void *arg)
{
	Statement *statement = arg;

	statement->plan = SPI_prepare_cursor(
		statement->sql, statement->parameters->count,
		(Oid *) statement->parameters->type, statement->options);
	if (statement->plan == NULL)
		elog(ERROR, "could not prepare a statement");
}

SPIPlanPtr
sdcpg_catalog_prepare(const char *sql, const SdcCatalogParameters *parameters,
					  int options)
{
	Statement statement = {sql, parameters != NULL ? parameters : &none};

	statement.options = options;
	sdcpg_catalog_hidden(sql, prepare, &statement);
	return statement.plan;
}

/*
 * Plans that are kept as long as the session: a private request is three
 * small statements, and to parse and plan them took a third of its time; a
 * copy of a schema asks the catalogs the same of each table.
 */
#define KEPT 64

static struct
{
	char *sql;
	SPIPlanPtr plan;
} kept[KEPT];

static SPIPlanPtr
find_kept(const char *sql)
{
	int i;

	for (i = 0; i < KEPT && kept[i].sql != NULL; i++)
		if (strcmp(kept[i].sql, sql) == 0)
			return kept[i].plan;
	return NULL;
}

static void
keep(const Statement *statement)
{
	int i;

	for (i = 0; i < KEPT; i++)
		if (kept[i].sql == NULL)
		{
			char *sql = MemoryContextStrdup(TopMemoryContext, statement->sql);

			if (SPI_keepplan(statement->plan) != 0)
				elog(ERROR, "could not keep a plan");
			kept[i].plan = statement->plan;
			kept[i].sql = sql;
			return;
		}
}

static void
run_kept(void *arg)
{
	Statement *statement = arg;
	const SdcCatalogParameters *parameters = statement->parameters;

	statement->plan = find_kept(statement->sql);
	if (statement->plan == NULL)
	{
		prepare(statement);
		keep(statement);
	}
	if (SPI_execute_plan(statement->plan, (Datum *) parameters->value,
						 parameters->null, statement->read_only, 0) < 0)
		elog(ERROR, "could not run a statement");
}

/* The same as sdcpg_catalog_run for a statement that stands in the code. */
static void
catalog_run_often(const char *sql, const SdcCatalogParameters *parameters,
				  bool read_only)
{
	Statement statement = {sql, parameters, read_only};

	statement.options = CURSOR_OPT_GENERIC_PLAN;
	sdcpg_catalog_hidden(sql, run_kept, &statement);
}

static void
run_as_seen(void *arg)
{
	Statement *statement = arg;
	const SdcCatalogParameters *parameters = statement->parameters;

	prepare(statement);
	if (SPI_execute_snapshot(statement->plan, (Datum *) parameters->value,
							 parameters->null, GetActiveSnapshot(),
							 InvalidSnapshot, false, true, 0) < 0)
		elog(ERROR, "could not run a statement");
}

uint64
sdcpg_catalog_run_as_seen(const char *sql,
						  const SdcCatalogParameters *parameters)
{
	Statement statement = {sql, parameters != NULL ? parameters : &none};
	uint64 rows;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	sdcpg_catalog_hidden(sql, run_as_seen, &statement);
	rows = SPI_processed;
	SPI_finish();
	return rows;
}

/* ----------------------------------------------------------------------
 * sdc's own tables: read as the caller, written as their owner.
 * ----------------------------------------------------------------------
 */

#define SCHEMA "sdc"

Jsonb *
sdcpg_catalog_jsonb(const SdcCatalogRows *rows, int64 row, int column)
{
	return rows->isnull[row][column]
			   ? NULL
			   : DatumGetJsonbP(rows->value[row][column]);
}

void
sdcpg_catalog_bind(SdcCatalogParameters *parameters, Oid type, Datum value,
				   bool isnull)
{
	if (parameters->count == SDC_CATALOG_MAX_PARAMETERS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many rules or values for one statement"),
						errdetail("At most %d values can be passed to it.",
								  SDC_CATALOG_MAX_PARAMETERS)));
	parameters->type[parameters->count] = type;
	parameters->value[parameters->count] = value;
	parameters->null[parameters->count] = isnull ? 'n' : ' ';
	parameters->count++;
}

void
sdcpg_catalog_bind_text(SdcCatalogParameters *parameters, const char *value)
{
	Datum datum = value != NULL ? CStringGetTextDatum(value) : (Datum) 0;

	sdcpg_catalog_bind(parameters, TEXTOID, datum, value == NULL);
}

ParamListInfo
sdcpg_catalog_parameter_list(const SdcCatalogParameters *parameters, int more)
{
	ParamListInfo list;
	int i;

	if (parameters->count + more == 0)
		return NULL;
	list = makeParamList(parameters->count + more);
	memset(list->params, 0,
		   (parameters->count + more) * sizeof(ParamExternData));
	for (i = 0; i < parameters->count; i++)
	{
		list->params[i].value = parameters->value[i];
		list->params[i].isnull = parameters->null[i] == 'n';
		list->params[i].pflags = PARAM_FLAG_CONST;
		list->params[i].ptype = parameters->type[i];
	}
	return list;
}

void
sdcpg_catalog_need_owner(const SdcRelation *relation)
{
	if (!pg_class_ownercheck(relation->oid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER,
					   get_relkind_objtype(get_rel_relkind(relation->oid)),
					   relation->name);
}

static Oid
find_table(const char *table)
{
	return get_relname_relid(table, get_namespace_oid(SCHEMA, false));
}

bool
sdcpg_catalog_has_rights_of(const char *role)
{
	Oid oid = get_role_oid(role, true);

	return superuser() ||
		   (OidIsValid(oid) && has_privs_of_role(GetUserId(), oid));
}

bool
sdcpg_catalog_may_read(const char *table)
{
	Oid oid = find_table(table);

	return OidIsValid(oid) &&
		   pg_class_aclcheck(oid, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

/* Random bytes in a name that nobody can guess. */
#define HIDDEN_BYTES 16

char *
sdcpg_catalog_hidden_name(const char *prefix)
{
	uint8 random[HIDDEN_BYTES];
	StringInfoData name;
	int i;

	sdcpg_strong_bytes(random, HIDDEN_BYTES);
	initStringInfo(&name);
	appendStringInfoString(&name, prefix);
	for (i = 0; i < HIDDEN_BYTES; i++)
		appendStringInfo(&name, "%02x", random[i]);
	return name.data;
}

bool
sdcpg_catalog_is_hidden(const char *name)
{
	const char *random = name;
	size_t length = strlen(name);
	size_t suffix = strlen(SDC_LASTING_SUFFIX);

	if (strncmp(name, "sdc_", strlen("sdc_")) != 0 ||
		(length > suffix &&
		 strcmp(name + length - suffix, SDC_LASTING_SUFFIX) == 0))
		return false;
	while ((random = strchr(random, '_')) != NULL)
		if (strspn(++random, "0123456789abcdef") == 2 * HIDDEN_BYTES)
			return true;
	return false;
}

Oid
sdcpg_catalog_owner(const char *table)
{
	Oid oid = find_table(table);
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(oid));
	Oid owner;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("table \"%s.%s\" does not exist", SCHEMA, table),
				 errhint("The library is newer than the extension in this "
						 "database: run ALTER EXTENSION sdc UPDATE.")));
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* Starts to be the owner of a table of sdc; what the caller was is kept. */
static void
become_owner(const char *table, Oid *caller, int *context)
{
	GetUserIdAndSecContext(caller, context);
	SetUserIdAndSecContext(sdcpg_catalog_owner(table),
						   *context | SECURITY_LOCAL_USERID_CHANGE);
}

static uint64
write_rows(const char *table, const char *sql,
		   const SdcCatalogParameters *parameters, bool often)
{
	Oid caller;
	int context;
	uint64 rows;

	become_owner(table, &caller, &context);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	if (often)
		catalog_run_often(sql, parameters, false);
	else
		sdcpg_catalog_run(sql, parameters, false);
	rows = SPI_processed;
	SPI_finish();
	SetUserIdAndSecContext(caller, context);
	return rows;
}

uint64
sdcpg_catalog_write(const char *table, const char *sql,
					const SdcCatalogParameters *parameters)
{
	return write_rows(table, sql, parameters, false);
}

uint64
sdcpg_catalog_write_often(const char *table, const char *sql,
						  const SdcCatalogParameters *parameters)
{
	return write_rows(table, sql, parameters, true);
}

/* Copies what SPI has read to the memory of the caller. */
static SdcCatalogRows *
copy_rows(MemoryContext caller)
{
	MemoryContext reading = MemoryContextSwitchTo(caller);
	SdcCatalogRows *rows = palloc(sizeof(SdcCatalogRows));
	TupleDesc descriptor = SPI_tuptable->tupdesc;
	int64 i;

	rows->count = SPI_processed;
	rows->columns = descriptor->natts;
	rows->value = palloc(sizeof(Datum *) * (rows->count + 1));
	rows->isnull = palloc(sizeof(bool *) * (rows->count + 1));
	for (i = 0; i < rows->count; i++)
	{
		rows->value[i] = palloc(sizeof(Datum) * rows->columns);
		rows->isnull[i] = palloc(sizeof(bool) * rows->columns);
		heap_deform_tuple(heap_copytuple(SPI_tuptable->vals[i]), descriptor,
						  rows->value[i], rows->isnull[i]);
	}
	MemoryContextSwitchTo(reading);
	return rows;
}

/*
 * Runs a SELECT by one of the functions above and copies its rows to the
 * memory of the caller.
 */
static SdcCatalogRows *
rows_of(const char *sql, const SdcCatalogParameters *parameters,
		void (*run)(const char *sql, const SdcCatalogParameters *parameters,
					bool read_only),
		bool read_only)
{
	MemoryContext caller = CurrentMemoryContext;
	SdcCatalogRows *rows;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	run(sql, parameters, read_only);
	rows = copy_rows(caller);
	SPI_finish();
	return rows;
}

static SdcCatalogRows *
read_rows(const char *sql, const SdcCatalogParameters *parameters,
		  bool read_only)
{
	return rows_of(sql, parameters, sdcpg_catalog_run, read_only);
}

SdcCatalogRows *
sdcpg_catalog_read_often(const char *sql,
						 const SdcCatalogParameters *parameters)
{
	return rows_of(sql, parameters, catalog_run_often, true);
}

SdcCatalogRows *
sdcpg_catalog_read(const char *sql, const SdcCatalogParameters *parameters)
{
	return read_rows(sql, parameters, true);
}

SdcCatalogRows *
sdcpg_catalog_read_owned(const char *table, const char *sql,
						 const SdcCatalogParameters *parameters)
{
	Oid caller;
	int context;
	SdcCatalogRows *rows;

	become_owner(table, &caller, &context);
	rows = read_rows(sql, parameters, false);
	SetUserIdAndSecContext(caller, context);
	return rows;
}

SdcCatalogRows *
sdcpg_catalog_read_latest(const char *table, const char *sql,
						  const SdcCatalogParameters *parameters)
{
	MemoryContext reader = CurrentMemoryContext;
	Oid caller;
	int context;
	SdcCatalogRows *rows;

	become_owner(table, &caller, &context);
	PushActiveSnapshot(GetLatestSnapshot());
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	catalog_run_often(sql, parameters, true);
	rows = copy_rows(reader);
	SPI_finish();
	PopActiveSnapshot();
	SetUserIdAndSecContext(caller, context);
	return rows;
}

void
sdcpg_catalog_as_owner(const char *table, void (*run)(void *arg), void *arg)
{
	Oid caller;
	int context;

	become_owner(table, &caller, &context);
	run(arg);
	SetUserIdAndSecContext(caller, context);
}

/* Puts what SPI has read into a result. */
static void
put_rows(ReturnSetInfo *result)
{
	TupleDesc descriptor = SPI_tuptable->tupdesc;
	Datum *value = palloc(sizeof(Datum) * descriptor->natts);
	bool *isnull = palloc(sizeof(bool) * descriptor->natts);
	uint64 i;

	for (i = 0; i < SPI_processed; i++)
	{
		heap_deform_tuple(SPI_tuptable->vals[i], descriptor, value, isnull);
		sdcpg_result_put(result, value, isnull);
	}
	pfree(value);
	pfree(isnull);
}

#define ROWS_AT_A_TIME 10000

void
sdcpg_catalog_return_owned(const char *table, const char *sql,
						   const SdcCatalogParameters *parameters,
						   ReturnSetInfo *result)
{
	Oid caller;
	int context;
	Portal portal;

	become_owner(table, &caller, &context);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	portal = SPI_cursor_open_with_args(
		NULL, sql, parameters->count, (Oid *) parameters->type,
		(Datum *) parameters->value, parameters->null, false, 0);
	do
	{
		SPI_cursor_fetch(portal, true, ROWS_AT_A_TIME);
		put_rows(result);
		SPI_freetuptable(SPI_tuptable);
	} while (SPI_processed > 0);
	SPI_cursor_close(portal);
	SPI_finish();
	SetUserIdAndSecContext(caller, context);
}

/* ----------------------------------------------------------------------
 * Keys, stored so that the log of writes is not decoded for others.
 *
 * A publication FOR ALL TABLES holds the tables of sdc, too, and an INSERT
 * would send a new key to every subscriber.  PostgreSQL writes rows that are
 * not to be decoded when it rewrites a table; keys are written in the same
 * way, which SQL cannot ask for.  A crash, a standby and a backup keep them
 * as any row.
 * ----------------------------------------------------------------------
 */

/* Kinds of advisory locks that SQL can take are 1 and 2. */
#define KEY_LOCK_KIND 94

void
sdcpg_catalog_key_lock(const char *table, const char *name)
{
	uint64 hash = hash_bytes_extended((const unsigned char *) name,
									  strlen(name), find_table(table));
	LOCKTAG tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32) (hash >> 32),
						 (uint32) hash, KEY_LOCK_KIND);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
}

static void
fill_row(TupleTableSlot *row, const char *name, const bytea *key)
{
	TupleDesc columns = row->tts_tupleDescriptor;
	int i;

	ExecClearTuple(row);
	for (i = 0; i < columns->natts; i++)
		row->tts_isnull[i] = true;
	row->tts_values[0] = CStringGetTextDatum(name);
	row->tts_values[1] = PointerGetDatum(key);
	row->tts_isnull[0] = row->tts_isnull[1] = false;
	if (columns->natts > 2 &&
		TupleDescAttr(columns, 2)->atttypid == TIMESTAMPTZOID)
	{
		row->tts_values[2] =
			TimestampTzGetDatum(GetCurrentTransactionStartTimestamp());
		row->tts_isnull[2] = false;
	}
	ExecStoreVirtualTuple(row);
}

/* Adds rows that are in a table to one of its indexes. */
static void
add_to_index(Relation table, Oid oid, TupleTableSlot **row, int rows,
			 EState *state)
{
	Relation index = index_open(oid, RowExclusiveLock);
	IndexInfo *info = BuildIndexInfo(index);
	Datum value[INDEX_MAX_KEYS];
	bool isnull[INDEX_MAX_KEYS];
	int i;

	for (i = 0; i < rows && info->ii_ReadyForInserts; i++)
	{
		ResetPerTupleExprContext(state);
		GetPerTupleExprContext(state)->ecxt_scantuple = row[i];
		FormIndexDatum(info, row[i], state, value, isnull);
		(void) sdc_index_insert(
			index, value, isnull, &row[i]->tts_tid, table,
			info->ii_Unique ? UNIQUE_CHECK_YES : UNIQUE_CHECK_NO, info);
	}
	index_close(index, NoLock);
}

/* The same of all indexes. */
static void
add_to_indexes(Relation table, TupleTableSlot **row, int rows, EState *state)
{
	List *indexes = RelationGetIndexList(table);
	ListCell *cell;

	foreach (cell, indexes)
		add_to_index(table, lfirst_oid(cell), row, rows, state);
	list_free(indexes);
}

/* Opens a table to add rows without a statement. */
static Relation
open_to_insert(const char *table)
{
	PreventCommandDuringRecovery("INSERT");
	PreventCommandIfReadOnly("INSERT");
	PreventCommandIfParallelMode("INSERT");
	return table_open(find_table(table), RowExclusiveLock);
}

void
sdcpg_catalog_key_add(const char *table, const char *name, const bytea *key)
{
	Relation keys = open_to_insert(table);
	TupleTableSlot *row = table_slot_create(keys, NULL);
	EState *state = CreateExecutorState();

	fill_row(row, name, key);
	table_tuple_insert(keys, row, GetCurrentCommandId(true),
					   TABLE_INSERT_NO_LOGICAL, NULL);
	add_to_indexes(keys, &row, 1, state);
	FreeExecutorState(state);
	ExecDropSingleTupleTableSlot(row);
	table_close(keys, NoLock);
	CommandCounterIncrement();
}

/* ----------------------------------------------------------------------
 * Many rows, stored as COPY stores them.
 * ----------------------------------------------------------------------
 */

/* Rows that are written at a time. */
#define INSERTED_ROWS 500

/* Row i of columns of values. */
static void
fill_columns(TupleTableSlot *row, int i, int columns,
			 const Datum *const *value, const bool *const *isnull)
{
	int j;

	ExecClearTuple(row);
	for (j = 0; j < columns; j++)
	{
		row->tts_isnull[j] = isnull[j] != NULL && isnull[j][i];
		row->tts_values[j] = row->tts_isnull[j] ? (Datum) 0 : value[j][i];
	}
	ExecStoreVirtualTuple(row);
}

void
sdcpg_catalog_insert(const char *table, int rows, int columns,
					 const Datum *const *value, const bool *const *isnull,
					 bool ordered)
{
	Relation heap = open_to_insert(table);
	EState *state = CreateExecutorState();
	TupleTableSlot *row[INSERTED_ROWS];
	int slots = Min(rows, INSERTED_ROWS);
	int first;
	int i;

	if (RelationGetNumberOfAttributes(heap) != columns)
		elog(ERROR, "table \"sdc.%s\" has not %d columns", table, columns);
	for (i = 0; i < slots; i++)
		row[i] = table_slot_create(heap, NULL);
	for (first = 0; first < rows; first += INSERTED_ROWS)
	{
		int count = Min(rows - first, INSERTED_ROWS);

		CHECK_FOR_INTERRUPTS();
		for (i = 0; i < count; i++)
			fill_columns(row[i], first + i, columns, value, isnull);
		table_multi_insert(heap, row, count, GetCurrentCommandId(true),
						   ordered ? TABLE_INSERT_SKIP_FSM : 0, NULL);
		add_to_indexes(heap, row, count, state);
	}
	for (i = 0; i < slots; i++)
		ExecDropSingleTupleTableSlot(row[i]);
	FreeExecutorState(state);
	table_close(heap, NoLock);
	CommandCounterIncrement();
}

/* ----------------------------------------------------------------------
 * Where rows are.
 * ----------------------------------------------------------------------
 */

SdcHome
sdcpg_home_of(Oid relation, char **column)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	*column = NULL;
	if (!has_citus())
		return SDC_HOME_HERE;
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(relation), false);
	rows = sdcpg_catalog_read(
		"SELECT CASE WHEN p.partmethod::pg_catalog.text"
		" OPERATOR(pg_catalog.<>) 'n' THEN 3"
		" WHEN p.repmodel::pg_catalog.text OPERATOR(pg_catalog.=) 't' THEN 2"
		" WHEN p.colocationid OPERATOR(pg_catalog.=) 0 THEN 1 ELSE 3 END,"
		" CASE WHEN p.partmethod::pg_catalog.text OPERATOR(pg_catalog.<>) 'n'"
		" THEN pg_catalog.column_to_column_name(p.logicalrelid, p.partkey) END"
		" FROM pg_catalog.pg_dist_partition AS p"
		" WHERE p.logicalrelid OPERATOR(pg_catalog.=) $1",
		&parameters);
	if (rows->count == 0)
		return SDC_HOME_HERE;
	if (!rows->isnull[0][1])
		*column = TextDatumGetCString(rows->value[0][1]);
	return (SdcHome) DatumGetInt32(rows->value[0][0]);
}

char *
sdcpg_catalog_blocks(Oid relation, double rows, double least)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *all;
	double there;
	char *column;

	if (sdcpg_home_of(relation, &column) != SDC_HOME_HERE)
		return "";
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(relation), false);
	all = sdcpg_catalog_read(
		/* what was never analyzed is guessed by its size */
		"SELECT COALESCE(pg_catalog.sum(CASE"
		" WHEN c.reltuples OPERATOR(pg_catalog.>) 0"
		" THEN CAST(c.reltuples AS pg_catalog.float8)"
		" ELSE CAST(pg_catalog.pg_relation_size(c.oid) AS pg_catalog.float8)"
		" OPERATOR(pg_catalog./) 100 END), 0),"
		" COALESCE(pg_catalog.bool_and(a.amname OPERATOR(pg_catalog.=)"
		" 'heap'), false) FROM pg_catalog.pg_class AS c"
		" LEFT JOIN pg_catalog.pg_am AS a"
		" ON a.oid OPERATOR(pg_catalog.=) c.relam"
		" WHERE c.relkind OPERATOR(pg_catalog.<>) 'p'"
		" AND (c.oid OPERATOR(pg_catalog.=) $1"
		" OR c.oid OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT"
		" CAST(t.relid AS pg_catalog.oid)"
		" FROM pg_catalog.pg_partition_tree($1) AS t)))",
		&parameters);
	there = DatumGetFloat8(all->value[0][0]);
	if (!DatumGetBool(all->value[0][1]) || there < least)
		return "";
	return psprintf(" TABLESAMPLE SYSTEM (%.9g) REPEATABLE (0)",
					Min(100, 100 * rows / there));
}

int64
sdcpg_shards_of(Oid relation)
{
	SdcCatalogParameters parameters = {0};
	char *column;

	if (sdcpg_home_of(relation, &column) != SDC_HOME_SPREAD)
		return 0;
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(relation), false);
	return DatumGetInt64(
		sdcpg_catalog_read("SELECT pg_catalog.count(*)"
						   " FROM pg_catalog.pg_dist_shard AS s"
						   " WHERE s.logicalrelid OPERATOR(pg_catalog.=) $1",
						   &parameters)
			->value[0][0]);
}

/* The workers of this coordinator; 0 on a worker and without Citus. */
static int64
workers(void)
{
	if (!has_citus())
		return 0;
	return DatumGetInt64(
		sdcpg_catalog_read(
			"SELECT pg_catalog.count(*) FROM pg_catalog.pg_dist_node AS n"
			" WHERE n.groupid OPERATOR(pg_catalog.>) 0 AND n.isactive"
			" AND n.shouldhaveshards AND n.noderole::pg_catalog.text"
			" OPERATOR(pg_catalog.=) 'primary' AND EXISTS (SELECT FROM"
			" pg_catalog.pg_dist_local_group AS l"
			" WHERE l.groupid OPERATOR(pg_catalog.=) 0)",
			NULL)
			->value[0][0]);
}

bool
sdcpg_is_worker(void)
{
	return has_citus() &&
		   sdcpg_catalog_read("SELECT FROM pg_catalog.pg_dist_local_group AS l"
							  " WHERE l.groupid OPERATOR(pg_catalog.>) 0",
							  NULL)
				   ->count > 0;
}

void
sdcpg_need_coordinator(const char *done)
{
	if (sdcpg_is_worker())
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("a worker cannot %s", done),
			 errdetail("All servers must have the same ones, so they are "
					   "written on the coordinator only."),
			 errhint("Do it on the coordinator. If it is done there, "
					 "sdc.synchronize_workers() brings it to a worker that "
					 "was added since.")));
}

/*
 * What must be the same on all servers, as one text: else their functions make
 * other values of the same one.
 */
#define LIKENESS                                               \
	"SELECT pg_catalog.concat(e.extversion, ' ', pg_catalog."  \
	"getdatabaseencoding()) FROM pg_catalog.pg_extension AS e" \
	" WHERE e.extname OPERATOR(pg_catalog.=) 'sdc'"

void
sdcpg_workers_need_same(void)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind_text(&parameters, LIKENESS);
	/* one that does not answer says so itself when rows are asked for */
	rows = sdcpg_catalog_read(
		"SELECT pg_catalog.concat(w.nodename, ':', w.nodeport),"
		" pg_catalog.concat(w.result), (" LIKENESS ")"
		" FROM pg_catalog.run_command_on_workers($1) AS w"
		" WHERE w.success AND pg_catalog.concat(w.result)"
		" OPERATOR(pg_catalog.<>) (" LIKENESS ") ORDER BY 1 LIMIT 1",
		&parameters);
	if (rows->count > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("worker %s has another version of sdc, or another "
						"encoding",
						TextDatumGetCString(rows->value[0][0])),
				 errdetail("It has \"%s\", this server has \"%s\".",
						   TextDatumGetCString(rows->value[0][1]),
						   TextDatumGetCString(rows->value[0][2])),
				 errhint("Its masks might make other values of the same one. "
						 "Install the same version on all servers.")));
}

/* ----------------------------------------------------------------------
 * Rows that travel to all workers.
 *
 * Keys of pseudonyms, hierarchies and rights to functions are rows of this
 * database.  A function that Citus runs on a worker reads those of the worker,
 * so they must be the same there.  They travel as rows of a table that is
 * distributed over all workers, one row for each, and are taken by a function
 * that reads them there.  As rows were written on each worker before, Citus
 * makes one transaction of it all.  The table is gone when that commits, and
 * is unlogged: subscribers of a worker would be sent its rows.
 * ----------------------------------------------------------------------
 */

/* A row for each shard, and a shard for each worker. */
static void
make_carrier(const char *carrier, int64 shards)
{
	SdcCatalogParameters none = {0};

	sdcpg_catalog_write(
		OWNED,
		psprintf("CREATE UNLOGGED TABLE %s (place pg_catalog.int8, content "
				 "pg_catalog.jsonb)",
				 carrier),
		&none);
	sdcpg_catalog_write(
		OWNED,
		psprintf("SELECT pg_catalog.create_distributed_table(%s, 'place', "
				 "colocate_with => 'none', shard_count => " INT64_FORMAT ")",
				 quote_literal_cstr(carrier), shards),
		&none);
}

/*
 * Has every worker run take, a condition with content as one of its columns;
 * content is a SELECT of one value of jsonb.
 */
static void
carry(int64 shards, const char *content, const char *take,
	  const SdcCatalogParameters *parameters)
{
	SdcCatalogParameters none = {0};
	char *carrier =
		psprintf("sdc.%s", quote_identifier(sdcpg_catalog_hidden_name("c_")));

	make_carrier(carrier, shards);
	sdcpg_catalog_write(
		OWNED,
		psprintf("INSERT INTO %s SELECT pg_catalog.min(i), (%s) FROM "
				 "pg_catalog.generate_series(1::pg_catalog.int8,"
				 " 100 * " INT64_FORMAT ") AS i GROUP BY "
				 "pg_catalog.get_shard_id_for_distribution_column(%s, i)",
				 carrier, content, shards, quote_literal_cstr(carrier)),
		parameters);
	sdcpg_catalog_write(
		OWNED,
		psprintf("SELECT pg_catalog.count(*) FROM %s WHERE %s", carrier, take),
		&none);
	sdcpg_catalog_write(OWNED, psprintf("DROP TABLE %s", carrier), &none);
}

void
sdcpg_workers_mirror(const char *table, const char *column, const char *value)
{
	int64 shards = workers();
	SdcCatalogParameters parameters = {0};

	if (shards == 0)
		return;
	sdcpg_catalog_bind_text(&parameters, value);
	carry(shards,
		  psprintf("SELECT pg_catalog.jsonb_build_object('value', $1, 'rows', "
				   "coalesce(pg_catalog.jsonb_agg("
				   "pg_catalog.to_jsonb(t)), '[]')) FROM sdc.%s AS t "
				   "WHERE $1 IS NULL OR t.%s OPERATOR(pg_catalog.=) $1",
				   quote_identifier(table), quote_identifier(column)),
		  psprintf("sdc_internal.take_rows(%s, %s, content)",
				   quote_literal_cstr(table), quote_literal_cstr(column)),
		  &parameters);
}

void
sdcpg_workers_one_connection(void)
{
	if (has_citus())
		(void) set_config_option("citus.multi_shard_modify_mode", "sequential",
								 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL,
								 true, 0, false);
}

int64
sdcpg_workers_carry(const char *content, const char *take)
{
	SdcCatalogParameters none = {0};
	int64 shards = workers();

	if (shards > 0)
		carry(shards, content, take, &none);
	return shards;
}
