/*
 * report.c
 *		What the report of a release says, from its row in the history.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "nodes/pg_list.h"
#include "pgtime.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "host/call/params.h"
#include "release/document.h"
#include "release/gate.h"
#include "release/history.h"
#include "release/report.h"
#include "topic/registry/attacks.h"
#include "topic/registry/measures.h"

/* What a release comes to, over all its tables; NaN where nothing is known. */
typedef struct SdcReportFigures
{
	int constraints;
	int failed;      /* constraints that do not hold */
	double worst;    /* share of people that the strongest attack finds */
	char *attack;    /* its name; NULL without any */
	double unmasked; /* what it would find without masks, at the most */
	double loss;     /* information loss of the table, 0 to 1 */
	char *table;     /* that the strongest attack is on */
	int tables;      /* of the release */
	double bound;    /* the least bound of reid_k of an attack */
	double rows;     /* records of all tables */
	double beside;   /* share found by what no attack was given */
	char *column;    /* a column, of which table it is; NULL: all */
	char *column_table;
	double unasked; /* share found by an attack that the policy has not */
	double learned; /* share whose value is learned without their record, */
	double unusual; /* and share of whom it is not the usual one */
	char *secret;   /* of that column */
	char *secret_table;
} SdcReportFigures;

/* ----------------------------------------------------------------------
 * What a release comes to: the figures that its report starts with.
 * ----------------------------------------------------------------------
 */

/* The value of a line of a report in the history; NaN when it is not there. */
double
sdcpg_report_line(Jsonb *lines, const char *measure, const char *subject)
{
	ListCell *cell;

	foreach (cell, sdcpg_document_elements(lines))
	{
		char *name = sdcpg_document_string(lfirst(cell), "measure");
		char *of = sdcpg_document_string(lfirst(cell), "subject");

		if (name != NULL && strcmp(name, measure) == 0 &&
			(subject == NULL || (of != NULL && strcmp(of, subject) == 0)))
			return sdcpg_document_float(lfirst(cell), "value");
	}
	return NAN;
}

static double
lesser(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? b : a;
	return Min(a, b);
}

double
sdcpg_report_attack_bound(Jsonb *constraints, const char *attack)
{
	double bound = NAN;
	ListCell *cell;

	foreach (cell, sdcpg_document_elements(constraints))
	{
		char *name = sdcpg_document_string(lfirst(cell), "attack");
		char *stat = sdcpg_document_string(lfirst(cell), "stat");

		if (name == NULL || (stat != NULL && strcmp(stat, "found") != 0 &&
							 strcmp(stat, "reid_k") != 0))
			continue;
		if (attack != NULL && strcmp(name, attack) != 0 &&
			strcmp(name, "worst") != 0)
			continue;
		bound = lesser(bound, sdcpg_document_float(lfirst(cell), "<="));
		bound = lesser(bound, sdcpg_document_float(lfirst(cell), "<"));
	}
	return bound;
}

static void
count_gate(SdcReportFigures *figures, Jsonb *gate)
{
	ListCell *cell;

	foreach (cell, sdcpg_document_elements(gate))
	{
		figures->constraints++;
		figures->failed += !sdcpg_document_true(lfirst(cell), "passed");
	}
}

/* What an attack found; in releases of version 0.1 reid_k. */
double
sdcpg_report_found(Jsonb *attack)
{
	double found = sdcpg_document_float(attack, "found");

	return isnan(found) ? sdcpg_document_float(attack, "reid_k") : found;
}

static double
table_loss(Jsonb *measures)
{
	return sdcpg_report_line(sdcpg_document_part(measures, "utility"),
							 "value_change", "all columns");
}

