/*
 * gate.c
 *		The argument "constraints": what a masked table must satisfy.
 *
 * A constraint that is misread would let through what it should stop, so every
 * word is looked up when the policy is written, not when it is used.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/regproc.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/server/compat.h"
#include "release/gate.h"
#include "release/history.h"
#include "release/policy.h"
#include "topic/risk/risk.h"

/* ----------------------------------------------------------------------
 * The argument "constraints": what a masked table must satisfy.
 *
 * A constraint that is misread would let through what it should stop, so every
 * word is looked up when the policy is written, not when it is used.
 * ----------------------------------------------------------------------
 */

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

/* ----------------------------------------------------------------------
 * What a policy says of a table, set against its masked form.
 * ----------------------------------------------------------------------
 */

static const char *const params_keys[] = {"rel", "seed", NULL};

const SdcPolicyRelation *
sdcpg_gate_case_choose(const SdcPolicy *policy, Jsonb *params)
{
	char *name;
	Oid oid;
	int i;

	sdcpg_params_check(params, params_keys);
	name = sdcpg_params_text(params, "rel");
	if (name == NULL && policy->count == 1)
		return &policy->relation[0];
	if (name == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("policy \"%s\" is not for one table only",
							   policy->name),
						errhint("Name the table that was masked: params => "
								"'{\"rel\": \"schema.table\"}'.")));
	oid = DatumGetObjectId(
		DirectFunctionCall1(regclassin, CStringGetDatum(name)));
	for (i = 0; i < policy->count; i++)
		if (policy->relation[i].oid == oid)
			return &policy->relation[i];
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("policy \"%s\" is not for relation \"%s\"",
						   policy->name, get_rel_name(oid))));
}

