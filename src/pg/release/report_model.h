/*
 * report_model.h
 *		The report of a release before it has a format: what it says.
 *
 * A report is a list of blocks: headings, paragraphs, tables, charts.  What is
 * said is decided once, and each format only writes blocks down, so no format
 * can say something that another one does not.
 */
#ifndef SDC_PG_REPORT_MODEL_H
#define SDC_PG_REPORT_MODEL_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

/* How a number is to be read. */
typedef enum SdcReportUnit
{
	SDC_REPORT_TEXT,
	SDC_REPORT_COUNT, /* 20,000 */
	SDC_REPORT_SHARE, /* of 0 to 1, as a percentage */
	SDC_REPORT_VALUE, /* anything, four digits */
} SdcReportUnit;

typedef enum SdcReportTone
{
	SDC_REPORT_PLAIN,
	SDC_REPORT_GOOD,
	SDC_REPORT_BAD,
	SDC_REPORT_UNKNOWN, /* neither: not finished, not found */
} SdcReportTone;

/* A cell of a table: a text, or a number, where NaN is "no value". */
typedef struct SdcReportCell
{
	char *text; /* of the unit SDC_REPORT_TEXT */
	double number;
	SdcReportUnit unit;
	SdcReportTone tone;
} SdcReportCell;

/* A bar, or a pair of bars, of a chart. */
typedef struct SdcReportBar
{
	char *label;
	double value[2]; /* as many as the chart has series; NaN: no bar */
	double bound;    /* NaN: none */
} SdcReportBar;

/* A point of a chart. */
typedef struct SdcReportPoint
{
	char *label;
	double x;
	double y;
	bool current; /* the one that the report is about */
	SdcReportTone tone;
} SdcReportPoint;

typedef enum SdcReportKind
{
	SDC_REPORT_HEADING,
	SDC_REPORT_PARAGRAPH,
	SDC_REPORT_VERDICT,
	SDC_REPORT_TABLE,
	SDC_REPORT_BARS,
	SDC_REPORT_POINTS,
} SdcReportKind;

#define SDC_REPORT_COLUMNS 6

typedef struct SdcReportBlock
{
	SdcReportKind kind;
	char *text;         /* what it says, or the caption; may be NULL */
	int level;          /* of a heading: 1 to 3 */
	SdcReportTone tone; /* of a verdict */
	int columns;        /* of a table; of bars the series: 1 or 2 */
	char *title[SDC_REPORT_COLUMNS]; /* of columns, series, axes (x, y) */
	SdcReportUnit unit[SDC_REPORT_COLUMNS]; /* of columns; bars: unit[0] */
	double bound;                           /* of points, of y; NaN: none */
	List *rows; /* SdcReportCell[columns], SdcReportBar or SdcReportPoint */
} SdcReportBlock;

typedef struct SdcReportModel
{
	List *blocks;
} SdcReportModel;

/*
 * Texts are copied; control characters in them become "?", as names may hold
 * any, and a report is read on terminals.
 */
extern char *sdcpg_report_clean(const char *text);

extern void sdcpg_report_heading(SdcReportModel *model, int level,
								 const char *text);
extern void sdcpg_report_paragraph(SdcReportModel *model, const char *text);
extern void sdcpg_report_verdict(SdcReportModel *model, SdcReportTone tone,
								 const char *text);

/* Starts a table or chart; titles end with NULL. */
extern SdcReportBlock *sdcpg_report_block(SdcReportModel *model,
										  SdcReportKind kind,
										  const char *caption,
										  const char *const *titles);

/* The same with units, one for each title. */
extern SdcReportBlock *sdcpg_report_table(SdcReportModel *model,
										  const char *caption,
										  const char *const *titles,
										  const SdcReportUnit *units);

/* A row of a table, its cells empty. */
extern SdcReportCell *sdcpg_report_row(SdcReportBlock *table);
extern void sdcpg_report_set_text(SdcReportCell *cell, const char *text,
								  SdcReportTone tone);
extern void sdcpg_report_set_number(SdcReportCell *cell, double number);

extern SdcReportBar *sdcpg_report_bar(SdcReportBlock *chart,
									  const char *label);
extern SdcReportPoint *sdcpg_report_point(SdcReportBlock *chart,
										  const char *label);

/* A number as it is shown; "-" for NaN. */
extern char *sdcpg_report_number(double number, SdcReportUnit unit);

/* What is shown of a cell. */
extern char *sdcpg_report_cell(const SdcReportCell *cell);

#endif
