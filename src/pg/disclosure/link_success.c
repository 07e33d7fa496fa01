/*
 * link_success.c
 *		How well linked files match the truth.
 *
 * The number of candidates of a record is that of the rows at its nearest
 * points; its own record is among them when the point of that record is.  The
 * sum is taken in the order of the points, which is that of their coordinates.
 */
#include "postgres.h"

#include "pg/server/compat.h"
#include "pg/disclosure/link_success.h"

/* Points between two polls; some have to be searched again. */
#define POLL_POINTS 256

/* The number of records of the other file at these points. */
static int64
count_candidates(const SdcLinkFile *to, const int32 *nearest, int32 count)
{
	int64 candidates = 0;
	int32 i;

	for (i = 0; i < count; i++)
		candidates += to->first[nearest[i] + 1] - to->first[nearest[i]];
	return candidates;
}

static bool
is_among(const int32 *nearest, int32 count, int32 point)
{
	int32 i;

	for (i = 0; i < count; i++)
		if (nearest[i] == point)
			return true;
	return false;
}

/* Counts the records at a point, which all have the same candidates. */
static void
count_point(SdcLinkage *linkage, int32 point, SdcLinkSuccess *found)
{
	const SdcLinkFile *from = &linkage->from.file;
	const SdcLinkFile *to = &linkage->to.file;
	int32 count;
	const int32 *nearest = sdcpg_linkage_nearest(linkage, point, &count);
	int64 candidates = count_candidates(to, nearest, count);
	int32 i;

	for (i = from->first[point]; i < from->first[point + 1]; i++)
	{
		int32 partner = linkage->partner[from->member[i]];

		if (partner < 0 || !is_among(nearest, count, to->point[partner]))
			continue;
		found->right += 1.0 / candidates;
		found->unique_right += candidates == 1;
	}
}

SdcLinkSuccess
sdcpg_link_success_count(SdcLinkage *linkage)
{
	SdcHost *host = &linkage->host->kernel;
	const SdcLinkFile *from = &linkage->from.file;
	SdcLinkSuccess found = {0, 0, 0, 0, 0};
	int32 i;

	for (i = 0; i < from->rows; i++)
		found.records += linkage->partner[i] >= 0;
	if (linkage->hit == NULL)
		return found;
	host->stage(host, "counting links");
	for (i = 0; i < from->points; i++)
	{
		if (i % POLL_POINTS == 0)
			host->poll(host, i, from->points);
		count_point(linkage, i, &found);
	}
	return found;
}
