/*
 * policy.c
 *		Policies: how tables are masked, and what a release must satisfy.
 *
 * Tables are kept by OID, which pg_dump writes as a name, columns by name, and
 * the owner by name: a dump must load where the role is gone.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/regproc.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/result.h"
#include "release/copy.h"
#include "release/document.h"
#include "release/gate.h"
#include "release/history.h"
#include "release/policy.h"
#include "release/publish.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/pseudonym.h"
#include "topic/mask/rules.h"
#include "topic/registry/roles.h"
#include "topic/tabular/tabular_topic.h"

static SdcPolicy *policy_look_up(const char *name);
static void policy_write(const char *name, Oid rel, Jsonb *rules,
						 Jsonb *constraints, Jsonb *params);
static void policy_clear(const char *name);

/* ----------------------------------------------------------------------
 * What a policy says of a table besides rules and constraints.
 *
 * Columns are looked up in the table each time, as it may have changed since
 * the policy was written.
 * ----------------------------------------------------------------------
 */

static const char *const params_keys[] = {
	"id",      "keys",      "sensitive",   "schema",        "table",
	"drop",    "attacks",   "p",           "protect",       "fresh",
	"epoch",   "batch",     "grid",        "keep_versions", "apart",
	"purpose", "recipient", "approved_by", "anew",          NULL};

/* What "protect" has: arguments of sdc.protect_table, and what is asked. */
static const char *const protect_keys[] = {
	"keys",      "value",   "rules",       "params", "change",
	"intervals", "earlier", "compare_all", NULL};

#define KEEP_VERSIONS 12

/* The strings of a list as name[]. */
ArrayType *
sdcpg_policy_name_list(List *names)
{
	NameData *name = palloc0(sizeof(NameData) * list_length(names));
	Datum *element = palloc(sizeof(Datum) * list_length(names));
	int count = 0;
	ListCell *cell;

	foreach (cell, names)
	{
		if (strlen(lfirst(cell)) >= NAMEDATALEN)
			ereport(ERROR, (errcode(ERRCODE_NAME_TOO_LONG),
							errmsg("a name in argument \"params\" is too "
								   "long")));
		namestrcpy(&name[count], lfirst(cell));
		element[count] = NameGetDatum(&name[count]);
		count++;
	}
	return construct_array(element, count, NAMEOID, NAMEDATALEN, false,
						   TYPALIGN_CHAR);
}

List *
sdcpg_policy_list_of(ArrayType *names)
{
	Datum *name;
	int count;
	int i;
	List *list = NIL;

	if (names == NULL)
		return NIL;
	deconstruct_array(names, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &name,
					  NULL, &count);
	for (i = 0; i < count; i++)
		list = lappend(list, NameStr(*DatumGetName(name[i])));
	return list;
}

ArrayType *
sdcpg_policy_names(const SdcRelationColumns *columns)
{
	List *names = NIL;
	int i;

	for (i = 0; i < columns->count; i++)
		names = lappend(names, columns->column[i].name);
	return names == NIL ? NULL : sdcpg_policy_name_list(names);
}

/* The columns that a key lists; those with the role when it is absent. */
static SdcRelationColumns
read_columns(Jsonb *params, const char *key, const SdcRelation *relation,
			 SdcRole role)
{
	SdcRelationColumns none = {0};
	List *names = sdcpg_params_names(params, key);

	if (names != NIL)
		return sdcpg_relation_columns(relation, key,
									  sdcpg_policy_name_list(names));
	return role == SDC_ROLES ? none
							 : sdcpg_roles_columns(relation, key, NULL, role);
}

ArrayType *
sdcpg_policy_attacks(List *names)
{
	Datum *element = palloc(sizeof(Datum) * (list_length(names) + 1));
	int count = 0;
	ListCell *cell;

	foreach (cell, names)
	{
		if (sdcpg_attack_find(lfirst(cell)) == NULL)
			sdcpg_params_wrong("attacks", "a list of names of attacks");
		element[count++] = CStringGetTextDatum(lfirst(cell));
	}
	return count == 0 ? NULL
					  : construct_array(element, count, TEXTOID, -1, false,
										TYPALIGN_INT);
}

