/*
 * report_relation.c
 *		What the report of a release says of one table: how each column was
 *		masked, the gate, the attacks and what they were not given, classes,
 *		measures of risk, losses.
 *
 * All of it is read from the documents of the history: the relation as the
 * policy had it, and its measures.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "host/call/params.h"
#include "release/document.h"
#include "release/policy.h"
#include "release/report.h"
#include "topic/registry/attacks.h"
#include "topic/registry/measures.h"
#include "topic/tabular/tabular_topic.h"

/* ----------------------------------------------------------------------
 * What the report of a release says of the risk of one table.
 * ----------------------------------------------------------------------
 */

/* Ranges of the sizes of classes; each ends before the next. */
static const double sizes[] = {1, 2, 3, 5, 10, 20, 50, 100, 1000, INFINITY};

static char *
attack_label(const char *name, Jsonb *attack)
{
	char *variant = sdcpg_document_string(attack, "variant");

	/* what releases of 0.1 have */
	if (variant == NULL)
		variant = sdcpg_document_string(attack, "method");
	return variant == NULL ? psprintf("%s", name)
						   : psprintf("%s (%s)", name, variant);
}

static const char *
attack_words(const char *name)
{
	const SdcAttack *attack = sdcpg_attack_find(name);

	return attack == NULL ? "" : attack->intruder;
}

/* A bar, and a row of the table, for each attack. */
static void
put_attack(SdcReportBlock *chart, SdcReportBlock *table, Jsonb *attack,
		   const char *name, double unmasked, Jsonb *constraints)
{
	char *label = attack_label(name, attack);
	SdcReportCell *cells = sdcpg_report_row(table);
	SdcReportBar *bar;

	sdcpg_report_set_text(&cells[0], label, SDC_REPORT_PLAIN);
	sdcpg_report_set_text(&cells[1], attack_words(name), SDC_REPORT_PLAIN);
	sdcpg_report_set_number(&cells[2], sdcpg_report_found(attack));
	sdcpg_report_set_number(&cells[3], sdcpg_document_float(attack, "k_reid"));
	if (sdcpg_document_string(attack, "excuse") != NULL)
		return;
	bar = sdcpg_report_bar(chart, label);
	bar->value[0] = unmasked;
	bar->value[1] = sdcpg_report_found(attack);
	bar->bound = sdcpg_report_attack_bound(constraints, name);
}

/* Says that an attack was tried on some of the people, if it was. */
static void
put_sample(SdcReportModel *model, const char *name, const char *sample)
{
	if (name != NULL && sample != NULL)
		sdcpg_report_paragraph(model,
							   psprintf("The attack %s: %s", name, sample));
}

/* "sex", "and age", ... "and 3 more, to zip": what each bar adds. */
static char *
knowing_label(Jsonb *step, int before)
{
	int columns = (int) sdcpg_document_float(step, "columns");
	char *last = sdcpg_document_string(step, "last");

	if (before == 0)
		return psprintf("1: %s", last);
	if (columns == before + 1)
		return psprintf("%d: and %s", columns, last);
	return psprintf("%d: and %d more, to %s", columns, columns - before, last);
}

/* What the strongest attack finds, by how much the intruder knows. */
static void
put_knowing(SdcReportModel *model, Jsonb *measures)
{
	static const char *const series[] = {"found", NULL};
	Jsonb *knowing = sdcpg_document_part(measures, "knowing");
	List *steps =
		sdcpg_document_elements(sdcpg_document_part(knowing, "steps"));
	SdcReportBlock *chart;
	int before = 0;
	ListCell *cell;

	if (list_length(steps) < 2)
		return;
	sdcpg_report_heading(model, 4, "By how much the intruder knows");
	chart = sdcpg_report_block(
		model, SDC_REPORT_BARS,
		psprintf("Share of the people whose record the strongest attack (%s) "
				 "finds when the intruder knows the first key of each person "
				 "only, the first two, and so on to all of them.",
				 sdcpg_document_string(knowing, "attack")),
		series);
	foreach (cell, steps)
	{
		SdcReportBar *bar =
			sdcpg_report_bar(chart, knowing_label(lfirst(cell), before));

		before = (int) sdcpg_document_float(lfirst(cell), "columns");
		bar->value[0] = sdcpg_document_float(lfirst(cell), "found");
	}
}

