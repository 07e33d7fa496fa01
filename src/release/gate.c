/*
 * gate.c
 *		The argument "constraints": what a masked table must satisfy.
 *
 * A constraint that is misread would let through what it should stop, so every
 * word is looked up when the policy is written, not when it is used.
 */
#include "postgres.h"

#include <math.h>
#include <time.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/regproc.h"
#include "utils/varlena.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/result.h"
#include "release/document.h"
#include "release/gate.h"
#include "release/history.h"
#include "release/policy.h"
#include "release/tied.h"
#include "release/versions.h"
#include "topic/registry/attacks.h"
#include "topic/registry/measures.h"
#include "topic/risk/risk.h"
#include "topic/tabular/tabular_topic.h"
#include "topic/utility/utility.h"

const char *const sdcpg_gate_comparisons[] = {"<=", "<", ">=", ">", NULL};

static const char *const measure_keys[] = {"subject", "params", NULL};
static const char *const attack_keys[] = {"stat", "variant", "params", NULL};
static const char *const disclosure_keys[] = {"subject", NULL};
static const char *const table_keys[] = {NULL};

/*
 * The kinds: their key, the other keys, the measures (of attacks: none), and
 * the keys of params of their report (of attacks: see their rows).
 */
static const struct
{
	const char *key;
	const char *const *keys;
	SdcMeasureKind measures;
	const SdcKey *params;
} kinds[SDC_GATE_KINDS] = {
	[SDC_GATE_MEASURE] = {"measure", measure_keys, SDC_MEASURE_RISK,
						  sdcpg_risk_params},
	[SDC_GATE_ATTACK] = {"attack", attack_keys},
	[SDC_GATE_DISCLOSURE] = {"disclosure", disclosure_keys,
							 SDC_MEASURE_DISCLOSURE},
	[SDC_GATE_UTILITY] = {"utility", measure_keys, SDC_MEASURE_UTILITY,
						  sdcpg_utility_params},
	[SDC_GATE_TABLE] = {"table", table_keys, SDC_MEASURE_TABLE}};

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
		if (strcmp(sdcpg_gate_comparisons[i], key) == 0)
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

/* The words of a list as a sentence: "Known are k_map, marketer." */
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
			  "Write \"measure\", \"attack\", \"disclosure\", \"utility\" or "
			  "\"table\".");
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
	bool attack = constraint->kind == SDC_GATE_ATTACK;
	const char *const *words =
		attack ? sdcpg_attack_names()
			   : sdcpg_measure_words(kinds[constraint->kind].measures);
	const char *key = kinds[constraint->kind].key;

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
		if (sdcpg_params_find(object, sdcpg_gate_comparisons[i], &value))
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

/*
 * A bound of a share that all or no figures keep is a mistake: whoever writes
 * 5 for 5 % would have a gate that is always open.
 */
static void
check_bound(const SdcGateConstraint *constraint)
{
	if (constraint->kind == SDC_GATE_UTILITY ||
		(constraint->measure != NULL &&
		 constraint->measure->unit != SDC_UNIT_SHARE))
		return;
	if (constraint->bound < 0 || constraint->bound > 1)
		wrong(constraint->place,
			  psprintf("bounds a share by %g", constraint->bound),
			  "Shares are between 0 and 1: for 5 % write 0.05.");
}

/* What is further said: which stat, variant, subject, params. */
static void
read_details(SdcGateConstraint *constraint, Jsonb *object)
{
	JsonbValue value;

	constraint->stat = read_string(object, constraint->place, "stat");
	constraint->method = read_string(object, constraint->place, "variant");
	constraint->subject = read_string(object, constraint->place, "subject");
	if (!sdcpg_params_find(object, "params", &value))
		return;
	if (value.type != jbvBinary ||
		!JsonContainerIsObject(value.val.binary.data))
		wrong(constraint->place, "has \"params\" that are not an object",
			  NULL);
	constraint->params = JsonbValueToJsonb(&value);
}

/* Says which constraint an error is about. */
static void
tell_place(void *place)
{
	errcontext("constraint %d in argument \"constraints\"", *(int *) place);
}

/* Which measure is meant, and whether its report knows the params. */
static void
read_measure(SdcGateConstraint *constraint)
{
	constraint->measure =
		sdcpg_measure_find(kinds[constraint->kind].measures, constraint->word);
	if (constraint->params != NULL)
		sdcpg_params_check_keys(constraint->params,
								kinds[constraint->kind].params);
}

/* Checks the words for an attack, or for each of those that "worst" is of. */
static void
check_attack(const SdcGateConstraint *constraint)
{
	const SdcAttack *const *row;

	if (constraint->attack != NULL)
	{
		sdcpg_attack_check(constraint->attack, constraint->method,
						   constraint->params);
		return;
	}
	if (constraint->method != NULL)
		wrong(constraint->place, "has a variant, but no attack to have it",
			  "Write it beside the name of an attack.");
	sdcpg_params_check(constraint->params, sdcpg_attack_names());
	for (row = sdcpg_attacks; *row != NULL; row++)
		if (sdcpg_params_has(constraint->params, (*row)->name))
			sdcpg_attack_check(
				*row, NULL,
				sdcpg_params_object(constraint->params, (*row)->name));
}

