/*
 * report.h
 *		What the report of a release says, from its row in the history.
 *
 * A report holds names, rules, counts and measures.  Sentences of the history
 * have no value of the data, and no other text of it that comes from data is
 * shown, so a report can be given to who may not see the table.
 */
#ifndef SDC_RELEASE_REPORT_H
#define SDC_RELEASE_REPORT_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "release/history.h"

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

/* A number as it is shown; "-" for NaN. */
extern char *sdcpg_report_number(double number, SdcReportUnit unit);

/* What is shown of a cell. */
extern char *sdcpg_report_cell(const SdcReportCell *cell);

/*
 * The report of a release; history holds releases of the same policy, of
 * which those up to it are shown.
 */
extern SdcReportModel *sdcpg_report_model(const SdcRelease *release,
										  const SdcReleases *history);

#endif