static void
put_attacks(SdcReportModel *model, Jsonb *relation, Jsonb *measures)
{
	static const char *const series[] = {"unmasked", "masked", NULL};
	static const char *const titles[] = {"attack", "the intruder", "found",
										 "for certain", NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_TEXT,
										  SDC_REPORT_SHARE, SDC_REPORT_SHARE};
	double unmasked = sdcpg_report_line(
		sdcpg_document_part(measures, "before"), "prosecutor_average", NULL);
	List *all =
		sdcpg_document_elements(sdcpg_document_part(measures, "attacks"));
	SdcReportBlock *chart;
	SdcReportBlock *table;
	ListCell *cell;

	if (all == NIL)
		return;
	sdcpg_report_heading(model, 3, "Attacks");
	chart = sdcpg_report_block(
		model, SDC_REPORT_BARS,
		"Share of the people whose record an intruder finds who knows all "
		"keys of everybody, with names. Unmasked: what he would find if the "
		"table were published as it is.",
		series);
	table = sdcpg_report_table(
		model,
		"Found: a guess among several records counts in part. For certain: "
		"the intruder can prove it.",
		titles, units);
	foreach (cell, all)
	{
		char *name = sdcpg_document_string(lfirst(cell), "attack");

		if (name != NULL)
			put_attack(chart, table, lfirst(cell), name, unmasked,
					   sdcpg_document_part(relation, "constraints"));
	}
	foreach (cell, all)
	{
		char *excuse = sdcpg_document_string(lfirst(cell), "excuse");
		char *name = sdcpg_document_string(lfirst(cell), "attack");

		if (excuse != NULL && name != NULL)
			sdcpg_report_paragraph(
				model,
				psprintf("The attack %s could not be run. %s", name, excuse));
		put_sample(model, name, sdcpg_document_string(lfirst(cell), "sample"));
	}
	if (chart->rows == NIL)
		model->blocks = list_delete_ptr(model->blocks, chart);
}

/* The share of records that are in classes of each range of sizes. */
static void
count_sizes(Jsonb *histogram, double *share)
{
	double records = 0;
	ListCell *cell;
	int i;

	foreach (cell, sdcpg_document_keys(histogram))
	{
		double size = strtod(lfirst(cell), NULL);
		double count = size * sdcpg_document_float(histogram, lfirst(cell));

		if (!(size >= 1 && isfinite(size) && count > 0))
			continue;
		for (i = 0; size >= sizes[i + 1]; i++)
			;
		share[i] += count;
		records += count;
	}
	for (i = 0; i < lengthof(sizes) - 1; i++)
		share[i] = records > 0 ? share[i] / records : NAN;
}

static char *
size_label(int i)
{
	if (isinf(sizes[i + 1]))
		return psprintf("%.0f and more", sizes[i]);
	if (sizes[i + 1] == sizes[i] + 1)
		return psprintf("%.0f", sizes[i]);
	return psprintf("%.0f to %.0f", sizes[i], sizes[i + 1] - 1);
}

static void
put_classes(SdcReportModel *model, Jsonb *classes)
{
	static const char *const series[] = {"before", "after", NULL};
	double share[2][lengthof(sizes) - 1] = {{0}, {0}};
	SdcReportBlock *chart;
	int i;

	if (classes == NULL)
		return;
	count_sizes(sdcpg_document_part(classes, "before"), share[0]);
	count_sizes(sdcpg_document_part(classes, "after"), share[1]);
	sdcpg_report_heading(model, 3, "Sizes of classes");
	chart = sdcpg_report_block(
		model, SDC_REPORT_BARS,
		"Share of the records by how many records look the same in all keys, "
		"themselves included. Whoever is alone stands out.",
		series);
	for (i = 0; i < lengthof(sizes) - 1; i++)
	{
		SdcReportBar *bar;

		if (!(share[0][i] > 0) && !(share[1][i] > 0))
			continue;
		bar = sdcpg_report_bar(chart, size_label(i));
		bar->value[0] = share[0][i];
		bar->value[1] = share[1][i];
	}
	if (chart->rows == NIL)
		model->blocks = list_delete_ptr(model->blocks, chart);
}

