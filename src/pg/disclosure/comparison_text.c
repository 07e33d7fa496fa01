/*
 * comparison_text.c
 *		Levels of agreement of texts, by edits.
 *
 * PostgreSQL counts the edits (Levenshtein).  Most pairs of texts differ too
 * much in length to be looked at.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/varlena.h"

#include "pg/disclosure/comparison_text.h"
#include "pg/server/compat.h"

/* Pairs of different texts at the most. */
#define MAX_PAIRS INT64CONST(100000000)

/* Longer texts are only compared for equality. */
#define MAX_BYTES 1000

/* Pairs between two polls. */
#define POLL_PAIRS 256

/* A text, and which files have it. */
typedef struct Text
{
	char *bytes;
	int length; /* in bytes */
	int characters;
	bool in[2];
} Text;

static Text *
read_texts(SdcPgHost *host, SdcDictionary *dictionary, int32 count)
{
	const int32 *rank = sdcpg_dictionary_sort(dictionary);
	Text *text = sdc_new(&host->kernel, Text, count + 1);
	int32 i;

	for (i = 0; i < count; i++)
	{
		text[i].bytes = sdcpg_dictionary_text(dictionary, rank[i]);
		text[i].length = strlen(text[i].bytes);
		text[i].characters = pg_mbstrlen(text[i].bytes);
		text[i].in[0] = false;
		text[i].in[1] = false;
	}
	return text;
}

/* The level of two different texts. */
static uint8
level_of(const Text *a, const Text *b, const double *within, int levels)
{
	int longer = Max(a->characters, b->characters);
	/* more edits than that are never needed, and may not fit an integer */
	int most = (int) (Min(within[levels - 2], 1) * longer);
	int edits;
	int level;

	if (abs(a->characters - b->characters) > most || a->length > MAX_BYTES ||
		b->length > MAX_BYTES)
		return levels - 1;
	edits = varstr_levenshtein_less_equal(a->bytes, a->length, b->bytes,
										  b->length, 1, 1, 1, most, true);
	for (level = 0; level < levels - 1; level++)
		if (edits <= within[level] * longer)
			break;
	return level;
}

/* The levels of all pairs of texts; those that cannot meet differ. */
static void
fill_levels(SdcPgHost *host, const Text *text, int32 count,
			const double *within, int levels, uint8 *level)
{
	/* counting edits leaves memory behind */
	MemoryContext scratch =
		AllocSetContextCreate(host->work, "sdc edits", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	int64 done = 0;
	int32 i;
	int32 j;

	for (i = 0; i < count; i++)
		for (j = 0; j < count; j++)
		{
			if (done++ % POLL_PAIRS == 0)
			{
				MemoryContextReset(scratch);
				host->kernel.poll(&host->kernel, done, (int64) count * count);
			}
			level[(Size) i * count + j] =
				i == j ? 0
				: text[i].in[0] && text[j].in[1]
					? level_of(&text[i], &text[j], within, levels)
					: levels - 1;
		}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
}

void
sdcpg_comparison_texts(SdcPgHost *host, const char *name,
					   SdcDictionary *dictionary, const double *within,
					   int levels, SdcComparisonField *field, int32 rows,
					   int32 others)
{
	int32 count = sdcpg_dictionary_values(dictionary);
	int32 size[2] = {rows, others};
	uint8 *level;
	Text *text;
	int32 i;
	int32 j;

	if ((int64) count * count > MAX_PAIRS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("column \"%s\" has too many different texts to "
						"compare them by edits",
						name),
				 errdetail("It may have 10000 in both relations together."),
				 errhint("Compare it by equality: {\"compare\": {\"%s\": "
						 "\"equal\"}}.",
						 name)));
	text = read_texts(host, dictionary, count);
	for (j = 0; j < 2; j++)
		for (i = 0; i < size[j]; i++)
			if (field->code[j][i] >= 0)
				text[field->code[j][i]].in[j] = true;
	level = sdc_new(&host->kernel, uint8, (Size) count * count + 1);
	fill_levels(host, text, count, within, levels, level);
	host->kernel.release(&host->kernel, text);
	field->codes = count;
	field->level = level;
}
