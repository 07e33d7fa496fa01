/*
 * suppress_settle.c
 *		Local suppression: which records of a group help the others.
 *
 * Let T records of a group be suppressed.  A class that keeps its values and
 * had f records like it then has f + T, less those of its own among the T.  So
 * the classes with f + T < k must all be among the T; the least T for which
 * they fit, and for which the rest of T is found in other classes, is taken.
 *
 * With l there are two ways: classes that lack values are suppressed; or such
 * whole classes are that have l values together, which everyone then is like.
 */
#include <string.h>

#include "kernel/generalization/suppress_state.h"

/* A group being settled. */
typedef struct Group
{
	SdcSuppressState *state;
	const int64_t *alike;
	const int32_t *class;
	int32_t count;
} Group;

/* What a choice of T is made of. */
typedef struct Choice
{
	int64_t total; /* T */
	int64_t sum;   /* records of the first whole classes */
	int32_t whole; /* these classes */
} Choice;

/*
 * Finds amount records in the classes from first on that keep k records like
 * them if total records of the group are suppressed; the classes with most
 * like them first.  Suppresses them if apply; else says whether there are so
 * many.
 */
static bool
fill(const Group *group, int32_t first, int64_t total, int64_t amount,
	 bool apply)
{
	SdcSuppressState *state = group->state;
	int32_t i;

	for (i = group->count - 1; i >= first && amount > 0; i--)
	{
		int32_t class = group->class[i];
		int64_t size = state->classes->size[class];
		int64_t part = size < amount ? size : amount;

		if (part < size &&
			group->alike[class] + total - part < state->request->k)
			continue;
		amount -= part;
		if (apply)
			sdc_suppress_add(state, class, state->suppressed, part);
	}
	return amount == 0;
}

/* The least T, with at least the first forced classes among it. */
static Choice
choose(const Group *group, int32_t forced)
{
	const SdcSuppressState *state = group->state;
	Choice best = {INT64_MAX, 0, 0};
	int64_t sum = 0; /* records before i */
	int32_t i;

	for (i = 0; i <= group->count && sum < best.total; i++)
	{
		int64_t total = sum;
		int64_t lack;

		if (i < group->count)
		{
			lack = state->request->k - group->alike[group->class[i]];
			total = lack > sum ? lack : sum;
		}
		if (i >= forced && total < best.total &&
			fill(group, i, total, total - sum, false))
			best = (Choice){total, sum, i};
		if (i < group->count)
			sum += state->classes->size[group->class[i]];
	}
	return best;
}

int64_t
sdc_suppress_settle(SdcSuppressState *state, const int64_t *alike,
					const int32_t *class, int32_t count, int32_t forced,
					bool apply)
{
	Group group = {state, alike, class, count};
	Choice choice = choose(&group, forced);
	int32_t i;

	if (!apply)
		return choice.total;
	for (i = 0; i < choice.whole; i++)
		sdc_suppress_add(state, class[i], state -> suppressed,
						 state -> classes -> size[class[i]]);
	fill(&group, choice.whole, choice.total, choice.total - choice.sum, true);
	return choice.total;
}

/* Takes the values of a class in; were there new ones that are needed? */
static bool
take_values(SdcSuppressState *state, int32_t class)
{
	int64_t l = state->request->l;
	bool any = false;
	int j;

	for (j = state->request->keys; j < state->frequency->columns; j++)
	{
		const int32_t *code = state->frequency->code[j];
		int64_t *count = &state->seen_count[j - state->request->keys];
		int32_t *seen = state->seen + (j - state->request->keys) * l;
		int32_t cell;

		for (cell = state->classes->first[class];
			 cell < state->classes->first[class + 1] && *count < l; cell++)
		{
			int64_t i = *count;

			while (i > 0 && seen[i - 1] != code[cell])
				i--;
			if (i > 0)
				continue;
			seen[(*count)++] = code[cell];
			any = true;
		}
	}
	return any;
}

static bool
has_values(const SdcSuppressState *state)
{
	int sensitive = state->frequency->columns - state->request->keys;
	int j;

	for (j = 0; j < sensitive; j++)
		if (state->seen_count[j] < state->request->l)
			return false;
	return true;
}

/*
 * Puts classes that have l values together first; returns how many these are,
 * or -1 if all together have not.
 */
static int32_t
arrange_givers(SdcSuppressState *state, const int32_t *class, int32_t count,
			   int32_t *arranged)
{
	int sensitive = state->frequency->columns - state->request->keys;
	int32_t givers = 0;
	int32_t others = 0;
	int32_t i;

	memset(state->seen_count, 0, sizeof(int64_t) * (size_t) sensitive);
	for (i = 0; i < count; i++)
		if (take_values(state, class[i]))
			arranged[givers++] = class[i];
	if (!has_values(state))
		return -1;
	/* givers are in the same order, so that one walk tells the others */
	for (i = 0; i < count; i++)
		if (i - others < givers && arranged[i - others] == class[i])
			continue;
		else
			arranged[givers + others++] = class[i];
	return givers;
}

/* Puts classes that lack values first, and returns how many these are. */
static int32_t
arrange_lacking(const bool *diverse, const int32_t *class, int32_t count,
				int32_t *arranged)
{
	int32_t lacking = 0;
	int32_t others = 0;
	int32_t i;

	for (i = 0; i < count; i++)
		lacking += !diverse[class[i]];
	for (i = 0; i < count; i++)
		if (diverse[class[i]])
			arranged[lacking + others++] = class[i];
		else
			arranged[i - others] = class[i];
	return lacking;
}

int64_t
sdc_suppress_settle_values(SdcSuppressState *state, const int64_t *alike,
						   const bool *diverse, const int32_t *class,
						   int32_t count, bool apply)
{
	int32_t *arranged = state->arranged;
	int32_t *others = state->arranged + count;
	int32_t forced = arrange_lacking(diverse, class, count, arranged);
	int32_t givers = arrange_givers(state, class, count, others);
	int64_t least =
		sdc_suppress_settle(state, alike, arranged, count, forced, false);
	int64_t total = INT64_MAX;

	if (givers >= 0)
		total =
			sdc_suppress_settle(state, alike, others, count, givers, false);
	if (total < least)
	{
		least = total;
		arranged = others;
		forced = givers;
	}
	if (apply)
		sdc_suppress_settle(state, alike, arranged, count, forced, true);
	return least;
}
