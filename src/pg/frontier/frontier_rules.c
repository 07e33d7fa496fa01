/*
 * frontier_rules.c
 *		The argument "rules" of sdc.frontier: several ways to mask a relation.
 *
 * An object whose members have several values each becomes several objects,
 * counted like the wheels of an odometer.  That is done with the parameters of
 * a rule, and then with the rules of a document.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/fmgrprotos.h"

#include "pg/frontier/frontier_rules.h"
#include "pg/mask/rules.h"
#include "pg/release/document.h"
#include "pg/server/compat.h"

/* A member of an object and the values it may have (Jsonb *). */
typedef struct Member
{
	char *key;
	List *values;
} Member;

/* Parameters that are lists by themselves. */
static const char *const lists[] = {"strata", "importance", "value", NULL};

static bool
is_list(const char *key)
{
	const char *const *list;

	for (list = lists; *list != NULL; list++)
		if (strcmp(*list, key) == 0)
			return true;
	return false;
}

pg_noreturn static void
too_many(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("argument \"rules\" has more than %d candidates",
					SDC_FRONTIER_CANDIDATES),
			 errdetail("Arrays of values multiply."),
			 errhint("List the combinations that matter as documents of an "
					 "array.")));
}

pg_noreturn static void
no_value(const char *key)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("\"%s\" in argument \"rules\" is an empty array", key),
			 errdetail("There would be no candidate.")));
}

/* The value of a member as a document. */
static Jsonb *
whole(JsonbValue *value)
{
	return JsonbValueToJsonb(value);
}

/* The elements of an array. */
static List *
elements(Jsonb *array)
{
	List *values = NIL;
	int i;

	for (i = 0; i < JB_ROOT_COUNT(array); i++)
		values = lappend(
			values, whole(getIthJsonbValueFromContainer(&array->root, i)));
	return values;
}

static bool
is_array(Jsonb *value)
{
	return JB_ROOT_IS_ARRAY(value) && !JB_ROOT_IS_SCALAR(value);
}

/* The object that has the value number digit[i] of each member i. */
static Jsonb *
object_of(const Member *member, const int *digit, int count)
{
	StringInfoData document;
	int i;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	for (i = 0; i < count; i++)
		sdcpg_document_jsonb(&document, member[i].key,
							 list_nth(member[i].values, digit[i]));
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* All combinations of the values of members, the last varying fastest. */
static List *
combine(const Member *member, int count)
{
	int *digit = palloc0(sizeof(int) * (count + 1));
	List *objects = NIL;
	int i;

	do
	{
		if (list_length(objects) == SDC_FRONTIER_CANDIDATES)
			too_many();
		objects = lappend(objects, object_of(member, digit, count));
		for (i = count - 1; i >= 0; i--)
		{
			if (++digit[i] < list_length(member[i].values))
				break;
			digit[i] = 0;
		}
	} while (i >= 0);
	return objects;
}

/* How the values of a member are found from what is written there. */
typedef List *(*Expand)(const char *key, Jsonb *value);

/* All objects that an object stands for; anything else is left as it is. */
static List *
expand_object(Jsonb *object, Expand expand)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	Member *member;
	int count = 0;

	if (!JB_ROOT_IS_OBJECT(object))
		return list_make1(object);
	member = palloc(sizeof(Member) * (JB_ROOT_COUNT(object) + 1));
	iterator = JsonbIteratorInit(&object->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token != WJB_KEY)
			continue;
		member[count].key =
			pnstrdup(value.val.string.val, value.val.string.len);
		(void) JsonbIteratorNext(&iterator, &value, true);
		member[count].values = expand(member[count].key, whole(&value));
		if (member[count].values == NIL)
			no_value(member[count].key);
		count++;
	}
	return combine(member, count);
}

static List *
expand_parameter(const char *key, Jsonb *value)
{
	if (!is_array(value) || is_list(key))
		return list_make1(value);
	return elements(value);
}

/* A rule, or an array of them. */
static List *
expand_rule(const char *key, Jsonb *value)
{
	List *rules = NIL;
	ListCell *cell;

	if (!is_array(value))
		return expand_object(value, expand_parameter);
	foreach (cell, elements(value))
	{
		rules =
			list_concat(rules, expand_object(lfirst(cell), expand_parameter));
		if (list_length(rules) > SDC_FRONTIER_CANDIDATES)
			too_many();
	}
	return rules;
}

/* All candidates, not yet looked at. */
static List *
expand_all(Jsonb *rules)
{
	List *candidates = NIL;
	int place = 0;
	ListCell *cell;

	if (!is_array(rules) && !JB_ROOT_IS_OBJECT(rules))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"rules\" must be a JSON object or "
							   "an array of them")));
	if (!is_array(rules))
		return expand_object(rules, expand_rule);
	foreach (cell, elements(rules))
	{
		place++;
		if (!JB_ROOT_IS_OBJECT((Jsonb *) lfirst(cell)))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("element %d of argument \"rules\" is not "
								   "an object",
								   place)));
		candidates =
			list_concat(candidates, expand_object(lfirst(cell), expand_rule));
		if (list_length(candidates) > SDC_FRONTIER_CANDIDATES)
			too_many();
	}
	if (candidates == NIL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"rules\" has no candidate")));
	return candidates;
}

/* Says which candidate an error is about. */
static void
tell_candidate(void *place)
{
	errcontext("candidate %d of argument \"rules\"", *(int *) place);
}

List *
sdcpg_frontier_rules_read(Jsonb *rules, const SdcRelation *relation)
{
	List *candidates = expand_all(rules);
	ErrorContextCallback context;
	int place = 0;
	ListCell *cell;

	context.callback = tell_candidate;
	context.arg = &place;
	context.previous = error_context_stack;
	error_context_stack = &context;
	foreach (cell, candidates)
	{
		place++;
		(void) sdcpg_rules_read(lfirst(cell), relation);
	}
	error_context_stack = context.previous;
	return candidates;
}

Jsonb *
sdcpg_frontier_rules_set(Jsonb *object, const char *key, Jsonb *value)
{
	Member member = {(char *) key, list_make1(value)};
	int digit = 0;

	return DatumGetJsonbP(
		DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(object),
							JsonbPGetDatum(object_of(&member, &digit, 1))));
}
