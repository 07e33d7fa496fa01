/*
 * frontier_search.c
 *		The least lossy rules that satisfy the constraints of a policy.
 *
 * First all rules together are made twice as strong until the constraints
 * hold, or half as strong while they do, and the border between is narrowed
 * down.  Then, while that helps, single rules are weakened as far as the
 * constraints let them, and the variants of each rule are tried, a little
 * stronger where they do not satisfy.  Nothing is taken for granted: what is
 * said to pass was masked and attacked.  It need not be the best there is.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "pg/frontier/frontier_knob.h"
#include "pg/frontier/frontier_policy.h"
#include "pg/frontier/frontier_rules.h"
#include "pg/frontier/frontier_search.h"

/* All rules together are made stronger or weaker 2^6 times at the most. */
#define FURTHEST (6 * SDC_FRONTIER_OCTAVE)

/* Where each knob stands. */
typedef struct Setting
{
	int *offset;
	int *variant;
} Setting;

typedef struct Search
{
	SdcPgHost *host;
	SdcFrontier frontier;
	SdcFrontierKnobs knobs;
	TimestampTz end;
	bool spent; /* is the budget? */
	int count;
	SdcFrontierPoint *point[SDC_FRONTIER_CANDIDATES];
	Setting best; /* or, while nothing passes, the strongest */
	const SdcFrontierPoint *best_point; /* NULL: nothing passes */
} Search;

static Setting
new_setting(const Search *search)
{
	Setting setting;
	int i;

	setting.offset = palloc0(sizeof(int) * (search->knobs.count + 1));
	setting.variant = palloc0(sizeof(int) * (search->knobs.count + 1));
	for (i = 0; i < search->knobs.count; i++)
		setting.variant[i] = search->knobs.knob[i].variant;
	return setting;
}

static void
copy_setting(const Search *search, Setting *to, const Setting *from)
{
	memcpy(to->offset, from->offset, sizeof(int) * search->knobs.count);
	memcpy(to->variant, from->variant, sizeof(int) * search->knobs.count);
}

static SdcFrontierPoint *
find_tried(const Search *search, Jsonb *rules)
{
	int i;

	for (i = 0; i < search->count; i++)
		if (compareJsonbContainers(&search->point[i]->rules->root,
								   &rules->root) == 0)
			return search->point[i];
	return NULL;
}

/* Looks at the clock; also at how many there are. */
static bool
is_over(Search *search)
{
	if (search->count == SDC_FRONTIER_CANDIDATES ||
		GetCurrentTimestamp() >= search->end)
		search->spent = true;
	return search->spent;
}

/* Measures new rules; NULL when the budget is spent before. */
static SdcFrontierPoint *
measure(Search *search, Jsonb *rules)
{
	SdcFrontierPoint *point;
	bool first = search->count == 0;

	if (!first && is_over(search))
		return NULL;
	point = sdcpg_frontier_point(&search->frontier, search->count + 1, rules);
	while (point->repeats < search->frontier.repeats && point->refusal == NULL)
	{
		if (!first && is_over(search))
			return NULL;
		sdcpg_frontier_repeat(&search->frontier, point);
		search->host->kernel.poll(&search->host->kernel, search->count, 0);
	}
	search->point[search->count++] = point;
	return point;
}

/* Tries a setting, unless the budget is spent: NULL. */
static const SdcFrontierPoint *
try_setting(Search *search, const Setting *setting)
{
	Jsonb *rules = sdcpg_frontier_knobs_turn(&search->knobs, setting->offset,
											 setting->variant);
	const SdcFrontierPoint *point = find_tried(search, rules);

	return point != NULL ? point : measure(search, rules);
}

static bool
holds(const SdcFrontierPoint *point)
{
	return point != NULL && sdcpg_frontier_holds(point);
}

/* Keeps a setting when it is better than the best so far; true if so. */
static bool
is_better(Search *search, const Setting *setting,
		  const SdcFrontierPoint *point)
{
	if (!holds(point) || (search->best_point != NULL &&
						  sdcpg_frontier_loss(point) >=
							  sdcpg_frontier_loss(search->best_point)))
		return false;
	search->best_point = point;
	copy_setting(search, &search->best, setting);
	return true;
}

/* Tries all rules with one offset; NULL when the budget is spent. */
static const SdcFrontierPoint *
try_together(Search *search, int offset)
{
	Setting setting = new_setting(search);
	const SdcFrontierPoint *point;
	int i;

	for (i = 0; i < search->knobs.count; i++)
		setting.offset[i] = offset;
	point = try_setting(search, &setting);
	(void) is_better(search, &setting, point);
	if (search->best_point == NULL && point != NULL && point->refusal == NULL)
		copy_setting(search, &search->best, &setting);
	return point;
}

