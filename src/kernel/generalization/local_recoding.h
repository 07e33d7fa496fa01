/*
 * local_recoding.h
 *		Local recoding: classes that are generalized each in its own way.
 *
 * Full-domain recoding generalizes a key to the same level in all records.
 * Here each combination of key values that occurs gets levels of its own, so
 * that common combinations stay as they are while rare ones lose detail.
 */
#ifndef SDC_KERNEL_LOCAL_RECODING_H
#define SDC_KERNEL_LOCAL_RECODING_H

#include "kernel/base/host.h"
#include "kernel/generalization/recoding_space.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"

/* What is demanded, and how long to try. */
typedef struct SdcLocalRecodingRequest
{
	int64_t k; /* records of a class, at least 1 */
	/*
	 * bounds on the last columns of the table, none on a measure of which
	 * sdc_class_measures_growth says SDC_GROWS_NEVER; NULL: no bounds
	 */
	const SdcClassRequest *sensitive;
	int sensitives; /* how many columns; not read when there are no bounds */
	int32_t nodes;  /* of the lattice to visit at most */
	double visits;  /* of tuples by nodes, about; 0: see below */
	int passes;     /* of improvement at most; 0: none */
} SdcLocalRecodingRequest;

/*
 * k = 2 and no bounds; 1,000,000 nodes, 3 passes.  As many visits as 3 * 10^8,
 * some seconds, or 500 times the tuples, whichever is more.
 */
extern SdcLocalRecodingRequest sdc_local_recoding_request(void);

/* What each tuple is generalized to, and the classes that this makes. */
typedef struct SdcLocalRecoding
{
	int32_t tuples;
	int keys;
	uint8_t *level;  /* level[tuple * keys + j] */
	int32_t *number; /* number[tuple]: its class, 0 .. classes - 1 */
	int32_t classes; /* of equal generalized tuples */
	int64_t *size;   /* records of each class */
	int64_t records;
	double granularity; /* 0 to 1, see below */
	double *of_key;     /* granularity of each key */
} SdcLocalRecoding;

/*
 * Generalizes the classes of a frequency table, which are those of its first
 * keys columns (tuple c is class c), so that each class of the result
 * satisfies the request; nothing is suppressed.  A level as high as the
 * hierarchy has levels is its root: the value says nothing any more; NULL, and
 * values whose groups differ on the top level, can have only that in common.
 *
 * The loss of a value is the share of the domain that its group covers, times
 * the weight of the key.  Granularity is 1 where nothing is generalized and 0
 * where every value covers its domain: 1 - (loss - least) / (most - least),
 * over all records and keys.  The loss is at most that of the best full-domain
 * recoding that satisfies the request, provided that one is among the nodes.
 *
 * NULL when all records together do not satisfy the request.  The result does
 * not depend on the order of records.  With n tuples, about n * keys * nodes
 * at worst, where the n shrinks as classes are found, and then n log n and
 * more for the improvement; memory about 150 + 4 * keys bytes a tuple.
 */
extern SdcLocalRecoding *
sdc_local_recoding(SdcHost *host, const SdcFrequency *frequency,
				   const SdcClasses *classes, const SdcRecodingKey *key,
				   int keys, const SdcLocalRecodingRequest *request);

#endif
