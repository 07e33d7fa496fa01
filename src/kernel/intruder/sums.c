/*
 * sums.c
 *		What the mean of a group gives away by being a sum.
 *
 * A group of k records shows the mean of k people, so k times the mean is the
 * sum of their values, and few sets of k people have exactly that sum.  The
 * sets are searched for among those whom belief finds likely in the group:
 * halves of a set are listed with their sums, and each first half asks for
 * the second halves that make up the rest.
 *
 * A set weighs the product of its persons' odds of being in the group.  The
 * sets that add up are compared with all sets of k, which add up by chance as
 * often as a normal sum with the mean and spread of theirs does; how many
 * groups have their true set among those searched (someone may be unknown, or
 * the mean rounded in another way) is learned from the files, by size.  What
 * adding up changes in the odds of a person is evidence that belief weighs
 * with all the rest, in several rounds, as one group tells of the others.
 *
 * Where records were cut after the mask, or values blurred after it, hardly
 * any set adds up more often than by chance: then that is learned, and nothing
 * changes.
 */
#include "kernel/intruder/intruder_private.h"

#include <math.h>
#include <string.h>

#include "kernel/base/elementary.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"

/* Rounds of belief and sums. */
#define ROUNDS 4

/* Persons who are asked of a group at most, and records of one. */
#define MOST_ASKED 128
#define MOST_SIZE  12
#define MOST_HALF  6

/* Halves of sets that are listed for a group, at most and at least. */
#define MOST_HALVES  25000
#define LEAST_HALVES 200

/* Rows between two polls. */
#define POLL_ROWS 4096

/* Sets of a group that are looked at, for each half, on the average. */
#define LOOKS 8

/* Columns of a group that have to add up. */
#define COLUMNS 8

/* Chances of being in a group: below that nobody is asked, nor above it sure.
 */
#define LEAST_CHANCE 1e-4
#define MOST_CHANCE  (1 - 1e-4)

/* What evidence may say at most, by its logarithm. */
#define MOST_EVIDENCE 15.0

/* The same of odds that a set is true. */
#define MOST_ODDS 1e30

/* Deviations beyond which a sum is not taken to be rarer still. */
#define FAR 4.0

/* Rounds in which the share of groups whose set is found is learned. */
#define SHARE_ROUNDS 30

/* A share of one, less what nobody knows. */
#define MOST_SHARE 0.999

/* One person's chance of being in a group. */
typedef struct Member
{
	int32_t row;
	double chance; /* without what the sums have said so far */
	double share;  /* of the sets that add up: the weight of those with him */
	double before; /* chance among all sets of the size */
} Member;

/* A group, and what was found of it. */
typedef struct Group
{
	int32_t size;
	int32_t record; /* one of it */
	int64_t first;  /* of its members */
	int64_t end;
	int asked;    /* the members that sets are made of are the first ones */
	double whole; /* chance that none but these are in the group */
	/* how much more the sets that add up weigh than by chance; negative: the
	 * group was not asked */
	double odds;
} Group;

/* The groups of one rule. */
typedef struct Rule
{
	const SdcTerm *term;
	int columns;
	double tolerance[COLUMNS]; /* of the sum of one, in standard values */
	double cell[COLUMNS];      /* sums lie on multiples of it */
	int32_t groups;
	Group *group;
	int32_t *label; /* by record; -1: none */
	float *said;    /* by entry: the evidence that its score has */
	Member *member; /* by group; NULL at first */
} Rule;

/* A part of a set: its sum in the first column, its persons and weight. */
typedef struct Half
{
	double sum;
	double weight;
	uint8_t member[MOST_HALF];
} Half;

typedef struct Sums
{
	SdcHost *host;
	const SdcIntruder *intruder;
	SdcIntruderCandidates *found;
	float *score; /* of the lists */
	int64_t halves;
	int rules;
	Rule rule[SDC_INTRUDER_TERMS];
	/* scratch */
	double *chance;   /* by group */
	int32_t *touched; /* groups of a row */
	Half *second;
	uint64_t *key;
	int32_t *order;
	double share[MOST_SIZE + 1]; /* by size */
} Sums;

/* ---------------------------------------------------------------------------
 * Groups.
 */

