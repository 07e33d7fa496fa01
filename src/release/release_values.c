/*
 * release_values.c
 *		What a policy remembers: digests, and the rows of sdc.release_value.
 *
 * Who somebody is, and whether his values are still the same, is told by
 * digests with the key of the policy.  Rows go into the catalog some thousand
 * at a time, as its owner; the digests and values were made as the owner of
 * the policy.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/data/column.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "release/document.h"
#include "release/publish.h"
#include "release/seal.h"
#include "release/tied.h"
#include "release/versions.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/rules.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"

/* Bytes of the digests that are kept. */
#define DIGEST_BYTES 16

/* ----------------------------------------------------------------------
 * Whose memory it is.
 * ----------------------------------------------------------------------
 */

/* A policy that was dropped has left what it remembers to its owner. */
void
sdcpg_versions_need_memory(const char *policy)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, policy);
	sdcpg_catalog_bind_text(&parameters,
							GetUserNameFromId(GetUserId(), false));
	if (sdcpg_catalog_read_owned(
			"release_part",
			"SELECT 1 FROM (SELECT p.policy, p.owner FROM sdc.release_part"
			" AS p UNION ALL SELECT b.policy, b.owner FROM"
			" sdc.release_basis AS b) AS p"
			" WHERE p.policy OPERATOR(pg_catalog.=) $1"
			" AND p.owner OPERATOR(pg_catalog.=) $2::pg_catalog.name"
			" AND NOT EXISTS (SELECT FROM sdc.policy AS y"
			" WHERE y.policy OPERATOR(pg_catalog.=) $1) LIMIT 1",
			&parameters)
			->count == 0)
		sdcpg_policy_need_owner(sdcpg_policy_find(policy));
}

static Datum
owner_name(void)
{
	return DirectFunctionCall1(
		namein, CStringGetDatum(GetUserNameFromId(GetUserId(), false)));
}

void
sdcpg_versions_bind_memory(SdcCatalogParameters *parameters,
						   const char *policy, Oid relation)
{
	sdcpg_catalog_bind_text(parameters, policy);
	sdcpg_catalog_bind(parameters, REGCLASSOID, ObjectIdGetDatum(relation),
					   false);
	sdcpg_catalog_bind(parameters, NAMEOID, owner_name(), false);
}

void
sdcpg_versions_look_up(void)
{
	static const char *const others[] = {"enable_seqscan", "enable_bitmapscan",
										 "enable_hashjoin",
										 "enable_mergejoin"};
	int i;

	for (i = 0; i < lengthof(others); i++)
		sdcpg_set_for_now(others[i], "off");
}

/* ----------------------------------------------------------------------
 * The grids of new parts.
 * ----------------------------------------------------------------------
 */

/* Can a move of the column be measured? */
static bool
is_measured(const SdcRelationColumn *column)
{
	/* money and booleans have no distances that a mask could move them by */
	return sdcpg_number_is_arithmetic(column->base) ||
		   column->base == DATEOID || column->base == TIMESTAMPOID ||
		   column->base == TIMESTAMPTZOID;
}

/* Can be said how far a mask moves a column of a part in what was drawn? */
static bool
moves_measurably(const SdcPart *part, int i, const SdcRelation *drawn)
{
	const SdcRelationColumn *column = &part->columns.column[i];

	return part->number == 0 && is_measured(column) &&
		   sdcpg_relation_column(drawn, column->name).base == column->base;
}

/*
 * Asks how far masks usually move the columns of new parts, by one join for
 * all that were drawn in one table: the roots of the mean squares, in the
 * order of the parts and columns.
 */
static SdcCatalogRows *
ask_moves(struct SdcVersions *versions, const SdcRelation *drawn,
		  const char *name)
{
	StringInfoData now, masked, moves;
	SdcCatalogRows *rows;
	int settings;
	int count = 0;
	int p, i;

	initStringInfo(&now);
	initStringInfo(&masked);
	initStringInfo(&moves);
	for (p = 0; p < versions->parts; p++)
		for (i = 0; i < versions->part[p].columns.count; i++)
		{
			const SdcPart *part = &versions->part[p];
			SdcRelationColumn column;

			if (part->drawn == NULL || strcmp(part->drawn, name) != 0 ||
				!moves_measurably(part, i, drawn))
				continue;
			column =
				sdcpg_relation_column(drawn, part->columns.column[i].name);
			appendStringInfo(&now, ", %s AS a%d",
							 sdcpg_mask_type_number(&part->columns.column[i]),
							 count);
			appendStringInfo(&masked, ", %s AS a%d",
							 sdcpg_mask_type_number(&column), count);
			appendStringInfo(
				&moves,
				"%ssqrt(avg(power(r.a%d - x.a%d, 2)) FILTER ("
				"WHERE r.a%d > '-Infinity' AND r.a%d < 'Infinity'"
				" AND x.a%d > '-Infinity' AND x.a%d < 'Infinity'))",
				count > 0 ? ", " : "", count, count, count, count, count,
				count);
			count++;
		}
	if (count == 0)
		return NULL;
	settings = NewGUCNestLevel();
	sdcpg_seal_pin_settings();
	rows = sdcpg_catalog_read(
		psprintf("SELECT %s FROM (SELECT r.%s AS person%s FROM %s AS r) AS r"
				 " JOIN (SELECT r.%s AS person%s FROM %s AS r) AS x"
				 " ON x.person = r.person",
				 moves.data, versions->own.person, now.data,
				 sdcpg_versions_name(versions, "now"), versions->own.person,
				 masked.data, drawn->sql),
		NULL);
	AtEOXact_GUC(false, settings);
	return rows;
}

