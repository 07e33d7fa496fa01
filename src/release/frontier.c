/*
 * frontier.c
 *		Candidates of rules, masked, attacked and measured: risk against loss.
 *
 * The masked table is made by sdc.mask under the snapshot of the calling
 * statement.  The id is not masked, whatever the rules say: it tells which
 * links of an attack are right.  All candidates use the same seeds, so that
 * their differences are less due to chance than each figure is.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/data/window.h"
#include "host/server/compat.h"
#include "host/server/error.h"
#include "host/server/host.h"
#include "host/server/progress.h"
#include "host/server/result.h"
#include "kernel/model/cross_validation.h"
#include "kernel/utility/dominance.h"
#include "release/document.h"
#include "release/frontier.h"
#include "release/gate.h"
#include "release/history.h"
#include "release/policy.h"
#include "topic/mask/rules.h"
#include "topic/model/learning.h"
#include "topic/registry/attacks.h"
#include "topic/registry/roles.h"

/* The arguments; pointers are NULL where they are. */
typedef struct SdcFrontierCall
{
	Oid rel;
	const char *id;
	ArrayType *keys;
	ArrayType *sensitive;
	Jsonb *rules;
	Jsonb *constraints;
	Jsonb *params;
	uint64 seed;
} SdcFrontierCall;

/* ----------------------------------------------------------------------
 * The loss that candidates are compared by unless another one is named.
 *
 * One measure for all candidates of a call, or their losses would have nothing
 * to do with each other.
 * ----------------------------------------------------------------------
 */

#define MOVED \
	"{\"utility\": \"information_loss\", \"subject\": \"all columns\"}"
#define ANY "{\"utility\": \"tables\", \"subject\": \"all columns\"}"

/* Does a rule only move numbers and dates? */
static bool
moves_numbers(const SdcRule *rule)
{
	int j;

	if (rule->method->loss != SDC_MASK_MOVES)
		return false;
	for (j = 0; j < rule->columns.count; j++)
		if (!sdcpg_number_is(rule->columns.column[j].base) ||
			rule->columns.column[j].base == BOOLOID)
			return false;
	return true;
}

/* Is it a rule that changes nothing, or none that is applied here? */
static bool
is_idle(const SdcRule *rule, const char *id)
{
	return rule->method->loss == SDC_MASK_LOSES_NOTHING ||
		   (id != NULL && rule->columns.count == 1 &&
			strcmp(rule->columns.column[0].name, id) == 0);
}

/*
 * IL1s over all columns, when candidates (Jsonb *) do nothing but move numbers
 * and dates: IL1s does not see categories, and takes no notice of values and
 * rows that are gone.  Otherwise the Hellinger distance of tables of low
 * order, which does.  Rules of the id do not count.
 */
static Jsonb *
frontier_loss_usual(const SdcRelation *relation, const char *id,
					List *candidates)
{
	const char *loss = MOVED;
	ListCell *cell;
	int i;

	foreach (cell, candidates)
	{
		SdcRules rules = sdcpg_rules_read(lfirst(cell), relation);

		for (i = 0; i < rules.count; i++)
			if (!is_idle(&rules.rule[i], id) && !moves_numbers(&rules.rule[i]))
				loss = ANY;
	}
	return DatumGetJsonbP(
		DirectFunctionCall1(jsonb_in, CStringGetDatum(loss)));
}

/* ----------------------------------------------------------------------
 * What candidates are measured by: constraints, risk and loss.
 *
 * Risk and loss become two more constraints, with a bound that nobody looks
 * at, so that the words and the way to measure are those of a release, and an
 * attack that a constraint needs is run once.
 * ----------------------------------------------------------------------
 */

/* Without params.risk: the worst attack. */
#define RISK  "{\"attack\": \"worst\"}"
#define BOUND "{\"<=\": 0}"

