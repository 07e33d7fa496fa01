/*
 * sequential_private.h
 *		The trees of kernel/synthetic, between who grows and who draws.
 */
#ifndef SDC_KERNEL_SEQUENTIAL_PRIVATE_H
#define SDC_KERNEL_SEQUENTIAL_PRIVATE_H

#include "kernel/base/host.h"

/* A predictor: bins of numbers in their order, or of categories in none. */
typedef struct SdcSequentialBins
{
	const uint16_t *bin; /* of each record; 0 is NULL */
	int32_t bins;
	bool ordered;
} SdcSequentialBins;

/* What a tree predicts: classes, or numbers; the other one is NULL. */
typedef struct SdcSequentialTarget
{
	const int32_t *label; /* of each record */
	int32_t classes;
	const double *number;
	int32_t leaf; /* records in the smallest leaf */
	double cp;
} SdcSequentialTarget;

/* A node of a tree, or a leaf. */
typedef struct SdcSequentialNode
{
	int32_t first; /* its records: row[first .. end - 1] of the tree */
	int32_t end;
	int32_t parent; /* -1: the root */
	int32_t yes;    /* the node where records go that fit; -1: a leaf */
	int32_t no;     /* the one of the others */
	int32_t column; /* the predictor that is asked */
	uint32_t cut;   /* yes: bins up to it; of categories: where in bits */
} SdcSequentialNode;

/* A tree; node 0 is its root. */
typedef struct SdcSequentialTree
{
	int32_t *row; /* records, leaf by leaf */
	int32_t nodes;
	SdcSequentialNode *node;
	uint64_t *bits;   /* sets of categories that go to yes */
	size_t words;     /* of bits[] that are used */
	size_t room;      /* of bits[] */
	int32_t leaves;   /* how many */
	int32_t smallest; /* records in the smallest leaf */
} SdcSequentialTree;

/*
 * Grows a tree over count records, which row lists and which it takes over and
 * puts in order; see sequential.h.  With no predictor it is one leaf.
 */
extern SdcSequentialTree *
sdc_sequential_tree(SdcHost *host, const SdcSequentialBins *predictor,
					int predictors, const SdcSequentialTarget *target,
					int32_t *row, int32_t count);

/*
 * The leaves of count records from i on, whose bins are predictor[j].bin[i]:
 * leaf[k] becomes the node of record i + k.  All are on their way at a time: a
 * large tree is not in the cache, and while one waits for a node others go on.
 * O(count * depth of the tree).
 */
extern void sdc_sequential_leaves(const SdcSequentialTree *tree,
								  const SdcSequentialBins *predictor,
								  int32_t i, int32_t count, int32_t *leaf);

/* Gives a tree back, with the list of rows that it took over. */
extern void sdc_sequential_tree_release(SdcHost *host,
										SdcSequentialTree *tree);

#endif
