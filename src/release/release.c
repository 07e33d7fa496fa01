/*
 * release.c
 *		sdc.release: masked copies that are published; sdc.releases: their
 *		history.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/server/compat.h"
#include "host/server/error.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "release/document.h"
#include "release/gate.h"
#include "release/gate_beside.h"
#include "release/history.h"
#include "release/policy.h"
#include "release/publish.h"
#include "release/seal.h"
#include "release/versions.h"
#include "topic/registry/attacks.h"
#include "topic/registry/roles.h"
#include "topic/transaction/purchases.h"

/* ----------------------------------------------------------------------
 * What the history keeps of a release: its tables and its measures.
 *
 * The masked table is gone when someone asks, or replaced by a later one, so
 * whatever a report may want to say is kept here.
 * ----------------------------------------------------------------------
 */

/* Adds an array of strings: the names (char *) of a list. */
static void
document_names(StringInfo document, const char *key, List *names)
{
	ListCell *cell;

	sdcpg_document_open(document, key, '[');
	foreach (cell, names)
		sdcpg_document_text(document, NULL, lfirst(cell));
	sdcpg_document_close(document, '[');
}

static char *
qualified_name(Oid oid)
{
	char *name = get_rel_name(oid);

	if (name == NULL)
		return NULL;
	return quote_qualified_identifier(
		get_namespace_name(get_rel_namespace(oid)), name);
}

/* Rows of a table of cells that the history keeps for the report. */
#define MOST_SHOWN 500

/* A published table of cells as people read it. */
static void
document_cells(StringInfo document, const SdcStaging *staging)
{
	Jsonb *protect = staging->params.protect;
	Oid types[4] = {REGCLASSOID, NAMEARRAYOID, NAMEOID, JSONBOID};
	Datum values[4];
	SdcGateCase *of;

	if (protect == NULL || staging->rows > MOST_SHOWN)
		return;
	of = sdcpg_gate_case(staging->policy, staging->seal.oid);
	of->moved = staging->moved;
	values[0] = ObjectIdGetDatum(staging->seal.oid);
	values[1] = PointerGetDatum(
		sdcpg_policy_name_list(sdcpg_policy_table_all_keys(protect)));
	values[2] = DirectFunctionCall1(
		namein,
		CStringGetDatum(sdcpg_params_renamed(
			sdcpg_params_object(protect, "params"), "names", "value")));
	values[3] = JsonbPGetDatum(sdcpg_gate_table_show(of));
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	if (SPI_execute_with_args("SELECT sdc.show_table(relation => $1,"
							  " keys => $2, value => $3, format => 'csv',"
							  " params => $4)",
							  4, types, values, NULL, false, 1) < 0)
		elog(ERROR, "could not show a table");
	sdcpg_document_text(
		document, "shown",
		SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1));
	SPI_finish();
}

/* Adds the parts that a relation has, if any. */
static void
document_parts(StringInfo document, Oid relation)
{
	List *parts = sdcpg_relation_parts(relation);
	ListCell *cell;

	if (parts == NIL)
		return;
	sdcpg_document_open(document, "parts", '[');
	foreach (cell, parts)
		sdcpg_document_text(document, NULL, psprintf("%u", lfirst_oid(cell)));
	sdcpg_document_close(document, '[');
}

/*
 * Adds the object of one table to sdc.release_history.relations; staging is
 * NULL while nothing but the policy is known.
 */
static void
release_document_relation(StringInfo document, const SdcPolicyRelation *policy,
						  const SdcStaging *staging)
{
	sdcpg_document_open(document, NULL, '{');
	sdcpg_document_text(document, "relation", qualified_name(policy->oid));
	sdcpg_document_jsonb(document, "rules", policy->rules);
	sdcpg_document_jsonb(document, "constraints", policy->constraints);
	sdcpg_document_jsonb(document, "params", policy->params);
	if (staging != NULL && staging->target != NULL)
		sdcpg_document_text(document, "target", staging->target);
	if (staging != NULL && staging->masked != NULL)
	{
		sdcpg_document_jsonb(document, "columns",
							 sdcpg_policy_columns(staging->original));
		document_names(document, "published", staging->published);
		document_names(document, "withheld",
					   staging->params.protect != NULL
						   ? NIL
						   : sdcpg_published_blank(policy, staging->original,
												   staging->published));
		sdcpg_document_integer(document, "rows", staging->rows);
		/* a table that is renamed, or a part that is detached, is the same */
		sdcpg_document_integer(document, "oid", staging->original->oid);
		document_parts(document, staging->original->oid);
	}
	if (staging != NULL && OidIsValid(staging->seal.oid))
	{
		sdcpg_document_text(document, "owner", staging->seal.owner);
		sdcpg_document_text(document, "definition", staging->seal.definition);
		sdcpg_document_text(document, "digest", staging->seal.rows);
		document_cells(document, staging);
		if (staging->told != NULL)
			sdcpg_document_jsonb(document, "told", staging->told);
	}
	sdcpg_document_close(document, '{');
}

static bool
has_function(const char *name)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, name);
	return sdcpg_catalog_read(
			   "SELECT 1 WHERE EXISTS (SELECT FROM pg_catalog.pg_proc AS p"
			   " JOIN pg_catalog.pg_namespace AS n"
			   " ON n.oid OPERATOR(pg_catalog.=) p.pronamespace"
			   " WHERE n.nspname OPERATOR(pg_catalog.=)"
			   " 'sdc'::pg_catalog.name AND p.proname"
			   " OPERATOR(pg_catalog.=) $1::pg_catalog.name)",
			   &parameters)
			   ->count > 0;
}

