/*
 * anonymize_itemsets.c
 *		sdc.anonymize_itemsets: one set of items for the customers of a
 *		cluster.
 *
 * The purchases are read, new baskets made, and both they and the truth
 * written as tables.  Every bound is then counted again from these tables by
 * the measures themselves, what the strongest channel finds by the attack, and
 * an error takes them back unless all hold.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/regproc.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/transaction/basket_plan.h"
#include "kernel/transaction/event_likelihood.h"
#include "kernel/transaction/item_sets.h"
#include "kernel/transaction/subset_error.h"
#include "topic/registry/words.h"
#include "topic/transaction/baskets.h"
#include "topic/transaction/purchases.h"

static const char *const days_words[] = {"own", "shifted", "common", "drawn",
										 NULL};

static const char *const amounts_words[] = {"own", "common", "drawn", NULL};

/* ----------------------------------------------------------------------
 * Purchases as arrays.  PostgreSQL adds up what a customer bought of an item
 * on a day, in whole pieces and units of money, so that totals are exact.
 * ----------------------------------------------------------------------
 */

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
	file->turnover = sdc_new(host, double, (Size) items + 1);
	memset(pieces, 0, sizeof(double) * items);
	memset(file->price, 0, sizeof(double) * items);
	for (r = 0; r < frame->rows; r++)
	{
		int32 item = frame->column[1].code[r];

		pieces[item] += (double) frame->column[3].count[r];
		file->price[item] += (double) frame->column[4].count[r];
	}
	for (r = 0; r < items; r++)
	{
		file->turnover[r] = file->price[r];
		file->price[r] /= pieces[r];
	}
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

/*
 * Reads the purchases of the WITH o; when there are cells, customers are in
 * those of the WITH ko, who has none there in one of their own.  Stops at
 * NULLs, quantities that are not whole and positive, prices below zero or
 * with more than six digits, and turnover too large to count exactly.
 */
static SdcBasketFile
basket_file_load(SdcPgHost *host, const char *with, bool cells)
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

/* ----------------------------------------------------------------------
 * New baskets as tables: arrays, which are the parameters of one CREATE TABLE
 * AS; casts in it give each column the type that it had.
 * ----------------------------------------------------------------------
 */

/* The type of a column below any domains, as SQL, without its length. */
static char *
type_of(const SdcRelationColumn *column)
{
	return format_type_extended(column->base, -1,
								FORMAT_TYPE_TYPEMOD_GIVEN |
									FORMAT_TYPE_FORCE_QUALIFY);
}

static Datum
make_array(Datum *value, int64 count, Oid type)
{
	int16 length;
	bool by_value;
	char align;

	get_typlenbyvalalign(type, &length, &by_value, &align);
	return PointerGetDatum(
		construct_array(value, (int) count, type, length, by_value, align));
}

static Datum *
new_values(const SdcBasketFile *file, int64 count)
{
	SdcHost *host = &file->host->kernel;

	return sdc_new(host, Datum, (Size) count + 1);
}

/* The digits of a pseudonym. */
static int
width_of(int32 customers)
{
	int width = 1;

	while (customers >= 10)
	{
		customers /= 10;
		width++;
	}
	return width;
}

static Datum
pseudonym(const SdcBasketFile *file, int32 place)
{
	return CStringGetTextDatum(
		psprintf("p%0*d", width_of(file->customers), place + 1));
}

/* The row each customer's rows begin with. */
static int64 *
find_first_rows(const SdcBasketFile *file, const SdcBasketRows *rows)
{
	SdcHost *host = &file->host->kernel;
	int64 *first = sdc_new(host, int64, (Size) file->customers + 1);
	int64 r = 0;
	int32 i;

	for (i = 0; i < file->customers; i++)
	{
		first[i] = r;
		while (r < rows->count && rows->row[r].customer == i)
			r++;
	}
	first[file->customers] = r;
	return first;
}

/* The columns of the new table as arrays. */
enum
{
	COLUMN_CUSTOMER,
	COLUMN_INVOICE,
	COLUMN_DAY,
	COLUMN_ITEM,
	COLUMN_PRICE,
	COLUMN_PIECES,
	COLUMNS
};

