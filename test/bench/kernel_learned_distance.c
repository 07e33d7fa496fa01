/*
 * kernel_learned_distance.c
 *		How many records of census the learned distances re-identify.
 *
 * The sets of the sources, M4-33 to M6-853: groups of attributes of census,
 * microaggregated together, the digits naming the k of each group.  Which
 * attributes and which 400 records the sources took is not known, so figures
 * compare within a line.  Options: seconds for each method (default 2),
 * records (400, or 1080 for all), methods as letters (see below), and part of
 * a name such as "M5-38b", or "-" for all (default "a", the first attributes).
 *
 * Beside each share stands the proven bound where it is larger, and the
 * seconds.  The orders that must hold are checked, and what breaks one is
 * printed as "WRONG".
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/learned/learned_branch.h"
#include "kernel/learned/learned_distance.h"
#include "kernel/learned/learned_form.h"
#include "kernel/linear/moments.h"
#include "kernel/microaggregation/microaggregate_group.h"

#include "published_table.h"

#define METHODS 7
#define SAMPLES 3

typedef struct Set
{
	const char *name;
	int groups;
	int width;
	int k[3];
	/* per cent in the sources: AM, MD, WM, CI, SB */
	double published[5];
} Set;

static const Set sets[] = {
	{"M4-33", 2, 2, {3, 3}, {84, 94, 95.5, 95.75, 96.75}},
	{"M4-28", 2, 2, {2, 8}, {68.5, 90, 93, 93.75, 94.5}},
	{"M4-82", 2, 2, {8, 2}, {71, 92.75, 94.25, 94.25, 95.25}},
	{"M5-38", 2, 3, {3, 8}, {39.75, 88.25, 90.5, 91.25, 92.25}},
	{"M6-385", 3, 2, {3, 8, 5}, {78, 98.5, 99.25, 99.75, 99.75}},
	{"M6-853", 3, 2, {8, 5, 3}, {84.75, 98, 98.75, 99.25, 99.5}}};

/* Three choices of attributes. */
static const int attributes[SAMPLES][6] = {
	{0, 1, 2, 3, 4, 5}, {1, 4, 3, 6, 5, 2}, {7, 3, 2, 6, 0, 10}};

static const SdcLearnedMethod methods[METHODS] = {
	SDC_LEARNED_WM,      SDC_LEARNED_OWA,         SDC_LEARNED_CHOQUET_M,
	SDC_LEARNED_CHOQUET, SDC_LEARNED_BILINEAR_PD, SDC_LEARNED_BILINEAR_NC,
	SDC_LEARNED_BILINEAR};
static const char *const names[METHODS] = {"WM",    "OWA",   "CI_m", "CI",
										   "SB_PD", "SB_NC", "SB"};
/* letters of the option */
static const char letters[] = "womcpns";

/* The place in published[] of a method, or -1. */
static const int published_at[METHODS] = {2, -1, -1, 3, -1, -1, 4};

/* Steps of a limit that take about a second. */
#define STEPS 1e9

/* Columns of the set: the last group of M5 has two attributes. */
static int
columns_of(const Set *set)
{
	return set->groups == 2 && set->width == 3 ? 5 : set->groups * set->width;
}

/* Replaces the values of a group of columns by means of k records. */
static void
microaggregate(double **column, int columns, size_t rows, int k)
{
	SdcHost *host = bench_host();
	SdcMatrix matrix = {rows, columns, column};
	int32_t *group = sdc_new(host, int32_t, rows);
	int32_t groups = sdc_microaggregate_group(host, &matrix, k, SDC_GROUP_MDAV,
											  true, NULL, group);
	double *sum = sdc_new(host, double, (size_t) groups);
	double *count = sdc_new(host, double, (size_t) groups);
	size_t i;
	int c;

	for (c = 0; c < columns; c++)
	{
		memset(sum, 0, (size_t) groups * sizeof(double));
		memset(count, 0, (size_t) groups * sizeof(double));
		for (i = 0; i < rows; i++)
		{
			sum[group[i]] += column[c][i];
			count[group[i]]++;
		}
		for (i = 0; i < rows; i++)
			column[c][i] = sum[group[i]] / count[group[i]];
	}
}

/* Standard scores of columns, row by row. */
static double *
scores(double **column, int columns, size_t rows)
{
	SdcHost *host = bench_host();
	double *score = sdc_new(host, double, rows *(size_t) columns);
	double *copy = sdc_new(host, double, rows);
	size_t i;
	int c;

	for (c = 0; c < columns; c++)
	{
		SdcScale scale;

		memcpy(copy, column[c], rows * sizeof(double));
		scale = sdc_scale_find(host, copy, rows);
		for (i = 0; i < rows; i++)
			score[i * (size_t) columns + (size_t) c] =
				scale.deviation > 0 ? sdc_scale_apply(&scale, column[c][i])
									: 0;
	}
	return score;
}

/* A random choice of records, ascending; the same for every set. */
static size_t *
choose_records(size_t all, size_t some)
{
	size_t *chosen = sdc_new(bench_host(), size_t, some);
	SdcRandom random;
	size_t left = some;
	size_t i;

	sdc_random_seed(&random, 1, 0);
	for (i = 0; i < all && left > 0; i++)
		if (sdc_random_below(&random, all - i) < left)
			chosen[some - left--] = i;
	return chosen;
}

