/*
 * joined.c
 *		sdc.attack_joined: who is who by what several tables tell together.
 *
 * One table has a row for each person; the others lead to it by foreign keys,
 * and tables that these refer to say more of their rows.  Each published
 * column of each table is a channel (see purchases.c), unless it is declared
 * as sensitive or insensitive, which others do not know: the set of its
 * values in the rows of a person; so are whole rows, and, of numbers, their
 * sum and how many rows there are.  Tables without foreign keys are joined by
 * columns that tell their rows apart.  On the released side rows are brought
 * together by the same columns: what keeps these apart cuts the join.
 *
 * An intruder who knows the rules computes what the original values become
 * where that follows from them (see SdcMaskCandidates).
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "topic/mask/rules.h"
#include "topic/registry/masks.h"
#include "topic/registry/roles.h"
#include "topic/registry/words.h"
#include "topic/transaction/purchases.h"

#define MOST_TABLES   1000 /* of a call; a policy may have more */
#define MOST_COLUMNS  16   /* of a foreign key */
#define MOST_VALUES   100  /* columns of a table that are looked at */
#define MOST_CHANNELS 500

/* A foreign key between two of the tables. */
typedef struct Edge
{
	int child;
	int parent;
	int columns;
	const char *name[MOST_COLUMNS]; /* of the child */
	const char *key[MOST_COLUMNS];  /* of the parent */
} Edge;

/* A column that tells something. */
typedef enum ValueKind
{
	VALUE_TEXT,
	VALUE_NUMBER,
	VALUE_DAY
} ValueKind;

typedef struct JoinedValue
{
	ValueKind kind;
	const char *sql[SDC_EVENTS_SIDES]; /* of the alias r */
	const char *sum[SDC_EVENTS_SIDES]; /* of a number */
} JoinedValue;

/* What a channel compares, and so by which looks it is read. */
typedef enum Look
{
	LOOK_EQUAL = 1, /* values as they are */
	LOOK_NEAR = 2,  /* numbers and days that may have been moved */
	LOOK_BOTH = 3
} Look;

/* A table on its way to the person. */
typedef struct Table
{
	const SdcJoinedTable *of;
	SdcRelationColumns all; /* of the original */
	SdcRules rules;
	bool reached;
	int edge;    /* the first step of the way; -1: it is the persons' own */
	bool lookup; /* is it the parent of that edge? */
	int values;
	JoinedValue value[MOST_VALUES];
	SdcEventTable events;
	int first; /* its channels */
	int channels;
} Table;

typedef struct Joining
{
	SdcPgHost *host;
	const SdcJoined *of;
	int tables;
	Table *table;
	int edges;
	Edge *edge;
	int root;
	SdcEventPersons persons;
	SdcEventLinkage linkage;
	int channels;
	SdcEventChannel channel[MOST_CHANNELS];
	Look look[MOST_CHANNELS];
	bool nears; /* is there anything to be compared so? */
	SdcEventChannel chosen[MOST_CHANNELS];
} Joining;

/* ----------------------------------------------------------------------
 * The graph of the tables.
 * ----------------------------------------------------------------------
 */

static int
find_table(const Joining *join, Oid oid)
{
	int i;

	for (i = 0; i < join->tables; i++)
		if (join->of->table[i].original->oid == oid)
			return i;
	return -1;
}

/* Is a column of a table there on the released side? */
static bool
is_shown(const SdcJoinedTable *table, const char *name)
{
	return get_attnum(table->shown->oid, name) > 0 &&
		   (table->published == NIL ||
			sdcpg_params_is_listed(table->published, name));
}

/* Are the columns of a foreign key released, so that rows can be joined? */
static bool
is_whole(const Joining *join, const Edge *edge, bool parent_too)
{
	int i;

	for (i = 0; i < edge->columns; i++)
		if (!is_shown(&join->of->table[edge->child], edge->name[i]) ||
			(parent_too &&
			 !is_shown(&join->of->table[edge->parent], edge->key[i])))
			return false;
	return true;
}

/* The foreign keys of a table to others of the tables, a row a column. */
static void
read_edges(Joining *join, int child)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int64 i;

	sdcpg_catalog_bind(&parameters, OIDOID,
					   ObjectIdGetDatum(join->of->table[child].original->oid),
					   false);
	rows = sdcpg_catalog_read(
		"SELECT c.confrelid, u.place, CAST(a.attname AS pg_catalog.text), "
		"CAST(b.attname AS pg_catalog.text) "
		"FROM pg_catalog.pg_constraint AS c CROSS JOIN LATERAL "
		"ROWS FROM (pg_catalog.unnest(c.conkey), "
		"pg_catalog.unnest(c.confkey)) "
		"WITH ORDINALITY AS u(att, key, place) "
		"JOIN pg_catalog.pg_attribute AS a ON "
		"a.attrelid OPERATOR(pg_catalog.=) c.conrelid AND a.attnum "
		"OPERATOR(pg_catalog.=) u.att JOIN pg_catalog.pg_attribute AS b ON "
		"b.attrelid OPERATOR(pg_catalog.=) c.confrelid AND b.attnum "
		"OPERATOR(pg_catalog.=) u.key WHERE c.conrelid "
		"OPERATOR(pg_catalog.=) $1 AND c.contype OPERATOR(pg_catalog.=) 'f' "
		"ORDER BY c.conname, u.place",
		&parameters);
	for (i = 0; i < rows->count; i++)
	{
		int parent = find_table(join, DatumGetObjectId(rows->value[i][0]));
		Edge *edge;

		if (DatumGetInt64(rows->value[i][1]) == 1)
		{
			join->edge =
				repalloc(join->edge, sizeof(Edge) * (Size) (join->edges + 1));
			join->edge[join->edges].child = child;
			join->edge[join->edges].parent = parent;
			join->edge[join->edges++].columns = 0;
		}
		edge = &join->edge[join->edges - 1];
		if (edge->columns < MOST_COLUMNS)
		{
			edge->name[edge->columns] = TextDatumGetCString(rows->value[i][2]);
			edge->key[edge->columns++] =
				TextDatumGetCString(rows->value[i][3]);
		}
	}
}

