/*
 * tabulate.c
 *		Rows of units into cells, no more of each unit than was declared.
 *
 * Every row is handled alike: its cell is found whether it fulfils the
 * predicate or not, and rows that are not asked for, or lie outside the
 * public categories, are counted like others, in a cell of their own that
 * nobody gets to see.
 */
#include "postgres.h"

#include <math.h>

#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "nodes/makefuncs.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "host/data/column.h"
#include "topic/privacy/categories.h"
#include "topic/privacy/tabulate.h"
#include "topic/privacy/unit_sample.h"
#include "host/server/compat.h"
#include "host/server/host.h"

/* The cell of rows that are not asked for. */
#define OTHER 0

/* Private cells, found by the key of their categories. */
typedef struct CellEntry
{
	const char *key;
	int32 cell;
	char status;
} CellEntry;

#define SH_PREFIX         cells
#define SH_ELEMENT_TYPE   CellEntry
#define SH_KEY_TYPE       const char *
#define SH_KEY            key
#define SH_HASH_KEY(t, k) hash_bytes((const unsigned char *) (k), strlen(k))
#define SH_EQUAL(t, a, b) (strcmp(a, b) == 0)
#define SH_SCOPE          static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* A group column: its categories, or how to write its values as text. */
typedef struct GroupColumn
{
	int place;
	SdcCategories *categories;
	ExprState *text;
} GroupColumn;

/* The column of a figure: its place, -1 for count. */
typedef struct FigureColumn
{
	int place;
	Oid type;
	SdcCategories *categories;
} FigureColumn;

typedef struct Tabulation
{
	const SdcRequest *request;
	MemoryContext memory;
	SdcPgHost *host;
	SdcUnitSample *sample; /* NULL: each row is a unit */
	int unit;
	GroupColumn *group;
	FigureColumn *figure;
	SdcFigureValue *row;
	StringInfoData key;
	cells_hash *table; /* of private cells */
	int cells;
	int room;
	SdcRequestCell **cell;
} Tabulation;

void
sdcpg_tabulate_plan(SdcRequest *request)
{
	Bitmapset *numbers = NULL;
	int i;

	if (request->predicate != NULL)
		numbers = bms_copy(request->predicate->columns);
	if (request->dataset->unit != NULL)
		numbers = bms_add_member(
			numbers,
			sdcpg_relation_column(request->relation, request->dataset->unit)
				.number);
	for (i = 0; i < request->groups; i++)
		numbers = bms_add_member(numbers, request->group[i]->column.number);
	for (i = 0; i < request->figures; i++)
		if (request->figure[i]->column != NULL)
			numbers = bms_add_member(
				numbers, request->figure[i]->column->column.number);
	request->scan =
		sdcpg_scan_plan(request->relation, request->owner, numbers);
}

/* An empty cell; part is kept. */
static int32
add_cell(Tabulation *tabulation, const char **part)
{
	const SdcRequest *request = tabulation->request;
	MemoryContext caller = MemoryContextSwitchTo(tabulation->memory);
	SdcRequestCell *cell = palloc0(sizeof(SdcRequestCell));
	int i;

	if (tabulation->cells == tabulation->room)
	{
		tabulation->room *= 2;
		tabulation->cell = repalloc_huge(
			tabulation->cell, sizeof(SdcRequestCell *) * tabulation->room);
	}
	cell->part = part;
	cell->state = palloc(sizeof(SdcFigureState) * (request->figures + 1));
	for (i = 0; i < request->figures; i++)
		sdcpg_figure_open(request->figure[i], &cell->state[i]);
	tabulation->cell[tabulation->cells] = cell;
	MemoryContextSwitchTo(caller);
	return tabulation->cells++;
}

static void
count_row(void *arg, int32 number, const SdcFigureValue *value)
{
	const Tabulation *tabulation = arg;
	const SdcRequest *request = tabulation->request;
	SdcRequestCell *cell = tabulation->cell[number];
	int i;

	cell->existence.count++;
	for (i = 0; i < request->figures; i++)
		sdcpg_figure_add(request->figure[i], &cell->state[i], &value[i]);
}

/* A key of a cell is for each group column "-", or the length and text. */
static void
append_part(StringInfo key, const char *part)
{
	if (part == NULL)
		appendStringInfoChar(key, '-');
	else
		appendStringInfo(key, "%zu:%s", strlen(part), part);
}

/* The category of a row in a group column; false when it is none of them. */
static bool
read_part(const Tabulation *tabulation, int number, const Datum *value,
		  const bool *isnull, const char **part)
{
	const GroupColumn *group = &tabulation->group[number];
	bool none;
	Datum written;
	int category;

	*part = NULL;
	if (group->categories != NULL)
	{
		category = sdcpg_categories_find(
			group->categories, value[group->place], isnull[group->place]);
		if (category >= 0)
			*part = tabulation->request->group[number]->category[category];
		return category >= 0;
	}
	written =
		ExecEvalExpr(group->text, tabulation->request->scan->context, &none);
	if (!none)
		*part = TextDatumGetCString(written);
	return true;
}

