/*
 * fake.c
 *		Values that look real, made of a keyed hash and of lists.
 *
 * A hash of 256 bits is four numbers; each part of a fake takes its own, as
 * the entry floor(number * entries / 2^64) of a list, or as digits.  What a
 * list cannot make different enough gets a tail.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/mask/pseudonym.h"
#include "kernel/mask/fake.h"

const char *const sdc_fake_words[] = {
	"first_name", "last_name",   "name",    "login", "email",   "street",
	"city",       "postcode",    "address", "phone", "company", "iban",
	"card",       "national_id", "text",    0};

const char *const sdc_fake_locales[] = {"en", "de", "fr", "es", "ja", 0};

const char *const sdc_fake_lists[] = {"first_f", "first_m", "last", "street",
									  "place",   "legal",   0};

/* Characters of the tail that makes logins differ, 5 bits each. */
#define TAIL      10
#define TAIL_BITS 50

#define HOST "@example.org"

/* Characters of the names in a login at the most. */
#define LOGIN_NAME 24

int
sdc_fake_group(SdcFakeKind kind)
{
	if (kind <= SDC_FAKE_EMAIL)
		return 0;
	return kind <= SDC_FAKE_ADDRESS ? 1 : (int) kind;
}

/* A number below size, which takes what it used from *bits. */
static int
draw(uint64_t *bits, int size)
{
	unsigned __int128 product = (unsigned __int128) *bits * (uint64_t) size;

	*bits = (uint64_t) product;
	return (int) (product >> 64);
}

static void
put_digits(uint64_t *bits, char *out, int count)
{
	int i;

	for (i = 0; i < count; i++)
		out[i] = (char) ('0' + draw(bits, 10));
	out[count] = '\0';
}

/* Appends a text, or a number of so many digits at least; where it ends. */
static char *
add(char *out, const char *text)
{
	while (*text != '\0')
		*out++ = *text++;
	*out = '\0';
	return out;
}

static char *
add_number(char *out, int number, int width)
{
	char digits[12];
	int count = 0;

	for (; number > 0 || count < width; number /= 10)
		digits[count++] = (char) ('0' + number % 10);
	while (count > 0)
		*out++ = digits[--count];
	*out = '\0';
	return out;
}

/* Puts digits in the places of # in a pattern. */
static void
fill_pattern(uint64_t *bits, const char *pattern, char *out)
{
	for (; *pattern != '\0'; pattern++)
		*out++ = *pattern == '#' ? (char) ('0' + draw(bits, 10)) : *pattern;
	*out = '\0';
}

/* ----------------------------------------------------------------------
 * Persons: the first name by the first number, the last name by the second,
 * the tail by the third, the sex by the fourth.
 * ----------------------------------------------------------------------
 */

static int
entry(uint64_t bits, const SdcFakeList *list)
{
	return draw(&bits, list->count);
}

static const SdcFakeList *
first_names(const SdcFakeList *lists, SdcFakeSex sex, const uint64_t *hash)
{
	if (sex == SDC_FAKE_ANY)
		sex = hash[3] >> 63 ? SDC_FAKE_FEMALE : SDC_FAKE_MALE;
	return &lists[sex == SDC_FAKE_FEMALE ? SDC_FAKE_FIRST_F
										 : SDC_FAKE_FIRST_M];
}

static const char *
latin(const SdcFakeList *list, int i)
{
	return list->other[i] != 0 ? list->other[i] : list->value[i];
}

/* U+00C0 to U+00FF in plain letters, two where that is usual. */
static const char *const western[64] = {
	"a", "a", "a",  "a", "ae", "a",  "ae", "c", "e",  "e",  "e",  "e", "i",
	"i", "i", "i",  "d", "n",  "o",  "o",  "o", "o",  "oe", "",   "o", "u",
	"u", "u", "ue", "y", "th", "ss", "a",  "a", "a",  "a",  "ae", "a", "ae",
	"c", "e", "e",  "e", "e",  "i",  "i",  "i", "i",  "d",  "n",  "o", "o",
	"o", "o", "oe", "",  "o",  "u",  "u",  "u", "ue", "y",  "th", "y"};

