/*
 * ledger.c
 *		What has been spent of the budgets: counted so that nothing undoes it.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parse_node.h"
#include "replication/message.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/lock.h"
#include "storage/lwlock.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "topic/privacy/dataset.h"
#include "topic/privacy/ledger.h"

/* ----------------------------------------------------------------------
 * What has been spent of the budgets: counted so that nothing undoes it.
 *
 * A budget has two sequences, sdc.dp_spent_ID and sdc.dp_delta_ID, whose last
 * values are what has been spent.  Sequences are the one thing in a database
 * that a ROLLBACK leaves alone: setval is logged and holds at once for all.
 * A lock of the session, not of the transaction, guards the step from looking
 * to setting; it is released before the log is flushed, so that those who
 * wait share one flush.  Nothing is answered before the flush.
 *
 * Nothing is ever paid back.  A refund for a request that failed would make
 * failing a way to ask, free of charge.
 * ----------------------------------------------------------------------
 */

/* Kinds of advisory locks that SQL can take are 1 and 2. */
#define LOCK_KIND 93

/* The two counters of a budget. */
static const char *const counters[2] = {"dp_spent_", "dp_delta_"};

bool
sdcpg_ledger_exists(int64 budget)
{
	Oid schema = get_namespace_oid("sdc", false);
	int i;

	for (i = 0; i < 2; i++)
		if (OidIsValid(get_relname_relid(
				psprintf("%s" INT64_FORMAT, counters[i], budget), schema)))
			return true;
	return false;
}

static Oid
counter_of(int64 budget, int which)
{
	char *name = psprintf("%s" INT64_FORMAT, counters[which], budget);
	Oid oid = get_relname_relid(name, get_namespace_oid("sdc", false));

	if (!OidIsValid(oid) || get_rel_relkind(oid) != RELKIND_SEQUENCE ||
		get_rel_persistence(oid) != RELPERSISTENCE_PERMANENT)
		ereport(
			ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("sequence \"sdc.%s\" is missing or not kept by a crash",
					name),
			 errdetail("What has been spent of a budget is not known, so "
					   "nothing more is spent.")));
	return oid;
}

/* To be called as the owner of the sequence. */
static int64
read_counter(Oid oid)
{
	LOCAL_FCINFO(call, 1);
	Datum last;

	InitFunctionCallInfoData(*call, NULL, 1, InvalidOid, NULL, NULL);
	call->args[0].value = ObjectIdGetDatum(oid);
	call->args[0].isnull = false;
	last = pg_sequence_last_value(call);
	/* a counter is set when it is made, so it always has a last value */
	if (call->isnull || DatumGetInt64(last) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("sequence \"sdc.%s\" does not tell what was spent",
						get_rel_name(oid)),
				 errhint("A dump restored without data has lost it. Make the "
						 "data set again under another name.")));
	return DatumGetInt64(last);
}

static void
set_counter(Oid oid, int64 value)
{
	DirectFunctionCall2(setval_oid, ObjectIdGetDatum(oid),
						Int64GetDatum(value));
}

static void
become_owner(Oid *user, int *context)
{
	GetUserIdAndSecContext(user, context);
	SetUserIdAndSecContext(sdcpg_catalog_owner("dp_dataset"),
						   *context | SECURITY_LOCAL_USERID_CHANGE);
}

/* Stops when default privileges let others at a new counter. */
static void
check_privileges(Oid oid)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(oid));
	bool isnull;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", oid);
	(void) SysCacheGetAttr(RELOID, tuple, Anum_pg_class_relacl, &isnull);
	ReleaseSysCache(tuple);
	if (!isnull)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_GRANT_OPERATION),
				 errmsg("default privileges on sequences would let others "
						"change what was spent"),
				 errhint("Revoke them with ALTER DEFAULT PRIVILEGES.")));
}

/*
 * Makes a sequence of bigint from 0 on, to be called as the owner of sdc.  Not
 * by a statement: that would fire event triggers, whose functions are written
 * for the rights, and with the search path, of who makes something.
 */
