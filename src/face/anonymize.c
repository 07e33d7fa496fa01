/*
 * anonymize.c
 *		sdc.anonymize: a relation generalized into a new table.
 *
 * The best node is searched, written with one CREATE TABLE AS and verified by
 * reading what was written; any failure leaves no table.  The report says what
 * was done to each column.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "face/anonymize.h"
#include "pg/call/args.h"
#include "pg/server/compat.h"
#include "pg/call/params.h"
#include "pg/call/params_names.h"
#include "pg/server/result.h"
#include "pg/call/roles.h"
#include "pg/generalization/strategy.h"

PG_FUNCTION_INFO_V1(sdcf_anonymize);

static const char *const outlier_policies[] = {"suppress", "remove", NULL};

const char *const sdcf_anonymize_params[] = {SDC_GENERALIZATION_PARAMS,
											 "outliers", "drop", NULL};

/* What a measure of a sensitive column is called, and how it is said. */
typedef struct Line
{
	SdcClassMeasure kernel;
	const char *measure;
	const char *sentence;
} Line;

static const Line lines[] = {
	{SDC_CLASS_DISTINCT, "l_distinct",
	 "Each class has at least %.4g different values."},
	{SDC_CLASS_ENTROPY, "l_entropy",
	 "Each class is as diverse as %.4g equally frequent values or more."},
	{SDC_CLASS_RECURSIVE, "l_recursive",
	 "Each class is recursive (c, l)-diverse for l up to %.4g."},
	{SDC_CLASS_T_EQUAL, "t_equal",
	 "No class is further than %.4g from the whole table, any two values "
	 "being 1 apart."},
	{SDC_CLASS_T_ORDERED, "t_ordered",
	 "No class is further than %.4g from the whole table, values being apart "
	 "by rank."},
	{SDC_CLASS_T_HIERARCHICAL, "t_hierarchical",
	 "No class is further than %.4g from the whole table, values being apart "
	 "by the hierarchy."}};

char *
sdcf_anonymize_text(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		sdcpg_args_null(name);
	return text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

void
sdcf_anonymize_put(const Anonymizing *anonymizing, const char *measure,
				   const char *subject, double value, const char *detail)
{
	sdcpg_result_measure(anonymizing->result, measure, subject, value,
						 isnan(value), detail);
}

/* Is the column a key, or one that the models need? */
static bool
is_needed(const SdcGeneralization *problem, AttrNumber number)
{
	int i;

	for (i = 0; i < problem->keys; i++)
		if (problem->key[i].column.number == number)
			return true;
	for (i = 0; i < problem->sensitive.count; i++)
		if (problem->sensitive.column[i].number == number)
			return true;
	return false;
}

/* Identifiers, and what params.drop names. */
static List *
find_dropped(const SdcGeneralization *problem)
{
	SdcRelationColumns identifiers = sdcpg_roles_columns(
		problem->relation, "identifiers", NULL, SDC_ROLE_IDENTIFIER);
	List *dropped = sdcpg_params_names(problem->arguments.params, "drop");
	ListCell *cell;
	int i;

	foreach (cell, dropped)
	{
		SdcRelationColumn column =
			sdcpg_relation_column(problem->relation, lfirst(cell));

		if (is_needed(problem, column.number))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" cannot be dropped", column.name),
					 errdetail("It is a key, or the models need it.")));
	}
	for (i = 0; i < identifiers.count; i++)
		if (!is_needed(problem, identifiers.column[i].number))
			dropped = lappend(dropped, identifiers.column[i].name);
	return dropped;
}

/* Columns that are copied and that no declaration has said anything about. */
static List *
find_undeclared(const Anonymizing *anonymizing)
{
	const SdcGeneralization *problem = anonymizing->problem;
	SdcRelationColumns all = sdcpg_relation_all_columns(problem->relation);
	SdcRoles *roles = sdcpg_roles_find(problem->relation->oid);
	List *known = list_copy(anonymizing->release.drop);
	List *undeclared = NIL;
	int i;

	for (i = 0; i < roles->count; i++)
		known = lappend(known, roles->column[i].name);
	for (i = 0; i < all.count; i++)
		if (!is_needed(problem, all.column[i].number) &&
			!sdcpg_params_is_listed(known, all.column[i].name))
			undeclared = lappend(undeclared, all.column[i].sql);
	return undeclared;
}

