/*
 * risk_records.c
 *		sdc.risk_records: the risk of each record and of its household.
 *
 * All records of a class have the same risk, so it is computed once a class;
 * then each row is returned with the figures of its class.  For households the
 * rows are sorted by household and class, so that the product over the members
 * does not depend on the order of the rows.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/frequency.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/risk/class_measures.h"
#include "kernel/risk/risk.h"
#include "kernel/risk/superpopulation.h"
#include "kernel/table/frequency.h"
#include "topic/registry/roles.h"
#include "topic/risk/risk.h"

PG_FUNCTION_INFO_V1(sdcf_risk_records);

typedef enum Method
{
	EXACT,
	APPROX,
	PROSECUTOR,
	JOURNALIST
} Method;

static const char *const methods[] = {"exact", "approx", "prosecutor",
									  "journalist", NULL};

static const char *const params_keys[] = {"nulls", "sampling_fraction",
										  "population", NULL};

/* Columns of sdc.record_risk. */
typedef enum Column
{
	ID,
	CLASS_SIZE,
	POPULATION,
	RISK,
	HOUSEHOLD_RISK,
	DISTINCT,
	CONFIDENCE,
	COLUMNS
} Column;

typedef struct Records
{
	RiskReport risk;
	Method method;
	SdcRelationColumn *id;
	SdcRelationColumn *household;
	int32 *class_of_cell;
	/* by class; NULL where not known */
	double *population;
	double *probability;
	int32 *distinct;        /* fewest values of a sensitive column */
	double *confidence;     /* largest share of a value */
	double *household_risk; /* by row */
} Records;

static void
read_columns(FunctionCallInfo fcinfo, Records *records)
{
	RiskReport *risk = &records->risk;
	SdcRelation *relation = risk->relation;

	records->id = sdcpg_roles_column(
		relation, "id", PG_ARGISNULL(1) ? NULL : NameStr(*PG_GETARG_NAME(1)),
		SDC_ROLE_ID);
	if (records->id == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"id\" must name the column that tells "
						"records apart"),
				 errhint("Give it, or declare it with sdc.declare.")));
	records->household = sdcpg_roles_column(
		relation, "household",
		PG_ARGISNULL(4) ? NULL : NameStr(*PG_GETARG_NAME(4)),
		SDC_ROLE_HOUSEHOLD);
	risk->keys = sdcpg_roles_need_columns(
		relation, "keys", PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2),
		SDC_ROLE_KEY);
	risk->sensitive = sdcpg_roles_columns(
		relation, "sensitive",
		PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3), SDC_ROLE_SENSITIVE);
	sdcpg_attributes_disjoint(&risk->keys, &risk->sensitive);
	risk->weight = sdcpg_roles_column(
		relation, "weight",
		PG_ARGISNULL(5) ? NULL : NameStr(*PG_GETARG_NAME(5)), SDC_ROLE_WEIGHT);
}

/* Reads the arguments, see sdcf_risk_records. */
static Records *
read_arguments(FunctionCallInfo fcinfo)
{
	Records *records = palloc0(sizeof(Records));
	RiskReport *risk = &records->risk;

	sdcpg_args_need(fcinfo, 0);
	sdcpg_args_need(fcinfo, 6);
	records->method =
		sdcpg_args_choice("variant", PG_GETARG_TEXT_PP(6), methods);
	risk->params = PG_ARGISNULL(7) ? NULL : PG_GETARG_JSONB_P(7);
	sdcpg_params_check(risk->params, params_keys);
	risk->sampling_fraction =
		sdcpg_params_number(risk->params, "sampling_fraction", NAN, 1e-12, 1);
	risk->relation = sdcpg_relation_find(PG_GETARG_OID(0));
	risk->nulls = sdcpg_nulls_read(risk->relation, risk->params, SDC_NULLS_ANY,
								   SDC_NULLS_CATEGORY);
	read_columns(fcinfo, records);
	risk->population = sdcpg_params_relation(risk->params, "population");
	if (records->method == JOURNALIST && risk->population == NULL)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg(
				 "variant \"journalist\" needs a register of the population"),
			 errhint("Name it in params => '{\"population\": \"table\"}'.")));
	return records;
}

