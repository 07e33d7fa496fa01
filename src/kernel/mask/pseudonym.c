/*
 * pseudonym.c
 *		A keyed permutation of the strings of n decimal digits; of texts of one
 *		form; check digits.
 *
 * Each round adds to one half of the digits, modulo 10 and digit by digit,
 * digits that the key makes of the other half.  A round can be undone by who
 * knows the key, whatever the key makes, so the whole is a permutation.  One
 * digit has no halves; there the key shuffles the ten digits.
 */
#include <string.h>

#include "kernel/mask/pseudonym.h"

/* Bytes before the digits in what the key is asked: length, round, counter. */
#define HEADER 4

/* Bytes that the key makes of one input, as many as are asked for. */
typedef struct Stream
{
	const SdcPseudonymKey *key;
	uint8_t input[HEADER + SDC_PSEUDONYM_DIGITS];
	size_t length;
	uint8_t output[SDC_PSEUDONYM_BYTES];
	int used;
} Stream;

static void
start_stream(Stream *stream, const SdcPseudonymKey *key, int n, int round,
			 const uint8_t *digit, int digits)
{
	stream->key = key;
	stream->input[0] = (uint8_t) (n - 1);
	stream->input[1] = (uint8_t) round;
	stream->input[2] = 0;
	stream->input[3] = 0;
	memcpy(stream->input + HEADER, digit, digits);
	stream->length = HEADER + digits;
	stream->used = SDC_PSEUDONYM_BYTES;
}

static uint8_t
next_byte(Stream *stream)
{
	if (stream->used == SDC_PSEUDONYM_BYTES)
	{
		stream->key->run(stream->key->context, stream->input, stream->length,
						 stream->output);
		stream->used = 0;
		if (++stream->input[3] == 0)
			stream->input[2]++;
	}
	return stream->output[stream->used++];
}

/* A number below size, each as likely. */
static int
next_below(Stream *stream, int size)
{
	int limit = 256 - 256 % size;
	int byte;

	do
		byte = next_byte(stream);
	while (byte >= limit);
	return byte % size;
}

/* The one digit that a shuffle of all ten puts in the place of a digit. */
static uint8_t
shuffle_digit(const SdcPseudonymKey *key, uint8_t digit)
{
	uint8_t order[10];
	Stream stream;
	int i;

	for (i = 0; i < 10; i++)
		order[i] = (uint8_t) i;
	start_stream(&stream, key, 1, 0, order, 0);
	for (i = 9; i > 0; i--)
	{
		int other = next_below(&stream, i + 1);
		uint8_t moved = order[i];

		order[i] = order[other];
		order[other] = moved;
	}
	return order[digit];
}

/* Few digits make small halves, and those need more rounds. */
static int
rounds_of(int n)
{
	return n < 6 ? 24 : n < 10 ? 18 : 12;
}

/* One pass through all rounds. */
static void
permute(const SdcPseudonymKey *key, uint8_t *digit, int n)
{
	int rounds = rounds_of(n);
	int left = n / 2;
	uint8_t sum[SDC_PSEUDONYM_DIGITS];
	Stream stream;
	int round;
	int i;

	if (n == 1)
	{
		digit[0] = shuffle_digit(key, digit[0]);
		return;
	}
	for (round = 0; round < rounds; round++)
	{
		start_stream(&stream, key, n, round, digit + left, n - left);
		for (i = 0; i < left; i++)
			sum[i] = (uint8_t) ((digit[i] + next_below(&stream, 10)) % 10);
		memmove(digit, digit + left, n - left);
		memcpy(digit + n - left, sum, left);
		left = n - left;
	}
}

void
sdc_pseudonym_digits(const SdcPseudonymKey *key, uint8_t *digit, int n)
{
	uint8_t leading_zero = digit[0] == 0;

	do
		permute(key, digit, n);
	while ((digit[0] == 0) != leading_zero);
}