void
sdcf_anonymize_begin(Anonymizing *anonymizing, const SdcTarget *target)
{
	SdcGeneralizationRelease *release = &anonymizing->release;
	Jsonb *params = anonymizing->problem->arguments.params;

	memset(release, 0, sizeof(*release));
	release->target = target;
	release->remove =
		sdcpg_params_choice(params, "outliers", outlier_policies) == 1;
	release->drop = find_dropped(anonymizing->problem);
	anonymizing->undeclared = find_undeclared(anonymizing);
}

static const char *
plural(int64 count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

/* What happened to the values of a key, as a sentence. */
static char *
describe_level(const SdcGeneralizationKey *key, int level)
{
	if (level == 0)
		return "Values are kept as they are.";
	if (key->hierarchy == NULL)
		return "All values are replaced by *.";
	return psprintf("Values are generalized to level %d of hierarchy \"%s\", "
					"whose last level is %d.",
					level, key->hierarchy, key->map->groups->levels - 1);
}

static void
put_levels(const Anonymizing *anonymizing)
{
	const SdcGeneralization *problem = anonymizing->problem;
	int i;

	for (i = 0; i < problem->keys; i++)
	{
		int level = anonymizing->release.level[i];

		sdcf_anonymize_put(anonymizing, "level", problem->key[i].column.sql,
						   level, describe_level(&problem->key[i], level));
	}
}

static void
put_outliers(const Anonymizing *anonymizing)
{
	const SdcGeneralizationRelease *release = &anonymizing->release;
	int64 suppressed = release->suppressed;

	sdcf_anonymize_put(
		anonymizing, release->remove ? "removed" : "suppressed",
		release->target->sql, suppressed,
		psprintf(INT64_FORMAT " of " INT64_FORMAT
							  " %s in classes that fail%s; " INT64_FORMAT
							  " would have been allowed.",
				 suppressed, (int64) anonymizing->problem->frequency->records,
				 plural(suppressed, "record is", "records are"),
				 suppressed == 0   ? ""
				 : release->remove ? " and left out"
								   : " and have all keys masked",
				 (int64) anonymizing->problem->problem.limit));
}

static void
put_sensitive(const Anonymizing *anonymizing, int s)
{
	const SdcGeneralization *problem = anonymizing->problem;
	const double *worst =
		anonymizing->release.judged->worst + s * SDC_CLASS_MEASURES;
	unsigned wanted = problem->model[s].request.wanted;
	int i;

	for (i = 0; i < (int) lengthof(lines); i++)
	{
		double value = worst[lines[i].kernel];

		if ((wanted & SDC_CLASS_WANT(lines[i].kernel)) == 0)
			continue;
		sdcf_anonymize_put(anonymizing, lines[i].measure,
						   problem->sensitive.column[s].sql, value,
						   isnan(value) ? "No class is left."
										: psprintf(lines[i].sentence, value));
	}
}

/* What was read back from the target. */
static void
put_verified(const Anonymizing *anonymizing)
{
	const SdcGeneralizationRelease *release = &anonymizing->release;
	const char *subject = release->target->sql;
	int64 smallest = release->judged->smallest;
	int s;

	sdcf_anonymize_put(
		anonymizing, "records", subject, release->records,
		psprintf("The table has " INT64_FORMAT " %s.", release->records,
				 plural(release->records, "record", "records")));
	put_outliers(anonymizing);
	sdcf_anonymize_put(anonymizing, "classes", subject, release->classes,
					   psprintf("%s form %d %s of equal keys.",
								release->suppressed > 0 && !release->remove
									? "The other records"
									: "They",
								release->classes,
								plural(release->classes, "class", "classes")));
	sdcf_anonymize_put(
		anonymizing, "k_anonymity", subject,
		release->classes > 0 ? (double) smallest : NAN,
		release->classes == 0
			? "No class is left."
			: psprintf("The smallest of them has " INT64_FORMAT " %s.",
					   smallest, plural(smallest, "record", "records")));
	for (s = 0; s < anonymizing->problem->sensitive.count; s++)
		put_sensitive(anonymizing, s);
}

static void
put_score(const Anonymizing *anonymizing)
{
	const SdcLatticeResult *search = &anonymizing->search;
	const char *metric = sdcpg_generalization_metric(anonymizing->problem);

	if (search->nodes <= 1)
		return;
	sdcf_anonymize_put(anonymizing, "score", metric, search->best.score,
					   psprintf("The node loses %.6g by the metric \"%s\".",
								search->best.score, metric));
	sdcf_anonymize_put(
		anonymizing, "bound", metric, search->bound,
		search->proven
			? psprintf("No other of " INT64_FORMAT
					   " nodes loses less; " INT64_FORMAT " were checked.",
					   (int64) search->nodes, (int64) search->checked)
			: psprintf("The search was stopped after " INT64_FORMAT
					   " checks; no node can lose less than %.6g.",
					   (int64) search->checked, search->bound));
}

static void
put_columns(const Anonymizing *anonymizing)
{
	StringInfoData list;
	ListCell *cell;

	foreach (cell, anonymizing->release.drop)
		sdcf_anonymize_put(anonymizing, "dropped",
						   quote_identifier(lfirst(cell)), NAN,
						   "The column was left out.");
	if (anonymizing->undeclared == NIL)
		return;
	initStringInfo(&list);
	foreach (cell, anonymizing->undeclared)
		appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "",
						 (char *) lfirst(cell));
	sdcf_anonymize_put(anonymizing, "undeclared", list.data,
					   list_length(anonymizing->undeclared),
					   "Copied as they are; sdc.declare has not been told "
					   "whether they could identify anyone.");
}

