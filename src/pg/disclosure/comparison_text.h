/*
 * comparison_text.h
 *		Levels of agreement of texts, by edits.
 */
#ifndef SDC_PG_COMPARISON_TEXT_H
#define SDC_PG_COMPARISON_TEXT_H

#include "postgres.h"

#include "kernel/attack/comparison.h"
#include "pg/data/dictionary.h"
#include "pg/server/host.h"

/*
 * Sets field->level for the codes of a dictionary of texts, which is sorted
 * by it: the first level whose distance the edits from one text to the other,
 * divided by the length of the longer one, do not pass.  Only texts that the
 * first file has are compared with those that the second has.  Stops when
 * there are too many.  O(texts of one * texts of the other * length^2).
 */
extern void sdcpg_comparison_texts(SdcPgHost *host, const char *name,
								   SdcDictionary *dictionary,
								   const double *within, int levels,
								   SdcComparisonField *field, int32 rows,
								   int32 others);

#endif
