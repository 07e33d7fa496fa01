/*
 * uniqueness.c
 *		sdc.uniqueness: are sample uniques unique in the population, too?
 *
 * The relation, and external if there is one, are counted by the keys with the
 * rights of the caller.  How large the population is, is told by one of
 * external, params or the weights.  Each method then turns the cells, or their
 * sizes alone, into a few measures.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "face/uniqueness.h"
#include "kernel/table/wildcard.h"
#include "pg/call/args.h"
#include "pg/server/compat.h"
#include "pg/call/params.h"
#include "pg/call/roles.h"

PG_FUNCTION_INFO_V1(sdcf_uniqueness);

/* In the order of UniquenessMethod. */
static const char *const methods[] = {"population", "dis",    "poisson",
									  "pitman",     "zayatz", "snb",
									  "benedetti",  "dankar", NULL};

static const char *const null_policies[] = {"category", "wildcard", "ignore",
											NULL};

static const char *const params_keys[] = {
	"population_size", "sampling_fraction", "terms", "target", "nulls", NULL};

/* Every line of any method. */
static const char *const measures[] = {"records",
									   "classes",
									   "sample_uniques",
									   "sample_pairs",
									   "population",
									   "sampling_fraction",
									   "p_pu_su",
									   "theta",
									   "tau1",
									   "tau2",
									   "population_uniques",
									   "model_uniques",
									   "population_classes",
									   "expected_reids",
									   "global_risk",
									   "threshold",
									   "outside",
									   NULL};

/* Stops when a key of params is given that the method does not use. */
static void
refuse_param(const Uniqueness *u, const char *key, UniquenessMethod only)
{
	JsonbValue value;

	if (u->method != only && u->params != NULL &&
		getKeyJsonValueFromContainer(&u->params->root, key, strlen(key),
									 &value) != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("key \"%s\" in argument \"params\" is only "
							   "used by method \"%s\"",
							   key, methods[only])));
}

static void
read_params(Uniqueness *u)
{
	sdcpg_params_check(u->params, params_keys);
	u->given_population = sdcpg_params_number(u->params, "population_size",
											  NAN, 1, 9007199254740992.0);
	u->given_fraction =
		sdcpg_params_number(u->params, "sampling_fraction", NAN, 1e-12, 1);
	/* sensitive columns there are none, so "ignore" has nothing to ignore */
	u->wildcard = sdcpg_params_choice(u->params, "nulls", null_policies) == 1;
	refuse_param(u, "terms", METHOD_POISSON);
	refuse_param(u, "target", METHOD_BENEDETTI);
	if (u->wildcard && u->method != METHOD_POPULATION &&
		u->method != METHOD_BENEDETTI)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"%s\" needs classes, which NULLs as "
						"wildcards do not form",
						methods[u->method]),
				 errhint("Use the methods population or benedetti, or leave "
						 "params.nulls out.")));
}

/*
 * Exactly one source must say how large the population is.  What the caller
 * names goes before a weight that is only declared.
 */
static void
choose_source(Uniqueness *u, const char *weight)
{
	int named = (u->external != NULL) + !isnan(u->given_population) +
				!isnan(u->given_fraction) + (weight != NULL);

	if (u->method == METHOD_POPULATION && u->external == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"population\" needs argument \"external\""),
				 errhint("Name the relation that holds the population.")));
	if (named > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the size of the population is given more than once"),
				 errhint("Give one of external, weight, "
						 "params.population_size and "
						 "params.sampling_fraction.")));
	if (named == 0 || weight != NULL)
		u->weight =
			sdcpg_roles_column(u->relation, "weight", weight, SDC_ROLE_WEIGHT);
	if (named == 0 && u->weight == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the size of the population is not given"),
				 errhint("Give one of external, weight, "
						 "params.population_size and "
						 "params.sampling_fraction, or declare a weight.")));
}

/* Reads the arguments, see sdcf_uniqueness. */
static Uniqueness *
read_arguments(FunctionCallInfo fcinfo)
{
	Uniqueness *u = palloc0(sizeof(Uniqueness));

	if (PG_ARGISNULL(0))
		sdcpg_args_null("rel");
	if (PG_ARGISNULL(4))
		sdcpg_args_null("method");
	u->method = sdcpg_args_choice("method", PG_GETARG_TEXT_PP(4), methods);
	u->params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	read_params(u);
	u->relation = sdcpg_relation_find(PG_GETARG_OID(0));
	if (!PG_ARGISNULL(1))
		u->external = sdcpg_relation_find(PG_GETARG_OID(1));
	choose_source(u, PG_ARGISNULL(3) ? NULL : NameStr(*PG_GETARG_NAME(3)));
	u->keys = sdcpg_roles_need_columns(
		u->relation, "keys", PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2),
		SDC_ROLE_KEY);
	if (u->wildcard && u->keys.count > SDC_WILDCARD_MAX_KEYS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("more than %d keys with NULLs as wildcards",
							   SDC_WILDCARD_MAX_KEYS)));
	u->subject = sdcpg_relation_list(&u->keys);
	u->report =
		sdcpg_report_begin(fcinfo, measures, lengthof(measures) - 1, NULL);
	return u;
}

