/*
 * params.c
 *		Arguments, and the argument "params", a JSON object of named settings:
 *		checked, with one clear error each.
 *
 * A key that a function does not know is an error: a misspelt setting must
 * not silently be the default.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"

/* ----------------------------------------------------------------------
 * Objects by column in the argument "params": {"age": 2, "sex": 1}.
 *
 * A member that is no column is an error, as a misspelt key of params is.
 * ----------------------------------------------------------------------
 */

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
members_number_of(const JsonbValue *value)
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
	number = members_number_of(&value);
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
	double number = value == NULL ? NAN : members_number_of(value);

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

/* ----------------------------------------------------------------------
 * Names of columns in the argument "params": lists and renamings.
 *
 * A renaming of a name that nobody asks for is an error, as a misspelt key of
 * params is.
 * ----------------------------------------------------------------------
 */

bool
sdcpg_params_same(Jsonb *a, Jsonb *b)
{
	return a == NULL || b == NULL
			   ? a == b
			   : compareJsonbContainers(&a->root, &b->root) == 0;
}

bool
sdcpg_params_same_word(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

bool
sdcpg_params_has(Jsonb *params, const char *key)
{
	JsonbValue value;

	return sdcpg_params_find(params, key, &value);
}

static char *
copy_string(const JsonbValue *value)
{
	return pnstrdup(value->val.string.val, value->val.string.len);
}

List *
sdcpg_params_names(Jsonb *params, const char *key)
{
	static const char *const what = "a string or an array of strings";
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	List *names = NIL;

	if (!sdcpg_params_find(params, key, &value))
		return NIL;
	if (value.type == jbvString)
		return list_make1(copy_string(&value));
	if (value.type != jbvBinary ||
		!JsonContainerIsArray(value.val.binary.data))
		sdcpg_params_wrong(key, what);
	iterator = JsonbIteratorInit(value.val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token != WJB_ELEM)
			continue;
		if (value.type != jbvString)
			sdcpg_params_wrong(key, what);
		names = lappend(names, copy_string(&value));
	}
	if (names == NIL)
		sdcpg_params_wrong(key, "an array of at least one string");
	return names;
}

/* The object under a key, or NULL. */
static JsonbContainer *
find_renaming(Jsonb *params, const char *key)
{
	JsonbValue value;

	if (!sdcpg_params_find(params, key, &value))
		return NULL;
	if (value.type != jbvBinary ||
		!JsonContainerIsObject(value.val.binary.data))
		sdcpg_params_wrong(key, "an object");
	return value.val.binary.data;
}

const char *
sdcpg_params_renamed(Jsonb *params, const char *key, const char *name)
{
	JsonbContainer *renaming = find_renaming(params, key);
	JsonbValue value;

	if (renaming == NULL || getKeyJsonValueFromContainer(
								renaming, name, strlen(name), &value) == NULL)
		return name;
	if (value.type != jbvString)
		sdcpg_params_wrong(key, "an object of strings");
	return copy_string(&value);
}

bool
sdcpg_params_is_listed(List *names, const char *name)
{
	ListCell *cell;

	foreach (cell, names)
		if (strcmp(lfirst(cell), name) == 0)
			return true;
	return false;
}

void
sdcpg_params_check_renaming(Jsonb *params, const char *key, List *names)
{
	JsonbContainer *renaming = find_renaming(params, key);
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;

	if (renaming == NULL)
		return;
	iterator = JsonbIteratorInit(renaming);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		if (token == WJB_KEY &&
			!sdcpg_params_is_listed(names, copy_string(&value)))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("key \"%s\" in argument \"params\" renames "
								   "\"%s\", which is not one of the columns",
								   key, copy_string(&value)),
							errhint("It maps columns named in \"keys\" and "
									"\"sensitive\" to those of the other "
									"relation.")));
}

/* ----------------------------------------------------------------------
 * The argument "params": a JSON object of named settings.
 * ----------------------------------------------------------------------
 */

static bool
is_listed(const JsonbValue *key, const char *const *keys)
{
	int i;

	for (i = 0; keys[i] != NULL; i++)
		if (strlen(keys[i]) == key->val.string.len &&
			memcmp(keys[i], key->val.string.val, key->val.string.len) == 0)
			return true;
	return false;
}