/*
 * Makes what reports and attacks there are beyond those that constraints
 * needed: all that apply.
 */
static void
release_document_complete(SdcEvidence *evidence)
{
	const SdcGateCase *of = evidence->of;
	const SdcAttack *const *row;

	if (of->protect != NULL)
	{
		(void) sdcpg_evidence_report(evidence, SDC_GATE_TABLE, NULL, NULL,
									 false);
		return;
	}
	if (sdcpg_evidence_reports(of, SDC_GATE_MEASURE))
	{
		(void) sdcpg_evidence_report(evidence, SDC_GATE_MEASURE, NULL, NULL,
									 true);
		(void) sdcpg_evidence_report(evidence, SDC_GATE_MEASURE, NULL, NULL,
									 false);
	}
	if (of->id == NULL)
		return;
	if (sdcpg_evidence_reports(of, SDC_GATE_DISCLOSURE))
		(void) sdcpg_evidence_report(evidence, SDC_GATE_DISCLOSURE, NULL, NULL,
									 false);
	if (sdcpg_evidence_reports(of, SDC_GATE_UTILITY) &&
		has_function("utility_report"))
		(void) sdcpg_evidence_report(evidence, SDC_GATE_UTILITY, NULL, NULL,
									 false);
	for (row = sdcpg_attacks; *row != NULL; row++)
		if (sdcpg_attack_is_chosen(*row, of->attacks) ||
			(of->attacks == NULL &&
			 sdcpg_attack_is_of_events(*row, of->original)) ||
			sdcpg_gate_looks_back(of, *row))
			(void) sdcpg_evidence_attack(evidence, *row, NULL, NULL);
}

static void
put_gate(StringInfo document, const SdcGate *gate, const SdcGateResult *result)
{
	int i;

	sdcpg_document_open(document, "gate", '[');
	for (i = 0; i < gate->count; i++)
	{
		sdcpg_document_open(document, NULL, '{');
		sdcpg_document_integer(document, "place", result[i].constraint->place);
		sdcpg_document_text(document, "requirement",
							result[i].constraint->sentence);
		sdcpg_document_number(document, "value", result[i].value);
		sdcpg_document_number(document, "bound", result[i].constraint->bound);
		sdcpg_document_boolean(document, "passed", result[i].passed);
		sdcpg_document_text(document, "detail", result[i].detail);
		sdcpg_document_close(document, '{');
	}
	sdcpg_document_close(document, '[');
}

/* The lines of the usual report of a kind; an empty array without one. */
static void
put_report(StringInfo document, const char *key, const SdcEvidence *evidence,
		   SdcGateKind kind, bool original)
{
	ListCell *cell;
	int i;

	sdcpg_document_open(document, key, '[');
	foreach (cell, evidence->reports)
	{
		const SdcEvidenceReport *report = lfirst(cell);

		if (report->kind != kind || report->original != original ||
			(kind != SDC_GATE_TABLE &&
			 (report->measure != NULL || report->params != NULL)))
			continue;
		for (i = 0; i < report->count; i++)
		{
			const SdcEvidenceLine *line = &report->line[i];

			sdcpg_document_open(document, NULL, '{');
			sdcpg_document_text(document, "measure", line->measure);
			sdcpg_document_text(document, "subject", line->subject);
			sdcpg_document_number(document, "value", line->value);
			sdcpg_document_text(document, "detail", line->detail);
			sdcpg_document_close(document, '{');
		}
	}
	sdcpg_document_close(document, '[');
}

static void
put_attacks(StringInfo document, const SdcEvidence *evidence)
{
	ListCell *cell;
	int i;

	sdcpg_document_open(document, "attacks", '[');
	foreach (cell, evidence->attacks)
	{
		const SdcEvidenceAttack *run = lfirst(cell);
		const SdcAttackOutcome *outcome = &run->outcome;

		sdcpg_document_open(document, NULL, '{');
		sdcpg_document_text(document, "attack", run->attack->name);
		sdcpg_document_text(document, "variant", run->method);
		sdcpg_document_jsonb(document, "params", run->params);
		if (run->carried)
			sdcpg_document_boolean(document, "carried", true);
		sdcpg_document_text(document, "excuse", outcome->reason);
		if (outcome->reason == NULL)
		{
			sdcpg_document_number(document, "records", outcome->records);
			for (i = 0; i < SDC_ATTACK_STATS; i++)
				sdcpg_document_number(document, sdcpg_attack_stats[i],
									  outcome->stat[i]);
			sdcpg_document_text(document, "sample", outcome->sample);
		}
		sdcpg_document_close(document, '{');
	}
	sdcpg_document_close(document, '[');
}

/* The share of the budget of an attack that knowing less may cost in all. */
#define KNOWING_BUDGET 1e-3

/*
 * The same share for each thing that no attack was given: all of a table of
 * some thousand people, and beyond that a sample to a point or two.
 */
#define BESIDE_BUDGET 1e-4

/* How many columns the intruder is given after so many. */
static int
more_columns(int columns)
{
	return columns < 6 ? columns + 1 : columns + columns / 2;
}