/* ----------------------------------------------------------------------
 * FF1 (NIST SP 800-38G, algorithms 7 and 8, with the names there).
 *
 * Ten rounds add to one half, as a number, what the cipher makes of the other.
 * A half fits into 120 bits here.
 * ----------------------------------------------------------------------
 */

typedef unsigned __int128 uint128;

#define FF1_ROUNDS    10
#define FF1_HALF_BITS 120

/* radix^n, or 0 when it has more than FF1_HALF_BITS. */
static uint128
half_size(int radix, int n)
{
	uint128 size = 1;

	while (n-- > 0)
	{
		if (size > ((uint128) 1 << FF1_HALF_BITS) / (unsigned) radix)
			return 0;
		size *= (unsigned) radix;
	}
	return size;
}

/* What a round asks the cipher: P before, then Q with room for a half. */
typedef struct Ff1
{
	const SdcBlockCipher *cipher;
	uint8_t start[16]; /* of the cipher over P */
	uint8_t q[SDC_FF1_TWEAK + 64];
	int before; /* bytes of Q before the round: tweak and padding */
	int bytes;  /* of a half: b */
	int wanted; /* of the cipher: d */
} Ff1;

static void
ff1_start(Ff1 *ff1, const SdcBlockCipher *cipher, const uint8_t *tweak,
		  int tweak_length, int radix, int n)
{
	uint128 size = half_size(radix, n - n / 2) - 1;
	uint8_t p[16] = {1,
					 2,
					 1,
					 (uint8_t) (radix >> 16),
					 (uint8_t) (radix >> 8),
					 (uint8_t) radix,
					 FF1_ROUNDS,
					 (uint8_t) (n / 2)};
	int bits = 0;
	int i;

	for (; size > 0; size >>= 1)
		bits++;
	for (i = 0; i < 4; i++)
	{
		p[8 + i] = (uint8_t) (n >> (24 - 8 * i));
		p[12 + i] = (uint8_t) (tweak_length >> (24 - 8 * i));
	}
	ff1->cipher = cipher;
	ff1->bytes = (bits + 7) / 8;
	ff1->wanted = 4 * ((ff1->bytes + 3) / 4) + 4;
	ff1->before = tweak_length + ((-tweak_length - ff1->bytes - 1) & 15);
	memset(ff1->q, 0, sizeof(ff1->q));
	if (tweak_length > 0)
		memcpy(ff1->q, tweak, (size_t) tweak_length);
	cipher->run(cipher->context, p, ff1->start);
}

/* What a round makes of a half, below size. */
static uint128
ff1_round(Ff1 *ff1, int round, uint128 half, uint128 size)
{
	int length = ff1->before + 1 + ff1->bytes;
	uint8_t r[32];
	uint128 sum = 0;
	int i;
	int j;

	ff1->q[ff1->before] = (uint8_t) round;
	for (i = length - 1; i > ff1->before; i--)
	{
		ff1->q[i] = (uint8_t) half;
		half >>= 8;
	}
	memcpy(r, ff1->start, 16);
	for (i = 0; i < length; i += 16)
	{
		for (j = 0; j < 16; j++)
			r[j] ^= ff1->q[i + j];
		ff1->cipher->run(ff1->cipher->context, r, r);
	}
	if (ff1->wanted > 16)
	{
		memcpy(r + 16, r, 16);
		r[31] ^= 1;
		ff1->cipher->run(ff1->cipher->context, r + 16, r + 16);
	}
	if ((size & (size - 1)) == 0)
	{
		/* of a power of 2 only the last bytes count */
		for (i = ff1->wanted > 16 ? ff1->wanted - 16 : 0; i < ff1->wanted; i++)
			sum = sum << 8 | r[i];
		return sum & (size - 1);
	}
	/* a byte at a time: size has 120 bits, and 8 more fit */
	for (i = 0; i < ff1->wanted; i++)
		sum = (sum << 8 | r[i]) % size;
	return sum;
}

