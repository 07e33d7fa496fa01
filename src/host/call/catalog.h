/*
 * catalog.h
 *		sdc's own tables: read as the caller, written as their owner.
 *
 * Nobody but their owner, the owner of the extension, has the right to write
 * them; what may be written there is decided in C, before the write.
 */
#ifndef SDC_HOST_CATALOG_H
#define SDC_HOST_CATALOG_H

#include "postgres.h"

#include "executor/spi.h"
#include "nodes/execnodes.h"
#include "nodes/bitmapset.h"
#include "nodes/params.h"
#include "utils/jsonb.h"

#include "host/call/relation.h"

/*
 * The places in the list of the columns that a column is generated from; NULL
 * for a column that is generated from none of them.
 */
extern Bitmapset *sdcpg_generated_from(const SdcRelation *relation,
									   const SdcRelationColumn *column,
									   const SdcRelationColumns *columns);

/* The parameters $1, $2, ... of a statement at the most. */
#define SDC_CATALOG_MAX_PARAMETERS 320

/* The values of the parameters of a statement. */
typedef struct SdcCatalogParameters
{
	int count;
	Oid type[SDC_CATALOG_MAX_PARAMETERS];
	Datum value[SDC_CATALOG_MAX_PARAMETERS];
	char null[SDC_CATALOG_MAX_PARAMETERS]; /* 'n' or ' ', as SPI has it */
} SdcCatalogParameters;

/* Rows that were read; value[row][column], in memory of the caller. */
typedef struct SdcCatalogRows
{
	int64 count;
	int columns;
	Datum **value;
	bool **isnull;
} SdcCatalogRows;

/* A document of a row; NULL for NULL. */
extern Jsonb *sdcpg_catalog_jsonb(const SdcCatalogRows *rows, int64 row,
								  int column);

/* Appends a parameter; the first is $1. */
extern void sdcpg_catalog_bind(SdcCatalogParameters *parameters, Oid type,
							   Datum value, bool isnull);

/* The same for a text in the encoding of the database; NULL for NULL. */
extern void sdcpg_catalog_bind_text(SdcCatalogParameters *parameters,
									const char *value);

/*
 * The parameters as the executor takes them, and room for more behind them;
 * NULL when there is none, as SPI does it: others rely on that.
 */
extern ParamListInfo
sdcpg_catalog_parameter_list(const SdcCatalogParameters *parameters, int more);

/* Stops unless the caller owns the relation, as superusers do of all. */
extern void sdcpg_catalog_need_owner(const SdcRelation *relation);

/*
 * Runs one INSERT, UPDATE or DELETE on the table of the schema sdc that has
 * that name, as the owner of this table, and returns how many rows it wrote.
 * The statement must be a constant of the code, with every name in it
 * qualified and every value a parameter; the caller's right to the write must
 * have been checked before.  Each call sees what calls before it wrote, and
 * what other sessions committed.
 */
extern uint64 sdcpg_catalog_write(const char *table, const char *sql,
								  const SdcCatalogParameters *parameters);

/*
 * Adds many rows to the table of the schema sdc that has that name, without a
 * statement: value[j][i] is column j of row i, NULL where isnull[j] is there
 * and says so.  The table has these columns, and no triggers.  Rows that are
 * added in order lie in order behind all others, and fill no room between
 * them.  As above, the caller's right must have been checked before.
 */
extern void sdcpg_catalog_insert(const char *table, int rows, int columns,
								 const Datum *const *value,
								 const bool *const *isnull, bool ordered);

/* The same for a statement that stands in the code: its plan is kept. */
extern uint64
sdcpg_catalog_write_often(const char *table, const char *sql,
						  const SdcCatalogParameters *parameters);

/*
 * Runs a SELECT with the rights of the caller and the snapshot of the calling
 * statement, and returns all rows.  The same holds for the statement.
 */
extern SdcCatalogRows *
sdcpg_catalog_read(const char *sql, const SdcCatalogParameters *parameters);

/*
 * The same for a statement that stands in the code and has parameters: its
 * plan is kept.
 */
extern SdcCatalogRows *
sdcpg_catalog_read_often(const char *sql,
						 const SdcCatalogParameters *parameters);

/*
 * The same as the owner of the table of the schema sdc that has that name,
 * for what the caller must not see; he is shown what follows from it, at the
 * most.  Sees what calls before it wrote, and what other sessions committed,
 * as far as the transaction sees it.
 */
extern SdcCatalogRows *
sdcpg_catalog_read_owned(const char *table, const char *sql,
						 const SdcCatalogParameters *parameters);

/*
 * The same with what is committed by now, also in a transaction that began
 * before: for what may be taken away, such as budgets and keys.  The
 * statement stands in the code: its plan is kept.
 */
extern SdcCatalogRows *
sdcpg_catalog_read_latest(const char *table, const char *sql,
						  const SdcCatalogParameters *parameters);

/*
 * To the end of the transaction no server of Citus calls a function of others
 * in place of one of pg_catalog for statements of sdc, if a relation is one of
 * Citus, or reads one, as the function says.
 */
extern void sdcpg_catalog_name_safely(Oid relation,
									  bool (*is_of_citus)(Oid relation));

/*
 * Calls work, which runs a statement that sdc has written, as
 * sdcpg_error_hidden does, and with names that are safe, as above.
 */
extern void sdcpg_catalog_hidden(const char *sql, void (*work)(void *arg),
								 void *arg);