/* Numbers the different rows of the masked columns; rows by number. */
static void
number_groups(Sums *sums, Rule *rule)
{
	SdcHost *host = sums->host;
	int32_t records = sums->intruder->records;
	double *const *value = rule->term->record_number;
	uint64_t *key = sdc_new(host, uint64_t, (size_t) records + 1);
	int32_t *row = sdc_new(host, int32_t, (size_t) records + 1);
	int32_t i;
	int c;

	for (i = 0; i < records; i++)
		row[i] = i;
	for (c = rule->columns - 1; c >= 0; c--)
	{
		for (i = 0; i < records; i++)
			key[i] = sdc_sort_key(value[c][row[i]]);
		sdc_sort_keys(host, key, row, (size_t) records);
	}
	rule->label = sdc_new(host, int32_t, (size_t) records + 1);
	rule->group = sdc_new(host, Group, (size_t) records + 1);
	for (i = 0; i < records; i++)
	{
		bool missing = false;
		bool same = i > 0;

		for (c = 0; c < rule->columns; c++)
		{
			missing |= isnan(value[c][row[i]]);
			same = same && value[c][row[i]] == value[c][row[i - 1]];
		}
		rule->label[row[i]] = -1;
		if (missing)
			continue;
		if (!same)
		{
			Group *group = &rule->group[rule->groups++];

			memset(group, 0, sizeof(*group));
			group->record = row[i];
		}
		rule->label[row[i]] = rule->groups - 1;
		rule->group[rule->groups - 1].size++;
	}
}

/* Shows a term means?  Released columns have the same law. */
static bool
is_of_groups(const SdcTerm *term)
{
	return term->head.rule == SDC_TERM_GROUP && term->grain != NULL;
}

/* Sets up the rule of a term of groups. */
static void
add_rule(Sums *sums, const SdcTerm *term)
{
	Rule *rule = &sums->rule[sums->rules++];
	int64_t entries = sums->found->lists.first[sums->found->lists.rows];
	int64_t e;
	int c;

	memset(rule, 0, sizeof(*rule));
	rule->term = term;
	rule->columns = sdc_compared_columns(&term->head);
	rule->columns = rule->columns < COLUMNS ? rule->columns : COLUMNS;
	for (c = 0; c < rule->columns; c++)
	{
		rule->tolerance[c] = term->grain[c].record;
		rule->cell[c] = term->grain[c].person;
	}
	rule->said = sdc_new(sums->host, float, (size_t) entries + 1);
	for (e = 0; e < entries; e++)
		rule->said[e] = 0;
	number_groups(sums, rule);
}

/* ---------------------------------------------------------------------------
 * Who may be in a group.
 */

/* The chances of a row by group; returns how many groups. */
static int32_t
add_up_row(Sums *sums, const Rule *rule, int32_t row, const float *chance,
		   float *said)
{
	const SdcMatchLists *lists = &sums->found->lists;
	int32_t groups = 0;
	int64_t e;

	for (e = lists->first[row]; e < lists->first[row + 1]; e++)
	{
		int32_t g = rule->label[sums->found->record[lists->column[e]]];

		if (g < 0)
			continue;
		if (sums->chance[g] == 0)
			sums->touched[groups++] = g;
		sums->chance[g] += chance[e] + 1e-12;
		said[g] = rule->said[e];
	}
	return groups;
}

/* A chance without evidence that it has. */
static double
chance_without(double chance, float evidence)
{
	double odds;

	chance = fmin(fmax(chance, 1e-9), MOST_CHANCE);
	odds = chance / (1 - chance) * sdc_exp(-evidence);
	return odds / (1 + odds);
}

/* Counts the members of all groups (first pass), or lists them (second). */
static void
pass_members(Sums *sums, Rule *rule, const float *chance, float *said,
			 bool list)
{
	int32_t rows = sums->found->lists.rows;
	int32_t i;
	int32_t k;

	for (i = 0; i < rows; i++)
	{
		int32_t groups = add_up_row(sums, rule, i, chance, said);

		if (i % POLL_ROWS == 0)
			sums->host->poll(sums->host, (uint64_t) i, (uint64_t) rows);
		for (k = 0; k < groups; k++)
		{
			int32_t g = sums->touched[k];
			Group *group = &rule->group[g];
			Member member = {i, 0, 0, 0};

			member.chance = chance_without(sums->chance[g], said[g]);
			sums->chance[g] = 0;
			if (member.chance < LEAST_CHANCE)
				continue;
			if (list)
				rule->member[group->end] = member;
			group->end++;
		}
	}
}

