/*
 * basket_plan.c
 *		Pieces and turnover of customers, moved so that totals stay.
 *
 * All figures are whole numbers, and what one customer gives another one
 * takes; so every total is kept to the last unit.
 */
#include <math.h>
#include <string.h>

#include "kernel/transaction/basket_plan.h"

static int64_t
least_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t
over(const SdcBasketPlan *plan, int32_t i)
{
	return plan->pieces[i] - plan->need[i];
}

/* What a group has over, lacks, and will move. */
typedef struct Group
{
	int64_t surplus;
	int64_t lack;
	int64_t moved;
	int64_t given; /* so far */
	int64_t taken;
} Group;

static Group *
sum_groups(SdcHost *host, const SdcBasketPlan *plan, const int32_t *group,
		   int32_t groups)
{
	Group *sum = sdc_new(host, Group, (size_t) groups + 1);
	int32_t g;
	int32_t i;

	memset(sum, 0, sizeof(Group) * ((size_t) groups + 1));
	for (i = 0; i < plan->customers; i++)
		if (over(plan, i) > 0)
			sum[group[i]].surplus += over(plan, i);
		else
			sum[group[i]].lack -= over(plan, i);
	for (g = 0; g < groups; g++)
		sum[g].moved = least_of(sum[g].surplus, sum[g].lack);
	return sum;
}

/* What a customer gives in proportion to what it has over. */
static int64_t
proportional(const Group *group, int64_t own)
{
	double share = (double) group->moved / (double) group->surplus;

	return least_of((int64_t) floor((double) own * share),
					group->moved - group->given);
}

int64_t
sdc_basket_plan_balance(SdcHost *host, SdcBasketPlan *plan,
						const int32_t *group, int32_t groups)
{
	Group *sum = sum_groups(host, plan, group, groups);
	int64_t missing = 0;
	int32_t g;
	int32_t i;
	int round;

	/* first in proportion, then what rounding has left */
	for (round = 0; round < 2; round++)
		for (i = 0; i < plan->customers; i++)
		{
			Group *own = &sum[group[i]];
			int64_t more = over(plan, i);

			if (i % SDC_POLL_STEPS == 0)
				host->poll(host, 0, 0);
			if (more <= 0 || own->moved == 0)
				continue;
			more = round == 0 ? proportional(own, more)
							  : least_of(more, own->moved - own->given);
			plan->pieces[i] -= more;
			own->given += more;
		}
	for (i = 0; i < plan->customers; i++)
	{
		Group *own = &sum[group[i]];
		int64_t lack = -over(plan, i);

		if (lack <= 0)
			continue;
		lack = least_of(lack, own->moved - own->taken);
		plan->pieces[i] += lack;
		own->taken += lack;
	}
	for (g = 0; g < groups; g++)
		missing += sum[g].lack - sum[g].taken;
	host->release(host, sum);
	return missing;
}

/* One customer gives pieces to another; true when any were given. */
static bool
give_pieces(SdcBasketPlan *plan, int32_t from, int32_t to, double share,
			SdcRandom *random)
{
	int64_t smaller = least_of(plan->pieces[from], plan->pieces[to]);
	int64_t most =
		least_of((int64_t) floor((double) smaller * share), over(plan, from));
	int64_t given;

	if (most <= 0)
		return false;
	given = 1 + (int64_t) sdc_random_below(random, (uint64_t) most);
	plan->pieces[from] -= given;
	plan->pieces[to] += given;
	return true;
}

/* One customer gives turnover to another; true when any was given. */
static bool
give_amount(SdcBasketPlan *plan, int32_t from, int32_t to, double share,
			int64_t most, SdcRandom *random)
{
	int64_t smaller = least_of(plan->amount[from], plan->amount[to]);
	int64_t given = least_of((int64_t) floor((double) smaller * share), most);

	given = least_of(given, plan->amount[from] - plan->pieces[from]);
	if (given <= 0)
		return false;
	given = 1 + (int64_t) sdc_random_below(random, (uint64_t) given);
	plan->amount[from] -= given;
	plan->amount[to] += given;
	return true;
}

/* Moves the customers of one group, in an order drawn at random. */
static int32_t
move_group(SdcBasketPlan *plan, int32_t *member, int32_t n, double share,
		   int64_t most, SdcRandom *random)
{
	int32_t first = (n / 4) * 2; /* the half of step 1, in pairs */
	int32_t moved = 0;
	int32_t i;

	for (i = n - 1; i > 0; i--)
	{
		int32_t j = (int32_t) sdc_random_below(random, (uint64_t) i + 1);
		int32_t other = member[i];

		member[i] = member[j];
		member[j] = other;
	}
	for (i = 0; i + 1 < first; i += 2)
		if (give_pieces(plan, member[i], member[i + 1], share, random))
			moved += 2;
	for (i = first; i + 1 < n; i += 2)
		if (give_amount(plan, member[i], member[i + 1], share, most, random))
			moved += 2;
	return moved;
}

int32_t
sdc_basket_plan_move(SdcHost *host, SdcBasketPlan *plan, const int32_t *group,
					 int32_t groups, double share, int64_t most,
					 SdcRandom *random)
{
	int32_t *start = sdc_new(host, int32_t, (size_t) groups + 2);
	int32_t *member = sdc_new(host, int32_t, (size_t) plan->customers + 1);
	int32_t moved = 0;
	int32_t g;
	int32_t i;

	memset(start, 0, sizeof(int32_t) * ((size_t) groups + 2));
	for (i = 0; i < plan->customers; i++)
		start[group[i] + 2]++;
	for (g = 0; g < groups; g++)
		start[g + 2] += start[g + 1];
	for (i = 0; i < plan->customers; i++)
		member[start[group[i] + 1]++] = i;
	for (g = 0; g < groups; g++)
	{
		host->poll(host, (uint64_t) g, (uint64_t) groups);
		moved += move_group(plan, member + start[g], start[g + 1] - start[g],
							share, most, random);
	}
	host->release(host, start);
	host->release(host, member);
	return moved;
}

/* The part that has most over its minimum, the first of equal ones. */
static int32_t
most_over(int32_t n, const int64_t *part, const int64_t *minimum)
{
	int32_t best = 0;
	int32_t i;

	for (i = 1; i < n; i++)
		if (part[i] - minimum[i] > part[best] - minimum[best])
			best = i;
	return best;
}

void
sdc_basket_plan_split(int64_t total, int32_t n, const int64_t *ideal,
					  double ratio, const int64_t *minimum, int64_t *part)
{
	int64_t left = total;
	int32_t largest = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		part[i] = (int64_t) floor((double) ideal[i] * ratio);
		if (part[i] < minimum[i])
			part[i] = minimum[i];
		left -= part[i];
		if (ideal[i] > ideal[largest])
			largest = i;
	}
	if (left > 0)
		part[largest] += left;
	while (left < 0)
	{
		int32_t from = most_over(n, part, minimum);
		int64_t taken = least_of(-left, part[from] - minimum[from]);

		part[from] -= taken;
		left += taken;
	}
}
