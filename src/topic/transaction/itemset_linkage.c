/*
 * itemset_linkage.c
 *		sdc.attack_itemset: who is who by the set of items; and
 *		sdc.attack_events: by whatever is known of a person's events.
 *
 * Each customer of one file is linked to all customers of the other whose
 * sets of items are most like its own, each with the same probability.  What
 * else can be known of events is made into sets like these, and into numbers.
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
#include "topic/transaction/transaction_utility.h"

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
 *
 * Each customer of one file is linked to all customers of the other whose
 * sets of items are most like its own, each with the same probability.
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

/* ----------------------------------------------------------------------
 * sdc.attack_events: who is who by what is known of a person's events.
 *
 * A channel is one way to look at the events of a person: the set of his
 * items, of his days, of both together, of the days between his days, his
 * turnover, how many events there are.  A query makes marks or numbers of the
 * events of each person, in the original and in the masked relation, and the
 * kernel learns from both, without being told who is who, how likely each
 * channel leaves them.
 *
 * The queries read the WITHs of purchases.h, one upon the other: ro, rm, rl
 * are the relations and the link as they are; eo, em, el have a person for
 * each period; ek are the events of eo that the intruder knows, ew these on
 * all days that he may be wrong by; and o, m, l are what a channel makes of
 * them.
 * ----------------------------------------------------------------------
 */

#define ITEM   SDC_PURCHASE_WANT(SDC_PURCHASE_ITEM)
#define AT     SDC_PURCHASE_WANT(SDC_PURCHASE_AT)
#define PRICE  SDC_PURCHASE_WANT(SDC_PURCHASE_PRICE)
#define PIECES SDC_PURCHASE_WANT(SDC_PURCHASE_QUANTITY)
#define AMOUNT SDC_PURCHASE_WANT(SDC_PURCHASE_AMOUNT)

/* A mark of several values; none where one of them is NULL. */
#define TEXT(x)    "CAST(" x " AS pg_catalog.text)"
#define JOIN       " OPERATOR(pg_catalog.||) ' ' OPERATOR(pg_catalog.||) "
#define PART(x)    JOIN TEXT(x)
#define SHORT_ITEM "pg_catalog.\"left\"(e.item, 2)"
#define MONTH \
	"pg_catalog.to_char(CAST(e.day AS pg_catalog.timestamp), 'YYYY-MM')"
#define NUMBER(x) "pg_catalog.trim_scale(" x ")"

typedef enum ChannelKind
{
	CHANNEL_MARKS,  /* text makes one of an event e */
	CHANNEL_GAPS,   /* of the days between days */
	CHANNEL_NUMBER, /* text makes one of all events e of a person */
	CHANNEL_END
} ChannelKind;

/*
 * One way to look at events.  A setting is one of the contest's (PWSCUP 2017):
 * it is tried by itself, and period by period.
 */
typedef struct Channel
{
	const char *name;
	ChannelKind kind;
	unsigned needs;
	bool setting;
	const char *text;
} Channel;

