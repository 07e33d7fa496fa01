/*
 * mask_refuse.c
 *		What cannot be masked in place, and why.
 *
 * Whatever would leave rows in cleartext, break a promise of the table, or run
 * code of somebody else with the owner's rights is refused before a row is
 * read.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/catalog.h"
#include "catalog/objectaddress.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "commands/tablecmds.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "rewrite/prs2lock.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/syscache.h"

#include "pg/mask/mask_refuse.h"
#include "pg/server/compat.h"

pg_noreturn static void
refuse(const char *table, const char *why, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("relation \"%s\" cannot be masked in place", table),
					errdetail("%s.", why), errhint("%s.", hint)));
}

static void
check_kind(const char *table, char kind)
{
	const char *copy = "Name a new table in argument \"target\"";

	switch (kind)
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
			return;
		case RELKIND_VIEW:
			refuse(table, "A view holds no rows",
				   "Mask the tables that it reads");
		case RELKIND_MATVIEW:
			refuse(table, "The next refresh would bring the values back",
				   "Mask the tables that it reads, then refresh it");
		case RELKIND_FOREIGN_TABLE:
			refuse(table, "Its rows are on another server", copy);
		default:
			refuse(table, "It is not a table", copy);
	}
}

/* The owner, after checks that need no lock; checked again with one. */
static void
check_table(Oid table)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	Form_pg_class form;
	char *name;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", table)));
	form = (Form_pg_class) GETSTRUCT(tuple);
	name = pstrdup(NameStr(form->relname));
	if (!pg_class_ownercheck(table, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(form->relkind),
					   name);
	check_kind(name, form->relkind);
	if (IsSystemClass(table, form))
		refuse(name, "It is part of the system catalog",
			   "Nothing in there is to be masked");
	ReleaseSysCache(tuple);
}

void
sdcpg_mask_refuse_table(Oid table, LOCKMODE lock)
{
	check_table(table);
	LockRelationOid(table, lock);
	check_table(table);
}

void
sdcpg_mask_refuse_view(const SdcRelation *relation)
{
	if (get_rel_relkind(relation->oid) == RELKIND_VIEW)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("relation \"%s\" is a view and cannot be masked",
						relation->name),
				 errdetail("Functions in a view run with the rights of "
						   "whoever reads it."),
				 errhint("Mask a table or a materialized view.")));
}

/* Would row-level security hide rows from the owner, as whom they are read? */
static void
check_row_security(Relation table)
{
	Oid id = RelationGetRelid(table);

	if (check_enable_rls(id, InvalidOid, true) == RLS_ENABLED ||
		check_enable_rls(id, table->rd_rel->relowner, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("row-level security hides rows of relation \"%s\"",
						RelationGetRelationName(table)),
				 errdetail("They would stay as they are."),
				 errhint("Take FORCE ROW LEVEL SECURITY off the table.")));
}

static void
check_rules(Relation table)
{
	if (table->rd_rules != NULL && table->rd_rules->numLocks > 0)
		refuse(RelationGetRelationName(table),
			   "It has rewrite rules, which would not see the change",
			   "Drop the rules, or turn them into triggers");
}

/* Is the column of a table masked?  Partitions have numbers of their own. */
static bool
is_masked(const SdcMaskPlan *plan, const char *name)
{
	int i;

	for (i = 0; i < plan->columns; i++)
		if (strcmp(plan->column[i].column.name, name) == 0)
			return plan->column[i].masked;
	return false;
}

/* Stops when rows would belong to other partitions. */
static void
check_partition_key(const SdcMaskPlan *plan, Relation table)
{
	PartitionKey key = RelationGetPartitionKey(table);
	Bitmapset *columns = NULL;
	int column = -1;
	int i;

	if (key == NULL)
		return;
	for (i = 0; i < key->partnatts; i++)
		if (key->partattrs[i] != 0)
			columns = bms_add_member(columns,
									 key->partattrs[i] -
										 FirstLowInvalidHeapAttributeNumber);
	pull_varattnos((Node *) key->partexprs, 1, &columns);
	while ((column = bms_next_member(columns, column)) >= 0)
	{
		AttrNumber number = column + FirstLowInvalidHeapAttributeNumber;
		char *name;

		if (number <= 0)
			continue;
		name = get_attname(RelationGetRelid(table), number, false);
		if (is_masked(plan, name))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" of relation \"%s\" is part of its "
							"partition key",
							name, RelationGetRelationName(table)),
					 errdetail("Rows would belong to other partitions."),
					 errhint("Name a new table in argument \"target\".")));
	}
}

/* A partition must keep to the keys of the tables above it, too. */
static void
check_ancestors(const SdcMaskPlan *plan, Relation table)
{
	ListCell *cell;

	if (!table->rd_rel->relispartition)
		return;
	foreach (cell, get_partition_ancestors(RelationGetRelid(table)))
	{
		Relation above = table_open(lfirst_oid(cell), AccessShareLock);

		check_partition_key(plan, above);
		table_close(above, AccessShareLock);
	}
}

/* One of the tables: the one named, or one below it. */
static void
check_member(const SdcMaskPlan *plan, Relation table, Oid owner)
{
	const char *name = RelationGetRelationName(table);

	if (table->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
		refuse(name, "It is a foreign table: its rows are on another server",
			   "Detach the partition, or mask into a new table");
	if (table->rd_rel->relowner != owner)
		refuse(name, "It does not have the owner of the table above it",
			   "Give all partitions the same owner");
	if (RELATION_IS_OTHER_TEMP(table))
		refuse(name, "It is a temporary table of another session",
			   "Only that session can reach it");
	CheckTableNotInUse(table, "sdc.mask");
	check_row_security(table);
	check_rules(table);
	check_partition_key(plan, table);
}

void
sdcpg_mask_refuse_rows(const SdcRelation *relation)
{
	if (relation->row_security)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("row-level security hides rows of relation \"%s\"",
						relation->name),
				 errdetail("The copy would hold, and be computed from, the "
						   "visible rows only."),
				 errhint("Run it as a role that sees all rows.")));
}

List *
sdcpg_mask_refuse_plan(const SdcMaskPlan *plan, LOCKMODE lock)
{
	Oid root = plan->relation->oid;
	List *all = find_all_inheritors(root, lock, NULL);
	Relation table = table_open(root, NoLock);
	Oid owner = table->rd_rel->relowner;
	List *members = NIL;
	ListCell *cell;

	if (table->rd_rel->relkind == RELKIND_RELATION && list_length(all) > 1)
		refuse(plan->relation->name,
			   "Other tables inherit from it, and their rows belong to it, "
			   "too",
			   "Take the inheritance away, mask each table, and add it again");
	check_ancestors(plan, table);
	table_close(table, NoLock);
	foreach (cell, all)
	{
		table = table_open(lfirst_oid(cell), NoLock);
		check_member(plan, table, owner);
		if (table->rd_rel->relkind == RELKIND_RELATION)
			members = lappend_oid(members, lfirst_oid(cell));
		table_close(table, NoLock);
	}
	return members;
}
