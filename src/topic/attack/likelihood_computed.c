/*
 * likelihood_computed.c
 *		Columns that are computed from keys, a term of the likelihood for each.
 *
 * A recipe says of which key, or keys, which text is taken, which digest of
 * it, how that is written, and which piece of it is published.  Who knows the
 * keys can follow it, so it is found by the links: a secret has none.
 */
#include "postgres.h"

#include <ctype.h>
#include <math.h>
#include <openssl/evp.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "common/int.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/pg_crc.h"

#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/host.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/intruder.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/transparency.h"

/*
 * Links by which a recipe is tried, and the share of them that has to agree;
 * links that are tried first, and how many of them may fail.
 */
#define TRIED_LINKS  200
#define LEAST_AGREED 0.98
#define FIRST_LINKS  10
#define MAY_FAIL     2

/* A prime above the number of rows. */
#define SCATTER UINT64CONST(2654435761)

/* A value that more of the links have tells nobody apart. */
#define MOST_ALIKE 0.9

/* Keys that are joined at the most, and characters that a digest of joined
 * ones has at least, also as a number. */
#define JOINED_KEYS 8
#define LEAST_LONG  8

/* Bytes of a value, or of what is written of a digest, that are compared. */
#define MOST_BYTES 512

/* Words of a text that are read, and of a key, and its letters at least. */
#define MOST_WORDS   64
#define WORDS_OF_KEY 5
#define LEAST_KEY    4

/* Of the links that are tried so many name the person at least, and such a
 * part of these is neither chance nor told by the masked key. */
#define LEAST_NAMED  10
#define LEAST_BEYOND 0.5

/* There is no text of a row; -1: it makes no value. */
#define NO_TEXT (-2)

/* How it is written. */
typedef enum Writing
{
	AS_TEXT,
	AS_HEX,
	AS_BASE64,
	AS_NUMBER,
	WRITINGS
} Writing;

/* The digests; the first is the text itself. */
static const EVP_MD *(*const digests[])(void) = {
	NULL,       EVP_md5,    EVP_sha1,     EVP_sha224,  EVP_sha256,
	EVP_sha384, EVP_sha512, EVP_sha3_256, EVP_sha3_512};

/* Numbers that are made of a text and of a digest. */
#define TEXT_NUMBERS   8
#define DIGEST_NUMBERS 3

/* Those of a text that are hashes of its bytes. */
#define HASHED_FROM 2
#define HASHED_TO   5

/* How dates and texts are written: N are days since 2000. */
static const char *const date_forms[] = {"Y-M-D", "YMD", "D.M.Y", "D/M/Y",
										 "M/D/Y", "DMY", "N"};
#define NUMBER_FORMS 2
#define JOINED_FORMS 3 /* the first ones */

typedef enum TextForm
{
	TEXT_ITSELF,
	TEXT_SMALL,
	TEXT_CAPITALS,
	TEXT_DIGITS,
	TEXT_LETTERS, /* and digits, small */
	WORD_LAST,
	WORD_LAST_SMALL,
	WORD_FIRST,
	WORD_FIRST_SMALL,
	WORDS_INITIALS,
	WORDS_POINTED,     /* first.last */
	WORD_INITIAL_LAST, /* flast */
	TEXT_FORMS
} TextForm;

/* What is put between keys that are joined; the last is that of a row. */
static const char *const glues[] = {"",  " ", "|", "-", "_",
									",", ":", ";", "("};

/* A key of one of the files: a number, or a text. */
typedef struct KeyValues
{
	const SdcFrameColumn *column;
	Oid base;
	int scale; /* digits behind the point; -1: as many as there are */
} KeyValues;

typedef struct Recipe
{
	int keys;
	int key[JOINED_KEYS];
	int form;
	int glue;
	int digest;
	Writing writing;
	/* a piece of what is written, so far from its start or its end */
	bool from_end;
	int offset;
	/* which number, and what of it */
	int number;
	bool absolute;
	int64 modulus; /* 0: all of it */
} Recipe;

/* A column that may be computed, and from what. */
typedef struct Published
{
	SdcHost *host;
	const SdcTransparency *transparency;
	int keys;
	KeyValues *known;          /* by key: of the persons */
	KeyValues *masked;         /* and of the records */
	SdcDictionary *dictionary; /* NULL: these numbers */
	double *number;
	const int32 *record;
	int32 values;
	/* bytes that all values have in common */
	int prefix;
	int suffix;
	int32 link[TRIED_LINKS]; /* persons */
	int links;
	/* the links that are tried first: what is published, and the text that is
	 * taken of the keys */
	int firsts;
	char *first_value[FIRST_LINKS];
	char *first_text[FIRST_LINKS];
	MemoryContext texts;
	Recipe recipe;
	bool is_long[WRITINGS]; /* enough for a digest of keys that are joined? */
	/* as the recipe sees it: ranks by the hashes of their values */
	uint64 *hash;
	int32 *rank;
	int32 sorted;
	bool length[MOST_BYTES + 1]; /* does any value have so many bytes? */
	MemoryContext passing;
} Published;

/* ---- Texts of keys. ---- */

typedef struct Words
{
	char *text;
	int count;
	int start[MOST_WORDS];
	int length[MOST_WORDS];
} Words;

static char *
in_case(const char *s, PGFunction function)
{
	return text_to_cstring(DatumGetTextPP(DirectFunctionCall1Coll(
		function, DEFAULT_COLLATION_OID, CStringGetTextDatum(s))));
}

