/*
 * dataset.c
 *		Data sets that strangers may ask, and their budgets as whole numbers.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/privacy/discrete_noise.h"
#include "topic/privacy/dataset.h"
#include "topic/privacy/dp_aggregates.h"
#include "topic/privacy/ledger.h"
#include "topic/privacy/request.h"

/* ----------------------------------------------------------------------
 * Amounts of privacy as whole numbers: what a request costs, what a
 * budget holds.
 *
 * A numeric is brought to whole units by numeric arithmetic;
 * no double is on the way but for rho.
 * ----------------------------------------------------------------------
 */

#define FIRST_DIGITS  9
#define SECOND_DIGITS 18

const char *const sdcpg_budget_accounting[] = {"pure", "approx", "zcdp", NULL};

static Numeric
numeric_of(const char *text)
{
	return DatumGetNumeric(
		DirectFunctionCall3(numeric_in, CStringGetDatum(text),
							ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

static int
compare(Numeric a, const char *b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(a),
											 NumericGetDatum(numeric_of(b))));
}

/* A value that has been checked in whole units of 10^-digits. */
static int64
units(Numeric value, int digits, bool up)
{
	Datum scaled = DirectFunctionCall2(
		numeric_mul, NumericGetDatum(value),
		NumericGetDatum(numeric_of(digits == FIRST_DIGITS ? "1e9" : "1e18")));

	scaled = up ? DirectFunctionCall1(numeric_ceil, scaled)
				: DirectFunctionCall1(numeric_floor, scaled);
	return DatumGetInt64(DirectFunctionCall1(numeric_int8, scaled));
}

/* Stops unless low <= value <= high. */
static void
check_epsilon(Numeric epsilon, const char *low, const char *high)
{
	if (numeric_is_nan(epsilon) || compare(epsilon, low) < 0 ||
		compare(epsilon, high) > 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"%s\" must lie between %s and %s",
							   "epsilon", low, high)));
}

static void
check_delta(SdcAccounting accounting, Numeric delta)
{
	if (numeric_is_nan(delta) || compare(delta, "0") < 0 ||
		compare(delta, "1") >= 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"%s\" must be at least 0 and less "
							   "than 1",
							   "delta")));
	if (accounting == SDC_ACCOUNTING_PURE && compare(delta, "0") > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a data set with pure accounting has no delta"),
				 errhint("Make the data set with accounting \"approx\".")));
}

/* (sqrt(l + epsilon) - sqrt(l))^2 with l = ln(1 / delta), rounded down. */
static int64
limit_of_rho(Numeric epsilon, Numeric delta)
{
	double e = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
												  NumericGetDatum(epsilon)));
	double d = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
												  NumericGetDatum(delta)));
	double l;
	double root;

	if (e <= 0)
		return 0;
	if (d <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("zcdp accounting needs a delta above 0"),
				 errdetail("It holds for epsilon and delta together.")));
	l = -log(d);
	root = e / (sqrt(l + e) + sqrt(l));
	return (int64) floor(root * root * 1e9 * (1 - 1e-12));
}

SdcAmount
sdcpg_budget_limit(SdcAccounting accounting, Numeric epsilon, Numeric delta)
{
	SdcAmount limit;

	check_epsilon(epsilon, "0", "1000000000");
	check_delta(accounting, delta);
	if (accounting == SDC_ACCOUNTING_ZCDP)
	{
		limit.first = limit_of_rho(epsilon, delta);
		limit.second = 0;
		return limit;
	}
	limit.first = units(epsilon, FIRST_DIGITS, false);
	limit.second = units(delta, SECOND_DIGITS, false);
	return limit;
}

SdcAmount
sdcpg_budget_cost(SdcAccounting accounting, Numeric epsilon, Numeric delta,
				  int64 *rest)
{
	SdcAmount cost;

	check_epsilon(epsilon, "0.000000001", "1024");
	check_delta(accounting, delta);
	if (accounting == SDC_ACCOUNTING_ZCDP && compare(delta, "0") > 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("requests of a data set with zcdp accounting "
							   "have no delta of their own")));
	*rest = units(epsilon, FIRST_DIGITS, false);
	cost.first = units(epsilon, FIRST_DIGITS, true);
	cost.second = units(delta, SECOND_DIGITS, true);
	if (accounting == SDC_ACCOUNTING_ZCDP)
	{
		/* epsilon^2 / 2 (Bun and Steinke 2016, proposition 1.4) */
		SdcUint128 square = (SdcUint128) cost.first * cost.first;

		cost.first = (int64) ((square + 1999999999) / 2000000000);
	}
	return cost;
}

Datum
sdcpg_budget_numeric(int64 amount, int digits)
{
	int64 one = digits == FIRST_DIGITS ? INT64CONST(1000000000)
									   : INT64CONST(1000000000000000000);
	int64 size = amount < 0 ? -amount : amount;
	char *text =
		psprintf("%s%lld.%0*lld", amount < 0 ? "-" : "",
				 (long long) (size / one), digits, (long long) (size % one));

	return DirectFunctionCall1(numeric_trim_scale,
							   NumericGetDatum(numeric_of(text)));
}

/* ----------------------------------------------------------------------
 * Data sets that strangers may ask: what was declared, and who may ask.
 *
 * Who asks need not be able to read the relation: it is read
 * as its owner, by queries that this code writes.
 * ----------------------------------------------------------------------
 */

static char *
text_or_null(const SdcCatalogRows *rows, int column)
{
	return rows->isnull[0][column]
			   ? NULL
			   : TextDatumGetCString(rows->value[0][column]);
}

/* The position of a word that the table itself has checked. */
static int
word_of(Datum word, const char *const *choices)
{
	return sdcpg_args_choice("word", DatumGetTextPP(word), choices);
}

const char *const sdcpg_neighbours_words[] = {"add_remove", "replace", NULL};

