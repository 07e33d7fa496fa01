/*
 * alternatives.c
 *		What a release gives away to somebody who knows that its method would
 *		have preferred another one, had that satisfied the models.
 *
 * A part of the release is a set of classes that groups join.  Each is gone
 * through by itself, twice: first for how likely it is that each spanning
 * alternative fails in it, then, when this is known of all parts, for the
 * beliefs.  A spanning alternative that fails in another part leaves this one
 * free, so an arrangement weighs as much as it is likely that the others see
 * to the alternatives which do not fail here.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/generalization/alternatives.h"

/* Draws of a part, and how many must be possible. */
#define LEAST_DRAWS    1000
#define MOST_DRAWS     100000
#define POSSIBLE_DRAWS 100

/* Sets of spanning alternatives, in all parts together. */
#define MOST_SETS 4194304.0

/* Any number: the draws are the same for everybody. */
#define SEED UINT64_C(0x6D696E696D616C)

/* An alternative that has groups in one part only, or is not looked at. */
#define LOCAL  (-1)
#define SPARED (-2)

/* A part. */
typedef struct Part
{
	int32_t first; /* its classes, in Solving.by_part */
	int32_t end;
	int32_t first_group; /* its groups, by alternative, in Solving.groups */
	int32_t end_group;
	bool spanning; /* has groups of spanning alternatives */
	bool drawn;
	bool unknown;
	double *share; /* by the set of spanning alternatives that fail here */
} Part;

typedef struct Solving
{
	SdcHost *host;
	const SdcAlternatives *given;
	SdcAlternativesBelief *result;
	int32_t *slot;  /* of each unit: its first value in arranged; one more */
	int32_t *start; /* of each class: its first unit; one more */
	int32_t *arranged;
	int32_t *gathered; /* the values of a group */
	int32_t parts;
	Part *part;
	int32_t *by_part; /* classes */
	int32_t *groups;
	int32_t *alternative_of; /* of each group */
	int *bit; /* of each alternative: of a set of spanning ones, or LOCAL */
	int bits;
	double *before; /* by part and set: which fail in the parts before it */
	double *after;
	uint64_t steps;
	int32_t draws;
} Solving;

static void
work(Solving *solving, size_t steps)
{
	solving->steps += steps;
	if (solving->steps < SDC_POLL_STEPS)
		return;
	solving->steps = 0;
	solving->host->poll(solving->host, 0, 0);
}

/* ----------------------------------------------------------------------
 * The parts.
 * ----------------------------------------------------------------------
 */

static int32_t
find_root(int32_t *root, int32_t class)
{
	while (root[class] != class)
	{
		root[class] = root[root[class]];
		class = root[class];
	}
	return class;
}

/* Joins the classes of each group; the root is the first of them. */
static void
join_classes(Solving *solving, int32_t *root)
{
	const SdcAlternatives *given = solving->given;
	int32_t g;
	int32_t i;

	for (g = 0; g < given->classes; g++)
		root[g] = g;
	for (g = 0; g < given->group.lists; g++)
		for (i = given->group.first[g]; i < given->group.first[g + 1]; i++)
		{
			int32_t first = given->group.item[given->group.first[g]];
			int32_t a = find_root(root, given->class_of[first]);
			int32_t b = find_root(root, given->class_of[given->group.item[i]]);

			work(solving, 1);
			root[a > b ? a : b] = a > b ? b : a;
		}
}

/* Sorts the numbers 0 .. n - 1 by part, and says where each part ends. */
static void
sort_by_part(Solving *solving, const int32_t *part_of, int32_t n,
			 int32_t *sorted, int32_t *end)
{
	int32_t p;
	int32_t i;

	memset(end, 0, sizeof(int32_t) * ((size_t) solving->parts + 1));
	for (i = 0; i < n; i++)
		end[part_of[i] + 1]++;
	for (p = 0; p < solving->parts; p++)
		end[p + 1] += end[p];
	for (i = 0; i < n; i++)
		sorted[end[part_of[i]]++] = i;
}

