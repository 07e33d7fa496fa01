/*
 * minimality.c
 *		What knowing the greedy grouping algorithm reveals.
 *
 * Records are assigned one after the other.  The states of a step come from
 * those of the step before by arrows; one that leads to an assignment under
 * which the group would not have been made is not drawn.  Interchangeable
 * assignments meet in one state.  A forward pass gives the probability of each
 * state, a backward pass that of reaching the end from it; both are scaled
 * anew in every step, so that small probabilities do not vanish.
 */
#include <string.h>

#include "kernel/diverse_group.h"
#include "kernel/minimality.h"
#include "kernel/minimality_state.h"
#include "kernel/sort.h"

#define FIRST_ARROWS 256

/* What an arrow costs besides looking at each value. */
#define ARROW_WORK 128

/* States between two polls. */
#define POLL_STATES 16

typedef struct Arrow
{
	int32_t from; /* a state */
	int32_t to;   /* one of the next step */
	int32_t class;
	double weight; /* probability of drawing a value of this kind */
} Arrow;

typedef struct Search
{
	SdcHost *host;
	SdcMinimalityGroup group;
	SdcMinimalityStates set[2]; /* of this step and the next */
	uint32_t *tried;
	int32_t *states; /* of each step, how many; size + 1 steps */
	int32_t *first;  /* of each step, the first arrow; size + 1 */
	Arrow *arrow;
	int32_t arrows;
	int32_t room;
	int64_t work;
} Search;

static int
compare_counts(int32_t a, int32_t b, void *arg)
{
	const int32_t *count = arg;

	return count[a] < count[b] ? -1 : count[a] > count[b];
}

/* Puts values that occur equally often into a class. */
static void
classify(Search *search, const int32_t *count, int32_t *class_of)
{
	SdcMinimalityGroup *group = &search->group;
	SdcHost *host = search->host;
	int32_t *order = sdc_new(host, int32_t, group->values);
	int32_t i;

	group->total = sdc_new(host, int32_t, group->values);
	group->first = sdc_new(host, int32_t, (size_t) group->values + 1);
	for (i = 0; i < group->values; i++)
		order[i] = i;
	sdc_sort_rows(host, order, group->values, compare_counts, (void *) count);
	for (i = 0; i < group->values; i++)
	{
		group->total[i] = count[order[i]];
		if (i == 0 || group->total[i] > group->total[i - 1])
			group->first[group->classes++] = i;
		class_of[order[i]] = group->classes - 1;
	}
	group->first[group->classes] = group->values;
	host->release(host, order);
}

static void
add_arrow(Search *search, int32_t from, int32_t to, int32_t class,
		  double weight)
{
	SdcHost *host = search->host;
	Arrow *arrow;

	if (search->arrows == search->room)
	{
		Arrow *old = search->arrow;

		search->room = search->room == 0 ? FIRST_ARROWS : search->room * 2;
		search->arrow = sdc_new(host, Arrow, search->room);
		if (old != NULL)
			memcpy(search->arrow, old,
				   sizeof(Arrow) * (size_t) search->arrows);
		host->release(host, old);
	}
	arrow = &search->arrow[search->arrows++];
	arrow->from = from;
	arrow->to = to;
	arrow->class = class;
	arrow->weight = weight;
}

/*
 * Gives the next record a value from a place whose equals begin at place
 * equal; the last of them keeps the order of the class.
 */
static void
try_place(Search *search, int32_t step, int32_t state, int32_t class,
		  int32_t equal, int32_t place)
{
	const SdcMinimalityGroup *group = &search->group;
	const SdcMinimalityStates *now = &search->set[step % 2];
	const uint32_t *key = now->key + (size_t) state * group->values;
	int32_t rest = group->total[place] -
				   sdc_minimality_state_before(key[place]) -
				   sdc_minimality_state_open(key[place]);
	int32_t to;

	if (rest == 0)
		return;
	search->work += group->values + ARROW_WORK;
	memcpy(search->tried, key, sizeof(uint32_t) * (size_t) group->values);
	search->tried[place]++;
	if (!sdc_minimality_state_settle(group, step + 1, search->tried))
		return;
	to = sdc_minimality_state_find(
		search->host, group, &search->set[(step + 1) % 2], search->tried);
	add_arrow(search, state, to, class,
			  (double) (place - equal + 1) * rest / (group->size - step));
}

