/*
 * event_groups.c
 *		Persons, or records, of whom the same is known through all channels.
 *
 * Where a release is coarse thousands of people have the same profile, and a
 * record of theirs would be compared with each of them, mark by mark.  One of
 * each group is enough.
 *
 * libm: isnan.
 */
#include "kernel/transaction/event_groups.h"

#include <math.h>
#include <string.h>

#include "kernel/base/sort.h"
#include "kernel/base/table.h"

/* One side of the files. */
typedef struct Side
{
	const SdcEventFiles *files;
	bool known;
	int32_t *first; /* members of the groups so far */
} Side;

static const SdcItemSets *
sets_of(const Side *side, int c)
{
	const SdcEventChannel *channel = &side->files->channel[c];

	return side->known ? &channel->known : &channel->shown;
}

/* A number as bits that equal ones share; nothing known is one value. */
static uint64_t
number_of(const Side *side, int c, int32_t i)
{
	const SdcEventChannel *channel = &side->files->channel[c];
	double number =
		side->known ? channel->known_number[i] : channel->shown_number[i];

	return isnan(number) ? UINT64_MAX : sdc_sort_key(number);
}

static int32_t
part_of(const Side *side, int32_t i)
{
	const int32_t *part =
		side->known ? side->files->person_part : side->files->record_part;

	return part == NULL ? 0 : part[i];
}

static uint64_t
hash_of(const Side *side, int32_t i)
{
	uint64_t hash = sdc_table_hash(0, (uint64_t) part_of(side, i));
	int c;
	int64_t r;

	for (c = 0; c < side->files->channels; c++)
	{
		const SdcItemSets *sets = sets_of(side, c);

		if (side->files->channel[c].is_number)
		{
			hash = sdc_table_hash(hash, number_of(side, c, i));
			continue;
		}
		hash = sdc_table_hash(hash, (uint64_t) sdc_item_sets_size(sets, i));
		for (r = sets->start[i]; r < sets->start[i + 1]; r++)
			hash = sdc_table_hash(hash, (uint64_t) sets->item[r]);
	}
	return hash;
}

/* Is the same known of the first member of a group as of i? */
static bool
is_alike(const Side *side, int32_t group, int32_t i)
{
	int32_t j = side->first[group];
	int c;

	if (part_of(side, i) != part_of(side, j))
		return false;
	for (c = 0; c < side->files->channels; c++)
	{
		const SdcItemSets *sets = sets_of(side, c);
		int32_t size;

		if (side->files->channel[c].is_number)
		{
			if (number_of(side, c, i) != number_of(side, c, j))
				return false;
			continue;
		}
		size = sdc_item_sets_size(sets, i);
		if (size != sdc_item_sets_size(sets, j) ||
			(size > 0 &&
			 memcmp(&sets->item[sets->start[i]], &sets->item[sets->start[j]],
					sizeof(int32_t) * (size_t) size) != 0))
			return false;
	}
	return true;
}

SDC_TABLE_FIND(find_group, const Side *, int32_t, is_alike);

/* Lists the members of each group. */
static void
list_members(SdcHost *host, SdcEventGroups *groups)
{
	int32_t *next;
	int32_t i;
	int32_t g;

	groups->start = sdc_new(host, int32_t, (size_t) groups->groups + 2);
	groups->member = sdc_new(host, int32_t, (size_t) groups->members + 1);
	next = sdc_new(host, int32_t, (size_t) groups->groups + 1);
	memset(groups->start, 0, sizeof(int32_t) * ((size_t) groups->groups + 2));
	for (i = 0; i < groups->members; i++)
		groups->start[groups->group[i] + 1]++;
	for (g = 0; g < groups->groups; g++)
	{
		groups->start[g + 1] += groups->start[g];
		next[g] = groups->start[g];
	}
	for (i = 0; i < groups->members; i++)
		groups->member[next[groups->group[i]]++] = i;
	host->release(host, next);
}

SdcEventGroups
sdc_event_groups_create(SdcHost *host, const SdcEventFiles *files, bool known)
{
	int32_t members = known ? files->persons : files->records;
	Side side = {files, known, sdc_new(host, int32_t, (size_t) members + 1)};
	SdcEventGroups groups = {
		members, 0, sdc_new(host, int32_t, (size_t) members + 1), NULL, NULL};
	SdcTable table;
	int32_t i;

	sdc_table_create(host, &table, (size_t) members + 1);
	for (i = 0; i < members; i++)
	{
		uint64_t hash = hash_of(&side, i);
		int32_t *slot = find_group(&table, hash, &side, i);

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) members);
		if (*slot == SDC_TABLE_NONE)
		{
			side.first[groups.groups] = i;
			*slot = groups.groups++;
		}
		groups.group[i] = *slot;
	}
	list_members(host, &groups);
	sdc_table_release(host, &table);
	host->release(host, side.first);
	return groups;
}

void
sdc_event_groups_release(SdcHost *host, SdcEventGroups *groups)
{
	host->release(host, groups->group);
	host->release(host, groups->start);
	host->release(host, groups->member);
}

/* The sets of the first member of each group. */
static SdcItemSets
first_sets(SdcHost *host, const SdcItemSets *sets,
		   const SdcEventGroups *persons)
{
	SdcItemSets some = {persons->groups, sets->items,
						sdc_new(host, int64_t, (size_t) persons->groups + 1),
						NULL};
	int64_t n = 0;
	int32_t g;

	for (g = 0; g < persons->groups; g++)
	{
		some.start[g] = n;
		n += sdc_item_sets_size(sets, persons->member[persons->start[g]]);
	}
	some.start[persons->groups] = n;
	some.item = sdc_new(host, int32_t, (size_t) n + 1);
	for (g = 0; g < persons->groups; g++)
		memcpy(&some.item[some.start[g]],
			   &sets->item[sets->start[persons->member[persons->start[g]]]],
			   sizeof(int32_t) * (size_t) sdc_item_sets_size(&some, g));
	return some;
}

SdcEventFiles
sdc_event_groups_files(SdcHost *host, const SdcEventFiles *files,
					   const SdcEventGroups *persons)
{
	SdcEventFiles some = *files;
	size_t groups = (size_t) persons->groups + 1;
	SdcEventChannel *channel =
		sdc_new(host, SdcEventChannel, (size_t) files->channels + 1);
	int32_t *part = files->person_part ? sdc_new(host, int32_t, groups) : NULL;
	int32_t g;
	int c;

	some.persons = persons->groups;
	some.channel = channel;
	some.person_part = part;
	for (g = 0; part != NULL && g < persons->groups; g++)
		part[g] = files->person_part[persons->member[persons->start[g]]];
	for (c = 0; c < files->channels; c++)
	{
		channel[c] = files->channel[c];
		if (channel[c].is_number)
		{
			double *number = sdc_new(host, double, groups);

			for (g = 0; g < persons->groups; g++)
				number[g] =
					files->channel[c]
						.known_number[persons->member[persons->start[g]]];
			channel[c].known_number = number;
		}
		else
			channel[c].known =
				first_sets(host, &files->channel[c].known, persons);
	}
	return some;
}

void
sdc_event_groups_files_release(SdcHost *host, SdcEventFiles *files)
{
	int c;

	for (c = 0; c < files->channels; c++)
		if (files->channel[c].is_number)
			host->release(host, (void *) files->channel[c].known_number);
		else
			sdc_item_sets_release(host,
								  (SdcItemSets *) &files->channel[c].known);
	if (files->person_part != NULL)
		host->release(host, (void *) files->person_part);
	host->release(host, (void *) files->channel);
}