/* The same of U+0100 to U+017F. */
static const char eastern[] =
	"aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll"
	"lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/* A name in lower-case ASCII letters, at most room of them. */
static int
put_plain(const char *name, char *out, int room)
{
	int count = 0;

	for (; *name != '\0'; name++)
	{
		unsigned char c = (unsigned char) *name;
		char own[2] = {0, 0};
		const char *plain = own;

		if (c >= 'A' && c <= 'Z')
			own[0] = (char) (c + 32);
		else if (c >= 'a' && c <= 'z')
			own[0] = (char) c;
		else if (c == 0xc3 && name[1] != '\0')
			plain = western[(unsigned char) *++name & 63];
		else if ((c == 0xc4 || c == 0xc5) && name[1] != '\0')
			own[0] = eastern[(c - 0xc4) * 64 + ((unsigned char) *++name & 63)];
		for (; *plain != '\0' && count < room; plain++)
			out[count++] = *plain;
	}
	return count;
}

/* first.last.tail; with fewer characters only what there is room for. */
static int
put_login(const SdcFakeList *lists, SdcFakeSex sex, const uint64_t *hash,
		  int room, char *out)
{
	static const char letters[] = "abcdefghijkmnpqrstuvwxyz23456789";
	const SdcFakeList *first = first_names(lists, sex, hash);
	const SdcFakeList *last = &lists[SDC_FAKE_LAST];
	uint64_t tail = hash[2];
	int count = 0;
	int i;

	if (room > TAIL + 2 + LOGIN_NAME)
		room = TAIL + 2 + LOGIN_NAME;
	if (room < TAIL)
		return 0;
	room -= TAIL;
	if (room >= 2)
		count = put_plain(latin(last, entry(hash[1], last)), out, room - 1);
	if (count > 0)
		out[count++] = '.';
	if (room - count >= 2)
	{
		char name[SDC_FAKE_VALUE * 2];
		int more = put_plain(latin(first, entry(hash[0], first)), name,
							 room - count - 1);

		if (more > 0)
		{
			memmove(out + more + 1, out, (size_t) count);
			memcpy(out, name, (size_t) more);
			out[more] = '.';
			count += more + 1;
		}
	}
	for (i = 0; i < TAIL; i++)
		out[count++] = letters[draw(&tail, 32)];
	out[count] = '\0';
	return count;
}

static int
put_person(SdcFakeKind kind, SdcFakeLocale locale, const SdcFakeList *lists,
		   SdcFakeSex sex, const uint64_t *hash, int size, char *out)
{
	const SdcFakeList *first = first_names(lists, sex, hash);
	const SdcFakeList *last = &lists[SDC_FAKE_LAST];
	const char *given = first->value[entry(hash[0], first)];
	const char *family = last->value[entry(hash[1], last)];
	int count;

	switch (kind)
	{
		case SDC_FAKE_FIRST_NAME:
			strcpy(out, given);
			return 1;
		case SDC_FAKE_LAST_NAME:
			strcpy(out, family);
			return 1;
		case SDC_FAKE_NAME:
			add(add(add(out, locale == SDC_FAKE_JA ? family : given), " "),
				locale == SDC_FAKE_JA ? given : family);
			return 1;
		case SDC_FAKE_LOGIN:
			return put_login(lists, sex, hash, size > 0 ? size : 1000, out);
		default:
			count =
				put_login(lists, sex, hash,
						  (size > 0 ? size : 1000) - (int) strlen(HOST), out);
			strcpy(out + count, HOST);
			return count;
	}
}

/* ----------------------------------------------------------------------
 * Places: the city by the first number, the street by the second, the number
 * of the house by the third, the rest of the postcode by the fourth.
 * ----------------------------------------------------------------------
 */

