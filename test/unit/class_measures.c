/*
 * class_measures.c
 *		The pass over all classes against one class at a time, from records.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/risk/class_measures.c"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"

#define ROUNDS  1500
#define CLASSES 8
#define VALUES  7

/* held[class][slot]: records, counted here from what is put into a table. */
typedef struct Records
{
	int64_t held[CLASSES][VALUES + 1];
	SdcFrequency *table;
	SdcClasses *classes;
} Records;

/* Pairs of levels of the values. */
static int32_t identity[VALUES] = {0, 1, 2, 3, 4, 5, 6};
static int32_t pairs[VALUES] = {0, 0, 1, 1, 2, 2, 2};
static int32_t *group[] = {identity, pairs};
static int32_t groups[] = {VALUES, 3};
static const SdcHierarchy hierarchy = {VALUES, 2, group, groups};

static void
draw(SdcRandom *random, int records, Records *data)
{
	const int32_t values[] = {CLASSES, VALUES};
	SdcFrequencyCount *counting = sdc_frequency_start(unit_host(), 2, false);
	int i;

	memset(data->held, 0, sizeof(data->held));
	for (i = 0; i < records; i++)
	{
		uint64_t spread = 1 + sdc_random_below(random, VALUES + 1);
		int32_t code[2];
		int32_t slot = (int32_t) sdc_random_below(random, spread);

		code[0] = (int32_t) sdc_random_below(random, CLASSES);
		/* some classes have NULL only */
		slot = code[0] == 3 ? VALUES : slot;
		code[1] = slot < VALUES ? slot : SDC_CODE_NULL;
		data->held[code[0]][slot]++;
		sdc_frequency_add(counting, code, 1, 1);
	}
	data->table = sdc_frequency_finish(counting, NULL, values, NULL);
	data->classes = sdc_frequency_classes(unit_host(), data->table, 1);
}

/* Values 0 and NULL may be disclosed; 1 and 2 must be there. */
static const bool allowed[VALUES + 1] = {[0] = true, [VALUES] = true};
static const bool guarded[VALUES + 1] = {[1] = true, [2] = true};

/* The measures that hang on lists; ranked counts are those of the class. */
static void
measure_lists(const Records *data, int class, const int64_t *ranked,
			  const SdcHistogram *one, const SdcClassRequest *request,
			  double *value)
{
	const int64_t *held = data->held[class];
	int64_t most = 0;
	int l;
	int v;

	for (v = 1; v < VALUES; v++)
		most = held[v] > most ? held[v] : most;
	value[SDC_CLASS_PD_RECURSIVE] = most == 0 ? INFINITY : 0;
	for (l = 1; l <= one->cells && most > 0; l++)
		if (sdc_diversity_is_pd_recursive(ranked, one->cells, most, request->c,
										  l))
			value[SDC_CLASS_PD_RECURSIVE] = l;
	value[SDC_CLASS_PROTECTED] =
		(double) (held[1] < held[2] ? held[1] : held[2]) /
		(double) one->records;
}

