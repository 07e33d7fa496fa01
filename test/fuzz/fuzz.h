/*
 * fuzz.h
 *		What a fuzz target has: bytes that become a case, and a check.
 *
 * A target is one function that makes a case of any bytes, runs a kernel and
 * an oracle that is slow and obvious, and stops the program where they differ.
 * libFuzzer drives it (./run fuzz NAME), and for some thousand inputs the unit
 * program fuzz does.
 */
#ifndef SDC_TEST_FUZZ_FUZZ_H
#define SDC_TEST_FUZZ_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

typedef struct FuzzBytes
{
	const uint8_t *data;
	size_t left;
} FuzzBytes;

/* The next byte; 0 when there are no more. */
static inline uint8_t
fuzz_byte(FuzzBytes *bytes)
{
	if (bytes->left == 0)
		return 0;
	bytes->left--;
	return *bytes->data++;
}

/* The next size bytes as a number. */
static inline uint64_t
fuzz_word(FuzzBytes *bytes, int size)
{
	uint64_t word = 0;
	int i;

	for (i = 0; i < size; i++)
		word = word << 8 | fuzz_byte(bytes);
	return word;
}

static inline void
fuzz_check(bool right, const char *what)
{
	if (right)
		return;
	printf("not ok - fuzz: %s\n", what);
	fflush(stdout);
	abort();
}

/* What libFuzzer calls; the unit program has another name for each. */
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