/* The first columns of some as an argument "keys". */
static ArrayType *
name_columns(const SdcRelationColumns *columns, int count)
{
	Datum *name = palloc(sizeof(Datum) * count);
	int i;

	for (i = 0; i < count; i++)
		name[i] = CStringGetDatum(columns->column[i].name);
	return construct_array(name, count, NAMEOID, NAMEDATALEN, false,
						   TYPALIGN_CHAR);
}

/*
 * What the strongest attack finds when the intruder knows fewer columns: the
 * first 1, 2, ... of the keys.
 */
static void
put_steps(StringInfo document, const SdcEvidence *evidence,
		  const SdcRelationColumns *keys)
{
	const SdcEvidenceAttack *run = sdcpg_evidence_strongest(evidence);
	int count;

	if (run == NULL || keys->count == 0 ||
		(run->attack->needs & (SDC_NEEDS_PERSON | SDC_NEEDS_TABLES)))
		return;
	sdcpg_document_text(document, "attack", run->attack->name);
	sdcpg_document_open(document, "steps", '[');
	for (count = 1; count < keys->count; count = more_columns(count))
	{
		SdcAttackOutcome outcome;

		sdcpg_evidence_knowing(evidence, run, name_columns(keys, count), NULL,
							   KNOWING_BUDGET / keys->count, &outcome);
		sdcpg_document_open(document, NULL, '{');
		sdcpg_document_integer(document, "columns", count);
		sdcpg_document_text(document, "last", keys->column[count - 1].name);
		sdcpg_document_number(
			document, "found",
			outcome.reason == NULL ? outcome.stat[SDC_STAT_FOUND] : NAN);
		sdcpg_document_close(document, '{');
	}
	sdcpg_document_open(document, NULL, '{');
	sdcpg_document_integer(document, "columns", keys->count);
	sdcpg_document_text(document, "last", keys->column[keys->count - 1].name);
	sdcpg_document_number(document, "found",
						  run->outcome.stat[SDC_STAT_FOUND]);
	sdcpg_document_close(document, '{');
	sdcpg_document_close(document, '[');
}

/*
 * The share of the people whom somebody finds who knows these columns of them
 * and nothing else: by the rules, or by equal values where these cannot be
 * used.  By values, not by the words of the rules: a rule may change nothing.
 */
static double
found_by_columns(const SdcEvidence *evidence, ArrayType *columns)
{
	static const char *const attacks[] = {"likelihood", "exact"};
	double found = NAN;
	int i;

	for (i = 0; i < lengthof(attacks) && isnan(found); i++)
	{
		SdcEvidenceAttack run = {sdcpg_attack_find(attacks[i])};
		SdcAttackOutcome outcome;

		if (i == 0)
			run.params = DatumGetJsonbP(DirectFunctionCall1(
				jsonb_in, CStringGetDatum("{\"released\": false}")));
		sdcpg_evidence_knowing(evidence, &run, columns, NULL, BESIDE_BUDGET,
							   &outcome);
		if (outcome.reason == NULL && !(outcome.stat[SDC_STAT_FOUND] <= found))
			found = outcome.stat[SDC_STAT_FOUND];
	}
	return found;
}

/* What is published beside the keys, and can be compared. */
static SdcRelationColumns
columns_beside(const SdcGateCase *of, const SdcRelationColumns *keys)
{
	SdcRelationColumns beside = sdcpg_relation_all_columns(of->original);
	int count = 0;
	int i;

	for (i = 0; i < beside.count; i++)
		if (sdcpg_params_is_listed(of->published, beside.column[i].name) &&
			!sdcpg_relation_lists(keys, beside.column[i].number) &&
			sdcpg_type_has_equality(getBaseType(beside.column[i].type)))
			beside.column[count++] = beside.column[i];
	beside.count = count;
	return beside;
}

/*
 * What is found by who knows of people what no attack was given: each column
 * that is published beside the keys, and all that is published.
 */
static void
put_beside(StringInfo document, const SdcEvidence *evidence,
		   const SdcRelationColumns *keys)
{
	SdcRelationColumns beside = columns_beside(evidence->of, keys);
	SdcRelationColumns all = {0};
	SdcRoles *declared = sdcpg_roles_find(evidence->of->original->oid);
	int i;

	all.column =
		palloc(sizeof(SdcRelationColumn) * (keys->count + beside.count));
	for (i = 0; i < keys->count; i++)
		all.column[all.count++] = keys->column[i];
	sdcpg_document_open(document, "beside", '[');
	for (i = 0; i < beside.count; i++)
	{
		const SdcRelationColumns known = {1, &beside.column[i]};
		const char *name = beside.column[i].name;
		const SdcRoleColumn *role = sdcpg_roles_declared(declared, name);

		all.column[all.count++] = beside.column[i];
		sdcpg_document_open(document, NULL, '{');
		sdcpg_document_text(document, "column", name);
		sdcpg_document_text(document, "role",
							role == NULL ? NULL
										 : sdcpg_roles_word(role->role));
		sdcpg_document_number(
			document, "found",
			found_by_columns(evidence, name_columns(&known, 1)));
		sdcpg_document_close(document, '{');
	}
	sdcpg_document_close(document, '[');
	if (beside.count > 0)
		sdcpg_document_number(
			document, "all",
			found_by_columns(evidence, name_columns(&all, all.count)));
}

