/*
 * individual_risk.c
 *		Individual risk: against the integral in long double, against figures
 *		computed with 60 digits, and against sdcMicro's francdat.
 */
#include "unit.h"

#include <float.h>
#include <math.h>

#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/risk/superpopulation.h"
#include "published_table.h"

#define EXACT  SDC_INDIVIDUAL_RISK_EXACT
#define APPROX SDC_INDIVIDUAL_RISK_APPROX

/*
 * (p^f / f) 2F1(f, f; f + 1; 1 - p) by mpmath 1.3 with 60 digits, p = f / F.
 */
static const struct
{
	int64_t sample;
	double population;
	double risk;
} figures[] = {
	{1, 1.0009765625, 0.999512036408789909},
	{1, 2, 0.693147180559945309},
	{1, 1000000, 0.0000138155243734886476},
	{1, 1e15, 3.45387763949107198e-14},
	{2, 2.5, 0.429703178972643908},
	{2, 84.5, 0.0220423261832561643},
	{2, 1e12, 1.9999999998962485e-12},
	{3, 6, 0.193147180559945309},
	{3, 10.5, 0.120176829983703552},
	{5, 20, 0.0581740508688061342},
	{7, 1e9, 1.16666666503333334e-9},
	{16, 33, 0.0312786439191403938},
	{16, 1e8, 1.06666665447619078e-8},
	{17, 1e8, 1.06249998795833363e-8},
	{40, 41, 0.0244047701487346195},
	{40, 1e6, 1.0256399460212277e-6},
	{1000, 1e9, 1.00100099999799399e-9},
	{123456, 3e7, 3.33336022261103524e-8},
};

/*
 * The integral over t of (p e^-t / (1 - q e^-t))^f as Benedetti and Franconi
 * write it, by the double exponential rule t = exp(pi/2 sinh s) (Takahasi and
 * Mori 1974).  Half the step changes no digit that counts here.
 */
static long double
integral(long double f, long double population)
{
	const long double half_pi = 1.570796326794896619231L;
	const long double step = 1.0L / 256;
	long double odds = (population - f) / f;
	long double sum = 0;
	int i;

	for (i = -1400; i <= 1000; i++)
	{
		long double s = i * step;
		long double t = expl(half_pi * sinhl(s));
		long double log_value = -t - log1pl(odds * -expm1l(-t));

		sum += expl(f * log_value) * half_pi * coshl(s) * t;
	}
	return sum * step;
}

static void
check_expect(void)
{
	static const int64_t samples[] = {1,  2,  3,  4,   5,    7,     15,
									  16, 17, 30, 100, 1000, 54321, 100000000};
	static const double odds[] = {1e-12, 1e-6, 0.001, 0.3, 0.999, 1,
								  1.001, 2,    50,    1e4, 1e8,   1e14};
	double worst = 0;
	double descent = 0;
	size_t i;
	size_t j;

	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
	{
		double risk = sdc_individual_risk_expect(figures[i].sample,
												 figures[i].population, EXACT);

		unit_check(fabs(risk / figures[i].risk - 1) < 4e-15,
				   "f = %lld, F = %g: %.17g", (long long) figures[i].sample,
				   figures[i].population, risk);
	}
	for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		for (j = 0; j < sizeof(odds) / sizeof(odds[0]); j++)
		{
			double f = samples[i];
			double population = f + f * odds[j];
			double risk =
				sdc_individual_risk_expect(samples[i], population, EXACT);
			double error = fabs((double) (risk / integral(f, population) - 1));

			worst = error > worst ? error : worst;
			if (j > 0)
				descent =
					fmax(descent,
						 risk - sdc_individual_risk_expect(
									samples[i], f + f * odds[j - 1], EXACT));
		}
	unit_check(worst < 1e-14, "the integral, worst relative error %g", worst);
	unit_check(descent <= 0, "risk falls as the population grows: %g",
			   descent);
}

