/*
 * recode.c
 *		Masks of single values: top_code, bottom_code, round_to, round_by_key,
 *		mask_text, mask_inet.
 *
 * They look at nothing but their arguments, so they work in any expression,
 * generated column, view or index.
 */
#include "postgres.h"

#include <math.h>
#include <sys/socket.h>

#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/inet.h"
#include "utils/numeric.h"
#include "utils/typcache.h"

#include "host/call/params.h"
#include "host/server/compat.h"
#include "kernel/base/random.h"

PG_FUNCTION_INFO_V1(sdcf_top_code);
PG_FUNCTION_INFO_V1(sdcf_bottom_code);
PG_FUNCTION_INFO_V1(sdcf_round_to);
PG_FUNCTION_INFO_V1(sdcf_round_by_key);
PG_FUNCTION_INFO_V1(sdcf_round_float);
PG_FUNCTION_INFO_V1(sdcf_mask_text);
PG_FUNCTION_INFO_V1(sdcf_mask_inet);

/* Compares the two arguments by the order of their type. */
static int32
compare_arguments(FunctionCallInfo fcinfo)
{
	TypeCacheEntry *cache = fcinfo->flinfo->fn_extra;

	if (cache == NULL)
	{
		Oid type = get_fn_expr_argtype(fcinfo->flinfo, 0);

		cache = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);
		if (!OidIsValid(cache->cmp_proc))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_FUNCTION),
					 errmsg("type %s has no ordering", format_type_be(type))));
		fcinfo->flinfo->fn_extra = cache;
	}
	return DatumGetInt32(
		FunctionCall2Coll(&cache->cmp_proc_finfo, PG_GET_COLLATION(),
						  PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

/* top_code(value anycompatible, upper anycompatible) */
Datum
sdcf_top_code(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(compare_arguments(fcinfo) > 0 ? 1 : 0));
}

/* bottom_code(value anycompatible, lower anycompatible) */
Datum
sdcf_bottom_code(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(compare_arguments(fcinfo) < 0 ? 1 : 0));
}

static bool
is_finite(Numeric value)
{
#if PG_VERSION_NUM >= 140000
	if (numeric_is_inf(value))
		return false;
#endif
	return !numeric_is_nan(value);
}

#define numeric_call2(function, a, b)                                   \
	DatumGetNumeric(DirectFunctionCall2((function), NumericGetDatum(a), \
										NumericGetDatum(b)))
#define numeric_from(x) \
	DatumGetNumeric(DirectFunctionCall1(int8_numeric, Int64GetDatum(x)))

/* The bits that round a value, from a seed. */
static uint64
bits_of_seed(Numeric value, int64 seed)
{
	const char *digits = numeric_normalize(value);
	SdcRandom random;
	uint64 stream = 0;

	for (; *digits != '\0'; digits++)
		stream = sdc_random_mix(stream + (unsigned char) *digits);
	sdc_random_seed(&random, (uint64) seed, stream);
	return sdc_random_bits(&random);
}

/* The same from a key that nobody can guess. */
static uint64
bits_of_key(Numeric value, bytea *key)
{
	const char *digits = numeric_normalize(value);

	if (VARSIZE_ANY_EXHDR(key) != SDC_RANDOM_KEY)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"key\" must have %d bytes",
							   SDC_RANDOM_KEY)));
	return sdc_random_keyed((const unsigned char *) VARDATA_ANY(key),
							(const unsigned char *) digits, strlen(digits));
}

/*
 * Should a value that lies rest above (in magnitude) a multiple of base be
 * rounded away from zero?  At random with probability rest / base, which makes
 * the expectation right; the bits depend on the value and on a seed or key
 * alone, so equal values are rounded alike.
 */
static bool
round_away_at_random(Numeric rest, Numeric base, uint64 bits)
{
	/* draw / 2^53 < rest / base, without a division */
	int64 draw = (int64) (bits >> 11);

	return DatumGetBool(DirectFunctionCall2(
		numeric_lt,
		NumericGetDatum(numeric_call2(numeric_mul, numeric_from(draw), base)),
		NumericGetDatum(numeric_call2(
			numeric_mul, numeric_from(INT64CONST(1) << 53), rest))));
}

