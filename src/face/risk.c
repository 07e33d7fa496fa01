/*
 * risk.c
 *		sdc.risk_report: the measures of risk of a relation.
 *
 * The relation is counted into one frequency table of its keys and sensitive
 * columns, with the rights of the caller.  Everything else follows from this
 * table: the sizes of the classes, the risk that a record is found again, in
 * the file and in the population behind it, and what the classes give away of
 * each sensitive column.  Each figure is returned with a sentence.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "face/risk.h"
#include "pg/call/args.h"
#include "pg/call/attributes.h"
#include "pg/server/compat.h"
#include "pg/call/params.h"
#include "pg/call/params_members.h"
#include "pg/call/risk_lines.h"
#include "pg/call/roles.h"

PG_FUNCTION_INFO_V1(sdcf_risk_report);

/* The first lines, which any relation has. */
#define LINES_OF_CLASSES 13

static const char *const null_policies[] = {"category", "wildcard", "ignore",
											NULL};

static const char *const params_keys[] = {
	"nulls",  "threshold", "c", "hierarchy", "population", "sampling_fraction",
	"target", "exclude",   NULL};

NullPolicy
sdcf_risk_nulls(Jsonb *params)
{
	return sdcpg_params_choice(params, "nulls", null_policies);
}

SdcRelation *
sdcf_risk_relation(Jsonb *params, const char *key)
{
	char *name = sdcpg_params_text(params, key);

	if (name == NULL)
		return NULL;
	return sdcpg_relation_find(DatumGetObjectId(
		DirectFunctionCall1(regclassin, CStringGetDatum(name))));
}

/* Reads the arguments (rel, keys, sensitive, weight, methods, params). */
static RiskReport *
read_arguments(FunctionCallInfo fcinfo)
{
	RiskReport *risk = palloc0(sizeof(RiskReport));
	SdcRelation *relation;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("rel");
	risk->params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	sdcpg_params_check(risk->params, params_keys);
	risk->nulls = sdcf_risk_nulls(risk->params);
	risk->threshold =
		sdcpg_params_number(risk->params, "threshold", 0.2, 0, 1);
	risk->sampling_fraction =
		sdcpg_params_number(risk->params, "sampling_fraction", NAN, 1e-12, 1);
	relation = sdcpg_relation_find(PG_GETARG_OID(0));
	risk->relation = relation;
	risk->keys = sdcpg_roles_need_columns(
		relation, "keys", PG_ARGISNULL(1) ? NULL : PG_GETARG_ARRAYTYPE_P(1),
		SDC_ROLE_KEY);
	risk->sensitive = sdcpg_roles_columns(
		relation, "sensitive",
		PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2), SDC_ROLE_SENSITIVE);
	risk->weight = sdcpg_roles_column(
		relation, "weight",
		PG_ARGISNULL(3) ? NULL : NameStr(*PG_GETARG_NAME(3)), SDC_ROLE_WEIGHT);
	sdcpg_attributes_disjoint(&risk->keys, &risk->sensitive);
	sdcpg_params_members_check(risk->params, "hierarchy", &risk->sensitive,
							   true);
	risk->population = sdcf_risk_relation(risk->params, "population");
	risk->report =
		sdcpg_report_begin(fcinfo, sdcpg_risk_lines, SDC_RISK_LINES,
						   PG_ARGISNULL(4) ? NULL : PG_GETARG_ARRAYTYPE_P(4));
	risk->subject = sdcpg_relation_list(&risk->keys);
	return risk;
}

/* The columns of the register that have the names of the keys. */
static SdcRelationColumns
register_keys(const RiskReport *risk)
{
	SdcRelationColumns columns;
	int i;

	columns.count = risk->keys.count;
	columns.column = palloc(sizeof(SdcRelationColumn) * columns.count);
	for (i = 0; i < columns.count; i++)
		columns.column[i] =
			sdcpg_relation_column(risk->population, risk->keys.column[i].name);
	return columns;
}

void
sdcf_risk_count(RiskReport *risk, const SdcRelationColumn *id,
				const SdcRelationColumn *household)
{
	SdcHost *host = &risk->host->kernel;
	SdcFrequencyRequest request[2];
	SdcRelationColumns columns;

	memset(request, 0, sizeof(request));
	request[0].relation = risk->relation;
	request[0].weight = risk->weight;
	request[0].id = id;
	request[0].household = household;
	sdcpg_frequency_want(&request[0], &risk->keys);
	sdcpg_frequency_want(&request[0], &risk->sensitive);
	if (risk->population != NULL)
	{
		columns = register_keys(risk);
		request[1].relation = risk->population;
		sdcpg_frequency_want(&request[1], &columns);
	}
	sdcpg_frequency_load(risk->host, request, risk->population ? 2 : 1,
						 risk->table);
	risk->classes = sdc_frequency_classes(host, risk->table[0].frequency,
										  risk->keys.count);
	risk->alike =
		sdc_wildcard_alike(host, risk->table[0].frequency, risk->classes,
						   risk->keys.count, risk->nulls == NULLS_WILDCARD);
}

/* Without records there is nothing to say but that. */
static void
put_nothing(const RiskReport *risk)
{
	int i;

	for (i = 0; i < LINES_OF_CLASSES; i++)
		sdcpg_report_put(risk->report, sdcpg_risk_lines[i], risk->subject,
						 i == 0 ? 0 : NAN, "There are no records.");
}

/*
 * risk_report(rel regclass, keys name[], sensitive name[], weight name,
 *             methods text[], params jsonb)
 */
Datum
sdcf_risk_report(PG_FUNCTION_ARGS)
{
	RiskReport *risk = read_arguments(fcinfo);

	risk->host = sdcpg_host_begin("risk_report", CurrentMemoryContext);
	sdcf_risk_count(risk, NULL, NULL);
	if (risk->classes->records == 0)
		put_nothing(risk);
	else
	{
		sdcf_risk_classes(risk);
		sdcf_risk_population(risk);
		sdcf_risk_register(risk);
		sdcf_risk_sensitive(risk);
	}
	sdcpg_host_end(risk->host);
	return (Datum) 0;
}