static Jsonb *
read_json(const char *text)
{
	return DatumGetJsonbP(
		DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
}

/* Says what an error of the constraint is about. */
static void
tell_key(void *key)
{
	errcontext("key \"%s\" in argument \"params\", read as a constraint",
			   (char *) key);
}

/* Is less of what a constraint is about better? */
static bool
frontier_is_fit(const SdcGateConstraint *constraint)
{
	return constraint->measure == NULL ||
		   constraint->measure->better == SDC_BETTER_LESS;
}

/* The attacks that are repeated for each candidate, as text[]. */
static ArrayType *
frontier_attacks(void)
{
	const SdcAttack *const *row;
	List *names = NIL;

	for (row = sdcpg_attacks; *row != NULL; row++)
		if ((*row)->repeated)
			names = lappend(names, unconstify(char *, (*row)->name));
	return sdcpg_policy_attacks(names);
}

/* One measure as a constraint. */
static SdcGateConstraint
read_measure(const char *key, Jsonb *object)
{
	ErrorContextCallback context;
	const char *const *bound;
	SdcGate gate;

	if (!JB_ROOT_IS_OBJECT(object))
		sdcpg_params_wrong(key, "an object like a constraint");
	for (bound = sdcpg_gate_comparisons; *bound != NULL; bound++)
		if (sdcpg_params_has(object, *bound))
			sdcpg_params_wrong(key, "without a bound");
	context.callback = tell_key;
	context.arg = (void *) key;
	context.previous = error_context_stack;
	error_context_stack = &context;
	object = DatumGetJsonbP(
		DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(object),
							JsonbPGetDatum(read_json(BOUND))));
	gate = sdcpg_gate_read(DatumGetJsonbP(
		DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(read_json("[]")),
							JsonbPGetDatum(object))));
	error_context_stack = context.previous;
	if (!frontier_is_fit(&gate.constraint[0]))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"%s\" cannot be the %s",
							   gate.constraint[0].word, key),
						errdetail("Less of it is not better."),
						errhint("As a constraint it can be used.")));
	return gate.constraint[0];
}

/*
 * Reads what is measured: constraints as sdc.create_policy takes them; risk
 * and loss are objects like a constraint without a bound; risk may be NULL for
 * the worst attack.  Stops at measures of which more is better.
 */
static void
frontier_measures(SdcFrontier *frontier, Jsonb *constraints, Jsonb *risk,
				  Jsonb *loss)
{
	SdcGate gate = sdcpg_gate_read(constraints);
	SdcGate *all = &frontier->gate;

	frontier->constraints = gate.count;
	all->constraint = palloc(sizeof(SdcGateConstraint) * (gate.count + 2));
	if (gate.count > 0)
		memcpy(all->constraint, gate.constraint,
			   sizeof(SdcGateConstraint) * gate.count);
	all->constraint[gate.count] =
		read_measure("risk", risk != NULL ? risk : read_json(RISK));
	all->constraint[gate.count + 1] = read_measure("loss", loss);
	all->count = gate.count + 2;
}

/* ----------------------------------------------------------------------
 * A policy as what candidates are measured by.
 * ----------------------------------------------------------------------
 */

#define REPEATS     3
#define ALL_COLUMNS "{\"subject\": \"" SDC_ALL_COLUMNS "\"}"

/* The constraint at a place, from 1, without its bound. */
static Jsonb *
without_bound(Jsonb *constraints, int place)
{
	static const char *const bounds[] = {"<=", "<"};
	Datum object = JsonbPGetDatum(JsonbValueToJsonb(
		getIthJsonbValueFromContainer(&constraints->root, place - 1)));
	int i;

	for (i = 0; i < lengthof(bounds); i++)
		object = DirectFunctionCall2(jsonb_delete, object,
									 CStringGetTextDatum(bounds[i]));
	return DatumGetJsonbP(object);
}

/* The first constraint that bounds a risk, or a loss, from above. */
static Jsonb *
first_bounded(const SdcGate *gate, Jsonb *constraints, bool loss)
{
	int i;

	for (i = 0; i < gate->count; i++)
	{
		const SdcGateConstraint *constraint = &gate->constraint[i];

		if ((constraint->kind == SDC_GATE_UTILITY) == loss &&
			(constraint->comparison == SDC_GATE_AT_MOST ||
			 constraint->comparison == SDC_GATE_LESS) &&
			frontier_is_fit(constraint))
			return without_bound(constraints, constraint->place);
	}
	return NULL;
}

