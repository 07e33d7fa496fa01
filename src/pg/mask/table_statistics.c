/*
 * table_statistics.c
 *		What ANALYZE keeps of a table: samples of its values.
 *
 * The most common values and the bounds of histograms are values of the data.
 * ANALYZE replaces those it computes anew and leaves the others, such as the
 * list of common values of a column that has none any more, so all go first.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/heap.h"
#include "catalog/indexing.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_statistic_ext_data.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

#include "pg/mask/table_statistics.h"
#include "pg/server/compat.h"

#if PG_VERSION_NUM >= 150000

/* Deletes what an object of extended statistics holds. */
static void
clear_extended(Oid object)
{
	Relation catalog =
		table_open(StatisticExtDataRelationId, RowExclusiveLock);
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple tuple;

	ScanKeyInit(&key, Anum_pg_statistic_ext_data_stxoid, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(object));
	scan = systable_beginscan(catalog, StatisticExtDataStxoidInhIndexId, true,
							  NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		CatalogTupleDelete(catalog, &tuple->t_self);
	systable_endscan(scan);
	table_close(catalog, RowExclusiveLock);
}

#else

/* Before 15 each object has one row, which must stay: it is emptied. */
static void
clear_extended(Oid object)
{
	Relation catalog =
		table_open(StatisticExtDataRelationId, RowExclusiveLock);
	HeapTuple tuple =
		SearchSysCache1(STATEXTDATASTXOID, ObjectIdGetDatum(object));
	Datum values[Natts_pg_statistic_ext_data] = {0};
	bool isnull[Natts_pg_statistic_ext_data];
	bool replace[Natts_pg_statistic_ext_data];

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "statistics object %u has no data", object);
	memset(isnull, true, sizeof(isnull));
	memset(replace, true, sizeof(replace));
	replace[Anum_pg_statistic_ext_data_stxoid - 1] = false;
	CatalogTupleUpdate(catalog, &tuple->t_self,
					   heap_modify_tuple(tuple, RelationGetDescr(catalog),
										 values, isnull, replace));
	ReleaseSysCache(tuple);
	table_close(catalog, RowExclusiveLock);
}

#endif

/* The statistics of one table. */
static void
clear_table(Oid table)
{
	Relation relation = table_open(table, AccessShareLock);
	List *indexes = RelationGetIndexList(relation);
	List *objects = RelationGetStatExtList(relation);
	ListCell *cell;

	RemoveStatistics(table, 0);
	foreach (cell, indexes)
		RemoveStatistics(lfirst_oid(cell), 0);
	foreach (cell, objects)
		clear_extended(lfirst_oid(cell));
	table_close(relation, NoLock);
}

/* Adds the tables that a table is a partition or a child of. */
static List *
add_parents(List *tables, Oid table)
{
	Relation catalog = table_open(InheritsRelationId, AccessShareLock);
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple tuple;

	ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(table));
	scan = systable_beginscan(catalog, InheritsRelidSeqnoIndexId, true, NULL,
							  1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		tables = list_append_unique_oid(
			tables, ((Form_pg_inherits) GETSTRUCT(tuple))->inhparent);
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return tables;
}

void
sdcpg_table_statistics_clear(Oid table)
{
	List *above = add_parents(NIL, table);
	ListCell *cell;
	int i;

	/* the list grows on the way */
	for (i = 0; i < list_length(above); i++)
		above = add_parents(above, list_nth_oid(above, i));
	foreach (cell, above)
		clear_table(lfirst_oid(cell));
	foreach (cell, find_all_inheritors(table, AccessShareLock, NULL))
		clear_table(lfirst_oid(cell));
}