/* Halves what lies between two offsets, one of which holds. */
static void
narrow_between(Search *search, int inside, int outside, bool first)
{
	while (!search->spent && abs(outside - inside) > 1)
	{
		int middle = (inside + outside) / 2;

		if (holds(try_together(search, middle)) == first)
			inside = middle;
		else
			outside = middle;
	}
}

/*
 * All rules together: the border between what holds and what does not.  A step
 * to what cannot be applied is halved.
 */
static void
narrow_together(Search *search)
{
	bool first = holds(try_together(search, 0));
	int step = first ? -SDC_FRONTIER_OCTAVE : SDC_FRONTIER_OCTAVE;
	int inside = 0;

	while (!search->spent && step != 0 && abs(inside) < FURTHEST)
	{
		int before = search->count;
		const SdcFrontierPoint *point = try_together(search, inside + step);

		if (point != NULL && point->refusal != NULL)
			step /= 2;
		else if (holds(point) != first)
		{
			narrow_between(search, inside, inside + step, first);
			break;
		}
		else if (search->count == before)
			break;
		else
			inside += step;
	}
}

/* Weakens one rule as far as the constraints let it; true if that helps. */
static bool
weaken(Search *search, int i)
{
	Setting setting = new_setting(search);
	bool helps = false;
	int step = SDC_FRONTIER_OCTAVE;

	if (search->knobs.knob[i].strength == NULL)
		return false;
	while (step > 0 && !search->spent)
	{
		copy_setting(search, &setting, &search->best);
		setting.offset[i] -= step;
		if (setting.offset[i] >= -FURTHEST &&
			is_better(search, &setting, try_setting(search, &setting)))
			helps = true;
		else
			step /= 2;
	}
	return helps;
}

/* Tries the variants of one rule; true if one helps. */
static bool
vary(Search *search, int i)
{
	const SdcFrontierKnob *knob = &search->knobs.knob[i];
	Setting setting = new_setting(search);
	Setting start = new_setting(search);
	const SdcFrontierPoint *point;
	bool helps = false;
	int variant;
	int step;

	copy_setting(search, &start, &search->best);
	for (variant = 0;
		 knob->variants != NULL && knob->variants[variant] != NULL; variant++)
		for (step = 0; step <= SDC_FRONTIER_OCTAVE &&
					   variant != start.variant[i] && !search->spent;
			 step += SDC_FRONTIER_OCTAVE / 2)
		{
			copy_setting(search, &setting, &start);
			setting.variant[i] = variant;
			setting.offset[i] += step;
			point = try_setting(search, &setting);
			if (is_better(search, &setting, point))
				helps = true;
			if (holds(point) || (point != NULL && point->refusal != NULL))
				break;
		}
	return helps;
}

/* Rule by rule, until nothing helps any more. */
static void
improve(Search *search)
{
	bool helps = true;
	int i;

	while (helps && !search->spent)
	{
		helps = false;
		for (i = 0; search->best_point != NULL && i < search->knobs.count; i++)
			helps |= weaken(search, i);
		for (i = 0; i < search->knobs.count; i++)
			helps |= vary(search, i);
	}
}

static char *
ending(const Search *search, double seconds)
{
	char *why = "nothing better was left to try";

	if (search->spent && search->count < SDC_FRONTIER_CANDIDATES)
		why = psprintf("the budget of %g seconds was spent", seconds);
	else if (search->spent)
		why = "no more are tried in one call";
	return psprintf("One of %d candidates that were tried%s; the search ended "
					"because %s.",
					search->count,
					search->best_point == NULL ? ", none of which passes" : "",
					why);
}

SdcFrontierPoint **
sdcpg_frontier_search(SdcPgHost *host, const char *policy, double seconds,
					  uint64 seed, int *count)
{
	Search *search = palloc0(sizeof(Search));
	double most = 1e9;

	search->host = host;
	search->end = GetCurrentTimestamp() +
				  (TimestampTz) (Min(seconds, most) * USECS_PER_SEC);
	sdcpg_frontier_policy(&search->frontier, policy);
	search->frontier.seed = seed;
	search->knobs = sdcpg_frontier_knobs(search->frontier.policy->rules,
										 search->frontier.of.original);
	search->best = new_setting(search);
	sdcpg_progress_stage(&host->progress, "searching");
	narrow_together(search);
	improve(search);
	sdcpg_frontier_finish(host, search->point, search->count,
						  ending(search, seconds));
	*count = search->count;
	return search->point;
}
