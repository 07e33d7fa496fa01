/*
 * frontier_search.c
 *		The least lossy rules that satisfy the constraints of a policy.
 *
 * First all rules together are made twice as strong until the constraints
 * hold, or half as strong while they do, and the border between is narrowed
 * down.  Then, while that helps, single rules are weakened as far as the
 * constraints let them, and the variants of each rule are tried, a little
 * stronger where they do not satisfy.  Nothing is taken for granted: what is
 * said to pass was masked and attacked.  It need not be the best there is.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/progress.h"
#include "release/document.h"
#include "release/frontier.h"
#include "topic/mask/rules.h"

/* Offsets in which a rule becomes twice as strong. */
#define SDC_FRONTIER_OCTAVE 8

/* A rule as it is varied. */
typedef struct SdcFrontierKnob
{
	const SdcRule *rule;
	/* of the parameter that says how strong it is; NULL: there is none */
	const SdcMaskStrength *strength;
	double value;  /* of the parameter, in the rule */
	double beside; /* of the one that goes along */
	/* variants, the list ends with NULL; NULL: there are none */
	const char **variants;
	int variant; /* the one of the rule */
} SdcFrontierKnob;

typedef struct SdcFrontierKnobs
{
	Jsonb *rules;
	int count;
	SdcFrontierKnob *knob; /* one for each rule, in the order of SdcRules */
} SdcFrontierKnobs;

/* Candidates of one call at the most. */
#define SDC_FRONTIER_CANDIDATES 1000

static Jsonb *frontier_rules_set(Jsonb *object, const char *key, Jsonb *value);

/* ----------------------------------------------------------------------
 * What can be varied in rules: how strong, and which variant.
 *
 * Strength is a positive number that doubles when a mask protects about twice
 * as much: p of a swap, k of microaggregation, the share of values that PRAM
 * changes.  Parameters have three digits, so that rules stay readable.
 * ----------------------------------------------------------------------
 */

