/*
 * scrub.h
 *		Identifiers in a free text: where they are, and what they are.
 *
 * Found are values that are known of the row, whatever stands between their
 * letters; e-mail addresses, phones, accounts, cards, national and network
 * numbers by their form; streets with a number; names of persons by lists and
 * by what stands before them (Mrs., Herr).  What is none of these is not
 * found: a text is never without anything of a person for certain.
 */
#ifndef SDC_KERNEL_SCRUB_H
#define SDC_KERNEL_SCRUB_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/risk/leak.h"
#include "kernel/risk/personal.h"

/* Letters and digits of a known value that are compared. */
#define SDC_SCRUB_CODES 250

/* A value that is known; shorter ones than three are not looked for. */
typedef struct SdcScrubKnown
{
	int letters;                     /* of the value */
	int length;                      /* how many codes */
	uint32_t code[SDC_SCRUB_CODES];  /* of letters.h */
	uint8_t second[SDC_SCRUB_CODES]; /* a letter that may stand behind it */
	int within;                      /* found within words, too */
} SdcScrubKnown;

/* Takes letters and digits of a value, UTF-8. */
extern void sdc_scrub_know(SdcScrubKnown *known, const char *value,
						   size_t length);

/* What is looked for in a text. */
typedef struct SdcScrub
{
	int (*look_up)(void *context, const char *word); /* SdcPersonalList */
	void *context;
	int count;
	const SdcScrubKnown *known;
} SdcScrub;

/* An identifier that was found. */
typedef struct SdcScrubFind
{
	size_t begin; /* bytes of the text */
	size_t end;   /* behind its last byte */
	int known;    /* which of the known values; -1: none, but a kind */
	SdcPersonalKind kind;
} SdcScrubFind;

/*
 * The first identifier of a text, UTF-8 and ending with '\0', that begins from
 * one place on and before another one; 0: there is none.  O(to - from) times
 * the number of known values.
 */
extern int sdc_scrub_find(const SdcScrub *scrub, const char *text,
						  size_t length, size_t from, size_t to,
						  SdcScrubFind *find);

/*
 * Adds to a set what in a text, a list or a document looks like an e-mail
 * address, a phone, an IBAN, a card, a national or a network number;
 * O(length).
 */
extern void sdc_scrub_add_within(SdcLeakSet *set, const char *text,
								 size_t length);

/*
 * Has a text, a list or a document a part that looks like an e-mail address,
 * an IBAN, or a phone with its country?  O(length).
 */
extern bool sdc_scrub_has_sign(const char *text, size_t length);

#endif
