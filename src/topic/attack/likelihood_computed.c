/*
 * likelihood_computed.c
 *		Columns that are computed from keys, a term of the likelihood for each.
 *
 * Who knows the keys can follow the recipe (likelihood_recipes.c) by which a
 * column is computed, so it is found by the links: a secret has none.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/host.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/intruder.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/likelihood_recipes.h"
#include "topic/attack/transparency.h"

/* A prime above the number of rows. */
#define SCATTER UINT64CONST(2654435761)

/* Chooses links all over the file; false: too few, or most are alike. */
static bool
choose_links(SdcPublished *of)
{
	const SdcTransparency *transparency = of->shown.transparency;
	int32 rows = transparency->original.frame->rows;
	int alike = 0;
	int most = 0;
	int k;
	int j;
	int32 n;

	of->shown.links = 0;
	for (n = 0; n < rows && of->shown.links < SDC_TRIED_LINKS; n++)
	{
		/* in no order that a pattern in the file could have */
		int32 i = (int32) ((uint64) n * SCATTER % (uint64) rows);

		if (transparency->partner[i] >= 0 &&
			of->shown.record[transparency->partner[i]] >= 0)
			of->shown.link[of->shown.links++] = i;
	}
	for (k = 0; k < of->shown.links; k++)
	{
		alike = 0;
		for (j = 0; j < of->shown.links; j++)
			alike +=
				sdcpg_likelihood_link_rank(&of->shown, of->shown.link[j]) ==
				sdcpg_likelihood_link_rank(&of->shown, of->shown.link[k]);
		most = Max(most, alike);
	}
	return of->shown.links >= SDC_FIRST_LINKS &&
		   most <= SDC_MOST_ALIKE * of->shown.links;
}

/* The texts of a key as codes, by person, and of the records where the recipe
 * was followed; returns how many codes there are. */
static int32
code_keys(SdcPublished *of, int32 *person, int32 *record)
{
	const SdcTransparency *transparency = of->shown.transparency;
	const SdcKeyTexts *key = &of->shown.known[of->recipe.key[0]];
	int32 rows = transparency->original.frame->rows;
	uint64 *hash = sdc_new(of->shown.host, uint64, (Size) rows + 1);
	int32 *row = sdc_new(of->shown.host, int32, (Size) rows + 1);
	int32 known = 0;
	int32 codes = 0;
	int32 i;

	for (i = 0; i < rows; i++)
	{
		MemoryContext before = MemoryContextSwitchTo(of->shown.passing);
		char *text = sdcpg_likelihood_key_text(key, i, of->recipe.own[0]);

		person[i] = -1;
		if (text != NULL)
		{
			hash[known] = sdcpg_recipe_hash(text, (int) strlen(text));
			row[known++] = i;
		}
		MemoryContextSwitchTo(before);
		MemoryContextReset(of->shown.passing);
		CHECK_FOR_INTERRUPTS();
	}
	sdc_sort_keys(of->shown.host, hash, row, (size_t) known);
	for (i = 0; i < known; i++)
	{
		int32 own = transparency->partner[row[i]];

		codes += i == 0 || hash[i] != hash[i - 1];
		person[row[i]] = codes - 1;
		if (own >= 0 && of->shown.record[own] >= 0 &&
			sdcpg_recipe_rank(of, of->shown.known, row[i]) ==
				of->shown.record[own])
			record[own] = codes - 1;
	}
	of->shown.host->release(of->shown.host, hash);
	of->shown.host->release(of->shown.host, row);
	return codes;
}

/*
 * A term for a digest with a salt that the record shows.  Who tries all keys
 * with the salt of each record finds which it is of, as all others make
 * another digest: so the records have the keys themselves.
 */
static void
add_salted(SdcLikelihoodTerms *terms, SdcPublished *of)
{
	const SdcTransparency *transparency = of->shown.transparency;
	int32 records = transparency->masked.frame->rows;
	int32 *person = sdc_new(of->shown.host, int32,
							(Size) transparency->original.frame->rows + 1);
	int32 *record = sdc_new(of->shown.host, int32, (Size) records + 1);
	int32 codes;

	memset(record, -1, sizeof(int32) * (Size) records);
	codes = code_keys(of, person, record);
	sdcpg_likelihood_add_codes(terms, 1, person, record, codes);
	of->shown.host->release(of->shown.host, person);
	of->shown.host->release(of->shown.host, record);
}

/* A term for a column that follows a recipe. */
static void
add_recipe(SdcLikelihoodTerms *terms, SdcPublished *of, double share)
{
	int32 rows = of->shown.transparency->original.frame->rows;
	int32 *person = sdc_new(of->shown.host, int32, (Size) rows + 1);
	int32 i;

	for (i = 0; i < rows; i++)
	{
		person[i] = Max(sdcpg_recipe_rank(of, of->shown.known, i), -1);
		CHECK_FOR_INTERRUPTS();
	}
	sdcpg_likelihood_add_codes(terms, share, person, of->shown.record,
							   of->shown.values);
	of->shown.host->release(of->shown.host, person);
}