/* A data set by name, dropped or not; NULL when there is none. */
static SdcDataset *
dataset_find(const char *name)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	SdcDataset *dataset;
	Datum *value;

	sdcpg_catalog_bind_text(&parameters, name);
	rows = sdcpg_catalog_read_latest(
		"dp_dataset",
		"SELECT id, relation::pg_catalog.oid, relation_name, "
		"unit_column::pg_catalog.text, neighbours, max_groups, max_rows, "
		"accounting, epsilon, delta, "
		"dropped, min_epsilon, (1000000 OPERATOR(pg_catalog.*) "
		"pg_catalog.date_part('epoch', min_duration))::pg_catalog.int8, "
		"unit_place FROM sdc.dp_dataset WHERE name OPERATOR(pg_catalog.=) $1",
		&parameters);
	if (rows->count == 0)
		return NULL;
	value = rows->value[0];
	dataset = palloc0(sizeof(SdcDataset));
	dataset->id = DatumGetInt64(value[0]);
	dataset->name = pstrdup(name);
	dataset->oid = DatumGetObjectId(value[1]);
	dataset->relation_name = text_or_null(rows, 2);
	dataset->unit = text_or_null(rows, 3);
	dataset->neighbours = word_of(value[4], sdcpg_neighbours_words);
	dataset->max_groups = DatumGetInt32(value[5]);
	dataset->max_rows = DatumGetInt32(value[6]);
	dataset->accounting = word_of(value[7], sdcpg_budget_accounting);
	dataset->limit =
		sdcpg_budget_limit(dataset->accounting, DatumGetNumeric(value[8]),
						   DatumGetNumeric(value[9]));
	dataset->dropped = DatumGetBool(value[10]);
	dataset->min_epsilon = DatumGetNumeric(value[11]);
	dataset->min_duration = DatumGetInt64(value[12]);
	dataset->unit_place = text_or_null(rows, 13);
	return dataset;
}

static bool
find_grant(const SdcDataset *dataset, Oid role, SdcBudget *grant)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(dataset->id),
					   false);
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(role), false);
	rows = sdcpg_catalog_read_latest(
		"dp_budget",
		"SELECT id, epsilon, delta FROM sdc.dp_budget WHERE dataset "
		"OPERATOR(pg_catalog.=) $1 AND role::pg_catalog.oid "
		"OPERATOR(pg_catalog.=) $2",
		&parameters);
	if (rows->count == 0)
		return false;
	grant->id = DatumGetInt64(rows->value[0][0]);
	grant->limit = sdcpg_budget_limit(dataset->accounting,
									  DatumGetNumeric(rows->value[0][1]),
									  DatumGetNumeric(rows->value[0][2]));
	return true;
}

SdcDataset *
sdcpg_dataset_need(const char *name, SdcBudget *grant)
{
	SdcDataset *dataset = dataset_find(name);

	if (dataset == NULL || dataset->dropped ||
		!find_grant(dataset, GetUserId(), grant))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("no budget of a data set \"%s\" was granted to role "
						"\"%s\"",
						name, GetUserNameFromId(GetUserId(), false)),
				 errhint("The owner of the table grants one with "
						 "sdc.grant_budget.")));
	return dataset;
}

/* The same for its curator: stops unless the caller owns the relation. */
static SdcDataset *
dataset_need_owner(const char *name)
{
	SdcDataset *dataset = dataset_find(name);
	SdcRelation relation = {0};

	if (dataset == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("data set \"%s\" does not exist", name)));
	relation.oid = dataset->oid;
	relation.name = dataset->relation_name;
	/* without its table a data set belongs to who owns the extension */
	if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(dataset->oid)))
		sdcpg_catalog_need_owner(&relation);
	else if (!has_privs_of_role(GetUserId(),
								sdcpg_catalog_owner("dp_dataset")))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the relation of data set \"%s\" is gone", name)));
	return dataset;
}

/* Stops unless a relation is a table or materialized view of its own. */
static void
dataset_check_kind(const SdcRelation *relation)
{
	char kind = get_rel_relkind(relation->oid);

	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE &&
		kind != RELKIND_MATVIEW)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" cannot be a data set", relation->name),
				 errdetail("Tables, partitioned tables and materialized views "
						   "can; a view or a foreign table would run code "
						   "of others for each request.")));
	if (get_rel_persistence(relation->oid) == RELPERSISTENCE_TEMP)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" cannot be a data set", relation->name),
						errdetail("It is a temporary table.")));
}

/*
 * Partitions and tables that inherit are read, too.  When a query is planned,
 * functions in their indexes and constraints run with the rights of who owns
 * the whole: whoever owns a part must have these anyway.
 */
static void
check_children(const SdcRelation *relation, Oid owner)
{
	List *children;
	ListCell *cell;

	if (!has_subclass(relation->oid))
		return;
	children = find_all_inheritors(relation->oid, AccessShareLock, NULL);
	foreach (cell, children)
	{
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE)
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("\"%s\" has a part that is a foreign table",
							relation->name),
					 errdetail("Another server would see what is asked.")));
		if (!has_privs_of_role(sdcpg_relation_owner(lfirst_oid(cell)), owner))
			ereport(
				ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("\"%s\" has a part of another owner", relation->name),
				 errdetail("Functions in its indexes and constraints "
						   "would run with the rights of the owner of "
						   "the table, whoever asks."),
				 errhint("ALTER TABLE OWNER gives both one owner.")));
	}
}

/*
 * Stops when another column has the name of the unit, as after two were
 * swapped: whoever has many rows would be protected as one who has one.
 */
static void
check_unit_place(const SdcDataset *dataset)
{
	AttrNumber number = dataset->unit == NULL
							? InvalidAttrNumber
							: get_attnum(dataset->oid, dataset->unit);

	if (sdcpg_relation_column_moved(dataset->unit_place, dataset->oid, number))
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("column \"%s\" is not the one that was declared as the "
					"unit of data set \"%s\"",
					dataset->unit, dataset->name),
			 errhint("Its curator declares the unit with "
					 "sdc.create_dataset; what was spent stays spent.")));
}

