/*
 * attack_table.c
 *		sdc.attack_table: what can be inferred of the hidden cells of published
 *		tables.
 *
 * Rows are cells, identified by the labels of all keys; a key that a table
 * does not have is at its total.  So tables that share cells, or two releases
 * of one table, become one system of equations.  An equation is a cell and
 * the cells that differ from it in one key, whose label there has the first
 * one's as its parent.  Where no table has all parts of a cell, the rest of
 * them is a further cell, which nobody shows.
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

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/sort.h"
#include "kernel/table/frequency.h"
#include "kernel/tabular/suppression.h"
#include "topic/tabular/attack_table.h"
#include "topic/tabular/tabular_topic.h"

PG_FUNCTION_INFO_V1(sdcf_attack_table);

static const char *const params_keys[] = {
	"with",     "total", "least",   "largest", "noise",
	"base",     "unit",  "earlier", "count",   "noise_percent",
	"adjusted", "known", "parts",   "exact",   NULL};

/* Columns of the result. */
#define COLUMNS 4

/* Work for each end of an interval of whole values, see sdc_tabular_whole. */
#define WHOLE_WORK 2e7

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

/* Which keys a relation has; one of them at least. */
static void
find_keys(const SdcAttackTable *attack, SdcAttackSource *source)
{
	bool any = false;
	int j;

	for (j = 0; j < attack->keys; j++)
	{
		source->has[j] = has_column(source->relation, attack->key[j]);
		source->has_parent[j] =
			source->has[j] &&
			has_column(source->relation,
					   sdcpg_table_parent_name(attack->key[j]));
		any = any || source->has[j];
	}
	if (!any)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
						errmsg("relation \"%s\" has none of the keys",
							   source->relation->name),
						errhint("List in argument \"keys\" the keys of all "
								"tables.")));
}

/* A column of labels as text. */
static char *
label_of(const SdcAttackSource *source, const char *name)
{
	SdcRelationColumn column = sdcpg_relation_column(source->relation, name);

	return sdcpg_query_cast(&column, "text");
}

/* Has it the cells of several tables, each row with the number of its own? */
static bool
has_numbers(const SdcAttackTable *attack, const SdcAttackSource *source)
{
	int j;

	if (source->known)
		return false;
	for (j = 0; j < attack->keys; j++)
		if (strcmp(attack->key[j], SDC_TABULAR_NUMBER) == 0)
			return false;
	return has_column(source->relation, SDC_TABULAR_NUMBER) &&
		   sdcpg_relation_column(source->relation, SDC_TABULAR_NUMBER).base ==
			   INT4OID;
}

/* A column of numbers; any other is an error. */
static SdcRelationColumn
number_column(const SdcAttackSource *source, const char *name)
{
	SdcRelationColumn column = sdcpg_relation_column(source->relation, name);

	if (!sdcpg_number_is_arithmetic(column.base))
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("column \"%s\" is not numeric", column.name)));
	return column;
}

/* Labels as text, the total where there is none; then the value. */
static char *
query_cells(const SdcAttackTable *attack, const SdcAttackSource *source)
{
	SdcRelationColumn value =
		number_column(source, source->known ? "lowest" : attack->value);
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (j = 0; j < attack->keys; j++)
	{
		char *total = quote_literal_cstr(attack->total);

		if (source->has[j])
			appendStringInfo(&sql, "COALESCE(%s, %s::pg_catalog.text), ",
							 label_of(source, attack->key[j]), total);
		else
			appendStringInfo(&sql, "%s::pg_catalog.text, ", total);
		if (source->has_parent[j])
			appendStringInfo(
				&sql, "%s, ",
				label_of(source, sdcpg_table_parent_name(attack->key[j])));
		else
			appendStringInfo(&sql, "%s::pg_catalog.text, ", total);
	}
	appendStringInfo(&sql, "r.%s", value.sql);
	if (has_numbers(attack, source))
		appendStringInfoString(&sql, ", r." SDC_TABULAR_NUMBER);
	if (source->known)
		appendStringInfo(&sql, ", r.%s", number_column(source, "highest").sql);
	else if (attack->count != NULL)
		appendStringInfo(
			&sql, ", r.%s",
			sdcpg_relation_column(source->relation, attack->count).sql);
	if (attack->text != NULL)
		appendStringInfo(&sql, ", r.%s::pg_catalog.text", value.sql);
	appendStringInfo(&sql, " FROM %s AS r", source->relation->sql);
	return sql.data;
}

