/*
 * cube.h
 *		A table from dimensions: all cells, all equations, all contributions;
 *		several tables as one.
 *
 * A dimension is codes and equations between them: a total and its parts.
 * Several hierarchies over the same codes are more equations.  The cells are
 * all combinations of a code of each dimension, numbered with the last
 * dimension fastest.
 */
#ifndef SDC_KERNEL_CUBE_H
#define SDC_KERNEL_CUBE_H

#include "kernel/base/host.h"
#include "kernel/tabular/tabular.h"

/* Cells at the most. */
#define SDC_CUBE_MAX_CELLS 20000000

/* A dimension. */
typedef struct SdcCubeDimension
{
	int32_t codes;
	int32_t equations;
	/* codes member[start[r]] = the sum of member[start[r] + 1], ... */
	const int32_t *start;
	const int32_t *member;
} SdcCubeDimension;

/* The number of cells; above SDC_CUBE_MAX_CELLS it may be any such number. */
extern int64_t sdc_cube_cells(const SdcCubeDimension *dimension,
							  int dimensions);

/* The table of all cells, without values (sdc_tabular_create). */
extern SdcTabular *sdc_cube_create(SdcHost *host,
								   const SdcCubeDimension *dimension,
								   int dimensions);

/* One of several tables whose cells are partly the same. */
typedef struct SdcCubePart
{
	const SdcTabular *table; /* its cells and equations */
	/* of each cell; equal ones are the same cell, in whichever table */
	const uint64_t *identity;
	int32_t *place; /* made: where each of its cells is among all */
} SdcCubePart;

/*
 * The table of all cells of several tables, each once, in the order of their
 * identities, with all their equations, each once; without values.
 * O((cells + members) log of them).
 */
extern SdcTabular *sdc_cube_link(SdcHost *host, SdcCubePart *part, int parts);

/* Contributions that rules look at in each cell. */
#define SDC_CUBE_TOP 5

/* What the records of a cell are. */
typedef struct SdcCubeCell
{
	double sum;
	int32_t count;  /* respondents with a contribution */
	int32_t holder; /* the only one, or SDC_NO_HOLDER */
	int32_t leader; /* who gave the most, or SDC_NO_HOLDER */
	int32_t second; /* who gave the second most, or SDC_NO_HOLDER */
	/* the largest contributions of one respondent each, largest first */
	double top[SDC_CUBE_TOP];
	uint64_t key; /* the sum of the keys of its respondents, modulo 2^64 */
} SdcCubeCell;

/*
 * Fills the cells from n records: code[d][i] is a code of dimension d that is
 * no total, value[i] the contribution (at least 0), respondent[i] who gave
 * it; records of one respondent lie together, and count once in each cell;
 * key[r] is the key of respondent r, or key is NULL and all keys are 0.
 * Stops with false when a sum is beyond SDC_TABULAR_LARGEST.
 * O(n * cells above a record).
 */
extern bool sdc_cube_fill(SdcHost *host, const SdcCubeDimension *dimension,
						  int dimensions, int32_t n,
						  const int32_t *const *code, const double *value,
						  const int32_t *respondent, const uint64_t *key,
						  SdcCubeCell *cell);

/*
 * What the records of the hidden parts of each equation are together, where
 * its total is shown, so that everybody can compute their sum; of the others
 * nothing.  table is that of the dimensions, the rest as above.
 */
extern void sdc_cube_unite(SdcHost *host, const SdcCubeDimension *dimension,
						   int dimensions, int32_t n,
						   const int32_t *const *code, const double *value,
						   const int32_t *respondent, const SdcTabular *table,
						   const bool *hidden, SdcCubeCell *of_equation);

#endif
