/*
 * comparison.c
 *		Two relations read for a comparison of their records field by field.
 *
 * Columns are found and it is decided how each is compared, before any row is
 * read.  Numbers stay numbers, and become ranks in both files together or
 * standard scores; everything else becomes codes of a dictionary that both
 * files share, in the order of the values.  Edits between texts are counted
 * once for each pair of different texts.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/varlena.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/linkage/agreement.h"
#include "kernel/linkage/link_measure.h"
#include "kernel/table/frequency.h"
#include "topic/attack/comparison.h"
#include "topic/attack/known.h"

/* ----------------------------------------------------------------------
 * Levels of agreement of texts, by edits.
 *
 * PostgreSQL counts the edits (Levenshtein).  Most pairs of texts differ too
 * much in length to be looked at.
 * ----------------------------------------------------------------------
 */

/* Pairs of different texts at the most. */
#define MAX_PAIRS INT64CONST(100000000)

/* Longer texts are only compared for equality. */
#define MAX_BYTES 1000

/* Pairs between two polls. */
#define POLL_PAIRS 256

/* A text, and which files have it. */
typedef struct Text
{
	char *bytes;
	int length; /* in bytes */
	int characters;
	bool in[2];
} Text;

static Text *
read_texts(SdcPgHost *host, SdcDictionary *dictionary, int32 count)
{
	Text *text = sdc_new(&host->kernel, Text, count + 1);
	int32 i;

	for (i = 0; i < count; i++)
	{
		text[i].bytes = sdcpg_dictionary_text(dictionary, i);
		text[i].length = strlen(text[i].bytes);
		text[i].characters = pg_mbstrlen(text[i].bytes);
		text[i].in[0] = false;
		text[i].in[1] = false;
	}
	return text;
}

/* The level of two different texts. */
static uint8
level_of(const Text *a, const Text *b, const double *within, int levels)
{
	int longer = Max(a->characters, b->characters);
	/* more edits than that are never needed, and may not fit an integer */
	int most = (int) (Min(within[levels - 2], 1) * longer);
	int edits;
	int level;

	if (abs(a->characters - b->characters) > most || a->length > MAX_BYTES ||
		b->length > MAX_BYTES)
		return levels - 1;
	edits = varstr_levenshtein_less_equal(a->bytes, a->length, b->bytes,
										  b->length, 1, 1, 1, most, true);
	for (level = 0; level < levels - 1; level++)
		if (edits <= within[level] * longer)
			break;
	return level;
}

/* The levels of all pairs of texts; those that cannot meet differ. */
static void
fill_levels(SdcPgHost *host, const Text *text, int32 count,
			const double *within, int levels, uint8 *level)
{
	/* counting edits leaves memory behind */
	MemoryContext scratch =
		AllocSetContextCreate(host->work, "sdc edits", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	int64 done = 0;
	int32 i;
	int32 j;

	for (i = 0; i < count; i++)
		for (j = 0; j < count; j++)
		{
			if (done++ % POLL_PAIRS == 0)
			{
				MemoryContextReset(scratch);
				host->kernel.poll(&host->kernel, done, (int64) count * count);
			}
			level[(Size) i * count + j] =
				i == j ? 0
				: text[i].in[0] && text[j].in[1]
					? level_of(&text[i], &text[j], within, levels)
					: levels - 1;
		}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
}

/*
 * Sets field->level for the codes of a dictionary of texts, which is
 * sorted: the first level whose distance the edits from one text to the other,
 * divided by the length of the longer one, do not pass.  Only texts that the
 * first file has are compared with those that the second has.  Stops when
 * there are too many.  O(texts of one * texts of the other * length^2).
 */
static void
comparison_texts(SdcPgHost *host, const char *name, SdcDictionary *dictionary,
				 const double *within, int levels, SdcComparisonField *field,
				 int32 rows, int32 others)
{
	int32 count = sdcpg_dictionary_values(dictionary);
	int32 size[2] = {rows, others};
	uint8 *level;
	Text *text;
	int32 i;
	int32 j;

	if ((int64) count * count > MAX_PAIRS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("column \"%s\" has too many different texts to "
						"compare them by edits",
						name),
				 errdetail("It may have 10000 in both relations together."),
				 errhint("Compare it by equality: {\"compare\": {\"%s\": "
						 "\"equal\"}}.",
						 name)));
	text = read_texts(host, dictionary, count);
	for (j = 0; j < 2; j++)
		for (i = 0; i < size[j]; i++)
			if (field->code[j][i] >= 0)
				text[field->code[j][i]].in[j] = true;
	level = sdc_new(&host->kernel, uint8, (Size) count * count + 1);
	fill_levels(host, text, count, within, levels, level);
	host->kernel.release(&host->kernel, text);
	field->codes = count;
	field->level = level;
}