static void
make_parts(Solving *solving, const int32_t *part_of_class,
		   const int32_t *part_of_group)
{
	const SdcAlternatives *given = solving->given;
	SdcHost *host = solving->host;
	int32_t *end = sdc_new(host, int32_t, (size_t) solving->parts + 1);
	int32_t p;

	solving->part = sdc_new(host, Part, solving->parts);
	memset(solving->part, 0, sizeof(Part) * (size_t) solving->parts);
	sort_by_part(solving, part_of_class, given->classes, solving->by_part,
				 end);
	for (p = 0; p < solving->parts; p++)
	{
		solving->part[p].first = p > 0 ? end[p - 1] : 0;
		solving->part[p].end = end[p];
	}
	sort_by_part(solving, part_of_group, given->group.lists, solving->groups,
				 end);
	for (p = 0; p < solving->parts; p++)
	{
		solving->part[p].first_group = p > 0 ? end[p - 1] : 0;
		solving->part[p].end_group = end[p];
	}
	host->release(host, end);
}

/* Which alternatives have groups in several parts. */
static void
find_spanning(Solving *solving, const int32_t *part_of_group)
{
	const SdcLists *alternative = &solving->given->alternative;
	int32_t a;
	int32_t i;

	for (a = 0; a < alternative->lists; a++)
	{
		int32_t first = alternative->first[a];

		solving->bit[a] = LOCAL;
		for (i = first; i < alternative->first[a + 1]; i++)
		{
			solving->alternative_of[alternative->item[i]] = a;
			if (part_of_group[alternative->item[i]] !=
				part_of_group[alternative->item[first]])
				solving->bit[a] = SPARED;
		}
		if (solving->bit[a] == LOCAL)
			continue;
		if (solving->bits < SDC_ALTERNATIVES_SPANNING &&
			(double) solving->parts * (2 << solving->bits) <= MOST_SETS)
			solving->bit[a] = solving->bits++;
		else
			solving->result->spared++;
	}
}

static void
find_parts(Solving *solving)
{
	const SdcAlternatives *given = solving->given;
	SdcHost *host = solving->host;
	int32_t *root = sdc_new(host, int32_t, given->classes);
	int32_t *of_group = sdc_new(host, int32_t, given->group.lists);
	int32_t i;

	join_classes(solving, root);
	/* what a class hangs on comes before it, and has its part by then */
	for (i = 0; i < given->classes; i++)
		root[i] = root[i] == i ? solving->parts++ : root[root[i]];
	for (i = 0; i < given->group.lists; i++)
		of_group[i] =
			root[given->class_of[given->group.item[given->group.first[i]]]];
	make_parts(solving, root, of_group);
	find_spanning(solving, of_group);
	for (i = 0; i < given->group.lists; i++)
		if (solving->bit[solving->alternative_of[i]] >= 0)
			solving->part[of_group[i]].spanning = true;
	host->release(host, root);
	host->release(host, of_group);
}

/* ----------------------------------------------------------------------
 * Arrangements of the values of a part.
 * ----------------------------------------------------------------------
 */

/* How many a class has; more than the limit is not counted to the end. */
static double
count_arrangements(const SdcLists *values, int32_t class, double limit)
{
	double count = 1;
	int32_t same = 0;
	int32_t i;

	for (i = values->first[class];
		 i < values->first[class + 1] && count <= limit; i++)
	{
		same =
			i > values->first[class] && values->item[i] == values->item[i - 1]
				? same + 1
				: 1;
		/* a product of binomials, whole at every step */
		count = count * (i - values->first[class] + 1) / same;
	}
	return count;
}

/* The next order of n values in the order of words; false: the first again. */
static bool
next_order(int32_t *value, int32_t n)
{
	int32_t i = n - 1;
	int32_t j = n - 1;
	int32_t low;
	int32_t high;
	int32_t swap;

	while (i > 0 && value[i - 1] >= value[i])
		i--;
	if (i > 0)
	{
		while (value[j] <= value[i - 1])
			j--;
		swap = value[i - 1];
		value[i - 1] = value[j];
		value[j] = swap;
	}
	for (low = i, high = n - 1; low < high; low++, high--)
	{
		swap = value[low];
		value[low] = value[high];
		value[high] = swap;
	}
	return i > 0;
}

