/*
 * contrast.c
 *		Two relations as columns of numbers and codes, for measures of utility.
 *
 * Each relation is read once.  Codes of both come from one dictionary and are
 * turned into ranks, a digest of each record is made, and the rows are brought
 * into the order of the digests.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/pg_list.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/column.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/table/frequency.h"
#include "kernel/utility/loss.h"
#include "topic/utility/contrast.h"

/* ----------------------------------------------------------------------
 * Generalized numbers, read from their labels.
 *
 * Each different text is read once.  One that is no number and no range leaves
 * the column what it was: categories.  An open end of a range of integers is
 * the integer before or after it.
 * ----------------------------------------------------------------------
 */

/* Reads a finite number and moves on behind it. */
static bool
read_number(const char **text, double *value)
{
	char *end;
	double number;

	/* strtod would take "inf", "nan" and hexadecimals, too */
	if (strspn(*text, "+-.0123456789eE") == 0)
		return false;
	number = strtod(*text, &end);
	if (end == *text || !isfinite(number) || (*text)[1] == 'x' ||
		(*text)[1] == 'X')
		return false;
	*value = number;
	*text = end;
	return true;
}

/* "[a,b)" and its kin, behind the first bracket; an end may be left out. */
static bool
read_bracket(const char *text, bool open, double step, SdcContrastRange *range)
{
	bool below = *text != ',' && read_number(&text, &range->low);

	if (below && open)
		range->low += step;
	if (*text++ != ',')
		return false;
	while (*text == ' ')
		text++;
	if (read_number(&text, &range->high) && *text == ')')
		range->high -= step;
	return (*text == ')' || *text == ']') && text[1] == '\0';
}

/* "<b", "<=b", ">a" and ">=a". */
static bool
read_open(const char *text, double step, SdcContrastRange *range)
{
	bool below = *text == '<';
	double *end = below ? &range->high : &range->low;

	text++;
	if (*text == '=')
	{
		text++;
		step = 0;
	}
	if (!read_number(&text, end) || *text != '\0')
		return false;
	*end += below ? -step : step;
	return true;
}

/* What a label stands for; ends that are not given stay as they are. */
static bool
read_range(const char *text, double step, SdcContrastRange *range)
{
	double low;

	if (strcmp(text, "*") == 0)
		return range->all = true;
	if (*text == '[' || *text == '(')
		return read_bracket(text + 1, *text == '(', step, range);
	if (*text == '<' || *text == '>')
		return read_open(text, step, range);
	if (!read_number(&text, &low))
		return false;
	range->low = range->high = low;
	if (*text == '\0')
		return true;
	if (*text++ != '-')
		return false;
	return read_number(&text, &range->high) && *text == '\0';
}

/* Least and largest original; they are all single numbers. */
static bool
find_bounds(const SdcContrast *comparison, int j,
			const SdcContrastRange *range, SdcContrastRange *bounds)
{
	const int32 *code = comparison->original.code[j];
	int32 i;

	bounds->low = INFINITY;
	bounds->high = -INFINITY;
	for (i = 0; i < comparison->original.rows; i++)
	{
		const SdcContrastRange *value;

		if (code[i] < 0)
			continue;
		value = &range[code[i]];
		if (value->low != value->high)
			return false;
		bounds->low = Min(bounds->low, value->low);
		bounds->high = Max(bounds->high, value->high);
	}
	return bounds->low <= bounds->high;
}

/* The middles of ranges; NaN for those that stand for all. */
static double *
find_middles(SdcHost *kernel, const SdcContrastRange *range, const int32 *code,
			 int32 rows)
{
	double *middle = sdc_new(kernel, double, rows);
	int32 i;

	for (i = 0; i < rows; i++)
		middle[i] = code[i] < 0 || range[code[i]].all
						? NAN
						: range[code[i]].low / 2 + range[code[i]].high / 2;
	return middle;
}

/*
 * Turns a column of texts, or ranges of PostgreSQL, beside original numbers
 * into numbers, when all of them are numbers, "*", "[a,b)", "(a,b]", "a-b",
 * "<b", "<=b", ">a" or ">=a"; open ends are those of the original.  Called
 * while loading.
 */
static void
contrast_find_ranges(SdcContrast *comparison, int j)
{
	SdcHost *kernel = &comparison->host->kernel;
	SdcContrastColumn *column = &comparison->column[j];
	SdcContrastRange *range =
		sdc_new(kernel, SdcContrastRange, column->values);
	SdcContrastRange bounds = {0};
	int32 v;

	for (v = 0; v < column->values; v++)
	{
		range[v].low = -INFINITY;
		range[v].high = INFINITY;
		range[v].all = false;
		if (!read_range(sdcpg_dictionary_text(column->dictionary, v),
						column->step, &range[v]))
			return;
	}
	if (!find_bounds(comparison, j, range, &bounds))
		return;
	for (v = 0; v < column->values; v++)
	{
		/* an open end that lies outside of the data is a single number */
		if (isinf(range[v].low))
			range[v].low = Min(bounds.low, range[v].high);
		if (isinf(range[v].high))
			range[v].high = Max(bounds.high, range[v].low);
		if (range[v].low > range[v].high)
			return;
	}
	column->number = true;
	column->range = range;
	comparison->original.number[j] =
		find_middles(kernel, range, comparison->original.code[j],
					 comparison->original.rows);
	comparison->masked.number[j] = find_middles(
		kernel, range, comparison->masked.code[j], comparison->masked.rows);
}

