/*
 * lattice.c
 *		sdc.lattice: the generalizations of a relation, and the best of them.
 *
 * A row is a node of the lattice.  Without params.all these are the optimal
 * ones; when the search was stopped, the best one found and, in bound, how
 * much better one of the others could be.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "host/call/args.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/generalization/lattice.h"
#include "topic/generalization/generalization.h"

PG_FUNCTION_INFO_V1(sdcf_lattice);

/* Nodes that params.all lists at the most. */
#define MAX_LISTED 1000000

/* The columns of sdc.lattice_node. */
typedef enum NodeColumn
{
	NODE_NODE,
	NODE_LEVELS,
	NODE_ANONYMOUS,
	NODE_OPTIMAL,
	NODE_SCORE,
	NODE_BOUND,
	NODE_SUPPRESSED,
	NODE_CLASSES,
	NODE_SMALLEST,
	NODE_CHECKED,
	NODE_NODES,
	NODE_COLUMNS
} NodeColumn;

static const char *const params_keys[] = {SDC_GENERALIZATION_PARAMS, "all",
										  NULL};

typedef struct Listing
{
	ReturnSetInfo *result;
	SdcGeneralization *problem;
	SdcLatticeResult search;
} Listing;

/* The levels of a node as an array, in the order of the keys. */
static Datum
node_array(const SdcGeneralization *problem, const uint8 *level)
{
	Datum element[SDC_LATTICE_MAX_KEYS];
	int i;

	for (i = 0; i < problem->keys; i++)
		element[i] = Int32GetDatum(level[i]);
	return PointerGetDatum(construct_array(element, problem->keys, INT4OID,
										   sizeof(int32), true, TYPALIGN_INT));
}

/* How far the search came is the same in each row. */
static void
put_search(const Listing *listing, Datum *values, bool *isnull)
{
	const SdcLatticeResult *search = &listing->search;

	values[NODE_BOUND] = Float8GetDatum(search->bound);
	isnull[NODE_BOUND] = isnan(search->bound);
	values[NODE_CHECKED] = Int64GetDatum(search->checked);
	values[NODE_NODES] = Int64GetDatum(search->nodes);
}

static void
put_node(const Listing *listing, const SdcLatticeNode *node, bool optimal)
{
	Datum values[NODE_COLUMNS];
	bool isnull[NODE_COLUMNS] = {false};

	values[NODE_NODE] = node_array(listing->problem, node->level);
	values[NODE_LEVELS] = JsonbPGetDatum(
		sdcpg_generalization_levels(listing->problem, node->level));
	values[NODE_ANONYMOUS] = BoolGetDatum(node->feasible);
	values[NODE_OPTIMAL] = BoolGetDatum(optimal);
	values[NODE_SCORE] = Float8GetDatum(node->score);
	isnull[NODE_SCORE] = isnan(node->score);
	values[NODE_SUPPRESSED] = Int64GetDatum(node->suppressed);
	values[NODE_CLASSES] = Int64GetDatum(node->classes);
	values[NODE_SMALLEST] = Int64GetDatum(node->smallest);
	isnull[NODE_SMALLEST] = node->classes == 0;
	put_search(listing, values, isnull);
	sdcpg_result_put(listing->result, values, isnull);
}

/* The row that says there is none. */
static void
put_nothing(const Listing *listing)
{
	Datum values[NODE_COLUMNS] = {0};
	bool isnull[NODE_COLUMNS];

	memset(isnull, true, sizeof(isnull));
	values[NODE_ANONYMOUS] = BoolGetDatum(false);
	values[NODE_OPTIMAL] = BoolGetDatum(false);
	isnull[NODE_ANONYMOUS] = isnull[NODE_OPTIMAL] = false;
	isnull[NODE_CHECKED] = isnull[NODE_NODES] = false;
	put_search(listing, values, isnull);
	sdcpg_result_put(listing->result, values, isnull);
}

static void
put_optima(const Listing *listing)
{
	const SdcLatticeResult *search = &listing->search;
	int64 i;

	if (!search->found)
		put_nothing(listing);
	else
		for (i = 0; i < Min(search->optima, SDC_LATTICE_MAX_OPTIMA); i++)
			put_node(listing, &search->optimum[i], search->proven);
}

static bool
put_visited(void *argument, const SdcLatticeNode *node)
{
	const Listing *listing = argument;
	double best = listing->search.best.score;

	put_node(listing, node,
			 node->feasible && listing->search.proven &&
				 node->score <= best + SDC_LATTICE_TIE * fabs(best));
	return true;
}

/* Stops when there are too many nodes to list them all. */
static void
check_size(const SdcGeneralization *problem)
{
	int64 nodes = problem->lattice ? sdc_lattice_nodes(problem->lattice) : 0;

	if (nodes > MAX_LISTED)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the lattice has " INT64_FORMAT
						" nodes, more than the %d that \"all\" lists",
						nodes, MAX_LISTED),
				 errhint("Give each key a range of levels in key \"levels\" "
						 "of argument \"params\".")));
}

/*
 * lattice(relation regclass, keys columns, sensitive columns, k integer,
 *         c float8, l float8, t float8, variant text, params jsonb)
 */
Datum
sdcf_lattice(PG_FUNCTION_ARGS)
{
	Listing listing;
	SdcGeneralizationArguments arguments;
	SdcPgHost *host;
	bool all;

	sdcpg_args_need(fcinfo, 0);
	arguments = sdcpg_generalization_arguments(fcinfo, 1, 2, 8);
	sdcpg_params_check(arguments.params, params_keys);
	all = sdcpg_params_boolean(arguments.params, "all", false);
	listing.problem = sdcpg_generalization_new(
		sdcpg_relation_find(PG_GETARG_OID(0)), &arguments);
	listing.result = sdcpg_result_begin(fcinfo);
	host = sdcpg_host_begin("lattice", CurrentMemoryContext);
	sdcpg_generalization_load(host, listing.problem);
	if (all)
		check_size(listing.problem);
	sdcpg_generalization_search(listing.problem, true, &listing.search);
	if (all)
		sdc_lattice_visit(listing.problem->lattice, put_visited, &listing);
	else
		put_optima(&listing);
	sdcpg_host_end(host);
	return (Datum) 0;
}
