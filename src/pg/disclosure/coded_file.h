/*
 * coded_file.h
 *		A relation as codes: who each row is about, and what it agrees with.
 */
#ifndef SDC_PG_CODED_FILE_H
#define SDC_PG_CODED_FILE_H

#include "postgres.h"

#include "pg/call/relation.h"
#include "pg/data/frame.h"

/* A column to read; prefix > 0 takes so many characters of its text. */
typedef struct SdcCodedColumn
{
	SdcRelationColumn column;
	int32 prefix;
} SdcCodedColumn;

/*
 * Rows in the order of their ids: id[row] is the code of the id, and
 * code[j][row] that of column j, in dictionaries that files may share.
 */
typedef struct SdcCodedFile
{
	const SdcRelation *relation;
	int32 rows;
	int32 *id;
	int columns;
	int32 **code;
} SdcCodedFile;

/*
 * Reads a relation as the caller.  dictionary[0] is for the text of the id,
 * which must not be NULL, dictionary[j + 1] for column j; those that are NULL
 * are made, for the type of the column.
 */
extern SdcCodedFile sdcpg_coded_file_load(
	SdcPgHost *host, const SdcRelation *relation, const SdcRelationColumn *id,
	int columns, const SdcCodedColumn *column, SdcDictionary **dictionary);

#endif
