/*
 * comparison_load.c
 *		Two relations read for a comparison of their records field by field.
 *
 * Numbers stay numbers, and become ranks in both files together or standard
 * deviations; everything else becomes codes of a dictionary that both files
 * share.  The distances between texts are worked out once for each pair of
 * different texts.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "utils/float.h"

#include "kernel/base/sort.h"
#include "pg/call/query.h"
#include "pg/disclosure/comparison_files.h"
#include "pg/disclosure/comparison_text.h"
#include "pg/server/compat.h"

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

/* Sums in the order of the values, so that the order of rows is nothing. */
static double
deviation_of(SdcHost *host, const SdcFrameColumn *column, int32 rows)
{
	uint64_t *key = sdc_new(host, uint64_t, rows + 1);
	int32_t *row = sdc_new(host, int32_t, rows + 1);
	double mean = 0;
	double square = 0;
	int32 n = 0;
	int32 i;

	for (i = 0; i < rows; i++)
		if (!column->isnull[i])
		{
			key[n] = sdc_sort_key(column->number[i]);
			row[n++] = i;
		}
	sdc_sort_keys(host, key, row, n);
	for (i = 0; i < n; i++)
		mean += column->number[row[i]] / n;
	for (i = 0; i < n; i++)
		square +=
			(column->number[row[i]] - mean) * (column->number[row[i]] - mean);
	host->release(host, key);
	host->release(host, row);
	return n > 1 ? sqrt(square / (n - 1)) : 0;
}

/* Turns numbers into multiples of a unit; without a spread, as they are. */
static void
scale_numbers(const SdcFrameColumn *column, int32 rows, double unit,
			  double *scaled)
{
	int32 i;

	for (i = 0; i < rows; i++)
		scaled[i] = column->isnull[i]
						? get_float8_nan()
						: column->number[i] / (unit > 0 ? unit : 1);
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
	{
		double unit = deviation_of(host, column[0], rows[0]);

		for (side = 0; side < 2; side++)
			scale_numbers(column[side], rows[side], unit, value[side]);
	}
}

/* One number for each combination of block columns in both files. */
static void
set_blocks(SdcComparisonFiles *files)
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
	for (side = 0; side < 2; side++)
		field->code[side] = files->frame[side]->column[j + 1].code;
	if (column->by == SDC_COMPARE_TEXT)
		sdcpg_comparison_texts(files->host, column->column[0].name, dictionary,
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
		set_blocks(files);
	if (!sdc_comparison_prepare(&host->kernel, &files->comparison))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many patterns of agreement"),
						errhint("Name fewer keys, or fewer levels in "
								"params.within.")));
}
