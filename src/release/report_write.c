/*
 * report_write.c
 *		sdc.report: what a release published, at which risk, and why.
 */
#include "postgres.h"

#include <math.h>

#include "mb/pg_wchar.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"

#include "host/call/params.h"
#include "host/server/compat.h"
#include "release/document.h"
#include "release/history.h"
#include "release/report.h"

static void report_html_escape(StringInfo out, const char *text);

/* ----------------------------------------------------------------------
 * Charts of the report of a release, as SVG in the page.
 *
 * All coordinates are whole numbers; colours come from classes, so that the
 * themes of the page hold for charts as well.
 * ----------------------------------------------------------------------
 */

/* Of a chart of bars. */
#define WIDTH       720
#define LABELS      190 /* for labels, at the left */
#define VALUES      70  /* for values, at the right of the bars */
#define BAR         14
#define GAP         14
#define LABEL_CHARS 27

/* Of a chart of points. */
#define HEIGHT    360
#define LEFT      64
#define BOTTOM    52
#define TOP       16
#define MAX_MARKS 64

static void
put_text(StringInfo out, int x, int y, const char *class, const char *anchor,
		 const char *text)
{
	appendStringInfo(out, "<text x=\"%d\" y=\"%d\"", x, y);
	if (class != NULL)
		appendStringInfo(out, " class=\"%s\"", class);
	if (anchor != NULL)
		appendStringInfo(out, " text-anchor=\"%s\"", anchor);
	appendStringInfoChar(out, '>');
	report_html_escape(out, text);
	appendStringInfoString(out, "</text>\n");
}

/* What a reader hears, or sees when pointing. */
static void
put_title(StringInfo out, const char *text)
{
	appendStringInfoString(out, "<title>");
	report_html_escape(out, text);
	appendStringInfoString(out, "</title>");
}

/* A label as long as there is room for it. */
static char *
shortened(const char *label)
{
	int length;

	if (pg_mbstrlen(label) <= LABEL_CHARS)
		return pstrdup(label);
	length = pg_mbcharcliplen(label, strlen(label), LABEL_CHARS - 3);
	return psprintf("%s...", pnstrdup(label, length));
}

static int
bar_length(double value)
{
	return rint((WIDTH - LABELS - VALUES) * Min(Max(value, 0), 1));
}

/* Where the value of a bar stands: behind it, and behind a bound near it. */
static int
value_place(const SdcReportBar *bar, int length)
{
	int bound = isfinite(bar->bound) ? bar_length(bar->bound) : -1;

	return Max(length, bound >= length && bound < length + 56 ? bound : 0) + 6;
}

static void
put_legend(StringInfo out, const SdcReportBlock *chart, bool bound)
{
	int x = LABELS;
	int i;

	for (i = 0; i < chart->columns; i++)
	{
		appendStringInfo(out,
						 "<rect x=\"%d\" y=\"4\" width=\"%d\" height=\"%d\" "
						 "rx=\"2\" class=\"%s\"/>\n",
						 x, BAR, BAR,
						 i == chart->columns - 1 ? "after" : "before");
		put_text(out, x + BAR + 6, 15, "muted", NULL, chart->title[i]);
		x += BAR + 26 + 7 * pg_mbstrlen(chart->title[i]);
	}
	if (!bound)
		return;
	appendStringInfo(
		out,
		"<line x1=\"%d\" y1=\"3\" x2=\"%d\" y2=\"18\" class=\"bound\"/>\n",
		x + 4, x + 4);
	put_text(out, x + 12, 15, "muted", NULL, "bound of the policy");
}

