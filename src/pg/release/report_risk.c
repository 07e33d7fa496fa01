/*
 * report_risk.c
 *		What the report of a release says of the risk of one table.
 */
#include "postgres.h"

#include <math.h>

#include "pg/release/report_content.h"
#include "pg/release/report_read.h"

/* What the intruder of each attack does. */
static const char *const attacks[][2] = {
	{"distance", "links each person to the nearest masked record"},
	{"learned", "links with the weights that link best"},
	{"probabilistic", "weighs what agrees by how telling it is"},
	{"transparency", "reads the published rules of masking"},
	{"exact", "looks for records that were not changed"}};

/* Measures of risk that are shown before and after. */
static const struct
{
	const char *measure;
	const char *words;
	SdcReportUnit unit;
} risks[] = {
	{"records", "records", SDC_REPORT_COUNT},
	{"classes", "classes of records that look alike", SDC_REPORT_COUNT},
	{"k_anonymity", "records in the smallest class (k)", SDC_REPORT_COUNT},
	{"unique_share", "records alone in their class", SDC_REPORT_SHARE},
	{"prosecutor_average", "found by guessing within the class",
	 SDC_REPORT_SHARE},
	{"at_risk", "records in classes of fewer than 5", SDC_REPORT_SHARE},
	{"l_distinct", "different sensitive values in a class, at least (l)",
	 SDC_REPORT_VALUE},
	{"t_equal", "distance of a class to the whole table, at most (t)",
	 SDC_REPORT_VALUE},
	{"homogeneous_records", "records in classes of one sensitive value",
	 SDC_REPORT_COUNT}};

/* How near a masked value leads to the original one. */
static const char *const nearness[][2] = {
	{"rid", "original near by rank (rid)"},
	{"sdid", "original near by deviation (sdid)"},
	{"sadr", "same value as the original (sadr)"}};

/* Ranges of the sizes of classes; each ends before the next. */
static const double sizes[] = {1, 2, 3, 5, 10, 20, 50, 100, 1000, INFINITY};

static Jsonb *
part(Jsonb *object, const char *key)
{
	return sdcpg_report_read_part(object, key);
}

static char *
attack_label(const char *name, Jsonb *attack)
{
	char *method = sdcpg_report_read_text(attack, "method");

	return method == NULL ? psprintf("%s", name)
						  : psprintf("%s (%s)", name, method);
}

static const char *
attack_words(const char *name)
{
	int i;

	for (i = 0; i < lengthof(attacks); i++)
		if (strcmp(attacks[i][0], name) == 0)
			return attacks[i][1];
	return "";
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
	sdcpg_report_set_number(&cells[2],
							sdcpg_report_read_number(attack, "reid_k"));
	sdcpg_report_set_number(&cells[3],
							sdcpg_report_read_number(attack, "k_reid"));
	if (sdcpg_report_read_text(attack, "excuse") != NULL)
		return;
	bar = sdcpg_report_bar(chart, label);
	bar->value[0] = unmasked;
	bar->value[1] = sdcpg_report_read_number(attack, "reid_k");
	bar->bound = sdcpg_report_attack_bound(constraints, name);
}