/* Reads the cells of one table; the dictionaries are those of all. */
static void
read_source(SdcAttackTable *attack, SdcAttackSource *source)
{
	SdcHost *host = &attack->host->kernel;
	SdcFrameType types[2 * SDC_CUBE_MAX_DIMENSIONS + 4];
	SdcDictionary *dictionary[2 * SDC_CUBE_MAX_DIMENSIONS + 4] = {NULL};
	int value = 2 * attack->keys;
	int number = value + has_numbers(attack, source);
	int count = number + (source->known || attack->count != NULL);
	int columns = count + 1 + (attack->text != NULL);
	SdcFrame *frame;
	int32 i;
	int j;

	for (j = 0; j < value; j++)
	{
		types[j] = SDC_FRAME_CODE;
		dictionary[j] = attack->dictionary[j / 2];
	}
	types[value] = types[count] = SDC_FRAME_FINITE;
	if (number > value)
	{
		types[number] = SDC_FRAME_CODE;
		dictionary[number] = attack->number;
	}
	if (attack->text != NULL)
	{
		types[count + 1] = SDC_FRAME_CODE;
		dictionary[count + 1] = attack->text;
	}
	frame = sdcpg_frame_load_codes(attack->host, query_cells(attack, source),
								   columns, types, dictionary);
	if (number > value)
		source->number = frame->column[number].code;
	if (source->known)
	{
		source->highest = frame->column[count].number;
		source->no_highest = frame->column[count].isnull;
	}
	else if (count > number)
	{
		source->count = frame->column[count].number;
		source->no_count = frame->column[count].isnull;
	}
	if (attack->text != NULL)
		source->text = frame->column[count + 1].code;
	source->rows = frame->rows;
	source->hidden = frame->column[value].isnull;
	source->value = frame->column[value].number;
	for (j = 0; j < attack->keys; j++)
	{
		const SdcFrameColumn *parent = &frame->column[2 * j + 1];

		source->code[j] = frame->column[2 * j].code;
		source->parent[j] = sdc_new(host, int32, (Size) frame->rows + 1);
		for (i = 0; i < frame->rows; i++)
			source->parent[j][i] = parent->isnull[i] ? -1 : parent->code[i];
	}
}

/* Reads the equations that are told. */
static void
read_parts(SdcAttackTable *attack)
{
	static const char *const names[] = {"equation", "total", "part"};
	SdcAttackParts *parts = attack->parts;
	SdcFrameType types[] = {SDC_FRAME_CODE, SDC_FRAME_CODE, SDC_FRAME_CODE};
	SdcDictionary *dictionary[] = {
		sdcpg_dictionary_new(attack->host, TEXTOID, C_COLLATION_OID),
		attack->dictionary[0], attack->dictionary[0]};
	StringInfoData sql;
	SdcFrame *frame;
	int32 i;
	int j;

	initStringInfo(&sql);
	for (j = 0; j < 3; j++)
	{
		SdcRelationColumn column =
			sdcpg_relation_column(parts->relation, names[j]);

		appendStringInfo(&sql, "%s %s", j == 0 ? "SELECT" : ",",
						 sdcpg_query_cast(&column, "text"));
	}
	appendStringInfo(&sql, " FROM %s AS r", parts->relation->sql);
	frame =
		sdcpg_frame_load_codes(attack->host, sql.data, 3, types, dictionary);
	for (i = 0; i < frame->rows; i++)
		for (j = 0; j < 3; j++)
			if (frame->column[j].isnull[i])
				ereport(ERROR,
						(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						 errmsg("relation \"%s\" of params.parts has NULL in "
								"column \"%s\"",
								parts->relation->name, names[j])));
	parts->rows = frame->rows;
	parts->equation = frame->column[0].code;
	parts->total = frame->column[1].code;
	parts->part = frame->column[2].code;
}

/* Codes become ranks, and each row gets the key of its cell. */
static void
find_cell_keys(SdcAttackTable *attack)
{
	SdcHost *host = &attack->host->kernel;
	const int32 *rank[SDC_CUBE_MAX_DIMENSIONS];
	double cells = 1;
	int s;
	int j;

	for (j = attack->keys - 1; j >= 0; j--)
	{
		rank[j] = sdcpg_dictionary_sort(attack->dictionary[j]);
		attack->codes[j] = sdcpg_dictionary_values(attack->dictionary[j]);
		attack->stride[j] = (uint64) cells;
		cells *= attack->codes[j];
	}
	if (cells > 9e18)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the keys have too many combinations")));
	for (s = 0; attack->parts != NULL && s < attack->parts->rows; s++)
	{
		attack->parts->total[s] = rank[0][attack->parts->total[s]];
		attack->parts->part[s] = rank[0][attack->parts->part[s]];
	}
	for (s = 0; s < attack->sources; s++)
	{
		SdcAttackSource *source = &attack->source[s];
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
				/* a total; a category may be called as totals usually are */
				*parent = *parent < 0 || rank[j][*parent] == code
							  ? -1
							  : rank[j][*parent];
				source->key[i] += attack->stride[j] * (uint64) code;
			}
		}
	}
}

/* The number of the cell with a key, or -1. */
static int32
find_cell(const SdcAttackTable *attack, uint64 key)
{
	int32 cell =
		(int32) sdc_sort_keys_below(attack->cell, (size_t) attack->cells, key);

	return cell < attack->cells && attack->cell[cell] == key ? cell : -1;
}

/* Are published values not the true ones? */
static bool
is_inexact(const SdcAttackTable *attack)
{
	return attack->within > 0 || attack->share > 0;
}

/*
 * The sum behind the mean of a row, from low to high: a published mean is off
 * by so much at most, and a sum is whole in its unit.  False: not known.
 */
