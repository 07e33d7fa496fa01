/*
 * fellegi_sunter.c
 *		Probabilistic record linkage: which patterns speak for a match.
 *
 * EM: each pattern is shared out between matches and others by the present
 * model, and the model becomes what these shares say.  Patterns come sorted,
 * so the sums do not depend on the order of the records.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/arena.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/base/table.h"
#include "kernel/linkage/fellegi_sunter.h"
#include "kernel/table/frequency.h"

/* ----------------------------------------------------------------------
 * Records of two files compared field by field: agreement patterns.
 *
 * A record is compared with a whole block at a time and one field after the
 * other, so that the inner loops run over arrays.  A pattern is a number with
 * one digit for each field, its level; patterns are counted by hashing.
 * ----------------------------------------------------------------------
 */

/* Patterns while they are counted, in the order in which they came. */
typedef struct Counter
{
	SdcHost *host;
	uint64_t *pattern;
	uint64_t *pairs;
	size_t room;
	int32_t used;
	SdcTable table;
} Counter;

#define FIRST_ROOM 1024

/* The block of a record; -1 for none. */
static int32_t
block_of(const SdcComparison *comparison, int file, int32_t record)
{
	return comparison->block[file] == NULL ? 0
										   : comparison->block[file][record];
}

/* Lists the records of file 1 in each block; without blocks there is one. */
static void
list_blocks(SdcHost *host, SdcComparison *comparison)
{
	int32_t n = comparison->records[1];
	int32_t *all;

	if (comparison->block[1] != NULL)
	{
		comparison->others = sdc_grouping_list(host, n, comparison->block[1],
											   comparison->blocks);
		return;
	}
	all = sdc_new(host, int32_t, (size_t) n + 1);
	memset(all, 0, sizeof(int32_t) * n);
	comparison->others = sdc_grouping_list(host, n, all, 1);
	host->release(host, all);
}

bool
sdc_comparison_prepare(SdcHost *host, SdcComparison *comparison)
{
	uint64_t stride = 1;
	const int32_t *other;
	int32_t i;
	int j;

	for (j = 0; j < comparison->fields; j++)
	{
		comparison->stride[j] = stride;
		if (stride > UINT64_MAX / (2 * (SDC_COMPARISON_LEVELS + 1)))
			return false;
		stride *= comparison->field[j].levels + 1;
	}
	list_blocks(host, comparison);
	comparison->pairs = 0;
	comparison->largest = 0;
	for (i = 0; i < comparison->records[0]; i++)
	{
		int32_t n = sdc_comparison_others(comparison, i, &other);

		comparison->pairs += n;
		if (n > comparison->largest)
			comparison->largest = n;
	}
	comparison->level = sdc_new(host, uint8_t, comparison->largest + 1);
	return true;
}

int32_t
sdc_comparison_others(const SdcComparison *comparison, int32_t record,
					  const int32_t **other)
{
	int32_t block = block_of(comparison, 0, record);

	if (block < 0)
		return 0;
	*other = comparison->others.member + comparison->others.first[block];
	return comparison->others.first[block + 1] -
		   comparison->others.first[block];
}

/* Levels of a field of numbers, for a record and others. */
static void
compare_numbers(const SdcComparisonField *field, double value,
				const int32_t *other, int32_t n, uint8_t *level)
{
	int last = field->levels - 1;
	int32_t i;
	int l;

	for (i = 0; i < n; i++)
	{
		double distance = fabs(value - field->number[1][other[i]]);

		level[i] = 0;
		for (l = 0; l < last; l++)
			level[i] += distance > field->threshold[l];
		if (isnan(distance))
			level[i] = (uint8_t) field->levels;
	}
}

/* The same for codes. */
static void
compare_codes(const SdcComparisonField *field, int32_t value,
			  const int32_t *other, int32_t n, uint8_t *level)
{
	const uint8_t *row = NULL;
	int32_t i;

	if (field->level != NULL && value >= 0)
		row = field->level + (size_t) value * field->codes;
	for (i = 0; i < n; i++)
	{
		int32_t code = field->code[1][other[i]];

		if (value < 0 || code < 0)
			level[i] = (uint8_t) field->levels;
		else if (row != NULL)
			level[i] = row[code];
		else
			level[i] = (uint8_t) (value == code ? 0 : field->levels - 1);
	}
}

/* Levels of any field. */
static void
compare_field(const SdcComparisonField *field, int32_t record,
			  const int32_t *other, int32_t n, uint8_t *level)
{
	if (field->number[0] != NULL)
		compare_numbers(field, field->number[0][record], other, n, level);
	else
		compare_codes(field, field->code[0][record], other, n, level);
}

/*
 * Compares a record of file 0 with those others: pattern[i] is that of the
 * pair with the i-th of them.  O(fields * others).
 */
