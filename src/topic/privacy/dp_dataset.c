/*
 * dp_dataset.c
 *		sdc.create_dataset, drop_dataset, grant_budget: which tables may be
 *		asked, by whom, and how often.
 *
 * A data set keeps its budget for good: dropped and made again under its
 * name, it goes on with what was spent.  A table that has, or had, a data set
 * gets another budget only when that is said in so many words.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "host/call/args.h"
#include "host/call/catalog.h"
#include "topic/privacy/ledger.h"
#include "host/server/compat.h"
#include "host/call/relation.h"
#include "topic/privacy/budget.h"
#include "topic/privacy/dataset.h"

PG_FUNCTION_INFO_V1(sdcf_create_dataset);
PG_FUNCTION_INFO_V1(sdcf_drop_dataset);
PG_FUNCTION_INFO_V1(sdcf_grant_budget);

/* Rows or groups of a unit at the most, and the two multiplied. */
#define MOST_OF_UNIT 10000
#define MOST_ROWS    100000

/* The arguments of create_dataset, by number. */
enum
{
	NAME,
	REL,
	UNIT_COLUMN,
	NEIGHBOURS,
	MAX_GROUPS,
	MAX_ROWS,
	ACCOUNTING,
	EPSILON,
	DELTA,
	MIN_EPSILON,
	MIN_DURATION,
	ANEW,
	ARGUMENTS
};

/* The least a request costs, and the steps of time that answers come in. */
static void
check_least(Numeric epsilon, const Interval *duration)
{
	double least = DatumGetFloat8(DirectFunctionCall1(
		numeric_float8_no_overflow, NumericGetDatum(epsilon)));

	sdcpg_args_range("min_epsilon", least, 0, 1024);
	if (duration->month != 0 || duration->day != 0 || duration->time < 0 ||
		duration->time > USECS_PER_HOUR)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"min_duration\" must lie between "
							   "0 and an hour")));
}

static void
check_arguments(FunctionCallInfo fcinfo)
{
	static const char *const name[] = {
		"dataset",    "relation",    "unit_column",  "neighbours",
		"max_groups", "max_rows",    "accounting",   "epsilon",
		"delta",      "min_epsilon", "min_duration", "anew"};
	int i;

	for (i = 0; i < ARGUMENTS; i++)
		if (i != UNIT_COLUMN && PG_ARGISNULL(i))
			sdcpg_args_null(name[i]);
	if (VARSIZE_ANY_EXHDR(PG_GETARG_TEXT_PP(NAME)) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"dataset\" must not be empty")));
	(void) sdcpg_args_choice("neighbours", PG_GETARG_TEXT_PP(NEIGHBOURS),
							 sdcpg_neighbours_words);
	sdcpg_args_range("max_groups", PG_GETARG_INT32(MAX_GROUPS), 1,
					 MOST_OF_UNIT);
	sdcpg_args_range("max_rows", PG_GETARG_INT32(MAX_ROWS), 1, MOST_OF_UNIT);
	if (PG_GETARG_INT32(MAX_GROUPS) * PG_GETARG_INT32(MAX_ROWS) > MOST_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_groups and max_rows let a unit have more than %d "
						"rows",
						MOST_ROWS)));
	check_least(PG_GETARG_NUMERIC(MIN_EPSILON),
				PG_GETARG_INTERVAL_P(MIN_DURATION));
	if (PG_ARGISNULL(UNIT_COLUMN) &&
		(PG_GETARG_INT32(MAX_GROUPS) > 1 || PG_GETARG_INT32(MAX_ROWS) > 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("without a unit column a unit is one row"),
				 errhint("Name the column that tells whose row it is.")));
}

/* Stops unless units can be sorted and told apart. */
static void
check_unit(const SdcRelation *relation, const char *name)
{
	SdcRelationColumn column = sdcpg_relation_column(relation, name);
	TypeCacheEntry *type =
		lookup_type_cache(column.base, TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR);

	if (!OidIsValid(type->eq_opr) || !OidIsValid(type->lt_opr))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" cannot be sorted", name)));
}

/* Stops when the table has, or had, another data set. */
static void
check_first(const SdcRelation *relation, const char *name)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(relation->oid),
					   false);
	sdcpg_catalog_bind_text(&parameters, relation->sql);
	rows = sdcpg_catalog_read_owned(
		"dp_dataset",
		"SELECT name FROM sdc.dp_dataset WHERE rel::pg_catalog.oid "
		"OPERATOR(pg_catalog.=) $1 OR rel_name OPERATOR(pg_catalog.=) $2",
		&parameters);
	if (rows->count > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("\"%s\" has or had a data set with a budget of its "
						"own",
						relation->name),
				 errdetail("It is called \"%s\". Two budgets for the same "
						   "records give away the sum of both.",
						   TextDatumGetCString(rows->value[0][0])),
				 errhint("Use that name again, or say anew => true.")));
}

