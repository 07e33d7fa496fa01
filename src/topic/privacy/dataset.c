/*
 * dataset.c
 *		Data sets that strangers may ask: what was declared, and who may ask.
 *
 * See dataset.h.  Who asks need not be able to read the relation: it is read
 * as its owner, by queries that this code writes.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/syscache.h"

#include "host/call/relation.h"
#include "host/call/args.h"
#include "host/call/catalog.h"
#include "topic/privacy/dataset.h"
#include "topic/privacy/settings.h"
#include "host/server/compat.h"
#include "host/server/host.h"

static char *
text_or_null(const SdcCatalogRows *rows, int column)
{
	return rows->isnull[0][column]
			   ? NULL
			   : TextDatumGetCString(rows->value[0][column]);
}

/* The position of a word that the table itself has checked. */
static int
word_of(Datum word, const char *const *choices)
{
	return sdcpg_args_choice("word", DatumGetTextPP(word), choices);
}

const char *const sdcpg_neighbours_words[] = {"add_remove", "replace", NULL};

SdcDataset *
sdcpg_dataset_find(const char *name)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	SdcDataset *dataset;
	Datum *value;

	sdcpg_catalog_bind_text(&parameters, name);
	rows = sdcpg_catalog_read_owned(
		"dp_dataset",
		"SELECT id, rel::pg_catalog.oid, rel_name, unit_column::pg_catalog."
		"text, neighbours, max_groups, max_rows, accounting, epsilon, delta, "
		"dropped, min_epsilon, (1000000 OPERATOR(pg_catalog.*) "
		"pg_catalog.date_part('epoch', min_duration))::pg_catalog.int8 "
		"FROM sdc.dp_dataset WHERE name OPERATOR(pg_catalog.=) $1",
		&parameters);
	if (rows->count == 0)
		return NULL;
	value = rows->value[0];
	dataset = palloc0(sizeof(SdcDataset));
	dataset->id = DatumGetInt64(value[0]);
	dataset->name = pstrdup(name);
	dataset->oid = DatumGetObjectId(value[1]);
	dataset->relation_name = text_or_null(rows, 2);
	dataset->unit = text_or_null(rows, 3);
	dataset->neighbours = word_of(value[4], sdcpg_neighbours_words);
	dataset->max_groups = DatumGetInt32(value[5]);
	dataset->max_rows = DatumGetInt32(value[6]);
	dataset->accounting = word_of(value[7], sdcpg_budget_accounting);
	dataset->limit =
		sdcpg_budget_limit(dataset->accounting, DatumGetNumeric(value[8]),
						   DatumGetNumeric(value[9]));
	dataset->dropped = DatumGetBool(value[10]);
	dataset->min_epsilon = DatumGetNumeric(value[11]);
	dataset->min_duration = DatumGetInt64(value[12]);
	return dataset;
}

static bool
find_grant(const SdcDataset *dataset, Oid role, SdcBudget *grant)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(dataset->id),
					   false);
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(role), false);
	rows = sdcpg_catalog_read_owned(
		"dp_budget",
		"SELECT id, epsilon, delta FROM sdc.dp_budget WHERE dataset "
		"OPERATOR(pg_catalog.=) $1 AND role::pg_catalog.oid "
		"OPERATOR(pg_catalog.=) $2",
		&parameters);
	if (rows->count == 0)
		return false;
	grant->id = DatumGetInt64(rows->value[0][0]);
	grant->limit = sdcpg_budget_limit(dataset->accounting,
									  DatumGetNumeric(rows->value[0][1]),
									  DatumGetNumeric(rows->value[0][2]));
	return true;
}

SdcDataset *
sdcpg_dataset_need(const char *name, SdcBudget *grant)
{
	SdcDataset *dataset = sdcpg_dataset_find(name);

	if (dataset == NULL || dataset->dropped ||
		!find_grant(dataset, GetUserId(), grant))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("no budget of a data set \"%s\" was granted to role "
						"\"%s\"",
						name, GetUserNameFromId(GetUserId(), false)),
				 errhint("The owner of the table grants one with "
						 "sdc.grant_budget.")));
	return dataset;
}

SdcDataset *
sdcpg_dataset_need_owner(const char *name)
{
	SdcDataset *dataset = sdcpg_dataset_find(name);
	SdcRelation relation = {0};

	if (dataset == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("data set \"%s\" does not exist", name)));
	relation.oid = dataset->oid;
	relation.name = dataset->relation_name;
	/* without its table a data set belongs to who owns the extension */
	if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(dataset->oid)))
		sdcpg_catalog_need_owner(&relation);
	else if (!has_privs_of_role(GetUserId(),
								sdcpg_catalog_owner("dp_dataset")))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the relation of data set \"%s\" is gone", name)));
	return dataset;
}