/* Lists the members of all groups. */
static void
list_members(Sums *sums, Rule *rule, const float *chance)
{
	SdcHost *host = sums->host;
	float *said = sdc_new(host, float, (size_t) rule->groups + 1);
	int64_t members = 0;
	int32_t g;

	for (g = 0; g < rule->groups; g++)
		rule->group[g].end = 0;
	pass_members(sums, rule, chance, said, false);
	for (g = 0; g < rule->groups; g++)
	{
		Group *group = &rule->group[g];

		group->first = members;
		members += group->end;
		group->end = group->first;
	}
	host->release(host, rule->member);
	rule->member = sdc_new(host, Member, (size_t) members + 1);
	pass_members(sums, rule, chance, said, true);
	host->release(host, said);
}

/* Puts the likeliest members of a group first: as many as may be asked; and
 * weighs that the others are not in it. */
static void
choose_asked(Sums *sums, Rule *rule, Group *group, int most)
{
	const SdcTerm *term = rule->term;
	Member *member = rule->member + group->first;
	int32_t count = (int32_t) (group->end - group->first);
	int32_t known = 0;
	int32_t i;
	int32_t k;

	for (i = 0; i < count; i++)
	{
		int32_t person = sums->found->person[member[i].row];
		bool missing = false;
		Member moved = member[i];
		int c;

		for (c = 0; c < rule->columns; c++)
			missing |= isnan(term->person_number[c][person]);
		if (missing)
			continue;
		if (known == most && member[known - 1].chance >= moved.chance)
			continue;
		/* who falls off takes the place of the one who comes */
		k = known == most ? known - 1 : known++;
		member[i] = member[k];
		for (; k > 0 && member[k - 1].chance < moved.chance; k--)
			member[k] = member[k - 1];
		member[k] = moved;
	}
	group->asked = known;
	group->whole = 1;
	for (i = known; i < count; i++)
		group->whole *= 1 - member[i].chance;
}

/* ---------------------------------------------------------------------------
 * All sets of a size.
 */

/* The odds of a member to be in the group. */
static inline double
odds_of(const Member *member)
{
	return member->chance / (1 - member->chance);
}

/* The weights of the sets of each size, when one more may be in them. */
static void
let_in(double weight[MOST_SIZE + 1], double odds)
{
	int j;

	for (j = MOST_SIZE; j > 0; j--)
		weight[j] += odds * weight[j - 1];
}

/*
 * The chance of each member among all sets of the group's size, a set weighing
 * the product of odds; returns the weight of all sets.  O(asked size).
 */
static double
weigh_all_sets(const Group *group, Member *member)
{
	/* of the members before the one at hand, and of those after each */
	double before[MOST_SIZE + 1] = {1};
	double after[MOST_ASKED][MOST_SIZE + 1];
	double last[MOST_SIZE + 1] = {1};
	int size = group->size;
	int i;
	int j;

	for (i = group->asked - 1; i >= 0; i--)
	{
		memcpy(after[i], last, sizeof(last));
		let_in(last, odds_of(&member[i]));
	}
	for (i = 0; i < group->asked; i++)
	{
		double odds = odds_of(&member[i]);
		double sum = 0;

		for (j = 0; j < size; j++)
			sum += before[j] * after[i][size - 1 - j];
		member[i].before = sum * odds;
		let_in(before, odds);
	}
	for (i = 0; i < group->asked; i++)
		member[i].before /= before[size];
	return before[size];
}

/* The value of a member in a column, in standard values. */
static inline double
value_of(const Sums *sums, const Rule *rule, const Member *member, int c)
{
	return rule->term->person_number[c][sums->found->person[member->row]];
}

/* The width of what is the same sum of a group. */
static double
tolerance_of(const Rule *rule, const Group *group, int c)
{
	return rule->tolerance[c] * group->size;
}

/*
 * How often a set of the size adds up to what the group shows by chance: the
 * sum is normal with the mean and covariance of independent members.
 */
