/*
 * recoding_write.c
 *		Local recoding of a relation: the new table.
 *
 * What the classes look like goes into the statement as one array, a label for
 * each class and key, and which class each record is in as two more, the text
 * of its id and the number of the class.  PostgreSQL joins them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "pg/server/compat.h"
#include "pg/server/generated.h"
#include "pg/generalization/recoding.h"

/* Stands for any value of a key. */
#define ROOT "*"

/* An array of texts; a NULL stays one.  PostgreSQL holds arrays of 1 GB. */
static void
bind_texts(SdcPgHost *host, SdcCatalogParameters *parameters,
		   char *const *text, int64 count)
{
	SdcHost *kernel = &host->kernel;
	Datum *element = sdc_new(kernel, Datum, count);
	bool *isnull = sdc_new(kernel, bool, count);
	Size bytes = 0;
	int length = (int) count;
	int first = 1;
	int64 i;

	for (i = 0; i < count; i++)
	{
		isnull[i] = text[i] == NULL;
		element[i] = isnull[i] ? (Datum) 0 : CStringGetTextDatum(text[i]);
		if (!isnull[i])
			bytes += INTALIGN(VARSIZE(DatumGetPointer(element[i])));
		if (bytes > MaxAllocSize / 2 || i > INT32_MAX / 2)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("too many records to recode at once"),
					 errhint("Recode parts of the relation, as views.")));
		if (i % SDC_POLL_STEPS == 0)
			kernel->poll(kernel, i, count);
	}
	sdcpg_catalog_bind(
		parameters, TEXTARRAYOID,
		PointerGetDatum(construct_md_array(element, isnull, 1, &length, &first,
										   TEXTOID, -1, false, TYPALIGN_INT)),
		false);
	for (i = 0; i < count; i++)
		if (!isnull[i])
			pfree(DatumGetPointer(element[i]));
	kernel->release(kernel, element);
	kernel->release(kernel, isnull);
}

/* The class of each row, as a parameter. */
static void
bind_numbers(SdcPgHost *host, SdcCatalogParameters *parameters,
			 const SdcFrequencyTable *table, const SdcClasses *classes,
			 const SdcLocalRecoding *local)
{
	SdcHost *kernel = &host->kernel;
	int32 *number = sdc_new(kernel, int32, table->frequency->cells);
	Datum *element = sdc_new(kernel, Datum, table->rows);
	int32 cell;
	int32 i;

	for (i = 0; i < classes->classes; i++)
		for (cell = classes->first[i]; cell < classes->first[i + 1]; cell++)
			number[cell] = local->number[i];
	for (i = 0; i < table->rows; i++)
		element[i] = Int32GetDatum(number[table->cell[i]]);
	sdcpg_catalog_bind(
		parameters, INT4ARRAYOID,
		PointerGetDatum(construct_array(element, table->rows, INT4OID,
										sizeof(int32), true, TYPALIGN_INT)),
		false);
	kernel->release(kernel, number);
	kernel->release(kernel, element);
}

/* What a value becomes on a level; NULL for a NULL. */
static char *
label_of(const SdcHierarchyMap *map, int32 value, int level)
{
	int top = map->groups->levels - 1;

	if (level > top)
		return ROOT;
	if (value != SDC_CODE_NULL)
		return map->label[level][map->groups->group[level][value]];
	/* NULL joins the others where they are all one */
	return level == top && level > 0 && map->groups->groups[top] == 1
			   ? map->label[top][0]
			   : NULL;
}

/* The keys of each class, as a parameter. */
static void
bind_labels(SdcPgHost *host, SdcCatalogParameters *parameters,
			const SdcRecodingHierarchies *hierarchies,
			const SdcFrequencyTable *table, const SdcClasses *classes,
			const SdcLocalRecoding *local)
{
	SdcHost *kernel = &host->kernel;
	int keys = local->keys;
	int64 labels = (int64) local->classes * keys;
	char **label = sdc_new(kernel, char *, labels);
	int32 t;
	int j;

	for (t = 0; t < local->tuples; t++)
		for (j = 0; j < keys; j++)
			label[(int64) local->number[t] * keys + j] =
				label_of(hierarchies->map[j],
						 table->frequency->code[j][classes->first[t]],
						 local->level[(int64) t * keys + j]);
	bind_texts(host, parameters, label, labels);
	kernel->release(kernel, label);
}

/* The place of a column among the keys, from 1; 0 for none. */
static int
place_among(const SdcRelationColumns *keys, const SdcRelationColumn *column)
{
	int j;

	for (j = 0; j < keys->count; j++)
		if (keys->column[j].number == column->number)
			return j + 1;
	return 0;
}

/* The query: ids $1, their classes $2, labels $3 by class and key. */
static char *
write_select(const SdcRelation *relation, const SdcRelationColumn *id,
			 const SdcRelationColumns *keys)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(relation);
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (j = 0; j < all.count; j++)
	{
		const SdcRelationColumn *column = &all.column[j];
		int place = place_among(keys, column);

		appendStringInfoString(&sql, j > 0 ? ", " : "");
		if (place > 0)
			appendStringInfo(&sql, "c.label[%d] AS %s", place, column->sql);
		else
			sdcpg_target_column(
				&sql, relation, column,
				sdcpg_generated_from(relation, column, keys) != 0 ? "true"
																  : NULL);
	}
	appendStringInfo(
		&sql,
		" FROM %s AS r JOIN ROWS FROM (pg_catalog.unnest($1), "
		"pg_catalog.unnest($2)) AS s (id, number) ON s.id "
		"OPERATOR(pg_catalog.=) (CAST(r.%s AS pg_catalog.text) COLLATE "
		"pg_catalog.\"C\") JOIN (SELECT (u.n OPERATOR(pg_catalog.-) 1) "
		"OPERATOR(pg_catalog./) %d AS number, pg_catalog.array_agg(u.label "
		"ORDER BY u.n) AS label FROM pg_catalog.unnest($3) WITH ORDINALITY "
		"AS u (label, n) GROUP BY 1) AS c ON c.number OPERATOR(pg_catalog.=) "
		"s.number",
		relation->sql, id->sql, keys->count);
	return sql.data;
}

uint64
sdcpg_recoding_write(SdcPgHost *host, const SdcTarget *target,
					 const SdcRelation *relation, const SdcRelationColumn *id,
					 const SdcRecodingHierarchies *hierarchies,
					 const SdcFrequencyTable *table, const SdcClasses *classes,
					 const SdcLocalRecoding *local)
{
	SdcCatalogParameters parameters = {0};

	bind_texts(host, &parameters, table->id, table->rows);
	bind_numbers(host, &parameters, table, classes, local);
	bind_labels(host, &parameters, hierarchies, table, classes, local);
	return sdcpg_target_create(host, target,
							   write_select(relation, id, hierarchies->keys),
							   &parameters);
}
