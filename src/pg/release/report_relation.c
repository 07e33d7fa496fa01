/*
 * report_relation.c
 *		What the report of a release says of one table.
 */
#include "postgres.h"

#include <math.h>

#include "pg/release/report_content.h"
#include "pg/release/report_read.h"

#define ALL_COLUMNS "all columns"

static Jsonb *
part(Jsonb *object, const char *key)
{
	return sdcpg_report_read_part(object, key);
}

static bool
is_listed(List *names, const char *name)
{
	ListCell *cell;

	foreach (cell, names)
		if (strcmp(lfirst(cell), name) == 0)
			return true;
	return false;
}

/* Is a column one of a list with commas, the key of a rule? */
static bool
is_in_key(const char *key, const char *column)
{
	int length = strlen(column);
	const char *place = key;

	while ((place = strstr(place, column)) != NULL)
	{
		bool starts = place == key || place[-1] == ',' || place[-1] == ' ';
		const char end = place[length];

		if (starts && (end == '\0' || end == ',' || end == ' '))
			return true;
		place++;
	}
	return false;
}

/* A rule in short: its method, then its parameters that are scalars. */
static char *
rule_text(Jsonb *rule, bool joint)
{
	char *method = sdcpg_report_read_text(rule, "method");
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	appendStringInfoString(&text, method == NULL ? "masked" : method);
	foreach (cell, sdcpg_report_read_keys(rule))
	{
		char *value = sdcpg_report_read_text(rule, lfirst(cell));

		if (strcmp(lfirst(cell), "method") != 0 && value != NULL)
			appendStringInfo(&text, ", %s %s", (char *) lfirst(cell), value);
	}
	if (joint)
		appendStringInfoString(&text, ", with others");
	return text.data;
}

/* How a column is masked: by the rules that name it, or not at all. */
static char *
masking(Jsonb *rules, const char *column, bool published)
{
	char *text = NULL;
	ListCell *cell;

	if (!published)
		return "withheld";
	foreach (cell, sdcpg_report_read_keys(rules))
	{
		char *key = lfirst(cell);
		bool same = strcmp(key, column) == 0;
		char *more;

		if (!same && !is_in_key(key, column))
			continue;
		more = rule_text(part(rules, key), !same);
		text = text == NULL ? more : psprintf("%s; %s", text, more);
	}
	return text == NULL ? "as it is" : text;
}

static void
put_columns(SdcReportModel *model, Jsonb *relation, Jsonb *utility)
{
	static const char *const titles[] = {"column", "type", "masking", "loss",
										 NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_TEXT,
										  SDC_REPORT_TEXT, SDC_REPORT_SHARE};
	List *columns = sdcpg_report_read_elements(part(relation, "columns"));
	List *published = sdcpg_report_read_texts(part(relation, "published"));
	SdcReportBlock *table;
	ListCell *cell;

	if (columns == NIL)
		return;
	table = sdcpg_report_table(
		model,
		"What becomes of each column. Loss is how far its values moved: 0 % "
		"is not at all, near 100 % is anywhere.",
		titles, units);
	foreach (cell, columns)
	{
		char *name = sdcpg_report_read_text(lfirst(cell), "name");
		bool out = name != NULL && is_listed(published, name);
		SdcReportCell *cells;

		if (name == NULL)
			continue;
		cells = sdcpg_report_row(table);
		sdcpg_report_set_text(&cells[0], name, SDC_REPORT_PLAIN);
		sdcpg_report_set_text(&cells[1],
							  sdcpg_report_read_text(lfirst(cell), "type"),
							  SDC_REPORT_PLAIN);
		sdcpg_report_set_text(&cells[2],
							  masking(part(relation, "rules"), name, out),
							  SDC_REPORT_PLAIN);
		if (out)
			sdcpg_report_set_number(
				&cells[3], sdcpg_report_line(utility, "il_variables", name));
	}
}

static void
put_gate(SdcReportModel *model, Jsonb *gate)
{
	static const char *const titles[] = {"requirement", "found", "bound",
										 "verdict", NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_VALUE,
										  SDC_REPORT_VALUE, SDC_REPORT_TEXT};
	List *results = sdcpg_report_read_elements(gate);
	SdcReportBlock *table;
	ListCell *cell;

	if (results == NIL)
		return;
	sdcpg_report_heading(model, 3, "Requirements of the policy");
	table = sdcpg_report_table(
		model, "Each must hold, or nothing is published.", titles, units);
	foreach (cell, results)
	{
		SdcReportCell *cells = sdcpg_report_row(table);
		bool passed = sdcpg_report_read_true(lfirst(cell), "passed");

		sdcpg_report_set_text(
			&cells[0], sdcpg_report_read_text(lfirst(cell), "requirement"),
			SDC_REPORT_PLAIN);
		sdcpg_report_set_number(
			&cells[1], sdcpg_report_read_number(lfirst(cell), "value"));
		sdcpg_report_set_number(
			&cells[2], sdcpg_report_read_number(lfirst(cell), "bound"));
		sdcpg_report_set_text(&cells[3], passed ? "holds" : "does not hold",
							  passed ? SDC_REPORT_GOOD : SDC_REPORT_BAD);
	}
	foreach (cell, results)
	{
		char *detail = sdcpg_report_sentence(
			sdcpg_report_read_text(lfirst(cell), "detail"));

		if (!sdcpg_report_read_true(lfirst(cell), "passed") && detail != NULL)
			sdcpg_report_paragraph(model, detail);
	}
}

static void
put_losses(SdcReportModel *model, Jsonb *relation, Jsonb *utility)
{
	static const char *const series[] = {"loss", NULL};
	List *published = sdcpg_report_read_texts(part(relation, "published"));
	SdcReportBlock *chart;
	ListCell *cell;

	if (isnan(sdcpg_report_line(utility, "il_variables", ALL_COLUMNS)))
		return;
	sdcpg_report_heading(model, 3, "Information loss");
	chart = sdcpg_report_block(model, SDC_REPORT_BARS,
							   "How far the values of each published column "
							   "moved, and all on average.",
							   series);
	foreach (cell, published)
	{
		double loss = sdcpg_report_line(utility, "il_variables", lfirst(cell));

		if (!isnan(loss))
			sdcpg_report_bar(chart, lfirst(cell))->value[0] = loss;
	}
	sdcpg_report_bar(chart, ALL_COLUMNS)->value[0] =
		sdcpg_report_line(utility, "il_variables", ALL_COLUMNS);
}

void
sdcpg_report_relation(SdcReportModel *model, Jsonb *relation, Jsonb *measures,
					  const char *status)
{
	char *rel = sdcpg_report_read_text(relation, "rel");
	char *target = sdcpg_report_read_text(relation, "target");
	double rows = sdcpg_report_read_number(relation, "rows");

	sdcpg_report_heading(
		model, 2, psprintf("Table %s", rel == NULL ? "(dropped)" : rel));
	if (strcmp(status, "published") == 0)
		sdcpg_report_paragraph(
			model, psprintf("%s records, published as %s.",
							sdcpg_report_number(rows, SDC_REPORT_COUNT),
							target == NULL ? "(no table)" : target));
	else if (measures == NULL)
		sdcpg_report_paragraph(model, "There is no masked form of it.");
	else
		sdcpg_report_paragraph(
			model, psprintf("Masked and measured, but not published as %s.",
							target == NULL ? "(no table)" : target));
	put_columns(model, relation, part(measures, "utility"));
	if (measures == NULL)
		return;
	put_gate(model, part(measures, "gate"));
	sdcpg_report_risk(model, relation, measures);
	put_losses(model, relation, part(measures, "utility"));
}