/* The rule that puts a name in the place of a column's values, or NULL. */
static const SdcRule *
naming_rule(const Table *table, const SdcRelationColumn *column)
{
	const SdcRule *rule = sdcpg_rules_of(&table->rules, column->number);

	return rule != NULL && rule->columns.count == 1 &&
				   (rule->method->traits & SDC_MASK_KEYED) != 0
			   ? rule
			   : NULL;
}

static bool
has_edge(const Joining *join, int child, int parent, const char *name)
{
	int e;

	for (e = 0; e < join->edges; e++)
		if (join->edge[e].child == child && join->edge[e].parent == parent &&
			join->edge[e].columns == 1 &&
			strcmp(join->edge[e].name[0], name) == 0)
			return true;
	return false;
}

/*
 * Columns that get the names of another table's id refer to it, whether or not
 * a foreign key says so: who has both tables joins them.  Of two ids that get
 * the same names the later table's refers to the other one.
 */
static void
name_edges(Joining *join, int child, int parent)
{
	const Table *table = &join->table[child];
	const SdcJoinedTable *other = &join->of->table[parent];
	SdcRelationColumn id;
	const SdcRule *naming;
	int i;

	if (other->id == NULL)
		return;
	id = sdcpg_relation_column(other->original, other->id);
	naming = naming_rule(&join->table[parent], &id);
	for (i = 0; naming != NULL && i < table->all.count; i++)
	{
		const char *name = table->all.column[i].name;
		const SdcRule *rule = naming_rule(table, &table->all.column[i]);

		if (rule == NULL || !sdcpg_params_same(rule->params, naming->params) ||
			(child < parent && table->of->id != NULL &&
			 strcmp(name, table->of->id) == 0) ||
			has_edge(join, child, parent, name))
			continue;
		join->edge =
			repalloc(join->edge, sizeof(Edge) * (Size) (join->edges + 1));
		join->edge[join->edges].child = child;
		join->edge[join->edges].parent = parent;
		join->edge[join->edges].columns = 1;
		join->edge[join->edges].name[0] = name;
		join->edge[join->edges++].key[0] = other->id;
	}
}

/* Columns of an alias as one text; NULL if one of them is. */
static char *
key_text(const SdcRelation *relation, const char *alias,
		 const char *const *name, int columns)
{
	StringInfoData text;
	int i;

	initStringInfo(&text);
	appendStringInfoChar(&text, '(');
	for (i = 0; i < columns; i++)
	{
		SdcRelationColumn column = sdcpg_relation_column(relation, name[i]);

		if (i > 0)
			appendStringInfoString(&text, " OPERATOR(pg_catalog.||) '/' "
										  "OPERATOR(pg_catalog.||) ");
		appendStringInfoString(
			&text, sdcpg_query_cast_from(column.base,
										 psprintf("%s.%s", alias, column.sql),
										 "text"));
	}
	appendStringInfoString(&text, ") COLLATE pg_catalog.\"C\"");
	return text.data;
}

/* Are columns of two tables published with the same values of the same? */
static bool
is_alike(const Table *table, const Table *other, const char *name)
{
	const Table *side[2] = {table, other};
	const SdcRule *rule[2];
	int i;

	for (i = 0; i < 2; i++)
	{
		AttrNumber number = get_attnum(side[i]->of->original->oid, name);

		if (number <= 0 || !is_shown(side[i]->of, name))
			return false;
		rule[i] = sdcpg_rules_of(&side[i]->rules, number);
		if (rule[i] != NULL && (rule[i]->method->traits & SDC_MASK_IDLE) != 0)
			rule[i] = NULL;
		if (rule[i] != NULL && (rule[i]->columns.count != 1 ||
								!(rule[i]->method->traits & SDC_MASK_KEYED)))
			return false;
	}
	return (rule[0] == NULL) == (rule[1] == NULL) &&
		   (rule[0] == NULL ||
			sdcpg_params_same(rule[0]->params, rule[1]->params));
}

/*
 * Has a column a value of its own in each row, and numbers not those that a
 * count of the rows would give, which other tables have by chance?
 */
static bool
tells_apart(const SdcRelation *relation, const SdcRelationColumn *column)
{
	const char *name = column->name;
	char *key = key_text(relation, "r", &name, 1);
	char *number = sdcpg_number_is_arithmetic(column->base)
					   ? sdcpg_query_cast(column, "numeric")
					   : NULL;

	return DatumGetBool(
		sdcpg_catalog_read(
			psprintf(
				"SELECT x.n OPERATOR(pg_catalog.>) 0 AND x.n "
				"OPERATOR(pg_catalog.=) x.d AND x.wide FROM (SELECT "
				"pg_catalog.count(%s) AS n, pg_catalog.count(DISTINCT %s) AS "
				"d, %s AS wide FROM %s AS r) AS x",
				key, key,
				number == NULL
					? "true"
					: psprintf("pg_catalog.max(%s) OPERATOR(pg_catalog.-) "
							   "pg_catalog.min(%s) OPERATOR(pg_catalog.>) "
							   "(4 OPERATOR(pg_catalog.*) "
							   "pg_catalog.count(*))",
							   number, number),
				relation->sql),
			NULL)
			->value[0][0]);
}

/* Are most values of a column of a table those of another one? */
static bool
has_values_of(const SdcRelation *child, const SdcRelation *parent,
			  const char *name)
{
	return DatumGetBool(
		sdcpg_catalog_read(
			psprintf("SELECT 2 OPERATOR(pg_catalog.*) pg_catalog.count(x.key) "
					 "OPERATOR(pg_catalog.>) pg_catalog.count(*) FROM %s AS r "
					 "LEFT JOIN (SELECT %s AS key FROM %s AS p) AS x ON x.key "
					 "OPERATOR(pg_catalog.=) %s",
					 child->sql, key_text(parent, "p", &name, 1), parent->sql,
					 key_text(child, "r", &name, 1)),
			NULL)
			->value[0][0]);
}

