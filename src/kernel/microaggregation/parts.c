/*
 * parts.c
 *		Parts of records by cuts at medians.
 *
 * Widths are differences of ranked values and no sums, so they do not depend
 * on the order of the records: nine tenths of the records say how wide a
 * column is, and where these have one value, all of them.
 */
#include "kernel/microaggregation/parts.h"

#include "kernel/base/sort.h"

/* One of so many records, on either side, does not count for a width. */
#define OUTER 20

/* The share that all records have in it. */
#define SHARE_OF_ALL 1e-6

typedef struct Growing
{
	SdcHost *host;
	const SdcMatrix *rows;
	double width[SDC_MAX_COLUMNS]; /* of all rows */
	uint64_t *key;
	int32_t *row; /* the rows of a node are neighbours in it */
	SdcPartNode *node;
	int32_t nodes;
	int32_t parts;
} Growing;

/* Sorts the rows of a node by a column. */
static void
sort_by(Growing *growing, int column, size_t start, size_t n)
{
	const double *value = growing->rows->column[column];
	size_t i;

	for (i = start; i < start + n; i++)
		growing->key[i] = sdc_sort_key(value[growing->row[i]]);
	sdc_sort_keys(growing->host, growing->key + start, growing->row + start,
				  n);
}

/* The width of a column in a node, whose rows it sorts. */
static double
width_of(Growing *growing, int column, size_t start, size_t n)
{
	const double *value = growing->rows->column[column];
	const int32_t *row;

	if (n == 0)
		return 0;
	sort_by(growing, column, start, n);
	row = growing->row + start;
	return value[row[n - 1 - n / OUTER]] - value[row[n / OUTER]] +
		   SHARE_OF_ALL * (value[row[n - 1]] - value[row[0]]);
}

/* The column that is widest in a node, or -1: all have one value each. */
static int
widest(Growing *growing, size_t start, size_t n)
{
	double most = 0;
	int found = -1;
	int j;

	for (j = 0; j < growing->rows->columns; j++)
	{
		double width = width_of(growing, j, start, n);

		if (width > 0 && width / growing->width[j] > most)
		{
			most = width / growing->width[j];
			found = j;
		}
	}
	return found;
}

/*
 * Where sorted rows can be cut that is nearest to a place: between different
 * values, of which there are some.
 */
static size_t
place_of_cut(const double *value, const int32_t *row, size_t n, size_t place)
{
	size_t low = place;
	size_t high = place;

	while (low > 0 && value[row[low - 1]] == value[row[place]])
		low--;
	while (high < n && value[row[high]] == value[row[place]])
		high++;
	if (low == 0 || (high < n && high - place < place - low))
		return high;
	return low;
}

static void
grow(Growing *growing, size_t start, size_t n, int32_t parts)
{
	int32_t at = growing->nodes++;
	SdcPartNode *node = &growing->node[at];
	int column = parts > 1 ? widest(growing, start, n) : -1;
	const double *value;
	size_t left;

	growing->host->poll(growing->host, growing->nodes, 0);
	node->column = column;
	node->cut = 0;
	if (column < 0)
	{
		node->next = growing->parts++;
		return;
	}
	sort_by(growing, column, start, n);
	value = growing->rows->column[column];
	left = place_of_cut(value, growing->row + start, n,
						n * (size_t) (parts / 2) / (size_t) parts);
	node->cut = value[growing->row[start + left]];
	grow(growing, start, left, parts / 2);
	growing->node[at].next = growing->nodes;
	grow(growing, start + left, n - left, parts - parts / 2);
}

int32_t
sdc_parts_grow(SdcHost *host, const SdcMatrix *rows, int32_t parts,
			   SdcPartNode *node)
{
	Growing growing = {host, rows, .node = node};
	size_t i;
	int j;

	growing.key = sdc_new(host, uint64_t, rows->rows + 1);
	growing.row = sdc_new(host, int32_t, rows->rows + 1);
	for (i = 0; i < rows->rows; i++)
		growing.row[i] = (int32_t) i;
	for (j = 0; j < rows->columns; j++)
		growing.width[j] = width_of(&growing, j, 0, rows->rows);
	grow(&growing, 0, rows->rows, parts);
	host->release(host, growing.row);
	host->release(host, growing.key);
	return growing.nodes;
}

int32_t
sdc_parts_find(const SdcPartNode *node, const double *record)
{
	const SdcPartNode *at = node;

	while (at->column >= 0)
		at = record[at->column] < at->cut ? at + 1 : node + at->next;
	return at->next;
}

/* Joins what is below a node; returns how many records it has. */
static int64_t
join(SdcPartNode *node, int32_t at, const int64_t *count, int64_t least)
{
	int32_t first = at;
	int64_t left;
	int64_t right;

	if (node[at].column < 0)
		return count[node[at].next];
	left = join(node, at + 1, count, least);
	right = join(node, node[at].next, count, least);
	if (left < least || right < least)
	{
		while (node[first].column >= 0)
			first++;
		node[at].column = -1;
		node[at].next = node[first].next;
	}
	return left + right;
}

void
sdc_parts_join(SdcPartNode *node, const int64_t *count, int64_t least)
{
	(void) join(node, 0, count, least);
}
