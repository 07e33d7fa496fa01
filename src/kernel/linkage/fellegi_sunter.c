/*
 * fellegi_sunter.c
 *		Probabilistic record linkage: which patterns speak for a match.
 *
 * EM: each pattern is shared out between matches and others by the present
 * model, and the model becomes what these shares say.  Patterns come sorted,
 * so the sums do not depend on the order of the records.  With lists, a record
 * is shared out between those of its block and nobody.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/linear/square.h"
#include "kernel/linkage/agreement.h"
#include "kernel/linkage/fellegi_sunter.h"

/* libm: log2 and pow; an attack is no mask. */

/* Probabilities are kept off 0, which no later evidence could correct. */
#define LEAST 1e-300

/* What a worse level starts with, relative to the better one before it. */
#define START 0.2

/* Changes below that are none. */
#define TOLERANCE 1e-12

/* Weights that differ by less are equal. */
#define EQUAL 1e-9

/* The same for what two levels of a field speak. */
#define POOLED 1e-12

/* A record is never sure to have a match: who has none says nothing of m. */
#define MOST_INSIDE 0.99

/* Changes of m below that are none, where there are records to choose by. */
#define LIST_TOLERANCE 1e-4

#define LEVELS SDC_COMPARISON_LEVELS

/* Shares of the pairs: by field and level (or missing), and of all pairs. */
typedef struct Shares
{
	double ratio[SDC_COMPARISON_FIELDS][LEVELS + 1]; /* m / u */
	double match[SDC_COMPARISON_FIELDS][LEVELS + 1];
	double other[SDC_COMPARISON_FIELDS][LEVELS + 1];
	double matches;
	double others;
	/* log of it, of the model that was shared out by; but for a constant */
	double likelihood;
	uint8_t *level; /* of every pattern, field by field */
} Shares;

/* How many pairs have each level of a field, as the patterns say. */
static void
add_patterns(const SdcComparison *comparison,
			 const SdcComparisonPatterns *patterns, int field, double *share)
{
	int32_t i;

	for (i = 0; i < patterns->count; i++)
	{
		int l = sdc_comparison_level(comparison, patterns->pattern[i], field);

		if (l < comparison->field[field].levels)
			share[l] += (double) patterns->pairs[i];
	}
}

/* The same for all pairs, where the patterns are those of a sample. */
static void
count_levels(SdcHost *host, const SdcComparison *comparison,
			 const SdcComparisonPatterns *patterns, int field, double *share)
{
	uint64_t pairs[LEVELS];
	int l;

	if (patterns->total < comparison->pairs &&
		sdc_comparison_marginal(host, comparison, field, pairs))
		for (l = 0; l < comparison->field[field].levels; l++)
			share[l] = (double) pairs[l];
	else
		add_patterns(comparison, patterns, field, share);
}

/* What all levels have: u of the pairs at large, m falling with the level. */
static void
start_model(SdcHost *host, const SdcComparison *comparison,
			const SdcComparisonPatterns *patterns, SdcFellegiSunter *model)
{
	int j;
	int l;

	memset(model->field, 0, sizeof(model->field));
	for (j = 0; j < comparison->fields; j++)
	{
		SdcFellegiSunterField *field = &model->field[j];
		int levels = comparison->field[j].levels;
		double present = 0;
		double start = 1;
		double sum = 0;

		count_levels(host, comparison, patterns, j, field->share);
		for (l = 0; l < levels; l++)
			present += field->share[l];
		for (l = 0; l < levels; l++)
		{
			field->share[l] = present > 0 ? field->share[l] / present : 0;
			field->u[l] = field->share[l];
			field->m[l] = start * (field->share[l] > 0);
			start *= START;
			sum += field->m[l];
		}
		for (l = 0; l < levels; l++)
			field->m[l] /= sum > 0 ? sum : 1;
	}
}

void
sdc_fellegi_sunter_rarity(SdcHost *host, const SdcComparison *comparison,
						  const SdcComparisonPatterns *patterns,
						  SdcComparisonWeights *rarity)
{
	int j;
	int l;

	for (j = 0; j < comparison->fields; j++)
	{
		double share[LEVELS + 1] = {0};
		double present = 0;
		double sum = 0;

		count_levels(host, comparison, patterns, j, share);
		for (l = 0; l < comparison->field[j].levels; l++)
			present += share[l];
		for (l = 0; l < comparison->field[j].levels; l++)
		{
			sum += share[l];
			rarity[j][l] = sum > 0 ? log2(sum / present) : log2(LEAST);
		}
		rarity[j][l] = 0;
	}
}