static bool
find_sum(const SdcAttackTable *attack, const SdcAttackSource *source, int32 i,
		 double *low, double *high)
{
	double count = source->no_count[i] ? NAN : source->count[i];

	*low = *high = 0;
	if (count == 0)
		return true;
	if (source->hidden[i] || isnan(count))
		return false;
	*low = (source->value[i] - attack->within) * count;
	*high = (source->value[i] + attack->within) * count;
	if (attack->unit > 0)
	{
		*low = attack->unit * ceil(*low / attack->unit - 1e-6);
		*high = attack->unit * floor(*high / attack->unit + 1e-6);
	}
	return true;
}

/* What a row says of its cell, from low to high; false: nothing. */
static bool
find_value(const SdcAttackTable *attack, const SdcAttackSource *source,
		   int32 i, double *low, double *high)
{
	double value = source->value[i];

	if (source->count != NULL)
		return find_sum(attack, source, i, low, high);
	*low = (value - attack->within) / (1 + attack->share);
	*high = (value + attack->within) / (1 - attack->share);
	/* adjusted: small ones became 0 or this at least, so it was not small */
	if (value > 0 && value < attack->moved && *high >= attack->moved)
		*low = Max(*low, attack->moved);
	return !source->hidden[i];
}

pg_noreturn static void
refuse_cell_twice(const SdcAttackSource *source)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
					errmsg("relation \"%s\" has a cell twice",
						   source->relation->name),
					errhint("Name all of its keys.")));
}

/*
 * A cell has two values: two rows of one table, most often as a key was not
 * named, or two tables that are not of the same records.
 */
pg_noreturn static void
refuse_values(const SdcAttackSource *source, int32 i)
{
	int32 k;

	for (k = 0; k < i; k++)
		if (source->key[k] == source->key[i] &&
			(source->number == NULL || source->number[k] == source->number[i]))
			refuse_cell_twice(source);
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("relation \"%s\" has another value of a cell than a "
					"table before it",
					source->relation->name),
			 errdetail("Tables are attacked together only when the same "
					   "cells have the same values.")));
}

/* What somebody knows of a cell before he reads the tables. */
static void
learn_known(const SdcAttackSource *source, int32 i, double *low, double *high)
{
	if (!source->hidden[i])
		*low = Max(*low, source->value[i]);
	if (!source->no_highest[i])
		*high = Min(*high, source->highest[i]);
}

/* The numbers that a row of a table, or of what is known, has; false: none. */
static bool
find_bounds(const SdcAttackTable *attack, const SdcAttackSource *source,
			int32 i, double *low, double *high)
{
	if (!source->known)
		return find_value(attack, source, i, low, high);
	*low = source->hidden[i] ? 0 : source->value[i];
	*high = source->no_highest[i] ? *low : source->highest[i];
	return true;
}

/* What a table says of a cell, beside what others have said. */
static void
learn_value(SdcAttackTable *attack, const SdcAttackSource *source, int32 i)
{
	int32 cell = find_cell(attack, source->key[i]);
	double from;
	double to;
	bool before = source->earlier;
	double *low = &(before ? attack->low_before : attack->low)[cell];
	double *high = &(before ? attack->high_before : attack->high)[cell];

	if (source->known)
	{
		attack->learned[cell] = attack->learned[cell] || *low < *high;
		learn_known(source, i, low, high);
	}
	else if (find_value(attack, source, i, &from, &to))
	{
		attack->shown[cell] = true;
		*low = Max(*low, from);
		*high = Min(*high, to);
	}
	if (*low > *high)
		refuse_values(source, i);
}

/* Nothing is known of a cell but what holds for all of them. */
static void
start_cells(SdcAttackTable *attack)
{
	SdcHost *host = &attack->host->kernel;
	double largest = 0;
	double from;
	double to;
	int32 i;
	int s;

	attack->shown = sdc_new(host, bool, (Size) attack->cells + 1);
	memset(attack->shown, 0, attack->cells);
	attack->learned = sdc_new(host, bool, (Size) attack->cells + 1);
	memset(attack->learned, 0, attack->cells);
	attack->low = sdc_new(host, double, (Size) attack->cells + 1);
	attack->high = sdc_new(host, double, (Size) attack->cells + 1);
	if (attack->changes)
	{
		attack->low_before = sdc_new(host, double, (Size) attack->cells + 1);
		attack->high_before = sdc_new(host, double, (Size) attack->cells + 1);
	}
	for (s = 0; s < attack->sources; s++)
		for (i = 0; i < attack->source[s].rows; i++)
			if (find_bounds(attack, &attack->source[s], i, &from, &to))
				largest = Max(largest, Max(fabs(from), fabs(to)));
	/*
	 * Far beyond what any equation with a published cell allows; of changes,
	 * which are below 0 too, no more than is needed to see that.
	 */
	attack->beyond = (attack->changes ? 4 : 1000) *
					 (largest + attack->within + attack->smallest + 1);
	if (isinf(attack->largest))
		attack->largest = attack->beyond;
	for (i = 0; i < attack->cells; i++)
	{
		attack->low[i] = is_inexact(attack) ? attack->smallest : -INFINITY;
		attack->high[i] = INFINITY;
		if (attack->changes)
		{
			attack->low_before[i] = attack->low[i];
			attack->high_before[i] = INFINITY;
		}
	}
}

