/*
 * amount.h
 *		Numbers that are others and one of few amounts more, one of few times
 *		others, or others and whole steps more.
 */
#ifndef SDC_KERNEL_AMOUNT_H
#define SDC_KERNEL_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/base/host.h"

/* Amounts at the most. */
#define SDC_AMOUNTS 8

/* y = x + one of the amounts, or x times it, on a grid. */
typedef struct SdcAmounts
{
	bool times;  /* are amounts factors? */
	double grid; /* 0: none */
	double near; /* a number that is no further away has the amount */
	int count;
	double amount[SDC_AMOUNTS];
	double share[SDC_AMOUNTS]; /* of the pairs that have it */
} SdcAmounts;

/* y = start + x + a multiple of the step. */
typedef struct SdcWholeSteps
{
	double step;
	double start;
} SdcWholeSteps;

/* Numbers x and y that are known to belong together, finite ones. */
typedef struct SdcLinkedNumbers
{
	const double *x;
	const double *y;
	int count;
	double same; /* numbers that differ by so much are the same, above 0 */
} SdcLinkedNumbers;

/*
 * Finds few amounts that most pairs have and other pairings of x and y hardly
 * ever; false: there are none, or one that nearly all have, which is a line.
 * O(amounts count + count log count).
 */
extern bool sdc_amounts_find(SdcHost *host, const SdcLinkedNumbers *pairs,
							 SdcAmounts *amounts);

/* The number that the which-th amount makes of x. */
extern double sdc_amounts_apply(const SdcAmounts *amounts, int which,
								double x);

/* A number on the grid of y. */
extern double sdc_amounts_round(const SdcAmounts *amounts, double y);

/* The share of the pairs that have one. */
extern double sdc_amounts_share(const SdcAmounts *amounts);

/*
 * The chances of a step of post-randomisation by amounts: chance[a * codes +
 * b] that number a of so many, ascending ones becomes number b; the rest of
 * each row is drawn from count, how often a y is number b.  O(codes^2).
 */
extern void sdc_amounts_chances(const SdcAmounts *amounts,
								const double *number, const int32_t *count,
								int32_t codes, double same, double *chance);

/*
 * Finds the step, the greatest that all differences y - x have in common, or
 * the greatest usual one of times, dates and amounts that most of them have
 * and few of other pairings; false: there is none, or it leaves few different
 * remainders, or all differences are the same, which is a line.  O(count).
 */
extern bool sdc_steps_find(const SdcLinkedNumbers *pairs,
						   SdcWholeSteps *steps);

/* What is left of a number when whole steps are taken away: from 0 to the
 * step, without it. */
extern double sdc_steps_left(const SdcWholeSteps *steps, double x);

/*
 * Codes of n values, 0 and up, where neighbours that differ by no more than
 * same have one; -1: NaN.  After a period values begin anew; INFINITY: there
 * is none.  Returns how many codes there are.  O(n); scratch 12 bytes a value.
 */
extern int32_t sdc_same_codes(SdcHost *host, const double *value, int32_t n,
							  double same, double period, int32_t *code);

#endif
