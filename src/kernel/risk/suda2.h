/*
 * suda2.h
 *		Special uniques: minimal sample uniques, SUDA and DIS-SUDA scores.
 *
 * A record is unique on a set of keys when no other record has its values in
 * all of them.  A minimal sample unique (MSU) of a record is such a set none
 * of whose proper subsets is one: the smaller and the more numerous they are,
 * the less an intruder must know to single the record out.
 */
#ifndef SDC_KERNEL_SUDA2_H
#define SDC_KERNEL_SUDA2_H

#include "kernel/base/host.h"
#include "kernel/table/frequency.h"

/* Keys of an MSU at the most; the table may have any number. */
#define SDC_SUDA2_MAX_SIZE 63

/* Keys from which on scores are scaled, as they would not fit a double. */
#define SDC_SUDA2_SCALED_KEYS 100

/* What an MSU of s of M keys adds to the score of its record. */
typedef enum SdcSuda2Score
{
	/* (M - s)!; from SDC_SUDA2_SCALED_KEYS keys on divided by (M - 1)! */
	SDC_SUDA2_FACTORIAL,
	/* the product of M - i for i = s .. min(m, M - 1), m the largest size */
	SDC_SUDA2_ELLIOT,
	/*
	 * (2^(M - s) - 1) / C(M, s), as the first program of the IHSN had it; from
	 * SDC_SUDA2_SCALED_KEYS keys on divided by 2^(M - 1)
	 */
	SDC_SUDA2_IHSN
} SdcSuda2Score;

/* Their words, in that order; ends with NULL. */
extern const char *const sdc_suda2_score_words[];

/* What is looked for. */
typedef struct SdcSuda2Options
{
	/* of an MSU, 1 .. number of keys and SDC_SUDA2_MAX_SIZE */
	int max_size;
	SdcSuda2Score score;
	SdcNulls nulls; /* ignore: equals nothing, singles nobody out */
	/*
	 * Bytes that the sets of unique records may take before they are looked
	 * for in part of the records at a time; 0 is 64 MB.  Changes no result.
	 */
	size_t budget;
} SdcSuda2Options;

/*
 * The result.  Only records whose keys occur once can have an MSU, so the
 * arrays hold those, in the order of their cells.
 */
typedef struct SdcSuda2
{
	int keys;
	int32_t uniques;  /* length of the arrays below */
	int64_t singles;  /* records that agree with no other in all keys */
	int64_t doubles;  /* that agree with exactly one other */
	int32_t *unique;  /* of each cell its place in the arrays below, or -1 */
	double *score;    /* sum over the MSU of a record, 0 if it has none */
	int64_t *msus;    /* how many */
	uint8_t *size;    /* keys in the smallest of them, 0 if there is none */
	double *part;     /* part[u * keys + j]: of score, from MSU with key j */
	int64_t *of_size; /* of_size[s]: MSU of s keys in the file, s <= keys */
	double total;     /* sum of score */
} SdcSuda2;

/*
 * Finds all MSU of up to max_size keys of every record, and the scores.  The
 * keys are all columns of the table; weights are not looked at.  A set of keys
 * that holds a NULL of a record is none of its MSU unless NULL is a value.
 *
 * O(sets * cells) at the worst, with sets the number of sets of up to
 * max_size keys; in practice sets end as soon as everybody is unique on them,
 * and cells leave as soon as they are.  Wildcards cost a copy of their record
 * for every value they may stand for.  Memory: 8 keys + 17 bytes for a unique
 * record; for a cell 8, a byte for each key of up to 255 values and up to 6
 * for a level of the search; and up to 2.5 times the budget.
 *
 * Same results as SUDA2 (Manning, Haglin and Keane, A recursive search
 * algorithm for statistical disclosure assessment, 2008); scores of Elliot,
 * Manning and Ford, A computational algorithm for handling the special
 * uniques problem, 2002.
 */
extern SdcSuda2 *sdc_suda2_find(SdcHost *host, const SdcFrequency *frequency,
								const SdcSuda2Options *options);

/*
 * The probability that a match with a unique record is correct, as data
 * intrusion simulation estimates it: p n1 / (p n1 + 2 (1 - p) n2), with n1
 * singles and n2 pairs (half the doubles) in a sample that is the share p
 * (over 0, at most 1) of the population.  Two records agree as GROUP BY sees
 * it; with wildcards, when they may be equal.  1 without pairs, NaN without
 * singles and pairs.
 * (Skinner and Elliot, A measure of disclosure risk for microdata, 2002.)
 */
extern double sdc_suda2_match(const SdcSuda2 *suda, double p);

/*
 * Distributes that probability over the unique records by their scores:
 * dis[u] = 1 / (1 + (U / t - U) / (score^Q S)), t the probability above, U the
 * number of singles, S the sum of score^-Q over those with a score and
 * Q = 1 + (8 - M) / 20, but at least 1/20, as from 29 keys on the formula
 * would put the highest score last; 0 for a record without score.  O(uniques).
 * (Elliot, Integrating file and record level disclosure risk assessment,
 * 2002.)
 */
extern void sdc_suda2_dis(SdcHost *host, const SdcSuda2 *suda, double p,
						  double *dis);

/*
 * What each key contributes to the file: share[j] is the sum of part over
 * that of score; keys of one MSU all count it, so the shares sum to more than
 * 1.  All 0 when nobody has a score.  O(uniques * keys).
 */
extern void sdc_suda2_contributions(SdcHost *host, const SdcSuda2 *suda,
									double *share);

/*
 * The same for the values of key j: share[1 + code], with share[0] for NULL.
 * They sum to the contribution of the key.  O(uniques).
 */
extern void sdc_suda2_value_contributions(SdcHost *host, const SdcSuda2 *suda,
										  const SdcFrequency *frequency, int j,
										  double *share);

#endif
