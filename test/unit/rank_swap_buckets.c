/*
 * rank_swap_buckets.c
 *		The law of a partner where the buckets just ahead are used up, which
 *		whole swaps of few ranks hardly ever come to.
 */
#include "unit.h"

#include "kernel/mask/rank_swap.c"

#include "statistics.h"

#define W       10
#define BUCKETS 14
#define N       (W * BUCKETS)
#define DRAWS   40000

/* Rank 0 is left, and all ranks from a bucket on. */
static void
check_far(int bucket)
{
	SdcFreeSet set;
	double in_bucket[BUCKETS] = {0};
	double expected[BUCKETS];
	double in_first[W] = {0};
	double all = 0;
	SdcRandom random;
	int behind = 0;
	int32_t rank;
	int draw;
	int s;

	sdc_free_set_init(&set, unit_host(), N);
	for (rank = 1; rank < bucket * W; rank++)
		sdc_free_set_take(&set, rank);
	sdc_random_seed(&random, 17, (uint64_t) bucket);
	for (draw = 0; draw < DRAWS; draw++)
	{
		int32_t partner = draw_buckets(unit_host(), &set, 0, W, &random);

		if (partner < bucket * W || partner >= N)
		{
			behind++;
			continue;
		}
		in_bucket[partner / W]++;
		if (partner / W == bucket)
			in_first[partner % W]++;
	}
	for (s = bucket; s < BUCKETS; s++)
		all += ldexp(1.0, -s);
	for (s = 0; s < BUCKETS; s++)
		expected[s] = s < bucket ? 0 : DRAWS * ldexp(1.0, -s) / all;
	unit_check(behind == 0 && chi_square(in_bucket, expected, BUCKETS) <
								  chi_square_limit(BUCKETS - bucket - 1),
			   "%d used up: half of the rest goes into each bucket", bucket);
	unit_check(looks_uniform(in_first, W),
			   "and the ranks of the first are as likely");
	unit_release_all();
}

int
main(void)
{
	int bucket;

	unit_start("rank_swap_buckets");
	for (bucket = 1; bucket <= 11; bucket += 2)
		check_far(bucket);
	return unit_finish();
}
