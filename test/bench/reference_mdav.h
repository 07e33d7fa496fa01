/*
 * reference_mdav.h
 *		Textbook MDAV, the algorithm that the kernel is measured against.
 */
#ifndef SDC_TEST_REFERENCE_MDAV_H
#define SDC_TEST_REFERENCE_MDAV_H

#include "kernel/base/matrix.h"

#include <stdint.h>

/*
 * Fills group[] with the group of each row and returns how many there are.
 * The columns are taken as they are: standardise them first.
 */
extern int32_t reference_mdav(const SdcMatrix *matrix, int k, int32_t *group);

#endif