SdcRelation *
sdcpg_dataset_relation(const SdcDataset *dataset, Oid *owner)
{
	SdcRelation *relation = NULL;

	LockRelationOid(dataset->oid, AccessShareLock);
	if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(dataset->oid)))
		relation = sdcpg_relation_look_up(dataset->oid);
	if (relation == NULL || strcmp(relation->sql, dataset->relation_name) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the relation of data set \"%s\" is gone or has "
						"another name",
						dataset->name),
				 errhint("Its curator declares where it is with "
						 "sdc.create_dataset; what was spent stays "
						 "spent.")));
	dataset_check_kind(relation);
	check_unit_place(dataset);
	*owner = sdcpg_relation_owner(dataset->oid);
	check_children(relation, *owner);
	if (check_enable_rls(dataset->oid, *owner, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("row-level security of \"%s\" holds for its owner",
						relation->name),
				 errdetail("Its policies would run for each request.")));
	return relation;
}

/* The elements of a text[]. */
static char **
texts(Datum array, int *count)
{
	Datum *element;
	bool *isnull;
	char **found;
	int i;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false,
					  TYPALIGN_INT, &element, &isnull, count);
	found = palloc(sizeof(char *) * (*count + 1));
	for (i = 0; i < *count; i++)
		found[i] = TextDatumGetCString(element[i]);
	return found;
}

SdcDatasetColumn *
sdcpg_dataset_column(const SdcDataset *dataset, const SdcRelation *relation,
					 const char *name)
{
	SdcDatasetColumn *column = palloc0(sizeof(SdcDatasetColumn));
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	column->column = sdcpg_relation_column(relation, name);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(dataset->id),
					   false);
	sdcpg_catalog_bind_text(&parameters, name);
	rows = sdcpg_catalog_read_latest(
		"dp_dataset_column",
		"SELECT lower, upper, categories FROM sdc.dp_dataset_column WHERE "
		"dataset OPERATOR(pg_catalog.=) $1 AND column_name "
		"OPERATOR(pg_catalog.=) $2::pg_catalog.name",
		&parameters);
	if (rows->count == 0)
		return column;
	/* the type may have been changed since */
	column->bounded = sdcpg_number_is_arithmetic(column->column.base) &&
					  !rows->isnull[0][0] && !rows->isnull[0][1];
	if (column->bounded)
	{
		column->lower = DatumGetNumeric(rows->value[0][0]);
		column->upper = DatumGetNumeric(rows->value[0][1]);
	}
	if (!rows->isnull[0][2])
		column->category = texts(rows->value[0][2], &column->categories);
	return column;
}

void
sdcpg_dataset_act(SdcActing *acting, Oid owner)
{
	/* what is written as text must be read again the same way */
	static const char *const settings[][2] = {
		{"search_path", "pg_catalog, pg_temp"},
		{"client_min_messages", "error"},
		{"DateStyle", "ISO, YMD"},
		{"TimeZone", "UTC"},
		{"array_nulls", "on"},
		{"debug_print_parse", "off"},
		{"debug_print_rewritten", "off"},
		{"debug_print_plan", "off"},
		/* how rows are read must not be for the caller to say */
		{"enable_seqscan", "on"},
		{"enable_indexonlyscan", "off"},
		{"jit", "off"},
		{"max_parallel_workers_per_gather", "0"},
		{"synchronize_seqscans", "off"}};
	char limit[16];
	int i;

	GetUserIdAndSecContext(&acting->user, &acting->context);
	SetUserIdAndSecContext(owner, acting->context |
									  SECURITY_LOCAL_USERID_CHANGE |
									  SECURITY_RESTRICTED_OPERATION);
	acting->level = NewGUCNestLevel();
	sdcpg_print_alike();
	for (i = 0; i < lengthof(settings); i++)
		sdcpg_set_for_now(settings[i][0], settings[i][1]);
	/* an error at a limit of the caller's choice would tell of sizes */
	snprintf(limit, sizeof(limit), "%d", sdcpg_dp_memory_limit);
	(void) set_config_option("sdc.memory_ceiling", limit, PGC_SUSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("sdc.memory_limit", limit, PGC_SUSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

void
sdcpg_dataset_act_end(const SdcActing *acting)
{
	AtEOXact_GUC(false, acting->level);
	SetUserIdAndSecContext(acting->user, acting->context);
}

/* ----------------------------------------------------------------------
 * sdc.create_dataset, drop_dataset, grant_budget: which tables may be
 * asked, by whom, and how often.
 *
 * A data set keeps its budget for good: dropped and made again under its
 * name, it goes on with what was spent.  A table that has, or had, a data set
 * gets another budget only when that is said in so many words.
 * ----------------------------------------------------------------------
 */

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
	int i;

	for (i = 0; i < ARGUMENTS; i++)
		if (i != UNIT_COLUMN)
			sdcpg_args_need(fcinfo, i);
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

/* What has records of what: partitions, heirs, and sources of views. */
#define MADE_OF                                                               \
	"WITH RECURSIVE made(whole, part) AS (SELECT inhparent, inhrelid FROM "   \
	"pg_catalog.pg_inherits UNION ALL SELECT w.ev_class, d.refobjid FROM "    \
	"pg_catalog.pg_rewrite AS w JOIN pg_catalog.pg_depend AS d ON d.classid " \
	"OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass "    \
	"AND d.objid OPERATOR(pg_catalog.=) w.oid AND d.refclassid "              \
	"OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass"

/*
 * Data sets with records of relation $1, which is called $2: of itself, of
 * what it is part of or is made of, and of what has a part or a source in
 * common; also of what it was a part of when that was asked.
 */
static const char *const related_query = MADE_OF
	" UNION "
	"ALL SELECT d.relation::pg_catalog.oid, p.part::pg_catalog.oid FROM "
	"sdc.dp_dataset_part AS p JOIN sdc.dp_dataset AS d ON d.id "
	"OPERATOR(pg_catalog.=) p.dataset), "
	"holds(whole, part) AS (SELECT r.oid, r.oid FROM (SELECT $1 UNION SELECT "
	"relation::pg_catalog.oid FROM sdc.dp_dataset) AS r(oid) UNION SELECT "
	"h.whole, m.part FROM holds AS h JOIN made AS m ON m.whole "
	"OPERATOR(pg_catalog.=) h.part) SELECT d.name FROM sdc.dp_dataset AS d "
	"WHERE d.relation_name OPERATOR(pg_catalog.=) $2 OR EXISTS (SELECT FROM "
	"holds AS a JOIN holds AS b ON b.part OPERATOR(pg_catalog.=) a.part WHERE "
	"a.whole OPERATOR(pg_catalog.=) $1 AND b.whole OPERATOR(pg_catalog.=) "
	"d.relation::pg_catalog.oid) ORDER BY d.id";

void
sdcpg_dataset_note_parts(int64 dataset, Oid relation)
{
	SdcCatalogParameters parameters = {0};
	char kind = get_rel_relkind(relation);

	if (kind == '\0' || (kind != RELKIND_MATVIEW && !has_subclass(relation)))
		return;
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(dataset), false);
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(relation), false);
	/* two at once may both note a part, and need not wait for each other */
	(void) sdcpg_catalog_write_often(
		"dp_dataset_part",
		"INSERT INTO sdc.dp_dataset_part (dataset, part) " MADE_OF
		"), held(part) AS (SELECT $2 UNION SELECT m.part FROM held AS h JOIN "
		"made AS m ON m.whole OPERATOR(pg_catalog.=) h.part) SELECT $1, "
		"h.part::pg_catalog.regclass FROM held AS h WHERE h.part "
		"OPERATOR(pg_catalog.<>) $2 AND NOT EXISTS (SELECT FROM "
		"sdc.dp_dataset_part AS p WHERE p.dataset OPERATOR(pg_catalog.=) $1 "
		"AND p.part::pg_catalog.oid OPERATOR(pg_catalog.=) h.part)",
		&parameters);
}

static SdcCatalogRows *
read_related(Oid relation, const char *name)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(relation), false);
	sdcpg_catalog_bind_text(&parameters, name);
	return sdcpg_catalog_read_owned("dp_dataset", related_query, &parameters);
}

