/*
 * likelihood_spelled.c
 *		Texts of keys, and columns that spell them: a term of the likelihood
 *		for each.
 *
 * A text names a person who has a key of which it has the words.  A number is
 * a key's, in some of the rows.  A code is put together of pieces of keys, as
 * one of initials and a date of birth is: at each place it has a character
 * that a key has at some place of it.
 */
#include "postgres.h"

#include <ctype.h>
#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "host/server/host.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/intruder.h"
#include "topic/attack/likelihood_texts.h"

/* Words of a text that are read, and of a key, and its letters at least. */
#define MOST_WORDS   64
#define WORDS_OF_KEY 5
#define LEAST_KEY    4

/* Of the links that are tried so many name the person at least, and such a
 * part of these is neither chance nor told by the masked key. */
#define LEAST_NAMED  10
#define LEAST_BEYOND 0.5

/* Of numbers that are copied, so many may also be others' or masked ones. */
#define MOST_USUAL 0.05

/* Characters of a code, and of a key, from the start and from the end, that
 * are compared; 0: there is none. */
#define MOST_PLACES 40

/* How many of the links that are compared first may differ. */
#define MAY_FAIL 1

/* The share of the links that has to agree in all characters. */
#define LEAST_SPELLED 0.8

/* How dates and texts are written: N are days since 2000, y two digits. */
static const char *const date_forms[] = {"Y-M-D", "YMD", "D.M.Y", "D/M/Y",
										 "M/D/Y", "DMY", "N",     "yMD",
										 "DMy",   "Y",   "YM",    "Y-M"};

/* Numbers are as they are, their digits alone, or, where they need not be
 * whole, the nearest whole number or what stands before the point. */
#define NUMBER_FORMS 4
#define WHOLE_FORMS  2

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
form_of_words(const char *s, SdcTextForm form)
{
	bool small = form != SDC_WORD_LAST && form != SDC_WORD_FIRST &&
				 form != SDC_WORDS_INITIALS;
	StringInfoData of;
	Words words;
	int last;
	int i;

	initStringInfo(&of);
	split_words(s, small, &words);
	last = words.count - 1;
	for (i = 0; i <= last; i++)
	{
		bool is_last = form == SDC_WORD_LAST || form == SDC_WORD_LAST_SMALL;
		bool is_first = form == SDC_WORD_FIRST || form == SDC_WORD_FIRST_SMALL;

		if ((is_last && i < last) || (is_first && i > 0) ||
			(form == SDC_WORD_INITIAL_LAST && i > 0 && i < last))
			continue;
		if (form == SDC_WORDS_POINTED && i > 0)
			appendStringInfoChar(&of, '.');
		append_word(&of, &words, i,
					form == SDC_WORDS_INITIALS ||
						(form == SDC_WORD_INITIAL_LAST && i < last));
	}
	return of.data;
}

/* The sounds of a text as PostgreSQL's fuzzystrmatch writes them. */
static char *
form_of_sounds(char *text)
{
	static const char sound[] = "01230120022455012623010202";
	char *code = pstrdup("0000");
	char before = 0;
	int n = 0;

	for (; *text != '\0' && n < 4; text++)
	{
		char letter = (char) pg_ascii_toupper((unsigned char) *text);
		bool is_letter = letter >= 'A' && letter <= 'Z';
		char now = is_letter ? sound[letter - 'A'] : letter;

		if (is_letter && (n == 0 || (now != before && now != '0')))
			code[n] = n == 0 ? letter : now;
		n += is_letter && (n == 0 || (now != before && now != '0'));
		before = now;
	}
	return n == 0 ? pstrdup("") : code;
}