static const Oid column_types[COLUMNS] = {TEXTOID, INT8OID, INT4OID,
										  TEXTOID, INT8OID, INT8OID};

static void
fill_columns(const SdcBasketFile *file, const SdcBasketRows *rows,
			 const int32 *order, Datum **value)
{
	int64 *first = find_first_rows(file, rows);
	int64 invoice = 0;
	int64 n = 0;
	int32 i;
	int64 r;

	for (i = 0; i < file->customers; i++)
	{
		Datum customer = pseudonym(file, i);

		for (r = first[order[i]]; r < first[order[i] + 1]; r++, n++)
		{
			const SdcBasketRow *row = &rows->row[r];

			if (n % 1024 == 0)
				file->host->kernel.poll(&file->host->kernel, n, rows->count);
			if (r == first[order[i]] || row->day != row[-1].day)
				invoice++;
			value[COLUMN_CUSTOMER][n] = customer;
			value[COLUMN_INVOICE][n] = Int64GetDatum(invoice);
			value[COLUMN_DAY][n] = Int32GetDatum((int32) row->day);
			value[COLUMN_ITEM][n] = CStringGetTextDatum(
				sdcpg_dictionary_text(file->item, row->item));
			value[COLUMN_PRICE][n] = Int64GetDatum(row->price);
			value[COLUMN_PIECES][n] = Int64GetDatum(row->pieces);
		}
	}
}

/* The SELECT that gives each column its name and type. */
static char *
make_select(const SdcBasketFile *file, const SdcPurchases *purchases)
{
	const SdcRelationColumn *column = purchases->column;
	bool invoice =
		(purchases->wanted & SDC_PURCHASE_WANT(SDC_PURCHASE_INVOICE)) != 0;
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT u.customer AS %s, ",
					 column[SDC_PURCHASE_CUSTOMER].sql);
	if (invoice)
		appendStringInfo(
			&sql, "CAST(CAST(u.invoice AS pg_catalog.text) AS %s) AS %s, ",
			type_of(&column[SDC_PURCHASE_INVOICE]),
			column[SDC_PURCHASE_INVOICE].sql);
	appendStringInfo(
		&sql,
		"CAST(CAST('2000-01-01' AS pg_catalog.date)" SDC_PLUS
		"u.day AS %s) AS %s, CAST(u.item AS %s) AS %s, ",
		type_of(&column[SDC_PURCHASE_AT]), column[SDC_PURCHASE_AT].sql,
		type_of(&column[SDC_PURCHASE_ITEM]), column[SDC_PURCHASE_ITEM].sql);
	appendStringInfo(&sql,
					 "CAST(pg_catalog.round(CAST(u.price AS "
					 "pg_catalog.numeric)" SDC_BY "1e%d, %d) AS %s) AS %s, "
					 "CAST(u.pieces AS %s) AS %s FROM ROWS FROM (",
					 file->digits, file->digits,
					 type_of(&column[SDC_PURCHASE_PRICE]),
					 column[SDC_PURCHASE_PRICE].sql,
					 type_of(&column[SDC_PURCHASE_QUANTITY]),
					 column[SDC_PURCHASE_QUANTITY].sql);
	appendStringInfoString(
		&sql, "pg_catalog.unnest($1), pg_catalog.unnest($2), "
			  "pg_catalog.unnest($3), pg_catalog.unnest($4), "
			  "pg_catalog.unnest($5), pg_catalog.unnest($6)) "
			  "AS u(customer, invoice, day, item, price, pieces)");
	return sql.data;
}

/*
 * Writes rows, which are in the order of the customers, as a table with the
 * columns of the purchases: customers get pseudonyms by their place in
 * order[], a permutation, and invoices, if the purchases have them, a number
 * for each customer and day.  Rows are written in the order of the pseudonyms.
 */