static const Channel channels[] = {
	{"items", CHANNEL_MARKS, ITEM, false, "e.item"},
	{"dates", CHANNEL_MARKS, AT, false, TEXT("e.day")},
	{"items_dates", CHANNEL_MARKS, ITEM | AT, false,
	 TEXT("e.day") PART("e.item")},
	{"items_months", CHANNEL_MARKS, ITEM | AT, false, MONTH PART("e.item")},
	{"intervals", CHANNEL_GAPS, AT, false, NULL},
	{"amounts", CHANNEL_MARKS, AMOUNT, false, TEXT(NUMBER("e.amount"))},
	{"turnover", CHANNEL_NUMBER, AMOUNT, false, "pg_catalog.sum(e.amount)"},
	{"counts", CHANNEL_NUMBER, 0, false, "pg_catalog.count(*)"},
	{"counts", CHANNEL_NUMBER, AT, false, "pg_catalog.count(DISTINCT e.day)"},
	{"counts", CHANNEL_NUMBER, ITEM, false,
	 "pg_catalog.count(DISTINCT e.item)"},
	{"counts", CHANNEL_NUMBER, PIECES, false, "pg_catalog.sum(e.quantity)"},
	{"s1", CHANNEL_MARKS, AT | PIECES, true,
	 TEXT("e.day") PART(NUMBER("e.quantity"))},
	{"s2", CHANNEL_MARKS, ITEM | PRICE, true,
	 SHORT_ITEM PART(NUMBER("e.price"))},
	{"s3", CHANNEL_MARKS, ITEM | PIECES, true,
	 SHORT_ITEM PART(NUMBER("e.quantity"))},
	{"s4", CHANNEL_MARKS, ITEM | AT, true, SHORT_ITEM PART("e.day")},
	{"s5", CHANNEL_MARKS, ITEM | PRICE | PIECES, true,
	 SHORT_ITEM PART(NUMBER("e.price")) PART(NUMBER("e.quantity"))},
	{"s6", CHANNEL_MARKS, ITEM | AT | PIECES, true,
	 SHORT_ITEM PART("e.day") PART(NUMBER("e.quantity"))},
	{NULL, CHANNEL_END}};

/* Variants; the first is for reports only, as it needs the truth. */
const char *const sdcpg_events_methods[] = {
	"strongest",    "all",       "items",   "dates",    "items_dates",
	"items_months", "intervals", "amounts", "turnover", "counts",
	"s1",           "s2",        "s3",      "s4",       "s5",
	"s6",           NULL};

#define ALL       "all"
#define STRONGEST sdcpg_events_methods[0]

/* Gaps are between a day and so many of those before it. */
#define GAP_DAYS 3

typedef enum Period
{
	PERIOD_NONE,
	PERIOD_WEEK,
	PERIOD_MONTH,
	PERIOD_QUARTER,
	PERIOD_YEAR
} Period;

static const char *const period_words[] = {"none",    "week", "month",
										   "quarter", "year", NULL};
static const char *const period_formats[] = {NULL, "IYYY-IW", "YYYY-MM",
											 "YYYY-Q", "YYYY"};

#define TAKES_EVENTS                                                     \
	{"period", SDC_KEY_WORD, .words = period_words},                     \
		{"known", SDC_KEY_INTEGER, .low = 1, .high = 1e9},               \
		{"days", SDC_KEY_INTEGER, .low = 0, .high = 366, .absent = "0"}, \
		SDC_TAKES_ASSIGNMENT

static const SdcKey event_keys[] = {
	TAKES_EVENTS, SDC_TAKES_CANDIDATES("100"), {NULL}};

const SdcKey sdcpg_events_params[] = {
	{"link", SDC_KEY_TEXT, .need = sdcpg_relation_need},
	{"mapping", SDC_KEY_OBJECT},
	TAKES_EVENTS,
	{NULL}};

typedef struct Events
{
	SdcPgHost *host;
	const char *variant;
	unsigned has; /* what both relations have */
	bool by_price;
	Period period;
	int64 known; /* events of a person; 0: all */
	int64 days;  /* that the intruder may be wrong by */
	bool assign; /* one to one: wherever that is possible, unless asked */
	bool assign_asked;
	uint64 seed;
	char *with; /* of ro, rm, rl to ew */

	/* what was read last */
	SdcItemsetFiles files;
	SdcEventFiles persons;
	SdcEventChannel channel[lengthof(channels)];
} Events;

/* ----------------------------------------------------------------------
 * The queries.
 * ----------------------------------------------------------------------
 */

/* The parts of purchases that both relations have. */
static unsigned
find_parts(const SdcRelation *original, const SdcRelation *masked,
		   Jsonb *mapping)
{
	unsigned has = 0;
	int i;

	for (i = SDC_PURCHASE_AT; i < SDC_PURCHASE_COLUMNS; i++)
		if (sdcpg_purchases_has(original, mapping, (SdcPurchaseColumn) i) &&
			sdcpg_purchases_has(masked, mapping, (SdcPurchaseColumn) i))
			has |= SDC_PURCHASE_WANT(i);
	return has;
}

