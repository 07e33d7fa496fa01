/*
 * leak.c
 *		Values of one database in the texts of another one.
 *
 * A value is the hash of its codes: letters and digits, folded.  A text
 * becomes codes, too, with a mark where words or classes of letters change.
 * The hash of any run of codes is a difference of two sums, so a window of
 * each length that values have is looked up at each place whose next five
 * codes begin a value (Rabin and Karp 1987).
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/table.h"
#include "kernel/risk/leak.h"
#include "kernel/risk/letters.h"
#include "kernel/risk/written.h"

/* Codes of a value that are compared; a longer one is cut. */
#define LONGEST 250

/* Codes that are looked at together. */
#define ROOM 8192

/* Digits that a number has by chance: fewer are counted. */
#define SURE_DIGITS 9

/* Letters and digits that are within a word by chance: fewer are. */
#define SURE_LETTERS 12

/* Digits that fit a number. */
#define MOST_DIGITS 18

/* What is one thing in another thing in another thing is read. */
#define DEPTH 3

/* What stands before a code, beside what it is (letters.h). */
enum
{
	AFTER_GAP = SDC_LETTER_AFTER_GAP, /* no letter or digit */
	AFTER_POINT = 16,                 /* a point, and nothing else */
	AFTER_COLON = 32 /* a colon: digits around it are no number */
};

/* What a value is. */
enum
{
	VALUE_USUAL = 1,
	VALUE_DIGITS = 2,  /* nothing but digits */
	VALUE_COUNTED = 4, /* a number that may be there by chance */
	VALUE_WITHIN = 8,  /* found within words, too */
	VALUE_LISTED = 16, /* in capitals it may be a fake */
	VALUE_WHOLE = 32,  /* as it is, and not as a phone at home */
	VALUE_COUNTS = 64, /* was counted as a plain number in this place */
	VALUE_ABROAD = 128 /* the code of a country may stand before it */
};

typedef struct Codes
{
	int count;
	uint32_t code[ROOM];
	uint8_t mark[ROOM];
	uint64_t sum[ROOM + 1];
	/* of what was read last */
	bool gap;
	bool point;
	bool colon;
} Codes;

struct SdcLeakSet
{
	SdcHost *host;
	size_t count;
	size_t room;
	uint64_t *hash;
	int32_t *value; /* the value of which this is one way to write it */
	uint8_t *is;
	int32_t *seen; /* the place where it was seen last */
	SdcTable table;
	size_t values;
	/* beginnings of values: bits */
	uint8_t *begins;
	size_t begin_bits; /* of the above, a power of two */
	bool has_length[LONGEST + 1];
	int lengths;
	uint8_t length[LONGEST]; /* that values have */
	uint64_t power[LONGEST + 1];
	bool counts;       /* there are values that are counted */
	bool counts_plain; /* VALUE_COUNTS is set somewhere */
	/* of the place */
	SdcLeakPlace place;
	int32_t place_number;
	int64_t found;
	int64_t numbers;
	int64_t beside;
	uint8_t *met; /* numbers that were met, of fewer than SURE_DIGITS digits */
	bool met_any; /* in this place */
	Codes *codes[DEPTH + 1];
	int steps; /* since the last poll */
};

#define BASE      UINT64_C(0x9e3779b97f4a7c15)
#define MET_BYTES (100000000 / 8)

/* ----------------------------------------------------------------------
 * Letters and digits.
 * ----------------------------------------------------------------------
 */

static void
put_code(Codes *codes, uint32_t code, uint8_t mark)
{
	codes->code[codes->count] = code;
	codes->mark[codes->count] = mark;
	codes->sum[codes->count + 1] = codes->sum[codes->count] * BASE + code + 1;
	codes->count++;
}

/*
 * Reads characters until the text or the room ends.  A Chinese character is
 * the same code twice, as three of them are a name, and five letters are.
 */
static void
read_codes(Codes *codes, const uint8_t **at, const uint8_t *end)
{
	while (*at < end && codes->count < ROOM - 1)
	{
		uint32_t character = sdc_letter_next(at, end);
		uint8_t is;
		uint32_t code = sdc_letter_fold(character, &is);

		if (sdc_letter_is_unseen(character))
		{
			if (codes->count > 0)
				codes->mark[codes->count - 1] |= sdc_letter_marked(character);
			continue;
		}
		if (code == 0)
		{
			codes->point = !codes->gap && character == '.';
			codes->colon |= character == ':';
			codes->gap = true;
			continue;
		}
		if (codes->gap)
			is |= AFTER_GAP | (codes->point ? AFTER_POINT : 0) |
				  (codes->colon ? AFTER_COLON : 0);
		codes->gap = codes->point = codes->colon = false;
		put_code(codes, code, is);
		if (sdc_letter_is_ideograph(code))
			put_code(codes, code, 0);
	}
}

