/*
 * match.h
 *		One-to-one linkage on candidate lists: assignment and probabilities.
 *
 * Rows (persons, say) have lists of columns (masked records) with a score,
 * the higher the better, or a row may stay outside at a score of its own.  No
 * dense matrix is ever made, so the size is bounded by the lists only.  Ties
 * are broken by the order of rows and entries: shuffle both, by a seed and
 * never by the order of the files, before the lists are made.
 */
#ifndef SDC_KERNEL_MATCH_H
#define SDC_KERNEL_MATCH_H

#include "kernel/base/host.h"

/*
 * The entries of row i are first[i] .. first[i + 1] - 1; column[e] in 0 ..
 * columns - 1, each at most once in a row; score[e] finite.  outside[i] is
 * the score of row i without a column; -INFINITY: only where the lists leave
 * it no other way.  A list of costs is a list of scores with the sign turned.
 * rest[i] is the log of the weight of all columns that row i may have and that
 * are not on its list, one as likely as another; -INFINITY: there are none.
 * NULL: lists are whole.  Only chances heed it.
 */
typedef struct SdcMatchLists
{
	int32_t rows;
	int32_t columns;
	const int64_t *first;
	const int32_t *column;
	const float *score;
	const float *outside;
	const float *rest;
} SdcMatchLists;

/* What an assignment was found by, and how much it took. */
typedef struct SdcMatchWork
{
	bool exact;   /* the best of all; otherwise within step a row of it */
	int64_t work; /* entries looked at */
	int32_t matched;
} SdcMatchWork;

/* Entries that sdc_match_assign looks at for an exact answer by default. */
#define SDC_MATCH_BUDGET INT64_C(200000000)

/*
 * Gives each row a column, each at most once, or none: assigned[row] is the
 * column or -1, entry[row] (unless NULL) the entry, and the sum of the scores
 * is the greatest.  Exact, by shortest augmenting paths (Jonker and Volgenant
 * 1987) while at most budget entries are looked at; beyond that by auction
 * (Bertsekas 1988) from prices of 0 with steps of 0.05, whose sum is at most
 * 0.05 a row below the greatest; that too stops, with the rows still waiting
 * left outside, after another budget * 20 entries.  O(rows * entries) at the
 * worst, near O(entries) in practice; scratch 40 bytes a column, 24 a row and
 * 16 an entry.
 */
extern SdcMatchWork sdc_match_assign(SdcHost *host, const SdcMatchLists *lists,
									 int64_t budget, int32_t *assigned,
									 int64_t *entry);

/* How sdc_match_belief runs. */
typedef struct SdcMatchBelief
{
	/*
	 * Weight of a column that no row has, beside a weight of 1 a row that
	 * may stand behind it: 1 where rows may be missing, 0 where every column
	 * belongs to a row.  By column when free_column is not NULL.
	 */
	float free_weight;
	const float *free_column;
	int rounds; /* at the most */
} SdcMatchBelief;

/*
 * The chance of each entry, that this row has this column, and of each row
 * that it has one at all (inside[row]), when scores are log weights and each
 * column has at most one row, by belief propagation; then each row is weighed
 * exactly together with its four strongest rivals, for messages that come back
 * in short cycles make it too sure.  Exact on trees and where at most five
 * compete for six columns, well calibrated otherwise.  Columns that are not
 * listed (rest) are as free as columns are on the average, and the rows that
 * want them take some of each.  Returns the rounds
 * used.  O(entries) a round, then at most about 40 us a row; scratch 20 bytes
 * an entry and 200 a row.
 *
 * B. Huang, T. Jebara 2009, "Approximating the permanent with belief
 * propagation"; Sinkhorn's scaling gives chances that are too small, 91
 * percent where 96 percent are right.
 * A. Montanari, T. Rizzo 2005, "How to compute loop corrections to the Bethe
 * approximation".
 */
extern int sdc_match_belief(SdcHost *host, const SdcMatchLists *lists,
							const SdcMatchBelief *belief, float *chance,
							float *inside);

/* The chance of each entry when every row is taken by itself. */
extern void sdc_match_alone(SdcHost *host, const SdcMatchLists *lists,
							float *chance, float *inside);

#endif
