/*
 * leak.h
 *		Are values of one database left in the texts of another one?
 *
 * Values and texts are compared by their letters and digits alone, in small
 * letters without accents, whatever stands between them; a value is found as
 * words of its own, and one that can hardly be there by chance within a word,
 * too.  Texts are also read as what they may encode.  Short numbers and dates
 * may be there by chance: of these it is counted whether they are there more
 * often than the numbers beside them.
 */
#ifndef SDC_KERNEL_LEAK_H
#define SDC_KERNEL_LEAK_H

#include "kernel/base/host.h"

/* Values that are sought, and what was found; private to leak.c. */
typedef struct SdcLeakSet SdcLeakSet;

/* What is known of a value; or'ed. */
typedef enum SdcLeakValue
{
	SDC_LEAK_USUAL = 1,   /* another may have it by right: only where kept */
	SDC_LEAK_PHONE = 2,   /* also as it is written at home and from abroad */
	SDC_LEAK_DATE = 4,    /* as YYYY-MM-DD */
	SDC_LEAK_LISTED = 8,  /* usual, and a fake may be the same by chance */
	SDC_LEAK_IBAN = 16,   /* also without country and check digits */
	SDC_LEAK_NETWORK = 32 /* also as a number, and backwards */
} SdcLeakValue;

/* Where is searched. */
typedef enum SdcLeakPlace
{
	SDC_LEAK_KEPT,  /* what is as it was, or in which no fake is */
	SDC_LEAK_MIXED, /* parts were masked; what fakes may be is there */
	SDC_LEAK_DRAWN, /* what a key has drawn; so may numbers, by chance */
	SDC_LEAK_NAMES, /* names and definitions; short numbers may be there */
	SDC_LEAK_JOINED /* their constants in a row; so may usual values */
} SdcLeakPlace;

/* Letters and digits of a value at the least; shorter ones are not sought. */
#define SDC_LEAK_LEAST 5

/* An empty set; what it holds is of the host, 25 bytes for a value or so. */
extern SdcLeakSet *sdc_leak_create(SdcHost *host);

/* Adds a value, UTF-8; O(length). */
extern void sdc_leak_add(SdcLeakSet *set, const char *value, size_t length,
						 int known);

/* How many different values were added. */
extern int64_t sdc_leak_values(const SdcLeakSet *set);

/* Starts a place: what was found before is forgotten. */
extern void sdc_leak_start(SdcLeakSet *set, SdcLeakPlace place);

/*
 * Searches a text of the place, UTF-8 or any other bytes.  Read, too, as text
 * with characters written as %40, \u0040, &#64; or =40, and what in it may be
 * base64 or hexadecimal, three times one in the other.  O(length) for each
 * way to read it, times the lengths that values with the same beginning have.
 */
extern void sdc_leak_search(SdcLeakSet *set, const char *text, size_t length);

/* The same for a text that is read as it is, and in no other way. */
extern void sdc_leak_search_words(SdcLeakSet *set, const char *text,
								  size_t length);

/*
 * Searches the place for a number that a value of another type stands for, as
 * the microseconds of a time, without the zeros at its end one by one, too.
 * Many are values by chance, so it counts as a short number does, unless it is
 * sure: one that no such value has by chance.  O(1).
 */
extern void sdc_leak_search_number(SdcLeakSet *set, uint64_t number,
								   bool sure);

/*
 * Was anything met in the place that may be a value, also a number that may be
 * there by chance?  If not, sdc_leak_found gives 0.  O(1).
 */
extern bool sdc_leak_met(const SdcLeakSet *set);

/*
 * How many different values were found in the place; of numbers that may be
 * there by chance only those beyond what chance explains.  O(1).
 */
extern int64_t sdc_leak_found(const SdcLeakSet *set);

#endif
