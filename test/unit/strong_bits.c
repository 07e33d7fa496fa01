/*
 * strong_bits.c
 *		The buffer of strong random bits, and exact uniform integers.
 */
#include "unit.h"

#include <setjmp.h>

#include "dp_stream.h"

static size_t asked;

static void
counting_fill(SdcStrongBits *bits, void *memory, size_t size)
{
	asked++;
	dp_fill(bits, memory, size);
}

/* The remainder of a word: what rejection is there to prevent. */
static uint64_t
modulo(SdcStrongBits *bits, uint64_t bound)
{
	return sdc_strong_bits_draw(bits) % bound;
}

typedef uint64_t (*Below)(SdcStrongBits *bits, uint64_t bound);

static bool
is_uniform(SdcStrongBits *bits, Below below, uint64_t bound, uint64_t cell)
{
	double count[64] = {0};
	int cells = (int) (bound / cell);
	int i;

	for (i = 0; i < 200000; i++)
	{
		uint64_t drawn = below(bits, bound);

		if (drawn >= bound)
			return false;
		count[drawn / cell]++;
	}
	return looks_uniform(count, cells);
}

static void
check_buffer(void)
{
	SdcStrongBits bits;
	uint64_t seen[2];
	bool wiped = true;
	int i;

	sdc_random_seed(&dp_random, 1, 0);
	sdc_strong_bits_start(&bits, counting_fill);
	unit_check(asked == 0, "nothing is asked for before it is needed");
	for (i = 0; i < SDC_STRONG_BITS_WORDS; i++)
	{
		seen[i % 2] = sdc_strong_bits_draw(&bits);
		wiped = wiped && bits.word[bits.left] == 0;
	}
	unit_check(asked == 1 && bits.left == 0, "one fill for a buffer");
	unit_check(wiped, "words are wiped as they are handed out");
	unit_check(seen[0] != seen[1], "words differ");
	sdc_strong_bits_draw(&bits);
	unit_check(asked == 2, "the next word fills it again");
}

static jmp_buf failure;

static void
failing_fill(SdcStrongBits *bits, void *memory, size_t size)
{
	(void) bits;
	memset(memory, 0, size);
	longjmp(failure, 1);
}

/* A source that fails hands out nothing, then or later. */
static void
check_failure(void)
{
	SdcStrongBits bits;
	volatile int failed = 0;

	sdc_strong_bits_start(&bits, failing_fill);
	while (failed < 3)
	{
		if (setjmp(failure) == 0)
		{
			sdc_strong_bits_draw(&bits);
			break;
		}
		failed++;
	}
	unit_check(failed == 3 && bits.left == 0, "a failure of the source");
}

static void
check_wide(SdcStrongBits *bits)
{
	const SdcUint128 bounds[] = {UINT64_MAX, (SdcUint128) 1 << 64,
								 (SdcUint128) 3 << 64, (SdcUint128) 5 << 120};
	int b;
	int i;

	for (b = 0; b < 4; b++)
	{
		double count[5] = {0};
		bool inside = true;

		for (i = 0; i < 50000; i++)
		{
			SdcUint128 drawn = sdc_strong_bits_below_wide(bits, bounds[b]);

			inside = inside && drawn < bounds[b];
			/* fifths: 2^64 and the like have none that are equal to the bit */
			count[drawn / (bounds[b] / 5 + 1)]++;
		}
		unit_check(inside && looks_uniform(count, 5), "wide bound %d", b);
	}
}

int
main(void)
{
	SdcStrongBits bits;

	unit_start("strong_bits");
	check_buffer();
	check_failure();
	dp_stream(&bits, 2);
	unit_check(is_uniform(&bits, sdc_strong_bits_below, 6, 1), "below 6");
	unit_check(sdc_strong_bits_below(&bits, 1) == 0, "below 1");
	unit_check(is_uniform(&bits, sdc_strong_bits_below, UINT64_C(3) << 62,
						  UINT64_C(1) << 62),
			   "below 3 * 2^62");
	unit_check(
		!is_uniform(&bits, modulo, UINT64_C(3) << 62, UINT64_C(1) << 62),
		"twin: the remainder is caught");
	check_wide(&bits);
	return unit_finish();
}
