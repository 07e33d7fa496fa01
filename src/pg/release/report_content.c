/*
 * report_content.c
 *		What the report of a release says, from its row in the history.
 */
#include "postgres.h"

#include <math.h>

#include "pgtime.h"
#include "utils/timestamp.h"

#include "pg/release/report_content.h"
#include "pg/release/report_read.h"

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

/* The strongest attack in words. */
static void
put_risk(SdcReportModel *model, const SdcReportFigures *figures)
{
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
		"The strongest attack that was tried (%s) finds the records of %s of "
		"the people. The intruder is given the most there can be: the whole "
		"original table with names, and the rules by which it was masked.",
		figures->attack == NULL ? "unknown" : figures->attack,
		sdcpg_report_number(figures->worst, SDC_REPORT_SHARE));
	if (!isnan(figures->unmasked))
		appendStringInfo(
			&text, " Without masking he would find up to %s.",
			sdcpg_report_number(figures->unmasked, SDC_REPORT_SHARE));
	if (!isnan(figures->loss))
		appendStringInfo(
			&text,
			" For this the values moved by %s on a scale where 100 %% is "
			"anywhere.",
			sdcpg_report_number(figures->loss, SDC_REPORT_SHARE));
	sdcpg_report_paragraph(model, text.data);
}

static void
put_fact(SdcReportBlock *table, const char *what, const char *value)
{
	SdcReportCell *cells = sdcpg_report_row(table);

	sdcpg_report_set_text(&cells[0], what, SDC_REPORT_PLAIN);
	sdcpg_report_set_text(&cells[1], value, SDC_REPORT_PLAIN);
}

static void
put_facts(SdcReportModel *model, const SdcRelease *release)
{
	static const char *const titles[] = {"fact", "value", NULL};
	static const SdcReportUnit units[] = {SDC_REPORT_TEXT, SDC_REPORT_TEXT};
	SdcReportBlock *table = sdcpg_report_table(model, NULL, titles, units);

	put_fact(table, "policy", release->policy);
	put_fact(table, "owner of the policy", release->owner);
	put_fact(table, "released by", release->released_by);
	put_fact(table, "status", release->status);
	put_fact(table, "started", time_text(release->started));
	put_fact(table, "finished", time_text(release->finished));
	put_fact(table, "snapshot of the database", release->snapshot);
	put_fact(table, "seed",
			 release->seed_hash == NULL
				 ? "drawn at random and not kept"
				 : psprintf("given; SHA-256 %s", release->seed_hash));
}

/* A row of the table of releases, and a point of the chart. */
static void
put_earlier(SdcReportBlock *table, SdcReportBlock *chart,
			const SdcRelease *release, bool current)
{
	SdcReportFigures figures = sdcpg_report_figures(release);
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
	point = sdcpg_report_point(chart, psprintf("release %s", label));
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
	List *measures = sdcpg_report_read_elements(release->measures);
	ListCell *cell;
	int i = 0;

	foreach (cell, sdcpg_report_read_elements(release->relations))
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
	SdcReportFigures figures = sdcpg_report_figures(release);

	sdcpg_report_heading(model, 1,
						 psprintf("Release " INT64_FORMAT " of policy %s",
								  release->release, release->policy));
	sdcpg_report_verdict(model, tone_of(release),
						 verdict_text(release, &figures));
	put_reason(model, release, &figures);
	if (figures.constraints > 0)
		put_risk(model, &figures);
	put_facts(model, release);
	put_relations(model, release);
	put_history(model, release, history, figures.bound);
	put_limits(model);
	return model;
}
