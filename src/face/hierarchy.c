/*
 * hierarchy.c
 *		sdc.create_hierarchy, generalize and what else hierarchies need.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "pg/call/args.h"
#include "pg/server/compat.h"
#include "pg/data/frequency.h"
#include "pg/generalization/hierarchy.h"
#include "pg/server/result.h"

PG_FUNCTION_INFO_V1(sdcf_create_hierarchy);
PG_FUNCTION_INFO_V1(sdcf_drop_hierarchy);
PG_FUNCTION_INFO_V1(sdcf_generalize);
PG_FUNCTION_INFO_V1(sdcf_hierarchy_height);
PG_FUNCTION_INFO_V1(sdcf_hierarchy_levels);
PG_FUNCTION_INFO_V1(sdcf_check_hierarchy);

/* A text argument that must be given. */
static char *
need_text(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		sdcpg_args_null(name);
	return text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

/* create_hierarchy(hierarchy text, kind text, params jsonb) */
Datum
sdcf_create_hierarchy(PG_FUNCTION_ARGS)
{
	char *name = need_text(fcinfo, 0, "hierarchy");
	char *kind = need_text(fcinfo, 1, "kind");
	SdcPgHost *host;

	if (PG_ARGISNULL(2))
		sdcpg_args_null("params");
	host = sdcpg_host_begin("create_hierarchy", CurrentMemoryContext);
	sdcpg_hierarchy_create(host, name, kind, PG_GETARG_JSONB_P(2));
	sdcpg_host_end(host);
	PG_RETURN_VOID();
}

/* drop_hierarchy(hierarchy text) */
Datum
sdcf_drop_hierarchy(PG_FUNCTION_ARGS)
{
	sdcpg_hierarchy_drop(need_text(fcinfo, 0, "hierarchy"));
	PG_RETURN_VOID();
}

/* What a call of generalize keeps for the next one of the same query. */
typedef struct Generalizer
{
	MemoryContext context;
	text *name;
	uint64 generation;
	SdcHierarchyRule *rule;
	SdcHierarchyInput input;
	StringInfoData label;
} Generalizer;

static bool
same_text(const text *a, const text *b)
{
	return VARSIZE_ANY_EXHDR(a) == VARSIZE_ANY_EXHDR(b) &&
		   memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
}

static Generalizer *
begin_generalizer(FunctionCallInfo fcinfo, const text *name)
{
	FmgrInfo *function = fcinfo->flinfo;
	MemoryContext context = AllocSetContextCreate(
		function->fn_mcxt, "sdc hierarchy", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Generalizer *generalizer = palloc(sizeof(Generalizer));

	generalizer->context = context;
	generalizer->name =
		cstring_to_text_with_len(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
	generalizer->generation = sdcpg_hierarchy_generation();
	generalizer->rule = sdcpg_hierarchy_find(text_to_cstring(name));
	sdcpg_hierarchy_input(generalizer->rule, &generalizer->input,
						  get_fn_expr_argtype(function, 0), context);
	initStringInfo(&generalizer->label);
	MemoryContextSwitchTo(caller);
	return generalizer;
}

/* generalize(value anyelement, hierarchy text, level integer) */
Datum
sdcf_generalize(PG_FUNCTION_ARGS)
{
	const text *name = PG_GETARG_TEXT_PP(1);
	int32 level = PG_GETARG_INT32(2);
	Generalizer *generalizer = fcinfo->flinfo->fn_extra;

	if (generalizer == NULL || !same_text(generalizer->name, name) ||
		generalizer->generation != sdcpg_hierarchy_generation())
	{
		fcinfo->flinfo->fn_extra = NULL;
		if (generalizer != NULL)
			MemoryContextDelete(generalizer->context);
		generalizer = begin_generalizer(fcinfo, name);
		fcinfo->flinfo->fn_extra = generalizer;
	}
	sdcpg_hierarchy_need_level(generalizer->rule, level);
	if (!sdcpg_hierarchy_label(generalizer->rule, &generalizer->input,
							   PG_GETARG_DATUM(0), level, &generalizer->label))
		sdcpg_hierarchy_missing(generalizer->rule, 0);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(generalizer->label.data,
											  generalizer->label.len));
}

/* hierarchy_height(hierarchy text) */
Datum
sdcf_hierarchy_height(PG_FUNCTION_ARGS)
{
	char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));

	PG_RETURN_INT32(sdcpg_hierarchy_height(name));
}

/* hierarchy_levels(value anyelement, hierarchy text) */
Datum
sdcf_hierarchy_levels(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcHierarchyRule *rule =
		sdcpg_hierarchy_find(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	SdcHierarchyInput input;
	StringInfoData label;
	int level;

	initStringInfo(&label);
	sdcpg_hierarchy_input(rule, &input, get_fn_expr_argtype(fcinfo->flinfo, 0),
						  CurrentMemoryContext);
	for (level = 0; level < sdcpg_hierarchy_levels(rule); level++)
	{
		bool isnull[2] = {false, false};
		Datum values[2];

		if (!sdcpg_hierarchy_label(rule, &input, PG_GETARG_DATUM(0), level,
								   &label))
			sdcpg_hierarchy_missing(rule, 0);
		values[0] = Int32GetDatum(level);
		values[1] = CStringGetTextDatum(label.data);
		sdcpg_result_put(result, values, isnull);
	}
	return (Datum) 0;
}

/* Groups on a level, and the mean share of the domain that they have. */
static void
put_level(ReturnSetInfo *result, const SdcFrequency *frequency,
		  const SdcHierarchyMap *map, int level)
{
	const char *subject = psprintf("level %d", level);
	int32 groups = map->groups->groups[level];
	int64 records = 0;
	double share = 0;
	int32 cell;

	sdcpg_result_measure(result, "groups", subject, groups, false,
						 psprintf("The values form %d %s on level %d.", groups,
								  groups == 1 ? "group" : "groups", level));
	for (cell = 0; cell < frequency->cells; cell++)
	{
		int32 value = frequency->code[0][cell];

		if (value == SDC_CODE_NULL)
			continue;
		records += frequency->count[cell];
		share += frequency->count[cell] *
				 map->share[level][map->groups->group[level][value]];
	}
	share /= records;
	sdcpg_result_measure(
		result, "share", subject, share, records == 0,
		records == 0 ? "There are no values."
					 : psprintf("A value of level %d stands for %.2f %% of "
								"the domain in the mean of the records.",
								level, 100 * share));
}

/* check_hierarchy(rel regclass, column_name name, hierarchy text) */
Datum
sdcf_check_hierarchy(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcFrequencyRequest request = {0};
	SdcFrequencyTable table;
	SdcHierarchyMap *map;
	SdcPgHost *host;
	char *name;
	int level;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("rel");
	if (PG_ARGISNULL(1))
		sdcpg_args_null("column_name");
	name = need_text(fcinfo, 2, "hierarchy");
	request.relation = sdcpg_relation_find(PG_GETARG_OID(0));
	request.columns = 1;
	request.column[0] =
		sdcpg_relation_column(request.relation, NameStr(*PG_GETARG_NAME(1)));
	host = sdcpg_host_begin("check_hierarchy", CurrentMemoryContext);
	sdcpg_frequency_load(host, &request, 1, &table);
	map = sdcpg_hierarchy_load(host, name, table.dictionary[0]);
	for (level = 0; level < map->groups->levels; level++)
		put_level(result, table.frequency, map, level);
	sdcpg_host_end(host);
	return (Datum) 0;
}
