/*
 * copy_search.c
 *		Is an original identifier left in a copy of a schema?
 *
 * The identifiers are read from the original, column by column; then every
 * column of the copy is read, and every name and definition that comes with
 * it.  What is the same is the kernel's to say (kernel/risk/leak.h).  A table
 * is read once for the columns that are as they were, once for those that were
 * changed, and column by column only where something was met.
 */
#include "postgres.h"

#include <ctype.h>

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "common/int.h"
#include "common/unicode_norm.h"
#include "datatype/timestamp.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/table.h"
#include "kernel/risk/leak.h"
#include "kernel/risk/personal.h"
#include "kernel/risk/scrub.h"
#include "release/copy.h"
#include "release/copy_digests.h"
#include "topic/attack/likelihood_written.h"
#include "topic/mask/pseudonym.h"

struct SdcCopySought
{
	SdcPgHost *host;
	SdcLeakSet *set;
	SdcLeakSet *last_names;  /* that few people have */
	SdcCopyDigests *digests; /* that may be in what was kept */
	int64 digests_found;
};

/* As many people of one last name: it tells of none of them. */
#define MANY_OF_A_NAME 20

/* ----------------------------------------------------------------------
 * Values of columns as texts in UTF-8.
 * ----------------------------------------------------------------------
 */

/* Texts that were met before are not looked at again: the last of these. */
#define REMEMBERED 1024

/* How a column is read. */
typedef struct Reader
{
	Oid base;
	FmgrInfo output;
	bool words;  /* may hold a name */
	int known;   /* SdcLeakValue, and WITHIN or SECRET */
	uint64 *met; /* hashes of texts, by their last bits; 0: none */
} Reader;

/* Of a text only what looks like an identifier is looked for. */
#define WITHIN 0x100

/* Of secrets only those that are long: a short one may be a word. */
#define SECRET      0x200
#define LONG_SECRET 16

/* What is done with a text of a column. */
typedef struct ColumnScan
{
	SdcLeakSet *set;
	SdcLeakSet *last_names;
	SdcCopySought *sought;
	Reader *reader;
	void (*take)(struct ColumnScan *scan, const Reader *reader,
				 const char *text, size_t length);
	const int *known;   /* of each column; NULL: nothing */
	bool numbers;       /* a value may stand for a number, too */
	bool plain;         /* texts are not brought into their normal form */
	bool joins;         /* words of columns of a row may be one value */
	StringInfoData row; /* these */
	int words;          /* columns in it */
	SdcLeakPlace place;
	int64 signs; /* values that look like an identifier of anybody */
} ColumnScan;

static void
start_scan(void *arg, TupleDesc descriptor)
{
	ColumnScan *scan = arg;
	int i;

	scan->reader = palloc0(sizeof(Reader) * descriptor->natts);
	initStringInfo(&scan->row);
	for (i = 0; i < descriptor->natts; i++)
	{
		Reader *reader = &scan->reader[i];
		Oid output;
		bool varlena;
		bool preferred;
		char category;

		reader->base = getBaseType(TupleDescAttr(descriptor, i)->atttypid);
		getTypeOutputInfo(reader->base, &output, &varlena);
		fmgr_info(output, &reader->output);
		get_type_category_preferred(reader->base, &category, &preferred);
		reader->words = strchr("NDTBIV", category) == NULL;
		reader->known = scan->known == NULL ? 0 : scan->known[i];
		reader->met = palloc0(sizeof(uint64) * REMEMBERED);
	}
}

/* A whole number without a fraction of zeros; false: it has another one. */
static bool
cut_fraction(char *number)
{
	char *point = strchr(number, '.');
	char *end = number + strlen(number);

	if (point == NULL)
		return true;
	while (end[-1] == '0')
		*--end = '\0';
	if (end - 1 > point)
		return false;
	*point = '\0';
	return true;
}

/* Was a short text met before?  It is from now on. */
static bool
is_met(Reader *reader, const char *text, size_t length)
{
	uint64 hash;

	if (length > 64)
		return false;
	hash = hash_bytes_extended((const unsigned char *) text, (int) length, 1);
	if (reader->met[hash % REMEMBERED] == hash)
		return true;
	reader->met[hash % REMEMBERED] = hash;
	return false;
}

static bool
is_number(Oid type)
{
	return type == NUMERICOID || type == FLOAT4OID || type == FLOAT8OID ||
		   type == MONEYOID;
}

/* A value as a text; money as a number, whatever the country. */
static char *
write_value(Reader *reader, Datum value)
{
	if (reader->base == MONEYOID)
		return DatumGetCString(DirectFunctionCall1(
			numeric_out, DirectFunctionCall1(cash_numeric, value)));
	return OutputFunctionCall(&reader->output, value);
}

static bool
is_text(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID ||
		   type == BYTEAOID;
}

/* Bytes of a text that is brought into a normal form, at the most. */
#define MOST_NORMAL (64 * 1024 * 1024)

/*
 * Characters of it at a time.  PostgreSQL orders marks on a letter by trading
 * neighbours, and answers no cancel meanwhile: a hundred thousand marks that
 * somebody wrote behind each other took minutes.
 */
#define SOME_NORMAL 512

/* Reads some characters of a text in UTF-8, and ends them with 0; where they
 * end, or NULL: it is none. */
static const unsigned char *
read_characters(const unsigned char *at, const unsigned char *end,
				pg_wchar *character)
{
	int count = 0;

	while (at < end && count < SOME_NORMAL)
	{
		int bytes = pg_utf_mblen(at);

		if (bytes > end - at || !pg_utf8_islegal(at, bytes))
			return NULL;
		character[count++] = utf8_to_unicode(at);
		at += bytes;
	}
	character[count] = 0;
	return at;
}

/* Appends characters in the normal form NFKD. */
static void
append_normal(StringInfo text, const pg_wchar *character)
{
	pg_wchar *normal = unicode_normalize(UNICODE_NFKD, character);
	const pg_wchar *next;

	for (next = normal; *next != 0; next++)
	{
		unsigned char bytes[4];

		unicode_to_utf8(*next, bytes);
		appendBinaryStringInfo(text, (char *) bytes, pg_utf_mblen(bytes));
	}
	pfree(normal);
}

/*
 * A text in UTF-8 in the normal form NFKD, so that letters are one whether
 * they are written with their accents, wide, or in bold signs of mathematics.
 * What the kernel folds by itself, Latin-1, is left as it is.
 */
