/*
 * mask_in_place.c
 *		A table masked in place: its storage is written anew.
 *
 * As CLUSTER and ALTER TABLE do it: the masked rows go into a transient heap,
 * which then trades storage with the table, and the indexes are built again.
 * What was there is unlinked at commit: no dead row stays behind.  An UPDATE
 * would leave every old row in the file until a VACUUM FULL, and fire the
 * triggers, which may copy what is to be masked.
 *
 * Code of the user (checks, generated columns, expressions of indexes) runs as
 * the owner of the table in a security-restricted operation, never as the
 * caller.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/multixact.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/heap.h"
#include "catalog/indexing.h"
#include "catalog/objectaddress.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_statistic_ext_data.h"
#include "catalog/pg_type.h"
#include "commands/cluster.h"
#include "commands/tablecmds.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "optimizer/optimizer.h"
#include "rewrite/prs2lock.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/progress.h"
#include "topic/mask/mask_copy.h"
#include "topic/mask/mask_in_place.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/mask_select.h"
#include "topic/mask/mask_write.h"
#include "topic/mask/rules.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"

typedef struct SdcForeignKey
{
	char *name;
	/* the constraint of the partitioned table that this one is part of */
	Oid parent;
	Oid from;
	Oid to;
	char match; /* as pg_constraint.confmatchtype */
	int columns;
	AttrNumber from_column[INDEX_MAX_KEYS];
	AttrNumber to_column[INDEX_MAX_KEYS];
	Oid operator[INDEX_MAX_KEYS]; /* to = from */
} SdcForeignKey;

/* ----------------------------------------------------------------------
 * Work done as the owner of a table.
 *
 * An error restores the user with the transaction or subtransaction that it
 * ends.
 * ----------------------------------------------------------------------
 */

void
sdcpg_owner_run(Oid table, void (*work)(void *arg), void *arg)
{
	Oid caller;
	int context;
	int settings;

	GetUserIdAndSecContext(&caller, &context);
	SetUserIdAndSecContext(sdcpg_relation_owner(table),
						   context | SECURITY_RESTRICTED_OPERATION);
	settings = NewGUCNestLevel();
	work(arg);
	AtEOXact_GUC(false, settings);
	SetUserIdAndSecContext(caller, context);
}

/* ----------------------------------------------------------------------
 * What ANALYZE keeps of a table: samples of its values.
 *
 * The most common values and the bounds of histograms are values of the data.
 * ANALYZE replaces those it computes anew and leaves the others, such as the
 * list of common values of a column that has none any more, so all go first.
 * ----------------------------------------------------------------------
 */

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

/*
 * Deletes the statistics of a table, of its partitions, and of the tables
 * above it, which hold samples of its values too; of their indexes and of
 * their extended statistics objects.
 */
static void
table_statistics_clear(Oid table)
{
	ListCell *cell;

	foreach (cell, sdcpg_relation_above(table))
		clear_table(lfirst_oid(cell));
	foreach (cell, find_all_inheritors(table, AccessShareLock, NULL))
		clear_table(lfirst_oid(cell));
}

/* ----------------------------------------------------------------------
 * Foreign keys of a table that is masked in place.
 *
 * A rewritten table fires no trigger, so nobody but this file looks whether
 * foreign keys still hold.  One query for each, with the operators of the
 * constraint itself.
 * ----------------------------------------------------------------------
 */

static SdcForeignKey *
read_key(HeapTuple tuple)
{
	Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);
	SdcForeignKey *key = palloc0(sizeof(SdcForeignKey));

	key->parent = form->conparentid;
	key->name = pstrdup(NameStr(form->conname));
	key->from = form->conrelid;
	key->to = form->confrelid;
	key->match = form->confmatchtype;
#if PG_VERSION_NUM >= 150000
	DeconstructFkConstraintRow(tuple, &key->columns, key->from_column,
							   key->to_column, key->operator, NULL, NULL, NULL,
							   NULL);
#else
	DeconstructFkConstraintRow(tuple, &key->columns, key->from_column,
							   key->to_column, key->operator, NULL, NULL);
#endif
	return key;
}

