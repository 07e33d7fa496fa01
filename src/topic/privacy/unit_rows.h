/*
 * unit_rows.h
 *		The query that reads the rows of a request, sorted by unit.
 */
#ifndef SDC_TOPIC_UNIT_ROWS_H
#define SDC_TOPIC_UNIT_ROWS_H

#include "postgres.h"

#include "topic/privacy/request.h"

/*
 * The columns: the unit, if the data set has one; for each group column with
 * public categories their number from 1 as integer, for others the text; for
 * each figure its value as bigint, float8 or numeric, the number of a category
 * for mode, NULL for count.  Rows without a unit or outside the public
 * categories are left out; the others come by unit, then by group.
 */
extern char *sdcpg_unit_rows_query(const SdcRequest *request);

#endif
