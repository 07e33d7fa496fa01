/*
 * rows.h
 *		Rows of a query, one by one, as the executor makes them.
 */
#ifndef SDC_PG_ROWS_H
#define SDC_PG_ROWS_H

#include "postgres.h"

#include "access/tupdesc.h"

#include "pg/call/catalog.h"
#include "pg/server/host.h"

/* Who takes the rows; arg is passed to both functions. */
typedef struct SdcRows
{
	/* called once, before the first row: to check the columns */
	void (*start)(void *arg, TupleDesc descriptor);
	/*
	 * Called for each row.  The current memory context is cleared every
	 * thousand rows; values do not outlive the call.
	 */
	void (*row)(void *arg, TupleDesc descriptor, const Datum *values,
				const bool *isnull);
	void *arg;
} SdcRows;

/*
 * Runs a query as the caller, with the snapshot of the calling statement and
 * without writing, and hands over its rows.  Polls the host.
 */
extern void sdcpg_rows_receive(SdcPgHost *host, const char *sql,
							   const SdcRows *rows);

/* The same for a query with parameters $1, $2, ... */
extern void sdcpg_rows_receive_bound(SdcPgHost *host, const char *sql,
									 const SdcCatalogParameters *parameters,
									 const SdcRows *rows);

#endif