/* A term for a column that is computed from keys, if one is. */
static bool
add_computed(SdcLikelihoodTerms *terms, SdcPublished *of, int which)
{
	double share = sdcpg_recipe_find(of, which);

	if (share > 0 && of->recipe.salt > 0)
		add_salted(terms, of);
	else if (share > 0)
		add_recipe(terms, of, share);
	sdcpg_recipe_drop(of);
	return share > 0;
}

/* Reads a column: numbers are ranked. */
static void
read_column(SdcPublished *of, int k)
{
	const SdcTransparency *transparency = of->shown.transparency;
	const SdcFrame *frame = transparency->masked.frame;
	int field = transparency->released_field[k];
	const double *number;
	uint64 *key;
	int32 *row;
	int32 *code;
	int32 known = 0;
	int32 i;

	of->shown.dictionary = transparency->released_dictionary[k];
	of->shown.record = frame->column[field].code;
	if (of->shown.dictionary != NULL)
	{
		of->shown.values = sdcpg_dictionary_values(of->shown.dictionary);
		return;
	}
	number = sdcpg_transparency_numbers(&transparency->masked, field);
	key = sdc_new(of->shown.host, uint64, (Size) frame->rows + 1);
	row = sdc_new(of->shown.host, int32, (Size) frame->rows + 1);
	code = sdc_new(of->shown.host, int32, (Size) frame->rows + 1);
	for (i = 0; i < frame->rows; i++)
	{
		code[i] = -1;
		/* beyond, not each whole number is one */
		if (!(fabs(number[i]) < 9e15))
			continue;
		key[known] = sdc_sort_key(number[i]);
		row[known++] = i;
	}
	sdc_sort_keys(of->shown.host, key, row, (size_t) known);
	of->shown.values = 0;
	of->shown.number = sdc_new(of->shown.host, double, (Size) known + 1);
	for (i = 0; i < known; i++)
	{
		if (i == 0 || key[i] != key[i - 1])
			of->shown.number[of->shown.values++] = number[row[i]];
		code[row[i]] = of->shown.values - 1;
	}
	of->shown.record = code;
	of->shown.host->release(of->shown.host, key);
	of->shown.host->release(of->shown.host, row);
}

/* Gives back what was read of a column. */
static void
drop_column(SdcPublished *of)
{
	if (of->shown.dictionary != NULL)
		return;
	of->shown.host->release(of->shown.host, of->shown.number);
	of->shown.host->release(of->shown.host, (void *) of->shown.record);
}

/* The keys as both files have them. */
static void
read_keys(SdcPublished *of)
{
	const SdcTransparency *transparency = of->shown.transparency;
	const SdcRelationColumns *keys = &transparency->keys;
	int numbers = 0;
	int texts = 0;
	int i;

	of->shown.keys = keys->count;
	of->shown.known = palloc0(sizeof(SdcKeyTexts) * (keys->count + 1));
	of->shown.masked = palloc0(sizeof(SdcKeyTexts) * (keys->count + 1));
	for (i = 0; i < keys->count; i++)
	{
		const SdcRelationColumn *key = &keys->column[i];
		int32 modifier;
		Oid type;
		Oid collation;

		get_atttypetypmodcoll(transparency->original.relation->oid,
							  key->number, &type, &modifier, &collation);
		(void) getBaseTypeAndTypmod(type, &modifier);
		of->shown.known[i].column =
			&transparency->original.frame
				 ->column[sdcpg_number_is(key->base)
							  ? transparency->known_field[numbers++]
							  : transparency->told_field[texts++]];
		of->shown.known[i].base = key->base;
		of->shown.known[i].scale =
			key->base == NUMERICOID && modifier >= (int32) VARHDRSZ
				? Min((modifier - (int32) VARHDRSZ) & 0x3FF, 15)
				: -1;
		of->shown.masked[i] = of->shown.known[i];
		of->shown.masked[i].column =
			&transparency->masked.frame->column[transparency->shown_field[i]];
	}
}

/* What the records show, as salts of a key. */
static void
read_salts(SdcPublished *of)
{
	const SdcTransparency *transparency = of->shown.transparency;
	int k;

	of->salt = palloc0(sizeof(SdcKeyTexts) * (transparency->released + 1));
	for (k = 0; k < transparency->released; k++)
	{
		of->salt[k].column = &transparency->masked.frame
								  ->column[transparency->released_field[k]];
		of->salt[k].base = FLOAT8OID;
		of->salt[k].scale = -1;
	}
}

/* Is it a number or a word that the text of a column has?  They follow what
 * shows the whole text. */
static bool
is_part(const SdcTransparency *transparency, int which)
{
	int k;

	for (k = 0; k < which; k++)
		if (transparency->released_dictionary[k] != NULL &&
			transparency->released_name[k] ==
				transparency->released_name[which])
			return true;
	return false;
}

