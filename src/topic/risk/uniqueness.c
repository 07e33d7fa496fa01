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

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/call/report.h"
#include "host/data/frequency.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/risk/log_linear.h"
#include "kernel/risk/risk.h"
#include "kernel/risk/superpopulation.h"
#include "kernel/table/frequency.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"

typedef enum UniquenessMethod
{
	METHOD_POPULATION,
	METHOD_DIS,
	METHOD_POISSON,
	METHOD_PITMAN,
	METHOD_ZAYATZ,
	METHOD_SNB,
	METHOD_BENEDETTI,
	METHOD_DANKAR
} UniquenessMethod;

/* An estimate being made. */
typedef struct Uniqueness
{
	SdcPgHost *host;
	SdcReport *report;
	Jsonb *params;
	SdcRelation *relation;
	SdcRelation *external; /* or NULL */
	SdcRelationColumns keys;
	SdcRelationColumn *weight; /* or NULL */
	UniquenessMethod method;
	bool wildcard;
	double given_population; /* params; NAN: not given */
	double given_fraction;
	char *subject; /* names of the keys */
	/* what was counted, by the keys alone: the sample, then external */
	SdcFrequencyTable table[2];
	SdcSuperpopulation sample;
} Uniqueness;

static void put_risk(Uniqueness *u, int64 uniques, double tau1);

/* ----------------------------------------------------------------------
 * sdc.uniqueness from class sizes alone: DIS and the superpopulations.
 *
 * Where a model has no answer, the value is NULL and the sentence says why.
 * ----------------------------------------------------------------------
 */

/* Why there is no estimate. */
static const char *
reason(SdcSuperpopulationAnswer answer)
{
	switch (answer)
	{
		case SDC_SUPERPOPULATION_NO_UNIQUES:
			return "No record is unique in the sample.";
		case SDC_SUPERPOPULATION_NO_PAIRS:
			return "No class has exactly two records, so the sample does not "
				   "tell how often a unique has a twin outside of it.";
		case SDC_SUPERPOPULATION_ALL_UNIQUE:
			return "Every record is unique in the sample, so it does not "
				   "tell how common keys are.";
		default:
			return "No parameters of the model give these class sizes.";
	}
}

/* The same from the sizes of the classes: DIS, or a superpopulation. */
static void
put_dis(Uniqueness *u)
{
	double theta;
	SdcSuperpopulationAnswer answer =
		sdc_superpopulation_dis(&u->sample, &theta);

	if (answer == SDC_SUPERPOPULATION_WHOLE)
		sdcpg_report_put(u->report, "correct_match", u->subject, theta,
						 "The sample is the whole population, so every unique "
						 "match is right.");
	else if (answer == SDC_SUPERPOPULATION_FOUND)
		sdcpg_report_put(u->report, "correct_match", u->subject, theta,
						 "A person who matches a sample unique is that record "
						 "with a probability of %.4f %%.",
						 100 * theta);
	else
		sdcpg_report_put(u->report, "correct_match", u->subject, NAN, "%s",
						 reason(answer));
}

/* How the population's uniques were found; "" when there is nothing to say. */
static char *
describe(SdcSuperpopulationModel model,
		 const SdcSuperpopulationEstimate *estimate)
{
	if (estimate->answer == SDC_SUPERPOPULATION_WHOLE)
		return "the sample is the whole population";
	switch (model)
	{
		case SDC_SUPERPOPULATION_PITMAN:
			return psprintf("Pitman's model, alpha %.6g, theta %.6g",
							estimate->alpha, estimate->theta);
		case SDC_SUPERPOPULATION_SNB:
			return psprintf("slide negative binomial, alpha %.6g, beta %.6g",
							estimate->alpha, estimate->beta);
		default:
			return "Zayatz' method";
	}
}

/* Figures that only one of the models has. */
static void
put_model(Uniqueness *u, SdcSuperpopulationModel model,
		  const SdcSuperpopulationEstimate *estimate)
{
	if (estimate->answer != SDC_SUPERPOPULATION_FOUND)
		return;
	if (model == SDC_SUPERPOPULATION_PITMAN)
	{
		double uniques = sdc_superpopulation_pitman_uniques(
			estimate->alpha, estimate->theta, u->sample.records);

		sdcpg_report_put(u->report, "model_uniques", u->subject, uniques,
						 "For the sample itself the model expects %.2f "
						 "uniques; there are " INT64_FORMAT
						 ". If these are far apart, it does not fit.",
						 uniques, (int64) u->sample.uniques);
	}
	if (model == SDC_SUPERPOPULATION_SNB)
		sdcpg_report_put(u->report, "population_classes", u->subject,
						 estimate->classes,
						 "The population is taken to have %.2f classes (Haas "
						 "and Stokes).",
						 estimate->classes);
}

