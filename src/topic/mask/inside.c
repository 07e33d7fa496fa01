/*
 * inside.c
 *		sdc.mask_inside: rules for paths within JSON, XML, hstore, arrays and
 *		composite types.
 *
 * A path is a list of keys, "$.contact.email"; arrays have none, so a rule
 * holds for all of their elements.  A value belongs to the longest path that
 * its keys begin with, and what belongs to none becomes NULL, a new path of
 * tomorrow, too.  Values are masked as texts, by the functions that mask
 * columns.
 */
#include "postgres.h"

#include <ctype.h>

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/typcache.h"

#include "host/call/params.h"
#include "host/server/compat.h"
#include "kernel/mask/fake.h"
#include "topic/mask/inside.h"
#include "topic/mask/scrub.h"
#include "topic/registry/masks.h"

PG_FUNCTION_INFO_V1(sdcf_mask_inside);

extern Datum sdcf_fake(PG_FUNCTION_ARGS);
extern Datum sdcf_mask_text(PG_FUNCTION_ARGS);
extern Datum sdcf_pseudonym(PG_FUNCTION_ARGS);
extern Datum sdcf_shift_days(PG_FUNCTION_ARGS);

/* Keys of a path, and objects in objects, at the most. */
#define MOST_KEYS 64

/* ----------------------------------------------------------------------
 * What is done to a single value.
 * ----------------------------------------------------------------------
 */

/* Arguments of a function at the most. */
#define MOST_ARGUMENTS 8

typedef enum LeafKind
{
	LEAF_KEEP,
	LEAF_NULL,
	LEAF_CONSTANT,
	LEAF_CALL,
	LEAF_SHIFT,
	LEAF_SCRUB
} LeafKind;

/* Where an argument comes from. */
typedef enum ArgumentKind
{
	OF_VALUE,
	OF_TEXT,    /* a text of the rule */
	OF_INTEGER, /* a number of the rule */
	OF_COLUMN,  /* of the row, by its name in the rule */
	OF_PERSON,  /* the same, or else the value itself */
	OF_NOTHING  /* NULL */
} ArgumentKind;

/* A method that is for single values: its function and the arguments of it. */
typedef struct LeafMethod
{
	const char *name;
	LeafKind kind;
	PGFunction function;
	struct
	{
		ArgumentKind kind;
		const char *key;
	} argument[MOST_ARGUMENTS];
	int arguments;
} LeafMethod;

static const LeafMethod methods[] = {
	{"keep", LEAF_KEEP},
	{"null", LEAF_NULL},
	{"constant", LEAF_CONSTANT},
	{"fake",
	 LEAF_CALL,
	 sdcf_fake,
	 {{OF_VALUE},
	  {OF_TEXT, "kind"},
	  {OF_TEXT, "domain"},
	  {OF_TEXT, "period"},
	  {OF_TEXT, "locale"},
	  {OF_COLUMN, "sex"},
	  {OF_COLUMN, "by"},
	  {OF_NOTHING}},
	 8},
	{"pseudonym",
	 LEAF_CALL,
	 sdcf_pseudonym,
	 {{OF_VALUE},
	  {OF_TEXT, "domain"},
	  {OF_TEXT, "period"},
	  {OF_TEXT, "format"}},
	 4},
	{"mask_text",
	 LEAF_CALL,
	 sdcf_mask_text,
	 {{OF_VALUE}, {OF_INTEGER, "keep"}, {OF_TEXT, "fill"}},
	 3},
	{"shift",
	 LEAF_SHIFT,
	 sdcf_shift_days,
	 {{OF_PERSON, "by"},
	  {OF_TEXT, "domain"},
	  {OF_TEXT, "period"},
	  {OF_INTEGER, "days"}},
	 4},
	{"scrub", LEAF_SCRUB}};

static bool
is_of_row(ArgumentKind kind)
{
	return kind == OF_COLUMN || kind == OF_PERSON;
}

static const LeafMethod *
method_of(const char *name)
{
	int i;

	for (i = 0; i < lengthof(methods); i++)
		if (strcmp(methods[i].name, name) == 0)
			return &methods[i];
	return NULL;
}

/* A rule for a path, ready to be carried out. */
typedef struct PathRule
{
	int keys;
	char *key[MOST_KEYS]; /* NULL: any */
	int named;            /* keys that are not any */
	const LeafMethod *method;
	text *constant; /* NULL: null */
	SdcScrubber *scrubber;
	FmgrInfo function;
	Datum value[MOST_ARGUMENTS]; /* of the rule */
	bool isnull[MOST_ARGUMENTS];
	int column[MOST_ARGUMENTS]; /* the place in the texts of the row */
} PathRule;

