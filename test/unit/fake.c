/*
 * fake.c
 *		Values that look real: that they fit each other, are right by rules
 *		written down here once more, and are spread as the hash is.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/mask/pseudonym.h"
#include "kernel/mask/fake.h"

#define TRIES 20000

static const char *women[] = {"Zoë", "Ana", "Ærøa"};
static const char *men[] = {"Jürgen", "Bo", "Łukasz", "Ian"};
static const char *names[] = {"Straße", "O'Neil", "Li", "Núñez", "佐藤"};
static const char *latin_names[] = {NULL, NULL, NULL, NULL, "Sato"};
static const char *none[] = {NULL, NULL, NULL, NULL, NULL};
static const char *streets[] = {"Lane", "Calle"};
static const char *places[] = {"Here", "There", "Nowhere"};
static const char *codes[] = {"1####", "2##-x", "77777"};
static const char *legal[] = {"Ltd", "Inc"};

static const SdcFakeList lists[SDC_FAKE_LISTS] = {
	{3, women, none},   {4, men, none},     {5, names, latin_names},
	{2, streets, none}, {3, places, codes}, {2, legal, none}};

static void
draw_hash(SdcRandom *random, uint64_t hash[4])
{
	int i;

	for (i = 0; i < 4; i++)
		hash[i] = sdc_random_bits(random);
}

static void
make(SdcFakeKind kind, SdcFakeLocale locale, SdcFakeSex sex,
	 const uint64_t *hash, char *out)
{
	if (!sdc_fake_make(kind, locale, lists, sex, hash,
					   kind == SDC_FAKE_TEXT ? 40 : 0, out))
		strcpy(out, "?");
}

/* A person of one hash is one person. */
static void
test_person(void)
{
	static const char *const plain[] = {"strasse", "oneil", "li", "nunez",
										"sato"};
	static const char *const given[] = {"zoe", "ana",    "aeroa", "juergen",
										"bo",  "lukasz", "ian"};
	SdcRandom random;
	int bad = 0;
	int count[7] = {0};
	int t;

	sdc_random_seed(&random, 1, 2);
	for (t = 0; t < TRIES; t++)
	{
		uint64_t hash[4];
		char first[SDC_FAKE_BYTES];
		char last[SDC_FAKE_BYTES];
		char full[SDC_FAKE_BYTES];
		char login[SDC_FAKE_BYTES];
		char email[SDC_FAKE_BYTES];
		char wanted[SDC_FAKE_BYTES * 2];
		int f = 0;
		int l = 0;

		draw_hash(&random, hash);
		make(SDC_FAKE_FIRST_NAME, SDC_FAKE_EN, SDC_FAKE_ANY, hash, first);
		make(SDC_FAKE_LAST_NAME, SDC_FAKE_EN, SDC_FAKE_ANY, hash, last);
		make(SDC_FAKE_NAME, SDC_FAKE_EN, SDC_FAKE_ANY, hash, full);
		make(SDC_FAKE_LOGIN, SDC_FAKE_EN, SDC_FAKE_ANY, hash, login);
		make(SDC_FAKE_EMAIL, SDC_FAKE_EN, SDC_FAKE_ANY, hash, email);
		while (f < 7 && strcmp(first, f < 3 ? women[f] : men[f - 3]) != 0)
			f++;
		while (l < 5 && strcmp(last, names[l]) != 0)
			l++;
		if (f == 7 || l == 5)
		{
			bad++;
			continue;
		}
		count[f]++;
		sprintf(wanted, "%s %s", first, last);
		bad += strcmp(wanted, full) != 0;
		sprintf(wanted, "%s.%s.", given[f], plain[l]);
		bad += strncmp(wanted, login, strlen(wanted)) != 0 ||
			   strlen(login) != strlen(wanted) + 10;
		sprintf(wanted, "%s@example.org", login);
		bad += strcmp(wanted, email) != 0;
		make(SDC_FAKE_NAME, SDC_FAKE_JA, SDC_FAKE_ANY, hash, full);
		sprintf(wanted, "%s %s", last, first);
		bad += strcmp(wanted, full) != 0;
		make(SDC_FAKE_FIRST_NAME, SDC_FAKE_EN, SDC_FAKE_FEMALE, hash, first);
		bad += strcmp(first, women[0]) != 0 && strcmp(first, women[1]) != 0 &&
			   strcmp(first, women[2]) != 0;
	}
	unit_check(bad == 0, "names, logins and addresses of one hash fit: %d bad",
			   bad);
	/* six standard deviations */
	unit_check(
		abs(count[0] - TRIES / 6) < 320 && abs(count[3] - TRIES / 8) < 290,
		"women are half, and each name as likely: %d %d", count[0], count[3]);
}

