/*
 * neighbour_graph.h
 *		The nearest other points of every point.
 */
#ifndef SDC_KERNEL_NEIGHBOUR_GRAPH_H
#define SDC_KERNEL_NEIGHBOUR_GRAPH_H

#include "kernel/geometry/points.h"

/*
 * The degree nearest other distinct points of every distinct point, nearest
 * first: element p * degree + i, or -1 where there are fewer.
 * Exact.  4 degree bytes per point.
 */
extern int32_t *sdc_neighbour_graph(SdcHost *host, const SdcPoints *points,
									int degree);

/*
 * Adds up over all rows the squared distances to the wanted - 1 nearest other
 * rows (equal rows count).
 */
extern double sdc_neighbour_distances(SdcHost *host, const SdcPoints *points,
									  int wanted);

#endif