typedef struct Inside
{
	Jsonb *paths; /* what this was made of */
	int count;
	PathRule *rule; /* the longest path first */
	/* of the row */
	int texts;
	text **text;
	SdcScrubRow row;
	/* of the value */
	int depth;
	char *key[MOST_KEYS];
	Oid hstore; /* the type, once it was met */
} Inside;

/* ----------------------------------------------------------------------
 * Paths.
 * ----------------------------------------------------------------------
 */

pg_noreturn static void
refuse_path(const char *path)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("\"%s\" is not a path", path),
					errhint("Write $.contact.email, $.items[*].name, "
							"$.*.name or $.\"a key\"; $ is all of the "
							"value.")));
}

/* The key that begins at a place, and the place after it. */
static char *
read_key(const char *path, const char **at)
{
	const char *begin = *at;
	size_t length;

	if (*begin == '"')
	{
		const char *end = strchr(begin + 1, '"');

		if (end == NULL)
			refuse_path(path);
		*at = end + 1;
		return pnstrdup(begin + 1, end - begin - 1);
	}
	length = strcspn(begin, ".[");
	if (length == 0)
		refuse_path(path);
	*at = begin + length;
	return pnstrdup(begin, length);
}

/* Reads "$.a.b[*].c" into keys. */
static void
read_path(const char *path, PathRule *rule)
{
	const char *at = path;

	rule->keys = rule->named = 0;
	if (*at++ != '$')
		refuse_path(path);
	while (*at != '\0')
	{
		char *key;

		if (strncmp(at, "[*]", 3) == 0)
		{
			at += 3;
			continue;
		}
		if (*at++ != '.' || rule->keys == MOST_KEYS)
			refuse_path(path);
		key = read_key(path, &at);
		rule->key[rule->keys] = strcmp(key, "*") == 0 ? NULL : key;
		rule->named += rule->key[rule->keys++] != NULL;
	}
}

/* Does a path begin with the keys of a rule? */
static bool
is_under(const Inside *inside, const PathRule *rule)
{
	int i;

	if (rule->keys > inside->depth)
		return false;
	for (i = 0; i < rule->keys; i++)
		if (rule->key[i] != NULL && strcmp(rule->key[i], inside->key[i]) != 0)
			return false;
	return true;
}

/* The rule of the value at the path; NULL: nobody has decided. */
static const PathRule *
rule_here(const Inside *inside)
{
	int i;

	for (i = 0; i < inside->count; i++)
		if (is_under(inside, &inside->rule[i]))
			return &inside->rule[i];
	return NULL;
}

static void
enter(Inside *inside, char *key)
{
	if (inside->depth == MOST_KEYS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a value has more than %d objects within each other",
						MOST_KEYS)));
	inside->key[inside->depth++] = key;
}

static int
compare_rules(const void *a, const void *b)
{
	const PathRule *x = a;
	const PathRule *y = b;

	return x->keys != y->keys ? y->keys - x->keys : y->named - x->named;
}

/* ----------------------------------------------------------------------
 * Rules, checked and made ready.
 * ----------------------------------------------------------------------
 */

/* The rule under a path as one of a column is. */
static SdcRule
rule_under(const char *path, JsonbValue *value)
{
	SdcRule rule = {0};
	JsonbValue name;

	if (value->type != jbvBinary ||
		!JsonContainerIsObject(value->val.binary.data))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the rule of path \"%s\" must be a JSON object",
							   path)));
	rule.subject = pstrdup(path);
	rule.params = JsonbValueToJsonb(value);
	if (sdcpg_params_find(rule.params, "method", &name) &&
		name.type == jbvString)
		rule.method =
			sdcpg_mask_find(name.val.string.val, name.val.string.len);
	if (rule.method == NULL || method_of(rule.method->name) == NULL)
	{
		StringInfoData names;
		int i;

		initStringInfo(&names);
		for (i = 0; i < lengthof(methods); i++)
			appendStringInfo(&names, "%s%s",
							 i == 0                       ? ""
							 : i == lengthof(methods) - 1 ? " and "
														  : ", ",
							 methods[i].name);
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the rule of path \"%s\" has no method that is for "
						"single values",
						path),
				 errhint("Methods for paths are %s.", names.data)));
	}
	return rule;
}

/* Calls take for each path of a document and its rule. */
static void
each_path(Jsonb *paths, void (*take)(void *arg, const SdcRule *rule),
		  void *arg)
{
	JsonbIterator *iterator = JsonbIteratorInit(&paths->root);
	JsonbIteratorToken token;
	JsonbValue value;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		char *path;
		SdcRule rule;

		if (token != WJB_KEY)
			continue;
		path = pnstrdup(value.val.string.val, value.val.string.len);
		(void) JsonbIteratorNext(&iterator, &value, true);
		rule = rule_under(path, &value);
		take(arg, &rule);
	}
}