static void
basket_file_write(const SdcBasketFile *file, const SdcPurchases *purchases,
				  const SdcBasketRows *rows, const int32 *order,
				  SdcTarget *target)
{
	SdcCatalogParameters *parameters = palloc0(sizeof(*parameters));
	Datum *value[COLUMNS];
	int j;

	for (j = 0; j < COLUMNS; j++)
		value[j] = new_values(file, rows->count);
	fill_columns(file, rows, order, value);
	for (j = 0; j < COLUMNS; j++)
		sdcpg_catalog_bind(parameters, get_array_type(column_types[j]),
						   make_array(value[j], rows->count, column_types[j]),
						   false);
	sdcpg_target_create(file->host, target, make_select(file, purchases),
						parameters, NIL);
}

/* Writes the truth: the columns masked and original, in the same order. */
static void
basket_file_write_link(const SdcBasketFile *file, const int32 *order,
					   SdcTarget *target)
{
	SdcCatalogParameters *parameters = palloc0(sizeof(*parameters));
	Datum *value[2];
	int32 i;
	int j;

	for (j = 0; j < 2; j++)
		value[j] = new_values(file, file->customers);
	for (i = 0; i < file->customers; i++)
	{
		if (i % 1024 == 0)
			file->host->kernel.poll(&file->host->kernel, i, file->customers);
		value[0][i] = pseudonym(file, i);
		value[1][i] = CStringGetTextDatum(
			sdcpg_dictionary_text(file->customer, order[i]));
	}
	for (j = 0; j < 2; j++)
		sdcpg_catalog_bind(parameters, TEXTARRAYOID,
						   make_array(value[j], file->customers, TEXTOID),
						   false);
	sdcpg_target_create(file->host, target,
						"SELECT u.masked, u.original FROM ROWS FROM "
						"(pg_catalog.unnest($1), pg_catalog.unnest($2)) "
						"AS u(masked, original)",
						parameters, NIL);
}

/* ----------------------------------------------------------------------
 * sdc.anonymize_itemsets.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_anonymize_itemsets);

/* What is bounded: the measures, named as their functions. */
#define ITEM_SETS "item_set_distance"
#define PRICES    "mean_price_error"
#define TURNOVER  "turnover_error"
#define CUSTOMERS "customer_class_difference"
#define BOOKS     "item_turnover_error"
#define FOUND     "found"

static const char *const params_keys[] = {
	PRICES, TURNOVER,  CUSTOMERS, BOOKS,    FOUND,     "k",
	"span", "classes", "share",   "master", "columns", "link_target",
	"rls",  "days",    "amounts", "shift",  NULL};

#define TOLERANCE 1e-9 /* rounding, of what was counted in another way */

typedef struct Anonymize
{
	SdcPgHost *host;
	Jsonb *mapping;
	SdcPurchases purchases;
	SdcRelation *master; /* NULL: none */
	SdcRelationColumns columns;
	SdcBasketBounds bounds;
	SdcTarget *target; /* NULL: only the number is wanted */
	SdcTarget *link;
	uint64 seed;
	bool seeded;             /* or else strong random numbers */
	StringInfoData original; /* WITH o, and ko if there is a master */
	ReturnSetInfo *result;
} Anonymize;