static void
unknown_key(const char *argument, const JsonbValue *key,
			const char *const *keys)
{
	StringInfoData list;
	int i;

	initStringInfo(&list);
	for (i = 0; keys[i] != NULL; i++)
		appendStringInfo(&list, "%s\"%s\"", i > 0 ? ", " : "", keys[i]);
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unrecognized key \"%s\" in argument \"%s\"",
						   pnstrdup(key->val.string.val, key->val.string.len),
						   argument),
					errhint("Valid keys are %s.", list.data)));
}

void
sdcpg_params_check_argument(const char *argument, Jsonb *params,
							const char *const *keys)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;

	if (params == NULL)
		return;
	if (!JB_ROOT_IS_OBJECT(params))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must be a JSON object", argument)));
	iterator = JsonbIteratorInit(&params->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		if (token == WJB_KEY && !is_listed(&value, keys))
			unknown_key(argument, &value, keys);
}

void
sdcpg_params_check(Jsonb *params, const char *const *keys)
{
	sdcpg_params_check_argument("params", params, keys);
}

bool
sdcpg_params_find(Jsonb *params, const char *key, JsonbValue *value)
{
	/* PostgreSQL would take the elements of an array for keys */
	return params != NULL && JB_ROOT_IS_OBJECT(params) &&
		   getKeyJsonValueFromContainer(&params->root, key, strlen(key),
										value) != NULL;
}

void
sdcpg_params_wrong(const char *key, const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("key \"%s\" in argument \"params\" must be %s", key,
						   what)));
}