static void
check_edges(void)
{
	bool whole = true;
	double worst = 0;
	int64_t f;
	int i;

	for (f = 1; f < 100; f++)
		whole = whole && sdc_individual_risk_expect(f, f, EXACT) == 1.0 / f &&
				sdc_individual_risk_expect(f, f / 2.0, EXACT) == 1.0 / f &&
				sdc_individual_risk_expect(f, f, APPROX) == 1.0 / f;
	unit_check(whole, "p = 1 and above: 1/f");
	unit_check(sdc_individual_risk_expect(3, INFINITY, EXACT) == 0 &&
				   sdc_individual_risk_expect(3, INFINITY, APPROX) == 0,
			   "infinite population: no risk");
	unit_check(isnan(sdc_individual_risk_expect(3, NAN, EXACT)), "NaN");
	unit_check(sdc_individual_risk_expect(1, DBL_MAX, EXACT) > 0 &&
				   sdc_individual_risk_expect(INT64_MAX, DBL_MAX, EXACT) > 0,
			   "largest numbers");
	unit_check(sdc_individual_risk_expect(INT64_MAX, 1e19, EXACT) * 1e19 - 1 <
				   1e-15,
			   "f = 2^63 - 1");
	/* the approximation: exact for f = 1, 2, then within the stated error */
	for (f = 1; f < 30; f++)
		for (i = 1; i < 1000; i++)
		{
			double population = f * 1000.0 / i;
			double ratio = sdc_individual_risk_expect(f, population, APPROX) /
						   sdc_individual_risk_expect(f, population, EXACT);

			if (f < 3 && ratio != 1)
				worst = INFINITY;
			worst = fmax(worst, f < 3 ? 0 : ratio - 1);
			whole = whole && ratio >= 1 - 1e-14;
		}
	unit_check(worst > 0.040 && worst < 0.041 && whole,
			   "approximation: exact for f = 1, 2, then up to %.2f %% too "
			   "high, never too low",
			   100 * worst);
}

static void
check_household(void)
{
	const double three[] = {0.5, 0.25, 0.1};
	const double certain[] = {0.1, 1, 0.2};
	const double small[] = {1e-17, 2e-17, 3e-17};

	unit_check(fabs(sdc_individual_risk_household(three, 3) - 0.6625) < 1e-15,
			   "1 - 0.5 * 0.75 * 0.9");
	unit_check(sdc_individual_risk_household(certain, 3) == 1,
			   "one certain member");
	unit_check(fabs(sdc_individual_risk_household(small, 3) / 6e-17 - 1) <
				   1e-15,
			   "small risks add up");
	unit_check(sdc_individual_risk_household(three, 1) == 0.5 &&
				   !signbit(sdc_individual_risk_household(three, 0)) &&
				   sdc_individual_risk_household(three, 0) == 0,
			   "one member, none");
}

/* The mean of the risks once none is above the threshold. */
static double
capped(const double *risk, const int64_t *records, int n, double threshold)
{
	double sum = 0;
	double count = 0;
	int i;

	for (i = 0; i < n; i++)
	{
		sum += records[i] * fmin(risk[i], threshold);
		count += records[i];
	}
	return sum / count;
}

static void
check_threshold(void)
{
	double risk[500];
	int64_t records[500];
	bool meets = true;
	bool largest = true;
	SdcRandom random;
	int trial;
	int i;

	sdc_random_seed(&random, 5, 0);
	for (trial = 0; trial < 200; trial++)
	{
		int n = 1 + (int) sdc_random_below(&random, 500);
		double target;
		double threshold;
		double most = 0;

		for (i = 0; i < n; i++)
		{
			risk[i] = sdc_random_below(&random, 50) / 49.0;
			records[i] = 1 + (int64_t) sdc_random_below(&random, 9);
			most = fmax(most, risk[i]);
		}
		target = trial % 10 == 0 ? 0 : sdc_random_unit(&random) * 0.6;
		threshold = sdc_individual_risk_threshold(unit_host(), risk, records,
												  n, target);
		meets = meets && capped(risk, records, n, threshold) <= target + 1e-14;
		largest =
			largest && (threshold == most ||
						capped(risk, records, n, threshold + 1e-9) > target);
	}
	unit_check(meets, "threshold: the global risk meets the target");
	unit_check(largest, "threshold: no larger one does");
	unit_check(
		sdc_individual_risk_threshold(unit_host(), risk, records, 0, 0.1) == 1,
		"threshold: no records");
}

/* Every digit that sdcMicro 5.8.1 printed. */
static void
check_francdat(void)
{
	SdcMatrix table;
	double worst = 0;
	size_t i;

	published_table_read("francdat_freq_risk.csv", &table);
	for (i = 0; i < table.rows; i++)
	{
		int64_t f = (int64_t) table.column[9][i];
		double population = table.column[10][i];

		worst = fmax(worst,
					 fabs(sdc_individual_risk_expect(f, population, APPROX) -
						  table.column[11][i]));
		worst =
			fmax(worst, fabs(sdc_individual_risk_expect(f, population, EXACT) -
							 table.column[12][i]));
	}
	unit_check(table.rows == 8 && worst < 1e-14,
			   "francdat, both methods, largest difference %g", worst);
	published_table_free(&table);
}

int
main(void)
{
	unit_start("individual_risk");
	check_expect();
	check_edges();
	check_household();
	check_threshold();
	check_francdat();
	return unit_finish();
}
