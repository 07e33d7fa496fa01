/*
 * lattice_score.h
 *		What a node of a small problem loses, record by record.
 */
#ifndef SDC_TEST_UNIT_LATTICE_SCORE_H
#define SDC_TEST_UNIT_LATTICE_SCORE_H

#include <math.h>

#include "lattice_case.h"

static inline int32_t
group_of(const Case *one, int j, int level, int32_t code)
{
	const SdcHierarchy *hierarchy = one->key[j].hierarchy;

	if (code != SDC_CODE_NULL)
		return hierarchy->group[level][code];
	return one->key[j].join_nulls && hierarchy->groups[level] == 1
			   ? 0
			   : hierarchy->groups[level];
}

static inline double
domain_of(const Case *one, int j)
{
	return one->key[j].share != NULL ? (double) one->key[j].domain
									 : one->key[j].hierarchy->values;
}

static inline double
share_of(const Case *one, int j, int level, int32_t group)
{
	const SdcHierarchy *hierarchy = one->key[j].hierarchy;
	double members = 0;
	int32_t v;

	if (group == hierarchy->groups[level])
		return domain_of(one, j) > 0 ? 1 / domain_of(one, j) : 0;
	if (one->key[j].share != NULL)
		return one->key[j].share[level][group];
	for (v = 0; v < hierarchy->values; v++)
		members += hierarchy->group[level][v] == group;
	return members / hierarchy->values;
}

/* Counts by group of a key: of all records, or of those suppressed. */
static inline void
count_groups(const Case *one, int j, int level, const bool *only,
			 int64_t *count)
{
	int32_t cell;

	memset(count, 0, sizeof(int64_t) * (VALUES + 1));
	for (cell = 0; cell < one->table->cells; cell++)
		if (only == NULL || only[cell])
			count[group_of(one, j, level, one->table->code[j][cell])] +=
				one->table->count[cell];
}

/* Non-uniform entropy of a key. */
static inline double
entropy_of(const Case *one, int j, int level, const bool *failing,
		   int64_t suppressed)
{
	int64_t leaf[VALUES + 1] = {0};
	int64_t group[VALUES + 1];
	double sum = 0;
	int32_t values = one->table->values[j];
	int32_t v;
	int32_t cell;

	for (cell = 0; cell < one->table->cells; cell++)
	{
		int32_t code = one->table->code[j][cell];

		leaf[code == SDC_CODE_NULL ? values : code] += one->table->count[cell];
	}
	count_groups(one, j, level, NULL, group);
	for (v = 0; v <= values; v++)
		if (leaf[v] > 0)
			sum -= (double) leaf[v] *
				   log2((double) leaf[v] /
						(double) group[group_of(
							one, j, level, v < values ? v : SDC_CODE_NULL)]);
	count_groups(one, j, level, failing, group);
	for (v = 0; v <= VALUES; v++)
		if (group[v] > 0)
			sum -= (double) group[v] *
				   log2((double) group[v] / (double) suppressed);
	return sum;
}

/* Iyengar's loss of a key. */
static inline double
loss_of(const Case *one, int j, int level, const bool *failing)
{
	double factor = one->problem.suppression_factor;
	double gone = factor < 0.5 ? 2 * factor : 1;
	double kept = factor <= 0.5 ? 1 : 2 - 2 * factor;
	double most = (double) one->table->records;
	double least = domain_of(one, j) > 0 ? kept * most / domain_of(one, j) : 0;
	double sum = 0;
	double loss;
	int32_t cell;

	for (cell = 0; cell < one->table->cells; cell++)
	{
		double share = share_of(
			one, j, level, group_of(one, j, level, one->table->code[j][cell]));

		sum += (double) one->table->count[cell] *
			   (failing[cell] ? share + gone * (1 - share) : kept * share);
	}
	loss = most > least ? (sum - least) / (most - least) : 0;
	return loss < 0 ? 0 : loss > 1 ? 1 : loss;
}

static inline double
score_loss(const Case *one, const SdcLatticeNode *node, const bool *failing,
		   double most_weight)
{
	int keys = one->problem.keys;
	double product = 1;
	double sum = 0;
	double most = 0;
	int j;

	for (j = 0; j < keys; j++)
	{
		double loss = one->key[j].weight / most_weight *
					  loss_of(one, j, node->level[j], failing);

		product *= pow(1 + loss, 1.0 / keys);
		sum += loss;
		most = loss > most ? loss : most;
	}
	switch (one->problem.mean)
	{
		case SDC_LATTICE_GEOMETRIC:
			return product - 1;
		case SDC_LATTICE_ARITHMETIC:
			return sum / keys;
		case SDC_LATTICE_MAXIMUM:
			return most;
		default:
			return sum;
	}
}

/* Metrics that are a mean over the records. */
static inline double
score_records(const Case *one, const SdcLatticeNode *node, const bool *failing,
			  double most_weight)
{
	bool ebil = one->problem.metric == SDC_LATTICE_EBIL;
	double domains = 0;
	double sum = 0;
	int32_t cell;
	int j;

	for (j = 0; j < one->problem.keys; j++)
		domains += one->key[j].weight / most_weight * log10(domain_of(one, j));
	for (cell = 0; cell < one->table->cells; cell++)
	{
		double count = (double) one->table->count[cell];
		double product = 1;

		for (j = 0; j < one->problem.keys; j++)
		{
			int level = node->level[j];
			int32_t group = group_of(one, j, level, one->table->code[j][cell]);

			if (one->key[j].weight > 0)
				product *= pow(share_of(one, j, level, group),
							   one->key[j].weight / most_weight);
		}
		if (failing[cell])
			sum += count;
		else if (ebil)
			sum += count * (log10(product) / domains + 1);
		else
			sum += count * product;
	}
	if (ebil)
		return domains > 0 ? sum : 0;
	return sum / (double) one->table->records;
}

/* Metrics that are a sum over the keys. */
static inline double
score_keys(const Case *one, const SdcLatticeNode *node, const bool *failing,
		   double most_weight)
{
	double records = (double) one->table->records;
	double gone = (double) node->suppressed;
	double sum = 0;
	int j;

	for (j = 0; j < one->problem.keys; j++)
	{
		double weight = one->key[j].weight / most_weight;
		int level = node->level[j];
		int height = one->key[j].hierarchy->levels - 1;
		double relative = height > 0 ? (double) level / height : 0;

		if (one->problem.metric == SDC_LATTICE_HEIGHT)
			sum += weight * level;
		else if (one->problem.metric == SDC_LATTICE_ENTROPY)
			sum +=
				weight * entropy_of(one, j, level, failing, node->suppressed);
		else
			sum += weight * ((records - gone) * relative + gone) / records /
				   one->problem.keys;
	}
	return sum;
}

static inline double
score_node(const Case *one, const SdcLatticeNode *node, const bool *failing,
		   int64_t squares)
{
	double records = (double) one->table->records;
	double gone = (double) node->suppressed;
	double most = 0;
	int j;

	for (j = 0; j < one->problem.keys; j++)
		most = one->key[j].weight > most ? one->key[j].weight : most;
	switch (one->problem.metric)
	{
		case SDC_LATTICE_LOSS:
			return score_loss(one, node, failing, most);
		case SDC_LATTICE_AECS:
			return records / (double) (node->classes + (gone > 0));
		case SDC_LATTICE_DISCERNIBILITY:
			return (double) squares + records * gone;
		case SDC_LATTICE_EBIL:
		case SDC_LATTICE_AMBIGUITY:
			return score_records(one, node, failing, most);
		default:
			return score_keys(one, node, failing, most);
	}
}

#endif
