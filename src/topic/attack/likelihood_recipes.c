/*
 * likelihood_recipes.c
 *		Recipes by which a released column is computed from keys.
 *
 * A recipe says of which key, or keys, which text is taken, which digest of
 * it, how that is written, and which piece of it is published.  All that are
 * usual are tried at a few links, and those that these follow at more of them.
 */
#include "postgres.h"

#include <math.h>

#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "host/data/dictionary.h"
#include "host/server/host.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/intruder.h"
#include "topic/attack/likelihood_recipes.h"

/* How many of the links that are tried first may fail. */
#define MAY_FAIL 2

/* Characters that a digest of joined keys has at least, also as a number. */
#define LEAST_LONG 8

/* Letters of a text of which each is turned into another one, at least: a
 * shorter one is a category. */
#define LEAST_LETTERS 4

/* Forms of texts, the first ones, of keys that are joined. */
#define JOINED_FORMS 3

/* What is put between keys that are joined; the last is that of a row. */
static const char *const glues[] = {"",  " ", "|", "-", "_", ",",
									":", ";", ".", "/", "("};

/* In how many forms a recipe of these keys may take them. */
static int
forms_of(const SdcPublished *of, const SdcRecipe *recipe)
{
	if (recipe->keys > 1)
		return JOINED_FORMS;
	return sdcpg_likelihood_forms(&of->shown.known[recipe->key[0]]);
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

/* A key, joined with what the own record shows in another column. */
static char *
salted_text(const SdcPublished *of, const SdcKeyTexts *file, int32 row)
{
	const SdcRecipe *recipe = &of->recipe;
	int32 record =
		file == of->shown.known ? of->shown.transparency->partner[row] : row;
	char *key =
		sdcpg_likelihood_key_text(&file[recipe->key[0]], row, recipe->own[0]);
	char *salt = record < 0 ? NULL
							: sdcpg_likelihood_key_text(
								  &of->salt[recipe->salt - 1], record, 0);

	if (key == NULL || salt == NULL)
		return NULL;
	return psprintf("%s%s%s", recipe->salt_first ? salt : key,
					glues[recipe->glue], recipe->salt_first ? key : salt);
}

/* Texts of keys as a recipe joins them, where a key that is NULL is nothing,
 * as concat has it (of what || makes of it no text is published); NULL: all
 * are. */
static char *
join_texts(const SdcRecipe *recipe, char *const *value)
{
	bool as_row = recipe->glue == (int) lengthof(glues) - 1;
	StringInfoData joined;
	bool none = true;
	int k;

	initStringInfo(&joined);
	for (k = 0; k < recipe->keys; k++)
	{
		none = none && value[k] == NULL;
		if (k > 0 || as_row)
			appendStringInfoString(
				&joined, as_row && k > 0 ? "," : glues[recipe->glue]);
		if (value[k] != NULL && as_row)
			append_to_row(&joined, value[k]);
		else if (value[k] != NULL)
			appendStringInfoString(&joined, value[k]);
	}
	if (none)
		return NULL;
	if (as_row)
		appendStringInfoChar(&joined, ')');
	return sdcpg_likelihood_form(joined.data, (SdcTextForm) recipe->form);
}

/* The text that a recipe takes of a row; NULL: there is none. */
static char *
text_of_row(const SdcPublished *of, const SdcKeyTexts *file, int32 row)
{
	const SdcRecipe *recipe = &of->recipe;
	char *value[SDC_RECIPE_KEYS];
	int k;

	if (recipe->salt > 0)
		return salted_text(of, file, row);
	if (recipe->keys == 1)
		return sdcpg_likelihood_key_text(&file[recipe->key[0]], row,
										 recipe->form);
	for (k = 0; k < recipe->keys; k++)
		value[k] = sdcpg_likelihood_key_text(&file[recipe->key[k]], row,
											 recipe->own[k]);
	return join_texts(recipe, value);
}

/* ---- How a value of the column is seen. ---- */

/* A value as the recipe compares it; NULL: it cannot be. */
static inline char *
see(const SdcPublished *of, const char *value)
{
	return sdcpg_written_see(&of->recipe.written, value, of->prefix,
							 of->suffix);
}

uint64
sdcpg_recipe_hash(const char *bytes, int n)
{
	return DatumGetUInt64(
		hash_any_extended((const unsigned char *) bytes, n, 0));
}

/* Sorts the values as the recipe sees them. */
static void
sort_seen(SdcPublished *of)
{
	MemoryContext before = MemoryContextSwitchTo(of->shown.passing);
	int32 i;

	of->sorted = 0;
	memset(of->length, 0, sizeof(of->length));
	for (i = 0; i < of->shown.values; i++)
	{
		char *value = see(of, sdcpg_likelihood_value_text(&of->shown, i));

		if (value != NULL && strlen(value) <= SDC_WRITTEN_BYTES)
		{
			of->length[strlen(value)] = true;
			of->hash[of->sorted] =
				sdcpg_recipe_hash(value, (int) strlen(value));
			of->rank[of->sorted++] = i;
		}
		if (i % 1024 == 0)
			MemoryContextReset(of->shown.passing);
		CHECK_FOR_INTERRUPTS();
	}
	MemoryContextSwitchTo(before);
	MemoryContextReset(of->shown.passing);
	sdc_sort_keys(of->shown.host, of->hash, of->rank, (size_t) of->sorted);
}

/* The value that is this piece of a text, or -1. */
static int32
find_piece(const SdcPublished *of, const char *piece, int n)
{
	SdcCandidateKeys keys = {of->sorted, of->hash};
	uint64 wanted = sdcpg_recipe_hash(piece, n);
	int32 at =
		of->length[n] ? sdc_candidate_range_below(&keys, wanted) : of->sorted;

	return at < of->sorted && of->hash[at] == wanted ? of->rank[at] : -1;
}

int32
sdcpg_recipe_rank(const SdcPublished *of, const SdcKeyTexts *file, int32 row)
{
	const SdcRecipe *recipe = &of->recipe;
	MemoryContext before = MemoryContextSwitchTo(of->shown.passing);
	char *text = text_of_row(of, file, row);
	char *written =
		text == NULL ? NULL : sdcpg_written(&recipe->written, text);
	int32 rank = text == NULL ? SDC_NO_TEXT : -1;

	if (written != NULL)
	{
		int n = (int) strlen(written) - recipe->offset;
		int most = Min(n, SDC_WRITTEN_BYTES);

		if (recipe->written.writing == SDC_AS_NUMBER)
			rank = n <= SDC_WRITTEN_BYTES ? find_piece(of, written, n) : -1;
		else
			for (; most > 0 && rank < 0; most--)
				rank = find_piece(
					of,
					written + (recipe->from_end ? n - most : recipe->offset),
					most);
	}
	MemoryContextSwitchTo(before);
	MemoryContextReset(of->shown.passing);
	return rank;
}

/* ---- Which recipe it is. ---- */

/*
 * The share of the links that the recipe explains; 0: too few have any, or the
 * masked keys explain as many, so that it tells no more than these.
 */
static double
agreed(const SdcPublished *of)
{
	int tried = 0;
	int right = 0;
	int shown = 0;
	int k;

	for (k = 0; k < of->shown.links; k++)
	{
		int32 person = of->shown.link[k];
		int32 rank = sdcpg_recipe_rank(of, of->shown.known, person);

		CHECK_FOR_INTERRUPTS();
		if (rank == SDC_NO_TEXT)
			continue;
		right += rank == sdcpg_likelihood_link_rank(&of->shown, person);
		shown += sdcpg_recipe_rank(of, of->shown.masked,
								   of->shown.transparency->partner[person]) ==
				 sdcpg_likelihood_link_rank(&of->shown, person);
		tried++;
	}
	return tried < SDC_FIRST_LINKS || shown >= right ? 0
													 : (double) right / tried;
}

/* Where pieces lie in what is written of the first links. */
typedef struct Places
{
	int from_start[SDC_WRITTEN_BYTES];
	int from_end[SDC_WRITTEN_BYTES];
	int most;
} Places;

static void
count_place(Places *places, int *times)
{
	++*times;
	places->most = Max(places->most, *times);
}

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

		if (start < SDC_WRITTEN_BYTES)
			count_place(places, &places->from_start[start]);
		if (end < SDC_WRITTEN_BYTES)
			count_place(places, &places->from_end[end]);
		at++;
	}
}

