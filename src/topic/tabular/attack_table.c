/*
 * attack_table.c
 *		sdc.attack_table: what can be inferred of the hidden cells of published
 *		tables.
 *
 * Rows are cells, identified by the labels of all keys; a key that a table
 * does not have is at its total.  So tables that share cells, or two releases
 * of one table, become one system of equations.  An equation is a cell and
 * the cells that differ from it in one key, whose label there has the first
 * one's as its parent.
 */
#include "postgres.h"

#include <math.h>

#include "access/relation.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/args.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/frame.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/sort.h"
#include "kernel/table/frequency.h"
#include "kernel/tabular/suppression.h"
#include "topic/tabular/tabular_topic.h"

PG_FUNCTION_INFO_V1(sdcf_attack_table);

static const char *const params_keys[] = {"with", "total", "least", "largest",
										  NULL};

/* Columns of the result. */
#define COLUMNS 4

/* Intervals are rounded to this. */
#define ROUNDED 1e-6

/* One published table. */
typedef struct Source
{
	SdcRelation *relation;
	bool has[SDC_CUBE_MAX_DIMENSIONS];
	bool has_parent[SDC_CUBE_MAX_DIMENSIONS];
	int32 rows;
	int32 *code[SDC_CUBE_MAX_DIMENSIONS];
	int32 *parent[SDC_CUBE_MAX_DIMENSIONS]; /* -1: none */
	double *value;
	bool *hidden;
	uint64 *key; /* of the cell of each row */
} Source;

typedef struct Attack
{
	SdcPgHost *host;
	int keys;
	char *key[SDC_CUBE_MAX_DIMENSIONS];
	const char *value;
	const char *total;
	double smallest;
	double largest;
	SdcDictionary *dictionary[SDC_CUBE_MAX_DIMENSIONS];
	int32 codes[SDC_CUBE_MAX_DIMENSIONS];
	int32 total_code[SDC_CUBE_MAX_DIMENSIONS];
	uint64 stride[SDC_CUBE_MAX_DIMENSIONS];
	int sources;
	Source *source;
	/* all cells, by key */
	int32 cells;
	uint64 *cell;
	double *known; /* NaN: hidden */
	int64 *start;
	int32 *member;
	int32 equations;
	bool *hidden;
	double *least;
	double *most;
} Attack;

/* ----------------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------------
 */

/* Does the relation have a column of that name? */
static bool
has_column(const SdcRelation *relation, const char *name)
{
	return get_attnum(relation->oid, name) > 0;
}

static char *
parent_name(const char *key)
{
	return psprintf("%.56s_parent", key);
}

/* Which keys a relation has; one of them at least. */
static void
find_keys(const Attack *attack, Source *source)
{
	bool any = false;
	int j;

	for (j = 0; j < attack->keys; j++)
	{
		source->has[j] = has_column(source->relation, attack->key[j]);
		source->has_parent[j] =
			source->has[j] &&
			has_column(source->relation, parent_name(attack->key[j]));
		any = any || source->has[j];
	}
	if (!any)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
						errmsg("relation \"%s\" has none of the keys",
							   source->relation->name),
						errhint("List in argument \"keys\" the keys of all "
								"tables.")));
}

/* Labels as text, the total where there is none; then the value. */
static char *
query_cells(const Attack *attack, const Source *source)
{
	SdcRelationColumn value =
		sdcpg_relation_column(source->relation, attack->value);
	StringInfoData sql;
	int j;

	if (!sdcpg_number_is_arithmetic(value.base))
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("column \"%s\" is not numeric", value.name)));
	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (j = 0; j < attack->keys; j++)
	{
		char *total = quote_literal_cstr(attack->total);

		if (source->has[j])
			appendStringInfo(&sql,
							 "COALESCE(r.%s::pg_catalog.text, "
							 "%s::pg_catalog.text), ",
							 quote_identifier(attack->key[j]), total);
		else
			appendStringInfo(&sql, "%s::pg_catalog.text, ", total);
		if (source->has_parent[j])
			appendStringInfo(&sql, "r.%s::pg_catalog.text, ",
							 quote_identifier(parent_name(attack->key[j])));
		else
			appendStringInfo(&sql, "%s::pg_catalog.text, ", total);
	}
	appendStringInfo(&sql, "r.%s FROM %s AS r", value.sql,
					 source->relation->sql);
	return sql.data;
}

