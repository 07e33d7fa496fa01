/*
 * anatomize.c
 *		sdc.anatomize: keys as they are, sensitive values hidden in groups.
 *
 * Several sensitive columns are treated as one, whose values are their
 * combinations.  The id only puts the records in order, so that a seed gives
 * the same release for any order of the rows; it is not released.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/column.h"
#include "host/data/target.h"
#include "host/data/window.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/generalization/anatomize.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"

/* The columns that a release adds. */
#define SDC_ANATOMY_GROUP "group_number"

#define SDC_ANATOMY_RECORDS "records"

/* What follows the name of the target in that of the second table. */
#define SDC_ANATOMY_SUFFIX "_sensitive"

/*
 * The release of a relation.  Its records are numbered from 0 in the order of
 * sdcpg_query_order; the arrays are integer[] of PostgreSQL, one element for
 * each record (sdcpg_anatomy_array).
 */
typedef struct SdcAnatomy
{
	const SdcRelation *relation;
	const SdcRelationColumn *id;
	SdcAttributes columns;
	SdcTarget *target;
	SdcTarget *sensitive_target; /* NULL: the values are in target */
	int32 rows;
	ArrayType *group;    /* its number, as released */
	ArrayType *position; /* where its keys stand in target, any numbers */
	ArrayType *source;   /* where its sensitive values stand, or NULL */
} SdcAnatomy;

static ArrayType *anatomy_array(SdcPgHost *host, int32 rows);

/* ----------------------------------------------------------------------
 * The tables of a release in which groups hide sensitive values.
 *
 * Records are numbered by the query, in the order in which they were read;
 * what was decided about each comes back as the element of an array with that
 * number.  No join is needed for it, which a plan could get wrong.
 * ----------------------------------------------------------------------
 */

/* Letters of the columns in the numbered rows: k1, k2, ..., s1, ... */
#define KEY       'k'
#define SENSITIVE 's'

/* The group of a record in the numbered rows n; $1 is group. */
#define GROUP_NUMBER \
	"CAST(($1)[n.place] AS pg_catalog.int8) AS " SDC_ANATOMY_GROUP

/* An array for so many records, in memory of the host, to be filled. */
static ArrayType *
anatomy_array(SdcPgHost *host, int32 rows)
{
	Size size = ARR_OVERHEAD_NONULLS(1) + sizeof(int32) * (Size) rows;
	ArrayType *array;

	if (!AllocSizeIsValid(size))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many rows in a relation to write a release")));
	array = (ArrayType *) sdc_new(&host->kernel, char, size);
	memset(array, 0, ARR_OVERHEAD_NONULLS(1));
	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->elemtype = INT4OID;
	ARR_DIMS(array)[0] = rows;
	ARR_LBOUND(array)[0] = 1;
	return array;
}

static void
check_names(const SdcRelationColumns *columns)
{
	int j;

	for (j = 0; j < columns->count; j++)
		if (strcmp(columns->column[j].name, SDC_ANATOMY_GROUP) == 0 ||
			strcmp(columns->column[j].name, SDC_ANATOMY_RECORDS) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("column \"%s\" has the name of a column that the "
							"release adds",
							columns->column[j].name),
					 errhint("Give it another name in a view.")));
}

/* The target whose name is that of another and a suffix. */
static SdcTarget *
find_second(const SdcTarget *first)
{
	char *name = psprintf("%s%s", first->name, SDC_ANATOMY_SUFFIX);

	if (strlen(name) >= NAMEDATALEN)
		ereport(ERROR,
				(errcode(ERRCODE_NAME_TOO_LONG),
				 errmsg("the name of the target is too long"),
				 errdetail("The second table has this name and \"%s\" behind "
						   "it.",
						   SDC_ANATOMY_SUFFIX)));
	return sdcpg_target_find(cstring_to_text(
		quote_qualified_identifier(get_namespace_name(first->schema), name)));
}

/*
 * Reads the argument target: the names of the tables that will be made, two or
 * one.  Stops unless they can be, before any work; also when columns have
 * names that the release adds, or row-level security hides rows.
 */
