/*
 * questions.c
 *		Rates, risks, the order of records and the scale of their columns.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/questions/questions.h"
#include "kernel/questions/questions_private.h"

/* The normal quantile of two-sided 95 percent. */
#define Z 1.959963984540054

SdcQuestionRate
sdc_question_rate(double right, double tried)
{
	SdcQuestionRate rate = {0, 0};

	if (tried <= 0)
		return rate;
	rate.rate = (right + Z * Z / 2) / (tried + Z * Z);
	rate.error = Z / (tried + Z * Z) *
				 sqrt(right * (tried - right) / tried + Z * Z / 4);
	return rate;
}

static double
cut(double share)
{
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

SdcQuestionRisk
sdc_question_risk(const SdcQuestionCount *count)
{
	SdcQuestionRisk risk;
	double rest;
	double error;
	double r;

	risk.used = sdc_question_rate(count->used_right, count->used);
	risk.guess = sdc_question_rate(count->guess_right, count->used);
	risk.control = sdc_question_rate(count->control_right, count->control);
	risk.better = risk.used.rate > risk.guess.rate;
	rest = 1 - risk.control.rate;
	if (count->used <= 0 || rest <= 0)
	{
		risk.risk = risk.low = risk.high = NAN;
		return risk;
	}
	r = (risk.used.rate - risk.control.rate) / rest;
	error =
		sqrt(risk.used.error / rest * (risk.used.error / rest) +
			 risk.control.error * (1 - risk.used.rate) / (rest * rest) *
				 (risk.control.error * (1 - risk.used.rate) / (rest * rest)));
	risk.risk = cut(r);
	risk.low = cut(r - error);
	risk.high = cut(r + error);
	return risk;
}

/* ----------------------------------------------------------------------
 * The order of records, and the scale of columns.
 * ----------------------------------------------------------------------
 */

/* Puts a column into a new order. */
static void
reorder(SdcHost *host, SdcQuestionFile *file, int j, const int32_t *order)
{
	size_t rows = (size_t) file->rows;
	double *number = NULL;
	int32_t *code = NULL;
	size_t i;

	if (file->number[j] != NULL)
		number = sdc_new(host, double, rows);
	else
		code = sdc_new(host, int32_t, rows);
	for (i = 0; i < rows; i++)
		if (number != NULL)
			number[i] = file->number[j][order[i]];
		else
			code[i] = file->code[j][order[i]];
	file->number[j] = number;
	file->code[j] = code;
}

static void
sort_file(SdcHost *host, SdcQuestionFile *file, int columns)
{
	size_t rows = (size_t) file->rows;
	uint64_t *key = sdc_new(host, uint64_t, rows + 1);
	int32_t *order = sdc_new(host, int32_t, rows + 1);
	size_t i;
	int j;

	for (i = 0; i < rows; i++)
		order[i] = (int32_t) i;
	for (j = columns - 1; j >= 0; j--)
	{
		for (i = 0; i < rows; i++)
			key[i] = file->number[j] != NULL
						 ? sdc_sort_key(file->number[j][order[i]])
						 : (uint64_t) ((int64_t) file->code[j][order[i]] + 1);
		sdc_sort_keys(host, key, order, rows);
	}
	for (j = 0; j < columns; j++)
		reorder(host, file, j, order);
	host->release(host, key);
	host->release(host, order);
}

/* Extremes and deviation of a column in all files, by their order. */
typedef struct Range
{
	double low;
	double high;
} Range;

static void
widen(const SdcQuestionFile *file, int j, Range *range)
{
	int32_t i;

	for (i = 0; i < file->rows; i++)
	{
		range->low = fmin(range->low, file->number[j][i]);
		range->high = fmax(range->high, file->number[j][i]);
	}
}

static double
deviation_of(const SdcQuestionFile *file, int j)
{
	double count = 0;
	double mean = 0;
	double squares = 0;
	int32_t i;

	for (i = 0; i < file->rows; i++)
	{
		double x = file->number[j][i];
		double before = x - mean;

		if (isnan(x))
			continue;
		mean += before / ++count;
		squares += before * (x - mean);
	}
	return count > 1 ? sqrt(squares / (count - 1)) : 0;
}

static int32_t
scale_number(double x, const Range *range)
{
	double width = range->high / 2 - range->low / 2;

	if (isnan(x))
		return SDC_SCALED_NULL;
	if (width == 0)
		return 0;
	return (int32_t) floor((x / 2 - range->low / 2) / width * SDC_SCALED_ONE +
						   0.5);
}

static void
scale_file(SdcHost *host, SdcQuestionFile *file, int columns,
		   const Range *range)
{
	int32_t i;
	int j;

	file->scaled = sdc_new(host, int32_t *, (size_t) columns);
	for (j = 0; j < columns; j++)
	{
		file->scaled[j] = file->code[j];
		if (file->number[j] == NULL)
			continue;
		file->scaled[j] = sdc_new(host, int32_t, (size_t) file->rows + 1);
		for (i = 0; i < file->rows; i++)
			file->scaled[j][i] = scale_number(file->number[j][i], &range[j]);
	}
}

void
sdc_question_scale(SdcHost *host, SdcQuestions *questions)
{
	SdcQuestionFile *file[] = {&questions->used, &questions->released,
							   &questions->control};
	size_t columns = (size_t) questions->columns;
	Range *range = sdc_new(host, Range, columns);
	int j;
	int f;

	questions->deviation = sdc_new(host, double, columns);
	for (f = 0; f < 3; f++)
		sort_file(host, file[f], questions->columns);
	for (j = 0; j < questions->columns; j++)
	{
		range[j].low = INFINITY;
		range[j].high = -INFINITY;
		questions->deviation[j] = 0;
		if (questions->used.number[j] == NULL)
			continue;
		for (f = 0; f < 3; f++)
			widen(file[f], j, &range[j]);
		questions->deviation[j] = deviation_of(&questions->used, j);
	}
	for (f = 0; f < 3; f++)
		scale_file(host, file[f], questions->columns, range);
	host->release(host, range);
}

int32_t *
sdc_question_sample(SdcHost *host, int32_t rows, int32_t wanted,
					SdcRandom *random, int32_t *count)
{
	int32_t left = wanted < rows ? wanted : rows;
	int32_t *row = sdc_new(host, int32_t, (size_t) left + 1);
	int32_t i;

	*count = 0;
	for (i = 0; i < rows && left > 0; i++)
		if (sdc_random_below(random, (uint64_t) (rows - i)) < (uint64_t) left)
		{
			row[(*count)++] = i;
			left--;
		}
	return row;
}