static bool
asks_for_worst(const SdcGate *gate)
{
	int i;

	for (i = 0; i < gate->count; i++)
		if (gate->constraint[i].kind == SDC_GATE_ATTACK &&
			strcmp(gate->constraint[i].word, SDC_GATE_WORST) == 0)
			return true;
	return false;
}

/* What the policy says of its table. */
static void
policy_read_case(SdcFrontier *frontier, const SdcGate *gate)
{
	SdcGateCase *of = &frontier->of;
	SdcPolicyParams params;

	of->original = sdcpg_relation_find(frontier->policy->oid);
	params = sdcpg_policy_params_read(frontier->policy->params, of->original);
	of->id = params.id == NULL ? NULL : params.id->name;
	of->attacks = params.attacks;
	frontier->usual = of->attacks == NULL;
	if (of->attacks == NULL && !asks_for_worst(gate))
		of->attacks = frontier_attacks();
}

void
sdcpg_frontier_policy(SdcFrontier *frontier, const char *name)
{
	SdcPolicy *policy = sdcpg_policy_find(name);
	Jsonb *constraints;
	Jsonb *loss;
	SdcGate gate;

	sdcpg_policy_need_owner(policy);
	sdcpg_policy_need_tables(policy);
	if (policy->count != 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("policy \"%s\" is not for one table only", name),
				 errhint("Compare rules of each table by sdc.frontier.")));
	frontier->policy = &policy->relation[0];
	frontier->memory = CurrentMemoryContext;
	frontier->repeats = REPEATS;
	frontier->tolerant = true;
	constraints = frontier->policy->constraints;
	gate = sdcpg_gate_read(constraints);
	policy_read_case(frontier, &gate);
	loss = first_bounded(&gate, constraints, true);
	if (loss != NULL)
		loss = DatumGetJsonbP(DirectFunctionCall2(
			jsonb_concat, JsonbPGetDatum(loss),
			DirectFunctionCall1(jsonb_in, CStringGetDatum(ALL_COLUMNS))));
	else
		loss = frontier_loss_usual(frontier->of.original, frontier->of.id,
								   list_make1(frontier->policy->rules));
	frontier_measures(frontier, constraints,
					  first_bounded(&gate, constraints, false), loss);
}

/* ----------------------------------------------------------------------
 * Points that were measured: intervals, dominance, order, sentences.
 * ----------------------------------------------------------------------
 */

bool
sdcpg_frontier_holds(const SdcFrontierPoint *point)
{
	return point->refusal == NULL && point->repeats > 0 && point->failed == 0;
}

double
sdcpg_frontier_loss(const SdcFrontierPoint *point)
{
	double mean;

	if (point->refusal != NULL || point->repeats == 0)
		return get_float8_infinity();
	mean = sdc_interval_of_mean(point->loss, point->repeats).mean;
	return isnan(mean) ? get_float8_infinity() : mean;
}

/* One measurement says nothing of its chance: no interval. */
static SdcInterval
interval_of(const SdcFrontierPoint *point, const double *value)
{
	SdcInterval interval = {NAN, NAN, NAN};

	if (point->refusal != NULL || point->repeats == 0)
		return interval;
	interval = sdc_interval_of_mean(value, point->repeats);
	if (point->repeats == 1)
		interval.low = interval.high = NAN;
	return interval;
}

static void
find_dominated(SdcPgHost *host, SdcFrontierPoint **point, int count)
{
	double *risk = palloc(sizeof(double) * (count + 1));
	double *loss = palloc(sizeof(double) * (count + 1));
	int32 *by = palloc(sizeof(int32) * (count + 1));
	int i;

	for (i = 0; i < count; i++)
	{
		risk[i] = point[i]->risk_interval.mean;
		loss[i] = point[i]->loss_interval.mean;
	}
	sdc_dominance_find(&host->kernel, risk, loss, count, by);
	for (i = 0; i < count; i++)
		if (by[i] != SDC_DOMINANCE_NONE)
			point[i]->dominated_by = point[by[i]]->candidate;
}

