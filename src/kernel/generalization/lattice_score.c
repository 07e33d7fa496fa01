/*
 * lattice_score.c
 *		What a node loses, and bounds of it before its classes are known.
 *
 * Most metrics are sums or means over the keys of a part that hangs on the
 * level of one key alone when nothing is suppressed.  These parts bound the
 * score from below.  What suppressing adds hangs only on how many suppressed
 * records each group has: whole numbers, counted over whatever are fewer, the
 * classes that are kept or those that are not.
 *
 * The formulas are those of the reference's README (Iyengar 2002; LeFevre et
 * al. 2006; Bayardo and Agrawal 2005; Gionis and Tassa 2009; Sweeney 2002;
 * Goldberger and Tassa 2010), with weights as parts of the largest.
 */
#include "kernel/generalization/lattice_parts.h"

#include <math.h>
#include <string.h>

/* libm: logarithms, exp and pow, in a measure, not in a mask. */

/* The factors of loss for kept and for suppressed records. */
static double
keep_factor(const SdcLattice *lattice)
{
	double factor = lattice->problem.suppression_factor;

	return factor <= 0.5 ? 1 : 1 - 2 * (factor - 0.5);
}

static double
suppress_factor(const SdcLattice *lattice)
{
	double factor = lattice->problem.suppression_factor;

	return factor < 0.5 ? 2 * factor : 1;
}

/* The part of loss of a key whose records lose that much in all. */
static double
loss_part(const SdcLattice *lattice, const SdcLatticeColumn *column,
		  double lost)
{
	double most = (double) lattice->records;
	double least =
		column->domain > 0 ? most / column->domain * keep_factor(lattice) : 0;
	double loss = most > least ? (lost - least) / (most - least) : 0;

	if (loss < 0)
		loss = 0;
	if (loss > 1)
		loss = 1;
	return lattice->problem.mean == SDC_LATTICE_GEOMETRIC
			   ? log1p(column->weight * loss)
			   : column->weight * loss;
}

/* The part of precision when so many records are suppressed. */
static double
precision_part(const SdcLattice *lattice, const SdcLatticeColumn *column,
			   int l, int64_t suppressed)
{
	double relative = column->height > 0 ? (double) (column->lowest + l) /
											   (double) column->height
										 : 0;
	double records = (double) lattice->records;
	double gone = (double) suppressed;

	return column->weight * ((records - gone) * relative + gone) / records;
}

/* ln of the product of all domains, by weight. */
static double
log_domains(const SdcLattice *lattice)
{
	double sum = 0;
	int j;

	for (j = 0; j < lattice->keys; j++)
		sum += lattice->column[j].weight * log(lattice->column[j].domain);
	return sum;
}

static double
level_part(const SdcLattice *lattice, const SdcLatticeColumn *column, int l)
{
	const SdcLatticeLevel *level = &column->level[l];

	switch (lattice->problem.metric)
	{
		case SDC_LATTICE_LOSS:
			return loss_part(lattice, column,
							 level->share_sum * keep_factor(lattice));
		case SDC_LATTICE_ENTROPY:
			return column->weight * level->entropy;
		case SDC_LATTICE_PRECISION:
			return precision_part(lattice, column, l, 0);
		case SDC_LATTICE_HEIGHT:
			return column->weight * (column->lowest + l);
		case SDC_LATTICE_EBIL:
		case SDC_LATTICE_AMBIGUITY:
			return column->weight > 0 ? column->weight * level->log_sum : 0;
		default:
			return log((double) level->groups);
	}
}

SdcLatticeStatus
sdc_lattice_score_start(SdcLattice *lattice, int *key)
{
	int j;
	int l;

	for (j = 0; j < lattice->keys; j++)
	{
		SdcLatticeColumn *column = &lattice->column[j];

		*key = j;
		if (lattice->problem.metric == SDC_LATTICE_EBIL &&
			(column->domain < 1 || isinf(column->level[0].log_sum)))
			return SDC_LATTICE_SHARES;
		for (l = 0; l < column->levels; l++)
			column->level[l].part = level_part(lattice, column, l);
	}
	*key = -1;
	return SDC_LATTICE_OK;
}

