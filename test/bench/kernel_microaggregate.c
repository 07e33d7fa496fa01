/*
 * kernel_microaggregate.c
 *		Speed of multivariate microaggregation against the textbook algorithm.
 *
 * Build from the root of the repository (the reference below is compiled
 * with -O2 for the base instruction set, the kernel as the extension is):
 *
 *   gcc -std=gnu99 -O3 -ffp-contract=off -Isrc -c src/kernel/[a-z]*.c
 *   gcc -std=gnu99 -O2 -ffp-contract=off -Isrc -Itest/unit -o bench \
 *       test/bench/kernel_microaggregate.c *.o -lm
 *   ./bench [--large] [--only NAME]
 *
 * Prints one CSV line per case: seconds of CPU, the same for the reference
 * (empty when it is not run), their ratio, and the most memory the kernel held
 * besides its input and its result.  --large adds ten million rows.
 *
 * Memory of MDAV in bytes per row of d columns, no duplicates: 8 d + 12 for the
 * ordered points and their groups, 8 d + 16 to 16 d + 20 for the tree of boxes,
 * and 8 d + 8 while it is built.
 */
#define _POSIX_C_SOURCE 200809L

#include "kernel/microaggregate_group.h"

#include "bench_data.h"

#include <time.h>

/* ---------- a host that counts bytes ---------- */

typedef struct Chunk
{
	size_t bytes;
	size_t padding;
} Chunk;

static size_t bytes_now;
static size_t bytes_peak;

static void *
bench_alloc(SdcHost *host, size_t count, size_t size)
{
	Chunk *chunk = malloc(sizeof(Chunk) + count * size);

	(void) host;
	if (chunk == NULL)
		abort();
	chunk->bytes = count * size;
	bytes_now += chunk->bytes;
	bytes_peak = bytes_now > bytes_peak ? bytes_now : bytes_peak;
	return chunk + 1;
}

static void
bench_release(SdcHost *host, void *memory)
{
	Chunk *chunk;

	(void) host;
	if (memory == NULL)
		return;
	chunk = (Chunk *) memory - 1;
	bytes_now -= chunk->bytes;
	free(chunk);
}

static void
bench_poll(SdcHost *host, uint64_t done, uint64_t total)
{
	(void) host;
	(void) done;
	(void) total;
}

static void
bench_stage(SdcHost *host, const char *name)
{
	(void) host;
	(void) name;
}

static bool
bench_pending(SdcHost *host)
{
	(void) host;
	return false;
}

static SdcHost bench_host = {bench_alloc, bench_release, bench_poll,
							 bench_stage, bench_pending};

static double
cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* ---------- the reference: textbook MDAV, O(n^2 / k) ---------- */

/* Free rows, one after the other, and where each came from. */
typedef struct Reference
{
	int columns;
	int32_t free;
	double *value;
	int32_t *row;
	double *distance;
	int32_t *group;
	int32_t groups;
} Reference;

static double
squared_distance(const double *a, const double *b, int columns)
{
	double sum = 0;
	int j;

	for (j = 0; j < columns; j++)
		sum += (a[j] - b[j]) * (a[j] - b[j]);
	return sum;
}

static int32_t
reference_farthest(const Reference *reference, const double *from)
{
	double best = -1;
	int32_t found = 0;
	int32_t i;

	for (i = 0; i < reference->free; i++)
	{
		double distance = squared_distance(
			reference->value + (size_t) i * (size_t) reference->columns, from,
			reference->columns);

		if (distance > best)
		{
			best = distance;
			found = i;
		}
	}
	return found;
}

static void
reference_mean(const Reference *reference, double *mean)
{
	int32_t i;
	int j;

	for (j = 0; j < reference->columns; j++)
		mean[j] = 0;
	for (i = 0; i < reference->free; i++)
		for (j = 0; j < reference->columns; j++)
			mean[j] += reference->value[(size_t) i * reference->columns + j];
	for (j = 0; j < reference->columns; j++)
		mean[j] /= reference->free;
}

/* Groups the k rows nearest to a point, kept sorted while they are sought. */
static void
reference_group(Reference *reference, const double *around, int k)
{
	size_t width = (size_t) reference->columns;
	int32_t nearest[64];
	double distance[64];
	int count = 0;
	int32_t i;
	int t;

	for (i = 0; i < reference->free; i++)
	{
		double here = squared_distance(reference->value + (size_t) i * width,
									   around, reference->columns);

		if (count == k && here >= distance[k - 1])
			continue;
		t = count < k ? count++ : k - 1;
		for (; t > 0 && distance[t - 1] > here; t--)
		{
			distance[t] = distance[t - 1];
			nearest[t] = nearest[t - 1];
		}
		distance[t] = here;
		nearest[t] = i;
	}
	while (count > 0)
	{
		int last = 0;
		int32_t place;

		/* from the back, so that the places of the others stay true */
		for (t = 1; t < count; t++)
			if (nearest[t] > nearest[last])
				last = t;
		place = nearest[last];
		nearest[last] = nearest[--count];
		reference->group[reference->row[place]] = reference->groups;
		reference->free--;
		memcpy(reference->value + (size_t) place * width,
			   reference->value + (size_t) reference->free * width,
			   width * sizeof(double));
		reference->row[place] = reference->row[reference->free];
	}
	reference->groups++;
}

