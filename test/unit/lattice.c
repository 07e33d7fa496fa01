/*
 * lattice.c
 *		The lattice search against every node of small tables, from records.
 *
 * Keys, hierarchies, shares, weights, NULLs, sensitive columns, models, limits
 * and metrics are drawn at random; the oracle goes through all nodes, finds
 * the classes by comparing cells with cells, and follows the definitions.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/generalization/lattice.h"

/* Values of classes are kept in rows, or in runs. */
static int most_places;
#define MOST_PLACES most_places
#include "kernel/generalization/lattice_values.c"
#include "kernel/risk/class_measures.c"
#include "kernel/table/frequency.h"
#include "lattice_case.h"
#include "lattice_score.h"

#define ROUNDS 4000

/* All nodes by the oracle. */
typedef struct Oracle
{
	SdcLatticeNode node[NODES];
	bool failing[NODES][CELLS];
	int nodes;
	int seen; /* by the walk */
	int wrong;
} Oracle;

/* Totals of the sensitive columns. */
static void
count_totals(Case *one)
{
	int s;
	int32_t cell;

	for (s = 0; s < one->problem.sensitives; s++)
	{
		int column = one->problem.keys + s;
		SdcTotals *totals = &one->totals[s];
		int32_t slot;

		totals->values = one->table->values[column];
		totals->total = one->total[s];
		for (cell = 0; cell < one->table->cells; cell++)
		{
			int32_t code = one->table->code[column][cell];

			if (code == SDC_CODE_NULL &&
				one->sensitive[s].request.ignore_nulls)
				continue;
			slot = sdc_histogram_slot(totals, code);
			totals->total[slot] += one->table->count[cell];
			totals->records += one->table->count[cell];
		}
		for (slot = 0; slot <= totals->values; slot++)
			totals->occurring += totals->total[slot] > 0;
	}
}

/* The largest l, by trying all. */
static double
pd_recursive(const Case *one, int s, const int64_t *held,
			 const int64_t *ranked, const SdcHistogram *class)
{
	const SdcClassRequest *request = &one->sensitive[s].request;
	int64_t most = 0;
	double largest = 0;
	int l;
	int v;

	for (v = 0; v <= one->totals[s].values; v++)
		if (held[v] > most &&
			!(request->ignore_nulls && v == one->totals[s].values) &&
			(request->allowed == NULL || !request->allowed[v]))
			most = held[v];
	if (most == 0)
		return INFINITY;
	for (l = 1; l <= class->cells; l++)
		if (sdc_diversity_is_pd_recursive(ranked, class->cells, most,
										  request->c, l))
			largest = l;
	return largest;
}

static double
least_share(const Case *one, int s, const int64_t *held, int64_t records)
{
	const SdcClassRequest *request = &one->sensitive[s].request;
	int64_t least = records;
	int32_t listed = 0;
	int v;

	for (v = 0; v <= one->totals[s].values; v++)
		if (request->guarded[v] &&
			!(request->ignore_nulls && v == one->totals[s].values))
		{
			listed++;
			least = held[v] < least ? held[v] : least;
		}
	if (request->guards == 0)
		return 1;
	return listed < request->guards ? 0 : (double) least / (double) records;
}

/* Does a set of cells fail the models of a sensitive column? */
static bool
fails_models(const Case *one, int s, const bool *member)
{
	const SdcClassRequest *request = &one->sensitive[s].request;
	const SdcTotals *totals = &one->totals[s];
	int64_t held[VALUES + 1] = {0};
	int32_t code[VALUES + 1];
	int64_t count[VALUES + 1];
	int64_t ranked[VALUES + 1];
	SdcHistogram class = {0, code, count, 0};
	double value[SDC_CLASS_MEASURES];
	bool fails = false;
	int32_t i;

	for (i = 0; i < one->table->cells; i++)
		if (member[i])
			held[sdc_histogram_slot(
				totals, one->table->code[one->problem.keys + s][i])] +=
				one->table->count[i];
	for (i = 0; i < totals->values + !request->ignore_nulls; i++)
	{
		if (held[i] == 0)
			continue;
		code[class.cells] = i < totals->values ? i : SDC_CODE_NULL;
		ranked[class.cells] = held[i];
		count[class.cells++] = held[i];
		class.records += held[i];
	}
	if (class.records == 0)
		return false;
	sdc_diversity_rank(ranked, class.cells);
	value[SDC_CLASS_DISTINCT] = class.cells;
	value[SDC_CLASS_ENTROPY] = sdc_diversity_entropy(count, class.cells);
	value[SDC_CLASS_FREQUENCY] = sdc_diversity_frequency(count, class.cells);
	value[SDC_CLASS_RECURSIVE] =
		sdc_diversity_recursive(ranked, class.cells, request->c);
	value[SDC_CLASS_PD_RECURSIVE] = pd_recursive(one, s, held, ranked, &class);
	value[SDC_CLASS_PROTECTED] = least_share(one, s, held, class.records);
	value[SDC_CLASS_T_EQUAL] = sdc_closeness_equal(&class, totals);
	value[SDC_CLASS_T_ORDERED] = sdc_closeness_ordered(
		&class, sdc_closeness_order(unit_host(), totals));
	value[SDC_CLASS_T_HIERARCHICAL] = sdc_closeness_hierarchical(
		&class, sdc_closeness_tree(unit_host(), totals, request->hierarchy));
	value[SDC_CLASS_BETA] = sdc_likeness_beta(&class, totals);
	value[SDC_CLASS_BETA_ENHANCED] = sdc_likeness_enhanced(&class, totals);
	value[SDC_CLASS_DELTA] = sdc_likeness_delta(&class, totals);
	for (i = 0; i < SDC_CLASS_MEASURES; i++)
		fails |=
			sdc_class_measures_fails(request, (SdcClassMeasure) i, value[i]);
	return fails;
}

