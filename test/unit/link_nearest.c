/*
 * link_nearest.c
 *		Distance-based linkage against a plain loop over all pairs.
 *
 * The plain loop computes every sum and compares it with the smallest; the
 * kernel must return the same smallest sum, bit for bit, and the same points,
 * through the boxes and by comparing with every block.
 */
#include "unit.h"

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/linear/moments.h"
#include "kernel/linkage/link_measure.h"
#include "kernel/linkage/link_nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How coordinates are drawn. */
typedef enum Shape
{
	NORMAL,
	GRID,     /* few values: many exact ties */
	CLUSTERS, /* dense spots far from each other */
	LINE,     /* all columns equal */
	SKEWED,   /* a few values very far out */
	SHAPES
} Shape;

static const char *const shape_names[] = {"normal", "grid", "clusters", "line",
										  "skewed"};

static double
draw(SdcRandom *random, Shape shape, int column, double previous)
{
	double x = sdc_random_normal(random);

	switch (shape)
	{
		case GRID:
			return (double) sdc_random_below(random, 4);
		case CLUSTERS:
			return 100.0 * (double) sdc_random_below(random, 3) + 0.01 * x;
		case LINE:
			return column > 0 ? previous : x;
		case SKEWED:
			return x * x * x * x * x;
		default:
			return x;
	}
}

static double *
draw_points(SdcRandom *random, Shape shape, int32_t n, int columns)
{
	size_t size = (size_t) n * (size_t) columns;
	double *point = sdc_new(unit_host(), double, size);
	size_t i;

	for (i = 0; i < size; i++)
		point[i] = draw(random, shape, (int) (i % (size_t) columns),
						i > 0 ? point[i - 1] : 0);
	return point;
}

static double
sum_of_squares(const double *a, const double *b, int columns)
{
	double sum = 0;
	int j;

	for (j = 0; j < columns; j++)
		sum += (a[j] - b[j]) * (a[j] - b[j]);
	return sum;
}

/* Is the hit what the plain loop finds?  Further points are only counted. */
static bool
check_hit(const SdcLinkHit *hit, const double *query, const double *point,
		  int32_t points, int columns)
{
	double smallest = INFINITY;
	int32_t count = 0;
	bool same;
	int32_t i;

	for (i = 0; i < points; i++)
		smallest = fmin(smallest,
						sum_of_squares(query, point + i * columns, columns));
	same = hit->smallest == smallest;
	for (i = 0; i < points; i++)
		if (sum_of_squares(query, point + i * columns, columns) <=
			smallest * (1 + 1e-9) + columns * 1e-20)
		{
			if (hit->count <= SDC_LINK_KEPT && count < hit->count)
				same = same && hit->point[count] == i;
			count++;
		}
	return same && hit->count == count;
}

/* A search on its own must find the points that a hit has no room for. */
static bool
check_search(void *task, const double *query, int32_t queries, int columns)
{
	const SdcLinkHit *hit = sdc_link_task_hits(task);
	SdcPointIndex index;
	SdcLinkMeasure measure;
	SdcLinkSearch *search;
	bool same = true;
	int32_t i;
	int32_t j;

	sdc_link_task_index(unit_host(), task, &index, &measure);
	search = sdc_link_search_create(unit_host(), &index, &measure);
	for (i = 0; i < queries; i++)
	{
		sdc_link_search_run(search, query + i * columns);
		same = same && search->count == hit[i].count &&
			   search->smallest == hit[i].smallest;
		for (j = 1; j < search->count; j++)
			same = same && search->point[j - 1] < search->point[j];
		for (j = 0; j < search->count && search->count <= SDC_LINK_KEPT; j++)
			same = same && search->point[j] == hit[i].point[j];
	}
	return same;
}

static void
run_task(void *task)
{
	uint64_t block = sdc_link_task_blocks(task);

	/* backwards: the order must not matter */
	while (block-- > 0)
		sdc_link_task_work(unit_host(), task, block);
}

static void
check_case(Shape shape, int32_t points, int32_t queries, int columns)
{
	const SdcLinkMeasure *measure = &sdc_link_measure_squares;
	SdcHost *host = unit_host();
	SdcRandom random;
	double *point;
	double *query;
	void *task;
	SdcLinkHit *first;
	bool same = true;
	int32_t i;

	sdc_random_seed(&random, 7, (uint64_t) (points * 100 + columns));
	point = draw_points(&random, shape, points, columns);
	query = draw_points(&random, shape, queries, columns);
	/* some queries fall on points */
	for (i = 0; i < queries && i < points; i += 3)
		memcpy(query + i * columns, point + i * columns,
			   sizeof(double) * (size_t) columns);
	task = host->alloc(
		host, sdc_link_task_size(points, queries, columns, measure), 1);
	sdc_link_task_fill(host, task, point, points, query, queries, columns,
					   measure);
	((SdcLinkTask *) task)->scan = false;
	run_task(task);
	for (i = 0; i < queries; i++)
		same = same && check_hit(sdc_link_task_hits(task) + i,
								 query + i * columns, point, points, columns);
	same = same && check_search(task, query, queries, columns);
	unit_check(same, "boxes: %s, %d points, %d queries, %d columns",
			   shape_names[shape], (int) points, (int) queries, columns);
	first = sdc_new(host, SdcLinkHit, (size_t) queries);
	memcpy(first, sdc_link_task_hits(task),
		   sizeof(SdcLinkHit) * (size_t) queries);
	((SdcLinkTask *) task)->scan = true;
	run_task(task);
	unit_check(memcmp(first, sdc_link_task_hits(task),
					  sizeof(SdcLinkHit) * (size_t) queries) == 0,
			   "scan: %s, %d points, %d queries, %d columns",
			   shape_names[shape], (int) points, (int) queries, columns);
	unit_release_all();
}

