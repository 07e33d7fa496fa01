/*
 * versions.c
 *		What a policy remembers of its releases, and what follows for the next.
 *
 * A mask that draws anew every night is averaged out by who keeps the nights.
 * So what was drawn for a person stays with him as long as the values that it
 * was made from do.  Columns that rules mask together, with chance or with the
 * help of other rows, are a part.  Of each part and person the catalog has
 * the masked values, which are public, under a keyed digest of the id and one
 * of the original values: nobody without the key can tell who is who, and no
 * original value is kept.
 *
 * Numbers go into the digest up to a grid as wide as the mask usually moves
 * them, whose place is the person's own: noise that is new after each small
 * move would average out, and noise that never changes would publish the move.
 *
 * Rows that are new or have changed are a batch.  Who has the version of last
 * night knows which they are, so the batch is their crowd and not the file:
 * it is masked by itself, with as many candidates as in the file, and rows of
 * a batch that is too small wait.  A mask that draws for each row by itself is
 * run on the file, whose figures it needs, and the batch takes its rows.
 *
 * All of it is written by SQL into tables of the owner of the policy, which
 * are dropped in the transaction that made them; what is remembered becomes
 * true with what is published, or not at all.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/args.h"
#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/data/column.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "release/publish.h"
#include "release/release.h"
#include "release/seal.h"
#include "release/versions.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/rules.h"
#include "topic/registry/nulls.h"

PG_FUNCTION_INFO_V1(sdcf_release_digest);
PG_FUNCTION_INFO_V1(sdcf_release_values);

/* Bytes of the digests that are kept. */
#define DIGEST_BYTES 16

/* Rows that a batch needs at the most unless the policy asks for more. */
#define BATCH_ROWS 50

/* The same of masks that draw for each row by itself. */
#define BATCH_APART 20

/* A batch is so many windows, or groups. */
#define BATCH_WINDOWS 4

/* Columns of versions that an intruder looks at; the latest count. */
#define LOOKS_LIMIT 120

/* What is told of a release, in rows. */
typedef struct Tally
{
	int64 rows;    /* of the table */
	int64 kept;    /* published as they were */
	int64 drawn;   /* published with a value drawn now */
	int64 waiting; /* for a larger batch, with old values or not at all */
	int64 left;    /* published last time and not now */
} Tally;

/* Columns that are masked together. */
typedef struct Part
{
	SdcRelationColumns columns; /* none: which rows are published */
	SdcRelationColumns strata;  /* that are not among them */
	List *rules;                /* const SdcRule * */
	Jsonb *document;            /* the same */
	bool apart;                 /* does each row have a draw of its own? */
	char *subject;
	int64 number;  /* of sdc.release_part; 0: not there yet */
	char **type;   /* of the masked columns */
	double *width; /* of the grid of numbers; 0: none */
	char *drawn;   /* the table with what was drawn now; NULL: nothing */
	char *batch;   /* the table of those that were drawn; NULL: all */
	bool sample;   /* does it say which rows are published? */
} Part;

struct SdcVersions
{
	SdcStaging *staging;
	const char *policy;
	int64 release;
	const SdcRelation *original;
	SdcRelationColumn id;
	Jsonb *rules;
	bool seeded;
	int64 seed;
	char *mark;
	int parts;     /* of the rules of now */
	int all_parts; /* and of rules of before, which follow them */
	Part *part;
	bool remembers; /* is anything known of versions before? */
	bool anew;      /* is none of it to be kept? */
	List *tables;   /* char *: to be dropped */
	Tally tally;
	int64 versions; /* that are attacked */
};

/* ----------------------------------------------------------------------
 * Digests: who somebody is, and what his values are, told to nobody.
 * ----------------------------------------------------------------------
 */

/* The key, and whom it is for. */
typedef struct DigestKey
{
	char *policy;
	uint8 key[SDC_KEYED_HASH_BYTES];
} DigestKey;

/* The key of a policy, for its owner; looked up once in a statement. */
static const DigestKey *
digest_key(FmgrInfo *function, const char *policy)
{
	DigestKey *known = function->fn_extra;
	MemoryContext caller;

	if (known != NULL && strcmp(known->policy, policy) == 0)
		return known;
	sdcpg_policy_need_owner(sdcpg_policy_find(policy));
	caller = MemoryContextSwitchTo(function->fn_mcxt);
	known = palloc(sizeof(DigestKey));
	known->policy = pstrdup(policy);
	sdcpg_seal_keyed(policy, "versions", known->key);
	MemoryContextSwitchTo(caller);
	function->fn_extra = known;
	return known;
}

/* Appends a text so that no two lists of texts look alike. */
static void
append_text(StringInfo words, const char *text)
{
	if (text == NULL)
		appendStringInfoString(words, "-;");
	else
		appendStringInfo(words, "%d:%s;", (int) strlen(text), text);
}

/* The place of a person's grid for the n-th number, in [0, 1). */
static double
grid_place(const DigestKey *key, const char *who, int n)
{
	uint8 output[SDC_KEYED_HASH_BYTES];
	StringInfoData words;
	uint64 bits = 0;
	int i;

	initStringInfo(&words);
	appendStringInfo(&words, "grid %d %s", n, who);
	sdcpg_keyed_digest(key->key, sizeof(key->key), words.data, words.len,
					   output);
	for (i = 0; i < 8; i++)
		bits = bits << 8 | output[i];
	pfree(words.data);
	return (bits >> 11) * (1.0 / (UINT64CONST(1) << 53));
}

/* Appends numbers, each by its cell in the grid of the person. */
static void
append_numbers(StringInfo words, const DigestKey *key, const char *who,
			   ArrayType *numbers, ArrayType *widths)
{
	Datum *number;
	Datum *width;
	bool *null;
	int count;
	int wide;
	int i;

	deconstruct_array(numbers, FLOAT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &number, &null, &count);
	deconstruct_array(widths, FLOAT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &width, NULL, &wide);
	for (i = 0; i < Min(count, wide); i++)
	{
		double cell;

		if (null[i])
		{
			append_text(words, NULL);
			continue;
		}
		cell = DatumGetFloat8(number[i]) / DatumGetFloat8(width[i]);
		if (isfinite(cell))
			cell = floor(cell + grid_place(key, who, i));
		append_text(words, float8out_internal(cell));
	}
}

/*
 * release_digest(policy text, subject text, person text, exact text,
 *                number float8[], width float8[])
 */
Datum
sdcf_release_digest(PG_FUNCTION_ARGS)
{
	const DigestKey *key;
	StringInfoData words;
	uint8 output[SDC_KEYED_HASH_BYTES];
	bytea *digest = palloc(VARHDRSZ + DIGEST_BYTES);
	char *who;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	key = digest_key(fcinfo->flinfo, text_to_cstring(PG_GETARG_TEXT_PP(0)));
	initStringInfo(&words);
	append_text(&words, text_to_cstring(PG_GETARG_TEXT_PP(1)));
	append_text(&words, text_to_cstring(PG_GETARG_TEXT_PP(2)));
	who = pstrdup(words.data);
	append_text(&words, PG_ARGISNULL(3)
							? NULL
							: text_to_cstring(PG_GETARG_TEXT_PP(3)));
	if (!PG_ARGISNULL(4) && !PG_ARGISNULL(5))
		append_numbers(&words, key, who, PG_GETARG_ARRAYTYPE_P(4),
					   PG_GETARG_ARRAYTYPE_P(5));
	sdcpg_keyed_digest(key->key, sizeof(key->key), words.data, words.len,
					   output);
	SET_VARSIZE(digest, VARHDRSZ + DIGEST_BYTES);
	memcpy(VARDATA(digest), output, DIGEST_BYTES);
	PG_RETURN_BYTEA_P(digest);
}

/*
 * release_values(policy text, relation regclass)
 */