static bool
same_class(const Case *one, const uint8_t *level, int32_t a, int32_t b)
{
	int32_t *const *code = one->table->code;
	int j;

	for (j = 0; j < one->problem.keys; j++)
		if (group_of(one, j, level[j], code[j][a]) !=
			group_of(one, j, level[j], code[j][b]))
			return false;
	return true;
}

/* The smallest class that may pass: k, or an l that counts values. */
static int64_t
smallest_class(const Case *one)
{
	double size = (double) one->problem.k;
	int s;
	int m;

	for (s = 0; s < one->problem.sensitives; s++)
		for (m = 0; m <= SDC_CLASS_RECURSIVE; m++)
			if (!one->sensitive[s].request.ignore_nulls &&
				one->sensitive[s].request.bound[m] > size)
				size = ceil(one->sensitive[s].request.bound[m]);
	return (int64_t) size;
}

/* The class of each cell: its size, its people, its first cell. */
typedef struct Classes
{
	int64_t size[CELLS];
	int64_t match[CELLS];
	int32_t first[CELLS];
	int32_t people; /* classes of the register */
} Classes;

static bool
same_person(const Case *one, const uint8_t *level, int32_t cell,
			int32_t person)
{
	int j;

	for (j = 0; j < one->problem.keys; j++)
		if (group_of(one, j, level[j], one->table->code[j][cell]) !=
			group_of(one, j, level[j], one->people->code[j][person]))
			return false;
	return true;
}

/* Counts the classes of the register that no earlier cell of it has. */
static void
count_people(const Case *one, const uint8_t *level, Classes *classes)
{
	const SdcFrequency *people = one->people;
	int32_t a;
	int32_t b;
	int j;

	for (a = 0; a < people->cells; a++)
	{
		bool earlier = false;

		for (b = 0; b < a && !earlier; b++)
		{
			earlier = true;
			for (j = 0; j < one->problem.keys; j++)
				earlier &= group_of(one, j, level[j], people->code[j][a]) ==
						   group_of(one, j, level[j], people->code[j][b]);
		}
		classes->people += !earlier;
		for (b = 0; b < one->table->cells; b++)
			if (same_person(one, level, b, a))
				classes->match[b] += people->count[a];
	}
}

/* Does a bound on the classes that do not fail not hold? */
static bool
fails_sizes(const Case *one, const Classes *classes, const bool *failing,
			int first, int end)
{
	int64_t size[CELLS];
	int64_t match[CELLS];
	SdcSizes sizes = {0, size, one->people ? match : NULL, classes->people, 0};
	bool fails = false;
	int32_t a;
	int m;

	for (a = 0; a < one->table->cells; a++)
	{
		if (failing[a] || classes->first[a] != a)
			continue;
		size[sizes.classes] = classes->size[a];
		match[sizes.classes++] = classes->match[a];
		sizes.records += classes->size[a];
	}
	for (m = first; m < end && one->problem.sizes != NULL; m++)
		if (!isnan(one->sizes.bound[m]) &&
			(sizes.classes > 0 || m == SDC_SIZE_PRESENCE_LOWEST))
			fails |=
				sdc_size_fails(&one->sizes, (SdcSizeMeasure) m,
							   sdc_size_measure(unit_host(), &one->sizes,
												&sizes, (SdcSizeMeasure) m));
	return fails;
}

