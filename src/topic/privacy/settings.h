/*
 * settings.h
 *		The settings (GUCs) of differential privacy.
 */
#ifndef SDC_TOPIC_PRIVACY_SETTINGS_H
#define SDC_TOPIC_PRIVACY_SETTINGS_H

/* Kilobytes that a request may hold (sdc.dp_memory_limit). */
extern int sdcpg_dp_memory_limit;

/* SdcNeighbours of the aggregates with noise (sdc.dp_neighbours). */
extern int sdcpg_dp_neighbours;

/* Cells of the quantiles of these aggregates (sdc.dp_cells). */
extern int sdcpg_dp_cells;

/* Defines them; called once, before the prefix of settings is reserved. */
extern void sdcpg_privacy_settings(void);

#endif
