/*
 * suppress.c
 *		sdc.suppress: single values taken out of a copy of a relation.
 *
 * The relation is counted, the kernel decides how many records of each class
 * lose which keys, and a seeded order of the ids decides which records these
 * are.  One statement then writes the new table from the relation, joined by
 * id with the list of what is to go.  What was written is counted again, and
 * an error takes it back unless it is as it should be.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/frequency.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/generalization/suppress.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"
#include "topic/generalization/generalization.h"
#include "topic/registry/measures.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"
#include "topic/registry/words.h"

PG_FUNCTION_INFO_V1(sdcf_suppress);

static const char *const params_keys[] = {"nulls", "importance", "rls",
										  "models", NULL};

/* Values that are counted one by one in each class. */
#define MOST_L 10000

/* ----------------------------------------------------------------------
 * Records that lose values, as parameters and as a query.
 *
 * The list goes into the statement as two arrays, which PostgreSQL joins with
 * the relation by the text of the id; records that lose nothing are not in it.
 * ----------------------------------------------------------------------
 */

/* Which of a list of columns records lose, a bit for each column. */
typedef struct Losses
{
	SdcPgHost *host;
	int32 count;
	Datum *id;    /* text */
	int words;    /* of 64 columns each */
	Datum **lost; /* by word: bigint, bit j % 64 of word j / 64 is column j */
} Losses;

/* An empty list with room for that many records, in memory of the host. */
static Losses
losses_new(SdcPgHost *host, int64 records, int words)
{
	Losses losses = {.host = host, .words = words};
	int w;

	losses.id = sdc_new(&host->kernel, Datum, records);
	losses.lost = sdc_new(&host->kernel, Datum *, words);
	for (w = 0; w < words; w++)
		losses.lost[w] = sdc_new(&host->kernel, Datum, records);
	return losses;
}

/* Adds a record by the text of its id. */
static void
losses_add(Losses *losses, const char *id, const uint64 *lost)
{
	SdcHost *kernel = &losses->host->kernel;
	Size length = strlen(id);
	text *copy = kernel->alloc(kernel, length + VARHDRSZ, 1);
	int w;

	SET_VARSIZE(copy, length + VARHDRSZ);
	memcpy(VARDATA(copy), id, length);
	losses->id[losses->count] = PointerGetDatum(copy);
	for (w = 0; w < losses->words; w++)
		losses->lost[w][losses->count] = Int64GetDatum((int64) lost[w]);
	losses->count++;
}

/* An array parameter; PostgreSQL holds arrays of up to 1 GB. */
static void
bind_array(SdcCatalogParameters *parameters, const Losses *losses,
		   Datum *element, Oid type, Oid array, int length, char align)
{
	Size bytes = 0;
	int32 i;

	for (i = 0; i < losses->count; i++)
		bytes += length > 0 ? length
							: INTALIGN(VARSIZE(DatumGetPointer(element[i])));
	if (bytes > MaxAllocSize / 2)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many records lose values"),
						errhint("Generalize the keys first, or suppress parts "
								"of the relation, as views.")));
	sdcpg_catalog_bind(parameters, array,
					   PointerGetDatum(construct_array(
						   element, losses->count, type, length,
						   type == INT8OID ? FLOAT8PASSBYVAL : false, align)),
					   false);
}

/* The list as the next parameters of a statement: ids, then each word. */
static void
losses_bind(const Losses *losses, SdcCatalogParameters *parameters)
{
	int w;

	bind_array(parameters, losses, losses->id, TEXTOID, TEXTARRAYOID, -1, 'i');
	for (w = 0; w < losses->words; w++)
		bind_array(parameters, losses, losses->lost[w], INT8OID, INT8ARRAYOID,
				   sizeof(int64), 'd');
}

/* Appends: does the record lose column j? */
static void
append_lost(StringInfo condition, int j)
{
	appendStringInfo(condition,
					 "%s(s.lost%d OPERATOR(pg_catalog.&) '" INT64_FORMAT
					 "'::pg_catalog.int8) OPERATOR(pg_catalog.<>) "
					 "'0'::pg_catalog.int8",
					 condition->len > 0 ? " OR " : "", j / 64,
					 (int64) (UINT64CONST(1) << j % 64));
}

/*
 * When a column of the relation is lost: with one of the columns, or with one
 * of those that it is generated from; NULL for never.
 */
