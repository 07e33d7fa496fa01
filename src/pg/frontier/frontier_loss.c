/*
 * frontier_loss.c
 *		The loss that candidates are compared by unless another one is named.
 *
 * One measure for all candidates of a call, or their losses would have nothing
 * to do with each other.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "pg/data/number.h"
#include "pg/frontier/frontier_loss.h"
#include "pg/mask/rules.h"

#define MOVED "{\"utility\": \"il1s\", \"subject\": \"all columns\"}"
#define ANY   "{\"utility\": \"tables\", \"subject\": \"all columns\"}"

/* Does a method leave a number where there was one? */
static bool
moves(SdcMaskKind kind)
{
	switch (kind)
	{
		case SDC_MASK_RANK_SWAP:
		case SDC_MASK_MICROAGGREGATE:
		case SDC_MASK_ADD_NOISE:
		case SDC_MASK_SHUFFLE:
		case SDC_MASK_PRAM:
		case SDC_MASK_TOP_CODE:
		case SDC_MASK_BOTTOM_CODE:
		case SDC_MASK_ROUND_TO:
			return true;
		default:
			return false;
	}
}

/* Does a rule only move numbers and dates? */
static bool
moves_numbers(const SdcRule *rule)
{
	int j;

	if (!moves(rule->method->kind))
		return false;
	for (j = 0; j < rule->columns.count; j++)
		if (!sdcpg_number_is(rule->columns.column[j].base) ||
			rule->columns.column[j].base == BOOLOID)
			return false;
	return true;
}

/* Is it a rule that changes nothing, or none that is applied here? */
static bool
is_idle(const SdcRule *rule, const char *id)
{
	return rule->method->kind == SDC_MASK_KEEP ||
		   (id != NULL && rule->columns.count == 1 &&
			strcmp(rule->columns.column[0].name, id) == 0);
}

Jsonb *
sdcpg_frontier_loss_usual(const SdcRelation *relation, const char *id,
						  List *candidates)
{
	const char *loss = MOVED;
	ListCell *cell;
	int i;

	foreach (cell, candidates)
	{
		SdcRules rules = sdcpg_rules_read(lfirst(cell), relation);

		for (i = 0; i < rules.count; i++)
			if (!is_idle(&rules.rule[i], id) && !moves_numbers(&rules.rule[i]))
				loss = ANY;
	}
	return DatumGetJsonbP(
		DirectFunctionCall1(jsonb_in, CStringGetDatum(loss)));
}