/* ----------------------------------------------------------------------
 * Two relations read for a comparison of their records field by field.
 *
 * Numbers stay numbers, and become ranks in both files together or standard
 * deviations; everything else becomes codes of a dictionary that both files
 * share.  The distances between texts are worked out once for each pair of
 * different texts.
 * ----------------------------------------------------------------------
 */

/* The dictionary for a column of both files: of its type, or of texts. */
static SdcDictionary *
shared_dictionary(SdcPgHost *host, const SdcRelationColumn *first,
				  const SdcRelationColumn *second, bool text)
{
	if (text || first->base != second->base)
		return sdcpg_dictionary_new(host, TEXTOID, DEFAULT_COLLATION_OID);
	return NULL;
}

/* Reads one file; dictionary[] is made by the first and used by the second. */
static void
read_file(SdcComparisonFiles *files, int side, SdcDictionary **dictionary)
{
	int count = files->columns + files->blocks;
	SdcRelationColumns columns = {count};
	SdcFrameType *types = palloc(sizeof(SdcFrameType) * (count + 1));
	int j;

	columns.column = palloc(sizeof(SdcRelationColumn) * (count + 1));
	types[0] = SDC_FRAME_TEXT;
	for (j = 0; j < count; j++)
	{
		bool block = j >= files->columns;

		columns.column[j] = block ? files->block[side][j - files->columns]
								  : files->column[j].column[side];
		types[j + 1] = !block && (files->column[j].by == SDC_COMPARE_RANK ||
								  files->column[j].by == SDC_COMPARE_DEVIATION)
						   ? SDC_FRAME_NUMBER
						   : SDC_FRAME_CODE;
	}
	files->frame[side] = sdcpg_frame_load_codes(
		files->host,
		sdcpg_query_records(files->relation[side],
							files->has_id ? &files->id[side] : NULL, &columns),
		count + 1, types, dictionary);
}

/* Ranks in both files together, in percent; ties share their mean rank. */
static void
rank_numbers(SdcHost *host, SdcFrameColumn *const *column, const int32 *rows,
			 double *const *rank)
{
	int64 room = (int64) rows[0] + rows[1];
	uint64_t *key = sdc_new(host, uint64_t, room + 1);
	int32_t *place = sdc_new(host, int32_t, room + 1);
	int32 n = 0;
	int32 first;
	int32 end;
	int32 i;
	int side;

	for (side = 0; side < 2; side++)
		for (i = 0; i < rows[side]; i++)
		{
			rank[side][i] = get_float8_nan();
			if (column[side]->isnull[i])
				continue;
			key[n] = sdc_sort_key(column[side]->number[i]);
			place[n++] = side == 0 ? i : -1 - i;
		}
	sdc_sort_keys(host, key, place, n);
	for (first = 0; first < n; first = end)
	{
		for (end = first + 1; end < n && key[end] == key[first]; end++)
			;
		for (i = first; i < end; i++)
			rank[place[i] < 0][place[i] < 0 ? -1 - place[i] : place[i]] =
				100 * (0.5 * ((double) first + end - 1)) / n;
	}
	host->release(host, key);
	host->release(host, place);
}

/* Standard scores of both files, on the scale of the case. */
static void
scale_numbers(const SdcComparisonFiles *files, SdcFrameColumn *const *column,
			  const int32 *rows, double **score)
{
	SdcLinkFile file[2];
	int32 i;
	int side;

	for (side = 0; side < 2; side++)
	{
		memset(&file[side], 0, sizeof(SdcLinkFile));
		file[side].rows = rows[side];
		file[side].columns = 1;
		file[side].value = &score[side];
		file[side].missing = &column[side]->isnull;
		memcpy(score[side], column[side]->number, sizeof(double) * rows[side]);
	}
	sdc_link_file_standardize(&files->host->kernel, &file[files->original],
							  &file[1 - files->original], files->scale);
	for (side = 0; side < 2; side++)
		for (i = 0; i < rows[side]; i++)
			if (column[side]->isnull[i])
				score[side][i] = get_float8_nan();
}