/* The cells of all tables, each once. */
static void
join_cells(SdcAttackTable *attack)
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
	start_cells(attack);
	for (s = 0; s < attack->sources; s++)
		for (i = 0; i < attack->source[s].rows; i++)
			learn_value(attack, &attack->source[s], i);
}

/* ----------------------------------------------------------------------
 * Changes since an earlier table
 *
 * What changed in a cell is what it has now less what it had; changes add up
 * as the cells do, and may be below 0.  A cell that one of the tables does not
 * have is 0 there.
 * ----------------------------------------------------------------------
 */

/* The rows of both tables as those of one, each cell once. */
static void
merge_rows(SdcAttackTable *attack)
{
	SdcHost *host = &attack->host->kernel;
	SdcAttackSource *now = &attack->source[0];
	const SdcAttackSource *before = &attack->source[1];
	int32 room = now->rows + before->rows + 1;
	int32 *number = now->number == NULL || before->number == NULL
						? NULL
						: sdc_new(host, int32, (Size) room);
	bool *seen = sdc_new(host, bool, (Size) attack->cells + 1);
	uint64 *key = sdc_new(host, uint64, (Size) room);
	int32 rows = now->rows;
	int32 i;
	int j;

	memset(seen, 0, attack->cells);
	for (i = 0; i < now->rows; i++)
		seen[find_cell(attack, key[i] = now->key[i])] = true;
	if (number != NULL)
		memcpy(number, now->number, sizeof(int32) * rows);
	for (j = 0; j < attack->keys; j++)
	{
		int32 *code = sdc_new(host, int32, (Size) room);
		int32 *parent = sdc_new(host, int32, (Size) room);

		memcpy(code, now->code[j], sizeof(int32) * now->rows);
		memcpy(parent, now->parent[j], sizeof(int32) * now->rows);
		rows = now->rows;
		for (i = 0; i < before->rows; i++)
		{
			if (seen[find_cell(attack, before->key[i])])
				continue;
			key[rows] = before->key[i];
			if (number != NULL)
				number[rows] = before->number[i];
			code[rows] = before->code[j][i];
			parent[rows++] = before->parent[j][i];
		}
		now->code[j] = code;
		now->parent[j] = parent;
		now->has[j] = now->has[j] || before->has[j];
	}
	now->rows = rows;
	now->key = key;
	now->number = number;
	host->release(host, seen);
}

/* A cell that a table does not have is known to be 0 there. */
static void
learn_missing(SdcAttackTable *attack, const SdcAttackSource *source,
			  double *low, double *high)
{
	SdcHost *host = &attack->host->kernel;
	bool *has = sdc_new(host, bool, (Size) attack->cells + 1);
	int32 i;

	memset(has, 0, attack->cells);
	for (i = 0; i < source->rows; i++)
		has[find_cell(attack, source->key[i])] = true;
	for (i = 0; i < attack->cells; i++)
		if (!has[i])
			low[i] = high[i] = 0;
	host->release(host, has);
}

/* From here on cells are changes; those of hidden cells are not known. */
static void
take_changes(SdcAttackTable *attack)
{
	int32 i;

	learn_missing(attack, &attack->source[0], attack->low, attack->high);
	learn_missing(attack, &attack->source[1], attack->low_before,
				  attack->high_before);
	for (i = 0; i < attack->cells; i++)
	{
		double low = attack->low[i] - attack->high_before[i];
		double high = attack->high[i] - attack->low_before[i];

		attack->low[i] = isfinite(low) ? low : -INFINITY;
		attack->high[i] = isfinite(high) ? high : INFINITY;
	}
	merge_rows(attack);
	attack->sources = 1;
	attack->smallest = -attack->largest;
}

/*
 * Cells are what both tables say of them, where their change is known.  The
 * equations of the earlier table hold when no cell has changed.
 */
static void
take_unchanged(SdcAttackTable *attack)
{
	bool any = false;
	int32 i;

	for (i = 0; i < attack->cells; i++)
	{
		double change = attack->change[i];
		double *low = &attack->low[i];
		double *high = &attack->high[i];

		any = any || change != 0;
		/* hidden now, and not what it was: nobody has shown it */
		attack->learned[i] = *low < *high && change != 0;
		if (*low < *high && !isnan(change))
		{
			*low = Max(*low, attack->low_before[i] + change);
			*high = Min(*high, attack->high_before[i] + change);
		}
		attack->shown[i] = isfinite(*high);
		attack->impossible |= *low > *high + SDC_TABULAR_ROUNDED;
	}
	if (any)
		attack->sources = 1;
	attack->changes = false;
}

/* ----------------------------------------------------------------------
 * Equations
 * ----------------------------------------------------------------------
 */

/* The rows of one table, and the numbers of their cells. */
typedef struct Rows
{
	int32 count;
	int32 *row;
	int32 *cell;
} Rows;