static void
put_superpopulation(Uniqueness *u)
{
	SdcHost *host = &u->host->kernel;
	SdcSuperpopulationModel model = SDC_SUPERPOPULATION_ZAYATZ;
	SdcSuperpopulationEstimate estimate;

	if (u->method == METHOD_DANKAR)
		estimate = sdc_superpopulation_dankar(host, &u->sample, &model);
	else if (u->method == METHOD_PITMAN)
	{
		model = SDC_SUPERPOPULATION_PITMAN;
		estimate = sdc_superpopulation_pitman(host, &u->sample);
	}
	else if (u->method == METHOD_SNB)
	{
		model = SDC_SUPERPOPULATION_SNB;
		estimate = sdc_superpopulation_snb(host, &u->sample);
	}
	else
		estimate = sdc_superpopulation_zayatz(host, &u->sample);
	if (estimate.answer == SDC_SUPERPOPULATION_FOUND ||
		estimate.answer == SDC_SUPERPOPULATION_WHOLE)
	{
		put_risk(u, u->sample.uniques, estimate.risk * u->sample.uniques);
		sdcpg_report_put(
			u->report, "population_uniques", u->subject, estimate.uniques,
			"The population is estimated to have %.2f uniques (%s)%s.",
			estimate.uniques, describe(model, &estimate),
			estimate.capped ? ", more than the sample bears out: the model "
							  "does not fit"
							: "");
		put_model(u, model, &estimate);
		return;
	}
	sdcpg_report_put(u->report, "uniques_in_both_share", u->subject, NAN, "%s",
					 reason(estimate.answer));
	sdcpg_report_put(u->report, "uniques_in_both", u->subject,
					 u->sample.uniques == 0 ? 0 : NAN, "%s",
					 reason(estimate.answer));
	sdcpg_report_put(u->report, "population_uniques", u->subject, NAN, "%s",
					 reason(estimate.answer));
}

/* ----------------------------------------------------------------------
 * sdc.uniqueness from the cells of the key table.
 *
 * The population counted, the individual risk of Benedetti and Franconi, and
 * the log-linear model look at each combination of keys, not only at how many
 * records have it.
 * ----------------------------------------------------------------------
 */

/* Which pairs of columns a log-linear model keeps. */
typedef struct Terms
{
	int count;
	int room;
	SdcLogLinearTerm *term;
} Terms;

/* Records in the sample and in the population that look like a class. */
typedef struct Matches
{
	SdcClasses *classes;
	SdcAlike sample;
	int64_t *population;
} Matches;

/* The cells of both relations as one table, and where the sample's went. */
static SdcFrequency *
join_tables(Uniqueness *u, int32_t **place)
{
	SdcHost *host = &u->host->kernel;
	SdcFrequencyCount *counting =
		sdc_frequency_start(host, u->keys.count, false);
	int32_t codes[SDC_FREQUENCY_MAX_COLUMNS];
	int32_t cell;
	int t;
	int j;

	for (t = 0; t < 2; t++)
	{
		const SdcFrequency *frequency = u->table[t].frequency;

		for (cell = 0; cell < frequency->cells; cell++)
		{
			if (cell % SDC_POLL_STEPS == 0)
				host->poll(host, cell, frequency->cells);
			for (j = 0; j < u->keys.count; j++)
				codes[j] = frequency->code[j][cell];
			sdc_frequency_add(counting, codes, frequency->count[cell], 0);
		}
	}
	/* cells of the sample were added first: their numbers are 0, 1, ... */
	return sdc_frequency_finish(counting, NULL, u->table[0].frequency->values,
								place);
}

/*
 * Records of the population compatible with each class of the sample: those of
 * both together less those of the sample.
 */
