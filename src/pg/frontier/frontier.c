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
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

#include "pg/frontier/frontier.h"
#include "pg/mask/rules.h"
#include "pg/model/repeats.h"
#include "pg/release/gate_case.h"
#include "pg/server/compat.h"

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

/* A name that no temporary table of the session has. */
static char *
temporary_name(void)
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
	Oid types[5] = {REGCLASSOID, JSONBOID, NAMEOID, TEXTOID, INT8OID};
	const char *id = frontier->of.id;
	char nulls[5] = {' ', ' ', id == NULL ? 'n' : ' ', ' ', ' '};
	char *name = temporary_name();
	Datum values[5];
	SPIPlanPtr plan;

	values[0] = ObjectIdGetDatum(frontier->of.original->oid);
	values[1] = JsonbPGetDatum(rules);
	values[2] =
		id == NULL ? 0 : DirectFunctionCall1(namein, CStringGetDatum(id));
	values[3] = CStringGetTextDatum(psprintf(TEMPORARY ".%s", name));
	values[4] = Int64GetDatum((int64) seed);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	plan = SPI_prepare(
		"SELECT pg_catalog.count(*) FROM sdc.mask(rel => $1, rules => $2,"
		" id => $3, target => $4, seed => $5)",
		5, types);
	if (plan == NULL ||
		SPI_execute_snapshot(plan, values, nulls, GetActiveSnapshot(),
							 InvalidSnapshot, false, true, 0) < 0)
		elog(ERROR, "could not mask a candidate");
	SPI_finish();
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
	}
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

/* Masks into a temporary table, measures, and leaves the table behind. */
static void
mask_and_measure(const SdcFrontier *frontier, SdcFrontierPoint *point)
{
	uint64 seed = sdcpg_repeats_seed(frontier->seed, point->repeats);
	Jsonb *rules = without_id(frontier, point->rules);
	Oid masked = mask(frontier, rules, seed);

	CommandCounterIncrement();
	PushCopiedSnapshot(GetActiveSnapshot());
	UpdateActiveSnapshotCommandId();
	take_results(
		frontier, point,
		sdcpg_gate_evaluate(&frontier->gate,
							gate_case(frontier, rules, masked, seed)));
	PopActiveSnapshot();
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

/*
 * Masks and measures in a subtransaction that is rolled back.  Returns the
 * error that ended it, or NULL.
 */
static ErrorData *
attempt(const SdcFrontier *frontier, SdcFrontierPoint *point,
		MemoryContext work)
{
	ResourceOwner owner = CurrentResourceOwner;
	ErrorContextCallback *outside = error_context_stack;
	ErrorContextCallback context = {outside, tell_candidate, point};
	ErrorData *volatile failure = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(work);
	PG_TRY();
	{
		error_context_stack = &context;
		mask_and_measure(frontier, point);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(frontier->memory);
		failure = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	error_context_stack = outside;
	RollbackAndReleaseCurrentSubTransaction();
	CurrentResourceOwner = owner;
	return failure;
}

void
sdcpg_frontier_repeat(const SdcFrontier *frontier, SdcFrontierPoint *point)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext work =
		AllocSetContextCreate(caller, "sdc frontier", ALLOCSET_DEFAULT_SIZES);
	ErrorData *failure = attempt(frontier, point, work);

	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	if (failure == NULL)
		return;
	if (!frontier->tolerant || !is_refusal(failure))
		ReThrowError(failure);
	point->refusal = failure->message;
}
