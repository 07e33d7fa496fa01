/*
 * exact_linkage.c
 *		Two relations linked where rows are equal.
 *
 * The rows of both files that agree in all keys are a class; each class knows
 * which ids it has, and how many rows of each.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/linkage/class_items.h"
#include "kernel/table/frequency.h"
#include "topic/attack/exact_linkage.h"
#include "topic/attack/links.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"
#include "topic/registry/words.h"

static const char *const compare_words[] = {"either", "text", "value", NULL};

/* ----------------------------------------------------------------------
 * A relation as codes: who each row is about, and what it agrees with.
 *
 * An id may have several rows; the first file gives the ids their codes, so
 * these follow the order of its ids.
 * ----------------------------------------------------------------------
 */

static char *
write_query(const SdcRelation *relation, const SdcRelationColumn *id,
			int columns, const SdcCodedColumn *column)
{
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT %s", sdcpg_query_cast(id, "text"));
	for (j = 0; j < columns; j++)
		if (column[j].prefix > 0)
			appendStringInfo(&sql, ", pg_catalog.left(%s, %d)",
							 sdcpg_query_cast(&column[j].column, "text"),
							 column[j].prefix);
		else if (column[j].as_text)
			/* the output function of the type; a cast might be somebody's */
			appendStringInfo(&sql,
							 ", CASE WHEN r.%s IS NULL THEN NULL ELSE "
							 "pg_catalog.concat(r.%s) END "
							 "COLLATE pg_catalog.\"C\"",
							 column[j].column.sql, column[j].column.sql);
		else
			appendStringInfo(&sql, ", r.%s", column[j].column.sql);
	appendStringInfo(&sql, " FROM %s AS r ", relation->sql);
	sdcpg_query_order(&sql, id);
	return sql.data;
}

SdcCodedFile
sdcpg_coded_file_load(SdcPgHost *host, const SdcRelation *relation,
					  const SdcRelationColumn *id, int columns,
					  const SdcCodedColumn *column, SdcDictionary **dictionary)
{
	SdcFrameType *types = palloc(sizeof(SdcFrameType) * (columns + 1));
	SdcCodedFile file = {relation};
	SdcFrame *frame;
	int32 row;
	int j;

	for (j = 0; j <= columns; j++)
		types[j] = SDC_FRAME_CODE;
	frame = sdcpg_frame_load_codes(host,
								   write_query(relation, id, columns, column),
								   columns + 1, types, dictionary);
	file.rows = frame->rows;
	file.id = frame->column[0].code;
	file.columns = columns;
	file.code = palloc(sizeof(int32 *) * (columns + 1));
	for (j = 0; j < columns; j++)
		file.code[j] = frame->column[j + 1].code;
	for (row = 0; row < file.rows; row++)
		if (file.id[row] < 0)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("column \"%s\" of relation \"%s\" holds a null",
							id->name, relation->name),
					 errdetail("It is the id, which every row must have.")));
	return file;
}

/* ----------------------------------------------------------------------
 * Two relations linked where rows are equal.
 * ----------------------------------------------------------------------
 */

/* Characters of a prefix at the most. */
#define MAX_PREFIX 1000000

/* The keys of one relation; side 0 is the original, whose names they have. */
static SdcCodedColumn *
find_keys(const SdcRelation *relation, const SdcRelationColumns *keys,
		  Jsonb *params, bool masked)
{
	SdcCodedColumn *column =
		palloc0(sizeof(SdcCodedColumn) * (2 * keys->count + 1));
	int j;

	for (j = 0; j < keys->count; j++)
	{
		const char *name = keys->column[j].name;

		column[j].column = sdcpg_relation_column(
			relation,
			masked ? sdcpg_params_renamed(params, "map", name) : name);
		column[j].prefix = (int32) sdcpg_params_member_number(
			params, "prefix", name, 0, 1, MAX_PREFIX);
	}
	return column;
}

/* Are the values of two columns compared as texts in any case? */
static bool
are_texts(const SdcCodedColumn *a, const SdcCodedColumn *b)
{
	return a->prefix > 0 || a->column.base != b->column.base;
}

/*
 * Adds the keys that are compared as text, too, behind the others, and says in
 * text_of[key] where; -1 for those that need it not.  Returns how many columns
 * there are then.
 */
static int
add_texts(const SdcRelation *const *relation, SdcCodedColumn *const *column,
		  int keys, int *text_of)
{
	int columns = keys;
	int side;
	int j;

	for (j = 0; j < keys; j++)
	{
		text_of[j] = -1;
		if (are_texts(&column[0][j], &column[1][j]) ||
			!(sdcpg_column_has_forms(relation[0]->oid,
									 column[0][j].column.number) ||
			  sdcpg_column_has_forms(relation[1]->oid,
									 column[1][j].column.number)))
			continue;
		text_of[j] = columns;
		for (side = 0; side < 2; side++)
		{
			column[side][columns] = column[side][j];
			column[side][columns].as_text = true;
		}
		columns++;
	}
	return columns;
}