/* Reads the cells of one table; the dictionaries are those of all. */
static void
read_source(Attack *attack, Source *source)
{
	SdcHost *host = &attack->host->kernel;
	SdcFrameType types[2 * SDC_CUBE_MAX_DIMENSIONS + 1];
	SdcDictionary *dictionary[2 * SDC_CUBE_MAX_DIMENSIONS + 1] = {NULL};
	int last = 2 * attack->keys;
	SdcFrame *frame;
	int32 i;
	int j;

	for (j = 0; j < last; j++)
	{
		types[j] = SDC_FRAME_CODE;
		dictionary[j] = attack->dictionary[j / 2];
	}
	types[last] = SDC_FRAME_FINITE;
	frame = sdcpg_frame_load_codes(attack->host, query_cells(attack, source),
								   last + 1, types, dictionary);
	source->rows = frame->rows;
	source->hidden = frame->column[last].isnull;
	source->value = frame->column[last].number;
	for (j = 0; j < attack->keys; j++)
	{
		const SdcFrameColumn *parent = &frame->column[2 * j + 1];

		source->code[j] = frame->column[2 * j].code;
		source->parent[j] = sdc_new(host, int32, (Size) frame->rows + 1);
		for (i = 0; i < frame->rows; i++)
			source->parent[j][i] = parent->isnull[i] ? -1 : parent->code[i];
	}
}

/* Codes become ranks, and each row gets the key of its cell. */
static void
find_cell_keys(Attack *attack)
{
	SdcHost *host = &attack->host->kernel;
	const int32 *rank[SDC_CUBE_MAX_DIMENSIONS];
	double cells = 1;
	int s;
	int j;

	for (j = attack->keys - 1; j >= 0; j--)
	{
		attack->total_code[j] = sdcpg_dictionary_code(
			attack->dictionary[j], CStringGetTextDatum(attack->total));
		rank[j] = sdcpg_dictionary_sort(attack->dictionary[j]);
		attack->total_code[j] = rank[j][attack->total_code[j]];
		attack->codes[j] = sdcpg_dictionary_values(attack->dictionary[j]);
		attack->stride[j] = (uint64) cells;
		cells *= attack->codes[j];
	}
	if (cells > 9e18)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the keys have too many combinations")));
	for (s = 0; s < attack->sources; s++)
	{
		Source *source = &attack->source[s];
		int32 i;

		source->key = sdc_new(host, uint64, (Size) source->rows + 1);
		for (i = 0; i < source->rows; i++)
		{
			source->key[i] = 0;
			for (j = 0; j < attack->keys; j++)
			{
				int32 *parent = &source->parent[j][i];
				int32 code = rank[j][source->code[j][i]];

				source->code[j][i] = code;
				*parent = *parent < 0 || code == attack->total_code[j]
							  ? -1
							  : rank[j][*parent];
				source->key[i] += attack->stride[j] * (uint64) code;
			}
		}
	}
}

/* The number of the cell with a key, or -1. */
static int32
find_cell(const Attack *attack, uint64 key)
{
	int32 low = 0;
	int32 high = attack->cells - 1;

	while (low <= high)
	{
		int32 middle = low + (high - low) / 2;

		if (attack->cell[middle] == key)
			return middle;
		if (attack->cell[middle] < key)
			low = middle + 1;
		else
			high = middle - 1;
	}
	return -1;
}

/* What a table says of a cell, beside what others have said. */
static void
learn_value(Attack *attack, const Source *source, int32 i)
{
	double *known = &attack->known[find_cell(attack, source->key[i])];

	if (source->hidden[i])
		return;
	if (!isnan(*known) && *known != source->value[i])
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("relation \"%s\" has another value of a cell than a "
						"table before it",
						source->relation->name),
				 errdetail("Tables are attacked together only when the same "
						   "cells have the same values.")));
	*known = source->value[i];
}

/* The cells of all tables, each once. */
static void
join_cells(Attack *attack)
{
	SdcHost *host = &attack->host->kernel;
	int64 rows = 0;
	int32 *order;
	int64 at = 0;
	int64 i;
	int s;

	for (s = 0; s < attack->sources; s++)
		rows += attack->source[s].rows;
	if (rows > SDC_CUBE_MAX_CELLS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the tables have more than %d cells",
							   SDC_CUBE_MAX_CELLS)));
	attack->cell = sdc_new(host, uint64, (Size) rows + 1);
	order = sdc_new(host, int32, (Size) rows + 1);
	for (s = 0; s < attack->sources; s++)
		for (i = 0; i < attack->source[s].rows; i++, at++)
		{
			attack->cell[at] = attack->source[s].key[i];
			order[at] = at;
		}
	sdc_sort_keys(host, attack->cell, order, rows);
	for (i = 0; i < rows; i++)
		if (i == 0 || attack->cell[i] != attack->cell[attack->cells - 1])
			attack->cell[attack->cells++] = attack->cell[i];
	host->release(host, order);
	attack->known = sdc_new(host, double, (Size) attack->cells + 1);
	for (i = 0; i < attack->cells; i++)
		attack->known[i] = NAN;
	for (s = 0; s < attack->sources; s++)
		for (i = 0; i < attack->source[s].rows; i++)
			learn_value(attack, &attack->source[s], i);
}