static char *
lost_when(const SdcRelation *relation, const SdcRelationColumns *columns,
		  const SdcRelationColumn *column)
{
	int j = sdcpg_relation_place(columns, column->number);
	StringInfoData condition;
	Bitmapset *from;

	initStringInfo(&condition);
	if (j >= 0)
	{
		append_lost(&condition, j);
		return condition.data;
	}
	from = sdcpg_generated_from(relation, column, columns);
	while ((j = bms_next_member(from, j)) >= 0)
		append_lost(&condition, j);
	return condition.len == 0 ? NULL : condition.data;
}

/*
 * A SELECT of all columns of the relation, for sdcpg_target_create, in which
 * each record lacks what the list, as the first parameters, says it loses.  A
 * column that is generated from some of the columns is NULL where any of these
 * is lost.
 */
static char *
losses_select(const SdcRelation *relation, const SdcRelationColumn *id,
			  const SdcRelationColumns *columns, int words)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(relation);
	StringInfoData sql;
	int j;
	int w;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (j = 0; j < all.count; j++)
	{
		appendStringInfoString(&sql, j > 0 ? ", " : "");
		sdcpg_target_column(&sql, relation, &all.column[j],
							lost_when(relation, columns, &all.column[j]));
	}
	appendStringInfo(&sql, " FROM %s AS r LEFT JOIN ROWS FROM (",
					 relation->sql);
	for (w = 0; w <= words; w++)
		appendStringInfo(&sql, "%spg_catalog.unnest($%d)", w > 0 ? ", " : "",
						 w + 1);
	appendStringInfoString(&sql, ") AS s (id");
	for (w = 0; w < words; w++)
		appendStringInfo(&sql, ", lost%d", w);
	appendStringInfo(&sql,
					 ") ON s.id OPERATOR(pg_catalog.=) (%s COLLATE "
					 "pg_catalog.\"C\")",
					 sdcpg_query_cast(id, "text"));
	return sql.data;
}

/* ----------------------------------------------------------------------
 * sdc.suppress
 * ----------------------------------------------------------------------
 */

typedef struct Suppress
{
	SdcPgHost *host;
	SdcRelation *relation;
	SdcTarget *target;
	SdcRelationColumn *id;
	SdcRelationColumns keys;
	List *models;                 /* of params, SdcModel * */
	SdcRelationColumns sensitive; /* none unless l or a model asks for it */
	SdcModelColumn *wanted;       /* of each, when there are models */
	SdcSuppressRequest request;
	int32 k;     /* with what models ask for */
	bool seeded; /* or else strong random numbers */
	uint64 seed;
	/* the relation as it was read */
	SdcFrequencyTable table;
	SdcSuppression *plan;
	int64 *lost; /* values of each key */
} Suppress;

static int64
read_l(FunctionCallInfo fcinfo)
{
	double l;

	if (PG_ARGISNULL(6))
		return 1;
	l = PG_GETARG_FLOAT8(6);
	sdcpg_args_range("l", l, 1, MOST_L);
	return (int64) ceil(l);
}

/* What models ask of each sensitive column. */
static void
read_wanted(Suppress *suppress)
{
	int s;

	suppress->wanted =
		palloc0(sizeof(SdcModelColumn) * (suppress->sensitive.count + 1));
	for (s = 0; s < suppress->sensitive.count; s++)
	{
		SdcClassRequest *request = &suppress->wanted[s].request;

		*request = sdc_class_measures_request();
		/* with models a class is judged by them alone, so l is one */
		if (suppress->request.l > 1 && !suppress->request.wildcard)
		{
			request->bound[SDC_CLASS_DISTINCT] = (double) suppress->request.l;
			request->wanted = SDC_CLASS_WANT(SDC_CLASS_DISTINCT);
		}
		sdcpg_models_of_column(suppress->models,
							   suppress->sensitive.column[s].name,
							   &suppress->wanted[s]);
	}
}

static void
read_sensitive(FunctionCallInfo fcinfo, Suppress *suppress)
{
	ArrayType *names = PG_ARGISNULL(4) ? NULL : PG_GETARG_ARRAYTYPE_P(4);

	suppress->sensitive = sdcpg_models_sensitive(
		suppress->models, suppress->relation, names, !PG_ARGISNULL(6));
	if (suppress->sensitive.count == 0 && names != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"sensitive\" needs argument \"l\", or "
						"\"models\" in argument \"params\""),
				 errhint("They say what the sensitive values of the records "
						 "that are alike must be.")));
	if (suppress->models != NIL)
		read_wanted(suppress);
}

