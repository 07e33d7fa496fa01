/*
 * tabulate.h
 *		Rows of units into cells, no more of each unit than was declared.
 */
#ifndef SDC_TOPIC_TABULATE_H
#define SDC_TOPIC_TABULATE_H

#include "postgres.h"

#include "topic/privacy/request.h"

/*
 * Reads the relation of a request and counts its rows in cells.  Of each unit
 * at most max_groups groups, and in each at most max_rows rows, are counted,
 * chosen with strong randomness; rows without a unit are not.  To be called
 * while acting as the owner.
 */
extern List *sdcpg_tabulate(const SdcRequest *request);

#endif
