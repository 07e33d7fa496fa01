/*
 * personal.c
 *		sdc.find_personal: what the columns of a schema hold of persons, which
 *		role each may have, and a rule for it.
 *
 * Of each column the first thousand values are read with the rights of the
 * caller; the kernel says what its name and what its values say.  Names are
 * looked up in the lists that fakes are made of.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/hsearch.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/risk/personal.h"
#include "topic/mask/pseudonym.h"
#include "topic/registry/roles.h"

PG_FUNCTION_INFO_V1(sdcf_find_personal);

static const char *const params_keys[] = {"locale", "domain", "rows", NULL};

/* Values of a column that are looked at, unless params say otherwise. */
#define USUAL_ROWS 1000

/* As many values may say that a column is not what its name says. */
#define ENOUGH 20

/* ----------------------------------------------------------------------
 * Lists of names and cities, of all locales together.
 * ----------------------------------------------------------------------
 */

typedef struct Entry
{
	char word[SDC_FAKE_VALUE];
	int lists; /* SdcPersonalList */
} Entry;

static HTAB *known_words;

#if PG_VERSION_NUM >= 140000
#define SDC_HASH_STRINGS HASH_STRINGS
#else
#define SDC_HASH_STRINGS 0
#endif

static void
add_list(const SdcFakeList *list, int in)
{
	char lower[SDC_FAKE_VALUE];
	int i;

	for (i = 0; i < list->count; i++)
	{
		bool found;
		Entry *entry;

		sdc_personal_lower(list->value[i], lower);
		entry = hash_search(known_words, lower, HASH_ENTER, &found);
		entry->lists = (found ? entry->lists : 0) | in;
	}
}

static void
read_words(void)
{
	HASHCTL control = {0};
	int locale;

	control.keysize = SDC_FAKE_VALUE;
	control.entrysize = sizeof(Entry);
	for (locale = 0; sdc_fake_locales[locale] != NULL; locale++)
		(void) sdcpg_fake_lists((SdcFakeLocale) locale);
	control.hcxt = TopMemoryContext;
	known_words = hash_create("sdc names", 16384, &control,
							  HASH_ELEM | SDC_HASH_STRINGS | HASH_CONTEXT);
	for (locale = 0; sdc_fake_locales[locale] != NULL; locale++)
	{
		const SdcFakeList *lists = sdcpg_fake_lists((SdcFakeLocale) locale);

		add_list(&lists[SDC_FAKE_FIRST_F], SDC_IN_FIRST_NAMES);
		add_list(&lists[SDC_FAKE_FIRST_M], SDC_IN_FIRST_NAMES);
		add_list(&lists[SDC_FAKE_LAST], SDC_IN_LAST_NAMES);
		add_list(&lists[SDC_FAKE_PLACES], SDC_IN_CITIES);
	}
}

int
sdcpg_personal_look_up(void *context, const char *word)
{
	Entry *entry;

	if (known_words == NULL)
		read_words();
	if (strlen(word) >= SDC_FAKE_VALUE)
		return 0;
	entry = hash_search(known_words, word, HASH_FIND, NULL);
	return entry == NULL ? 0 : entry->lists;
}

/* ----------------------------------------------------------------------
 * What is proposed for a kind.
 * ----------------------------------------------------------------------
 */

/* How a rule is written; %s are the domain and the locale, by is "by". */
typedef struct Proposal
{
	const char *role;
	const char *rule;
	bool by; /* a rule of a person takes its key, where there is one */
} Proposal;

#define FAKE(kind)                                                      \
	"{\"method\": \"fake\", \"kind\": \"" kind "\", \"domain\": %1$s, " \
	"\"locale\": \"%2$s\"}"