/* ----------------------------------------------------------------------
 * Two relations as columns of numbers and codes, for measures of utility.
 * ----------------------------------------------------------------------
 */

/* Neighbouring numbers of integers differ by 1. */
static double
find_step(Oid base)
{
	return base == INT2OID || base == INT4OID || base == INT8OID ? 1 : 0;
}

void
sdcpg_contrast_describe(SdcContrast *comparison, const SdcRelation *original,
						const SdcRelation *masked, const SdcRelationColumn *id,
						const SdcRelationColumns *columns, List *categories)
{
	int j;

	memset(comparison, 0, sizeof(*comparison));
	sdcpg_alignment_describe(&comparison->alignment, original, masked, id,
							 columns);
	comparison->paired = id != NULL;
	comparison->columns = columns->count;
	comparison->column = palloc0(sizeof(SdcContrastColumn) * columns->count);
	comparison->original.relation = original;
	comparison->masked.relation = masked;
	for (j = 0; j < columns->count; j++)
	{
		SdcContrastColumn *column = &comparison->column[j];
		SdcAlignedColumn *aligned = &comparison->alignment.column[j];

		if (aligned->number &&
			sdcpg_params_is_listed(categories, aligned->original.name))
		{
			aligned->number = false;
			aligned->as_text = aligned->original.base != aligned->masked.base;
		}
		column->aligned = *aligned;
		column->subject = aligned->original.sql;
		column->number = aligned->number;
		column->step = find_step(aligned->original.base);
	}
}

/* The masked row of each original one, -1 for none. */
static int32 *
find_partners(SdcContrast *comparison, SdcPgHost *host,
			  const SdcFrame *original, const SdcFrame *masked)
{
	SdcHost *kernel = &host->kernel;
	int columns = comparison->columns;
	const SdcAlignment *alignment = &comparison->alignment;
	int32 *partner = sdc_new(kernel, int32, original->rows);
	SdcIds ids = sdcpg_ids_create(masked, columns, alignment->masked->name,
								  alignment->masked_id.name);

	comparison->pairs = sdcpg_ids_match(&ids, original, columns, partner);
	sdcpg_ids_need_unique(&ids, original, columns, partner,
						  alignment->original->name,
						  alignment->original_id.name);
	sdcpg_ids_release(host, &ids);
	return partner;
}

/* Codes become ranks, NULLs NaN, and times get one unit. */
static void
normalize(const SdcContrast *comparison, SdcHost *kernel, SdcFrame *frame,
		  bool masked, const int32 *const *rank)
{
	int32 i;
	int j;

	for (j = 0; j < comparison->columns; j++)
	{
		const SdcAlignedColumn *aligned = &comparison->alignment.column[j];
		SdcFrameColumn *column = &frame->column[j];
		double unit = masked ? aligned->masked_unit : aligned->original_unit;

		kernel->poll(kernel, 0, 0);
		if (aligned->number)
			for (i = 0; i < frame->rows; i++)
				column->number[i] =
					column->isnull[i] ? NAN : column->number[i] * unit;
		else
			for (i = 0; i < frame->rows; i++)
				if (column->code[i] != SDC_CODE_NULL)
					column->code[i] = rank[j][column->code[i]];
	}
}

static uint64 *
digest_rows(const SdcContrast *comparison, SdcHost *kernel,
			const SdcFrame *frame)
{
	uint64 *digest = sdc_new(kernel, uint64, frame->rows);
	int j;

	memset(digest, 0, sizeof(uint64) * frame->rows);
	for (j = 0; j < comparison->columns; j++)
	{
		const SdcFrameColumn *column = &frame->column[j];
		bool number = comparison->alignment.column[j].number;

		sdc_record_order_mix(kernel, number ? column->number : NULL,
							 number ? NULL : column->code, frame->rows,
							 (uint64_t *) digest);
	}
	return digest;
}

