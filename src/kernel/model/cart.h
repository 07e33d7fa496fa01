/*
 * cart.h
 *		Classification and regression trees over columns cut into bins.
 *
 * CART: Breiman, Friedman, Olshen and Stone 1984.  kernel/synthetic draws from
 * the leaves of such trees, kernel/utility asks them which file a record is
 * from.  The tree of model.c asks for one value of a category at a time.
 */
#ifndef SDC_KERNEL_CART_H
#define SDC_KERNEL_CART_H

#include "kernel/base/host.h"

/* A predictor: bins of numbers in their order, or of categories in none. */
typedef struct SdcCartPredictor
{
	const uint16_t *bin; /* of each record; 0 is NULL */
	int32_t bins;
	bool ordered;
} SdcCartPredictor;

/* What a tree predicts: classes, or numbers; the other one is NULL. */
typedef struct SdcCartTarget
{
	const int32_t *label; /* of each record */
	int32_t classes;
	const double *number;
	int32_t leaf; /* records in the smallest leaf */
	double cp;
} SdcCartTarget;

/* A node of a tree, or a leaf. */
typedef struct SdcCartNode
{
	int32_t first; /* its records: row[first .. end - 1] of the tree */
	int32_t end;
	int32_t parent; /* -1: the root */
	int32_t yes;    /* the node where records go that fit; -1: a leaf */
	int32_t no;     /* the one of the others */
	int32_t column; /* the predictor that is asked */
	uint32_t cut;   /* yes: bins up to it; of categories: where in bits */
} SdcCartNode;

/* A tree; node 0 is its root. */
typedef struct SdcCart
{
	int32_t *row; /* records, leaf by leaf */
	int32_t nodes;
	SdcCartNode *node;
	uint64_t *bits;   /* sets of categories that go to yes */
	size_t words;     /* of bits[] that are used */
	size_t room;      /* of bits[] */
	int32_t leaves;   /* how many */
	int32_t smallest; /* records in the smallest leaf */
} SdcCart;

/*
 * Grows a tree over count records (at least 1), which row lists and which it
 * takes over and puts in order.  A split is the one that lowers the impurity
 * most (Gini of classes, squared differences of numbers), the first of equal
 * ones; it must leave target->leaf records on either side and gain more than
 * target->cp times the impurity of all records.  A node of fewer than three
 * times target->leaf records is not split.  Nothing is pruned.  With no
 * predictor it is one leaf.  O(predictors * count * depth) as a rule.
 */
extern SdcCart *sdc_cart_grow(SdcHost *host, const SdcCartPredictor *predictor,
							  int predictors, const SdcCartTarget *target,
							  int32_t *row, int32_t count);

/*
 * The leaves of count records from i on, whose bins are predictor[j].bin[i]:
 * leaf[k] becomes the node of record i + k.  All are on their way at a time: a
 * large tree is not in the cache, and while one waits for a node others go on.
 * O(count * depth of the tree).
 */
extern void sdc_cart_leaves(const SdcCart *tree,
							const SdcCartPredictor *predictor, int32_t i,
							int32_t count, int32_t *leaf);

/* Gives a tree back, with the list of rows that it took over. */
extern void sdc_cart_release(SdcHost *host, SdcCart *tree);

#endif
