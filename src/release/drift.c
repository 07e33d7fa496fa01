/*
 * drift.c
 *		What has changed in a table since somebody decided about it; and
 *		releases on a schedule.
 *
 * A column that was added last week is the usual way by which names and
 * addresses leave a house: nothing masks it, and nobody looks.  So what nobody
 * has decided about is not released.
 */
#include "postgres.h"

#include <ctype.h>

#include "catalog/pg_type.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/formatting.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "release/gate.h"
#include "release/history.h"
#include "release/policy.h"
#include "topic/attack/known.h"
#include "topic/attack/likelihood_written.h"
#include "topic/mask/rules.h"
#include "topic/registry/roles.h"
#include "topic/risk/risk.h"

PG_FUNCTION_INFO_V1(sdcf_drift);

static List *
add(List *found, const char *column, char *reason)
{
	SdcDrift *drift = palloc(sizeof(SdcDrift));

	drift->column = pstrdup(column);
	drift->reason = reason;
	return lappend(found, drift);
}

/* The type that a list has for a column; NULL when the column is not in it. */
static char *
listed_type(Jsonb *columns, const char *name)
{
	int i;

	for (i = 0; i < JB_ROOT_COUNT(columns); i++)
	{
		Jsonb *column = JsonbValueToJsonb(
			getIthJsonbValueFromContainer(&columns->root, i));

		if (strcmp(sdcpg_params_text(column, "name"), name) == 0)
			return sdcpg_params_text(column, "type");
	}
	return NULL;
}

/* Columns of the list that the table has not any more. */
static List *
add_gone(List *found, const SdcRelation *relation, Jsonb *columns,
		 const char *when)
{
	int i;

	for (i = 0; i < JB_ROOT_COUNT(columns); i++)
	{
		Jsonb *column = JsonbValueToJsonb(
			getIthJsonbValueFromContainer(&columns->root, i));
		char *name = sdcpg_params_text(column, "name");

		if (get_attnum(relation->oid, name) == InvalidAttrNumber)
			found = add(found, name,
						psprintf("It was dropped or renamed since %s.", when));
	}
	return found;
}

/* The next column of the list, from a place on, that the table still has. */
static const char *
next_listed(const SdcRelation *relation, Jsonb *columns, int *place)
{
	while (*place < JB_ROOT_COUNT(columns))
	{
		Jsonb *column = JsonbValueToJsonb(
			getIthJsonbValueFromContainer(&columns->root, (*place)++));
		const char *name = sdcpg_params_text(column, "name");

		if (get_attnum(relation->oid, name) != InvalidAttrNumber)
			return name;
	}
	return "";
}

/*
 * How the columns of a table differ from those of a list as
 * sdcpg_policy_columns makes it: added, retyped, swapped, gone.  Columns stay
 * in their order, whatever is added and dropped, so one in another place of
 * the order has taken the name of another one.  when ends the sentences: "the
 * policy was written".  A list of SdcDrift.
 */
static List *
drift_since(const SdcRelation *relation, Jsonb *columns, const char *when)
{
	SdcRelationColumns present = sdcpg_relation_all_columns(relation);
	List *found = NIL;
	int place = 0;
	int i;

	for (i = 0; i < present.count; i++)
	{
		const SdcRelationColumn *column = &present.column[i];
		char *then = listed_type(columns, column->name);
		char *now = sdcpg_roles_type(relation, column);

		if (then == NULL)
			found = add(found, column->name,
						psprintf("It was added since %s.", when));
		else if (strcmp(next_listed(relation, columns, &place),
						column->name) != 0)
			found = add(found, column->name,
						psprintf("It or a column beside it was made anew "
								 "or has taken another one's name since %s.",
								 when));
		else if (strcmp(then, now) != 0)
			found = add(found, column->name,
						psprintf("Its type is %s; it was %s when %s.", now,
								 then, when));
	}
	return add_gone(found, relation, columns, when);
}