static Codes *
codes_of(SdcLeakSet *set, int depth)
{
	Codes *codes;

	if (set->codes[depth] == NULL)
		set->codes[depth] = sdc_new(set->host, Codes, 1);
	codes = set->codes[depth];
	codes->count = 0;
	codes->sum[0] = 0;
	codes->gap = true;
	codes->point = false;
	codes->colon = false;
	return codes;
}

/* Makes room: the codes before one are done. */
static void
drop_codes(Codes *codes, int before)
{
	int rest = codes->count - before;
	int i;

	memmove(codes->code, codes->code + before, sizeof(uint32_t) * rest);
	memmove(codes->mark, codes->mark + before, rest);
	for (i = 0; i < rest; i++)
		codes->sum[i + 1] = codes->sum[i] * BASE + codes->code[i] + 1;
	codes->count = rest;
}

/* The hash of the codes from one place on. */
static uint64_t
hash_of(const SdcLeakSet *set, const Codes *codes, int from, int length)
{
	uint64_t sum =
		codes->sum[from + length] - codes->sum[from] * set->power[length];

	return sdc_table_hash(sdc_table_hash(0, sum), (uint64_t) length);
}

/* ----------------------------------------------------------------------
 * The set.
 * ----------------------------------------------------------------------
 */

static inline bool
same_hash(const SdcLeakSet *set, int32_t number, uint64_t hash)
{
	return set->hash[number] == hash;
}

SDC_TABLE_FIND(find_hash, const SdcLeakSet *, uint64_t, same_hash);

SdcLeakSet *
sdc_leak_create(SdcHost *host)
{
	SdcLeakSet *set = sdc_new(host, SdcLeakSet, 1);
	int i;

	memset(set, 0, sizeof(SdcLeakSet));
	set->host = host;
	set->power[0] = 1;
	for (i = 1; i <= LONGEST; i++)
		set->power[i] = set->power[i - 1] * BASE;
	return set;
}

/* The bit of five codes of a sum. */
static size_t
begin_bit(const SdcLeakSet *set, uint64_t sum)
{
	uint64_t hash =
		sdc_table_hash(sdc_table_hash(0, sum), (uint64_t) SDC_LEAK_LEAST);

	return (size_t) (hash >> 20) & (set->begin_bits - 1);
}

/* The bit of the five codes at a place. */
static size_t
begin_of(const SdcLeakSet *set, const Codes *codes, int from)
{
	return begin_bit(set, codes->sum[from + SDC_LEAK_LEAST] -
							  codes->sum[from] * set->power[SDC_LEAK_LEAST]);
}

/* Room for twice as many; beginnings are not known by hash, so bits double. */
static void
grow(SdcLeakSet *set)
{
	SdcHost *host = set->host;
	size_t room = set->room == 0 ? 1024 : 2 * set->room;
	size_t i;

	set->hash = sdc_grow(host, set->hash, set->count, room, sizeof(uint64_t));
	set->value = sdc_grow(host, set->value, set->count, room, sizeof(int32_t));
	set->is = sdc_grow(host, set->is, set->count, room, 1);
	set->seen = sdc_grow(host, set->seen, set->count, room, sizeof(int32_t));
	if (set->room > 0)
		sdc_table_release(host, &set->table);
	sdc_table_create(host, &set->table, room);
	for (i = 0; i < set->count; i++)
		sdc_table_put(&set->table, set->hash[i], (int32_t) i);
	set->room = room;
	if (set->begins == NULL)
	{
		set->begin_bits = (size_t) 1 << 24;
		set->begins = sdc_new(host, uint8_t, set->begin_bits / 8);
		memset(set->begins, 0, set->begin_bits / 8);
	}
}

/* Adds one way to write a value: the first codes of those that were read. */
static void
add_codes(SdcLeakSet *set, const Codes *codes, int from, int length, int is,
		  int32_t value)
{
	uint64_t hash = hash_of(set, codes, from, length);
	size_t begin;
	int32_t *slot;

	if (set->count == set->room)
		grow(set);
	slot = find_hash(&set->table, hash, set, hash);
	if (*slot != SDC_TABLE_NONE)
	{
		/* what is sought more strictly goes before */
		set->is[*slot] &=
			(uint8_t) (is | ~(VALUE_USUAL | VALUE_COUNTED | VALUE_LISTED));
		set->is[*slot] |= (uint8_t) (is & (VALUE_WHOLE | VALUE_ABROAD));
		return;
	}
	*slot = (int32_t) set->count;
	set->hash[set->count] = hash;
	set->value[set->count] = value;
	set->is[set->count] = (uint8_t) is;
	set->seen[set->count++] = 0;
	if (!set->has_length[length])
		set->length[set->lengths++] = (uint8_t) length;
	set->has_length[length] = true;
	begin = begin_of(set, codes, from);
	set->begins[begin / 8] |= (uint8_t) (1 << begin % 8);
}