/* Which attack is meant, and which of its figures. */
static void
read_attack(SdcGateConstraint *constraint)
{
	constraint->attack = sdcpg_attack_find(constraint->word);
	if (constraint->stat == NULL)
		constraint->stat = pstrdup(sdcpg_attack_stats[SDC_STAT_FOUND]);
	constraint->figure = sdcpg_attack_stat_find(constraint->stat);
	if (constraint->figure == SDC_ATTACK_STATS)
		wrong(constraint->place,
			  psprintf("has an unknown stat \"%s\"", constraint->stat),
			  known_words(sdcpg_attack_stats, "certain"));
	if (constraint->comparison == SDC_GATE_AT_LEAST ||
		constraint->comparison == SDC_GATE_MORE)
		wrong(constraint->place,
			  psprintf("bounds what attack \"%s\" finds from below",
					   constraint->word),
			  "Write \"<=\": the less an attack finds, the better.");
	check_attack(constraint);
}

/* "attack distance (wm) found <= 0.05" */
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
	appendStringInfo(&text, " %s %s",
					 sdcpg_gate_comparisons[constraint->comparison],
					 float8out_internal(constraint->bound));
	return text.data;
}

static SdcGateConstraint
read_constraint(JsonbValue *value, int place)
{
	SdcGateConstraint constraint = {0};
	ErrorContextCallback context = {error_context_stack, tell_place,
									&constraint.place};
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
	error_context_stack = &context;
	if (constraint.kind == SDC_GATE_ATTACK)
		read_attack(&constraint);
	else
		read_measure(&constraint);
	error_context_stack = context.previous;
	check_bound(&constraint);
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

/* Does a constraint keep a risk back? */
static bool
bounds_risk(const SdcGateConstraint *constraint)
{
	bool upper = constraint->comparison == SDC_GATE_AT_MOST ||
				 constraint->comparison == SDC_GATE_LESS;

	if (constraint->kind == SDC_GATE_UTILITY)
		return false;
	return constraint->measure == NULL ||
		   constraint->measure->better ==
			   (upper ? SDC_BETTER_LESS : SDC_BETTER_MORE);
}

int
sdcpg_gate_risks(const SdcGate *gate)
{
	int count = 0;
	int i;

	for (i = 0; i < gate->count; i++)
		count += bounds_risk(&gate->constraint[i]);
	return count;
}

/* The columns that params of the constraint on an attack name. */
static void
check_attack_columns(const SdcGateConstraint *constraint,
					 const SdcRelation *relation,
					 const SdcRelationColumns *keys)
{
	const SdcAttack *const *row;

	if (constraint->attack != NULL)
	{
		sdcpg_attack_check_columns(constraint->attack, constraint->method,
								   constraint->params, relation, keys);
		return;
	}
	for (row = sdcpg_attacks; *row != NULL; row++)
		if (sdcpg_params_has(constraint->params, (*row)->name))
			sdcpg_attack_check_columns(
				*row, NULL,
				sdcpg_params_object(constraint->params, (*row)->name),
				relation, keys);
}

/* Is it a column, or a list of them, as reports write it? */
static bool
is_subject(const SdcRelation *relation, const char *subject)
{
	StringInfoData list;
	List *names;
	ListCell *cell;

	initStringInfo(&list);
	if (!SplitIdentifierString(pstrdup(subject), ',', &names))
		return false;
	foreach (cell, names)
	{
		if (get_attnum(relation->oid, lfirst(cell)) <= 0)
			return false;
		appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "",
						 quote_identifier(lfirst(cell)));
	}
	return strcmp(list.data, subject) == 0;
}

/* What a line of a report is about. */
static void
check_subject(const SdcGateConstraint *constraint, const SdcRelation *relation)
{
	if (constraint->subject == NULL ||
		strcmp(constraint->subject, SDC_ALL_COLUMNS) == 0 ||
		is_subject(relation, constraint->subject))
		return;
	wrong(constraint->place,
		  psprintf("has an unknown subject \"%s\"", constraint->subject),
		  psprintf("Lines of reports are about a column, about all keys "
				   "(\"%s\", for example), or about \"%s\".",
				   "age, sex", SDC_ALL_COLUMNS));
}

void
sdcpg_gate_check_columns(const SdcGate *gate, const SdcRelation *relation,
						 const SdcRelationColumns *keys)
{
	ErrorContextCallback context = {error_context_stack, tell_place, NULL};
	int i;

	for (i = 0; i < gate->count; i++)
		check_subject(&gate->constraint[i], relation);
	error_context_stack = &context;
	for (i = 0; i < gate->count; i++)
	{
		const SdcGateConstraint *constraint = &gate->constraint[i];

		context.arg = (void *) &constraint->place;
		if (constraint->kind == SDC_GATE_ATTACK)
			check_attack_columns(constraint, relation, keys);
		else if (kinds[constraint->kind].params != NULL)
		{
			const SdcKey *known = kinds[constraint->kind].params;
			const char *place = "argument \"params\"";

			sdcpg_keys_check_columns(constraint->params, known, relation, NULL,
									 place);
			sdcpg_keys_check_names(constraint->params, known, place);
		}
	}
	error_context_stack = context.previous;
}

/* ----------------------------------------------------------------------
 * What a policy says of a table, set against its masked form.
 * ----------------------------------------------------------------------
 */

static const char *const params_keys[] = {"relation", "seed", NULL};

const SdcPolicyRelation *
sdcpg_gate_case_choose(const SdcPolicy *policy, Jsonb *params)
{
	char *name;
	Oid oid;
	int i;

	sdcpg_params_check(params, params_keys);
	name = sdcpg_params_text(params, "relation");
	if (name == NULL && policy->count == 1)
		return &policy->relation[0];
	if (name == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("policy \"%s\" is not for one table only",
							   policy->name),
						errhint("Name the table that was masked: params => "
								"'{\"relation\": \"schema.table\"}'.")));
	oid = sdcpg_relation_oid(name);
	for (i = 0; i < policy->count; i++)
		if (policy->relation[i].oid == oid)
			return &policy->relation[i];
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("policy \"%s\" is not for relation \"%s\"",
						   policy->name, get_rel_name(oid))));
}

