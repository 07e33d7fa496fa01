/*
 * id_order.h
 *		Records in an order that only a seed and their ids decide.
 */
#ifndef SDC_PG_ID_ORDER_H
#define SDC_PG_ID_ORDER_H

#include "postgres.h"

#include "pg/server/host.h"

/*
 * The numbers of the rows in an order that looks random, depends on the seed
 * and the ids, and not on the order of the rows.  An id that is NULL or occurs
 * twice stops with an error that names relation and column, not the id.
 */
extern int32 *sdcpg_id_order(SdcPgHost *host, char *const *id, int32 rows,
							 uint64 seed, const char *relation,
							 const char *name);

#endif
