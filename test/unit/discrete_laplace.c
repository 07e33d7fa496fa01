/*
 * discrete_laplace.c
 *		Discrete Laplace noise: its exact law, its epsilon, its broken twins.
 */
#include "unit.h"

#include <float.h>

#include "dp_stream.h"
#include "kernel/base/random.h"
#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/strong_bits.h"

/* What is wrong with a twin. */
typedef enum Fault
{
	NONE,
	MINUS_ZERO, /* the second zero is not rejected */
	SHIFT,      /* one bit too few is dropped */
	UNIT,       /* 1/e is off by 2^-6 */
	FRACTION    /* the event of a part is taken as exp(-x) = 1 - x */
} Fault;

typedef struct Twin
{
	SdcDiscreteLaplace scale;
	Fault fault;
} Twin;

static bool
twin_part(SdcStrongBits *bits, uint64_t part, const Twin *twin)
{
	if (twin->fault == FRACTION)
		return sdc_strong_bits_below(bits, twin->scale.numerator) >= part;
	return sdc_bernoulli_exponential_part(bits, part, twin->scale.numerator);
}

static bool
twin_unit(SdcStrongBits *bits, const Twin *twin)
{
	if (twin->fault == UNIT)
		return sdc_strong_bits_draw(bits) <
			   SDC_BERNOULLI_EXPONENTIAL_FIRST + (UINT64_C(1) << 58);
	return sdc_bernoulli_exponential_unit(bits);
}

/* The sampler once more, with its fault. */
static SdcInt128
draw_twin(SdcStrongBits *bits, const void *what)
{
	const Twin *twin = what;
	unsigned shift = twin->scale.shift - (twin->fault == SHIFT);

	for (;;)
	{
		uint64_t part;
		SdcUint128 size;
		bool negative;

		do
			part = sdc_strong_bits_below(bits, twin->scale.numerator);
		while (!twin_part(bits, part, twin));
		size = part;
		while (twin_unit(bits, twin))
			size += twin->scale.numerator;
		size >>= shift;
		negative = sdc_strong_bits_draw(bits) & 1;
		if (negative && size == 0 && twin->fault != MINUS_ZERO)
			continue;
		return negative ? -(SdcInt128) size : (SdcInt128) size;
	}
}

static SdcInt128
draw_laplace(SdcStrongBits *bits, const void *what)
{
	return sdc_discrete_laplace_draw(bits, what);
}

/* (1 - r) / (1 + r) r^|y| = tanh(1 / (2 scale)) exp(-|y| / scale). */
static double
law(long y, const void *what)
{
	const SdcDiscreteLaplace *scale = what;
	double rate = ldexp(1, scale->shift) / (double) scale->numerator;

	return tanh(rate / 2) * exp(-rate * labs(y));
}

static void
check_law(SdcStrongBits *bits)
{
	const double epsilons[] = {8, 4, 1, 0.1, 0.01};
	const long reach[] = {6, 8, 30, 250, 2000};
	const SdcDiscreteLaplace small[] = {
		{1, 0}, {3, 1}, {7, 0}, {5, 0}, {1, 3}};
	int i;

	for (i = 0; i < 5; i++)
	{
		SdcDiscreteLaplace scale;

		sdc_discrete_laplace_scale(1, 1, epsilons[i], &scale);
		unit_check(dp_follows(bits, draw_laplace, &scale, law, &scale,
							  reach[i], 400000),
				   "epsilon %g: the law", epsilons[i]);
		unit_check(dp_follows(bits, draw_laplace, &small[i], law, &small[i],
							  40, 400000),
				   "scale %d / 2^%u: the law", (int) small[i].numerator,
				   small[i].shift);
	}
}

static void
check_twins(SdcStrongBits *bits)
{
	const char *const name[] = {"none", "minus zero", "shift", "1/e",
								"exp(-x) = 1 - x"};
	int fault;

	for (fault = NONE; fault <= FRACTION; fault++)
	{
		Twin twin;
		bool follows;

		twin.fault = fault;
		/* not a power of two, so that every part of the sampler is used */
		sdc_discrete_laplace_scale(1, 1, 0.7, &twin.scale);
		follows =
			dp_follows(bits, draw_twin, &twin, law, &twin.scale, 30, 400000);
		unit_check(follows == (fault == NONE), "twin with fault: %s",
				   name[fault]);
	}
}

