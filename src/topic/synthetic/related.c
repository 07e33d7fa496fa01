/*
 * related.c
 *		sdc.synthesize_tables: several tables that belong together.
 *
 * Parents are made first.  One foreign key owns each child: a parent gets a
 * column for the number of its children, drawn like any other, and the columns
 * of a child are drawn by trees on those of its parent and on its place among
 * its siblings.  Other foreign keys only refer: which class of rows they lead
 * to is drawn like a column, and a synthetic row of that class is chosen.  All
 * keys are made anew, so they always lead to a row.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/synthetic/sequential.h"
#include "kernel/table/frequency.h"
#include "topic/mask/mask_write.h"
#include "topic/privacy/request.h"
#include "topic/registry/words.h"
#include "topic/synthetic/synthetic_private.h"

PG_FUNCTION_INFO_V1(sdcf_synthesize_tables);

static const char *const params_keys[] = {"minbucket", "cp",  "smooth",
										  "rare",      "rls", "fakes",
										  "locale",    "sex", NULL};

/* Tables at the most. */
#define MOST_TABLES 100

/* Records of a class of rows that keys lead to, on average at least. */
#define CLASS_ROWS 5

/* Values of a column that makes classes, at the most. */
#define CLASS_VALUES 50

/* Rows that are tried before all are looked at for one that is free. */
#define TRIES 16

/* A foreign key from one of the tables to one of them. */
typedef struct Link
{
	char *name;
	int child;
	int parent;
	char *column; /* of the child */
	char *key;    /* of the parent */
	bool not_null;
	bool cascade;
	bool unique;     /* alone, in the child */
	bool together;   /* unique with the key that owns */
	bool late;       /* its parent is made after the child */
	int place;       /* of its column in all columns of the child */
	int read;        /* of its expression in extra */
	int32 *to;       /* of each original child its parent, -1: none */
	int32 *class_of; /* of the parent's originals, then of those made */
	int32 classes;
	int column_drawn; /* its column among those that the kernel draws */
} Link;

typedef struct Table
{
	SdcSynthesis synthesis;
	Link *owner;    /* NULL: none */
	char *position; /* a column that numbers the children of a parent */
	char *key;      /* the column that is referred to; NULL: none */
	bool ordered;   /* are the originals read in an order of their own? */
	bool done;
	SdcSequentialRecords *all; /* of given, visited and other columns */
	int given;
	int columns;   /* of all */
	int counts;    /* the place of the first column of numbers of children */
	int32 *parent; /* of each record made: its parent */
	int32 *rank;   /* of each record made: its place among siblings */
} Table;

typedef struct Related
{
	SdcPgHost *host;
	Jsonb *params;
	int tables;
	Table *table;
	int links;
	Link *link;
	int *order;
	SdcRandom random;
} Related;

/* ----------------------------------------------------------------------
 * The keys, from the catalog.
 * ----------------------------------------------------------------------
 */

static int
find_table(const Related *related, Oid oid)
{
	int t;

	for (t = 0; t < related->tables; t++)
		if (related->table[t].synthesis.relation->oid == oid)
			return t;
	return -1;
}

static void
refuse_key(const char *name, const char *why)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("foreign key \"%s\" cannot be kept", name),
					errdetail_internal("%s", why)));
}

/* The foreign keys of a table to one of the tables. */
static void
read_links(Related *related, int child)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int64 i;

	sdcpg_catalog_bind(
		&parameters, OIDOID,
		ObjectIdGetDatum(related->table[child].synthesis.relation->oid),
		false);
	rows = sdcpg_catalog_read(
		"SELECT CAST(c.conname AS pg_catalog.text), c.confrelid, "
		"pg_catalog.cardinality(c.conkey), CAST(a.attname AS "
		"pg_catalog.text), CAST(b.attname AS pg_catalog.text), a.attnotnull, "
		"c.confdeltype OPERATOR(pg_catalog.=) 'c', b.atttypid FROM "
		"pg_catalog.pg_constraint AS c JOIN pg_catalog.pg_attribute AS a ON "
		"a.attrelid OPERATOR(pg_catalog.=) c.conrelid AND a.attnum "
		"OPERATOR(pg_catalog.=) c.conkey[1] JOIN pg_catalog.pg_attribute AS b "
		"ON b.attrelid OPERATOR(pg_catalog.=) c.confrelid AND b.attnum "
		"OPERATOR(pg_catalog.=) c.confkey[1] WHERE c.conrelid "
		"OPERATOR(pg_catalog.=) $1 AND c.contype OPERATOR(pg_catalog.=) 'f' "
		"ORDER BY c.conname",
		&parameters);
	for (i = 0; i < rows->count; i++)
	{
		Link *link = &related->link[related->links];
		Oid type = DatumGetObjectId(rows->value[i][7]);

		memset(link, 0, sizeof(*link));
		link->name = TextDatumGetCString(rows->value[i][0]);
		link->child = child;
		link->parent =
			find_table(related, DatumGetObjectId(rows->value[i][1]));
		if (link->parent < 0)
			continue;
		link->column = TextDatumGetCString(rows->value[i][3]);
		link->key = TextDatumGetCString(rows->value[i][4]);
		link->not_null = DatumGetBool(rows->value[i][5]);
		link->cascade = DatumGetBool(rows->value[i][6]);
		if (DatumGetInt32(rows->value[i][2]) != 1)
			refuse_key(link->name, "It is of several columns.");
		if (type != INT2OID && type != INT4OID && type != INT8OID)
			refuse_key(link->name, "What it refers to is no whole number, and "
								   "only these are made anew.");
		related->links++;
		if (related->links == MOST_TABLES * 4)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("more than %d foreign keys", MOST_TABLES * 4)));
	}
}

