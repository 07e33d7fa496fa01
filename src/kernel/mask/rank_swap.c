/*
 * rank_swap.c
 *		Rank swapping and shuffling: which rank each rank takes its value from.
 *
 * All three methods walk the ranks upwards and pair each unpaired rank with a
 * partner drawn from the ranks that are still free; they differ in where they
 * look.  The sources forget to mark both ranks of a pair, and then a value can
 * move further than the window; here every rank is paired at most once.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/mask/rank_swap.h"

const char *const sdc_rank_swap_words[] = {"classic", "buckets",
										   "distribution", NULL};

/* ----------------------------------------------------------------------
 * A shrinking set of integers from which one in a range can be drawn.
 *
 * Rejection and counting give the same distribution: a draw that fails keeps
 * the conditional law uniform over the members of the range.
 * ----------------------------------------------------------------------
 */

/* Random tries before the members of a long range are counted. */
#define TRIES 40

/* A range this short is counted at once: it touches three words at most. */
#define SHORT_RANGE 128

static int32_t
word_count(int32_t n)
{
	return (int32_t) (((int64_t) n + 63) / 64);
}

/* Bits of a word, side by side (Wegner 1960): the least processor that is
 * compiled for has no instruction for it, so the compiler calls a function. */
static inline int32_t
count_bits(uint64_t word)
{
	word -= word >> 1 & UINT64_C(0x5555555555555555);
	word = (word & UINT64_C(0x3333333333333333)) +
		   (word >> 2 & UINT64_C(0x3333333333333333));
	word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (int32_t) (word * UINT64_C(0x0101010101010101) >> 56);
}

static void
sdc_free_set_init(SdcFreeSet *set, SdcHost *host, int32_t n)
{
	int32_t words = word_count(n);

	set->n = n;
	set->count = NULL;
	set->taken = sdc_new(host, uint64_t, words + 1);
	memset(set->taken, 0, (words + 1) * sizeof(uint64_t));
	/* bits past the end never count as members */
	if (n % 64 != 0)
		set->taken[words - 1] = UINT64_MAX << (n % 64);
}

/* Makes the Fenwick tree of the members that are left; O(n / 64). */
static void
make_counts(SdcFreeSet *set, SdcHost *host)
{
	int32_t words = word_count(set->n);
	int32_t i;

	set->count = sdc_new(host, int32_t, words + 1);
	memset(set->count, 0, (words + 1) * sizeof(int32_t));
	for (i = 1; i <= words; i++)
	{
		int32_t parent = i + (i & -i);

		set->count[i] += 64 - count_bits(set->taken[i - 1]);
		if (parent <= words)
			set->count[parent] += set->count[i];
	}
}

/* Takes a member out. */
static void
sdc_free_set_take(SdcFreeSet *set, int32_t number)
{
	set->taken[number >> 6] |= UINT64_C(1) << (number & 63);
	if (set->count != NULL)
	{
		int32_t words = word_count(set->n);
		int32_t i;

		for (i = (number >> 6) + 1; i <= words; i += i & -i)
			set->count[i]--;
	}
}

/* How many members are smaller than number. */
static int32_t
members_below(const SdcFreeSet *set, int32_t number)
{
	uint64_t before = (UINT64_C(1) << (number & 63)) - 1;
	int32_t members = count_bits(~set->taken[number >> 6] & before);
	int32_t i;

	for (i = number >> 6; i > 0; i -= i & -i)
		members += set->count[i];
	return members;
}

/* The member with exactly that many members below it. */
static int32_t
member_at(const SdcFreeSet *set, int32_t below)
{
	int32_t words = word_count(set->n);
	int32_t word = 0;
	int32_t step = 1;
	uint64_t members;

	while (step <= words / 2)
		step *= 2;
	for (; step > 0; step /= 2)
		if (word + step <= words && set->count[word + step] <= below)
		{
			word += step;
			below -= set->count[word];
		}
	members = ~set->taken[word];
	for (; below > 0; below--)
		members &= members - 1;
	return word * 64 + __builtin_ctzll(members);
}

/* The members of word number word that lie in low .. high. */
static uint64_t
members_of_word(const SdcFreeSet *set, int32_t word, int32_t low, int32_t high)
{
	uint64_t members = ~set->taken[word];

	if (word == low >> 6)
		members &= UINT64_MAX << (low & 63);
	if (word == high >> 6)
		members &= UINT64_MAX >> (63 - (high & 63));
	return members;
}

