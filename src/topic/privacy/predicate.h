/*
 * predicate.h
 *		A condition that a stranger writes, and that can only choose rows.
 */
#ifndef SDC_PG_PREDICATE_H
#define SDC_PG_PREDICATE_H

#include "postgres.h"

#include "nodes/bitmapset.h"

#include "topic/privacy/oblivious_scan.h"

/*
 * A condition on a row: a test, or what joins conditions.  All tests of a row
 * are made, whatever the others gave and also on NULL, and joined by
 * arithmetic.  A list is as many tests as it has elements.
 */
typedef struct SdcCondition
{
	Node *test; /* NULL: one that joins others */
	ExprState *ready;
	struct SdcComparison *comparison; /* NULL: only ready makes the test */
	BoolExprType join;
	int truths; /* those of its only part that it holds for, as bits; or 0 */
	int parts;
	struct SdcCondition **part;
} SdcCondition;

/* A condition that was checked. */
typedef struct SdcPredicate
{
	char *sql;          /* over the relation with the alias r, for the log */
	Bitmapset *columns; /* numbers of those that it reads */
	SdcCondition *condition;
} SdcPredicate;

/*
 * Reads a condition, every name in it resolved.  It compares columns with
 * constants or with each other, by operators of PostgreSQL that can neither
 * fail nor tell on any value (they are leakproof and immutable), joined by
 * AND, OR, NOT, IN, BETWEEN, IS NULL and the like.  Anything else stops with
 * an error that does not depend on the data: functions, subqueries,
 * arithmetic, patterns, casts that may fail; and so does one that is so long,
 * or makes so many tests, that the time of an answer would tell of one row.
 *
 * To be called while acting as the owner (sdcpg_dataset_act), for names are
 * looked up with the search_path of that.
 */
extern SdcPredicate *sdcpg_predicate_check(const SdcRelation *relation,
										   const char *predicate);

/* Makes it ready for the rows of an open scan that reads its columns. */
extern void sdcpg_predicate_open(SdcPredicate *predicate, const SdcScan *scan);

/* Does it hold for the row at hand?  NULL is no. */
extern bool sdcpg_predicate_holds(const SdcPredicate *predicate,
								  const SdcScan *scan);

#endif