static void
split_words(const char *s, bool small, Words *words)
{
	int i;

	words->text = small ? in_case(s, lower) : pstrdup(s);
	words->count = 0;
	for (i = 0; words->text[i] != '\0' && words->count < MOST_WORDS;)
	{
		int start = i;

		while (IS_HIGHBIT_SET(words->text[i]) ||
			   isalnum((unsigned char) words->text[i]))
			i++;
		if (i > start)
		{
			words->start[words->count] = start;
			words->length[words->count++] = i - start;
		}
		else
			i++;
	}
}

static void
append_word(StringInfo to, const Words *words, int which, bool initial)
{
	const char *word = words->text + words->start[which];
	int length = words->length[which];

	appendBinaryStringInfo(
		to, word, initial ? pg_mbcharcliplen(word, length, 1) : length);
}

static char *
form_of_words(const char *s, TextForm form)
{
	bool small =
		form != WORD_LAST && form != WORD_FIRST && form != WORDS_INITIALS;
	StringInfoData of;
	Words words;
	int last;
	int i;

	initStringInfo(&of);
	split_words(s, small, &words);
	last = words.count - 1;
	for (i = 0; i <= last; i++)
	{
		bool is_last = form == WORD_LAST || form == WORD_LAST_SMALL;
		bool is_first = form == WORD_FIRST || form == WORD_FIRST_SMALL;

		if ((is_last && i < last) || (is_first && i > 0) ||
			(form == WORD_INITIAL_LAST && i > 0 && i < last))
			continue;
		if (form == WORDS_POINTED && i > 0)
			appendStringInfoChar(&of, '.');
		append_word(&of, &words, i,
					form == WORDS_INITIALS ||
						(form == WORD_INITIAL_LAST && i < last));
	}
	return of.data;
}

static char *
form_of_text(const char *s, TextForm form)
{
	char *kept;
	char *to;

	if (form == TEXT_SMALL || form == TEXT_CAPITALS)
		return in_case(s, form == TEXT_SMALL ? lower : upper);
	if (form >= WORD_LAST)
		return form_of_words(s, form);
	kept = pstrdup(s);
	if (form == TEXT_ITSELF)
		return kept;
	for (to = kept; *s != '\0'; s++)
		if (isdigit((unsigned char) *s) ||
			(form == TEXT_LETTERS &&
			 (IS_HIGHBIT_SET(*s) || isalpha((unsigned char) *s))))
			*to++ = (char) pg_ascii_tolower((unsigned char) *s);
	*to = '\0';
	return kept;
}

static char *
form_of_date(double days, int form)
{
	const char *letter = date_forms[form];
	StringInfoData date;
	int year;
	int month;
	int day;

	initStringInfo(&date);
	j2date((int) days + POSTGRES_EPOCH_JDATE, &year, &month, &day);
	for (; *letter != '\0'; letter++)
		if (*letter == 'Y')
			appendStringInfo(&date, "%04d", year);
		else if (*letter == 'M' || *letter == 'D')
			appendStringInfo(&date, "%02d", *letter == 'M' ? month : day);
		else if (*letter == 'N')
			appendStringInfo(&date, "%.0f", days);
		else
			appendStringInfoChar(&date, *letter);
	return date.data;
}

/* A number in a form: as it is written, or its digits alone. */
static char *
form_of_number(const KeyValues *of, double x, int form)
{
	char *number;

	if (of->scale >= 0)
		number = psprintf("%.*f", of->scale, x);
	else if (x == rint(x))
		number = psprintf("%.0f", x);
	else
		number = DatumGetCString(
			of->base == FLOAT4OID
				? DirectFunctionCall1(float4out, Float4GetDatum((float4) x))
				: DirectFunctionCall1(float8out, Float8GetDatum(x)));
	return form == 0 ? number : form_of_text(number, TEXT_DIGITS);
}

/* The text of a key in a row of a file; NULL: there is none. */
static char *
text_of_key(const KeyValues *of, int32 row, int form)
{
	const SdcFrameColumn *column = of->column;
	double x;

	if (column->dictionary != NULL)
		return column->code[row] < 0
				   ? NULL
				   : form_of_text(sdcpg_dictionary_text(column->dictionary,
														column->code[row]),
								  form);
	if (column->isnull[row] || !(fabs(column->number[row]) < 1e15))
		return NULL;
	x = column->number[row];
	if (of->base == DATEOID)
		return fabs(x) < 1e6 ? form_of_date(x, form) : NULL;
	return form_of_number(of, x, form);
}

/* In how many forms a recipe of these keys may take them. */
static int
forms_of(const Published *of, const Recipe *recipe)
{
	const KeyValues *key = &of->known[recipe->key[0]];

	if (recipe->keys > 1)
		return JOINED_FORMS;
	return key->column->dictionary != NULL ? TEXT_FORMS
		   : key->base == DATEOID          ? (int) lengthof(date_forms)
										   : NUMBER_FORMS;
}

/* A value within a row's text, as PostgreSQL writes it. */
static void
append_to_row(StringInfo row, const char *value)
{
	bool plain = *value != '\0' && strpbrk(value, "\"\\(), \t\n") == NULL;

	if (!plain)
		appendStringInfoChar(row, '"');
	for (; *value != '\0'; value++)
	{
		if (*value == '"' || *value == '\\')
			appendStringInfoChar(row, *value);
		appendStringInfoChar(row, *value);
	}
	if (!plain)
		appendStringInfoChar(row, '"');
}

