/*
 * risk_records.c
 *		sdc.risk_records: the risk of each record and of its household.
 *		sdc.risk_records_into: the same of records, written as a table.
 *
 * All records of a class have the same risk, so it is computed once a class;
 * then each row is returned with the figures of its class.  For households the
 * rows are sorted by household and class, so that the product over the members
 * does not depend on the order of the rows.
 *
 * Into a table PostgreSQL does it all, with work_mem and its files, and Citus
 * on its workers: rows are put aside under the text of their keys (sdc.cell),
 * classes are counted there, and joined back.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/frequency.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/risk/class_measures.h"
#include "kernel/risk/risk.h"
#include "kernel/risk/superpopulation.h"
#include "kernel/table/frequency.h"
#include "topic/mask/mask_copy.h"
#include "topic/mask/mask_write.h"
#include "topic/registry/roles.h"
#include "topic/risk/risk.h"

PG_FUNCTION_INFO_V1(sdcf_risk_records);
PG_FUNCTION_INFO_V1(sdcf_risk_records_into);

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

/* Reads the columns; the argument "id" is that of this number. */
static void
read_columns(FunctionCallInfo fcinfo, Records *records, int id)
{
	RiskReport *risk = &records->risk;
	SdcRelation *relation = risk->relation;

	records->id = sdcpg_roles_column(
		relation, "id", PG_ARGISNULL(id) ? NULL : NameStr(*PG_GETARG_NAME(id)),
		SDC_ROLE_ID);
	if (records->id == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"id\" must name the column that tells "
						"records apart"),
				 errhint("Give it, or declare it with sdc.declare.")));
	risk->keys = sdcpg_roles_need_columns(
		relation, "keys",
		PG_ARGISNULL(id + 1) ? NULL : PG_GETARG_ARRAYTYPE_P(id + 1),
		SDC_ROLE_KEY);
	risk->sensitive = sdcpg_roles_columns(
		relation, "sensitive",
		PG_ARGISNULL(id + 2) ? NULL : PG_GETARG_ARRAYTYPE_P(id + 2),
		SDC_ROLE_SENSITIVE);
	sdcpg_attributes_disjoint(&risk->keys, &risk->sensitive);
	risk->weight = sdcpg_roles_column(
		relation, "weight",
		PG_ARGISNULL(5) ? NULL : NameStr(*PG_GETARG_NAME(5)), SDC_ROLE_WEIGHT);
}

/*
 * Reads the arguments that both functions have; id is the number of that one,
 * nulls the meanings of NULL that can be counted.
 */
static Records *
read_arguments(FunctionCallInfo fcinfo, int id, const char *const *variants,
			   const char *const *keys, unsigned nulls)
{
	Records *records = palloc0(sizeof(Records));
	RiskReport *risk = &records->risk;

	sdcpg_args_need(fcinfo, 0);
	sdcpg_args_need(fcinfo, 6);
	records->method =
		sdcpg_args_choice("variant", PG_GETARG_TEXT_PP(6), variants);
	risk->params = PG_ARGISNULL(7) ? NULL : PG_GETARG_JSONB_P(7);
	sdcpg_params_check(risk->params, keys);
	risk->sampling_fraction =
		sdcpg_params_number(risk->params, "sampling_fraction", NAN, 1e-12, 1);
	risk->relation = sdcpg_relation_find(PG_GETARG_OID(0));
	risk->nulls = sdcpg_nulls_read(risk->relation, risk->params, nulls,
								   SDC_NULLS_CATEGORY);
	read_columns(fcinfo, records, id);
	return records;
}