/* The foreign keys (SdcForeignKey *) from a table, or else to it. */
static List *
foreign_keys_find(Oid table, bool from)
{
	Relation catalog = table_open(ConstraintRelationId, AccessShareLock);
	List *keys = NIL;
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple tuple;

	ScanKeyInit(&key,
				from ? Anum_pg_constraint_conrelid
					 : Anum_pg_constraint_confrelid,
				BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(table));
	scan = systable_beginscan(
		catalog, from ? ConstraintRelidTypidNameIndexId : InvalidOid, from,
		NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		if (((Form_pg_constraint) GETSTRUCT(tuple))->contype ==
			CONSTRAINT_FOREIGN)
			keys = lappend(keys, read_key(tuple));
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return keys;
}

/* Does the plan mask one of these columns of the table? */
static bool
masks_any(const SdcMaskPlan *plan, Oid table, const AttrNumber *column,
		  int columns)
{
	int i;
	int j;

	for (j = 0; j < columns; j++)
	{
		char *name = get_attname(table, column[j], false);

		for (i = 0; i < plan->columns; i++)
			if (strcmp(plan->column[i].column.name, name) == 0 &&
				plan->column[i].masked)
				return true;
	}
	return false;
}

/* Appends an operand with the type that the operator takes. */
static void
append_operand(StringInfo sql, const char *alias, Oid table, AttrNumber column,
			   Oid type)
{
	const char *name = quote_identifier(get_attname(table, column, false));

	if (type == get_atttype(table, column) || IsPolymorphicType(type))
		appendStringInfo(sql, "%s.%s", alias, name);
	else
		appendStringInfo(
			sql, "CAST(%s.%s AS %s)", alias, name,
			format_type_extended(type, -1, FORMAT_TYPE_FORCE_QUALIFY));
}

/* Appends "p.a OPERATOR(schema.=) f.b". */
static void
append_equality(StringInfo sql, const SdcForeignKey *key, int column)
{
	HeapTuple tuple =
		SearchSysCache1(OPEROID, ObjectIdGetDatum(key->operator[column]));
	Form_pg_operator form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "operator %u does not exist", key->operator[column]);
	form = (Form_pg_operator) GETSTRUCT(tuple);
	append_operand(sql, "p", key->to, key->to_column[column], form->oprleft);
	appendStringInfo(sql, " OPERATOR(%s.%s) ",
					 quote_identifier(get_namespace_name(form->oprnamespace)),
					 NameStr(form->oprname));
	append_operand(sql, "f", key->from, key->from_column[column],
				   form->oprright);
	ReleaseSysCache(tuple);
}

static char *
qualified_name(Oid table)
{
	return quote_qualified_identifier(
		get_namespace_name(get_rel_namespace(table)), get_rel_name(table));
}

/* A SELECT that finds one row that the foreign key does not allow. */
static char *
orphan_query(const SdcForeignKey *key)
{
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT 1 FROM %s AS f WHERE (",
					 qualified_name(key->from));
	for (i = 0; i < key->columns; i++)
		appendStringInfo(&sql, "%sf.%s IS NOT NULL",
						 i == 0 ? "" : (key->match == 'f' ? " OR " : " AND "),
						 quote_identifier(get_attname(
							 key->from, key->from_column[i], false)));
	appendStringInfo(&sql, ") AND NOT EXISTS (SELECT FROM %s AS p WHERE ",
					 qualified_name(key->to));
	for (i = 0; i < key->columns; i++)
	{
		appendStringInfoString(&sql, i == 0 ? "" : " AND ");
		append_equality(&sql, key, i);
	}
	appendStringInfoString(&sql, ") LIMIT 1");
	return sql.data;
}

/*
 * The table that a foreign key references as it was written.  A constraint
 * that references a partitioned table has a part for each partition, which
 * alone need not hold.
 */
static Oid
references(const SdcForeignKey *key)
{
	Oid parent = key->parent;
	Oid to = key->to;

	while (OidIsValid(parent))
	{
		HeapTuple tuple = SearchSysCache1(CONSTROID, ObjectIdGetDatum(parent));

		if (!HeapTupleIsValid(tuple))
			elog(ERROR, "constraint %u does not exist", parent);
		to = ((Form_pg_constraint) GETSTRUCT(tuple))->confrelid;
		parent = ((Form_pg_constraint) GETSTRUCT(tuple))->conparentid;
		ReleaseSysCache(tuple);
	}
	return to;
}

/*
 * Stops when a row of the table has a masked foreign key without a partner, in
 * the active snapshot.  The current user must be able to read both tables.
 */