static const SdcFrontierPoint *
find_candidate(SdcFrontierPoint **point, int count, int candidate)
{
	int i;

	for (i = 0; i < count; i++)
		if (point[i]->candidate == candidate)
			return point[i];
	return NULL;
}

/* What is known of how far a point is from the one that dominates it. */
static const char *
distance_words(const SdcFrontierPoint *point, const SdcFrontierPoint *by)
{
	if (point->repeats == 1 || by->repeats == 1)
		return "without repeats nobody can say whether by chance";
	if (by->risk_interval.high < point->risk_interval.low &&
		by->loss_interval.high < point->loss_interval.low)
		return "and their intervals do not overlap";
	return "but their intervals of risk or of loss do overlap";
}

/* Where a point lies among the others. */
static void
say_dominance(StringInfo detail, const SdcFrontierPoint *point,
			  SdcFrontierPoint **all, int count)
{
	if (isnan(point->risk_interval.mean) || isnan(point->loss_interval.mean))
		appendStringInfoString(detail, "It cannot be compared: risk or loss "
									   "could not be found.");
	else if (point->dominated_by == 0)
		appendStringInfoString(detail, "On the frontier.");
	else
		appendStringInfo(
			detail, "Dominated by candidate %d, %s.", point->dominated_by,
			distance_words(point,
						   find_candidate(all, count, point->dominated_by)));
}

static char *
detail_of(const SdcFrontierPoint *point, SdcFrontierPoint **all, int count,
		  const char *ending)
{
	StringInfoData detail;

	initStringInfo(&detail);
	if (point->refusal != NULL)
		appendStringInfo(&detail, "It cannot be applied: %s.", point->refusal);
	else
	{
		say_dominance(&detail, point, all, count);
		if (point->repeats > 1)
			appendStringInfo(&detail,
							 " Means of %d repeats, with the 95 %% intervals "
							 "of Student's t.",
							 point->repeats);
		else
			appendStringInfoString(&detail, " Measured once.");
		if (point->failed > 0)
			appendStringInfo(&detail, " In %d of %d repeats %s", point->failed,
							 point->repeats, point->failure);
		appendStringInfo(&detail, " First repeat: %s", point->note);
	}
	if (ending != NULL)
		appendStringInfo(&detail, " %s", ending);
	return detail.data;
}

/* Negative when a comes first; what is not known comes last. */
static int
compare_numbers(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return a < b ? -1 : a > b;
}

/* Those that pass, then by loss, risk and number. */
static int
compare_points(const void *x, const void *y)
{
	const SdcFrontierPoint *a = *(SdcFrontierPoint *const *) x;
	const SdcFrontierPoint *b = *(SdcFrontierPoint *const *) y;
	int order;

	if (a->passed != b->passed)
		return a->passed ? -1 : 1;
	order = compare_numbers(a->loss_interval.mean, b->loss_interval.mean);
	if (order == 0)
		order = compare_numbers(a->risk_interval.mean, b->risk_interval.mean);
	return order != 0 ? order : a->candidate - b->candidate;
}

void
sdcpg_frontier_finish(SdcPgHost *host, SdcFrontierPoint **point, int count,
					  const char *ending)
{
	int i;

	for (i = 0; i < count; i++)
	{
		point[i]->risk_interval = interval_of(point[i], point[i]->risk);
		point[i]->loss_interval = interval_of(point[i], point[i]->loss);
		point[i]->passed = sdcpg_frontier_holds(point[i]);
	}
	find_dominated(host, point, count);
	for (i = 0; i < count; i++)
		point[i]->detail = detail_of(point[i], point, count, ending);
	qsort(point, count, sizeof(SdcFrontierPoint *), compare_points);
}

/* ----------------------------------------------------------------------
 * One call of sdc.frontier.
 *
 * Loss is that of the columns that any candidate masks, the same columns for
 * all of them, so that candidates can be compared.
 * ----------------------------------------------------------------------
 */

static const char *const params_keys[] = {"risk",    "loss", "attacks",
										  "repeats", "p",    NULL};

/* The attacks that "worst" is of. */
static ArrayType *
read_attacks(Jsonb *params)
{
	List *names = sdcpg_params_names(params, "attacks");

	return names == NIL ? frontier_attacks() : sdcpg_policy_attacks(names);
}