static void
read_bounds(FunctionCallInfo fcinfo, Jsonb *params, SdcBasketBounds *bounds)
{
	sdcpg_args_range("t", PG_GETARG_FLOAT8(2), 0, 1);
	bounds->jaccard = PG_GETARG_FLOAT8(2);
	bounds->cmae = sdcpg_params_number(params, PRICES, INFINITY, 0, 1e300);
	bounds->subset = sdcpg_params_number(params, TURNOVER, INFINITY, 0, 1e300);
	bounds->rfm = sdcpg_params_number(params, CUSTOMERS, INFINITY, 0, 1);
	bounds->k = (int32) sdcpg_params_integer(params, "k", 10, 1, SDC_MAX_ROWS);
	bounds->span = sdcpg_params_integer(params, "span", 30, 1, 100000);
	bounds->classes = (int) sdcpg_params_integer(params, "classes", 5, 2, 100);
	bounds->share = sdcpg_params_number(params, "share", 0.1, 0, 0.5);
	bounds->books = sdcpg_params_number(params, BOOKS, INFINITY, 0, 1);
	bounds->found = sdcpg_params_number(params, FOUND, INFINITY, 0, 1);
	/* who bounds what is found wants histories that are alike */
	bounds->days = isinf(bounds->found) ? SDC_DAYS_OWN : SDC_DAYS_COMMON;
	bounds->amounts =
		isinf(bounds->found) ? SDC_AMOUNTS_OWN : SDC_AMOUNTS_COMMON;
	if (sdcpg_params_has(params, "days"))
		bounds->days =
			(SdcBasketTimes) sdcpg_params_choice(params, "days", days_words);
	if (sdcpg_params_has(params, "amounts"))
		bounds->amounts = (SdcBasketAmounts) sdcpg_params_choice(
			params, "amounts", amounts_words);
	bounds->shift = sdcpg_params_integer(params, "shift", 90, 1, 3650);
}

/* Finds the customers' table, whose columns are the cells of cmae. */
static void
read_master(Jsonb *params, Anonymize *anonymize)
{
	char *name = sdcpg_params_text(params, "master");
	List *names = sdcpg_params_names(params, "columns");
	ListCell *cell;

	if ((name == NULL) != (names == NIL) ||
		(name == NULL && !isinf(anonymize->bounds.cmae)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a bound on \"%s\" needs the cells of the customers",
						PRICES),
				 errhint("Name the table of customers in params.master and "
						 "its columns in params.columns.")));
	if (name == NULL)
		return;
	anonymize->master = sdcpg_relation_named(name);
	anonymize->columns.column =
		palloc(sizeof(SdcRelationColumn) * list_length(names));
	foreach (cell, names)
		anonymize->columns.column[anonymize->columns.count++] =
			sdcpg_relation_column(anonymize->master, lfirst(cell));
}

/* Finds the new tables; the truth is temporary unless it has a name. */
static void
read_targets(FunctionCallInfo fcinfo, Jsonb *params, Anonymize *anonymize)
{
	char *link = sdcpg_params_text(params, "link_target");

	if (PG_ARGISNULL(1))
	{
		if (link != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("params.link_target needs argument \"target\"")));
		return;
	}
	anonymize->target = sdcpg_target_find(PG_GETARG_TEXT_PP(1));
	if (link == NULL)
		link = psprintf(
			"pg_temp.%s",
			quote_identifier(psprintf("%.50s_link", anonymize->target->name)));
	anonymize->link = sdcpg_target_find(cstring_to_text(link));
	if (anonymize->link->schema == anonymize->target->schema &&
		strcmp(anonymize->link->name, anonymize->target->name) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("params.link_target and argument \"target\" "
							   "name the same table")));
}

static unsigned
wanted_columns(const SdcRelation *relation, Jsonb *mapping)
{
	unsigned wanted = SDC_PURCHASE_WANT(SDC_PURCHASE_AT) |
					  SDC_PURCHASE_WANT(SDC_PURCHASE_ITEM) |
					  SDC_PURCHASE_WANT(SDC_PURCHASE_PRICE) |
					  SDC_PURCHASE_WANT(SDC_PURCHASE_QUANTITY);

	if (sdcpg_purchases_has(relation, mapping, SDC_PURCHASE_INVOICE))
		wanted |= SDC_PURCHASE_WANT(SDC_PURCHASE_INVOICE);
	return wanted;
}