/* The values of a column of numbers, as they are compared. */
static void
set_numbers(SdcComparisonFiles *files, int j)
{
	SdcHost *host = &files->host->kernel;
	SdcComparisonField *field = &files->comparison.field[j];
	SdcFrameColumn *column[2];
	double *value[2];
	int32 rows[2];
	int side;

	for (side = 0; side < 2; side++)
	{
		column[side] = &files->frame[side]->column[j + 1];
		rows[side] = files->frame[side]->rows;
		value[side] = sdc_new(host, double, rows[side] + 1);
		field->number[side] = value[side];
	}
	if (files->column[j].by == SDC_COMPARE_RANK)
		rank_numbers(host, column, rows, value);
	else
		scale_numbers(files, column, rows, value);
}

/* Makes the codes of a column ranks: codes depend on the order of the rows. */
static void
rank_codes(SdcComparisonFiles *files, int column, SdcDictionary *dictionary)
{
	const int32 *rank = sdcpg_dictionary_sort(dictionary);
	int side;
	int32 i;

	for (side = 0; side < 2; side++)
	{
		int32_t *code = files->frame[side]->column[column].code;

		for (i = 0; i < files->frame[side]->rows; i++)
			if (code[i] >= 0)
				code[i] = rank[code[i]];
	}
}

/* One number for each combination of block columns in both files. */
static void
set_blocks(SdcComparisonFiles *files, SdcDictionary **dictionary)
{
	SdcHost *host = &files->host->kernel;
	int32 first = files->frame[0]->rows;
	int32 second = files->frame[1]->rows;
	int32_t *code;
	int32_t *block;
	int b;

	if ((int64) first + second > SDC_MAX_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the two relations have more than %d records "
							   "together",
							   SDC_MAX_ROWS)));
	code = sdc_new(host, int32_t, (Size) first + second + 1);
	block = sdc_new(host, int32_t, (Size) first + second + 1);
	memset(block, 0, sizeof(int32_t) * ((Size) first + second));
	for (b = 0; b < files->blocks; b++)
	{
		int column = 1 + files->columns + b;

		rank_codes(files, column, dictionary[column]);
		memcpy(code, files->frame[0]->column[column].code,
			   sizeof(int32_t) * first);
		memcpy(code + first, files->frame[1]->column[column].code,
			   sizeof(int32_t) * second);
		files->comparison.blocks =
			sdc_grouping_refine(host, first + second, code, true, block);
	}
	files->comparison.block[0] = block;
	files->comparison.block[1] = block + first;
	host->release(host, code);
}

/* Fills one field of the comparison. */
static void
set_field(SdcComparisonFiles *files, int j, SdcDictionary *dictionary)
{
	SdcComparisonColumn *column = &files->column[j];
	SdcComparisonField *field = &files->comparison.field[j];
	int side;

	field->levels = column->levels;
	memcpy(field->threshold, column->within, sizeof(column->within));
	if (column->by == SDC_COMPARE_RANK || column->by == SDC_COMPARE_DEVIATION)
	{
		set_numbers(files, j);
		return;
	}
	rank_codes(files, j + 1, dictionary);
	for (side = 0; side < 2; side++)
		field->code[side] = files->frame[side]->column[j + 1].code;
	if (column->by == SDC_COMPARE_TEXT)
		comparison_texts(files->host, column->column[0].name, dictionary,
						 column->within, column->levels, field,
						 files->frame[0]->rows, files->frame[1]->rows);
}

void
sdcpg_comparison_load(SdcComparisonFiles *files, SdcPgHost *host)
{
	int count = files->columns + files->blocks;
	SdcDictionary **dictionary =
		palloc0(sizeof(SdcDictionary *) * (count + 1));
	int side;
	int j;

	files->host = host;
	for (j = 0; j < files->columns; j++)
		dictionary[j + 1] = shared_dictionary(
			host, &files->column[j].column[0], &files->column[j].column[1],
			files->column[j].by == SDC_COMPARE_TEXT);
	for (j = 0; j < files->blocks; j++)
		dictionary[files->columns + j + 1] = shared_dictionary(
			host, &files->block[0][j], &files->block[1][j], false);
	for (side = 0; side < 2; side++)
	{
		read_file(files, side, dictionary);
		files->comparison.records[side] = files->frame[side]->rows;
	}
	files->comparison.fields = files->columns;
	for (j = 0; j < files->columns; j++)
		set_field(files, j, dictionary[j + 1]);
	if (files->blocks > 0)
		set_blocks(files, dictionary);
	if (!sdc_comparison_prepare(&host->kernel, &files->comparison))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many patterns of agreement"),
						errhint("Name fewer keys, or fewer levels in "
								"params.within.")));
}

