/*
 * purchases.c
 *		Tables of purchases: which column is what, and queries that read them
 *		under fixed names.
 *
 * Each table becomes a WITH of its own, so that the queries of the measures
 * are constants; only names of relations and columns vary, and they are
 * looked up and quoted first.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/server/compat.h"
#include "topic/registry/roles.h"
#include "topic/transaction/purchases.h"

/* What a mapping can name; the first ones are those of SdcPurchaseColumn. */
static const char *const parts[] = {"customer", "invoice",  "at",     "item",
									"price",    "quantity", "amount", "masked",
									"original", NULL};

pg_noreturn static void
refuse_mapping(const char *fault)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("argument \"mapping\" %s", fault),
			 errhint("Valid keys are \"customer\", \"invoice\", \"at\", "
					 "\"item\", \"price\", \"quantity\", \"amount\", "
					 "\"masked\" and \"original\"; their values are names of "
					 "columns.")));
}

static bool
is_part(const JsonbValue *key)
{
	int i;

	for (i = 0; parts[i] != NULL; i++)
		if (strlen(parts[i]) == key->val.string.len &&
			memcmp(parts[i], key->val.string.val, key->val.string.len) == 0)
			return true;
	return false;
}

static void
check_mapping(Jsonb *mapping)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;

	if (mapping == NULL)
		return;
	if (!JB_ROOT_IS_OBJECT(mapping))
		refuse_mapping("must be a JSON object");
	iterator = JsonbIteratorInit(&mapping->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY && !is_part(&value))
			refuse_mapping("has an unrecognized key");
		if (token == WJB_VALUE && value.type != jbvString)
			refuse_mapping("must hold strings only");
	}
}

/* What plays a part by sdc.declare; NULL: nothing. */
static const char *
declared_name(const SdcRoles *declared, SdcRole role)
{
	int i;

	for (i = 0; i < declared->count; i++)
		if (declared->column[i].role == role)
			return declared->column[i].name;
	return NULL;
}

/* Roles, the arguments of sdc.declare that give them, and their parts. */
static const struct
{
	SdcRole role;
	const char *argument;
	SdcPurchaseColumn part;
} declarable[] = {{SDC_ROLE_PERSON, "person", SDC_PURCHASE_CUSTOMER},
				  {SDC_ROLE_TIME, "at", SDC_PURCHASE_AT},
				  {SDC_ROLE_ITEM, "item", SDC_PURCHASE_ITEM},
				  {SDC_ROLE_AMOUNT, "amount", SDC_PURCHASE_AMOUNT}};

Jsonb *
sdcpg_purchases_mapping(Oid relation, Jsonb *mapping)
{
	SdcRoles *declared;
	StringInfoData said;
	Datum read;
	int i;

	check_mapping(mapping);
	if (!OidIsValid(relation))
		return mapping;
	declared = sdcpg_roles_find(relation);
	if (declared_name(declared, SDC_ROLE_PERSON) == NULL)
		return mapping;
	initStringInfo(&said);
	for (i = 0; i < lengthof(declarable); i++)
	{
		const char *name = declared_name(declared, declarable[i].role);

		if (name == NULL)
			continue;
		appendStringInfo(&said, "%s\"%s\": ", said.len == 0 ? "{" : ", ",
						 parts[declarable[i].part]);
		escape_json(&said, name);
	}
	appendStringInfoChar(&said, '}');
	read = DirectFunctionCall1(jsonb_in, CStringGetDatum(said.data));
	if (mapping != NULL)
		read =
			DirectFunctionCall2(jsonb_concat, read, JsonbPGetDatum(mapping));
	return DatumGetJsonbP(read);
}

/* The name of the column that plays a part, by the mapping or by default. */
static const char *
purchases_name(Jsonb *mapping, const char *part)
{
	const char *name = sdcpg_params_text(mapping, part);

	return name == NULL ? part : name;
}

/* Stops because neither a declaration nor the mapping says what is a part. */
pg_noreturn static void
refuse_part(const SdcRelation *relation, SdcPurchaseColumn part)
{
	const char *said = psprintf("mapping => '{\"%s\": \"...\"}'", parts[part]);
	int i;

	for (i = 0; i < lengthof(declarable); i++)
		if (declarable[i].part == part)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("no column of relation \"%s\" is declared as "
							"\"%s\"",
							relation->name, declarable[i].argument),
					 errhint("Name it: sdc.declare(..., %s => '...'), or %s.",
							 declarable[i].argument, said)));
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
					errmsg("relation \"%s\" has no column \"%s\"",
						   relation->name, parts[part]),
					errhint("Where it has another name, say so: %s.", said)));
}

/* The column that plays a part, by the mapping or by its own name. */
static SdcRelationColumn
find_part(const SdcRelation *relation, Jsonb *mapping, SdcPurchaseColumn part)
{
	if (!sdcpg_purchases_has(relation, mapping, part))
		refuse_part(relation, part);
	return sdcpg_relation_column(relation,
								 purchases_name(mapping, parts[part]));
}

