/*
 * report_markdown.c
 *		The report of a release as CommonMark; charts become tables.
 */
#include "postgres.h"

#include "pg/release/report_format.h"

/* A text that shows as it is: nothing in it is markup. */
static void
put_escaped(StringInfo out, const char *text)
{
	for (; *text != '\0'; text++)
	{
		if (*text == '&')
			appendStringInfoString(out, "&amp;");
		else if (*text == '<')
			appendStringInfoString(out, "&lt;");
		else if (*text == '>')
			appendStringInfoString(out, "&gt;");
		else
		{
			if (strchr("\\`*_{}[]#|~!$", *text) != NULL)
				appendStringInfoChar(out, '\\');
			appendStringInfoChar(out, *text);
		}
	}
}

static void
put_cell(StringInfo out, const char *text)
{
	appendStringInfoString(out, " ");
	put_escaped(out, text);
	appendStringInfoString(out, " |");
}

/* The head of a table; numbers stand at the right of their column. */
static void
put_head(StringInfo out, int columns, char *const *title,
		 const SdcReportUnit *unit)
{
	int i;

	appendStringInfoChar(out, '|');
	for (i = 0; i < columns; i++)
		put_cell(out, title[i]);
	appendStringInfoString(out, "\n|");
	for (i = 0; i < columns; i++)
		appendStringInfoString(out,
							   unit[i] == SDC_REPORT_TEXT ? "---|" : "--:|");
	appendStringInfoChar(out, '\n');
}

static void
put_table(StringInfo out, const SdcReportBlock *table)
{
	ListCell *row;
	int i;

	put_head(out, table->columns, table->title, table->unit);
	foreach (row, table->rows)
	{
		const SdcReportCell *cells = lfirst(row);

		appendStringInfoChar(out, '|');
		for (i = 0; i < table->columns; i++)
			put_cell(out, sdcpg_report_cell(&cells[i]));
		appendStringInfoChar(out, '\n');
	}
	appendStringInfoChar(out, '\n');
}

static void
put_bars(StringInfo out, const SdcReportBlock *chart)
{
	char *title[4] = {"", chart->title[0], chart->title[1]};
	SdcReportUnit unit[4] = {SDC_REPORT_TEXT, SDC_REPORT_SHARE,
							 SDC_REPORT_SHARE, SDC_REPORT_SHARE};
	ListCell *row;
	int i;

	title[chart->columns + 1] = "bound";
	put_head(out, chart->columns + 2, title, unit);
	foreach (row, chart->rows)
	{
		const SdcReportBar *bar = lfirst(row);

		appendStringInfoChar(out, '|');
		put_cell(out, bar->label);
		for (i = 0; i < chart->columns; i++)
			put_cell(out, sdcpg_report_number(bar->value[i], chart->unit[0]));
		put_cell(out, sdcpg_report_number(bar->bound, chart->unit[0]));
		appendStringInfoChar(out, '\n');
	}
	appendStringInfoChar(out, '\n');
}

static void
put_points(StringInfo out, const SdcReportBlock *chart)
{
	char *title[3] = {"", chart->title[0], chart->title[1]};
	SdcReportUnit unit[3] = {SDC_REPORT_TEXT, SDC_REPORT_SHARE,
							 SDC_REPORT_SHARE};
	ListCell *row;

	put_head(out, 3, title, unit);
	foreach (row, chart->rows)
	{
		const SdcReportPoint *point = lfirst(row);

		appendStringInfoChar(out, '|');
		put_cell(out, point->label);
		put_cell(out, sdcpg_report_number(point->x, SDC_REPORT_SHARE));
		put_cell(out, sdcpg_report_number(point->y, SDC_REPORT_SHARE));
		appendStringInfoChar(out, '\n');
	}
	appendStringInfoChar(out, '\n');
}

static void
put_paragraph(StringInfo out, const char *before, const char *text,
			  const char *after)
{
	appendStringInfoString(out, before);
	put_escaped(out, text);
	appendStringInfoString(out, after);
}

void
sdcpg_report_markdown(StringInfo out, const SdcReportModel *model)
{
	ListCell *cell;

	foreach (cell, model->blocks)
	{
		const SdcReportBlock *block = lfirst(cell);

		if (block->kind >= SDC_REPORT_TABLE && block->text != NULL)
			put_paragraph(out, "", block->text, "\n\n");
		switch (block->kind)
		{
			case SDC_REPORT_HEADING:
				put_paragraph(out,
							  block->level == 1   ? "# "
							  : block->level == 2 ? "## "
												  : "### ",
							  block->text, "\n\n");
				break;
			case SDC_REPORT_PARAGRAPH:
				put_paragraph(out, "", block->text, "\n\n");
				break;
			case SDC_REPORT_VERDICT:
				put_paragraph(out, "**", block->text, "**\n\n");
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
}
