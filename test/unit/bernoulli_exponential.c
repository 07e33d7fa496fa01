/*
 * bernoulli_exponential.c
 *		Events of probability exp(-a/b).
 */
#include "unit.h"

#include "dp_stream.h"
#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/strong_bits.h"

#define DRAWS 1000000

/* Hands out chosen words, the last one first. */
static const uint64_t *scripted;
static size_t scripted_left;

static void
scripted_fill(SdcStrongBits *bits, void *memory, size_t size)
{
	uint64_t *word = memory;
	size_t i;

	(void) bits;
	for (i = size / sizeof(uint64_t); i-- > 0;)
		word[i] = scripted_left > 0 ? (scripted_left--, *scripted++) : 0;
}

/* What the event says when the uniform fraction starts with these words. */
static bool
unit_of(const uint64_t *words, size_t count)
{
	SdcStrongBits bits;

	scripted = words;
	scripted_left = count;
	sdc_strong_bits_start(&bits, scripted_fill);
	return sdc_bernoulli_exponential_unit(&bits);
}

/* 1/e to 256 bits, from its series in fractions of 2^320. */
static void
inverse_e(uint64_t *word)
{
	uint32_t term[10] = {0};
	uint32_t sum[10] = {0};
	uint32_t k;
	int i;

	/* 1/2! - 1/3! + 1/4! ...: the first two terms cancel */
	term[0] = UINT32_C(1) << 31;
	for (k = 3; k < 80; k++)
	{
		int64_t carry = 0;
		uint64_t rest = 0;

		for (i = 9; i >= 0; i--)
		{
			carry += (int64_t) sum[i] + (k % 2 ? 1 : -1) * (int64_t) term[i];
			sum[i] = (uint32_t) carry;
			carry >>= 32;
		}
		for (i = 0; i < 10; i++)
		{
			rest = rest << 32 | term[i];
			term[i] = (uint32_t) (rest / k);
			rest %= k;
		}
	}
	for (i = 0; i < 4; i++)
		word[i] = (uint64_t) sum[2 * i] << 32 | sum[2 * i + 1];
}

/* Is 1/e, bit by bit, where the event turns from true to false? */
static void
check_constant(void)
{
	uint64_t word[4];
	uint64_t near[4];
	int i;

	inverse_e(word);
	unit_check(!unit_of(word, 4), "a fraction equal to 1/e in 256 bits");
	for (i = 0; i < 4; i++)
	{
		memcpy(near, word, sizeof(near));
		near[i]--;
		unit_check(unit_of(near, 4), "word %d one less", i);
		near[i] += 2;
		unit_check(!unit_of(near, 4), "word %d one more", i);
	}
}

static void
check_rate(SdcStrongBits *bits, SdcUint128 a, SdcUint128 b)
{
	double p = exp(-(double) a / (double) b);
	double happened = 0;
	int i;

	for (i = 0; i < DRAWS; i++)
		happened += sdc_bernoulli_exponential_draw(bits, a, b);
	unit_check(fabs(happened - DRAWS * p) <=
				   SIGMAS * sqrt(DRAWS * p * (1 - p)) + 1e-9,
			   "exp(-%g): %g", (double) a / (double) b, happened / DRAWS);
}

/* The event of 1/e with its first word off by 2^-10, over many draws. */
static void
check_twin(SdcStrongBits *bits)
{
	const int draws = 16000000;
	double right = 0;
	double wrong = 0;
	double sigma = sqrt(draws * exp(-1) * (1 - exp(-1)));
	int i;

	for (i = 0; i < draws; i++)
	{
		right += sdc_bernoulli_exponential_unit(bits);
		wrong += sdc_strong_bits_draw(bits) <
				 SDC_BERNOULLI_EXPONENTIAL_FIRST + (UINT64_C(1) << 54);
	}
	unit_check(fabs(right - draws * exp(-1)) <= SIGMAS * sigma, "1/e");
	unit_check(fabs(wrong - draws * exp(-1)) > SIGMAS * sigma,
			   "twin: 1/e + 2^-10 is caught");
}

int
main(void)
{
	const SdcUint128 wide = (SdcUint128) 3 << 100;
	SdcStrongBits bits;

	unit_start("bernoulli_exponential");
	check_constant();
	dp_stream(&bits, 4);
	check_rate(&bits, 0, 1);
	check_rate(&bits, 1, 1000);
	check_rate(&bits, 1, 2);
	check_rate(&bits, 1, 1);
	check_rate(&bits, 5, 2);
	check_rate(&bits, 40, 10);
	check_rate(&bits, wide / 3, wide);
	check_rate(&bits, wide + wide / 7, wide);
	check_rate(&bits, (SdcUint128) 1 << 126, 3);
	check_twin(&bits);
	return unit_finish();
}
