/*
 * random.c
 *		Random numbers against the published algorithms, and their laws.
 *
 * The generator is written here a second time, from the published description
 * of xoshiro256** and splitmix64; the first numbers of one seed are frozen, so
 * that no mask changes unnoticed.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "statistics.h"

static uint64_t
rotate(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

/* One step of xoshiro256**. */
static uint64_t
published_step(uint64_t s[4])
{
	uint64_t s0 = s[0];
	uint64_t s1 = s[1];
	uint64_t s2 = s[2] ^ s0;
	uint64_t s3 = s[3] ^ s1;

	s[0] = s0 ^ s3;
	s[1] = s1 ^ s2;
	s[2] = s2 ^ (s1 << 17);
	s[3] = rotate(s3, 45);
	return 9 * rotate(5 * s1, 7);
}

/* One step of splitmix64: the state moves by the golden ratio. */
static uint64_t
published_split(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

	z ^= z >> 30;
	z *= UINT64_C(0xBF58476D1CE4E5B9);
	z ^= z >> 27;
	z *= UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

static void
check_generator(void)
{
	/* published with the reference implementation, for the state 1 2 3 4 */
	static const uint64_t published[] = {
		UINT64_C(11520),
		UINT64_C(0),
		UINT64_C(1509978240),
		UINT64_C(1215971899390074240),
		UINT64_C(1216172134540287360),
		UINT64_C(607988272756665600),
		UINT64_C(16172922978634559625),
		UINT64_C(8476171486693032832),
		UINT64_C(10595114339597558777),
		UINT64_C(2904607092377533576),
	};
	SdcRandom random = {.state = {1, 2, 3, 4}};
	uint64_t state[4] = {1, 2, 3, 4};
	bool same = true;
	int i;

	for (i = 0; i < 10; i++)
		same = same && sdc_random_bits(&random) == published[i] &&
			   published_step(state) == published[i];
	unit_check(same, "the published numbers of xoshiro256**");
	for (i = 0; i < 100000; i++)
		same = same && sdc_random_bits(&random) == published_step(state);
	unit_check(same, "100000 numbers as a second implementation has them");
}

static void
check_seeding(void)
{
	static const uint64_t frozen[] = {
		UINT64_C(17030482272163152043),
		UINT64_C(6166173391782048455),
		UINT64_C(1246190075747035620),
		UINT64_C(4934082946866304754),
	};
	uint64_t first = 0;
	SdcRandom random;
	uint64_t counter;
	bool same = true;
	int i;

	unit_check(sdc_random_mix(UINT64_C(0x9E3779B97F4A7C15)) ==
				   published_split(&first),
			   "mix is the output function of splitmix64");
	sdc_random_seed(&random, 42, 7);
	counter = sdc_random_mix(42) + 3 * sdc_random_mix(~UINT64_C(7));
	for (i = 0; i < 4; i++)
		same = same && random.state[i] == published_split(&counter);
	unit_check(same, "the state of a seed comes from splitmix64");
	same = true;
	for (i = 0; i < 4; i++)
	{
		uint64_t bits = sdc_random_bits(&random);

		same = same && bits == frozen[i];
	}
	unit_check(same, "the numbers of seed 42, stream 7, never change");
}

/* Streams of one seed, and equal streams of near seeds, are unrelated. */
static void
check_streams(void)
{
	static const uint64_t pairs[][4] = {
		{1, 0, 1, 1}, {1, 0, 2, 0}, {0, 1, 1, 0}, {5, 5, 6, 6}};
	int pair;

	for (pair = 0; pair < 4; pair++)
	{
		const uint64_t *p = pairs[pair];
		SdcRandom a;
		SdcRandom b;
		double product = 0;
		int i;

		sdc_random_seed(&a, p[0], p[1]);
		sdc_random_seed(&b, p[2], p[3]);
		for (i = 0; i < 100000; i++)
			product +=
				(sdc_random_unit(&a) - 0.5) * (sdc_random_unit(&b) - 0.5) * 12;
		unit_check(fabs(product) < SIGMAS * sqrt(100000),
				   "streams %d: correlation %g", pair, product / 100000);
	}
}

static void
check_unit(void)
{
	double count[128] = {0};
	SdcRandom random;
	bool inside = true;
	int i;

	sdc_random_seed(&random, 1, 0);
	for (i = 0; i < 1000000; i++)
	{
		double x = sdc_random_unit(&random);

		inside = inside && x >= 0 && x < 1 && x * 0x1p53 == floor(x * 0x1p53);
		count[(int) (x * 128)]++;
	}
	unit_check(inside, "unit: multiples of 2^-53 in [0, 1)");
	unit_check(looks_uniform(count, 128), "unit: uniform");
}

static void
check_below(void)
{
	static const uint64_t bounds[] = {1, 2, 3, 6, 7, 100, 1000};
	double count[1000];
	SdcRandom random;
	bool inside = true;
	int b;
	int i;

	sdc_random_seed(&random, 2, 0);
	for (b = 0; b < 7; b++)
	{
		memset(count, 0, sizeof(count));
		for (i = 0; i < 300000; i++)
		{
			uint64_t x = sdc_random_below(&random, bounds[b]);

			inside = inside && x < bounds[b];
			count[x % 1000]++;
		}
		unit_check(bounds[b] == 1 || looks_uniform(count, (int) bounds[b]),
				   "below %d: uniform", (int) bounds[b]);
	}
	/* without rejection every third number would come twice as often */
	memset(count, 0, sizeof(count));
	for (i = 0; i < 300000; i++)
	{
		uint64_t x = sdc_random_below(&random, UINT64_C(3) << 62);

		inside = inside && x < UINT64_C(3) << 62;
		count[x % 3]++;
	}
	unit_check(looks_uniform(count, 3), "below 3 2^62: no bias");
	unit_check(inside, "below: never the bound");
}

/* Units in the last place between the logarithm and the true one. */
static double
log_error(double x)
{
	long double truth = logl((long double) x);
	double rounded = (double) truth;
	double unit = nextafter(fabs(rounded), INFINITY) - fabs(rounded);

	return (double) (fabsl(sdc_random_log(x) - truth) / unit);
}

static void
check_log(void)
{
	SdcRandom random;
	double worst = 0;
	int exponent;
	int i;

	sdc_random_seed(&random, 3, 0);
	for (exponent = -1074; exponent <= 1023; exponent++)
		for (i = 0; i < 50; i++)
		{
			double x = ldexp(1 + sdc_random_unit(&random), exponent);
			double error = log_error(x);

			worst = error > worst ? error : worst;
		}
	unit_check(worst <= 2, "log: at most %.2f ulp off, all exponents", worst);
	worst = 0;
	for (i = -500; i <= 500; i++)
	{
		double x = 1 + i * 0x1p-50;
		double error = i == 0 ? 0 : log_error(x);

		worst = error > worst ? error : worst;
	}
	unit_check(worst <= 2, "log: at most %.2f ulp off near 1", worst);
	unit_check(sdc_random_log(1) == 0, "log 1 = 0");
	unit_check(sdc_random_log(5e-324) < -744 &&
				   sdc_random_log(1.7976931348623157e308) > 709.7,
			   "log: smallest and largest number");
}

static void
check_normal(void)
{
	const int n = 1000000;
	double count[100] = {0};
	double expected[100];
	double moment[5] = {0};
	SdcRandom random;
	int i;
	int m;

	sdc_random_seed(&random, 4, 0);
	for (i = 0; i < n; i++)
	{
		double x = sdc_random_normal(&random);
		double power = 1;
		int cell = (int) floor(x * 10 + 50);

		for (m = 1; m <= 4; m++)
			moment[m] += power *= x;
		count[cell < 0 ? 0 : cell > 99 ? 99 : cell]++;
	}
	for (i = 0; i < 100; i++)
	{
		double low = i == 0 ? -INFINITY : (i - 50) / 10.0;
		double high = i == 99 ? INFINITY : (i - 49) / 10.0;

		expected[i] =
			0.5 * n * (erfc(-high * M_SQRT1_2) - erfc(-low * M_SQRT1_2));
	}
	unit_check(fabs(moment[1] / n) < SIGMAS / sqrt(n), "normal: mean %g",
			   moment[1] / n);
	unit_check(fabs(moment[2] / n - 1) < SIGMAS * sqrt(2.0 / n),
			   "normal: variance %g", moment[2] / n);
	unit_check(fabs(moment[3] / n) < SIGMAS * sqrt(15.0 / n),
			   "normal: third moment %g", moment[3] / n);
	unit_check(fabs(moment[4] / n - 3) < SIGMAS * sqrt(96.0 / n),
			   "normal: fourth moment %g", moment[4] / n);
	unit_check(chi_square(count, expected, 100) < chi_square_limit(99),
			   "normal: density");
}

/* SipHash-2-4 of 0 1 2 ..., published for the key 0 1 ... 15. */
static void
check_keyed(void)
{
	static const struct
	{
		size_t length;
		uint64_t hash;
	} published[] = {{0, UINT64_C(0x726FDB47DD0E0E31)},
					 {1, UINT64_C(0x74F839C593DC67FD)},
					 {2, UINT64_C(0x0D6C8009D9A94F5A)},
					 {15, UINT64_C(0xA129CA6149BE45E5)}};
	unsigned char key[SDC_RANDOM_KEY];
	unsigned char bytes[64];
	double count[64] = {0};
	double expected[64];
	bool same = true;
	int i;

	for (i = 0; i < 64; i++)
		bytes[i] = (unsigned char) i;
	memcpy(key, bytes, sizeof(key));
	for (i = 0; i < 4; i++)
		same = same && sdc_random_keyed(key, bytes, published[i].length) ==
						   published[i].hash;
	unit_check(same, "the published hashes of SipHash-2-4");
	for (i = 0; i < 64000; i++)
	{
		memcpy(bytes, &i, sizeof(i));
		count[sdc_random_keyed(key, bytes, sizeof(i)) >> 58]++;
	}
	for (i = 0; i < 64; i++)
		expected[i] = 1000;
	unit_check(chi_square(count, expected, 64) < chi_square_limit(63),
			   "keyed: the upper bits are uniform");
}

/* The same with the long output. */
static void
check_keyed_pair(void)
{
	static const struct
	{
		size_t length;
		uint64_t hash[2];
	} published[] = {
		{0, {UINT64_C(0xE6A825BA047F81A3), UINT64_C(0x930255C71472F66D)}},
		{1, {UINT64_C(0x44AF996BD8C187DA), UINT64_C(0x45FC229B11597634)}},
		{2, {UINT64_C(0xC75DA4A48D227781), UINT64_C(0xE4FF0AF6DE8BA3FC)}}};
	unsigned char key[SDC_RANDOM_KEY];
	unsigned char bytes[64];
	uint64_t hash[2];
	double count[2][64] = {{0}};
	double expected[64];
	bool same = true;
	int i;

	for (i = 0; i < 64; i++)
		bytes[i] = (unsigned char) i;
	memcpy(key, bytes, sizeof(key));
	for (i = 0; i < 3; i++)
	{
		sdc_random_keyed_pair(key, bytes, published[i].length, hash);
		same = same && memcmp(hash, published[i].hash, sizeof(hash)) == 0;
	}
	unit_check(same, "the published hashes of SipHash-2-4 of 128 bits");
	for (i = 0; i < 64000; i++)
	{
		memcpy(bytes + 9, &i, sizeof(i));
		sdc_random_keyed_pair(key, bytes, 9 + sizeof(i), hash);
		count[0][hash[0] & 63]++;
		count[1][hash[1] >> 58]++;
	}
	for (i = 0; i < 64; i++)
		expected[i] = 1000;
	unit_check(chi_square(count[0], expected, 64) < chi_square_limit(63),
			   "keyed pair: the lower bits are uniform");
	unit_check(chi_square(count[1], expected, 64) < chi_square_limit(63),
			   "keyed pair: the upper bits are uniform");
}

int
main(void)
{
	unit_start("random");
	check_generator();
	check_keyed();
	check_keyed_pair();
	check_seeding();
	check_streams();
	check_unit();
	check_below();
	check_log();
	check_normal();
	return unit_finish();
}
