/*
 * anonymize_itemsets.c
 *		sdc.anonymize_itemsets: one set of items for the customers of a
 *		cluster.
 *
 * The purchases are read, new baskets made, and both they and the truth
 * written as tables.  Every bound is then counted again from these tables by
 * the measures themselves, and an error takes them back unless all hold.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/regproc.h"

#include "pg/call/args.h"
#include "pg/call/params.h"
#include "pg/call/params_names.h"
#include "pg/server/compat.h"
#include "pg/transaction/basket_clusters.h"
#include "pg/transaction/transaction_measures.h"

PG_FUNCTION_INFO_V1(sdcf_anonymize_itemsets);

static const char *const rls_choices[] = {"refuse", "allow", NULL};
static const char *const params_keys[] = {
	"cmae",  "subset", "rfm",     "k",           "span", "classes",
	"share", "master", "columns", "link_target", "rls",  NULL};

/* What rounding may add to a bound that was counted in another way. */
#define TOLERANCE 1e-9

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
	StringInfoData original; /* WITH o, and ko if there is a master */
} Anonymize;

static void
read_bounds(FunctionCallInfo fcinfo, Jsonb *params, SdcBasketBounds *bounds)
{
	sdcpg_args_range("t", PG_GETARG_FLOAT8(1), 0, 1);
	bounds->jaccard = PG_GETARG_FLOAT8(1);
	bounds->cmae = sdcpg_params_number(params, "cmae", INFINITY, 0, 1e300);
	bounds->subset = sdcpg_params_number(params, "subset", INFINITY, 0, 1e300);
	bounds->rfm = sdcpg_params_number(params, "rfm", INFINITY, 0, 1);
	bounds->k = (int32) sdcpg_params_integer(params, "k", 10, 1, SDC_MAX_ROWS);
	bounds->span = sdcpg_params_integer(params, "span", 30, 1, 100000);
	bounds->classes = (int) sdcpg_params_integer(params, "classes", 5, 2, 100);
	bounds->share = sdcpg_params_number(params, "share", 0.1, 0, 0.5);
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
				 errmsg("a bound on cmae needs the cells of the customers"),
				 errhint("Name the table of customers in params.master and "
						 "its columns in params.columns.")));
	if (name == NULL)
		return;
	anonymize->master = sdcpg_relation_find(DatumGetObjectId(
		DirectFunctionCall1(regclassin, CStringGetDatum(name))));
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

	if (PG_ARGISNULL(5))
	{
		if (link != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("params.link_target needs argument \"target\"")));
		return;
	}
	anonymize->target = sdcpg_target_find(PG_GETARG_TEXT_PP(5));
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
	Jsonb *params = PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3);
	SdcRelation *relation;

	memset(anonymize, 0, sizeof(*anonymize));
	if (PG_ARGISNULL(0))
		sdcpg_args_null("original");
	if (PG_ARGISNULL(1))
		sdcpg_args_null("t");
	anonymize->mapping = PG_ARGISNULL(2) ? NULL : PG_GETARG_JSONB_P(2);
	sdcpg_purchases_check_mapping(anonymize->mapping);
	sdcpg_params_check(params, params_keys);
	read_bounds(fcinfo, params, &anonymize->bounds);
	relation = sdcpg_relation_find(PG_GETARG_OID(0));
	anonymize->purchases =
		sdcpg_purchases_find(PG_GETARG_OID(0), anonymize->mapping,
							 wanted_columns(relation, anonymize->mapping));
	read_master(params, anonymize);
	sdcpg_target_need_all_rows(
		relation, sdcpg_params_choice(params, "rls", rls_choices) == 1);
	read_targets(fcinfo, params, anonymize);
	anonymize->seed =
		PG_ARGISNULL(4) ? sdcpg_strong_seed() : (uint64) PG_GETARG_INT64(4);
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

/* Stops unless a measure of the tables is within its bound. */
static void
verify(double measure, double bound, const char *name)
{
	if (isnan(measure) || measure <= bound + TOLERANCE * (1 + bound))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("the new table is not what was to be written"),
			 errdetail("Its %s is above the bound.  Nothing was kept.", name),
			 errhint("A view must give the same rows each time it is read, "
					 "and columns must hold the new values exactly.")));
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
	sdcpg_transactions_check_link(host, with->data);
	verify(sdcpg_transactions_jaccard(host, with->data), bounds->jaccard,
		   "ut-jaccard");
	if (!isinf(bounds->cmae))
		verify(sdcpg_transactions_cmae(host, with->data, false), bounds->cmae,
			   "cmae");
	if (!isinf(bounds->subset))
		verify(sdcpg_transactions_subset(host, with->data, bounds->k,
										 bounds->span),
			   bounds->subset, "subset");
	if (!isinf(bounds->rfm))
		verify(
			sdcpg_transactions_rfm(host, with->data, bounds->classes, false),
			bounds->rfm, "rfm");
	sdcpg_target_close();
	sdcpg_target_close();
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
	sdc_random_seed(&random, anonymize->seed, 1);
	for (i = 0; i < file->customers; i++)
		order[i] = i;
	for (i = file->customers - 1; i > 0; i--)
	{
		int32 j = (int32) sdc_random_below(&random, (uint64) i + 1);
		int32 other = order[i];

		order[i] = order[j];
		order[j] = other;
	}
	sdcpg_basket_file_write(file, &anonymize->purchases, &made->rows, order,
							anonymize->target);
	sdcpg_basket_file_write_link(file, order, anonymize->link);
	verify_tables(anonymize);
}

/*
 * anonymize_itemsets(original regclass, t float8, mapping jsonb,
 *                    params jsonb, seed bigint, target text)
 */
Datum
sdcf_anonymize_itemsets(PG_FUNCTION_ARGS)
{
	Anonymize anonymize;
	SdcBasketFile file;
	SdcBasketClusters made;
	SdcRandom random;

	read_arguments(fcinfo, &anonymize);
	append_original(&anonymize);
	anonymize.host =
		sdcpg_host_begin("anonymize_itemsets", CurrentMemoryContext);
	if (anonymize.master != NULL)
		sdcpg_transactions_check_cells(anonymize.host, anonymize.original.data,
									   "ko");
	file = sdcpg_basket_file_load(anonymize.host, anonymize.original.data,
								  anonymize.master != NULL);
	if (file.customers > 0 && anonymize.bounds.k > file.customers &&
		!isinf(anonymize.bounds.subset))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("params.k is larger than the number of "
							   "customers")));
	sdc_random_seed(&random, anonymize.seed, 0);
	made = sdcpg_basket_clusters_make(&file, &anonymize.bounds, &random);
	if (made.missing > 0)
		ereport(NOTICE,
				(errmsg("the new baskets have more pieces than there were"),
				 errdetail("Each item of a set needs a piece, and there were "
						   "too few; the turnover is what it was.")));
	if (anonymize.target != NULL)
		write_tables(&anonymize, &file, &made);
	sdcpg_host_end(anonymize.host);
	PG_RETURN_INT64(made.clusters);
}
