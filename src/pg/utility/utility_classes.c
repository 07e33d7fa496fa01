/*
 * utility_classes.c
 *		What the classes of the masked relation cost, and the model that tells
 *		the relations apart.
 *
 * A record whose keys are all NULL or "*" is suppressed, as is one that is in
 * the original only; neither is in a class.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/risk/discernibility.h"
#include "pg/call/params.h"
#include "pg/data/frequency.h"
#include "pg/utility/propensity.h"
#include "pg/utility/utility.h"

/* Classes of the masked relation without those that are suppressed. */
typedef struct Classes
{
	int64 *size;
	int32 classes;
	int64 records;
	int64 suppressed;
	int64 smallest;
} Classes;

static bool
is_star(SdcDictionary *dictionary, int32 code)
{
	char *text = sdcpg_dictionary_text(dictionary, code);
	bool star = strcmp(text, "*") == 0;

	pfree(text);
	return star;
}

/* Is every key of a cell NULL or "*"? */
static bool
is_suppressed(const SdcFrequencyTable *table, int32 cell)
{
	const SdcFrequency *frequency = table->frequency;
	int j;

	for (j = 0; j < frequency->columns; j++)
	{
		int32 code = frequency->code[j][cell];

		if (code != SDC_CODE_NULL && !is_star(table->dictionary[j], code))
			return false;
	}
	return true;
}

static void
count_classes(SdcUtility *utility, Classes *classes)
{
	const SdcContrast *comparison = &utility->comparison;
	SdcFrequencyRequest request = {0};
	SdcRelationColumns keys = utility->keys;
	SdcFrequencyTable table;
	int32 cell;
	int j;

	keys.column = palloc(sizeof(SdcRelationColumn) * keys.count);
	for (j = 0; j < keys.count; j++)
		keys.column[j] = sdcpg_relation_column(comparison->masked.relation,
											   utility->keys.column[j].name);
	request.relation = comparison->masked.relation;
	sdcpg_frequency_want(&request, &keys);
	sdcpg_frequency_load(utility->host, &request, 1, &table);
	memset(classes, 0, sizeof(*classes));
	classes->size =
		sdc_new(&utility->host->kernel, int64, table.frequency->cells);
	classes->suppressed =
		Max(0, comparison->original.rows - comparison->masked.rows);
	for (cell = 0; cell < table.frequency->cells; cell++)
	{
		int64 size = table.frequency->count[cell];

		if (is_suppressed(&table, cell))
		{
			classes->suppressed += size;
			continue;
		}
		classes->records += size;
		classes->size[classes->classes++] = size;
		if (classes->smallest == 0 || size < classes->smallest)
			classes->smallest = size;
	}
}

static void
add_classes(SdcUtility *utility, const Classes *classes)
{
	SdcUtilityLines *lines = &utility->lines;
	char *subject = sdcpg_relation_list(&utility->keys);
	double n = Max(utility->comparison.original.rows,
				   utility->comparison.masked.rows);
	double average = classes->classes > 0
						 ? (double) classes->records / classes->classes
						 : NAN;
	int64 k = sdcpg_params_integer(utility->params, "k", classes->smallest, 0,
								   PG_INT32_MAX);
	double cost = (double) sdc_discernibility_cost(
					  &utility->host->kernel, (const int64_t *) classes->size,
					  classes->classes, 0) +
				  n * (double) classes->suppressed;

	if (sdcpg_report_wants(utility->report, "discernibility"))
		sdcpg_utility_lines_add(lines, "discernibility", subject, cost,
								"Sum of the squared sizes of %d classes, and "
								"%.0f for each of " INT64_FORMAT
								" suppressed records.",
								classes->classes, n, classes->suppressed);
	if (sdcpg_report_wants(utility->report, "average_class"))
		sdcpg_utility_lines_add(lines, "average_class", subject, average,
								INT64_FORMAT " records in %d classes.",
								classes->records, classes->classes);
	if (sdcpg_report_wants(utility->report, "c_avg"))
		sdcpg_utility_lines_add(
			lines, "c_avg", subject, k > 0 ? average / k : NAN,
			"The average class over k = " INT64_FORMAT "%s.", k,
			k == classes->smallest ? ", the smallest class there is" : "");
}

void
sdcpg_utility_classes(SdcUtility *utility)
{
	static const char *const measures[] = {"discernibility", "average_class",
										   "c_avg"};
	Classes classes;
	bool wanted = false;
	int i;

	for (i = 0; i < lengthof(measures); i++)
	{
		if (!sdcpg_report_wants(utility->report, measures[i]))
			continue;
		wanted = true;
		if (utility->keys.count == 0 && utility->named)
			sdcpg_utility_lines_add(&utility->lines, measures[i], NULL, NAN,
									"No keys are declared; name them in "
									"params.keys.");
	}
	if (!wanted || utility->keys.count == 0)
		return;
	count_classes(utility, &classes);
	add_classes(utility, &classes);
}

void
sdcpg_utility_propensity(SdcUtility *utility)
{
	SdcPropensity propensity;

	if (!sdcpg_report_wants(utility->report, "pmse"))
		return;
	propensity =
		sdcpg_propensity_measure(&utility->comparison, utility->params);
	sdcpg_propensity_lines(&propensity, &utility->lines);
}