/* The columns that are published, but for the id, as name[]; NULL for none. */
static ArrayType *
compared_columns(const SdcGateCase *of, const SdcPolicyRelation *relation,
				 const SdcPolicyParams *params)
{
	List *published =
		sdcpg_published_columns(relation, params, of->original, of->masked);
	SdcRelationColumns columns = {0};
	ListCell *cell;

	columns.column =
		palloc(sizeof(SdcRelationColumn) * (list_length(published) + 1));
	foreach (cell, published)
		if (of->id == NULL || strcmp(of->id, lfirst(cell)) != 0)
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
	of->id = params.id == NULL ? NULL : params.id->name;
	of->keys = sdcpg_policy_names(&params.keys);
	of->sensitive = sdcpg_policy_names(&params.sensitive);
	of->columns = compared_columns(of, relation, &params);
	of->rules = relation->rules;
	of->attacks = params.attacks;
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

#define PMSE "pmse"

/*
 * The reports.  Parameters: $1 masked (or original), $2 original, $3 id, $4
 * keys, $5 sensitive, $6 methods, $7 params, $8 p, $9 rules, $10 seed, $11
 * columns.
 */
static const char *const reports[SDC_GATE_KINDS] = {
	"sdc.risk_report(rel => $1, keys => $4, sensitive => $5, methods => $6,"
	" params => $7)",
	NULL,
	"sdc.disclosure_report(original => $2, masked => $1, id => $3,"
	" keys => $4, sensitive => $5, rules => $9, p => $8, methods => $6,"
	" seed => $10)",
	"sdc.utility_report(original => $2, masked => $1, id => $3,"
	" columns => $11, methods => $6, params => $7, seed => $10)"};

/* The parameters of the reports, but for methods and params. */
static void
bind_case(SdcCatalogParameters *parameters, const SdcGateCase *of,
		  const SdcEvidenceReport *report, ArrayType *methods)
{
	Oid rel = report->original ? of->original->oid : of->masked->oid;
	Datum id = of->id == NULL
				   ? 0
				   : DirectFunctionCall1(namein, CStringGetDatum(of->id));

	sdcpg_catalog_bind(parameters, REGCLASSOID, ObjectIdGetDatum(rel), false);
	sdcpg_catalog_bind(parameters, REGCLASSOID,
					   ObjectIdGetDatum(of->original->oid), false);
	sdcpg_catalog_bind(parameters, NAMEOID, id, of->id == NULL);
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

/* The method that makes a line of a report: its name but for those of pMSE. */
static const char *
method_of_line(const char *word)
{
	return strncmp(word, PMSE "_", strlen(PMSE "_")) == 0 ? PMSE : word;
}

/* What to ask a report for: one line; of disclosure its three measures. */
static ArrayType *
report_methods(const SdcEvidenceReport *report)
{
	Datum word[3];

	if (report->word != NULL)
	{
		word[0] = CStringGetTextDatum(method_of_line(report->word));
		return construct_array(word, 1, TEXTOID, -1, false, TYPALIGN_INT);
	}
	if (report->kind != SDC_GATE_DISCLOSURE)
		return NULL;
	word[0] = CStringGetTextDatum("rid");
	word[1] = CStringGetTextDatum("sdid");
	word[2] = CStringGetTextDatum("sadr");
	return construct_array(word, 3, TEXTOID, -1, false, TYPALIGN_INT);
}

static char *
text_value(const SdcCatalogRows *rows, int64 row, int column)
{
	return rows->isnull[row][column]
			   ? NULL
			   : TextDatumGetCString(rows->value[row][column]);
}

char *
sdcpg_evidence_sentence(const char *detail)
{
	const char *values = detail == NULL ? NULL : strstr(detail, "; worst: ");

	if (detail == NULL)
		return NULL;
	if (values == NULL)
		return pstrdup(detail);
	return psprintf("%s.", pnstrdup(detail, values - detail));
}

static void
make_report(const SdcGateCase *of, SdcEvidenceReport *report)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int i;

	bind_case(&parameters, of, report, report_methods(report));
	rows = sdcpg_catalog_read(
		psprintf("SELECT m.measure, m.subject, m.value, m.detail FROM %s AS m",
				 reports[report->kind]),
		&parameters);
	report->count = rows->count;
	report->line = palloc(sizeof(SdcEvidenceLine) * (rows->count + 1));
	for (i = 0; i < rows->count; i++)
	{
		SdcEvidenceLine *line = &report->line[i];

		line->measure = text_value(rows, i, 0);
		line->subject = text_value(rows, i, 1);
		line->value =
			rows->isnull[i][2] ? NAN : DatumGetFloat8(rows->value[i][2]);
		line->detail = sdcpg_evidence_sentence(text_value(rows, i, 3));
	}
}

static bool
is_same(const SdcEvidenceReport *report, SdcGateKind kind, const char *word,
		Jsonb *params, bool original)
{
	if (report->kind != kind || report->original != original)
		return false;
	if ((report->word == NULL) != (word == NULL) ||
		(report->params == NULL) != (params == NULL))
		return false;
	return (word == NULL || strcmp(report->word, word) == 0) &&
		   (params == NULL ||
			compareJsonbContainers(&report->params->root, &params->root) == 0);
}

const SdcEvidenceReport *
sdcpg_evidence_report(SdcEvidence *evidence, SdcGateKind kind,
					  const char *word, Jsonb *params, bool original)
{
	SdcEvidenceReport *report;
	ListCell *cell;

	foreach (cell, evidence->reports)
		if (is_same(lfirst(cell), kind, word, params, original))
			return lfirst(cell);
	report = palloc0(sizeof(SdcEvidenceReport));
	report->kind = kind;
	report->word = word == NULL ? NULL : pstrdup(word);
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
 * The intruder is given the most there can be: the whole original as his
 * file, and the rules by which it was masked.
 * ----------------------------------------------------------------------
 */

/* Which keys an attack can use. */
typedef enum Keys
{
	ALL_KEYS,     /* that are in both relations */
	SAME_KEYS,    /* of the same type in both */
	NUMERIC_KEYS, /* that are numbers in both */
} Keys;

/*
 * The attacks, in the order of sdcpg_gate_attacks.  Parameters: $1 original,
 * $2 masked, $3 id, $4 keys, $5 method, $6 params, $7 seed, $8 rules.
 */
static const struct
{
	const char *function;
	const char *arguments;
	const char *method; /* the usual one; NULL: it has none */
	Keys keys;
} attacks[] = {
	{"attack_distance", "method => $5, params => $6, seed => $7", "euclidean",
	 NUMERIC_KEYS},
	{"attack_learned", "method => $5, params => $6, seed => $7", "wm",
	 NUMERIC_KEYS},
	{"attack_probabilistic", "params => $6, seed => $7", NULL, ALL_KEYS},
	{"attack_transparency", "rules => $8, params => $6, seed => $7", NULL,
	 ALL_KEYS},
	{"attack_exact", "params => $6", NULL, SAME_KEYS}};

/* The statistics of sdc.reid_summary in the order of sdcpg_gate_stats. */
#define STATISTICS "s.reid_k, s.reid_d, s.k_reid, s.claimed, s.claim_precision"

SdcEvidence *
sdcpg_evidence_begin(const SdcGateCase *of)
{
	SdcEvidence *evidence = palloc0(sizeof(SdcEvidence));

	evidence->of = of;
	return evidence;
}

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

/* Can an attack use a key, given what keys it can use at all? */
static bool
is_usable(const SdcGateCase *of, const char *name, Keys keys)
{
	SdcRelationColumn original;
	SdcRelationColumn masked;

	if (get_attnum(of->masked->oid, name) == InvalidAttrNumber)
		return false;
	original = sdcpg_relation_column(of->original, name);
	masked = sdcpg_relation_column(of->masked, name);
	switch (keys)
	{
		case SAME_KEYS:
			return original.base == masked.base;
		case NUMERIC_KEYS:
			return sdcpg_number_is(original.base) &&
				   sdcpg_number_is(masked.base);
		default:
			return true;
	}
}

/* The keys of a case that an attack can use, as name[]; NULL for none. */
static ArrayType *
usable_keys(const SdcGateCase *of, Keys keys)
{
	SdcRelationColumns all;
	SdcRelationColumns usable = {0};
	int i;

	if (of->keys == NULL)
		return NULL;
	all = sdcpg_relation_columns(of->original, "keys", of->keys);
	usable.column = palloc(sizeof(SdcRelationColumn) * all.count);
	for (i = 0; i < all.count; i++)
		if (is_usable(of, all.column[i].name, keys))
			usable.column[usable.count++] = all.column[i];
	return sdcpg_policy_names(&usable);
}

static void
bind_array(SdcCatalogParameters *parameters, Oid type, ArrayType *array)
{
	sdcpg_catalog_bind(parameters, type, PointerGetDatum(array),
					   array == NULL);
}

static void
bind_jsonb(SdcCatalogParameters *parameters, Jsonb *value)
{
	sdcpg_catalog_bind(parameters, JSONBOID, PointerGetDatum(value),
					   value == NULL);
}

static void
bind_relation(SdcCatalogParameters *parameters, const SdcRelation *relation)
{
	sdcpg_catalog_bind(parameters, REGCLASSOID,
					   ObjectIdGetDatum(relation->oid), false);
}

static void
bind_id(SdcCatalogParameters *parameters, const char *id)
{
	Datum name =
		id == NULL ? 0 : DirectFunctionCall1(namein, CStringGetDatum(id));

	sdcpg_catalog_bind(parameters, NAMEOID, name, id == NULL);
}

/* Runs attack number i and takes down how it went. */
static void
run_attack(const SdcGateCase *of, int i, SdcEvidenceAttack *attack,
		   ArrayType *keys)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int j;

	bind_relation(&parameters, of->original);
	bind_relation(&parameters, of->masked);
	bind_id(&parameters, of->id);
	bind_array(&parameters, NAMEARRAYOID, keys);
	sdcpg_catalog_bind_text(&parameters, attack->method != NULL
											 ? attack->method
											 : attacks[i].method);
	bind_jsonb(&parameters, attack->params);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(of->seed),
					   !of->seeded);
	bind_jsonb(&parameters, of->rules);
	rows = sdcpg_catalog_read(
		psprintf("SELECT s.records, " STATISTICS
				 " FROM (SELECT (sdc.reid(l)).* FROM sdc.%s("
				 "original => $1, masked => $2, id => $3, keys => $4, %s)"
				 " AS l) AS s",
				 attacks[i].function, attacks[i].arguments),
		&parameters);
	attack->records = DatumGetInt64(rows->value[0][0]);
	for (j = 0; j < SDC_EVIDENCE_STATS; j++)
		attack->stat[j] = rows->isnull[0][j + 1]
							  ? NAN
							  : DatumGetFloat8(rows->value[0][j + 1]);
	if (attack->records == 0)
		attack->excuse = "No record could be attacked.";
}