/* What who knows the rules finds, where the policy does not ask for him. */
static void
put_unasked(StringInfo document, const SdcEvidence *evidence)
{
	SdcEvidenceAttack run = {sdcpg_attack_find("likelihood")};
	SdcAttackOutcome outcome;
	ListCell *cell;

	foreach (cell, evidence->attacks)
		if (((const SdcEvidenceAttack *) lfirst(cell))->attack == run.attack)
			return;
	sdcpg_evidence_knowing(evidence, &run, NULL, NULL, BESIDE_BUDGET,
						   &outcome);
	if (outcome.reason != NULL)
		return;
	sdcpg_document_open(document, "unasked", '{');
	sdcpg_document_text(document, "attack", run.attack->name);
	sdcpg_document_number(document, "found", outcome.stat[SDC_STAT_FOUND]);
	sdcpg_document_close(document, '{');
}

/* What is learned of sensitive values by who knows the keys. */
static void
put_learned(StringInfo document, const SdcEvidence *evidence)
{
	const SdcGateCase *of = evidence->of;
	SdcEvidenceAttack run = {sdcpg_attack_find("attribute_linkage")};
	SdcRelationColumns sensitive;
	int i;

	if (of->sensitive == NULL || of->keys == NULL)
		return;
	sensitive =
		sdcpg_relation_columns(of->original, "sensitive", of->sensitive);
	sdcpg_document_open(document, "learned", '[');
	for (i = 0; i < sensitive.count; i++)
	{
		const SdcRelationColumns one = {1, &sensitive.column[i]};
		SdcAttackOutcome outcome;

		sdcpg_evidence_knowing(evidence, &run, NULL, name_columns(&one, 1),
							   BESIDE_BUDGET, &outcome);
		if (outcome.reason != NULL)
			continue;
		sdcpg_document_open(document, NULL, '{');
		sdcpg_document_text(document, "column", sensitive.column[i].name);
		sdcpg_document_number(document, "found", outcome.stat[SDC_STAT_FOUND]);
		sdcpg_document_number(document, "usual", outcome.usual);
		sdcpg_document_number(document, "certain",
							  outcome.stat[SDC_STAT_K_REID]);
		sdcpg_document_number(document, "unusual", outcome.unusual);
		sdcpg_document_close(document, '{');
	}
	sdcpg_document_close(document, '[');
}

/*
 * What is found by who knows other columns than the keys, and learned by who
 * knows these; NULL where no record is anybody's, and where the policy says
 * that there is nothing to attack.
 */
