/*
 * membership.c
 *		sdc.membership_risk: does a model tell who it was trained on?
 *
 * Rates are taken among members and among others on their own, so that how
 * many there are of each does not matter: precision is that among equally many
 * of both.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "host/call/params.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/model/cross_validation.h"
#include "kernel/model/model.h"
#include "topic/model/learning.h"

PG_FUNCTION_INFO_V1(sdcf_membership_risk);

static const SdcKey params_keys[] = {
	SDC_LEARNER_KEYS, SDC_REPEATS_KEY, SDC_SHADOWS_KEY, {NULL}};

/* Rates of an attack by repeat. */
typedef struct Rates
{
	double *advantage;
	double *tpr;
	double *fpr;
	double *precision;
	double *f1;
} Rates;

static Rates
new_rates(SdcHost *host, int repeats)
{
	Rates rates = {
		sdc_new(host, double, repeats), sdc_new(host, double, repeats),
		sdc_new(host, double, repeats), sdc_new(host, double, repeats),
		sdc_new(host, double, repeats)};

	return rates;
}

/* The rates of one repeat; NaN where nothing was there to claim. */
static void
set_rates(Rates *rates, int r, const SdcMembershipTally *tally)
{
	double tpr = (double) tally->members_claimed / (double) tally->members;
	double fpr = (double) tally->others_claimed / (double) tally->others;

	rates->tpr[r] = tpr;
	rates->fpr[r] = fpr;
	rates->advantage[r] = tpr - fpr;
	rates->precision[r] = tpr / (tpr + fpr);
	rates->f1[r] = 2 * tpr / (tpr + fpr + 1);
}

/* Lines of one attack; how says what it does. */
static void
put_rates(ReturnSetInfo *result, const Rates *rates, const char *subject,
		  int repeats, const char *how)
{
	sdcpg_repeats_put(result, "advantage", subject, rates->advantage, repeats,
					  "True minus false positive rate when the intruder %s.",
					  how);
	sdcpg_repeats_put(result, "tpr", subject, rates->tpr, repeats,
					  "Share of the members that are said to be members.");
	sdcpg_repeats_put(result, "fpr", subject, rates->fpr, repeats,
					  "Share of the others that are said to be members.");
	sdcpg_repeats_put(result, "precision", subject, rates->precision, repeats,
					  "Share of members among those said to be, of equally "
					  "many members and others.");
	sdcpg_repeats_put(result, "f1", subject, rates->f1, repeats,
					  "Harmonic mean of precision and true positive rate.");
}

/* The attack by shadow models, repeat by repeat; false if it is impossible. */
static bool
repeat_attack(const SdcShadow *shadow, SdcHost *host, SdcModel *target,
			  uint64 seed, int repeats, Rates *rates)
{
	int r;

	for (r = 0; r < repeats; r++)
	{
		SdcMembershipTally tally;
		SdcRandom random;

		sdc_random_seed(&random, sdcpg_repeats_seed(seed, r), 0);
		host->stage(host, "training shadow models");
		if (!sdc_shadow_attack(host, shadow, target, &random, &tally))
			return false;
		set_rates(rates, r, &tally);
	}
	return true;
}

/* Both attacks against a model of one sensitive column. */
static void
attack_column(const SdcShadow *shadow, SdcPgHost *host, const char *column,
			  uint64 seed, int repeats, ReturnSetInfo *result)
{
	SdcHost *kernel = &host->kernel;
	SdcModel *target = sdc_shadow_target(kernel, shadow);
	const char *subject = psprintf("%s by label", column);
	Rates rates = new_rates(kernel, repeats);
	SdcMembershipTally tally;

	if (target == NULL)
	{
		sdcpg_result_measure(result, "advantage", subject, 0, true,
							 "There is no member with a sensitive value.");
		return;
	}
	tally = sdc_shadow_by_label(kernel, shadow, target);
	set_rates(&rates, 0, &tally);
	put_rates(result, &rates, subject, 1,
			  "says member where the prediction is right");
	subject = psprintf("%s by shadow models", column);
	if (repeat_attack(shadow, kernel, target, seed, repeats, &rates))
		put_rates(result, &rates, subject, repeats,
				  "learns from models of his own how sure one is of what it "
				  "has seen");
	else
		sdcpg_result_measure(result, "advantage", subject, 0, true,
							 "Shadow models need at least four others with "
							 "one sensitive value.");
	sdc_model_release(target);
}