/* The cell of a row when some categories are private: they come up as new. */
static int32
find_private_cell(Tabulation *tabulation, const Datum *value,
				  const bool *isnull)
{
	int groups = tabulation->request->groups;
	const char **part = palloc(sizeof(char *) * groups);
	bool known = true;
	MemoryContext caller;
	CellEntry *entry;
	bool found;
	int i;

	resetStringInfo(&tabulation->key);
	for (i = 0; i < groups; i++)
	{
		known = read_part(tabulation, i, value, isnull, &part[i]) && known;
		append_part(&tabulation->key, part[i]);
	}
	if (!known)
		return OTHER;
	entry = cells_lookup(tabulation->table, tabulation->key.data);
	if (entry != NULL)
		return entry->cell;
	caller = MemoryContextSwitchTo(tabulation->memory);
	entry =
		cells_insert(tabulation->table, pstrdup(tabulation->key.data), &found);
	part =
		memcpy(palloc(sizeof(char *) * groups), part, sizeof(char *) * groups);
	for (i = 0; i < groups; i++)
		part[i] = part[i] == NULL ? NULL : pstrdup(part[i]);
	MemoryContextSwitchTo(caller);
	entry->cell = add_cell(tabulation, part);
	return entry->cell;
}

/* The cell of a row: those of public categories are numbered. */
static int32
find_cell(Tabulation *tabulation, const Datum *value, const bool *isnull)
{
	int64 number = 0;
	bool known = true;
	int i;

	if (tabulation->request->thresholded)
		return find_private_cell(tabulation, value, isnull);
	for (i = 0; i < tabulation->request->groups; i++)
	{
		const GroupColumn *group = &tabulation->group[i];
		int category = sdcpg_categories_find(
			group->categories, value[group->place], isnull[group->place]);

		known &= category >= 0;
		number = number * group->categories->count + category;
	}
	return known ? OTHER + 1 + (int32) number : OTHER;
}

static int64
read_whole(Oid type, Datum value)
{
	int64 whole = type == INT2OID   ? DatumGetInt16(value)
				  : type == INT4OID ? DatumGetInt32(value)
									: DatumGetInt64(value);

	/* bounds have 62 bits, so the least of all is clipped anyway */
	return Max(whole, -PG_INT64_MAX);
}

static SdcFigureValue
read_value(const SdcFigure *figure, const FigureColumn *column, Datum value,
		   bool isnull)
{
	SdcFigureValue result;

	if (column->categories != NULL)
	{
		result.whole =
			sdcpg_categories_find(column->categories, value, isnull);
		if (result.whole < 0)
			result.whole = SDC_FIGURE_MISSING;
	}
	else if (figure->whole)
		result.whole =
			isnull ? SDC_FIGURE_MISSING : read_whole(column->type, value);
	else
		result.number = isnull ? NAN : sdcpg_number(column->type, value);
	return result;
}

static void
take_row(void *arg, const Datum *value, const bool *isnull)
{
	Tabulation *tabulation = arg;
	const SdcRequest *request = tabulation->request;
	bool chosen = request->predicate == NULL ||
				  sdcpg_predicate_holds(request->predicate, request->scan);
	int32 cell = find_cell(tabulation, value, isnull);
	int i;

	cell = chosen ? cell : OTHER;
	for (i = 0; i < request->figures; i++)
	{
		const FigureColumn *column = &tabulation->figure[i];

		if (column->place >= 0)
			tabulation->row[i] =
				read_value(request->figure[i], column, value[column->place],
						   isnull[column->place]);
	}
	if (tabulation->sample == NULL)
		count_row(tabulation, cell, tabulation->row);
	else if (isnull[tabulation->unit])
		count_row(tabulation, OTHER, tabulation->row);
	else
		sdcpg_units_add(tabulation->sample, value[tabulation->unit], cell,
						tabulation->row);
}

/* A column as text; casts of others' making do not run. */
static ExprState *
write_as_text(const SdcScan *scan, int place)
{
	Node *column =
		(Node *) makeVar(1, (AttrNumber) (place + 1), scan->type[place],
						 scan->modifier[place], scan->collation[place], 0);
	Node *text =
		coerce_to_target_type(NULL, column, scan->type[place], TEXTOID, -1,
							  COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);
	CoerceViaIO *written;

	if (text != NULL && (!IsA(text, FuncExpr) ||
						 ((FuncExpr *) text)->funcid < FirstNormalObjectId))
		return ExecInitExpr((Expr *) text, NULL);
	written = makeNode(CoerceViaIO);
	written->arg = (Expr *) column;
	written->resulttype = TEXTOID;
	written->resultcollid = DEFAULT_COLLATION_OID;
	written->coerceformat = COERCE_EXPLICIT_CAST;
	written->location = -1;
	return ExecInitExpr((Expr *) written, NULL);
}

