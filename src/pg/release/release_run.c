/*
 * release_run.c
 *		One run of sdc.release: from the lock to the verdict in the history.
 *
 * First transaction: the lock, and a row "running" in the history.  Second
 * transaction, in one snapshot: mask, attack, measure, judge, publish, and the
 * verdict.  What is published and what the history says of it so become true
 * at the same instant, and whatever ends the session between them leaves a row
 * that says "running" while nobody has the lock.
 *
 * All work is in a subtransaction.  When it fails, or the gate says no, it is
 * rolled back, staging tables with it, and only the verdict is committed.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

#include "pg/call/catalog.h"
#include "pg/release/document.h"
#include "pg/release/drift.h"
#include "pg/release/gate_case.h"
#include "pg/release/history.h"
#include "pg/release/publish.h"
#include "pg/release/release_document.h"
#include "pg/release/release_run.h"
#include "pg/release/seed_hash.h"
#include "pg/release/staging.h"
#include "pg/server/compat.h"

/* One run; all in memory, which outlives transactions. */
typedef struct Run
{
	MemoryContext memory;
	SdcPolicy *policy;
	const char *target;
	bool seeded;
	int64 seed;
	int64 release;
	SdcStaging *staging; /* one for each table of the policy */
	/* what the history is told */
	const char *status;
	char *snapshot;
	Jsonb *relations;
	Jsonb *measures;
	StringInfoData reason; /* what did not pass */
} Run;

static Jsonb *
relations_document(const Run *run)
{
	StringInfoData document;
	int i;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '[');
	for (i = 0; i < run->policy->count; i++)
		sdcpg_release_document_relation(
			&document, &run->policy->relation[i],
			run->staging == NULL ? NULL : &run->staging[i]);
	sdcpg_document_close(&document, '[');
	return sdcpg_document_end(&document);
}

/* A reason why nothing is published. */
static void
refuse(Run *run, const char *relation, const char *what)
{
	run->status = "refused";
	appendStringInfo(&run->reason, "%s%s: %s", run->reason.len > 0 ? " " : "",
					 relation, what);
}

/* Stops when the policy as a whole asks for nothing, or names one target. */
static void
check_policy(const Run *run)
{
	int constraints = 0;
	int i;

	for (i = 0; i < run->policy->count; i++)
		constraints +=
			sdcpg_gate_read(run->policy->relation[i].constraints).count;
	if (constraints == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("policy \"%s\" has no constraint", run->policy->name),
				 errdetail("Nothing would keep a bad release back.")));
	if (run->target != NULL && run->policy->count != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"target\" is for policies of one table"),
				 errhint("Write \"schema\" and \"table\" in the params of "
						 "each table.")));
}

/* Stops when two tables of the policy would be published under one name. */
static void
check_targets(const Run *run)
{
	int i;
	int j;

	for (i = 0; i < run->policy->count; i++)
		for (j = 0; j < i; j++)
			if (strcmp(run->staging[i].target, run->staging[j].target) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_DUPLICATE_TABLE),
						 errmsg("two tables of policy \"%s\" would be "
								"published as %s",
								run->policy->name, run->staging[i].target)));
}

/*
 * Locks all tables against changes of their columns and against TRUNCATE,
 * which a snapshot does not undo.
 */
static void
lock_tables(const Run *run)
{
	int i;

	for (i = 0; i < run->policy->count; i++)
	{
		(void) sdcpg_relation_find(run->policy->relation[i].oid);
		(void) find_all_inheritors(run->policy->relation[i].oid,
								   AccessShareLock, NULL);
	}
}

static void
need_all_rows(const SdcRelation *relation)
{
	if (relation->row_security)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("row-level security hides rows of relation \"%s\"",
						relation->name),
				 errdetail("A release of the visible rows would be taken for "
						   "one of the whole table."),
				 errhint("Let the owner of the policy see all rows.")));
}

/* Refuses the release for what nobody has decided about. */
static void
look_for_drift(Run *run)
{
	int i;

	for (i = 0; i < run->policy->count; i++)
	{
		const SdcPolicyRelation *relation = &run->policy->relation[i];
		SdcRelation *original = sdcpg_relation_find(relation->oid);
		ListCell *cell;

		need_all_rows(original);
		foreach (cell, sdcpg_drift_find(original, relation))
		{
			SdcDrift *drift = lfirst(cell);

			refuse(
				run, original->sql,
				psprintf("column \"%s\": %s", drift->column, drift->reason));
		}
	}
}

/* Resolves where everything is to be published. */
static void
plan(Run *run)
{
	int i;

	run->staging = palloc0(sizeof(SdcStaging) * run->policy->count);
	for (i = 0; i < run->policy->count; i++)
	{
		sdcpg_staging_plan(&run->staging[i], &run->policy->relation[i],
						   run->target);
		sdcpg_publish_check(&run->staging[i], run->policy->name);
	}
	check_targets(run);
}

static void
note_snapshot(Run *run)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(
		"SELECT pg_catalog.pg_current_snapshot()::pg_catalog.text", NULL);

	run->snapshot = TextDatumGetCString(rows->value[0][0]);
}

