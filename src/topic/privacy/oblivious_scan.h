/*
 * oblivious_scan.h
 *		All rows of a relation, read the same way whatever they hold.
 *
 * The query is a list of columns and nothing else; its plan is looked at
 * before it is run, and nobody may be measuring it.
 */
#ifndef SDC_TOPIC_OBLIVIOUS_SCAN_H
#define SDC_TOPIC_OBLIVIOUS_SCAN_H

#include "postgres.h"

#include "executor/executor.h"
#include "nodes/bitmapset.h"

#include "host/call/relation.h"

/* ----------------------------------------------------------------------
 * Is somebody measuring what the present query does?
 * ----------------------------------------------------------------------
 */

/* Starts to watch; called once, when the library is loaded. */
extern void sdcpg_explain_watch(void);

/*
 * Is the call within EXPLAIN ANALYZE, at whatever depth: of functions, cursors
 * and loops, prepared statements, statements that a function makes up?
 */
extern bool sdcpg_explain_is_running(void);

/* ----------------------------------------------------------------------
 * All rows of a relation, read the same way whatever they hold.
 *
 * Counters of tables and indexes, buffers, locks, temporary files: every role
 * can read them, and each row that is read, or left alone, because of what it
 * holds shows in them.  So nothing here depends on values: one sequential
 * scan without a condition hands over every row, and every column that was
 * asked for is brought in from TOAST before anybody looks at it.
 * ----------------------------------------------------------------------
 */

/* Columns of a relation that are to be read, and how. */
typedef struct SdcScan
{
	char *sql;
	struct PlannedStmt *plan;
	int columns;
	AttrNumber *number; /* of each column, ascending */
	int *source;        /* its place in what the query gives, ascending */
	Oid *type;
	int32 *modifier;
	Oid *collation;
	int varlenas; /* columns that may lie in TOAST, by place */
	int *varlena;
	/* while it runs: the row at hand, as expressions take it */
	TupleTableSlot *row;
	ExprContext *context;
	int64 rows;
} SdcScan;

/*
 * Takes the row at hand; the current memory is cleared after each row, or
 * after some rows where all columns have a fixed length.
 */
typedef void (*SdcScanTake)(void *arg, const Datum *value, const bool *isnull);

/*
 * Plans to read some columns, a set of their numbers, of a relation with all
 * that inherit from it.  Stops unless its owner may read it and the plan is
 * sequential scans and nothing else.  To be called while acting as the owner
 * (sdcpg_dataset_act), as the run is.
 */
extern SdcScan *sdcpg_scan_plan(const SdcRelation *relation, Oid owner,
								Bitmapset *numbers);

/* The place of a column among those that are read. */
extern int sdcpg_scan_place(const SdcScan *scan, AttrNumber number);

/*
 * Makes row and context ready for expressions over the columns, which are Vars
 * of the scan tuple by place.
 */
extern void sdcpg_scan_open(SdcScan *scan);

/*
 * Reads all rows, with the snapshot of the calling statement, and hands each
 * over with arg.
 */
extern void sdcpg_scan_run(SdcScan *scan, SdcScanTake take, void *arg);

#endif