static int32_t
reference_mdav(const SdcMatrix *matrix, int k, int32_t *group)
{
	Reference reference = {
		matrix->columns, (int32_t) matrix->rows, NULL, NULL, NULL, group, 0};
	size_t width = (size_t) matrix->columns;
	double mean[SDC_MAX_COLUMNS];
	double r[SDC_MAX_COLUMNS];
	double s[SDC_MAX_COLUMNS];
	int32_t i;
	int j;

	reference.value = malloc(matrix->rows * width * sizeof(double));
	reference.row = malloc(matrix->rows * sizeof(int32_t));
	for (i = 0; i < reference.free; i++)
	{
		reference.row[i] = i;
		for (j = 0; j < matrix->columns; j++)
			reference.value[(size_t) i * width + j] = matrix->column[j][i];
	}
	while (reference.free >= 2 * k)
	{
		bool two = reference.free >= 3 * k;
		int32_t place;

		reference_mean(&reference, mean);
		place = reference_farthest(&reference, mean);
		memcpy(r, reference.value + (size_t) place * width,
			   sizeof(double) * width);
		reference_group(&reference, r, k);
		if (!two)
			break;
		place = reference_farthest(&reference, r);
		memcpy(s, reference.value + (size_t) place * width,
			   sizeof(double) * width);
		reference_group(&reference, s, k);
	}
	for (i = 0; i < reference.free; i++)
		group[reference.row[i]] = reference.groups;
	free(reference.value);
	free(reference.row);
	return reference.groups + 1;
}

/* ---------- cases ---------- */

static const char *only;

static void
run_case(const char *name, SdcMatrix (*make)(size_t), size_t rows, int k,
		 SdcGroupMethod method, bool against_reference)
{
	SdcMatrix matrix;
	int32_t *group;
	int32_t groups;
	double start;
	double seconds;
	double loss;
	size_t peak;

	if (only != NULL && strstr(name, only) == NULL)
		return;
	matrix = make(rows);
	group = malloc(rows * sizeof(int32_t));
	bytes_peak = bytes_now;
	start = cpu_seconds();
	groups = sdc_microaggregate_group(&bench_host, &matrix, k, method, true, 1,
									  group);
	seconds = cpu_seconds() - start;
	peak = bytes_peak;
	loss = sdc_microaggregate_loss(&bench_host, &matrix, true, group, groups);
	printf("%s,%zu,%d,%d,%.4f,", name, rows, matrix.columns, k, seconds);
	if (against_reference)
	{
		double reference;

		start = cpu_seconds();
		groups = reference_mdav(&matrix, k, group);
		reference = cpu_seconds() - start;
		printf("%.4f,%.1f,", reference, reference / seconds);
	}
	else
		printf(",,");
	printf("%zu,%.6f\n", peak, loss);
	fflush(stdout);
	free(group);
	shared_table_free(&matrix);
}

static SdcMatrix
normal_4(size_t rows)
{
	return correlated_normal(rows, 4);
}

static SdcMatrix
census_like(size_t rows)
{
	return interpolated("data/census.csv", rows);
}

static SdcMatrix
tarragona_like(size_t rows)
{
	return interpolated("data/tarragona.csv", rows);
}

int
main(int argc, char **argv)
{
	bool large = false;
	int i;

	for (i = 1; i < argc; i++)
	{
		if (strcmp(argv[i], "--large") == 0)
			large = true;
		else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
			only = argv[++i];
	}
	printf("benchmark,n,d,k,seconds_cpu,reference_seconds,ratio,peak_bytes,"
		   "loss\n");
	run_case("mdav_normal", normal_4, 10000, 3, SDC_GROUP_MDAV, true);
	run_case("mdav_normal", normal_4, 100000, 3, SDC_GROUP_MDAV, true);
	run_case("mdav_normal", normal_4, 100000, 10, SDC_GROUP_MDAV, true);
	run_case("mdav_census", census_like, 100000, 3, SDC_GROUP_MDAV, true);
	run_case("mdav_tarragona", tarragona_like, 100000, 3, SDC_GROUP_MDAV,
			 true);
	run_case("mdav_few_distinct", few_distinct, 300000, 3, SDC_GROUP_MDAV,
			 false);
	run_case("mdav_normal", normal_4, 1000000, 3, SDC_GROUP_MDAV, false);
	run_case("vmdav_normal", normal_4, 100000, 3, SDC_GROUP_VMDAV, false);
	run_case("fast_normal", normal_4, 1000000, 3, SDC_GROUP_FAST, false);
	run_case("fast_census", census_like, 100000, 3, SDC_GROUP_FAST, false);
	run_case("best_normal", normal_4, 100000, 3, SDC_GROUP_BEST, false);
	run_case("best_census", census_like, 100000, 3, SDC_GROUP_BEST, false);
	run_case("pca_normal", normal_4, 1000000, 3, SDC_GROUP_PCA, false);
	if (large)
	{
		run_case("fast_normal", normal_4, 10000000, 3, SDC_GROUP_FAST, false);
		run_case("mdav_normal", normal_4, 10000000, 3, SDC_GROUP_MDAV, false);
	}
	return 0;
}
