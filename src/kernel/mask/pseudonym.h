/*
 * pseudonym.h
 *		A keyed permutation of the strings of n decimal digits.
 *
 * Two different strings never get the same pseudonym, so a unique index holds,
 * and who lacks the key cannot go back.
 */
#ifndef SDC_KERNEL_PSEUDONYM_H
#define SDC_KERNEL_PSEUDONYM_H

#include <stddef.h>
#include <stdint.h>

/* Digits at the most. */
#define SDC_PSEUDONYM_DIGITS 256

/* Bytes that a keyed function returns. */
#define SDC_PSEUDONYM_BYTES 32

/*
 * A function that nobody without the key can tell from a random one, such as
 * HMAC-SHA-256: equal inputs, equal outputs.
 */
typedef struct SdcPseudonymKey
{
	void (*run)(void *context, const uint8_t *input, size_t length,
				uint8_t *output);
	void *context;
} SdcPseudonymKey;

/*
 * Replaces n digits, 1 to SDC_PSEUDONYM_DIGITS, each a number 0 to 9.  A
 * number without leading zero gets one without, and the other way round, so
 * the digits may be those of an integer.  A Feistel network over digits
 * (Luby and Rackoff 1988; alternating halves as in NIST SP 800-38G), walked
 * on until the first digit is of the right kind (Black and Rogaway 2002).
 * O(n) calls of the key.
 */
extern void sdc_pseudonym_digits(const SdcPseudonymKey *key, uint8_t *digit,
								 int n);

#endif
