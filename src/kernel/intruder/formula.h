/*
 * formula.h
 *		A column that is a formula of few terms of keys.
 */
#ifndef SDC_KERNEL_FORMULA_H
#define SDC_KERNEL_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/base/host.h"

/* Keys that formulas are made of, and terms that one has, at the most. */
#define SDC_FORMULA_KEYS  12
#define SDC_FORMULA_TERMS 8

/* What is done to the column to make the sum of the terms of it. */
typedef enum SdcTurn
{
	SDC_TURN_NONE,
	SDC_TURN_SQUARE,
	SDC_TURN_ROOT,
	SDC_TURN_RECIPROCAL,
	SDC_TURN_LOGARITHM,
	SDC_TURNS
} SdcTurn;

/* A key to a power of -1, 1 or 2, or a product or quotient of two. */
typedef struct SdcFormulaTerm
{
	int key[2];
	int power[2]; /* the second is 0 where there is one key */
	double factor;
} SdcFormulaTerm;

/* Numbers are multiplied by a power of two, so that those of all keys, and of
 * the column, are below 1. */
typedef struct SdcFormula
{
	SdcTurn turn;
	double constant;
	int terms;
	SdcFormulaTerm term[SDC_FORMULA_TERMS];
	int exponent[SDC_FORMULA_KEYS];
	int column_exponent;
} SdcFormula;

/*
 * Finds the formula of n rows of keys, SDC_FORMULA_KEYS at the most, that a
 * column follows; only the joined ones, the first, are multiplied and divided.
 * pairs: the terms of each two of them are tried by themselves, too, for those
 * of a sum may explain more together than any of a quotient does alone.
 * It is fitted to every second row by forward selection (Chen, Billings and
 * Luo 1989, orthogonal least squares), with as many terms as the others bear
 * out.  Rows that lack a number are left out, and keys that half of the rows
 * lack.  False: there is none, or a sum or a product of powers of the keys
 * leaves no more than twice as much of the variance.  In other units by powers
 * of two the same, bit by bit.  O(keys^2 n); scratch 6 keys^2 n bytes.
 */
extern bool sdc_formula_find(SdcHost *host, const double *const *key, int keys,
							 int joined, bool pairs, const double *column,
							 int32_t n, SdcFormula *formula);

/* Takes the terms of keys from a number on away, none of which is joined: what
 * is left is what the column and these make together.  O(terms). */
extern void sdc_formula_drop(SdcFormula *formula, int keys);

/* What the formula makes of the keys of a row; NaN where one is missing, or it
 * makes no number. */
extern double sdc_formula_apply(const SdcFormula *formula,
								const double *const *key, int32_t row);

/* What one of the two keys of a term makes of a row: the term is its factor
 * times what both make; 1 where there is no second one. */
extern double sdc_formula_half(const SdcFormula *formula, int term, int which,
							   const double *const *key, int32_t row);

/* What the sum of the terms and the constant is, where the column has this
 * value; NaN: none. */
extern double sdc_formula_turned(const SdcFormula *formula, double value);

#endif
