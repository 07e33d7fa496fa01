/*
 * local_recoding.c
 *		sdc.recode_locally: a copy whose classes are generalized one by one.
 *
 * The relation is counted, the kernel chooses the levels of each combination
 * of keys, and one statement writes the new table.  What was written is
 * counted again, and an error takes it back unless it is as it should be.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/dictionary.h"
#include "host/data/frequency.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/generalization/local_recoding.h"
#include "kernel/generalization/recoding_space.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"
#include "topic/generalization/hierarchy.h"
#include "topic/generalization/generalization.h"
#include "topic/registry/measures.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"
#include "topic/registry/words.h"

/* What params says of the keys. */
typedef struct SdcRecodingHierarchies
{
	const SdcRelationColumns *keys;
	char **name; /* of each key's hierarchy; NULL: the value, or * */
	double *weight;
	/* set by sdcpg_recoding_load */
	SdcHierarchyMap **map;
	SdcRecodingKey *key; /* the same for the kernel */
} SdcRecodingHierarchies;

static void recoding_load(SdcPgHost *host, SdcRecodingHierarchies *hierarchies,
						  const SdcFrequencyTable *table);

/* ----------------------------------------------------------------------
 * Local recoding of a relation: its keys' hierarchies.
 *
 * A key without a hierarchy gets one of a single level, the values, so that
 * the root above it, *, is all that a value can become.
 * ----------------------------------------------------------------------
 */

#define MOST_WEIGHT 1e6

/*
 * Reads params.hierarchies {"key": "hierarchy"} and params.weights {"key":
 * number from 0 to 10^6, 1 unless told}.  What is not a key, and what is not a
 * hierarchy, stops with an error.
 */
static SdcRecodingHierarchies *
recoding_read(Jsonb *params, const SdcRelationColumns *keys)
{
	SdcRecodingHierarchies *hierarchies =
		palloc0(sizeof(SdcRecodingHierarchies));
	int j;

	sdcpg_params_members_check(params, "hierarchies", keys, false);
	sdcpg_params_members_check(params, "weights", keys, false);
	hierarchies->keys = keys;
	hierarchies->name = palloc0(sizeof(char *) * keys->count);
	hierarchies->weight = palloc0(sizeof(double) * keys->count);
	for (j = 0; j < keys->count; j++)
	{
		const char *column = keys->column[j].name;

		hierarchies->name[j] =
			sdcpg_params_member(params, "hierarchies", column);
		if (hierarchies->name[j] != NULL)
			sdcpg_hierarchy_need(hierarchies->name[j]);
		hierarchies->weight[j] = sdcpg_params_member_number(
			params, "weights", column, 1, 0, MOST_WEIGHT);
	}
	return hierarchies;
}

/* The values and nothing above them. */
static SdcHierarchyMap *
map_values(SdcPgHost *host, SdcDictionary *dictionary)
{
	SdcHost *kernel = &host->kernel;
	SdcHierarchyMap *map = sdc_new(kernel, SdcHierarchyMap, 1);
	int32 values = sdcpg_dictionary_values(dictionary);
	int32 v;

	map->groups = sdc_hierarchy_new(kernel, values, 1);
	map->label = sdc_new(kernel, char **, 1);
	map->share = sdc_new(kernel, double *, 1);
	map->label[0] = sdc_new(kernel, char *, values);
	map->share[0] = sdc_new(kernel, double, values);
	map->domain = values;
	for (v = 0; v < values; v++)
	{
		map->label[0][v] = sdcpg_dictionary_text(dictionary, v);
		map->share[0][v] = 1.0 / values;
	}
	return map;
}

/* Names the column in an error about its hierarchy. */
static void
name_column(void *arg)
{
	errcontext("column \"%s\"", (const char *) arg);
}

static SdcHierarchyMap *
map_hierarchy(SdcPgHost *host, const char *name, SdcDictionary *dictionary,
			  const SdcRelationColumn *column)
{
	ErrorContextCallback context = {error_context_stack, name_column,
									column->name};
	SdcHierarchyMap *map;

	error_context_stack = &context;
	map = sdcpg_hierarchy_load(host, name, dictionary);
	error_context_stack = context.previous;
	return map;
}