/* The variants of a rule that are tried; the first is the default. */
static const char **
variants_of(const SdcRule *rule)
{
	const char *const *words =
		sdcpg_mask_variants(rule->method, rule->columns.count);
	const char **tried;
	int count = 0;
	int i;

	if (words == NULL || rule->method->traits & SDC_MASK_UNITS)
		return NULL;
	for (i = 0; words[i] != NULL; i++)
		count++;
	tried = palloc0(sizeof(char *) * (count + 1));
	for (count = 0, i = 0; words[i] != NULL; i++)
		if (rule->method->slow == NULL ||
			strcmp(words[i], rule->method->slow) != 0)
			tried[count++] = words[i];
	return tried;
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

/* A number of a rule; false when it has none of that key. */
static bool
find_number(const SdcRule *rule, const char *key, double *number)
{
	JsonbValue value;

	if (key == NULL || !sdcpg_params_find(rule->params, key, &value) ||
		value.type != jbvNumeric)
		return false;
	*number = DatumGetFloat8(DirectFunctionCall1(
		numeric_float8_no_overflow, NumericGetDatum(value.val.numeric)));
	return true;
}

static void
find_strength(SdcFrontierKnob *knob)
{
	const SdcMaskStrength *strength = &knob->rule->method->strength;

	if (!find_number(knob->rule, strength->key, &knob->value))
		return;
	find_number(knob->rule, strength->beside, &knob->beside);
	knob->strength = strength;
}

static SdcFrontierKnobs
frontier_knobs(Jsonb *rules, const SdcRelation *relation)
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
strength_of(SdcMaskForm form, double value)
{
	switch (form)
	{
		case SDC_MASK_PLUS_ONE:
			return value + 1;
		case SDC_MASK_REMAINDER:
			return 100 - value;
		case SDC_MASK_INVERSE:
			return 100 / value;
		default:
			return value;
	}
}

static double
value_of(SdcMaskForm form, double strength)
{
	return form == SDC_MASK_PLUS_ONE ? strength - 1
									 : strength_of(form, strength);
}

/* A parameter, turned, in so few digits that rules stay readable. */
static Jsonb *
readable(double value, bool whole)
{
	return DatumGetJsonbP(DirectFunctionCall1(
		jsonb_in, CStringGetDatum(psprintf(whole ? "%.0f" : "%.3g", value))));
}

/*
 * The parameters of a rule with its strength turned; it keeps its value when
 * it cannot be turned further.
 */
static Jsonb *
turned(const SdcFrontierKnob *knob, int offset)
{
	Jsonb *params = knob->rule->params;
	const SdcMaskStrength *by = knob->strength;
	double own = strength_of(by->form, knob->value);
	double low = Min(by->low, own);
	double high = Max(by->high, own);
	double strength =
		Max(own, by->low) * exp2((double) offset / SDC_FRONTIER_OCTAVE);
	double value = value_of(by->form, Min(Max(strength, low), high));

	/* what is a whole number in the rule stays one */
	bool round =
		by->whole || (by->form == SDC_MASK_PLAIN &&
					  knob->value == rint(knob->value) && value >= 10);

	if (by->beside != NULL)
	{
		double along = knob->beside * value / knob->value;

		params = frontier_rules_set(
			params, by->beside, readable(round ? rint(along) : along, false));
	}
	return frontier_rules_set(
		params, by->key, readable(round ? rint(value) : value, by->whole));
}

/* The parameters of a rule, turned. */
static Jsonb *
turn_rule(const SdcFrontierKnob *knob, int offset, int variant)
{
	Jsonb *params = knob->rule->params;

	if (knob->strength != NULL && offset != 0)
		params = turned(knob, offset);
	if (knob->variants != NULL && variant != knob->variant)
		params = frontier_rules_set(
			params, "variant",
			DatumGetJsonbP(DirectFunctionCall1(
				jsonb_in, CStringGetDatum(
							  psprintf("\"%s\"", knob->variants[variant])))));
	return params;
}

/*
 * The rules with rule i stronger by the factor 2^(offset[i] / OCTAVE), as far
 * as its parameter goes, and of the variant number variant[i].  With offsets 0
 * and the variants of the knobs these are the rules themselves.
 */
static Jsonb *
frontier_knobs_turn(const SdcFrontierKnobs *knobs, const int *offset,
					const int *variant)
{
	Jsonb *rules = knobs->rules;
	int i;

	for (i = 0; i < knobs->count; i++)
		rules = frontier_rules_set(
			rules, knobs->knob[i].rule->subject,
			turn_rule(&knobs->knob[i], offset[i], variant[i]));
	return rules;
}

/* ----------------------------------------------------------------------
 * The argument "rules" of sdc.frontier: several ways to mask a relation.
 *
 * An object whose members have several values each becomes several objects,
 * counted like the wheels of an odometer.  That is done with the parameters of
 * a rule, and then with the rules of a document.
 * ----------------------------------------------------------------------
 */

/* A member of an object and the values it may have (Jsonb *). */
typedef struct Member
{
	char *key;
	List *values;
} Member;

/* May the parameter be a list by itself, with some method? */
static bool
is_list(const char *name)
{
	const SdcMask *mask;
	const SdcKey *key;

	for (mask = sdcpg_mask_next(NULL); mask != NULL;
		 mask = sdcpg_mask_next(mask))
	{
		key = sdcpg_keys_find(mask->keys, name, strlen(name));
		if (key != NULL && key->type == SDC_KEY_NAMES)
			return true;
	}
	return false;
}

pg_noreturn static void
too_many(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("argument \"rules\" has more than %d candidates",
					SDC_FRONTIER_CANDIDATES),
			 errdetail("Arrays of values multiply."),
			 errhint("List the combinations that matter as documents of an "
					 "array.")));
}

pg_noreturn static void
no_value(const char *key)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("\"%s\" in argument \"rules\" is an empty array", key),
			 errdetail("There would be no candidate.")));
}

/* The value of a member as a document. */
static Jsonb *
whole(JsonbValue *value)
{
	return JsonbValueToJsonb(value);
}

/* The elements of an array. */
static List *
elements(Jsonb *array)
{
	List *values = NIL;
	int i;

	for (i = 0; i < JB_ROOT_COUNT(array); i++)
		values = lappend(
			values, whole(getIthJsonbValueFromContainer(&array->root, i)));
	return values;
}

static bool
is_array(Jsonb *value)
{
	return JB_ROOT_IS_ARRAY(value) && !JB_ROOT_IS_SCALAR(value);
}