static void
foreign_keys_verify(const SdcMaskPlan *plan, Oid table)
{
	ListCell *cell;

	foreach (cell, foreign_keys_find(table, true))
	{
		const SdcForeignKey *key = lfirst(cell);

		if (references(key) != key->to ||
			!masks_any(plan, table, key->from_column, key->columns) ||
			sdcpg_catalog_read(orphan_query(key), NULL)->count == 0)
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
				 errmsg("masking relation \"%s\" would violate foreign key "
						"\"%s\"",
						plan->relation->name, key->name),
				 errdetail("A masked row has no partner in relation \"%s\". "
						   "Nothing was changed.",
						   get_rel_name(key->to)),
				 errhint("Methods that only move values keep partners, as "
						 "shuffle does. Pseudonyms are passed on from the "
						 "column that is referenced.")));
	}
}

/* ----------------------------------------------------------------------
 * Tables that must be masked with a table, or foreign keys would break.
 *
 * As ON UPDATE CASCADE, but for rules: a list of columns, each with the rule
 * that it is masked by, grows while foreign keys point at columns in it.  Only
 * a pseudonym gives equal values for equal values in every table, so only
 * pseudonyms are passed on.
 * ----------------------------------------------------------------------
 */

/* A masked column; params is NULL when its rule cannot be passed on. */
typedef struct MaskedColumn
{
	Oid table;
	char *column;
	Jsonb *params;
} MaskedColumn;

typedef struct Cascade
{
	SdcMaskPlan *first;
	List *items;
	List *tables; /* oids of the tables but the first */
} Cascade;

pg_noreturn static void
refuse_key(const MaskedColumn *item, const SdcForeignKey *key,
		   const char *remedy)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg(
			 "column \"%s\" of relation \"%s\" is referenced by foreign key "
			 "\"%s\" of relation \"%s\"",
			 item->column, get_rel_name(item->table), key->name,
			 get_rel_name(key->from)),
		 errdetail("Masked in this way its rows would lose their partners."),
		 errhint("%s.", remedy)));
}

static bool
is_same_rule(Jsonb *a, Jsonb *b)
{
	return a != NULL && sdcpg_params_same(a, b);
}

/* Has a column of another table, or of the first one itself, masked, too. */
static void
pass_on(Cascade *cascade, Oid table, char *column, Jsonb *params)
{
	MaskedColumn *item;
	ListCell *cell;
	bool known = false;

	foreach (cell, cascade->items)
	{
		item = lfirst(cell);
		if (item->table != table || strcmp(item->column, column) != 0)
			continue;
		known = true;
		if (is_same_rule(item->params, params))
			return;
	}
	if (known || table == cascade->first->relation->oid)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of relation \"%s\" must have the rule "
						"of the column that it references",
						column, get_rel_name(table)),
				 errhint("Give it the same method, domain, period and "
						 "format.")));
	item = palloc(sizeof(MaskedColumn));
	item->table = table;
	item->column = column;
	item->params = params;
	cascade->items = lappend(cascade->items, item);
	cascade->tables = list_append_unique_oid(cascade->tables, table);
}

/* Follows a foreign key to a column, if it is one. */
static void
follow_key(Cascade *cascade, const MaskedColumn *item,
		   const SdcForeignKey *key)
{
	int j;

	for (j = 0; j < key->columns; j++)
	{
		if (strcmp(get_attname(key->to, key->to_column[j], false),
				   item->column) != 0)
			continue;
		if (item->params == NULL)
			refuse_key(item, key,
					   OidIsValid(key->parent)
						   ? "Mask the partitioned table as a whole"
						   : "Method \"pseudonym\" masks both sides alike");
		pass_on(cascade, key->from,
				get_attname(key->from, key->from_column[j], false),
				item->params);
	}
}

/*
 * Follows the foreign keys to a table.  A part of a constraint is followed by
 * the constraint itself, except when only a partition is masked: the rows that
 * reference the others would lose theirs.
 */
static void
follow_table(Cascade *cascade, const MaskedColumn *item, Oid table)
{
	bool partition = table == item->table && get_rel_relispartition(table);
	ListCell *cell;

	foreach (cell, foreign_keys_find(table, false))
	{
		const SdcForeignKey *key = lfirst(cell);

		if (OidIsValid(key->parent) && partition)
		{
			MaskedColumn refused = *item;

			refused.params = NULL;
			follow_key(cascade, &refused, key);
		}
		else if (!OidIsValid(key->parent))
			follow_key(cascade, item, key);
	}
}

