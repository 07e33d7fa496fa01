/*
 * model_agreement.h
 *		How often two models say the same of the same records.
 */
#ifndef SDC_KERNEL_MODEL_AGREEMENT_H
#define SDC_KERNEL_MODEL_AGREEMENT_H

#include "kernel/model/outcome.h"

typedef struct SdcModelAgreement
{
	int32_t records; /* that both models predict */
	int32_t same;    /* for which they say the same */
	double chance;   /* share expected if they had nothing to do with it */
} SdcModelAgreement;

/*
 * Compares predicted_a[i], a class of outcome a, with predicted_b[i] of b;
 * negative ones are left out.  Categories share their codes; numbers are the
 * same when they are no farther than tolerance apart.  O(rows + classes^2).
 */
extern SdcModelAgreement
sdc_model_agreement_count(SdcHost *host, const SdcOutcome *a,
						  const int32_t *predicted_a, const SdcOutcome *b,
						  const int32_t *predicted_b, int32_t rows,
						  double tolerance);

#endif