/* Parents point at the column that children refer to. */
static void
take_keys(Related *related)
{
	int k;

	for (k = 0; k < related->links; k++)
	{
		Table *parent = &related->table[related->link[k].parent];

		if (parent->key != NULL &&
			strcmp(parent->key, related->link[k].key) != 0)
			refuse_key(related->link[k].name,
					   "Other keys refer to another column of the table.");
		parent->key = related->link[k].key;
	}
}

/* The key that owns a table: one that is never NULL, a cascade first. */
static void
find_owner(Related *related, int child)
{
	Table *table = &related->table[child];
	int k;

	for (k = 0; k < related->links; k++)
	{
		Link *link = &related->link[k];

		if (link->child != child || link->parent == child || !link->not_null)
			continue;
		if (table->owner == NULL || (link->cascade && !table->owner->cascade))
			table->owner = link;
	}
}

/*
 * The order of the tables, parents first; keys that may be NULL are cut where
 * there is no such order, and rows chosen for them at the end.
 */
static void
find_order(Related *related)
{
	int made = 0;
	bool cut = false;
	int t;
	int k;

	related->order = palloc(sizeof(int) * related->tables);
	while (made < related->tables)
	{
		int before = made;

		for (t = 0; t < related->tables && (made == before || !cut); t++)
		{
			bool waits = related->table[t].done;

			for (k = 0; k < related->links; k++)
			{
				const Link *link = &related->link[k];

				if (link->child == t && link->parent != t &&
					!related->table[link->parent].done)
					waits = waits || !cut || link->not_null;
			}
			if (waits)
				continue;
			related->table[t].done = true;
			related->order[made++] = t;
			for (k = 0; k < related->links; k++)
				if (related->link[k].child == t)
					related->link[k].late =
						!related->table[related->link[k].parent].done ||
						related->link[k].parent == t;
		}
		if (made == before && cut)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("the foreign keys of the tables form a circle"),
					 errdetail("None of its columns may be NULL.")));
		cut = made == before;
	}
}

/* The link of a table by its column; NULL: it is none. */
static Link *
link_of(const Related *related, int child, const char *column)
{
	int k;

	for (k = 0; k < related->links; k++)
		if (related->link[k].child == child &&
			strcmp(related->link[k].column, column) == 0)
			return &related->link[k];
	return NULL;
}

static void
refuse_unique(const Related *related, int t, const char *index)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("unique index \"%s\" of \"%s\" cannot be kept", index,
					related->table[t].synthesis.relation->name),
			 errdetail("Of several columns those are kept that are foreign "
					   "keys, the one that owns among them, or that and a "
					   "whole number.")));
}

/* What a unique index of several columns asks of the keys in it. */
static void
take_unique(Related *related, int t, const char *index, char **column,
			int count)
{
	Table *table = &related->table[t];
	int owner = 0;
	int keys = 0;
	int other = -1;
	int i;

	for (i = 0; i < count; i++)
	{
		Link *link = link_of(related, t, column[i]);

		owner += link != NULL && link == table->owner;
		keys += link != NULL;
		if (link == NULL)
			other = i;
	}
	if (count == 1 && keys == 1)
	{
		link_of(related, t, column[0])->unique = true;
		return;
	}
	if (count == 1)
		return;
	if (owner == 1 && keys == 2 && count == 2)
		for (i = 0; i < count; i++)
			link_of(related, t, column[i])->together = true;
	else if (owner == 1 && keys == 1 && count == 2 &&
			 (table->position == NULL ||
			  strcmp(table->position, column[other]) == 0))
	{
		SdcRelationColumn found =
			sdcpg_relation_column(table->synthesis.relation, column[other]);

		if (found.base != INT2OID && found.base != INT4OID &&
			found.base != INT8OID)
			refuse_unique(related, t, index);
		table->position = column[other];
	}
	else
		refuse_unique(related, t, index);
}