/* Is a column given pseudonyms or fakes, which lie as far off as names? */
static bool
has_pseudonyms(const SdcRules *rules, const SdcRelation *original,
			   const char *name)
{
	const SdcRule *rule =
		sdcpg_rules_of(rules, get_attnum(original->oid, name));

	return rule != NULL && (rule->method->traits & SDC_MASK_KEYED) != 0;
}

/*
 * The columns that are published with values whose loss can be told, as
 * name[]; NULL for none.  The id is not among them, nor are pseudonyms and
 * what is withheld: neither can be nearer or farther.
 */
static ArrayType *
compared_columns(const SdcGateCase *of, const SdcPolicyRelation *relation)
{
	List *published = of->published;
	List *blank = sdcpg_published_blank(relation, of->original, published);
	SdcRules rules = sdcpg_rules_read(relation->rules, of->original);
	SdcRelationColumns columns = {0};
	ListCell *cell;

	columns.column =
		palloc(sizeof(SdcRelationColumn) * (list_length(published) + 1));
	foreach (cell, published)
		if ((of->id == NULL || strcmp(of->id, lfirst(cell)) != 0) &&
			!sdcpg_params_is_listed(blank, lfirst(cell)) &&
			!has_pseudonyms(&rules, of->original, lfirst(cell)))
			columns.column[columns.count++] =
				sdcpg_relation_column(of->masked, lfirst(cell));
	return sdcpg_policy_names(&columns);
}

SdcGateCase *
sdcpg_gate_case(const SdcPolicyRelation *relation, Oid masked)
{
	SdcGateCase *of = palloc0(sizeof(SdcGateCase));
	SdcPolicyParams params;

	of->original = sdcpg_relation_find(relation->oid);
	of->masked = sdcpg_relation_find(masked);
	params = sdcpg_policy_params_read(relation->params, of->original);
	of->attacks = params.attacks;
	of->unattacked = sdcpg_policy_attacks_none(relation->params);
	of->tied = palloc0(sizeof(SdcTied));
	of->protect = params.protect;
	if (of->protect != NULL)
		return of;
	of->id = params.id == NULL ? NULL : params.id->name;
	of->keys = sdcpg_policy_names(&params.keys);
	of->sensitive = sdcpg_policy_names(&params.sensitive);
	of->published =
		sdcpg_published_columns(relation, &params, of->original, of->masked);
	of->columns = compared_columns(of, relation);
	of->rules = relation->rules;
	of->p = params.p;
	return of;
}

void
sdcpg_gate_case_seed(SdcGateCase *of, Jsonb *params)
{
	JsonbValue value;

	of->seeded = sdcpg_params_find(params, "seed", &value);
	if (of->seeded)
		of->seed = sdcpg_params_integer(params, "seed", 0, -((int64) 1 << 53),
										(int64) 1 << 53);
}

/* ----------------------------------------------------------------------
 * What is known of a masked table: reports of risk and utility.
 * ----------------------------------------------------------------------
 */

/*
 * The reports.  Parameters: $1 masked (or original), $2 original, $3 id, $4
 * keys, $5 sensitive, $6 measures, $7 params, $8 p, $9 rules, $10 seed, $11
 * columns.
 */
static const char *const reports[SDC_GATE_KINDS] = {
	"sdc.risk_report(relation => $1, keys => $4, sensitive => $5,"
	" measures => $6, params => $7)",
	NULL,
	"sdc.disclosure_report(original => $2, masked => $1, id => $3,"
	" keys => $4, sensitive => $5, rules => $9, p => $8, measures => $6,"
	" seed => $10)",
	"sdc.utility_report(original => $2, masked => $1, id => $3,"
	" columns => $11, measures => $6, params => $7, seed => $10)",
	"sdc.table_report(relation => $1, keys => $12, value => $13,"
	" params => $7)"};

/* The parameters of the reports, but for methods and params. */
static void
bind_case(SdcCatalogParameters *parameters, const SdcGateCase *of,
		  const SdcEvidenceReport *report, ArrayType *methods)
{
	Oid rel = report->original ? of->original->oid : of->masked->oid;
	/* synthetic records have no id of the original's */
	bool no_id = of->id == NULL ||
				 get_attnum(of->masked->oid, of->id) == InvalidAttrNumber;
	Datum id =
		no_id ? 0 : DirectFunctionCall1(namein, CStringGetDatum(of->id));

	sdcpg_catalog_bind(parameters, REGCLASSOID, ObjectIdGetDatum(rel), false);
	sdcpg_catalog_bind(parameters, REGCLASSOID,
					   ObjectIdGetDatum(of->original->oid), false);
	sdcpg_catalog_bind(parameters, NAMEOID, id, no_id);
	sdcpg_catalog_bind(parameters, NAMEARRAYOID, PointerGetDatum(of->keys),
					   of->keys == NULL);
	sdcpg_catalog_bind(parameters, NAMEARRAYOID,
					   PointerGetDatum(of->sensitive), of->sensitive == NULL);
	sdcpg_catalog_bind(parameters, TEXTARRAYOID, PointerGetDatum(methods),
					   methods == NULL);
	sdcpg_catalog_bind(parameters, JSONBOID, PointerGetDatum(report->params),
					   report->params == NULL);
	sdcpg_catalog_bind(parameters, FLOAT8OID, Float8GetDatum(of->p), false);
	sdcpg_catalog_bind(parameters, JSONBOID, PointerGetDatum(of->rules),
					   of->rules == NULL);
	sdcpg_catalog_bind(parameters, INT8OID, Int64GetDatum(of->seed),
					   !of->seeded);
	sdcpg_catalog_bind(parameters, NAMEARRAYOID, PointerGetDatum(of->columns),
					   of->columns == NULL);
}

