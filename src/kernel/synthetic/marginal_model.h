/*
 * marginal_model.h
 *		The distribution of categories that a junction tree factorizes.
 *
 * A table of columns with few values each has too many cells to hold; the
 * cliques of a junction tree over sets of columns are small.  Each clique is
 * stored as P(clique | separator to its parent): then a step of a fit is a
 * product, subtrees sum to one, the marginal of any columns needs only the
 * cliques between them, and records are drawn from the same arrays, from the
 * roots down (McKenna, Sheldon and Miklau 2019; Koller and Friedman 2009).
 */
#ifndef SDC_KERNEL_MARGINAL_MODEL_H
#define SDC_KERNEL_MARGINAL_MODEL_H

#include "kernel/base/host.h"
#include "kernel/privacy/strong_bits.h"

/* Columns at the most: sets of them are bits. */
#define SDC_MARGINAL_COLUMNS 64

/* A set of columns: bit v stands for column v. */
typedef uint64_t SdcColumnSet;

/* The set of one column. */
#define SDC_COLUMN_BIT(v) (UINT64_C(1) << (v))

/* The lowest column of a set that is not empty. */
#define sdc_column_first(set) __builtin_ctzll(set)

/* An array over the cells of some columns, the highest column fastest. */
typedef struct SdcMarginal
{
	SdcColumnSet columns;
	int64_t cells;
	double *value;
} SdcMarginal;

/* A clique of the tree, and its place in it. */
typedef struct SdcClique
{
	SdcMarginal given; /* P(clique | separator) */
	double *joint;     /* P(clique) */
	int parent;        /* a clique before this one; -1: a root */
	SdcColumnSet separator;
	int64_t separator_cells;
	int32_t *to_separator; /* of each cell, the cell of the separator */
	int32_t *from_parent;  /* the same of each cell of the parent */
	double *sum;           /* of the separator, while sums are taken */
} SdcClique;

/* The cliques of a junction tree with their distributions. */
typedef struct SdcMarginalModel
{
	int columns;
	const int32_t *size; /* values of each column; belongs to the caller */
	int cliques;         /* parents come before their children */
	SdcClique *clique;
	double total; /* records */
} SdcMarginalModel;

/* Cells of a set of columns; at most 2^62, which stands for more. */
extern int64_t sdc_marginal_cells(const int32_t *size, SdcColumnSet columns);

/*
 * The maximal cliques of a graph in which the columns of each given set are
 * neighbours, made chordal by eliminating the column of the smallest factor
 * first.  clique[] has room for columns; returns how many there are.
 */
extern int sdc_marginal_cliques(const int32_t *size, int columns,
								const SdcColumnSet *set, int sets,
								SdcColumnSet *clique);

/*
 * A model whose cliques hold the given sets: uniform; or the distribution of
 * old, all of whose sets must be among them.  1 <= columns <= 64, every clique
 * has fewer than 2^31 cells.
 */
extern SdcMarginalModel *sdc_marginal_model(SdcHost *host, const int32_t *size,
											int columns,
											const SdcColumnSet *set, int sets,
											const SdcMarginalModel *old);

/* Gives back a model. */
extern void sdc_marginal_model_release(SdcHost *host, SdcMarginalModel *model);

/*
 * Makes of potentials in clique[].given, which sum to anything, conditional
 * distributions and marginals of cliques: two passes over the cells.
 */
extern void sdc_marginal_calibrate(SdcMarginalModel *model);

/*
 * The marginal of any columns, as probabilities, in memory of the host: an
 * array of all their cells.
 */
extern SdcMarginal sdc_marginal_query(SdcHost *host,
									  const SdcMarginalModel *model,
									  SdcColumnSet columns);

/*
 * Draws rows records: code[v][i] below size[v].  Within a group of records
 * that agree in a separator the numbers of records of each cell are rounded by
 * systematic sampling, which is unbiased and adds less than one record of
 * error to a cell; which records get them is chosen by chance.  O(rows cliques
 * + cells).
 */
extern void sdc_marginal_sample(SdcHost *host, SdcStrongBits *bits,
								const SdcMarginalModel *model, int32_t rows,
								uint16_t *const *code);

/* ----------------------------------------------------------------------
 * The model whose marginals are nearest to noisy ones.
 *
 * Least squares, each cell weighed by the precision of its noise, over the
 * distributions of a junction tree, by mirror descent: p becomes p exp(-step
 * gradient), with Armijo's rule for the step (McKenna, Sheldon and Miklau
 * 2019).  It reads nothing but what was measured.
 * ----------------------------------------------------------------------
 */

/* What was measured of some columns; several measurements are one. */
typedef struct SdcMeasurement
{
	SdcColumnSet columns;
	int64_t cells;
	double *count;  /* noisy, the mean of all measurements of the cell */
	double *weight; /* 1 / variance of its noise, above 0 */
} SdcMeasurement;

/* All that was measured; all zero to begin with. */
typedef struct SdcMeasurements
{
	int count;
	int room; /* of item[] */
	SdcMeasurement *item;
} SdcMeasurements;

/*
 * Adds a measurement of all cells of some columns; weight is one for all
 * cells, or by_cell is NULL or has one for each.  Both are copied.
 */
extern void sdc_measurements_add(SdcHost *host, SdcMeasurements *all,
								 const int32_t *size, SdcColumnSet columns,
								 const double *count, double weight,
								 const double *by_cell);

/* Gives back the measurements. */
extern void sdc_measurements_release(SdcHost *host, SdcMeasurements *all);

/* The number of records: the mean of the totals, weighed by precision. */
extern double sdc_measurements_total(const SdcMeasurements *all);

/*
 * Fits a model, whose cliques hold all that was measured, and its total, at
 * least 1.  Ends after so many iterations, or five in a row that gain no more
 * than tolerance of the loss.  O(cells of cliques and measurements) an
 * iteration.  Returns how many there were.
 */
extern int sdc_marginal_fit(SdcHost *host, SdcMarginalModel *model,
							const SdcMeasurements *all, int iterations,
							double tolerance);

#endif
