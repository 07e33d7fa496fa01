/*
 * attribute.h
 *		What somebody's value is, by the records that could be his.
 *
 * An intruder who cannot tell which of several records is that of a person
 * still knows the value if all of them have it (Machanavajjhala et al. 2007,
 * the homogeneity attack), or most of what he believes (background knowledge).
 */
#ifndef SDC_RISK_ATTRIBUTE_H
#define SDC_RISK_ATTRIBUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/base/host.h"

/* A record that could be that of the person. */
typedef struct SdcAttributeEntry
{
	double value;  /* a number, or the code of a category; NAN: it has none */
	double chance; /* that the record is his, 0 .. 1 */
} SdcAttributeEntry;

/* What is said of a person's value. */
typedef struct SdcAttributeBelief
{
	double said;   /* the least of equally likely values; NAN: none */
	double right;  /* chance that what is said is true, guessing among ties */
	double chance; /* that the intruder gives what he says, 0 .. 1 */
} SdcAttributeBelief;

/*
 * The category with the largest sum of chances; among equally likely ones the
 * intruder guesses.  The chances are taken as shares of their sum, and made
 * so; nobody with a category gives {NAN, 0, 0}.  order: scratch, an integer
 * for each entry.  O(count log count).
 */
extern SdcAttributeBelief sdc_attribute_category(SdcHost *host,
												 SdcAttributeEntry *entry,
												 int32_t *order, int32_t count,
												 double truth);

/*
 * The same for numbers: the weighted median of those that are there, the lower
 * one of two, which is right, and believed, where a value is no further from
 * it than tolerance >= 0.
 */
extern SdcAttributeBelief sdc_attribute_number(SdcHost *host,
											   SdcAttributeEntry *entry,
											   int32_t *order, int32_t count,
											   double tolerance, double truth);

#endif