/* All rounds; in place of exchanging halves, round i changes half i % 2. */
static void
ff1_halves(Ff1 *ff1, uint128 *half, const uint128 *size, int back)
{
	int i;

	for (i = 0; i < FF1_ROUNDS; i++)
	{
		int round = back ? FF1_ROUNDS - 1 - i : i;
		int one = round % 2;
		uint128 y = ff1_round(ff1, round, half[1 - one], size[one]);

		half[one] += back ? size[one] - y : y;
		if (half[one] >= size[one])
			half[one] -= size[one];
	}
}

/* ----------------------------------------------------------------------
 * Texts that keep their form.
 * ----------------------------------------------------------------------
 */

/* A number in mixed radix as words of 32 bits, the lowest first: room for
 * SDC_SAME_BITS, two halves of FF1, and a digit more. */
#define SAME_WORDS 8

typedef struct Wide
{
	uint32_t word[SAME_WORDS];
} Wide;

/* wide * factor + more; the rest that does not fit is lost. */
static void
wide_add(Wide *wide, uint32_t factor, uint32_t more)
{
	uint64_t carry = more;
	int i;

	for (i = 0; i < SAME_WORDS; i++)
	{
		carry += (uint64_t) wide->word[i] * factor;
		wide->word[i] = (uint32_t) carry;
		carry >>= 32;
	}
}

/* wide / divisor; the remainder. */
static uint32_t
wide_divide(Wide *wide, uint32_t divisor)
{
	uint64_t rest = 0;
	int i;

	for (i = SAME_WORDS - 1; i >= 0; i--)
	{
		rest = rest << 32 | wide->word[i];
		wide->word[i] = (uint32_t) (rest / divisor);
		rest %= divisor;
	}
	return (uint32_t) rest;
}

static int
wide_is_below(const Wide *a, const Wide *b)
{
	int i;

	for (i = SAME_WORDS - 1; i >= 0; i--)
		if (a->word[i] != b->word[i])
			return a->word[i] < b->word[i];
	return 0;
}

/* The number of bits of wide - 1, which is above 0. */
static int
wide_bits(const Wide *wide)
{
	Wide less = *wide;
	int top = SAME_WORDS - 1;
	int bits = 32;
	int i;

	for (i = 0; less.word[i]-- == 0; i++)
		;
	while (top > 0 && less.word[top] == 0)
		top--;
	while (bits > 0 && (less.word[top] >> (bits - 1) & 1) == 0)
		bits--;
	return top * 32 + bits;
}

/* How many characters may stand in the place of one, and the first; 1: none */
static uint32_t
places_of(char c, char *first)
{
	*first = c;
	if (c >= '0' && c <= '9')
		*first = '0';
	else if (c >= 'A' && c <= 'Z')
		*first = 'A';
	else if (c >= 'a' && c <= 'z')
		*first = 'a';
	else
		return 1;
	return *first == '0' ? 10 : 26;
}

/* The number of texts of a form, and its bits; above SDC_SAME_BITS it is not
 * counted to the end. */
static int
same_size(const char *text, int length, Wide *size)
{
	char first;
	int i;

	memset(size, 0, sizeof(*size));
	size->word[0] = 1;
	for (i = 0; i < length && wide_bits(size) <= SDC_SAME_BITS; i++)
	{
		uint32_t places = places_of(text[i], &first);

		if (places > 1)
			wide_add(size, places, 0);
	}
	return wide_bits(size);
}

int
sdc_same_bits(const char *text, int length)
{
	Wide size;

	return same_size(text, length, &size);
}

/* The bits of a number from a place on, 120 at the most. */
static uint128
wide_part(const Wide *wide, int from, int count)
{
	uint128 part = 0;
	int got = 0;

	while (got < count)
	{
		int bit = (from + got) % 32;

		part |= (uint128) (wide->word[(from + got) / 32] >> bit) << got;
		got += 32 - bit;
	}
	return part & (((uint128) 1 << count) - 1);
}

