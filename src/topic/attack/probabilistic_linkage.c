/*
 * probabilistic_linkage.c
 *		Two relations linked by the patterns in which their records agree.
 *
 * Patterns of pairs are counted and the model is fitted to the counts; then
 * each record looks for the pairs of the greatest weight in a tree of boxes.
 * Both are bounded by a budget of work: beyond it the patterns are those of a
 * sample, and a sample of the records is linked.
 */
#include "postgres.h"

#include <math.h>

#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/jsonb.h"

#include "host/call/params.h"
#include "host/data/alignment.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/linkage/agreement.h"
#include "kernel/linkage/agreement_tree.h"
#include "kernel/linkage/fellegi_sunter.h"
#include "kernel/linkage/link_assignment.h"
#include "topic/attack/comparison.h"
#include "topic/attack/known.h"
#include "topic/attack/links.h"
#include "topic/attack/probabilistic_linkage.h"
#include "topic/registry/attacks.h"
#include "topic/registry/roles.h"
#include "topic/registry/words.h"

/* The share of params.work that counting the patterns of pairs may take. */
#define COUNTING 0.1

/* Of that, where records say what m is and classes of pairs are not asked. */
#define GLANCE 0.05

/* ----------------------------------------------------------------------
 * What the agreements of two relations say.
 * ----------------------------------------------------------------------
 */

#define MAX_ITERATIONS 1000000

/* Weights that differ by less are equal. */
#define EQUAL 1e-9

/* Fields from which on u can be told from m. */
#define FIELDS_FOR_U 3

/*
 * Where fewer pairs match, EM would rather find some other class of pairs that
 * agree often, because fields that hang together make many of them.
 */
#define RARE 0.05

static const char *const estimates[] = {"auto", "all", "m", "records", NULL};

/* The words of params.estimate. */
typedef enum Estimate
{
	ESTIMATE_AUTO,
	ESTIMATE_ALL,
	ESTIMATE_M,
	ESTIMATE_RECORDS
} Estimate;

/* clang-format off */
/* Keys of params; those of the model, and of who links by it. */
#define MODEL_KEYS \
	SDC_COMPARISON_KEYS, SDC_TAKES_WORK("20000000000"), \
	{"estimate", SDC_KEY_WORD, .words = estimates}, \
	{"prior", SDC_KEY_NUMBER, .low = 0, .high = 1}, \
	{"mu", SDC_KEY_NUMBER, .low = 0, .high = 1, .absent = "0.001"}, \
	{"lambda", SDC_KEY_NUMBER, .low = 0, .high = 1, .absent = "0.01"}, \
	{"iterations", SDC_KEY_INTEGER, .low = 1, .high = MAX_ITERATIONS, \
	 .absent = "1000"}
/* clang-format on */

/* Which pairs make a link: the best, or only those of a class. */
static const char *const accepted[] = {"best", "clerical", "link", NULL};

static const SdcKey model_keys[] = {MODEL_KEYS, {NULL}};
const SdcKey sdcpg_probabilistic_params[] = {
	MODEL_KEYS,
	SDC_TAKES_DIRECTION,
	{"accept", SDC_KEY_WORD, .words = accepted},
	SDC_TAKES_ASSIGNMENT,
	SDC_TAKES_CANDIDATES("100"),
	{NULL}};

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

/* What is estimated, and what the estimate starts from; returns the word. */
static Estimate
set_unknowns(SdcFellegiSunter *model, const SdcComparison *comparison,
			 Jsonb *params)
{
	Estimate estimate = sdcpg_keys_choice(model_keys, params, "estimate");
	double prior = sdcpg_keys_number(model_keys, params, "prior");

	model->prior = start_prior(comparison);
	if (estimate == ESTIMATE_AUTO)
		estimate = model->prior < RARE || comparison->fields < FIELDS_FOR_U
					   ? ESTIMATE_RECORDS
					   : ESTIMATE_ALL;
	model->fix_u = estimate != ESTIMATE_ALL;
	model->fix_prior = model->fix_u || !isnan(prior);
	if (!isnan(prior))
		model->prior = prior;
	return estimate;
}

