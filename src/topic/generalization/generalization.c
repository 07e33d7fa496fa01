/*
 * generalization.c
 *		Full-domain generalization of a relation: the problem, read from SQL.
 *
 * Everything that can be wrong with the arguments is found here, before rows
 * are read: what is asked of params, what the models need, and what does not
 * go together.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/frequency.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/generalization/generalization.h"
#include "kernel/generalization/lattice.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"
#include "topic/generalization/generalization.h"
#include "topic/generalization/hierarchy.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"
#include "topic/registry/words.h"

/* A key on its level. */
typedef struct SdcGeneralizationDigit
{
	const SdcHierarchy *groups;
	int level;
	int32 count; /* groups on the level */
	bool single; /* all of them one group, and NULL with it */
	int number;  /* which number of the class the group is a part of ... */
	int64 step;  /* ... and what it counts there; 0: it has no part */
} SdcGeneralizationDigit;

/* ----------------------------------------------------------------------
 * The key "importance" of params: how dear the values of a column are.
 *
 * Read pair by pair, so that a name that is misspelt is not passed over.
 * ----------------------------------------------------------------------
 */

#define LEAST 0.001
#define MOST  1000

static const char *const key = "importance";

/* The place of a column by its name. */
static int
find_column(const SdcRelationColumns *columns, const JsonbValue *name)
{
	char *text = pnstrdup(name->val.string.val, name->val.string.len);
	int j;

	for (j = 0; j < columns->count; j++)
		if (strcmp(columns->column[j].name, text) == 0)
			return j;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("key \"%s\" in argument \"params\" names \"%s\", "
						   "which is not one of the keys",
						   key, text)));
}