static void
shuffle(int32_t *value, int32_t n, SdcRandom *random)
{
	int32_t i;

	for (i = n - 1; i > 0; i--)
	{
		int32_t other = (int32_t) sdc_random_below(random, (uint64_t) i + 1);
		int32_t swap = value[i];

		value[i] = value[other];
		value[other] = swap;
	}
}

/* The first arrangement: the values of each class as they stand. */
static void
arrange_first(Solving *solving, const Part *part)
{
	const SdcLists *values = &solving->given->values;
	int32_t i;

	for (i = part->first; i < part->end; i++)
	{
		int32_t class = solving->by_part[i];
		int32_t first = values->first[class];

		memcpy(solving->arranged + first, values->item + first,
			   sizeof(int32_t) * (size_t) (values->first[class + 1] - first));
	}
}

/* The next one, by chance or in order; false when there is none. */
static bool
arrange_next(Solving *solving, const Part *part, SdcRandom *random,
			 int32_t tried)
{
	const int32_t *first = solving->given->values.first;
	int32_t i;

	if (part->drawn && tried >= solving->draws)
		return false;
	for (i = part->first; i < part->end; i++)
	{
		int32_t class = solving->by_part[i];
		int32_t *value = solving->arranged + first[class];
		int32_t n = first[class + 1] - first[class];

		work(solving, (size_t) n);
		if (part->drawn)
			shuffle(value, n, random);
		else if (next_order(value, n))
			return true;
	}
	return part->drawn;
}

/* Does a group pass as the values are arranged? */
static bool
group_passes(Solving *solving, int32_t group)
{
	const SdcAlternatives *given = solving->given;
	int32_t n = 0;
	int32_t i;

	for (i = given->group.first[group]; i < given->group.first[group + 1]; i++)
	{
		int32_t unit = given->group.item[i];

		memcpy(solving->gathered + n, solving->arranged + solving->slot[unit],
			   sizeof(int32_t) * (size_t) given->size[unit]);
		n += given->size[unit];
	}
	work(solving, 4 * (size_t) n);
	return given->passes(given->argument, solving->gathered, n);
}

/*
 * The spanning alternatives that fail in a part as its values are arranged;
 * -1 when a local one does not.
 */
static int
judge(Solving *solving, const Part *part)
{
	int fails = 0;
	int32_t i = part->first_group;

	while (i < part->end_group)
	{
		int32_t alternative = solving->alternative_of[solving->groups[i]];
		int bit = solving->bit[alternative];
		bool passes = true;

		for (; i < part->end_group &&
			   solving->alternative_of[solving->groups[i]] == alternative;
			 i++)
			if (passes && bit != SPARED)
				passes = group_passes(solving, solving->groups[i]);
		if (bit == LOCAL && passes)
			return -1;
		if (bit >= 0 && !passes)
			fails |= 1 << bit;
	}
	return fails;
}

/* ----------------------------------------------------------------------
 * Which spanning alternatives fail in which parts.
 * ----------------------------------------------------------------------
 */

/* Values that one arrangement of a part looks at. */
static double
count_values(const Solving *solving, const Part *part)
{
	const SdcAlternatives *given = solving->given;
	double count = 0;
	int32_t i;
	int32_t u;

	for (i = part->first; i < part->end; i++)
		count += given->values.first[solving->by_part[i] + 1] -
				 given->values.first[solving->by_part[i]];
	for (i = part->first_group; i < part->end_group; i++)
		for (u = given->group.first[solving->groups[i]];
			 u < given->group.first[solving->groups[i] + 1]; u++)
			count += given->size[given->group.item[u]];
	return count;
}