Datum
sdcf_release_values(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcCatalogParameters parameters = {0};
	const char *policy;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	policy = text_to_cstring(PG_GETARG_TEXT_PP(0));
	sdcpg_policy_need_owner(sdcpg_policy_find(policy));
	sdcpg_catalog_bind_text(&parameters, policy);
	sdcpg_catalog_bind(&parameters, REGCLASSOID, PG_GETARG_DATUM(1), false);
	sdcpg_catalog_bind(
		&parameters, NAMEOID,
		DirectFunctionCall1(
			namein, CStringGetDatum(GetUserNameFromId(GetUserId(), false))),
		false);
	sdcpg_catalog_return_owned(
		"release_value",
		"SELECT v.part, v.person, v.cell, v.first, v.last, v.drawn, v.value"
		" FROM sdc.release_value AS v JOIN sdc.release_part AS p"
		" ON p.part OPERATOR(pg_catalog.=) v.part"
		" WHERE p.policy OPERATOR(pg_catalog.=) $1"
		" AND p.relation OPERATOR(pg_catalog.=) $2"
		" AND p.owner OPERATOR(pg_catalog.=) $3",
		&parameters, result);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * Parts: the columns that rules mask together.
 * ----------------------------------------------------------------------
 */

/* Does what a rule makes depend on more than its own row? */
static bool
draws(const SdcRule *rule)
{
	unsigned traits = rule->method->traits;

	if ((traits & SDC_MASK_ROW_LOCAL) == 0)
		return true;
	return (traits & SDC_MASK_OWN_DRAW) != 0 &&
		   sdcpg_rule_boolean(rule, "random");
}

static bool
share_columns(const SdcRule *a, const SdcRule *b)
{
	int i;

	for (i = 0; i < a->columns.count; i++)
		if (sdcpg_relation_lists(&b->columns, a->columns.column[i].number))
			return true;
	return false;
}

/* Adds the columns of a list that another one does not have. */
static void
add_columns(SdcRelationColumns *columns, const SdcRelationColumns *more,
			const SdcRelationColumns *except)
{
	int i;

	if (columns->column == NULL)
		columns->column =
			palloc(sizeof(SdcRelationColumn) * MaxHeapAttributeNumber);
	for (i = 0; i < more->count; i++)
		if (!sdcpg_relation_lists(columns, more->column[i].number) &&
			(except == NULL ||
			 !sdcpg_relation_lists(except, more->column[i].number)))
			columns->column[columns->count++] = more->column[i];
}

static void
fill_part(const struct SdcVersions *versions, Part *part)
{
	StringInfoData document;
	ListCell *cell;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	part->apart = true;
	part->sample = true;
	foreach (cell, part->rules)
	{
		const SdcRule *rule = lfirst(cell);

		add_columns(&part->columns, &rule->columns, NULL);
		sdcpg_document_jsonb(&document, rule->subject, rule->params);
		part->apart &= (rule->method->traits & SDC_MASK_OWN_DRAW) != 0;
		part->sample &= rule->method->stage == SDC_MASK_OF_ROWS;
	}
	foreach (cell, part->rules)
	{
		SdcRelationColumns strata =
			sdcpg_rule_strata(lfirst(cell), versions->original);

		add_columns(&part->strata, &strata, &part->columns);
	}
	sdcpg_document_close(&document, '{');
	part->document = sdcpg_document_end(&document);
	part->subject =
		part->sample ? pstrdup("*") : sdcpg_relation_list(&part->columns);
	part->type = palloc0(sizeof(char *) * (part->columns.count + 1));
	part->width = palloc0(sizeof(double) * (part->columns.count + 1));
}

/* Groups rules that share columns; keeps the groups that draw. */
static void
find_parts(struct SdcVersions *versions)
{
	SdcRules rules = sdcpg_rules_read(versions->rules, versions->original);
	int *group = palloc(sizeof(int) * (rules.count + 1));
	int i;
	int j;
	int g;

	for (i = 0; i < rules.count; i++)
	{
		group[i] = i;
		for (j = 0; j < i; j++)
			if (share_columns(&rules.rule[i], &rules.rule[j]))
				for (g = 0; g <= i; g++)
					if (group[g] == group[j])
						group[g] = group[i];
	}
	versions->part = palloc0(sizeof(Part) * (rules.count + 1));
	for (g = 0; g < rules.count; g++)
	{
		Part *part = &versions->part[versions->parts];
		bool chance = false;

		part->rules = NIL;
		for (i = 0; i < rules.count; i++)
			if (group[i] == g)
			{
				part->rules = lappend(part->rules, &rules.rule[i]);
				chance |= draws(&rules.rule[i]);
			}
		if (!chance)
			continue;
		fill_part(versions, part);
		versions->parts++;
	}
}

/* Are the records of a policy new ones, which are nobody's? */
static bool
makes_records(Jsonb *document, const SdcRelation *original)
{
	SdcRules rules = sdcpg_rules_read(document, original);
	int i;

	for (i = 0; i < rules.count; i++)
		if (rules.rule[i].method->traits & SDC_MASK_REPLACES)
			return true;
	return false;
}

static Datum
owner_name(void)
{
	return DirectFunctionCall1(
		namein, CStringGetDatum(GetUserNameFromId(GetUserId(), false)));
}

/* The texts or numbers of an array, as many as a part has columns. */
static void
read_array(Datum array, Oid type, int count, Part *part)
{
	Datum *element;
	int found;
	int i;

	if (type == TEXTOID)
		deconstruct_array(DatumGetArrayTypeP(array), type, -1, false,
						  TYPALIGN_INT, &element, NULL, &found);
	else
		deconstruct_array(DatumGetArrayTypeP(array), type, 8, FLOAT8PASSBYVAL,
						  TYPALIGN_DOUBLE, &element, NULL, &found);
	for (i = 0; i < Min(found, count); i++)
		if (type == TEXTOID)
			part->type[i] = TextDatumGetCString(element[i]);
		else
			part->width[i] = DatumGetFloat8(element[i]);
}

/* Finds what is remembered of a part under the same rules and key. */
static void
find_part(const struct SdcVersions *versions, Part *part)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind_text(&parameters, versions->policy);
	sdcpg_catalog_bind(&parameters, REGCLASSOID,
					   ObjectIdGetDatum(versions->original->oid), false);
	sdcpg_catalog_bind(&parameters, NAMEOID, owner_name(), false);
	sdcpg_catalog_bind_text(&parameters, versions->mark);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(part->document),
					   false);
	rows = sdcpg_catalog_read_owned(
		"release_part",
		"SELECT p.part, p.types, p.widths FROM sdc.release_part AS p"
		" WHERE p.policy OPERATOR(pg_catalog.=) $1"
		" AND p.relation OPERATOR(pg_catalog.=) $2"
		" AND p.owner OPERATOR(pg_catalog.=) $3"
		" AND p.mark OPERATOR(pg_catalog.=) $4"
		" AND p.rules OPERATOR(pg_catalog.=) $5"
		" ORDER BY p.part DESC LIMIT 1",
		&parameters);
	if (rows->count == 0)
		return;
	part->number = DatumGetInt64(rows->value[0][0]);
	read_array(rows->value[0][1], TEXTOID, part->columns.count, part);
	read_array(rows->value[0][2], FLOAT8OID, part->columns.count, part);
}

/* The number of published releases of the policy. */
static int64
count_published(const struct SdcVersions *versions)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, versions->policy);
	return DatumGetInt64(
		sdcpg_catalog_read_owned("release_history",
								 "SELECT pg_catalog.count(*)"
								 " FROM sdc.release_history AS h"
								 " WHERE h.policy OPERATOR(pg_catalog.=) $1"
								 " AND h.status OPERATOR(pg_catalog.=)"
								 " 'published'",
								 &parameters)
			->value[0][0]);
}

/* What tells the keys of a policy apart, of which no key can be made. */
static char *
key_mark(const char *policy)
{
	uint8 output[SDC_KEYED_HASH_BYTES];
	StringInfoData text;
	int i;

	sdcpg_seal_keyed(policy, "versions mark", output);
	initStringInfo(&text);
	for (i = 0; i < DIGEST_BYTES; i++)
		appendStringInfo(&text, "%02x", output[i]);
	return text.data;
}

/* ----------------------------------------------------------------------
 * The tables in which a release is put together.
 * ----------------------------------------------------------------------
 */

/* The name of a table of the release, as in SQL; it is dropped at the end. */
static char *
table_name(struct SdcVersions *versions, const char *suffix)
{
	return quote_qualified_identifier(
		get_namespace_name(versions->staging->schema),
		psprintf("%s_%s", versions->staging->name, suffix));
}

/* Runs a statement with the settings that texts of values depend on. */
static void
run(const char *sql)
{
	int settings = NewGUCNestLevel();

	sdcpg_seal_pin_settings();
	(void) sdcpg_staging_run(sql);
	AtEOXact_GUC(false, settings);
}

/* Makes a table of a query; returns its name. */
static char *
make_table(struct SdcVersions *versions, const char *suffix, const char *query)
{
	char *name = table_name(versions, suffix);

	run(psprintf("CREATE TABLE %s AS %s", name, query));
	versions->tables = lappend(versions->tables, name);
	run(psprintf("ANALYZE %s", name));
	return name;
}

static SdcRelation *
find_table(struct SdcVersions *versions, const char *suffix)
{
	return sdcpg_relation_find(
		get_relname_relid(psprintf("%s_%s", versions->staging->name, suffix),
						  versions->staging->schema));
}

/* One number of a query; 0 for NULL. */
static double
ask_number(const char *sql)
{
	SdcCatalogRows *rows;
	int settings = NewGUCNestLevel();

	sdcpg_seal_pin_settings();
	rows = sdcpg_catalog_read(sql, NULL);
	AtEOXact_GUC(false, settings);
	return rows->count == 0 || rows->isnull[0][0]
			   ? 0
			   : DatumGetFloat8(rows->value[0][0]);
}

/* Masks a table of the release into another one, which is dropped, too. */
static char *
mask_table(struct SdcVersions *versions, const char *from, Jsonb *rules,
		   const char *suffix)
{
	Oid oid = from == NULL ? versions->original->oid
						   : find_table(versions, from)->oid;
	char *name = table_name(versions, suffix);
	SdcNulls meaning;

	if (from != NULL &&
		sdcpg_nulls_declared(versions->original->oid, &meaning))
		sdcpg_nulls_declare(oid, meaning);
	sdcpg_staging_call_mask(oid, rules, versions->id.name, name,
							versions->seeded, versions->seed);
	versions->tables = lappend(versions->tables, name);
	run(psprintf("ANALYZE %s", name));
	return name;
}

/* The digest of the person of a row with this alias. */
static char *
person_sql(const struct SdcVersions *versions, const char *alias)
{
	return psprintf("sdc.release_digest(%s, 'person',"
					" record_out(ROW(%s.%s))::text, NULL, NULL, NULL)",
					quote_literal_cstr(versions->policy), alias,
					versions->id.sql);
}

/* Can a move of the column be measured? */
static bool
is_measured(const SdcRelationColumn *column)
{
	return sdcpg_number_is(column->base) || column->base == DATEOID ||
		   column->base == TIMESTAMPOID || column->base == TIMESTAMPTZOID;
}

