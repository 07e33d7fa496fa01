/*
 * params_names.c
 *		Names of columns in the argument "params": lists and renamings.
 *
 * A renaming of a name that nobody asks for is an error, as a misspelt key of
 * params is.
 */
#include "postgres.h"

#include "pg/compat.h"
#include "pg/params_names.h"

pg_noreturn static void
wrong_value(const char *key, const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("key \"%s\" in argument \"params\" must be %s", key,
						   what)));
}

static JsonbValue *
find_value(Jsonb *params, const char *key, JsonbValue *value)
{
	if (params == NULL)
		return NULL;
	return getKeyJsonValueFromContainer(&params->root, key, strlen(key),
										value);
}

bool
sdcpg_params_has(Jsonb *params, const char *key)
{
	JsonbValue value;

	return find_value(params, key, &value) != NULL;
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

	if (find_value(params, key, &value) == NULL)
		return NIL;
	if (value.type == jbvString)
		return list_make1(copy_string(&value));
	if (value.type != jbvBinary ||
		!JsonContainerIsArray(value.val.binary.data))
		wrong_value(key, what);
	iterator = JsonbIteratorInit(value.val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token != WJB_ELEM)
			continue;
		if (value.type != jbvString)
			wrong_value(key, what);
		names = lappend(names, copy_string(&value));
	}
	if (names == NIL)
		wrong_value(key, "an array of at least one string");
	return names;
}

/* The object under a key, or NULL. */
static JsonbContainer *
find_renaming(Jsonb *params, const char *key)
{
	JsonbValue value;

	if (find_value(params, key, &value) == NULL)
		return NULL;
	if (value.type != jbvBinary ||
		!JsonContainerIsObject(value.val.binary.data))
		wrong_value(key, "an object");
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
		wrong_value(key, "an object of strings");
	return copy_string(&value);
}

static bool
is_listed(List *names, const char *name)
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
		if (token == WJB_KEY && !is_listed(names, copy_string(&value)))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("key \"%s\" in argument \"params\" renames "
								   "\"%s\", which is not one of the columns",
								   key, copy_string(&value)),
							errhint("It maps columns named in \"keys\" and "
									"\"sensitive\" to those of the other "
									"relation.")));
}