/* The records that m is estimated from, and their patterns. */
static void
list_records(SdcProbabilisticLinkage *linkage)
{
	SdcHost *host = &linkage->files.host->kernel;
	const SdcComparison *comparison = &linkage->files.comparison;
	SdcComparisonWeights *rarity =
		sdc_new(host, SdcComparisonWeights, SDC_COMPARISON_FIELDS);

	sdc_fellegi_sunter_rarity(host, comparison, &linkage->patterns, rarity);
	linkage->lists = sdc_comparison_list(
		host, comparison, rarity, COUNTING * linkage->work, linkage->seed);
	linkage->model.lists = &linkage->lists;
	host->release(host, rarity);
}

/*
 * Reads the two files of a described comparison and estimates the model, from
 * a sample of the records where all pairs are too much for linkage->work:
 *		estimate	all: prior, m and u; m: only m, while u is that of all
 *					pairs and the prior says that all of the smaller file
 *					are in the other; records: the same, from records that
 *					have one match at most.  Unless given it is records where
 *					matches are rare, fewer than one of 20 pairs by that
 *					prior, or where fewer than three keys leave too much
 *					unknown.
 *		prior		share of pairs that match, instead of those
 *		mu, lambda	share of other pairs that may be linked, and of matches
 *					that may be lost; 0.001 and 0.01 unless given
 *		iterations	of EM at the most, 1000 unless given
 * Returns NULL, or why nothing can be told, a sentence.
 */
static const char *
probabilistic_linkage_run(SdcProbabilisticLinkage *linkage, SdcPgHost *host,
						  Jsonb *params)
{
	SdcHost *kernel = &host->kernel;
	SdcComparison *comparison = &linkage->files.comparison;
	SdcFellegiSunter *model = &linkage->model;
	double mu = sdcpg_keys_number(model_keys, params, "mu");
	double lambda = sdcpg_keys_number(model_keys, params, "lambda");
	const char *fault;
	Estimate estimate;

	memset(model, 0, sizeof(*model));
	model->iterations = sdcpg_keys_integer(model_keys, params, "iterations");
	linkage->tree = NULL;
	sdcpg_comparison_load(&linkage->files, host);
	estimate = set_unknowns(model, comparison, params);
	linkage->patterns = sdc_comparison_count(
		kernel, comparison,
		COUNTING * linkage->work *
			(estimate == ESTIMATE_RECORDS && !linkage->classes ? GLANCE : 1),
		linkage->seed);
	if (estimate == ESTIMATE_RECORDS && linkage->patterns.count > 1)
		list_records(linkage);
	fault = sdc_fellegi_sunter_estimate(kernel, comparison, &linkage->patterns,
										model);
	if (fault == NULL)
		sdc_fellegi_sunter_classify(kernel, comparison, &linkage->patterns,
									model, mu, lambda, &linkage->link,
									&linkage->non_link);
	return fault;
}

/*
 * Are the patterns, or the lists, fewer than they would be with more work?
 * Lists without classes are all that was learned from.
 */
static bool
is_sampled(const SdcProbabilisticLinkage *linkage)
{
	const SdcComparison *comparison = &linkage->files.comparison;

	if (linkage->model.lists != NULL && !linkage->classes)
		return linkage->lists.records <
			   Min(comparison->records[0], SDC_COMPARISON_LISTED);
	return linkage->patterns.total < comparison->pairs;
}

/* The pairs that were learned from. */
static uint64
learned_pairs(const SdcProbabilisticLinkage *linkage)
{
	return linkage->model.lists != NULL && !linkage->classes
			   ? linkage->lists.total
			   : linkage->patterns.total;
}