static void
chart_put_bar(StringInfo out, const SdcReportBlock *chart,
			  const SdcReportBar *bar, int y)
{
	int i;

	appendStringInfoString(out, "<g>");
	put_title(out, bar->label);
	appendStringInfoChar(out, '\n');
	put_text(out, LABELS - 10, y + chart->columns * BAR / 2 + 5, NULL, "end",
			 shortened(bar->label));
	for (i = 0; i < chart->columns; i++, y += BAR + 1)
	{
		int length = isfinite(bar->value[i]) ? bar_length(bar->value[i]) : 0;

		if (length > 0)
			appendStringInfo(out,
							 "<rect x=\"%d\" y=\"%d\" width=\"%d\" "
							 "height=\"%d\" class=\"%s\"/>\n",
							 LABELS, y, length, BAR,
							 i == chart->columns - 1 ? "after" : "before");
		put_text(out, LABELS + value_place(bar, length), y + BAR - 2,
				 i == chart->columns - 1 ? NULL : "muted", NULL,
				 sdcpg_report_number(bar->value[i], chart->unit[0]));
	}
	if (isfinite(bar->bound))
		appendStringInfo(out,
						 "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" "
						 "class=\"bound\"/>\n",
						 LABELS + bar_length(bar->bound),
						 y - chart->columns * (BAR + 1) - 4,
						 LABELS + bar_length(bar->bound), y + 3);
	appendStringInfoString(out, "</g>\n");
}

/* Charts, as SVG. */
static void
report_chart_bars(StringInfo out, const SdcReportBlock *chart)
{
	int step = chart->columns * (BAR + 1) + GAP;
	int y = 34;
	int height = y + step * list_length(chart->rows);
	bool bound = false;
	ListCell *row;

	foreach (row, chart->rows)
		bound |= isfinite(((const SdcReportBar *) lfirst(row))->bound);
	appendStringInfo(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", WIDTH,
					 height);
	put_title(out, chart->text);
	put_legend(out, chart, bound);
	appendStringInfo(out, "<path d=\"M%d 26V%d\" class=\"axis\"/>\n", LABELS,
					 height - 4);
	foreach (row, chart->rows)
	{
		chart_put_bar(out, chart, lfirst(row), y);
		y += step;
	}
	appendStringInfoString(out, "</svg>");
}

/* A step of an axis that reaches some value in at most five steps. */
static double
axis_step(double most)
{
	static const double steps[] = {0.01, 0.02, 0.05, 0.1, 0.2};
	int i = 0;

	while (i < lengthof(steps) - 1 && 5 * steps[i] < most)
		i++;
	return steps[i];
}

/* Where the axes of a chart of points end. */
typedef struct Axes
{
	double step_x;
	double step_y;
	int steps_x;
	int steps_y;
} Axes;

static int
place_x(const Axes *axes, double x)
{
	return LEFT +
		   rint((WIDTH - LEFT - 30) * x / (axes->step_x * axes->steps_x));
}

static int
place_y(const Axes *axes, double y)
{
	return HEIGHT - BOTTOM -
		   rint((HEIGHT - BOTTOM - TOP) * y / (axes->step_y * axes->steps_y));
}

static Axes
plan_axes(const SdcReportBlock *chart)
{
	double most_x = 0;
	double most_y = isfinite(chart->bound) ? chart->bound : 0;
	Axes axes;
	ListCell *row;

	foreach (row, chart->rows)
	{
		const SdcReportPoint *point = lfirst(row);

		most_x = Max(most_x, Min(point->x, 1));
		most_y = Max(most_y, Min(point->y, 1));
	}
	axes.step_x = axis_step(most_x * 1.1);
	axes.step_y = axis_step(most_y * 1.1);
	axes.steps_x = Min(Max(ceil(most_x * 1.1 / axes.step_x), 2), 5);
	axes.steps_y = Min(Max(ceil(most_y * 1.1 / axes.step_y), 2), 5);
	return axes;
}