/* The strongest of the attacks on one table, if it beats those before. */
static void
find_worst(SdcReportFigures *figures, Jsonb *measures)
{
	ListCell *cell;

	foreach (cell,
			 sdcpg_document_elements(sdcpg_document_part(measures, "attacks")))
	{
		double found = sdcpg_report_found(lfirst(cell));

		if (isnan(found) ||
			(!isnan(figures->worst) && figures->worst >= found))
			continue;
		figures->worst = found;
		figures->loss = table_loss(measures);
		figures->table = sdcpg_document_string(measures, "relation");
		figures->attack = sdcpg_document_string(lfirst(cell), "attack");
		figures->unmasked =
			sdcpg_report_line(sdcpg_document_part(measures, "before"),
							  "prosecutor_average", NULL);
	}
}

/* Takes what is found without attacks, if it beats those before. */
static void
take_beside(SdcReportFigures *figures, Jsonb *measures, char *column,
			double found)
{
	if (isnan(found) || figures->beside >= found)
		return;
	figures->beside = found;
	figures->column = column;
	figures->column_table = sdcpg_document_string(measures, "relation");
}

/* The column beside the keys that tells most, or all of them. */
static void
find_beside(SdcReportFigures *figures, Jsonb *measures)
{
	Jsonb *knowing = sdcpg_document_part(measures, "knowing");
	ListCell *cell;

	foreach (cell,
			 sdcpg_document_elements(sdcpg_document_part(knowing, "beside")))
		take_beside(figures, measures,
					sdcpg_document_string(lfirst(cell), "column"),
					sdcpg_report_found(lfirst(cell)));
	if (knowing != NULL)
		take_beside(figures, measures, NULL,
					sdcpg_document_float(knowing, "all"));
}

/*
 * The sensitive column of which most is learned for sure that is not right by
 * saying the same of everybody anyway.
 */
static void
find_learned(SdcReportFigures *figures, Jsonb *measures)
{
	Jsonb *knowing = sdcpg_document_part(measures, "knowing");
	ListCell *cell;

	foreach (cell,
			 sdcpg_document_elements(sdcpg_document_part(knowing, "learned")))
	{
		double unusual = sdcpg_document_float(lfirst(cell), "unusual");

		if (isnan(unusual) || figures->unusual >= unusual)
			continue;
		figures->unusual = unusual;
		figures->learned = sdcpg_document_float(lfirst(cell), "certain");
		figures->secret = sdcpg_document_string(lfirst(cell), "column");
		figures->secret_table = sdcpg_document_string(measures, "relation");
	}
}

/* What an attack finds that the policy does not ask for. */
static void
find_unasked(SdcReportFigures *figures, Jsonb *measures)
{
	double found = sdcpg_document_float(
		sdcpg_document_part(sdcpg_document_part(measures, "knowing"),
							"unasked"),
		"found");

	if (!isnan(found) && !(figures->unasked >= found))
		figures->unasked = found;
}

static SdcReportFigures
report_figures(const SdcRelease *release)
{
	SdcReportFigures figures = {0};
	ListCell *cell;

	figures.worst = figures.unmasked = figures.loss = figures.bound = NAN;
	figures.beside = figures.unusual = figures.unasked = NAN;
	foreach (cell, sdcpg_document_elements(release->measures))
	{
		Jsonb *measures = lfirst(cell);
		double loss = table_loss(measures);

		count_gate(&figures, sdcpg_document_part(measures, "gate"));
		find_worst(&figures, measures);
		find_beside(&figures, measures);
		find_learned(&figures, measures);
		find_unasked(&figures, measures);
		/* without an attack, the table that lost most */
		if (isnan(figures.worst) &&
			(isnan(figures.loss) || loss > figures.loss))
			figures.loss = loss;
	}
	foreach (cell, sdcpg_document_elements(release->relations))
	{
		double rows = sdcpg_document_float(lfirst(cell), "rows");

		figures.tables++;
		figures.rows += isnan(rows) ? 0 : rows;
		figures.bound = lesser(
			figures.bound,
			sdcpg_report_attack_bound(
				sdcpg_document_part(lfirst(cell), "constraints"), NULL));
	}
	return figures;
}

/* ----------------------------------------------------------------------
 * The report of a release before it has a format: what it says.
 * ----------------------------------------------------------------------
 */

