/*
 * roles.c
 *		sdc.declare and sdc.declared: what each column of a relation is.
 *
 * A declaration is written and read as a whole (src/pg/call/roles.c); all
 * reports take from it what their arguments leave open.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "pg/call/args.h"
#include "pg/server/compat.h"
#include "pg/server/result.h"
#include "pg/call/roles.h"

PG_FUNCTION_INFO_V1(sdcf_declare);
PG_FUNCTION_INFO_V1(sdcf_declared);

/* The argument of sdc.declare for each role; 0 is the relation. */
static const struct
{
	SdcRole role;
	const char *name;
	bool is_array;
} arguments[] = {{SDC_ROLE_ID, "id", false},
				 {SDC_ROLE_IDENTIFIER, "identifiers", true},
				 {SDC_ROLE_KEY, "keys", true},
				 {SDC_ROLE_SENSITIVE, "sensitive", true},
				 {SDC_ROLE_WEIGHT, "weight", false},
				 {SDC_ROLE_STRATA, "strata", true},
				 {SDC_ROLE_HOUSEHOLD, "household", false},
				 {SDC_ROLE_INSENSITIVE, "insensitive", true}};

/* The columns that argument i + 1 names; none when it is NULL. */
static SdcRelationColumns
named_columns(FunctionCallInfo fcinfo, const SdcRelation *relation, int i)
{
	SdcRelationColumns columns = {0};

	if (PG_ARGISNULL(i + 1))
		return columns;
	if (arguments[i].is_array)
		return sdcpg_relation_columns(relation, arguments[i].name,
									  PG_GETARG_ARRAYTYPE_P(i + 1));
	columns.count = 1;
	columns.column = palloc(sizeof(SdcRelationColumn));
	columns.column[0] =
		sdcpg_relation_column(relation, NameStr(*PG_GETARG_NAME(i + 1)));
	return columns;
}

/*
 * declare(rel regclass, id name, identifiers name[], keys name[],
 *         sensitive name[], weight name, strata name[], household name,
 *         insensitive name[])
 */
Datum
sdcf_declare(PG_FUNCTION_ARGS)
{
	SdcRelationColumns columns[SDC_ROLES];
	SdcRelation *relation;
	int i;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("rel");
	relation = sdcpg_relation_find(PG_GETARG_OID(0));
	for (i = 0; i < lengthof(arguments); i++)
		columns[arguments[i].role] = named_columns(fcinfo, relation, i);
	sdcpg_roles_declare(relation, columns);
	PG_RETURN_VOID();
}

/*
 * declared(rel regclass)
 */
Datum
sdcf_declared(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcRelation *relation;
	SdcRoles *declared;
	int i;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("rel");
	relation = sdcpg_relation_find(PG_GETARG_OID(0));
	declared = sdcpg_roles_find(relation->oid);
	for (i = 0; i < declared->count; i++)
	{
		const SdcRoleColumn *column = &declared->column[i];
		Datum values[4];
		bool isnull[4] = {false, false, false, declared->oid == relation->oid};

		values[0] = DirectFunctionCall1(namein, CStringGetDatum(column->name));
		values[1] = CStringGetTextDatum(sdcpg_roles_word(column->role));
		values[2] = CStringGetTextDatum(column->type);
		values[3] = ObjectIdGetDatum(declared->oid);
		sdcpg_result_put(result, values, isnull);
	}
	return (Datum) 0;
}