static double
number_of(const JsonbValue *value, const char *key)
{
	if (value->type != jbvNumeric)
		sdcpg_params_wrong(key, "a number");
	return DatumGetFloat8(DirectFunctionCall1(
		numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
}

int64
sdcpg_params_integer(Jsonb *params, const char *key, int64 absent, int64 low,
					 int64 high)
{
	JsonbValue value;
	double number;

	if (!sdcpg_params_find(params, key, &value))
		return absent;
	number = number_of(&value, key);
	if (number != rint(number) || number < low || number > high)
		sdcpg_params_wrong(key, psprintf("a whole number between " INT64_FORMAT
										 " and " INT64_FORMAT,
										 low, high));
	return (int64) number;
}

double
sdcpg_params_number(Jsonb *params, const char *key, double absent, double low,
					double high)
{
	JsonbValue value;
	double number;

	if (!sdcpg_params_find(params, key, &value))
		return absent;
	number = number_of(&value, key);
	if (!(number >= low && number <= high))
		sdcpg_params_wrong(key,
						   psprintf("a number between %g and %g", low, high));
	return number;
}

bool
sdcpg_params_boolean(Jsonb *params, const char *key, bool absent)
{
	JsonbValue value;

	if (!sdcpg_params_find(params, key, &value))
		return absent;
	if (value.type != jbvBool)
		sdcpg_params_wrong(key, "true or false");
	return value.val.boolean;
}

char *
sdcpg_params_text(Jsonb *params, const char *key)
{
	JsonbValue value;

	if (!sdcpg_params_find(params, key, &value))
		return NULL;
	if (value.type != jbvString)
		sdcpg_params_wrong(key, "a string");
	return pnstrdup(value.val.string.val, value.val.string.len);
}

char *
sdcpg_params_member(Jsonb *params, const char *key, const char *member)
{
	JsonbValue value;
	JsonbValue *found;

	if (!sdcpg_params_find(params, key, &value))
		return NULL;
	if (value.type == jbvString)
		return sdcpg_params_text(params, key);
	if (value.type != jbvBinary ||
		!JsonContainerIsObject(value.val.binary.data))
		sdcpg_params_wrong(key, "a string or an object of strings");
	found = getKeyJsonValueFromContainer(value.val.binary.data, member,
										 strlen(member), NULL);
	if (found == NULL)
		return NULL;
	if (found->type != jbvString)
		sdcpg_params_wrong(key, "a string or an object of strings");
	return pnstrdup(found->val.string.val, found->val.string.len);
}

int
sdcpg_params_choice(Jsonb *params, const char *key, const char *const *choices)
{
	char *word = sdcpg_params_text(params, key);

	if (word == NULL)
		return 0;
	return sdcpg_args_choice(key, cstring_to_text(word), choices);
}

SdcRelation *
sdcpg_params_relation(Jsonb *params, const char *key)
{
	char *name = sdcpg_params_text(params, key);

	return name == NULL ? NULL : sdcpg_relation_named(name);
}

char *
sdcpg_params_scalar(Jsonb *params, const char *key)
{
	JsonbValue value;

	if (!sdcpg_params_find(params, key, &value) || value.type == jbvNull)
		return NULL;
	switch (value.type)
	{
		case jbvString:
			return pnstrdup(value.val.string.val, value.val.string.len);
		case jbvNumeric:
			return DatumGetCString(DirectFunctionCall1(
				numeric_out, NumericGetDatum(value.val.numeric)));
		case jbvBool:
			return pstrdup(value.val.boolean ? "true" : "false");
		default:
			sdcpg_params_wrong(key, "a string, a number, true or false");
	}
}

Jsonb *
sdcpg_params_object(Jsonb *params, const char *key)
{
	JsonbValue value;

	if (!sdcpg_params_find(params, key, &value))
		return NULL;
	if (value.type != jbvBinary ||
		!JsonContainerIsObject(value.val.binary.data))
		sdcpg_params_wrong(key, "a JSON object");
	return JsonbValueToJsonb(&value);
}

/* ----------------------------------------------------------------------
 * Objects whose keys are described: rules of masks, params of attacks.
 *
 * One checker reads what a key may be, so that a word or number that nobody
 * can use is found when it is written, not when it is first needed.
 * ----------------------------------------------------------------------
 */

const SdcKey *
sdcpg_keys_find(const SdcKey *keys, const char *name, int length)
{
	for (; keys->name != NULL; keys++)
		if (strlen(keys->name) == length &&
			memcmp(keys->name, name, length) == 0)
			return keys;
	return NULL;
}

/* The names of keys: "p, variant, strata". */
static char *
keys_names(const SdcKey *keys)
{
	StringInfoData list;
	int i;

	initStringInfo(&list);
	for (i = 0; keys[i].name != NULL; i++)
		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", keys[i].name);
	return list.data;
}

/* The key of a list that has it. */
static const SdcKey *
need_key(const SdcKey *keys, const char *name)
{
	const SdcKey *key = sdcpg_keys_find(keys, name, strlen(name));

	if (key == NULL)
		elog(ERROR, "there is no key \"%s\"", name);
	return key;
}

/* Is it a number of the range of a key? */
static bool
is_in_range(const SdcKey *key, const JsonbValue *value)
{
	double number;

	if (value->type != jbvNumeric)
		return false;
	number = number_of(value, key->name);
	if (key->type == SDC_KEY_INTEGER && number != rint(number))
		return false;
	if (key->type == SDC_KEY_ABOVE && number == key->low)
		return false;
	return number >= key->low && number <= key->high;
}

static bool
is_object(const JsonbValue *value)
{
	return value->type == jbvBinary &&
		   JsonContainerIsObject(value->val.binary.data);
}

/* Is it a string that reads as a number? */
static bool
is_decimal(const JsonbValue *value)
{
	char *text;
	char *end;

	if (value->type == jbvNumeric)
		return true;
	if (value->type != jbvString)
		return false;
	text = copy_string(value);
	(void) strtod(text, &end);
	return end != text && *end == '\0';
}

/* Is it an array of strings, at least one or as many as low; or one? */
static bool
is_names(const SdcKey *key, const JsonbValue *value)
{
	JsonbContainer *array = value->val.binary.data;
	int i;

	if (value->type == jbvString)
		return key->low <= 1;
	if (value->type != jbvBinary || !JsonContainerIsArray(array))
		return false;
	for (i = 0; i < JsonContainerSize(array); i++)
		if (getIthJsonbValueFromContainer(array, i)->type != jbvString)
			return false;
	return key->low > 1 ? i == key->low : i > 0;
}

/* Is it an array of numbers of the range of a key, at least one? */
static bool
is_numbers(const SdcKey *key, const JsonbValue *value)
{
	JsonbContainer *array = value->val.binary.data;
	int i;

	if (value->type != jbvBinary || !JsonContainerIsArray(array))
		return false;
	for (i = 0; i < JsonContainerSize(array); i++)
		if (!is_in_range(key, getIthJsonbValueFromContainer(array, i)))
			return false;
	return i > 0;
}

static bool
is_matrix(const SdcKey *key, const JsonbValue *value)
{
	JsonbContainer *array = value->val.binary.data;
	int i;

	if (value->type != jbvBinary || !JsonContainerIsArray(array))
		return false;
	for (i = 0; i < JsonContainerSize(array); i++)
	{
		JsonbValue *row = getIthJsonbValueFromContainer(array, i);

		if (!is_numbers(key, row) || JsonContainerSize(row->val.binary.data) !=
										 JsonContainerSize(array))
			return false;
	}
	return i > 0;
}

static bool
is_objects(const JsonbValue *value)
{
	JsonbContainer *array = value->val.binary.data;
	int i;

	if (value->type != jbvBinary || !JsonContainerIsArray(array))
		return false;
	for (i = 0; i < JsonContainerSize(array); i++)
		if (!is_object(getIthJsonbValueFromContainer(array, i)))
			return false;
	return i > 0;
}

static bool
is_one_value(const SdcKey *key, const JsonbValue *value)
{
	switch (key->type)
	{
		case SDC_KEY_NUMBER:
		case SDC_KEY_ABOVE:
		case SDC_KEY_INTEGER:
			return is_in_range(key, value);
		case SDC_KEY_BOOLEAN:
			return value->type == jbvBool;
		case SDC_KEY_TEXT:
			return value->type == jbvString;
		case SDC_KEY_WORD:
			return value->type == jbvString && is_listed(value, key->words);
		case SDC_KEY_NAMES:
			return is_names(key, value);
		case SDC_KEY_DECIMAL:
			return is_decimal(value);
		case SDC_KEY_SCALAR:
			return value->type != jbvBinary;
		case SDC_KEY_NUMBERS:
			return is_numbers(key, value);
		case SDC_KEY_MATRIX:
			return is_matrix(key, value);
		case SDC_KEY_OBJECT:
			return is_object(value);
		case SDC_KEY_OBJECTS:
			return is_objects(value);
	}
	return false;
}

/* Is it an object with such a value in each member? */
static bool
is_by_column(const SdcKey *key, const JsonbValue *value)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue member;

	if (!is_object(value))
		return false;
	iterator = JsonbIteratorInit(value->val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &member, true)) != WJB_DONE)
		if (token == WJB_VALUE && !is_one_value(key, &member))
			return false;
	return true;
}

