/*
 * frontier_measures.c
 *		What candidates are measured by: constraints, risk and loss.
 *
 * Risk and loss become two more constraints, with a bound that nobody looks
 * at, so that the words and the way to measure are those of a release, and an
 * attack that a constraint needs is run once.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "pg/call/params.h"
#include "pg/call/params_names.h"
#include "pg/frontier/frontier.h"
#include "pg/server/compat.h"

/* Without params.risk: the worst attack. */
#define RISK  "{\"attack\": \"worst\"}"
#define BOUND "{\"<=\": 0}"

static const char *const bounds[] = {"<=", "<", ">=", ">", NULL};

/* Lines of which more is better, or which are neither risk nor loss. */
static const struct
{
	SdcGateKind kind;
	const char *word;
} unfit[] = {{SDC_GATE_MEASURE, "records"},
			 {SDC_GATE_MEASURE, "classes"},
			 {SDC_GATE_MEASURE, "k_anonymity"},
			 {SDC_GATE_MEASURE, "average_class"},
			 {SDC_GATE_MEASURE, "largest_class"},
			 {SDC_GATE_MEASURE, "population"},
			 {SDC_GATE_MEASURE, "sampling_fraction"},
			 {SDC_GATE_MEASURE, "risk_threshold"},
			 {SDC_GATE_MEASURE, "k_map"},
			 {SDC_GATE_MEASURE, "l_distinct"},
			 {SDC_GATE_MEASURE, "l_entropy"},
			 {SDC_GATE_MEASURE, "l_frequency"},
			 {SDC_GATE_MEASURE, "l_recursive"},
			 {SDC_GATE_UTILITY, "precision"}};

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

bool
sdcpg_frontier_is_fit(const SdcGateConstraint *constraint)
{
	int i;

	for (i = 0; i < lengthof(unfit); i++)
		if (unfit[i].kind == constraint->kind &&
			strcmp(unfit[i].word, constraint->word) == 0)
			return false;
	return true;
}

ArrayType *
sdcpg_frontier_attacks(void)
{
	Datum element[2];

	element[0] = CStringGetTextDatum("distance");
	element[1] = CStringGetTextDatum("transparency");
	return construct_array(element, 2, TEXTOID, -1, false, TYPALIGN_INT);
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
	for (bound = bounds; *bound != NULL; bound++)
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
	if (!sdcpg_frontier_is_fit(&gate.constraint[0]))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"%s\" cannot be the %s",
							   gate.constraint[0].word, key),
						errdetail("Less of it is not better."),
						errhint("As a constraint it can be used.")));
	return gate.constraint[0];
}

void
sdcpg_frontier_measures(SdcFrontier *frontier, Jsonb *constraints, Jsonb *risk,
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
