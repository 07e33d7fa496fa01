/*
 * evidence_report.c
 *		What is known of a masked table: reports of risk and utility.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "pg/call/catalog.h"
#include "pg/release/evidence.h"
#include "pg/server/compat.h"

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
