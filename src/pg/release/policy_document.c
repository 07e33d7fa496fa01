/*
 * policy_document.c
 *		A policy as one JSON document, for version control.
 *
 * Names of tables are qualified and quoted, so that they mean the same under
 * any search_path.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "pg/call/args.h"
#include "pg/call/params.h"
#include "pg/release/document.h"
#include "pg/release/policy_document.h"
#include "pg/server/compat.h"

static const char *const policy_keys[] = {"policy", "relations", NULL};
static const char *const relation_keys[] = {"rel", "rules", "constraints",
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
	sdcpg_document_text(document, "rel",
						quote_qualified_identifier(schema, name));
	sdcpg_document_jsonb(document, "rules", relation->rules);
	sdcpg_document_jsonb(document, "constraints", relation->constraints);
	if (relation->params != NULL)
		sdcpg_document_jsonb(document, "params", relation->params);
	sdcpg_document_close(document, '{');
}

Jsonb *
sdcpg_policy_document(const SdcPolicy *policy)
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
write_relation(const char *policy, JsonbValue *value)
{
	Jsonb *relation =
		value->type == jbvBinary ? JsonbValueToJsonb(value) : NULL;
	JsonbValue params;
	Datum rel;

	check_object(relation, relation_keys, "each of \"relations\"");
	rel = DirectFunctionCall1(regclassin,
							  CStringGetDatum(need_text(relation, "rel")));
	if (sdcpg_params_find(relation, "params", &params) &&
		params.type != jbvBinary && params.type != jbvNull)
		sdcpg_params_wrong("params", "an object");
	sdcpg_policy_write(policy, DatumGetObjectId(rel),
					   need_part(relation, "rules", "an object"),
					   need_part(relation, "constraints", "an array"),
					   sdcpg_document_part(relation, "params"));
}

void
sdcpg_policy_write_document(Jsonb *document)
{
	char *name;
	Jsonb *relations;
	int i;

	check_object(document, policy_keys, "the document");
	name = need_text(document, "policy");
	relations = need_part(document, "relations", "an array of tables");
	if (!JB_ROOT_IS_ARRAY(relations) || JB_ROOT_COUNT(relations) == 0)
		lacks("relations", "an array of tables");
	if (sdcpg_policy_look_up(name) != NULL)
		sdcpg_policy_clear(name);
	for (i = 0; i < JB_ROOT_COUNT(relations); i++)
		write_relation(name,
					   getIthJsonbValueFromContainer(&relations->root, i));
}
