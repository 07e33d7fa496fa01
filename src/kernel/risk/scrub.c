/*
 * scrub.c
 *		Identifiers in a free text.
 *
 * At each place where a word begins, from left to right: the longest of the
 * known values, then what the characters say, then a street, then a name.  A
 * known value is compared by its letters and digits, and in other spellings,
 * as the search for leaks does (letters.h), so what that finds of one row is
 * found here.
 */
#include <string.h>

#include "kernel/risk/leak.h"
#include "kernel/risk/letters.h"
#include "kernel/risk/scrub.h"

/* Letters and digits that are within a word by chance: fewer are. */
#define SURE_LETTERS 12

/* Bytes of a number with what stands between its digits, at the most. */
#define MOST_NUMBER 48

/* Bytes before the @ of an address, at the most. */
#define MOST_LOCAL 128

/* Bytes of a word that is looked up. */
#define WORD_BYTES 64

/* Words of an address or a name, at the most. */
#define MOST_WORDS 6

/* ----------------------------------------------------------------------
 * Known values.
 * ----------------------------------------------------------------------
 */

/*
 * Brings a name into one form of all its spellings: of letters that may be two
 * the first, and what may stand behind it.
 */
static void
join_spellings(SdcScrubKnown *known, const uint8_t *mark)
{
	int length = 0;
	int spelled = 0;
	int i;

	for (i = 0; i < known->letters; i++)
	{
		bool written;
		uint32_t second = spelled == SDC_LETTERS_SPELLED
							  ? 0
							  : sdc_letter_second(known->code, mark, i,
												  known->letters, &written);

		known->code[length] = known->code[i];
		known->second[length++] = (uint8_t) second;
		spelled += second != 0;
		i += second != 0 && written;
	}
	known->length = length;
}

void
sdc_scrub_know(SdcScrubKnown *known, const char *value, size_t length)
{
	const uint8_t *at = (const uint8_t *) value;
	const uint8_t *end = at + length;
	uint8_t mark[SDC_SCRUB_CODES];
	bool address = memchr(value, '@', length) != NULL;
	bool gap = true;
	int digits = 0;
	int count = 0;

	while (at < end && count < SDC_SCRUB_CODES)
	{
		uint32_t character = sdc_letter_next(&at, end);
		uint8_t is;
		uint32_t code = sdc_letter_fold(character, &is);

		if (sdc_letter_is_unseen(character))
		{
			if (count > 0)
				mark[count - 1] |= sdc_letter_marked(character);
			continue;
		}
		if (code != 0)
		{
			mark[count] = is | (gap ? SDC_LETTER_AFTER_GAP : 0);
			known->code[count++] = code;
			digits += (is & SDC_LETTER_DIGIT) != 0;
		}
		gap = code == 0;
	}
	known->letters = known->length = count;
	known->within =
		count >= SURE_LETTERS && digits < count && (digits > 0 || address);
	memset(known->second, 0, sizeof(known->second));
	if (!address && digits < count)
		join_spellings(known, mark);
}

/* Is there a letter or digit at a place? */
static int
is_letter_at(const uint8_t *at, const uint8_t *end)
{
	uint32_t character;
	uint8_t is;

	while (at < end)
	{
		character = sdc_letter_next(&at, end);
		if (!sdc_letter_is_unseen(character))
			return sdc_letter_fold(character, &is) != 0 &&
				   !(is & SDC_LETTER_WIDE);
	}
	return 0;
}

/*
 * Where a known value from one code on, of which some were met, that begins at
 * a place ends; NULL: it does not.  Calls itself where a letter may be two, so
 * not deeper than SDC_LETTERS_SPELLED.
 */
static const uint8_t *
end_of_known(const SdcScrubKnown *known, int met, const uint8_t *at,
			 const uint8_t *end)
{
	uint32_t second = 0; /* may come now, but need not */

	while ((met < known->length || second != 0) && at < end)
	{
		const uint8_t *before = at;
		uint32_t character = sdc_letter_next(&at, end);
		uint8_t is;
		uint32_t code = sdc_letter_fold(character, &is);

		if (sdc_letter_is_unseen(character))
			continue;
		if (second != 0 && code == second)
		{
			const uint8_t *after = end_of_known(known, met, at, end);

			if (after != NULL)
				return after;
		}
		second = 0;
		if (met == known->length)
		{
			at = before;
			break;
		}
		if (code == 0 ? met == 0 : code != known->code[met])
			return NULL;
		if (code != 0)
			second = known->second[met++];
	}
	return met == known->length && (known->within || !is_letter_at(at, end))
			   ? at
			   : NULL;
}