static const Proposal proposals[SDC_PERSONAL_KINDS] = {
	[SDC_PERSONAL_EMAIL] = {"identifier", FAKE("email")},
	[SDC_PERSONAL_IBAN] = {"identifier", FAKE("iban")},
	[SDC_PERSONAL_CARD] = {"identifier", FAKE("card")},
	[SDC_PERSONAL_MAC] = {"identifier", "{\"method\": \"null\"}"},
	[SDC_PERSONAL_IP] = {"identifier", "{\"method\": \"null\"}"},
	[SDC_PERSONAL_NATIONAL_ID] = {"identifier", FAKE("national_id")},
	[SDC_PERSONAL_POSTCODE] = {"key", FAKE("postcode"), true},
	[SDC_PERSONAL_PHONE] = {"identifier", FAKE("phone")},
	[SDC_PERSONAL_ADDRESS] = {"identifier", FAKE("street"), true},
	[SDC_PERSONAL_NAME] = {"identifier", FAKE("name"), true},
	[SDC_PERSONAL_FIRST_NAME] = {"identifier", FAKE("first_name"), true},
	[SDC_PERSONAL_LAST_NAME] = {"identifier", FAKE("last_name"), true},
	[SDC_PERSONAL_CITY] = {"key", FAKE("city"), true},
	[SDC_PERSONAL_TEXT] = {"identifier", FAKE("text")},
	[SDC_PERSONAL_LOGIN] = {"identifier", FAKE("login")},
	[SDC_PERSONAL_BIRTH] = {"key", "{\"method\": \"shift\", \"domain\": %1$s}",
							true},
	[SDC_PERSONAL_SEX] = {"key", "{\"method\": \"keep\"}"},
	[SDC_PERSONAL_STATUS] = {"key", "{\"method\": \"shuffle\"}"},
	[SDC_PERSONAL_INCOME] = {"sensitive",
							 "{\"method\": \"rank_swap\", \"p\": 5}"},
	[SDC_PERSONAL_RELIGION] = {"sensitive", "{\"method\": \"shuffle\"}"},
	[SDC_PERSONAL_HEALTH] = {"sensitive", "{\"method\": \"shuffle\"}"},
	[SDC_PERSONAL_SECRET] = {"identifier", "{\"method\": \"null\"}"},
	[SDC_PERSONAL_ID] = {"identifier", "{\"method\": \"pseudonym\", "
									   "\"domain\": %1$s}"}};

/* ----------------------------------------------------------------------
 * A column.
 * ----------------------------------------------------------------------
 */

typedef struct Finder
{
	ReturnSetInfo *result;
	const char *locale;
	char *domain; /* as a JSON string */
	int rows;
	const SdcRelation *relation;
	char *key;   /* the only column of its primary key, or NULL */
	bool things; /* its rows are no persons, by its name */
} Finder;

/* What was found of a column. */
typedef struct Found
{
	SdcPersonalKind by_name;
	SdcPersonalKind by_value;
	double share;
	int64 values;
	bool looked; /* at its values, and there may have been none */
} Found;

static bool
is_text(Oid base)
{
	return base == TEXTOID || base == VARCHAROID || base == BPCHAROID;
}

/*
 * Values of a column: the first that the table gives, and of a large one as
 * many again from blocks all over it, for the first rows may be older, and
 * empty of what the others have.
 */
static char *
some_of(const Finder *finder, const SdcRelationColumn *column)
{
	char *blocks = sdcpg_catalog_blocks(finder->relation->oid, finder->rows,
										2.0 * finder->rows);
	char *first = psprintf(
		"SELECT r.%s FROM %s AS r WHERE r.%s IS NOT NULL LIMIT %d",
		column->sql, finder->relation->sql, column->sql, finder->rows);

	if (*blocks == '\0')
		return psprintf("(%s) AS r", first);
	return psprintf("((%s) UNION ALL (SELECT r.%s FROM %s AS r%s WHERE r.%s "
					"IS NOT NULL LIMIT %d)) AS r",
					first, column->sql, finder->relation->sql, blocks,
					column->sql, 2 * finder->rows);
}

/*
 * The SELECT of texts of a column, or NULL where its type is not looked into:
 * types of others would run code of their owners.
 */
