/*
 * link.h
 *		The links that a search by distance has found, as rows.
 */
#ifndef SDC_TOPIC_LINK_H
#define SDC_TOPIC_LINK_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/rows.h"
#include "host/server/host.h"
#include "host/server/parallel.h"
#include "kernel/linkage/link_measure.h"
#include "kernel/linkage/link_nearest.h"
#include "topic/registry/attacks.h"

/* What is near; in the order of sdcpg_linkage_methods. */
typedef enum SdcLinkageMethod
{
	SDC_LINKAGE_EUCLIDEAN,
	SDC_LINKAGE_MAHALANOBIS,
	SDC_LINKAGE_WM,
	SDC_LINKAGE_OWA,
	SDC_LINKAGE_CHOQUET,
	SDC_LINKAGE_CHOQUET2,
	SDC_LINKAGE_BILINEAR,
	SDC_LINKAGE_GOWER
} SdcLinkageMethod;

/* Their names; ends with NULL. */
extern const char *const sdcpg_linkage_methods[];

/*
 * The keys of params of a method, in the current memory context; stops at one
 * that is not known.
 */
extern const SdcKey *sdcpg_linkage_keys(const char *method);

/* Stops where params lack what the method needs, or say it twice. */
extern void sdcpg_linkage_check(const char *method, Jsonb *params);

/* What is linked, and how. */
typedef struct SdcLinkageCall
{
	Oid original;
	Oid masked;
	const char *id;  /* of the original, as the keys are */
	ArrayType *keys; /* name[] */
	bool to_original;
	SdcLinkageMethod method;
	/*
	 * NULL, or checked by sdcpg_linkage_keys: what the method needs,
	 * map {original column: masked column} and scale.
	 */
	Jsonb *params;
	Jsonb *rules; /* that the intruder knows; NULL: none */
	/*
	 * Steps that the search may take, one for each column of a point that it
	 * meets, by a rough estimate; 0: no bound.  Beyond them a sample of the
	 * searching records is taken, by the seed of the case.
	 */
	double steps;
	const SdcAttackCase *sample;
	uint64 seed; /* settles ties of an assignment */
} SdcLinkageCall;

/*
 * One of the two files.  Rows are in the order of their ids; frame column 0
 * is the id, the others are the keys.
 */
typedef struct SdcLinkageFile
{
	SdcFrame *frame;
	SdcLinkFile file;
	SdcIds ids;
} SdcLinkageFile;

/*
 * Each record of from searches the file to.  partner[row] is the row of to
 * with the same id, or -1.  hit is NULL when no search was possible.
 */
typedef struct SdcLinkage
{
	SdcPgHost *host;
	SdcLinkageMethod method;
	SdcRelationColumns keys; /* of the original */
	bool *category;          /* GOWER: which keys are categories */
	SdcLinkageFile from;
	SdcLinkageFile to;
	SdcLinkageFile *original; /* one of the two */
	SdcLinkageFile *masked;   /* the other one */
	SdcLinkKinds kinds;       /* not of GOWER */
	int32 *partner;
	int32 people;          /* that have a partner, before a sample */
	const SdcLinkHit *hit; /* by the point of from */
	SdcPointIndex index;
	SdcLinkMeasure measure;
	double scale; /* what sums have to be multiplied by */
	SdcParallel parallel;
	SdcLinkSearch *search; /* of sdcpg_linkage_nearest */
} SdcLinkage;

/*
 * Reads both relations and prepares them, without a search: standard scores
 * (for GOWER ranges), turned when that makes the distance a plain one, and the
 * distinct points.
 */
extern void sdcpg_linkage_prepare(SdcLinkage *linkage, SdcPgHost *host,
								  const SdcLinkageCall *call);

/* The same, and links every record of from. */
extern void sdcpg_linkage_run(SdcLinkage *linkage, SdcPgHost *host,
							  const SdcLinkageCall *call);

/*
 * The success of a linkage that was run, as sdc.reid counts it from the rows
 * of sdc.attack_distance, without making the rows.  O(records), but a point
 * with many equally near ones is searched again.
 */
extern SdcLinkSuccess sdcpg_link_success_count(SdcLinkage *linkage);

/* Ends workers and gives shared memory back. */
extern void sdcpg_linkage_end(SdcLinkage *linkage);

/* Where parallel workers start; not for calling. */
extern PGDLLEXPORT void sdcpg_linkage_worker(dsm_segment *segment,
											 shm_toc *toc);

/*
 * Links one to one: row[i] is the row of to that row i of from is assigned to,
 * or -1, and distance[i] how far it is (link_assignment.h).
 */
typedef struct SdcLinkageAssignment
{
	int32 *row;
	double *distance;
} SdcLinkageAssignment;

/*
 * Links the records of a linkage that was prepared one to one, by the distance
 * of its method; of equally good links the seed decides.
 */
extern SdcLinkageAssignment sdcpg_linkage_assign(SdcLinkage *linkage,
												 uint64 seed);

/* How many of those who have a partner are assigned to it. */
extern SdcLinkSuccess
sdcpg_link_assigned_count(const SdcLinkage *linkage,
						  const SdcLinkageAssignment *assignment);

/*
 * Returns, for each record of a linkage that was run, all records that are
 * nearest, lists longer than max_candidates cut short; or, when there is an
 * assignment, the one record that it has.
 */
extern void sdcpg_linkage_links_put(SdcLinkage *linkage,
									const SdcLinkageAssignment *assignment,
									ReturnSetInfo *result,
									int32 max_candidates);

/*
 * The rows "distance" and "mahalanobis" of the attacks; below, keys of params
 * of the latter (sdcpg_linkage_keys has those of the former).
 */
extern void sdcpg_attack_distance(const SdcAttack *attack,
								  const SdcAttackCase *of, SdcPgHost *host,
								  SdcAttackOutcome *outcome);
extern void sdcpg_attack_mahalanobis(const SdcAttack *attack,
									 const SdcAttackCase *of, SdcPgHost *host,
									 SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_mahalanobis_params[];

#endif
