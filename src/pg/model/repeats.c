/*
 * repeats.c
 *		Lines of a report that were measured several times.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/base/random.h"
#include "kernel/model/interval.h"
#include "pg/call/params.h"
#include "pg/model/repeats.h"
#include "pg/server/result.h"

#define MAX_REPEATS 1000

int
sdcpg_repeats_read(Jsonb *params, int absent)
{
	return sdcpg_params_integer(params, "repeats", absent, 1, MAX_REPEATS);
}

uint64
sdcpg_repeats_seed(uint64 seed, int repeat)
{
	return repeat == 0 ? seed : sdc_random_mix(seed + (uint64) repeat);
}

void
sdcpg_repeats_put(ReturnSetInfo *result, const char *measure,
				  const char *subject, const double *value, int repeats,
				  const char *format, ...)
{
	SdcInterval interval = sdc_interval_of_mean(value, repeats);
	va_list args;
	char *detail;

	va_start(args, format);
	detail = sdcpg_result_sentence(format, args);
	va_end(args);
	if (repeats > 1)
		detail = psprintf("%s Mean of %d repeats.", detail, repeats);
	sdcpg_result_measure(result, measure, subject, interval.mean,
						 isnan(interval.mean), detail);
	if (repeats == 1)
		return;
	sdcpg_result_measure(result, psprintf("%s_low", measure), subject,
						 interval.low, isnan(interval.low),
						 "Lower end of the 95 % interval of the mean over "
						 "the repeats.");
	sdcpg_result_measure(result, psprintf("%s_high", measure), subject,
						 interval.high, isnan(interval.high),
						 "Upper end of the 95 % interval of the mean over "
						 "the repeats.");
}
