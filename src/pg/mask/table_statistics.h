/*
 * table_statistics.h
 *		What ANALYZE keeps of a table: samples of its values.
 */
#ifndef SDC_PG_TABLE_STATISTICS_H
#define SDC_PG_TABLE_STATISTICS_H

#include "postgres.h"

/*
 * Deletes the statistics of a table, of its indexes and of its extended
 * statistics objects.
 */
extern void sdcpg_table_statistics_clear(Oid table);

#endif