/*
 * Applies the hierarchies to the values that occur; the first columns of the
 * table are the keys.  A value without a rule stops with an error that names
 * the hierarchy and the column.
 */
static void
recoding_load(SdcPgHost *host, SdcRecodingHierarchies *hierarchies,
			  const SdcFrequencyTable *table)
{
	int keys = hierarchies->keys->count;
	int j;

	hierarchies->map = palloc0(sizeof(SdcHierarchyMap *) * keys);
	hierarchies->key = palloc0(sizeof(SdcRecodingKey) * keys);
	for (j = 0; j < keys; j++)
	{
		SdcDictionary *dictionary = table->dictionary[j];
		SdcHierarchyMap *map =
			hierarchies->name[j] == NULL
				? map_values(host, dictionary)
				: map_hierarchy(host, hierarchies->name[j], dictionary,
								&hierarchies->keys->column[j]);

		hierarchies->map[j] = map;
		hierarchies->key[j].hierarchy = map->groups;
		hierarchies->key[j].share = map->share;
		hierarchies->key[j].weight = hierarchies->weight[j];
	}
}

/* ----------------------------------------------------------------------
 * Local recoding of a relation: the new table.
 *
 * What the classes look like goes into the statement as one array, a label for
 * each class and key, and which class each record is in as two more, the text
 * of its id and the number of the class.  PostgreSQL joins them.
 * ----------------------------------------------------------------------
 */

/* Stands for any value of a key. */
#define ROOT "*"

/* An array of texts; a NULL stays one.  PostgreSQL holds arrays of 1 GB. */
static void
bind_texts(SdcPgHost *host, SdcCatalogParameters *parameters,
		   char *const *text, int64 count)
{
	SdcHost *kernel = &host->kernel;
	Datum *element = sdc_new(kernel, Datum, count);
	bool *isnull = sdc_new(kernel, bool, count);
	Size bytes = 0;
	int length = (int) count;
	int first = 1;
	int64 i;

	for (i = 0; i < count; i++)
	{
		isnull[i] = text[i] == NULL;
		element[i] = isnull[i] ? (Datum) 0 : CStringGetTextDatum(text[i]);
		if (!isnull[i])
			bytes += INTALIGN(VARSIZE(DatumGetPointer(element[i])));
		if (bytes > MaxAllocSize / 2 || i > INT32_MAX / 2)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("too many records to recode at once"),
					 errhint("Recode parts of the relation, as views.")));
		if (i % SDC_POLL_STEPS == 0)
			kernel->poll(kernel, i, count);
	}
	sdcpg_catalog_bind(
		parameters, TEXTARRAYOID,
		PointerGetDatum(construct_md_array(element, isnull, 1, &length, &first,
										   TEXTOID, -1, false, TYPALIGN_INT)),
		false);
	for (i = 0; i < count; i++)
		if (!isnull[i])
			pfree(DatumGetPointer(element[i]));
	kernel->release(kernel, element);
	kernel->release(kernel, isnull);
}

/* The class of each row, as a parameter. */
static void
bind_numbers(SdcPgHost *host, SdcCatalogParameters *parameters,
			 const SdcFrequencyTable *table, const SdcClasses *classes,
			 const SdcLocalRecoding *local)
{
	SdcHost *kernel = &host->kernel;
	int32 *number = sdc_new(kernel, int32, table->frequency->cells);
	Datum *element = sdc_new(kernel, Datum, table->rows);
	int32 cell;
	int32 i;

	for (i = 0; i < classes->classes; i++)
		for (cell = classes->first[i]; cell < classes->first[i + 1]; cell++)
			number[cell] = local->number[i];
	for (i = 0; i < table->rows; i++)
		element[i] = Int32GetDatum(number[table->cell[i]]);
	sdcpg_catalog_bind(
		parameters, INT4ARRAYOID,
		PointerGetDatum(construct_array(element, table->rows, INT4OID,
										sizeof(int32), true, TYPALIGN_INT)),
		false);
	kernel->release(kernel, number);
	kernel->release(kernel, element);
}