/* Do rows refer to a table by this column only, if they do, or any others? */
static bool
is_key(const Joining *join, int parent, const char *name)
{
	bool key = join->edges == 0;
	int e;

	for (e = 0; e < join->edges; e++)
		if (join->edge[e].parent == parent)
		{
			if (join->edge[e].columns != 1 ||
				strcmp(join->edge[e].key[0], name) != 0)
				return false;
			key = true;
		}
	return key;
}

static bool
has_edges(const Joining *join, int t)
{
	int e;

	for (e = 0; e < join->edges; e++)
		if (join->edge[e].child == t || join->edge[e].parent == t)
			return true;
	return false;
}

/*
 * A table to which nothing else leads is joined by a column of a name that
 * both publish in the same way, as the number of an account, if it tells the
 * rows of the other one apart.
 */
static void
share_edges(Joining *join, int child, int parent)
{
	const SdcJoinedTable *table = &join->of->table[child];
	const SdcJoinedTable *other = &join->of->table[parent];
	const SdcRelationColumns *all = &join->table[parent].all;
	int i;

	for (i = 0; i < all->count && !has_edges(join, child); i++)
	{
		const char *name = all->column[i].name;
		Edge edge = {child, parent, 1, {name}, {name}};

		if (table->rules == NULL || other->rules == NULL || table->plain ||
			other->plain || !is_key(join, parent, name) ||
			!is_alike(&join->table[child], &join->table[parent], name) ||
			!tells_apart(other->original, &all->column[i]) ||
			!has_values_of(table->original, other->original, name))
			continue;
		join->edge =
			repalloc(join->edge, sizeof(Edge) * (Size) (join->edges + 1));
		join->edge[join->edges++] = edge;
	}
}

/* Is a foreign key one of the column that is declared as the person? */
static bool
names_person(const Joining *join, const Edge *edge)
{
	SdcRelationColumns person =
		sdcpg_roles_columns(join->of->table[edge->child].original, "person",
							NULL, SDC_ROLE_PERSON);

	return edge->columns == 1 && person.count == 1 &&
		   strcmp(person.column[0].name, edge->name[0]) == 0;
}

/* Can a foreign key lead to the persons?  Not one to a look-up table. */
static bool
leads(const Joining *join, const Edge *edge)
{
	return edge->parent >= 0 && edge->parent != edge->child &&
		   !join->of->table[edge->parent].plain;
}

/*
 * The table that a declared person refers to; else the only one that refers to
 * none of the others, and others to it.
 */
static int
find_root(const Joining *join)
{
	int found = -1;
	int t;
	int e;

	for (e = 0; e < join->edges; e++)
		if (leads(join, &join->edge[e]) && names_person(join, &join->edge[e]))
			return join->edge[e].parent;
	for (t = 0; t < join->tables; t++)
	{
		bool referred = false;
		bool refers = false;

		for (e = 0; e < join->edges; e++)
		{
			refers = refers ||
					 (leads(join, &join->edge[e]) && join->edge[e].child == t);
			referred = referred || (leads(join, &join->edge[e]) &&
									join->edge[e].parent == t);
		}
		if (!referred || refers)
			continue;
		if (found >= 0)
			return -1;
		found = t;
	}
	return found;
}

/* The tables and the foreign keys between them. */
static void
begin_join(Joining *join, const SdcJoined *of)
{
	int t;
	int u;

	join->of = of;
	join->tables = of->count;
	join->table = palloc0(sizeof(Table) * (Size) (of->count + 1));
	join->edge = palloc(sizeof(Edge));
	for (t = 0; t < join->tables; t++)
	{
		Table *table = &join->table[t];

		table->of = &of->table[t];
		table->all = sdcpg_relation_all_columns(table->of->original);
		table->rules = sdcpg_rules_read(table->of->rules, table->of->original);
		read_edges(join, t);
	}
	for (t = 0; t < join->tables; t++)
		for (u = 0; u < join->tables; u++)
			if (t != u)
				name_edges(join, t, u);
	for (t = 0; t < join->tables; t++)
		for (u = t + 1; u < join->tables; u++)
			share_edges(join, u, t);
	join->root = of->person >= 0 ? of->person : find_root(join);
}

Oid
sdcpg_joined_person(const SdcJoined *joined)
{
	Joining *join = palloc0(sizeof(Joining));

	begin_join(join, joined);
	return join->root < 0 ? InvalidOid
						  : joined->table[join->root].original->oid;
}

/*
 * Goes from the persons to the rows that refer to them, and so on, and from
 * each row to what it refers to: what that says holds of the row.  Rows that
 * refer to such a thing are other people's, too, and are not followed.
 */
static void
walk(Joining *join)
{
	bool more = true;
	int e;

	join->table[join->root].reached = true;
	join->table[join->root].edge = -1;
	while (more)
	{
		more = false;
		for (e = 0; e < join->edges; e++)
		{
			const Edge *edge = &join->edge[e];
			bool down;
			Table *next;

			if (edge->parent < 0 || edge->parent == edge->child)
				continue;
			down = join->table[edge->parent].reached &&
				   !join->table[edge->parent].lookup &&
				   !join->table[edge->child].reached;
			if (!down && (!join->table[edge->child].reached ||
						  join->table[edge->parent].reached))
				continue;
			if (!is_whole(join, edge, edge->parent != join->root))
				continue;
			next = &join->table[down ? edge->child : edge->parent];
			next->reached = more = true;
			next->edge = e;
			next->lookup = !down;
		}
	}
}

/* Can the rows of the persons' own table be told whose they are? */
static void
check_root(Joining *join)
{
	int e;

	for (e = 0; e < join->edges; e++)
		if (join->edge[e].parent == join->root &&
			join->table[join->edge[e].child].reached &&
			is_whole(join, &join->edge[e], true))
			return;
	join->table[join->root].reached = false;
}

/* ----------------------------------------------------------------------
 * Queries.
 * ----------------------------------------------------------------------
 */