static void
put_axes(StringInfo out, const SdcReportBlock *chart, const Axes *axes)
{
	int i;

	for (i = 0; i <= axes->steps_x; i++)
		put_text(out, place_x(axes, i * axes->step_x), HEIGHT - BOTTOM + 18,
				 "muted", "middle",
				 psprintf("%.0f %%", 100 * i * axes->step_x));
	for (i = 0; i <= axes->steps_y; i++)
	{
		int y = place_y(axes, i * axes->step_y);

		appendStringInfo(out, "<path d=\"M%d %dH%d\" class=\"axis\"/>\n", LEFT,
						 y, WIDTH - 30);
		put_text(out, LEFT - 8, y + 4, "muted", "end",
				 psprintf("%.0f %%", 100 * i * axes->step_y));
	}
	put_text(out, (LEFT + WIDTH - 30) / 2, HEIGHT - 8, NULL, "middle",
			 chart->title[0]);
	appendStringInfo(out,
					 "<text transform=\"translate(14 %d) rotate(-90)\" "
					 "text-anchor=\"middle\">",
					 (TOP + HEIGHT - BOTTOM) / 2);
	report_html_escape(out, chart->title[1]);
	appendStringInfoString(out, "</text>\n");
}

/* The boxes of marks and labels that are taken. */
typedef struct Taken
{
	int count;
	int box[MAX_MARKS][4]; /* left, top, right, bottom */
} Taken;

static bool
is_free(const Taken *taken, int left, int top, int right, int bottom)
{
	int i;

	if (left < LEFT || right > WIDTH || top < 0 || bottom > HEIGHT - BOTTOM)
		return false;
	for (i = 0; i < taken->count; i++)
		if (left < taken->box[i][2] && right > taken->box[i][0] &&
			top < taken->box[i][3] && bottom > taken->box[i][1])
			return false;
	return true;
}

static void
take(Taken *taken, int left, int top, int right, int bottom)
{
	int *box;

	if (taken->count == MAX_MARKS)
		return;
	box = taken->box[taken->count++];
	box[0] = left;
	box[1] = top;
	box[2] = right;
	box[3] = bottom;
}

/* A label beside its mark where nothing else is; without room, none. */
static void
put_label(StringInfo out, Taken *taken, int x, int y, const char *label)
{
	int width = 8 * pg_mbstrlen(label);
	int lefts[4] = {x + 11, x - 11 - width, x - width / 2, x - width / 2};
	int tops[4] = {y - 8, y - 8, y - 27, y + 11};
	int i;

	for (i = 0; i < 4; i++)
	{
		if (!is_free(taken, lefts[i], tops[i], lefts[i] + width, tops[i] + 16))
			continue;
		take(taken, lefts[i], tops[i], lefts[i] + width, tops[i] + 16);
		put_text(out, lefts[i] + width / 2, tops[i] + 13, NULL, "middle",
				 label);
		return;
	}
}

static void
chart_put_point(StringInfo out, const Axes *axes, const SdcReportPoint *point)
{
	static const char *const tones[] = {"before", "good", "bad", "unknown"};
	int x = place_x(axes, Min(point->x, 1));
	int y = place_y(axes, Min(point->y, 1));

	appendStringInfo(out,
					 "<circle cx=\"%d\" cy=\"%d\" r=\"6\" class=\"dot %s\">",
					 x, y, tones[point->tone]);
	put_title(out, psprintf("%s: %s, %s", point->label,
							sdcpg_report_number(point->x, SDC_REPORT_SHARE),
							sdcpg_report_number(point->y, SDC_REPORT_SHARE)));
	appendStringInfoString(out, "</circle>\n");
	if (point->current)
		appendStringInfo(
			out, "<circle cx=\"%d\" cy=\"%d\" r=\"10\" class=\"ring\"/>\n", x,
			y);
}

static void
put_bound(StringInfo out, const SdcReportBlock *chart, const Axes *axes,
		  Taken *taken)
{
	int y = place_y(axes, Min(chart->bound, 1));
	const char *label = "lowest bound of an attack";

	appendStringInfo(out,
					 "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" "
					 "class=\"bound\"/>\n",
					 LEFT, y, WIDTH - 30, y);
	put_text(out, WIDTH - 34, y - 6, "limit", "end", label);
	take(taken, WIDTH - 34 - 8 * (int) strlen(label), y - 20, WIDTH - 34, y);
}