static void
attack(SdcLearning *learning, SdcPgHost *host, const SdcLearner *learner,
	   int shadows, uint64 seed, int repeats, ReturnSetInfo *result)
{
	SdcModelTable table;
	SdcShadow shadow;
	int s;

	sdcpg_learning_load(learning, host);
	table = sdcpg_learning_join(learning, host);
	shadow.method = learner->method;
	shadow.settings = &learner->settings;
	shadow.table = &table;
	shadow.members = learning->side[0].rows;
	shadow.shadows = shadows;
	for (s = 0; s < learning->sensitive.count; s++)
	{
		SdcModelColumn column = sdcpg_learning_join_column(
			learning, host, &learning->side[0].sensitive[s],
			&learning->side[1].sensitive[s]);
		SdcOutcome outcome = sdc_outcome_make(&host->kernel, &column,
											  table.rows, learner->bins);

		sdcpg_learner_check(learner, host, &table, &outcome, shadow.members);
		if (strcmp(learner->method->name, "knn") != 0)
			sdcpg_learner_check(learner, host, &table, &outcome, table.rows);
		shadow.label = outcome.label;
		shadow.classes = outcome.classes;
		attack_column(&shadow, host, learning->sensitive.column[s].name, seed,
					  repeats, result);
	}
}

/*
 * membership_risk(original regclass, external regclass, id name, keys columns,
 *     sensitive columns, variant text, params jsonb, seed bigint)
 */
Datum
sdcf_membership_risk(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(6) ? NULL : PG_GETARG_JSONB_P(6);
	uint64 seed =
		PG_ARGISNULL(7) ? sdcpg_strong_seed() : (uint64) PG_GETARG_INT64(7);
	SdcLearning learning;
	SdcLearner learner;
	SdcPgHost *host;

	sdcpg_args_need_first(fcinfo, 2);
	sdcpg_args_need(fcinfo, 5);
	sdcpg_params_check_keys(params, params_keys);
	learner = sdcpg_learner_read(PG_GETARG_TEXT_PP(5), params, seed);
	sdcpg_learning_find(&learning, PG_GETARG_OID(0), PG_GETARG_OID(1),
						PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2)),
						true,
						PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3),
						PG_ARGISNULL(4) ? NULL : PG_GETARG_ARRAYTYPE_P(4));
	learning.second_sensitive = true;
	host = sdcpg_host_begin("membership_risk", CurrentMemoryContext);
	attack(&learning, host, &learner,
		   sdcpg_keys_integer(params_keys, params, "shadows"), seed,
		   sdcpg_repeats_read(params, 10), result);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * The attack "membership": models of the masked records are asked who they
 * learned from; the others are those of a relation of people outside.
 * ----------------------------------------------------------------------
 */

const SdcKey sdcpg_membership_params[] = {
	SDC_LEARNER_KEYS,
	SDC_REPEATS_KEY,
	SDC_SHADOWS_KEY,
	{"external", SDC_KEY_TEXT, .needed = true, .need = sdcpg_relation_need},
	{NULL}};

/* Without params.repeats. */
#define REPEATS 3