/* Half and more goes away from zero. */
static bool
round_away(Numeric rest, Numeric base)
{
	return DatumGetBool(DirectFunctionCall2(
		numeric_ge, NumericGetDatum(numeric_call2(numeric_add, rest, rest)),
		NumericGetDatum(base)));
}

static void
check_base(Numeric base)
{
	if (is_finite(base) &&
		DatumGetBool(DirectFunctionCall2(numeric_gt, NumericGetDatum(base),
										 NumericGetDatum(numeric_from(0)))))
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("argument \"base\" must be a positive number")));
}

/* Rounds a finite value; bits NULL: to the nearest multiple. */
static Numeric
round_to(Numeric value, Numeric base, const uint64 *bits)
{
	Numeric signed_rest = numeric_call2(numeric_mod, value, base);
	Numeric rest = DatumGetNumeric(
		DirectFunctionCall1(numeric_abs, NumericGetDatum(signed_rest)));
	Numeric result = numeric_call2(numeric_sub, value, signed_rest);

	if (bits == NULL ? !round_away(rest, base)
					 : !round_away_at_random(rest, base, *bits))
		return result;
	return DatumGetBool(DirectFunctionCall2(numeric_lt, NumericGetDatum(value),
											NumericGetDatum(numeric_from(0))))
			   ? numeric_call2(numeric_sub, result, base)
			   : numeric_call2(numeric_add, result, base);
}

/* round_to(value numeric, base numeric, seed bigint); seed NULL: to nearest */
Datum
sdcf_round_to(PG_FUNCTION_ARGS)
{
	Numeric value;
	Numeric base;
	uint64 bits;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	value = PG_GETARG_NUMERIC(0);
	base = PG_GETARG_NUMERIC(1);
	check_base(base);
	if (!is_finite(value))
		PG_RETURN_NUMERIC(value);
	if (PG_ARGISNULL(2))
		PG_RETURN_NUMERIC(round_to(value, base, NULL));
	bits = bits_of_seed(value, PG_GETARG_INT64(2));
	PG_RETURN_NUMERIC(round_to(value, base, &bits));
}

/* round_by_key(value numeric, base numeric, key bytea) */
Datum
sdcf_round_by_key(PG_FUNCTION_ARGS)
{
	Numeric value = PG_GETARG_NUMERIC(0);
	Numeric base = PG_GETARG_NUMERIC(1);
	uint64 bits;

	check_base(base);
	if (!is_finite(value))
		PG_RETURN_NUMERIC(value);
	bits = bits_of_key(value, PG_GETARG_BYTEA_PP(2));
	PG_RETURN_NUMERIC(round_to(value, base, &bits));
}

/* Whole numbers below are exact as double precision; so are these powers. */
#define MOST_WHOLE    9007199254740992.0
#define MOST_DECIMALS 22

/* Multiples of the base that are counted; beyond it digits are too few. */
#define MOST_MULTIPLE 1e12

/*
 * A base as digits / power: 0.25 is 25 / 100.  power is 0 when that is not
 * exact; bytes has the base itself.
 */
typedef struct FloatBase
{
	double digits;
	double power;
	Size size;
	char bytes[FLEXIBLE_ARRAY_MEMBER];
} FloatBase;

static void
set_digits(FloatBase *found, Numeric base)
{
	const char *text = numeric_normalize(base);
	int decimals = 0;
	bool behind = false;

	found->power = 1;
	for (; *text != '\0'; text++)
	{
		if (*text == '.')
		{
			behind = true;
			continue;
		}
		found->digits = found->digits * 10 + (*text - '0');
		decimals += behind;
		found->power *= behind ? 10 : 1;
	}
	if (found->digits > MOST_WHOLE || decimals > MOST_DECIMALS)
		found->power = 0;
}

