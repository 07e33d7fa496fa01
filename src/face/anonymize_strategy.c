/*
 * anonymize_strategy.c
 *		Stored strategies: made, applied to other rows, verified, dropped.
 *
 * A strategy fixes the level of each key, so that there is nothing to search:
 * the lattice has one node.  Whether the models hold depends on the rows, and
 * is found out each time.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "face/anonymize.h"
#include "pg/call/args.h"
#include "pg/server/compat.h"
#include "pg/call/params.h"
#include "pg/call/params_names.h"
#include "pg/server/result.h"
#include "pg/generalization/strategy.h"

PG_FUNCTION_INFO_V1(sdcf_create_strategy);
PG_FUNCTION_INFO_V1(sdcf_drop_strategy);
PG_FUNCTION_INFO_V1(sdcf_apply_strategy);
PG_FUNCTION_INFO_V1(sdcf_verify_strategy);

/* The levels that an array lists, which must be as many as the keys. */
static int
read_levels(ArrayType *levels, int keys, int *level)
{
	Datum *element;
	bool *isnull;
	int count;
	int i;

	deconstruct_array(levels, INT4OID, sizeof(int32), true, TYPALIGN_INT,
					  &element, &isnull, &count);
	if (count != keys || keys > SDC_LATTICE_MAX_KEYS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"levels\" must have one level for each of "
						"%d keys",
						keys)));
	for (i = 0; i < count; i++)
	{
		if (isnull[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument \"levels\" must not contain nulls")));
		level[i] = DatumGetInt32(element[i]);
	}
	return count;
}

/* Stops when a level is not one of the key's hierarchy. */
static void
check_level(Jsonb *params, const char *key, int level)
{
	char *hierarchy = sdcpg_params_member(params, "hierarchies", key);
	int height = hierarchy ? sdcpg_hierarchy_height(hierarchy) : 1;

	if (level < 0 || level > height)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" has no level %d", key, level),
						errdetail("Its levels are 0 to %d.", height)));
}

static void
check_levels(const SdcGeneralizationArguments *arguments, const int *level)
{
	Datum *name;
	bool *isnull;
	int count;
	int i;

	deconstruct_array(arguments->keys, NAMEOID, NAMEDATALEN, false,
					  TYPALIGN_CHAR, &name, &isnull, &count);
	for (i = 0; i < count; i++)
	{
		if (isnull[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument \"keys\" must not contain nulls")));
		check_level(arguments->params, NameStr(*DatumGetName(name[i])),
					level[i]);
	}
}

/*
 * create_strategy(strategy text, levels integer[], keys name[],
 *                 sensitive name[], k integer, c float8, l float8, t float8,
 *                 method text, params jsonb)
 */
Datum
sdcf_create_strategy(PG_FUNCTION_ARGS)
{
	char *name = sdcf_anonymize_text(fcinfo, 0, "strategy");
	SdcGeneralizationArguments arguments;
	int level[SDC_LATTICE_MAX_KEYS];
	int keys;

	if (PG_ARGISNULL(1))
		sdcpg_args_null("levels");
	if (PG_ARGISNULL(2))
		sdcpg_args_null("keys");
	arguments = sdcpg_generalization_arguments(fcinfo, 2);
	sdcpg_params_check(arguments.params, sdcf_anonymize_params);
	if (sdcpg_params_has(arguments.params, "levels"))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a strategy has its levels in argument \"levels\", "
						"not in \"params\"")));
	keys = ArrayGetNItems(ARR_NDIM(arguments.keys), ARR_DIMS(arguments.keys));
	if (keys == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"keys\" must name at least one column")));
	read_levels(PG_GETARG_ARRAYTYPE_P(1), keys, level);
	check_levels(&arguments, level);
	sdcpg_strategy_create(name, &arguments, level, keys);
	PG_RETURN_VOID();
}

/* drop_strategy(strategy text) */
Datum
sdcf_drop_strategy(PG_FUNCTION_ARGS)
{
	sdcpg_strategy_drop(sdcf_anonymize_text(fcinfo, 0, "strategy"));
	PG_RETURN_VOID();
}

