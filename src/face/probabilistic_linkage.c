/*
 * probabilistic_linkage.c
 *		sdc.estimate_linkage, sdc.linkage_patterns, sdc.attack_probabilistic:
 *		the intruder who learns which agreements count.
 *
 * All three count the patterns of agreement and fit the model; they differ in
 * what of it they return.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "kernel/base/sort.h"
#include "pg/call/args.h"
#include "pg/call/params.h"
#include "pg/disclosure/links.h"
#include "pg/disclosure/probabilistic_linkage.h"
#include "pg/server/compat.h"
#include "pg/server/result.h"

PG_FUNCTION_INFO_V1(sdcf_estimate_linkage);
PG_FUNCTION_INFO_V1(sdcf_linkage_patterns);
PG_FUNCTION_INFO_V1(sdcf_attack_probabilistic);

static const char *const estimate_params[] = {SDC_PROBABILISTIC_PARAMS, NULL};
static const char *const attack_params[] = {
	SDC_PROBABILISTIC_PARAMS, "direction", "accept", "max_candidates", NULL};
static const char *const directions[] = {"to_masked", "to_original", NULL};
/* Which pairs make a link: the best, or only those of a class. */
static const char *const accepted[] = {"best", "clerical", "link", NULL};
static const char *const classes[] = {"link", "clerical", "non-link"};

/* Stops because there is nothing to learn. */
pg_noreturn static void
refuse(const char *fault)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("the records cannot be linked by their agreements"),
			 errdetail_internal("%s", fault),
			 errhint("Other keys, other levels (params.within) or blocks "
					 "(params.block) may tell more.")));
}

/* Stops unless the first arguments are there. */
static void
need_arguments(FunctionCallInfo fcinfo, const char *const *names, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(names[i]);
}

/* Reads the files and fits the model for a function without ids. */
static SdcPgHost *
estimate(FunctionCallInfo fcinfo, const char *name,
		 SdcProbabilisticLinkage *linkage)
{
	static const char *const names[] = {"original", "masked", "keys"};
	Jsonb *params = PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3);
	SdcPgHost *host;
	const char *fault;

	need_arguments(fcinfo, names, lengthof(names));
	sdcpg_params_check(params, estimate_params);
	sdcpg_comparison_describe(&linkage->files, PG_GETARG_OID(0),
							  PG_GETARG_OID(1), NULL, PG_GETARG_ARRAYTYPE_P(2),
							  params, false);
	host = sdcpg_host_begin(name, CurrentMemoryContext);
	fault = sdcpg_probabilistic_linkage_run(linkage, host, params);
	if (fault != NULL)
		refuse(fault);
	return host;
}

/* Appends a row about all fields: a share, or a weight unless infinite. */
static void
put_summary(ReturnSetInfo *result, const char *agreement, double share,
			double weight)
{
	Datum values[7] = {
		CStringGetTextDatum("*"), 0, CStringGetTextDatum(agreement),
		Float8GetDatum(share),    0, 0,
		Float8GetDatum(weight)};
	bool isnull[7] = {
		false, true, false, isnan(share), true, true, !isfinite(weight)};

	sdcpg_result_put(result, values, isnull);
}

/* Appends the levels of one field. */
static void
put_field(ReturnSetInfo *result, const SdcProbabilisticLinkage *linkage, int j)
{
	const SdcComparisonColumn *column = &linkage->files.column[j];
	const SdcFellegiSunterField *field = &linkage->model.field[j];
	int l;

	for (l = 0; l < column->levels; l++)
	{
		Datum values[7] = {
			CStringGetTextDatum(column->column[0].name),
			Int32GetDatum(l),
			CStringGetTextDatum(sdcpg_comparison_level_name(column, l)),
			Float8GetDatum(field->share[l]),
			Float8GetDatum(field->m[l]),
			Float8GetDatum(field->u[l]),
			Float8GetDatum(linkage->model.weight[j][l])};
		bool isnull[7] = {false};

		sdcpg_result_put(result, values, isnull);
	}
}

/*
 * estimate_linkage(original regclass, masked regclass, keys name[],
 *                  params jsonb, seed bigint)
 */
Datum
sdcf_estimate_linkage(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcProbabilisticLinkage linkage;
	SdcPgHost *host = estimate(fcinfo, "estimate_linkage", &linkage);
	int j;

	put_summary(result, "pairs that match", linkage.model.prior, INFINITY);
	put_summary(result, "a link from this weight on", NAN, linkage.link);
	put_summary(result, "a non-link up to this weight", NAN, linkage.non_link);
	for (j = 0; j < linkage.files.columns; j++)
		put_field(result, &linkage, j);
	if (!linkage.model.converged)
		ereport(NOTICE, (errmsg("the estimate was stopped after %d iterations",
								linkage.model.used),
						 errhint("More are made with params.iterations.")));
	sdcpg_host_end(host);
	return (Datum) 0;
}

static SdcLinkageClass
class_of(const SdcProbabilisticLinkage *linkage, double weight)
{
	if (weight >= linkage->link)
		return SDC_LINKAGE_LINK;
	return weight <= linkage->non_link ? SDC_LINKAGE_NON_LINK
									   : SDC_LINKAGE_CLERICAL;
}