/* Are words of the text shown, too?  They follow what shows the whole text. */
static bool
has_words(const SdcTransparency *transparency, int which)
{
	int k;

	for (k = which + 1; k < transparency->released; k++)
		if (transparency->released_dictionary[which] != NULL &&
			transparency->released_dictionary[k] != NULL &&
			transparency->released_name[k] ==
				transparency->released_name[which])
			return !is_part(transparency, which);
	return false;
}

/* Is a word in the text of a key, or a number its first one? */
static bool
is_of_key(const char *text, const char *word, bool is_number)
{
	if (!is_number)
		return strstr(text, word) != NULL;
	text += strcspn(text, "0123456789");
	return *text != '\0' && strtod(text, NULL) == strtod(word, NULL);
}

/* Is a word or a number mostly one of the key that the whole text was found to
 * name?  It would tell that twice. */
static bool
is_of_named(SdcPublished *of, int key)
{
	MemoryContext before = MemoryContextSwitchTo(of->shown.passing);
	int within = 0;
	int k;

	for (k = 0; k < of->shown.links; k++)
	{
		int32 person = of->shown.link[k];
		char *text = sdcpg_likelihood_key_text(&of->shown.known[key], person,
											   SDC_TEXT_SMALL);
		char *word = sdcpg_likelihood_form(
			sdcpg_likelihood_value_text(
				&of->shown, sdcpg_likelihood_link_rank(&of->shown, person)),
			SDC_TEXT_SMALL);

		within += text != NULL &&
				  is_of_key(text, word, of->shown.dictionary == NULL);
	}
	MemoryContextSwitchTo(before);
	MemoryContextReset(of->shown.passing);
	return 2 * within > of->shown.links;
}

/* The key that a text was found to name of which this is a part, or -1. */
static int
named_by_whole(const SdcTransparency *transparency, const int *named,
			   int which)
{
	int k;

	for (k = 0; k < which; k++)
		if (named[k] >= 0 && transparency->released_name[k] ==
								 transparency->released_name[which])
			return named[k];
	return -1;
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
		transparency->released_tried[left] = transparency->released_tried[k];
		transparency->released_field[left] = transparency->released_field[k];
		transparency->released_dictionary[left++] =
			transparency->released_dictionary[k];
	}
	transparency->released = left;
}

/*
 * Terms for a column, of whose whole text a key was named (-1: none); is it to
 * be dropped from what is learned?  Returns whether there is a term.
 */
static bool
tell_column(SdcLikelihoodTerms *terms, SdcPublished *of, int which, int named,
			bool *dropped)
{
	*dropped = named >= 0 && is_of_named(of, named);
	if (*dropped)
		return false;
	/* what is under a secret key is no digest of what is known */
	*dropped = !sdcpg_likelihood_is_keyed(of->shown.transparency, which) &&
			   add_computed(terms, of, which);
	return *dropped ||
		   sdcpg_likelihood_add_spelled(
			   terms, &of->shown, has_words(of->shown.transparency, which));
}

List *
sdcpg_likelihood_add_computed(SdcLikelihoodTerms *terms, bool *told)
{
	SdcTransparency *transparency = &terms->transparency;
	SdcPublished of = {
		.shown = {.host = terms->host, .transparency = transparency}};
	bool *dropped = palloc0(sizeof(bool) * (transparency->released + 1));
	int *named = palloc(sizeof(int) * (transparency->released + 1));
	List *names = NIL;
	List *whole = NIL;
	int key;
	int k;

	terms->host->stage(terms->host, "computing from keys");
	read_keys(&of);
	read_salts(&of);
	of.shown.passing = AllocSetContextCreate(
		CurrentMemoryContext, "sdc computed", ALLOCSET_SMALL_SIZES);
	of.texts = AllocSetContextCreate(CurrentMemoryContext, "sdc texts",
									 ALLOCSET_SMALL_SIZES);
	of.joined = AllocSetContextCreate(CurrentMemoryContext, "sdc joined",
									  ALLOCSET_SMALL_SIZES);
	for (k = 0; k < transparency->released &&
				sdc_intruder_has_room(terms->intruder, 1, 0);
		 k++)
	{
		char *name = unconstify(char *, transparency->released_name[k]);

		named[k] = of.shown.named = -1;
		if (transparency->released_tried[k] ||
			is_of_whole(transparency, whole, k))
			continue;
		read_column(&of, k);
		key = named_by_whole(transparency, named, k);
		if (choose_links(&of))
		{
			told[k] = tell_column(terms, &of, k, key, &dropped[k]);
			transparency->released_tried[k] = !told[k] && !dropped[k];
		}
		named[k] = of.shown.named;
		drop_column(&of);
		if (told[k])
			names = list_append_unique_ptr(names, name);
		if (dropped[k] && told[k] && !is_part(transparency, k))
			whole = lappend(whole, name);
	}
	drop_computed(transparency, dropped, whole);
	MemoryContextDelete(of.shown.passing);
	MemoryContextDelete(of.texts);
	MemoryContextDelete(of.joined);
	return names;
}
