/*
 * kernel_link.c
 *		Speed of distance-based linkage.
 *
 * Two files of normal columns, the second masked by noise: lightly (a
 * twentieth of a standard deviation) or so heavily that nothing of the first
 * is left.  A figure covers all that linking does once both files are
 * standardised: index, order of the queries, all searches, with every tie.
 * The references are the plain loop over all pairs, record by record, and the
 * blocked one, the kernel's own comparison of 16 queries with every block.
 * They run over a sample of the queries, spread over the file, when all would
 * take too long; the remark says of how many, and their time is then
 * multiplied.  Both must find the same smallest sums as the kernel.
 *
 * A million records against a million are measured with --large only.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/learned/learned_form.h"
#include "kernel/linkage/link_assignment.h"
#include "kernel/linkage/link_measure.h"
#include "kernel/linkage/link_nearest.h"

/* Pairs that a reference compares at most. */
#define MOST_PAIRS 4e8

static SdcRandom random_state;

/* The files, coordinate[i * columns + j]. */
typedef struct Files
{
	int32_t rows;
	int columns;
	double *original;
	double *masked;
} Files;

static Files
make_files(int32_t rows, int columns, double noise)
{
	size_t size = (size_t) rows * (size_t) columns;
	Files files = {rows, columns, malloc(size * sizeof(double)),
				   malloc(size * sizeof(double))};
	size_t i;

	sdc_random_seed(&random_state, 1, (uint64_t) rows);
	for (i = 0; i < size; i++)
	{
		files.original[i] = sdc_random_normal(&random_state);
		files.masked[i] =
			(files.original[i] + noise * sdc_random_normal(&random_state)) /
			sqrt(1 + noise * noise);
	}
	return files;
}

static void
free_files(Files *files)
{
	free(files->original);
	free(files->masked);
}

/* Queries of a sample: every so many. */
static int32_t
sample_step(const Files *files)
{
	double pairs = (double) files->rows * files->rows;

	return pairs <= MOST_PAIRS ? 1 : (int32_t) ceil(pairs / MOST_PAIRS);
}

/* The smallest sum of a query, by the loop that anyone would write. */
static double
plain_smallest(const Files *files, const double *query)
{
	int columns = files->columns;
	double smallest = INFINITY;
	int32_t i;
	int j;

	for (i = 0; i < files->rows; i++)
	{
		const double *point = files->masked + (size_t) i * (size_t) columns;
		double sum = 0;

		for (j = 0; j < columns; j++)
			sum += (point[j] - query[j]) * (point[j] - query[j]);
		smallest = sum < smallest ? sum : smallest;
	}
	return smallest;
}

/* Seconds of the plain loop for all queries. */
static double
time_plain(const Files *files, const SdcLinkHit *hit, int32_t *queries)
{
	int32_t step = sample_step(files);
	double start = bench_start();
	int32_t wrong = 0;
	int32_t i;

	*queries = 0;
	for (i = 0; i < files->rows; i += step)
	{
		const double *query =
			files->original + (size_t) i * (size_t) files->columns;

		wrong += plain_smallest(files, query) != hit[i].smallest;
		(*queries)++;
	}
	if (wrong > 0)
		printf("link: the plain loop found something else\n");
	return bench_stop(start) * files->rows / *queries;
}

static void *
fill_task(const Files *files, const SdcLinkMeasure *measure)
{
	void *task = bench_host()->alloc(
		bench_host(),
		sdc_link_task_size(files->rows, files->rows, files->columns, measure),
		1);

	sdc_link_task_fill(bench_host(), task, files->masked, files->rows,
					   files->original, files->rows, files->columns, measure);
	return task;
}

static void
run_blocks(void *task, uint64_t step, uint64_t *done)
{
	uint64_t block;

	*done = 0;
	for (block = 0; block < sdc_link_task_blocks(task); block += step)
	{
		sdc_link_task_work(bench_host(), task, block);
		(*done)++;
	}
}

/* Seconds of comparing every query with every block. */
static double
time_blocked(const Files *files, void *task)
{
	SdcLinkTask *header = task;
	bool scan = header->scan;
	uint64_t done;
	double seconds;
	double start = bench_start();

	header->scan = true;
	run_blocks(task, (uint64_t) sample_step(files), &done);
	seconds = bench_stop(start);
	header->scan = scan;
	return seconds * (double) sdc_link_task_blocks(task) / (double) done;
}

static double
total_smallest(const SdcLinkHit *hit, int32_t rows)
{
	double sum = 0;
	int32_t i;

	for (i = 0; i < rows; i++)
		sum += hit[i].smallest;
	return sum;
}

