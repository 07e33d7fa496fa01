/*
 * policy.c
 *		Policies: how tables are masked, and what a release must satisfy.
 *
 * Tables are kept by OID, which pg_dump writes as a name, columns by name, and
 * the owner by name: a dump must load where the role is gone.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/call/catalog.h"
#include "pg/call/roles.h"
#include "pg/mask/rules.h"
#include "pg/release/document.h"
#include "pg/release/gate.h"
#include "pg/release/policy.h"
#include "pg/release/policy_params.h"
#include "pg/release/published.h"
#include "pg/server/compat.h"

static Jsonb *
jsonb_value(const SdcCatalogRows *rows, int64 row, int column)
{
	return rows->isnull[row][column]
			   ? NULL
			   : DatumGetJsonbP(rows->value[row][column]);
}

/* The tables of a policy. */
static void
read_relations(SdcPolicy *policy)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int i;

	sdcpg_catalog_bind_text(&parameters, policy->name);
	rows = sdcpg_catalog_read_owned(
		"policy_relation",
		"SELECT r.rel, r.rules, r.constraints, r.params, r.columns"
		" FROM sdc.policy_relation AS r"
		" WHERE r.policy OPERATOR(pg_catalog.=) $1 ORDER BY r.place",
		&parameters);
	policy->count = rows->count;
	policy->relation = palloc(sizeof(SdcPolicyRelation) * (rows->count + 1));
	for (i = 0; i < rows->count; i++)
	{
		SdcPolicyRelation *relation = &policy->relation[i];

		relation->oid = DatumGetObjectId(rows->value[i][0]);
		relation->rules = jsonb_value(rows, i, 1);
		relation->constraints = jsonb_value(rows, i, 2);
		relation->params = jsonb_value(rows, i, 3);
		relation->columns = jsonb_value(rows, i, 4);
	}
}

/* The policy of that name, whoever asks; NULL when there is none. */
static SdcPolicy *
read_policy(const char *name)
{
	SdcCatalogParameters parameters = {0};
	SdcPolicy *policy;
	SdcCatalogRows *rows;

	sdcpg_catalog_bind_text(&parameters, name);
	rows =
		sdcpg_catalog_read_owned("policy",
								 "SELECT p.owner FROM sdc.policy AS p"
								 " WHERE p.policy OPERATOR(pg_catalog.=) $1",
								 &parameters);
	if (rows->count == 0)
		return NULL;
	policy = palloc0(sizeof(SdcPolicy));
	policy->name = pstrdup(name);
	policy->owner = pstrdup(NameStr(*DatumGetName(rows->value[0][0])));
	read_relations(policy);
	return policy;
}

/* Has the caller the rights of the role of that name? */
static bool
has_rights_of(const char *role)
{
	Oid oid = get_role_oid(role, true);

	return superuser() ||
		   (OidIsValid(oid) && has_privs_of_role(GetUserId(), oid));
}

SdcPolicy *
sdcpg_policy_look_up(const char *name)
{
	SdcPolicy *policy = read_policy(name);

	if (policy != NULL && !has_rights_of(policy->owner) &&
		!sdcpg_catalog_may_read("policy"))
		return NULL;
	return policy;
}

SdcPolicy *
sdcpg_policy_find(const char *name)
{
	SdcPolicy *policy = sdcpg_policy_look_up(name);

	if (policy == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("policy \"%s\" does not exist", name),
				 errhint("A policy is for its owner only; it is written with "
						 "sdc.create_policy.")));
	return policy;
}

List *
sdcpg_policies_of(Oid rel)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	List *policies = NIL;
	int i;

	sdcpg_catalog_bind(&parameters, REGCLASSOID, ObjectIdGetDatum(rel), false);
	rows = sdcpg_catalog_read_owned(
		"policy_relation",
		"SELECT r.policy FROM sdc.policy_relation AS r"
		" WHERE r.rel OPERATOR(pg_catalog.=) $1 ORDER BY r.policy",
		&parameters);
	for (i = 0; i < rows->count; i++)
	{
		SdcPolicy *policy =
			sdcpg_policy_look_up(TextDatumGetCString(rows->value[i][0]));

		if (policy != NULL)
			policies = lappend(policies, policy);
	}
	return policies;
}

void
sdcpg_policy_need_owner(const SdcPolicy *policy)
{
	if (get_role_oid(policy->owner, true) != GetUserId())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of policy \"%s\"", policy->name),
				 errdetail("A policy is carried out with the rights of its "
						   "owner and no others."),
				 errhint("Become the owner with SET ROLE %s first.",
						 quote_identifier(policy->owner))));
}

static void
check_name(const char *name)
{
	if (name[0] == '\0' || strlen(name) >= NAMEDATALEN)
		ereport(ERROR, (errcode(ERRCODE_INVALID_NAME),
						errmsg("the name of a policy must have 1 to %d bytes",
							   NAMEDATALEN - 1)));
}

/* Stops unless the relation is a permanent table that the caller may read. */
static void
check_table(const SdcRelation *relation)
{
	char kind = get_rel_relkind(relation->oid);

	if ((kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE) ||
		get_rel_persistence(relation->oid) == RELPERSISTENCE_TEMP)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a permanent table", relation->name),
				 errdetail("A policy is for tables and partitioned "
						   "tables.")));
	if (pg_class_aclcheck(relation->oid, GetUserId(), ACL_SELECT) !=
			ACLCHECK_OK &&
		pg_attribute_aclcheck_all(relation->oid, GetUserId(), ACL_SELECT,
								  ACLMASK_ANY) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, relation->name);
}