/* Does a policy say in its params what a column is? */
static bool
is_in_params(const SdcPolicyParams *params, AttrNumber number)
{
	return (params->id != NULL && params->id->number == number) ||
		   sdcpg_relation_lists(&params->keys, number) ||
		   sdcpg_relation_lists(&params->sensitive, number) ||
		   sdcpg_relation_lists(&params->drop, number);
}

/* Does a rule publish something that was made of a person's own value? */
static bool
tells_values(const SdcRule *rule)
{
	return rule->method->likelihood != SDC_LIKELIHOOD_NONE &&
		   (rule->method->traits & SDC_MASK_KEYED) == 0;
}

/* What a policy and the declaration say of a column. */
typedef struct Said
{
	const SdcRoleColumn *role; /* NULL: none */
	const SdcRule *rule;       /* NULL: none */
	bool in_params;
	bool joins; /* do equal pseudonyms tell which rows are of one person? */
} Said;

/*
 * Why a column may not be published as the policy says; NULL: it may.  The
 * attacks give the intruder the keys.  What he may know of the rest is said by
 * a role: a column that he knows and that no attack is given would be found
 * by him, and by nobody here.
 */
static char *
why_undecided(const Said *said, bool look_up)
{
	if (said->role == NULL && said->rule == NULL && !said->in_params)
		return "Nobody has decided about it: it has no role and no rule.";
	if (said->joins && !look_up)
		return "Its pseudonyms tell which records are of one person, and no "
			   "attack was given that. Declare it as the person, or as "
			   "insensitive if it names none.";
	if (said->rule == NULL || look_up || !tells_values(said->rule))
		return NULL;
	if (said->role != NULL && said->role->role == SDC_ROLE_IDENTIFIER &&
		(said->rule->method->traits & SDC_MASK_IDLE) != 0)
		return "It names people, and its rule publishes it as it is.";
	if (said->role == NULL && !said->in_params)
		return "Published, and nobody has said whether others may know it. "
			   "Declare it as a key, sensitive or insensitive.";
	return NULL;
}

/* Has a column a value twice? */
static bool
repeats(const SdcRelation *relation, const SdcRelationColumn *column)
{
	SdcRelationColumn one = *column;
	SdcRelationColumns columns = {1, &one};

	return sdcpg_type_has_equality(getBaseType(column->type)) &&
		   sdcpg_catalog_read(
			   psprintf("SELECT 1 FROM (%s) AS h (size, classes)"
						" WHERE h.size OPERATOR(pg_catalog.>) 1 LIMIT 1",
						sdcpg_query_class_sizes(relation, "", &columns)),
			   NULL)
				   ->count > 0;
}

/*
 * Are equal pseudonyms of a column published, and nobody has said whose?  An
 * identifier is a person's; a key, or a column without a role, may be.
 */
static bool
joins_records(const Said *said, const SdcRelation *relation,
			  const SdcRelationColumn *column)
{
	return said->rule != NULL &&
		   (said->rule->method->traits & SDC_MASK_KEYED) != 0 &&
		   (said->role == NULL || said->role->role == SDC_ROLE_KEY ||
			said->role->role == SDC_ROLE_IDENTIFIER) &&
		   repeats(relation, column);
}

/* ----------------------------------------------------------------------
 * Columns that are what is kept back, in another form.
 *
 * The id is not published, nor are persons and households, and no attack is
 * given them.  A copy of one, a text that holds it or a digest of it is as
 * good: whoever knows it finds the record.  A key may be one, as attacks are
 * given keys.  A running number in its order is none: that an id is given out
 * in the order of time says nothing of who knows it.
 * ----------------------------------------------------------------------
 */

/* Rows that are looked at; how many of them, and what share, tell that it is
 * one, and what share where it cannot be chance; how many are looked at before
 * a form that none has is given up. */
#define LOOKED_AT 1000
#define LEAST     5
#define SHARE     2
#define SURE      10
#define EARLY     100

/* Characters of a name that none has by chance. */
#define SURE_NAME 4

/* Rows of a large table of which they are drawn, and when it is large. */
#define DRAWN_OF 20000.0
#define LARGE    100000.0