static void
read_unique(Related *related, int t)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int64 i;

	sdcpg_catalog_bind(
		&parameters, OIDOID,
		ObjectIdGetDatum(related->table[t].synthesis.relation->oid), false);
	rows = sdcpg_catalog_read(
		"SELECT CAST(c.relname AS pg_catalog.text), (SELECT "
		"pg_catalog.array_agg(CAST(a.attname AS pg_catalog.text) ORDER BY "
		"a.attnum) FROM pg_catalog.pg_attribute AS a WHERE a.attrelid "
		"OPERATOR(pg_catalog.=) i.indrelid AND a.attnum "
		"OPERATOR(pg_catalog.=) ANY (CAST(i.indkey AS "
		"pg_catalog.int2[]))) FROM pg_catalog.pg_index AS i JOIN "
		"pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) "
		"i.indexrelid WHERE i.indrelid OPERATOR(pg_catalog.=) $1 AND "
		"i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL ORDER BY "
		"c.relname",
		&parameters);
	for (i = 0; i < rows->count; i++)
	{
		Datum *element;
		char **column;
		int count;
		int c;

		deconstruct_array(DatumGetArrayTypeP(rows->value[i][1]), TEXTOID, -1,
						  false, TYPALIGN_INT, &element, NULL, &count);
		column = palloc(sizeof(char *) * (count + 1));
		for (c = 0; c < count; c++)
			column[c] = TextDatumGetCString(element[c]);
		take_unique(related, t, TextDatumGetCString(rows->value[i][0]), column,
					count);
	}
}

/* ----------------------------------------------------------------------
 * Reading: the rows of a parent in the order of its key, and of each child the
 * number of its parent in that order.
 * ----------------------------------------------------------------------
 */

/* What is read beside the columns: the numbers of parents. */
static void
describe_extra(Related *related, int t)
{
	Table *table = &related->table[t];
	SdcSynthesis *synthesis = &table->synthesis;
	int k;

	for (k = 0; k < related->links; k++)
	{
		Link *link = &related->link[k];

		if (link->child != t)
			continue;
		link->read = list_length(synthesis->extra);
		synthesis->extra = lappend(synthesis->extra, psprintf("k%d.n", k));
		synthesis->left = lappend(synthesis->left, link->column);
	}
	if (table->position != NULL)
		synthesis->left = lappend(synthesis->left, table->position);
	if (synthesis->extra == NIL)
		synthesis->extra = list_make1("true");
}

/* The column whose order the originals are read in; NULL: there is none. */
static const char *
order_of(const Table *table)
{
	int j;

	if (table->key != NULL)
		return table->key;
	for (j = 0; j < table->synthesis.all.count; j++)
		if (table->synthesis.numbered[j])
			return table->synthesis.all.column[j].name;
	return table->position;
}

/* Where they are read from. */
static void
describe_from(Related *related, int t)
{
	Table *table = &related->table[t];
	const char *order = order_of(table);
	StringInfoData from;
	int k;

	initStringInfo(&from);
	appendStringInfo(&from, " FROM %s AS r", table->synthesis.relation->sql);
	for (k = 0; k < related->links; k++)
	{
		const Link *link = &related->link[k];
		const char *key = quote_identifier(link->key);

		if (link->child == t)
			appendStringInfo(
				&from,
				" LEFT JOIN (SELECT p.%s AS k, pg_catalog.row_number() OVER "
				"(ORDER BY p.%s) AS n FROM %s AS p) AS k%d ON k%d.k "
				"OPERATOR(pg_catalog.=) r.%s",
				key, key, related->table[link->parent].synthesis.relation->sql,
				k, k, quote_identifier(link->column));
	}
	table->ordered = order != NULL;
	if (order != NULL)
		appendStringInfo(&from, " ORDER BY r.%s", quote_identifier(order));
	table->synthesis.from = from.data;
}

/* Of each original child the number of its parent. */
static void
read_parents(const Related *related, Link *link)
{
	const SdcSynthesis *synthesis = &related->table[link->child].synthesis;
	int place = synthesis->visited.count + link->read;
	const int32 *code = synthesis->frame->column[place].code;
	int32 rows = synthesis->frame->rows;
	const int32 *rank = sdcpg_dictionary_sort(synthesis->dictionary[place]);
	int32 i;

	link->to = sdc_new(&related->host->kernel, int32, (Size) rows + 1);
	for (i = 0; i < rows; i++)
		if (code[i] < 0 && link->not_null)
			ereport(ERROR,
					(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
					 errmsg("rows of \"%s\" refer to none by foreign key "
							"\"%s\"",
							synthesis->relation->name, link->name)));
	for (i = 0; i < rows; i++)
		link->to[i] = code[i] < 0
						  ? -1
						  : (int32) DatumGetInt64(sdcpg_dictionary_value(
								synthesis->dictionary[place], rank[code[i]])) -
								1;
}

static void
load_all(Related *related)
{
	int t;
	int k;

	for (t = 0; t < related->tables; t++)
	{
		SdcSynthesis *synthesis = &related->table[t].synthesis;

		synthesis->host = related->host;
		sdcpg_synthesis_load(synthesis);
		sdcpg_synthesis_task(synthesis);
		synthesis->value =
			palloc0(sizeof(int64 *) * (synthesis->all.count + 1));
	}
	for (k = 0; k < related->links; k++)
	{
		Link *link = &related->link[k];
		const SdcRelationColumns *all =
			&related->table[link->child].synthesis.all;

		for (link->place = 0;
			 strcmp(all->column[link->place].name, link->column) != 0;)
			link->place++;
		read_parents(related, link);
	}
}