bool
sdcpg_policy_attacks_none(Jsonb *params)
{
	JsonbValue value;

	return sdcpg_params_find(params, "attacks", &value) &&
		   value.type == jbvBinary &&
		   JsonContainerIsArray(value.val.binary.data) &&
		   JsonContainerSize(value.val.binary.data) == 0;
}

ArrayType *
sdcpg_policy_table_keys(Jsonb *protect)
{
	return sdcpg_policy_name_list(sdcpg_params_names(protect, "keys"));
}

List *
sdcpg_policy_table_all_keys(Jsonb *protect)
{
	Jsonb *params = sdcpg_params_object(protect, "params");
	List *names = list_copy(sdcpg_params_names(protect, "keys"));
	List *linked =
		params == NULL
			? NIL
			: sdcpg_document_elements(sdcpg_document_part(params, "linked"));
	ListCell *cell;

	foreach (cell, linked)
	{
		List *more = list_concat(
			list_copy(sdcpg_params_names(lfirst(cell), "keys")),
			sdcpg_document_keys(sdcpg_document_part(lfirst(cell), "only")));
		ListCell *name;

		foreach (name, more)
			if (!sdcpg_params_is_listed(names, lfirst(name)))
				names = lappend(names, lfirst(name));
	}
	return names;
}

/* Tables that are protected together are released as one. */
static void
check_linked(Jsonb *params)
{
	List *linked =
		params == NULL
			? NIL
			: sdcpg_document_elements(sdcpg_document_part(params, "linked"));
	ListCell *cell;

	foreach (cell, linked)
		if (sdcpg_params_has(lfirst(cell), "target"))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("linked tables of a policy have no target of "
							"their own"),
					 errdetail("They are published as one table, with the "
							   "column \"table_no\".")));
}

/* What table of cells is published; NULL: records are. */
static Jsonb *
read_protect(Jsonb *params, const SdcRelation *relation)
{
	Jsonb *protect = sdcpg_params_object(params, "protect");
	char *value;

	if (protect == NULL)
		return NULL;
	sdcpg_params_check(protect, protect_keys);
	if (sdcpg_params_names(protect, "keys") == NIL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("params.protect lacks \"keys\""),
						errhint("Name the columns that the table is by.")));
	(void) sdcpg_relation_columns(relation, "keys",
								  sdcpg_policy_table_keys(protect));
	value = sdcpg_params_text(protect, "value");
	if (value != NULL)
		(void) sdcpg_relation_column(relation, value);
	(void) sdcpg_params_object(protect, "rules");
	sdcpg_keys_check_names(sdcpg_params_object(protect, "params"),
						   sdcpg_protect_names, "params.protect.params");
	check_linked(sdcpg_params_object(protect, "params"));
	(void) sdcpg_relation_columns(
		relation, "linked",
		sdcpg_policy_name_list(sdcpg_policy_table_all_keys(protect)));
	(void) sdcpg_params_number(protect, "change", 0, 0, 1e15);
	(void) sdcpg_params_boolean(protect, "intervals", false);
	(void) sdcpg_params_boolean(protect, "earlier", false);
	(void) sdcpg_params_boolean(protect, "compare_all", true);
	return protect;
}

