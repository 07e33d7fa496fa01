/*
 * importance.c
 *		The key "importance" of params: how dear the values of a column are.
 *
 * Read pair by pair, so that a name that is misspelt is not passed over.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "pg/server/compat.h"
#include "pg/generalization/importance.h"
#include "pg/call/params.h"

#define LEAST 0.001
#define MOST  1000

static const char *const key = "importance";

/* The place of a column by its name. */
static int
find_column(const SdcRelationColumns *columns, const JsonbValue *name)
{
	char *text = pnstrdup(name->val.string.val, name->val.string.len);
	int j;

	for (j = 0; j < columns->count; j++)
		if (strcmp(columns->column[j].name, text) == 0)
			return j;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("key \"%s\" in argument \"params\" names \"%s\", "
						   "which is not one of the keys",
						   key, text)));
}

static double
read_number(const JsonbValue *value)
{
	double number = -1;

	if (value->type == jbvNumeric)
		number = DatumGetFloat8(DirectFunctionCall1(
			numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
	if (!(number >= LEAST && number <= MOST))
		sdcpg_params_wrong(key,
						   psprintf("an object of numbers between %g and %g",
									LEAST, (double) MOST));
	return number;
}

double *
sdcpg_importance_read(Jsonb *params, const SdcRelationColumns *columns)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	double *importance;
	int j = 0;

	if (!sdcpg_params_find(params, key, &value))
		return NULL;
	if (value.type != jbvBinary ||
		!JsonContainerIsObject(value.val.binary.data))
		sdcpg_params_wrong(key, "an object of numbers");
	importance = palloc(sizeof(double) * columns->count);
	for (j = 0; j < columns->count; j++)
		importance[j] = 1;
	iterator = JsonbIteratorInit(value.val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		if (token == WJB_KEY)
			j = find_column(columns, &value);
		else if (token == WJB_VALUE)
			importance[j] = read_number(&value);
	return importance;
}