/* Characters of a value that are looked at. */
#define LONGEST "4000"

/* Characters of a digest that are compared, at the most and at the least. */
#define DIGEST_PIECE 8
#define DIGEST_LEAST 4

/* The only number in a text, as a text of its own; NULL: none, or several. */
static char *
only_number(const char *text)
{
	const char *digits = "0123456789";
	const char *first = text + strcspn(text, digits);
	size_t n = strspn(first, digits);

	return n == 0 || first[n + strcspn(first + n, digits)] != '\0'
			   ? NULL
			   : pnstrdup(first, n);
}

/* Does a text hold a name as a word, but for zeros before it, or as its only
 * number? */
static bool
holds_name(const char *text, const char *name)
{
	size_t length;
	const char *word;
	size_t n;

	name += strspn(name, "0");
	length = strlen(name);
	for (word = text; *word != '\0'; word += n)
	{
		word += strspn(word, "0");
		for (n = 0; isalnum((unsigned char) word[n]) || (word[n] & 0x80); n++)
			;
		if (n == length && n > 0 && pg_strncasecmp(word, name, n) == 0)
			return true;
		n += word[n] != '\0';
	}
	if (strspn(name, "0123456789") == length && only_number(text) != NULL)
		return strcmp(only_number(text) + strspn(only_number(text), "0"),
					  name) == 0;
	/* a name that has signs in it */
	return length > 0 && pg_strcasecmp(text, name) == 0;
}

/* Does a text hold the beginning of a digest of a name, written so? */
static bool
holds_digest(const char *text, const char *name, const SdcWritten *written)
{
	char *made = sdcpg_written(written, name);
	const char *seen = written->writing == SDC_AS_HEX
						   ? asc_tolower(text, strlen(text))
						   : sdcpg_written_see(written, text, 0, 0);

	if (made == NULL || seen == NULL || strlen(seen) < DIGEST_LEAST)
		return false;
	if (strlen(seen) < DIGEST_PIECE)
		return strncmp(seen, made, strlen(seen)) == 0;
	made[DIGEST_PIECE] = '\0';
	return strstr(seen, made) != NULL;
}

/* Is a text a name that was written with other letters or digits? */
static bool
is_coded(const char *text, const char *name, const SdcWritten *written)
{
	char *made = sdcpg_written(written, name);
	const char *seen;

	if (made == NULL || written->base > 0)
		return made != NULL && holds_name(text, made);
	seen = sdcpg_written_see(written, text, 0, 0);
	return seen != NULL && strcmp(seen, made) == 0;
}

/* The forms: the name itself, digests in two ways of writing, the name in
 * these two, and a number to another base. */
static int
digest_forms(void)
{
	return 2 * sdcpg_written_digests(false) - 1;
}

static int
all_forms(void)
{
	int forms = digest_forms() + 2;
	int base = 0;

	while (sdcpg_written_base(base) > 0)
		base++;
	return forms + base;
}

/* Does a form of a name stand in a text? */
static bool
holds_form(const char *text, const char *name, int form)
{
	int digests = digest_forms();
	SdcWritten written = {.digest = form < digests ? (form + 1) / 2 : 0,
						  .writing =
							  form % 2 == 1 ? SDC_AS_HEX : SDC_AS_BASE64};

	if (form == 0)
		return holds_name(text, name);
	if (form < digests)
		return holds_digest(text, name, &written);
	if (form >= digests + 2)
	{
		written.writing = SDC_AS_TEXT;
		written.base = sdcpg_written_base(form - digests - 2);
	}
	return is_coded(text, name, &written);
}

/* How many rows have a form, as far as they were looked at. */
typedef struct Tells
{
	int64 both; /* rows with both values */
	int64 hold;
	int64 sure; /* of these, of names that nobody has by chance */
} Tells;

static void
count_row(Tells *tells, bool holds, bool sure)
{
	tells->both++;
	tells->hold += holds;
	tells->sure += holds && sure;
}

