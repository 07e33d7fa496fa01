/*
 * id_order.c
 *		Records in an order that only a seed and their ids decide.
 *
 * The rows are sorted by a hash of seed and id; equal ids then lie side by
 * side.  Different ids whose hashes are equal are put in the order of their
 * bytes.
 */
#include "postgres.h"

#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "pg/server/compat.h"
#include "pg/data/id_order.h"

/* FNV-1a, then mixed; the same on every machine. */
static uint64
hash_id(const char *id, uint64 seed)
{
	uint64 hash = UINT64CONST(0xcbf29ce484222325) ^ seed;

	for (; *id != '\0'; id++)
		hash = (hash ^ (unsigned char) *id) * UINT64CONST(0x100000001b3);
	return sdc_random_mix(hash);
}

/* Puts a row among those before it that have the same hash. */
static void
insert_row(int32 *order, const uint64 *hash, int32 place, char *const *id,
		   const char *relation, const char *name)
{
	for (; place > 0 && hash[place - 1] == hash[place]; place--)
	{
		int32 row = order[place];
		int compared = strcmp(id[order[place - 1]], id[row]);

		if (compared == 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNIQUE_VIOLATION),
					 errmsg("column \"%s\" of relation \"%s\" is not unique",
							name, relation),
					 errdetail("An id must tell every record apart.")));
		if (compared < 0)
			return;
		order[place] = order[place - 1];
		order[place - 1] = row;
	}
}

int32 *
sdcpg_id_order(SdcPgHost *host, char *const *id, int32 rows, uint64 seed,
			   const char *relation, const char *name)
{
	SdcHost *kernel = &host->kernel;
	int32 *order = sdc_new(kernel, int32, rows);
	uint64 *hash = sdc_new(kernel, uint64, rows);
	int32 i;

	seed = sdc_random_mix(seed + UINT64CONST(0x9e3779b97f4a7c15));
	for (i = 0; i < rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			kernel->poll(kernel, 0, 0);
		if (id[i] == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("column \"%s\" of relation \"%s\" holds a null",
							name, relation),
					 errdetail("An id must tell every record apart.")));
		order[i] = i;
		hash[i] = hash_id(id[i], seed);
	}
	sdc_sort_keys(kernel, hash, order, rows);
	for (i = 1; i < rows; i++)
		insert_row(order, hash, i, id, relation, name);
	kernel->release(kernel, hash);
	return order;
}
