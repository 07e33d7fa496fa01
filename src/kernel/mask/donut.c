/*
 * donut.c
 *		Places moved by a vector that is uniform over a ring.
 *
 * Sine, cosine and arc tangent are series of our own, as libm may round
 * differently elsewhere.
 */
#include "kernel/mask/donut.h"

#include <math.h>
#include <stddef.h>

#include "kernel/base/sort.h"

#define PI      3.14159265358979323846
#define DEGREES (180 / PI)

/* Terms of the series; what they leave out is below 1e-17. */
#define SINE_TERMS    14
#define TANGENT_TERMS 14

/* Rounding may put a place so much, in proportion, beyond a radius. */
#define ROUNDING 1e-9

const char *const sdc_donut_words[] = {"plane", "earth", NULL};

double
sdc_donut_reach(SdcDonutSurface surface)
{
	return surface == SDC_DONUT_PLANE ? 1e150
									  : PI / 2 * SDC_DONUT_EARTH_RADIUS;
}

bool
sdc_donut_is_place(SdcDonutSurface surface, double x, double y)
{
	if (surface == SDC_DONUT_PLANE)
		return isfinite(x) && isfinite(y);
	return x >= -180 && x <= 180 && y >= -90 && y <= 90;
}

/* The sine of -pi .. pi. */
static double
sine(double x)
{
	double square = x * x;
	double sum = 0;
	int k;

	for (k = SINE_TERMS; k > 0; k--)
		sum = square / (2 * k * (2 * k + 1)) * (1 - sum);
	return x * (1 - sum);
}

/* The cosine of -pi .. pi. */
static double
cosine(double x)
{
	double half = sine(x / 2);

	return 1 - 2 * half * half;
}

/* The angle of a vector, -pi .. pi; 0 of none. */
static double
angle(double x, double y)
{
	double length = sqrt(x * x + y * y);
	double t;
	double square;
	double sum = 0;
	int halved;
	int k;

	if (length == 0)
		return 0;
	/* tan(a / 2), and then tan(a / 16) */
	t = x >= 0 ? y / (length + x) : (y < 0 ? -1 : 1) * (length - x) / fabs(y);
	if (x < 0 && y == 0)
		return PI;
	if (fabs(t) > 1)
		return (t < 0 ? -1 : 1) * PI - angle(-x, y);
	for (halved = 0; halved < 3; halved++)
		t = t / (1 + sqrt(1 + t * t));
	square = t * t;
	for (k = TANGENT_TERMS; k >= 0; k--)
		sum = 1.0 / (2 * k + 1) - square * sum;
	return 16 * t * sum;
}

int
sdc_donut_vector(SdcDonutSurface surface, double x, double y, double vector[3])
{
	double across;

	if (surface == SDC_DONUT_PLANE)
	{
		vector[0] = x;
		vector[1] = y;
		return 2;
	}
	across = SDC_DONUT_EARTH_RADIUS * cosine(y / DEGREES);
	vector[0] = across * cosine(x / DEGREES);
	vector[1] = across * sine(x / DEGREES);
	vector[2] = SDC_DONUT_EARTH_RADIUS * sine(y / DEGREES);
	return 3;
}

double
sdc_donut_chord(SdcDonutSurface surface, double distance)
{
	if (surface == SDC_DONUT_PLANE)
		return distance;
	return 2 * SDC_DONUT_EARTH_RADIUS *
		   sine(distance / (2 * SDC_DONUT_EARTH_RADIUS));
}

/* A direction, all of them alike. */
static void
draw_direction(SdcRandom *random, double *east, double *north)
{
	double square;
	double length;

	do
	{
		*east = 2 * sdc_random_unit(random) - 1;
		*north = 2 * sdc_random_unit(random) - 1;
		square = *east * *east + *north * *north;
	} while (square > 1 || square < 1e-6);
	length = sqrt(square);
	*east /= length;
	*north /= length;
}

/*
 * From a place of the earth along a direction, over a chord of the unit
 * sphere.  In the plane of the meridian the place is (cos y, sin y).
 */