SdcPolicyParams
sdcpg_policy_params_read(Jsonb *params, const SdcRelation *relation)
{
	SdcPolicyParams read = {0};

	sdcpg_params_check(params, params_keys);
	read.id = sdcpg_roles_column(relation, "id",
								 sdcpg_params_text(params, "id"), SDC_ROLE_ID);
	read.keys = read_columns(params, "keys", relation, SDC_ROLE_KEY);
	read.sensitive =
		read_columns(params, "sensitive", relation, SDC_ROLE_SENSITIVE);
	read.drop = read_columns(params, "drop", relation, SDC_ROLES);
	read.schema = sdcpg_params_text(params, "schema");
	read.table = sdcpg_params_text(params, "table");
	if (read.table == NULL)
		read.table = relation->name;
	read.attacks =
		sdcpg_policy_attacks_none(params)
			? construct_empty_array(TEXTOID)
			: sdcpg_policy_attacks(sdcpg_params_names(params, "attacks"));
	read.p = sdcpg_params_number(params, "p", 10, 0, 100);
	read.protect = read_protect(params, relation);
	read.fresh = sdcpg_params_boolean(params, "fresh", false);
	read.anew = sdcpg_params_boolean(params, "anew", false);
	read.apart = sdcpg_params_names(params, "apart");
	read.epoch = sdcpg_params_integer(params, "epoch", 0, 1, PG_INT32_MAX);
	read.batch = sdcpg_params_integer(params, "batch", 0, 1, PG_INT32_MAX);
	read.grid = sdcpg_params_number(params, "grid", 1, 0, 1e9);
	/* for the report alone: that they are texts */
	(void) sdcpg_params_text(params, "purpose");
	(void) sdcpg_params_text(params, "recipient");
	(void) sdcpg_params_text(params, "approved_by");
	read.keep_versions =
		sdcpg_params_integer(params, "keep_versions", KEEP_VERSIONS, 1, 1000);
	if (read.epoch >= read.keep_versions)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"epoch\" in argument \"params\" must be less than "
						"\"keep_versions\", which is %d",
						read.keep_versions),
				 errdetail("What an epoch drew would be forgotten when the "
						   "next one draws, and not be attacked with it.")));
	return read;
}

/* ----------------------------------------------------------------------
 * A policy as one JSON document, for version control.
 *
 * Names of tables are qualified and quoted, so that they mean the same under
 * any search_path.
 * ----------------------------------------------------------------------
 */

static const char *const policy_keys[] = {"policy", "relations", "copy", NULL};
static const char *const copy_keys[] = {"schema", "target", "rules", "params",
										NULL};
static const char *const relation_keys[] = {"relation", "rules", "constraints",
											"params", NULL};

static void
put_relation(StringInfo document, const SdcPolicyRelation *relation)
{
	char *name = get_rel_name(relation->oid);
	char *schema;

	if (name == NULL)
		return;
	schema = get_namespace_name(get_rel_namespace(relation->oid));
	sdcpg_document_open(document, NULL, '{');
	sdcpg_document_text(document, "relation",
						quote_qualified_identifier(schema, name));
	sdcpg_document_jsonb(document, "rules", relation->rules);
	sdcpg_document_jsonb(document, "constraints", relation->constraints);
	if (relation->params != NULL)
		sdcpg_document_jsonb(document, "params", relation->params);
	sdcpg_document_close(document, '{');
}

/* The document of a policy; tables that are gone are left out. */
static Jsonb *
policy_document(const SdcPolicy *policy)
{
	StringInfoData document;
	int i;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_text(&document, "policy", policy->name);
	sdcpg_document_open(&document, "relations", '[');
	for (i = 0; i < policy->count; i++)
		put_relation(&document, &policy->relation[i]);
	sdcpg_document_close(&document, '[');
	if (policy->copy != NULL)
		sdcpg_copy_document(&document, policy->copy);
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* Stops unless a document is an object with these keys and no others. */
static void
check_object(Jsonb *object, const char *const *keys, const char *what)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue key;

	if (object == NULL || !JB_ROOT_IS_OBJECT(object))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s in argument \"policy\" must be an object", what)));
	iterator = JsonbIteratorInit(&object->root);
	while ((token = JsonbIteratorNext(&iterator, &key, true)) != WJB_DONE)
	{
		const char *const *known = keys;

		if (token != WJB_KEY)
			continue;
		while (*known != NULL &&
			   (strlen(*known) != key.val.string.len ||
				memcmp(*known, key.val.string.val, key.val.string.len) != 0))
			known++;
		if (*known == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("unrecognized key \"%.*s\" in argument \"policy\"",
							key.val.string.len, key.val.string.val)));
	}
}