/* How a report shows the unit of a measure. */
static SdcReportUnit
unit_of(const SdcMeasure *measure)
{
	switch (measure->unit)
	{
		case SDC_UNIT_COUNT:
			return SDC_REPORT_COUNT;
		case SDC_UNIT_SHARE:
			return SDC_REPORT_SHARE;
		default:
			return SDC_REPORT_VALUE;
	}
}

static void
risk_put_risk(SdcReportBlock *table, Jsonb *before, Jsonb *line,
			  const SdcMeasure *measure)
{
	char *subject = sdcpg_document_string(line, "subject");
	SdcReportCell *cells = sdcpg_report_row(table);

	sdcpg_report_set_text(&cells[0], measure->words, SDC_REPORT_PLAIN);
	sdcpg_report_set_text(&cells[1], subject, SDC_REPORT_PLAIN);
	cells[2].unit = cells[3].unit = unit_of(measure);
	sdcpg_report_set_number(&cells[2],
							sdcpg_report_line(before, measure->name, subject));
	sdcpg_report_set_number(&cells[3], sdcpg_document_float(line, "value"));
}

/* Is a line of the history of a measure? */
static bool
is_of(Jsonb *line, const SdcMeasure *measure)
{
	char *name = sdcpg_document_string(line, "measure");

	return measure->words != NULL && name != NULL &&
		   strcmp(name, measure->name) == 0;
}

static void
put_risks(SdcReportModel *model, Jsonb *measures)
{
	static const char *const titles[] = {"measure", "of", "before", "after",
										 NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_TEXT,
										  SDC_REPORT_VALUE, SDC_REPORT_VALUE};
	List *lines =
		sdcpg_document_elements(sdcpg_document_part(measures, "after"));
	SdcReportBlock *table;
	ListCell *cell;
	const SdcMeasure *row = NULL;

	if (lines == NIL)
		return;
	sdcpg_report_heading(model, 3, "Risk before and after");
	table = sdcpg_report_table(
		model,
		"Records look alike when they agree in all keys. Where keys were "
		"moved rather than made coarser, the attacks above say more than "
		"these.",
		titles, units);
	while ((row = sdcpg_measure_next(SDC_MEASURE_RISK, row)) != NULL)
		foreach (cell, lines)
			if (is_of(lfirst(cell), row))
				risk_put_risk(table, sdcpg_document_part(measures, "before"),
							  lfirst(cell), row);
}

static void
put_nearness(SdcReportModel *model, Jsonb *disclosure)
{
	static const char *const titles[] = {"measure", "column", "records", NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_TEXT,
										  SDC_REPORT_SHARE};
	List *lines = sdcpg_document_elements(disclosure);
	SdcReportBlock *table;
	ListCell *cell;
	const SdcMeasure *row = NULL;

	if (lines == NIL)
		return;
	sdcpg_report_heading(model, 3, "What a masked value gives away");
	table = sdcpg_report_table(
		model,
		"Share of the records whose original value is near the masked one, "
		"for an intruder who has found the record.",
		titles, units);
	while ((row = sdcpg_measure_next(SDC_MEASURE_DISCLOSURE, row)) != NULL)
		foreach (cell, lines)
		{
			SdcReportCell *cells;

			if (!is_of(lfirst(cell), row))
				continue;
			cells = sdcpg_report_row(table);
			sdcpg_report_set_text(&cells[0], row->words, SDC_REPORT_PLAIN);
			sdcpg_report_set_text(
				&cells[1], sdcpg_document_string(lfirst(cell), "subject"),
				SDC_REPORT_PLAIN);
			sdcpg_report_set_number(
				&cells[2], sdcpg_document_float(lfirst(cell), "value"));
		}
}