/* As sdc_free_set_draw, by counting the words of the range. */
static int32_t
draw_short(const SdcFreeSet *set, int32_t low, int32_t high, SdcRandom *random)
{
	int32_t total = 0;
	int32_t below;
	int32_t word;

	for (word = low >> 6; word <= high >> 6; word++)
		total += count_bits(members_of_word(set, word, low, high));
	if (total == 0)
		return -1;
	below = (int32_t) sdc_random_below(random, total);
	for (word = low >> 6;; word++)
	{
		uint64_t members = members_of_word(set, word, low, high);
		int32_t here = count_bits(members);

		if (below >= here)
		{
			below -= here;
			continue;
		}
		for (; below > 0; below--)
			members &= members - 1;
		return word * 64 + __builtin_ctzll(members);
	}
}

/* A member of low .. high drawn uniformly, or -1 when there is none. */
static int32_t
sdc_free_set_draw(SdcFreeSet *set, SdcHost *host, int32_t low, int32_t high,
				  SdcRandom *random)
{
	int32_t first;
	int32_t members;
	int i;

	if (high >= set->n)
		high = set->n - 1;
	if (low > high)
		return -1;
	if (high - low < SHORT_RANGE)
		return draw_short(set, low, high, random);
	for (i = 0; i < TRIES; i++)
	{
		int32_t number = low + (int32_t) sdc_random_below(
								   random, (uint64_t) (high - low) + 1);

		if (sdc_free_set_has(set, number))
			return number;
	}
	if (set->count == NULL)
		make_counts(set, host);
	first = members_below(set, low);
	members = members_below(set, high) + sdc_free_set_has(set, high) - first;
	if (members == 0)
		return -1;
	return member_at(set, first + (int32_t) sdc_random_below(random, members));
}

/* The smallest member that is at least low, or -1. */
static int32_t
sdc_free_set_next(SdcFreeSet *set, SdcHost *host, int32_t low)
{
	int32_t below;

	if (low >= set->n)
		return -1;
	if (set->count == NULL)
		make_counts(set, host);
	below = members_below(set, low);
	if (members_below(set, set->n - 1) + sdc_free_set_has(set, set->n - 1) <=
		below)
		return -1;
	return member_at(set, below);
}

/* ----------------------------------------------------------------------
 * Rank swapping and shuffling: which rank each rank takes its value from.
 * ----------------------------------------------------------------------
 */

/* Draws of the distribution method before a rank is left where it is. */
#define NORMAL_DRAWS 100

/* Draws of a bucket before the buckets with free ranks are looked up. */
#define BUCKET_DRAWS 64

int32_t
sdc_rank_swap_window(double p, int32_t n)
{
	return (int32_t) floor(p * n / 100);
}

static int32_t
draw_classic(SdcHost *host, SdcFreeSet *set, int32_t rank, int32_t w,
			 SdcRandom *random)
{
	int64_t high = (int64_t) rank + w;

	if (high >= set->n)
		high = set->n - 1;
	return sdc_free_set_draw(set, host, rank + 1, (int32_t) high, random);
}

/*
 * A free partner in a bucket, or -1.  The buckets of w ranks start at 0; only
 * ranks behind the present one are looked at.
 */
static int32_t
draw_in_bucket(SdcHost *host, SdcFreeSet *set, int32_t rank, int32_t w,
			   int64_t bucket, SdcRandom *random)
{
	int64_t low = bucket * w;
	int64_t high = low + w - 1;

	if (low <= rank)
		low = rank + 1;
	if (high >= set->n)
		high = set->n - 1;
	return sdc_free_set_draw(set, host, (int32_t) low, (int32_t) high, random);
}

/*
 * A partner from bucket base + t, Pr[t] = 2^-(t + 1): t is the number of zeros
 * before the first one bit.  A bucket beyond the end or without a free rank
 * is drawn again, which restricts the law to the others.  -1 when every draw
 * failed.
 */
static int32_t
draw_geometric(SdcHost *host, SdcFreeSet *set, int32_t rank, int32_t w,
			   int64_t base, SdcRandom *random)
{
	int64_t buckets = ((int64_t) set->n + w - 1) / w;
	uint64_t empty = 0; /* buckets ahead that are known to be */
	int i;

	for (i = 0; i < BUCKET_DRAWS; i++)
	{
		uint64_t bits = sdc_random_bits(random);
		int ahead = bits == 0 ? 63 : __builtin_ctzll(bits);
		int32_t partner;

		if (base + ahead >= buckets || empty >> ahead & 1)
			continue;
		partner = draw_in_bucket(host, set, rank, w, base + ahead, random);
		if (partner >= 0)
			return partner;
		empty |= UINT64_C(1) << ahead;
	}
	return -1;
}