static void
test_place(void)
{
	SdcRandom random;
	int bad = 0;
	int t;

	sdc_random_seed(&random, 1, 3);
	for (t = 0; t < TRIES; t++)
	{
		uint64_t hash[4];
		char street[SDC_FAKE_BYTES];
		char city[SDC_FAKE_BYTES];
		char code[SDC_FAKE_BYTES];
		char address[SDC_FAKE_BYTES];
		char wanted[SDC_FAKE_BYTES * 2];
		int c = 0;
		int i;

		draw_hash(&random, hash);
		make(SDC_FAKE_STREET, SDC_FAKE_DE, SDC_FAKE_ANY, hash, street);
		make(SDC_FAKE_CITY, SDC_FAKE_DE, SDC_FAKE_ANY, hash, city);
		make(SDC_FAKE_POSTCODE, SDC_FAKE_DE, SDC_FAKE_ANY, hash, code);
		make(SDC_FAKE_ADDRESS, SDC_FAKE_DE, SDC_FAKE_ANY, hash, address);
		while (c < 2 && strcmp(city, places[c]) != 0)
			c++;
		bad += strcmp(city, places[c]) != 0 || strlen(code) != 5;
		for (i = 0; i < 5; i++)
			bad += codes[c][i] == '#' ? code[i] < '0' || code[i] > '9'
									  : code[i] != codes[c][i];
		sprintf(wanted, "%s, %s %s", street, code, city);
		bad += strcmp(wanted, address) != 0;
	}
	unit_check(bad == 0, "streets, postcodes and cities of one hash fit: %d",
			   bad);
}

/* The remainder of a decimal number. */
static int
remainder_of(const char *digits, int count, int modulus)
{
	int remainder = 0;
	int i;

	for (i = 0; i < count; i++)
		remainder = (remainder * 10 + (digits[i] - '0')) % modulus;
	return remainder;
}

/* Bank 89, branch 15, account 3, and the key: a multiple of 97. */
static int
is_french(const char *account)
{
	return (89 * remainder_of(account, 5, 97) +
			15 * remainder_of(account + 5, 5, 97) +
			3 * remainder_of(account + 10, 11, 97) +
			remainder_of(account + 21, 2, 97)) %
			   97 ==
		   0;
}

/* Powers of 2 mod 11, from the left of ten digits. */
static int
is_spanish(const char *account)
{
	int part;

	for (part = 0; part < 2; part++)
	{
		int sum = 0;
		int power = 1;
		int i;

		for (i = 0; i < 10; i++)
		{
			int digit = part == 1 ? account[10 + i] - '0'
						: i >= 2  ? account[i - 2] - '0'
								  : 0;

			sum += digit * power;
			power = power * 2 % 11;
		}
		sum = (11 - sum % 11) % 11;
		if (account[8 + part] - '0' != (sum == 10 ? 1 : sum))
			return 0;
	}
	return 1;
}

/* One digit stands twice, or each that stands once is another. */
static int
is_german(const char *number)
{
	int count[10] = {0};
	int twice = 0;
	int i;

	for (i = 0; i < 10; i++)
		count[number[i] - '0']++;
	for (i = 0; i < 10; i++)
		twice += count[i] == 2;
	return number[0] != '0' && twice == 1;
}

static void
test_numbers(void)
{
	static const SdcCheckScheme scheme[] = {0, SDC_CHECK_DE_TAX,
											SDC_CHECK_FR_NIR, SDC_CHECK_ES_DNI,
											SDC_CHECK_JP_MY};
	SdcRandom random;
	int bad[5] = {0};
	int t;
	int l;

	sdc_random_seed(&random, 1, 4);
	for (t = 0; t < TRIES; t++)
		for (l = SDC_FAKE_EN; l <= SDC_FAKE_JA; l++)
		{
			uint64_t hash[4];
			char out[SDC_FAKE_BYTES];

			draw_hash(&random, hash);
			make(SDC_FAKE_CARD, l, SDC_FAKE_ANY, hash, out);
			bad[0] += !sdc_check_holds(SDC_CHECK_CARD, out);
			make(SDC_FAKE_IBAN, l, SDC_FAKE_ANY, hash, out);
			if (l != SDC_FAKE_JA)
				bad[1] += !sdc_check_holds(SDC_CHECK_IBAN, out);
			else
				bad[1] += strcmp(out, "?") != 0;
			bad[2] += l == SDC_FAKE_FR && !is_french(out + 4);
			bad[2] += l == SDC_FAKE_ES && !is_spanish(out + 4);
			make(SDC_FAKE_NATIONAL_ID, l, SDC_FAKE_FEMALE, hash, out);
			if (l != SDC_FAKE_EN)
				bad[3] += !sdc_check_holds(scheme[l], out);
			else
				bad[3] += strncmp(out, "666-", 4) != 0 || strlen(out) != 11;
			bad[4] += l == SDC_FAKE_DE && !is_german(out);
			bad[4] += l == SDC_FAKE_FR && out[0] != '2';
		}
	unit_check(bad[0] == 0, "cards hold: %d bad", bad[0]);
	unit_check(bad[1] == 0, "IBANs hold: %d bad", bad[1]);
	unit_check(bad[2] == 0, "accounts of France and Spain hold: %d bad",
			   bad[2]);
	unit_check(bad[3] == 0, "numbers of persons hold: %d bad", bad[3]);
	unit_check(bad[4] == 0, "their own rules hold: %d bad", bad[4]);
}