/* What a value becomes on a level; NULL for a NULL. */
static char *
label_of(const SdcHierarchyMap *map, int32 value, int level)
{
	int top = map->groups->levels - 1;

	if (level > top)
		return ROOT;
	if (value != SDC_CODE_NULL)
		return map->label[level][map->groups->group[level][value]];
	/* NULL joins the others where they are all one */
	return level == top && level > 0 && map->groups->groups[top] == 1
			   ? map->label[top][0]
			   : NULL;
}

/* The keys of each class, as a parameter. */
static void
bind_labels(SdcPgHost *host, SdcCatalogParameters *parameters,
			const SdcRecodingHierarchies *hierarchies,
			const SdcFrequencyTable *table, const SdcClasses *classes,
			const SdcLocalRecoding *local)
{
	SdcHost *kernel = &host->kernel;
	int keys = local->keys;
	int64 labels = (int64) local->classes * keys;
	char **label = sdc_new(kernel, char *, labels);
	int32 t;
	int j;

	for (t = 0; t < local->tuples; t++)
		for (j = 0; j < keys; j++)
			label[(int64) local->number[t] * keys + j] =
				label_of(hierarchies->map[j],
						 table->frequency->code[j][classes->first[t]],
						 local->level[(int64) t * keys + j]);
	bind_texts(host, parameters, label, labels);
	kernel->release(kernel, label);
}

/* The query: ids $1, their classes $2, labels $3 by class and key. */
static char *
write_select(const SdcRelation *relation, const SdcRelationColumn *id,
			 const SdcRelationColumns *keys)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(relation);
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (j = 0; j < all.count; j++)
	{
		const SdcRelationColumn *column = &all.column[j];
		int place = sdcpg_relation_place(keys, column->number);

		appendStringInfoString(&sql, j > 0 ? ", " : "");
		if (place >= 0)
			appendStringInfo(&sql, "c.label[%d] AS %s", place + 1,
							 column->sql);
		else
			sdcpg_target_column(
				&sql, relation, column,
				sdcpg_generated_from(relation, column, keys) != 0 ? "true"
																  : NULL);
	}
	appendStringInfo(
		&sql,
		" FROM %s AS r JOIN ROWS FROM (pg_catalog.unnest($1), "
		"pg_catalog.unnest($2)) AS s (id, number) ON s.id "
		"OPERATOR(pg_catalog.=) (%s COLLATE "
		"pg_catalog.\"C\") JOIN (SELECT (u.n OPERATOR(pg_catalog.-) 1) "
		"OPERATOR(pg_catalog./) %d AS number, pg_catalog.array_agg(u.label "
		"ORDER BY u.n) AS label FROM pg_catalog.unnest($3) WITH ORDINALITY "
		"AS u (label, n) GROUP BY 1) AS c ON c.number OPERATOR(pg_catalog.=) "
		"s.number",
		relation->sql, sdcpg_query_cast(id, "text"), keys->count);
	return sql.data;
}

/*
 * Creates the target from a relation that was counted with an id: each record
 * has the keys of its class, as text, in place of its own.  Tuple c of the
 * recoding is class c of classes.  A column that is generated from keys is
 * NULL.  Returns the number of rows.
 */
static uint64
recoding_write(SdcPgHost *host, SdcTarget *target, const SdcRelation *relation,
			   const SdcRelationColumn *id,
			   const SdcRecodingHierarchies *hierarchies,
			   const SdcFrequencyTable *table, const SdcClasses *classes,
			   const SdcLocalRecoding *local)
{
	SdcCatalogParameters parameters = {0};
	uint64 rows;

	bind_texts(host, &parameters, table->id, table->rows);
	bind_numbers(host, &parameters, table, classes, local);
	bind_labels(host, &parameters, hierarchies, table, classes, local);
	rows = sdcpg_target_create(
		host, target, write_select(relation, id, hierarchies->keys),
		&parameters, sdcpg_target_keys(hierarchies->keys));
	sdcpg_nulls_inherit(relation->oid, target);
	return rows;
}