/* The place that most of the first links have, nearest to the start. */
static void
choose_place(const Places *places, SdcRecipe *recipe)
{
	int i;

	for (i = 0; i < SDC_WRITTEN_BYTES; i++)
		if (places->from_start[i] == places->most ||
			places->from_end[i] == places->most)
		{
			recipe->from_end = places->from_start[i] != places->most;
			recipe->offset = i;
			return;
		}
}

/* What is published of the links that are tried first, as it is compared: it
 * is the same for many recipes. */
static char *
see_first(SdcPublished *of, int link)
{
	const SdcWritten *written = &of->recipe.written;
	int way = written->writing + (written->digest > 0 ? SDC_WRITINGS : 0);
	MemoryContext before;
	int k;

	if (written->base > 0)
		return see(of, of->first_value[link]);
	if (!of->is_seen[way])
	{
		before = MemoryContextSwitchTo(of->texts);
		for (k = 0; k < of->firsts; k++)
			of->first_seen[way][k] = see(of, of->first_value[k]);
		MemoryContextSwitchTo(before);
		of->is_seen[way] = true;
	}
	return of->first_seen[way][link];
}

/* Is the value a piece of what the recipe writes, always at one place? */
static bool
find_place(SdcPublished *of)
{
	Places *places = palloc0(sizeof(Places));
	int k;

	of->recipe.offset = 0;
	for (k = 0; k < of->firsts; k++)
	{
		char *value = see_first(of, k);
		char *written =
			value == NULL
				? NULL
				: sdcpg_written_kept(&of->recipe.written, of->first_text[k],
									 &of->first_digested[k]);

		if (written != NULL)
			count_places(places, written, value);
		if (places->most + MAY_FAIL <= k)
			return false;
	}
	choose_place(places, &of->recipe);
	return true;
}