/*
 * Texts are copied; control characters in them become "?", as names may hold
 * any, and a report is read on terminals.
 */
static char *
report_clean(const char *text)
{
	char *copy = pstrdup(text);
	char *place = copy;

	while (*place != '\0')
	{
		int length = pg_mblen(place);
		unsigned char first = place[0];

		/* C0, DEL, and C1 as UTF-8 has it */
		if (first < 0x20 || first == 0x7f)
			place[0] = '?';
		else if (GetDatabaseEncoding() == PG_UTF8 && first == 0xc2 &&
				 (unsigned char) place[1] < 0xa0)
			memset(place, '?', 2);
		place += length;
	}
	return copy;
}

static SdcReportBlock *
add(SdcReportModel *model, SdcReportKind kind, const char *text)
{
	SdcReportBlock *block = palloc0(sizeof(SdcReportBlock));

	block->kind = kind;
	block->text = text == NULL ? NULL : report_clean(text);
	block->bound = NAN;
	block->detail = model->detail;
	model->blocks = lappend(model->blocks, block);
	return block;
}

void
sdcpg_report_heading(SdcReportModel *model, int level, const char *text)
{
	add(model, SDC_REPORT_HEADING, text)->level = level;
}

void
sdcpg_report_paragraph(SdcReportModel *model, const char *text)
{
	(void) add(model, SDC_REPORT_PARAGRAPH, text);
}

static void
report_verdict(SdcReportModel *model, SdcReportTone tone, const char *text)
{
	add(model, SDC_REPORT_VERDICT, text)->tone = tone;
}

SdcReportBlock *
sdcpg_report_block(SdcReportModel *model, SdcReportKind kind,
				   const char *caption, const char *const *titles)
{
	SdcReportBlock *block = add(model, kind, caption);

	while (titles[block->columns] != NULL)
	{
		Assert(block->columns < SDC_REPORT_COLUMNS);
		block->title[block->columns] = report_clean(titles[block->columns]);
		block->unit[block->columns] = SDC_REPORT_SHARE;
		block->columns++;
	}
	return block;
}

/* The same with units, one for each title. */
SdcReportBlock *
sdcpg_report_table(SdcReportModel *model, const char *caption,
				   const char *const *titles, const SdcReportUnit *units)
{
	SdcReportBlock *table =
		sdcpg_report_block(model, SDC_REPORT_TABLE, caption, titles);
	int i;

	for (i = 0; i < table->columns; i++)
		table->unit[i] = units[i];
	return table;
}

/* A row of a table, its cells empty. */
SdcReportCell *
sdcpg_report_row(SdcReportBlock *table)
{
	SdcReportCell *cells = palloc0(sizeof(SdcReportCell) * table->columns);
	int i;

	for (i = 0; i < table->columns; i++)
	{
		cells[i].number = NAN;
		cells[i].unit = table->unit[i];
	}
	table->rows = lappend(table->rows, cells);
	return cells;
}

void
sdcpg_report_set_text(SdcReportCell *cell, const char *text,
					  SdcReportTone tone)
{
	cell->unit = SDC_REPORT_TEXT;
	cell->text = text == NULL ? NULL : report_clean(text);
	cell->tone = tone;
}

void
sdcpg_report_set_number(SdcReportCell *cell, double number)
{
	cell->number = number;
}

SdcReportBar *
sdcpg_report_bar(SdcReportBlock *chart, const char *label)
{
	SdcReportBar *bar = palloc0(sizeof(SdcReportBar));

	bar->label = report_clean(label);
	bar->value[0] = bar->value[1] = bar->bound = NAN;
	chart->rows = lappend(chart->rows, bar);
	return bar;
}

static SdcReportPoint *
report_point(SdcReportBlock *chart, const char *label)
{
	SdcReportPoint *point = palloc0(sizeof(SdcReportPoint));

	point->label = report_clean(label);
	chart->rows = lappend(chart->rows, point);
	return point;
}