double
sdc_fellegi_sunter_pattern(const SdcComparison *comparison,
						   const SdcFellegiSunter *model, uint64_t pattern,
						   double *m, double *u)
{
	double weight = 0;
	int j;

	*m = 1;
	*u = 1;
	for (j = 0; j < comparison->fields; j++)
	{
		int level = sdc_comparison_level(comparison, pattern, j);

		if (level == comparison->field[j].levels)
			continue;
		*m *= model->field[j].m[level];
		*u *= model->field[j].u[level];
		weight += model->weight[j][level];
	}
	return weight;
}

/* Clears the shares, and sets what each level speaks for a match. */
static void
set_ratios(const SdcComparison *comparison, const SdcFellegiSunter *model,
		   Shares *shares)
{
	int j;
	int l;

	memset(shares->match, 0, sizeof(shares->match));
	memset(shares->other, 0, sizeof(shares->other));
	shares->matches = 0;
	shares->others = 0;
	shares->likelihood = 0;
	for (j = 0; j < comparison->fields; j++)
	{
		for (l = 0; l < comparison->field[j].levels; l++)
			shares->ratio[j][l] = fmax(model->field[j].m[l], LEAST) /
								  fmax(model->field[j].u[l], LEAST);
		shares->ratio[j][comparison->field[j].levels] = 1;
	}
}

/* The levels of all patterns, [pattern * fields + field]. */
static uint8_t *
unpack_levels(SdcHost *host, const SdcComparison *comparison,
			  const SdcComparisonPatterns *patterns)
{
	int fields = comparison->fields;
	uint8_t *level = sdc_new(host, uint8_t, (size_t) patterns->count * fields);
	int32_t i;
	int j;

	for (i = 0; i < patterns->count; i++)
		for (j = 0; j < fields; j++)
			level[(size_t) i * fields + j] = (uint8_t) sdc_comparison_level(
				comparison, patterns->pattern[i], j);
	return level;
}

/* The sum of log u over all levels of all pairs, as they are shared out. */
static double
log_u(const SdcComparison *comparison, const SdcFellegiSunter *model,
	  const Shares *shares)
{
	double sum = 0;
	int j;
	int l;

	for (j = 0; j < comparison->fields; j++)
		for (l = 0; l < comparison->field[j].levels; l++)
			sum += (shares->match[j][l] + shares->other[j][l]) *
				   log(fmax(model->field[j].u[l], LEAST));
	return sum;
}

/*
 * Shares every pattern out between matches and others.  A pattern has the
 * likelihood (1 - prior) times its u, times 1 + its odds.
 */
static void
share_out(SdcHost *host, const SdcComparison *comparison,
		  const SdcComparisonPatterns *patterns, const SdcFellegiSunter *model,
		  Shares *shares)
{
	double start = model->prior / (1 - model->prior);
	const uint8_t *level = shares->level;
	int32_t i;
	int j;

	set_ratios(comparison, model, shares);
	for (i = 0; i < patterns->count; i++, level += comparison->fields)
	{
		double n = patterns->pairs[i];
		double odds = start;
		double matches;

		if (i % 4096 == 0)
			host->poll(host, model->used, model->iterations);
		for (j = 0; j < comparison->fields; j++)
			odds *= shares->ratio[j][level[j]];
		matches = isinf(odds) ? n : n * (odds / (1 + odds));
		shares->matches += matches;
		shares->others += n - matches;
		shares->likelihood += n * log1p(fmin(odds, DBL_MAX));
		for (j = 0; j < comparison->fields; j++)
		{
			shares->match[j][level[j]] += matches;
			shares->other[j][level[j]] += n - matches;
		}
	}
	shares->likelihood += (double) patterns->total * log(1 - model->prior) +
						  log_u(comparison, model, shares);
}

/*
 * Pools levels until m / u does not rise with the level: pool-adjacent-
 * violators with the weights u, the maximum of the likelihood in that order.
 */
