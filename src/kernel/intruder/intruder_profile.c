/*
 * intruder_profile.c
 *		What each segment of the masked values adds to a person's score.
 *
 * log P(b | a, rule) - log P(b), mixed with the error rate.  A profile is
 * made for one person and one term when he is looked for; only the segments
 * that the law reaches are in it, everything else is the floor.
 */
#include "kernel/intruder/intruder_private.h"

#include "kernel/base/elementary.h"

/* Ranks of a group of ties over which a law is averaged at the most. */
#define TIE_STEPS 24

static int
levels(int32_t longest)
{
	int k = 1;

	while (longest >> k > 0)
		k++;
	return k;
}

size_t
sdc_profile_room(int32_t longest)
{
	return (size_t) (longest + 2) * (size_t) (levels(longest) + 1);
}

/* The segment of a position, in low .. high - 1. */
static int32_t
segment_of(const int32_t *edge, int32_t low, int32_t high, int32_t position)
{
	while (high - low > 1)
	{
		int32_t middle = low + (high - low) / 2;

		if (edge[middle] <= position)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Log of a chance in proportion to that of a record drawn at random. */
static inline float
mixed_log(float ratio, float error)
{
	return sdc_log_float((1 - error) * ratio + error);
}

/* Adds the law of one rank of the stratum to the segments of a profile. */
static void
add_law(const SdcRankLaw *law, const int32_t *edge, int32_t start,
		int32_t segments, int32_t rank, float *mass)
{
	int32_t row = sdc_rank_law_row(law, rank);
	double before = sdc_rank_law_below(law, row, edge[0] - 1 - start - rank);
	int32_t s;

	for (s = 0; s < segments; s++)
	{
		double upto =
			sdc_rank_law_below(law, row, edge[s + 1] - 1 - start - rank);

		mass[s] += (float) (upto - before);
		before = upto;
	}
}

static void
finish_law(const SdcTermHead *term, const int32_t *edge, int32_t total,
		   int32_t segments, float steps, float *value)
{
	float scale = (float) total / steps;
	int32_t s;

	for (s = 0; s < segments; s++)
		value[s] = mixed_log(
			scale * value[s] / (float) (edge[s + 1] - edge[s]), term->error);
}

/* A swapped value whose window is not empty. */
static void
make_swap(const SdcTask *task, const SdcTermHead *term,
		  const SdcStratum *stratum, SdcPlace place, SdcProfile *profile)
{
	const int32_t *edge = sdc_task_at(task, term->edge);
	const size_t *laws = sdc_task_at(task, task->law);
	const SdcRankLaw *law = sdc_task_at(task, laws[stratum->law]);
	int64_t far = (int64_t) law->reach * law->w;
	int64_t from = place.low - far;
	int64_t upto = place.high + far;
	int32_t ties = place.high - place.low + 1;
	int32_t steps = ties <= stratum->piece ? 1
					: ties < TIE_STEPS     ? ties
										   : TIE_STEPS;
	float *value = profile->room + 1;
	int32_t last = stratum->start + stratum->values - 1;
	int32_t end;
	int32_t k;

	from = from < stratum->start ? stratum->start : from;
	upto = upto > last ? last : upto;
	profile->first =
		segment_of(edge, stratum->first, stratum->end, (int32_t) from);
	end = segment_of(edge, profile->first, stratum->end, (int32_t) upto) + 1;
	profile->length = end - profile->first;
	for (k = 0; k < profile->length; k++)
		value[k] = 0;
	for (k = 0; k < steps; k++)
		add_law(law, edge + profile->first, stratum->start, profile->length,
				place.low - stratum->start +
					(int32_t) ((2 * k + 1) * (int64_t) ties / (2 * steps)),
				value);
	finish_law(term, edge + profile->first, edge[term->segments],
			   profile->length, (float) steps, value);
}

static void
make_flat(SdcProfile *profile, int32_t first, int32_t length, float ratio,
		  float error)
{
	profile->flat = true;
	profile->first = first;
	profile->length = length;
	profile->gain = mixed_log(ratio, error);
}

static void
make_rank(const SdcTask *task, const SdcTermHead *term, SdcPlace place,
		  SdcProfile *profile)
{
	const int32_t *edge = sdc_task_at(task, term->edge);
	const int32_t *owner = sdc_task_at(task, term->owner);
	const SdcStratum *strata = sdc_task_at(task, term->stratum);
	int32_t segment = segment_of(edge, 0, term->segments, place.low);
	const SdcStratum *stratum = &strata[owner[segment]];

	if (segment < stratum->end && stratum->law >= 0)
		make_swap(task, term, stratum, place, profile);
	else
		make_flat(profile, segment, 1,
				  (float) edge[term->segments] /
					  (float) (edge[segment + 1] - edge[segment]),
				  term->error);
}

/* Codes low .. high, as likely as they have records. */
static void
make_range(const SdcTask *task, const SdcTermHead *term, SdcPlace place,
		   SdcProfile *profile)
{
	const int32_t *below = sdc_task_at(task, term->below);
	int32_t count = below[place.high + 1] - below[place.low];
	float ratio = count == 0 ? 0 : (float) term->known / (float) count;

	if (term->rule == SDC_TERM_PRAM)
	{
		int32_t first = place.low - place.low % term->codes;
		int32_t known = below[first + term->codes] - below[first];

		ratio = count == 0 ? 0 : (float) known / (float) count;
		ratio = (float) term->p * ratio + (float) (1 - term->p);
	}
	make_flat(profile, place.low, count == 0 ? 0 : place.high - place.low + 1,
			  ratio, term->error);
}

static void
make_groups(const SdcTask *task, const SdcTermHead *term, SdcPlace place,
			SdcProfile *profile)
{
	const int32_t *below = sdc_task_at(task, term->below);
	float *value = profile->room + 1;
	float share = (float) place.high * 0x1p-30f;
	int32_t k;

	profile->first = place.low;
	profile->length = place.high == 1 << 30 ? 1 : 2;
	for (k = 0; k < profile->length; k++)
	{
		int32_t s = place.low + k;
		float p = k == 0 ? share : 1 - share;

		value[k] = mixed_log(p * (float) term->known /
								 (float) (below[s + 1] - below[s]),
							 term->error);
	}
}

/* The greatest of runs of 2^k values, from those of 2^(k - 1). */
static SDC_CLONES void
double_runs(const float *restrict from, float *restrict to, int32_t n,
			int32_t run)
{
	int32_t s;

	for (s = 0; s + run < n; s++)
		to[s] = from[s] > from[s + run] ? from[s] : from[s + run];
	for (; s < n; s++)
		to[s] = from[s];
}

static void
make_maxima(SdcProfile *profile)
{
	int32_t n = profile->length;
	const float *from = profile->value;
	float *to;
	int32_t run;
	int k;
	int32_t s;

	profile->stride = n + 2;
	profile->maximum = profile->value;
	for (k = 1, run = 1; run < n; k++, run *= 2)
	{
		to = profile->room + 1 + (size_t) k * (size_t) profile->stride;
		double_runs(from, to, n, run);
		from = to;
	}
	profile->top = profile->floor;
	for (s = 0; s < n; s++)
		if (profile->value[s] > profile->top)
			profile->top = profile->value[s];
}

void
sdc_profile_make(const SdcTask *task, const SdcTermHead *term, SdcPlace place,
				 SdcProfile *profile)
{
	profile->place = place;
	profile->flat = false;
	profile->length = 0;
	profile->first = 0;
	profile->floor = term->floor;
	profile->gain = term->floor;
	if (place.low == SDC_PLACE_NOWHERE)
		profile->flat = true;
	else if (term->rule == SDC_TERM_SWAP)
		make_rank(task, term, place, profile);
	else if (term->rule == SDC_TERM_MICROAGGREGATE)
		make_groups(task, term, place, profile);
	else
		make_range(task, term, place, profile);
	if (profile->flat)
	{
		profile->top = profile->length == 0 ? profile->floor : profile->gain;
		profile->top =
			profile->top < profile->floor ? profile->floor : profile->top;
		return;
	}
	profile->room[0] = profile->floor;
	profile->room[profile->length + 1] = profile->floor;
	profile->value = profile->room + 1;
	make_maxima(profile);
}

/* log of Gamma((4 + known) / 2), by its recursion. */
static double
log_gamma_half(int twice)
{
	double log_gamma = twice % 2 == 0 ? 0 : 0.5723649429247001;
	double x = twice % 2 == 0 ? 1 : 0.5;

	for (; 2 * x < twice; x++)
		log_gamma += sdc_random_log(x);
	return log_gamma;
}

double
sdc_group_score(const SdcTermHead *term, double square, int known)
{
	double s = term->scale;
	double error = term->error;
	double x;

	if (known == 0)
		return 0;
	x = log_gamma_half(4 + known) -
		known * (0.5 * 2.5310242469692907 + sdc_random_log(s) + term->level) -
		0.5 * (4 + known) * sdc_random_log(1 + square / (4 * s * s));
	if (x > 30)
		return x;
	return sdc_random_log((1 - error) * sdc_exp(x) + error);
}