void
sdcpg_versions_settle_grids(struct SdcVersions *versions, const char *name)
{
	SdcRelation *drawn = sdcpg_versions_find(versions, name);
	SdcCatalogRows *rows = ask_moves(versions, drawn, name);
	int count = 0;
	int p, i;

	for (p = 0; p < versions->parts; p++)
		for (i = 0; i < versions->part[p].columns.count; i++)
		{
			SdcPart *part = &versions->part[p];
			double move = 0;

			if (part->drawn == NULL || strcmp(part->drawn, name) != 0 ||
				part->number != 0)
				continue;
			if (moves_measurably(part, i, drawn))
			{
				if (!rows->isnull[0][count])
					move = DatumGetFloat8(rows->value[0][count]);
				count++;
			}
			part->width[i] =
				isfinite(move) ? move * versions->staging->params.grid : 0;
		}
}

/* ----------------------------------------------------------------------
 * The parts that are remembered.
 * ----------------------------------------------------------------------
 */

/* The texts or numbers of an array, as many as a part has columns. */
static void
read_array(Datum array, Oid type, int count, SdcPart *part)
{
	Datum *element;
	int found;
	int i;

	if (type == TEXTOID)
		deconstruct_array(DatumGetArrayTypeP(array), type, -1, false,
						  TYPALIGN_INT, &element, NULL, &found);
	else
		deconstruct_array(DatumGetArrayTypeP(array), type, 8, FLOAT8PASSBYVAL,
						  TYPALIGN_DOUBLE, &element, NULL, &found);
	for (i = 0; i < Min(found, count); i++)
		if (type == TEXTOID)
			part->type[i] = TextDatumGetCString(element[i]);
		else
			part->width[i] = DatumGetFloat8(element[i]);
}

void
sdcpg_versions_find_part(const struct SdcVersions *versions, SdcPart *part,
						 const char *nulls)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_versions_bind_memory(&parameters, versions->policy,
							   versions->original->oid);
	sdcpg_catalog_bind_text(&parameters, versions->mark);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(part->document),
					   false);
	sdcpg_catalog_bind_text(&parameters, nulls);
	rows = sdcpg_catalog_read_owned(
		"release_part",
		"SELECT p.part, p.types, p.widths FROM sdc.release_part AS p"
		" WHERE p.policy OPERATOR(pg_catalog.=) $1"
		" AND p.relation OPERATOR(pg_catalog.=) $2"
		" AND p.owner OPERATOR(pg_catalog.=) $3"
		" AND p.mark OPERATOR(pg_catalog.=) $4"
		" AND p.rules OPERATOR(pg_catalog.=) $5"
		" AND p.nulls OPERATOR(pg_catalog.=) $6"
		" ORDER BY p.part DESC LIMIT 1",
		&parameters);
	if (rows->count == 0)
		return;
	part->number = DatumGetInt64(rows->value[0][0]);
	read_array(rows->value[0][1], TEXTOID, part->columns.count, part);
	read_array(rows->value[0][2], FLOAT8OID, part->columns.count, part);
}

bool
sdcpg_versions_read_part(const struct SdcVersions *versions, SdcPart *part,
						 const SdcCatalogRows *rows, int row)
{
	Jsonb *document = DatumGetJsonbP(rows->value[row][1]);
	Datum *name;
	SdcRules rules;
	int count;
	int i;

	deconstruct_array(DatumGetArrayTypeP(rows->value[row][2]), TEXTOID, -1,
					  false, TYPALIGN_INT, &name, NULL, &count);
	for (i = 0; i < count; i++)
		if (get_attnum(versions->original->oid,
					   TextDatumGetCString(name[i])) == InvalidAttrNumber)
			return false;
	if (count == 0)
		return false;
	memset(part, 0, sizeof(*part));
	rules = sdcpg_rules_read(document, versions->original);
	for (i = 0; i < rules.count; i++)
		part->rules = lappend(part->rules, &rules.rule[i]);
	sdcpg_versions_fill_part(versions, part);
	part->number = DatumGetInt64(rows->value[row][0]);
	read_array(rows->value[row][3], TEXTOID, part->columns.count, part);
	read_array(rows->value[row][4], FLOAT8OID, part->columns.count, part);
	return true;
}

void
sdcpg_versions_read_old_parts(struct SdcVersions *versions)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int row;
	int p;

	sdcpg_versions_bind_memory(&parameters, versions->policy,
							   versions->original->oid);
	sdcpg_catalog_bind_text(&parameters, versions->mark);
	rows = sdcpg_catalog_read_owned(
		"release_part",
		"SELECT p.part, p.rules, p.columns OPERATOR(pg_catalog.||) p.strata,"
		" p.types, p.widths"
		" FROM sdc.release_part AS p"
		" WHERE p.policy OPERATOR(pg_catalog.=) $1"
		" AND p.relation OPERATOR(pg_catalog.=) $2"
		" AND p.owner OPERATOR(pg_catalog.=) $3"
		" AND p.mark OPERATOR(pg_catalog.=) $4"
		" AND EXISTS (SELECT FROM sdc.release_value AS v"
		" WHERE v.part OPERATOR(pg_catalog.=) p.part)",
		&parameters);
	versions->part = repalloc(
		versions->part, sizeof(SdcPart) * (versions->parts + rows->count + 1));
	versions->all_parts = versions->parts;
	for (row = 0; row < rows->count; row++)
	{
		for (p = 0; p < versions->parts; p++)
			if (versions->part[p].number == DatumGetInt64(rows->value[row][0]))
				break;
		if (p == versions->parts &&
			sdcpg_versions_read_part(
				versions, &versions->part[versions->all_parts], rows, row))
			versions->all_parts++;
	}
}

