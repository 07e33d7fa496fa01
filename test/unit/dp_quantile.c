/*
 * dp_quantile.c
 *		Private quantiles: exact law, published figures, all neighbours.
 */
#include "unit.h"

#include "dp_stream.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/privacy/selection.h"
#include "kernel/privacy/strong_bits.h"

#define CELLS 64

/* The law, by the definition: a sum over the values for each cell. */
static void
law(const uint64_t *count, int cells, double fraction,
	SdcNeighbours neighbours, double epsilon, double *probability)
{
	double more = fmax(fraction, 1 - fraction);
	double sensitivity = neighbours == SDC_NEIGHBOURS_REPLACE ? 1 : more;
	double total = 0;
	double n = 0;
	int y;
	int i;

	for (i = 0; i < cells; i++)
		n += (double) count[i];
	for (y = 0; y < cells; y++)
	{
		double less = 0;
		double loss;

		for (i = 0; i < y; i++)
			less += (double) count[i];
		loss = fmax(0, fmax(less - fraction * n,
							fraction * n - less - (double) count[y]));
		probability[y] = exp(-epsilon * loss / (2 * sensitivity));
		total += probability[y];
	}
	for (y = 0; y < cells; y++)
		probability[y] /= total;
}

static bool
follows(SdcStrongBits *bits, const uint64_t *count, double fraction,
		SdcNeighbours neighbours, double epsilon, double expected_epsilon)
{
	const int draws = 100000;
	SdcDpQuantileFraction part = sdc_dp_quantile_fraction(fraction);
	double seen[CELLS] = {0};
	double probability[CELLS];
	int i;

	for (i = 0; i < draws; i++)
		seen[sdc_dp_quantile_choose(unit_host(), bits, count, CELLS, &part,
									neighbours, epsilon)]++;
	law(count, CELLS, fraction, neighbours, expected_epsilon, probability);
	return dp_plausible(seen, probability, CELLS, draws);
}

static void
check_law(SdcStrongBits *bits)
{
	uint64_t count[3][CELLS] = {{0}};
	const double fractions[] = {0.5, 0.25, 0.9, 0, 1};
	int table;
	int f;

	count[0][3] = 3;
	count[0][10] = 1;
	count[0][20] = 2;
	count[0][63] = 1;
	count[1][0] = 8;
	count[1][1] = 1;
	for (table = 0; table < 3; table++)
		for (f = 0; f < 5; f++)
			unit_check(follows(bits, count[table], fractions[f],
							   f % 2 ? SDC_NEIGHBOURS_REPLACE
									 : SDC_NEIGHBOURS_ADD_REMOVE,
							   0.7, 0.7),
					   "table %d, fraction %g: the law", table, fractions[f]);
	unit_check(!follows(bits, count[0], 0.5, SDC_NEIGHBOURS_ADD_REMOVE, 1, 2),
			   "twin: without the factor 2 is caught");
}

/* EX-MED: {1, 2, 3, 10} in [0, 20], epsilon 1: the shares of the gaps. */
static void
check_published(void)
{
	const double value[] = {1, 2, 3, 10};
	const double end[] = {1, 2, 3, 10, 20};
	const char *const expected[] = {"0.0249,0.0677,0.1841,0.4741,0.2492",
									"0.0372,0.0613,0.1010,0.4289,0.3716"};
	SdcDpQuantileRange range = {0, 20, 1 << 20};
	SdcDpQuantileFraction half = sdc_dp_quantile_fraction(0.5);
	int neighbours;

	for (neighbours = 0; neighbours < 2; neighbours++)
	{
		double share[5] = {0};
		double total = 0;
		uint64_t less = 0;
		char text[100];
		uint32_t cell;
		int gap = 0;
		uint64_t whole = sdc_dp_quantile_sensitivity(&half, neighbours);

		for (cell = 0; cell < range.cells; cell++)
		{
			uint64_t here =
				gap < 4 && cell == sdc_dp_quantile_cell(&range, value[gap]);
			uint64_t loss = sdc_dp_quantile_loss(&half, less, less + here, 4);

			while (sdc_dp_quantile_value(&range, cell) > end[gap])
				gap++;
			share[gap] += exp(-(double) loss / (2 * (double) whole));
			less +=
				less < 4 && cell == sdc_dp_quantile_cell(&range, value[less]);
		}
		for (gap = 0; gap < 5; gap++)
			total += share[gap];
		snprintf(text, sizeof(text), "%.4f,%.4f,%.4f,%.4f,%.4f",
				 share[0] / total, share[1] / total, share[2] / total,
				 share[3] / total, share[4] / total);
		unit_check(strcmp(text, expected[neighbours]) == 0, "EX-MED-%d: %s",
				   neighbours + 1, text);
	}
}

/* The most that the laws of two tables differ by, as a multiple of epsilon. */
static double
loss(const uint64_t *a, const uint64_t *b, double fraction,
	 SdcNeighbours neighbours)
{
	double p[4];
	double q[4];
	double most = 0;
	int y;

	law(a, 4, fraction, neighbours, 1, p);
	law(b, 4, fraction, neighbours, 1, q);
	for (y = 0; y < 4; y++)
		most = fmax(most, fabs(log(p[y] / q[y])));
	return most;
}

/*
 * All tables of up to 7 values in 4 cells, and all their neighbours; a
 * replaced value may also become one that is skipped.
 */
