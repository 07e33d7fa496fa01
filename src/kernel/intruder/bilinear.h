/*
 * bilinear.h
 *		What the search asks of terms of bilinear forms.
 */
#ifndef SDC_KERNEL_BILINEAR_H
#define SDC_KERNEL_BILINEAR_H

#include "kernel/intruder/intruder_private.h"

/* What a term adds for a person, as known in its columns, and the record of
 * these numbers, one for each column, stride apart; 0 where some are missing.
 */
extern float sdc_bilinear_score(const SdcTermHead *term, const double *known,
								const double *number, size_t stride);

/* The greatest that it adds in a box, low and high by column; holes: some of
 * its records lack numbers. */
extern float sdc_bilinear_bound(const SdcTermHead *term, const double *known,
								const double *box, bool holes);

#endif