/* A whole number with commas between thousands. */
static char *
grouped(double number)
{
	char *digits = psprintf("%.0f", fabs(number));
	int length = strlen(digits);
	StringInfoData text;
	int i;

	initStringInfo(&text);
	if (number < 0)
		appendStringInfoChar(&text, '-');
	for (i = 0; i < length; i++)
	{
		if (i > 0 && (length - i) % 3 == 0)
			appendStringInfoChar(&text, ',');
		appendStringInfoChar(&text, digits[i]);
	}
	return text.data;
}

char *
sdcpg_report_number(double number, SdcReportUnit unit)
{
	if (!isfinite(number))
		return "-";
	if (unit == SDC_REPORT_COUNT ||
		(floor(number) == number && unit == SDC_REPORT_VALUE))
		return grouped(number);
	if (unit == SDC_REPORT_SHARE)
		return psprintf("%.1f %%", 100 * number);
	if (fabs(number) >= 1000)
		return grouped(number);
	if (fabs(number) < 5e-5)
		return "0.0000";
	return psprintf("%.4g", number);
}

char *
sdcpg_report_cell(const SdcReportCell *cell)
{
	if (cell->unit != SDC_REPORT_TEXT)
		return sdcpg_report_number(cell->number, cell->unit);
	return cell->text == NULL ? "-" : cell->text;
}

/* ----------------------------------------------------------------------
 * What the report of a release says, from its row in the history.
 * ----------------------------------------------------------------------
 */

/* As many releases before are shown. */
#define EARLIER 9

/* A time in UTC, whoever reads it. */
static char *
time_text(TimestampTz time)
{
	struct pg_tm tm;
	fsec_t fraction;

	if (time == 0 || timestamp2tm(time, NULL, &tm, &fraction, NULL, NULL) != 0)
		return "-";
	return psprintf("%04d-%02d-%02d %02d:%02d UTC", tm.tm_year, tm.tm_mon,
					tm.tm_mday, tm.tm_hour, tm.tm_min);
}

static bool
is_status(const SdcRelease *release, const char *status)
{
	return strcmp(release->status, status) == 0;
}

static SdcReportTone
tone_of(const SdcRelease *release)
{
	if (is_status(release, "published"))
		return SDC_REPORT_GOOD;
	if (is_status(release, "running"))
		return SDC_REPORT_UNKNOWN;
	return SDC_REPORT_BAD;
}

static char *
verdict_text(const SdcRelease *release, const SdcReportFigures *figures)
{
	if (is_status(release, "published"))
		return psprintf(
			"Published. %s of the policy %s met.",
			figures->constraints == 1 ? "The one requirement"
			: figures->constraints == 2
				? "Both requirements"
				: psprintf("All %d requirements", figures->constraints),
			figures->constraints == 1 ? "was" : "were");
	if (is_status(release, "refused") && figures->constraints == 1)
		return "Refused. The one requirement of the policy was not met, so "
			   "nothing was published.";
	if (is_status(release, "refused") && figures->constraints > 0)
		return psprintf("Refused. %d of %d requirements of the policy %s not "
						"met, so nothing was published.",
						figures->failed, figures->constraints,
						figures->failed == 1 ? "was" : "were");
	if (is_status(release, "refused"))
		return "Refused. The table is not what the policy was written for, so "
			   "nothing was masked or published.";
	if (is_status(release, "failed"))
		return "Failed. An error ended the run, and nothing was published.";
	if (is_status(release, "interrupted"))
		return "Interrupted. The run ended before its end, and nothing was "
			   "published.";
	return "Not finished. Nothing is published yet.";
}

/* What the winner of the attacks does, and what he was given. */
static void
put_winner(StringInfo text, const char *name)
{
	const SdcAttack *attack = name == NULL ? NULL : sdcpg_attack_find(name);

	if (attack != NULL)
		appendStringInfo(text, "Its intruder %s. ", attack->intruder);
	appendStringInfoString(
		text, "He knows all keys of everybody as they are in the original, "
			  "with names");
	appendStringInfoString(
		text, attack == NULL || attack->needs & SDC_NEEDS_RULES
				  ? ", and the rules by which the table was masked, but for "
					"what was drawn at random."
				  : "; how the table was masked he need not know.");
}