/* ----------------------------------------------------------------------
 * sdc.recode_locally: a copy whose classes are generalized one by one.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_recode_locally);

static const char *const params_keys[] = {"hierarchies", "weights", "t",
										  "models",      "rls",     NULL};

typedef struct Recode
{
	SdcPgHost *host;
	SdcRelation *relation;
	SdcTarget *target;
	SdcRelationColumn *id;
	SdcRelationColumns keys;
	List *models;                 /* of params, SdcModel * */
	SdcRelationColumns sensitive; /* none unless something is asked of them */
	SdcModelColumn *wanted;       /* of each */
	SdcRecodingHierarchies *hierarchies;
	int32 k;
	double l; /* of all sensitive columns, and t; NAN */
	double t;
	SdcFrequencyTable table;
	SdcClasses *classes;
	SdcLocalRecoding *local; /* NULL: there are no records */
	SdcFrequency *written;
	SdcClasses *released;
} Recode;

static void
read_bounds(FunctionCallInfo fcinfo, Jsonb *params, Recode *recode)
{
	recode->k = PG_GETARG_INT32(5);
	recode->models = sdcpg_models_read(params, SDC_SEARCH_LOCAL, &recode->k);
	sdcpg_args_group_size(PG_GETARG_INT32(5), 0);
	recode->l = NAN;
	if (!PG_ARGISNULL(6))
	{
		recode->l = PG_GETARG_FLOAT8(6);
		sdcpg_args_range("l", recode->l, 1, INT32_MAX);
	}
	recode->t = sdcpg_params_number(params, "t", NAN, 0, 1);
}

/* What is asked of each sensitive column. */
static void
read_wanted(Recode *recode)
{
	int s;

	recode->wanted =
		palloc0(sizeof(SdcModelColumn) * (recode->sensitive.count + 1));
	for (s = 0; s < recode->sensitive.count; s++)
	{
		SdcClassRequest *request = &recode->wanted[s].request;

		*request = sdc_class_measures_request();
		request->bound[SDC_CLASS_DISTINCT] = recode->l;
		request->bound[SDC_CLASS_T_EQUAL] = recode->t;
		/* both are reported where one is asked for */
		if (!isnan(recode->l) || !isnan(recode->t))
			request->wanted = SDC_CLASS_WANT(SDC_CLASS_DISTINCT) |
							  SDC_CLASS_WANT(SDC_CLASS_T_EQUAL);
		sdcpg_models_of_column(recode->models,
							   recode->sensitive.column[s].name,
							   &recode->wanted[s]);
	}
}

static void
read_sensitive(FunctionCallInfo fcinfo, Recode *recode)
{
	ArrayType *names = PG_ARGISNULL(4) ? NULL : PG_GETARG_ARRAYTYPE_P(4);

	recode->sensitive =
		sdcpg_models_sensitive(recode->models, recode->relation, names,
							   !isnan(recode->l) || !isnan(recode->t));
	if (recode->sensitive.count == 0 && names != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"sensitive\" needs argument \"l\", or "
						"\"t\" or \"models\" in argument \"params\""),
				 errhint("They say what the sensitive values of a class "
						 "must be like.")));
	read_wanted(recode);
}

static void
read_columns(FunctionCallInfo fcinfo, Recode *recode)
{
	recode->id = sdcpg_roles_column(
		recode->relation, "id",
		PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2)), SDC_ROLE_ID);
	if (recode->id == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"id\" must name the column that tells "
						"records apart"),
				 errhint("Give it, or declare it with sdc.declare.")));
	recode->keys = sdcpg_roles_need_columns(
		recode->relation, "keys",
		PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3), SDC_ROLE_KEY);
	read_sensitive(fcinfo, recode);
	sdcpg_attributes_disjoint(&recode->keys, &recode->sensitive);
	sdcpg_attributes_not_id(recode->id, &recode->keys);
}