static void
order_levels(SdcFellegiSunterField *field, int levels)
{
	double m[LEVELS];
	double u[LEVELS];
	int length[LEVELS];
	int blocks = 0;
	int place = 0;
	int b;
	int l;

	for (l = 0; l < levels; l++)
	{
		m[blocks] = field->m[l];
		u[blocks] = field->u[l];
		length[blocks++] = 1;
		/* a level that nobody has must not stand between its neighbours */
		while (blocks > 1 &&
			   (u[blocks - 2] == 0 || u[blocks - 1] == 0 ||
				m[blocks - 1] * u[blocks - 2] > m[blocks - 2] * u[blocks - 1]))
		{
			m[blocks - 2] += m[blocks - 1];
			u[blocks - 2] += u[blocks - 1];
			length[blocks - 2] += length[blocks - 1];
			blocks--;
		}
	}
	for (b = 0; b < blocks; b++)
		for (l = 0; l < length[b]; l++, place++)
			if (length[b] > 1)
				field->m[place] =
					u[b] > 0 ? m[b] * (field->u[place] / u[b]) : 0;
}

/* The model that the shares say; returns the largest change. */
static double
update_field(const SdcFellegiSunter *model, const double *match,
			 const double *other, int levels, SdcFellegiSunterField *field)
{
	SdcFellegiSunterField before = *field;
	double matches = 0;
	double others = 0;
	double change = 0;
	int l;

	for (l = 0; l < levels; l++)
	{
		matches += match[l];
		others += other[l];
	}
	for (l = 0; l < levels; l++)
	{
		if (matches > 0)
			field->m[l] = match[l] / matches;
		if (others > 0 && !model->fix_u)
			field->u[l] = other[l] / others;
	}
	order_levels(field, levels);
	for (l = 0; l < levels; l++)
		change = fmax(change, fmax(fabs(field->m[l] - before.m[l]),
								   fabs(field->u[l] - before.u[l])));
	return change;
}

/* The share of a level of a field that a match of a record is held against. */
static double
share_of(const SdcComparison *comparison, const SdcFellegiSunter *model,
		 int32_t record, int field, int level)
{
	if (model->by == SDC_LINKAGE_BY_RECORDS)
		return model->field[field].u[level];
	return model->lists->share[((size_t) record * (size_t) comparison->fields +
								(size_t) field) *
								   (LEVELS + 1) +
							   (size_t) level];
}

/* What each level speaks for a match of one record; m is least_m at least. */
static void
set_own_ratios(const SdcComparison *comparison, const SdcFellegiSunter *model,
			   int32_t record, double least_m, double (*ratio)[LEVELS + 1])
{
	int j;
	int l;

	for (j = 0; j < comparison->fields; j++)
	{
		for (l = 0; l < comparison->field[j].levels; l++)
			ratio[j][l] =
				fmax(model->field[j].m[l], least_m) /
				fmax(share_of(comparison, model, record, j, l), LEAST);
		ratio[j][comparison->field[j].levels] = 1;
	}
}

/* Odds of one list against nobody by the present model; returns their sum. */
static double
set_odds(const SdcComparison *comparison, const SdcFellegiSunter *model,
		 int32_t record, double (*ratio)[LEVELS + 1], double *odds)
{
	const SdcComparisonLists *lists = model->lists;
	double inside = fmin(model->prior * (double) lists->total / lists->records,
						 MOST_INSIDE);
	double start = inside / (1 - inside) / fmax(1, lists->partners[record]);
	double sum = 0;
	int32_t e;
	int j;

	for (e = lists->first[record]; e < lists->first[record + 1]; e++)
	{
		const uint8_t *level = lists->level + (size_t) e * comparison->fields;
		double all = start * lists->times[e];

		for (j = 0; j < comparison->fields; j++)
			all *= ratio[j][level[j]];
		odds[e - lists->first[record]] = fmin(all, DBL_MAX / 1e6);
		sum += odds[e - lists->first[record]];
	}
	return sum;
}

/* Shares every record of the lists out between its patterns and nobody. */
static void
share_records(SdcHost *host, const SdcComparison *comparison,
			  const SdcFellegiSunter *model, Shares *shares)
{
	const SdcComparisonLists *lists = model->lists;
	double odds[SDC_COMPARISON_PATTERNS];
	double ratio[SDC_COMPARISON_FIELDS][LEVELS + 1];
	int32_t r;
	int32_t e;
	int j;

	set_ratios(comparison, model, shares);
	for (r = 0; r < lists->records; r++)
	{
		double sum;

		set_own_ratios(comparison, model, r, LEAST, ratio);
		sum = set_odds(comparison, model, r, ratio, odds);
		shares->likelihood += log1p(sum);
		host->poll(host, model->used, model->iterations);
		for (e = lists->first[r]; e < lists->first[r + 1]; e++)
		{
			const uint8_t *level =
				lists->level + (size_t) e * comparison->fields;
			double chance = odds[e - lists->first[r]] / (1 + sum);

			shares->matches += chance;
			for (j = 0; j < comparison->fields; j++)
				shares->match[j][level[j]] += chance;
		}
	}
}