/* ----------------------------------------------------------------------
 * Classes of rows that keys lead to.
 * ----------------------------------------------------------------------
 */

/* The codes of originals and records made, in one array. */
static int32 *
both_codes(const Related *related, const SdcSynthesis *synthesis, int j)
{
	int32 rows = synthesis->frame->rows;
	int32 drawn = synthesis->task.drawn;
	int32 *code =
		sdc_new(&related->host->kernel, int32, (Size) rows + drawn + 1);

	memcpy(code, synthesis->code[j], sizeof(int32) * rows);
	memcpy(code + rows, synthesis->records->code[j], sizeof(int32) * drawn);
	return code;
}

/*
 * Puts rows of the parent that are alike in their first columns of few values
 * into one class, as long as classes have some rows.
 */
static void
make_classes(const Related *related, Link *link)
{
	const SdcSynthesis *parent = &related->table[link->parent].synthesis;
	SdcHost *kernel = &related->host->kernel;
	int32 rows = parent->frame->rows;
	int32 drawn = parent->task.drawn;
	int32 both = rows + drawn;
	int32 *finer = sdc_new(kernel, int32, (Size) both + 1);
	int j;

	link->class_of = sdc_new(kernel, int32, (Size) both + 1);
	memset(link->class_of, 0, sizeof(int32) * ((Size) both + 1));
	link->classes = 1;
	for (j = 0; parent->records != NULL && j < parent->visited.count; j++)
	{
		int32 *code;
		int32 classes;

		if (parent->column[j].values > CLASS_VALUES)
			continue;
		memcpy(finer, link->class_of, sizeof(int32) * both);
		code = both_codes(related, parent, j);
		classes = sdc_grouping_refine(kernel, both, code, false, finer);
		kernel->release(kernel, code);
		if ((int64) classes * CLASS_ROWS > rows ||
			classes > SDC_SEQUENTIAL_BINS)
			break;
		memcpy(link->class_of, finer, sizeof(int32) * both);
		link->classes = classes;
	}
	kernel->release(kernel, finer);
}

/* ----------------------------------------------------------------------
 * The columns that the kernel draws: those of the parent, which are given, the
 * place among siblings, its own, classes that keys lead to, numbers of
 * children.
 * ----------------------------------------------------------------------
 */

static int32 *
new_codes(const Related *related, int32 rows)
{
	int32 *code = sdc_new(&related->host->kernel, int32, (Size) rows + 1);

	memset(code, 0, sizeof(int32) * ((Size) rows + 1));
	return code;
}

/* Numbers 0 .. most as a column of such codes. */
static void
describe_numbers(const Related *related, SdcSequentialColumn *column,
				 const int32 *code, int32 most)
{
	double *number = sdc_new(&related->host->kernel, double, (Size) most + 1);
	int32 c;

	for (c = 0; c <= most; c++)
		number[c] = c;
	column->code = code;
	column->values = most + 1;
	column->number = number;
	column->leaf = (int32) sdcpg_params_integer(related->params, "minbucket",
												5, 1, 1000000);
	column->rare = 0;
}

/* Children of each row of a parent, by a list of their parents. */
static int32 *
count_children(const Related *related, const int32 *to, int32 children,
			   int32 parents, int32 *most)
{
	int32 *count = new_codes(related, parents);
	int32 i;

	*most = 0;
	for (i = 0; i < children; i++)
		if (to[i] >= 0 && ++count[to[i]] > *most)
			*most = count[to[i]];
	return count;
}

/* The place of each child among its siblings, from 0, in the order of rows. */
static int32 *
rank_children(const Related *related, const int32 *to, int32 children,
			  int32 parents)
{
	int32 *seen = new_codes(related, parents);
	int32 *rank = new_codes(related, children);
	int32 i;

	for (i = 0; i < children; i++)
		if (to[i] >= 0)
			rank[i] = seen[to[i]]++;
	related->host->kernel.release(&related->host->kernel, seen);
	return rank;
}

static int32
greatest(const int32 *number, int32 count)
{
	int32 most = 0;
	int32 i;

	for (i = 0; i < count; i++)
		most = Max(most, number[i]);
	return most;
}

/* A column of the parent as one of its children. */
static void
give_column(const Related *related, Table *table, int j,
			SdcSequentialColumn *column)
{
	const Table *parent = &related->table[table->owner->parent];
	const SdcSequentialColumn *from = &parent->synthesis.task.column[j];
	const int32 *to = table->owner->to;
	int32 rows = table->synthesis.frame->rows;
	int32 drawn = table->synthesis.task.drawn;
	int32 *code = new_codes(related, rows);
	int32 i;

	for (i = 0; i < rows; i++)
		code[i] = from->code[to[i]];
	*column = *from;
	column->code = code;
	table->all->code[table->given] = new_codes(related, drawn);
	table->all->number[table->given] = NULL;
	for (i = 0; i < drawn; i++)
		table->all->code[table->given][i] =
			parent->all->code[j][table->parent[i]];
	if (parent->all->number[j] != NULL)
	{
		double *number =
			sdc_new(&related->host->kernel, double, (Size) drawn + 1);

		for (i = 0; i < drawn; i++)
			number[i] = parent->all->number[j][table->parent[i]];
		table->all->number[table->given] = number;
	}
	table->given++;
}

