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

/* Whether something is as it should be. */
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

/* What a block is. */
typedef enum SdcReportKind
{
	SDC_REPORT_HEADING,
	SDC_REPORT_PARAGRAPH,
	SDC_REPORT_VERDICT,
	SDC_REPORT_TABLE,
	SDC_REPORT_BARS,
	SDC_REPORT_POINTS,
} SdcReportKind;

/* Columns of a table at the most. */
#define SDC_REPORT_COLUMNS 12

/* A block: the report is a list of them, whatever format it is written in. */
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
	List *rows;  /* SdcReportCell[columns], SdcReportBar or SdcReportPoint */
	bool detail; /* left out where the page is printed */
} SdcReportBlock;

/* A report. */
typedef struct SdcReportModel
{
	List *blocks;
	bool detail; /* of the blocks that are added now */
} SdcReportModel;

/*
 * The value of a measure among lines of a report, of that subject, or of any
 * where it is NULL; NaN: there is none.
 */
extern double sdcpg_report_line(Jsonb *lines, const char *measure,
								const char *subject);

/* The share of people that an attack found; NaN: not known. */
extern double sdcpg_report_found(Jsonb *attack);

/*
 * The least bound of the share that an attack finds, or any attack where it is
 * NULL, by the constraints of a table; NaN: none.
 */
extern double sdcpg_report_attack_bound(Jsonb *constraints,
										const char *attack);

/* ----------------------------------------------------------------------
 * What a report is made of.
 * ----------------------------------------------------------------------
 */

/* Adds a heading of a level from 1 on. */
extern void sdcpg_report_heading(SdcReportModel *model, int level,
								 const char *text);

/* Adds a paragraph. */
extern void sdcpg_report_paragraph(SdcReportModel *model, const char *text);

/*
 * Adds a table without rows; titles end with NULL, at most SDC_REPORT_COLUMNS
 * of them, and units has one for each.
 */
extern SdcReportBlock *sdcpg_report_table(SdcReportModel *model,
										  const char *caption,
										  const char *const *titles,
										  const SdcReportUnit *units);

/* Adds a row to a table and returns its cells, which have no value yet. */
extern SdcReportCell *sdcpg_report_row(SdcReportBlock *table);

/* Makes a cell a text, whatever the unit of its column; NULL is no text. */
extern void sdcpg_report_set_text(SdcReportCell *cell, const char *text,
								  SdcReportTone tone);

/* Gives a cell a number, in the unit of its column. */
extern void sdcpg_report_set_number(SdcReportCell *cell, double number);

/* Adds a table, or a chart, of shares; titles as above. */
extern SdcReportBlock *sdcpg_report_block(SdcReportModel *model,
										  SdcReportKind kind,
										  const char *caption,
										  const char *const *titles);

/* Adds a bar to a chart; it has no value and no bound yet. */
extern SdcReportBar *sdcpg_report_bar(SdcReportBlock *chart,
									  const char *label);

/*
 * Adds what a release says of one table: its objects in relations and in
 * measures, which are NULL where it was not masked (report_relation.c).
 */
extern void sdcpg_report_relation(SdcReportModel *model, Jsonb *relation,
								  Jsonb *measures, const char *status);

/*
 * What the law asks, with answers beside the least bound of the policy (NaN:
 * none), and what to do next (report_law.c); cells: all tables are of cells.
 */
extern void sdcpg_report_law(SdcReportModel *model, const SdcRelease *release,
							 double bound, bool cells);

/* A text of the params of a release, as its purpose; NULL: it is not said. */
extern char *sdcpg_report_said(const SdcRelease *release, const char *key);

/* How a column is masked that is not published, or not masked. */
#define SDC_REPORT_WITHHELD "withheld"
#define SDC_REPORT_AS_IT_IS "as it is"

/*
 * The verdict on a column of a table, by what was measured of the table and
 * how the column is masked.
 */
extern const char *sdcpg_report_column(Jsonb *measures, const char *column,
									   const char *masking, double bound,
									   SdcReportTone *tone);

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