/* A list of names as text[]. */
static ArrayType *
text_array(const char *const *names)
{
	Datum *element;
	int count = 0;

	while (names[count] != NULL)
		count++;
	element = palloc(sizeof(Datum) * (count + 1));
	for (count = 0; names[count] != NULL; count++)
		element[count] = CStringGetTextDatum(names[count]);
	return construct_array(element, count, TEXTOID, -1, false, TYPALIGN_INT);
}

/* What to ask a report for: one measure; of disclosure no attack. */
static ArrayType *
asked_measures(const SdcEvidenceReport *report)
{
	const SdcMeasure *measure = report->measure;
	const char *one[2] = {NULL};

	if (measure != NULL)
	{
		one[0] = measure->asked != NULL ? measure->asked : measure->name;
		return text_array(one);
	}
	return report->kind == SDC_GATE_DISCLOSURE
			   ? text_array(sdcpg_measure_words(SDC_MEASURE_DISCLOSURE))
			   : NULL;
}

static char *
text_value(const SdcCatalogRows *rows, int64 row, int column)
{
	return rows->isnull[row][column]
			   ? NULL
			   : TextDatumGetCString(rows->value[row][column]);
}

/*
 * Reads a report whose figures are not rounded: they decide.  Of the usual
 * measures of risk the sizes of the classes come with it.
 */
static SdcCatalogRows *
read_exactly(const char *sql, const SdcCatalogParameters *parameters,
			 SdcClassSizes *sizes, const SdcFrequencyTally *tally)
{
	bool exact = sdcpg_result_exact;
	SdcCatalogRows *rows = NULL;

	sdcpg_result_exact = true;
	sdcpg_risk_wants_sizes = sizes;
	sdcpg_frequency_tallied = tally;
	PG_TRY();
	{
		rows = sdcpg_catalog_read(sql, parameters);
	}
	PG_FINALLY();
	{
		sdcpg_result_exact = exact;
		sdcpg_risk_wants_sizes = NULL;
		sdcpg_frequency_tallied = NULL;
	}
	PG_END_TRY();
	return rows;
}

static void
make_report(const SdcGateCase *of, SdcEvidenceReport *report)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int i;

	if (report->kind == SDC_GATE_TABLE)
		report->params = sdcpg_gate_table_known(of);
	bind_case(&parameters, of, report, asked_measures(report));
	sdcpg_gate_table_bind(&parameters, of);
	report->sizes.count = -1;
	report->sizes.memory = CurrentMemoryContext;
	rows = read_exactly(
		psprintf("SELECT m.measure, m.subject, m.value, m.detail FROM %s AS m",
				 reports[report->kind]),
		&parameters,
		report->kind == SDC_GATE_MEASURE && report->measure == NULL &&
				report->params == NULL
			? &report->sizes
			: NULL,
		of->tally);
	report->count = rows->count;
	report->line = palloc(sizeof(SdcEvidenceLine) * (rows->count + 1));
	for (i = 0; i < rows->count; i++)
	{
		SdcEvidenceLine *line = &report->line[i];

		line->measure = text_value(rows, i, 0);
		line->subject = text_value(rows, i, 1);
		line->value =
			rows->isnull[i][2] ? NAN : DatumGetFloat8(rows->value[i][2]);
		line->detail = text_value(rows, i, 3);
	}
}

static bool
is_same(const SdcEvidenceReport *report, SdcGateKind kind,
		const SdcMeasure *measure, Jsonb *params, bool original)
{
	if (kind == SDC_GATE_TABLE)
		return report->kind == kind;
	return report->kind == kind && report->original == original &&
		   report->measure == measure &&
		   sdcpg_params_same(report->params, params);
}

const SdcEvidenceReport *
sdcpg_evidence_report(SdcEvidence *evidence, SdcGateKind kind,
					  const SdcMeasure *measure, Jsonb *params, bool original)
{
	SdcEvidenceReport *report;
	ListCell *cell;

	foreach (cell, evidence->reports)
		if (is_same(lfirst(cell), kind, measure, params, original))
			return lfirst(cell);
	report = palloc0(sizeof(SdcEvidenceReport));
	report->kind = kind;
	report->measure = measure;
	report->params = params;
	report->original = original;
	if (kind == SDC_GATE_UTILITY)
		sdcpg_evidence_need_function("utility_report");
	make_report(evidence->of, report);
	evidence->reports = lappend(evidence->reports, report);
	return report;
}

/* ----------------------------------------------------------------------
 * What is known of a masked table: attacks run, reports made.
 *
 * The intruder is given all keys of the whole original, and the rules by which
 * it was masked; what the columns tell that he is not given stands in the
 * report (measure_beside).
 * ----------------------------------------------------------------------
 */

void
sdcpg_evidence_need_function(const char *name)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind_text(&parameters, name);
	rows = sdcpg_catalog_read(
		"SELECT 1 FROM pg_catalog.pg_proc AS p"
		" JOIN pg_catalog.pg_namespace AS n"
		" ON n.oid OPERATOR(pg_catalog.=) p.pronamespace"
		" WHERE n.nspname OPERATOR(pg_catalog.=) 'sdc'::pg_catalog.name"
		" AND p.proname OPERATOR(pg_catalog.=) $1::pg_catalog.name LIMIT 1",
		&parameters);
	if (rows->count == 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("function sdc.%s does not exist", name),
						errdetail("The policy needs it, and what "
								  "cannot be measured cannot be released.")));
}