pg_noreturn static void
lacks(const char *key, const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("argument \"policy\" lacks \"%s\"", key),
					errdetail("It must be %s.", what)));
}

/* A string that must be there. */
static char *
need_text(Jsonb *object, const char *key)
{
	JsonbValue value;

	if (!sdcpg_params_find(object, key, &value) || value.type != jbvString)
		lacks(key, "a string");
	return pnstrdup(value.val.string.val, value.val.string.len);
}

static Jsonb *
need_part(Jsonb *object, const char *key, const char *what)
{
	Jsonb *part = sdcpg_document_part(object, key);

	if (part == NULL)
		lacks(key, what);
	return part;
}

static void
document_write_relation(const char *policy, JsonbValue *value)
{
	Jsonb *relation =
		value->type == jbvBinary ? JsonbValueToJsonb(value) : NULL;
	JsonbValue params;
	Oid rel;

	check_object(relation, relation_keys, "each of \"relations\"");
	rel = sdcpg_relation_oid(need_text(relation, "relation"));
	if (sdcpg_params_find(relation, "params", &params) &&
		params.type != jbvBinary && params.type != jbvNull)
		sdcpg_params_wrong("params", "an object");
	policy_write(policy, rel, need_part(relation, "rules", "an object"),
				 need_part(relation, "constraints", "an array"),
				 sdcpg_document_part(relation, "params"));
}

/*
 * Writes the policy that a document describes, in place of the one of that
 * name: tables that it does not name are not in the policy any more.
 */
static void
policy_write_document(Jsonb *document)
{
	char *name;
	Jsonb *relations;
	Jsonb *copy;
	int i;

	check_object(document, policy_keys, "the document");
	name = need_text(document, "policy");
	relations = need_part(document, "relations", "an array of tables");
	copy = sdcpg_document_part(document, "copy");
	if (!JB_ROOT_IS_ARRAY(relations) ||
		(JB_ROOT_COUNT(relations) == 0 && copy == NULL))
		lacks("relations", "an array of tables");
	if (policy_look_up(name) != NULL)
		policy_clear(name);
	for (i = 0; i < JB_ROOT_COUNT(relations); i++)
		document_write_relation(
			name, getIthJsonbValueFromContainer(&relations->root, i));
	if (copy != NULL)
	{
		check_object(copy, copy_keys, "\"copy\"");
		sdcpg_copy_write(name, need_text(copy, "schema"),
						 need_text(copy, "target"),
						 sdcpg_document_part(copy, "rules"),
						 sdcpg_document_part(copy, "params"));
	}
}

/* ----------------------------------------------------------------------
 * Policies: how tables are masked, and what a release must satisfy.
 * ----------------------------------------------------------------------
 */

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
		"SELECT r.relation, r.rules, r.constraints, r.params, r.columns"
		" FROM sdc.policy_relation AS r"
		" WHERE r.policy OPERATOR(pg_catalog.=) $1 ORDER BY r.place",
		&parameters);
	policy->count = rows->count;
	policy->relation = palloc(sizeof(SdcPolicyRelation) * (rows->count + 1));
	for (i = 0; i < rows->count; i++)
	{
		SdcPolicyRelation *relation = &policy->relation[i];

		relation->oid = DatumGetObjectId(rows->value[i][0]);
		relation->rules = sdcpg_catalog_jsonb(rows, i, 1);
		relation->constraints = sdcpg_catalog_jsonb(rows, i, 2);
		relation->params = sdcpg_catalog_jsonb(rows, i, 3);
		relation->columns = sdcpg_catalog_jsonb(rows, i, 4);
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
								 "SELECT p.owner, p.copy FROM sdc.policy AS p"
								 " WHERE p.policy OPERATOR(pg_catalog.=) $1",
								 &parameters);
	if (rows->count == 0)
		return NULL;
	policy = palloc0(sizeof(SdcPolicy));
	policy->name = pstrdup(name);
	policy->owner = pstrdup(NameStr(*DatumGetName(rows->value[0][0])));
	policy->copy = sdcpg_catalog_jsonb(rows, 0, 1);
	read_relations(policy);
	return policy;
}