static Jsonb *
measure_knowing(const SdcEvidence *evidence)
{
	const SdcGateCase *of = evidence->of;
	SdcRelationColumns keys = {0};
	StringInfoData document;

	if (evidence->attacks == NIL || of->protect != NULL || of->id == NULL ||
		get_attnum(of->masked->oid, of->id) == InvalidAttrNumber)
		return NULL;
	if (of->keys != NULL)
		keys = sdcpg_relation_columns(of->original, "keys", of->keys);
	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	put_steps(&document, evidence, &keys);
	put_unasked(&document, evidence);
	put_beside(&document, evidence, &keys);
	put_learned(&document, evidence);
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* The same, of a release before if it is carried over; keeps all of now. */
static void
put_knowing(StringInfo document, const SdcStaging *staging,
			const SdcEvidence *evidence)
{
	Jsonb *carried = evidence->of->knowing;
	Jsonb *knowing = carried != NULL ? NULL : measure_knowing(evidence);

	if (carried != NULL || knowing != NULL)
		sdcpg_document_jsonb(document, "knowing",
							 carried != NULL ? carried : knowing);
	sdcpg_versions_keep(staging->versions, evidence, knowing);
}

/* What came and went, and how many people the difference shows. */
static void
put_changes(StringInfo document, SdcEvidence *evidence)
{
	const SdcAttackChanges *changes = evidence->of->changes;
	const SdcAttackOutcome *outcome;

	if (changes == NULL)
		return;
	outcome = &sdcpg_evidence_attack(
				   evidence, sdcpg_attack_find("differencing"), NULL, NULL)
				   ->outcome;
	sdcpg_document_open(document, "difference", '{');
	sdcpg_document_number(document, "came", changes->came);
	sdcpg_document_number(document, "gone", changes->gone);
	if (outcome->reason == NULL)
		sdcpg_document_number(document, "found", changes->found);
	sdcpg_document_close(document, '{');
}

/* Writes how many classes there are of each size, as a report counted them. */
static void
put_sizes(StringInfo document, const char *key, const SdcClassSizes *sizes)
{
	int i;

	sdcpg_document_open(document, key, '{');
	for (i = 0; i < sizes->count; i++)
		sdcpg_document_integer(document,
							   psprintf(INT64_FORMAT, sizes->size[i]),
							   sizes->classes[i]);
	sdcpg_document_close(document, '{');
}

/* The same counted here, where the report has counted by parts. */
static void
put_histogram(StringInfo document, const char *key, SdcEvidence *evidence,
			  bool original)
{
	const SdcGateCase *of = evidence->of;
	const SdcRelation *table = original ? of->original : of->masked;
	const SdcEvidenceReport *report = sdcpg_evidence_report(
		evidence, SDC_GATE_MEASURE, NULL, NULL, original);
	SdcRelationColumns columns;
	SdcCatalogRows *rows;

	if (report->sizes.count > 0)
	{
		put_sizes(document, key, &report->sizes);
		return;
	}
	columns = sdcpg_relation_columns(table, "keys", of->keys);
	rows = sdcpg_catalog_read(
		psprintf("SELECT pg_catalog.jsonb_object_agg(h.size, h.classes) "
				 "FROM (%s) AS h (size, classes)",
				 sdcpg_query_class_sizes(table, "", &columns)),
		NULL);

	sdcpg_document_jsonb(
		document, key,
		rows->isnull[0][0] ? NULL : DatumGetJsonbP(rows->value[0][0]));
}

/* Adds the object of one table to sdc.release_history.measures. */
static void
release_document_measures(StringInfo document, const SdcStaging *staging,
						  const SdcGate *gate, const SdcGateResult *result,
						  SdcEvidence *evidence)
{
	const SdcGateCase *of = evidence->of;

	sdcpg_document_open(document, NULL, '{');
	sdcpg_document_text(document, "relation", staging->original->sql);
	put_gate(document, gate, result);
	put_report(document, "before", evidence, SDC_GATE_MEASURE, true);
	put_report(document, "after", evidence, SDC_GATE_MEASURE, false);
	if (of->keys != NULL)
	{
		sdcpg_document_open(document, "classes", '{');
		put_histogram(document, "before", evidence, true);
		put_histogram(document, "after", evidence, false);
		sdcpg_document_close(document, '{');
	}
	put_attacks(document, evidence);
	put_knowing(document, staging, evidence);
	sdcpg_versions_document(staging, document);
	put_changes(document, evidence);
	put_report(document, "disclosure", evidence, SDC_GATE_DISCLOSURE, false);
	put_report(document, "utility", evidence, SDC_GATE_UTILITY, false);
	put_report(document, "table", evidence, SDC_GATE_TABLE, false);
	sdcpg_document_close(document, '{');
}

/* ----------------------------------------------------------------------
 * One run of sdc.release: from the lock to the verdict in the history.
 *
 * First transaction: the lock, and a row "running" in the history.  Second
 * transaction, in one snapshot: mask, attack, measure, judge, publish, and the
 * verdict.  What is published and what the history says of it so become true
 * at the same instant, and whatever ends the session between them leaves a row
 * that says "running" while nobody has the lock.
 *
 * All work is in a subtransaction.  When it fails, or the gate says no, it is
 * rolled back, staging tables with it, and only the verdict is committed.
 * ----------------------------------------------------------------------
 */

/* One run; all in memory, which outlives transactions. */
typedef struct Run
{
	MemoryContext memory;
	SdcPolicy *policy;
	const char *target;
	bool seeded;
	uint64 seed; /* made of the one given and the secret of the policy */
	int64 release;
	SdcStaging *staging; /* one for each table of the policy */
	SdcJoined *joined;   /* those of records */
	Oid persons;         /* which of these has a row for each person */
	bool has_turn;       /* do other releases of the owner wait? */
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
		release_document_relation(&document, &run->policy->relation[i],
								  run->staging == NULL ? NULL
													   : &run->staging[i]);
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

/*
 * How many constraints of a table keep a risk back; none only where there is
 * nothing to attack.
 */
static int
count_risks(const Run *run, int i)
{
	const SdcPolicyRelation *relation = &run->policy->relation[i];
	SdcGate gate = sdcpg_gate_read(relation->constraints);
	int risks = sdcpg_gate_risks(&gate);

	if (risks == 0 && run->policy->count > 1 &&
		!sdcpg_policy_attacks_none(relation->params))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation \"%s\" of policy \"%s\" has no constraint "
						"on its risk",
						get_rel_name(relation->oid), run->policy->name),
				 errdetail("Nothing would keep a bad copy of it back."),
				 errhint("Write constraints, or \"attacks\": [] in its params "
						 "when it is a look-up table that tells nothing of "
						 "persons.")));
	return risks;
}

/* Stops when nothing in a policy keeps a risk back, or it names one target. */
static void
check_policy(const Run *run)
{
	int risks = 0;
	int i;

	for (i = 0; i < run->policy->count; i++)
		risks += count_risks(run, i);
	if (risks == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("policy \"%s\" has no constraint on a risk",
						run->policy->name),
				 errdetail("Nothing would keep a bad release back."),
				 errhint("Write [{\"attack\": \"worst\", \"<=\": 0.05}], "
						 "say.")));
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

/* The columns of one reason: column "a", or columns "a", "b". */
static char *
columns_of(List *drifts, const char *reason)
{
	StringInfoData names;
	int count = 0;
	ListCell *cell;

	initStringInfo(&names);
	foreach (cell, drifts)
	{
		SdcDrift *drift = lfirst(cell);

		if (strcmp(drift->reason, reason) == 0)
			appendStringInfo(&names, "%s\"%s\"", count++ > 0 ? ", " : "",
							 drift->column);
	}
	return psprintf("%s %s", count == 1 ? "column" : "columns", names.data);
}

