/*
 * learned_aim.c
 *		Directions to walk in.
 *
 * One of six kinds is drawn: a weight moved to another, one entry alone, all
 * at random with and without regard to their size, three of them, or towards
 * what a record lacks that fails.
 */
#include "kernel/attack/learned_aim.h"

#include <math.h>
#include <string.h>

typedef struct Aim
{
	const SdcLearnedRows *rows;
	SdcRandom *random;
	const double *point;
	double *direction;
	int features;
} Aim;

static int
some_feature(Aim *aim)
{
	return (int) sdc_random_below(aim->random, (uint64_t) aim->features);
}

/* Towards the worst row of a record that fails. */
static bool
aim_at_failure(Aim *aim)
{
	const SdcLearnedRows *rows = aim->rows;
	int m = aim->features;
	int32_t k =
		(int32_t) sdc_random_below(aim->random, (uint64_t) rows->records);
	double least = 0;
	int32_t worst = -1;
	int32_t r;
	int c;

	for (r = rows->start[k]; r < rows->start[k + 1]; r++)
	{
		const double *value = rows->value + (size_t) r * (size_t) m;
		double sum = rows->margin != NULL ? -rows->margin[r] : 0;

		for (c = 0; c < m; c++)
			sum += value[c] * aim->point[c];
		if (sum < least)
		{
			least = sum;
			worst = r;
		}
	}
	if (worst < 0)
		return false;
	for (c = 0; c < m; c++)
		aim->direction[c] =
			rows->value[(size_t) worst * (size_t) m + (size_t) c] *
			(1e-3 + fabs(aim->point[c]));
	return true;
}

/* A random direction, before it is made to keep the norm. */
static bool
choose(Aim *aim)
{
	double *direction = aim->direction;
	int m = aim->features;
	int c;

	memset(direction, 0, (size_t) m * sizeof(double));
	switch (sdc_random_below(aim->random, 6))
	{
		case 0:
			direction[some_feature(aim)] = 1;
			direction[some_feature(aim)] -= 1;
			return true;
		case 1:
			direction[some_feature(aim)] = 1;
			return true;
		case 2:
			for (c = 0; c < m; c++)
				direction[c] = sdc_random_normal(aim->random) *
							   (0.01 + fabs(aim->point[c]));
			return true;
		case 3:
			for (c = 0; c < m; c++)
				direction[c] = sdc_random_normal(aim->random);
			return true;
		case 4:
			for (c = 0; c < 3; c++)
				direction[some_feature(aim)] += sdc_random_normal(aim->random);
			return true;
		default:
			return aim_at_failure(aim);
	}
}

void
sdc_learned_aim_keep_norm(const SdcLearnedForm *form, const double *point,
						  double *direction)
{
	double sum = 0;
	double total = 0;
	int c;

	if (form->unit >= 0)
	{
		direction[form->unit] = 0;
		return;
	}
	if (form->is_signed)
		return;
	for (c = 0; c < form->features; c++)
	{
		sum += direction[c];
		total += 1e-3 + point[c];
	}
	for (c = 0; c < form->features; c++)
		direction[c] -= sum * (1e-3 + point[c]) / total;
}

bool
sdc_learned_aim_take(const SdcLearnedRows *rows, SdcRandom *random,
					 const double *point, double *direction)
{
	Aim aim = {rows, random, point, direction, rows->form->features};

	if (!choose(&aim))
		return false;
	sdc_learned_aim_keep_norm(rows->form, point, direction);
	return true;
}