/* Writes count bits from a place on, which are 0. */
static void
wide_set(Wide *wide, int from, uint128 part)
{
	int i;

	for (i = from / 32; part > 0 && i < SAME_WORDS; i++)
	{
		int shift = i == from / 32 ? from % 32 : 0;

		wide->word[i] |= (uint32_t) part << shift;
		part >>= 32 - shift;
	}
}

/*
 * Permutes a number below size, which has so many bits: as a string of bits,
 * on and on until it is below again.
 */
static void
walk(const SdcBlockCipher *cipher, const uint8_t *tweak, int tweak_length,
	 Wide *number, const Wide *size, int bits, int back)
{
	int low = bits - bits / 2;
	uint128 sizes[2] = {(uint128) 1 << (bits / 2), (uint128) 1 << low};
	uint128 half[2] = {wide_part(number, low, bits / 2),
					   wide_part(number, 0, low)};
	Ff1 ff1;

	ff1_start(&ff1, cipher, tweak, tweak_length, 2, bits);
	do
	{
		ff1_halves(&ff1, half, sizes, back);
		memset(number, 0, sizeof(*number));
		wide_set(number, 0, half[1]);
		wide_set(number, low, half[0]);
	} while (!wide_is_below(number, size));
}

/* Numbers of fewer bits are less than the standard asks for, and are permuted
 * so many times, each with a tweak of its own. */
#define FF1_BITS     20
#define SMALL_PASSES 4

int
sdc_same_form(const SdcBlockCipher *cipher, const uint8_t *tweak,
			  int tweak_length, char *text, int length, int back)
{
	Wide number = {{0}};
	Wide size;
	uint8_t own[SDC_FF1_TWEAK];
	int passes;
	int bits;
	char first;
	int i;

	if (length > SDC_SAME_MAX)
		return 0;
	bits = same_size(text, length, &size);
	if (bits < 2 || bits > SDC_SAME_BITS)
		return 0;
	for (i = 0; i < length; i++)
	{
		uint32_t places = places_of(text[i], &first);

		if (places > 1)
			wide_add(&number, places, (uint32_t) (text[i] - first));
	}
	passes = bits < FF1_BITS ? SMALL_PASSES : 1;
	if (tweak_length > 0)
		memcpy(own, tweak, (size_t) tweak_length);
	for (i = 0; i < passes; i++)
	{
		own[tweak_length] = (uint8_t) (back ? passes - 1 - i : i);
		walk(cipher, own, tweak_length + 1, &number, &size, bits, back);
	}
	for (i = length - 1; i >= 0; i--)
	{
		uint32_t places = places_of(text[i], &first);

		if (places > 1)
			text[i] = (char) (first + (int) wide_divide(&number, places));
	}
	return 1;
}

/* ----------------------------------------------------------------------
 * Check digits.
 *
 * Every scheme is three facts: what form its numbers have, where the check
 * digits stand, and what they are for the rest.  A number is right when it is
 * what is written for the rest of it.
 * ----------------------------------------------------------------------
 */

static int
is_digit(char character)
{
	return character >= '0' && character <= '9';
}

static int
is_upper(char character)
{
	return character >= 'A' && character <= 'Z';
}

/* Are count characters digits? */
static int
are_digits(const char *number, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (!is_digit(number[i]))
			return 0;
	return 1;
}

static int
has_iban_form(const char *number, int length)
{
	int i;

	if (length < 15 || length > SDC_CHECK_MAX || !is_upper(number[0]) ||
		!is_upper(number[1]) || !are_digits(number + 2, 2))
		return 0;
	for (i = 4; i < length; i++)
		if (!is_digit(number[i]) && !is_upper(number[i]))
			return 0;
	return 1;
}

/* Departments of Corsica have a letter. */
static int
has_nir_form(const char *number, int length)
{
	return length == 15 && are_digits(number, 6) &&
		   (is_digit(number[6]) ||
			(number[5] == '2' && (number[6] == 'A' || number[6] == 'B'))) &&
		   are_digits(number + 7, 8);
}

