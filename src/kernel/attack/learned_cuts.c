/*
 * learned_cuts.c
 *		Sets of records of which at least one must fail.
 *
 * The fewest records that meet every set is a covering program; it holds no
 * other number than 1, so nothing in it depends on how the data are scaled.
 */
#include "kernel/attack/learned_cuts.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/base/grow.h"

/* What rounding may take from a bound that is a whole number. */
#define ROUNDING 1e-6

SdcLearnedCuts *
sdc_learned_cuts_create(SdcHost *host, int32_t records)
{
	SdcLearnedCuts *cuts = sdc_new(host, SdcLearnedCuts, 1);

	memset(cuts, 0, sizeof(*cuts));
	cuts->host = host;
	cuts->records = records;
	cuts->lp = sdc_solver_lp_create(host, records);
	return cuts;
}

static void
make_room(SdcLearnedCuts *cuts, size_t more)
{
	size_t used = (size_t) cuts->count;
	size_t members = used > 0 ? (size_t) cuts->start[used] : 0;

	if (used + 2 > cuts->room)
	{
		cuts->room = cuts->room * 2 + 64;
		cuts->start =
			sdc_grow(cuts->host, cuts->start, used > 0 ? used + 1 : 0,
					 cuts->room, sizeof(int32_t));
		cuts->key = sdc_grow(cuts->host, cuts->key, used, cuts->room,
							 sizeof(uint64_t));
	}
	cuts->start[used] = (int32_t) members;
	if (members + more > cuts->member_room)
	{
		cuts->member_room = cuts->member_room * 2 + more + 1024;
		cuts->member = sdc_grow(cuts->host, cuts->member, members,
								cuts->member_room, sizeof(int32_t));
	}
}

static void
sort_members(int32_t *member, int count)
{
	int i;

	for (i = 1; i < count; i++)
	{
		int32_t value = member[i];
		int j = i;

		for (; j > 0 && member[j - 1] > value; j--)
			member[j] = member[j - 1];
		member[j] = value;
	}
}

bool
sdc_learned_cuts_add(SdcLearnedCuts *cuts, const int32_t *member, int count)
{
	uint64_t key = 0;
	int32_t *own;
	int32_t i;

	if (count == 0)
		return false;
	make_room(cuts, (size_t) count);
	own = cuts->member + cuts->start[cuts->count];
	memcpy(own, member, (size_t) count * sizeof(int32_t));
	sort_members(own, count);
	for (i = 0; i < count; i++)
		key = sdc_random_mix(key ^ (uint64_t) (own[i] + 1));
	for (i = 0; i < cuts->count; i++)
		if (cuts->key[i] == key)
			return false;
	cuts->key[cuts->count] = key;
	sdc_solver_lp_cover(cuts->lp, own, count);
	cuts->start[cuts->count + 1] = cuts->start[cuts->count] + count;
	cuts->count++;
	return true;
}

void
sdc_learned_cuts_prove(SdcLearnedCuts *cuts, int32_t at_least)
{
	if (at_least > cuts->proven)
		cuts->proven = at_least;
}

/* What prices of the cuts prove: their sum, less what overpays a record. */
static void
prove_by_prices(SdcLearnedCuts *cuts)
{
	double *price = sdc_new(cuts->host, double, (size_t) cuts->count);
	long double *paid =
		sdc_new(cuts->host, long double, (size_t) cuts->records);
	long double sum = 0;
	int32_t i;
	int32_t k;

	sdc_solver_lp_duals(cuts->lp, price);
	for (k = 0; k < cuts->records; k++)
		paid[k] = 0;
	for (i = 0; i < cuts->count; i++)
	{
		if (!(price[i] > 0))
			continue;
		sum += price[i];
		for (k = cuts->start[i]; k < cuts->start[i + 1]; k++)
			paid[cuts->member[k]] += price[i];
	}
	for (k = 0; k < cuts->records; k++)
		if (paid[k] > 1)
			sum -= paid[k] - 1;
	sdc_learned_cuts_prove(cuts, (int32_t) ceill(sum - ROUNDING));
	cuts->host->release(cuts->host, price);
	cuts->host->release(cuts->host, paid);
}

bool
sdc_learned_cuts_relax(SdcLearnedCuts *cuts, double seconds, double *share)
{
	SdcSolverResult result =
		sdc_solver_lp_solve(cuts->lp, false, seconds, share);

	cuts->host->poll(cuts->host, 0, 0);
	if (result.status != SDC_SOLVER_OPTIMAL)
		return false;
	prove_by_prices(cuts);
	return true;
}

bool
sdc_learned_cuts_settle(SdcLearnedCuts *cuts, double seconds, bool *given)
{
	double *value = sdc_new(cuts->host, double, (size_t) cuts->records);
	SdcSolverResult result =
		sdc_solver_lp_solve(cuts->lp, true, seconds, value);
	int32_t k;

	cuts->host->poll(cuts->host, 0, 0);
	if (isfinite(result.bound))
		sdc_learned_cuts_prove(cuts, (int32_t) ceil(result.bound - ROUNDING));
	for (k = 0; k < cuts->records; k++)
		given[k] = result.status == SDC_SOLVER_OPTIMAL && value[k] > 0.5;
	cuts->host->release(cuts->host, value);
	return result.status == SDC_SOLVER_OPTIMAL;
}
