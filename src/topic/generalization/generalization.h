/*
 * generalization.h
 *		Full-domain generalization of a relation: the problem, read from SQL.
 *
 * Keys, hierarchies and models come from the arguments of sdc.lattice and
 * sdc.anonymize or from a stored strategy; the relation is counted, and the
 * kernel (kernel/generalization/lattice.h) searches.
 */
#ifndef SDC_TOPIC_GENERALIZATION_H
#define SDC_TOPIC_GENERALIZATION_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/frequency.h"
#include "host/data/target.h"
#include "host/server/host.h"
#include "kernel/generalization/generalization.h"
#include "kernel/generalization/lattice.h"
#include "kernel/generalization/lattice_count.h"
#include "kernel/risk/class_measures.h"
#include "kernel/risk/risk.h"
#include "kernel/table/frequency.h"
#include "topic/generalization/hierarchy.h"
#include "topic/registry/measures.h"

/*
 * params is {"importance": {"column": number}}: a number from 0.001 to 1000
 * for each column, 1 for those that are not named; NULL without the key.  A
 * name that is not among the columns stops with an error.
 */
extern double *sdcpg_importance_read(Jsonb *params,
									 const SdcRelationColumns *columns);

/* ----------------------------------------------------------------------
 * Models of privacy that a search must satisfy: bounds on the measures of
 * risk, by name.
 * ----------------------------------------------------------------------
 */

/* A bound on a measure; NAN, NULL and NIL where nothing is said. */
typedef struct SdcModel
{
	const SdcMeasure *measure;
	double bound;
	char *column; /* sensitive; NULL: all of them */
	double c;
	double threshold;
	double fraction;
	char *hierarchy;
	List *allowed; /* values as text (char *) */
	List *guarded;
} SdcModel;

/*
 * The list under the key "models" of an object: [{"measure": "l_entropy",
 * "column": "disease", ">=": 2}, ...] as SdcModel *; NIL without the key.
 * What is misspelt, what no search of these (SdcSearches) can take, and what
 * lacks a key that the measure needs, stops with an error.  *k, unless NULL,
 * is raised to the size of classes that models ask for.
 */
extern List *sdcpg_models_read(Jsonb *object, int searches, int32 *k);

/*
 * The sensitive columns that something is asked of: those that are named, or
 * declared; where nobody names any, and all is false, those that the models
 * name.  With all, something is asked of each of them besides the models; none
 * when neither that nor a model is about values.
 */
extern SdcRelationColumns sdcpg_models_sensitive(List *models,
												 const SdcRelation *relation,
												 ArrayType *names, bool all);

/* What was asked for of one sensitive column. */
typedef struct SdcModelColumn
{
	SdcClassRequest request;
	char *hierarchy; /* of SDC_CLASS_T_HIERARCHICAL, or NULL */
	List *allowed;
	List *guarded;
} SdcModelColumn;

/*
 * Adds the bounds that models set on a column to those that it has; of two on
 * one measure the stricter holds.  Two c, hierarchies or lists that differ
 * stop with an error.
 */
extern void sdcpg_models_of_column(List *models, const char *column,
								   SdcModelColumn *wanted);

/*
 * The bounds on the sizes of classes of a relation of so many records; NULL
 * when there are none.
 */
extern SdcSizeBounds *sdcpg_models_sizes(List *models, int64 records);

/*
 * The register of the population that the key "population" of an object names,
 * or NULL.  It must be there if a model needs it, and only then.
 */
extern SdcRelation *sdcpg_models_register(List *models, Jsonb *object);

/* What is asked of a column, in the codes of a dictionary. */
extern SdcClassRequest sdcpg_model_bind(SdcPgHost *host,
										const SdcModelColumn *wanted,
										SdcDictionary *dictionary);

/*
 * Marks the values of two lists in the slots of a request, each given as text
 * of the dictionary's type.  O(values * list).
 */
extern void sdcpg_model_lists(SdcHost *host, SdcClassRequest *request,
							  SdcDictionary *dictionary, List *allowed,
							  List *guarded);

/* ----------------------------------------------------------------------
 * Full-domain generalization.
 * ----------------------------------------------------------------------
 */

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

