/*
 * learned_cover.h
 *		The best point of any family, with a bound, by infeasible sets.
 */
#ifndef SDC_KERNEL_LEARNED_COVER_H
#define SDC_KERNEL_LEARNED_COVER_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/learned/learned_distance.h"
#include "kernel/learned/learned_form.h"
#include "kernel/linear/simplex.h"

/* What fixed rows may miss: by so much are they relaxed. */
#define SDC_LEARNED_SLACK 1e-9

/* Is there a point where all rows hold? */
typedef enum SdcLearnedVerdict
{
	SDC_LEARNED_FEASIBLE,
	SDC_LEARNED_INFEASIBLE,
	SDC_LEARNED_UNKNOWN /* too near to tell, or numbers gave out */
} SdcLearnedVerdict;

/*
 * Rows over points >= 0 that add up to 1, or, where is_signed, whose absolute
 * entries add up to 1 at the most.  Record k has rows start[k] ..
 * start[k + 1] - 1, owner[r] is k; margin may be NULL.  Entries are at most 1
 * in magnitude.  fixed rows belong to no record and must hold, too.
 */
typedef struct SdcLearnedSystem
{
	int features;
	bool is_signed;
	int32_t records;
	const int32_t *start;
	const int32_t *owner;
	const double *value;
	const double *margin;
	int fixed_rows;
	const double *fixed;
} SdcLearnedSystem;

/*
 * A zero-sum game: one player chooses a point, the other one a row, and what
 * the row is worth at the point is paid.  The rows can all hold unless the
 * value of the game is negative.
 */
typedef struct SdcLearnedGame
{
	SdcHost *host;
	int most_coordinates;
	double looked; /* numbers looked at by all games */

	/* of the last game */
	double *point;    /* the best found */
	double value;     /* what its worst row is worth there */
	int32_t *support; /* infeasible: records of which one must fail */
	int supports;

	/* the simplex method, over the player of rows */
	int coordinates;
	SdcSimplex *simplex; /* variables are rows, constraints coordinates */
	double *folded;      /* dual prices by feature, and their sum */
	double total;
	int32_t *listed; /* rows that are priced first */
	int32_t listings;
	int32_t room;
} SdcLearnedGame;

/* A game with room for features of so many coordinates. */
extern SdcLearnedGame *sdc_learned_game_create(SdcHost *host,
											   int most_coordinates);

/*
 * Plays for the records that kept[] marks (NULL: all).  Stops as soon as a
 * point is found where all rows hold; with best it goes on to the point whose
 * worst row is worth most.  An infeasible verdict was checked in long double
 * against every coordinate; then support names at most as many records as
 * there are coordinates.  Revised simplex (simplex.h): each step takes
 * O(coordinates^2 + rows listed features), and now and then all rows.
 */
extern SdcLearnedVerdict sdc_learned_game_play(SdcLearnedGame *game,
											   const SdcLearnedSystem *system,
											   const bool *kept, bool best);

/* A search and what it has found; good is re-counted over all pairs. */
typedef struct SdcLearnedSearch
{
	SdcHost *host;
	const SdcLearnedForm *form;
	const SdcLearnedData *data;
	const double *margin;
	SdcLearnedLimit *limit;
	SdcRandom random;
	SdcLearnedRows *rows;
	SdcLearnedPool *pool; /* NULL: rows are complete */
	bool grown;           /* has the pool pairs that rows lack? */
	int32_t good;         /* of rows->records, at point */
	double *point;
	int32_t *nearest; /* scratch by record, with a pool */
} SdcLearnedSearch;

/*
 * Takes a point, scaled and made feasible, for the best one if more records
 * are good there; and, when it is about as good as the best, the point that a
 * walk of so many steps from there (sdc_learned_sweep_run; 0: no walk) ends
 * at.  Pairs that spoil a record go into the pool, if there is one.
 */
extern void sdc_learned_cover_consider(SdcLearnedSearch *search,
									   const double *point, int steps);

/*
 * Makes rows of all pairs that are in the pool by now, in place of those there
 * were; does nothing without a pool, or when it has no pair that rows lack.
 */
extern void sdc_learned_cover_renew(SdcLearnedSearch *search);

/*
 * Returns the most of rows->records that any point can have, after improving
 * the best point; GLPK is used.
 */
extern int32_t sdc_learned_cover_run(SdcLearnedSearch *search);

#endif
