/*
 * lattice_witness.c
 *		The lattice search where the classes of single records rule out nodes.
 *
 * Tables of four keys whose models may pass below a node and fail above it, so
 * that hundreds of nodes are in question.  The oracle visits all of them, each
 * by itself; limits are the records that a best node suppresses or one less,
 * so that one record too many would show.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/generalization/lattice.h"
#include "kernel/generalization/lattice_count.h"
/* every node found infeasible gives a witness */
#define PAYS 0
#include "kernel/generalization/lattice_witness.c"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"

#define ROUNDS    400
#define KEYS      4
#define VALUES    8
#define SENSITIVE 5
#define NODES     256

/* Values 0 .. 7 by themselves, in pairs, in fours, all. */
static int32_t fine[] = {0, 1, 2, 3, 4, 5, 6, 7};
static int32_t pairs[] = {0, 0, 1, 1, 2, 2, 3, 3};
static int32_t fours[] = {0, 0, 0, 0, 1, 1, 1, 1};
static int32_t all[VALUES];
static int32_t *group[] = {fine, pairs, fours, all};
static int32_t groups[] = {VALUES, 4, 2, 1};
static SdcHierarchy hierarchy = {VALUES, 4, group, groups};

/* What the oracle finds. */
typedef struct Oracle
{
	int64_t suppressed[NODES];
	double least; /* of the feasible nodes */
	int64_t optima;
	int64_t exact; /* records that the first of the best suppresses */
} Oracle;

static bool
visit(void *argument, const SdcLatticeNode *node)
{
	Oracle *oracle = argument;
	double tie =
		isinf(oracle->least) ? 0 : SDC_LATTICE_TIE * fabs(oracle->least);

	oracle->suppressed[node->number] = node->suppressed;
	if (!node->feasible || node->score > oracle->least + tie)
		return true;
	if (node->score < oracle->least - tie)
	{
		oracle->optima = 0;
		oracle->exact = node->suppressed;
	}
	oracle->least = node->score < oracle->least ? node->score : oracle->least;
	oracle->optima++;
	return true;
}

/* Values that cluster, so that classes fail for what is rare in them. */
static SdcFrequency *
draw_table(SdcRandom *random)
{
	static const int32_t values[KEYS + 1] = {VALUES, VALUES, VALUES, VALUES,
											 SENSITIVE};
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), KEYS + 1, false);
	int records = 100 + (int) sdc_random_below(random, 500);
	int i;
	int j;

	for (i = 0; i < records; i++)
	{
		int32_t code[KEYS + 1];

		for (j = 0; j < KEYS; j++)
			code[j] = sdc_random_below(random, 20) == 0
						  ? SDC_CODE_NULL
						  : (int32_t) sdc_random_below(
								random, 1 + sdc_random_below(random, VALUES));
		code[KEYS] = (int32_t) sdc_random_below(
			random, 1 + sdc_random_below(random, SENSITIVE));
		if (code[0] > 3 && sdc_random_below(random, 2))
			code[KEYS] = 0;
		sdc_frequency_add(counting, code, 1, 1);
	}
	return sdc_frequency_finish(counting, NULL, values, NULL);
}

static void
draw_model(SdcRandom *random, SdcClassRequest *request)
{
	switch (sdc_random_below(random, 5))
	{
		case 0:
			request->bound[SDC_CLASS_BETA] = 0.5 + 2 * sdc_random_unit(random);
			break;
		case 1:
			request->bound[SDC_CLASS_DELTA] =
				0.5 + 2 * sdc_random_unit(random);
			break;
		case 2:
			request->bound[SDC_CLASS_T_EQUAL] =
				0.1 + 0.4 * sdc_random_unit(random);
			break;
		case 3:
			request->bound[SDC_CLASS_FREQUENCY] =
				1.2 + sdc_random_unit(random);
			break;
		default:
			request->bound[SDC_CLASS_ENTROPY] =
				1.5 + 2 * sdc_random_unit(random);
	}
}

static void
visit_all(const SdcLatticeProblem *problem, Oracle *oracle)
{
	SdcLattice *lattice;

	oracle->least = INFINITY;
	oracle->optima = 0;
	oracle->exact = 0;
	if (sdc_lattice_start(unit_host(), problem, &lattice, NULL) !=
		SDC_LATTICE_OK)
		abort();
	sdc_lattice_visit(lattice, visit, oracle);
	sdc_lattice_release(lattice);
}

/* Does the search find what the oracle finds?  Counts what was checked. */
static bool
right(const SdcLatticeProblem *problem, int64_t *checked)
{
	Oracle oracle;
	SdcLatticeResult result;
	SdcLattice *lattice;
	bool same;

	visit_all(problem, &oracle);
	if (sdc_lattice_start(unit_host(), problem, &lattice, NULL) !=
		SDC_LATTICE_OK)
		abort();
	sdc_lattice_search(lattice, NULL, &result);
	sdc_lattice_release(lattice);
	*checked += result.checked;
	same = result.found == (oracle.optima > 0);
	if (same && result.found)
		same = result.proven && result.optima == oracle.optima &&
			   fabs(result.best.score - oracle.least) <=
				   SDC_LATTICE_TIE * fabs(oracle.least);
	unit_host()->release(unit_host(), result.optimum);
	return same;
}

/* The least of a few nodes, so that most are not feasible. */
static int64_t
least_of(SdcRandom *random, const int64_t *suppressed)
{
	int64_t least = suppressed[sdc_random_below(random, NODES)];
	int i;

	for (i = 0; i < 3; i++)
	{
		int64_t other = suppressed[sdc_random_below(random, NODES)];

		least = other < least ? other : least;
	}
	return least;
}

/* Rounds of a table each, at two limits; returns how many are wrong. */
static int
check_rounds(SdcRandom *random, int rounds, int64_t *checked)
{
	SdcLatticeKey key[KEYS];
	int wrong = 0;
	int round;
	int j;

	for (round = 0; round < rounds; round++)
	{
		SdcLatticeProblem problem = sdc_lattice_problem();
		SdcLatticeSensitive sensitive = {sdc_class_measures_request(), NULL};
		Oracle oracle;

		for (j = 0; j < KEYS; j++)
			key[j] = sdc_lattice_key(&hierarchy);
		draw_model(random, &sensitive.request);
		problem.frequency = draw_table(random);
		problem.keys = KEYS;
		problem.key = key;
		problem.k = (int64_t) sdc_random_below(random, 6);
		problem.sensitives = 1;
		problem.sensitive = &sensitive;
		problem.limit = 0;
		visit_all(&problem, &oracle);
		problem.limit = least_of(random, oracle.suppressed);
		visit_all(&problem, &oracle);
		problem.limit = oracle.exact;
		wrong += !right(&problem, checked);
		problem.limit -= problem.limit > 0;
		wrong += !right(&problem, checked);
		unit_release_all();
	}
	return wrong;
}

int
main(void)
{
	int rounds = unit_sparing() ? ROUNDS / 4 : ROUNDS;
	SdcRandom random;
	int64_t checked = 0;
	int wrong;

	unit_start("lattice_witness");
	sdc_random_seed(&random, 21, 1);
	wrong = check_rounds(&random, rounds, &checked);
	unit_check(wrong == 0, "%d of %d searches differ from all %d nodes", wrong,
			   2 * rounds, NODES);
	unit_check(checked < (int64_t) 2 * rounds * 90,
			   "a search checks %.1f nodes on average",
			   (double) checked / (2 * rounds));
	return unit_finish();
}