/* The dictionaries that both files share: of texts where types differ. */
static SdcDictionary **
share_dictionaries(SdcPgHost *host, int columns, SdcCodedColumn *const *column)
{
	SdcDictionary **dictionary =
		palloc0(sizeof(SdcDictionary *) * (columns + 1));
	int j;

	dictionary[0] = sdcpg_dictionary_new(host, TEXTOID, C_COLLATION_OID);
	for (j = 0; j < columns; j++)
		if (are_texts(&column[0][j], &column[1][j]))
			dictionary[j + 1] =
				sdcpg_dictionary_new(host, TEXTOID, DEFAULT_COLLATION_OID);
	return dictionary;
}

/*
 * Numbers the classes of both files; counts what those of the second have.
 * Key j is compared by column text_of[j] unless text_of is NULL or it is -1.
 */
static SdcExactClasses
find_classes(const SdcExactLinkage *linkage, int keys, const int *text_of,
			 bool null_leaves)
{
	SdcHost *host = &linkage->host->kernel;
	const SdcCodedFile *file = linkage->file;
	int64 rows = (int64) file[0].rows + file[1].rows;
	SdcExactClasses found;
	int32 classes = 0;
	int32_t *code;
	int j;

	if (rows > SDC_MAX_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the two relations have more than %d records "
							   "together",
							   SDC_MAX_ROWS)));
	code = sdc_new(host, int32_t, rows + 1);
	found.class_of = sdc_new(host, int32, rows + 1);
	memset(found.class_of, 0, sizeof(int32) * rows);
	for (j = 0; j < keys; j++)
	{
		int column = text_of != NULL && text_of[j] >= 0 ? text_of[j] : j;

		memcpy(code, file[0].code[column], sizeof(int32) * file[0].rows);
		memcpy(code + file[0].rows, file[1].code[column],
			   sizeof(int32) * file[1].rows);
		classes =
			sdc_grouping_refine(host, rows, code, null_leaves, found.class_of);
	}
	host->release(host, code);
	found.items = sdc_class_items_count(host, file[1].rows,
										found.class_of + file[0].rows, classes,
										file[1].id);
	return found;
}

/* Reads both files and finds their classes. */
static void
load_files(SdcExactLinkage *linkage, const SdcExactCall *call,
		   const SdcRelation *const *relation, const SdcRelationColumns *keys,
		   bool null_leaves)
{
	SdcRelationColumn id[2];
	SdcCodedColumn *column[2];
	SdcDictionary **dictionary;
	int *text_of = palloc(sizeof(int) * (keys->count + 1));
	int columns = keys->count;
	int side;

	for (side = 0; side < 2; side++)
	{
		column[side] =
			find_keys(relation[side], keys, call->params, side == 1);
		id[side] = sdcpg_relation_column(
			relation[side],
			side == 1 ? sdcpg_params_renamed(call->params, "map", call->id)
					  : call->id);
	}
	if (linkage->compare != SDC_EXACT_VALUE)
		columns = add_texts(relation, column, keys->count, text_of);
	dictionary = share_dictionaries(linkage->host, columns, column);
	for (side = 0; side < 2; side++)
	{
		int from = call->to_original ? 1 - side : side;

		linkage->file[side] =
			sdcpg_coded_file_load(linkage->host, relation[from], &id[from],
								  columns, column[from], dictionary);
	}
	linkage->value = find_classes(linkage, keys->count, NULL, null_leaves);
	if (columns > keys->count)
	{
		linkage->text = palloc(sizeof(SdcExactClasses));
		*linkage->text =
			find_classes(linkage, keys->count, text_of, null_leaves);
	}
	linkage->ids = dictionary[0];
}

/*
 * Reads both relations as the caller and finds which rows agree.  An id may
 * have many rows, as a customer has purchases.
 */