/* Estimated records of the population that look like those of each class. */
static void
estimate_population(Records *records)
{
	RiskReport *risk = &records->risk;
	SdcHost *host = &risk->host->kernel;
	const SdcClasses *classes = risk->classes;
	SdcClasses *people;
	int64_t *match;
	int32 c;

	if (records->method == JOURNALIST)
	{
		people = sdc_frequency_classes(host, risk->table[1].frequency,
									   risk->keys.count);
		match = sdc_presence_match(host, risk->table[0].frequency, classes,
								   risk->table[1].frequency, people,
								   risk->keys.count);
		for (c = 0; c < classes->classes; c++)
			records->population[c] = match[c];
		return;
	}
	for (c = 0; c < classes->classes; c++)
		if (risk->weight != NULL)
			records->population[c] = risk->alike.weight[c];
		else if (!isnan(risk->sampling_fraction))
			records->population[c] =
				risk->alike.records[c] / risk->sampling_fraction;
		else
			records->population[c] = risk->alike.records[c];
}

static double
class_probability(const Records *records, int32 c)
{
	int64 alike = records->risk.alike.records[c];
	double population = records->population[c];

	switch (records->method)
	{
		case PROSECUTOR:
			return 1.0 / alike;
		case JOURNALIST:
			/* who is not in the register is as safe as in the file alone */
			return 1.0 / (population > 0 ? population : alike);
		default:
			return sdc_individual_risk_expect(alike, population,
											  records->method == APPROX
												  ? SDC_INDIVIDUAL_RISK_APPROX
												  : SDC_INDIVIDUAL_RISK_EXACT);
	}
}

static void
measure_classes(Records *records)
{
	SdcHost *host = &records->risk.host->kernel;
	int32 classes = records->risk.classes->classes;
	int32 c;

	records->population = sdc_new(host, double, classes);
	records->probability = sdc_new(host, double, classes);
	estimate_population(records);
	for (c = 0; c < classes; c++)
	{
		if (c % (SDC_POLL_STEPS / 16) == 0)
			host->poll(host, c, classes);
		records->probability[c] = class_probability(records, c);
	}
}

/* Takes in the diversity of one sensitive column, if it is the worst. */
static void
measure_sensitive(Records *records, int sensitive)
{
	RiskReport *risk = &records->risk;
	SdcHost *host = &risk->host->kernel;
	bool nulls = risk->nulls != SDC_NULLS_IGNORE;
	SdcFrequency *frequency = sdcpg_risk_reduce(risk, sensitive);
	SdcClasses *classes = sdcpg_risk_look_alike(risk, &frequency);
	int32 c;

	for (c = 0; c < classes->classes; c++)
	{
		SdcHistogram histogram = sdc_histogram_class(
			frequency, classes->first[c], classes->first[c + 1], nulls);
		int64 most = 0;
		int32 i;

		if (c % SDC_POLL_STEPS == 0)
			host->poll(host, c, classes->classes);
		for (i = 0; i < histogram.cells; i++)
			most = Max(most, histogram.count[i]);
		records->distinct[c] = Min(records->distinct[c], histogram.cells);
		if (histogram.records > 0)
			records->confidence[c] =
				Max(records->confidence[c], (double) most / histogram.records);
	}
	sdc_classes_release(host, classes);
	if (frequency != risk->table[0].frequency)
		sdc_frequency_release(host, frequency);
}

static void
measure_diversity(Records *records)
{
	SdcHost *host = &records->risk.host->kernel;
	int32 classes = records->risk.classes->classes;
	int32 c;
	int s;

	if (records->risk.sensitive.count == 0)
		return;
	records->distinct = sdc_new(host, int32, classes);
	records->confidence = sdc_new(host, double, classes);
	for (c = 0; c < classes; c++)
	{
		records->distinct[c] = PG_INT32_MAX;
		records->confidence[c] = 0;
	}
	for (s = 0; s < records->risk.sensitive.count; s++)
		measure_sensitive(records, s);
}

/* The class of each cell of the frequency table. */
static void
number_cells(Records *records)
{
	const SdcClasses *classes = records->risk.classes;
	SdcHost *host = &records->risk.host->kernel;
	int32 c;
	int32 cell;

	records->class_of_cell =
		sdc_new(host, int32, records->risk.table[0].frequency->cells);
	for (c = 0; c < classes->classes; c++)
		for (cell = classes->first[c]; cell < classes->first[c + 1]; cell++)
			records->class_of_cell[cell] = c;
}