/* Counters survive DROP EXTENSION; their numbers are not used again. */
static int64
new_budget(void)
{
	int64 id;

	do
	{
		SdcCatalogRows *rows = sdcpg_catalog_read_owned(
			"dp_dataset",
			"SELECT pg_catalog.nextval('sdc.dp_budget_id'::"
			"pg_catalog.regclass)",
			NULL);

		id = DatumGetInt64(rows->value[0][0]);
	} while (sdcpg_ledger_exists(id));
	sdcpg_ledger_make(id);
	return id;
}

/* $1 to $13: the columns of sdc.dp_dataset in their order but for dropped. */
static void
bind_dataset(SdcCatalogParameters *parameters, FunctionCallInfo fcinfo,
			 int64 id, const SdcRelation *relation)
{
	sdcpg_catalog_bind(parameters, INT8OID, Int64GetDatum(id), false);
	sdcpg_catalog_bind(parameters, TEXTOID, PG_GETARG_DATUM(NAME), false);
	sdcpg_catalog_bind(parameters, OIDOID, ObjectIdGetDatum(relation->oid),
					   false);
	sdcpg_catalog_bind_text(parameters, relation->sql);
	sdcpg_catalog_bind(
		parameters, NAMEOID,
		PG_ARGISNULL(UNIT_COLUMN) ? (Datum) 0 : PG_GETARG_DATUM(UNIT_COLUMN),
		PG_ARGISNULL(UNIT_COLUMN));
	sdcpg_catalog_bind(parameters, TEXTOID, PG_GETARG_DATUM(NEIGHBOURS),
					   false);
	sdcpg_catalog_bind(parameters, INT4OID, PG_GETARG_DATUM(MAX_GROUPS),
					   false);
	sdcpg_catalog_bind(parameters, INT4OID, PG_GETARG_DATUM(MAX_ROWS), false);
	sdcpg_catalog_bind(parameters, TEXTOID, PG_GETARG_DATUM(ACCOUNTING),
					   false);
	sdcpg_catalog_bind(parameters, NUMERICOID, PG_GETARG_DATUM(EPSILON),
					   false);
	sdcpg_catalog_bind(parameters, NUMERICOID, PG_GETARG_DATUM(DELTA), false);
	sdcpg_catalog_bind(parameters, NUMERICOID, PG_GETARG_DATUM(MIN_EPSILON),
					   false);
	sdcpg_catalog_bind(parameters, INTERVALOID, PG_GETARG_DATUM(MIN_DURATION),
					   false);
}

/* Goes on with a data set of that name. */
static void
continue_dataset(FunctionCallInfo fcinfo, const SdcDataset *known,
				 const SdcRelation *relation, SdcAccounting accounting)
{
	SdcCatalogParameters parameters = {0};
	SdcAmount spent = sdcpg_ledger_spent(known->id);

	(void) sdcpg_dataset_need_owner(known->name);
	if (known->oid != relation->oid &&
		strcmp(known->relation_name, relation->sql) != 0)
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
						errmsg("data set \"%s\" is one of another relation",
							   known->name)));
	if (known->accounting != accounting)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the accounting of data set \"%s\" cannot be changed",
						known->name),
				 errdetail("What was spent is counted in its units.")));
	bind_dataset(&parameters, fcinfo, known->id, relation);
	sdcpg_catalog_write(
		"dp_dataset",
		"UPDATE sdc.dp_dataset SET name = $2, rel = $3, rel_name = $4, "
		"unit_column = $5, neighbours = $6, max_groups = $7, max_rows = $8, "
		"accounting = $9, epsilon = $10, delta = $11, min_epsilon = $12, "
		"min_duration = $13, dropped = false "
		"WHERE id OPERATOR(pg_catalog.=) $1",
		&parameters);
	ereport(NOTICE,
			(errmsg("data set \"%s\" goes on with what was spent of it: %s of "
					"%s",
					known->name,
					DatumGetCString(DirectFunctionCall1(
						numeric_out, sdcpg_budget_numeric(spent.first, 9))),
					accounting == SDC_ACCOUNTING_ZCDP ? "rho" : "epsilon")));
}