static void
exact_linkage_run(SdcExactLinkage *linkage, SdcPgHost *host,
				  const SdcExactCall *call)
{
	const SdcRelation *relation[2];
	SdcRelationColumns keys;
	bool category;
	int32 ids;

	memset(linkage, 0, sizeof(*linkage));
	linkage->host = host;
	linkage->compare =
		sdcpg_params_choice(call->params, "compare", compare_words);
	relation[0] = sdcpg_relation_find(call->original);
	relation[1] = sdcpg_relation_find(call->masked);
	/* a NULL that may be any value is no sign that two records are one */
	category = sdcpg_nulls_read(relation[0], call->params, SDC_NULLS_ANY,
								SDC_NULLS_CATEGORY) == SDC_NULLS_CATEGORY;
	keys = sdcpg_relation_columns(relation[0], "keys", call->keys);
	sdcpg_params_members_check(call->params, "prefix", &keys, false);
	load_files(linkage, call, relation, &keys, !category);
	linkage->rank = sdcpg_dictionary_sort(linkage->ids);
	ids = sdcpg_dictionary_values(linkage->ids);
	linkage->set = sdc_class_items_set(&host->kernel, ids);
	linkage->votes = sdc_new(&host->kernel, int32, ids + 1);
	memset(linkage->votes, 0, sizeof(int32) * (ids + 1));
}

/* The ids that a row of file[0] agrees with, or NULL for none: *class_of. */
static const SdcClassItems *
items_of(const SdcExactLinkage *linkage, int32 row, int32 *class_of)
{
	const SdcExactClasses *text = linkage->text;

	if (text != NULL && text->class_of[row] >= 0 &&
		(linkage->compare == SDC_EXACT_TEXT ||
		 sdc_class_items_size(&text->items, text->class_of[row]) > 0))
	{
		*class_of = text->class_of[row];
		return &text->items;
	}
	*class_of = linkage->value.class_of[row];
	return *class_of < 0 ? NULL : &linkage->value.items;
}

/*
 * The ids of file[1] that rows of one id of file[0] agree with, weighted by
 * the number of pairs of rows; the rows are first .. end - 1.
 */
static SdcItemSet *
exact_linkage_find(SdcExactLinkage *linkage, int32 first, int32 end)
{
	SdcItemSet *set = &linkage->set;
	SdcHost *host = &linkage->host->kernel;
	int32 class_of;
	int32 row;
	int32 i;

	set->items = 0;
	for (row = first; row < end; row++)
	{
		const SdcClassItems *items = items_of(linkage, row, &class_of);

		if (items == NULL)
			continue;
		sdc_class_items_add(items, class_of, linkage->votes, set);
		host->poll(host, row, linkage->file[0].rows);
	}
	for (i = 0; i < set->items; i++)
		linkage->votes[set->item[i]] = 0;
	return set;
}

/* Adds what is found of the rows of one id. */
static void
count_id(SdcExactLinkage *linkage, int32 first, int32 end,
		 SdcLinkSuccess *found)
{
	const SdcItemSet *set = exact_linkage_find(linkage, first, end);
	double total = 0;
	double right = 0;
	int32 i;

	for (i = 0; i < set->items; i++)
	{
		total += set->weight[i];
		if (set->item[i] == linkage->file[0].id[first])
			right = set->weight[i];
	}
	found->records++;
	if (right > 0)
		sdcpg_success_add(found, right / total);
	found->unique_right += right > 0 && set->items == 1;
}

/* The end of the rows of the id that starts at first. */
static int32
end_of_id(const SdcCodedFile *file, int32 first)
{
	int32 end = first + 1;

	while (end < file->rows && file->id[end] == file->id[first])
		end++;
	return end;
}

/* Which ids file[1] has. */
static bool *
find_present(SdcExactLinkage *linkage)
{
	int32 ids = sdcpg_dictionary_values(linkage->ids);
	bool *present = sdc_new(&linkage->host->kernel, bool, ids + 1);
	int32 i;

	memset(present, 0, ids);
	for (i = 0; i < linkage->file[1].rows; i++)
		present[linkage->file[1].id[i]] = true;
	return present;
}

/* Pairs of rows and items that have to be looked at. */
static double
count_pairs(const SdcExactLinkage *linkage)
{
	const SdcClassItems *items;
	double pairs = 0;
	int32 class_of;
	int32 row;

	for (row = 0; row < linkage->file[0].rows; row++)
	{
		items = items_of(linkage, row, &class_of);
		if (items != NULL)
			pairs += sdc_class_items_size(items, class_of);
	}
	return pairs;
}

/*
 * How well equal rows match the truth: ids that are in both files, those
 * marked by code unless marked is NULL.
 */
static SdcLinkSuccess
exact_linkage_success(SdcExactLinkage *linkage, const bool *present,
					  const bool *marked)
{
	SdcHost *host = &linkage->host->kernel;
	const SdcCodedFile *from = &linkage->file[0];
	SdcLinkSuccess found = {0};
	int32 first;
	int32 end;

	host->stage(host, "counting links");
	for (first = 0; first < from->rows; first = end)
	{
		int32 id = from->id[first];

		end = end_of_id(from, first);
		host->poll(host, first, from->rows);
		if (present[id] && (marked == NULL || marked[id]))
			count_id(linkage, first, end, &found);
	}
	return found;
}