static char *
texts_of(const Finder *finder, const SdcRelationColumn *column)
{
	char *some = some_of(finder, column);
	Oid element = get_element_type(column->base);

	if (column->base == JSONBOID)
		return psprintf("SELECT pg_catalog.left(v.v OPERATOR(pg_catalog.#>>) "
						"'{}'::pg_catalog.text[], %d) FROM %s, "
						"pg_catalog.jsonb_path_query(r.%s, 'strict $.** ? "
						"(@.type() == \"string\")') AS v LIMIT %d",
						SDC_PERSONAL_BYTES, some, column->sql,
						30 * finder->rows);
	if (is_text(element))
		return psprintf("SELECT pg_catalog.left(v.v, %d) FROM %s, "
						"pg_catalog.unnest(CAST(r.%s AS pg_catalog.text[])) "
						"AS v WHERE v.v IS NOT NULL LIMIT %d",
						SDC_PERSONAL_BYTES, some, column->sql,
						30 * finder->rows);
	if (is_text(column->base) || column->base == INT4OID ||
		column->base == INT8OID || column->base == INETOID ||
		column->base == CIDROID || column->base == MACADDROID ||
		column->base == JSONOID || column->base == XMLOID)
		return psprintf("SELECT pg_catalog.left(CAST(r.%s AS "
						"pg_catalog.text), %d) FROM %s",
						column->sql, SDC_PERSONAL_BYTES, some);
	return NULL;
}

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

static int
this_year(void)
{
	pg_time_t now = timestamptz_to_time_t(GetCurrentTimestamp());

	return pg_gmtime(&now)->tm_year + 1900;
}

static int
compare_years(const void *a, const void *b)
{
	return *(const int *) a - *(const int *) b;
}

/*
 * Dates of birth begin long ago and spread over twenty years, when they are
 * written as texts, too.
 */
static void
look_at_years(char **value, int64 count, Found *found)
{
	int *year = palloc(sizeof(int) * (count + 1));
	int64 dates = 0;
	int64 i;

	for (i = 0; i < count; i++)
		if ((year[dates] = sdc_personal_year(value[i])) > 0)
			dates++;
	if (dates < 2 || dates < 0.7 * count)
		return;
	qsort(year, dates, sizeof(int), compare_years);
	if (year[dates / 20] <= this_year() - 45 &&
		year[dates - 1 - dates / 20] - year[dates / 20] >= 19)
	{
		found->by_value = SDC_PERSONAL_BIRTH;
		found->share = (double) dates / count;
	}
}

static void
look_at_texts(const Finder *finder, const SdcRelationColumn *column,
			  const char *select, Found *found)
{
	static const SdcCatalogParameters none;
	SdcPersonalCounts counts = {sdcpg_personal_look_up};
	SdcPersonalCounts once = {sdcpg_personal_look_up};
	SdcCatalogRows *rows = sdcpg_catalog_read(select, &none);
	char **value = palloc(sizeof(char *) * (rows->count + 1));
	int64 different = 0;
	int64 i;
	int kind;

	counts.is_text = column->base != INT4OID && column->base != INT8OID;
	for (i = 0; i < rows->count; i++)
	{
		char *read = TextDatumGetCString(rows->value[i][0]);

		value[i] = pg_server_to_any(read, strlen(read), PG_UTF8);
		sdc_personal_count(&counts, value[i]);
	}
	qsort(value, rows->count, sizeof(char *), compare_texts);
	for (i = 0; i < rows->count; i++)
		if (i == 0 || strcmp(value[i], value[i - 1]) != 0)
		{
			different++;
			sdc_personal_count(&once, value[i]);
		}
	/* a word that is often there and by chance a name is one value */
	for (kind = SDC_PERSONAL_NAME; kind <= SDC_PERSONAL_CITY; kind++)
		counts.hits[kind] =
			different == 0 ? 0 : once.hits[kind] * counts.values / different;
	found->values = rows->count;
	found->by_value =
		sdc_personal_of_values(&counts, different, &found->share);
	if (is_text(column->base) && rows->count >= ENOUGH &&
		!sdc_personal_may_be(found->by_name, &counts))
		found->by_name = SDC_PERSONAL_NONE;
	if (counts.is_text && (found->by_value == SDC_PERSONAL_NONE ||
						   found->by_value == SDC_PERSONAL_TEXT))
		look_at_years(value, rows->count, found);
	/* the type says it, whatever is in it */
	if (column->base == INETOID || column->base == CIDROID)
		found->by_value = SDC_PERSONAL_IP;
	if (column->base == MACADDROID)
		found->by_value = SDC_PERSONAL_MAC;
}