static int
has_dni_form(const char *number, int length)
{
	return length == 9 &&
		   (is_digit(number[0]) || (number[0] >= 'X' && number[0] <= 'Z')) &&
		   are_digits(number + 1, 7) && is_upper(number[8]);
}

int
sdc_check_has_form(SdcCheckScheme scheme, const char *number)
{
	int length = (int) strlen(number);

	switch (scheme)
	{
		case SDC_CHECK_CARD:
			return length >= 12 && length <= 19 && are_digits(number, length);
		case SDC_CHECK_IBAN:
			return has_iban_form(number, length);
		case SDC_CHECK_DE_TAX:
			return length == 11 && are_digits(number, length);
		case SDC_CHECK_FR_NIR:
			return has_nir_form(number, length);
		case SDC_CHECK_ES_DNI:
			return has_dni_form(number, length);
		default:
			return length == 12 && are_digits(number, length);
	}
}

void
sdc_check_places(SdcCheckScheme scheme, const char *number, int *first,
				 int *count)
{
	*count = scheme == SDC_CHECK_IBAN || scheme == SDC_CHECK_FR_NIR ? 2 : 1;
	*first = scheme == SDC_CHECK_IBAN ? 2 : (int) strlen(number) - *count;
}

/* The remainder of a number, written in decimal, that goes on. */
static int
add_remainder(int remainder, char character, int modulus)
{
	if (is_digit(character))
		return (remainder * 10 + (character - '0')) % modulus;
	return (remainder * 100 + (character - 'A' + 10)) % modulus;
}

static char
luhn_digit(const char *number, int length)
{
	int sum = 0;
	int i;

	for (i = 0; i < length - 1; i++)
	{
		int digit = number[length - 2 - i] - '0';

		if (i % 2 == 0)
			digit = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
		sum += digit;
	}
	return (char) ('0' + (10 - sum % 10) % 10);
}

static void
write_iban(char *number, int length)
{
	int remainder = 0;
	int i;

	for (i = 4; i < length; i++)
		remainder = add_remainder(remainder, number[i], 97);
	for (i = 0; i < 2; i++)
		remainder = add_remainder(remainder, number[i], 97);
	remainder = 98 - remainder * 100 % 97;
	number[2] = (char) ('0' + remainder / 10);
	number[3] = (char) ('0' + remainder % 10);
}

static char
de_tax_digit(const char *number)
{
	int product = 10;
	int i;

	for (i = 0; i < 10; i++)
	{
		int sum = (number[i] - '0' + product) % 10;

		product = (sum == 0 ? 10 : sum) * 2 % 11;
	}
	return (char) ('0' + (11 - product) % 10);
}

/* The letters of Corsica count as 19 and 18 in place of 2A and 2B. */
static void
write_nir(char *number)
{
	int remainder = 0;
	int i;

	for (i = 0; i < 13; i++)
	{
		char c = number[i];

		if (i == 5 && number[6] > '9')
			c = '1';
		if (i == 6 && c > '9')
			c = c == 'A' ? '9' : '8';
		remainder = add_remainder(remainder, c, 97);
	}
	remainder = 97 - remainder;
	number[13] = (char) ('0' + remainder / 10);
	number[14] = (char) ('0' + remainder % 10);
}

static char
dni_letter(const char *number)
{
	int remainder = is_digit(number[0]) ? number[0] - '0' : number[0] - 'X';
	int i;

	for (i = 1; i < 8; i++)
		remainder = add_remainder(remainder, number[i], 23);
	return "TRWAGMYFPDXBNJZSQVHLCKE"[remainder];
}

static char
jp_digit(const char *number)
{
	int sum = 0;
	int n;

	for (n = 1; n <= 11; n++)
		sum += (number[11 - n] - '0') * (n <= 6 ? n + 1 : n - 5);
	sum %= 11;
	return (char) ('0' + (sum <= 1 ? 0 : 11 - sum));
}

