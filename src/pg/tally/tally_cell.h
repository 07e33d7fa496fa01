/*
 * tally_cell.h
 *		How a combination of values is written into a cell of a state.
 *
 * Private to tally*.c.  shape->value and shape->isnull are the combination.
 */
#ifndef SDC_PG_TALLY_CELL_H
#define SDC_PG_TALLY_CELL_H

#include "postgres.h"

#include "pg/tally/tally.h"

/* A hash that equal combinations share. */
extern uint32 sdcpg_tally_cell_hash(SdcTallyShape *shape);

/* Bytes of a cell that holds the combination. */
extern Size sdcpg_tally_cell_size(const SdcTallyShape *shape);

/* Writes the bitmap and the values behind the header of a cell. */
extern void sdcpg_tally_cell_write(const SdcTallyShape *shape,
								   SdcTallyCell *cell);

/* Does the cell hold the combination? */
extern bool sdcpg_tally_cell_same(SdcTallyShape *shape,
								  const SdcTallyCell *cell);

/*
 * Of the combination and the cell, which are equal, keeps in the cell what
 * comes first byte by byte (sdcpg_equality_first), as far as there is room: so
 * what is shown of 1.0 and 1.00 does not depend on the order of rows.
 */
extern void sdcpg_tally_cell_prefer(SdcTallyShape *shape, SdcTallyCell *cell);

#endif