static void
travel(double chord, double east, double north, double *x, double *y)
{
	double less = chord * chord / 2; /* 1 - cosine of the arc */
	double rise = chord * sqrt(1 - chord * chord / 4); /* its sine */
	double c = cosine(*y / DEGREES);
	double s = sine(*y / DEGREES);
	double forward = c * (1 - less) - s * north * rise;
	double aside = east * rise;
	double up = s * (1 - less) + c * north * rise;

	*x += angle(forward, aside) * DEGREES;
	*x -= *x > 180 ? 360 : *x < -180 ? -360 : 0;
	*y = angle(sqrt(forward * forward + aside * aside), up) * DEGREES;
}

void
sdc_donut_move(SdcDonutSurface surface, double inner, double outer,
			   SdcRandom *random, double *x, double *y)
{
	double least = sdc_donut_chord(surface, inner);
	double most = sdc_donut_chord(surface, outer);
	double east;
	double north;
	double chord;

	draw_direction(random, &east, &north);
	chord = sqrt(least * least +
				 sdc_random_unit(random) * (most * most - least * least));
	if (surface == SDC_DONUT_EARTH)
	{
		travel(chord / SDC_DONUT_EARTH_RADIUS, east, north, x, y);
		return;
	}
	*x += chord * east;
	*y += chord * north;
}

/* The places of people in ascending order of y. */
typedef struct Band
{
	double *y;
	double *people;
	double *vector[3];
} Band;

static Band
sort_people(SdcHost *host, SdcDonutSurface surface, const SdcDonutPeople *of)
{
	size_t room = (size_t) of->places + 1;
	uint64_t *key = sdc_new(host, uint64_t, room);
	int32_t *row = sdc_new(host, int32_t, room);
	Band band;
	int32_t i;
	int c;

	band.y = sdc_new(host, double, room);
	band.people = sdc_new(host, double, room);
	for (c = 0; c < 3; c++)
		band.vector[c] = sdc_new(host, double, room);
	for (i = 0; i < of->places; i++)
	{
		key[i] = sdc_sort_key(of->y[i]);
		row[i] = i;
	}
	sdc_sort_keys(host, key, row, (size_t) of->places);
	for (i = 0; i < of->places; i++)
	{
		double vector[3] = {0};

		sdc_donut_vector(surface, of->x[row[i]], of->y[row[i]], vector);
		for (c = 0; c < 3; c++)
			band.vector[c][i] = vector[c];
		band.y[i] = of->y[row[i]];
		band.people[i] = of->people[row[i]];
	}
	host->release(host, key);
	host->release(host, row);
	return band;
}

/* The people of a band at a square distance from least to most. */
static double
count_ring(const Band *band, const double vector[3], size_t from, size_t to,
		   double least, double most)
{
	double sum = 0;
	size_t i;

	for (i = from; i < to; i++)
	{
		double a = band->vector[0][i] - vector[0];
		double b = band->vector[1][i] - vector[1];
		double c = band->vector[2][i] - vector[2];
		double square = a * a + b * b + c * c;

		sum += square >= least && square <= most ? band->people[i] : 0;
	}
	return sum;
}

void
sdc_donut_count(SdcHost *host, SdcDonutSurface surface, double inner,
				double outer, const SdcDonutPeople *of, int32_t moved,
				const double *x, const double *y, double *count)
{
	Band band = sort_people(host, surface, of);
	double least = sdc_donut_chord(surface, inner) * (1 - ROUNDING);
	double most = sdc_donut_chord(surface, outer) * (1 + ROUNDING);
	double reach = (surface == SDC_DONUT_PLANE
						? outer
						: outer / SDC_DONUT_EARTH_RADIUS * DEGREES) *
				   (1 + ROUNDING);
	int64_t looks = 0;
	int32_t i;
	int c;

	host->stage(host, "counting people around places");
	for (i = 0; i < moved; i++)
	{
		double vector[3] = {0};
		size_t from =
			sdc_sort_below(band.y, (size_t) of->places, y[i] - reach);
		size_t to = sdc_sort_up_to(band.y, (size_t) of->places, y[i] + reach);

		looks += (int64_t) (to - from) + 1;
		if (looks >= SDC_POLL_STEPS)
		{
			host->poll(host, (uint64_t) i, (uint64_t) moved);
			looks = 0;
		}
		sdc_donut_vector(surface, x[i], y[i], vector);
		count[i] =
			count_ring(&band, vector, from, to, least * least, most * most);
	}
	for (c = 0; c < 3; c++)
		host->release(host, band.vector[c]);
	host->release(host, band.people);
	host->release(host, band.y);
}