/* An object under a key of params; NULL when it is absent. */
static Jsonb *
read_object(Jsonb *params, const char *key)
{
	Jsonb *object = sdcpg_document_part(params, key);

	if (object == NULL && sdcpg_params_has(params, key))
		sdcpg_params_wrong(key, "an object like a constraint");
	return object;
}

/* The columns that any of the candidates masks, but for the id. */
static ArrayType *
masked_columns(const SdcRelation *relation, const char *id, List *candidates)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(relation);
	SdcRelationColumns masked = {0};
	Bitmapset *numbers = NULL;
	ListCell *cell;
	int i;
	int j;

	foreach (cell, candidates)
	{
		SdcRules rules = sdcpg_rules_read(lfirst(cell), relation);

		for (i = 0; i < rules.count; i++)
			for (j = 0; j < rules.rule[i].columns.count; j++)
				numbers = bms_add_member(
					numbers, rules.rule[i].columns.column[j].number);
	}
	masked.column = palloc(sizeof(SdcRelationColumn) * (all.count + 1));
	for (i = 0; i < all.count; i++)
		if (bms_is_member(all.column[i].number, numbers) &&
			(id == NULL || strcmp(all.column[i].name, id) != 0))
			masked.column[masked.count++] = all.column[i];
	return sdcpg_policy_names(&masked);
}

static void
read_case(SdcFrontier *frontier, const SdcFrontierCall *call)
{
	SdcGateCase *of = &frontier->of;
	SdcRelationColumn *id;
	SdcRelationColumns columns;

	of->original = sdcpg_relation_find(call->rel);
	id = sdcpg_roles_column(of->original, "id", call->id, SDC_ROLE_ID);
	of->id = id == NULL ? NULL : id->name;
	columns =
		sdcpg_roles_columns(of->original, "keys", call->keys, SDC_ROLE_KEY);
	of->keys = sdcpg_policy_names(&columns);
	columns = sdcpg_roles_columns(of->original, "sensitive", call->sensitive,
								  SDC_ROLE_SENSITIVE);
	of->sensitive = sdcpg_policy_names(&columns);
	of->attacks = read_attacks(call->params);
	frontier->usual = !sdcpg_params_has(call->params, "attacks");
	of->p = sdcpg_params_number(call->params, "p", 10, 0, 100);
}

/* Tries all candidates; the points as sdcpg_frontier_finish leaves them. */
static SdcFrontierPoint **
frontier_call(SdcPgHost *host, const SdcFrontierCall *call, int *count)
{
	SdcFrontier frontier = {{0}};
	SdcFrontierPoint **point;
	List *candidates;
	Jsonb *loss;
	ListCell *cell;

	sdcpg_params_check(call->params, params_keys);
	frontier.memory = CurrentMemoryContext;
	frontier.seed = call->seed;
	frontier.repeats = sdcpg_repeats_read(call->params, REPEATS);
	read_case(&frontier, call);
	candidates = sdcpg_frontier_rules_read(call->rules, frontier.of.original);
	loss = read_object(call->params, "loss");
	if (loss == NULL)
		loss = frontier_loss_usual(frontier.of.original, frontier.of.id,
								   candidates);
	frontier_measures(&frontier, call->constraints,
					  read_object(call->params, "risk"), loss);
	sdcpg_gate_check_columns(&frontier.gate, frontier.of.original, NULL);
	frontier.of.columns =
		masked_columns(frontier.of.original, frontier.of.id, candidates);
	point = palloc(sizeof(SdcFrontierPoint *) * list_length(candidates));
	*count = 0;
	sdcpg_progress_stage(&host->progress, "trying candidates");
	foreach (cell, candidates)
	{
		point[*count] =
			sdcpg_frontier_point(&frontier, *count + 1, lfirst(cell));
		while (point[*count]->repeats < frontier.repeats)
		{
			sdcpg_frontier_repeat(&frontier, point[*count]);
			host->kernel.poll(&host->kernel, *count, list_length(candidates));
		}
		(*count)++;
	}
	sdcpg_frontier_finish(host, point, *count, NULL);
	return point;
}

