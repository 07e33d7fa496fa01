/*
 * transaction_utility.c
 *		sdc.jaccard_distance, sdc.mean_price_error, sdc.turnover_error,
 *		sdc.customer_class_difference, sdc.item_set_distance,
 *		sdc.transaction_report: what masked purchases are still good for.
 *
 * The arguments become the WITHs of a query, and the measure its rest.
 */
#include "postgres.h"

#include <math.h>

#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/call/report.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/transaction/item_sets.h"
#include "kernel/transaction/recency_classes.h"
#include "kernel/transaction/subset_error.h"
#include "topic/transaction/purchases.h"

/* ----------------------------------------------------------------------
 * Measures of two tables of purchases, each from one or two queries.
 * ----------------------------------------------------------------------
 */

#define MOST_DIGITS 6

/* WITH, and then the query that format makes. */
static char *query(const char *with, const char *format, ...)
	pg_attribute_printf(2, 3);

static char *
query(const char *with, const char *format, ...)
{
	StringInfoData sql;
	int room;

	initStringInfo(&sql);
	appendStringInfo(&sql, "WITH %s", with);
	for (;;)
	{
		va_list args;

		va_start(args, format);
		room = appendStringInfoVA(&sql, format, args);
		va_end(args);
		if (room == 0)
			return sql.data;
		enlargeStringInfo(&sql, room);
	}
}

/* The first row of a query of bigints. */
static void
read_counts(SdcPgHost *host, const char *sql, int columns, int64 *value)
{
	SdcFrameType types[4] = {SDC_FRAME_COUNT, SDC_FRAME_COUNT, SDC_FRAME_COUNT,
							 SDC_FRAME_COUNT};
	SdcFrame *frame = sdcpg_frame_load(host, sql, columns, types);
	int j;

	for (j = 0; j < columns; j++)
		value[j] = frame->column[j].count[0];
	sdcpg_frame_release(frame);
}

/* One number from a query; NaN for NULL, stops when it is not finite. */
static double
transactions_number(SdcPgHost *host, const char *sql)
{
	SdcFrameType types[1] = {SDC_FRAME_FINITE};
	SdcFrame *frame = sdcpg_frame_load(host, sql, 1, types);
	double value = frame->rows == 0 || frame->column[0].isnull[0]
					   ? NAN
					   : frame->column[0].number[0];

	sdcpg_frame_release(frame);
	return value;
}

static void
check_link(SdcPgHost *host, const char *with)
{
	int64 count[3];

	read_counts(host,
				query(with,
					  " SELECT pg_catalog.count(DISTINCT l.masked), "
					  "pg_catalog.count(l.original), pg_catalog.count(*) "
					  "FROM l"),
				3, count);
	if (count[0] != count[2] || count[1] != count[2])
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("argument \"link\" must name each masked customer "
						"once, and an original one with each"),
				 errdetail("A masked customer occurs twice, or a customer is "
						   "NULL.")));
}

static void
check_cells(SdcPgHost *host, const char *with, const char *cells)
{
	int64 count[2];

	read_counts(host,
				query(with,
					  " SELECT pg_catalog.count(DISTINCT k.customer), "
					  "pg_catalog.count(*) FROM %s AS k",
					  cells),
				2, count);
	if (count[0] != count[1])
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("a customer occurs twice in a table of customers")));
}

void
sdcpg_transactions_check(SdcPgHost *host, const char *with, const char *what)
{
	if (strcmp(what, "l") == 0)
		check_link(host, with);
	else
		check_cells(host, with, what);
}

/* A WITH of mean prices by cell: of which, from which, by which cells. */
#define MEANS_2016                                                      \
	", u%s AS (SELECT s.cell, s.cost" SDC_BY "s.pieces AS price FROM (" \
	"SELECT k.cell, "                                                   \
	"pg_catalog.sum(p.price" SDC_TIMES "p.quantity) AS cost, "          \
	"pg_catalog.sum(p.quantity) FILTER (WHERE p.price IS NOT NULL) "    \
	"AS pieces FROM %s AS p JOIN k%s AS k ON k.customer" SDC_EQ         \
	"p.customer GROUP BY k.cell) AS s WHERE s.pieces" SDC_NE "0)"