/*
 * May a key of a document be called after something of a person of which
 * nothing would tell by its values, as far as these are looked at?
 */
static bool
is_key_of_person(const char *key, bool number)
{
	SdcPersonalKind kind = sdc_personal_of_name(key);

	switch (kind)
	{
		case SDC_PERSONAL_FIRST_NAME:
		case SDC_PERSONAL_LAST_NAME:
		case SDC_PERSONAL_ADDRESS:
		case SDC_PERSONAL_LOGIN:
			return !number;
		case SDC_PERSONAL_NATIONAL_ID:
		case SDC_PERSONAL_SECRET:
		case SDC_PERSONAL_ID:
			return true;
		case SDC_PERSONAL_CARD:
		case SDC_PERSONAL_PHONE:
			return number;
		default:
			/* a name alone is that of a theme, too */
			return false;
	}
}

/*
 * What keys of documents say that their values are, which are texts or
 * numbers; what is in them counts as values.
 */
static void
look_at_keys(const Finder *finder, const SdcRelationColumn *column,
			 Found *found)
{
	static const SdcCatalogParameters none;
	SdcCatalogRows *rows = sdcpg_catalog_read(
		psprintf(
			"SELECT DISTINCT pg_catalog.left(e.key, %d), "
			"pg_catalog.jsonb_typeof(e.value) OPERATOR(pg_catalog.=) "
			"'number' FROM %s, pg_catalog.jsonb_path_query(r.%s, 'strict $.** "
			"? (@.type() == \"object\")') AS o, pg_catalog.jsonb_each(o) AS e "
			"WHERE pg_catalog.jsonb_typeof(e.value) OPERATOR(pg_catalog.=) "
			"ANY ('{string,number}'::pg_catalog.text[]) AND e.value "
			"OPERATOR(pg_catalog.<>) '\"\"'::pg_catalog.jsonb LIMIT %d",
			SDC_PERSONAL_BYTES, some_of(finder, column), column->sql,
			finder->rows),
		&none);
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		char *read = TextDatumGetCString(rows->value[i][0]);
		char *key = pg_server_to_any(read, strlen(read), PG_UTF8);

		if (found->by_name == SDC_PERSONAL_NONE &&
			is_key_of_person(key, DatumGetBool(rows->value[i][1])))
			found->by_name = SDC_PERSONAL_TEXT;
	}
	found->values = Max(found->values, rows->count);
}

/* Dates of birth begin long ago and spread over twenty years. */
static void
look_at_dates(const Finder *finder, const SdcRelationColumn *column,
			  Found *found)
{
	static const SdcCatalogParameters none;
	SdcCatalogRows *rows = sdcpg_catalog_read(
		psprintf(
			"SELECT pg_catalog.count(*), COALESCE(pg_catalog.bool_and("
			"q.low OPERATOR(pg_catalog.>) '1900-01-01' AND q.low "
			"OPERATOR(pg_catalog.<) (pg_catalog.now() "
			"OPERATOR(pg_catalog.-) '45 years'::pg_catalog.interval) AND "
			"(q.high OPERATOR(pg_catalog.-) q.low) OPERATOR(pg_catalog.>) "
			"7000), false) FROM (SELECT pg_catalog.percentile_disc(0.05) "
			"WITHIN GROUP (ORDER BY v) AS low, "
			"pg_catalog.percentile_disc(0.95) WITHIN GROUP (ORDER BY v) "
			"AS high FROM (SELECT CAST(r.%s AS pg_catalog.date) AS v "
			"FROM %s WHERE pg_catalog.isfinite(r.%s)) AS s) AS q",
			column->sql, some_of(finder, column), column->sql),
		&none);

	found->values = DatumGetInt64(rows->value[0][0]);
	if (DatumGetBool(rows->value[0][1]))
	{
		found->by_value = SDC_PERSONAL_BIRTH;
		found->share = 1;
	}
}

