/*
 * letters.h
 *		Letters and digits of a text as codes that are the same however they
 *		are written: in small letters, without accents, in any script's digits.
 *
 * Here, and not in a file of their own, as each character of a database goes
 * through them.
 */
#ifndef SDC_KERNEL_LETTERS_H
#define SDC_KERNEL_LETTERS_H

#include <stdbool.h>
#include <stdint.h>

/* What a code is; or'ed. */
enum
{
	SDC_LETTER_DIGIT = 1,
	SDC_LETTER_CAPITAL = 2,
	SDC_LETTER_WIDE = 4, /* of a script without blanks: each is a word */
	/* for who reads a text: no letter or digit stands right before it */
	SDC_LETTER_AFTER_GAP = 8,
	/* also written as two letters: with an e behind it, or twice */
	SDC_LETTER_WITH_E = 64,
	SDC_LETTER_TWICE = 128
};

/*
 * The next character of UTF-8.  A byte that begins none is a letter of
 * Latin-1, as files have it, or 0xfffd.
 */
static inline uint32_t
sdc_letter_next(const uint8_t **at, const uint8_t *end)
{
	const uint8_t *c = *at;
	int more = *c < 0x80 ? 0 : *c >= 0xf0 ? 3 : *c >= 0xe0 ? 2 : 1;
	uint32_t code = more == 0 ? *c : *c & (0x3f >> more);
	uint32_t single = *c >= 0xc0 && *c < 0xfe ? *c : 0xfffd;
	int i;

	(*at)++;
	if (*c >= 0x80 && (*c < 0xc2 || *c > 0xf4 || end - c <= more))
		return single;
	for (i = 1; i <= more; i++)
		if ((c[i] & 0xc0) != 0x80)
			return single;
	for (i = 1; i <= more; i++)
		code = code << 6 | (c[i] & 0x3f);
	*at += more;
	return code;
}

/* Letters of Latin-1 and Latin Extended-A without accents; space: none. */
static const char sdc_letters_plain[] =
	"aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiii"
	"dnooooo ouuuuytyaaaaaaccccccccddddeeeeeeeeeegggg"
	"gggghhhhiiiiiiiiiiiijjkkkllllllllllnnnnnnnnnoooo"
	"oooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/* How a letter of Latin-1 is written where there is none: ae, ss. */
static inline uint8_t
sdc_letter_spelled(uint32_t c)
{
	switch (c)
	{
		case 0xc4: /* A, O, U with two points */
		case 0xd6:
		case 0xdc:
		case 0xe4:
		case 0xf6:
		case 0xfc:
		case 0xc6: /* AE */
		case 0xe6:
		case 0xd8: /* O with a stroke */
		case 0xf8:
			return SDC_LETTER_WITH_E;
		case 0xc5: /* A with a ring */
		case 0xe5:
		case 0xdf: /* the sharp s */
			return SDC_LETTER_TWICE;
		default:
			return 0;
	}
}

