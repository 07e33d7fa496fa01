/*
 * purchases.h
 *		Tables of purchases: which column is what, and queries that read them
 *		under fixed names.
 */
#ifndef SDC_TOPIC_PURCHASES_H
#define SDC_TOPIC_PURCHASES_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/execnodes.h"
#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/host.h"
#include "kernel/transaction/event_likelihood.h"
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

/* A column as a bit of SdcPurchases.wanted. */
#define SDC_PURCHASE_WANT(column) (1u << (column))

/* The moment of the column `at`, besides its day. */
#define SDC_PURCHASE_MOMENT SDC_PURCHASE_WANT(SDC_PURCHASE_COLUMNS)

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
 * their bytes, the day a date, the moment a timestamp, the numbers numeric;
 * and, unless NULL, the column id as text.  Rows without a customer are left
 * out.
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
 * Events as they are read, once for all channels; for this folder.
 * ----------------------------------------------------------------------
 */

/* The two sides of an attack. */
enum
{
	SDC_EVENTS_KNOWN, /* what the intruder knows of the original */
	SDC_EVENTS_SHOWN, /* what is released */
	SDC_EVENTS_SIDES
};

/*
 * Who has events.  Persons get numbers in the order of the bytes of their
 * names, once all tables and the link have been read.
 */
typedef struct SdcEventPersons
{
	SdcPgHost *host;
	SdcDictionary *name[SDC_EVENTS_SIDES];
	const int32 *rank[SDC_EVENTS_SIDES]; /* of each code */
	int32 count[SDC_EVENTS_SIDES];
	SdcFrameColumn id[SDC_EVENTS_SIDES]; /* their names, as texts */
	int32 *partner; /* of each shown person: the known one, or -1 */
} SdcEventPersons;

/*
 * A table of events: the person first, then columns that are codes of any
 * type, or days (bigint: since 2000-01-01), or moments (the same, in
 * microseconds).
 */
typedef struct SdcEventTable
{
	SdcFrame *frame[SDC_EVENTS_SIDES];
	int columns;                /* with the person */
	SdcDictionary **dictionary; /* of each column, NULL of days */
	const int32 **rank; /* of the codes of a column, once it was asked for */
} SdcEventTable;

/* The microseconds of a day. */
#define SDC_DAY_MICROSECONDS INT64CONST(86400000000)

/* Days that are no days: before and after all others. */
#define SDC_DAY_NEVER  (-2000000000)
#define SDC_DAY_ALWAYS 2000000000

/* What of a column goes into a mark. */
typedef enum SdcEventPartKind
{
	SDC_PART_CODE,
	SDC_PART_START, /* the first two letters of a text */
	SDC_PART_DAY,
	SDC_PART_MONTH,
	SDC_PART_WEEKDAY,
	SDC_PART_CLOCK, /* the time of day of a moment, in milliseconds */
	/* values that may have been moved, which are parts of nothing else: */
	SDC_PART_MOMENT, /* in days */
	SDC_PART_DAYS,   /* of a day */
	SDC_PART_NUMBER  /* also in the scale of sdc_event_scale */
} SdcEventPartKind;

/* A column of events, and what of it is a part of a mark. */
typedef struct SdcEventPart
{
	SdcEventPartKind kind;
	int column; /* of the table */
} SdcEventPart;

/* Parts of a mark at the most. */
#define SDC_MOST_PARTS 32

/*
 * Reads a table of events of one side; of both sides' queries the first column
 * is the person as text, and types are those of the frame (code or count).
 * Codes are shared by both sides.
 */
extern void sdcpg_events_read(SdcEventPersons *persons, SdcEventTable *table,
							  int side, const char *sql, int columns,
							  const SdcFrameType *types);

/*
 * Reads who is who by a query of masked and original names, and numbers the
 * persons of both sides, those of the link included.
 */
extern void sdcpg_events_number(SdcEventPersons *persons, const char *link);

/*
 * A channel of marks: of each event what its parts are together; an event
 * where one of them is NULL makes none.  On the known side a day stands for
 * all within so many days of it.
 */
extern void sdcpg_events_marks(const SdcEventPersons *persons,
							   SdcEventTable *table, const SdcEventPart *part,
							   int parts, int64 days,
							   SdcEventChannel *channel);

/*
 * A channel of marks from the days of a column: how many days lie between each
 * day of a person and the three before it.
 */
extern void sdcpg_events_gaps(const SdcEventPersons *persons,
							  const SdcEventTable *table, int column,
							  SdcEventChannel *channel);

/*
 * Channels of numbers, so many in a row: queries of both sides of the person
 * as text and the numbers.
 */
