/*
 * likelihood_released.c
 *		What columns that are no keys tell: one term of the likelihood for each
 *		that goes with what is known.
 *
 * They are learned from the true links (kernel/intruder/released.c): numbers
 * as they are, categories as means of what is known.  The digest of a key is
 * computed: who knows a name knows md5(name).
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/host.h"
#include "kernel/intruder/intruder.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/transparency.h"

/* Links by which a digest is tried, and the share of them that has to agree:
 * a digest of what was masked agrees where the mask kept the value, and must
 * not be counted twice. */
#define TRIED_LINKS  200
#define LEAST_AGREED 0.98

/* Digits of a digest that are compared: the start of a longer one. */
#define DIGITS 64

/* How the text of a key is written, and what is published of it. */
static const PGFunction spellings[] = {NULL, lower, upper};
static const struct
{
	PGFunction digest;
	bool bytes;
	size_t digits;
} digests[] = {{md5_text, false, 32},
			   {sha224_bytea, true, 56},
			   {sha256_bytea, true, 64},
			   {sha384_bytea, true, 96},
			   {sha512_bytea, true, 128}};

/* The ranks of a column's values by the hashes of their digits. */
typedef struct Digest
{
	uint64 hash;
	int32 rank;
} Digest;

/* What is published of which key. */
typedef struct Published
{
	SdcHost *host;
	const SdcTransparency *transparency;
	SdcDictionary *dictionary; /* of the key; NULL: a number */
	const int32 *code;
	const double *number;
	const int32 *record;
	Digest *sorted;
	int32 values;
	MemoryContext passing;
	int spelling;
	int digest;
} Published;

