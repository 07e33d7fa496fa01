/*
 * release_document.c
 *		What the history keeps of a release: its tables and its measures.
 *
 * The masked table is gone when someone asks, or replaced by a later one, so
 * whatever a report may want to say is kept here.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/call/catalog.h"
#include "pg/release/document.h"
#include "pg/release/release_document.h"
#include "pg/server/compat.h"

static char *
qualified_name(Oid oid)
{
	char *name = get_rel_name(oid);

	if (name == NULL)
		return NULL;
	return quote_qualified_identifier(
		get_namespace_name(get_rel_namespace(oid)), name);
}

void
sdcpg_release_document_relation(StringInfo document,
								const SdcPolicyRelation *policy,
								const SdcStaging *staging)
{
	sdcpg_document_open(document, NULL, '{');
	sdcpg_document_text(document, "rel", qualified_name(policy->oid));
	sdcpg_document_jsonb(document, "rules", policy->rules);
	sdcpg_document_jsonb(document, "constraints", policy->constraints);
	sdcpg_document_jsonb(document, "params", policy->params);
	if (staging != NULL && staging->target != NULL)
		sdcpg_document_text(document, "target", staging->target);
	if (staging != NULL && staging->masked != NULL)
	{
		sdcpg_document_jsonb(document, "columns",
							 sdcpg_policy_columns(staging->original));
		sdcpg_document_names(document, "published", staging->published);
		sdcpg_document_integer(document, "rows", staging->rows);
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

void
sdcpg_release_document_complete(SdcEvidence *evidence)
{
	const SdcGateCase *of = evidence->of;
	const char *const *name;

	if (of->keys != NULL)
	{
		(void) sdcpg_evidence_report(evidence, SDC_GATE_MEASURE, NULL, NULL,
									 true);
		(void) sdcpg_evidence_report(evidence, SDC_GATE_MEASURE, NULL, NULL,
									 false);
	}
	if (of->id == NULL)
		return;
	if (of->keys != NULL || of->sensitive != NULL)
		(void) sdcpg_evidence_report(evidence, SDC_GATE_DISCLOSURE, NULL, NULL,
									 false);
	if (has_function("utility_report"))
		(void) sdcpg_evidence_report(evidence, SDC_GATE_UTILITY, NULL, NULL,
									 false);
	for (name = sdcpg_gate_attacks; *name != NULL; name++)
		if (sdcpg_evidence_applies(evidence, *name) &&
			has_function(psprintf("attack_%s", *name)))
			(void) sdcpg_evidence_attack(evidence, *name, NULL, NULL);
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
			report->word != NULL || report->params != NULL)
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
		const SdcEvidenceAttack *attack = lfirst(cell);

		sdcpg_document_open(document, NULL, '{');
		sdcpg_document_text(document, "attack", attack->name);
		sdcpg_document_text(document, "method", attack->method);
		sdcpg_document_jsonb(document, "params", attack->params);
		sdcpg_document_text(document, "excuse", attack->excuse);
		if (attack->excuse == NULL)
		{
			sdcpg_document_number(document, "records", attack->records);
			for (i = 0; i < SDC_EVIDENCE_STATS; i++)
				sdcpg_document_number(document, sdcpg_gate_stats[i],
									  attack->stat[i]);
		}
		sdcpg_document_close(document, '{');
	}
	sdcpg_document_close(document, '[');
}

/* How many classes there are of each size. */
static void
put_histogram(StringInfo document, const char *key, const SdcRelation *table,
			  ArrayType *keys)
{
	SdcRelationColumns columns = sdcpg_relation_columns(table, "keys", keys);
	SdcCatalogRows *rows = sdcpg_catalog_read(
		psprintf("SELECT sdc.class_histogram(ROW(%s)) FROM %s AS r",
				 sdcpg_relation_list(&columns), table->sql),
		NULL);

	sdcpg_document_jsonb(
		document, key,
		rows->isnull[0][0] ? NULL : DatumGetJsonbP(rows->value[0][0]));
}

void
sdcpg_release_document_measures(StringInfo document, const SdcStaging *staging,
								const SdcGate *gate,
								const SdcGateResult *result,
								SdcEvidence *evidence)
{
	const SdcGateCase *of = evidence->of;

	sdcpg_document_open(document, NULL, '{');
	sdcpg_document_text(document, "rel", staging->original->sql);
	put_gate(document, gate, result);
	put_report(document, "before", evidence, SDC_GATE_MEASURE, true);
	put_report(document, "after", evidence, SDC_GATE_MEASURE, false);
	if (of->keys != NULL)
	{
		sdcpg_document_open(document, "classes", '{');
		put_histogram(document, "before", of->original, of->keys);
		put_histogram(document, "after", of->masked, of->keys);
		sdcpg_document_close(document, '{');
	}
	put_attacks(document, evidence);
	put_report(document, "disclosure", evidence, SDC_GATE_DISCLOSURE, false);
	put_report(document, "utility", evidence, SDC_GATE_UTILITY, false);
	sdcpg_document_close(document, '{');
}