/* What children take of their parent: its own columns and its counts. */
static void
give_columns(const Related *related, Table *table, SdcSequentialColumn *column)
{
	const Table *parent = &related->table[table->owner->parent];
	int32 rows = table->synthesis.frame->rows;
	int32 drawn = table->synthesis.task.drawn;
	int32 *rank;
	int32 most;
	int j;

	if (rows == 0)
		return;
	for (j = parent->given; j < parent->columns; j++)
		give_column(related, table, j, &column[table->given]);
	/* without an order of the originals there is no place among siblings */
	if (!table->ordered)
		return;
	rank = rank_children(related, table->owner->to, rows,
						 parent->synthesis.frame->rows);
	most = Max(greatest(rank, rows), greatest(table->rank, drawn));
	describe_numbers(related, &column[table->given], rank, most);
	table->all->code[table->given] = table->rank;
	table->all->number[table->given] = NULL;
	table->given++;
}

/* Room for what the kernel draws of a column. */
static void
open_column(const Related *related, Table *table,
			const SdcSequentialColumn *column)
{
	int32 drawn = table->synthesis.task.drawn;

	table->all->code[table->columns] = new_codes(related, drawn);
	table->all->number[table->columns] =
		column->smooth
			? sdc_new(&related->host->kernel, double, (Size) drawn + 1)
			: NULL;
	table->columns++;
}

/* The class that a key leads to, as a column. */
static void
add_link(Related *related, Table *table, Link *link,
		 SdcSequentialColumn *column)
{
	int32 rows = table->synthesis.frame->rows;
	int32 *code = new_codes(related, rows);
	int32 i;

	if (!link->late)
		make_classes(related, link);
	else
		link->classes = 1;
	for (i = 0; i < rows; i++)
		code[i] = link->to[i] < 0 ? -1
				  : link->late    ? 0
								  : link->class_of[link->to[i]];
	memset(column, 0, sizeof(*column));
	column->code = code;
	column->values = link->classes;
	column->leaf = (int32) sdcpg_params_integer(related->params, "minbucket",
												5, 1, 1000000);
	link->column_drawn = table->columns;
	open_column(related, table, column);
}

/*
 * How many records must have as many children, or more, for the number to be
 * drawn; of few records any may be.
 */
static int32
rare_of(const Related *related, int32 rows)
{
	int64 rare = sdcpg_params_integer(related->params, "rare", 5, 0, 1000000);

	return 2 * rare <= rows ? (int32) rare : 0;
}

/* Columns that are drawn but not written: classes, numbers of children. */
static void
add_others(Related *related, int t, SdcSequentialColumn *column)
{
	Table *table = &related->table[t];
	int k;

	for (k = 0; k < related->links; k++)
		if (related->link[k].child == t && &related->link[k] != table->owner)
			add_link(related, table, &related->link[k],
					 &column[table->columns]);
	table->counts = table->columns;
	for (k = 0; k < related->links; k++)
	{
		const Link *link = &related->link[k];
		int32 most;
		int32 *count;

		if (related->table[link->child].owner != link || link->parent != t)
			continue;
		count =
			count_children(related, link->to,
						   related->table[link->child].synthesis.frame->rows,
						   table->synthesis.frame->rows, &most);
		memset(&column[table->columns], 0, sizeof(*column));
		describe_numbers(related, &column[table->columns], count, most);
		column[table->columns].rare =
			rare_of(related, table->synthesis.frame->rows);
		open_column(related, table, &column[table->columns]);
	}
}

/* ----------------------------------------------------------------------
 * Drawing.
 * ----------------------------------------------------------------------
 */

/* How many children of a link each record of its parent has. */
static const int32 *
counts_of(const Related *related, const Link *wanted)
{
	const Table *parent = &related->table[wanted->parent];
	int place = parent->counts;
	int k;

	for (k = 0; &related->link[k] != wanted; k++)
		place += related->table[related->link[k].child].owner ==
					 &related->link[k] &&
				 related->link[k].parent == wanted->parent;
	return parent->all->code[place];
}

/* How many records there are: children by their parents, others as before. */
static void
count_records(Related *related, Table *table)
{
	SdcSynthesis *synthesis = &table->synthesis;
	const Table *parent;
	const int32 *count;
	int64 sum = 0;
	int32 at = 0;
	int32 i;
	int32 c;

	synthesis->task.drawn = synthesis->frame->rows;
	if (table->owner == NULL)
		return;
	parent = &related->table[table->owner->parent];
	synthesis->task.drawn = 0;
	table->parent = new_codes(related, 0);
	table->rank = new_codes(related, 0);
	if (parent->synthesis.frame->rows == 0)
		return;
	count = counts_of(related, table->owner);
	for (i = 0; i < parent->synthesis.task.drawn; i++)
		sum += count[i];
	if (sum >= SDC_MAX_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("relation \"%s\" would have too many rows",
							   synthesis->relation->name)));
	synthesis->task.drawn = (int32) sum;
	table->parent = new_codes(related, (int32) sum);
	table->rank = new_codes(related, (int32) sum);
	for (i = 0; i < parent->synthesis.task.drawn; i++)
		for (c = 0; c < count[i]; c++, at++)
		{
			table->parent[at] = i;
			table->rank[at] = c;
		}
}

