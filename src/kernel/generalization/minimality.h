/*
 * minimality.h
 *		What knowing the greedy grouping algorithm reveals.
 *
 * A group that diverse_group closed tells more than its sensitive values: it
 * was not l-diverse before its last record came.  An intruder who knows the
 * order of the scan keeps only those assignments of the values to the records
 * under which the algorithm makes just this group.
 */
#ifndef SDC_KERNEL_MINIMALITY_H
#define SDC_KERNEL_MINIMALITY_H

#include "kernel/base/host.h"

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
