/*
 * exchange.c
 *		What exchanges in pairs give away, against the attack without them.
 *
 * Files of columns without ties are swapped by each variant.  With exchanges
 * three of four persons must be found, and a quarter more than without; what
 * is said is right within a tenth (chances of 64 candidates are too high under
 * wide laws); and columns that were not swapped in pairs (a shift of the
 * ranks) must lose little.
 */
#include "intruder_files.h"

#define N       600
#define COLUMNS 4
#define P       12.0

static SdcRandom random_state;

/* Every code by itself: its rank. */
static int32_t *
rank_codes(const int32_t *code)
{
	int32_t *rank = sdc_new(unit_host(), int32_t, N);
	int32_t *row = sdc_new(unit_host(), int32_t, N);
	uint64_t *key = sdc_new(unit_host(), uint64_t, N);
	int32_t i;

	for (i = 0; i < N; i++)
	{
		row[i] = i;
		key[i] = (uint64_t) code[i];
	}
	sdc_sort_keys(unit_host(), key, row, N);
	for (i = 0; i < N; i++)
		rank[row[i]] = i;
	return rank;
}

/* Masked ranks: swapped, or everybody gets the value of the next. */
static int32_t *
mask_codes(const int32_t *rank, SdcRankSwapMethod method, bool shifted)
{
	int32_t *masked = sdc_new(unit_host(), int32_t, N);
	int32_t i;

	if (!shifted)
		return swap_codes(&random_state, rank, N, method, P);
	for (i = 0; i < N; i++)
		masked[i] = (rank[i] + 1) % N;
	return masked;
}

static SdcIntruder *
make_table(SdcRankSwapMethod method, bool shifted)
{
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), N, N, SDC_INTRUDER_ERROR, 1);
	double *common = draw_common(&random_state, N);
	int c;

	for (c = 0; c < COLUMNS; c++)
	{
		int32_t *rank = rank_codes(draw_codes(&random_state, common, N, 1e-6));
		SdcIntruderSwap swap = {.method = method, .p = P};

		swap.person = codes_to_keys(rank, N);
		swap.record = codes_to_keys(mask_codes(rank, method, shifted), N);
		sdc_intruder_add_rank_swap(intruder, &swap);
	}
	return intruder;
}

static SdcIntruderSuccess
attack(SdcIntruder *intruder, bool exchanges)
{
	SdcIntruderPrior prior = {1, true, NULL, SDC_MATCH_BUDGET, 100};
	SdcIntruderCandidates *found =
		search_all(intruder, NULL, N, 64, SDC_INTRUDER_DEPTH, false);
	SdcIntruderAnswer *answer;
	int32_t truth[N];
	SdcIntruderSuccess success;
	int32_t i;

	if (exchanges)
		sdc_intruder_use_exchanges(unit_host(), intruder, found);
	answer = sdc_intruder_answer(unit_host(), intruder, found, &prior);
	for (i = 0; i < N; i++)
		truth[i] = i;
	sdc_intruder_success(found, answer, truth, NULL, &success);
	sdc_intruder_answer_release(unit_host(), answer);
	sdc_intruder_candidates_release(unit_host(), found);
	return success;
}

static void
check_variant(SdcRankSwapMethod method, const char *name)
{
	SdcIntruder *intruder = make_table(method, false);
	SdcIntruderSuccess without = attack(intruder, false);
	SdcIntruderSuccess with = attack(intruder, true);
	double said = with.said[SDC_INTRUDER_BELIEF];
	int32_t right = with.right[SDC_INTRUDER_BELIEF];

	unit_check(with.found > N * 3 / 4 && with.found > without.found * 5 / 4,
			   "%s: %d of %d with exchanges, %d without", name,
			   (int) with.found, N, (int) without.found);
	unit_check(fabs(said - right) < 0.1 * N, "%s: says %.0f, right %d", name,
			   said, (int) right);
	unit_release_all();
}

static void
check_no_pairs(void)
{
	SdcIntruder *intruder = make_table(SDC_RANK_SWAP_CLASSIC, true);
	SdcIntruderSuccess without = attack(intruder, false);
	SdcIntruderSuccess with = attack(intruder, true);

	unit_check(with.found * 10 > without.found * 9,
			   "no exchanges: %d with, %d without", (int) with.found,
			   (int) without.found);
	unit_release_all();
}

int
main(void)
{
	unit_start("exchanges of rank swapping");
	sdc_random_seed(&random_state, 15, 1);
	check_variant(SDC_RANK_SWAP_CLASSIC, "classic");
	check_variant(SDC_RANK_SWAP_BUCKETS, "buckets");
	check_variant(SDC_RANK_SWAP_DISTRIBUTION, "distribution");
	check_no_pairs();
	return unit_finish();
}
