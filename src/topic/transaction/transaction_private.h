/*
 * transaction_private.h
 *		Events of persons as they are read, once for all channels.
 */
#ifndef SDC_TOPIC_TRANSACTION_PRIVATE_H
#define SDC_TOPIC_TRANSACTION_PRIVATE_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/host.h"
#include "kernel/transaction/event_likelihood.h"
#include "topic/registry/attacks.h"

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
 * type, or days (bigint: since 2000-01-01).
 */
typedef struct SdcEventTable
{
	SdcFrame *frame[SDC_EVENTS_SIDES];
	int columns;               /* with the person */
	SdcDictionary **dictionary; /* of each column, NULL of days */
	const int32 **rank; /* of the codes of a column, once it was asked for */
} SdcEventTable;

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
	SDC_PART_WEEKDAY
} SdcEventPartKind;

typedef struct SdcEventPart
{
	SdcEventPartKind kind;
	int column; /* of the table */
} SdcEventPart;

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
							   SdcEventTable *table,
							   const SdcEventPart *part, int parts, int64 days,
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

#endif
