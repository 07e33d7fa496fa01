/*
 * separation.c
 *		sdc.separation, and a line of sdc.risk_report: how well sets of keys
 *		tell records apart.
 *
 * The relation is counted once by all keys; the kernel measures the subsets.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "host/call/args.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/frequency.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/risk/separation.h"
#include "topic/registry/roles.h"
#include "topic/risk/risk.h"

PG_FUNCTION_INFO_V1(sdcf_separation);

/* Columns of a subset unless params.max_size says otherwise. */
#define DEFAULT_SIZE 3

/* Subsets at the most: each costs a pass over the cells of the table. */
#define MAX_SUBSETS 10000

static const char *const params_keys[] = {"max_size", NULL};

static void
check_subsets(int columns, int largest)
{
	if (sdc_separation_subsets(columns, largest, MAX_SUBSETS) > MAX_SUBSETS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than %d subsets of the keys to measure",
						MAX_SUBSETS),
				 errdetail("There are %d keys, and subsets of up to %d of "
						   "them were asked for.",
						   columns, largest),
				 errhint("Name fewer keys, or set a smaller max_size in "
						 "argument \"params\".")));
}

/* The names of the columns of a subset, as a reader writes them. */
static char *
list_subset(const SdcRelationColumns *keys, uint64 subset)
{
	StringInfoData list;
	int j;

	initStringInfo(&list);
	for (j = 0; j < keys->count; j++)
		if (subset >> j & 1)
			appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "",
							 keys->column[j].sql);
	return list.data;
}

static char *
distinction_sentence(const SdcRelation *relation, const SdcSeparation *counts)
{
	if (counts->records == 0)
		return "There are no records.";
	return psprintf(
		INT64_FORMAT " %s in " INT64_FORMAT " %s%s.", counts->classes,
		counts->classes == 1 ? "combination of values"
							 : "different combinations of values",
		counts->records, counts->records == 1 ? "record" : "records",
		relation->row_security
			? "; row-level security may hide others from you"
			: "");
}

static char *
separation_sentence(const SdcSeparation *counts)
{
	double pairs = sdc_separation_pairs(counts);

	if (counts->records < 2)
		return "There are no pairs of records.";
	return psprintf("%.0f of %.0f %s of records %s.", pairs - counts->equal,
					pairs, pairs == 1 ? "pair" : "pairs",
					pairs - counts->equal == 1 ? "differs" : "differ");
}

static void
put_subset(ReturnSetInfo *result, const SdcRelation *relation,
		   const SdcRelationColumns *keys, const SdcSeparationSubset *subset)
{
	const SdcSeparation *counts = &subset->counts;
	double distinction = sdc_separation_distinction(counts);
	double share = sdc_separation_share(counts);
	char *subject = list_subset(keys, subset->columns);

	sdcpg_result_measure(result, "separation", subject, share, isnan(share),
						 separation_sentence(counts));
	sdcpg_result_measure(result, "distinction", subject, distinction,
						 isnan(distinction),
						 distinction_sentence(relation, counts));
}

/*
 * separation(relation regclass, keys columns, params jsonb)
 */
Datum
sdcf_separation(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(2) ? NULL : PG_GETARG_JSONB_P(2);
	SdcFrequencyRequest request = {0};
	SdcFrequencyTable table;
	SdcRelation *relation;
	SdcRelationColumns keys;
	SdcSeparationSubset *subsets;
	SdcPgHost *host;
	int32 count;
	int32 i;
	int largest;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("relation");
	sdcpg_params_check(params, params_keys);
	largest = sdcpg_params_integer(params, "max_size", DEFAULT_SIZE, 1,
								   SDC_SEPARATION_MAX_KEYS);
	relation = sdcpg_relation_find(PG_GETARG_OID(0));
	keys = sdcpg_roles_need_columns(
		relation, "keys", PG_ARGISNULL(1) ? NULL : PG_GETARG_ARRAYTYPE_P(1),
		SDC_ROLE_KEY);
	if (keys.count > SDC_SEPARATION_MAX_KEYS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("more than %d keys", SDC_SEPARATION_MAX_KEYS)));
	check_subsets(keys.count, Min(largest, keys.count));
	request.relation = relation;
	sdcpg_frequency_want(&request, &keys);
	host = sdcpg_host_begin("separation", CurrentMemoryContext);
	sdcpg_frequency_load(host, &request, 1, &table);
	subsets = sdc_separation_measure(&host->kernel, table.frequency, largest,
									 &count);
	for (i = 0; i < count; i++)
		put_subset(result, relation, &keys, &subsets[i]);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * A line of sdc.risk_report: the smallest class of any m keys.
 *
 * Who knows m things about a person knows any m.  A table of many keys in
 * which all are alone may still hide everybody from him.
 * ----------------------------------------------------------------------
 */

#define SUBSET_K "subset_k_anonymity"

/* Subsets that may be measured. */
#define MAX_MEASURED 1000000

static void
put_worst(const RiskReport *risk, const SdcSubsetClass *worst, int size,
		  int64 subsets)
{
	StringInfoData names;
	int i;

	initStringInfo(&names);
	for (i = 0; i < size; i++)
		appendStringInfo(&names, "%s%s", i > 0 ? ", " : "",
						 risk->keys.column[worst->column[i]].sql);
	sdcpg_report_put(
		risk->report, SUBSET_K, names.data, worst->smallest,
		"The smallest class has " INT64_FORMAT
		" %s, and classes as small hold " INT64_FORMAT
		" %s; among the worst of " INT64_FORMAT " %s of %d %s.",
		worst->smallest, worst->smallest == 1 ? "record" : "records",
		worst->records, worst->records == 1 ? "record" : "records", subsets,
		subsets == 1 ? "set" : "sets", size, size == 1 ? "key" : "keys");
}

void
sdcpg_risk_subsets(RiskReport *risk)
{
	int keys = risk->keys.count;
	int size =
		sdcpg_params_integer(risk->params, "m", 2, 1, SDC_SUBSET_MAX_SIZE);
	int32 room = sdcpg_params_integer(risk->params, "worst", 5, 1, 1000);
	int64 subsets;
	SdcSubsetClass *worst;
	int32 count;
	int32 i;

	if (!sdcpg_report_wants(risk->report, SUBSET_K) || keys == 0)
		return;
	size = Min(size, keys);
	subsets =
		sdc_separation_subsets(keys, size, PG_INT64_MAX - 1) -
		(size > 1 ? sdc_separation_subsets(keys, size - 1, PG_INT64_MAX - 1)
				  : 0);
	if (subsets > MAX_MEASURED)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than %d subsets of the keys to measure",
						MAX_MEASURED),
				 errhint("Name fewer keys, or set a smaller m in argument "
						 "\"params\".")));
	worst = sdc_new(&risk->host->kernel, SdcSubsetClass, room);
	count = sdc_subsets_worst(&risk->host->kernel, risk->table[0].frequency,
							  keys, size, risk->nulls == SDC_NULLS_WILDCARD,
							  room, worst);
	for (i = 0; i < count; i++)
		put_worst(risk, &worst[i], size, subsets);
}
