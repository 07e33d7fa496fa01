/*
 * versions_remade.c
 *		What rules of before made of the same values, made again.
 *
 * A rule that is a function of the value needs no memory.  But a column that
 * was rounded to fives and then to sevens is known to about one, and the
 * history says which rules were: so what they made is made again, to be
 * attacked with the rest.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/server/compat.h"
#include "release/document.h"
#include "release/seal.h"
#include "release/versions.h"
#include "topic/mask/rules.h"

/* What rules of before made is looked at for so many columns and rules. */
#define FIXED_LIMIT 16

/* The rule of one column, as rules. */
static Jsonb *
single_rule(const char *column, Jsonb *params)
{
	StringInfoData document;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	if (params != NULL)
		sdcpg_document_jsonb(&document, column, params);
	else
	{
		sdcpg_document_open(&document, column, '{');
		sdcpg_document_text(&document, "method", "keep");
		sdcpg_document_close(&document, '{');
	}
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* Makes a part of a rule, and again what it made of the values of now. */
static bool
make_fixed(struct SdcVersions *versions, SdcPart *part, Jsonb *document)
{
	SdcRules rules = sdcpg_rules_read(document, versions->original);
	char *from = psprintf("g%d", versions->tried++);
	const SdcRelation *made;
	SdcRelationColumn column;
	int settings;

	memset(part, 0, sizeof(*part));
	if (rules.count != 1 || rules.rule[0].columns.count != 1 ||
		strcmp(rules.rule[0].method->name, "null") == 0 ||
		sdcpg_versions_draws(&rules.rule[0]) ||
		(rules.rule[0].method->traits & SDC_MASK_KEYED) != 0)
		return false;
	part->rules = list_make1(&rules.rule[0]);
	sdcpg_versions_fill_part(versions, part);
	part->fixed = psprintf("f%d", versions->tried);
	/* without columns that have no rule here and must have one */
	(void) sdcpg_versions_table(
		versions, from,
		psprintf("SELECT r.%s, r.%s FROM %s AS r", versions->id.sql,
				 part->columns.column[0].sql, versions->original->sql));
	/* what is to be said of the rule was said then */
	settings = NewGUCNestLevel();
	sdcpg_set_for_now("client_min_messages", "error");
	(void) sdcpg_versions_mask_table(versions, from, document, part->fixed);
	AtEOXact_GUC(false, settings);
	made = sdcpg_versions_find(versions, part->fixed);
	column = sdcpg_relation_column(made, part->columns.column[0].name);
	part->type[0] = sdcpg_relation_type(made, &column);
	return true;
}

/* What a rule of before made, when it can be carried out still. */
typedef struct Remade
{
	struct SdcVersions *versions;
	SdcPart *part;
	Jsonb *document;
	bool made;
} Remade;

static bool
try_fixed(void *arg)
{
	Remade *remade = arg;

	remade->made =
		make_fixed(remade->versions, remade->part, remade->document);
	return true;
}

/* The same; of what cannot be made again nobody can tell what it was. */
static bool
remake_fixed(struct SdcVersions *versions, SdcPart *part, int64 release,
			 Jsonb *document, const char *column)
{
	Remade remade = {versions, part, document, false};
	ErrorData *failure = sdcpg_versions_attempt(versions, try_fixed, &remade);

	if (failure == NULL)
		return remade.made;
	ereport(WARNING,
			(errmsg("what release " INT64_FORMAT " published of column \"%s\" "
					"is not attacked together with this one",
					release, column),
			 errdetail("Its rule of then cannot be carried out any more: %s.",
					   failure->message)));
	return false;
}

/* Is it there already, or what the rule of now makes of a column shown now? */
static bool
is_known(const struct SdcVersions *versions, const char *column, bool shown,
		 Jsonb *then)
{
	Jsonb *now = single_rule(
		column, sdcpg_versions_rule_of(versions->staging->rules, column));
	int p;

	if (shown && sdcpg_params_same(now, then))
		return true;
	for (p = versions->all_parts; p < versions->seen_parts; p++)
		if (versions->part[p].fixed != NULL &&
			sdcpg_params_same(versions->part[p].document, then))
			return true;
	return false;
}

/* ----------------------------------------------------------------------
 * What a release was made from: contents of hierarchies, and a sample of
 * digests of the original values.
 *
 * A hierarchy can be dropped, and another one created under its name.  And
 * whether older rules made something of the values of now can only be told by
 * these.
 * ----------------------------------------------------------------------
 */

/* Persons of the sample, with digests of so many digits. */
#define BASIS_PERSONS "32"
#define BASIS_DIGITS  "16"

/* The releases that are gone through, and what is known of them. */
typedef struct Basis
{
	struct SdcVersions *versions;
	struct SdcVersions *owner; /* by whose policy: the same, or another one */
	List *own;                 /* char *: keys of the policy of now */
	ArrayType *keys;           /* of both, of another policy */
	SdcCatalogRows *rows;      /* released, the latest first: see read_past */
	Jsonb *contents;           /* of the hierarchies of now */
	int64 looked;         /* the row whose sample was looked up; -1: none */
	SdcCatalogRows *same; /* of this sample: persons and equal values */
} Basis;

/* The policy, its owner and the table published, as $1 to $3. */
static void
bind_published(SdcCatalogParameters *parameters,
			   const struct SdcVersions *versions)
{
	const char *target = versions->staging->target;

	sdcpg_catalog_bind_text(parameters, versions->policy);
	sdcpg_catalog_bind_text(parameters, GetUserNameFromId(GetUserId(), false));
	sdcpg_catalog_bind(parameters, TEXTOID,
					   target == NULL ? 0 : CStringGetTextDatum(target),
					   target == NULL);
}

/* The contents of all hierarchies that rules name, as an object. */
static Jsonb *
read_contents(Jsonb *rules)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(rules), false);
	return DatumGetJsonbP(
		sdcpg_catalog_read(
			"SELECT COALESCE(pg_catalog.jsonb_object_agg(h.hierarchy,"
			" pg_catalog.jsonb_build_object('kind', h.kind, 'params',"
			" h.params, 'levels', h.levels, 'rows', (SELECT"
			" pg_catalog.jsonb_agg(v.levels ORDER BY v.place)"
			" FROM sdc.hierarchy_value AS v"
			" WHERE v.hierarchy OPERATOR(pg_catalog.=) h.hierarchy))), '{}')"
			" FROM sdc.hierarchy AS h WHERE EXISTS (SELECT FROM"
			" pg_catalog.jsonb_each($1) AS r WHERE"
			" pg_catalog.jsonb_typeof(r.value) OPERATOR(pg_catalog.=)"
			" 'object' AND (r.value OPERATOR(pg_catalog.->>) 'hierarchy')"
			" OPERATOR(pg_catalog.=) h.hierarchy)",
			&parameters)
			->value[0][0]);
}