static ArrayType *
text_array(char *const *text, int count)
{
	Datum *element = palloc(sizeof(Datum) * (count + 1));
	int i;

	for (i = 0; i < count; i++)
		element[i] = CStringGetTextDatum(text[i]);
	return construct_array(element, count, TEXTOID, -1, false, TYPALIGN_INT);
}

static ArrayType *
number_array(const double *number, int count)
{
	Datum *element = palloc(sizeof(Datum) * (count + 1));
	int i;

	for (i = 0; i < count; i++)
		element[i] = Float8GetDatum(number[i]);
	return construct_array(element, count, FLOAT8OID, 8, FLOAT8PASSBYVAL,
						   TYPALIGN_DOUBLE);
}

static ArrayType *
name_array(const SdcRelationColumns *columns)
{
	char **names = palloc(sizeof(char *) * (columns->count + 1));
	int i;

	for (i = 0; i < columns->count; i++)
		names[i] = columns->column[i].name;
	return text_array(names, columns->count);
}

void
sdcpg_versions_write_part(const struct SdcVersions *versions, SdcPart *part,
						  const char *nulls)
{
	SdcCatalogParameters parameters = {0};

	part->number =
		DatumGetInt64(sdcpg_catalog_read_owned("release_part",
											   "SELECT pg_catalog.nextval("
											   "'sdc.release_part_number'"
											   "::pg_catalog.regclass)",
											   NULL)
						  ->value[0][0]);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(part->number),
					   false);
	sdcpg_versions_bind_memory(&parameters, versions->policy,
							   versions->original->oid);
	sdcpg_catalog_bind_text(&parameters, versions->mark);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(part->document),
					   false);
	sdcpg_catalog_bind(&parameters, TEXTARRAYOID,
					   PointerGetDatum(name_array(&part->columns)), false);
	sdcpg_catalog_bind(
		&parameters, TEXTARRAYOID,
		PointerGetDatum(text_array(part->type, part->columns.count)), false);
	sdcpg_catalog_bind(
		&parameters, FLOAT8ARRAYOID,
		PointerGetDatum(number_array(part->width, part->columns.count)),
		false);
	sdcpg_catalog_bind_text(&parameters, nulls);
	sdcpg_catalog_bind_text(&parameters, versions->original->sql);
	sdcpg_catalog_bind(&parameters, TEXTARRAYOID,
					   PointerGetDatum(name_array(&part->strata)), false);
	sdcpg_catalog_write(
		"release_part",
		psprintf("INSERT INTO sdc.release_part (part, policy, relation,"
				 " owner, mark, rules, columns, types, widths,"
				 " nulls, name, strata, numbers)"
				 " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9,"
				 " $10, $11, $12, " SDC_NUMBERS_SQL ")",
				 "$3", "$7 OPERATOR(pg_catalog.||) $12"),
		&parameters);
}

void
sdcpg_versions_write_types(const SdcPart *part)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(part->number),
					   false);
	sdcpg_catalog_bind(
		&parameters, TEXTARRAYOID,
		PointerGetDatum(text_array(part->type, part->columns.count)), false);
	sdcpg_catalog_write("release_part",
						"UPDATE sdc.release_part AS p SET types = $2"
						" WHERE p.part OPERATOR(pg_catalog.=) $1",
						&parameters);
}

/* ----------------------------------------------------------------------
 * What is remembered.
 * ----------------------------------------------------------------------
 */

#define ROWS_AT_A_TIME 5000

char *
sdcpg_versions_values(const SdcPart *part, const char *alias)
{
	StringInfoData sql;
	int i;

	if (part->sample)
		return "'{in}'::text[]";
	initStringInfo(&sql);
	appendStringInfoString(&sql, "ARRAY[");
	for (i = 0; i < part->columns.count; i++)
	{
		const char *name = part->columns.column[i].sql;

		appendStringInfo(&sql,
						 "%sCASE WHEN num_nulls(%s.%s) = 0 THEN"
						 " format('%%s', %s.%s) END",
						 i > 0 ? ", " : "", alias, name, alias, name);
	}
	appendStringInfoString(&sql, "]::text[]");
	return sql.data;
}

struct Chunk;
typedef void (*WriteRows)(const struct Chunk *chunk);

/* Rows on their way into sdc.release_value, and what is done with them. */
typedef struct Chunk
{
	const struct SdcVersions *versions;
	WriteRows write;
	MemoryContext memory;
	int rows;
	Datum person[ROWS_AT_A_TIME];
	Datum number[ROWS_AT_A_TIME]; /* of the part of each row */
} Chunk;