/* Can the kind be what a column of that type holds? */
static bool
fits_type(SdcPersonalKind kind, Oid base)
{
	switch (kind)
	{
		case SDC_PERSONAL_INCOME:
		case SDC_PERSONAL_ID:
		case SDC_PERSONAL_SECRET:
		case SDC_PERSONAL_SEX:
		case SDC_PERSONAL_POSTCODE:
		case SDC_PERSONAL_NATIONAL_ID:
		case SDC_PERSONAL_PHONE:
		case SDC_PERSONAL_CARD:
		case SDC_PERSONAL_STATUS:
		case SDC_PERSONAL_HEALTH:
		case SDC_PERSONAL_RELIGION:
			return base != BOOLOID;
		case SDC_PERSONAL_BIRTH:
			return base != BOOLOID && base != INTERVALOID;
		case SDC_PERSONAL_IP:
			return true;
		default:
			/* names are no numbers, dates or booleans */
			return base != BOOLOID && base != INT2OID && base != INT4OID &&
				   base != INT8OID && base != NUMERICOID &&
				   base != FLOAT4OID && base != FLOAT8OID && base != DATEOID &&
				   base != TIMESTAMPOID && base != TIMESTAMPTZOID &&
				   base != UUIDOID && base != BYTEAOID;
	}
}

#define PSEUDONYM(format) \
	"{\"method\": \"pseudonym\", \"domain\": %1$s, \"format\": \"" format "\"}"

/* The rule for a number of a person; pseudonyms have 32 letters. */
static const char *
number_rule(const Finder *finder, const SdcRelationColumn *column)
{
	int size = sdcpg_relation_characters(finder->relation, column);

	if (is_text(column->base))
		return size > 0 && size < 32 ? PSEUDONYM("same")
									 : proposals[SDC_PERSONAL_ID].rule;
	if (column->base == INT4OID || column->base == INT8OID ||
		column->base == NUMERICOID)
		return PSEUDONYM("digits");
	return column->base == UUIDOID ? PSEUDONYM("uuid")
								   : "{\"method\": \"null\"}";
}

/* The rule that is proposed, as it fits the type; NULL for none. */
static char *
rule_of(const Finder *finder, SdcPersonalKind kind,
		const SdcRelationColumn *column)
{
	const Proposal *proposal = &proposals[kind];
	const char *rule = proposal->rule;
	char *written;

	if (strstr(rule, "\"fake\"") != NULL && !is_text(column->base))
		/* a shuffle would leave the numbers of others */
		rule = column->base == INT4OID || column->base == INT8OID ||
					   column->base == NUMERICOID
				   ? "{\"method\": \"pseudonym\", \"domain\": %1$s, "
					 "\"format\": \"digits\"}"
				   : "{\"method\": \"null\"}";
	if (kind == SDC_PERSONAL_IP && column->base == INETOID)
		rule = "{\"method\": \"mask_inet\", \"keep\": 16}";
	if (kind == SDC_PERSONAL_BIRTH && column->base != DATEOID &&
		column->base != TIMESTAMPOID && column->base != TIMESTAMPTZOID)
		rule = "{\"method\": \"shuffle\"}";
	if (kind == SDC_PERSONAL_ID)
		rule = number_rule(finder, column);
	if (kind == SDC_PERSONAL_INCOME && is_text(column->base))
		rule = "{\"method\": \"shuffle\"}";
	if (strcmp(finder->locale, "ja") == 0 && kind == SDC_PERSONAL_IBAN)
		rule = "{\"method\": \"pseudonym\", \"domain\": %1$s, "
			   "\"format\": \"iban\"}";
	written = psprintf(rule, finder->domain, finder->locale);
	/* a pseudonym is of the value, whoever has it */
	if (proposal->by && finder->key != NULL &&
		strstr(rule, "domain") != NULL && strstr(rule, "pseudonym") == NULL)
	{
		StringInfoData by;

		initStringInfo(&by);
		appendBinaryStringInfo(&by, written, strlen(written) - 1);
		appendStringInfoString(&by, ", \"by\": ");
		escape_json(&by, finder->key);
		appendStringInfoChar(&by, '}');
		return by.data;
	}
	return written;
}