/* ----------------------------------------------------------------------
 * Two relations read for a comparison of their records field by field.
 *
 * Here columns are found, and it is decided how each is compared.
 * ----------------------------------------------------------------------
 */

const char *const sdcpg_comparison_words[] = {"equal", "rank", "deviation",
											  "text", NULL};

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
	way = sdcpg_args_choice("compare", cstring_to_text(word),
							sdcpg_comparison_words);
	if ((way == SDC_COMPARE_RANK || way == SDC_COMPARE_DEVIATION) &&
		!are_numbers(column))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" cannot be compared by %s", name,
							   sdcpg_comparison_words[way]),
						errdetail("It is not a number in both relations.")));
	return (SdcComparisonBy) way;
}

/* Fills within[] from an array of numbers, ascending; how many they are. */
static int
read_levels(const JsonbValue *list, double *within)
{
	int count;
	int i;

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

/* The distances that params.within has for a column; their number. */
static int
read_within(Jsonb *params, const char *name, double *within)
{
	JsonbValue object;
	JsonbValue *list;

	if (!sdcpg_params_find(params, "within", &object))
		return 0;
	list = getKeyJsonValueFromContainer(object.val.binary.data, name,
										strlen(name), NULL);
	return list == NULL ? 0 : read_levels(list, within);
}

void
sdcpg_comparison_check(Jsonb *params)
{
	double within[SDC_COMPARISON_LEVELS];
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;

	if (!sdcpg_params_find(params, "within", &value))
		return;
	iterator = JsonbIteratorInit(value.val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		if (token == WJB_VALUE)
			(void) read_levels(&value, within);
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

/* A column of the original as it is known. */
static SdcRelationColumn
known_column(const SdcComparisonFiles *files, const char *name)
{
	SdcRelationColumn column =
		sdcpg_relation_column(files->relation[files->original], name);
	int j = sdcpg_relation_place(&files->known, column.number);

	return j < 0 ? column : files->known.column[j];
}

/* The columns of both relations that hold one field, from first on. */
static void
find_pair(SdcComparisonFiles *files, Jsonb *params, const char *name,
		  int original, SdcRelationColumn *pair)
{
	pair[original] = known_column(files, name);
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

/* Has the original read as the rules make it, keys and blocks. */
static void
apply_rules(SdcComparisonFiles *files, const char *id,
			const SdcRelationColumns *keys, Jsonb *rules, Jsonb *params)
{
	const SdcRelation *original = files->relation[files->original];
	List *blocks = sdcpg_params_names(params, "block");
	SdcRelationColumns all = {0};
	SdcRelationColumn of_id;
	ListCell *cell;

	all.column = palloc(sizeof(SdcRelationColumn) *
						(keys->count + list_length(blocks) + 1));
	memcpy(all.column, keys->column, sizeof(SdcRelationColumn) * keys->count);
	files->known.column = all.column;
	files->known.count = keys->count;
	foreach (cell, blocks)
	{
		SdcRelationColumn column = known_column(files, lfirst(cell));

		if (!sdcpg_relation_lists(&files->known, column.number))
			all.column[files->known.count++] = column;
	}
	if (id != NULL)
		of_id = sdcpg_relation_column(original, id);
	files->relation[files->original] = sdcpg_known_original(
		original, id == NULL ? NULL : &of_id, &files->known, rules, NULL);
}

void
sdcpg_comparison_describe(SdcComparisonFiles *files, Oid original, Oid masked,
						  const char *id, ArrayType *keys, Jsonb *rules,
						  Jsonb *params, bool to_original)
{
	int side = to_original ? 1 : 0; /* of the original */
	SdcRelationColumns columns;
	int j;

	memset(files, 0, sizeof(*files));
	files->original = side;
	files->scale = (SdcLinkScale) sdcpg_params_choice(params, "scale",
													  sdc_link_scale_words);
	files->relation[side] = sdcpg_relation_find(original);
	files->relation[1 - side] = sdcpg_relation_find(masked);
	columns = sdcpg_relation_columns(files->relation[side], "keys", keys);
	if (columns.count > SDC_COMPARISON_FIELDS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("argument \"keys\" names more than %d columns",
							   SDC_COMPARISON_FIELDS)));
	sdcpg_params_members_check(params, "compare", &columns, false);
	sdcpg_params_members_check(params, "within", &columns, false);
	apply_rules(files, id, &columns, rules, params);
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