/* " of table ..." where there are several. */
static char *
of_table(const SdcReportFigures *figures, const char *table)
{
	return figures->tables > 1 ? psprintf(" of table %s", table) : "";
}

/* Who finds more than all attacks, for he knows what none was given. */
static void
put_beside_most(SdcReportModel *model, const SdcReportFigures *figures)
{
	char *table = of_table(figures, figures->column_table);
	char *share = sdcpg_report_number(figures->beside, SDC_REPORT_SHARE);

	if (isnan(figures->beside) || figures->beside <= figures->worst)
		return;
	sdcpg_report_paragraph(
		model,
		figures->column == NULL
			? psprintf("Somebody who has learned all columns that are "
					   "published%s, also those that no attack was given, "
					   "finds the records of %s of the people.",
					   table, share)
			: psprintf("Somebody who has learned column \"%s\"%s, which is "
					   "published and no attack was given, finds the records "
					   "of %s of the people by it alone.",
					   figures->column, table, share));
}

/* Who finds more than all attacks of the policy, by the rules alone. */
static void
put_unasked_most(SdcReportModel *model, const SdcReportFigures *figures)
{
	if (isnan(figures->unasked) || figures->unasked <= figures->worst)
		return;
	sdcpg_report_paragraph(
		model,
		psprintf("The attack likelihood, which the policy does not ask for, "
				 "finds the records of %s of the people.",
				 sdcpg_report_number(figures->unasked, SDC_REPORT_SHARE)));
}

/* Whose value is learned, without a record that is his. */
static void
put_learned_most(SdcReportModel *model, const SdcReportFigures *figures)
{
	if (isnan(figures->unusual) || figures->unusual <= figures->worst)
		return;
	sdcpg_report_paragraph(
		model,
		psprintf("Without finding their records he learns the value of column "
				 "\"%s\"%s of %s of the people for sure, as nearly all "
				 "records that could be theirs have it; of %s it is not the "
				 "usual one.",
				 figures->secret, of_table(figures, figures->secret_table),
				 sdcpg_report_number(figures->learned, SDC_REPORT_SHARE),
				 sdcpg_report_number(figures->unusual, SDC_REPORT_SHARE)));
}

/*
 * How many tables of a release are tables of cells; *all: there are no others.
 */
static int
cell_tables(const SdcRelease *release, bool *all)
{
	int tables = 0;
	ListCell *cell;

	*all = true;
	foreach (cell, sdcpg_document_elements(release->relations))
	{
		bool cells =
			sdcpg_document_part(sdcpg_document_part(lfirst(cell), "params"),
								"protect") != NULL;

		tables += cells;
		*all = *all && cells;
	}
	return tables;
}

/* What attacks on the cells of all tables of cells have found. */
static void
put_cell_risk(SdcReportModel *model, const SdcRelease *release)
{
	double hidden = 0;
	double exact = 0;
	ListCell *cell;

	foreach (cell, sdcpg_document_elements(release->measures))
	{
		Jsonb *lines = sdcpg_document_part(lfirst(cell), "table");
		double of = sdcpg_report_line(lines, "hidden", NULL);

		hidden += isnan(of) ? 0 : of;
		of = sdcpg_report_line(lines, "exact", NULL);
		exact += isnan(of) ? 0 : of;
	}
	sdcpg_report_paragraph(
		model,
		hidden > 0
			? psprintf("Tables of cells have no records to look for; their "
					   "cells were attacked, with all that they show together "
					   "and with the release before. Of %.0f cells that are "
					   "hidden or changed, %.0f can be computed exactly.",
					   hidden, exact)
			: "Tables of cells have no records to look for, and no cell of "
			  "them is hidden or changed: every value is published as it is.");
}