/* The number that the recipe makes of a link that is tried first. */
static inline bool
number_of_first(SdcPublished *of, int link, int64 *number)
{
	return sdcpg_written_number(&of->recipe.written, of->first_text[link],
								&of->first_digested[link], number);
}

/* Is the value a number that the recipe makes, or what is left of it after a
 * division? */
static bool
find_modulus(SdcPublished *of)
{
	SdcWritten *written = &of->recipe.written;
	SdcRemainder remainder = {0};
	int64 number;
	int k;

	of->recipe.offset = 0;
	written->modulus = 0;
	written->above = false;
	for (k = 0; k < of->firsts; k++)
		if (!number_of_first(of, k, &number) ||
			!sdc_remainder_add(&remainder, number, of->first_number[k]))
			return false;
	if (remainder.divisor > PG_INT64_MAX)
		return false;
	written->modulus = (int64) remainder.divisor;
	written->above = remainder.above && remainder.divisor > 0;
	return true;
}

/* A link that is tried first: the text of its keys, and what is published. */
static void
take_first(SdcPublished *of, char *text, char *value)
{
	int k = of->firsts++;

	of->first_text[k] = text;
	of->first_value[k] = value;
	of->first_digested[k].digest = 0;
	of->are_numbers = of->are_numbers &&
					  sdcpg_written_read_number(value, &of->first_number[k]);
}

/* Takes the texts of ten links spread over the file, of those that have the
 * keys; false: too few. */
static bool
take_texts(SdcPublished *of)
{
	MemoryContext before = MemoryContextSwitchTo(of->texts);
	int step = of->shown.links / SDC_FIRST_LINKS;
	int k;

	MemoryContextReset(of->texts);
	memset(of->is_seen, 0, sizeof(of->is_seen));
	of->are_numbers = true;
	of->firsts = 0;
	for (k = 0; k < step * SDC_FIRST_LINKS && of->firsts < SDC_FIRST_LINKS;
		 k++)
	{
		int32 person =
			of->shown.link[k % SDC_FIRST_LINKS * step + k / SDC_FIRST_LINKS];
		char *text = text_of_row(of, of->shown.known, person);

		if (text != NULL)
			take_first(of, text,
					   sdcpg_likelihood_value_text(
						   &of->shown,
						   sdcpg_likelihood_link_rank(&of->shown, person)));
	}
	MemoryContextSwitchTo(before);
	return of->firsts == SDC_FIRST_LINKS;
}

/* Do the first links follow the recipe in some place?  Sets the rest of it. */
static bool
begins_well(SdcPublished *of)
{
	MemoryContext before = MemoryContextSwitchTo(of->shown.passing);
	bool well = of->recipe.written.writing == SDC_AS_NUMBER ? find_modulus(of)
															: find_place(of);

	MemoryContextSwitchTo(before);
	MemoryContextReset(of->shown.passing);
	CHECK_FOR_INTERRUPTS();
	return well;
}

/* The share that agrees; 0: too little. */
static double
try_agreed(SdcPublished *of)
{
	double share;

	sort_seen(of);
	share = agreed(of);
	return share >= SDC_LEAST_AGREED ? share : 0;
}

/* The share that agrees where the first links do. */
static double
try_recipe(SdcPublished *of)
{
	return begins_well(of) ? try_agreed(of) : 0;
}

/* The texts and values of all links that are as long as each other, few of
 * which are shorter than a code; returns how many. */
static int
take_letters(SdcPublished *of, char **text, char **value)
{
	int n = 0;
	int k;

	for (k = 0; k < of->shown.links; k++)
	{
		int32 person = of->shown.link[k];

		text[n] = text_of_row(of, of->shown.known, person);
		value[n] = sdcpg_likelihood_value_text(
			&of->shown, sdcpg_likelihood_link_rank(&of->shown, person));
		if (text[n] != NULL && strlen(text[n]) >= LEAST_LETTERS &&
			strlen(text[n]) <= SDC_WRITTEN_BYTES &&
			strlen(text[n]) == strlen(value[n]))
			n++;
	}
	return n;
}