static double
read_number(const JsonbValue *value)
{
	double number = -1;

	if (value->type == jbvNumeric)
		number = DatumGetFloat8(DirectFunctionCall1(
			numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
	if (!(number >= LEAST && number <= MOST))
		sdcpg_params_wrong(key,
						   psprintf("an object of numbers between %g and %g",
									LEAST, (double) MOST));
	return number;
}

double *
sdcpg_importance_read(Jsonb *params, const SdcRelationColumns *columns)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	double *importance;
	int j = 0;

	if (!sdcpg_params_find(params, key, &value))
		return NULL;
	if (value.type != jbvBinary ||
		!JsonContainerIsObject(value.val.binary.data))
		sdcpg_params_wrong(key, "an object of numbers");
	importance = palloc(sizeof(double) * columns->count);
	for (j = 0; j < columns->count; j++)
		importance[j] = 1;
	iterator = JsonbIteratorInit(value.val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		if (token == WJB_KEY)
			j = find_column(columns, &value);
		else if (token == WJB_VALUE)
			importance[j] = read_number(&value);
	return importance;
}

/* ----------------------------------------------------------------------
 * Numbers of the classes of a generalized relation.
 *
 * A number is a sum of parts, one for each key, so that a query can add up
 * what it has joined for each of them.
 * ----------------------------------------------------------------------
 */

/* Numbers of classes stay below this; what exceeds it takes another number. */
#define LARGEST_NUMBER (INT64CONST(1) << 62)

/* The keys on their levels; numbers are only made when they are wanted. */
static SdcGeneralizationDigit *
generalization_digits(const SdcGeneralization *problem, const uint8 *level)
{
	SdcGeneralizationDigit *digit =
		palloc0(sizeof(SdcGeneralizationDigit) * problem->keys);
	int i;

	for (i = 0; i < problem->keys; i++)
	{
		digit[i].groups = problem->key[i].map->groups;
		digit[i].level = level[i];
		digit[i].count = digit[i].groups->groups[level[i]];
		digit[i].single = digit[i].count <= 1 && level[i] > 0;
	}
	return digit;
}

/*
 * Gives each key a digit of the number of a class, and returns how many
 * numbers a class has: at least 1.
 */
static int
generalization_number(const SdcGeneralization *problem,
					  SdcGeneralizationDigit *digit)
{
	int numbers = 1;
	int64 step = 1;
	int i;

	for (i = 0; i < problem->keys; i++)
	{
		int64 base = (int64) digit[i].count + 1;

		if (digit[i].single)
			continue;
		if (step > LARGEST_NUMBER / base)
		{
			step = 1;
			numbers++;
		}
		digit[i].number = numbers - 1;
		digit[i].step = step;
		step *= base;
	}
	return numbers;
}

/* The group of a code; NULL is the last one unless there is but one. */
static int32
generalization_group(const SdcGeneralizationDigit *digit, int32 code)
{
	if (digit->single)
		return 0;
	return code == SDC_CODE_NULL ? digit->count
								 : digit->groups->group[digit->level][code];
}

/* The groups of the classes that fail on these levels, each class once. */
static SdcFrequency *
generalization_failing(SdcGeneralization *problem, const uint8 *level,
					   const SdcGeneralizationDigit *digit)
{
	SdcHost *host = &problem->host->kernel;
	const SdcFrequency *frequency = problem->frequency;
	bool *suppressed = sdc_new(host, bool, frequency->cells);
	int32 *code = sdc_new(host, int32, problem->keys);
	int32 *values = sdc_new(host, int32, problem->keys);
	SdcFrequencyCount *counting =
		sdc_frequency_start(host, problem->keys, false);
	int32 cell;
	int i;

	sdc_lattice_suppressed(problem->lattice, level, suppressed);
	for (i = 0; i < problem->keys; i++)
		values[i] = digit[i].count + 1;
	for (cell = 0; cell < frequency->cells; cell++)
	{
		if (cell % (SDC_POLL_STEPS / 8) == 0)
			host->poll(host, cell, frequency->cells);
		if (!suppressed[cell])
			continue;
		for (i = 0; i < problem->keys; i++)
			code[i] =
				generalization_group(&digit[i], frequency->code[i][cell]);
		sdc_frequency_add(counting, code, 1, 0);
	}
	return sdc_frequency_finish(counting, NULL, values, NULL);
}

int32
sdcpg_generalization_classes(SdcGeneralization *problem, const uint8 *level,
							 const SdcClasses *classes, int32 *number)
{
	SdcHost *host = &problem->host->kernel;
	SdcGeneralizationDigit *digit = generalization_digits(problem, level);
	SdcFrequencyCount *counting =
		sdc_frequency_start(host, problem->keys, false);
	int32 *code = sdc_new(host, int32, problem->keys);
	int32 *values = sdc_new(host, int32, problem->keys);
	int32 most = -1;
	int32 c;
	int i;

	for (i = 0; i < problem->keys; i++)
		values[i] = digit[i].count + 1;
	for (c = 0; c < classes->classes; c++)
	{
		if (c % (SDC_POLL_STEPS / 8) == 0)
			host->poll(host, c, classes->classes);
		for (i = 0; i < problem->keys; i++)
			code[i] = generalization_group(
				&digit[i], problem->frequency->code[i][classes->first[c]]);
		number[c] = sdc_frequency_add(counting, code, 1, 0);
		most = Max(most, number[c]);
	}
	sdc_frequency_release(host,
						  sdc_frequency_finish(counting, NULL, values, NULL));
	host->release(host, code);
	host->release(host, values);
	return most + 1;
}

/* ----------------------------------------------------------------------
 * Full-domain generalization of a relation: the problem, read from SQL.
 * ----------------------------------------------------------------------
 */

const char *const sdcpg_diversity_words[] = {"distinct", "entropy",
											 "recursive", NULL};

const char *const sdcpg_outlier_words[] = {"suppress", "remove", NULL};

const char *const sdcpg_generalization_metrics[] = {
	"loss",   "aecs", "discernibility", "entropy", "precision",
	"height", "ebil", "ambiguity",      NULL};

static const char *const means[] = {"geometric", "arithmetic", "maximum",
									"sum", NULL};

#define HIERARCHICAL "hierarchical:"

static double
optional_number(FunctionCallInfo fcinfo, int number, const char *name,
				double low, double high)
{
	double value;

	if (PG_ARGISNULL(number))
		return NAN;
	value = PG_GETARG_FLOAT8(number);
	sdcpg_args_range(name, value, low, high);
	return value;
}

SdcGeneralizationArguments
sdcpg_generalization_arguments(FunctionCallInfo fcinfo, int keys,
							   int sensitive, int params)
{
	SdcGeneralizationArguments arguments = {0};

	sdcpg_args_need(fcinfo, sensitive + 1);
	sdcpg_args_need(fcinfo, sensitive + 5);
	if (!PG_ARGISNULL(keys))
		arguments.keys = PG_GETARG_ARRAYTYPE_P(keys);
	if (!PG_ARGISNULL(sensitive))
		arguments.sensitive = PG_GETARG_ARRAYTYPE_P(sensitive);
	arguments.k = PG_GETARG_INT32(sensitive + 1);
	sdcpg_args_range("k", arguments.k, 1, INFINITY);
	arguments.c = optional_number(fcinfo, sensitive + 2, "c", 1e-9, 1e9);
	arguments.l = optional_number(fcinfo, sensitive + 3, "l", 1, 1e9);
	arguments.t = optional_number(fcinfo, sensitive + 4, "t", 0, 1);
	arguments.method = text_to_cstring(PG_GETARG_TEXT_PP(sensitive + 5));
	if (!PG_ARGISNULL(params))
		arguments.params = PG_GETARG_JSONB_P(params);
	return arguments;
}

/* Which arguments go together. */
static void
check_models(const SdcGeneralization *problem)
{
	const SdcGeneralizationArguments *given = &problem->arguments;
	bool recursive = problem->method == SDC_GENERALIZATION_RECURSIVE;

	if (recursive && (isnan(given->c) || isnan(given->l)))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("variant \"recursive\" needs arguments \"c\" and "
						"\"l\""),
				 errhint("The largest count of a class must be below c times "
						 "the sum of the counts from the l-th on.")));
	if (!recursive && !isnan(given->c))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"c\" is only for variant \"recursive\"")));
	if (problem->method == SDC_GENERALIZATION_ENTROPY && isnan(given->l))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("variant \"entropy\" needs argument \"l\"")));
	if (isnan(given->t) && sdcpg_params_text(given->params, "t_method"))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("key \"t_method\" in argument \"params\" is only for "
						"argument \"t\"")));
}

