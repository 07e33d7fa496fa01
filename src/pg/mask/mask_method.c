/*
 * mask_method.c
 *		The masking methods that rules may name.
 *
 * Names and keys are those of the SQL functions that mask one column, but for
 * "variant", which is their argument "method".
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "pg/mask/mask_method.h"

/* As many columns as a relation can have. */
#define SEVERAL 1664

#define KEYS(...)         \
	(const char *const[]) \
	{                     \
		__VA_ARGS__, NULL \
	}
#define NO_KEYS (&no_key)

static const char *const no_key = NULL;

static const SdcMaskMethod methods[SDC_MASK_KINDS] = {
	{SDC_MASK_RANK_SWAP, "rank_swap", KEYS("p", "variant", "strata"),
	 KEYS("p"), 1},
	{SDC_MASK_MICROAGGREGATE, "microaggregate",
	 KEYS("k", "variant", "standardize", "strata"), KEYS("k"), SEVERAL},
	{SDC_MASK_ADD_NOISE, "add_noise", KEYS("alpha", "variant", "strata"),
	 KEYS("alpha"), SEVERAL},
	{SDC_MASK_SHUFFLE, "shuffle", KEYS("strata"), NO_KEYS, 1},
	{SDC_MASK_PRAM, "pram", KEYS("p", "variant", "strata"), KEYS("p"), 1},
	{SDC_MASK_TOP_CODE, "top_code", KEYS("upper"), KEYS("upper"), 1},
	{SDC_MASK_BOTTOM_CODE, "bottom_code", KEYS("lower"), KEYS("lower"), 1},
	{SDC_MASK_ROUND_TO, "round_to", KEYS("base", "random"), KEYS("base"), 1},
	{SDC_MASK_GENERALIZE, "generalize", KEYS("hierarchy", "level"),
	 KEYS("hierarchy", "level"), 1},
	{SDC_MASK_MASK_TEXT, "mask_text", KEYS("keep", "fill"), KEYS("keep"), 1},
	{SDC_MASK_MASK_INET, "mask_inet", KEYS("keep"), KEYS("keep"), 1},
	{SDC_MASK_SUPPRESS, "suppress", KEYS("k", "importance"), KEYS("k"),
	 SEVERAL},
	{SDC_MASK_PSEUDONYM, "pseudonym", KEYS("domain", "period", "format"),
	 KEYS("domain"), 1},
	{SDC_MASK_CONSTANT, "constant", KEYS("value"), KEYS("value"), 1},
	{SDC_MASK_NULL, "null", NO_KEYS, NO_KEYS, 1},
	{SDC_MASK_SAMPLE_ROWS, "sample_rows", KEYS("p", "strata"), KEYS("p"), 0},
	{SDC_MASK_KEEP, "keep", NO_KEYS, NO_KEYS, SEVERAL},
};

const SdcMaskMethod *
sdcpg_mask_method_find(const char *name, int length)
{
	int i;

	for (i = 0; i < SDC_MASK_KINDS; i++)
		if (strlen(methods[i].name) == length &&
			memcmp(methods[i].name, name, length) == 0)
			return &methods[i];
	return NULL;
}

const SdcMaskMethod *
sdcpg_mask_method(SdcMaskKind kind)
{
	Assert(methods[kind].kind == kind);
	return &methods[kind];
}

char *
sdcpg_mask_method_names(void)
{
	StringInfoData names;
	int i;

	initStringInfo(&names);
	for (i = 0; i < SDC_MASK_KINDS; i++)
		appendStringInfo(&names, "%s%s", i > 0 ? ", " : "", methods[i].name);
	return names.data;
}
