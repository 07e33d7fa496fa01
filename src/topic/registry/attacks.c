/*
 * attacks.c
 *		The attacks: the only list of them, and the one way to run each.
 *
 * A new attack is a function in its topic and a row here.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "host/call/params.h"
#include "host/data/column.h"
#include "host/server/compat.h"
#include "host/server/error.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "topic/attack/attack_rows.h"
#include "topic/attack/exact_linkage.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/link.h"
#include "topic/attack/probabilistic_linkage.h"
#include "topic/attack/transparency.h"
#include "topic/mask/rules.h"
#include "topic/model/learning.h"
#include "topic/questions/questions.h"
#include "topic/registry/attacks.h"
#include "topic/registry/roles.h"
#include "topic/transaction/purchases.h"

/* ----------------------------------------------------------------------
 * The rows.  Budgets by experience: a pair takes 1 to 50 nanoseconds, so that
 * none of them runs for more than a minute.
 * ----------------------------------------------------------------------
 */

static const SdcAttack distance = {
	.name = "distance",
	.kind = SDC_ATTACK_IDENTITY,
	.needs = SDC_NEEDS_ID | SDC_NEEDS_NUMBERS,
	.usual = true,
	.repeated = true,
	.anew = true,
	.method = "euclidean",
	.methods = sdcpg_linkage_methods,
	.keys = sdcpg_linkage_keys,
	.check = sdcpg_linkage_check,
	.intruder = "links each person to the nearest masked record",
	.when = "each original record is linked to the nearest masked ones by the "
			"numeric keys",
	.back = "each masked record is linked to the nearest original ones by the "
			"numeric keys",
	.budget = 2e10,
	.run = sdcpg_attack_distance};

static const SdcAttack mahalanobis = {
	.name = "mahalanobis",
	.kind = SDC_ATTACK_IDENTITY,
	.needs = SDC_NEEDS_ID | SDC_NEEDS_NUMBERS,
	.usual = true,
	.params = sdcpg_mahalanobis_params,
	.intruder = "links each person to the nearest masked record, weighing "
				"columns by how masking changed them",
	.when = "each original record is linked to the nearest masked ones by the "
			"numeric keys, weighed by how masking changed them",
	.back = "each masked record is linked to the nearest original ones by the "
			"numeric keys, weighed by how masking changed them",
	.budget = 2e10,
	.run = sdcpg_attack_mahalanobis};

static const SdcAttack learned = {
	.name = "learned",
	.kind = SDC_ATTACK_IDENTITY,
	.needs = SDC_NEEDS_ID | SDC_NEEDS_NUMBERS,
	.usual = true,
	.method = "wm",
	.methods = sdcpg_learned_methods,
	.params = sdcpg_learned_params,
	.intruder = "links with the weights that link best",
	.when = "each original record is linked to the nearest masked ones, with "
			"the weights of the numeric keys that re-identify the most",
	.budget = 2e10,
	.run = sdcpg_attack_learned};

static const SdcAttack exact = {
	.name = "exact",
	.kind = SDC_ATTACK_IDENTITY,
	.needs = SDC_NEEDS_ID | SDC_NEEDS_SAME_KEYS,
	.usual = true,
	.params = sdcpg_exact_params,
	.intruder = "looks for records that were not changed",
	.when = "each original record is linked to the masked ones that are equal "
			"in all keys",
	.budget = 1e9,
	.run = sdcpg_attack_exact};

static const SdcAttack probabilistic = {
	.name = "probabilistic",
	.kind = SDC_ATTACK_IDENTITY,
	.needs = SDC_NEEDS_ID | SDC_NEEDS_KEYS,
	.usual = true,
	.params = sdcpg_probabilistic_params,
	.check = sdcpg_probabilistic_check,
	.intruder = "weighs what agrees by how telling it is",
	.when = "each original record is linked to the masked ones whose "
			"agreements in the keys speak most for a match",
	.budget = 5e9,
	.run = sdcpg_attack_probabilistic};