/* The rows of one table of a source; twice the same cell is an error. */
static Rows
number_rows(const SdcAttackTable *attack, const SdcAttackSource *source,
			int32 table)
{
	SdcHost *host = &attack->host->kernel;
	bool *seen = sdc_new(host, bool, (Size) attack->cells + 1);
	Rows rows;
	int32 i;

	rows.count = 0;
	rows.row = sdc_new(host, int32, (Size) source->rows + 1);
	rows.cell = sdc_new(host, int32, (Size) source->rows + 1);
	memset(seen, 0, attack->cells);
	for (i = 0; i < source->rows; i++)
	{
		int32 cell = find_cell(attack, source->key[i]);

		if (source->number != NULL && source->number[i] != table)
			continue;
		if (seen[cell])
			refuse_cell_twice(source);
		seen[cell] = true;
		rows.row[rows.count] = i;
		rows.cell[rows.count++] = cell;
	}
	host->release(host, seen);
	return rows;
}

/* Ends an equation: with a rest, when its total is another table's. */
static void
end_equation(SdcAttackTable *attack, const bool *own)
{
	int64 first = attack->start[attack->equations - 1];

	if (own[attack->member[first]])
		return;
	attack->member[attack->start[attack->equations]++] =
		attack->cells + attack->rests++;
}

/*
 * The equations of one table along one key: rows sorted by the cell that
 * differs from theirs in that key only, by the parent there.  own[] marks the
 * cells of the table.
 */
static void
add_equations(SdcAttackTable *attack, const SdcAttackSource *source,
			  const Rows *rows, const bool *own, int j)
{
	SdcHost *host = &attack->host->kernel;
	uint64 *key = sdc_new(host, uint64, (Size) rows->count + 1);
	int32 *part = sdc_new(host, int32, (Size) rows->count + 1);
	int32 count = 0;
	int32 k;

	for (k = 0; k < rows->count; k++)
	{
		int32 i = rows->row[k];
		int32 parent = source->parent[j][i];
		int32 total;

		if (parent < 0)
			continue;
		total = find_cell(
			attack, source->key[i] +
						attack->stride[j] *
							((uint64) parent - (uint64) source->code[j][i]));
		if (total < 0)
			continue;
		key[count] = total;
		part[count++] = rows->cell[k];
	}
	sdc_sort_keys(host, key, part, count);
	for (k = 0; k < count; k++)
	{
		if (k == 0 || key[k] != key[k - 1])
		{
			int64 at = attack->start[attack->equations];

			attack->member[at++] = (int32) key[k];
			attack->start[++attack->equations] = at;
		}
		attack->member[attack->start[attack->equations]++] = part[k];
		if (k + 1 == count || key[k + 1] != key[k])
			end_equation(attack, own);
	}
	host->release(host, key);
	host->release(host, part);
}

/* The equations of one table, along all keys. */
static void
add_table(SdcAttackTable *attack, const SdcAttackSource *source, int32 table,
		  bool *own)
{
	SdcHost *host = &attack->host->kernel;
	Rows rows = number_rows(attack, source, table);
	int32 k;
	int j;

	memset(own, 0, attack->cells);
	for (k = 0; k < rows.count; k++)
		own[rows.cell[k]] = true;
	for (j = 0; j < attack->keys; j++)
		if (source->has[j])
			add_equations(attack, source, &rows, own, j);
	host->release(host, rows.row);
	host->release(host, rows.cell);
}

/* The cell of a label that an equation is told of. */
static int32
find_told(const SdcAttackTable *attack, int32 code)
{
	int32 cell = find_cell(attack, (uint64) code);

	if (cell < 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("relation \"%s\" of params.parts names a cell that no "
						"table has",
						attack->parts->relation->name)));
	return cell;
}

/* The equations that are told: rows sorted by their number. */
static void
add_parts(SdcAttackTable *attack)
{
	const SdcAttackParts *parts = attack->parts;
	SdcHost *host = &attack->host->kernel;
	uint64 *key = sdc_new(host, uint64, (Size) parts->rows + 1);
	int32 *row = sdc_new(host, int32, (Size) parts->rows + 1);
	int32 i;

	for (i = 0; i < parts->rows; i++)
	{
		key[i] = (uint64) parts->equation[i];
		row[i] = i;
	}
	sdc_sort_keys(host, key, row, parts->rows);
	for (i = 0; i < parts->rows; i++)
	{
		int64 at = attack->start[attack->equations];
		int32 total = find_told(attack, parts->total[row[i]]);

		if (i == 0 || key[i] != key[i - 1])
		{
			attack->member[at++] = total;
			attack->start[++attack->equations] = at;
		}
		else if (attack->member[attack->start[attack->equations - 1]] != total)
			ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
							errmsg("an equation of relation \"%s\" of "
								   "params.parts has two totals",
								   parts->relation->name)));
		attack->member[attack->start[attack->equations]++] =
			find_told(attack, parts->part[row[i]]);
	}
	host->release(host, key);
	host->release(host, row);
}

static void
make_equations(SdcAttackTable *attack)
{
	SdcHost *host = &attack->host->kernel;
	bool *own = sdc_new(host, bool, (Size) attack->cells + 1);
	Size room = 1;
	int s;

	for (s = 0; s < attack->sources; s++)
		room += 3 * (Size) attack->source[s].rows * attack->keys;
	if (attack->parts != NULL)
		room = 1 + 2 * (Size) attack->parts->rows;
	attack->start = sdc_new(host, int64, room + 1);
	attack->member = sdc_new(host, int32, room + 1);
	attack->start[0] = 0;
	if (attack->parts != NULL)
		add_parts(attack);
	for (s = 0; s < attack->sources && !attack->source[s].known &&
				attack->parts == NULL;
		 s++)
	{
		const SdcAttackSource *source = &attack->source[s];
		int32 tables = source->number == NULL
						   ? 1
						   : sdcpg_dictionary_values(attack->number);
		int32 table;

		for (table = 0; table < tables; table++)
			add_table(attack, source, table, own);
	}
	host->release(host, own);
}