static int
characters(const char *text)
{
	int count = 0;

	for (; *text != '\0'; text++)
		count += ((unsigned char) *text & 0xc0) != 0x80;
	return count;
}

/* Every kind in every size: as asked for, or refused where it must be. */
static void
test_sizes(void)
{
	SdcRandom random;
	int bad = 0;
	int kind;
	int l;
	int size;

	sdc_random_seed(&random, 1, 5);
	for (kind = SDC_FAKE_FIRST_NAME; kind <= SDC_FAKE_TEXT; kind++)
		for (l = SDC_FAKE_EN; l <= SDC_FAKE_JA; l++)
			for (size = 1; size < 300; size++)
			{
				uint64_t hash[4];
				char *out = malloc(SDC_FAKE_BYTES);
				int made;

				draw_hash(&random, hash);
				made = sdc_fake_make(kind, l, lists, SDC_FAKE_ANY, hash, size,
									 out);
				bad +=
					made != (size >= sdc_fake_least(kind, l) &&
							 !(kind == SDC_FAKE_IBAN && l == SDC_FAKE_JA)) &&
					kind != SDC_FAKE_TEXT;
				bad += made && characters(out) > size;
				bad += kind == SDC_FAKE_TEXT && characters(out) != size;
				bad += made && *out == '\0';
				free(out);
			}
	unit_check(bad == 0, "no fake is longer than it may be: %d bad", bad);
}

/* The same hash, the same fake; another tail where names are the same. */
static void
test_tails(void)
{
	SdcRandom random;
	uint64_t hash[4];
	char one[SDC_FAKE_BYTES];
	char two[SDC_FAKE_BYTES];
	char short_one[SDC_FAKE_BYTES];

	sdc_random_seed(&random, 1, 6);
	draw_hash(&random, hash);
	make(SDC_FAKE_EMAIL, SDC_FAKE_EN, SDC_FAKE_ANY, hash, one);
	make(SDC_FAKE_EMAIL, SDC_FAKE_EN, SDC_FAKE_ANY, hash, two);
	unit_check(strcmp(one, two) == 0, "the same hash, the same address");
	hash[2] += UINT64_C(1) << (64 - 50);
	make(SDC_FAKE_EMAIL, SDC_FAKE_EN, SDC_FAKE_ANY, hash, two);
	unit_check(strcmp(one, two) != 0, "one of 2^50 further, another address");
	sdc_fake_make(SDC_FAKE_EMAIL, SDC_FAKE_EN, lists, SDC_FAKE_ANY, hash, 22,
				  short_one);
	unit_check(strlen(short_one) == 22 &&
				   strcmp(short_one, two + strlen(two) - 22) == 0,
			   "the tail is never cut: %s", short_one);
}

/* However short: what tells two logins of the same names apart is there. */
static void
test_short_tails(void)
{
	static const SdcFakeKind kinds[] = {SDC_FAKE_LOGIN, SDC_FAKE_EMAIL};
	SdcRandom random;
	int bad = 0;
	int t;
	int k;
	int size;

	sdc_random_seed(&random, 1, 8);
	for (t = 0; t < 200; t++)
		for (k = 0; k < 2; k++)
		{
			int least = sdc_fake_least(kinds[k], SDC_FAKE_EN);
			uint64_t hash[4];
			char whole[SDC_FAKE_BYTES];
			char out[SDC_FAKE_BYTES];

			draw_hash(&random, hash);
			make(kinds[k], SDC_FAKE_EN, SDC_FAKE_ANY, hash, whole);
			for (size = least; size < 60; size++)
			{
				bad += !sdc_fake_make(kinds[k], SDC_FAKE_EN, lists,
									  SDC_FAKE_ANY, hash, size, out);
				bad += strcmp(out + strlen(out) - least,
							  whole + strlen(whole) - least) != 0;
			}
		}
	unit_check(bad == 0, "the tail is there in every size: %d bad", bad);
}

