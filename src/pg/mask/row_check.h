/*
 * row_check.h
 *		What a table asks of a row: generated columns, NOT NULL, CHECK.
 */
#ifndef SDC_PG_ROW_CHECK_H
#define SDC_PG_ROW_CHECK_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "utils/rel.h"

typedef struct SdcRowCheck SdcRowCheck;

/* Gets ready to check rows of a table, in the current memory context. */
extern SdcRowCheck *sdcpg_row_check_new(Relation table);

/* Computes the stored generated columns of a row, all values given. */
extern void sdcpg_row_check_generate(SdcRowCheck *check, Datum *values,
									 bool *isnull);

/*
 * Stops when a column that must not be NULL is, or when a CHECK constraint
 * that was valid before does not hold.
 */
extern void sdcpg_row_check(SdcRowCheck *check, const Datum *values,
							const bool *isnull);

/* Is there anything but NOT NULL, which only looks at flags? */
extern bool sdcpg_row_check_evaluates(const SdcRowCheck *check);

#endif