/* The truth of a masked relation: a link, the rows' ids, or the names. */
static void
append_truth(StringInfo with, Oid link, const char *id, Jsonb *mapping)
{
	appendStringInfoString(with, ", ");
	if (OidIsValid(link))
		sdcpg_purchases_link_with(with, "rl", sdcpg_relation_find(link),
								  mapping);
	else if (id != NULL)
		appendStringInfoString(
			with,
			"rl AS (SELECT DISTINCT ON (x.masked) x.masked, x.original FROM "
			"(SELECT m.customer AS masked, o.customer AS original, "
			"pg_catalog.count(*) AS n FROM ro AS o JOIN rm AS m "
			"ON o.id" SDC_EQ "m.id GROUP BY m.customer, o.customer) AS x "
			"ORDER BY x.masked, x.n DESC, x.original)");
	else
		appendStringInfoString(with,
							   "rl AS (SELECT DISTINCT r.customer AS masked, "
							   "r.customer AS original FROM rm AS r)");
}

/* A person for each period, and the amount of each event. */
static void
append_periods(StringInfo with, const Events *events)
{
	const char *of = period_formats[events->period];
	const char *period =
		of == NULL
			? NULL
			: psprintf(" OPERATOR(pg_catalog.||) ' ' "
					   "OPERATOR(pg_catalog.||) pg_catalog.to_char(CAST("
					   "r.day AS pg_catalog.timestamp), '%s')",
					   of);
	int i;

	for (i = 0; i < 2; i++)
	{
		char side = "om"[i];

		appendStringInfo(with, ", e%c AS (SELECT r.customer%s AS customer",
						 side, period == NULL ? "" : period);
		if (events->has & AT)
			appendStringInfoString(with, ", r.day");
		if (events->has & ITEM)
			appendStringInfoString(with, ", r.item");
		if (events->has & PRICE)
			appendStringInfoString(with, ", r.price");
		if (events->has & PIECES)
			appendStringInfoString(with, ", r.quantity");
		if (events->has & AMOUNT)
			appendStringInfo(with, ", %s AS amount",
							 !events->by_price      ? "r.amount"
							 : events->has & PIECES ? "r.price" SDC_TIMES
													  "r.quantity"
													: "r.price");
		appendStringInfo(with, " FROM r%c AS r%s)", side,
						 period == NULL ? ""
										: " WHERE pg_catalog.isfinite(r.day)");
	}
	if (period == NULL)
		appendStringInfoString(
			with, ", el AS (SELECT r.masked, r.original FROM rl AS r)");
	else
		appendStringInfo(with,
						 ", el AS (SELECT DISTINCT k.masked%s AS masked, "
						 "k.original%s AS original FROM rl AS k JOIN rm AS r "
						 "ON r.customer" SDC_EQ
						 "k.masked WHERE pg_catalog.isfinite(r.day))",
						 period, period);
}

/* The events that the intruder knows, drawn by the seed. */
static void
append_known(StringInfo with, const Events *events)
{
	if (events->known == 0)
		appendStringInfoString(with, ", ek AS (SELECT * FROM eo)");
	else
		appendStringInfo(
			with,
			", ek AS (SELECT * FROM (SELECT e.*, pg_catalog.row_number() OVER "
			"(PARTITION BY e.customer ORDER BY pg_catalog.sha256("
			"pg_catalog.convert_to('" UINT64_FORMAT
			"' OPERATOR(pg_catalog.||) CAST(pg_catalog.to_jsonb(e) AS "
			"pg_catalog.text), 'UTF8'))) AS place FROM eo AS e) AS e "
			"WHERE e.place OPERATOR(pg_catalog.<=) " INT64_FORMAT ")",
			events->seed, events->known);
	if (events->days == 0)
		appendStringInfoString(with, ", ew AS (SELECT * FROM ek)");
	else
	{
		appendStringInfoString(with, ", ew AS (SELECT e.customer");
		if (events->has & ITEM)
			appendStringInfoString(with, ", e.item");
		if (events->has & PRICE)
			appendStringInfoString(with, ", e.price");
		if (events->has & PIECES)
			appendStringInfoString(with, ", e.quantity");
		if (events->has & AMOUNT)
			appendStringInfoString(with, ", e.amount");
		appendStringInfo(with,
						 ", e.day" SDC_PLUS
						 "g.d AS day FROM ek AS e CROSS JOIN "
						 "pg_catalog.generate_series(-%d, %d) AS g(d))",
						 (int) events->days, (int) events->days);
	}
}