/* Models are judged in classes, which wildcards do not make. */
static void
check_nulls(const Suppress *suppress)
{
	ListCell *cell;

	foreach (cell, suppress->models)
	{
		const SdcModel *model = lfirst(cell);

		if (model->measure->model == SDC_MODEL_VALUES &&
			suppress->request.wildcard)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("model \"%s\" cannot be asked for where NULL is "
							"a wildcard",
							model->measure->name),
					 errdetail("A model is about the sensitive values of a "
							   "class, and with wildcards each record has "
							   "others like it of its own."),
					 errhint("Say that NULL is a \"category\": under the key "
							 "\"nulls\" of argument \"params\", or with "
							 "sdc.declare.")));
	}
}

static void
read_columns(FunctionCallInfo fcinfo, Suppress *suppress)
{
	SdcRelation *relation = suppress->relation;

	suppress->id = sdcpg_roles_column(
		relation, "id", PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2)),
		SDC_ROLE_ID);
	if (suppress->id == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"id\" must name the column that tells "
						"records apart"),
				 errhint("Give it, or declare it with sdc.declare.")));
	suppress->keys = sdcpg_roles_need_columns(
		relation, "keys", PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3),
		SDC_ROLE_KEY);
	read_sensitive(fcinfo, suppress);
}

/* Stops when a column has two parts to play. */
static void
check_columns(const Suppress *suppress)
{
	sdcpg_attributes_disjoint(&suppress->keys, &suppress->sensitive);
	sdcpg_attributes_not_id(suppress->id, &suppress->keys);
}

static void
read_target(FunctionCallInfo fcinfo, Suppress *suppress)
{
	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("suppression in place is not supported"),
				 errdetail("The values would stay readable in dead rows, "
						   "statistics and whatever was copied from them."),
				 errhint("Name a new table in argument \"target\".")));
	suppress->target = sdcpg_target_find(PG_GETARG_TEXT_PP(1));
}

/* Reads the arguments, see sdcf_suppress. */
static Suppress *
read_arguments(FunctionCallInfo fcinfo)
{
	Suppress *suppress = palloc0(sizeof(Suppress));
	SdcSuppressRequest *request = &suppress->request;
	Jsonb *params = PG_ARGISNULL(7) ? NULL : PG_GETARG_JSONB_P(7);

	sdcpg_args_need(fcinfo, 0);
	sdcpg_args_need(fcinfo, 5);
	sdcpg_params_check(params, params_keys);
	sdcpg_args_group_size(PG_GETARG_INT32(5), 0);
	suppress->k = PG_GETARG_INT32(5);
	suppress->models =
		sdcpg_models_read(params, SDC_SEARCH_SUPPRESS, &suppress->k);
	request->k = suppress->k;
	request->l = read_l(fcinfo);
	suppress->relation = sdcpg_relation_find(PG_GETARG_OID(0));
	request->wildcard =
		sdcpg_nulls_read(suppress->relation, params,
						 SDC_NULLS_AS(SDC_NULLS_CATEGORY) |
							 SDC_NULLS_AS(SDC_NULLS_WILDCARD),
						 SDC_NULLS_WILDCARD) == SDC_NULLS_WILDCARD;
	check_nulls(suppress);
	read_columns(fcinfo, suppress);
	check_columns(suppress);
	request->keys = suppress->keys.count;
	request->importance = sdcpg_importance_read(params, &suppress->keys);
	sdcpg_target_need_all_rows(
		suppress->relation,
		sdcpg_params_choice(params, "rls", sdcpg_row_security_words) ==
			SDC_ROW_SECURITY_ALLOW);
	suppress->seeded = !PG_ARGISNULL(8);
	suppress->seed = suppress->seeded ? (uint64) PG_GETARG_INT64(8) : 0;
	read_target(fcinfo, suppress);
	sdcpg_revealing_refuse(
		suppress->relation, &suppress->keys,
		list_concat(list_make1(suppress->id->name),
					sdcpg_target_keys(&suppress->sensitive)));
	return suppress;
}

/* Counts the keys, and what is sensitive if it matters, of a relation. */
static void
count_relation(const Suppress *suppress, const SdcRelation *relation,
			   const SdcRelationColumn *id, SdcFrequencyTable *table)
{
	SdcFrequencyRequest *request = palloc0(sizeof(*request));

	request->relation = relation;
	request->id = id;
	sdcpg_frequency_want(request, &suppress->keys);
	sdcpg_frequency_want(request, &suppress->sensitive);
	sdcpg_frequency_load(suppress->host, request, 1, table);
	pfree(request);
}

/* Different values of a column; NULL is one. */
static int64
count_values(const SdcFrequency *frequency, int column)
{
	int32 cell = 0;

	while (cell < frequency->cells &&
		   frequency->code[column][cell] != SDC_CODE_NULL)
		cell++;
	return (int64) frequency->values[column] + (cell < frequency->cells);
}