/* The levels of a pattern: "0 2 -". */
static Datum
print_pattern(const SdcComparison *comparison, uint64 pattern)
{
	char printed[2 * SDC_COMPARISON_FIELDS];
	int j;

	for (j = 0; j < comparison->fields; j++)
	{
		int level = sdc_comparison_level(comparison, pattern, j);

		printed[2 * j] =
			level == comparison->field[j].levels ? '-' : '0' + level;
		printed[2 * j + 1] = ' ';
	}
	return PointerGetDatum(
		cstring_to_text_with_len(printed, 2 * comparison->fields - 1));
}

static void
put_pattern(ReturnSetInfo *result, const SdcProbabilisticLinkage *linkage,
			int32 i)
{
	const SdcComparison *comparison = &linkage->files.comparison;
	uint64 pattern = linkage->patterns.pattern[i];
	double m;
	double u;
	double weight = sdc_fellegi_sunter_pattern(comparison, &linkage->model,
											   pattern, &m, &u);
	Datum values[7] = {
		print_pattern(comparison, pattern),
		Int64GetDatum((int64) linkage->patterns.pairs[i]),
		Float8GetDatum(m),
		Float8GetDatum(u),
		Float8GetDatum(weight),
		Float8GetDatum(sdc_fellegi_sunter_posterior(&linkage->model, weight)),
		CStringGetTextDatum(classes[class_of(linkage, weight)])};
	bool isnull[7] = {false};

	sdcpg_result_put(result, values, isnull);
}

/* Sorts patterns by weight, the largest first. */
static int
compare_weights(int32_t a, int32_t b, void *arg)
{
	const double *weight = arg;

	return weight[a] > weight[b] ? -1 : weight[a] < weight[b];
}

/*
 * linkage_patterns(original regclass, masked regclass, keys name[],
 *                  params jsonb, seed bigint)
 */
Datum
sdcf_linkage_patterns(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcProbabilisticLinkage linkage;
	SdcPgHost *host = estimate(fcinfo, "linkage_patterns", &linkage);
	int32 n = linkage.patterns.count;
	double *weight = sdc_new(&host->kernel, double, n + 1);
	int32 *order = sdc_new(&host->kernel, int32, n + 1);
	double m;
	double u;
	int32 i;

	for (i = 0; i < n; i++)
	{
		order[i] = i;
		weight[i] = sdc_fellegi_sunter_pattern(
			&linkage.files.comparison, &linkage.model,
			linkage.patterns.pattern[i], &m, &u);
	}
	sdc_sort_rows(&host->kernel, order, n, compare_weights, weight);
	for (i = 0; i < n; i++)
	{
		if (i % 1024 == 0)
			host->kernel.poll(&host->kernel, i, n);
		put_pattern(result, &linkage, order[i]);
	}
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* Returns the rows of the attack; ids are those of the records of file 1. */
static void
put_links(SdcProbabilisticLinkage *linkage, SdcPgHost *host,
		  ReturnSetInfo *result, int accept, int32 max_candidates)
{
	const SdcComparisonFiles *files = &linkage->files;
	const SdcFrame *from = files->frame[0];
	const SdcFrame *to = files->frame[1];
	const int32 *partner = sdcpg_probabilistic_linkage_partners(linkage);
	SdcProbabilisticBest best = sdcpg_probabilistic_linkage_room(linkage);
	SdcLinks links;
	int32 row;

	sdcpg_links_begin(&links, host, result, from->rows);
	sdcpg_links_prepare_sets(&links, &to->column[0], to->rows, max_candidates);
	for (row = 0; row < from->rows; row++)
	{
		const char *id = sdcpg_frame_text(&from->column[0], row);

		sdcpg_links_begin_record(&links, id, partner[row]);
		sdcpg_probabilistic_linkage_best(linkage, row, &best);
		if (best.count > 0 &&
			(accept == 0 ||
			 class_of(linkage, best.weight) <=
				 (accept == 1 ? SDC_LINKAGE_CLERICAL : SDC_LINKAGE_LINK)))
			sdcpg_links_add(&links, best.row, best.count);
		sdcpg_links_end_record(&links, -best.weight, false);
	}
	sdcpg_links_end(&links);
}

/*
 * attack_probabilistic(original regclass, masked regclass, id name,
 *                      keys name[], params jsonb, seed bigint)
 */
Datum
sdcf_attack_probabilistic(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"original", "masked", "id", "keys"};
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	SdcProbabilisticLinkage linkage;
	SdcPgHost *host;
	int32 max_candidates;
	const char *fault;

	need_arguments(fcinfo, names, lengthof(names));
	sdcpg_params_check(params, attack_params);
	max_candidates =
		sdcpg_params_integer(params, "max_candidates", SDC_LINKS_CANDIDATES, 1,
							 SDC_LINKS_CANDIDATES_LIMIT);
	sdcpg_comparison_describe(
		&linkage.files, PG_GETARG_OID(0), PG_GETARG_OID(1),
		NameStr(*PG_GETARG_NAME(2)), PG_GETARG_ARRAYTYPE_P(3), params,
		sdcpg_params_choice(params, "direction", directions) == 1);
	host = sdcpg_host_begin("attack_probabilistic", CurrentMemoryContext);
	fault = sdcpg_probabilistic_linkage_run(&linkage, host, params);
	if (fault != NULL)
		refuse(fault);
	put_links(&linkage, host, result,
			  sdcpg_params_choice(params, "accept", accepted), max_candidates);
	sdcpg_host_end(host);
	return (Datum) 0;
}
