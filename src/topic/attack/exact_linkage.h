/*
 * exact_linkage.h
 *		Two relations linked where rows are equal.
 */
#ifndef SDC_TOPIC_EXACT_LINKAGE_H
#define SDC_TOPIC_EXACT_LINKAGE_H

#include "postgres.h"

#include "utils/array.h"
#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/server/host.h"
#include "kernel/linkage/class_items.h"
#include "topic/registry/attacks.h"

/*
 * A column to read; prefix > 0 takes so many characters of its text, as_text
 * tells values apart that print differently.
 */
typedef struct SdcCodedColumn
{
	SdcRelationColumn column;
	int32 prefix;
	bool as_text;
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

/*
 * Values may be equal and print differently (1.0 and 1.00).  The intruder who
 * has the file in his hands looks for the same text, or for the same value, or
 * for the text and, where no row has it, for the value.
 */
typedef enum SdcExactCompare
{
	SDC_EXACT_EITHER,
	SDC_EXACT_TEXT,
	SDC_EXACT_VALUE
} SdcExactCompare;

/* What is linked, and how. */
typedef struct SdcExactCall
{
	Oid original;
	Oid masked;
	const char *id;
	ArrayType *keys;
	bool to_original;
	/*
	 * NULL, or an object:
	 *		compare	text, value or either, see SdcExactCompare
	 *		prefix	{column: characters of its text that are compared}
	 *		nulls	ignore: NULL agrees with nobody; category: with NULL
	 *		map		{original column: masked column}
	 */
	Jsonb *params;
} SdcExactCall;

/* The classes of the rows of both files, and the ids of file[1] in each. */
typedef struct SdcExactClasses
{
	int32 *class_of; /* of rows of file[0], then of file[1]; -1: none */
	SdcClassItems items;
} SdcExactClasses;

/*
 * The files, file[0] searching in file[1]; ids share the dictionary.  The
 * first keys columns are compared by value; text is NULL where no value has
 * two forms, or nobody asked.
 */
typedef struct SdcExactLinkage
{
	SdcPgHost *host;
	SdcDictionary *ids;
	const int32 *rank; /* of the codes of ids, for their texts */
	SdcCodedFile file[2];
	SdcExactCompare compare;
	SdcExactClasses value;
	SdcExactClasses *text;
	SdcItemSet set;
	int32 *votes; /* by id; all 0 between two records */
} SdcExactLinkage;

/* The row "exact" of the attacks; below, keys of its params. */
extern void sdcpg_attack_exact(const SdcAttack *attack,
							   const SdcAttackCase *of, SdcPgHost *host,
							   SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_exact_params[];

#endif
