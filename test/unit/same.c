/*
 * same.c
 *		Permutations that keep the form of a text: FF1 beside the samples of
 *		NIST, whole small domains, there and back.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/mask/pseudonym.c"

static const char *const scheme_words[] = {
	"card", "iban", "de_tax", "fr_nir", "es_dni", "jp_my", 0};

/* ----------------------------------------------------------------------
 * AES (FIPS 197) as the standard writes it, byte by byte; for tests only.
 * ----------------------------------------------------------------------
 */

typedef struct Aes
{
	int rounds;
	uint8_t key[15][16];
} Aes;

static uint8_t
times(uint8_t a, uint8_t b)
{
	uint8_t product = 0;

	for (; b > 0; b >>= 1)
	{
		if (b & 1)
			product ^= a;
		a = (uint8_t) (a << 1 ^ (a >> 7) * 0x1b);
	}
	return product;
}

static uint8_t
substitute(uint8_t x)
{
	uint8_t inverse = 0;
	uint8_t result = 0x63;
	int i;

	for (i = 1; x != 0 && i < 256; i++)
		if (times(x, (uint8_t) i) == 1)
			inverse = (uint8_t) i;
	for (i = 0; i < 5; i++)
		result ^= (uint8_t) (inverse << i | inverse >> (8 - i));
	return result;
}

static uint8_t box[256];

static void
aes_key(Aes *aes, const uint8_t *key, int bytes)
{
	uint8_t *all = &aes->key[0][0];
	uint8_t power = 1;
	int i;
	int j;

	if (box[0] == 0)
		for (i = 0; i < 256; i++)
			box[i] = substitute((uint8_t) i);
	aes->rounds = bytes / 4 + 6;
	memcpy(all, key, (size_t) bytes);
	for (i = bytes; i < 16 * (aes->rounds + 1); i += 4)
	{
		uint8_t word[4];

		memcpy(word, all + i - 4, 4);
		if (i % bytes == 0)
		{
			uint8_t first = word[0];

			for (j = 0; j < 4; j++)
				word[j] = box[j < 3 ? word[j + 1] : first];
			word[0] ^= power;
			power = times(power, 2);
		}
		else if (bytes == 32 && i % bytes == 16)
			for (j = 0; j < 4; j++)
				word[j] = box[word[j]];
		for (j = 0; j < 4; j++)
			all[i + j] = all[i + j - bytes] ^ word[j];
	}
}

static void
aes_run(void *context, const uint8_t *in, uint8_t *out)
{
	const Aes *aes = context;
	uint8_t state[16];
	int round;
	int i;

	for (i = 0; i < 16; i++)
		state[i] = in[i] ^ aes->key[0][i];
	for (round = 1; round <= aes->rounds; round++)
	{
		uint8_t next[16];

		for (i = 0; i < 16; i++)
			next[i] = box[state[(i + 4 * (i % 4)) % 16]];
		for (i = 0; i < 16; i++)
		{
			const uint8_t *column = next + i / 4 * 4;

			state[i] = round == aes->rounds
						   ? next[i]
						   : times(column[i % 4], 2) ^
								 times(column[(i + 1) % 4], 3) ^
								 column[(i + 2) % 4] ^ column[(i + 3) % 4];
			state[i] ^= aes->key[round][i];
		}
	}
	memcpy(out, state, 16);
}

/* Appendix C.3 of FIPS 197. */
static void
test_aes(void)
{
	static const uint8_t right[16] = {0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67,
									  0x45, 0xbf, 0xea, 0xfc, 0x49, 0x90,
									  0x4b, 0x49, 0x60, 0x89};
	uint8_t key[32];
	uint8_t text[16];
	Aes aes;
	int i;

	for (i = 0; i < 32; i++)
		key[i] = (uint8_t) i;
	for (i = 0; i < 16; i++)
		text[i] = (uint8_t) (i * 17);
	aes_key(&aes, key, 32);
	aes_run(&aes, text, text);
	unit_check(memcmp(text, right, 16) == 0, "AES-256 of FIPS 197");
}