/* What the codes of a value from one on are. */
static int
kind_of(const Codes *codes, int from, int length, int known, bool address)
{
	int digits = 0;
	int i;
	int is = (known & SDC_LEAK_USUAL ? VALUE_USUAL : 0) |
			 (known & SDC_LEAK_LISTED ? VALUE_LISTED : 0);

	for (i = from; i < from + length; i++)
		digits += (codes->mark[i] & SDC_LETTER_DIGIT) != 0;
	if (digits == length)
		return is | VALUE_DIGITS |
			   (digits < SURE_DIGITS || (known & SDC_LEAK_DATE) ? VALUE_COUNTED
																: 0);
	if (length >= SURE_LETTERS && !(is & VALUE_USUAL) &&
		(address || digits > 0))
		is |= VALUE_WITHIN;
	return is;
}

/* Digits of the code of a country (E.164) that a number begins with. */
static int
country_digits(const uint32_t *code)
{
	static const char two[] = "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 "
							  "47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 "
							  "64 65 66 81 82 84 86 90 91 92 93 94 95 98";
	char begin[3];

	if (code[0] == '1' || code[0] == '7')
		return 1;
	begin[0] = (char) code[0];
	begin[1] = (char) code[1];
	begin[2] = '\0';
	return strstr(two, begin) != NULL ? 2 : 3;
}

/* Appends codes of another text from one to before another. */
static void
put_codes(Codes *to, const Codes *codes, int from, int before)
{
	for (; from < before && to->count < ROOM; from++)
		put_code(to, codes->code[from], codes->mark[from]);
}

static void
put_word(Codes *to, const char *word)
{
	const uint8_t *at = (const uint8_t *) word;

	read_codes(to, &at, at + strlen(word));
}

/* Adds another way to write a value, a text. */
static void
add_other(SdcLeakSet *set, const char *text, int32_t value)
{
	Codes *other = codes_of(set, 1);

	put_word(other, text);
	if (other->count >= SDC_LEAK_LEAST)
		add_codes(set, other, 0, other->count,
				  kind_of(other, 0, other->count, 0, false), value);
}

/*
 * Adds a number that stands behind other digits: these, and the codes from one
 * on of the value.
 */
static void
add_behind(SdcLeakSet *set, const char *digits, int from, int is,
		   int32_t value)
{
	Codes *codes = set->codes[0];
	Codes *other = codes_of(set, 1);

	put_word(other, digits);
	if (other->count + codes->count - from > LONGEST)
		return;
	put_codes(other, codes, from, codes->count);
	add_codes(set, other, 0, other->count, is, value);
}

/*
 * A number of a phone as it is written at home and abroad.  Where its country
 * is not known, any may stand before it.
 */
static void
add_phone(SdcLeakSet *set, bool country, int is, int32_t value)
{
	const Codes *codes = set->codes[0];
	int skip = country ? country_digits(codes->code) : 0;
	/* the zero of +49 (0)171, and of 0171; Italy has it abroad, too */
	bool zero =
		codes->code[skip] == '0' && codes->code[0] != '0'
			? !(skip == 2 && codes->code[0] == '3' && codes->code[1] == '9')
			: codes->code[skip] == '0' && codes->code[1] != '0';
	char digits[8] = "00";
	int i;

	if (codes->count < skip + zero + SURE_DIGITS - 1)
		return;
	if (country)
	{
		for (i = 0; i < skip; i++)
			digits[i + 2] = (char) codes->code[i];
		add_behind(set, digits, skip + zero, is, value);
		add_behind(set, digits + 2, skip + zero, is, value);
		add_behind(set, "0", skip + zero, is, value);
		/* from North America; in Russia, and in Hungary */
		memmove(digits + 1, digits, strlen(digits) + 1);
		digits[1] = digits[2] = '1';
		add_behind(set, digits, skip + zero, is, value);
		if (skip == 1 && digits[3] == '7')
			add_behind(set, "8", skip + zero, is, value);
		if (skip == 2 && digits[3] == '3' && digits[4] == '6')
			add_behind(set, "06", skip + zero, is, value);
	}
	else if (!zero)
		return;
	add_codes(set, codes, skip + zero, codes->count - skip - zero,
			  is | (country ? 0 : VALUE_ABROAD), value);
}

/* Words of a name that are turned around one another, at the most. */
#define MOST_TURNED 6

/* A name with its codes from one on first. */
static void
add_turned_at(SdcLeakSet *set, int length, int last, int is, int32_t value)
{
	const Codes *codes = set->codes[0];
	Codes *other = codes_of(set, 1);

	put_codes(other, codes, last, length);
	put_codes(other, codes, 0, last);
	add_codes(set, other, 0, length, is, value);
}

