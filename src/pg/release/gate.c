/*
 * gate.c
 *		The argument "constraints": what a masked table must satisfy.
 *
 * A constraint that is misread would let through what it should stop, so every
 * word is looked up when the policy is written, not when it is used.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "pg/call/risk_lines.h"
#include "pg/call/params.h"
#include "pg/release/gate.h"
#include "pg/server/compat.h"

const char *const sdcpg_gate_attacks[] = {
	"distance", "learned", "probabilistic", "transparency", "exact", NULL};

const char *const sdcpg_gate_stats[] = {"reid_k",  "reid_d",          "k_reid",
										"claimed", "claim_precision", NULL};

static const char *const comparisons[SDC_GATE_COMPARISONS] = {"<=", "<",
															  ">=", ">"};

/* The lines of sdc.utility_report. */
static const char *const utilities[] = {"il1s",
										"il_variables",
										"sse_sst",
										"mean",
										"variance",
										"covariance",
										"correlation",
										"eigen",
										"il_correl",
										"hellinger",
										"kl",
										"tv",
										"tables",
										"pmse",
										"pmse_expected",
										"pmse_deviation",
										"pmse_ratio",
										"pmse_standardized",
										"ncp",
										"loss",
										"precision",
										"height",
										"entropy",
										"ambiguity",
										"discernibility",
										"average_class",
										"c_avg",
										"queries",
										"il1",
										NULL};

static const char *const disclosures[] = {"rid", "sdid", "sadr", NULL};

static const char *const measure_keys[] = {"subject", "params", NULL};
static const char *const attack_keys[] = {"stat", "method", "params", NULL};
static const char *const disclosure_keys[] = {"subject", NULL};

/* The kinds: their key, the words it may have, the other keys. */
static const struct
{
	const char *key;
	const char *const *words;
	const char *const *keys;
} kinds[SDC_GATE_KINDS] = {{"measure", sdcpg_risk_lines, measure_keys},
						   {"attack", sdcpg_gate_attacks, attack_keys},
						   {"disclosure", disclosures, disclosure_keys},
						   {"utility", utilities, measure_keys}};

static bool
is_listed(const char *const *list, const char *word)
{
	for (; *list != NULL; list++)
		if (strcmp(*list, word) == 0)
			return true;
	return false;
}

/* The position of a comparison's sign; SDC_GATE_COMPARISONS if it is none. */
static int
find_comparison(const char *key)
{
	int i;

	for (i = 0; i < SDC_GATE_COMPARISONS; i++)
		if (strcmp(comparisons[i], key) == 0)
			break;
	return i;
}

pg_noreturn static void
wrong(int place, const char *what, const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("constraint %d in argument \"constraints\" %s",
						   place, what),
					detail != NULL ? errdetail_internal("%s", detail) : 0));
}

/* The words of a list as a sentence: "Known are rid, sdid." */
static char *
known_words(const char *const *list, const char *further)
{
	StringInfoData words;

	initStringInfo(&words);
	appendStringInfoString(&words, "Known are ");
	for (; *list != NULL; list++)
		appendStringInfo(&words, "%s%s", *list, list[1] != NULL ? ", " : "");
	if (further != NULL)
		appendStringInfo(&words, ", %s", further);
	appendStringInfoChar(&words, '.');
	return words.data;
}

/* The kind of a constraint: exactly one of the keys of kinds is there. */
static SdcGateKind
read_kind(Jsonb *object, int place)
{
	int found = SDC_GATE_KINDS;
	JsonbValue value;
	int i;

	for (i = 0; i < SDC_GATE_KINDS; i++)
		if (sdcpg_params_find(object, kinds[i].key, &value))
		{
			if (found != SDC_GATE_KINDS)
				wrong(place, "names more than one thing to measure", NULL);
			found = i;
		}
	if (found == SDC_GATE_KINDS)
		wrong(place, "names nothing to measure",
			  "Write \"measure\", \"attack\", \"disclosure\" or "
			  "\"utility\".");
	return found;
}

/* A string under a key; NULL when it is absent. */
static char *
read_string(Jsonb *object, int place, const char *key)
{
	JsonbValue value;

	if (!sdcpg_params_find(object, key, &value))
		return NULL;
	if (value.type != jbvString)
		wrong(place, psprintf("has a \"%s\" that is not a string", key), NULL);
	return pnstrdup(value.val.string.val, value.val.string.len);
}

static void
read_word(SdcGateConstraint *constraint, Jsonb *object)
{
	const char *const *words = kinds[constraint->kind].words;
	const char *key = kinds[constraint->kind].key;
	bool attack = constraint->kind == SDC_GATE_ATTACK;

	constraint->word = read_string(object, constraint->place, key);
	if (!is_listed(words, constraint->word) &&
		!(attack && strcmp(constraint->word, SDC_GATE_WORST) == 0))
		wrong(constraint->place,
			  psprintf("has an unknown %s \"%s\"", key, constraint->word),
			  known_words(words, attack ? SDC_GATE_WORST : NULL));
}

/* The key of an object's member, as a string. */
static char *
key_of(const JsonbValue *key)
{
	return pnstrdup(key->val.string.val, key->val.string.len);
}