/* ----------------------------------------------------------------------
 * The attack
 * ----------------------------------------------------------------------
 */

/* Cells whose value is not published as it is, and what is known of them. */
static void
find_hidden(SdcAttackTable *attack, SdcTabular *table)
{
	int32 i;

	for (i = 0; i < attack->cells; i++)
	{
		double low = attack->low[i];
		double high = attack->high[i];

		attack->hidden[i] = isinf(high) || isinf(low) || low < high;
		table->value[i] = attack->hidden[i] ? 0 : high;
		attack->least[i] = Max(low, attack->smallest);
		attack->most[i] = Min(high, attack->largest);
	}
	/* nobody is said to be in the rest */
	for (; i < attack->cells + attack->rests; i++)
	{
		attack->hidden[i] = true;
		table->value[i] = 0;
		attack->least[i] = Min(attack->smallest, 0);
		attack->most[i] = Max(attack->beyond, attack->largest);
	}
}

/* Are all values known to be multiples of a unit? */
static bool
is_whole(const SdcAttackTable *attack)
{
	return attack->unit > 0 && !attack->changes && attack->count == NULL;
}

/* An array of each cell, and of rests. */
static double *
copy_cells(const SdcAttackTable *attack, const double *from)
{
	Size size = sizeof(double) * ((Size) attack->cells + attack->rests);
	double *copy =
		sdc_new(&attack->host->kernel, double, size / sizeof(double) + 1);

	memcpy(copy, from, size);
	return copy;
}

/* Divides what is said of each cell by the unit, or multiplies it. */
static void
scale_cells(const SdcAttackTable *attack, double *number, double factor)
{
	int32 i;

	for (i = 0; i < attack->cells + attack->rests; i++)
		number[i] *= factor;
}

/*
 * All values become multiples of the unit: counted in it, and whole.  low and
 * high are what was known before the intervals were found.
 */
static bool
narrow_cells(SdcAttackTable *attack, SdcTabular *table, double *low,
			 double *high)
{
	double unit = attack->unit;
	SdcWholeBounds bounds = {low, high, attack->enough};
	int32 i;
	bool possible;

	for (i = 0; i < attack->cells + attack->rests; i++)
	{
		double units = table->value[i] / unit;

		if (!attack->hidden[i] && fabs(units - rint(units)) > 1e-6)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("values of column \"%s\" are not whole numbers of "
							"params.unit",
							attack->value)));
		table->value[i] = rint(units);
	}
	scale_cells(attack, attack->least, 1 / unit);
	scale_cells(attack, attack->most, 1 / unit);
	scale_cells(attack, low, 1 / unit);
	scale_cells(attack, high, 1 / unit);
	possible = sdc_tabular_whole(table, attack->hidden, WHOLE_WORK,
								 attack->enough == NULL ? NULL : &bounds,
								 attack->least, attack->most);
	scale_cells(attack, attack->least, unit);
	scale_cells(attack, attack->most, unit);
	return possible;
}

static void
attack_cells(SdcPgHost *host, void *arg)
{
	SdcAttackTable *attack = arg;
	SdcTabular *table =
		sdc_tabular_create(&host->kernel, attack->cells + attack->rests,
						   attack->equations, attack->start, attack->member);
	bool possible;

	find_hidden(attack, table);
	possible = sdc_tabular_complete(table, attack->hidden, attack->least,
									attack->most);
	if (possible)
	{
		double *low = copy_cells(attack, attack->least);
		double *high = copy_cells(attack, attack->most);

		sdc_tabular_intervals(table, attack->hidden, attack->enough,
							  attack->least, attack->most);
		if (is_whole(attack))
			possible = narrow_cells(attack, table, low, high);
	}
	attack->impossible = !possible;
	if (!possible && attack->change == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("the published cells do not add up"),
				 errdetail("No values of at least %.15g of the hidden cells "
						   "make every total the sum of its parts.",
						   attack->smallest),
				 errhint("Rounded and changed tables need params.base or "
						 "params.noise; tables of different records cannot "
						 "be attacked together.")));
}

