/*
 * table_rules.c
 *		Which cells of a table are unsafe, and how far from its value an
 *		attacker must be kept.
 *
 * Levels are those of Hundepool et al. (2012), Statistical Disclosure Control,
 * table 4.2: what the largest contribution could be estimated to by who gave
 * the second largest, or the others of the n largest.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "host/call/params.h"
#include "topic/tabular/tabular_topic.h"

static const char *const rules_keys[] = {"threshold", "p_percent", "pq",
										 "dominance", "zeros",     NULL};

bool
sdcpg_table_pair(Jsonb *object, const char *key, double *pair)
{
	JsonbValue value;
	int i;

	if (!sdcpg_params_has(object, key))
		return false;
	if (!sdcpg_params_find(object, key, &value) || value.type != jbvBinary ||
		!JsonContainerIsArray(value.val.binary.data) ||
		JsonContainerSize(value.val.binary.data) != 2)
		sdcpg_params_wrong(key, "an array of two numbers");
	for (i = 0; i < 2; i++)
	{
		JsonbValue *number =
			getIthJsonbValueFromContainer(value.val.binary.data, i);

		if (number->type != jbvNumeric)
			sdcpg_params_wrong(key, "an array of two numbers");
		pair[i] = DatumGetFloat8(DirectFunctionCall1(
			numeric_float8, NumericGetDatum(number->val.numeric)));
	}
	return true;
}

List *
sdcpg_table_objects(Jsonb *params, const char *key, const char *what)
{
	List *objects = NIL;
	JsonbValue value;
	uint32 i;

	if (!sdcpg_params_find(params, key, &value))
		return NIL;
	if (value.type != jbvBinary ||
		!JsonContainerIsArray(value.val.binary.data))
		sdcpg_params_wrong(key, what);
	for (i = 0; i < JsonContainerSize(value.val.binary.data); i++)
	{
		JsonbValue *item =
			getIthJsonbValueFromContainer(value.val.binary.data, i);

		if (item->type != jbvBinary ||
			!JsonContainerIsObject(item->val.binary.data))
			sdcpg_params_wrong(key, what);
		objects = lappend(objects, JsonbValueToJsonb(item));
	}
	return objects;
}

void
sdcpg_table_rules_read(Jsonb *object, Jsonb *params, SdcTableRules *rules)
{
	double pair[2];

	sdcpg_params_check(object, rules_keys);
	rules->threshold =
		sdcpg_params_integer(object, "threshold", 0, 2, PG_INT32_MAX);
	rules->p = sdcpg_params_number(object, "p_percent", 0, 0, 100);
	rules->q = 100;
	if (sdcpg_table_pair(object, "pq", pair))
	{
		if (rules->p > 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("rules have both \"p_percent\" and \"pq\""),
					 errhint("Give one: p_percent is pq with a q of 100.")));
		rules->p = pair[0];
		rules->q = pair[1];
		if (!(rules->p > 0 && rules->p < rules->q && rules->q <= 100))
			sdcpg_params_wrong("pq", "[p, q] with 0 < p < q <= 100");
	}
	if (sdcpg_table_pair(object, "dominance", pair))
	{
		if (!(pair[0] >= 1 && pair[0] <= SDC_CUBE_TOP &&
			  pair[0] == floor(pair[0]) && pair[1] > 0 && pair[1] < 100))
			sdcpg_params_wrong("dominance",
							   "[n, k] with n of 1 to 5 and k between 0 and "
							   "100");
		rules->dominance = (int) pair[0];
		rules->share = pair[1];
	}
	rules->zeros = sdcpg_params_boolean(object, "zeros", false);
	rules->range = sdcpg_params_number(params, "range", 10, 0, 100);
	if (rules->threshold == 0 && rules->p == 0 && rules->dominance == 0 &&
		!rules->zeros)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("rules make no cell unsafe"),
						errhint("Give threshold, p_percent, pq, dominance or "
								"zeros.")));
}

/* The n largest contributions, or as many after the largest, at the most. */
static double
sum_largest(const SdcCubeCell *cell, bool rest, int n)
{
	double sum = 0;
	int k;

	for (k = rest; k < n + rest; k++)
		sum += cell->top[Min(k, SDC_CUBE_TOP - 1)];
	return sum;
}

/* The need of a cell, or of its rest, to who knows its largest contribution */
static double
find_need(const SdcTableRules *rules, const SdcCubeCell *cell, bool counts,
		  bool rest)
{
	double sum = cell->sum - (rest ? cell->top[0] : 0);
	double others = cell->sum - cell->top[0] - cell->top[1];
	double largest = Min(sum_largest(cell, rest, rules->dominance), sum);
	double need = 0;

	if (cell->count <= rest)
		return 0;
	/* rows of one respondent are his contribution, as in a sum */
	if (cell->count < rules->threshold)
		need = counts && cell->top[0] <= 1 ? 1 : rules->range / 100 * sum;
	if (rules->p > 0 && rules->q * others < rules->p * cell->top[rest])
		need = Max(need, rules->p / rules->q * cell->top[rest] - others);
	if (rules->dominance > 0 && 100 * largest > rules->share * sum)
		need = Max(need, 100 / rules->share * largest - sum);
	if (need > 0)
		return Max(1, ceil(need - 1e-9));
	if (cell->count < rules->threshold || (sum == 0 && rules->zeros))
		return 1;
	return 0;
}

double
sdcpg_table_rules_need(const SdcTableRules *rules, const SdcCubeCell *cell,
					   bool counts)
{
	return find_need(rules, cell, counts, false);
}

bool
sdcpg_table_rules_apply(const SdcTableRules *rules, const SdcCubeCell *cell,
						bool counts, SdcTabular *table, int32 i)
{
	double need = find_need(rules, cell, counts, false);
	double rest = Min(need, find_need(rules, cell, counts, true));

	table->leader[i] = cell->leader;
	table->need_high[i] = need;
	table->need_low[i] = cell->sum == 0 ? 0 : need;
	table->rest_high[i] = table->rest_low[i] = rest;
	return need > 0;
}
