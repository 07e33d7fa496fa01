/*
 * recency_classes.c
 *		Histories drawn by classes: each figure as often as before, the classes
 *		of a cluster as they were, and days of the cluster.
 */
#include "unit.h"

#include "kernel/base/random.h"
#include "kernel/transaction/recency_classes.h"

#define CUSTOMERS 60
#define MOST      12
#define CLUSTERS  7
#define CLASSES   3

static int32_t first[CUSTOMERS + 1];
static int64_t day[CUSTOMERS * MOST];
static int64_t pieces[CUSTOMERS * MOST];
static int64_t amount[CUSTOMERS * MOST];
static int32_t cluster[CUSTOMERS];

/* Customers with one to MOST days, gaps and ties between them. */
static SdcHistories
make_file(int round)
{
	SdcHistories file = {CUSTOMERS, first, day, pieces, amount};
	SdcRandom random;
	int32_t at = 0;
	int i;
	int e;

	sdc_random_seed(&random, 5, (uint64_t) round);
	for (i = 0; i < CUSTOMERS; i++)
	{
		int64_t now = (int64_t) sdc_random_below(&random, 10);

		first[i] = at;
		cluster[i] =
			i < CLUSTERS ? i : (int32_t) sdc_random_below(&random, CLUSTERS);
		for (e = 1 + (int) sdc_random_below(&random, MOST); e > 0; e--)
		{
			day[at] = now;
			pieces[at] = 1 + (int64_t) sdc_random_below(&random, 9);
			amount[at++] = 1 + (int64_t) sdc_random_below(&random, 999);
			now += 1 + (int64_t) sdc_random_below(&random, 4);
		}
	}
	first[CUSTOMERS] = at;
	return file;
}

/* The figures of a file: value[dimension][customer]. */
static void
read_figures(const SdcHistories *file, const int64_t *total,
			 double value[][CUSTOMERS])
{
	int i;
	int e;

	for (i = 0; i < CUSTOMERS; i++)
	{
		value[0][i] = -(double) file->day[file->first[i + 1] - 1];
		value[1][i] = file->first[i + 1] - file->first[i];
		value[2][i] = 0;
		if (total != NULL)
			value[2][i] = (double) total[i];
		for (e = file->first[i]; e < file->first[i + 1] && total == NULL; e++)
			value[2][i] += (double) file->amount[e];
	}
}

static int
count_equal(const double *value, double x)
{
	int n = 0;
	int i;

	for (i = 0; i < CUSTOMERS; i++)
		n += value[i] == x;
	return n;
}

/* Is the day one of the file, and are days ascending? */
static void
check_days(const SdcHistories *file, const SdcHistories *made)
{
	int bad = 0;
	int i;
	int e;
	int k;

	for (i = 0; i < CUSTOMERS; i++)
		for (e = made->first[i]; e < made->first[i + 1]; e++)
		{
			bool seen = false;

			bad += e > made->first[i] && made->day[e] <= made->day[e - 1];
			for (k = 0; k < file->first[CUSTOMERS] && !seen; k++)
				seen = file->day[k] == made->day[e];
			bad += !seen;
		}
	unit_check(bad == 0, "%d days are not ascending days of the file", bad);
}

static void
check_draw(int round)
{
	SdcHost *host = unit_host();
	SdcHistories file = make_file(round);
	double before[SDC_RECENCY_CLASSES_DIMENSIONS][CUSTOMERS];
	double after[SDC_RECENCY_CLASSES_DIMENSIONS][CUSTOMERS];
	SdcRecencyFile side[2] = {{CUSTOMERS, {before[0], before[1], before[2]}},
							  {CUSTOMERS, {after[0], after[1], after[2]}}};
	int64_t total[CUSTOMERS];
	int32_t alone;
	SdcRandom random;
	SdcHistories made;
	double error;
	int others = 0;
	int fewer = 0;
	int i;

	sdc_random_seed(&random, 6, (uint64_t) round);
	made = sdc_recency_classes_draw(host, &file, cluster, CLUSTERS, CLASSES,
									&random, total, &alone);
	read_figures(&file, NULL, before);
	read_figures(&made, total, after);
	check_days(&file, &made);
	for (i = 0; i < CUSTOMERS; i++)
	{
		others += count_equal(after[0], before[0][i]) !=
					  count_equal(before[0], before[0][i]) ||
				  count_equal(after[2], before[2][i]) !=
					  count_equal(before[2], before[2][i]);
		fewer += count_equal(after[1], before[1][i]) !=
				 count_equal(before[1], before[1][i]);
	}
	unit_check(others == 0, "%d last days or turnovers are new", others);
	/* only who has an early last day may have fewer days than he was dealt */
	error = sdc_recency_classes_error(host, &side[0], &side[1], CLASSES);
	unit_check(fewer > 0 ? error < 0.3 : error == 0, "classes differ by %g",
			   error);
	unit_check(alone >= 0 && alone <= CUSTOMERS, "%d alone", alone);
	sdc_histories_release(host, &made);
}

/* One cluster for each: all classes are of one customer, who keeps his. */
static void
check_alone(void)
{
	SdcHost *host = unit_host();
	SdcHistories file = make_file(99);
	int32_t own[CUSTOMERS];
	int32_t one[CUSTOMERS] = {0};
	int64_t total[CUSTOMERS];
	int32_t alone;
	SdcRandom random;
	SdcHistories made;
	int i;

	for (i = 0; i < CUSTOMERS; i++)
		own[i] = i;
	sdc_random_seed(&random, 7, 0);
	made = sdc_recency_classes_draw(host, &file, own, CUSTOMERS, CLASSES,
									&random, total, &alone);
	unit_check(alone == CUSTOMERS, "%d of as many clusters alone", alone);
	sdc_histories_release(host, &made);
	made = sdc_recency_classes_draw(host, &file, one, 1, CLASSES, &random,
									total, &alone);
	unit_check(alone < CUSTOMERS / 2, "%d of one cluster alone", alone);
	sdc_histories_release(host, &made);
}

int
main(void)
{
	int round;

	unit_start("recency_classes");
	for (round = 0; round < 40; round++)
		check_draw(round);
	check_alone();
	return unit_finish();
}