static int64_t *
match_wildcards(Uniqueness *u, const Matches *matches)
{
	SdcHost *host = &u->host->kernel;
	int32_t *place;
	SdcFrequency *joint = join_tables(u, &place);
	SdcClasses *classes = sdc_frequency_classes(host, joint, u->keys.count);
	SdcAlike alike =
		sdc_wildcard_alike(host, joint, classes, u->keys.count, true);
	int64_t *population = sdc_new(host, int64_t, matches->classes->classes);
	int32_t c;

	for (c = 0; c < matches->classes->classes; c++)
		population[c] = alike.records[place[c]] - matches->sample.records[c];
	return population;
}

static Matches
match_population(Uniqueness *u)
{
	SdcHost *host = &u->host->kernel;
	const SdcFrequency *frequency = u->table[0].frequency;
	const SdcFrequency *external = u->table[1].frequency;
	Matches matches;

	matches.classes = sdc_frequency_classes(host, frequency, u->keys.count);
	matches.sample = sdc_wildcard_alike(host, frequency, matches.classes,
										u->keys.count, u->wildcard);
	if (u->wildcard)
		matches.population = match_wildcards(u, &matches);
	else
		matches.population = sdc_presence_match(
			host, frequency, matches.classes, external,
			sdc_frequency_classes(host, external, u->keys.count),
			u->keys.count);
	return matches;
}

/* What is found by counting the population. */
typedef struct Counted
{
	int64 uniques; /* SU: records that no other of the sample looks like */
	int64 both;    /* of these unique in the population, too */
	double people; /* sum of F over SU */
	double tau2;
	double expected; /* sum of 1/F over all records */
	int64 outside;   /* records with more like them in the sample than there */
} Counted;

static Counted
count_matches(const Matches *matches)
{
	Counted counted = {0};
	int32_t c;

	for (c = 0; c < matches->classes->classes; c++)
	{
		int64 size = matches->classes->size[c];
		int64 alike = matches->sample.records[c];
		/* the sample is part of the population, whatever external says */
		int64 people = Max(matches->population[c], alike);

		if (alike > matches->population[c])
			counted.outside += size;
		counted.expected += (double) size / people;
		if (alike == 1)
		{
			counted.uniques++;
			counted.both += people == 1;
			counted.people += people;
			counted.tau2 += 1.0 / people;
		}
	}
	return counted;
}

static void
put_expected(Uniqueness *u, double expected)
{
	sdcpg_report_put(u->report, "expected_reids", u->subject, expected,
					 "About %.2f of " INT64_FORMAT
					 " records are expected to be found again in the "
					 "population.",
					 expected, (int64) u->sample.records);
	sdcpg_report_put(
		u->report, "global_risk", u->subject, expected / u->sample.records,
		"That is %.4f %% of the records.", 100 * expected / u->sample.records);
}

static void
put_tau2(Uniqueness *u, int64 uniques, double tau2)
{
	sdcpg_report_put(u->report, "expected_unique_reids", u->subject, tau2,
					 "Who guesses for all " INT64_FORMAT
					 " sample uniques finds about %.2f.",
					 uniques, tau2);
}

/* The measures of one method, from the cells of the key table. */
static void
put_population(Uniqueness *u)
{
	Matches matches = match_population(u);
	Counted counted = count_matches(&matches);

	put_risk(u, counted.uniques, counted.both);
	if (counted.uniques > 0)
		sdcpg_report_put(u->report, "correct_match", u->subject,
						 counted.uniques / counted.people,
						 "A person who matches a sample unique is that record "
						 "with a probability of %.4f %%.",
						 100 * counted.uniques / counted.people);
	else
		sdcpg_report_put(u->report, "correct_match", u->subject, NAN,
						 "No record is unique in the sample.");
	put_tau2(u, counted.uniques, counted.tau2);
	put_expected(u, counted.expected);
	if (counted.outside > 0)
		sdcpg_report_put(u->report, "outside", u->subject, counted.outside,
						 INT64_FORMAT
						 " %s fewer matches in population than in "
						 "the sample, which therefore is not a "
						 "part of it; they count as if population "
						 "had just those of the sample.",
						 counted.outside,
						 counted.outside == 1 ? "record has" : "records have");
}

