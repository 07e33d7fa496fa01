/*
 * hierarchy_params.c
 *		The lists and numbers that describe a hierarchy in JSON.
 *
 * Errors name the key and the position in its list, never what stands there:
 * it may be a value of the data.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "pg/server/compat.h"
#include "pg/generalization/hierarchy_kind.h"

static void
wrong_item(const char *key, int i, const char *expected)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("element %d of key \"%s\" in argument \"params\" "
						   "must be %s",
						   i + 1, key, expected)));
}

static void
wrong_value(const char *key, const char *expected)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("key \"%s\" in argument \"params\" must be %s", key,
						   expected)));
}

JsonbValue *
sdcpg_hierarchy_value(Jsonb *params, const char *key)
{
	JsonbValue name;

	if (params == NULL)
		return NULL;
	name.type = jbvString;
	name.val.string.val = (char *) key;
	name.val.string.len = strlen(key);
	return findJsonbValueFromContainer(&params->root, JB_FOBJECT, &name);
}

static bool
is_list(const JsonbValue *value)
{
	return value->type == jbvBinary &&
		   JsonContainerIsArray(value->val.binary.data);
}

SdcHierarchyList
sdcpg_hierarchy_list(Jsonb *params, const char *key, bool needed)
{
	JsonbValue *value = sdcpg_hierarchy_value(params, key);
	SdcHierarchyList list = {key, 0, NULL};

	if (value != NULL && !is_list(value))
		wrong_value(key, "a list");
	if (value != NULL)
	{
		list.container = value->val.binary.data;
		list.count = JsonContainerSize(list.container);
	}
	if (needed && list.count == 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("key \"%s\" in argument \"params\" must be a list with at "
					"least one element",
					key)));
	return list;
}

JsonbValue *
sdcpg_hierarchy_item(const SdcHierarchyList *list, int i)
{
	return getIthJsonbValueFromContainer(list->container, i);
}

SdcHierarchyList
sdcpg_hierarchy_item_list(const SdcHierarchyList *list, int i)
{
	JsonbValue *value = sdcpg_hierarchy_item(list, i);
	SdcHierarchyList inner = {list->key, 0, NULL};

	if (!is_list(value))
		wrong_item(list->key, i, "a list");
	inner.container = value->val.binary.data;
	inner.count = JsonContainerSize(inner.container);
	return inner;
}

static char *
numeric_text(const JsonbValue *value)
{
	return DatumGetCString(
		DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
}

char *
sdcpg_hierarchy_item_text(const SdcHierarchyList *list, int i)
{
	JsonbValue *value = sdcpg_hierarchy_item(list, i);

	if (value->type == jbvString)
		return pnstrdup(value->val.string.val, value->val.string.len);
	if (value->type == jbvNumeric)
		return numeric_text(value);
	if (value->type != jbvNull)
		wrong_item(list->key, i, "a string or a number");
	return NULL;
}

static double
decimal_number(const char *decimal)
{
	return strtod(decimal, NULL);
}

int
sdcpg_hierarchy_item_integer(const SdcHierarchyList *list, int i, int low,
							 int high)
{
	double number = decimal_number(sdcpg_hierarchy_item_decimal(list, i));

	if (number != rint(number) || number < low || number > high)
		wrong_item(list->key, i,
				   psprintf("a whole number between %d and %d", low, high));
	return (int) number;
}

/* 30.0 is 30, and 0.50 is 0.5. */
static char *
shorten_decimal(char *decimal)
{
	char *end = decimal + strlen(decimal);

	if (strchr(decimal, '.') == NULL)
		return decimal;
	while (end[-1] == '0')
		end--;
	if (end[-1] == '.')
		end--;
	*end = '\0';
	return strcmp(decimal, "-0") == 0 ? decimal + 1 : decimal;
}

char *
sdcpg_hierarchy_item_decimal(const SdcHierarchyList *list, int i)
{
	JsonbValue *value = sdcpg_hierarchy_item(list, i);
	char *decimal = NULL;

	if (value->type == jbvNumeric)
		decimal = shorten_decimal(numeric_text(value));
	if (decimal == NULL || !isfinite(decimal_number(decimal)))
		wrong_item(list->key, i, "a number");
	return decimal;
}

char *
sdcpg_hierarchy_decimal(Jsonb *params, const char *key)
{
	JsonbValue *value = sdcpg_hierarchy_value(params, key);
	char *decimal = NULL;

	if (value == NULL || value->type == jbvNull)
		return NULL;
	if (value->type == jbvNumeric)
		decimal = shorten_decimal(numeric_text(value));
	if (decimal == NULL || !isfinite(decimal_number(decimal)))
		wrong_value(key, "a number");
	return decimal;
}

bool
sdcpg_hierarchy_read_domain(Jsonb *params, double *domain)
{
	SdcHierarchyList list = sdcpg_hierarchy_list(params, "domain", false);
	int i;

	if (list.container == NULL)
		return false;
	if (list.count != 2)
		wrong_value("domain", "a list of two numbers");
	for (i = 0; i < 2; i++)
		domain[i] = decimal_number(sdcpg_hierarchy_item_decimal(&list, i));
	if (!(domain[0] < domain[1]))
		wrong_value("domain", "a smaller and a larger number");
	return true;
}

void
sdcpg_hierarchy_check_levels(int levels)
{
	if (levels > SDC_HIERARCHY_MAX_LEVELS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a hierarchy can have at most %d levels",
							   SDC_HIERARCHY_MAX_LEVELS)));
}

void
sdcpg_hierarchy_not_nested(const char *key, int i, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("levels of the hierarchy do not nest"),
			 errdetail("Element %d of key \"%s\" in argument \"params\" %s.",
					   i + 1, key, detail)));
}