static const SdcAttack transparency = {
	.name = "transparency",
	.kind = SDC_ATTACK_IDENTITY,
	.needs = SDC_NEEDS_ID | SDC_NEEDS_KEYS | SDC_NEEDS_RULES,
	.usual = true,
	.repeated = true,
	.params = sdcpg_transparency_params,
	.intruder = "reads the published rules of masking",
	.when = "each original record is linked to the nearest masked one that it "
			"can have become by the rules",
	.budget = 1e10,
	.run = sdcpg_attack_transparency};

static const SdcAttack likelihood = {
	.name = "likelihood",
	.kind = SDC_ATTACK_IDENTITY,
	.needs = SDC_NEEDS_ID | SDC_NEEDS_KEYS | SDC_NEEDS_RULES,
	.usual = true,
	.repeated = true,
	.knows_names = true,
	.params = sdcpg_likelihood_params,
	.intruder = "weighs what each rule of masking makes likely, one to one",
	.when = "each original record is linked to the masked one that it most "
			"likely became by the rules",
	.budget = 2e10, /* boxes and records, 10 nanoseconds each */
	.run = sdcpg_attack_likelihood};

static const SdcAttack sequence = {
	.name = "sequence",
	.kind = SDC_ATTACK_IDENTITY,
	.needs = SDC_NEEDS_ID | SDC_NEEDS_KEYS | SDC_NEEDS_RULES,
	.over_time = true,
	.params = sdcpg_likelihood_params,
	.intruder = "puts all versions of a release together, and weighs them",
	.when = "each original record is linked to what most likely became of it "
			"in all versions that are kept",
	.budget = 2e10, /* as likelihood */
	.run = sdcpg_attack_sequence};

static const SdcAttack differencing = {
	.name = "differencing",
	.kind = SDC_ATTACK_IDENTITY,
	.of_changes = true,
	.params = sdcpg_differencing_params,
	.intruder = "takes a version of a release from the next, and knows who "
				"came, changed or left",
	.when = "people are looked for among the rows that came or went since the "
			"version before",
	.budget = 2e10, /* as likelihood */
	.run = sdcpg_attack_differencing};

static const SdcAttack composition = {
	.name = "composition",
	.kind = SDC_ATTACK_IDENTITY,
	.needs = SDC_NEEDS_ID | SDC_NEEDS_KEYS | SDC_NEEDS_SENSITIVE,
	.params = sdcpg_composition_params,
	.example = "{\"releases\": \"released_before\"}",
	.intruder = "intersects the classes of several releases",
	.when = "the classes of each person are intersected over the releases",
	.budget = 1e9,
	.run = sdcpg_attack_composition};

static const SdcAttack minimality = {
	.name = "minimality",
	.kind = SDC_ATTACK_ATTRIBUTE,
	.needs = SDC_NEEDS_ID | SDC_NEEDS_SENSITIVE,
	.params = sdcpg_minimality_params,
	.example = "{\"groups\": \"group\", \"l\": 2}",
	.intruder = "knows the algorithm that made the groups",
	.when = "values are believed under which the scan gives the groups",
	.budget = 1e9,
	.run = sdcpg_attack_minimality};

static const SdcAttack itemset = {
	.name = "itemset",
	.kind = SDC_ATTACK_IDENTITY,
	.method = "jaccard",
	.methods = sdcpg_itemset_methods,
	.params = sdcpg_itemset_params,
	.example = "{\"link\": \"customers\"}",
	.check = sdcpg_itemset_check,
	.intruder = "compares the sets of items that customers bought",
	.when = "each customer is linked to those with the most similar items",
	.budget = 1e9,
	.run = sdcpg_attack_itemset};

static const SdcAttack events = {
	.name = "events",
	.kind = SDC_ATTACK_IDENTITY,
	.needs = SDC_NEEDS_PERSON,
	.method = "strongest",
	.methods = sdcpg_events_methods,
	.params = sdcpg_events_params,
	.check = sdcpg_events_check,
	.intruder = "knows events of a person: days, items, amounts, how many",
	.when = "each masked person is linked to the one whose events most likely "
			"became his",
	.budget = 4e9, /* persons looked at, and marks shared with them */
	.run = sdcpg_attack_events};