static Datum
cell_datum(const SdcAttackTable *attack, int32 i)
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
put_cells(const SdcAttackTable *attack, ReturnSetInfo *result)
{
	int32 i;

	for (i = 0; i < attack->cells; i++)
	{
		double least =
			rint(attack->least[i] / SDC_TABULAR_ROUNDED) * SDC_TABULAR_ROUNDED;
		double most =
			rint(attack->most[i] / SDC_TABULAR_ROUNDED) * SDC_TABULAR_ROUNDED;
		Datum values[COLUMNS];
		bool isnull[COLUMNS] = {false};

		if (attack->count != NULL && !attack->changes
				? attack->shown[i]
				: !attack->hidden[i] && !attack->changes &&
					  !is_inexact(attack))
			continue;
		values[0] = cell_datum(attack, i);
		isnull[1] = attack->changes && least <= attack->smallest * (1 - 1e-9);
		values[1] = Float8GetDatum(least);
		isnull[2] = most >= attack->largest * (1 - 1e-9);
		values[2] = Float8GetDatum(most);
		values[3] = BoolGetDatum(!isnull[1] && !isnull[2] &&
								 most - least <= SDC_TABULAR_ROUNDED);
		/* of others the ends have not been looked for */
		if (attack->enough == NULL || DatumGetBool(values[3]))
			sdcpg_result_put(result, values, isnull);
	}
}

/* By how much published values may be off: by rounding, or by noise. */
static void
read_within(Jsonb *params, SdcAttackTable *attack)
{
	double base = sdcpg_params_number(params, "base", 0, 1e-12, 1e15);

	attack->within = sdcpg_params_number(params, "noise", 0, 0, 1e15);
	attack->share =
		sdcpg_params_number(params, "noise_percent", 0, 0, 99.999) / 100;
	if (base > 0 && (attack->within > 0 || attack->share > 0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("params have \"base\" beside \"noise\" or "
							   "\"noise_percent\"")));
	/* one whole base off would be another multiple */
	if (base > 0)
		attack->within = base - Min(attack->unit, base);
}

/* What the caller says is known, and which tables go with it. */
static List *
read_params(Jsonb *params, SdcAttackTable *attack)
{
	List *others = sdcpg_params_names(params, "with");
	char *earlier = sdcpg_params_text(params, "earlier");
	char *total = sdcpg_params_text(params, "total");

	attack->total = total == NULL ? SDC_TABULAR_TOTAL : total;
	attack->smallest = sdcpg_params_number(params, "least", 0, 0, 1e15);
	attack->largest =
		sdcpg_params_number(params, "largest", INFINITY, 0, 1e15);
	attack->unit = sdcpg_params_number(params, "unit", 0, 1e-12, 1e15);
	attack->moved = sdcpg_params_number(params, "adjusted", 0, 2, 1e15);
	read_within(params, attack);
	if (attack->moved > 0 && attack->within == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("params.adjusted needs params.noise"),
						errhint("By how much a cell was changed at most: step "
								"\"largest\" of protect_table.")));
	attack->count = sdcpg_params_text(params, "count");
	if (attack->count != NULL &&
		(attack->share > 0 || sdcpg_params_has(params, "base")))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("params.count, of means, goes with params.noise "
						"only")));
	if (attack->largest < attack->smallest)
		sdcpg_params_wrong("largest", "at least params.least");
	attack->changes = earlier != NULL;
	if (!attack->changes)
		return others;
	if (others != NIL || sdcpg_params_has(params, "known"))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("params have both \"%s\" and \"earlier\"",
							   others != NIL ? "with" : "known")));
	return list_make1(earlier);
}

static void
read_keys(ArrayType *keys, SdcAttackTable *attack)
{
	Datum *names;
	int j;

	deconstruct_array(keys, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &names,
					  NULL, &attack->keys);
	if (attack->keys < 1 || attack->keys > SDC_CUBE_MAX_DIMENSIONS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a table has 1 to %d keys", SDC_CUBE_MAX_DIMENSIONS)));
	for (j = 0; j < attack->keys; j++)
	{
		int k;

		attack->key[j] = pstrdup(NameStr(*DatumGetName(names[j])));
		for (k = 0; k < j; k++)
			if (strcmp(attack->key[j], attack->key[k]) == 0)
				ereport(ERROR, (errcode(ERRCODE_DUPLICATE_COLUMN),
								errmsg("column \"%s\" appears twice in "
									   "argument \"keys\"",
									   attack->key[j])));
	}
}

/* An attack on a table with the arguments keys, value, params. */
SdcAttackTable *
sdcpg_table_attack_make(Oid relation, ArrayType *keys, Name value,
						Jsonb *params)
{
	SdcAttackTable *attack = palloc0(sizeof(SdcAttackTable));
	List *others = read_params(params, attack);
	char *known = sdcpg_params_text(params, "known");
	char *parts = sdcpg_params_text(params, "parts");
	ListCell *item;
	int s = 1;

	attack->value = NameStr(*value);
	read_keys(keys, attack);
	if (parts != NULL && (attack->keys > 1 || attack->changes))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("params.parts goes with one key, and without "
							   "params.earlier")));
	if (parts != NULL)
	{
		attack->parts = palloc0(sizeof(SdcAttackParts));
		attack->parts->relation = sdcpg_relation_named(parts);
	}
	attack->sources = 1 + list_length(others) + (known != NULL);
	attack->source = palloc0(sizeof(SdcAttackSource) * attack->sources);
	attack->source[0].relation = sdcpg_relation_find(relation);
	foreach (item, others)
		attack->source[s++].relation = sdcpg_relation_named(lfirst(item));
	if (attack->changes)
		attack->source[1].earlier = true;
	if (known != NULL)
	{
		attack->source[s].relation = sdcpg_relation_named(known);
		attack->source[s].known = true;
	}
	for (s = 0; s < attack->sources; s++)
		find_keys(attack, &attack->source[s]);
	return attack;
}