#define MEANS_2017                                                     \
	", u%s AS (SELECT s.cell, pg_catalog.avg(s.price) AS price FROM (" \
	"SELECT k.cell, k.customer, pg_catalog.avg(p.price) AS price "     \
	"FROM %s AS p JOIN k%s AS k ON k.customer" SDC_EQ "p.customer "    \
	"WHERE p.price IS NOT NULL "                                       \
	"GROUP BY k.cell, k.customer) AS s GROUP BY s.cell)"
/* no cast to double precision in SQL: its error would show the number */
#define MEANS_DIFFER                                          \
	" SELECT pg_catalog.avg(pg_catalog.abs(a.price" SDC_MINUS \
	"COALESCE(b.price, 0))) AS price "                        \
	"FROM uo AS a LEFT JOIN um AS b ON b.cell" SDC_EQ "a.cell"

double
sdcpg_transactions_cmae(SdcPgHost *host, const char *with, bool of_2017)
{
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	appendStringInfo(&sql, "WITH %s", with);
	for (i = 0; i < 2; i++)
	{
		const char *file = i == 0 ? "o" : "m";

		if (of_2017)
			appendStringInfo(&sql, MEANS_2017, file, file, file);
		else
			appendStringInfo(&sql, MEANS_2016, file, file, file);
	}
	appendStringInfoString(&sql, MEANS_DIFFER);
	return transactions_number(host, sql.data);
}

#define BOOKS                                                           \
	" SELECT CAST(CASE WHEN pg_catalog.sum(b.o)" SDC_NE                 \
	"0 THEN pg_catalog.sum(pg_catalog.abs(b.o" SDC_MINUS "b.m))" SDC_BY \
	"(2" SDC_TIMES "pg_catalog.sum(b.o)) END AS "                       \
	"pg_catalog.float8) FROM (SELECT pg_catalog.sum(a.o) AS o, "        \
	"pg_catalog.sum(a.m) AS m FROM (SELECT p.item, p.price" SDC_TIMES   \
	"p.quantity AS o, 0 AS m FROM o AS p UNION ALL SELECT p.item, 0, "  \
	"p.price" SDC_TIMES "p.quantity FROM m AS p) AS a GROUP BY a.item) AS b"

double
sdcpg_transactions_books(SdcPgHost *host, const char *with)
{
	return transactions_number(host, query(with, BOOKS));
}

/* Turnover by linked customer and day, the original's with a minus. */
#define TURNOVER                                                         \
	", c AS (SELECT l.masked, l.original, pg_catalog.row_number() OVER " \
	"(ORDER BY l.masked)" SDC_MINUS "1 AS number FROM l), "              \
	"d AS (SELECT c.number, p.day, "                                     \
	"pg_catalog.sum(p.price" SDC_TIMES "p.quantity) AS amount "          \
	"FROM m AS p JOIN c ON c.masked" SDC_EQ "p.customer "                \
	"GROUP BY c.number, p.day UNION ALL SELECT c.number, p.day, "        \
	"0" SDC_MINUS "pg_catalog.sum(p.price" SDC_TIMES "p.quantity) "      \
	"FROM o AS p JOIN c ON c.original" SDC_EQ "p.customer "              \
	"GROUP BY c.number, p.day), "                                        \
	"e AS (SELECT d.number, d.day, d.amount FROM d "                     \
	"WHERE d.amount IS NOT NULL AND pg_catalog.isfinite(d.day))"