/*
 * How many of all pairs of persons, of each two sexes, have one login but for
 * the tail: no more than the variety says, and no fewer where they are of one
 * sex.  By writing the logins, one for each name and sex.
 */
static void
test_variety(void)
{
	static const SdcFakeSex sexes[] = {SDC_FAKE_FEMALE, SDC_FAKE_MALE};
	static char login[2][4 * 5][SDC_FAKE_BYTES];
	int bad = 0;
	int size;

	for (size = 22; size < 60; size++)
	{
		double variety = sdc_fake_variety(unit_host(), SDC_FAKE_EMAIL,
										  SDC_FAKE_EN, lists, size);
		double most = 0;
		int count[2] = {0};
		int s;
		int t;
		int i;
		int j;

		for (s = 0; s < 2; s++)
			for (i = 0; i < lists[s].count; i++)
				for (j = 0; j < lists[SDC_FAKE_LAST].count; j++)
				{
					uint64_t hash[4] = {0, 0, 7, 0};

					hash[0] = UINT64_MAX / lists[s].count * i + 9;
					hash[1] = UINT64_MAX / lists[SDC_FAKE_LAST].count * j + 9;
					bad += !sdc_fake_make(SDC_FAKE_EMAIL, SDC_FAKE_EN, lists,
										  sexes[s], hash, size,
										  login[s][count[s]++]);
				}
		for (s = 0; s < 2; s++)
			for (t = 0; t < 2; t++)
			{
				double meet = 0;

				for (i = 0; i < count[s]; i++)
					for (j = 0; j < count[t]; j++)
						meet += strcmp(login[s][i], login[t][j]) == 0;
				meet /= (double) count[s] * count[t];
				bad +=
					meet > (1 + 1e-9) * (double) (UINT64_C(1) << 50) / variety;
				most = s == t && meet > most ? meet : most;
			}
		bad += size >= 48 &&
			   most < (1 - 1e-9) * (double) (UINT64_C(1) << 50) / variety;
	}
	unit_check(bad == 0,
			   "two logins meet as rarely as the variety says: %d bad", bad);
	unit_check(
		sdc_fake_variety(unit_host(), SDC_FAKE_LOGIN, SDC_FAKE_EN, lists, 10) /
					(UINT64_C(1) << 50) ==
				1 &&
			fabs(sdc_fake_variety(unit_host(), SDC_FAKE_LOGIN, SDC_FAKE_EN,
								  lists, 0) /
					 (UINT64_C(1) << 50) -
				 15) < 1e-9,
		"a tail alone, and 3 and 5 names before it");
}

/* Without letters the login may be that of another: no name counts. */
static void
test_no_letters(void)
{
	const char *nobody[] = {"佐藤", "Li"};
	SdcFakeList some[SDC_FAKE_LISTS];

	memcpy(some, lists, sizeof(some));
	some[SDC_FAKE_LAST] = (SdcFakeList){2, nobody, none};
	unit_check(sdc_fake_variety(unit_host(), SDC_FAKE_LOGIN, SDC_FAKE_EN, some,
								0) == (double) (UINT64_C(1) << 50),
			   "a last name without letters");
}

static void
test_shift(void)
{
	SdcRandom random;
	int count[21] = {0};
	int bad = 0;
	int t;

	sdc_random_seed(&random, 1, 7);
	for (t = 0; t < TRIES; t++)
	{
		uint64_t hash[4];
		int days;

		draw_hash(&random, hash);
		days = sdc_fake_shift(hash, 10);
		if (days < -10 || days > 10 || days == 0)
			bad++;
		else
			count[days + 10]++;
		days = sdc_fake_shift(hash, 1);
		bad += days != 1 && days != -1;
		days = sdc_fake_shift(hash, SDC_FAKE_MOST_DAYS);
		bad += days == 0 || abs(days) > SDC_FAKE_MOST_DAYS;
	}
	unit_check(bad == 0, "dates move, and within reach: %d bad", bad);
	for (t = 0; t < 21; t++)
		bad += t != 10 && abs(count[t] - TRIES / 20) > 190;
	unit_check(bad == 0, "each number of days is as likely: %d bad", bad);
}

int
main(void)
{
	unit_start("fake");
	test_person();
	test_place();
	test_numbers();
	test_sizes();
	test_tails();
	test_short_tails();
	test_variety();
	test_no_letters();
	test_shift();
	return unit_finish();
}