static double
chance_of_sum(const Sums *sums, const Rule *rule, const Group *group,
			  const Member *member)
{
	double cov[COLUMNS][COLUMNS];
	double off[COLUMNS];
	double middle[COLUMNS];
	double weight = 0;
	double chance = 1;
	int i;
	int c;
	int l;

	for (i = 0; i < group->asked; i++)
		weight += member[i].before * (1 - member[i].before);
	for (c = 0; c < rule->columns; c++)
	{
		off[c] = group->size * rule->term->record_number[c][group->record];
		middle[c] = 0;
		for (i = 0; i < group->asked; i++)
		{
			double x = value_of(sums, rule, &member[i], c);

			off[c] -= member[i].before * x;
			middle[c] += weight > 0 ? member[i].before *
										  (1 - member[i].before) * x / weight
									: 0;
		}
	}
	for (c = 0; c < rule->columns; c++)
		for (l = 0; l <= c; l++)
		{
			cov[c][l] = 0;
			for (i = 0; i < group->asked; i++)
				cov[c][l] +=
					member[i].before * (1 - member[i].before) *
					(value_of(sums, rule, &member[i], c) - middle[c]) *
					(value_of(sums, rule, &member[i], l) - middle[l]);
		}
	/* column by column, given those before it: L D L' */
	for (c = 0; c < rule->columns; c++)
	{
		double cell = fmax(2 * tolerance_of(rule, group, c), rule->cell[c]);
		double rest;
		double far;
		int m;

		for (l = 0; l < c; l++)
		{
			for (m = 0; m < l; m++)
				cov[c][l] -= cov[c][m] * cov[m][m] * cov[l][m];
			cov[c][l] = cov[l][l] > 0 ? cov[c][l] / cov[l][l] : 0;
			off[c] -= cov[c][l] * off[l];
			cov[c][c] -= cov[c][l] * cov[c][l] * cov[l][l];
		}
		rest = fmax(cov[c][c], cell * cell / 12);
		cov[c][c] = fmax(cov[c][c], 0);
		far = fmin(off[c] * off[c] / rest, FAR * FAR);
		chance *= fmin(1, cell * 0.3989422804014327 / sqrt(rest) *
							  sdc_exp(-far / 2));
	}
	return fmax(chance, 1 / MOST_ODDS);
}

/* ---------------------------------------------------------------------------
 * Sets that add up.
 */

/* The next choice of so many of n, ascending; false: there is none. */
static bool
next_choice(int *choice, int many, int n)
{
	int k = many - 1;

	while (k >= 0 && choice[k] == n - many + k)
		k--;
	if (k < 0)
		return false;
	choice[k]++;
	for (k++; k < many; k++)
		choice[k] = choice[k - 1] + 1;
	return true;
}

/* How many choices of many out of n there are, or more than most. */
static int64_t
count_choices(int n, int many, int64_t most)
{
	int64_t count = 1;
	int k;

	for (k = 1; k <= many && count <= most; k++)
		count = count * (n - many + k) / k;
	return count;
}

/* One part of a set, of the members chosen. */
static Half
make_half(const double *value, const Member *member, const int *choice,
		  int many)
{
	Half half = {0, 1, {0}};
	int k;

	for (k = 0; k < many && k < MOST_HALF; k++)
	{
		const Member *chosen = &member[choice[k]];

		half.sum += value[choice[k]];
		half.weight *= odds_of(chosen);
		half.member[k] = (uint8_t) choice[k];
	}
	return half;
}

/* Lists all second parts of sets, by their sums. */
static int32_t
list_seconds(Sums *sums, const double *value, const Member *member, int n,
			 int many)
{
	int choice[MOST_HALF];
	int32_t count = 0;
	int k;

	for (k = 0; k < many; k++)
		choice[k] = k;
	do
	{
		sums->second[count] = make_half(value, member, choice, many);
		sums->key[count] = sdc_sort_key(sums->second[count].sum);
		sums->order[count] = count;
		count++;
	} while (next_choice(choice, many, n));
	sdc_sort_keys(sums->host, sums->key, sums->order, (size_t) count);
	return count;
}

