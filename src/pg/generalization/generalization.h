/*
 * generalization.h
 *		Full-domain generalization of a relation: the problem, read from SQL.
 *
 * Keys, hierarchies and models come from the arguments of sdc.lattice and
 * sdc.anonymize or from a stored strategy; the relation is counted, and the
 * kernel (kernel/generalization/lattice.h) searches.
 */
#ifndef SDC_PG_GENERALIZATION_H
#define SDC_PG_GENERALIZATION_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "kernel/generalization/lattice.h"
#include "pg/data/frequency.h"
#include "pg/generalization/hierarchy.h"
#include "pg/server/host.h"
#include "pg/call/relation.h"

/* How a class is held against l. */
typedef enum SdcGeneralizationMethod
{
	SDC_GENERALIZATION_DISTINCT,
	SDC_GENERALIZATION_ENTROPY,
	SDC_GENERALIZATION_RECURSIVE
} SdcGeneralizationMethod;

/* The arguments that say what is wanted; NULL and NAN when not given. */
typedef struct SdcGeneralizationArguments
{
	ArrayType *keys;
	ArrayType *sensitive;
	int32 k;
	double c;
	double l;
	double t;
	char *method;
	Jsonb *params;
} SdcGeneralizationArguments;

/* A key, its hierarchy, and the levels that may be taken. */
typedef struct SdcGeneralizationKey
{
	SdcRelationColumn column;
	char *hierarchy; /* NULL: the values, or * in place of all */
	int lowest;
	int highest; /* -1: the last one */
	double weight;
	/*
	 * Set by sdcpg_generalization_load.  NULL is a group of its own, but joins
	 * the others on a level where all are *.  Where another level has a single
	 * group, and there are NULLs, a group is added that has no values, so that
	 * one group means just this.
	 */
	SdcHierarchyMap *map;
	SdcDictionary *dictionary;
} SdcGeneralizationKey;

typedef struct SdcGeneralization
{
	SdcPgHost *host;
	SdcGeneralizationArguments arguments;
	const SdcRelation *relation;
	int keys;
	SdcGeneralizationKey *key;
	SdcRelationColumns sensitive; /* none when neither l nor t is given */
	SdcGeneralizationMethod method;
	double suppression;         /* percent of the records */
	int64 max_checks;           /* 0: no limit */
	SdcLatticeSensitive *model; /* of each sensitive column */
	/* set by sdcpg_generalization_load */
	SdcFrequency *frequency; /* keys, then sensitive columns */
	SdcLatticeProblem problem;
	SdcLattice *lattice; /* NULL when there are no records */
} SdcGeneralization;

/* The keys of params that sdcpg_generalization_new reads. */
#define SDC_GENERALIZATION_PARAMS                                        \
	"hierarchies", "suppression", "metric", "mean", "factor", "weights", \
		"levels", "max_checks", "t_method", "nulls", "rls"

/*
 * The arguments (keys name[], sensitive name[], k integer, c float8, l float8,
 * t float8, method text, params jsonb) of a call, the first of which has the
 * number first.
 */
extern SdcGeneralizationArguments
sdcpg_generalization_arguments(FunctionCallInfo fcinfo, int first);

/*
 * Reads the problem; whatever does not fit stops with an error, before any row
 * is read.  Columns that are not named are those declared
 * (pg/call/roles.h).  Stops when row-level security hides rows, unless
 * params.rls is "allow".  params must have been checked for its keys.
 */
extern SdcGeneralization *
sdcpg_generalization_new(const SdcRelation *relation,
						 const SdcGeneralizationArguments *arguments);

/*
 * The hierarchy that params.t_method gives to a sensitive column; NULL when it
 * has another distance, or t is not asked for.
 */
extern char *sdcpg_generalization_t_hierarchy(const SdcGeneralization *problem,
											  const char *column);

/* Counts the relation, applies the hierarchies and prepares the search. */
extern void sdcpg_generalization_load(SdcPgHost *host,
									  SdcGeneralization *problem);

/*
 * Searches.  Nothing found is an error when the search came to its end or not
 * a single node was found to be feasible, unless missing is allowed.
 */
extern void sdcpg_generalization_search(SdcGeneralization *problem,
										bool missing,
										SdcLatticeResult *result);

/* {"key": level, ...} of a node. */
extern Jsonb *sdcpg_generalization_levels(const SdcGeneralization *problem,
										  const uint8 *level);

/* The name of the metric, as in params. */
extern const char *
sdcpg_generalization_metric(const SdcGeneralization *problem);

#endif
