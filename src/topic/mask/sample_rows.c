/*
 * sample_rows.c
 *		sdc.sample_rows: a random part of the rows, by strata.
 *		sdc.in_sample: is a person in a sample of persons?
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/keyed_hash.h"
#include "topic/mask/mask_in_place.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/pseudonym.h"
#include "topic/mask/rules.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"

PG_FUNCTION_INFO_V1(sdcf_sample_rows);

/* A name that no column has. */
static char *
unused_name(const SdcRelation *relation)
{
	SdcMaskPlan plan = {.relation = relation};

	return sdcpg_mask_plan_unused(&plan, 0);
}

/*
 * Is a column withheld, as it is generated from a key and nobody has said what
 * it is?  In the sample it is a column like any other: who masks the key there
 * could not be told any more that this one follows from it.
 */
static bool
is_withheld(const SdcRelation *relation, const SdcRelationColumns *keys,
			const SdcRelationColumn *column)
{
	if (sdcpg_generated_from(relation, column, keys) == NULL ||
		sdcpg_roles_declared(sdcpg_roles_find(relation->oid), column->name) !=
			NULL)
		return false;
	ereport(NOTICE,
			(errmsg("column \"%s\" of relation \"%s\" is NULL in the sample",
					column->name, relation->name),
			 errdetail("It is generated from a key and not declared.")));
	return true;
}

/* The SELECT of the sample; $1 is the share, $2 the seed, $3 the start. */
static char *
write_select(const SdcRelation *relation, const SdcRelationColumns *keys,
			 const SdcRelationColumns *strata)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(relation);
	SdcRelationColumns order = sdcpg_mask_plan_order(relation, NULL);
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (i = 0; i < all.count; i++)
	{
		appendStringInfoString(&sql, i > 0 ? ", " : "");
		sdcpg_target_column(
			&sql, relation, &all.column[i],
			is_withheld(relation, keys, &all.column[i]) ? "true" : NULL);
	}
	appendStringInfoString(&sql, " FROM ");
	sdcpg_mask_sample(&sql, relation, &all, strata, &order,
					  unused_name(relation), "$1", "$2", "$3");
	return sql.data;
}

/* Reads p; more than 0 and at most 100. */
static double
read_share(FunctionCallInfo fcinfo)
{
	double p;

	sdcpg_args_need(fcinfo, 3);
	p = PG_GETARG_FLOAT8(3);
	sdcpg_args_range("p", p, 0, 100);
	if (p == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"p\" must be more than 0")));
	return p / 100;
}

/* Stops when a column names people: nothing here could mask it. */
static void
refuse_identifiers(const SdcRelation *relation)
{
	SdcRelationColumns identifiers = sdcpg_roles_columns(
		relation, "identifiers", NULL, SDC_ROLE_IDENTIFIER);

	if (identifiers.count > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" of relation \"%s\" is a declared "
						"identifier",
						identifiers.column[0].name, relation->name),
				 errdetail("Its values would be copied as they are."),
				 errhint("Call sdc.mask with a rule for it and one of "
						 "method \"sample_rows\" for \"*\".")));
}

/*
 * sample_rows(relation regclass, target text, strata columns, p float8,
 *		seed bigint) returns setof sdc.mask_step
 */
Datum
sdcf_sample_rows(PG_FUNCTION_ARGS)
{
	SdcCatalogParameters *parameters = palloc0(sizeof(*parameters));
	SdcRelation *relation;
	SdcRelationColumns strata;
	SdcRelationColumns keys;
	SdcTarget *target;
	SdcPgHost *host;
	SdcRelationColumns none = {0};
	double share = read_share(fcinfo);
	bool seeded = !PG_ARGISNULL(4);
	ReturnSetInfo *result;
	uint64 seed = 0;

	sdcpg_args_need_first(fcinfo, 2);
	relation = sdcpg_relation_find(PG_GETARG_OID(0));
	strata = sdcpg_roles_columns(
		relation, "strata", PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2),
		SDC_ROLE_STRATA);
	refuse_identifiers(relation);
	sdcpg_mask_refuse_view(relation);
	sdcpg_mask_refuse_rows(relation);
	keys = sdcpg_roles_columns(relation, "keys", NULL, SDC_ROLE_KEY);
	sdcpg_revealing_refuse(relation, &keys, NIL);
	target = sdcpg_target_find(PG_GETARG_TEXT_PP(1));
	if (seeded)
		seed = sdcpg_mask_seed((uint64) PG_GETARG_INT64(4), "*");
	result = sdcpg_result_begin(fcinfo);
	sdcpg_catalog_bind(parameters, FLOAT8OID, Float8GetDatum(share), false);
	sdcpg_catalog_bind(parameters, INT8OID, Int64GetDatum((int64) seed),
					   !seeded);
	sdcpg_catalog_bind(parameters, FLOAT8OID,
					   Float8GetDatum(sdcpg_mask_sample_start(seeded, seed)),
					   false);
	host = sdcpg_host_begin("sample_rows", CurrentMemoryContext);
	(void) sdcpg_target_create(host, target,
							   write_select(relation, &keys, &strata),
							   parameters, sdcpg_target_keys(&keys));
	sdcpg_nulls_inherit(relation->oid, target);
	sdcpg_step_masked(result, "*", "sample_rows", target->rows, -1,
					  "Rows that were not drawn are left out.");
	sdcpg_roles_steps(result, relation, &none, NIL);
	sdcpg_step_written(result, target);
	sdcpg_host_end(host);
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(sdcf_in_sample);

/* A number in [0, 1), uniform: the first 53 bits of a hash. */
static double
fraction_of(const uint8 *bytes)
{
	uint64 bits = 0;
	int i;

	for (i = 0; i < 8; i++)
		bits = bits << 8 | bytes[i];
	return (double) (bits >> 11) / ((uint64) 1 << 53);
}

/*
 * in_sample(person text, domain text, period text, p float8) returns boolean
 *
 * The key of the domain gives each person a number, and the sample are those
 * below p percent: so a sample is part of every larger one.
 */
Datum
sdcf_in_sample(PG_FUNCTION_ARGS)
{
	SdcSeldom *seldom;
	uint8 bytes[SDC_HASH_BYTES];
	text *person;
	double share;

	sdcpg_args_need(fcinfo, 1);
	seldom = sdcpg_seldom(fcinfo, 1, 2);
	share = read_share(fcinfo);
	if (seldom->made == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(seldom->context);

		seldom->made = sdcpg_domain_find(sdcpg_seldom_string(seldom, 0),
										 sdcpg_seldom_string(seldom, 1),
										 SDC_KEY_OF_SAMPLES);
		MemoryContextSwitchTo(caller);
	}
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	person = PG_GETARG_TEXT_PP(0);
	sdcpg_domain_hash(seldom->made, -1, VARDATA_ANY(person),
					  VARSIZE_ANY_EXHDR(person), bytes);
	PG_RETURN_BOOL(fraction_of(bytes) < share);
}