/* The object that has the value number digit[i] of each member i. */
static Jsonb *
object_of(const Member *member, const int *digit, int count)
{
	StringInfoData document;
	int i;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	for (i = 0; i < count; i++)
		sdcpg_document_jsonb(&document, member[i].key,
							 list_nth(member[i].values, digit[i]));
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* All combinations of the values of members, the last varying fastest. */
static List *
combine(const Member *member, int count)
{
	int *digit = palloc0(sizeof(int) * (count + 1));
	List *objects = NIL;
	int i;

	do
	{
		if (list_length(objects) == SDC_FRONTIER_CANDIDATES)
			too_many();
		objects = lappend(objects, object_of(member, digit, count));
		for (i = count - 1; i >= 0; i--)
		{
			if (++digit[i] < list_length(member[i].values))
				break;
			digit[i] = 0;
		}
	} while (i >= 0);
	return objects;
}

/* How the values of a member are found from what is written there. */
typedef List *(*Expand)(const char *key, Jsonb *value);

/* All objects that an object stands for; anything else is left as it is. */
static List *
expand_object(Jsonb *object, Expand expand)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	Member *member;
	int count = 0;

	if (!JB_ROOT_IS_OBJECT(object))
		return list_make1(object);
	member = palloc(sizeof(Member) * (JB_ROOT_COUNT(object) + 1));
	iterator = JsonbIteratorInit(&object->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token != WJB_KEY)
			continue;
		member[count].key =
			pnstrdup(value.val.string.val, value.val.string.len);
		(void) JsonbIteratorNext(&iterator, &value, true);
		member[count].values = expand(member[count].key, whole(&value));
		if (member[count].values == NIL)
			no_value(member[count].key);
		count++;
	}
	return combine(member, count);
}

static List *
expand_parameter(const char *key, Jsonb *value)
{
	if (!is_array(value) || is_list(key))
		return list_make1(value);
	return elements(value);
}

/* A rule, or an array of them. */
static List *
expand_rule(const char *key, Jsonb *value)
{
	List *rules = NIL;
	ListCell *cell;

	if (!is_array(value))
		return expand_object(value, expand_parameter);
	foreach (cell, elements(value))
	{
		rules =
			list_concat(rules, expand_object(lfirst(cell), expand_parameter));
		if (list_length(rules) > SDC_FRONTIER_CANDIDATES)
			too_many();
	}
	return rules;
}

List *
sdcpg_frontier_expand(Jsonb *rules)
{
	List *candidates = NIL;
	int place = 0;
	ListCell *cell;

	if (!is_array(rules) && !JB_ROOT_IS_OBJECT(rules))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"rules\" must be a JSON object or "
							   "an array of them")));
	if (!is_array(rules))
		return expand_object(rules, expand_rule);
	foreach (cell, elements(rules))
	{
		place++;
		if (!JB_ROOT_IS_OBJECT((Jsonb *) lfirst(cell)))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("element %d of argument \"rules\" is not "
								   "an object",
								   place)));
		candidates =
			list_concat(candidates, expand_object(lfirst(cell), expand_rule));
		if (list_length(candidates) > SDC_FRONTIER_CANDIDATES)
			too_many();
	}
	if (candidates == NIL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"rules\" has no candidate")));
	return candidates;
}

/* Says which candidate an error is about. */
static void
tell_candidate(void *place)
{
	errcontext("candidate %d of argument \"rules\"", *(int *) place);
}

List *
sdcpg_frontier_rules_read(Jsonb *rules, const SdcRelation *relation)
{
	List *candidates = sdcpg_frontier_expand(rules);
	ErrorContextCallback context;
	int place = 0;
	ListCell *cell;

	context.callback = tell_candidate;
	context.arg = &place;
	context.previous = error_context_stack;
	error_context_stack = &context;
	foreach (cell, candidates)
	{
		place++;
		(void) sdcpg_rules_read(lfirst(cell), relation);
	}
	error_context_stack = context.previous;
	return candidates;
}

/* The object with one member exchanged, or added. */
static Jsonb *
frontier_rules_set(Jsonb *object, const char *key, Jsonb *value)
{
	Member member = {(char *) key, list_make1(value)};
	int digit = 0;

	return DatumGetJsonbP(
		DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(object),
							JsonbPGetDatum(object_of(&member, &digit, 1))));
}