/* What a channel of marks makes of the events of a WITH. */
static char *
marks_of(const Channel *channel, const char *events)
{
	if (channel->kind == CHANNEL_MARKS)
		return psprintf("SELECT e.customer, %s COLLATE pg_catalog.\"C\" "
						"AS item FROM %s AS e",
						channel->text, events);
	/* a gap that occurs twice makes two marks */
	return psprintf(
		"SELECT w.customer, CAST(w.gap AS pg_catalog.text) "
		"OPERATOR(pg_catalog.||) ' ' OPERATOR(pg_catalog.||) "
		"CAST(pg_catalog.row_number() OVER (PARTITION BY w.customer, w.gap) "
		"AS pg_catalog.text) COLLATE pg_catalog.\"C\" AS item FROM ("
		"SELECT d.customer, d.day" SDC_MINUS
		"pg_catalog.lag(d.day, g.n) OVER (PARTITION BY d.customer, g.n "
		"ORDER BY d.day) AS gap FROM (SELECT DISTINCT e.customer, e.day FROM "
		"%s AS e WHERE pg_catalog.isfinite(e.day)) AS d CROSS JOIN "
		"pg_catalog.generate_series(1, %d) AS g(n)) AS w "
		"WHERE w.gap IS NOT NULL UNION ALL "
		"SELECT DISTINCT e.customer, NULL FROM %s AS e",
		events, GAP_DAYS, events);
}

/* ----------------------------------------------------------------------
 * The persons, through the channels.
 * ----------------------------------------------------------------------
 */

/* The numbers of a channel, by the places of the persons in a file. */
static double *
load_numbers(Events *events, const Channel *channel, const char *file,
			 const SdcFrame *ids)
{
	SdcFrameType types[2] = {SDC_FRAME_TEXT, SDC_FRAME_NUMBER};
	SdcFrame *frame = sdcpg_frame_load(
		events->host,
		psprintf("WITH %s SELECT e.customer, %s AS amount "
				 "FROM %s AS e GROUP BY e.customer ORDER BY e.customer",
				 events->with, channel->text, file),
		2, types);
	double *number =
		sdc_new(&events->host->kernel, double, (Size) ids->rows + 1);
	int32 r = 0;
	int32 i;

	/* both are in the order of the persons */
	for (i = 0; i < ids->rows; i++)
	{
		const char *id = sdcpg_frame_text(&ids->column[0], i);

		number[i] = NAN;
		if (r < frame->rows && !frame->column[1].isnull[r] &&
			strcmp(sdcpg_frame_text(&frame->column[0], r), id) == 0)
			number[i] = sdc_event_scale(frame->column[1].number[r]);
		r += r < frame->rows &&
			 strcmp(sdcpg_frame_text(&frame->column[0], r), id) == 0;
	}
	sdcpg_frame_release(frame);
	return number;
}

/* Numbers the periods of the persons of a file, which their ids end with. */
static int32 *
number_parts(Events *events, const SdcFrame *ids, List **periods)
{
	int32 *part = sdc_new(&events->host->kernel, int32, (Size) ids->rows + 1);
	int32 i;

	for (i = 0; i < ids->rows; i++)
	{
		const char *id = sdcpg_frame_text(&ids->column[0], i);
		const char *space = strrchr(id, ' ');
		const char *period = space == NULL ? "" : space + 1;
		ListCell *cell;

		part[i] = 0;
		foreach (cell, *periods)
		{
			if (strcmp(lfirst(cell), period) == 0)
				break;
			part[i]++;
		}
		if (part[i] == list_length(*periods))
			*periods = lappend(*periods, pstrdup(period));
	}
	return part;
}