/* The figures of one class, without the pass. */
static void
measure(const Records *data, int class, const SdcClassRequest *request,
		double *value)
{
	int32_t code[VALUES + 1];
	int64_t count[VALUES + 1];
	int64_t total[VALUES + 1] = {0};
	SdcHistogram one = {0, code, count, 0};
	SdcTotals totals = {VALUES, 0, total, 0};
	int slots = VALUES + !request->ignore_nulls;
	int slot;
	int c;

	for (slot = 0; slot < slots; slot++)
	{
		for (c = 0; c < CLASSES; c++)
			total[slot] += data->held[c][slot];
		totals.occurring += total[slot] > 0;
		totals.records += total[slot];
		if (data->held[class][slot] == 0)
			continue;
		code[one.cells] = slot < VALUES ? slot : SDC_CODE_NULL;
		count[one.cells++] = data->held[class][slot];
		one.records += data->held[class][slot];
	}
	for (c = 0; c < SDC_CLASS_MEASURES; c++)
		value[c] = NAN;
	if (one.records == 0)
		return;
	value[SDC_CLASS_DISTINCT] = one.cells;
	value[SDC_CLASS_ENTROPY] = sdc_diversity_entropy(count, one.cells);
	value[SDC_CLASS_FREQUENCY] = sdc_diversity_frequency(count, one.cells);
	value[SDC_CLASS_T_EQUAL] = sdc_closeness_equal(&one, &totals);
	value[SDC_CLASS_T_ORDERED] =
		sdc_closeness_ordered(&one, sdc_closeness_order(unit_host(), &totals));
	value[SDC_CLASS_T_HIERARCHICAL] = sdc_closeness_hierarchical(
		&one, sdc_closeness_tree(unit_host(), &totals, &hierarchy));
	value[SDC_CLASS_BETA] = sdc_likeness_beta(&one, &totals);
	value[SDC_CLASS_BETA_ENHANCED] = sdc_likeness_enhanced(&one, &totals);
	value[SDC_CLASS_DELTA] = sdc_likeness_delta(&one, &totals);
	sdc_diversity_rank(count, one.cells);
	value[SDC_CLASS_RECURSIVE] =
		sdc_diversity_recursive(count, one.cells, request->c);
	measure_lists(data, class, count, &one, request, value);
}

/* As the header says it; bounds are drawn so that no tie matters. */
static void
expect_class(const Records *data, int class, int32_t number,
			 const SdcClassRequest *request, SdcClassReport *report)
{
	double value[SDC_CLASS_MEASURES];
	int64_t size = data->classes->size[number];
	int known = 0;
	bool fails = size < request->k;
	int i;

	measure(data, class, request, value);
	for (i = 0; i < VALUES + !request->ignore_nulls; i++)
		known += data->held[class][i] > 0;
	report->homogeneous_classes += known == 1;
	report->homogeneous_records += known == 1 ? size : 0;
	report->empty_classes += known == 0;
	report->empty_records += known == 0 ? size : 0;
	for (i = 0; i < SDC_CLASS_MEASURES && known > 0; i++)
	{
		SdcClassWorst *worst = &report->worst[i];
		bool low = i <= SDC_CLASS_PROTECTED;
		bool bad =
			low ? value[i] < request->bound[i] : value[i] > request->bound[i];

		if ((request->wanted & SDC_CLASS_WANT(i)) == 0)
			continue;
		if (worst->number < 0 ||
			(low ? value[i] < worst->value : value[i] > worst->value))
		{
			worst->value = value[i];
			worst->number = number;
		}
		worst->classes += bad;
		worst->records += bad ? size : 0;
		fails = fails || bad;
	}
	report->failing_classes += fails;
	report->failing_records += fails ? size : 0;
}

static SdcClassReport
expect(const Records *data, const SdcClassRequest *request)
{
	SdcClassReport report;
	int32_t number = 0;
	int class;
	int i;

	memset(&report, 0, sizeof(report));
	for (i = 0; i < SDC_CLASS_MEASURES; i++)
	{
		report.worst[i].value = NAN;
		report.worst[i].number = -1;
	}
	for (class = 0; class < CLASSES; class ++)
	{
		int64_t size = 0;

		for (i = 0; i <= VALUES; i++)
			size += data->held[class][i];
		if (size > 0)
			expect_class(data, class, number++, request, &report);
	}
	return report;
}

/* The share of protected values is made from percents, and rounded twice. */
static bool
same_worst(const SdcClassWorst *a, const SdcClassWorst *b,
		   SdcClassMeasure measure)
{
	double slack = measure == SDC_CLASS_PROTECTED ? 1e-15 : 0;

	return (a->value == b->value || (isnan(a->value) && isnan(b->value)) ||
			fabs(a->value - b->value) < slack) &&
		   a->number == b->number && a->classes == b->classes &&
		   a->records == b->records;
}

