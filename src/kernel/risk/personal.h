/*
 * personal.h
 *		What a column holds of persons, by its name and by its values.
 */
#ifndef SDC_KERNEL_PERSONAL_H
#define SDC_KERNEL_PERSONAL_H

#include <stddef.h>
#include <stdint.h>

/* Kinds of personal data, by their form or by what they are about. */
typedef enum SdcPersonalKind
{
	SDC_PERSONAL_NONE,
	SDC_PERSONAL_EMAIL,
	SDC_PERSONAL_IBAN,
	SDC_PERSONAL_CARD,
	SDC_PERSONAL_MAC,
	SDC_PERSONAL_IP,
	SDC_PERSONAL_NATIONAL_ID,
	SDC_PERSONAL_POSTCODE,
	SDC_PERSONAL_PHONE,
	SDC_PERSONAL_ADDRESS,
	SDC_PERSONAL_NAME, /* first and last */
	SDC_PERSONAL_FIRST_NAME,
	SDC_PERSONAL_LAST_NAME,
	SDC_PERSONAL_CITY,
	SDC_PERSONAL_TEXT, /* one of the others somewhere in a text */
	/* these by name; a birth by the spread of dates, a sex and a status by
	 * their words, an illness by codes of ICD-10, too */
	SDC_PERSONAL_LOGIN,
	SDC_PERSONAL_BIRTH,
	SDC_PERSONAL_SEX,
	SDC_PERSONAL_STATUS,
	SDC_PERSONAL_INCOME,
	SDC_PERSONAL_RELIGION,
	SDC_PERSONAL_HEALTH,
	SDC_PERSONAL_SECRET,
	SDC_PERSONAL_ID, /* a number of a person, as of a patient */
	SDC_PERSONAL_KINDS
} SdcPersonalKind;

/* The words of the kinds, in that order, "" for none; ends with NULL. */
extern const char *const sdc_personal_words[];

/* The word for a column that was not looked into. */
#define SDC_PERSONAL_UNDECIDED "undecided"

/*
 * The kind that a column of that name has, by words of English, German,
 * French, Spanish, Italian, Dutch, Portuguese and Japanese; UTF-8.  Words are
 * parted by anything but letters and by a capital after a small letter.
 * O(length).
 */
extern SdcPersonalKind sdc_personal_of_name(const char *name);

/*
 * Is a column or a table named after something that is no person, as a
 * template or a colour?  Then a word of it that is also a name is none.
 * O(length).
 */
extern int sdc_personal_is_thing(const char *name);

/* The year of a date as it is usually written, or 0; O(1). */
extern int sdc_personal_year(const char *value);

/* In which lists a word is, in small letters; or'ed. */
typedef enum SdcPersonalList
{
	SDC_IN_FIRST_NAMES = 1,
	SDC_IN_LAST_NAMES = 2,
	SDC_IN_CITIES = 4
} SdcPersonalList;

/* What values look like; the caller sets look_up, context and is_text. */
typedef struct SdcPersonalCounts
{
	/* the lists that a word in small letters is in, SdcPersonalList */
	int (*look_up)(void *context, const char *word);
	void *context;
	int is_text;    /* not a number: only then digits may be a phone */
	int64_t values; /* that were looked at */
	int64_t hits[SDC_PERSONAL_KINDS]; /* that look like each kind */
	int64_t with_at;                  /* that hold an @ */
	int64_t with_digits;              /* that hold a digit */
} SdcPersonalCounts;

/* Longer values are cut before they are looked at. */
#define SDC_PERSONAL_BYTES 1000

/* Takes a value, UTF-8 and ending with '\0', into the counts; O(length). */
extern void sdc_personal_count(SdcPersonalCounts *counts, const char *value);

/*
 * What a value is as a whole, by its characters and check digits alone: an
 * e-mail address, an IBAN, a card, a national or a network number, a phone; or
 * NONE.  O(length).
 */
extern SdcPersonalKind sdc_personal_of_value(const char *value);

/*
 * Where the e-mail address begins and ends whose @ is at, in the string value;
 * 0: there is none around it.  O(length).
 */
extern int sdc_personal_address(const char *value, const char *at,
								const char **begin, const char **end);

/* Has a value a digit and a word of streets?  lower: in small letters. */
extern int sdc_personal_is_street(const char *lower);

/*
 * The kind that most say that the values are, and the share that does; NONE,
 * and 0, when too few do.  different: of the values counted, how many differ.
 */
extern SdcPersonalKind sdc_personal_of_values(const SdcPersonalCounts *counts,
											  int64_t different,
											  double *share);

/*
 * May the values be of a kind that the name of their column says?  Addresses
 * of e-mail have an @, numbers a digit.
 */
extern int sdc_personal_may_be(SdcPersonalKind kind,
							   const SdcPersonalCounts *counts);

/*
 * Writes a string, UTF-8, in small letters, those of ASCII and Latin-1; to has
 * room for as many bytes as from, the last '\0' among them.
 */
extern void sdc_personal_lower(const char *from, char *to);

#endif