/*
 * The policy of that name with its tables, in the order they were added; NULL
 * when there is none, or when it is for others: whoever cannot see a policy
 * cannot tell that it is there.  Its owner, members of this role and
 * superusers see it, and roles that may SELECT from sdc.policy.
 */
static SdcPolicy *
policy_look_up(const char *name)
{
	SdcPolicy *policy = read_policy(name);

	if (policy != NULL && !sdcpg_catalog_has_rights_of(policy->owner) &&
		!sdcpg_catalog_may_read("policy"))
		return NULL;
	return policy;
}

SdcPolicy *
sdcpg_policy_find(const char *name)
{
	SdcPolicy *policy = policy_look_up(name);

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
		" WHERE r.relation OPERATOR(pg_catalog.=) $1 ORDER BY r.policy",
		&parameters);
	for (i = 0; i < rows->count; i++)
	{
		SdcPolicy *policy =
			policy_look_up(TextDatumGetCString(rows->value[i][0]));

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

void
sdcpg_policy_need_tables(const SdcPolicy *policy)
{
	int i;

	for (i = 0; i < policy->count; i++)
		if (!SearchSysCacheExists1(RELOID,
								   ObjectIdGetDatum(policy->relation[i].oid)))
			ereport(
				ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("a table of policy \"%s\" does not exist any more",
						policy->name),
				 errdetail("A policy is for the table itself, not for one "
						   "that has taken its name."),
				 errhint("Write the policy anew with sdc.create_policy; what "
						 "it has published counts for it as before.  A load "
						 "that keeps the table uses TRUNCATE.")));
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
	if (policy == NULL || !sdcpg_catalog_has_rights_of(policy->owner))
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
		" WHERE c.oid OPERATOR(pg_catalog.=) r.relation)",
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
			" (policy, relation, place, rules, constraints, params, columns,"
			" changed)"
			" SELECT $1, $2, (SELECT COALESCE(pg_catalog.max(r.place), 0)"
			" OPERATOR(pg_catalog.+) 1 FROM sdc.policy_relation AS r"
			" WHERE r.policy OPERATOR(pg_catalog.=) $1),"
			" $3, $4, $5, $6, pg_catalog.now()"
			" WHERE EXISTS (SELECT FROM sdc.policy AS p"
			" WHERE p.policy OPERATOR(pg_catalog.=) $1"
			" AND p.owner OPERATOR(pg_catalog.=) $7)"
			" ON CONFLICT (policy, relation) DO UPDATE SET rules = $3,"
			" constraints = $4, params = $5, columns = $6,"
			" changed = pg_catalog.now()",
			&parameters) == 0)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_IN_USE),
						errmsg("policy \"%s\" was dropped meanwhile", name)));
}

/*
 * The workers of a distributed relation must have the keys of its pseudonyms
 * before the transaction that publishes.
 */
static void
make_keys(const SdcRelation *relation, const SdcRules *rules)
{
	char *column;
	int i;

	if (sdcpg_home_of(relation->oid, &column) != SDC_HOME_SPREAD)
		return;
	for (i = 0; i < rules->count; i++)
		if (strcmp(rules->rule[i].method->name, "pseudonym") == 0)
			sdcpg_pseudonym_spread(
				sdcpg_params_text(rules->rule[i].params, "domain"));
}

/*
 * Stops where a rule cannot mask the type of its column, as a release would:
 * its plan is made, and thrown away.  The target is any.
 */
static void
check_plan(const SdcRelation *relation, Jsonb *rules,
		   const SdcPolicyParams *params)
{
	SdcMaskPlan *plan = sdcpg_mask_plan(
		relation, rules, params->id == NULL ? NULL : params->id->name,
		cstring_to_text("sdc.copy"), false, 0);

	sdcpg_staging_refuse_spread(relation, &plan->rules);
}