/* Adds the pair of two columns, given by their numbers among the keys. */
static void
add_term(Terms *terms, int first, int second)
{
	if (terms->count == terms->room)
	{
		terms->room = terms->room * 2 + 8;
		terms->term = terms->term == NULL
						  ? palloc(sizeof(SdcLogLinearTerm) * terms->room)
						  : repalloc(terms->term,
									 sizeof(SdcLogLinearTerm) * terms->room);
	}
	terms->term[terms->count].first = first;
	terms->term[terms->count].second = second;
	terms->count++;
}

pg_noreturn static void
wrong_terms(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("key \"terms\" in argument \"params\" must be \"main\", "
					"\"search\", \"two_way\" or a list of pairs of keys"),
			 errhint("Write {\"terms\": [[\"age\", \"sex\"]]}, say.")));
}

/* The number of a key among the keys. */
static int
find_key(const Uniqueness *u, const JsonbValue *name)
{
	int i;

	for (i = 0; i < u->keys.count; i++)
	{
		const char *key = u->keys.column[i].name;

		if (strlen(key) == name->val.string.len &&
			memcmp(key, name->val.string.val, name->val.string.len) == 0)
			return i;
	}
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("key \"terms\" in argument \"params\" names a "
						   "column that is not among the keys")));
}

/* Reads a list of lists of two names. */
static void
read_pairs(const Uniqueness *u, JsonbContainer *list, Terms *terms)
{
	JsonbIterator *iterator = JsonbIteratorInit(list);
	JsonbIteratorToken token;
	JsonbValue value;
	int pair[2];
	int depth = 0;
	int names = 0;

	while ((token = JsonbIteratorNext(&iterator, &value, false)) != WJB_DONE)
	{
		if (token == WJB_BEGIN_ARRAY && depth < 2)
		{
			depth++;
			names = 0;
		}
		else if (token == WJB_ELEM && value.type == jbvString && depth == 2 &&
				 names < 2)
			pair[names++] = find_key(u, &value);
		else if (token == WJB_END_ARRAY)
		{
			if (depth-- != 2)
				continue;
			if (names != 2 || pair[0] == pair[1])
				wrong_terms();
			add_term(terms, pair[0], pair[1]);
		}
		else
			wrong_terms();
	}
}

/* In the order of TermsWord. */
static const char *const terms_words[] = {"search", "main", "two_way", NULL};

typedef enum TermsWord
{
	TERMS_SEARCH,
	TERMS_MAIN,
	TERMS_TWO_WAY
} TermsWord;

/* The pairs that fit best; says which, and what was left out. */
static Terms
search_terms(Uniqueness *u)
{
	Terms terms = {0};
	StringInfoData list;
	int left_out;
	int i;

	terms.count =
		sdc_log_linear_search(&u->host->kernel, u->table[0].frequency,
							  u->sample.fraction, &terms.term, &left_out);
	initStringInfo(&list);
	for (i = 0; i < terms.count; i++)
		appendStringInfo(&list, "%s%s and %s", i > 0 ? ", " : "",
						 u->keys.column[terms.term[i].first].name,
						 u->keys.column[terms.term[i].second].name);
	if (left_out > 0)
		appendStringInfo(&list,
						 ". %d %s left out, as that would take too much "
						 "work",
						 left_out, left_out == 1 ? "pair was" : "pairs were");
	sdcpg_report_put(
		u->report, "model_pairs", u->subject, terms.count, "%s%s.",
		terms.count == 0 ? "No pair of keys was found to go together"
						 : "Pairs of keys that go together: ",
		list.data);
	return terms;
}

static Terms
read_terms(Uniqueness *u)
{
	TermsWord word = TERMS_SEARCH;
	Terms terms = {0};
	JsonbValue value;
	int i;
	int j;

	if (sdcpg_params_find(u->params, "terms", &value))
	{
		if (value.type == jbvBinary)
		{
			read_pairs(u, value.val.binary.data, &terms);
			return terms;
		}
		if (value.type != jbvString)
			wrong_terms();
		word = sdcpg_params_choice(u->params, "terms", terms_words);
	}
	if (word == TERMS_SEARCH)
		return search_terms(u);
	for (i = 0; i < u->keys.count && word == TERMS_TWO_WAY; i++)
		for (j = i + 1; j < u->keys.count; j++)
			add_term(&terms, i, j);
	return terms;
}

