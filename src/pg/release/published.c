/*
 * published.c
 *		Which columns of a table a policy publishes.
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "pg/call/roles.h"
#include "pg/release/published.h"

static bool
has_column(const SdcRelationColumns *columns, AttrNumber number)
{
	int i;

	for (i = 0; i < columns->count; i++)
		if (columns->column[i].number == number)
			return true;
	return false;
}

/* Does a role keep a column back unless a rule says otherwise? */
static bool
is_kept_back(SdcRole role)
{
	return role == SDC_ROLE_ID || role == SDC_ROLE_IDENTIFIER ||
		   role == SDC_ROLE_HOUSEHOLD;
}

/* Is the column of that number and name published? */
static bool
is_published(const SdcPolicyParams *params, const SdcRules *rules,
			 const SdcRoles *declared, AttrNumber number, const char *name)
{
	int i;

	if (has_column(&params->drop, number))
		return false;
	if (sdcpg_rules_of(rules, number) != NULL)
		return true;
	if (params->id != NULL && params->id->number == number)
		return false;
	for (i = 0; i < declared->count; i++)
		if (strcmp(declared->column[i].name, name) == 0)
			return !is_kept_back(declared->column[i].role);
	return true;
}

List *
sdcpg_published_columns(const SdcPolicyRelation *policy,
						const SdcPolicyParams *params,
						const SdcRelation *original, const SdcRelation *masked)
{
	SdcRules rules = sdcpg_rules_read(policy->rules, original);
	SdcRoles *declared = sdcpg_roles_find(original->oid);
	SdcRelationColumns columns = sdcpg_relation_all_columns(masked);
	List *published = NIL;
	int i;

	for (i = 0; i < columns.count; i++)
	{
		char *name = columns.column[i].name;
		AttrNumber number = get_attnum(original->oid, name);

		if (number != InvalidAttrNumber &&
			is_published(params, &rules, declared, number, name))
			published = lappend(published, name);
	}
	return published;
}

const SdcRule *
sdcpg_published_rule_of_id(const SdcPolicyParams *params,
						   const SdcRules *rules, const SdcRelation *original)
{
	const SdcRule *rule = NULL;

	if (params->id != NULL)
		rule = sdcpg_rules_of(rules, params->id->number);
	if (rule != NULL && rule->columns.count > 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the id of relation \"%s\" is masked together with "
						"other columns",
						original->name),
				 errdetail("The id tells which links of an attack are right, "
						   "so it is masked after the attacks."),
				 errhint("Give it a rule of its own.")));
	return rule;
}