void
sdcpg_dataset_check_kind(const SdcRelation *relation)
{
	char kind = get_rel_relkind(relation->oid);

	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE &&
		kind != RELKIND_MATVIEW)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" cannot be a data set", relation->name),
				 errdetail("Tables, partitioned tables and materialized views "
						   "can; a view or a foreign table would run code "
						   "of others for each request.")));
	if (get_rel_persistence(relation->oid) == RELPERSISTENCE_TEMP)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" cannot be a data set", relation->name),
						errdetail("It is a temporary table.")));
}

/* Partitions and tables that inherit are read, too. */
static void
check_children(const SdcRelation *relation)
{
	List *children;
	ListCell *cell;

	if (!has_subclass(relation->oid))
		return;
	children = find_all_inheritors(relation->oid, AccessShareLock, NULL);
	foreach (cell, children)
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE)
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("\"%s\" has a part that is a foreign table",
							relation->name),
					 errdetail("Another server would see what is asked.")));
}

SdcRelation *
sdcpg_dataset_relation(const SdcDataset *dataset, Oid *owner)
{
	SdcRelation *relation = NULL;

	LockRelationOid(dataset->oid, AccessShareLock);
	if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(dataset->oid)))
		relation = sdcpg_relation_find(dataset->oid);
	if (relation == NULL || strcmp(relation->sql, dataset->relation_name) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the relation of data set \"%s\" is gone or has "
						"another name",
						dataset->name),
				 errhint("Its curator declares where it is with "
						 "sdc.create_dataset; what was spent stays "
						 "spent.")));
	sdcpg_dataset_check_kind(relation);
	check_children(relation);
	*owner = sdcpg_relation_owner(dataset->oid);
	if (check_enable_rls(dataset->oid, *owner, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("row-level security of \"%s\" holds for its owner",
						relation->name),
				 errdetail("Its policies would run for each request.")));
	return relation;
}

/* The elements of a text[]. */
static char **
texts(Datum array, int *count)
{
	Datum *element;
	bool *isnull;
	char **found;
	int i;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false,
					  TYPALIGN_INT, &element, &isnull, count);
	found = palloc(sizeof(char *) * (*count + 1));
	for (i = 0; i < *count; i++)
		found[i] = TextDatumGetCString(element[i]);
	return found;
}

SdcDatasetColumn *
sdcpg_dataset_column(const SdcDataset *dataset, const SdcRelation *relation,
					 const char *name)
{
	SdcDatasetColumn *column = palloc0(sizeof(SdcDatasetColumn));
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	column->column = sdcpg_relation_column(relation, name);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(dataset->id),
					   false);
	sdcpg_catalog_bind_text(&parameters, name);
	rows = sdcpg_catalog_read_owned(
		"dp_dataset_column",
		"SELECT lower, upper, categories FROM sdc.dp_dataset_column WHERE "
		"dataset OPERATOR(pg_catalog.=) $1 AND column_name "
		"OPERATOR(pg_catalog.=) $2::pg_catalog.name",
		&parameters);
	if (rows->count == 0)
		return column;
	column->bounded = !rows->isnull[0][0] && !rows->isnull[0][1];
	if (column->bounded)
	{
		column->lower = DatumGetNumeric(rows->value[0][0]);
		column->upper = DatumGetNumeric(rows->value[0][1]);
	}
	if (!rows->isnull[0][2])
		column->category = texts(rows->value[0][2], &column->categories);
	return column;
}

void
sdcpg_dataset_act(SdcActing *acting, Oid owner)
{
	/* what is written as text must be read again the same way */
	static const char *const settings[][2] = {
		{"search_path", "pg_catalog, pg_temp"},
		{"client_min_messages", "error"},
		{"DateStyle", "ISO, YMD"},
		{"IntervalStyle", "postgres"},
		{"TimeZone", "UTC"},
		{"extra_float_digits", "1"},
		{"array_nulls", "on"},
		/* how rows are read must not be for the caller to say */
		{"enable_seqscan", "on"},
		{"enable_indexonlyscan", "off"},
		{"jit", "off"},
		{"max_parallel_workers_per_gather", "0"},
		{"synchronize_seqscans", "off"}};
	char limit[16];
	int i;

	GetUserIdAndSecContext(&acting->user, &acting->context);
	SetUserIdAndSecContext(owner, acting->context |
									  SECURITY_LOCAL_USERID_CHANGE |
									  SECURITY_RESTRICTED_OPERATION);
	acting->level = NewGUCNestLevel();
	for (i = 0; i < lengthof(settings); i++)
		(void) set_config_option(settings[i][0], settings[i][1], PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
								 false);
	/* an error at a limit of the caller's choice would tell of sizes */
	snprintf(limit, sizeof(limit), "%d", sdcpg_dp_memory_limit);
	(void) set_config_option("sdc.memory_ceiling", limit, PGC_SUSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("sdc.memory_limit", limit, PGC_SUSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

void
sdcpg_dataset_act_end(const SdcActing *acting)
{
	AtEOXact_GUC(false, acting->level);
	SetUserIdAndSecContext(acting->user, acting->context);
}