/* Reads the arguments, see sdcf_recode_locally. */
static Recode *
read_arguments(FunctionCallInfo fcinfo)
{
	Recode *recode = palloc0(sizeof(Recode));
	Jsonb *params = PG_ARGISNULL(7) ? NULL : PG_GETARG_JSONB_P(7);

	sdcpg_args_need_first(fcinfo, 2);
	sdcpg_args_need(fcinfo, 5);
	sdcpg_params_check(params, params_keys);
	read_bounds(fcinfo, params, recode);
	recode->relation = sdcpg_relation_find(PG_GETARG_OID(0));
	read_columns(fcinfo, recode);
	recode->hierarchies = recoding_read(params, &recode->keys);
	sdcpg_target_need_all_rows(
		recode->relation,
		sdcpg_params_choice(params, "rls", sdcpg_row_security_words) ==
			SDC_ROW_SECURITY_ALLOW);
	recode->target = sdcpg_target_find(PG_GETARG_TEXT_PP(1));
	sdcpg_revealing_refuse(recode->relation, &recode->keys,
						   list_concat(list_make1(recode->id->name),
									   sdcpg_target_keys(&recode->sensitive)));
	return recode;
}

/* Counts the keys, and what is sensitive, of a relation. */
static void
count_relation(const Recode *recode, const SdcRelation *relation,
			   const SdcRelationColumns *keys, const SdcRelationColumn *id,
			   SdcFrequencyTable *table)
{
	SdcFrequencyRequest *request = palloc0(sizeof(*request));

	request->relation = relation;
	request->id = id;
	sdcpg_frequency_want(request, keys);
	sdcpg_frequency_want(request, &recode->sensitive);
	sdcpg_frequency_load(recode->host, request, 1, table);
	pfree(request);
}

/* The requests with what of them hangs on codes of a table. */
static SdcClassRequest *
bind_requests(const Recode *recode, SdcDictionary *const *dictionary)
{
	SdcClassRequest *request =
		palloc(sizeof(SdcClassRequest) * (recode->sensitive.count + 1));
	int s;

	for (s = 0; s < recode->sensitive.count; s++)
		request[s] = sdcpg_model_bind(recode->host, &recode->wanted[s],
									  dictionary[recode->keys.count + s]);
	return request;
}

/* Chooses the levels. */
static void
search(Recode *recode)
{
	SdcLocalRecodingRequest request = sdc_local_recoding_request();
	const SdcFrequency *frequency = recode->table.frequency;

	sdcpg_args_group_size(recode->k, frequency->records);
	request.k = recode->k;
	request.sensitives = recode->sensitive.count;
	if (recode->sensitive.count > 0)
		request.sensitive = bind_requests(recode, recode->table.dictionary);
	recode->local = sdc_local_recoding(
		&recode->host->kernel, frequency, recode->classes,
		recode->hierarchies->key, recode->keys.count, &request);
	if (recode->local != NULL)
		return;
	if (recode->models == NIL && recode->sensitive.count == 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" has fewer different values than "
							   "argument \"l\" asks for",
							   recode->sensitive.column[0].name)));
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("all records together do not satisfy the models")));
}

/* The table of no records. */
static void
search_nothing(Recode *recode)
{
	recode->local = sdc_new(&recode->host->kernel, SdcLocalRecoding, 1);
	memset(recode->local, 0, sizeof(SdcLocalRecoding));
	recode->local->keys = recode->keys.count;
	recode->local->granularity = NAN;
}

/* The keys in the new table, by name. */
static SdcRelationColumns
find_written(const Recode *recode, const SdcRelation *relation)
{
	SdcRelationColumns keys = {recode->keys.count, NULL};
	int j;

	keys.column = palloc(sizeof(SdcRelationColumn) * keys.count);
	for (j = 0; j < keys.count; j++)
		keys.column[j] =
			sdcpg_relation_column(relation, recode->keys.column[j].name);
	return keys;
}

