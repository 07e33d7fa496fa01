/*
 * fake_mask.c
 *		A masking method that exists in this file only, for t/032_registry.pl.
 *
 * The build of sdc_fake.so has src/topic/registry/masks.c include it.  All
 * that sdc needs to know of a method is in FAKE_MASK: the test finds it in
 * sdc.mask, a policy, the gate and frontier.
 */
#include "host/call/relation.h"
#include "topic/attack/transparency.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/rules.h"

/* The largest multiple of step that is not above the number, as SQL. */
static char *
fake_floor(const SdcRelationColumn *column, const char *step)
{
	return psprintf("pg_catalog.floor(CAST(r.%s AS pg_catalog.float8) "
					"OPERATOR(pg_catalog./) %s) OPERATOR(pg_catalog.*) %s",
					column->sql, step, step);
}

static void
fake_write(SdcMaskPlan *plan, const SdcRule *rule)
{
	SdcRelationColumn *column = &rule->columns.column[0];
	char *step = sdcpg_mask_bind_float(plan, rule, "step");

	sdcpg_mask_type_need(plan, rule, column, SDC_MASK_NUMBERS);
	sdcpg_mask_plan_column(plan, column->number)->value =
		sdcpg_mask_type_cast(plan, column, fake_floor(column, step));
}

static void
sdcpg_candidates_fake(SdcTransparency *transparency, SdcTransparencyPart *part)
{
	char *step = psprintf("CAST(%.17g AS pg_catalog.float8)",
						  sdcpg_rule_number(part->rule, "step"));

	sdcpg_candidates_ask(transparency, part,
						 fake_floor(&part->original[0], step));
}

#define FAKE_MASK                                                             \
	MASK("fake_floor", "Numbers become the multiple of step below them.",     \
		 "{\"income\": {\"method\": \"fake_floor\", \"step\": 100}}", COLUMN, \
		 BY_ROW, KEYS(NEEDS("step", SDC_KEY_ABOVE, 0, 1e6)), NO_VARIANTS,     \
		 WRITES(fake_write), CANDIDATES(fake, image), SDC_LIKELIHOOD_EQUAL,   \
		 STRENGTH("step", SDC_MASK_PLAIN, false, 1, 1e6), SDC_MASK_MOVES,     \
		 SDC_MASK_LEAVES_NOTHING, NULL)
