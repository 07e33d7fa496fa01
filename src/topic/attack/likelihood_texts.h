/*
 * likelihood_texts.h
 *		Texts of keys, and columns that may be computed from them, or spell
 *		them.
 */
#ifndef SDC_TOPIC_LIKELIHOOD_TEXTS_H
#define SDC_TOPIC_LIKELIHOOD_TEXTS_H

#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/transparency.h"

/*
 * Links by which it is tried whether a column is computed or spelled, those
 * that are looked at first, and the share of all that has to agree.
 */
#define SDC_TRIED_LINKS  200
#define SDC_FIRST_LINKS  10
#define SDC_LEAST_AGREED 0.98

/* A value that more of the links have tells nobody apart. */
#define SDC_MOST_ALIKE 0.9

/* Forms in which the text of a key may be taken. */
typedef enum SdcTextForm
{
	SDC_TEXT_ITSELF,
	SDC_TEXT_SMALL,
	SDC_TEXT_CAPITALS,
	SDC_TEXT_DIGITS,
	SDC_TEXT_LETTERS, /* and digits, small */
	SDC_TEXT_SOUNDEX, /* a letter and three digits (Russell 1918) */
	SDC_WORD_LAST,
	SDC_WORD_LAST_SMALL,
	SDC_WORD_LAST_SOUNDEX,
	SDC_WORD_FIRST,
	SDC_WORD_FIRST_SMALL,
	SDC_WORDS_INITIALS,
	SDC_WORDS_POINTED,     /* first.last */
	SDC_WORD_INITIAL_LAST, /* flast */
	SDC_TEXT_FORMS
} SdcTextForm;

/* A key of one of the files: a number, or a text. */
typedef struct SdcKeyTexts
{
	const SdcFrameColumn *column;
	Oid base;
	int scale; /* digits behind the point; -1: as many as there are */
} SdcKeyTexts;

/* A column that is shown, as codes of its values, and the keys. */
typedef struct SdcLikelihoodShown
{
	SdcHost *host;
	const SdcTransparency *transparency;
	int keys;
	SdcKeyTexts *known;        /* by key: of the persons */
	SdcKeyTexts *masked;       /* and of the records */
	SdcDictionary *dictionary; /* NULL: these numbers */
	double *number;
	const int32 *record;
	int32 values;
	int32 link[SDC_TRIED_LINKS]; /* persons, spread over the file */
	int links;
	int named; /* the key that its texts were found to name; -1: none */
	MemoryContext passing;
} SdcLikelihoodShown;

/* The code of the record of a link. */
static inline int32
sdcpg_likelihood_link_rank(const SdcLikelihoodShown *shown, int32 person)
{
	return shown->record[shown->transparency->partner[person]];
}

/* The text of a value. */
extern char *sdcpg_likelihood_value_text(const SdcLikelihoodShown *shown,
										 int32 rank);

/* In how many forms the text of a key may be taken. */
extern int sdcpg_likelihood_forms(const SdcKeyTexts *key);

/* A text in one of the forms. */
extern char *sdcpg_likelihood_form(const char *text, SdcTextForm form);

/* The text of a key in a row of a file; NULL: there is none. */
extern char *sdcpg_likelihood_key_text(const SdcKeyTexts *key, int32 row,
									   int form);

/*
 * Terms for a column of texts that name persons by one of their keys, of
 * numbers that are a key's in some of the rows, or of codes that are put
 * together of pieces of keys; false: it is nothing of that.  has_words: words
 * of it are shown alone, of which each may be such a code, so it is none.
 */
extern bool sdcpg_likelihood_add_spelled(SdcLikelihoodTerms *terms,
										 SdcLikelihoodShown *shown,
										 bool has_words);

#endif
