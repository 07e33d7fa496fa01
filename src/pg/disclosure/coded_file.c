/*
 * coded_file.c
 *		A relation as codes: who each row is about, and what it agrees with.
 *
 * An id may have several rows; the first file gives the ids their codes, so
 * these follow the order of its ids.
 */
#include "postgres.h"

#include "pg/call/query.h"
#include "pg/disclosure/coded_file.h"

static char *
write_query(const SdcRelation *relation, const SdcRelationColumn *id,
			int columns, const SdcCodedColumn *column)
{
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT CAST(r.%s AS pg_catalog.text)", id->sql);
	for (j = 0; j < columns; j++)
		if (column[j].prefix > 0)
			appendStringInfo(
				&sql, ", pg_catalog.left(CAST(r.%s AS pg_catalog.text), %d)",
				column[j].column.sql, column[j].prefix);
		else
			appendStringInfo(&sql, ", r.%s", column[j].column.sql);
	appendStringInfo(&sql, " FROM %s AS r ", relation->sql);
	sdcpg_query_order(&sql, id);
	return sql.data;
}

SdcCodedFile
sdcpg_coded_file_load(SdcPgHost *host, const SdcRelation *relation,
					  const SdcRelationColumn *id, int columns,
					  const SdcCodedColumn *column, SdcDictionary **dictionary)
{
	SdcFrameType *types = palloc(sizeof(SdcFrameType) * (columns + 1));
	SdcCodedFile file = {relation};
	SdcFrame *frame;
	int32 row;
	int j;

	for (j = 0; j <= columns; j++)
		types[j] = SDC_FRAME_CODE;
	frame = sdcpg_frame_load_codes(host,
								   write_query(relation, id, columns, column),
								   columns + 1, types, dictionary);
	file.rows = frame->rows;
	file.id = frame->column[0].code;
	file.columns = columns;
	file.code = palloc(sizeof(int32 *) * (columns + 1));
	for (j = 0; j < columns; j++)
		file.code[j] = frame->column[j + 1].code;
	for (row = 0; row < file.rows; row++)
		if (file.id[row] < 0)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("column \"%s\" of relation \"%s\" holds a null",
							id->name, relation->name),
					 errdetail("It is the id, which every row must have.")));
	return file;
}
