/*
 * uniqueness_cells.c
 *		sdc.uniqueness from the cells of the key table.
 *
 * The population counted, the individual risk of Benedetti and Franconi, and
 * the log-linear model look at each combination of keys, not only at how many
 * records have it.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "face/uniqueness.h"
#include "kernel/risk/individual_risk.h"
#include "kernel/risk/log_linear.h"
#include "kernel/risk/presence.h"
#include "kernel/table/wildcard.h"
#include "pg/call/args.h"
#include "pg/server/compat.h"
#include "pg/call/params.h"

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
	sdcpg_report_put(u->report, "tau2", u->subject, tau2,
					 "Who guesses for all " INT64_FORMAT
					 " sample uniques finds about %.2f.",
					 uniques, tau2);
}

void
sdcf_uniqueness_population(Uniqueness *u)
{
	Matches matches = match_population(u);
	Counted counted = count_matches(&matches);

	sdcf_uniqueness_put_risk(u, counted.uniques, counted.both);
	if (counted.uniques > 0)
		sdcpg_report_put(u->report, "theta", u->subject,
						 counted.uniques / counted.people,
						 "A person who matches a sample unique is that record "
						 "with a probability of %.4f %%.",
						 100 * counted.uniques / counted.people);
	else
		sdcpg_report_put(u->report, "theta", u->subject, NAN,
						 "No record is unique in the sample.");
	put_tau2(u, counted.uniques, counted.tau2);
	put_expected(u, counted.expected);
	if (counted.outside > 0)
		sdcpg_report_put(u->report, "outside", u->subject, counted.outside,
						 INT64_FORMAT " %s fewer matches in external than in "
									  "the sample, which therefore is not a "
									  "part of it; they count as if external "
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
					"\"two_way\" or a list of pairs of keys"),
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

static Terms
read_terms(Uniqueness *u)
{
	Terms terms = {0};
	JsonbValue value;
	int i;
	int j;

	if (u->params == NULL || getKeyJsonValueFromContainer(
								 &u->params->root, "terms", 5, &value) == NULL)
		return terms;
	if (value.type == jbvBinary)
		read_pairs(u, value.val.binary.data, &terms);
	else if (value.type != jbvString)
		wrong_terms();
	else if (value.val.string.len == 7 &&
			 memcmp(value.val.string.val, "two_way", 7) == 0)
	{
		for (i = 0; i < u->keys.count; i++)
			for (j = i + 1; j < u->keys.count; j++)
				add_term(&terms, i, j);
	}
	else if (value.val.string.len != 4 ||
			 memcmp(value.val.string.val, "main", 4) != 0)
		wrong_terms();
	return terms;
}

void
sdcf_uniqueness_poisson(Uniqueness *u)
{
	SdcHost *host = &u->host->kernel;
	const SdcFrequency *frequency = u->table[0].frequency;
	Terms terms = read_terms(u);
	SdcLogLinear *model;
	SdcLogLinearRisk risk;

	if (sdc_log_linear_cells(host, frequency, terms.term, terms.count) >
		SDC_LOG_LINEAR_MAX_CELLS)
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("the table of all combinations of keys is too large "
					"to be fitted"),
			 errdetail("Keys that terms connect may have at most " INT64_FORMAT
					   " combinations of values.",
					   (int64) SDC_LOG_LINEAR_MAX_CELLS),
			 errhint("Use fewer terms, or coarser keys.")));
	model = sdc_log_linear_fit(host, frequency, terms.term, terms.count);
	risk = sdc_log_linear_risk(host, frequency, model->mean,
							   u->weight != NULL ? 0 : u->sample.fraction);
	if (!model->converged)
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg("the log-linear model has not converged"),
				 errdetail("After %d sweeps its margins still differ from "
						   "those of the sample.",
						   model->sweeps),
				 errhint("The terms ask for more than the sample tells; use "
						 "fewer.")));
	sdcf_uniqueness_put_risk(u, risk.uniques, risk.tau1);
	put_tau2(u, risk.uniques, risk.tau2);
	if (!isnan(model->uniques))
		sdcpg_report_put(u->report, "model_uniques", u->subject,
						 model->uniques,
						 "For the sample itself the model expects %.2f "
						 "uniques; there are " INT64_FORMAT
						 ". If many more are expected, some keys go "
						 "together.",
						 model->uniques, (int64) risk.uniques);
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

void
sdcf_uniqueness_benedetti(Uniqueness *u)
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
	sdcf_uniqueness_put_risk(u, uniques, tau1);
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