void
sdcf_anonymize_finish(Anonymizing *anonymizing)
{
	SdcGeneralizationRelease *release = &anonymizing->release;

	release->level = anonymizing->search.best.level;
	release->suppressed = anonymizing->search.best.suppressed;
	sdcpg_generalization_write(anonymizing->problem, release);
	sdcpg_generalization_verify(anonymizing->problem, release);
	put_levels(anonymizing);
	put_verified(anonymizing);
	put_score(anonymizing);
	put_columns(anonymizing);
}

/* Stores what was found, under the names that columns have by now. */
static void
store_found(const Anonymizing *anonymizing, const char *name)
{
	const SdcGeneralization *problem = anonymizing->problem;
	SdcGeneralizationArguments arguments = problem->arguments;
	SdcRelationColumns keys;
	int level[SDC_LATTICE_MAX_KEYS];
	int i;

	keys.count = problem->keys;
	keys.column = palloc(sizeof(SdcRelationColumn) * keys.count);
	for (i = 0; i < keys.count; i++)
	{
		keys.column[i] = problem->key[i].column;
		level[i] = anonymizing->release.level[i];
	}
	arguments.keys = sdcpg_strategy_names(&keys);
	arguments.sensitive = problem->sensitive.count > 0
							  ? sdcpg_strategy_names(&problem->sensitive)
							  : NULL;
	sdcpg_strategy_create(name, &arguments, level, keys.count);
}

/*
 * anonymize(rel regclass, target text, keys name[], sensitive name[],
 *           k integer, c float8, l float8, t float8, method text,
 *           params jsonb, strategy text)
 */
Datum
sdcf_anonymize(PG_FUNCTION_ARGS)
{
	Anonymizing anonymizing;
	SdcGeneralizationArguments arguments;
	SdcTarget *target;
	SdcPgHost *host;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("rel");
	if (PG_ARGISNULL(1))
		sdcpg_args_null("target");
	arguments = sdcpg_generalization_arguments(fcinfo, 2);
	sdcpg_params_check(arguments.params, sdcf_anonymize_params);
	target = sdcpg_target_find(PG_GETARG_TEXT_PP(1));
	anonymizing.problem = sdcpg_generalization_new(
		sdcpg_relation_find(PG_GETARG_OID(0)), &arguments);
	sdcf_anonymize_begin(&anonymizing, target);
	anonymizing.result = sdcpg_result_begin(fcinfo);
	host = sdcpg_host_begin("anonymize", CurrentMemoryContext);
	sdcpg_generalization_load(host, anonymizing.problem);
	sdcpg_generalization_search(anonymizing.problem, false,
								&anonymizing.search);
	sdcf_anonymize_finish(&anonymizing);
	if (!PG_ARGISNULL(10))
		store_found(&anonymizing, text_to_cstring(PG_GETARG_TEXT_PP(10)));
	sdcpg_host_end(host);
	return (Datum) 0;
}