/* Copies the columns of a frame in an order of its rows. */
static void
copy_side(const SdcContrast *comparison, SdcHost *kernel,
		  const SdcFrame *frame, const int32 *order, SdcContrastSide *side)
{
	int32 i;
	int j;

	side->rows = frame->rows;
	side->number = sdc_new(kernel, double *, comparison->columns);
	side->code = sdc_new(kernel, int32 *, comparison->columns);
	for (j = 0; j < comparison->columns; j++)
	{
		const SdcFrameColumn *column = &frame->column[j];

		side->number[j] = NULL;
		side->code[j] = NULL;
		kernel->poll(kernel, 0, 0);
		if (comparison->alignment.column[j].number)
		{
			side->number[j] = sdc_new(kernel, double, frame->rows);
			for (i = 0; i < frame->rows; i++)
				side->number[j][i] = column->number[order[i]];
			continue;
		}
		side->code[j] = sdc_new(kernel, int32, frame->rows);
		for (i = 0; i < frame->rows; i++)
			side->code[j][i] = column->code[order[i]];
	}
}

/* The digest of the partner of each original row. */
static uint64 *
digest_partners(SdcHost *kernel, const int32 *partner, int32 rows,
				const uint64 *masked)
{
	uint64 *digest = sdc_new(kernel, uint64, rows);
	int32 i;

	for (i = 0; i < rows; i++)
		digest[i] = partner[i] < 0 ? 0 : masked[partner[i]];
	return digest;
}

/* Brings the rows of both frames into the order of their digests. */
static void
order_sides(SdcContrast *comparison, SdcHost *kernel, SdcFrame *const *frame,
			int32 *partner)
{
	uint64 *original = digest_rows(comparison, kernel, frame[0]);
	uint64 *masked = digest_rows(comparison, kernel, frame[1]);
	uint64 *partners = NULL;
	int32 *order[2];
	int32 i;

	if (partner != NULL)
		partners = digest_partners(kernel, partner, frame[0]->rows, masked);
	order[0] = sdc_record_order_sort(kernel, (uint64_t *) original,
									 (uint64_t *) partners, frame[0]->rows);
	order[1] = sdc_record_order_sort(kernel, (uint64_t *) masked, NULL,
									 frame[1]->rows);
	copy_side(comparison, kernel, frame[0], order[0], &comparison->original);
	copy_side(comparison, kernel, frame[1], order[1], &comparison->masked);
	if (partner != NULL)
	{
		int32 *place = sdc_new(kernel, int32, frame[1]->rows);

		for (i = 0; i < frame[1]->rows; i++)
			place[order[1][i]] = i;
		comparison->partner = sdc_new(kernel, int32, frame[0]->rows);
		for (i = 0; i < frame[0]->rows; i++)
		{
			int32 row = partner[order[0][i]];

			comparison->partner[i] = row < 0 ? -1 : place[row];
		}
		kernel->release(kernel, place);
	}
	for (i = 0; i < 2; i++)
		kernel->release(kernel, order[i]);
	kernel->release(kernel, original);
	kernel->release(kernel, masked);
	kernel->release(kernel, partners);
}

/* Puts the dictionaries in order; returns the ranks of their codes. */
static const int32 **
sort_dictionaries(SdcContrast *comparison, SdcHost *kernel,
				  SdcDictionary **dictionary)
{
	const int32 **rank = sdc_new(kernel, const int32 *, comparison->columns);
	int j;

	for (j = 0; j < comparison->columns; j++)
	{
		SdcContrastColumn *column = &comparison->column[j];

		if (column->aligned.number)
			continue;
		rank[j] = sdcpg_dictionary_sort(dictionary[j]);
		column->dictionary = dictionary[j];
		column->values = sdcpg_dictionary_values(dictionary[j]);
	}
	return rank;
}

void
sdcpg_contrast_load(SdcContrast *comparison, SdcPgHost *host)
{
	SdcHost *kernel = &host->kernel;
	SdcDictionary **dictionary =
		sdc_new(kernel, SdcDictionary *, comparison->columns);
	SdcFrame *frame[2];
	const int32 **rank;
	int32 *partner = NULL;
	int j;

	comparison->host = host;
	for (j = 0; j < comparison->columns; j++)
		dictionary[j] =
			comparison->column[j].aligned.as_text
				? sdcpg_dictionary_new(host, TEXTOID, C_COLLATION_OID)
				: NULL;
	frame[0] = sdcpg_alignment_read(&comparison->alignment, host, false,
									comparison->paired, dictionary);
	frame[1] = sdcpg_alignment_read(&comparison->alignment, host, true,
									comparison->paired, dictionary);
	kernel->stage(kernel, "ordering");
	if (comparison->paired)
		partner = find_partners(comparison, host, frame[0], frame[1]);
	rank = sort_dictionaries(comparison, kernel, dictionary);
	normalize(comparison, kernel, frame[0], false, rank);
	normalize(comparison, kernel, frame[1], true, rank);
	order_sides(comparison, kernel, frame, partner);
	kernel->release(kernel, partner);
	sdcpg_frame_release(frame[0]);
	sdcpg_frame_release(frame[1]);
	for (j = 0; j < comparison->columns; j++)
		if (comparison->column[j].aligned.as_text &&
			sdcpg_number_is_arithmetic(
				comparison->column[j].aligned.original.base))
			contrast_find_ranges(comparison, j);
}
