/*
 * transaction_measures.c
 *		Measures of two tables of purchases, each from one or two queries.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/transaction/recency_classes.h"
#include "kernel/transaction/subset_error.h"
#include "pg/data/frame.h"
#include "pg/server/compat.h"
#include "pg/transaction/purchases.h"
#include "pg/transaction/transaction_measures.h"

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

double
sdcpg_transactions_number(SdcPgHost *host, const char *sql)
{
	SdcFrameType types[1] = {SDC_FRAME_NUMBER};
	SdcFrame *frame = sdcpg_frame_load(host, sql, 1, types);
	double value = frame->rows == 0 || frame->column[0].isnull[0]
					   ? NAN
					   : frame->column[0].number[0];

	sdcpg_frame_release(frame);
	return value;
}

void
sdcpg_transactions_check_link(SdcPgHost *host, const char *with)
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

void
sdcpg_transactions_check_cells(SdcPgHost *host, const char *with,
							   const char *cells)
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
#define MEANS_DIFFER                                               \
	" SELECT CAST(pg_catalog.avg(pg_catalog.abs(a.price" SDC_MINUS \
	"COALESCE(b.price, 0))) AS pg_catalog.float8) "                \
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
	return sdcpg_transactions_number(host, sql.data);
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

#define RECENCY                                                         \
	" SELECT CAST(" SDC_EPOCH SDC_MINUS "pg_catalog.max(p.day) "        \
	"AS pg_catalog.float8), "                                           \
	"CAST(pg_catalog.count(DISTINCT p.%s) AS pg_catalog.float8), "      \
	"CAST(COALESCE(pg_catalog.sum(p.price" SDC_TIMES "p.quantity), 0) " \
	"AS pg_catalog.float8) "                                            \
	"FROM %s AS p WHERE pg_catalog.isfinite(p.day) "                    \
	"GROUP BY p.customer ORDER BY p.customer"

/* Recency, frequency and money of each customer of o or m. */
static SdcFrame *
load_recency(SdcPgHost *host, const char *with, const char *file,
			 bool by_invoice)
{
	SdcFrameType types[3] = {SDC_FRAME_NUMBER, SDC_FRAME_NUMBER,
							 SDC_FRAME_NUMBER};
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
	return sdcpg_transactions_number(host, query(with, SETS SETS_DIFFER));
}
