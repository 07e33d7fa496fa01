/*
 * params_members.c
 *		Objects by column in the argument "params": {"age": 2, "sex": 1}.
 *
 * A member that is no column is an error, as a misspelt key of params is.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "pg/server/compat.h"
#include "pg/call/params.h"
#include "pg/call/params_members.h"

static bool
is_column(const JsonbValue *name, const SdcRelationColumns *columns)
{
	int i;

	for (i = 0; i < columns->count; i++)
		if (strlen(columns->column[i].name) == name->val.string.len &&
			memcmp(columns->column[i].name, name->val.string.val,
				   name->val.string.len) == 0)
			return true;
	return false;
}

void
sdcpg_params_members_check(Jsonb *params, const char *key,
						   const SdcRelationColumns *columns, bool plain)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;

	if (!sdcpg_params_find(params, key, &value) ||
		(plain && value.type == jbvString))
		return;
	if (value.type != jbvBinary ||
		!JsonContainerIsObject(value.val.binary.data))
		sdcpg_params_wrong(key, "an object by column");
	iterator = JsonbIteratorInit(value.val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		if (token == WJB_KEY && !is_column(&value, columns))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("key \"%s\" in argument \"params\" names "
								   "\"%s\", which is not one of the columns",
								   key,
								   pnstrdup(value.val.string.val,
											value.val.string.len))));
}

/* The value of a member; false when there is none. */
static bool
find_member(Jsonb *params, const char *key, const char *member,
			JsonbValue *value)
{
	return sdcpg_params_find(params, key, value) && value->type == jbvBinary &&
		   JsonContainerIsObject(value->val.binary.data) &&
		   getKeyJsonValueFromContainer(value->val.binary.data, member,
										strlen(member), value) != NULL;
}

/* NaN when it is no number. */
static double
number_of(const JsonbValue *value)
{
	if (value->type != jbvNumeric)
		return NAN;
	return DatumGetFloat8(DirectFunctionCall1(
		numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
}

double
sdcpg_params_member_number(Jsonb *params, const char *key, const char *member,
						   double absent, double low, double high)
{
	JsonbValue value;
	double number;

	if (!find_member(params, key, member, &value))
		return absent;
	number = number_of(&value);
	if (!(number >= low && number <= high))
		sdcpg_params_wrong(
			key,
			psprintf("an object of numbers between %g and %g", low, high));
	return number;
}

/* A level, or -1. */
static int
level_of(const JsonbValue *value)
{
	double number = value == NULL ? NAN : number_of(value);

	return number >= 0 && number <= PG_INT16_MAX && number == rint(number)
			   ? (int) number
			   : -1;
}

bool
sdcpg_params_member_range(Jsonb *params, const char *key, const char *member,
						  int *first, int *last)
{
	JsonbValue value;

	if (!find_member(params, key, member, &value))
		return false;
	if (value.type == jbvBinary &&
		JsonContainerIsArray(value.val.binary.data) &&
		JsonContainerSize(value.val.binary.data) == 2)
	{
		*first =
			level_of(getIthJsonbValueFromContainer(value.val.binary.data, 0));
		*last =
			level_of(getIthJsonbValueFromContainer(value.val.binary.data, 1));
	}
	else
		*first = *last = level_of(&value);
	if (*first < 0 || *last < *first)
		sdcpg_params_wrong(key,
						   "an object of levels or [lowest, highest] pairs");
	return true;
}