static void
put_attacks(SdcReportModel *model, Jsonb *relation, Jsonb *measures)
{
	static const char *const series[] = {"unmasked", "masked", NULL};
	static const char *const titles[] = {"attack", "the intruder", "found",
										 "for certain", NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_TEXT,
										  SDC_REPORT_SHARE, SDC_REPORT_SHARE};
	double unmasked = sdcpg_report_line(part(measures, "before"),
										"prosecutor_average", NULL);
	List *all = sdcpg_report_read_elements(part(measures, "attacks"));
	SdcReportBlock *chart;
	SdcReportBlock *table;
	ListCell *cell;

	if (all == NIL)
		return;
	sdcpg_report_heading(model, 3, "Attacks");
	chart = sdcpg_report_block(
		model, SDC_REPORT_BARS,
		"Share of the people whose record an intruder finds who has the whole "
		"original table. Unmasked: what he would find, knowing all keys, if "
		"it were published as it is.",
		series);
	table = sdcpg_report_table(
		model,
		"Found: a guess among several records counts in part. For certain: "
		"the intruder can prove it.",
		titles, units);
	foreach (cell, all)
	{
		char *name = sdcpg_report_read_text(lfirst(cell), "attack");

		if (name != NULL)
			put_attack(chart, table, lfirst(cell), name, unmasked,
					   part(relation, "constraints"));
	}
	foreach (cell, all)
	{
		char *excuse = sdcpg_report_read_text(lfirst(cell), "excuse");
		char *name = sdcpg_report_read_text(lfirst(cell), "attack");

		if (excuse != NULL && name != NULL)
			sdcpg_report_paragraph(
				model,
				psprintf("The attack %s could not be run. %s", name, excuse));
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

	foreach (cell, sdcpg_report_read_keys(histogram))
	{
		double size = strtod(lfirst(cell), NULL);
		double count =
			size * sdcpg_report_read_number(histogram, lfirst(cell));

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
	count_sizes(part(classes, "before"), share[0]);
	count_sizes(part(classes, "after"), share[1]);
	sdcpg_report_heading(model, 3, "Sizes of classes");
	chart = sdcpg_report_block(
		model, SDC_REPORT_BARS,
		"Share of the records by how many records look the same in all keys, "
		"themselves included. Who is alone stands out.",
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

static void
put_risk(SdcReportBlock *table, Jsonb *before, Jsonb *line, int risk)
{
	char *subject = sdcpg_report_read_text(line, "subject");
	SdcReportCell *cells = sdcpg_report_row(table);

	sdcpg_report_set_text(&cells[0], risks[risk].words, SDC_REPORT_PLAIN);
	sdcpg_report_set_text(&cells[1], subject, SDC_REPORT_PLAIN);
	cells[2].unit = cells[3].unit = risks[risk].unit;
	sdcpg_report_set_number(
		&cells[2], sdcpg_report_line(before, risks[risk].measure, subject));
	sdcpg_report_set_number(&cells[3],
							sdcpg_report_read_number(line, "value"));
}

static void
put_risks(SdcReportModel *model, Jsonb *measures)
{
	static const char *const titles[] = {"measure", "of", "before", "after",
										 NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_TEXT,
										  SDC_REPORT_VALUE, SDC_REPORT_VALUE};
	List *lines = sdcpg_report_read_elements(part(measures, "after"));
	SdcReportBlock *table;
	ListCell *cell;
	int i;

	if (lines == NIL)
		return;
	sdcpg_report_heading(model, 3, "Risk before and after");
	table = sdcpg_report_table(
		model,
		"Records look alike when they agree in all keys. Where keys were "
		"moved rather than made coarser, the attacks above say more than "
		"these.",
		titles, units);
	for (i = 0; i < lengthof(risks); i++)
		foreach (cell, lines)
		{
			char *name = sdcpg_report_read_text(lfirst(cell), "measure");

			if (name != NULL && strcmp(name, risks[i].measure) == 0)
				put_risk(table, part(measures, "before"), lfirst(cell), i);
		}
}

static void
put_nearness(SdcReportModel *model, Jsonb *disclosure)
{
	static const char *const titles[] = {"measure", "column", "records", NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_TEXT,
										  SDC_REPORT_SHARE};
	List *lines = sdcpg_report_read_elements(disclosure);
	SdcReportBlock *table;
	ListCell *cell;
	int i;

	if (lines == NIL)
		return;
	sdcpg_report_heading(model, 3, "What a masked value gives away");
	table = sdcpg_report_table(
		model,
		"Share of the records whose original value is near the masked one, "
		"for who has found the record.",
		titles, units);
	for (i = 0; i < lengthof(nearness); i++)
		foreach (cell, lines)
		{
			char *name = sdcpg_report_read_text(lfirst(cell), "measure");
			SdcReportCell *cells;

			if (name == NULL || strcmp(name, nearness[i][0]) != 0)
				continue;
			cells = sdcpg_report_row(table);
			sdcpg_report_set_text(&cells[0], nearness[i][1], SDC_REPORT_PLAIN);
			sdcpg_report_set_text(
				&cells[1], sdcpg_report_read_text(lfirst(cell), "subject"),
				SDC_REPORT_PLAIN);
			sdcpg_report_set_number(
				&cells[2], sdcpg_report_read_number(lfirst(cell), "value"));
		}
}

void
sdcpg_report_risk(SdcReportModel *model, Jsonb *relation, Jsonb *measures)
{
	put_attacks(model, relation, measures);
	put_classes(model, part(measures, "classes"));
	put_risks(model, measures);
	put_nearness(model, part(measures, "disclosure"));
}