char *
sdcpg_likelihood_form(const char *s, SdcTextForm form)
{
	char *kept;
	char *to;

	if (form == SDC_TEXT_SMALL || form == SDC_TEXT_CAPITALS)
		return in_case(s, form == SDC_TEXT_SMALL ? lower : upper);
	if (form == SDC_WORD_LAST_SOUNDEX)
		return form_of_sounds(form_of_words(s, SDC_WORD_LAST));
	if (form >= SDC_WORD_LAST)
		return form_of_words(s, form);
	if (form == SDC_TEXT_SOUNDEX)
		return form_of_sounds(pstrdup(s));
	kept = pstrdup(s);
	if (form == SDC_TEXT_ITSELF)
		return kept;
	for (to = kept; *s != '\0'; s++)
		if (isdigit((unsigned char) *s) ||
			(form == SDC_TEXT_LETTERS &&
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
		else if (*letter == 'y')
			appendStringInfo(&date, "%02d", year % 100);
		else if (*letter == 'M' || *letter == 'D')
			appendStringInfo(&date, "%02d", *letter == 'M' ? month : day);
		else if (*letter == 'N')
			appendStringInfo(&date, "%.0f", days);
		else
			appendStringInfoChar(&date, *letter);
	return date.data;
}

/* A number in one of its forms. */
static char *
form_of_number(const SdcKeyTexts *of, double x, int form)
{
	char *number;

	/* a whole number has no -0 */
	if (form >= WHOLE_FORMS)
		return psprintf("%.0f",
						(form == WHOLE_FORMS ? rint(x) : trunc(x)) + 0.0);
	if (of->scale >= 0)
		number = psprintf("%.*f", of->scale, x);
	else if (x == rint(x))
		number = psprintf("%.0f", x);
	else
		number = DatumGetCString(
			of->base == FLOAT4OID
				? DirectFunctionCall1(float4out, Float4GetDatum((float4) x))
				: DirectFunctionCall1(float8out, Float8GetDatum(x)));
	return form == 0 ? number : sdcpg_likelihood_form(number, SDC_TEXT_DIGITS);
}

char *
sdcpg_likelihood_key_text(const SdcKeyTexts *of, int32 row, int form)
{
	const SdcFrameColumn *column = of->column;
	double x;

	if (column->dictionary != NULL)
		return column->code[row] < 0
				   ? NULL
				   : sdcpg_likelihood_form(
						 sdcpg_dictionary_text(column->dictionary,
											   column->code[row]),
						 form);
	if (column->isnull[row] || !(fabs(column->number[row]) < 1e15))
		return NULL;
	x = column->number[row];
	if (of->base == DATEOID)
		return fabs(x) < 1e6 ? form_of_date(x, form) : NULL;
	return form_of_number(of, x, form);
}

int
sdcpg_likelihood_forms(const SdcKeyTexts *key)
{
	if (key->column->dictionary != NULL)
		return SDC_TEXT_FORMS;
	if (key->base == DATEOID)
		return (int) lengthof(date_forms);
	return key->base == INT2OID || key->base == INT4OID ||
				   key->base == INT8OID || key->scale == 0
			   ? WHOLE_FORMS
			   : NUMBER_FORMS;
}

char *
sdcpg_likelihood_value_text(const SdcLikelihoodShown *of, int32 rank)
{
	if (of->dictionary != NULL)
		return sdcpg_dictionary_text(of->dictionary, rank);
	if (of->number[rank] == rint(of->number[rank]))
		return psprintf("%.0f", of->number[rank]);
	return DatumGetCString(
		DirectFunctionCall1(float8out, Float8GetDatum(of->number[rank])));
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
hash_key(const SdcKeyTexts *of, int32 row, bool last)
{
	char *text = sdcpg_likelihood_key_text(of, row, 0);
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
is_named(SdcLikelihoodShown *of, int key, bool last)
{
	int named = 0;
	int usual = 0;
	int k;

	for (k = 0; k < of->links; k++)
	{
		int32 person = of->link[k];
		uint64 hash = hash_key(&of->known[key], person, last);
		const char *own = sdcpg_likelihood_value_text(
			of, sdcpg_likelihood_link_rank(of, person));
		const char *other = sdcpg_likelihood_value_text(
			of, sdcpg_likelihood_link_rank(of, of->link[(k + 1) % of->links]));

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
number_keys(const SdcLikelihoodShown *of, int key, bool last, uint64 *hash,
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
number_named(const SdcLikelihoodShown *of, const uint64 *hash, int32 count,
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
		value[i] = named_in(sdcpg_likelihood_value_text(of, i), hash, count);
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
add_named(SdcLikelihoodTerms *terms, SdcLikelihoodShown *of)
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
	{
		sdcpg_likelihood_add_codes(terms, share, person, record, count);
		of->named = (tried - 1) / 2;
	}
	host->release(host, hash);
	host->release(host, person);
	host->release(host, record);
	return share >= LEAST_BEYOND;
}

/* ---- Numbers that are a key's in some of the rows. ---- */

/* The number of a key in a row of its file; NAN: it has none. */
static double
number_of(const SdcKeyTexts *key, int32 row)
{
	return key->column->dictionary != NULL || key->column->isnull[row]
			   ? NAN
			   : key->column->number[row];
}

/*
 * The share of links in which a number is that of a key, as in the greatest of
 * two; 0: it hardly ever is so, or by chance, or as the masked key is.
 */
static double
copied_share(const SdcLikelihoodShown *of, int key)
{
	int copied = 0;
	int usual = 0;
	int k;

	for (k = 0; k < of->links; k++)
	{
		int32 person = of->link[k];
		int32 other = of->link[(k + 1) % of->links];
		double x = number_of(&of->known[key], person);
		bool own = of->number[sdcpg_likelihood_link_rank(of, person)] == x;

		copied += own;
		usual += of->number[sdcpg_likelihood_link_rank(of, other)] == x;
		usual += own && number_of(&of->masked[key],
								  of->transparency->partner[person]) == x;
	}
	return copied < LEAST_NAMED || usual > MOST_USUAL * copied
			   ? 0
			   : (double) copied / of->links;
}

/* Which of the numbers shown each person has in a key, and which records show
 * a person's. */
static void
number_copies(const SdcLikelihoodShown *of, int key, int32 *person,
			  int32 *record)
{
	const SdcTransparency *transparency = of->transparency;
	bool *had = sdc_new(of->host, bool, (Size) of->values + 1);
	int32 i;

	memset(had, 0, of->values);
	for (i = 0; i < transparency->original.frame->rows; i++)
	{
		double x = number_of(&of->known[key], i);

		person[i] =
			isnan(x) ? -1 : (int32) sdc_sort_below(of->number, of->values, x);
		if (person[i] == of->values ||
			(person[i] >= 0 && of->number[person[i]] != x))
			person[i] = -1;
		if (person[i] >= 0)
			had[person[i]] = true;
	}
	for (i = 0; i < transparency->masked.frame->rows; i++)
		record[i] =
			of->record[i] >= 0 && had[of->record[i]] ? of->record[i] : -1;
	of->host->release(of->host, had);
}

/* A term for each key that a column of numbers has copies of. */
static bool
add_copied(SdcLikelihoodTerms *terms, const SdcLikelihoodShown *of)
{
	const SdcTransparency *transparency = of->transparency;
	int32 *person;
	int32 *record;
	bool found = false;
	int key;

	if (of->dictionary != NULL)
		return false;
	person = sdc_new(of->host, int32, transparency->original.frame->rows + 1);
	record = sdc_new(of->host, int32, transparency->masked.frame->rows + 1);
	for (key = 0; key < of->keys; key++)
	{
		double share = copied_share(of, key);

		if (share == 0 || !sdc_intruder_has_room(terms->intruder, 1, 0))
			continue;
		number_copies(of, key, person, record);
		sdcpg_likelihood_add_codes(terms, share, person, record, of->values);
		found = true;
	}
	of->host->release(of->host, person);
	of->host->release(of->host, record);
	return found;
}

/* ---- Codes that are put together of pieces of keys. ---- */

/* Where a character of a code is taken from; the form is -1: nowhere. */
typedef struct Piece
{
	int key;
	int form;
	int place; /* from the start, or negative: from the end */
} Piece;

/* By place, those counted from the start first, then those from the end. */
typedef struct Code
{
	Piece piece[2 * MOST_PLACES];
} Code;

/* A character of a text, small, or 0; -1 is the last place. */
static char
character_at(const char *text, int place)
{
	int length = (int) strlen(text);
	int at = place < 0 ? length + place : place;

	return at < 0 || at >= length
			   ? '\0'
			   : (char) pg_ascii_tolower((unsigned char) text[at]);
}

static inline int
place_of_code(int which)
{
	return which < MOST_PLACES ? which : MOST_PLACES - which - 1;
}

/* The characters that the pieces make of a row of a file; false: a key has no
 * text. */
static bool
spell_row(const Code *code, const SdcKeyTexts *file, int32 row, char *spelled)
{
	const char *text = NULL;
	int key = -1;
	int form = -1;
	int c;

	for (c = 0; c < 2 * MOST_PLACES; c++)
	{
		const Piece *piece = &code->piece[c];

		spelled[c] = '\0';
		if (piece->form < 0)
			continue;
		if (piece->key != key || piece->form != form)
			text =
				sdcpg_likelihood_key_text(&file[piece->key], row, piece->form);
		key = piece->key;
		form = piece->form;
		if (text == NULL)
			return false;
		spelled[c] = character_at(text, piece->place);
	}
	return true;
}

/* Those characters of a text for which there is a piece. */
static void
spell_text(const Code *code, const char *text, char *spelled)
{
	int c;

	for (c = 0; c < 2 * MOST_PLACES; c++)
		spelled[c] = code->piece[c].form < 0
						 ? '\0'
						 : character_at(text, place_of_code(c));
}

/* Does a piece make this character of nearly all links? */
static bool
is_piece(const SdcLikelihoodShown *of, int which, const Piece *piece)
{
	int tried = 0;
	int right = 0;
	int k;

	for (k = 0; k < of->links; k++)
	{
		int32 person = of->link[k];
		char *text = sdcpg_likelihood_key_text(&of->known[piece->key], person,
											   piece->form);
		char *own = sdcpg_likelihood_value_text(
			of, sdcpg_likelihood_link_rank(of, person));

		if (text == NULL)
			continue;
		tried++;
		right += character_at(text, piece->place) ==
				 character_at(own, place_of_code(which));
		if (tried - right > MAY_FAIL + (1 - SDC_LEAST_AGREED) * of->links)
			return false;
	}
	return tried >= SDC_FIRST_LINKS && right >= SDC_LEAST_AGREED * tried;
}

/* By place, the characters that the first links show, and those of the texts
 * of a form of a key. */
typedef struct First
{
	char shown[2 * MOST_PLACES][SDC_FIRST_LINKS];
	char text[2 * MOST_PLACES][SDC_FIRST_LINKS];
} First;

/* Have the first links different characters in a place?  One that all of them
 * share tells nothing. */
static bool
differ(const char *character)
{
	int k;

	for (k = 1; k < SDC_FIRST_LINKS; k++)
		if (character[k] != character[0])
			return true;
	return false;
}

/* May the characters of a text make those of the first links? */
static bool
may_be_piece(const char *shown, const char *text)
{
	int wrong = 0;
	int k;

	for (k = 0; k < SDC_FIRST_LINKS && wrong <= MAY_FAIL; k++)
		wrong += shown[k] != text[k];
	return wrong <= MAY_FAIL && differ(text);
}

/* Looks for a character of the code in one form of a key, from the end of its
 * texts on. */
static bool
find_piece(const SdcLikelihoodShown *of, const First *first, int which,
		   Piece *piece)
{
	int place;

	for (place = -MOST_PLACES; place < MOST_PLACES; place++)
	{
		piece->place = place;
		if (may_be_piece(
				first->shown[which],
				first->text[place < 0 ? MOST_PLACES - place - 1 : place]) &&
			is_piece(of, which, piece))
			return true;
	}
	return false;
}

/* Looks for the characters of the code in one form of a key. */
static int
find_pieces(const SdcLikelihoodShown *of, const First *first, int key,
			int form, Code *code)
{
	int found = 0;
	int which;

	for (which = 0; which < 2 * MOST_PLACES; which++)
	{
		Piece piece = {key, form, 0};

		if (code->piece[which].form >= 0 || !differ(first->shown[which]) ||
			!find_piece(of, first, which, &piece))
			continue;
		code->piece[which] = piece;
		found++;
	}
	return found;
}

/* Takes the first links whose key has a text; false: too few. */
static bool
take_first(const SdcLikelihoodShown *of, int key, int form, First *first)
{
	int links = 0;
	int which;
	int k;

	for (k = 0; k < of->links && links < SDC_FIRST_LINKS; k++)
	{
		int32 person = of->link[k];
		char *text = sdcpg_likelihood_key_text(&of->known[key], person, form);
		char *own = sdcpg_likelihood_value_text(
			of, sdcpg_likelihood_link_rank(of, person));

		for (which = 0; which < 2 * MOST_PLACES && text != NULL; which++)
		{
			first->shown[which][links] =
				character_at(own, place_of_code(which));
			first->text[which][links] =
				character_at(text, place_of_code(which));
		}
		links += text != NULL;
	}
	return links == SDC_FIRST_LINKS;
}

/* Where the characters of a column are taken from; how many are. */
static int
find_code(const SdcLikelihoodShown *of, Code *code)
{
	First first;
	int found = 0;
	int key;
	int form;
	int c;

	for (c = 0; c < 2 * MOST_PLACES; c++)
		code->piece[c].form = -1;
	for (key = 0; key < of->keys; key++)
		for (form = 0; form < sdcpg_likelihood_forms(&of->known[key]); form++)
		{
			CHECK_FOR_INTERRUPTS();
			if (take_first(of, key, form, &first))
				found += find_pieces(of, &first, key, form, code);
			MemoryContextReset(of->passing);
		}
	return found;
}

/* The share of the links that the code tells; 0: most of them are alike, or
 * the masked keys tell as many. */
static double
spelled_share(const SdcLikelihoodShown *of, const Code *code)
{
	char before[2 * MOST_PLACES] = {0};
	char own[2 * MOST_PLACES];
	char known[2 * MOST_PLACES];
	int alike = 0;
	int right = 0;
	int shown = 0;
	int k;

	for (k = 0; k < of->links; k++)
	{
		int32 person = of->link[k];

		spell_text(code,
				   sdcpg_likelihood_value_text(
					   of, sdcpg_likelihood_link_rank(of, person)),
				   own);
		alike += memcmp(own, before, sizeof(own)) == 0;
		memcpy(before, own, sizeof(own));
		right += spell_row(code, of->known, person, known) &&
				 memcmp(own, known, sizeof(own)) == 0;
		shown += spell_row(code, of->masked, of->transparency->partner[person],
						   known) &&
				 memcmp(own, known, sizeof(own)) == 0;
		MemoryContextReset(of->passing);
	}
	return shown >= right || alike > SDC_MOST_ALIKE * of->links
			   ? 0
			   : (double) right / of->links;
}

static uint64
hash_spelled(const char *spelled)
{
	return DatumGetUInt64(hash_any_extended((const unsigned char *) spelled,
											2 * MOST_PLACES, 0));
}

/* The different codes, ascending, and which one each record has. */
static int32
number_codes(const SdcLikelihoodShown *of, const Code *code, uint64 *hash,
			 int32 *record)
{
	int32 rows = of->transparency->masked.frame->rows;
	int32 *value = sdc_new(of->host, int32, (Size) of->values + 1);
	int32 *number = sdc_new(of->host, int32, (Size) of->values + 1);
	char spelled[2 * MOST_PLACES];
	int32 count = 0;
	int32 i;

	for (i = 0; i < of->values; i++)
	{
		spell_text(code, sdcpg_likelihood_value_text(of, i), spelled);
		hash[i] = hash_spelled(spelled);
		value[i] = i;
		MemoryContextReset(of->passing);
		CHECK_FOR_INTERRUPTS();
	}
	sdc_sort_keys(of->host, hash, value, (size_t) of->values);
	for (i = 0; i < of->values; i++)
	{
		if (i == 0 || hash[i] != hash[count - 1])
			hash[count++] = hash[i];
		number[value[i]] = count - 1;
	}
	for (i = 0; i < rows; i++)
		record[i] = of->record[i] < 0 ? -1 : number[of->record[i]];
	of->host->release(of->host, value);
	of->host->release(of->host, number);
	return count;
}

/* The code of each person; -1: no record has it. */
static void
number_persons(const SdcLikelihoodShown *of, const Code *code,
			   const uint64 *hash, int32 count, int32 *person)
{
	int32 rows = of->transparency->original.frame->rows;
	char spelled[2 * MOST_PLACES];
	int32 i;

	for (i = 0; i < rows; i++)
	{
		person[i] = -1;
		if (spell_row(code, of->known, i, spelled))
		{
			uint64 wanted = hash_spelled(spelled);
			int32 at = (int32) sdc_sort_keys_below(hash, count, wanted);

			if (at < count && hash[at] == wanted)
				person[i] = at;
		}
		MemoryContextReset(of->passing);
		CHECK_FOR_INTERRUPTS();
	}
}

/* A term for a column of codes that are put together of pieces of keys. */
static bool
add_code(SdcLikelihoodTerms *terms, SdcLikelihoodShown *of)
{
	const SdcTransparency *transparency = of->transparency;
	SdcHost *host = of->host;
	MemoryContext before = MemoryContextSwitchTo(of->passing);
	double share = 0;
	Code code;

	if (find_code(of, &code) > 0)
		share = spelled_share(of, &code);
	if (share >= LEAST_SPELLED)
	{
		uint64 *hash = sdc_new(host, uint64, (Size) of->values + 1);
		int32 *person = sdc_new(host, int32,
								(Size) transparency->original.frame->rows + 1);
		int32 *record =
			sdc_new(host, int32, (Size) transparency->masked.frame->rows + 1);
		int32 count = number_codes(of, &code, hash, record);

		number_persons(of, &code, hash, count, person);
		MemoryContextSwitchTo(before);
		sdcpg_likelihood_add_codes(terms, share, person, record, count);
		host->release(host, hash);
		host->release(host, person);
		host->release(host, record);
	}
	MemoryContextSwitchTo(before);
	MemoryContextReset(of->passing);
	return share >= LEAST_SPELLED;
}

bool
sdcpg_likelihood_add_spelled(SdcLikelihoodTerms *terms,
							 SdcLikelihoodShown *shown, bool has_words)
{
	return add_named(terms, shown) || add_copied(terms, shown) ||
		   (!has_words && add_code(terms, shown));
}