static void
check_path(void *arg, const SdcRule *rule)
{
	char *place = psprintf("the rule of path \"%s\"", rule->subject);
	PathRule path;

	read_path(rule->subject, &path);
	sdcpg_keys_check(rule->params, rule->method->keys, place,
					 psprintf("Method \"%s\"", rule->method->name));
	sdcpg_keys_check_columns(rule->params, rule->method->keys, arg, NULL,
							 place);
}

void
sdcpg_inside_check(const SdcRule *rule, const SdcRelation *relation)
{
	Jsonb *paths = sdcpg_params_object(rule->params, "paths");

	if (JB_ROOT_COUNT(paths) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"paths\" in the rule of \"%s\" is empty",
							   rule->subject)));
	each_path(paths, check_path, (void *) relation);
}

/* Adds the columns that a rule of a path names. */
static void
add_columns(void *arg, const SdcRule *rule)
{
	const LeafMethod *method = method_of(rule->method->name);
	List **names = arg;
	int i;

	for (i = 0; i < method->arguments; i++)
	{
		char *name = is_of_row(method->argument[i].kind)
						 ? sdcpg_rule_text(rule, method->argument[i].key)
						 : NULL;

		if (name != NULL && !sdcpg_params_is_listed(*names, name))
			*names = lappend(*names, name);
	}
}

List *
sdcpg_inside_columns(const SdcRule *rule, List *names)
{
	each_path(sdcpg_params_object(rule->params, "paths"), add_columns, &names);
	return names;
}

/* What make_rule needs beside the rule. */
typedef struct Making
{
	Inside *inside;
	FunctionCallInfo fcinfo;
} Making;

/* The place of a name in an array of names; -1: it is not there. */
static int
place_of(ArrayType *names, const char *name)
{
	Datum *element;
	int count;
	int i;

	deconstruct_array(names, TEXTOID, -1, false, 'i', &element, NULL, &count);
	for (i = 0; i < count; i++)
		if (strcmp(TextDatumGetCString(element[i]), name) == 0)
			return i;
	return -1;
}

/* The arguments that the rule gives. */
static void
make_arguments(PathRule *made, const SdcRule *rule, ArrayType *names)
{
	const LeafMethod *method = made->method;
	int i;

	for (i = 0; i < method->arguments; i++)
	{
		ArgumentKind kind = method->argument[i].kind;
		char *text = kind == OF_TEXT || is_of_row(kind)
						 ? sdcpg_rule_text(rule, method->argument[i].key)
						 : NULL;

		made->isnull[i] = text == NULL;
		made->column[i] = -1;
		if (kind == OF_INTEGER)
		{
			made->isnull[i] = false;
			made->value[i] = Int32GetDatum(
				(int32) sdcpg_rule_number(rule, method->argument[i].key));
		}
		else if (kind == OF_TEXT && text != NULL)
			made->value[i] = CStringGetTextDatum(text);
		else if (is_of_row(kind) && text != NULL && names != NULL)
			made->column[i] = place_of(names, text);
	}
}

/* Makes the rule of a path ready; in the memory of the function. */
static void
make_rule(void *arg, const SdcRule *rule)
{
	Making *making = arg;
	FunctionCallInfo fcinfo = making->fcinfo;
	PathRule *made = &making->inside->rule[making->inside->count++];

	read_path(rule->subject, made);
	made->method = method_of(rule->method->name);
	made->function = *fcinfo->flinfo;
	made->function.fn_addr = made->method->function;
	made->function.fn_extra = NULL;
	made->function.fn_nargs = made->method->arguments;
	made->function.fn_mcxt = CurrentMemoryContext;
	make_arguments(made, rule,
				   PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2));
	if (made->method->kind == LEAF_CONSTANT &&
		sdcpg_params_scalar(rule->params, "value") != NULL)
		made->constant =
			cstring_to_text(sdcpg_params_scalar(rule->params, "value"));
	if (made->method->kind == LEAF_SCRUB)
		made->scrubber = sdcpg_scrubber(
			sdcpg_rule_text(rule, "domain"), sdcpg_rule_text(rule, "period"),
			(SdcFakeLocale) sdcpg_params_choice(rule->params, "locale",
												sdc_fake_locales));
}

/* The rules of a call, made once for all rows. */
static Inside *
inside_of(FunctionCallInfo fcinfo)
{
	FmgrInfo *flinfo = fcinfo->flinfo;
	Inside *inside = flinfo->fn_extra;
	Jsonb *paths = PG_GETARG_JSONB_P(1);
	MemoryContext caller;
	Making making;

	if (inside != NULL && VARSIZE(paths) == VARSIZE(inside->paths) &&
		memcmp(paths, inside->paths, VARSIZE(paths)) == 0)
		return inside;
	caller = MemoryContextSwitchTo(flinfo->fn_mcxt);
	inside = palloc0(sizeof(Inside));
	inside->paths = palloc(VARSIZE(paths));
	memcpy(inside->paths, paths, VARSIZE(paths));
	inside->rule = palloc0(sizeof(PathRule) * (JB_ROOT_COUNT(paths) + 1));
	making.inside = inside;
	making.fcinfo = fcinfo;
	each_path(inside->paths, make_rule, &making);
	qsort(inside->rule, inside->count, sizeof(PathRule), compare_rules);
	MemoryContextSwitchTo(caller);
	flinfo->fn_extra = inside;
	return inside;
}