/* For each letter, in its place or anywhere, that which is written most
 * often. */
static void
learn_letters(SdcPublished *of, char **text, char **value, int n)
{
	SdcLetters *letters = &of->letters;
	int(*times)[256] = palloc(sizeof(int) * 256 * 256);
	int place;
	int k;
	int i;

	memset(letters->letter, 0, sizeof(letters->letter));
	for (place = 0; place < (letters->by_place ? SDC_LETTER_PLACES : 1);
		 place++)
	{
		memset(times, 0, sizeof(int) * 256 * 256);
		for (k = 0; k < n; k++)
			for (i = 0; text[k][i] != '\0'; i++)
			{
				unsigned char from = (unsigned char) text[k][i];
				unsigned char to = (unsigned char) value[k][i];
				unsigned char *most = &letters->letter[place][from];

				if ((!letters->by_place || i == place) &&
					++times[from][to] > times[from][*most])
					*most = to;
			}
	}
	pfree(times);
}

/* Tries to turn each letter of the text into another one. */
static double
try_letters(SdcPublished *of)
{
	MemoryContext before = MemoryContextSwitchTo(of->texts);
	char **text = palloc(sizeof(char *) * SDC_TRIED_LINKS);
	char **value = palloc(sizeof(char *) * SDC_TRIED_LINKS);
	int n = take_letters(of, text, value);
	double share = 0;
	int by_place;

	of->recipe.written =
		(SdcWritten){.writing = SDC_AS_TEXT, .letters = &of->letters};
	of->recipe.offset = 0;
	for (by_place = 0;
		 by_place < 2 && share == 0 && n >= SDC_LEAST_AGREED * of->shown.links;
		 by_place++)
	{
		of->letters.by_place = by_place > 0;
		learn_letters(of, text, value, n);
		share = try_agreed(of);
	}
	MemoryContextSwitchTo(before);
	return share;
}

/* Is what is published a number with some bits turned, or what is left of a
 * line? */
static bool
find_made(SdcPublished *of)
{
	SdcWritten *written = &of->recipe.written;
	const int64 *made = of->first_number;
	int64 number[SDC_FIRST_LINKS];
	int k;

	*written = (SdcWritten){.writing = SDC_AS_NUMBER};
	for (k = 0; k < of->firsts; k++)
		if (!number_of_first(of, k, &number[k]))
			return false;
	for (k = 1; k < of->firsts; k++)
		if ((number[k] ^ made[k]) != (number[0] ^ made[0]))
			break;
	if (k == of->firsts)
		written->turned = number[0] ^ made[0];
	else if (sdc_congruence_find(number, made, of->firsts, &of->congruence))
		written->congruence = &of->congruence;
	return k == of->firsts || written->congruence != NULL;
}

/* Tries all numbers of the text or digest. */
static double
try_numbers(SdcPublished *of)
{
	SdcRecipe *recipe = &of->recipe;
	bool hashed = recipe->written.digest == 0 && recipe->keys > 1;
	int numbers = hashed ? SDC_WRITTEN_HASHED_TO
						 : sdcpg_written_numbers(recipe->written.digest > 0);
	double share = 0;

	if (!of->are_numbers)
		return 0;
	for (recipe->written.number = hashed ? SDC_WRITTEN_HASHED_FROM : 0;
		 recipe->written.number < numbers; recipe->written.number++)
		for (recipe->written.absolute = false;;
			 recipe->written.absolute = true)
		{
			share = try_recipe(of);
			if (share > 0)
				return share;
			if (recipe->written.absolute)
				break;
		}
	return !hashed && recipe->written.digest == 0 && find_made(of)
			   ? try_agreed(of)
			   : 0;
}

/* Tries the digits of a key that is a whole number, to other bases. */
static double
try_bases(SdcPublished *of)
{
	SdcWritten *written = &of->recipe.written;
	double share = 0;
	int k;

	*written = (SdcWritten){.writing = SDC_AS_TEXT};
	for (k = 0; share == 0 && sdcpg_written_base(k) > 0; k++)
	{
		written->base = sdcpg_written_base(k);
		share = try_recipe(of);
	}
	return share;
}

/* Could it be this digest, written so, of the recipe's keys? */
static bool
may_be_written(const SdcPublished *of, SdcWriting writing)
{
	const SdcRecipe *recipe = &of->recipe;

	if (recipe->keys > 1)
		return of->is_long[writing];
	if (recipe->written.digest >= sdcpg_written_digests(true))
		return of->is_long[writing] && writing != SDC_AS_NUMBER;
	return writing != SDC_AS_TEXT || recipe->written.digest == 0;
}