/* Says that patterns are those of a sample, if they are. */
static void
tell_sample(const SdcProbabilisticLinkage *linkage)
{
	if (is_sampled(linkage))
		ereport(
			NOTICE,
			(errmsg("patterns were counted for %d of %d records, drawn by the "
					"seed",
					linkage->model.lists != NULL && !linkage->classes
						? linkage->lists.records
						: linkage->patterns.records,
					linkage->files.comparison.records[0]),
			 errdetail("These are " UINT64_FORMAT " of " UINT64_FORMAT
					   " pairs, as all are beyond the budget of work.  "
					   "Numbers of pairs are extrapolated; the shares of the "
					   "levels of each key are those of all pairs.",
					   learned_pairs(linkage),
					   linkage->files.comparison.pairs),
			 errhint("Set params.work to allow more, or name params.block.")));
}

/* The same in what comes of an attack, behind the sample of the people. */
static void
add_sample(const SdcProbabilisticLinkage *linkage, SdcAttackOutcome *outcome)
{
	if (is_sampled(linkage))
		outcome->sample =
			psprintf("%s%sThe agreements were learned from " UINT64_FORMAT
					 " of " UINT64_FORMAT " pairs, drawn at random.",
					 outcome->sample == NULL ? "" : outcome->sample,
					 outcome->sample == NULL ? "" : " ",
					 learned_pairs(linkage), linkage->files.comparison.pairs);
}

/* ----------------------------------------------------------------------
 * The best pairs of each record.
 *
 * Records that are alike have the same best pairs, which are searched once.
 * ----------------------------------------------------------------------
 */

/* Records that are searched to see what all would take. */
#define TRIALS 256

/* What the records at the points of file 0 have. */
typedef struct Best
{
	double *weight; /* the greatest of a point; NaN: not searched */
	int64 *count;   /* of records with it */
} Best;

/* Makes the tree that is searched. */
static void
begin_search(SdcProbabilisticLinkage *linkage, Best *best)
{
	SdcHost *host = &linkage->files.host->kernel;
	int32 points = linkage->files.comparison.file[0].points;
	int32 i;

	linkage->tree = sdc_agreement_tree_create(
		host, &linkage->files.comparison,
		(const SdcComparisonWeights *) linkage->model.weight);
	best->weight = sdc_new(host, double, points + 1);
	best->count = sdc_new(host, int64, points + 1);
	for (i = 0; i < points; i++)
		best->weight[i] = get_float8_nan();
}

/* Searches for a point, once. */
static void
search_point(SdcProbabilisticLinkage *linkage, Best *best, int32 point)
{
	if (!isnan(best->weight[point]))
		return;
	best->weight[point] = sdc_agreement_tree_best(linkage->tree, point);
	best->count[point] = sdc_agreement_tree_count(linkage->tree, point,
												  best->weight[point] - EQUAL);
}

/* The work of searching for all points, from some of them. */
static double
estimate_work(SdcProbabilisticLinkage *linkage, Best *best)
{
	int32 points = linkage->files.comparison.file[0].points;
	int32 trials = Min(points, TRIALS);
	uint64 before = sdc_agreement_tree_work(linkage->tree);
	int32 i;

	for (i = 0; i < trials; i++)
		search_point(linkage, best, (int32) ((int64) i * points / trials));
	return (double) (sdc_agreement_tree_work(linkage->tree) - before) *
		   points / Max(trials, 1);
}

/* Which records of file 0 are searched for; NULL: all. */
static const bool *
choose_records(SdcProbabilisticLinkage *linkage, Best *best)
{
	SdcAttackCase of = {.seeded = true, .seed = (int64) linkage->seed};

	return sdcpg_attack_sample(&of, linkage->files.host,
							   linkage->files.comparison.records[0],
							   estimate_work(linkage, best), linkage->work);
}

/* Searches for all records that are chosen, near ones after each other. */
static void
search_all(SdcProbabilisticLinkage *linkage, const bool *chosen, Best *best)
{
	const SdcComparisonPoints *file = &linkage->files.comparison.file[0];
	SdcHost *host = &linkage->files.host->kernel;
	int32 p;
	int32 i;

	host->stage(host, "linking");
	for (p = 0; p < file->points; p++)
	{
		host->poll(host, p, file->points);
		for (i = file->first[p]; i < file->first[p + 1]; i++)
			if (chosen == NULL || chosen[file->member[i]])
				break;
		if (i < file->first[p + 1])
			search_point(linkage, best, p);
	}
}

