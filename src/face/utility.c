/*
 * utility.c
 *		sdc.utility_report: what a masked relation is still good for.
 *
 * Both relations are read once (pg/utility/contrast.h); the families of
 * measures are functions of pg/utility/utility.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "pg/call/args.h"
#include "pg/call/params.h"
#include "pg/call/params_names.h"
#include "pg/call/roles.h"
#include "pg/server/compat.h"
#include "pg/utility/utility.h"

PG_FUNCTION_INFO_V1(sdcf_utility_report);

static const char *const methods[] = {"il1s",
									  "il_variables",
									  "sse_sst",
									  "mean",
									  "variance",
									  "covariance",
									  "correlation",
									  "eigen",
									  "il_correl",
									  "hellinger",
									  "kl",
									  "tv",
									  "tables",
									  "pmse",
									  "ncp",
									  "loss",
									  "precision",
									  "height",
									  "entropy",
									  "ambiguity",
									  "discernibility",
									  "average_class",
									  "c_avg",
									  "queries",
									  "il1",
									  NULL};

/* il1 only when it is asked for: it means nothing where values can be 0. */
#define USUAL (lengthof(methods) - 2)

static const char *const params_keys[] = {
	"order", "bins",    "smoothing",   "categories",   "ordinal",    "keys",
	"k",     "queries", "hierarchies", "interactions", "max_levels", NULL};

/* All columns of the original but those with roles that tell who it is. */
static SdcRelationColumns
find_columns(const SdcRelation *original, const SdcRelation *masked,
			 ArrayType *names, const SdcRelationColumn *id)
{
	SdcRelationColumns all;
	SdcRelationColumns others;
	SdcRelationColumns kept;
	int i;
	int j;

	if (names != NULL)
		return sdcpg_relation_columns(original, "columns", names);
	all = sdcpg_relation_all_columns(original);
	others = sdcpg_relation_all_columns(masked);
	kept.column = palloc(sizeof(SdcRelationColumn) * (all.count + 1));
	kept.count = 0;
	for (i = 0; i < all.count; i++)
		for (j = 0; j < others.count; j++)
			if (strcmp(all.column[i].name, others.column[j].name) == 0 &&
				(id == NULL || all.column[i].number != id->number))
				kept.column[kept.count++] = all.column[i];
	if (kept.count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relations \"%s\" and \"%s\" have no column to "
						"compare",
						original->name, masked->name),
				 errhint("Columns are compared that have the same name in "
						 "both.")));
	return kept;
}

/* The names under a key of params, as an array; NULL when it is absent. */
static ArrayType *
names_array(Jsonb *params, const char *key)
{
	List *names = sdcpg_params_names(params, key);
	Datum *element = palloc(sizeof(Datum) * (list_length(names) + 1));
	ListCell *cell;
	int count = 0;

	if (names == NIL)
		return NULL;
	foreach (cell, names)
	{
		Name name = palloc0(NAMEDATALEN);

		namestrcpy(name, lfirst(cell));
		element[count++] = NameGetDatum(name);
	}
	return construct_array(element, count, NAMEOID, NAMEDATALEN, false,
						   TYPALIGN_CHAR);
}

/* Stops when a list of params names what is not compared. */
static void
check_listed(Jsonb *params, const char *key, const SdcRelationColumns *columns)
{
	List *names = sdcpg_params_names(params, key);
	ListCell *cell;
	int j;

	foreach (cell, names)
	{
		for (j = 0; j < columns->count; j++)
			if (strcmp(columns->column[j].name, lfirst(cell)) == 0)
				break;
		if (j == columns->count)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("key \"%s\" in argument \"params\" names \"%s\", "
							"which is not one of the columns",
							key, (char *) lfirst(cell))));
	}
}

/* Looks up what the arguments name. */
static void
find_arguments(SdcUtility *utility, FunctionCallInfo fcinfo)
{
	const SdcRelation *original = sdcpg_relation_find(PG_GETARG_OID(0));
	const SdcRelation *masked = sdcpg_relation_find(PG_GETARG_OID(1));
	const SdcRelationColumn *id = NULL;
	List *categories;
	bool keyed = sdcpg_report_wants(utility->report, "discernibility") ||
				 sdcpg_report_wants(utility->report, "average_class") ||
				 sdcpg_report_wants(utility->report, "c_avg");

	id = sdcpg_roles_column(
		original, "id", PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2)),
		SDC_ROLE_ID);
	utility->columns =
		find_columns(original, masked,
					 PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3), id);
	check_listed(utility->params, "categories", &utility->columns);
	check_listed(utility->params, "ordinal", &utility->columns);
	categories = list_concat(sdcpg_params_names(utility->params, "categories"),
							 sdcpg_params_names(utility->params, "ordinal"));
	if (keyed)
		utility->keys = sdcpg_roles_columns(
			original, "keys", names_array(utility->params, "keys"),
			SDC_ROLE_KEY);
	sdcpg_contrast_describe(&utility->comparison, original, masked, id,
							&utility->columns, categories);
}

/* How many records were compared. */
static void
add_records(SdcUtility *utility)
{
	const SdcContrast *comparison = &utility->comparison;
	bool hidden = comparison->original.relation->row_security ||
				  comparison->masked.relation->row_security;

	sdcpg_utility_lines_add(
		&utility->lines, "records",
		psprintf("%s and %s", comparison->original.relation->sql,
				 comparison->masked.relation->sql),
		comparison->paired ? comparison->pairs : comparison->masked.rows,
		"%d and %d records%s%s.", comparison->original.rows,
		comparison->masked.rows,
		comparison->paired
			? psprintf(", %d of them paired by id", comparison->pairs)
			: ", not paired, for want of an id",
		hidden ? "; row-level security may hide others from you" : "");
}

/*
 * utility_report(original regclass, masked regclass, id name, columns name[],
 *                methods text[], params jsonb, seed bigint)
 */
Datum
sdcf_utility_report(PG_FUNCTION_ARGS)
{
	SdcUtility utility;

	memset(&utility, 0, sizeof(utility));
	if (PG_ARGISNULL(0))
		sdcpg_args_null("original");
	if (PG_ARGISNULL(1))
		sdcpg_args_null("masked");
	utility.named = !PG_ARGISNULL(4);
	utility.report =
		sdcpg_report_begin(fcinfo, methods, USUAL,
						   PG_ARGISNULL(4) ? NULL : PG_GETARG_ARRAYTYPE_P(4));
	utility.params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	sdcpg_params_check(utility.params, params_keys);
	find_arguments(&utility, fcinfo);
	utility.host = sdcpg_host_begin("utility_report", CurrentMemoryContext);
	sdcpg_contrast_load(&utility.comparison, utility.host);
	add_records(&utility);
	sdcpg_utility_pairs(&utility);
	sdcpg_utility_moments(&utility);
	sdcpg_utility_tables(&utility);
	sdcpg_utility_propensity(&utility);
	sdcpg_utility_generalized(&utility);
	sdcpg_utility_classes(&utility);
	sdcpg_utility_queries(&utility);
	sdcpg_utility_lines_put(&utility.lines, utility.report->result);
	sdcpg_host_end(utility.host);
	return (Datum) 0;
}