static const SdcRelation *
side_of(const SdcJoinedTable *table, int side)
{
	return side == SDC_EVENTS_KNOWN ? table->original : table->shown;
}

/* The edge by which the persons' own key is told. */
static const Edge *
root_edge(const Joining *join)
{
	int e;

	for (e = 0; e < join->edges; e++)
		if (join->edge[e].parent == join->root &&
			join->edge[e].child != join->root)
			return &join->edge[e];
	return NULL;
}

/*
 * Writes FROM and JOIN of a table from alias r on, and returns whose a row is.
 */
static char *
append_way(StringInfo from, const Joining *join, int t, int side)
{
	const char *alias = "r";
	int steps = 0;

	appendStringInfo(from, " FROM %s AS r",
					 side_of(&join->of->table[t], side)->sql);
	while (join->table[t].edge >= 0)
	{
		const Table *table = &join->table[t];
		const Edge *edge = &join->edge[table->edge];
		const SdcRelation *child =
			side_of(&join->of->table[edge->child], side);
		const SdcRelation *parent =
			side_of(&join->of->table[edge->parent], side);
		char *next;

		if (!table->lookup && edge->parent == join->root)
			return key_text(child, alias, edge->name, edge->columns);
		next = psprintf("p%d", ++steps);
		appendStringInfo(from,
						 " JOIN %s AS %s ON %s OPERATOR(pg_catalog.=) %s",
						 (table->lookup ? child : parent)->sql, next,
						 key_text(child, table->lookup ? next : alias,
								  edge->name, edge->columns),
						 key_text(parent, table->lookup ? alias : next,
								  edge->key, edge->columns));
		alias = next;
		t = table->lookup ? edge->child : edge->parent;
	}
	return key_text(side_of(&join->of->table[t], side), alias,
					root_edge(join)->key, root_edge(join)->columns);
}

/* ----------------------------------------------------------------------
 * What the columns of a table tell.
 * ----------------------------------------------------------------------
 */

/* Does a column only say whose a row is, or which? */
static bool
is_name(const Joining *join, int t, const char *name)
{
	const SdcJoinedTable *table = &join->of->table[t];
	int e;
	int i;

	if (table->id != NULL && strcmp(table->id, name) == 0)
		return true;
	for (e = 0; e < join->edges; e++)
	{
		const Edge *edge = &join->edge[e];

		if (edge->parent < 0)
			continue;
		for (i = 0; i < edge->columns; i++)
			if ((edge->child == t && edge->parent == join->root &&
				 strcmp(edge->name[i], name) == 0) ||
				(edge->parent == t && strcmp(edge->key[i], name) == 0))
				return true;
	}
	return false;
}

/* A value in a form in which both sides have it. */
static char *
value_text(ValueKind kind, Oid base, const char *sql)
{
	if (kind == VALUE_DAY)
	{
		char *day = sdcpg_query_cast_from(base, sql, "date");

		return psprintf(
			"CASE WHEN pg_catalog.isfinite(%s) THEN CAST(%s" SDC_MINUS
				SDC_EPOCH " AS pg_catalog.int8) WHEN %s" SDC_LT SDC_EPOCH
			" THEN -2000000000 WHEN %s IS NOT NULL THEN 2000000000 END",
			day, day, day, day);
	}
	if (kind == VALUE_NUMBER)
		return sdcpg_query_cast_from(base, sql, "numeric");
	return psprintf("%s COLLATE pg_catalog.\"C\"",
					sdcpg_query_cast_from(base, sql, "text"));
}

/* The column of the original, as a known rule leaves it; its base type. */
static char *
known_sql(const SdcJoinedTable *table, const SdcRules *rules,
		  const SdcRelationColumn *column, Oid *base)
{
	const SdcRule *rule = sdcpg_rules_of(rules, column->number);
	char *image = NULL;

	*base = column->base;
	if (rule != NULL && rule->method->candidates.image != NULL)
		image = rule->method->candidates.image(rule, table->original, column);
	if (image == NULL)
		return psprintf("r.%s", column->sql);
	if (OidIsValid(rule->method->candidates.image_type))
		*base = rule->method->candidates.image_type;
	return image;
}

/*
 * Has somebody said that others do not know a column?  What nobody has said
 * it of is known.
 */
static bool
is_unknown(const SdcRoles *declared, const SdcRelationColumn *column)
{
	const SdcRoleColumn *said = sdcpg_roles_declared(declared, column->name);

	return said != NULL && (said->role == SDC_ROLE_SENSITIVE ||
							said->role == SDC_ROLE_INSENSITIVE);
}

/* Is a name put in the place of a value, so that nothing is left of it? */
static bool
is_renamed(const SdcRules *rules, const SdcRelationColumn *column)
{
	const SdcRule *rule = sdcpg_rules_of(rules, column->number);

	return rule != NULL && (rule->method->traits & SDC_MASK_KEYED) != 0;
}

static void
describe_values(Joining *join, int t)
{
	Table *table = &join->table[t];
	SdcRoles *declared = sdcpg_roles_find(table->of->original->oid);
	int i;

	for (i = 0; i < table->all.count && table->values < MOST_VALUES; i++)
	{
		SdcRelationColumn *column = &table->all.column[i];
		JoinedValue *value = &table->value[table->values];
		SdcRelationColumn shown;
		char *sql;
		Oid base;

		if (!is_shown(table->of, column->name) ||
			is_name(join, t, column->name) ||
			is_renamed(&table->rules, column) || is_unknown(declared, column))
			continue;
		shown = sdcpg_relation_column(table->of->shown, column->name);
		sql = known_sql(table->of, &table->rules, column, &base);
		value->kind = VALUE_TEXT;
		if (sdcpg_number_is_arithmetic(base) &&
			sdcpg_number_is_arithmetic(shown.base))
		{
			value->kind = VALUE_NUMBER;
			value->sum[0] = sdcpg_query_cast_from(base, sql, "numeric");
			value->sum[1] = sdcpg_query_cast(&shown, "numeric");
		}
		else if (sdcpg_time_is(base) && sdcpg_time_is(shown.base))
			value->kind = VALUE_DAY;
		value->sql[0] = value_text(value->kind, base, sql);
		value->sql[1] =
			value_text(value->kind, shown.base, psprintf("r.%s", shown.sql));
		table->values++;
	}
}

