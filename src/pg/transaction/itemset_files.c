/*
 * itemset_files.c
 *		The sets of items of the customers of two tables, with the link.
 *
 * Purchases are read as codes.  The customers get their ranks in the order of
 * their ids, which is that of the list of ids read before.
 */
#include "postgres.h"

#include "pg/data/ids.h"
#include "pg/server/compat.h"
#include "pg/transaction/itemset_files.h"
#include "pg/transaction/purchases.h"

/* Purchases as read: codes of customers and items. */
typedef struct Pairs
{
	SdcFrame *frame;
	SdcDictionary *customers;
} Pairs;

static Pairs
load_pairs(SdcPgHost *host, const char *with, const char *file,
		   const char *side, SdcDictionary **items)
{
	SdcFrameType types[2] = {SDC_FRAME_CODE, SDC_FRAME_CODE};
	SdcDictionary *dictionary[2] = {NULL, *items};
	Pairs pairs;

	pairs.frame = sdcpg_frame_load_codes(
		host,
		psprintf("WITH %s SELECT p.customer, p.item FROM %s AS p "
				 "WHERE p.item IS NOT NULL "
				 "UNION ALL SELECT p.customer, NULL FROM %s AS p "
				 "WHERE p.item IS NULL "
				 "UNION ALL SELECT l.%s, NULL FROM l",
				 with, file, file, side),
		2, types, dictionary);
	pairs.customers = dictionary[0];
	*items = dictionary[1];
	return pairs;
}

static SdcFrame *
load_ids(SdcPgHost *host, const char *with, const char *file, const char *side)
{
	SdcFrameType types[1] = {SDC_FRAME_TEXT};

	return sdcpg_frame_load(
		host,
		psprintf("WITH %s SELECT u.customer FROM ("
				 "SELECT p.customer FROM %s AS p "
				 "UNION SELECT l.%s FROM l) AS u ORDER BY u.customer",
				 with, file, side),
		1, types);
}

/* Makes the sets; rows without an item only make customers known. */
static SdcItemSets
make_sets(SdcPgHost *host, Pairs *pairs, const int32 *item_rank, int32 items)
{
	const int32 *rank = sdcpg_dictionary_sort(pairs->customers);
	int32 *set = pairs->frame->column[0].code;
	int32 *item = pairs->frame->column[1].code;
	int32 n = 0;
	int32 r;
	SdcItemSets sets;

	for (r = 0; r < pairs->frame->rows; r++)
	{
		if (r % SDC_POLL_STEPS == 0)
			host->kernel.poll(&host->kernel, r, pairs->frame->rows);
		if (pairs->frame->column[1].isnull[r])
			continue;
		set[n] = rank[set[r]];
		item[n++] = item_rank[item[r]];
	}
	sets =
		sdc_item_sets_build(&host->kernel, n, set, item,
							sdcpg_dictionary_values(pairs->customers), items);
	sdcpg_frame_release(pairs->frame);
	return sets;
}

/* Finds who is who, and stops when a query gave other customers. */
static int32 *
load_partners(SdcPgHost *host, const char *with, SdcItemsetFiles *files)
{
	SdcFrameType types[2] = {SDC_FRAME_TEXT, SDC_FRAME_TEXT};
	SdcFrame *link = sdcpg_frame_load(
		host, psprintf("WITH %s SELECT l.masked, l.original FROM l", with), 2,
		types);
	SdcIds masked = sdcpg_ids_create(files->masked.ids, 0, "masked", "id");
	SdcIds original =
		sdcpg_ids_create(files->original.ids, 0, "original", "id");
	int32 *partner =
		sdc_new(&host->kernel, int32, (Size) files->masked.ids->rows + 1);
	int32 r;

	for (r = 0; r < files->masked.ids->rows; r++)
		partner[r] = -1;
	for (r = 0; r < link->rows; r++)
	{
		int32 row =
			sdcpg_ids_find(&masked, sdcpg_frame_text(&link->column[0], r));

		if (r % SDC_POLL_STEPS == 0)
			host->kernel.poll(&host->kernel, r, link->rows);
		if (row >= 0)
			partner[row] = sdcpg_ids_find(
				&original, sdcpg_frame_text(&link->column[1], r));
	}
	sdcpg_ids_release(host, &masked);
	sdcpg_ids_release(host, &original);
	sdcpg_frame_release(link);
	return partner;
}

SdcItemsetFiles
sdcpg_itemset_files_load(SdcPgHost *host, const char *with)
{
	SdcItemsetFiles files;
	SdcDictionary *items = NULL;
	Pairs original = load_pairs(host, with, "o", "original", &items);
	Pairs masked = load_pairs(host, with, "m", "masked", &items);
	const int32 *rank = sdcpg_dictionary_sort(items);
	int32 count = sdcpg_dictionary_values(items);

	files.original.ids = load_ids(host, with, "o", "original");
	files.masked.ids = load_ids(host, with, "m", "masked");
	files.original.sets = make_sets(host, &original, rank, count);
	files.masked.sets = make_sets(host, &masked, rank, count);
	if (files.original.sets.sets != files.original.ids->rows ||
		files.masked.sets.sets != files.masked.ids->rows)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("a relation did not give the same customers twice"),
				 errhint("A view must give the same rows each time it is "
						 "read.")));
	files.partner = load_partners(host, with, &files);
	return files;
}
