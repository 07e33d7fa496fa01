/*
 * hierarchy_kind.h
 *		What the files of a hierarchy share: a kind, a rule, its parts.
 *
 * Only src/topic/generalization/hierarchy*.c include this.
 */
#ifndef SDC_TOPIC_HIERARCHY_KIND_H
#define SDC_TOPIC_HIERARCHY_KIND_H

#include "host/server/host.h"
#include "topic/generalization/hierarchy.h"

/*
 * A kind of hierarchy.  The last level of every kind but those with a table of
 * values is "*" for all values, and is not the kind's business.
 */
typedef struct SdcHierarchyKind
{
	const char *name;
	/* the keys of params, NULL last */
	const char *const *keys;
	/*
	 * makes the table of values from params, which is then kept in
	 * sdc.hierarchy_value; NULL: the kind computes
	 */
	struct SdcHierarchyTable *(*build)(SdcPgHost *host, Jsonb *params);
	/* what types it reads, for a message; NULL: all */
	const char *reads;
	bool (*accepts)(Oid base);
	/* fills detail and levels from params, or stops */
	void (*parse)(SdcHierarchyRule *rule, Jsonb *params);
	/* as sdcpg_hierarchy_label, for levels below the last, appending */
	bool (*label)(const SdcHierarchyRule *rule, SdcHierarchyInput *input,
				  Datum value, int level, StringInfo label);
	/*
	 * The range of numbers of the group of a value, for levels from 1 to the
	 * last but one, bounds may be infinite; NULL: groups have no width.
	 * Level 0: *low is the value, *high where its successor is (the same when
	 * values are continuous).
	 */
	void (*range)(const SdcHierarchyRule *rule, SdcHierarchyInput *input,
				  Datum value, int level, double *low, double *high);
	/* the domain that params give, false: none; NULL: never */
	bool (*domain)(const SdcHierarchyRule *rule, double *low, double *high);
} SdcHierarchyKind;

/* A hierarchy; made by sdcpg_hierarchy_find. */
struct SdcHierarchyRule
{
	const SdcHierarchyKind *kind;
	char *name;
	int levels;   /* level 0, and "*" if the kind has it, counted */
	void *detail; /* the kind's own */
};

/* The kinds. */
extern const SdcHierarchyKind sdcpg_hierarchy_table;
extern const SdcHierarchyKind sdcpg_hierarchy_order;
extern const SdcHierarchyKind sdcpg_hierarchy_prefix;
extern const SdcHierarchyKind sdcpg_hierarchy_interval;
extern const SdcHierarchyKind sdcpg_hierarchy_numeric;
extern const SdcHierarchyKind sdcpg_hierarchy_date;
extern const SdcHierarchyKind sdcpg_hierarchy_network;

/* Appends a value as the text that tables of values are searched for. */
extern void sdcpg_hierarchy_append_text(SdcHierarchyInput *input, Datum value,
										StringInfo text);

/* A value of a numeric type as a double, the nearest to its decimals. */
extern double sdcpg_hierarchy_number(const SdcHierarchyInput *input,
									 Datum value);

/* Is it an integer, float or numeric type?  No domain, no date, no boolean. */
extern bool sdcpg_hierarchy_is_number(Oid base);

/*
 * Texts and their numbers: the first text is 0, the next new one 1.  Memory is
 * that of the context in which it was made, and is counted as the host's
 * unless the host is NULL.
 */
typedef struct SdcHierarchyNames SdcHierarchyNames;

/* No texts yet; there is room for as many as are expected, 0 if unknown. */
extern SdcHierarchyNames *sdcpg_hierarchy_names_new(SdcPgHost *host,
													int32 texts);

/* The number of a text; a new one is kept and numbered. */
extern int32 sdcpg_hierarchy_names_add(SdcHierarchyNames *names,
									   const char *text, int length);

/* The number of a text, or -1. */
extern int32 sdcpg_hierarchy_names_find(const SdcHierarchyNames *names,
										const char *text, int length);

/* How many texts there are. */
extern int32 sdcpg_hierarchy_names_count(const SdcHierarchyNames *names);

/* The text with a number, 0 .. count - 1. */
extern char *sdcpg_hierarchy_names_text(const SdcHierarchyNames *names,
										int32 number);

/*
 * The rows of a hierarchy with a table of values: on each level the number of
 * the label of each row among the names of that level.  Level 0 are the
 * values; each occurs once, so that its number is that of its row.
 */
typedef struct SdcHierarchyTable
{
	int32 rows;
	int32 room;
	int levels;
	SdcHierarchyNames **names;
	int32 **label; /* label[level][row] */
} SdcHierarchyTable;

/*
 * An empty table; its memory is the current context, host as above.  There is
 * room for as many rows as are expected, 0 if unknown.
 */
extern SdcHierarchyTable *sdcpg_hierarchy_table_new(SdcPgHost *host,
													int levels, int32 rows);

/*
 * Appends a row of texts, one for each level.  A NULL, and a value that is
 * there already, stop with an error that tells positions.
 */
extern void sdcpg_hierarchy_table_add(SdcHierarchyTable *table, char **labels);

/* Stops unless there are rows and the levels nest. */
extern void sdcpg_hierarchy_table_check(SdcPgHost *host,
										const SdcHierarchyTable *table);

/* The text of a row on a level. */
extern char *sdcpg_hierarchy_table_text(const SdcHierarchyTable *table,
										int32 row, int level);

/* The label function of the kinds that have a table. */
extern bool sdcpg_hierarchy_table_label(const SdcHierarchyRule *rule,
										SdcHierarchyInput *input, Datum value,
										int level, StringInfo label);

/* A list in params, and the key that errors name. */
typedef struct SdcHierarchyList
{
	const char *key;
	int count;
	JsonbContainer *container;
} SdcHierarchyList;

/* The value of a key, or NULL when it is absent. */
extern JsonbValue *sdcpg_hierarchy_value(Jsonb *params, const char *key);

/* The list at a key; absent or empty stops when it is needed. */
extern SdcHierarchyList sdcpg_hierarchy_list(Jsonb *params, const char *key,
											 bool needed);

/*
 * Item i of a list, from 0: as it is; as a list itself; as text, also of a
 * number; as a whole number from low to high; as decimals.  Anything else
 * stops with an error that names the key and the position.
 */
extern JsonbValue *sdcpg_hierarchy_item(const SdcHierarchyList *list, int i);
extern SdcHierarchyList sdcpg_hierarchy_item_list(const SdcHierarchyList *list,
												  int i);
extern char *sdcpg_hierarchy_item_text(const SdcHierarchyList *list, int i);
extern int sdcpg_hierarchy_item_integer(const SdcHierarchyList *list, int i,
										int low, int high);
extern char *sdcpg_hierarchy_item_decimal(const SdcHierarchyList *list, int i);

/* The number at a key as decimals, NULL when it is absent. */
extern char *sdcpg_hierarchy_decimal(Jsonb *params, const char *key);

/* The domain of numbers at the key "domain"; false when it is absent. */
extern bool sdcpg_hierarchy_read_domain(Jsonb *params, double *domain);

/* Stops when there are too many levels; level 0 and "*" are counted. */
extern void sdcpg_hierarchy_check_levels(int levels);

/* Stops because element i (from 0) of a list does not nest in the others. */
extern void sdcpg_hierarchy_not_nested(const char *key, int i,
									   const char *detail);

#endif