/* Tries all digests of the recipe's text, in all writings. */
static double
try_digests(SdcPublished *of)
{
	SdcRecipe *recipe = &of->recipe;
	int digests = sdcpg_written_digests(recipe->keys > 1);
	double share = 0;
	int digest;
	int writing;

	for (digest = 0; digest < digests; digest++)
		for (writing = SDC_AS_TEXT; writing < SDC_WRITINGS; writing++)
		{
			recipe->from_end = false;
			recipe->written = (SdcWritten){.digest = digest,
										   .writing = (SdcWriting) writing};
			if (!may_be_written(of, (SdcWriting) writing))
				continue;
			share =
				writing == SDC_AS_NUMBER ? try_numbers(of) : try_recipe(of);
			if (share > 0)
				return share;
		}
	return 0;
}

/* Tries everything with the keys of the recipe. */
static double
try_keys(SdcPublished *of)
{
	SdcRecipe *recipe = &of->recipe;
	bool is_text = recipe->keys == 1 && of->shown.dictionary != NULL;
	int forms = forms_of(of, recipe);
	double share = 0;

	for (recipe->form = 0; recipe->form < forms; recipe->form++)
	{
		if (!take_texts(of))
			return 0;
		share = try_digests(of);
		if (share == 0 && is_text)
			share = try_bases(of);
		if (share == 0 && is_text)
			share = try_letters(of);
		if (share > 0)
			return share;
	}
	return 0;
}

/* Tries keys one by one, then two of them in each order, then all. */
static double
try_all(SdcPublished *of)
{
	SdcRecipe *recipe = &of->recipe;
	double share = 0;
	int a;
	int b;

	memset(recipe, 0, sizeof(*recipe));
	recipe->keys = 1;
	for (a = 0; a < of->shown.keys && share == 0; a++)
	{
		recipe->key[0] = a;
		share = try_keys(of);
	}
	if (of->shown.keys > SDC_RECIPE_KEYS)
		return share;
	for (recipe->glue = 0; recipe->glue < (int) lengthof(glues) && share == 0;)
	{
		recipe->keys = 2;
		for (a = 0; a < of->shown.keys && share == 0; a++)
			for (b = 0; b < of->shown.keys && share == 0; b++)
			{
				recipe->key[0] = a;
				recipe->key[1] = b;
				share = a == b ? 0 : try_keys(of);
			}
		if (share > 0)
			return share;
		recipe->keys = of->shown.keys;
		for (a = 0; a < of->shown.keys; a++)
			recipe->key[a] = a;
		if (of->shown.keys > 2)
			share = try_keys(of);
		if (share == 0)
			recipe->glue++;
	}
	return share;
}

/* ---- Keys that are joined, each in a form of its own. ---- */

/* Keys that are so at the most, links that are looked at first, and texts that
 * are written of the first one. */
#define OWN_KEYS     3
#define SCREEN_LINKS 2
#define MOST_WRITTEN 150000

/* The forms of a key that is a text. */
static const int own_forms[] = {SDC_TEXT_ITSELF, SDC_TEXT_SMALL,
								SDC_TEXT_CAPITALS, SDC_TEXT_LETTERS};

/* What is looked at first, and how much was written. */
typedef struct Screen
{
	int links;
	int32 person[SCREEN_LINKS];
	char *seen[SDC_WRITINGS][SCREEN_LINKS];
	int64 number[SCREEN_LINKS]; /* that is seen, if one is */
	bool may_be_digest;         /* of anything? */
	/* by key and form: the texts of the keys, for there are many ways to join
	 * them, and whether that of the first link is in what is published */
	int forms;
	char **text[SCREEN_LINKS];
	bool *is_in_text;
	int written;
	/* of the keys that are joined: their texts, NULL: not asked for yet, and
	 * the digests of these */
	char *joined[SCREEN_LINKS];
	SdcDigested digested[SCREEN_LINKS][SDC_WRITTEN_OFTEN];
} Screen;

static int
count_own_forms(const SdcKeyTexts *key)
{
	return key->column->dictionary != NULL ? (int) lengthof(own_forms)
										   : sdcpg_likelihood_forms(key);
}

static int
own_form(const SdcKeyTexts *key, int which)
{
	return key->column->dictionary != NULL ? own_forms[which] : which;
}

/* How many keys a person has. */
static int
count_keys(const SdcPublished *of, int32 person)
{
	MemoryContext before = MemoryContextSwitchTo(of->shown.passing);
	int count = 0;
	int k;

	for (k = 0; k < of->shown.keys; k++)
		count +=
			sdcpg_likelihood_key_text(&of->shown.known[k], person, 0) != NULL;
	MemoryContextSwitchTo(before);
	MemoryContextReset(of->shown.passing);
	return count;
}