/* One round of EM; returns the largest change. */
static double
iterate(SdcHost *host, const SdcComparison *comparison,
		const SdcComparisonPatterns *patterns, SdcFellegiSunter *model,
		Shares *shares)
{
	double change = 0;
	int j;

	if (model->by != SDC_LINKAGE_BY_PAIRS)
		share_records(host, comparison, model, shares);
	else
		share_out(host, comparison, patterns, model, shares);
	if (!model->fix_prior)
	{
		double prior = shares->matches / (shares->matches + shares->others);

		change = fabs(prior - model->prior);
		model->prior = prior;
	}
	for (j = 0; j < comparison->fields; j++)
		change =
			fmax(change,
				 update_field(model, shares->match[j], shares->other[j],
							  comparison->field[j].levels, &model->field[j]));
	return change;
}

/*
 * What each level speaks for a match.  A probability of nothing would be a
 * weight without end, which a finite number of pairs cannot prove: it counts
 * as half a pair.  A level that no pair has speaks like the one before, and
 * the best ones, where no pair is equal, like the first that there is.
 */
static void
set_weights(const SdcComparison *comparison, double pairs,
			SdcFellegiSunter *model)
{
	double matches =
		model->prior *
		(model->lists != NULL ? (double) model->lists->total : pairs);
	double least_m = 0.5 / fmax(1, matches);
	double least_u = 0.5 / fmax(1, (1 - model->prior) * pairs);
	int j;
	int l;

	memset(model->weight, 0, sizeof(model->weight));
	for (j = 0; j < comparison->fields; j++)
	{
		const SdcFellegiSunterField *field = &model->field[j];
		double *weight = model->weight[j];
		int first = 0;

		while (first < comparison->field[j].levels - 1 &&
			   field->share[first] == 0)
			first++;
		for (l = first; l < comparison->field[j].levels; l++)
		{
			if (field->share[l] > 0)
				weight[l] = log2(fmax(field->m[l], least_m)) -
							log2(fmax(field->u[l], least_u));
			/* levels that were pooled differ by rounding only */
			if (l > first &&
				(field->share[l] == 0 || weight[l] > weight[l - 1] - POOLED))
				weight[l] = weight[l - 1];
		}
		for (l = 0; l < first; l++)
			weight[l] = weight[first];
	}
}

/* Why the model says nothing; NULL when it does. */
static const char *
find_fault(const SdcComparison *comparison, double pairs,
		   const SdcFellegiSunter *model)
{
	double weight = 0;
	int j;

	for (j = 0; j < comparison->fields; j++)
		weight += fmax(0, model->weight[j][0]);
	if (model->prior * pairs < 0.5)
		return "Not one pair looks like a match.";
	if (!(weight > EQUAL))
		return "Pairs that agree are no likelier to be matches than others.";
	return NULL;
}

/* ----------------------------------------------------------------------
 * EM in longer steps: SQUAREM.
 *
 * Two rounds of EM show where it goes and how fast it slows down; a step that
 * is longer by this goes to where many rounds would have led, and a third
 * round from there makes a model of what was reached.  A step that makes the
 * data less likely is taken back, so that the likelihood rises as with EM.
 *
 * Source: Varadhan and Roland, Simple and globally convergent methods for
 * accelerating the convergence of any EM algorithm, Scandinavian Journal of
 * Statistics 35, 2008 (their scheme S3).
 * ----------------------------------------------------------------------
 */

/* Rounds of EM as they are, for EM chooses which maximum is gone to. */
#define PLAIN_ROUNDS 12

/* A step leaves each probability at least this part of what it was. */
#define LEAST_PART 0.1

/* An estimate that is under way. */
typedef struct Fit
{
	SdcHost *host;
	const SdcComparison *comparison;
	const SdcComparisonPatterns *patterns;
	SdcFellegiSunter *model;
	Shares *shares;
	double tolerance;
} Fit;

/* What EM changes. */
typedef struct Point
{
	double prior;
	SdcFellegiSunterField field[SDC_COMPARISON_FIELDS];
} Point;