static int32
class_of_row(const Records *records, int32 row)
{
	return records->class_of_cell[records->risk.table[0].cell[row]];
}

/* The risk of the household that rows[0 .. n - 1] are. */
static void
measure_household(Records *records, const int32 *rows, int32 n,
				  double *scratch)
{
	double risk;
	int32 i;

	for (i = 0; i < n; i++)
		scratch[i] = records->probability[class_of_row(records, rows[i])];
	risk = sdc_individual_risk_household(scratch, n);
	for (i = 0; i < n; i++)
		records->household_risk[rows[i]] = risk;
}

/* Risk of the households; who has none is one alone. */
static void
measure_households(Records *records)
{
	const SdcFrequencyTable *table = &records->risk.table[0];
	SdcHost *host = &records->risk.host->kernel;
	uint64 *keys = sdc_new(host, uint64, table->rows);
	int32 *rows = sdc_new(host, int32, table->rows);
	double *scratch = sdc_new(host, double, table->rows);
	int32 start = 0;
	int32 i;

	records->household_risk = sdc_new(host, double, table->rows);
	for (i = 0; i < table->rows; i++)
	{
		rows[i] = i;
		keys[i] = (uint64) (uint32) table->household[i] << 32 |
				  (uint32) class_of_row(records, i);
	}
	sdc_sort_keys_staged(host, (uint64_t *) keys, rows, table->rows);
	for (i = 1; i <= table->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, table->rows);
		if (i < table->rows && keys[i] >> 32 == keys[i - 1] >> 32 &&
			keys[i] >> 32 != (uint32) SDC_CODE_NULL)
			continue;
		measure_household(records, rows + start, i - start, scratch);
		start = i;
	}
	host->release(host, keys);
	host->release(host, rows);
	host->release(host, scratch);
}

static void
put_row(ReturnSetInfo *result, const Records *records, int32 row)
{
	int32 c = class_of_row(records, row);
	const char *id = records->risk.table[0].id[row];
	Datum values[COLUMNS];
	bool nulls[COLUMNS];

	memset(values, 0, sizeof(values));
	memset(nulls, false, sizeof(nulls));
	nulls[ID] = id == NULL;
	if (id != NULL)
		values[ID] = CStringGetTextDatum(id);
	values[CLASS_SIZE] = Int64GetDatum(records->risk.alike.records[c]);
	values[POPULATION] = Float8GetDatum(records->population[c]);
	values[RISK] = Float8GetDatum(records->probability[c]);
	nulls[HOUSEHOLD_RISK] = records->household_risk == NULL;
	if (records->household_risk != NULL)
		values[HOUSEHOLD_RISK] = Float8GetDatum(records->household_risk[row]);
	nulls[DISTINCT] = records->distinct == NULL;
	nulls[CONFIDENCE] = records->distinct == NULL;
	if (records->distinct != NULL)
	{
		values[DISTINCT] = Int32GetDatum(records->distinct[c]);
		values[CONFIDENCE] = Float8GetDatum(records->confidence[c]);
	}
	sdcpg_result_put(result, values, nulls);
}

/* Returns the records in the order in which they came. */
static void
put_records(FunctionCallInfo fcinfo, const Records *records)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcHost *host = &records->risk.host->kernel;
	int32 rows = records->risk.table[0].rows;
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "sdc result", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	int32 row;

	host->stage(host, "writing");
	for (row = 0; row < rows; row++)
	{
		if (row % 1024 == 0)
		{
			MemoryContextReset(scratch);
			host->poll(host, row, rows);
		}
		put_row(result, records, row);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
}

/*
 * risk_records(relation regclass, id name, keys columns, sensitive columns,
 *              household name, weight name, variant text, params jsonb)
 */
Datum
sdcf_risk_records(PG_FUNCTION_ARGS)
{
	Records *records = read_arguments(fcinfo);
	RiskReport *risk = &records->risk;

	risk->host = sdcpg_host_begin("risk_records", CurrentMemoryContext);
	sdcpg_risk_count(risk, records->id, records->household);
	number_cells(records);
	measure_classes(records);
	measure_diversity(records);
	if (records->household != NULL)
		measure_households(records);
	put_records(fcinfo, records);
	sdcpg_host_end(risk->host);
	return (Datum) 0;
}