/*
 * A name with its last word first, or more of them, as in lists: Berger,
 * Anna; von der Heide, Anna.
 */
static void
add_turned(SdcLeakSet *set, int length, int is, int32_t value)
{
	const Codes *codes = set->codes[0];
	int turned = 0;
	int last;

	for (last = length - 1; last > 0 && turned < MOST_TURNED; last--)
	{
		if (!(codes->mark[last] & AFTER_GAP))
			continue;
		add_turned_at(set, length, last, is, value);
		turned++;
	}
}

/*
 * Adds a name in the ways that are usual where a keyboard has no umlauts, or
 * has them: Juergen Groessmann, Jürgen Grössmann.  Bit i of ways: letter i
 * of those that may be two is written otherwise than here.
 */
static void
add_spelled(SdcLeakSet *set, int length, int is, int32_t value)
{
	Codes *codes = set->codes[0];
	Codes *other = codes_of(set, 2);
	int spelled = 0;
	int ways;
	int i;

	for (i = 0; i < length; i++)
	{
		bool written;

		if (sdc_letter_second(codes->code, codes->mark, i, length, &written) !=
			0)
		{
			spelled++;
			i += written;
		}
	}
	if (spelled > SDC_LETTERS_SPELLED)
		spelled = SDC_LETTERS_SPELLED;
	for (ways = 1; ways < 1 << spelled; ways++)
	{
		int count = 0;
		int n = 0;

		for (i = 0; i < length && count < LONGEST - 1; i++)
		{
			bool written;
			uint32_t second = sdc_letter_second(codes->code, codes->mark, i,
												length, &written);
			bool change = second != 0 && n < spelled && (ways >> n & 1);

			n += second != 0;
			other->code[count] = codes->code[i];
			other->mark[count++] = codes->mark[i];
			if (second != 0 && written != change)
			{
				other->code[count] = second;
				other->mark[count++] = 0;
			}
			i += second != 0 && written;
		}
		for (i = 0; i < count; i++)
			other->sum[i + 1] = other->sum[i] * BASE + other->code[i] + 1;
		other->count = count;
		if (count < SDC_LEAK_LEAST)
			continue;
		set->codes[0] = other;
		add_codes(set, other, 0, count, is, value);
		add_turned(set, count, is, value);
		set->codes[0] = codes;
	}
}

/* Are codes more than one word, and not digits alone? */
static bool
has_words(const Codes *codes, int length)
{
	bool words = false;
	bool letters = false;
	int i;

	for (i = 0; i < length; i++)
	{
		words |= i > 0 && (codes->mark[i] & AFTER_GAP);
		letters |= !(codes->mark[i] & SDC_LETTER_DIGIT);
	}
	return words && letters;
}

/* A value from its last letter to its first, as indexes of addresses have. */
static void
add_backwards(SdcLeakSet *set, int length, int is, int32_t value)
{
	const Codes *codes = set->codes[0];
	Codes *other = codes_of(set, 1);
	int i;

	for (i = length; i > 0; i--)
		put_codes(other, codes, i - 1, i);
	add_codes(set, other, 0, length, is & ~VALUE_WHOLE, value);
}

/* Do codes from one on read as a word? */
static bool
reads(const Codes *codes, int from, int length, const char *word)
{
	int i;

	for (i = 0; word[i] != '\0'; i++)
		if (from + i >= length || codes->code[from + i] != (uint8_t) word[i])
			return false;
	return true;
}

/* A street with the word for one in short, or in full. */
static void
add_shortened(SdcLeakSet *set, int length, int is, int32_t value)
{
	/* a sharp s is one s */
	static const struct
	{
		const char *written;
		const char *other;
		bool word; /* by itself, and not at the end of another word, too */
	} ways[] = {{"strasse", "str", false},  {"strase", "str", false},
				{"str", "strase", false},   {"str", "strasse", false},
				{"straat", "str", false},   {"street", "st", true},
				{"st", "street", true},     {"road", "rd", true},
				{"rd", "road", true},       {"avenue", "ave", true},
				{"ave", "avenue", true},    {"boulevard", "bd", true},
				{"boulevard", "blvd", true}};
	const Codes *codes = set->codes[0];
	size_t way;
	int at;

	for (way = 0; way < sizeof(ways) / sizeof(ways[0]); way++)
		for (at = 0; at < length; at++)
		{
			int end = at + (int) strlen(ways[way].written);
			Codes *other;

			if (!reads(codes, at, length, ways[way].written) ||
				(end < length &&
				 !(codes->mark[end] & (AFTER_GAP | SDC_LETTER_DIGIT))) ||
				(ways[way].word && !(codes->mark[at] & AFTER_GAP)))
				continue;
			other = codes_of(set, 1);
			put_codes(other, codes, 0, at);
			put_word(other, ways[way].other);
			put_codes(other, codes, end, length);
			if (other->count >= SDC_LEAK_LEAST && other->count <= LONGEST)
				add_codes(set, other, 0, other->count, is, value);
			break;
		}
}

