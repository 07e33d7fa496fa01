/*
 * pseudonym.h
 *		Keyed permutations: of the strings of n decimal digits, and of the
 *		texts of one form; check digits.
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

/* ----------------------------------------------------------------------
 * Texts of one form, permuted by a block cipher: FF1 of NIST SP 800-38G.
 * ----------------------------------------------------------------------
 */

/* Encrypts 16 bytes with the key of the context; in and out may be one. */
typedef struct SdcBlockCipher
{
	void (*run)(void *context, const uint8_t *in, uint8_t *out);
	void *context;
} SdcBlockCipher;

/* Bytes of a tweak at the most. */
#define SDC_FF1_TWEAK 32

/* Characters of a text of one form at the most, and bits of its number. */
#define SDC_SAME_MAX  256
#define SDC_SAME_BITS 238

/*
 * Permutes the letters and digits of a text: each stays what it is, a digit,
 * a capital or a small letter of ASCII, and what is none of these stays.  The
 * places become one number in mixed radix, and FF1 permutes the strings of
 * bits that hold it, again and again until one is such a number (Black and
 * Rogaway 2002; less than two times on average); fewer than 2^20 texts four
 * times, with tweaks of their own, since FF1 is made for 10^6 and more.  So
 * different texts of one form get different ones of that form.  back, unless
 * 0, turns the permutation round.  The tweak, at most SDC_FF1_TWEAK - 1 bytes,
 * keeps uses of one key apart.  1 is returned, and 0 where there is nothing to
 * permute, or more than SDC_SAME_MAX characters or 2^SDC_SAME_BITS texts of
 * that form; the text then stays.
 */
extern int sdc_same_form(const SdcBlockCipher *cipher, const uint8_t *tweak,
						 int tweak_length, char *text, int length, int back);

/*
 * How many texts of the same form there are, as a number of bits, rounded up;
 * 0: there is nothing to permute.
 */
extern int sdc_same_bits(const char *text, int length);

/* ----------------------------------------------------------------------
 * Check digits of cards, bank accounts and numbers of persons.
 *
 * A number is compact: its digits and upper-case letters without blanks or
 * other separators, ending with '\0'.
 * ----------------------------------------------------------------------
 */

/* Whose check digits, with the characters of a number. */
typedef enum SdcCheckScheme
{
	SDC_CHECK_CARD,   /* 12 to 19 digits; Luhn, ISO/IEC 7812-1 */
	SDC_CHECK_IBAN,   /* 15 to 34 characters; ISO 13616, mod 97-10 */
	SDC_CHECK_DE_TAX, /* 11 digits; mod 11,10 of ISO 7064 */
	SDC_CHECK_FR_NIR, /* 13 digits, the sixth and seventh may be 2A or 2B, and
						 a key of two: 97 - n mod 97 */
	SDC_CHECK_ES_DNI, /* 8 digits, or X, Y, Z and 7, and a letter: mod 23 */
	SDC_CHECK_JP_MY   /* 12 digits; weights 2 to 7, mod 11 */
} SdcCheckScheme;

/* Characters of a number at the most. */
#define SDC_CHECK_MAX 34

/*
 * Has a number the form of its scheme, whatever its check digits?  O(length).
 */
extern int sdc_check_has_form(SdcCheckScheme scheme, const char *number);

/*
 * Where the check digits of a number stand: the first place, and how many.
 */
extern void sdc_check_places(SdcCheckScheme scheme, const char *number,
							 int *first, int *count);

/*
 * Writes the check digits of a number that has the form of its scheme; what
 * stood in their places is not read.
 */
extern void sdc_check_write(SdcCheckScheme scheme, char *number);

/* Has the number its form and the right check digits? */
extern int sdc_check_holds(SdcCheckScheme scheme, const char *number);

/*
 * Permutes a number of a scheme among those of its form; its check digits are
 * as right or wrong as they were, by the same difference, so wrong numbers do
 * not meet right ones.  What says of which kind a number is stays: the first
 * digit of a card, the country of an account, a letter before a DNI.  Tweak
 * and back are those of sdc_same_form.  0 where the number has not the form,
 * or nothing of it can be permuted; it then stays.
 */
extern int sdc_same_number(const SdcBlockCipher *cipher, const uint8_t *tweak,
						   int tweak_length, SdcCheckScheme scheme,
						   char *number, int back);

#endif