/* The digest of what a part is made from, of a row with the alias r. */
static char *
cell_sql(const struct SdcVersions *versions, const Part *part)
{
	StringInfoData exact;
	StringInfoData number;
	StringInfoData width;
	int i;

	initStringInfo(&exact);
	initStringInfo(&number);
	initStringInfo(&width);
	for (i = 0; i < part->columns.count; i++)
		if (part->width[i] > 0)
		{
			appendStringInfo(&number, "%s%s", number.len > 0 ? ", " : "",
							 sdcpg_mask_type_number(&part->columns.column[i]));
			appendStringInfo(&width, "%s'%s'", width.len > 0 ? ", " : "",
							 float8out_internal(part->width[i]));
		}
		else
			appendStringInfo(&exact, "%sr.%s", exact.len > 0 ? ", " : "",
							 part->columns.column[i].sql);
	for (i = 0; i < part->strata.count; i++)
		appendStringInfo(&exact, "%sr.%s", exact.len > 0 ? ", " : "",
						 part->strata.column[i].sql);
	return psprintf("sdc.release_digest(%s, %s,"
					" record_out(ROW(r.%s))::text, record_out(ROW(%s))::text,"
					" ARRAY[%s]::float8[], ARRAY[%s]::float8[])",
					quote_literal_cstr(versions->policy),
					quote_literal_cstr(part->subject), versions->id.sql,
					exact.data, number.data, width.data);
}

/* The masked values of a part as text[], from a row with this alias. */
static char *
values_sql(const Part *part, const char *alias)
{
	StringInfoData sql;
	int i;

	if (part->sample)
		return "'{in}'::text[]";
	initStringInfo(&sql);
	appendStringInfoString(&sql, "ARRAY[");
	for (i = 0; i < part->columns.count; i++)
	{
		const char *name = part->columns.column[i].sql;

		appendStringInfo(&sql,
						 "%sCASE WHEN num_nulls(%s.%s) = 0 THEN"
						 " format('%%s', %s.%s) END",
						 i > 0 ? ", " : "", alias, name, alias, name);
	}
	appendStringInfoString(&sql, "]::text[]");
	return sql.data;
}

/* The id, the columns of all parts and the person of each original row. */
static void
make_now(struct SdcVersions *versions)
{
	SdcRelationColumns columns = {0};
	SdcRelationColumns id = {1, &versions->id};
	int p;

	add_columns(&columns, &id, NULL);
	for (p = 0; p < versions->parts; p++)
	{
		add_columns(&columns, &versions->part[p].columns, NULL);
		add_columns(&columns, &versions->part[p].strata, NULL);
	}
	make_table(versions, "now",
			   psprintf("SELECT %s AS sdc_person, %s FROM %s AS r",
						person_sql(versions, "r"),
						sdcpg_relation_list(&columns),
						versions->original->sql));
	versions->tally.rows = (int64) ask_number(psprintf(
		"SELECT count(*)::float8 FROM %s", table_name(versions, "now")));
}

/* Does the id tell the rows apart? */
static bool
id_is_unique(struct SdcVersions *versions)
{
	return ask_number(psprintf("SELECT count(*)::float8 FROM"
							   " (SELECT FROM %s GROUP BY sdc_person"
							   " HAVING count(*) > 1) AS x",
							   table_name(versions, "now"))) == 0;
}

/* What is remembered, beside the digests of now: see fill_part. */
static void
make_work(struct SdcVersions *versions)
{
	StringInfoData list;
	StringInfoData from;
	const char *mem = table_name(versions, "mem");
	int p;

	initStringInfo(&list);
	initStringInfo(&from);
	for (p = 0; p < versions->parts; p++)
	{
		const Part *part = &versions->part[p];

		if (part->number == 0 || versions->anew)
			appendStringInfo(
				&list,
				", %s AS cell_%d, NULL::text[] AS v_%d, NULL::int8 AS vd_%d,"
				" NULL::text[] AS o_%d, NULL::int8 AS od_%d,"
				" NULL::bytea AS oc_%d",
				part->number == 0 ? "NULL::bytea" : cell_sql(versions, part),
				p, p, p, p, p, p);
		else
		{
			appendStringInfo(&list,
							 ", c.cell_%d, v%d.value AS v_%d,"
							 " v%d.drawn AS vd_%d, o%d.value AS o_%d,"
							 " o%d.drawn AS od_%d, o%d.cell AS oc_%d",
							 p, p, p, p, p, p, p, p, p, p, p);
			appendStringInfo(
				&from,
				" LEFT JOIN (SELECT DISTINCT ON (m.person, m.cell) m.person,"
				" m.cell, m.value, m.drawn FROM %s AS m"
				" WHERE m.part = " INT64_FORMAT
				" ORDER BY m.person, m.cell, m.last DESC NULLS FIRST,"
				" m.drawn DESC) AS v%d"
				" ON v%d.person = r.sdc_person AND v%d.cell = c.cell_%d"
				" LEFT JOIN %s AS o%d ON o%d.part = " INT64_FORMAT
				" AND o%d.last IS NULL AND o%d.person = r.sdc_person",
				mem, part->number, p, p, p, p, mem, p, p, part->number, p, p);
		}
	}
	if (from.len > 0)
	{
		StringInfoData cells;

		initStringInfo(&cells);
		for (p = 0; p < versions->parts; p++)
			if (versions->part[p].number != 0)
				appendStringInfo(&cells, ", %s AS cell_%d",
								 cell_sql(versions, &versions->part[p]), p);
		make_table(versions, "cells",
				   psprintf("SELECT r.sdc_person%s FROM %s AS r", cells.data,
							table_name(versions, "now")));
	}
	make_table(versions, "work",
			   psprintf("SELECT r.sdc_person%s FROM %s AS r%s%s", list.data,
						table_name(versions, "now"),
						from.len > 0
							? psprintf(" JOIN %s AS c"
									   " ON c.sdc_person = r.sdc_person",
									   table_name(versions, "cells"))
							: "",
						from.data));
}

/* ----------------------------------------------------------------------
 * Batches: what is drawn now.
 * ----------------------------------------------------------------------
 */

/* The crowd that a rule gives a row, of sdc_all rows, as SQL; NULL: none. */
static char *
crowd_sql(const SdcRule *rule)
{
	const char *key = rule->method->strength.key;

	if (rule->method->likelihood == SDC_LIKELIHOOD_RANKS)
		return psprintf("ceil(%s::float8 / 100 * x.sdc_all)",
						float8out_internal(sdcpg_rule_number(rule, "p")));
	if (key == NULL || rule->method->traits & SDC_MASK_OWN_DRAW ||
		rule->method->stage == SDC_MASK_OF_ROWS)
		return NULL;
	return psprintf("ceil(%s::float8)",
					float8out_internal(sdcpg_rule_number(rule, key)));
}

/* How many rows of a stratum a part is drawn for at once, as SQL. */
static char *
batch_sql(const struct SdcVersions *versions, const Part *part)
{
	StringInfoData crowd;
	ListCell *cell;

	if (part->sample || part->number == 0)
		return "1";
	if (versions->staging->params.batch > 0)
		return psprintf("%d", versions->staging->params.batch);
	initStringInfo(&crowd);
	foreach (cell, part->rules)
		if (draws(lfirst(cell)) && crowd_sql(lfirst(cell)) != NULL)
			appendStringInfo(&crowd, ", %s", crowd_sql(lfirst(cell)));
	return crowd.len == 0 ? psprintf("%d", BATCH_APART)
						  : psprintf("LEAST(%d, %d * GREATEST(1%s))",
									 BATCH_ROWS, BATCH_WINDOWS, crowd.data);
}

/* An object with a number in it. */
static Jsonb *
with_number(Jsonb *object, const char *key, double number)
{
	StringInfoData document;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_number(&document, key, number);
	sdcpg_document_close(&document, '{');
	return DatumGetJsonbP(
		DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(object),
							JsonbPGetDatum(sdcpg_document_end(&document))));
}

/*
 * The rules of a part for a batch: windows so many times as wide, in ranks of
 * the batch, that they have as many rows as in the file.
 */