/* 2^-40 grid: the distribution function of the continuous law. */
static void
check_fine(SdcStrongBits *bits)
{
	SdcDiscreteLaplace scale = {(UINT64_C(1) << 40) + 12345, 0};
	double count[40] = {0};
	double low[6] = {0};
	int i;

	for (i = 0; i < 400000; i++)
	{
		SdcInt128 y = sdc_discrete_laplace_draw(bits, &scale);
		double x = (double) y / (double) scale.numerator;
		double f = x < 0 ? exp(x) / 2 : 1 - exp(-x) / 2;

		count[(int) fmin(f * 40, 39)]++;
		low[(uint64_t) (y < 0 ? -y : y) % 6]++;
	}
	unit_check(looks_uniform(count, 40), "fine grid: distribution function");
	unit_check(looks_uniform(low, 6), "fine grid: low digits are uniform");
}

/*
 * The epsilon that a scale t / 2^j gives for D = parts * sensitivity is
 * D 2^j / t.  It must be at most e = m 2^x, and above e (1 - 2^-40):
 *		D 2^(j - x) <= t m  and  (t - 1) m < D 2^(j - x), t >= 2^40.
 */
static bool
is_exact(uint64_t sensitivity, unsigned parts, double epsilon)
{
	SdcDiscreteLaplace scale;
	int exponent;
	uint64_t digits = (uint64_t) ldexp(frexp(epsilon, &exponent), 53);
	int up = 53 - exponent;
	double about = (double) sensitivity * parts / epsilon;
	SdcUint128 wanted;

	if (!sdc_discrete_laplace_scale(sensitivity, parts, epsilon, &scale))
		return about >= 0x1p62 * (1 - 1e-15);
	if (about >= 0x1p62 * (1 + 1e-15))
		return false;
	/* with the digits of two factors of 64 bits: t m has 115 bits at most */
	wanted = (SdcUint128) sensitivity * parts;
	up += (int) scale.shift;
	while (up > 0)
	{
		if (wanted >> 126)
			return false;
		wanted <<= 1;
		up--;
	}
	return scale.numerator >> 40 != 0 &&
		   wanted <= (SdcUint128) scale.numerator * digits &&
		   wanted > (SdcUint128) (scale.numerator - 1) * digits;
}

static void
check_scale(void)
{
	SdcDiscreteLaplace scale;
	bool exact = true;
	SdcRandom random;
	int i;

	sdc_random_seed(&random, 77, 0);
	for (i = 0; i < 1000000 && exact; i++)
	{
		uint64_t sensitivity =
			(sdc_random_bits(&random) >> sdc_random_below(&random, 64)) | 1;
		double epsilon = ldexp(0.5 + sdc_random_unit(&random) / 2,
							   (int) sdc_random_below(&random, 40) - 29);

		exact =
			is_exact(sensitivity, 1 + sdc_random_below(&random, 3), epsilon);
	}
	unit_check(exact, "never more than epsilon, never 2^-40 of it less");
	unit_check(is_exact(1, 1, SDC_EPSILON_LEAST) &&
				   is_exact(1, 1, SDC_EPSILON_MOST) &&
				   is_exact(UINT64_MAX, 3, SDC_EPSILON_MOST),
			   "the ends of the range");
	unit_check(
		!sdc_discrete_laplace_scale(UINT64_C(1) << 62, 1, 1, &scale) &&
			!sdc_discrete_laplace_scale(UINT64_MAX, 1, 0x1p-30, &scale) &&
			sdc_discrete_laplace_scale((UINT64_C(1) << 62) - 1, 1, 1, &scale),
		"noise of 2^62 is refused");
	unit_check(sdc_discrete_laplace_scale(0, 2, 1, &scale) &&
				   sdc_discrete_laplace_draw(NULL, &scale) == 0,
			   "what nobody can change needs no noise");
}

int
main(void)
{
	SdcStrongBits bits;

	unit_start("discrete_laplace");
	dp_stream(&bits, 3);
	check_law(&bits);
	check_twins(&bits);
	check_fine(&bits);
	check_scale();
	return unit_finish();
}
