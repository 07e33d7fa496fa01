/*
 * suggestion.c
 *		What role a column may have, guessed from its name, type and values.
 *
 * The name decides when a rule below fits; earlier rules go
 * first, so that email_address is a name of a person and birth_place is not.
 * Otherwise the type does, and how many different values there are.
 */
#include "kernel/risk/suggestion.h"

#include <string.h>

/* Longest name that is looked at; PostgreSQL's have at most 63 bytes. */
#define LONGEST 256

/* Types that a rule holds for. */
#define OF(type) (1u << (type))
#define ANY      (~0u)
#define NUMBERS  (OF(SDC_SUGGESTION_INTEGER) | OF(SDC_SUGGESTION_REAL))

/*
 * Words that a name holds one of; several words that stand one after another
 * are joined by a hyphen.  Parted and framed by spaces.
 */
static const char household[] = " household hh hhid family-id family-number ";

static const char body[] = " body-weight birth-weight ";

static const char weight[] =
	" weight pweight fnlwgt wgt sampling-weight design-weight ";

static const char strata[] = " strata stratum ";

static const char contact[] =
	" email e-mail mail phone telephone mobile fax ssn social-security "
	"national-insurance nino passport iban account-number account-no "
	"credit-card card-number licence license plate vin username user-name "
	"login password ip ip-address mac-address imei url photo signature "
	"tax-id tax-number insurance-number address street house-number ";

static const char person[] =
	" surname forename firstname first-name lastname last-name middle-name "
	"maiden-name full-name given-name family-name nickname fname lname "
	"initials ";

static const char known[] =
	" birth dob dateofbirth born birthday birthdate birthyear birthplace "
	"death died age sex gender zip zipcode postcode postal postal-code city "
	"town village county district municipality region province state country "
	"nation nationality native citizenship location latitude longitude race "
	"ethnic ethnicity marital married education educ school university degree "
	"occupation job profession employer workclass industry language children "
	"height ";

static const char confidential[] =
	" income salary wage earning pay revenue expenditure capital debt wealth "
	"tax credit balance benefit pension diagnosis disease illness condition "
	"hiv health icd medication drug treatment therapy disability smoker "
	"alcohol blood genetic pregnancy pregnant religion political party vote "
	"sexual orientation crime offence offense conviction ";

static const char name_of_any[] = " name ";

/* Names of numbers that are given to records or persons. */
static const char numbers[] = " id uuid guid pk pseudonym recordnumber ";

/* A role for names with one of the words, when the type is one of these. */
typedef struct Rule
{
	const char *words;
	unsigned types;
	SdcSuggestion suggestion;
} Rule;

static const Rule rules[] = {
	{household,
	 ANY,
	 {"household", "Its name says that it tells households apart."}},
	{body, ANY, {"key", "Its name says what others see or know of a person."}},
	{weight,
	 NUMBERS,
	 {"weight", "Its name says that it is the weight of a sample; a weight of "
				"the body would be a key."}},
	{strata, ANY, {"strata", "Its name says that it is a stratum."}},
	{contact,
	 ANY,
	 {"identifier", "Its name says that it leads to one person or home."}},
	{person,
	 ANY,
	 {"identifier", "Its name says that it holds names of persons."}},
	{known, ANY, {"key", "Its name says what others may know of a person."}},
	{confidential,
	 ANY,
	 {"sensitive", "Its name says what nobody should learn of a person."}},
	{name_of_any,
	 ANY,
	 {"identifier", "Its name says that it holds names, perhaps of persons."}},
};

static char
small(char letter)
{
	return letter >= 'A' && letter <= 'Z' ? (char) (letter - 'A' + 'a')
										  : letter;
}

static bool
is_capital(char letter)
{
	return letter >= 'A' && letter <= 'Z';
}

static bool
is_letter(char letter)
{
	return small(letter) >= 'a' && small(letter) <= 'z';
}

/*
 * Writes a name as small words joined by hyphens: dateOfBirth2 becomes
 * date-of-birth.
 */
static void
join_words(const char *name, char *joined)
{
	char before = '\0';
	size_t length = 0;

	for (; *name != '\0' && length < LONGEST - 2; before = *name++)
	{
		if (!is_letter(*name))
			continue;
		if (length > 0 &&
			(!is_letter(before) || (is_capital(*name) && !is_capital(before))))
			joined[length++] = '-';
		joined[length++] = small(*name);
	}
	joined[length] = '\0';
}

/*
 * Does word, of that length, stand in joined, from the start of a word of it
 * to the end of one?  An s may follow.
 */
static bool
holds_word(const char *joined, const char *word, size_t length)
{
	const char *at;

	for (at = joined; *at != '\0'; at++)
	{
		const char *end = at + length;

		if ((at > joined && at[-1] != '-') || strncmp(at, word, length) != 0)
			continue;
		if (*end == 's')
			end++;
		if (*end == '\0' || *end == '-')
			return true;
	}
	return false;
}

static bool
holds_any(const char *joined, const char *words)
{
	const char *word = words + 1;

	while (*word != '\0')
	{
		size_t length = strcspn(word, " ");

		if (holds_word(joined, word, length))
			return true;
		word += length + 1;
	}
	return false;
}

/* Does every record have a value of its own? */
static bool
is_unique(const SdcSeparation *counts)
{
	return counts != NULL && counts->records > 1 &&
		   counts->classes == counts->records;
}

static SdcSuggestion
suggestion(const char *role, const char *reason)
{
	SdcSuggestion made;

	made.role = role;
	made.reason = reason;
	return made;
}

/* By the number of different values, for types whose values are looked at. */
static SdcSuggestion
judge_values(SdcSuggestionType type, const SdcSeparation *counts)
{
	bool many = counts != NULL && counts->classes * 2 > counts->records;

	if (counts != NULL && counts->records > 1 && counts->classes == 1)
		return suggestion("insensitive", "All records have the same value.");
	if (type == SDC_SUGGESTION_INTEGER && is_unique(counts))
		return suggestion("identifier",
						  "Every record has a number of its own.");
	if (type == SDC_SUGGESTION_TEXT && many && counts->records > 1)
		return suggestion("identifier",
						  "Most records have a text of their own: a name, a "
						  "number, or free text.");
	if (type == SDC_SUGGESTION_DATE)
		return suggestion("key", "Dates of events are often known to others.");
	if (type == SDC_SUGGESTION_REAL ||
		(type == SDC_SUGGESTION_INTEGER && many && counts->records > 1))
		return suggestion("sensitive",
						  "A measured number; a key if others can know it.");
	return suggestion("key", "Nothing says that others cannot know it.");
}

SdcSuggestion
sdc_suggestion_make(const char *name, SdcSuggestionType type,
					const SdcSeparation *counts)
{
	char joined[LONGEST];
	size_t i;

	join_words(name, joined);
	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if ((rules[i].types & OF(type)) && holds_any(joined, rules[i].words))
			return rules[i].suggestion;
	if (holds_any(joined, numbers))
		return is_unique(counts)
				   ? suggestion("id", "Its name says that it is a number of "
									  "records, and no two have the same.")
				   : suggestion("identifier", "Its name says that it is the "
											  "number of something.");
	if (type == SDC_SUGGESTION_ADDRESS)
		return suggestion("identifier",
						  "Its type says that it leads to one machine or "
						  "record.");
	if (type == SDC_SUGGESTION_OTHER)
		return suggestion("identifier",
						  "Values of its type may hold anything, and are not "
						  "looked into.");
	return judge_values(type, counts);
}