/* The strongest attack in words. */
static void
put_risk(SdcReportModel *model, const SdcRelease *release,
		 const SdcReportFigures *figures)
{
	bool several = figures->tables > 1 && figures->table != NULL;
	StringInfoData text;
	bool all;

	if (cell_tables(release, &all) > 0)
	{
		put_cell_risk(model, release);
		if (all)
			return;
	}
	if (isnan(figures->worst))
	{
		sdcpg_report_paragraph(
			model,
			"No attack on people was run, so this report cannot say how "
			"many an intruder would find. What else was measured "
			"stands below.");
		return;
	}
	initStringInfo(&text);
	appendStringInfo(
		&text,
		"The strongest attack that was tried (%s%s%s) finds the records of %s "
		"of the people. ",
		figures->attack == NULL ? "unknown" : figures->attack,
		several ? " on table " : "", several ? figures->table : "",
		sdcpg_report_number(figures->worst, SDC_REPORT_SHARE));
	put_winner(&text, figures->attack);
	if (!isnan(figures->unmasked))
		appendStringInfo(
			&text, " Without masking he would find up to %s.",
			sdcpg_report_number(figures->unmasked, SDC_REPORT_SHARE));
	if (!isnan(figures->loss))
		appendStringInfo(
			&text,
			" For this the values%s moved by %s on a scale where 100 %% is "
			"anywhere.",
			several ? " of this table" : "",
			sdcpg_report_number(figures->loss, SDC_REPORT_SHARE));
	sdcpg_report_paragraph(model, text.data);
	put_unasked_most(model, figures);
	put_learned_most(model, figures);
	put_beside_most(model, figures);
}

static void
put_fact(SdcReportBlock *table, const char *what, const char *value)
{
	SdcReportCell *cells = sdcpg_report_row(table);

	sdcpg_report_set_text(&cells[0], what, SDC_REPORT_PLAIN);
	sdcpg_report_set_text(&cells[1], value, SDC_REPORT_PLAIN);
}

/* What the policy says of a release, or that it does not. */
static const char *
said(const SdcRelease *release, const char *key)
{
	char *text = sdcpg_report_said(release, key);

	return text == NULL ? "not said" : text;
}

static void
put_facts(SdcReportModel *model, const SdcRelease *release)
{
	static const char *const titles[] = {"fact", "value", NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_TEXT};
	SdcReportBlock *table = sdcpg_report_table(model, NULL, titles, units);

	put_fact(table, "purpose", said(release, "purpose"));
	put_fact(table, "recipient", said(release, "recipient"));
	put_fact(table, "approved by", said(release, "approved_by"));
	put_fact(table, "policy", release->policy);
	put_fact(table, "owner of the policy", release->owner);
	put_fact(table, "released by", release->released_by);
	put_fact(table, "status", release->status);
	put_fact(table, "started", time_text(release->started));
	put_fact(table, "finished", time_text(release->finished));
	put_fact(table, "snapshot of the database", release->snapshot);
	put_fact(
		table, "seed",
		!release->seeded
			? "drawn at random and not kept; of synthetic records made of "
			  "the originals and the key of the policy"
			: "given: anybody who knows it and the key of the policy can "
			  "repeat the release");
	put_fact(table, "signature",
			 release->signature == NULL ? "none" : release->signature);
}

/* A row of the table of releases, and a point of the chart. */
static void
put_earlier(SdcReportBlock *table, SdcReportBlock *chart,
			const SdcRelease *release, bool current)
{
	SdcReportFigures figures = report_figures(release);
	SdcReportCell *cells = sdcpg_report_row(table);
	char *label = psprintf(INT64_FORMAT, release->release);
	SdcReportPoint *point;

	sdcpg_report_set_text(&cells[0], label, SDC_REPORT_PLAIN);
	sdcpg_report_set_text(&cells[1], time_text(release->started),
						  SDC_REPORT_PLAIN);
	sdcpg_report_set_text(&cells[2], release->status, tone_of(release));
	sdcpg_report_set_number(&cells[3], figures.worst);
	sdcpg_report_set_number(&cells[4], figures.loss);
	if (isnan(figures.worst) || isnan(figures.loss))
		return;
	point = report_point(chart, psprintf("release %s", label));
	point->x = figures.loss;
	point->y = figures.worst;
	point->current = current;
	point->tone = tone_of(release);
}