/* ----------------------------------------------------------------------
 * A single value.
 * ----------------------------------------------------------------------
 */

/* An argument of a call for a value. */
static NullableDatum
argument_of(const Inside *inside, const PathRule *rule, int i, text *value)
{
	ArgumentKind kind = rule->method->argument[i].kind;
	NullableDatum argument = {rule->value[i], rule->isnull[i]};
	text *given = value;

	if (is_of_row(kind))
		given = rule->column[i] < 0 || rule->column[i] >= inside->texts
					? NULL
					: inside->text[rule->column[i]];
	if (kind == OF_PERSON && given == NULL)
		given = value;
	if (is_of_row(kind) || kind == OF_VALUE)
	{
		argument.value = PointerGetDatum(given);
		argument.isnull = given == NULL;
	}
	return argument;
}

/* Calls the function of a rule. */
static Datum
call_rule(const Inside *inside, PathRule *rule, text *value, bool *isnull)
{
	LOCAL_FCINFO(call, MOST_ARGUMENTS);
	Datum result;
	int i;

	InitFunctionCallInfoData(*call, &rule->function, rule->method->arguments,
							 InvalidOid, NULL, NULL);
	for (i = 0; i < rule->method->arguments; i++)
		call->args[i] = argument_of(inside, rule, i, value);
	result = rule->method->function(call);
	*isnull = call->isnull;
	return result;
}

/* Two or four digits at a place, as a number; -1: they are none. */
static int
digits_at(const char *at, int count)
{
	int number = 0;
	int i;

	for (i = 0; i < count; i++)
	{
		if (!isdigit((unsigned char) at[i]))
			return -1;
		number = 10 * number + at[i] - '0';
	}
	return number;
}

/* A date YYYY-MM-DD, with a time or without, moved; NULL: it is none. */
static text *
shift_date(const Inside *inside, PathRule *rule, text *value)
{
	char *date = text_to_cstring(value);
	int year = strlen(date) < 10 ? -1 : digits_at(date, 4);
	int month = year < 0 ? -1 : digits_at(date + 5, 2);
	int day = month < 1 || month > 12 ? -1 : digits_at(date + 8, 2);
	bool isnull;
	int32 days;

	if (year < 1 || day < 1 || date[4] != '-' || date[7] != '-' ||
		day > day_tab[isleap(year)][month - 1] || isdigit(date[10]))
		return NULL;
	days = DatumGetInt32(call_rule(inside, rule, value, &isnull));
	j2date(date2j(year, month, day) + days, &year, &month, &day);
	return year < 1 || year > 9999
			   ? NULL
			   : cstring_to_text(psprintf("%04d-%02d-%02d%s", year, month, day,
										  date + 10));
}

/* What a text at the path becomes; NULL: null. */
static text *
mask_leaf(Inside *inside, text *value)
{
	PathRule *rule = (PathRule *) rule_here(inside);
	bool isnull;
	Datum result;

	if (rule == NULL)
		return NULL;
	switch (rule->method->kind)
	{
		case LEAF_KEEP:
			return value;
		case LEAF_NULL:
			return NULL;
		case LEAF_CONSTANT:
			return rule->constant;
		case LEAF_SCRUB:
			return sdcpg_scrub(rule->scrubber, value, &inside->row, 0);
		case LEAF_SHIFT:
			return shift_date(inside, rule, value);
		case LEAF_CALL:
			result = call_rule(inside, rule, value, &isnull);
			return isnull ? NULL : DatumGetTextPP(result);
	}
	return NULL;
}

static bool
is_kept(const Inside *inside)
{
	const PathRule *rule = rule_here(inside);

	return rule != NULL && rule->method->kind == LEAF_KEEP;
}

/*
 * May a key of an object stay: is it named by a path, kept on purpose, or does
 * it look like no identifier?  The key was entered.
 */
static bool
may_stay(const Inside *inside)
{
	const char *key = inside->key[inside->depth - 1];
	int i;

	for (i = 0; i < inside->count; i++)
		if (inside->rule[i].keys >= inside->depth &&
			inside->rule[i].key[inside->depth - 1] != NULL &&
			strcmp(inside->rule[i].key[inside->depth - 1], key) == 0)
			return true;
	return is_kept(inside) || !sdcpg_scrub_finds(pg_server_to_any(
								  key, (int) strlen(key), PG_UTF8));
}