/* Takes a link, and what is published of it. */
static void
screen_link(SdcPublished *of, Screen *screen, int32 person)
{
	int writing;

	for (writing = SDC_AS_TEXT; writing < SDC_WRITINGS; writing++)
	{
		of->recipe.written.writing = (SdcWriting) writing;
		of->recipe.written.digest = writing == SDC_AS_TEXT ? 0 : 1;
		/* a number is no text of keys, and a text none of its digits */
		if ((writing == SDC_AS_NUMBER) != (of->shown.dictionary == NULL))
			continue;
		screen->seen[writing][screen->links] =
			see(of, sdcpg_likelihood_value_text(
						&of->shown,
						sdcpg_likelihood_link_rank(&of->shown, person)));
	}
	if (screen->seen[SDC_AS_NUMBER][screen->links] != NULL)
		(void) sdcpg_written_read_number(
			screen->seen[SDC_AS_NUMBER][screen->links],
			&screen->number[screen->links]);
	screen->person[screen->links++] = person;
}

/* Could what is published be a digest of anything? */
static bool
may_be_digest(const Screen *screen)
{
	int writing;

	for (writing = SDC_AS_HEX; writing < SDC_WRITINGS; writing++)
		if (screen->seen[writing][0] != NULL &&
			strlen(screen->seen[writing][0]) >= LEAST_LONG)
			return true;
	return false;
}

/* Where a key in a form of its own is among the texts. */
static inline int
place_of_text(const Screen *screen, int key, int form)
{
	return key * screen->forms + form;
}

/* Takes all forms of a key. */
static void
screen_key(const SdcPublished *of, Screen *screen, int key)
{
	const SdcKeyTexts *known = &of->shown.known[key];
	const char *seen = screen->seen[SDC_AS_TEXT][0];
	int form;
	int k;

	for (form = 0; form < count_own_forms(known); form++)
	{
		int own = own_form(known, form);
		int at = place_of_text(screen, key, own);

		for (k = 0; k < screen->links; k++)
			screen->text[k][at] =
				sdcpg_likelihood_key_text(known, screen->person[k], own);
		screen->is_in_text[at] = seen != NULL && screen->text[0][at] != NULL &&
								 strstr(seen, screen->text[0][at]) != NULL;
	}
}

static void
screen_keys(const SdcPublished *of, Screen *screen)
{
	int keys = of->shown.keys;
	int k;

	for (k = 0; k < keys; k++)
		screen->forms =
			Max(screen->forms, sdcpg_likelihood_forms(&of->shown.known[k]));
	for (k = 0; k < screen->links; k++)
		screen->text[k] = palloc0(sizeof(char *) * (keys * screen->forms + 1));
	screen->is_in_text = palloc0(sizeof(bool) * (keys * screen->forms + 1));
	for (k = 0; k < keys; k++)
		screen_key(of, screen, k);
}

/* Takes the first links that have as many keys as any of them. */
static void
take_screen(SdcPublished *of, Screen *screen)
{
	int most = 0;
	int i;

	memset(screen, 0, sizeof(*screen));
	memset(&of->recipe, 0, sizeof(of->recipe));
	for (i = 0; i < of->shown.links; i++)
		most = Max(most, count_keys(of, of->shown.link[i]));
	for (; most > 0 && screen->links < SCREEN_LINKS; most--)
		for (i = 0; i < of->shown.links && screen->links < SCREEN_LINKS; i++)
			if (count_keys(of, of->shown.link[i]) == most)
				screen_link(of, screen, of->shown.link[i]);
	if (screen->links < SCREEN_LINKS)
		return;
	screen->may_be_digest = may_be_digest(screen);
	screen_keys(of, screen);
}

/* The text that the recipe takes of a link that is looked at first. */
static char *
text_of_link(const SdcPublished *of, const Screen *screen, int link)
{
	const SdcRecipe *recipe = &of->recipe;
	char *value[SDC_RECIPE_KEYS];
	int k;

	if (recipe->salt > 0)
		return salted_text(of, of->shown.known, screen->person[link]);
	for (k = 0; k < recipe->keys; k++)
		value[k] = screen->text[link][place_of_text(screen, recipe->key[k],
													recipe->own[k])];
	return join_texts(recipe, value);
}

/* The same, made once for all ways to write it; NULL: there is none. */
static const char *
joined_of_link(const SdcPublished *of, Screen *screen, int link)
{
	MemoryContext before = MemoryContextSwitchTo(of->joined);

	if (screen->joined[link] == NULL)
		screen->joined[link] = text_of_link(of, screen, link);
	MemoryContextSwitchTo(before);
	return screen->joined[link];
}

