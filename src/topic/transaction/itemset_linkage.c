/*
 * itemset_linkage.c
 *		sdc.attack_itemset: who is who by the set of items.
 *
 * Each customer of one file is linked to all customers of the other whose
 * sets of items are most like its own, each with the same probability.
 */
#include "postgres.h"

#include <math.h>

#include "access/attnum.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/transaction/item_sets.h"
#include "topic/attack/links.h"
#include "topic/registry/words.h"
#include "topic/transaction/purchases.h"

/* The customers of one file, in the order of the bytes of their ids. */
typedef struct SdcItemsetFile
{
	SdcFrame *ids; /* one text column */
	SdcItemSets sets;
} SdcItemsetFile;

typedef struct SdcItemsetFiles
{
	SdcItemsetFile original;
	SdcItemsetFile masked;
	int32 *partner; /* of each masked customer: the original one, or -1 */
} SdcItemsetFiles;

/* ----------------------------------------------------------------------
 * The sets of items of the customers of two tables, with the link.
 *
 * Purchases are read as codes.  The customers get their ranks in the order of
 * their ids, which is that of the list of ids read before.
 * ----------------------------------------------------------------------
 */

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

/*
 * Reads them; with is the text of the WITHs o, m and l (see purchases.h),
 * whose link must have been checked.  Customers that only the link names have
 * no items.  Items of both files share numbers.
 */
static SdcItemsetFiles
itemset_files_load(SdcPgHost *host, const char *with)
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

/* ----------------------------------------------------------------------
 * sdc.attack_itemset: who is who by the set of items.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_attack_itemset);

typedef enum ItemsetMethod
{
	METHOD_JACCARD,
	METHOD_CONTAINMENT,
	METHOD_TFIDF
} ItemsetMethod;

const char *const sdcpg_itemset_methods[] = {"jaccard", "containment", "tfidf",
											 NULL};
static const SdcKey params_keys[] = {
	SDC_TAKES_DIRECTION, SDC_TAKES_CANDIDATES("100"), {NULL}};

typedef struct ItemsetAttack
{
	ItemsetMethod method;
	bool to_masked;
	int32 max_candidates;
	const char *with;
} ItemsetAttack;

/* The text of the WITHs that the files are read by. */
static const char *
purchases_with(Oid original, Oid masked, Oid link, Jsonb *mapping)
{
	StringInfo with = makeStringInfo();
	int i;

	for (i = 0; i < 2; i++)
	{
		SdcPurchases purchases =
			sdcpg_purchases_find(i == 0 ? original : masked, mapping,
								 SDC_PURCHASE_WANT(SDC_PURCHASE_ITEM));

		sdcpg_purchases_with(with, i == 0 ? "o" : "m", &purchases, NULL);
		appendStringInfoString(with, ", ");
	}
	sdcpg_purchases_link_with(with, "l", sdcpg_relation_find(link), mapping);
	return with->data;
}

/* Many masked sets may be of one original, so that is the usual way. */
static bool
to_masked(Jsonb *params)
{
	return sdcpg_params_has(params, "direction") &&
		   sdcpg_params_choice(params, "direction", sdcpg_direction_words) ==
			   SDC_TO_MASKED;
}

/* Reads the arguments; see sdcf_attack_itemset. */
static ItemsetAttack
read_arguments(FunctionCallInfo fcinfo)
{
	Jsonb *mapping = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	Jsonb *params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	ItemsetAttack attack;

	sdcpg_args_need_first(fcinfo, 4);
	attack.method = (ItemsetMethod) sdcpg_args_choice(
		"variant", PG_GETARG_TEXT_PP(3), sdcpg_itemset_methods);
	mapping = sdcpg_purchases_mapping(PG_GETARG_OID(0), mapping);
	sdcpg_params_check_keys(params, params_keys);
	attack.to_masked = to_masked(params);
	attack.max_candidates =
		(int32) sdcpg_keys_integer(params_keys, params, "max_candidates");
	attack.with = purchases_with(PG_GETARG_OID(0), PG_GETARG_OID(1),
								 PG_GETARG_OID(2), mapping);
	return attack;
}

/* Turns the link round; stops when a customer has several pseudonyms. */
static int32 *
turn_partners(SdcPgHost *host, const SdcItemsetFiles *files)
{
	int32 n = files->original.sets.sets;
	int32 *partner = sdc_new(&host->kernel, int32, (Size) n + 1);
	int32 i;

	for (i = 0; i < n; i++)
		partner[i] = -1;
	for (i = 0; i < files->masked.sets.sets; i++)
	{
		int32 original = files->partner[i];

		if (original < 0)
			continue;
		if (partner[original] >= 0)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_EXCEPTION),
					 errmsg("an original customer has more than one masked "
							"one"),
					 errhint("Attack one period at a time, or with the "
							 "direction to_original.")));
		partner[original] = i;
	}
	return partner;
}