/* Was it found by words that may be those of something else? */
static bool
is_word(SdcPersonalKind by_value)
{
	return by_value == SDC_PERSONAL_NAME ||
		   by_value == SDC_PERSONAL_FIRST_NAME ||
		   by_value == SDC_PERSONAL_LAST_NAME || by_value == SDC_PERSONAL_CITY;
}

/* Values are surer than names, but for words that may be this or that. */
static bool
is_vague(SdcPersonalKind by_value)
{
	return by_value == SDC_PERSONAL_NONE || by_value == SDC_PERSONAL_TEXT ||
		   by_value == SDC_PERSONAL_SEX || is_word(by_value);
}

/* What a column is, by its name and its values. */
static SdcPersonalKind
kind_of(const Found *found)
{
	/* whole names are more than a first or a last one */
	if (found->by_value == SDC_PERSONAL_NAME &&
		(found->by_name == SDC_PERSONAL_FIRST_NAME ||
		 found->by_name == SDC_PERSONAL_LAST_NAME))
		return SDC_PERSONAL_NAME;
	return found->by_name != SDC_PERSONAL_NONE && is_vague(found->by_value)
			   ? found->by_name
			   : found->by_value;
}

static void
put_column(const Finder *finder, const SdcRelationColumn *column,
		   const Found *found)
{
	SdcPersonalKind kind = kind_of(found);
	Datum values[8];
	bool isnull[8] = {false};

	if (kind == SDC_PERSONAL_NONE && found->values > 0)
		return;
	values[0] = ObjectIdGetDatum(finder->relation->oid);
	values[1] = DirectFunctionCall1(namein, CStringGetDatum(column->name));
	if (kind == SDC_PERSONAL_NONE)
	{
		/* nothing was seen: that is no finding, and no acquittal */
		isnull[3] = isnull[4] = isnull[6] = isnull[7] = true;
		isnull[5] = !found->looked;
		values[5] = Float8GetDatum(0);
		values[2] = CStringGetTextDatum(SDC_PERSONAL_UNDECIDED);
		sdcpg_result_put(finder->result, values, isnull);
		return;
	}
	values[2] = CStringGetTextDatum(sdc_personal_words[kind]);
	isnull[3] = found->by_name == SDC_PERSONAL_NONE;
	values[3] = CStringGetTextDatum(sdc_personal_words[found->by_name]);
	isnull[4] = found->by_value == SDC_PERSONAL_NONE;
	values[4] = CStringGetTextDatum(sdc_personal_words[found->by_value]);
	isnull[5] = found->by_value == SDC_PERSONAL_NONE;
	values[5] = Float8GetDatum(sdcpg_result_round(found->share));
	values[6] = CStringGetTextDatum(proposals[kind].role);
	values[7] = DirectFunctionCall1(
		jsonb_in, CStringGetDatum(rule_of(finder, kind, column)));
	sdcpg_result_put(finder->result, values, isnull);
}

/* What tells nobody by itself: numbers, times, words of a list. */
static bool
is_plain(Oid base)
{
	char category;
	bool preferred;

	if (type_is_enum(base))
		return true;
	if (base >= FirstNormalObjectId)
		return false;
	get_type_category_preferred(base, &category, &preferred);
	return category == TYPCATEGORY_NUMERIC ||
		   category == TYPCATEGORY_BOOLEAN ||
		   category == TYPCATEGORY_DATETIME ||
		   category == TYPCATEGORY_TIMESPAN || base == UUIDOID;
}