/* Stops at a key that is neither the kind's nor one of its others. */
static void
check_keys(const SdcGateConstraint *constraint, Jsonb *object)
{
	JsonbIterator *iterator = JsonbIteratorInit(&object->root);
	JsonbIteratorToken token;
	JsonbValue key;

	while ((token = JsonbIteratorNext(&iterator, &key, true)) != WJB_DONE)
	{
		char *name;

		if (token != WJB_KEY)
			continue;
		name = key_of(&key);
		if (strcmp(name, kinds[constraint->kind].key) != 0 &&
			!is_listed(kinds[constraint->kind].keys, name) &&
			find_comparison(name) == SDC_GATE_COMPARISONS)
			wrong(
				constraint->place, psprintf("has an unknown key \"%s\"", name),
				known_words(kinds[constraint->kind].keys, "<=, <, >= and >"));
	}
}

/* The comparison and its bound: exactly one. */
static void
read_bound(SdcGateConstraint *constraint, Jsonb *object)
{
	int found = SDC_GATE_COMPARISONS;
	JsonbValue value;
	JsonbValue bound = {0};
	int i;

	for (i = 0; i < SDC_GATE_COMPARISONS; i++)
		if (sdcpg_params_find(object, comparisons[i], &value))
		{
			if (found != SDC_GATE_COMPARISONS)
				wrong(constraint->place, "has more than one bound",
					  "Write two constraints instead.");
			found = i;
			bound = value;
		}
	if (found == SDC_GATE_COMPARISONS)
		wrong(constraint->place, "has no bound",
			  "Write a number under \"<=\", \"<\", \">=\" or \">\".");
	if (bound.type != jbvNumeric)
		wrong(constraint->place, "has a bound that is not a number", NULL);
	constraint->comparison = found;
	constraint->bound = DatumGetFloat8(DirectFunctionCall1(
		numeric_float8_no_overflow, NumericGetDatum(bound.val.numeric)));
	if (!isfinite(constraint->bound))
		wrong(constraint->place, "has a bound that is not finite", NULL);
}

/* What is further said: which stat, method, subject, params. */
static void
read_details(SdcGateConstraint *constraint, Jsonb *object)
{
	JsonbValue value;

	constraint->stat = read_string(object, constraint->place, "stat");
	constraint->method = read_string(object, constraint->place, "method");
	constraint->subject = read_string(object, constraint->place, "subject");
	if (constraint->kind == SDC_GATE_ATTACK && constraint->stat == NULL)
		constraint->stat = pstrdup(sdcpg_gate_stats[0]);
	if (constraint->stat != NULL &&
		!is_listed(sdcpg_gate_stats, constraint->stat))
		wrong(constraint->place,
			  psprintf("has an unknown stat \"%s\"", constraint->stat),
			  known_words(sdcpg_gate_stats, NULL));
	if (!sdcpg_params_find(object, "params", &value))
		return;
	if (value.type != jbvBinary ||
		!JsonContainerIsObject(value.val.binary.data))
		wrong(constraint->place, "has \"params\" that are not an object",
			  NULL);
	constraint->params = JsonbValueToJsonb(&value);
}

/* "attack distance (wm) reid_k <= 0.05" */
static char *
sentence(const SdcGateConstraint *constraint)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "%s %s", kinds[constraint->kind].key,
					 constraint->word);
	if (constraint->method != NULL)
		appendStringInfo(&text, " (%s)", constraint->method);
	if (constraint->stat != NULL)
		appendStringInfo(&text, " %s", constraint->stat);
	if (constraint->subject != NULL)
		appendStringInfo(&text, " of %s", constraint->subject);
	appendStringInfo(&text, " %s %s", comparisons[constraint->comparison],
					 float8out_internal(constraint->bound));
	return text.data;
}

static SdcGateConstraint
read_constraint(JsonbValue *value, int place)
{
	SdcGateConstraint constraint = {0};
	Jsonb *object;

	constraint.place = place;
	if (value->type != jbvBinary ||
		!JsonContainerIsObject(value->val.binary.data))
		wrong(place, "is not an object", NULL);
	object = JsonbValueToJsonb(value);
	constraint.kind = read_kind(object, place);
	check_keys(&constraint, object);
	read_word(&constraint, object);
	read_bound(&constraint, object);
	read_details(&constraint, object);
	constraint.sentence = sentence(&constraint);
	return constraint;
}

SdcGate
sdcpg_gate_read(Jsonb *constraints)
{
	SdcGate gate = {0};
	int i;

	if (constraints == NULL)
		return gate;
	if (!JB_ROOT_IS_ARRAY(constraints) || JB_ROOT_IS_SCALAR(constraints))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"constraints\" must be a JSON array"),
				 errhint("Write [{\"measure\": \"k_anonymity\", \">=\": 5}], "
						 "say.")));
	gate.count = JB_ROOT_COUNT(constraints);
	gate.constraint = palloc(sizeof(SdcGateConstraint) * (gate.count + 1));
	for (i = 0; i < gate.count; i++)
		gate.constraint[i] = read_constraint(
			getIthJsonbValueFromContainer(&constraints->root, i), i + 1);
	return gate;
}