static void
report_chart_points(StringInfo out, const SdcReportBlock *chart)
{
	Axes axes = plan_axes(chart);
	Taken taken = {0};
	ListCell *row;
	int pass;

	appendStringInfo(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", WIDTH,
					 HEIGHT);
	put_title(out, chart->text);
	put_axes(out, chart, &axes);
	if (isfinite(chart->bound))
		put_bound(out, chart, &axes, &taken);
	foreach (row, chart->rows)
	{
		const SdcReportPoint *point = lfirst(row);
		int x = place_x(&axes, Min(point->x, 1));
		int y = place_y(&axes, Min(point->y, 1));

		take(&taken, x - 10, y - 10, x + 10, y + 10);
		chart_put_point(out, &axes, point);
	}
	/* the release that the report is about chooses its place first */
	for (pass = 0; pass < 2; pass++)
		foreach (row, chart->rows)
		{
			const SdcReportPoint *point = lfirst(row);

			if (point->current == (pass == 0))
				put_label(out, &taken, place_x(&axes, Min(point->x, 1)),
						  place_y(&axes, Min(point->y, 1)), point->label);
		}
	appendStringInfoString(out, "</svg>");
}

/* ----------------------------------------------------------------------
 * The report of a release for a terminal.
 * ----------------------------------------------------------------------
 */

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
put_repeated(StringInfo out, char c, int count)
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
	put_repeated(out, block->level == 1 ? '=' : '-', width_of(block->text));
	appendStringInfoString(out, "\n\n");
}

/* A cell in a column of some width; numbers stand at its right. */
static void
text_put_cell(StringInfo out, const char *text, int width, bool right,
			  bool last)
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
text_put_table(StringInfo out, const SdcReportBlock *table)
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
		text_put_cell(out, table->title[i], width[i],
					  table->unit[i] != SDC_REPORT_TEXT,
					  i == table->columns - 1);
	appendStringInfoChar(out, '\n');
	for (i = 0; i < table->columns; i++)
	{
		put_repeated(out, '-', width[i]);
		appendStringInfoString(out, i == table->columns - 1 ? "\n" : "  ");
	}
	foreach (row, table->rows)
	{
		const SdcReportCell *cells = lfirst(row);

		for (i = 0; i < table->columns; i++)
			text_put_cell(out, sdcpg_report_cell(&cells[i]), width[i],
						  table->unit[i] != SDC_REPORT_TEXT,
						  i == table->columns - 1);
		appendStringInfoChar(out, '\n');
	}
	appendStringInfoChar(out, '\n');
}

/* One bar: its label, series, value and length. */
static void
text_put_bar(StringInfo out, const SdcReportBlock *chart,
			 const SdcReportBar *bar, int series, int labels, int titles)
{
	double value = bar->value[series];

	text_put_cell(out, series == 0 ? bar->label : "", labels, false, false);
	if (chart->columns > 1)
		text_put_cell(out, chart->title[series], titles, false, false);
	text_put_cell(out, sdcpg_report_number(value, chart->unit[0]), 8, true,
				  false);
	if (isfinite(value))
		put_repeated(out, series == 0 && chart->columns > 1 ? '-' : '#',
					 (int) rint(BAR_WIDTH * Min(Max(value, 0), 1)));
	if (series == chart->columns - 1 && isfinite(bar->bound))
		appendStringInfo(out, "  (bound %s)",
						 sdcpg_report_number(bar->bound, chart->unit[0]));
	while (out->len > 0 && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	appendStringInfoChar(out, '\n');
}

static void
text_put_bars(StringInfo out, const SdcReportBlock *chart)
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
			text_put_bar(out, chart, lfirst(row), i, labels, titles);
	appendStringInfoChar(out, '\n');
}