static void
load_marks(Events *events, const Channel *channel, SdcEventChannel *into)
{
	/* who is wrong by a day still knows how far days are apart, nearly */
	const char *known = channel->kind == CHANNEL_GAPS ? "ek" : "ew";
	SdcItemsetFiles files;

	into->is_number = false;
	files = itemset_files_load(
		events->host,
		psprintf("%s, o AS (%s), m AS (%s), "
				 "l AS (SELECT k.masked, k.original FROM el AS k)",
				 events->with, marks_of(channel, known),
				 marks_of(channel, "em")));
	into->known = files.original.sets;
	into->shown = files.masked.sets;
	events->files = files;
}

/* Is a channel one of a variant, and one that can be read? */
static bool
is_of(const Events *events, const Channel *channel, const char *variant)
{
	if (strcmp(variant, ALL) == 0)
	{
		if (channel->setting)
			return false;
	}
	else if (strcmp(variant, channel->name) != 0)
		return false;
	/* numbers of all events are not known to who knows some */
	if (channel->kind == CHANNEL_NUMBER && events->known > 0)
		return false;
	return (channel->needs & ~events->has) == 0;
}

/* The persons themselves, when no channel of marks has read them. */
static const Channel nobody = {"", CHANNEL_MARKS, 0, false,
							   "CAST(NULL AS pg_catalog.text)"};

/*
 * Reads what a variant shows; false when the relations do not have what it
 * needs.
 */
static bool
load_variant(Events *events, const char *variant)
{
	SdcEventChannel none;
	int count = 0;
	int i;

	events->files.partner = NULL;
	for (i = 0; channels[i].name != NULL; i++)
		if (channels[i].kind != CHANNEL_NUMBER &&
			is_of(events, &channels[i], variant))
			load_marks(events, &channels[i], &events->channel[count++]);
	if (events->files.partner == NULL)
		load_marks(events, &nobody, &none);
	for (i = 0; channels[i].name != NULL; i++)
	{
		SdcEventChannel *channel = &events->channel[count];

		if (channels[i].kind != CHANNEL_NUMBER ||
			!is_of(events, &channels[i], variant))
			continue;
		channel->is_number = true;
		channel->known_number = load_numbers(events, &channels[i], "eo",
											 events->files.original.ids);
		channel->shown_number =
			load_numbers(events, &channels[i], "em", events->files.masked.ids);
		count++;
	}
	memset(&events->persons, 0, sizeof(events->persons));
	events->persons.persons = events->files.original.ids->rows;
	events->persons.records = events->files.masked.ids->rows;
	events->persons.parts = 1;
	events->persons.channels = count;
	events->persons.channel = events->channel;
	if (events->period != PERIOD_NONE)
	{
		List *periods = NIL;

		events->persons.person_part =
			number_parts(events, events->files.original.ids, &periods);
		events->persons.record_part =
			number_parts(events, events->files.masked.ids, &periods);
		events->persons.parts = list_length(periods);
	}
	return count > 0;
}

/* ----------------------------------------------------------------------
 * The arguments of both ways to call it.
 * ----------------------------------------------------------------------
 */

/* The settings of the contest are tried month by month. */
static Period
usual_period(const char *variant)
{
	int i;

	for (i = 0; channels[i].name != NULL; i++)
		if (strcmp(channels[i].name, variant) == 0 && channels[i].setting)
			return PERIOD_MONTH;
	return PERIOD_NONE;
}

static void
read_event_params(Events *events, const SdcKey *keys, Jsonb *params)
{
	events->period = sdcpg_params_has(params, "period")
						 ? (Period) sdcpg_keys_choice(keys, params, "period")
						 : usual_period(events->variant);
	events->known = sdcpg_params_has(params, "known")
						? sdcpg_keys_integer(keys, params, "known")
						: 0;
	events->days = sdcpg_keys_integer(keys, params, "days");
	events->assign_asked = sdcpg_params_has(params, "assignment");
	events->assign = events->assign_asked &&
					 sdcpg_keys_choice(keys, params, "assignment") == 1;
}