/* A form that no early row has is none. */
static bool
is_none(const Tells *tells)
{
	return tells->both == EARLY && tells->hold == 0;
}

/* Do rows enough have it? */
static bool
is_told(const Tells *tells)
{
	return tells->hold >= LEAST &&
		   (SHARE * tells->hold >= tells->both ||
			(tells->sure >= LEAST && SURE * tells->sure >= tells->both));
}

static bool
is_sure(const char *name)
{
	return strlen(name + strspn(name, "0")) >= SURE_NAME;
}

/* Rows of a table: a column that is kept back, and those that are shown. */
typedef struct Drawn
{
	const SdcRelationColumn *kept;
	SdcRelationColumns shown;
	const SdcCatalogRows *rows;
} Drawn;

/* A value of a row as a text; NULL for NULL. */
static char *
value_of(const Drawn *drawn, int64 row, int column)
{
	return drawn->rows->isnull[row][column]
			   ? NULL
			   : TextDatumGetCString(drawn->rows->value[row][column]);
}

/* Is a form of what is kept back what rows have in a column? */
static bool
is_form(const Drawn *drawn, int column, int form)
{
	Tells tells = {0};
	int64 i;

	for (i = 0; i < drawn->rows->count && !is_none(&tells); i++)
	{
		char *name = value_of(drawn, i, 0);
		char *text = value_of(drawn, i, column + 1);

		if (text == NULL)
			continue;
		count_row(&tells, holds_form(text, name, form),
				  (form > 0 && form < digest_forms()) || is_sure(name));
		pfree(text);
	}
	return is_told(&tells);
}

/* A text without what stands between its letters and digits, and without
 * zeros before it; NULL: it has other signs, as a point. */
static char *
bare(const char *text)
{
	char *out = palloc(strlen(text) + 1);
	char *at = out;

	for (; *text != '\0'; text++)
	{
		if (isalnum((unsigned char) *text) || (*text & 0x80) != 0)
			*at++ = *text;
		else if (strchr(" -/_", *text) == NULL)
			return NULL;
	}
	*at = '\0';
	return out + strspn(out, "0");
}

/* Is a name one part with another one, of any width, behind it? */
static bool
is_joined(const char *first, const char *second, const char *name)
{
	size_t length;

	if (first == NULL || second == NULL || name == NULL)
		return false;
	length = strlen(first);
	if (length == 0 || length >= strlen(name) ||
		pg_strncasecmp(first, name, length) != 0)
		return false;
	name += length;
	return pg_strcasecmp(name + strspn(name, "0"), second) == 0;
}

/* Do two columns, one behind the other, make what is kept back?  Short names
 * might be made so by chance. */
static bool
is_split(const Drawn *drawn, int first, int second)
{
	Tells tells = {0};
	int64 i;

	for (i = 0; i < drawn->rows->count && !is_none(&tells); i++)
	{
		char *name = value_of(drawn, i, 0);
		char *one = value_of(drawn, i, first + 1);
		char *other = value_of(drawn, i, second + 1);

		if (one != NULL && other != NULL && is_sure(name))
			count_row(&tells, is_joined(bare(one), bare(other), bare(name)),
					  true);
	}
	return is_told(&tells);
}

/* Reads so many rows of all of a table, or of its blocks. */
static const SdcCatalogRows *
read_drawn(const SdcRelation *relation, const SdcRelationColumn *id,
		   const Drawn *drawn, const char *blocks)
{
	StringInfoData columns;
	StringInfoData texts;
	int i;

	initStringInfo(&columns);
	initStringInfo(&texts);
	for (i = 0; i < drawn->shown.count; i++)
	{
		const SdcRelationColumn *column = &drawn->shown.column[i];

		appendStringInfo(&columns, ", r.%s", column->sql);
		appendStringInfo(&texts, ", pg_catalog.left(%s, " LONGEST ")",
						 sdcpg_query_cast(column, "text"));
	}
	return sdcpg_catalog_read(
		psprintf("SELECT %s%s FROM (SELECT r.%s%s FROM %s AS r%s"
				 " WHERE r.%s IS NOT NULL %s) AS r",
				 sdcpg_query_cast(drawn->kept, "text"), texts.data,
				 drawn->kept->sql, columns.data, relation->sql, blocks,
				 drawn->kept->sql,
				 sdcpg_known_drawn(id != NULL ? id : drawn->kept, LOOKED_AT)),
		NULL);
}

