/*
 * distance_params.h
 *		Parametric distances in the argument "params".
 */
#ifndef SDC_TOPIC_DISTANCE_PARAMS_H
#define SDC_TOPIC_DISTANCE_PARAMS_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "host/server/host.h"
#include "kernel/learned/learned_form.h"

/*
 * Reads the parameters of a distance over the keys; what is missing or wrong
 * stops with an error.
 *
 * WM		"weights": {"a": 0.7, "b": 0.3}, every key; divided by their sum
 * OWA		"weights": [0.5, 0.3, 0.2], that of the largest difference first;
 *			divided by their sum
 * CHOQUET	"capacity": {"a": 0.2, "b": 0.3, "a,b": 1}, every set of keys but
 *			the empty one; the whole may be left out, it is 1
 * CHOQUET2	"singletons": {"a": 0.5, "b": 0.7}, every key, and
 *			"interactions": {"a,b": -0.2}, absent ones being 0
 * BILINEAR	"matrix": [[1, 0.2], [0.2, 1]], in the order of the keys
 *
 * or, for all of them, as sdc.learn_distance returns it,
 *			"model": {"columns": ["a", "b"], "parameters": [0.7, 0.3]}
 * with the columns in the order of the keys and the parameters as they lie in
 * SdcDistanceForm; "method", if it is there, must be that of the call.
 */
extern SdcDistanceForm
sdcpg_distance_params_read(SdcPgHost *host, SdcDistanceKind kind,
						   const char *method, Jsonb *params,
						   const SdcRelationColumns *keys);

/*
 * Stops unless params has the parameters that a kind of distance needs, once;
 * what they are is left to the reader, who knows the keys.
 */
extern void sdcpg_distance_params_check(SdcDistanceKind kind,
										const char *method, Jsonb *params);

/*
 * Weights by column under the key "weights"; absent ones are 1.  At least one
 * is above 0.
 */
extern double *sdcpg_distance_params_weights(SdcPgHost *host, Jsonb *params,
											 const SdcRelationColumns *keys);

#endif