/*
 * The content of a hierarchy in a release, and the first release that had it;
 * NULL: it is not known.
 */
static Jsonb *
content_then(const struct SdcVersions *versions, const char *hierarchy,
			 int64 release, int64 *first)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	bind_published(&parameters, versions);
	sdcpg_catalog_bind_text(&parameters, hierarchy);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(release), false);
	rows = sdcpg_catalog_read_owned(
		"release_basis",
		"SELECT b.release, b.hierarchies OPERATOR(pg_catalog.->) $4"
		" FROM sdc.release_basis AS b"
		" WHERE b.policy OPERATOR(pg_catalog.=) $1"
		" AND b.owner OPERATOR(pg_catalog.=) $2::pg_catalog.name"
		" AND b.target OPERATOR(pg_catalog.=) $3"
		" AND b.hierarchies OPERATOR(pg_catalog.?) $4"
		" AND b.release OPERATOR(pg_catalog.<=) $5"
		" ORDER BY b.release DESC LIMIT 1",
		&parameters);
	if (rows->count == 0)
		return NULL;
	*first = DatumGetInt64(rows->value[0][0]);
	return DatumGetJsonbP(rows->value[0][1]);
}

/* Adds the row of a hierarchy of before; false: the name is taken. */
static bool
add_hierarchy(const char *name, Jsonb *content)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(content), false);
	sdcpg_catalog_bind_text(&parameters,
							GetUserNameFromId(GetUserId(), false));
	return sdcpg_catalog_write(
			   "hierarchy",
			   "INSERT INTO sdc.hierarchy (hierarchy, kind, params, levels,"
			   " owner) VALUES ($1, $2 OPERATOR(pg_catalog.->>) 'kind', $2"
			   " OPERATOR(pg_catalog.->) 'params', CAST($2"
			   " OPERATOR(pg_catalog.->>) 'levels' AS pg_catalog.int4),"
			   " $3::pg_catalog.name) ON CONFLICT (hierarchy) DO NOTHING",
			   &parameters) > 0;
}

