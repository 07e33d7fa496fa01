/*
 * anatomize.c
 *		sdc.anatomize: keys as they are, sensitive values hidden in groups.
 *
 * Several sensitive columns are treated as one, whose values are their
 * combinations.  The id only puts the records in order, so that a seed gives
 * the same release for any order of the rows; it is not released.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/generalization/anatomize.h"
#include "kernel/generalization/diverse_group.h"
#include "pg/generalization/anatomy.h"
#include "pg/call/args.h"
#include "pg/server/compat.h"
#include "pg/call/roles.h"
#include "pg/data/sequence.h"

PG_FUNCTION_INFO_V1(sdcf_anatomize);

typedef enum Method
{
	GREEDY, /* Anatomy: buckets of equal values */
	ORDER   /* the scan of diverse_group */
} Method;

static const char *const methods[] = {"greedy", "order", NULL};
static const char *const releases[] = {"tables", "permuted", NULL};

typedef struct Job
{
	double l;
	Method method;
	bool permuted;
	bool writes;
	SdcRandom random;
	SdcAnatomy anatomy;
	SdcPgHost *host;
} Job;

static void
read_l(Job *job, FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(4))
		sdcpg_args_null("l");
	job->l = PG_GETARG_FLOAT8(4);
	sdcpg_args_range("l", job->l, 1, 1e9);
	if (job->l == 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"l\" must be greater than 1"),
						errdetail("A group of one record hides nothing.")));
	if (job->method == GREEDY && job->l != floor(job->l))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"greedy\" needs a whole number \"l\""),
				 errdetail("Its groups have l different sensitive values."),
				 errhint("Method \"order\" takes any number.")));
}

static void
read_id(Job *job, FunctionCallInfo fcinfo)
{
	const SdcAttributes *columns = &job->anatomy.columns;
	const SdcRelationColumn *id = sdcpg_roles_column(
		job->anatomy.relation, "id",
		PG_ARGISNULL(1) ? NULL : NameStr(*PG_GETARG_NAME(1)), SDC_ROLE_ID);
	int j;

	if (id == NULL)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("argument \"id\" must name a column"),
						errhint("Name the column that tells records apart, or "
								"declare it with sdc.declare.")));
	for (j = 0; j < columns->keys.count + columns->sensitive.count; j++)
	{
		int k = j - columns->keys.count;

		if ((k < 0 ? columns->keys.column[j].number
				   : columns->sensitive.column[k].number) == id->number)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("column \"%s\" is the id and would be released",
							id->name),
					 errhint("Leave it out of \"keys\" and \"sensitive\".")));
	}
	job->anatomy.id = id;
}

static void
read_arguments(Job *job, FunctionCallInfo fcinfo)
{
	memset(job, 0, sizeof(*job));
	if (PG_ARGISNULL(0))
		sdcpg_args_null("rel");
	if (PG_ARGISNULL(5))
		sdcpg_args_null("method");
	if (PG_ARGISNULL(8))
		sdcpg_args_null("release");
	job->method = sdcpg_args_choice("method", PG_GETARG_TEXT_PP(5), methods);
	job->permuted =
		sdcpg_args_choice("release", PG_GETARG_TEXT_PP(8), releases) == 1;
	read_l(job, fcinfo);
	job->anatomy.relation = sdcpg_relation_find(PG_GETARG_OID(0));
	job->anatomy.columns = sdcpg_attributes_find(
		job->anatomy.relation,
		PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2),
		PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3));
	read_id(job, fcinfo);
	job->writes = !PG_ARGISNULL(7);
	if (job->writes)
		sdcpg_anatomy_target(&job->anatomy, PG_GETARG_TEXT_PP(7),
							 !job->permuted);
}

/* Puts the records into groups, from 0; returns how many there are. */
static int32
make_groups(Job *job, const SdcSequence *sequence, int32 *group)
{
	SdcHost *host = &job->host->kernel;
	int32 values = sequence->values->cells;
	int32 groups;

	if (job->method == ORDER)
		groups = sdc_diverse_group_scan(host, sequence->value, sequence->rows,
										values, job->l, group);
	else
		groups =
			sdc_anatomize_group(host, sequence->value, sequence->rows, values,
								(int32) job->l, &job->random, group);
	if (groups < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot form groups that are %g-diverse", job->l),
				 errdetail("Of %d records more than 1/l have the same "
						   "sensitive value.",
						   sequence->rows),
				 errhint("Lower l, or coarsen the sensitive values.")));
	return groups;
}

/* Decides where each record's keys and values go. */
static void
place_records(Job *job, int32 groups)
{
	SdcAnatomy *anatomy = &job->anatomy;
	SdcHost *host = &job->host->kernel;
	int32 *group = (int32 *) ARR_DATA_PTR(anatomy->group);
	int32 rows = anatomy->rows;
	int32 i;

	anatomy->position = sdcpg_anatomy_array(job->host, rows);
	sdc_anatomize_place(host, group, rows, groups, &job->random,
						(int32 *) ARR_DATA_PTR(anatomy->position));
	if (job->permuted)
	{
		anatomy->source = sdcpg_anatomy_array(job->host, rows);
		sdc_anatomize_place(host, group, rows, groups, &job->random,
							(int32 *) ARR_DATA_PTR(anatomy->source));
	}
	for (i = 0; i < rows; i++)
		group[i]++;
}

/*
 * anatomize(rel regclass, id name, keys name[], sensitive name[], l float8,
 *           method text, seed bigint, target text, release text)
 */
Datum
sdcf_anatomize(PG_FUNCTION_ARGS)
{
	SdcSequence *sequence;
	int32 groups;
	Job job;

	read_arguments(&job, fcinfo);
	job.host = sdcpg_host_begin("anatomize", CurrentMemoryContext);
	sequence =
		sdcpg_sequence_load(job.host, job.anatomy.relation, job.anatomy.id,
							&job.anatomy.columns.sensitive, NULL);
	sdc_random_seed(&job.random,
					PG_ARGISNULL(6) ? sdcpg_strong_seed()
									: (uint64) PG_GETARG_INT64(6),
					sdcpg_sequence_digest(sequence));
	job.anatomy.rows = sequence->rows;
	job.anatomy.group = sdcpg_anatomy_array(job.host, sequence->rows);
	groups =
		make_groups(&job, sequence, (int32 *) ARR_DATA_PTR(job.anatomy.group));
	if (job.writes)
	{
		place_records(&job, groups);
		sdcpg_anatomy_write(job.host, &job.anatomy);
	}
	sdcpg_host_end(job.host);
	PG_RETURN_INT64(groups);
}
