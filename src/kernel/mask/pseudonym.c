/*
 * pseudonym.c
 *		A keyed permutation of the strings of n decimal digits.
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