/* The text that a recipe takes of a row; NULL: there is none. */
static char *
text_of_row(const Published *of, const KeyValues *file, int32 row)
{
	const Recipe *recipe = &of->recipe;
	bool as_row = recipe->glue == (int) lengthof(glues) - 1;
	StringInfoData joined;
	int k;

	if (recipe->keys == 1)
		return text_of_key(&file[recipe->key[0]], row, recipe->form);
	initStringInfo(&joined);
	for (k = 0; k < recipe->keys; k++)
	{
		char *value = text_of_key(&file[recipe->key[k]], row, 0);

		if (value == NULL)
			return NULL;
		if (k > 0 || as_row)
			appendStringInfoString(
				&joined, as_row && k > 0 ? "," : glues[recipe->glue]);
		if (as_row)
			append_to_row(&joined, value);
		else
			appendStringInfoString(&joined, value);
	}
	if (as_row)
		appendStringInfoChar(&joined, ')');
	return form_of_text(joined.data, (TextForm) recipe->form);
}

/* ---- How it is written. ---- */

/* Bytes as PostgreSQL's encode writes them. */
static char *
encode(const unsigned char *bytes, int n, const char *format)
{
	bytea *value = palloc(VARHDRSZ + (Size) n);

	SET_VARSIZE(value, VARHDRSZ + n);
	memcpy(VARDATA(value), bytes, (Size) n);
	return TextDatumGetCString(DirectFunctionCall2(
		binary_encode, PointerGetDatum(value), CStringGetTextDatum(format)));
}

/* Both alphabets, without the ends of lines and what fills the last four. */
static char *
see_base64(const char *text)
{
	char *seen = palloc(strlen(text) + 1);
	int n = 0;

	for (; *text != '\0'; text++)
		if (isalnum((unsigned char) *text) || *text == '+' || *text == '/')
			seen[n++] = *text;
		else if (*text == '-' || *text == '_')
			seen[n++] = *text == '-' ? '+' : '/';
		else if (*text != '=' && *text != '\n')
			return NULL;
	seen[n] = '\0';
	return n == 0 ? NULL : seen;
}

/* A whole number from all of a text. */
static bool
read_number(const char *text, int64 *number)
{
	char *end;
	double x;

	errno = 0;
	*number = strtoll(text, &end, 10);
	if (end == text || errno != 0)
		return false;
	if (*end == '\0')
		return true;
	x = strtod(text, &end);
	*number = fabs(x) < 1e15 ? (int64) x : 0;
	return *end == '\0' && fabs(x) < 1e15 && x == rint(x);
}

/* What the server's own hash functions, among others, make of a text. */
static bool
number_of_text(const char *text, int which, int64 *number)
{
	int length = (int) strlen(text);
	const unsigned char *bytes = (const unsigned char *) text;
	pg_crc32 crc;

	switch (which)
	{
		case 0:
			return read_number(text, number);
		case 1:
			*number = pg_mbstrlen(text);
			return true;
		case 2:
			*number = (int32) DatumGetUInt32(hash_any(bytes, length));
			return true;
		case 3:
			*number =
				(int64) DatumGetUInt64(hash_any_extended(bytes, length, 0));
			return true;
		case 4:
			INIT_TRADITIONAL_CRC32(crc);
			COMP_TRADITIONAL_CRC32(crc, bytes, length);
			FIN_TRADITIONAL_CRC32(crc);
			*number = crc;
			return true;
		default:
			break;
	}
	if (!read_number(text, number) ||
		(which == 5 && (int32) *number != *number))
		return false;
	if (which == 5)
		*number = DatumGetInt32(
			DirectFunctionCall1(hashint4, Int32GetDatum((int32) *number)));
	else if (which == 6)
		*number = DatumGetInt32(
			DirectFunctionCall1(hashint8, Int64GetDatum(*number)));
	else
		*number = DatumGetInt64(DirectFunctionCall2(
			hashint8extended, Int64GetDatum(*number), Int64GetDatum(0)));
	return true;
}

/* The first 32 bits of a digest, with a sign and without, or the first 64. */
static int64
number_of_digest(const unsigned char *bytes, int which)
{
	uint64 number = 0;
	int i;

	for (i = 0; i < (which == 2 ? 8 : 4); i++)
		number = number << 8 | bytes[i];
	return which == 0 ? (int32) number : (int64) number;
}

/* The number that a recipe takes of a text, before any modulus. */
static bool
number_of(const Recipe *recipe, const char *text, const unsigned char *bytes,
		  int64 *number)
{
	if (recipe->digest > 0)
		*number = number_of_digest(bytes, recipe->number);
	else if (!number_of_text(text, recipe->number, number))
		return false;
	if (recipe->absolute && *number < 0 && *number > PG_INT64_MIN)
		*number = -*number;
	return true;
}

/* What the recipe writes of a text; NULL: nothing. */
static char *
write_text(const Recipe *recipe, const char *text)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	const unsigned char *bytes = (const unsigned char *) text;
	unsigned int n = (unsigned int) strlen(text);
	int64 number;

	if (recipe->digest > 0)
	{
		/* not every library is allowed each digest */
		if (!EVP_Digest(text, n, digest, &n, digests[recipe->digest](), NULL))
			return NULL;
		bytes = digest;
	}
	switch (recipe->writing)
	{
		case AS_TEXT:
			return pstrdup(text);
		case AS_HEX:
			return encode(bytes, (int) n, "hex");
		case AS_BASE64:
			return see_base64(encode(bytes, (int) n, "base64"));
		default:
			break;
	}
	if (!number_of(recipe, text, bytes, &number))
		return NULL;
	if (recipe->modulus > 0)
		number %= recipe->modulus;
	return psprintf(INT64_FORMAT, number);
}

/* ---- How a value of the column is seen. ---- */

/* The text of a value. */
static char *
text_of_value(const Published *of, int32 rank)
{
	if (of->dictionary != NULL)
		return sdcpg_dictionary_text(of->dictionary, rank);
	if (of->number[rank] == rint(of->number[rank]))
		return psprintf("%.0f", of->number[rank]);
	return DatumGetCString(
		DirectFunctionCall1(float8out, Float8GetDatum(of->number[rank])));
}