/* The record of file 1 with the same id, for each of file 0, or -1. */
static int32 *
probabilistic_linkage_partners(SdcProbabilisticLinkage *linkage)
{
	const SdcComparisonFiles *files = &linkage->files;
	SdcIds ids = sdcpg_ids_create(files->frame[1], 0, files->relation[1]->name,
								  files->id[1].name);
	int32 found;
	int32 *partner = sdcpg_ids_partners(&ids, files->frame[0], 0, &found);

	sdcpg_ids_release(files->host, &ids);
	return partner;
}

/* Is a record of file 1 one of the best of a record of file 0? */
static bool
is_best(SdcProbabilisticLinkage *linkage, const Best *best, int32 record,
		int32 own)
{
	const SdcComparison *comparison = &linkage->files.comparison;
	int32 from = comparison->file[0].point[record];
	int32 to = own < 0 ? -1 : comparison->file[1].point[own];

	if (from < 0 || to < 0 ||
		(comparison->block[0] != NULL &&
		 comparison->block[0][record] != comparison->block[1][own]))
		return false;
	return sdc_agreement_tree_sum(linkage->tree, from, to) >=
		   best->weight[from] - EQUAL;
}

/*
 * How well the best pairs match the truth: ids that are in both files, of the
 * records chosen.
 */
static SdcLinkSuccess
count_success(SdcProbabilisticLinkage *linkage, const Best *best,
			  const bool *chosen, const int32 *partner)
{
	SdcHost *host = &linkage->files.host->kernel;
	int32 records = linkage->files.comparison.records[0];
	SdcLinkSuccess found = {0};
	int32 record;

	host->stage(host, "counting links");
	for (record = 0; record < records; record++)
	{
		int64 count;

		if (record % 1024 == 0)
			host->poll(host, record, records);
		if (partner[record] < 0 || (chosen != NULL && !chosen[record]))
			continue;
		found.records++;
		if (!is_best(linkage, best, record, partner[record]))
			continue;
		count = best->count[linkage->files.comparison.file[0].point[record]];
		sdcpg_success_add(&found, 1.0 / count);
		found.unique_right += count == 1;
	}
	return found;
}

static int32
count_people(const SdcProbabilisticLinkage *linkage, const int32 *partner)
{
	int32 people = 0;
	int32 i;

	for (i = 0; i < linkage->files.frame[0]->rows; i++)
		people += partner[i] >= 0;
	return people;
}

/* ----------------------------------------------------------------------
 * One to one.
 * ----------------------------------------------------------------------
 */

/* The likeliest records of a person, for link_assignment.h. */
static int32_t
list_likeliest(void *arg, const SdcLinkOrder *order, int32_t person,
			   int32_t most, int32_t *place, double *cost)
{
	SdcProbabilisticLinkage *linkage = arg;
	int32 count = sdc_agreement_tree_several(
		linkage->tree,
		linkage->files.comparison.file[0].point[order->person[person]], most,
		linkage->seed + (uint64) person, place, cost);
	int32 i;

	for (i = 0; i < count; i++)
	{
		place[i] = order->place[place[i]];
		cost[i] = -cost[i];
	}
	return count;
}