Jsonb *
sdcpg_policy_columns(const SdcRelation *relation)
{
	SdcRelationColumns columns = sdcpg_relation_all_columns(relation);
	StringInfoData document;
	int i;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '[');
	for (i = 0; i < columns.count; i++)
	{
		sdcpg_document_open(&document, NULL, '{');
		sdcpg_document_text(&document, "name", columns.column[i].name);
		sdcpg_document_text(&document, "type",
							sdcpg_roles_type(relation, &columns.column[i]));
		sdcpg_document_close(&document, '{');
	}
	sdcpg_document_close(&document, '[');
	return sdcpg_document_end(&document);
}

/* The name of the current role, as a parameter. */
static Datum
current_role_name(void)
{
	return DirectFunctionCall1(
		namein, CStringGetDatum(GetUserNameFromId(GetUserId(), false)));
}

/* Creates the policy unless it is there; returns the name of its owner. */
static char *
need_policy(const char *name)
{
	SdcCatalogParameters parameters = {0};
	SdcPolicy *policy;

	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_bind(&parameters, NAMEOID, current_role_name(), false);
	sdcpg_catalog_write("policy",
						"INSERT INTO sdc.policy (policy, owner, created)"
						" VALUES ($1, $2, pg_catalog.now())"
						" ON CONFLICT (policy) DO NOTHING",
						&parameters);
	policy = read_policy(name);
	if (policy == NULL || !has_rights_of(policy->owner))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of policy \"%s\"", name),
						errdetail("A policy of this name belongs to another "
								  "role.")));
	return policy->owner;
}

/*
 * Removes from a policy the tables that are gone: one of them may have had a
 * number that is given out again some day.
 */
static void
forget_gone(const char *name)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_write(
		"policy_relation",
		"DELETE FROM sdc.policy_relation AS r"
		" WHERE r.policy OPERATOR(pg_catalog.=) $1 AND NOT EXISTS ("
		"SELECT FROM pg_catalog.pg_class AS c"
		" WHERE c.oid OPERATOR(pg_catalog.=) r.rel)",
		&parameters);
}

/* Writes the row of a table, unless the policy has another owner by now. */
static void
write_relation(const char *name, const char *owner,
			   const SdcRelation *relation, Jsonb *rules, Jsonb *constraints,
			   Jsonb *params)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_bind(&parameters, REGCLASSOID,
					   ObjectIdGetDatum(relation->oid), false);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(rules), false);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(constraints),
					   false);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(params),
					   params == NULL);
	sdcpg_catalog_bind(&parameters, JSONBOID,
					   JsonbPGetDatum(sdcpg_policy_columns(relation)), false);
	sdcpg_catalog_bind(&parameters, NAMEOID,
					   DirectFunctionCall1(namein, CStringGetDatum(owner)),
					   false);
	if (sdcpg_catalog_write(
			"policy_relation",
			"INSERT INTO sdc.policy_relation AS t"
			" (policy, rel, place, rules, constraints, params, columns,"
			" changed)"
			" SELECT $1, $2, (SELECT COALESCE(pg_catalog.max(r.place), 0)"
			" OPERATOR(pg_catalog.+) 1 FROM sdc.policy_relation AS r"
			" WHERE r.policy OPERATOR(pg_catalog.=) $1),"
			" $3, $4, $5, $6, pg_catalog.now()"
			" WHERE EXISTS (SELECT FROM sdc.policy AS p"
			" WHERE p.policy OPERATOR(pg_catalog.=) $1"
			" AND p.owner OPERATOR(pg_catalog.=) $7)"
			" ON CONFLICT (policy, rel) DO UPDATE SET rules = $3,"
			" constraints = $4, params = $5, columns = $6,"
			" changed = pg_catalog.now()",
			&parameters) == 0)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_IN_USE),
						errmsg("policy \"%s\" was dropped meanwhile", name)));
}

void
sdcpg_policy_write(const char *name, Oid rel, Jsonb *rules, Jsonb *constraints,
				   Jsonb *params)
{
	SdcRelation *relation;
	SdcPolicyParams columns;
	SdcRules read;
	char *owner;

	check_name(name);
	relation = sdcpg_relation_find(rel);
	check_table(relation);
	(void) sdcpg_gate_read(constraints);
	columns = sdcpg_policy_params_read(params, relation);
	read = sdcpg_rules_read(rules, relation);
	(void) sdcpg_published_rule_of_id(&columns, &read, relation);
	owner = need_policy(name);
	forget_gone(name);
	write_relation(name, owner, relation, rules, constraints, params);
}

void
sdcpg_policy_clear(const char *name)
{
	SdcCatalogParameters parameters = {0};
	SdcPolicy *policy = sdcpg_policy_find(name);

	if (!has_rights_of(policy->owner))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of policy \"%s\"", name)));
	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_write("policy_relation",
						"DELETE FROM sdc.policy_relation AS r"
						" WHERE r.policy OPERATOR(pg_catalog.=) $1",
						&parameters);
}

void
sdcpg_policy_drop(const char *name)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_policy_clear(name);
	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_write("policy",
						"DELETE FROM sdc.policy AS p"
						" WHERE p.policy OPERATOR(pg_catalog.=) $1",
						&parameters);
}