/* The longest known value at a place; -1: none. */
static int
find_known(const SdcScrub *scrub, const uint8_t *at, const uint8_t *end,
		   int word, const uint8_t **after)
{
	int found = -1;
	int i;

	for (i = 0; i < scrub->count; i++)
	{
		const SdcScrubKnown *known = &scrub->known[i];
		const uint8_t *here;

		if (known->letters < 3 || (!word && !known->within) ||
			(found >= 0 && known->letters <= scrub->known[found].letters))
			continue;
		here = end_of_known(known, 0, at, end);
		if (here == NULL)
			continue;
		found = i;
		*after = here;
	}
	return found;
}

/* ----------------------------------------------------------------------
 * Words.
 * ----------------------------------------------------------------------
 */

static int
is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

static int
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int
is_word(char c)
{
	return is_capital(c) || (c >= 'a' && c <= 'z') || is_digit(c) ||
		   (unsigned char) c >= 0x80;
}

/*
 * Where a word ends; a hyphen or an apostrophe between letters is of it.  A
 * longer one is cut, so that no text takes the square of its length.
 */
static const char *
end_of_word(const char *at)
{
	const char *most = at + 4 * WORD_BYTES;

	while (at < most &&
		   (is_word(*at) || ((*at == '-' || *at == '\'') && is_word(at[1]))))
		at++;
	return at;
}

/* Is the first letter a capital, of ASCII, Latin-1, Greek or Cyrillic? */
static int
begins_capital(const char *word)
{
	const uint8_t *at = (const uint8_t *) word;
	uint32_t c;

	if ((unsigned char) *word < 0x80)
		return is_capital(*word);
	c = sdc_letter_next(&at, at + strnlen(word, 4));
	return (c >= 0xc0 && c <= 0xde) || (c >= 0x391 && c <= 0x3a9) ||
		   (c >= 0x400 && c <= 0x42f) ||
		   (c >= 0x100 && c < 0x180 && c % 2 == 0);
}

/* A word in small letters; 0 when it is too long. */
static int
lower_word(const char *word, const char *end, char *lower)
{
	char copy[WORD_BYTES];

	if (end - word >= WORD_BYTES || end == word)
		return 0;
	memcpy(copy, word, end - word);
	copy[end - word] = '\0';
	sdc_personal_lower(copy, lower);
	return 1;
}

/* Is a word among those of a list that is written " a b c "? */
static int
is_among(const char *word, const char *end, const char *list)
{
	char lower[WORD_BYTES];
	char padded[WORD_BYTES + 2];
	size_t length = (size_t) (end - word);

	if (length + 3 > sizeof(padded) || !lower_word(word, end, lower))
		return 0;
	padded[0] = ' ';
	memcpy(padded + 1, lower, length);
	padded[length + 1] = ' ';
	padded[length + 2] = '\0';
	return strstr(list, padded) != NULL;
}

/* Where the next word of a line begins after one blank; NULL: none does. */
static const char *
next_word(const char *end)
{
	if (*end == '.' && end[1] == ' ')
		end++;
	return *end == ' ' && is_word(end[1]) ? end + 1 : NULL;
}

/* ----------------------------------------------------------------------
 * What the characters say.
 * ----------------------------------------------------------------------
 */

/* The kind of the bytes between two places. */
static SdcPersonalKind
kind_of(const char *begin, const char *end)
{
	char copy[256];

	if (end <= begin || (size_t) (end - begin) >= sizeof(copy))
		return SDC_PERSONAL_NONE;
	memcpy(copy, begin, end - begin);
	copy[end - begin] = '\0';
	return sdc_personal_of_value(copy);
}

/* An e-mail address that begins at a place. */
static const char *
end_of_address(const char *text, const char *at)
{
	const char *sign = at;
	const char *begin;
	const char *end;

	/* scripts without blanks may stand before it */
	while (*sign != '\0' && sign - at < MOST_LOCAL &&
		   (unsigned char) *sign < 0xe2 &&
		   strchr(" \t\r\n<>()[],;:\"'@", *sign) == NULL)
		sign++;
	return *sign == '@' && sdc_personal_address(text, sign, &begin, &end) &&
				   begin <= at
			   ? end
			   : NULL;
}