/* The case as an attack sees it. */
static SdcAttackCase
attack_case(const SdcGateCase *of, const char *method, Jsonb *params)
{
	return (SdcAttackCase){.original = of->original,
						   .masked = of->masked,
						   .id = of->id,
						   .keys = of->keys,
						   .sensitive = of->sensitive,
						   .rules = of->rules,
						   .p = of->p,
						   .seeded = of->seeded,
						   .seed = of->seed,
						   .method = method,
						   .params = params,
						   .published = of->published,
						   .joined = of->joined,
						   .changes = of->changes};
}

/* Looks for people among the synthetic records of all versions as well. */
static void
attack_pool(const SdcGateCase *of, const SdcAttackCase *alone,
			SdcEvidenceAttack *run)
{
	SdcAttackCase seen = *alone;
	SdcAttackOutcome outcome = {0};

	seen.masked = of->pool;
	sdcpg_attack_run(run->attack, &seen, &outcome);
	if (outcome.reason != NULL ||
		outcome.upper[SDC_STAT_FOUND] > run->outcome.upper[SDC_STAT_FOUND])
		run->outcome = outcome;
	run->outcome.parts =
		psprintf("%s%sIt was run on these records, and on those of the %lld "
				 "versions that are kept together; the worse counts.",
				 run->outcome.parts == NULL ? "" : run->outcome.parts,
				 run->outcome.parts == NULL ? "" : " ", (long long) of->draws);
}

/* Runs an attack on this release; who asks for DEBUG1 is told what it cost. */
static void
run_attack(const SdcEvidence *evidence, SdcEvidenceAttack *run)
{
	clock_t begun = clock();
	SdcAttackCase seen = attack_case(evidence->of, run->method, run->params);

	sdcpg_published_name_people(run->attack, &seen);
	if (run->attack->over_time && evidence->of->versions != NULL)
		seen.versions =
			sdcpg_versions_show(evidence->of->versions, evidence->of);
	sdcpg_attack_run(run->attack, &seen, &run->outcome);
	sdcpg_tied_attack(evidence->of, run->attack, &seen, &run->outcome);
	if (seen.versions != NULL)
		sdcpg_versions_tell(evidence->of->versions, &run->outcome);
	if (run->attack->of_records && evidence->of->pool != NULL &&
		run->outcome.reason == NULL)
		attack_pool(evidence->of, &seen, run);
	run->carried = false;
	ereport(DEBUG1, (errmsg_internal(
						"attack \"%s\" took %.3f s of CPU", run->attack->name,
						(double) (clock() - begun) / CLOCKS_PER_SEC)));
}

const SdcEvidenceAttack *
sdcpg_evidence_attack(SdcEvidence *evidence, const SdcAttack *attack,
					  const char *method, Jsonb *params)
{
	SdcEvidenceAttack *run;
	ListCell *cell;

	if (method != NULL && sdcpg_params_same_word(method, attack->method))
		method = NULL;
	foreach (cell, evidence->attacks)
	{
		run = lfirst(cell);
		if (run->attack == attack &&
			sdcpg_params_same_word(run->method, method) &&
			sdcpg_params_same(run->params, params))
			return run;
	}
	run = palloc0(sizeof(SdcEvidenceAttack));
	run->attack = attack;
	run->method = method == NULL ? NULL : pstrdup(method);
	run->params = params;
	run->carried = sdcpg_versions_carried(evidence->of, attack, method, params,
										  &run->outcome);
	if (!run->carried)
		run_attack(evidence, run);
	evidence->attacks = lappend(evidence->attacks, run);
	return run;
}

const SdcEvidenceAttack *
sdcpg_evidence_strongest(const SdcEvidence *evidence)
{
	const SdcEvidenceAttack *strongest = NULL;
	ListCell *cell;

	foreach (cell, evidence->attacks)
	{
		const SdcEvidenceAttack *run = lfirst(cell);
		double found = run->outcome.stat[SDC_STAT_FOUND];

		if (run->outcome.reason != NULL || isnan(found) ||
			run->attack->over_time || run->attack->of_changes)
			continue;
		if (strongest == NULL ||
			found > strongest->outcome.stat[SDC_STAT_FOUND])
			strongest = run;
	}
	return strongest;
}

/* params with a share of the work that they allow, if they say any. */
static Jsonb *
share_work(Jsonb *params, double share)
{
	int64 work;

	if (!sdcpg_params_has(params, "work"))
		return params;
	work = sdcpg_params_integer(params, "work", 0, 1, PG_INT64_MAX / 2);
	return DatumGetJsonbP(DirectFunctionCall2(
		jsonb_concat, JsonbPGetDatum(params),
		DirectFunctionCall1(
			jsonb_in, CStringGetDatum(psprintf(
						  "{\"work\": %.0f}", Max(1, floor(work * share)))))));
}

void
sdcpg_evidence_knowing(const SdcEvidence *evidence,
					   const SdcEvidenceAttack *run, ArrayType *keys,
					   ArrayType *sensitive, double share,
					   SdcAttackOutcome *outcome)
{
	SdcAttackCase seen =
		attack_case(evidence->of, run->method, share_work(run->params, share));
	SdcAttack part = *run->attack;

	if (keys != NULL)
		seen.keys = keys;
	if (sensitive != NULL)
		seen.sensitive = sensitive;
	part.budget *= share;
	sdcpg_attack_run(&part, &seen, outcome);
}