static void
put_street(SdcFakeLocale locale, const SdcFakeList *lists,
		   const uint64_t *hash, char *out)
{
	const SdcFakeList *streets = &lists[SDC_FAKE_STREETS];
	const char *street = streets->value[entry(hash[1], streets)];
	uint64_t bits = hash[2];
	int house = 1 + draw(&bits, locale == SDC_FAKE_EN ? 999 : 120);

	switch (locale)
	{
		case SDC_FAKE_DE:
			add_number(add(add(out, street), " "), house, 1);
			break;
		case SDC_FAKE_ES:
			add_number(add(add(out, street), ", "), house, 1);
			break;
		case SDC_FAKE_JA:
			out = add_number(add(out, street), 1 + house % 7, 1);
			add_number(add(out, "丁目"), 1 + draw(&bits, 30), 1);
			break;
		default:
			add(add(add_number(out, house, 1), " "), street);
	}
}

static void
add_line(char *out, const char *street, const char *second, const char *third)
{
	add(add(add(add(add(out, street), ", "), second), " "), third);
}

static void
put_place(SdcFakeKind kind, SdcFakeLocale locale, const SdcFakeList *lists,
		  const uint64_t *hash, char *out)
{
	const SdcFakeList *places = &lists[SDC_FAKE_PLACES];
	int place = entry(hash[0], places);
	uint64_t bits = hash[3];
	char street[2 * SDC_FAKE_VALUE];
	char postcode[SDC_FAKE_VALUE + 1];

	fill_pattern(&bits, places->other[place], postcode);
	put_street(locale, lists, hash, street);
	if (kind == SDC_FAKE_STREET)
		strcpy(out, street);
	else if (kind == SDC_FAKE_CITY)
		strcpy(out, places->value[place]);
	else if (kind == SDC_FAKE_POSTCODE)
		strcpy(out, postcode);
	else if (locale == SDC_FAKE_JA)
		add(add(add(add(out, postcode), " "), places->value[place]), street);
	else if (locale == SDC_FAKE_EN)
		add_line(out, street, places->value[place], postcode);
	else
		add_line(out, street, postcode, places->value[place]);
}

/* ----------------------------------------------------------------------
 * Numbers, of all four parts of the hash one after the other.
 * ----------------------------------------------------------------------
 */

/*
 * Ranges that ring at nobody's: for fiction by the North American Numbering
 * Plan, BNetzA (Berlin, Frankfurt, Hamburg, Cologne, Munich) and ARCEP; Spain
 * and Japan keep none, so these begin as no number of their plans does.
 */
static const char *const phones[][6] = {
	{"+1 212 555 01##", "+1 312 555 01##", "+1 415 555 01##",
	 "+1 617 555 01##", "+1 713 555 01##", "+1 206 555 01##"},
	{"+49 30 23125 ###", "+49 69 90009 ###", "+49 40 66969 ###",
	 "+49 221 4710 ###", "+49 89 99998 ###", "+49 30 23125 ###"},
	{"+33 1 99 00 ## ##", "+33 2 61 91 ## ##", "+33 3 53 01 ## ##",
	 "+33 4 65 71 ## ##", "+33 5 36 49 ## ##", "+33 6 39 98 ## ##"},
	{"+34 990 ### ###", "+34 991 ### ###", "+34 992 ### ###",
	 "+34 993 ### ###", "+34 994 ### ###", "+34 995 ### ###"},
	{"090-0###-####", "080-0###-####", "070-0###-####", "090-0###-####",
	 "080-0###-####", "070-0###-####"}};

static void
put_phone(SdcFakeLocale locale, const uint64_t *hash, char *out)
{
	uint64_t bits = hash[0];

	fill_pattern(&bits, phones[locale][draw(&bits, 6)], out);
}

/* The two digits that a Spanish account has of its own. */
static void
write_spanish_check(char *account)
{
	static const int weight[] = {1, 2, 4, 8, 5, 10, 9, 7, 3, 6};
	int sum[2] = {0, 0};
	int i;

	for (i = 0; i < 8; i++)
		sum[0] += (account[i] - '0') * weight[i + 2];
	for (i = 0; i < 10; i++)
		sum[1] += (account[10 + i] - '0') * weight[i];
	for (i = 0; i < 2; i++)
	{
		int check = 11 - sum[i] % 11;

		account[8 + i] = (char) ('0' + (check == 11   ? 0
										: check == 10 ? 1
													  : check));
	}
}