/* Draws rows that are spread over the table: the first ones may be older, and
 * made otherwise. */
static Drawn *
draw(const SdcRelation *relation, const SdcRelationColumn *id,
	 const SdcRelationColumn *kept, const SdcRelationColumns *shown)
{
	Drawn *drawn = palloc0(sizeof(Drawn));
	char *blocks = sdcpg_catalog_blocks(relation->oid, DRAWN_OF, LARGE);
	int i;

	drawn->kept = kept;
	drawn->shown.column = palloc(sizeof(SdcRelationColumn) * shown->count);
	for (i = 0; i < shown->count; i++)
		if (shown->column[i].number != kept->number)
			drawn->shown.column[drawn->shown.count++] = shown->column[i];
	drawn->rows = read_drawn(relation, id, drawn, blocks);
	if (drawn->rows->count < LOOKED_AT && *blocks != '\0')
		drawn->rows = read_drawn(relation, id, drawn, "");
	return drawn;
}

/* Is a column published with its own values? */
static bool
is_shown_as_is(const SdcRules *rules, List *published,
			   const SdcRelationColumn *column)
{
	const SdcRule *rule = sdcpg_rules_of(rules, column->number);

	return sdcpg_params_is_listed(published, column->name) &&
		   (rule == NULL || (rule->method->traits & SDC_MASK_IDLE) != 0);
}

/* The columns that are published as they are. */
static SdcRelationColumns
shown_as_is(const SdcRelationColumns *present, const SdcRules *rules,
			List *published)
{
	SdcRelationColumns shown = {0};
	int i;

	shown.column = palloc(sizeof(SdcRelationColumn) * (present->count + 1));
	for (i = 0; i < present->count; i++)
		if (is_shown_as_is(rules, published, &present->column[i]))
			shown.column[shown.count++] = present->column[i];
	return shown;
}

/* Rows with each column that is kept back: the id, persons and households.
 * What is published itself is told by its rule. */
static List *
draw_kept(const SdcRelation *relation, const SdcPolicyParams *params,
		  const SdcRoles *declared, const SdcRelationColumns *shown)
{
	List *found = NIL;
	int i;

	if (shown->count == 0)
		return NIL;
	if (params->id != NULL && !sdcpg_relation_lists(shown, params->id->number))
		found = lappend(found, draw(relation, params->id, params->id, shown));
	for (i = 0; i < declared->count; i++)
	{
		const SdcRoleColumn *role = &declared->column[i];
		SdcRelationColumn *kept = palloc(sizeof(SdcRelationColumn));

		if ((role->role != SDC_ROLE_PERSON &&
			 role->role != SDC_ROLE_HOUSEHOLD) ||
			get_attnum(relation->oid, role->name) == InvalidAttrNumber)
			continue;
		*kept = sdcpg_relation_column(relation, role->name);
		if (!sdcpg_relation_lists(shown, kept->number))
			found = lappend(found, draw(relation, params->id, kept, shown));
	}
	return found;
}

/* The column kept back that one which is published as it is tells; or NULL. */
static const char *
tells_kept(List *drawn, const SdcRelationColumn *column)
{
	ListCell *cell;

	foreach (cell, drawn)
	{
		const Drawn *rows = lfirst(cell);
		int place = sdcpg_relation_place(&rows->shown, column->number);
		int form;

		for (form = 0; place >= 0 && form < all_forms(); form++)
			if (is_form(rows, place, form))
				return rows->kept->name;
	}
	return NULL;
}

/* Does the policy say on purpose that there is nothing to attack? */
static bool
is_look_up(const SdcPolicyRelation *policy)
{
	return sdcpg_policy_attacks_none(policy->params) &&
		   sdcpg_gate_read(policy->constraints).count == 0;
}

