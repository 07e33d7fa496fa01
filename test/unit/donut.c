/*
 * donut.c
 *		Places moved to somewhere on a ring: distances and directions, on a
 *		plane, and on the earth against libm at its poles and at the line of
 *		the date.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "kernel/mask/donut.h"
#include "statistics.h"

#define DRAWS 20000
#define BINS  10
#define RAD   (M_PI / 180)

/* The distance of two places along the ground. */
static double
ground_distance(SdcDonutSurface surface, const double a[2], const double b[2])
{
	double x = sin((b[1] - a[1]) * RAD / 2);
	double y = sin((b[0] - a[0]) * RAD / 2);

	if (surface == SDC_DONUT_PLANE)
		return hypot(b[0] - a[0], b[1] - a[1]);
	return 2 * SDC_DONUT_EARTH_RADIUS *
		   asin(sqrt(x * x + cos(a[1] * RAD) * cos(b[1] * RAD) * y * y));
}

/* The share of the ring that is nearer than a distance. */
static double
share_of_ring(SdcDonutSurface surface, double inner, double outer, double d)
{
	double arc = surface == SDC_DONUT_PLANE ? 0 : SDC_DONUT_EARTH_RADIUS;

	if (arc == 0)
		return (d * d - inner * inner) / (outer * outer - inner * inner);
	return (cos(inner / arc) - cos(d / arc)) /
		   (cos(inner / arc) - cos(outer / arc));
}

/* Where b is from a, as a share of a turn. */
static double
direction(SdcDonutSurface surface, const double a[2], const double b[2])
{
	double turn;
	double east = (b[0] - a[0]) * RAD;

	if (surface == SDC_DONUT_PLANE)
		turn = atan2(b[0] - a[0], b[1] - a[1]);
	else
		turn = atan2(sin(east) * cos(b[1] * RAD),
					 cos(a[1] * RAD) * sin(b[1] * RAD) -
						 sin(a[1] * RAD) * cos(b[1] * RAD) * cos(east));
	return turn / (2 * M_PI) + 0.5;
}

static int
bin_of(double share)
{
	int bin = (int) (share * BINS);

	return bin < 0 ? 0 : bin < BINS ? bin : BINS - 1;
}

static void
check_ring(SdcDonutSurface surface, double x, double y, double inner,
		   double outer)
{
	double share[BINS] = {0};
	double turn[BINS] = {0};
	double start[2] = {x, y};
	double slack = 1e-6 + outer * 1e-12 + (fabs(x) + fabs(y)) * 1e-15;
	int outside = 0;
	SdcRandom random;
	int i;

	sdc_random_seed(&random, 5, (uint64_t) (outer + 1000 * fabs(y)));
	for (i = 0; i < DRAWS; i++)
	{
		double moved[2] = {x, y};
		double d;

		sdc_donut_move(surface, inner, outer, &random, &moved[0], &moved[1]);
		d = ground_distance(surface, start, moved);
		outside += !(d >= inner - slack && d <= outer + slack);
		outside += !sdc_donut_is_place(surface, moved[0], moved[1]);
		share[bin_of(share_of_ring(surface, inner, outer, d))]++;
		turn[bin_of(direction(surface, start, moved))]++;
	}
	unit_check(outside == 0, "%s (%g, %g): %g to %g, %d are elsewhere",
			   sdc_donut_words[surface], x, y, inner, outer, outside);
	unit_check(inner == outer || looks_uniform(share, BINS),
			   "each part of the ring has as many");
	unit_check(looks_uniform(turn, BINS), "each direction has as many");
}

/* Vectors by libm, and chords from the ground. */
static void
check_vectors(void)
{
	double worst = 0;
	double chord = 0;
	double x;
	double y;

	for (x = -180; x <= 180; x += 7.5)
		for (y = -90; y <= 90; y += 3.75)
		{
			double vector[3];
			double across = SDC_DONUT_EARTH_RADIUS * cos(y * RAD);

			sdc_donut_vector(SDC_DONUT_EARTH, x, y, vector);
			worst = fmax(worst, fabs(vector[0] - across * cos(x * RAD)));
			worst = fmax(worst, fabs(vector[1] - across * sin(x * RAD)));
			worst = fmax(worst, fabs(vector[2] -
									 SDC_DONUT_EARTH_RADIUS * sin(y * RAD)));
		}
	for (x = 1; x < sdc_donut_reach(SDC_DONUT_EARTH); x *= 3)
		chord = fmax(chord, fabs(sdc_donut_chord(SDC_DONUT_EARTH, x) -
								 2 * SDC_DONUT_EARTH_RADIUS *
									 sin(x / (2 * SDC_DONUT_EARTH_RADIUS))));
	unit_check(worst < 1e-7, "vectors are those of libm (%.2g m)", worst);
	unit_check(chord < 1e-7, "chords are those of libm (%.2g m)", chord);
}

static void
check_places(void)
{
	unit_check(sdc_donut_is_place(SDC_DONUT_EARTH, -180, 90) &&
				   !sdc_donut_is_place(SDC_DONUT_EARTH, 180.001, 0) &&
				   !sdc_donut_is_place(SDC_DONUT_EARTH, 0, -90.001) &&
				   !sdc_donut_is_place(SDC_DONUT_EARTH, NAN, 0),
			   "a place of the earth is a longitude and a latitude");
	unit_check(sdc_donut_is_place(SDC_DONUT_PLANE, 1e300, -5) &&
				   !sdc_donut_is_place(SDC_DONUT_PLANE, INFINITY, 0) &&
				   !sdc_donut_is_place(SDC_DONUT_PLANE, 0, NAN),
			   "a place of a plane is two finite numbers");
}

int
main(void)
{
	unit_start("places moved to a ring");
	check_vectors();
	check_places();
	check_ring(SDC_DONUT_PLANE, 0, 0, 0, 1);
	check_ring(SDC_DONUT_PLANE, 4e6, -5e6, 100, 500);
	check_ring(SDC_DONUT_PLANE, 7, 7, 3, 3);
	check_ring(SDC_DONUT_EARTH, 13.4, 52.5, 100, 500);
	check_ring(SDC_DONUT_EARTH, 13.4, 52.5, 0, 50000);
	check_ring(SDC_DONUT_EARTH, 179.9999, -17, 1000, 20000);
	check_ring(SDC_DONUT_EARTH, -179.9999, 0, 1, 1e6);
	check_ring(SDC_DONUT_EARTH, 10, 89.9, 2000, 40000);
	check_ring(SDC_DONUT_EARTH, -60, -89.9999, 500, 5e6);
	check_ring(SDC_DONUT_EARTH, 25, 90, 300, 900);
	return unit_finish();
}