/* Starts with other keys, or other forms of them. */
static void
forget_joined(const SdcPublished *of, Screen *screen)
{
	int k;
	int digest;

	MemoryContextReset(of->joined);
	for (k = 0; k < screen->links; k++)
	{
		screen->joined[k] = NULL;
		for (digest = 0; digest < SDC_WRITTEN_OFTEN; digest++)
			screen->digested[k][digest].digest = 0;
	}
}

/* Is what is seen of a link what the recipe writes of this text, or in it? */
static bool
is_written(const SdcPublished *of, Screen *screen, int link, const char *text)
{
	const SdcWritten *written = &of->recipe.written;
	SdcDigested *digested = &screen->digested[link][written->digest];
	const char *seen = screen->seen[written->writing][link];
	const char *whole;
	int64 number;

	if (seen == NULL)
		return false;
	if (written->writing == SDC_AS_NUMBER)
		return sdcpg_written_number(written, text, digested, &number) &&
			   number == screen->number[link];
	whole = sdcpg_written_kept(written, text, digested);
	return whole != NULL && strstr(whole, seen) != NULL;
}

/* Does the recipe write what is published of the first links? */
static bool
passes(const SdcPublished *of, Screen *screen)
{
	int k;

	for (k = 0; k < screen->links; k++)
	{
		const char *text = joined_of_link(of, screen, k);

		screen->written += k == 0;
		if (text == NULL || !is_written(of, screen, k, text))
			return false;
	}
	return true;
}

/* Tries one way to write the joined keys. */
static double
try_written(SdcPublished *of, Screen *screen)
{
	MemoryContext before = MemoryContextSwitchTo(of->shown.passing);
	bool well = passes(of, screen);

	MemoryContextSwitchTo(before);
	MemoryContextReset(of->shown.passing);
	CHECK_FOR_INTERRUPTS();
	return well && take_texts(of) ? try_recipe(of) : 0;
}

/* Tries all ways to write the joined keys. */
static double
try_writings(SdcPublished *of, Screen *screen)
{
	SdcRecipe *recipe = &of->recipe;
	double share = 0;
	/* what is a piece of a salt is in all texts that have it */
	int writing = recipe->salt > 0 ? SDC_AS_TEXT + 1 : SDC_AS_TEXT;

	forget_joined(of, screen);
	for (; writing < SDC_WRITINGS && share == 0; writing++)
	{
		const char *seen = screen->seen[writing][0];
		int digest = writing == SDC_AS_TEXT ? 0 : 1;
		int last =
			writing == SDC_AS_TEXT ? 0 : sdcpg_written_digests(true) - 1;

		/* digits of a number in base 16 are of one in base 64, too */
		if (seen == NULL || strlen(seen) < LEAST_LONG ||
			(writing == SDC_AS_BASE64 && screen->seen[SDC_AS_HEX][0] != NULL))
			continue;
		for (; digest <= last && share == 0; digest++)
		{
			int numbers =
				writing == SDC_AS_NUMBER ? sdcpg_written_numbers(true) : 1;

			if (digest > 0 &&
				!sdcpg_written_fits(seen, (SdcWriting) writing, digest))
				continue;
			recipe->written.writing = (SdcWriting) writing;
			recipe->written.digest = digest;
			recipe->from_end = false;
			for (recipe->written.number = 0;
				 recipe->written.number < numbers && share == 0;
				 recipe->written.number++)
				share = try_written(of, screen);
			recipe->written.number -= share > 0;
		}
	}
	return share;
}

/* Tries each form of the keys that are chosen, from the at-th on. */
static double
try_own_forms(SdcPublished *of, Screen *screen, int at)
{
	SdcRecipe *recipe = &of->recipe;
	const SdcKeyTexts *key;
	double share = 0;
	int form;

	if (at == recipe->keys)
		return screen->written < MOST_WRITTEN ? try_writings(of, screen) : 0;
	key = &of->shown.known[recipe->key[at]];
	for (form = 0; form < count_own_forms(key) && share == 0; form++)
	{
		recipe->own[at] = own_form(key, form);
		if (screen->may_be_digest ||
			screen->is_in_text[place_of_text(screen, recipe->key[at],
											 recipe->own[at])])
			share = try_own_forms(of, screen, at + 1);
	}
	return share;
}

/* Tries each order of so many keys, from the at-th on. */
static double
try_own_keys(SdcPublished *of, Screen *screen, int at)
{
	SdcRecipe *recipe = &of->recipe;
	double share = 0;
	int key;
	int k;

	if (at == recipe->keys)
		return try_own_forms(of, screen, 0);
	for (key = 0; key < of->shown.keys && share == 0; key++)
	{
		for (k = 0; k < at && recipe->key[k] != key; k++)
			;
		if (k < at)
			continue;
		recipe->key[at] = key;
		share = try_own_keys(of, screen, at + 1);
	}
	return share;
}