/* The base of a call, taken apart once. */
static const FloatBase *
float_base(FmgrInfo *flinfo, Numeric base)
{
	FloatBase *found = flinfo->fn_extra;
	Size size = VARSIZE_ANY(base);

	if (found != NULL && found->size == size &&
		memcmp(found->bytes, base, size) == 0)
		return found;
	check_base(base);
	found = MemoryContextAllocZero(flinfo->fn_mcxt,
								   offsetof(FloatBase, bytes) + size);
	found->size = size;
	memcpy(found->bytes, base, size);
	set_digits(found, base);
	flinfo->fn_extra = found;
	return found;
}

/*
 * The nearest multiple as that of the 15 digits of the value, when it is
 * beyond doubt; both steps that round are right to the last digit (Clinger
 * 1990: digits times a whole number is exact, and so is the power of ten).
 */
static bool
round_fast(double value, const FloatBase *base, double *result)
{
	double count = fabs(value) * base->power / base->digits;
	double whole = floor(count);
	double rest = count - whole;

	if (base->power == 0 || !(count < MOST_MULTIPLE) ||
		fabs(rest - 0.5) <= 1e-13 * Max(count, 1))
		return false;
	whole = (whole + (rest > 0.5)) * base->digits;
	if (whole > MOST_WHOLE)
		return false;
	*result = whole == 0 ? 0 : copysign(whole / base->power, value);
	return true;
}

/*
 * round_float(value float8, base numeric): round_to of the value as numeric,
 * as double precision
 */
Datum
sdcf_round_float(PG_FUNCTION_ARGS)
{
	double value = PG_GETARG_FLOAT8(0);
	Numeric base = PG_GETARG_NUMERIC(1);
	const FloatBase *parts = float_base(fcinfo->flinfo, base);
	double result;
	Numeric exact;

	if (!isfinite(value))
		PG_RETURN_FLOAT8(value);
	if (round_fast(value, parts, &result))
		PG_RETURN_FLOAT8(result);
	exact = DatumGetNumeric(
		DirectFunctionCall1(float8_numeric, Float8GetDatum(value)));
	return DirectFunctionCall1(numeric_float8,
							   NumericGetDatum(round_to(exact, base, NULL)));
}

/*
 * mask_text(value text, keep integer, fill text): keep >= 0 keeps that many
 * leading characters, keep < 0 that many trailing ones
 */
Datum
sdcf_mask_text(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	int64 keep = PG_GETARG_INT32(1);
	text *fill = PG_GETARG_TEXT_PP(2);
	const char *bytes = VARDATA_ANY(value);
	int length = VARSIZE_ANY_EXHDR(value);
	Size fill_length = VARSIZE_ANY_EXHDR(fill);
	int characters = pg_mbstrlen_with_len(bytes, length);
	int64 kept = Min(keep < 0 ? -keep : keep, characters);
	int64 hidden = characters - kept;
	int kept_length;
	Size size;
	text *result;
	char *out;
	int64 i;

	/* bytes before the cut, then the part that is kept */
	kept_length =
		pg_mbcharcliplen(bytes, length, (int) (keep < 0 ? hidden : kept));
	if (keep < 0)
	{
		bytes += kept_length;
		kept_length = length - kept_length;
	}
	if (fill_length > 0 && hidden > (MaxAllocSize - length) / fill_length)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("masked text would be too long")));
	size = VARHDRSZ + kept_length + hidden * fill_length;
	result = palloc(size);
	SET_VARSIZE(result, size);
	out = VARDATA(result);
	if (keep >= 0)
	{
		memcpy(out, bytes, kept_length);
		out += kept_length;
	}
	for (i = 0; i < hidden; i++, out += fill_length)
		memcpy(out, VARDATA_ANY(fill), fill_length);
	if (keep < 0)
		memcpy(out, bytes, kept_length);
	PG_RETURN_TEXT_P(result);
}

/* mask_inet(value inet, keep integer): the network of the leading keep bits */
Datum
sdcf_mask_inet(PG_FUNCTION_ARGS)
{
	inet *address = PG_GETARG_INET_PP(0);
	int32 keep = PG_GETARG_INT32(1);

	sdcpg_args_range("keep", keep, 0, ip_maxbits(address));
	PG_RETURN_DATUM(DirectFunctionCall1(
		network_network,
		DirectFunctionCall2(inet_set_masklen, InetPGetDatum(address),
							Int32GetDatum(keep))));
}