/* Levels that params asks for, which the hierarchy must have. */
static void
read_levels(const SdcGeneralization *problem, SdcGeneralizationKey *key)
{
	const char *name = key->column.name;
	int height = key->hierarchy ? sdcpg_hierarchy_height(key->hierarchy) : 1;

	key->lowest = 0;
	key->highest = height;
	sdcpg_params_member_range(problem->arguments.params, "levels", name,
							  &key->lowest, &key->highest);
	if (key->highest > height)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" has no level %d", name, key->highest),
				 key->hierarchy
					 ? errdetail("The last level of hierarchy \"%s\" is %d.",
								 key->hierarchy, height)
					 : errdetail("Without a hierarchy there are level 0, the "
								 "values, and level 1, * in place of all of "
								 "them.")));
}

static void
read_keys(SdcGeneralization *problem, const SdcRelationColumns *keys)
{
	Jsonb *params = problem->arguments.params;
	int i;

	if (keys->count > SDC_LATTICE_MAX_KEYS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("%d keys are more than a lattice can have (%d)",
							   keys->count, SDC_LATTICE_MAX_KEYS),
						errhint("Take fewer keys, or call recode_locally or "
								"suppress, which take any number of them.")));
	sdcpg_params_members_check(params, "hierarchies", keys, false);
	sdcpg_params_members_check(params, "levels", keys, false);
	sdcpg_params_members_check(params, "weights", keys, false);
	problem->keys = keys->count;
	problem->key = palloc0(sizeof(SdcGeneralizationKey) * keys->count);
	for (i = 0; i < keys->count; i++)
	{
		SdcGeneralizationKey *key = &problem->key[i];

		key->column = keys->column[i];
		key->hierarchy =
			sdcpg_params_member(params, "hierarchies", key->column.name);
		key->weight = sdcpg_params_member_number(params, "weights",
												 key->column.name, 1, 0, 1e6);
		read_levels(problem, key);
	}
}