/* What no attack was given, and how many it gives away by itself. */
static void
put_beside(SdcReportModel *model, Jsonb *knowing)
{
	static const char *const titles[] = {"column", "role", "found", NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_TEXT,
										  SDC_REPORT_SHARE};
	List *columns =
		sdcpg_document_elements(sdcpg_document_part(knowing, "beside"));
	SdcReportBlock *table;
	SdcReportCell *cells;
	ListCell *cell;

	if (columns == NIL)
		return;
	sdcpg_report_heading(model, 3, "What no attack was given");
	table = sdcpg_report_table(
		model,
		"These columns are published and are no keys. Found: share of the "
		"people whose record somebody finds who knows the rules and has "
		"learned the value of this column, and nothing else of them.",
		titles, units);
	foreach (cell, columns)
	{
		char *role = sdcpg_document_string(lfirst(cell), "role");

		cells = sdcpg_report_row(table);
		sdcpg_report_set_text(&cells[0],
							  sdcpg_document_string(lfirst(cell), "column"),
							  SDC_REPORT_PLAIN);
		sdcpg_report_set_text(&cells[1], role == NULL ? "-" : role,
							  SDC_REPORT_PLAIN);
		sdcpg_report_set_number(&cells[2],
								sdcpg_document_float(lfirst(cell), "found"));
	}
	cells = sdcpg_report_row(table);
	sdcpg_report_set_text(&cells[0], "all of these, and the keys",
						  SDC_REPORT_PLAIN);
	sdcpg_report_set_text(&cells[1], "-", SDC_REPORT_PLAIN);
	sdcpg_report_set_number(&cells[2], sdcpg_document_float(knowing, "all"));
}

/* What is learned of sensitive values without finding the record. */
static void
put_learned(SdcReportModel *model, Jsonb *knowing)
{
	static const char *const titles[] = {
		"column",           "right",           "for sure and right",
		"of these unusual", "the same of all", NULL};
	static const char *const keys[] = {"found", "certain", "unusual", "usual"};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_SHARE,
										  SDC_REPORT_SHARE, SDC_REPORT_SHARE,
										  SDC_REPORT_SHARE};
	List *columns =
		sdcpg_document_elements(sdcpg_document_part(knowing, "learned"));
	SdcReportBlock *table;
	ListCell *cell;
	int i;

	if (columns == NIL)
		return;
	sdcpg_report_heading(model, 3,
						 "What is learned without finding the record");
	table = sdcpg_report_table(
		model,
		"Who knows all keys and the rules reads the value of all records that "
		"could be that of a person. Right: share of the people whose value "
		"he says. For sure: he believes it with 95 % or more. The same of "
		"all: what is right by saying the usual value of everybody; unusual: "
		"another value than that one.",
		titles, units);
	foreach (cell, columns)
	{
		SdcReportCell *cells = sdcpg_report_row(table);

		sdcpg_report_set_text(&cells[0],
							  sdcpg_document_string(lfirst(cell), "column"),
							  SDC_REPORT_PLAIN);
		for (i = 0; i < lengthof(keys); i++)
			sdcpg_report_set_number(
				&cells[i + 1], sdcpg_document_float(lfirst(cell), keys[i]));
	}
}

/* Of that the attacks, the classes, and the measures before and after. */
static void
report_risk(SdcReportModel *model, Jsonb *relation, Jsonb *measures)
{
	put_attacks(model, relation, measures);
	put_knowing(model, measures);
	put_learned(model, sdcpg_document_part(measures, "knowing"));
	put_beside(model, sdcpg_document_part(measures, "knowing"));
	put_classes(model, sdcpg_document_part(measures, "classes"));
	put_risks(model, measures);
	put_nearness(model, sdcpg_document_part(measures, "disclosure"));
}

/* ----------------------------------------------------------------------
 * What the report of a release says of one table.
 * ----------------------------------------------------------------------
 */

/* Is a column one of a list with commas, the key of a rule? */
static bool
is_in_key(const char *key, const char *column)
{
	char *rest = pstrdup(key);
	char *name;

	while ((name = sdcpg_params_next_name(&rest)) != NULL)
		if (strcmp(name, column) == 0)
			return true;
	return false;
}