/* ----------------------------------------------------------------------
 * JSON.
 * ----------------------------------------------------------------------
 */

/* Is a text a number as JSON writes it? */
static bool
is_number(const char *text)
{
	const char *at = text + (*text == '-');
	size_t whole = strspn(at, "0123456789");

	if (whole == 0 || (*at == '0' && whole > 1) || whole > 1000)
		return false;
	at += whole;
	if (*at != '.')
		return *at == '\0';
	return at[1] != '\0' && strspn(at + 1, "0123456789") == strlen(at + 1);
}

/* A scalar at the path, in place. */
static void
mask_scalar(Inside *inside, JsonbValue *value)
{
	bool number = value->type == jbvNumeric;
	char *text;
	char *result;
	struct varlena *masked;

	if (value->type == jbvNull || is_kept(inside))
		return;
	if (value->type == jbvString)
		text = pnstrdup(value->val.string.val, value->val.string.len);
	else if (number)
		text = DatumGetCString(DirectFunctionCall1(
			numeric_out, NumericGetDatum(value->val.numeric)));
	else
		text = pstrdup(value->val.boolean ? "true" : "false");
	masked = mask_leaf(inside, cstring_to_text(text));
	if (masked == NULL)
	{
		value->type = jbvNull;
		return;
	}
	result = text_to_cstring(masked);
	if (number && is_number(result))
	{
		value->val.numeric = DatumGetNumeric(DirectFunctionCall3(
			numeric_in, CStringGetDatum(result), ObjectIdGetDatum(InvalidOid),
			Int32GetDatum(-1)));
		return;
	}
	value->type = jbvString;
	value->val.string.val = result;
	value->val.string.len = (int) strlen(result);
}