#define DIGITS                                                   \
	" SELECT CAST(COALESCE(LEAST(pg_catalog.max("                \
	"pg_catalog.scale(e.amount)), %d), 0) AS pg_catalog.int8), " \
	"CAST(CASE WHEN COALESCE("                                   \
	"pg_catalog.sum(pg_catalog.abs(e.amount)), 0)" SDC_LT        \
	"1000000000000 THEN 1 ELSE 0 END AS pg_catalog.int8), "      \
	"(SELECT pg_catalog.count(*) FROM l) FROM e"
#define DIFFERENCES                                                     \
	" SELECT e.number, CAST(e.day" SDC_MINUS SDC_EPOCH                  \
	" AS pg_catalog.int8), "                                            \
	"CAST(pg_catalog.round(pg_catalog.sum(e.amount)" SDC_TIMES "1e%d) " \
	"AS pg_catalog.int8) "                                              \
	"FROM e GROUP BY e.number, e.day ORDER BY e.day, e.number"

/* How many digits money has; stops when sums of it are too large. */
static int
count_digits(SdcPgHost *host, const char *with, int64 *customers)
{
	int64 count[3];

	read_counts(host, query(with, TURNOVER DIGITS, MOST_DIGITS), 3, count);
	if (count[1] == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("turnover is not finite, or 1e12 or more in all")));
	*customers = count[2];
	return (int) count[0];
}

/* The differences by day, in the order of the days. */
static SdcSubsetDay *
load_days(SdcPgHost *host, const char *with, int digits, int32 *count)
{
	SdcFrameType types[3] = {SDC_FRAME_COUNT, SDC_FRAME_COUNT,
							 SDC_FRAME_COUNT};
	SdcFrame *frame = sdcpg_frame_load(
		host, query(with, TURNOVER DIFFERENCES, digits), 3, types);
	SdcSubsetDay *days =
		sdc_new(&host->kernel, SdcSubsetDay, (Size) frame->rows + 1);
	int32 r;

	for (r = 0; r < frame->rows; r++)
	{
		days[r].customer = (int32) frame->column[0].count[r];
		days[r].day = frame->column[1].count[r];
		days[r].difference = frame->column[2].count[r];
	}
	*count = frame->rows;
	sdcpg_frame_release(frame);
	return days;
}

double
sdcpg_transactions_subset(SdcPgHost *host, const char *with, int32 k,
						  int64 span)
{
	int64 customers;
	int digits = count_digits(host, with, &customers);
	SdcSubsetDay *days;
	int32 count;
	int64 worst;

	if (customers == 0)
		return NAN;
	if (k > customers)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"k\" is larger than the number of linked "
						"customers")));
	days = load_days(host, with, digits, &count);
	worst = sdc_subset_error(&host->kernel, days, count, (int32) customers, k,
							 span);
	host->kernel.release(&host->kernel, days);
	return (double) worst / (pow(10, digits) * k);
}

#define RECENCY                                                    \
	" SELECT CAST(" SDC_EPOCH SDC_MINUS "pg_catalog.max(p.day) "   \
	"AS pg_catalog.float8), "                                      \
	"CAST(pg_catalog.count(DISTINCT p.%s) AS pg_catalog.float8), " \
	"COALESCE(pg_catalog.sum(p.price" SDC_TIMES "p.quantity), 0) " \
	"AS price "                                                    \
	"FROM %s AS p WHERE pg_catalog.isfinite(p.day) "               \
	"GROUP BY p.customer ORDER BY p.customer"

/* Recency, frequency and money of each customer of o or m. */
static SdcFrame *
load_recency(SdcPgHost *host, const char *with, const char *file,
			 bool by_invoice)
{
	SdcFrameType types[3] = {SDC_FRAME_FINITE, SDC_FRAME_NUMBER,
							 SDC_FRAME_FINITE};
	const char *what = by_invoice ? "invoice" : "day";

	return sdcpg_frame_load(host, query(with, RECENCY, what, file), 3, types);
}

