/*
 * ids.c
 *		Rows found by their id.
 *
 * An open hash table with linear probing, at most half full.
 */
#include "postgres.h"

#include "common/hashfn.h"

#include "host/data/frame.h"
#include "host/data/ids.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"

/* ----------------------------------------------------------------------
 * Records in an order that only a seed and their ids decide.
 *
 * The rows are sorted by a hash of seed and id; equal ids then lie side by
 * side.  Different ids whose hashes are equal are put in the order of their
 * bytes.
 * ----------------------------------------------------------------------
 */

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

/* ----------------------------------------------------------------------
 * Rows found by their id.
 *
 * An open hash table with linear probing, at most half full.
 * ----------------------------------------------------------------------
 */

/* The slot that holds an id, or the empty one where it belongs. */
static int32 *
find_slot(const SdcIds *ids, const char *id)
{
	uint32 at = hash_bytes((const unsigned char *) id, strlen(id)) & ids->mask;

	while (ids->slot[at] >= 0 &&
		   strcmp(sdcpg_frame_text(ids->column, ids->slot[at]), id) != 0)
		at = (at + 1) & ids->mask;
	return &ids->slot[at];
}

SdcIds
sdcpg_ids_create(const SdcFrame *frame, int column, const char *relation,
				 const char *name)
{
	SdcHost *host = &frame->host->kernel;
	SdcIds ids;
	uint64 slots = 16;
	int32 row;

	while (slots < (uint64) frame->rows * 2)
		slots *= 2;
	ids.column = &frame->column[column];
	ids.rows = frame->rows;
	ids.mask = slots - 1;
	ids.slot = sdc_new(host, int32, slots);
	memset(ids.slot, 0xff, slots * sizeof(int32));
	for (row = 0; row < frame->rows; row++)
	{
		int32 *slot;

		if (row % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (ids.column->isnull[row])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("column \"%s\" of relation \"%s\" holds a null",
							name, relation),
					 errdetail("An id must tell every record apart.")));
		slot = find_slot(&ids, sdcpg_frame_text(ids.column, row));
		if (*slot >= 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNIQUE_VIOLATION),
					 errmsg("column \"%s\" of relation \"%s\" is not unique",
							name, relation),
					 errdetail("An id must tell every record apart.")));
		*slot = row;
	}
	return ids;
}

int32
sdcpg_ids_find(const SdcIds *ids, const char *id)
{
	return *find_slot(ids, id);
}

int32 *
sdcpg_ids_partners(const SdcIds *ids, const SdcFrame *frame, int column,
				   int32 *found)
{
	SdcHost *host = &frame->host->kernel;
	int32 *partner = sdc_new(host, int32, (Size) frame->rows + 1);
	int32 row;

	*found = 0;
	for (row = 0; row < frame->rows; row++)
	{
		if (row % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		partner[row] =
			sdcpg_ids_find(ids, sdcpg_frame_text(&frame->column[column], row));
		*found += partner[row] >= 0;
	}
	if (*found == 0 && frame->rows > 0 && ids->rows > 0)
		ereport(WARNING,
				(errmsg("the two relations have no id in common"),
				 errdetail("No link can be right, so the attack finds no "
						   "risk whatever the data are."),
				 errhint("The id must be the same, written as text, in "
						 "both relations.")));
	return partner;
}

void
sdcpg_ids_release(SdcPgHost *host, SdcIds *ids)
{
	host->kernel.release(&host->kernel, ids->slot);
}
