/*
 * itemset_linkage.c
 *		sdc.attack_itemset: who is who by the set of items.
 *
 * Each customer of one file is linked to all customers of the other whose
 * sets of items are most like its own, each with the same probability.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "kernel/transaction/nearest_sets.h"
#include "pg/call/args.h"
#include "pg/call/params.h"
#include "pg/disclosure/links.h"
#include "pg/server/compat.h"
#include "pg/server/result.h"
#include "pg/transaction/itemset_files.h"
#include "pg/transaction/purchases.h"
#include "pg/transaction/transaction_measures.h"

PG_FUNCTION_INFO_V1(sdcf_attack_itemset);

typedef enum ItemsetMethod
{
	METHOD_JACCARD,
	METHOD_CONTAINMENT,
	METHOD_TFIDF
} ItemsetMethod;

static const char *const methods[] = {"jaccard", "containment", "tfidf", NULL};
static const char *const directions[] = {"to_original", "to_masked", NULL};
static const char *const params_keys[] = {"direction", "max_candidates", NULL};

typedef struct ItemsetAttack
{
	ItemsetMethod method;
	bool to_masked;
	int32 max_candidates;
	const char *with;
} ItemsetAttack;

/* Reads the arguments; see sdcf_attack_itemset. */
static ItemsetAttack
read_arguments(FunctionCallInfo fcinfo)
{
	static const char *const names[] = {"original", "masked", "link",
										"method"};
	Jsonb *mapping = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	Jsonb *params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	StringInfo with = makeStringInfo();
	ItemsetAttack attack;
	int i;

	for (i = 0; i < lengthof(names); i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(names[i]);
	attack.method = (ItemsetMethod) sdcpg_args_choice(
		"method", PG_GETARG_TEXT_PP(3), methods);
	sdcpg_purchases_check_mapping(mapping);
	sdcpg_params_check(params, params_keys);
	attack.to_masked =
		sdcpg_params_choice(params, "direction", directions) == 1;
	attack.max_candidates = (int32) sdcpg_params_integer(
		params, "max_candidates", SDC_LINKS_CANDIDATES, 1,
		SDC_LINKS_CANDIDATES_LIMIT);
	for (i = 0; i < 2; i++)
	{
		SdcPurchases purchases = sdcpg_purchases_find(
			PG_GETARG_OID(i), mapping, SDC_PURCHASE_WANT(SDC_PURCHASE_ITEM));

		sdcpg_purchases_with(with, i == 0 ? "o" : "m", &purchases, NULL);
		appendStringInfoString(with, ", ");
	}
	sdcpg_purchases_link_with(with, "l", sdcpg_relation_find(PG_GETARG_OID(2)),
							  mapping);
	attack.with = with->data;
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
 *                method text, mapping jsonb, params jsonb)
 */
Datum
sdcf_attack_itemset(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	ItemsetAttack attack = read_arguments(fcinfo);
	SdcPgHost *host = sdcpg_host_begin("attack_itemset", CurrentMemoryContext);
	SdcItemsetFiles files;
	int64 *weight = NULL;

	sdcpg_transactions_check_link(host, attack.with);
	files = sdcpg_itemset_files_load(host, attack.with);
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