/* A record of columns that the constraints of the table read. */
static bool
admits(void *arg, int32 i, int j, int32 code, double number)
{
	Table *table = arg;

	j -= table->given;
	return j >= table->synthesis.visited.count ||
		   table->synthesis.checks == NULL ||
		   sdcpg_row_checks_kept(table->synthesis.checks) == NIL ||
		   sdcpg_synthesis_admits(&table->synthesis, i, j, code, number);
}

/* All columns of a table; its own records are a part of them. */
static void
describe_columns(Related *related, int t)
{
	Table *table = &related->table[t];
	SdcSynthesis *synthesis = &table->synthesis;
	SdcHost *kernel = &related->host->kernel;
	int room = synthesis->visited.count + related->links + 2;
	SdcSequentialColumn *column;
	int j;

	if (table->owner != NULL)
		room += related->table[table->owner->parent].columns;
	column = sdc_new(kernel, SdcSequentialColumn, room);
	table->all = sdc_new(kernel, SdcSequentialRecords, 1);
	table->all->code = sdc_new(kernel, int32 *, room);
	table->all->number = sdc_new(kernel, double *, room);
	table->all->step = sdc_new(kernel, SdcSequentialStep, room);
	memset(table->all->step, 0, sizeof(SdcSequentialStep) * room);
	for (j = 0; j < room; j++)
		table->all->step[j].failed = -1;
	if (table->owner != NULL)
		give_columns(related, table, column);
	table->columns = table->given;
	for (j = 0; j < synthesis->visited.count; j++)
	{
		column[table->columns] = synthesis->column[j];
		open_column(related, table, &synthesis->column[j]);
	}
	add_others(related, t, column);
	synthesis->task.column = column;
	synthesis->task.columns = table->columns;
	synthesis->task.given = table->given;
	synthesis->task.admits = admits;
	synthesis->task.arg = table;
	synthesis->task.random = &synthesis->random;
	synthesis->records = sdc_new(kernel, SdcSequentialRecords, 1);
	synthesis->records->code = table->all->code + table->given;
	synthesis->records->number = table->all->number + table->given;
	synthesis->records->step = table->all->step + table->given;
}

static void
draw(void *arg)
{
	Table *table = arg;
	SdcSynthesis *synthesis = &table->synthesis;
	SdcHost *kernel = &synthesis->host->kernel;

	kernel->stage(kernel, "drawing");
	synthesis->made =
		sdc_sequential_draw(kernel, &synthesis->task, table->all);
}

static void
draw_table(Related *related, int t, bool seeded, uint64 seed)
{
	Table *table = &related->table[t];
	SdcSynthesis *synthesis = &table->synthesis;

	if (seeded)
		sdc_random_seed(&synthesis->random, sdc_random_mix(seed + (uint64) t),
						sdcpg_synthesis_digest(synthesis));
	else
		sdcpg_strong_random(&synthesis->random);
	count_records(related, table);
	describe_columns(related, t);
	if (synthesis->frame->rows == 0 || synthesis->task.drawn == 0 ||
		table->columns == table->given)
		return;
	sdcpg_mask_guard(synthesis->relation->name, draw, table);
	if (!synthesis->made)
		sdcpg_synthesis_failed(synthesis);
}

/* ----------------------------------------------------------------------
 * Keys: which record each one leads to.
 * ----------------------------------------------------------------------
 */

/* The number in the key of a row of the parent of a link. */
static int64
key_value(const Related *related, const Link *link, int32 row)
{
	const SdcSynthesis *parent = &related->table[link->parent].synthesis;
	int j = 0;

	while (strcmp(parent->all.column[j].name, link->key) != 0)
		j++;
	return parent->value[j] == NULL ? (int64) row + 1 : parent->value[j][row];
}

/* Records of a parent by their class. */
typedef struct Choice
{
	const Link *link;
	SdcRandom *random;
	int32 parents;
	int32 *first; /* of each class, in row[] */
	int32 *row;
	int32 *used_by; /* 1 + the record that took it last; 0: none */
	int32 *group;   /* of each record: who must not take one twice */
} Choice;

/* May a record take a row? */
static bool
is_free(const Choice *choice, int32 row, int32 i)
{
	return choice->used_by == NULL || choice->used_by[row] == 0 ||
		   (choice->group != NULL &&
			choice->group[choice->used_by[row] - 1] != choice->group[i]);
}