/* The problem of a strategy for the relation that is argument 1. */
static SdcGeneralization *
read_strategy(FunctionCallInfo fcinfo, const char *name)
{
	SdcGeneralizationArguments arguments = sdcpg_strategy_find(name);

	if (PG_ARGISNULL(1))
		sdcpg_args_null("rel");
	return sdcpg_generalization_new(sdcpg_relation_find(PG_GETARG_OID(1)),
									&arguments);
}

/* Checks the one node there is; without records there is nothing to check. */
static void
check_node(SdcGeneralization *problem, SdcLatticeResult *search)
{
	SdcLatticeNode *node = &search->best;
	int i;

	memset(search, 0, sizeof(*search));
	for (i = 0; i < problem->keys; i++)
		node->level[i] = problem->key[i].lowest;
	if (problem->lattice == NULL)
		node->feasible = true;
	else
	{
		uint8 level[SDC_LATTICE_MAX_KEYS];

		memcpy(level, node->level, sizeof(level));
		sdc_lattice_check(problem->lattice, level, node);
	}
}

/* apply_strategy(strategy text, rel regclass, target text) */
Datum
sdcf_apply_strategy(PG_FUNCTION_ARGS)
{
	char *name = sdcf_anonymize_text(fcinfo, 0, "strategy");
	Anonymizing anonymizing;
	SdcTarget *target;
	SdcPgHost *host;

	anonymizing.problem = read_strategy(fcinfo, name);
	if (PG_ARGISNULL(2))
		sdcpg_args_null("target");
	target = sdcpg_target_find(PG_GETARG_TEXT_PP(2));
	sdcf_anonymize_begin(&anonymizing, target);
	anonymizing.result = sdcpg_result_begin(fcinfo);
	host = sdcpg_host_begin("apply_strategy", CurrentMemoryContext);
	sdcpg_generalization_load(host, anonymizing.problem);
	check_node(anonymizing.problem, &anonymizing.search);
	if (!anonymizing.search.best.feasible)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("strategy \"%s\" does not hold for relation \"%s\"", name,
					anonymizing.problem->relation->name),
			 errdetail(INT64_FORMAT " of " INT64_FORMAT
									" records are in classes that fail, "
									"and " INT64_FORMAT " may be suppressed.",
					   (int64) anonymizing.search.best.suppressed,
					   (int64) anonymizing.problem->frequency->records,
					   (int64) anonymizing.problem->problem.limit),
			 errhint("Search again with sdc.anonymize.")));
	sdcf_anonymize_finish(&anonymizing);
	sdcpg_host_end(host);
	return (Datum) 0;
}

static void
put_check(const Anonymizing *anonymizing, const char *name)
{
	const SdcGeneralization *problem = anonymizing->problem;
	const SdcLatticeNode *node = &anonymizing->search.best;
	const char *subject = problem->relation->sql;

	sdcf_anonymize_put(
		anonymizing, "holds", subject, node->feasible,
		psprintf("Strategy \"%s\" %s.", name,
				 node->feasible ? "holds: the relation can be written with it"
								: "does not hold: more records would have to "
								  "be suppressed than may be"));
	sdcf_anonymize_put(anonymizing, "records", subject,
					   problem->frequency->records,
					   "Records of the relation.");
	sdcf_anonymize_put(anonymizing, "suppressed", subject, node->suppressed,
					   psprintf("Records in classes that fail; " INT64_FORMAT
								" may be suppressed.",
								(int64) problem->problem.limit));
	sdcf_anonymize_put(anonymizing, "classes", subject, node->classes,
					   "Classes that do not fail.");
	sdcf_anonymize_put(anonymizing, "k_anonymity", subject,
					   node->classes > 0 ? (double) node->smallest : NAN,
					   "Records of the smallest of them.");
}

/* verify_strategy(strategy text, rel regclass) */
Datum
sdcf_verify_strategy(PG_FUNCTION_ARGS)
{
	char *name = sdcf_anonymize_text(fcinfo, 0, "strategy");
	Anonymizing anonymizing;
	SdcPgHost *host;

	anonymizing.problem = read_strategy(fcinfo, name);
	anonymizing.result = sdcpg_result_begin(fcinfo);
	host = sdcpg_host_begin("verify_strategy", CurrentMemoryContext);
	sdcpg_generalization_load(host, anonymizing.problem);
	check_node(anonymizing.problem, &anonymizing.search);
	put_check(&anonymizing, name);
	sdcpg_host_end(host);
	return (Datum) 0;
}