double
sdc_lattice_score_combine(const SdcLattice *lattice, double sum, double most)
{
	double records = (double) lattice->records;
	double domains;

	switch (lattice->problem.metric)
	{
		case SDC_LATTICE_LOSS:
			if (lattice->problem.mean == SDC_LATTICE_GEOMETRIC)
				return expm1(sum / lattice->keys);
			if (lattice->problem.mean == SDC_LATTICE_MAXIMUM)
				return most;
			if (lattice->problem.mean == SDC_LATTICE_SUM)
				return sum;
			return sum / lattice->keys;
		case SDC_LATTICE_PRECISION:
			return sum / lattice->keys;
		case SDC_LATTICE_ENTROPY:
		case SDC_LATTICE_HEIGHT:
			return sum;
		case SDC_LATTICE_EBIL:
			domains = log_domains(lattice);
			return domains > 0 ? records + sum / domains : 0;
		case SDC_LATTICE_AMBIGUITY:
			/* a mean of products is at least the geometric mean of them */
			return exp(sum / records) * (1 - 1e-12);
		case SDC_LATTICE_AECS:
			return records / (exp(sum) * (1 + 1e-12) + 1);
		default:
			/* as many classes as there can be, all of the same size */
			return records * records / (exp(sum) * (1 + 1e-12));
	}
}

double
sdc_lattice_score_bound(const SdcLattice *lattice, const uint8_t *level)
{
	double sum = 0;
	double most = 0;
	int j;

	for (j = 0; j < lattice->keys; j++)
	{
		double part = lattice->column[j].level[level[j]].part;

		sum += part;
		most = part > most ? part : most;
	}
	return sdc_lattice_score_combine(lattice, sum, most);
}

/* Product of the shares of a class, by weight. */
static double
ambiguity_of(const SdcLattice *lattice, const SdcLatticeTable *table,
			 const SdcLatticeLayout *layout, int32_t c)
{
	double product = 1;
	int j;

	for (j = 0; j < lattice->keys; j++)
	{
		const SdcLatticeColumn *column = &lattice->column[j];
		int32_t g = sdc_lattice_group(lattice, table, layout, c, j);
		double share = column->level[table->level[j]].share[g];

		if (column->weight == 1)
			product *= share;
		else if (column->weight > 0)
			product *= pow(share, column->weight);
	}
	return product;
}

/* Mean of the products; a suppressed record is the whole domain, or kept. */
static double
ambiguity(SdcLattice *lattice, const SdcLatticeTable *table, bool suppress)
{
	SdcLatticeLayout layout;
	double sum = 0;
	int32_t c;

	sdc_lattice_pack_layout(lattice, table->level, &layout);
	for (c = 0; c < table->classes; c++)
	{
		bool fails =
			suppress &&
			(table->count[c] < lattice->group_size ||
			 (table->state != NULL && table->state[c] == SDC_LATTICE_FAILS));

		sum += (double) table->count[c] *
			   (fails ? 1 : ambiguity_of(lattice, table, &layout, c));
	}
	return sum / (double) lattice->records;
}

double
sdc_lattice_score_floor(SdcLattice *lattice, const SdcLatticeTable *table,
						const SdcLatticeTally *tally)
{
	double records = (double) lattice->records;
	int64_t more;

	switch (lattice->problem.metric)
	{
		case SDC_LATTICE_AECS:
			/*
			 * A class that is kept above holds one that is kept here, or only
			 * classes that fail here.
			 */
			more = tally->failing;
			if (lattice->group_size > 1 &&
				tally->suppressed / lattice->group_size < more)
				more = tally->suppressed / lattice->group_size;
			more += tally->kept + (tally->suppressed > 0);
			return records / (double) (more > 0 ? more : 1);
		case SDC_LATTICE_DISCERNIBILITY:
			return (double) tally->squares_all;
		case SDC_LATTICE_AMBIGUITY:
			return ambiguity(lattice, table, false) * (1 - 1e-12);
		default:
			return 0;
	}
}