extern void sdcpg_events_numbers(const SdcEventPersons *persons,
								 const char *const *sql, int count,
								 SdcEventChannel *channel);

/* What is linked, and how. */
typedef struct SdcEventLinkage
{
	const SdcEventPersons *persons;
	SdcEventFiles files;
	bool assign; /* one to one: wherever that is possible, unless asked */
	bool assign_asked;
	uint64 seed;
	/* by person: is a record linked to him alone?  NULL: nobody asks */
	bool *told;
} SdcEventLinkage;

/* Has nobody more than one record, so that one to one makes sense? */
extern bool sdcpg_events_one_to_one(const SdcEventLinkage *linkage);

/* How many of the records are somebody's. */
extern int32 sdcpg_events_people(const SdcEventLinkage *linkage);

/*
 * What is found: the better of both ways to link, unless one is asked for.
 * One to one needs everybody; where that would cost too much some are linked,
 * each by itself.
 */
extern void sdcpg_events_link(const SdcAttack *row, const SdcAttackCase *of,
							  SdcEventLinkage *linkage, SdcLinkSuccess *found);

/* The share found, the better of guessing and single best links. */
extern double sdcpg_events_share(const SdcLinkSuccess *found);

/* The rows of sdc.link of all records. */
extern void sdcpg_events_put_links(SdcEventLinkage *linkage,
								   ReturnSetInfo *result,
								   int32 max_candidates);

/* ----------------------------------------------------------------------
 * Who is who by the set of items that a customer bought.
 * ----------------------------------------------------------------------
 */

/* The row "itemset" of the attacks, and keys of its params. */
extern void sdcpg_attack_itemset(const SdcAttack *attack,
								 const SdcAttackCase *of, SdcPgHost *host,
								 SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_itemset_params[];

/*
 * Stops unless the key "mapping" of its params can be one of
 * sdcpg_purchases_mapping; reads no data and not method: see SdcAttack.check.
 */
extern void sdcpg_itemset_check(const char *method, Jsonb *params);

/* Its methods; ends with NULL. */
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

/* As sdcpg_itemset_check, of the params of this row. */
extern void sdcpg_events_check(const char *method, Jsonb *params);

/* Its methods; ends with NULL. */
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

/* The tables that are released together. */
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

/*
 * The masked table of the persons with what tables that refer to it show of
 * each of them: a query, and the names (char *) of the columns that are added.
 * NULL where nothing is.
 */
extern char *sdcpg_joined_beside(const SdcJoined *joined, List **names);

/* The row "joined" of the attacks, and keys of its params. */
extern void sdcpg_attack_joined(const SdcAttack *attack,
								const SdcAttackCase *of, SdcPgHost *host,
								SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_joined_params[];

/* Its methods; ends with NULL. */
extern const char *const sdcpg_joined_methods[];

/* ----------------------------------------------------------------------
 * What masked purchases are still good for.
 *
 * with is the text of a WITH, as sdcpg_purchases_with and the others append
 * it, that names the original purchases o, the masked ones m and the link l.
 * ----------------------------------------------------------------------
 */

/*
 * Stops unless each masked id occurs once in l and no id is NULL; or, of what
 * is not "l", when a customer occurs twice in the cells of that name.
 */
extern void sdcpg_transactions_check(SdcPgHost *host, const char *with,
									 const char *what);

/*
 * cmae of 2016, mean over the cells of |mean price - mean price'|, where a
 * mean price is turnover by pieces; or of 2017: mean over customers of their
 * mean price over rows.  Cells are those of o; one that m lacks counts as 0.
 */
extern double sdcpg_transactions_cmae(SdcPgHost *host, const char *with,
									  bool of_2017);

/*
 * subset: largest mean difference of turnover of k customers in span days.
 * Money is counted in units of the smallest digit, of 1e-6 at the least.
 * Stops when l has fewer than k customers.
 */
extern double sdcpg_transactions_subset(SdcPgHost *host, const char *with,
										int32 k, int64 span);

/* RFM with so many classes; F is days, or invoices, with purchases. */
extern double sdcpg_transactions_rfm(SdcPgHost *host, const char *with,
									 int classes, bool by_invoice);

/*
 * Half of the sum over the items of |turnover - turnover'|, as a share of the
 * turnover: how much of it is on other items.
 */
extern double sdcpg_transactions_books(SdcPgHost *host, const char *with);

/* ut-jaccard: mean over l of the distances of the sets of items. */
extern double sdcpg_transactions_jaccard(SdcPgHost *host, const char *with);

#endif