/* ----------------------------------------------------------------------
 * Constraints are evaluated: a value, its bound, and what follows.
 *
 * Of several lines with the same name, those of different columns, the worst
 * one counts.  A value that is missing is worse than any other.
 * ----------------------------------------------------------------------
 */

bool
sdcpg_gate_holds(SdcGateComparison comparison, double value, double bound)
{
	/* shares are sums that were rounded: 0.1 may come out a little larger */
	double slack = 1e-9 * fabs(bound);

	switch (comparison)
	{
		case SDC_GATE_AT_MOST:
			return value <= bound + slack;
		case SDC_GATE_LESS:
			return value < bound;
		case SDC_GATE_AT_LEAST:
			return value >= bound - slack;
		default:
			return value > bound;
	}
}

/*
 * Is what is carried over so far from its bound that it counts?  What it may
 * have become is an estimate, as one change may tell many people apart: where
 * something changed, twice as much would have to hold.
 */
static bool
is_far(const SdcGateConstraint *constraint, const SdcAttackOutcome *outcome)
{
	double upper = outcome->upper[constraint->figure];
	bool changed = upper > outcome->stat[constraint->figure];

	return sdcpg_gate_holds(constraint->comparison,
							changed && constraint->bound < 1 ? 2 * upper
															 : upper,
							constraint->bound);
}

/*
 * An attack for a figure that a constraint bounds: what is carried over counts
 * only where that is far from the bound.
 */
static const SdcEvidenceAttack *
attack_for(SdcEvidence *evidence, const SdcGateConstraint *constraint,
		   const SdcAttack *attack, const char *method, Jsonb *params)
{
	SdcEvidenceAttack *run =
		unconstify(SdcEvidenceAttack *,
				   sdcpg_evidence_attack(evidence, attack, method, params));
	bool bounded = constraint->comparison == SDC_GATE_AT_MOST ||
				   constraint->comparison == SDC_GATE_LESS;

	if (run->carried &&
		(!bounded || constraint->figure == SDC_STAT_CLAIM_PRECISION ||
		 (!isnan(run->outcome.upper[constraint->figure]) &&
		  !is_far(constraint, &run->outcome))))
		run_attack(evidence, run);
	return run;
}

static char *
run_sentence(const SdcEvidenceAttack *run)
{
	return sdcpg_attack_sentence(run->attack, run->method, &run->outcome);
}

static void
evaluate_attack(SdcGateResult *result, SdcEvidence *evidence)
{
	const SdcGateConstraint *constraint = result->constraint;
	const SdcEvidenceAttack *run =
		attack_for(evidence, constraint, constraint->attack,
				   constraint->method, constraint->params);

	if (run->outcome.reason == NULL)
		result->value = run->outcome.upper[constraint->figure];
	result->detail = run_sentence(run);
}

/* Is it one of those that "worst" is of, by the case or by its params? */
static bool
is_asked(const SdcGateConstraint *constraint, const SdcEvidence *evidence,
		 const SdcAttack *attack)
{
	return sdcpg_attack_is_chosen(attack, evidence->of->attacks) ||
		   (evidence->of->attacks == NULL &&
			sdcpg_attack_is_of_events(attack, evidence->of->original)) ||
		   sdcpg_gate_looks_back(evidence->of, attack) ||
		   sdcpg_params_has(constraint->params, attack->name);
}

/*
 * The largest of all attacks that can be run; those that cannot are named.  If
 * one of these is asked for by its params, there is no value: params that the
 * attack cannot use must not make it one that nobody tries.  Attacks without
 * links have one figure, and no say in the others.  A figure of links without
 * a value in one of them has none.
 */
static void
evaluate_worst(SdcGateResult *result, SdcEvidence *evidence)
{
	const SdcGateConstraint *constraint = result->constraint;
	SdcAttackStat figure = constraint->figure;
	const SdcEvidenceAttack *worst = NULL;
	StringInfoData left_out;
	const SdcAttack *const *row;
	bool lacking = false;

	initStringInfo(&left_out);
	for (row = sdcpg_attacks; *row != NULL; row++)
	{
		const SdcEvidenceAttack *run;

		if (!is_asked(constraint, evidence, *row))
			continue;
		run =
			attack_for(evidence, constraint, *row, NULL,
					   sdcpg_params_object(constraint->params, (*row)->name));
		if (run->outcome.reason != NULL)
		{
			appendStringInfo(&left_out, " %s", run_sentence(run));
			lacking =
				lacking || sdcpg_params_has(constraint->params, (*row)->name);
		}
		else if ((run->outcome.linked || figure == SDC_STAT_FOUND) &&
				 (worst == NULL ||
				  sdcpg_gate_is_worse(constraint->comparison,
									  run->outcome.upper[figure],
									  worst->outcome.upper[figure])))
			worst = run;
	}
	if (worst != NULL && !lacking)
		result->value = worst->outcome.upper[figure];
	result->detail = psprintf(
		"%s%s%s%s",
		lacking ? "An attack that params asks for cannot be run. " : "",
		worst != NULL ? "The worst one counts. " : "No attack can be run.",
		worst != NULL ? run_sentence(worst) : "", left_out.data);
}

