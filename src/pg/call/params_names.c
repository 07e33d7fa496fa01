/*
 * params_names.c
 *		Names of columns in the argument "params": lists and renamings.
 *
 * A renaming of a name that nobody asks for is an error, as a misspelt key of
 * params is.
 */
#include "postgres.h"

#include "pg/server/compat.h"
#include "pg/call/params.h"
#include "pg/call/params_names.h"

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
