/*
 * separation.c
 *		How well sets of columns tell records apart.
 *
 * The classes of a set of columns are the cells of the table projected on
 * them, so the rows are read once and each set costs a sort of the cells.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/risk/separation.h"
#include "kernel/table/frequency.h"

/* ----------------------------------------------------------------------
 * What role a column may have, guessed from its name, type and values.
 *
 * The name decides when a rule below fits; earlier rules go
 * first, so that email_address is a name of a person and birth_place is not.
 * Otherwise the type does, and how many different values there are.
 * ----------------------------------------------------------------------
 */

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

	if (type == SDC_SUGGESTION_PLACE)
		return suggestion("key", "Others know who lives or works at a place; "
								 "donut moves it.");
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

/* ----------------------------------------------------------------------
 * How well sets of columns tell records apart.
 * ----------------------------------------------------------------------
 */

void
sdc_separation_add(SdcSeparation *separation, int64_t size, int64_t classes)
{
	separation->records += size * classes;
	separation->classes += classes;
	separation->equal += (double) size * (double) (size - 1) / 2 * classes;
}

double
sdc_separation_distinction(const SdcSeparation *separation)
{
	if (separation->records == 0)
		return NAN;
	return (double) separation->classes / (double) separation->records;
}

double
sdc_separation_pairs(const SdcSeparation *separation)
{
	double records = (double) separation->records;

	return records * (records - 1) / 2;
}

double
sdc_separation_share(const SdcSeparation *separation)
{
	double pairs = sdc_separation_pairs(separation);

	if (separation->records < 2)
		return NAN;
	return (pairs - separation->equal) / pairs;
}

int64_t
sdc_separation_subsets(int columns, int largest, int64_t limit)
{
	double subsets = 0;
	double of_size = 1;
	int size;

	for (size = 1; size <= largest && size <= columns; size++)
	{
		of_size = of_size * (columns - size + 1) / size;
		subsets += of_size;
		if (subsets > (double) limit)
			return limit + 1;
	}
	return (int64_t) subsets;
}

/*
 * Turns column[] into the next set of so many columns, in the order of the
 * first, then the second column, and so on; false after the last.
 */
static bool
next_subset(int *column, int size, int columns)
{
	int i = size - 1;

	while (i >= 0 && column[i] == columns - size + i)
		i--;
	if (i < 0)
		return false;
	column[i]++;
	for (i++; i < size; i++)
		column[i] = column[i - 1] + 1;
	return true;
}

static SdcSeparationSubset
measure_subset(SdcHost *host, const SdcFrequency *frequency, int *column,
			   int size)
{
	SdcFrequency *part =
		sdc_frequency_project(host, frequency, column, size, NULL);
	SdcSeparationSubset subset = {.column = column, .size = size};
	int32_t cell;

	for (cell = 0; cell < part->cells; cell++)
		sdc_separation_add(&subset.counts, part->count[cell], 1);
	sdc_frequency_release(host, part);
	return subset;
}

static int
compare_subsets(int32_t a, int32_t b, void *arg)
{
	const SdcSeparationSubset *subsets = arg;
	const SdcSeparation *x = &subsets[a].counts;
	const SdcSeparation *y = &subsets[b].counts;

	if (x->equal != y->equal)
		return x->equal < y->equal ? -1 : 1;
	if (x->classes != y->classes)
		return x->classes > y->classes ? -1 : 1;
	return 0;
}

/* The subsets, best first, in place of those in the order of measuring. */
static SdcSeparationSubset *
best_first(SdcHost *host, SdcSeparationSubset *subsets, int32_t count)
{
	SdcSeparationSubset *sorted = sdc_new(host, SdcSeparationSubset, count);
	int32_t *order = sdc_new(host, int32_t, count);
	int32_t i;

	for (i = 0; i < count; i++)
		order[i] = i;
	sdc_sort_rows(host, order, count, compare_subsets, subsets);
	for (i = 0; i < count; i++)
		sorted[i] = subsets[order[i]];
	host->release(host, order);
	host->release(host, subsets);
	return sorted;
}