/*
 * Creates a hierarchy as a release had it, until the tables of this one are
 * dropped; returns its name.
 */
static char *
create_content(struct SdcVersions *versions, const char *hierarchy,
			   int64 first, Jsonb *content)
{
	int length = pg_mbcliplen(hierarchy, strlen(hierarchy), 40);
	char *name = psprintf("%.*s@" INT64_FORMAT, length, hierarchy, first);
	SdcCatalogParameters parameters = {0};

	if (sdcpg_params_is_listed(versions->hierarchies, name))
		return name;
	if (!add_hierarchy(name, content))
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
						errmsg("hierarchy \"%s\" is in the way", name),
						errdetail("Release " INT64_FORMAT
								  " had another content under the name "
								  "\"%s\", which is looked at by this name.",
								  first, hierarchy),
						errhint("Give it another name.")));
	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(content), false);
	sdcpg_catalog_write(
		"hierarchy_value",
		"INSERT INTO sdc.hierarchy_value (hierarchy, place, levels)"
		" SELECT $1, r.place, ARRAY(SELECT e.label FROM"
		" pg_catalog.jsonb_array_elements_text(r.line) WITH ORDINALITY"
		" AS e (label, n) ORDER BY e.n) FROM"
		" pg_catalog.jsonb_array_elements(CASE WHEN pg_catalog.jsonb_typeof("
		"$2 OPERATOR(pg_catalog.->) 'rows') OPERATOR(pg_catalog.=) 'array'"
		" THEN $2 OPERATOR(pg_catalog.->) 'rows' ELSE '[]' END)"
		" WITH ORDINALITY AS r (line, place)",
		&parameters);
	versions->hierarchies = lappend(versions->hierarchies, name);
	return name;
}

void
sdcpg_versions_drop_hierarchies(struct SdcVersions *versions)
{
	ListCell *cell;

	foreach (cell, versions->hierarchies)
	{
		SdcCatalogParameters parameters = {0};

		sdcpg_catalog_bind_text(&parameters, lfirst(cell));
		sdcpg_catalog_write("hierarchy_value",
							"DELETE FROM sdc.hierarchy_value AS v"
							" WHERE v.hierarchy OPERATOR(pg_catalog.=) $1",
							&parameters);
		sdcpg_catalog_write("hierarchy",
							"DELETE FROM sdc.hierarchy AS h"
							" WHERE h.hierarchy OPERATOR(pg_catalog.=) $1",
							&parameters);
	}
	versions->hierarchies = NIL;
}

/*
 * The rule of a column in a release.  A hierarchy that has another content
 * since, or is gone, is there again under a name that has the release.
 */
static Jsonb *
rule_then(const Basis *basis, int64 row, const char *column)
{
	int64 release = DatumGetInt64(basis->rows->value[row][0]);
	Jsonb *rule = sdcpg_versions_rule_of(
		DatumGetJsonbP(basis->rows->value[row][1]), column);
	char *hierarchy =
		rule == NULL ? NULL : sdcpg_params_text(rule, "hierarchy");
	Jsonb *content;
	Jsonb *now;
	int64 first;
	StringInfoData document;

	if (hierarchy == NULL)
		return single_rule(column, rule);
	content = content_then(basis->owner, hierarchy, release, &first);
	now = sdcpg_document_part(basis->contents, hierarchy);
	if (content == NULL || (now != NULL && sdcpg_params_same(now, content)))
		return single_rule(column, rule);
	hierarchy = create_content(basis->versions, hierarchy, first, content);
	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_text(&document, "hierarchy", hierarchy);
	sdcpg_document_close(&document, '{');
	return single_rule(column,
					   DatumGetJsonbP(DirectFunctionCall2(
						   jsonb_concat, JsonbPGetDatum(rule),
						   JsonbPGetDatum(sdcpg_document_end(&document)))));
}

