/*
 * reidentification.c
 *		How well linked files match the truth.
 *
 * The number of candidates of a record is that of the rows at its nearest
 * points; its own record is among them when the point of that record is.
 */
#include "postgres.h"

#include "pg/compat.h"
#include "pg/reidentification.h"

/* The nearest points of a point of the searching file. */
static const int32 *
nearest_points(const SdcLinkage *linkage, SdcLinkSearch *search, int32 point)
{
	const SdcLinkHit *hit = &linkage->hit[point];
	const SdcLinkFile *from = &linkage->from.file;

	if (hit->count <= SDC_LINK_KEPT)
		return hit->point;
	sdc_link_search_run(search,
						from->coordinate + (Size) point * from->columns);
	return search->point;
}

/*
 * The number of candidates of the records at a point, and whether those at
 * the point of a partner are among them.
 */
static int64
count_candidates(const SdcLinkage *linkage, const int32 *nearest, int32 count,
				 int32 partner, bool *right)
{
	const SdcLinkFile *to = &linkage->to.file;
	int64 candidates = 0;
	int32 i;

	*right = false;
	for (i = 0; i < count; i++)
	{
		candidates += to->first[nearest[i] + 1] - to->first[nearest[i]];
		*right = *right || nearest[i] == to->point[partner];
	}
	return candidates;
}

SdcReidentification
sdcpg_reidentification_count(const SdcLinkage *linkage)
{
	SdcHost *host = &linkage->host->kernel;
	SdcReidentification found = {0, 0, 0, 0, 0};
	SdcLinkSearch *search = NULL;
	int32 row;

	if (linkage->hit != NULL)
		search = sdc_link_search_create(host, &linkage->index);
	for (row = 0; row < linkage->from.file.rows; row++)
	{
		int32 point = linkage->from.file.point[row];
		int32 partner = linkage->partner[row];
		int64 candidates;
		bool right;

		if (row % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (partner < 0)
			continue;
		found.records++;
		if (linkage->hit == NULL || point < 0)
			continue;
		candidates =
			count_candidates(linkage, nearest_points(linkage, search, point),
							 linkage->hit[point].count, partner, &right);
		if (right)
			found.right += 1.0 / candidates;
		found.unique_right += right && candidates == 1;
	}
	if (search != NULL)
		sdc_link_search_release(search);
	return found;
}