/* Is it a mark on the letter before it, or nothing that is seen? */
static inline bool
sdc_letter_is_unseen(uint32_t c)
{
	return (c >= 0x300 && c <= 0x36f) || c == 0xad || c == 0x61c ||
		   (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
		   (c >= 0x2060 && c <= 0x206f) || c == 0x3099 || c == 0x309a ||
		   (c >= 0xfe00 && c <= 0xfe0f) || c == 0xfeff ||
		   (c >= 0xe0000 && c <= 0xe01ef);
}

/* What a mark (NFD) says of the letter before it: two points, or a ring. */
static inline uint8_t
sdc_letter_marked(uint32_t c)
{
	return c == 0x308 ? SDC_LETTER_WITH_E : c == 0x30a ? SDC_LETTER_TWICE : 0;
}

/* Is it neither letter nor digit, beyond ASCII? */
static inline bool
sdc_letter_is_punctuation(uint32_t c)
{
	return c < 0xc0 || c == 0xd7 || c == 0xf7 ||
		   (c >= 0x2000 && c <= 0x2bff) || (c >= 0x3000 && c <= 0x3004) ||
		   (c >= 0x3008 && c <= 0x3020) || c == 0x30fb ||
		   (c >= 0xfff0 && c < 0x10000) || (c >= 0x1f000 && c < 0x20000);
}

/* The Latin letter that a Cyrillic or Greek one looks like, or itself. */
static inline uint32_t
sdc_letter_twin(uint32_t c)
{
	/* from U+0430, and from U+03b1: what looks like one, large or small */
	static const char cyrillic[] = "a.b..e....k.mho.pcty.x";
	static const char greek[] = "ab..ezh.ik.mv.o.p..ty.x";
	char twin = '.';

	if (c >= 0x430 && c < 0x430 + sizeof(cyrillic) - 1)
		twin = cyrillic[c - 0x430];
	else if (c >= 0x3b1 && c < 0x3b1 + sizeof(greek) - 1)
		twin = greek[c - 0x3b1];
	else if (c == 0x455 || c == 0x456 || c == 0x458)
		twin = c == 0x455 ? 's' : c == 0x456 ? 'i' : 'j';
	return twin == '.' ? c : (uint32_t) twin;
}

/* The code of a character and what it is; 0 for what is neither. */
static inline uint32_t
sdc_letter_fold(uint32_t c, uint8_t *is)
{
	*is = 0;
	if (c >= 0xff01 && c <= 0xff5e)
		c -= 0xfee0;
	if (c >= 0x660 && c <= 0x669)
		c = c - 0x660 + '0';
	if (c >= 0x6f0 && c <= 0x6f9)
		c = c - 0x6f0 + '0';
	/* scripts of India have them at the same place, then Thai and Lao */
	if (c >= 0x900 && c < 0xee0 &&
		((c < 0xd80 && (c & 0x7f) >= 0x66 && (c & 0x7f) <= 0x6f) ||
		 (c >= 0xe50 && c <= 0xe59) || (c >= 0xed0 && c <= 0xed9)))
		c = (c < 0xd80 ? (c & 0x7f) - 0x66 : (c & 0x0f)) + '0';
	/* black letters in circles and squares */
	if (c >= 0x1f150 && c <= 0x1f189 && (c - 0x1f150) % 32 < 26)
		c = 'A' + (c - 0x1f150) % 32;
	if (c >= '0' && c <= '9')
	{
		*is = SDC_LETTER_DIGIT;
		return c;
	}
	if (c >= 'a' && c <= 'z')
		return c;
	if (c >= 'A' && c <= 'Z')
	{
		*is = SDC_LETTER_CAPITAL;
		return c + 32;
	}
	if (c < 0x80 || sdc_letter_is_punctuation(c))
		return 0;
	if (c < 0x180)
	{
		*is = sdc_letter_spelled(c);
		return (uint32_t) sdc_letters_plain[c - 0xc0];
	}
	if ((c >= 0x391 && c <= 0x3a9) || (c >= 0x410 && c <= 0x42f))
		return sdc_letter_twin(c + 32);
	if (c >= 0x400 && c <= 0x40f)
		return sdc_letter_twin(c + 80);
	if (c < 0x460)
		return sdc_letter_twin(c);
	if (c >= 0x2e80)
		*is = SDC_LETTER_WIDE;
	return c;
}

/* Is it a Chinese character, which tells as much as two letters? */
static inline bool
sdc_letter_is_ideograph(uint32_t c)
{
	return (c >= 0x3400 && c <= 0x9fff) || (c >= 0x3005 && c <= 0x3007) ||
		   (c >= 0xf900 && c <= 0xfaff) || (c >= 0x20000 && c <= 0x3ffff);
}

/* Letters of a name that may be two, or two that may be one. */
#define SDC_LETTERS_SPELLED 4

/*
 * Of a name in codes: the letter that stands behind the one at a place where
 * it is written as two, as usual where a keyboard has no umlauts (Juergen
 * Groessmann); written: it is there.  0: there is none.  The u of "Bauer" is
 * no umlaut.
 */
static inline uint32_t
sdc_letter_second(const uint32_t *codes, const uint8_t *marks, int at,
				  int length, bool *written)
{
	uint32_t code = codes[at];
	uint32_t before = at > 0 ? codes[at - 1] : 0;
	uint32_t after = at + 1 < length && !(marks[at + 1] & SDC_LETTER_AFTER_GAP)
						 ? codes[at + 1]
						 : 0;
	bool vowel = code == 'a' || code == 'o' || code == 'u';

	*written = false;
	if (vowel && (marks[at] & SDC_LETTER_WITH_E))
		return 'e';
	if ((code == 'a' || code == 's') && (marks[at] & SDC_LETTER_TWICE))
		return code;
	*written = true;
	if (vowel && after == 'e' &&
		!(code == 'u' &&
		  (before == 'a' || before == 'e' || before == 'o' || before == 'q')))
		return 'e';
	return (code == 'a' || code == 's') && after == code ? code : 0;
}

#endif