/* The work of listing the candidates of everybody, from some of them. */
static double
estimate_listing(SdcProbabilisticLinkage *linkage)
{
	const SdcComparison *comparison = &linkage->files.comparison;
	SdcHost *host = &linkage->files.host->kernel;
	int32 points = comparison->file[0].points;
	int32 trials = Min(points, TRIALS);
	int32 most = sdc_link_assign_most(Max(comparison->records[0], 1),
									  comparison->records[1]);
	int32 *record = sdc_new(host, int32, most + 1);
	double *sum = sdc_new(host, double, most + 1);
	uint64 before = sdc_agreement_tree_work(linkage->tree);
	int32 i;

	for (i = 0; i < trials; i++)
		sdc_agreement_tree_several(linkage->tree,
								   (int32) ((int64) i * points / trials), most,
								   i, record, sum);
	host->release(host, record);
	host->release(host, sum);
	return (double) (sdc_agreement_tree_work(linkage->tree) - before) *
		   comparison->records[0] / Max(trials, 1);
}

/* Links one to one by weight; false: that would take too much work. */
static bool
assign(SdcProbabilisticLinkage *linkage, SdcLinkAssignment *assignment)
{
	const SdcComparison *comparison = &linkage->files.comparison;
	SdcLinkSides sides = {
		{comparison->records[0], comparison->records[1]},
		{comparison->file[0].point, comparison->file[1].point},
		list_likeliest,
		linkage};

	if (estimate_listing(linkage) > linkage->work)
		return false;
	*assignment = sdc_link_assign_lists(&linkage->files.host->kernel, &sides,
										linkage->seed);
	return true;
}

/* How many are right of those who are assigned. */
static SdcLinkSuccess
count_assigned(const SdcProbabilisticLinkage *linkage,
			   const SdcLinkAssignment *assignment, const int32 *partner)
{
	SdcLinkSuccess found = {0};
	int32 i;

	for (i = 0; i < linkage->files.comparison.records[0]; i++)
	{
		if (partner[i] < 0)
			continue;
		found.records++;
		found.unique_right += assignment->row[i] == partner[i];
	}
	found.right = found.unique_right;
	return found;
}

/* ----------------------------------------------------------------------
 * sdc.estimate_linkage, sdc.linkage_patterns, sdc.attack_probabilistic:
 * the intruder who learns which agreements count.
 *
 * All three count the patterns of agreement and fit the model; they differ in
 * what of it they return.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_estimate_linkage);
PG_FUNCTION_INFO_V1(sdcf_linkage_patterns);
PG_FUNCTION_INFO_V1(sdcf_attack_probabilistic);

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

/* Reads the files and fits the model for a function without ids. */
static SdcPgHost *
estimate(FunctionCallInfo fcinfo, const char *name,
		 SdcProbabilisticLinkage *linkage)
{
	Jsonb *params = PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3);
	SdcPgHost *host;
	const char *fault;

	sdcpg_args_need_first(fcinfo, 2);
	sdcpg_params_check_keys(params, model_keys);
	sdcpg_comparison_describe(
		&linkage->files, PG_GETARG_OID(0), PG_GETARG_OID(1), NULL,
		sdcpg_roles_names_argument(fcinfo, 2, "keys", PG_GETARG_OID(0),
								   SDC_ROLE_KEY),
		sdcpg_known_rules(params, NULL), params, false);
	linkage->classes = true;
	linkage->work = sdcpg_keys_integer(model_keys, params, "work");
	linkage->seed = PG_ARGISNULL(4) ? 0 : (uint64) PG_GETARG_INT64(4);
	host = sdcpg_host_begin(name, CurrentMemoryContext);
	fault = probabilistic_linkage_run(linkage, host, params);
	if (fault != NULL)
		refuse(fault);
	tell_sample(linkage);
	return host;
}

/* Appends a row about all fields: a share, or a weight unless infinite. */
static void
put_summary(ReturnSetInfo *result, const char *agreement, double share,
			double weight)
{
	Datum values[9] = {
		CStringGetTextDatum("*"), 0, CStringGetTextDatum(agreement),
		Float8GetDatum(share),    0, 0,
		Float8GetDatum(weight)};
	bool isnull[9] = {
		false, true, false, isnan(share), true, true, !isfinite(weight),
		true,  true};

	sdcpg_result_put(result, values, isnull);
}