pg_noreturn static void
refuse_variant(const Events *events)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_UNDEFINED_COLUMN),
		 errmsg("the relations do not show \"%s\" of anybody's events",
				events->variant),
		 errdetail("A column that it needs is not in both relations%s.",
				   events->known > 0
					   ? ", or it needs all events, and some are known"
					   : ""),
		 errhint(
			 "Say in argument \"mapping\", or once with sdc.declare, which "
			 "columns are the person, time, item and amount.")));
}

/* Is a column among those (char *) that are published?  NIL: all are. */
static bool
is_published(List *published, const SdcRelationColumn *column)
{
	return published == NIL || sdcpg_params_is_listed(published, column->name);
}

/* Takes away what will not be published; is it said whose events rows are? */
static bool
keep_published(Events *events, const SdcPurchases *masked, List *published)
{
	int i;

	for (i = SDC_PURCHASE_AT; i < SDC_PURCHASE_COLUMNS; i++)
		if ((events->has & SDC_PURCHASE_WANT(i)) &&
			!is_published(published, &masked->column[i]))
			events->has &= ~SDC_PURCHASE_WANT(i);
	return is_published(published, &masked->column[SDC_PURCHASE_CUSTOMER]);
}

/*
 * Finds the relations and writes the WITHs.  False when nobody will see whose
 * events the masked rows are.
 */
static bool
find_events(Events *events, Oid original, Oid masked, Oid link, const char *id,
			Jsonb *mapping, List *published)
{
	SdcRelation *file[2] = {sdcpg_relation_find(original),
							sdcpg_relation_find(masked)};
	StringInfo with = makeStringInfo();
	int i;

	mapping = sdcpg_purchases_mapping(original, mapping);
	events->has = find_parts(file[0], file[1], mapping);
	if (OidIsValid(link))
		id = NULL;
	for (i = 0; i < 2; i++)
	{
		SdcPurchases purchases = sdcpg_purchases_find(
			i == 0 ? original : masked, mapping, events->has);
		SdcRelationColumn column;

		if (i == 1 && !keep_published(events, &purchases, published))
			return false;
		if (id != NULL)
			column = sdcpg_relation_column(file[i], id);
		if (i > 0)
			appendStringInfoString(with, ", ");
		sdcpg_purchases_with(with, i == 0 ? "ro" : "rm", &purchases,
							 id == NULL ? NULL : &column);
	}
	events->by_price = !(events->has & AMOUNT);
	if (events->has & PRICE)
		events->has |= AMOUNT;
	if (!(events->has & AT))
	{
		if (events->period != PERIOD_NONE || events->days > 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("periods and days need the time of each event"),
					 errhint("Say in argument \"mapping\", or with "
							 "sdc.declare, which column it is.")));
	}
	append_truth(with, link, id, mapping);
	append_periods(with, events);
	append_known(with, events);
	events->with = with->data;
	sdcpg_transactions_check(
		events->host,
		psprintf("%s, l AS (SELECT k.masked, k.original FROM el AS k)",
				 events->with),
		"l");
	return true;
}

/* Has nobody more than one record, so that one to one makes sense? */
static bool
is_one_to_one(const Events *events)
{
	int32 n = events->persons.persons;
	bool *taken = sdc_new(&events->host->kernel, bool, (Size) n + 1);
	bool single = events->persons.records <= n;
	int32 j;

	memset(taken, 0, sizeof(bool) * (n + 1));
	for (j = 0; j < events->persons.records; j++)
	{
		int32 own = events->files.partner[j];

		if (own < 0)
			continue;
		single = single && !taken[own];
		taken[own] = true;
	}
	events->host->kernel.release(&events->host->kernel, taken);
	return single;
}

/* Rounds of learning, and records that are learned from. */
#define FIT_ROUNDS  4
#define FIT_RECORDS 2000

