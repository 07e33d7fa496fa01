/*
 * neighbours.h
 *		Which tables differential privacy must make hard to tell apart.
 */
#ifndef SDC_KERNEL_NEIGHBOURS_H
#define SDC_KERNEL_NEIGHBOURS_H

/*
 * Tables that differ by one record more or less, or by the values of one
 * record.  A replaced record may also come to be skipped, because its value
 * is NULL or a condition no longer holds, so a figure that is safe for
 * SDC_NEIGHBOURS_REPLACE is safe for SDC_NEIGHBOURS_ADD_REMOVE, too.
 */
typedef enum SdcNeighbours
{
	SDC_NEIGHBOURS_ADD_REMOVE,
	SDC_NEIGHBOURS_REPLACE
} SdcNeighbours;

#endif
