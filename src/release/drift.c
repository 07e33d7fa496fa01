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

/*
 * How the columns of a table differ from those of a list as
 * sdcpg_policy_columns makes it: added, retyped, gone.  when ends the
 * sentences: "the policy was written".  A list of SdcDrift.
 */
static List *
drift_since(const SdcRelation *relation, Jsonb *columns, const char *when)
{
	SdcRelationColumns present = sdcpg_relation_all_columns(relation);
	List *found = NIL;
	int i;

	for (i = 0; i < present.count; i++)
	{
		const SdcRelationColumn *column = &present.column[i];
		char *then = listed_type(columns, column->name);
		char *now = sdcpg_roles_type(relation, column);

		if (then == NULL)
			found = add(found, column->name,
						psprintf("It was added since %s.", when));
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

/* Rows that are looked at, and of them how many tell that it is one. */
#define LOOKED_AT "1000"
#define LEAST     5

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

/* Does a form of a name stand in a text?  The first one is the name itself,
 * then come the digests, written in two ways. */
static bool
holds_form(const char *text, const char *name, int form)
{
	SdcWritten written = {.digest = (form + 1) / 2,
						  .writing =
							  form % 2 == 1 ? SDC_AS_HEX : SDC_AS_BASE64};

	return form == 0 ? holds_name(text, name)
					 : holds_digest(text, name, &written);
}

/* Is a form of the first column what most rows have in the second one? */
static bool
is_form(const SdcCatalogRows *rows, int form)
{
	int64 both = 0;
	int64 hold = 0;
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		/* a form that no early row has is none */
		if (both == 8 * LEAST && hold == 0)
			return false;
		if (rows->isnull[i][0] || rows->isnull[i][1])
			continue;
		both++;
		hold += holds_form(TextDatumGetCString(rows->value[i][1]),
						   TextDatumGetCString(rows->value[i][0]), form);
	}
	return hold >= LEAST && 2 * hold >= both;
}

/* Is a column of a table another one in some form?  Reads a part of its rows;
 * what the column has no cast to a text for is none. */
static bool
is_written_of(const SdcRelation *relation, const SdcRelationColumn *column,
			  const SdcRelationColumn *of)
{
	const SdcCatalogRows *rows = sdcpg_catalog_read(
		psprintf("SELECT %s, %s FROM %s AS r LIMIT " LOOKED_AT,
				 sdcpg_query_cast(of, "text"),
				 sdcpg_query_cast(column, "text"), relation->sql),
		NULL);
	int forms = 2 * sdcpg_written_digests(false) - 1;
	int form;

	for (form = 0; form < forms; form++)
		if (is_form(rows, form))
			return true;
	return false;
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

/* The column kept back that one which is published as it is tells; or NULL.
 * Itself it is told by its rule. */
static const char *
tells_kept(const SdcRelation *relation, const SdcPolicyParams *params,
		   const SdcRoles *declared, const SdcRules *rules, List *published,
		   const SdcRelationColumn *column)
{
	int i;

	if (params->id != NULL && params->id->number != column->number &&
		!is_shown_as_is(rules, published, params->id) &&
		is_written_of(relation, column, params->id))
		return params->id->name;
	for (i = 0; i < declared->count; i++)
	{
		const SdcRoleColumn *role = &declared->column[i];
		SdcRelationColumn kept;

		if ((role->role != SDC_ROLE_PERSON &&
			 role->role != SDC_ROLE_HOUSEHOLD) ||
			get_attnum(relation->oid, role->name) == InvalidAttrNumber)
			continue;
		kept = sdcpg_relation_column(relation, role->name);
		if (kept.number != column->number &&
			!is_shown_as_is(rules, published, &kept) &&
			is_written_of(relation, column, &kept))
			return role->name;
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
	SdcRoles *declared = sdcpg_roles_find(relation->oid);
	bool look_up = is_look_up(policy);
	List *published =
		sdcpg_published_columns(policy, &params, relation, relation);
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
		else if (why != NULL)
			found = add(found, column->name, pstrdup(why));
		else if (!look_up && !is_known_key(&said, &params, column) &&
				 is_shown_as_is(&rules, published, column))
			kept = tells_kept(relation, &params, declared, &rules, published,
							  column);
		if (kept != NULL)
			found = add(found, column->name,
						psprintf("It tells column \"%s\", which is kept back "
								 "and given to no attack. Drop it, give it a "
								 "rule, or declare it as a key.",
								 kept));
	}
	return found;
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
	return strcmp(sdcpg_roles_type(relation, &column), role->type) == 0;
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
	declared = sdcpg_roles_find(relation->oid);
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