/* A column of a row with the alias r in the sample, as SQL. */
static char *
sample_sql(const struct SdcVersions *versions, const char *column)
{
	return psprintf("left(encode(sdc.release_digest(%s, %s,"
					" record_out(ROW(r.%s))::text,"
					" record_out(ROW(r.%s))::text, NULL, NULL), 'hex'),"
					" " BASIS_DIGITS ")",
					quote_literal_cstr(versions->policy),
					quote_literal_cstr(psprintf("basis %s", column)),
					versions->id.sql, quote_identifier(column));
}

/* Is a column withheld by the rules of now?  Then it need not be read. */
static bool
is_withheld(const struct SdcVersions *versions, const char *column)
{
	Jsonb *rule = sdcpg_versions_rule_of(versions->rules, column);

	return rule != NULL &&
		   sdcpg_params_same_word(sdcpg_params_text(rule, "method"), "null");
}

/* The names of columns that may be published, but for the id. */
static List *
sampled_columns(const struct SdcVersions *versions)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(versions->original);
	List *names = NIL;
	int c;

	for (c = 0; c < all.count; c++)
		if (all.column[c].number != versions->id.number &&
			!is_withheld(versions, all.column[c].name))
			names = lappend(names, all.column[c].name);
	return names;
}

/*
 * The rows of the sample as a query: the digest of each person and an object
 * of those of his values.  All of the persons in a list ($1), or a new sample.
 */
static char *
sample_query(const struct SdcVersions *versions, bool listed)
{
	StringInfoData values;
	StringInfoData columns;
	ListCell *cell;

	initStringInfo(&values);
	initStringInfo(&columns);
	foreach (cell, sampled_columns(versions))
	{
		appendStringInfo(&values, "%sjsonb_build_object(%s, %s)",
						 values.len > 0 ? " || " : "",
						 quote_literal_cstr(lfirst(cell)),
						 sample_sql(versions, lfirst(cell)));
		appendStringInfo(&columns, ", r.%s", quote_identifier(lfirst(cell)));
	}
	if (values.len == 0)
		appendStringInfoString(&values, "'{}'::jsonb");
	return psprintf(
		"SELECT r.%s AS person, %s AS value FROM (SELECT"
		" left(encode(%s, 'hex'), " BASIS_DIGITS ") AS %s, r.%s%s"
		/* inner OFFSET: digests are not made on workers of Citus */
		" FROM (SELECT r.%s%s FROM %s AS r OFFSET 0) AS r%s) AS r%s",
		versions->own.person, values.data,
		sdcpg_versions_person(versions, "r"), versions->own.person,
		versions->id.sql, columns.data, versions->id.sql, columns.data,
		versions->original->sql,
		listed ? " OFFSET 0" : " ORDER BY 1 LIMIT " BASIS_PERSONS,
		listed ? psprintf(" WHERE $1 ? r.%s", versions->own.person) : "");
}

/* Runs a query of samples, with the settings that digests depend on. */
static SdcCatalogRows *
run_sample(const char *sql, Jsonb *sample)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int settings = NewGUCNestLevel();

	if (sample != NULL)
		sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(sample),
						   false);
	sdcpg_seal_pin_settings();
	rows = sdcpg_catalog_read(sql, &parameters);
	AtEOXact_GUC(false, settings);
	return rows;
}

/*
 * Is what a release published of a column of the values of now?  At least half
 * of those in its sample are the same.  Where nobody can tell they are taken
 * to be; where nobody is left, only unless rows are other people each time.
 */
static bool
is_of_now(Basis *basis, int64 row, const char *column)
{
	bool known = !basis->rows->isnull[row][3];
	double persons = 0;
	double same = 0;
	int64 i;

	if (!known)
		return true;
	if (basis->looked != row)
		basis->same = run_sample(
			psprintf("SELECT k.key, CAST(count(*) AS float8), CAST(count(*)"
					 " FILTER (WHERE k.value = $1 -> s.person ->> k.key) AS"
					 " float8) FROM (%s) AS s,"
					 " jsonb_each_text(s.value) AS k"
					 " WHERE $1 -> s.person ? k.key GROUP BY k.key",
					 sample_query(basis->owner, true)),
			DatumGetJsonbP(basis->rows->value[row][3]));
	basis->looked = row;
	for (i = 0; i < basis->same->count; i++)
		if (strcmp(TextDatumGetCString(basis->same->value[i][0]), column) == 0)
		{
			persons = DatumGetFloat8(basis->same->value[i][1]);
			same = DatumGetFloat8(basis->same->value[i][2]);
		}
	return persons == 0 ? !basis->versions->staging->params.anew
						: 2 * same >= persons;
}