static void
anatomy_target(SdcAnatomy *anatomy, const text *target, bool two)
{
	if (anatomy->relation->row_security)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("row-level security hides rows of relation \"%s\"",
						anatomy->relation->name),
				 errdetail("The release would hold the visible rows only."),
				 errhint("Run it as a role that sees all rows.")));
	check_names(&anatomy->columns.keys);
	check_names(&anatomy->columns.sensitive);
	anatomy->target = sdcpg_target_find(target);
	anatomy->sensitive_target = two ? find_second(anatomy->target) : NULL;
}

/* ", r.zip AS k1, r.age AS k2", say. */
static void
append_renamed(StringInfo sql, const SdcRelationColumns *columns, char letter)
{
	int j;

	for (j = 0; j < columns->count; j++)
		appendStringInfo(sql, "r.%s AS %c%d, ", columns->column[j].sql, letter,
						 j + 1);
}

/* "n.k1 AS zip, n.k2 AS age", say. */
static void
append_restored(StringInfo sql, char row, const SdcRelationColumns *columns,
				char letter)
{
	int j;

	for (j = 0; j < columns->count; j++)
		appendStringInfo(sql, "%s%c.%c%d AS %s", j > 0 ? ", " : "", row,
						 letter, j + 1, columns->column[j].sql);
}

/* The records, numbered from 1. */
static char *
numbered_rows(const SdcAnatomy *anatomy, bool keys, bool sensitive)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	if (keys)
		append_renamed(&sql, &anatomy->columns.keys, KEY);
	if (sensitive)
		append_renamed(&sql, &anatomy->columns.sensitive, SENSITIVE);
	appendStringInfoString(&sql, "CAST(pg_catalog.row_number() OVER (");
	sdcpg_query_order(&sql, anatomy->id);
	appendStringInfo(&sql, ") AS pg_catalog.int4) AS place FROM %s AS r",
					 anatomy->relation->sql);
	return sql.data;
}

/* The keys and the group of each record: $1 is group, $2 position. */
static char *
query_keys(const SdcAnatomy *anatomy)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	append_restored(&sql, 'n', &anatomy->columns.keys, KEY);
	appendStringInfo(
		&sql, ", " GROUP_NUMBER " FROM (%s) AS n ORDER BY ($2)[n.place]",
		numbered_rows(anatomy, true, false));
	return sql.data;
}

/* Groups and their sensitive values with counts; $1 is group. */
static char *
query_counts(const SdcAnatomy *anatomy)
{
	const SdcRelationColumns *columns = &anatomy->columns.sensitive;
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT g." SDC_ANATOMY_GROUP ", ");
	append_restored(&sql, 'g', columns, SENSITIVE);
	appendStringInfo(&sql,
					 ", pg_catalog.count(*) AS " SDC_ANATOMY_RECORDS
					 " FROM (SELECT n.*, " GROUP_NUMBER
					 " FROM (%s) AS n) AS g GROUP BY g." SDC_ANATOMY_GROUP,
					 numbered_rows(anatomy, false, true));
	for (j = 0; j < columns->count; j++)
		appendStringInfo(&sql, ", g.s%d", j + 1);
	appendStringInfoString(&sql, " ORDER BY g." SDC_ANATOMY_GROUP);
	for (j = 0; j < columns->count; j++)
		appendStringInfo(&sql, ", %s COLLATE pg_catalog.\"C\"",
						 sdcpg_query_cast_from(columns->column[j].base,
											   psprintf("g.s%d", j + 1),
											   "text"));
	return sql.data;
}

/*
 * Keys and group of one record with the sensitive values of another: $1 is
 * group, $2 position, $3 source.  Both are all numbers from 0 on, and each has
 * its partner; the full join keeps the planner from a nested loop.
 */
static char *
query_permuted(const SdcAnatomy *anatomy)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "WITH n AS MATERIALIZED (%s) SELECT ",
					 numbered_rows(anatomy, true, true));
	append_restored(&sql, 'a', &anatomy->columns.keys, KEY);
	appendStringInfoString(&sql, ", a." SDC_ANATOMY_GROUP ", ");
	append_restored(&sql, 'b', &anatomy->columns.sensitive, SENSITIVE);
	appendStringInfoString(
		&sql, " FROM (SELECT n.*, " GROUP_NUMBER
			  ", ($2)[n.place] AS position FROM n) AS a "
			  "FULL JOIN (SELECT n.*, ($3)[n.place] AS position FROM n) AS b "
			  "ON a.position OPERATOR(pg_catalog.=) b.position "
			  "ORDER BY a.position");
	return sql.data;
}