static Jsonb *
batch_rules(const Part *part, double wider)
{
	StringInfoData document;
	ListCell *cell;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	foreach (cell, part->rules)
	{
		const SdcRule *rule = lfirst(cell);
		Jsonb *params = rule->params;

		if (rule->method->likelihood == SDC_LIKELIHOOD_RANKS)
			params = with_number(
				params, "p", Min(sdcpg_rule_number(rule, "p") * wider, 100));
		sdcpg_document_jsonb(&document, rule->subject, params);
	}
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* The condition that the sample has a row of work, with the alias w. */
static char *
in_sample(const struct SdcVersions *versions)
{
	int p;

	for (p = 0; p < versions->parts; p++)
		if (versions->part[p].sample)
			return psprintf(" AND w.v_%d = '{in}'", p);
	return "";
}

/* Puts the rows that a part is drawn for into a table; returns how many. */
static int64
make_batch(struct SdcVersions *versions, int p)
{
	Part *part = &versions->part[p];
	const char *all = part->sample ? "" : in_sample(versions);
	StringInfoData strata;
	int i;

	initStringInfo(&strata);
	for (i = 0; i < part->strata.count; i++)
		appendStringInfo(&strata, "%sr.%s", i > 0 ? ", " : "PARTITION BY ",
						 part->strata.column[i].sql);
	part->batch = make_table(
		versions, psprintf("b%d", p),
		psprintf("SELECT x.* FROM (SELECT r.*, w.v_%d IS NULL AS sdc_new,"
				 " count(*) FILTER (WHERE w.v_%d IS NULL) OVER (%s)"
				 " AS sdc_rows, count(*) OVER (%s) AS sdc_all"
				 " FROM %s AS r JOIN %s AS w ON w.sdc_person = r.sdc_person%s)"
				 " AS x WHERE x.sdc_new AND x.sdc_rows >= %s",
				 p, p, strata.data, strata.data, table_name(versions, "now"),
				 table_name(versions, "work"), all,
				 batch_sql(versions, part)));
	return (int64) ask_number(
		psprintf("SELECT count(*)::float8 FROM %s", part->batch));
}

/* Draws who is in the sample, of those nobody has drawn for. */
static void
draw_sample(struct SdcVersions *versions, int p)
{
	Part *part = &versions->part[p];

	if (make_batch(versions, p) > 0)
	{
		char *drawn = mask_table(versions, psprintf("b%d", p), part->document,
								 psprintf("d%d", p));

		run(psprintf("UPDATE %s AS w SET vd_%d = " INT64_FORMAT ","
					 " v_%d = CASE WHEN EXISTS (SELECT FROM %s AS d"
					 " WHERE d.sdc_person = w.sdc_person) THEN '{in}'::text[]"
					 " ELSE '{out}' END WHERE w.v_%d IS NULL",
					 table_name(versions, "work"), p, versions->release, p,
					 drawn, p));
	}
}

/* Draws a part for its batch. */
static void
draw_batch(struct SdcVersions *versions, int p)
{
	Part *part = &versions->part[p];

	if (make_batch(versions, p) == 0)
		return;
	part->drawn = part->apart ? "all" : psprintf("d%d", p);
	if (!part->apart)
		(void) mask_table(
			versions, psprintf("b%d", p),
			batch_rules(part, ask_number(psprintf(
								  "SELECT max(x.sdc_all::float8 / x.sdc_rows)"
								  " FROM %s AS x",
								  part->batch))),
			part->drawn);
}

/* The rules but for parts that a batch is masked by; these are withheld. */
static Jsonb *
file_rules(const struct SdcVersions *versions)
{
	Datum rules = JsonbPGetDatum(versions->rules);
	StringInfoData hidden;
	int p;
	int i;

	sdcpg_document_begin(&hidden);
	sdcpg_document_open(&hidden, NULL, '{');
	for (p = 0; p < versions->parts; p++)
	{
		const Part *part = &versions->part[p];
		ListCell *cell;

		if (part->apart && !part->sample)
			continue;
		foreach (cell, part->rules)
			rules = DirectFunctionCall2(
				jsonb_delete, rules,
				CStringGetTextDatum(((SdcRule *) lfirst(cell))->subject));
		for (i = 0; i < part->columns.count; i++)
		{
			sdcpg_document_open(&hidden, part->columns.column[i].name, '{');
			sdcpg_document_text(&hidden, "method", "null");
			sdcpg_document_close(&hidden, '{');
		}
	}
	sdcpg_document_close(&hidden, '{');
	return DatumGetJsonbP(DirectFunctionCall2(
		jsonb_concat, rules, JsonbPGetDatum(sdcpg_document_end(&hidden))));
}

/* ----------------------------------------------------------------------
 * What is published: remembered, drawn, or waiting.
 * ----------------------------------------------------------------------
 */

/* The type of a column of a table, with its length. */
static char *
column_type(Oid table, const char *name)
{
	Oid type;
	int32 modifier;
	Oid collation;

	get_atttypetypmodcoll(table, get_attnum(table, name), &type, &modifier,
						  &collation);
	return format_type_extended(
		type, modifier, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

/*
 * How far the mask usually moves the values of a column, 0 where that is no
 * number: the root of the mean square.
 */
static double
usual_move(struct SdcVersions *versions, const Part *part, int i,
		   const SdcRelation *drawn)
{
	const SdcRelationColumn *column = &part->columns.column[i];
	SdcRelationColumn masked = sdcpg_relation_column(drawn, column->name);
	double move;

	if (!is_measured(column) || masked.base != column->base)
		return 0;
	move = ask_number(psprintf(
		"SELECT sqrt(avg(power(r.a - x.a, 2))) FROM (SELECT r.sdc_person,"
		" %s AS a FROM %s AS r) AS r JOIN (SELECT r.sdc_person, %s AS a"
		" FROM %s AS r) AS x ON x.sdc_person = r.sdc_person"
		" WHERE r.a > '-Infinity' AND r.a < 'Infinity'"
		" AND x.a > '-Infinity' AND x.a < 'Infinity'",
		sdcpg_mask_type_number(column), table_name(versions, "now"),
		sdcpg_mask_type_number(&masked), drawn->sql));
	return isfinite(move) ? move * versions->staging->params.grid : 0;
}

static ArrayType *
text_array(char *const *text, int count)
{
	Datum *element = palloc(sizeof(Datum) * (count + 1));
	int i;

	for (i = 0; i < count; i++)
		element[i] = CStringGetTextDatum(text[i]);
	return construct_array(element, count, TEXTOID, -1, false, TYPALIGN_INT);
}

static ArrayType *
number_array(const double *number, int count)
{
	Datum *element = palloc(sizeof(Datum) * (count + 1));
	int i;

	for (i = 0; i < count; i++)
		element[i] = Float8GetDatum(number[i]);
	return construct_array(element, count, FLOAT8OID, 8, FLOAT8PASSBYVAL,
						   TYPALIGN_DOUBLE);
}

/* Writes a part that is remembered from now on. */
static void
write_part(const struct SdcVersions *versions, Part *part)
{
	SdcCatalogParameters parameters = {0};
	char **names = palloc(sizeof(char *) * (part->columns.count + 1));
	int i;

	for (i = 0; i < part->columns.count; i++)
		names[i] = part->columns.column[i].name;
	part->number =
		DatumGetInt64(sdcpg_catalog_read_owned("release_part",
											   "SELECT pg_catalog.nextval("
											   "'sdc.release_part_number'"
											   "::pg_catalog.regclass)",
											   NULL)
						  ->value[0][0]);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(part->number),
					   false);
	sdcpg_catalog_bind_text(&parameters, versions->policy);
	sdcpg_catalog_bind(&parameters, REGCLASSOID,
					   ObjectIdGetDatum(versions->original->oid), false);
	sdcpg_catalog_bind(&parameters, NAMEOID, owner_name(), false);
	sdcpg_catalog_bind_text(&parameters, versions->mark);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(part->document),
					   false);
	sdcpg_catalog_bind(&parameters, TEXTARRAYOID,
					   PointerGetDatum(text_array(names, part->columns.count)),
					   false);
	sdcpg_catalog_bind(
		&parameters, TEXTARRAYOID,
		PointerGetDatum(text_array(part->type, part->columns.count)), false);
	sdcpg_catalog_bind(
		&parameters, FLOAT8ARRAYOID,
		PointerGetDatum(number_array(part->width, part->columns.count)),
		false);
	sdcpg_catalog_write("release_part",
						"INSERT INTO sdc.release_part (part, policy, relation,"
						" owner, mark, rules, columns, types, widths)"
						" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
						&parameters);
}

/* Settles types and grid of the parts that are new, by what was drawn. */
static void
settle_parts(struct SdcVersions *versions)
{
	int p;
	int i;

	for (p = 0; p < versions->parts; p++)
	{
		Part *part = &versions->part[p];
		SdcRelation *drawn;

		if (part->number != 0)
			continue;
		if (part->drawn != NULL)
		{
			drawn = find_table(versions, part->drawn);
			for (i = 0; i < part->columns.count; i++)
			{
				part->type[i] =
					column_type(drawn->oid, part->columns.column[i].name);
				part->width[i] = usual_move(versions, part, i, drawn);
			}
		}
		if (part->drawn != NULL || part->sample)
			write_part(versions, part);
	}
}

/* What a part gives each person: columns of the result for make_result. */
static void
put_part(struct SdcVersions *versions, int p, StringInfo list)
{
	const Part *part = &versions->part[p];
	const char *now = part->drawn == NULL
						  ? "false"
						  : psprintf("d%d.sdc_person IS NOT NULL", p);
	const char *cell =
		psprintf("COALESCE(w.cell_%d, %s)", p, cell_sql(versions, part));
	const char *values =
		part->drawn == NULL ? "NULL" : values_sql(part, psprintf("d%d", p));

	appendStringInfo(list,
					 ", %s AS cell_%d, CASE WHEN w.v_%d IS NOT NULL"
					 " THEN w.v_%d WHEN %s THEN %s ELSE %s END AS r_%d,",
					 cell, p, p, p, now, values,
					 part->sample ? "'{out}'::text[]" : psprintf("w.o_%d", p),
					 p);
	appendStringInfo(
		list,
		" CASE WHEN w.v_%d IS NOT NULL THEN w.vd_%d"
		" WHEN %s THEN " INT64_FORMAT " ELSE w.od_%d END AS dr_%d,",
		p, p, part->sample ? "true" : now, versions->release, p, p);
	appendStringInfo(list,
					 " CASE WHEN w.v_%d IS NOT NULL THEN"
					 " w.oc_%d IS DISTINCT FROM w.cell_%d"
					 " OR w.od_%d IS DISTINCT FROM w.vd_%d"
					 " ELSE %s END AS ch_%d,",
					 p, p, p, p, p, part->sample ? "true" : now, p);
	appendStringInfo(list,
					 " w.v_%d IS NULL AND NOT %s AND %s"
					 " IS DISTINCT FROM w.oc_%d AS wait_%d",
					 p, part->sample ? "true" : now, cell, p, p);
}

/* Puts together, for each person and part, what is published. */
static void
make_result(struct SdcVersions *versions)
{
	StringInfoData list;
	StringInfoData from;
	StringInfoData ok;
	StringInfoData waits;
	StringInfoData drawn;
	const char *sample = "true";
	int p;

	initStringInfo(&list);
	initStringInfo(&from);
	initStringInfo(&ok);
	initStringInfo(&waits);
	initStringInfo(&drawn);
	for (p = 0; p < versions->parts; p++)
	{
		const Part *part = &versions->part[p];
		const char *and = p > 0 ? " AND " : "";
		const char * or = p > 0 ? " OR " : "";

		put_part(versions, p, &list);
		if (part->drawn != NULL)
			appendStringInfo(
				&from,
				" LEFT JOIN %s AS d%d ON d%d.sdc_person = r.sdc_person%s",
				table_name(versions, part->drawn), p, p,
				part->batch == NULL
					? ""
					: psprintf(" AND EXISTS (SELECT FROM %s AS b"
							   " WHERE b.sdc_person = r.sdc_person)",
							   part->batch));
		appendStringInfo(&ok, "%sx.r_%d %s", and, p,
						 part->sample ? "= '{in}'" : "IS NOT NULL");
		appendStringInfo(&waits, "%sx.wait_%d", or, p);
		if (part->sample)
			sample = psprintf("x.r_%d = '{in}'", p);
		appendStringInfo(&drawn, "%sx.dr_%d = " INT64_FORMAT, or, p,
						 versions->release);
	}
	make_table(
		versions, "res",
		psprintf("SELECT x.*, %s AS sdc_ok, (%s) AND %s AS sdc_waits,"
				 " %s AS sdc_drawn"
				 " FROM (SELECT r.sdc_person%s FROM %s AS r JOIN %s AS w"
				 " ON w.sdc_person = r.sdc_person%s) AS x",
				 ok.data, waits.data, sample, drawn.data, list.data,
				 table_name(versions, "now"), table_name(versions, "work"),
				 from.data));
}

/* The place of a column in a part, both found by its name. */
static const Part *
part_of(const struct SdcVersions *versions, const char *name, int *p, int *i)
{
	for (*p = 0; *p < versions->parts; (*p)++)
		for (*i = 0; *i < versions->part[*p].columns.count; (*i)++)
			if (strcmp(versions->part[*p].columns.column[*i].name, name) == 0)
				return &versions->part[*p];
	return NULL;
}

/* The collation of a column where it is not that of its type. */
static char *
collation_sql(Oid table, const char *name)
{
	Oid type;
	int32 modifier;
	Oid collation;

	get_atttypetypmodcoll(table, get_attnum(table, name), &type, &modifier,
						  &collation);
	if (!OidIsValid(collation) || collation == DEFAULT_COLLATION_OID)
		return "";
	return psprintf(" COLLATE %s",
					DatumGetCString(DirectFunctionCall1(
						regcollationout, ObjectIdGetDatum(collation))));
}

/* Makes the staging table of what the file gave and of the parts. */
static void
make_staging(struct SdcVersions *versions)
{
	SdcStaging *staging = versions->staging;
	SdcRelation *file = find_table(versions, "file");
	SdcRelationColumns columns = sdcpg_relation_all_columns(file);
	StringInfoData list;
	int settings = NewGUCNestLevel();
	int c;

	sdcpg_seal_pin_settings();
	initStringInfo(&list);
	for (c = 0; c < columns.count; c++)
	{
		const SdcRelationColumn *column = &columns.column[c];
		int p;
		int i;
		const Part *part = part_of(versions, column->name, &p, &i);

		if (part == NULL)
			appendStringInfo(&list, "%sf.%s", c > 0 ? ", " : "", column->sql);
		else
			appendStringInfo(
				&list, "%sCAST(x.r_%d[%d] AS %s)%s AS %s", c > 0 ? ", " : "",
				p, i + 1,
				part->type[i] != NULL ? part->type[i]
									  : column_type(file->oid, column->name),
				collation_sql(file->oid, column->name), column->sql);
	}
	AtEOXact_GUC(false, settings);
	run(psprintf(
		"CREATE TABLE %s AS SELECT %s FROM (SELECT f.*, %s AS sdc_person"
		" FROM %s AS f OFFSET 0) AS f JOIN %s AS x"
		" ON x.sdc_person = f.sdc_person WHERE x.sdc_ok",
		quote_qualified_identifier(get_namespace_name(staging->schema),
								   staging->name),
		list.data, person_sql(versions, "f"), file->sql,
		table_name(versions, "res")));
	staging->masked =
		sdcpg_relation_find(get_relname_relid(staging->name, staging->schema));
}

/* What NULL means in what is published: as tonight's masks say, or as last
 * night. */
static void
keep_nulls(struct SdcVersions *versions)
{
	const SdcStaging *staging = versions->staging;
	Oid before = get_relname_relid(staging->table, staging->schema);
	SdcNulls meaning;
	int p;

	for (p = 0; p < versions->parts; p++)
		if (versions->part[p].drawn != NULL && !versions->part[p].apart &&
			!versions->part[p].sample &&
			sdcpg_nulls_declared(find_table(versions, psprintf("d%d", p))->oid,
								 &meaning))
		{
			sdcpg_nulls_declare(staging->masked->oid, meaning);
			return;
		}
	if (sdcpg_nulls_declared(find_table(versions, "file")->oid, &meaning) ||
		(OidIsValid(before) && sdcpg_nulls_declared(before, &meaning)))
		sdcpg_nulls_declare(staging->masked->oid, meaning);
}

/* ----------------------------------------------------------------------
 * What is remembered.
 * ----------------------------------------------------------------------
 */

#define ROWS_AT_A_TIME 5000

/* Rows on their way into sdc.release_value. */
typedef struct Chunk
{
	const struct SdcVersions *versions;
	int64 part; /* 0: all of the policy, of which rows are closed only */
	MemoryContext memory;
	int rows;
	Datum person[ROWS_AT_A_TIME];
	Datum cell[ROWS_AT_A_TIME];
	Datum drawn[ROWS_AT_A_TIME];
	Datum value[ROWS_AT_A_TIME];
	Datum published[ROWS_AT_A_TIME];
} Chunk;

static void
bind_array(SdcCatalogParameters *parameters, Datum *element, int count,
		   Oid type, Oid array)
{
	int16 length;
	bool by_value;
	char align;

	get_typlenbyvalalign(type, &length, &by_value, &align);
	sdcpg_catalog_bind(parameters, array,
					   PointerGetDatum(construct_array(
						   element, count, type, length, by_value, align)),
					   false);
}

/* The values of these persons are no longer what is published. */
static void
close_values(const Chunk *chunk)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, chunk->versions->policy);
	sdcpg_catalog_bind(&parameters, REGCLASSOID,
					   ObjectIdGetDatum(chunk->versions->original->oid),
					   false);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(chunk->part),
					   false);
	sdcpg_catalog_bind(&parameters, INT8OID,
					   Int64GetDatum(chunk->versions->release), false);
	bind_array(&parameters, (Datum *) chunk->person, chunk->rows, BYTEAOID,
			   BYTEAARRAYOID);
	sdcpg_catalog_write(
		"release_value",
		"UPDATE sdc.release_value AS v SET last = $4"
		" WHERE v.last IS NULL AND v.part OPERATOR(pg_catalog.=) ANY (ARRAY("
		"SELECT p.part FROM sdc.release_part AS p"
		" WHERE p.policy OPERATOR(pg_catalog.=) $1"
		" AND p.relation OPERATOR(pg_catalog.=) $2"
		" AND (p.part OPERATOR(pg_catalog.=) $3"
		" OR $3 OPERATOR(pg_catalog.=) 0::pg_catalog.int8)))"
		" AND v.person OPERATOR(pg_catalog.=) ANY ($5)",
		&parameters);
}

