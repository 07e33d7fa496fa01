/*
 * ut_transactions.c
 *		sdc.ut_transactions: the measures of PWSCUP 2017, row by row.
 *
 * Rows are aligned by id; a row of the original that the masked table lacks
 * was deleted.  Dates, prices and rows are one query; the similarities of
 * items come from the kernel.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/transaction/item_similarity.h"
#include "pg/call/args.h"
#include "pg/call/params.h"
#include "pg/call/report.h"
#include "pg/call/roles.h"
#include "pg/data/frame.h"
#include "pg/server/compat.h"
#include "pg/transaction/purchases.h"

PG_FUNCTION_INFO_V1(sdcf_ut_transactions);

static const char *const measures[] = {"itemcf_s", "itemcf_r", "topk", "date",
									   "price",    "nrow",     NULL};
static const char *const params_keys[] = {"k", "pieces", NULL};

#define LONGEST_MOVE 31

typedef struct Transactions
{
	SdcPgHost *host;
	const char *with;
	const char *subject;
	int32 k;
	double pieces;
	SdcItemQuantities file[2];
} Transactions;

/* The different ids, the rows, those kept, days moved, change of price. */
#define ROWS_DIFFER                                                       \
	", j AS (SELECT pg_catalog.abs(m.day" SDC_MINUS "o.day) AS days, "    \
	"LEAST(o.price, m.price) AS low, GREATEST(o.price, m.price) AS high " \
	"FROM o JOIN m ON m.id" SDC_EQ "o.id), "                              \
	"s AS (SELECT j.days, CASE WHEN j.low" SDC_LT "0 THEN 1 "             \
	"WHEN j.high" SDC_GT "0 THEN 1" SDC_MINUS "(j.low" SDC_BY "j.high) "  \
	"ELSE 0 END AS share FROM j) "                                        \
	"SELECT CAST(a.ids AS pg_catalog.float8), "                           \
	"CAST(a.n AS pg_catalog.float8), CAST(b.ids AS pg_catalog.float8), "  \
	"CAST(b.n AS pg_catalog.float8), CAST(c.n AS pg_catalog.float8), "    \
	"CAST(c.days AS pg_catalog.float8), "                                 \
	"CAST(c.share AS pg_catalog.float8) "                                 \
	"FROM (SELECT pg_catalog.count(DISTINCT o.id) AS ids, "               \
	"pg_catalog.count(*) AS n FROM o) AS a CROSS JOIN "                   \
	"(SELECT pg_catalog.count(DISTINCT m.id) AS ids, "                    \
	"pg_catalog.count(*) AS n FROM m) AS b CROSS JOIN "                   \
	"(SELECT pg_catalog.count(*) AS n, pg_catalog.sum(s.days) AS days, "  \
	"pg_catalog.sum(s.share) AS share FROM s) AS c"

#define QUANTITIES                                                      \
	" SELECT p.customer, p.item, "                                      \
	"CAST(pg_catalog.sum(p.quantity) AS pg_catalog.float8) "            \
	"FROM %s AS p WHERE p.item IS NOT NULL AND p.quantity IS NOT NULL " \
	"GROUP BY p.customer, p.item ORDER BY p.customer, p.item"

/* Reads the arguments; see sdcf_ut_transactions. */
static Transactions
read_arguments(FunctionCallInfo fcinfo)
{
	static const char *const names[] = {"original", "masked"};
	unsigned wanted = SDC_PURCHASE_WANT(SDC_PURCHASE_AT) |
					  SDC_PURCHASE_WANT(SDC_PURCHASE_ITEM) |
					  SDC_PURCHASE_WANT(SDC_PURCHASE_PRICE) |
					  SDC_PURCHASE_WANT(SDC_PURCHASE_QUANTITY);
	Jsonb *mapping = PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3);
	Jsonb *params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	StringInfo with = makeStringInfo();
	Transactions read;
	int i;

	memset(&read, 0, sizeof(read));
	for (i = 0; i < 2; i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(names[i]);
	if (PG_ARGISNULL(2))
		sdcpg_args_null("id");
	sdcpg_purchases_check_mapping(mapping);
	sdcpg_params_check(params, params_keys);
	read.k = (int32) sdcpg_params_integer(params, "k", 100, 1, INT32_MAX);
	read.pieces = sdcpg_params_number(params, "pieces", 11, 0, 1e300);
	for (i = 0; i < 2; i++)
	{
		SdcPurchases purchases =
			sdcpg_purchases_find(PG_GETARG_OID(i), mapping, wanted);
		SdcRelationColumn id = sdcpg_relation_column(
			purchases.relation, NameStr(*PG_GETARG_NAME(2)));

		if (i == 0)
			read.subject = purchases.relation->name;
		else
			appendStringInfoString(with, ", ");
		sdcpg_purchases_with(with, i == 0 ? "o" : "m", &purchases, &id);
	}
	read.with = with->data;
	return read;
}

