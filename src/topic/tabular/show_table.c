/*
 * show_table.c
 *		sdc.show_table: a published table as people read it.
 *
 * The labels of the last key stand across, those of the others down; parts
 * come before the total that they are parts of.  Hidden cells are marked, or
 * show the interval that anybody can compute.  Of several tables in one each
 * has a grid, by those keys that it is not at the total of.
 */
#include "postgres.h"

#include <math.h>

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "host/call/params.h"
#include "kernel/base/sort.h"
#include "topic/tabular/tabular_topic.h"

PG_FUNCTION_INFO_V1(sdcf_show_table);

static const char *const params_keys[] = {
	"intervals", "mark",     "with",  "total",         "least",
	"largest",   "base",     "noise", "noise_percent", "unit",
	"count",     "adjusted", NULL};

static const char *const formats[] = {"text", "csv", "html", NULL};
enum
{
	FORMAT_TEXT,
	FORMAT_CSV,
	FORMAT_HTML
};

/* Cells of the grid at the most: who reads more does so in a file. */
#define MOST_CELLS 1000000

/* The grid: fields[row * columns + column], NULL where there is no cell. */
typedef struct Grid
{
	SdcPgHost *host;
	const SdcTableCells *cells;
	const char *mark;
	int heads;  /* keys that stand down */
	int32 rows; /* without the line of titles */
	int32 columns;
	char **field;
} Grid;

/* ----------------------------------------------------------------------
 * The order of labels
 * ----------------------------------------------------------------------
 */

/* The parent of each label of a key; -1 where none is known. */
static int32 *
find_parents(const SdcTableCells *cells, int j, int32 labels)
{
	int32 *parent = palloc(sizeof(int32) * (labels + 1));
	int32 i;

	for (i = 0; i < labels; i++)
		parent[i] = -1;
	for (i = 0; i < cells->rows; i++)
		if (cells->parent[j][i] >= 0)
			parent[cells->code[j][i]] = cells->parent[j][i];
	return parent;
}

/*
 * How many parents are above a label; a label that is above itself, which no
 * table by protect_table has, stops at as many as there are.
 */
static int32
find_depth(const int32 *parent, int32 label, int32 labels)
{
	int32 depth = 0;

	while (parent[label] >= 0 && depth < labels)
	{
		label = parent[label];
		depth++;
	}
	return depth;
}

/* Gives each label its place: parts by label, then what they are parts of. */
static void
place_below(const int32 *parent, const int32 *depth, int32 labels, int32 top,
			int32 level, int32 *place, int32 *next)
{
	int32 i;

	CHECK_FOR_INTERRUPTS();
	for (i = 0; i < labels; i++)
		if (parent[i] == top && depth[i] == level && place[i] < 0 && i != top)
			place_below(parent, depth, labels, i, level + 1, place, next);
	if (top >= 0)
		place[top] = (*next)++;
}

/* The place of each label of a key among those that occur. */
static int32 *
order_labels(const SdcTableCells *cells, int j, int32 *count)
{
	int32 labels = sdcpg_dictionary_values(cells->label[j]);
	int32 *parent = find_parents(cells, j, labels);
	int32 *depth = palloc(sizeof(int32) * (labels + 1));
	int32 *place = palloc(sizeof(int32) * (labels + 1));
	int32 *occurs = palloc0(sizeof(int32) * (labels + 1));
	int32 next = 0;
	int32 i;

	for (i = 0; i < cells->rows; i++)
		occurs[cells->code[j][i]] = 1;
	for (i = 0; i < labels; i++)
	{
		depth[i] = find_depth(parent, i, labels);
		/* those that do not occur come to no place */
		place[i] = occurs[i] ? -1 : labels;
	}
	place_below(parent, depth, labels, -1, 0, place, &next);
	/* what hangs together in a circle has no top */
	for (i = 0; i < labels; i++)
		if (place[i] < 0)
			place[i] = next++;
	*count = next;
	return place;
}

/* ----------------------------------------------------------------------
 * The grid
 * ----------------------------------------------------------------------
 */

