/*
 * fake.h
 *		Values that look real, made of a keyed hash and of lists.
 *
 * All is a function of 256 bits, which nobody without the key can tell from
 * random ones, so a fake says nothing about what it stands for.  Kinds of one
 * group are made to fit each other: first name, last name, login and e-mail
 * address of one hash are those of one person, and street, postcode and city
 * those of one place.
 */
#ifndef SDC_KERNEL_FAKE_H
#define SDC_KERNEL_FAKE_H

#include <stdint.h>

#include "kernel/base/host.h"

/* What a fake looks like. */
typedef enum SdcFakeKind
{
	SDC_FAKE_FIRST_NAME,
	SDC_FAKE_LAST_NAME,
	SDC_FAKE_NAME,  /* both, in the order of the locale */
	SDC_FAKE_LOGIN, /* of the name, with a tail of ten characters */
	SDC_FAKE_EMAIL, /* the same at a host that RFC 2606 reserves */
	SDC_FAKE_STREET,
	SDC_FAKE_CITY,
	SDC_FAKE_POSTCODE,
	SDC_FAKE_ADDRESS, /* all three in a line */
	SDC_FAKE_PHONE,   /* of a range that belongs to nobody */
	SDC_FAKE_COMPANY,
	SDC_FAKE_IBAN, /* with the check digits of the country and of the bank */
	SDC_FAKE_CARD, /* 16 digits, Luhn */
	/* of persons: US, DE, FR, ES, JP by locale, with check digits */
	SDC_FAKE_NATIONAL_ID,
	SDC_FAKE_TEXT /* words that mean nothing */
} SdcFakeKind;

/* The words of the kinds, in that order; ends with NULL. */
extern const char *const sdc_fake_words[];

/* Whose names, addresses and numbers fakes are like. */
typedef enum SdcFakeLocale
{
	SDC_FAKE_EN,
	SDC_FAKE_DE,
	SDC_FAKE_FR,
	SDC_FAKE_ES,
	SDC_FAKE_JA
} SdcFakeLocale;

/* The words of the locales, in that order; ends with NULL. */
extern const char *const sdc_fake_locales[];

/* Of whom a first name is. */
typedef enum SdcFakeSex
{
	SDC_FAKE_ANY, /* one of the next two, by the hash */
	SDC_FAKE_FEMALE,
	SDC_FAKE_MALE
} SdcFakeSex;

/* The lists of a locale, in the order of their words. */
typedef enum SdcFakeListName
{
	SDC_FAKE_FIRST_F, /* first names of women */
	SDC_FAKE_FIRST_M, /* and of men */
	SDC_FAKE_LAST,
	SDC_FAKE_STREETS,
	SDC_FAKE_PLACES, /* other: the postcode, # for any digit */
	SDC_FAKE_LEGAL,  /* legal forms of companies */
	SDC_FAKE_LISTS
} SdcFakeListName;

/* The words of the lists, in that order; ends with NULL. */
extern const char *const sdc_fake_lists[];

/* One list of a locale. */
typedef struct SdcFakeList
{
	int count;
	const char **value; /* UTF-8, at most SDC_FAKE_VALUE bytes */
	const char **other; /* names: in Latin letters; NULL: as value */
} SdcFakeList;

/* Bytes of an entry of a list at the most. */
#define SDC_FAKE_VALUE 96

/* Bytes that every kind but text has at the most, with the last '\0'. */
#define SDC_FAKE_BYTES 512

/* Characters of a text at the most. */
#define SDC_FAKE_TEXT_MAX 4000

/* The group of a kind, a number: kinds of one group are made of one hash. */
extern int sdc_fake_group(SdcFakeKind kind);

/*
 * Writes the fake of a hash of four times 64 bits, UTF-8, into out, which has
 * room for SDC_FAKE_BYTES, for a text for size + 1 bytes.  size is the number
 * of characters that a text is to have, and that the others may have at the
 * most, 0 for any: names and addresses are cut, the tail of a login is not.
 * Every list of the locale has an entry.  O(size).  Returns 0 where the locale
 * has no such number, or size is too small for one that cannot be cut.
 */
extern int sdc_fake_make(SdcFakeKind kind, SdcFakeLocale locale,
						 const SdcFakeList *lists, SdcFakeSex sex,
						 const uint64_t hash[4], int size, char *out);

/*
 * Characters that a fake has at the least and cannot be cut to fewer; 0: none.
 */
extern int sdc_fake_least(SdcFakeKind kind, SdcFakeLocale locale);

/*
 * Among how many equally likely fakes of size characters, 0 for any, a hash
 * chooses, at the least: n values then share one with probability below
 * n * n / 2 / variety.  Logins differ by their tail, and by the names before
 * it where there is room.  O(n log n) of the entries of the lists.
 */
extern double sdc_fake_variety(SdcHost *host, SdcFakeKind kind,
							   SdcFakeLocale locale, const SdcFakeList *lists,
							   int size);

/* Days that dates are moved at the most. */
#define SDC_FAKE_MOST_DAYS 36500

/* A number of days from -days to days without 0, by a hash; days >= 1. */
extern int32_t sdc_fake_shift(const uint64_t hash[4], int32_t days);

#endif