static void
text_put_points(StringInfo out, const SdcReportBlock *chart)
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

/* For a terminal, 79 columns wide where names allow. */
static void
report_text(StringInfo out, const SdcReportModel *model)
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
				text_put_table(out, block);
				break;
			case SDC_REPORT_BARS:
				text_put_bars(out, block);
				break;
			case SDC_REPORT_POINTS:
				text_put_points(out, block);
				break;
		}
	}
	while (out->len > 0 && out->data[out->len - 1] == '\n')
		out->data[--out->len] = '\0';
	appendStringInfoChar(out, '\n');
}

/* ----------------------------------------------------------------------
 * The report of a release as CommonMark; charts become tables.
 * ----------------------------------------------------------------------
 */

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
markdown_put_table(StringInfo out, const SdcReportBlock *table)
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

/* CommonMark with tables; HTML in names shows as it is written. */
static void
report_markdown(StringInfo out, const SdcReportModel *model)
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
				markdown_put_table(out, block);
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

/* ----------------------------------------------------------------------
 * The report of a release as one page of HTML.
 *
 * The page is well-formed XML too, and ASCII: what is beyond it is written as
 * a number, so that no guess of an encoding can spoil it.
 * ----------------------------------------------------------------------
 */

static const char style[] =
	":root{color-scheme:light dark;--paper:#ffffff;--ink:#1c2430;"
	"--muted:#5a6675;--line:#d5dbe3;--panel:#f4f6f9;--before:#9aa7b8;"
	"--after:#1f63b5;--good:#1b6e3c;--bad:#b3261e;--unknown:#8a5a00;"
	"--wash-good:#e4f3e9;--wash-bad:#fbe7e5;--wash-unknown:#fbf0dc}\n"
	"@media (prefers-color-scheme:dark){:root{--paper:#14181e;--ink:#e6eaf0;"
	"--muted:#a3afbd;--line:#36404c;--panel:#1c222a;--before:#66758a;"
	"--after:#6aaaf5;--good:#76cf98;--bad:#ff8f86;--unknown:#e9b85c;"
	"--wash-good:#173123;--wash-bad:#3b1d1b;--wash-unknown:#362b14}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--paper);color:var(--ink);"
	"font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",\"Liberation Sans\","
	"Arial,sans-serif}\n"
	"main{max-width:56rem;margin:0 auto;padding:2rem 1.25rem 4rem}\n"
	"h1{font-size:1.7rem;line-height:1.25;margin:0 0 1rem}\n"
	"h2{font-size:1.25rem;margin:2.5rem 0 .5rem;padding-top:.75rem;"
	"border-top:1px solid var(--line)}\n"
	"h3{font-size:1.05rem;margin:1.5rem 0 .25rem}\n"
	"h1,h2,h3,p,td{overflow-wrap:anywhere}\n"
	"td:first-child{overflow-wrap:break-word}\n"
	"p{margin:.5rem 0;max-width:44rem}\n"
	".caption{color:var(--muted)}\n"
	".verdict{max-width:none;border-left:.4rem solid;border-radius:.25rem;"
	"padding:.75rem 1rem;margin:1rem 0;font-weight:600}\n"
	".verdict.good{background:var(--wash-good);border-color:var(--good)}\n"
	".verdict.bad{background:var(--wash-bad);border-color:var(--bad)}\n"
	".verdict.unknown,.verdict.plain{background:var(--wash-unknown);"
	"border-color:var(--unknown)}\n"
	".wide{overflow-x:auto;margin:.75rem 0}\n"
	"table{border-collapse:collapse;width:100%;font-size:.925rem}\n"
	"th,td{text-align:left;padding:.35rem 1.25rem .35rem 0;"
	"border-bottom:1px solid var(--line);vertical-align:top}\n"
	"th{color:var(--muted);font-weight:600;vertical-align:bottom}\n"
	"th:last-child,td:last-child{padding-right:0}\n"
	".number{text-align:right;font-variant-numeric:tabular-nums;"
	"white-space:nowrap}\n"
	"td.good{color:var(--good);font-weight:600}\n"
	"td.bad{color:var(--bad);font-weight:600}\n"
	"td.unknown{color:var(--unknown)}\n"
	"svg{display:block;width:100%;max-width:45rem;height:auto;"
	"margin:.75rem 0;font-size:13px;font-family:inherit}\n"
	"svg text{fill:var(--ink)}svg text.muted{fill:var(--muted)}\n"
	"svg .axis{stroke:var(--line);fill:none}\n"
	"svg .before{fill:var(--before)}svg .after{fill:var(--after)}\n"
	"svg .bound{stroke:var(--bad);stroke-width:2;stroke-dasharray:4 3}\n"
	"svg text.limit{fill:var(--bad)}\n"
	"svg .dot{stroke:var(--paper);stroke-width:1.5}\n"
	"svg .good{fill:var(--good)}svg .bad{fill:var(--bad)}"
	"svg .unknown{fill:var(--unknown)}\n"
	"svg .ring{fill:none;stroke:var(--ink);stroke-width:1.5}\n"
	".printed{display:none}\n"
	"@media print{:root{color-scheme:light;--paper:#ffffff;--ink:#000000;"
	"--muted:#444444;--line:#bbbbbb;--panel:#ffffff;--before:#aaaaaa;"
	"--after:#1f63b5;--good:#1b6e3c;--bad:#b3261e;--unknown:#8a5a00;"
	"--wash-good:#ffffff;--wash-bad:#ffffff;--wash-unknown:#ffffff}"
	"body{font-size:9pt;line-height:1.3}main{max-width:none;padding:0}"
	".detail{display:none}.printed{display:block}h2{margin:1.2em 0 .4em}"
	"p,table{margin:.4em 0}td,th{padding:2px 8px 2px 0}"
	"*{-webkit-print-color-adjust:exact;print-color-adjust:exact}"
	"h2,h3,.caption{break-after:avoid}table,svg,.verdict{break-inside:avoid}"
	".wide{overflow:visible}}\n";