static void
look_at_column(const Finder *finder, const SdcRelationColumn *column)
{
	Found found = {SDC_PERSONAL_NONE, SDC_PERSONAL_NONE};
	char *name = pg_server_to_any(column->name, strlen(column->name), PG_UTF8);
	char *select = texts_of(finder, column);

	found.by_name = sdc_personal_of_name(name);
	/* an article has a name, too */
	if (found.by_name == SDC_PERSONAL_NAME && finder->things)
		found.by_name = SDC_PERSONAL_NONE;
	if (!fits_type(found.by_name, column->base))
		found.by_name = SDC_PERSONAL_NONE;
	found.looked = select != NULL || column->base == DATEOID;
	if (select != NULL)
	{
		look_at_texts(finder, column, select, &found);
		if (column->base == JSONBOID)
			look_at_keys(finder, column, &found);
	}
	else if (column->base == DATEOID)
		look_at_dates(finder, column, &found);
	else if (is_plain(column->base))
		found.values = 1;
	if (is_word(found.by_value) && sdc_personal_is_thing(name))
		found.by_value = SDC_PERSONAL_NONE;
	put_column(finder, column, &found);
}

/* ----------------------------------------------------------------------
 * A schema.
 * ----------------------------------------------------------------------
 */

/* The only column of the primary key of a table, or NULL. */
static char *
only_key(Oid table)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(table), false);
	rows = sdcpg_catalog_read(
		"SELECT CAST(a.attname AS pg_catalog.text) FROM pg_catalog.pg_index "
		"AS i JOIN pg_catalog.pg_attribute AS a ON a.attrelid "
		"OPERATOR(pg_catalog.=) i.indrelid AND a.attnum "
		"OPERATOR(pg_catalog.=) i.indkey[0] WHERE i.indrelid "
		"OPERATOR(pg_catalog.=) $1 AND i.indisprimary AND i.indnkeyatts "
		"OPERATOR(pg_catalog.=) 1",
		&parameters);
	return rows->count == 0 ? NULL : TextDatumGetCString(rows->value[0][0]);
}

static void
look_at_table(Finder *finder, Oid table)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "sdc find_personal", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	SdcRelationColumns columns;
	int i;

	finder->relation = sdcpg_relation_find(table);
	sdcpg_roles_need_reader(finder->relation);
	finder->key = only_key(table);
	finder->things = sdc_personal_is_thing(get_rel_name(table));
	columns = sdcpg_relation_all_columns(finder->relation);
	for (i = 0; i < columns.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		look_at_column(finder, &columns.column[i]);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}

/* find_personal(schema name, params jsonb) returns setof sdc.personal */
Datum
sdcf_find_personal(PG_FUNCTION_ARGS)
{
	Finder finder = {sdcpg_result_begin(fcinfo)};
	Jsonb *params = PG_ARGISNULL(1) ? NULL : PG_GETARG_JSONB_P(1);
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *tables;
	StringInfoData domain;
	char *schema;
	char *name;
	int64 i;

	sdcpg_args_need(fcinfo, 0);
	sdcpg_params_check(params, params_keys);
	schema = NameStr(*PG_GETARG_NAME(0));
	finder.locale = sdc_fake_locales[sdcpg_params_choice(params, "locale",
														 sdc_fake_locales)];
	finder.rows = sdcpg_params_integer(params, "rows", USUAL_ROWS, 1, 1000000);
	initStringInfo(&domain);
	name = params == NULL ? NULL : sdcpg_params_text(params, "domain");
	escape_json(&domain, name == NULL ? "person" : name);
	finder.domain = domain.data;
	sdcpg_catalog_bind(&parameters, OIDOID,
					   ObjectIdGetDatum(get_namespace_oid(schema, false)),
					   false);
	tables = sdcpg_catalog_read(
		"SELECT c.oid FROM pg_catalog.pg_class AS c WHERE c.relnamespace "
		"OPERATOR(pg_catalog.=) $1 AND c.relkind OPERATOR(pg_catalog.=) ANY "
		"('{r,p}') AND NOT c.relispartition ORDER BY c.relname",
		&parameters);
	for (i = 0; i < tables->count; i++)
		look_at_table(&finder, DatumGetObjectId(tables->value[i][0]));
	return (Datum) 0;
}