/*
 * The buckets just ahead may all be used up.  The law has no memory, so the
 * draw may then start at the first bucket that still has a free rank.
 */
static int32_t
draw_buckets(SdcHost *host, SdcFreeSet *set, int32_t rank, int32_t w,
			 SdcRandom *random)
{
	int32_t partner = draw_geometric(host, set, rank, w, rank / w, random);
	int32_t next;

	if (partner >= 0)
		return partner;
	next = sdc_free_set_next(set, host, rank + 1);
	if (next < 0)
		return -1;
	partner = draw_geometric(host, set, rank, w, next / w, random);
	return partner >= 0 ? partner : next;
}

static int32_t
draw_distribution(SdcFreeSet *set, int32_t rank, int32_t w, SdcRandom *random)
{
	int i;

	for (i = 0; i < NORMAL_DRAWS; i++)
	{
		double shift = 0.5 * w + 0.5 * w * sdc_random_normal(random);
		double partner = rank + rint(shift);

		if (partner >= 0 && partner < set->n && partner != rank &&
			sdc_free_set_has(set, (int32_t) partner))
			return (int32_t) partner;
	}
	return -1;
}

/* The rank that an unpaired rank is paired with, or -1. */
static int32_t
draw_partner(SdcHost *host, SdcRankSwapMethod method, SdcFreeSet *set,
			 int32_t rank, int32_t w, SdcRandom *random)
{
	if (w == 0)
		return -1;
	if (method == SDC_RANK_SWAP_CLASSIC)
		return draw_classic(host, set, rank, w, random);
	if (method == SDC_RANK_SWAP_BUCKETS)
		return draw_buckets(host, set, rank, w, random);
	return draw_distribution(set, rank, w, random);
}

/* Tells of the ranks that are still free: nobody has drawn them. */
static void
tell_free(SdcHost *host, const SdcFreeSet *set, SdcRankMove move, void *arg)
{
	int32_t word;

	for (word = 0; word < word_count(set->n); word++)
	{
		uint64_t members = ~set->taken[word];

		if (word % SDC_POLL_STEPS == 0)
			host->poll(host, set->n, set->n);
		for (; members != 0; members &= members - 1)
		{
			int32_t rank = word * 64 + __builtin_ctzll(members);

			move(arg, rank, rank);
		}
	}
}

void
sdc_rank_swap_each(SdcHost *host, SdcRankSwapMethod method, int32_t n,
				   int32_t w, SdcRandom *random, SdcRankMove move, void *arg)
{
	SdcFreeSet set;
	int32_t rank;

	host->stage(host, "swapping");
	sdc_free_set_init(&set, host, n);
	for (rank = 0; rank < n; rank++)
	{
		int32_t partner;

		if (rank % 8192 == 0)
			host->poll(host, rank, n);
		if (!sdc_free_set_has(&set, rank))
			continue;
		partner = draw_partner(host, method, &set, rank, w, random);
		if (partner < 0)
			continue;
		sdc_free_set_take(&set, rank);
		sdc_free_set_take(&set, partner);
		move(arg, rank, partner);
		move(arg, partner, rank);
	}
	tell_free(host, &set, move, arg);
	host->release(host, set.taken);
	host->release(host, set.count);
}

/* Notes in an array where a rank takes its value from. */
static void
note_move(void *arg, int32_t rank, int32_t from)
{
	int32_t *noted = arg;

	noted[rank] = from;
}

void
sdc_rank_swap(SdcHost *host, SdcRankSwapMethod method, int32_t n, int32_t w,
			  SdcRandom *random, int32_t *from)
{
	sdc_rank_swap_each(host, method, n, w, random, note_move, from);
}

/* Ranks that are swapped for an estimate. */
#define KEPT_RANKS 1000000

double
sdc_rank_swap_kept(SdcHost *host, SdcRankSwapMethod method,
				   const double *value, int32_t n, int32_t w, uint64_t seed)
{
	int32_t *from = sdc_new(host, int32_t, (size_t) n + 1);
	int runs = n == 0 || KEPT_RANKS / n < 4 ? 4 : KEPT_RANKS / n;
	double mean = 0;
	double all = 0;
	double share = 0;
	SdcRandom random;
	int32_t i;
	int run;

	for (i = 0; i < n; i++)
		mean += (value[i] - mean) / (i + 1);
	for (i = 0; i < n; i++)
		all += (value[i] - mean) * (value[i] - mean);
	sdc_random_seed(&random, seed, (uint64_t) n);
	for (run = 0; run < runs && all > 0; run++)
	{
		double left = 0;

		sdc_rank_swap(host, method, n, w, &random, from);
		for (i = 0; i < n; i++)
			left += (value[i] - mean) * (value[from[i]] - mean);
		share += (left / all - share) / (run + 1);
	}
	host->release(host, from);
	return all > 0 ? share : 1;
}