/*
 * Adds what one release published of a key by another rule, or of another
 * column that is not published any more, or by another rule.
 */
static void
add_column(Basis *basis, int64 row, const char *column)
{
	struct SdcVersions *versions = basis->versions;
	bool own = basis->owner == versions;
	SdcPart *part = &versions->part[versions->seen_parts];
	int64 release = DatumGetInt64(basis->rows->value[row][0]);
	Jsonb *then = rule_then(basis, row, column);
	bool key = sdcpg_params_is_listed(basis->own, column);
	bool shown =
		key || sdcpg_params_is_listed(versions->staging->published, column);

	if (is_known(versions, column, shown, then))
		return;
	if (!is_of_now(basis, row, column))
	{
		versions->turned |= own && key && row == 0;
		return;
	}
	if (!remake_fixed(versions, part, release, then, column))
		return;
	part->release = release;
	if (own)
		versions->turned |= key && row == 0;
	else
	{
		part->keys = basis->keys;
		if (!sdcpg_params_is_listed(versions->others, basis->owner->policy))
			versions->others =
				lappend(versions->others, pstrdup(basis->owner->policy));
	}
	versions->seen_parts++;
	versions->fixed++;
}

/* The same of all columns that are looked for. */
static void
add_fixed(Basis *basis, int64 row)
{
	ListCell *cell;

	foreach (cell, sdcpg_policy_list_of(
					   DatumGetArrayTypeP(basis->rows->value[row][2])))
		/* tables differ while a column is there in one of them only */
		if (basis->versions->fixed < FIXED_LIMIT &&
			get_attnum(basis->versions->original->oid, lfirst(cell)) !=
				InvalidAttrNumber)
			add_column(basis, row, lfirst(cell));
}

/*
 * The published releases of the policy, the latest first: number, rules, which
 * of some columns they published, the sample, and where; of all places where
 * the policy published the table unless one is set.
 */
static SdcCatalogRows *
read_past(const struct SdcVersions *versions, ArrayType *keys)
{
	SdcCatalogParameters parameters = {0};

	bind_published(&parameters, versions);
	sdcpg_catalog_bind_text(&parameters, versions->original->sql);
	sdcpg_catalog_bind(&parameters, NAMEARRAYOID, PointerGetDatum(keys),
					   false);
	return sdcpg_catalog_read_owned(
		"release_history",
		"SELECT h.release, e.value OPERATOR(pg_catalog.->) 'rules', ARRAY("
		"SELECT k.key FROM pg_catalog.unnest($5) AS k (key)"
		" WHERE (e.value OPERATOR(pg_catalog.->) 'published')"
		" OPERATOR(pg_catalog.?) CAST(k.key AS pg_catalog.text)), b.sample,"
		" e.value OPERATOR(pg_catalog.->>) 'target'"
		" FROM sdc.release_history AS h CROSS JOIN LATERAL"
		" pg_catalog.jsonb_array_elements(h.relations) AS e (value)"
		" LEFT JOIN sdc.release_basis AS b"
		" ON b.release OPERATOR(pg_catalog.=) h.release"
		" AND b.target OPERATOR(pg_catalog.=) COALESCE($3,"
		" e.value OPERATOR(pg_catalog.->>) 'target')"
		" WHERE h.policy OPERATOR(pg_catalog.=) $1"
		" AND h.owner OPERATOR(pg_catalog.=) $2::pg_catalog.name"
		" AND h.status OPERATOR(pg_catalog.=) 'published'"
		" AND ((e.value OPERATOR(pg_catalog.->>) 'relation')"
		" OPERATOR(pg_catalog.=) $4"
		" OR (e.value OPERATOR(pg_catalog.->>) 'target')"
		" OPERATOR(pg_catalog.=) $3)"
		" ORDER BY h.release DESC",
		&parameters);
}

/*
 * Writes what this release is made from.  Contents that the release before
 * had, too, are not written again.
 */
