/*
 * lattice.h
 *		Full-domain generalization: the best node of the lattice.
 *
 * Each key has a hierarchy; a node takes one level of each, and joins the
 * records that agree in all keys on these levels to classes.  Records of
 * classes that fail the models are suppressed; a node is feasible when they
 * are no more than the limit.  The search finds the feasible node that loses
 * least, proves that there is none better, and tells which are as good.
 *
 * It works on a frequency table, never on records.  The table of a node is
 * rolled up from the table of a finer one; a lower bound that needs no table
 * is asked first.
 */
#ifndef SDC_KERNEL_LATTICE_H
#define SDC_KERNEL_LATTICE_H

#include "kernel/base/host.h"
#include "kernel/risk/class_measures.h"
#include "kernel/risk/risk.h"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"

/* Keys at the most, and levels of one of them. */
#define SDC_LATTICE_MAX_KEYS   64
#define SDC_LATTICE_MAX_LEVELS 255

/* Two scores are equal when they differ by no more than this part. */
#define SDC_LATTICE_TIE 1e-12

/* Co-optimal nodes that a result lists at the most; all are counted. */
#define SDC_LATTICE_MAX_OPTIMA 65536

/* What a node loses; less is better. */
typedef enum SdcLatticeMetric
{
	SDC_LATTICE_LOSS,           /* Iyengar 2002; 0 to 1 */
	SDC_LATTICE_AECS,           /* LeFevre 2006: records / classes */
	SDC_LATTICE_DISCERNIBILITY, /* Bayardo and Agrawal 2005 */
	SDC_LATTICE_ENTROPY,        /* non-uniform; Gionis and Tassa 2009 */
	SDC_LATTICE_PRECISION,      /* Sweeney 2002, as a loss: 0 to 1 */
	SDC_LATTICE_HEIGHT,         /* sum of the levels */
	SDC_LATTICE_EBIL,           /* entropy-based, of shares of the domain */
	SDC_LATTICE_AMBIGUITY,      /* Goldberger and Tassa 2010; 0 to 1 */
	SDC_LATTICE_METRICS
} SdcLatticeMetric;

/* How the losses of the keys become one; only of SDC_LATTICE_LOSS. */
typedef enum SdcLatticeMean
{
	SDC_LATTICE_GEOMETRIC, /* prod (1 + w loss)^(1 / keys) - 1 */
	SDC_LATTICE_ARITHMETIC,
	SDC_LATTICE_MAXIMUM,
	SDC_LATTICE_SUM
} SdcLatticeMean;

/* A key: its hierarchy, the levels that may be taken, what they lose. */
typedef struct SdcLatticeKey
{
	/* of the codes of the column; must nest and stay until the end */
	const SdcHierarchy *hierarchy;
	/*
	 * share[level][group]: the part of the domain that a group covers, 0 to
	 * 1, not shrinking from level to level.  NULL: values in the group over
	 * all values of the hierarchy.
	 */
	const double *const *share;
	/*
	 * Values that shares count: 1 / domain is the share of a single one.  0
	 * when shares are widths; then a single value loses nothing.  Not read
	 * when share is NULL.
	 */
	int64_t domain;
	int lowest;    /* levels that may be taken, both included */
	int highest;   /* at most levels - 1 of the hierarchy */
	double weight; /* of its loss; not negative, not 0 for all keys */
	/*
	 * NULL is one more group on each level.  When this is set, it joins the
	 * others on a level that has a single group.
	 */
	bool join_nulls;
} SdcLatticeKey;

/* A sensitive column and what every class must meet. */
typedef struct SdcLatticeSensitive
{
	SdcClassRequest request; /* its k is not read */
	/*
	 * What classes are compared with (t, beta, delta): a table whose last
	 * column is this one, with the same codes and as many values.  NULL: the
	 * table that is searched, records that get suppressed included.
	 */
	const SdcFrequency *reference;
} SdcLatticeSensitive;

/* What is searched: the table, the keys, and what classes must meet. */
typedef struct SdcLatticeProblem
{
	/* the keys first, then the sensitive columns; must stay */
	const SdcFrequency *frequency;
	int keys; /* at least 1, at most SDC_LATTICE_MAX_KEYS */
	const SdcLatticeKey *key;
	int sensitives; /* may be 0 */
	const SdcLatticeSensitive *sensitive;
	/*
	 * A register of the population: the keys in the same codes, of which the
	 * hierarchies must have all.  NULL: there is none.
	 */
	const SdcFrequency *people;
	/*
	 * Classes that fail a bound on classes are suppressed.  Where a bound on
	 * SDC_SIZE_AVERAGE or one after it does not hold for those that are kept,
	 * so are the smallest of these, until it does (as in ARX).  Where one
	 * before it does not hold then, the node is not feasible.  Bounds before
	 * SDC_SIZE_AVERAGE need people.  NULL: no bounds.
	 */
	const SdcSizeBounds *sizes;
	int64_t k;     /* smaller classes fail; 0 or 1: none does for its size */
	int64_t limit; /* records that may be suppressed */
	SdcLatticeMetric metric;
	SdcLatticeMean mean;
	/*
	 * Of SDC_LATTICE_LOSS, 0 to 1, 0.5 by default: with 0 suppressing loses
	 * nothing, with 1 generalizing loses nothing, with 0.5 a suppressed record
	 * is one that is generalized to the whole domain.
	 */
	double suppression_factor;
} SdcLatticeProblem;