/* Do the other columns of a set add up as well? */
static bool
adds_up(const Sums *sums, const Rule *rule, const Group *group,
		const Member *member, const Half *first, int firsts,
		const Half *second, int seconds, int sharp)
{
	int c;
	int k;

	for (c = 0; c < rule->columns; c++)
	{
		double off =
			-group->size * rule->term->record_number[c][group->record];

		if (c == sharp)
			continue;
		for (k = 0; k < firsts; k++)
			off += value_of(sums, rule, &member[first->member[k]], c);
		for (k = 0; k < seconds; k++)
			off += value_of(sums, rule, &member[second->member[k]], c);
		if (fabs(off) > tolerance_of(rule, group, c))
			return false;
	}
	return true;
}

/* The column in which sums tell the most: of the widest spread, in cells. */
static int
sharpest(const Sums *sums, const Rule *rule, const Group *group,
		 const Member *member)
{
	double most = -1;
	int sharp = 0;
	int c;
	int i;

	for (c = 0; c < rule->columns; c++)
	{
		double low = INFINITY;
		double high = -INFINITY;
		double cell = fmax(2 * tolerance_of(rule, group, c), rule->cell[c]);

		for (i = 0; i < group->asked; i++)
		{
			low = fmin(low, value_of(sums, rule, &member[i], c));
			high = fmax(high, value_of(sums, rule, &member[i], c));
		}
		if ((high - low) / cell > most)
		{
			most = (high - low) / cell;
			sharp = c;
		}
	}
	return sharp;
}

/* Counts a set that adds up for each of its members. */
static double
count_set(Member *member, const Half *first, int firsts, const Half *second,
		  int seconds)
{
	double weight = first->weight * second->weight;
	int k;

	for (k = 0; k < firsts; k++)
		member[first->member[k]].share += weight;
	for (k = 0; k < seconds; k++)
		member[second->member[k]].share += weight;
	return weight;
}

/*
 * The weight of all sets that add up, and for each member that of those with
 * him; negative where there are too many to look at.
 */
static double
weigh_sums(Sums *sums, const Rule *rule, const Group *group, Member *member)
{
	int firsts = group->size / 2;
	int seconds = group->size - firsts;
	int sharp = sharpest(sums, rule, group, member);
	double wide = tolerance_of(rule, group, sharp);
	double target =
		group->size * rule->term->record_number[sharp][group->record];
	double value[MOST_ASKED];
	int choice[MOST_HALF];
	int64_t looks = LOOKS * sums->halves;
	double weight = 0;
	int32_t count;
	int k;

	for (k = 0; k < group->asked; k++)
	{
		value[k] = value_of(sums, rule, &member[k], sharp);
		member[k].share = 0;
	}
	count = list_seconds(sums, value, member, group->asked, seconds);
	for (k = 0; k < firsts; k++)
		choice[k] = k;
	do
	{
		Half first = make_half(value, member, choice, firsts);
		size_t at =
			sdc_sort_keys_below(sums->key, (size_t) count,
								sdc_sort_key(target - first.sum - wide));

		for (; at < (size_t) count; at++)
		{
			const Half *second = &sums->second[sums->order[at]];

			if (second->sum > target - first.sum + wide)
				break;
			if (looks-- == 0)
				return -1;
			/* each set once: the first part has the first members */
			if (second->member[0] <= first.member[firsts - 1])
				continue;
			if (adds_up(sums, rule, group, member, &first, firsts, second,
						seconds, sharp))
				weight += count_set(member, &first, firsts, second, seconds);
		}
	} while (next_choice(choice, firsts, group->asked - seconds));
	for (k = 0; k < group->asked && weight > 0; k++)
		member[k].share /= weight;
	return weight;
}

/* What the sum of a group tells. */
static void
ask_group(Sums *sums, Rule *rule, Group *group)
{
	Member *member = rule->member + group->first;
	int seconds = group->size - group->size / 2;
	int most = MOST_ASKED;
	double all;
	double weight;

	group->odds = -1;
	group->asked = 0;
	if (group->size < 2 || group->size > MOST_SIZE)
		return;
	while (most > group->size &&
		   count_choices(most, seconds, sums->halves) > sums->halves)
		most--;
	choose_asked(sums, rule, group, most);
	if (group->asked <= group->size)
		return;
	all = weigh_all_sets(group, member);
	if (!(all > 0))
		return;
	weight = weigh_sums(sums, rule, group, member);
	if (weight >= 0)
		group->odds =
			fmin(weight / all / chance_of_sum(sums, rule, group, member),
				 MOST_ODDS);
}