/* Is a reason that of a column before? */
static bool
is_told(List *drifts, const SdcDrift *until)
{
	ListCell *cell;

	foreach (cell, drifts)
	{
		SdcDrift *drift = lfirst(cell);

		if (drift == until)
			return false;
		if (strcmp(drift->reason, until->reason) == 0)
			return true;
	}
	return false;
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
		List *drifts;
		ListCell *cell;

		need_all_rows(original);
		drifts = sdcpg_drift_find(original, relation);
		foreach (cell, drifts)
		{
			SdcDrift *drift = lfirst(cell);

			if (!is_told(drifts, drift))
				refuse(run, original->sql,
					   psprintf("%s: %s", columns_of(drifts, drift->reason),
								drift->reason));
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
		run->staging[i].place = i;
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

/* The tables of the policy whose records are published, as an attack's. */
static SdcJoined *
join_tables(const Run *run)
{
	SdcJoined *joined = palloc0(sizeof(SdcJoined));
	int i;

	joined->table = palloc0(sizeof(SdcJoinedTable) * run->policy->count);
	joined->person = -1;
	for (i = 0; i < run->policy->count; i++)
	{
		const SdcStaging *staging = &run->staging[i];
		SdcJoinedTable *table = &joined->table[joined->count];

		if (staging->params.protect != NULL)
			continue;
		table->original = staging->original;
		table->shown = staging->release;
		table->linked = staging->masked;
		table->id =
			staging->params.id == NULL ? NULL : staging->params.id->name;
		table->published = staging->published;
		table->rules = staging->rules;
		table->plain = sdcpg_policy_attacks_none(staging->policy->params);
		joined->count++;
	}
	return joined;
}

/*
 * What the tables tell together is judged with the one that has a row for each
 * person, by the largest bound that any of them has.
 */
static void
judge_together(const Run *run, const SdcStaging *staging, SdcGateCase *of,
			   double *bound)
{
	int i;

	*bound = NAN;
	if (staging->params.protect != NULL ||
		run->persons != staging->original->oid)
		return;
	of->joined = run->joined;
	for (i = 0; i < run->policy->count; i++)
	{
		SdcGate gate = sdcpg_gate_read(run->policy->relation[i].constraints);
		double own = sdcpg_gate_loosest(&gate);

		if (isnan(*bound) || own > *bound)
			*bound = own;
	}
}

/* Judges the masked form of one table. */
static void
judge(Run *run, SdcStaging *staging, StringInfo document)
{
	SdcGateCase *of = sdcpg_gate_case(staging->policy, staging->masked->oid);
	SdcGate gate = sdcpg_gate_read(staging->policy->constraints);
	SdcEvidence *evidence;
	SdcGateResult *result;
	List *made;
	double bound;
	int i;

	of->staged = true;
	of->seeded = run->seeded;
	of->seed = run->seed;
	of->moved = staging->moved;
	of->tally = sdcpg_staging_tally(staging);
	if (of->protect == NULL)
		of->rules = staging->rules;
	if (staging->tied != NULL)
	{
		of->tied->ties = staging->tied->ties;
		of->tied->nights = staging->tied->nights;
		of->tied->known = true;
	}
	sdcpg_gate_case_earlier(of, run->policy->name, staging->target);
	if (of->protect == NULL &&
		(!sdcpg_policy_attacks_none(staging->policy->params) ||
		 sdcpg_gate_attacks_by_name(&gate)))
		sdcpg_versions_look_back(staging, of);
	of->pool = sdcpg_versions_pool(staging->versions, &of->draws);
	judge_together(run, staging, of, &bound);
	sdcpg_joinable_warn(staging, run->policy->name);
	made = sdcpg_beside_others(staging, run->policy->name, of);
	evidence = sdcpg_evidence_begin(of, true);
	sdcpg_gate_add_bounds(&gate, evidence);
	sdcpg_gate_add_joined(&gate, evidence, bound);
	result = sdcpg_gate_judge(&gate, evidence);
	result =
		sdcpg_beside_tables(staging, run->policy->name, of, &gate, result);
	release_document_complete(evidence);
	for (i = 0; i < gate.count; i++)
		result[i].detail =
			sdcpg_staging_name(staging, result[i].detail, false);
	release_document_measures(document, staging, &gate, result, evidence);
	sdcpg_beside_drop(made);
	for (i = 0; i < gate.count; i++)
		if (!result[i].passed)
			refuse(run, staging->original->sql,
				   psprintf("\"%s\" does not hold. %s",
							result[i].constraint->sentence, result[i].detail));
}

/* Does a table refer to another one that is not masked yet? */
static bool
waits_for_other(const Run *run, const bool *masked, int i)
{
	int j;

	for (j = 0; j < run->policy->count; j++)
		if (j != i && !masked[j] &&
			sdcpg_versions_refers(&run->staging[i], &run->staging[j]))
			return true;
	return false;
}

/* Masks a table, which knows those that it refers to. */
static void
mask_table(Run *run, bool *masked, int i)
{
	SdcStaging *staging = &run->staging[i];
	int j;

	for (j = 0; j < run->policy->count; j++)
		if (masked[j] && sdcpg_versions_refers(staging, &run->staging[j]))
			staging->parents = lappend(staging->parents, &run->staging[j]);
	sdcpg_staging_mask(staging, run->policy->name, run->release, run->seeded,
					   (int64) run->seed);
	masked[i] = true;
}

/*
 * Masks all tables, those that others refer to before these: a row whose
 * person waits must wait, too.  Where keys lead in a circle the first goes on.
 */
static void
mask_tables(Run *run)
{
	int count = run->policy->count;
	bool *masked = palloc0(sizeof(bool) * count);
	int done;

	for (done = 0; done < count; done++)
	{
		int next = -1;
		int i;

		for (i = 0; i < count; i++)
			if (!masked[i] && (next < 0 || waits_for_other(run, masked, next)))
				next = i;
		if (waits_for_other(run, masked, next))
			for (next = 0; masked[next];)
				next++;
		mask_table(run, masked, next);
	}
}

/* Masks all tables, and judges each. */
static void
mask_and_judge(Run *run)
{
	StringInfoData document;
	List *all = NIL;
	int i;

	mask_tables(run);
	for (i = 0; i < run->policy->count * run->policy->count; i++)
		sdcpg_versions_orphans(&run->staging[i / run->policy->count],
							   &run->staging[i % run->policy->count]);
	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '[');
	for (i = 0; i < run->policy->count; i++)
		all = lappend(all, &run->staging[i]);
	run->joined = join_tables(run);
	run->persons =
		run->joined->count < 2 ? InvalidOid : sdcpg_joined_person(run->joined);
	for (i = 0; i < run->policy->count; i++)
	{
		run->staging[i].run = all;
		judge(run, &run->staging[i], &document);
	}
	sdcpg_document_close(&document, '[');
	for (i = 0; i < run->policy->count; i++)
		document.data =
			sdcpg_staging_name(&run->staging[i], document.data, true);
	run->measures = sdcpg_document_end(&document);
}

/*
 * Everything between the lock and the verdict.  The caller is the owner of the
 * policy, but his session may be that of another role, which code that runs
 * on the way must not become, nor leave settings to.
 */
static void
work(Run *run)
{
	Oid owner;
	int context;
	int settings;
	int i;

	GetUserIdAndSecContext(&owner, &context);
	SetUserIdAndSecContext(owner, context | SECURITY_RESTRICTED_OPERATION);
	/* a search_path that such code sets would stay with the session */
	settings = NewGUCNestLevel();
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
			sdcpg_publish(&run->staging[i], run->policy->name, run->release);
		run->status = "published";
	}
	run->relations = relations_document(run);
	PopActiveSnapshot();
	AtEOXact_GUC(false, settings);
	SetUserIdAndSecContext(owner, context);
}

