/*
 * report_content.h
 *		What the report of a release says, from its row in the history.
 *
 * A report holds names, rules, counts and measures.  Sentences of the history
 * that quote a value of the data are cut, and no other text of it that comes
 * from data is shown, so a report can be given to who may not see the table.
 */
#ifndef SDC_PG_REPORT_CONTENT_H
#define SDC_PG_REPORT_CONTENT_H

#include "pg/release/history.h"
#include "pg/release/report_model.h"

/* What a release comes to, over all its tables; NaN where nothing is known. */
typedef struct SdcReportFigures
{
	int constraints;
	int failed;      /* constraints that do not hold */
	double worst;    /* share of people that the strongest attack finds */
	char *attack;    /* its name; NULL without any */
	double unmasked; /* what it would find without masks, at the most */
	double loss;     /* largest information loss of a table, 0 to 1 */
	double bound;    /* the least bound of reid_k of an attack */
	double rows;     /* records of all tables */
} SdcReportFigures;

extern SdcReportFigures sdcpg_report_figures(const SdcRelease *release);

/* The bound of the share that an attack finds, by constraints; NaN: none. */
extern double sdcpg_report_attack_bound(Jsonb *constraints,
										const char *attack);

/* The value of a line of a report in the history; NaN when it is not there. */
extern double sdcpg_report_line(Jsonb *lines, const char *measure,
								const char *subject);

/* A sentence without the part that quotes values of the data. */
extern char *sdcpg_report_sentence(const char *detail);

/* What a release says of one table: its objects in relations and measures. */
extern void sdcpg_report_relation(SdcReportModel *model, Jsonb *relation,
								  Jsonb *measures, const char *status);

/* Of that the attacks, the classes, and the measures before and after. */
extern void sdcpg_report_risk(SdcReportModel *model, Jsonb *relation,
							  Jsonb *measures);

/*
 * The report of a release; history holds releases of the same policy, of
 * which those up to it are shown.
 */
extern SdcReportModel *sdcpg_report_model(const SdcRelease *release,
										  const SdcReleases *history);

#endif
