/*
 * mask_plan.h
 *		What rules make of a relation, as one SELECT.
 *
 * The statement has one output column per column of the relation that is
 * written, in the order of the relation.  No value stands in its text: what
 * the rules say are parameters $1, $2, ...; names are qualified and quoted.
 */
#ifndef SDC_TOPIC_MASK_PLAN_H
#define SDC_TOPIC_MASK_PLAN_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

#include "host/call/catalog.h"
#include "host/call/relation.h"
#include "topic/mask/rules.h"

/* A column of the relation and what is written in its place. */
typedef struct SdcMaskColumn
{
	SdcRelationColumn column;
	const SdcRule *rule; /* NULL: written as it is */
	char generated;      /* as pg_attribute.attgenerated */
	bool read;           /* does the statement read it? */
	/* the output column as SQL over the alias r; NULL: as it is */
	char *value;
	bool is_text; /* becomes text, whatever it was */
	/* by its rule, or because it is generated from masked columns */
	bool masked;
} SdcMaskColumn;

/* A relation, its rules, and the statement as far as it was written. */
typedef struct SdcMaskPlan
{
	const SdcRelation *relation;
	SdcRules rules;
	bool in_place;
	uint64 seed;
	bool seeded; /* the seed was given by the caller */
	/* settle ties: the id, or the primary key; may be none */
	SdcRelationColumns order;
	int columns;
	SdcMaskColumn *column;
	/*
	 * rows of a copy, in random order and equal keys alike
	 * (sdcpg_target_shape); in place only what the next two say
	 */
	bool shaped;
	bool hides_order; /* in place: in random order */
	bool spread;      /* each server makes a copy of its own rows */
	List *keys;       /* char *: names of the keys that are written alike */
	List *gatherings; /* of figures of all rows: see mask_spread.c */
	/* and for rules whose rows must be together */
	List *partings;
	const char *part; /* while such a rule is written: the SQL of its part */
	const struct SdcTarget *parted; /* the rows with what became of them */
	const SdcRelation *whole;       /* then: the relation itself */
	SdcCatalogParameters parameters;
	/* "$1 = ..." of each parameter that is no secret */
	StringInfoData legend;
	/* computed below the output columns, ", expression AS name" each */
	StringInfoData helpers;
	int helper_count;
	const SdcRule *sample; /* of "*", or NULL */
	const SdcRule *table;  /* applied to what the others leave, or NULL */
} SdcMaskPlan;

/*
 * Plans rules for a relation; id is NULL or the argument of that name.  Stops
 * when a method cannot mask the type of a column, a column is generated, or a
 * key of a rule has a wrong value.  target names the copy; NULL is in place.
 */
extern SdcMaskPlan *sdcpg_mask_plan(const SdcRelation *relation, Jsonb *rules,
									const char *id, const text *target,
									bool seeded, uint64 seed);

/*
 * The columns that settle ties: the one that id names, or the declared id, or
 * the primary key, or none.
 */
extern SdcRelationColumns sdcpg_mask_plan_order(const SdcRelation *relation,
												const char *id);

/* The column of a rule in the plan. */
extern SdcMaskColumn *sdcpg_mask_plan_column(SdcMaskPlan *plan,
											 AttrNumber number);

/*
 * The window of a rule, "(PARTITION BY strata ORDER BY id)", and that of a
 * group in it, with a frame or "".
 */
extern char *sdcpg_mask_plan_window(const SdcMaskPlan *plan,
									const SdcRule *rule);
extern char *sdcpg_mask_plan_window_of(const SdcMaskPlan *plan,
									   const SdcRule *rule, const char *group,
									   const char *frame);

/*
 * Has the statement compute an expression before the output columns; returns
 * what stands for it in these.
 */
extern char *sdcpg_mask_plan_helper(SdcMaskPlan *plan, const char *sql);

/* The n-th name, from 0, that is not the name of a column. */
extern char *sdcpg_mask_plan_unused(const SdcMaskPlan *plan, int n);

/* The columns of a rule, joined by commas: what its seed is made with. */
extern char *sdcpg_mask_plan_subject(const SdcRule *rule);