/* Hexadecimal digits, also with a \x, a uuid's dashes and an address' colons;
 * of a text's bytes without the zeros that fill a value. */
static char *
see_hex(const char *text, bool filled)
{
	char *seen = palloc(strlen(text) + 1);
	int n = 0;

	if (strncmp(text, "\\x", 2) == 0)
		text += 2;
	for (; *text != '\0'; text++)
		if (isxdigit((unsigned char) *text))
			seen[n++] = (char) pg_ascii_tolower((unsigned char) *text);
		else if (*text != '-' && *text != ':')
			return NULL;
	while (filled && n > 1 && seen[n - 1] == '0' && seen[n - 2] == '0')
		n -= 2;
	seen[n] = '\0';
	return n == 0 ? NULL : seen;
}

/* A value as the recipe compares it; NULL: it cannot be.  What fills up the
 * bytes of a text is no common end. */
static char *
see(const Published *of, const char *value)
{
	bool filled = of->recipe.writing == AS_HEX && of->recipe.digest == 0;
	int64 number;
	char *text;

	if (of->recipe.writing == AS_NUMBER)
		return read_number(value, &number) ? psprintf(INT64_FORMAT, number)
										   : NULL;
	if (filled)
		return see_hex(value, true);
	text = pnstrdup(value + of->prefix,
					strlen(value) - (Size) (of->prefix + of->suffix));
	if (of->recipe.writing == AS_HEX)
		return see_hex(text, false);
	if (of->recipe.writing == AS_BASE64)
		return see_base64(text);
	return *text == '\0' || strlen(text) > MOST_BYTES ? NULL : text;
}

static uint64
hash_piece(const char *bytes, int n)
{
	return DatumGetUInt64(
		hash_any_extended((const unsigned char *) bytes, n, 0));
}

/* Sorts the values as the recipe sees them. */
static void
sort_seen(Published *of)
{
	MemoryContext before = MemoryContextSwitchTo(of->passing);
	int32 i;

	of->sorted = 0;
	memset(of->length, 0, sizeof(of->length));
	for (i = 0; i < of->values; i++)
	{
		char *value = see(of, text_of_value(of, i));

		if (value != NULL && strlen(value) <= MOST_BYTES)
		{
			of->length[strlen(value)] = true;
			of->hash[of->sorted] = hash_piece(value, (int) strlen(value));
			of->rank[of->sorted++] = i;
		}
		if (i % 1024 == 0)
			MemoryContextReset(of->passing);
		CHECK_FOR_INTERRUPTS();
	}
	MemoryContextSwitchTo(before);
	MemoryContextReset(of->passing);
	sdc_sort_keys(of->host, of->hash, of->rank, (size_t) of->sorted);
}

/* The value that is this piece of a text, or -1. */
static int32
find_piece(const Published *of, const char *piece, int n)
{
	SdcCandidateKeys keys = {of->sorted, of->hash};
	uint64 wanted = hash_piece(piece, n);
	int32 at =
		of->length[n] ? sdc_candidate_range_below(&keys, wanted) : of->sorted;

	return at < of->sorted && of->hash[at] == wanted ? of->rank[at] : -1;
}

/* The value that the recipe makes of a row: the longest piece that there is;
 * -1: none; NO_TEXT: the row has no text. */
static int32
rank_of_row(const Published *of, const KeyValues *file, int32 row)
{
	const Recipe *recipe = &of->recipe;
	MemoryContext before = MemoryContextSwitchTo(of->passing);
	char *text = text_of_row(of, file, row);
	char *written = text == NULL ? NULL : write_text(recipe, text);
	int32 rank = text == NULL ? NO_TEXT : -1;

	if (written != NULL)
	{
		int n = (int) strlen(written) - recipe->offset;
		int most = Min(n, MOST_BYTES);

		if (recipe->writing == AS_NUMBER)
			rank = n <= MOST_BYTES ? find_piece(of, written, n) : -1;
		else
			for (; most > 0 && rank < 0; most--)
				rank = find_piece(
					of,
					written + (recipe->from_end ? n - most : recipe->offset),
					most);
	}
	MemoryContextSwitchTo(before);
	MemoryContextReset(of->passing);
	return rank;
}

/* ---- Which recipe it is. ---- */

/* The rank of the record of a link. */
static inline int32
rank_of_link(const Published *of, int32 person)
{
	return of->record[of->transparency->partner[person]];
}

/*
 * The share of the links that the recipe explains; 0: too few have any, or the
 * masked keys explain as many, so that it tells no more than these.
 */
static double
agreed(const Published *of)
{
	int tried = 0;
	int right = 0;
	int shown = 0;
	int k;

	for (k = 0; k < of->links; k++)
	{
		int32 person = of->link[k];
		int32 rank = rank_of_row(of, of->known, person);

		CHECK_FOR_INTERRUPTS();
		if (rank == NO_TEXT)
			continue;
		right += rank == rank_of_link(of, person);
		shown +=
			rank_of_row(of, of->masked, of->transparency->partner[person]) ==
			rank_of_link(of, person);
		tried++;
	}
	return tried < FIRST_LINKS || shown >= right ? 0 : (double) right / tried;
}

/* Where pieces lie in what is written of the first links. */
typedef struct Places
{
	int from_start[MOST_BYTES];
	int from_end[MOST_BYTES];
	int most;
} Places;