/* The word of params.t_method for one column, without the hierarchy. */
static SdcClassMeasure
read_distance(const SdcGeneralization *problem, const char *column)
{
	char *word =
		sdcpg_params_member(problem->arguments.params, "t_method", column);

	if (word == NULL || strcmp(word, "equal") == 0)
		return SDC_CLASS_T_EQUAL;
	if (strcmp(word, "ordered") == 0)
		return SDC_CLASS_T_ORDERED;
	if (strncmp(word, HIERARCHICAL, strlen(HIERARCHICAL)) == 0)
		return SDC_CLASS_T_HIERARCHICAL;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unrecognized t_method \"%s\"", word),
					errhint("Valid values are \"equal\", \"ordered\", "
							"\"hierarchical:NAME\" with the name of a "
							"hierarchy.")));
}

/*
 * The hierarchy that params.t_method gives to a sensitive column; NULL when it
 * has another distance, or t is not asked for.
 */
static char *
generalization_t_hierarchy(const SdcGeneralization *problem,
						   const char *column)
{
	if (isnan(problem->arguments.t) ||
		read_distance(problem, column) != SDC_CLASS_T_HIERARCHICAL)
		return NULL;
	return sdcpg_params_member(problem->arguments.params, "t_method", column) +
		   strlen(HIERARCHICAL);
}

static void
demand(SdcClassRequest *request, SdcClassMeasure measure, double bound)
{
	request->wanted |= SDC_CLASS_WANT(measure);
	request->bound[measure] = bound;
}

/* Leaves out the sensitive columns that no model is about. */
static void
keep_wanted(SdcGeneralization *problem)
{
	int kept = 0;
	int s;

	for (s = 0; s < problem->sensitive.count; s++)
	{
		if (problem->wanted[s].request.wanted == 0)
			continue;
		problem->sensitive.column[kept] = problem->sensitive.column[s];
		problem->wanted[kept] = problem->wanted[s];
		problem->model[kept++] = problem->model[s];
	}
	problem->sensitive.count = kept;
}

/* What every class must meet in each sensitive column. */
static void
read_models(SdcGeneralization *problem)
{
	static const SdcClassMeasure measures[] = {
		SDC_CLASS_DISTINCT, SDC_CLASS_ENTROPY, SDC_CLASS_RECURSIVE};
	const SdcGeneralizationArguments *given = &problem->arguments;
	/* classes of a category are no larger than those of wildcards */
	SdcModelColumn *wanted;
	bool ignore = sdcpg_nulls_read(problem->relation, given->params,
								   SDC_NULLS_AS(SDC_NULLS_CATEGORY) |
									   SDC_NULLS_AS(SDC_NULLS_IGNORE),
								   SDC_NULLS_CATEGORY) == SDC_NULLS_IGNORE;
	int s;

	sdcpg_params_members_check(given->params, "t_method", &problem->sensitive,
							   true);
	problem->model =
		palloc0(sizeof(SdcLatticeSensitive) * (problem->sensitive.count + 1));
	problem->wanted =
		palloc0(sizeof(SdcModelColumn) * (problem->sensitive.count + 1));
	for (s = 0; s < problem->sensitive.count; s++)
	{
		const char *column = problem->sensitive.column[s].name;
		SdcClassRequest *request;

		wanted = &problem->wanted[s];
		request = &wanted->request;
		*request = sdc_class_measures_request();
		request->ignore_nulls = ignore;
		if (problem->method == SDC_GENERALIZATION_RECURSIVE)
			request->c = given->c;
		if (!isnan(given->l))
			demand(request, measures[problem->method], given->l);
		if (!isnan(given->t))
			demand(request, read_distance(problem, column), given->t);
		wanted->hierarchy = generalization_t_hierarchy(problem, column);
		sdcpg_models_of_column(problem->models, column, wanted);
		problem->model[s].request = *request;
	}
	keep_wanted(problem);
}

