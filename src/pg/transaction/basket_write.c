/*
 * basket_write.c
 *		New baskets as tables.
 *
 * The rows are arrays, which are the parameters of one CREATE TABLE AS; casts
 * in it give each column the type that it had.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/server/compat.h"
#include "pg/transaction/basket_files.h"

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

void
sdcpg_basket_file_write(const SdcBasketFile *file,
						const SdcPurchases *purchases,
						const SdcBasketRows *rows, const int32 *order,
						const SdcTarget *target)
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
						parameters);
}

void
sdcpg_basket_file_write_link(const SdcBasketFile *file, const int32 *order,
							 const SdcTarget *target)
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
						parameters);
}