/* ----------------------------------------------------------------------
 * FF1: the nine samples of NIST.
 * ----------------------------------------------------------------------
 */

/* n numerals of a radix as the standard has them, by the rounds of the
 * kernel. */
static void
permute_numerals(const SdcBlockCipher *cipher, const uint8_t *tweak,
				 int tweak_length, int radix, int *numeral, int n, int back)
{
	int u = n / 2;
	uint128 size[2] = {half_size(radix, u), half_size(radix, n - u)};
	uint128 half[2] = {0, 0};
	Ff1 ff1;
	int i;

	ff1_start(&ff1, cipher, tweak, tweak_length, radix, n);
	for (i = 0; i < n; i++)
		half[i >= u] = half[i >= u] * (unsigned) radix + (unsigned) numeral[i];
	ff1_halves(&ff1, half, size, back);
	for (i = n - 1; i >= 0; i--)
	{
		numeral[i] = (int) (half[i >= u] % (unsigned) radix);
		half[i >= u] /= (unsigned) radix;
	}
}

static const uint8_t nist_key[32] = {
	0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15,
	0x88, 0x09, 0xcf, 0x4f, 0x3c, 0xef, 0x43, 0x59, 0xd8, 0xd5, 0x80,
	0xaa, 0x4f, 0x7f, 0x03, 0x6d, 0x6f, 0x04, 0xfc, 0x6a, 0x94};

static void
test_samples(void)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	static const struct
	{
		int bytes;
		const char *tweak;
		int radix;
		const char *plain;
		const char *cipher;
	} sample[] = {
		{16, "", 10, "0123456789", "2433477484"},
		{16, "9876543210", 10, "0123456789", "6124200773"},
		{16, "7777pqrs777", 36, "0123456789abcdefghi", "a9tv40mll9kdu509eum"},
		{24, "", 10, "0123456789", "2830668132"},
		{24, "9876543210", 10, "0123456789", "2496655549"},
		{24, "7777pqrs777", 36, "0123456789abcdefghi", "xbj3kv35jrawxv32ysr"},
		{32, "", 10, "0123456789", "6657667009"},
		{32, "9876543210", 10, "0123456789", "1001623463"},
		{32, "7777pqrs777", 36, "0123456789abcdefghi", "xs8a0azh2avyalyzuwd"}};
	int s;

	for (s = 0; s < 9; s++)
	{
		int n = (int) strlen(sample[s].plain);
		Aes aes;
		SdcBlockCipher cipher = {aes_run, &aes};
		const uint8_t *tweak = (const uint8_t *) sample[s].tweak;
		int length = (int) strlen(sample[s].tweak);
		int numeral[20];
		int wrong = 0;
		int i;

		aes_key(&aes, nist_key, sample[s].bytes);
		for (i = 0; i < n; i++)
			numeral[i] = (int) (strchr(digits, sample[s].plain[i]) - digits);
		permute_numerals(&cipher, tweak, length, sample[s].radix, numeral, n,
						 0);
		for (i = 0; i < n; i++)
			wrong += digits[numeral[i]] != sample[s].cipher[i];
		permute_numerals(&cipher, tweak, length, sample[s].radix, numeral, n,
						 1);
		for (i = 0; i < n; i++)
			wrong += digits[numeral[i]] != sample[s].plain[i];
		unit_check(wrong == 0, "sample %d of NIST, there and back", s + 1);
	}
	unit_check(half_size(10, 36) != 0 && half_size(10, 37) == 0 &&
				   half_size(2, 119) != 0 && half_size(2, 122) == 0,
			   "halves have 120 bits at the most");
}

/* ----------------------------------------------------------------------
 * Texts of one form.
 * ----------------------------------------------------------------------
 */