/* The models in the codes of a table; NULL when there are none. */
static const SdcClassRequest *
bind_models(const Suppress *suppress, const SdcFrequencyTable *table)
{
	SdcClassRequest *models;
	int s;

	if (suppress->wanted == NULL)
		return NULL;
	models = palloc(sizeof(SdcClassRequest) * (suppress->sensitive.count + 1));
	for (s = 0; s < suppress->sensitive.count; s++)
		models[s] =
			sdcpg_model_bind(suppress->host, &suppress->wanted[s],
							 table->dictionary[suppress->keys.count + s]);
	return models;
}

/* Stops when nothing that can be suppressed would do. */
static void
check_possible(const Suppress *suppress, const SdcClasses *classes)
{
	const SdcFrequency *frequency = suppress->table.frequency;
	int j;

	sdcpg_args_group_size((int32) suppress->request.k, frequency->records);
	for (j = 0; j < suppress->sensitive.count && frequency->records > 0; j++)
		if (count_values(frequency, suppress->keys.count + j) <
			suppress->request.l)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" has fewer different values than "
							"argument \"l\" asks for",
							suppress->sensitive.column[j].name)));
	if (!sdc_suppress_possible(&suppress->host->kernel, frequency, classes,
							   &suppress->request))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("all records together do not satisfy the "
							   "models")));
}

/* The steps of each class as chains: first by class, next by step. */
static void
chain_steps(Suppress *suppress, const SdcClasses *classes, int32 **first,
			int32 **next)
{
	SdcHost *kernel = &suppress->host->kernel;
	int32 i;

	*first = sdc_new(kernel, int32, classes->classes);
	*next = sdc_new(kernel, int32, suppress->plan->steps);
	memset(*first, -1, sizeof(int32) * classes->classes);
	for (i = suppress->plan->steps - 1; i >= 0; i--)
	{
		int32 class = suppress->plan->step[i].class;

		(*next)[i] = (*first)[class];
		(*first)[class] = i;
	}
}

static int32 *
number_cells(Suppress *suppress, const SdcClasses *classes)
{
	int32 *number = sdc_new(&suppress->host->kernel, int32,
							suppress->table.frequency->cells);
	int32 cell;
	int32 c;

	for (c = 0; c < classes->classes; c++)
		for (cell = classes->first[c]; cell < classes->first[c + 1]; cell++)
			number[cell] = c;
	return number;
}

/* Puts rows into an order that nobody can compute. */
static void
shuffle(int32 *order, int32 rows)
{
	SdcRandom random;
	int32 i;

	sdcpg_strong_random(&random);
	for (i = rows - 1; i > 0; i--)
	{
		int32 j = (int32) sdc_random_below(&random, (uint64) i + 1);
		int32 other = order[i];

		order[i] = order[j];
		order[j] = other;
	}
}

/*
 * Decides which records lose what: in the order of the seed, each record takes
 * the first step of its class that is not used up.
 */
static Losses
assign_losses(Suppress *suppress, const SdcClasses *classes)
{
	SdcHost *kernel = &suppress->host->kernel;
	SdcFrequencyTable *table = &suppress->table;
	SdcSuppression *plan = suppress->plan;
	int32 *order =
		sdcpg_id_order(suppress->host, table->id, table->rows, suppress->seed,
					   suppress->relation->name, suppress->id->name);
	int32 *number = number_cells(suppress, classes);
	Losses losses;
	int32 *first;
	int32 *next;
	int32 i;

	if (!suppress->seeded)
		shuffle(order, table->rows);
	chain_steps(suppress, classes, &first, &next);
	losses = losses_new(suppress->host, plan->records, plan->words);
	for (i = 0; i < table->rows; i++)
	{
		int32 row = order[i];
		int32 class = number[table->cell[row]];
		int32 step = first[class];

		if (i % SDC_POLL_STEPS == 0)
			kernel->poll(kernel, i, table->rows);
		if (step < 0)
			continue;
		losses_add(&losses, table->id[row], sdc_suppression_lost(plan, step));
		if (--plan->step[step].count == 0)
			first[class] = next[step];
	}
	kernel->release(kernel, order);
	kernel->release(kernel, number);
	kernel->release(kernel, first);
	kernel->release(kernel, next);
	return losses;
}