static int
compare_digests(const void *a, const void *b)
{
	const Digest *x = a;
	const Digest *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

/* The hash of the first digits; false: these are not so many digits.  Texts
 * are read up to their hundredth character. */
static bool
hash_digits(const char *text, size_t digits, uint64 *hash)
{
	char digit[DIGITS];
	size_t most = 100;
	size_t n;
	size_t i;

	if (strncmp(text, "\\x", 2) == 0)
	{
		text += 2;
		most -= 2;
	}
	n = strspn(text, "0123456789abcdefABCDEF");
	if (text[n] != '\0' || n != Min(digits, most))
		return false;
	n = Min(n, DIGITS);
	for (i = 0; i < n; i++)
		digit[i] = pg_ascii_tolower((unsigned char) text[i]);
	*hash =
		DatumGetUInt64(hash_any_extended((unsigned char *) digit, (int) n, 0));
	return true;
}

/* Sorts the digests of a column; false: it has others than such. */
static bool
sort_digests(Published *of, SdcDictionary *column)
{
	int32 i;

	of->values = sdcpg_dictionary_values(column);
	for (i = 0; i < of->values; i++)
	{
		char *text = sdcpg_dictionary_text(column, i);
		bool is_digest =
			hash_digits(text, digests[of->digest].digits, &of->sorted[i].hash);

		pfree(text);
		if (!is_digest)
			return false;
		of->sorted[i].rank = i;
		CHECK_FOR_INTERRUPTS();
	}
	qsort(of->sorted, of->values, sizeof(Digest), compare_digests);
	return of->values > 1;
}

/* The text of what is known of a person as his key; NULL: nothing, or a number
 * that may be written in several ways. */
static text *
text_of_key(const Published *of, int32 i)
{
	if (of->dictionary != NULL)
		return of->code[i] < 0 ? NULL
							   : DatumGetTextPP(sdcpg_dictionary_value(
									 of->dictionary, of->code[i]));
	if (!(fabs(of->number[i]) < 1e15) || of->number[i] != rint(of->number[i]))
		return NULL;
	return cstring_to_text(psprintf("%.0f", of->number[i]));
}

/* The rank of the digest of a person's key, -1 where there is none. */
static int32
rank_of_key(const Published *of, int32 i)
{
	MemoryContext before = MemoryContextSwitchTo(of->passing);
	text *key = text_of_key(of, i);
	Digest wanted = {0};
	Digest *found = NULL;

	if (key != NULL)
	{
		Datum value = PointerGetDatum(key);

		if (spellings[of->spelling] != NULL)
			value = DirectFunctionCall1Coll(spellings[of->spelling],
											DEFAULT_COLLATION_OID, value);
		value = DirectFunctionCall1(digests[of->digest].digest, value);
		if (digests[of->digest].bytes)
			value = DirectFunctionCall2(binary_encode, value,
										CStringGetTextDatum("hex"));
		key = DatumGetTextPP(value);
		wanted.hash = DatumGetUInt64(
			hash_any_extended((unsigned char *) VARDATA_ANY(key),
							  Min((int) VARSIZE_ANY_EXHDR(key), DIGITS), 0));
		found = bsearch(&wanted, of->sorted, of->values, sizeof(Digest),
						compare_digests);
	}
	MemoryContextSwitchTo(before);
	MemoryContextReset(of->passing);
	return found == NULL ? -1 : found->rank;
}

/* What part of some links has the digest of the key; 0: too few have any. */
static double
agreed(const Published *of)
{
	const SdcTransparency *transparency = of->transparency;
	int32 rows = transparency->original.frame->rows;
	int32 step = rows / TRIED_LINKS + 1;
	int32 tried = 0;
	int32 right = 0;
	int32 i;

	for (i = 0; i < rows; i += step)
		if (transparency->partner[i] >= 0 &&
			of->record[transparency->partner[i]] >= 0)
		{
			right +=
				rank_of_key(of, i) == of->record[transparency->partner[i]];
			tried++;
			if (tried == 10 && right == 0)
				return 0;
		}
	return tried < 10 ? 0 : (double) right / tried;
}

/* A term for a column that has digests of a key, if it does. */
static bool
add_digest(SdcLikelihoodTerms *terms, Published *of)
{
	int32 rows = of->transparency->original.frame->rows;
	double share = 0;
	int32 *person;
	int32 i;

	for (of->spelling = 0; of->spelling < (int) lengthof(spellings);
		 of->spelling++)
	{
		share = agreed(of);
		if (share >= LEAST_AGREED)
			break;
	}
	if (share < LEAST_AGREED || !sdc_intruder_has_room(terms->intruder, 1, 0))
		return false;
	person = sdc_new(of->host, int32, (Size) rows + 1);
	for (i = 0; i < rows; i++)
	{
		person[i] = rank_of_key(of, i);
		CHECK_FOR_INTERRUPTS();
	}
	sdc_intruder_add_pram(terms->intruder, Min(share, 1 - SDC_INTRUDER_ERROR),
						  person, of->record, of->values, 1);
	return true;
}

/* Tries every key as what the digests of a column are of. */
static bool
add_digest_of_keys(SdcLikelihoodTerms *terms, Published *of)
{
	const SdcTransparency *transparency = of->transparency;
	const SdcRelationColumns *keys = &transparency->keys;
	const SdcFrame *frame = transparency->original.frame;
	int numbers = 0;
	int texts = 0;
	bool added = false;
	int i;

	for (i = 0; i < keys->count && !added; i++)
	{
		of->dictionary = NULL;
		of->number = NULL;
		if (sdcpg_number_is(keys->column[i].base))
			of->number =
				sdcpg_likelihood_numbers(of->host, &transparency->original,
										 transparency->known_field[numbers++]);
		else
		{
			of->dictionary = transparency->told_dictionary[texts];
			of->code = frame->column[transparency->told_field[texts++]].code;
		}
		added = add_digest(terms, of);
		of->host->release(of->host, (void *) of->number);
	}
	return added;
}

/*
 * Terms for columns that have the digest of a key.  A key that each person has
 * alone has no category that can be learned from others, but who knows the
 * key computes its digest.  Returns how many terms.
 */
static int
add_digests(SdcLikelihoodTerms *terms, bool *used)
{
	const SdcTransparency *transparency = &terms->transparency;
	Published of = {.host = terms->host, .transparency = transparency};
	int added = 0;
	int k;

	of.passing = AllocSetContextCreate(CurrentMemoryContext, "sdc digests",
									   ALLOCSET_SMALL_SIZES);
	for (k = 0; k < transparency->released; k++)
	{
		SdcDictionary *column = transparency->released_dictionary[k];
		bool is_digest = false;

		if (column == NULL)
			continue;
		of.sorted = sdc_new(of.host, Digest,
							(Size) sdcpg_dictionary_values(column) + 1);
		of.record =
			transparency->masked.frame->column[transparency->released_field[k]]
				.code;
		for (of.digest = 0; of.digest < (int) lengthof(digests) && !is_digest;
			 of.digest++)
			is_digest =
				sort_digests(&of, column) && add_digest_of_keys(terms, &of);
		of.host->release(of.host, of.sorted);
		used[k] |= is_digest;
		added += is_digest;
	}
	MemoryContextDelete(of.passing);
	return added;
}

/* The numbers of some fields of a file. */
static const double *const *
read_fields(SdcHost *host, const SdcTransparencyFile *file, const int *field,
			int count)
{
	double **number = sdc_new(host, double *, count + 1);
	int k;

	for (k = 0; k < count; k++)
		number[k] = sdcpg_likelihood_numbers(host, file, field[k]);
	return (const double *const *) number;
}

/* The columns that are no keys, as far as they are numbers. */
static void
read_released(SdcLikelihoodTerms *terms, const double **number, int columns)
{
	const SdcTransparency *transparency = &terms->transparency;
	int k;

	for (k = 0; k < columns; k++)
		number[k] =
			transparency->released_dictionary[k] != NULL
				? NULL
				: sdcpg_likelihood_numbers(terms->host, &transparency->masked,
										   transparency->released_field[k]);
}

/*
 * What keys that are categories tell of these numbers, as further numbers that
 * are known, while there is room.
 */
static void
read_told(SdcLikelihoodTerms *terms, SdcIntruderReleased *released,
		  const double **person, const double **learned)
{
	const SdcTransparency *transparency = &terms->transparency;
	const SdcFrame *frame = transparency->original.frame;
	SdcHost *host = terms->host;
	int i;
	int k;

	for (i = 0; i < transparency->told; i++)
		for (k = 0;
			 k < released->columns && released->known < SDC_INTRUDER_KNOWN;
			 k++)
		{
			double *mean;
			double *others;

			if (released->record[k] == NULL)
				continue;
			mean = sdc_new(host, double, (Size) frame->rows + 1);
			others = sdc_new(host, double, (Size) frame->rows + 1);
			if (sdc_intruder_known_means(
					terms->intruder, released, released->record[k],
					frame->column[transparency->told_field[i]].code,
					sdcpg_dictionary_values(transparency->told_dictionary[i]),
					others, mean))
			{
				learned[released->known] = others;
				person[released->known++] = mean;
				continue;
			}
			host->release(host, mean);
			host->release(host, others);
		}
}

/* The codes of a field that is a category; a NULL is one of its own, if it is
 * known that a value is missing. */
static const int32 *
category_codes(SdcHost *host, const SdcFrame *frame, int field,
			   SdcDictionary *dictionary, bool missing, int32 *codes)
{
	const int32 *read = frame->column[field].code;
	int32 *code = sdc_new(host, int32, (Size) frame->rows + 1);
	int32 i;

	*codes = sdcpg_dictionary_values(dictionary);
	for (i = 0; i < frame->rows; i++)
		code[i] = read[i] == SDC_CODE_NULL ? missing ? *codes : -1 : read[i];
	*codes += missing;
	return code;
}

/* The columns that are categories, as means of what is known. */
static void
read_means(SdcLikelihoodTerms *terms, const SdcIntruderReleased *released,
		   const double **number, const double **learned)
{
	const SdcTransparency *transparency = &terms->transparency;
	const SdcFrame *frame = transparency->masked.frame;
	SdcHost *host = terms->host;
	int k;

	for (k = 0; k < released->columns; k++)
	{
		SdcDictionary *dictionary = transparency->released_dictionary[k];
		const int32 *code;
		int32 codes;
		double *known;
		double *shown;

		learned[k] = NULL;
		if (dictionary == NULL)
			continue;
		shown = sdc_new(host, double, (Size) frame->rows + 1);
		known = sdc_new(host, double, (Size) frame->rows + 1);
		code = category_codes(host, frame, transparency->released_field[k],
							  dictionary, true, &codes);
		(void) sdc_intruder_category_means(terms->intruder, released, code,
										   codes, known, shown);
		number[k] = shown;
		learned[k] = known;
	}
}

/* What is known of each key as a category: numbers by what part of the
 * persons is below, all else as it is.  Returns how many. */
static int
known_categories(SdcLikelihoodTerms *terms, const int32 **person, int32 *codes)
{
	const SdcTransparency *transparency = &terms->transparency;
	const SdcFrame *frame = transparency->original.frame;
	SdcHost *host = terms->host;
	int numbers = Min(transparency->known, SDC_INTRUDER_KNOWN);
	int count = 0;
	int k;

	for (k = 0; k < transparency->told; k++, count++)
		person[count] = category_codes(
			host, frame, transparency->told_field[k],
			transparency->told_dictionary[k], !terms->unknown, &codes[count]);
	for (k = 0; k < numbers; k++, count++)
		person[count] = sdc_intruder_bins(
			host,
			sdcpg_likelihood_numbers(host, &transparency->original,
									 transparency->known_field[k]),
			frame->rows, !terms->unknown, &codes[count]);
	return count;
}

/* What keys tell of columns as categories of both; how many terms do. */
static int
add_categories(SdcLikelihoodTerms *terms, bool *used)
{
	const SdcTransparency *transparency = &terms->transparency;
	const SdcFrame *frame = transparency->masked.frame;
	SdcHost *host = terms->host;
	int keys = transparency->told + SDC_INTRUDER_KNOWN;
	int columns = transparency->released;
	const int32 **person = sdc_new(host, const int32 *, keys);
	const int32 **record = sdc_new(host, const int32 *, columns);
	int32 *person_codes = sdc_new(host, int32, keys);
	int32 *record_codes = sdc_new(host, int32, columns);
	SdcIntruderCategories categories = {.person = person,
										.person_codes = person_codes,
										.columns = columns,
										.record = record,
										.record_codes = record_codes,
										.partner = transparency->partner,
										.used = used};
	int k;

	categories.keys = known_categories(terms, person, person_codes);
	for (k = 0; k < columns; k++)
	{
		SdcDictionary *dictionary = transparency->released_dictionary[k];
		int field = transparency->released_field[k];

		if (dictionary == NULL)
			record[k] = sdc_intruder_bins(
				host,
				sdcpg_likelihood_numbers(host, &transparency->masked, field),
				frame->rows, true, &record_codes[k]);
		else
			record[k] = category_codes(host, frame, field, dictionary, true,
									   &record_codes[k]);
	}
	return sdc_intruder_add_categories(terms->intruder, &categories);
}

/* The names of the columns that are used, each once. */
static char *
name_used(const SdcTransparency *transparency,
		  const SdcIntruderReleased *released)
{
	StringInfoData names;
	int j;
	int k;

	initStringInfo(&names);
	for (k = 0; k < released->columns; k++)
	{
		for (j = 0; j < k; j++)
			if (released->used[j] && transparency->released_name[j] ==
										 transparency->released_name[k])
				break;
		if (released->used[k] && j == k)
			appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "",
							 transparency->released_name[k]);
	}
	return names.data;
}