/* Stops when the records have, or had, another data set. */
static void
check_first(const SdcRelation *relation)
{
	SdcCatalogRows *rows = read_related(relation->oid, relation->sql);

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

/* $1 to $14: the columns of sdc.dp_dataset in their order but for dropped. */
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
	if (PG_ARGISNULL(UNIT_COLUMN))
		sdcpg_catalog_bind(parameters, TEXTOID, (Datum) 0, true);
	else
		sdcpg_catalog_bind_text(
			parameters,
			sdcpg_relation_column_place(
				relation->oid,
				get_attnum(relation->oid,
						   NameStr(*PG_GETARG_NAME(UNIT_COLUMN)))));
}

/* A promise for persons does not follow from one for their rows. */
static void
warn_of_units(const SdcDataset *known, FunctionCallInfo fcinfo,
			  SdcAmount spent)
{
	const char *unit = PG_ARGISNULL(UNIT_COLUMN)
						   ? NULL
						   : NameStr(*PG_GETARG_NAME(UNIT_COLUMN));
	bool same = unit == NULL || known->unit == NULL
					? unit == known->unit
					: strcmp(unit, known->unit) == 0;

	if (spent.first == 0 || same)
		return;
	ereport(WARNING,
			(errmsg("what was spent of data set \"%s\" was spent for other "
					"units",
					known->name),
			 errdetail("Answers that were given before protect %s, not what "
					   "is a unit now.",
					   known->unit == NULL ? "single rows"
										   : "what its column said then"),
			 errhint("Of units with many rows more is known than the account "
					 "says: lower epsilon by that, or ask nothing more.")));
}

/* Goes on with a data set of that name. */
static void
continue_dataset(FunctionCallInfo fcinfo, const SdcDataset *known,
				 const SdcRelation *relation, SdcAccounting accounting)
{
	SdcCatalogParameters parameters = {0};
	SdcAmount spent = sdcpg_ledger_spent(known->id);

	(void) dataset_need_owner(known->name);
	/* the budget stays with the records, wherever they are by now */
	if (known->oid != relation->oid &&
		(strcmp(known->relation_name, relation->sql) != 0 ||
		 SearchSysCacheExists1(RELOID, ObjectIdGetDatum(known->oid))))
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
						errmsg("data set \"%s\" is one of another relation",
							   known->name),
						errhint("If this one takes its place, drop that one "
								"first.")));
	if (known->accounting != accounting)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the accounting of data set \"%s\" cannot be changed",
						known->name),
				 errdetail("What was spent is counted in its units.")));
	bind_dataset(&parameters, fcinfo, known->id, relation);
	sdcpg_catalog_write(
		"dp_dataset",
		"UPDATE sdc.dp_dataset SET name = $2, relation = $3, "
		"relation_name = $4, "
		"unit_column = $5, neighbours = $6, max_groups = $7, max_rows = $8, "
		"accounting = $9, epsilon = $10, delta = $11, min_epsilon = $12, "
		"min_duration = $13, unit_place = $14, dropped = false "
		"WHERE id OPERATOR(pg_catalog.=) $1",
		&parameters);
	sdcpg_dataset_note_parts(known->id, relation->oid);
	warn_of_units(known, fcinfo, spent);
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
	int64 id;

	check_arguments(fcinfo);
	sdcpg_need_coordinator("create a data set");
	accounting = (SdcAccounting) sdcpg_args_choice(
		"accounting", PG_GETARG_TEXT_PP(ACCOUNTING), sdcpg_budget_accounting);
	(void) sdcpg_budget_limit(accounting, PG_GETARG_NUMERIC(EPSILON),
							  PG_GETARG_NUMERIC(DELTA));
	relation = sdcpg_relation_look_up(PG_GETARG_OID(REL));
	sdcpg_catalog_need_owner(relation);
	dataset_check_kind(relation);
	if (!PG_ARGISNULL(UNIT_COLUMN))
		check_unit(relation, NameStr(*PG_GETARG_NAME(UNIT_COLUMN)));
	name = text_to_cstring(PG_GETARG_TEXT_PP(NAME));
	/* two at once would not see each other's data set */
	LockRelationOid(
		get_relname_relid("dp_dataset", get_namespace_oid("sdc", false)),
		ShareRowExclusiveLock);
	known = dataset_find(name);
	if (known != NULL)
	{
		continue_dataset(fcinfo, known, relation, accounting);
		PG_RETURN_VOID();
	}
	if (!PG_GETARG_BOOL(ANEW))
		check_first(relation);
	id = new_budget();
	bind_dataset(&parameters, fcinfo, id, relation);
	sdcpg_catalog_write(
		"dp_dataset",
		"INSERT INTO sdc.dp_dataset (id, name, relation, relation_name, "
		"unit_column, "
		"neighbours, max_groups, max_rows, accounting, epsilon, delta, "
		"min_epsilon, min_duration, unit_place) VALUES "
		"($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
		&parameters);
	sdcpg_dataset_note_parts(id, relation->oid);
	PG_RETURN_VOID();
}