/* Measures one sensitive column of the new table. */
static void
verify_column(const Recode *recode, const SdcFrequencyTable *table, int s,
			  const SdcClassRequest *request, SdcClassReport *report)
{
	SdcHost *kernel = &recode->host->kernel;
	int keys = recode->keys.count;
	int *column = palloc(sizeof(int) * (keys + 1));
	SdcFrequency *reduced = table->frequency;
	int j;

	for (j = 0; j < keys; j++)
		column[j] = j;
	column[keys] = keys + s;
	if (recode->sensitive.count > 1)
		reduced = sdc_frequency_project(kernel, table->frequency, column,
										keys + 1, NULL);
	sdc_class_measures_walk(
		kernel, sdc_class_measures_start(kernel, reduced, request), reduced,
		sdc_frequency_classes(kernel, reduced, keys), report);
}

/* Stops unless the new table is what it must be. */
static void
verify_target(Recode *recode, SdcClassReport *report)
{
	SdcHost *kernel = &recode->host->kernel;
	SdcRelation *relation = sdcpg_target_open(recode->target);
	SdcRelationColumns keys = find_written(recode, relation);
	SdcClassRequest *request;
	SdcFrequencyTable table;
	bool sound;
	int32 c;
	int s;

	count_relation(recode, relation, &keys, NULL, &table);
	sdcpg_target_close();
	recode->written = table.frequency;
	recode->released =
		sdc_frequency_classes(kernel, table.frequency, keys.count);
	sound = table.frequency->records == recode->table.frequency->records;
	for (c = 0; c < recode->released->classes; c++)
		sound = sound && recode->released->size[c] >= recode->k;
	request = bind_requests(recode, table.dictionary);
	for (s = 0; s < recode->sensitive.count; s++)
	{
		verify_column(recode, &table, s, &request[s], &report[s]);
		sound = sound && report[s].failing_classes == 0;
	}
	if (!sound)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("the new table is not what was to be written"),
				 errdetail("Nothing was kept."),
				 errhint("A view must give the same rows each time it is "
						 "read: recode a table or a materialized view.")));
}

static void
run(Recode *recode, SdcClassReport *report)
{
	SdcHost *kernel = &recode->host->kernel;
	SdcFrequencyTable *table = &recode->table;

	count_relation(recode, recode->relation, &recode->keys, recode->id, table);
	/* stops at an id that is NULL or occurs twice */
	kernel->release(kernel,
					sdcpg_id_order(recode->host, table->id, table->rows, 0,
								   recode->relation->name, recode->id->name));
	recode->classes =
		sdc_frequency_classes(kernel, table->frequency, recode->keys.count);
	recoding_load(recode->host, recode->hierarchies, table);
	if (table->frequency->records > 0)
		search(recode);
	else
		search_nothing(recode);
	recoding_write(recode->host, recode->target, recode->relation, recode->id,
				   recode->hierarchies, table, recode->classes, recode->local);
	verify_target(recode, report);
}

/* Records that kept all their values. */
static int64
count_unchanged(const Recode *recode)
{
	const SdcLocalRecoding *local = recode->local;
	int64 unchanged = 0;
	int32 t;
	int j;

	for (t = 0; t < local->tuples; t++)
	{
		for (j = 0;
			 j < local->keys && local->level[(int64) t * local->keys + j] == 0;
			 j++)
			;
		if (j == local->keys)
			unchanged += recode->classes->size[t];
	}
	return unchanged;
}

/* Records in which a key was generalized. */
static int64
count_changed(const Recode *recode, int key)
{
	const SdcLocalRecoding *local = recode->local;
	int64 changed = 0;
	int32 t;

	for (t = 0; t < local->tuples; t++)
		if (local->level[(int64) t * local->keys + key] > 0)
			changed += recode->classes->size[t];
	return changed;
}

static void
report_columns(const Recode *recode, ReturnSetInfo *result)
{
	int j;

	for (j = 0; j < recode->keys.count; j++)
		sdcpg_step_masked(result, recode->keys.column[j].name,
						  "recode_locally", recode->target->rows,
						  count_changed(recode, j),
						  "Values are generalized as far as the class of the "
						  "record needs it.");
	sdcpg_roles_steps(result, recode->relation, &recode->keys, NIL);
	sdcpg_step_written(result, recode->target);
}