/* Reads the arguments; see sdcf_anonymize_itemsets. */
static void
read_arguments(FunctionCallInfo fcinfo, Anonymize *anonymize)
{
	Jsonb *params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	SdcRelation *relation;
	int i;

	memset(anonymize, 0, sizeof(*anonymize));
	sdcpg_args_need(fcinfo, 0);
	sdcpg_args_need(fcinfo, 2);
	anonymize->mapping = PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3);
	anonymize->mapping =
		sdcpg_purchases_mapping(PG_GETARG_OID(0), anonymize->mapping);
	sdcpg_params_check(params, params_keys);
	read_bounds(fcinfo, params, &anonymize->bounds);
	relation = sdcpg_relation_find(PG_GETARG_OID(0));
	anonymize->purchases =
		sdcpg_purchases_find(PG_GETARG_OID(0), anonymize->mapping,
							 wanted_columns(relation, anonymize->mapping));
	for (i = 0; i < SDC_PURCHASE_COLUMNS; i++)
		if ((anonymize->purchases.wanted & SDC_PURCHASE_WANT(i)) != 0)
			sdcpg_query_need_casts(relation, &anonymize->purchases.column[i]);
	read_master(params, anonymize);
	sdcpg_target_need_all_rows(
		relation,
		sdcpg_params_choice(params, "rls", sdcpg_row_security_words) ==
			SDC_ROW_SECURITY_ALLOW);
	read_targets(fcinfo, params, anonymize);
	anonymize->seeded = !PG_ARGISNULL(5);
	if (anonymize->seeded)
		anonymize->seed = (uint64) PG_GETARG_INT64(5);
}

static void
append_original(Anonymize *anonymize)
{
	initStringInfo(&anonymize->original);
	sdcpg_purchases_with(&anonymize->original, "o", &anonymize->purchases,
						 NULL);
	if (anonymize->master == NULL)
		return;
	appendStringInfoString(&anonymize->original, ", ");
	sdcpg_purchases_cells_with(&anonymize->original, "ko", anonymize->master,
							   anonymize->mapping, &anonymize->columns);
}

/* Reports a measure of the tables; stops unless it is within its bound. */
static void
verify(const Anonymize *anonymize, const char *name, double measure,
	   double bound)
{
	if (isnan(measure) || measure <= bound + TOLERANCE * (1 + bound))
	{
		sdcpg_step_measure(anonymize->result, name, anonymize->target->sql,
						   measure, "At most %.6g was allowed.", bound);
		return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("the new table is not what was to be written"),
			 errdetail("Its %s is above the bound.  Nothing was kept.", name),
			 errhint("A view must give the same rows each time it is read, "
					 "and columns must hold the new values exactly.")));
}

/* The params of the attack: who is who, and which column is what. */
static Jsonb *
attack_params(const Anonymize *anonymize, const SdcRelation *link)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, "{\"link\": ");
	escape_json(&text, link->sql);
	if (anonymize->mapping != NULL)
		appendStringInfo(&text, ", \"mapping\": %s",
						 JsonbToCString(NULL, &anonymize->mapping->root,
										VARSIZE(anonymize->mapping)));
	appendStringInfoChar(&text, '}');
	return DatumGetJsonbP(
		DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data)));
}

/* Attacks the new table through every channel; stops if more are found. */
static void
attack_tables(const Anonymize *anonymize, const SdcRelation *target,
			  const SdcRelation *link)
{
	double bound = anonymize->bounds.found;
	SdcAttackCase of = {0};
	SdcAttackOutcome outcome;

	of.original = anonymize->purchases.relation;
	of.masked = target;
	of.params = attack_params(anonymize, link);
	of.seeded = anonymize->seeded;
	of.seed = (int64) anonymize->seed;
	sdcpg_attack_run(sdcpg_attack_find("events"), &of, &outcome);
	if (outcome.reason != NULL && anonymize->target->rows > 0)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("the new table cannot be attacked"),
						errdetail_internal("%s", outcome.reason)));
	if (outcome.reason == NULL &&
		outcome.upper[SDC_STAT_FOUND] > bound + TOLERANCE)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("more customers are found than params.found allows"),
				 errdetail("%s  Nothing was kept.", outcome.parts),
				 errhint("Let members of a cluster have common days and "
						 "amounts, or allow a larger \"t\".")));
	sdcpg_step_measure(anonymize->result, FOUND, anonymize->target->sql,
					   outcome.reason == NULL ? outcome.upper[SDC_STAT_FOUND]
											  : 0,
					   "At most %.6g was allowed.%s%s", bound,
					   outcome.parts == NULL ? "" : " ",
					   outcome.parts == NULL ? "" : outcome.parts);
}

