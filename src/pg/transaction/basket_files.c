/*
 * basket_files.c
 *		Purchases as the arrays that new baskets are made from.
 *
 * PostgreSQL adds up what a customer bought of an item on a day, in whole
 * pieces and whole units of money, so that all totals are exact.
 */
#include "postgres.h"

#include "kernel/table/frequency.h"
#include "pg/server/compat.h"
#include "pg/transaction/basket_files.h"

#define MOST_DIGITS 6

/* Is a row one that cannot be written again as new ones? */
#define CHECKS                                                             \
	" SELECT pg_catalog.count(*) FILTER (WHERE o.day IS NULL OR "          \
	"NOT pg_catalog.isfinite(o.day) OR o.item IS NULL OR o.price IS NULL " \
	"OR o.quantity IS NULL), "                                             \
	"pg_catalog.count(*) FILTER (WHERE o.price" SDC_LT "0 OR "             \
	"o.quantity" SDC_LT "1 OR pg_catalog.floor(o.quantity)" SDC_NE         \
	"o.quantity), "                                                        \
	"CAST(COALESCE(pg_catalog.max(pg_catalog.scale(o.price)), 0) "         \
	"AS pg_catalog.int8), "                                                \
	"CAST(CASE WHEN COALESCE(pg_catalog.sum(o.price" SDC_TIMES             \
	"o.quantity)" SDC_TIMES "pg_catalog.power(10.0, CAST(LEAST(6, "        \
	"pg_catalog.max(pg_catalog.scale(o.price))) AS pg_catalog.numeric)), " \
	"0)" SDC_LT "1e15 AND COALESCE(pg_catalog.sum(o.quantity), 0)" SDC_LT  \
	"1e15 THEN 1 ELSE 0 END AS pg_catalog.int8) FROM o"

#define PURCHASES                                                       \
	" SELECT p.customer, p.item, CAST(p.day" SDC_MINUS SDC_EPOCH        \
	" AS pg_catalog.int8), "                                            \
	"CAST(pg_catalog.sum(p.quantity) AS pg_catalog.int8), "             \
	"CAST(pg_catalog.round("                                            \
	"pg_catalog.sum(p.price" SDC_TIMES "p.quantity)" SDC_TIMES "1e%d) " \
	"AS pg_catalog.int8) "                                              \
	"FROM o AS p GROUP BY p.customer, p.item, p.day "                   \
	"ORDER BY p.customer, p.day, p.item"

#define CELLS                                                              \
	" SELECT p.customer, k.cell FROM (SELECT DISTINCT o.customer FROM o) " \
	"AS p JOIN ko AS k ON k.customer" SDC_EQ "p.customer"

pg_noreturn static void
refuse_rows(const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
					errmsg("the purchases cannot be made into new baskets"),
					errdetail_internal("%s", detail),
					errhint("Leave such rows out with a view.")));
}

static int
check_rows(SdcPgHost *host, const char *with)
{
	SdcFrameType types[4] = {SDC_FRAME_COUNT, SDC_FRAME_COUNT, SDC_FRAME_COUNT,
							 SDC_FRAME_COUNT};
	SdcFrame *frame =
		sdcpg_frame_load(host, psprintf("WITH %s" CHECKS, with), 4, types);
	int digits = (int) frame->column[2].count[0];

	if (frame->column[0].count[0] > 0)
		refuse_rows("A row has no day, item, price or quantity.");
	if (frame->column[1].count[0] > 0)
		refuse_rows("A price is below zero, or a quantity is not a whole "
					"number of at least 1.");
	if (digits > MOST_DIGITS)
		refuse_rows("A price has more than six digits after the point.");
	if (frame->column[3].count[0] == 0)
		refuse_rows("The turnover is 1e15 units of its last digit or more, "
					"the quantity is, or a number is not finite.");
	sdcpg_frame_release(frame);
	return digits;
}

/* Reads the cells, before the dictionary of customers is put in order. */
static SdcFrame *
load_cells(SdcBasketFile *file, const char *with)
{
	SdcFrameType types[2] = {SDC_FRAME_CODE, SDC_FRAME_CODE};
	SdcDictionary *dictionary[2] = {file->customer, NULL};
	SdcFrame *frame = sdcpg_frame_load_codes(
		file->host, psprintf("WITH %s" CELLS, with), 2, types, dictionary);
	const int32 *rank = sdcpg_dictionary_sort(dictionary[1]);
	int32 r;

	for (r = 0; r < frame->rows; r++)
		frame->column[1].code[r] = rank[frame->column[1].code[r]];
	file->cells = sdcpg_dictionary_values(dictionary[1]);
	return frame;
}

/* Gives each customer its cell; those without one share the last. */
static void
assign_cells(SdcBasketFile *file, const SdcFrame *frame, const int32 *rank)
{
	int32 i;

	for (i = 0; i < file->customers; i++)
		file->cell[i] = file->cells;
	for (i = 0; frame != NULL && i < frame->rows; i++)
		file->cell[rank[frame->column[0].code[i]]] = frame->column[1].code[i];
	file->cells++;
}