void
sdc_check_write(SdcCheckScheme scheme, char *number)
{
	int length = (int) strlen(number);

	switch (scheme)
	{
		case SDC_CHECK_CARD:
			number[length - 1] = luhn_digit(number, length);
			break;
		case SDC_CHECK_IBAN:
			write_iban(number, length);
			break;
		case SDC_CHECK_DE_TAX:
			number[10] = de_tax_digit(number);
			break;
		case SDC_CHECK_FR_NIR:
			write_nir(number);
			break;
		case SDC_CHECK_ES_DNI:
			number[8] = dni_letter(number);
			break;
		default:
			number[11] = jp_digit(number);
	}
}

int
sdc_check_holds(SdcCheckScheme scheme, const char *number)
{
	char right[SDC_CHECK_MAX + 1];

	if (!sdc_check_has_form(scheme, number))
		return 0;
	strcpy(right, number);
	sdc_check_write(scheme, right);
	return strcmp(right, number) == 0;
}

/* ----------------------------------------------------------------------
 * Numbers with check digits, permuted.
 * ----------------------------------------------------------------------
 */

/*
 * Does a character stay?  What says of which kind a number is does: the first
 * digit of a card, the country of an account, the letter before a DNI and a
 * department with a letter.
 */
static int
stays(SdcCheckScheme scheme, const char *number, int i)
{
	switch (scheme)
	{
		case SDC_CHECK_CARD:
			return i == 0;
		case SDC_CHECK_IBAN:
			return i < 2;
		case SDC_CHECK_FR_NIR:
			return (i == 5 || i == 6) && number[6] > '9';
		case SDC_CHECK_ES_DNI:
			return i == 0 && number[0] > '9';
		default:
			return 0;
	}
}

/*
 * How far the check digits of a number are from the right ones; or, with more,
 * writes the right ones and moves them so far.
 */
static int
check_error(SdcCheckScheme scheme, char *number, int first, int count,
			int more)
{
	int base = scheme == SDC_CHECK_ES_DNI ? 26 : 10;
	char zero = scheme == SDC_CHECK_ES_DNI ? 'A' : '0';
	int all = count == 2 ? base * base : base;
	char kept[2] = {number[first], number[first + count - 1]};
	int was = count == 2 ? (kept[0] - zero) * base + (kept[1] - zero)
						 : kept[0] - zero;
	int right;

	sdc_check_write(scheme, number);
	right = count == 2
				? (number[first] - zero) * base + (number[first + 1] - zero)
				: number[first] - zero;
	if (more < 0)
	{
		number[first] = kept[0];
		number[first + count - 1] = kept[1];
		return (was - right + all) % all;
	}
	right = (right + more) % all;
	if (count == 2)
		number[first + 1] = (char) (zero + right % base);
	number[first] = (char) (zero + (count == 2 ? right / base : right));
	return more;
}

int
sdc_same_number(const SdcBlockCipher *cipher, const uint8_t *tweak,
				int tweak_length, SdcCheckScheme scheme, char *number,
				int back)
{
	char rest[SDC_CHECK_MAX + 1];
	int length = (int) strlen(number);
	int left = 0;
	int first;
	int count;
	int error;
	int i;

	if (!sdc_check_has_form(scheme, number))
		return 0;
	sdc_check_places(scheme, number, &first, &count);
	error = check_error(scheme, number, first, count, -1);
	for (i = 0; i < length; i++)
		if ((i < first || i >= first + count) && !stays(scheme, number, i))
			rest[left++] = number[i];
	if (!sdc_same_form(cipher, tweak, tweak_length, rest, left, back))
		return 0;
	left = 0;
	for (i = 0; i < length; i++)
		if ((i < first || i >= first + count) && !stays(scheme, number, i))
			number[i] = rest[left++];
	(void) check_error(scheme, number, first, count, error);
	return 1;
}