static SdcLearnedData
make_data(const SdcMatrix *census, const Set *set, int sample, size_t records)
{
	size_t *chosen = choose_records(census->rows, records);
	SdcHost *host = bench_host();
	SdcLearnedData data;
	double *column[6];
	double *masked[6];
	int32_t *own = sdc_new(host, int32_t, records);
	int at = 0;
	int g;
	size_t i;
	int c;

	memset(&data, 0, sizeof(data));
	data.columns = columns_of(set);
	data.records = data.targets = (int32_t) records;
	for (c = 0; c < data.columns; c++)
	{
		column[c] = sdc_new(host, double, records);
		masked[c] = sdc_new(host, double, records);
		for (i = 0; i < records; i++)
			column[c][i] = census->column[attributes[sample][c]][chosen[i]];
		memcpy(masked[c], column[c], records * sizeof(double));
	}
	for (g = 0; g < set->groups; g++)
	{
		int width =
			at + set->width > data.columns ? data.columns - at : set->width;

		microaggregate(masked + at, width, records, set->k[g]);
		at += width;
	}
	for (i = 0; i < records; i++)
		own[i] = (int32_t) i;
	data.record = scores(column, data.columns, records);
	data.target = scores(masked, data.columns, records);
	data.own = own;
	return data;
}

static double
percent(int32_t some, const SdcLearnedData *data)
{
	return 100.0 * some / data->records;
}

/* What Mahalanobis re-identifies. */
static int32_t
mahalanobis(const SdcLearnedData *data)
{
	SdcHost *host = bench_host();
	SdcLearnedForm *form =
		sdc_learned_form_create(host, SDC_LEARNED_BILINEAR, data->columns);
	double *margin = sdc_learned_rows_margins(host, data);
	double half[SDC_LEARNED_MAX_FEATURES];

	if (!sdc_learned_start_mahalanobis(host, data, half))
		return 0;
	sdc_learned_form_scale(form, half);
	return sdc_learned_count_pairs(host, form, data, margin, half, NULL);
}

/* Prints what is out of order. */
static void
check_order(const int32_t *count, const int32_t *bound, int small, int large)
{
	if (count[small] >= 0 && count[large] >= 0 && count[small] > count[large])
		printf("    WRONG: %s above %s\n", names[small], names[large]);
	if (count[small] >= 0 && count[large] >= 0 && count[small] > bound[large])
		printf("    WRONG: %s above the bound of %s\n", names[small],
			   names[large]);
}

static void
run_method(const SdcLearnedData *data, const Set *set, int method,
		   double seconds, int32_t *count, int32_t *bound)
{
	double start = bench_cpu();
	SdcLearnedLimit limit = {seconds * STEPS, 0};
	SdcLearnedResult result;
	int at = published_at[method];

	result = sdc_learned_distance_solve(bench_host(), methods[method], data, 1,
										&limit);
	*count = result.reidentified;
	*bound = result.bound;
	printf("    %-6s %6.2f %s", names[method], percent(*count, data),
		   result.exact ? "proven" : "of at most");
	if (!result.exact)
		printf(" %.2f", percent(*bound, data));
	printf(", %.2f s", bench_cpu() - start);
	if (at >= 0)
		printf("; published %.2f", set->published[at]);
	printf("\n");
	fflush(stdout);
}

static void
run_set(const SdcMatrix *census, const Set *set, int sample, size_t records,
		double seconds, const char *chosen)
{
	SdcLearnedData data = make_data(census, set, sample, records);
	SdcHost *host = bench_host();
	double weight[6];
	double point[6];
	int32_t count[METHODS];
	int32_t bound[METHODS];
	SdcLearnedForm *form =
		sdc_learned_form_create(host, SDC_LEARNED_WM, data.columns);
	int32_t mean;
	int32_t md = mahalanobis(&data);
	int i;

	for (i = 0; i < data.columns; i++)
		weight[i] = 1.0 / data.columns;
	sdc_learned_form_weighted(form, weight, point);
	mean = sdc_learned_count_pairs(
		host, form, &data, sdc_learned_rows_margins(host, &data), point, NULL);
	printf("%s, attributes %c, %zu records\n", set->name, 'a' + sample,
		   records);
	printf("    AM     %6.2f; published %.2f\n", percent(mean, &data),
		   set->published[0]);
	printf("    MD     %6.2f; published %.2f\n", percent(md, &data),
		   set->published[1]);
	for (i = 0; i < METHODS; i++)
	{
		count[i] = bound[i] = -1;
		if (strchr(chosen, letters[i]) != NULL)
			run_method(&data, set, i, seconds, &count[i], &bound[i]);
	}
	if (count[0] >= 0 && mean > count[0])
		printf("    WRONG: AM above WM\n");
	if (count[6] >= 0 && md > count[6])
		printf("    WRONG: MD above SB\n");
	check_order(count, bound, 0, 2);
	check_order(count, bound, 0, 3);
	check_order(count, bound, 0, 4);
	check_order(count, bound, 0, 5);
	check_order(count, bound, 0, 6);
	check_order(count, bound, 1, 3);
	check_order(count, bound, 2, 3);
	check_order(count, bound, 4, 6);
	check_order(count, bound, 5, 6);
}

int
main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 2;
	size_t records = argc > 2 ? (size_t) atoi(argv[2]) : 400;
	const char *chosen = argc > 3 ? argv[3] : letters;
	const char *only = argc > 4 ? argv[4] : "a";
	SdcMatrix census;
	size_t s;
	int sample;

	published_table_read("census.csv", &census);
	if (records > census.rows)
		records = census.rows;
	for (s = 0; s < sizeof(sets) / sizeof(sets[0]); s++)
		for (sample = 0; sample < SAMPLES; sample++)
		{
			char label[16];

			snprintf(label, sizeof(label), "%s%c", sets[s].name, 'a' + sample);
			if (strstr(label, only) != NULL)
				run_set(&census, &sets[s], sample, records, seconds, chosen);
		}
	return 0;
}