/* A rule in short: its method, then its parameters that are scalars. */
static char *
rule_text(Jsonb *rule, bool joint)
{
	char *method = sdcpg_document_string(rule, "method");
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	appendStringInfoString(&text, method == NULL ? "masked" : method);
	foreach (cell, sdcpg_document_keys(rule))
	{
		char *value = sdcpg_document_string(rule, lfirst(cell));

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
		return SDC_REPORT_WITHHELD;
	foreach (cell, sdcpg_document_keys(rules))
	{
		char *key = lfirst(cell);
		bool same = strcmp(key, column) == 0;
		char *more;

		if (!same && !is_in_key(key, column))
			continue;
		more = rule_text(sdcpg_document_part(rules, key), !same);
		text = text == NULL ? more : psprintf("%s; %s", text, more);
	}
	return text == NULL ? SDC_REPORT_AS_IT_IS : text;
}

static void
put_columns(SdcReportModel *model, Jsonb *relation, Jsonb *measures)
{
	static const char *const titles[] = {"column", "type",    "masking",
										 "loss",   "verdict", NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_TEXT,
										  SDC_REPORT_TEXT, SDC_REPORT_SHARE,
										  SDC_REPORT_TEXT};
	List *columns =
		sdcpg_document_elements(sdcpg_document_part(relation, "columns"));
	List *published =
		sdcpg_document_texts(sdcpg_document_part(relation, "published"));
	List *withheld =
		sdcpg_document_texts(sdcpg_document_part(relation, "withheld"));
	Jsonb *utility = sdcpg_document_part(measures, "utility");
	double bound = sdcpg_report_attack_bound(
		sdcpg_document_part(relation, "constraints"), NULL);
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
		char *name = sdcpg_document_string(lfirst(cell), "name");
		bool out = name != NULL && sdcpg_params_is_listed(published, name) &&
				   !sdcpg_params_is_listed(withheld, name);
		SdcReportTone tone;
		SdcReportCell *cells;
		const char *verdict;
		char *mask;

		if (name == NULL)
			continue;
		mask = masking(sdcpg_document_part(relation, "rules"), name, out);
		verdict = sdcpg_report_column(measures, name, mask, bound, &tone);
		cells = sdcpg_report_row(table);
		sdcpg_report_set_text(&cells[0], name, SDC_REPORT_PLAIN);
		sdcpg_report_set_text(&cells[1],
							  sdcpg_document_string(lfirst(cell), "type"),
							  SDC_REPORT_PLAIN);
		sdcpg_report_set_text(&cells[2], mask, SDC_REPORT_PLAIN);
		if (out)
			sdcpg_report_set_number(
				&cells[3], sdcpg_report_line(utility, "value_change", name));
		sdcpg_report_set_text(&cells[4], verdict, tone);
	}
}

static void
put_gate(SdcReportModel *model, Jsonb *gate)
{
	static const char *const titles[] = {"requirement", "found", "bound",
										 "verdict", NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_VALUE,
										  SDC_REPORT_VALUE, SDC_REPORT_TEXT};
	List *results = sdcpg_document_elements(gate);
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
		bool passed = sdcpg_document_true(lfirst(cell), "passed");

		sdcpg_report_set_text(
			&cells[0], sdcpg_document_string(lfirst(cell), "requirement"),
			SDC_REPORT_PLAIN);
		sdcpg_report_set_number(&cells[1],
								sdcpg_document_float(lfirst(cell), "value"));
		sdcpg_report_set_number(&cells[2],
								sdcpg_document_float(lfirst(cell), "bound"));
		sdcpg_report_set_text(&cells[3], passed ? "holds" : "does not hold",
							  passed ? SDC_REPORT_GOOD : SDC_REPORT_BAD);
	}
	foreach (cell, results)
	{
		char *detail = sdcpg_document_string(lfirst(cell), "detail");

		if (!sdcpg_document_true(lfirst(cell), "passed") && detail != NULL)
			sdcpg_report_paragraph(model, detail);
	}
}

