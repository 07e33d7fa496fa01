/*
 * intruder_search.c
 *		The best records of one person, by boxes with an upper bound.
 *
 * The tree is walked from its root, the better child first.  The bound of a
 * box is the sum of what each term can give at the most inside it; it is
 * added in the order in which records are scored, so rounding cannot put it
 * below a record of the box.  A box is left out when it cannot beat the worst
 * of a full list, or what is too far below the best.  The records of a leaf
 * are scored together, term by term.
 *
 * Where boxes or records are equal, which is taken depends on the person and
 * on an order drawn from the seed: many persons alike do not all list the
 * same few of many records alike.
 */
#include "kernel/intruder/bilinear.h"
#include "kernel/intruder/intruder_private.h"

#include <math.h>
#include <string.h>

#include "kernel/base/elementary.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"

/* ---------------------------------------------------------------------------
 * Profiles: what each segment of the masked values adds to a score, log P(b |
 * a, rule) - log P(b), mixed with the error rate.  Only the segments that the
 * law reaches are in a profile, everything else is the floor.
 */

/* Ranks of a group of ties over which a law is averaged at the most. */
#define TIE_STEPS 24

/*
 * Greatest values of runs: those of 1, 2, 4 and 8 segments from each one on,
 * and those of 1, 2, 4 ... whole runs of eight.
 */
#define FINE 4
#define RUN  8

/* Places behind a profile that hold its floor. */
#define BEHIND (RUN + 1)

static int
levels(int32_t longest)
{
	int k = 1;

	while (longest >> k > 0)
		k++;
	return k;
}

static size_t
profile_room(int32_t longest)
{
	int32_t runs = longest / RUN + 1;

	return (size_t) (longest + 1 + BEHIND) * FINE +
		   (size_t) runs * (size_t) levels(runs);
}

/* Log of a chance in proportion to that of a record drawn at random. */
static inline float
mixed_log(float ratio, float error)
{
	return sdc_log_float((1 - error) * ratio + error);
}

static inline float
law_value(float mass, float scale, int32_t ranks, float error)
{
	return mixed_log(scale * mass / (float) ranks, error);
}

/* Segments whose masses are found together. */
#define CHUNK 64

/*
 * What sdc_rank_law_below says of one rank at the first position of each of
 * several segments: the same operations, without branches.
 */
static SDC_CLONES void
find_masses(const SdcRankLaw *law, int32_t row, const int32_t *restrict edge,
			int32_t rank, int32_t segments, double *restrict upto)
{
	const double *restrict below =
		law->data + (size_t) row * (size_t) (law->bins + 1);
	double stay = law->data[(size_t) law->rows * (size_t) (law->bins + 1) +
							(size_t) row];
	double middle = (double) law->reach * law->zones;
	double zones = law->zones;
	double window = law->w;
	double bins = law->bins;
	double all = below[law->bins];
	int32_t s;

	for (s = 0; s < segments; s++)
	{
		int32_t x = edge[s] - 1 - rank;
		double place = middle + (double) (x >= 0 ? x : x + 1) * zones / window;
		double inside = place > 0 && place < bins ? place : 0;
		int32_t b = (int32_t) inside;
		double mass = below[b] + (inside - b) * (below[b + 1] - below[b]);

		mass = place >= bins ? all : mass;
		upto[s] = mass + (x >= 0 ? stay : 0);
	}
}

/* Adds the law of one rank of the stratum to the segments of a profile. */
static void
add_laws(const SdcRankLaw *law, const int32_t *edge, int32_t start,
		 int32_t segments, int32_t rank, float *mass)
{
	int32_t row = sdc_rank_law_row(law, rank);
	double upto[CHUNK + 1];
	int32_t from;
	int32_t s;

	for (from = 0; from < segments; from += CHUNK)
	{
		int32_t n = segments - from < CHUNK ? segments - from : CHUNK;

		find_masses(law, row, edge + from, start + rank, n + 1, upto);
		for (s = 0; s < n; s++)
			mass[from + s] += (float) (upto[s + 1] - upto[s]);
	}
}

static SDC_CLONES void
finish_law(const int32_t *restrict edge, int32_t segments, float scale,
		   float error, float *restrict value)
{
	int32_t s;

	for (s = 0; s < segments; s++)
		value[s] = law_value(value[s], scale, edge[s + 1] - edge[s], error);
}

static const SdcRankLaw *
law_of(const SdcTask *task, const SdcStratum *stratum)
{
	const size_t *laws = sdc_task_at(task, task->law);

	return sdc_task_at(task, laws[stratum->law]);
}

/* Ranks of a group of ties over which a law is averaged. */
static int32_t
tie_steps(const SdcStratum *stratum, SdcPlace place)
{
	int32_t ties = place.high - place.low + 1;

	return ties <= stratum->piece ? 1 : ties < TIE_STEPS ? ties : TIE_STEPS;
}

/* The k-th of these ranks, in the stratum. */
static int32_t
tie_rank(const SdcStratum *stratum, SdcPlace place, int32_t k, int32_t steps)
{
	int32_t ties = place.high - place.low + 1;

	return place.low - stratum->start +
		   (int32_t) ((2 * k + 1) * (int64_t) ties / (2 * steps));
}

