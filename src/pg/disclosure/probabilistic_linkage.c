/*
 * probabilistic_linkage.c
 *		Two relations linked by the patterns in which their records agree.
 *
 * The patterns of all pairs are counted and the model is fitted to the counts;
 * then each record is compared once more with its block, and has the weight of
 * each pair from the levels of its pattern.
 */
#include "postgres.h"

#include "utils/float.h"

#include "pg/call/params.h"
#include "pg/disclosure/probabilistic_linkage.h"
#include "pg/server/compat.h"

#define DEFAULT_MU         0.001
#define DEFAULT_LAMBDA     0.01
#define DEFAULT_ITERATIONS 1000
#define MAX_ITERATIONS     1000000

/* Weights that differ by less are equal. */
#define EQUAL 1e-9

/* Fields from which on u can be told from m. */
#define FIELDS_FOR_U 3

/*
 * Where fewer pairs match, EM would rather find some other class of pairs that
 * agree often, because fields that hang together make many of them.
 */
#define RARE 0.05

static const char *const estimates[] = {"auto", "all", "m", NULL};

/*
 * What EM starts from: everybody of the smaller file is in the other, too, but
 * never more than half of the pairs.
 */
static double
start_prior(const SdcComparison *comparison)
{
	int32 fewer = Min(comparison->records[0], comparison->records[1]);

	if (comparison->pairs == 0)
		return 0.5;
	return Min(0.5, (double) fewer / comparison->pairs);
}

/* What is estimated, and what the estimate starts from. */
static void
set_unknowns(SdcFellegiSunter *model, const SdcComparison *comparison,
			 Jsonb *params)
{
	int estimate = sdcpg_params_choice(params, "estimate", estimates);
	double prior = sdcpg_params_number(params, "prior", -1, 0, 1);

	model->prior = start_prior(comparison);
	model->fix_u = estimate == 2 ||
				   (estimate == 0 && (model->prior < RARE ||
									  comparison->fields < FIELDS_FOR_U));
	model->fix_prior = model->fix_u || prior >= 0;
	if (prior >= 0)
		model->prior = prior;
}

const char *
sdcpg_probabilistic_linkage_run(SdcProbabilisticLinkage *linkage,
								SdcPgHost *host, Jsonb *params)
{
	SdcHost *kernel = &host->kernel;
	SdcComparison *comparison = &linkage->files.comparison;
	SdcFellegiSunter *model = &linkage->model;
	double mu = sdcpg_params_number(params, "mu", DEFAULT_MU, 0, 1);
	double lambda =
		sdcpg_params_number(params, "lambda", DEFAULT_LAMBDA, 0, 1);
	const char *fault;

	memset(model, 0, sizeof(*model));
	model->iterations = sdcpg_params_integer(
		params, "iterations", DEFAULT_ITERATIONS, 1, MAX_ITERATIONS);
	sdcpg_comparison_load(&linkage->files, host);
	set_unknowns(model, comparison, params);
	linkage->patterns = sdc_comparison_count(kernel, comparison);
	fault = sdc_fellegi_sunter_estimate(kernel, comparison, &linkage->patterns,
										model);
	if (fault == NULL)
		sdc_fellegi_sunter_classify(kernel, comparison, &linkage->patterns,
									model, mu, lambda, &linkage->link,
									&linkage->non_link);
	return fault;
}

SdcProbabilisticBest
sdcpg_probabilistic_linkage_room(SdcProbabilisticLinkage *linkage)
{
	SdcHost *host = &linkage->files.host->kernel;
	int32 largest = linkage->files.comparison.largest;
	SdcProbabilisticBest best = {0};

	best.row = sdc_new(host, int32, largest + 1);
	best.sum = sdc_new(host, double, largest + 1);
	return best;
}

void
sdcpg_probabilistic_linkage_best(const SdcProbabilisticLinkage *linkage,
								 int32 record, SdcProbabilisticBest *best)
{
	const SdcComparison *comparison = &linkage->files.comparison;
	const int32 *other = NULL;
	int32 n = sdc_comparison_others(comparison, record, &other);
	int32 i;

	sdc_comparison_sums(comparison,
						(const SdcComparisonWeights *) linkage->model.weight,
						record, best->sum);
	best->count = 0;
	best->weight = -get_float8_infinity();
	for (i = 0; i < n; i++)
		best->weight = Max(best->weight, best->sum[i]);
	for (i = 0; i < n; i++)
		if (best->sum[i] >= best->weight - EQUAL)
			best->row[best->count++] = other[i];
}

int32 *
sdcpg_probabilistic_linkage_partners(SdcProbabilisticLinkage *linkage)
{
	const SdcComparisonFiles *files = &linkage->files;
	SdcIds ids = sdcpg_ids_create(files->frame[1], 0, files->relation[1]->name,
								  files->id[1].name);
	int32 found;
	int32 *partner = sdcpg_ids_partners(&ids, files->frame[0], 0, &found);

	sdcpg_ids_release(files->host, &ids);
	return partner;
}

SdcLinkSuccess
sdcpg_probabilistic_linkage_success(SdcProbabilisticLinkage *linkage)
{
	SdcHost *host = &linkage->files.host->kernel;
	int32 rows = linkage->files.frame[0]->rows;
	const int32 *partner = sdcpg_probabilistic_linkage_partners(linkage);
	SdcProbabilisticBest best = sdcpg_probabilistic_linkage_room(linkage);
	SdcLinkSuccess found = {0};
	int32 row;
	int32 i;

	host->stage(host, "counting links");
	for (row = 0; row < rows; row++)
	{
		host->poll(host, row, rows);
		if (partner[row] < 0)
			continue;
		found.records++;
		sdcpg_probabilistic_linkage_best(linkage, row, &best);
		for (i = 0; i < best.count; i++)
			if (best.row[i] == partner[row])
			{
				found.right += 1.0 / best.count;
				found.unique_right += best.count == 1;
			}
	}
	return found;
}