/* The numbers of tables in their order. */
static void
sort_numbers(SdcAttackTable *attack)
{
	const int32 *rank = sdcpg_dictionary_sort(attack->number);
	int s;
	int32 i;

	for (s = 0; s < attack->sources; s++)
		for (i = 0;
			 attack->source[s].number != NULL && i < attack->source[s].rows;
			 i++)
			attack->source[s].number[i] = rank[attack->source[s].number[i]];
}

/* Reads the tables: cells, what is known of them, and their equations. */
void
sdcpg_table_attack_read(SdcAttackTable *attack, SdcPgHost *host)
{
	int s;
	int j;

	attack->host = host;
	for (j = 0; j < attack->keys; j++)
		attack->dictionary[j] =
			sdcpg_dictionary_new(attack->host, TEXTOID, C_COLLATION_OID);
	attack->number = sdcpg_dictionary_new(attack->host, INT4OID, InvalidOid);
	for (s = 0; s < attack->sources; s++)
		read_source(attack, &attack->source[s]);
	if (attack->parts != NULL)
		read_parts(attack);
	find_cell_keys(attack);
	join_cells(attack);
	if (attack->change != NULL)
		take_unchanged(attack);
	else if (attack->changes)
		take_changes(attack);
	sort_numbers(attack);
	make_equations(attack);
}

/* The intervals of all cells, in attack->least and most. */
void
sdcpg_table_attack_run(SdcAttackTable *attack)
{
	SdcHost *host = &attack->host->kernel;
	Size cells = (Size) attack->cells + attack->rests;

	attack->hidden = sdc_new(host, bool, cells + 1);
	attack->least = sdc_new(host, double, cells + 1);
	attack->most = sdc_new(host, double, cells + 1);
	sdcpg_solver_run(attack->host, attack_cells, attack);
}

/* Is it clear by now that a cell is not known? */
static bool
is_unknown(void *arg, int32 i, double least, double most, bool ends)
{
	return i >= ((const SdcAttackTable *) arg)->cells ||
		   most - least > SDC_TABULAR_ROUNDED;
}

/*
 * attack_table(relation regclass, keys columns, value name, params jsonb)
 */
Datum
sdcf_attack_table(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3);
	bool exact;
	SdcPgHost *host;
	SdcAttackTable *attack;
	SdcEnough enough = {is_unknown};

	sdcpg_args_need_first(fcinfo, 3);
	sdcpg_params_check(params, params_keys);
	exact = sdcpg_params_boolean(params, "exact", false);
	attack = sdcpg_table_attack_make(
		PG_GETARG_OID(0), PG_GETARG_ARRAYTYPE_P(1), PG_GETARG_NAME(2), params);
	host = sdcpg_host_begin("attack_table", CurrentMemoryContext);
	sdcpg_table_attack_read(attack, host);
	enough.arg = attack;
	if (exact)
		attack->enough = &enough;
	sdcpg_table_attack_run(attack);
	put_cells(attack, result);
	sdcpg_host_end(host);
	return (Datum) 0;
}

SdcTableCells *
sdcpg_table_cells(SdcPgHost *host, Oid relation, ArrayType *keys, Name value,
				  Jsonb *params, bool intervals)
{
	SdcTableCells *cells = palloc0(sizeof(SdcTableCells));
	SdcAttackTable *attack =
		sdcpg_table_attack_make(relation, keys, value, params);
	const SdcAttackSource *source = &attack->source[0];
	int32 i;
	int j;

	attack->text = sdcpg_dictionary_new(host, TEXTOID, C_COLLATION_OID);
	sdcpg_table_attack_read(attack, host);
	cells->keys = attack->keys;
	cells->rows = source->rows;
	cells->hidden = source->hidden;
	cells->text = attack->text;
	cells->total = attack->total;
	cells->number = source->number;
	cells->numbers =
		source->number == NULL ? 1 : sdcpg_dictionary_values(attack->number);
	cells->text_code = source->text;
	cells->text_rank = sdcpg_dictionary_sort(attack->text);
	for (j = 0; j < attack->keys; j++)
	{
		cells->name[j] = attack->key[j];
		cells->code[j] = source->code[j];
		cells->parent[j] = source->parent[j];
		cells->label[j] = attack->dictionary[j];
	}
	if (!intervals)
		return cells;
	sdcpg_table_attack_run(attack);
	cells->least = sdc_new(&host->kernel, double, (Size) source->rows + 1);
	cells->most = sdc_new(&host->kernel, double, (Size) source->rows + 1);
	for (i = 0; i < source->rows; i++)
	{
		int32 cell = find_cell(attack, source->key[i]);
		double most = attack->most[cell];

		cells->least[i] = rint(attack->least[cell] / SDC_TABULAR_ROUNDED) *
						  SDC_TABULAR_ROUNDED;
		cells->most[i] =
			most >= attack->largest * (1 - 1e-9)
				? INFINITY
				: rint(most / SDC_TABULAR_ROUNDED) * SDC_TABULAR_ROUNDED;
	}
	return cells;
}