/* Reads the quantities of both files, with items as ranks. */
static void
load_quantities(Transactions *read)
{
	static const char *const names[] = {"o", "m"};
	SdcFrameType types[3] = {SDC_FRAME_CODE, SDC_FRAME_CODE, SDC_FRAME_NUMBER};
	SdcDictionary *items = NULL;
	SdcFrame *frame[2];
	const int32 *rank;
	int f;
	int32 r;

	for (f = 0; f < 2; f++)
	{
		SdcDictionary *dictionary[3] = {NULL, items, NULL};
		char *format = psprintf("WITH %s" QUANTITIES, read->with, names[f]);

		frame[f] =
			sdcpg_frame_load_codes(read->host, format, 3, types, dictionary);
		items = dictionary[1];
		/* rows come in the order of the customers, and so do their codes */
		sdcpg_dictionary_sort(dictionary[0]);
		read->file[f].customers = sdcpg_dictionary_values(dictionary[0]);
	}
	rank = sdcpg_dictionary_sort(items);
	for (f = 0; f < 2; f++)
	{
		for (r = 0; r < frame[f]->rows; r++)
			frame[f]->column[1].code[r] = rank[frame[f]->column[1].code[r]];
		read->file[f].entries = frame[f]->rows;
		read->file[f].items = sdcpg_dictionary_values(items);
		read->file[f].customer = frame[f]->column[0].code;
		read->file[f].item = frame[f]->column[1].code;
		read->file[f].quantity = frame[f]->column[2].number;
	}
}

/* The larger of two distances on the items that sell best. */
static double
measure_top(Transactions *read)
{
	SdcHost *host = &read->host->kernel;
	int32 items = read->file[0].items;
	bool *top[2];
	int32 shared = 0;
	int32 either = 0;
	double jaccard;
	double similarity;
	int32 i;
	int f;

	for (f = 0; f < 2; f++)
	{
		top[f] = sdc_new(host, bool, (Size) items + 1);
		sdc_item_similarity_top(host, &read->file[f], read->k, top[f]);
	}
	for (i = 0; i < items; i++)
	{
		shared += top[0][i] && top[1][i];
		either += top[0][i] || top[1][i];
		top[0][i] = top[0][i] || top[1][i];
	}
	jaccard = either == 0 ? 0 : (double) (either - shared) / either;
	similarity = sdc_item_similarity_error(host, &read->file[0],
										   &read->file[1], top[0], INFINITY);
	return Max(jaccard, similarity);
}

static void
report_items(Transactions *read, SdcReport *report)
{
	SdcHost *host = &read->host->kernel;

	load_quantities(read);
	sdcpg_report_put(report, "itemcf_s", read->subject,
					 sdc_item_similarity_error(host, &read->file[0],
											   &read->file[1], NULL, INFINITY),
					 "How far the similarities of items differ.");
	sdcpg_report_put(
		report, "itemcf_r", read->subject,
		sdc_item_similarity_error(host, &read->file[0], &read->file[1], NULL,
								  read->pieces),
		"The same of customers with at most %g pieces of an item.",
		read->pieces);
	sdcpg_report_put(report, "topk", read->subject, measure_top(read),
					 "How far the %d items with most customers differ.",
					 read->k);
}

static void
report_rows(const Transactions *read, SdcReport *report)
{
	SdcFrameType types[7];
	SdcFrame *frame;
	double value[7];
	double rows;
	int j;

	for (j = 0; j < 7; j++)
		types[j] = SDC_FRAME_NUMBER;
	frame = sdcpg_frame_load(
		read->host, psprintf("WITH %s" ROWS_DIFFER, read->with), 7, types);
	for (j = 0; j < 7; j++)
		value[j] = frame->column[j].number[0];
	if (value[0] != value[1] || value[2] != value[3])
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("argument \"id\" must tell the rows apart"),
						errdetail("An id occurs twice or is NULL.")));
	rows = value[1];
	sdcpg_report_put(
		report, "date", read->subject, value[5] / (LONGEST_MOVE * rows),
		"Days that rows moved, as a share of %d for each row.", LONGEST_MOVE);
	sdcpg_report_put(report, "price", read->subject, value[6] / rows,
					 "Mean relative change of the price.");
	sdcpg_report_put(report, "nrow", read->subject, 1 - value[4] / rows,
					 "%.0f of %.0f rows are left.", value[4], rows);
}

/*
 * ut_transactions(original regclass, masked regclass, id name,
 *                 mapping jsonb, params jsonb)
 */
Datum
sdcf_ut_transactions(PG_FUNCTION_ARGS)
{
	SdcReport *report =
		sdcpg_report_begin(fcinfo, measures, lengthof(measures) - 1, NULL);
	Transactions read = read_arguments(fcinfo);

	read.host = sdcpg_host_begin("ut_transactions", CurrentMemoryContext);
	report_items(&read, report);
	report_rows(&read, report);
	sdcpg_host_end(read.host);
	return (Datum) 0;
}
