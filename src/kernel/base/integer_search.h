/*
 * integer_search.h
 *		Integer programs by a branch and bound of our own.
 *
 * Relaxations are solved by the dual simplex of solver.h.  A node is
 * given up by a bound computed anew from prices (sdc_program_bound), so that
 * what is called optimal does not rest on what a solver rounds; that a
 * relaxation has no solution at all is the solver's word.
 *
 * The tree of nodes is for other searches, too.
 */
#ifndef SDC_KERNEL_INTEGER_SEARCH_H
#define SDC_KERNEL_INTEGER_SEARCH_H

#include "kernel/base/host.h"
#include "kernel/base/solver.h"

/* The columns of a program; each array has a place for every column. */
typedef struct SdcIntegerColumns
{
	/* of a column: 0 for any number; the higher are decided first */
	const uint8_t *rank;
	/* its bounds, finite; whole for those of rank above 0 */
	const double *low;
	const double *high;
	/* every solution in whole numbers costs a whole number */
	bool whole_cost;
} SdcIntegerColumns;

/*
 * Solves min c'x with the columns of rank above 0 whole; the program is to be
 * minimised, has rows that are equations or at least something, and bounds as
 * in columns.  Stops after most_work of the program's work (program->work).
 * x[column] gets the best solution, whole columns exactly so.  Status:
 * OPTIMAL, FEASIBLE (work ran out, bound holds), INFEASIBLE or LIMIT (nothing
 * found).  Memory: 32 bytes for each node, at most 2 million nodes.
 */
extern SdcSolverResult sdc_integer_search(SdcProgram *program,
										  const SdcIntegerColumns *columns,
										  double most_work, double *x);

/* A column's bounds, changed below the parent. */
typedef struct SdcBranchNode
{
	int32_t parent;
	int32_t column; /* -1: the root */
	double low;
	double high;
	double bound; /* below no solution is cheaper */
} SdcBranchNode;

/* Nodes, and a heap of those that are open; all zero but for the host. */
typedef struct SdcBranchTree
{
	SdcHost *host;
	SdcBranchNode *node; /* by number, in the order in which they were added */
	int32_t nodes;
	int32_t room;  /* of node[] and of heap[] */
	int32_t *heap; /* numbers of open nodes, the least bound first */
	int32_t open;  /* how many */
} SdcBranchTree;

/*
 * What the bound has risen by when a column was rounded down, and up, for each
 * unit that it moved by (pseudocosts: Benichou and others 1971).
 */
typedef struct SdcBranchGain
{
	double sum[2];
	int32_t count[2];
} SdcBranchGain;

/*
 * The mean gain of rounding a column down (up is 0) or up (1); the argument
 * otherwise when it was never moved that way.
 */
static inline double
sdc_branch_gain(const SdcBranchGain *gain, int up, double otherwise)
{
	return gain->count[up] > 0 ? gain->sum[up] / gain->count[up] : otherwise;
}

/* Notes that the bound rose by so much for each unit of a move down or up. */
static inline void
sdc_branch_gain_add(SdcBranchGain *gain, int up, double each)
{
	gain->sum[up] += each;
	gain->count[up]++;
}

/* Was it moved both ways that often? */
static inline bool
sdc_branch_gain_is_known(const SdcBranchGain *gain, int32_t often)
{
	return gain->count[0] >= often && gain->count[1] >= often;
}

/* What a search does with nodes; arg is its own. */
typedef struct SdcBranchRule
{
	/* is the work, or the room for nodes, used up? */
	bool (*is_spent)(void *arg);
	/* can a node of this bound hold something better? */
	bool (*is_hopeful)(const void *arg, double bound);
	/*
	 * Solves a node; the child to go on with, or -1.  Another child is put
	 * among the open nodes, as is the node itself when it is not done.
	 */
	int32_t (*solve)(void *arg, int32_t node);
	void *arg;
} SdcBranchRule;

/*
 * Adds a node, not yet among the open ones, and returns its number.  32 bytes,
 * and 4 in the heap.
 */
extern int32_t sdc_branch_add(SdcBranchTree *tree, SdcBranchNode node);

/* Puts a node among the open ones.  O(log open). */
extern void sdc_branch_open(SdcBranchTree *tree, int32_t node);

/*
 * Goes on from a node, or from -1, down as long as there is a child, and else
 * to the open node of the least bound (of equal ones the latest), until none
 * is hopeful or the work is spent.  Returns the least bound of what is open at
 * the end; infinity when there is none.
 */
extern double sdc_branch_search(SdcBranchTree *tree, int32_t from,
								const SdcBranchRule *rule);

/* Gives back the nodes and the heap. */
extern void sdc_branch_release(SdcBranchTree *tree);

#endif
