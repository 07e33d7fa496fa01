/*
 * report_figures.c
 *		What a release comes to: the figures that its report starts with.
 */
#include "postgres.h"

#include <math.h>

#include "pg/release/report_content.h"
#include "pg/release/report_read.h"

char *
sdcpg_report_sentence(const char *detail)
{
	const char *values = detail == NULL ? NULL : strstr(detail, "; worst: ");

	if (detail == NULL)
		return NULL;
	if (values == NULL)
		return pstrdup(detail);
	return psprintf("%s.", pnstrdup(detail, values - detail));
}

double
sdcpg_report_line(Jsonb *lines, const char *measure, const char *subject)
{
	ListCell *cell;

	foreach (cell, sdcpg_report_read_elements(lines))
	{
		char *name = sdcpg_report_read_text(lfirst(cell), "measure");
		char *of = sdcpg_report_read_text(lfirst(cell), "subject");

		if (name != NULL && strcmp(name, measure) == 0 &&
			(subject == NULL || (of != NULL && strcmp(of, subject) == 0)))
			return sdcpg_report_read_number(lfirst(cell), "value");
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

	foreach (cell, sdcpg_report_read_elements(constraints))
	{
		char *name = sdcpg_report_read_text(lfirst(cell), "attack");
		char *stat = sdcpg_report_read_text(lfirst(cell), "stat");

		if (name == NULL || (stat != NULL && strcmp(stat, "reid_k") != 0))
			continue;
		if (attack != NULL && strcmp(name, attack) != 0 &&
			strcmp(name, "worst") != 0)
			continue;
		bound = lesser(bound, sdcpg_report_read_number(lfirst(cell), "<="));
		bound = lesser(bound, sdcpg_report_read_number(lfirst(cell), "<"));
	}
	return bound;
}

static void
count_gate(SdcReportFigures *figures, Jsonb *gate)
{
	ListCell *cell;

	foreach (cell, sdcpg_report_read_elements(gate))
	{
		figures->constraints++;
		figures->failed += !sdcpg_report_read_true(lfirst(cell), "passed");
	}
}

/* The strongest of the attacks on one table, if it beats those before. */
static void
find_worst(SdcReportFigures *figures, Jsonb *measures)
{
	ListCell *cell;

	foreach (cell, sdcpg_report_read_elements(
					   sdcpg_report_read_part(measures, "attacks")))
	{
		double found = sdcpg_report_read_number(lfirst(cell), "reid_k");

		if (isnan(found) ||
			(!isnan(figures->worst) && figures->worst >= found))
			continue;
		figures->worst = found;
		figures->attack = sdcpg_report_read_text(lfirst(cell), "attack");
		figures->unmasked =
			sdcpg_report_line(sdcpg_report_read_part(measures, "before"),
							  "prosecutor_average", NULL);
	}
}

SdcReportFigures
sdcpg_report_figures(const SdcRelease *release)
{
	SdcReportFigures figures = {0};
	ListCell *cell;

	figures.worst = figures.unmasked = figures.loss = figures.bound = NAN;
	foreach (cell, sdcpg_report_read_elements(release->measures))
	{
		Jsonb *measures = lfirst(cell);
		double loss =
			sdcpg_report_line(sdcpg_report_read_part(measures, "utility"),
							  "il_variables", "all columns");

		count_gate(&figures, sdcpg_report_read_part(measures, "gate"));
		find_worst(&figures, measures);
		if (isnan(figures.loss) || loss > figures.loss)
			figures.loss = loss;
	}
	foreach (cell, sdcpg_report_read_elements(release->relations))
	{
		double rows = sdcpg_report_read_number(lfirst(cell), "rows");

		figures.rows += isnan(rows) ? 0 : rows;
		figures.bound = lesser(
			figures.bound,
			sdcpg_report_attack_bound(
				sdcpg_report_read_part(lfirst(cell), "constraints"), NULL));
	}
	return figures;
}