/* People that are in both files. */
static int32
count_people(const SdcExactLinkage *linkage, const bool *present)
{
	const SdcCodedFile *from = &linkage->file[0];
	int32 people = 0;
	int32 first;

	for (first = 0; first < from->rows; first = end_of_id(from, first))
		people += present[from->id[first]];
	return people;
}

/* ----------------------------------------------------------------------
 * sdc.attack_exact: who has a row that is equal.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_attack_exact);

const SdcKey sdcpg_exact_params[] = {
	{"prefix", SDC_KEY_INTEGER, .low = 1, .high = MAX_PREFIX,
	 .shape = SDC_KEY_BY_COLUMN, .names = SDC_NAMES_KEYS},
	{"nulls", SDC_KEY_WORD, .words = sdc_nulls_words},
	SDC_TAKES_MAP,
	{"compare", SDC_KEY_WORD, .words = compare_words},
	SDC_TAKES_DIRECTION,
	SDC_TAKES_CANDIDATES("100"),
	{NULL}};

static const char *
name_id(void *arg, int32 item)
{
	SdcExactLinkage *linkage = arg;

	return sdcpg_dictionary_text(linkage->ids, linkage->rank[item]);
}

/* Returns the rows; those of one id lie side by side. */
static void
put_links(SdcExactLinkage *linkage, SdcPgHost *host, ReturnSetInfo *result,
		  int32 max_candidates)
{
	const SdcCodedFile *from = &linkage->file[0];
	SdcLinks links;
	int32 first;
	int32 end;

	sdcpg_links_begin(&links, host, result, from->rows);
	for (first = 0; first < from->rows; first = end)
	{
		int32 id = from->id[first];

		for (end = first + 1; end < from->rows && from->id[end] == id; end++)
			;
		sdcpg_links_step(&links);
		sdcpg_weighted_links_put(&links, name_id(linkage, id),
								 exact_linkage_find(linkage, first, end),
								 max_candidates, id, false, name_id, linkage);
	}
	sdcpg_links_end(&links);
}

/*
 * attack_exact(original regclass, masked regclass, id name, keys columns,
 *              params jsonb)
 */
Datum
sdcf_attack_exact(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcExactCall call;
	SdcExactLinkage linkage;
	SdcPgHost *host;
	int32 max_candidates;

	sdcpg_args_need_first(fcinfo, 2);
	call.original = PG_GETARG_OID(0);
	call.masked = PG_GETARG_OID(1);
	call.id = sdcpg_roles_id_argument(fcinfo, 2, call.original);
	call.keys = sdcpg_roles_names_argument(fcinfo, 3, "keys", call.original,
										   SDC_ROLE_KEY);
	call.params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	sdcpg_params_check_keys(call.params, sdcpg_exact_params);
	call.to_original =
		sdcpg_params_choice(call.params, "direction", sdcpg_direction_words) ==
		SDC_TO_ORIGINAL;
	max_candidates =
		sdcpg_keys_integer(sdcpg_exact_params, call.params, "max_candidates");
	host = sdcpg_host_begin("attack_exact", CurrentMemoryContext);
	exact_linkage_run(&linkage, host, &call);
	put_links(&linkage, host, result, max_candidates);
	sdcpg_host_end(host);
	return (Datum) 0;
}

void
sdcpg_attack_exact(const SdcAttack *attack, const SdcAttackCase *of,
				   SdcPgHost *host, SdcAttackOutcome *outcome)
{
	SdcExactCall call = {0};
	SdcExactLinkage linkage;
	SdcLinkSuccess found;
	const bool *present;
	const bool *marked;

	call.original = of->original->oid;
	call.masked = of->masked->oid;
	call.id = of->id;
	call.keys = of->keys;
	call.params = of->params;
	call.to_original =
		sdcpg_params_choice(of->params, "direction", sdcpg_direction_words) ==
		SDC_TO_ORIGINAL;
	exact_linkage_run(&linkage, host, &call);
	present = find_present(&linkage);
	marked =
		sdcpg_attack_sample(of, host, sdcpg_dictionary_values(linkage.ids),
							count_pairs(&linkage), attack->budget);
	found = exact_linkage_success(&linkage, present, marked);
	if (linkage.text != NULL && linkage.compare == SDC_EXACT_EITHER)
	{
		SdcLinkSuccess other;

		/* where forms were changed, who goes by them finds less */
		linkage.text = NULL;
		other = exact_linkage_success(&linkage, present, marked);
		if (other.right + other.error > found.right + found.error)
			found = other;
	}
	sdcpg_attack_links(outcome, &found, count_people(&linkage, present));
}