/* The greater advantage of both attacks on one column; NaN: none. */
static double
column_advantage(const SdcShadow *shadow, SdcHost *host, uint64 seed,
				 int repeats)
{
	SdcModel *target = sdc_shadow_target(host, shadow);
	Rates rates = new_rates(host, repeats);
	SdcMembershipTally tally;
	double label;

	if (target == NULL)
		return NAN;
	tally = sdc_shadow_by_label(host, shadow, target);
	set_rates(&rates, 0, &tally);
	label = rates.advantage[0];
	if (repeat_attack(shadow, host, target, seed, repeats, &rates))
		label =
			Max(label, sdc_interval_of_mean(rates.advantage, repeats).mean);
	sdc_model_release(target);
	return label;
}

/* Prepares the attack on a sensitive column; false beyond the budget. */
static bool
prepare_shadow(const SdcAttack *row, SdcLearning *learning, SdcPgHost *host,
			   const SdcLearner *learner, SdcModelTable *table,
			   SdcShadow *shadow, int repeats)
{
	sdcpg_learning_load(learning, host);
	*table = sdcpg_learning_join(learning, host);
	shadow->method = learner->method;
	shadow->settings = &learner->settings;
	shadow->table = table;
	shadow->members = learning->side[0].rows;
	return (double) table->rows * learning->keys.count *
			   (1.0 + shadow->shadows * repeats) <=
		   row->budget;
}

/* The greatest advantage over the sensitive columns. */
static double
greatest_advantage(SdcLearning *learning, SdcPgHost *host,
				   const SdcLearner *learner, SdcShadow *shadow, uint64 seed,
				   int repeats)
{
	double most = NAN;
	int s;

	for (s = 0; s < learning->sensitive.count; s++)
	{
		SdcModelColumn column = sdcpg_learning_join_column(
			learning, host, &learning->side[0].sensitive[s],
			&learning->side[1].sensitive[s]);
		SdcOutcome outcome = sdc_outcome_make(
			&host->kernel, &column, shadow->table->rows, learner->bins);
		double advantage;

		sdcpg_learner_check(learner, host, shadow->table, &outcome,
							shadow->members);
		shadow->label = outcome.label;
		shadow->classes = outcome.classes;
		advantage = column_advantage(shadow, &host->kernel, seed, repeats);
		if (isnan(most) || advantage > most)
			most = advantage;
	}
	return most;
}

void
sdcpg_attack_membership(const SdcAttack *row, const SdcAttackCase *of,
						SdcPgHost *host, SdcAttackOutcome *outcome)
{
	char *external = sdcpg_params_text(of->params, "external");
	uint64 seed = of->seeded ? (uint64) of->seed : sdcpg_strong_seed();
	int repeats = sdcpg_repeats_read(of->params, REPEATS);
	SdcLearner learner =
		sdcpg_learner_read(cstring_to_text(of->method), of->params, seed);
	SdcShadow shadow = {0};
	SdcModelTable table;
	SdcLearning learning;
	double advantage;

	if (external == NULL)
	{
		outcome->reason = "params.external names no relation of people who "
						  "are not among the records.";
		return;
	}
	shadow.shadows =
		sdcpg_keys_integer(sdcpg_membership_params, of->params, "shadows");
	sdcpg_learning_find(&learning, of->masked->oid,
						sdcpg_relation_oid(external), of->id, true, of->keys,
						of->sensitive);
	learning.second_sensitive = true;
	if (!prepare_shadow(row, &learning, host, &learner, &table, &shadow,
						repeats))
	{
		outcome->reason = "There are too many records for so many models; "
						  "ask for fewer shadows or repeats.";
		return;
	}
	advantage =
		greatest_advantage(&learning, host, &learner, &shadow, seed, repeats);
	if (isnan(advantage))
	{
		outcome->reason = "There is no record with a sensitive value.";
		return;
	}
	sdcpg_attack_share(outcome, Max(advantage, 0), learning.side[0].rows,
					   "tells %d records from %d outside with an advantage "
					   "(right less wrong claims) of %.4g",
					   learning.side[0].rows, learning.side[1].rows,
					   Max(advantage, 0));
}