/* The same of values that are written. */
typedef struct Values
{
	Chunk chunk;
	bool closes;         /* is there anything to be closed? */
	const int64 *number; /* of each part of a row */
	Datum cell[ROWS_AT_A_TIME];
	Datum release[ROWS_AT_A_TIME]; /* that writes it */
	bool current[ROWS_AT_A_TIME];  /* is it what is published? */
	Datum drawn[ROWS_AT_A_TIME];
	Datum value[ROWS_AT_A_TIME];
	Datum whose[ROWS_AT_A_TIME];
	bool nobody[ROWS_AT_A_TIME]; /* is it not known whose it is? */
} Values;

static void
bind_array(SdcCatalogParameters *parameters, Datum *element, int count,
		   Oid type, Oid array)
{
	int16 length;
	bool by_value;
	char align;

	get_typlenbyvalalign(type, &length, &by_value, &align);
	sdcpg_catalog_bind(parameters, array,
					   PointerGetDatum(construct_array(
						   element, count, type, length, by_value, align)),
					   false);
}

/* The values of these persons and parts are no longer what is published. */
static void
close_values(const Chunk *chunk)
{
	SdcCatalogParameters parameters = {0};

	bind_array(&parameters, (Datum *) chunk->number, chunk->rows, INT8OID,
			   INT8ARRAYOID);
	bind_array(&parameters, (Datum *) chunk->person, chunk->rows, BYTEAOID,
			   BYTEAARRAYOID);
	sdcpg_catalog_bind(&parameters, INT8OID,
					   Int64GetDatum(chunk->versions->release), false);
	sdcpg_catalog_write(
		"release_value",
		"UPDATE sdc.release_value AS v SET last = $3 FROM"
		" (SELECT pg_catalog.unnest($1), pg_catalog.unnest($2) OFFSET 0)"
		" AS u (part, person)"
		" WHERE v.last IS NULL AND v.part OPERATOR(pg_catalog.=) u.part"
		" AND v.person OPERATOR(pg_catalog.=) u.person",
		&parameters);
}

bool
sdcpg_versions_has_values(int64 part)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(part), false);
	return sdcpg_catalog_read_owned("release_value",
									"SELECT 1 FROM sdc.release_value AS v"
									" WHERE v.part OPERATOR(pg_catalog.=) $1"
									" AND v.last IS NULL LIMIT 1",
									&parameters)
			   ->count > 0;
}

/*
 * Writes values in place of those of the same persons and parts, of which
 * there are no two in a chunk, nor in all.
 */
static void
insert_values(const Chunk *chunk)
{
	const Values *values = (const Values *) chunk;
	const Datum *const column[] = {
		chunk->number,   chunk->person, values->cell,  values->release,
		values->release, values->drawn, values->value, values->whose};
	const bool *const isnull[lengthof(column)] = {
		[4] = values->current, [7] = values->nobody};

	if (values->closes)
		close_values(chunk);
	/* what fills the room of others is read out of order, see versions_same */
	sdcpg_catalog_insert("release_value", chunk->rows, lengthof(column),
						 column, isnull, !values->closes);
}

/*
 * Puts what is published of these persons side by side, see versions_same.c:
 * what is written of some of their parts is not where the rest is.
 */
static void
gather_values(const Chunk *chunk)
{
	SdcCatalogParameters parameters = {0};
	Datum *part = palloc(sizeof(Datum) * (chunk->versions->parts + 1));
	int p;

	for (p = 0; p < chunk->versions->parts; p++)
		part[p] = Int64GetDatum(chunk->versions->part[p].number);
	bind_array(&parameters, part, chunk->versions->parts, INT8OID,
			   INT8ARRAYOID);
	bind_array(&parameters, (Datum *) chunk->person, chunk->rows, BYTEAOID,
			   BYTEAARRAYOID);
	sdcpg_catalog_write(
		"release_value",
		"WITH taken AS (DELETE FROM sdc.release_value AS v"
		" USING (SELECT p.part, u.person FROM"
		" pg_catalog.unnest($1) AS p (part),"
		" pg_catalog.unnest($2) AS u (person) OFFSET 0) AS u"
		" WHERE v.last IS NULL AND v.part OPERATOR(pg_catalog.=) u.part"
		" AND v.person OPERATOR(pg_catalog.=) u.person RETURNING v.part,"
		" v.person, v.cell, v.first, v.drawn, v.value, v.whose)"
		" INSERT INTO sdc.release_value"
		" (part, person, cell, first, drawn, value, whose)"
		" SELECT t.part, t.person, t.cell, t.first, t.drawn, t.value,"
		" t.whose"
		" FROM taken AS t ORDER BY t.person, t.part",
		&parameters);
}

static void
flush(Chunk *chunk)
{
	MemoryContext caller;

	if (chunk->rows == 0)
		return;
	caller = MemoryContextSwitchTo(chunk->memory);
	chunk->write(chunk);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(chunk->memory);
	chunk->rows = 0;
}

static void
start_rows(void *arg, TupleDesc descriptor)
{
}

/* A person, and a part where there is one. */
static void
take_row(void *arg, TupleDesc descriptor, const Datum *values,
		 const bool *isnull)
{
	Chunk *chunk = arg;
	MemoryContext caller = MemoryContextSwitchTo(chunk->memory);
	int row = chunk->rows++;

	chunk->person[row] = PointerGetDatum(DatumGetByteaPCopy(values[0]));
	if (descriptor->natts > 1)
		chunk->number[row] = values[1];
	MemoryContextSwitchTo(caller);
	if (chunk->rows == ROWS_AT_A_TIME)
		flush(chunk);
}