/* ---------------------------------------------------------------------------
 * Evidence.
 */

/* The chance that the true set is one of those that add up. */
static double
true_among(const Sums *sums, const Group *group)
{
	double before = sums->share[group->size] * group->whole;
	double found = before * group->odds;

	return found / (found + 1 - before);
}

/* The chance that the true set adds up, be it among those that were asked. */
static double
true_anywhere(const Sums *sums, const Group *group)
{
	double share = sums->share[group->size];
	double odds = group->whole * group->odds + 1 - group->whole;

	return share * odds / (share * odds + 1 - share);
}

/* Learns in which share of the groups of each size the true set adds up. */
static void
learn_shares(Sums *sums, const Rule *rule)
{
	int round;
	int s;
	int32_t g;

	for (s = 0; s <= MOST_SIZE; s++)
		sums->share[s] = 0.5;
	for (round = 0; round < SHARE_ROUNDS; round++)
	{
		double found[MOST_SIZE + 1];
		double many[MOST_SIZE + 1];

		for (s = 0; s <= MOST_SIZE; s++)
		{
			found[s] = 1;
			many[s] = 2;
		}
		for (g = 0; g < rule->groups; g++)
			if (rule->group[g].odds >= 0)
			{
				s = rule->group[g].size;
				found[s] += true_anywhere(sums, &rule->group[g]);
				many[s]++;
			}
		for (s = 0; s <= MOST_SIZE; s++)
			sums->share[s] = fmin(found[s] / many[s], MOST_SHARE);
	}
}

/* The logarithm of odds. */
static double
log_odds(double chance)
{
	chance = fmin(fmax(chance, 1e-9), 1 - 1e-9);
	return sdc_random_log(chance / (1 - chance));
}

/* What the sum of a group says of one of its members. */
static float
evidence_of(const Sums *sums, const Group *group, const Member *member,
			bool asked)
{
	double among;
	double before = asked ? member->before : member->chance;
	double after;

	if (group->odds < 0)
		return 0;
	among = true_among(sums, group);
	after = (asked ? among * member->share : 0) + (1 - among) * before;
	return (float) fmin(
		fmax(log_odds(after) - log_odds(before), -MOST_EVIDENCE),
		MOST_EVIDENCE);
}

/* Gives the entries of all rows their evidence, half of it new. */
static void
give_evidence(Sums *sums, Rule *rule, bool first)
{
	SdcHost *host = sums->host;
	const SdcMatchLists *lists = &sums->found->lists;
	int64_t members =
		rule->groups == 0 ? 0 : rule->group[rule->groups - 1].end;
	float *evidence = sdc_new(host, float, (size_t) rule->groups + 1);
	int64_t *start = sdc_new(host, int64_t, (size_t) lists->rows + 2);
	float *said = sdc_new(host, float, (size_t) members + 1);
	int32_t *of = sdc_new(host, int32_t, (size_t) members + 1);
	int64_t m;
	int64_t e;
	int32_t i;
	int32_t g;

	/* members by row */
	memset(start, 0, sizeof(int64_t) * ((size_t) lists->rows + 2));
	for (m = 0; m < members; m++)
		start[rule->member[m].row + 2]++;
	for (i = 2; i < lists->rows + 2; i++)
		start[i] += start[i - 1];
	for (g = 0; g < rule->groups; g++)
		for (m = rule->group[g].first; m < rule->group[g].end; m++)
		{
			const Group *group = &rule->group[g];
			int64_t to = start[rule->member[m].row + 1]++;

			of[to] = g;
			said[to] = evidence_of(sums, group, &rule->member[m],
								   m - group->first < group->asked);
		}
	memset(evidence, 0, sizeof(float) * ((size_t) rule->groups + 1));
	for (i = 0; i < lists->rows; i++)
	{
		for (m = start[i]; m < start[i + 1]; m++)
			evidence[of[m]] = said[m];
		for (e = lists->first[i]; e < lists->first[i + 1]; e++)
		{
			int32_t label = rule->label[sums->found->record[lists->column[e]]];
			float now = label < 0 ? 0 : evidence[label];

			if (!first)
				now = (now + rule->said[e]) / 2;
			sums->score[e] += now - rule->said[e];
			rule->said[e] = now;
		}
		for (m = start[i]; m < start[i + 1]; m++)
			evidence[of[m]] = 0;
	}
	host->release(host, evidence);
	host->release(host, start);
	host->release(host, said);
	host->release(host, of);
}

