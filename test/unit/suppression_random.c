/*
 * Suppression of random tables against a plain attack that knows nothing of
 * the kernel: outsiders and respondents, who know that counts are whole.
 */
#include "tabular_case.h"

/* Whether all equations hold whose cells have their values. */
static bool
adds_up(const SdcTabular *table, const double *y)
{
	int32_t r;
	int64_t e;

	for (r = 0; r < table->equations; r++)
	{
		double sum = -y[table->member[table->start[r]]];

		for (e = table->start[r] + 1; e < table->start[r + 1]; e++)
			sum += y[table->member[e]];
		if (sum != 0)
			return false;
	}
	return true;
}

/* All whole values of the hidden cells from 0 to most, and their ends. */
static void
enumerate(const SdcTabular *table, const bool *hidden, int32_t i, double most,
		  double *y, double *least, double *largest)
{
	int32_t k;

	while (i < table->cells && !hidden[i])
		i++;
	if (i < table->cells)
	{
		for (y[i] = 0; y[i] <= most; y[i]++)
			enumerate(table, hidden, i + 1, most, y, least, largest);
		return;
	}
	if (!adds_up(table, y))
		return;
	for (k = 0; k < table->cells; k++)
	{
		least[k] = fmin(least[k], y[k]);
		largest[k] = fmax(largest[k], y[k]);
	}
}

/* Intervals of whole values against all values there are. */
static int
check_whole(SdcRandom *random, SdcTabular *table, double most)
{
	int32_t n = table->cells;
	bool *hidden = sdc_new(unit_host(), bool, n);
	double *bound[6];
	double *y = sdc_new(unit_host(), double, n);
	int left = 7;
	int wrong = 0;
	int32_t i;
	int k;

	for (k = 0; k < 6; k++)
		bound[k] = sdc_new(unit_host(), double, n);
	for (i = 0; i < n; i++)
	{
		hidden[i] = left > 0 && table->value[i] <= most &&
					sdc_random_below(random, 3) == 0;
		left -= hidden[i];
		y[i] = table->value[i];
		bound[0][i] = hidden[i] ? 0 : y[i];
		bound[1][i] = hidden[i] ? most : y[i];
		bound[4][i] = INFINITY;
		bound[5][i] = -INFINITY;
	}
	enumerate(table, hidden, 0, most, y, bound[4], bound[5]);
	if (!sdc_tabular_complete(table, hidden, bound[0], bound[1]))
		return 1;
	sdc_tabular_intervals(table, hidden, bound[2], bound[3]);
	if (!sdc_tabular_whole(table, hidden, 1e9, bound[2], bound[3]))
		return 1;
	for (i = 0; i < n; i++)
		wrong += bound[2][i] != bound[4][i] || bound[3][i] != bound[5][i];
	return wrong;
}

static void
check_whole_tables(void)
{
	SdcRandom random;
	int wrong = 0;
	int k;

	sdc_random_seed(&random, 77, 0);
	for (k = 0; k < 60; k++)
	{
		SdcCubeDimension dimension[3];
		int d;

		for (d = 0; d < 3; d++)
			dimension[d] = random_dimension(&random, 2 + (k + d) % 2, false);
		wrong +=
			check_whole(&random,
						random_table(&random, dimension, 3, 20, false), 4) > 0;
	}
	unit_check(wrong == 0, "whole intervals of %d of 60 tables differ", wrong);
}

int
main(void)
{
	RandomAttack attack;

	unit_start("suppression_random");
	attack = attack_random(120, 1000);
	unit_check(attack.unbalanced == 0, "sums add up");
	unit_check(attack.found > 60 && attack.broken == 0,
			   "%d of %d protected tables fall to a plain attack",
			   attack.broken, attack.found);
	check_whole_tables();
	return unit_finish();
}