/* Columns of a row for each part. */
#define PART_COLUMNS 5

/*
 * A person, and of each part the digest, the release that drew, the values, as
 * text[], whether they are published, and whether they are written; in the end
 * whose the row is.
 */
static void
take_values(void *arg, TupleDesc descriptor, const Datum *values,
			const bool *isnull)
{
	Values *taken = arg;
	Chunk *chunk = &taken->chunk;
	int last = descriptor->natts - 1;
	int parts = (last - 1) / PART_COLUMNS;
	MemoryContext caller = MemoryContextSwitchTo(chunk->memory);
	Datum person = (Datum) 0;
	int p;

	for (p = 0; p < parts; p++)
	{
		const Datum *part = values + 1 + p * PART_COLUMNS;
		int row;

		if (!DatumGetBool(part[4]) || isnull[5 + p * PART_COLUMNS])
			continue;
		if (chunk->rows == ROWS_AT_A_TIME)
		{
			flush(chunk);
			person = (Datum) 0;
		}
		row = chunk->rows++;
		if (person == (Datum) 0)
			person = PointerGetDatum(DatumGetByteaPCopy(values[0]));
		chunk->person[row] = person;
		chunk->number[row] = Int64GetDatum(taken->number[p]);
		taken->cell[row] = PointerGetDatum(DatumGetByteaPCopy(part[0]));
		taken->release[row] = Int64GetDatum(chunk->versions->release);
		taken->current[row] = DatumGetBool(part[3]);
		taken->drawn[row] = part[1];
		taken->value[row] = PointerGetDatum(DatumGetArrayTypePCopy(part[2]));
		taken->nobody[row] = isnull[last];
		taken->whose[row] =
			isnull[last]
				? (Datum) 0
				: PointerGetDatum(DatumGetArrayTypePCopy(values[last]));
	}
	MemoryContextSwitchTo(caller);
}

/* Runs a query for a chunk, which takes its rows. */
static void
run_chunk(Chunk *chunk, SdcRows *rows, const char *sql)
{
	SdcPgHost *host = sdcpg_host_begin("release", CurrentMemoryContext);
	int settings = NewGUCNestLevel();

	chunk->memory = AllocSetContextCreate(CurrentMemoryContext, "sdc versions",
										  ALLOCSET_DEFAULT_SIZES);
	sdcpg_seal_pin_settings();
	sdcpg_versions_look_up();
	/* rows are written while they are read, which no parallel plan allows */
	sdcpg_set_for_now("max_parallel_workers_per_gather", "0");
	sdcpg_rows_receive(host, sql, rows);
	flush(chunk);
	AtEOXact_GUC(false, settings);
	MemoryContextDelete(chunk->memory);
	pfree(chunk);
	sdcpg_host_end(host);
}

/* Does what follows from the persons, and parts, of a query. */
static void
write_rows(struct SdcVersions *versions, WriteRows write, const char *sql)
{
	Chunk *chunk = palloc0(sizeof(Chunk));
	SdcRows rows = {start_rows, take_row, chunk};

	chunk->versions = versions;
	chunk->write = write;
	run_chunk(chunk, &rows, sql);
}

/*
 * Writes the values of a query into sdc.release_value, see take_values; number
 * is that of each of its parts.
 */
static void
write_values(struct SdcVersions *versions, const int64 *number, bool closes,
			 const char *sql)
{
	Values *values = palloc0(sizeof(Values));
	SdcRows rows = {start_rows, take_values, values};

	values->chunk.versions = versions;
	values->chunk.write = insert_values;
	values->closes = closes;
	values->number = number;
	run_chunk(&values->chunk, &rows, sql);
}

/* Of parts whose rules are gone nothing is published any more. */
static void
close_other_parts(const struct SdcVersions *versions)
{
	SdcCatalogParameters parameters = {0};
	Datum *part = palloc(sizeof(Datum) * (versions->parts + 1));
	int p;

	for (p = 0; p < versions->parts; p++)
		part[p] = Int64GetDatum(versions->part[p].number);
	sdcpg_catalog_bind_text(&parameters, versions->policy);
	sdcpg_catalog_bind(&parameters, REGCLASSOID,
					   ObjectIdGetDatum(versions->original->oid), false);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(versions->release),
					   false);
	bind_array(&parameters, part, versions->parts, INT8OID, INT8ARRAYOID);
	sdcpg_catalog_write(
		"release_value",
		"UPDATE sdc.release_value AS v SET last = $3"
		" FROM sdc.release_part AS p"
		" WHERE v.last IS NULL AND p.part OPERATOR(pg_catalog.=) v.part"
		" AND p.policy OPERATOR(pg_catalog.=) $1"
		" AND p.relation OPERATOR(pg_catalog.=) $2"
		" AND NOT p.part OPERATOR(pg_catalog.=) ANY ($4)",
		&parameters);
}

/*
 * Forgets what only versions beyond those that are kept had, of policies that
 * draw everything anew each time and of new records.  What else was drawn
 * stays as long as the policy does: who has kept all nights has it, too, and
 * somebody who comes back must get what he had.
 */
