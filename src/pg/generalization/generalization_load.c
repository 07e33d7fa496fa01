/*
 * generalization_load.c
 *		Full-domain generalization of a relation: counted, mapped, searched.
 *
 * The relation is read once, into a frequency table of the keys and the
 * sensitive columns; the hierarchies are applied to the values that occur.
 * The kernel sees codes, groups and shares only.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

#include "pg/call/args.h"
#include "pg/server/compat.h"
#include "pg/generalization/generalization.h"

static void
count(SdcGeneralization *problem)
{
	SdcFrequencyRequest request;
	SdcFrequencyTable table;
	int i;

	memset(&request, 0, sizeof(request));
	request.relation = problem->relation;
	for (i = 0; i < problem->keys; i++)
	{
		SdcRelationColumns one = {1, &problem->key[i].column};

		sdcpg_frequency_want(&request, &one);
	}
	sdcpg_frequency_want(&request, &problem->sensitive);
	sdcpg_frequency_load(problem->host, &request, 1, &table);
	problem->frequency = table.frequency;
	for (i = 0; i < problem->keys; i++)
		problem->key[i].dictionary = table.dictionary[i];
	for (i = 0; i < problem->sensitive.count; i++)
	{
		char *name = sdcpg_generalization_t_hierarchy(
			problem, problem->sensitive.column[i].name);

		if (name != NULL)
			problem->model[i].request.hierarchy = sdcpg_hierarchy_map(
				problem->host, name, table.dictionary[problem->keys + i]);
	}
}

static bool
has_nulls(const SdcFrequency *frequency, int column)
{
	int32 cell;

	for (cell = 0; cell < frequency->cells; cell++)
		if (frequency->code[column][cell] == SDC_CODE_NULL)
			return true;
	return false;
}

/*
 * The map of a key without a hierarchy: its values, of which NULL is one, then
 * * for all.
 */
static SdcHierarchyMap *
plain_map(SdcPgHost *host, SdcDictionary *dictionary, bool nulls)
{
	SdcHost *kernel = &host->kernel;
	SdcHierarchyMap *map = sdc_new(kernel, SdcHierarchyMap, 1);
	int32 values = sdcpg_dictionary_values(dictionary);
	int32 domain = values + (nulls ? 1 : 0);
	int32 i;

	map->groups = sdc_hierarchy_new(kernel, values, 2);
	map->groups->groups[1] = Min(values, 1);
	map->label = sdc_new(kernel, char **, 2);
	map->share = sdc_new(kernel, double *, 2);
	map->label[0] = sdc_new(kernel, char *, values);
	map->label[1] = sdc_new(kernel, char *, 1);
	map->share[0] = sdc_new(kernel, double, values);
	map->share[1] = sdc_new(kernel, double, 1);
	for (i = 0; i < values; i++)
	{
		map->groups->group[1][i] = 0;
		map->label[0][i] = sdcpg_dictionary_text(dictionary, i);
		map->share[0][i] = 1.0 / domain;
	}
	map->label[1][0] = "*";
	map->share[1][0] = 1;
	map->domain = domain;
	return map;
}

/* Adds a group without values to each level that has one group but not *. */
static void
part_nulls(SdcHost *host, SdcHierarchyMap *map)
{
	int level;

	for (level = 0; level < map->groups->levels; level++)
	{
		char **label = map->label[level];
		double *share = map->share[level];

		if (map->groups->groups[level] != 1 ||
			(level > 0 && strcmp(label[0], "*") == 0))
			continue;
		map->groups->groups[level] = 2;
		map->label[level] = sdc_new(host, char *, 2);
		map->label[level][0] = label[0];
		map->label[level][1] = "";
		map->share[level] = sdc_new(host, double, 2);
		map->share[level][0] = map->share[level][1] = share[0];
	}
}

/* Tells with an error of a hierarchy which column it was applied to. */
static void
name_column(void *argument)
{
	errcontext("generalizing column \"%s\"", (const char *) argument);
}

static void
map_keys(SdcGeneralization *problem)
{
	ErrorContextCallback context = {error_context_stack, name_column, NULL};
	bool nulls;
	int i;

	error_context_stack = &context;

	for (i = 0; i < problem->keys; i++)
	{
		SdcGeneralizationKey *key = &problem->key[i];

		context.arg = key->column.name;
		nulls = has_nulls(problem->frequency, i);
		key->map = key->hierarchy == NULL
					   ? plain_map(problem->host, key->dictionary, nulls)
					   : sdcpg_hierarchy_load(problem->host, key->hierarchy,
											  key->dictionary);
		if (nulls)
			part_nulls(&problem->host->kernel, key->map);
	}
	error_context_stack = context.previous;
}