static const SdcAttack joined = {
	.name = "joined",
	.kind = SDC_ATTACK_IDENTITY,
	.needs = SDC_NEEDS_TABLES,
	.method = "together",
	.methods = sdcpg_joined_methods,
	.params = sdcpg_joined_params,
	.intruder = "puts together what all tables of a policy tell of a person",
	.when = "each masked person is linked to the one whose rows in all tables "
			"most likely became his",
	.budget = 4e9, /* as events */
	.run = sdcpg_attack_joined};

static const SdcAttack membership = {
	.name = "membership",
	.kind = SDC_ATTACK_MEMBERSHIP,
	.needs = SDC_NEEDS_ID | SDC_NEEDS_KEYS | SDC_NEEDS_SENSITIVE,
	.method = "nb",
	.params = sdcpg_membership_params,
	.example = "{\"external\": \"others\"}",
	.check = sdcpg_learner_check_words,
	.intruder = "asks models of the masked records who was among them",
	.when = "models are asked who they were trained on",
	.budget = 1e8,
	.run = sdcpg_attack_membership};

static const SdcAttack inference = {
	.name = "inference",
	.kind = SDC_ATTACK_ATTRIBUTE,
	.needs = SDC_NEEDS_ID | SDC_NEEDS_KEYS | SDC_NEEDS_SENSITIVE,
	.method = "nb",
	.params = sdcpg_inference_params,
	.check = sdcpg_learner_check_words,
	.intruder = "predicts sensitive values by models of the masked records",
	.when = "each value is asked of models of the others' masked records",
	.budget = 1e8,
	.run = sdcpg_attack_inference};

static const SdcAttack attribute_linkage = {
	.name = "attribute_linkage",
	.kind = SDC_ATTACK_ATTRIBUTE,
	.needs =
		SDC_NEEDS_ID | SDC_NEEDS_KEYS | SDC_NEEDS_SENSITIVE | SDC_NEEDS_RULES,
	.params = sdcpg_likelihood_params,
	.intruder = "reads the sensitive values of all records that could be that "
				"of a person",
	.when = "each value is the one that the possible records most likely have",
	.budget = 2e10, /* as likelihood */
	.run = sdcpg_attack_attribute_linkage};

static const SdcAttack singling_out = {
	.name = "singling_out",
	.kind = SDC_ATTACK_IDENTITY,
	.needs = SDC_NEEDS_KEYS,
	.params = sdcpg_singling_out_params,
	.of_records = true,
	.intruder = "singles out: looks for a description that fits one person",
	.when = "descriptions that fit one released record are tried on the "
			"original",
	.budget = 2e11,
	.run = sdcpg_attack_singling_out};

static const SdcAttack linkability = {
	.name = "linkability",
	.kind = SDC_ATTACK_IDENTITY,
	.needs = SDC_NEEDS_KEYS,
	.params = sdcpg_linkability_params,
	.of_records = true,
	.intruder = "links what is known of a person in two places",
	.when = "the nearest released records by two sets of columns are compared",
	.budget = 2e11,
	.run = sdcpg_attack_linkability};

static const SdcAttack nearest_inference = {
	.name = "nearest_inference",
	.kind = SDC_ATTACK_ATTRIBUTE,
	.needs = SDC_NEEDS_KEYS,
	.params = sdcpg_nearest_inference_params,
	.of_records = true,
	.intruder = "infers a value from the nearest released record",
	.when = "each value is that of the released record nearest by the other "
			"columns",
	.budget = 2e11,
	.run = sdcpg_attack_nearest_inference};

static const SdcAttack closest_record = {
	.name = "closest_record",
	.kind = SDC_ATTACK_MEMBERSHIP,
	.needs = SDC_NEEDS_KEYS,
	.params = sdcpg_closest_record_params,
	.of_records = true,
	.intruder = "looks for released records that are copies of originals",
	.when = "people are looked for among the released records, as they are",
	.budget = 2e11,
	.run = sdcpg_attack_closest_record};

#ifdef SDC_FAKE
#include "fake_attack.c" /* of test/registry */
#endif