static void
forget_old(const struct SdcVersions *versions)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, versions->policy);
	sdcpg_catalog_bind(&parameters, REGCLASSOID,
					   ObjectIdGetDatum(versions->original->oid), false);
	sdcpg_catalog_bind(
		&parameters, INT8OID,
		Int64GetDatum(versions->staging->params.keep_versions - 1), false);
	sdcpg_catalog_write(
		"release_value",
		"DELETE FROM sdc.release_value AS v USING sdc.release_part AS p"
		" WHERE p.part OPERATOR(pg_catalog.=) v.part"
		" AND p.policy OPERATOR(pg_catalog.=) $1"
		" AND p.relation OPERATOR(pg_catalog.=) $2"
		" AND v.last OPERATOR(pg_catalog.<=) (SELECT pg_catalog.min(k.release)"
		" FROM (SELECT h.release FROM sdc.release_history AS h"
		" WHERE h.policy OPERATOR(pg_catalog.=) $1"
		" AND h.status OPERATOR(pg_catalog.=) 'published'"
		" ORDER BY h.release DESC LIMIT $3) AS k)",
		&parameters);
}

/* The numbers of the parts of now, as SQL: {1,2}. */
static char *
part_numbers(const struct SdcVersions *versions)
{
	StringInfoData list;
	int p;

	initStringInfo(&list);
	for (p = 0; p < versions->parts; p++)
		appendStringInfo(&list, "%s" INT64_FORMAT, p > 0 ? "," : "",
						 versions->part[p].number);
	return psprintf("'{%s}'::int8[]", list.data);
}

char *
sdcpg_versions_published(const struct SdcVersions *versions, bool sample)
{
	StringInfoData list;
	int p;

	initStringInfo(&list);
	appendStringInfoString(&list, "false");
	for (p = 0; p < versions->parts; p++)
		if (sample || !versions->part[p].sample)
			appendStringInfo(&list, " OR x.od_%d IS NOT NULL", p);
	return list.data;
}

char *
sdcpg_versions_elsewhere(struct SdcVersions *versions)
{
	return psprintf("SELECT m.person FROM %s AS m WHERE m.last IS NULL%s",
					sdcpg_versions_name(versions, "mem"),
					versions->anew ? ""
								   : psprintf(" AND m.part <> ALL (%s)",
											  part_numbers(versions)));
}

/*
 * Persons that the version before had and this one has not: those who are not
 * here, and those who are not published, but for the sample, which remembers
 * who is not in it, too.  Into a table, whose name is returned.
 */
static char *
find_gone(struct SdcVersions *versions)
{
	const char *res = sdcpg_versions_name(versions, "res");
	char *sample = "";
	char *left = "";
	int p;

	if (!versions->anew)
		left = psprintf(
			"SELECT m.person FROM %s AS m WHERE m.last IS NULL"
			" AND m.part = ANY (%s) AND NOT EXISTS (SELECT"
			" FROM %s AS r WHERE r.%s = m.person) UNION ",
			sdcpg_versions_name(versions, "mem"), part_numbers(versions),
			sdcpg_versions_name(versions, "now"), versions->own.person);
	for (p = 0; versions->anew && p < versions->parts; p++)
		if (versions->part[p].sample)
			sample = psprintf(" OR m.part = " INT64_FORMAT,
							  versions->part[p].number);
	return sdcpg_versions_table(
		versions, "gone",
		psprintf("%sSELECT x.person FROM %s AS x"
				 " WHERE NOT x.ok AND (%s)"
				 " UNION %s AND NOT EXISTS (SELECT FROM %s AS x"
				 " WHERE x.person = m.person AND (x.ok%s))",
				 left, res, sdcpg_versions_published(versions, false),
				 sdcpg_versions_elsewhere(versions), res, sample));
}

/* ----------------------------------------------------------------------
 * Names that have changed.
 * ----------------------------------------------------------------------
 */

/*
 * A table in place of one that the policy was for goes on with its values: one
 * that has its name, or is published under the same one.
 */
static void
adopt_parts(const struct SdcVersions *versions)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, versions->policy);
	sdcpg_catalog_bind(&parameters, REGCLASSOID,
					   ObjectIdGetDatum(versions->original->oid), false);
	sdcpg_catalog_bind_text(&parameters,
							GetUserNameFromId(GetUserId(), false));
	sdcpg_catalog_bind_text(&parameters, versions->original->sql);
	sdcpg_catalog_bind_text(&parameters, versions->staging->target);
	sdcpg_catalog_write(
		"release_part",
		psprintf("UPDATE sdc.release_part AS p SET relation = $2, name = $4,"
				 " numbers = " SDC_NUMBERS_SQL
				 " WHERE p.policy OPERATOR(pg_catalog.=) $1"
				 " AND p.owner OPERATOR(pg_catalog.=) $3::pg_catalog.name"
				 " AND (p.name OPERATOR(pg_catalog.=) $4 OR p.name"
				 " OPERATOR(pg_catalog.=) ANY (ARRAY(" SDC_PUBLISHED_AS ")))"
				 " AND NOT EXISTS (SELECT FROM sdc.policy_relation AS r"
				 " WHERE r.policy OPERATOR(pg_catalog.=) p.policy"
				 " AND r.relation OPERATOR(pg_catalog.=) p.relation)",
				 "$2", "p.columns OPERATOR(pg_catalog.||) p.strata"),
		&parameters);
}

/* The names of the columns of a part: then, and now. */
typedef struct Renamed
{
	int count;
	char **before;
	char **now;
} Renamed;