static void
put_losses(SdcReportModel *model, Jsonb *relation, Jsonb *utility)
{
	static const char *const series[] = {"loss", NULL};
	List *published =
		sdcpg_document_texts(sdcpg_document_part(relation, "published"));
	SdcReportBlock *chart;
	ListCell *cell;

	if (isnan(sdcpg_report_line(utility, "value_change", SDC_ALL_COLUMNS)))
		return;
	sdcpg_report_heading(model, 3, "Information loss");
	chart = sdcpg_report_block(model, SDC_REPORT_BARS,
							   "How far the values of each published column "
							   "moved, and all on average.",
							   series);
	foreach (cell, published)
	{
		double loss = sdcpg_report_line(utility, "value_change", lfirst(cell));

		if (!isnan(loss))
			sdcpg_report_bar(chart, lfirst(cell))->value[0] = loss;
	}
	sdcpg_report_bar(chart, SDC_ALL_COLUMNS)->value[0] =
		sdcpg_report_line(utility, "value_change", SDC_ALL_COLUMNS);
}

/* Are the cells of a table means? */
static bool
cells_are_means(Jsonb *protect)
{
	char *cell =
		sdcpg_document_string(sdcpg_document_part(protect, "params"), "cell");

	return cell != NULL && strcmp(cell, SDC_TABULAR_MEAN) == 0;
}

/* What a table of cells does not show, by the keys of the cells. */
static void
put_hidden(SdcReportModel *model, Jsonb *lines)
{
	static const char *const series[] = {"hidden", NULL};
	SdcReportBlock *chart = sdcpg_report_block(
		model, SDC_REPORT_BARS,
		"How many of the cells by these keys are hidden or changed.", series);
	ListCell *cell;

	foreach (cell, sdcpg_document_elements(lines))
	{
		char *measure = sdcpg_document_string(lfirst(cell), "measure");

		if (measure != NULL && strcmp(measure, "hidden_margin") == 0)
			sdcpg_report_bar(chart,
							 sdcpg_document_string(lfirst(cell), "subject"))
				->value[0] = sdcpg_document_float(lfirst(cell), "value");
	}
}

/*
 * What the rows of a target are; a cell that linked tables share has a row in
 * each of them.
 */
static const char *
rows_are(Jsonb *protect)
{
	Jsonb *linked;

	if (protect == NULL)
		return "records";
	linked =
		sdcpg_document_part(sdcpg_document_part(protect, "params"), "linked");
	if (linked == NULL)
		return "cells";
	return psprintf("rows of cells in %d linked tables",
					1 + list_length(sdcpg_document_elements(linked)));
}

/* The next field of a line of CSV, from *at on; NULL at the line's end. */
static char *
next_field(const char **at)
{
	StringInfoData field;
	const char *c = *at;
	bool quoted = *c == '"';

	if (*c == '\n' || *c == '\0')
		return NULL;
	initStringInfo(&field);
	for (c += quoted; *c != '\0'; c++)
	{
		if (quoted && c[0] == '"' && c[1] != '"')
			break;
		if (!quoted && (*c == ',' || *c == '\n'))
			break;
		c += quoted && *c == '"';
		appendStringInfoChar(&field, *c);
	}
	c += quoted && *c == '"';
	*at = c + (*c == ',');
	return field.data;
}

/* A table of cells as people read it, from the CSV of sdc.show_table. */
static void
put_shown(SdcReportModel *model, const char *csv, const char *caption)
{
	static const SdcReportUnit units[SDC_REPORT_COLUMNS] = {SDC_REPORT_TEXT};
	const char *at = csv;
	SdcReportBlock *table = NULL;

	while (*at != '\0')
	{
		const char *fields[SDC_REPORT_COLUMNS + 1] = {NULL};
		SdcReportCell *cells;
		char *field;
		int n = 0;

		while ((field = next_field(&at)) != NULL && n < SDC_REPORT_COLUMNS)
			fields[n++] = field;
		if (field != NULL)
			return;
		at += *at == '\n';
		/* an empty line, and the titles of another table */
		if (n == 0 || table == NULL)
		{
			table = n == 0 ? NULL
						   : sdcpg_report_table(model, caption, fields, units);
			continue;
		}
		cells = sdcpg_report_row(table);
		while (n-- > 0)
			sdcpg_report_set_text(&cells[n], fields[n], SDC_REPORT_PLAIN);
	}
}

