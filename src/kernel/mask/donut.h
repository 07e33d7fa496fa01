/*
 * donut.h
 *		Places moved by a vector that is uniform over a ring.
 *
 * Donut masking (Hampton et al. 2010): a place goes at least as far as the
 * inner radius and at most as far as the outer one, each part of that ring
 * alike.  On a plane x and y have the unit of the radii.  On the earth x is
 * the longitude and y the latitude in degrees, radii are metres along a sphere
 * of the earth's mean radius.
 *
 * A place becomes a vector in which straight distances tell the ring: (x, y),
 * or the point of the sphere in metres.  On a sphere the area within a
 * distance is pi times the square of the chord, so squares of straight
 * distances are uniform on both surfaces.
 */
#ifndef SDC_KERNEL_DONUT_H
#define SDC_KERNEL_DONUT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"

typedef enum SdcDonutSurface
{
	SDC_DONUT_PLANE,
	SDC_DONUT_EARTH
} SdcDonutSurface;

/* Their words in that order; the list ends with NULL. */
extern const char *const sdc_donut_words[];

/* The mean radius of the earth (GRS 80), in metres. */
#define SDC_DONUT_EARTH_RADIUS 6371008.7714

/* The greatest radius of a ring: on the earth a quarter of a great circle. */
extern double sdc_donut_reach(SdcDonutSurface surface);

/*
 * Is it a place of the surface?  Both numbers are finite, on the earth a
 * longitude from -180 to 180 and a latitude from -90 to 90.
 */
extern bool sdc_donut_is_place(SdcDonutSurface surface, double x, double y);

/* The vector of a place; returns how many numbers it has, 2 or 3. */
extern int sdc_donut_vector(SdcDonutSurface surface, double x, double y,
							double vector[3]);

/* The straight distance of two places that are so far from each other. */
extern double sdc_donut_chord(SdcDonutSurface surface, double distance);

/*
 * Moves a place: 0 <= inner <= outer <= sdc_donut_reach.  Beyond the line of
 * the date and the poles it goes on; a pole has any longitude.  The same bits
 * everywhere; on the earth within a millionth of a metre.
 */
extern void sdc_donut_move(SdcDonutSurface surface, double inner, double outer,
						   SdcRandom *random, double *x, double *y);

/* People who live at places of a surface, such as the cells of a grid. */
typedef struct SdcDonutPeople
{
	int32_t places;
	const double *x;
	const double *y;
	const double *people; /* of each place, at least 0 */
} SdcDonutPeople;

/*
 * How many people live where each of so many moved places can have come from:
 * at a distance from inner to outer.  All are places of the surface.
 * O(places log places), and for each of the moved ones what lies in the
 * band of y that the outer radius reaches.
 */
extern void sdc_donut_count(SdcHost *host, SdcDonutSurface surface,
							double inner, double outer,
							const SdcDonutPeople *of, int32_t moved,
							const double *x, const double *y, double *count);

#endif