/* Appends the levels of one field. */
static void
put_field(ReturnSetInfo *result, const SdcProbabilisticLinkage *linkage, int j,
		  const SdcLinkageInterval *interval)
{
	const SdcComparisonColumn *column = &linkage->files.column[j];
	const SdcFellegiSunterField *field = &linkage->model.field[j];
	int l;

	for (l = 0; l < column->levels; l++)
	{
		Datum values[9] = {
			CStringGetTextDatum(column->column[0].name),
			Int32GetDatum(l),
			CStringGetTextDatum(sdcpg_comparison_level_name(column, l)),
			Float8GetDatum(field->share[l]),
			Float8GetDatum(field->m[l]),
			Float8GetDatum(field->u[l]),
			Float8GetDatum(linkage->model.weight[j][l]),
			Float8GetDatum(interval[l].low),
			Float8GetDatum(interval[l].high)};
		bool isnull[9] = {false};

		sdcpg_result_put(result, values, isnull);
	}
}

/*
 * estimate_linkage(original regclass, masked regclass, keys columns,
 *                  params jsonb, seed bigint)
 */
Datum
sdcf_estimate_linkage(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcProbabilisticLinkage linkage;
	SdcPgHost *host = estimate(fcinfo, "estimate_linkage", &linkage);
	SdcLinkageInterval interval[SDC_COMPARISON_FIELDS][SDC_COMPARISON_LEVELS];
	int j;

	sdc_fellegi_sunter_intervals(&host->kernel, &linkage.files.comparison,
								 &linkage.patterns, &linkage.model, interval);
	put_summary(result, "pairs that match", linkage.model.prior, INFINITY);
	put_summary(result, "a link from this weight on", NAN, linkage.link);
	put_summary(result, "a non-link up to this weight", NAN, linkage.non_link);
	for (j = 0; j < linkage.files.columns; j++)
		put_field(result, &linkage, j, interval[j]);
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
	/* 1 unless it is a sample */
	double times = linkage->patterns.total == comparison->pairs
					   ? 1
					   : (double) comparison->pairs / linkage->patterns.total;
	Datum values[7] = {
		print_pattern(comparison, pattern),
		Int64GetDatum((int64) rint(linkage->patterns.pairs[i] * times)),
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
 * linkage_patterns(original regclass, masked regclass, keys columns,
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

/* Is a pair of that weight returned as a link? */
static bool
is_accepted(const SdcProbabilisticLinkage *linkage, int accept, double weight)
{
	return accept == 0 ||
		   class_of(linkage, weight) <=
			   (accept == 1 ? SDC_LINKAGE_CLERICAL : SDC_LINKAGE_LINK);
}

/* What the rows of the attack are returned from. */
typedef struct Attack
{
	SdcProbabilisticLinkage *linkage;
	int accept;
	int32 max_candidates;
	const int32 *partner;
	const bool *chosen; /* NULL: all */
	Best best;
	SdcLinkAssignment assignment;
	int32 *row; /* room for the candidates of a record */
} Attack;

/*
 * The first of the best of a point, in attack->row; how many these are.  Where
 * they are all, nobody needs to be counted.
 */
static int32
list_first(Attack *attack, int32 point)
{
	SdcAgreementTree *tree = attack->linkage->tree;
	double *weight = &attack->best.weight[point];
	bool known = !isnan(*weight);
	int32 first;

	if (!known)
		*weight = sdc_agreement_tree_best(tree, point);
	first = sdc_agreement_tree_first(tree, point, *weight - EQUAL,
									 attack->max_candidates, attack->row);
	if (!known)
		attack->best.count[point] =
			first < attack->max_candidates
				? first
				: sdc_agreement_tree_count(tree, point, *weight - EQUAL);
	return first;
}

/* Adds the best of a record; returns their weight. */
static double
add_best(Attack *attack, SdcLinks *links, int32 row)
{
	SdcProbabilisticLinkage *linkage = attack->linkage;
	int32 point = linkage->files.comparison.file[0].point[row];
	double weight;
	int32 first;

	if (point < 0)
		return 0;
	first = list_first(attack, point);
	weight = attack->best.weight[point];
	if (attack->best.count[point] > 0 &&
		is_accepted(linkage, attack->accept, weight))
		sdcpg_links_add_first(
			links, attack->row, first, attack->best.count[point],
			is_best(linkage, &attack->best, row, attack->partner[row]));
	return weight;
}

/* Adds the one record that a record is assigned; returns the weight. */
static double
add_assigned(const Attack *attack, SdcLinks *links, int32 row)
{
	double weight;

	if (attack->assignment.row[row] < 0)
		return 0;
	weight = -attack->assignment.cost[row];
	if (is_accepted(attack->linkage, attack->accept, weight))
		sdcpg_links_add(links, &attack->assignment.row[row], 1);
	return weight;
}

/* Returns the rows of the attack; ids are those of the records of file 1. */
static void
put_links(Attack *attack, SdcPgHost *host, ReturnSetInfo *result)
{
	const SdcComparisonFiles *files = &attack->linkage->files;
	const SdcFrame *from = files->frame[0];
	const SdcFrame *to = files->frame[1];
	SdcLinks links;
	int32 row;

	attack->row = sdc_new(&host->kernel, int32,
						  Min(attack->max_candidates, Max(to->rows, 1)) + 1);
	attack->max_candidates = Min(attack->max_candidates, Max(to->rows, 1));
	sdcpg_links_begin(&links, host, result, from->rows);
	sdcpg_links_prepare_sets(&links, &to->column[0], to->rows,
							 attack->max_candidates);
	for (row = 0; row < from->rows; row++)
	{
		double weight;

		if (attack->chosen != NULL && !attack->chosen[row])
			continue;
		sdcpg_links_begin_record(&links,
								 sdcpg_frame_text(&from->column[0], row),
								 attack->partner[row]);
		weight = attack->assignment.row != NULL
					 ? add_assigned(attack, &links, row)
					 : add_best(attack, &links, row);
		sdcpg_links_end_record(&links, -weight, false);
	}
	sdcpg_links_end(&links);
}

/* Says that only a sample of the records was linked, with an interval. */
static void
tell_chosen(const Attack *attack)
{
	SdcProbabilisticLinkage *linkage = attack->linkage;
	SdcAttackOutcome outcome = {0};
	SdcLinkSuccess found;

	if (attack->chosen == NULL)
		return;
	found =
		count_success(linkage, &attack->best, attack->chosen, attack->partner);
	sdcpg_attack_links(&outcome, &found,
					   count_people(linkage, attack->partner));
	ereport(NOTICE,
			(errmsg("a sample of the records was linked, drawn by the seed"),
			 errdetail_internal("%s", outcome.reason != NULL   ? outcome.reason
									  : outcome.sample != NULL ? outcome.sample
															   : ""),
			 errhint("Set params.work to allow more, or name params.block.")));
}

static const char too_much[] =
	"To list the candidates of everybody, as one-to-one linkage must, is "
	"beyond the budget of work.";

/*
 * attack_probabilistic(original regclass, masked regclass, id name,
 *                      keys columns, params jsonb, seed bigint)
 */
Datum
sdcf_attack_probabilistic(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	SdcProbabilisticLinkage linkage;
	Attack attack = {&linkage};
	SdcPgHost *host;
	const char *fault;

	sdcpg_args_need_first(fcinfo, 2);
	sdcpg_params_check_keys(params, sdcpg_probabilistic_params);
	attack.max_candidates = sdcpg_keys_integer(sdcpg_probabilistic_params,
											   params, "max_candidates");
	attack.accept =
		sdcpg_keys_choice(sdcpg_probabilistic_params, params, "accept");
	sdcpg_comparison_describe(
		&linkage.files, PG_GETARG_OID(0), PG_GETARG_OID(1),
		sdcpg_roles_id_argument(fcinfo, 2, PG_GETARG_OID(0)),
		sdcpg_roles_names_argument(fcinfo, 3, "keys", PG_GETARG_OID(0),
								   SDC_ROLE_KEY),
		sdcpg_known_rules(params, NULL), params,
		sdcpg_params_choice(params, "direction", sdcpg_direction_words) ==
			SDC_TO_ORIGINAL);
	linkage.classes = attack.accept != 0;
	linkage.work = sdcpg_keys_integer(model_keys, params, "work");
	linkage.seed = PG_ARGISNULL(5) ? 0 : (uint64) PG_GETARG_INT64(5);
	host = sdcpg_host_begin("attack_probabilistic", CurrentMemoryContext);
	fault = probabilistic_linkage_run(&linkage, host, params);
	if (fault != NULL)
		refuse(fault);
	tell_sample(&linkage);
	attack.partner = probabilistic_linkage_partners(&linkage);
	begin_search(&linkage, &attack.best);
	if (sdcpg_params_choice(params, "assignment", sdcpg_assignment_words) ==
		SDC_ASSIGNMENT_NONE)
		attack.chosen = choose_records(&linkage, &attack.best);
	else if (!assign(&linkage, &attack.assignment))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("one-to-one linkage is too much work"),
						errdetail_internal("%s", too_much),
						errhint("Set params.work to allow more, or name "
								"params.block.")));
	put_links(&attack, host, result);
	tell_chosen(&attack);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* Runs the linkage of the registry and counts; NULL, or why it cannot. */
static const char *
attack_records(SdcProbabilisticLinkage *linkage, SdcPgHost *host,
			   const SdcAttackCase *of, const int32 *partner,
			   SdcLinkSuccess *found)
{
	SdcLinkAssignment assignment;
	const bool *chosen;
	Best best;

	begin_search(linkage, &best);
	if (sdcpg_params_choice(of->params, "assignment",
							sdcpg_assignment_words) ==
		SDC_ASSIGNMENT_ONE_TO_ONE)
	{
		if (!assign(linkage, &assignment))
			return too_much;
		*found = count_assigned(linkage, &assignment, partner);
		return NULL;
	}
	chosen =
		sdcpg_attack_sample(of, host, linkage->files.comparison.records[0],
							estimate_work(linkage, &best), linkage->work);
	search_all(linkage, chosen, &best);
	*found = count_success(linkage, &best, chosen, partner);
	return NULL;
}

void
sdcpg_probabilistic_check(const char *method, Jsonb *params)
{
	sdcpg_comparison_check(params);
}

void
sdcpg_attack_probabilistic(const SdcAttack *attack, const SdcAttackCase *of,
						   SdcPgHost *host, SdcAttackOutcome *outcome)
{
	SdcProbabilisticLinkage linkage;
	SdcLinkSuccess found;
	const int32 *partner;

	if (sdcpg_keys_choice(sdcpg_probabilistic_params, of->params, "accept") !=
		0)
	{
		outcome->reason = "Only the best links are counted: params.accept "
						  "must be best.";
		return;
	}
	sdcpg_comparison_describe(
		&linkage.files, of->original->oid, of->masked->oid, of->id, of->keys,
		sdcpg_known_rules(of->params, of->rules), of->params,
		sdcpg_params_choice(of->params, "direction", sdcpg_direction_words) ==
			SDC_TO_ORIGINAL);
	linkage.work = sdcpg_params_has(of->params, "work")
					   ? sdcpg_keys_integer(model_keys, of->params, "work")
					   : (int64) attack->budget;
	linkage.seed = of->seeded ? (uint64) of->seed : 0;
	linkage.classes = false;
	outcome->reason = unconstify(
		char *, probabilistic_linkage_run(&linkage, host, of->params));
	if (outcome->reason != NULL)
		return;
	partner = probabilistic_linkage_partners(&linkage);
	outcome->reason = unconstify(
		char *, attack_records(&linkage, host, of, partner, &found));
	if (outcome->reason != NULL)
		return;
	sdcpg_attack_links(outcome, &found, count_people(&linkage, partner));
	add_sample(&linkage, outcome);
}