static void
insert_values(const Chunk *chunk)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(chunk->part),
					   false);
	sdcpg_catalog_bind(&parameters, INT8OID,
					   Int64GetDatum(chunk->versions->release), false);
	bind_array(&parameters, (Datum *) chunk->person, chunk->rows, BYTEAOID,
			   BYTEAARRAYOID);
	bind_array(&parameters, (Datum *) chunk->cell, chunk->rows, BYTEAOID,
			   BYTEAARRAYOID);
	bind_array(&parameters, (Datum *) chunk->drawn, chunk->rows, INT8OID,
			   INT8ARRAYOID);
	bind_array(&parameters, (Datum *) chunk->value, chunk->rows, TEXTOID,
			   TEXTARRAYOID);
	bind_array(&parameters, (Datum *) chunk->published, chunk->rows, BOOLOID,
			   BOOLARRAYOID);
	sdcpg_catalog_write(
		"release_value",
		"INSERT INTO sdc.release_value"
		" (part, person, cell, first, last, drawn, value)"
		" SELECT $1, u.person, u.cell, $2,"
		" CASE WHEN u.published THEN NULL ELSE $2 END, u.drawn,"
		" CAST(u.value AS pg_catalog.text[]) FROM ROWS FROM"
		" (pg_catalog.unnest($3), pg_catalog.unnest($4),"
		" pg_catalog.unnest($5), pg_catalog.unnest($6),"
		" pg_catalog.unnest($7)) AS u (person, cell, drawn, value, published)",
		&parameters);
}

static void
flush(Chunk *chunk)
{
	MemoryContext caller;

	if (chunk->rows == 0)
		return;
	caller = MemoryContextSwitchTo(chunk->memory);
	close_values(chunk);
	if (chunk->part != 0)
		insert_values(chunk);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(chunk->memory);
	chunk->rows = 0;
}

