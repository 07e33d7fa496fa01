/*
 * frontier_itemsets.c
 *		sdc.frontier_itemsets: ways to protect purchases, compared by what the
 *		strongest channel finds of the customers and by what is lost.
 *
 * Each candidate is what sdc.anonymize_itemsets takes.  It writes the new
 * purchases and who is who into temporary tables, which are attacked and
 * measured, and are gone before the next candidate is tried.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/progress.h"
#include "host/server/result.h"
#include "release/document.h"
#include "release/frontier.h"
#include "topic/model/learning.h"
#include "topic/registry/attacks.h"
#include "topic/transaction/purchases.h"

PG_FUNCTION_INFO_V1(sdcf_frontier_itemsets);

#define REPEATS 3

/* The measures: the last is the risk, the others are losses. */
static const char *const measure_words[] = {"item_set_distance",
											"mean_price_error",
											"turnover_error",
											"customer_class_difference",
											"item_turnover_error",
											"found",
											NULL};

typedef enum Measure
{
	ITEM_SETS,
	PRICES,
	TURNOVER,
	CLASSES,
	BOOKS,
	FOUND,
	MEASURES
} Measure;

/* The same as keys of the argument "constraints". */
#define BOUND(name)                                       \
	{                                                     \
		name, SDC_KEY_NUMBER, false, 0, 1e300, NULL, NULL \
	}

static const SdcKey bound_keys[] = {BOUND("item_set_distance"),
									BOUND("mean_price_error"),
									BOUND("turnover_error"),
									BOUND("customer_class_difference"),
									BOUND("item_turnover_error"),
									BOUND("found"),
									{NULL}};

static const char *const params_keys[] = {
	"loss", "repeats", "master", "columns", "k", "span", "classes", NULL};

typedef struct Purchases
{
	SdcFrontier frontier; /* comes first: the callback gets it */
	const SdcRelation *relation;
	char *name;     /* of the temporary tables */
	Jsonb *mapping; /* NULL: none */
	double bound[MEASURES];
	int loss;     /* a measure; -1: the largest share of a bound */
	char *master; /* NULL: no cells of customers */
	List *columns;
	int64 k;
	int64 span;
	int64 classes;
} Purchases;

/* ----------------------------------------------------------------------
 * What a candidate leaves.
 * ----------------------------------------------------------------------
 */

/* A temporary table, as SQL. */
static char *
temporary(const Purchases *purchases, const char *suffix)
{
	return psprintf("pg_temp.%s%s", purchases->name, suffix);
}

/* The candidate's params: all of it but t, and where the truth goes. */
static Jsonb *
candidate_params(const Purchases *purchases, Jsonb *candidate)
{
	StringInfoData truth;
	Datum params = DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(candidate),
									   CStringGetTextDatum("t"));

	sdcpg_document_begin(&truth);
	sdcpg_document_open(&truth, NULL, '{');
	sdcpg_document_text(&truth, "link_target", temporary(purchases, "_link"));
	sdcpg_document_close(&truth, '{');
	return DatumGetJsonbP(DirectFunctionCall2(
		jsonb_concat, params, JsonbPGetDatum(sdcpg_document_end(&truth))));
}

static void
bind_jsonb(SdcCatalogParameters *parameters, Jsonb *value)
{
	sdcpg_catalog_bind(parameters, JSONBOID,
					   value == NULL ? 0 : JsonbPGetDatum(value),
					   value == NULL);
}

/* Writes what the candidate makes of the purchases. */
static void
protect(const Purchases *purchases, Jsonb *candidate, uint64 seed)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, REGCLASSOID,
					   ObjectIdGetDatum(purchases->relation->oid), false);
	sdcpg_catalog_bind_text(&parameters, temporary(purchases, ""));
	sdcpg_catalog_bind(
		&parameters, FLOAT8OID,
		Float8GetDatum(sdcpg_params_number(candidate, "t", 0.7, 0, 1)), false);
	bind_jsonb(&parameters, purchases->mapping);
	bind_jsonb(&parameters, candidate_params(purchases, candidate));
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum((int64) seed),
					   false);
	sdcpg_catalog_run_as_seen(
		"SELECT pg_catalog.count(*) FROM sdc.anonymize_itemsets(relation =>"
		" $1, target => $2, t => $3, mapping => $4, params => $5,"
		" seed => $6)",
		&parameters);
}