/* Stops when a model needs too large a table. */
static void
check_terms(Uniqueness *u, const Terms *terms)
{
	if (sdc_log_linear_cells(&u->host->kernel, u->table[0].frequency,
							 terms->term,
							 terms->count) <= SDC_LOG_LINEAR_MAX_CELLS)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("the table of all combinations of keys is too large "
					"to be fitted"),
			 errdetail("Keys that terms connect may have at most " INT64_FORMAT
					   " combinations of values.",
					   (int64) SDC_LOG_LINEAR_MAX_CELLS),
			 errhint("Use fewer terms, or coarser keys.")));
}

/* Half the width of an interval that holds the truth 95 times of 100. */
#define TWO_SIDED_95 1.959963984540054

/* The interval of tau1 or tau2, which lies between 0 and the uniques. */
static void
put_interval(Uniqueness *u, const char *lowest, const char *highest,
			 int64 uniques, double value, double error)
{
	double low = Max(value - TWO_SIDED_95 * error, 0);
	double high = Min(value + TWO_SIDED_95 * error, uniques);

	sdcpg_report_put(u->report, lowest, u->subject, low,
					 "If the model is true, 95 of 100 such intervals hold the "
					 "true number; this one begins at %.2f.",
					 low);
	sdcpg_report_put(u->report, highest, u->subject, high,
					 "This interval ends at %.2f.", high);
}

/* What the tests say of a model; nothing where they cannot be made. */
static void
put_fit(Uniqueness *u, const SdcLogLinear *model, int64 uniques)
{
	SdcLogLinearTest test = sdc_log_linear_test(
		&u->host->kernel, u->table[0].frequency, model, u->sample.fraction);

	if (!isnan(model->uniques))
		sdcpg_report_put(u->report, "model_uniques", u->subject,
						 model->uniques,
						 "For the sample itself the model expects %.2f "
						 "uniques; there are " INT64_FORMAT
						 ". If many more are expected, some keys go "
						 "together.",
						 model->uniques, uniques);
	if (isnan(test.deviation))
		return;
	sdcpg_report_put(
		u->report, "model_bias", u->subject, test.deviation,
		"uniques_in_both is too %s by about %.2f, which is "
		"%.2f standard errors: %s.",
		test.bias > 0 ? "high" : "low", fabs(test.bias), fabs(test.deviation),
		test.deviation > TWO_SIDED_95
			? "the model does not fit, for it lacks pairs"
		: test.deviation < -TWO_SIDED_95 ? "the model does not fit"
										 : "no reason to doubt the model");
	sdcpg_report_put(
		u->report, "model_dispersion", u->subject, test.dispersion,
		"The counts vary %s than the model says, by %.2f "
		"standard errors.",
		test.dispersion < 0 ? "less" : "more", fabs(test.dispersion));
}

static void
warn_of_divergence(const SdcLogLinear *model)
{
	if (!model->converged)
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg("the log-linear model has not converged"),
				 errdetail("After %d sweeps its margins still differ from "
						   "those of the sample.",
						   model->sweeps),
				 errhint("The terms ask for more than the sample tells; use "
						 "fewer.")));
}

static void
put_poisson(Uniqueness *u)
{
	SdcHost *host = &u->host->kernel;
	const SdcFrequency *frequency = u->table[0].frequency;
	Terms terms = read_terms(u);
	SdcLogLinear *model;
	SdcLogLinearRisk risk;

	check_terms(u, &terms);
	model = sdc_log_linear_fit(host, frequency, terms.term, terms.count);
	warn_of_divergence(model);
	risk = sdc_log_linear_risk(host, frequency, model,
							   u->weight != NULL ? 0 : u->sample.fraction);
	put_risk(u, risk.uniques, risk.tau1);
	put_interval(u, "uniques_in_both_low", "uniques_in_both_high",
				 risk.uniques, risk.tau1, risk.error1);
	put_tau2(u, risk.uniques, risk.tau2);
	put_interval(u, "expected_unique_reids_low", "expected_unique_reids_high",
				 risk.uniques, risk.tau2, risk.error2);
	put_fit(u, model, risk.uniques);
}

/* The estimate of F of a class, and the risk of one of its records. */
static double
class_risk(const Uniqueness *u, const SdcAlike *alike, int32_t c)
{
	double population = alike->weight != NULL
							? alike->weight[c]
							: alike->records[c] / u->sample.fraction;

	return sdc_individual_risk_expect(alike->records[c], population,
									  SDC_INDIVIDUAL_RISK_EXACT);
}

