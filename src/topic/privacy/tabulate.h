/*
 * tabulate.h
 *		Rows of units into cells, no more of each unit than was declared.
 */
#ifndef SDC_TOPIC_TABULATE_H
#define SDC_TOPIC_TABULATE_H

#include "postgres.h"

#include "fmgr.h"

#include "host/server/host.h"
#include "kernel/base/table.h"
#include "topic/privacy/dataset.h"
#include "topic/privacy/request.h"

/* ----------------------------------------------------------------------
 * Of each unit no more rows than were declared, chosen by chance.
 * ----------------------------------------------------------------------
 */

/* Rows by their units; private to tabulate.c. */
typedef struct SdcUnitSample SdcUnitSample;

/* Counts a row of a cell. */
typedef void (*SdcUnitCount)(void *arg, int32 cell,
							 const SdcFigureValue *value);

/*
 * Starts a sample for the units of a request; rows of the cell other, which
 * are those that are not asked for, do not count against the declared limits.
 */
extern SdcUnitSample *
sdcpg_units_begin(SdcPgHost *host, const SdcRequest *request, int32 other);

/*
 * Keeps a row: 12 bytes and 8 for each figure, with the value of the unit
 * where that is no number, whatever the row holds.  Stops when more rows come
 * than sdc.dp_memory_limit leaves room for, or 2^31.
 */
extern void sdcpg_units_add(SdcUnitSample *sample, Datum unit, int32 cell,
							const SdcFigureValue *value);

/*
 * Counts of each unit the rows that were chosen: at most max_groups groups,
 * and in each at most max_rows rows, each as probable as any other; and all
 * rows of the cell other.  O(rows) for numbers and types that can be hashed,
 * O(rows log rows) comparisons for others.
 */
extern void sdcpg_units_finish(SdcUnitSample *sample, SdcUnitCount count,
							   void *arg);

/* ----------------------------------------------------------------------
 * Rows of units into cells, no more of each unit than was declared.
 * ----------------------------------------------------------------------
 */

/*
 * Stops when the unit, or a group column without categories, has a type whose
 * values are looked up in catalogs: which were would show in their counters.
 */
extern void sdcpg_tabulate_check(const SdcRequest *request);

/*
 * Checks, and plans the scan of a request, before it is charged.  To be called
 * while acting as the owner, as is sdcpg_tabulate.
 */
extern void sdcpg_tabulate_plan(SdcRequest *request);

/*
 * Reads the relation of a request and counts its rows in cells.  Of each unit
 * at most max_groups groups, and in each at most max_rows rows, are counted,
 * chosen with strong randomness; rows without a unit are not.  What is read
 * and done does not depend on what the rows hold (oblivious_scan.h).  Returns
 * the cells (SdcRequestCell *).
 */
extern List *sdcpg_tabulate(const SdcRequest *request);

#endif