/* ----------------------------------------------------------------------
 * The least lossy rules that satisfy the constraints of a policy.
 * ----------------------------------------------------------------------
 */

/* All rules together are made stronger or weaker 2^6 times at the most. */
#define FURTHEST (6 * SDC_FRONTIER_OCTAVE)

/* Where each knob stands. */
typedef struct Setting
{
	int *offset;
	int *variant;
} Setting;

typedef struct Search
{
	SdcPgHost *host;
	SdcFrontier frontier;
	SdcFrontierKnobs knobs;
	TimestampTz end;
	bool spent; /* is the budget? */
	int count;
	SdcFrontierPoint *point[SDC_FRONTIER_CANDIDATES];
	Setting best; /* or, while nothing passes, the strongest */
	const SdcFrontierPoint *best_point; /* NULL: nothing passes */
} Search;

static Setting
new_setting(const Search *search)
{
	Setting setting;
	int i;

	setting.offset = palloc0(sizeof(int) * (search->knobs.count + 1));
	setting.variant = palloc0(sizeof(int) * (search->knobs.count + 1));
	for (i = 0; i < search->knobs.count; i++)
		setting.variant[i] = search->knobs.knob[i].variant;
	return setting;
}

static void
copy_setting(const Search *search, Setting *to, const Setting *from)
{
	memcpy(to->offset, from->offset, sizeof(int) * search->knobs.count);
	memcpy(to->variant, from->variant, sizeof(int) * search->knobs.count);
}

static SdcFrontierPoint *
find_tried(const Search *search, Jsonb *rules)
{
	int i;

	for (i = 0; i < search->count; i++)
		if (sdcpg_params_same(search->point[i]->rules, rules))
			return search->point[i];
	return NULL;
}

/* Looks at the clock; also at how many there are. */
static bool
is_over(Search *search)
{
	if (search->count == SDC_FRONTIER_CANDIDATES ||
		GetCurrentTimestamp() >= search->end)
		search->spent = true;
	return search->spent;
}

/* Measures new rules; NULL when the budget is spent before. */
static SdcFrontierPoint *
measure(Search *search, Jsonb *rules)
{
	SdcFrontierPoint *point;
	bool first = search->count == 0;

	if (!first && is_over(search))
		return NULL;
	point = sdcpg_frontier_point(&search->frontier, search->count + 1, rules);
	while (point->repeats < search->frontier.repeats && point->refusal == NULL)
	{
		if (!first && is_over(search))
			return NULL;
		sdcpg_frontier_repeat(&search->frontier, point);
		search->host->kernel.poll(&search->host->kernel, search->count, 0);
	}
	search->point[search->count++] = point;
	return point;
}

/* Tries a setting, unless the budget is spent: NULL. */
static const SdcFrontierPoint *
try_setting(Search *search, const Setting *setting)
{
	Jsonb *rules =
		frontier_knobs_turn(&search->knobs, setting->offset, setting->variant);
	const SdcFrontierPoint *point = find_tried(search, rules);

	return point != NULL ? point : measure(search, rules);
}

static bool
holds(const SdcFrontierPoint *point)
{
	return point != NULL && sdcpg_frontier_holds(point);
}

/* Keeps a setting when it is better than the best so far; true if so. */
static bool
is_better(Search *search, const Setting *setting,
		  const SdcFrontierPoint *point)
{
	if (!holds(point) || (search->best_point != NULL &&
						  sdcpg_frontier_loss(point) >=
							  sdcpg_frontier_loss(search->best_point)))
		return false;
	search->best_point = point;
	copy_setting(search, &search->best, setting);
	return true;
}

/* Tries all rules with one offset; NULL when the budget is spent. */
static const SdcFrontierPoint *
try_together(Search *search, int offset)
{
	Setting setting = new_setting(search);
	const SdcFrontierPoint *point;
	int i;

	for (i = 0; i < search->knobs.count; i++)
		setting.offset[i] = offset;
	point = try_setting(search, &setting);
	(void) is_better(search, &setting, point);
	if (search->best_point == NULL && point != NULL && point->refusal == NULL)
		copy_setting(search, &search->best, &setting);
	return point;
}