/* What stands in a cell. */
static char *
cell_text(const Grid *grid, int32 i)
{
	const SdcTableCells *cells = grid->cells;
	char *value =
		cells->hidden[i]
			? pstrdup(grid->mark)
			: sdcpg_dictionary_text(cells->text,
									cells->text_rank[cells->text_code[i]]);
	char *interval;

	if (cells->least == NULL ||
		(!cells->hidden[i] && cells->least[i] == cells->most[i]))
		return value;
	interval =
		isinf(cells->most[i])
			? psprintf("%.15g or more", cells->least[i])
			: psprintf("%.15g to %.15g", cells->least[i], cells->most[i]);
	return cells->hidden[i] ? interval : psprintf("%s (%s)", value, interval);
}

/* The labels down, as numbers whose order is that of the rows. */
static uint64 *
key_rows(const SdcTableCells *cells, int32 *const *place, const int32 *count)
{
	uint64 *key = palloc(sizeof(uint64) * ((Size) cells->rows + 1));
	int32 i;
	int j;

	for (i = 0; i < cells->rows; i++)
	{
		key[i] = 0;
		for (j = 0; j < cells->keys - 1; j++)
			key[i] = key[i] * count[j] + place[j][cells->code[j][i]];
	}
	return key;
}

static void
make_room(Grid *grid, int64 rows, int64 columns)
{
	if (rows * columns > MOST_CELLS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the table has too many cells to be shown"),
				 errdetail("At most %d cells are shown.", MOST_CELLS),
				 errhint("COPY the table, or show a part of it: a view with "
						 "a WHERE.")));
	grid->rows = rows;
	grid->columns = columns;
	grid->field = palloc0(sizeof(char *) * (rows * columns + 1));
}

/* The titles, then a row for each combination of the labels down. */
static void
fill_grid(Grid *grid)
{
	const SdcTableCells *cells = grid->cells;
	int32 *place[SDC_CUBE_MAX_DIMENSIONS];
	int32 count[SDC_CUBE_MAX_DIMENSIONS];
	int32 *order = palloc(sizeof(int32) * ((Size) cells->rows + 1));
	int last = cells->keys - 1;
	uint64 *key;
	int64 rows = 0;
	int32 i;
	int j;

	for (j = 0; j < cells->keys; j++)
		place[j] = order_labels(cells, j, &count[j]);
	key = key_rows(cells, place, count);
	for (i = 0; i < cells->rows; i++)
		order[i] = i;
	sdc_sort_keys(&grid->host->kernel, key, order, cells->rows);
	for (i = 0; i < cells->rows; i++)
		rows += i == 0 || key[i] != key[i - 1];
	grid->heads = Max(last, 0);
	make_room(grid, rows, (int64) grid->heads + count[last]);
	rows = -1;
	for (i = 0; i < cells->rows; i++)
	{
		int32 at = order[i];
		char **row;

		rows += i == 0 || key[i] != key[i - 1];
		row = grid->field + rows * grid->columns;
		for (j = 0; j < grid->heads; j++)
			if (row[j] == NULL)
				row[j] =
					sdcpg_dictionary_text(cells->label[j], cells->code[j][at]);
		row[grid->heads + place[last][cells->code[last][at]]] =
			cell_text(grid, at);
	}
}

/* The titles: names of the keys down, then the labels across. */
static char **
make_titles(const Grid *grid)
{
	const SdcTableCells *cells = grid->cells;
	char **title = palloc0(sizeof(char *) * (grid->columns + 1));
	int last = cells->keys - 1;
	int32 count;
	int32 *place = order_labels(cells, last, &count);
	int32 labels = sdcpg_dictionary_values(cells->label[last]);
	int32 i;

	for (i = 0; i < grid->heads; i++)
		title[i] = pstrdup(cells->name[i]);
	for (i = 0; i < labels; i++)
		if (place[i] < count)
			title[grid->heads + place[i]] =
				sdcpg_dictionary_text(cells->label[last], i);
	return title;
}

/* ----------------------------------------------------------------------
 * Formats
 * ----------------------------------------------------------------------
 */