/* A round of EM; false when it was the last one. */
static bool
take_round(Fit *fit)
{
	SdcFellegiSunter *model = fit->model;

	model->converged = iterate(fit->host, fit->comparison, fit->patterns,
							   model, fit->shares) < fit->tolerance;
	model->used++;
	return !model->converged && model->used < model->iterations;
}

static Point
point_of(const SdcFellegiSunter *model)
{
	Point point;

	point.prior = model->prior;
	memcpy(point.field, model->field, sizeof(point.field));
	return point;
}

static void
go_to(SdcFellegiSunter *model, const Point *point)
{
	model->prior = point->prior;
	memcpy(model->field, point->field, sizeof(point->field));
}

/* The squares of r = b - a and of v = (c - b) - r. */
static void
add_squares(double a, double b, double c, double *first, double *second)
{
	double r = b - a;
	double v = c - b - r;

	*first += r * r;
	*second += v * v;
}

/* How much longer than two rounds a step is, 1 or more. */
static double
step_length(const Fit *fit, const Point *a, const Point *b)
{
	const SdcFellegiSunter *c = fit->model;
	double first = 0;
	double second = 0;
	int j;
	int l;

	add_squares(a->prior, b->prior, c->prior, &first, &second);
	for (j = 0; j < fit->comparison->fields; j++)
		for (l = 0; l < fit->comparison->field[j].levels; l++)
		{
			add_squares(a->field[j].m[l], b->field[j].m[l], c->field[j].m[l],
						&first, &second);
			add_squares(a->field[j].u[l], b->field[j].u[l], c->field[j].u[l],
						&first, &second);
		}
	return second > 0 ? sqrt(first / second) : 1;
}

/* a + 2 s r + s^2 v, and a part of c at least. */
static double
extrapolate(double a, double b, double c, double s)
{
	double r = b - a;

	return fmax(a + 2 * s * r + s * s * (c - b - r), LEAST_PART * c);
}

/* The same for the probabilities of a field, whose sum stays. */
static void
extrapolate_all(const double *a, const double *b, double *c, int levels,
				double s)
{
	double before = 0;
	double after = 0;
	int l;

	for (l = 0; l < levels; l++)
	{
		before += c[l];
		c[l] = extrapolate(a[l], b[l], c[l], s);
		after += c[l];
	}
	for (l = 0; l < levels && after > 0; l++)
		c[l] *= before / after;
}

/* Three rounds, the last one from the end of a longer step. */
static void
take_long_step(Fit *fit, Point *a, Point *b, Point *c)
{
	SdcFellegiSunter *model = fit->model;
	double likelihood;
	double s;
	int j;

	*a = point_of(model);
	if (!take_round(fit))
		return;
	*b = point_of(model);
	if (!take_round(fit))
		return;
	*c = point_of(model);
	likelihood = fit->shares->likelihood;
	s = step_length(fit, a, b);
	if (!(s > 1))
		return;
	if (!model->fix_prior)
		model->prior = fmin(extrapolate(a->prior, b->prior, c->prior, s),
							1 - LEAST_PART * (1 - c->prior));
	for (j = 0; j < fit->comparison->fields; j++)
	{
		int levels = fit->comparison->field[j].levels;

		extrapolate_all(a->field[j].m, b->field[j].m, model->field[j].m,
						levels, s);
		extrapolate_all(a->field[j].u, b->field[j].u, model->field[j].u,
						levels, s);
	}
	(void) take_round(fit);
	if (fit->shares->likelihood >= likelihood)
		return;
	go_to(model, c);
	model->converged = false;
}

/* EM from the start. */
static void
fit_model(SdcHost *host, const SdcComparison *comparison,
		  const SdcComparisonPatterns *patterns, SdcFellegiSunter *model,
		  Shares *shares)
{
	Fit fit = {host,     comparison,
			   patterns, model,
			   shares,   model->lists == NULL ? TOLERANCE : LIST_TOLERANCE};
	Point *point = sdc_new(host, Point, 3);

	start_model(host, comparison, patterns, model);
	model->converged = false;
	model->used = 0;
	while (!model->converged && model->used < model->iterations)
		if (model->used < PLAIN_ROUNDS)
			(void) take_round(&fit);
		else
			take_long_step(&fit, &point[0], &point[1], &point[2]);
	host->release(host, point);
}

/*
 * Adds to sum[field] log2 of P(level) / share(level) of one record, where each
 * field is foretold by the others.
 */