static SdcEventIntruder
start_intruder(Events *events)
{
	SdcEventIntruder intruder =
		sdc_event_intruder_create(&events->host->kernel, &events->persons);

	sdc_event_intruder_fit(&intruder, FIT_ROUNDS, FIT_RECORDS);
	return intruder;
}

/* ----------------------------------------------------------------------
 * sdc.attack_events.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_attack_events);

static void
put_event_links(Events *events, ReturnSetInfo *result, int32 max_candidates)
{
	SdcEventIntruder intruder = start_intruder(events);
	SdcLinkAssignment assignment = {0};
	SdcLinks links;
	int32 j;

	if (events->assign)
		assignment = sdc_event_intruder_assign(&intruder, events->seed);
	sdcpg_links_begin(&links, events->host, result, events->persons.records);
	sdcpg_links_prepare_sets(&links, &events->files.original.ids->column[0],
							 events->persons.persons, max_candidates);
	for (j = 0; j < events->persons.records; j++)
	{
		double best;

		sdcpg_links_begin_record(
			&links, sdcpg_frame_text(&events->files.masked.ids->column[0], j),
			events->files.partner[j]);
		sdc_event_intruder_best(&intruder, j);
		best = -intruder.best;
		if (!events->assign)
			sdcpg_links_add(&links, intruder.row, intruder.rows);
		else if (assignment.row[j] >= 0)
		{
			sdcpg_links_add(&links, &assignment.row[j], 1);
			best = -intruder.score[assignment.row[j]];
		}
		sdcpg_links_end_record(&links, best, false);
	}
	sdcpg_links_end(&links);
}

/*
 * attack_events(original regclass, masked regclass, id name, link regclass,
 *               variant text, mapping jsonb, params jsonb, seed bigint)
 */