/* ----------------------------------------------------------------------
 * Candidates of rules, masked, attacked and measured: risk against loss.
 * ----------------------------------------------------------------------
 */

#define TEMPORARY "pg_temp"

SdcFrontierPoint *
sdcpg_frontier_point(const SdcFrontier *frontier, int candidate, Jsonb *rules)
{
	MemoryContext caller = MemoryContextSwitchTo(frontier->memory);
	SdcFrontierPoint *point = palloc0(sizeof(SdcFrontierPoint));

	point->candidate = candidate;
	point->rules = rules;
	point->risk = palloc(sizeof(double) * frontier->repeats);
	point->loss = palloc(sizeof(double) * frontier->repeats);
	MemoryContextSwitchTo(caller);
	return point;
}

/* The rules without that of the id. */
static Jsonb *
without_id(const SdcFrontier *frontier, Jsonb *rules)
{
	const SdcRelation *original = frontier->of.original;
	SdcRules read = sdcpg_rules_read(rules, original);
	const SdcRule *rule = NULL;

	if (frontier->of.id != NULL)
		rule = sdcpg_rules_of(
			&read, sdcpg_relation_column(original, frontier->of.id).number);
	if (rule == NULL)
		return rules;
	if (rule->columns.count > 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the id of relation \"%s\" is masked together with "
						"other columns",
						original->name),
				 errdetail("The id tells which links of an attack are right, "
						   "so it stays as it is while candidates are "
						   "compared."),
				 errhint("Give it a rule of its own.")));
	return DatumGetJsonbP(
		DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(rules),
							CStringGetTextDatum(rule->subject)));
}

char *
sdcpg_frontier_name(void)
{
	Oid schema = LookupExplicitNamespace(TEMPORARY, true);
	int number = 0;
	char *name;

	do
		name = psprintf("sdc_frontier_%d", ++number);
	while (OidIsValid(schema) && OidIsValid(get_relname_relid(name, schema)));
	return name;
}

/* Calls sdc.mask as the caller, on the rows that his statement sees. */
static Oid
mask(const SdcFrontier *frontier, Jsonb *rules, uint64 seed)
{
	const char *id = frontier->of.id;
	char *name = sdcpg_frontier_name();
	SdcRules read = sdcpg_rules_read(rules, frontier->of.original);
	SdcCatalogParameters bound = {0};

	sdcpg_catalog_bind(&bound, REGCLASSOID,
					   ObjectIdGetDatum(frontier->of.original->oid), false);
	sdcpg_catalog_bind(&bound, JSONBOID,
					   JsonbPGetDatum(sdcpg_published_rules(
						   frontier->of.original, rules, &read)),
					   false);
	sdcpg_catalog_bind(
		&bound, NAMEOID,
		id == NULL ? 0 : DirectFunctionCall1(namein, CStringGetDatum(id)),
		id == NULL);
	sdcpg_catalog_bind_text(&bound, psprintf(TEMPORARY ".%s", name));
	sdcpg_catalog_bind(&bound, INT8OID, Int64GetDatum((int64) seed), false);
	/* candidates that change nothing are no mistake of the user's */
	sdcpg_window_silent = true;
	PG_TRY();
	{
		sdcpg_catalog_run_as_seen(
			"SELECT pg_catalog.count(*) FROM sdc.mask(relation => $1,"
			" rules => $2, id => $3, target => $4, seed => $5)",
			&bound);
	}
	PG_FINALLY();
	{
		sdcpg_window_silent = false;
	}
	PG_END_TRY();
	return get_relname_relid(name, LookupExplicitNamespace(TEMPORARY, false));
}

/* What the gate is to look at. */
static SdcGateCase *
gate_case(const SdcFrontier *frontier, Jsonb *rules, Oid masked, uint64 seed)
{
	SdcGateCase *of;

	if (frontier->policy != NULL)
	{
		SdcPolicyRelation policy = *frontier->policy;

		policy.rules = rules;
		of = sdcpg_gate_case(&policy, masked);
		of->attacks = frontier->of.attacks;
	}
	else
	{
		of = palloc(sizeof(SdcGateCase));
		*of = frontier->of;
		of->masked = sdcpg_relation_find(masked);
		of->rules = rules;
		of->tied = palloc0(sizeof(SdcTied));
	}
	of->tied->usual = frontier->usual;
	of->seeded = true;
	of->seed = (int64) seed;
	return of;
}