/* Of a table of cells: how it is protected, and what attacks on it find. */
static void
put_cells(SdcReportModel *model, Jsonb *relation, Jsonb *protect, Jsonb *lines)
{
	static const char *const titles[] = {"measure", "what it says", "found",
										 NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_TEXT,
										  SDC_REPORT_VALUE};
	char *method = sdcpg_document_string(
		sdcpg_document_part(protect, "params"), "method");
	char *value = sdcpg_document_string(protect, "value");
	char *target = sdcpg_document_string(relation, "target");
	char *shown = sdcpg_document_string(relation, "shown");
	StringInfoData keys;
	SdcReportBlock *table;
	ListCell *cell;

	initStringInfo(&keys);
	foreach (cell, sdcpg_policy_table_all_keys(protect))
		appendStringInfo(&keys, "%s%s", keys.len > 0 ? ", " : "",
						 (char *) lfirst(cell));
	sdcpg_report_paragraph(model,
						   psprintf("Cells are %s%s, by %s; protected by %s.",
									value == NULL ? "numbers of records"
									: cells_are_means(protect) ? "means of "
															   : "sums of ",
									value == NULL ? "" : value, keys.data,
									method == NULL ? "suppress" : method));
	table = sdcpg_report_table(
		model, "What attacks on the published cells find.", titles, units);
	foreach (cell, sdcpg_document_elements(lines))
	{
		char *measure = sdcpg_document_string(lfirst(cell), "measure");
		char *detail = sdcpg_document_string(lfirst(cell), "detail");
		SdcReportCell *cells;

		if (measure != NULL && strcmp(measure, "hidden_margin") == 0)
			continue;
		cells = sdcpg_report_row(table);
		sdcpg_report_set_text(&cells[0], measure, SDC_REPORT_PLAIN);
		sdcpg_report_set_text(&cells[1], detail, SDC_REPORT_PLAIN);
		sdcpg_report_set_number(&cells[2],
								sdcpg_document_float(lfirst(cell), "value"));
	}
	put_hidden(model, lines);
	if (shown != NULL)
		put_shown(model, shown,
				  sdcpg_document_true(protect, "intervals")
					  ? "What readers see, and of what is hidden or was "
						"changed the interval that they can compute."
				  : method == NULL || strcmp(method, "suppress") == 0
					  ? "What readers see; x is a cell that is hidden."
					  : "What readers see.");
	sdcpg_report_paragraph(
		model,
		psprintf("SELECT sdc.show_table('%s', '{%s}') shows it, with params "
				 "{\"intervals\": true} also what can be computed of each "
				 "cell.",
				 target == NULL ? "(no table)" : target, keys.data));
}

void
sdcpg_report_relation(SdcReportModel *model, Jsonb *relation, Jsonb *measures,
					  const char *status)
{
	char *rel = sdcpg_document_string(relation, "relation");
	char *target = sdcpg_document_string(relation, "target");
	double rows = sdcpg_document_float(relation, "rows");
	Jsonb *protect = sdcpg_document_part(
		sdcpg_document_part(relation, "params"), "protect");

	sdcpg_report_heading(
		model, 2, psprintf("Table %s", rel == NULL ? "(dropped)" : rel));
	if (strcmp(status, "published") == 0)
		sdcpg_report_paragraph(
			model, psprintf("%s %s, published as %s.",
							sdcpg_report_number(rows, SDC_REPORT_COUNT),
							rows_are(protect),
							target == NULL ? "(no table)" : target));
	else if (measures == NULL)
		sdcpg_report_paragraph(model, "There is no masked form of it.");
	else
		sdcpg_report_paragraph(
			model, psprintf("Masked and measured, but not published as %s.",
							target == NULL ? "(no table)" : target));
	if (protect == NULL)
		put_columns(model, relation, measures);
	if (measures == NULL)
		return;
	if (protect != NULL)
		put_cells(model, relation, protect,
				  sdcpg_document_part(measures, "table"));
	put_gate(model, sdcpg_document_part(measures, "gate"));
	model->detail = true;
	report_risk(model, relation, measures);
	put_losses(model, relation, sdcpg_document_part(measures, "utility"));
	model->detail = false;
}