const SdcAttack *const sdcpg_attacks[] = {
#ifdef SDC_FAKE
	&fake_attack,
#endif
	&distance,
	&mahalanobis,
	&learned,
	&exact,
	&probabilistic,
	&transparency,
	&likelihood,
	&sequence,
	&differencing,
	&composition,
	&minimality,
	&itemset,
	&events,
	&joined,
	&membership,
	&inference,
	&attribute_linkage,
	&singling_out,
	&linkability,
	&nearest_inference,
	&closest_record,
	NULL};

const char *const sdcpg_attack_stats[SDC_ATTACK_STATS + 1] = {
	[SDC_STAT_FOUND] = "found",
	[SDC_STAT_REID_K] = "reid_k",
	[SDC_STAT_REID_D] = "reid_d",
	[SDC_STAT_K_REID] = "k_reid",
	[SDC_STAT_CLAIMED] = "claimed",
	[SDC_STAT_CLAIM_PRECISION] = "claim_precision"};

/* Another name of k_reid. */
#define CERTAIN "certain"

SdcAttackStat
sdcpg_attack_stat_find(const char *name)
{
	int i;

	if (strcmp(name, CERTAIN) == 0)
		return SDC_STAT_K_REID;
	for (i = 0; i < SDC_ATTACK_STATS; i++)
		if (strcmp(sdcpg_attack_stats[i], name) == 0)
			break;
	return (SdcAttackStat) i;
}

const SdcAttack *
sdcpg_attack_find(const char *name)
{
	const SdcAttack *const *attack;

	for (attack = sdcpg_attacks; *attack != NULL; attack++)
		if (strcmp((*attack)->name, name) == 0)
			break;
	return *attack;
}

const char *const *
sdcpg_attack_names(void)
{
	const char **names = palloc0(sizeof(char *) * lengthof(sdcpg_attacks));
	int i;

	for (i = 0; sdcpg_attacks[i] != NULL; i++)
		names[i] = sdcpg_attacks[i]->name;
	return names;
}

bool
sdcpg_attack_is_chosen(const SdcAttack *attack, ArrayType *names)
{
	Datum *element;
	int count;
	int i;

	if (names == NULL)
		return attack->usual;
	deconstruct_array(names, TEXTOID, -1, false, TYPALIGN_INT, &element, NULL,
					  &count);
	for (i = 0; i < count; i++)
		if (strcmp(TextDatumGetCString(element[i]), attack->name) == 0)
			return true;
	return false;
}

/* The keys of params; with a method of NULL, those of the usual one. */
static const SdcKey *
keys_of(const SdcAttack *attack, const char *method)
{
	return attack->keys == NULL
			   ? attack->params
			   : attack->keys(method != NULL ? method : attack->method);
}

void
sdcpg_attack_check_columns(const SdcAttack *attack, const char *method,
						   Jsonb *params, const SdcRelation *original,
						   const SdcRelationColumns *keys)
{
	const SdcKey *known = keys_of(attack, method);
	char *place;

	if (known == NULL)
		return;
	place = psprintf("params of the attack %s", attack->name);
	sdcpg_keys_check_columns(params, known, original, keys, place);
	sdcpg_keys_check_names(params, known, place);
	if (sdcpg_keys_find(known, "rules", strlen("rules")) != NULL)
	{
		SdcRules rules =
			sdcpg_rules_read(sdcpg_params_object(params, "rules"), original);

		sdcpg_rules_check_names(&rules);
	}
}

bool
sdcpg_attack_is_of_events(const SdcAttack *attack, const SdcRelation *original)
{
	return (attack->needs & SDC_NEEDS_PERSON) &&
		   sdcpg_roles_columns(original, "person", NULL, SDC_ROLE_PERSON)
				   .count > 0;
}