/* Can a problem be searched?  If not, why. */
typedef enum SdcLatticeStatus
{
	SDC_LATTICE_OK,
	SDC_LATTICE_EMPTY,     /* no records */
	SDC_LATTICE_KEYS,      /* no key, or too many */
	SDC_LATTICE_LEVELS,    /* lowest and highest of a key do not fit it */
	SDC_LATTICE_WEIGHTS,   /* a weight is negative or not finite, or all 0 */
	SDC_LATTICE_SHARES,    /* the metric needs shares above 0 */
	SDC_LATTICE_TOO_LARGE, /* more than 2^62 nodes */
	SDC_LATTICE_OVERFLOW   /* more records than 2^47: sums would overflow */
} SdcLatticeStatus;

/* One node, checked. */
typedef struct SdcLatticeNode
{
	int64_t number; /* levels above the lowest as digits, the last key last */
	uint8_t level[SDC_LATTICE_MAX_KEYS];
	bool feasible;
	double score; /* NAN in a result that found none */
	int64_t suppressed;
	int64_t classes;  /* that are kept */
	int64_t smallest; /* of them, in records; 0 when there are none */
	int64_t largest;
} SdcLatticeNode;

/* When to stop a search early; a zeroed one never does. */
typedef struct SdcLatticeBudget
{
	int64_t checks; /* nodes that may be checked; 0: any number */
	/* asked before each check; true stops.  NULL: never */
	bool (*expired)(void *argument);
	void *argument;
} SdcLatticeBudget;

/* What a search found, and how far it came. */
typedef struct SdcLatticeResult
{
	int64_t nodes;   /* of the lattice */
	int64_t checked; /* nodes whose classes were counted */
	bool found;      /* is there a feasible node */
	bool proven;     /* nothing is better; with found false: there is none */
	bool stopped;    /* by the budget */
	SdcLatticeNode best;
	/*
	 * No feasible node has a lower score: the score of the best when proven,
	 * else below it by the gap.  Infinity when proven and none was found.
	 */
	double bound;
	/*
	 * Feasible nodes with the same score, the best first, then in the order
	 * of the tie rule; all of them when the search was not stopped.  optimum
	 * lists them up to SDC_LATTICE_MAX_OPTIMA; the array is the host's.
	 */
	int64_t optima;
	SdcLatticeNode *optimum;
} SdcLatticeResult;

/* A problem, prepared; private to lattice.c and its parts. */
typedef struct SdcLattice SdcLattice;

/* A problem of no keys with the defaults: k 2, limit 0, loss, factor 0.5. */
extern SdcLatticeProblem sdc_lattice_problem(void);

/* A key with all levels, weight 1, shares counted in its hierarchy. */
extern SdcLatticeKey sdc_lattice_key(const SdcHierarchy *hierarchy);

/*
 * Prepares a problem.  When the status is not SDC_LATTICE_OK, *lattice is NULL
 * and *key, unless key is NULL, is the key at fault or -1.  O(cells * keys +
 * sum of values * levels), memory about 60 bytes a cell and 12 a cell for each
 * sensitive column.
 */
extern SdcLatticeStatus sdc_lattice_start(SdcHost *host,
										  const SdcLatticeProblem *problem,
										  SdcLattice **lattice, int *key);

/* Gives what was prepared back before the host ends; NULL is ignored. */
extern void sdc_lattice_release(SdcLattice *lattice);

/* Nodes of the lattice. */
extern int64_t sdc_lattice_nodes(const SdcLattice *lattice);

/*
 * Finds the optimum.  Of equal scores the node with the smaller sum of levels
 * is better, then the smaller mean of level / highest level, then the smaller
 * mean of groups / values, then the smaller number.  Depth-first over the
 * lattice, where raising a feasible node may spoil it for most metrics from
 * the coarsest node down, without nodes whose lower bound is above the best
 * score or that a check of another node tells infeasible.  Memory: the tables
 * of one path and two more, 20 bytes a class, 9 more with sensitive columns
 * and for each of these 4 a value, where there are few, or 12 a value that it
 * has; and one byte a node for lattices up to 2^24 nodes.  Where records are
 * judged in all nodes at once, 28 bytes a node more and 4 for each of its
 * values, these no more than 16 MB.  In the worst case O(nodes * classes).
 */
extern void sdc_lattice_search(SdcLattice *lattice,
							   const SdcLatticeBudget *budget,
							   SdcLatticeResult *result);

/* Checks one node; levels must lie in the ranges of the keys. */
extern void sdc_lattice_check(SdcLattice *lattice, const uint8_t *level,
							  SdcLatticeNode *node);

/*
 * Checks every node of the lattice and hands each to visit, each once, in no
 * certain order; stops when it returns false.  O(nodes * classes).
 */
extern void sdc_lattice_visit(SdcLattice *lattice,
							  bool (*visit)(void *argument,
											const SdcLatticeNode *node),
							  void *argument);

/*
 * For a node: suppressed[cell] of each cell of the frequency table, whether
 * its records lie in a class that fails.  O(cells).
 */
extern void sdc_lattice_suppressed(SdcLattice *lattice, const uint8_t *level,
								   bool *suppressed);

#endif