/* Takes what was found over to the point. */
static void
take_results(const SdcFrontier *frontier, SdcFrontierPoint *point,
			 const SdcGateResult *result)
{
	MemoryContext caller = MemoryContextSwitchTo(frontier->memory);
	const SdcGateResult *risk = &result[frontier->constraints];
	const SdcGateResult *loss = risk + 1;
	bool failed = false;
	int i;

	for (i = 0; i < frontier->constraints; i++)
	{
		if (result[i].passed)
			continue;
		failed = true;
		if (point->failure == NULL)
			point->failure =
				psprintf("\"%s\" does not hold. %s",
						 result[i].constraint->sentence, result[i].detail);
	}
	point->failed += failed;
	point->risk[point->repeats] = risk->value;
	point->loss[point->repeats] = loss->value;
	if (point->note == NULL)
		point->note =
			psprintf("Risk: %s Loss: %s", risk->detail, loss->detail);
	point->repeats++;
	MemoryContextSwitchTo(caller);
}

void
sdcpg_frontier_look(void)
{
	CommandCounterIncrement();
	PushCopiedSnapshot(GetActiveSnapshot());
	UpdateActiveSnapshotCommandId();
}

void
sdcpg_frontier_looked(void)
{
	PopActiveSnapshot();
}

/* Masks into a temporary table, measures, and leaves the table behind. */
static void
mask_and_measure(const SdcFrontier *frontier, SdcFrontierPoint *point,
				 uint64 seed)
{
	Jsonb *rules = without_id(frontier, point->rules);
	Oid masked = mask(frontier, rules, seed);

	sdcpg_frontier_look();
	take_results(
		frontier, point,
		sdcpg_gate_evaluate(&frontier->gate,
							gate_case(frontier, rules, masked, seed)));
	sdcpg_frontier_looked();
}

/* Is an error about what was asked for, and not about the server? */
static bool
is_refusal(const ErrorData *failure)
{
	int class = ERRCODE_TO_CATEGORY(failure->sqlerrcode);

	return class == ERRCODE_TO_CATEGORY(ERRCODE_DATA_EXCEPTION) ||
		   class == ERRCODE_TO_CATEGORY(ERRCODE_FEATURE_NOT_SUPPORTED);
}

/* Says which candidate an error is about. */
static void
tell_candidate(void *point)
{
	errcontext("candidate %d", ((SdcFrontierPoint *) point)->candidate);
}

/* A candidate that is measured. */
typedef struct Trial
{
	const SdcFrontier *frontier;
	SdcFrontierPoint *point;
} Trial;

/* Masks and measures; nothing of it is to stay. */
static bool
try_candidate(void *arg)
{
	const Trial *trial = arg;
	const SdcFrontier *frontier = trial->frontier;
	ErrorContextCallback context = {error_context_stack, tell_candidate,
									trial->point};
	void (*measure)(const SdcFrontier *, SdcFrontierPoint *, uint64) =
		frontier->measure != NULL ? frontier->measure : mask_and_measure;

	error_context_stack = &context;
	measure(frontier, trial->point,
			sdcpg_repeats_seed(frontier->seed, trial->point->repeats));
	error_context_stack = context.previous;
	return false;
}

void
sdcpg_frontier_repeat(const SdcFrontier *frontier, SdcFrontierPoint *point)
{
	MemoryContext caller = MemoryContextSwitchTo(frontier->memory);
	MemoryContext work =
		AllocSetContextCreate(caller, "sdc frontier", ALLOCSET_DEFAULT_SIZES);
	Trial trial = {frontier, point};
	ErrorData *failure = sdcpg_error_attempt(work, try_candidate, &trial);

	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	if (failure == NULL)
		return;
	if (!frontier->tolerant || !is_refusal(failure))
		ReThrowError(failure);
	point->refusal = failure->message;
}