static void
put_csv_field(StringInfo out, const char *text)
{
	const char *c;

	if (text == NULL)
		return;
	if (strpbrk(text, ",\"\r\n") == NULL)
	{
		appendStringInfoString(out, text);
		return;
	}
	appendStringInfoChar(out, '"');
	for (c = text; *c != '\0'; c++)
	{
		if (*c == '"')
			appendStringInfoChar(out, '"');
		appendStringInfoChar(out, *c);
	}
	appendStringInfoChar(out, '"');
}

static void
put_csv_row(StringInfo out, const Grid *grid, char *const *row)
{
	int32 k;

	for (k = 0; k < grid->columns; k++)
	{
		if (k > 0)
			appendStringInfoChar(out, ',');
		put_csv_field(out, row[k]);
	}
	appendStringInfoChar(out, '\n');
}

/* A text for HTML, escaped. */
static void
put_escaped(StringInfo out, const char *text)
{
	for (; *text != '\0'; text++)
		if (strchr("&<>\"'", *text) != NULL)
			appendStringInfo(out, "&#%d;", *text);
		else
			appendStringInfoChar(out, *text);
}

static void
put_html_row(StringInfo out, const Grid *grid, char *const *row, bool title)
{
	int32 k;

	appendStringInfoString(out, "<tr>");
	for (k = 0; k < grid->columns; k++)
	{
		const char *tag = title || k < grid->heads ? "th" : "td";

		appendStringInfo(out, "<%s>", tag);
		if (row[k] != NULL)
			put_escaped(out, row[k]);
		appendStringInfo(out, "</%s>", tag);
	}
	appendStringInfoString(out, "</tr>\n");
}