static SdcDataset *
own_dataset(FunctionCallInfo fcinfo)
{
	return dataset_need_owner(sdcpg_args_text(fcinfo, 0));
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

	sdcpg_args_need_first(fcinfo, 4);
	(void) GetUserNameFromId(PG_GETARG_OID(1), false);
	(void) sdcpg_budget_limit(dataset->accounting, PG_GETARG_NUMERIC(2),
							  PG_GETARG_NUMERIC(3));
	sdcpg_dataset_note_parts(dataset->id, dataset->oid);
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

/* ----------------------------------------------------------------------
 * sdc.describe_column: what is public about a column of a data set.
 *
 * Bounds and categories are kept as numbers and texts, not in the type of the
 * column: they are read again, in that type, by each request.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_describe_column);

/* Stops unless there are two ordered bounds, whole for whole numbers. */
static void
check_bounds(const SdcRelationColumn *column, Numeric lower, Numeric upper)
{
	bool whole = column->base == INT2OID || column->base == INT4OID ||
				 column->base == INT8OID;
	Numeric bound[2] = {lower, upper};
	int i;

	if (!whole && column->base != FLOAT4OID && column->base != FLOAT8OID &&
		column->base != NUMERICOID)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" is not a number", column->name)));
	for (i = 0; i < 2; i++)
	{
		Datum given = NumericGetDatum(bound[i]);

		if (numeric_is_nan(bound[i]) || numeric_is_inf(bound[i]) ||
			isinf(DatumGetFloat8(
				DirectFunctionCall1(numeric_float8_no_overflow, given))))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("argument \"%s\" must be finite",
								   i == 0 ? "lower" : "upper")));
		if (whole &&
			DatumGetInt32(DirectFunctionCall2(
				numeric_cmp, DirectFunctionCall1(numeric_floor, given),
				given)) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("bounds of a column of whole numbers must be "
							"whole")));
		/* the kernels take 62 bits */
		if (whole)
			(void) DirectFunctionCall1(numeric_int8, given);
	}
	if (DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(lower),
										  NumericGetDatum(upper))) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"lower\" must not be above \"upper\"")));
}

/* The categories as the type of the column writes them; all differ. */
static Datum
check_categories(const SdcRelationColumn *column, ArrayType *array)
{
	int count;
	char **given = sdcpg_request_texts("categories", array, &count);
	TypeCacheEntry *type =
		lookup_type_cache(column->base, TYPECACHE_EQ_OPR_FINFO);
	Datum *value = palloc(sizeof(Datum) * count);
	ArrayBuildState *written = NULL;
	Oid input;
	Oid output;
	Oid parameter;
	bool variable;
	int i;
	int j;

	if (!OidIsValid(type->eq_opr_finfo.fn_oid))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("values of column \"%s\" cannot be compared",
							   column->name)));
	getTypeInputInfo(column->base, &input, &parameter);
	getTypeOutputInfo(column->base, &output, &variable);
	for (i = 0; i < count; i++)
	{
		value[i] = OidInputFunctionCall(input, given[i], parameter, -1);
		CHECK_FOR_INTERRUPTS();
		for (j = 0; j < i; j++)
			if (DatumGetBool(FunctionCall2Coll(&type->eq_opr_finfo,
											   DEFAULT_COLLATION_OID, value[j],
											   value[i])))
				ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
								errmsg("the categories must all differ")));
		written = accumArrayResult(
			written,
			CStringGetTextDatum(OidOutputFunctionCall(output, value[i])),
			false, TEXTOID, CurrentMemoryContext);
	}
	return makeArrayResult(written, CurrentMemoryContext);
}

/*
 * dp_column(dataset text, column_name name, lower numeric, upper numeric,
 *           categories text[])
 */
