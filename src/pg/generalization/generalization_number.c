/*
 * generalization_number.c
 *		Numbers of the classes of a generalized relation.
 *
 * A number is a sum of parts, one for each key, so that a query can add up
 * what it has joined for each of them.
 */
#include "postgres.h"

#include "pg/generalization/generalization_number.h"

/* Numbers of classes stay below this; what exceeds it takes another number. */
#define LARGEST_NUMBER (INT64CONST(1) << 62)

SdcGeneralizationDigit *
sdcpg_generalization_digits(const SdcGeneralization *problem,
							const uint8 *level)
{
	SdcGeneralizationDigit *digit =
		palloc0(sizeof(SdcGeneralizationDigit) * problem->keys);
	int i;

	for (i = 0; i < problem->keys; i++)
	{
		digit[i].groups = problem->key[i].map->groups;
		digit[i].level = level[i];
		digit[i].count = digit[i].groups->groups[level[i]];
		digit[i].single = digit[i].count <= 1 && level[i] > 0;
	}
	return digit;
}

int
sdcpg_generalization_number(const SdcGeneralization *problem,
							SdcGeneralizationDigit *digit)
{
	int numbers = 1;
	int64 step = 1;
	int i;

	for (i = 0; i < problem->keys; i++)
	{
		int64 base = (int64) digit[i].count + 1;

		if (digit[i].single)
			continue;
		if (step > LARGEST_NUMBER / base)
		{
			step = 1;
			numbers++;
		}
		digit[i].number = numbers - 1;
		digit[i].step = step;
		step *= base;
	}
	return numbers;
}

int32
sdcpg_generalization_group(const SdcGeneralizationDigit *digit, int32 code)
{
	if (digit->single)
		return 0;
	return code == SDC_CODE_NULL ? digit->count
								 : digit->groups->group[digit->level][code];
}

SdcFrequency *
sdcpg_generalization_failing(SdcGeneralization *problem, const uint8 *level,
							 const SdcGeneralizationDigit *digit)
{
	SdcHost *host = &problem->host->kernel;
	const SdcFrequency *frequency = problem->frequency;
	bool *suppressed = sdc_new(host, bool, frequency->cells);
	int32 *code = sdc_new(host, int32, problem->keys);
	int32 *values = sdc_new(host, int32, problem->keys);
	SdcFrequencyCount *counting =
		sdc_frequency_start(host, problem->keys, false);
	int32 cell;
	int i;

	sdc_lattice_suppressed(problem->lattice, level, suppressed);
	for (i = 0; i < problem->keys; i++)
		values[i] = digit[i].count + 1;
	for (cell = 0; cell < frequency->cells; cell++)
	{
		if (cell % (SDC_POLL_STEPS / 8) == 0)
			host->poll(host, cell, frequency->cells);
		if (!suppressed[cell])
			continue;
		for (i = 0; i < problem->keys; i++)
			code[i] = sdcpg_generalization_group(&digit[i],
												 frequency->code[i][cell]);
		sdc_frequency_add(counting, code, 1, 0);
	}
	return sdc_frequency_finish(counting, NULL, values, NULL);
}