static void
foretell_record(const SdcComparison *comparison, const SdcFellegiSunter *model,
				int32_t record, double least_m, double *sum)
{
	const SdcComparisonLists *lists = model->lists;
	double odds[SDC_COMPARISON_PATTERNS];
	double ratio[SDC_COMPARISON_FIELDS][LEVELS + 1];
	int32_t e;
	int j;

	set_own_ratios(comparison, model, record, least_m, ratio);
	(void) set_odds(comparison, model, record, ratio, odds);
	for (j = 0; j < comparison->fields; j++)
	{
		double with = 1;
		double without = 1;

		for (e = lists->first[record]; e < lists->first[record + 1]; e++)
		{
			double odd = odds[e - lists->first[record]];
			int level = lists->level[(size_t) e * comparison->fields + j];

			with += odd;
			without += odd / ratio[j][level];
		}
		sum[j] += log2(with / without);
	}
}

/* The mean of the lower half: one pair of fields must not speak for all. */
static double
mean_of_lower(double *value, int count)
{
	double sum = 0;
	int low = (count + 1) / 2;
	int i;
	int j;

	for (i = 0; i < low; i++)
	{
		int least = i;
		double moved;

		for (j = i + 1; j < count; j++)
			if (value[j] < value[least])
				least = j;
		moved = value[least];
		value[least] = value[i];
		value[i] = moved;
		sum += moved;
	}
	return sum / low;
}

/* How well the fields foretell each other by a model. */
static double
foretell(SdcHost *host, const SdcComparison *comparison,
		 const SdcFellegiSunter *model)
{
	SdcFellegiSunter *own = sdc_new(host, SdcFellegiSunter, 1);
	double sum[SDC_COMPARISON_FIELDS] = {0};
	int32_t r;

	*own = *model;
	own->by = SDC_LINKAGE_BY_OWN;
	for (r = 0; r < own->lists->records; r++)
	{
		host->poll(host, r, own->lists->records);
		foretell_record(comparison, own, r, 0.5 / fmax(1, own->lists->records),
						sum);
	}
	host->release(host, own);
	return mean_of_lower(sum, comparison->fields) / model->lists->records;
}

/* The best of the three ways. */
static void
fit_best(SdcHost *host, const SdcComparison *comparison,
		 const SdcComparisonPatterns *patterns, SdcFellegiSunter *model,
		 Shares *shares)
{
	SdcFellegiSunter *other = sdc_new(host, SdcFellegiSunter, 1);
	int by;

	for (by = SDC_LINKAGE_BY_PAIRS; by <= SDC_LINKAGE_BY_OWN; by++)
	{
		*other = *model;
		other->by = by;
		fit_model(host, comparison, patterns, other, shares);
		other->foretold = foretell(host, comparison, other);
		/* where nothing is foretold, records know no better than pairs */
		if (by == SDC_LINKAGE_BY_PAIRS ||
			other->foretold > fmax(0, model->foretold))
			*model = *other;
	}
	host->release(host, other);
}

const char *
sdc_fellegi_sunter_estimate(SdcHost *host, const SdcComparison *comparison,
							const SdcComparisonPatterns *patterns,
							SdcFellegiSunter *model)
{
	Shares *shares;
	double pairs;

	if (patterns->count == 0)
		return "No two records are compared.";
	if (patterns->count == 1)
		return "All pairs of records agree alike.";
	if (!(model->prior > 0) || !(model->prior < 1))
		return "The share of matches to start from is not between 0 and 1.";
	host->stage(host, "estimating");
	shares = sdc_new(host, Shares, 1);
	shares->level = unpack_levels(host, comparison, patterns);
	model->by = SDC_LINKAGE_BY_PAIRS;
	if (model->lists != NULL)
		fit_best(host, comparison, patterns, model, shares);
	else
		fit_model(host, comparison, patterns, model, shares);
	host->release(host, shares->level);
	host->release(host, shares);
	pairs =
		(double) (model->lists != NULL ? comparison->pairs : patterns->total);
	set_weights(comparison, pairs, model);
	return find_fault(comparison, pairs, model);
}

double
sdc_fellegi_sunter_posterior(const SdcFellegiSunter *model, double weight)
{
	double odds = log2(model->prior) - log2(1 - model->prior) + weight;

	return 1 / (1 + pow(2, -odds));
}

/* Weights for the comparison of patterns by sdc_sort_rows. */
static int
compare_weights(int32_t a, int32_t b, void *arg)
{
	const double *weight = arg;

	return weight[a] > weight[b] ? -1 : weight[a] < weight[b];
}