void
sdcpg_attack_check(const SdcAttack *attack, const char *method, Jsonb *params)
{
	const SdcKey *keys;

	if (method != NULL && attack->method == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the attack %s has no variants", attack->name)));
	if (method != NULL && attack->methods != NULL)
		(void) sdcpg_args_choice("variant", cstring_to_text(method),
								 attack->methods);
	keys = keys_of(attack, method);
	if (keys != NULL)
		sdcpg_params_check_keys(params, keys);
	if (attack->check != NULL)
		attack->check(method != NULL ? method : attack->method, params);
	if (keys != NULL)
		sdcpg_params_need_keys(params, keys);
}

/* ----------------------------------------------------------------------
 * Running an attack: what it needs, and what an error in it is.
 * ----------------------------------------------------------------------
 */

/* Can a key be used by an attack that needs such keys? */
static bool
is_usable(const SdcAttackCase *of, const char *name, int needs)
{
	SdcRelationColumn original;
	SdcRelationColumn masked;

	if (get_attnum(of->masked->oid, name) == InvalidAttrNumber)
		return false;
	original = sdcpg_relation_column(of->original, name);
	masked = sdcpg_relation_column(of->masked, name);
	if (needs & SDC_NEEDS_NUMBERS)
		return sdcpg_number_is(original.base) && sdcpg_number_is(masked.base);
	return !(needs & SDC_NEEDS_SAME_KEYS) || original.base == masked.base;
}

/* The keys that an attack can use, as name[]; NULL for none. */
static ArrayType *
usable_keys(const SdcAttackCase *of, int needs)
{
	Datum *element;
	int count;
	int usable = 0;
	int i;

	if (of->keys == NULL)
		return NULL;
	deconstruct_array(of->keys, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR,
					  &element, NULL, &count);
	for (i = 0; i < count; i++)
		if (is_usable(of, NameStr(*DatumGetName(element[i])), needs))
			element[usable++] = element[i];
	return usable == 0 ? NULL
					   : construct_array(element, usable, NAMEOID, NAMEDATALEN,
										 false, TYPALIGN_CHAR);
}

/* Why an attack cannot be run against a case; NULL when it can be. */
static const char *
what_lacks(const SdcAttack *attack, const SdcAttackCase *of, bool new_records)
{
	if ((attack->needs & SDC_NEEDS_ID) && of->id == NULL)
		return new_records ? "The masked relation has no id: its records are "
							 "new ones, and none is anybody's."
						   : "No column is declared as the id, so nobody "
							 "could tell a right link from a wrong one.";
	if ((attack->needs & SDC_NEEDS_NUMBERS) && of->keys == NULL)
		return "No key is a number in both relations, so nearest records "
			   "cannot be looked for.";
	if ((attack->needs & (SDC_NEEDS_KEYS | SDC_NEEDS_SAME_KEYS)) &&
		of->keys == NULL)
		return "No key can be compared in both relations, so nobody can be "
			   "looked for.";
	if ((attack->needs & SDC_NEEDS_SENSITIVE) && of->sensitive == NULL)
		return "No sensitive column is named or declared.";
	if ((attack->needs & SDC_NEEDS_RULES) && of->rules == NULL)
		return "It is not known how the relation was masked.";
	return NULL;
}

/* Is an error about what was asked for, not about rights or the server? */
static bool
is_refusal(const ErrorData *failure)
{
	int class = ERRCODE_TO_CATEGORY(failure->sqlerrcode);

	return class == ERRCODE_TO_CATEGORY(ERRCODE_DATA_EXCEPTION) ||
		   class == ERRCODE_TO_CATEGORY(ERRCODE_FEATURE_NOT_SUPPORTED) ||
		   class == ERRCODE_TO_CATEGORY(ERRCODE_PROGRAM_LIMIT_EXCEEDED) ||
		   class == ERRCODE_TO_CATEGORY(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION) ||
		   failure->sqlerrcode == ERRCODE_UNIQUE_VIOLATION ||
		   failure->sqlerrcode == ERRCODE_UNDEFINED_COLUMN ||
		   failure->sqlerrcode == ERRCODE_UNDEFINED_TABLE ||
		   failure->sqlerrcode == ERRCODE_DATATYPE_MISMATCH ||
		   failure->sqlerrcode == ERRCODE_WRONG_OBJECT_TYPE;
}

/*
 * An error as a reason.  A message of PostgreSQL about data may quote a value
 * of them, so of those only the code is said.
 */
static char *
reason_of(const ErrorData *failure)
{
	int code = failure->sqlerrcode;

	if (ERRCODE_TO_CATEGORY(code) ==
			ERRCODE_TO_CATEGORY(ERRCODE_DATA_EXCEPTION) &&
		code != ERRCODE_DATA_EXCEPTION &&
		code != ERRCODE_INVALID_PARAMETER_VALUE &&
		code != ERRCODE_NULL_VALUE_NOT_ALLOWED)
		return psprintf("It stopped with an error (SQLSTATE %s).",
						unpack_sql_state(code));
	return psprintf("It stopped with an error: %s.", failure->message);
}

static char *
copy_text(const char *text)
{
	return text == NULL ? NULL : pstrdup(text);
}

/* An attack that is run. */
typedef struct Running
{
	const SdcAttack *attack;
	const SdcAttackCase *of;
	SdcAttackOutcome *outcome;
	MemoryContext keep;
} Running;

/* Runs the row's function; what it allocates is in the current context. */
static bool
run_row(void *arg)
{
	const Running *running = arg;
	SdcAttackOutcome *outcome = running->outcome;
	SdcPgHost *host = sdcpg_host_begin(
		psprintf("attack_%s", running->attack->name), CurrentMemoryContext);
	MemoryContext work;

	running->attack->run(running->attack, running->of, host, outcome);
	work = MemoryContextSwitchTo(running->keep);
	outcome->reason = copy_text(outcome->reason);
	outcome->sentence = copy_text(outcome->sentence);
	outcome->sample = copy_text(outcome->sample);
	outcome->parts = copy_text(outcome->parts);
	MemoryContextSwitchTo(work);
	sdcpg_host_end(host);
	return true;
}

static void
clear_outcome(SdcAttackOutcome *outcome)
{
	int i;

	memset(outcome, 0, sizeof(*outcome));
	outcome->usual = outcome->unusual = NAN;
	for (i = 0; i < SDC_ATTACK_STATS; i++)
		outcome->stat[i] = outcome->upper[i] = NAN;
}

void
sdcpg_attack_run(const SdcAttack *attack, const SdcAttackCase *of,
				 SdcAttackOutcome *outcome)
{
	SdcAttackCase usable = *of;
	Running running = {attack, &usable, outcome, CurrentMemoryContext};
	const char *lack;
	ErrorData *failure;
	MemoryContext work;

	clear_outcome(outcome);
	usable.keys = usable_keys(of, attack->needs);
	/* synthetic records have no id of the original's */
	if (of->id != NULL &&
		get_attnum(of->masked->oid, of->id) == InvalidAttrNumber)
		usable.id = NULL;
	if (usable.method == NULL)
		usable.method = attack->method;
	lack = what_lacks(attack, &usable, of->id != NULL && usable.id == NULL);
	if (lack != NULL)
	{
		outcome->reason = pstrdup(lack);
		return;
	}
	work = AllocSetContextCreate(CurrentMemoryContext, "sdc attack",
								 ALLOCSET_DEFAULT_SIZES);
	failure = sdcpg_error_attempt(work, run_row, &running);
	MemoryContextDelete(work);
	if (failure == NULL)
		return;
	if (!is_refusal(failure))
		ReThrowError(failure);
	clear_outcome(outcome);
	outcome->reason = reason_of(failure);
}

/* ----------------------------------------------------------------------
 * What came of an attack: figures, intervals, words.
 * ----------------------------------------------------------------------
 */

/* The normal quantile of two-sided 95 percent. */
#define Z 1.959963984540054

/*
 * An end of the interval of a share that n people have shown (Wilson 1927);
 * sign is 1 or -1.  Shares that are means of probabilities vary less, so for
 * them it is too wide, if anything.
 */
static double
wilson(double share, double n, int sign)
{
	double middle = share + Z * Z / (2 * n);
	double half = Z * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n));
	double end = (middle + sign * half) / (1 + Z * Z / n);

	return Min(Max(end, 0), 1);
}

