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
	 *		prefix	{column: characters of its text that are compared}
	 *		nulls	ignore: NULL agrees with nobody; category: with NULL
	 *		map		{original column: masked column}
	 */
	Jsonb *params;
} SdcExactCall;

/*
 * The files, file[0] searching in file[1]; ids share the dictionary.  Row i of
 * file[0] agrees with the items (ids of file[1]) of class_of[i], -1 for none.
 */
typedef struct SdcExactLinkage
{
	SdcPgHost *host;
	SdcDictionary *ids;
	const int32 *rank; /* of the codes of ids, for their texts */
	SdcCodedFile file[2];
	int32 *class_of;
	SdcClassItems items;
	SdcItemSet set;
	int32 *votes; /* by id; all 0 between two records */
} SdcExactLinkage;

/*
 * Reads both relations as the caller and finds which rows agree.  An id may
 * have many rows, as a customer has purchases.
 */
extern void sdcpg_exact_linkage_run(SdcExactLinkage *linkage, SdcPgHost *host,
									const SdcExactCall *call);

/* The row "exact" of the attacks, and keys of its params. */
extern void sdcpg_attack_exact(const SdcAttack *attack,
							   const SdcAttackCase *of, SdcPgHost *host,
							   SdcAttackOutcome *outcome);
extern const char *const sdcpg_exact_params[];

#endif