/* Counts both relations by the keys; those of external have the same names. */
static void
count_records(Uniqueness *u)
{
	SdcFrequencyRequest request[2];
	SdcRelationColumns columns;
	int i;

	memset(request, 0, sizeof(request));
	request[0].relation = u->relation;
	request[0].weight = u->weight;
	sdcpg_frequency_want(&request[0], &u->keys);
	if (u->external != NULL)
	{
		columns.count = u->keys.count;
		columns.column = palloc(sizeof(SdcRelationColumn) * columns.count);
		for (i = 0; i < columns.count; i++)
			columns.column[i] =
				sdcpg_relation_column(u->external, u->keys.column[i].name);
		request[1].relation = u->external;
		sdcpg_frequency_want(&request[1], &columns);
	}
	sdcpg_frequency_load(u->host, request, u->external != NULL ? 2 : 1,
						 u->table);
}

/* N; never less than the sample, but for rounding of the weights. */
static double
population_size(const Uniqueness *u)
{
	const SdcFrequency *frequency = u->table[0].frequency;
	double people = 0;
	int32 cell;

	if (u->external != NULL)
		people = u->table[1].frequency->records;
	else if (!isnan(u->given_population))
		people = u->given_population;
	else if (!isnan(u->given_fraction))
		people = frequency->records / u->given_fraction;
	else
		for (cell = 0; cell < frequency->cells; cell++)
			people += frequency->weight[cell];
	if (people < frequency->records * (1 - 1e-9))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the population is smaller than the sample"),
				 u->weight != NULL
					 ? errdetail("Weights must tell how many people of the "
								 "population a record stands for.")
					 : 0));
	return Max(people, frequency->records);
}

static void
put_uniques(Uniqueness *u, int64 uniques)
{
	sdcpg_report_put(u->report, "sample_uniques", u->subject, uniques,
					 INT64_FORMAT " %s unique in the sample.", uniques,
					 uniques == 1 ? "record is" : "records are");
}

static void
put_classes(Uniqueness *u)
{
	const SdcSuperpopulation *s = &u->sample;

	sdcpg_report_put(u->report, "classes", u->subject, s->classes,
					 "They form " INT64_FORMAT " %s of equal keys.",
					 (int64) s->classes,
					 s->classes == 1 ? "class" : "classes");
	put_uniques(u, s->uniques);
	sdcpg_report_put(u->report, "sample_pairs", u->subject, s->pairs,
					 INT64_FORMAT " %s of two records.", (int64) s->pairs,
					 s->pairs == 1 ? "class is" : "classes are");
}

/* What every method starts from. */
static void
put_sample(Uniqueness *u)
{
	const SdcSuperpopulation *s = &u->sample;
	const char *source = u->external != NULL ? "counted in external"
						 : u->weight != NULL ? "the sum of the weights"
											 : "as given";

	sdcpg_report_put(u->report, "records", u->subject, s->records,
					 INT64_FORMAT " %s counted%s.", (int64) s->records,
					 s->records == 1 ? "record was" : "records were",
					 u->relation->row_security
						 ? "; row-level security may hide others from you"
						 : "");
	if (!u->wildcard)
		put_classes(u);
	sdcpg_report_put(u->report, "population", u->subject, s->population,
					 "The population has %.0f people, %s.", s->population,
					 source);
	sdcpg_report_put(u->report, "sampling_fraction", u->subject, s->fraction,
					 "%.6g %% of them are in the sample.", 100 * s->fraction);
}

void
sdcf_uniqueness_put_risk(Uniqueness *u, int64 uniques, double tau1)
{
	double share = tau1 / uniques;

	/* records with wildcards are no classes, but may be unique */
	if (u->wildcard)
		put_uniques(u, uniques);
	if (uniques == 0)
		sdcpg_report_put(u->report, "p_pu_su", u->subject, NAN,
						 "No record is unique in the sample.");
	else
		sdcpg_report_put(u->report, "p_pu_su", u->subject, share,
						 "A record that is unique in the sample is unique in "
						 "the population with a probability of %.4f %%.",
						 100 * share);
	if (u->method == METHOD_POPULATION)
		sdcpg_report_put(u->report, "tau1", u->subject, tau1,
						 "Of " INT64_FORMAT
						 " sample uniques %.0f %s unique in the population.",
						 uniques, tau1, tau1 == 1 ? "is" : "are");
	else
		sdcpg_report_put(u->report, "tau1", u->subject, tau1,
						 "Of " INT64_FORMAT
						 " sample uniques %.2f are expected to be unique in "
						 "the population.",
						 uniques, tau1);
}

static void
put_method(Uniqueness *u)
{
	switch (u->method)
	{
		case METHOD_POPULATION:
			sdcf_uniqueness_population(u);
			break;
		case METHOD_DIS:
			sdcf_uniqueness_dis(u);
			break;
		case METHOD_POISSON:
			sdcf_uniqueness_poisson(u);
			break;
		case METHOD_BENEDETTI:
			sdcf_uniqueness_benedetti(u);
			break;
		default:
			sdcf_uniqueness_superpopulation(u);
	}
}

/*
 * uniqueness(rel regclass, external regclass, keys name[], weight name,
 *            method text, params jsonb)
 */
Datum
sdcf_uniqueness(PG_FUNCTION_ARGS)
{
	Uniqueness *u = read_arguments(fcinfo);
	const SdcFrequency *frequency;

	u->host = sdcpg_host_begin("uniqueness", CurrentMemoryContext);
	count_records(u);
	frequency = u->table[0].frequency;
	if (frequency->records == 0)
		sdcpg_report_put(u->report, "records", u->subject, 0,
						 "There are no records.");
	else
	{
		u->sample =
			sdc_superpopulation_sample(&u->host->kernel, frequency->count,
									   frequency->cells, population_size(u));
		put_sample(u);
		put_method(u);
	}
	sdcpg_host_end(u->host);
	return (Datum) 0;
}