/* The columns that the first plan masks. */
static void
start(Cascade *cascade)
{
	const SdcMaskPlan *plan = cascade->first;
	int i;

	for (i = 0; i < plan->columns; i++)
	{
		const SdcMaskColumn *column = &plan->column[i];
		MaskedColumn *item;

		if (!column->masked)
			continue;
		item = palloc0(sizeof(MaskedColumn));
		item->table = plan->relation->oid;
		item->column = column->column.name;
		if (column->rule != NULL &&
			(column->rule->method->traits & SDC_MASK_CONSISTENT) != 0 &&
			!sdcpg_rules_of_table(&plan->rules, column->column.number))
			item->params = column->rule->params;
		cascade->items = lappend(cascade->items, item);
	}
}

/* The rules of a table, as a document. */
static Jsonb *
rules_of(const Cascade *cascade, Oid table)
{
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	foreach (cell, cascade->items)
	{
		const MaskedColumn *item = lfirst(cell);

		if (item->table != table)
			continue;
		appendStringInfoString(&text, text.len > 0 ? ", " : "{");
		escape_json(&text, item->column);
		appendStringInfo(
			&text, ": %s",
			JsonbToCString(NULL, &item->params->root, VARSIZE(item->params)));
	}
	appendStringInfoChar(&text, '}');
	return DatumGetJsonbP(
		DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data)));
}

/* Is a column that tells records apart given pseudonyms? */
static bool
hides_order(const SdcMaskPlan *plan)
{
	int i;

	for (i = 0; i < plan->order.count; i++)
	{
		const SdcRule *rule =
			sdcpg_rules_of(&plan->rules, plan->order.column[i].number);

		if (rule != NULL && (rule->method->traits & SDC_MASK_CONSISTENT))
			return true;
	}
	return false;
}

/* Says how the rows of a table in place are written. */
static void
shape_plan(SdcMaskPlan *plan)
{
	SdcRelationColumns keys =
		sdcpg_roles_columns(plan->relation, "keys", NULL, SDC_ROLE_KEY);
	int i;

	/* rows in their old order would tell whose pseudonym is whose */
	plan->hides_order = hides_order(plan);
	plan->keys = NIL;
	for (i = 0; i < keys.count; i++)
		if (sdcpg_column_has_forms(plan->relation->oid, keys.column[i].number))
			plan->keys = lappend(plan->keys, keys.column[i].name);
}

List *
sdcpg_mask_cascade(SdcMaskPlan *plan, LOCKMODE lock)
{
	Cascade cascade = {plan};
	List *plans = list_make1(plan);
	ListCell *cell;
	int i;

	start(&cascade);
	/* the list grows on the way */
	for (i = 0; i < list_length(cascade.items); i++)
	{
		const MaskedColumn *item = list_nth(cascade.items, i);

		foreach (cell, find_all_inheritors(item->table, lock, NULL))
			follow_table(&cascade, item, lfirst_oid(cell));
	}
	foreach (cell, cascade.tables)
	{
		Oid table = lfirst_oid(cell);

		sdcpg_mask_refuse_table(table, lock);
		plans =
			lappend(plans, sdcpg_mask_plan(sdcpg_relation_look_up(table),
										   rules_of(&cascade, table), NULL,
										   NULL, plan->seeded, plan->seed));
	}
	foreach (cell, plans)
		shape_plan(lfirst(cell));
	return plans;
}