/* A name in place of one that was; of a list "a,b" each. */
static char *
rename_one(const Renamed *renamed, const char *text)
{
	StringInfoData list;
	char *rest = pstrdup(text);
	char *name;
	int i;

	for (i = 0; i < renamed->count; i++)
		if (strcmp(renamed->before[i], text) == 0)
			return renamed->now[i];
	if (strchr(text, ',') == NULL)
		return rest;
	initStringInfo(&list);
	while ((name = sdcpg_params_next_name(&rest)) != NULL)
		appendStringInfo(&list, "%s%s", list.len > 0 ? "," : "",
						 rename_one(renamed, name));
	return list.data;
}

/*
 * Rules with the names of now: in their subjects, in lists, and as keys of
 * objects by column; a word beside a key of a rule may be the name of strata,
 * but not the method.
 */
static Jsonb *
rename_rules(const Renamed *renamed, Jsonb *rules)
{
	JsonbIterator *iterator = JsonbIteratorInit(&rules->root);
	JsonbParseState *state = NULL;
	JsonbValue *result = NULL;
	JsonbValue value;
	JsonbIteratorToken token;
	bool word = false;
	int depth = 0;

	while ((token = JsonbIteratorNext(&iterator, &value, false)) != WJB_DONE)
	{
		bool names = token == WJB_ELEM || (token == WJB_KEY && depth != 2) ||
					 (token == WJB_VALUE && word);

		depth += token == WJB_BEGIN_OBJECT || token == WJB_BEGIN_ARRAY;
		depth -= token == WJB_END_OBJECT || token == WJB_END_ARRAY;
		if (token == WJB_KEY)
			word = depth == 2 && pg_strncasecmp(value.val.string.val, "strata",
												value.val.string.len) == 0;
		if (names && value.type == jbvString)
		{
			value.val.string.val = rename_one(
				renamed, pnstrdup(value.val.string.val, value.val.string.len));
			value.val.string.len = strlen(value.val.string.val);
		}
		result = pushJsonbValue(&state, token,
								token < WJB_BEGIN_ARRAY ? &value : NULL);
	}
	return JsonbValueToJsonb(result);
}

/* Are some columns of a part called otherwise now? */
static bool
find_renamed(Oid relation, Datum names, Datum numbers, Renamed *renamed)
{
	Datum *name;
	Datum *number;
	bool differs = false;
	int count;
	int i;

	deconstruct_array(DatumGetArrayTypeP(names), TEXTOID, -1, false,
					  TYPALIGN_INT, &name, NULL, &renamed->count);
	deconstruct_array(DatumGetArrayTypeP(numbers), INT2OID, 2, true,
					  TYPALIGN_SHORT, &number, NULL, &count);
	renamed->before = palloc(sizeof(char *) * (renamed->count + 1));
	renamed->now = palloc(sizeof(char *) * (renamed->count + 1));
	for (i = 0; i < renamed->count; i++)
	{
		renamed->before[i] = TextDatumGetCString(name[i]);
		renamed->now[i] =
			i < count ? get_attname(relation, DatumGetInt16(number[i]), true)
					  : NULL;
		/* a column that is gone is no other one */
		if (renamed->now[i] == NULL)
			renamed->now[i] = renamed->before[i];
		differs |= strcmp(renamed->now[i], renamed->before[i]) != 0;
	}
	return differs;
}

/* Writes the rules and columns of a part with the names of now. */
static void
rename_part(int64 part, const Renamed *renamed, Jsonb *rules)
{
	SdcCatalogParameters parameters = {0};
	Datum *name = palloc(sizeof(Datum) * (renamed->count + 1));
	int i;

	for (i = 0; i < renamed->count; i++)
		name[i] = CStringGetTextDatum(renamed->now[i]);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(part), false);
	sdcpg_catalog_bind(&parameters, JSONBOID,
					   JsonbPGetDatum(rename_rules(renamed, rules)), false);
	bind_array(&parameters, name, renamed->count, TEXTOID, TEXTARRAYOID);
	sdcpg_catalog_write("release_part",
						"UPDATE sdc.release_part AS p"
						" SET rules = $2,"
						" columns = $3[1:pg_catalog.cardinality(p.columns)],"
						" strata = $3[1 OPERATOR(pg_catalog.+)"
						" pg_catalog.cardinality(p.columns):]"
						" WHERE p.part OPERATOR(pg_catalog.=) $1",
						&parameters);
}

void
sdcpg_versions_follow(const struct SdcVersions *versions)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int64 row;

	adopt_parts(versions);
	sdcpg_catalog_bind_text(&parameters, versions->policy);
	sdcpg_catalog_bind(&parameters, REGCLASSOID,
					   ObjectIdGetDatum(versions->original->oid), false);
	rows =
		sdcpg_catalog_read_owned("release_part",
								 "SELECT p.part, p.rules, p.columns"
								 " OPERATOR(pg_catalog.||) p.strata, p.numbers"
								 " FROM sdc.release_part AS p"
								 " WHERE p.policy OPERATOR(pg_catalog.=) $1"
								 " AND p.relation OPERATOR(pg_catalog.=) $2",
								 &parameters);
	for (row = 0; row < rows->count; row++)
	{
		Renamed renamed;

		if (find_renamed(versions->original->oid, rows->value[row][2],
						 rows->value[row][3], &renamed))
			rename_part(DatumGetInt64(rows->value[row][0]), &renamed,
						DatumGetJsonbP(rows->value[row][1]));
	}
}