Datum
sdcf_describe_column(PG_FUNCTION_ARGS)
{
	SdcCatalogParameters parameters = {0};
	SdcDataset *dataset;
	SdcRelation *relation;
	SdcRelationColumn column;
	Datum categories = 0;
	SdcActing acting;
	Oid owner;
	int i;

	sdcpg_args_need_first(fcinfo, 2);
	dataset = dataset_need_owner(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	relation = sdcpg_dataset_relation(dataset, &owner);
	column = sdcpg_relation_column(relation, NameStr(*PG_GETARG_NAME(1)));
	if (PG_ARGISNULL(2) != PG_ARGISNULL(3))
		sdcpg_args_null(PG_ARGISNULL(2) ? "lower" : "upper");
	if (!PG_ARGISNULL(2))
		check_bounds(&column, PG_GETARG_NUMERIC(2), PG_GETARG_NUMERIC(3));
	if (!PG_ARGISNULL(4))
	{
		sdcpg_dataset_act(&acting, owner);
		categories = check_categories(&column, PG_GETARG_ARRAYTYPE_P(4));
		sdcpg_dataset_act_end(&acting);
	}
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(dataset->id),
					   false);
	sdcpg_catalog_bind(&parameters, NAMEOID, PG_GETARG_DATUM(1), false);
	for (i = 2; i < 4; i++)
		sdcpg_catalog_bind(&parameters, NUMERICOID,
						   PG_ARGISNULL(i) ? (Datum) 0 : PG_GETARG_DATUM(i),
						   PG_ARGISNULL(i));
	sdcpg_catalog_bind(&parameters, TEXTARRAYOID, categories, PG_ARGISNULL(4));
	sdcpg_catalog_write(
		"dp_dataset_column",
		"INSERT INTO sdc.dp_dataset_column (dataset, column_name, lower, "
		"upper, categories) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (dataset, "
		"column_name) DO UPDATE SET lower = excluded.lower, upper = "
		"excluded.upper, categories = excluded.categories",
		&parameters);
	PG_RETURN_VOID();
}

/* ----------------------------------------------------------------------
 * sdc.check_dataset: what the guarantee for a data set does not cover.
 *
 * Rights that would let a role read more than its answers, and what the
 * server tells everyone.  All of it is in the catalogs, which are read as the
 * caller.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_check_dataset);

/* Requests below this cost are worth a warning. */
#define LEAST_COST 0.0001

/*
 * What somebody can do who is, or by SET ROLE or a GRANT to himself can
 * become, a role; $1 is the relation, $2 the role.  Who reads what a table is
 * part of reads it, too.  Each row is name, value, sentence.
 */
static const char *const rights_query =
	"WITH RECURSIVE somebody AS (SELECT a.oid, a.rolname, a.rolsuper, "
	"a.rolreplication, a.rolcreaterole FROM pg_catalog.pg_roles AS a WHERE "
	"pg_catalog.pg_has_role($2, a.oid, 'MEMBER') UNION SELECT a.oid, "
	"a.rolname, a.rolsuper, a.rolreplication, a.rolcreaterole FROM somebody "
	"AS s JOIN pg_catalog.pg_roles AS a ON (s.rolcreaterole AND NOT "
	"a.rolsuper AND pg_catalog.current_setting('server_version_num')"
	"::pg_catalog.int4 OPERATOR(pg_catalog.<) 160000) OR "
	"pg_catalog.pg_has_role(s.oid, a.oid, 'MEMBER')), above(oid) AS (SELECT "
	"$1 UNION SELECT i.inhparent FROM above JOIN pg_catalog.pg_inherits AS i "
	"ON i.inhrelid OPERATOR(pg_catalog.=) above.oid), below(oid) AS (SELECT "
	"$1 UNION SELECT i.inhrelid FROM below JOIN pg_catalog.pg_inherits AS i "
	"ON i.inhparent OPERATOR(pg_catalog.=) below.oid), held AS (SELECT oid "
	"FROM above UNION SELECT oid FROM below), viewed(oid) AS (SELECT oid "
	"FROM held UNION SELECT w.ev_class FROM viewed JOIN pg_catalog.pg_depend "
	"AS d ON d.refobjid OPERATOR(pg_catalog.=) viewed.oid AND d.classid "
	"OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass "
	"JOIN pg_catalog.pg_rewrite AS w ON w.oid OPERATOR(pg_catalog.=) "
	"d.objid), domain(whole, base, owner) AS (SELECT y.oid, y.typbasetype, "
	"y.typowner FROM pg_catalog.pg_type AS y WHERE y.typtype "
	"OPERATOR(pg_catalog.=) 'd' UNION SELECT m.whole, y.typbasetype, "
	"y.typowner FROM domain AS m JOIN pg_catalog.pg_type AS y ON y.oid "
	"OPERATOR(pg_catalog.=) m.base AND y.typtype OPERATOR(pg_catalog.=) 'd') "
	"SELECT c.name, CASE WHEN c.open THEN 1 ELSE 0 "
	"END::pg_catalog.float8, c.detail FROM (VALUES (1, 'superuser', "
	"EXISTS (SELECT FROM somebody AS r WHERE r.rolsuper), 'A superuser "
	"reads everything and can set the budgets back.'), (2, 'owner', "
	"EXISTS (SELECT FROM somebody AS r JOIN pg_catalog.pg_class AS t ON "
	"t.relowner OPERATOR(pg_catalog.=) r.oid JOIN held ON held.oid "
	"OPERATOR(pg_catalog.=) t.oid), 'The owner of the table, of a part of it "
	"or of what it is part of reads it.'), (3, 'select', EXISTS (SELECT FROM "
	"held AS t, somebody AS r WHERE "
	"pg_catalog.has_any_column_privilege(r.oid, t.oid, 'SELECT')), 'SELECT "
	"on the table, a column or a part of it, or on what it is part of, needs "
	"no budget.'), (4, 'write', EXISTS (SELECT FROM held AS t, somebody AS r "
	"WHERE pg_catalog.has_table_privilege(r.oid, t.oid, 'INSERT, UPDATE, "
	"DELETE, TRUNCATE, TRIGGER, REFERENCES') OR "
	"pg_catalog.has_any_column_privilege(r.oid, t.oid, 'INSERT, UPDATE, "
	"REFERENCES')), 'Who writes the table can have it answer about rows "
	"of its own, and learns from errors which keys exist.'), (5, 'foreign "
	"keys', EXISTS (SELECT FROM held AS t JOIN pg_catalog.pg_constraint AS k "
	"ON k.confrelid OPERATOR(pg_catalog.=) t.oid, somebody AS r WHERE "
	"k.conrelid OPERATOR(pg_catalog.<>) t.oid AND "
	"(pg_catalog.has_table_privilege(r.oid, k.conrelid, 'INSERT, UPDATE') "
	"OR pg_catalog.has_any_column_privilege(r.oid, k.conrelid, 'INSERT, "
	"UPDATE'))) OR EXISTS (SELECT FROM held AS t JOIN "
	"pg_catalog.pg_constraint AS k ON k.conrelid OPERATOR(pg_catalog.=) "
	"t.oid AND k.contype OPERATOR(pg_catalog.=) 'f', somebody AS r WHERE "
	"k.confrelid OPERATOR(pg_catalog.<>) t.oid AND "
	"(pg_catalog.has_table_privilege(r.oid, k.confrelid, 'DELETE, UPDATE') "
	"OR pg_catalog.has_any_column_privilege(r.oid, k.confrelid, "
	"'UPDATE'))), 'Who writes a table that refers to this one, or that this "
	"one refers to, learns from errors which keys exist.'), (6, "
	"'replication', EXISTS (SELECT FROM somebody AS r "
	"WHERE r.rolreplication), 'A copy of the server holds the table.'), "
	"(7, 'statistics role', EXISTS (SELECT FROM somebody AS r WHERE "
	"r.rolname::pg_catalog.text OPERATOR(pg_catalog.=) ANY "
	"(ARRAY['pg_read_all_stats', 'pg_stat_scan_tables', 'pg_monitor'])), "
	"'Roles that monitor see queries, and what they cost, of all.'), (8, "
	"'server files', EXISTS (SELECT FROM somebody AS r WHERE "
	"r.rolname::pg_catalog.text OPERATOR(pg_catalog.=) ANY "
	"(ARRAY['pg_read_server_files', "
	"'pg_write_server_files', 'pg_execute_server_program'])), 'Files of "
	"the server hold the table.'), (9, 'aggregates with noise', EXISTS "
	"(SELECT FROM pg_catalog.pg_proc AS p, somebody AS r WHERE "
	"p.pronamespace OPERATOR(pg_catalog.=) 'sdc'::pg_catalog.regnamespace "
	"AND p.proname::pg_catalog.text OPERATOR(pg_catalog.=) ANY "
	"(ARRAY['dp_count', 'dp_sum', 'dp_avg', 'dp_var', 'dp_stddev', "
	"'dp_median', 'dp_quantile', 'dp_mode']) AND "
	"pg_catalog.has_function_privilege(r.oid, p.oid, 'EXECUTE')), 'They "
	"count no budget; they need SELECT on the table, too.'), (10, "
	"'views', EXISTS (SELECT FROM viewed AS v, somebody AS r WHERE v.oid "
	"OPERATOR(pg_catalog.<>) ALL (SELECT held.oid FROM held) AND "
	"pg_catalog.has_any_column_privilege(r.oid, v.oid, 'SELECT')), 'A "
	"view of the table can be read.'), (11, 'functions of the owner', "
	"EXISTS (SELECT FROM pg_catalog.pg_class AS t JOIN pg_catalog.pg_proc "
	"AS p ON p.proowner OPERATOR(pg_catalog.=) t.relowner AND "
	"p.prosecdef, somebody AS r WHERE t.oid OPERATOR(pg_catalog.=) $1 AND "
	"pg_catalog.has_function_privilege(r.oid, p.oid, 'EXECUTE')), 'They "
	"run with the rights of the owner of the table; whether they read it "
	"is not known.'), (12, 'grants itself roles', EXISTS (SELECT FROM "
	"somebody AS r WHERE NOT pg_catalog.pg_has_role($2, r.oid, 'MEMBER')), "
	"'Before PostgreSQL 16 a role with CREATEROLE can grant itself any other "
	"that is no superuser: their rights count above.'), (13, 'domains', "
	"EXISTS (SELECT FROM held JOIN pg_catalog.pg_attribute AS a ON a.attrelid "
	"OPERATOR(pg_catalog.=) held.oid JOIN domain AS d ON d.whole "
	"OPERATOR(pg_catalog.=) a.atttypid JOIN somebody AS r ON r.oid "
	"OPERATOR(pg_catalog.=) d.owner WHERE NOT a.attisdropped), 'Who owns the "
	"domain of a column can add a constraint to it, which looks at all "
	"values of the column.')) "
	"AS c(place, name, open, detail) ORDER BY c.place";