/* 415-555-0132 and (415) 555-0132, without a sign that it is a phone. */
static int
is_local_phone(const char *at, const char *end)
{
	char digits[16];
	int groups[3] = {0};
	int group = -1;
	int count = 0;

	for (; at < end; at++)
	{
		if (!is_word(*at))
			continue;
		if (!is_digit(*at) || count == 10)
			return 0;
		if (count == 0 || !is_digit(at[-1]))
			group++;
		if (group > 2)
			return 0;
		groups[group]++;
		digits[count++] = *at;
	}
	return count == 10 && groups[0] == 3 && groups[1] == 3 && digits[0] > '1';
}

/* The longest number of persons that begins at a place, NULL: none does. */
static const char *
end_of_number(const char *at, SdcPersonalKind *kind)
{
	const char *ends[MOST_NUMBER];
	const char *end = at;
	int count = 0;
	int digits = 0;

	if (!is_word(*at) && strchr("+(", *at) == NULL)
		return NULL;
	while (*end != '\0' && end - at < MOST_NUMBER &&
		   (((unsigned char) *end < 0x80 && is_word(*end)) ||
			strchr(" ()./-+:", *end) != NULL))
	{
		digits += is_digit(*end);
		if (is_word(*end) && !is_word(end[1]))
			ends[count++] = end + 1;
		end++;
	}
	if (digits < 4)
		return NULL;
	while (count-- > 0)
	{
		*kind = kind_of(at, ends[count]);
		if (*kind == SDC_PERSONAL_NONE && is_local_phone(at, ends[count]))
			*kind = SDC_PERSONAL_PHONE;
		if (*kind != SDC_PERSONAL_NONE)
			return ends[count];
	}
	return NULL;
}

/* A day in digits, which begins as a phone does, and what is written so. */
static const char *
end_of_date(const char *at)
{
	const char *end = at;

	while (end - at < 20 && *end != '\0' &&
		   (is_digit(*end) || strchr("./-:", *end) != NULL))
		end++;
	if (end - at < 8 || end - at > 19)
		return NULL;
	while (end > at && !is_digit(end[-1]))
		end--;
	return end - at == 10 && (at[2] == at[5] || at[4] == at[7]) &&
				   (!is_digit(at[2]) || !is_digit(at[4])) &&
				   kind_of(at, end) == SDC_PERSONAL_NONE
			   ? end
			   : NULL;
}

/* ----------------------------------------------------------------------
 * Streets and names.
 * ----------------------------------------------------------------------
 */

#define PARTICLES                                                             \
	" von van de der den da di del della du des la le el al bin ben los las " \
	"und y e zu zur am im an auf the of "

/* A house number: up to five digits and a letter. */
static int
is_house(const char *word, const char *end)
{
	int digits = 0;

	while (word + digits < end && is_digit(word[digits]))
		digits++;
	return digits > 0 && digits <= 5 && end - word - digits <= 1;
}

/* May a street begin with a word? */
static int
begins_street(const char *word, const char *end)
{
	return begins_capital(word) ||
		   is_among(word, end,
					" rue avenue boulevard chemin impasse quai place calle "
					"plaza paseo via ");
}

/* May a word be of a street: with a capital, or one between? */
static int
is_of_street(const char *word, const char *end)
{
	return begins_street(word, end) || is_among(word, end, PARTICLES);
}

/* Does a part of the text read as a street with its number? */
static int
is_street(const char *begin, const char *end)
{
	char copy[256];
	char lower[256];

	if ((size_t) (end - begin) + 2 > sizeof(copy))
		return 0;
	memcpy(copy, begin, end - begin);
	/* some words of streets end with a blank */
	copy[end - begin] = ' ';
	copy[end - begin + 1] = '\0';
	sdc_personal_lower(copy, lower);
	return sdc_personal_is_street(lower);
}

/* A street with its number, before or behind it, that begins at a place. */
static const char *
end_of_street(const char *at)
{
	const char *word = at;
	const char *found = NULL;
	const char *end = end_of_word(at);
	int before = is_house(at, end);
	int words;

	if (!before && !begins_street(at, end))
		return NULL;
	for (words = 1; words < MOST_WORDS; words++)
	{
		if (*end == ',' &&
			((before && words == 1) || (end[1] == ' ' && is_digit(end[2]))))
			end++;
		word = next_word(end);
		if (word == NULL)
			return found;
		end = end_of_word(word);
		if (before && found == NULL && is_of_street(word, end))
			found = is_street(at, end) ? end : NULL;
		else if (before && found != NULL && begins_capital(word))
			found = end; /* rue de la Paix: what follows is of the name */
		else if (!before && is_house(word, end))
			return is_street(at, end) ? end : NULL;
		else if (!is_of_street(word, end))
			return found;
	}
	return found;
}

