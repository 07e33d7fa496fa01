/*
 * link_measure.c
 *		Searches by other measures against a plain loop over all pairs.
 *
 * The plain loop takes each value from its definition.  Through the boxes and
 * by comparing with every block the search must find the same points.
 */
#include "unit.h"

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/learned/learned_form.h"
#include "kernel/linkage/link_measure.h"
#include "kernel/linkage/link_nearest.h"

#include <math.h>
#include <string.h>

#define COLUMNS 4
#define QUERIES 60

static SdcRandom random_state;
static double parameters[1 << COLUMNS];

static double
gower(const double *a, const double *b)
{
	double sum = 0;
	double weight = 0;
	int j;

	for (j = 0; j < COLUMNS; j++)
	{
		if (a[j] == SDC_LINK_MISSING || b[j] == SDC_LINK_MISSING)
			continue;
		weight += parameters[j];
		sum += parameters[j] * (parameters[COLUMNS + j] != 0
									? (double) (a[j] != b[j])
									: fabs(a[j] - b[j]));
	}
	return weight > 0 ? sum / weight : INFINITY;
}

/* The value of a pair by definition; the point comes first. */
static double
define(const SdcLinkMeasure *measure, const double *a, const double *b)
{
	SdcDistanceForm form = {measure->form, COLUMNS, parameters};
	double difference[COLUMNS];
	double sum = 0;
	int j;

	for (j = 0; j < COLUMNS; j++)
		difference[j] = a[j] - b[j];
	switch (measure->kind)
	{
		case SDC_LINK_GOWER:
			return gower(a, b);
		case SDC_LINK_FORM:
			return sdc_distance_form_value(&form, difference);
		default:
			for (j = 0; j < COLUMNS; j++)
				sum += (j < measure->positive ? 1 : -1) * difference[j] *
					   difference[j];
			return sum;
	}
}

static bool
check_hit(const SdcLinkMeasure *measure, const SdcLinkSearch *search,
		  const SdcLinkHit *hit, const double *query, const double *point,
		  int32_t points)
{
	double smallest = INFINITY;
	bool same = search->count == hit->count;
	int32_t count = 0;
	int32_t i;

	for (i = 0; i < points; i++)
		smallest = fmin(smallest, define(measure, point + i * COLUMNS, query));
	if (isinf(smallest))
		return hit->count == 0;
	same = same && fabs(hit->smallest - smallest) <= 1e-12;
	for (i = 0; i < points; i++)
		if (define(measure, point + i * COLUMNS, query) <=
			smallest + fabs(smallest) * 1e-9 + COLUMNS * 1e-20)
		{
			same = same && count < search->count && search->point[count] == i;
			if (hit->count <= SDC_LINK_KEPT)
				same = same && hit->point[count] == i;
			count++;
		}
	return same && count == hit->count;
}

static bool
check_task(void *task, const SdcLinkMeasure *measure, const double *query,
		   const double *point, int32_t points)
{
	const SdcLinkHit *hit = sdc_link_task_hits(task);
	uint64_t block = sdc_link_task_blocks(task);
	SdcPointIndex index;
	SdcLinkMeasure shared;
	SdcLinkSearch *search;
	bool same = true;
	int i;

	while (block-- > 0)
		sdc_link_task_work(unit_host(), task, block);
	sdc_link_task_index(unit_host(), task, &index, &shared);
	search = sdc_link_search_create(unit_host(), &index, &shared);
	for (i = 0; i < QUERIES; i++)
	{
		sdc_link_search_run(search, query + i * COLUMNS);
		same = same && check_hit(measure, search, hit + i, query + i * COLUMNS,
								 point, points);
	}
	return same;
}

/* Coordinates for Gower's distance: numbers, and codes in odd columns. */
static double
draw_share(int column, int missing)
{
	if (missing > 0 &&
		sdc_random_below(&random_state, (uint64_t) missing) == 0)
		return SDC_LINK_MISSING;
	if (column % 2 == 1)
		return (double) sdc_random_below(&random_state, 3);
	return (double) sdc_random_below(&random_state, 9) / 8;
}