/* ----------------------------------------------------------------------
 * Equations
 * ----------------------------------------------------------------------
 */

/* The cells of one table, by number; twice the same is an error. */
static int32 *
number_rows(const Attack *attack, const Source *source)
{
	SdcHost *host = &attack->host->kernel;
	int32 *number = sdc_new(host, int32, (Size) source->rows + 1);
	bool *seen = sdc_new(host, bool, (Size) attack->cells + 1);
	int32 i;

	memset(seen, 0, attack->cells);
	for (i = 0; i < source->rows; i++)
	{
		number[i] = find_cell(attack, source->key[i]);
		if (seen[number[i]])
			ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
							errmsg("relation \"%s\" has a cell twice",
								   source->relation->name),
							errhint("Name all of its keys.")));
		seen[number[i]] = true;
	}
	host->release(host, seen);
	return number;
}

/*
 * The equations of one table along one key: rows sorted by the cell that
 * differs from theirs in that key only, by the parent there.
 */
static void
add_equations(Attack *attack, const Source *source, const int32 *number,
			  const bool *own, int j)
{
	SdcHost *host = &attack->host->kernel;
	uint64 *key = sdc_new(host, uint64, (Size) source->rows + 1);
	int32 *row = sdc_new(host, int32, (Size) source->rows + 1);
	int32 count = 0;
	int32 i;

	for (i = 0; i < source->rows; i++)
	{
		int32 parent = source->parent[j][i];
		int32 total;

		if (parent < 0)
			continue;
		total = find_cell(
			attack, source->key[i] +
						attack->stride[j] *
							((uint64) parent - (uint64) source->code[j][i]));
		if (total < 0 || !own[total])
			continue;
		key[count] = total;
		row[count++] = i;
	}
	sdc_sort_keys(host, key, row, count);
	for (i = 0; i < count; i++)
	{
		if (i == 0 || key[i] != key[i - 1])
		{
			int64 at = attack->start[attack->equations];

			attack->member[at++] = (int32) key[i];
			attack->start[++attack->equations] = at;
		}
		attack->member[attack->start[attack->equations]++] = number[row[i]];
	}
	host->release(host, key);
	host->release(host, row);
}

static void
make_equations(Attack *attack)
{
	SdcHost *host = &attack->host->kernel;
	bool *own = sdc_new(host, bool, (Size) attack->cells + 1);
	Size room = 1;
	int s;
	int j;

	for (s = 0; s < attack->sources; s++)
		room += 2 * (Size) attack->source[s].rows * attack->keys;
	attack->start = sdc_new(host, int64, room + 1);
	attack->member = sdc_new(host, int32, room + 1);
	attack->start[0] = 0;
	for (s = 0; s < attack->sources; s++)
	{
		const Source *source = &attack->source[s];
		int32 *number = number_rows(attack, source);
		int32 i;

		memset(own, 0, attack->cells);
		for (i = 0; i < source->rows; i++)
			own[number[i]] = true;
		for (j = 0; j < attack->keys; j++)
			if (source->has[j])
				add_equations(attack, source, number, own, j);
		host->release(host, number);
	}
	host->release(host, own);
}

/* ----------------------------------------------------------------------
 * The attack
 * ----------------------------------------------------------------------
 */

static void
attack_cells(SdcPgHost *host, void *arg)
{
	Attack *attack = arg;
	SdcTabular *table =
		sdc_tabular_create(&host->kernel, attack->cells, attack->equations,
						   attack->start, attack->member);
	double largest = 0;
	int32 i;

	for (i = 0; i < attack->cells; i++)
	{
		attack->hidden[i] = isnan(attack->known[i]);
		table->value[i] = attack->hidden[i] ? 0 : attack->known[i];
		largest = Max(largest, fabs(table->value[i]));
	}
	/* far beyond what any equation with a published cell allows */
	if (isinf(attack->largest))
		attack->largest = 1000 * (largest + attack->smallest + 1);
	if (!sdc_tabular_complete(table, attack->hidden, attack->smallest,
							  attack->largest))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("the published cells do not add up"),
				 errdetail("No values of at least %.15g of the hidden cells "
						   "make every total the sum of its parts.",
						   attack->smallest),
				 errhint("Rounded tables, or tables of different records, "
						 "cannot be attacked together.")));
	sdc_tabular_intervals(table, attack->hidden, attack->least, attack->most);
}