/* Stops unless a column has a type that its part can have. */
static void
check_type(const SdcRelation *relation, SdcPurchaseColumn part,
		   const SdcRelationColumn *column)
{
	Oid base = column->base;

	if (part >= SDC_PURCHASE_PRICE && !sdcpg_number_is_arithmetic(base))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" of relation \"%s\" must be a "
							   "number",
							   column->name, relation->name)));
	if (part == SDC_PURCHASE_AT && !sdcpg_time_is(base))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" of relation \"%s\" must be a "
							   "date or timestamp",
							   column->name, relation->name)));
}

SdcPurchases
sdcpg_purchases_find(Oid oid, Jsonb *mapping, unsigned wanted)
{
	SdcPurchases purchases;
	int i;

	memset(&purchases, 0, sizeof(purchases));
	purchases.relation = sdcpg_relation_find(oid);
	wanted |= SDC_PURCHASE_WANT(SDC_PURCHASE_CUSTOMER);
	purchases.wanted = wanted;
	for (i = 0; i < SDC_PURCHASE_COLUMNS; i++)
	{
		if ((wanted & SDC_PURCHASE_WANT(i)) == 0)
			continue;
		purchases.column[i] =
			find_part(purchases.relation, mapping, (SdcPurchaseColumn) i);
		check_type(purchases.relation, (SdcPurchaseColumn) i,
				   &purchases.column[i]);
	}
	return purchases;
}

bool
sdcpg_purchases_has(const SdcRelation *relation, Jsonb *mapping,
					SdcPurchaseColumn part)
{
	const char *name = sdcpg_params_text(mapping, parts[part]);

	return name != NULL ||
		   get_attnum(relation->oid, parts[part]) != InvalidAttrNumber;
}

/* Appends a column as a text that is ordered by its bytes. */
static void
append_text(StringInfo sql, const SdcRelationColumn *column, const char *name)
{
	appendStringInfo(sql, "%s COLLATE pg_catalog.\"C\" AS %s",
					 sdcpg_query_cast(column, "text"), name);
}

void
sdcpg_purchases_with(StringInfo sql, const char *name,
					 const SdcPurchases *purchases,
					 const SdcRelationColumn *id)
{
	const SdcRelationColumn *column = purchases->column;
	int i;

	appendStringInfo(sql, "%s AS (SELECT ", name);
	append_text(sql, &column[SDC_PURCHASE_CUSTOMER], "customer");
	for (i = SDC_PURCHASE_INVOICE; i < SDC_PURCHASE_COLUMNS; i++)
	{
		if ((purchases->wanted & SDC_PURCHASE_WANT(i)) == 0)
			continue;
		appendStringInfoString(sql, ", ");
		if (i == SDC_PURCHASE_AT)
			appendStringInfo(sql, "%s AS day",
							 sdcpg_query_cast(&column[i], "date"));
		else if (i >= SDC_PURCHASE_PRICE)
			appendStringInfo(sql, "%s AS %s",
							 sdcpg_query_cast(&column[i], "numeric"),
							 parts[i]);
		else
			append_text(sql, &column[i], parts[i]);
	}
	if (id != NULL)
	{
		appendStringInfoString(sql, ", ");
		append_text(sql, id, "id");
	}
	appendStringInfo(sql, " FROM %s AS r WHERE r.%s IS NOT NULL)",
					 purchases->relation->sql,
					 column[SDC_PURCHASE_CUSTOMER].sql);
}

void
sdcpg_purchases_link_with(StringInfo sql, const char *name,
						  const SdcRelation *link, Jsonb *mapping)
{
	const char *side[2] = {"masked", "original"};
	SdcRelationColumns all = sdcpg_relation_all_columns(link);
	int i;

	appendStringInfo(sql, "%s AS (SELECT ", name);
	for (i = 0; i < 2; i++)
	{
		const char *named = sdcpg_params_text(mapping, side[i]);
		SdcRelationColumn column;

		if (named == NULL && all.count == 2 &&
			get_attnum(link->oid, side[0]) == InvalidAttrNumber &&
			get_attnum(link->oid, side[1]) == InvalidAttrNumber)
			column = all.column[i];
		else
			column =
				sdcpg_relation_column(link, named == NULL ? side[i] : named);
		if (i > 0)
			appendStringInfoString(sql, ", ");
		append_text(sql, &column, side[i]);
	}
	appendStringInfo(sql, " FROM %s AS r)", link->sql);
}

void
sdcpg_purchases_cells_with(StringInfo sql, const char *name,
						   const SdcRelation *master, Jsonb *mapping,
						   const SdcRelationColumns *columns)
{
	SdcRelationColumn customer =
		sdcpg_relation_column(master, purchases_name(mapping, "customer"));
	int i;

	appendStringInfo(sql, "%s AS (SELECT ", name);
	append_text(sql, &customer, "customer");
	appendStringInfoString(sql, ", CAST(pg_catalog.jsonb_build_array(");
	for (i = 0; i < columns->count; i++)
		appendStringInfo(sql, "%s%s", i > 0 ? ", " : "",
						 sdcpg_query_cast(&columns->column[i], "text"));
	appendStringInfo(sql,
					 ") AS pg_catalog.text) COLLATE pg_catalog.\"C\" AS cell "
					 "FROM %s AS r WHERE r.%s IS NOT NULL)",
					 master->sql, customer.sql);
}