static double *
draw(const SdcLinkMeasure *measure, int32_t n, bool coarse, int missing)
{
	double *x = sdc_new(unit_host(), double, (size_t) n *COLUMNS);
	int32_t i;

	for (i = 0; i < n * COLUMNS; i++)
		x[i] = measure->kind == SDC_LINK_GOWER
				   ? draw_share(i % COLUMNS, missing)
			   : coarse ? (double) sdc_random_below(&random_state, 4)
						: sdc_random_normal(&random_state);
	return x;
}

static void
check_measure(const char *name, const SdcLinkMeasure *measure, int missing)
{
	static const int32_t sizes[] = {1, 2, 17, 300, 2100};
	SdcHost *host = unit_host();
	size_t s;
	int coarse;

	for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (coarse = 0; coarse < 2; coarse++)
		{
			int32_t n = sizes[s];
			double *point = draw(measure, n, coarse, missing);
			double *query = draw(measure, QUERIES, coarse, missing);
			void *task = host->alloc(
				host, sdc_link_task_size(n, QUERIES, COLUMNS, measure), 1);
			bool boxes = true;
			bool scan;

			sdc_link_task_fill(host, task, point, n, query, QUERIES, COLUMNS,
							   measure);
			if (measure->boxes)
			{
				((SdcLinkTask *) task)->scan = false;
				boxes = check_task(task, measure, query, point, n);
			}
			((SdcLinkTask *) task)->scan = true;
			scan = check_task(task, measure, query, point, n);
			unit_check(boxes && scan, "%s: %d %s points", name, (int) n,
					   coarse ? "coarse" : "fine");
			unit_release_all();
		}
}

static void
check_forms(void)
{
	static const double weights[] = {0.4, 0.3, 0.2, 0.1};
	static const double pairs[] = {0.4, -0.1, 0.1, 0, -0.1, 0.2, 0, 0.2,
								   0.1, 0,    0.1, 0, 0,    0.2, 0, 0.1};
	SdcLinkMeasure measure = {SDC_LINK_FORM, SDC_DISTANCE_OWA, 0, true,
							  COLUMNS,       parameters,       0};
	int a;
	int j;

	memcpy(parameters, weights, sizeof(weights));
	check_measure("OWA", &measure, 0);
	measure.form = SDC_DISTANCE_CHOQUET;
	measure.parameters = 1 << COLUMNS;
	for (a = 0; a < 1 << COLUMNS; a++)
	{
		parameters[a] = 0;
		for (j = 0; j < COLUMNS; j++)
			parameters[a] += (a >> j & 1) ? weights[j] : 0;
		/* above the sum, but for the whole */
		parameters[a] = sqrt(fmin(parameters[a], 1));
	}
	check_measure("Choquet", &measure, 0);
	measure.boxes = false;
	check_measure("Choquet without boxes", &measure, 0);
	measure.boxes = true;
	measure.form = SDC_DISTANCE_CHOQUET2;
	measure.parameters = COLUMNS * COLUMNS;
	memcpy(parameters, pairs, sizeof(pairs));
	check_measure("2-additive", &measure, 0);
}

static void
check_signed(void)
{
	SdcLinkMeasure measure = {
		SDC_LINK_SIGNED, SDC_DISTANCE_WM, 0, true, 0, parameters, 0};

	for (measure.positive = 0; measure.positive <= COLUMNS; measure.positive++)
		check_measure("signed squares", &measure, 0);
}

static void
check_gower(void)
{
	static const double mixed[] = {0.5, 0.25, 0.25, 0, 0, 1, 0, 1};
	SdcLinkMeasure measure = {SDC_LINK_GOWER, SDC_DISTANCE_WM, 0, true,
							  2 * COLUMNS,    parameters,      0};

	memcpy(parameters, mixed, sizeof(mixed));
	check_measure("Gower", &measure, 0);
	measure.boxes = false;
	check_measure("Gower with gaps", &measure, 3);
	parameters[4] = parameters[6] = 1;
	check_measure("Gower of categories", &measure, 3);
}