/* Why a figure cannot be found for what is released, or NULL. */
static const char *
lacking_for(const SdcGateConstraint *constraint, const SdcGateCase *of)
{
	bool cells = of->protect != NULL;

	if (cells != (constraint->kind == SDC_GATE_TABLE))
		return cells ? "It is a table of cells, which has no records."
					 : "The policy has no params.protect.";
	if (cells && of->lacks != NULL &&
		(strcmp(constraint->word, "small_changes") == 0 ||
		 strcmp(constraint->word, "exact_together") == 0))
		return of->lacks;
	return NULL;
}

/*
 * The line of a constraint that is worst in a report; NULL: it has no such
 * line.
 */
static const SdcEvidenceLine *
worst_line(const SdcGateConstraint *constraint,
		   const SdcEvidenceReport *report)
{
	const SdcEvidenceLine *worst = NULL;
	int i;

	for (i = 0; i < report->count; i++)
	{
		const SdcEvidenceLine *line = &report->line[i];

		if (strcmp(line->measure, constraint->word) != 0 ||
			(constraint->subject != NULL &&
			 (line->subject == NULL ||
			  strcmp(line->subject, constraint->subject) != 0)))
			continue;
		if (worst == NULL || sdcpg_gate_is_worse(constraint->comparison,
												 line->value, worst->value))
			worst = line;
	}
	return worst;
}

/*
 * The line that judges a constraint: of the report that the release makes
 * anyway where it is there, else of one that is made for it.
 */
static const SdcEvidenceLine *
line_of(const SdcGateConstraint *constraint, SdcEvidence *evidence)
{
	const SdcMeasure *measure = constraint->measure;
	const SdcEvidenceLine *line = NULL;

	if (measure != NULL && measure->asked != NULL)
		measure = sdcpg_measure_find(measure->kind, measure->asked);
	if (evidence->whole && measure != NULL && measure->usual &&
		constraint->params == NULL &&
		sdcpg_evidence_reports(evidence->of, constraint->kind))
		line = worst_line(constraint,
						  sdcpg_evidence_report(evidence, constraint->kind,
												NULL, NULL, false));
	return line != NULL
			   ? line
			   : worst_line(constraint,
							sdcpg_evidence_report(evidence, constraint->kind,
												  constraint->measure,
												  constraint->params, false));
}

static void
evaluate_report(SdcGateResult *result, SdcEvidence *evidence)
{
	const SdcGateConstraint *constraint = result->constraint;
	const SdcEvidenceLine *worst;
	const char *lacks = lacking_for(constraint, evidence->of);

	if (lacks != NULL)
	{
		result->detail = pstrdup(lacks);
		return;
	}
	worst = line_of(constraint, evidence);
	if (worst != NULL)
		result->value = worst->value;
	result->detail = worst == NULL || worst->detail == NULL
						 ? "The report has no such line."
						 : worst->detail;
	if (evidence->of->beside != NULL)
		result->detail =
			psprintf("%s%s", result->detail, evidence->of->beside);
}

/* What rounding and chance may add to what one version shows. */
#define SEQUENCE_SLACK 0.015

/*
 * The largest upper bound on finding persons, by one version or by several;
 * NaN when there is none.
 */
static double
loosest_bound(const SdcGate *gate, bool over_time)
{
	double bound = NAN;
	int i;

	for (i = 0; i < gate->count; i++)
	{
		const SdcGateConstraint *constraint = &gate->constraint[i];

		if (constraint->kind != SDC_GATE_ATTACK ||
			constraint->comparison >= SDC_GATE_AT_LEAST ||
			(constraint->attack != NULL &&
			 constraint->attack->kind != SDC_ATTACK_IDENTITY) ||
			constraint->figure > SDC_STAT_REID_D ||
			(constraint->attack != NULL &&
			 (constraint->attack->of_changes ||
			  constraint->attack->over_time != over_time)) ||
			(constraint->attack == NULL && over_time))
			continue;
		if (isnan(bound) || constraint->bound > bound)
			bound = constraint->bound;
	}
	return bound;
}

static bool
names_attack(const SdcGate *gate, const SdcAttack *attack)
{
	int i;

	for (i = 0; i < gate->count; i++)
		if (gate->constraint[i].attack == attack)
			return true;
	return false;
}

/*
 * What all versions may show where the latest one by itself shows what it
 * does: bound at least.  What is carried over counts with the least that it
 * can have become, and where that is not enough the attack is run.
 */
static double
bound_alone(SdcEvidence *evidence, double bound)
{
	SdcEvidenceAttack *alone =
		unconstify(SdcEvidenceAttack *,
				   sdcpg_evidence_attack(
					   evidence, sdcpg_attack_find("likelihood"), NULL, NULL));
	const SdcAttackOutcome *outcome = &alone->outcome;
	double least = 2 * outcome->stat[SDC_STAT_FOUND] -
				   outcome->upper[SDC_STAT_FOUND] + SEQUENCE_SLACK;

	if (alone->carried)
	{
		const SdcEvidenceAttack *all = sdcpg_evidence_attack(
			evidence, sdcpg_attack_find("sequence"), NULL, NULL);

		if (all->carried &&
			all->outcome.upper[SDC_STAT_FOUND] <= Max(bound, least))
			return Max(bound, least);
		run_attack(evidence, alone);
	}
	if (outcome->reason != NULL)
		return bound;
	return Max(bound, Min(outcome->stat[SDC_STAT_FOUND] + SEQUENCE_SLACK, 1));
}

