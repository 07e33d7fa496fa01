/*
 * comparison_files.c
 *		Two relations read for a comparison of their records field by field.
 *
 * Here columns are found, and it is decided how each is compared; the reading
 * is in comparison_load.c.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "pg/call/params.h"
#include "pg/call/params_members.h"
#include "pg/call/params_names.h"
#include "pg/data/number.h"
#include "pg/disclosure/comparison_files.h"
#include "pg/server/compat.h"

static const char *const ways[] = {"equal", "rank", "deviation", "text"};

/* What levels a column has that nobody says anything about. */
static const double default_rank[] = {0, 2, 5, 10, 20};
static const double default_deviation[] = {0, 0.1, 0.5};
static const double default_text[] = {0, 0.25};

static bool
is_text(Oid base)
{
	return base == TEXTOID || base == VARCHAROID || base == BPCHAROID ||
		   base == NAMEOID;
}

static bool
are_numbers(const SdcComparisonColumn *column)
{
	return sdcpg_number_is(column->column[0].base) &&
		   sdcpg_number_is(column->column[1].base);
}

/* How a column is compared: what params.compare says, or by its type. */
static SdcComparisonBy
find_way(const SdcComparisonColumn *column, Jsonb *params, const char *name)
{
	char *word = sdcpg_params_member(params, "compare", name);
	int way;

	if (word == NULL)
	{
		if (sdcpg_number_is_arithmetic(column->column[0].base) &&
			are_numbers(column))
			return SDC_COMPARE_RANK;
		return is_text(column->column[0].base) ? SDC_COMPARE_TEXT
											   : SDC_COMPARE_EQUAL;
	}
	for (way = 0; way < lengthof(ways); way++)
		if (strcmp(ways[way], word) == 0)
			break;
	if (way == lengthof(ways))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("unknown way \"%s\" to compare column \"%s\"",
							   word, name),
						errhint("Ways are equal, rank, deviation and text.")));
	if ((way == SDC_COMPARE_RANK || way == SDC_COMPARE_DEVIATION) &&
		!are_numbers(column))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" cannot be compared by %s", name,
							   ways[way]),
						errdetail("It is not a number in both relations.")));
	return (SdcComparisonBy) way;
}

/* The distances that params.within has for a column; their number. */
static int
read_within(Jsonb *params, const char *name, double *within)
{
	JsonbValue object;
	JsonbValue *list;
	JsonbValue key;
	int count;
	int i;

	if (!sdcpg_params_find(params, "within", &object))
		return 0;
	key.type = jbvString;
	key.val.string.val = unconstify(char *, name);
	key.val.string.len = strlen(name);
	list =
		findJsonbValueFromContainer(object.val.binary.data, JB_FOBJECT, &key);
	if (list == NULL)
		return 0;
	if (list->type != jbvBinary ||
		!JsonContainerIsArray(list->val.binary.data))
		sdcpg_params_wrong("within", "an object of arrays of numbers");
	count = JsonContainerSize(list->val.binary.data);
	if (count == 0 || count >= SDC_COMPARISON_LEVELS)
		sdcpg_params_wrong("within", "1 to 7 numbers for each column");
	for (i = 0; i < count; i++)
	{
		JsonbValue *item =
			getIthJsonbValueFromContainer(list->val.binary.data, i);

		if (item->type != jbvNumeric)
			sdcpg_params_wrong("within", "an object of arrays of numbers");
		within[i] = DatumGetFloat8(DirectFunctionCall1(
			numeric_float8, NumericGetDatum(item->val.numeric)));
		if (within[i] < 0 || (i > 0 && within[i] <= within[i - 1]))
			sdcpg_params_wrong("within", "numbers from 0 in ascending order");
	}
	return count;
}

static int
copy_within(double *within, const double *numbers, int count)
{
	memcpy(within, numbers, sizeof(double) * count);
	return count;
}

/* Sets the levels of a column. */
static void
set_levels(SdcComparisonColumn *column, Jsonb *params, const char *name)
{
	int count = read_within(params, name, column->within);

	if (count > 0 && column->by == SDC_COMPARE_EQUAL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is compared by equality and has no "
						"distances",
						name)));
	if (count == 0 && column->by == SDC_COMPARE_RANK)
		count =
			copy_within(column->within, default_rank, lengthof(default_rank));
	if (count == 0 && column->by == SDC_COMPARE_DEVIATION)
		count = copy_within(column->within, default_deviation,
							lengthof(default_deviation));
	if (count == 0 && column->by == SDC_COMPARE_TEXT)
		count =
			copy_within(column->within, default_text, lengthof(default_text));
	column->levels = (count == 0 ? 1 : count) + 1;
}

/* The columns of both relations that hold one field, from first on. */
static void
find_pair(SdcComparisonFiles *files, Jsonb *params, const char *name,
		  int original, SdcRelationColumn *pair)
{
	pair[original] = sdcpg_relation_column(files->relation[original], name);
	pair[1 - original] =
		sdcpg_relation_column(files->relation[1 - original],
							  sdcpg_params_renamed(params, "map", name));
}

/* Finds the columns that blocks are made of. */
static void
find_blocks(SdcComparisonFiles *files, Jsonb *params, int original)
{
	List *names = sdcpg_params_names(params, "block");
	SdcRelationColumn pair[2];
	ListCell *cell;

	files->block[0] =
		palloc(sizeof(SdcRelationColumn) * (list_length(names) + 1));
	files->block[1] =
		palloc(sizeof(SdcRelationColumn) * (list_length(names) + 1));
	foreach (cell, names)
	{
		find_pair(files, params, lfirst(cell), original, pair);
		files->block[0][files->blocks] = pair[0];
		files->block[1][files->blocks++] = pair[1];
	}
}

void
sdcpg_comparison_describe(SdcComparisonFiles *files, Oid original, Oid masked,
						  const char *id, ArrayType *keys, Jsonb *params,
						  bool to_original)
{
	int side = to_original ? 1 : 0; /* of the original */
	SdcRelationColumns columns;
	int j;

	memset(files, 0, sizeof(*files));
	files->relation[side] = sdcpg_relation_find(original);
	files->relation[1 - side] = sdcpg_relation_find(masked);
	columns = sdcpg_relation_columns(files->relation[side], "keys", keys);
	if (columns.count > SDC_COMPARISON_FIELDS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("argument \"keys\" names more than %d columns",
							   SDC_COMPARISON_FIELDS)));
	sdcpg_params_members_check(params, "compare", &columns, false);
	sdcpg_params_members_check(params, "within", &columns, false);
	files->has_id = id != NULL;
	if (id != NULL)
		find_pair(files, params, id, side, files->id);
	files->columns = columns.count;
	files->column = palloc0(sizeof(SdcComparisonColumn) * columns.count);
	for (j = 0; j < columns.count; j++)
	{
		SdcComparisonColumn *column = &files->column[j];

		find_pair(files, params, columns.column[j].name, side, column->column);
		column->by = find_way(column, params, columns.column[j].name);
		set_levels(column, params, columns.column[j].name);
	}
	find_blocks(files, params, side);
}

char *
sdcpg_comparison_level_name(const SdcComparisonColumn *column, int level)
{
	const char *unit;

	if (level == column->levels - 1)
		return pstrdup("different");
	if (column->by == SDC_COMPARE_EQUAL || column->within[level] == 0)
		return pstrdup("equal");
	unit = column->by == SDC_COMPARE_RANK        ? "percent of the ranks"
		   : column->by == SDC_COMPARE_DEVIATION ? "standard deviations"
												 : "of the text edited";
	return psprintf("within %g %s", column->within[level], unit);
}