/* Writes a number in digits of a base, so many at the least; how many. */
static int
put_number(char *out, uint32_t number, uint32_t base, int least)
{
	int digits = 1;
	uint32_t rest;
	int i;

	for (rest = number / base; rest > 0 || digits < least; rest /= base)
		digits++;
	out[digits] = '\0';
	for (i = digits - 1; i >= 0; i--, number /= base)
		out[i] = "0123456789abcdef"[number % base];
	return digits;
}

/*
 * A number of the network, 203.0.113.77, as one number, in hexadecimal and
 * backwards as for names of hosts.
 */
static void
add_network(SdcLeakSet *set, const char *text, size_t length, int32_t value)
{
	uint32_t part[4] = {0, 0, 0, 0};
	int parts = 0;
	char other[16];
	int written = 0;
	size_t i;
	int n;

	for (i = 0; i < length && text[i] != '/'; i++)
	{
		if (text[i] == '.' && ++parts < 4)
			continue;
		if (text[i] < '0' || text[i] > '9' || parts > 3)
			return;
		part[parts] = (part[parts] * 10 + (uint32_t) (text[i] - '0')) & 255;
	}
	if (parts != 3)
		return;
	for (n = 3; n >= 0; n--)
		written += put_number(other + written, part[n], 10, 1);
	add_other(set, other, value);
	for (n = written = 0; n < 4; n++)
		written += put_number(other + written, part[n], 16, 2);
	add_other(set, other, value);
	put_number(other, part[0] << 24 | part[1] << 16 | part[2] << 8 | part[3],
			   10, 1);
	add_other(set, other, value);
}

void
sdc_leak_add(SdcLeakSet *set, const char *value, size_t length, int known)
{
	const uint8_t *at = (const uint8_t *) value;
	const uint8_t *end = at + length;
	Codes *codes = codes_of(set, 0);
	bool address = memchr(value, '@', length) != NULL;
	size_t before = set->count;
	int taken;
	int is;

	read_codes(codes, &at, end);
	if (codes->count < SDC_LEAK_LEAST ||
		set->count + 2 * (1 << SDC_LETTERS_SPELLED) > SDC_MAX_ROWS)
		return;
	taken = codes->count < LONGEST ? codes->count : LONGEST;
	is = kind_of(codes, 0, taken, known, address);
	add_codes(set, codes, 0, taken, is | VALUE_WHOLE, (int32_t) set->values);
	if (set->count == before)
		return;
	set->counts |= (is & VALUE_COUNTED) != 0;
	if ((is & VALUE_USUAL) && !(is & VALUE_DIGITS))
	{
		add_turned(set, taken, is, (int32_t) set->values);
		add_spelled(set, taken, is, (int32_t) set->values);
		add_shortened(set, taken, is, (int32_t) set->values);
	}
	if (address || has_words(codes, taken))
		add_backwards(set, taken, is, (int32_t) set->values);
	if (known & SDC_LEAK_NETWORK)
		add_network(set, value, length, (int32_t) set->values);
	if ((known & SDC_LEAK_PHONE) && (is & VALUE_DIGITS))
		add_phone(set, *value == '+', is, (int32_t) set->values);
	if ((known & SDC_LEAK_IBAN) && taken >= 4 + SURE_LETTERS)
		add_codes(set, codes, 4, taken - 4,
				  kind_of(codes, 4, taken - 4, known, false),
				  (int32_t) set->values);
	set->values++;
}

int64_t
sdc_leak_values(const SdcLeakSet *set)
{
	return (int64_t) set->values;
}

/* ----------------------------------------------------------------------
 * The search.
 * ----------------------------------------------------------------------
 */

void
sdc_leak_start(SdcLeakSet *set, SdcLeakPlace place)
{
	set->place = place;
	set->place_number++;
	set->found = set->numbers = set->beside = 0;
	/* 12 MB, and most places have no short numbers */
	if (set->met_any)
		memset(set->met, 0, MET_BYTES);
	set->met_any = false;
	if (set->counts_plain)
	{
		size_t i;

		for (i = 0; i < set->count; i++)
			set->is[i] &= (uint8_t) ~VALUE_COUNTS;
	}
	set->counts_plain = false;
}