static SdcLatticeKey *
kernel_keys(const SdcGeneralization *problem)
{
	SdcLatticeKey *keys =
		sdc_new(&problem->host->kernel, SdcLatticeKey, problem->keys);
	int i;

	for (i = 0; i < problem->keys; i++)
	{
		const SdcGeneralizationKey *key = &problem->key[i];

		keys[i] = sdc_lattice_key(key->map->groups);
		keys[i].share = (const double *const *) key->map->share;
		keys[i].domain = key->map->domain;
		keys[i].lowest = key->lowest;
		keys[i].highest = key->highest;
		keys[i].weight = key->weight;
		keys[i].join_nulls = true;
	}
	return keys;
}

/* What the kernel says of the problem, in words. */
static void
check_status(const SdcGeneralization *problem, SdcLatticeStatus status,
			 int key)
{
	const char *column = key >= 0 ? problem->key[key].column.name : "";

	switch (status)
	{
		case SDC_LATTICE_OK:
		case SDC_LATTICE_EMPTY:
			return;
		case SDC_LATTICE_WEIGHTS:
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("key \"weights\" in argument \"params\" "
								   "must give at least one key a weight above "
								   "0")));
			return;
		case SDC_LATTICE_SHARES:
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("metric \"%s\" cannot take the hierarchy of column "
						"\"%s\"",
						sdcpg_generalization_metric(problem), column),
				 errdetail("Its groups have a width, and a single value "
						   "has none.")));
			return;
		case SDC_LATTICE_TOO_LARGE:
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("the lattice has more than 2^62 nodes"),
					 errhint("Take fewer keys, or give each a range of levels "
							 "in key \"levels\" of argument \"params\".")));
			return;
		case SDC_LATTICE_OVERFLOW:
			ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
							errmsg("more than 2^47 records")));
			return;
		default:
			elog(ERROR, "a lattice problem is wrong in column \"%s\"", column);
	}
}

void
sdcpg_generalization_load(SdcPgHost *host, SdcGeneralization *problem)
{
	SdcLatticeProblem *kernel = &problem->problem;
	SdcLatticeStatus status;
	int64 records;
	int key = -1;

	problem->host = host;
	count(problem);
	records = problem->frequency->records;
	sdcpg_args_group_size(problem->arguments.k, records);
	map_keys(problem);
	kernel->frequency = problem->frequency;
	kernel->keys = problem->keys;
	kernel->key = kernel_keys(problem);
	kernel->sensitives = problem->sensitive.count;
	kernel->sensitive = problem->model;
	kernel->k = problem->arguments.k;
	kernel->limit = (int64) floor(problem->suppression * records / 100);
	status = sdc_lattice_start(&host->kernel, kernel, &problem->lattice, &key);
	check_status(problem, status, key);
}

/* Why there is no node, and what might help. */
static void
report_nothing(const SdcGeneralization *problem,
			   const SdcLatticeResult *result)
{
	if (result->proven)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no node of the lattice satisfies the models"),
				 errdetail("At most " INT64_FORMAT " of " INT64_FORMAT
						   " records may be suppressed.",
						   (int64) problem->problem.limit,
						   (int64) problem->frequency->records),
				 errhint("Allow higher levels or, in key \"suppression\" of "
						 "argument \"params\", a larger percentage of "
						 "suppressed records.")));
	ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					errmsg("no node found after " INT64_FORMAT " checks",
						   (int64) result->checked),
					errhint("Raise \"max_checks\" in argument \"params\".")));
}

void
sdcpg_generalization_search(SdcGeneralization *problem, bool missing,
							SdcLatticeResult *result)
{
	SdcLatticeBudget budget = {0};

	budget.checks = problem->max_checks;
	memset(result, 0, sizeof(*result));
	if (problem->lattice == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("relation \"%s\" has no records",
							   problem->relation->name)));
	problem->host->kernel.stage(&problem->host->kernel, "searching");
	sdc_lattice_search(problem->lattice, &budget, result);
	if (!result->found && !missing)
		report_nothing(problem, result);
}

Jsonb *
sdcpg_generalization_levels(const SdcGeneralization *problem,
							const uint8 *level)
{
	StringInfoData text;
	int i;

	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	for (i = 0; i < problem->keys; i++)
	{
		if (i > 0)
			appendStringInfoString(&text, ", ");
		escape_json(&text, problem->key[i].column.name);
		appendStringInfo(&text, ": %d", level[i]);
	}
	appendStringInfoChar(&text, '}');
	return DatumGetJsonbP(
		DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data)));
}
