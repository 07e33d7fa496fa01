/*
 * adult_risk.c
 *		Files made from the adult data set, against ARX: re-identification,
 *		ordered t-closeness, and what overflows 32 bits there.
 */
#include "unit.h"

#include <math.h>

#include "adult_data.h"
#include "kernel/risk/class_measures.h"
#include "kernel/risk/risk.h"
#include "kernel/table/frequency.h"

/* A set of quasi-identifiers of the reference. */
typedef struct Keys
{
	const char *name;
	int columns;
	int column[ADULT_COLUMNS];
} Keys;

static const Keys key_sets[] = {
	{"q2", 2, {SEX, AGE}},
	{"q4", 4, {SEX, AGE, RACE, MARITAL_STATUS}},
	{"q5", 5, {SEX, AGE, RACE, EDUCATION, NATIVE_COUNTRY}},
	{"q8",
	 8,
	 {SEX, AGE, RACE, MARITAL_STATUS, EDUCATION, NATIVE_COUNTRY, WORKCLASS,
	  SALARY_CLASS}},
	/* ordered t-closeness of age */
	{"qa",
	 9,
	 {SEX, RACE, MARITAL_STATUS, EDUCATION, NATIVE_COUNTRY, WORKCLASS,
	  OCCUPATION, SALARY_CLASS, AGE}}};

static const Keys *
find_keys(const char *name)
{
	const Keys *keys = key_sets;

	while (strcmp(keys->name, name) != 0)
		keys++;
	return keys;
}

static bool
close_to(double a, double b)
{
	return fabs(a - b) <= 1e-14 * fabs(b);
}

/* Raises all columns of a table to the levels of a text like "0 3 0 1". */
static SdcFrequency *
raise_all(const AdultData *data, const Keys *keys, SdcFrequency *table,
		  const char *levels)
{
	int j;

	for (j = 0; *levels != '\0'; j++)
	{
		char *end;
		int level = (int) strtol(levels, &end, 10);

		levels = end;
		table =
			adult_raise(table, j, &data->column[keys->column[j]], 0, level);
	}
	return table;
}

/* Leaves only classes of at least k records. */
static void
suppress_below(SdcClasses *classes, int64_t k)
{
	int32_t kept = 0;
	int32_t c;

	for (c = 0; c < classes->classes; c++)
		if (classes->size[c] >= k)
			classes->size[kept++] = classes->size[c];
	classes->classes = kept;
}

/* The levels that ARX found best for k and a limit of 5 percent. */
static bool
optimum(int k, char *levels)
{
	AdultTable table;
	char id[64];
	bool found = false;

	snprintf(id, sizeof(id), "q8_k%d_s0.05_loss", k);
	adult_table_open(&table, "adult_kanon.csv");
	while (adult_table_next(&table))
		if (strcmp(adult_table_text(&table, "id"), id) == 0)
		{
			snprintf(levels, 32, "%.31s", adult_table_text(&table, "levels"));
			found = true;
		}
	return found;
}

/* The classes of a file of the reference, and their sizes in a population. */
typedef struct Sample
{
	SdcClasses *classes;
	int64_t *population;
} Sample;

static Sample
make_sample(const AdultData *data, const char *name, const Keys *keys)
{
	bool tenth = strncmp(name, "input_every_10th", 16) == 0;
	SdcFrequency *table =
		adult_count(data, keys->column, keys->columns, tenth ? 10 : 1, 1);
	Sample sample = {NULL, NULL};
	char levels[32];
	int k = 0;

	if (sscanf(name, "output_k%d", &k) == 1 && optimum(k, levels))
		table = raise_all(data, keys, table, levels);
	sample.classes = sdc_frequency_classes(unit_host(), table, keys->columns);
	suppress_below(sample.classes, k);
	if (tenth)
	{
		SdcFrequency *all =
			adult_count(data, keys->column, keys->columns, 1, 1);

		sample.population = sdc_presence_match(
			unit_host(), table, sample.classes, all,
			sdc_frequency_classes(unit_host(), all, keys->columns),
			keys->columns);
	}
	return sample;
}

static bool
same_intruder(const AdultTable *table, const char *who,
			  const SdcReidentification *risk)
{
	char name[64];
	bool same;

	snprintf(name, sizeof(name), "%s_records_at_risk_t0.2", who);
	same = close_to((double) risk->at_risk / (double) risk->records,
					adult_table_number(table, name));
	snprintf(name, sizeof(name), "%s_highest", who);
	same = same && close_to(risk->highest, adult_table_number(table, name));
	snprintf(name, sizeof(name), "%s_success", who);
	return same && close_to(risk->average, adult_table_number(table, name));
}

