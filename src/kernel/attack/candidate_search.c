/*
 * candidate_search.c
 *		The masked records that every part of a mask leaves possible.
 *
 * One part, the pivot, has the smallest sets on the whole.  The positions of
 * all records in the other parts are kept in the order of the pivot, so its
 * set is a run in each of these arrays, and to test a part is a comparison of
 * neighbours that the compiler turns into vector instructions.  The few parts
 * that exclude most are tested so; the others only for the records that are
 * left.  A record that another part leaves far fewer candidates (a NULL, say)
 * is looked for there, one candidate at a time.
 */
#include "kernel/attack/candidate_search.h"

/* Records tested together. */
#define CHUNK 2048

/* Parts that are tested for all records of a chunk. */
#define CHUNK_TESTS 3

/* The pivot is kept unless another part has sets this much smaller. */
#define PIVOT_SHARE 8

/* Records looked at between two polls. */
#define POLL_RECORDS 4000000

/* What one part asks of a record: its position must lie in these places. */
typedef struct Test
{
	int part;
	int32_t size;
	uint32_t first[SDC_CANDIDATE_RANGES];
	uint32_t length[SDC_CANDIDATE_RANGES];
} Test;

static int
find_pivot(int parts, const SdcCandidateSet *const *part)
{
	int64_t least = -1;
	int pivot = -1;
	int32_t i;
	int j;

	for (j = 0; j < parts; j++)
	{
		int64_t sum = 0;

		for (i = 0; i < part[j]->originals; i++)
			sum += sdc_candidate_set_size(part[j], i);
		if (least < 0 || sum < least)
		{
			least = sum;
			pivot = j;
		}
	}
	return pivot;
}

SdcCandidateSearch *
sdc_candidate_search_create(SdcHost *host, int parts,
							const SdcCandidateSet *const *part, int32_t masked)
{
	SdcCandidateSearch *search = sdc_new(host, SdcCandidateSearch, 1);
	int32_t t;
	int j;

	search->host = host;
	search->parts = parts;
	search->part = part;
	search->masked = masked;
	search->pivot = find_pivot(parts, part);
	search->at = sdc_new(host, int32_t *, parts);
	search->fits = sdc_new(host, int32_t, CHUNK);
	search->row = sdc_new(host, int32_t, masked);
	search->count = 0;
	search->looked = 0;
	for (j = 0; j < parts; j++)
	{
		host->poll(host, 0, 0);
		search->at[j] = NULL;
		if (j == search->pivot)
			continue;
		search->at[j] = sdc_new(host, int32_t, masked);
		for (t = 0; t < masked; t++)
			search->at[j][t] = part[j]->position[part[search->pivot]->row[t]];
	}
	return search;
}

/* The tests of a record, from the smallest set to the largest. */
static int
make_tests(const SdcCandidateSearch *search, int32_t i, Test *test)
{
	int count = 0;
	int place;
	int j;
	int r;

	for (j = 0; j < search->parts; j++)
	{
		const SdcCandidateSet *part = search->part[j];
		Test made;

		made.part = j;
		made.size = sdc_candidate_set_size(part, i);
		for (r = 0; r < SDC_CANDIDATE_RANGES; r++)
		{
			made.first[r] = (uint32_t) part->first[r][i];
			made.length[r] = (uint32_t) (part->end[r][i] - part->first[r][i]);
		}
		for (place = count++; place > 0; place--)
		{
			if (test[place - 1].size <= made.size)
				break;
			test[place] = test[place - 1];
		}
		test[place] = made;
	}
	return count;
}

static inline bool
passes(const Test *test, int32_t position)
{
	return ((uint32_t) position - test->first[0] < test->length[0]) |
		   ((uint32_t) position - test->first[1] < test->length[1]);
}