/* Has an error speak of tables by their names, not by those of staging. */
static void
name_tables(const Run *run, ErrorData *failure)
{
	int i;

	for (i = 0; run->staging != NULL && i < run->policy->count; i++)
	{
		const SdcStaging *staging = &run->staging[i];

		failure->message =
			sdcpg_staging_name(staging, failure->message, false);
		failure->detail = sdcpg_staging_name(staging, failure->detail, false);
		failure->detail_log =
			sdcpg_staging_name(staging, failure->detail_log, false);
		failure->hint = sdcpg_staging_name(staging, failure->hint, false);
		failure->context =
			sdcpg_staging_name(staging, failure->context, false);
		failure->internalquery =
			sdcpg_staging_name(staging, failure->internalquery, false);
	}
}

/*
 * Statements of a release run once, on tables as a whole: to compile them
 * costs more than it gains, and sorts and joins may use a share of what an
 * index may be built with.
 */
static void
plan_for_once(void)
{
	sdcpg_set_for_now("jit", "off");
	sdcpg_set_for_now("work_mem",
					  psprintf("%d", Max(work_mem, maintenance_work_mem / 4)));
}

/* Does the work; says whether something was published. */
static bool
publishes(void *arg)
{
	Run *run = arg;
	int settings = NewGUCNestLevel();

	sdcpg_history_take_turn();
	run->has_turn = true;
	plan_for_once();
	work(run);
	AtEOXact_GUC(false, settings);
	return strcmp(run->status, "published") == 0;
}

/* Does the work, which stays only if something was published. */
static ErrorData *
attempt(Run *run)
{
	MemoryContext caller = MemoryContextSwitchTo(run->memory);
	ErrorData *failure = sdcpg_error_attempt(run->memory, publishes, run);

	if (failure != NULL)
		name_tables(run, failure);
	MemoryContextSwitchTo(caller);
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
	ErrorData copy = *failure;

	if ((sdcpg_error_drop_statements(&copy, NULL) &&
		 !sdcpg_error_is_fixed(failure)) ||
		(class == ERRCODE_DATA_EXCEPTION &&
		 failure->sqlerrcode != ERRCODE_INVALID_PARAMETER_VALUE) ||
		class == ERRCODE_TO_CATEGORY(ERRCODE_RAISE_EXCEPTION))
		return psprintf("An error (SQLSTATE %s) ended the run; its message, "
						"which may quote values, is in the log of the server.",
						unpack_sql_state(failure->sqlerrcode));
	return psprintf("An error (SQLSTATE %s) ended the run: %s",
					unpack_sql_state(failure->sqlerrcode), failure->message);
}

/* The numbers of the tables that were published. */
static Oid *
published_tables(const Run *run)
{
	Oid *table = palloc(sizeof(Oid) * (run->policy->count + 1));
	int i;

	for (i = 0; i < run->policy->count; i++)
		table[i] = run->staging[i].seal.oid;
	return table;
}

/* Writes the verdict and commits it, and what was published with it. */
static void
conclude(Run *run, const ErrorData *failure)
{
	MemoryContext caller = MemoryContextSwitchTo(run->memory);
	SdcRelease verdict = {0};

	verdict.release = run->release;
	verdict.status = pstrdup(failure != NULL ? "failed" : run->status);
	verdict.snapshot = run->snapshot;
	verdict.seeded = run->seeded;
	verdict.relations = run->relations;
	verdict.measures = run->measures;
	if (failure != NULL)
		verdict.reason = failure_reason(failure);
	else if (run->reason.len > 0)
		verdict.reason = run->reason.data;
	if (strcmp(verdict.status, "published") == 0)
	{
		verdict.signature = sdcpg_seal_sign(run->policy->name, run->release,
											run->relations, run->measures);
		verdict.tables = run->policy->count;
		verdict.table = published_tables(run);
	}
	sdcpg_history_end(&verdict);
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
		sdcpg_seal_prepare(run->policy->name);
		if (run->seeded)
			run->seed = sdcpg_seal_seed(run->policy->name, (int64) run->seed);
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

/* Lets others go on. */
static void
end(const Run *run)
{
	if (run->has_turn)
		sdcpg_history_end_turn();
	sdcpg_history_unlock(run->policy->name);
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
			 errhint("Nothing was published; SELECT * FROM sdc.releases(%s) "
					 "shows what was measured.",
					 quote_literal_cstr(run->policy->name))));
}