double
sdcpg_transactions_rfm(SdcPgHost *host, const char *with, int classes,
					   bool by_invoice)
{
	SdcFrame *frame[2] = {load_recency(host, with, "o", by_invoice),
						  load_recency(host, with, "m", by_invoice)};
	SdcRecencyFile file[2];
	double error;
	int f;
	int d;

	for (f = 0; f < 2; f++)
	{
		file[f].n = frame[f]->rows;
		for (d = 0; d < SDC_RECENCY_CLASSES_DIMENSIONS; d++)
			file[f].value[d] = frame[f]->column[d].number;
	}
	error =
		sdc_recency_classes_error(&host->kernel, &file[0], &file[1], classes);
	sdcpg_frame_release(frame[0]);
	sdcpg_frame_release(frame[1]);
	return error;
}

/* WITHs of the different items of customers, and how many they are. */
#define SETS                                                           \
	", so AS (SELECT DISTINCT p.customer, p.item FROM o AS p "         \
	"WHERE p.item IS NOT NULL), "                                      \
	"sm AS (SELECT DISTINCT p.customer, p.item FROM m AS p "           \
	"WHERE p.item IS NOT NULL), "                                      \
	"no AS (SELECT s.customer, pg_catalog.count(*) AS n FROM so AS s " \
	"GROUP BY s.customer), "                                           \
	"nm AS (SELECT s.customer, pg_catalog.count(*) AS n FROM sm AS s " \
	"GROUP BY s.customer), "                                           \
	"ns AS (SELECT l.masked, pg_catalog.count(*) AS n FROM l "         \
	"JOIN sm AS a ON a.customer" SDC_EQ "l.masked "                    \
	"JOIN so AS b ON b.customer" SDC_EQ "l.original "                  \
	"AND b.item" SDC_EQ "a.item GROUP BY l.masked)"

/* operators written in this way all bind alike: hence the parentheses */
#define SETS_DIFFER                                                     \
	" SELECT CAST(pg_catalog.avg(CASE WHEN d.either" SDC_EQ "0 THEN 0 " \
	"ELSE 1" SDC_MINUS "(CAST(d.shared AS pg_catalog.numeric)" SDC_BY   \
	"d.either) END) AS pg_catalog.float8) FROM ("                       \
	"SELECT COALESCE(ns.n, 0) AS shared, COALESCE(no.n, 0)" SDC_PLUS    \
	"COALESCE(nm.n, 0)" SDC_MINUS "COALESCE(ns.n, 0) AS either FROM l " \
	"LEFT JOIN no ON no.customer" SDC_EQ "l.original "                  \
	"LEFT JOIN nm ON nm.customer" SDC_EQ "l.masked "                    \
	"LEFT JOIN ns ON ns.masked" SDC_EQ "l.masked) AS d"

double
sdcpg_transactions_jaccard(SdcPgHost *host, const char *with)
{
	return transactions_number(host, query(with, SETS SETS_DIFFER));
}

/* ----------------------------------------------------------------------
 * sdc.transaction_report: the measures of PWSCUP 2017, row by row.
 *
 * Rows are aligned by id; a row of the original that the masked table lacks
 * was deleted.  Dates, prices and rows are one query; the similarities of
 * items come from the kernel.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_transaction_report);

static const char *const measures[] = {
	"item_similarity", "item_similarity_few", "top_items", "date_moved",
	"price_changed",   "rows_lost",           NULL};
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
	"pg_catalog.sum(p.quantity) AS quantity "                           \
	"FROM %s AS p WHERE p.item IS NOT NULL AND p.quantity IS NOT NULL " \
	"GROUP BY p.customer, p.item ORDER BY p.customer, p.item"

/* Reads the arguments; see sdcf_transaction_report. */
static Transactions
read_arguments(FunctionCallInfo fcinfo)
{
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
	sdcpg_args_need_first(fcinfo, 3);
	mapping = sdcpg_purchases_mapping(PG_GETARG_OID(0), mapping);
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
	SdcFrameType types[3] = {SDC_FRAME_CODE, SDC_FRAME_CODE, SDC_FRAME_FINITE};
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
	sdcpg_report_put(report, "item_similarity", read->subject,
					 sdc_item_similarity_error(host, &read->file[0],
											   &read->file[1], NULL, INFINITY),
					 "How far the similarities of items differ.");
	sdcpg_report_put(
		report, "item_similarity_few", read->subject,
		sdc_item_similarity_error(host, &read->file[0], &read->file[1], NULL,
								  read->pieces),
		"The same of customers with at most %g pieces of an item.",
		read->pieces);
	sdcpg_report_put(report, "top_items", read->subject, measure_top(read),
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
		types[j] = SDC_FRAME_FINITE;
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
		report, "date_moved", read->subject, value[5] / (LONGEST_MOVE * rows),
		"Days that rows moved, as a share of %d for each row.", LONGEST_MOVE);
	sdcpg_report_put(report, "price_changed", read->subject, value[6] / rows,
					 "Mean relative change of the price.");
	sdcpg_report_put(report, "rows_lost", read->subject, 1 - value[4] / rows,
					 "%.0f of %.0f rows are left.", value[4], rows);
}