/* Fails the smallest classes until the bounds that this helps hold. */
static bool
fail_smallest(const Case *one, const Classes *classes, bool *failing)
{
	int64_t least;
	int32_t a;

	for (least = 1; fails_sizes(one, classes, failing, SDC_SIZE_AVERAGE,
								SDC_SIZE_MEASURES);
		 least++)
		for (a = 0; a < one->table->cells; a++)
			failing[a] |= classes->size[a] <= least;
	return fails_sizes(one, classes, failing, 0, SDC_SIZE_AVERAGE);
}

/* Judges the classes of a node. */
static void
judge_node(Case *one, SdcLatticeNode *node, bool *failing)
{
	const SdcFrequency *table = one->table;
	Classes classes = {{0}, {0}, {0}, 0};
	int64_t squares = 0;
	bool refused;
	int32_t a;
	int32_t b;

	if (one->people != NULL)
		count_people(one, node->level, &classes);
	for (a = 0; a < table->cells; a++)
	{
		bool member[CELLS] = {false};
		int s;

		for (b = 0; b < table->cells; b++)
			if ((member[b] = same_class(one, node->level, a, b)))
				classes.size[a] += table->count[b];
		for (b = 0; !member[b]; b++)
			;
		classes.first[a] = b;
		failing[a] = classes.size[a] < smallest_class(one) ||
					 (one->people != NULL &&
					  sdc_size_class_fails(&one->sizes, classes.size[a],
										   classes.match[a]));
		for (s = 0; s < one->problem.sensitives; s++)
			failing[a] |= fails_models(one, s, member);
	}
	refused = fail_smallest(one, &classes, failing);
	for (a = 0; a < table->cells; a++)
	{
		int64_t size = classes.size[a];

		node->suppressed += failing[a] ? table->count[a] : 0;
		/* once for each class */
		if (failing[a] || classes.first[a] != a)
			continue;
		squares += size * size;
		if (node->classes++ == 0 || size < node->smallest)
			node->smallest = size;
		node->largest = size > node->largest ? size : node->largest;
	}
	node->feasible = node->suppressed <= one->problem.limit && !refused;
	node->score = score_node(one, node, failing, squares);
}

static bool
next_level(const Case *one, uint8_t *level)
{
	int j;

	for (j = one->problem.keys - 1; j >= 0; j--)
	{
		if (level[j] < one->key[j].highest)
		{
			level[j]++;
			return true;
		}
		level[j] = (uint8_t) one->key[j].lowest;
	}
	return false;
}

static void
judge_all(Case *one, Oracle *oracle)
{
	uint8_t level[SDC_LATTICE_MAX_KEYS] = {0};
	int j;

	memset(oracle, 0, sizeof(*oracle));
	count_totals(one);
	for (j = 0; j < one->problem.keys; j++)
		level[j] = (uint8_t) one->key[j].lowest;
	do
	{
		SdcLatticeNode *node = &oracle->node[oracle->nodes];

		node->number = oracle->nodes;
		memcpy(node->level, level, sizeof(level));
		judge_node(one, node, oracle->failing[oracle->nodes++]);
	} while (next_level(one, level));
}

/* ---------- comparing ---------- */

static bool
near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

static bool
same_node(const SdcLatticeNode *a, const SdcLatticeNode *b)
{
	return a->number == b->number && near(a->score, b->score) &&
		   memcmp(a->level, b->level, sizeof(a->level)) == 0 &&
		   a->feasible == b->feasible && a->suppressed == b->suppressed &&
		   a->classes == b->classes && a->smallest == b->smallest &&
		   a->largest == b->largest;
}

static bool
compare_visited(void *argument, const SdcLatticeNode *node)
{
	Oracle *oracle = argument;

	oracle->seen++;
	oracle->wrong += !same_node(node, &oracle->node[node->number]);
	return true;
}

static int
find_best(const Oracle *oracle, int *optima)
{
	int best = -1;
	int i;

	*optima = 0;
	for (i = 0; i < oracle->nodes; i++)
		if (oracle->node[i].feasible &&
			(best < 0 || oracle->node[i].score < oracle->node[best].score))
			best = i;
	for (i = 0; i < oracle->nodes && best >= 0; i++)
		*optima += oracle->node[i].feasible &&
				   near(oracle->node[i].score, oracle->node[best].score);
	return best;
}

static int
height_of(const SdcLatticeNode *node)
{
	int height = 0;
	int j;

	for (j = 0; j < SDC_LATTICE_MAX_KEYS; j++)
		height += node->level[j];
	return height;
}

