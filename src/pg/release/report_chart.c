/*
 * report_chart.c
 *		Charts of the report of a release, as SVG in the page.
 *
 * All coordinates are whole numbers; colours come from classes, so that the
 * themes of the page hold for charts as well.
 */
#include "postgres.h"

#include <math.h>

#include "mb/pg_wchar.h"

#include "pg/release/report_format.h"

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
	sdcpg_report_html_escape(out, text);
	appendStringInfoString(out, "</text>\n");
}

/* What a reader hears, or sees when pointing. */
static void
put_title(StringInfo out, const char *text)
{
	appendStringInfoString(out, "<title>");
	sdcpg_report_html_escape(out, text);
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
put_bar(StringInfo out, const SdcReportBlock *chart, const SdcReportBar *bar,
		int y)
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

void
sdcpg_report_chart_bars(StringInfo out, const SdcReportBlock *chart)
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
		put_bar(out, chart, lfirst(row), y);
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
	sdcpg_report_html_escape(out, chart->title[1]);
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
put_point(StringInfo out, const Axes *axes, const SdcReportPoint *point)
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

void
sdcpg_report_chart_points(StringInfo out, const SdcReportBlock *chart)
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
		put_point(out, &axes, point);
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
