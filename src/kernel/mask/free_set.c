/*
 * free_set.c
 *		A shrinking set of integers from which one in a range can be drawn.
 *
 * Rejection and counting give the same distribution: a draw that fails keeps
 * the conditional law uniform over the members of the range.
 */
#include "kernel/mask/free_set.h"

#include <string.h>

/* Random tries before the members of a long range are counted. */
#define TRIES 40

/* A range this short is counted at once: it touches three words at most. */
#define SHORT_RANGE 128

static int32_t
word_count(int32_t n)
{
	return (int32_t) (((int64_t) n + 63) / 64);
}

void
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

		set->count[i] += 64 - __builtin_popcountll(set->taken[i - 1]);
		if (parent <= words)
			set->count[parent] += set->count[i];
	}
}

void
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
	int32_t members = __builtin_popcountll(~set->taken[number >> 6] & before);
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
		total += __builtin_popcountll(members_of_word(set, word, low, high));
	if (total == 0)
		return -1;
	below = (int32_t) sdc_random_below(random, total);
	for (word = low >> 6;; word++)
	{
		uint64_t members = members_of_word(set, word, low, high);
		int32_t here = __builtin_popcountll(members);

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

int32_t
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

int32_t
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