/* P(F = 1 | f = 1) of a sample unique: p, of the negative binomial. */
static double
unique_chance(const Uniqueness *u, const SdcAlike *alike, int32_t c)
{
	if (alike->weight == NULL)
		return u->sample.fraction;
	return alike->weight[c] > 1 ? 1 / alike->weight[c] : 1;
}

static void
put_benedetti(Uniqueness *u)
{
	SdcHost *host = &u->host->kernel;
	SdcClasses *classes =
		sdc_frequency_classes(host, u->table[0].frequency, u->keys.count);
	SdcAlike alike = sdc_wildcard_alike(host, u->table[0].frequency, classes,
										u->keys.count, u->wildcard);
	double *risk = sdc_new(host, double, classes->classes);
	double target = sdcpg_params_number(u->params, "target", NAN, 0, 1);
	double expected = 0;
	double tau1 = 0;
	double tau2 = 0;
	int64 uniques = 0;
	int32_t c;

	for (c = 0; c < classes->classes; c++)
	{
		if (c % (SDC_POLL_STEPS / 16) == 0)
			host->poll(host, c, classes->classes);
		risk[c] = class_risk(u, &alike, c);
		expected += classes->size[c] * risk[c];
		if (alike.records[c] != 1)
			continue;
		uniques++;
		tau1 += unique_chance(u, &alike, c);
		tau2 += risk[c];
	}
	put_risk(u, uniques, tau1);
	put_tau2(u, uniques, tau2);
	put_expected(u, expected);
	if (!isnan(target))
	{
		double threshold = sdc_individual_risk_threshold(
			host, risk, classes->size, classes->classes, target);

		sdcpg_report_put(u->report, "threshold", u->subject, threshold,
						 "The global risk is at most %.4f %% once no record "
						 "has a risk above %.4f %%.",
						 100 * target, 100 * threshold);
	}
}

/* ----------------------------------------------------------------------
 * sdc.uniqueness: are sample uniques unique in the population, too?
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_uniqueness);

/* In the order of UniquenessMethod. */
static const char *const methods[] = {"population", "dis",    "poisson",
									  "pitman",     "zayatz", "snb",
									  "benedetti",  "dankar", NULL};

static const char *const params_keys[] = {
	"population_size", "sampling_fraction", "terms", "target", "nulls", NULL};

/* Every line of any method. */
static const char *const measures[] = {"records",
									   "classes",
									   "sample_uniques",
									   "sample_pairs",
									   "population",
									   "sampling_fraction",
									   "uniques_in_both_share",
									   "correct_match",
									   "uniques_in_both",
									   "uniques_in_both_low",
									   "uniques_in_both_high",
									   "expected_unique_reids",
									   "expected_unique_reids_low",
									   "expected_unique_reids_high",
									   "population_uniques",
									   "model_pairs",
									   "model_uniques",
									   "model_bias",
									   "model_dispersion",
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
	if (u->method != only && sdcpg_params_has(u->params, key))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("key \"%s\" in argument \"params\" is only "
							   "used by variant \"%s\"",
							   key, methods[only])));
}

/*
 * Are NULLs wildcards?  These form no classes, which most methods need; of
 * sensitive columns there are none, so "ignore" has nothing to ignore.
 */
static bool
read_wildcard(const Uniqueness *u)
{
	bool classes =
		u->method != METHOD_POPULATION && u->method != METHOD_BENEDETTI;

	return sdcpg_nulls_read(u->relation, u->params,
							classes ? SDC_NULLS_ANY &
										  ~SDC_NULLS_AS(SDC_NULLS_WILDCARD)
									: SDC_NULLS_ANY,
							SDC_NULLS_CATEGORY) == SDC_NULLS_WILDCARD;
}