/* The same of what the server tells every role; $1 is the relation. */
static const char *const public_query =
	"WITH RECURSIVE part(oid) AS (SELECT $1 UNION SELECT i.inhrelid FROM part "
	"JOIN pg_catalog.pg_inherits AS i ON i.inhparent "
	"OPERATOR(pg_catalog.=) part.oid) "
	"SELECT c.name, CASE WHEN c.open THEN 1 ELSE 0 END::pg_catalog.float8, "
	"c.detail FROM (VALUES "
	"(1, 'number of rows', true, 'The number of rows, and how many were "
	"inserted, updated and deleted, is in pg_class and pg_stat_all_tables, "
	"for every role. With neighbours add_remove nothing but rights protects "
	"the number of all rows; with replace it counts as public.'), "
	"(2, 'size', true, 'The sizes of the table and its indexes are open to "
	"every role.'), "
	"(3, 'long values', EXISTS (SELECT FROM part JOIN pg_catalog.pg_class AS "
	"t ON t.oid OPERATOR(pg_catalog.=) part.oid AND "
	"pg_catalog.pg_relation_size(t.reltoastrelid) OPERATOR(pg_catalog.>) 0), "
	"'How many parts of long values lie in TOAST is in pg_stat_all_tables.'), "
	"(4, 'partial indexes', EXISTS (SELECT FROM part JOIN pg_catalog.pg_index "
	"AS i ON i.indrelid OPERATOR(pg_catalog.=) part.oid AND i.indpred IS NOT "
	"NULL), 'pg_class tells how many rows fulfil the condition of an "
	"index.'), "
	"(5, 'partitions', EXISTS (SELECT FROM part OFFSET 1), "
	"'The number of rows of each partition is open, too.')"
	") AS c(place, name, open, detail) ORDER BY c.place";

