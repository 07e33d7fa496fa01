/*
 * baskets.h
 *		Purchases as arrays, and the new baskets that are made of them under
 *		bounds: what the files of sdc.anonymize_itemsets share.
 */
#ifndef SDC_TOPIC_BASKETS_H
#define SDC_TOPIC_BASKETS_H

#include "host/data/dictionary.h"
#include "host/server/host.h"
#include "kernel/base/random.h"
#include "kernel/transaction/basket_plan.h"
#include "kernel/transaction/item_sets.h"

/*
 * The purchases of a table by customer, in the order of the bytes of their
 * ids.  The days of customer i are those from first[i] on.
 */
typedef struct SdcBasketFile
{
	SdcPgHost *host;
	int32 customers;
	SdcDictionary *customer;
	SdcDictionary *item;
	int digits;       /* of money: amounts are in units of 10^-digits */
	SdcItemSets sets; /* of items */
	double *price;    /* of each item: mean, in units */
	double *turnover; /* of each item, in units */
	int32 *first;     /* customers + 1 */
	int64 *day;       /* from 2000-01-01 on */
	int64 *day_pieces;
	int64 *day_amount;
	int64 *pieces; /* of each customer */
	int64 *amount;
	int32 *cell; /* of each customer, as numbers 0 .. cells - 1 */
	int32 cells;
} SdcBasketFile;

/* Which days a customer's new basket has. */
typedef enum SdcBasketTimes
{
	SDC_DAYS_OWN,
	SDC_DAYS_SHIFTED, /* all by the same number, so that intervals stay */
	SDC_DAYS_COMMON,  /* in a cluster those of one of its members */
	SDC_DAYS_DRAWN    /* of a cluster's days, by classes */
} SdcBasketTimes;

/* What a customer's new basket comes to. */
typedef enum SdcBasketAmounts
{
	SDC_AMOUNTS_OWN,
	SDC_AMOUNTS_COMMON, /* shared out equally in a cluster */
	SDC_AMOUNTS_DRAWN   /* by classes, at the prices of cluster and cell */
} SdcBasketAmounts;

/* What the new baskets may be off by; infinity: no bound. */
typedef struct SdcBasketBounds
{
	SdcBasketTimes days;
	SdcBasketAmounts amounts;
	int64 shift;  /* days at most */
	double found; /* share of the customers, by the strongest channel */
	double books; /* turnover that may be on other items */
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
	int32 alone;   /* customers of whose classes a cluster has no other */
	SdcBasketRows rows;
} SdcBasketClusters;

/* The days of a customer. */
extern SdcBasketDays sdcpg_basket_days(const SdcBasketFile *file,
									   int32 customer);

/*
 * Makes new baskets within the bounds with as few clusters as it finds, or
 * with as many as may be found.  Each customer gets the items of the centre of
 * its cluster.  Unless amounts are common, pieces and turnover are moved only
 * between customers of one cluster and one cell; where the members of a
 * cluster have fewer pieces together than their new rows need, some come from
 * the same cell, then from others.  Moves become smaller as long as a bound
 * does not hold, and at last clusters become more: with one for each customer
 * there is nothing left that differs.  days draws what becomes of the days.
 */
extern SdcBasketClusters
sdcpg_basket_clusters_make(const SdcBasketFile *file,
						   const SdcBasketBounds *bounds, SdcRandom *random,
						   SdcRandom *days);

#endif