/* A free row among some, by chance; -1: there is none. */
static int32
pick(const Choice *choice, const int32 *row, int32 rows, int32 i)
{
	int32 from;
	int32 n;

	if (rows == 0)
		return -1;
	for (n = 0; n < TRIES; n++)
	{
		int32 at = (int32) sdc_random_below(choice->random, (uint64) rows);

		if (is_free(choice, row[at], i))
			return row[at];
	}
	from = (int32) sdc_random_below(choice->random, (uint64) rows);
	for (n = 0; n < rows; n++)
		if (is_free(choice, row[(from + n) % rows], i))
			return row[(from + n) % rows];
	return -1;
}

static void
open_choice(const Related *related, const Link *link, Choice *choice)
{
	const SdcSynthesis *parent = &related->table[link->parent].synthesis;
	const int32 *class_of =
		link->late ? NULL : link->class_of + parent->frame->rows;
	int32 *at;
	int32 i;

	choice->parents = parent->task.drawn;
	choice->first = new_codes(related, link->classes + 1);
	choice->row = new_codes(related, choice->parents);
	for (i = 0; i < choice->parents; i++)
		choice->first[(class_of == NULL ? 0 : class_of[i]) + 1]++;
	for (i = 0; i < link->classes; i++)
		choice->first[i + 1] += choice->first[i];
	at = new_codes(related, link->classes + 1);
	memcpy(at, choice->first, sizeof(int32) * (link->classes + 1));
	for (i = 0; i < choice->parents; i++)
		choice->row[at[class_of == NULL ? 0 : class_of[i]]++] = i;
	if (link->unique || link->together)
		choice->used_by = new_codes(related, choice->parents);
	if (link->together && !link->unique)
		choice->group = related->table[link->child].parent;
}

/* The record that a key leads to; -1: NULL. */
static int32
choose_row(const Choice *choice, int32 class, int32 i)
{
	const Link *link = choice->link;
	int32 row;

	if (class < 0)
		return -1;
	/* a tree: of its own table only records before it, or itself */
	if (link->parent == link->child && choice->used_by == NULL)
		return i == 0 ? (link->not_null ? 0 : -1)
					  : (int32) sdc_random_below(choice->random, (uint64) i);
	row = pick(choice, choice->row + choice->first[class],
			   choice->first[class + 1] - choice->first[class], i);
	if (row < 0)
		row = pick(choice, choice->row, choice->parents, i);
	if (row >= 0 && choice->used_by != NULL)
		choice->used_by[row] = i + 1;
	return row;
}

/* There is no row left for a key: the record is not written. */
static void
drop_record(const Related *related, const Link *link, int32 i)
{
	Table *table = &related->table[link->child];
	SdcSynthesis *synthesis = &table->synthesis;

	if (table->key != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
				 errmsg("there is no row left that foreign key \"%s\" could "
						"refer to",
						link->name)));
	if (synthesis->dropped == NULL)
	{
		synthesis->dropped = sdc_new(&related->host->kernel, bool,
									 (Size) synthesis->task.drawn);
		memset(synthesis->dropped, 0, (Size) synthesis->task.drawn);
	}
	synthesis->drops += !synthesis->dropped[i];
	synthesis->dropped[i] = true;
}

static void
choose_rows(Related *related, Link *link)
{
	Table *table = &related->table[link->child];
	SdcSynthesis *synthesis = &table->synthesis;
	Choice choice = {.link = link, .random = &synthesis->random};
	int64 *value = sdc_new(&related->host->kernel, int64,
						   (Size) synthesis->task.drawn + 1);
	int32 i;

	open_choice(related, link, &choice);
	for (i = 0; i < synthesis->task.drawn; i++)
	{
		int32 row =
			choose_row(&choice, table->all->code[link->column_drawn][i], i);

		value[i] = row < 0 ? PG_INT64_MIN : key_value(related, link, row);
		if (row < 0 && link->not_null)
			drop_record(related, link, i);
		if (i % 1024 == 0)
			related->host->kernel.poll(&related->host->kernel, (uint64) i, 0);
	}
	synthesis->value[link->place] = value;
}

/* The keys of a table that only refer. */
static void
choose_all(Related *related, int t, bool late)
{
	int k;

	for (k = 0; k < related->links; k++)
	{
		Link *link = &related->link[k];

		if (link->child == t && link->late == late &&
			related->table[t].owner != link)
			choose_rows(related, link);
	}
}

/* The keys that own, and the places among siblings. */
static void
number_children(Related *related, int t)
{
	Table *table = &related->table[t];
	SdcSynthesis *synthesis = &table->synthesis;
	SdcHost *kernel = &related->host->kernel;
	int32 drawn = synthesis->task.drawn;
	int64 *owner;
	int64 *position;
	int32 i;
	int j;

	if (table->owner == NULL)
		return;
	owner = sdc_new(kernel, int64, (Size) drawn + 1);
	position = sdc_new(kernel, int64, (Size) drawn + 1);
	for (i = 0; i < drawn; i++)
	{
		owner[i] = key_value(related, table->owner, table->parent[i]);
		position[i] = (int64) table->rank[i] + 1;
	}
	synthesis->value[table->owner->place] = owner;
	for (j = 0; table->position != NULL && j < synthesis->all.count; j++)
		if (strcmp(synthesis->all.column[j].name, table->position) == 0)
			synthesis->value[j] = position;
}