static bool
same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool
same_params(Jsonb *a, Jsonb *b)
{
	return a == NULL || b == NULL
			   ? a == b
			   : compareJsonbContainers(&a->root, &b->root) == 0;
}

/* The number of an attack. */
static int
find_attack(const char *name)
{
	int i = 0;

	while (strcmp(sdcpg_gate_attacks[i], name) != 0)
		i++;
	return i;
}

const SdcEvidenceAttack *
sdcpg_evidence_attack(SdcEvidence *evidence, const char *name,
					  const char *method, Jsonb *params)
{
	int i = find_attack(name);
	ArrayType *keys = usable_keys(evidence->of, attacks[i].keys);
	SdcEvidenceAttack *attack;
	ListCell *cell;

	if (method != NULL && same_text(method, attacks[i].method))
		method = NULL;
	foreach (cell, evidence->attacks)
	{
		attack = lfirst(cell);
		if (strcmp(attack->name, name) == 0 &&
			same_text(attack->method, method) &&
			same_params(attack->params, params))
			return attack;
	}
	attack = palloc0(sizeof(SdcEvidenceAttack));
	attack->name = sdcpg_gate_attacks[i];
	attack->method = method == NULL ? NULL : pstrdup(method);
	attack->params = params;
	if (evidence->of->id == NULL)
		attack->excuse = "No column is declared as the id, so nobody could "
						 "tell a right link from a wrong one.";
	else if (keys == NULL)
		attack->excuse = "No key can be compared in both tables.";
	else
	{
		sdcpg_evidence_need_function(attacks[i].function);
		run_attack(evidence->of, i, attack, keys);
	}
	evidence->attacks = lappend(evidence->attacks, attack);
	return attack;
}

