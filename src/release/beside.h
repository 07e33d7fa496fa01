/*
 * beside.h
 *		Tables of cells and rows that one owner publishes of the same relation.
 */
#ifndef SDC_RELEASE_BESIDE_H
#define SDC_RELEASE_BESIDE_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "release/gate.h"
#include "release/publish.h"

/*
 * Of a table of cells: writes what the rows tell that other policies of the
 * caller have published of the relation into a table, which is named in the
 * case.  Returns the names of the tables that it made.  O(rows) for each
 * policy and each set of keys that is tried.
 */
extern List *sdcpg_beside_rows(SdcStaging *staging, const char *policy,
							   SdcGateCase *of);

/*
 * Of rows: judges the tables of cells that other policies of the caller have
 * published of the relation by their own constraints, by who has the rows as
 * well.  Adds what was found to the gate and its results, which are returned.
 * O(rows) as above, and an attack on each table.
 */
extern SdcGateResult *sdcpg_beside_tables(SdcStaging *staging,
										  const char *policy,
										  const SdcGateCase *of, SdcGate *gate,
										  SdcGateResult *result);

/* Drops tables that were made. */
extern void sdcpg_beside_drop(List *made);

#endif