static void
write_basis(const Basis *basis)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *sample = run_sample(
		psprintf("SELECT COALESCE(jsonb_object_agg(s.person, s.value), '{}')"
				 " FROM (%s) AS s",
				 sample_query(basis->versions, false)),
		NULL);

	bind_published(&parameters, basis->versions);
	sdcpg_catalog_bind(&parameters, INT8OID,
					   Int64GetDatum(basis->versions->release), false);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(basis->contents),
					   false);
	sdcpg_catalog_bind(&parameters, JSONBOID, sample->value[0][0], false);
	sdcpg_catalog_write(
		"release_basis",
		"INSERT INTO sdc.release_basis (policy, owner, target, release,"
		" hierarchies, sample) SELECT $1, $2::pg_catalog.name, $3, $4,"
		" CASE WHEN $5 OPERATOR(pg_catalog.=) (SELECT b.hierarchies"
		" FROM sdc.release_basis AS b"
		" WHERE b.policy OPERATOR(pg_catalog.=) $1"
		" AND b.owner OPERATOR(pg_catalog.=) $2::pg_catalog.name"
		" AND b.target OPERATOR(pg_catalog.=) $3"
		" AND NOT b.hierarchies OPERATOR(pg_catalog.=) '{}'"
		" ORDER BY b.release DESC LIMIT 1) THEN '{}' ELSE $5 END, $6",
		&parameters);
}

/* The names of a list, and those of another one that it has not: char *. */
static List *
unite_names(List *list, List *others)
{
	List *names = list_copy(list);
	ListCell *cell;

	foreach (cell, others)
		if (!sdcpg_params_is_listed(names, lfirst(cell)))
			names = lappend(names, lfirst(cell));
	return names;
}

/* Keys, and all other columns but the id, which may tell of keys. */
static ArrayType *
keys_and_others(const struct SdcVersions *versions, List *keys)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(versions->original);
	List *others = NIL;
	int c;

	for (c = 0; c < all.count; c++)
		if (all.column[c].number != versions->id.number)
			others = lappend(others, all.column[c].name);
	return sdcpg_policy_name_list(unite_names(keys, others));
}

/*
 * Adds what a policy whose table is joined with that of this one made of keys
 * of either, and of others, by rules that are a function of the value.
 */
static void
add_of_linked(struct SdcVersions *versions, const SdcPolicy *policy,
			  const SdcPolicyRelation *relation, ArrayType *keys)
{
	struct SdcVersions other = *versions;
	SdcStaging staging = *versions->staging;
	List *both;
	Basis basis = {versions, &other, sdcpg_policy_list_of(keys)};
	int64 row;

	staging.policy = relation;
	staging.target = NULL;
	other.staging = &staging;
	other.policy = policy->name;
	other.rules = relation->rules;
	basis.looked = -1;
	both = unite_names(
		basis.own,
		sdcpg_policy_list_of(sdcpg_versions_keys_of_linked(versions, policy)));
	basis.keys = sdcpg_policy_name_list(both);
	basis.rows = read_past(&other, keys_and_others(versions, both));
	basis.contents = read_contents(relation->rules);
	for (row = 0; row < basis.rows->count; row++)
	{
		staging.target = TextDatumGetCString(basis.rows->value[row][4]);
		add_fixed(&basis, row);
	}
}

void
sdcpg_versions_read_fixed(struct SdcVersions *versions, ArrayType *keys)
{
	Basis basis = {versions, versions, sdcpg_policy_list_of(keys)};
	ListCell *cell;
	int64 row;
	int i;

	basis.looked = -1;
	basis.rows = read_past(versions, keys_and_others(versions, basis.own));
	basis.contents = read_contents(versions->staging->policy->rules);
	versions->part =
		repalloc(versions->part,
				 sizeof(SdcPart) * (versions->seen_parts + FIXED_LIMIT + 1));
	for (row = 0; row < basis.rows->count; row++)
		add_fixed(&basis, row);
	write_basis(&basis);
	if (versions->linked == NIL)
		return;
	foreach (cell, list_concat(sdcpg_policies_of(versions->original->oid),
							   sdcpg_versions_list_gone(versions)))
	{
		const SdcPolicy *policy = lfirst(cell);

		for (i = 0; i < policy->count; i++)
			if (sdcpg_params_is_listed(versions->linked, policy->name) &&
				sdcpg_versions_is_joined(versions, &policy->relation[i]))
				add_of_linked(versions, policy, &policy->relation[i], keys);
	}
}