void
sdcpg_likelihood_add_released(SdcLikelihoodTerms *terms)
{
	const SdcTransparency *transparency = &terms->transparency;
	SdcHost *host = terms->host;
	int masked[SDC_INTRUDER_KNOWN];
	const double *person[SDC_INTRUDER_KNOWN];
	const double *person_learned[SDC_INTRUDER_KNOWN] = {NULL};
	const double **number;
	const double **learned;
	bool *digest;
	SdcIntruderReleased released = {
		.known = Min(transparency->known, SDC_INTRUDER_KNOWN),
		.columns = transparency->released,
		.partner = transparency->partner};
	int used = 0;
	int k;

	terms->released = NULL;
	if (released.columns == 0)
		return;
	for (k = 0; k < transparency->numbers; k++)
		if (released.masks < SDC_INTRUDER_KNOWN &&
			!sdcpg_transparency_is_drawn(transparency,
										 transparency->number_key[k]))
			masked[released.masks++] = transparency->number[k].masked;
	for (k = 0; k < released.known; k++)
		person[k] = sdcpg_likelihood_numbers(host, &transparency->original,
											 transparency->known_field[k]);
	released.person = person;
	released.person_learned = person_learned;
	released.mask =
		read_fields(host, &transparency->masked, masked, released.masks);
	number = sdc_new(host, const double *, released.columns);
	learned = sdc_new(host, const double *, released.columns);
	released.record = number;
	released.learned = learned;
	read_released(terms, number, released.columns);
	read_told(terms, &released, person, person_learned);
	released.used = sdc_new(host, bool, released.columns);
	memset(released.used, 0, sizeof(bool) * released.columns);
	digest = sdc_new(host, bool, released.columns);
	memset(digest, 0, sizeof(bool) * released.columns);
	used = add_digests(terms, digest);
	if (released.known > 0)
	{
		read_means(terms, &released, number, learned);
		used += sdc_intruder_add_released(terms->intruder, &released);
	}
	used += add_categories(terms, released.used);
	for (k = 0; k < released.columns; k++)
		released.used[k] |= digest[k];
	if (used > 0)
		terms->released = name_used(transparency, &released);
}