/* Which parts are drawn, and how often. */
static void
plan_draws(Solving *solving)
{
	double cost = 0;
	double draws;
	int32_t p;
	int32_t i;

	for (p = 0; p < solving->parts; p++)
	{
		Part *part = &solving->part[p];
		double count = 1;

		for (i = part->first; i < part->end && count <= SDC_ALTERNATIVES_EXACT;
			 i++)
			count *= count_arrangements(&solving->given->values,
										solving->by_part[i],
										SDC_ALTERNATIVES_EXACT);
		part->drawn = part->first_group < part->end_group &&
					  count > SDC_ALTERNATIVES_EXACT;
		if (part->drawn)
			cost += count_values(solving, part);
	}
	draws = cost > 0 ? solving->given->work / cost : 0;
	if (!(draws >= LEAST_DRAWS))
		draws = LEAST_DRAWS;
	solving->draws = draws > MOST_DRAWS ? MOST_DRAWS : (int32_t) draws;
}

/* The share of the arrangements of a part that has each set fail. */
static void
share_part(Solving *solving, Part *part, int32_t number)
{
	SdcHost *host = solving->host;
	size_t sets = (size_t) 1 << (part->spanning ? solving->bits : 0);
	SdcRandom random;
	int32_t tried = 0;
	double possible = 0;
	size_t set;

	part->share = sdc_new(host, double, sets);
	for (set = 0; set < sets; set++)
		part->share[set] = 0;
	sdc_random_seed(&random, SEED, (uint64_t) number);
	arrange_first(solving, part);
	if (part->drawn)
		arrange_next(solving, part, &random, 0);
	do
	{
		int fails = judge(solving, part);

		if (fails < 0)
			continue;
		part->share[fails]++;
		possible++;
	} while (arrange_next(solving, part, &random, ++tried));
	part->unknown = part->drawn && possible < POSSIBLE_DRAWS;
	if (possible == 0 && !part->drawn)
		solving->result->possible = false;
	for (set = 0; set < sets; set++)
		part->share[set] /= possible;
	/* whatever is asked of it may be so */
	for (set = 0; set < sets && part->unknown; set++)
		part->share[set] = set == sets - 1;
}

/* into[set] becomes the likelihood of from, and of a part as well. */
static void
join_sets(const Solving *solving, const double *from, const Part *part,
		  double *into)
{
	size_t sets = (size_t) 1 << solving->bits;
	size_t a;
	size_t b;

	for (a = 0; a < sets; a++)
		into[a] = part->spanning ? 0 : from[a];
	for (b = 0; b < sets && part->spanning; b++)
		for (a = 0; a < sets && part->share[b] > 0; a++)
			into[a | b] += from[a] * part->share[b];
}

/* Which fail before, and after, each part. */
static void
join_parts(Solving *solving)
{
	size_t sets = (size_t) 1 << solving->bits;
	size_t room = sets * ((size_t) solving->parts + 1);
	int32_t p;

	solving->before = sdc_new(solving->host, double, room);
	solving->after = sdc_new(solving->host, double, room);
	memset(solving->before, 0, sizeof(double) * room);
	memset(solving->after, 0, sizeof(double) * room);
	solving->before[0] = 1;
	solving->after[sets * (size_t) solving->parts] = 1;
	for (p = 0; p < solving->parts; p++)
	{
		work(solving, sets);
		join_sets(solving, solving->before + sets * (size_t) p,
				  &solving->part[p],
				  solving->before + sets * (size_t) (p + 1));
	}
	for (p = solving->parts - 1; p >= 0; p--)
	{
		work(solving, sets);
		join_sets(solving, solving->after + sets * (size_t) (p + 1),
				  &solving->part[p], solving->after + sets * (size_t) p);
	}
}

/*
 * How likely it is that the other parts see to all alternatives that do not
 * fail here.
 */
static double
weigh(const Solving *solving, int32_t p, int fails)
{
	size_t sets = (size_t) 1 << solving->bits;
	const double *before = solving->before + sets * (size_t) p;
	const double *after = solving->after + sets * (size_t) (p + 1);
	double sum = 0;
	size_t a;
	size_t b;

	for (a = 0; a < sets; a++)
		for (b = 0; b < sets && before[a] > 0; b++)
			if ((a | b | (size_t) fails) == sets - 1)
				sum += before[a] * after[b];
	return sum;
}