static void
read_search(SdcGeneralization *problem)
{
	Jsonb *params = problem->arguments.params;
	SdcLatticeProblem *kernel = &problem->problem;

	*kernel = sdc_lattice_problem();
	kernel->metric =
		sdcpg_params_choice(params, "metric", sdcpg_generalization_metrics);
	kernel->mean = sdcpg_params_choice(params, "mean", means);
	kernel->suppression_factor = sdcpg_params_number(
		params, "factor", kernel->suppression_factor, 0, 1);
	problem->suppression =
		sdcpg_params_number(params, "suppression", 0, 0, 100);
	problem->max_checks =
		sdcpg_params_integer(params, "max_checks", 0, 0, PG_INT64_MAX);
	if (kernel->metric != SDC_LATTICE_LOSS &&
		(sdcpg_params_text(params, "mean") != NULL ||
		 kernel->suppression_factor != 0.5))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("keys \"mean\" and \"factor\" in argument \"params\" "
						"are only for metric \"loss\"")));
}

SdcGeneralization *
sdcpg_generalization_new(const SdcRelation *relation,
						 const SdcGeneralizationArguments *arguments)
{
	SdcGeneralization *problem = palloc0(sizeof(SdcGeneralization));
	bool all_rows = sdcpg_params_choice(arguments->params, "rls",
										sdcpg_row_security_words) ==
					SDC_ROW_SECURITY_ALLOW;
	SdcRelationColumns keys;

	problem->arguments = *arguments;
	problem->relation = relation;
	problem->method = sdcpg_args_choice(
		"variant", cstring_to_text(arguments->method), sdcpg_diversity_words);
	check_models(problem);
	problem->k = arguments->k;
	problem->models =
		sdcpg_models_read(arguments->params, SDC_SEARCH_LATTICE, &problem->k);
	sdcpg_target_need_all_rows(relation, all_rows);
	problem->people =
		sdcpg_models_register(problem->models, arguments->params);
	if (problem->people != NULL)
		sdcpg_target_need_all_rows(problem->people, all_rows);
	keys = sdcpg_roles_need_columns(relation, "keys", arguments->keys,
									SDC_ROLE_KEY);
	if (arguments->sensitive != NULL)
		problem->sensitive = sdcpg_relation_columns(relation, "sensitive",
													arguments->sensitive);
	sdcpg_attributes_disjoint(&keys, &problem->sensitive);
	problem->sensitive =
		sdcpg_models_sensitive(problem->models, relation, arguments->sensitive,
							   !isnan(arguments->l) || !isnan(arguments->t));
	sdcpg_attributes_disjoint(&keys, &problem->sensitive);
	read_keys(problem, &keys);
	read_models(problem);
	read_search(problem);
	return problem;
}

const char *
sdcpg_generalization_metric(const SdcGeneralization *problem)
{
	return sdcpg_generalization_metrics[problem->problem.metric];
}

/* ----------------------------------------------------------------------
 * Full-domain generalization of a relation: counted, mapped, searched.
 *
 * The relation is read once, into a frequency table of the keys and the
 * sensitive columns; the hierarchies are applied to the values that occur.
 * The kernel sees codes, groups and shares only.
 * ----------------------------------------------------------------------
 */