/* The key of two digits that a French account has of its own. */
static void
write_french_key(char *account)
{
	int remainder = 0;
	int i;

	for (i = 0; i < 21; i++)
		remainder = (remainder * 10 + (account[i] - '0')) % 97;
	remainder = 97 - remainder * 100 % 97;
	account[21] = (char) ('0' + remainder / 10);
	account[22] = (char) ('0' + remainder % 10);
}

static int
put_iban(SdcFakeLocale locale, const uint64_t *hash, char *out)
{
	uint64_t bits[2] = {hash[0], hash[1]};
	int i;

	switch (locale)
	{
		case SDC_FAKE_EN:
			strcpy(out, "GB00Z");
			for (i = 5; i < 8; i++)
				out[i] = (char) ('A' + draw(&bits[1], 26));
			put_digits(&bits[0], out + 8, 14);
			break;
		case SDC_FAKE_DE:
			strcpy(out, "DE000");
			put_digits(&bits[0], out + 5, 17);
			break;
		case SDC_FAKE_FR:
			strcpy(out, "FR00");
			put_digits(&bits[0], out + 4, 15);
			put_digits(&bits[1], out + 19, 8);
			write_french_key(out + 4);
			break;
		case SDC_FAKE_ES:
			strcpy(out, "ES00");
			put_digits(&bits[0], out + 4, 10);
			put_digits(&bits[1], out + 14, 10);
			write_spanish_check(out + 4);
			break;
		default:
			return 0;
	}
	sdc_check_write(SDC_CHECK_IBAN, out);
	return 1;
}

/* Ten digits of which exactly one stands twice; the first is no zero. */
static void
put_german_id(uint64_t *bits, char *out)
{
	int left[10];
	int at;
	int i;

	for (i = 0; i < 10; i++)
		left[i] = i;
	for (i = 0; i < 9; i++)
	{
		int other = i == 0 ? 1 + draw(bits, 9) : i + draw(bits, 10 - i);
		int taken = left[other];

		left[other] = left[i];
		left[i] = taken;
		out[i] = (char) ('0' + taken);
	}
	/* one of the nine stands once more, but not side by side */
	at = 2 + draw(bits, 8);
	memmove(out + at + 1, out + at, (size_t) (9 - at));
	out[at] = out[draw(bits, at - 1)];
	strcpy(out + 10, "0");
	sdc_check_write(SDC_CHECK_DE_TAX, out);
}

static void
put_french_id(SdcFakeSex sex, uint64_t *bits, char *out)
{
	int year = draw(bits, 100);
	int month = 1 + draw(bits, 12);
	/* the departments of the mainland from 21 on: none is Corsica's */
	int department = 21 + draw(bits, 75);
	int commune = 1 + draw(bits, 899);
	char *end;

	if (sex == SDC_FAKE_ANY)
		sex = draw(bits, 2) == 0 ? SDC_FAKE_FEMALE : SDC_FAKE_MALE;
	out[0] = sex == SDC_FAKE_FEMALE ? '2' : '1';
	end = add_number(out + 1, year, 2);
	end = add_number(end, month, 2);
	end = add_number(end, department, 2);
	end = add_number(end, commune, 3);
	add(add_number(end, 1 + draw(bits, 999), 3), "00");
	sdc_check_write(SDC_CHECK_FR_NIR, out);
}

static void
put_national_id(SdcFakeLocale locale, SdcFakeSex sex, const uint64_t *hash,
				char *out)
{
	uint64_t bits = hash[0];
	int group;

	switch (locale)
	{
		case SDC_FAKE_EN:
			/* the area 666 was never given to anybody */
			group = 1 + draw(&bits, 99);
			out = add(add_number(add(out, "666-"), group, 2), "-");
			add_number(out, 1 + draw(&bits, 9999), 4);
			break;
		case SDC_FAKE_DE:
			put_german_id(&bits, out);
			break;
		case SDC_FAKE_FR:
			put_french_id(sex, &bits, out);
			break;
		case SDC_FAKE_ES:
			put_digits(&bits, out, 8);
			strcpy(out + 8, "A");
			sdc_check_write(SDC_CHECK_ES_DNI, out);
			break;
		default:
			put_digits(&bits, out, 11);
			strcpy(out + 11, "0");
			sdc_check_write(SDC_CHECK_JP_MY, out);
	}
}