/* Does a word begin at a code, or end before it? */
static bool
is_border(const Codes *codes, int at, bool number, int length)
{
	uint8_t is = at < codes->count ? codes->mark[at] : 0;
	uint8_t before;

	if (at == codes->count || (is & SDC_LETTER_WIDE))
		return true;
	if (at == 0)
		return (is & AFTER_GAP) != 0;
	before = codes->mark[at - 1];
	if (is & AFTER_GAP)
		return !(number && (is & AFTER_POINT) && (is & SDC_LETTER_DIGIT) &&
				 (before & SDC_LETTER_DIGIT));
	if (number)
		return !(is & SDC_LETTER_DIGIT) || !(before & SDC_LETTER_DIGIT);
	return length >= 8 &&
		   ((is ^ before) & (SDC_LETTER_DIGIT | SDC_LETTER_CAPITAL)) != 0;
}

/* Is a time of day within the digits at a place? */
static bool
has_colon(const Codes *codes, int from, int length)
{
	int i;

	for (i = from + 1; i < from + length; i++)
		if (codes->mark[i] & AFTER_COLON)
			return true;
	return false;
}

/* May a usual value at a place stand there by right? */
static bool
is_by_right(const SdcLeakSet *set, const Codes *codes, int from, int is)
{
	switch (set->place)
	{
		case SDC_LEAK_KEPT:
		case SDC_LEAK_NAMES:
			return false;
		case SDC_LEAK_MIXED:
			/* fakes are written with a capital or a number in front */
			return (is & VALUE_LISTED) &&
				   (codes->mark[from] &
					(SDC_LETTER_CAPITAL | SDC_LETTER_DIGIT |
					 SDC_LETTER_WIDE)) != 0;
		default:
			return true;
	}
}

/* Digits of 00 and the code of a country, at the most. */
#define COUNTRY 5

/* Does the code of a country stand before a place: 0049, 49? */
static bool
follows_country(const Codes *codes, int from)
{
	int begin = from;

	while (begin > 0 && from - begin < COUNTRY &&
		   !is_border(codes, begin, true, 0) &&
		   (codes->mark[begin - 1] & SDC_LETTER_DIGIT))
		begin--;
	return begin < from && is_border(codes, begin, true, 0);
}

/* Does a value end before a place, or a name with the s of whose it is? */
static bool
is_end(const Codes *codes, int at, int is, int length)
{
	return is_border(codes, at, is & VALUE_DIGITS, length) ||
		   ((is & (VALUE_USUAL | VALUE_DIGITS)) == VALUE_USUAL &&
			codes->code[at] == 's' && is_border(codes, at + 1, false, length));
}

/* Is a value that was met at a place of the text one that was left? */
static bool
is_left(const SdcLeakSet *set, const Codes *codes, int from, int length,
		int is)
{
	if ((is & VALUE_USUAL) && is_by_right(set, codes, from, is))
		return false;
	if ((is & VALUE_COUNTED) ||
		((is & VALUE_DIGITS) &&
		 (set->place == SDC_LEAK_DRAWN || has_colon(codes, from, length))))
		return false;
	if ((is & VALUE_WITHIN) && set->place != SDC_LEAK_DRAWN)
		return true;
	return (is_border(codes, from, is & VALUE_DIGITS, length) ||
			((is & VALUE_ABROAD) && follows_country(codes, from))) &&
		   (length == LONGEST || is_end(codes, from + length, is, length));
}

/* Looks up all values that may begin at a code. */
static void
look_up(SdcLeakSet *set, const Codes *codes, int from)
{
	int i;

	for (i = 0; i < set->lengths; i++)
	{
		int length = set->length[i];
		uint64_t hash;
		int32_t at;

		if (length > codes->count - from)
			continue;
		hash = hash_of(set, codes, from, length);
		at = *find_hash(&set->table, hash, set, hash);
		if (at == SDC_TABLE_NONE ||
			set->seen[set->value[at]] == set->place_number ||
			!is_left(set, codes, from, length, set->is[at]))
			continue;
		set->seen[set->value[at]] = set->place_number;
		set->found++;
	}
}

/* The value that is a number of so many digits, or SDC_TABLE_NONE. */
static int32_t
value_of_number(const SdcLeakSet *set, uint64_t number, int digits)
{
	uint64_t sum = 0;
	uint64_t hash;
	uint64_t unit = 1;
	int i;

	for (i = 1; i < digits; i++)
		unit *= 10;
	for (i = 0; i < digits; i++, unit /= 10)
		sum = sum * BASE + '0' + number / unit % 10 + 1;
	hash = sdc_table_hash(sdc_table_hash(0, sum), (uint64_t) digits);
	return *find_hash(&set->table, hash, set, hash);
}

/* Is a number of so many digits a value that is counted here? */
static bool
is_counted(SdcLeakSet *set, uint64_t number, int digits)
{
	int32_t at = value_of_number(set, number, digits);

	return at != SDC_TABLE_NONE && (set->is[at] & VALUE_DIGITS) &&
		   (set->place == SDC_LEAK_DRAWN || (set->is[at] & VALUE_COUNTED)) &&
		   (set->place == SDC_LEAK_KEPT || set->place == SDC_LEAK_MIXED ||
			!(set->is[at] & VALUE_USUAL));
}

