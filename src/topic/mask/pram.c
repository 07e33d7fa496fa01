/*
 * pram.c
 *		sdc.pram and sdc.pram_matrix: post-randomisation of a categorical
 *		column, by a share that stays or by a matrix of chances.
 *
 * Values meet the random draws in the order of the column, so a seed gives the
 * same result whatever the order of the table.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "host/call/params.h"
#include "host/data/column.h"
#include "host/data/window.h"
#include "host/server/compat.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/mask/pram.h"
#include "topic/mask/pram.h"

PG_FUNCTION_INFO_V1(sdcf_pram);
PG_FUNCTION_INFO_V1(sdcf_pram_matrix);

/* ----------------------------------------------------------------------
 * A matrix as a JSON object of rows.
 * ----------------------------------------------------------------------
 */

/* Rows may miss a sum of 1 by so much: chances are written in decimals. */
#define SUM_ERROR 1e-6

pg_noreturn static void
wrong_matrix(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the matrix is not one of chances"),
			 errdetail_internal("%s", detail),
			 errhint("Write {\"a\": {\"a\": 0.8, \"b\": 0.2}, \"b\": {\"a\": "
					 "0.1, \"b\": 0.9}}: a row for each category, and in it "
					 "the chance of each that it may become.")));
}

/* Orders texts by their bytes, a shorter one before what begins with it. */
static int
compare_names(const char *a, Size a_length, const char *b, Size b_length)
{
	int order = memcmp(a, b, Min(a_length, b_length));

	return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

static int
compare_strings(const void *a, const void *b)
{
	return strcmp(*(const char *const *) a, *(const char *const *) b);
}

int32
sdcpg_pram_place(const SdcPramMatrix *matrix, const char *name, Size length)
{
	int32 low = 0;
	int32 high = matrix->size;

	while (low < high)
	{
		int32 middle = low + (high - low) / 2;
		const char *here = matrix->name[middle];
		int order = compare_names(here, strlen(here), name, length);

		if (order == 0)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

/* The names of the rows, in their order. */
static void
read_rows(SdcPramMatrix *matrix, Jsonb *rows)
{
	JsonbIterator *iterator = JsonbIteratorInit(&rows->root);
	JsonbIteratorToken token;
	JsonbValue value;
	int32 count = 0;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		if (token == WJB_KEY)
			matrix->name[count++] =
				pnstrdup(value.val.string.val, value.val.string.len);
	qsort(matrix->name, count, sizeof(char *), compare_strings);
}

/* The chances of one row, which then sum to 1. */
static void
read_chances(const SdcPramMatrix *matrix, JsonbContainer *row, double *chance)
{
	JsonbIterator *iterator = JsonbIteratorInit(row);
	JsonbIteratorToken token;
	JsonbValue value;
	int32 place = -1;
	double sum = 0;
	int32 b;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
		{
			place = sdcpg_pram_place(matrix, value.val.string.val,
									 value.val.string.len);
			if (place < 0)
				wrong_matrix("A row names a category that has no row.");
		}
		if (token != WJB_VALUE)
			continue;
		if (value.type != jbvNumeric)
			wrong_matrix("A chance is not a number.");
		chance[place] = DatumGetFloat8(DirectFunctionCall1(
			numeric_float8_no_overflow, NumericGetDatum(value.val.numeric)));
		if (!(chance[place] >= 0 && chance[place] <= 1))
			wrong_matrix("A chance is not from 0 to 1.");
		sum += chance[place];
	}
	if (!(fabs(sum - 1) <= SUM_ERROR))
		wrong_matrix(
			psprintf("The chances of a row sum to %g, not to 1.", sum));
	for (b = 0; b < matrix->size; b++)
		chance[b] /= sum;
}

SdcPramMatrix *
sdcpg_pram_matrix(Jsonb *rows)
{
	SdcPramMatrix *matrix = palloc0(sizeof(SdcPramMatrix));
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	int32 place = -1;

	if (!JB_ROOT_IS_OBJECT(rows))
		wrong_matrix("It is not an object of rows.");
	if (JB_ROOT_COUNT(rows) == 0 || JB_ROOT_COUNT(rows) > SDC_PRAM_CATEGORIES)
		wrong_matrix(psprintf("It has %d rows; 1 to %d can be.",
							  (int) JB_ROOT_COUNT(rows), SDC_PRAM_CATEGORIES));
	matrix->size = JB_ROOT_COUNT(rows);
	matrix->name = palloc(sizeof(char *) * matrix->size);
	matrix->chance =
		palloc0(sizeof(double) * (Size) matrix->size * matrix->size);
	read_rows(matrix, rows);
	iterator = JsonbIteratorInit(&rows->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			place = sdcpg_pram_place(matrix, value.val.string.val,
									 value.val.string.len);
		if (token != WJB_VALUE)
			continue;
		if (value.type != jbvBinary ||
			!JsonContainerIsObject(value.val.binary.data))
			wrong_matrix("A row is not an object.");
		read_chances(matrix, value.val.binary.data,
					 matrix->chance + (Size) place * matrix->size);
	}
	return matrix;
}

SdcPramMatrix *
sdcpg_pram_matrix_of(const SdcRule *rule)
{
	return sdcpg_pram_matrix(sdcpg_params_object(rule->params, "matrix"));
}

/* Adds to an error which rule it is of. */
static void
tell_rule(void *subject)
{
	errcontext("rule of \"%s\"", (const char *) subject);
}

void
sdcpg_pram_check(const SdcRule *rule, const SdcRelation *relation)
{
	ErrorContextCallback context;

	context.callback = tell_rule;
	context.arg = rule->subject;
	context.previous = error_context_stack;
	error_context_stack = &context;
	(void) sdcpg_pram_matrix_of(rule);
	error_context_stack = context.previous;
}

/* ----------------------------------------------------------------------
 * The masks.
 * ----------------------------------------------------------------------
 */

static void
pram(SdcWindow *window)
{
	double p = sdcpg_window_float8(window, 1, "p");
	SdcHost *host = &window->host->kernel;
	SdcColumn *column;
	SdcRandom random;
	int32 *order;
	int32 *from;

	sdcpg_window_choice(window, 2, "variant", sdc_pram_words);
	sdcpg_args_range("p", p, 0, 100);
	column = sdcpg_window_column(window, 0);
	order = sdcpg_column_order(window->host, column);
	from = sdc_new(host, int32, column->count);
	sdcpg_window_random(window, 3, &random,
						sdcpg_column_digest(window->host, column, order));
	sdc_pram_draw(host, column->count, p / 100, &random, from);
	sdcpg_window_move(window, column, order, from);
}

/* The categories of the values in their order; stops where one has no row. */
static int32 *
read_codes(SdcWindow *window, const SdcPramMatrix *matrix,
		   const SdcColumn *column, const int32 *order)
{
	SdcHost *host = &window->host->kernel;
	int32 *code = sdc_new(host, int32, column->count);
	int32 unknown = 0;
	int32 i;

	for (i = 0; i < column->count; i++)
	{
		Size length;
		const char *bytes = sdcpg_column_bytes(
			&column->type, column->value[order[i]], &length);

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, column->count);
		code[i] = sdcpg_pram_place(matrix, bytes, length);
		unknown += code[i] < 0;
	}
	if (unknown > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the matrix has no row for some values of the column"),
				 errdetail_plural("It is so for %d value.",
								  "It is so for %d values.", unknown, unknown),
				 errhint("Give every category a row; that of one that stays "
						 "is {\"a\": 1}.")));
	return code;
}

