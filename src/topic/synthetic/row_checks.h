/*
 * row_checks.h
 *		CHECK constraints of a table, asked while a row is being made.
 */
#ifndef SDC_TOPIC_ROW_CHECKS_H
#define SDC_TOPIC_ROW_CHECKS_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "host/call/relation.h"

/* Constraints and a row to ask them of; private to row_checks.c. */
typedef struct SdcRowChecks SdcRowChecks;

/*
 * The valid CHECK constraints of a relation whose columns are all among those
 * given, which are made in this order; in the current memory context.  One
 * that may run what somebody has written is never evaluated, as it would run
 * with the rights of the caller: it calls a function of a user or one that is
 * volatile, reads relations by name, or turns a value into a domain.
 */
extern SdcRowChecks *sdcpg_row_checks(const SdcRelation *relation,
									  const SdcRelationColumns *columns);

/* The names (char *) of the constraints that are evaluated. */
extern List *sdcpg_row_checks_kept(const SdcRowChecks *checks);

/* The names (char *) of the others of the relation. */
extern List *sdcpg_row_checks_left(const SdcRowChecks *checks);

/*
 * Where the columns of the row must stand before it is asked: values and
 * nulls, by the number of the attribute from 0.
 */
extern Datum *sdcpg_row_checks_values(SdcRowChecks *checks, bool **isnull);

/*
 * Memory for what stands there, until the next call, which empties it.
 */
extern MemoryContext sdcpg_row_checks_memory(SdcRowChecks *checks);

/* The columns, of those given, that the constraints of column j read. */
extern const int *sdcpg_row_checks_reads(const SdcRowChecks *checks, int j,
										 int *count);

/* Do the constraints hold whose last column is j? */
extern bool sdcpg_row_checks_hold(SdcRowChecks *checks, int j);

#endif
