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
	double learned; /* share whose value is learned without their record */
	char *secret;   /* of that column */
	char *secret_table;
} SdcReportFigures;

static SdcReportBlock *report_block(SdcReportModel *model, SdcReportKind kind,
									const char *caption,
									const char *const *titles);
static SdcReportBar *report_bar(SdcReportBlock *chart, const char *label);

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

/* The bound of the share that an attack finds, by constraints; NaN: none. */
static double
report_attack_bound(Jsonb *constraints, const char *attack)
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
 * The sensitive column of which most is learned for sure, where that is more
 * than is right by saying the same of everybody.
 */
static void
find_learned(SdcReportFigures *figures, Jsonb *measures)
{
	Jsonb *knowing = sdcpg_document_part(measures, "knowing");
	ListCell *cell;

	foreach (cell,
			 sdcpg_document_elements(sdcpg_document_part(knowing, "learned")))
	{
		double sure = sdcpg_document_float(lfirst(cell), "certain");

		if (!(sure > sdcpg_document_float(lfirst(cell), "usual")) ||
			figures->learned >= sure)
			continue;
		figures->learned = sure;
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
	figures.beside = figures.learned = figures.unasked = NAN;
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
			report_attack_bound(
				sdcpg_document_part(lfirst(cell), "constraints"), NULL));
	}
	return figures;
}

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
	bar = report_bar(chart, label);
	bar->value[0] = unmasked;
	bar->value[1] = sdcpg_report_found(attack);
	bar->bound = report_attack_bound(constraints, name);
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
	chart = report_block(
		model, SDC_REPORT_BARS,
		psprintf("Share of the people whose record the strongest attack (%s) "
				 "finds when the intruder knows the first key of each person "
				 "only, the first two, and so on to all of them.",
				 sdcpg_document_string(knowing, "attack")),
		series);
	foreach (cell, steps)
	{
		SdcReportBar *bar =
			report_bar(chart, knowing_label(lfirst(cell), before));

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
	chart = report_block(
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
	chart = report_block(
		model, SDC_REPORT_BARS,
		"Share of the records by how many records look the same in all keys, "
		"themselves included. Whoever is alone stands out.",
		series);
	for (i = 0; i < lengthof(sizes) - 1; i++)
	{
		SdcReportBar *bar;

		if (!(share[0][i] > 0) && !(share[1][i] > 0))
			continue;
		bar = report_bar(chart, size_label(i));
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
		"column", "right", "for sure and right", "the same of all", NULL};
	static const char *const keys[] = {"found", "certain", "usual"};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_SHARE,
										  SDC_REPORT_SHARE, SDC_REPORT_SHARE};
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
		"all: what is right by saying the most usual value of everybody.",
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
	double bound = report_attack_bound(
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
	chart = report_block(model, SDC_REPORT_BARS,
						 "How far the values of each published column "
						 "moved, and all on average.",
						 series);
	foreach (cell, published)
	{
		double loss = sdcpg_report_line(utility, "value_change", lfirst(cell));

		if (!isnan(loss))
			report_bar(chart, lfirst(cell))->value[0] = loss;
	}
	report_bar(chart, SDC_ALL_COLUMNS)->value[0] =
		sdcpg_report_line(utility, "value_change", SDC_ALL_COLUMNS);
}

/* Of a table of cells: how it is protected, and what attacks on it find. */
static void
put_cells(SdcReportModel *model, Jsonb *protect, Jsonb *lines,
		  const char *target)
{
	static const char *const titles[] = {"figure", "found", NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_VALUE};
	char *method = sdcpg_document_string(
		sdcpg_document_part(protect, "params"), "method");
	char *value = sdcpg_document_string(protect, "value");
	StringInfoData keys;
	SdcReportBlock *table;
	ListCell *cell;

	initStringInfo(&keys);
	foreach (cell, sdcpg_document_texts(sdcpg_document_part(protect, "keys")))
		appendStringInfo(&keys, "%s%s", keys.len > 0 ? ", " : "",
						 (char *) lfirst(cell));
	sdcpg_report_paragraph(
		model, psprintf("Cells are %s%s, by %s; protected by %s.",
						value == NULL ? "numbers of records" : "sums of ",
						value == NULL ? "" : value, keys.data,
						method == NULL ? "suppress" : method));
	table = sdcpg_report_table(
		model, "What attacks on the published cells find.", titles, units);
	foreach (cell, sdcpg_document_elements(lines))
	{
		SdcReportCell *cells = sdcpg_report_row(table);
		char *detail = sdcpg_document_string(lfirst(cell), "detail");

		sdcpg_report_set_text(&cells[0], detail, SDC_REPORT_PLAIN);
		sdcpg_report_set_number(&cells[1],
								sdcpg_document_float(lfirst(cell), "value"));
	}
	sdcpg_report_paragraph(
		model, psprintf("SELECT sdc.show_table('%s', '{%s}') shows it.",
						target == NULL ? "(no table)" : target, keys.data));
}

/* What a release says of one table: its objects in relations and measures. */
static void
report_relation(SdcReportModel *model, Jsonb *relation, Jsonb *measures,
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
							protect == NULL ? "records" : "cells",
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
		put_cells(model, protect, sdcpg_document_part(measures, "table"),
				  target);
	put_gate(model, sdcpg_document_part(measures, "gate"));
	model->detail = true;
	report_risk(model, relation, measures);
	put_losses(model, relation, sdcpg_document_part(measures, "utility"));
	model->detail = false;
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

/* Starts a table or chart; titles end with NULL. */
static SdcReportBlock *
report_block(SdcReportModel *model, SdcReportKind kind, const char *caption,
			 const char *const *titles)
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
		report_block(model, SDC_REPORT_TABLE, caption, titles);
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

static SdcReportBar *
report_bar(SdcReportBlock *chart, const char *label)
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

/* Who finds more than all attacks, for he knows what none was given. */
static void
put_beside_most(SdcReportModel *model, const SdcReportFigures *figures)
{
	bool several = figures->tables > 1;

	if (isnan(figures->beside) || figures->beside <= figures->worst)
		return;
	if (figures->column == NULL)
		sdcpg_report_paragraph(
			model,
			psprintf("Somebody who has learned all columns that are "
					 "published%s%s, also those that no attack was given, "
					 "finds the records of %s of the people.",
					 several ? " of table " : "",
					 several ? figures->column_table : "",
					 sdcpg_report_number(figures->beside, SDC_REPORT_SHARE)));
	else
		sdcpg_report_paragraph(
			model,
			psprintf("Somebody who has learned column \"%s\"%s%s, which is "
					 "published and no attack was given, finds the records of "
					 "%s of the people by it alone.",
					 figures->column, several ? " of table " : "",
					 several ? figures->column_table : "",
					 sdcpg_report_number(figures->beside, SDC_REPORT_SHARE)));
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
	bool several = figures->tables > 1;

	if (isnan(figures->learned) || figures->learned <= figures->worst)
		return;
	sdcpg_report_paragraph(
		model,
		psprintf("Without finding their records he learns the value of column "
				 "\"%s\"%s%s of %s of the people for sure, as nearly all "
				 "records that could be theirs have it.",
				 figures->secret, several ? " of table " : "",
				 several ? figures->secret_table : "",
				 sdcpg_report_number(figures->learned, SDC_REPORT_SHARE)));
}

/* The strongest attack in words. */
static void
put_risk(SdcReportModel *model, const SdcReportFigures *figures)
{
	bool several = figures->tables > 1 && figures->table != NULL;
	StringInfoData text;

	if (isnan(figures->worst))
	{
		sdcpg_report_paragraph(
			model, "No attack was run, so this report cannot say how many "
				   "people an intruder would find.");
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
	put_fact(table, "seed",
			 !release->seeded
				 ? "drawn at random and not kept"
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
	chart = report_block(
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
		report_relation(model, lfirst(cell),
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

	sdcpg_report_heading(model, 1,
						 psprintf("Release " INT64_FORMAT " of policy %s",
								  release->release, release->policy));
	report_verdict(model, tone_of(release), verdict_text(release, &figures));
	put_reason(model, release, &figures);
	if (figures.constraints > 0)
		put_risk(model, &figures);
	put_facts(model, release);
	sdcpg_report_law(model, release, figures.bound);
	put_relations(model, release);
	model->detail = true;
	put_history(model, release, history, figures.bound);
	model->detail = false;
	put_limits(model);
	return model;
}
