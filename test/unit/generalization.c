/*
 * generalization.c
 *		Judging classes: against counts that are made record by record.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/generalization/generalization.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"

#define ROUNDS  400
#define GROUPS  6 /* of two keys, 0 .. 5 and NULL is not among them */
#define VALUES  4
#define COLUMNS 2 /* sensitive ones */

/* held[class][s][value]: records, by sensitive column. */
typedef struct Records
{
	int64_t size[GROUPS];
	int64_t held[GROUPS][COLUMNS][VALUES];
	int64_t total[COLUMNS][VALUES];
	int64_t records;
	SdcFrequency *table;
	SdcFrequency *reference[COLUMNS];
	SdcClasses *classes;
} Records;

/* Two keys, so that the class is 3 * first + second. */
static void
draw(SdcRandom *random, int records, Records *data)
{
	const int32_t values[] = {2, 3, VALUES, VALUES};
	SdcFrequencyCount *counting = sdc_frequency_start(unit_host(), 4, false);
	int i;
	int s;

	memset(data, 0, sizeof(*data));
	for (i = 0; i < records; i++)
	{
		int32_t code[4];
		int c;

		code[0] = (int32_t) sdc_random_below(random, 2);
		code[1] = (int32_t) sdc_random_below(random, 3);
		c = 3 * code[0] + code[1];
		for (s = 0; s < COLUMNS; s++)
		{
			/* some classes hold fewer values */
			code[2 + s] = (int32_t) sdc_random_below(
				random, 1 + (uint64_t) (c + s) % VALUES);
			data->held[c][s][code[2 + s]]++;
			data->total[s][code[2 + s]]++;
		}
		data->size[c]++;
		sdc_frequency_add(counting, code, 1, 0);
	}
	data->records = records;
	data->table = sdc_frequency_finish(counting, NULL, values, NULL);
	data->classes = sdc_frequency_classes(unit_host(), data->table, 2);
	for (s = 0; s < COLUMNS; s++)
	{
		int column = 2 + s;

		data->reference[s] =
			sdc_frequency_project(unit_host(), data->table, &column, 1, NULL);
	}
}

/* Half the sum of the differences of the shares. */
static double
distance(const Records *data, int class, int s)
{
	double sum = 0;
	int v;

	for (v = 0; v < VALUES; v++)
		sum += fabs((double) data->held[class][s][v] / data->size[class] -
					(double) data->total[s][v] / data->records);
	return sum / 2;
}

static int
distinct(const Records *data, int class, int s)
{
	int count = 0;
	int v;

	for (v = 0; v < VALUES; v++)
		count += data->held[class][s][v] > 0;
	return count;
}

static bool
fails(const Records *data, int class, int64_t k, int l, double t)
{
	int s;

	if (data->size[class] < k)
		return true;
	for (s = 0; s < COLUMNS; s++)
		if (distinct(data, class, s) < l ||
			distance(data, class, s) > t * (1 + 1e-9))
			return true;
	return false;
}

/* The class that has the codes of cell first of class c. */
static int
class_of(const Records *data, int32_t c)
{
	int32_t cell = data->classes->first[c];

	return 3 * data->table->code[0][cell] + data->table->code[1][cell];
}

/* What is to be found, in the classes but the exempt one. */
typedef struct Expected
{
	int32_t failing;
	int64_t records;
	int64_t smallest;
	int least;
	double farthest;
} Expected;

static Expected
expect(const Records *data, int32_t exempt, int64_t k, int l, double t)
{
	Expected expected = {0, 0, 0, VALUES + 1, -1};
	int32_t c;

	for (c = 0; c < data->classes->classes; c++)
	{
		int class = class_of(data, c);

		if (c == exempt)
			continue;
		if (fails(data, class, k, l, t))
		{
			expected.failing++;
			expected.records += data->size[class];
			continue;
		}
		if (expected.smallest == 0 || data->size[class] < expected.smallest)
			expected.smallest = data->size[class];
		if (distinct(data, class, 0) < expected.least)
			expected.least = distinct(data, class, 0);
		expected.farthest = fmax(expected.farthest, distance(data, class, 1));
	}
	return expected;
}