static Jsonb *
mask_json(Inside *inside, Jsonb *document)
{
	JsonbIterator *iterator = JsonbIteratorInit(&document->root);
	bool scalar = JB_ROOT_IS_SCALAR(document);
	int outer = inside->depth;
	JsonbParseState *state = NULL;
	JsonbValue *result = NULL;
	JsonbIteratorToken token;
	JsonbValue value;
	bool skip = false;

	while ((token = JsonbIteratorNext(&iterator, &value, skip)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (skip)
		{
			/* the value of a key that may not stay */
			skip = false;
			inside->depth--;
			continue;
		}
		if (token == WJB_KEY)
		{
			enter(inside,
				  pnstrdup(value.val.string.val, value.val.string.len));
			skip = !may_stay(inside);
			if (skip)
				continue;
		}
		if (token == WJB_VALUE || token == WJB_ELEM)
			mask_scalar(inside, &value);
		result = pushJsonbValue(&state, token,
								token == WJB_KEY || token == WJB_VALUE ||
										token == WJB_ELEM
									? &value
									: NULL);
		/* a key ends with its value, or where the value ends */
		if (token == WJB_VALUE ||
			((token == WJB_END_OBJECT || token == WJB_END_ARRAY) &&
			 state != NULL && state->contVal.type == jbvObject))
			inside->depth--;
	}
	if (scalar)
		result->val.array.rawScalar = true;
	inside->depth = outer;
	return JsonbValueToJsonb(result);
}

/* ----------------------------------------------------------------------
 * XML, as PostgreSQL has found it well-formed.
 * ----------------------------------------------------------------------
 */

static void
append_escaped(StringInfo out, const char *text)
{
	for (; *text != '\0'; text++)
		switch (*text)
		{
			case '<':
				appendStringInfoString(out, "&lt;");
				break;
			case '>':
				appendStringInfoString(out, "&gt;");
				break;
			case '&':
				appendStringInfoString(out, "&amp;");
				break;
			case '"':
				appendStringInfoString(out, "&quot;");
				break;
			default:
				appendStringInfoChar(out, *text);
		}
}

/* The character of &#64; or &#x40;, in the encoding of the server. */
static char *
numbered_character(const char *name)
{
	unsigned long code = name[1] == 'x' ? strtoul(name + 2, NULL, 16)
										: strtoul(name + 1, NULL, 10);
	unsigned char utf8[8] = {0};

	if (code == 0 || code > 0x10ffff)
		return NULL;
	unicode_to_utf8((pg_wchar) code, utf8);
	return pg_any_to_server((char *) utf8, pg_utf_mblen(utf8), PG_UTF8);
}

/* A text with its entities read; NULL: there is one that it does not know. */
static char *
read_entities(const char *text, size_t length)
{
	static const char *const known[][2] = {
		{"lt", "<"}, {"gt", ">"}, {"amp", "&"}, {"quot", "\""}, {"apos", "'"}};
	StringInfoData out;
	size_t i;

	initStringInfo(&out);
	for (i = 0; i < length; i++)
	{
		const char *end;
		const char *is = NULL;
		char *name;
		int k;

		if (text[i] != '&')
		{
			appendStringInfoChar(&out, text[i]);
			continue;
		}
		end = memchr(text + i, ';', length - i);
		if (end == NULL)
			return NULL;
		name = pnstrdup(text + i + 1, end - text - i - 1);
		if (*name == '#')
			is = numbered_character(name);
		for (k = 0; is == NULL && k < lengthof(known); k++)
			if (strcmp(known[k][0], name) == 0)
				is = known[k][1];
		if (is == NULL)
			return NULL;
		appendStringInfoString(&out, is);
		i = (size_t) (end - text);
	}
	return out.data;
}

/* Masks a text of a document, but for the blanks around it; false: cannot. */
static bool
put_xml_text(Inside *inside, StringInfo out, const char *text, size_t length,
			 bool plain)
{
	size_t begin = 0;
	char *read;
	struct varlena *masked;

	while (begin < length && isspace((unsigned char) text[begin]))
		begin++;
	appendBinaryStringInfo(out, text, (int) begin);
	if (begin == length)
		return true;
	read = plain ? pnstrdup(text + begin, length - begin)
				 : read_entities(text + begin, length - begin);
	if (read == NULL)
		return false;
	masked = mask_leaf(inside, cstring_to_text(read));
	if (masked != NULL)
		append_escaped(out, text_to_cstring(masked));
	return true;
}

/* The attributes of an element; the place after them, or NULL. */
static const char *
put_attributes(Inside *inside, StringInfo out, const char *at)
{
	while (*at != '\0' && *at != '>' && *at != '/')
	{
		size_t name = strcspn(at, "= \t\r\n/>");
		const char *value = at + name + strspn(at + name, "= \t\r\n");
		const char *end;

		if (name == 0)
		{
			at++;
			continue;
		}
		end = *value == '\0' ? NULL : strchr(value + 1, *value);
		if (end == NULL || (*value != '"' && *value != '\''))
			return NULL;
		appendStringInfo(out, " %.*s=\"", (int) name, at);
		enter(inside, psprintf("@%.*s", (int) name, at));
		/* the names of name spaces are needed */
		if (strncmp(at, "xmlns", 5) == 0)
			appendBinaryStringInfo(out, value + 1, (int) (end - value - 1));
		else if (!put_xml_text(inside, out, value + 1, end - value - 1, false))
			return NULL;
		inside->depth--;
		appendStringInfoChar(out, '"');
		at = end + 1;
	}
	return at;
}

/* What stands between < and >; the place after it, or NULL. */
static const char *
put_element(Inside *inside, StringInfo out, const char *at)
{
	size_t name;

	if (at[1] == '/')
	{
		const char *end = strchr(at, '>');

		if (end == NULL || inside->depth == 0)
			return NULL;
		inside->depth--;
		appendBinaryStringInfo(out, at, (int) (end - at + 1));
		return end + 1;
	}
	name = strcspn(at + 1, " \t\r\n/>");
	appendBinaryStringInfo(out, at, (int) name + 1);
	enter(inside, pnstrdup(at + 1, name));
	at = put_attributes(inside, out, at + 1 + name);
	if (at == NULL || *at == '\0')
		return NULL;
	if (*at == '/')
	{
		inside->depth--;
		appendStringInfoChar(out, *at++);
	}
	appendStringInfoChar(out, '>');
	return *at == '>' ? at + 1 : NULL;
}

/* A declaration, a comment or a CDATA section; the place after it, or NULL. */
static const char *
put_special(Inside *inside, StringInfo out, const char *at)
{
	const char *end;

	if (strncmp(at, "<![CDATA[", 9) == 0)
	{
		end = strstr(at, "]]>");
		if (end == NULL ||
			!put_xml_text(inside, out, at + 9, end - at - 9, true))
			return NULL;
		return end + 3;
	}
	/* comments and instructions go; a document type may name anything */
	if (strncmp(at, "<!--", 4) == 0)
	{
		end = strstr(at, "-->");
		return end == NULL ? NULL : end + 3;
	}
	end = at[1] == '?' ? strstr(at, "?>") : NULL;
	return end == NULL ? NULL : end + 2;
}

/* A document; NULL where it cannot be read. */
static text *
mask_xml(Inside *inside, const char *at)
{
	int outer = inside->depth;
	StringInfoData out;

	initStringInfo(&out);
	while (at != NULL && *at != '\0')
	{
		size_t length = strcspn(at, "<");

		CHECK_FOR_INTERRUPTS();
		if (length > 0)
			at = put_xml_text(inside, &out, at, length, false) ? at + length
															   : NULL;
		else if (at[1] == '!' || at[1] == '?')
			at = put_special(inside, &out, at);
		else
			at = put_element(inside, &out, at);
	}
	inside->depth = outer;
	return at == NULL ? NULL : cstring_to_text_with_len(out.data, out.len);
}

/* ----------------------------------------------------------------------
 * hstore, as its output function writes it.
 * ----------------------------------------------------------------------
 */

/* Reads "..." with \ before some characters; the place after it, or NULL. */
static const char *
read_quoted(const char *at, char **word)
{
	StringInfoData out;

	initStringInfo(&out);
	if (*at++ != '"')
		return NULL;
	for (; *at != '"'; at++)
	{
		if (*at == '\\')
			at++;
		if (*at == '\0')
			return NULL;
		appendStringInfoChar(&out, *at);
	}
	*word = out.data;
	return at + 1;
}

static void
append_quoted(StringInfo out, const char *word)
{
	appendStringInfoChar(out, '"');
	for (; *word != '\0'; word++)
	{
		if (*word == '"' || *word == '\\')
			appendStringInfoChar(out, '\\');
		appendStringInfoChar(out, *word);
	}
	appendStringInfoChar(out, '"');
}

/* "key"=>"value", "other"=>NULL; NULL where it cannot be read. */
static char *
mask_hstore(Inside *inside, const char *at)
{
	StringInfoData out;

	initStringInfo(&out);
	while (*at != '\0')
	{
		char *key;
		char *value = NULL;
		struct varlena *masked;

		CHECK_FOR_INTERRUPTS();
		at = read_quoted(at, &key);
		if (at == NULL || strncmp(at, "=>", 2) != 0)
			return NULL;
		at += 2;
		at = strncmp(at, "NULL", 4) == 0 ? at + 4 : read_quoted(at, &value);
		if (at == NULL)
			return NULL;
		at += strspn(at, ", ");
		enter(inside, key);
		if (may_stay(inside))
		{
			masked = value == NULL ? NULL
								   : mask_leaf(inside, cstring_to_text(value));
			append_quoted(&out, key);
			appendStringInfoString(&out, "=>");
			if (masked == NULL)
				appendStringInfoString(&out, "NULL");
			else
				append_quoted(&out, text_to_cstring(masked));
			appendStringInfoString(&out, ", ");
		}
		inside->depth--;
	}
	if (out.len > 0)
		out.data[out.len - 2] = '\0';
	return out.data;
}

/* ----------------------------------------------------------------------
 * Values of any type.
 * ----------------------------------------------------------------------
 */

static bool
is_hstore(Oid type)
{
	Oid extension;

	if (type < FirstNormalObjectId)
		return false;
	extension = getExtensionOfObject(TypeRelationId, type);
	return OidIsValid(extension) &&
		   extension == get_extension_oid("hstore", true) &&
		   get_typtype(type) == TYPTYPE_BASE;
}

bool
sdcpg_inside_has(Oid type)
{
	return type == JSONBOID || type == JSONOID || type == XMLOID ||
		   OidIsValid(get_element_type(type)) ||
		   get_typtype(type) == TYPTYPE_COMPOSITE || is_hstore(type);
}

static Datum mask_value(Inside *inside, Oid type, int32 modifier, Datum value,
						bool *isnull);

/* An array, element by element. */
static Datum
mask_array(Inside *inside, ArrayType *array)
{
	Oid type = ARR_ELEMTYPE(array);
	Datum *element;
	bool *isnull;
	int16 length;
	bool by_value;
	char align;
	int count;
	int i;

	get_typlenbyvalalign(type, &length, &by_value, &align);
	deconstruct_array(array, type, length, by_value, align, &element, &isnull,
					  &count);
	for (i = 0; i < count; i++)
		if (!isnull[i])
			element[i] = mask_value(inside, type, -1, element[i], &isnull[i]);
	return PointerGetDatum(
		construct_md_array(element, isnull, ARR_NDIM(array), ARR_DIMS(array),
						   ARR_LBOUND(array), type, length, by_value, align));
}

/* A row, field by field. */
static Datum
mask_row(Inside *inside, HeapTupleHeader row)
{
	TupleDesc descriptor = lookup_rowtype_tupdesc(
		HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	Datum *value = palloc(sizeof(Datum) * descriptor->natts);
	bool *isnull = palloc(sizeof(bool) * descriptor->natts);
	HeapTupleData tuple = {0};
	Datum result;
	int i;

	tuple.t_len = HeapTupleHeaderGetDatumLength(row);
	tuple.t_data = row;
	heap_deform_tuple(&tuple, descriptor, value, isnull);
	for (i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute field = TupleDescAttr(descriptor, i);

		/* values of a field that was dropped are still there */
		isnull[i] = isnull[i] || field->attisdropped;
		if (isnull[i])
			continue;
		enter(inside, NameStr(field->attname));
		value[i] = mask_value(inside, field->atttypid, field->atttypmod,
							  value[i], &isnull[i]);
		inside->depth--;
	}
	result = HeapTupleGetDatum(heap_form_tuple(descriptor, value, isnull));
	ReleaseTupleDesc(descriptor);
	return result;
}

/* A value of any other type, as its text. */
static Datum
mask_plain(Inside *inside, Oid type, int32 modifier, Datum value, bool *isnull)
{
	struct varlena *masked;
	Oid function;
	Oid parameter;
	bool varlena;

	getTypeOutputInfo(type, &function, &varlena);
	masked = mask_leaf(
		inside, cstring_to_text(OidOutputFunctionCall(function, value)));
	*isnull = masked == NULL;
	if (masked == NULL)
		return (Datum) 0;
	getTypeInputInfo(type, &function, &parameter);
	return OidInputFunctionCall(function, text_to_cstring(masked), parameter,
								modifier);
}

/* An hstore. */
static Datum
mask_pairs(Inside *inside, Oid type, Datum value, bool *isnull)
{
	Oid function;
	Oid parameter;
	bool varlena;
	char *masked;

	getTypeOutputInfo(type, &function, &varlena);
	masked = mask_hstore(inside, OidOutputFunctionCall(function, value));
	*isnull = masked == NULL;
	if (masked == NULL)
		return (Datum) 0;
	getTypeInputInfo(type, &function, &parameter);
	return OidInputFunctionCall(function, masked, parameter, -1);
}

/* Checks of domains, and types of others, would run code of their owners. */
static void
refuse_type(const Inside *inside, Oid type)
{
	if ((type < FirstNormalObjectId || type_is_enum(type)) &&
		get_typtype(type) != TYPTYPE_DOMAIN)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("a path ends in a value of type %s, which cannot be "
					"masked",
					format_type_be(type)),
			 errhint("Method \"keep\" leaves it, method \"null\" for the "
					 "column takes all away.")));
}

