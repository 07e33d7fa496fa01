/*
 * suda2.c
 *		sdc.suda2 and lines of sdc.risk_report: special uniques.
 *
 * The relation is counted by its keys; the kernel finds the minimal sample
 * uniques; suda2 gives each record what its cell has, the report what they
 * sum up to.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/call/report.h"
#include "host/data/dictionary.h"
#include "host/data/frequency.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/risk/suda2.h"
#include "kernel/table/frequency.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"
#include "topic/risk/risk.h"

PG_FUNCTION_INFO_V1(sdcf_suda2);

static const char *const params_keys[] = {"max_size", "score", "dis_fraction",
										  "nulls", NULL};

/* The sampling fraction when none is given, and the least that is allowed. */
#define DIS_FRACTION       0.01
#define LEAST_DIS_FRACTION 1e-9

/* Keys of an MSU where there are too many to try all sets of them. */
#define SIZE_OF_MANY_KEYS 3

/* The part of sdc.memory_limit that the sets of unique records may take. */
#define MEMORY_PART 16

/* Records between two polls while rows are returned. */
#define POLL_RECORDS 1024

/* What is asked of both functions, and what the kernel found. */
typedef struct Job
{
	SdcRelation *relation;
	SdcRelationColumns keys;
	SdcSuda2Options options;
	double fraction;
	SdcPgHost *host;
	SdcFrequencyTable table;
	SdcSuda2 *suda;
} Job;

/* Reads the keys of params that the search has. */
static void
read_params(Job *job, Jsonb *params)
{
	job->options.max_size = (int) sdcpg_params_integer(params, "max_size", 0,
													   1, SDC_SUDA2_MAX_SIZE);
	job->options.score =
		sdcpg_params_choice(params, "score", sdc_suda2_score_words);
	job->options.budget = (Size) sdcpg_memory_limit * 1024 / MEMORY_PART;
}

/* Takes the keys; how large sets are that nobody gave a size. */
static void
take_keys(Job *job, SdcRelationColumns keys)
{
	job->keys = keys;
	if (job->options.max_size == 0)
		job->options.max_size =
			keys.count <= SDC_SUDA2_MAX_SIZE ? keys.count : SIZE_OF_MANY_KEYS;
	job->options.max_size = Min(job->options.max_size, keys.count);
}

/* Reads the arguments, see sdcf_suda2. */
static void
read_arguments(Job *job, FunctionCallInfo fcinfo)
{
	Jsonb *params = PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3);

	memset(job, 0, sizeof(*job));
	sdcpg_args_need(fcinfo, 0);
	sdcpg_params_check(params, params_keys);
	read_params(job, params);
	job->fraction = sdcpg_params_number(params, "dis_fraction", DIS_FRACTION,
										LEAST_DIS_FRACTION, 1);
	job->relation = sdcpg_relation_find(PG_GETARG_OID(0));
	job->options.nulls = sdcpg_nulls_read(job->relation, params, SDC_NULLS_ANY,
										  SDC_NULLS_CATEGORY);
	take_keys(job, sdcpg_roles_need_columns(
					   job->relation, "keys",
					   PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2),
					   SDC_ROLE_KEY));
}

/* Counts the relation and looks for its special uniques. */
static void
find_uniques(Job *job, const SdcRelationColumn *id)
{
	SdcFrequencyRequest request = {0};

	request.relation = job->relation;
	request.id = id;
	sdcpg_frequency_want(&request, &job->keys);
	sdcpg_frequency_load(job->host, &request, 1, &job->table);
	job->suda = sdc_suda2_find(&job->host->kernel, job->table.frequency,
							   &job->options);
}

/* The share of a record's score that each key is part of. */
static Datum
contribution(const SdcSuda2 *suda, int32 u)
{
	Datum *share = palloc(sizeof(Datum) * suda->keys);
	int j;

	for (j = 0; j < suda->keys; j++)
		share[j] = Float8GetDatum(suda->part[(Size) u * suda->keys + j] /
								  suda->score[u]);
	return PointerGetDatum(construct_array(share, suda->keys, FLOAT8OID,
										   sizeof(float8), FLOAT8PASSBYVAL,
										   TYPALIGN_DOUBLE));
}

static void
put_record(ReturnSetInfo *result, const Job *job, const double *dis, int32 row)
{
	const SdcSuda2 *suda = job->suda;
	const char *id = job->table.id[row];
	int32 u = suda->unique[job->table.cell[row]];
	bool found = u >= 0 && suda->msus[u] > 0;
	bool scored = found && suda->score[u] > 0;
	Datum values[6] = {0};
	bool isnull[6] = {id == NULL, false, false, false, !found, !scored};

	if (id != NULL)
		values[0] = CStringGetTextDatum(id);
	values[1] = Float8GetDatum(scored ? suda->score[u] : 0);
	values[2] = Float8GetDatum(scored ? dis[u] : 0);
	values[3] = Int64GetDatum(found ? suda->msus[u] : 0);
	if (found)
		values[4] = Int32GetDatum(suda->size[u]);
	if (scored)
		values[5] = contribution(suda, u);
	sdcpg_result_put(result, values, isnull);
}

/*
 * suda2(relation regclass, id name, keys columns, params jsonb)
 */