/* Counts where a value is in what was written of its key. */
static void
count_places(Places *places, const char *written, const char *value)
{
	int n = (int) strlen(value);
	const char *at = written;
	int whole = (int) strlen(written);

	while ((at = strstr(at, value)) != NULL)
	{
		int start = (int) (at - written);
		int end = whole - start - n;

		if (start < MOST_BYTES)
			places->most = Max(places->most, ++places->from_start[start]);
		if (end < MOST_BYTES)
			places->most = Max(places->most, ++places->from_end[end]);
		at++;
	}
}

/* The place that most of the first links have, nearest to the start. */
static void
choose_place(const Places *places, Recipe *recipe)
{
	int i;

	for (i = 0; i < MOST_BYTES; i++)
		if (places->from_start[i] == places->most ||
			places->from_end[i] == places->most)
		{
			recipe->from_end = places->from_start[i] != places->most;
			recipe->offset = i;
			return;
		}
}

/* Is the value a piece of what the recipe writes, always at one place? */
static bool
find_place(Published *of)
{
	Places *places = palloc0(sizeof(Places));
	int k;

	of->recipe.offset = 0;
	for (k = 0; k < of->firsts; k++)
	{
		char *value = see(of, of->first_value[k]);
		char *written = write_text(&of->recipe, of->first_text[k]);

		if (value != NULL && written != NULL)
			count_places(places, written, value);
		if (places->most + MAY_FAIL <= k)
			return false;
	}
	choose_place(places, &of->recipe);
	return true;
}