/* Draws the arrows that start at a state. */
static void
try_state(Search *search, int32_t step, int32_t state)
{
	const SdcMinimalityGroup *group = &search->group;
	const uint32_t *key =
		search->set[step % 2].key + (size_t) state * group->values;
	int32_t c;
	int32_t place;

	for (c = 0; c < group->classes; c++)
	{
		int32_t end = group->first[c + 1];
		int32_t equal = group->first[c];

		for (place = equal; place < end; place++)
		{
			if (place + 1 < end && key[place + 1] == key[place])
				continue;
			try_place(search, step, state, c, equal, place);
			equal = place + 1;
		}
	}
}

/* Draws all arrows; stops early when there are none or too many. */
static SdcMinimalityAnswer
draw_arrows(Search *search)
{
	const SdcMinimalityGroup *group = &search->group;
	SdcHost *host = search->host;
	int32_t step;
	int32_t state;

	/* no merger ends before it is l-diverse */
	if (!sdc_diverse_group_is(group->size, group->total[group->values - 1],
							  group->l))
		return SDC_MINIMALITY_NONE;
	memset(search->tried, 0, sizeof(uint32_t) * (size_t) group->values);
	sdc_minimality_state_find(host, group, &search->set[0], search->tried);
	for (step = 0; step < group->size; step++)
	{
		search->first[step] = search->arrows;
		search->states[step] = search->set[step % 2].states;
		sdc_minimality_state_empty(&search->set[(step + 1) % 2]);
		for (state = 0; state < search->states[step]; state++)
		{
			if (state % POLL_STATES == 0)
				host->poll(host, step, group->size);
			try_state(search, step, state);
			if (search->work > SDC_MINIMALITY_LIMIT)
				return SDC_MINIMALITY_LARGE;
		}
		if (search->arrows == search->first[step])
			return SDC_MINIMALITY_NONE;
	}
	search->first[step] = search->arrows;
	search->states[step] = search->set[step % 2].states;
	return SDC_MINIMALITY_FOUND;
}

/* Divides n numbers by their sum, and returns it. */
static double
scale(double *number, int32_t n)
{
	double sum = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		sum += number[i];
	for (i = 0; i < n && sum > 0; i++)
		number[i] /= sum;
	return sum;
}

/*
 * The probability of each state, of all steps one after the other, if the
 * assignment is consistent so far.
 */
static double *
pass_forward(Search *search, SdcMinimality *result)
{
	int32_t size = search->group.size;
	size_t states = 0;
	double *forward;
	double *here;
	int32_t step;
	int32_t a;

	for (step = 0; step <= size; step++)
		states += search->states[step];
	forward = sdc_new(search->host, double, states);
	memset(forward, 0, sizeof(double) * states);
	forward[0] = 1;
	result->consistent = 1;
	for (step = 0, here = forward; step < size; step++)
	{
		double *next = here + search->states[step];

		search->host->poll(search->host, step, size);
		for (a = search->first[step]; a < search->first[step + 1]; a++)
			next[search->arrow[a].to] +=
				here[search->arrow[a].from] * search->arrow[a].weight;
		result->consistent *= scale(next, search->states[step + 1]);
		here = next;
	}
	return forward;
}