/* In which lists a word is. */
static int
lists_of(const SdcScrub *scrub, const char *word, const char *end)
{
	char lower[WORD_BYTES];

	if (scrub->look_up == NULL || !lower_word(word, end, lower))
		return 0;
	return scrub->look_up(scrub->context, lower);
}

/*
 * The end of the last name after a place; NULL: there is none.  Without
 * capital: the first name had none, and any last name is of a list.
 */
static const char *
end_of_last(const SdcScrub *scrub, const char *end, int capital)
{
	const char *word = next_word(end);
	int words;

	for (words = 0; word != NULL && words < 3; words++)
	{
		end = end_of_word(word);
		if (is_digit(*word))
			return NULL;
		if ((capital && begins_capital(word) && end - word > 1) ||
			(lists_of(scrub, word, end) & SDC_IN_LAST_NAMES))
			return end;
		/* an initial, or von */
		if (!begins_capital(word) && !is_among(word, end, PARTICLES))
			return NULL;
		word = next_word(end);
	}
	return NULL;
}

/* Does the text before a place end a sentence, or is there none? */
static int
begins_sentence(const char *text, const char *at)
{
	while (at > text && strchr(" \t\"'(", at[-1]) != NULL)
		at--;
	return at == text || strchr(".!?:;\r\n", at[-1]) != NULL;
}

static int
is_title(const char *word, const char *end)
{
	return is_among(word, end,
					" mr mrs ms miss dr prof herr herrn frau mme mlle "
					"monsieur madame sr sra señor señora don doña signor "
					"signora ");
}

/* Does a title stand before a place: "Mrs. "? */
static int
follows_title(const char *text, const char *at)
{
	const char *end = at;
	const char *word;

	while (end > text && at - end < 3 && (end[-1] == ' ' || end[-1] == '.'))
		end--;
	word = end;
	while (word > text && end - word < 16 && is_word(word[-1]))
		word--;
	return end < at && is_title(word, end);
}

/* The end of the words with a capital after a word, two at the most. */
static const char *
end_of_capitals(const char *end)
{
	int words;

	for (words = 0; words < 2; words++)
	{
		const char *word = *end == ' ' ? next_word(end) : NULL;

		if (word == NULL || !begins_capital(word))
			break;
		end = end_of_word(word);
	}
	return end;
}

/* A name of a person that begins at a place. */
static const char *
end_of_name(const SdcScrub *scrub, const char *text, const char *at,
			SdcScrubFind *find)
{
	const char *end = end_of_word(at);
	int lists = lists_of(scrub, at, end);
	const char *last;

	find->kind = SDC_PERSONAL_NAME;
	if (lists & SDC_IN_FIRST_NAMES)
	{
		last = end_of_last(scrub, end, begins_capital(at));
		if (last != NULL)
			return last;
		if (begins_capital(at) && !begins_sentence(text, at))
		{
			find->kind = SDC_PERSONAL_FIRST_NAME;
			return end;
		}
	}
	/* Berger, Anna */
	if (begins_capital(at) && *end == ',' && end[1] == ' ' &&
		begins_capital(end + 2) &&
		(lists_of(scrub, end + 2, end_of_word(end + 2)) & SDC_IN_FIRST_NAMES))
		return end_of_word(end + 2);
	find->kind = SDC_PERSONAL_LAST_NAME;
	return begins_capital(at) && !is_title(at, end) && follows_title(text, at)
			   ? end_of_capitals(end)
			   : NULL;
}

/* What begins with a word at a place; NULL: nothing does. */
static const char *
end_at_word(const SdcScrub *scrub, const char *text, const char *at,
			SdcScrubFind *find)
{
	const char *end = end_of_address(text, at);

	find->kind = SDC_PERSONAL_EMAIL;
	if (end != NULL)
		return end;
	if (is_word(*at) || *at == '+' || *at == '(')
		end = end_of_number(at, &find->kind);
	if (end != NULL)
		return end;
	if (!is_word(*at))
		return NULL;
	end = end_of_street(at);
	find->kind = SDC_PERSONAL_ADDRESS;
	return end != NULL ? end : end_of_name(scrub, text, at, find);
}

