/*
 * distributed.h
 *		Where the rows of a relation are, and what workers know of sdc.
 *
 * Of Citus only its catalog is used, so a server without it builds and runs
 * the same code: there every relation is here, and there are no workers.
 */
#ifndef SDC_HOST_DISTRIBUTED_H
#define SDC_HOST_DISTRIBUTED_H

#include "postgres.h"

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

/* The shards of a distributed table; 0 for any other relation. */
extern int64 sdcpg_shards_of(Oid relation);

/* Is this server a worker of Citus?  Its sdc is written by the coordinator. */
extern bool sdcpg_is_worker(void);

/* Stops on a worker; what is done is done on the coordinator ("make a key"). */
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
 * Has the rest of this transaction talk to each worker through one connection:
 * what is written there is seen by the connection that wrote it only.
 */
extern void sdcpg_workers_one_connection(void);

/* Gives the functions of schema sdc on all workers the rights they have here;
 * returns how many workers there are. */
extern int64 sdcpg_workers_grant(void);

#endif
