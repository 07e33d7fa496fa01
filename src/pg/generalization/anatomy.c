/*
 * anatomy.c
 *		The tables of a release in which groups hide sensitive values.
 *
 * Records are numbered by the query, in the order in which they were read;
 * what was decided about each comes back as the element of an array with that
 * number.  No join is needed for it, which a plan could get wrong.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/generalization/anatomy.h"
#include "pg/call/query.h"

/* Letters of the columns in the numbered rows: k1, k2, ..., s1, ... */
#define KEY       'k'
#define SENSITIVE 's'

/* The group of a record in the numbered rows n; $1 is group. */
#define GROUP_NUMBER \
	"CAST(($1)[n.place] AS pg_catalog.int8) AS " SDC_ANATOMY_GROUP

ArrayType *
sdcpg_anatomy_array(SdcPgHost *host, int32 rows)
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

void
sdcpg_anatomy_target(SdcAnatomy *anatomy, const text *target, bool two)
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
		appendStringInfo(&sql,
						 ", CAST(g.s%d AS pg_catalog.text) "
						 "COLLATE pg_catalog.\"C\"",
						 j + 1);
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
write_table(SdcPgHost *host, const SdcTarget *target, const char *sql,
			ArrayType *const *arrays, int count)
{
	SdcCatalogParameters parameters = {0};
	int i;

	for (i = 0; i < count; i++)
		sdcpg_catalog_bind(&parameters, INT4ARRAYOID,
						   PointerGetDatum(arrays[i]), false);
	return sdcpg_target_create(host, target, sql, &parameters);
}

void
sdcpg_anatomy_write(SdcPgHost *host, const SdcAnatomy *anatomy)
{
	ArrayType *const arrays[] = {anatomy->group, anatomy->position,
								 anatomy->source};
	uint64 rows;

	if (anatomy->sensitive_target == NULL)
		rows = write_table(host, anatomy->target, query_permuted(anatomy),
						   arrays, 3);
	else
	{
		rows =
			write_table(host, anatomy->target, query_keys(anatomy), arrays, 2);
		write_table(host, anatomy->sensitive_target, query_counts(anatomy),
					arrays, 1);
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