/* What the law of a swapped value adds in so many segments. */
static void
fill_law(const SdcTask *task, const SdcTermHead *term,
		 const SdcStratum *stratum, SdcPlace place, int32_t first,
		 int32_t segments, float *value)
{
	const int32_t *edge = sdc_task_at(task, term->edge);
	int32_t steps = tie_steps(stratum, place);
	int32_t k;

	for (k = 0; k < segments; k++)
		value[k] = 0;
	for (k = 0; k < steps; k++)
		add_laws(law_of(task, stratum), edge + first, stratum->start, segments,
				 tie_rank(stratum, place, k, steps), value);
	finish_law(edge + first, segments,
			   (float) edge[term->segments] / (float) steps, term->error,
			   value);
}

/* The same in one segment. */
static float
law_at(const SdcTask *task, const SdcTermHead *term, const SdcStratum *stratum,
	   SdcPlace place, int32_t segment)
{
	const int32_t *edge = sdc_task_at(task, term->edge);
	int32_t total = edge[term->segments];
	const SdcRankLaw *law = law_of(task, stratum);
	int32_t steps = tie_steps(stratum, place);
	float mass = 0;
	int32_t k;

	edge += segment;
	for (k = 0; k < steps; k++)
	{
		int32_t rank = tie_rank(stratum, place, k, steps);
		int32_t row = sdc_rank_law_row(law, rank);
		int32_t from = stratum->start + rank + 1;

		mass += (float) (sdc_rank_law_below(law, row, edge[1] - from) -
						 sdc_rank_law_below(law, row, edge[0] - from));
	}
	return law_value(mass, (float) total / (float) steps, edge[1] - edge[0],
					 term->error);
}