/* Counts every bound again, from the tables as they are. */
static void
verify_tables(Anonymize *anonymize)
{
	const SdcBasketBounds *bounds = &anonymize->bounds;
	SdcPurchases written;
	SdcPgHost *host = anonymize->host;
	StringInfo with = &anonymize->original;
	SdcRelation *target = sdcpg_target_open(anonymize->target);
	SdcRelation *link = sdcpg_target_open(anonymize->link);

	written = sdcpg_purchases_find(target->oid, anonymize->mapping,
								   anonymize->purchases.wanted);
	appendStringInfoString(with, ", ");
	sdcpg_purchases_with(with, "m", &written, NULL);
	appendStringInfoString(with, ", ");
	sdcpg_purchases_link_with(with, "l", link, NULL);
	if (anonymize->master != NULL)
		appendStringInfoString(
			with, ", km AS (SELECT l.masked AS customer, k.cell "
				  "FROM l JOIN ko AS k ON k.customer" SDC_EQ "l.original)");
	sdcpg_transactions_check(host, with->data, "l");
	verify(anonymize, ITEM_SETS, sdcpg_transactions_jaccard(host, with->data),
		   bounds->jaccard);
	if (!isinf(bounds->cmae))
		verify(anonymize, PRICES,
			   sdcpg_transactions_cmae(host, with->data, false), bounds->cmae);
	if (!isinf(bounds->subset))
		verify(anonymize, TURNOVER,
			   sdcpg_transactions_subset(host, with->data, bounds->k,
										 bounds->span),
			   bounds->subset);
	if (!isinf(bounds->rfm))
		verify(
			anonymize, CUSTOMERS,
			sdcpg_transactions_rfm(host, with->data, bounds->classes, false),
			bounds->rfm);
	if (!isinf(bounds->books))
		verify(anonymize, BOOKS, sdcpg_transactions_books(host, with->data),
			   bounds->books);
	if (!isinf(bounds->found))
		attack_tables(anonymize, target, link);
	sdcpg_target_close();
	sdcpg_target_close();
}

/* Starts a stream of random numbers. */
static void
start_random(const Anonymize *anonymize, SdcRandom *random, uint64 stream)
{
	if (anonymize->seeded)
		sdc_random_seed(random, anonymize->seed, stream);
	else
		sdcpg_strong_random(random);
}

/* What became of the columns of the purchases, and the tables. */
static void
put_columns(const Anonymize *anonymize)
{
	const char *became[SDC_PURCHASE_COLUMNS] = {
		[SDC_PURCHASE_CUSTOMER] = "New numbers of customers.",
		[SDC_PURCHASE_INVOICE] = "A new number for each customer and day.",
		[SDC_PURCHASE_AT] = "The day, without a time of it.",
		[SDC_PURCHASE_ITEM] = "The items of the centre of a cluster.",
		[SDC_PURCHASE_PRICE] = "Prices that keep the turnover.",
		[SDC_PURCHASE_QUANTITY] = "A piece for each item of a set at least."};
	int i;

	if (anonymize->bounds.days == SDC_DAYS_SHIFTED)
		became[SDC_PURCHASE_AT] = "All days of a customer, moved alike.";
	if (anonymize->bounds.days == SDC_DAYS_COMMON)
		became[SDC_PURCHASE_AT] = "The days of one member of a cluster.";
	if (anonymize->bounds.days == SDC_DAYS_DRAWN)
		became[SDC_PURCHASE_AT] = "Days of a cluster, drawn by classes.";
	if (anonymize->bounds.amounts == SDC_AMOUNTS_DRAWN)
	{
		became[SDC_PURCHASE_PRICE] = "Prices that add up to a drawn turnover.";
		became[SDC_PURCHASE_QUANTITY] = "What a drawn turnover buys.";
	}
	if (anonymize->bounds.amounts == SDC_AMOUNTS_COMMON)
	{
		became[SDC_PURCHASE_PRICE] =
			"Prices that share the turnover of a cluster out.";
		became[SDC_PURCHASE_QUANTITY] = "The pieces of a cluster, shared out.";
	}
	for (i = 0; i < SDC_PURCHASE_COLUMNS; i++)
		if (became[i] != NULL &&
			(anonymize->purchases.wanted & SDC_PURCHASE_WANT(i)) != 0)
			sdcpg_step_masked(
				anonymize->result, anonymize->purchases.column[i].name,
				"anonymize_itemsets", anonymize->target->rows, -1, became[i]);
	sdcpg_step_written(anonymize->result, anonymize->target);
	sdcpg_step_written(anonymize->result, anonymize->link);
}