/* Is a column a key, which attacks are given? */
static bool
is_known_key(const Said *said, const SdcPolicyParams *params,
			 const SdcRelationColumn *column)
{
	return sdcpg_relation_lists(&params->keys, column->number) ||
		   (said->role != NULL && said->role->role == SDC_ROLE_KEY);
}

/*
 * Columns that tell what is kept back together with another one that is
 * published, as a branch and a number within it; asked are those that do not
 * by themselves and that no attack is given.
 */
static List *
add_split(List *found, List *drawn, const SdcRelationColumns *asked)
{
	ListCell *cell;
	int i;
	int j;

	foreach (cell, drawn)
	{
		const Drawn *rows = lfirst(cell);

		for (i = 0; i < asked->count; i++)
		{
			const SdcRelationColumn *column = &asked->column[i];
			int place = sdcpg_relation_place(&rows->shown, column->number);

			for (j = 0; place >= 0 && j < rows->shown.count; j++)
			{
				CHECK_FOR_INTERRUPTS();
				if (j == place ||
					(!is_split(rows, place, j) && !is_split(rows, j, place)))
					continue;
				found = add(found, column->name,
							psprintf("Together with column \"%s\" it tells "
									 "column \"%s\", which is kept back and "
									 "given to no attack. Drop it, give it a "
									 "rule, or declare both as keys.",
									 rows->shown.column[j].name,
									 rows->kept->name));
				break;
			}
		}
	}
	return found;
}

/* Columns nobody decided about, that were declared for another type, or that
 * tell what is kept back. */
static List *
add_undecided(List *found, const SdcRelation *relation,
			  const SdcPolicyRelation *policy)
{
	SdcRelationColumns present = sdcpg_relation_all_columns(relation);
	SdcPolicyParams params =
		sdcpg_policy_params_read(policy->params, relation);
	SdcRules rules = sdcpg_rules_read(policy->rules, relation);
	SdcRoles *declared = sdcpg_roles_look_up(relation->oid);
	bool look_up = is_look_up(policy);
	SdcRelationColumns shown = shown_as_is(
		&present, &rules,
		sdcpg_published_columns(policy, &params, relation, relation));
	List *drawn =
		look_up ? NIL : draw_kept(relation, &params, declared, &shown);
	SdcRelationColumns asked = {
		0, palloc(sizeof(SdcRelationColumn) * (present.count + 1))};
	int i;

	for (i = 0; i < present.count; i++)
	{
		const SdcRelationColumn *column = &present.column[i];
		char *type = sdcpg_roles_type(relation, column);
		const char *kept = NULL;
		Said said = {sdcpg_roles_declared(declared, column->name),
					 sdcpg_rules_of(&rules, column->number)};
		char *why;

		said.in_params = is_in_params(&params, column->number);
		said.joins = joins_records(&said, relation, column);
		why = why_undecided(&said, look_up);
		if (said.role != NULL && strcmp(said.role->type, type) != 0)
			found = add(found, column->name,
						psprintf("Its type was %s when it was declared, and "
								 "is now %s.",
								 said.role->type, type));
		else if (said.role != NULL && said.role->moved)
			found = add(found, column->name, pstrdup(SDC_ROLES_MOVED));
		else if (why != NULL)
			found = add(found, column->name, pstrdup(why));
		else if (!is_known_key(&said, &params, column))
		{
			kept = tells_kept(drawn, column);
			if (kept == NULL)
				asked.column[asked.count++] = *column;
		}
		if (kept != NULL)
			found = add(found, column->name,
						psprintf("It tells column \"%s\", which is kept back "
								 "and given to no attack. Drop it, give it a "
								 "rule, or declare it as a key.",
								 kept));
	}
	return add_split(found, drawn, &asked);
}

