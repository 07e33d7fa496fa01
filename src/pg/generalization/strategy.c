/*
 * strategy.c
 *		Stored strategies: which levels and hierarchies, for which models.
 *
 * A strategy holds no values, so everybody may read it; like a hierarchy it
 * belongs, by name, to the role that made it.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "pg/call/catalog.h"
#include "pg/server/compat.h"
#include "pg/generalization/strategy.h"

ArrayType *
sdcpg_strategy_names(const SdcRelationColumns *columns)
{
	Datum *element = palloc(sizeof(Datum) * (columns->count + 1));
	int i;

	for (i = 0; i < columns->count; i++)
		element[i] = DirectFunctionCall1(
			namein, CStringGetDatum(columns->column[i].name));
	return construct_array(element, columns->count, NAMEOID, NAMEDATALEN,
						   false, TYPALIGN_CHAR);
}

static void
bind_number(SdcCatalogParameters *parameters, double value)
{
	sdcpg_catalog_bind(parameters, FLOAT8OID,
					   Float8GetDatum(isnan(value) ? 0 : value), isnan(value));
}

static void
bind_levels(SdcCatalogParameters *parameters, const int *level, int keys)
{
	Datum *element = palloc(sizeof(Datum) * keys);
	int i;

	for (i = 0; i < keys; i++)
		element[i] = Int32GetDatum(level[i]);
	sdcpg_catalog_bind(
		parameters, INT4ARRAYOID,
		PointerGetDatum(construct_array(element, keys, INT4OID, sizeof(int32),
										true, TYPALIGN_INT)),
		false);
}

static Datum
role_name(void)
{
	return DirectFunctionCall1(
		namein, CStringGetDatum(GetUserNameFromId(GetUserId(), false)));
}

void
sdcpg_strategy_create(const char *name,
					  const SdcGeneralizationArguments *arguments,
					  const int *level, int keys)
{
	SdcCatalogParameters *parameters = palloc0(sizeof(SdcCatalogParameters));

	if (name[0] == '\0' || strlen(name) >= NAMEDATALEN)
		ereport(ERROR, (errcode(ERRCODE_INVALID_NAME),
						errmsg("the name of a strategy must have 1 to %d "
							   "bytes",
							   NAMEDATALEN - 1)));
	sdcpg_catalog_bind_text(parameters, name);
	sdcpg_catalog_bind(parameters, NAMEARRAYOID,
					   PointerGetDatum(arguments->keys), false);
	bind_levels(parameters, level, keys);
	sdcpg_catalog_bind(parameters, NAMEARRAYOID,
					   PointerGetDatum(arguments->sensitive),
					   arguments->sensitive == NULL);
	sdcpg_catalog_bind(parameters, INT4OID, Int32GetDatum(arguments->k),
					   false);
	bind_number(parameters, arguments->c);
	bind_number(parameters, arguments->l);
	bind_number(parameters, arguments->t);
	sdcpg_catalog_bind_text(parameters, arguments->method);
	sdcpg_catalog_bind(parameters, JSONBOID,
					   PointerGetDatum(arguments->params),
					   arguments->params == NULL);
	sdcpg_catalog_bind(parameters, NAMEOID, role_name(), false);
	if (sdcpg_catalog_write(
			"strategy",
			"INSERT INTO sdc.strategy (strategy, keys, levels, sensitive, k, "
			"c, l, t, method, params, owner)"
			" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
			" ON CONFLICT (strategy) DO NOTHING",
			parameters) == 0)
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
						errmsg("strategy \"%s\" already exists", name),
						errhint("Drop it first with sdc.drop_strategy.")));
}

static SdcCatalogRows *
read_row(const char *name, const char *sql)
{
	SdcCatalogParameters *parameters = palloc0(sizeof(SdcCatalogParameters));
	SdcCatalogRows *rows;

	sdcpg_catalog_bind_text(parameters, name);
	rows = sdcpg_catalog_read(sql, parameters);
	if (rows->count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("strategy \"%s\" does not exist", name),
				 errhint("The table sdc.strategy lists the strategies of "
						 "this database.")));
	return rows;
}

/* params with the levels of the keys in place of those it may have. */
static Jsonb *
fix_levels(Jsonb *params, Datum keys, Datum levels)
{
	StringInfoData text;
	Datum *name;
	Datum *level;
	int count;
	int i;
	Datum fixed;

	deconstruct_array(DatumGetArrayTypeP(keys), NAMEOID, NAMEDATALEN, false,
					  TYPALIGN_CHAR, &name, NULL, &count);
	deconstruct_array(DatumGetArrayTypeP(levels), INT4OID, sizeof(int32), true,
					  TYPALIGN_INT, &level, NULL, &i);
	if (i != count)
		elog(ERROR, "a strategy is damaged");
	initStringInfo(&text);
	appendStringInfoString(&text, "{\"levels\": {");
	for (i = 0; i < count; i++)
	{
		appendStringInfoString(&text, i > 0 ? ", " : "");
		escape_json(&text, NameStr(*DatumGetName(name[i])));
		appendStringInfo(&text, ": %d", DatumGetInt32(level[i]));
	}
	appendStringInfoString(&text, "}}");
	fixed = DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data));
	if (params != NULL)
		fixed =
			DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(params), fixed);
	return DatumGetJsonbP(fixed);
}