static void
measure_euclidean(int32_t rows, int columns, double noise, const char *what)
{
	Files files = make_files(rows, columns, noise);
	double start = bench_start();
	void *task = fill_task(&files, &sdc_link_measure_squares);
	const SdcLinkHit *hit = sdc_link_task_hits(task);
	bool scan = ((SdcLinkTask *) task)->scan;
	char sample[60] = "all queries";
	uint64_t done;
	int32_t queries;
	double seconds;
	double plain;
	double blocked;
	double total;

	run_blocks(task, 1, &done);
	seconds = bench_stop(start);
	bench_line("link", what, (size_t) rows, columns, seconds, "%s",
			   scan ? "plain comparison chosen" : "boxes chosen");
	total = total_smallest(hit, rows);
	plain = time_plain(&files, hit, &queries);
	blocked = time_blocked(&files, task);
	if (total != total_smallest(hit, rows))
		printf("link: the blocked loop found something else\n");
	if (queries < rows)
		snprintf(sample, sizeof(sample), "extrapolated from %d queries",
				 (int) queries);
	bench_line("link", "  plain loop", (size_t) rows, columns, plain,
			   "%.1f times; %s", plain / seconds, sample);
	bench_line("link", "  blocked loop", (size_t) rows, columns, blocked,
			   "%.1f times; %s", blocked / seconds, sample);
	bench_host()->release(bench_host(), task);
	free_files(&files);
}

/* A distance with parameters, against the same by comparing all. */
static void
measure_form(SdcDistanceKind kind, int32_t rows, int columns, double noise,
			 const char *what)
{
	Files files = make_files(rows, columns, noise);
	size_t count = sdc_distance_form_parameters(kind, columns);
	double *parameter = malloc(count * sizeof(double));
	SdcLinkMeasure measure = {SDC_LINK_FORM, kind, 0, true, count, parameter};
	double seconds;
	double blocked;
	double start;
	uint64_t done;
	size_t i;
	void *task;

	for (i = 0; i < count; i++)
		parameter[i] = kind == SDC_DISTANCE_CHOQUET
						   ? sqrt((double) __builtin_popcountll(i) / columns)
						   : 1.0 / columns;
	start = bench_start();
	task = fill_task(&files, &measure);
	run_blocks(task, 1, &done);
	seconds = bench_stop(start);
	blocked = time_blocked(&files, task);
	bench_line("link", what, (size_t) rows, columns, seconds,
			   "blocked loop %.1f times", blocked / seconds);
	bench_host()->release(bench_host(), task);
	free(parameter);
	free_files(&files);
}

/* A file whose rows are the points at coordinates [i * columns + j]. */
static SdcLinkFile
as_file(const double *coordinate, int32_t rows, int columns)
{
	SdcLinkFile file = {0};
	int32_t i;
	int j;

	file.rows = rows;
	file.columns = columns;
	file.value = sdc_new(bench_host(), double *, (size_t) columns);
	file.missing = sdc_new(bench_host(), bool *, (size_t) columns);
	for (j = 0; j < columns; j++)
	{
		file.value[j] = sdc_new(bench_host(), double, (size_t) rows);
		file.missing[j] = sdc_new(bench_host(), bool, (size_t) rows);
		for (i = 0; i < rows; i++)
		{
			file.value[j][i] =
				coordinate[(size_t) i * (size_t) columns + (size_t) j];
			file.missing[j][i] = false;
		}
	}
	sdc_link_file_collapse(bench_host(), &file);
	return file;
}

static void
measure_assignment(int32_t rows, int columns)
{
	Files files = make_files(rows, columns, 0.3);
	SdcLinkFile original = as_file(files.original, rows, columns);
	SdcLinkFile masked = as_file(files.masked, rows, columns);
	SdcLinkMeasure measure;
	SdcPointIndex index;
	SdcLinkAssignment assignment;
	double start = bench_start();
	double seconds;
	void *task;
	int32_t right = 0;
	int32_t i;

	task = sdc_new(
		bench_host(), char,
		sdc_link_task_size(rows, rows, columns, &sdc_link_measure_squares));
	sdc_link_task_fill(bench_host(), task, masked.coordinate, masked.points,
					   original.coordinate, original.points, columns,
					   &sdc_link_measure_squares);
	sdc_link_task_index(bench_host(), task, &index, &measure);
	assignment = sdc_link_assign(
		bench_host(), &original, &masked,
		sdc_link_search_create(bench_host(), &index, &measure), true, 1);
	seconds = bench_stop(start);
	for (i = 0; i < rows; i++)
		right += assignment.row[i] == i;
	bench_line("link", "one to one", (size_t) rows, columns, seconds,
			   "%.1f %% right", 100.0 * right / rows);
	free_files(&files);
}

int
main(int argc, char **argv)
{
	static const int columns[] = {4, 8, 13};
	bool large = argc > 1 && strcmp(argv[1], "--large") == 0;
	bool small = argc > 1 && strcmp(argv[1], "--small") == 0;
	int i;

	for (i = 0; i < 3; i++)
		measure_euclidean(10000, columns[i], 0.05, "lightly masked");
	measure_euclidean(10000, 13, 10, "heavily masked");
	measure_form(SDC_DISTANCE_OWA, 10000, 8, 0.05, "OWA lightly masked");
	measure_form(SDC_DISTANCE_CHOQUET, 10000, 8, 0.05,
				 "Choquet lightly masked");
	measure_form(SDC_DISTANCE_CHOQUET, 2000, 8, 10, "Choquet heavily masked");
	measure_assignment(2000, 4);
	for (i = 0; i < 3 && !small; i++)
		measure_euclidean(100000, columns[i], 0.05, "lightly masked");
	for (i = 0; i < 3 && large; i++)
		measure_euclidean(1000000, columns[i], 0.05, "lightly masked");
	return 0;
}
