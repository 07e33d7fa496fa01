/*
 * marginal_release.h
 *		A synthetic table under differential privacy, from noisy marginals.
 *
 * Which marginals are measured is chosen by the exponential mechanism, each is
 * measured with exact integer noise, and a model is fitted to what was
 * measured and nothing else.  independent: single columns.  mst: these and a
 * spanning tree of pairs (McKenna, Miklau and Sheldon 2021).  aim: round after
 * round the marginal of up to three columns that the model gets most wrong
 * (McKenna, Mullins, Sheldon and Miklau 2022).
 */
#ifndef SDC_KERNEL_MARGINAL_RELEASE_H
#define SDC_KERNEL_MARGINAL_RELEASE_H

#include "kernel/base/host.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/privacy/strong_bits.h"
#include "kernel/synthetic/marginal_model.h"

/* Which marginals are measured; see above. */
typedef enum SdcMarginalMethod
{
	SDC_MARGINAL_MST,
	SDC_MARGINAL_AIM,
	SDC_MARGINAL_INDEPENDENT
} SdcMarginalMethod;

/* The words of the methods, by their numbers; ends with NULL. */
extern const char *const sdc_marginal_methods[];

/*
 * What is asked.  Everything but code and counted is public.  The budget is
 * rho of zero-concentrated differential privacy, with Gaussian noise; or,
 * pure, epsilon, with Laplace noise.  It is for all records of a unit
 * together: at most unit_rows that are counted.
 */
typedef struct SdcMarginalTask
{
	SdcMarginalMethod method;
	bool pure;
	double budget;
	SdcNeighbours neighbours;
	uint32_t unit_rows;
	int64_t most_cells; /* of all cliques of a model together */
	int columns;        /* 1 to 64 */
	const int32_t *size;
	int32_t drawn; /* records; 0: as many as the noisy total says */
	SdcStrongBits *bits;
	/* private */
	int32_t rows;
	uint16_t *const *code;  /* [column][record], below size[column] */
	const uint8_t *counted; /* of each record: 1, or 0 */
} SdcMarginalTask;

/*
 * A thing that was done: a choice of a marginal among candidates, or a
 * measurement of one.  The scale is exactly numerator / 2^shift: the variance
 * of Gaussian noise, the scale of Laplace noise; for a choice epsilon says it.
 */
typedef struct SdcMarginalStep
{
	bool choice;
	SdcColumnSet columns;
	int candidates;
	int64_t cells;
	double deviation; /* of the noise */
	double epsilon;
	uint64_t numerator;
	unsigned shift;
} SdcMarginalStep;

/* What was done, and the records. */
typedef struct SdcMarginalRelease
{
	int steps;
	SdcMarginalStep *step;
	double total; /* noisy number of records */
	double moved; /* share of values that come from joined cells */
	int32_t drawn;
	uint16_t **code; /* [column][record] */
} SdcMarginalRelease;

/*
 * Whether noise can be made for the shares of the budget; to be asked before
 * anything is charged.
 */
extern bool sdc_marginal_affordable(const SdcMarginalTask *task);

/*
 * The memory that a release takes at the most beside its records, in bytes, by
 * what is public; capped at 2^60.
 */
extern int64_t sdc_marginal_memory(const SdcMarginalTask *task);

/*
 * Chooses, measures, fits and draws.  Nothing in the result depends on the
 * records but through what was chosen and measured with noise.  mst: O(rows
 * columns^2); aim: O(rows columns^3) to count, then some 16 columns fits.
 */
extern SdcMarginalRelease *sdc_marginal_release(SdcHost *host,
												const SdcMarginalTask *task);

#endif