/* ----------------------------------------------------------------------
 * What a release writes.
 * ----------------------------------------------------------------------
 */

/* Whose a row (o) is, by all columns that may tie it to others, as SQL. */
static char *
whose_sql(const struct SdcVersions *versions)
{
	StringInfoData list;
	int i;

	if (versions->ties.count == 0)
		return "NULL::bytea[]";
	initStringInfo(&list);
	for (i = 0; i < versions->ties.count; i++)
		appendStringInfo(
			&list, "%s%s", i > 0 ? ", " : "",
			sdcpg_versions_whose(versions, &versions->ties.column[i], "o"));
	return psprintf("array_remove(ARRAY[%s], NULL)", list.data);
}

/*
 * The rows of the result of which something is written, and whose they are:
 * few of a wide table where most is as it was, which each part would read
 * whole.
 */
static char *
find_changed(struct SdcVersions *versions)
{
	const char *res = sdcpg_versions_name(versions, "res");
	const char *id = versions->id.sql;
	StringInfoData changed;
	int p;

	initStringInfo(&changed);
	for (p = 0; p < versions->parts; p++)
		appendStringInfo(&changed, "%sx.ch_%d", p > 0 ? " OR " : "", p);
	if (!versions->remembers || versions->anew || versions->parts == 0)
	{
		if (versions->ties.count == 0)
			return psprintf("(SELECT x.*, NULL::bytea[] AS whose FROM %s"
							" AS x)",
							res);
		resetStringInfo(&changed);
		appendStringInfoString(&changed, "true");
	}
	return sdcpg_versions_table(
		versions, "changed",
		psprintf("SELECT x.*, %s AS whose FROM %s AS x LEFT JOIN %s AS n"
				 " ON n.%s = x.person LEFT JOIN %s AS o ON o.%s = n.%s"
				 " WHERE %s",
				 whose_sql(versions), res,
				 sdcpg_versions_name(versions, "now"), versions->own.person,
				 versions->original->sql, id, id, changed.data));
}

/* Is something written of a part (p) of a row of the result (x)?  As SQL. */
static char *
written_sql(const struct SdcVersions *versions, int p)
{
	return psprintf("x.ch_%d AND x.r_%d IS NOT NULL AND (%s OR x.dr_%d"
					" = " INT64_FORMAT ")",
					p, p, versions->part[p].sample ? "true" : "x.ok", p,
					versions->release);
}

/*
 * Writes the rows of the result, and closes what they replace.  New parts have
 * nothing to be closed, and to look for the values of a million persons takes
 * longer than to write theirs.
 */
static void
write_result(struct SdcVersions *versions)
{
	const char *changed = find_changed(versions);
	int64 *number = palloc(sizeof(int64) * (versions->parts + 1));
	StringInfoData parts;
	bool closes = false;
	int count = 0;
	int p;

	initStringInfo(&parts);
	for (p = 0; p < versions->parts; p++)
	{
		const SdcPart *part = &versions->part[p];

		if (part->number == 0)
			continue;
		closes = closes || sdcpg_versions_has_values(part->number);
		number[count++] = part->number;
		appendStringInfo(&parts, ", x.cell_%d, x.dr_%d, x.r_%d, %s, %s", p, p,
						 p, part->sample ? "true" : "x.ok",
						 written_sql(versions, p));
	}
	if (count > 0)
		write_values(versions, number, closes,
					 psprintf("SELECT x.person%s, x.whose FROM %s AS x"
							  " ORDER BY x.person",
							  parts.data, changed));
}

/*
 * Writes what the release publishes, and forgets what is too old.  Rows go in
 * by their digests: in the order of the table they would tell who is who.
 */
void
sdcpg_versions_remember(struct SdcVersions *versions)
{
	if (versions->parts > 0)
		versions->ties = sdcpg_tied_columns(versions->staging);
	write_result(versions);
	if (versions->remembers)
		write_rows(versions, close_values,
				   psprintf("SELECT g.person, y.part FROM (SELECT g.person"
							" FROM %s AS g ORDER BY g.person) AS g"
							" CROSS JOIN unnest(%s) AS y (part)",
							find_gone(versions), part_numbers(versions)));
	if (versions->remembers && !versions->anew && versions->parts > 1)
		write_rows(versions, gather_values,
				   psprintf("SELECT x.person FROM %s AS x ORDER BY x.person",
							sdcpg_versions_name(versions, "res")));
	close_other_parts(versions);
	if (versions->staging->params.fresh)
		forget_old(versions);
}

void
sdcpg_versions_remember_records(struct SdcVersions *versions,
								const SdcPart *part, const char *digest)
{
	int parts = versions->parts;

	/* without parts nothing of before is published any more */
	versions->parts = 0;
	close_other_parts(versions);
	versions->parts = parts;
	write_values(versions, &part->number, false,
				 psprintf("SELECT uuid_send(gen_random_uuid()),"
						  " %s, " INT64_FORMAT "::int8, %s, true, true,"
						  " NULL::bytea[] FROM %s AS m",
						  digest, versions->release,
						  sdcpg_versions_values(part, "m"),
						  versions->staging->masked->sql));
	forget_old(versions);
}