static int64
greatest_divisor(int64 a, int64 b)
{
	while (b != 0)
	{
		int64 rest = a % b;

		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

/* Is the value a number that the recipe makes, or what is left of it after a
 * division?  By what divides all that is missing. */
static bool
find_modulus(Published *of)
{
	Recipe *recipe = &of->recipe;
	int64 divisor = 0;
	int64 most = 0;
	int k;

	recipe->offset = 0;
	recipe->modulus = 0;
	for (k = 0; k < of->firsts; k++)
	{
		char *value = see(of, of->first_value[k]);
		char *written = write_text(recipe, of->first_text[k]);
		int64 left;
		int64 number;
		int64 taken;

		if (value == NULL || written == NULL || !read_number(value, &left) ||
			!read_number(written, &number) ||
			pg_sub_s64_overflow(number, left, &taken))
			return false;
		divisor = greatest_divisor(divisor, taken);
		most = Max(most, left < 0 ? -left : left);
		if (divisor > 0 && divisor <= most)
			return false;
	}
	recipe->modulus = divisor;
	return true;
}

/* Takes the texts of ten links spread over the file, of those that have the
 * keys; false: too few. */
static bool
take_texts(Published *of)
{
	MemoryContext before = MemoryContextSwitchTo(of->texts);
	int step = of->links / FIRST_LINKS;
	int k;

	MemoryContextReset(of->texts);
	of->firsts = 0;
	for (k = 0; k < step * FIRST_LINKS && of->firsts < FIRST_LINKS; k++)
	{
		int32 person = of->link[k % FIRST_LINKS * step + k / FIRST_LINKS];
		char *text = text_of_row(of, of->known, person);

		if (text == NULL)
			continue;
		of->first_text[of->firsts] = text;
		of->first_value[of->firsts++] =
			text_of_value(of, rank_of_link(of, person));
	}
	MemoryContextSwitchTo(before);
	return of->firsts == FIRST_LINKS;
}

/* Do the first links follow the recipe in some place?  Sets the rest of it. */
static bool
begins_well(Published *of)
{
	MemoryContext before = MemoryContextSwitchTo(of->passing);
	bool well =
		of->recipe.writing == AS_NUMBER ? find_modulus(of) : find_place(of);

	MemoryContextSwitchTo(before);
	MemoryContextReset(of->passing);
	CHECK_FOR_INTERRUPTS();
	return well;
}

/* The share that agrees where the first links do. */
static double
try_recipe(Published *of)
{
	double share;

	if (!begins_well(of))
		return 0;
	sort_seen(of);
	share = agreed(of);
	return share >= LEAST_AGREED ? share : 0;
}

/* Tries all numbers of the text or digest. */
static double
try_numbers(Published *of)
{
	Recipe *recipe = &of->recipe;
	bool hashed = recipe->digest == 0 && recipe->keys > 1;
	int numbers = recipe->digest > 0 ? DIGEST_NUMBERS
				  : hashed           ? HASHED_TO
									 : TEXT_NUMBERS;
	double share = 0;

	for (recipe->number = hashed ? HASHED_FROM : 0; recipe->number < numbers;
		 recipe->number++)
		for (recipe->absolute = false;; recipe->absolute = true)
		{
			share = try_recipe(of);
			if (share > 0)
				return share;
			if (recipe->absolute)
				break;
		}
	return 0;
}

/* Tries everything with the keys of the recipe. */
static double
try_keys(Published *of)
{
	Recipe *recipe = &of->recipe;
	int forms = forms_of(of, recipe);
	double share = 0;
	int writing;

	for (recipe->form = 0; recipe->form < forms; recipe->form++)
	{
		if (!take_texts(of))
			return 0;
		for (recipe->digest = 0; recipe->digest < (int) lengthof(digests);
			 recipe->digest++)
			for (writing = AS_TEXT; writing < WRITINGS; writing++)
			{
				if (recipe->keys > 1
						? !of->is_long[writing]
						: writing == AS_TEXT && recipe->digest > 0)
					continue;
				recipe->from_end = false;
				recipe->writing = (Writing) writing;
				share =
					writing == AS_NUMBER ? try_numbers(of) : try_recipe(of);
				if (share > 0)
					return share;
			}
	}
	return 0;
}

/* Tries keys one by one, then two of them in each order, then all. */
static double
try_all(Published *of)
{
	Recipe *recipe = &of->recipe;
	double share = 0;
	int a;
	int b;

	memset(recipe, 0, sizeof(*recipe));
	recipe->keys = 1;
	for (a = 0; a < of->keys && share == 0; a++)
	{
		recipe->key[0] = a;
		share = try_keys(of);
	}
	if (of->keys > JOINED_KEYS)
		return share;
	for (recipe->glue = 0; recipe->glue < (int) lengthof(glues) && share == 0;)
	{
		recipe->keys = 2;
		for (a = 0; a < of->keys && share == 0; a++)
			for (b = 0; b < of->keys && share == 0; b++)
			{
				recipe->key[0] = a;
				recipe->key[1] = b;
				share = a == b ? 0 : try_keys(of);
			}
		recipe->keys = of->keys;
		for (a = 0; a < of->keys; a++)
			recipe->key[a] = share == 0 ? a : recipe->key[a];
		if (share == 0 && of->keys > 2)
			share = try_keys(of);
		if (share == 0)
			recipe->glue++;
	}
	return share;
}

/* Chooses links all over the file; false: too few, or most are alike. */
static bool
choose_links(Published *of)
{
	const SdcTransparency *transparency = of->transparency;
	int32 rows = transparency->original.frame->rows;
	int alike = 0;
	int most = 0;
	int k;
	int j;
	int32 n;

	of->links = 0;
	for (n = 0; n < rows && of->links < TRIED_LINKS; n++)
	{
		/* in no order that a pattern in the file could have */
		int32 i = (int32) ((uint64) n * SCATTER % (uint64) rows);

		if (transparency->partner[i] >= 0 &&
			of->record[transparency->partner[i]] >= 0)
			of->link[of->links++] = i;
	}
	for (k = 0; k < of->links; k++)
	{
		alike = 0;
		for (j = 0; j < of->links; j++)
			alike +=
				rank_of_link(of, of->link[j]) == rank_of_link(of, of->link[k]);
		most = Max(most, alike);
	}
	return of->links >= FIRST_LINKS && most <= MOST_ALIKE * of->links;
}

/* Which writings could be of joined keys: most first links are that long. */
static void
find_long(Published *of)
{
	MemoryContext before = MemoryContextSwitchTo(of->passing);
	int writing;
	int k;

	memset(&of->recipe, 0, sizeof(of->recipe));
	of->recipe.digest = 1;
	for (writing = AS_TEXT; writing < WRITINGS; writing++)
	{
		int many = 0;

		of->recipe.writing = (Writing) writing;
		for (k = 0; k < FIRST_LINKS; k++)
		{
			char *value =
				see(of, text_of_value(of, rank_of_link(of, of->link[k])));

			many += value != NULL && strlen(value) >= LEAST_LONG;
		}
		of->is_long[writing] =
			writing != AS_TEXT && many >= FIRST_LINKS - MAY_FAIL;
	}
	MemoryContextSwitchTo(before);
	MemoryContextReset(of->passing);
}

/* How many bytes all values begin and end with. */
static void
find_common(Published *of)
{
	MemoryContext before = MemoryContextSwitchTo(of->passing);
	char *first = text_of_value(of, 0);
	int length = (int) strlen(first);
	int shortest = length;
	int32 i;

	of->prefix = of->suffix = length;
	for (i = 1; i < of->values; i++)
	{
		char *text = text_of_value(of, i);
		int n = (int) strlen(text);
		int k;

		CHECK_FOR_INTERRUPTS();
		shortest = Min(shortest, n);
		for (k = 0; k < of->prefix && text[k] == first[k];)
			k++;
		of->prefix = k;
		for (k = 0; k < Min(of->suffix, n) &&
					text[n - 1 - k] == first[length - 1 - k];)
			k++;
		of->suffix = k;
		pfree(text);
	}
	of->suffix = Min(of->suffix, shortest - of->prefix);
	MemoryContextSwitchTo(before);
	MemoryContextReset(of->passing);
}

/* A term for a column that is computed from keys, if one is. */
static bool
add_computed(SdcLikelihoodTerms *terms, Published *of)
{
	int32 rows = of->transparency->original.frame->rows;
	double share;
	int32 *person;
	int32 i;

	find_common(of);
	find_long(of);
	of->hash = sdc_new(of->host, uint64, (Size) of->values + 1);
	of->rank = sdc_new(of->host, int32, (Size) of->values + 1);
	share = try_all(of);
	if (share > 0)
	{
		person = sdc_new(of->host, int32, (Size) rows + 1);
		for (i = 0; i < rows; i++)
		{
			person[i] = Max(rank_of_row(of, of->known, i), -1);
			CHECK_FOR_INTERRUPTS();
		}
		sdc_intruder_add_pram(terms->intruder,
							  Min(share, 1 - SDC_INTRUDER_ERROR), person,
							  of->record, of->values, 1);
		of->host->release(of->host, person);
	}
	of->host->release(of->host, of->hash);
	of->host->release(of->host, of->rank);
	return share > 0;
}

/* ---- Keys that a text names. ---- */

/* The hash of some words of a text, whatever stands between them. */
static uint64
hash_words(const Words *words, int first, int count)
{
	uint64 hash = 0;
	int i;

	for (i = first; i < first + count; i++)
		hash = DatumGetUInt64(hash_any_extended(
			(const unsigned char *) words->text + words->start[i],
			words->length[i], hash));
	return hash;
}

/* That of a key, of its last word alone or of all; 0: it has too little. */
static uint64
hash_key(const KeyValues *of, int32 row, bool last)
{
	char *text = text_of_key(of, row, 0);
	Words words;
	int letters = 0;
	int first;
	int i;

	split_words(text == NULL ? "" : text, true, &words);
	first = last ? Max(words.count - 1, 0) : 0;
	for (i = first; i < words.count; i++)
		letters += words.length[i];
	if (letters < LEAST_KEY || words.count - first > WORDS_OF_KEY)
		return 0;
	return hash_words(&words, first, words.count - first);
}

/* The place, among sorted hashes, of the first of them that a text has, the
 * longest one where several begin; -1: none. */
static int32
named_in(const char *text, const uint64 *hash, int32 count)
{
	Words words;
	int first;
	int n;

	split_words(text, true, &words);
	for (first = 0; first < words.count; first++)
		for (n = Min(WORDS_OF_KEY, words.count - first); n > 0; n--)
		{
			uint64 key = hash_words(&words, first, n);
			int32 at = (int32) sdc_sort_keys_below(hash, count, key);

			if (at < count && hash[at] == key)
				return at;
		}
	return -1;
}

/* Do texts name the persons of their links by a key, beyond chance and the
 * masked key? */
static bool
is_named(Published *of, int key, bool last)
{
	int named = 0;
	int usual = 0;
	int k;

	for (k = 0; k < of->links; k++)
	{
		int32 person = of->link[k];
		uint64 hash = hash_key(&of->known[key], person, last);
		const char *own = text_of_value(of, rank_of_link(of, person));
		const char *other =
			text_of_value(of, rank_of_link(of, of->link[(k + 1) % of->links]));

		if (hash == 0)
			continue;
		if (named_in(own, &hash, 1) >= 0)
		{
			named++;
			usual += hash == hash_key(&of->masked[key],
									  of->transparency->partner[person], last);
		}
		usual += named_in(other, &hash, 1) >= 0;
	}
	return named >= LEAST_NAMED && named - usual >= LEAST_BEYOND * named;
}

/* The different hashes of a key, ascending, and which one each person has. */
static int32
number_keys(const Published *of, int key, bool last, uint64 *hash,
			int32 *person)
{
	int32 rows = of->transparency->original.frame->rows;
	int32 *row = sdc_new(of->host, int32, (Size) rows + 1);
	int32 known = 0;
	int32 count = 0;
	int32 i;

	for (i = 0; i < rows; i++)
	{
		person[i] = -1;
		hash[known] = hash_key(&of->known[key], i, last);
		row[known] = i;
		known += hash[known] != 0;
		if (i % SDC_POLL_STEPS == 0)
			MemoryContextReset(of->passing);
		CHECK_FOR_INTERRUPTS();
	}
	sdc_sort_keys(of->host, hash, row, (size_t) known);
	for (i = 0; i < known; i++)
	{
		if (i == 0 || hash[i] != hash[count - 1])
			hash[count++] = hash[i];
		person[row[i]] = count - 1;
	}
	of->host->release(of->host, row);
	return count;
}

/* Whom each record names, and how often the links are right. */
static double
number_named(const Published *of, const uint64 *hash, int32 count,
			 const int32 *person, int32 *record)
{
	const SdcTransparency *transparency = of->transparency;
	int32 rows = transparency->masked.frame->rows;
	int32 *value = sdc_new(of->host, int32, (Size) of->values + 1);
	int right = 0;
	int named = 0;
	int32 i;

	for (i = 0; i < of->values; i++)
	{
		value[i] = named_in(text_of_value(of, i), hash, count);
		if (i % SDC_POLL_STEPS == 0)
			MemoryContextReset(of->passing);
		CHECK_FOR_INTERRUPTS();
	}
	for (i = 0; i < rows; i++)
		record[i] = of->record[i] < 0 ? -1 : value[of->record[i]];
	for (i = 0; i < of->links; i++)
	{
		int32 told = record[transparency->partner[of->link[i]]];

		named += told >= 0;
		right += told >= 0 && told == person[of->link[i]];
	}
	of->host->release(of->host, value);
	return named > 0 ? (double) right / named : 0;
}

/* A term for a column of texts that name persons by one of their keys. */
static bool
add_named(SdcLikelihoodTerms *terms, Published *of)
{
	const SdcTransparency *transparency = of->transparency;
	SdcHost *host = of->host;
	Size rows = (Size) transparency->original.frame->rows + 1;
	MemoryContext before;
	uint64 *hash;
	int32 *person;
	int32 *record;
	int32 count = 0;
	double share = 0;
	int tried;

	if (of->dictionary == NULL)
		return false;
	hash = sdc_new(host, uint64, rows);
	person = sdc_new(host, int32, rows);
	record = sdc_new(host, int32, (Size) transparency->masked.frame->rows + 1);
	before = MemoryContextSwitchTo(of->passing);
	for (tried = 0; tried < 2 * of->keys && share < LEAST_BEYOND; tried++)
		if (is_named(of, tried / 2, tried % 2))
		{
			count = number_keys(of, tried / 2, tried % 2, hash, person);
			share = number_named(of, hash, count, person, record);
		}
	MemoryContextSwitchTo(before);
	MemoryContextReset(of->passing);
	if (share >= LEAST_BEYOND)
		sdc_intruder_add_pram(terms->intruder,
							  Min(share, 1 - SDC_INTRUDER_ERROR), person,
							  record, count, 1);
	host->release(host, hash);
	host->release(host, person);
	host->release(host, record);
	return share >= LEAST_BEYOND;
}

/* Reads a column: numbers are ranked. */
static void
read_column(Published *of, int k)
{
	const SdcTransparency *transparency = of->transparency;
	const SdcFrame *frame = transparency->masked.frame;
	int field = transparency->released_field[k];
	double *number;
	uint64 *key;
	int32 *row;
	int32 *code;
	int32 known = 0;
	int32 i;

	of->dictionary = transparency->released_dictionary[k];
	of->record = frame->column[field].code;
	if (of->dictionary != NULL)
	{
		of->values = sdcpg_dictionary_values(of->dictionary);
		return;
	}
	number = sdcpg_likelihood_numbers(of->host, &transparency->masked, field);
	key = sdc_new(of->host, uint64, (Size) frame->rows + 1);
	row = sdc_new(of->host, int32, (Size) frame->rows + 1);
	code = sdc_new(of->host, int32, (Size) frame->rows + 1);
	for (i = 0; i < frame->rows; i++)
	{
		code[i] = -1;
		/* beyond, not each whole number is one */
		if (!(fabs(number[i]) < 9e15))
			continue;
		key[known] = sdc_sort_key(number[i]);
		row[known++] = i;
	}
	sdc_sort_keys(of->host, key, row, (size_t) known);
	of->values = 0;
	of->number = sdc_new(of->host, double, (Size) known + 1);
	for (i = 0; i < known; i++)
	{
		if (i == 0 || key[i] != key[i - 1])
			of->number[of->values++] = number[row[i]];
		code[row[i]] = of->values - 1;
	}
	of->record = code;
	of->host->release(of->host, number);
	of->host->release(of->host, key);
	of->host->release(of->host, row);
}

/* Gives back what was read of a column. */
static void
drop_column(Published *of)
{
	if (of->dictionary != NULL)
		return;
	of->host->release(of->host, of->number);
	of->host->release(of->host, (void *) of->record);
}

/* The keys as both files have them. */
static void
read_keys(Published *of)
{
	const SdcTransparency *transparency = of->transparency;
	const SdcRelationColumns *keys = &transparency->keys;
	int numbers = 0;
	int texts = 0;
	int i;

	of->keys = keys->count;
	of->known = palloc0(sizeof(KeyValues) * (keys->count + 1));
	of->masked = palloc0(sizeof(KeyValues) * (keys->count + 1));
	for (i = 0; i < keys->count; i++)
	{
		const SdcRelationColumn *key = &keys->column[i];
		int32 modifier;
		Oid type;
		Oid collation;

		get_atttypetypmodcoll(transparency->original.relation->oid,
							  key->number, &type, &modifier, &collation);
		(void) getBaseTypeAndTypmod(type, &modifier);
		of->known[i].column =
			&transparency->original.frame
				 ->column[sdcpg_number_is(key->base)
							  ? transparency->known_field[numbers++]
							  : transparency->told_field[texts++]];
		of->known[i].base = key->base;
		of->known[i].scale =
			key->base == NUMERICOID && modifier >= (int32) VARHDRSZ
				? Min((modifier - (int32) VARHDRSZ) & 0x3FF, 15)
				: -1;
		of->masked[i] = of->known[i];
		of->masked[i].column =
			&transparency->masked.frame->column[transparency->shown_field[i]];
	}
}

/* Is it one of several numbers that the text of a column has?  They follow
 * what shows the whole text. */
static bool
is_part(const SdcTransparency *transparency, int which)
{
	int k;

	for (k = 0; k < which; k++)
		if (transparency->released_dictionary[k] != NULL &&
			transparency->released_dictionary[which] == NULL &&
			transparency->released_name[k] ==
				transparency->released_name[which])
			return true;
	return false;
}

/* Is it of a column, or a place in a document, that is computed as a whole? */
static inline bool
is_of_whole(const SdcTransparency *transparency, List *whole, int which)
{
	return list_member_ptr(whole, transparency->released_name[which]) ||
		   list_member_ptr(whole, transparency->released_column[which]);
}

/* Takes away what is dropped, and all that columns show that are computed as
 * a whole. */
static void
drop_computed(SdcTransparency *transparency, const bool *dropped, List *whole)
{
	int left = 0;
	int k;

	for (k = 0; k < transparency->released; k++)
	{
		if (dropped[k] || is_of_whole(transparency, whole, k))
			continue;
		transparency->released_column[left] = transparency->released_column[k];
		transparency->released_name[left] = transparency->released_name[k];
		transparency->released_field[left] = transparency->released_field[k];
		transparency->released_dictionary[left++] =
			transparency->released_dictionary[k];
	}
	transparency->released = left;
}

List *
sdcpg_likelihood_add_computed(SdcLikelihoodTerms *terms, bool *told)
{
	SdcTransparency *transparency = &terms->transparency;
	Published of = {.host = terms->host, .transparency = transparency};
	bool *dropped = palloc0(sizeof(bool) * (transparency->released + 1));
	List *names = NIL;
	List *whole = NIL;
	int k;

	terms->host->stage(terms->host, "computing from keys");
	read_keys(&of);
	of.passing = AllocSetContextCreate(CurrentMemoryContext, "sdc computed",
									   ALLOCSET_SMALL_SIZES);
	of.texts = AllocSetContextCreate(CurrentMemoryContext, "sdc texts",
									 ALLOCSET_SMALL_SIZES);
	for (k = 0; k < transparency->released &&
				sdc_intruder_has_room(terms->intruder, 1, 0);
		 k++)
	{
		char *name = unconstify(char *, transparency->released_name[k]);

		if (is_of_whole(transparency, whole, k))
			continue;
		read_column(&of, k);
		if (choose_links(&of))
		{
			dropped[k] = add_computed(terms, &of);
			told[k] = dropped[k] || add_named(terms, &of);
		}
		drop_column(&of);
		if (told[k])
			names = list_append_unique_ptr(names, name);
		if (dropped[k] && !is_part(transparency, k))
			whole = lappend(whole, name);
	}
	drop_computed(transparency, dropped, whole);
	MemoryContextDelete(of.passing);
	MemoryContextDelete(of.texts);
	return names;
}