static bool
same_report(const SdcClassReport *a, const SdcClassReport *b)
{
	bool same = a->homogeneous_classes == b->homogeneous_classes &&
				a->homogeneous_records == b->homogeneous_records &&
				a->empty_classes == b->empty_classes &&
				a->empty_records == b->empty_records &&
				a->failing_classes == b->failing_classes &&
				a->failing_records == b->failing_records;
	int i;

	for (i = 0; i < SDC_CLASS_MEASURES; i++)
		same = same && same_worst(&a->worst[i], &b->worst[i], i);
	return same;
}

static SdcClassRequest
draw_request(SdcRandom *random)
{
	SdcClassRequest request = sdc_class_measures_request();
	int i;

	request.wanted = (unsigned) sdc_random_below(random, 1 << 12);
	request.ignore_nulls = sdc_random_below(random, 2) == 0;
	request.c = 1 + (double) sdc_random_below(random, 3);
	request.hierarchy = &hierarchy;
	request.allowed = allowed;
	request.guarded = guarded;
	request.guards = 2;
	request.k = (int64_t) sdc_random_below(random, 4);
	for (i = 0; i < SDC_CLASS_MEASURES; i++)
		if (sdc_random_below(random, 2) == 0)
			request.bound[i] =
				(i <= SDC_CLASS_RECURSIVE ? 1 : 0) +
				sdc_random_unit(random) * (i < SDC_CLASS_T_EQUAL ? 3 : 1);
	return request;
}

static void
check_random(void)
{
	bool same = true;
	bool again = true;
	int empty = 0;
	SdcRandom random;
	int round;

	sdc_random_seed(&random, 36, 0);
	for (round = 0; round < ROUNDS; round++)
	{
		SdcClassRequest request = draw_request(&random);
		SdcClassMeasuring *measuring;
		SdcClassReport expected;
		SdcClassReport report;
		Records data;

		draw(&random, round % 100, &data);
		measuring =
			sdc_class_measures_start(unit_host(), data.table, &request);
		expected = expect(&data, &request);
		sdc_class_measures_walk(unit_host(), measuring, data.table,
								data.classes, &report);
		same = same && same_report(&report, &expected);
		sdc_class_measures_walk(unit_host(), measuring, data.table,
								data.classes, &report);
		again = again && same_report(&report, &expected);
		empty += report.empty_classes;
		sdc_class_measures_release(unit_host(), measuring);
		unit_release_all();
	}
	unit_check(same && empty > 0, "%d tables, %d classes without a value",
			   ROUNDS, empty);
	unit_check(again, "walked twice");
}

/* Does a class fail, by the figures one by one; of delta from above only. */
static bool
fails_plainly(SdcClassMeasuring *measuring, const SdcHistogram *one,
			  bool above_only)
{
	double value[SDC_CLASS_MEASURES];
	int m;

	if (one->records == 0)
		return false;
	sdc_class_measures_class(measuring, one, value);
	if (above_only && !isnan(value[SDC_CLASS_DELTA]))
		value[SDC_CLASS_DELTA] =
			log2(1 + sdc_likeness_beta(one, measuring->totals));
	for (m = 0; m < SDC_CLASS_MEASURES; m++)
		if (sdc_class_measures_fails(&measuring->request, m, value[m]))
			return true;
	return false;
}

/*
 * The records that fail at least when a class is split: parts that pass do so
 * together, so all but those of the largest part that passes.
 */
static int64_t
lost_plainly(SdcClassMeasuring *measuring, const SdcHistogram *whole)
{
	int64_t taken[VALUES + 1] = {0};
	int64_t best = 0;
	int32_t i = 0;

	while (i < whole->cells)
	{
		int32_t code[VALUES + 1];
		int64_t count[VALUES + 1];
		SdcHistogram part = {0, code, count, 0};

		for (i = 0; i < whole->cells; i++)
		{
			code[part.cells] = whole->code[i];
			count[part.cells] = taken[i];
			part.cells += taken[i] > 0;
			part.records += taken[i];
		}
		if (part.records > best && !fails_plainly(measuring, &part, true))
			best = part.records;
		for (i = 0; i < whole->cells && ++taken[i] > whole->count[i]; i++)
			taken[i] = 0;
	}
	return whole->records - best;
}