void
sdcpg_attack_interval(SdcAttackOutcome *outcome, double people, double low,
					  double high)
{
	outcome->people = people;
	outcome->upper[SDC_STAT_FOUND] = high;
	outcome->sample = psprintf(
		"Attacked were %.0f of %.0f people, drawn at random, so with 95 %% "
		"confidence the share found is %.4g to %.4g.",
		outcome->records, people, low, high);
}

/* Intervals, when the people attacked are some of those there are. */
static void
set_intervals(SdcAttackOutcome *outcome)
{
	int i;

	memcpy(outcome->upper, outcome->stat, sizeof(outcome->stat));
	if (outcome->records >= outcome->people)
		return;
	for (i = SDC_STAT_FOUND; i <= SDC_STAT_CLAIMED; i++)
		if (!isnan(outcome->stat[i]))
			outcome->upper[i] = wilson(outcome->stat[i], outcome->records, 1);
	sdcpg_attack_interval(
		outcome, outcome->people,
		wilson(outcome->stat[SDC_STAT_FOUND], outcome->records, -1),
		outcome->upper[SDC_STAT_FOUND]);
}

void
sdcpg_attack_links(SdcAttackOutcome *outcome, const SdcLinkSuccess *found,
				   double people)
{
	double n = found->records;

	if (found->records == 0)
	{
		outcome->reason = "No record is in both relations.";
		return;
	}
	outcome->linked = true;
	outcome->success = *found;
	outcome->success.right += outcome->success.error;
	outcome->records = n;
	outcome->people = Max(people, n);
	outcome->stat[SDC_STAT_REID_K] = outcome->success.right / n;
	outcome->stat[SDC_STAT_REID_D] = found->unique_right / n;
	outcome->stat[SDC_STAT_K_REID] = found->claimed_right / n;
	outcome->stat[SDC_STAT_CLAIMED] = found->claimed / n;
	if (found->claimed > 0)
		outcome->stat[SDC_STAT_CLAIM_PRECISION] =
			(double) found->claimed_right / found->claimed;
	outcome->stat[SDC_STAT_FOUND] =
		Max(outcome->stat[SDC_STAT_REID_K], outcome->stat[SDC_STAT_REID_D]);
	outcome->sentence = psprintf(
		"finds %.2f of %d records by guessing among equals, %d by a single "
		"best link and %d for certain",
		outcome->success.right, found->records, found->unique_right,
		found->claimed_right);
	set_intervals(outcome);
}