/*
 * transaction_report(original regclass, masked regclass, id name,
 *                 mapping jsonb, params jsonb)
 */
Datum
sdcf_transaction_report(PG_FUNCTION_ARGS)
{
	SdcReport *report =
		sdcpg_report_begin(fcinfo, measures, lengthof(measures) - 1, NULL);
	Transactions read = read_arguments(fcinfo);

	read.host = sdcpg_host_begin("transaction_report", CurrentMemoryContext);
	report_items(&read, report);
	report_rows(&read, report);
	sdcpg_host_end(read.host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * The measures that are functions of their own.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_jaccard_distance);
PG_FUNCTION_INFO_V1(sdcf_mean_price_error);
PG_FUNCTION_INFO_V1(sdcf_turnover_error);
PG_FUNCTION_INFO_V1(sdcf_customer_class_difference);
PG_FUNCTION_INFO_V1(sdcf_item_set_distance);

static const char *const variants[] = {"2016", "2017", NULL};
static const char *const frequencies[] = {"days", "invoices", NULL};
static const char *const cmae_params[] = {"variant", NULL};
static const char *const rfm_params[] = {"classes", "frequency", NULL};

#define MOST_CLASSES 100

/* Days of the longest window. */
#define LONGEST_SPAN 100000

/* Elements to compare, with the comparison of their type. */
typedef struct Elements
{
	FmgrInfo *compare;
	Oid collation;
} Elements;

static int
compare_elements(const void *a, const void *b, void *arg)
{
	const Elements *elements = arg;

	return DatumGetInt32(
		FunctionCall2Coll(elements->compare, elements->collation,
						  *(const Datum *) a, *(const Datum *) b));
}

/* The different elements of an array, ascending. */
static int
read_set(ArrayType *array, const TypeCacheEntry *type, Elements *elements,
		 Datum **set)
{
	bool *isnull;
	int count;
	int kept = 0;
	int i;

	deconstruct_array(array, type->type_id, type->typlen, type->typbyval,
					  type->typalign, set, &isnull, &count);
	for (i = 0; i < count; i++)
		if (!isnull[i])
			(*set)[kept++] = (*set)[i];
	count = kept;
	qsort_arg(*set, count, sizeof(Datum), compare_elements, elements);
	kept = 0;
	for (i = 0; i < count; i++)
		if (kept == 0 ||
			compare_elements(&(*set)[kept - 1], &(*set)[i], elements) != 0)
			(*set)[kept++] = (*set)[i];
	return kept;
}

/* jaccard_distance(value_original anyarray, value_masked anyarray) */
Datum
sdcf_jaccard_distance(PG_FUNCTION_ARGS)
{
	ArrayType *array[2] = {PG_GETARG_ARRAYTYPE_P(0), PG_GETARG_ARRAYTYPE_P(1)};
	TypeCacheEntry *type =
		lookup_type_cache(ARR_ELEMTYPE(array[0]), TYPECACHE_CMP_PROC_FINFO);
	Elements elements = {&type->cmp_proc_finfo, PG_GET_COLLATION()};
	Datum *set[2];
	int size[2];
	int place[2] = {0, 0};
	int shared = 0;
	int i;

	if (!OidIsValid(type->cmp_proc_finfo.fn_oid))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("the elements of the arrays have no order")));
	for (i = 0; i < 2; i++)
		size[i] = read_set(array[i], type, &elements, &set[i]);
	while (place[0] < size[0] && place[1] < size[1])
	{
		int order =
			compare_elements(&set[0][place[0]], &set[1][place[1]], &elements);

		CHECK_FOR_INTERRUPTS();
		shared += order == 0;
		place[0] += order <= 0;
		place[1] += order >= 0;
	}
	if (size[0] + size[1] == 0)
		PG_RETURN_FLOAT8(0);
	PG_RETURN_FLOAT8((double) (size[0] + size[1] - 2 * shared) /
					 (size[0] + size[1] - shared));
}