/* Reads the rows of a table of both sides. */
static void
read_table(Joining *join, int t)
{
	Table *table = &join->table[t];
	SdcFrameType types[MOST_VALUES + 1] = {SDC_FRAME_CODE};
	int side;
	int i;

	for (i = 0; i < table->values; i++)
		types[i + 1] = table->value[i].kind == VALUE_DAY ? SDC_FRAME_COUNT
														 : SDC_FRAME_CODE;
	for (side = 0; side < SDC_EVENTS_SIDES; side++)
	{
		StringInfoData from;
		StringInfoData sql;
		char *person;

		initStringInfo(&from);
		initStringInfo(&sql);
		person = append_way(&from, join, t, side);
		appendStringInfo(&sql, "SELECT %s AS person", person);
		for (i = 0; i < table->values; i++)
			appendStringInfo(&sql, ", %s AS v%d", table->value[i].sql[side],
							 i);
		appendStringInfo(&sql, "%s WHERE %s IS NOT NULL", from.data, person);
		sdcpg_events_read(&join->persons, &table->events, side, sql.data,
						  table->values + 1, types);
	}
}

/* ----------------------------------------------------------------------
 * Who is who.
 * ----------------------------------------------------------------------
 */

static void append_union(StringInfo sql, const char *format, ...)
	pg_attribute_printf(2, 3);

static void
append_union(StringInfo sql, const char *format, ...)
{
	va_list args;

	if (sql->len > 0)
		appendStringInfoString(sql, " UNION ALL ");
	va_start(args, format);
	appendStringInfoString(sql, sdcpg_result_sentence(format, args));
	va_end(args);
}

/* By the ids of the rows of tables that tell directly whose they are. */
static void
append_ids(StringInfo sql, const Joining *join)
{
	int t;

	for (t = 0; t < join->tables; t++)
	{
		const SdcJoinedTable *table = &join->of->table[t];
		const Edge *edge = t == join->root ? root_edge(join) : NULL;
		const char *const *name;

		if (table->linked == NULL || table->id == NULL ||
			(!join->table[t].reached && t != join->root) ||
			get_attnum(table->linked->oid, table->id) <= 0)
			continue;
		if (edge == NULL)
		{
			if (join->table[t].edge < 0 || join->table[t].lookup ||
				join->edge[join->table[t].edge].parent != join->root)
				continue;
			edge = &join->edge[join->table[t].edge];
			name = edge->name;
		}
		else
			name = edge->key;
		/* an id that is the key itself is renamed after that only */
		if (t == join->root && edge->columns == 1 &&
			strcmp(name[0], table->id) == 0 && table->linked != table->shown)
			continue;
		append_union(
			sql,
			"SELECT %s AS masked, %s AS original FROM %s AS m JOIN %s AS o "
			"ON %s OPERATOR(pg_catalog.=) %s",
			key_text(table->linked, "m", name, edge->columns),
			key_text(table->original, "o", name, edge->columns),
			table->linked->sql, table->original->sql,
			key_text(table->linked, "m", &table->id, 1),
			key_text(table->original, "o", &table->id, 1));
	}
}

/* A query of who is who: by a link, by ids, or by persons' own names. */
static char *
truth(const Joining *join, Oid link)
{
	StringInfoData sql;
	StringInfoData with;

	initStringInfo(&sql);
	initStringInfo(&with);
	if (OidIsValid(link))
	{
		sdcpg_purchases_link_with(&with, "l", sdcpg_relation_find(link), NULL);
		return psprintf("WITH %s SELECT l.masked, l.original FROM l",
						with.data);
	}
	append_ids(&sql, join);
	if (sql.len == 0)
		append_union(&sql, "SELECT %s AS masked, %s AS original FROM %s AS r",
					 key_text(join->of->table[join->root].original, "r",
							  root_edge(join)->key, root_edge(join)->columns),
					 key_text(join->of->table[join->root].original, "r",
							  root_edge(join)->key, root_edge(join)->columns),
					 join->of->table[join->root].original->sql);
	return psprintf(
		"SELECT DISTINCT ON (x.masked) x.masked, x.original FROM (SELECT "
		"u.masked, u.original, pg_catalog.count(*) AS n FROM (%s) AS u WHERE "
		"u.masked IS NOT NULL AND u.original IS NOT NULL GROUP BY u.masked, "
		"u.original) AS x ORDER BY x.masked, x.n DESC, x.original",
		sql.data);
}

/* ----------------------------------------------------------------------
 * Channels.
 * ----------------------------------------------------------------------
 */

static SdcEventChannel *
next_channel(Joining *join, Table *table, Look look)
{
	if (join->channels == MOST_CHANNELS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the tables have too many columns to be joined"),
				 errhint("Attack fewer tables at a time.")));
	table->channels++;
	join->nears |= look == LOOK_NEAR;
	join->look[join->channels] = look;
	return &join->channel[join->channels++];
}

/* A number or a day that may have been moved. */
static void
make_near(Joining *join, Table *table, int i)
{
	SdcEventPart part = {SDC_PART_NUMBER, i + 1};

	if (table->value[i].kind == VALUE_TEXT)
		return;
	if (table->value[i].kind == VALUE_DAY)
		part.kind = SDC_PART_DAYS;
	sdcpg_events_marks(&join->persons, &table->events, &part, 1, 0,
					   next_channel(join, table, LOOK_NEAR));
}