static void
make_counter(const char *name)
{
	CreateSeqStmt *statement = makeNode(CreateSeqStmt);
	ParseState *state = make_parsestate(NULL);

	statement->sequence = makeRangeVar(pstrdup("sdc"), pstrdup(name), -1);
	statement->options =
		list_make2(makeDefElem("minvalue", (Node *) makeInteger(0), -1),
				   makeDefElem("start", (Node *) makeInteger(0), -1));
	(void) DefineSequence(state, statement);
	free_parsestate(state);
	CommandCounterIncrement();
}

void
sdcpg_ledger_make(int64 budget)
{
	Oid user;
	int context;
	int i;

	for (i = 0; i < 2; i++)
	{
		Oid oid;

		become_owner(&user, &context);
		make_counter(psprintf("%s" INT64_FORMAT, counters[i], budget));
		oid = counter_of(budget, i);
		check_privileges(oid);
		set_counter(oid, 0);
		SetUserIdAndSecContext(user, context);
	}
}

SdcAmount
sdcpg_ledger_spent(int64 budget)
{
	Oid oid[2] = {counter_of(budget, 0), counter_of(budget, 1)};
	SdcAmount spent;
	Oid user;
	int context;

	become_owner(&user, &context);
	spent.first = read_counter(oid[0]);
	spent.second = read_counter(oid[1]);
	SetUserIdAndSecContext(user, context);
	return spent;
}

void
sdcpg_ledger_check(void)
{
	PreventCommandDuringRecovery("a request under differential privacy");
	PreventCommandIfReadOnly("a request under differential privacy");
	PreventCommandIfParallelMode("a request under differential privacy");
}

/* A counter that this transaction made would go with it. */
static void
check_committed(Oid oid)
{
	Relation sequence = relation_open(oid, AccessShareLock);
	bool made_here = sequence->rd_createSubid != InvalidSubTransactionId;

	relation_close(sequence, NoLock);
	if (made_here)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a budget cannot be spent by the transaction that "
						"made it"),
				 errdetail("A ROLLBACK would take back what was spent."),
				 errhint("Commit first.")));
}

/* Stops unless so much is left; says what is missing, not of whom. */
static void
check_left(int64 spent, int64 cost, int64 limit, const char *whose)
{
	if (cost > 0 && (spent > limit || cost > limit - spent))
		ereport(
			ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("privacy budget is exhausted"),
			 errdetail("The request costs more than is left of %s.", whose),
			 errhint(
				 "The function sdc.remaining_budget tells what is left.")));
}

/* Looks and sets, under the lock; returns the end of the log record. */
static XLogRecPtr
spend(const SdcBudget *budget, const Oid oid[][2], int budgets, SdcAmount cost)
{
	static const char *const whose[] = {"the budget of the data set",
										"the budget of the role"};
	int64 spent[2][2];
	int i;
	int j;

	for (i = 0; i < budgets; i++)
		for (j = 0; j < 2; j++)
		{
			spent[i][j] = read_counter(oid[i][j]);
			check_left(spent[i][j], j == 0 ? cost.first : cost.second,
					   j == 0 ? budget[i].limit.first : budget[i].limit.second,
					   whose[i]);
		}
	for (i = 0; i < budgets; i++)
	{
		set_counter(oid[i][0], spent[i][0] + cost.first);
		if (cost.second > 0)
			set_counter(oid[i][1], spent[i][1] + cost.second);
	}
	return XactLastRecEnd;
}

/*
 * Waits for synchronous standbys, whatever synchronous_commit the session
 * has; the wait ends early, with a warning only, when it is cancelled.
 */
