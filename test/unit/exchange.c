/*
 * exchange.c
 *		What exchanges in pairs give away, against the attack without them.
 *
 * Files are swapped by each variant.  Where values are alone in their columns
 * nearly everybody must be found, also by two columns and when lists are much
 * too short for the truth to be on most of them; where few share a value, more
 * than without exchanges.  What is said must be right, also where some of what
 * is known is wrong: then more persons have a value than the masked file has.
 * Columns that were not swapped in pairs (a shift of the ranks) must lose
 * little.
 */
#include "intruder_files.h"

#define N 600

/* Persons who are searched for by themselves. */
#define FEW 30

static SdcRandom random_state;

/* The variant, the columns, p, the width of values (0: alone), the room, how
 * many of a column know another person's value: as many are the error rate. */
typedef struct Case
{
	SdcRankSwapMethod method;
	int columns;
	double p;
	double step;
	int32_t room;
	bool shifted; /* everybody gets the value of the next */
	double wrong;
} Case;

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

static int32_t *
mask_codes(const Case *of, const int32_t *code)
{
	int32_t *masked = sdc_new(unit_host(), int32_t, N);
	int32_t i;

	if (!of->shifted)
		return swap_codes(&random_state, code, N, of->method, of->p);
	for (i = 0; i < N; i++)
		masked[i] = (code[i] + 1) % N;
	return masked;
}

/* What he knows of a column, some of which is another person's. */
static uint64_t *
know_codes(const Case *of, const int32_t *code)
{
	uint64_t *key = codes_to_keys(code, N);
	int32_t i;

	for (i = 0; of->wrong > 0 && i < N; i++)
		if (sdc_random_unit(&random_state) < of->wrong)
			key[i] = (uint64_t) code[sdc_random_below(&random_state, N)];
	return key;
}

static SdcIntruder *
make_table(const Case *of)
{
	SdcIntruder *intruder = sdc_intruder_create(
		unit_host(), N, N, of->wrong > 0 ? of->wrong : SDC_INTRUDER_ERROR, 1);
	double *common = draw_common(&random_state, N);
	int c;

	for (c = 0; c < of->columns; c++)
	{
		int32_t *code =
			of->step > 0
				? draw_codes(&random_state, common, N, of->step)
				: rank_codes(draw_codes(&random_state, common, N, 1e-6));
		SdcIntruderSwap swap = {.method = of->method, .p = of->p};

		swap.person = know_codes(of, code);
		swap.record = codes_to_keys(mask_codes(of, code), N);
		sdc_intruder_add_rank_swap(intruder, &swap);
	}
	return intruder;
}

static SdcIntruderSuccess
attack(SdcIntruder *intruder, int32_t room, bool exchanges)
{
	SdcIntruderPrior prior = {1, true, NULL, SDC_MATCH_BUDGET, 100};
	SdcIntruderCandidates *found =
		search_all(intruder, NULL, N, room, SDC_INTRUDER_DEPTH, false);
	SdcIntruderNamed *named = sdc_intruder_named_create(unit_host(), intruder);
	SdcIntruderAnswer *answer;
	int32_t truth[N];
	SdcIntruderSuccess success;
	int32_t i;

	if (exchanges)
		use_exchanges(intruder, named, found);
	answer = sdc_intruder_answer(unit_host(), intruder, found, &prior);
	for (i = 0; i < N; i++)
		truth[i] = i;
	sdc_intruder_success(found, answer, truth, NULL, &success);
	sdc_intruder_answer_release(unit_host(), answer);
	sdc_intruder_candidates_release(unit_host(), found);
	sdc_intruder_named_release(unit_host(), named);
	return success;
}

/* How many of a few persons, each searched for alone and with a short list,
 * have their record on it first: some with long lists have named others
 * before, or not. */