static bool
is_value_of(const SdcKey *key, const JsonbValue *value)
{
	return (key->shape != SDC_KEY_BY_COLUMN && is_one_value(key, value)) ||
		   (key->shape != SDC_KEY_ONE && is_by_column(key, value));
}

/* " between 0 and 1"; nothing of an end that is that of all numbers. */
static char *
describe_range(const SdcKey *key)
{
	if (key->high < DBL_MAX)
		return psprintf(" between %.15g and %.15g", key->low, key->high);
	if (key->low > -DBL_MAX)
		return psprintf(" of at least %.15g", key->low);
	return pstrdup("");
}

/* What one value of a key may be, in words. */
static char *
describe_one(const SdcKey *key)
{
	static const char *const kinds[] = {
		[SDC_KEY_BOOLEAN] = "true or false",
		[SDC_KEY_TEXT] = "a string",
		[SDC_KEY_DECIMAL] = "a number, or a string that is one",
		[SDC_KEY_SCALAR] = "a string, a number, true, false or null",
		[SDC_KEY_MATRIX] = "a square array of arrays of numbers",
		[SDC_KEY_OBJECT] = "a JSON object",
		[SDC_KEY_OBJECTS] = "an array of objects by column"};
	StringInfoData words;
	int i;

	switch (key->type)
	{
		case SDC_KEY_NUMBER:
			return psprintf("a number%s", describe_range(key));
		case SDC_KEY_ABOVE:
			return psprintf("a number above %.15g, at most %.15g", key->low,
							key->high);
		case SDC_KEY_INTEGER:
			return psprintf("a whole number between %.0f and %.0f", key->low,
							key->high);
		case SDC_KEY_NAMES:
			return key->low > 1
					   ? psprintf("an array of %.0f strings", key->low)
					   : pstrdup("a string or an array of strings");
		case SDC_KEY_NUMBERS:
			return psprintf("an array of numbers%s", describe_range(key));
		case SDC_KEY_WORD:
			initStringInfo(&words);
			for (i = 0; key->words[i] != NULL; i++)
				appendStringInfo(&words, "%s%s",
								 i == 0                      ? ""
								 : key->words[i + 1] == NULL ? " or "
															 : ", ",
								 key->words[i]);
			return words.data;
		default:
			return pstrdup(kinds[key->type]);
	}
}