/* The beliefs about one record from what flows through its arrows. */
static void
share_beliefs(const Search *search, int32_t step, const double *here,
			  const double *end, double *before, double *posterior)
{
	const SdcMinimalityGroup *group = &search->group;
	double sum = 0;
	int32_t a;
	int32_t c;

	memset(before, 0, sizeof(double) * (size_t) search->states[step]);
	memset(posterior, 0, sizeof(double) * (size_t) group->classes);
	for (a = search->first[step]; a < search->first[step + 1]; a++)
	{
		const Arrow *arrow = &search->arrow[a];
		double flow = arrow->weight * end[arrow->to];

		before[arrow->from] += flow;
		posterior[arrow->class] += here[arrow->from] * flow;
	}
	for (c = 0; c < group->classes; c++)
		sum += posterior[c];
	for (c = 0; c < group->classes; c++)
		posterior[c] =
			posterior[c] / sum / (group->first[c + 1] - group->first[c]);
	scale(before, search->states[step]);
}

static void
pass_backward(Search *search, const double *forward, SdcMinimality *result)
{
	SdcHost *host = search->host;
	int32_t size = search->group.size;
	const double *here = forward;
	int32_t most = 0;
	double *end;
	double *before;
	int32_t step;
	int32_t i;

	for (step = 0; step <= size; step++)
		most = search->states[step] > most ? search->states[step] : most;
	for (step = 0; step < size; step++)
		here += search->states[step];
	end = sdc_new(host, double, most);
	before = sdc_new(host, double, most);
	for (i = 0; i < search->states[size]; i++)
		end[i] = 1;
	for (step = size - 1; step >= 0; step--)
	{
		double *swap = end;

		host->poll(host, size - step, size);
		here -= search->states[step];
		share_beliefs(search, step, here, end, before,
					  result->posterior + (size_t) step * result->classes);
		end = before;
		before = swap;
	}
	host->release(host, end);
	host->release(host, before);
}

static void
start(Search *search, const int32_t *count, SdcMinimality *result)
{
	SdcMinimalityGroup *group = &search->group;
	SdcHost *host = search->host;

	result->class_of = sdc_new(host, int32_t, group->values);
	classify(search, count, result->class_of);
	result->classes = group->classes;
	search->tried = sdc_new(host, uint32_t, group->values);
	search->states = sdc_new(host, int32_t, (size_t) group->size + 1);
	search->first = sdc_new(host, int32_t, (size_t) group->size + 1);
	sdc_minimality_state_start(host, group, &search->set[0]);
	sdc_minimality_state_start(host, group, &search->set[1]);
}

static void
finish(Search *search)
{
	SdcHost *host = search->host;

	sdc_minimality_state_release(host, &search->set[0]);
	sdc_minimality_state_release(host, &search->set[1]);
	host->release(host, search->group.total);
	host->release(host, search->group.first);
	host->release(host, search->tried);
	host->release(host, search->states);
	host->release(host, search->first);
	host->release(host, search->arrow);
}

SdcMinimalityAnswer
sdc_minimality_solve(SdcHost *host, const int32_t *count, int32_t values,
					 double l, bool last, SdcMinimality *result)
{
	Search search;
	SdcMinimalityAnswer answer;
	int64_t size = 0;
	int32_t v;

	memset(&search, 0, sizeof(search));
	memset(result, 0, sizeof(*result));
	search.host = host;
	for (v = 0; v < values; v++)
		size += count[v];
	if (size > SDC_MINIMALITY_MOST)
		return SDC_MINIMALITY_LARGE;
	search.group.size = (int32_t) size;
	search.group.values = values;
	search.group.l = l;
	search.group.last = last;
	start(&search, count, result);
	answer = draw_arrows(&search);
	if (answer == SDC_MINIMALITY_FOUND)
	{
		double *forward = pass_forward(&search, result);

		result->posterior =
			sdc_new(host, double, (size_t) size * result->classes);
		pass_backward(&search, forward, result);
		host->release(host, forward);
	}
	finish(&search);
	return answer;
}

void
sdc_minimality_release(SdcHost *host, SdcMinimality *result)
{
	host->release(host, result->class_of);
	host->release(host, result->posterior);
}