/* Was a short number met before in this place?  It is from now on. */
static bool
is_met(SdcLeakSet *set, uint64_t number)
{
	uint8_t bit = (uint8_t) (1 << number % 8);
	bool met;

	if (number >= (uint64_t) MET_BYTES * 8)
		return false;
	if (set->met == NULL)
	{
		set->met = sdc_new(set->host, uint8_t, MET_BYTES);
		memset(set->met, 0, MET_BYTES);
	}
	set->met_any = true;
	met = (set->met[number / 8] & bit) != 0;
	set->met[number / 8] |= bit;
	return met;
}

/*
 * Numbers of so many digits that are counted beside one: of a date those of
 * other years.  How many of them are values.
 */
static int
count_beside(SdcLeakSet *set, uint64_t number, int digits, bool date,
			 bool (*is_value)(SdcLeakSet *set, uint64_t number, int digits))
{
	static const uint64_t beside[] = {1, 7, 13, 101, 1009};
	uint64_t limit = 1;
	int found = 0;
	int i;

	for (i = 0; i < digits; i++)
		limit *= 10;
	for (i = 0; i < 5; i++)
	{
		uint64_t step = date ? 10000 * (uint64_t) (i + 1) : beside[i];

		found += number + step < limit && is_value(set, number + step, digits);
		found += number >= step && is_value(set, number - step, digits);
	}
	return found;
}

/* Counts a number, and ten beside it. */
static void
count_number(SdcLeakSet *set, uint64_t number, int digits, bool date)
{
	if (digits < SDC_LEAK_LEAST || digits > MOST_DIGITS ||
		(digits >= SURE_DIGITS && set->place != SDC_LEAK_DRAWN) ||
		!set->has_length[digits] || is_met(set, number))
		return;
	set->numbers += is_counted(set, number, digits);
	set->beside += count_beside(set, number, digits, date, is_counted);
}

/* Is a number a value that cannot be told from the digits of its text? */
static bool
is_plain(SdcLeakSet *set, uint64_t number, int digits)
{
	int32_t at = value_of_number(set, number, digits);

	return at != SDC_TABLE_NONE && (set->is[at] & VALUE_WHOLE) &&
		   (set->is[at] & VALUE_DIGITS) && !(set->is[at] & VALUE_USUAL);
}

/*
 * Looks at a number, and unless it is sure at those beside it, when a value
 * begins as it does: most numbers cost one look at a bit.
 */
static void
count_plain(SdcLeakSet *set, uint64_t number, int digits, bool sure)
{
	uint64_t first = number;
	uint64_t sum = 0;
	uint64_t unit = 1;
	size_t begin;
	int32_t at;
	int i;

	for (i = digits; i > SDC_LEAK_LEAST; i--)
		first /= 10;
	for (i = 1; i < SDC_LEAK_LEAST; i++)
		unit *= 10;
	for (; unit > 0; unit /= 10)
		sum = sum * BASE + '0' + first / unit % 10 + 1;
	begin = begin_bit(set, sum);
	if (!set->has_length[digits] || !(set->begins[begin / 8] & 1 << begin % 8))
		return;
	at = value_of_number(set, number, digits);
	if (at != SDC_TABLE_NONE && is_plain(set, number, digits))
	{
		if (sure && set->seen[set->value[at]] != set->place_number)
		{
			set->seen[set->value[at]] = set->place_number;
			set->found++;
		}
		set->numbers += !sure && !(set->is[at] & VALUE_COUNTS);
		set->is[at] |= VALUE_COUNTS;
		set->counts_plain = true;
	}
	if (!sure)
		set->beside += count_beside(set, number, digits, false, is_plain);
}

void
sdc_leak_search_number(SdcLeakSet *set, uint64_t number, bool sure)
{
	uint64_t least = 1;
	uint64_t most = 1;
	int digits;

	for (digits = 1; digits < SURE_DIGITS; digits++)
		least *= 10;
	for (digits = 0; digits < MOST_DIGITS; digits++)
		most *= 10;
	if (set->count == 0 || number >= most)
		return;
	for (; number >= least; number /= 10)
	{
		for (digits = SURE_DIGITS, most = least * 10; number >= most;
			 digits++, most *= 10)
			;
		count_plain(set, number, digits, sure && set->place != SDC_LEAK_DRAWN);
		if (number % 10 != 0)
			return;
	}
}

/* The number of the digits at a place; how many there are. */
static int
digits_at(const Codes *codes, int from, uint64_t *number)
{
	int at = from;

	*number = 0;
	do
	{
		if (at - from < MOST_DIGITS)
			*number = 10 * *number + codes->code[at] - '0';
		at++;
	} while (at < codes->count && (codes->mark[at] & SDC_LETTER_DIGIT) &&
			 !(codes->mark[at] & AFTER_GAP));
	return at - from;
}

