/*
 * parts.c
 *		Parts by cuts: of about one size, the same whatever the order of the
 *		records, and joined where a side would have too few.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/microaggregation/parts.h"

#define ROWS    5000
#define COLUMNS 3
#define PARTS   37

static double cell[COLUMNS][ROWS];
static double turned[COLUMNS][ROWS];

static void
get_record(const SdcMatrix *matrix, size_t row, double *record)
{
	int j;

	for (j = 0; j < matrix->columns; j++)
		record[j] = matrix->column[j][row];
}

/* Counts the records of each part; returns how many are in none. */
static int
count_parts(const SdcMatrix *matrix, const SdcPartNode *node, int64_t *count)
{
	double record[COLUMNS];
	int wrong = 0;
	size_t i;

	memset(count, 0, sizeof(int64_t) * PARTS);
	for (i = 0; i < matrix->rows; i++)
	{
		int32_t part;

		get_record(matrix, i, record);
		part = sdc_parts_find(node, record);
		if (part < 0 || part >= PARTS)
			wrong++;
		else
			count[part]++;
	}
	return wrong;
}

/* Parts that have records, and the least and the most of them. */
static int
used_parts(const int64_t *count, int64_t *least, int64_t *most)
{
	int used = 0;
	int p;

	*least = INT64_MAX;
	*most = 0;
	for (p = 0; p < PARTS; p++)
	{
		if (count[p] == 0)
			continue;
		used++;
		*least = count[p] < *least ? count[p] : *least;
		*most = count[p] > *most ? count[p] : *most;
	}
	return used;
}

/* The mean width of the parts beside that of all, in a column. */
static double
narrowness(const SdcMatrix *matrix, const SdcPartNode *node, int column)
{
	double low[PARTS];
	double high[PARTS];
	double record[COLUMNS];
	double sum = 0;
	size_t i;
	int p;

	for (p = 0; p < PARTS; p++)
	{
		low[p] = INFINITY;
		high[p] = -INFINITY;
	}
	for (i = 0; i < matrix->rows; i++)
	{
		get_record(matrix, i, record);
		p = sdc_parts_find(node, record);
		low[p] = fmin(low[p], record[column]);
		high[p] = fmax(high[p], record[column]);
	}
	for (p = 0; p < PARTS; p++)
		sum += high[p] - low[p];
	return sum / PARTS;
}

static void
check_sizes(const SdcMatrix *matrix)
{
	SdcPartNode node[2 * PARTS];
	SdcPartNode other[2 * PARTS];
	double *shown[COLUMNS] = {turned[0], turned[1], turned[2]};
	SdcMatrix back = {matrix->rows, matrix->columns, shown};
	int64_t count[PARTS];
	int64_t least;
	int64_t most;
	int32_t nodes = sdc_parts_grow(unit_host(), matrix, PARTS, node);
	size_t i;
	int j;

	unit_check(nodes == 2 * PARTS - 1, "%d nodes", (int) nodes);
	unit_check(count_parts(matrix, node, count) == 0,
			   "each record is in a part");
	unit_check(used_parts(count, &least, &most) == PARTS,
			   "each part has some");
	/* a node of 37 gives 18 of them to its left side, and so on */
	unit_check(least >= ROWS / PARTS - 8 && most <= ROWS / PARTS + 8,
			   "from %d to %d of them", (int) least, (int) most);
	for (j = 0; j < COLUMNS; j++)
		unit_check(narrowness(matrix, node, j) < (j == 2 ? 1000 : 1) * 0.6,
				   "column %d is cut, whatever its unit", j);
	for (j = 0; j < COLUMNS; j++)
		for (i = 0; i < ROWS; i++)
			turned[j][i] = cell[j][i * 7919 % ROWS];
	sdc_parts_grow(unit_host(), &back, PARTS, other);
	unit_check(memcmp(node, other, sizeof(SdcPartNode) * (size_t) nodes) == 0,
			   "the same in another order");
}

static void
check_joined(const SdcMatrix *matrix)
{
	static const int64_t asked[] = {0, 100, 136, 300, 2000, 2600, 1000000};
	size_t i;

	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
	{
		SdcPartNode node[2 * PARTS];
		int64_t count[PARTS];
		int64_t least;
		int64_t most;
		int used;

		sdc_parts_grow(unit_host(), matrix, PARTS, node);
		count_parts(matrix, node, count);
		sdc_parts_join(node, count, asked[i]);
		unit_check(count_parts(matrix, node, count) == 0,
				   "joined for %d: each record is in a part", (int) asked[i]);
		used = used_parts(count, &least, &most);
		unit_check(used == 1 || least >= asked[i], "%d parts of at least %d",
				   used, (int) least);
		unit_check((used == PARTS) == (asked[i] <= 127) &&
					   (used == 1) == (asked[i] > ROWS / 2),
				   "no more are joined than must be");
	}
}

static void
check_ties(void)
{
	double *shown[COLUMNS] = {turned[0], turned[1], turned[2]};
	SdcMatrix matrix = {1000, COLUMNS, shown};
	SdcPartNode node[2 * PARTS];
	int64_t count[PARTS];
	int64_t least;
	int64_t most;
	size_t i;

	for (i = 0; i < 1000; i++)
		turned[0][i] = turned[1][i] = turned[2][i] = 7;
	unit_check(sdc_parts_grow(unit_host(), &matrix, PARTS, node) == 1 &&
				   node[0].column == -1 && node[0].next == 0,
			   "equal records are one part");
	for (i = 0; i < 1000; i++)
	{
		turned[1][i] = i < 990 ? 0 : (double) i;
		turned[2][i] = i % 2 == 0 ? -0.0 : 0.0;
	}
	sdc_parts_grow(unit_host(), &matrix, PARTS, node);
	unit_check(count_parts(&matrix, node, count) == 0,
			   "a column with one value for most is cut");
	used_parts(count, &least, &most);
	unit_check(most == 990, "and equal ones stay together");
	matrix.rows = 0;
	unit_check(sdc_parts_grow(unit_host(), &matrix, PARTS, node) == 1,
			   "no records are one part");
	matrix.rows = 1;
	unit_check(sdc_parts_grow(unit_host(), &matrix, PARTS, node) == 1,
			   "and so is one");
}

int
main(void)
{
	double *shown[COLUMNS] = {cell[0], cell[1], cell[2]};
	SdcMatrix matrix = {ROWS, COLUMNS, shown};
	SdcRandom random;
	size_t i;

	unit_start("parts");
	sdc_random_seed(&random, 5, 0);
	for (i = 0; i < ROWS; i++)
	{
		cell[0][i] = sdc_random_unit(&random);
		cell[1][i] = sdc_random_unit(&random);
		cell[2][i] = 1000 * sdc_random_unit(&random);
	}
	check_sizes(&matrix);
	check_joined(&matrix);
	check_ties();
	return unit_finish();
}