/* A form of a random symmetric matrix equals signed squares of the turned. */
static void
check_factor(void)
{
	double matrix[COLUMNS * COLUMNS];
	double difference[COLUMNS];
	SdcDistanceForm form = {SDC_DISTANCE_BILINEAR, COLUMNS, matrix};
	bool same = true;
	bool definite = true;
	int trial;
	int i;
	int j;

	for (trial = 0; trial < 200; trial++)
	{
		SdcLinkTransform transform;
		double sum = 0;

		for (i = 0; i < COLUMNS; i++)
			for (j = 0; j <= i; j++)
				matrix[i * COLUMNS + j] = matrix[j * COLUMNS + i] =
					sdc_random_normal(&random_state) +
					(i == j && trial % 2 == 0 ? 6 : 0);
		transform = sdc_link_transform_factor(unit_host(), matrix, COLUMNS);
		for (j = 0; j < COLUMNS; j++)
			difference[j] = sdc_random_normal(&random_state);
		for (i = 0; i < transform.rows; i++)
		{
			double x = 0;

			for (j = 0; j < COLUMNS; j++)
				x += transform.factor[i * COLUMNS + j] * difference[j];
			sum += i < transform.positive ? x * x : -x * x;
		}
		same = same &&
			   fabs(sum - sdc_distance_form_value(&form, difference)) < 1e-11;
		if (trial % 2 == 0)
			definite = definite && transform.positive == COLUMNS;
	}
	unit_check(same, "a matrix as signed squares");
	unit_check(definite, "one with a large diagonal only adds");
	memset(matrix, 0, sizeof(matrix));
	unit_check(sdc_link_transform_factor(unit_host(), matrix, COLUMNS).rows ==
				   1,
			   "no difference at all leaves one row of zeros");
	unit_release_all();
}

/* The inverse times the matrix; directions without variance. */
static void
check_inverse(void)
{
	double matrix[] = {4, 1, 0, 1, 3, 1, 0, 1, 2};
	double inverse[9];
	double singular[] = {1, 0, 0, 0};
	double nothing[] = {0, 0, 0, 0};
	bool same = true;
	int i;
	int j;
	int k;

	memcpy(inverse, matrix, sizeof(matrix));
	sdc_link_transform_invert(unit_host(), inverse, 3);
	for (i = 0; i < 3; i++)
		for (j = 0; j < 3; j++)
		{
			double sum = 0;

			for (k = 0; k < 3; k++)
				sum += matrix[i * 3 + k] * inverse[k * 3 + j];
			same = same && fabs(sum - (i == j)) < 1e-12;
		}
	unit_check(same, "the inverse of a covariance");
	sdc_link_transform_invert(unit_host(), singular, 2);
	unit_check(fabs(singular[0] - 1) < 1e-9 && fabs(singular[3] - 1e8) < 1,
			   "what never changed weighs most");
	sdc_link_transform_invert(unit_host(), nothing, 2);
	unit_check(nothing[0] == 1 && nothing[3] == 1 && nothing[1] == 0,
			   "without any variance all columns weigh the same");
	unit_release_all();
}

/*
 * A masked column needs two values to be its own reference; with fewer the
 * original is it, whose mean is 5 and whose standard deviation is sqrt(2).
 */
static void
check_reference(void)
{
	int present;

	for (present = 1; present <= 2; present++)
	{
		double original[] = {4, 6};
		double masked[] = {10, 20};
		bool all[] = {false, false};
		bool some[] = {false, present < 2};
		double *original_column[] = {original};
		double *masked_column[] = {masked};
		bool *all_column[] = {all};
		bool *some_column[] = {some};
		SdcLinkFile a = {.rows = 2,
						 .columns = 1,
						 .value = original_column,
						 .missing = all_column};
		SdcLinkFile b = {.rows = 2,
						 .columns = 1,
						 .value = masked_column,
						 .missing = some_column};

		sdc_link_file_standardize(unit_host(), &a, &b, SDC_LINK_SCALE_MASKED);
		unit_check(fabs(masked[0] - (present < 2 ? 5 : -5 / sqrt(50)) /
										(present < 2 ? sqrt(2) : 1)) < 1e-12,
				   "%d masked values: the first becomes %g", present,
				   masked[0]);
		unit_release_all();
	}
}

int
main(void)
{
	unit_start("measures of linkage");
	sdc_random_seed(&random_state, 3, 4);
	check_signed();
	check_forms();
	check_gower();
	check_factor();
	check_inverse();
	check_reference();
	return unit_finish();
}