/* What a key may be, in words. */
static char *
describe_key(const SdcKey *key)
{
	char *one = describe_one(key);

	switch (key->shape)
	{
		case SDC_KEY_ONE:
			break;
		case SDC_KEY_BY_COLUMN:
			return psprintf("an object, each value %s", one);
		case SDC_KEY_ONE_OR_BY_COLUMN:
			return psprintf("%s, or an object of such by column", one);
	}
	return one;
}

static void
check_key(const JsonbValue *name, const JsonbValue *value, const SdcKey *keys,
		  const char *place, const char *owner)
{
	const SdcKey *key =
		sdcpg_keys_find(keys, name->val.string.val, name->val.string.len);

	if (key == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown key \"%.*s\" in %s", name->val.string.len,
						name->val.string.val, place),
				 keys[0].name == NULL ? errhint("%s has no keys.", owner)
									  : errhint("%s has the keys %s.", owner,
												keys_names(keys))));
	if (!is_value_of(key, value))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("key \"%s\" in %s must be %s", key->name, place,
							   describe_key(key))));
}

void
sdcpg_keys_check(Jsonb *object, const SdcKey *keys, const char *place,
				 const char *owner)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue name;
	JsonbValue value;

	if (!JB_ROOT_IS_OBJECT(object))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must be a JSON object", place)));
	iterator = JsonbIteratorInit(&object->root);
	while ((token = JsonbIteratorNext(&iterator, &name, true)) != WJB_DONE)
	{
		if (token != WJB_KEY)
			continue;
		(void) JsonbIteratorNext(&iterator, &value, true);
		if (name.val.string.len != strlen("method") ||
			memcmp(name.val.string.val, "method", strlen("method")) != 0)
			check_key(&name, &value, keys, place, owner);
	}
	for (; keys->name != NULL; keys++)
		if (keys->needed && !sdcpg_params_has(object, keys->name))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s lacks the key \"%s\"", place, keys->name),
					 errdetail("%s needs it.", owner)));
}

/* Where a column is named, and which may be. */
typedef struct Naming
{
	const SdcRelation *relation;
	const SdcRelationColumns *about;
	const SdcKey *key;
	const char *place;
} Naming;

static void
tell_naming(void *arg)
{
	const Naming *naming = arg;

	errcontext("key \"%s\" in %s", naming->key->name, naming->place);
}

/* A column that the original lacks may still be one of the masked table. */
static void
warn_of_absence(const Naming *naming, const char *name)
{
	if (get_attnum(naming->relation->oid, name) == InvalidAttrNumber)
		ereport(WARNING,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("relation \"%s\" has no column \"%s\"",
						naming->relation->name, name),
				 errdetail("Key \"%s\" in %s names it, so only a masked table "
						   "that has it besides can be checked.",
						   naming->key->name, naming->place)));
}

static void
check_column(const Naming *naming, const char *name)
{
	SdcRelationColumn column;

	if (naming->key->names & SDC_NAMES_MASKED)
	{
		warn_of_absence(naming, name);
		return;
	}
	column = sdcpg_relation_column(naming->relation, name);
	if ((naming->key->names & SDC_NAMES_KEYS) && naming->about != NULL &&
		naming->about->count > 0 &&
		!sdcpg_relation_lists(naming->about, column.number))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is not one of %s", name,
						sdcpg_relation_list(naming->about)),
				 errdetail("Key \"%s\" in %s is about these columns only.",
						   naming->key->name, naming->place)));
}