SdcSeparationSubset *
sdc_separation_measure(SdcHost *host, const SdcFrequency *frequency,
					   int largest, int32_t *count)
{
	int columns = frequency->columns;
	int32_t total =
		(int32_t) sdc_separation_subsets(columns, largest, INT32_MAX - 1);
	SdcSeparationSubset *subsets = sdc_new(host, SdcSeparationSubset, total);
	int most = largest < columns ? largest : columns;
	int *room = sdc_new(host, int, (size_t) total *(size_t) most);
	int *next = sdc_new(host, int, most);
	int size;
	int i;

	host->stage(host, "measuring key subsets");
	*count = 0;
	for (size = 1; size <= most; size++)
	{
		for (i = 0; i < size; i++)
			next[i] = i;
		do
		{
			int *column = room + (size_t) *count * (size_t) most;

			host->poll(host, *count, total);
			memcpy(column, next, sizeof(int) * (size_t) size);
			subsets[(*count)++] =
				measure_subset(host, frequency, column, size);
		} while (next_subset(next, size, columns));
	}
	host->release(host, next);
	return best_first(host, subsets, *count);
}

/* ----------------------------------------------------------------------
 * The subsets of a size that protect least.
 *
 * Subsets are taken in the order of their columns, and the cells are numbered
 * by their values in the first one, two, ... columns of a subset once for all
 * subsets that begin with these.  Then the last column of a subset costs a
 * count, in an array by number and code where that has not many more places
 * than there are cells.
 * ----------------------------------------------------------------------
 */

/* Places of the array for each cell, at the most. */
#define PLACES_OF_CELL 4

/* Places that each array may have. */
#define FEW_PLACES 4096

typedef struct Subsets
{
	SdcHost *host;
	const SdcFrequency *frequency;
	int size;
	int32_t *group[SDC_SUBSET_MAX_SIZE + 1]; /* of each cell, by columns */
	int32_t groups[SDC_SUBSET_MAX_SIZE + 1];
	size_t room;
	int64_t *count;  /* records, by place */
	int32_t *number; /* of a group, by place */
} Subsets;

static void
find_smallest_alike(SdcHost *host, const SdcFrequency *frequency, int size,
					SdcSubsetClass *subset)
{
	SdcFrequency *part =
		sdc_frequency_project(host, frequency, subset->column, size, NULL);
	SdcClasses *classes = sdc_frequency_classes(host, part, size);
	SdcAlike alike = sdc_wildcard_alike(host, part, classes, size, true);
	int32_t c;

	subset->smallest = 0;
	subset->records = 0;
	for (c = 0; c < classes->classes; c++)
	{
		if (c == 0 || alike.records[c] < subset->smallest)
		{
			subset->smallest = alike.records[c];
			subset->records = 0;
		}
		if (alike.records[c] == subset->smallest)
			subset->records += classes->size[c];
	}
	host->release(host, alike.records);
	sdc_classes_release(host, classes);
	sdc_frequency_release(host, part);
}

/* Places for the groups by so many columns and the codes of one more. */
static size_t
count_places(const Subsets *subsets, int depth, int column)
{
	return (size_t) subsets->groups[depth] *
		   ((size_t) subsets->frequency->values[column] + 1);
}

/* The place of a cell; the code of NULL, which is -1, has the first one. */
static inline size_t
place_of(const Subsets *subsets, int depth, int column, int32_t cell)
{
	const SdcFrequency *frequency = subsets->frequency;

	return (size_t) subsets->group[depth][cell] *
			   ((size_t) frequency->values[column] + 1) +
		   (size_t) (frequency->code[column][cell] + 1);
}

/* Numbers the cells by one column more. */
static void
refine(Subsets *subsets, int depth, int column)
{
	const SdcFrequency *frequency = subsets->frequency;
	int32_t *group = subsets->group[depth + 1];
	size_t places = count_places(subsets, depth, column);
	int32_t groups = 0;
	int32_t i;

	if (places > subsets->room)
	{
		memcpy(group, subsets->group[depth],
			   sizeof(int32_t) * (size_t) frequency->cells);
		subsets->groups[depth + 1] =
			sdc_grouping_refine(subsets->host, frequency->cells,
								frequency->code[column], false, group);
		return;
	}
	memset(subsets->number, 255, sizeof(int32_t) * places);
	for (i = 0; i < frequency->cells; i++)
	{
		int32_t *number =
			&subsets->number[place_of(subsets, depth, column, i)];

		if (*number < 0)
			*number = groups++;
		group[i] = *number;
	}
	subsets->groups[depth + 1] = groups;
}

/* The smallest of so many counts that are not 0. */
static void
find_smallest(const int64_t *count, size_t places, SdcSubsetClass *subset)
{
	size_t i;

	subset->smallest = 0;
	subset->records = 0;
	for (i = 0; i < places; i++)
	{
		if (count[i] == 0 ||
			(subset->smallest > 0 && count[i] > subset->smallest))
			continue;
		if (count[i] != subset->smallest)
			subset->records = 0;
		subset->smallest = count[i];
		subset->records += count[i];
	}
}