static Aes aes;
static const SdcBlockCipher cipher = {aes_run, &aes};

/* A toy that is fast: whatever the cipher makes, it must be a permutation. */
static void
toy_run(void *context, const uint8_t *in, uint8_t *out)
{
	uint64_t a = *(const uint64_t *) context;
	int i;

	for (i = 0; i < 16; i++)
		a = sdc_random_mix(a ^ in[i]);
	for (i = 0; i < 16; i++)
		out[i] = (uint8_t) (a >> (i % 8 * 8));
}

/* Whole domains: as many texts come out, all of the form. */
static void
test_domain(const char *form, int size)
{
	uint64_t key = 7;
	SdcBlockCipher toy = {toy_run, &key};
	char *seen = calloc((size_t) size, 1);
	int length = (int) strlen(form);
	int bad = 0;
	int same = 0;
	int v;
	int i;

	for (v = 0; v < size; v++)
	{
		char text[SDC_SAME_MAX];
		char was[SDC_SAME_MAX];
		int rest = v;
		int number = 0;

		memcpy(text, form, (size_t) length);
		for (i = length - 1; i >= 0; i--)
			if (form[i] == '0' || form[i] == 'a' || form[i] == 'A')
			{
				int places = form[i] == '0' ? 10 : 26;

				text[i] = (char) (form[i] + rest % places);
				rest /= places;
			}
		memcpy(was, text, (size_t) length);
		bad += !sdc_same_form(&toy, (const uint8_t *) "t", 1, text, length, 0);
		for (i = 0; i < length; i++)
			if (form[i] == '0' || form[i] == 'a' || form[i] == 'A')
			{
				int places = form[i] == '0' ? 10 : 26;

				bad += text[i] < form[i] || text[i] >= form[i] + places;
				number = number * places + (text[i] - form[i]);
			}
			else
				bad += text[i] != form[i];
		if (number < 0 || number >= size || seen[number])
			bad++;
		else
			seen[number] = 1;
		same += memcmp(text, was, (size_t) length) == 0;
		bad += !sdc_same_form(&toy, (const uint8_t *) "t", 1, text, length, 1);
		bad += memcmp(text, was, (size_t) length) != 0;
	}
	/* a random permutation leaves one on average */
	unit_check(bad == 0 && same < 10,
			   "all texts of the form \"%s\": %d bad, %d the same", form, bad,
			   same);
	free(seen);
}