/*
 * create_dataset(dataset text, relation regclass, unit_column name,
 *                neighbours text, max_groups integer, max_rows integer,
 *                accounting text, epsilon numeric, delta numeric,
 *                min_epsilon numeric, min_duration interval, anew boolean)
 */
Datum
sdcf_create_dataset(PG_FUNCTION_ARGS)
{
	SdcCatalogParameters parameters = {0};
	SdcAccounting accounting;
	SdcRelation *relation;
	SdcDataset *known;
	char *name;

	check_arguments(fcinfo);
	accounting = (SdcAccounting) sdcpg_args_choice(
		"accounting", PG_GETARG_TEXT_PP(ACCOUNTING), sdcpg_budget_accounting);
	(void) sdcpg_budget_limit(accounting, PG_GETARG_NUMERIC(EPSILON),
							  PG_GETARG_NUMERIC(DELTA));
	relation = sdcpg_relation_find(PG_GETARG_OID(REL));
	sdcpg_catalog_need_owner(relation);
	sdcpg_dataset_check_kind(relation);
	if (!PG_ARGISNULL(UNIT_COLUMN))
		check_unit(relation, NameStr(*PG_GETARG_NAME(UNIT_COLUMN)));
	name = text_to_cstring(PG_GETARG_TEXT_PP(NAME));
	/* two at once would not see each other's data set */
	LockRelationOid(
		get_relname_relid("dp_dataset", get_namespace_oid("sdc", false)),
		ShareRowExclusiveLock);
	known = sdcpg_dataset_find(name);
	if (known != NULL)
	{
		continue_dataset(fcinfo, known, relation, accounting);
		PG_RETURN_VOID();
	}
	if (!PG_GETARG_BOOL(ANEW))
		check_first(relation, name);
	bind_dataset(&parameters, fcinfo, new_budget(), relation);
	sdcpg_catalog_write(
		"dp_dataset",
		"INSERT INTO sdc.dp_dataset (id, name, rel, rel_name, unit_column, "
		"neighbours, max_groups, max_rows, accounting, epsilon, delta, "
		"min_epsilon, min_duration) VALUES "
		"($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
		&parameters);
	PG_RETURN_VOID();
}

static SdcDataset *
own_dataset(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		sdcpg_args_null("dataset");
	return sdcpg_dataset_need_owner(text_to_cstring(PG_GETARG_TEXT_PP(0)));
}

/* drop_dataset(dataset text) */
Datum
sdcf_drop_dataset(PG_FUNCTION_ARGS)
{
	SdcCatalogParameters parameters = {0};
	SdcDataset *dataset = own_dataset(fcinfo);

	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(dataset->id),
					   false);
	sdcpg_catalog_write("dp_dataset",
						"UPDATE sdc.dp_dataset SET dropped = true WHERE id "
						"OPERATOR(pg_catalog.=) $1",
						&parameters);
	PG_RETURN_VOID();
}

/* dp_grant(dataset text, role regrole, epsilon numeric, delta numeric) */
Datum
sdcf_grant_budget(PG_FUNCTION_ARGS)
{
	SdcCatalogParameters parameters = {0};
	SdcDataset *dataset = own_dataset(fcinfo);
	static const char *const name[] = {"dataset", "role", "epsilon", "delta"};
	int i;

	for (i = 1; i < 4; i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(name[i]);
	(void) GetUserNameFromId(PG_GETARG_OID(1), false);
	(void) sdcpg_budget_limit(dataset->accounting, PG_GETARG_NUMERIC(2),
							  PG_GETARG_NUMERIC(3));
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(dataset->id),
					   false);
	sdcpg_catalog_bind(&parameters, OIDOID, PG_GETARG_DATUM(1), false);
	sdcpg_catalog_bind(&parameters, NUMERICOID, PG_GETARG_DATUM(2), false);
	sdcpg_catalog_bind(&parameters, NUMERICOID, PG_GETARG_DATUM(3), false);
	/* a role that had a budget goes on with what it has spent */
	if (sdcpg_catalog_write(
			"dp_budget",
			"UPDATE sdc.dp_budget SET epsilon = $3, delta = $4 WHERE dataset "
			"OPERATOR(pg_catalog.=) $1 AND role::pg_catalog.oid "
			"OPERATOR(pg_catalog.=) $2",
			&parameters) > 0)
		PG_RETURN_VOID();
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(new_budget()),
					   false);
	sdcpg_catalog_write(
		"dp_budget",
		"INSERT INTO sdc.dp_budget (dataset, role, epsilon, delta, id) "
		"VALUES ($1, $2::pg_catalog.regrole, $3, $4, $5)",
		&parameters);
	PG_RETURN_VOID();
}