static void
comparison_patterns(const SdcComparison *comparison, int32_t record,
					uint64_t *pattern)
{
	const int32_t *other = NULL;
	int32_t n = sdc_comparison_others(comparison, record, &other);
	int32_t i;
	int j;

	memset(pattern, 0, sizeof(uint64_t) * n);
	for (j = 0; j < comparison->fields; j++)
	{
		compare_field(&comparison->field[j], record, other, n,
					  comparison->level);
		for (i = 0; i < n; i++)
			pattern[i] += comparison->stride[j] * comparison->level[i];
	}
}

void
sdc_comparison_sums(const SdcComparison *comparison,
					const SdcComparisonWeights *weights, int32_t record,
					double *sum)
{
	const int32_t *other = NULL;
	int32_t n = sdc_comparison_others(comparison, record, &other);
	int32_t i;
	int j;

	memset(sum, 0, sizeof(double) * n);
	for (j = 0; j < comparison->fields; j++)
	{
		compare_field(&comparison->field[j], record, other, n,
					  comparison->level);
		for (i = 0; i < n; i++)
			sum[i] += weights[j][comparison->level[i]];
	}
}

int
sdc_comparison_level(const SdcComparison *comparison, uint64_t pattern,
					 int field)
{
	return (int) (pattern / comparison->stride[field] %
				  (comparison->field[field].levels + 1));
}

static inline bool
is_pattern(const uint64_t *patterns, int32_t number, uint64_t pattern)
{
	return patterns[number] == pattern;
}

SDC_TABLE_FIND(find_pattern, const uint64_t *, uint64_t, is_pattern);

/* Makes room for twice the patterns. */
static void
make_room(Counter *counter)
{
	SdcHost *host = counter->host;
	size_t used = (size_t) counter->used;
	int32_t i;

	/* no number of patterns that int32_t could not hold; alloc stops it */
	counter->room = used == 0              ? FIRST_ROOM
					: used < INT32_MAX / 2 ? used * 2
										   : SIZE_MAX / 8;
	counter->pattern = sdc_grow(host, counter->pattern, used, counter->room,
								sizeof(uint64_t));
	counter->pairs =
		sdc_grow(host, counter->pairs, used, counter->room, sizeof(uint64_t));
	sdc_table_release(host, &counter->table);
	sdc_table_create(host, &counter->table, counter->room);
	for (i = 0; i < counter->used; i++)
		sdc_table_put(&counter->table, sdc_table_hash(0, counter->pattern[i]),
					  i);
}

static void
add_pattern(Counter *counter, uint64_t pattern)
{
	int32_t *slot = find_pattern(&counter->table, sdc_table_hash(0, pattern),
								 counter->pattern, pattern);

	if (*slot != SDC_TABLE_NONE)
	{
		counter->pairs[*slot]++;
		return;
	}
	*slot = counter->used;
	counter->pattern[counter->used] = pattern;
	counter->pairs[counter->used++] = 1;
	if ((size_t) counter->used == counter->room)
		make_room(counter);
}

/* Takes the patterns out of the counter, sorted: no sum follows its order. */
static SdcComparisonPatterns
take_patterns(Counter *counter)
{
	SdcHost *host = counter->host;
	SdcComparisonPatterns result;
	int32_t *order = sdc_new(host, int32_t, counter->used + 1);
	int32_t i;

	result.count = counter->used;
	result.pattern = counter->pattern;
	result.pairs = sdc_new(host, uint64_t, counter->used + 1);
	for (i = 0; i < result.count; i++)
		order[i] = i;
	sdc_sort_keys(host, result.pattern, order, result.count);
	for (i = 0; i < result.count; i++)
		result.pairs[i] = counter->pairs[order[i]];
	host->release(host, order);
	host->release(host, counter->pairs);
	sdc_table_release(host, &counter->table);
	return result;
}

SdcComparisonPatterns
sdc_comparison_count(SdcHost *host, SdcComparison *comparison)
{
	Counter counter = {.host = host};
	const int32_t *other;
	uint64_t *pattern = sdc_new(host, uint64_t, comparison->largest + 1);
	uint64_t done = 0;
	int32_t i;
	int32_t j;

	host->stage(host, "comparing");
	make_room(&counter);
	for (i = 0; i < comparison->records[0]; i++)
	{
		int32_t n = sdc_comparison_others(comparison, i, &other);

		comparison_patterns(comparison, i, pattern);
		for (j = 0; j < n; j++)
		{
			if (j % SDC_POLL_STEPS == 0)
				host->poll(host, done + j, comparison->pairs);
			add_pattern(&counter, pattern[j]);
		}
		done += n;
	}
	host->release(host, pattern);
	return take_patterns(&counter);
}