/* The column that mapping gives a key, or that of the key's name, as SQL. */
static const char *
column_of(const Purchases *purchases, const char *key)
{
	char *name = purchases->mapping == NULL
					 ? NULL
					 : sdcpg_params_text(purchases->mapping, key);

	return quote_identifier(name == NULL ? key : name);
}

/* The customers with the new names, for the cells of prices: a view. */
static char *
make_master(const Purchases *purchases)
{
	const char *customer = column_of(purchases, "customer");
	StringInfoData list;
	ListCell *cell;

	initStringInfo(&list);
	foreach (cell, purchases->columns)
		appendStringInfo(&list, ", c.%s", quote_identifier(lfirst(cell)));
	sdcpg_catalog_run_as_seen(
		psprintf("CREATE TEMPORARY VIEW %s_master AS SELECT"
				 " l.masked AS %s%s FROM %s AS l JOIN %s AS c ON"
				 " CAST(c.%s AS pg_catalog.text)"
				 " OPERATOR(pg_catalog.=) l.original",
				 purchases->name, customer, list.data,
				 temporary(purchases, "_link"),
				 sdcpg_relation_named(purchases->master)->sql, customer),
		NULL);
	CommandCounterIncrement();
	return temporary(purchases, "_master");
}

/* A figure; $1 the original, $2 the mapping, $3 the params of the measure. */
static double
figure(const Purchases *purchases, Jsonb *params, const char *sql)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind(&parameters, REGCLASSOID,
					   ObjectIdGetDatum(purchases->relation->oid), false);
	bind_jsonb(&parameters, purchases->mapping);
	bind_jsonb(&parameters, params);
	rows = sdcpg_catalog_read(psprintf("SELECT %s, $3", sql), &parameters);
	return rows->isnull[0][0] ? NAN : DatumGetFloat8(rows->value[0][0]);
}

static Jsonb *
number_object(const char *key, int64 number)
{
	StringInfoData document;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_integer(&document, key, number);
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* The columns of the cells as an array in SQL. */
static char *
column_list(const Purchases *purchases)
{
	StringInfoData list;
	ListCell *cell;

	initStringInfo(&list);
	foreach (cell, purchases->columns)
		appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "",
						 quote_literal_cstr(lfirst(cell)));
	return psprintf("CAST(ARRAY[%s] AS pg_catalog.name[])", list.data);
}

/* The share of the turnover that is on other items than before. */
static double
measure_books(const Purchases *purchases)
{
	const unsigned wanted = SDC_PURCHASE_WANT(SDC_PURCHASE_ITEM) |
							SDC_PURCHASE_WANT(SDC_PURCHASE_PRICE) |
							SDC_PURCHASE_WANT(SDC_PURCHASE_QUANTITY);
	Jsonb *mapping =
		sdcpg_purchases_mapping(purchases->relation->oid, purchases->mapping);
	SdcPurchases before =
		sdcpg_purchases_find(purchases->relation->oid, mapping, wanted);
	SdcPurchases after = sdcpg_purchases_find(
		get_relname_relid(purchases->name,
						  LookupExplicitNamespace("pg_temp", false)),
		mapping, wanted);
	SdcPgHost *host =
		sdcpg_host_begin("frontier_itemsets", CurrentMemoryContext);
	StringInfoData with;
	double moved;

	initStringInfo(&with);
	sdcpg_purchases_with(&with, "o", &before, NULL);
	appendStringInfoString(&with, ", ");
	sdcpg_purchases_with(&with, "m", &after, NULL);
	moved = sdcpg_transactions_books(host, with.data);
	sdcpg_host_end(host);
	return moved;
}

