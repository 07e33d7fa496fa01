/*
 * basket_clusters.h
 *		New baskets under bounds: clusters, moves and rows.
 */
#ifndef SDC_PG_BASKET_CLUSTERS_H
#define SDC_PG_BASKET_CLUSTERS_H

#include "postgres.h"

#include "pg/transaction/basket_files.h"

/* What the new baskets may be off by; infinity: no bound. */
typedef struct SdcBasketBounds
{
	double jaccard;
	double cmae;
	double subset;
	double rfm;
	int32 k;    /* customers of subset */
	int64 span; /* days of subset */
	int classes;
	double share; /* the most of its pieces or turnover a customer moves by */
} SdcBasketBounds;

typedef struct SdcBasketClusters
{
	int32 clusters;
	int32 moved;   /* customers whose pieces or turnover were moved */
	int64 missing; /* pieces there are more of than before */
	SdcBasketRows rows;
} SdcBasketClusters;

/*
 * Makes new baskets within the bounds with as few clusters as it finds.  Each
 * customer gets the items of the centre of its cluster.  Pieces and turnover
 * are moved only between customers of one cluster and one cell; where the
 * members of a cluster have fewer pieces together than their new rows need,
 * some come from the same cell, then from others.  Moves become smaller as
 * long as a bound does not hold, and at last clusters become more: with one
 * for each customer there is nothing left that differs.
 */
extern SdcBasketClusters
sdcpg_basket_clusters_make(const SdcBasketFile *file,
						   const SdcBasketBounds *bounds, SdcRandom *random);

#endif