List *
sdcpg_drift_find(const SdcRelation *relation, const SdcPolicyRelation *policy)
{
	List *found =
		drift_since(relation, policy->columns, "the policy was written");

	/* a rule of a column that is gone would stop the reader of rules */
	if (found != NIL || sdcpg_params_has(policy->params, "protect"))
		return found;
	return add_undecided(found, relation, policy);
}

/* The last release that was published by a policy; 0 for none. */
static int64
last_release(const char *policy)
{
	SdcReleases releases = sdcpg_history_of_policy(policy);
	int64 last = 0;
	int i;

	for (i = 0; i < releases.count; i++)
		if (strcmp(releases.release[i].status, "published") == 0)
			last = releases.release[i].release;
	return last;
}

/* What a policy says of a table. */
static const SdcPolicyRelation *
policy_relation(const SdcPolicy *policy, Oid oid)
{
	int i = 0;

	while (policy->relation[i].oid != oid)
		i++;
	return &policy->relation[i];
}

/*
 * How the columns of a table differ from those that its policies, of those
 * the caller sees, were written for.  A list of SdcDrift; the reasons say
 * which release was the last.
 */
static List *
drift_of_policies(const SdcRelation *relation)
{
	List *found = NIL;
	ListCell *cell;

	foreach (cell, sdcpg_policies_of(relation->oid))
	{
		const SdcPolicy *policy = lfirst(cell);
		int64 last = last_release(policy->name);
		char *since =
			last == 0
				? psprintf("policy \"%s\" was written, which has released "
						   "nothing yet",
						   policy->name)
				: psprintf("policy \"%s\" was written, whose last release "
						   "is " INT64_FORMAT,
						   policy->name, last);

		found = list_concat(
			found, drift_since(relation,
							   policy_relation(policy, relation->oid)->columns,
							   since));
	}
	return found;
}

/* Is a column there, of the type that it was declared with? */
static bool
is_as_declared(const SdcRelation *relation, const SdcRoleColumn *role)
{
	SdcRelationColumn column;

	if (get_attnum(relation->oid, role->name) == InvalidAttrNumber)
		return false;
	column = sdcpg_relation_column(relation, role->name);
	return !role->moved &&
		   strcmp(sdcpg_roles_type(relation, &column), role->type) == 0;
}

/*
 * Columns that are as declared, but not as they were when a policy was
 * written: the next release by it will stop for them.
 */
static void
put_unreleased(ReturnSetInfo *result, const SdcRelation *relation,
			   const SdcRoles *declared)
{
	ListCell *cell;

	foreach (cell, drift_of_policies(relation))
	{
		const SdcDrift *drift = lfirst(cell);
		const SdcRoleColumn *role =
			sdcpg_roles_declared(declared, drift->column);

		if (role != NULL && is_as_declared(relation, role))
			sdcpg_suggestion_put(result, drift->column,
								 sdcpg_roles_word(role->role), drift->reason,
								 NULL);
	}
}

/*
 * drift(relation regclass)
 */
