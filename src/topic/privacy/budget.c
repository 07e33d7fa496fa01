/*
 * budget.c
 *		Amounts of privacy as whole numbers: what a request costs, what a
 *		budget holds.
 *
 * See budget.h.  A numeric is brought to whole units by numeric arithmetic;
 * no double is on the way but for rho.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "kernel/privacy/discrete_laplace.h"
#include "topic/privacy/budget.h"
#include "host/server/compat.h"

#define FIRST_DIGITS  9
#define SECOND_DIGITS 18

const char *const sdcpg_budget_accounting[] = {"pure", "approx", "zcdp", NULL};

static Numeric
numeric_of(const char *text)
{
	return DatumGetNumeric(
		DirectFunctionCall3(numeric_in, CStringGetDatum(text),
							ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

static int
compare(Numeric a, const char *b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(a),
											 NumericGetDatum(numeric_of(b))));
}

/* A value that has been checked in whole units of 10^-digits. */
static int64
units(Numeric value, int digits, bool up)
{
	Datum scaled = DirectFunctionCall2(
		numeric_mul, NumericGetDatum(value),
		NumericGetDatum(numeric_of(digits == FIRST_DIGITS ? "1e9" : "1e18")));

	scaled = up ? DirectFunctionCall1(numeric_ceil, scaled)
				: DirectFunctionCall1(numeric_floor, scaled);
	return DatumGetInt64(DirectFunctionCall1(numeric_int8, scaled));
}

/* Stops unless low <= value <= high. */
static void
check_epsilon(Numeric epsilon, const char *low, const char *high)
{
	if (numeric_is_nan(epsilon) || compare(epsilon, low) < 0 ||
		compare(epsilon, high) > 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"%s\" must lie between %s and %s",
							   "epsilon", low, high)));
}

static void
check_delta(SdcAccounting accounting, Numeric delta)
{
	if (numeric_is_nan(delta) || compare(delta, "0") < 0 ||
		compare(delta, "1") >= 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"%s\" must be at least 0 and less "
							   "than 1",
							   "delta")));
	if (accounting == SDC_ACCOUNTING_PURE && compare(delta, "0") > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a data set with pure accounting has no delta"),
				 errhint("Make the data set with accounting \"approx\".")));
}

/* (sqrt(l + epsilon) - sqrt(l))^2 with l = ln(1 / delta), rounded down. */
static int64
limit_of_rho(Numeric epsilon, Numeric delta)
{
	double e = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
												  NumericGetDatum(epsilon)));
	double d = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
												  NumericGetDatum(delta)));
	double l;
	double root;

	if (e <= 0)
		return 0;
	if (d <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("zcdp accounting needs a delta above 0"),
				 errdetail("It holds for epsilon and delta together.")));
	l = -log(d);
	root = e / (sqrt(l + e) + sqrt(l));
	return (int64) floor(root * root * 1e9 * (1 - 1e-12));
}

SdcAmount
sdcpg_budget_limit(SdcAccounting accounting, Numeric epsilon, Numeric delta)
{
	SdcAmount limit;

	check_epsilon(epsilon, "0", "1000000000");
	check_delta(accounting, delta);
	if (accounting == SDC_ACCOUNTING_ZCDP)
	{
		limit.first = limit_of_rho(epsilon, delta);
		limit.second = 0;
		return limit;
	}
	limit.first = units(epsilon, FIRST_DIGITS, false);
	limit.second = units(delta, SECOND_DIGITS, false);
	return limit;
}

SdcAmount
sdcpg_budget_cost(SdcAccounting accounting, Numeric epsilon, Numeric delta,
				  int64 *rest)
{
	SdcAmount cost;

	check_epsilon(epsilon, "0.000000001", "1024");
	check_delta(accounting, delta);
	if (accounting == SDC_ACCOUNTING_ZCDP && compare(delta, "0") > 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("requests of a data set with zcdp accounting "
							   "have no delta of their own")));
	*rest = units(epsilon, FIRST_DIGITS, false);
	cost.first = units(epsilon, FIRST_DIGITS, true);
	cost.second = units(delta, SECOND_DIGITS, true);
	if (accounting == SDC_ACCOUNTING_ZCDP)
	{
		/* epsilon^2 / 2 (Bun and Steinke 2016, proposition 1.4) */
		SdcUint128 square = (SdcUint128) cost.first * cost.first;

		cost.first = (int64) ((square + 1999999999) / 2000000000);
	}
	return cost;
}

Datum
sdcpg_budget_numeric(int64 amount, int digits)
{
	int64 one = digits == FIRST_DIGITS ? INT64CONST(1000000000)
									   : INT64CONST(1000000000000000000);
	int64 size = amount < 0 ? -amount : amount;
	char *text =
		psprintf("%s%lld.%0*lld", amount < 0 ? "-" : "",
				 (long long) (size / one), digits, (long long) (size % one));

	return DirectFunctionCall1(numeric_trim_scale,
							   NumericGetDatum(numeric_of(text)));
}