/*
 * Sums share[order[i]] from one end, whole ties at a time, while it is no more
 * than the limit; returns how many patterns that takes.
 */
static int32_t
take_while(const int32_t *order, int32_t count, int step, const double *weight,
		   const double *share, double limit)
{
	double sum = 0;
	int32_t taken = 0;

	while (taken < count)
	{
		int32_t end = taken;
		double with = sum;

		do
			with += share[order[step * end]];
		while (++end < count && fabs(weight[order[step * end]] -
									 weight[order[step * taken]]) <= EQUAL);
		if (with > limit * (1 + EQUAL))
			break;
		sum = with;
		taken = end;
	}
	return taken;
}

void
sdc_fellegi_sunter_classify(SdcHost *host, const SdcComparison *comparison,
							const SdcComparisonPatterns *patterns,
							const SdcFellegiSunter *model, double mu,
							double lambda, double *link, double *non_link)
{
	int32_t n = patterns->count;
	double *weight = sdc_new(host, double, n + 1);
	double *m = sdc_new(host, double, n + 1);
	double *u = sdc_new(host, double, n + 1);
	int32_t *order = sdc_new(host, int32_t, n + 1);
	int32_t links;
	int32_t non_links;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		order[i] = i;
		weight[i] = sdc_fellegi_sunter_pattern(
			comparison, model, patterns->pattern[i], &m[i], &u[i]);
	}
	sdc_sort_rows(host, order, n, compare_weights, weight);
	links = take_while(order, n, 1, weight, u, mu);
	non_links = take_while(order + n - 1, n - links, -1, weight, m, lambda);
	*link = links > 0 ? weight[order[links - 1]] : INFINITY;
	*non_link = non_links > 0 ? weight[order[n - non_links]] : -INFINITY;
	host->release(host, weight);
	host->release(host, m);
	host->release(host, u);
	host->release(host, order);
}

/* ---------------------------------------------------------------------------
 * How sure m is.
 */

/* Levels with less of m are no parameters. */
#define RARE 1e-6

/* Deviations of 95 percent; log2 of e. */
#define NORMAL 1.959963984540054
#define LOG2_E 1.4426950408889634

/* The parameters of m: all levels of a field but the likeliest, not rare. */
typedef struct Information
{
	int count;
	int base[SDC_COMPARISON_FIELDS];
	int place[SDC_COMPARISON_FIELDS][LEVELS]; /* -1: none */
	double *score;                            /* of one record or pattern */
	double *matrix;
	double matches[SDC_COMPARISON_FIELDS]; /* with a value */
} Information;

static void
number_parameters(SdcHost *host, const SdcComparison *comparison,
				  const SdcFellegiSunter *model, Information *information)
{
	size_t room;
	int j;
	int l;

	memset(information, 0, sizeof(*information));
	for (j = 0; j < comparison->fields; j++)
	{
		const double *m = model->field[j].m;
		int *base = &information->base[j];

		for (l = 1; l < comparison->field[j].levels; l++)
			*base = m[l] > m[*base] ? l : *base;
		for (l = 0; l < comparison->field[j].levels; l++)
			information->place[j][l] =
				l == *base || m[l] < RARE ? -1 : information->count++;
	}
	room = (size_t) information->count;
	information->score = sdc_new(host, double, room + 1);
	information->matrix = sdc_new(host, double, room *room + 1);
	memset(information->score, 0, room * sizeof(double));
	memset(information->matrix, 0, room * room * sizeof(double));
}

/* Adds the score of a pair that matches with some chance. */
static void
add_score(const SdcComparison *comparison, const SdcFellegiSunter *model,
		  const uint8_t *level, double chance, double times,
		  Information *information)
{
	int j;
	int l;

	for (j = 0; j < comparison->fields; j++)
	{
		const double *m = model->field[j].m;
		const int *place = information->place[j];

		if (level[j] == comparison->field[j].levels)
			continue;
		information->matches[j] += chance * times;
		if (place[level[j]] >= 0)
			information->score[place[level[j]]] += chance / m[level[j]];
		for (l = 0; l < comparison->field[j].levels; l++)
			if (level[j] == information->base[j] && place[l] >= 0)
				information->score[place[l]] -= chance / m[level[j]];
	}
}

/* Adds so many times the square of the score, and clears it. */
static void
take_score(Information *information, double times)
{
	int n = information->count;
	int a;
	int b;

	for (a = 0; a < n; a++)
		for (b = 0; b < n && information->score[a] != 0; b++)
			information->matrix[a * n + b] +=
				times * information->score[a] * information->score[b];
	memset(information->score, 0, (size_t) n * sizeof(double));
}

