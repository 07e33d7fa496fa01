/*
 * report_format.h
 *		The report of a release in each format.
 */
#ifndef SDC_PG_REPORT_FORMAT_H
#define SDC_PG_REPORT_FORMAT_H

#include "pg/release/report_model.h"

/* For a terminal, 79 columns wide where names allow. */
extern void sdcpg_report_text(StringInfo out, const SdcReportModel *model);

/* CommonMark with tables; HTML in names shows as it is written. */
extern void sdcpg_report_markdown(StringInfo out, const SdcReportModel *model);

/*
 * {"blocks": [{"kind": "table", ...}]}: the blocks in their order.  Numbers
 * are not rounded; what has no value is null.
 */
extern void sdcpg_report_json(StringInfo out, const SdcReportModel *model);

/*
 * One page that is also XML, of ASCII only, which asks for nothing from
 * anywhere: styles and charts are in it.
 */
extern void sdcpg_report_html(StringInfo out, const SdcReportModel *model);

/* A text for HTML and SVG, escaped. */
extern void sdcpg_report_html_escape(StringInfo out, const char *text);

/* Charts, as SVG. */
extern void sdcpg_report_chart_bars(StringInfo out,
									const SdcReportBlock *chart);
extern void sdcpg_report_chart_points(StringInfo out,
									  const SdcReportBlock *chart);

#endif