/* A value of a type and its modifier; -1: none. */
static Datum
mask_value(Inside *inside, Oid type, int32 modifier, Datum value, bool *isnull)
{
	check_stack_depth();
	*isnull = false;
	if (type == JSONBOID)
		return JsonbPGetDatum(mask_json(inside, DatumGetJsonbP(value)));
	if (type == JSONOID)
	{
		Jsonb *read = DatumGetJsonbP(DirectFunctionCall1(
			jsonb_in, CStringGetDatum(TextDatumGetCString(value))));
		Jsonb *masked = mask_json(inside, read);

		return CStringGetTextDatum(
			JsonbToCString(NULL, &masked->root, VARSIZE(masked)));
	}
	if (type == XMLOID)
	{
		text *masked = mask_xml(inside, TextDatumGetCString(value));

		*isnull = masked == NULL;
		return PointerGetDatum(masked);
	}
	if (OidIsValid(get_element_type(type)))
		return mask_array(inside, DatumGetArrayTypeP(value));
	if (get_typtype(type) == TYPTYPE_COMPOSITE)
		return mask_row(inside, DatumGetHeapTupleHeader(value));
	if (type == inside->hstore || is_hstore(type))
	{
		inside->hstore = type;
		return mask_pairs(inside, type, value, isnull);
	}
	if (is_kept(inside))
		return value;
	refuse_type(inside, type);
	return mask_plain(inside, type, modifier, value, isnull);
}