/* ----------------------------------------------------------------------
 * Beliefs.
 * ----------------------------------------------------------------------
 */

/* Where the beliefs of each unit are, and how many there are in all. */
static size_t
place_beliefs(Solving *solving)
{
	const SdcAlternatives *given = solving->given;
	SdcAlternativesBelief *result = solving->result;
	size_t place = 0;
	int32_t kinds = 0;
	int32_t u;
	int32_t i;

	result->offset = sdc_new(solving->host, size_t, (size_t) given->units + 1);
	for (u = 0; u < given->units; u++)
	{
		int32_t class = given->class_of[u];

		if (u == solving->start[class])
			for (kinds = 0, i = given->values.first[class];
				 i < given->values.first[class + 1]; i++)
				kinds += i == given->values.first[class] ||
						 given->values.item[i] != given->values.item[i - 1];
		result->offset[u] = place;
		place += (size_t) kinds;
	}
	result->offset[given->units] = place;
	return place;
}

/* Numbers the values of a class from 0. */
static void
number_values(const SdcAlternatives *given, int32_t class, int32_t *number)
{
	int32_t kinds = 0;
	int32_t i;

	for (i = given->values.first[class]; i < given->values.first[class + 1];
		 i++)
		if (i == given->values.first[class] ||
			given->values.item[i] != given->values.item[i - 1])
			number[given->values.item[i]] = kinds++;
}

/* Adds an arrangement of a part of this weight to the beliefs. */
static void
add_beliefs(Solving *solving, const Part *part, double weight, int32_t *number)
{
	const SdcAlternatives *given = solving->given;
	int32_t i;
	int32_t u;
	int32_t s;

	for (i = part->first; i < part->end; i++)
	{
		int32_t class = solving->by_part[i];

		if (number[given->kinds] != class)
		{
			number_values(given, class, number);
			number[given->kinds] = class;
		}
		for (u = solving->start[class]; u < solving->start[class + 1]; u++)
		{
			double *belief =
				solving->result->belief + solving->result->offset[u];

			for (s = solving->slot[u]; s < solving->slot[u + 1]; s++)
				belief[number[solving->arranged[s]]] +=
					weight / given->size[u];
		}
	}
}

/* The beliefs of a part, once they have been summed. */
static void
finish_beliefs(Solving *solving, Part *part, double sum, double squares)
{
	SdcAlternativesBelief *result = solving->result;
	int32_t i;
	int32_t u;
	size_t b;

	part->unknown =
		part->unknown || (part->drawn && sum * sum < POSSIBLE_DRAWS * squares);
	for (i = part->first; i < part->end; i++)
	{
		int32_t class = solving->by_part[i];

		result->drawn +=
			part->drawn ? solving->start[class + 1] - solving->start[class]
						: 0;
		result->unknown +=
			part->unknown ? solving->start[class + 1] - solving->start[class]
						  : 0;
		for (u = solving->start[class]; u < solving->start[class + 1]; u++)
		{
			result->exact[u] = !part->drawn;
			for (b = result->offset[u]; b < result->offset[u + 1]; b++)
				result->belief[b] =
					part->unknown ? NAN : result->belief[b] / sum;
		}
	}
}

/* Nothing is ruled out in a part that no group touches. */
static void
believe_prior(Solving *solving, Part *part, int32_t *number)
{
	const SdcAlternatives *given = solving->given;
	const int32_t *first = given->values.first;
	int32_t class = solving->by_part[part->first];
	int32_t u;
	int32_t i;

	number_values(given, class, number);
	number[given->kinds] = class;
	for (u = solving->start[class]; u < solving->start[class + 1]; u++)
		for (i = first[class]; i < first[class + 1]; i++)
			solving->result->belief[solving->result->offset[u] +
									(size_t) number[given->values.item[i]]] +=
				1.0 / (first[class + 1] - first[class]);
}