/*
 * Writes what a policy says of one table, in place of what it said before.
 * Creates the policy when there is none of that name.  Everything is checked
 * before: columns, methods and keys of rules, their types, words and bounds of
 * constraints, keys of params.
 */
static void
policy_write(const char *name, Oid rel, Jsonb *rules, Jsonb *constraints,
			 Jsonb *params)
{
	SdcRelation *relation;
	SdcPolicyParams columns;
	SdcRules read;
	SdcGate gate;
	char *owner;

	check_name(name);
	relation = sdcpg_relation_find(rel);
	check_table(relation);
	gate = sdcpg_gate_read(constraints);
	columns = sdcpg_policy_params_read(params, relation);
	sdcpg_gate_check_columns(&gate, relation, &columns.keys);
	read = sdcpg_rules_read(rules, relation);
	sdcpg_rules_check_names(&read);
	if (columns.protect != NULL && read.count > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a policy has both rules of columns and "
						"params.protect"),
				 errdetail("A table of cells is made of the records as they "
						   "are."),
				 errhint("Write rules => '{}', and a policy of its own for "
						 "the records.")));
	(void) sdcpg_published_rule_of_id(&columns, &read, relation);
	check_plan(relation, rules, &columns);
	owner = need_policy(name);
	forget_gone(name);
	make_keys(relation, &read);
	write_relation(name, owner, relation, rules, constraints, params);
}

void
sdcpg_policy_write_copy(const char *name, Jsonb *copy)
{
	SdcCatalogParameters parameters = {0};

	check_name(name);
	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_bind(
		&parameters, NAMEOID,
		DirectFunctionCall1(namein, CStringGetDatum(need_policy(name))),
		false);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(copy), false);
	if (sdcpg_catalog_write("policy",
							/* written anew, it goes on after the last copy */
							"UPDATE sdc.policy AS p SET copy = CASE WHEN"
							" ($3 OPERATOR(pg_catalog.->) 'made')"
							" OPERATOR(pg_catalog.=) '{}' AND"
							" (p.copy OPERATOR(pg_catalog.->) 'target')"
							" OPERATOR(pg_catalog.=)"
							" ($3 OPERATOR(pg_catalog.->) 'target') THEN"
							" pg_catalog.jsonb_set($3, '{made}', p.copy"
							" OPERATOR(pg_catalog.->) 'made') ELSE $3 END"
							" WHERE p.policy OPERATOR(pg_catalog.=) $1"
							" AND p.owner OPERATOR(pg_catalog.=) $2",
							&parameters) == 0)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_IN_USE),
						errmsg("policy \"%s\" was dropped meanwhile", name)));
}

/* Takes all tables out of a policy; the same holds as for dropping it. */
static void
policy_clear(const char *name)
{
	SdcCatalogParameters parameters = {0};
	SdcPolicy *policy = sdcpg_policy_find(name);

	if (!sdcpg_catalog_has_rights_of(policy->owner))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of policy \"%s\"", name)));
	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_write("policy_relation",
						"DELETE FROM sdc.policy_relation AS r"
						" WHERE r.policy OPERATOR(pg_catalog.=) $1",
						&parameters);
}

/* Drops a policy; stops unless the caller owns it or is a superuser. */
static void
policy_drop(const char *name)
{
	SdcCatalogParameters parameters = {0};

	policy_clear(name);
	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_write("policy",
						"DELETE FROM sdc.policy AS p"
						" WHERE p.policy OPERATOR(pg_catalog.=) $1",
						&parameters);
}

/* ----------------------------------------------------------------------
 * sdc.create_policy and its kin; sdc.check_release.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_create_policy);
PG_FUNCTION_INFO_V1(sdcf_create_policy_json);
PG_FUNCTION_INFO_V1(sdcf_drop_policy);
PG_FUNCTION_INFO_V1(sdcf_policy_json);
PG_FUNCTION_INFO_V1(sdcf_check_release);

/* The name of the policy, argument 0. */
static char *
policy_name(FunctionCallInfo fcinfo)
{
	return sdcpg_args_text(fcinfo, 0);
}

