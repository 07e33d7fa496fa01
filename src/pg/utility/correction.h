/*
 * correction.h
 *		Moments of the original, from the masked relation and its rules.
 */
#ifndef SDC_PG_CORRECTION_H
#define SDC_PG_CORRECTION_H

#include "postgres.h"

#include "pg/call/report.h"
#include "pg/mask/rules.h"
#include "pg/server/host.h"

/*
 * Reads the columns of a masked relation as the caller and adds, for each,
 * what its mean and variance were before it was masked, and for each pair the
 * covariance and the correlation: NULL where the rules do not tell.  Noise
 * with the variance alpha Var(X) is taken out: Var(X) = Var(X') / (1 + alpha);
 * independent noise leaves covariances alone, and noise that was drawn with
 * the correlations of its columns divides them by 1 + alpha, too (Karr 2009;
 * Torra 2016).  Rows that lack a value are left out of what needs it.
 */
extern void sdcpg_correction_report(SdcReport *report, SdcPgHost *host,
									const SdcRelation *masked,
									const SdcRelationColumns *columns,
									const SdcRules *rules);

#endif