static void
load_count(SdcGeneralization *problem)
{
	SdcFrequencyRequest request[2];
	SdcFrequencyTable table[2];
	int i;

	memset(request, 0, sizeof(request));
	request[0].relation = problem->relation;
	request[0].id = problem->id;
	request[1].relation = problem->people;
	for (i = 0; i < problem->keys; i++)
	{
		sdcpg_frequency_want_one(&request[0], problem->key[i].column);
		if (problem->people != NULL)
			sdcpg_frequency_want_one(
				&request[1],
				sdcpg_relation_column(problem->people,
									  problem->key[i].column.name));
	}
	sdcpg_frequency_want(&request[0], &problem->sensitive);
	sdcpg_frequency_load(problem->host, request,
						 problem->people != NULL ? 2 : 1, table);
	problem->table = table[0];
	problem->frequency = table[0].frequency;
	problem->of_people = problem->people != NULL ? table[1].frequency : NULL;
	for (i = 0; i < problem->keys; i++)
		problem->key[i].dictionary = table[0].dictionary[i];
	for (i = 0; i < problem->sensitive.count; i++)
		problem->model[i].request =
			sdcpg_model_bind(problem->host, &problem->wanted[i],
							 table[0].dictionary[problem->keys + i]);
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
		nulls =
			has_nulls(problem->frequency, i) ||
			(problem->of_people != NULL && has_nulls(problem->of_people, i));
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
	load_count(problem);
	records = problem->frequency->records;
	sdcpg_args_group_size(problem->k, records);
	map_keys(problem);
	problem->sizes = sdcpg_models_sizes(problem->models, records);
	kernel->people = problem->of_people;
	kernel->sizes = problem->sizes;
	kernel->frequency = problem->frequency;
	kernel->keys = problem->keys;
	kernel->key = kernel_keys(problem);
	kernel->sensitives = problem->sensitive.count;
	kernel->sensitive = problem->model;
	kernel->k = problem->k;
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

/* ----------------------------------------------------------------------
 * A relation generalized at a node, as a new table.
 *
 * The different values of a key and their labels are two arrays, which the
 * query joins by the equality of the type: a hash table of PostgreSQL's for
 * each key, however many rows there are.  A third array holds the part that
 * the value's group has in the number of its class; the numbers of the classes
 * that fail are a last array to join.  No value stands in the text of the
 * query.
 * ----------------------------------------------------------------------
 */

#define FAILING "f.n0 IS NOT NULL"

typedef struct Writing
{
	SdcGeneralization *problem;
	SdcGeneralizationRelease *release;
	SdcGeneralizationDigit *key;
	SdcFrequency *failing; /* groups of the failing classes, or NULL */
	int numbers;           /* that a class has */
	SdcCatalogParameters *parameters;
	StringInfoData columns;
	StringInfoData joins;
} Writing;

static Datum *
new_elements(Writing *writing, int32 count)
{
	return sdc_new(&writing->problem->host->kernel, Datum, count);
}

/*
 * Binds an array as the next parameter, gives its elements back, and counts it
 * as memory of the call.
 */
static void
bind_array(Writing *writing, Datum *element, int32 count, Oid type, Oid array)
{
	SdcPgHost *host = writing->problem->host;
	ArrayType *bound;
	int16 length;
	bool byval;
	char align;

	get_typlenbyvalalign(type, &length, &byval, &align);
	bound = construct_array(element, count, type, length, byval, align);
	host->kernel.release(&host->kernel, element);
	sdcpg_host_count(host, VARSIZE(bound));
	sdcpg_catalog_bind(writing->parameters, array, PointerGetDatum(bound),
					   false);
}

static void
bind_values(Writing *writing, const SdcGeneralizationKey *key)
{
	int32 count = sdcpg_dictionary_values(key->dictionary);
	Datum *element = new_elements(writing, count);
	Oid array = get_array_type(key->column.base);
	int32 i;

	if (!OidIsValid(array))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("column \"%s\" cannot be generalized",
							   key->column.name),
						errdetail("There is no array type of its type %s.",
								  format_type_be(key->column.type)),
						errhint("Cast it to text in a view.")));
	for (i = 0; i < count; i++)
		element[i] = sdcpg_dictionary_value(key->dictionary, i);
	bind_array(writing, element, count, key->column.base, array);
}

static void
bind_labels(Writing *writing, const SdcGeneralizationKey *key,
			const SdcGeneralizationDigit *written)
{
	int32 count = written->groups->values;
	Datum *group = palloc(sizeof(Datum) * written->count);
	Datum *element = new_elements(writing, count);
	int32 i;

	for (i = 0; i < written->count; i++)
		group[i] = CStringGetTextDatum(key->map->label[written->level][i]);
	for (i = 0; i < count; i++)
		element[i] = group[generalization_group(written, i)];
	bind_array(writing, element, count, TEXTOID, TEXTARRAYOID);
}

static void
bind_parts(Writing *writing, const SdcGeneralizationDigit *written)
{
	int32 count = written->groups->values;
	Datum *element = new_elements(writing, count);
	int32 i;

	for (i = 0; i < count; i++)
		element[i] =
			Int64GetDatum(written->step * generalization_group(written, i));
	bind_array(writing, element, count, INT8OID, get_array_type(INT8OID));
}

