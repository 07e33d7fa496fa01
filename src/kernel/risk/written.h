/*
 * written.h
 *		The ways in which a text may be written, read.
 *
 * Characters as %40, \u0040, &#64; or =40, texts in base64 or hexadecimal, two
 * bytes a letter, words between the marks of XML.
 */
#ifndef SDC_KERNEL_WRITTEN_H
#define SDC_KERNEL_WRITTEN_H

#include "kernel/base/host.h"

/* The value of a digit of base 16; -1: it is none. */
static inline int
sdc_written_hex(uint8_t c)
{
	return c >= '0' && c <= '9'   ? c - '0'
		   : c >= 'a' && c <= 'f' ? c - 'a' + 10
		   : c >= 'A' && c <= 'F' ? c - 'A' + 10
								  : -1;
}

/* The value of a digit of base64, in both alphabets; -1: it is none. */
static inline int
sdc_written_base64(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/*
 * Takes a text, UTF-8 or any other bytes, as it reads in one of the ways.
 * more: it may be written in another one again.
 */
typedef void (*SdcWrittenTake)(void *arg, const uint8_t *text, size_t length,
							   bool more);

/*
 * Gives every way in which a text can be read beside the plain one.  O(length)
 * for each.
 */
extern void sdc_written_read(SdcHost *host, const uint8_t *text, size_t length,
							 SdcWrittenTake take, void *arg);

#endif
