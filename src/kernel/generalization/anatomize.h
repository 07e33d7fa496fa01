/*
 * anatomize.h
 *		Groups of records whose sensitive values differ (Anatomy); what knowing
 *		how they were made gives away (minimality).
 */
#ifndef SDC_KERNEL_ANATOMIZE_H
#define SDC_KERNEL_ANATOMIZE_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"

/*
 * Is a group of size > 0 records l-diverse whose most frequent sensitive value
 * occurs largest times?  It is when n / r_1 >= l (simplified l-diversity: no
 * value has more than 1/l of the records).
 */
static inline bool
sdc_diverse_group_is(int32_t size, int32_t largest, double l)
{
	return (double) size / largest >= l;
}

/*
 * Scans n records in their order and closes the group as soon as it is
 * l-diverse.  code[i] is the sensitive value of record i, 0 .. values - 1; l
 * is at least 1 and finite.  group[i] becomes the number of its group, from 0
 * in the order of the scan.
 *
 * When the last group is not l-diverse at the end of the scan it is merged
 * into the one before, and on, until the union is l-diverse.  Returns how many
 * groups there are, or -1 when even all records together are not l-diverse;
 * group[] is then undefined.  O(n + values).
 *
 * Source: Cormode, Data Anonymization, slide 16, which leaves open what
 * becomes of the remainder.
 */
extern int32_t sdc_diverse_group_scan(SdcHost *host, const int32_t *code,
									  int32_t n, int32_t values, double l,
									  int32_t *group);

/*
 * Puts n records into groups of l, or a few more, records with different
 * sensitive values.  code[i] is the value of record i, 0 .. values - 1; l is
 * at least 1.  group[i] becomes the number of its group, from 0.
 *
 * Each group takes one record from each of the l largest buckets (records of
 * one value) that are left; which record of a bucket is drawn at random.  The
 * fewer than l records that remain go to groups, drawn at random, that do not
 * have their value.  Returns the number of groups, floor(n / l), or -1 when
 * the records are not eligible; group[] is then undefined.
 *
 * O(n + values log values).  Source: Xiao and Tao, Anatomy: simple and
 * effective privacy preservation, VLDB 2006, figure 3.
 */
extern int32_t sdc_anatomize_group(SdcHost *host, const int32_t *code,
								   int32_t n, int32_t values, int32_t l,
								   SdcRandom *random, int32_t *group);

/*
 * Numbers the n records from 0, group by group and at random within a group:
 * position[i] is the number of record i, whose group is group[i], 0 .. groups
 * - 1.  Two calls that follow one another are independent.  O(n + groups).
 */
extern void sdc_anatomize_place(SdcHost *host, const int32_t *group, int32_t n,
								int32_t groups, SdcRandom *random,
								int32_t *position);

/* ----------------------------------------------------------------------
 * What knowing the greedy grouping algorithm reveals.
 *
 * A group that diverse_group closed tells more than its sensitive values: it
 * was not l-diverse before its last record came.  An intruder who knows the
 * order of the scan keeps only those assignments of the values to the records
 * under which the algorithm makes just this group.
 * ----------------------------------------------------------------------
 */

/* How the count of assignments ended. */
typedef enum SdcMinimalityAnswer
{
	SDC_MINIMALITY_FOUND,
	SDC_MINIMALITY_NONE, /* no assignment is consistent */
	SDC_MINIMALITY_LARGE /* more work than SDC_MINIMALITY_LIMIT */
} SdcMinimalityAnswer;

/*
 * Values that occur equally often cannot be told apart by the algorithm, so
 * they share their beliefs and form a class.
 */
typedef struct SdcMinimality
{
	int32_t classes;
	int32_t *class_of; /* of each value */
	/* posterior[i * classes + c]: record i has a given value of class c */
	double *posterior;
	double consistent; /* share of all assignments that are consistent */
} SdcMinimality;

/*
 * Fills *result for one group: count[v] > 0 records have value v, 0 .. values
 * - 1, and records are numbered in the order of the scan.  All assignments of
 * the values to the records are as likely before the algorithm is known.
 * Consistent are those under which no proper prefix is l-diverse
 * (sdc_diverse_group_is) but the whole group is.  When the group is the last
 * one it may also be a merger with the remainder: then its prefixes may be
 * l-diverse as long as none of what follows a closed group is, to the end.
 *
 * A posterior is the number of consistent assignments that give the record
 * the value, over the number of all consistent ones.  Both are counted by
 * dynamic programming, as probabilities of a draw without replacement: a
 * state is how often each value has been used, values of a class being
 * interchangeable, and values that can no longer keep the group from being
 * closed are forgotten.  So 0 and 1 are exact, and other numbers have a
 * relative error of some n * 2^-52.  Work and memory: the draws that lead from
 * one reachable state to another, at the most SDC_MINIMALITY_LIMIT / 128.
 * These are few, except in a last group of many values, where none may be
 * forgotten.  result->posterior is NULL unless the answer is FOUND.
 *
 * Source: Cormode, Data Anonymization, slide 16; the attack in general is
 * that of Wong, Fu, Wang and Pei, Minimality attack in privacy preserving
 * data publishing, VLDB 2007.
 */
extern SdcMinimalityAnswer
sdc_minimality_solve(SdcHost *host, const int32_t *count, int32_t values,
					 double l, bool last, SdcMinimality *result);

/* Frees what *result holds. */
extern void sdc_minimality_release(SdcHost *host, SdcMinimality *result);

#endif