/* ----------------------------------------------------------------------
 * What cannot be masked in place, and why.
 *
 * Whatever would leave rows in cleartext, break a promise of the table, or run
 * code of somebody else with the owner's rights is refused before a row is
 * read.
 * ----------------------------------------------------------------------
 */

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
	char *column;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", table)));
	form = (Form_pg_class) GETSTRUCT(tuple);
	name = pstrdup(NameStr(form->relname));
	if (!pg_class_ownercheck(table, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(form->relkind),
					   name);
	check_kind(name, form->relkind);
	if (sdcpg_home_of(table, &column) != SDC_HOME_HERE)
		refuse(name, "Its rows are in shards, which are tables of their own",
			   "Name a new table in argument \"target\"");
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
	Bitmapset *computed = NULL;
	int column = -1;
	int i;

	if (key == NULL)
		return;
	for (i = 0; i < key->partnatts; i++)
		if (key->partattrs[i] != 0)
			columns = bms_add_member(columns,
									 key->partattrs[i] -
										 FirstLowInvalidHeapAttributeNumber);
	pull_varattnos((Node *) key->partexprs, 1, &computed);
	columns = bms_add_members(columns, computed);
	while ((column = bms_next_member(columns, column)) >= 0)
	{
		AttrNumber number = column + FirstLowInvalidHeapAttributeNumber;
		char *name;

		if (number <= 0)
			continue;
		name = get_attname(RelationGetRelid(table), number, false);
		/* an expression may tell equal values apart, an operator does not */
		if (is_masked(plan, name) ||
			(bms_is_member(column, computed) &&
			 sdcpg_params_is_listed(plan->keys, name)))
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

/* ----------------------------------------------------------------------
 * A table masked in place: its storage is written anew.
 * ----------------------------------------------------------------------
 */

/* Bytes of rows held back, for all tables together and for each. */
#define HELD_BYTES     (16 * 1024 * 1024)
#define MOST_HELD_EACH (256 * 1024)

/* A table and the heap that will be its storage. */
typedef struct Member
{
	Oid table;
	Oid heap;
	char persistence;
	int64 before; /* rows that it had */
	SdcMaskSink *sink;
} Member;

typedef struct Rewriting
{
	SdcMaskPlan *plan;
	SdcPgHost *host;
	List *tables;
	int members;
	Member *member; /* in the order of their oids */
	Member *last;
	SdcMaskCount *count;
} Rewriting;

static int
compare_members(const void *a, const void *b)
{
	Oid x = ((const Member *) a)->table;
	Oid y = ((const Member *) b)->table;

	return x < y ? -1 : x > y;
}

/* The rows of a table that the active snapshot sees, whoever asks. */
static int64
count_rows(Oid oid)
{
	Relation table = table_open(oid, NoLock);
	TupleTableSlot *slot = table_slot_create(table, NULL);
	TableScanDesc scan = table_beginscan(table, GetActiveSnapshot(), 0, NULL);
	int64 rows = 0;

	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		rows++;
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	table_close(table, NoLock);
	return rows;
}

static void
open_member(Rewriting *rewriting, Member *member)
{
	Relation table = table_open(member->table, NoLock);

	member->persistence = table->rd_rel->relpersistence;
	member->heap =
		sdcpg_make_new_heap(member->table, table->rd_rel->reltablespace,
							table->rd_rel->relam, member->persistence);
	table_close(table, NoLock);
	CommandCounterIncrement();
	member->sink = sdcpg_mask_sink_open(
		rewriting->plan, member->heap, member->table, true,
		Min(MOST_HELD_EACH, HELD_BYTES / rewriting->members), NULL);
}

static void
open_members(Rewriting *rewriting, List *tables)
{
	ListCell *cell;
	int i;

	rewriting->member = palloc0(sizeof(Member) * (list_length(tables) + 1));
	foreach (cell, tables)
		rewriting->member[rewriting->members++].table = lfirst_oid(cell);
	qsort(rewriting->member, rewriting->members, sizeof(Member),
		  compare_members);
	for (i = 0; i < rewriting->members; i++)
		open_member(rewriting, &rewriting->member[i]);
	rewriting->last = rewriting->member;
}

/* Gives a row to the heap of the table that it was in. */
static void
take_row(void *arg, const Datum *values, const bool *isnull)
{
	Rewriting *rewriting = arg;
	Oid table = DatumGetObjectId(values[0]);

	if (rewriting->last->table != table)
	{
		Member key = {table};

		rewriting->last = bsearch(&key, rewriting->member, rewriting->members,
								  sizeof(Member), compare_members);
		if (rewriting->last == NULL)
			elog(ERROR, "row of an unexpected table %u", table);
	}
	sdcpg_mask_sink_put(rewriting->last->sink, values, isnull);
}

/* Stops unless every row that a table had is in its new heap. */
static void
close_members(Rewriting *rewriting)
{
	int i;

	for (i = 0; i < rewriting->members; i++)
	{
		Member *member = &rewriting->member[i];

		if (sdcpg_mask_sink_close(member->sink) != member->before)
			ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
							errmsg("masking relation \"%s\" would lose rows",
								   get_rel_name(member->table)),
							errdetail("Nothing was changed.")));
	}
}

/* The same for rows that are suppressed in a table of their own first. */
static SdcMaskCount *
write_suppressed(SdcPgHost *host, SdcMaskPlan *plan, const SdcMaskTaker *taker)
{
	Oid schema = get_rel_namespace(plan->relation->oid);
	SdcTarget *stage = sdcpg_mask_suppress_stage(schema, "sdc_suppressed",
												 plan->relation->name);
	SdcMaskCount *count = sdcpg_mask_copy(host, plan, stage);
	SdcNulls meaning;

	PushActiveSnapshot(GetLatestSnapshot());
	sdcpg_mask_write_again(host, plan,
						   sdcpg_mask_select_again(plan, stage->sql), taker);
	/* the snapshot is younger than what suppression has declared */
	if (sdcpg_nulls_declared(get_relname_relid(stage->name, stage->schema),
							 &meaning))
		sdcpg_nulls_declare(plan->relation->oid, meaning);
	PopActiveSnapshot();
	sdcpg_mask_suppress_drop(stage);
	return count;
}