/* Is the list made of the optimal nodes, each once, the best first? */
static bool
right_optima(const Oracle *oracle, const SdcLatticeResult *result, int best)
{
	bool listed[NODES] = {false};
	int64_t i;

	for (i = 0; i < result->optima; i++)
	{
		const SdcLatticeNode *node = &result->optimum[i];

		if (listed[node->number] ||
			!same_node(node, &oracle->node[node->number]) ||
			!near(node->score, oracle->node[best].score) ||
			(i > 0 && height_of(node) < height_of(node - 1)))
			return false;
		listed[node->number] = true;
	}
	return same_node(&result->best, &result->optimum[0]);
}

static bool
right_result(const Oracle *oracle, const SdcLatticeResult *result)
{
	int optima;
	int best = find_best(oracle, &optima);

	if (result->nodes != oracle->nodes || !result->proven || result->stopped ||
		result->found != (best >= 0) || result->checked > oracle->nodes)
		return false;
	return best < 0 ||
		   (result->optima == optima && result->bound == result->best.score &&
			near(result->best.score, oracle->node[best].score) &&
			right_optima(oracle, result, best));
}

/* A search that is stopped tells a bound that holds. */
static bool
right_stopped(SdcLattice *lattice, const Oracle *oracle, int checks)
{
	SdcLatticeBudget budget = {checks, NULL, NULL};
	SdcLatticeResult result;
	int optima;
	int best = find_best(oracle, &optima);
	double score = best >= 0 ? oracle->node[best].score : INFINITY;

	sdc_lattice_search(lattice, &budget, &result);
	if (result.checked > checks || result.bound > score + 1e-9 * (1 + score) ||
		(result.found && result.best.score < score - 1e-9 * (1 + score)))
		return false;
	return !result.proven || !result.found || near(result.best.score, score);
}

/* The flags of the cells of a node. */
static bool
right_suppressed(SdcLattice *lattice, const Case *one, const Oracle *oracle,
				 int number)
{
	bool suppressed[CELLS];
	SdcLatticeNode node;

	sdc_lattice_check(lattice, oracle->node[number].level, &node);
	sdc_lattice_suppressed(lattice, oracle->node[number].level, suppressed);
	return same_node(&node, &oracle->node[number]) &&
		   memcmp(suppressed, oracle->failing[number],
				  (size_t) one->table->cells) == 0;
}

typedef struct Counts
{
	int cases;
	int visit;
	int search;
	int stopped;
	int cells;
	int feasible;
} Counts;

static void
check_case(SdcRandom *random, int round, Counts *wrong)
{
	static Oracle oracle;
	SdcHost *host = unit_host();
	SdcLatticeResult result;
	SdcLattice *lattice;
	Case one;
	SdcLatticeStatus status;
	int key;

	draw_case(random, round, &one);
	status = sdc_lattice_start(host, &one.problem, &lattice, &key);
	if (status == SDC_LATTICE_SHARES && one.key[key].share != NULL &&
		one.key[key].domain == 0)
		return;
	wrong->cases++;
	if (status != SDC_LATTICE_OK)
	{
		wrong->search++;
		return;
	}
	judge_all(&one, &oracle);
	sdc_lattice_search(lattice, NULL, &result);
	wrong->feasible += result.found;
	wrong->search += !right_result(&oracle, &result);
	sdc_lattice_visit(lattice, compare_visited, &oracle);
	wrong->visit += oracle.wrong > 0 || oracle.seen != oracle.nodes;
	wrong->stopped +=
		!right_stopped(lattice, &oracle, 1 + below(random, oracle.nodes));
	wrong->cells +=
		!right_suppressed(lattice, &one, &oracle, below(random, oracle.nodes));
	sdc_lattice_release(lattice);
}

int
main(void)
{
	SdcRandom random;
	Counts wrong = {0};
	int rounds = unit_sparing() ? ROUNDS / 8 : ROUNDS;
	int round;

	unit_start("lattice");
	sdc_random_seed(&random, 1, 2);
	for (round = 0; round < rounds; round++)
	{
		most_places = round % 2 * 32;
		check_case(&random, round, &wrong);
		unit_release_all();
	}
	unit_check(wrong.cases > rounds * 9 / 10 && wrong.feasible > rounds / 2,
			   "%d problems, %d with a solution", wrong.cases, wrong.feasible);
	unit_check(wrong.visit == 0, "every node: %d wrong", wrong.visit);
	unit_check(wrong.search == 0, "optima: %d wrong", wrong.search);
	unit_check(wrong.stopped == 0, "stopped: %d wrong", wrong.stopped);
	unit_check(wrong.cells == 0, "suppressed cells: %d wrong", wrong.cells);
	return unit_finish();
}
