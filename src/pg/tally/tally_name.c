/*
 * tally_name.c
 *		Types and collations of a state by their names.
 *
 * Numbers of the catalog differ between servers, names do not.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/value.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "pg/tally/tally.h"
#include "pg/tally/tally_name.h"

void
sdcpg_tally_malformed(const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					errmsg("malformed state of an aggregate"),
					errdetail("There is something wrong with its %s.", what)));
}

static void
name_type(Oid type, char **name)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	Form_pg_type form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	form = (Form_pg_type) GETSTRUCT(tuple);
	name[0] = get_namespace_name(form->typnamespace);
	name[1] = pstrdup(NameStr(form->typname));
	ReleaseSysCache(tuple);
}

static void
name_collation(Oid collation, char **name)
{
	HeapTuple tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	Form_pg_collation form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for collation %u", collation);
	form = (Form_pg_collation) GETSTRUCT(tuple);
	name[0] = get_namespace_name(form->collnamespace);
	name[1] = pstrdup(NameStr(form->collname));
	ReleaseSysCache(tuple);
}

void
sdcpg_tally_name_column(const SdcTallyColumn *column, char **name)
{
	name_type(column->type, name);
	name[2] = NULL;
	name[3] = NULL;
	if (OidIsValid(column->collation))
		name_collation(column->collation, name + 2);
}

static Oid
find_type(const char *schema, const char *name)
{
	Oid namespace = LookupExplicitNamespace(schema, false);
	Oid type =
		GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name),
						ObjectIdGetDatum(namespace));

	if (!OidIsValid(type) || !get_typisdefined(type))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("type \"%s.%s\" does not exist", schema, name)));
	switch (get_typtype(type))
	{
		case TYPTYPE_PSEUDO:
		case TYPTYPE_COMPOSITE:
		case TYPTYPE_DOMAIN:
			sdcpg_tally_malformed("types");
	}
	return type;
}

SdcTallyColumn
sdcpg_tally_name_find(char *const *name)
{
	SdcTallyColumn column;

	if (name[0] == NULL || name[1] == NULL ||
		(name[2] == NULL) != (name[3] == NULL) ||
		strlen(name[0]) >= NAMEDATALEN || strlen(name[1]) >= NAMEDATALEN)
		sdcpg_tally_malformed("columns");
	column.type = find_type(name[0], name[1]);
	column.collation = InvalidOid;
	if (name[2] != NULL)
		column.collation = get_collation_oid(
			list_make2(makeString(name[2]), makeString(name[3])), false);
	if (OidIsValid(column.collation) !=
		OidIsValid(get_typcollation(column.type)))
		sdcpg_tally_malformed("collations");
	return column;
}

int
sdcpg_tally_name_settings(void)
{
	int level = NewGUCNestLevel();

	(void) set_config_option("datestyle", "ISO", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("intervalstyle", "postgres", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("extra_float_digits", "3", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return level;
}
