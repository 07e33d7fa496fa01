/*
 * disclosure.h
 *		Attribute disclosure: how many original values a masked file gives
 *		away, exactly or within an interval.
 *
 * Record i has the value original[i] and was released with masked[i].  A
 * number that is not there is NaN, a code that is not there SDC_CODE_NULL.  A
 * record without an original value has nothing to give away and is left out;
 * a suppressed value gives nothing away.  So a file released unchanged has the
 * share 1 and a suppressed one the share 0, whatever is missing.
 */
#ifndef SDC_KERNEL_DISCLOSURE_H
#define SDC_KERNEL_DISCLOSURE_H

#include "kernel/base/host.h"

/* What the release says of a record. */
typedef enum SdcDisclosureMark
{
	SDC_DISCLOSURE_NOTHING, /* no original value */
	SDC_DISCLOSURE_HIDDEN,
	SDC_DISCLOSURE_SHOWN
} SdcDisclosureMark;

/* A numeric column before and after masking. */
typedef struct SdcDisclosureNumbers
{
	const double *original;
	const double *masked;
	int32_t n;

	/* set by sdc_disclosure_prepare */
	int32_t values;   /* originals that are there */
	double *sorted;   /* they, ascending */
	double first;     /* a power of 2 in two factors, which keeps */
	double second;    /* squares from overflowing */
	double deviation; /* of the originals times first times second (n - 1);
					   * 0 when there is no spread */
} SdcDisclosureNumbers;

/* Of the records with an original value, those that the release shows. */
typedef struct SdcDisclosureShare
{
	int32_t records;
	int32_t shown;
} SdcDisclosureShare;

/*
 * Sorts the originals of n records, finite or NaN, and finds their standard
 * deviation; bit by bit the same in any order of records.  O(n); keeps 8 n
 * bytes, scratch 24 n.
 */
extern void sdc_disclosure_prepare(SdcHost *host,
								   SdcDisclosureNumbers *numbers,
								   const double *original,
								   const double *masked, int32_t n);

/*
 * Rank interval disclosure.  R is the sorted originals, w = floor(p n / 200)
 * with p from 0 to 100 and n the originals that are there; the masked value
 * is looked up in R, the nearest value if it is not there and the lower of two
 * that are equally near.  A record is shown when its original lies between
 * R[first - w] and R[last + w], first and last being where equal values begin
 * and end, clipped to R.  O(n log n).
 *
 * Torra, Disclosure, Privacy Models, and Privacy Mechanisms, 2024, algorithm
 * 7, whose max and min are exchanged in the paper.
 */
extern void sdc_disclosure_rank(SdcHost *host,
								const SdcDisclosureNumbers *numbers, double p,
								uint8_t *mark);

/*
 * Standard deviation interval disclosure: a record is shown when its masked
 * value is within p percent of the standard deviation of the originals.  In a
 * column without spread that is: when it is equal.  O(n).
 *
 * The same, algorithm 8.
 */
extern void sdc_disclosure_deviation(SdcHost *host,
									 const SdcDisclosureNumbers *numbers,
									 double p, uint8_t *mark);

/* A record is shown when its values are equal.  O(n). */
extern void sdc_disclosure_equal(SdcHost *host,
								 const SdcDisclosureNumbers *numbers,
								 uint8_t *mark);

/* The same for codes, equal codes being equal values. */
extern void sdc_disclosure_equal_codes(SdcHost *host, const int32_t *original,
									   const int32_t *masked, int32_t n,
									   uint8_t *mark);

/*
 * The share of equal values that chance would leave, if the masked values
 * were dealt out to the records at random: the sum of p(s) p'(s) over the
 * values s.  NaN when no original is there.  O(n log n).
 */
extern double sdc_disclosure_chance(SdcHost *host,
									const SdcDisclosureNumbers *numbers);

/* The same for codes 0 .. values - 1.  O(n + values). */
extern double sdc_disclosure_chance_codes(SdcHost *host,
										  const int32_t *original,
										  const int32_t *masked, int32_t n,
										  int32_t values);

/*
 * Joins the marks of one more column: a record is shown by several columns
 * when each column that has an original value shows it.
 */
extern void sdc_disclosure_join(SdcHost *host, const uint8_t *mark, int32_t n,
								uint8_t *joint);

/* Counts marks. */
extern SdcDisclosureShare sdc_disclosure_count(SdcHost *host,
											   const uint8_t *mark, int32_t n);

/* The share as a number; NaN when there are no records. */
static inline double
sdc_disclosure_share(SdcDisclosureShare share)
{
	return (double) share.shown / share.records;
}

#endif
