/*
 * frontier_knob.c
 *		What can be varied in rules: how strong, and which variant.
 *
 * Strength is a positive number that doubles when a mask protects about twice
 * as much: p of a swap, k of microaggregation, the share of values that PRAM
 * changes.  Parameters have three digits, so that rules stay readable.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "pg/call/params.h"
#include "pg/frontier/frontier_knob.h"
#include "pg/frontier/frontier_rules.h"
#include "pg/server/compat.h"

/* How a parameter and its strength go together. */
typedef enum Form
{
	PLAIN,     /* strength = value */
	PLUS_ONE,  /* value + 1: levels of a hierarchy start at 0 */
	REMAINDER, /* 1 - value: a probability to stay */
	INVERSE,   /* 100 / value: a percentage that is kept */
} Form;

/* A parameter that says how strong a mask is; low and high are strengths. */
typedef struct SdcFrontierStrength
{
	SdcMaskKind kind;
	const char *key;
	Form form;
	bool whole; /* are only whole numbers values? */
	double low;
	double high;
} SdcFrontierStrength;

static const SdcFrontierStrength strengths[] = {
	{SDC_MASK_RANK_SWAP, "p", PLAIN, false, 0.1, 100},
	{SDC_MASK_MICROAGGREGATE, "k", PLAIN, true, 2, 1e6},
	{SDC_MASK_ADD_NOISE, "alpha", PLAIN, false, 1e-3, 1e3},
	{SDC_MASK_PRAM, "p", REMAINDER, false, 1e-3, 1},
	{SDC_MASK_ROUND_TO, "base", PLAIN, false, 1e-6, 1e12},
	{SDC_MASK_GENERALIZE, "level", PLUS_ONE, true, 1, 64},
	{SDC_MASK_SUPPRESS, "k", PLAIN, true, 2, 1e6},
	{SDC_MASK_SAMPLE_ROWS, "p", INVERSE, false, 1, 1e3}};

static const char *const swaps[] = {"classic", "buckets", "distribution",
									NULL};
static const char *const laws[] = {"gaussian", "laplace", "uniform", NULL};
static const char *const alone[] = {"optimal", "sorted", NULL};
static const char *const groups[] = {"mdav", "vmdav", "fast", "pca", NULL};

/* The variants of a rule; the first is that of a rule that names none. */
static const char *const *
variants_of(const SdcRule *rule)
{
	switch (rule->method->kind)
	{
		case SDC_MASK_RANK_SWAP:
			return swaps;
		case SDC_MASK_ADD_NOISE:
			return laws;
		case SDC_MASK_MICROAGGREGATE:
			return rule->columns.count == 1 ? alone : groups;
		default:
			return NULL;
	}
}

/* The variant that a rule has; one that is not listed is left alone. */
static void
find_variant(SdcFrontierKnob *knob)
{
	char *word = sdcpg_params_text(knob->rule->params, "variant");
	int i;

	knob->variants = variants_of(knob->rule);
	if (knob->variants == NULL || word == NULL)
		return;
	for (i = 0; knob->variants[i] != NULL; i++)
		if (strcmp(knob->variants[i], word) == 0)
		{
			knob->variant = i;
			return;
		}
	knob->variants = NULL;
}

static void
find_strength(SdcFrontierKnob *knob)
{
	JsonbValue value;
	int i;

	for (i = 0; i < lengthof(strengths); i++)
		if (strengths[i].kind == knob->rule->method->kind &&
			sdcpg_params_find(knob->rule->params, strengths[i].key, &value) &&
			value.type == jbvNumeric)
		{
			knob->strength = &strengths[i];
			knob->value = DatumGetFloat8(
				DirectFunctionCall1(numeric_float8_no_overflow,
									NumericGetDatum(value.val.numeric)));
		}
}

SdcFrontierKnobs
sdcpg_frontier_knobs(Jsonb *rules, const SdcRelation *relation)
{
	SdcRules read = sdcpg_rules_read(rules, relation);
	SdcFrontierKnobs knobs = {rules};
	int i;

	knobs.count = read.count;
	knobs.knob = palloc0(sizeof(SdcFrontierKnob) * (read.count + 1));
	for (i = 0; i < read.count; i++)
	{
		knobs.knob[i].rule = &read.rule[i];
		find_strength(&knobs.knob[i]);
		find_variant(&knobs.knob[i]);
	}
	return knobs;
}

/* The strength of a value, and back: each form is its own inverse but one. */
static double
strength_of(Form form, double value)
{
	switch (form)
	{
		case PLUS_ONE:
			return value + 1;
		case REMAINDER:
			return 1 - value;
		case INVERSE:
			return 100 / value;
		default:
			return value;
	}
}

static double
value_of(Form form, double strength)
{
	return form == PLUS_ONE ? strength - 1 : strength_of(form, strength);
}

/* The parameter, turned; its old value when it cannot be turned further. */
static Jsonb *
turned(const SdcFrontierKnob *knob, int offset)
{
	const SdcFrontierStrength *by = knob->strength;
	double own = strength_of(by->form, knob->value);
	double low = Min(by->low, own);
	double high = Max(by->high, own);
	double strength =
		Max(own, by->low) * exp2((double) offset / SDC_FRONTIER_OCTAVE);
	double value = value_of(by->form, Min(Max(strength, low), high));

	/* what is a whole number in the rule stays one */
	if (by->whole ||
		(by->form == PLAIN && knob->value == rint(knob->value) && value >= 10))
		value = rint(value);
	return DatumGetJsonbP(DirectFunctionCall1(
		jsonb_in,
		CStringGetDatum(psprintf(by->whole ? "%.0f" : "%.3g", value))));
}

/* The parameters of a rule, turned. */
static Jsonb *
turn_rule(const SdcFrontierKnob *knob, int offset, int variant)
{
	Jsonb *params = knob->rule->params;

	if (knob->strength != NULL && offset != 0)
		params = sdcpg_frontier_rules_set(params, knob->strength->key,
										  turned(knob, offset));
	if (knob->variants != NULL && variant != knob->variant)
		params = sdcpg_frontier_rules_set(
			params, "variant",
			DatumGetJsonbP(DirectFunctionCall1(
				jsonb_in, CStringGetDatum(
							  psprintf("\"%s\"", knob->variants[variant])))));
	return params;
}

Jsonb *
sdcpg_frontier_knobs_turn(const SdcFrontierKnobs *knobs, const int *offset,
						  const int *variant)
{
	Jsonb *rules = knobs->rules;
	int i;

	for (i = 0; i < knobs->count; i++)
		rules = sdcpg_frontier_rules_set(
			rules, knobs->knob[i].rule->subject,
			turn_rule(&knobs->knob[i], offset[i], variant[i]));
	return rules;
}