/* Long forms: there and back, and every place moves. */
static void
test_forms(void)
{
	static const char *const forms[] = {
		"+00 (000) 000-0000",
		"AA00 0000 0000 0000 0000 00",
		"aaaaaaaaaaaa",
		"a0A-a0A-a0A/Straße",
		"000000000000000000000000000000000000",
		"000000000000000000000000000000000000000000000000000000000000000000"};
	SdcRandom random;
	int f;
	int t;
	int i;

	sdc_random_seed(&random, 1, 8);
	for (f = 0; f < 6; f++)
	{
		int length = (int) strlen(forms[f]);
		int moved[SDC_SAME_MAX] = {0};
		int bad = 0;

		for (t = 0; t < 60; t++)
		{
			char text[SDC_SAME_MAX];
			char was[SDC_SAME_MAX];
			int one = (int) sdc_random_below(&random, (uint64_t) length);

			memcpy(text, forms[f], (size_t) length);
			for (i = 0; i < length; i++)
				if (text[i] == '0' || text[i] == 'a' || text[i] == 'A')
					text[i] =
						(char) (text[i] + (int) sdc_random_below(&random, 10));
			memcpy(was, text, (size_t) length);
			bad += !sdc_same_form(&cipher, NULL, 0, text, length, 0);
			for (i = 0; i < length; i++)
			{
				int is_digit = was[i] >= '0' && was[i] <= '9';
				int is_small = was[i] >= 'a' && was[i] <= 'z';

				moved[i] += text[i] != was[i];
				bad += is_digit != (text[i] >= '0' && text[i] <= '9');
				bad += is_small != (text[i] >= 'a' && text[i] <= 'z');
			}
			bad += !sdc_same_form(&cipher, NULL, 0, text, length, 1);
			bad += memcmp(text, was, (size_t) length) != 0;
			(void) one;
		}
		for (i = 0; i < length; i++)
			if ((forms[f][i] == '0' || forms[f][i] == 'a') && moved[i] < 30)
				bad++;
		unit_check(bad == 0, "\"%s\" there and back: %d bad", forms[f], bad);
	}
	{
		char text[SDC_SAME_MAX + 1];

		memset(text, '0', sizeof(text));
		unit_check(sdc_same_form(&cipher, NULL, 0, text, 71, 0) &&
					   !sdc_same_form(&cipher, NULL, 0, text, 73, 0),
				   "71 digits are permuted, 73 are too many");
		unit_check(!sdc_same_form(&cipher, NULL, 0, text, SDC_SAME_MAX + 1, 0),
				   "so are more characters than may be");
		memcpy(text, "- .", 3);
		unit_check(!sdc_same_form(&cipher, NULL, 0, text, 3, 0) &&
					   !sdc_same_form(&cipher, NULL, 0, text, 0, 0),
				   "nothing to permute");
		unit_check(sdc_same_bits("0", 1) == 4 &&
					   sdc_same_bits("aA", 2) == 10 &&
					   sdc_same_bits("-", 1) == 0,
				   "how many texts of a form there are");
	}
}

/* Right stays right, wrong stays wrong by as much, and all come back. */
static void
test_numbers(void)
{
	static const char *const start[] = {
		"4000000000000000", "GB00AAAA00000000000000",
		"10000000000",      "100000000000000",
		"X0000000A",        "000000000000"};
	SdcRandom random;
	int scheme;
	int t;
	int i;

	sdc_random_seed(&random, 1, 9);
	for (scheme = SDC_CHECK_CARD; scheme <= SDC_CHECK_JP_MY; scheme++)
	{
		int bad = 0;
		int right = 0;

		for (t = 0; t < 200; t++)
		{
			char number[SDC_CHECK_MAX + 1];
			char was[SDC_CHECK_MAX + 1];
			int holds;

			strcpy(number, start[scheme]);
			for (i = 1; number[i] != '\0'; i++)
				if (number[i] == '0')
					number[i] = (char) ('0' + sdc_random_below(&random, 10));
				else if (number[i] == 'A')
					number[i] = (char) ('A' + sdc_random_below(&random, 26));
			if (t % 2 == 0)
				sdc_check_write(scheme, number);
			strcpy(was, number);
			holds = sdc_check_holds(scheme, number);
			right += holds;
			bad += !sdc_same_number(&cipher, NULL, 0, scheme, number, 0);
			bad += sdc_check_holds(scheme, number) != holds;
			bad += !sdc_check_has_form(scheme, number) ||
				   strcmp(number, was) == 0;
			bad += !sdc_same_number(&cipher, NULL, 0, scheme, number, 1);
			bad += strcmp(number, was) != 0;
		}
		unit_check(bad == 0 && right >= 100,
				   "%s: right stays right, and all come back: %d bad",
				   scheme_words[scheme], bad);
	}
	{
		char number[] = "12";

		unit_check(
			!sdc_same_number(&cipher, NULL, 0, SDC_CHECK_IBAN, number, 0),
			"what has not the form is not permuted");
	}
}

int
main(void)
{
	unit_start("same");
	test_aes();
	test_samples();
	aes_key(&aes, nist_key, 32);
	test_domain("0", 10);
	test_domain("00-00", 10000);
	test_domain("a0", 260);
	test_domain("A-a.0", 6760);
	test_domain("000 00", 100000);
	test_forms();
	test_numbers();
	return unit_finish();
}