static void
start_rows(void *arg, TupleDesc descriptor)
{
}

static void
take_row(void *arg, TupleDesc descriptor, const Datum *values,
		 const bool *isnull)
{
	Chunk *chunk = arg;
	MemoryContext caller = MemoryContextSwitchTo(chunk->memory);
	int row = chunk->rows++;

	chunk->person[row] = PointerGetDatum(DatumGetByteaPCopy(values[0]));
	if (descriptor->natts > 1)
	{
		chunk->cell[row] = PointerGetDatum(DatumGetByteaPCopy(values[1]));
		chunk->drawn[row] = values[2];
		chunk->value[row] = PointerGetDatum(DatumGetTextPCopy(values[3]));
		chunk->published[row] = values[4];
	}
	MemoryContextSwitchTo(caller);
	if (chunk->rows == ROWS_AT_A_TIME)
		flush(chunk);
}

/* Writes the rows of a query into sdc.release_value, or closes them. */
static void
write_rows(struct SdcVersions *versions, int64 part, const char *sql)
{
	Chunk *chunk = palloc0(sizeof(Chunk));
	SdcRows rows = {start_rows, take_row, chunk};
	SdcPgHost *host = sdcpg_host_begin("release", CurrentMemoryContext);
	int settings = NewGUCNestLevel();

	chunk->versions = versions;
	chunk->part = part;
	chunk->memory = AllocSetContextCreate(CurrentMemoryContext, "sdc versions",
										  ALLOCSET_DEFAULT_SIZES);
	sdcpg_seal_pin_settings();
	sdcpg_rows_receive(host, sql, &rows);
	flush(chunk);
	AtEOXact_GUC(false, settings);
	MemoryContextDelete(chunk->memory);
	pfree(chunk);
	sdcpg_host_end(host);
}

/* Of parts whose rules are gone nothing is published any more. */
static void
close_other_parts(const struct SdcVersions *versions)
{
	SdcCatalogParameters parameters = {0};
	Datum *part = palloc(sizeof(Datum) * (versions->parts + 1));
	int p;

	for (p = 0; p < versions->parts; p++)
		part[p] = Int64GetDatum(versions->part[p].number);
	sdcpg_catalog_bind_text(&parameters, versions->policy);
	sdcpg_catalog_bind(&parameters, REGCLASSOID,
					   ObjectIdGetDatum(versions->original->oid), false);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(versions->release),
					   false);
	bind_array(&parameters, part, versions->parts, INT8OID, INT8ARRAYOID);
	sdcpg_catalog_write(
		"release_value",
		"UPDATE sdc.release_value AS v SET last = $3"
		" FROM sdc.release_part AS p"
		" WHERE v.last IS NULL AND p.part OPERATOR(pg_catalog.=) v.part"
		" AND p.policy OPERATOR(pg_catalog.=) $1"
		" AND p.relation OPERATOR(pg_catalog.=) $2"
		" AND NOT p.part OPERATOR(pg_catalog.=) ANY ($4)",
		&parameters);
}

/* Forgets what only versions beyond those that are kept had. */
static void
forget_old(const struct SdcVersions *versions)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, versions->policy);
	sdcpg_catalog_bind(&parameters, REGCLASSOID,
					   ObjectIdGetDatum(versions->original->oid), false);
	sdcpg_catalog_bind(
		&parameters, INT8OID,
		Int64GetDatum(versions->staging->params.keep_versions - 1), false);
	sdcpg_catalog_write(
		"release_value",
		"DELETE FROM sdc.release_value AS v USING sdc.release_part AS p"
		" WHERE p.part OPERATOR(pg_catalog.=) v.part"
		" AND p.policy OPERATOR(pg_catalog.=) $1"
		" AND p.relation OPERATOR(pg_catalog.=) $2"
		" AND v.last OPERATOR(pg_catalog.<=) (SELECT pg_catalog.min(k.release)"
		" FROM (SELECT h.release FROM sdc.release_history AS h"
		" WHERE h.policy OPERATOR(pg_catalog.=) $1"
		" AND h.status OPERATOR(pg_catalog.=) 'published'"
		" ORDER BY h.release DESC LIMIT $3) AS k)",
		&parameters);
}

/* Persons that the version before had and this one has not: rows of mem. */
static char *
gone_sql(struct SdcVersions *versions)
{
	int64 sample = 0;
	int p;

	for (p = 0; p < versions->parts; p++)
		if (versions->part[p].sample)
			sample = versions->part[p].number;
	return psprintf("SELECT DISTINCT m.person FROM %s AS m"
					" WHERE m.last IS NULL AND NOT EXISTS (SELECT FROM %s AS x"
					" WHERE x.sdc_person = m.person"
					" AND (x.sdc_ok OR m.part = " INT64_FORMAT "))",
					table_name(versions, "mem"), table_name(versions, "res"),
					sample);
}

static void
remember(struct SdcVersions *versions)
{
	int p;

	for (p = 0; p < versions->parts; p++)
		if (versions->part[p].number != 0)
			write_rows(versions, versions->part[p].number,
					   psprintf("SELECT x.sdc_person, x.cell_%d, x.dr_%d,"
								" CAST(x.r_%d AS text), %s FROM %s AS x"
								" WHERE x.ch_%d AND x.r_%d IS NOT NULL"
								" AND (%s OR x.dr_%d = " INT64_FORMAT ")",
								p, p, p,
								versions->part[p].sample ? "true" : "x.sdc_ok",
								table_name(versions, "res"), p, p,
								versions->part[p].sample ? "true" : "x.sdc_ok",
								p, versions->release));
	if (versions->remembers)
		write_rows(versions, 0, gone_sql(versions));
	close_other_parts(versions);
	forget_old(versions);
}

static void
count_rows(struct SdcVersions *versions)
{
	const char *res = table_name(versions, "res");
	Tally *tally = &versions->tally;

	tally->kept =
		(int64) ask_number(psprintf("SELECT count(*)::float8 FROM %s"
									" WHERE sdc_ok AND NOT sdc_drawn",
									res));
	tally->drawn = (int64) ask_number(psprintf(
		"SELECT count(*)::float8 FROM %s WHERE sdc_ok AND sdc_drawn", res));
	tally->waiting = (int64) ask_number(
		psprintf("SELECT count(*)::float8 FROM %s WHERE sdc_waits", res));
	if (versions->remembers)
		tally->left = (int64) ask_number(psprintf(
			"SELECT count(*)::float8 FROM (%s) AS g", gone_sql(versions)));
}

/* ----------------------------------------------------------------------
 * What all versions together show.
 *
 * Each draw of a part is a look at the values that it was made from.  Looks
 * become columns, one for each release that drew, NULL for persons it did not
 * draw for; on the side of the original the same persons have the value as it
 * is.  So an intruder who weighs records column by column adds up what the
 * versions tell him, compares the drawn rows of a night with each other only,
 * and knows who came and changed when.  A value whose original has changed
 * since is left out: the look was at another value.
 * ----------------------------------------------------------------------
 */

/* One release that drew a part. */
typedef struct Look
{
	int p;
	int64 drawn;
	double rows;
} Look;

/* Does a list of names (name[]) have this one? */
static bool
lists_name(ArrayType *names, const char *name)
{
	Datum *element;
	int count;
	int i;

	if (names == NULL)
		return false;
	deconstruct_array(names, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR,
					  &element, NULL, &count);
	for (i = 0; i < count; i++)
		if (strcmp(NameStr(*DatumGetName(element[i])), name) == 0)
			return true;
	return false;
}

static bool
has_key(const Part *part, ArrayType *keys)
{
	int i;

	for (i = 0; i < part->columns.count; i++)
		if (lists_name(keys, part->columns.column[i].name))
			return true;
	return false;
}

/* Adds a part of before, unless its columns are gone. */
static void
add_old_part(struct SdcVersions *versions, const SdcCatalogRows *rows, int row)
{
	Part *part = &versions->part[versions->all_parts];
	Jsonb *document = DatumGetJsonbP(rows->value[row][1]);
	Datum *name;
	SdcRules rules;
	int count;
	int i;

	deconstruct_array(DatumGetArrayTypeP(rows->value[row][2]), TEXTOID, -1,
					  false, TYPALIGN_INT, &name, NULL, &count);
	for (i = 0; i < count; i++)
		if (get_attnum(versions->original->oid,
					   TextDatumGetCString(name[i])) == InvalidAttrNumber)
			return;
	if (count == 0)
		return;
	memset(part, 0, sizeof(*part));
	rules = sdcpg_rules_read(document, versions->original);
	for (i = 0; i < rules.count; i++)
		part->rules = lappend(part->rules, &rules.rule[i]);
	fill_part(versions, part);
	part->number = DatumGetInt64(rows->value[row][0]);
	read_array(rows->value[row][3], TEXTOID, part->columns.count, part);
	read_array(rows->value[row][4], FLOAT8OID, part->columns.count, part);
	versions->all_parts++;
}