static uint64
write_table(SdcPgHost *host, const SdcAnatomy *anatomy, SdcTarget *target,
			const char *sql, ArrayType *const *arrays, int count)
{
	SdcCatalogParameters parameters = {0};
	List *names = sdcpg_target_keys(&anatomy->columns.keys);
	int i;

	names = list_concat(names, sdcpg_target_keys(&anatomy->columns.sensitive));
	for (i = 0; i < count; i++)
		sdcpg_catalog_bind(&parameters, INT4ARRAYOID,
						   PointerGetDatum(arrays[i]), false);
	return sdcpg_target_create(host, target, sql, &parameters, names);
}

/*
 * Creates the tables as the caller, from the rows that the caller's statement
 * sees.  With two tables these are the keys with the group of each record, and
 * how many records of a group have which sensitive values; with one, keys,
 * group and the sensitive values of the record whose source is the position.
 */
static void
anatomy_write(SdcPgHost *host, const SdcAnatomy *anatomy)
{
	ArrayType *const arrays[] = {anatomy->group, anatomy->position,
								 anatomy->source};
	uint64 rows;

	if (anatomy->sensitive_target == NULL)
	{
		rows = write_table(host, anatomy, anatomy->target,
						   query_permuted(anatomy), arrays, 3);
		sdcpg_nulls_inherit(anatomy->relation->oid, anatomy->target);
	}
	else
	{
		rows = write_table(host, anatomy, anatomy->target, query_keys(anatomy),
						   arrays, 2);
		write_table(host, anatomy, anatomy->sensitive_target,
					query_counts(anatomy), arrays, 1);
	}
	if (rows != anatomy->rows)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" gave other rows when it was read "
						"again",
						anatomy->relation->name),
				 errhint("Make a table of a view that calls volatile "
						 "functions.")));
}

/* ----------------------------------------------------------------------
 * sdc.anatomize: keys as they are, sensitive values hidden in groups.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_anatomize);

typedef enum Variant
{
	GREEDY, /* Anatomy: buckets of equal values */
	ORDER   /* the scan of diverse_group */
} Variant;

static const char *const variants[] = {"greedy", "order", NULL};
static const char *const releases[] = {"tables", "permuted", NULL};

typedef struct Job
{
	double l;
	Variant variant;
	bool permuted;
	bool writes;
	SdcRandom random;
	SdcAnatomy anatomy;
	SdcPgHost *host;
} Job;

static void
read_l(Job *job, FunctionCallInfo fcinfo)
{
	sdcpg_args_need(fcinfo, 5);
	job->l = PG_GETARG_FLOAT8(5);
	sdcpg_args_range("l", job->l, 1, 1e9);
	if (job->l == 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"l\" must be greater than 1"),
						errdetail("A group of one record hides nothing.")));
	if (job->variant == GREEDY && job->l != floor(job->l))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("variant \"greedy\" needs a whole number \"l\""),
				 errdetail("Its groups have l different sensitive values."),
				 errhint("Variant \"order\" takes any number.")));
}

static void
read_id(Job *job, FunctionCallInfo fcinfo)
{
	const SdcAttributes *columns = &job->anatomy.columns;
	const SdcRelationColumn *id = sdcpg_roles_column(
		job->anatomy.relation, "id",
		PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2)), SDC_ROLE_ID);
	int j;

	if (id == NULL)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("argument \"id\" must name a column"),
						errhint("Name the column that tells records apart, or "
								"declare it with sdc.declare.")));
	for (j = 0; j < columns->keys.count + columns->sensitive.count; j++)
	{
		int k = j - columns->keys.count;

		if ((k < 0 ? columns->keys.column[j].number
				   : columns->sensitive.column[k].number) == id->number)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("column \"%s\" is the id and would be released",
							id->name),
					 errhint("Leave it out of \"keys\" and \"sensitive\".")));
	}
	job->anatomy.id = id;
}

/*
 * Stops when one of two lists of columns that are released gives away one of
 * the other, which the groups are there to keep apart: generated columns,
 * whatever is said of them, and those of which nobody has said what they are.
 */