static void
read_params(Uniqueness *u)
{
	sdcpg_params_check(u->params, params_keys);
	u->given_population = sdcpg_params_number(u->params, "population_size",
											  NAN, 1, 9007199254740992.0);
	u->given_fraction =
		sdcpg_params_number(u->params, "sampling_fraction", NAN, 1e-12, 1);
	refuse_param(u, "terms", METHOD_POISSON);
	refuse_param(u, "target", METHOD_BENEDETTI);
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
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("variant \"population\" needs argument \"population\""),
			 errhint("Name the relation that holds the population.")));
	if (named > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the size of the population is given more than once"),
				 errhint("Give one of population, weight, "
						 "params.population_size and "
						 "params.sampling_fraction.")));
	if (named == 0 || weight != NULL)
		u->weight =
			sdcpg_roles_column(u->relation, "weight", weight, SDC_ROLE_WEIGHT);
	if (named == 0 && u->weight == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the size of the population is not given"),
				 errhint("Give one of population, weight, "
						 "params.population_size and "
						 "params.sampling_fraction, or declare a weight.")));
}

/* Reads the arguments, see sdcf_uniqueness. */
static Uniqueness *
read_arguments(FunctionCallInfo fcinfo)
{
	Uniqueness *u = palloc0(sizeof(Uniqueness));

	sdcpg_args_need(fcinfo, 0);
	sdcpg_args_need(fcinfo, 4);
	u->method = sdcpg_args_choice("variant", PG_GETARG_TEXT_PP(4), methods);
	u->params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	read_params(u);
	u->relation = sdcpg_relation_find(PG_GETARG_OID(0));
	u->wildcard = read_wildcard(u);
	if (!PG_ARGISNULL(1))
		u->external = sdcpg_relation_find(PG_GETARG_OID(1));
	choose_source(u, PG_ARGISNULL(3) ? NULL : NameStr(*PG_GETARG_NAME(3)));
	u->keys = sdcpg_roles_need_columns(
		u->relation, "keys", PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2),
		SDC_ROLE_KEY);
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
	const char *source = u->external != NULL ? "counted record by record"
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

/*
 * Puts P(PU|SU) and tau1 of a sample with so many uniques, of which tau1 are
 * expected to be unique in the population.
 */
static void
put_risk(Uniqueness *u, int64 uniques, double tau1)
{
	double share = tau1 / uniques;

	/* records with wildcards are no classes, but may be unique */
	if (u->wildcard)
		put_uniques(u, uniques);
	if (uniques == 0)
		sdcpg_report_put(u->report, "uniques_in_both_share", u->subject, NAN,
						 "No record is unique in the sample.");
	else
		sdcpg_report_put(u->report, "uniques_in_both_share", u->subject, share,
						 "A record that is unique in the sample is unique in "
						 "the population with a probability of %.4f %%.",
						 100 * share);
	if (u->method == METHOD_POPULATION)
		sdcpg_report_put(u->report, "uniques_in_both", u->subject, tau1,
						 "Of " INT64_FORMAT
						 " sample uniques %.0f %s unique in the population.",
						 uniques, tau1, tau1 == 1 ? "is" : "are");
	else
		sdcpg_report_put(u->report, "uniques_in_both", u->subject, tau1,
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
			put_population(u);
			break;
		case METHOD_DIS:
			put_dis(u);
			break;
		case METHOD_POISSON:
			put_poisson(u);
			break;
		case METHOD_BENEDETTI:
			put_benedetti(u);
			break;
		default:
			put_superpopulation(u);
	}
}

/*
 * uniqueness(relation regclass, population regclass, keys columns,
 *            weight name, variant text, params jsonb)
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

/* ----------------------------------------------------------------------
 * sdc.individual_risk: the risk of a record of a sample.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_individual_risk);

/* In the order of SdcIndividualRiskMethod. */
static const char *const individual_risk_methods[] = {"exact", "approx", NULL};

/*
 * individual_risk(sample_count bigint, population_count float8,
 *                 variant text)
 */
Datum
sdcf_individual_risk(PG_FUNCTION_ARGS)
{
	int64 sample = PG_GETARG_INT64(0);
	double population = PG_GETARG_FLOAT8(1);
	int method = sdcpg_args_choice("variant", PG_GETARG_TEXT_PP(2),
								   individual_risk_methods);

	if (sample < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"sample_count\" must be at least 1"),
				 errdetail("It counts the records of the sample that share a "
						   "combination of keys.")));
	sdcpg_args_finite(population);
	if (population <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"population_count\" must be positive")));
	PG_RETURN_FLOAT8(sdc_individual_risk_expect(sample, population, method));
}