/* Is the byte before a place the end of a word of the same script? */
static int
is_in_word(const char *text, const char *at)
{
	const uint8_t *before = (const uint8_t *) at;

	if (at == text || !is_word(at[-1]))
		return 0;
	/* scripts without blanks have no words */
	return !(at - text >= 3 && before[-1] >= 0x80 && before[-1] < 0xc0 &&
			 before[-2] < 0xc0 && before[-3] >= 0xe2);
}

/* What is found at a place; NULL: nothing. */
static const char *
end_of_find(const SdcScrub *scrub, const char *text, const char *at,
			const char *end, SdcScrubFind *find)
{
	int word = !is_in_word(text, at);
	const uint8_t *after = NULL;

	find->begin = (size_t) (at - text);
	find->known = find_known(scrub, (const uint8_t *) at,
							 (const uint8_t *) end, word, &after);
	if (find->known >= 0)
		return (const char *) after;
	return word ? end_at_word(scrub, text, at, find) : NULL;
}

int
sdc_scrub_find(const SdcScrub *scrub, const char *text, size_t length,
			   size_t from, size_t to, SdcScrubFind *find)
{
	const char *at = text + from;
	const char *before = text + to;

	while (at < before)
	{
		const char *date = is_in_word(text, at) ? NULL : end_of_date(at);
		/* not in the middle of a character */
		const char *end =
			date != NULL || ((unsigned char) *at & 0xc0) == 0x80
				? NULL
				: end_of_find(scrub, text, at, text + length, find);

		if (end != NULL)
		{
			find->end = (size_t) (end - text);
			return 1;
		}
		at = date != NULL ? date : at + 1;
	}
	return 0;
}

/* ----------------------------------------------------------------------
 * Parts of a list or a document, for the search of leaks (leak.h).
 * ----------------------------------------------------------------------
 */

/* What looks through the parts of a text. */
typedef struct Parts
{
	SdcLeakSet *set; /* to which they are added; NULL: to none */
	bool sign;       /* is one a sign of a person? */
} Parts;

/* Takes a part when it is an address or a number; was it? */
static bool
take_part(Parts *parts, const char *part, size_t length)
{
	SdcPersonalKind kind;
	char copy[256];

	if (length < SDC_LEAK_LEAST || length >= sizeof(copy))
		return false;
	memcpy(copy, part, length);
	copy[length] = '\0';
	kind = sdc_personal_of_value(copy);
	if (kind == SDC_PERSONAL_NONE)
		return false;
	if (parts->set != NULL)
		sdc_leak_add(parts->set, copy, length,
					 kind == SDC_PERSONAL_PHONE  ? SDC_LEAK_PHONE
					 : kind == SDC_PERSONAL_IBAN ? SDC_LEAK_IBAN
												 : 0);
	parts->sign |= kind == SDC_PERSONAL_EMAIL || kind == SDC_PERSONAL_IBAN ||
				   (kind == SDC_PERSONAL_PHONE && *part == '+');
	return true;
}

/* Takes the parts between separators; of others the parts between these. */
static void
take_parts(Parts *parts, const char *text, size_t length,
		   const char *const *separators)
{
	size_t begin = 0;
	size_t i;

	for (i = 0; i <= length; i++)
	{
		if (i < length &&
			(text[i] == '\0' || strchr(*separators, text[i]) == NULL))
			continue;
		while (begin < i && text[begin] == ' ')
			begin++;
		if (!take_part(parts, text + begin, i - begin) &&
			separators[1] != NULL)
			take_parts(parts, text + begin, i - begin, separators + 1);
		begin = i + 1;
	}
}

static const char *const separators[] = {"\"{}[]<>,;|\t\r\n", ":=() ", NULL};

void
sdc_scrub_add_within(SdcLeakSet *set, const char *text, size_t length)
{
	Parts parts = {set, false};

	take_parts(&parts, text, length, separators);
}

bool
sdc_scrub_has_sign(const char *text, size_t length)
{
	Parts parts = {NULL, false};
	size_t i;

	/* most texts have nothing that any of these has */
	for (i = 0; i < length; i++)
		if (text[i] == '@' || text[i] == '+' ||
			(i + 3 < length && text[i] >= 'A' && text[i] <= 'Z' &&
			 text[i + 1] >= 'A' && text[i + 1] <= 'Z' && text[i + 2] >= '0' &&
			 text[i + 2] <= '9' && text[i + 3] >= '0' && text[i + 3] <= '9'))
			break;
	if (i < length)
		take_parts(&parts, text, length, separators);
	return parts.sign;
}