/* The values of each column, and whole rows. */
static void
make_marks(Joining *join, Table *table)
{
	SdcEventPart part[SDC_MOST_PARTS];
	int i;

	for (i = 0; i < table->values; i++)
	{
		SdcEventPart one = {table->value[i].kind == VALUE_DAY ? SDC_PART_DAY
															  : SDC_PART_CODE,
							i + 1};

		if (i < SDC_MOST_PARTS)
			part[i] = one;
		sdcpg_events_marks(&join->persons, &table->events, &one, 1, 0,
						   next_channel(join, table,
										table->value[i].kind == VALUE_TEXT
											? LOOK_BOTH
											: LOOK_EQUAL));
		if (table->value[i].kind == VALUE_DAY && table->edge >= 0)
			sdcpg_events_gaps(&join->persons, &table->events, i + 1,
							  next_channel(join, table, LOOK_EQUAL));
		make_near(join, table, i);
	}
	if (table->values > 1)
		sdcpg_events_marks(&join->persons, &table->events, part,
						   Min(table->values, SDC_MOST_PARTS), 0,
						   next_channel(join, table, LOOK_EQUAL));
}

/* How many rows a person has, and the sums of numbers. */
static void
make_numbers(Joining *join, int t)
{
	Table *table = &join->table[t];
	const char *sql[SDC_EVENTS_SIDES];
	int count = 1;
	SdcEventChannel *first;
	int side;
	int i;

	for (side = 0; side < SDC_EVENTS_SIDES; side++)
	{
		StringInfoData from;
		StringInfoData text;
		char *person;

		initStringInfo(&from);
		initStringInfo(&text);
		person = append_way(&from, join, t, side);
		appendStringInfo(&text, "SELECT %s AS person, pg_catalog.count(*)",
						 person);
		for (i = 0; i < table->values; i++)
			if (table->value[i].kind == VALUE_NUMBER)
				appendStringInfo(&text, ", pg_catalog.sum(%s)",
								 table->value[i].sum[side]);
		appendStringInfo(&text, "%s GROUP BY 1", from.data);
		sql[side] = text.data;
	}
	first = next_channel(join, table, LOOK_BOTH);
	for (i = 0; i < table->values; i++)
		if (table->value[i].kind == VALUE_NUMBER)
		{
			(void) next_channel(join, table, LOOK_EQUAL);
			count++;
		}
	sdcpg_events_numbers(&join->persons, sql, count, first);
}

static void
make_channels(Joining *join)
{
	int t;

	for (t = 0; t < join->tables; t++)
	{
		Table *table = &join->table[t];

		table->first = join->channels;
		if (!table->reached)
			continue;
		make_marks(join, table);
		make_numbers(join, t);
	}
}

/*
 * Chooses the channels of one table, or of all (-1), that one of the looks
 * reads; false for none.
 */
static bool
choose_table(Joining *join, int chosen, Look look)
{
	SdcEventFiles *files = &join->linkage.files;
	int t;
	int c;

	memset(files, 0, sizeof(*files));
	for (t = 0; t < join->tables; t++)
		for (c = 0; c < join->table[t].channels; c++)
			if ((chosen < 0 || chosen == t) &&
				(join->look[join->table[t].first + c] & look) != 0)
				join->chosen[files->channels++] =
					join->channel[join->table[t].first + c];
	files->persons = join->persons.count[SDC_EVENTS_KNOWN];
	files->records = join->persons.count[SDC_EVENTS_SHOWN];
	files->parts = 1;
	files->channel = join->chosen;
	join->linkage.persons = &join->persons;
	return files->channels > 0;
}

/* ----------------------------------------------------------------------
 * The attack.
 * ----------------------------------------------------------------------
 */

/* Reads everything; the reason why nothing can be joined, or NULL. */
static const char *
read_join(Joining *join, const SdcJoined *of, Oid link)
{
	int reached = 0;
	int t;

	join->persons.host = join->host;
	begin_join(join, of);
	if (join->root < 0 || root_edge(join) == NULL)
		return "No foreign keys lead from the tables to one that has a row "
			   "for each person.";
	walk(join);
	check_root(join);
	for (t = 0; t < join->tables; t++)
		if (join->table[t].reached)
		{
			describe_values(join, t);
			read_table(join, t);
			reached++;
		}
	if (reached == 0)
		return "What is published does not tell whose the rows are.";
	sdcpg_events_number(&join->persons, truth(join, link));
	make_channels(join);
	return NULL;
}

const char *const sdcpg_joined_methods[] = {"together", "apart", NULL};

#define TAKES_JOINED SDC_TAKES_ASSIGNMENT

static const SdcKey joined_keys[] = {TAKES_JOINED,
									 SDC_TAKES_CANDIDATES("100"),
									 {"near", SDC_KEY_BOOLEAN},
									 {NULL}};
const SdcKey sdcpg_joined_params[] = {
	{"link", SDC_KEY_TEXT, .need = sdcpg_relation_need}, TAKES_JOINED, {NULL}};

static void
read_joined_params(Joining *join, const SdcKey *keys, Jsonb *params)
{
	join->linkage.assign_asked = sdcpg_params_has(params, "assignment");
	join->linkage.assign = join->linkage.assign_asked &&
						   sdcpg_keys_choice(keys, params, "assignment") == 1;
}

/* How values were compared, behind what was found. */
static const char *
by_near(bool near)
{
	return near ? " by near values" : "";
}

/*
 * Links by one table, or by all (-1), by equal values and by near ones, of
 * which the better counts; false where there is nothing to be known by.
 */
static bool
link_best(const SdcAttack *row, const SdcAttackCase *of, Joining *join,
		  int chosen, SdcLinkSuccess *best, bool *near)
{
	SdcLinkSuccess found;

	*near = false;
	if (!choose_table(join, chosen, LOOK_EQUAL))
		return false;
	sdcpg_events_link(row, of, &join->linkage, best);
	if (!join->nears || !choose_table(join, chosen, LOOK_NEAR))
		return true;
	sdcpg_events_link(row, of, &join->linkage, &found);
	*near = sdcpg_events_share(&found) > sdcpg_events_share(best);
	if (*near)
		*best = found;
	return true;
}

