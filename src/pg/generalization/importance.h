/*
 * importance.h
 *		The key "importance" of params: how dear the values of a column are.
 */
#ifndef SDC_PG_IMPORTANCE_H
#define SDC_PG_IMPORTANCE_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "pg/call/relation.h"

/*
 * params is {"importance": {"column": number}}: a number from 0.001 to 1000
 * for each column, 1 for those that are not named; NULL without the key.  A
 * name that is not among the columns stops with an error.
 */
extern double *sdcpg_importance_read(Jsonb *params,
									 const SdcRelationColumns *columns);

#endif