/* By SdcReportTone, in every format but the colours of a chart. */
static const char *const tone_words[] = {"plain", "good", "bad", "unknown"};

/* A text for HTML and SVG, escaped. */
static void
report_html_escape(StringInfo out, const char *text)
{
	const char *place = pg_server_to_any(text, strlen(text), PG_UTF8);

	while (*place != '\0')
	{
		int length = pg_utf_mblen((const unsigned char *) place);

		if (length > 1)
			appendStringInfo(
				out, "&#x%X;",
				(unsigned) utf8_to_unicode((const unsigned char *) place));
		else if (strchr("&<>\"'", *place) != NULL)
			appendStringInfo(out, "&#%d;", *place);
		else
			appendStringInfoChar(out, *place);
		place += length;
	}
}

static void
put_element(StringInfo out, const char *name, const char *class,
			const char *text)
{
	appendStringInfo(out, "<%s", name);
	if (class != NULL)
		appendStringInfo(out, " class=\"%s\"", class);
	appendStringInfoChar(out, '>');
	report_html_escape(out, text);
	appendStringInfo(out, "</%s>", name);
}

/* The class of a cell: numbers, and what is good or bad. */
static const char *
cell_class(SdcReportUnit unit, SdcReportTone tone)
{
	if (unit != SDC_REPORT_TEXT)
		return "number";
	return tone == SDC_REPORT_PLAIN ? NULL : tone_words[tone];
}

