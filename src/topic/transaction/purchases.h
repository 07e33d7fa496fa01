/*
 * purchases.h
 *		Tables of purchases: which column is what, and queries that read them
 *		under fixed names.
 */
#ifndef SDC_TOPIC_PURCHASES_H
#define SDC_TOPIC_PURCHASES_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "topic/registry/attacks.h"

/* What a column of a table of purchases can be. */
typedef enum SdcPurchaseColumn
{
	SDC_PURCHASE_CUSTOMER,
	SDC_PURCHASE_INVOICE,
	SDC_PURCHASE_AT,
	SDC_PURCHASE_ITEM,
	SDC_PURCHASE_PRICE,
	SDC_PURCHASE_QUANTITY,
	SDC_PURCHASE_AMOUNT, /* of a row; else price by quantity */
	SDC_PURCHASE_COLUMNS
} SdcPurchaseColumn;

#define SDC_PURCHASE_WANT(column) (1u << (column))

/* A table of purchases; only the customer and wanted columns are set. */
typedef struct SdcPurchases
{
	SdcRelation *relation;
	unsigned wanted;
	SdcRelationColumn column[SDC_PURCHASE_COLUMNS];
} SdcPurchases;

/*
 * Operators in queries, which search_path must not choose.  A query is a
 * literal made of these.
 */
#define SDC_EQ    " OPERATOR(pg_catalog.=) "
#define SDC_NE    " OPERATOR(pg_catalog.<>) "
#define SDC_LT    " OPERATOR(pg_catalog.<) "
#define SDC_GT    " OPERATOR(pg_catalog.>) "
#define SDC_PLUS  " OPERATOR(pg_catalog.+) "
#define SDC_MINUS " OPERATOR(pg_catalog.-) "
#define SDC_TIMES " OPERATOR(pg_catalog.*) "
#define SDC_BY    " OPERATOR(pg_catalog./) "

/* The day that days are counted from. */
#define SDC_EPOCH "CAST('2000-01-01' AS pg_catalog.date)"

/*
 * Stops unless the argument "mapping" is NULL or an object of strings whose
 * keys are customer, invoice, at, item, price, quantity, amount, masked,
 * original.  Adds to it what sdc.declare says of a relation's person, time,
 * item and amount, where it does not name these itself; without a relation
 * (InvalidOid) it is only checked.
 */
extern Jsonb *sdcpg_purchases_mapping(Oid relation, Jsonb *mapping);

/*
 * Finds a table of purchases and the wanted columns; prices and quantities
 * must be numbers, times dates or timestamps.
 */
extern SdcPurchases sdcpg_purchases_find(Oid oid, Jsonb *mapping,
										 unsigned wanted);

/* Has the relation a column for a part that is not always there? */
extern bool sdcpg_purchases_has(const SdcRelation *relation, Jsonb *mapping,
								SdcPurchaseColumn part);

/*
 * Appends "name AS (SELECT ...)" for a WITH: the wanted columns as customer,
 * invoice, day, item, price, quantity and amount; the texts in the order of
 * their bytes, the day a date, the numbers numeric; and, unless NULL, the
 * column id as text.  Rows without a customer are left out.
 */
extern void sdcpg_purchases_with(StringInfo sql, const char *name,
								 const SdcPurchases *purchases,
								 const SdcRelationColumn *id);

/*
 * The same for a link: masked and original.  These columns are found by the
 * mapping; else they have these names, or are the only two of the relation.
 */
extern void sdcpg_purchases_link_with(StringInfo sql, const char *name,
									  const SdcRelation *link, Jsonb *mapping);

/*
 * The same for customers by cell: customer, and as one text the values of the
 * columns, NULL being a value.
 */
extern void sdcpg_purchases_cells_with(StringInfo sql, const char *name,
									   const SdcRelation *master,
									   Jsonb *mapping,
									   const SdcRelationColumns *columns);

/* ----------------------------------------------------------------------
 * Who is who by the set of items that a customer bought.
 * ----------------------------------------------------------------------
 */

/* The row "itemset" of the attacks, and keys of its params. */
extern void sdcpg_attack_itemset(const SdcAttack *attack,
								 const SdcAttackCase *of, SdcPgHost *host,
								 SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_itemset_params[];
extern void sdcpg_itemset_check(const char *method, Jsonb *params);
extern const char *const sdcpg_itemset_methods[];

/* ----------------------------------------------------------------------
 * Who is who by what is known of a person's events.
 * ----------------------------------------------------------------------
 */

/* The row "events" of the attacks, and keys of its params. */
extern void sdcpg_attack_events(const SdcAttack *attack,
								const SdcAttackCase *of, SdcPgHost *host,
								SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_events_params[];
extern void sdcpg_events_check(const char *method, Jsonb *params);
extern const char *const sdcpg_events_methods[];

/* ----------------------------------------------------------------------
 * Who is who by what several tables tell together.
 * ----------------------------------------------------------------------
 */

/* One of the tables. */
typedef struct SdcJoinedTable
{
	const SdcRelation *original;
	const SdcRelation *shown;  /* as it is released */
	const SdcRelation *linked; /* masked, but with the original's id */
	const char *id;            /* NULL: none */
	List *published; /* columns (char *) of shown; NIL: all of them */
	Jsonb *rules;    /* NULL: not known */
	bool plain;      /* a look-up table, which tells nothing of persons */
} SdcJoinedTable;

typedef struct SdcJoined
{
	int count;
	SdcJoinedTable *table;
	int person; /* the one that has a row for each person; -1: find it */
} SdcJoined;

/*
 * The table that has a row for each person: the only one that others refer to
 * by foreign keys and that refers to none; InvalidOid where there is none.
 */
extern Oid sdcpg_joined_person(const SdcJoined *joined);

/* The row "joined" of the attacks, and keys of its params. */
extern void sdcpg_attack_joined(const SdcAttack *attack,
								const SdcAttackCase *of, SdcPgHost *host,
								SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_joined_params[];
extern const char *const sdcpg_joined_methods[];

#endif