static void
wait_for_standbys(XLogRecPtr record)
{
	bool reached;
	int level;

	if (max_wal_senders == 0 || SyncRepStandbyNames == NULL ||
		SyncRepStandbyNames[0] == '\0')
		return;
	level = NewGUCNestLevel();
	if (synchronous_commit < SYNCHRONOUS_COMMIT_REMOTE_FLUSH)
		sdcpg_set_for_now("synchronous_commit", "on");
	HOLD_INTERRUPTS();
	SyncRepWaitForLSN(record, false);
	RESUME_INTERRUPTS();
	AtEOXact_GUC(false, level);
	LWLockAcquire(SyncRepLock, LW_SHARED);
	reached = record <= WalSndCtl->lsn[SYNC_REP_WAIT_FLUSH];
	LWLockRelease(SyncRepLock);
	if (!reached)
		ereport(ERROR,
				(errcode(ERRCODE_OPERATOR_INTERVENTION),
				 errmsg("the charge did not reach the synchronous standbys"),
				 errdetail("It stays charged, and nothing is answered.")));
}

/* Traces that a ROLLBACK leaves: the log of the server and the WAL. */
static XLogRecPtr
trace(const SdcDataset *dataset, SdcAmount cost)
{
	char *message =
		psprintf("data set " INT64_FORMAT " role %u cost " INT64_FORMAT
				 " delta " INT64_FORMAT,
				 dataset->id, GetUserId(), cost.first, cost.second);

	ereport(
		LOG_SERVER_ONLY,
		(errhidestmt(true),
		 errmsg("sdc ledger: data set \"%s\", role \"%s\": cost %lld "
				"1e-9 of %s, %lld 1e-18 of delta",
				dataset->name, GetUserNameFromId(GetUserId(), false),
				(long long) cost.first,
				dataset->accounting == SDC_ACCOUNTING_ZCDP ? "rho" : "epsilon",
				(long long) cost.second)));
	return sdc_log_logical_message("sdc.dp_ledger", message, strlen(message));
}

static void
write_log(const SdcDataset *dataset, const SdcBudget *grant, SdcAmount cost,
		  const char *request)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(dataset->id),
					   false);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(grant->id), false);
	sdcpg_catalog_bind_text(&parameters,
							GetUserNameFromId(GetUserId(), false));
	sdcpg_catalog_bind_text(&parameters, request);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(cost.first), false);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(cost.second),
					   false);
	sdcpg_dataset_note_parts(dataset->id, dataset->oid);
	(void) sdcpg_catalog_write_often(
		"dp_log",
		"INSERT INTO sdc.dp_log (dataset, budget, role_name, request, cost, "
		"delta_cost) VALUES ($1, $2, $3, $4, $5, $6)",
		&parameters);
}

void
sdcpg_ledger_charge(const SdcDataset *dataset, const SdcBudget *grant,
					SdcAmount cost, const char *request)
{
	SdcBudget budget[2] = {{dataset->id, dataset->limit}, *grant};
	Oid oid[2][2];
	LOCKTAG tag;
	Oid user;
	int context;
	XLogRecPtr record = InvalidXLogRecPtr;
	XLogRecPtr traced;
	int i;

	sdcpg_ledger_check();
	for (i = 0; i < 4; i++)
	{
		oid[i / 2][i % 2] = counter_of(budget[i / 2].id, i % 2);
		check_committed(oid[i / 2][i % 2]);
	}
	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32) (dataset->id >> 32),
						 (uint32) dataset->id, LOCK_KIND);
	become_owner(&user, &context);
	(void) LockAcquire(&tag, ExclusiveLock, true, false);
	PG_TRY();
	{
		record = spend(budget, (const Oid(*)[2]) oid, 2, cost);
	}
	PG_FINALLY();
	{
		LockRelease(&tag, ExclusiveLock, true);
	}
	PG_END_TRY();
	SetUserIdAndSecContext(user, context);
	traced = trace(dataset, cost);
	record = Max(record, traced);
	XLogFlush(record);
	wait_for_standbys(record);
	write_log(dataset, grant, cost, request);
}