static void
put_card(const uint64_t *hash, char *out)
{
	uint64_t bits = hash[0];

	out[0] = '4';
	put_digits(&bits, out + 1, 15);
	sdc_check_write(SDC_CHECK_CARD, out);
}

/* Syllables, in words of one to four, up to size characters. */
static void
put_text(const uint64_t *hash, int size, char *out)
{
	static const char vowels[] = "aeiou";
	static const char others[] = "bdfglmnprstv";
	uint64_t bits = 0;
	uint64_t step = 0;
	int left = 0;
	int i;

	for (i = 0; i < size; i++)
	{
		if (i % 8 == 0)
			bits = sdc_random_mix(hash[step % 4] + sdc_random_mix(step));
		step += i % 8 == 7;
		if (left == 0 && i > 0 && i < size - 2)
		{
			out[i] = ' ';
			left = 2 + 2 * draw(&bits, 4);
			continue;
		}
		out[i] =
			left % 2 == 0 ? others[draw(&bits, 12)] : vowels[draw(&bits, 5)];
		left = left > 0 ? left - 1 : 5;
	}
	out[size] = '\0';
}

/* ----------------------------------------------------------------------
 * All kinds.
 * ----------------------------------------------------------------------
 */

/* Cuts UTF-8 to so many characters, and blanks before the cut. */
static void
cut(char *out, int size)
{
	for (; *out != '\0'; out++)
		if (((unsigned char) *out & 0xc0) != 0x80 && size-- == 0)
		{
			*out = '\0';
			return;
		}
}

int
sdc_fake_least(SdcFakeKind kind, SdcFakeLocale locale)
{
	static const int iban[] = {22, 22, 27, 24, 0};
	static const int national_id[] = {11, 11, 15, 9, 12};
	static const int phone[] = {15, 16, 17, 15, 13};
	static const int postcode[] = {5, 5, 5, 5, 8};

	switch (kind)
	{
		case SDC_FAKE_LOGIN:
			return TAIL;
		case SDC_FAKE_EMAIL:
			return TAIL + (int) strlen(HOST);
		case SDC_FAKE_PHONE:
			return phone[locale];
		case SDC_FAKE_POSTCODE:
			return postcode[locale];
		case SDC_FAKE_IBAN:
			return iban[locale];
		case SDC_FAKE_CARD:
			return 16;
		case SDC_FAKE_NATIONAL_ID:
			return national_id[locale];
		default:
			return 0;
	}
}

/* A name as it stands in a login, and the '\0' behind it. */
typedef char Plain[LOGIN_NAME + 2];

static int
compare_plain(int32_t a, int32_t b, void *arg)
{
	const Plain *plain = arg;

	return strcmp(plain[a], plain[b]);
}

/*
 * The chance that two persons have the same name in a login, cut to so many
 * letters; names of each length count by a weight, where one is given.
 */
static double
meet(SdcHost *host, const SdcFakeList *list, int room, const double *weight)
{
	Plain *plain = sdc_new(host, Plain, list->count);
	int32_t *order = sdc_new(host, int32_t, list->count);
	double chance = 0;
	int empty = 0;
	int i;
	int next;

	for (i = 0; i < list->count; i++)
	{
		int length = put_plain(latin(list, i), plain[i], room);

		plain[i][length] = '\0';
		empty += length == 0;
		order[i] = i;
	}
	sdc_sort_rows(host, order, (size_t) list->count, compare_plain, plain);
	for (i = 0; i < list->count; i = next)
	{
		const char *name = plain[order[i]];
		double share;

		for (next = i + 1;
			 next < list->count && strcmp(name, plain[order[next]]) == 0;
			 next++)
			;
		share = (double) (next - i) / list->count;
		chance += share * share * (weight ? weight[strlen(name)] : 1);
	}
	host->release(host, order);
	host->release(host, plain);
	/* a login without one of its names may be that of another name */
	return empty > 0 ? 1 : chance;
}

