/*
 * tabular.h
 *		Tables of cells that add up, and how they are protected.
 *
 * A table is cells with values and equations: in each one cell, the total, is
 * the sum of others, its parts.  Several hierarchies and linked tables are
 * just more equations over the same cells.  Values are whole numbers of at
 * most 2^53 in the unit that is published; the caller scales decimals.
 *
 * An attacker sees the equations and the published cells, and knows before
 * that cell i lies within value - low and value + high.  What he can infer of
 * a hidden cell is the interval between the least and the largest value that
 * these allow.
 */
#ifndef SDC_KERNEL_TABULAR_H
#define SDC_KERNEL_TABULAR_H

#include "kernel/base/host.h"

/* May a cell be hidden? */
typedef enum SdcCellRole
{
	SDC_CELL_OPEN,   /* it may be */
	SDC_CELL_UNSAFE, /* it must be, and must stay unknown */
	SDC_CELL_SHOWN   /* it must not be */
} SdcCellRole;

/* A cell that is not of one respondent alone. */
#define SDC_NO_HOLDER (-1)

/* Dimensions of a table at the most. */
#define SDC_CUBE_MAX_DIMENSIONS 8

/* Values beyond are not exact in a double. */
#define SDC_TABULAR_LARGEST 9007199254740992.0

/* A table; made by sdc_tabular_create, its numbers set by the caller. */
typedef struct SdcTabular
{
	SdcHost *host;
	int32_t cells;
	int32_t equations;
	/* member[start[r]] is the total of equation r, the rest its parts */
	int64_t *start;
	int32_t *member;
	/* equations of cell i: of_cell[cell_start[i] .. cell_start[i + 1] - 1] */
	int64_t *cell_start;
	int32_t *of_cell;
	/* does the equation follow from others? */
	bool *implied;

	double *value;
	double *low;    /* how far below the value an attacker must look, >= 0 */
	double *high;   /* how far above it */
	double *weight; /* what hiding it costs, above 0 */
	uint8_t *role;  /* SdcCellRole */
	/*
	 * Of an unsafe cell: its interval must reach as far below and above the
	 * value as these say.
	 */
	double *need_low;
	double *need_high;
	/*
	 * The one respondent of a cell, who knows its value and looks at the
	 * others: a number from 0, or SDC_NO_HOLDER.  Several cells may have the
	 * same one.
	 */
	int32_t *holder;
	/*
	 * The respondent who gave most to a cell, or SDC_NO_HOLDER: what is to be
	 * kept from the others is his, so against his own attack only the rest of
	 * an unsafe cell has needs, these, which are not above the others.
	 */
	int32_t *leader;
	double *rest_low;
	double *rest_high;
	/*
	 * Who gives to a cell knows that it is not below what he gave.  For those
	 * who gave most and second most to it, leader and second (a number or
	 * SDC_NO_HOLDER): how far below the value they must look.
	 */
	int32_t *second;
	double *leader_low;
	double *second_low;
	/*
	 * The attacker knows that values are whole, as counts are: a movement
	 * that is to protect a cell must be one of whole numbers.
	 */
	bool whole;
	/*
	 * Cells are all combinations of a code of each dimension, numbered with
	 * the last dimension fastest, as sdc_cube_create does: how many codes each
	 * has; 0 dimensions for other tables.
	 */
	int dimensions;
	int32_t codes[SDC_CUBE_MAX_DIMENSIONS];
} SdcTabular;

/*
 * A table without values: start and member are copied.  All roles are
 * SDC_CELL_OPEN, weights 1, other numbers 0, without respondents.
 * O(members + equations * members of the longest).
 */
extern SdcTabular *sdc_tabular_create(SdcHost *host, int32_t cells,
									  int32_t equations, const int64_t *start,
									  const int32_t *member);

/*
 * The first equation whose total is not the sum of its parts, exactly; -1 when
 * all add up.  O(members).
 */
extern int32_t sdc_tabular_unbalanced(const SdcTabular *table);

/*
 * What each cell is at least, to who knows that a cell is 0, as its value
 * says, or at least each[i]: floor[i], of a total at least the sum over its
 * parts.  O(members).
 */
extern void sdc_tabular_floor(const SdcTabular *table, const double *each,
							  double *floor);

/*
 * What a reader takes the cells to have changed by since an earlier table:
 * change[i], NAN where he does not know it.  What follows from the known ones
 * is added, and where they explain the change of a total its other parts are
 * taken not to have changed.  O(members) for each level of totals.
 */
extern void sdc_tabular_guess(const SdcTabular *table, double *change);

/*
 * An unsafe cell whose need is beyond low or high, so that nothing can
 * protect it, or -1.
 */
extern int32_t sdc_tabular_impossible(const SdcTabular *table);

#endif
