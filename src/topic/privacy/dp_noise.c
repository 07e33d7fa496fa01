/*
 * dp_noise.c
 *		sdc.laplace, sdc.gaussian, sdc.dp_halfwidth: noise for one number.
 *
 * The caller knows the true value and says how far one record can change it.
 * Nothing is remembered: what a table has given away is the caller's account.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "host/call/params.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/dp_noise.h"
#include "topic/privacy/dp_aggregates.h"

PG_FUNCTION_INFO_V1(sdcf_laplace_float8);
PG_FUNCTION_INFO_V1(sdcf_laplace_integer);
PG_FUNCTION_INFO_V1(sdcf_laplace_bigint);
PG_FUNCTION_INFO_V1(sdcf_gaussian_float8);
PG_FUNCTION_INFO_V1(sdcf_gaussian_integer);
PG_FUNCTION_INFO_V1(sdcf_gaussian_bigint);
PG_FUNCTION_INFO_V1(sdcf_dp_halfwidth);

/* Epsilon or rho, the last argument. */
static double
read_budget(FunctionCallInfo fcinfo, int argument, bool laplace)
{
	const char *name = laplace ? "epsilon" : "rho";
	double budget;

	sdcpg_args_need(fcinfo, argument);
	budget = PG_GETARG_FLOAT8(argument);
	if (laplace)
		sdcpg_private_check_epsilon(budget);
	else
		sdcpg_args_range(name, budget, SDC_RHO_LEAST, SDC_RHO_MOST);
	return budget;
}

/* The parameters are checked before the value: NULL gives NULL. */
static Datum
add_noise(FunctionCallInfo fcinfo, bool laplace)
{
	double budget = read_budget(fcinfo, 2, laplace);
	double sensitivity;
	double value;
	double noisy;
	bool done;

	sdcpg_args_need(fcinfo, 1);
	sensitivity = PG_GETARG_FLOAT8(1);
	sdcpg_args_range("sensitivity", sensitivity, 0, DBL_MAX);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	value = PG_GETARG_FLOAT8(0);
	if (isnan(value))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"value\" must not be NaN")));
	done = laplace ? sdc_dp_noise_laplace(sdcpg_strong_bits(), value,
										  sensitivity, budget, &noisy)
				   : sdc_dp_noise_gaussian(sdcpg_strong_bits(), value,
										   sensitivity, budget, &noisy);
	if (!done)
		sdcpg_private_too_large();
	PG_RETURN_FLOAT8(noisy);
}

static Datum
add_whole_noise(FunctionCallInfo fcinfo, bool laplace, bool wide)
{
	double budget = read_budget(fcinfo, 2, laplace);
	int64 sensitivity;
	int64 value;
	int64 noisy;
	bool done;

	sdcpg_args_need(fcinfo, 1);
	sensitivity = wide ? PG_GETARG_INT64(1) : PG_GETARG_INT32(1);
	if (sensitivity < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"sensitivity\" must not be negative")));
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	value = wide ? PG_GETARG_INT64(0) : PG_GETARG_INT32(0);
	done = laplace
			   ? sdc_dp_noise_laplace_integer(sdcpg_strong_bits(), value,
											  sensitivity, budget, &noisy)
			   : sdc_dp_noise_gaussian_integer(sdcpg_strong_bits(), value,
											   sensitivity, budget, &noisy);
	if (!done)
		sdcpg_private_too_large();
	PG_RETURN_INT64(noisy);
}

/* laplace(value float8, sensitivity float8, epsilon float8) */
Datum
sdcf_laplace_float8(PG_FUNCTION_ARGS)
{
	return add_noise(fcinfo, true);
}

/* laplace(value integer, sensitivity integer, epsilon float8) */
Datum
sdcf_laplace_integer(PG_FUNCTION_ARGS)
{
	return add_whole_noise(fcinfo, true, false);
}

/* laplace(value bigint, sensitivity bigint, epsilon float8) */
Datum
sdcf_laplace_bigint(PG_FUNCTION_ARGS)
{
	return add_whole_noise(fcinfo, true, true);
}

/* gaussian(value float8, sensitivity float8, rho float8) */
Datum
sdcf_gaussian_float8(PG_FUNCTION_ARGS)
{
	return add_noise(fcinfo, false);
}

/* gaussian(value integer, sensitivity integer, rho float8) */
Datum
sdcf_gaussian_integer(PG_FUNCTION_ARGS)
{
	return add_whole_noise(fcinfo, false, false);
}

/* gaussian(value bigint, sensitivity bigint, rho float8) */
Datum
sdcf_gaussian_bigint(PG_FUNCTION_ARGS)
{
	return add_whole_noise(fcinfo, false, true);
}

/* dp_halfwidth(mechanism text, sensitivity, epsilon, confidence float8) */
Datum
sdcf_dp_halfwidth(PG_FUNCTION_ARGS)
{
	/* in the order of SdcDpNoise */
	static const char *const choices[] = {
		"laplace", "discrete_laplace", "gaussian", "discrete_gaussian", NULL};
	SdcDpNoise mechanism = (SdcDpNoise) sdcpg_args_choice(
		"mechanism", PG_GETARG_TEXT_PP(0), choices);
	bool laplace = mechanism == SDC_DP_NOISE_LAPLACE ||
				   mechanism == SDC_DP_NOISE_DISCRETE_LAPLACE;
	double sensitivity = PG_GETARG_FLOAT8(1);
	double budget = PG_GETARG_FLOAT8(2);
	double confidence = PG_GETARG_FLOAT8(3);
	double width;

	sdcpg_args_range("sensitivity", sensitivity, 0, DBL_MAX);
	if ((mechanism == SDC_DP_NOISE_DISCRETE_LAPLACE ||
		 mechanism == SDC_DP_NOISE_DISCRETE_GAUSSIAN) &&
		sensitivity != floor(sensitivity))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"sensitivity\" must be a whole number for "
						"this mechanism")));
	sdcpg_args_range("epsilon", budget,
					 laplace ? SDC_EPSILON_LEAST : SDC_RHO_LEAST,
					 laplace ? SDC_EPSILON_MOST : SDC_RHO_MOST);
	sdcpg_args_range("confidence", confidence, 0, 0.999999999);
	width = sdc_dp_noise_halfwidth(mechanism, sensitivity, budget, confidence);
	if (isnan(width))
		sdcpg_private_too_large();
	PG_RETURN_FLOAT8(width);
}
