/*
 * likelihood_recipes.h
 *		Recipes by which a released column is computed from keys.
 */
#ifndef SDC_TOPIC_LIKELIHOOD_RECIPES_H
#define SDC_TOPIC_LIKELIHOOD_RECIPES_H

#include "topic/attack/likelihood_texts.h"
#include "topic/attack/likelihood_written.h"

/* Keys that are joined at the most. */
#define SDC_RECIPE_KEYS 8

/* There is no text of a row; -1: it makes no value. */
#define SDC_NO_TEXT (-2)

typedef struct SdcRecipe
{
	int keys;
	int key[SDC_RECIPE_KEYS];
	int own[SDC_RECIPE_KEYS]; /* form of each key that is joined */
	int form;                 /* of all together */
	int glue;
	int salt; /* 1 + the released column that is joined with a key; 0: none */
	bool salt_first;
	SdcWritten written;
	/* a piece of what is written, so far from its start or its end */
	bool from_end;
	int offset;
} SdcRecipe;

/* A column that may be computed, and from what. */
typedef struct SdcPublished
{
	SdcLikelihoodShown shown;
	SdcKeyTexts *salt; /* by released column */
	/* bytes that all values have in common */
	int prefix;
	int suffix;
	/* the links that are tried first: what is published, and the text that is
	 * taken of the keys */
	int firsts;
	char *first_value[SDC_FIRST_LINKS];
	char *first_text[SDC_FIRST_LINKS];
	SdcDigested first_digested[SDC_FIRST_LINKS];
	/* these values as they are compared, by writing, then of digests, as soon
	 * as they were asked for; and as numbers, if all are some */
	bool is_seen[2 * SDC_WRITINGS];
	char *first_seen[2 * SDC_WRITINGS][SDC_FIRST_LINKS];
	bool are_numbers;
	int64 first_number[SDC_FIRST_LINKS];
	MemoryContext texts;
	MemoryContext joined;
	SdcRecipe recipe;
	/* by writing: is it enough for a digest of keys that are joined? */
	bool is_long[SDC_WRITINGS];
	SdcCongruence congruence;
	SdcLetters letters;
	/* as the recipe sees it: ranks by the hashes of their values */
	uint64 *hash;
	int32 *rank;
	int32 sorted;
	/* has any value so many bytes? */
	bool length[SDC_WRITTEN_BYTES + 1];
} SdcPublished;

/*
 * Finds the recipe of a column, the which-th of those released, by its links;
 * returns the share that follow it, 0: none is found.  hash and rank are there
 * until sdcpg_recipe_drop.
 */
extern double sdcpg_recipe_find(SdcPublished *of, int which);
extern void sdcpg_recipe_drop(SdcPublished *of);

/* The hash by which values, and texts of keys, are told apart. */
extern uint64 sdcpg_recipe_hash(const char *bytes, int n);

/* The value that the recipe makes of a row: the longest piece that there is;
 * -1: none; SDC_NO_TEXT: the row has no text. */
extern int32 sdcpg_recipe_rank(const SdcPublished *of, const SdcKeyTexts *file,
							   int32 row);

#endif
