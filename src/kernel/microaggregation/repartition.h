/*
 * repartition.h
 *		A few groups taken apart and put together again.
 *
 * The small problem that a local search solves again and again: some rows,
 * their present groups, and a new partition into groups of k to 2k - 1 with a
 * smaller sum of squares.  Once the products of all pairs of rows are known,
 * everything follows from them, whatever the number of columns: the product
 * of a mean with a row is the mean of products.  Rows are moved to their
 * common mean first, so that no digits are lost.
 */
#ifndef SDC_KERNEL_REPARTITION_H
#define SDC_KERNEL_REPARTITION_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"

#define SDC_REPARTITION_ROWS   256
#define SDC_REPARTITION_GROUPS 16

typedef struct SdcRepartition
{
	int columns;
	int k;
	int rows;
	int stride;    /* rows rounded up to full vectors */
	double *value; /* value[column * stride + row] */
	double *gram;  /* gram[row * stride + other]: product of two rows */
	double total;  /* sum of the squared lengths of the rows */
	int groups;
	int label[SDC_REPARTITION_ROWS];
	int count[SDC_REPARTITION_GROUPS];
	double *product; /* product[group * stride + row]: mean with row */
	double mean_square[SDC_REPARTITION_GROUPS]; /* of the mean's length */

	/* Per row: its squared length, 1 / count and product of its group. */
	double square[SDC_REPARTITION_ROWS];
	double inverse[SDC_REPARTITION_ROWS];
	double own_product[SDC_REPARTITION_ROWS];
} SdcRepartition;

extern SdcRepartition *sdc_repartition_create(SdcHost *host, int columns,
											  int k);
extern void sdc_repartition_release(SdcHost *host,
									SdcRepartition *repartition);

/*
 * Takes rows[] (row-major coordinates: values + row * columns) and their
 * labels 0 .. groups - 1, every group of k to 2k - 1 rows.
 */
extern void sdc_repartition_load(SdcRepartition *repartition,
								 const double *values, const int32_t *rows,
								 const int *label, int count, int groups);

/* Computes what follows from the labels after they have been changed. */
extern void sdc_repartition_update(SdcRepartition *repartition);

/* The sum of squared distances to the means of the groups. */
extern double sdc_repartition_cost(const SdcRepartition *repartition);

/* Moves and exchanges rows as long as that lowers the cost. */
extern void sdc_repartition_descend(SdcRepartition *repartition);

/* Exchanges one to three random pairs of rows. */
extern void sdc_repartition_shake(SdcRepartition *repartition,
								  SdcRandom *random);

/* Forgets the groups and grows new ones from random or remote rows. */
extern void sdc_repartition_regrow(SdcRepartition *repartition,
								   SdcRandom *random);

#endif
