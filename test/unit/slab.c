/*
 * slab.c
 *		Slabs of persons against the attack on all.
 *
 * Exchanges of rank swapping are used in both.  Over 30 tables the interval of
 * the slabs must hold the share that the full attack finds in 24 at least:
 * with the stated 95 percent, fewer would come about once in ten thousand
 * times.  Under the sanitizers 2 tables, of which the interval may miss one,
 * and no statement on the bias.
 * Slabs that memory makes small may find less, but not much.
 */
#include "intruder_files.h"

#include "kernel/intruder/slab.h"

#define TABLES 30
#define N      2400
#define P      2.0
#define ROOM   160
/* few share a value: exchanges find more, and not everybody */
#define STEP 0.02

static SdcRandom random_state;

static SdcIntruder *
make_table(void)
{
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), N, N, SDC_INTRUDER_ERROR, 1);
	double *common = draw_common(&random_state, N);
	int c;

	for (c = 0; c < 3; c++)
	{
		int32_t *code = draw_codes(&random_state, common, N, STEP);
		SdcIntruderSwap swap = {.method = SDC_RANK_SWAP_CLASSIC, .p = P};

		swap.person = codes_to_keys(code, N);
		swap.record = codes_to_keys(
			swap_codes(&random_state, code, N, SDC_RANK_SWAP_CLASSIC, P), N);
		sdc_intruder_add_rank_swap(intruder, &swap);
	}
	return intruder;
}

static SdcIntruderSuccess
attack(SdcIntruder *intruder, const int32_t *who, int32_t count,
	   const bool *counted, const bool *claimed)
{
	SdcIntruderPrior prior = {1, true, claimed, SDC_MATCH_BUDGET, 100};
	SdcIntruderCandidates *found =
		search_all(intruder, who, count, 64, SDC_INTRUDER_DEPTH, false);
	SdcIntruderNamed *named = sdc_intruder_named_create(unit_host(), intruder);
	SdcIntruderAnswer *answer;
	int32_t truth[N];
	SdcIntruderSuccess success;
	int32_t i;

	use_exchanges(intruder, named, found);
	sdc_intruder_named_release(unit_host(), named);
	answer = sdc_intruder_answer(unit_host(), intruder, found, &prior);
	for (i = 0; i < N; i++)
		truth[i] = i;
	sdc_intruder_success(found, answer, truth, counted, &success);
	sdc_intruder_answer_release(unit_host(), answer);
	sdc_intruder_candidates_release(unit_host(), found);
	return success;
}

/* The slabs' estimate of one-to-one. */
static SdcSlabEstimate
estimate(SdcIntruder *intruder, const SdcSlabPlan *plan, int32_t *searched)
{
	int32_t right[SDC_SLAB_MOST];
	int32_t persons[SDC_SLAB_MOST];
	int32_t who[N];
	bool counted[N];
	bool claimed[N];
	int k;

	*searched = 0;
	for (k = 0; k < plan->slabs; k++)
	{
		int32_t count =
			sdc_slab_select(intruder, plan, k, who, counted, claimed);
		SdcIntruderSuccess s = attack(intruder, who, count, counted, claimed);

		right[k] = s.right[SDC_INTRUDER_ONE_TO_ONE];
		persons[k] = s.persons;
		*searched += count;
	}
	return sdc_slab_interval(right, persons, plan->slabs);
}

static void
check_cover(void)
{
	int covered = 0;
	double bias = 0;
	double width = 0;
	int32_t most = 0;
	int tables = unit_sparing() ? 2 : TABLES;
	int t;

	for (t = 0; t < tables; t++)
	{
		SdcIntruder *intruder = make_table();
		SdcIntruderSuccess all = attack(intruder, NULL, N, NULL, NULL);
		SdcSlabPlan *plan = sdc_slab_plan(unit_host(), intruder, 5, N * 6 / 10,
										  N, SDC_SLAB_MARGIN, (uint64_t) t);
		double share = (double) all.right[SDC_INTRUDER_ONE_TO_ONE] / N;
		SdcSlabEstimate part;
		int32_t searched;

		part = estimate(intruder, plan, &searched);
		covered += part.low <= share && share <= part.high;
		bias += (part.share - share) / tables;
		width += (part.high - part.low) / tables;
		most = searched > most ? searched : most;
		unit_release_all();
	}
	unit_check(covered >= tables * 27 / TABLES,
			   "the interval holds the full share in %d of %d", covered,
			   tables);
	unit_check(unit_sparing() || (bias > -0.02 && bias < 0.02 && width < 0.25),
			   "bias %.4f, mean width %.3f", bias, width);
	unit_check(most <= N * 7 / 10, "%d of %d persons searched for at most",
			   (int) most, N);
}