static void
put_table(StringInfo out, const SdcReportBlock *table)
{
	ListCell *row;
	int i;

	appendStringInfoString(out, "<div class=\"wide\"><table>\n<thead><tr>");
	for (i = 0; i < table->columns; i++)
		put_element(out, "th", cell_class(table->unit[i], SDC_REPORT_PLAIN),
					table->title[i]);
	appendStringInfoString(out, "</tr></thead>\n<tbody>\n");
	foreach (row, table->rows)
	{
		const SdcReportCell *cells = lfirst(row);

		appendStringInfoString(out, "<tr>");
		for (i = 0; i < table->columns; i++)
			put_element(out, "td", cell_class(table->unit[i], cells[i].tone),
						sdcpg_report_cell(&cells[i]));
		appendStringInfoString(out, "</tr>\n");
	}
	appendStringInfoString(out, "</tbody>\n</table></div>\n");
}

static void
put_block(StringInfo out, const SdcReportBlock *block)
{
	switch (block->kind)
	{
		case SDC_REPORT_HEADING:
			put_element(out, psprintf("h%d", block->level), NULL, block->text);
			break;
		case SDC_REPORT_PARAGRAPH:
			put_element(out, "p", NULL, block->text);
			break;
		case SDC_REPORT_VERDICT:
			put_element(out, "p",
						psprintf("verdict %s", tone_words[block->tone]),
						block->text);
			break;
		case SDC_REPORT_TABLE:
			put_table(out, block);
			break;
		case SDC_REPORT_BARS:
			report_chart_bars(out, block);
			break;
		case SDC_REPORT_POINTS:
			report_chart_points(out, block);
			break;
	}
	appendStringInfoChar(out, '\n');
}

/*
 * One page that is also XML, of ASCII only, which asks for nothing from
 * anywhere: styles and charts are in it.
 */
static void
report_html(StringInfo out, const SdcReportModel *model)
{
	const SdcReportBlock *first = linitial(model->blocks);
	ListCell *cell;
	bool detail = false;

	appendStringInfoString(
		out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
			 "<meta charset=\"utf-8\"/>\n"
			 "<meta http-equiv=\"Content-Security-Policy\""
			 " content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
			 "<meta name=\"viewport\""
			 " content=\"width=device-width, initial-scale=1\"/>\n");
	put_element(out, "title", NULL, first->text);
	appendStringInfo(out, "\n<style>\n%s</style>\n</head>\n<body>\n<main>\n",
					 style);
	foreach (cell, model->blocks)
	{
		const SdcReportBlock *block = lfirst(cell);

		if (block->detail != detail)
			appendStringInfoString(
				out, block->detail ? "<div class=\"detail\">\n" : "</div>\n");
		detail = block->detail;
		if (block->kind >= SDC_REPORT_TABLE && block->text != NULL)
			put_element(out, "p", "caption", block->text);
		put_block(out, block);
	}
	if (detail)
		appendStringInfoString(out, "</div>\n");
	put_element(
		out, "p", "printed",
		"Printed is what is to be decided. The page on the screen also "
		"has the attacks, the classes, the losses and the releases "
		"before.");
	appendStringInfoString(out, "\n</main>\n</body>\n</html>\n");
}

/* ----------------------------------------------------------------------
 * The report of a release as JSON: its blocks, numbers as they are.
 * ----------------------------------------------------------------------
 */

static const char *const kinds[] = {"heading", "paragraph", "verdict",
									"table",   "bars",      "points"};

static void
put_titles(StringInfo out, const SdcReportBlock *block)
{
	int i;

	sdcpg_document_open(out, "titles", '[');
	for (i = 0; i < block->columns; i++)
		sdcpg_document_text(out, NULL, block->title[i]);
	sdcpg_document_close(out, '[');
}

static void
put_cells(StringInfo out, const SdcReportBlock *table,
		  const SdcReportCell *cells)
{
	int i;

	sdcpg_document_open(out, NULL, '[');
	for (i = 0; i < table->columns; i++)
	{
		if (cells[i].unit == SDC_REPORT_TEXT)
			sdcpg_document_text(out, NULL, cells[i].text);
		else
			sdcpg_document_number(out, NULL, cells[i].number);
	}
	sdcpg_document_close(out, '[');
}