static void
put_history(SdcReportModel *model, const SdcRelease *release,
			const SdcReleases *history, double bound)
{
	static const char *const titles[] = {
		"release", "started", "status", "found", "information loss", NULL};
	static const char *const axes[] = {"information loss",
									   "found by the strongest attack", NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_TEXT,
										  SDC_REPORT_TEXT, SDC_REPORT_SHARE,
										  SDC_REPORT_SHARE};
	SdcReportBlock *chart;
	SdcReportBlock *table;
	int last = 0;
	int i;

	while (last < history->count &&
		   history->release[last].release <= release->release)
		last++;
	sdcpg_report_heading(model, 2, "Risk and utility");
	chart = sdcpg_report_block(
		model, SDC_REPORT_POINTS,
		"This release among those of the policy before it: the lower, the "
		"safer; the further left, the closer to the original.",
		axes);
	chart->bound = bound;
	table = sdcpg_report_table(
		model, "The runs of this policy, this one last.", titles, units);
	for (i = Max(0, last - 1 - EARLIER); i < last; i++)
		put_earlier(table, chart, &history->release[i], i == last - 1);
	if (chart->rows == NIL)
		model->blocks = list_delete_ptr(model->blocks, chart);
}

static void
put_limits(SdcReportModel *model)
{
	sdcpg_report_heading(model, 2, "What this report does not say");
	sdcpg_report_paragraph(
		model,
		"It covers the attacks that are listed, with the keys that were "
		"declared. An intruder who knows other columns, or who puts several "
		"releases together, may do better; no list of attacks is complete.");
	sdcpg_report_paragraph(
		model,
		"It is about the published tables. The original is unchanged, and so "
		"are its copies in backups, in the write-ahead log and on replicas.");
	sdcpg_report_paragraph(
		model, "Whether the bounds of the policy are right is not measured: "
			   "somebody has decided them.");
}

/* Why nothing was published, unless the table of requirements says it. */
static void
put_reason(SdcReportModel *model, const SdcRelease *release,
		   const SdcReportFigures *figures)
{
	if (release->reason != NULL && figures->constraints == 0)
		sdcpg_report_paragraph(model, release->reason);
}

static void
put_relations(SdcReportModel *model, const SdcRelease *release)
{
	List *measures = sdcpg_document_elements(release->measures);
	ListCell *cell;
	int i = 0;

	foreach (cell, sdcpg_document_elements(release->relations))
	{
		sdcpg_report_relation(model, lfirst(cell),
							  i < list_length(measures) ? list_nth(measures, i)
														: NULL,
							  release->status);
		i++;
	}
}

SdcReportModel *
sdcpg_report_model(const SdcRelease *release, const SdcReleases *history)
{
	SdcReportModel *model = palloc0(sizeof(SdcReportModel));
	SdcReportFigures figures = report_figures(release);
	bool cells;

	if (cell_tables(release, &cells) == 0)
		cells = false;
	sdcpg_report_heading(model, 1,
						 psprintf("Release " INT64_FORMAT " of policy %s",
								  release->release, release->policy));
	report_verdict(model, tone_of(release), verdict_text(release, &figures));
	put_reason(model, release, &figures);
	if (figures.constraints > 0)
		put_risk(model, release, &figures);
	put_facts(model, release);
	sdcpg_report_law(model, release, figures.bound, cells);
	put_relations(model, release);
	model->detail = true;
	put_history(model, release, history, figures.bound);
	model->detail = false;
	put_limits(model);
	return model;
}