/* Adds a constraint on what an attack finds, or the worst one (NULL). */
static void
add_bound(SdcGate *gate, const SdcAttack *attack, double bound)
{
	SdcGateConstraint *added;

	gate->constraint =
		gate->constraint == NULL
			? palloc(sizeof(SdcGateConstraint))
			: repalloc(gate->constraint,
					   sizeof(SdcGateConstraint) * (gate->count + 1));
	added = &gate->constraint[gate->count];
	memset(added, 0, sizeof(*added));
	added->place = ++gate->count;
	added->kind = SDC_GATE_ATTACK;
	added->word = pstrdup(attack != NULL ? attack->name : SDC_GATE_WORST);
	added->stat = pstrdup(sdcpg_attack_stats[SDC_STAT_FOUND]);
	added->attack = attack;
	added->figure = SDC_STAT_FOUND;
	added->comparison = SDC_GATE_AT_MOST;
	added->bound = bound;
	added->sentence = sentence(added);
}

/* The records of the masked table, where a bound is on how many; else 0. */
static double
records_for(const SdcGateConstraint *constraint, SdcEvidence *evidence)
{
	SdcGateConstraint records = {.kind = SDC_GATE_MEASURE, .word = "records"};
	const SdcEvidenceLine *line;

	if (evidence == NULL || constraint->bound < 1 ||
		!sdcpg_measure_counts(constraint->measure))
		return 0;
	records.measure = sdcpg_measure_find(SDC_MEASURE_RISK, records.word);
	line = line_of(&records, evidence);
	return line == NULL || isnan(line->value) ? 0 : line->value;
}

/*
 * What a gate that asks for classes, in whatever words, and bounds no attack,
 * lets these find: NaN where anything.  Sets which constraint says so.  What
 * is published of a class besides may tell some of it apart, for a reason that
 * everybody knows: twice what a guess finds, and half of what it does not.
 */
static double
class_bound(const SdcGate *gate, SdcEvidence *evidence, const char **sentence)
{
	double least = 1;
	int i;

	for (i = 0; i < gate->count; i++)
	{
		const SdcGateConstraint *constraint = &gate->constraint[i];
		double guessed;

		if (constraint->kind != SDC_GATE_MEASURE ||
			(constraint->measure->better == SDC_BETTER_MORE) !=
				(constraint->comparison >= SDC_GATE_AT_LEAST))
			continue;
		guessed = sdcpg_measure_guessed(constraint->measure, constraint->bound,
										constraint->params,
										records_for(constraint, evidence));
		if (guessed >= least)
			continue;
		least = guessed;
		*sentence = constraint->sentence;
	}
	return least < 1 && !sdcpg_gate_attacks_by_name(gate)
			   ? Min(2 * least, (1 + least) / 2)
			   : NAN;
}

/* Such a gate is held to that, where there is something to attack. */
static void
add_classes(SdcGate *gate, SdcEvidence *evidence)
{
	const char *reason;
	double bound;
	SdcGateConstraint *added;

	if (evidence->of->id == NULL || evidence->of->unattacked)
		return;
	bound = class_bound(gate, evidence, &reason);
	if (isnan(bound))
		return;
	add_bound(gate, NULL, bound);
	added = &gate->constraint[gate->count - 1];
	added->sentence = psprintf("%s, for %s", added->sentence, reason);
}

void
sdcpg_gate_add_bounds(SdcGate *gate, SdcEvidence *evidence)
{
	const SdcAttack *sequence = sdcpg_attack_find("sequence");
	const SdcAttack *differencing = sdcpg_attack_find("differencing");
	double bound;

	add_classes(gate, evidence);
	bound = loosest_bound(gate, false);
	if (evidence->of->versions != NULL && !isnan(bound) &&
		!names_attack(gate, sequence))
		add_bound(gate, sequence, bound_alone(evidence, bound));
	if (isnan(bound))
		bound = loosest_bound(gate, true);
	if (evidence->of->changes != NULL && !isnan(bound) &&
		!names_attack(gate, differencing))
		add_bound(gate, differencing, bound);
}

bool
sdcpg_gate_attacks_by_name(const SdcGate *gate)
{
	int i;

	for (i = 0; i < gate->count; i++)
		if (gate->constraint[i].kind == SDC_GATE_ATTACK)
			return true;
	return false;
}

double
sdcpg_gate_loosest(const SdcGate *gate)
{
	const char *reason;
	double bound = loosest_bound(gate, false);

	return isnan(bound) ? class_bound(gate, NULL, &reason) : bound;
}

void
sdcpg_gate_add_joined(SdcGate *gate, const SdcEvidence *evidence, double bound)
{
	const SdcAttack *joined = sdcpg_attack_find("joined");

	if (evidence->of->joined != NULL && !isnan(bound) &&
		!names_attack(gate, joined))
		add_bound(gate, joined, bound);
}

SdcGateResult *
sdcpg_gate_judge(const SdcGate *gate, SdcEvidence *evidence)
{
	SdcGateResult *results =
		palloc0(sizeof(SdcGateResult) * (gate->count + 1));
	int i;

	for (i = 0; i < gate->count; i++)
	{
		SdcGateResult *result = &results[i];

		result->constraint = &gate->constraint[i];
		result->value = NAN;
		if (result->constraint->kind != SDC_GATE_ATTACK)
			evaluate_report(result, evidence);
		else if (strcmp(result->constraint->word, SDC_GATE_WORST) == 0)
			evaluate_worst(result, evidence);
		else
			evaluate_attack(result, evidence);
		result->passed =
			!isnan(result->value) &&
			sdcpg_gate_holds(result->constraint->comparison, result->value,
							 result->constraint->bound);
	}
	return results;
}

SdcGateResult *
sdcpg_gate_evaluate(const SdcGate *gate, const SdcGateCase *of)
{
	return sdcpg_gate_judge(gate, sdcpg_evidence_begin(of, false));
}