static Jsonb *
read_mapping(FunctionCallInfo fcinfo, int argument)
{
	Jsonb *mapping =
		PG_ARGISNULL(argument) ? NULL : PG_GETARG_JSONB_P(argument);

	return sdcpg_purchases_mapping(PG_GETARG_OID(0), mapping);
}

/* The WITHs of the original and the masked purchases. */
static StringInfo
read_files(FunctionCallInfo fcinfo, Jsonb *mapping, unsigned wanted)
{
	StringInfo with = makeStringInfo();
	int i;

	for (i = 0; i < 2; i++)
	{
		SdcPurchases purchases =
			sdcpg_purchases_find(PG_GETARG_OID(i), mapping, wanted);

		if (i > 0)
			appendStringInfoString(with, ", ");
		sdcpg_purchases_with(with, i == 0 ? "o" : "m", &purchases, NULL);
	}
	return with;
}

/* Ends a call with a measure; NaN is NULL. */
static Datum
return_measure(FunctionCallInfo fcinfo, SdcPgHost *host, double measure)
{
	sdcpg_host_end(host);
	if (isnan(measure))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(measure);
}

/*
 * mean_price_error(original regclass, masked regclass,
 *      master_original regclass, master_masked regclass, columns columns,
 *      mapping jsonb, params jsonb)
 */
Datum
sdcf_mean_price_error(PG_FUNCTION_ARGS)
{
	static const char *const cells[] = {"ko", "km"};
	Jsonb *params = PG_ARGISNULL(6) ? NULL : PG_GETARG_JSONB_P(6);
	Jsonb *mapping;
	StringInfo with;
	SdcPgHost *host;
	int i;

	sdcpg_args_need_first(fcinfo, 5);
	mapping = read_mapping(fcinfo, 5);
	sdcpg_params_check(params, cmae_params);
	with = read_files(fcinfo, mapping,
					  SDC_PURCHASE_WANT(SDC_PURCHASE_PRICE) |
						  SDC_PURCHASE_WANT(SDC_PURCHASE_QUANTITY));
	for (i = 0; i < 2; i++)
	{
		SdcRelation *master = sdcpg_relation_find(PG_GETARG_OID(2 + i));
		SdcRelationColumns columns = sdcpg_relation_columns(
			master, "columns", PG_GETARG_ARRAYTYPE_P(4));

		appendStringInfoString(with, ", ");
		sdcpg_purchases_cells_with(with, cells[i], master, mapping, &columns);
	}
	host = sdcpg_host_begin("mean_price_error", CurrentMemoryContext);
	for (i = 0; i < 2; i++)
		check_cells(host, with->data, cells[i]);
	return return_measure(
		fcinfo, host,
		sdcpg_transactions_cmae(
			host, with->data,
			sdcpg_params_choice(params, "variant", variants) == 1));
}

