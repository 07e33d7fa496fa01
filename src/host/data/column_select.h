/*
 * column_select.h
 *		A SELECT with masks as window functions, run column by column.
 */
#ifndef SDC_HOST_COLUMN_SELECT_H
#define SDC_HOST_COLUMN_SELECT_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "host/call/catalog.h"
#include "host/data/rows.h"
#include "host/server/host.h"

/*
 * Runs a SELECT as the caller, in the active snapshot and without writing, and
 * hands over the rows that the SELECT returns.  Window functions of sdc in it
 * are called once for a partition, on arrays.  Their values are those that the
 * executor of PostgreSQL would make of the same windows, to the bit; the order
 * of the rows is that of the relation.
 *
 * shuffled: the rows come in a random order.  Of equal values of the columns
 * in the list keys one form is shown, see sdcpg_target_shape.
 *
 * Returns false before any row is handed over when the SELECT has what this
 * cannot do, or when the arrays would not fit sdc.memory_limit: then it is to
 * be run as it is.
 */
extern bool sdcpg_column_select(SdcPgHost *host, const char *select,
								const SdcCatalogParameters *parameters,
								bool shuffled, List *keys,
								const SdcRows *rows);

#endif