/* Measures a subset; the cells are numbered by all columns but the last. */
static void
measure_last(Subsets *subsets, int column, SdcSubsetClass *subset)
{
	const SdcFrequency *frequency = subsets->frequency;
	int depth = subsets->size - 1;
	size_t places = count_places(subsets, depth, column);
	int32_t i;

	if (places > subsets->room)
	{
		refine(subsets, depth, column);
		places = (size_t) subsets->groups[subsets->size];
		memset(subsets->count, 0, sizeof(int64_t) * places);
		for (i = 0; i < frequency->cells; i++)
			subsets->count[subsets->group[subsets->size][i]] +=
				frequency->count[i];
	}
	else
	{
		memset(subsets->count, 0, sizeof(int64_t) * places);
		for (i = 0; i < frequency->cells; i++)
			subsets->count[place_of(subsets, depth, column, i)] +=
				frequency->count[i];
	}
	find_smallest(subsets->count, places, subset);
}

static void
start_subsets(Subsets *subsets, SdcHost *host, const SdcFrequency *frequency,
			  int size)
{
	size_t cells = (size_t) frequency->cells;
	int i;

	memset(subsets, 0, sizeof(*subsets));
	subsets->host = host;
	subsets->frequency = frequency;
	subsets->size = size;
	subsets->room = cells * PLACES_OF_CELL + FEW_PLACES;
	subsets->count = sdc_new(host, int64_t, subsets->room);
	subsets->number = sdc_new(host, int32_t, subsets->room);
	for (i = 0; i <= size; i++)
		subsets->group[i] = sdc_new(host, int32_t, cells);
	memset(subsets->group[0], 0, sizeof(int32_t) * cells);
	subsets->groups[0] = 1;
}

static void
end_subsets(Subsets *subsets)
{
	int i;

	subsets->host->release(subsets->host, subsets->count);
	subsets->host->release(subsets->host, subsets->number);
	for (i = 0; i <= subsets->size; i++)
		subsets->host->release(subsets->host, subsets->group[i]);
}

/* Does a subset protect less than one that was met before it? */
static bool
protects_less(const SdcSubsetClass *a, const SdcSubsetClass *b)
{
	if (a->smallest != b->smallest)
		return a->smallest < b->smallest;
	return a->records > b->records;
}

/* Puts a subset at its place among the worst; the last may fall out. */
static int32_t
keep_subset(const SdcSubsetClass *subset, int32_t count, int32_t room,
			SdcSubsetClass *worst)
{
	int32_t i;

	if (count == room && !protects_less(subset, &worst[room - 1]))
		return count;
	count += count < room;
	for (i = count - 1; i > 0 && protects_less(subset, &worst[i - 1]); i--)
		worst[i] = worst[i - 1];
	worst[i] = *subset;
	return count;
}

/* The first column in which a subset differs from the one before it. */
static int
first_change(const int *column, const int *before, int size)
{
	int i = 0;

	while (i < size - 1 && column[i] == before[i])
		i++;
	return i;
}

int32_t
sdc_subsets_worst(SdcHost *host, const SdcFrequency *frequency, int keys,
				  int size, bool wildcard, int32_t room, SdcSubsetClass *worst)
{
	int64_t total = sdc_separation_subsets(keys, size, INT64_MAX - 1);
	int before[SDC_SUBSET_MAX_SIZE];
	SdcSubsetClass subset;
	Subsets subsets;
	int64_t done = 0;
	int32_t count = 0;
	int i;

	host->stage(host, "measuring key subsets");
	start_subsets(&subsets, host, frequency, size);
	for (i = 0; i < size; i++)
	{
		subset.column[i] = i;
		before[i] = -1;
	}
	do
	{
		host->poll(host, done++, total);
		for (i = first_change(subset.column, before, size);
			 i < size - 1 && !wildcard; i++)
			refine(&subsets, i, subset.column[i]);
		if (wildcard)
			find_smallest_alike(host, frequency, size, &subset);
		else
			measure_last(&subsets, subset.column[size - 1], &subset);
		count = keep_subset(&subset, count, room, worst);
		memcpy(before, subset.column, sizeof(before));
	} while (next_subset(subset.column, size, keys));
	end_subsets(&subsets);
	return count;
}