/*
 * Sets search_path, to the end of the level of settings, and keeps it so while
 * statements are run.
 */
extern void sdcpg_catalog_look_in(const char *path);

/*
 * Runs a statement that sdc has written as the caller, within a connection to
 * SPI; its result is in SPI's variables.  An error does not show it, for it
 * may hold values, and names that are nobody's business.  parameters may be
 * NULL.
 */
extern void sdcpg_catalog_run(const char *sql,
							  const SdcCatalogParameters *parameters,
							  bool read_only);

/* Prepares one in the same way; options are those of a cursor, or 0. */
extern SPIPlanPtr sdcpg_catalog_prepare(const char *sql,
										const SdcCatalogParameters *parameters,
										int options);

/*
 * Runs one in a connection of its own and under the snapshot of the calling
 * statement; returns how many rows there were.
 */
extern uint64
sdcpg_catalog_run_as_seen(const char *sql,
						  const SdcCatalogParameters *parameters);

/*
 * Runs a function that reads the table of the schema sdc that has that name
 * as the owner of this table; the caller's right must have been checked.
 */
extern void sdcpg_catalog_as_owner(const char *table, void (*run)(void *arg),
								   void *arg);

/*
 * As sdcpg_catalog_read_owned for many rows, which become the rows of a
 * result one by one; they are not all in memory at a time.
 */
extern void sdcpg_catalog_return_owned(const char *table, const char *sql,
									   const SdcCatalogParameters *parameters,
									   ReturnSetInfo *result);

/* A name that nobody can guess, for a table that is dropped again. */
extern char *sdcpg_catalog_hidden_name(const char *prefix);

/* Ends such a name where the table is not dropped, but gets another name. */
#define SDC_LASTING_SUFFIX "_lasting"

/*
 * Is a name one of those, with anything behind it but that suffix?  Such a
 * table is dropped before the transaction ends.  It is not logged: readers of
 * the log, as the subscribers of a publication of the schema, would see ids
 * beside what is published, and the rows that are not.
 */
extern bool sdcpg_catalog_is_hidden(const char *name);

/* The owner of the table of the schema sdc that has that name. */
extern Oid sdcpg_catalog_owner(const char *table);

/*
 * Has the caller the rights of the role of that name?  Superusers have those
 * of every role, also of one that was dropped.
 */
extern bool sdcpg_catalog_has_rights_of(const char *role);

/* May the caller SELECT from the table of the schema sdc of that name? */
extern bool sdcpg_catalog_may_read(const char *table);

/*
 * Waits until no other transaction is about to add a row of that name to a
 * table of keys; the caller then looks again.  Until the transaction ends.
 */
extern void sdcpg_catalog_key_lock(const char *table, const char *name);

/*
 * Adds the row (name, key) to the table of keys of the schema sdc that has
 * that name: its first columns are a text and a bytea, and one behind them of
 * type timestamptz gets the time.  Neither a subscriber of a publication nor
 * another reader of decoded writes is sent the row.  As with
 * sdcpg_catalog_write, the caller's right must have been checked before.
 */
extern void sdcpg_catalog_key_add(const char *table, const char *name,
								  const bytea *key);

/*
 * Where the rows of a relation are, and what the workers of Citus know of sdc.
 * Of Citus only its catalog is used: on a server without it every relation is
 * here, and there are no workers.
 */
typedef enum SdcHome
{
	SDC_HOME_HERE,       /* in the relation itself, or on a foreign server */
	SDC_HOME_SHARD,      /* on this server, in a shard that Citus keeps */
	SDC_HOME_EVERYWHERE, /* on every server: a reference table */
	SDC_HOME_SPREAD      /* in shards on many servers: a distributed table */
} SdcHome;

/*
 * Where the rows of a relation are.  column becomes the name of the column
 * that says in which shard a row is, or NULL where there is none.
 */
extern SdcHome sdcpg_home_of(Oid relation, char **column);

/*
 * " TABLESAMPLE ..." that takes about so many rows from blocks all over a
 * table, or its partitions, always the same ones; "" where the table has fewer
 * rows than least, by what was counted or guessed by its size, or where it is
 * not all in heaps of this server.
 */
extern char *sdcpg_catalog_blocks(Oid relation, double rows, double least);

/* The shards of a distributed table; 0 for any other relation. */
extern int64 sdcpg_shards_of(Oid relation);

/* Is this server a worker of Citus?  Its sdc is written by the coordinator. */
extern bool sdcpg_is_worker(void);

/* Stops on a worker: the coordinator does it ("make a key"). */
extern void sdcpg_need_coordinator(const char *done);

/*
 * Makes the rows of one of sdc's own tables what they are here on all workers:
 * those whose column of that name has the value, or all where it is NULL.
 * Part of the transaction: all workers or none.  The rows travel as rows, not
 * as text of a statement, which a server might log.  Does nothing without
 * workers.
 */
extern void sdcpg_workers_mirror(const char *table, const char *column,
								 const char *value);

/*
 * Stops where a worker has another version of sdc than this server, or its
 * database another encoding.
 */
extern void sdcpg_workers_need_same(void);

/*
 * Has the rest of this transaction talk to each worker through one connection:
 * what is written there is seen by the connection that wrote it only.
 */
extern void sdcpg_workers_one_connection(void);

/*
 * Has every worker run take, a condition on the column content, which is the
 * value of jsonb that a SELECT gives here; returns how many workers there are.
 */
extern int64 sdcpg_workers_carry(const char *content, const char *take);

#endif