/* ----------------------------------------------------------------------
 * sdc.synthesize_tables.
 * ----------------------------------------------------------------------
 */

static void
put_keys(const Related *related, int t, ReturnSetInfo *result)
{
	const Table *table = &related->table[t];
	int k;

	for (k = 0; k < related->links; k++)
	{
		const Link *link = &related->link[k];
		SdcStep step = SDC_STEP("key");

		if (link->child != t)
			continue;
		step.subject = link->column;
		step.method = table->owner == link ? "owns" : "refers";
		step.rows = table->synthesis.task.drawn - table->synthesis.drops;
		step.detail =
			table->owner == link
				? psprintf(
					  "To \"%s\": children by the number that each "
					  "parent has, drawn from its columns.",
					  related->table[link->parent].synthesis.relation->name)
				: psprintf(
					  "To \"%s\": of %d %s of its rows, which is drawn.",
					  related->table[link->parent].synthesis.relation->name,
					  link->classes, link->classes == 1 ? "class" : "classes");
		sdcpg_step_put(result, &step);
	}
}

static void
open_table(Related *related, int t, Oid oid, const text *target)
{
	SdcSynthesis *synthesis = &related->table[t].synthesis;
	int before;

	for (before = 0; before < t; before++)
		if (related->table[before].synthesis.relation->oid == oid)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("relation \"%s\" is given twice",
								   get_rel_name(oid))));
	synthesis->params = related->params;
	synthesis->related = true;
	synthesis->relation = synthesis->like = sdcpg_relation_find(oid);
	sdcpg_target_need_all_rows(synthesis->relation,
							   sdcpg_params_choice(related->params, "rls",
												   sdcpg_row_security_words) ==
								   SDC_ROW_SECURITY_ALLOW);
	synthesis->target = sdcpg_target_find(target);
	for (before = 0; before < t; before++)
		if (strcmp(related->table[before].synthesis.target->sql,
				   synthesis->target->sql) == 0)
			ereport(ERROR, (errcode(ERRCODE_DUPLICATE_TABLE),
							errmsg("argument \"targets\" names %s twice",
								   synthesis->target->sql)));
}

static void
read_arguments(FunctionCallInfo fcinfo, Related *related)
{
	Datum *oid;
	bool *none;
	char **target;
	int targets;
	int t;

	sdcpg_args_need_first(fcinfo, 2);
	related->params = PG_ARGISNULL(2) ? NULL : PG_GETARG_JSONB_P(2);
	sdcpg_params_check(related->params, params_keys);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), REGCLASSOID, sizeof(Oid), true,
					  TYPALIGN_INT, &oid, &none, &related->tables);
	target =
		sdcpg_request_texts("targets", PG_GETARG_ARRAYTYPE_P(1), &targets);
	if (related->tables != targets || related->tables > MOST_TABLES ||
		array_contains_nulls(PG_GETARG_ARRAYTYPE_P(0)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("arguments \"relations\" and \"targets\" must have "
						"as many elements, at most %d, and no nulls",
						MOST_TABLES)));
	related->table = palloc0(sizeof(Table) * related->tables);
	related->link = palloc0(sizeof(Link) * MOST_TABLES * 4);
	for (t = 0; t < related->tables; t++)
		open_table(related, t, DatumGetObjectId(oid[t]),
				   cstring_to_text(target[t]));
}

static void
describe_tables(Related *related)
{
	List *made = NIL;
	int t;

	for (t = 0; t < related->tables; t++)
		read_links(related, t);
	take_keys(related);
	for (t = 0; t < related->tables; t++)
		find_owner(related, t);
	find_order(related);
	for (t = 0; t < related->tables; t++)
	{
		read_unique(related, t);
		describe_extra(related, t);
		sdcpg_synthesis_columns(&related->table[t].synthesis, NULL);
		describe_from(related, t);
		made = lappend(made, &related->table[t].synthesis);
	}
	sdcpg_synthetic_fakes_check(related->params, made);
}

/*
 * synthesize_tables(relations regclass[], targets text[], params jsonb,
 *                   seed bigint)
 */
Datum
sdcf_synthesize_tables(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Related related = {0};
	int i;

	read_arguments(fcinfo, &related);
	describe_tables(&related);
	related.host = sdcpg_host_begin("synthesize_tables", CurrentMemoryContext);
	load_all(&related);
	for (i = 0; i < related.tables; i++)
	{
		draw_table(&related, related.order[i], !PG_ARGISNULL(3),
				   PG_ARGISNULL(3) ? 0 : (uint64) PG_GETARG_INT64(3));
		number_children(&related, related.order[i]);
		choose_all(&related, related.order[i], false);
	}
	for (i = 0; i < related.tables; i++)
		choose_all(&related, related.order[i], true);
	for (i = 0; i < related.tables; i++)
	{
		sdcpg_synthesis_write(&related.table[i].synthesis);
		put_keys(&related, i, result);
		sdcpg_synthesis_report(&related.table[i].synthesis, result);
	}
	sdcpg_host_end(related.host);
	return (Datum) 0;
}
