/*
 * tabulate.c
 *		Rows of units into cells, no more of each unit than was declared.
 *
 * Rows come sorted by unit and group, so that of the unit at hand only the
 * chosen rows are held; how much memory this takes is known from what the
 * curator declared.  No progress is shown on the way: it would be an exact
 * count of the rows that a predicate chose.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "kernel/privacy/reservoir.h"
#include "topic/privacy/private_aggregate.h"
#include "topic/privacy/tabulate.h"
#include "topic/privacy/unit_rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"

#define BATCH 1000

/* Private cells, found by the key of their categories. */
typedef struct CellEntry
{
	const char *key;
	SdcRequestCell *cell;
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
#include "host/call/relation.h"
#include "topic/privacy/dataset.h"
#include "topic/privacy/figure.h"
#include "topic/privacy/request.h"

/* A chosen group of the unit at hand: its chosen rows. */
typedef struct UnitGroup
{
	StringInfoData key;
	int64 rows;
	SdcFigureValue *value; /* [row * figures + figure] */
} UnitGroup;

typedef struct Tabulation
{
	const SdcRequest *request;
	MemoryContext memory;
	cells_hash *table;
	/* of the unit at hand */
	bool has_unit;
	Datum unit;
	FmgrInfo *equal;
	Oid collation;
	int16 length;
	bool by_value;
	StringInfoData key; /* of the row, and of the row before */
	StringInfoData last;
	UnitGroup *group;
	int64 groups;
	UnitGroup *current; /* NULL: this group was not chosen */
	SdcFigureValue *row;
} Tabulation;

/* A key of a cell is for each group column "-", or the length and text. */
static void
append_part(StringInfo key, const char *part)
{
	if (part == NULL)
		appendStringInfoChar(key, '-');
	else
		appendStringInfo(key, "%zu:%s", strlen(part), part);
}

static const char **
split_key(const char *key, int parts)
{
	const char **part = palloc(sizeof(char *) * (parts + 1));
	int i;

	for (i = 0; i < parts; i++)
	{
		char *end;
		unsigned long length;

		part[i] = NULL;
		if (*key == '-')
		{
			key++;
			continue;
		}
		length = strtoul(key, &end, 10);
		part[i] = pnstrdup(end + 1, length);
		key = end + 1 + length;
	}
	return part;
}

static SdcRequestCell *
find_cell(Tabulation *tabulation, const char *key)
{
	const SdcRequest *request = tabulation->request;
	MemoryContext caller = MemoryContextSwitchTo(tabulation->memory);
	CellEntry *entry = cells_lookup(tabulation->table, key);
	SdcRequestCell *cell;
	bool found;
	int i;

	if (entry == NULL)
	{
		cell = palloc0(sizeof(SdcRequestCell));
		cell->part = split_key(key, request->groups);
		cell->state = palloc(sizeof(SdcFigureState) * (request->figures + 1));
		for (i = 0; i < request->figures; i++)
			sdcpg_figure_open(request->figure[i], &cell->state[i]);
		entry = cells_insert(tabulation->table, pstrdup(key), &found);
		entry->cell = cell;
	}
	MemoryContextSwitchTo(caller);
	return entry->cell;
}

static void
add_row(Tabulation *tabulation, SdcRequestCell *cell,
		const SdcFigureValue *value)
{
	const SdcRequest *request = tabulation->request;
	int i;

	cell->existence.count++;
	for (i = 0; i < request->figures; i++)
		sdcpg_figure_add(request->figure[i], &cell->state[i], &value[i]);
}

/* Counts what was chosen of the unit at hand. */
static void
finish_unit(Tabulation *tabulation)
{
	const SdcRequest *request = tabulation->request;
	int64 groups = Min(tabulation->groups, request->max_groups);
	int64 i;
	int64 j;

	for (i = 0; i < groups; i++)
	{
		UnitGroup *group = &tabulation->group[i];
		SdcRequestCell *cell = find_cell(tabulation, group->key.data);

		for (j = 0; j < Min(group->rows, request->max_rows); j++)
			add_row(tabulation, cell, &group->value[j * request->figures]);
	}
	tabulation->groups = 0;
	tabulation->current = NULL;
}

static void
start_group(Tabulation *tabulation)
{
	uint64_t place =
		sdc_reservoir_place(sdcpg_strong_bits(), tabulation->groups++,
							tabulation->request->max_groups);

	tabulation->current = NULL;
	if (place >= (uint64_t) tabulation->request->max_groups)
		return;
	tabulation->current = &tabulation->group[place];
	tabulation->current->rows = 0;
	resetStringInfo(&tabulation->current->key);
	appendStringInfoString(&tabulation->current->key, tabulation->key.data);
}

static void
take_unit_row(Tabulation *tabulation, bool new_group)
{
	const SdcRequest *request = tabulation->request;
	UnitGroup *group;
	uint64_t place;

	if (new_group)
		start_group(tabulation);
	group = tabulation->current;
	if (group == NULL)
		return;
	place = sdc_reservoir_place(sdcpg_strong_bits(), group->rows++,
								request->max_rows);
	if (place < (uint64_t) request->max_rows)
		memcpy(&group->value[place * request->figures], tabulation->row,
			   sizeof(SdcFigureValue) * request->figures);
}

/* Is this the unit of the row before?  If not, it becomes the unit at hand. */
static bool
same_unit(Tabulation *tabulation, Datum unit)
{
	MemoryContext caller;

	if (tabulation->has_unit &&
		DatumGetBool(FunctionCall2Coll(
			tabulation->equal, tabulation->collation, tabulation->unit, unit)))
		return true;
	finish_unit(tabulation);
	if (tabulation->has_unit && !tabulation->by_value)
		pfree(DatumGetPointer(tabulation->unit));
	caller = MemoryContextSwitchTo(tabulation->memory);
	tabulation->unit =
		datumCopy(unit, tabulation->by_value, tabulation->length);
	tabulation->has_unit = true;
	MemoryContextSwitchTo(caller);
	return false;
}

static SdcFigureValue
read_value(const SdcFigure *figure, Oid type, Datum value, bool isnull)
{
	SdcFigureValue result = {isnull, 0, 0};

	if (isnull)
		return result;
	if (type == INT8OID)
	{
		result.whole = DatumGetInt64(value);
		result.number = (double) result.whole;
		/* array_position counts from 1 */
		if (figure->kind == SDC_FIGURE_MODE)
			result.whole--;
	}
	else
		result.number = sdcpg_private_double(type, value);
	return result;
}

/* The category of a group column; public ones come as their numbers. */
static const char *
read_part(const SdcDatasetColumn *column, Datum value, bool isnull)
{
	if (isnull)
		return NULL;
	if (column->categories > 0)
		return column->category[DatumGetInt32(value) - 1];
	return TextDatumGetCString(value);
}

/* The columns: the unit, if any; the groups; a value for each figure. */
static void
take_row(Tabulation *tabulation, TupleDesc descriptor, const Datum *value,
		 const bool *isnull)
{
	const SdcRequest *request = tabulation->request;
	int at = request->dataset->unit != NULL ? 1 : 0;
	StringInfoData key = tabulation->last;
	bool same;
	int i;

	tabulation->last = tabulation->key;
	tabulation->key = key;
	resetStringInfo(&tabulation->key);
	for (i = 0; i < request->groups; i++, at++)
		append_part(&tabulation->key,
					read_part(request->group[i], value[at], isnull[at]));
	for (i = 0; i < request->figures; i++, at++)
		tabulation->row[i] = read_value(
			request->figure[i], TupleDescAttr(descriptor, at)->atttypid,
			value[at], isnull[at]);
	if (request->dataset->unit == NULL)
	{
		add_row(tabulation, find_cell(tabulation, tabulation->key.data),
				tabulation->row);
		return;
	}
	same = same_unit(tabulation, value[0]);
	take_unit_row(tabulation, !same || strcmp(tabulation->key.data,
											  tabulation->last.data) != 0);
}

/* How to tell units apart. */
static void
start_units(Tabulation *tabulation)
{
	const SdcRequest *request = tabulation->request;
	SdcRelationColumn unit;
	TypeCacheEntry *type;
	int i;

	if (request->dataset->unit == NULL)
		return;
	unit = sdcpg_relation_column(request->relation, request->dataset->unit);
	type = lookup_type_cache(unit.base, TYPECACHE_EQ_OPR_FINFO);
	tabulation->equal = &type->eq_opr_finfo;
	tabulation->length = type->typlen;
	tabulation->by_value = type->typbyval;
	get_atttypetypmodcoll(request->relation->oid, unit.number, &unit.type, &i,
						  &tabulation->collation);
	tabulation->group = palloc0(sizeof(UnitGroup) * request->max_groups);
	for (i = 0; i < request->max_groups; i++)
	{
		initStringInfo(&tabulation->group[i].key);
		tabulation->group[i].value =
			palloc(sizeof(SdcFigureValue) * request->max_rows *
				   Max(request->figures, 1));
	}
}

/* All cells of public categories, whether rows have them or not. */
static List *
make_cells(Tabulation *tabulation)
{
	const SdcRequest *request = tabulation->request;
	List *cells = NIL;
	StringInfoData key;
	int64 i;
	int j;

	initStringInfo(&key);
	for (i = 0; i < request->cells; i++)
	{
		int64 rest = request->cells;
		int64 at = i;

		resetStringInfo(&key);
		for (j = 0; j < request->groups; j++)
		{
			const SdcDatasetColumn *column = request->group[j];

			rest /= column->categories;
			append_part(&key, column->category[at / rest]);
			at %= rest;
		}
		cells = lappend(cells, find_cell(tabulation, key.data));
	}
	return cells;
}

static void
read_batches(Tabulation *tabulation, const char *sql)
{
	SPIPlanPtr plan = SPI_prepare(sql, 0, NULL);
	MemoryContext scratch = AllocSetContextCreate(
		tabulation->memory, "sdc rows of units", ALLOCSET_DEFAULT_SIZES);
	Portal portal;
	Datum *value;
	bool *isnull;
	uint64 i;

	if (plan == NULL)
		elog(ERROR, "could not prepare a query");
	portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);
	value = palloc(sizeof(Datum) * portal->tupDesc->natts);
	isnull = palloc(sizeof(bool) * portal->tupDesc->natts);
	for (;;)
	{
		SPI_cursor_fetch(portal, true, BATCH);
		if (SPI_processed == 0)
			break;
		MemoryContextSwitchTo(scratch);
		for (i = 0; i < SPI_processed; i++)
		{
			heap_deform_tuple(SPI_tuptable->vals[i], SPI_tuptable->tupdesc,
							  value, isnull);
			take_row(tabulation, SPI_tuptable->tupdesc, value, isnull);
		}
		MemoryContextReset(scratch);
		MemoryContextSwitchTo(tabulation->memory);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
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

static List *
list_cells(Tabulation *tabulation)
{
	List *found = NIL;
	cells_iterator iterator;
	CellEntry *entry;

	cells_start_iterate(tabulation->table, &iterator);
	while ((entry = cells_iterate(tabulation->table, &iterator)) != NULL)
		found = lappend(found, entry->cell);
	if (list_length(found) > 1)
		list_sort(found, compare_cells);
	return found;
}

List *
sdcpg_tabulate(const SdcRequest *request)
{
	Tabulation tabulation = {0};
	List *cells = NIL;

	tabulation.request = request;
	tabulation.memory = CurrentMemoryContext;
	tabulation.table = cells_create(tabulation.memory, 64, NULL);
	tabulation.row = palloc(sizeof(SdcFigureValue) * (request->figures + 1));
	initStringInfo(&tabulation.key);
	initStringInfo(&tabulation.last);
	start_units(&tabulation);
	if (!request->thresholded)
		cells = make_cells(&tabulation);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	read_batches(&tabulation, sdcpg_unit_rows_query(request));
	MemoryContextSwitchTo(tabulation.memory);
	finish_unit(&tabulation);
	SPI_finish();
	MemoryContextSwitchTo(tabulation.memory);
	return request->thresholded ? list_cells(&tabulation) : cells;
}