/* Two values of a type are equal, as SQL; points are by their bytes. */
static char *
equality(Oid type, const char *a, const char *b)
{
	Oid operator= lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	HeapTuple tuple;
	Form_pg_operator form;
	char *sql;

	if (type == POINTOID)
		return psprintf("pg_catalog.point_send(%s) OPERATOR(pg_catalog.=) "
						"pg_catalog.point_send(%s)",
						a, b);
	tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(operator));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "no equality operator for type %u", type);
	form = (Form_pg_operator) GETSTRUCT(tuple);
	sql = psprintf("%s OPERATOR(%s.%s) %s", a,
				   quote_identifier(get_namespace_name(form->oprnamespace)),
				   NameStr(form->oprname), b);
	ReleaseSysCache(tuple);
	return sql;
}

/* Joins the values of key i with their labels and parts, as m<i>. */
static void
join_key(Writing *writing, int i)
{
	const SdcGeneralizationKey *key = &writing->problem->key[i];
	const SdcGeneralizationDigit *written = &writing->key[i];
	StringInfo joins = &writing->joins;
	bool labels = written->level > 0;

	if (written->single || (!labels && written->step == 0))
		return;
	bind_values(writing, key);
	appendStringInfo(joins, " LEFT JOIN ROWS FROM (pg_catalog.unnest($%d)",
					 writing->parameters->count);
	if (labels)
	{
		bind_labels(writing, key, written);
		appendStringInfo(joins, ", pg_catalog.unnest($%d)",
						 writing->parameters->count);
	}
	if (written->step > 0)
	{
		bind_parts(writing, written);
		appendStringInfo(joins, ", pg_catalog.unnest($%d)",
						 writing->parameters->count);
	}
	appendStringInfo(joins, ") AS m%d (value%s%s) ON %s", i,
					 labels ? ", label" : "",
					 written->step > 0 ? ", part" : "",
					 equality(key->column.base, psprintf("m%d.value", i),
							  psprintf("r.%s", key->column.sql)));
}

/* One number of the failing classes. */
static void
bind_numbers(Writing *writing, int number)
{
	const SdcFrequency *failing = writing->failing;
	Datum *element = new_elements(writing, failing->cells);
	int32 c;
	int i;

	for (c = 0; c < failing->cells; c++)
	{
		int64 sum = 0;

		for (i = 0; i < writing->problem->keys; i++)
			if (writing->key[i].number == number)
				sum += writing->key[i].step * failing->code[i][c];
		element[c] = Int64GetDatum(sum);
	}
	bind_array(writing, element, failing->cells, INT8OID,
			   get_array_type(INT8OID));
}

/* f.n<number> = the sum of the parts of the keys. */
static void
append_condition(Writing *writing, StringInfo sql, int number)
{
	int i;

	appendStringInfo(sql, "%sf.n%d OPERATOR(pg_catalog.=) (0",
					 number > 0 ? " AND " : "", number);
	for (i = 0; i < writing->problem->keys; i++)
	{
		const SdcGeneralizationDigit *key = &writing->key[i];

		if (key->step > 0 && key->number == number)
			appendStringInfo(
				sql,
				" OPERATOR(pg_catalog.+) COALESCE(m%d.part, CAST(" INT64_FORMAT
				" AS pg_catalog.int8))",
				i, key->step * key->count);
	}
	appendStringInfoChar(sql, ')');
}

/* Joins the classes that fail, as f. */
static void
join_failing(Writing *writing)
{
	StringInfo joins = &writing->joins;
	StringInfoData condition;
	int number;

	initStringInfo(&condition);
	appendStringInfoString(joins, " LEFT JOIN ROWS FROM (");
	for (number = 0; number < writing->numbers; number++)
	{
		bind_numbers(writing, number);
		appendStringInfo(joins, "%spg_catalog.unnest($%d)",
						 number > 0 ? ", " : "", writing->parameters->count);
		append_condition(writing, &condition, number);
	}
	appendStringInfoString(joins, ") AS f (");
	for (number = 0; number < writing->numbers; number++)
		appendStringInfo(joins, "%sn%d", number > 0 ? ", " : "", number);
	appendStringInfo(joins, ") ON %s", condition.data);
}