/*
 * The same of all that put_login writes before the tail.  A man and a woman
 * have one first name with a chance between those of two of a sex, or below.
 */
static double
meet_login(SdcHost *host, const SdcFakeList *lists, int room)
{
	double weight[LOGIN_NAME + 2] = {1};
	int length;

	room = room <= 0 || room > TAIL + 2 + LOGIN_NAME ? 2 + LOGIN_NAME
													 : room - TAIL;
	if (room < 2)
		return 1;
	for (length = 1; length < room; length++)
	{
		int left = room - length - 2;

		weight[length] =
			left < 1 ? 1
					 : fmax(meet(host, &lists[SDC_FAKE_FIRST_F], left, 0),
							meet(host, &lists[SDC_FAKE_FIRST_M], left, 0));
	}
	return meet(host, &lists[SDC_FAKE_LAST], room - 1, weight);
}

double
sdc_fake_variety(SdcHost *host, SdcFakeKind kind, SdcFakeLocale locale,
				 const SdcFakeList *lists, int size)
{
	static const double iban[] = {17576e14, 1e17, 1e21, 1e18, 1};
	static const double national_id[] = {
		99 * 9999.0, 7e7, 100 * 12 * 75 * 899 * 999.0, 1e8, 1e11};
	static const double phone[] = {600, 4000, 6e4, 6e6, 2e7};
	double last = lists[SDC_FAKE_LAST].count;

	switch (kind)
	{
		case SDC_FAKE_LOGIN:
		case SDC_FAKE_EMAIL:
			if (size > 0 && kind == SDC_FAKE_EMAIL)
				size -= (int) strlen(HOST);
			return (double) (UINT64_C(1) << TAIL_BITS) /
				   meet_login(host, lists, size);
		case SDC_FAKE_PHONE:
			return phone[locale];
		case SDC_FAKE_IBAN:
			return iban[locale];
		case SDC_FAKE_CARD:
			return 1e14;
		case SDC_FAKE_NATIONAL_ID:
			return national_id[locale];
		case SDC_FAKE_COMPANY:
			return last * lists[SDC_FAKE_LEGAL].count;
		default:
			return 1;
	}
}

static void
put_company(SdcFakeLocale locale, const SdcFakeList *lists,
			const uint64_t *hash, char *out)
{
	const SdcFakeList *last = &lists[SDC_FAKE_LAST];
	const SdcFakeList *legal = &lists[SDC_FAKE_LEGAL];
	const char *name = last->value[entry(hash[0], last)];
	const char *form = legal->value[entry(hash[1], legal)];

	if (locale == SDC_FAKE_JA)
		add(add(out, form), name);
	else
		add(add(add(out, name), " "), form);
}

int
sdc_fake_make(SdcFakeKind kind, SdcFakeLocale locale, const SdcFakeList *lists,
			  SdcFakeSex sex, const uint64_t hash[4], int size, char *out)
{
	if (kind == SDC_FAKE_TEXT)
	{
		put_text(hash, size, out);
		return 1;
	}
	if (size > 0 && size < sdc_fake_least(kind, locale))
		return 0;
	if (sdc_fake_group(kind) == 0)
	{
		if (!put_person(kind, locale, lists, sex, hash, size, out))
			return 0;
	}
	else if (sdc_fake_group(kind) == 1)
		put_place(kind, locale, lists, hash, out);
	else if (kind == SDC_FAKE_PHONE)
		put_phone(locale, hash, out);
	else if (kind == SDC_FAKE_COMPANY)
		put_company(locale, lists, hash, out);
	else if (kind == SDC_FAKE_CARD)
		put_card(hash, out);
	else if (kind == SDC_FAKE_NATIONAL_ID)
		put_national_id(locale, sex, hash, out);
	else if (!put_iban(locale, hash, out))
		return 0;
	if (size > 0)
		cut(out, size);
	return 1;
}

int32_t
sdc_fake_shift(const uint64_t hash[4], int32_t days)
{
	uint64_t bits = hash[0];
	int32_t drawn = draw(&bits, 2 * days);

	return drawn < days ? drawn - days : drawn - days + 1;
}
