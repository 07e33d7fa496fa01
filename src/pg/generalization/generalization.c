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

#include "utils/builtins.h"

#include "pg/call/args.h"
#include "pg/call/attributes.h"
#include "pg/server/compat.h"
#include "pg/generalization/generalization.h"
#include "pg/call/params.h"
#include "pg/call/params_members.h"
#include "pg/call/roles.h"
#include "pg/data/target.h"

static const char *const methods[] = {"distinct", "entropy", "recursive",
									  NULL};

static const char *const metrics[] = {"loss",    "aecs",      "discernibility",
									  "entropy", "precision", "height",
									  "ebil",    "ambiguity", NULL};

static const char *const means[] = {"geometric", "arithmetic", "maximum",
									"sum", NULL};

static const char *const null_policies[] = {"category", "ignore", NULL};

static const char *const rls_policies[] = {"stop", "allow", NULL};

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
sdcpg_generalization_arguments(FunctionCallInfo fcinfo, int first)
{
	SdcGeneralizationArguments arguments = {0};

	if (PG_ARGISNULL(first + 2))
		sdcpg_args_null("k");
	if (PG_ARGISNULL(first + 6))
		sdcpg_args_null("method");
	if (!PG_ARGISNULL(first))
		arguments.keys = PG_GETARG_ARRAYTYPE_P(first);
	if (!PG_ARGISNULL(first + 1))
		arguments.sensitive = PG_GETARG_ARRAYTYPE_P(first + 1);
	arguments.k = PG_GETARG_INT32(first + 2);
	sdcpg_args_range("k", arguments.k, 1, INFINITY);
	arguments.c = optional_number(fcinfo, first + 3, "c", 1e-9, 1e9);
	arguments.l = optional_number(fcinfo, first + 4, "l", 1, 1e9);
	arguments.t = optional_number(fcinfo, first + 5, "t", 0, 1);
	arguments.method = text_to_cstring(PG_GETARG_TEXT_PP(first + 6));
	if (!PG_ARGISNULL(first + 7))
		arguments.params = PG_GETARG_JSONB_P(first + 7);
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
				 errmsg("method \"recursive\" needs arguments \"c\" and "
						"\"l\""),
				 errhint("The largest count of a class must be below c times "
						 "the sum of the counts from the l-th on.")));
	if (!recursive && !isnan(given->c))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"c\" is only for method \"recursive\"")));
	if (problem->method == SDC_GENERALIZATION_ENTROPY && isnan(given->l))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("method \"entropy\" needs argument \"l\"")));
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
						errmsg("more than %d keys", SDC_LATTICE_MAX_KEYS)));
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

char *
sdcpg_generalization_t_hierarchy(const SdcGeneralization *problem,
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

/* What every class must meet in each sensitive column. */
static void
read_models(SdcGeneralization *problem)
{
	static const SdcClassMeasure measures[] = {
		SDC_CLASS_DISTINCT, SDC_CLASS_ENTROPY, SDC_CLASS_RECURSIVE};
	const SdcGeneralizationArguments *given = &problem->arguments;
	bool ignore =
		sdcpg_params_choice(given->params, "nulls", null_policies) == 1;
	int s;

	sdcpg_params_members_check(given->params, "t_method", &problem->sensitive,
							   true);
	problem->model =
		palloc0(sizeof(SdcLatticeSensitive) * (problem->sensitive.count + 1));
	for (s = 0; s < problem->sensitive.count; s++)
	{
		SdcClassRequest *request = &problem->model[s].request;

		*request = sdc_class_measures_request();
		request->ignore_nulls = ignore;
		if (problem->method == SDC_GENERALIZATION_RECURSIVE)
			request->c = given->c;
		if (!isnan(given->l))
			demand(request, measures[problem->method], given->l);
		if (!isnan(given->t))
			demand(request,
				   read_distance(problem, problem->sensitive.column[s].name),
				   given->t);
	}
}

static void
read_search(SdcGeneralization *problem)
{
	Jsonb *params = problem->arguments.params;
	SdcLatticeProblem *kernel = &problem->problem;

	*kernel = sdc_lattice_problem();
	kernel->metric = sdcpg_params_choice(params, "metric", metrics);
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
	SdcRelationColumns keys;

	problem->arguments = *arguments;
	problem->relation = relation;
	problem->method = sdcpg_args_choice(
		"method", cstring_to_text(arguments->method), methods);
	check_models(problem);
	sdcpg_target_need_all_rows(
		relation,
		sdcpg_params_choice(arguments->params, "rls", rls_policies) == 1);
	keys = sdcpg_roles_need_columns(relation, "keys", arguments->keys,
									SDC_ROLE_KEY);
	if (arguments->sensitive != NULL)
		problem->sensitive = sdcpg_relation_columns(relation, "sensitive",
													arguments->sensitive);
	sdcpg_attributes_disjoint(&keys, &problem->sensitive);
	if (!isnan(arguments->l) || !isnan(arguments->t))
		problem->sensitive = sdcpg_roles_need_columns(
			relation, "sensitive", arguments->sensitive, SDC_ROLE_SENSITIVE);
	else
		problem->sensitive.count = 0;
	sdcpg_attributes_disjoint(&keys, &problem->sensitive);
	read_keys(problem, &keys);
	read_models(problem);
	read_search(problem);
	return problem;
}

const char *
sdcpg_generalization_metric(const SdcGeneralization *problem)
{
	return metrics[problem->problem.metric];
}