static void
check_risk(const AdultData *data, const AdultTable *table)
{
	const char *name = adult_table_text(table, "data");
	Sample sample =
		make_sample(data, name, find_keys(adult_table_text(table, "qis")));
	const int64_t *size = sample.classes->size;
	int32_t classes = sample.classes->classes;
	SdcReidentification prosecutor =
		sdc_reidentification_journalist(unit_host(), size, NULL, classes, 0.2);
	SdcReidentification journalist = sdc_reidentification_journalist(
		unit_host(), size, sample.population, classes, 0.2);

	unit_check(classes == adult_table_number(table, "classes") &&
				   (double) prosecutor.records ==
					   adult_table_number(table, "records") &&
				   same_intruder(table, "prosecutor", &prosecutor) &&
				   close_to(prosecutor.lowest,
							adult_table_number(table, "lowest_risk")) &&
				   same_intruder(table, "journalist", &journalist) &&
				   close_to(sdc_reidentification_marketer(
								unit_host(), size, sample.population, classes),
							adult_table_number(table, "marketer_success")),
			   "%s, %s, %s", name, adult_table_text(table, "qis"),
			   adult_table_text(table, "population"));
}

/*
 * A run of ARX whose sensitive column is age: at the levels it chose, as many
 * records fail as it suppressed, and as many classes are kept.
 */
static void
check_age(const AdultData *data, const AdultTable *table)
{
	const Keys *keys = find_keys("qa");
	const char *model = strchr(adult_table_text(table, "model"), '+');
	bool ordered = strncmp(model, "+tord=", 6) == 0;
	SdcClassMeasure measure =
		ordered ? SDC_CLASS_T_ORDERED : SDC_CLASS_T_EQUAL;
	SdcFrequency *base = adult_count(data, keys->column, keys->columns, 1, 1);
	SdcFrequency *raised =
		raise_all(data, keys, base, adult_table_text(table, "levels"));
	SdcClasses *classes =
		sdc_frequency_classes(unit_host(), raised, keys->columns - 1);
	SdcClassRequest request = sdc_class_measures_request();
	SdcClassReport report;

	request.wanted = SDC_CLASS_WANT(measure);
	request.bound[measure] = strtod(strchr(model, '=') + 1, NULL);
	request.k = 5;
	sdc_class_measures_walk(
		unit_host(), sdc_class_measures_start(unit_host(), base, &request),
		raised, classes, &report);
	unit_check((double) report.failing_records ==
					   adult_table_number(table, "suppressed") &&
				   classes->classes - report.failing_classes ==
					   adult_table_number(table, "classes"),
			   "%s: %lld records fail", adult_table_text(table, "id"),
			   (long long) report.failing_records);
}

/*
 * ARX calls adult x 8 hierarchically 0.1-close at a node where it is 0.214:
 * counts times class sizes pass 2^31.  Copies change no distance.
 */
static void
check_copies(const AdultData *data)
{
	static const Keys keys = {
		"",
		6,
		{SEX, RACE, MARITAL_STATUS, WORKCLASS, SALARY_CLASS, OCCUPATION}};
	const int64_t copies[] = {1, 8, 1000000};
	double found[3];
	double share[3];
	int i;

	for (i = 0; i < 3; i++)
	{
		SdcFrequency *table =
			adult_count(data, keys.column, keys.columns, 1, copies[i]);
		SdcClassRequest request = sdc_class_measures_request();
		SdcClassReport report;

		table = raise_all(data, &keys, table, "1 1 2 2 0");
		request.wanted = SDC_CLASS_WANT(SDC_CLASS_T_HIERARCHICAL);
		request.bound[SDC_CLASS_T_HIERARCHICAL] = 0.1;
		request.hierarchy = &data->column[OCCUPATION].hierarchy;
		sdc_class_measures_walk(
			unit_host(),
			sdc_class_measures_start(unit_host(), table, &request), table,
			sdc_frequency_classes(unit_host(), table, 5), &report);
		found[i] = report.worst[SDC_CLASS_T_HIERARCHICAL].value;
		share[i] = (double) report.failing_records / (double) table->records;
	}
	unit_check(fabs(found[0] - 0.214) < 5e-4 && fabs(share[0] - 0.25) < 5e-3,
			   "adult: %.4f, %.4f of the records fail 0.1", found[0],
			   share[0]);
	unit_check(found[1] == found[0] && share[1] == share[0], "adult x 8");
	unit_check(close_to(found[2], found[0]) && share[2] == share[0],
			   "adult x 1,000,000");
}

int
main(void)
{
	AdultData *data = adult_read();
	AdultTable table;

	unit_start("adult_risk");
	adult_table_open(&table, "adult_risk.csv");
	while (adult_table_next(&table))
	{
		check_risk(data, &table);
		unit_release_all();
	}
	adult_table_open(&table, "adult_sensitive.csv");
	while (adult_table_next(&table))
		if (strncmp(adult_table_text(&table, "id"), "qa_", 3) == 0)
			check_age(data, &table);
	check_copies(data);
	free(data);
	return unit_finish();
}