/* Reads the parts of rules of before: what they published is out there. */
static void
find_old_parts(struct SdcVersions *versions)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int row;
	int p;

	sdcpg_catalog_bind_text(&parameters, versions->policy);
	sdcpg_catalog_bind(&parameters, REGCLASSOID,
					   ObjectIdGetDatum(versions->original->oid), false);
	sdcpg_catalog_bind(&parameters, NAMEOID, owner_name(), false);
	sdcpg_catalog_bind_text(&parameters, versions->mark);
	rows = sdcpg_catalog_read_owned(
		"release_part",
		"SELECT p.part, p.rules, p.columns, p.types, p.widths"
		" FROM sdc.release_part AS p"
		" WHERE p.policy OPERATOR(pg_catalog.=) $1"
		" AND p.relation OPERATOR(pg_catalog.=) $2"
		" AND p.owner OPERATOR(pg_catalog.=) $3"
		" AND p.mark OPERATOR(pg_catalog.=) $4"
		" AND EXISTS (SELECT FROM sdc.release_value AS v"
		" WHERE v.part OPERATOR(pg_catalog.=) p.part)",
		&parameters);
	versions->part = repalloc(
		versions->part, sizeof(Part) * (versions->parts + rows->count + 1));
	versions->all_parts = versions->parts;
	for (row = 0; row < rows->count; row++)
	{
		for (p = 0; p < versions->parts; p++)
			if (versions->part[p].number == DatumGetInt64(rows->value[row][0]))
				break;
		if (p == versions->parts)
			add_old_part(versions, rows, row);
	}
}

/* The rows of all looks: place of the part, person, release, values. */
static void
make_looks(struct SdcVersions *versions, ArrayType *keys)
{
	StringInfoData sql;
	int p;

	make_table(versions, "kept",
			   psprintf("SELECT * FROM sdc.release_values(%s,"
						" '%u'::regclass)",
						quote_literal_cstr(versions->policy),
						versions->original->oid));
	initStringInfo(&sql);
	for (p = 0; p < versions->all_parts; p++)
		if (has_key(&versions->part[p], keys))
			appendStringInfo(
				&sql,
				"%sSELECT DISTINCT %d AS p, m.person, m.drawn, m.value"
				" FROM %s AS m JOIN (SELECT %s AS person, %s AS cell"
				" FROM %s AS r OFFSET 0) AS x ON x.person = m.person"
				" WHERE m.part = " INT64_FORMAT
				" AND (m.last IS NULL OR m.cell = x.cell)"
				" AND m.first IS DISTINCT FROM m.last",
				sql.len > 0 ? " UNION ALL " : "", p,
				table_name(versions, "kept"), person_sql(versions, "r"),
				cell_sql(versions, &versions->part[p]),
				versions->original->sql, versions->part[p].number);
	make_table(versions, "looks",
			   sql.len > 0 ? sql.data
						   : "SELECT 0 AS p, NULL::bytea AS person,"
							 " 0::int8 AS drawn, NULL::text[] AS value"
							 " WHERE false");
}

/* The looks, the latest first; *nights is how many releases drew. */
static List *
list_looks(struct SdcVersions *versions, int64 *nights)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(
		psprintf("SELECT l.p, l.drawn,"
				 " CAST(pg_catalog.count(*) AS pg_catalog.float8) FROM %s AS l"
				 " GROUP BY l.p, l.drawn ORDER BY l.drawn DESC, l.p",
				 table_name(versions, "looks")),
		NULL);
	List *looks = NIL;
	int64 last = -1;
	int columns = 0;
	int64 i;

	*nights = 0;
	for (i = 0; i < rows->count; i++)
	{
		Look *look = palloc(sizeof(Look));

		look->p = DatumGetInt32(rows->value[i][0]);
		look->drawn = DatumGetInt64(rows->value[i][1]);
		look->rows = DatumGetFloat8(rows->value[i][2]);
		columns += versions->part[look->p].columns.count;
		if (columns > LOOKS_LIMIT)
			break;
		looks = lappend(looks, look);
		*nights += look->drawn != last;
		last = look->drawn;
	}
	return looks;
}

/* In place of a column: was the person drawn for? */
#define DRAWN 1664

/* The name of a column in a look. */
static char *
look_name(const Look *look, int i)
{
	return psprintf("sdc_%d_%d_" INT64_FORMAT, look->p, i, look->drawn);
}

/* The columns that are the same in each version: keys and strata. */
static SdcRelationColumns
plain_columns(const struct SdcVersions *versions, ArrayType *keys)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(versions->original);
	SdcRelationColumns plain = {0};
	int c;
	int p;

	for (c = 0; c < all.count; c++)
	{
		SdcRelationColumns one = {1, &all.column[c]};
		const char *name = all.column[c].name;
		bool wanted = lists_name(keys, name);
		int i;

		for (p = 0; p < versions->parts; p++)
			wanted |= sdcpg_relation_lists(&versions->part[p].strata,
										   all.column[c].number);
		if (wanted && part_of(versions, name, &p, &i) == NULL &&
			all.column[c].number != versions->id.number &&
			get_attnum(versions->staging->masked->oid, name) !=
				InvalidAttrNumber)
			add_columns(&plain, &one, NULL);
	}
	return plain;
}

/* One row for each person with the columns of all looks. */
static void
make_seen(struct SdcVersions *versions, List *looks)
{
	StringInfoData list;
	ListCell *cell;
	int i;

	initStringInfo(&list);
	foreach (cell, looks)
	{
		const Look *look = lfirst(cell);
		const Part *part = &versions->part[look->p];
		char *where =
			psprintf("(WHERE l.p = %d AND l.drawn = " INT64_FORMAT ")",
					 look->p, look->drawn);

		appendStringInfo(&list, ", count(*) FILTER %s > 0 AS %s", where,
						 look_name(look, DRAWN));
		for (i = 0; i < part->columns.count; i++)
			appendStringInfo(&list,
							 ", CAST(max(l.value[%d]) FILTER %s AS %s)"
							 " AS %s",
							 i + 1, where, part->type[i], look_name(look, i));
	}
	make_table(versions, "seen",
			   psprintf("SELECT l.person%s FROM %s AS l GROUP BY l.person",
						list.data, table_name(versions, "looks")));
}

/* The two sides: the masked columns of the looks, and the originals. */
static void
make_sides(struct SdcVersions *versions, List *looks,
		   const SdcRelationColumns *plain)
{
	StringInfoData masked;
	StringInfoData original;
	ListCell *cell;
	int i;

	initStringInfo(&masked);
	initStringInfo(&original);
	for (i = 0; i < plain->count; i++)
	{
		appendStringInfo(&masked, ", r.%s", plain->column[i].sql);
		appendStringInfo(&original, ", r.%s", plain->column[i].sql);
	}
	foreach (cell, looks)
	{
		const Look *look = lfirst(cell);
		const Part *part = &versions->part[look->p];

		for (i = 0; i < part->columns.count; i++)
		{
			appendStringInfo(&masked, ", s.%s", look_name(look, i));
			appendStringInfo(&original, ", CASE WHEN s.%s THEN r.%s END AS %s",
							 look_name(look, DRAWN),
							 part->columns.column[i].sql, look_name(look, i));
		}
	}
	make_table(versions, "masked",
			   psprintf("SELECT r.%s%s FROM (SELECT r.*, %s AS sdc_person"
						" FROM %s AS r OFFSET 0) AS r LEFT JOIN %s AS s"
						" ON s.person = r.sdc_person",
						versions->id.sql, masked.data,
						person_sql(versions, "r"),
						versions->staging->masked->sql,
						table_name(versions, "seen")));
	make_table(versions, "original",
			   psprintf("SELECT r.%s%s FROM (SELECT r.*, %s AS sdc_person"
						" FROM %s AS r OFFSET 0) AS r LEFT JOIN %s AS s"
						" ON s.person = r.sdc_person",
						versions->id.sql, original.data,
						person_sql(versions, "r"), versions->original->sql,
						table_name(versions, "seen")));
}

/* The name of a column of a part in a look; NULL for another column. */
static const char *
name_in_look(const Part *part, const Look *look, const char *name)
{
	int i;

	for (i = 0; i < part->columns.count; i++)
		if (strcmp(part->columns.column[i].name, name) == 0)
			return look_name(look, i);
	return NULL;
}

/* An object whose keys are columns of a part, as they are called in a look. */
static Jsonb *
rename_members(const Part *part, const Look *look, Jsonb *object)
{
	JsonbIterator *iterator = JsonbIteratorInit(&object->root);
	JsonbIteratorToken token;
	JsonbValue value;
	StringInfoData document;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		char *key;
		const char *name;

		if (token != WJB_KEY)
			continue;
		key = pnstrdup(value.val.string.val, value.val.string.len);
		name = name_in_look(part, look, key);
		(void) JsonbIteratorNext(&iterator, &value, true);
		sdcpg_document_jsonb(&document, name != NULL ? name : key,
							 JsonbValueToJsonb(&value));
	}
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* What a rule says of a look. */
static Jsonb *
look_params(const struct SdcVersions *versions, const Look *look,
			const SdcRule *rule)
{
	const Part *part = &versions->part[look->p];
	Jsonb *params = rule->params;
	const SdcKey *key;

	for (key = rule->method->keys; key->name != NULL; key++)
	{
		Datum changed;

		if (!sdcpg_params_has(rule->params, key->name))
			continue;
		changed = DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(params),
									  CStringGetTextDatum(key->name));
		if (strcmp(key->name, "sensitive") == 0)
			params = DatumGetJsonbP(changed);
		if (key->type == SDC_KEY_OBJECT)
		{
			StringInfoData one;

			sdcpg_document_begin(&one);
			sdcpg_document_open(&one, NULL, '{');
			sdcpg_document_jsonb(
				&one, key->name,
				rename_members(part, look,
							   sdcpg_params_object(rule->params, key->name)));
			sdcpg_document_close(&one, '{');
			params = DatumGetJsonbP(
				DirectFunctionCall2(jsonb_concat, changed,
									JsonbPGetDatum(sdcpg_document_end(&one))));
		}
	}
	if (rule->method->likelihood == SDC_LIKELIHOOD_RANKS)
		params = with_number(
			params, "p",
			Min(100, sdcpg_rule_number(rule, "p") *
						 Max(1, versions->tally.rows / Max(look->rows, 1))));
	return params;
}