/* Keeps fits[t] where the record at t passes as well. */
static SDC_CLONES void
test_chunk(int32_t *restrict fits, const int32_t *restrict at, int32_t count,
		   uint32_t first, uint32_t length, uint32_t second,
		   uint32_t second_length)
{
	int32_t t;

	for (t = 0; t < count; t++)
	{
		uint32_t position = (uint32_t) at[t];

		fits[t] &=
			(position - first < length) | (position - second < second_length);
	}
}

/* Records one that passed everything; true when there are too many. */
static bool
add_row(SdcCandidateSearch *search, int32_t row, int32_t limit)
{
	search->row[search->count++] = row;
	return search->count > limit;
}

/* Looks at the records from one place of the pivot's order to another. */
static bool
scan_chunk(SdcCandidateSearch *search, const Test *test, int tests,
		   int32_t first, int32_t count, int32_t limit)
{
	const int32_t *row = search->part[search->pivot]->row;
	int32_t *fits = search->fits;
	int together = 0;
	int32_t t;
	int j;

	for (t = 0; t < count; t++)
		fits[t] = 1;
	for (j = 0; j < tests && together < CHUNK_TESTS; j++)
		if (test[j].part != search->pivot)
		{
			test_chunk(fits, search->at[test[j].part] + first, count,
					   test[j].first[0], test[j].length[0], test[j].first[1],
					   test[j].length[1]);
			together++;
		}
	for (t = 0; t < count; t++)
	{
		int k = j;

		if (!fits[t])
			continue;
		while (k < tests &&
			   (test[k].part == search->pivot ||
				passes(&test[k], search->at[test[k].part][first + t])))
			k++;
		if (k == tests && add_row(search, row[first + t], limit))
			return true;
	}
	return false;
}

/* Looks at the pivot's set. */
static void
scan(SdcCandidateSearch *search, const Test *test, int tests, int32_t i,
	 int32_t limit)
{
	const SdcCandidateSet *pivot = search->part[search->pivot];
	int32_t first;
	int r;

	for (r = 0; r < SDC_CANDIDATE_RANGES; r++)
		for (first = pivot->first[r][i]; first < pivot->end[r][i];
			 first += CHUNK)
		{
			int32_t count = pivot->end[r][i] - first;

			count = count < CHUNK ? count : CHUNK;
			search->looked += count;
			if (scan_chunk(search, test, tests, first, count, limit))
				return;
		}
}

/* Looks at the set of another part. */
static void
gather(SdcCandidateSearch *search, const Test *test, int tests, int32_t i,
	   int32_t limit)
{
	const SdcCandidateSet *smallest = search->part[test[0].part];
	int32_t t;
	int r;
	int j;

	for (r = 0; r < SDC_CANDIDATE_RANGES; r++)
		for (t = smallest->first[r][i]; t < smallest->end[r][i]; t++)
		{
			int32_t row = smallest->row[t];

			for (j = 1; j < tests; j++)
				if (!passes(&test[j],
							search->part[test[j].part]->position[row]))
					break;
			search->looked++;
			if (j == tests && add_row(search, row, limit))
				return;
		}
}

/* Without parts nothing is excluded. */
static void
take_all(SdcCandidateSearch *search, int32_t limit)
{
	int32_t row;

	for (row = 0; row < search->masked; row++)
		if (add_row(search, row, limit))
			return;
	search->looked += search->masked;
}

void
sdc_candidate_search_run(SdcCandidateSearch *search, int32_t i, int32_t limit)
{
	Test test[SDC_CANDIDATE_PARTS];
	int tests;
	int32_t size;

	search->count = 0;
	if (search->looked > POLL_RECORDS)
	{
		search->looked = 0;
		search->host->poll(search->host, 0, 0);
	}
	if (search->parts == 0)
	{
		take_all(search, limit);
		return;
	}
	tests = make_tests(search, i, test);
	size = sdc_candidate_set_size(search->part[search->pivot], i);
	if (test[0].size == 0)
		return;
	if (test[0].size < size / PIVOT_SHARE)
		gather(search, test, tests, i, limit);
	else
		scan(search, test, tests, i, limit);
}
