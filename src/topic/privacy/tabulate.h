/*
 * tabulate.h
 *		Rows of units into cells, no more of each unit than was declared.
 */
#ifndef SDC_TOPIC_TABULATE_H
#define SDC_TOPIC_TABULATE_H

#include "postgres.h"

#include "fmgr.h"

#include "host/server/host.h"
#include "topic/privacy/dataset.h"
#include "topic/privacy/request.h"

/* ----------------------------------------------------------------------
 * Which of the public categories of a column a value is.
 * ----------------------------------------------------------------------
 */

typedef struct SdcCategories
{
	int count;
	Datum *value;
	FmgrInfo *equal;
	FmgrInfo *hash; /* NULL: the type has none */
	Oid collation;
	uint32 mask;
	int32 *place; /* -1: free; else the number of a category */
} SdcCategories;

/* ----------------------------------------------------------------------
 * Of each unit no more rows than were declared, chosen by chance.
 * ----------------------------------------------------------------------
 */

typedef struct SdcUnitSample SdcUnitSample;

/* Counts a row of a cell. */
typedef void (*SdcUnitCount)(void *arg, int32 cell,
							 const SdcFigureValue *value);

/* ----------------------------------------------------------------------
 * Rows of units into cells, no more of each unit than was declared.
 * ----------------------------------------------------------------------
 */

/*
 * Plans the scan of a request, before it is charged.  To be called while
 * acting as the owner, as is sdcpg_tabulate.
 */
extern void sdcpg_tabulate_plan(SdcRequest *request);

/*
 * Reads the relation of a request and counts its rows in cells.  Of each unit
 * at most max_groups groups, and in each at most max_rows rows, are counted,
 * chosen with strong randomness; rows without a unit are not.  What is read
 * and done does not depend on what the rows hold (oblivious_scan.h).
 */
extern List *sdcpg_tabulate(const SdcRequest *request);

#endif
