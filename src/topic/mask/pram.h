/*
 * pram.h
 *		The transition matrix of a rule.
 */
#ifndef SDC_TOPIC_PRAM_H
#define SDC_TOPIC_PRAM_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "topic/mask/rules.h"

/*
 * Categories in the order of their bytes, and the chance that category a
 * becomes b at chance[a * size + b].
 */
typedef struct SdcPramMatrix
{
	int32 size;
	char **name;
	double *chance;
} SdcPramMatrix;

/*
 * Reads {"a": {"a": 0.8, "b": 0.2}, "b": {"b": 1}}; what is not named has no
 * chance.  Stops unless each row is an object of numbers from 0 to 1 that sum
 * to 1 within 1e-6 (they are then made to), and each category that a row names
 * has a row, too.
 */
extern SdcPramMatrix *sdcpg_pram_matrix(Jsonb *matrix);

/* The same of the rule of a method pram_matrix; its errors name the rule. */
extern SdcPramMatrix *sdcpg_pram_matrix_of(const SdcRule *rule);

/* Stops unless the matrix of a rule can be read: see SdcMask. */
extern void sdcpg_pram_check(const SdcRule *rule, const SdcRelation *relation);

/* The place of a category, or -1. */
extern int32 sdcpg_pram_place(const SdcPramMatrix *matrix, const char *name,
							  Size length);

#endif
