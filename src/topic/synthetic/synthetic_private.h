/*
 * synthetic_private.h
 *		One table while its synthetic records are made.
 *
 * Between synthesize.c, which makes one table, and related.c, which makes
 * several that belong together, each of them in these steps.
 */
#ifndef SDC_TOPIC_SYNTHETIC_PRIVATE_H
#define SDC_TOPIC_SYNTHETIC_PRIVATE_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/data/target.h"
#include "host/server/host.h"
#include "kernel/base/random.h"
#include "kernel/mask/fake.h"
#include "kernel/synthetic/sequential.h"
#include "topic/mask/mask_write.h"
#include "topic/synthetic/row_checks.h"

/* A column that is withheld, and why. */
typedef struct SdcWithheld
{
	char *name;
	const char *reason;
} SdcWithheld;

/* How a column of fakes is made: see synthetic_fakes.c. */
typedef struct SdcSyntheticFake SdcSyntheticFake;

/* One table, from the columns that were asked for to the rows. */
typedef struct SdcSynthesis
{
	SdcPgHost *host;
	const SdcRelation *relation;
	const SdcRelation *like; /* whose keys, roles and constraints hold */
	SdcTarget *target;
	Jsonb *params;
	SdcRandom random;
	SdcRelationColumns all;     /* of the target, in their own order */
	SdcRelationColumns visited; /* those that are drawn, in their order */
	bool *numbered;             /* of all: a key that is made anew */
	SdcSyntheticFake **fake;    /* of all: NULL, it is drawn or numbered */
	List *withheld;
	int64 asked; /* records; 0: as many as there are */

	SdcFrame *frame;
	SdcDictionary **dictionary; /* of each visited column */
	int32 **code;               /* sorted: ranks of values */
	SdcSequentialColumn *column;
	SdcSequentialTask task;
	SdcSequentialRecords *records;
	SdcRowChecks *checks;       /* NULL: none */
	SdcRelationColumns checked; /* those visited, with their numbers there */
	int32 *modifier;            /* of the type of each visited column */
	bool made; /* was there a value for each record in each column? */

	/* of fakes: the record that is written, and of whom it is */
	bool has_fakes;
	int sex_column;  /* among those visited; -1: none */
	SdcFakeSex *sex; /* of each of its codes */
	uint64 person[4];
	SdcFakeSex person_sex;

	/* of a table among several: see related.c */
	bool related;
	List *left;       /* char *: columns that are keys to other tables */
	const char *from; /* what is read in place of the relation alone, and */
	List *extra;      /* char *: expressions that are read beside */
	int64 **value;    /* of each column of all what is written; NULL: as
					   * it is drawn or numbered; PG_INT64_MIN: NULL */
	bool *dropped;    /* of each record: it is not written; NULL: none is */
	int32 drops;
} SdcSynthesis;

/*
 * Sorts the columns that were asked for, all when names is NULL, into those
 * that are drawn, numbered and withheld; those in left are not looked at.
 */
extern void sdcpg_synthesis_columns(SdcSynthesis *synthesis, ArrayType *names);

/* Reads the originals as codes. */
extern void sdcpg_synthesis_load(SdcSynthesis *synthesis);

/* 64 bits that depend on the values, not on the order of the rows. */
extern uint64 sdcpg_synthesis_digest(const SdcSynthesis *synthesis);

/* Says what is to be drawn, under which constraints. */
extern void sdcpg_synthesis_task(SdcSynthesis *synthesis);

/* Do the CHECK constraints hold that visited column j is the last of? */
extern bool sdcpg_synthesis_admits(void *arg, int32 i, int j, int32 code,
								   double number);

/* Stops, and says for which column there was no value. */
extern void sdcpg_synthesis_failed(const SdcSynthesis *synthesis);

/*
 * Creates the target and writes the records that were made, which may be none;
 * it inherits what NULL means in the relation.
 */
extern void sdcpg_synthesis_write(SdcSynthesis *synthesis);

/*
 * Makes the target, empty, as a SELECT says, and opens it for rows with these
 * columns of the relation.
 */
extern SdcMaskSink *sdcpg_synthesis_target(SdcPgHost *host, SdcTarget *target,
										   const char *select,
										   const SdcRelation *relation,
										   const SdcRelationColumns *columns);

/*
 * How params.fakes says that a column is made; NULL when it does not name it.
 * Stops at a column that is no text and at an unknown kind.
 */
extern SdcSyntheticFake *sdcpg_synthetic_fake(const SdcSynthesis *synthesis,
											  const SdcRelationColumn *column);

/* Stops where params.fakes names what is no column of fakes in the tables. */
extern void sdcpg_synthetic_fakes_check(Jsonb *params, List *tables);

/* Begins with fakes, once all columns have been drawn. */
extern void sdcpg_synthetic_fakes_begin(SdcSynthesis *synthesis);

/* Draws the person of whom the fakes of record i are. */
extern void sdcpg_synthetic_fakes_next(SdcSynthesis *synthesis, int32 i);

/* A fake of that person, in the current memory context. */
extern Datum sdcpg_synthetic_fake_value(const SdcSynthesis *synthesis,
										const SdcSyntheticFake *fake);

/* What the result says of it. */
extern char *sdcpg_synthetic_fake_says(const SdcSyntheticFake *fake);

/* Puts the lines of what was done into the result. */
extern void sdcpg_synthesis_report(SdcSynthesis *synthesis,
								   ReturnSetInfo *result);

#endif