Datum
sdcf_attack_events(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *mapping = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	Jsonb *params = PG_ARGISNULL(6) ? NULL : PG_GETARG_JSONB_P(6);
	Events events;
	int32 max_candidates;

	memset(&events, 0, sizeof(events));
	sdcpg_args_need_first(fcinfo, 2);
	sdcpg_args_need(fcinfo, 4);
	events.variant =
		sdcpg_events_methods[1 + sdcpg_args_choice("variant",
												   PG_GETARG_TEXT_PP(4),
												   sdcpg_events_methods + 1)];
	sdcpg_params_check_keys(params, event_keys);
	read_event_params(&events, event_keys, params);
	max_candidates =
		(int32) sdcpg_keys_integer(event_keys, params, "max_candidates");
	events.seed =
		PG_ARGISNULL(7) ? sdcpg_strong_seed() : (uint64) PG_GETARG_INT64(7);
	events.host = sdcpg_host_begin("attack_events", CurrentMemoryContext);
	(void) find_events(&events, PG_GETARG_OID(0), PG_GETARG_OID(1),
					   PG_ARGISNULL(3) ? InvalidOid : PG_GETARG_OID(3),
					   PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2)),
					   mapping, NIL);
	if (!load_variant(&events, events.variant))
		refuse_variant(&events);
	if (!events.assign_asked)
		events.assign = is_one_to_one(&events);
	else if (events.assign && !is_one_to_one(&events))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("several masked persons are one original person"),
				 errhint("Leave \"assignment\" out, or name a \"period\" "
						 "within which pseudonyms do not change.")));
	put_event_links(&events, result, max_candidates);
	sdcpg_host_end(events.host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * The attack "events": each channel alone and all together, and the one that
 * finds the most.
 * ----------------------------------------------------------------------
 */

void
sdcpg_events_check(const char *method, Jsonb *params)
{
	(void) sdcpg_purchases_mapping(InvalidOid,
								   sdcpg_params_object(params, "mapping"));
}

/* Adds how a record is linked: to the best persons. */
static void
count_best(Events *events, SdcEventIntruder *intruder, int32 j,
		   SdcLinkSuccess *found)
{
	int32 r;

	sdc_event_intruder_best(intruder, j);
	for (r = 0; r < intruder->rows; r++)
		if (intruder->row[r] == events->files.partner[j])
		{
			sdcpg_success_add(found, 1.0 / intruder->rows);
			found->unique_right += intruder->rows == 1;
		}
}

/* What one variant finds, of how many people. */
static int32
count_variant(const SdcAttack *row, const SdcAttackCase *of, Events *events,
			  bool assign, SdcLinkSuccess *found)
{
	SdcEventIntruder intruder = start_intruder(events);
	int32 records = events->persons.records;
	const bool *marked = sdcpg_attack_sample(
		of, events->host, records,
		(double) records * events->persons.persons * events->persons.channels,
		row->budget);
	SdcLinkAssignment assignment = {0};
	int32 people = 0;
	int32 j;

	memset(found, 0, sizeof(*found));
	assign = assign && marked == NULL;
	if (assign)
		assignment = sdc_event_intruder_assign(&intruder, events->seed);
	for (j = 0; j < records; j++)
	{
		int32 own = events->files.partner[j];

		people += own >= 0;
		if (own < 0 || (marked != NULL && !marked[j]))
			continue;
		found->records++;
		if (!assign)
			count_best(events, &intruder, j, found);
		else if (assignment.row[j] == own)
		{
			sdcpg_success_add(found, 1);
			found->unique_right++;
		}
	}
	return people;
}

/* The better of both ways to link, unless one is asked for. */
static int32
try_variant(const SdcAttack *row, const SdcAttackCase *of, Events *events,
			SdcLinkSuccess *found)
{
	bool can = is_one_to_one(events);
	int32 people = count_variant(
		row, of, events, events->assign_asked && events->assign && can, found);
	SdcLinkSuccess other;

	if (events->assign_asked || !can)
		return people;
	(void) count_variant(row, of, events, true, &other);
	if (Max(other.right, other.unique_right) >
		Max(found->right, found->unique_right))
		*found = other;
	return people;
}

static double
share_of(const SdcLinkSuccess *found)
{
	return found->records == 0
			   ? 0
			   : Max(found->right + found->error, found->unique_right) /
					 found->records;
}

void
sdcpg_attack_events(const SdcAttack *row, const SdcAttackCase *of,
					SdcPgHost *host, SdcAttackOutcome *outcome)
{
	char *link = sdcpg_params_text(of->params, "link");
	bool strongest = strcmp(of->method, STRONGEST) == 0;
	StringInfoData said;
	SdcLinkSuccess best = {0};
	int32 people = 0;
	int tried = 0;
	Events events;
	int v;

	memset(&events, 0, sizeof(events));
	events.host = host;
	events.variant = of->method;
	events.seed = of->seeded ? (uint64) of->seed : sdcpg_strong_seed();
	read_event_params(&events, sdcpg_events_params, of->params);
	if (!find_events(&events, of->original->oid, of->masked->oid,
					 link == NULL ? InvalidOid : sdcpg_relation_oid(link),
					 of->id, sdcpg_params_object(of->params, "mapping"),
					 of->published))
	{
		outcome->reason = "What is published does not tell whose events the "
						  "rows are.";
		return;
	}
	initStringInfo(&said);
	for (v = 1; sdcpg_events_methods[v] != NULL; v++)
	{
		const char *variant = sdcpg_events_methods[v];
		SdcLinkSuccess found;

		if (strongest ? usual_period(variant) != PERIOD_NONE
					  : strcmp(variant, of->method) != 0)
			continue;
		if (!load_variant(&events, variant))
			continue;
		people = try_variant(row, of, &events, &found);
		appendStringInfo(&said, "%s%s %.4g %%", tried++ > 0 ? ", " : "",
						 variant, 100 * share_of(&found));
		if (tried == 1 || share_of(&found) > share_of(&best))
			best = found;
	}
	if (tried == 0)
	{
		outcome->reason = "The relations show nothing that a person could be "
						  "known by through that channel.";
		return;
	}
	sdcpg_attack_links(outcome, &best, people);
	if (strongest && outcome->reason == NULL)
		outcome->parts = psprintf("Found by channel: %s.", said.data);
}