/* Reads the arguments, see sdcf_risk_records. */
static Records *
read_all(FunctionCallInfo fcinfo)
{
	Records *records =
		read_arguments(fcinfo, 1, methods, params_keys, SDC_NULLS_ANY);
	RiskReport *risk = &records->risk;

	records->household = sdcpg_roles_column(
		risk->relation, "household",
		PG_ARGISNULL(4) ? NULL : NameStr(*PG_GETARG_NAME(4)),
		SDC_ROLE_HOUSEHOLD);
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
	Records *records = read_all(fcinfo);
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

/* ----------------------------------------------------------------------
 * The same as a table.
 * ----------------------------------------------------------------------
 */

static const char *const into_methods[] = {"exact", "approx", "prosecutor",
										   NULL};

static const char *const into_keys[] = {"nulls", "sampling_fraction", NULL};

/* A table of risks being written. */
typedef struct Writing
{
	Records *records;
	SdcPgHost *host;
	SdcTarget *target;
	SdcTarget *stage; /* rows under their cells */
	bool spread;      /* in shards, as those of the relation are */
	char *home;       /* the column that says in which, unless it is the id */
	SdcCatalogParameters parameters; /* $1: the sampling fraction */
} Writing;

/* Reads the arguments, see sdcf_risk_records_into. */
static Records *
read_into(FunctionCallInfo fcinfo)
{
	Records *records;

	sdcpg_args_need_first(fcinfo, 2);
	records = read_arguments(fcinfo, 2, into_methods, into_keys,
							 SDC_NULLS_AS(SDC_NULLS_CATEGORY) |
								 SDC_NULLS_AS(SDC_NULLS_IGNORE));
	sdcpg_relation_need_equality(records->risk.relation, &records->risk.keys);
	sdcpg_relation_need_equality(records->risk.relation,
								 &records->risk.sensitive);
	sdcpg_target_need_all_rows(records->risk.relation, false);
	return records;
}

/* Stops unless all weights are numbers of at least 0. */
static void
check_weights(const RiskReport *risk)
{
	SdcRelationColumns weight = {1, risk->weight};
	char *number;

	if (risk->weight == NULL)
		return;
	sdcpg_relation_need_numbers(risk->relation, &weight);
	number = sdcpg_query_cast(risk->weight, "float8");
	if (sdcpg_catalog_read(
			psprintf("SELECT 1 FROM %s AS r WHERE (%s OPERATOR(pg_catalog.>=) "
					 "CAST(0 AS pg_catalog.float8) AND %s "
					 "OPERATOR(pg_catalog.<) CAST('Infinity' AS "
					 "pg_catalog.float8)) IS NOT TRUE LIMIT 1",
					 risk->relation->sql, number, number),
			NULL)
			->count > 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("column \"%s\" holds a weight that is not a number of "
						"at least 0",
						risk->weight->name),
				 errhint("Weights must not be NULL, negative, NaN or "
						 "infinite.")));
}