/* A swapped value whose window is not empty. */
static void
make_swap(const SdcTask *task, const SdcTermHead *term,
		  const SdcStratum *stratum, SdcPlace place, SdcProfile *profile)
{
	const int32_t *edge = sdc_task_at(task, term->edge);
	const SdcRankLaw *law = law_of(task, stratum);
	int64_t far = (int64_t) law->reach * law->w;
	int64_t from = place.low - far;
	int64_t upto = place.high + far;
	int32_t last = stratum->start + stratum->values - 1;
	int32_t end;

	from = from < stratum->start ? stratum->start : from;
	upto = upto > last ? last : upto;
	profile->first =
		sdc_sort_segment(edge, stratum->first, stratum->end, (int32_t) from);
	end =
		sdc_sort_segment(edge, profile->first, stratum->end, (int32_t) upto) +
		1;
	profile->length = end - profile->first;
	fill_law(task, term, stratum, place, profile->first, profile->length,
			 profile->room + 1);
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

/* The stratum in which a value is swapped; NULL when it cannot move. */
static const SdcStratum *
swapped_stratum(const SdcTask *task, const SdcTermHead *term, int32_t segment)
{
	const int32_t *owner = sdc_task_at(task, term->owner);
	const SdcStratum *strata = sdc_task_at(task, term->stratum);
	const SdcStratum *stratum = &strata[owner[segment]];

	return segment < stratum->end && stratum->law >= 0 ? stratum : NULL;
}

static void
make_rank(const SdcTask *task, const SdcTermHead *term, SdcPlace place,
		  SdcProfile *profile)
{
	const int32_t *edge = sdc_task_at(task, term->edge);
	int32_t segment = sdc_sort_segment(edge, 0, term->segments, place.low);
	const SdcStratum *stratum = swapped_stratum(task, term, segment);

	if (stratum != NULL)
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

/* The first code of the stratum of a person's; of a table there is one. */
static inline int32_t
first_code(const SdcTermHead *term, SdcPlace place)
{
	return term->strata == 0 ? 0 : place.low - place.low % term->codes;
}

/* What the matrix adds for a person's code and a segment of its stratum. */
static float
matrix_at(const SdcTask *task, const SdcTermHead *term, SdcPlace place,
		  int32_t segment)
{
	const int32_t *below = sdc_task_at(task, term->below);
	const float *chance = sdc_task_at(task, term->curve);
	int32_t first = first_code(term, place);
	int32_t known = below[first + term->codes] - below[first];
	int32_t count = below[segment + 1] - below[segment];
	int32_t row = term->strata == 1 ? place.low - first : place.low;

	if (count == 0)
		return term->floor;
	chance += (size_t) row * (size_t) term->codes;
	return mixed_log(chance[segment - first] * (float) known / (float) count,
					 term->error);
}

/* Each code of the stratum, as likely as the matrix says. */
static void
make_matrix(const SdcTask *task, const SdcTermHead *term, SdcPlace place,
			SdcProfile *profile)
{
	int32_t s;

	profile->first = first_code(term, place);
	profile->length = term->codes;
	for (s = 0; s < term->codes; s++)
		profile->room[s + 1] =
			matrix_at(task, term, place, profile->first + s);
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

/* The greatest of segments low .. high of a profile, which it has. */
static inline float
greatest(const SdcProfile *profile, int32_t low, int32_t high)
{
	int32_t n = high - low + 1;
	const float *fine;
	const float *coarse;
	int32_t first;
	int32_t whole;
	float x;
	float y;
	int k = n >= RUN ? FINE - 1 : 31 - __builtin_clz((unsigned) n);

	fine = profile->value + (size_t) k * (size_t) profile->stride;
	x = fine[low];
	y = fine[high + 1 - (1 << k)];
	x = x > y ? x : y;
	if (n <= 2 * RUN)
		return x;
	first = (low + RUN - 1) / RUN;
	whole = (high + 1) / RUN - first;
	k = 31 - __builtin_clz((unsigned) whole);
	coarse = profile->maximum + (size_t) k * (size_t) profile->runs + first;
	x = x > coarse[0] ? x : coarse[0];
	y = coarse[whole - (1 << k)];
	return x > y ? x : y;
}

static inline float
greater(float a, float b)
{
	return a > b ? a : b;
}

/*
 * The greatest of 2, 4 and 8 values from each of n on, stride apart; behind
 * the values are RUN - 1 more.  Then those of whole runs.
 */
static SDC_CLONES void
find_maxima(const float *restrict value, float *restrict fine, int32_t n,
			int32_t stride, float *restrict coarse, int32_t runs)
{
	float *restrict four = fine + stride;
	float *restrict eight = four + stride;
	int32_t run;
	int32_t s;

	for (s = 0; s < n; s++)
	{
		float a = greater(value[s], value[s + 1]);
		float b = greater(value[s + 2], value[s + 3]);
		float c = greater(value[s + 4], value[s + 5]);
		float d = greater(value[s + 6], value[s + 7]);

		fine[s] = a;
		a = greater(a, b);
		four[s] = a;
		eight[s] = greater(a, greater(c, d));
	}
	for (s = 0; s < runs; s++)
		coarse[s] = eight[(size_t) s * RUN];
	for (run = 1; 2 * run <= runs; run *= 2, coarse += runs)
		for (s = 0; s + 2 * run <= runs; s++)
			coarse[runs + s] = greater(coarse[s], coarse[s + run]);
}

static void
make_maxima(SdcProfile *profile)
{
	int32_t n = profile->length;
	float *value = profile->room + 1;
	float *coarse;
	int k;

	for (k = 0; k < BEHIND; k++)
		value[n + k] = profile->floor;
	profile->stride = n + 1 + BEHIND;
	profile->runs = n / RUN;
	coarse = profile->room + (size_t) FINE * (size_t) profile->stride;
	profile->maximum = coarse;
	find_maxima(value, value + profile->stride, n, profile->stride, coarse,
				profile->runs);
	profile->top = greatest(profile, 0, n - 1);
	profile->top =
		profile->top < profile->floor ? profile->floor : profile->top;
}

static void
make_profile(const SdcTask *task, const SdcTermHead *term, SdcPlace place,
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
	else if (term->rule == SDC_TERM_MATRIX)
		make_matrix(task, term, place, profile);
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
	profile->value = profile->room + 1;
	make_maxima(profile);
}

/* Of a column without strata: is a segment beyond the reach of a value? */
static inline bool
is_far(const SdcTask *task, const SdcTermHead *term, SdcPlace place,
	   int32_t segment)
{
	const int32_t *edge = sdc_task_at(task, term->edge);
	const SdcStratum *stratum = sdc_task_at(task, term->stratum);
	int64_t far;

	if (term->strata != 1 || stratum->law < 0 || segment >= stratum->end ||
		place.low >= stratum->start + stratum->values)
		return false;
	far = (int64_t) law_of(task, stratum)->reach * stratum->window;
	return edge[segment] > place.high + far ||
		   edge[segment + 1] <= place.low - far;
}

/* One segment of the profile of a swapped value. */
static float
swap_at(const SdcTask *task, const SdcTermHead *term, SdcPlace place,
		int32_t segment)
{
	const int32_t *edge = sdc_task_at(task, term->edge);
	const int32_t *owner = sdc_task_at(task, term->owner);
	int32_t own;
	const SdcStratum *stratum;

	if (is_far(task, term, place, segment))
		return term->floor;
	stratum = sdc_task_at(task, term->stratum);
	if (term->strata == 1 && stratum->law >= 0 &&
		place.low < stratum->start + stratum->values)
		return segment < stratum->end
				   ? law_at(task, term, stratum, place, segment)
				   : term->floor;
	own = sdc_sort_segment(edge, 0, term->segments, place.low);
	stratum = swapped_stratum(task, term, own);
	if (stratum == NULL)
		return segment == own
				   ? mixed_log((float) edge[term->segments] /
								   (float) (edge[own + 1] - edge[own]),
							   term->error)
				   : term->floor;
	if (owner[segment] != owner[own] || segment >= stratum->end)
		return term->floor;
	return law_at(task, term, stratum, place, segment);
}

static float
profile_at(const SdcTask *task, const SdcTermHead *term, SdcPlace place,
		   int32_t segment)
{
	/* codes: one gain, or two groups */
	float room[64];
	SdcProfile profile = {.room = room};

	if (segment < 0 || place.low == SDC_PLACE_UNKNOWN)
		return 0;
	if (term->rule == SDC_TERM_SWAP && place.low != SDC_PLACE_NOWHERE)
		return swap_at(task, term, place, segment);
	if (term->rule == SDC_TERM_MATRIX)
		return segment - segment % term->codes == first_code(term, place)
				   ? matrix_at(task, term, place, segment)
				   : term->floor;
	make_profile(task, term, place, &profile);
	segment -= profile.first;
	if (segment < 0 || segment >= profile.length)
		return profile.floor;
	return profile.flat ? profile.gain : profile.value[segment];
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

#define LOG_PI 1.1447298858494002

/*
 * What of a score of groups is the same for all records of whom so many
 * columns are compared.
 */
static double
group_constant(const SdcTermHead *term, int known)
{
	if (term->degrees == SDC_DEGREES_UNIFORM)
		return -known * (sdc_random_log(2 * term->scale) + term->level);
	return log_gamma_half(term->degrees + known) -
		   log_gamma_half(term->degrees) -
		   known * (0.5 * (LOG_PI + sdc_random_log(term->degrees)) +
					sdc_random_log(term->scale) + term->level);
}

/* A score mixed with the error; where it is great that adds nothing. */
static inline __attribute__((always_inline)) float
mix_error(float score, float error)
{
	float mixed = sdc_log_float((1 - error) * sdc_exp_float(score) + error);

	return score > 30 ? score : mixed;
}

/*
 * The score of a group at a square, in spreads of a width of 1: Student's law,
 * or a uniform one, mixed with the error.
 */
static inline __attribute__((always_inline)) float
group_score(const float *constant, float error, float degrees, float width,
			float square, int known)
{
	float n = (float) known;
	float x;

	if (degrees == SDC_DEGREES_UNIFORM)
		return known == 0    ? 0
			   : square <= 1 ? mix_error(constant[known], error)
							 : sdc_log_float(error);
	x = constant[known] - n * sdc_log_float(width) -
		(degrees / 2 + n / 2) *
			sdc_log_float(1 + square / (degrees * width * width));
	return known == 0 ? 0 : mix_error(x, error);
}

/* ---------------------------------------------------------------------------
 * A search.
 */

/* Profiles of a term that are kept for the next person. */
#define KEPT 8

/* What adding in another order may change. */
#define SLACK 1e-3f

struct SdcSearch
{
	SdcHost *host;
	const SdcTask *task;
	const SdcNode *node;
	const int32_t *segment_box;
	const double *number_box;
	SdcProfile *kept; /* [term * KEPT + slot] */
	float *constant; /* of groups: [term * (SDC_INTRUDER_TERMS + 1) + known] */
	/* of the person */
	const SdcProfile *profile[SDC_INTRUDER_TERMS]; /* NULL: not known */
	const double *number[SDC_INTRUDER_TERMS];      /* by column */
	double known[SDC_INTRUDER_TERMS];
	float rest[SDC_INTRUDER_TERMS + 1]; /* what terms from here can add */
	uint32_t salt;
	/* the list: a heap with the worst at the top */
	int32_t count;
	int32_t *found;
	float *score;
	float best;
	double mass; /* of the list, beside exp(origin) */
	float origin;
	float share;   /* a score that is worth listing, by the mass */
	float weighed; /* the mass for which that was computed */
	int64_t looks;
};

SdcSearch *
sdc_intruder_search_create(SdcHost *host, const SdcTask *task)
{
	SdcSearch *search = sdc_new(host, SdcSearch, 1);
	int known;
	int t;
	int slot;

	memset(search, 0, sizeof(*search));
	search->host = host;
	search->task = task;
	search->node = sdc_task_at(task, task->node);
	search->segment_box = sdc_task_at(task, task->segment_box);
	search->number_box = sdc_task_at(task, task->number_box);
	search->kept = sdc_new(host, SdcProfile, (size_t) task->profiles * KEPT);
	for (t = 0; t < task->profiles; t++)
	{
		size_t room = profile_room(task->term[t].longest);
		float *floats = sdc_new(host, float, room *KEPT);

		for (slot = 0; slot < KEPT; slot++)
		{
			search->kept[t * KEPT + slot].room = floats + (size_t) slot * room;
			search->kept[t * KEPT + slot].place.low = SDC_PLACE_UNKNOWN;
		}
	}
	search->constant =
		sdc_new(host, float, task->terms *(SDC_INTRUDER_TERMS + 1) + 1);
	for (t = task->profiles; t < task->terms; t++)
		if (task->term[t].rule == SDC_TERM_GROUP)
			for (known = 0; known <= task->term[t].columns; known++)
				search->constant[t * (SDC_INTRUDER_TERMS + 1) + known] =
					(float) group_constant(&task->term[t], known);
	return search;
}

void
sdc_intruder_search_release(SdcSearch *search)
{
	SdcHost *host = search->host;
	int t;

	for (t = 0; t < search->task->profiles; t++)
		host->release(host, search->kept[t * KEPT].room);
	host->release(host, search->kept);
	host->release(host, search->constant);
	host->release(host, search);
}

/* ---------------------------------------------------------------------------
 * Scores.
 */

/* The person's value in a column of numbers of a term; NaN: not known. */
static inline double
person_number(const SdcSearch *search, const SdcTermHead *term, int c)
{
	return search->known[term->column + c];
}

/* Adds a profile to the scores of n records. */
static inline __attribute__((always_inline)) void
add_profile(const SdcProfile *profile, bool holes,
			const int32_t *restrict segment, int32_t n, float *restrict sum)
{
	const float *restrict value = profile->value;
	uint32_t length = (uint32_t) profile->length;
	int32_t first = profile->first;
	int32_t last = profile->length;
	float gain = profile->gain;
	float floor = profile->floor;
	int32_t i;

	if (holes)
		for (i = 0; i < n; i++)
		{
			uint32_t s = (uint32_t) (segment[i] - first);
			float x = profile->flat ? gain : value[s < length ? s : length];

			sum[i] += segment[i] < 0 ? 0 : s < length ? x : floor;
		}
	else if (profile->flat)
		for (i = 0; i < n; i++)
			sum[i] += (uint32_t) (segment[i] - first) < length ? gain : floor;
	else
		for (i = 0; i < n; i++)
		{
			int32_t s = segment[i] - first;

			s = s < -1 ? -1 : s;
			s = s > last ? last : s;
			sum[i] += value[s];
		}
}

/* Scores n records by the profiles; false when none can be good enough. */
static SDC_CLONES bool
score_profiles(const SdcSearch *search, int32_t start, int32_t n, float least,
			   float *restrict sum)
{
	const SdcTask *task = search->task;
	int32_t i;
	int t;

	for (i = 0; i < n; i++)
		sum[i] = 0;
	for (t = 0; t < task->profiles; t++)
	{
		const SdcTermHead *term = &task->term[t];
		const int32_t *segment = sdc_task_at(task, term->record);
		float best = -INFINITY;

		if (search->profile[t] == NULL)
			continue;
		add_profile(search->profile[t], term->holes, segment + start, n, sum);
		for (i = 0; i < n; i++)
			best = sum[i] > best ? sum[i] : best;
		if (best + search->rest[t + 1] < least)
			return false;
	}
	return true;
}

/* Noise: the columns before the first that is missing count. */
static float
noise_pair(const SdcSearch *search, const SdcTermHead *term,
		   const double *number, int32_t record)
{
	double difference[SDC_INTRUDER_TERMS];
	size_t stride = (size_t) search->task->records;
	int known;

	for (known = 0; known < term->columns; known++)
	{
		difference[known] = number[(size_t) known * stride + (size_t) record] -
							person_number(search, term, known);
		if (isnan(difference[known]))
			break;
	}
	return sdc_noise_score(term, sdc_task_at(search->task, term->curve),
						   difference, known);
}

/* What rounding of places, and of their vectors, may add to a square. */
#define RING_SLACK 1e-7

/* A ring, where the square of the distance is least .. most. */
static float
ring_score(const SdcTermHead *term, double least, double most)
{
	double error = term->error;

	if (least > 1 + RING_SLACK || most < term->scale - RING_SLACK)
		return term->floor;
	return (float) sdc_random_log((1 - error) * sdc_exp(term->level) + error);
}

static float
ring_pair(const SdcSearch *search, const SdcTermHead *term,
		  const double *number, int32_t record)
{
	size_t stride = (size_t) search->task->records;
	double square = 0;
	int c;

	for (c = 0; c < term->columns; c++)
	{
		double d = number[(size_t) c * stride + (size_t) record] -
				   person_number(search, term, c);

		square += d * d;
	}
	return isnan(square) ? 0 : ring_score(term, square, square);
}

/* The greatest that a ring gives in a box. */
static float
ring_bound(const SdcSearch *search, const SdcTermHead *term, const double *box,
		   bool holes)
{
	double least = 0;
	double most = 0;
	float top;
	int c;

	for (c = 0; c < term->columns; c++)
	{
		double x = person_number(search, term, c);
		const double *side = box + 2 * (term->column + c);
		double near = x < side[0]   ? side[0] - x
					  : x > side[1] ? x - side[1]
									: 0;
		double far = fmax(x - side[0], side[1] - x);

		if (isnan(x))
			return 0;
		least += near * near;
		most += far * far;
	}
	top = ring_score(term, least, most);
	return holes && top < 0 ? 0 : top;
}

static float
bilinear_pair(const SdcSearch *search, const SdcTermHead *term,
			  const double *number, int32_t record)
{
	return sdc_bilinear_score(term, search->known + term->column,
							  number + record, (size_t) search->task->records);
}

/* The constants of a term of groups. */
static inline const float *
constants_of(const SdcSearch *search, const SdcTermHead *term)
{
	return search->constant +
		   (term - search->task->term) * (SDC_INTRUDER_TERMS + 1);
}

/*
 * Adds a term of groups to the scores of up to SDC_LEAF records: the columns
 * that are known of both count.
 */
static SDC_CLONES void
score_groups(const SdcSearch *search, const SdcTermHead *term, int32_t start,
			 int32_t n, float *restrict sum)
{
	const double *number = sdc_task_at(search->task, term->record);
	const float *constant = constants_of(search, term);
	size_t stride = (size_t) search->task->records;
	double scale = 1 / (term->scale * term->scale);
	int columns = sdc_compared_columns(term);
	float degrees = (float) term->degrees;
	float error = term->error;
	double square[SDC_LEAF];
	int32_t known[SDC_LEAF];
	int32_t i;
	int c;

	for (i = 0; i < n; i++)
	{
		square[i] = 0;
		known[i] = 0;
	}
	for (c = 0; c < columns; c++)
	{
		const double *restrict value = number + (size_t) c * stride + start;
		double x = person_number(search, term, c);

		for (i = 0; i < n; i++)
		{
			double d = value[i] - x;

			square[i] += d == d ? d * d : 0;
			known[i] += d == d;
		}
	}
	number += (size_t) columns * stride + start;
	if (term->uneven)
		for (i = 0; i < n; i++)
			sum[i] += group_score(constant, error, degrees, (float) number[i],
								  (float) (square[i] * scale), known[i]);
	else
		for (i = 0; i < n; i++)
			sum[i] += group_score(constant, error, degrees, 1,
								  (float) (square[i] * scale), known[i]);
}

static void
score_numbers(const SdcSearch *search, int32_t start, int32_t n, float *sum)
{
	const SdcTask *task = search->task;
	int32_t i;
	int t;

	for (t = task->profiles; t < task->terms; t++)
	{
		const SdcTermHead *term = &task->term[t];
		const double *number = sdc_task_at(task, term->record);

		if (term->rule == SDC_TERM_NOISE)
			for (i = 0; i < n; i++)
				sum[i] += noise_pair(search, term, number, start + i);
		else if (term->rule == SDC_TERM_RING)
			for (i = 0; i < n; i++)
				sum[i] += ring_pair(search, term, number, start + i);
		else if (term->rule == SDC_TERM_BILINEAR)
			for (i = 0; i < n; i++)
				sum[i] += bilinear_pair(search, term, number, start + i);
		else
			score_groups(search, term, start, n, sum);
	}
}

/* The greatest that a profile gives in the segments of a box. */
static inline float
profile_bound(const SdcProfile *profile, int32_t low, int32_t high)
{
	float x;

	low -= profile->first;
	high -= profile->first;
	low = low < 0 ? 0 : low;
	high = high < profile->length ? high : profile->length - 1;
	if (low > high)
		return profile->floor;
	if (profile->flat)
		return profile->top;
	if (low == 0 && high == profile->length - 1)
		return profile->top;
	x = greatest(profile, low, high);
	return x > profile->floor ? x : profile->floor;
}

/*
 * The width at which a group gives the most at a distance, between two: the
 * maximum of the law's density in its spread.
 */
static double
best_width(const SdcTermHead *term, const double *side, double square,
		   int known)
{
	double width;

	if (!term->uneven)
		return 1;
	width = sqrt(square / (known > 0 ? known : 1)) / term->scale;
	return width < side[0] ? side[0] : width > side[1] ? side[1] : width;
}

/*
 * The greatest that a term of numbers gives in a box.  Where records lack
 * values, fewer columns may be compared, and others decide.
 */
static float
number_bound(const SdcSearch *search, const SdcTermHead *term,
			 const double *box, bool holes)
{
	const float *curve = sdc_task_at(search->task, term->curve);
	double difference[SDC_INTRUDER_TERMS];
	int columns = sdc_compared_columns(term);
	double square = 0;
	int known = 0;
	float top;
	int c;

	if (term->rule == SDC_TERM_RING)
		return ring_bound(search, term, box, holes);
	if (term->rule == SDC_TERM_BILINEAR)
		return sdc_bilinear_bound(term, search->known + term->column,
								  box + 2 * term->column, holes);
	difference[0] = 0;
	for (c = 0; c < columns; c++)
	{
		double x = person_number(search, term, c);
		const double *side = box + 2 * (term->column + c);
		double d = x < side[0] ? side[0] - x : x > side[1] ? x - side[1] : 0;

		if (isnan(x) && term->rule == SDC_TERM_NOISE)
			break;
		if (isnan(x))
			continue;
		square += d * d;
		difference[known++] = d;
	}
	if (term->rule == SDC_TERM_GROUP)
	{
		square = holes ? 0 : square;
		top = group_score(
			constants_of(search, term), term->error, (float) term->degrees,
			(float) best_width(term, box + 2 * (term->column + columns),
							   square, known),
			(float) (square / (term->scale * term->scale)), known);
		return holes && top < 0 ? 0 : top;
	}
	top = sdc_noise_score(term, curve, difference, known);
	for (c = 0; holes && c < known; c++)
	{
		float x = sdc_noise_score(term, curve, difference, c);

		top = x > top ? x : top;
	}
	return top;
}

/* No record of a node has a greater score. */
static float
bound(const SdcSearch *search, int32_t at, float least)
{
	const SdcTask *task = search->task;
	uint64_t holes = search->node[at].holes;
	const int32_t *box =
		search->segment_box + (size_t) at * (size_t) task->profiles * 2;
	float sum = 0;
	int t;

	for (t = 0; t < task->profiles; t++, box += 2)
	{
		float x;

		if (search->profile[t] == NULL)
			continue;
		x = profile_bound(search->profile[t], box[0], box[1]);
		if (holes >> t & 1 && (x < 0 || box[0] > box[1]))
			x = 0;
		sum += x;
		if (sum + search->rest[t + 1] < least)
			return -INFINITY;
	}
	for (t = task->profiles; t < task->terms; t++)
		sum += number_bound(search, &task->term[t],
							search->number_box +
								(size_t) at * (size_t) task->columns * 2,
							holes >> t & 1);
	return sum;
}

/* ---------------------------------------------------------------------------
 * The list.
 */

static inline bool
is_worse(const SdcSearch *search, int32_t a, int32_t b)
{
	return search->score[a] != search->score[b]
			   ? search->score[a] < search->score[b]
			   : search->found[a] > search->found[b];
}

static inline void
exchange(SdcSearch *search, int32_t a, int32_t b)
{
	float score = search->score[a];
	int32_t found = search->found[a];

	search->score[a] = search->score[b];
	search->found[a] = search->found[b];
	search->score[b] = score;
	search->found[b] = found;
}

static void
sift_down(SdcSearch *search, int32_t at, int32_t n)
{
	int32_t child;

	for (; (child = 2 * at + 1) < n; at = child)
	{
		if (child + 1 < n && is_worse(search, child + 1, child))
			child++;
		if (!is_worse(search, child, at))
			return;
		exchange(search, at, child);
	}
}

/*
 * The mass of the list only grows, so what is too small a share of it now is
 * so at the end.
 */
static void
weigh(SdcSearch *search, float added, float removed)
{
	float x = added - search->origin;

	if (search->task->share == 0)
		return;
	if (search->count == 0 || x > 80)
	{
		/* nothing before matters beside this one */
		search->origin = added;
		search->mass = 0;
		search->weighed = 0;
		x = 0;
		removed = -INFINITY;
	}
	search->mass += sdc_exp_float(x);
	if (removed > search->origin - 80)
		search->mass -= sdc_exp_float(removed - search->origin);
	if (search->mass <= 1.05 * search->weighed)
		return;
	search->weighed = (float) search->mass;
	search->share =
		search->origin +
		sdc_log_float((float) (search->task->share * search->mass));
}

static void
add_record(SdcSearch *search, int32_t record, float score)
{
	int32_t at;

	if (score > search->best)
		search->best = score;
	weigh(search, score,
		  search->count == search->task->room ? search->score[0] : -INFINITY);
	if (search->count == search->task->room)
	{
		search->score[0] = score;
		search->found[0] = record;
		sift_down(search, 0, search->count);
		return;
	}
	at = search->count++;
	search->score[at] = score;
	search->found[at] = record;
	while (at > 0 && is_worse(search, at, (at - 1) / 2))
	{
		exchange(search, at, (at - 1) / 2);
		at = (at - 1) / 2;
	}
}

/*
 * A record must be above this, or equal to it as long as the list is not
 * full.
 */
static inline float
least_score(const SdcSearch *search, bool *full)
{
	float depth = search->best - (float) search->task->depth;

	depth = search->share - SLACK > depth ? search->share - SLACK : depth;
	*full = search->count == search->task->room && search->score[0] >= depth;
	return *full ? search->score[0] : depth;
}

/* Takes those of n scored records that are good enough, from a place on. */
static void
take_records(SdcSearch *search, int32_t start, int32_t n, int32_t from,
			 const float *sum)
{
	bool full;
	float least = least_score(search, &full);
	int32_t k;

	for (k = 0; k < n; k++)
	{
		int32_t i = from + k < n ? from + k : from + k - n;

		if (sum[i] < least || (full && sum[i] == least))
			continue;
		add_record(search, start + i, sum[i]);
		least = least_score(search, &full);
	}
}

static void
look_at_leaf(SdcSearch *search, const SdcNode *leaf)
{
	float sum[SDC_LEAF];
	int32_t chunks = (leaf->end - leaf->start + SDC_LEAF - 1) / SDC_LEAF;
	uint32_t salt = (uint32_t) sdc_random_mix((uint64_t) search->salt << 32 |
											  (uint32_t) leaf->start);
	int32_t k;

	for (k = 0; k < chunks; k++)
	{
		int32_t chunk = (int32_t) ((salt + (uint32_t) k) % (uint32_t) chunks);
		int32_t start = leaf->start + chunk * SDC_LEAF;
		int32_t n =
			leaf->end - start < SDC_LEAF ? leaf->end - start : SDC_LEAF;
		bool full;
		float least = least_score(search, &full);

		/* more than one chunk: all records are equal */
		if (k > 0 && full && search->best == search->score[0])
			return;
		search->looks += n;
		if (!score_profiles(search, start, n, least - SLACK, sum))
			continue;
		if (search->task->terms > search->task->profiles)
			score_numbers(search, start, n, sum);
		take_records(search, start, n, (int32_t) (salt / 65536 % (uint32_t) n),
					 sum);
	}
}

static void
visit(SdcSearch *search, int32_t at)
{
	const SdcNode *node = &search->node[at];
	float bounds[2];
	float least;
	bool full;
	int first;
	int k;

	if (node->child == 0)
	{
		look_at_leaf(search, node);
		return;
	}
	least = least_score(search, &full);
	bounds[0] = bound(search, node->child, least - SLACK);
	bounds[1] = bound(search, node->child + 1, least - SLACK);
	search->looks += 2;
	first = bounds[1] > bounds[0];
	if (bounds[0] == bounds[1])
		first = (int) (sdc_random_mix((uint64_t) search->salt << 32 |
									  (uint32_t) node->child) &
					   1);
	for (k = 0; k < 2; k++)
	{
		float x = bounds[first ^ k];

		least = least_score(search, &full);
		if (full ? x > least : x >= least)
			visit(search, node->child + (first ^ k));
	}
}

/* ---------------------------------------------------------------------------
 * A person.
 */

static const SdcProfile *
find_profile(SdcSearch *search, int t, SdcPlace place)
{
	uint32_t slot = (uint32_t) place.low % KEPT;
	SdcProfile *profile = &search->kept[t * KEPT + (int) slot];

	if (profile->place.low != place.low || profile->place.high != place.high)
		make_profile(search->task, &search->task->term[t], place, profile);
	return profile;
}

/* Takes what is known of a person in the columns of a term of numbers. */
static void
know_numbers(SdcSearch *search, const SdcTermHead *term, int32_t person)
{
	const SdcTask *task = search->task;
	const double *number = sdc_task_at(task, term->person);
	int c;

	for (c = 0; c < term->columns; c++)
		search->known[term->column + c] =
			number[(size_t) c * task->persons + person];
}

/* Makes ready for a person. */
static void
know(SdcSearch *search, int32_t person)
{
	const SdcTask *task = search->task;
	float top[SDC_INTRUDER_TERMS];
	int t;

	for (t = 0; t < task->terms; t++)
	{
		const SdcTermHead *term = &task->term[t];

		top[t] = 0;
		if (t < task->profiles)
		{
			const SdcPlace *place = sdc_task_at(task, term->person);

			search->profile[t] = NULL;
			if (place[person].low == SDC_PLACE_UNKNOWN)
				continue;
			search->profile[t] = find_profile(search, t, place[person]);
			top[t] = search->profile[t]->top;
		}
		else
		{
			know_numbers(search, term, person);
			/* the box of all records */
			top[t] =
				number_bound(search, term, search->number_box, term->holes);
		}
		top[t] = term->holes && top[t] < 0 ? 0 : top[t];
	}
	search->rest[task->terms] = 0;
	for (t = task->terms - 1; t >= 0; t--)
		search->rest[t] = top[t] + search->rest[t + 1];
}

/* The score below which an entry has too small a share of the list. */
static float
share_of_list(const SdcSearch *search)
{
	float sum = 0;
	int32_t k;

	if (search->task->share == 0 || search->count == 0)
		return -INFINITY;
	for (k = 0; k < search->count; k++)
		sum += sdc_exp_float(search->score[k] - search->best);
	return search->best + sdc_log_float(sum * (float) search->task->share);
}

int32_t
sdc_intruder_search_run(SdcSearch *search, int32_t person, int32_t *found,
						float *score, int64_t *looks)
{
	int32_t n;
	float least;
	float share;

	know(search, person);
	search->salt = (uint32_t) (search->task->from + person);
	search->count = 0;
	search->found = found;
	search->score = score;
	search->best = -INFINITY;
	search->share = -INFINITY;
	search->looks = 0;
	visit(search, 0);
	for (n = search->count; n > 1; n--)
	{
		exchange(search, 0, n - 1);
		sift_down(search, 0, n - 1);
	}
	n = 0;
	least = search->best - (float) search->task->depth;
	share = share_of_list(search);
	least = share > least ? share : least;
	while (n < search->count && score[n] >= least)
		n++;
	*looks += search->looks;
	return n;
}

/* What one term adds; the numbers of the person are those known now. */
static float
term_score(const SdcSearch *search, const SdcTermHead *term, int t,
		   int32_t person, int32_t record)
{
	const SdcTask *task = search->task;
	const SdcPlace *place = sdc_task_at(task, term->person);
	const int32_t *segment = sdc_task_at(task, term->record);
	float score = 0;

	if (t < task->profiles)
		return profile_at(task, term, place[person], segment[record]);
	if (term->rule == SDC_TERM_RING)
		return ring_pair(search, term, sdc_task_at(task, term->record),
						 record);
	if (term->rule == SDC_TERM_NOISE)
		return noise_pair(search, term, sdc_task_at(task, term->record),
						  record);
	if (term->rule == SDC_TERM_BILINEAR)
		return bilinear_pair(search, term, sdc_task_at(task, term->record),
							 record);
	score_groups(search, term, record, 1, &score);
	return score;
}

/* One record of each of so many parts of the tree: which, of part k. */
static int32_t
record_of_part(const SdcSearch *search, int32_t part, int32_t parts)
{
	int64_t records = search->task->records;
	int64_t start = records * part / parts;
	int64_t end = records * (part + 1) / parts;
	uint64_t mixed =
		sdc_random_mix((uint64_t) search->salt << 32 | (uint32_t) part);

	return (int32_t) (start + (int64_t) (mixed % (uint64_t) (end - start)));
}

/*
 * The score of the person searched for last and a record; -INFINITY where some
 * rule can have made it only by an error.
 */
static float
lawful_score(const SdcSearch *search, int32_t person, int32_t record)
{
	const SdcTask *task = search->task;
	float score = 0;
	int t;

	for (t = 0; t < task->terms; t++)
	{
		const SdcTermHead *term = &task->term[t];
		float x = term_score(search, term, t, person, record);

		if (!term->exceptions && x < sdc_log_float(2 * term->error))
			return -INFINITY;
		score += x;
	}
	return score;
}

static bool
is_listed(const SdcSearch *search, int32_t record, int32_t count)
{
	int32_t k;

	for (k = 0; k < count; k++)
		if (search->found[k] == record)
			return true;
	return false;
}

float
sdc_intruder_search_rest(SdcSearch *search, int32_t person, const float *score,
						 int32_t count)
{
	const SdcTask *task = search->task;
	int32_t parts =
		task->records < SDC_INTRUDER_REST ? task->records : SDC_INTRUDER_REST;
	float last = count == 0 ? INFINITY : score[count - 1];
	float best = count == 0 ? 0 : score[0];
	double rest = 0;
	int32_t k;

	for (k = 0; k < parts; k++)
	{
		int32_t record = record_of_part(search, k, parts);
		float sum = lawful_score(search, person, record);

		if (sum <= last + SLACK && !is_listed(search, record, count))
			rest += (double) sdc_exp_float(sum - best);
	}
	rest *= (double) task->records / parts;
	return rest <= 0 ? -INFINITY : best + sdc_log_float((float) rest);
}

float
sdc_intruder_search_pair(SdcSearch *search, int32_t person, int32_t record,
						 int without)
{
	const SdcTask *task = search->task;
	float sum = 0;
	int t;

	for (t = 0; t < task->profiles; t++)
	{
		const SdcTermHead *term = &task->term[t];
		const SdcPlace *place = sdc_task_at(task, term->person);
		const int32_t *segment = sdc_task_at(task, term->record);

		if (t != without)
			sum += profile_at(task, term, place[person], segment[record]);
	}
	for (; t < task->terms; t++)
		know_numbers(search, &task->term[t], person);
	score_numbers(search, record, 1, &sum);
	return sum;
}
