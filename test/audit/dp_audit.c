/*
 * dp_audit.c
 *		Writes down every draw of noise, for t/049_dp_audit.pl.
 *
 * The library of the extension is linked once more, with these functions in
 * front of those that draw (ld --wrap): nothing of what is audited knows of
 * it.  The file that SDC_AUDIT names gets a line for each draw, with the law
 * that was drawn from and what came.  Never installed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kernel/base/random.h"
#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/dp_noise.h"

extern SdcInt128
__real_sdc_discrete_laplace_draw(SdcStrongBits *bits,
								 const SdcDiscreteLaplace *scale);
extern SdcInt128
__real_sdc_discrete_gaussian_draw(SdcStrongBits *bits,
								  const SdcDiscreteGaussian *variance);
extern bool __real_sdc_bernoulli_exponential_draw(SdcStrongBits *bits,
												  SdcUint128 a, SdcUint128 b);
extern int64_t __real_sdc_dp_threshold_count(uint32_t rows, double epsilon,
											 double delta);
extern void __real_sdc_random_seed(SdcRandom *random, uint64_t seed,
								   uint64_t stream);
extern void __wrap_sdc_random_seed(SdcRandom *random, uint64_t seed,
								   uint64_t stream);
extern SdcInt128
__wrap_sdc_discrete_laplace_draw(SdcStrongBits *bits,
								 const SdcDiscreteLaplace *scale);
extern SdcInt128
__wrap_sdc_discrete_gaussian_draw(SdcStrongBits *bits,
								  const SdcDiscreteGaussian *variance);
extern bool __wrap_sdc_bernoulli_exponential_draw(SdcStrongBits *bits,
												  SdcUint128 a, SdcUint128 b);
extern int64_t __wrap_sdc_dp_threshold_count(uint32_t rows, double epsilon,
											 double delta);

/* The decimal digits of a number of up to 128 bits. */
static const char *
digits(SdcUint128 number, bool negative, char *text)
{
	char *first = text + 47;

	*first = '\0';
	do
	{
		*--first = (char) ('0' + (int) (number % 10));
		number /= 10;
	} while (number > 0);
	if (negative)
		*--first = '-';
	return first;
}

static void
note(const char *law, SdcUint128 a, SdcUint128 b, SdcInt128 drawn)
{
	const char *name = getenv("SDC_AUDIT");
	FILE *file = name == NULL ? NULL : fopen(name, "a");
	char text[3][48];

	if (file == NULL)
		return;
	fprintf(file, "%s %s %s %s\n", law, digits(a, false, text[0]),
			digits(b, false, text[1]),
			digits(drawn < 0 ? -(SdcUint128) drawn : (SdcUint128) drawn,
				   drawn < 0, text[2]));
	fclose(file);
}

SdcInt128
__wrap_sdc_discrete_laplace_draw(SdcStrongBits *bits,
								 const SdcDiscreteLaplace *scale)
{
	SdcInt128 drawn = __real_sdc_discrete_laplace_draw(bits, scale);

	note("laplace", scale->numerator, scale->shift, drawn);
	return drawn;
}

SdcInt128
__wrap_sdc_discrete_gaussian_draw(SdcStrongBits *bits,
								  const SdcDiscreteGaussian *variance)
{
	SdcInt128 drawn = __real_sdc_discrete_gaussian_draw(bits, variance);

	note("gaussian", variance->numerator, variance->shift, drawn);
	return drawn;
}

/* An event of probability exp(-a / b): a choice that was proposed. */
bool
__wrap_sdc_bernoulli_exponential_draw(SdcStrongBits *bits, SdcUint128 a,
									  SdcUint128 b)
{
	bool drawn = __real_sdc_bernoulli_exponential_draw(bits, a, b);

	note("choice", a, b, drawn);
	return drawn;
}

int64_t
__wrap_sdc_dp_threshold_count(uint32_t rows, double epsilon, double delta)
{
	int64_t count = __real_sdc_dp_threshold_count(rows, epsilon, delta);

	note("threshold", rows, 0, count);
	return count;
}

/* A stream of 64 bits, which no mask draws from that was given no seed. */
void
__wrap_sdc_random_seed(SdcRandom *random, uint64_t seed, uint64_t stream)
{
	note("seed", seed, stream, 0);
	__real_sdc_random_seed(random, seed, stream);
}