/* What all pairs say, or all records of the lists. */
static void
inform(SdcHost *host, const SdcComparison *comparison,
	   const SdcComparisonPatterns *patterns, const SdcFellegiSunter *model,
	   Information *information)
{
	const SdcComparisonLists *lists = model->lists;
	uint8_t *level = unpack_levels(host, comparison, patterns);
	double odds[SDC_COMPARISON_PATTERNS];
	double ratio[SDC_COMPARISON_FIELDS][LEVELS + 1];
	double m;
	double u;
	int32_t i;
	int32_t e;

	for (i = 0; i < patterns->count && model->by == SDC_LINKAGE_BY_PAIRS; i++)
	{
		double weight = sdc_fellegi_sunter_pattern(
			comparison, model, patterns->pattern[i], &m, &u);

		host->poll(host, (uint64_t) i, (uint64_t) patterns->count);
		add_score(comparison, model, level + (size_t) i * comparison->fields,
				  sdc_fellegi_sunter_posterior(model, weight),
				  (double) patterns->pairs[i], information);
		take_score(information, (double) patterns->pairs[i]);
	}
	for (i = 0; model->by != SDC_LINKAGE_BY_PAIRS && i < lists->records; i++)
	{
		double sum;

		host->poll(host, (uint64_t) i, (uint64_t) lists->records);
		set_own_ratios(comparison, model, i, LEAST, ratio);
		sum = set_odds(comparison, model, i, ratio, odds);
		for (e = lists->first[i]; e < lists->first[i + 1]; e++)
			add_score(comparison, model,
					  lists->level + (size_t) e * comparison->fields,
					  odds[e - lists->first[i]] / (1 + sum), 1, information);
		take_score(information, 1);
	}
	host->release(host, level);
}

/* The most that a probability may be that so few of n have (Wilson 1927). */
static double
upper_end(double few, double n)
{
	double half = NORMAL * NORMAL / 2;

	return fmin(1,
				(few + half + NORMAL * sqrt(few + half / 2)) / (n + 2 * half));
}

/*
 * The interval of a probability with this variance, by its logit; where less
 * than one match has it, or has it not, by how many matches there are.
 */
static SdcLinkageInterval
interval_of(double m, double variance, double matches)
{
	double half = NORMAL * sqrt(variance) / (m * (1 - m));
	double odds = m / (1 - m);

	if (m * matches < 1)
		return (SdcLinkageInterval){0, upper_end(m * matches, matches)};
	if ((1 - m) * matches < 1)
		return (SdcLinkageInterval){1 - upper_end((1 - m) * matches, matches),
									1};
	if (!(variance >= 0) || half > 700)
		return (SdcLinkageInterval){0, 1};
	return (SdcLinkageInterval){1 / (1 + pow(2, half * LOG2_E) / odds),
								1 / (1 + pow(2, -half * LOG2_E) / odds)};
}

void
sdc_fellegi_sunter_intervals(
	SdcHost *host, const SdcComparison *comparison,
	const SdcComparisonPatterns *patterns, const SdcFellegiSunter *model,
	SdcLinkageInterval (*interval)[SDC_COMPARISON_LEVELS])
{
	Information information;
	double *variance;
	bool known;
	int n;
	int j;
	int l;
	int k;

	number_parameters(host, comparison, model, &information);
	n = information.count;
	inform(host, comparison, patterns, model, &information);
	variance = sdc_new(host, double, (size_t) n *(size_t) n + 1);
	known =
		n == 0 || sdc_square_invert(n, information.matrix, variance, LEAST);
	for (j = 0; j < comparison->fields; j++)
		for (l = 0; l < comparison->field[j].levels; l++)
		{
			const int *place = information.place[j];
			double sum = 0;
			int h;

			/* the likeliest level is 1 less all others */
			for (k = 0; k < comparison->field[j].levels; k++)
				for (h = 0; h < comparison->field[j].levels; h++)
					if (known && place[k] >= 0 && place[h] >= 0 &&
						(l == information.base[j] || (k == l && h == l)))
						sum += variance[place[k] * n + place[h]];
			interval[j][l] =
				interval_of(model->field[j].m[l], known ? sum : NAN,
							information.matches[j]);
		}
	host->release(host, information.score);
	host->release(host, information.matrix);
	host->release(host, variance);
}
