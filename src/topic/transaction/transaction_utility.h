/*
 * transaction_utility.h
 *		Measures of two tables of purchases, each from one or two queries.
 *
 * They read the WITHs of purchases.h under fixed names: o and m are original
 * and masked purchases, l is the link (masked, original), ko and km are the
 * cells of customers.  with is the text of these, without the word WITH.
 * NaN stands for "there is nothing to measure".  Sums are numeric, so that no
 * result depends on the order of rows.
 */
#ifndef SDC_TOPIC_TRANSACTION_UTILITY_H
#define SDC_TOPIC_TRANSACTION_UTILITY_H

#include "postgres.h"

#include "host/server/host.h"

/*
 * Stops unless each masked id occurs once in l and no id is NULL; or, of what
 * is not "l", when a customer occurs twice in the cells of that name.
 */
extern void sdcpg_transactions_check(SdcPgHost *host, const char *with,
									 const char *what);

/*
 * cmae of 2016, mean over the cells of |mean price - mean price'|, where a
 * mean price is turnover by pieces; or of 2017: mean over customers of their
 * mean price over rows.  Cells are those of o; one that m lacks counts as 0.
 */
extern double sdcpg_transactions_cmae(SdcPgHost *host, const char *with,
									  bool of_2017);

/*
 * subset: largest mean difference of turnover of k customers in span days.
 * Money is counted in units of the smallest digit, of 1e-6 at the least.
 * Stops when l has fewer than k customers.
 */
extern double sdcpg_transactions_subset(SdcPgHost *host, const char *with,
										int32 k, int64 span);

/* RFM with so many classes; F is days, or invoices, with purchases. */
extern double sdcpg_transactions_rfm(SdcPgHost *host, const char *with,
									 int classes, bool by_invoice);

/*
 * Half of the sum over the items of |turnover - turnover'|, as a share of the
 * turnover: how much of it is on other items.
 */
extern double sdcpg_transactions_books(SdcPgHost *host, const char *with);

/* ut-jaccard: mean over l of the distances of the sets of items. */
extern double sdcpg_transactions_jaccard(SdcPgHost *host, const char *with);

#endif