/* The rows with what classes are counted from. */
static char *
stage_query(const Writing *writing)
{
	const RiskReport *risk = &writing->records->risk;
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT sdc.cell(");
	for (i = 0; i < risk->keys.count; i++)
		appendStringInfo(&sql, "%sr.%s", i > 0 ? ", " : "",
						 risk->keys.column[i].sql);
	appendStringInfo(&sql, ") COLLATE pg_catalog.\"C\" AS cell, r.%s AS id",
					 writing->records->id->sql);
	if (writing->home != NULL)
		appendStringInfo(&sql, ", r.%s AS home",
						 quote_identifier(writing->home));
	if (risk->weight != NULL)
		appendStringInfo(&sql, ", %s AS weight",
						 sdcpg_query_cast(risk->weight, "numeric"));
	for (i = 0; i < risk->sensitive.count; i++)
	{
		const char *column = risk->sensitive.column[i].sql;

		if (risk->nulls == SDC_NULLS_IGNORE)
			appendStringInfo(
				&sql, ", CASE WHEN r.%s IS NOT NULL THEN sdc.cell(r.%s) END",
				column, column);
		else
			appendStringInfo(&sql, ", sdc.cell(r.%s)", column);
		appendStringInfo(&sql, " AS s%d", i);
	}
	appendStringInfo(&sql, " FROM %s AS r", risk->relation->sql);
	return sql.data;
}

/* One row per class: cell, n, population, risk. */
static char *
classes_query(const Writing *writing)
{
	const RiskReport *risk = &writing->records->risk;
	const char *n = "CAST(pg_catalog.count(*) AS pg_catalog.float8)";
	const char *alone =
		psprintf("CAST(1 AS pg_catalog.float8) OPERATOR(pg_catalog./) %s", n);
	const char *population = n;
	const char *probability = alone;

	if (risk->weight != NULL)
		population = "CAST(pg_catalog.sum(q.weight) AS pg_catalog.float8)";
	else if (!isnan(risk->sampling_fraction))
		population = psprintf("%s OPERATOR(pg_catalog./) $1", n);
	if (writing->records->method != PROSECUTOR)
		probability = psprintf(
			"CASE WHEN %s OPERATOR(pg_catalog.>) %s THEN "
			"sdc.individual_risk(pg_catalog.count(*), %s, '%s') ELSE %s END",
			population, n, population, into_methods[writing->records->method],
			alone);
	return psprintf("SELECT q.cell, pg_catalog.count(*) AS n, %s AS "
					"population, %s AS risk FROM %s AS q GROUP BY q.cell",
					population, probability, writing->stage->sql);
}

/* One row per class: cell, how many values, the largest share of one. */
static char *
diversity_query(const Writing *writing, int sensitive)
{
	return psprintf(
		"SELECT d.cell, CAST(pg_catalog.count(*) AS pg_catalog.int4) AS l, "
		"CAST(pg_catalog.max(d.n) AS pg_catalog.float8) "
		"OPERATOR(pg_catalog./) CAST(pg_catalog.sum(d.n) AS "
		"pg_catalog.float8) AS share FROM (SELECT q.cell, q.s%d, "
		"pg_catalog.count(*) AS n FROM %s AS q WHERE q.s%d IS NOT NULL "
		"GROUP BY q.cell, q.s%d) AS d GROUP BY d.cell",
		sensitive, writing->stage->sql, sensitive, sensitive);
}

/* "name(COALESCE(s0.column, 0), ...)", or NULL of the type. */
static char *
over_columns(const Writing *writing, const char *name, const char *column,
			 const char *type)
{
	StringInfoData sql;
	int i;

	if (writing->records->risk.sensitive.count == 0)
		return psprintf("CAST(NULL AS pg_catalog.%s)", type);
	initStringInfo(&sql);
	for (i = 0; i < writing->records->risk.sensitive.count; i++)
		appendStringInfo(&sql, "%sCOALESCE(s%d.%s, 0)", i > 0 ? ", " : "", i,
						 column);
	return psprintf("%s(%s)", name, sql.data);
}

/* The records: what is put aside, joined with its class. */
static char *
records_query(const Writing *writing)
{
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT r.id, ");
	if (writing->home != NULL)
		appendStringInfo(&sql, "r.home AS %s, ",
						 quote_identifier(writing->home));
	appendStringInfo(&sql,
					 "c.n AS class_size, c.population, c.risk, %s AS "
					 "l_distinct, %s AS confidence FROM %s AS r JOIN (%s) AS "
					 "c ON c.cell OPERATOR(pg_catalog.=) r.cell",
					 over_columns(writing, "LEAST", "l", "int4"),
					 over_columns(writing, "GREATEST", "share", "float8"),
					 writing->stage->sql, classes_query(writing));
	for (i = 0; i < writing->records->risk.sensitive.count; i++)
		appendStringInfo(&sql,
						 " LEFT JOIN (%s) AS s%d ON s%d.cell "
						 "OPERATOR(pg_catalog.=) r.cell",
						 diversity_query(writing, i), i, i);
	return sql.data;
}

static void
write_risks(void *arg)
{
	Writing *writing = arg;
	const SdcRelation *relation = writing->records->risk.relation;
	char *column;

	(void) sdcpg_home_of(relation->oid, &column);
	sdcpg_target_fill(writing->host, writing->stage, stage_query(writing),
					  &writing->parameters, writing->spread ? "cell" : NULL,
					  "none", sdcpg_shards_of(relation->oid));
	(void) sdcpg_target_open(writing->stage);
	sdcpg_progress_stage(&writing->host->progress, "writing");
	sdcpg_target_fill(writing->host, writing->target, records_query(writing),
					  &writing->parameters, writing->spread ? column : NULL,
					  relation->sql, 0);
	sdcpg_target_close();
	sdcpg_mask_suppress_drop(writing->stage);
}

/* Where the table will be: in shards beside those of the relation, or here. */
static void
find_home(Writing *writing)
{
	static const char *const taken[] = {"id",   "class_size", "population",
										"risk", "l_distinct", "confidence",
										NULL};
	char *column;
	int i;

	writing->spread = sdcpg_home_of(writing->records->risk.relation->oid,
									&column) == SDC_HOME_SPREAD &&
					  !isAnyTempNamespace(writing->target->schema);
	if (!writing->spread || column == NULL ||
		strcmp(column, writing->records->id->name) == 0)
		return;
	for (i = 0; taken[i] != NULL; i++)
		if (strcmp(column, taken[i]) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("column \"%s\" says in which shard a row of "
							"relation \"%s\" is, and has the name of a column "
							"of the result",
							column, writing->records->risk.relation->name),
					 errhint("Name a temporary table in argument "
							 "\"target\".")));
	writing->home = column;
}

/*
 * risk_records_into(relation regclass, target text, id name, keys columns,
 *                   sensitive columns, weight name, variant text,
 *                   params jsonb)
 */
Datum
sdcf_risk_records_into(PG_FUNCTION_ARGS)
{
	Records *records = read_into(fcinfo);
	Writing writing = {records};
	ReturnSetInfo *result;

	writing.target = sdcpg_target_find(PG_GETARG_TEXT_PP(1));
	writing.stage = sdcpg_mask_suppress_stage(
		writing.target->schema, "sdc_cells", records->risk.relation->name);
	find_home(&writing);
	check_weights(&records->risk);
	if (!isnan(records->risk.sampling_fraction))
		sdcpg_catalog_bind(&writing.parameters, FLOAT8OID,
						   Float8GetDatum(records->risk.sampling_fraction),
						   false);
	result = sdcpg_result_begin(fcinfo);
	writing.host = sdcpg_host_begin("risk_records_into", CurrentMemoryContext);
	sdcpg_mask_guard_own(records->risk.relation->name, write_risks, &writing);
	sdcpg_step_written(result, writing.target);
	sdcpg_host_end(writing.host);
	return (Datum) 0;
}