/* What is lost, measure by measure. */
static void
measure_losses(const Purchases *purchases, double *value)
{
	const char *new = quote_literal_cstr(temporary(purchases, ""));
	const char *link = quote_literal_cstr(temporary(purchases, "_link"));

	value[ITEM_SETS] = figure(
		purchases, NULL,
		psprintf("sdc.item_set_distance($1, CAST(%s AS pg_catalog.regclass),"
				 " CAST(%s AS pg_catalog.regclass), $2)",
				 new, link));
	value[TURNOVER] = figure(
		purchases, NULL,
		psprintf("sdc.turnover_error($1, CAST(%s AS pg_catalog.regclass),"
				 " CAST(%s AS pg_catalog.regclass), CAST(" INT64_FORMAT
				 " AS pg_catalog.int4), pg_catalog.make_interval(days =>"
				 " CAST(" INT64_FORMAT " AS pg_catalog.int4)), $2)",
				 new, link, purchases->k, purchases->span));
	value[CLASSES] =
		figure(purchases, number_object("classes", purchases->classes),
			   psprintf("sdc.customer_class_difference($1, CAST(%s AS"
						" pg_catalog.regclass), $2, $3)",
						new));
	value[BOOKS] = measure_books(purchases);
	value[PRICES] = NAN;
	if (purchases->master != NULL)
		value[PRICES] = figure(
			purchases, NULL,
			psprintf(
				"sdc.mean_price_error($1, CAST(%s AS pg_catalog.regclass),"
				" CAST(%s AS pg_catalog.regclass),"
				" CAST(%s AS pg_catalog.regclass), %s, $2)",
				new,
				quote_literal_cstr(
					sdcpg_relation_named(purchases->master)->sql),
				quote_literal_cstr(make_master(purchases)),
				column_list(purchases)));
}

/* What the strongest channel finds, and what each one does. */
static double
measure_found(const Purchases *purchases, uint64 seed, char **parts)
{
	Oid schema = LookupExplicitNamespace("pg_temp", false);
	SdcAttackCase of = {0};
	SdcAttackOutcome outcome;
	StringInfoData params;

	sdcpg_document_begin(&params);
	sdcpg_document_open(&params, NULL, '{');
	sdcpg_document_text(&params, "link", temporary(purchases, "_link"));
	if (purchases->mapping != NULL)
		sdcpg_document_jsonb(&params, "mapping", purchases->mapping);
	sdcpg_document_close(&params, '{');
	of.original = purchases->relation;
	of.masked =
		sdcpg_relation_find(get_relname_relid(purchases->name, schema));
	of.params = sdcpg_document_end(&params);
	of.seeded = true;
	of.seed = (int64) seed;
	sdcpg_attack_run(sdcpg_attack_find("events"), &of, &outcome);
	*parts = outcome.reason != NULL ? outcome.reason : outcome.parts;
	return outcome.reason != NULL ? NAN : outcome.upper[SDC_STAT_FOUND];
}

/* ----------------------------------------------------------------------
 * Bounds, and the loss that candidates are compared by.
 * ----------------------------------------------------------------------
 */

/* The loss: a measure, or the largest share of a bound that is used up. */
static double
loss_of(const Purchases *purchases, const double *value)
{
	double most = 0;
	int i;

	if (purchases->loss >= 0)
		return value[purchases->loss];
	for (i = 0; i < FOUND; i++)
		if (!isinf(purchases->bound[i]))
		{
			double used = value[i] == 0 ? 0 : value[i] / purchases->bound[i];

			if (isnan(used))
				return NAN;
			most = Max(most, used);
		}
	return most;
}

/* The measures that are not within their bounds, as a sentence; or NULL. */
static char *
failure_of(const Purchases *purchases, const double *value)
{
	StringInfoData said;
	int i;

	initStringInfo(&said);
	for (i = 0; i < MEASURES; i++)
		if (!isinf(purchases->bound[i]) &&
			!(value[i] <= purchases->bound[i] + 1e-9))
			appendStringInfo(&said, "%s%s is %.4g, above %.4g",
							 said.len > 0 ? "; " : "", measure_words[i],
							 value[i], purchases->bound[i]);
	return said.len == 0 ? NULL : psprintf("%s.", said.data);
}

static char *
note_of(const double *value, const char *parts)
{
	StringInfoData said;
	int i;

	initStringInfo(&said);
	for (i = 0; i < MEASURES; i++)
		if (!isnan(value[i]))
			appendStringInfo(&said, "%s%s %.4g", said.len > 0 ? ", " : "",
							 measure_words[i], value[i]);
	return psprintf("%s. %s", said.data, parts == NULL ? "" : parts);
}

/* Protects, attacks and measures once. */
static void
try_candidate(const SdcFrontier *frontier, SdcFrontierPoint *point,
			  uint64 seed)
{
	const Purchases *purchases = (const Purchases *) frontier;
	double value[MEASURES];
	MemoryContext caller;
	char *failure;
	char *parts;

	protect(purchases, point->rules, seed);
	sdcpg_frontier_look();
	value[FOUND] = measure_found(purchases, seed, &parts);
	measure_losses(purchases, value);
	sdcpg_frontier_looked();
	caller = MemoryContextSwitchTo(frontier->memory);
	failure = failure_of(purchases, value);
	point->failed += failure != NULL;
	if (point->failure == NULL)
		point->failure = failure;
	if (point->note == NULL)
		point->note = note_of(value, parts);
	point->risk[point->repeats] = value[FOUND];
	point->loss[point->repeats] = loss_of(purchases, value);
	point->repeats++;
	MemoryContextSwitchTo(caller);
}