static void
check_private(double fraction)
{
	double added = 0;
	double replaced = 0;
	double twin = 0;
	int table;

	for (table = 0; table < 8 * 8 * 8 * 8; table++)
	{
		uint64_t a[4] = {table & 7, table >> 3 & 7, table >> 6 & 7,
						 table >> 9 & 7};
		int from;
		int to;

		if (a[0] + a[1] + a[2] + a[3] > 7)
			continue;
		for (from = 0; from < 4; from++)
			for (to = 0; to < 5; to++)
			{
				uint64_t b[4];

				memcpy(b, a, sizeof(b));
				if (to == 4)
				{
					b[from]++;
					added = fmax(added, loss(a, b, fraction,
											 SDC_NEIGHBOURS_ADD_REMOVE));
				}
				else if (b[from] > 0)
				{
					b[from]--;
					b[to]++;
					twin = fmax(
						twin, loss(a, b, fraction, SDC_NEIGHBOURS_ADD_REMOVE));
				}
				replaced = fmax(replaced,
								loss(a, b, fraction, SDC_NEIGHBOURS_REPLACE));
			}
	}
	unit_check(added <= 1 + 1e-12 && added > 0.45,
			   "fraction %g: adding a value costs %.3f epsilon", fraction,
			   added);
	unit_check(replaced <= 1 + 1e-12 && replaced > 0.45,
			   "fraction %g: replacing a value costs %.3f epsilon", fraction,
			   replaced);
	if (fraction == 0.5)
		unit_check(twin > 1.4,
				   "twin: the constant of adding for replacing: %.3f", twin);
}

/* The constants of the kernel are those of the law above. */
static void
check_constants(void)
{
	SdcDpQuantileFraction f = sdc_dp_quantile_fraction(0.5);
	bool same = true;
	int table;

	unit_check(f.part == 1 && f.whole == 2, "0.5 is 1/2");
	f = sdc_dp_quantile_fraction(0);
	unit_check(f.part == 0 && f.whole == 1, "0 is 0/1");
	f = sdc_dp_quantile_fraction(1);
	unit_check(f.part == 1 && f.whole == 1, "1 is 1/1");
	f = sdc_dp_quantile_fraction(0.9);
	unit_check(fabs((double) f.part / (double) f.whole - 0.9) < 1e-6, "0.9");
	unit_check(
		sdc_dp_quantile_sensitivity(&f, SDC_NEIGHBOURS_ADD_REMOVE) == f.part &&
			sdc_dp_quantile_sensitivity(&f, SDC_NEIGHBOURS_REPLACE) == f.whole,
		"sensitivities");
	f = sdc_dp_quantile_fraction(0.25);
	for (table = 0; table < 1000; table++)
	{
		double less = table % 10;
		double here = table / 10 % 10;
		double n = less + here + table / 100;

		same = same && sdc_dp_quantile_loss(&f, less, less + here, n) ==
						   fmax(0, fmax(4 * less - n, n - 4 * (less + here)));
	}
	unit_check(same, "losses");
}

static void
check_cells(void)
{
	const SdcDpQuantileRange ranges[] = {{0, 20, 65536},
										 {-1.7e308, 1.7e308, 1024},
										 {0, 4.9e-324, 2},
										 {-5, 3, 7},
										 {1e15, 1e15 + 1, 1048576}};
	int r;

	for (r = 0; r < 5; r++)
	{
		const SdcDpQuantileRange *range = &ranges[r];
		bool inside = true;
		uint32_t cell;

		for (cell = 0; cell < range->cells; cell++)
		{
			double value = sdc_dp_quantile_value(range, cell);

			inside = inside && value >= range->lower && value <= range->upper;
			if (r == 0 || r == 1 || r == 3)
				inside = inside && sdc_dp_quantile_cell(range, value) == cell;
		}
		unit_check(inside && sdc_dp_quantile_cell(range, -INFINITY) == 0 &&
					   sdc_dp_quantile_cell(range, INFINITY) ==
						   range->cells - 1 &&
					   sdc_dp_quantile_cell(range, range->upper) ==
						   range->cells - 1 &&
					   sdc_dp_quantile_cell(range, range->lower) == 0,
				   "range %d: cells and their values", r);
	}
}

/* Two million zeros and a one: weights that underflow elsewhere. */
static void
check_heavy(SdcStrongBits *bits)
{
	SdcDpQuantileFraction half = sdc_dp_quantile_fraction(0.5);
	uint64_t *count = calloc(65536, sizeof(uint64_t));
	bool right = true;
	int i;

	count[0] = 2000000;
	count[1] = 1;
	for (i = 0; i < 20; i++)
		right = right &&
				sdc_dp_quantile_choose(unit_host(), bits, count, 65536, &half,
									   SDC_NEIGHBOURS_REPLACE, 1) == 0;
	unit_check(right, "2,000,000 zeros and a one: the median is found");
	free(count);
}

int
main(void)
{
	SdcStrongBits bits;

	unit_start("dp_quantile");
	dp_stream(&bits, 7);
	check_law(&bits);
	check_published();
	check_private(0.5);
	check_private(0.25);
	check_private(1);
	check_constants();
	check_cells();
	check_heavy(&bits);
	unit_release_all();
	return unit_finish();
}
