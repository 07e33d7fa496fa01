/*
 * hierarchy_prefix.c
 *		Hierarchies that redact characters: 53715, 5371*, 537**, ...
 *
 * {"length": 5} keeps 4, 3, 2, 1 and 0 of five characters; {"keep": [3, 2]}
 * keeps three and two, and * is the level above.  With a length all values are
 * printed with that length, and longer ones have no rule; without, the length
 * of a value stays to be seen until the last level.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "pg/call/args.h"
#include "pg/server/compat.h"
#include "pg/generalization/hierarchy_kind.h"
#include "pg/call/params.h"

#define MAX_LENGTH 1000

typedef struct Prefix
{
	int *keep;  /* characters that level 1, 2, ... keeps */
	int length; /* of all values, or 0 */
	bool from_end;
	char *fill; /* one character */
} Prefix;

static const char *const sides[] = {"start", "end", NULL};
static const char *const keys[] = {"keep", "length", "from", "fill", NULL};

static void
read_keep(SdcHierarchyRule *rule, Prefix *prefix, const SdcHierarchyList *list)
{
	int i;

	prefix->keep = palloc(sizeof(int) * (list->count + 1));
	for (i = 0; i < list->count; i++)
	{
		prefix->keep[i] = sdcpg_hierarchy_item_integer(list, i, 1, MAX_LENGTH);
		if (i > 0 && prefix->keep[i] >= prefix->keep[i - 1])
			sdcpg_hierarchy_not_nested("keep", i,
									   "must be less than the one before it");
	}
	rule->levels = list->count + 2;
}

/* One character less on each level, down to none. */
static void
count_down(SdcHierarchyRule *rule, Prefix *prefix)
{
	int i;

	if (prefix->length == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"params\" must have the key \"keep\" or "
						"the key \"length\"")));
	sdcpg_hierarchy_check_levels(prefix->length + 1);
	prefix->keep = palloc(sizeof(int) * prefix->length);
	for (i = 0; i < prefix->length; i++)
		prefix->keep[i] = prefix->length - 1 - i;
	rule->levels = prefix->length + 1;
}

static char *
read_fill(Jsonb *params)
{
	JsonbValue *value = sdcpg_hierarchy_value(params, "fill");

	if (value == NULL)
		return "*";
	if (value->type != jbvString ||
		pg_mbstrlen_with_len(value->val.string.val, value->val.string.len) !=
			1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("key \"fill\" in argument \"params\" must be "
							   "one character")));
	return pnstrdup(value->val.string.val, value->val.string.len);
}

static void
parse_prefix(SdcHierarchyRule *rule, Jsonb *params)
{
	SdcHierarchyList keep = sdcpg_hierarchy_list(params, "keep", false);
	Prefix *prefix = palloc0(sizeof(Prefix));

	prefix->length =
		(int) sdcpg_params_integer(params, "length", 0, 1, MAX_LENGTH);
	prefix->from_end = sdcpg_params_choice(params, "from", sides) == 1;
	prefix->fill = read_fill(params);
	sdcpg_hierarchy_check_levels(keep.count + 2);
	if (keep.container == NULL)
		count_down(rule, prefix);
	else
		read_keep(rule, prefix, &keep);
	rule->detail = prefix;
}

static void
append_fill(StringInfo label, const Prefix *prefix, int count)
{
	while (count-- > 0)
		appendStringInfoString(label, prefix->fill);
}

/* Bytes of the first count characters. */
static int
bytes_of(const char *text, int length, int count)
{
	return pg_mbcharcliplen(text, length, count);
}

static bool
label_prefix(const SdcHierarchyRule *rule, SdcHierarchyInput *input,
			 Datum value, int level, StringInfo label)
{
	const Prefix *prefix = rule->detail;
	int characters;
	int hidden;
	char *text;
	int length;
	int bytes;

	sdcpg_hierarchy_append_text(input, value, label);
	characters = pg_mbstrlen_with_len(label->data, label->len);
	if (prefix->length > 0 && characters > prefix->length)
		return false;
	if (level == 0)
		return true;
	hidden = Max(characters - prefix->keep[level - 1], 0);
	text = pnstrdup(label->data, label->len);
	length = label->len;
	resetStringInfo(label);
	if (!prefix->from_end)
	{
		bytes = bytes_of(text, length, characters - hidden);
		appendBinaryStringInfo(label, text, bytes);
	}
	append_fill(label, prefix,
				prefix->length > 0 ? prefix->length - characters + hidden
								   : hidden);
	if (prefix->from_end)
	{
		bytes = bytes_of(text, length, hidden);
		appendBinaryStringInfo(label, text + bytes, length - bytes);
	}
	pfree(text);
	return true;
}

const SdcHierarchyKind sdcpg_hierarchy_prefix = {
	.name = "prefix",
	.keys = keys,
	.parse = parse_prefix,
	.label = label_prefix,
};