/* Has the matrix keep the distribution of the codes. */
static void
make_invariant(SdcHost *host, SdcPramMatrix *matrix, const int32 *code,
			   int32 n)
{
	double *count = sdc_new(host, double, matrix->size);
	double *made = sdc_new(host, double, (Size) matrix->size * matrix->size);
	int32 i;

	memset(count, 0, sizeof(double) * matrix->size);
	for (i = 0; i < n; i++)
		count[code[i]]++;
	sdc_pram_invariant(host, matrix->size, matrix->chance, count, made);
	matrix->chance = made;
}

/* Gives the values the categories that they have become. */
static void
put_categories(SdcWindow *window, const SdcPramMatrix *matrix,
			   const SdcColumn *column, const int32 *order, const int32 *code,
			   const int32 *masked)
{
	Datum *text = sdc_new(&window->host->kernel, Datum, matrix->size);
	MemoryContext caller = MemoryContextSwitchTo(window->host->keep);
	int32 i;

	for (i = 0; i < matrix->size; i++)
		text[i] = PointerGetDatum(cstring_to_text(matrix->name[i]));
	MemoryContextSwitchTo(caller);
	window->unchanged = column->count > 1;
	for (i = 0; i < column->count; i++)
	{
		window->unchanged = window->unchanged && masked[i] == code[i];
		sdcpg_window_put(window, sdcpg_column_place(column, order[i]),
						 text[masked[i]]);
	}
}

static void
pram_matrix(SdcWindow *window)
{
	SdcHost *host = &window->host->kernel;
	SdcPramMatrix *matrix =
		sdcpg_pram_matrix(sdcpg_window_jsonb(window, 1, "matrix"));
	int variant =
		sdcpg_window_choice(window, 2, "variant", sdc_pram_matrix_words);
	SdcColumn *column = sdcpg_window_column(window, 0);
	int32 *order = sdcpg_column_order(window->host, column);
	int32 *code = read_codes(window, matrix, column, order);
	int32 *masked = sdc_new(host, int32, column->count);
	SdcRandom random;

	if (variant == SDC_PRAM_INVARIANT)
		make_invariant(host, matrix, code, column->count);
	sdcpg_window_random(window, 3, &random,
						sdcpg_column_digest(window->host, column, order));
	sdc_pram_transit(host, matrix->size, matrix->chance, code, column->count,
					 &random, masked);
	put_categories(window, matrix, column, order, code, masked);
}

/* pram(value text, p float8, variant text, seed bigint) OVER w */
Datum
sdcf_pram(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "pram", 1, pram);
}

/* pram_matrix(value text, matrix jsonb, variant text, seed bigint) OVER w */
Datum
sdcf_pram_matrix(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "pram_matrix", 1, pram_matrix);
}