/* A span of whole days. */
static int64
read_span(const Interval *span)
{
	int64 days = span->time / USECS_PER_DAY;

	if (span->month != 0 || span->time % USECS_PER_DAY != 0 ||
		span->day + days < 1 || span->day + days > LONGEST_SPAN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"span\" must be a number of days between 1 "
						"and %d",
						LONGEST_SPAN),
				 errhint("Months and years have no fixed number of days.")));
	return span->day + days;
}

static void
read_link(FunctionCallInfo fcinfo, Jsonb *mapping, StringInfo with)
{
	appendStringInfoString(with, ", ");
	sdcpg_purchases_link_with(with, "l", sdcpg_relation_find(PG_GETARG_OID(2)),
							  mapping);
}

/*
 * turnover_error(original regclass, masked regclass, link regclass, k integer,
 *              span interval, mapping jsonb)
 */
Datum
sdcf_turnover_error(PG_FUNCTION_ARGS)
{
	Jsonb *mapping;
	StringInfo with;
	SdcPgHost *host;
	int64 span;

	sdcpg_args_need_first(fcinfo, 5);
	mapping = read_mapping(fcinfo, 5);
	sdcpg_args_range("k", PG_GETARG_INT32(3), 1, SDC_MAX_ROWS);
	span = read_span(PG_GETARG_INTERVAL_P(4));
	with = read_files(fcinfo, mapping,
					  SDC_PURCHASE_WANT(SDC_PURCHASE_AT) |
						  SDC_PURCHASE_WANT(SDC_PURCHASE_PRICE) |
						  SDC_PURCHASE_WANT(SDC_PURCHASE_QUANTITY));
	read_link(fcinfo, mapping, with);
	host = sdcpg_host_begin("turnover_error", CurrentMemoryContext);
	check_link(host, with->data);
	return return_measure(
		fcinfo, host,
		sdcpg_transactions_subset(host, with->data, PG_GETARG_INT32(3), span));
}

/* rfm(original regclass, masked regclass, mapping jsonb, params jsonb) */
Datum
sdcf_customer_class_difference(PG_FUNCTION_ARGS)
{
	Jsonb *params = PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3);
	unsigned wanted = SDC_PURCHASE_WANT(SDC_PURCHASE_AT) |
					  SDC_PURCHASE_WANT(SDC_PURCHASE_PRICE) |
					  SDC_PURCHASE_WANT(SDC_PURCHASE_QUANTITY);
	bool by_invoice;
	int classes;
	StringInfo with;
	SdcPgHost *host;

	sdcpg_args_need_first(fcinfo, 2);
	sdcpg_params_check(params, rfm_params);
	by_invoice = sdcpg_params_choice(params, "frequency", frequencies) == 1;
	classes =
		(int) sdcpg_params_integer(params, "classes", 5, 2, MOST_CLASSES);
	if (by_invoice)
		wanted |= SDC_PURCHASE_WANT(SDC_PURCHASE_INVOICE);
	with = read_files(fcinfo, read_mapping(fcinfo, 2), wanted);
	host = sdcpg_host_begin("customer_class_difference", CurrentMemoryContext);
	return return_measure(
		fcinfo, host,
		sdcpg_transactions_rfm(host, with->data, classes, by_invoice));
}

/*
 * item_set_distance(original regclass, masked regclass, link regclass,
 *            mapping jsonb)
 */
Datum
sdcf_item_set_distance(PG_FUNCTION_ARGS)
{
	Jsonb *mapping;
	StringInfo with;
	SdcPgHost *host;

	sdcpg_args_need_first(fcinfo, 3);
	mapping = read_mapping(fcinfo, 3);
	with = read_files(fcinfo, mapping, SDC_PURCHASE_WANT(SDC_PURCHASE_ITEM));
	read_link(fcinfo, mapping, with);
	host = sdcpg_host_begin("item_set_distance", CurrentMemoryContext);
	check_link(host, with->data);
	return return_measure(fcinfo, host,
						  sdcpg_transactions_jaccard(host, with->data));
}