/* Three numbers that are a date, the year first or last, in both orders. */
static void
count_date(SdcLeakSet *set, const Codes *codes, int from)
{
	uint64_t part[3];
	int digits[3];
	int i;

	for (i = 0; i < 3; i++)
	{
		if (from >= codes->count || !(codes->mark[from] & SDC_LETTER_DIGIT))
			return;
		digits[i] = digits_at(codes, from, &part[i]);
		if (digits[i] > 4 || digits[i] == 3)
			return;
		from += digits[i];
	}
	if (digits[0] == 4 && digits[1] <= 2 && digits[2] <= 2)
		count_number(set, part[0] * 10000 + part[1] * 100 + part[2], 8, true);
	if (digits[2] != 4 || digits[0] > 2 || digits[1] > 2)
		return;
	count_number(set, part[2] * 10000 + part[1] * 100 + part[0], 8, true);
	count_number(set, part[2] * 10000 + part[0] * 100 + part[1], 8, true);
}

/*
 * Counts the numbers among the codes before one.  A number after the point of
 * another one is a fraction, and the other one none that is sought.
 */
static void
count_numbers(SdcLeakSet *set, const Codes *codes, int before)
{
	int at = 0;

	while (at < before)
	{
		uint64_t number;
		int digits;

		if (!(codes->mark[at] & SDC_LETTER_DIGIT))
		{
			at++;
			continue;
		}
		digits = digits_at(codes, at, &number);
		if (is_border(codes, at, true, digits) &&
			is_border(codes, at + digits, true, digits))
			count_number(set, number, digits, false);
		count_date(set, codes, at);
		at += digits;
	}
}

/* Searches what was read; the last codes wait for more unless it is all. */
static void
search_codes(SdcLeakSet *set, Codes *codes, bool all)
{
	int done = all ? codes->count : codes->count - LONGEST - 1;
	int at;

	for (at = 0; at < done && codes->count - at >= SDC_LEAK_LEAST; at++)
	{
		size_t begin = begin_of(set, codes, at);

		if (set->begins[begin / 8] & 1 << begin % 8)
			look_up(set, codes, at);
	}
	if (set->place != SDC_LEAK_NAMES && set->place != SDC_LEAK_JOINED &&
		(set->counts || set->place == SDC_LEAK_DRAWN))
		count_numbers(set, codes, done);
	if (!all)
		drop_codes(codes, done);
}

static void
search_plain(SdcLeakSet *set, const uint8_t *text, size_t length, int depth)
{
	Codes *codes = codes_of(set, depth);
	const uint8_t *at = text;

	while (at < text + length)
	{
		read_codes(codes, &at, text + length);
		set->steps += codes->count;
		if (set->steps >= SDC_POLL_STEPS)
		{
			set->host->poll(set->host, 0, 0);
			set->steps = 0;
		}
		search_codes(set, codes, at == text + length);
	}
}

static void search(SdcLeakSet *set, const uint8_t *text, size_t length,
				   int depth);

/* A text of which other ways to read it are searched. */
typedef struct Reading
{
	SdcLeakSet *set;
	int depth;
} Reading;

static void
take_reading(void *arg, const uint8_t *text, size_t length, bool more)
{
	const Reading *of = arg;

	search(of->set, text, length, more ? of->depth + 1 : DEPTH);
}

static void
search(SdcLeakSet *set, const uint8_t *text, size_t length, int depth)
{
	Reading of = {set, depth};

	search_plain(set, text, length, depth);
	if (depth < DEPTH)
		sdc_written_read(set->host, text, length, take_reading, &of);
}

void
sdc_leak_search(SdcLeakSet *set, const char *text, size_t length)
{
	if (set->count > 0 && length >= SDC_LEAK_LEAST)
		search(set, (const uint8_t *) text, length, 0);
}

void
sdc_leak_search_words(SdcLeakSet *set, const char *text, size_t length)
{
	if (set->count > 0 && length >= SDC_LEAK_LEAST)
		search_plain(set, (const uint8_t *) text, length, DEPTH);
}

bool
sdc_leak_met(const SdcLeakSet *set)
{
	return set->found > 0 || set->numbers > 0;
}

/* Numbers that chance may have put there are as many as those beside them. */
int64_t
sdc_leak_found(const SdcLeakSet *set)
{
	/* of numbers with a check digit, one in ten of those beside is one */
	double expected =
		(double) set->beside / 10 * (set->place == SDC_LEAK_DRAWN ? 10 : 1);
	double most = expected == 0 ? 0 : expected + 6 * sqrt(expected) + 2;

	if (set->place == SDC_LEAK_DRAWN)
		most += 2;
	return set->found + ((double) set->numbers > most
							 ? set->numbers - (int64_t) expected
							 : 0);
}