/* Counts what each key loses; to be called before the plan is used up. */
static void
count_losses(Suppress *suppress)
{
	const SdcSuppression *plan = suppress->plan;
	int keys = suppress->keys.count;
	int32 i;
	int j;

	suppress->lost = sdc_new(&suppress->host->kernel, int64, keys);
	memset(suppress->lost, 0, sizeof(int64) * keys);
	for (i = 0; i < plan->steps; i++)
		for (j = 0; j < keys; j++)
			if (sdc_suppression_loses(plan, i, j))
				suppress->lost[j] += plan->step[i].count;
}

static void
write_target(const Suppress *suppress, const Losses *losses)
{
	SdcCatalogParameters parameters = {0};
	uint64 rows;

	losses_bind(losses, &parameters);
	rows =
		sdcpg_target_create(suppress->host, suppress->target,
							losses_select(suppress->relation, suppress->id,
										  &suppress->keys, losses->words),
							&parameters, sdcpg_target_keys(&suppress->keys));
	if (rows != (uint64) suppress->table.rows)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("relation \"%s\" gave other rows when it was read "
						"again",
						suppress->relation->name),
				 errhint("Suppress a table or a materialized view.")));
}

/* NULLs among the keys. */
static int64
count_nulls(const SdcFrequency *frequency, int keys)
{
	int64 nulls = 0;
	int32 cell;
	int j;

	for (j = 0; j < keys; j++)
		for (cell = 0; cell < frequency->cells; cell++)
			if (frequency->code[j][cell] == SDC_CODE_NULL)
				nulls += frequency->count[cell];
	return nulls;
}

/* Stops unless the new table is what it must be. */
static void
verify_target(Suppress *suppress)
{
	SdcSuppressRequest request = suppress->request;
	int keys = suppress->keys.count;
	SdcFrequencyTable written;

	count_relation(suppress, sdcpg_target_open(suppress->target), NULL,
				   &written);
	sdcpg_target_close();
	request.models = bind_models(suppress, &written);
	if (sdc_suppress_violations(&suppress->host->kernel, written.frequency,
								&request) != 0 ||
		written.frequency->records != suppress->table.frequency->records ||
		count_nulls(written.frequency, keys) !=
			count_nulls(suppress->table.frequency, keys) +
				suppress->plan->values)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("the new table is not what was to be written"),
				 errdetail("Nothing was kept."),
				 errhint("A view must give the same rows each time it is "
						 "read: suppress a table or a materialized view.")));
}

/* Decides, writes and verifies. */
static void
run(Suppress *suppress)
{
	SdcHost *kernel = &suppress->host->kernel;
	SdcClasses *classes;
	Losses losses;

	count_relation(suppress, suppress->relation, suppress->id,
				   &suppress->table);
	suppress->request.models = bind_models(suppress, &suppress->table);
	classes = sdc_frequency_classes(kernel, suppress->table.frequency,
									suppress->keys.count);
	check_possible(suppress, classes);
	suppress->plan = sdc_suppress_plan(kernel, suppress->table.frequency,
									   classes, &suppress->request);
	count_losses(suppress);
	losses = assign_losses(suppress, classes);
	write_target(suppress, &losses);
	verify_target(suppress);
	sdcpg_nulls_of_target(suppress->target, suppress->request.wildcard
												? SDC_NULLS_WILDCARD
												: SDC_NULLS_CATEGORY);
}

/* What was done to each column, and how much of it. */
static void
put_result(const Suppress *suppress, ReturnSetInfo *result)
{
	const SdcSuppression *plan = suppress->plan;
	const SdcTarget *target = suppress->target;
	int j;

	for (j = 0; j < suppress->keys.count; j++)
		sdcpg_step_masked(result, suppress->keys.column[j].name, "suppress",
						  target->rows, suppress->lost[j],
						  "Values of records that too few others are like "
						  "are NULL.");
	sdcpg_roles_steps(result, suppress->relation, &suppress->keys, NIL);
	sdcpg_step_written(result, target);
	sdcpg_step_measure(
		result, "suppressed", target->sql, (double) plan->values,
		INT64_FORMAT " %s suppressed, in " INT64_FORMAT " of " INT64_FORMAT
					 " records.",
		plan->values, plan->values == 1 ? "value is" : "values are",
		plan->records, target->rows);
}

/*
 * suppress(relation regclass, target text, id name, keys columns,
 *			sensitive columns, k integer, l float8, params jsonb, seed bigint)
 *		returns setof sdc.mask_step
 */
Datum
sdcf_suppress(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Suppress *suppress = read_arguments(fcinfo);

	suppress->host = sdcpg_host_begin("suppress", CurrentMemoryContext);
	run(suppress);
	put_result(suppress, result);
	sdcpg_host_end(suppress->host);
	return (Datum) 0;
}