/* Does a class fail, seen as a row?  Counts those that are not clear. */
static bool
row_agrees(const SdcClassMeasuring *measuring, const Records *data, int32_t c,
		   bool fails, int *unclear)
{
	SdcHistogram all =
		sdc_histogram_class(data->table, data->classes->first[c],
							data->classes->first[c + 1], true);
	int32_t row[2 * SDC_CLASS_ROW_STEP] = {0};
	SdcClassGlance seen;
	int32_t i;

	for (i = 0; i < all.cells; i++)
		row[sdc_histogram_slot(measuring->totals, all.code[i])] =
			(int32_t) all.count[i];
	seen = sdc_class_measures_row(
		measuring, row, sdc_class_row_width(VALUES + 1), all.records);
	*unclear += seen == SDC_CLASS_UNCLEAR;
	return seen == SDC_CLASS_UNCLEAR || fails == (seen == SDC_CLASS_FAILS);
}

/* A bound of one measure, or several: does a class fail, what is lost. */
static void
check_refuses(void)
{
	SdcRandom random;
	bool rows = true;
	int unclear = 0;
	int classes = 0;
	bool same = true;
	bool sound = true;
	int64_t lost_in_all = 0;
	int64_t all = 0;
	int round;
	int32_t c;

	sdc_random_seed(&random, 37, 0);
	for (round = 0; round < ROUNDS; round++)
	{
		SdcClassRequest request = draw_request(&random);
		SdcClassMeasuring *measuring;
		Records data;

		if (round % 4 > 0)
			request.wanted = SDC_CLASS_WANT(round / 4 % SDC_CLASS_MEASURES);
		draw(&random, 1 + round % 60, &data);
		measuring =
			sdc_class_measures_start(unit_host(), data.table, &request);
		for (c = 0; c < data.classes->classes; c++)
		{
			SdcHistogram one = sdc_histogram_class(
				data.table, data.classes->first[c], data.classes->first[c + 1],
				!request.ignore_nulls);
			bool fails = fails_plainly(measuring, &one, false);
			int64_t lost;
			int64_t exact = lost_plainly(measuring, &one);

			same = same &&
				   fails == sdc_class_measures_refuses(measuring, &one, NULL);
			same = same &&
				   fails == sdc_class_measures_refuses(measuring, &one, &lost);
			sound = sound && lost >= 0 && lost <= exact;
			rows = rows && row_agrees(measuring, &data, c, fails, &unclear);
			classes++;
			lost_in_all += lost;
			all += exact;
		}
		sdc_class_measures_release(unit_host(), measuring);
		unit_release_all();
	}
	unit_check(same, "a class fails as its figures say");
	unit_check(rows && 2 * unclear < classes,
			   "so does its row; %d of %d are not clear", unclear, classes);
	unit_check(sound && 10 * lost_in_all > 7 * all,
			   "%d of the %d records that fail however classes are split",
			   (int) lost_in_all, (int) all);
}

/* Ties with a bound: exact figures and the tolerance of the others. */
static void
check_bounds(void)
{
	SdcClassRequest request = sdc_class_measures_request();

	unit_check(!sdc_class_measures_fails(&request, SDC_CLASS_ENTROPY, 1) &&
				   request.wanted == 0,
			   "no bound, no failure");
	request.bound[SDC_CLASS_DISTINCT] = 2.5;
	request.bound[SDC_CLASS_ENTROPY] = 3;
	request.bound[SDC_CLASS_T_EQUAL] = 0.2;
	request.bound[SDC_CLASS_BETA_ENHANCED] = 1e300;
	request.bound[SDC_CLASS_DELTA] = 1;
	unit_check(sdc_class_measures_fails(&request, SDC_CLASS_DISTINCT, 2) &&
				   !sdc_class_measures_fails(&request, SDC_CLASS_DISTINCT, 3),
			   "l = 2.5 needs 3 values");
	unit_check(
		!sdc_class_measures_fails(&request, SDC_CLASS_ENTROPY,
								  nextafter(3, 0)) &&
			sdc_class_measures_fails(&request, SDC_CLASS_ENTROPY, 3 - 1e-7),
		"entropy within 1e-9");
	unit_check(
		!sdc_class_measures_fails(&request, SDC_CLASS_T_EQUAL,
								  nextafter(0.2, 1)) &&
			sdc_class_measures_fails(&request, SDC_CLASS_T_EQUAL, 0.2000001),
		"t within 1e-9");
	unit_check(
		sdc_class_measures_fails(&request, SDC_CLASS_BETA_ENHANCED, INFINITY),
		"no beta will do");
	unit_check(sdc_class_measures_fails(&request, SDC_CLASS_DELTA, 1) &&
				   !sdc_class_measures_fails(&request, SDC_CLASS_DELTA, 0.99),
			   "delta must be below its bound");
	unit_check(!sdc_class_measures_fails(&request, SDC_CLASS_DELTA, NAN),
			   "a class without records does not fail");
}

