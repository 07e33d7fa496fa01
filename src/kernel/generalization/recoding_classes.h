/*
 * recoding_classes.h
 *		A partition of tuples into classes that are generalized alike.
 *
 * A class is known by the number of one of its tuples, and its members are a
 * ring.  Its levels are the lowest that make all members equal.
 */
#ifndef SDC_KERNEL_RECODING_CLASSES_H
#define SDC_KERNEL_RECODING_CLASSES_H

#include "kernel/generalization/recoding_space.h"

typedef struct SdcRecodingClasses
{
	const SdcRecodingSpace *space;
	int32_t *of;      /* of[tuple]: its class; a class is its own */
	int32_t *next;    /* next[tuple]: the next member, round */
	int32_t *members; /* of each class */
	int64_t *size;    /* records */
	double *cost;     /* of each record */
	uint8_t *level;   /* level[class * keys + j] */
} SdcRecodingClasses;

/* Each tuple is a class.  Memory 28 bytes and one a key for each tuple. */
extern SdcRecodingClasses *
sdc_recoding_classes_new(SdcHost *host, const SdcRecodingSpace *space);

/* A class as a generalized tuple. */
extern SdcRecodingBox
sdc_recoding_classes_box(const SdcRecodingClasses *classes, int32_t number);

/*
 * Makes one class of two and returns its number, that of the one with more
 * members.  O(members of the smaller + keys).
 */
extern int32_t sdc_recoding_classes_merge(SdcRecodingClasses *classes,
										  int32_t a, int32_t b);

/*
 * Makes a class of these tuples, which must be all that are left of the
 * classes they were in or about to get a class as well: nothing is done about
 * who stays behind.  Its number is member[0].  O(count * keys).
 */
extern void sdc_recoding_classes_set(SdcRecodingClasses *classes,
									 const int32_t *member, int32_t count);

/* Writes the members of a class down, in the order of the ring. */
extern int32_t sdc_recoding_classes_list(const SdcRecodingClasses *classes,
										 int32_t number, int32_t *member);

#endif
