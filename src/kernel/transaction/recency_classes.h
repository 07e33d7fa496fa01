/*
 * recency_classes.h
 *		Classes of customers by recency, frequency and money: how far two
 *		files differ in them, and histories that keep them.
 */
#ifndef SDC_KERNEL_RECENCY_CLASSES_H
#define SDC_KERNEL_RECENCY_CLASSES_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"

/* The dimensions: recency, frequency, money. */
#define SDC_RECENCY_CLASSES_DIMENSIONS 3

/* The figures of n customers, value[dimension][customer]. */
typedef struct SdcRecencyFile
{
	int32_t n;
	const double *value[SDC_RECENCY_CLASSES_DIMENSIONS];
} SdcRecencyFile;

/*
 * sqrt(sum (h - h')^2 / (sum h^2 + sum h'^2)) with h and h' the numbers of
 * customers in each of classes^3 cells: 0 when they are equal, 1 when no cell
 * has customers of both, NaN when there are none.  A dimension is cut at the
 * quantiles of the original only: cut j is the smallest value that at least
 * j / classes of its customers do not exceed, and the class of a value is the
 * number of cuts below it.  2 <= classes <= 100.  O(n log n).
 */
extern double sdc_recency_classes_error(SdcHost *host,
										const SdcRecencyFile *original,
										const SdcRecencyFile *masked,
										int classes);

/*
 * The days of customers with the pieces and the turnover of each day: those of
 * customer i from first[i] to first[i + 1] - 1, ascending, at least one.
 */
typedef struct SdcHistories
{
	int32_t customers;
	int32_t *first;
	int64_t *day;
	int64_t *pieces;
	int64_t *amount;
} SdcHistories;

/*
 * New histories for the members of clusters (cluster[i] from 0 to clusters -
 * 1).  The classes that the members of a cluster are in, all three dimensions
 * together, are dealt out among them again, each member's to one of them that
 * is drawn.  Within a class a customer gets the last day of one of the class
 * in the whole file, the number of days of another one, and the turnover of a
 * third (total[], which has room for all customers), so that each of the three
 * is spread as before.  The other days are drawn from those that members of
 * his cluster had before his last one, and where these are too few from those
 * of the file; where these are, too, he has fewer.  Pieces and turnover of a
 * day are those of a day of a member that is drawn.
 *
 * So nothing that a customer gets depends on who of his cluster he is.
 * Returns new arrays; *alone is how many customers are the only ones of their
 * classes in their cluster: who knows such a one finds a record of his
 * classes, though with nothing else of his.  O(n log n + days).
 */
extern SdcHistories
sdc_recency_classes_draw(SdcHost *host, const SdcHistories *histories,
						 const int32_t *cluster, int32_t clusters, int classes,
						 SdcRandom *random, int64_t *total, int32_t *alone);

/* Gives the arrays back; those that are NULL are none. */
extern void sdc_histories_release(SdcHost *host, SdcHistories *histories);

#endif