/* A class of 1, 2 and NULL has 3 values or 2: as the policy says. */
static void
check_nulls(void)
{
	const int32_t values[] = {1, VALUES};
	SdcFrequencyCount *counting = sdc_frequency_start(unit_host(), 2, false);
	SdcClassRequest request = sdc_class_measures_request();
	SdcFrequency *table;
	SdcClasses *classes;
	double found[2];
	int i;

	for (i = 0; i < 3; i++)
	{
		const int32_t code[] = {0, i < 2 ? i : SDC_CODE_NULL};

		sdc_frequency_add(counting, code, 1, 1);
	}
	table = sdc_frequency_finish(counting, NULL, values, NULL);
	classes = sdc_frequency_classes(unit_host(), table, 1);
	request.wanted = SDC_CLASS_WANT(SDC_CLASS_DISTINCT);
	for (i = 0; i < 2; i++)
	{
		SdcClassReport report;

		request.ignore_nulls = i == 1;
		sdc_class_measures_walk(
			unit_host(),
			sdc_class_measures_start(unit_host(), table, &request), table,
			classes, &report);
		found[i] = report.worst[SDC_CLASS_DISTINCT].value;
	}
	unit_check(found[0] == 3, "1, 2 and NULL: 3 values as a category");
	unit_check(found[1] == 2, "1, 2 and NULL: 2 values when ignored");
}

/* Many classes: the pass polls, and allocates nothing more for them. */
static void
check_many(void)
{
	enum
	{
		MANY = 200000
	};
	const int32_t values[] = {MANY, VALUES};
	SdcFrequencyCount *counting = sdc_frequency_start(unit_host(), 2, false);
	SdcClassRequest request = sdc_class_measures_request();
	SdcClassReport report;
	SdcFrequency *table;
	SdcClasses *classes;
	uint64_t before;
	int32_t i;

	for (i = 0; i < 2 * MANY; i++)
	{
		int32_t code[2];

		code[0] = i / 2;
		code[1] = i % 2 + i / 2 % 5;
		sdc_frequency_add(counting, code, 1 + i % 2, 1);
	}
	table = sdc_frequency_finish(counting, NULL, values, NULL);
	classes = sdc_frequency_classes(unit_host(), table, 1);
	request.wanted = SDC_CLASS_WANT(SDC_CLASS_FREQUENCY);
	request.bound[SDC_CLASS_FREQUENCY] = 2;
	before = unit_polls();
	sdc_class_measures_walk(
		unit_host(), sdc_class_measures_start(unit_host(), table, &request),
		table, classes, &report);
	unit_check(report.worst[SDC_CLASS_FREQUENCY].value == 1.5 &&
				   report.worst[SDC_CLASS_FREQUENCY].number == 0 &&
				   report.failing_classes == MANY &&
				   report.failing_records == 3 * (int64_t) MANY,
			   "%d classes", MANY);
	unit_check(unit_polls() - before > 40, "%d polls",
			   (int) (unit_polls() - before));
}

int
main(void)
{
	unit_start("class_measures");
	check_random();
	check_refuses();
	check_bounds();
	check_nulls();
	check_many();
	return unit_finish();
}