/* Halves what lies between two offsets, one of which holds. */
static void
narrow_between(Search *search, int inside, int outside, bool first)
{
	while (!search->spent && abs(outside - inside) > 1)
	{
		int middle = (inside + outside) / 2;

		if (holds(try_together(search, middle)) == first)
			inside = middle;
		else
			outside = middle;
	}
}

/*
 * All rules together: the border between what holds and what does not.  A step
 * to what cannot be applied is halved.
 */
static void
narrow_together(Search *search)
{
	bool first = holds(try_together(search, 0));
	int step = first ? -SDC_FRONTIER_OCTAVE : SDC_FRONTIER_OCTAVE;
	int inside = 0;

	while (!search->spent && step != 0 && abs(inside) < FURTHEST)
	{
		int before = search->count;
		const SdcFrontierPoint *point = try_together(search, inside + step);

		if (point != NULL && point->refusal != NULL)
			step /= 2;
		else if (holds(point) != first)
		{
			narrow_between(search, inside, inside + step, first);
			break;
		}
		else if (search->count == before)
			break;
		else
			inside += step;
	}
}

/* Weakens one rule as far as the constraints let it; true if that helps. */
static bool
weaken(Search *search, int i)
{
	Setting setting = new_setting(search);
	bool helps = false;
	int step = SDC_FRONTIER_OCTAVE;

	if (search->knobs.knob[i].strength == NULL)
		return false;
	while (step > 0 && !search->spent)
	{
		copy_setting(search, &setting, &search->best);
		setting.offset[i] -= step;
		if (setting.offset[i] >= -FURTHEST &&
			is_better(search, &setting, try_setting(search, &setting)))
			helps = true;
		else
			step /= 2;
	}
	return helps;
}

/* Tries the variants of one rule; true if one helps. */
static bool
vary(Search *search, int i)
{
	const SdcFrontierKnob *knob = &search->knobs.knob[i];
	Setting setting = new_setting(search);
	Setting start = new_setting(search);
	const SdcFrontierPoint *point;
	bool helps = false;
	int variant;
	int step;

	copy_setting(search, &start, &search->best);
	for (variant = 0;
		 knob->variants != NULL && knob->variants[variant] != NULL; variant++)
		for (step = 0; step <= SDC_FRONTIER_OCTAVE &&
					   variant != start.variant[i] && !search->spent;
			 step += SDC_FRONTIER_OCTAVE / 2)
		{
			copy_setting(search, &setting, &start);
			setting.variant[i] = variant;
			setting.offset[i] += step;
			point = try_setting(search, &setting);
			if (is_better(search, &setting, point))
				helps = true;
			if (holds(point) || (point != NULL && point->refusal != NULL))
				break;
		}
	return helps;
}

/* Rule by rule, until nothing helps any more. */
static void
improve(Search *search)
{
	bool helps = true;
	int i;

	while (helps && !search->spent)
	{
		helps = false;
		for (i = 0; search->best_point != NULL && i < search->knobs.count; i++)
			helps |= weaken(search, i);
		for (i = 0; i < search->knobs.count; i++)
			helps |= vary(search, i);
	}
}

static char *
ending(const Search *search, double seconds)
{
	char *why = "nothing better was left to try";

	if (search->spent && search->count < SDC_FRONTIER_CANDIDATES)
		why = psprintf("the budget of %g seconds was spent", seconds);
	else if (search->spent)
		why = "no more are tried in one call";
	return psprintf("One of %d candidates that were tried%s; the search ended "
					"because %s.",
					search->count,
					search->best_point == NULL ? ", none of which passes" : "",
					why);
}

SdcFrontierPoint **
sdcpg_frontier_search(SdcPgHost *host, const char *policy, double seconds,
					  uint64 seed, int *count)
{
	Search *search = palloc0(sizeof(Search));
	double most = 1e9;

	search->host = host;
	search->end = GetCurrentTimestamp() +
				  (TimestampTz) (Min(seconds, most) * USECS_PER_SEC);
	sdcpg_frontier_policy(&search->frontier, policy);
	search->frontier.seed = seed;
	search->knobs = frontier_knobs(search->frontier.policy->rules,
								   search->frontier.of.original);
	search->best = new_setting(search);
	sdcpg_progress_stage(&host->progress, "searching");
	narrow_together(search);
	improve(search);
	sdcpg_frontier_finish(host, search->point, search->count,
						  ending(search, seconds));
	*count = search->count;
	return search->point;
}