/* Each table by itself: what it finds, in words, and the most. */
static void
link_tables(const SdcAttack *row, const SdcAttackCase *of, Joining *join,
			StringInfo said, SdcLinkSuccess *most)
{
	int t;

	for (t = 0; t < join->tables; t++)
	{
		SdcLinkSuccess found;
		bool near;

		if (!link_best(row, of, join, t, &found, &near))
			continue;
		appendStringInfo(said, "%s%s %.4g %%%s", said->len > 0 ? ", " : "",
						 join->of->table[t].original->name,
						 100 * sdcpg_events_share(&found), by_near(near));
		if (most->records == 0 ||
			sdcpg_events_share(&found) > sdcpg_events_share(most))
			*most = found;
	}
}

void
sdcpg_attack_joined(const SdcAttack *row, const SdcAttackCase *of,
					SdcPgHost *host, SdcAttackOutcome *outcome)
{
	Joining *join = palloc0(sizeof(Joining));
	char *link = sdcpg_params_text(of->params, "link");
	const char *lack;
	SdcLinkSuccess apart = {0};
	SdcLinkSuccess together;
	StringInfoData said;
	bool near;

	if (of->joined == NULL)
	{
		outcome->reason = "There is only one table, or the others are not "
						  "known here.";
		return;
	}
	join->host = host;
	join->linkage.seed = of->seeded ? (uint64) of->seed : sdcpg_strong_seed();
	read_joined_params(join, sdcpg_joined_params, of->params);
	lack = read_join(join, of->joined,
					 link == NULL ? InvalidOid : sdcpg_relation_oid(link));
	if (lack != NULL)
	{
		outcome->reason = unconstify(char *, lack);
		return;
	}
	initStringInfo(&said);
	link_tables(row, of, join, &said, &apart);
	if (!link_best(row, of, join, -1, &together, &near))
	{
		outcome->reason = "The tables show nothing that a person could be "
						  "known by.";
		return;
	}
	sdcpg_attack_links(
		outcome,
		strcmp(of->method, sdcpg_joined_methods[0]) == 0 ? &together : &apart,
		sdcpg_events_people(&join->linkage));
	if (outcome->reason == NULL)
		outcome->parts =
			psprintf("Found by table: %s; together %.4g %%%s.", said.data,
					 100 * sdcpg_events_share(&together), by_near(near));
}

/* ----------------------------------------------------------------------
 * What the other tables show of a person beside his keys.
 *
 * A column that nobody knows may go with a key of the persons' own table, as a
 * tax with an income.  So that the likelihood learns that, too, each of these
 * columns becomes one of the persons' table: its value where a person has one
 * row at most, else the least, the largest and the sum.
 * ----------------------------------------------------------------------
 */

#define MOST_BESIDE 60

/* A name that is in no list and no column of a relation; it is listed. */
static char *
new_name(const SdcRelation *relation, List **names, const char *table,
		 const char *column, const char *what)
{
	char *name = makeObjectName(table, column, what);
	int i;

	for (i = 2; sdcpg_params_is_listed(*names, name) ||
				get_attnum(relation->oid, name) != InvalidAttrNumber;
		 i++)
		name = makeObjectName(table, column,
							  psprintf("%s%d", what == NULL ? "" : what, i));
	*names = lappend(*names, name);
	return name;
}

/* Does a person have one row at most of what a FROM brings together? */
static bool
is_single(const char *from, const char *person)
{
	return sdcpg_catalog_read(
			   psprintf("SELECT FROM (SELECT %s AS person%s) AS x WHERE "
						"x.person IS NOT NULL GROUP BY x.person HAVING "
						"pg_catalog.count(*) OPERATOR(pg_catalog.>) 1 LIMIT 1",
						person, from),
			   NULL)
			   ->count == 0;
}

/* Is a column of a table shown, and more than a name of something? */
static bool
says_something(const Joining *join, int t, const SdcRelationColumn *column)
{
	const SdcJoinedTable *table = &join->of->table[t];
	AttrNumber number = get_attnum(table->original->oid, column->name);
	SdcRelationColumn original;

	if (number == InvalidAttrNumber || !is_shown(table, column->name) ||
		is_name(join, t, column->name))
		return false;
	original = sdcpg_relation_column(table->original, column->name);
	return !is_renamed(&join->table[t].rules, &original);
}

/* The columns of a table (m) as aggregates of the rows of a person. */
static void
append_beside(StringInfo list, StringInfo shown, const Joining *join, int t,
			  bool single, List **names)
{
	static const char *const kinds[] = {"min", "max", "sum"};
	const SdcJoinedTable *table = &join->of->table[t];
	const SdcRelation *persons = join->of->table[join->root].linked;
	SdcRelationColumns all = sdcpg_relation_all_columns(table->linked);
	int i;
	int j;

	for (i = 0; i < all.count; i++)
	{
		SdcRelationColumn *column = &all.column[i];
		bool number = sdcpg_number_is_arithmetic(column->base);
		char *value = psprintf("m.%s", column->sql);
		int many = single ? 1 : number ? 3 : 2;

		if (!says_something(join, t, column))
			continue;
		if (!sdcpg_time_is(column->base))
			value = sdcpg_query_cast_from(column->base, value,
										  number ? "numeric" : "text");
		for (j = 0; j < many && list_length(*names) < MOST_BESIDE; j++)
		{
			char *name = new_name(persons, names, table->original->name,
								  column->name, single ? NULL : kinds[j]);

			appendStringInfo(list, ", pg_catalog.%s(%s) AS %s", kinds[j],
							 value, quote_identifier(name));
			appendStringInfo(shown, ", t%d.%s", t, quote_identifier(name));
		}
	}
}

/* Can it be told whose the rows of a table are, by who has all tables? */
static bool
shows_beside(const Joining *join, int t)
{
	const SdcJoinedTable *table = &join->of->table[t];

	return t != join->root && join->table[t].reached &&
		   table->linked != NULL && table->id != NULL &&
		   get_attnum(table->linked->oid, table->id) > 0;
}