/* A string that names a column, or several with commas. */
static void
check_naming(const Naming *naming, const JsonbValue *string)
{
	char *rest = copy_string(string);
	char *name;

	if ((naming->key->names & SDC_NAMES_LISTS) == 0)
		check_column(naming, rest);
	else
		while ((name = sdcpg_params_next_name(&rest)) != NULL)
			check_column(naming, name);
}

/* The columns that the value of a key names. */
static void
check_columns(const Naming *naming, const JsonbValue *value)
{
	bool members = is_object(value);
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue part;

	if (!members && naming->key->shape != SDC_KEY_ONE)
		return;
	if (value->type == jbvString)
		check_naming(naming, value);
	if (value->type != jbvBinary)
		return;
	iterator = JsonbIteratorInit(value->val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &part, true)) != WJB_DONE)
		if (token == WJB_ELEM && is_object(&part))
			check_columns(naming, &part);
		else if (token == (members ? WJB_KEY : WJB_ELEM))
			check_naming(naming, &part);
}

void
sdcpg_keys_check_columns(Jsonb *object, const SdcKey *keys,
						 const SdcRelation *relation,
						 const SdcRelationColumns *about, const char *place)
{
	Naming naming = {relation, about, NULL, place};
	ErrorContextCallback context = {error_context_stack, tell_naming, &naming};
	JsonbValue value;

	error_context_stack = &context;
	for (; keys->name != NULL; keys++)
	{
		naming.key = keys;
		if ((keys->names != SDC_NAMES_NOTHING || keys->shape != SDC_KEY_ONE) &&
			sdcpg_params_find(object, keys->name, &value))
			check_columns(&naming, &value);
	}
	error_context_stack = context.previous;
}

/* Calls need for the value of a key, or for each string in it. */
static void
check_names(const SdcKey *key, const JsonbValue *value)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue part;

	if (value->type == jbvString)
		key->need(copy_string(value));
	if (value->type != jbvBinary)
		return;
	iterator = JsonbIteratorInit(value->val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &part, false)) != WJB_DONE)
		if ((token == WJB_ELEM || token == WJB_VALUE) &&
			part.type == jbvString)
			key->need(copy_string(&part));
}

void
sdcpg_keys_check_names(Jsonb *object, const SdcKey *keys, const char *place)
{
	Naming naming = {NULL, NULL, NULL, place};
	ErrorContextCallback context = {error_context_stack, tell_naming, &naming};
	JsonbValue value;

	error_context_stack = &context;
	for (; keys->name != NULL; keys++)
	{
		naming.key = keys;
		if (keys->need != NULL &&
			sdcpg_params_find(object, keys->name, &value))
			check_names(keys, &value);
	}
	error_context_stack = context.previous;
}

/* The names of keys as a list that ends with NULL. */
static const char *const *
list_names(const SdcKey *keys)
{
	const char **names;
	int count = 0;
	int i;

	while (keys[count].name != NULL)
		count++;
	names = palloc(sizeof(char *) * (count + 1));
	for (i = 0; i <= count; i++)
		names[i] = keys[i].name;
	return names;
}

/* Stops unless a key of params is what it may be. */
static void
check_value(const SdcKey *key, const JsonbValue *value)
{
	if (is_value_of(key, value))
		return;
	if (key->type == SDC_KEY_WORD && value->type == jbvString &&
		key->shape == SDC_KEY_ONE)
		(void) sdcpg_args_choice(
			key->name, cstring_to_text(copy_string(value)), key->words);
	sdcpg_params_wrong(key->name, describe_key(key));
}

void
sdcpg_params_check_keys(Jsonb *params, const SdcKey *keys)
{
	JsonbValue value;

	sdcpg_params_check(params, list_names(keys));
	for (; keys->name != NULL; keys++)
		if (sdcpg_params_find(params, keys->name, &value))
			check_value(keys, &value);
}

void
sdcpg_params_need_keys(Jsonb *params, const SdcKey *keys)
{
	for (; keys->name != NULL; keys++)
		if (keys->needed && !sdcpg_params_has(params, keys->name))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("key \"%s\" is missing in argument \"params\"",
							keys->name),
					 errdetail("It must be %s.", describe_key(keys))));
}