/* Where memory decides: slabs that fit, and nearly all that all would find. */
static void
check_memory(void)
{
	double bias = 0;
	double width = 0;
	int32_t most = 0;
	bool fits = true;
	int tables = unit_sparing() ? 2 : TABLES;
	int t;

	for (t = 0; t < tables; t++)
	{
		SdcIntruder *intruder = make_table();
		SdcIntruderSuccess all = attack(intruder, NULL, N, NULL, NULL);
		SdcSlabPlan *plan = sdc_slab_plan(unit_host(), intruder, 5, N * 6 / 10,
										  ROOM, SDC_SLAB_MARGIN, (uint64_t) t);
		SdcSlabEstimate part;
		int32_t searched;

		fits = fits && plan->slabs == 5 &&
			   plan->inner + 2 * plan->margin <= ROOM + 1 &&
			   plan->inner >= ROOM / 2 - 1;
		part = estimate(intruder, plan, &searched);
		bias +=
			(part.share - (double) all.right[SDC_INTRUDER_ONE_TO_ONE] / N) /
			tables;
		width += (part.high - part.low) / tables;
		most = searched > most ? searched : most;
		unit_release_all();
	}
	unit_check(fits, "slabs of %d persons at most, half of them counted",
			   ROOM);
	unit_check(unit_sparing() || (bias > -0.05 && bias < 0.02),
			   "bias %.4f, mean width %.3f", bias, width);
	unit_check(most <= 5 * ROOM * 11 / 10,
			   "%d of %d persons searched for at most", (int) most, N);
}

static void
check_plan(void)
{
	SdcIntruder *intruder = make_table();
	SdcSlabPlan *plan =
		sdc_slab_plan(unit_host(), intruder, 5, N, N, SDC_SLAB_MARGIN, 1);
	int32_t right[] = {8, 8, 8};
	int32_t persons[] = {10, 10, 10};
	SdcSlabEstimate same = sdc_slab_interval(right, persons, 3);

	unit_check(plan->slabs == 0, "no slabs where they save nothing");
	plan = sdc_slab_plan(unit_host(), intruder, 5, N, N * P / 100 - 2,
						 SDC_SLAB_MARGIN, 1);
	unit_check(plan->slabs == 0, "none where memory is less than a window");
	plan =
		sdc_slab_plan(unit_host(), intruder, 5, N, N - 1, SDC_SLAB_MARGIN, 1);
	unit_check(plan->slabs == SDC_SLAB_LEAST &&
				   plan->inner * SDC_SLAB_LEAST <= N &&
				   plan->margin <= 3 * N * P / 100 &&
				   plan->inner + 2 * plan->margin < N,
			   "slabs do not overlap: %d of %d and %d", (int) plan->slabs,
			   (int) plan->inner, (int) plan->margin);
	unit_check(same.share == 0.8 && same.low == same.high,
			   "slabs that agree: no width");
	right[0] = 2;
	same = sdc_slab_interval(right, persons, 3);
	/* mean .6, standard error .2, Student's quantile 4.303 */
	unit_check(same.share > 0.599 && same.share < 0.601 && same.low == 0 &&
				   same.high == 1,
			   "slabs that do not: %.3f in %.3f .. %.3f", same.share, same.low,
			   same.high);
	unit_release_all();
}

int
main(void)
{
	unit_start("slabs of persons");
	sdc_random_seed(&random_state, 8, 1);
	check_plan();
	check_cover();
	check_memory();
	return unit_finish();
}
