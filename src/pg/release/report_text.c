/*
 * report_text.c
 *		The report of a release for a terminal.
 */
#include "postgres.h"

#include <math.h>

#include "mb/pg_wchar.h"

#include "pg/release/report_format.h"

#define LINE      78
#define BAR_WIDTH 30

/* Characters of a text, which columns of a terminal are taken to be. */
static int
width_of(const char *text)
{
	return pg_mbstrlen(text);
}

static void
pad(StringInfo out, int spaces)
{
	if (spaces > 0)
		appendStringInfoSpaces(out, spaces);
}

static void
repeat(StringInfo out, char c, int count)
{
	while (count-- > 0)
		appendStringInfoChar(out, c);
}

/* A paragraph, broken between words. */
static void
put_wrapped(StringInfo out, const char *text)
{
	int column = 0;

	while (*text != '\0')
	{
		int bytes = strcspn(text, " ");
		char *word = pnstrdup(text, bytes);
		int width = width_of(word);

		if (column > 0 && column + 1 + width > LINE)
		{
			appendStringInfoChar(out, '\n');
			column = 0;
		}
		if (column > 0)
			appendStringInfoChar(out, ' ');
		appendStringInfoString(out, word);
		column += width + (column > 0);
		text += bytes;
		text += strspn(text, " ");
	}
	appendStringInfoString(out, "\n\n");
}

static void
put_heading(StringInfo out, const SdcReportBlock *block)
{
	appendStringInfo(out, "%s\n", block->text);
	repeat(out, block->level == 1 ? '=' : '-', width_of(block->text));
	appendStringInfoString(out, "\n\n");
}

/* A cell in a column of some width; numbers stand at its right. */
static void
put_cell(StringInfo out, const char *text, int width, bool right, bool last)
{
	if (right)
		pad(out, width - width_of(text));
	appendStringInfoString(out, text);
	if (!right && !last)
		pad(out, width - width_of(text));
	if (!last)
		appendStringInfoString(out, "  ");
}

static void
put_table(StringInfo out, const SdcReportBlock *table)
{
	int width[SDC_REPORT_COLUMNS];
	ListCell *row;
	int i;

	for (i = 0; i < table->columns; i++)
	{
		width[i] = width_of(table->title[i]);
		foreach (row, table->rows)
			width[i] =
				Max(width[i], width_of(sdcpg_report_cell(
								  &((const SdcReportCell *) lfirst(row))[i])));
	}
	for (i = 0; i < table->columns; i++)
		put_cell(out, table->title[i], width[i],
				 table->unit[i] != SDC_REPORT_TEXT, i == table->columns - 1);
	appendStringInfoChar(out, '\n');
	for (i = 0; i < table->columns; i++)
	{
		repeat(out, '-', width[i]);
		appendStringInfoString(out, i == table->columns - 1 ? "\n" : "  ");
	}
	foreach (row, table->rows)
	{
		const SdcReportCell *cells = lfirst(row);

		for (i = 0; i < table->columns; i++)
			put_cell(out, sdcpg_report_cell(&cells[i]), width[i],
					 table->unit[i] != SDC_REPORT_TEXT,
					 i == table->columns - 1);
		appendStringInfoChar(out, '\n');
	}
	appendStringInfoChar(out, '\n');
}

/* One bar: its label, series, value and length. */
static void
put_bar(StringInfo out, const SdcReportBlock *chart, const SdcReportBar *bar,
		int series, int labels, int titles)
{
	double value = bar->value[series];

	put_cell(out, series == 0 ? bar->label : "", labels, false, false);
	if (chart->columns > 1)
		put_cell(out, chart->title[series], titles, false, false);
	put_cell(out, sdcpg_report_number(value, chart->unit[0]), 8, true, false);
	if (isfinite(value))
		repeat(out, series == 0 && chart->columns > 1 ? '-' : '#',
			   (int) rint(BAR_WIDTH * Min(Max(value, 0), 1)));
	if (series == chart->columns - 1 && isfinite(bar->bound))
		appendStringInfo(out, "  (bound %s)",
						 sdcpg_report_number(bar->bound, chart->unit[0]));
	while (out->len > 0 && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	appendStringInfoChar(out, '\n');
}

static void
put_bars(StringInfo out, const SdcReportBlock *chart)
{
	int labels = 0;
	int titles = 0;
	ListCell *row;
	int i;

	foreach (row, chart->rows)
		labels = Max(labels, width_of(((SdcReportBar *) lfirst(row))->label));
	for (i = 0; i < chart->columns; i++)
		titles = Max(titles, width_of(chart->title[i]));
	foreach (row, chart->rows)
		for (i = 0; i < chart->columns; i++)
			put_bar(out, chart, lfirst(row), i, labels, titles);
	appendStringInfoChar(out, '\n');
}

static void
put_points(StringInfo out, const SdcReportBlock *chart)
{
	ListCell *row;

	foreach (row, chart->rows)
	{
		const SdcReportPoint *point = lfirst(row);

		appendStringInfo(
			out, "%c %s: %s %s, %s %s\n", point->current ? '*' : ' ',
			point->label, chart->title[0],
			sdcpg_report_number(point->x, SDC_REPORT_SHARE), chart->title[1],
			sdcpg_report_number(point->y, SDC_REPORT_SHARE));
	}
	appendStringInfoChar(out, '\n');
}

void
sdcpg_report_text(StringInfo out, const SdcReportModel *model)
{
	ListCell *cell;

	foreach (cell, model->blocks)
	{
		const SdcReportBlock *block = lfirst(cell);

		if (block->kind >= SDC_REPORT_TABLE && block->text != NULL)
			put_wrapped(out, block->text);
		switch (block->kind)
		{
			case SDC_REPORT_HEADING:
				put_heading(out, block);
				break;
			case SDC_REPORT_PARAGRAPH:
			case SDC_REPORT_VERDICT:
				put_wrapped(out, block->text);
				break;
			case SDC_REPORT_TABLE:
				put_table(out, block);
				break;
			case SDC_REPORT_BARS:
				put_bars(out, block);
				break;
			case SDC_REPORT_POINTS:
				put_points(out, block);
				break;
		}
	}
	while (out->len > 0 && out->data[out->len - 1] == '\n')
		out->data[--out->len] = '\0';
	appendStringInfoChar(out, '\n');
}
