/*
 * strategy.h
 *		Stored strategies: which levels and hierarchies, for which models.
 */
#ifndef SDC_PG_STRATEGY_H
#define SDC_PG_STRATEGY_H

#include "postgres.h"

#include "pg/generalization/generalization.h"

/*
 * Stores a strategy that the caller owns: the arguments of sdc.anonymize with
 * the level of each key.  Keys and sensitive columns must be named in the
 * arguments.  A name that is taken stops with an error.
 */
extern void sdcpg_strategy_create(const char *name,
								  const SdcGeneralizationArguments *arguments,
								  const int *level, int keys);

/*
 * The arguments of a stored strategy, with its levels in params; stops when
 * there is none of that name.
 */
extern SdcGeneralizationArguments sdcpg_strategy_find(const char *name);

/* Drops a strategy; stops unless the caller owns it or is a superuser. */
extern void sdcpg_strategy_drop(const char *name);

/* The names of columns as an array name[]. */
extern ArrayType *sdcpg_strategy_names(const SdcRelationColumns *columns);

#endif