/* Adds the rows up by item. */
static void
add_items(SdcBasketFile *file, const SdcFrame *frame)
{
	SdcHost *host = &file->host->kernel;
	int32 items = sdcpg_dictionary_values(file->item);
	double *pieces = sdc_new(host, double, (Size) items + 1);
	int32 r;

	file->price = sdc_new(host, double, (Size) items + 1);
	memset(pieces, 0, sizeof(double) * items);
	memset(file->price, 0, sizeof(double) * items);
	for (r = 0; r < frame->rows; r++)
	{
		int32 item = frame->column[1].code[r];

		pieces[item] += (double) frame->column[3].count[r];
		file->price[item] += (double) frame->column[4].count[r];
	}
	for (r = 0; r < items; r++)
		file->price[r] /= pieces[r];
	host->release(host, pieces);
}

/* Adds the rows up by customer and day; they are in this order. */
static void
add_days(SdcBasketFile *file, const SdcFrame *frame)
{
	SdcHost *host = &file->host->kernel;
	int32 days = -1;
	int32 last = -1;
	int32 seen = 0;
	int32 r;

	file->first = sdc_new(host, int32, (Size) file->customers + 1);
	file->day = sdc_new(host, int64, (Size) frame->rows + 1);
	file->day_pieces = sdc_new(host, int64, (Size) frame->rows + 1);
	file->day_amount = sdc_new(host, int64, (Size) frame->rows + 1);
	for (r = 0; r < frame->rows; r++)
	{
		int32 customer = frame->column[0].code[r];

		if (customer != last || frame->column[2].count[r] != file->day[days])
		{
			days++;
			file->day[days] = frame->column[2].count[r];
			file->day_pieces[days] = 0;
			file->day_amount[days] = 0;
		}
		if (customer != last)
		{
			file->first[customer] = days;
			seen++;
		}
		last = customer;
		file->day_pieces[days] += frame->column[3].count[r];
		file->day_amount[days] += frame->column[4].count[r];
		file->pieces[customer] += frame->column[3].count[r];
		file->amount[customer] += frame->column[4].count[r];
	}
	file->first[file->customers] = days + 1;
	/* who is only in the cells has no days: a view has changed its mind */
	if (seen != file->customers)
		refuse_rows("A relation did not give the same customers twice.");
}

static void
add_rows(SdcBasketFile *file, SdcFrame *frame, const int32 *customer_rank)
{
	SdcHost *host = &file->host->kernel;
	const int32 *item_rank = sdcpg_dictionary_sort(file->item);
	int32 r;

	for (r = 0; r < frame->rows; r++)
	{
		if (r % SDC_POLL_STEPS == 0)
			host->poll(host, r, frame->rows);
		frame->column[0].code[r] = customer_rank[frame->column[0].code[r]];
		frame->column[1].code[r] = item_rank[frame->column[1].code[r]];
	}
	file->pieces = sdc_new(host, int64, (Size) file->customers + 1);
	file->amount = sdc_new(host, int64, (Size) file->customers + 1);
	memset(file->pieces, 0, sizeof(int64) * (file->customers + 1));
	memset(file->amount, 0, sizeof(int64) * (file->customers + 1));
	add_items(file, frame);
	add_days(file, frame);
	file->sets = sdc_item_sets_build(host, frame->rows, frame->column[0].code,
									 frame->column[1].code, file->customers,
									 sdcpg_dictionary_values(file->item));
}

SdcBasketFile
sdcpg_basket_file_load(SdcPgHost *host, const char *with, bool cells)
{
	SdcFrameType types[5] = {SDC_FRAME_CODE, SDC_FRAME_CODE, SDC_FRAME_COUNT,
							 SDC_FRAME_COUNT, SDC_FRAME_COUNT};
	SdcDictionary *dictionary[5] = {NULL};
	SdcFrame *frame;
	SdcFrame *cell_frame = NULL;
	SdcBasketFile file;
	const int32 *rank;

	memset(&file, 0, sizeof(file));
	file.host = host;
	file.digits = check_rows(host, with);
	frame = sdcpg_frame_load_codes(
		host, psprintf("WITH %s" PURCHASES, with, file.digits), 5, types,
		dictionary);
	file.customer = dictionary[0];
	file.item = dictionary[1];
	if (cells)
		cell_frame = load_cells(&file, with);
	rank = sdcpg_dictionary_sort(file.customer);
	file.customers = sdcpg_dictionary_values(file.customer);
	file.cell = sdc_new(&host->kernel, int32, (Size) file.customers + 1);
	assign_cells(&file, cell_frame, rank);
	add_rows(&file, frame, rank);
	sdcpg_frame_release(frame);
	if (cell_frame != NULL)
		sdcpg_frame_release(cell_frame);
	return file;
}

SdcBasketDays
sdcpg_basket_file_days(const SdcBasketFile *file, int32 customer)
{
	int32 first = file->first[customer];
	SdcBasketDays days = {file->first[customer + 1] - first, file->day + first,
						  file->day_pieces + first, file->day_amount + first};

	return days;
}