static void
refuse_given_away(const SdcRelation *relation,
				  const SdcRelationColumns *released,
				  const SdcRelationColumns *other)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(relation);
	List *names = sdcpg_target_keys(released);
	List *known = NIL;
	int i;

	for (i = 0; i < all.count; i++)
	{
		if (!sdcpg_params_is_listed(names, all.column[i].name))
			known = lappend(known, all.column[i].name);
		else if (sdcpg_generated_from(relation, &all.column[i], other) != NULL)
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" of relation \"%s\" is generated "
						"from columns that it would be kept apart from",
						all.column[i].name, relation->name),
				 errdetail("Keys and sensitive values of a person could be "
						   "put together again."),
				 errhint("Leave it out.")));
	}
	sdcpg_revealing_refuse(relation, other, known);
}

static void
read_arguments(Job *job, FunctionCallInfo fcinfo)
{
	memset(job, 0, sizeof(*job));
	sdcpg_args_need(fcinfo, 0);
	sdcpg_args_need(fcinfo, 6);
	sdcpg_args_need(fcinfo, 7);
	job->variant =
		sdcpg_args_choice("variant", PG_GETARG_TEXT_PP(6), variants);
	job->permuted =
		sdcpg_args_choice("release", PG_GETARG_TEXT_PP(7), releases) == 1;
	read_l(job, fcinfo);
	job->anatomy.relation = sdcpg_relation_find(PG_GETARG_OID(0));
	job->anatomy.columns = sdcpg_attributes_find(
		job->anatomy.relation,
		PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3),
		PG_ARGISNULL(4) ? NULL : PG_GETARG_ARRAYTYPE_P(4));
	read_id(job, fcinfo);
	job->writes = !PG_ARGISNULL(1);
	if (!job->writes)
		return;
	refuse_given_away(job->anatomy.relation, &job->anatomy.columns.keys,
					  &job->anatomy.columns.sensitive);
	refuse_given_away(job->anatomy.relation, &job->anatomy.columns.sensitive,
					  &job->anatomy.columns.keys);
	anatomy_target(&job->anatomy, PG_GETARG_TEXT_PP(1), !job->permuted);
}

/* Puts the records into groups, from 0; returns how many there are. */
static int32
make_groups(Job *job, const SdcSequence *sequence, int32 *group)
{
	SdcHost *host = &job->host->kernel;
	int32 values = sequence->values->cells;
	int32 groups;

	if (job->variant == ORDER)
		groups = sdc_diverse_group_scan(host, sequence->value, sequence->rows,
										values, job->l, group);
	else
		groups =
			sdc_anatomize_group(host, sequence->value, sequence->rows, values,
								(int32) job->l, &job->random, group);
	if (groups < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot form groups that are %g-diverse", job->l),
				 errdetail("Of %d records more than 1/l have the same "
						   "sensitive value.",
						   sequence->rows),
				 errhint("Lower l, or coarsen the sensitive values.")));
	return groups;
}

/* Decides where each record's keys and values go. */
static void
place_records(Job *job, int32 groups)
{
	SdcAnatomy *anatomy = &job->anatomy;
	SdcHost *host = &job->host->kernel;
	int32 *group = (int32 *) ARR_DATA_PTR(anatomy->group);
	int32 rows = anatomy->rows;
	int32 i;

	anatomy->position = anatomy_array(job->host, rows);
	sdc_anatomize_place(host, group, rows, groups, &job->random,
						(int32 *) ARR_DATA_PTR(anatomy->position));
	if (job->permuted)
	{
		anatomy->source = anatomy_array(job->host, rows);
		sdc_anatomize_place(host, group, rows, groups, &job->random,
							(int32 *) ARR_DATA_PTR(anatomy->source));
	}
	for (i = 0; i < rows; i++)
		group[i]++;
}

/* The columns that are in no table of the release. */
static List *
columns_left_out(const SdcAnatomy *anatomy)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(anatomy->relation);
	List *named = list_concat(sdcpg_target_keys(&anatomy->columns.keys),
							  sdcpg_target_keys(&anatomy->columns.sensitive));
	List *left = NIL;
	int i;

	for (i = 0; i < all.count; i++)
		if (!sdcpg_params_is_listed(named, all.column[i].name))
			left = lappend(left, all.column[i].name);
	return left;
}