void
sdcpg_attack_share(SdcAttackOutcome *outcome, double found, double records,
				   const char *format, ...)
{
	va_list args;

	outcome->records = outcome->people = records;
	outcome->stat[SDC_STAT_FOUND] = found;
	va_start(args, format);
	outcome->sentence = sdcpg_result_sentence(format, args);
	va_end(args);
	set_intervals(outcome);
}

void
sdcpg_attack_sampled(SdcAttackOutcome *outcome, double people)
{
	outcome->people = Max(people, outcome->records);
	set_intervals(outcome);
}

char *
sdcpg_attack_sentence(const SdcAttack *attack, const char *method,
					  const SdcAttackOutcome *outcome)
{
	char *name =
		psprintf("%s%s%s%s", attack->name, method != NULL ? " (" : "",
				 method != NULL ? method : "", method != NULL ? ")" : "");

	if (outcome->reason != NULL)
		return psprintf("The attack %s cannot be run: %s", name,
						outcome->reason);
	return psprintf("The attack %s %s.%s%s%s%s", name, outcome->sentence,
					outcome->sample != NULL ? " " : "",
					outcome->sample != NULL ? outcome->sample : "",
					outcome->parts != NULL ? " " : "",
					outcome->parts != NULL ? outcome->parts : "");
}

bool *
sdcpg_attack_sample(const SdcAttackCase *of, SdcPgHost *host, int32 n,
					double cost, double budget)
{
	SdcRandom random;
	bool *drawn;
	int32 left;
	int32 i;

	if (cost <= budget || n == 0)
		return NULL;
	left = (int32) Max(1, floor(n * (budget / cost)));
	sdc_random_seed(&random,
					of->seeded ? (uint64) of->seed : sdcpg_strong_seed(), 0);
	drawn = sdc_new(&host->kernel, bool, n);
	/* each of the rest is drawn with the chance that fills what is left */
	for (i = 0; i < n; i++)
	{
		drawn[i] = (int32) sdc_random_below(&random, n - i) < left;
		left -= drawn[i];
	}
	return drawn;
}