static const char *
normal_form(const char *text, size_t *length)
{
	const unsigned char *at = (const unsigned char *) text;
	const unsigned char *end = at + *length;
	StringInfoData normal;
	size_t i;

	for (i = 0; i < *length && at[i] < 0xc4; i++)
		;
	if (i == *length || *length > MOST_NORMAL)
		return text;
	initStringInfo(&normal);
	while (at < end)
	{
		pg_wchar character[SOME_NORMAL + 1];

		CHECK_FOR_INTERRUPTS();
		at = read_characters(at, end, character);
		if (at == NULL)
			return text;
		append_normal(&normal, character);
	}
	*length = normal.len;
	return normal.data;
}

/* The microseconds of a time or of an interval; false: it has none. */
static bool
microseconds_of(Oid type, Datum value, int64 *number)
{
	const Interval *interval;
	int64 days;

	if (type == TIMESTAMPOID || type == TIMESTAMPTZOID)
		return !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value)) &&
			   !pg_add_s64_overflow(DatumGetTimestamp(value),
									(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) *
										USECS_PER_DAY,
									number);
	if (type == TIMEOID)
	{
		*number = DatumGetTimeADT(value);
		return true;
	}
	if (type != INTERVALOID)
		return false;
	interval = DatumGetIntervalP(value);
	days = (int64) interval->month * DAYS_PER_MONTH + interval->day;
	return !pg_mul_s64_overflow(days, USECS_PER_DAY, number) &&
		   !pg_add_s64_overflow(*number, interval->time, number);
}

/*
 * A uuid as one number: without the zeros before it, and once more without
 * those behind it.
 */
static void
search_uuid(SdcLeakSet *set, const char *text)
{
	char digits[2 * UUID_LEN + 1];
	int count = 0;

	for (; *text != '\0' && count < 2 * UUID_LEN; text++)
		if (*text != '-' && (count > 0 || *text != '0'))
			digits[count++] = *text;
	if (count == 2 * UUID_LEN)
		return;
	sdc_leak_search(set, digits, count);
	while (count > 0 && digits[count - 1] == '0')
		count--;
	sdc_leak_search(set, digits, count);
}

/* Microseconds that times of 1834 to 2106 have, counted from 1970. */
#define ORDINARY UINT64CONST(4300000000000000)

/*
 * Searches a number with a fraction for its digits, wherever the point is
 * among them.
 */
static void
search_fraction(SdcLeakSet *set, const char *text)
{
	uint64_t number = 0;
	int digits = 0;

	for (; *text != '\0'; text++)
	{
		if (*text == '.' || *text == '-')
			continue;
		if (!isdigit((unsigned char) *text) || digits == 18)
			return;
		digits += number > 0 || *text != '0';
		number = number * 10 + (uint64_t) (*text - '0');
	}
	sdc_leak_search_number(set, number, false);
}

/* Bytes that may be an identifier by themselves, as a packed number is. */
#define PACKED 64

/* Searches a few bytes as they are written in hexadecimal. */
static void
search_packed(SdcLeakSet *set, const char *bytes, size_t length)
{
	char digits[2 * PACKED + 1];

	if (length <= PACKED)
		sdc_leak_search(set, digits, hex_encode(bytes, length, digits));
}

/* Searches the number of a device of a network, which may be any number. */
static void
search_device(SdcLeakSet *set, const char *text)
{
	char digits[24];
	int count = 0;

	for (; *text != '\0' && count < lengthof(digits); text++)
		if (*text != ':')
			digits[count++] = *text;
	sdc_leak_search(set, digits, count);
}

/*
 * Searches a value of the copy for what it stands for, beside what it reads.
 */
static void
search_meaning(SdcLeakSet *set, Oid type, Datum value, const char *text,
			   size_t length)
{
	int64 number;

	if (type == UUIDOID)
		search_uuid(set, text);
	else if (type == BYTEAOID)
		search_packed(set, text, length);
	else if (type == MACADDROID || type == MACADDR8OID)
		search_device(set, text);
	else if (microseconds_of(type, value, &number))
	{
		uint64 plain = number < 0 ? -(uint64) number : (uint64) number;

		sdc_leak_search_number(set, plain, plain > ORDINARY);
	}
}

/* Bytes of a text that may be a part of a value, at the most. */
#define MOST_WORDS 64

/*
 * Puts a text beside the last one of its row.  Digits alone are not: side by
 * side they are any number by chance.
 */
static void
join_words(ColumnScan *scan, Oid type, const char *text, size_t length)
{
	size_t i;

	if (type == BYTEAOID || length == 0 || length > MOST_WORDS)
		return;
	for (i = 0; i < length && !isalpha((unsigned char) text[i]) &&
				!IS_HIGHBIT_SET(text[i]);
		 i++)
		;
	if (i == length)
		appendStringInfoString(&scan->row, "\nx");
	else
	{
		appendStringInfoChar(&scan->row, '\n');
		appendBinaryStringInfo(&scan->row, text, (int) length);
		scan->words++;
	}
}

/* Searches the words of a row as one text. */
static void
search_joined(ColumnScan *scan)
{
	if (scan->words > 1)
	{
		char *text = pg_server_to_any(scan->row.data, scan->row.len, PG_UTF8);
		size_t length =
			text == scan->row.data ? (size_t) scan->row.len : strlen(text);
		const char *normal = normal_form(text, &length);

		sdc_leak_search_words(scan->set, normal, length);
	}
	resetStringInfo(&scan->row);
	scan->words = 0;
}

static void
take_row(void *arg, TupleDesc descriptor, const Datum *values,
		 const bool *isnull)
{
	ColumnScan *scan = arg;
	int i;

	for (i = 0; i < descriptor->natts; i++)
	{
		Reader *reader = &scan->reader[i];
		const char *text;
		size_t length;

		if (isnull[i])
			continue;
		if (is_text(reader->base))
		{
			struct varlena *value = PG_DETOAST_DATUM_PACKED(values[i]);

			text = VARDATA_ANY(value);
			length = VARSIZE_ANY_EXHDR(value);
			if (scan->joins)
				join_words(scan, reader->base, text, length);
		}
		else
		{
			char *written = write_value(reader, values[i]);

			if (is_number(reader->base) && !cut_fraction(written))
			{
				if (scan->numbers)
					search_fraction(scan->set, written);
				continue;
			}
			text = written;
			length = strlen(written);
		}
		/* four bytes may be a number of the network */
		if (length < (reader->base == BYTEAOID ? 4 : SDC_LEAK_LEAST) ||
			is_met(reader, text, length))
			continue;
		if (scan->numbers)
			search_meaning(scan->set, reader->base, values[i], text, length);
		if (reader->base != BYTEAOID)
		{
			char *converted = pg_server_to_any(text, (int) length, PG_UTF8);

			length = converted == text ? length : strlen(converted);
			text = scan->plain ? converted : normal_form(converted, &length);
		}
		scan->take(scan, reader, text, length);
	}
	if (scan->joins)
		search_joined(scan);
}