/* Reads the rows as they are now, and writes them into the heaps. */
static SdcMaskCount *
write_rows(SdcPgHost *host, Rewriting *rewriting)
{
	SdcMaskTaker taker = {take_row, rewriting};
	SdcMaskCount *count;
	int i;

	/* the caller's snapshot is from before the lock */
	PushActiveSnapshot(GetLatestSnapshot());
	for (i = 0; i < rewriting->members; i++)
		rewriting->member[i].before = count_rows(rewriting->member[i].table);
	count = rewriting->plan->table == NULL
				? sdcpg_mask_write(host, rewriting->plan, &taker)
				: write_suppressed(host, rewriting->plan, &taker);
	PopActiveSnapshot();
	close_members(rewriting);
	return count;
}

/* Has the tables trade storage with their heaps, and builds the indexes. */
static void
swap_members(void *arg)
{
	Rewriting *rewriting = arg;
	int i;

	for (i = 0; i < rewriting->members; i++)
	{
		Member *member = &rewriting->member[i];

		finish_heap_swap(member->table, member->heap, false, false, true, true,
						 RecentXmin, ReadNextMultiXactId(),
						 member->persistence);
		CHECK_FOR_INTERRUPTS();
	}
}

static void
renew_statistics(void *arg)
{
	const Rewriting *rewriting = arg;
	const SdcRelation *relation = rewriting->plan->relation;
	char *sql = psprintf("ANALYZE %s", relation->sql);

	table_statistics_clear(relation->oid);
	CommandCounterIncrement();
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	sdcpg_catalog_run(sql, NULL, false);
	SPI_finish();
}

/* Stops unless the table is as it must be. */
static void
verify(const Rewriting *rewriting)
{
	int i;

	PushActiveSnapshot(GetLatestSnapshot());
	foreign_keys_verify(rewriting->plan, rewriting->plan->relation->oid);
	for (i = 0; i < rewriting->members; i++)
	{
		const Member *member = &rewriting->member[i];

		if (member->table != rewriting->plan->relation->oid)
			foreign_keys_verify(rewriting->plan, member->table);
		if (count_rows(member->table) != member->before)
			elog(ERROR, "rows were lost in the new storage of a table");
	}
	PopActiveSnapshot();
}

static void
rewrite(void *arg)
{
	Rewriting *rewriting = arg;

	open_members(rewriting, rewriting->tables);
	rewriting->count = write_rows(rewriting->host, rewriting);
	sdcpg_progress_stage(&rewriting->host->progress, "indexing");
	sdcpg_mask_guard(rewriting->plan->relation->name, swap_members, rewriting);
}

static void
finish(void *arg)
{
	Rewriting *rewriting = arg;

	sdcpg_progress_stage(&rewriting->host->progress, "verifying");
	verify(rewriting);
	sdcpg_progress_stage(&rewriting->host->progress, "analyzing");
	sdcpg_mask_guard(rewriting->plan->relation->name, renew_statistics,
					 rewriting);
}

/* Runs a part of the work on each table, as its owner. */
static void
for_each(List *rewritings, void (*work)(void *arg))
{
	ListCell *cell;

	foreach (cell, rewritings)
	{
		Rewriting *rewriting = lfirst(cell);

		sdcpg_owner_run(rewriting->plan->relation->oid, work, rewriting);
	}
}

List *
sdcpg_mask_rewrite(SdcPgHost *host, List *plans)
{
	List *rewritings = NIL;
	List *counts = NIL;
	ListCell *cell;

	foreach (cell, plans)
	{
		Rewriting *rewriting = palloc0(sizeof(Rewriting));

		rewriting->host = host;
		rewriting->plan = lfirst(cell);
		rewriting->tables =
			sdcpg_mask_refuse_plan(rewriting->plan, AccessExclusiveLock);
		rewritings = lappend(rewritings, rewriting);
	}
	for_each(rewritings, rewrite);
	/* foreign keys hold only when both sides are masked */
	for_each(rewritings, finish);
	foreach (cell, rewritings)
		counts = lappend(counts, ((Rewriting *) lfirst(cell))->count);
	return counts;
}