void
sdc_rank_shuffle(SdcHost *host, int32_t n, SdcRandom *random, int32_t *from)
{
	int32_t i;

	host->stage(host, "shuffling");
	for (i = 0; i < n; i++)
	{
		int32_t j = (int32_t) sdc_random_below(random, (uint64_t) i + 1);

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, n);
		from[i] = from[j];
		from[j] = i;
	}
}

/* ----------------------------------------------------------------------
 * The same for more ranks than there is memory for.
 * ----------------------------------------------------------------------
 */

/* Rounds of the permutation of a stripe. */
#define ROUNDS 6

SdcRankLayers
sdc_rank_layers_shape(int64_t ranks, int32_t room)
{
	SdcRankLayers layers = {ranks, 1, (int32_t) ranks, 1, NULL, NULL};

	if (ranks <= room)
		return layers;
	layers.length = (ranks + SDC_RANK_STRIPES - 1) / SDC_RANK_STRIPES;
	layers.stripes = (int32_t) ((ranks + layers.length - 1) / layers.length);
	layers.layers = room / SDC_RANK_STRIPES;
	if (layers.layers > layers.length)
		layers.layers = (int32_t) layers.length;
	return layers;
}

int32_t
sdc_rank_layers_window(const SdcRankLayers *layers, double p)
{
	double ranks = floor(p * (double) layers->ranks / 100);
	double stripes = floor((ranks + 1) / (double) layers->length) - 1;

	if (stripes < 0)
		return 0;
	return stripes < layers->stripes ? (int32_t) stripes : layers->stripes;
}

/* A round: bits that a half and the key say. */
static uint64_t
round_bits(uint64_t key, int round, uint64_t half)
{
	return sdc_random_mix(
		sdc_random_mix(key + (uint64_t) round * UINT64_C(0x9E3779B97F4A7C15)) ^
		half);
}

/*
 * A permutation of 0 .. length - 1 that the key chooses, or its inverse: a
 * Feistel network that adds in a rectangle about as wide as tall, walked until
 * it comes back below length.
 */
static int64_t
permute(uint64_t key, int64_t length, int64_t number, bool inverse)
{
	uint64_t side[2] = {(uint64_t) ceil(sqrt((double) length))};
	uint64_t x = (uint64_t) number;

	side[1] = ((uint64_t) length + side[0] - 1) / side[0];
	do
	{
		uint64_t half[2] = {x / side[1], x % side[1]};
		int i;

		for (i = 0; i < ROUNDS; i++)
		{
			int round = inverse ? ROUNDS - 1 - i : i;
			int own = round % 2;
			uint64_t step =
				(round_bits(key, round, half[1 - own]) >> 32) * side[own] >>
				32;

			half[own] += inverse ? side[own] - step : step;
			if (half[own] >= side[own])
				half[own] -= side[own];
		}
		x = half[0] * side[1] + half[1];
	} while (x >= (uint64_t) length);
	return (int64_t) x;
}

static int64_t
stripe_length(const SdcRankLayers *layers, int32_t stripe)
{
	return stripe < layers->stripes - 1
			   ? layers->length
			   : layers->ranks - layers->length * (layers->stripes - 1);
}

/* The stripe that a stripe takes its value of a layer from. */
static int32_t
stripe_from(const SdcRankLayers *layers, int64_t layer, int32_t stripe)
{
	const int32_t *from =
		layers->from + layer % layers->layers * layers->stripes;
	int32_t other = from[stripe];

	/* the last one may have no rank in the layer, and is passed by */
	if (layer >= stripe_length(layers, other))
		other = from[other];
	return layer >= stripe_length(layers, other) ? stripe : other;
}

int64_t
sdc_rank_layers_from(const SdcRankLayers *layers, int64_t rank)
{
	int32_t stripe = (int32_t) (rank / layers->length);
	int32_t other;
	int64_t layer;

	if (layers->length == 1)
		return layers->from[rank];
	layer = permute(layers->key[stripe], stripe_length(layers, stripe),
					rank % layers->length, false);
	other = stripe_from(layers, layer, stripe);
	return other * layers->length + permute(layers->key[other],
											stripe_length(layers, other),
											layer, true);
}
