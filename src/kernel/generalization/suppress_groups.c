/*
 * suppress_groups.c
 *		Local suppression: classes that are alike without some of the keys.
 *
 * The codes of a class are packed into 64 bits; a group is found by hashing
 * those that are kept.  Codes that need more bits are hashed one by one and
 * the hashes added up, so that those of suppressed keys can be taken out
 * again; two groups in 2^64 would then be taken for one, which the check that
 * follows every suppression finds.
 */
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/generalization/suppress_state.h"

#define NONE (-1)
#define FREE UINT64_MAX

static int32_t
class_code(const SdcSuppressState *state, int j, int32_t class)
{
	return state->frequency->code[j][state->classes->first[class]];
}

/* Gives each key its bits; the codes are 0 .. values, the last for NULL. */
static void
lay_out(SdcSuppressState *state)
{
	int used = 0;
	int j;

	for (j = 0; j < state->request->keys; j++)
	{
		uint32_t values = (uint32_t) state->frequency->values[j];
		int bits = 0;

		while (bits < 32 && values >> bits != 0)
			bits++;
		state->hashed = state->hashed || used + bits > 64;
		if (state->hashed)
			return;
		state->bits[j] = bits == 0 ? 0 : (UINT64_MAX >> (64 - bits)) << used;
		used += bits;
	}
}

static uint64_t
hash_code(int j, int32_t code)
{
	return sdc_random_mix(((uint64_t) j << 32 | (uint32_t) code) +
						  UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t
pack(const SdcSuppressState *state, int32_t class)
{
	uint64_t packed = 0;
	int j;

	for (j = 0; j < state->request->keys; j++)
	{
		int32_t code = class_code(state, j, class);

		if (state->hashed)
			packed += hash_code(j, code);
		else if (state->bits[j] != 0)
			packed |=
				(uint64_t) (code == SDC_CODE_NULL ? state->frequency->values[j]
												  : code)
				<< __builtin_ctzll(state->bits[j]);
	}
	return packed;
}

void
sdc_suppress_pack(SdcSuppressState *state)
{
	SdcHost *host = state->host;
	int32_t n = state->classes->classes;
	size_t slots = 2;
	int32_t c;
	int j;

	lay_out(state);
	state->packed = sdc_new(host, uint64_t, n);
	state->nulls = sdc_new(host, uint64_t, n);
	for (c = 0; c < n; c++)
	{
		sdc_suppress_poll(state, c);
		state->packed[c] = pack(state, c);
		state->nulls[c] = 0;
		for (j = 0; j < state->request->keys; j++)
			if (class_code(state, j, c) == SDC_CODE_NULL)
				state->nulls[c] |= UINT64_C(1) << j;
		state->any_nulls = state->any_nulls || state->nulls[c] != 0;
	}
	while (slots < 2 * (size_t) n)
		slots *= 2;
	state->slot = sdc_new(host, int32_t, slots);
	state->group_key = sdc_new(host, uint64_t, n);
	state->sum = sdc_new(host, int64_t, n);
}

void
sdc_suppress_groups_start(SdcSuppressState *state, uint64_t suppressed,
						  int32_t most)
{
	int bits = 1;
	int j;

	while ((size_t) 1 << bits < 2 * (size_t) most)
		bits++;
	memset(state->slot, NONE, sizeof(int32_t) << bits);
	state->shift = 64 - bits;
	state->groups = 0;
	state->suppressed = suppressed;
	state->keep = 0;
	for (j = 0; j < state->request->keys; j++)
		if ((suppressed >> j & 1) == 0)
			state->keep |= state->bits[j];
}

/* What tells groups apart. */
static inline uint64_t
key_of(const SdcSuppressState *state, int32_t class)
{
	uint64_t key = state->packed[class];
	uint64_t left;

	if (!state->hashed)
		return key & state->keep;
	for (left = state->suppressed; left != 0; left &= left - 1)
	{
		int j = __builtin_ctzll(left);

		key -= hash_code(j, class_code(state, j, class));
	}
	return key;
}

/* The slot of a key, or the empty one where it belongs. */
static inline size_t
find_slot(const SdcSuppressState *state, uint64_t key)
{
	size_t last = ((size_t) 1 << (64 - state->shift)) - 1;
	size_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> state->shift;

	while (state->slot[at] != NONE && state->group_key[state->slot[at]] != key)
		at = (at + 1) & last;
	return at;
}

int32_t
sdc_suppress_groups_add(SdcSuppressState *state, int32_t class)
{
	uint64_t key = key_of(state, class);
	size_t at = find_slot(state, key);

	if (state->slot[at] == NONE)
	{
		state->group_key[state->groups] = key;
		state->slot[at] = state->groups++;
	}
	return state->slot[at];
}

int32_t
sdc_suppress_groups_find(const SdcSuppressState *state, int32_t class)
{
	return state->slot[find_slot(state, key_of(state, class))];
}

void
sdc_suppress_values_begin(SdcSuppressState *state)
{
	SdcHost *host = state->host;
	size_t most = state->frequency->cells;
	size_t slots = 2;

	if (state->pairs == NULL)
	{
		while (slots < 2 * most)
			slots *= 2;
		state->pairs = sdc_new(host, uint64_t, slots);
		state->distinct = sdc_new(host, int32_t, state->classes->classes);
	}
	if (most / (size_t) state->request->l >= (size_t) state->groups)
		most = (size_t) state->groups * (size_t) state->request->l;
	for (slots = 2; slots < 2 * most; slots *= 2)
		;
	state->pair_slots = slots;
	memset(state->pairs, 0xff, sizeof(uint64_t) * slots);
	memset(state->distinct, 0, sizeof(int32_t) * (size_t) state->groups);
}

void
sdc_suppress_values_bring(SdcSuppressState *state, int sensitive,
						  int32_t class, int32_t group)
{
	const int32_t *code = state->frequency->code[sensitive];
	int32_t cell;

	for (cell = state->classes->first[class];
		 cell < state->classes->first[class + 1] &&
		 state->distinct[group] < state->request->l;
		 cell++)
	{
		uint64_t pair = (uint64_t) group << 32 | (uint32_t) (code[cell] + 1);
		size_t at = sdc_random_mix(pair) & (state->pair_slots - 1);

		while (state->pairs[at] != FREE && state->pairs[at] != pair)
			at = (at + 1) & (state->pair_slots - 1);
		if (state->pairs[at] == pair)
			continue;
		state->pairs[at] = pair;
		state->distinct[group]++;
	}
}

void
sdc_suppress_values_end(SdcSuppressState *state)
{
	int32_t g;

	for (g = 0; g < state->groups; g++)
		state->diverse[g] += state->distinct[g] >= state->request->l;
}

/* Counts different codes up to l; those of a class are mostly few. */
static bool
has_values(const int32_t *code, int32_t begin, int32_t end, int64_t l,
		   int32_t *seen)
{
	int64_t count = 0;
	int64_t i;
	int32_t cell;

	for (cell = begin; cell < end && count < l; cell++)
	{
		for (i = count; i > 0 && seen[i - 1] != code[cell]; i--)
			;
		if (i == 0)
			seen[count++] = code[cell];
	}
	return count >= l;
}

bool
sdc_suppress_is_diverse(const SdcFrequency *frequency, int first,
						int32_t begin, int32_t end, int64_t l, int32_t *seen)
{
	int j;

	if (l <= 1)
		return true;
	for (j = first; j < frequency->columns; j++)
		if (!has_values(frequency->code[j], begin, end, l, seen))
			return false;
	return true;
}