/* Writes the tables, with pseudonyms in an order drawn at random. */
static void
write_tables(Anonymize *anonymize, const SdcBasketFile *file,
			 const SdcBasketClusters *made)
{
	SdcRandom random;
	SdcHost *host = &anonymize->host->kernel;
	int32 *order = sdc_new(host, int32, (Size) file->customers + 1);
	int32 i;

	/* a stream of its own: who is who must not follow from the moves */
	start_random(anonymize, &random, 1);
	for (i = 0; i < file->customers; i++)
		order[i] = i;
	for (i = file->customers - 1; i > 0; i--)
	{
		int32 j = (int32) sdc_random_below(&random, (uint64) i + 1);
		int32 other = order[i];

		order[i] = order[j];
		order[j] = other;
	}
	basket_file_write(file, &anonymize->purchases, &made->rows, order,
					  anonymize->target);
	basket_file_write_link(file, order, anonymize->link);
	put_columns(anonymize);
	verify_tables(anonymize);
}

/*
 * anonymize_itemsets(relation regclass, target text, t float8, mapping jsonb,
 *                    params jsonb, seed bigint)
 */
Datum
sdcf_anonymize_itemsets(PG_FUNCTION_ARGS)
{
	Anonymize anonymize;
	SdcBasketFile file;
	SdcBasketClusters made;
	SdcRandom random;
	SdcRandom days;

	read_arguments(fcinfo, &anonymize);
	anonymize.result = sdcpg_result_begin(fcinfo);
	append_original(&anonymize);
	anonymize.host =
		sdcpg_host_begin("anonymize_itemsets", CurrentMemoryContext);
	if (anonymize.master != NULL)
		sdcpg_transactions_check(anonymize.host, anonymize.original.data,
								 "ko");
	file = basket_file_load(anonymize.host, anonymize.original.data,
							anonymize.master != NULL);
	if (file.customers > 0 && anonymize.bounds.k > file.customers &&
		!isinf(anonymize.bounds.subset))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("params.k is larger than the number of "
							   "customers")));
	start_random(&anonymize, &random, 0);
	start_random(&anonymize, &days, 2);
	made =
		sdcpg_basket_clusters_make(&file, &anonymize.bounds, &random, &days);
	if (made.missing > 0)
		ereport(NOTICE,
				(errmsg("the new baskets have more pieces than there were"),
				 errdetail("Each item of a set needs a piece, and there were "
						   "too few; the turnover is what it was.")));
	if (anonymize.target != NULL)
		write_tables(&anonymize, &file, &made);
	sdcpg_step_measure(anonymize.result, "clusters",
					   anonymize.purchases.relation->sql, made.clusters,
					   "%d customers form %d %s of one set of items each.",
					   file.customers, made.clusters,
					   made.clusters == 1 ? "cluster" : "clusters");
	if (anonymize.bounds.days == SDC_DAYS_DRAWN ||
		anonymize.bounds.amounts == SDC_AMOUNTS_DRAWN)
		sdcpg_step_measure(
			anonymize.result, "alone_in_class",
			anonymize.purchases.relation->sql,
			file.customers == 0 ? 0 : (double) made.alone / file.customers,
			"%d customers are the only ones of their class of recency, "
			"frequency and money in their cluster.",
			made.alone);
	sdcpg_host_end(anonymize.host);
	return (Datum) 0;
}
