/*
 * risk.c
 *		sdc.risk_report: the measures of risk of a relation.
 *
 * PostgreSQL counts the classes with the rights of the caller; the kernel
 * turns the class sizes into measures; each is returned with a sentence.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "kernel/risk.h"
#include "pg/args.h"
#include "pg/compat.h"
#include "pg/frame.h"
#include "pg/query.h"
#include "pg/relation.h"
#include "pg/result.h"

PG_FUNCTION_INFO_V1(sdcf_risk_report);

/* The measures in the order of the report. */
typedef enum Measure
{
	RECORDS,
	CLASSES,
	K_ANONYMITY,
	UNIQUE_COUNT,
	UNIQUE_SHARE,
	AVERAGE_CLASS,
	BELOW_3,
	BELOW_5,
	MEASURES
} Measure;

static const char *const measures[] = {
	"records",      "classes",      "k_anonymity",
	"unique_count", "unique_share", "average_class",
	"below_3",      "below_5",      NULL};

/* Marks the measures that the argument methods names; all when NULL. */
static void
choose_measures(ArrayType *methods, bool *chosen)
{
	Datum *element;
	bool *isnull;
	int count;
	int i;

	memset(chosen, methods == NULL, sizeof(bool) * MEASURES);
	if (methods == NULL)
		return;
	deconstruct_array(methods, TEXTOID, -1, false, TYPALIGN_INT, &element,
					  &isnull, &count);
	if (count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"methods\" must name at least one measure"),
				 errhint("Leave it out to get all measures.")));
	for (i = 0; i < count; i++)
	{
		if (isnull[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument \"methods\" must not contain nulls")));
		chosen[sdcpg_args_choice("measure", DatumGetTextPP(element[i]),
								 measures)] = true;
	}
}

/* Stops when an argument is given that no measure uses yet. */
static void
refuse_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (!PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("argument \"%s\" is not supported yet", name),
				 errhint("Leave it out: the measures that need it are not "
						 "built.")));
}

static SdcRisk
measure_risk(SdcPgHost *host, const SdcRelation *relation,
			 const SdcRelationColumns *keys)
{
	const SdcFrameType types[] = {SDC_FRAME_COUNT, SDC_FRAME_COUNT};
	SdcFrame *frame = sdcpg_frame_load(
		host, sdcpg_query_class_sizes(relation, keys), 2, types);
	SdcClassSize *sizes = sdc_new(&host->kernel, SdcClassSize, frame->rows);
	int32 i;

	for (i = 0; i < frame->rows; i++)
	{
		sizes[i].size = frame->column[0].count[i];
		sizes[i].classes = frame->column[1].count[i];
	}
	return sdc_risk_summarize(sizes, frame->rows);
}

static double
measure_value(const SdcRisk *risk, Measure measure)
{
	switch (measure)
	{
		case RECORDS:
			return risk->records;
		case CLASSES:
			return risk->classes;
		case K_ANONYMITY:
			return risk->records > 0 ? risk->smallest : NAN;
		case UNIQUE_COUNT:
			return risk->uniques;
		case UNIQUE_SHARE:
			return (double) risk->uniques / risk->records;
		case AVERAGE_CLASS:
			return (double) risk->records / risk->classes;
		case BELOW_3:
			return risk->below_3;
		default:
			return risk->below_5;
	}
}

/* "3 of 6 records (50.00 %) are ..." */
static char *
share_sentence(const SdcRisk *risk, int64 count, const char *what)
{
	return psprintf(INT64_FORMAT " of " INT64_FORMAT
								 " records (%.2f %%) %s %s.",
					count, risk->records, 100.0 * count / risk->records,
					count == 1 ? "is" : "are", what);
}

static char *
measure_sentence(const SdcRelation *relation, const SdcRisk *risk,
				 Measure measure)
{
	switch (measure)
	{
		case RECORDS:
			return psprintf(
				INT64_FORMAT " %s counted%s.", risk->records,
				risk->records == 1 ? "record was" : "records were",
				relation->row_security
					? "; row-level security may hide others from you"
					: "");
		case CLASSES:
			return psprintf(
				"The records form " INT64_FORMAT " %s of equal keys.",
				risk->classes, risk->classes == 1 ? "class" : "classes");
		case K_ANONYMITY:
			return psprintf(
				"The smallest class has " INT64_FORMAT
				" %s, so the relation is " INT64_FORMAT "-anonymous.",
				risk->smallest, risk->smallest == 1 ? "record" : "records",
				risk->smallest);
		case UNIQUE_COUNT:
		case UNIQUE_SHARE:
			return share_sentence(risk, risk->uniques, "unique in the keys");
		case AVERAGE_CLASS:
			return psprintf("A class has %.2f records on average.",
							(double) risk->records / risk->classes);
		case BELOW_3:
			return share_sentence(risk, risk->below_3,
								  "in classes of fewer than 3");
		default:
			return share_sentence(risk, risk->below_5,
								  "in classes of fewer than 5");
	}
}

/* The names of the columns, as a reader writes them. */
static char *
list_columns(const SdcRelationColumns *columns)
{
	StringInfoData list;
	int i;

	initStringInfo(&list);
	for (i = 0; i < columns->count; i++)
		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "",
						 columns->column[i].sql);
	return list.data;
}

/*
 * risk_report(rel regclass, keys name[], sensitive name[], weight name,
 *             methods text[], params jsonb)
 */
Datum
sdcf_risk_report(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcRelation *relation;
	SdcRelationColumns keys;
	bool chosen[MEASURES];
	char *subject;
	SdcPgHost *host;
	SdcRisk risk;
	int i;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("rel");
	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"keys\" must name the quasi-identifiers"),
				 errhint("Write keys => '{age, sex, zip}', say.")));
	refuse_argument(fcinfo, 2, "sensitive");
	refuse_argument(fcinfo, 3, "weight");
	refuse_argument(fcinfo, 5, "params");
	choose_measures(PG_ARGISNULL(4) ? NULL : PG_GETARG_ARRAYTYPE_P(4), chosen);
	relation = sdcpg_relation_find(PG_GETARG_OID(0));
	keys = sdcpg_relation_columns(relation, "keys", PG_GETARG_ARRAYTYPE_P(1));
	subject = list_columns(&keys);
	host = sdcpg_host_begin("risk_report", CurrentMemoryContext);
	risk = measure_risk(host, relation, &keys);
	for (i = 0; i < MEASURES; i++)
	{
		double value = measure_value(&risk, i);

		if (chosen[i])
			sdcpg_result_measure(result, measures[i], subject, value,
								 isnan(value),
								 risk.records > 0 || i == RECORDS
									 ? measure_sentence(relation, &risk, i)
									 : "There are no records.");
	}
	sdcpg_host_end(host);
	return (Datum) 0;
}
