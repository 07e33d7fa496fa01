/*
 * learned_cell.h
 *		Pieces of the simplex of weights, for branch and bound.
 */
#ifndef SDC_KERNEL_LEARNED_CELL_H
#define SDC_KERNEL_LEARNED_CELL_H

#include "kernel/attack/learned_game.h"
#include "kernel/attack/learned_rows.h"

/*
 * A simplex with its corners, and the rows of the records that it does not
 * decide, with their values at the corners: entry q of a row is what the row
 * is worth at corner q.
 */
typedef struct SdcLearnedCell
{
	int features;
	int depth;
	int32_t bound;   /* records that may hold at one point of it */
	int32_t safe;    /* records that hold everywhere in it */
	int32_t records; /* records that are not decided */
	int32_t rows;
	double packed;  /* how well the last packing closed the gap */
	double *corner; /* corner[q * features + c] */
	double *value;
	int32_t *start;
	int32_t *owner;
} SdcLearnedCell;

/* A heap, the cell with the best bound first, of these the deepest. */
typedef struct SdcLearnedHeap
{
	SdcHost *host;
	SdcLearnedCell **cell;
	size_t count;
	size_t room;
} SdcLearnedHeap;

/* The whole simplex. */
extern SdcLearnedCell *sdc_learned_cell_whole(SdcHost *host,
											  const SdcLearnedRows *rows);

/*
 * The half of a cell in which the middle of corners keep and leave takes the
 * place of corner leave.  O(rows (features + rows of the record)).
 */
extern SdcLearnedCell *sdc_learned_cell_half(SdcHost *host,
											 const SdcLearnedCell *cell,
											 int keep, int leave);

/* The edge to halve: long, and crossed by many rows. */
extern void sdc_learned_cell_edge(const SdcLearnedCell *cell, int *a, int *b);

/* Records that hold at a point given by its shares of the corners. */
extern int32_t sdc_learned_cell_count(const SdcLearnedCell *cell,
									  const double *share);

/* That point itself. */
extern void sdc_learned_cell_point(const SdcLearnedCell *cell,
								   const double *share, double *point);

/* Its undecided rows, for the game. */
extern SdcLearnedSystem sdc_learned_cell_system(const SdcLearnedCell *cell);

extern void sdc_learned_cell_release(SdcHost *host, SdcLearnedCell *cell);

extern void sdc_learned_cell_push(SdcLearnedHeap *heap, SdcLearnedCell *cell);
extern SdcLearnedCell *sdc_learned_cell_pop(SdcLearnedHeap *heap);

#endif
