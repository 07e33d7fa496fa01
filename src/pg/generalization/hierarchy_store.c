/*
 * hierarchy_store.c
 *		Hierarchies are created and dropped: sdc's own tables are written.
 *
 * All checks come first, so that what is stored can be read back.  The owner
 * is stored by name, not as a role: a dump must load where the role is gone.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"

#include "pg/call/args.h"
#include "pg/call/catalog.h"
#include "pg/server/compat.h"
#include "pg/generalization/hierarchy_kind.h"
#include "pg/call/params.h"

static void
check_name(const char *name)
{
	if (name[0] == '\0' || strlen(name) >= NAMEDATALEN)
		ereport(ERROR, (errcode(ERRCODE_INVALID_NAME),
						errmsg("the name of a hierarchy must have 1 to %d "
							   "bytes",
							   NAMEDATALEN - 1)));
}

/* The rows of a table as text[] whose elements are text[] written out. */
static Datum
table_rows(const SdcHierarchyTable *table)
{
	Datum *row = MemoryContextAllocHuge(CurrentMemoryContext,
										sizeof(Datum) * table->rows);
	Datum label[SDC_HIERARCHY_MAX_LEVELS];
	int32 i;
	int level;

	for (i = 0; i < table->rows; i++)
	{
		ArrayType *labels;

		CHECK_FOR_INTERRUPTS();
		for (level = 0; level < table->levels; level++)
			label[level] = CStringGetTextDatum(
				sdcpg_hierarchy_table_text(table, i, level));
		labels = construct_array(label, table->levels, TEXTOID, -1, false,
								 TYPALIGN_INT);
		row[i] = CStringGetTextDatum(
			OidOutputFunctionCall(F_ARRAY_OUT, PointerGetDatum(labels)));
	}
	return PointerGetDatum(
		construct_array(row, table->rows, TEXTOID, -1, false, TYPALIGN_INT));
}

static void
store_table(const char *name, const SdcHierarchyTable *table)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_bind(&parameters, TEXTARRAYOID, table_rows(table), false);
	sdcpg_catalog_write(
		"hierarchy_value",
		"INSERT INTO sdc.hierarchy_value (hierarchy, place, levels)"
		" SELECT $1, o.place, CAST(o.line AS pg_catalog.text[])"
		" FROM ROWS FROM (pg_catalog.unnest($2)) WITH ORDINALITY"
		" AS o (line, place)",
		&parameters);
}

/* The params that are kept: rows are in the table. */
static Jsonb *
kept_params(const SdcHierarchyKind *kind, Jsonb *params)
{
	if (kind->build != NULL && sdcpg_hierarchy_value(params, "rows") != NULL)
		return DatumGetJsonbP(
			DirectFunctionCall1(jsonb_in, CStringGetDatum("{}")));
	return params;
}

static void
store_rule(const SdcHierarchyKind *kind, const char *name, Jsonb *params,
		   int levels)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_bind_text(&parameters, kind->name);
	sdcpg_catalog_bind(&parameters, JSONBOID,
					   JsonbPGetDatum(kept_params(kind, params)), false);
	sdcpg_catalog_bind(&parameters, INT4OID, Int32GetDatum(levels), false);
	sdcpg_catalog_bind(
		&parameters, NAMEOID,
		DirectFunctionCall1(
			namein, CStringGetDatum(GetUserNameFromId(GetUserId(), false))),
		false);
	if (sdcpg_catalog_write(
			"hierarchy",
			"INSERT INTO sdc.hierarchy (hierarchy, kind, params, levels, "
			"owner) VALUES ($1, $2, $3, $4, $5)"
			" ON CONFLICT (hierarchy) DO NOTHING",
			&parameters) == 0)
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
						errmsg("hierarchy \"%s\" already exists", name),
						errhint("Drop it first with sdc.drop_hierarchy.")));
}

void
sdcpg_hierarchy_create(SdcPgHost *host, const char *name, const char *word,
					   Jsonb *params)
{
	MemoryContext caller = MemoryContextSwitchTo(host->work);
	const SdcHierarchyKind *kind = sdcpg_hierarchy_kind(word);
	SdcHierarchyRule rule = {kind, (char *) name, 0, NULL};
	SdcHierarchyTable *table = NULL;

	check_name(name);
	sdcpg_params_check(params, kind->keys);
	if (kind->build == NULL)
		kind->parse(&rule, params);
	else
	{
		table = kind->build(host, params);
		sdcpg_hierarchy_table_check(host, table);
		rule.levels = table->levels;
	}
	sdcpg_hierarchy_invalidate();
	store_rule(kind, name, params, rule.levels);
	if (table != NULL)
		store_table(name, table);
	MemoryContextSwitchTo(caller);
}

/* Does the caller own what the role of that name created? */
static bool
is_owner(const char *role)
{
	Oid owner = get_role_oid(role, true);

	return superuser() ||
		   (OidIsValid(owner) && has_privs_of_role(GetUserId(), owner));
}

/* Deletes a hierarchy that this role owns, and its values. */
static void
delete_rows(const char *name, Datum owner)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_bind(&parameters, NAMEOID, owner, false);
	if (sdcpg_catalog_write("hierarchy",
							"DELETE FROM sdc.hierarchy AS h"
							" WHERE h.hierarchy OPERATOR(pg_catalog.=) $1"
							" AND h.owner OPERATOR(pg_catalog.=) $2",
							&parameters) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("hierarchy \"%s\" was changed meanwhile", name)));
	parameters.count = 1;
	sdcpg_catalog_write("hierarchy_value",
						"DELETE FROM sdc.hierarchy_value AS v"
						" WHERE v.hierarchy OPERATOR(pg_catalog.=) $1",
						&parameters);
}

void
sdcpg_hierarchy_drop(const char *name)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind_text(&parameters, name);
	rows = sdcpg_catalog_read("SELECT h.owner FROM sdc.hierarchy AS h"
							  " WHERE h.hierarchy OPERATOR(pg_catalog.=) $1",
							  &parameters);
	if (rows->count == 0)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("hierarchy \"%s\" does not exist", name)));
	if (!is_owner(NameStr(*DatumGetName(rows->value[0][0]))))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of hierarchy \"%s\"", name)));
	sdcpg_hierarchy_invalidate();
	delete_rows(name, rows->value[0][0]);
}
