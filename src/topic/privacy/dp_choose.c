/*
 * dp_choose.c
 *		sdc.dp_choose: one of several candidates, privately.
 *
 * The caller gives each candidate a score and says how far one record can
 * change a score.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "host/call/params.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/privacy/selection.h"
#include "kernel/privacy/strong_bits.h"
#include "topic/privacy/dp_aggregates.h"

PG_FUNCTION_INFO_V1(sdcf_dp_choose);

typedef size_t (*Mechanism)(SdcHost *host, SdcStrongBits *bits,
							const SdcSelectionRate *rate, const int64_t *score,
							size_t count);

/* In one order. */
static const char *const variants[] = {"permute_and_flip", "exponential",
									   NULL};
static const Mechanism mechanisms[] = {sdc_selection_permute_and_flip,
									   sdc_selection_exponential};

static void
check_sensitivity(double sensitivity)
{
	sdcpg_args_range("sensitivity", sensitivity, 0, DBL_MAX);
	if (sensitivity == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"sensitivity\" must be positive"),
						errdetail("Scores that no record can change are not "
								  "private: take the best.")));
}

static int64
take_score(bool isnull, Datum score, double sensitivity)
{
	if (isnull || !isfinite(DatumGetFloat8(score)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("scores must be finite numbers"),
				 errdetail("A candidate without a score would tell something "
						   "about the data.")));
	return sdc_selection_score(DatumGetFloat8(score), sensitivity);
}

static void
refuse_candidates(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("candidates and scores must be as many, at least one, "
					"and no candidate may be null")));
}

/* The elements of an array of one dimension. */
static int
take_elements(ArrayType *array, Datum **element, bool **isnull)
{
	int16 length;
	bool by_value;
	char align;
	int count;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, align,
					  element, isnull, &count);
	return ARR_NDIM(array) == 1 ? count : 0;
}

/*
 * dp_choose(candidates anyarray, scores float8[], sensitivity float8,
 *           epsilon float8, monotonic boolean, variant text)
 */
Datum
sdcf_dp_choose(PG_FUNCTION_ARGS)
{
	double sensitivity;
	SdcSelectionRate rate;
	Mechanism mechanism;
	SdcPgHost *host;
	Datum *candidate;
	Datum *given;
	bool *isnull;
	int64 *score;
	int count;
	int i;

	sdcpg_args_need_first(fcinfo, 6);
	mechanism = mechanisms[sdcpg_args_choice("variant", PG_GETARG_TEXT_PP(5),
											 variants)];
	sensitivity = PG_GETARG_FLOAT8(2);
	check_sensitivity(sensitivity);
	sdcpg_private_check_epsilon(PG_GETARG_FLOAT8(3));
	sdc_selection_rate(sdc_selection_sensitivity(sensitivity),
					   PG_GETARG_BOOL(4), PG_GETARG_FLOAT8(3), &rate);
	count = take_elements(PG_GETARG_ARRAYTYPE_P(0), &candidate, &isnull);
	if (array_contains_nulls(PG_GETARG_ARRAYTYPE_P(0)) || count == 0 ||
		take_elements(PG_GETARG_ARRAYTYPE_P(1), &given, &isnull) != count)
		refuse_candidates();
	host = sdcpg_host_begin("dp_choose", CurrentMemoryContext);
	score = sdc_new(&host->kernel, int64, count);
	for (i = 0; i < count; i++)
		score[i] = take_score(isnull[i], given[i], sensitivity);
	i = (int) mechanism(&host->kernel, sdcpg_strong_bits(), &rate, score,
						count);
	sdcpg_host_end(host);
	PG_RETURN_DATUM(candidate[i]);
}