/* ----------------------------------------------------------------------
 * Probabilistic record linkage: which patterns speak for a match.
 *
 * EM: each pattern is shared out between matches and others by the present
 * model, and the model becomes what these shares say.  Patterns come sorted,
 * so the sums do not depend on the order of the records.
 * ----------------------------------------------------------------------
 */

/* libm: log2 and pow; an attack is no mask. */

/* Probabilities are kept off 0, which no later evidence could correct. */
#define LEAST 1e-300

/* What a worse level starts with, relative to the better one before it. */
#define START 0.2

/* Changes below that are none. */
#define TOLERANCE 1e-12

/* Weights that differ by less are equal. */
#define EQUAL 1e-9

#define LEVELS SDC_COMPARISON_LEVELS

/* Shares of the pairs: by field and level (or missing), and of all pairs. */
typedef struct Shares
{
	double ratio[SDC_COMPARISON_FIELDS][LEVELS + 1]; /* m / u */
	double match[SDC_COMPARISON_FIELDS][LEVELS + 1];
	double other[SDC_COMPARISON_FIELDS][LEVELS + 1];
	double matches;
	double others;
	uint8_t *level; /* of every pattern, field by field */
} Shares;

/* What all levels have: u of the pairs at large, m falling with the level. */
static void
start_model(const SdcComparison *comparison,
			const SdcComparisonPatterns *patterns, SdcFellegiSunter *model)
{
	int32_t i;
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

		for (i = 0; i < patterns->count; i++)
		{
			l = sdc_comparison_level(comparison, patterns->pattern[i], j);
			if (l == levels)
				continue;
			field->share[l] += patterns->pairs[i];
			present += patterns->pairs[i];
		}
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

/* Shares every pattern out between matches and others. */
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
		for (j = 0; j < comparison->fields; j++)
		{
			shares->match[j][level[j]] += matches;
			shares->other[j][level[j]] += n - matches;
		}
	}
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
		while (blocks > 1 &&
			   m[blocks - 1] * u[blocks - 2] > m[blocks - 2] * u[blocks - 1])
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

/* One round of EM; returns the largest change. */
static double
iterate(SdcHost *host, const SdcComparison *comparison,
		const SdcComparisonPatterns *patterns, SdcFellegiSunter *model,
		Shares *shares)
{
	double change = 0;
	int j;

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
 * as half a pair.  A level that no pair has speaks like the one before.
 */
static void
set_weights(const SdcComparison *comparison, SdcFellegiSunter *model)
{
	double least_m = 0.5 / fmax(1, model->prior * comparison->pairs);
	double least_u = 0.5 / fmax(1, (1 - model->prior) * comparison->pairs);
	int j;
	int l;

	memset(model->weight, 0, sizeof(model->weight));
	for (j = 0; j < comparison->fields; j++)
	{
		double *weight = model->weight[j];

		for (l = 0; l < comparison->field[j].levels; l++)
		{
			const SdcFellegiSunterField *field = &model->field[j];

			if (field->share[l] > 0)
				weight[l] = log2(fmax(field->m[l], least_m)) -
							log2(fmax(field->u[l], least_u));
			if (l > 0 && (field->share[l] == 0 || weight[l] > weight[l - 1]))
				weight[l] = weight[l - 1];
		}
	}
}

/* Why the model says nothing; NULL when it does. */
static const char *
find_fault(const SdcComparison *comparison, const SdcFellegiSunter *model)
{
	double weight = 0;
	int j;

	for (j = 0; j < comparison->fields; j++)
		weight += fmax(0, model->weight[j][0]);
	if (model->prior * comparison->pairs < 0.5)
		return "Not one pair looks like a match.";
	if (!(weight > EQUAL))
		return "Pairs that agree are no likelier to be matches than others.";
	return NULL;
}

const char *
sdc_fellegi_sunter_estimate(SdcHost *host, const SdcComparison *comparison,
							const SdcComparisonPatterns *patterns,
							SdcFellegiSunter *model)
{
	Shares *shares;

	if (patterns->count == 0)
		return "No two records are compared.";
	if (patterns->count == 1)
		return "All pairs of records agree alike.";
	if (!(model->prior > 0) || !(model->prior < 1))
		return "The share of matches to start from is not between 0 and 1.";
	host->stage(host, "estimating");
	shares = sdc_new(host, Shares, 1);
	shares->level = unpack_levels(host, comparison, patterns);
	start_model(comparison, patterns, model);
	model->converged = false;
	for (model->used = 0; model->used < model->iterations && !model->converged;
		 model->used++)
		model->converged =
			iterate(host, comparison, patterns, model, shares) < TOLERANCE;
	host->release(host, shares->level);
	host->release(host, shares);
	set_weights(comparison, model);
	return find_fault(comparison, model);
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