/* A key as the target has it. */
static void
append_key(Writing *writing, int i)
{
	const SdcGeneralizationKey *key = &writing->problem->key[i];
	const SdcGeneralizationDigit *written = &writing->key[i];
	StringInfo sql = &writing->columns;
	bool suppress = writing->failing != NULL && !writing->release->remove;
	char *label = psprintf("m%d.label", i);

	if (written->level == 0)
	{
		sdcpg_target_column(sql, writing->problem->relation, &key->column,
							suppress ? FAILING : NULL);
		return;
	}
	if (written->single)
	{
		sdcpg_catalog_bind_text(
			writing->parameters,
			written->count > 0 ? key->map->label[written->level][0] : "*");
		label = psprintf("$%d", writing->parameters->count);
	}
	if (suppress)
		appendStringInfo(sql, "CASE WHEN " FAILING " THEN '*' ELSE %s END",
						 label);
	else
		appendStringInfoString(sql, label);
	appendStringInfo(sql, " AS %s", key->column.sql);
}

static bool
is_dropped(const SdcGeneralizationRelease *release, const char *name)
{
	ListCell *cell;

	foreach (cell, release->drop)
		if (strcmp(lfirst(cell), name) == 0)
			return true;
	return false;
}

/* The number of the key that a column is, or -1. */
static int
key_of(const SdcGeneralization *problem, AttrNumber number)
{
	int i;

	for (i = 0; i < problem->keys; i++)
		if (problem->key[i].column.number == number)
			return i;
	return -1;
}

static void
append_columns(Writing *writing)
{
	SdcRelationColumns all =
		sdcpg_relation_all_columns(writing->problem->relation);
	int j;

	for (j = 0; j < all.count; j++)
	{
		int i = key_of(writing->problem, all.column[j].number);

		if (is_dropped(writing->release, all.column[j].name))
			continue;
		if (writing->columns.len > 0)
			appendStringInfoString(&writing->columns, ", ");
		if (i >= 0)
			append_key(writing, i);
		else
			sdcpg_target_column(&writing->columns, writing->problem->relation,
								&all.column[j], NULL);
	}
}

static List *
key_names(const SdcGeneralization *problem)
{
	List *names = NIL;
	int i;

	for (i = 0; i < problem->keys; i++)
		names = lappend(names, problem->key[i].column.name);
	return names;
}

/*
 * The planner cannot know that no value is twice in an array; it would expect
 * many rows to come of a join, sort them for a merge, and compile the query.
 * All arrays fit hash tables.
 */
static void
create_by_hashing(Writing *writing, const char *select)
{
	int level = NewGUCNestLevel();

	sdcpg_set_for_now("enable_hashjoin", "on");
	sdcpg_set_for_now("enable_mergejoin", "off");
	sdcpg_set_for_now("enable_nestloop", "off");
	sdcpg_set_for_now("jit", "off");
	writing->release->records = sdcpg_target_create(
		writing->problem->host, writing->release->target, select,
		writing->parameters, key_names(writing->problem));
	AtEOXact_GUC(true, level);
	sdcpg_nulls_inherit(writing->problem->relation->oid,
						writing->release->target);
}

void
sdcpg_generalization_write(SdcGeneralization *problem,
						   SdcGeneralizationRelease *release)
{
	Writing writing = {problem, release};
	MemoryContext caller = MemoryContextSwitchTo(problem->host->work);
	StringInfoData select;
	int i;

	initStringInfo(&writing.columns);
	initStringInfo(&writing.joins);
	writing.parameters = palloc0(sizeof(SdcCatalogParameters));
	writing.key = generalization_digits(problem, release->level);
	if (release->suppressed > 0)
	{
		writing.failing =
			generalization_failing(problem, release->level, writing.key);
		writing.numbers = generalization_number(problem, writing.key);
	}
	for (i = 0; i < problem->keys; i++)
		join_key(&writing, i);
	if (writing.failing != NULL)
		join_failing(&writing);
	append_columns(&writing);
	initStringInfo(&select);
	appendStringInfo(&select, "SELECT %s FROM %s AS r%s", writing.columns.data,
					 problem->relation->sql, writing.joins.data);
	if (writing.failing != NULL && release->remove)
		appendStringInfoString(&select, " WHERE f.n0 IS NULL");
	create_by_hashing(&writing, select.data);
	MemoryContextSwitchTo(caller);
}