/* The texts of an argument, which may be NULL. */
static void
take_texts(Inside *inside, FunctionCallInfo fcinfo, int argument)
{
	SdcScrubRow row = sdcpg_scrub_row(fcinfo, argument, argument);

	inside->texts = row.count;
	inside->text = row.known;
}

/*
 * mask_inside(value anyelement, paths jsonb, names text[], texts text[],
 *		known text[], become text[]) returns anyelement
 */
Datum
sdcf_mask_inside(PG_FUNCTION_ARGS)
{
	Inside *inside;
	Oid type;
	Datum result;
	bool isnull;

	sdcpg_args_need(fcinfo, 1);
	type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	if (fcinfo->flinfo->fn_extra == NULL &&
		(!OidIsValid(type) || !sdcpg_inside_has(getBaseType(type))))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("a value of type %s has nothing inside",
						OidIsValid(type) ? format_type_be(type) : "unknown"),
				 errdetail("It must be JSON, XML, hstore, an array or of a "
						   "composite type.")));
	if (!JB_ROOT_IS_OBJECT(PG_GETARG_JSONB_P(1)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"paths\" must be a JSON object")));
	inside = inside_of(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	take_texts(inside, fcinfo, 3);
	inside->row = sdcpg_scrub_row(fcinfo, 4, 5);
	inside->depth = 0;
	result =
		mask_value(inside, getBaseType(type), -1, PG_GETARG_DATUM(0), &isnull);
	if (isnull)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(result);
}