/* What became of each column, the tables, and the number of groups. */
static void
put_result(const Job *job, int32 groups, ReturnSetInfo *result)
{
	const SdcAnatomy *anatomy = &job->anatomy;
	const SdcRelationColumns *columns = &anatomy->columns.sensitive;
	int j;

	for (j = 0; job->writes && j < columns->count; j++)
		sdcpg_step_masked(
			result, columns->column[j].name, "anatomize", anatomy->rows, -1,
			job->permuted ? "Values are permuted within groups."
						  : "Values are in a table of their own, counted "
							"by group.");
	if (job->writes)
	{
		sdcpg_roles_steps(result, anatomy->relation, columns,
						  columns_left_out(anatomy));
		sdcpg_step_written(result, anatomy->target);
		if (anatomy->sensitive_target != NULL)
			sdcpg_step_written(result, anatomy->sensitive_target);
	}
	sdcpg_step_measure(result, "groups", anatomy->relation->sql, groups,
					   "%d records form %d %s.", anatomy->rows, groups,
					   groups == 1 ? "group" : "groups");
}

/*
 * anatomize(relation regclass, target text, id name, keys columns,
 *           sensitive columns, l float8, variant text, release text,
 *           seed bigint)
 */
Datum
sdcf_anatomize(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcSequence *sequence;
	int32 groups;
	Job job;

	read_arguments(&job, fcinfo);
	job.host = sdcpg_host_begin("anatomize", CurrentMemoryContext);
	sequence =
		sdcpg_sequence_load(job.host, job.anatomy.relation, job.anatomy.id,
							&job.anatomy.columns.sensitive, NULL);
	if (PG_ARGISNULL(8))
		sdcpg_strong_random(&job.random);
	else
		sdc_random_seed(&job.random, (uint64) PG_GETARG_INT64(8),
						sdcpg_sequence_digest(sequence));
	job.anatomy.rows = sequence->rows;
	job.anatomy.group = anatomy_array(job.host, sequence->rows);
	groups =
		make_groups(&job, sequence, (int32 *) ARR_DATA_PTR(job.anatomy.group));
	if (job.writes)
	{
		place_records(&job, groups);
		anatomy_write(job.host, &job.anatomy);
	}
	put_result(&job, groups, result);
	sdcpg_host_end(job.host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * sdc.diverse_group: greedy l-diverse groups in the order of the window.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_diverse_group);

/* The rank of each row's value; NULL is one more value, after the others. */
static int32 *
read_codes(SdcWindow *window, int32 *values)
{
	SdcHost *host = &window->host->kernel;
	SdcColumn *column = sdcpg_window_column(window, 0);
	int32 *code = sdc_new(host, int32, window->rows);
	int32 *order;
	int32 *rank;
	int64 row;
	int32 i;

	sdcpg_column_need_order(&column->type);
	order = sdcpg_column_order(window->host, column);
	rank = sdcpg_column_ranks(window->host, column, order, values);
	for (row = 0; row < window->rows; row++)
		code[row] = *values;
	for (i = 0; i < column->count; i++)
		code[sdcpg_column_place(column, i)] = rank[i];
	++*values;
	return code;
}

static void
diverse_group(SdcWindow *window)
{
	double l = sdcpg_window_float8(window, 1, "l");
	SdcHost *host = &window->host->kernel;
	int32 values;
	int32 *code;
	int32 *group;
	int64 row;

	sdcpg_args_range("l", l, 1, 1e9);
	code = read_codes(window, &values);
	group = sdc_new(host, int32, window->rows);
	if (sdc_diverse_group_scan(host, code, window->rows, values, l, group) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot form groups that are %g-diverse", l),
				 errdetail("In a partition of " INT64_FORMAT
						   " rows one sensitive value has more than 1/l of "
						   "all rows.",
						   window->rows),
				 errhint("Lower l, or merge small strata.")));
	for (row = 0; row < window->rows; row++)
		sdcpg_window_put(window, row, Int64GetDatum((int64) group[row] + 1));
}

/* diverse_group(sensitive anyelement, l float8) OVER w */
Datum
sdcf_diverse_group(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "diverse_group", 1, diverse_group);
}