static void
weigh_rule(Sums *sums, Rule *rule, const float *chance, bool first)
{
	SdcHost *host = sums->host;
	int32_t g;

	list_members(sums, rule, chance);
	for (g = 0; g < rule->groups; g++)
	{
		host->poll(host, (uint64_t) g, (uint64_t) rule->groups);
		ask_group(sums, rule, &rule->group[g]);
	}
	learn_shares(sums, rule);
	give_evidence(sums, rule, first);
}

/* ---------------------------------------------------------------------------
 * The whole.
 */

/* Sorts all lists by falling score; stable. */
static void
sort_lists(Sums *sums)
{
	const SdcMatchLists *lists = &sums->found->lists;
	int32_t *column = (int32_t *) lists->column;
	int32_t i;

	for (i = 0; i < lists->rows; i++)
		sdc_intruder_sort_list(
			column + lists->first[i], sums->score + lists->first[i],
			(int32_t) (lists->first[i + 1] - lists->first[i]));
}

static void
begin_sums(SdcHost *host, const SdcIntruder *intruder,
		   SdcIntruderCandidates *found, int64_t work, Sums *sums)
{
	int64_t groups = 1;
	int32_t most = 0;
	int k;

	sums->host = host;
	sums->intruder = intruder;
	sums->found = found;
	sums->score = (float *) found->lists.score;
	sums->rules = 0;
	for (k = 0; k < intruder->terms; k++)
		if (is_of_groups(intruder->term[k]))
			add_rule(sums, intruder->term[k]);
	for (k = 0; k < sums->rules; k++)
	{
		groups += sums->rule[k].groups;
		most = sums->rule[k].groups > most ? sums->rule[k].groups : most;
	}
	sums->halves = work / groups / ROUNDS;
	sums->halves = sums->halves > MOST_HALVES    ? MOST_HALVES
				   : sums->halves < LEAST_HALVES ? LEAST_HALVES
												 : sums->halves;
	sums->chance = sdc_new(host, double, (size_t) most + 1);
	memset(sums->chance, 0, sizeof(double) * ((size_t) most + 1));
	sums->touched = sdc_new(host, int32_t, (size_t) most + 1);
	sums->second = sdc_new(host, Half, (size_t) sums->halves + 1);
	sums->key = sdc_new(host, uint64_t, (size_t) sums->halves + 1);
	sums->order = sdc_new(host, int32_t, (size_t) sums->halves + 1);
}

static bool
has_sums(const SdcIntruder *intruder)
{
	int t;

	for (t = 0; t < intruder->terms; t++)
		if (is_of_groups(intruder->term[t]))
			return true;
	return false;
}

void
sdc_intruder_use_sums(SdcHost *host, const SdcIntruder *intruder,
					  SdcIntruderCandidates *found,
					  const SdcIntruderPrior *prior, int64_t work)
{
	SdcArena *arena;
	Sums *sums;
	float *chance;
	float *inside;
	float *outside;
	SdcMatchLists lists;
	int round;
	int k;

	if (!has_sums(intruder) || found->lists.rows == 0)
		return;
	arena = sdc_arena_create(host);
	sums = sdc_new(&arena->host, Sums, 1);
	begin_sums(&arena->host, intruder, found, work, sums);
	chance = sdc_new(&arena->host, float,
					 (size_t) found->lists.first[found->lists.rows] + 1);
	inside = sdc_new(&arena->host, float, (size_t) found->lists.rows + 1);
	outside = sdc_new(&arena->host, float, (size_t) found->lists.rows + 1);
	lists = found->lists;
	lists.outside = outside;
	sdc_intruder_weigh_outside(intruder, found, prior, outside);
	for (round = 0; round < ROUNDS; round++)
	{
		sdc_intruder_believe(&arena->host, found, &lists, prior, chance,
							 inside);
		host->stage(host, "adding up groups");
		for (k = 0; k < sums->rules; k++)
			weigh_rule(sums, &sums->rule[k], chance, round == 0);
	}
	sort_lists(sums);
	sdc_arena_end(arena);
}