static double
number_of(const SdcCatalogRows *rows, int column)
{
	return rows->isnull[0][column] ? NAN
								   : DatumGetFloat8(rows->value[0][column]);
}

SdcGeneralizationArguments
sdcpg_strategy_find(const char *name)
{
	SdcGeneralizationArguments arguments = {0};
	SdcCatalogRows *rows = read_row(
		name, "SELECT s.keys, s.levels, s.sensitive, s.k, s.c, s.l, s.t,"
			  " s.method, s.params FROM sdc.strategy AS s"
			  " WHERE s.strategy OPERATOR(pg_catalog.=) $1");
	Datum *value = rows->value[0];

	arguments.keys = DatumGetArrayTypeP(value[0]);
	if (!rows->isnull[0][2])
		arguments.sensitive = DatumGetArrayTypeP(value[2]);
	arguments.k = DatumGetInt32(value[3]);
	arguments.c = number_of(rows, 4);
	arguments.l = number_of(rows, 5);
	arguments.t = number_of(rows, 6);
	arguments.method = TextDatumGetCString(value[7]);
	arguments.params =
		fix_levels(rows->isnull[0][8] ? NULL : DatumGetJsonbP(value[8]),
				   value[0], value[1]);
	return arguments;
}

/* Does the caller own what the role of that name created? */
static bool
is_owner(const char *role)
{
	Oid owner = get_role_oid(role, true);

	return superuser() ||
		   (OidIsValid(owner) && has_privs_of_role(GetUserId(), owner));
}

void
sdcpg_strategy_drop(const char *name)
{
	SdcCatalogParameters *parameters = palloc0(sizeof(SdcCatalogParameters));
	SdcCatalogRows *rows =
		read_row(name, "SELECT s.owner FROM sdc.strategy AS s"
					   " WHERE s.strategy OPERATOR(pg_catalog.=) $1");

	if (!is_owner(NameStr(*DatumGetName(rows->value[0][0]))))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of strategy \"%s\"", name)));
	sdcpg_catalog_bind_text(parameters, name);
	sdcpg_catalog_bind(parameters, NAMEOID, rows->value[0][0], false);
	if (sdcpg_catalog_write("strategy",
							"DELETE FROM sdc.strategy AS s"
							" WHERE s.strategy OPERATOR(pg_catalog.=) $1"
							" AND s.owner OPERATOR(pg_catalog.=) $2",
							parameters) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("strategy \"%s\" was changed meanwhile", name)));
}