/*
 * create_policy(policy text, relation regclass, rules jsonb,
 *				constraints jsonb, params jsonb)
 */
Datum
sdcf_create_policy(PG_FUNCTION_ARGS)
{
	sdcpg_args_need_first(fcinfo, 4);
	policy_write(policy_name(fcinfo), PG_GETARG_OID(1), PG_GETARG_JSONB_P(2),
				 PG_GETARG_JSONB_P(3),
				 PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4));
	PG_RETURN_VOID();
}

/*
 * create_policy(policy jsonb)
 */
Datum
sdcf_create_policy_json(PG_FUNCTION_ARGS)
{
	sdcpg_args_need(fcinfo, 0);
	policy_write_document(PG_GETARG_JSONB_P(0));
	PG_RETURN_VOID();
}

/*
 * drop_policy(policy text)
 */
Datum
sdcf_drop_policy(PG_FUNCTION_ARGS)
{
	policy_drop(policy_name(fcinfo));
	PG_RETURN_VOID();
}

/*
 * policy_json(policy text)
 */
Datum
sdcf_policy_json(PG_FUNCTION_ARGS)
{
	PG_RETURN_JSONB_P(policy_document(sdcpg_policy_find(policy_name(fcinfo))));
}

/* A value beside its bound: rounded unless that changes which is larger. */
static double
shown(double value, double bound)
{
	double rounded = sdcpg_result_round(value);

	return (value > bound) == (rounded > bound) &&
				   (value < bound) == (rounded < bound)
			   ? rounded
			   : value;
}

static void
put_result(ReturnSetInfo *rows, const SdcRelation *relation,
		   const SdcGateResult *result)
{
	const SdcGateConstraint *constraint = result->constraint;
	Datum values[7];
	bool isnull[7] = {false, false, false, isnan(result->value)};

	values[0] = ObjectIdGetDatum(relation->oid);
	values[1] = Int32GetDatum(constraint->place);
	values[2] = CStringGetTextDatum(constraint->sentence);
	values[3] = Float8GetDatum(shown(result->value, constraint->bound));
	values[4] = Float8GetDatum(constraint->bound);
	values[5] = BoolGetDatum(result->passed);
	values[6] = CStringGetTextDatum(result->detail);
	sdcpg_result_put(rows, values, isnull);
}

/* The release before, of a table of cells, where params say where it is. */
static void
compare_earlier(SdcGateCase *of, const SdcPolicy *policy,
				const SdcPolicyRelation *chosen)
{
	SdcPolicyParams params =
		sdcpg_policy_params_read(chosen->params, of->original);

	if (params.schema != NULL)
		sdcpg_gate_case_earlier(
			of, policy->name,
			quote_qualified_identifier(params.schema, params.table));
}

/*
 * check_release(policy text, masked regclass, params jsonb)
 */
Datum
sdcf_check_release(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rows = sdcpg_result_begin(fcinfo);
	SdcPolicy *policy = sdcpg_policy_find(policy_name(fcinfo));
	const SdcPolicyRelation *chosen;
	SdcGateCase *of;
	SdcGate gate;
	SdcEvidence *evidence;
	SdcGateResult *results;
	Jsonb *params = PG_ARGISNULL(2) ? NULL : PG_GETARG_JSONB_P(2);
	int i;

	sdcpg_args_need(fcinfo, 1);
	sdcpg_policy_need_owner(policy);
	sdcpg_policy_need_tables(policy);
	chosen = sdcpg_gate_case_choose(policy, params);
	of = sdcpg_gate_case(chosen, PG_GETARG_OID(1));
	compare_earlier(of, policy, chosen);
	sdcpg_gate_case_seed(of, params);
	gate = sdcpg_gate_read(chosen->constraints);
	evidence = sdcpg_evidence_begin(of, false);
	sdcpg_gate_add_bounds(&gate, evidence);
	results = sdcpg_gate_judge(&gate, evidence);
	for (i = 0; i < gate.count; i++)
		put_result(rows, of->original, &results[i]);
	return (Datum) 0;
}