bool
sdcpg_evidence_applies(const SdcEvidence *evidence, const char *name)
{
	ArrayType *chosen = evidence->of->attacks;
	Datum *element;
	int count;
	int i;

	if (chosen == NULL)
		return true;
	deconstruct_array(chosen, TEXTOID, -1, false, TYPALIGN_INT, &element, NULL,
					  &count);
	for (i = 0; i < count; i++)
		if (strcmp(TextDatumGetCString(element[i]), name) == 0)
			return true;
	return false;
}

/* ----------------------------------------------------------------------
 * Constraints are evaluated: a value, its bound, and what follows.
 *
 * Of several lines with the same name, those of different columns, the worst
 * one counts.  A value that is missing is worse than any other.
 * ----------------------------------------------------------------------
 */

static bool
holds(SdcGateComparison comparison, double value, double bound)
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

/* Is a value further from holding than another? */
static bool
is_worse(SdcGateComparison comparison, double value, double than)
{
	if (isnan(value) || isnan(than))
		return isnan(value) && !isnan(than);
	if (comparison == SDC_GATE_AT_MOST || comparison == SDC_GATE_LESS)
		return value > than;
	return value < than;
}

/* The position of a stat in sdcpg_gate_stats. */
static int
find_stat(const char *stat)
{
	int i = 0;

	while (strcmp(sdcpg_gate_stats[i], stat) != 0)
		i++;
	return i;
}

/* What an attack has achieved, in words. */
static char *
attack_sentence(const SdcEvidenceAttack *attack)
{
	if (attack->excuse != NULL)
		return psprintf("The attack %s cannot be run: %s", attack->name,
						attack->excuse);
	return psprintf("The attack %s%s%s%s finds %.2f of %.0f records by "
					"guessing among equals and %.0f for certain.",
					attack->name, attack->method != NULL ? " (" : "",
					attack->method != NULL ? attack->method : "",
					attack->method != NULL ? ")" : "",
					attack->stat[find_stat("reid_k")] * attack->records,
					attack->records,
					attack->stat[find_stat("k_reid")] * attack->records);
}

static void
evaluate_attack(SdcGateResult *result, SdcEvidence *evidence)
{
	const SdcGateConstraint *constraint = result->constraint;
	const SdcEvidenceAttack *attack = sdcpg_evidence_attack(
		evidence, constraint->word, constraint->method, constraint->params);

	if (attack->excuse == NULL)
		result->value = attack->stat[find_stat(constraint->stat)];
	result->detail = attack_sentence(attack);
}

/*
 * The largest of all attacks that can be run; those that cannot are named.
 * A stat without a value in one of them has none.
 */
static void
evaluate_worst(SdcGateResult *result, SdcEvidence *evidence)
{
	const SdcGateConstraint *constraint = result->constraint;
	int stat = find_stat(constraint->stat);
	const SdcEvidenceAttack *worst = NULL;
	StringInfoData left_out;
	const char *const *name;

	initStringInfo(&left_out);
	for (name = sdcpg_gate_attacks; *name != NULL; name++)
	{
		const SdcEvidenceAttack *attack;

		if (!sdcpg_evidence_applies(evidence, *name))
			continue;
		attack = sdcpg_evidence_attack(evidence, *name, NULL, NULL);
		if (attack->excuse != NULL)
			appendStringInfo(&left_out, " %s", attack_sentence(attack));
		else if (worst == NULL ||
				 is_worse(constraint->comparison, attack->stat[stat],
						  worst->stat[stat]))
			worst = attack;
	}
	if (worst != NULL)
		result->value = worst->stat[stat];
	result->detail = psprintf(
		"%s%s%s",
		worst != NULL ? "The worst one counts. " : "No attack can be run.",
		worst != NULL ? attack_sentence(worst) : "", left_out.data);
}

static void
evaluate_report(SdcGateResult *result, SdcEvidence *evidence)
{
	const SdcGateConstraint *constraint = result->constraint;
	const SdcEvidenceReport *report =
		sdcpg_evidence_report(evidence, constraint->kind, constraint->word,
							  constraint->params, false);
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
		if (worst == NULL ||
			is_worse(constraint->comparison, line->value, worst->value))
			worst = line;
	}
	if (worst != NULL)
		result->value = worst->value;
	result->detail = worst == NULL || worst->detail == NULL
						 ? "The report has no such line."
						 : worst->detail;
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
		result->passed = !isnan(result->value) &&
						 holds(result->constraint->comparison, result->value,
							   result->constraint->bound);
	}
	return results;
}

SdcGateResult *
sdcpg_gate_evaluate(const SdcGate *gate, const SdcGateCase *of)
{
	return sdcpg_gate_judge(gate, sdcpg_evidence_begin(of));
}