static void
open_groups(Tabulation *tabulation)
{
	const SdcRequest *request = tabulation->request;
	int i;

	tabulation->group = palloc0(sizeof(GroupColumn) * (request->groups + 1));
	for (i = 0; i < request->groups; i++)
	{
		const SdcDatasetColumn *column = request->group[i];
		GroupColumn *group = &tabulation->group[i];

		group->place = sdcpg_scan_place(request->scan, column->column.number);
		if (column->categories > 0)
			group->categories = sdcpg_categories_make(
				column, request->scan->collation[group->place]);
		else
			group->text = write_as_text(request->scan, group->place);
	}
}

static void
open_figures(Tabulation *tabulation)
{
	const SdcRequest *request = tabulation->request;
	int i;

	tabulation->figure =
		palloc0(sizeof(FigureColumn) * (request->figures + 1));
	tabulation->row = palloc0(sizeof(SdcFigureValue) * (request->figures + 1));
	for (i = 0; i < request->figures; i++)
	{
		const SdcDatasetColumn *column = request->figure[i]->column;
		FigureColumn *figure = &tabulation->figure[i];

		figure->place = -1;
		if (column == NULL)
			continue;
		figure->place = sdcpg_scan_place(request->scan, column->column.number);
		figure->type = column->column.base;
		if (request->figure[i]->kind == SDC_FIGURE_MODE)
			figure->categories = sdcpg_categories_make(
				column, request->scan->collation[figure->place]);
	}
}

/* All cells of public categories, whether rows have them or not. */
static void
make_cells(Tabulation *tabulation)
{
	const SdcRequest *request = tabulation->request;
	int64 i;
	int j;

	for (i = 0; i < request->cells; i++)
	{
		const char **part = palloc(sizeof(char *) * (request->groups + 1));
		int64 rest = request->cells;
		int64 at = i;

		for (j = 0; j < request->groups; j++)
		{
			const SdcDatasetColumn *column = request->group[j];

			rest /= column->categories;
			part[j] = column->category[at / rest];
			at %= rest;
		}
		(void) add_cell(tabulation, part);
	}
}

/* NULL comes last. */
static int
compare_cells(const ListCell *a, const ListCell *b)
{
	const char **left = ((SdcRequestCell *) lfirst(a))->part;
	const char **right = ((SdcRequestCell *) lfirst(b))->part;
	int i = 0;

	/* two cells differ in some part */
	for (;; i++)
	{
		int order = left[i] == NULL    ? right[i] != NULL
					: right[i] == NULL ? -1
									   : strcmp(left[i], right[i]);

		if (order != 0)
			return order;
	}
}

/* The cells in their order; of private ones those that some row is in. */
static List *
list_cells(const Tabulation *tabulation)
{
	bool thresholded = tabulation->request->thresholded;
	List *found = NIL;
	int i;

	for (i = OTHER + 1; i < tabulation->cells; i++)
		if (!thresholded || tabulation->cell[i]->existence.count > 0)
			found = lappend(found, tabulation->cell[i]);
	if (thresholded && list_length(found) > 1)
		list_sort(found, compare_cells);
	return found;
}

List *
sdcpg_tabulate(const SdcRequest *request)
{
	Tabulation tabulation = {0};

	tabulation.request = request;
	tabulation.memory = CurrentMemoryContext;
	tabulation.host = sdcpg_host_begin("dp_query", CurrentMemoryContext);
	tabulation.room = 64;
	tabulation.cell = palloc(sizeof(SdcRequestCell *) * tabulation.room);
	initStringInfo(&tabulation.key);
	tabulation.table = cells_create(tabulation.memory, 64, NULL);
	(void) add_cell(&tabulation, NULL);
	if (!request->thresholded)
		make_cells(&tabulation);
	sdcpg_scan_open(request->scan);
	open_groups(&tabulation);
	open_figures(&tabulation);
	if (request->predicate != NULL)
		sdcpg_predicate_open(request->predicate, request->scan);
	if (request->dataset->unit != NULL)
	{
		tabulation.unit = sdcpg_scan_place(
			request->scan,
			sdcpg_relation_column(request->relation, request->dataset->unit)
				.number);
		tabulation.sample = sdcpg_units_begin(tabulation.host, request, OTHER);
	}
	sdcpg_scan_run(request->scan, take_row, &tabulation);
	if (tabulation.sample != NULL)
		sdcpg_units_finish(tabulation.sample, count_row, &tabulation);
	sdcpg_host_end(tabulation.host);
	return list_cells(&tabulation);
}
