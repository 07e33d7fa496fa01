/*
 * contrast_ranges.c
 *		Generalized numbers, read from their labels.
 *
 * Each different text is read once.  One that is no number and no range leaves
 * the column what it was: categories.  An open end of a range of integers is
 * the integer before or after it.
 */
#include "postgres.h"

#include <math.h>

#include "pg/utility/contrast.h"

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

void
sdcpg_contrast_find_ranges(SdcContrast *comparison, int j)
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