Datum
sdcf_drift(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcRelation *relation;
	SdcRoles *declared;
	SdcPgHost *host;

	sdcpg_args_need(fcinfo, 0);
	relation = sdcpg_relation_find(PG_GETARG_OID(0));
	declared = sdcpg_roles_look_up(relation->oid);
	host = sdcpg_host_begin("drift", CurrentMemoryContext);
	sdcpg_suggestion_put_drift(result, host, relation, declared);
	put_unreleased(result, relation, declared);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * Releases on a schedule, by pg_cron.
 *
 * The job belongs to the caller and runs as him; what it does is in its
 * command, as literals.  pg_cron knows jobs by user and name, so the name is
 * made of the policy, and scheduling again replaces the job.
 * ----------------------------------------------------------------------
 */

/*
 * Stops unless pg_cron is in this database.  A schema "cron" that somebody
 * made is not taken for it: the function must belong to the extension.
 */
static void
need_cron(void)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(
		"SELECT 1 FROM pg_catalog.pg_extension AS e"
		" JOIN pg_catalog.pg_depend AS d"
		" ON d.refobjid OPERATOR(pg_catalog.=) e.oid"
		" AND d.refclassid OPERATOR(pg_catalog.=)"
		" 'pg_catalog.pg_extension'::pg_catalog.regclass"
		" AND d.classid OPERATOR(pg_catalog.=)"
		" 'pg_catalog.pg_proc'::pg_catalog.regclass"
		" JOIN pg_catalog.pg_proc AS p"
		" ON p.oid OPERATOR(pg_catalog.=) d.objid"
		" JOIN pg_catalog.pg_namespace AS n"
		" ON n.oid OPERATOR(pg_catalog.=) p.pronamespace"
		" WHERE e.extname OPERATOR(pg_catalog.=) 'pg_cron'::pg_catalog.name"
		" AND p.proname OPERATOR(pg_catalog.=) 'schedule'::pg_catalog.name"
		" AND n.nspname OPERATOR(pg_catalog.=) 'cron'::pg_catalog.name"
		" AND p.pronargs OPERATOR(pg_catalog.=) 3::pg_catalog.int2",
		NULL);

	if (rows->count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("extension pg_cron is not in this database"),
				 errdetail("Scheduled releases are run by pg_cron 1.4 or "
						   "later, in the database that it runs in."),
				 errhint("Install pg_cron, or have systemd, cron or another "
						 "scheduler CALL sdc.release.")));
}

static char *
job_name(const char *policy)
{
	return psprintf("sdc release: %s", policy);
}

/* The number of the caller's job of a policy; 0 without one. */
static int64
find_job(const char *policy)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind_text(&parameters, job_name(policy));
	rows = sdcpg_catalog_read(
		"SELECT j.jobid FROM cron.job AS j"
		" WHERE j.jobname::pg_catalog.text OPERATOR(pg_catalog.=) $1"
		" AND j.username::pg_catalog.text OPERATOR(pg_catalog.=)"
		" CURRENT_USER::pg_catalog.text",
		&parameters);
	return rows->count == 0 ? 0 : DatumGetInt64(rows->value[0][0]);
}

/*
 * Has pg_cron call release(policy, target) on a schedule, as the caller, in
 * place of the job that there is for this policy; returns the number of the
 * job.  target may be NULL.
 */
static int64
sdcpg_schedule(const char *policy, const char *schedule, const char *target)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	char *command;

	sdcpg_policy_need_owner(sdcpg_policy_find(policy));
	need_cron();
	command = psprintf("CALL sdc.release(policy => %s, target => %s)",
					   quote_literal_cstr(policy),
					   target == NULL ? "NULL" : quote_literal_cstr(target));
	sdcpg_catalog_bind_text(&parameters, job_name(policy));
	sdcpg_catalog_bind_text(&parameters, schedule);
	sdcpg_catalog_bind_text(&parameters, command);
	rows = sdcpg_catalog_read("SELECT cron.schedule($1, $2, $3)", &parameters);
	return DatumGetInt64(rows->value[0][0]);
}

/* Removes the caller's job of a policy; returns its number, 0 without one. */
static int64
schedule_end(const char *policy)
{
	SdcCatalogParameters parameters = {0};
	int64 job;

	need_cron();
	job = find_job(policy);
	if (job == 0)
		return 0;
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(job), false);
	(void) sdcpg_catalog_read("SELECT cron.unschedule($1)", &parameters);
	return job;
}

/* ----------------------------------------------------------------------
 * sdc.schedule: releases on a schedule.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_schedule);

/*
 * schedule(policy text, schedule text, target text)
 */
Datum
sdcf_schedule(PG_FUNCTION_ARGS)
{
	char *policy;
	int64 job;

	policy = sdcpg_args_text(fcinfo, 0);
	if (PG_ARGISNULL(1))
	{
		job = schedule_end(policy);
		if (job == 0)
			PG_RETURN_NULL();
		PG_RETURN_INT64(job);
	}
	PG_RETURN_INT64(sdcpg_schedule(
		policy, text_to_cstring(PG_GETARG_TEXT_PP(1)),
		PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2))));
}
