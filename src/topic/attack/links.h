/*
 * links.h
 *		The rows of sdc.link, which every attack returns.
 */
#ifndef SDC_TOPIC_LINKS_H
#define SDC_TOPIC_LINKS_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "host/data/rows.h"
#include "host/server/host.h"
#include "kernel/linkage/class_items.h"

/* One row of sdc.link. */
typedef struct SdcLink
{
	const char *id;
	const char *linked_id; /* NULL: nobody named */
	int64 candidates;
	double probability;
	double distance; /* NaN: none */
	bool certain;
	bool correct;
} SdcLink;

/*
 * The rows that an attack is returning.  The members are for links.c, but
 * candidates and named may be read between _begin_record and _end_record.
 */
typedef struct SdcLinks
{
	SdcPgHost *host;
	ReturnSetInfo *result;
	MemoryContext caller;
	MemoryContext scratch; /* current while rows are returned */
	uint64 records;        /* for the progress line */
	uint64 done;

	/* sets of candidates, which are rows of one file */
	const SdcFrameColumn *ids;
	int32 max_candidates;
	int32 *candidate; /* a heap, the largest row first */
	const char *id;
	int32 partner;
	bool has_partner; /* partner is among the candidates */
	int64 candidates; /* so far */
	int32 named;      /* of them in candidate[] */
} SdcLinks;

/* The settings of a list that is cut short, for params.max_candidates. */
#define SDC_LINKS_CANDIDATES       100
#define SDC_LINKS_CANDIDATES_LIMIT 1000000

/*
 * Starts to return rows for so many records.  Until the end the current
 * memory context is one that is reset every few records.
 */
extern void sdcpg_links_begin(SdcLinks *links, SdcPgHost *host,
							  ReturnSetInfo *result, uint64 records);

/* Ends it; the rows are in the result. */
extern void sdcpg_links_end(SdcLinks *links);

/*
 * Polls, and from time to time frees what was made in the scratch context: to
 * be called once before each record, unless by sdcpg_links_begin_record.
 */
extern void sdcpg_links_step(SdcLinks *links);

/* Appends one row as it is. */
extern void sdcpg_links_put(SdcLinks *links, const SdcLink *link);

/*
 * Prepares for sets of candidates: rows of a file whose ids are in a text
 * column, in the order of the ids.  Lists longer than max_candidates are cut
 * short.  O(max_candidates) memory, and no more than rows.
 */
extern void sdcpg_links_prepare_sets(SdcLinks *links,
									 const SdcFrameColumn *ids, int32 rows,
									 int32 max_candidates);

/*
 * Starts a record; partner is the row of the candidates' file that is the
 * right one, or -1.
 */
extern void sdcpg_links_begin_record(SdcLinks *links, const char *id,
									 int32 partner);

/*
 * Adds candidates, each row once; row[] is ascending within a call.
 * O(log count + max_candidates log max_candidates).
 */
extern void sdcpg_links_add(SdcLinks *links, const int32 *row, int32 count);

/*
 * The same for a set that is counted and of which only the first rows are
 * known, at least as many as are named; does it have the partner?
 */
extern void sdcpg_links_add_first(SdcLinks *links, const int32 *row,
								  int32 count, int64 candidates,
								  bool has_partner);

/*
 * Returns the rows of the record: each candidate with the same probability.
 * When there are more than max_candidates, the right one, if it is among
 * them, and the first by id are named, and one row without a name has the
 * rest of the probability.  Without candidates there is one row without a
 * name, with probability 1 and no distance.  certain holds only for a single
 * candidate: does the intruder know that it is the right one?
 */
extern void sdcpg_links_end_record(SdcLinks *links, double distance,
								   bool certain);

/* The text of an item. */
typedef const char *(*SdcItemName)(void *arg, int32 item);

/*
 * Returns the rows of one record: its candidates by falling probability,
 * which is the share of the weights.  When there are more than
 * max_candidates, own, if it is one of them, and the likeliest are named, and
 * one row without a name has the rest of the probability.  own is what would
 * be right, or -1; certain holds for a single candidate only.  Sorts the set.
 * sdcpg_links_step must have been called for the record before.
 */
extern void sdcpg_weighted_links_put(SdcLinks *links, const char *id,
									 SdcItemSet *set, int32 max_candidates,
									 int32 own, bool certain, SdcItemName name,
									 void *arg);

#endif
