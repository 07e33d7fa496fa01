/*
 * pseudonym.h
 *		What is made of the key of a domain: pseudonyms, fakes, numbers of
 *		records.
 */
#ifndef SDC_TOPIC_PSEUDONYM_H
#define SDC_TOPIC_PSEUDONYM_H

#include "postgres.h"

#include "fmgr.h"

#include "kernel/mask/fake.h"

/* A domain of pseudonyms with its key; private to pseudonym.c. */
typedef struct SdcPseudonymDomain SdcPseudonymDomain;

/*
 * What the key of a domain is used for: what is made for one purpose tells
 * nothing about what is made for another.
 */
typedef enum SdcKeyPurpose
{
	SDC_KEY_OF_PSEUDONYMS = 0,
	SDC_KEY_OF_RECORDS = 2,
	SDC_KEY_OF_FAKES = 4,
	SDC_KEY_OF_SHIFTS = 6,
	SDC_KEY_OF_FORMS = 8,
	SDC_KEY_OF_SAMPLES = 10
} SdcKeyPurpose;

/*
 * Finds the key of a domain, or makes one where there is none yet; period may
 * be NULL, which is a period of its own.  In the memory context of the caller.
 * Rights are not checked: every function that SQL calls with the name of a
 * domain is granted to nobody.
 */
extern SdcPseudonymDomain *sdcpg_domain_find(const char *domain,
											 const char *period,
											 SdcKeyPurpose purpose);

/*
 * 256 bits for a text of the database, the same in every encoding; group keeps
 * the hashes of one purpose apart, -1 for none.
 */
extern void sdcpg_domain_hash(const SdcPseudonymDomain *domain, int group,
							  const char *value, int length, uint8 *output);

/*
 * Arguments that seldom change from row to row, and what was made of them.
 * Found in fn_extra of a function, for as long as it is called.
 */
typedef struct SdcSeldom
{
	int count;
	text *word[6]; /* NULL: the argument is NULL */
	void *made;    /* NULL: nothing yet */
	MemoryContext context;
} SdcSeldom;

/*
 * What was made of arguments number first to last, all of them texts; made is
 * NULL when one has changed, and what is then made belongs into the context.
 */
extern SdcSeldom *sdcpg_seldom(FunctionCallInfo fcinfo, int first, int last);

/* An argument as a string, NULL where it is NULL. */
extern char *sdcpg_seldom_string(const SdcSeldom *seldom, int i);

/*
 * The domain, for numbers of records; its key is made when there is none yet.
 * Stops unless the caller may execute sdc.pseudonym: who can ask for the
 * numbers of his own list of records can undo what is made of them.
 */
extern SdcPseudonymDomain *sdcpg_record_domain(const char *domain);

/*
 * 64 bits for a record, equal for equal ids: a keyed hash of its own, that no
 * pseudonym of the domain tells.
 */
extern uint64 sdcpg_record_key(SdcPseudonymDomain *domain, const char *id);

/*
 * The lists of a locale, read from a file of the extension when a backend
 * first asks for them and kept as long as it lives.  A file that is missing or
 * lacks a list stops with an error that names it.
 */
extern const SdcFakeList *sdcpg_fake_lists(SdcFakeLocale locale);

/* What fakes of one kind are made with. */
typedef struct SdcFaker
{
	SdcFakeKind kind;
	SdcFakeLocale locale;
	const SdcFakeList *lists;
	SdcPseudonymDomain *domain; /* not of drawn ones */
} SdcFaker;

/* Stops where the locale has no fakes of the kind. */
extern void sdcpg_faker_need(const SdcFaker *faker);

/*
 * The fake of a value of a person, which is not the value itself; size: the
 * most characters that it may have, 0: any.
 */
extern text *sdcpg_fake_of(const SdcFaker *faker, const text *value,
						   const text *person, SdcFakeSex sex, int size);

/*
 * The fake of 256 random bits; size as above, of a text the characters that it
 * has, below SDC_FAKE_BYTES.  No key is used.
 */
extern text *sdcpg_fake_drawn(const SdcFaker *faker, SdcFakeSex sex,
							  const uint64 hash[4], int size);

/* What a column of sexes may hold, in any case; others are neither. */
extern SdcFakeSex sdcpg_fake_sex(const text *word);

/*
 * The lists that a word in small letters is in, of all locales together
 * (SdcPersonalList); context is not read.
 */
extern int sdcpg_personal_look_up(void *context, const char *word);

/*
 * Has all servers have the key of a domain, for masks that they run.  The
 * owner of sdc makes one that is missing; for others it stops, as workers talk
 * to them in transactions that do not see what the owner writes in this one.
 */
extern void sdcpg_pseudonym_spread(const char *domain);

#endif