/*
 * Two or three keys, each in its own form: a linkage key has the name in
 * capitals and the date as digits.  So many are the ways that they are tried
 * of two links first.
 */
static double
try_joined(SdcPublished *of)
{
	SdcRecipe *recipe = &of->recipe;
	double share = 0;
	Screen screen;
	int keys;

	take_screen(of, &screen);
	if (screen.links < SCREEN_LINKS)
		return 0;
	for (keys = 2; keys <= Min(OWN_KEYS, of->shown.keys) && share == 0; keys++)
	{
		memset(recipe, 0, sizeof(*recipe));
		recipe->keys = keys;
		for (; recipe->glue < (int) lengthof(glues) - 1 && share == 0;
			 recipe->glue++)
			share = try_own_keys(of, &screen, 0);
		recipe->glue -= share > 0;
	}
	return share;
}

/* ---- A key, joined with what its record shows beside it, as a salt. ---- */

/* Tries each key with a salt. */
static double
try_salt(SdcPublished *of, Screen *screen, int salt)
{
	SdcRecipe *recipe = &of->recipe;
	double share = 0;
	int glue;
	int key;
	int first;

	for (key = 0; key < of->shown.keys; key++)
		for (first = 0; first < 2; first++)
			for (glue = 0; glue < (int) lengthof(glues) - 1; glue++)
			{
				memset(recipe, 0, sizeof(*recipe));
				recipe->keys = 1;
				recipe->key[0] = key;
				recipe->salt = 1 + salt;
				recipe->salt_first = first == 1;
				recipe->glue = glue;
				share = try_own_forms(of, screen, 0);
				if (share > 0)
					return share;
			}
	return 0;
}

/* Tries each other released column as a salt of one that is a digest. */
static double
try_salts(SdcPublished *of, int which)
{
	const SdcTransparency *transparency = of->shown.transparency;
	double share = 0;
	Screen screen;
	int k;

	take_screen(of, &screen);
	if (screen.links < SCREEN_LINKS || !screen.may_be_digest)
		return 0;
	for (k = 0; k < transparency->released && share == 0; k++)
		if (k != which)
			share = try_salt(of, &screen, k);
	return share;
}

/* ---- What all values have in common. ---- */

/* Which writings could be of joined keys: most first links are that long. */
static void
find_long(SdcPublished *of)
{
	MemoryContext before = MemoryContextSwitchTo(of->shown.passing);
	int writing;
	int k;

	memset(&of->recipe, 0, sizeof(of->recipe));
	of->recipe.written.digest = 1;
	for (writing = SDC_AS_TEXT; writing < SDC_WRITINGS; writing++)
	{
		int many = 0;

		of->recipe.written.writing = (SdcWriting) writing;
		for (k = 0; k < SDC_FIRST_LINKS; k++)
		{
			char *value =
				see(of, sdcpg_likelihood_value_text(
							&of->shown, sdcpg_likelihood_link_rank(
											&of->shown, of->shown.link[k])));

			many += value != NULL && strlen(value) >= LEAST_LONG;
		}
		of->is_long[writing] =
			writing != SDC_AS_TEXT && many >= SDC_FIRST_LINKS - MAY_FAIL;
	}
	MemoryContextSwitchTo(before);
	MemoryContextReset(of->shown.passing);
}

/* How many bytes all values begin and end with. */
static void
find_common(SdcPublished *of)
{
	MemoryContext before = MemoryContextSwitchTo(of->shown.passing);
	char *first = sdcpg_likelihood_value_text(&of->shown, 0);
	int length = (int) strlen(first);
	int shortest = length;
	int32 i;

	of->prefix = of->suffix = length;
	for (i = 1; i < of->shown.values; i++)
	{
		char *text = sdcpg_likelihood_value_text(&of->shown, i);
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
	MemoryContextReset(of->shown.passing);
}

double
sdcpg_recipe_find(SdcPublished *of, int which)
{
	SdcHost *host = of->shown.host;
	double share;

	find_common(of);
	find_long(of);
	of->hash = sdc_new(host, uint64, (Size) of->shown.values + 1);
	of->rank = sdc_new(host, int32, (Size) of->shown.values + 1);
	share = try_all(of);
	if (share == 0)
		share = try_joined(of);
	return share == 0 ? try_salts(of, which) : share;
}

void
sdcpg_recipe_drop(SdcPublished *of)
{
	of->shown.host->release(of->shown.host, of->hash);
	of->shown.host->release(of->shown.host, of->rank);
}