/* ----------------------------------------------------------------------
 * sdc.remaining_budget: what is left of the budgets that the caller has.
 *
 * A role sees its own budgets and those of the data sets they are part of;
 * who owns the table sees those of all.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_remaining_budget);

/* $1: name of the data set or NULL; $2: the caller. */
static const char *const budgets_query =
	"WITH data AS (SELECT d.*, EXISTS (SELECT FROM pg_catalog.pg_class AS c "
	"WHERE c.oid OPERATOR(pg_catalog.=) d.relation::pg_catalog.oid AND "
	"pg_catalog.pg_has_role($2, c.relowner, 'USAGE')) AS own "
	"FROM sdc.dp_dataset AS d "
	"WHERE $1 IS NULL OR d.name OPERATOR(pg_catalog.=) $1), "
	"budget AS (SELECT b.* FROM sdc.dp_budget AS b "
	"JOIN data ON data.id OPERATOR(pg_catalog.=) b.dataset "
	"WHERE data.own OR b.role::pg_catalog.oid OPERATOR(pg_catalog.=) $2) "
	"SELECT data.name, NULL::pg_catalog.text AS role, data.accounting, "
	"data.id, data.epsilon, data.delta, (SELECT "
	"pg_catalog.sum(l.cost)::pg_catalog.int8 FROM sdc.dp_log AS l WHERE "
	"l.dataset OPERATOR(pg_catalog.=) data.id) FROM data WHERE data.own OR "
	"EXISTS (SELECT FROM budget WHERE budget.dataset "
	"OPERATOR(pg_catalog.=) data.id) "
	"UNION ALL "
	"SELECT data.name, budget.role::pg_catalog.text, data.accounting, "
	"budget.id, budget.epsilon, budget.delta, (SELECT "
	"pg_catalog.sum(l.cost)::pg_catalog.int8 FROM sdc.dp_log AS l WHERE "
	"l.budget OPERATOR(pg_catalog.=) budget.id) FROM budget JOIN data ON "
	"data.id OPERATOR(pg_catalog.=) budget.dataset "
	"ORDER BY 1, 2 NULLS FIRST";

/* The row of one budget; the amounts follow name, role and unit. */
static void
put_budget(ReturnSetInfo *result, const Datum *row, const bool *rownull)
{
	SdcAccounting accounting = (SdcAccounting) sdcpg_args_choice(
		"accounting", DatumGetTextPP(row[2]), sdcpg_budget_accounting);
	SdcAmount limit = sdcpg_budget_limit(accounting, DatumGetNumeric(row[4]),
										 DatumGetNumeric(row[5]));
	SdcAmount spent = sdcpg_ledger_spent(DatumGetInt64(row[3]));
	int64 logged = rownull[6] ? 0 : DatumGetInt64(row[6]);
	Datum values[10];
	bool isnull[10] = {false, rownull[1]};

	values[0] = row[0];
	values[1] = row[1];
	values[2] = CStringGetTextDatum(
		accounting == SDC_ACCOUNTING_ZCDP ? "rho" : "epsilon");
	values[3] = sdcpg_budget_numeric(limit.first, 9);
	values[4] = sdcpg_budget_numeric(spent.first, 9);
	values[5] =
		sdcpg_budget_numeric(Max(limit.first - spent.first, INT64CONST(0)), 9);
	values[6] = sdcpg_budget_numeric(limit.second, 18);
	values[7] = sdcpg_budget_numeric(spent.second, 18);
	values[8] = sdcpg_budget_numeric(
		Max(limit.second - spent.second, INT64CONST(0)), 18);
	values[9] = sdcpg_budget_numeric(spent.first - logged, 9);
	sdcpg_result_put(result, values, isnull);
}

/* remaining_budget(dataset text) */
Datum
sdcf_remaining_budget(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int64 i;

	sdcpg_catalog_bind(&parameters, TEXTOID,
					   PG_ARGISNULL(0) ? (Datum) 0 : PG_GETARG_DATUM(0),
					   PG_ARGISNULL(0));
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(GetUserId()),
					   false);
	rows = sdcpg_catalog_read_owned("dp_dataset", budgets_query, &parameters);
	for (i = 0; i < rows->count; i++)
		put_budget(result, rows->value[i], rows->isnull[i]);
	return (Datum) 0;
}