static int32_t
attack_few(SdcIntruder *intruder, bool before)
{
	SdcIntruderNamed *named = sdc_intruder_named_create(unit_host(), intruder);
	SdcIntruderCandidates *found;
	int32_t others[FEW];
	int32_t who[FEW];
	int32_t right = 0;
	int32_t i;

	for (i = 0; i < FEW; i++)
	{
		others[i] = i * (N / FEW);
		who[i] = others[i] + 1;
	}
	if (before)
	{
		found =
			search_all(intruder, others, FEW, 512, SDC_INTRUDER_DEPTH, false);
		named->others = true;
		use_exchanges(intruder, named, found);
		named->others = false;
		sdc_intruder_candidates_release(unit_host(), found);
	}
	for (i = 0; i < FEW; i++)
	{
		found = search_all(intruder, who + i, 1, 4, SDC_INTRUDER_DEPTH, false);
		use_exchanges(intruder, named, found);
		right += found->lists.first[1] > 0 &&
				 found->record[found->lists.column[0]] == found->person[0];
		sdc_intruder_candidates_release(unit_host(), found);
	}
	sdc_intruder_named_release(unit_host(), named);
	return right;
}

static void
check_few(void)
{
	SdcIntruder *intruder =
		make_table(&(Case){SDC_RANK_SWAP_CLASSIC, 2, 20, 0, 64, false});
	int32_t before = attack_few(intruder, true);
	int32_t alone = attack_few(intruder, false);

	unit_check(before >= 0.9 * FEW && alone <= 0.3 * FEW,
			   "few: %d of %d by whom others name, %d without them",
			   (int) before, FEW, (int) alone);
	unit_release_all();
}

/* At least so many percent must be found, and so many times what is without */
static void
check_case(const char *name, Case of, double percent, double times)
{
	SdcIntruder *intruder = make_table(&of);
	SdcIntruderSuccess without = attack(intruder, of.room, false);
	SdcIntruderSuccess with = attack(intruder, of.room, true);
	double said = with.said[SDC_INTRUDER_BELIEF];
	int32_t right = with.right[SDC_INTRUDER_BELIEF];

	unit_check(with.found >= N * percent / 100 &&
				   with.found >= without.found * times,
			   "%s: %d of %d with exchanges, %d without", name,
			   (int) with.found, N, (int) without.found);
	/* who was told a wrong rule cannot know it */
	unit_check(of.shifted || fabs(said - right) < 0.05 * N,
			   "%s: says %.0f, right %d", name, said, (int) right);
	unit_release_all();
}

int
main(void)
{
	unit_start("exchanges of rank swapping");
	sdc_random_seed(&random_state, 15, 1);
	check_case("classic", (Case){SDC_RANK_SWAP_CLASSIC, 4, 12, 0, 64, false},
			   99, 1.3);
	check_case("buckets", (Case){SDC_RANK_SWAP_BUCKETS, 4, 12, 0, 64, false},
			   99, 3);
	check_case("distribution",
			   (Case){SDC_RANK_SWAP_DISTRIBUTION, 4, 12, 0, 64, false}, 99, 3);
	check_case("two columns",
			   (Case){SDC_RANK_SWAP_CLASSIC, 2, 10, 0, 128, false}, 98, 10);
	check_case("short lists",
			   (Case){SDC_RANK_SWAP_CLASSIC, 4, 20, 0, 4, false}, 98, 3);
	check_case("few share a value",
			   (Case){SDC_RANK_SWAP_CLASSIC, 4, 10, 0.05, 64, false}, 60, 1.1);
	check_case("two columns, far",
			   (Case){SDC_RANK_SWAP_CLASSIC, 2, 40, 0, 512, false}, 98, 10);
	check_case("two columns, few share a value",
			   (Case){SDC_RANK_SWAP_CLASSIC, 2, 10, 0.005, 64, false}, 60, 5);
	check_few();
	check_case("some is wrong",
			   (Case){SDC_RANK_SWAP_CLASSIC, 3, 20, 0, 256, false, 0.05}, 85,
			   10);
	check_case("no exchanges",
			   (Case){SDC_RANK_SWAP_CLASSIC, 4, 12, 0, 64, true}, 0, 0.9);
	return unit_finish();
}