/* Judges the masked form of one table. */
static void
judge(Run *run, const SdcStaging *staging, StringInfo document)
{
	SdcGateCase *of = sdcpg_gate_case(staging->policy, staging->masked->oid);
	SdcGate gate = sdcpg_gate_read(staging->policy->constraints);
	SdcEvidence *evidence;
	SdcGateResult *result;
	int i;

	of->seeded = run->seeded;
	of->seed = run->seed;
	evidence = sdcpg_evidence_begin(of);
	result = sdcpg_gate_judge(&gate, evidence);
	sdcpg_release_document_complete(evidence);
	sdcpg_release_document_measures(document, staging, &gate, result,
									evidence);
	for (i = 0; i < gate.count; i++)
		if (!result[i].passed)
			refuse(run, staging->original->sql,
				   psprintf("\"%s\" does not hold. %s",
							result[i].constraint->sentence, result[i].detail));
}

/* Masks all tables, and judges each. */
static void
mask_and_judge(Run *run)
{
	StringInfoData document;
	int i;

	for (i = 0; i < run->policy->count; i++)
		sdcpg_staging_mask(&run->staging[i], run->release, i + 1, run->seeded,
						   run->seed);
	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '[');
	for (i = 0; i < run->policy->count; i++)
		judge(run, &run->staging[i], &document);
	sdcpg_document_close(&document, '[');
	run->measures = sdcpg_document_end(&document);
}

/* Everything between the lock and the verdict. */
static void
work(Run *run)
{
	int i;

	check_policy(run);
	lock_tables(run);
	PushActiveSnapshot(GetTransactionSnapshot());
	note_snapshot(run);
	look_for_drift(run);
	if (run->status == NULL)
	{
		plan(run);
		mask_and_judge(run);
	}
	if (run->status == NULL)
	{
		for (i = 0; i < run->policy->count; i++)
			sdcpg_publish(&run->staging[i]);
		run->status = "published";
	}
	run->relations = relations_document(run);
	PopActiveSnapshot();
}

/*
 * Does the work in a subtransaction, which stays only if something was
 * published.  Returns the error that ended it, or NULL.
 */
static ErrorData *
attempt(Run *run)
{
	MemoryContext caller = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData *volatile failure = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(run->memory);
	PG_TRY();
	{
		work(run);
		if (strcmp(run->status, "published") == 0)
			ReleaseCurrentSubTransaction();
		else
			RollbackAndReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(run->memory);
		failure = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller);
	CurrentResourceOwner = owner;
	return failure;
}

/*
 * What the history says of an error.  A message of PostgreSQL about data may
 * quote a value of them, and one of a trigger or function may say anything.
 */
static char *
failure_reason(const ErrorData *failure)
{
	int class = ERRCODE_TO_CATEGORY(failure->sqlerrcode);

	if ((class == ERRCODE_DATA_EXCEPTION &&
		 failure->sqlerrcode != ERRCODE_INVALID_PARAMETER_VALUE) ||
		class == ERRCODE_TO_CATEGORY(ERRCODE_RAISE_EXCEPTION))
		return psprintf("An error (SQLSTATE %s) ended the run; its message, "
						"which may quote values, is in the log of the server.",
						unpack_sql_state(failure->sqlerrcode));
	return psprintf("An error (SQLSTATE %s) ended the run: %s",
					unpack_sql_state(failure->sqlerrcode), failure->message);
}

/* Writes the verdict and commits it, and what was published with it. */
static void
conclude(Run *run, const ErrorData *failure)
{
	MemoryContext caller = MemoryContextSwitchTo(run->memory);
	const char *status = failure != NULL ? "failed" : run->status;
	const char *reason = failure != NULL       ? failure_reason(failure)
						 : run->reason.len > 0 ? run->reason.data
											   : NULL;

	sdcpg_history_end(run->release, status, run->snapshot,
					  run->seeded ? sdcpg_seed_hash(run->policy->name,
													run->release, run->seed)
								  : NULL,
					  run->relations, run->measures, reason);
	MemoryContextSwitchTo(caller);
	SPI_commit();
}

/* Takes the lock and notes that a run begins; committed. */
static void
begin(Run *run)
{
	if (!sdcpg_history_lock(run->policy->name))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_IN_USE),
						errmsg("policy \"%s\" is being released already",
							   run->policy->name)));
	PG_TRY();
	{
		run->release =
			sdcpg_history_begin(run->policy, relations_document(run));
		SPI_commit();
	}
	PG_CATCH();
	{
		sdcpg_history_unlock(run->policy->name);
		PG_RE_THROW();
	}
	PG_END_TRY();
}

/* Tells the caller that nothing was published. */
static void
tell_refused(const Run *run)
{
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("release " INT64_FORMAT " of policy \"%s\" is refused",
					run->release, run->policy->name),
			 errdetail_internal("%s", run->reason.data),
			 errhint("Nothing was published; sdc.releases shows what was "
					 "measured.")));
}

void
sdcpg_release_run(const char *policy, const char *target, bool seeded,
				  int64 seed)
{
	Run run = {0};
	ErrorData *failure;
	MemoryContext caller;

	run.memory = AllocSetContextCreate(PortalContext, "sdc release",
									   ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(run.memory);
	run.target = target;
	run.seeded = seeded;
	run.seed = seed;
	initStringInfo(&run.reason);
	run.policy = sdcpg_policy_find(policy);
	sdcpg_policy_need_owner(run.policy);
	begin(&run);
	PG_TRY();
	{
		XactIsoLevel = XACT_REPEATABLE_READ;
		failure = attempt(&run);
		conclude(&run, failure);
	}
	PG_CATCH();
	{
		sdcpg_history_unlock(run.policy->name);
		PG_RE_THROW();
	}
	PG_END_TRY();
	sdcpg_history_unlock(run.policy->name);
	MemoryContextSwitchTo(caller);
	if (failure != NULL)
		ReThrowError(failure);
	if (strcmp(run.status, "published") != 0)
		tell_refused(&run);
}