static bool
agrees(const Expected *expected, const SdcGeneralizationClasses *judged)
{
	double least = judged->worst[SDC_CLASS_DISTINCT];
	double farthest = judged->worst[SDC_CLASS_MEASURES + SDC_CLASS_T_EQUAL];

	if (judged->failing_classes != expected->failing ||
		judged->failing_records != expected->records ||
		judged->smallest != expected->smallest)
		return false;
	if (expected->smallest == 0)
		return isnan(least) && isnan(farthest);
	return least == expected->least &&
		   fabs(farthest - expected->farthest) < 1e-12;
}

static void
check_judging(void)
{
	SdcRandom random;
	bool same = true;
	int failing = 0;
	int kept = 0;
	int round;

	sdc_random_seed(&random, 3, 5);
	for (round = 0; round < ROUNDS && same; round++)
	{
		int64_t k = 1 + (int64_t) sdc_random_below(&random, 8);
		int l = 1 + (int) sdc_random_below(&random, 3);
		double t = 0.2 + sdc_random_unit(&random) * 0.6;
		SdcClassRequest request[COLUMNS];
		SdcGeneralizationModels models = {k, COLUMNS, request, NULL};
		Records data;
		SdcGeneralizationClasses *judged;
		Expected expected;
		int32_t exempt = (int32_t) sdc_random_below(&random, GROUPS + 1) - 1;
		int s;

		draw(&random, 5 + (int) sdc_random_below(&random, 60), &data);
		for (s = 0; s < COLUMNS; s++)
		{
			request[s] = sdc_class_measures_request();
			request[s].wanted = SDC_CLASS_WANT(SDC_CLASS_DISTINCT) |
								SDC_CLASS_WANT(SDC_CLASS_T_EQUAL);
			request[s].bound[SDC_CLASS_DISTINCT] = l;
			request[s].bound[SDC_CLASS_T_EQUAL] = t;
		}
		models.reference = (const SdcFrequency *const *) data.reference;
		judged = sdc_generalization_judge(unit_host(), data.table,
										  data.classes, exempt, &models);
		expected = expect(&data, exempt, k, l, t);
		same = agrees(&expected, judged);
		failing += judged->failing_classes;
		kept += data.classes->classes - judged->failing_classes;
	}
	unit_check(same && failing > ROUNDS && kept > ROUNDS / 2,
			   "%d tables: classes that fail and the worst of the others are "
			   "those of a count by record (%d fail, %d do not)",
			   round, failing, kept);
}

/* Without sensitive columns only the size counts; without classes nothing. */
static void
check_edges(void)
{
	SdcRandom random;
	SdcGeneralizationModels models = {4, 0, NULL, NULL};
	SdcGeneralizationClasses *judged;
	Records data;
	SdcFrequency *keys;
	const int column[] = {0, 1};
	int32_t c;
	bool same = true;

	sdc_random_seed(&random, 7, 1);
	draw(&random, 30, &data);
	keys = sdc_frequency_project(unit_host(), data.table, column, 2, NULL);
	judged =
		sdc_generalization_judge(unit_host(), keys, data.classes, -1, &models);
	for (c = 0; c < data.classes->classes; c++)
		same &= judged->failing[c] == (data.classes->size[c] < 4);
	unit_check(same, "without sensitive columns a class fails by its size");
	draw(&random, 0, &data);
	keys = sdc_frequency_project(unit_host(), data.table, column, 2, NULL);
	judged =
		sdc_generalization_judge(unit_host(), keys, data.classes, -1, &models);
	unit_check(judged->failing_classes == 0 && judged->smallest == 0,
			   "an empty table has no class that fails");
}

int
main(void)
{
	unit_start("generalization");
	check_judging();
	check_edges();
	unit_release_all();
	return unit_finish();
}
