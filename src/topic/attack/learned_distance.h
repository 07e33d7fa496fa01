/*
 * learned_distance.h
 *		Learns the worst distance for two relations and writes it down.
 */
#ifndef SDC_TOPIC_LEARNED_DISTANCE_H
#define SDC_TOPIC_LEARNED_DISTANCE_H

#include "postgres.h"

#include "host/server/host.h"
#include "topic/attack/disclosure_report.h"

/*
 * The success of the attack by a learned weighted mean, for a report; seconds
 * is the time limit of the learning.
 */
extern SdcLinkSuccess sdcpg_learned_success(SdcPgHost *host, Oid original,
											Oid masked, const char *id,
											ArrayType *keys, bool to_original,
											double seconds);

#endif