static Datum
cell_datum(const Attack *attack, int32 i)
{
	StringInfoData text;
	int j;

	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	for (j = 0; j < attack->keys; j++)
	{
		int32 code = (int32) (attack->cell[i] / attack->stride[j] %
							  (uint64) attack->codes[j]);

		appendStringInfoString(&text, j == 0 ? "" : ", ");
		escape_json(&text, attack->key[j]);
		appendStringInfoString(&text, ": ");
		escape_json(&text, sdcpg_dictionary_text(attack->dictionary[j], code));
	}
	appendStringInfoChar(&text, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data));
}

static void
put_cells(const Attack *attack, ReturnSetInfo *result)
{
	int32 i;

	for (i = 0; i < attack->cells; i++)
	{
		double least = rint(attack->least[i] / ROUNDED) * ROUNDED;
		double most = rint(attack->most[i] / ROUNDED) * ROUNDED;
		Datum values[COLUMNS];
		bool isnull[COLUMNS] = {false};

		if (!attack->hidden[i])
			continue;
		values[0] = cell_datum(attack, i);
		values[1] = Float8GetDatum(least);
		isnull[2] = most >= attack->largest * (1 - 1e-9);
		values[2] = Float8GetDatum(most);
		values[3] = BoolGetDatum(!isnull[2] && most - least <= ROUNDED);
		sdcpg_result_put(result, values, isnull);
	}
}

/* Finds the tables and the keys. */
static void
read_arguments(FunctionCallInfo fcinfo, Attack *attack)
{
	Jsonb *params = PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3);
	List *others;
	ListCell *item;
	char *total;
	Datum *names;
	int j;
	int s = 1;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("relation");
	if (PG_ARGISNULL(1))
		sdcpg_args_null("keys");
	if (PG_ARGISNULL(2))
		sdcpg_args_null("value");
	sdcpg_params_check(params, params_keys);
	attack->value = NameStr(*PG_GETARG_NAME(2));
	total = sdcpg_params_text(params, "total");
	attack->total = total == NULL ? SDC_TABULAR_TOTAL : total;
	attack->smallest = sdcpg_params_number(params, "least", 0, 0, 1e15);
	attack->largest =
		sdcpg_params_number(params, "largest", INFINITY, 0, 1e15);
	if (attack->largest < attack->smallest)
		sdcpg_params_wrong("largest", "at least params.least");
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), NAMEOID, NAMEDATALEN, false,
					  TYPALIGN_CHAR, &names, NULL, &attack->keys);
	if (attack->keys < 1 || attack->keys > SDC_CUBE_MAX_DIMENSIONS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a table has 1 to %d keys", SDC_CUBE_MAX_DIMENSIONS)));
	for (j = 0; j < attack->keys; j++)
		attack->key[j] = pstrdup(NameStr(*DatumGetName(names[j])));
	others = sdcpg_params_names(params, "with");
	attack->sources = 1 + list_length(others);
	attack->source = palloc0(sizeof(Source) * attack->sources);
	attack->source[0].relation = sdcpg_relation_find(PG_GETARG_OID(0));
	foreach (item, others)
		attack->source[s++].relation = sdcpg_relation_find(DatumGetObjectId(
			DirectFunctionCall1(regclassin, CStringGetDatum(lfirst(item)))));
	for (s = 0; s < attack->sources; s++)
		find_keys(attack, &attack->source[s]);
}

/*
 * attack_table(relation regclass, keys columns, value name, params jsonb)
 */
Datum
sdcf_attack_table(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Attack *attack = palloc0(sizeof(Attack));
	SdcHost *host;
	int s;
	int j;

	read_arguments(fcinfo, attack);
	attack->host = sdcpg_host_begin("attack_table", CurrentMemoryContext);
	host = &attack->host->kernel;
	for (j = 0; j < attack->keys; j++)
		attack->dictionary[j] =
			sdcpg_dictionary_new(attack->host, TEXTOID, C_COLLATION_OID);
	for (s = 0; s < attack->sources; s++)
		read_source(attack, &attack->source[s]);
	find_cell_keys(attack);
	join_cells(attack);
	make_equations(attack);
	attack->hidden = sdc_new(host, bool, (Size) attack->cells + 1);
	attack->least = sdc_new(host, double, (Size) attack->cells + 1);
	attack->most = sdc_new(host, double, (Size) attack->cells + 1);
	sdcpg_solver_run(attack->host, attack_cells, attack);
	put_cells(attack, result);
	sdcpg_host_end(attack->host);
	return (Datum) 0;
}