/* A line of columns; labels down begin on the left, the rest ends right. */
static void
put_text_row(StringInfo out, const Grid *grid, char *const *row,
			 const int *width)
{
	int32 k;

	for (k = 0; k < grid->columns; k++)
	{
		const char *text = row[k] == NULL ? "" : row[k];
		int blanks = width[k] - pg_mbstrlen(text);

		if (k > 0)
			appendStringInfoString(out, "  ");
		if (k >= grid->heads)
			appendStringInfoSpaces(out, blanks);
		appendStringInfoString(out, text);
		if (k < grid->heads)
			appendStringInfoSpaces(out, blanks);
	}
	while (out->len > 0 && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	appendStringInfoChar(out, '\n');
}

static int *
find_widths(const Grid *grid, char *const *title)
{
	int *width = palloc0(sizeof(int) * (grid->columns + 1));
	int32 r;
	int32 k;

	for (k = 0; k < grid->columns; k++)
		for (r = -1; r < grid->rows; r++)
		{
			const char *text =
				r < 0 ? title[k] : grid->field[(int64) r * grid->columns + k];

			if (text != NULL)
				width[k] = Max(width[k], pg_mbstrlen(text));
		}
	return width;
}

static void
put_grid(StringInfo out, const Grid *grid, int format)
{
	char **title = make_titles(grid);
	int *width = format == FORMAT_TEXT ? find_widths(grid, title) : NULL;
	int32 r;

	if (format == FORMAT_HTML)
		appendStringInfoString(out, "<table>\n");
	for (r = -1; r < grid->rows; r++)
	{
		char **row = r < 0 ? title : grid->field + (int64) r * grid->columns;

		CHECK_FOR_INTERRUPTS();
		if (format == FORMAT_CSV)
			put_csv_row(out, grid, row);
		else if (format == FORMAT_HTML)
			put_html_row(out, grid, row, r < 0);
		else
			put_text_row(out, grid, row, width);
	}
	if (format == FORMAT_HTML)
		appendStringInfoString(out, "</table>\n");
}

/* Is every row at the total of a key? */
static bool
is_total(const SdcTableCells *cells, int j)
{
	int32 i;

	for (i = 0; i < cells->rows; i++)
		if (cells->parent[j][i] >= 0 ||
			strcmp(sdcpg_dictionary_text(cells->label[j], cells->code[j][i]),
				   cells->total) != 0)
			return false;
	return true;
}

/* The rows of one of several tables. */
static SdcTableCells *
take_rows(SdcHost *host, const SdcTableCells *all, int32 number)
{
	SdcTableCells *cells = palloc(sizeof(SdcTableCells));
	Size room = (Size) all->rows + 1;
	int32 i;
	int j;

	*cells = *all;
	cells->rows = 0;
	cells->hidden = sdc_new(host, bool, room);
	cells->text_code = sdc_new(host, int32, room);
	if (all->least != NULL)
	{
		cells->least = sdc_new(host, double, room);
		cells->most = sdc_new(host, double, room);
	}
	for (j = 0; j < all->keys; j++)
	{
		cells->code[j] = sdc_new(host, int32, room);
		cells->parent[j] = sdc_new(host, int32, room);
	}
	for (i = 0; i < all->rows; i++)
	{
		int32 to = cells->rows;

		if (all->number != NULL && all->number[i] != number)
			continue;
		for (j = 0; j < all->keys; j++)
		{
			cells->code[j][to] = all->code[j][i];
			cells->parent[j][to] = all->parent[j][i];
		}
		cells->hidden[to] = all->hidden[i];
		cells->text_code[to] = all->text_code[i];
		if (all->least != NULL)
		{
			cells->least[to] = all->least[i];
			cells->most[to] = all->most[i];
		}
		cells->rows++;
	}
	return cells;
}

/* One of several tables, without the keys that it is at the total of. */
static SdcTableCells *
take_table(SdcHost *host, const SdcTableCells *all, int32 number)
{
	SdcTableCells *cells = take_rows(host, all, number);
	int keys = 0;
	int j;

	for (j = 0; j < all->keys; j++)
	{
		if (is_total(cells, j) && (keys > 0 || j + 1 < all->keys))
			continue;
		cells->name[keys] = cells->name[j];
		cells->code[keys] = cells->code[j];
		cells->parent[keys] = cells->parent[j];
		cells->label[keys++] = cells->label[j];
	}
	cells->keys = keys;
	return cells;
}

/* Puts each table, with an empty line between two. */
static void
put_tables(StringInfo out, Grid *grid, int format)
{
	const SdcTableCells *all = grid->cells;
	int32 number;

	for (number = 0; number < all->numbers; number++)
	{
		if (all->number != NULL)
			grid->cells = take_table(&grid->host->kernel, all, number);
		if (number > 0 && format != FORMAT_HTML)
			appendStringInfoChar(out, '\n');
		fill_grid(grid);
		put_grid(out, grid, format);
	}
}

/* params without what is not for the attack. */
static Jsonb *
attack_params(Jsonb *params)
{
	static const char *const own[] = {"intervals", "mark"};
	int k;

	for (k = 0; k < lengthof(own) && params != NULL; k++)
		params = sdcpg_table_params_without(params, own[k]);
	return params;
}

/*
 * show_table(relation regclass, keys columns, value name, format text,
 *			  params jsonb) returns text
 */
Datum
sdcf_show_table(PG_FUNCTION_ARGS)
{
	Jsonb *params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	Grid grid = {0};
	StringInfoData out;
	SdcPgHost *host;
	char *mark;
	int format;

	sdcpg_args_need_first(fcinfo, 4);
	format = sdcpg_args_choice("format", PG_GETARG_TEXT_PP(3), formats);
	sdcpg_params_check(params, params_keys);
	mark = sdcpg_params_text(params, "mark");
	grid.mark = mark == NULL ? "x" : mark;
	grid.host = host = sdcpg_host_begin("show_table", CurrentMemoryContext);
	grid.cells =
		sdcpg_table_cells(host, PG_GETARG_OID(0), PG_GETARG_ARRAYTYPE_P(1),
						  PG_GETARG_NAME(2), attack_params(params),
						  sdcpg_params_boolean(params, "intervals", false));
	initStringInfo(&out);
	put_tables(&out, &grid, format);
	sdcpg_host_end(host);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}