static void
believe_part(Solving *solving, int32_t p, int32_t *number)
{
	Part *part = &solving->part[p];
	size_t sets = (size_t) 1 << (part->spanning ? solving->bits : 0);
	double *weight = sdc_new(solving->host, double, sets);
	double sum = 0;
	double squares = 0;
	SdcRandom random;
	int32_t tried = 0;
	size_t set;

	for (set = 0; set < sets; set++)
		weight[set] = part->share[set] > 0 ? weigh(solving, p, (int) set) : 0;
	sdc_random_seed(&random, SEED, (uint64_t) p);
	arrange_first(solving, part);
	if (part->drawn)
		arrange_next(solving, part, &random, 0);
	do
	{
		int fails = part->unknown ? -1 : judge(solving, part);

		if (fails < 0 || weight[fails] == 0)
			continue;
		sum += weight[fails];
		squares += weight[fails] * weight[fails];
		add_beliefs(solving, part, weight[fails], number);
	} while (arrange_next(solving, part, &random, ++tried));
	finish_beliefs(solving, part, sum, squares);
	solving->host->release(solving->host, weight);
}

static void
believe(Solving *solving)
{
	SdcHost *host = solving->host;
	int32_t *number =
		sdc_new(host, int32_t, (size_t) solving->given->kinds + 1);
	int32_t p;

	number[solving->given->kinds] = -1;
	join_parts(solving);
	if (solving->before[(((size_t) solving->parts + 1) << solving->bits) -
						1] == 0)
		solving->result->possible = false;
	for (p = 0; p < solving->parts && solving->result->possible; p++)
	{
		Part *part = &solving->part[p];

		host->poll(host, (uint64_t) p, (uint64_t) solving->parts);
		if (part->first_group == part->end_group)
			believe_prior(solving, part, number);
		else
			believe_part(solving, p, number);
	}
	host->release(host, number);
}

static void
start(Solving *solving)
{
	const SdcAlternatives *given = solving->given;
	SdcHost *host = solving->host;
	int32_t records = given->values.first[given->classes];
	int32_t u;

	solving->slot = sdc_new(host, int32_t, (size_t) given->units + 1);
	solving->start = sdc_new(host, int32_t, (size_t) given->classes + 1);
	solving->slot[0] = 0;
	for (u = 0; u < given->units; u++)
	{
		solving->slot[u + 1] = solving->slot[u] + given->size[u];
		if (u == 0 || given->class_of[u] != given->class_of[u - 1])
			solving->start[given->class_of[u]] = u;
	}
	solving->start[given->classes] = given->units;
	solving->arranged = sdc_new(host, int32_t, records);
	solving->gathered = sdc_new(host, int32_t, records);
	solving->by_part = sdc_new(host, int32_t, given->classes);
	solving->groups = sdc_new(host, int32_t, given->group.lists);
	solving->alternative_of = sdc_new(host, int32_t, given->group.lists);
	solving->bit = sdc_new(host, int, given->alternative.lists);
}

void
sdc_alternatives_solve(SdcHost *host, const SdcAlternatives *alternatives,
					   SdcAlternativesBelief *result)
{
	SdcArena *arena = sdc_arena_create(host);
	Solving solving = {
		.host = &arena->host, .given = alternatives, .result = result};
	size_t beliefs;
	int32_t p;

	memset(result, 0, sizeof(*result));
	result->possible = true;
	start(&solving);
	find_parts(&solving);
	plan_draws(&solving);
	for (p = 0; p < solving.parts; p++)
		if (solving.part[p].first_group < solving.part[p].end_group)
			share_part(&solving, &solving.part[p], p);
	solving.host = host;
	beliefs = place_beliefs(&solving);
	result->belief = sdc_new(host, double, beliefs);
	result->exact = sdc_new(host, bool, alternatives->units);
	memset(result->exact, true, sizeof(bool) * (size_t) alternatives->units);
	memset(result->belief, 0, sizeof(double) * beliefs);
	solving.host = &arena->host;
	believe(&solving);
	sdc_arena_end(arena);
}

void
sdc_alternatives_release(SdcHost *host, SdcAlternativesBelief *result)
{
	host->release(host, result->offset);
	host->release(host, result->belief);
	host->release(host, result->exact);
}
