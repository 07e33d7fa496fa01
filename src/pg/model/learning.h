/*
 * learning.h
 *		Two relations as the tables that models learn from and are asked about.
 *
 * Columns of both are numbers or share one coding, in the order of the values'
 * type, so that what was learned from one relation can be asked about the
 * other.  Rows are in the order of their ids; without an id, by their values.
 */
#ifndef SDC_PG_LEARNING_H
#define SDC_PG_LEARNING_H

#include "postgres.h"

#include "kernel/model/model.h"
#include "pg/call/relation.h"
#include "pg/data/dictionary.h"
#include "pg/data/frame.h"
#include "pg/data/ids.h"
#include "pg/server/host.h"

typedef struct SdcLearningSide
{
	const SdcRelation *relation;
	int32 rows;
	SdcModelTable keys;
	SdcModelColumn *sensitive; /* NULL when they were not read */
	SdcFrame *frame;
	SdcIds ids; /* of column 0 of the frame; only with an id */
} SdcLearningSide;

typedef struct SdcLearning
{
	/* what to read, set by the caller; columns are those of the first side */
	const SdcRelation *relation[2];
	const SdcRelationColumn *id; /* or NULL */
	SdcRelationColumns keys;
	SdcRelationColumns sensitive;
	bool second_sensitive; /* has the second relation the sensitive columns? */

	/* set by sdcpg_learning_load */
	SdcLearningSide side[2];
	SdcDictionary **dictionary; /* keys, then sensitive; NULL of numbers */
} SdcLearning;

/*
 * Finds relations and columns; what is not named is as declared for the first
 * relation.  Without an id (NULL, and none declared) stops if one is needed.
 */
extern void sdcpg_learning_find(SdcLearning *learning, Oid first, Oid second,
								const char *id, bool need_id, ArrayType *keys,
								ArrayType *sensitive);

/* The text of the id of a row. */
static inline const char *
sdcpg_learning_id(const SdcLearningSide *side, int32 row)
{
	return sdcpg_frame_text(&side->frame->column[0], row);
}

/*
 * Reads both relations as the caller.  The second must have columns with the
 * names of the id, the keys and, if so said, the sensitive ones.  A column is
 * a number when it is one in both relations (or a date or time in both), else
 * a category; of different types, values are compared as text.  An id that is
 * NULL or occurs twice, NaN and infinity stop with an error.
 */
extern void sdcpg_learning_load(SdcLearning *learning, SdcPgHost *host);

/*
 * For each row of a side, the row of the other side with the same id, or -1;
 * warns when no row of the first side has one.
 */
extern int32 *sdcpg_learning_partners(const SdcLearning *learning,
									  SdcPgHost *host, int side);

/*
 * The keys of the first side as one asks a model about them that was trained
 * on the second: a category that occurs nowhere in the second relation is
 * replaced by what the second holds for the row's partner, because who knows
 * how values were recoded can recode them.
 */
extern SdcModelTable sdcpg_learning_recode(const SdcLearning *learning,
										   SdcPgHost *host,
										   const int32 *partner);

/*
 * The rows of both sides in one table, those of the first side first; and one
 * column of it.
 */
extern SdcModelTable sdcpg_learning_join(const SdcLearning *learning,
										 SdcPgHost *host);
extern SdcModelColumn sdcpg_learning_join_column(const SdcLearning *learning,
												 SdcPgHost *host,
												 const SdcModelColumn *first,
												 const SdcModelColumn *second);

#endif