/* Standard scores, constant columns, missing values, duplicates. */
static void
check_file(void)
{
	double a0[] = {1, 3, 2, 2, 9};
	double a1[] = {5, 5, 5, 5, 5};
	double b0[] = {10, 20, 30, 10, 0};
	double b1[] = {1, 2, 3, 4, 5};
	bool none[] = {false, false, false, false, false};
	bool last[] = {false, false, false, false, true};
	double *a_value[] = {a0, a1};
	double *b_value[] = {b0, b1};
	bool *missing[] = {last, none};
	SdcLinkFile a = {
		.rows = 5, .columns = 2, .value = a_value, .missing = missing};
	SdcLinkFile b = {
		.rows = 5, .columns = 2, .value = b_value, .missing = missing};

	sdc_link_file_standardize(unit_host(), &a, &b, SDC_LINK_SCALE_OWN);
	unit_check(fabs(a0[0] + sqrt(1.5)) < 1e-12 && a0[2] == 0 && a0[3] == 0,
			   "standard scores leave missing values out");
	unit_check(a1[0] == 0 && b1[0] == 0 && b1[4] == 0,
			   "a column constant in one file is 0 in both");
	sdc_link_file_collapse(unit_host(), &a);
	sdc_link_file_collapse(unit_host(), &b);
	unit_check(a.points == 3 && a.point[4] == -1 && a.point[0] == 0 &&
				   a.point[2] == 1 && a.point[3] == 1 && a.point[1] == 2,
			   "rows collapse to points in the order of their values");
	unit_check(b.points == 3 && b.first[1] == 2 && b.member[0] == 0 &&
				   b.member[1] == 3,
			   "the rows of a point ascend");
	unit_release_all();
}

/* Huge and tiny values must not overflow or lose their spread. */
static void
check_extreme(void)
{
	double a0[] = {1e308, -1e308, 0, 5e307};
	double b0[] = {1e-308, -1e-308, 0, 5e-309};
	bool none[] = {false, false, false, false};
	double *a_value[] = {a0};
	double *b_value[] = {b0};
	bool *missing[] = {none};
	SdcLinkFile a = {
		.rows = 4, .columns = 1, .value = a_value, .missing = missing};
	SdcLinkFile b = {
		.rows = 4, .columns = 1, .value = b_value, .missing = missing};
	int i;
	bool same = true;

	sdc_link_file_standardize(unit_host(), &a, &b, SDC_LINK_SCALE_OWN);
	for (i = 0; i < 4; i++)
		same = same && fabs(a0[i] - b0[i]) < 1e-12 && fabs(a0[i]) < 2;
	unit_check(same, "scores of 1e308 and 1e-308 agree");
	unit_release_all();
}

/* A spread that is tiny beside the mean, as of timestamps, keeps scores. */
static void
check_offset(void)
{
	enum
	{
		ROWS = 100000
	};
	double *value = sdc_new(unit_host(), double, ROWS);
	SdcScale near_zero;
	SdcScale far_off;
	int i;

	for (i = 0; i < ROWS; i++)
		value[i] = i % 1000;
	near_zero = sdc_scale_find(unit_host(), value, ROWS);
	for (i = 0; i < ROWS; i++)
		value[i] = 7e14 + i % 1000;
	far_off = sdc_scale_find(unit_host(), value, ROWS);
	unit_check(fabs(sdc_scale_apply(&near_zero, 10) -
					sdc_scale_apply(&far_off, 7e14 + 10)) < 1e-4,
			   "scores of 0..999 and of the same numbers plus 7e14 agree");
	unit_release_all();
}

int
main(void)
{
	static const int32_t sizes[] = {1, 2, 16, 17, 129, 2200};
	static const int columns[] = {1, 2, 4, 7, 13};
	int shape;
	size_t i;
	size_t j;

	unit_start("distance-based linkage");
	for (shape = 0; shape < SHAPES; shape++)
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			for (j = 0; j < sizeof(columns) / sizeof(columns[0]); j++)
				check_case((Shape) shape, sizes[i], sizes[i] < 200 ? 100 : 250,
						   columns[j]);
	check_file();
	check_extreme();
	check_offset();
	return unit_finish();
}