static void
put_bar(StringInfo out, const SdcReportBlock *chart, const SdcReportBar *bar)
{
	int i;

	sdcpg_document_open(out, NULL, '{');
	sdcpg_document_text(out, "label", bar->label);
	sdcpg_document_open(out, "values", '[');
	for (i = 0; i < chart->columns; i++)
		sdcpg_document_number(out, NULL, bar->value[i]);
	sdcpg_document_close(out, '[');
	sdcpg_document_number(out, "bound", bar->bound);
	sdcpg_document_close(out, '{');
}

static void
put_point(StringInfo out, const SdcReportPoint *point)
{
	sdcpg_document_open(out, NULL, '{');
	sdcpg_document_text(out, "label", point->label);
	sdcpg_document_number(out, "x", point->x);
	sdcpg_document_number(out, "y", point->y);
	sdcpg_document_boolean(out, "current", point->current);
	sdcpg_document_text(out, "tone", tone_words[point->tone]);
	sdcpg_document_close(out, '{');
}

static void
put_rows(StringInfo out, const SdcReportBlock *block)
{
	ListCell *row;

	sdcpg_document_open(out, "rows", '[');
	foreach (row, block->rows)
	{
		if (block->kind == SDC_REPORT_TABLE)
			put_cells(out, block, lfirst(row));
		else if (block->kind == SDC_REPORT_BARS)
			put_bar(out, block, lfirst(row));
		else
			put_point(out, lfirst(row));
	}
	sdcpg_document_close(out, '[');
}

/*
 * {"blocks": [{"kind": "table", ...}]}: the blocks in their order.  Numbers
 * are not rounded; what has no value is null.
 */
static void
report_json(StringInfo out, const SdcReportModel *model)
{
	ListCell *cell;

	sdcpg_document_open(out, NULL, '{');
	sdcpg_document_open(out, "blocks", '[');
	foreach (cell, model->blocks)
	{
		const SdcReportBlock *block = lfirst(cell);

		sdcpg_document_open(out, NULL, '{');
		sdcpg_document_text(out, "kind", kinds[block->kind]);
		sdcpg_document_text(out, "text", block->text);
		if (block->kind == SDC_REPORT_HEADING)
			sdcpg_document_integer(out, "level", block->level);
		if (block->kind == SDC_REPORT_VERDICT)
			sdcpg_document_text(out, "tone", tone_words[block->tone]);
		if (block->kind >= SDC_REPORT_TABLE)
		{
			put_titles(out, block);
			put_rows(out, block);
		}
		sdcpg_document_close(out, '{');
	}
	sdcpg_document_close(out, '[');
	sdcpg_document_close(out, '{');
}

/* ----------------------------------------------------------------------
 * sdc.report: what a release published, at which risk, and why.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_report);

static const char *const formats[] = {"text", "markdown", "html", "json",
									  NULL};

static void (*const writers[])(StringInfo, const SdcReportModel *) = {
	report_text, report_markdown, report_html, report_json};

/*
 * report(release bigint, format text)
 */
Datum
sdcf_report(PG_FUNCTION_ARGS)
{
	SdcRelease *release;
	SdcReleases history;
	StringInfoData out;
	int format;

	sdcpg_args_need_first(fcinfo, 2);
	format = sdcpg_args_choice("format", PG_GETARG_TEXT_PP(1), formats);
	release = sdcpg_history_find(PG_GETARG_INT64(0));
	if (release == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("there is no release " INT64_FORMAT
							   ", or none that you may see",
							   PG_GETARG_INT64(0)),
						errhint("Owners of the policy see its releases, and "
								"roles that may SELECT from "
								"sdc.release_history.")));
	history = sdcpg_history_of_policy(release->policy);
	initStringInfo(&out);
	writers[format](&out, sdcpg_report_model(release, &history));
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}