/* Returns the rows of all customers of a file. */
static void
put_links(SdcPgHost *host, ReturnSetInfo *result, const ItemsetAttack *attack,
		  const SdcItemsetFile *from, const SdcItemsetFile *to,
		  const int32 *partner, const int64 *weight)
{
	SdcNearestSets search = sdc_nearest_sets_create(
		&host->kernel, &to->sets, weight, attack->method == METHOD_CONTAINMENT,
		from->sets.sets);
	SdcLinks links;
	int32 i;

	sdcpg_links_begin(&links, host, result, from->sets.sets);
	sdcpg_links_prepare_sets(&links, &to->ids->column[0], to->sets.sets,
							 attack->max_candidates);
	for (i = 0; i < from->sets.sets; i++)
	{
		sdcpg_links_begin_record(
			&links, sdcpg_frame_text(&from->ids->column[0], i), partner[i]);
		sdc_nearest_sets_find(&search, from->sets.item + from->sets.start[i],
							  sdc_item_sets_size(&from->sets, i));
		sdcpg_links_add(&links, search.row, search.rows);
		sdcpg_links_end_record(&links, 1 - search.likeness, false);
	}
	sdcpg_links_end(&links);
}

/*
 * attack_itemset(original regclass, masked regclass, link regclass,
 *                variant text, mapping jsonb, params jsonb)
 */
Datum
sdcf_attack_itemset(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	ItemsetAttack attack = read_arguments(fcinfo);
	SdcPgHost *host = sdcpg_host_begin("attack_itemset", CurrentMemoryContext);
	SdcItemsetFiles files;
	int64 *weight = NULL;

	sdcpg_transactions_check(host, attack.with, "l");
	files = itemset_files_load(host, attack.with);
	/* who knows the original knows how common its items are */
	if (attack.method == METHOD_TFIDF)
		weight = sdc_nearest_sets_weights(&host->kernel, &files.original.sets);
	if (attack.to_masked)
		put_links(host, result, &attack, &files.original, &files.masked,
				  turn_partners(host, &files), weight);
	else
		put_links(host, result, &attack, &files.masked, &files.original,
				  files.partner, weight);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * The attack "itemset".
 * ----------------------------------------------------------------------
 */

const SdcKey sdcpg_itemset_params[] = {
	{"link", SDC_KEY_TEXT, .needed = true, .need = sdcpg_relation_need},
	{"mapping", SDC_KEY_OBJECT},
	SDC_TAKES_DIRECTION,
	{NULL}};

void
sdcpg_itemset_check(const char *method, Jsonb *params)
{
	(void) sdcpg_purchases_mapping(InvalidOid,
								   sdcpg_params_object(params, "mapping"));
}

/* Counts the customers of a file whose best links are right. */
static void
count_links(const SdcAttack *row, const SdcAttackCase *of, SdcPgHost *host,
			const ItemsetAttack *attack, const SdcItemsetFile *from,
			const SdcItemsetFile *to, const int32 *partner,
			const int64 *weight, SdcAttackOutcome *outcome)
{
	SdcNearestSets search = sdc_nearest_sets_create(
		&host->kernel, &to->sets, weight, attack->method == METHOD_CONTAINMENT,
		from->sets.sets);
	const bool *marked = sdcpg_attack_sample(
		of, host, from->sets.sets, (double) from->sets.sets * to->sets.sets,
		row->budget);
	SdcLinkSuccess found = {0};
	int32 people = 0;
	int32 i;
	int32 r;

	for (i = 0; i < from->sets.sets; i++)
	{
		people += partner[i] >= 0;
		if (partner[i] < 0 || (marked != NULL && !marked[i]))
			continue;
		found.records++;
		sdc_nearest_sets_find(&search, from->sets.item + from->sets.start[i],
							  sdc_item_sets_size(&from->sets, i));
		for (r = 0; r < search.rows; r++)
			if (search.row[r] == partner[i])
			{
				sdcpg_success_add(&found, 1.0 / search.rows);
				found.unique_right += search.rows == 1;
			}
	}
	sdcpg_attack_links(outcome, &found, people);
}

void
sdcpg_attack_itemset(const SdcAttack *row, const SdcAttackCase *of,
					 SdcPgHost *host, SdcAttackOutcome *outcome)
{
	char *link = sdcpg_params_text(of->params, "link");
	ItemsetAttack attack = {METHOD_JACCARD};
	SdcItemsetFiles files;
	Jsonb *mapping = sdcpg_params_object(of->params, "mapping");
	int64 *weight = NULL;

	if (link == NULL)
	{
		outcome->reason = "params.link names no relation of masked and "
						  "original customers.";
		return;
	}
	attack.method = (ItemsetMethod) sdcpg_args_choice(
		"variant", cstring_to_text(of->method), sdcpg_itemset_methods);
	mapping = sdcpg_purchases_mapping(of->original->oid, mapping);
	attack.with = purchases_with(of->original->oid, of->masked->oid,
								 sdcpg_relation_oid(link), mapping);
	sdcpg_transactions_check(host, attack.with, "l");
	files = itemset_files_load(host, attack.with);
	if (attack.method == METHOD_TFIDF)
		weight = sdc_nearest_sets_weights(&host->kernel, &files.original.sets);
	if (to_masked(of->params))
		count_links(row, of, host, &attack, &files.original, &files.masked,
					turn_partners(host, &files), weight, outcome);
	else
		count_links(row, of, host, &attack, &files.masked, &files.original,
					files.partner, weight, outcome);
}