/* ----------------------------------------------------------------------
 * sdc.frontier and sdc.search_rules: rules compared by risk and loss.
 * ----------------------------------------------------------------------
 */

#define DAY_SECONDS 86400.0
#define MONTH_DAYS  30.0

/* Seconds of sdc.search_rules without a budget. */
#define USUAL_BUDGET 60.0

PG_FUNCTION_INFO_V1(sdcf_frontier);
PG_FUNCTION_INFO_V1(sdcf_search_rules);

static void
put_interval(const SdcInterval *interval, Datum *values, bool *isnull)
{
	values[0] = Float8GetDatum(sdcpg_result_round(interval->mean));
	isnull[0] = isnan(interval->mean);
	values[1] = Float8GetDatum(sdcpg_result_round(interval->low));
	isnull[1] = isnan(interval->low);
	values[2] = Float8GetDatum(sdcpg_result_round(interval->high));
	isnull[2] = isnan(interval->high);
}

void
sdcpg_frontier_put(ReturnSetInfo *result, const SdcFrontierPoint *point)
{
	Datum values[11];
	bool isnull[11] = {false};

	values[0] = Int32GetDatum(point->candidate);
	values[1] = JsonbPGetDatum(point->rules);
	put_interval(&point->risk_interval, &values[2], &isnull[2]);
	put_interval(&point->loss_interval, &values[5], &isnull[5]);
	values[8] = BoolGetDatum(point->dominated_by != 0);
	isnull[8] = isnull[2] || isnull[5];
	values[9] = BoolGetDatum(point->passed);
	values[10] = CStringGetTextDatum(point->detail);
	sdcpg_result_put(result, values, isnull);
}

static uint64
seed_of(FunctionCallInfo fcinfo, int argument)
{
	return PG_ARGISNULL(argument) ? sdcpg_strong_seed()
								  : (uint64) PG_GETARG_INT64(argument);
}

/*
 * frontier(relation regclass, rules jsonb, id name, keys columns,
 *          sensitive columns, constraints jsonb, params jsonb, seed bigint)
 */
Datum
sdcf_frontier(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcPgHost *host;
	SdcFrontierCall call = {0};
	SdcFrontierPoint **point;
	int count;
	int i;

	sdcpg_args_need_first(fcinfo, 2);
	call.rel = PG_GETARG_OID(0);
	call.id = PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2));
	call.keys = PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3);
	call.sensitive = PG_ARGISNULL(4) ? NULL : PG_GETARG_ARRAYTYPE_P(4);
	call.rules = PG_GETARG_JSONB_P(1);
	call.constraints = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	call.params = PG_ARGISNULL(6) ? NULL : PG_GETARG_JSONB_P(6);
	call.seed = seed_of(fcinfo, 7);
	host = sdcpg_host_begin("frontier", CurrentMemoryContext);
	point = frontier_call(host, &call, &count);
	for (i = 0; i < count; i++)
		sdcpg_frontier_put(result, point[i]);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* A budget in seconds. */
static double
seconds_of(const Interval *budget)
{
	double seconds =
		(double) budget->time / USECS_PER_SEC +
		DAY_SECONDS * (budget->day + MONTH_DAYS * (double) budget->month);

	if (!(seconds > 0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"budget\" must be positive")));
	return seconds;
}

/*
 * search_rules(policy text, budget interval, seed bigint)
 */
Datum
sdcf_search_rules(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcPgHost *host;
	SdcFrontierPoint **point;
	double seconds = USUAL_BUDGET;
	int count;
	int i;

	sdcpg_args_need(fcinfo, 0);
	if (!PG_ARGISNULL(1))
		seconds = seconds_of(PG_GETARG_INTERVAL_P(1));
	host = sdcpg_host_begin("search_rules", CurrentMemoryContext);
	point = sdcpg_frontier_search(host, text_to_cstring(PG_GETARG_TEXT_PP(0)),
								  seconds, seed_of(fcinfo, 2), &count);
	for (i = 0; i < count; i++)
		sdcpg_frontier_put(result, point[i]);
	sdcpg_host_end(host);
	return (Datum) 0;
}