char *
sdcpg_joined_beside(const SdcJoined *joined, List **names)
{
	Joining *join = palloc0(sizeof(Joining));
	const SdcJoinedTable *root;
	StringInfoData shown;
	StringInfoData sql;
	int t;

	*names = NIL;
	begin_join(join, joined);
	root = join->root < 0 ? NULL : &joined->table[join->root];
	if (root == NULL || root->linked == NULL || root->id == NULL)
		return NULL;
	walk(join);
	check_root(join);
	initStringInfo(&shown);
	initStringInfo(&sql);
	for (t = 0; join->table[join->root].reached && t < join->tables; t++)
	{
		const SdcJoinedTable *table = &joined->table[t];
		StringInfoData from;
		StringInfoData list;
		char *person;

		if (!shows_beside(join, t))
			continue;
		initStringInfo(&from);
		initStringInfo(&list);
		person = append_way(&from, join, t, SDC_EVENTS_KNOWN);
		append_beside(&list, &shown, join, t, is_single(from.data, person),
					  names);
		appendStringInfo(
			&sql,
			" LEFT JOIN (SELECT %s AS person%s%s JOIN %s AS m ON %s "
			"OPERATOR(pg_catalog.=) %s GROUP BY 1) AS t%d ON t%d.person "
			"OPERATOR(pg_catalog.=) %s",
			person, list.data, from.data, table->linked->sql,
			key_text(table->linked, "m", &table->id, 1),
			key_text(table->original, "r", &table->id, 1), t, t,
			key_text(root->original, "o", root_edge(join)->key,
					 root_edge(join)->columns));
	}
	if (*names == NIL)
		return NULL;
	return psprintf("SELECT q.*%s FROM %s AS q JOIN %s AS o ON %s "
					"OPERATOR(pg_catalog.=) %s%s",
					shown.data, root->linked->sql, root->original->sql,
					key_text(root->linked, "q", &root->id, 1),
					key_text(root->original, "o", &root->id, 1), sql.data);
}

/* ----------------------------------------------------------------------
 * sdc.attack_joined.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_attack_joined);

/* The relations of an argument that is regclass[]. */
static Oid *
read_relations(FunctionCallInfo fcinfo, int argument, const char *name,
			   int *count)
{
	ArrayType *array;
	Datum *element;
	bool *isnull;
	Oid *relation;
	int i;

	array = PG_GETARG_ARRAYTYPE_P(argument);
	deconstruct_array(array, REGCLASSOID, sizeof(Oid), true, TYPALIGN_INT,
					  &element, &isnull, count);
	if (*count < 1 || *count > MOST_TABLES)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"%s\" must list 1 to %d tables",
							   name, MOST_TABLES)));
	relation = palloc(sizeof(Oid) * (Size) *count);
	for (i = 0; i < *count; i++)
	{
		if (isnull[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("argument \"%s\" has a NULL", name)));
		relation[i] = DatumGetObjectId(element[i]);
	}
	return relation;
}

static SdcJoined
read_tables(FunctionCallInfo fcinfo)
{
	SdcJoined joined = {0};
	Oid *original;
	Oid *masked;
	int count;
	int i;

	original = read_relations(fcinfo, 0, "original", &joined.count);
	masked = read_relations(fcinfo, 1, "masked", &count);
	if (count != joined.count)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("arguments \"original\" and \"masked\" list different "
						"numbers of tables"),
				 errhint("Name the masked form of each table at its place.")));
	joined.table = palloc0(sizeof(SdcJoinedTable) * (Size) count);
	joined.person = -1;
	for (i = 0; i < count; i++)
	{
		SdcRelationColumn *id;

		joined.table[i].original = sdcpg_relation_find(original[i]);
		joined.table[i].shown = joined.table[i].linked =
			sdcpg_relation_find(masked[i]);
		sdcpg_roles_need_reader(joined.table[i].original);
		sdcpg_roles_need_reader(joined.table[i].shown);
		id = sdcpg_roles_column(joined.table[i].original, "id", NULL,
								SDC_ROLE_ID);
		joined.table[i].id = id == NULL ? NULL : id->name;
		if (!PG_ARGISNULL(2) && PG_GETARG_OID(2) == original[i])
			joined.person = i;
	}
	if (!PG_ARGISNULL(2) && joined.person < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"person\" is not one of the tables"),
				 errhint("Name the table in \"original\" that has a row for "
						 "each person.")));
	return joined;
}

/*
 * attack_joined(original regclass[], masked regclass[], person regclass,
 *               link regclass, params jsonb, seed bigint)
 */
Datum
sdcf_attack_joined(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	Joining *join = palloc0(sizeof(Joining));
	SdcJoined joined;
	const char *lack;

	sdcpg_args_need_first(fcinfo, 2);
	sdcpg_params_check_keys(params, joined_keys);
	read_joined_params(join, joined_keys, params);
	join->linkage.seed =
		PG_ARGISNULL(5) ? sdcpg_strong_seed() : (uint64) PG_GETARG_INT64(5);
	joined = read_tables(fcinfo);
	join->host = sdcpg_host_begin("attack_joined", CurrentMemoryContext);
	lack = read_join(join, &joined,
					 PG_ARGISNULL(3) ? InvalidOid : PG_GETARG_OID(3));
	if (lack != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the tables cannot be joined"),
						errdetail_internal("%s", lack),
						errhint("Name the table of the persons in argument "
								"\"person\"; foreign keys are those of the "
								"originals, and the masked tables need their "
								"columns.")));
	if (!choose_table(join, -1,
					  sdcpg_keys_boolean(joined_keys, params, "near")
						  ? LOOK_NEAR
						  : LOOK_EQUAL))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the tables show nothing of the persons")));
	if (!join->linkage.assign_asked)
		join->linkage.assign = sdcpg_events_one_to_one(&join->linkage);
	sdcpg_events_put_links(
		&join->linkage, result,
		(int32) sdcpg_keys_integer(joined_keys, params, "max_candidates"));
	sdcpg_host_end(join->host);
	return (Datum) 0;
}
