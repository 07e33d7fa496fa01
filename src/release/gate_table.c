/*
 * gate_table.c
 *		Tables of cells in the gate: what sdc.table_report is given.
 *
 * The report attacks the published table with what a reader knows of it.  What
 * that is follows from the params of protect_table, which stand in the policy,
 * and from the types of the original; and from what the same owner has
 * published of the same relation (gate_beside.c).
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "release/document.h"
#include "release/gate.h"
#include "release/history.h"
#include "release/policy.h"
#include "topic/tabular/tabular_topic.h"

/* What the params of protect_table call a column of the table. */
static const char *
named(Jsonb *params, const char *word)
{
	return sdcpg_params_renamed(params, "names", word);
}

/*
 * The noise of cell keys: of a sum a share of it, or steps of what all values
 * are multiples of.
 */
static void
put_noise(StringInfo document, const SdcGateCase *of, Jsonb *params,
		  bool counts)
{
	double noise = sdcpg_params_number(params, "noise", 5, 0, 1e15);
	double share = sdcpg_params_number(params, "share", 10, 0, 100);

	if (!counts)
	{
		SdcPgHost *host = sdcpg_host_begin("release", CurrentMemoryContext);

		sdcpg_document_number(document, "noise_percent",
							  share * (noise + 0.5));
		noise *= sdcpg_cells_grain(host, of->original,
								   sdcpg_params_text(of->protect, "value"));
		sdcpg_host_end(host);
	}
	sdcpg_document_number(document, "noise", noise);
}

/*
 * Adjusted: by how much a cell was changed at most, and which were.  A reader
 * is not told the first, but he is taken to know it.
 */
static void
put_adjusted(StringInfo document, const SdcGateCase *of, double threshold)
{
	sdcpg_document_number(document, "noise",
						  Max(of->moved, Max(threshold - 1, 1e-12)));
	if (!sdcpg_params_has(of->protect, "value") && threshold >= 2)
		sdcpg_document_number(document, "adjusted", threshold);
}

/* What all values of a column are multiples of, by its type; 0: not known. */
static double
unit_of(const SdcRelation *relation, const char *name)
{
	SdcRelationColumn column = sdcpg_relation_column(relation, name);
	Oid type;
	Oid collation;
	int32 modifier;

	get_atttypetypmodcoll(relation->oid, column.number, &type, &modifier,
						  &collation);
	switch (column.base)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return 1;
		case NUMERICOID:
			/* the scale of numeric(precision, scale); below 0 from 15 on */
			if (column.type == NUMERICOID && modifier >= (int32) VARHDRSZ &&
				((modifier - VARHDRSZ) & 0x7ff) <= 15)
				return pow(10, -((modifier - VARHDRSZ) & 0x7ff));
			return 0;
		default:
			return 0;
	}
}

/* Of means: where their counts are, and what rounding has left of the sums. */
static void
put_means(StringInfo document, const SdcGateCase *of, Jsonb *params)
{
	double unit =
		unit_of(of->original, sdcpg_params_text(of->protect, "value"));
	int64 digits =
		sdcpg_params_integer(params, "digits", SDC_TABULAR_DIGITS, 0, 12);

	sdcpg_document_text(document, "count", named(params, "count"));
	sdcpg_document_number(document, "noise", 0.5 * pow(10, -digits));
	if (unit > 0)
		sdcpg_document_number(document, "unit", unit);
}