/* Reads columns of a table, both as in SQL. */
static void
scan_columns(SdcCopySought *sought, ColumnScan *scan, const char *table,
			 const char *columns)
{
	SdcRows rows = {start_scan, take_row, scan};

	scan->sought = sought;
	scan->set = sought->set;
	scan->last_names = sought->last_names;
	sdcpg_rows_receive(sought->host,
					   psprintf("SELECT %s FROM %s AS r", columns, table),
					   &rows);
}

/* ----------------------------------------------------------------------
 * What is looked for.
 * ----------------------------------------------------------------------
 */

/* Which values of a column are looked for. */
typedef enum Sought
{
	SOUGHT_NOT,
	SOUGHT_USUAL,  /* what a fake of another person may be by chance */
	SOUGHT_WITHIN, /* what looks like an identifier in it */
	SOUGHT_SECRET, /* what nobody else has by chance */
	SOUGHT_ALL
} Sought;

char *
sdcpg_copy_method(const SdcCopyColumn *column)
{
	return column->rule == NULL ? NULL
								: sdcpg_params_text(column->rule, "method");
}

static bool
is_one_of(const char *word, const char *const *words)
{
	for (; *words != NULL; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

/* Is a column as it was, as far as is known?  Then no fake is in it. */
static bool
is_kept(const SdcCopyColumn *column)
{
	const char *method = sdcpg_copy_method(column);

	return !column->generated &&
		   (method == NULL || strcmp(method, "keep") == 0);
}

/* Was it decided by its name or as a key that a number stays? */
static bool
is_number_kept(const SdcCopyColumn *column)
{
	static const char *const types[] = {"smallint", "integer", "bigint",
										"uuid", NULL};
	static const char *const levels[] = {"key", "column", "foreign key", NULL};

	return is_kept(column) && sdcpg_copy_method(column) != NULL &&
		   is_one_of(column->type, types) && is_one_of(column->level, levels);
}

static Sought
sought_of(const SdcCopyColumn *column)
{
	/* these another person may have by right */
	static const char *const shared[] = {"first_name", "last_name", "city",
										 NULL};
	static const char *const usual[] = {"name", "address", "id", NULL};

	if (column->role == NULL || strcmp(column->role, "identifier") != 0 ||
		is_number_kept(column))
		return SOUGHT_NOT;
	if (column->kind == NULL)
		return SOUGHT_ALL;
	if (is_one_of(column->kind, shared))
		return SOUGHT_NOT;
	if (strcmp(column->kind, "text") == 0)
		return SOUGHT_WITHIN;
	if (strcmp(column->kind, "secret") == 0)
		return SOUGHT_SECRET;
	return is_one_of(column->kind, usual) ? SOUGHT_USUAL : SOUGHT_ALL;
}

/* Is a type one value, and not a list or a document of them? */
static bool
is_single(Oid type)
{
	char category;
	bool preferred;

	if (type == BYTEAOID || type == XMLOID || type == JSONOID ||
		type == JSONBOID)
		return false;
	if (type == UUIDOID || type_is_enum(type))
		return true;
	get_type_category_preferred(type, &category, &preferred);
	return strchr("SNDIBTV", category) != NULL;
}

static bool
is_time(Oid type)
{
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

/*
 * May a fake be a name or an address: are its first and its last word, or what
 * stands before a number, in the lists that fakes are made of?
 */
static bool
is_listed(const char *text, size_t length)
{
	char *lower = palloc(length + 1);
	char *copy = pnstrdup(text, length);
	char *last;

	sdc_personal_lower(copy, lower);
	if (sdc_personal_is_street(lower))
		return true;
	last = strrchr(lower, ' ');
	if (last == NULL)
		return false;
	*last++ = '\0';
	if (strchr(lower, ' ') != NULL)
		*strchr(lower, ' ') = '\0';
	return ((sdcpg_personal_look_up(NULL, lower) & SDC_IN_FIRST_NAMES) &&
			(sdcpg_personal_look_up(NULL, last) & SDC_IN_LAST_NAMES)) ||
		   ((sdcpg_personal_look_up(NULL, lower) & SDC_IN_LAST_NAMES) &&
			(sdcpg_personal_look_up(NULL, last) & SDC_IN_FIRST_NAMES));
}

/* Is a secret one that somebody else may have, or that a text may hold? */
static bool
is_short_secret(const Reader *reader, const char *text, size_t length)
{
	bool letter = false;
	bool digit = false;
	size_t i;

	for (i = 0; i < length; i++)
	{
		letter |= isalpha((unsigned char) text[i]) != 0;
		digit |= isdigit((unsigned char) text[i]) != 0;
	}
	return (reader->known & SECRET) &&
		   (length < LONG_SECRET || !letter || !digit);
}

/* Adds a value of the original. */
static void
add_value(ColumnScan *scan, const Reader *reader, const char *text,
		  size_t length)
{
	int listed = (reader->known & SDC_LEAK_USUAL) && is_listed(text, length)
					 ? SDC_LEAK_LISTED
					 : 0;

	if (is_short_secret(reader, text, length))
		return;
	if (!(reader->known & WITHIN) && is_single(reader->base))
		sdc_leak_add(scan->set, text,
					 is_time(reader->base) ? Min(length, 10) : length,
					 reader->known | listed |
						 (is_time(reader->base) ? SDC_LEAK_DATE : 0));
	else
		sdc_scrub_add_within(scan->set, text, length);
}

/* Looks for the digests of a value of the original. */
static void
look_for_digests(ColumnScan *scan, const Reader *reader, const char *text,
				 size_t length)
{
	SdcCopySought *sought = scan->sought;

	if (!(reader->known & WITHIN) && is_single(reader->base) &&
		!is_short_secret(reader, text, length))
		sought->digests_found +=
			sdcpg_copy_digests_found(sought->digests, text, length,
									 !(reader->known & SDC_LEAK_USUAL) &&
										 memchr(text, '@', length) == NULL);
}

/*
 * Adds a last name.  Another one may have it by right, so it counts only where
 * nothing was masked, or where no fake is like it.
 */
static void
add_last_name(ColumnScan *scan, const Reader *reader, const char *text,
			  size_t length)
{
	char *lower = palloc(length + 1);
	bool listed;

	sdc_personal_lower(pnstrdup(text, length), lower);
	listed = sdcpg_personal_look_up(NULL, lower) & SDC_IN_LAST_NAMES;
	sdc_leak_add(scan->last_names, text, length,
				 SDC_LEAK_USUAL | (listed ? SDC_LEAK_LISTED : 0));
}

static bool
has_kind(const SdcCopyColumn *column, const char *kind)
{
	return column->kind != NULL && strcmp(column->kind, kind) == 0;
}

/* The rows of the original that are looked at, in SQL. */
static char *
original_of(const SdcCopy *copy, const SdcCopyColumn *column)
{
	return copy->part
			   ? sdcpg_copy_subset_rows(column->table)
			   : quote_qualified_identifier(copy->schema, column->relation);
}

/*
 * Adds names of the table of a column, an expression in SQL, that few people
 * have, but for those that params say are words.
 */
static void
add_rare(const SdcCopy *copy, SdcCopySought *sought,
		 const SdcCopyColumn *column, const char *expression)
{
	SdcRows rows = {start_scan, take_row};
	ColumnScan scan = {NULL};
	StringInfoData words;
	ListCell *cell;

	initStringInfo(&words);
	foreach (cell, copy->words)
		appendStringInfo(&words, ", %s", quote_literal_cstr(lfirst(cell)));
	scan.take = add_last_name;
	scan.last_names = sought->last_names;
	rows.arg = &scan;
	sdcpg_rows_receive(
		sought->host,
		psprintf("SELECT min(n.v) FROM (SELECT %s AS v FROM %s AS r) AS n "
				 "WHERE n.v IS NOT NULL AND lower(n.v) NOT IN "
				 "(SELECT lower(w) FROM unnest(ARRAY[''%s]) AS w) "
				 "GROUP BY lower(n.v) HAVING count(*) < %d",
				 expression, original_of(copy, column), words.data,
				 MANY_OF_A_NAME),
		&rows);
}

static char *
text_of(const SdcCopyColumn *column)
{
	return psprintf("r.%s::pg_catalog.text", quote_identifier(column->column));
}

/*
 * Adds last names, and what users are called by: the first letter of a first
 * name and the last one.
 */
static void
add_last_names(const SdcCopy *copy, SdcCopySought *sought, int family,
			   int first, int last)
{
	const SdcCopyColumn *column = &copy->column[family];
	int i;

	add_rare(copy, sought, column, text_of(column));
	for (i = first; i < last; i++)
		if (has_kind(&copy->column[i], "first_name") &&
			!copy->column[i].generated)
			add_rare(copy, sought, column,
					 psprintf("left(%s, 1) || ' ' || %s",
							  text_of(&copy->column[i]), text_of(column)));
}

/* The same of whole names: Anna Berger; Berger, Anna. */
static void
add_last_words(const SdcCopy *copy, SdcCopySought *sought,
			   const SdcCopyColumn *column)
{
	char *name = psprintf("CASE WHEN %1$s ~ '^\\S+, *\\S' THEN "
						  "split_part(%1$s, ',', 2) || ' ' || "
						  "split_part(%1$s, ',', 1) ELSE %1$s END",
						  text_of(column));

	name = psprintf("(SELECT left(ltrim(w.w), 1) || substring(rtrim(w.w) "
					"FROM '\\s\\S+$') FROM (SELECT %s) AS w (w))",
					name);
	add_rare(copy, sought, column, name);
	add_rare(copy, sought, column, psprintf("substr(%s, 3)", name));
}

/* Adds the names of a table that count where no fakes are. */
static void
add_names(const SdcCopy *copy, SdcCopySought *sought, int first, int last)
{
	bool parted = false;
	int i;

	for (i = first; i < last; i++)
		if (has_kind(&copy->column[i], "last_name") &&
			!copy->column[i].generated)
		{
			parted = true;
			add_last_names(copy, sought, i, first, last);
		}
	for (i = first; i < last && !parted; i++)
		if (has_kind(&copy->column[i], "name") && !copy->column[i].generated)
			add_last_words(copy, sought, &copy->column[i]);
}

/* What is looked for of a column, as Reader.known. */
static int
known_of(const SdcCopyColumn *column, Sought which)
{
	int known = which == SOUGHT_USUAL    ? SDC_LEAK_USUAL
				: which == SOUGHT_WITHIN ? WITHIN
				: which == SOUGHT_SECRET ? SECRET
										 : 0;

	if (has_kind(column, "phone"))
		known |= SDC_LEAK_PHONE;
	if (has_kind(column, "iban"))
		known |= SDC_LEAK_IBAN;
	if (has_kind(column, "ip"))
		known |= SDC_LEAK_NETWORK;
	return known;
}

/*
 * Appends first and last name of a row as one value, as a column of whole
 * names has them; how many were appended.
 */
static int
append_whole_names(const SdcCopy *copy, int first, int last,
				   StringInfo columns, int *known)
{
	int count = 0;
	int i;
	int j;

	for (i = first; i < last; i++)
		for (j = first; j < last; j++)
		{
			const SdcCopyColumn *given = &copy->column[i];
			const SdcCopyColumn *family = &copy->column[j];

			if (!has_kind(given, "first_name") || given->generated ||
				!has_kind(family, "last_name") || family->generated)
				continue;
			appendStringInfo(columns,
							 "%sr.%s::pg_catalog.text || ' ' || "
							 "r.%s::pg_catalog.text",
							 columns->len == 0 ? "" : ", ",
							 quote_identifier(given->column),
							 quote_identifier(family->column));
			known[count++] = SDC_LEAK_USUAL;
		}
	return count;
}

/* Reads identifiers of columns first to last of one table, in one pass. */
static void
read_table(const SdcCopy *copy, SdcCopySought *sought, int first, int last,
		   ColumnScan scan)
{
	int most = (last - first) * (last - first + 1);
	int *known = palloc(sizeof(int) * most);
	StringInfoData columns;
	int count = 0;
	int i;

	initStringInfo(&columns);
	for (i = first; i < last; i++)
	{
		const SdcCopyColumn *column = &copy->column[i];
		Sought which = sought_of(column);

		if (which == SOUGHT_NOT)
			continue;
		appendStringInfo(&columns, "%sr.%s", count == 0 ? "" : ", ",
						 quote_identifier(column->column));
		known[count++] = known_of(column, which);
	}
	count += append_whole_names(copy, first, last, &columns, known + count);
	scan.known = known;
	if (count > 0)
		scan_columns(sought, &scan, original_of(copy, &copy->column[first]),
					 columns.data);
}

/* Behind the last column of the table of a column. */
static int
end_of_table(const SdcCopy *copy, int first)
{
	int last;

	for (last = first; last < copy->columns &&
					   copy->column[last].table == copy->column[first].table;
		 last++)
		;
	return last;
}

/* Reads the identifiers of all tables. */
static void
read_identifiers(const SdcCopy *copy, SdcCopySought *sought, ColumnScan scan)
{
	int first;

	for (first = 0; first < copy->columns; first = end_of_table(copy, first))
		read_table(copy, sought, first, end_of_table(copy, first), scan);
}

SdcCopySought *
sdcpg_copy_sought(const SdcCopy *copy)
{
	SdcCopySought *sought = palloc0(sizeof(SdcCopySought));
	ColumnScan scan = {.take = add_value};
	int first;

	sought->host = copy->host;
	sought->set = sdc_leak_create(&sought->host->kernel);
	sought->last_names = sdc_leak_create(&sought->host->kernel);
	sought->digests = sdcpg_copy_digests(&sought->host->kernel);
	for (first = 0; first < copy->columns; first = end_of_table(copy, first))
		add_names(copy, sought, first, end_of_table(copy, first));
	read_identifiers(copy, sought, scan);
	return sought;
}

int64
sdcpg_copy_sought_count(const SdcCopySought *sought)
{
	return sdc_leak_values(sought->set);
}

/* ----------------------------------------------------------------------
 * Columns of the copy.
 * ----------------------------------------------------------------------
 */

static SdcLeakPlace
place_of(const SdcCopyColumn *column)
{
	static const char *const drawn[] = {"pseudonym", "fake", "shift", NULL};
	static const char *const mixed[] = {"scrub", "inside", NULL};
	const char *method = sdcpg_copy_method(column);

	if (column->generated)
		return SDC_LEAK_DRAWN;
	if (method == NULL)
		return SDC_LEAK_KEPT;
	return is_one_of(method, mixed)   ? SDC_LEAK_MIXED
		   : is_one_of(method, drawn) ? SDC_LEAK_DRAWN
									  : SDC_LEAK_KEPT;
}

static void
search_value(ColumnScan *scan, const Reader *reader, const char *text,
			 size_t length)
{
	int64 number;

	sdc_leak_search(scan->set, text, length);
	if (reader->base == INT8OID && scan->place != SDC_LEAK_DRAWN &&
		sdcpg_written_read_number(text, &number))
		sdcpg_copy_digests_take_number(scan->sought->digests, number);
	if (!reader->words)
		return;
	sdc_leak_search(scan->last_names, text, length);
	if (scan->place != SDC_LEAK_DRAWN)
		sdcpg_copy_digests_take(scan->sought->digests, reader->base, text,
								length, true);
	scan->signs +=
		scan->place == SDC_LEAK_KEPT && sdc_scrub_has_sign(text, length);
}

/*
 * Searches columns of a table of the copy, as a list in SQL; how many values
 * that were kept look like an identifier of anybody.  joins: words of several
 * columns of a row may be one value.
 */
static int64
search_columns(const SdcCopy *copy, SdcCopySought *sought,
			   const char *relation, const char *columns, SdcLeakPlace place,
			   bool joins)
{
	ColumnScan scan = {
		.take = search_value, .numbers = true, .place = place, .joins = joins};

	sdcpg_copy_digests_start(sought->digests);
	sdc_leak_start(sought->set, place);
	sdc_leak_start(sought->last_names, place);
	scan_columns(sought, &scan,
				 quote_qualified_identifier(copy->target, relation), columns);
	return scan.signs;
}

static void
put_leaks(const SdcCopy *copy, const char *place, int64 found,
		  const char *sentence)
{
	sdcpg_result_measure(copy->result, "leaks", place, (double) found, false,
						 sentence);
}

/*
 * Tells of what refuses nothing: it may be a word, or of somebody who is not
 * in the original.
 */
static void
put_look(const SdcCopy *copy, const char *measure, const char *place,
		 int64 found, bool lines)
{
	bool names = strcmp(measure, "last_names") == 0;

	if (found == 0)
		return;
	if (lines)
		sdcpg_result_measure(
			copy->result, measure, place, (double) found, false,
			names ? "Last names of the original that few people have, as "
					"words here."
				  : "Values here that look like an e-mail address, an IBAN or "
					"a phone, of nobody who was looked for.");
	else
		sdcpg_copy_put(
			copy, "look", place,
			names ? psprintf("Holds last names that few people "
							 "have: " INT64_FORMAT ". Give it a rule or "
							 "another name, or list what is only a word in "
							 "params \"words\".",
							 found)
				  : psprintf("Values that look like an e-mail address, an "
							 "IBAN or a phone: " INT64_FORMAT ". Give the "
							 "column a rule.",
							 found));
}

static void
append_place(StringInfo places, const char *place)
{
	appendStringInfo(places, "%s%s", places->len == 0 ? "" : ", ", place);
}

/* Digests of identifiers that are in the place that was read last. */
static int64
count_digests(const SdcCopy *copy, SdcCopySought *sought)
{
	ColumnScan scan = {.take = look_for_digests, .plain = true};

	sought->digests_found = 0;
	if (sdcpg_copy_digests_count(sought->digests) > 0)
		read_identifiers(copy, sought, scan);
	return sought->digests_found;
}

/*
 * How many of the values that were found in columns of a table are in several
 * of them together, and in none alone.
 */
static int64
search_together(const SdcCopy *copy, SdcCopySought *sought,
				const char *relation, const char *columns, int64 found,
				bool lines, StringInfo places)
{
	search_columns(copy, sought, relation, columns, SDC_LEAK_KEPT, false);
	found -= sdc_leak_found(sought->set);
	if (found <= 0)
		return 0;
	append_place(places, psprintf("%s (columns side by side)", relation));
	if (lines)
		put_leaks(copy, relation, found,
				  "Different original identifiers in columns of this table "
				  "side by side.");
	return found;
}

/* Columns first to last of one table, of those that are a place of a kind. */
static int64
search_table(const SdcCopy *copy, SdcCopySought *sought, int first, int last,
			 SdcLeakPlace kind, bool lines, StringInfo places)
{
	StringInfoData columns;
	int64 together;
	int64 all = 0;
	int i;

	initStringInfo(&columns);
	for (i = first; i < last; i++)
		if (place_of(&copy->column[i]) == kind)
			appendStringInfo(&columns, "%sr.%s", columns.len == 0 ? "" : ", ",
							 quote_identifier(copy->column[i].column));
	if (columns.len == 0)
		return 0;
	if (search_columns(copy, sought, copy->column[first].relation,
					   columns.data, kind, kind == SDC_LEAK_KEPT) == 0 &&
		!sdc_leak_met(sought->set) && !sdc_leak_met(sought->last_names) &&
		sdcpg_copy_digests_count(sought->digests) == 0)
		return 0;
	together = sdc_leak_found(sought->set);
	for (i = first; i < last; i++)
	{
		const SdcCopyColumn *column = &copy->column[i];
		char *place = psprintf("%s.%s", column->relation, column->column);
		int64 signs;
		int64 found;

		if (place_of(column) != kind)
			continue;
		signs = search_columns(
			copy, sought, column->relation,
			psprintf("r.%s", quote_identifier(column->column)), kind, false);
		found = sdc_leak_found(sought->set) + count_digests(copy, sought);
		all += found;
		/* whoever wrote a rule for this column has looked at it */
		if (strcmp(column->level, "column") != 0)
		{
			put_look(copy, "last_names", place,
					 sdc_leak_found(sought->last_names), lines);
			put_look(copy, "look_alikes", place, found > 0 ? 0 : signs, lines);
		}
		if (found > 0)
			append_place(places, place);
		if (lines && found > 0)
			put_leaks(copy, place, found,
					  "Different original identifiers in this column of the "
					  "copy.");
	}
	if (kind == SDC_LEAK_KEPT && together > 0)
		all += search_together(copy, sought, copy->column[first].relation,
							   columns.data, together, lines, places);
	return all;
}

/* ----------------------------------------------------------------------
 * Names and definitions.
 * ----------------------------------------------------------------------
 */

/*
 * Whatever the catalogs say of the copy: what it is, the table it belongs to,
 * and the text.  $1 is the schema of the copy.  Types that its columns have
 * and functions that its expressions call come with it, wherever they are.
 */
static const char *const definitions_sql =
	/* a password of a connection, as a function may have it in its text */
	"SELECT d.*, d.t ~* '\\mpassword=[^[:space:]'']' AND d.t ~* "
	"'\\m(host|hostaddr|dbname|user)=' OR d.t ~ "
	"'://[^[:space:]:@/]+:[^[:space:]:@/]+@' FROM ("
	"WITH RECURSIVE rel AS ("
	"SELECT c.* FROM pg_class AS c WHERE c.relnamespace = $1), "
	"own AS (SELECT c.* FROM rel AS c WHERE c.relkind IN ('r', 'p', 'f')), "
	"part AS ("
	"SELECT 'pg_constraint'::regclass AS class, k.oid, k.conrelid AS rel, "
	"concat(k.conname, ' ', pg_get_constraintdef(k.oid)) AS t "
	"FROM pg_constraint AS k WHERE k.connamespace = $1 UNION ALL "
	"SELECT 'pg_attrdef'::regclass, d.oid, d.adrelid, "
	"pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef AS d "
	"WHERE d.adrelid IN (SELECT oid FROM own) UNION ALL "
	"SELECT 'pg_class'::regclass, i.indexrelid, i.indrelid, "
	"pg_get_indexdef(i.indexrelid) FROM pg_index AS i "
	"WHERE i.indrelid IN (SELECT oid FROM rel) UNION ALL "
	"SELECT 'pg_class'::regclass, c.oid, c.oid, concat(pg_get_partkeydef("
	"c.oid), ' ', pg_get_expr(c.relpartbound, c.oid)) FROM own AS c "
	"UNION ALL SELECT 'pg_statistic_ext'::regclass, s.oid, s.stxrelid, "
	"pg_get_statisticsobjdef(s.oid) FROM pg_statistic_ext AS s "
	"WHERE s.stxrelid IN (SELECT oid FROM own) UNION ALL "
	"SELECT 'pg_policy'::regclass, p.oid, p.polrelid, concat(p.polname, ' ', "
	"pg_get_expr(p.polqual, p.polrelid), ' ', pg_get_expr(p.polwithcheck, "
	"p.polrelid)) FROM pg_policy AS p WHERE p.polrelid IN (SELECT oid "
	"FROM own) UNION ALL "
	"SELECT 'pg_trigger'::regclass, g.oid, g.tgrelid, pg_get_triggerdef("
	"g.oid) FROM pg_trigger AS g WHERE NOT g.tgisinternal AND g.tgrelid IN "
	"(SELECT oid FROM rel) UNION ALL "
	"SELECT 'pg_rewrite'::regclass, w.oid, w.ev_class, pg_get_ruledef(w.oid) "
	"FROM pg_rewrite AS w WHERE w.ev_class IN (SELECT oid FROM rel)), "
	/*
	 * What all this needs: types of columns and casts, functions, operators
	 * and classes, and what these need, wherever it is.
	 */
	"need AS ((SELECT p.class::oid AS class, p.oid, p.rel FROM part AS p "
	"UNION ALL SELECT 'pg_type'::regclass, a.atttypid, NULL::oid "
	"FROM rel AS c JOIN pg_attribute AS a ON a.attrelid = c.oid "
	"AND a.attnum > 0 AND NOT a.attisdropped WHERE c.relkind <> 'i') UNION "
	"SELECT o.class, o.oid, n.rel FROM need AS n CROSS JOIN LATERAL ("
	"SELECT d.refclassid AS class, d.refobjid AS oid FROM pg_depend AS d "
	"WHERE d.classid = n.class AND d.objid = n.oid AND n.class NOT IN "
	"('pg_extension'::regclass, 'pg_language'::regclass) UNION ALL "
	"SELECT 'pg_constraint'::regclass, k.oid FROM pg_constraint AS k "
	"WHERE n.class = 'pg_type'::regclass AND k.contypid = n.oid UNION ALL "
	"SELECT 'pg_type'::regclass, x.oid FROM " SDC_COPY_MADE_OF " AS x "
	"WHERE n.class = 'pg_type'::regclass AND x.type = n.oid UNION ALL "
	"SELECT 'pg_proc'::regclass, q.oprcode::oid "
	"FROM pg_operator AS q WHERE n.class = 'pg_operator'::regclass "
	"AND q.oid = n.oid UNION ALL SELECT 'pg_proc'::regclass, a.amproc::oid "
	"FROM pg_opclass AS k JOIN pg_amproc AS a ON a.amprocfamily = "
	"k.opcfamily WHERE n.class = 'pg_opclass'::regclass AND k.oid = n.oid "
	/* a body in another language is text: what it calls, by its name */
	"UNION ALL SELECT 'pg_proc'::regclass, x.oid FROM pg_proc AS f "
	"CROSS JOIN LATERAL (" SDC_COPY_CALLS ") AS x WHERE n.class = "
	"'pg_proc'::regclass AND f.oid = n.oid AND NOT EXISTS (SELECT "
	"FROM pg_depend AS e WHERE e.classid = 'pg_proc'::regclass "
	"AND e.objid = f.oid AND e.deptype = 'e')) AS o WHERE o.oid >= 16384), "
	"type AS (SELECT * FROM pg_type WHERE oid IN (SELECT oid FROM need "
	"WHERE class = 'pg_type'::regclass)), "
	"called AS ("
	"SELECT f.oid, f.proname, f.prokind, min(n.rel) AS rel FROM need AS n "
	"JOIN pg_proc AS f ON n.class = 'pg_proc'::regclass AND f.oid = n.oid "
	"WHERE f.oid >= 16384 GROUP BY 1, 2, 3) "
	"SELECT 'the name of schema', NULL::text, concat(nspname, ' ', nspacl) "
	"FROM pg_namespace WHERE oid = $1 UNION ALL "
	"SELECT DISTINCT 'the name of a schema that is needed', NULL, "
	"s.nspname::text FROM need AS n JOIN pg_namespace AS s "
	"ON n.class = 'pg_namespace'::regclass AND s.oid = n.oid "
	"WHERE s.oid <> $1 UNION ALL "
	"SELECT CASE WHEN c.relkind IN ('r', 'p') THEN 'the name of table' "
	"ELSE 'a name beside table' END, COALESCE(p.relname, c.relname)::text, "
	"concat(c.relname, ' ', c.reloptions, ' ', c.relacl, ' ', "
	"pg_get_userbyid(c.relowner)) FROM rel AS c LEFT JOIN pg_index AS i "
	"ON i.indexrelid = c.oid LEFT JOIN pg_class AS p ON p.oid = i.indrelid "
	"UNION ALL "
	"SELECT 'the numbers of a sequence', NULL, concat_ws(' ; ', q.seqstart, "
	"q.seqmin, q.seqmax, q.seqincrement, pg_sequence_last_value(q.seqrelid)) "
	"FROM pg_sequence AS q WHERE q.seqrelid IN (SELECT oid FROM rel) "
	"UNION ALL "
	"SELECT 'a column of table', c.relname::text, concat(a.attname, ' ', "
	"a.attacl, ' ', a.attfdwoptions, ' ', o.collname) FROM rel AS c "
	"JOIN pg_attribute AS a "
	"ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
	"LEFT JOIN pg_collation AS o ON o.oid = a.attcollation UNION ALL "
	"SELECT CASE p.class WHEN 'pg_constraint'::regclass THEN 'a constraint' "
	"WHEN 'pg_attrdef'::regclass THEN 'a default' WHEN 'pg_class'::regclass "
	"THEN 'an index or partition' ELSE 'a rule, trigger or policy' END "
	"|| ' of table', c.relname::text, p.t FROM part AS p JOIN pg_class AS c "
	"ON c.oid = p.rel UNION ALL "
	"SELECT 'a constraint of a domain', NULL, concat(k.conname, ' ', "
	"pg_get_constraintdef(k.oid)) FROM pg_constraint AS k WHERE k.contypid "
	"IN (SELECT oid FROM type) UNION ALL "
	"SELECT CASE WHEN c.relname IS NULL THEN 'a function that a type calls' "
	"ELSE 'a function that is called in table' END, c.relname::text, "
	"CASE WHEN f.prokind <> 'a' THEN pg_get_functiondef(f.oid) "
	"ELSE (SELECT concat(f.proname, ' ', g.agginitval, ' ', g.aggminitval) "
	"FROM pg_aggregate AS g WHERE g.aggfnoid = f.oid) END "
	"FROM called AS f LEFT JOIN pg_class AS c "
	"ON c.oid = f.rel UNION ALL "
	"SELECT 'a text search dictionary of table', c.relname::text, "
	"concat(y.dictname, ' ', y.dictinitoption) FROM need AS n "
	"JOIN pg_ts_dict AS y ON n.class = 'pg_ts_dict'::regclass "
	"AND y.oid = n.oid LEFT JOIN pg_class AS c ON c.oid = n.rel "
	"UNION ALL "
	"SELECT 'type', t.typname::text, concat(t.typname, ' ', t.typdefault, "
	"' ', (SELECT string_agg(e.enumlabel, ' ; ') FROM pg_enum AS e "
	"WHERE e.enumtypid = t.oid), ' ', (SELECT string_agg(a.attname, ' ; ') "
	"FROM pg_attribute AS a WHERE a.attrelid = t.typrelid AND a.attnum > 0)) "
	"FROM type AS t UNION ALL "
	"SELECT 'a comment in the schema', NULL, d.description "
	"FROM pg_description AS d "
	"WHERE (d.classoid = 'pg_class'::regclass AND d.objoid IN (SELECT oid "
	"FROM rel)) OR (d.classoid, d.objoid) IN (SELECT class, oid FROM need "
	"WHERE class NOT IN ('pg_class'::regclass, 'pg_proc'::regclass, "
	"'pg_namespace'::regclass)) "
	"OR (d.classoid = 'pg_namespace'::regclass AND d.objoid = $1)) "
	"AS d (what, relation, t) ORDER BY 1, 2, 3";

/* Behind casts, brackets and blanks that follow or precede a constant. */
static const char *
skip_brackets(const char *at, bool casts)
{
	for (;;)
	{
		if (*at == ' ' || *at == '(' || *at == ')')
			at++;
		else if (casts && at[0] == ':' && at[1] == ':')
			for (at += 2; isalnum((unsigned char) *at) || *at == '_' ||
						  *at == '.' || *at == '"' || *at == '[' || *at == ']';
				 at++)
				;
		else
			return at;
	}
}

/* A definition in which 'user7@'::text || 'web.test' is one constant. */
static char *
join_constants(const char *text)
{
	char *joined = palloc(strlen(text) + 1);
	char *out = joined;

	while (*text != '\0')
	{
		const char *next;

		if (*text != '\'')
		{
			*out++ = *text++;
			continue;
		}
		next = skip_brackets(text + 1, true);
		if (next[0] == '|' && next[1] == '|')
		{
			next = skip_brackets(next + 2, false);
			if (*next == '\'')
			{
				text = next + 1;
				continue;
			}
		}
		*out++ = *text++;
	}
	*out = '\0';
	return joined;
}

/*
 * The constants of a definition, with something between; or what is between
 * them, as an apostrophe in a comment turns one into the other.
 */
static char *
constants_of(const char *text, bool between)
{
	char *constants = palloc(strlen(text) + 1);
	char *out = constants;
	bool within = between;

	for (; *text != '\0'; text++)
	{
		if (*text == '\'')
			within = !within;
		if (within || *text == '\'')
			*out++ = *text;
	}
	*out = '\0';
	return constants;
}

/* Searches a text beside others of the place. */
static void
search_text(SdcLeakSet *set, const char *text)
{
	size_t length = strlen(text);

	text = normal_form(text, &length);
	sdc_leak_search(set, text, length);
}

/* Does a name or a definition hold a value of a set? */
static bool
is_named(SdcLeakSet *set, const char *text)
{
	const char *utf8 = pg_server_to_any(text, strlen(text), PG_UTF8);

	sdc_leak_start(set, SDC_LEAK_NAMES);
	search_text(set, utf8);
	search_text(set, join_constants(utf8));
	if (sdc_leak_met(set) || strchr(utf8, '\'') == NULL)
		return sdc_leak_met(set);
	/* format('%s@%s', 'user7', 'web.test'): names may be there as words */
	sdc_leak_start(set, SDC_LEAK_JOINED);
	search_text(set, constants_of(utf8, false));
	search_text(set, constants_of(utf8, true));
	return sdc_leak_met(set);
}

const char *
sdcpg_copy_holds(SdcCopySought *sought, const char *text)
{
	if (is_named(sought->set, text))
		return "an original identifier";
	return is_named(sought->last_names, constants_of(text, false))
			   ? "the last name of a person"
			   : NULL;
}

/* What a definition is, with the name of its table unless that holds one. */
static char *
definition_place(SdcCopySought *sought, const char *what, const char *table)
{
	return table == NULL || is_named(sought->set, table)
			   ? pstrdup(what)
			   : psprintf("%s \"%s\"", what, table);
}

/*
 * Does a definition hold a digest of an identifier?  The hidden name of a copy
 * that is being made is a random word.
 */
static bool
is_hashed(const SdcCopy *copy, SdcCopySought *sought, const char *text)
{
	char *rest = pstrdup(text);
	char *hidden = rest;

	while (copy->target != copy->shown &&
		   (hidden = strstr(hidden, copy->target)) != NULL)
		memset(hidden, ' ', strlen(copy->target));
	sdcpg_copy_digests_start(sought->digests);
	/* names that programs make hold random digits, too */
	sdcpg_copy_digests_take(sought->digests, TEXTOID, rest, strlen(rest),
							false);
	return count_digests(copy, sought) > 0;
}

static int64
search_definitions(const SdcCopy *copy, SdcCopySought *sought, bool lines,
				   StringInfo places)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int64 all = 0;
	int64 i;

	sdcpg_catalog_bind(
		&parameters, OIDOID,
		ObjectIdGetDatum(get_namespace_oid(copy->target, false)), false);
	rows = sdcpg_catalog_read(definitions_sql, &parameters);
	for (i = 0; i < rows->count; i++)
	{
		char *text = sdcpg_copy_text(rows, i, 2);
		bool password = text != NULL && DatumGetBool(rows->value[i][3]);
		bool named = text != NULL && (is_named(sought->set, text) ||
									  is_hashed(copy, sought, text));
		char *place;

		if (text == NULL ||
			(!password && !named && !is_named(sought->last_names, text)))
			continue;
		place = definition_place(sought, sdcpg_copy_text(rows, i, 0),
								 sdcpg_copy_text(rows, i, 1));
		if (password)
			place = psprintf("%s (a password)", place);
		if (!named && !password)
		{
			put_look(copy, "last_names", place, 1, lines);
			continue;
		}
		all++;
		append_place(places, place);
		if (lines)
			put_leaks(copy, place, 1,
					  password
						  ? "A definition of the copy holds the password of "
							"a connection."
						  : "A name or a definition of the copy holds an "
							"original identifier.");
	}
	return all;
}

/* What materialized views hold was computed, and may be what it was not. */
static int64
search_views(const SdcCopy *copy, SdcCopySought *sought, bool lines,
			 StringInfo places)
{
	SdcCatalogRows *rows = sdcpg_copy_ask(
		"SELECT relname::text FROM pg_class WHERE relnamespace = $1 "
		"AND relkind = 'm' AND relispopulated ORDER BY 1",
		get_namespace_oid(copy->target, false));
	int64 all = 0;
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		char *view = sdcpg_copy_text(rows, i, 0);
		int64 found;

		CHECK_FOR_INTERRUPTS();
		search_columns(copy, sought, view, "r.*", SDC_LEAK_DRAWN, false);
		found = sdc_leak_found(sought->set);
		all += found;
		if (found == 0)
			continue;
		append_place(places,
					 definition_place(sought, "a materialized view", view));
		if (lines)
			put_leaks(copy, view, found,
					  "Different original identifiers in this materialized "
					  "view of the copy.");
	}
	return all;
}

int64
sdcpg_copy_search(const SdcCopy *copy, bool lines, StringInfo places)
{
	SdcCopySought *sought = copy->sought;
	int64 all = 0;
	int first;
	int last;

	for (first = 0; first < copy->columns; first = last)
	{
		static const SdcLeakPlace kinds[] = {SDC_LEAK_KEPT, SDC_LEAK_MIXED,
											 SDC_LEAK_DRAWN};
		int i;

		last = end_of_table(copy, first);
		CHECK_FOR_INTERRUPTS();
		for (i = 0; i < lengthof(kinds); i++)
			all += search_table(copy, sought, first, last, kinds[i], lines,
								places);
	}
	all += search_views(copy, sought, lines, places);
	all += search_definitions(copy, sought, lines, places);
	if (lines)
		put_leaks(copy, copy->shown, all,
				  "Different original identifiers in all of the copy.");
	return all;
}