/*
 * Releases by a policy; target is NULL or where the only table of the policy
 * is published, whatever the policy says.  Commits twice: when the run is in
 * the history, and when it has ended.  So the caller must be a procedure that
 * may do so, and connected to SPI for it.  Stops with an error unless
 * everything was published.
 */
static void
release_run(const char *policy, const char *target, bool seeded, uint64 seed)
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
	sdcpg_policy_need_tables(run.policy);
	begin(&run);
	PG_TRY();
	{
		XactIsoLevel = XACT_REPEATABLE_READ;
		failure = attempt(&run);
		conclude(&run, failure);
	}
	PG_CATCH();
	{
		end(&run);
		PG_RE_THROW();
	}
	PG_END_TRY();
	end(&run);
	MemoryContextSwitchTo(caller);
	if (failure != NULL)
		ReThrowError(failure);
	if (strcmp(run.status, "published") != 0)
		tell_refused(&run);
}

/* ----------------------------------------------------------------------
 * sdc.release: masked copies that are published; sdc.releases: their
 * history.
 * ----------------------------------------------------------------------
 */

/* A seed has at least this absolute value. */
#define SHORTEST_SEED (INT64CONST(1) << 62)

PG_FUNCTION_INFO_V1(sdcf_release);
PG_FUNCTION_INFO_V1(sdcf_releases);

/* Stops inside a transaction block, or in a function: nothing may commit. */
static void
need_own_transactions(FunctionCallInfo fcinfo)
{
	if (fcinfo->context == NULL || !IsA(fcinfo->context, CallContext) ||
		((CallContext *) fcinfo->context)->atomic)
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("release cannot run inside a transaction block"),
				 errdetail("A run is written to the history before it starts, "
						   "so that the history has it whatever happens; that "
						   "needs a commit of its own."),
				 errhint("CALL it outside of BEGIN and of functions.")));
}

/*
 * Who knows the seed of a release can undo some masks; one of few bits is
 * found by trying.
 */
static void
need_long_seed(int64 seed)
{
	if (seed < SHORTEST_SEED && seed > -SHORTEST_SEED)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the seed of a release must have 63 bits"),
				 errdetail("A shorter one is found by trying, and some masks "
						   "can be undone by anybody who knows it."),
				 errhint("Leave it out, or draw it at random from 2^62 to "
						 "2^63 - 1 and keep it secret.")));
}

/*
 * release(policy text, target text, seed bigint)
 */
Datum
sdcf_release(PG_FUNCTION_ARGS)
{
	char *policy;
	char *target;

	sdcpg_args_need(fcinfo, 0);
	need_own_transactions(fcinfo);
	if (!PG_ARGISNULL(2))
		need_long_seed(PG_GETARG_INT64(2));
	policy = text_to_cstring(PG_GETARG_TEXT_PP(0));
	target = PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1));
	if (SPI_connect_ext(SPI_OPT_NONATOMIC) != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	release_run(policy, target, !PG_ARGISNULL(2),
				PG_ARGISNULL(2) ? 0 : (uint64) PG_GETARG_INT64(2));
	SPI_finish();
	PG_RETURN_VOID();
}

static Datum
text_datum(const char *value)
{
	return value == NULL ? (Datum) 0 : CStringGetTextDatum(value);
}

static Datum
name_datum(const char *value)
{
	return DirectFunctionCall1(namein, CStringGetDatum(value));
}

static void
put_release(ReturnSetInfo *rows, const SdcRelease *release)
{
	Datum values[12];
	bool isnull[12] = {false};

	values[0] = Int64GetDatum(release->release);
	values[1] = text_datum(release->policy);
	values[2] = text_datum(release->status);
	values[3] = name_datum(release->released_by);
	values[4] = TimestampTzGetDatum(release->started);
	values[5] = TimestampTzGetDatum(release->finished);
	isnull[5] = release->finished == 0;
	values[6] = text_datum(release->snapshot);
	isnull[6] = release->snapshot == NULL;
	values[7] = JsonbPGetDatum(release->relations);
	values[8] = PointerGetDatum(release->measures);
	isnull[8] = release->measures == NULL;
	values[9] = text_datum(release->reason);
	isnull[9] = release->reason == NULL;
	values[10] = BoolGetDatum(release->seeded);
	values[11] = text_datum(release->signature);
	isnull[11] = release->signature == NULL;
	sdcpg_result_put(rows, values, isnull);
}

/*
 * releases(policy text)
 */
Datum
sdcf_releases(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rows = sdcpg_result_begin(fcinfo);
	SdcReleases releases;
	int i;

	releases = sdcpg_history_of_policy(sdcpg_args_text(fcinfo, 0));
	for (i = 0; i < releases.count; i++)
		put_release(rows, &releases.release[i]);
	return (Datum) 0;
}