Jsonb *
sdcpg_gate_table_known(const SdcGateCase *of)
{
	Jsonb *params = sdcpg_params_object(of->protect, "params");
	Jsonb *rules = sdcpg_params_object(of->protect, "rules");
	char *method = sdcpg_params_text(params, "method");
	char *total = sdcpg_params_text(params, "total");
	char *cell = sdcpg_params_text(params, "cell");
	bool counts = !sdcpg_params_has(of->protect, "value");
	bool hides = sdcpg_gate_table_hides(of->protect);
	double threshold =
		rules == NULL && counts
			? 3
			: sdcpg_params_number(rules, "threshold", 0, 0, 1e15);
	StringInfoData document;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	if (counts)
		sdcpg_document_integer(&document, "unit", 1);
	if (counts && hides && !sdcpg_gate_table_hides_zeros(of->protect))
		sdcpg_document_integer(&document, "least", 1);
	if (method != NULL && strcmp(method, "round") == 0)
		sdcpg_document_number(&document, "base",
							  sdcpg_params_number(params, "base", 5, 0, 1e15));
	if (method != NULL && strcmp(method, "cell_key") == 0)
		put_noise(&document, of, params, counts);
	if (method != NULL && strcmp(method, "adjust") == 0)
		put_adjusted(&document, of, threshold);
	if (!counts && cell != NULL && strcmp(cell, SDC_TABULAR_MEAN) == 0)
		put_means(&document, of, params);
	if (total != NULL)
		sdcpg_document_text(&document, "total", total);
	if (of->earlier != NULL)
		sdcpg_document_text(&document, "earlier", of->earlier);
	if (of->known != NULL)
		sdcpg_document_text(&document, "known", of->known);
	sdcpg_document_number(&document, "change",
						  sdcpg_params_number(of->protect, "change",
											  counts ? threshold : 0, 0,
											  1e15));
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

Jsonb *
sdcpg_gate_table_show(const SdcGateCase *of)
{
	static const char *const intervals[] = {"{\"intervals\": false}",
											"{\"intervals\": true}"};
	Jsonb *known =
		sdcpg_table_params_without(sdcpg_gate_table_known(of), "change");
	bool asked = sdcpg_params_boolean(of->protect, "intervals", false);

	return DatumGetJsonbP(DirectFunctionCall2(
		jsonb_concat, JsonbPGetDatum(known),
		DirectFunctionCall1(jsonb_in, CStringGetDatum(intervals[asked]))));
}

/* Stops where what was published is by other keys than the policy's. */
static void
need_keys(Jsonb *protect, Oid published)
{
	List *keys = sdcpg_policy_table_all_keys(protect);
	ListCell *cell;
	SdcRelationColumns columns =
		sdcpg_relation_all_columns(sdcpg_relation_find(published));
	int i;

	foreach (cell, keys)
		if (get_attnum(published, lfirst(cell)) <= 0)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the last release, \"%s\", is not by key \"%s\", "
							"which the policy has now",
							get_rel_name(published), (char *) lfirst(cell)),
					 errhint("Publish the table by the new keys under another "
							 "name: both are then attacked together. Or drop "
							 "the one that is out, if nobody has it.")));
	for (i = 0; i < columns.count; i++)
	{
		const char *name = columns.column[i].name;

		if (sdcpg_params_is_listed(keys, name) ||
			get_attnum(published, sdcpg_table_parent_name(name)) <= 0)
			continue;
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the last release, \"%s\", is by key \"%s\", which the "
					"policy has no more",
					get_rel_name(published), name),
			 errdetail("Its cells cannot be compared with those of other "
					   "keys, and readers may have kept them."),
			 errhint("Publish the table by the new keys under another "
					 "name: both are then attacked together. Or drop the "
					 "one that is out, if nobody has it.")));
	}
}

/* Do params of two tables say the same of a part? */
static bool
is_same_part(Jsonb *params, Jsonb *others, const char *key)
{
	Jsonb *part = params == NULL ? NULL : sdcpg_document_part(params, key);
	Jsonb *other = others == NULL ? NULL : sdcpg_document_part(others, key);

	return part == NULL || other == NULL
			   ? part == other
			   : compareJsonbContainers(&part->root, &other->root) == 0;
}

/*
 * Stops where what was published has other groups than the policy: its cells
 * would be taken for others, or changes of a group would not be seen.
 */
static void
need_groups(Jsonb *protect, const SdcPublished *published)
{
	Jsonb *params = sdcpg_params_object(protect, "params");
	Jsonb *before = sdcpg_params_object(published->protect, "params");
	char *total = sdcpg_params_text(params, "total");
	char *total_before = sdcpg_params_text(before, "total");

	if (published->protect == NULL ||
		(is_same_part(params, before, "hierarchies") &&
		 is_same_part(params, before, "levels") &&
		 is_same_part(params, before, "linked") &&
		 strcmp(total == NULL ? SDC_TABULAR_TOTAL : total,
				total_before == NULL ? SDC_TABULAR_TOTAL : total_before) == 0))
		return;
	ereport(
		ERROR,
		(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		 errmsg("the last release, \"%s\", has other groups than the policy",
				get_rel_name(published->table)),
		 errdetail("Its hierarchies, levels, linked tables or the name of its "
				   "total were others, so its cells cannot be compared by "
				   "their labels, and readers may have kept them."),
		 errhint(
			 "Publish the table by the new groups under another name: both "
			 "are then compared by what is in them. Or drop the one that "
			 "is out, if nobody has it.")));
}

void
sdcpg_gate_case_earlier(SdcGateCase *of, const char *policy,
						const char *target)
{
	SdcPublished published;
	char *name;

	if (of->protect == NULL ||
		!sdcpg_history_published(policy, target, &published))
		return;
	name = OidIsValid(published.table) ? get_rel_name(published.table) : NULL;
	if (name == NULL)
	{
		of->lacks = "The table of the last release is gone, so changes since "
					"then are not known.";
		return;
	}
	need_keys(of->protect, published.table);
	need_groups(of->protect, &published);
	of->earlier = quote_qualified_identifier(
		get_namespace_name(get_rel_namespace(published.table)), name);
}

void
sdcpg_gate_table_bind(SdcCatalogParameters *parameters, const SdcGateCase *of)
{
	ArrayType *keys =
		of->protect == NULL
			? NULL
			: sdcpg_policy_name_list(sdcpg_policy_table_all_keys(of->protect));
	Jsonb *params = of->protect == NULL
						? NULL
						: sdcpg_params_object(of->protect, "params");

	sdcpg_catalog_bind(parameters, NAMEARRAYOID, PointerGetDatum(keys),
					   keys == NULL);
	sdcpg_catalog_bind(
		parameters, NAMEOID,
		DirectFunctionCall1(namein, CStringGetDatum(named(params, "value"))),
		false);
}