Datum
sdcf_suda2(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcRelationColumn *id;
	MemoryContext scratch;
	MemoryContext caller;
	double *dis;
	int32 row;
	Job job;

	read_arguments(&job, fcinfo);
	id = sdcpg_roles_column(
		job.relation, "id",
		PG_ARGISNULL(1) ? NULL : NameStr(*PG_GETARG_NAME(1)), SDC_ROLE_ID);
	if (id == NULL)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("argument \"id\" must name a column"),
						errhint("Name the column that tells records apart, or "
								"declare it with sdc.declare.")));
	job.host = sdcpg_host_begin("suda2", CurrentMemoryContext);
	find_uniques(&job, id);
	dis = sdc_new(&job.host->kernel, double, job.suda->uniques);
	sdc_suda2_dis(&job.host->kernel, job.suda, job.fraction, dis);
	scratch = AllocSetContextCreate(job.host->work, "sdc suda2 row",
									ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(scratch);
	job.host->kernel.stage(&job.host->kernel, "returning records");
	for (row = 0; row < job.table.rows; row++)
	{
		if (row % POLL_RECORDS == 0)
		{
			job.host->kernel.poll(&job.host->kernel, row, job.table.rows);
			MemoryContextReset(scratch);
		}
		put_record(result, &job, dis, row);
	}
	MemoryContextSwitchTo(caller);
	sdcpg_host_end(job.host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * Lines of sdc.risk_report.
 * ----------------------------------------------------------------------
 */

#define UNIQUES "special_uniques"
#define MATCH   "match_probability"
#define SIZES   "minimal_uniques"
#define KEYS    "key_contribution"
#define VALUES  "value_contribution"

static void
report_records(SdcReport *report, const Job *job, const char *subject)
{
	const SdcSuda2 *suda = job->suda;
	int64 records = job->table.frequency->records;
	int64 special = 0;
	int32 u;

	for (u = 0; u < suda->uniques; u++)
		special += suda->msus[u] > 0;
	sdcpg_report_put(report, UNIQUES, subject, special,
					 INT64_FORMAT
					 " of " INT64_FORMAT
					 " records are unique on a set of up to %d keys.",
					 special, records, job->options.max_size);
	sdcpg_report_put(report, MATCH, subject,
					 sdc_suda2_match(suda, job->fraction),
					 "Estimated chance that a match with a unique record is "
					 "right, in a sample of %g %% of the population.",
					 100 * job->fraction);
}

static void
report_sizes(SdcReport *report, const Job *job)
{
	const SdcSuda2 *suda = job->suda;
	int s;

	for (s = 1; s <= job->options.max_size; s++)
		if (suda->of_size[s] > 0)
			sdcpg_report_put(
				report, SIZES, psprintf(s == 1 ? "%d key" : "%d keys", s),
				suda->of_size[s], INT64_FORMAT " minimal sample %s of %d %s.",
				suda->of_size[s], suda->of_size[s] == 1 ? "unique" : "uniques",
				s, s == 1 ? "key" : "keys");
}

static void
report_values(SdcReport *report, const Job *job, int j)
{
	SdcDictionary *dictionary = job->table.dictionary[j];
	int32 values = job->table.frequency->values[j];
	double *share = sdc_new(&job->host->kernel, double, (Size) values + 1);
	int32 i;

	sdc_suda2_value_contributions(&job->host->kernel, job->suda,
								  job->table.frequency, j, share);
	for (i = 0; i <= values; i++)
	{
		/* NULL last, as it sorts */
		int32 code = i < values ? i : SDC_CODE_NULL;
		char *text = sdcpg_dictionary_text(dictionary, code);

		if (share[1 + code] > 0)
			sdcpg_report_example(
				report, VALUES, job->keys.column[j].sql, share[1 + code],
				text == NULL ? "NULL" : text,
				"%.2f %% of the score is in minimal sample uniques with "
				"this value.",
				100 * share[1 + code]);
	}
}

static void
report_contributions(SdcReport *report, const Job *job)
{
	double *share = sdc_new(&job->host->kernel, double, job->keys.count);
	int j;

	sdc_suda2_contributions(&job->host->kernel, job->suda, share);
	for (j = 0; j < job->keys.count; j++)
		sdcpg_report_put(
			report, KEYS, job->keys.column[j].sql,
			job->suda->total > 0 ? share[j] : NAN,
			job->suda->total > 0
				? "%.2f %% of the score is in minimal sample uniques with "
				  "this key."
				: "Nobody has a score.",
			100 * share[j]);
	for (j = 0; j < job->keys.count; j++)
		if (sdcpg_report_wants(report, VALUES))
			report_values(report, job, j);
}

void
sdcpg_risk_special(RiskReport *risk)
{
	static const char *const lines[] = {UNIQUES, MATCH, SIZES, KEYS, VALUES};
	bool wanted = false;
	Job job = {0};
	int i;

	for (i = 0; i < (int) lengthof(lines); i++)
		wanted = wanted || sdcpg_report_wants(risk->report, lines[i]);
	if (!wanted)
		return;
	read_params(&job, risk->params);
	job.relation = risk->relation;
	job.options.nulls = risk->nulls;
	job.fraction = isnan(risk->sampling_fraction)
					   ? DIS_FRACTION
					   : Max(risk->sampling_fraction, LEAST_DIS_FRACTION);
	job.host = risk->host;
	take_keys(&job, risk->keys);
	find_uniques(&job, NULL);
	report_records(risk->report, &job, risk->subject);
	report_sizes(risk->report, &job);
	report_contributions(risk->report, &job);
}
