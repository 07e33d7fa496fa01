/*
 * generalization_write.c
 *		A relation generalized at a node, as a new table.
 *
 * The different values of a key and their labels are two arrays, which the
 * query joins by the equality of the type: a hash table of PostgreSQL's for
 * each key, however many rows there are.  A third array holds the part that
 * the value's group has in the number of its class; the numbers of the classes
 * that fail are a last array to join.  No value stands in the text of the
 * query.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "pg/server/compat.h"
#include "pg/generalization/generalization_number.h"
#include "pg/generalization/generalization_write.h"

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
		element[i] = group[sdcpg_generalization_group(written, i)];
	bind_array(writing, element, count, TEXTOID, TEXTARRAYOID);
}

static void
bind_parts(Writing *writing, const SdcGeneralizationDigit *written)
{
	int32 count = written->groups->values;
	Datum *element = new_elements(writing, count);
	int32 i;

	for (i = 0; i < count; i++)
		element[i] = Int64GetDatum(written->step *
								   sdcpg_generalization_group(written, i));
	bind_array(writing, element, count, INT8OID, get_array_type(INT8OID));
}

/* The equality of a type as SQL. */
static char *
equality(Oid type)
{
	Oid operator= lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	HeapTuple tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(operator));
	Form_pg_operator form;
	char *sql;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "no equality operator for type %u", type);
	form = (Form_pg_operator) GETSTRUCT(tuple);
	sql = psprintf("OPERATOR(%s.%s)",
				   quote_identifier(get_namespace_name(form->oprnamespace)),
				   NameStr(form->oprname));
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
	appendStringInfo(joins, ") AS m%d (value%s%s) ON m%d.value %s r.%s", i,
					 labels ? ", label" : "",
					 written->step > 0 ? ", part" : "", i,
					 equality(key->column.base), key->column.sql);
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

static void
set_for_now(const char *name, const char *value)
{
	set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
					  true, 0, false);
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

	set_for_now("enable_hashjoin", "on");
	set_for_now("enable_mergejoin", "off");
	set_for_now("enable_nestloop", "off");
	set_for_now("jit", "off");
	writing->release->records =
		sdcpg_target_create(writing->problem->host, writing->release->target,
							select, writing->parameters);
	AtEOXact_GUC(true, level);
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
	writing.key = sdcpg_generalization_digits(problem, release->level);
	if (release->suppressed > 0)
	{
		writing.failing =
			sdcpg_generalization_failing(problem, release->level, writing.key);
		writing.numbers = sdcpg_generalization_number(problem, writing.key);
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
