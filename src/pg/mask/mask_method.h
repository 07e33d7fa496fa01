/*
 * mask_method.h
 *		The masking methods that rules may name.
 *
 * One list for all who read rules: the masks that apply them, the attacks
 * that know them, the pages that print them.  Whoever does something for each
 * method keeps a table by SdcMaskKind, so a method that is added here without
 * its mask or its attack does not get past the tests.
 */
#ifndef SDC_PG_MASK_METHOD_H
#define SDC_PG_MASK_METHOD_H

#include "postgres.h"

typedef enum SdcMaskKind
{
	SDC_MASK_RANK_SWAP,
	SDC_MASK_MICROAGGREGATE,
	SDC_MASK_ADD_NOISE,
	SDC_MASK_SHUFFLE,
	SDC_MASK_PRAM,
	SDC_MASK_TOP_CODE,
	SDC_MASK_BOTTOM_CODE,
	SDC_MASK_ROUND_TO,
	SDC_MASK_GENERALIZE,
	SDC_MASK_MASK_TEXT,
	SDC_MASK_MASK_INET,
	SDC_MASK_SUPPRESS,
	SDC_MASK_PSEUDONYM,
	SDC_MASK_CONSTANT,
	SDC_MASK_NULL,
	SDC_MASK_SAMPLE_ROWS,
	SDC_MASK_KEEP,
	SDC_MASK_KINDS
} SdcMaskKind;

typedef struct SdcMaskMethod
{
	SdcMaskKind kind;
	/* in a rule: {"method": name} */
	const char *name;
	/* the other keys of its rule; the list ends with NULL */
	const char *const *keys;
	/* of them those that must be there; the list ends with NULL */
	const char *const *needed;
	/* columns that one rule may name at the most; 0 for the rows as a whole */
	int columns;
} SdcMaskMethod;

/* The method of that name, or NULL. */
extern const SdcMaskMethod *sdcpg_mask_method_find(const char *name,
												   int length);

/* The method of that kind. */
extern const SdcMaskMethod *sdcpg_mask_method(SdcMaskKind kind);

/* The names of all methods: "rank_swap, microaggregate, ...". */
extern char *sdcpg_mask_method_names(void);

#endif