static void
put_line(ReturnSetInfo *result, const char *measure, const char *subject,
		 double value, const char *detail)
{
	sdcpg_result_measure(result, measure, subject, value, false, detail);
}

static void
put_lines(ReturnSetInfo *result, const SdcRelation *relation,
		  const char *query, const SdcCatalogParameters *parameters)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(query, parameters);
	int64 i;

	for (i = 0; i < rows->count; i++)
		put_line(result, TextDatumGetCString(rows->value[i][0]), relation->sql,
				 DatumGetFloat8(rows->value[i][1]),
				 TextDatumGetCString(rows->value[i][2]));
}

/* The one thing a request itself still tells. */
static void
put_time(ReturnSetInfo *result, const SdcDataset *dataset,
		 const SdcRelation *relation)
{
	put_line(result, "time", relation->sql, dataset->min_duration == 0,
			 dataset->min_duration == 0
				 ? "How long a request takes depends on the length of the "
				   "table, and a little on its values; with min_duration it "
				   "comes in steps."
				 : "How long a request takes is a multiple of min_duration; "
				   "which multiple may still tell.");
}

/* Other budgets for the same records. */
static void
put_others(ReturnSetInfo *result, const SdcDataset *dataset)
{
	/* it is always among them */
	put_line(result, "other data sets", dataset->name,
			 read_related(dataset->oid, dataset->relation_name)->count > 1,
			 "Some of the records are, or were, in another data set: their "
			 "budgets add up.");
}

/* Counters and their log, which only somebody with rights beyond changes. */
static void
put_budget(ReturnSetInfo *result, const SdcDataset *dataset)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	SdcAmount spent = sdcpg_ledger_spent(dataset->id);

	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(dataset->id),
					   false);
	rows = sdcpg_catalog_read_owned(
		"dp_log",
		"SELECT COALESCE(pg_catalog.sum(cost), 0)::pg_catalog.int8 FROM "
		"sdc.dp_log WHERE dataset OPERATOR(pg_catalog.=) $1",
		&parameters);
	put_line(
		result, "small requests", dataset->name,
		DatumGetBool(DirectFunctionCall2(
			numeric_lt, NumericGetDatum(dataset->min_epsilon),
			DirectFunctionCall1(float8_numeric, Float8GetDatum(LEAST_COST)))),
		"A request may cost next to nothing, so that nothing bounds how "
		"often a channel that is not known here can be used.");
	put_line(result, "ledger behind its log", dataset->name,
			 spent.first < DatumGetInt64(rows->value[0][0]),
			 "The log holds more than the counters say was spent: they were "
			 "set back, or come from an older copy.");
}

/* check_dataset(dataset text, role regrole) */
Datum
sdcf_check_dataset(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcCatalogParameters parameters = {0};
	SdcDataset *dataset;
	SdcRelation *relation;
	Oid owner;

	sdcpg_args_need_first(fcinfo, 2);
	dataset = dataset_need_owner(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	relation = sdcpg_dataset_relation(dataset, &owner);
	(void) GetUserNameFromId(PG_GETARG_OID(1), false);
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(relation->oid),
					   false);
	sdcpg_catalog_bind(&parameters, OIDOID, PG_GETARG_DATUM(1), false);
	put_lines(result, relation, rights_query, &parameters);
	parameters.count = 1;
	put_lines(result, relation, public_query, &parameters);
	put_time(result, dataset, relation);
	put_others(result, dataset);
	put_budget(result, dataset);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * Which of the public categories of a column a value is.
 *
 * Types without a hash are compared with every category.
 * ----------------------------------------------------------------------
 */

static uint64
hash_of(const SdcCategories *categories, Datum value)
{
	return sdc_table_hashed(DatumGetUInt32(
		FunctionCall1Coll(categories->hash, categories->collation, value)));
}

static void
fill(SdcCategories *categories)
{
	int32 i;

	categories->table.slot =
		palloc(sizeof(int32) * sdc_table_slots(categories->count));
	sdc_table_clear(&categories->table, categories->count);
	for (i = 0; i < categories->count; i++)
		sdc_table_put(&categories->table,
					  hash_of(categories, categories->value[i]), i);
}

static inline bool
is_category(const SdcCategories *categories, int number, Datum value)
{
	return DatumGetBool(FunctionCall2Coll(categories->equal,
										  categories->collation,
										  categories->value[number], value));
}

SdcCategories *
sdcpg_categories_make(const SdcDatasetColumn *column, Oid collation)
{
	SdcCategories *categories = palloc0(sizeof(SdcCategories));
	TypeCacheEntry *type =
		lookup_type_cache(column->column.base,
						  TYPECACHE_EQ_OPR_FINFO | TYPECACHE_HASH_PROC_FINFO);
	Oid input;
	Oid parameter;
	int i;

	getTypeInputInfo(column->column.base, &input, &parameter);
	categories->count = column->categories;
	categories->collation = collation;
	categories->equal = &type->eq_opr_finfo;
	categories->value = palloc(sizeof(Datum) * column->categories);
	for (i = 0; i < column->categories; i++)
		categories->value[i] =
			OidInputFunctionCall(input, column->category[i], parameter, -1);
	if (OidIsValid(type->hash_proc_finfo.fn_oid))
	{
		categories->hash = &type->hash_proc_finfo;
		fill(categories);
	}
	/* what a comparison looks up, it does now, whatever the rows hold */
	(void) is_category(categories, 0, categories->value[0]);
	return categories;
}

SDC_TABLE_FIND(find_category, const SdcCategories *, Datum, is_category);

int
sdcpg_categories_find(const SdcCategories *categories, Datum value,
					  bool isnull)
{
	int found = -1;
	int i;

	/* a NULL is looked for as long as a value */
	if (isnull)
		value = categories->value[0];
	if (categories->hash != NULL)
		found = *find_category(&categories->table, hash_of(categories, value),
							   categories, value);
	else
		for (i = 0; i < categories->count; i++)
			if (is_category(categories, i, value))
				found = i;
	return isnull ? -1 : found;
}