/* The rules of all looks, and of the plain columns. */
static Jsonb *
look_rules(const struct SdcVersions *versions, List *looks,
		   const SdcRelationColumns *plain)
{
	SdcRules rules = sdcpg_rules_read(versions->rules, versions->original);
	StringInfoData document;
	ListCell *cell;
	ListCell *member;
	int i;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	for (i = 0; i < rules.count; i++)
		if (rules.rule[i].columns.count == 1 && !draws(&rules.rule[i]) &&
			sdcpg_relation_lists(plain, rules.rule[i].columns.column->number))
			sdcpg_document_jsonb(&document, rules.rule[i].subject,
								 rules.rule[i].params);
	foreach (cell, looks)
	{
		const Look *look = lfirst(cell);

		foreach (member, versions->part[look->p].rules)
		{
			const SdcRule *rule = lfirst(member);
			StringInfoData subject;

			initStringInfo(&subject);
			for (i = 0; i < rule->columns.count; i++)
				appendStringInfo(&subject, "%s%s", i > 0 ? "," : "",
								 name_in_look(&versions->part[look->p], look,
											  rule->columns.column[i].name));
			sdcpg_document_jsonb(&document, subject.data,
								 look_params(versions, look, rule));
		}
	}
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* The keys of all looks, and the plain ones, as name[]. */
static ArrayType *
look_keys(const struct SdcVersions *versions, List *looks,
		  const SdcRelationColumns *plain, ArrayType *keys)
{
	Datum *element = palloc(sizeof(Datum) * (LOOKS_LIMIT + plain->count + 1));
	int count = 0;
	ListCell *cell;
	int i;

	for (i = 0; i < plain->count; i++)
		if (lists_name(keys, plain->column[i].name))
			element[count++] = DirectFunctionCall1(
				namein, CStringGetDatum(plain->column[i].name));
	foreach (cell, looks)
	{
		const Look *look = lfirst(cell);
		const Part *part = &versions->part[look->p];

		for (i = 0; i < part->columns.count; i++)
			if (lists_name(keys, part->columns.column[i].name))
				element[count++] = DirectFunctionCall1(
					namein, CStringGetDatum(look_name(look, i)));
	}
	return construct_array(element, count, NAMEOID, NAMEDATALEN, false,
						   TYPALIGN_CHAR);
}

void
sdcpg_versions_show(SdcStaging *staging, SdcGateCase *of)
{
	struct SdcVersions *versions = staging->versions;
	SdcRelationColumns plain;
	SdcAttackCase *seen;
	List *looks;

	if (versions == NULL || versions->mark == NULL || of->keys == NULL)
		return;
	find_old_parts(versions);
	if (!versions->remembers && versions->all_parts == versions->parts)
		return;
	make_looks(versions, of->keys);
	looks = list_looks(versions, &versions->versions);
	if (versions->versions < 2)
		return;
	plain = plain_columns(versions, of->keys);
	make_seen(versions, looks);
	make_sides(versions, looks, &plain);
	seen = palloc0(sizeof(SdcAttackCase));
	seen->original = find_table(versions, "original");
	seen->masked = find_table(versions, "masked");
	seen->id = of->id;
	seen->keys = look_keys(versions, looks, &plain, of->keys);
	seen->rules = look_rules(versions, looks, &plain);
	seen->p = of->p;
	seen->seeded = of->seeded;
	seen->seed = of->seed;
	of->versions = seen;
}

/* ----------------------------------------------------------------------
 * One table of a release.
 * ----------------------------------------------------------------------
 */

/* The file as it is, masked as a whole; each part is drawn for all. */
static void
draw_all(struct SdcVersions *versions)
{
	SdcStaging *staging = versions->staging;
	StringInfoData list;
	int p;
	int i;

	initStringInfo(&list);
	for (p = 0; p < versions->parts; p++)
		for (i = 0; i < versions->part[p].columns.count; i++)
			appendStringInfo(&list, ", f.%s",
							 versions->part[p].columns.column[i].sql);
	make_table(versions, "all",
			   psprintf("SELECT %s AS sdc_person%s FROM %s AS f",
						person_sql(versions, "f"), list.data,
						staging->masked->sql));
	for (p = 0; p < versions->parts; p++)
		versions->part[p].drawn = "all";
}

/* What was published stays; the others are drawn in batches. */
static void
draw_changes(struct SdcVersions *versions)
{
	StringInfoData list;
	int p;
	int i;

	mask_table(versions, NULL, file_rules(versions), "file");
	initStringInfo(&list);
	for (p = 0; p < versions->parts; p++)
		for (i = 0;
			 versions->part[p].apart && i < versions->part[p].columns.count;
			 i++)
			appendStringInfo(&list, ", f.%s",
							 versions->part[p].columns.column[i].sql);
	make_table(versions, "all",
			   psprintf("SELECT %s AS sdc_person%s FROM %s AS f",
						person_sql(versions, "f"), list.data,
						find_table(versions, "file")->sql));
	for (p = 0; p < versions->parts; p++)
		if (versions->part[p].sample)
			draw_sample(versions, p);
	for (p = 0; p < versions->parts; p++)
		if (!versions->part[p].sample)
			draw_batch(versions, p);
}

/* Is everything drawn anew by this release? */
static bool
draws_all(const struct SdcVersions *versions)
{
	const SdcPolicyParams *params = &versions->staging->params;

	return !versions->remembers || params->fresh ||
		   (params->epoch > 0 &&
			count_published(versions) % params->epoch == 0);
}

/* Tells that nobody knows what was published before. */
static void
tell_forgotten(struct SdcVersions *versions)
{
	find_old_parts(versions);
	if (versions->all_parts == versions->parts &&
		count_published(versions) > 0)
		ereport(WARNING,
				(errmsg("release " INT64_FORMAT " of policy \"%s\" draws "
						"everything anew",
						versions->release, versions->policy),
				 errdetail("What its versions had is not known, or not by "
						   "the key of now."),
				 errhint("Who has a version of before can put it together "
						 "with this one.")));
}

/* Reads what is remembered; false when that is nothing. */
static bool
read_memory(struct SdcVersions *versions)
{
	int p;

	for (p = 0; p < versions->parts; p++)
	{
		find_part(versions, &versions->part[p]);
		versions->remembers |= versions->part[p].number != 0;
	}
	if (versions->remembers)
		make_table(versions, "mem",
				   psprintf("SELECT * FROM sdc.release_values(%s,"
							" '%u'::regclass)",
							quote_literal_cstr(versions->policy),
							versions->original->oid));
	return versions->remembers;
}

static void
mask_whole(struct SdcVersions *versions)
{
	SdcStaging *staging = versions->staging;

	sdcpg_staging_call_mask(
		versions->original->oid, versions->rules,
		staging->params.id == NULL ? NULL : staging->params.id->name,
		quote_qualified_identifier(get_namespace_name(staging->schema),
								   staging->name),
		versions->seeded, versions->seed);
	staging->masked =
		sdcpg_relation_find(get_relname_relid(staging->name, staging->schema));
}

/* The same with what is remembered, which becomes more. */
static void
mask_by_memory(struct SdcVersions *versions)
{
	make_now(versions);
	if (!id_is_unique(versions))
	{
		mask_whole(versions);
		return;
	}
	versions->mark = key_mark(versions->policy);
	if (!read_memory(versions))
		tell_forgotten(versions);
	versions->anew = draws_all(versions);
	make_work(versions);
	if (versions->anew)
	{
		mask_whole(versions);
		draw_all(versions);
	}
	else
		draw_changes(versions);
	settle_parts(versions);
	make_result(versions);
	if (!versions->anew)
	{
		make_staging(versions);
		keep_nulls(versions);
	}
	remember(versions);
	count_rows(versions);
}

void
sdcpg_versions_mask(SdcStaging *staging, const char *policy, int64 release,
					Jsonb *rules, bool seeded, int64 seed)
{
	struct SdcVersions *versions = palloc0(sizeof(*versions));

	versions->staging = staging;
	versions->policy = policy;
	versions->release = release;
	versions->original = staging->original;
	versions->rules = rules;
	versions->seeded = seeded;
	versions->seed = seed;
	staging->versions = versions;
	if (staging->params.id != NULL && !makes_records(rules, staging->original))
	{
		versions->id = *staging->params.id;
		find_parts(versions);
	}
	if (versions->parts == 0)
		mask_whole(versions);
	else
		mask_by_memory(versions);
}

void
sdcpg_versions_drop(SdcStaging *staging)
{
	struct SdcVersions *versions = staging->versions;
	ListCell *cell;

	if (versions == NULL)
		return;
	foreach (cell, versions->tables)
		(void) sdcpg_staging_run(
			psprintf("DROP TABLE %s", (char *) lfirst(cell)));
	versions->tables = NIL;
}

void
sdcpg_versions_document(const SdcStaging *staging, StringInfo document)
{
	const struct SdcVersions *versions = staging->versions;

	if (versions == NULL || versions->mark == NULL)
		return;
	sdcpg_document_open(document, "versions", '{');
	sdcpg_document_integer(document, "kept", versions->tally.kept);
	sdcpg_document_integer(document, "drawn", versions->tally.drawn);
	sdcpg_document_integer(document, "waiting", versions->tally.waiting);
	sdcpg_document_integer(document, "left", versions->tally.left);
	if (versions->versions > 1)
		sdcpg_document_integer(document, "draws", versions->versions);
	sdcpg_document_close(document, '{');
}
