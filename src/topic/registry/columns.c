/*
 * columns.c
 *		sdc.columns: the type of arguments that name columns.
 *
 * A value is a columns, byte by byte; what differs is what may be typed:
 * 'age,sex' and '{age,sex}' mean the same.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

#include "host/server/compat.h"

PG_FUNCTION_INFO_V1(sdcf_columns_in);
PG_FUNCTION_INFO_V1(sdcf_columns_out);
PG_FUNCTION_INFO_V1(sdcf_columns_from);
PG_FUNCTION_INFO_V1(sdcf_columns_to);

static ArrayType *
make_names(Datum *name, int count)
{
	return construct_array(name, count, NAMEOID, NAMEDATALEN, false,
						   TYPALIGN_CHAR);
}

pg_noreturn static void
refuse(const char *text)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("names of columns cannot be read from \"%s\"", text),
			 errhint("Write 'age,sex', '{age,sex}' or ARRAY['age', 'sex']; a "
					 "name with a space or a sign in it stands in double "
					 "quotes.")));
}

/* Is it an array as PostgreSQL writes it, which may say where it starts? */
static bool
is_array(const char *start)
{
	if (*start == '[')
		return strchr("0123456789+-", start[1]) != NULL && start[1] != '\0';
	return *start == '{' && strchr(start, '}') != NULL;
}

/* "age, sex": names as they are, a comma or a space in one needs quotes. */
static ArrayType *
read_list(const char *text)
{
	List *words;
	ListCell *cell;
	Datum *name;
	int count = 0;

	/* what other notations have, JSON or a tuple, is in no plain name */
	if (strcspn(text, "([{") == strspn(text, " \t\r\n") &&
		text[strspn(text, " \t\r\n")] != '\0')
		refuse(text);
	if (strchr(text, '"') == NULL && strpbrk(text, "()[]{};'") != NULL)
		refuse(text);
	if (!SplitGUCList(pstrdup(text), ',', &words))
		refuse(text);
	name = palloc(sizeof(Datum) * (list_length(words) + 1));
	foreach (cell, words)
		name[count++] =
			DirectFunctionCall1(namein, CStringGetDatum(lfirst(cell)));
	return make_names(name, count);
}

/* columns_in(cstring) returns sdc.columns */
Datum
sdcf_columns_in(PG_FUNCTION_ARGS)
{
	char *text = PG_GETARG_CSTRING(0);
	const char *start = text + strspn(text, " \t\r\n");

	if (is_array(start))
		PG_RETURN_DATUM(OidInputFunctionCall(F_ARRAY_IN, text, NAMEOID, -1));
	PG_RETURN_ARRAYTYPE_P(read_list(text));
}

/* columns_out(sdc.columns) returns cstring */
Datum
sdcf_columns_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(OidOutputFunctionCall(F_ARRAY_OUT, PG_GETARG_DATUM(0)));
}

/* columns_to(columns sdc.columns) returns name[] */
Datum
sdcf_columns_to(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* columns_from(names text[]) and other arrays of texts returns sdc.columns */
Datum
sdcf_columns_from(PG_FUNCTION_ARGS)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);
	Oid type = ARR_ELEMTYPE(array);
	int16 length;
	bool byvalue;
	char align;
	Oid output;
	bool varlena;
	Datum *element;
	bool *isnull;
	int count;
	int i;

	if (type == NAMEOID)
		PG_RETURN_ARRAYTYPE_P(array);
	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("names of columns must not contain nulls")));
	get_typlenbyvalalign(type, &length, &byvalue, &align);
	getTypeOutputInfo(type, &output, &varlena);
	deconstruct_array(array, type, length, byvalue, align, &element, &isnull,
					  &count);
	for (i = 0; i < count; i++)
		element[i] = DirectFunctionCall1(
			namein,
			CStringGetDatum(OidOutputFunctionCall(output, element[i])));
	PG_RETURN_ARRAYTYPE_P(make_names(element, count));
}
