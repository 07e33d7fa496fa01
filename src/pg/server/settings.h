/*
 * settings.h
 *		The settings (GUCs) of sdc.
 */
#ifndef SDC_PG_SETTINGS_H
#define SDC_PG_SETTINGS_H

/* Kilobytes that one call may hold at a time (sdc.memory_limit). */
extern int sdcpg_memory_limit;

/* The same for a request to a data set (sdc.dp_memory_limit). */
extern int sdcpg_dp_memory_limit;

/*
 * Neighbours of the aggregates with noise, an SdcNeighbours, and the cells of
 * their quantiles (sdc.dp_neighbours, sdc.dp_cells).
 */
extern int sdcpg_dp_neighbours;
extern int sdcpg_dp_cells;

/* Seconds between progress lines, 0 for none (sdc.progress_interval). */
extern double sdcpg_progress_interval;

/* Who counts the records of a relation (sdc.count_with). */
typedef enum SdcCountWith
{
	SDC_COUNT_AUTO,
	SDC_COUNT_ROWS,  /* sdc, from rows */
	SDC_COUNT_GROUPS /* PostgreSQL, with GROUP BY */
} SdcCountWith;

extern int sdcpg_count_with;

/* Defines the settings; called once, when the library is loaded. */
extern void sdcpg_settings_define(void);

#endif
