/*
 * table_statistics.h
 *		What ANALYZE keeps of a table: samples of its values.
 */
#ifndef SDC_PG_TABLE_STATISTICS_H
#define SDC_PG_TABLE_STATISTICS_H

#include "postgres.h"

/*
 * Deletes the statistics of a table, of its partitions, and of the tables
 * above it, which hold samples of its values too; of their indexes and of
 * their extended statistics objects.
 */
extern void sdcpg_table_statistics_clear(Oid table);

#endif