/* ----------------------------------------------------------------------
 * frontier_itemsets(relation regclass, rules jsonb, constraints jsonb,
 *                   mapping jsonb, params jsonb, seed bigint)
 * ----------------------------------------------------------------------
 */

static void
read_constraints(Purchases *purchases, Jsonb *constraints)
{
	int i;

	if (constraints != NULL)
		sdcpg_keys_check(constraints, bound_keys, "argument \"constraints\"",
						 "It");
	purchases->loss = ITEM_SETS;
	for (i = 0; i < MEASURES; i++)
	{
		purchases->bound[i] =
			constraints == NULL
				? INFINITY
				: sdcpg_params_number(constraints, measure_words[i], INFINITY,
									  0, 1e300);
		if (i < FOUND && !isinf(purchases->bound[i]))
			purchases->loss = -1;
	}
}

static void
read_params(Purchases *purchases, Jsonb *params)
{
	sdcpg_params_check(params, params_keys);
	purchases->frontier.repeats = sdcpg_repeats_read(params, REPEATS);
	if (sdcpg_params_has(params, "loss"))
		purchases->loss = sdcpg_params_choice(params, "loss", measure_words);
	if (purchases->loss == FOUND)
		sdcpg_params_wrong("loss", "a measure of what is lost");
	purchases->master = sdcpg_params_text(params, "master");
	purchases->columns = sdcpg_params_names(params, "columns");
	purchases->k = sdcpg_params_integer(params, "k", 10, 1, PG_INT32_MAX);
	purchases->span = sdcpg_params_integer(params, "span", 30, 1, 100000);
	purchases->classes = sdcpg_params_integer(params, "classes", 5, 2, 100);
	if ((purchases->master == NULL) != (purchases->columns == NIL) ||
		(purchases->master == NULL &&
		 (!isinf(purchases->bound[PRICES]) || purchases->loss == PRICES)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" needs the cells of the customers",
						measure_words[PRICES]),
				 errhint("Name the table of customers in params.master and "
						 "its columns in params.columns.")));
}

Datum
sdcf_frontier_itemsets(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Purchases purchases = {{{0}}};
	SdcFrontierPoint **point;
	List *candidates;
	SdcPgHost *host;
	ListCell *cell;
	int count = 0;
	int i;

	sdcpg_args_need_first(fcinfo, 2);
	purchases.relation = sdcpg_relation_find(PG_GETARG_OID(0));
	purchases.name = sdcpg_frontier_name();
	read_constraints(&purchases,
					 PG_ARGISNULL(2) ? NULL : PG_GETARG_JSONB_P(2));
	purchases.mapping = PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3);
	read_params(&purchases, PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4));
	purchases.frontier.seed =
		PG_ARGISNULL(5) ? sdcpg_strong_seed() : (uint64) PG_GETARG_INT64(5);
	purchases.frontier.tolerant = true;
	purchases.frontier.memory = CurrentMemoryContext;
	purchases.frontier.measure = try_candidate;
	candidates = sdcpg_frontier_expand(PG_GETARG_JSONB_P(1));
	host = sdcpg_host_begin("frontier_itemsets", CurrentMemoryContext);
	point = palloc(sizeof(SdcFrontierPoint *) * list_length(candidates));
	sdcpg_progress_stage(&host->progress, "trying candidates");
	foreach (cell, candidates)
	{
		point[count] =
			sdcpg_frontier_point(&purchases.frontier, count + 1, lfirst(cell));
		while (point[count]->repeats < purchases.frontier.repeats &&
			   point[count]->refusal == NULL)
		{
			sdcpg_frontier_repeat(&purchases.frontier, point[count]);
			host->kernel.poll(&host->kernel, count, list_length(candidates));
		}
		count++;
	}
	sdcpg_frontier_finish(host, point, count, NULL);
	for (i = 0; i < count; i++)
		sdcpg_frontier_put(result, point[i]);
	sdcpg_host_end(host);
	return (Datum) 0;
}
