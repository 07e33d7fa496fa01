/*
 * pseudonym.c
 *		The keyed permutation of digits, tried on all strings that are short.
 *
 * The key is a toy, for a permutation must come out whatever the key makes.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/mask/pseudonym.h"
#include "statistics.h"

static void
toy(void *context, const uint8_t *input, size_t length, uint8_t *output)
{
	uint64_t mixed = *(const uint64_t *) context;
	SdcRandom random;
	size_t i;

	for (i = 0; i < length; i++)
		mixed = (mixed ^ input[i]) * UINT64_C(0x100000001B3);
	sdc_random_seed(&random, mixed, length);
	for (i = 0; i < SDC_PSEUDONYM_BYTES; i++)
		output[i] = (uint8_t) sdc_random_below(&random, 256);
}

/* A constant is no secret, but the strings must still be permuted. */
static void
constant(void *context, const uint8_t *input, size_t length, uint8_t *output)
{
	(void) context;
	(void) input;
	(void) length;
	memset(output, 7, SDC_PSEUDONYM_BYTES);
}

static void
split(uint32_t number, uint8_t *digit, int n)
{
	for (; n > 0; number /= 10)
		digit[--n] = number % 10;
}

static uint32_t
join(const uint8_t *digit, int n)
{
	uint32_t number = 0;
	int i;

	for (i = 0; i < n; i++)
		number = number * 10 + digit[i];
	return number;
}

/* All strings of n digits: which number each becomes. */
static uint32_t *
table_of(const SdcPseudonymKey *key, int n, uint32_t size)
{
	uint32_t *table = malloc(size * sizeof(uint32_t));
	uint8_t digit[8];
	uint32_t i;

	for (i = 0; i < size; i++)
	{
		split(i, digit, n);
		sdc_pseudonym_digits(key, digit, n);
		table[i] = join(digit, n);
	}
	return table;
}

static void
check_permutation(const SdcPseudonymKey *key, const char *name, int n,
				  uint32_t size)
{
	uint32_t *table = table_of(key, n, size);
	uint8_t *seen = calloc(size, 1);
	uint32_t hit = 0;
	uint32_t crossed = 0;
	uint32_t i;

	for (i = 0; i < size; i++)
	{
		if (table[i] < size && !seen[table[i]])
			hit++;
		seen[table[i]] = 1;
		crossed += (i < size / 10) != (table[i] < size / 10);
	}
	unit_check(hit == size, "%s key, %d digits: a permutation", name, n);
	unit_check(crossed == 0, "%s key, %d digits: leading zeros", name, n);
	free(seen);
	free(table);
}

/* Over many keys, where does one string go?  Everywhere, equally often. */
static void
check_uniform(void)
{
	double observed[90] = {0};
	double expected[90];
	uint64_t secret;
	SdcPseudonymKey key = {toy, &secret};
	uint8_t digit[2];
	int i;

	for (secret = 1; secret <= 45000; secret++)
	{
		split(42, digit, 2);
		sdc_pseudonym_digits(&key, digit, 2);
		observed[join(digit, 2) - 10]++;
	}
	for (i = 0; i < 90; i++)
		expected[i] = 500;
	unit_check(chi_square(observed, expected, 90) < chi_square_limit(89),
			   "42 becomes each number of two digits equally often");
}

/* Neighbours must not stay neighbours: a digit of 1000 consecutive numbers. */
static void
check_spread(void)
{
	double observed[10] = {0};
	double expected[10];
	uint64_t secret = 99;
	SdcPseudonymKey key = {toy, &secret};
	uint8_t digit[12];
	uint32_t i;

	for (i = 0; i < 10000; i++)
	{
		memset(digit, 9, 12);
		split(i, digit + 8, 4);
		sdc_pseudonym_digits(&key, digit, 12);
		observed[digit[5]]++;
	}
	for (i = 0; i < 10; i++)
		expected[i] = 1000;
	unit_check(chi_square(observed, expected, 10) < chi_square_limit(9),
			   "a digit of the pseudonyms of consecutive numbers is uniform");
}

static void
check_longest(void)
{
	uint64_t secret = 5;
	SdcPseudonymKey key = {toy, &secret};
	uint8_t first[SDC_PSEUDONYM_DIGITS];
	uint8_t second[SDC_PSEUDONYM_DIGITS];
	int same = 0;
	int i;

	memset(first, 1, sizeof(first));
	memset(second, 1, sizeof(second));
	second[SDC_PSEUDONYM_DIGITS - 1] = 2;
	sdc_pseudonym_digits(&key, first, SDC_PSEUDONYM_DIGITS);
	sdc_pseudonym_digits(&key, second, SDC_PSEUDONYM_DIGITS);
	for (i = 0; i < SDC_PSEUDONYM_DIGITS; i++)
		same += first[i] == second[i];
	unit_check(same > 5 && same < 60, "one digit more changes all others");
}

int
main(void)
{
	uint64_t secret = 1;
	SdcPseudonymKey key = {toy, &secret};
	SdcPseudonymKey none = {constant, NULL};
	uint32_t size = 10;
	int n;

	unit_start("pseudonym");
	for (n = 1; n <= 4; n++, size *= 10)
	{
		check_permutation(&key, "toy", n, size);
		if (n > 1)
			check_permutation(&none, "constant", n, size);
	}
	check_uniform();
	check_spread();
	check_longest();
	return unit_finish();
}