/*
 * Adds the value of a key of a rule to the parameters, and to the legend, as a
 * float8, an integer or a text, as its row says; returns what stands for it in
 * the statement, "$1".  The functions below add other values; they go into the
 * legend as well, but for seeds and where it is said.
 */
extern char *sdcpg_mask_bind_float(SdcMaskPlan *plan, const SdcRule *rule,
								   const char *key);
extern char *sdcpg_mask_bind_integer(SdcMaskPlan *plan, const SdcRule *rule,
									 const char *key);
extern char *sdcpg_mask_bind_text(SdcMaskPlan *plan, const SdcRule *rule,
								  const char *key);

/* The object under a key of a rule as jsonb: not in the legend. */
extern char *sdcpg_mask_bind_object(SdcMaskPlan *plan, const SdcRule *rule,
									const char *key);

/* Any integer, 0 as NULL: not in the legend. */
extern char *sdcpg_mask_bind_number(SdcMaskPlan *plan, int32 value);

/* The word of the variant of a rule. */
extern char *sdcpg_mask_bind_variant(SdcMaskPlan *plan, const SdcRule *rule);

/* The key of a rule as a value of the base type of a column. */
extern char *sdcpg_mask_bind_value(SdcMaskPlan *plan, const SdcRule *rule,
								   const char *key,
								   const SdcRelationColumn *column);

/* The seed of a rule as bigint. */
extern char *sdcpg_mask_bind_seed(SdcMaskPlan *plan, const SdcRule *rule);

/*
 * The same for a mask that draws strong random numbers without a seed: NULL
 * unless the caller gave one.
 */
extern char *sdcpg_mask_bind_draws(SdcMaskPlan *plan, const SdcRule *rule);

/* 128 strong random bits, new for each call, as bytea: not in the legend. */
extern char *sdcpg_mask_bind_key(SdcMaskPlan *plan);

/* Any float8 that was made from the seed: not in the legend. */
extern char *sdcpg_mask_bind_secret(SdcMaskPlan *plan, double value);

/* What a method can do with the type of a column. */
typedef enum SdcMaskTypeClass
{
	SDC_MASK_NUMBERS = 1, /* integers, floats, numeric */
	SDC_MASK_TIMES = 2,   /* date, timestamps */
	SDC_MASK_TEXTS = 4,   /* text, varchar, char */
	SDC_MASK_WORDS = 8,   /* what else goes to text and back: bool, uuid */
	SDC_MASK_ADDRESSES = 16,
	SDC_MASK_PLACES = 32 /* point */
} SdcMaskTypeClass;

/* Is the type of a column of one of the classes? */
extern bool sdcpg_mask_type_is(const SdcRelationColumn *column, int classes);

/* Stops unless it is. */
extern void sdcpg_mask_type_need(const SdcMaskPlan *plan, const SdcRule *rule,
								 const SdcRelationColumn *column, int classes);

/*
 * Stops unless the type of a column has an order, or the values of all columns
 * of a rule can be told apart.
 */
extern void sdcpg_mask_type_need_order(const SdcMaskPlan *plan,
									   const SdcRule *rule,
									   const SdcRelationColumn *column);
extern void sdcpg_mask_type_need_equality(const SdcMaskPlan *plan,
										  const SdcRule *rule);

/* r.column as float8. */
extern char *sdcpg_mask_type_number(const SdcRelationColumn *column);

/* A float8 as a value of the type of the column. */
extern char *sdcpg_mask_type_from_number(const SdcMaskPlan *plan,
										 const SdcRelationColumn *column,
										 const char *sql);

/* A text as a value of the type of the column; too long is an error. */
extern char *sdcpg_mask_type_from_text(const SdcMaskPlan *plan,
									   const SdcRelationColumn *column,
									   const char *sql);

/*
 * A value of the base type of the column as one of the column: with its
 * length and, in place, its domain.
 */
extern char *sdcpg_mask_type_cast(const SdcMaskPlan *plan,
								  const SdcRelationColumn *column,
								  const char *sql);

#endif