static int64
smallest_class(const Recode *recode)
{
	int64 smallest = PG_INT64_MAX;
	int32 c;

	for (c = 0; c < recode->released->classes; c++)
		smallest = Min(smallest, recode->released->size[c]);
	return smallest;
}

static void
report_classes(const Recode *recode, ReturnSetInfo *result)
{
	const char *subject = recode->target->sql;
	int64 records = recode->written->records;
	int64 smallest = smallest_class(recode);
	int64 unchanged = count_unchanged(recode);

	sdcpg_step_measure(result, "records", subject, (double) records,
					   "The new table has " INT64_FORMAT " %s.", records,
					   records == 1 ? "record" : "records");
	sdcpg_step_measure(result, "classes", subject, recode->released->classes,
					   "Its records form %d %s of equal keys.",
					   recode->released->classes,
					   recode->released->classes == 1 ? "class" : "classes");
	if (records == 0)
		sdcpg_step_measure(result, "k_anonymity", subject, NAN,
						   "There are no classes.");
	else
		sdcpg_step_measure(result, "k_anonymity", subject, (double) smallest,
						   "The smallest class has " INT64_FORMAT " %s.",
						   smallest, smallest == 1 ? "record" : "records");
	sdcpg_step_measure(result, "unchanged", subject, (double) unchanged,
					   INT64_FORMAT " %s kept all their keys as they were.",
					   unchanged, unchanged == 1 ? "record" : "records");
}

static void
report_sensitive(const Recode *recode, int s, const SdcClassReport *found,
				 ReturnSetInfo *result)
{
	const char *subject = recode->sensitive.column[s].name;
	const SdcClassRequest *request = &recode->wanted[s].request;
	const SdcMeasure *row = NULL;

	while ((row = sdcpg_measure_next(SDC_MEASURE_RISK, row)) != NULL)
	{
		const SdcClassWorst *worst;

		if (row->model != SDC_MODEL_VALUES ||
			(request->wanted & SDC_CLASS_WANT(row->line)) == 0)
			continue;
		worst = &found->worst[row->line];
		if (row->line == SDC_CLASS_DISTINCT)
			sdcpg_step_measure(result, "l_distinct", subject, worst->value,
							   "The least different values that a class has.");
		else if (row->line == SDC_CLASS_T_EQUAL)
			sdcpg_step_measure(
				result, "t_equal", subject, worst->value,
				"The farthest that a class is from the whole table.");
		else
			sdcpg_step_measure(result, row->name, subject, worst->value,
							   "%s %.4g.", psprintf(row->figure, request->c),
							   worst->value);
	}
}

static void
report_granularity(const Recode *recode, ReturnSetInfo *result)
{
	const SdcLocalRecoding *local = recode->local;
	int j;

	sdcpg_step_measure(result, "granularity", recode->target->sql,
					   local->granularity,
					   "1 would be all detail kept, 0 none.");
	for (j = 0; j < local->keys; j++)
		sdcpg_step_measure(result, "granularity", recode->keys.column[j].name,
						   local->of_key == NULL ? NAN : local->of_key[j],
						   "The same of this key alone.");
}

/*
 * recode_locally(relation regclass, target text, id name, keys columns,
 *                sensitive columns, k integer, l float8, params jsonb)
 */
Datum
sdcf_recode_locally(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Recode *recode = read_arguments(fcinfo);
	SdcClassReport *found =
		palloc(sizeof(SdcClassReport) * (recode->sensitive.count + 1));
	int level = NewGUCNestLevel();
	int s;

	/* what is written is made of texts */
	sdcpg_print_alike();
	recode->host = sdcpg_host_begin("recode_locally", CurrentMemoryContext);
	run(recode, found);
	report_columns(recode, result);
	report_classes(recode, result);
	for (s = 0; s < recode->sensitive.count; s++)
		report_sensitive(recode, s, &found[s], result);
	report_granularity(recode, result);
	sdcpg_host_end(recode->host);
	AtEOXact_GUC(true, level);
	return (Datum) 0;
}