/* Adds up how many records of classes that fail, or not, are in each group. */
static void
count_groups(SdcLattice *lattice, const SdcLatticeTable *table, bool failing)
{
	SdcLatticeLayout layout;
	int32_t c;
	int j;

	sdc_lattice_pack_layout(lattice, table->level, &layout);
	for (j = 0; j < lattice->keys; j++)
	{
		SdcLatticeColumn *column = &lattice->column[j];
		int32_t groups = column->level[table->level[j]].groups;

		memset(column->marginal, 0, sizeof(int64_t) * (size_t) groups);
	}
	for (c = 0; c < table->classes; c++)
	{
		bool fails =
			table->count[c] < lattice->group_size ||
			(table->state != NULL && table->state[c] == SDC_LATTICE_FAILS);

		if (fails != failing)
			continue;
		for (j = 0; j < lattice->keys; j++)
			lattice->column[j]
				.marginal[sdc_lattice_group(lattice, table, &layout, c, j)] +=
				table->count[c];
	}
}

/* Makes marginal[g] of each key the suppressed records of group g. */
static void
count_suppressed(SdcLattice *lattice, const SdcLatticeTable *table,
				 const SdcLatticeTally *tally)
{
	bool failing = tally->failing <= tally->kept;
	int32_t g;
	int j;

	count_groups(lattice, table, failing);
	for (j = 0; j < lattice->keys && !failing; j++)
	{
		SdcLatticeColumn *column = &lattice->column[j];
		const SdcLatticeLevel *level = &column->level[table->level[j]];

		for (g = 0; g < level->groups; g++)
			column->marginal[g] = level->total[g] - column->marginal[g];
	}
}

/* The part of a key when marginal holds what is suppressed. */
static double
suppressed_part(const SdcLattice *lattice, const SdcLatticeColumn *column,
				const SdcLatticeLevel *level, int64_t suppressed)
{
	double kept = keep_factor(lattice);
	double gone = suppress_factor(lattice);
	double sum = 0;
	int32_t g;

	for (g = 0; g < level->groups; g++)
	{
		double share = level->share[g];
		double records = (double) column->marginal[g];

		if (column->marginal[g] == 0)
			continue;
		if (lattice->problem.metric == SDC_LATTICE_LOSS)
			sum += records * (share + gone * (1 - share) - kept * share);
		else if (lattice->problem.metric == SDC_LATTICE_ENTROPY)
			sum += records * log2((double) suppressed / records);
		else
			sum -= records * log(share);
	}
	if (lattice->problem.metric == SDC_LATTICE_LOSS)
		return loss_part(lattice, column, level->share_sum * kept + sum);
	return level->part + column->weight * sum;
}

double
sdc_lattice_score_part(const SdcLattice *lattice, int j, int l,
					   int64_t suppressed)
{
	const SdcLatticeColumn *column = &lattice->column[j];

	if (suppressed == 0)
		return column->level[l].part;
	switch (lattice->problem.metric)
	{
		case SDC_LATTICE_PRECISION:
			return precision_part(lattice, column, l, suppressed);
		case SDC_LATTICE_LOSS:
		case SDC_LATTICE_ENTROPY:
		case SDC_LATTICE_EBIL:
			return suppressed_part(lattice, column, &column->level[l],
								   suppressed);
		default:
			return column->level[l].part;
	}
}

static double
score_parts(SdcLattice *lattice, const SdcLatticeTable *table,
			int64_t suppressed)
{
	double sum = 0;
	double most = 0;
	int j;

	for (j = 0; j < lattice->keys; j++)
	{
		double part =
			sdc_lattice_score_part(lattice, j, table->level[j], suppressed);

		sum += part;
		most = part > most ? part : most;
	}
	return sdc_lattice_score_combine(lattice, sum, most);
}

double
sdc_lattice_score(SdcLattice *lattice, SdcLatticeTable *table,
				  const SdcLatticeTally *tally)
{
	double records = (double) lattice->records;

	switch (lattice->problem.metric)
	{
		case SDC_LATTICE_AECS:
			return records / (double) (tally->kept + (tally->suppressed > 0));
		case SDC_LATTICE_DISCERNIBILITY:
			return (double) (tally->squares +
							 (__int128) lattice->records * tally->suppressed);
		case SDC_LATTICE_AMBIGUITY:
			return ambiguity(lattice, table, true);
		case SDC_LATTICE_HEIGHT:
			return sdc_lattice_score_bound(lattice, table->level);
		case SDC_LATTICE_PRECISION:
			return score_parts(lattice, table, tally->suppressed);
		default:
			if (tally->suppressed == 0)
				return sdc_lattice_score_bound(lattice, table->level);
			count_suppressed(lattice, table, tally);
			return score_parts(lattice, table, tally->suppressed);
	}
}