/* The problem: made by sdcpg_generalization_new, then loaded. */
typedef struct SdcGeneralization
{
	SdcPgHost *host;
	SdcGeneralizationArguments arguments;
	const SdcRelation *relation;
	int keys;
	SdcGeneralizationKey *key;
	List *models;                 /* of params, SdcModel * */
	int32 k;                      /* with what models ask for */
	const SdcRelation *people;    /* a register of the population, or NULL */
	SdcRelationColumns sensitive; /* those that have a model */
	SdcModelColumn *wanted;       /* of each */
	SdcGeneralizationMethod method;
	double suppression;         /* percent of the records */
	int64 max_checks;           /* 0: no limit */
	SdcLatticeSensitive *model; /* of each sensitive column */
	/* set by the caller: the table keeps rows by it; NULL: it does not */
	const SdcRelationColumn *id;
	/* set by sdcpg_generalization_load */
	SdcFrequencyTable table; /* what was counted, with rows if asked for */
	SdcFrequency *frequency; /* keys, then sensitive columns */
	SdcFrequency *of_people; /* keys of the register, or NULL */
	SdcSizeBounds *sizes;    /* NULL: none */
	SdcLatticeProblem problem;
	SdcLattice *lattice; /* NULL when there are no records */
} SdcGeneralization;

/* The keys of params that sdcpg_generalization_new reads. */
#define SDC_GENERALIZATION_PARAMS                                        \
	"hierarchies", "suppression", "metric", "mean", "factor", "weights", \
		"levels", "max_checks", "t_method", "nulls", "rls", "models",    \
		"population"

/*
 * The arguments of a call: keys name[] and params jsonb under these numbers,
 * and from the number sensitive on (sensitive name[], k integer, c float8,
 * l float8, t float8, variant text).
 */
extern SdcGeneralizationArguments
sdcpg_generalization_arguments(FunctionCallInfo fcinfo, int keys,
							   int sensitive, int params);

/*
 * Reads the problem; whatever does not fit stops with an error, before any row
 * is read.  Columns that are not named are those declared
 * (topic/registry/roles.h).  Stops when row-level security hides rows, unless
 * params.rls is "allow".  params must have been checked for its keys.
 */
extern SdcGeneralization *
sdcpg_generalization_new(const SdcRelation *relation,
						 const SdcGeneralizationArguments *arguments);

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

/*
 * number[c] becomes the number, from 0, of the class that class c of the keys
 * is in at a node; returns how many there are.  O(classes * keys).
 */
extern int32 sdcpg_generalization_classes(SdcGeneralization *problem,
										  const uint8 *level,
										  const SdcClasses *classes,
										  int32 *number);

/* {"key": level, ...} of a node. */
extern Jsonb *sdcpg_generalization_levels(const SdcGeneralization *problem,
										  const uint8 *level);

/* The name of the metric, as in params. */
extern const char *
sdcpg_generalization_metric(const SdcGeneralization *problem);

/* What is to be written. */
typedef struct SdcGeneralizationRelease
{
	SdcTarget *target;
	const uint8 *level; /* of each key */
	List *drop;         /* names of columns that are left out (char *) */
	bool remove;        /* leave records of failing classes out */
	bool few;           /* as they are too few to be a class */
	bool fails;         /* they are a class that fails the models */
	int64 suppressed;   /* records of failing classes */

	/* set by sdcpg_generalization_write */
	int64 records;
	/* of what was written, read again */
	int32 classes;  /* that are not the suppressed records */
	SdcSizes sizes; /* of these */
	const SdcGeneralizationClasses *judged;
} SdcGeneralizationRelease;

/*
 * Creates the target: the columns of the relation but those to drop; keys on
 * their levels, as text above level 0.  Records of classes that fail are left
 * out or get '*' in keys above level 0, NULL in keys on level 0.  One CREATE
 * TABLE AS; labels come from the hierarchies as they were applied to the
 * different values of each key, and are joined.
 */
extern void sdcpg_generalization_write(SdcGeneralization *problem,
									   SdcGeneralizationRelease *release);

/*
 * Words; each list ends with NULL: what l means (SdcGeneralizationMethod),
 * what becomes of records of failing classes, and what a node loses
 * (SdcLatticeMetric).
 */
extern const char *const sdcpg_diversity_words[];
extern const char *const sdcpg_outlier_words[];
extern const char *const sdcpg_generalization_metrics[];

#endif
