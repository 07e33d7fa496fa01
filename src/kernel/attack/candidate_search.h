/*
 * candidate_search.h
 *		The masked records that every part of a mask leaves possible.
 *
 * The intersection of the sets B_j(x) (Nin, Herranz and Torra 2008).
 */
#ifndef SDC_KERNEL_CANDIDATE_SEARCH_H
#define SDC_KERNEL_CANDIDATE_SEARCH_H

#include "kernel/attack/candidate_set.h"

typedef struct SdcCandidateSearch
{
	SdcHost *host;
	int parts;
	const SdcCandidateSet *const *part;
	int32_t masked;
	/* the part with the smallest sets; -1 without parts */
	int pivot;
	/* at[j][t]: the position in part j of the record at t of the pivot */
	int32_t **at;
	/* records of the scan that are looked at together, and whether they fit */
	int32_t *fits;
	/* what the last run found */
	int32_t count;
	int32_t *row;
	/* masked records looked at since the last poll */
	int64_t looked;
} SdcCandidateSearch;

/*
 * Prepares to intersect these parts, which must stay where they are; without
 * parts every masked record is possible.  O(parts * masked) time, and
 * 4 (parts + 1) bytes per masked record.
 */
extern SdcCandidateSearch *
sdc_candidate_search_create(SdcHost *host, int parts,
							const SdcCandidateSet *const *part,
							int32_t masked);

/*
 * Finds the masked records that original record i can have become: row[0] ..
 * row[count - 1], each once.  Stops, with count > limit, when there are more
 * than limit.  Looks at the records that one part leaves possible, the one
 * with the smallest sets; polls.
 */
extern void sdc_candidate_search_run(SdcCandidateSearch *search, int32_t i,
									 int32_t limit);

#endif
