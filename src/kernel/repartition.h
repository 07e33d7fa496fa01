/*
 * repartition.h
 *		A few groups taken apart and put together again.
 *
 * The small problem that a local search solves again and again: some rows,
 * their present groups, and a new partition into groups of k to 2k - 1 with a
 * smaller sum of squares.
 */
#ifndef SDC_KERNEL_REPARTITION_H
#define SDC_KERNEL_REPARTITION_H

#include "kernel/host.h"
#include "kernel/random.h"

#define SDC_REPARTITION_ROWS   256
#define SDC_REPARTITION_GROUPS 16

typedef struct SdcRepartition
{
	int columns;
	int k;
	int rows;
	int stride;       /* rows rounded up to full vectors */
	double *value;    /* value[column * stride + row], moved to their mean */
	double *square;   /* squared length of a row */
	double *distance; /* distance[row * stride + other], squared */
	int groups;
	int label[SDC_REPARTITION_ROWS];
	int count[SDC_REPARTITION_GROUPS];
	double *mean; /* mean[group * columns + column] */
	double mean_square[SDC_REPARTITION_GROUPS];
	double *product; /* product[group * stride + row]: mean . row */
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

/* The sum of squared distances to the means of the groups. */
extern double sdc_repartition_cost(const SdcRepartition *repartition);

/* Exchanges one to three random pairs of rows. */
extern void sdc_repartition_shake(SdcRepartition *repartition,
								  SdcRandom *random);

/* Forgets the groups and grows new ones from random or remote rows. */
extern void sdc_repartition_regrow(SdcRepartition *repartition,
								   SdcRandom *random);

/* Moves and exchanges rows as long as that lowers the cost. */
extern void sdc_repartition_descend(SdcRepartition *repartition);

#endif