double
sdcpg_keys_number(const SdcKey *keys, Jsonb *params, const char *name)
{
	const SdcKey *key = need_key(keys, name);
	JsonbValue value;

	if (!sdcpg_params_find(params, name, &value))
		return key->absent == NULL ? NAN : strtod(key->absent, NULL);
	check_value(key, &value);
	return number_of(&value, name);
}

int64
sdcpg_keys_integer(const SdcKey *keys, Jsonb *params, const char *name)
{
	double number = sdcpg_keys_number(keys, params, name);

	return isnan(number) ? 0 : (int64) number;
}

bool
sdcpg_keys_boolean(const SdcKey *keys, Jsonb *params, const char *name)
{
	const SdcKey *key = need_key(keys, name);

	return sdcpg_params_boolean(
		params, name, key->absent != NULL && strcmp(key->absent, "true") == 0);
}

int
sdcpg_keys_choice(const SdcKey *keys, Jsonb *params, const char *name)
{
	return sdcpg_params_choice(params, name, need_key(keys, name)->words);
}

char *
sdcpg_params_next_name(char **rest)
{
	char *name = *rest;
	char *end;

	if (name == NULL)
		return NULL;
	end = strchr(name, ',');
	*rest = end != NULL ? end + 1 : NULL;
	if (end == NULL)
		end = name + strlen(name);
	while (*name == ' ')
		name++;
	while (end > name && end[-1] == ' ')
		end--;
	*end = '\0';
	return name;
}

/* ----------------------------------------------------------------------
 * Checks of arguments: one clear error each, with the argument's name.
 *
 * No message quotes a value of the data: the log is read by more people than
 * the table.
 * ----------------------------------------------------------------------
 */

void
sdcpg_args_null(const char *argument)
{
	ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					errmsg("argument \"%s\" must not be null", argument)));
}

char *
sdcpg_args_name(FunctionCallInfo fcinfo, int argument)
{
	Oid function = fcinfo->flinfo->fn_oid;
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid *types;
	char **names;
	char *modes;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	get_func_arg_info(tuple, &types, &names, &modes);
	ReleaseSysCache(tuple);
	return names == NULL ? psprintf("$%d", argument + 1) : names[argument];
}

void
sdcpg_args_need(FunctionCallInfo fcinfo, int argument)
{
	if (PG_ARGISNULL(argument))
		sdcpg_args_null(sdcpg_args_name(fcinfo, argument));
}

void
sdcpg_args_need_first(FunctionCallInfo fcinfo, int count)
{
	int i;

	for (i = 0; i < count; i++)
		sdcpg_args_need(fcinfo, i);
}

char *
sdcpg_args_text(FunctionCallInfo fcinfo, int argument)
{
	sdcpg_args_need(fcinfo, argument);
	return text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

void
sdcpg_args_range(const char *argument, double value, double low, double high)
{
	if (value >= low && value <= high)
		return;
	if (isinf(high))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"%s\" must be at least %g", argument,
							   low)));
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("argument \"%s\" must lie between %g and %g",
						   argument, low, high)));
}

int
sdcpg_args_choice(const char *argument, const text *word,
				  const char *const *choices)
{
	char *given = text_to_cstring(word);
	StringInfoData list;
	int i;

	for (i = 0; choices[i] != NULL; i++)
		if (strcmp(given, choices[i]) == 0)
			return i;
	initStringInfo(&list);
	for (i = 0; choices[i] != NULL; i++)
		appendStringInfo(&list, "%s\"%s\"", i > 0 ? ", " : "", choices[i]);
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unrecognized %s \"%s\"", argument, given),
					errhint("Valid values are %s.", list.data)));
	return -1;
}

void
sdcpg_args_group_size(int32 k, int64 rows)
{
	if (k < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"k\" must be at least 1")));
	if (rows > 0 && rows < k)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot form a group of %d from " INT64_FORMAT " rows",
						k, rows),
				 errdetail("A partition has fewer rows with values than k, "
						   "and no group smaller than k is ever made."),
				 errhint("Lower k, or merge small strata.")));
}

void
sdcpg_args_finite(double value)
{
	if (!isfinite(value))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("cannot compute with NaN or infinity"),
				 errhint("Filter these rows out, or turn them into NULL, "
						 "which stays NULL.")));
}

void
sdcpg_args_result_finite(double value)
{
	if (!isfinite(value))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("masked value out of range")));
}
