/*
 * losses.c
 *		Records that lose values, as parameters and as a query.
 *
 * The list goes into the statement as two arrays, which PostgreSQL joins with
 * the relation by the text of the id; records that lose nothing are not in it.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "pg/server/compat.h"
#include "pg/server/generated.h"
#include "pg/generalization/losses.h"
#include "pg/data/target.h"

SdcLosses
sdcpg_losses_new(SdcPgHost *host, int64 records)
{
	SdcLosses losses = {.host = host};

	losses.id = sdc_new(&host->kernel, Datum, records);
	losses.mask = sdc_new(&host->kernel, Datum, records);
	return losses;
}

void
sdcpg_losses_add(SdcLosses *losses, const char *id, uint64 mask)
{
	SdcHost *kernel = &losses->host->kernel;
	Size length = strlen(id);
	text *copy = kernel->alloc(kernel, length + VARHDRSZ, 1);

	SET_VARSIZE(copy, length + VARHDRSZ);
	memcpy(VARDATA(copy), id, length);
	losses->id[losses->count] = PointerGetDatum(copy);
	losses->mask[losses->count++] = Int64GetDatum((int64) mask);
}

/* An array parameter; PostgreSQL holds arrays of up to 1 GB. */
static void
bind_array(SdcCatalogParameters *parameters, const SdcLosses *losses,
		   Datum *element, Oid type, Oid array, int length, char align)
{
	Size bytes = 0;
	int32 i;

	for (i = 0; i < losses->count; i++)
		bytes += length > 0 ? length
							: INTALIGN(VARSIZE(DatumGetPointer(element[i])));
	if (bytes > MaxAllocSize / 2)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many records lose values"),
						errhint("Generalize the keys first, or suppress parts "
								"of the relation, as views.")));
	sdcpg_catalog_bind(parameters, array,
					   PointerGetDatum(construct_array(
						   element, losses->count, type, length,
						   type == INT8OID ? FLOAT8PASSBYVAL : false, align)),
					   false);
}

void
sdcpg_losses_bind(const SdcLosses *losses, SdcCatalogParameters *parameters)
{
	bind_array(parameters, losses, losses->id, TEXTOID, TEXTARRAYOID, -1, 'i');
	bind_array(parameters, losses, losses->mask, INT8OID, INT8ARRAYOID,
			   sizeof(int64), 'd');
}

/* Does the record lose any of these columns? */
static char *
lost(uint64 mask)
{
	return psprintf("(s.lost OPERATOR(pg_catalog.&) '" INT64_FORMAT
					"'::pg_catalog.int8) OPERATOR(pg_catalog.<>) "
					"'0'::pg_catalog.int8",
					(int64) mask);
}

/* The column itself, or what it is generated from, as bits. */
static uint64
parts_of(const SdcRelation *relation, const SdcRelationColumns *columns,
		 const SdcRelationColumn *column)
{
	int j;

	for (j = 0; j < columns->count; j++)
		if (columns->column[j].number == column->number)
			return UINT64CONST(1) << j;
	return sdcpg_generated_from(relation, column, columns);
}

char *
sdcpg_losses_select(const SdcRelation *relation, const SdcRelationColumn *id,
					const SdcRelationColumns *columns)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(relation);
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (j = 0; j < all.count; j++)
	{
		uint64 parts = parts_of(relation, columns, &all.column[j]);

		appendStringInfoString(&sql, j > 0 ? ", " : "");
		sdcpg_target_column(&sql, relation, &all.column[j],
							parts == 0 ? NULL : lost(parts));
	}
	appendStringInfo(
		&sql,
		" FROM %s AS r LEFT JOIN ROWS FROM (pg_catalog.unnest($1), "
		"pg_catalog.unnest($2)) AS s (id, lost) ON s.id "
		"OPERATOR(pg_catalog.=) (CAST(r.%s AS pg_catalog.text) COLLATE "
		"pg_catalog.\"C\")",
		relation->sql, id->sql);
	return sql.data;
}
