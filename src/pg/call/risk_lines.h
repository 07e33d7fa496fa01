/*
 * risk_lines.h
 *		The names of the lines of sdc.risk_report.
 *
 * For the report itself, and for whoever makes a release depend on one.
 */
#ifndef SDC_PG_RISK_LINES_H
#define SDC_PG_RISK_LINES_H

#define SDC_RISK_LINES 38

/* In the order of the report; ends with NULL. */
extern const char *const sdcpg_risk_lines[SDC_RISK_LINES + 1];

#endif
