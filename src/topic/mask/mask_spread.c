/*
 * mask_spread.c
 *		Masks of a distributed relation that need figures of all its rows.
 *
 * A rule that moves values between rows (rank_swap, shuffle, pram), or puts
 * means in their place (microaggregate of one column), needs the ranks of all
 * rows.  One query counts how often each value occurs in each shard.  Sorted
 * by value, and by shard within a value, the rows have ranks, although none of
 * them was seen.  The kernel draws what each rank becomes.  That, and where
 * the ranks of each value in each shard begin, is packed into one bytea.  On
 * the servers sdc.value_taken() gives the rows of a shard that have a value
 * one rank of these after the other.
 *
 * Noise needs covariances only, and a key: what is drawn for a row is a
 * function of the key and of where the row lies, so it is the same for all
 * columns of the rule.
 *
 * The bytea goes to the servers as an intermediate result of Citus, which is
 * rows of the protocol of COPY into a file of the transaction: neither the
 * text of a statement nor a table.  Numbers are in network order, values as
 * their types send them, so settings of a server have no say.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/xlog.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/random.h"
#include "kernel/mask/noise.h"
#include "kernel/mask/pram.h"
#include "kernel/mask/rank_swap.h"
#include "kernel/microaggregation/microaggregate.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/mask_select.h"
#include "topic/mask/mask_spread.h"
#include "topic/mask/rules.h"

PG_FUNCTION_INFO_V1(sdcf_mask_figures);
PG_FUNCTION_INFO_V1(sdcf_value_taken);
PG_FUNCTION_INFO_V1(sdcf_keyed_noise);

/* What a bytea of figures starts with. */
#define DRAWN 0x53446472
#define NOISE 0x53446E6F

/* A rank that becomes NULL. */
#define BECOMES_NULL PG_UINT32_MAX

/* Bytes of figures at the most: what is sent is copied in one piece. */
#define FIGURE_BYTES (512 * 1024 * 1024)

/* What is gathered for a rule. */
typedef struct SdcGathering
{
	const SdcRule *rule;
	char *name;        /* of the intermediate result */
	const char *value; /* of rules that draw: the SQL of it */
	bool means;
	SdcSpreadMethod method;
	char *const *number; /* of noise: the SQL of the columns */
	int64 changed;       /* values that become others; -1: not known */
	int64 rows;          /* of rules that draw: rows that were counted */
	int64 known;         /* and those that had a value */
} SdcGathering;

/* ----------------------------------------------------------------------
 * What can be done on the servers.
 * ----------------------------------------------------------------------
 */

void
sdcpg_mask_refuse_spread(const SdcRelation *relation, const SdcRule *rule,
						 const char *why)
{
	if (why == NULL && !(rule->method->traits & SDC_MASK_ROW_LOCAL))
		why = psprintf("%s Each server has only some of them.",
					   rule->method->spread);
	else if (why == NULL)
		why = rule->method->spread;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("method \"%s\" cannot mask the distributed relation "
					"\"%s\"",
					rule->method->name, relation->name),
			 errdetail_internal("%s", why),
			 errhint("Bring the rows to this server: CREATE TABLE ... AS "
					 "SELECT * FROM %s and mask that, or name a temporary "
					 "table in argument \"target\".",
					 relation->sql)));
}

void
sdcpg_mask_check_spread(const SdcRelation *relation, const SdcRule *rule)
{
	const unsigned traits = rule->method->traits;

	if (traits & SDC_MASK_DISTRIBUTABLE)
		return;
	if (!(traits & SDC_MASK_GATHERED))
		sdcpg_mask_refuse_spread(relation, rule, NULL);
	if (sdcpg_rule_strata(rule, relation).count > 0)
		sdcpg_mask_refuse_spread(relation, rule,
								 "With strata it needs the rows of each "
								 "together, and each server has only some of "
								 "them.");
	if (rule->columns.count > 1 && !(traits & SDC_MASK_OWN_DRAW))
		sdcpg_mask_refuse_spread(relation, rule,
								 "Groups of records in several columns are "
								 "made of all rows. Each server has only some "
								 "of them; a rule for one column is carried "
								 "out.");
}

/* The SQL of the number of the shard that a row of r is in, from 0. */
static char *
place_of(const SdcRelation *relation, int32 *places)
{
	SdcCatalogParameters parameters = {0};
	char *column;
	char *bounds;

	(void) sdcpg_home_of(relation->oid, &column);
	*places = (int32) sdcpg_shards_of(relation->oid);
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(relation->oid),
					   false);
	bounds = TextDatumGetCString(
		sdcpg_catalog_read("SELECT pg_catalog.concat(pg_catalog.array_agg("
						   "s.shardminvalue::pg_catalog.int4 ORDER BY"
						   " s.shardminvalue::pg_catalog.int4))"
						   " FROM pg_catalog.pg_dist_shard AS s"
						   " WHERE s.logicalrelid OPERATOR(pg_catalog.=) $1",
						   &parameters)
			->value[0][0]);
	return psprintf("(pg_catalog.width_bucket(pg_catalog.worker_hash(r.%s), "
					"'%s'::pg_catalog.int4[]) OPERATOR(pg_catalog.-) 1)",
					quote_identifier(column), bounds);
}

/* The SQL of the figures of a gathering, read once on each server. */
static char *
figures_of(const SdcGathering *gathering)
{
	return psprintf("(SELECT m.figures FROM pg_catalog.read_intermediate_"
					"result('%s', 'binary') AS m (figures "
					"pg_catalog.bytea))",
					gathering->name);
}

static char *
finite_sql(const char *value)
{
	return psprintf("%s OPERATOR(pg_catalog.<>) ALL ("
					"'{NaN,Infinity,-Infinity}'::pg_catalog.float8[])",
					value);
}

static SdcGathering *
add_gathering(SdcMaskPlan *plan, const SdcRule *rule)
{
	SdcGathering *gathering = palloc0(sizeof(SdcGathering));

	gathering->rule = rule;
	gathering->name = sdcpg_catalog_hidden_name("sdc_");
	gathering->changed = -1;
	plan->gatherings = lappend(plan->gatherings, gathering);
	return gathering;
}

char *
sdcpg_mask_spread_draw(SdcMaskPlan *plan, const SdcRule *rule,
					   const char *value, bool means, SdcSpreadMethod method)
{
	SdcGathering *gathering = add_gathering(plan, rule);
	int32 places;
	char *sql;

	gathering->value = value;
	gathering->means = means;
	gathering->method = method;
	sql = psprintf("sdc.value_taken(%s, %s, %s)", value,
				   place_of(plan->relation, &places), figures_of(gathering));
	/* what is not finite has no place in a mean */
	return means ? psprintf("CASE WHEN %s THEN %s END", finite_sql(value), sql)
				 : sql;
}

/* Can the place of a row be read?  Not in columnar relations. */
static bool
has_places(const SdcRelation *relation)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation->oid));
	Oid method;

	if (!HeapTupleIsValid(tuple))
		return true;
	method = ((Form_pg_class) GETSTRUCT(tuple))->relam;
	ReleaseSysCache(tuple);
	return !OidIsValid(method) || method == HEAP_TABLE_AM_OID;
}

/*
 * The SQL of a number of a row of r.  With a seed it is made of the columns
 * that tell records apart, without one of the place where the row lies.
 */
static char *
number_of_row(const SdcMaskPlan *plan, const SdcRule *rule)
{
	char *number = "0::pg_catalog.int8";
	int i;

	if (!plan->seeded && has_places(plan->relation))
		return "pg_catalog.hash_array_extended(ARRAY[r.ctid], "
			   "r.tableoid::pg_catalog.int8)";
	if (plan->order.count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"%s\" needs a column that tells records "
						"apart in the distributed relation \"%s\"",
						rule->method->name, plan->relation->name),
				 errdetail("It does with a seed, and where rows are stored "
						   "by columns."),
				 errhint("Name it in argument \"id\".")));
	for (i = 0; i < plan->order.count; i++)
		number = psprintf("pg_catalog.hash_array_extended(ARRAY[r.%s], %s)",
						  plan->order.column[i].sql, number);
	return number;
}

void
sdcpg_mask_spread_noise(SdcMaskPlan *plan, const SdcRule *rule,
						char *const *value)
{
	SdcGathering *gathering = add_gathering(plan, rule);
	char *row = number_of_row(plan, rule);
	char *figures = figures_of(gathering);
	StringInfoData all;
	int j;

	initStringInfo(&all);
	for (j = 0; j < rule->columns.count; j++)
		appendStringInfo(&all, "%s%s", j > 0 ? " AND " : "",
						 finite_sql(value[j]));
	gathering->number = value;
	for (j = 0; j < rule->columns.count; j++)
	{
		SdcRelationColumn *column = &rule->columns.column[j];

		/* a single number that is not finite stays; a record becomes NULL */
		sdcpg_mask_plan_column(plan, column->number)->value =
			sdcpg_mask_type_from_number(
				plan, column,
				psprintf("CASE WHEN %s THEN %s OPERATOR(pg_catalog.+) "
						 "sdc.keyed_noise(%d, %s, %s) %s%s END",
						 all.data, value[j], j + 1, figures, row,
						 rule->columns.count == 1 ? "ELSE " : "",
						 rule->columns.count == 1 ? value[j] : ""));
	}
}

bool
sdcpg_mask_is_gathered(const SdcMaskColumn *column)
{
	return column->rule != NULL &&
		   (column->rule->method->traits & SDC_MASK_GATHERED) != 0;
}

/* ----------------------------------------------------------------------
 * How often each value occurs in each shard.
 * ----------------------------------------------------------------------
 */

typedef struct Counts
{
	SdcPgHost *host;
	SdcColumnType type;
	FmgrInfo equal;
	int32 places;
	int64 rows;    /* that have a value */
	int64 missing; /* that have none */
	int32 values;
	int32 room;
	Datum *value;
	uint32 *count; /* [value * places + place] */
} Counts;

static void
start_counts(void *arg, TupleDesc descriptor)
{
	Counts *counts = arg;
	Form_pg_attribute column = TupleDescAttr(descriptor, 1);
	TypeCacheEntry *cache;

	counts->type = sdcpg_column_type(column->atttypid, column->attcollation);
	cache = lookup_type_cache(counts->type.base, TYPECACHE_EQ_OPR_FINFO);
	fmgr_info_cxt(cache->eq_opr_finfo.fn_oid, &counts->equal,
				  counts->host->work);
}

static bool
same_value(Counts *counts, Datum a, Datum b)
{
	return DatumGetBool(
		FunctionCall2Coll(&counts->equal, counts->type.collation, a, b));
}

static Datum
keep_value(Counts *counts, Datum value)
{
	MemoryContext reading = MemoryContextSwitchTo(counts->host->work);

	if (!counts->type.by_value)
	{
		if (counts->type.length == -1)
			value = PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
		value = datumCopy(value, false, counts->type.length);
		sdcpg_host_count(counts->host,
						 datumGetSize(value, false, counts->type.length));
	}
	MemoryContextSwitchTo(reading);
	return value;
}

static void
add_value(Counts *counts, Datum value)
{
	if (counts->values == counts->room)
	{
		counts->room = counts->room == 0 ? 1024 : 2 * counts->room;
		counts->value = sdcpg_host_grow(counts->host, counts->value,
										counts->room, sizeof(Datum));
		counts->count =
			sdcpg_host_grow(counts->host, counts->count, counts->room,
							sizeof(uint32) * counts->places);
	}
	memset(counts->count + (Size) counts->values * counts->places, 0,
		   sizeof(uint32) * counts->places);
	counts->value[counts->values++] = keep_value(counts, value);
}

/* Takes a row (place, value, count); they come in the order of the values. */
static void
add_count(void *arg, TupleDesc descriptor, const Datum *values,
		  const bool *isnull)
{
	Counts *counts = arg;
	int32 place = DatumGetInt32(values[0]);
	int64 count = DatumGetInt64(values[2]);
	Datum *last = &counts->value[counts->values - 1];

	if (place < 0 || place >= counts->places)
		elog(ERROR, "a row of a distributed relation is in no shard");
	if (isnull[1])
	{
		counts->missing += count;
		return;
	}
	if (counts->values == 0 || !same_value(counts, *last, values[1]))
		add_value(counts, values[1]);
	else if (sdcpg_column_compare_bytes(&counts->type, values[1], *last) < 0)
		*last = keep_value(counts, values[1]); /* of equal ones the first */
	counts->rows += count;
	if (counts->rows > PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a rule that needs the ranks of all rows can mask %d "
						"rows at the most",
						PG_INT32_MAX)));
	counts->count[(Size) (counts->values - 1) * counts->places + place] +=
		(uint32) count;
}

static void
read_counts(Counts *counts, const SdcMaskPlan *plan,
			const SdcGathering *gathering)
{
	SdcRows rows = {.start = start_counts, .row = add_count, .arg = counts};
	char *place = place_of(plan->relation, &counts->places);

	sdcpg_rows_receive(
		counts->host,
		psprintf("SELECT %s AS place, %s AS value, pg_catalog.count(*) "
				 "FROM %s AS r GROUP BY 1, 2 ORDER BY 2, 1",
				 place,
				 gathering->means
					 ? psprintf("CASE WHEN %s THEN %s END",
								finite_sql(gathering->value), gathering->value)
					 : gathering->value,
				 plan->relation->sql),
		&rows);
}

/* Makes counts the ranks where they begin; the last is the number of rows. */
static uint32 *
make_bases(Counts *counts)
{
	Size cells = (Size) counts->values * counts->places;
	uint32 *base = sdc_new(&counts->host->kernel, uint32, cells + 1);
	uint32 rank = 0;
	Size i;

	for (i = 0; i < cells; i++)
	{
		base[i] = rank;
		rank += counts->count[i];
	}
	base[cells] = rank;
	return base;
}

/* ----------------------------------------------------------------------
 * What is drawn for all ranks.
 * ----------------------------------------------------------------------
 */

void
sdcpg_spread_rank_swap(const SdcSpreadDraw *draw)
{
	sdc_rank_swap(
		draw->host, (SdcRankSwapMethod) sdcpg_rule_variant(draw->rule),
		draw->count,
		sdc_rank_swap_window(sdcpg_rule_number(draw->rule, "p"), draw->count),
		draw->random, draw->from);
}

void
sdcpg_spread_shuffle(const SdcSpreadDraw *draw)
{
	sdc_rank_shuffle(draw->host, draw->count, draw->random, draw->from);
}

void
sdcpg_spread_pram(const SdcSpreadDraw *draw)
{
	sdc_pram_draw(draw->host, draw->count,
				  sdcpg_rule_number(draw->rule, "p") / 100, draw->random,
				  draw->from);
}

void
sdcpg_spread_microaggregate(const SdcSpreadDraw *draw)
{
	int32 k = (int32) sdcpg_rule_number(draw->rule, "k");

	sdcpg_args_group_size(k, draw->count);
	sdc_microaggregate(
		draw->host, (SdcMicroaggregateMethod) sdcpg_rule_variant(draw->rule),
		draw->value, draw->count, k, draw->mean);
}

static void
start_random(const SdcMaskPlan *plan, const SdcRule *rule, SdcRandom *random)
{
	uint64 seed = sdcpg_mask_seed(plan->seed, sdcpg_mask_plan_subject(rule));

	if (plan->seeded)
		sdc_random_seed(random, seed, 0);
	else
		sdcpg_strong_random(random);
}

/* The place of the value of a rank. */
static int32
value_of_rank(const Counts *counts, const uint32 *base, uint32 rank)
{
	int32 low = 0;
	int32 high = counts->values - 1;

	while (low < high)
	{
		int32 middle = low + (high - low + 1) / 2;

		if (base[(Size) middle * counts->places] <= rank)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* The value that each rank becomes, in place of the rank; counts changes. */
static int64
name_values(const Counts *counts, const uint32 *base, int32 *from)
{
	int64 changed = 0;
	int32 own = 0;
	int64 r;

	for (r = 0; r < counts->rows; r++)
	{
		if (r % SDC_POLL_STEPS == 0)
			counts->host->kernel.poll(&counts->host->kernel, r, counts->rows);
		while (own < counts->values - 1 &&
			   base[(Size) (own + 1) * counts->places] <= r)
			own++;
		from[r] = value_of_rank(counts, base, (uint32) from[r]);
		changed += from[r] != own;
	}
	return changed;
}

/* The means, each once, in place of those of the ranks; from[r] is which. */
static int32
name_means(double *mean, int32 *from, int64 rows)
{
	int32 means = 0;
	int64 r;

	for (r = 0; r < rows; r++)
	{
		if (means == 0 || mean[means - 1] != mean[r])
			mean[means++] = mean[r];
		from[r] = means - 1;
	}
	return means;
}

/* ----------------------------------------------------------------------
 * Figures as bytes.
 * ----------------------------------------------------------------------
 */

static void
put_integers(StringInfo bytes, const uint32 *number, Size count)
{
	Size i;

	enlargeStringInfo(bytes, sizeof(uint32) * count);
	for (i = 0; i < count; i++)
	{
		uint32 swapped = pg_hton32(number[i]);

		memcpy(bytes->data + bytes->len + sizeof(uint32) * i, &swapped,
			   sizeof(uint32));
	}
	bytes->len += sizeof(uint32) * count;
}

static void
put_values(StringInfo bytes, const Counts *counts)
{
	FmgrInfo send;
	Oid function;
	bool varlena;
	int32 i;

	getTypeBinaryOutputInfo(counts->type.base, &function, &varlena);
	fmgr_info(function, &send);
	for (i = 0; i < counts->values; i++)
	{
		bytea *sent = SendFunctionCall(&send, counts->value[i]);

		CHECK_FOR_INTERRUPTS();
		pq_sendint32(bytes, VARSIZE(sent) - VARHDRSZ);
		appendBinaryStringInfo(bytes, VARDATA(sent), VARSIZE(sent) - VARHDRSZ);
		pfree(sent);
		if (bytes->len > FIGURE_BYTES)
			break;
	}
}

/* Stops where figures are too many to be sent. */
static void
need_room(const SdcMaskPlan *plan, Size bytes)
{
	if (bytes > FIGURE_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the distributed relation \"%s\" has too many rows, "
						"or different values in a column, for a rule that "
						"needs the ranks of all",
						plan->relation->name),
				 errdetail("Each server would get more than %d MB.",
						   FIGURE_BYTES / (1024 * 1024)),
				 errhint("Round the column first.")));
}

static void
expand_values(const Counts *counts, const uint32 *base, double *value)
{
	int32 i;

	for (i = 0; i < counts->values; i++)
	{
		uint32 r = base[(Size) i * counts->places];

		for (; r < base[(Size) (i + 1) * counts->places]; r++)
			value[r] = DatumGetFloat8(counts->value[i]);
	}
}

/* Has the method draw, and packs what servers need of it. */
static void
pack_draw(StringInfo bytes, SdcMaskPlan *plan, SdcGathering *gathering,
		  Counts *counts)
{
	SdcHost *host = &counts->host->kernel;
	Size cells = (Size) counts->values * counts->places;
	uint32 *base = make_bases(counts);
	int32 means = 0;
	SdcRandom random;
	SdcSpreadDraw draw = {host, gathering->rule, &random,
						  (int32) counts->rows};
	int32 i;

	need_room(plan, sizeof(uint32) * (cells + counts->rows + 1));
	start_random(plan, gathering->rule, &random);
	draw.from = sdc_new(host, int32, counts->rows + 1);
	if (gathering->means)
	{
		double *value = sdc_new(host, double, counts->rows + 1);

		expand_values(counts, base, value);
		draw.value = value;
		draw.mean = sdc_new(host, double, counts->rows + 1);
	}
	gathering->method(&draw);
	if (gathering->means)
		means = name_means(draw.mean, draw.from, counts->rows);
	else
		gathering->changed = name_values(counts, base, draw.from);
	pq_sendint32(bytes, DRAWN);
	pq_sendint32(bytes, counts->places);
	pq_sendint32(bytes, counts->values);
	pq_sendint32(bytes, means);
	pq_sendint32(bytes, (uint32) counts->rows);
	put_integers(bytes, base, cells + 1);
	put_integers(bytes, (uint32 *) draw.from, counts->rows);
	put_values(bytes, counts);
	for (i = 0; i < means; i++)
		pq_sendfloat8(bytes, draw.mean[i]);
	need_room(plan, bytes->len);
}

/* ----------------------------------------------------------------------
 * Noise.
 * ----------------------------------------------------------------------
 */

/*
 * One row: the covariances of the columns, the lower triangle row by row.
 * Sums of numeric are exact, so they do not depend on who adds first.
 */
static char *
covariance_query(const SdcMaskPlan *plan, const SdcGathering *gathering)
{
	int columns = gathering->rule->columns.count;
	StringInfoData sql;
	int i;
	int j;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (i = 0; i < columns; i++)
		for (j = 0; j <= i; j++)
			appendStringInfo(
				&sql,
				"%s((pg_catalog.sum(q.c%d OPERATOR(pg_catalog.*) q.c%d) "
				"OPERATOR(pg_catalog.-) (pg_catalog.sum(q.c%d) "
				"OPERATOR(pg_catalog.*) pg_catalog.sum(q.c%d) "
				"OPERATOR(pg_catalog./) pg_catalog.count(*))) "
				"OPERATOR(pg_catalog./) "
				"NULLIF(pg_catalog.count(*) OPERATOR(pg_catalog.-) 1, 0))"
				"::pg_catalog.float8",
				i + j > 0 ? ", " : "", i, j, i, j);
	appendStringInfoString(&sql, " FROM (SELECT ");
	for (i = 0; i < columns; i++)
		appendStringInfo(&sql, "%s%s::pg_catalog.numeric AS c%d",
						 i > 0 ? ", " : "", gathering->number[i], i);
	appendStringInfo(&sql, " FROM %s AS r WHERE ", plan->relation->sql);
	for (i = 0; i < columns; i++)
		appendStringInfo(&sql, "%s%s", i > 0 ? " AND " : "",
						 finite_sql(gathering->number[i]));
	appendStringInfoString(&sql, ") AS q");
	return sql.data;
}

/* The key that noise is drawn with. */
static void
put_key(StringInfo bytes, const SdcMaskPlan *plan, const SdcRule *rule)
{
	uint64 key[SDC_RANDOM_KEY / sizeof(uint64)];
	SdcRandom random;
	int i;

	start_random(plan, rule, &random);
	for (i = 0; i < lengthof(key); i++)
		key[i] = pg_hton64(sdc_random_bits(&random));
	appendBinaryStringInfo(bytes, (char *) key, sizeof(key));
}

static void
pack_noise(StringInfo bytes, SdcMaskPlan *plan, const SdcGathering *gathering)
{
	double factor[SDC_MAX_COLUMNS][SDC_MAX_COLUMNS];
	const SdcRule *rule = gathering->rule;
	SdcCatalogRows *rows =
		sdcpg_catalog_read(covariance_query(plan, gathering), NULL);
	double alpha = sdcpg_rule_number(rule, "alpha");
	int columns = rule->columns.count;
	int column = 0;
	int i;
	int j;

	for (i = 0; i < columns; i++)
		for (j = 0; j <= i; j++, column++)
			factor[i][j] =
				rows->isnull[0][column]
					? 0
					: alpha * DatumGetFloat8(rows->value[0][column]);
	sdc_noise_factorize(factor, columns);
	pq_sendint32(bytes, NOISE);
	pq_sendint32(bytes, columns);
	pq_sendint32(bytes, sdcpg_rule_variant(rule));
	pq_sendint32(bytes, plan->seeded);
	put_key(bytes, plan, rule);
	for (i = 0; i < columns; i++)
		for (j = 0; j <= i; j++)
			pq_sendfloat8(bytes, factor[i][j]);
}

/* ----------------------------------------------------------------------
 * Figures on their way.
 * ----------------------------------------------------------------------
 */

/* What sdc.mask_figures() returns, while a mask sends it. */
static bytea *figures_sent = NULL;

/* mask_figures() returns bytea */
Datum
sdcf_mask_figures(PG_FUNCTION_ARGS)
{
	if (figures_sent == NULL)
		PG_RETURN_NULL();
	PG_RETURN_BYTEA_P(figures_sent);
}

static void
send_figures(const SdcGathering *gathering, StringInfo bytes)
{
	SET_VARSIZE(bytes->data, bytes->len);
	figures_sent = (bytea *) bytes->data;
	PG_TRY();
	{
		SdcCatalogParameters parameters = {0};

		sdcpg_catalog_bind_text(&parameters, gathering->name);
		if (SPI_connect() != SPI_OK_CONNECT)
			elog(ERROR, "could not connect to SPI");
		sdcpg_catalog_run("SELECT pg_catalog.broadcast_intermediate_result("
						  "$1, 'SELECT sdc.mask_figures() AS figures')",
						  &parameters, false);
		SPI_finish();
	}
	PG_FINALLY();
	{
		figures_sent = NULL;
	}
	PG_END_TRY();
}

static void
gather(SdcMaskPlan *plan, SdcGathering *gathering)
{
	SdcPgHost *host = sdcpg_host_begin("mask", CurrentMemoryContext);
	MemoryContext caller = MemoryContextSwitchTo(host->work);
	Counts counts = {host};
	StringInfoData bytes;

	initStringInfo(&bytes);
	/* the header of a bytea */
	appendStringInfoSpaces(&bytes, VARHDRSZ);
	if (gathering->value != NULL)
	{
		read_counts(&counts, plan, gathering);
		gathering->known = counts.rows;
		gathering->rows = counts.rows + counts.missing;
		pack_draw(&bytes, plan, gathering, &counts);
	}
	else
		pack_noise(&bytes, plan, gathering);
	send_figures(gathering, &bytes);
	MemoryContextSwitchTo(caller);
	sdcpg_host_end(host);
}

static void
gather_all(void *arg)
{
	SdcMaskPlan *plan = arg;
	ListCell *cell;

	foreach (cell, plan->gatherings)
		gather(plan, lfirst(cell));
}

void
sdcpg_mask_gather(SdcPgHost *host, SdcMaskPlan *plan)
{
	if (plan->gatherings == NIL)
		return;
	sdcpg_progress_stage(&host->progress, "gathering");
	sdcpg_mask_guard(plan->relation->name, gather_all, plan);
}

pg_noreturn static void
rows_have_changed(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("rows of the relation have changed while it was masked"),
			 errhint("Try again.")));
}

/* How many rows of a copy there are, and how many have each gathered value. */
static char *
written_query(const SdcMaskPlan *plan, const char *copy)
{
	StringInfoData sql;
	ListCell *cell;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT pg_catalog.count(*)");
	foreach (cell, plan->gatherings)
	{
		const SdcGathering *gathering = lfirst(cell);

		appendStringInfo(&sql, ", pg_catalog.count(r.%s)",
						 gathering->rule->columns.column[0].sql);
	}
	appendStringInfo(&sql, " FROM %s AS r", copy);
	return sql.data;
}

/* Stops unless a copy has the rows and values that were counted. */
static void
check_written(const SdcMaskPlan *plan, const char *copy)
{
	SdcCatalogRows *rows;
	ListCell *cell;
	int column = 0;

	if (plan->gatherings == NIL)
		return;
	rows = sdcpg_catalog_read(written_query(plan, copy), NULL);
	foreach (cell, plan->gatherings)
	{
		const SdcGathering *gathering = lfirst(cell);

		column++;
		if (gathering->value != NULL &&
			(DatumGetInt64(rows->value[0][0]) != gathering->rows ||
			 DatumGetInt64(rows->value[0][column]) != gathering->known))
			rows_have_changed();
	}
}

void
sdcpg_mask_finish_gathered(const SdcMaskPlan *plan, const char *copy,
						   SdcMaskCount *count)
{
	ListCell *cell;

	check_written(plan, copy);
	foreach (cell, plan->gatherings)
	{
		const SdcGathering *gathering = lfirst(cell);
		const SdcMaskColumn *column = sdcpg_mask_plan_column(
			(SdcMaskPlan *) plan, gathering->rule->columns.column[0].number);

		count->changed[column - plan->column] = gathering->changed;
	}
}

/* ----------------------------------------------------------------------
 * The masks, on the servers.
 *
 * Figures come as an argument, and anybody may call the functions: nothing in
 * them is believed before it was checked against their length.
 * ----------------------------------------------------------------------
 */

pg_noreturn static void
wrong_figures(void)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("argument \"figures\" was not made by a mask"),
					errhint("Only sdc.mask calls this function.")));
}

/* The figures as they are used: read once in a call. */
typedef struct Taking
{
	uint32 places;
	uint32 values;
	uint32 rows;
	const char *base; /* numbers in network order */
	const char *become;
	Datum *value;  /* that are looked up */
	Datum *result; /* that they become */
	uint32 results;
	uint32 **given; /* for each place and value the ranks that are taken */
	int32 *slot;    /* a hash table of values: a place in value, or -1 */
	uint32 mask;
	FmgrInfo hash;
	FmgrInfo equal;
	Oid collation;
} Taking;

static uint32
integer_at(const char *numbers, Size i)
{
	uint32 number;

	memcpy(&number, numbers + sizeof(uint32) * i, sizeof(uint32));
	return pg_ntoh32(number);
}

static uint32
take_integer(StringInfo bytes)
{
	if (bytes->len - bytes->cursor < (int) sizeof(uint32))
		wrong_figures();
	return pq_getmsgint(bytes, sizeof(uint32));
}

static const char *
take_integers(StringInfo bytes, uint64 count)
{
	if (count > (uint64) (bytes->len - bytes->cursor) / sizeof(uint32))
		wrong_figures();
	return pq_getmsgbytes(bytes, (int) (count * sizeof(uint32)));
}

static uint32
hash_of(Taking *taking, Datum value)
{
	return DatumGetUInt32(
			   FunctionCall1Coll(&taking->hash, taking->collation, value)) &
		   taking->mask;
}

/* The place of a value, or -1. */
static int32
find_value(Taking *taking, Datum value)
{
	uint32 i = hash_of(taking, value);

	for (; taking->slot[i] >= 0; i = (i + 1) & taking->mask)
		if (DatumGetBool(FunctionCall2Coll(&taking->equal, taking->collation,
										   taking->value[taking->slot[i]],
										   value)))
			return taking->slot[i];
	return -1;
}

static void
hash_values(Taking *taking)
{
	uint32 slots = 16;
	uint32 i;

	while (slots < 2 * (uint64) taking->values)
		slots *= 2;
	taking->mask = slots - 1;
	taking->slot = palloc(sizeof(int32) * slots);
	memset(taking->slot, 0xFF, sizeof(int32) * slots);
	for (i = 0; i < taking->values; i++)
	{
		uint32 place = hash_of(taking, taking->value[i]);

		CHECK_FOR_INTERRUPTS();
		while (taking->slot[place] >= 0)
			place = (place + 1) & taking->mask;
		taking->slot[place] = (int32) i;
	}
}

/* Reads values as their type sends them. */
static void
take_values(Taking *taking, StringInfo bytes, Oid type, int32 modifier)
{
	FmgrInfo receive;
	Oid function;
	Oid argument;
	uint32 i;

	getTypeBinaryInputInfo(type, &function, &argument);
	fmgr_info(function, &receive);
	taking->value = palloc(sizeof(Datum) * ((Size) taking->values + 1));
	for (i = 0; i < taking->values; i++)
	{
		int length = (int) take_integer(bytes);
		StringInfoData value;
		char after;

		CHECK_FOR_INTERRUPTS();
		if (length < 0 || length > bytes->len - bytes->cursor)
			wrong_figures();
		value.data = bytes->data + bytes->cursor;
		value.len = value.maxlen = length;
		value.cursor = 0;
		/* functions that receive a text rely on a zero behind it */
		after = value.data[length];
		value.data[length] = '\0';
		taking->value[i] =
			ReceiveFunctionCall(&receive, &value, argument, modifier);
		value.data[length] = after;
		bytes->cursor += length;
	}
}

static void
take_means(Taking *taking, StringInfo bytes, Oid type)
{
	uint32 i;

	if (type != FLOAT8OID ||
		taking->results >
			(uint64) (bytes->len - bytes->cursor) / sizeof(float8))
		wrong_figures();
	taking->result = palloc(sizeof(Datum) * taking->results);
	for (i = 0; i < taking->results; i++)
		taking->result[i] = Float8GetDatum(pq_getmsgfloat8(bytes));
}

static void
prepare_type(Taking *taking, FunctionCallInfo fcinfo, Oid type)
{
	TypeCacheEntry *cache = lookup_type_cache(
		type, TYPECACHE_HASH_PROC_FINFO | TYPECACHE_EQ_OPR_FINFO);

	if (!OidIsValid(cache->hash_proc_finfo.fn_oid) ||
		!OidIsValid(cache->eq_opr_finfo.fn_oid))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("type %s has no hash function",
							   format_type_be(type))));
	taking->collation = PG_GET_COLLATION();
	fmgr_info(cache->hash_proc_finfo.fn_oid, &taking->hash);
	fmgr_info(cache->eq_opr_finfo.fn_oid, &taking->equal);
}

/* Reads figures into the memory of the call. */
static Taking *
read_figures(FunctionCallInfo fcinfo)
{
	bytea *figures = PG_GETARG_BYTEA_PP(2);
	Oid type = getBaseType(get_fn_expr_argtype(fcinfo->flinfo, 0));
	MemoryContext row = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	Taking *taking = palloc0(sizeof(Taking));
	StringInfoData bytes;

	/* a copy: what comes with rows goes with them */
	initStringInfo(&bytes);
	appendBinaryStringInfo(&bytes, VARDATA_ANY(figures),
						   VARSIZE_ANY_EXHDR(figures));
	if (take_integer(&bytes) != DRAWN)
		wrong_figures();
	taking->places = take_integer(&bytes);
	taking->values = take_integer(&bytes);
	taking->results = take_integer(&bytes);
	taking->rows = take_integer(&bytes);
	if (taking->places == 0 || taking->places > PG_INT16_MAX ||
		taking->values > PG_INT32_MAX / 4)
		wrong_figures();
	taking->base =
		take_integers(&bytes, (uint64) taking->places * taking->values + 1);
	taking->become = take_integers(&bytes, taking->rows);
	prepare_type(taking, fcinfo, type);
	take_values(taking, &bytes, type, -1);
	if (taking->results > 0)
		take_means(taking, &bytes, type);
	else
	{
		taking->result = taking->value;
		taking->results = taking->values;
	}
	hash_values(taking);
	taking->given = palloc0(sizeof(uint32 *) * taking->places);
	MemoryContextSwitchTo(row);
	return taking;
}

/* The next rank of those that a value has in a place. */
static uint32
next_rank(Taking *taking, uint32 place, int32 value, MemoryContext memory)
{
	Size cell = (Size) value * taking->places + place;
	uint32 rank = integer_at(taking->base, cell);

	if (taking->given[place] == NULL)
		taking->given[place] = MemoryContextAllocZero(
			memory, sizeof(uint32) * ((Size) taking->values + 1));
	rank += taking->given[place][value];
	if (rank >= integer_at(taking->base, cell + 1))
		rows_have_changed();
	if (rank >= taking->rows)
		wrong_figures();
	taking->given[place][value]++;
	return rank;
}

/*
 * value_taken(value anyelement, place integer, figures bytea)
 * returns anyelement
 *
 * What a value becomes in a row of a shard: of the ranks that rows with this
 * value have there the next one, and what that was given.  So it is called
 * once for each row.  A value more than was counted is an error, and who asks
 * counts the rows: then none was less.
 */
Datum
sdcf_value_taken(PG_FUNCTION_ARGS)
{
	Taking *taking = fcinfo->flinfo->fn_extra;
	int32 place = PG_GETARG_INT32(1);
	int32 value;
	uint32 become;

	if (taking == NULL)
		fcinfo->flinfo->fn_extra = taking = read_figures(fcinfo);
	if (place < 0 || (uint32) place >= taking->places)
		wrong_figures();
	value = find_value(taking, PG_GETARG_DATUM(0));
	if (value < 0)
		rows_have_changed();
	become = integer_at(taking->become, next_rank(taking, place, value,
												  fcinfo->flinfo->fn_mcxt));
	if (become >= taking->results)
		wrong_figures();
	PG_RETURN_DATUM(taking->result[become]);
}

/* The figures of noise, read once in a call. */
typedef struct Noise
{
	int columns;
	SdcNoiseLaw law;
	unsigned char key[SDC_RANDOM_KEY];
	uint64 server;  /* what tells this server from others; 0 with a seed */
	double *factor; /* the lower triangle, row by row */
} Noise;

static Noise *
read_noise(FunctionCallInfo fcinfo)
{
	bytea *figures = PG_GETARG_BYTEA_PP(1);
	Noise *noise =
		MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Noise));
	StringInfoData bytes;
	bool seeded;
	int i;

	initStringInfo(&bytes);
	appendBinaryStringInfo(&bytes, VARDATA_ANY(figures),
						   VARSIZE_ANY_EXHDR(figures));
	if (take_integer(&bytes) != NOISE)
		wrong_figures();
	noise->columns = (int) take_integer(&bytes);
	noise->law = (SdcNoiseLaw) take_integer(&bytes);
	seeded = take_integer(&bytes) != 0;
	if (noise->columns < 1 || noise->columns > SDC_MAX_COLUMNS ||
		noise->law > SDC_NOISE_UNIFORM ||
		bytes.len - bytes.cursor !=
			SDC_RANDOM_KEY + (int) sizeof(float8) * noise->columns *
								 (noise->columns + 1) / 2)
		wrong_figures();
	pq_copymsgbytes(&bytes, (char *) noise->key, SDC_RANDOM_KEY);
	noise->factor = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt,
									   sizeof(double) * noise->columns *
										   (noise->columns + 1) / 2);
	for (i = 0; i < noise->columns * (noise->columns + 1) / 2; i++)
		noise->factor[i] = pq_getmsgfloat8(&bytes);
	/* rows of two servers may lie at the same place */
	noise->server = seeded ? 0 : GetSystemIdentifier();
	pfree(bytes.data);
	return noise;
}

/* An independent draw for a row: variance 1. */
static double
draw_noise(const Noise *noise, int64 row, int column)
{
	uint64 place[3] = {pg_hton64((uint64) row), pg_hton64(noise->server),
					   pg_hton64((uint64) column)};
	uint64 bits[2];
	SdcRandom random;

	sdc_random_keyed_pair(noise->key, (unsigned char *) place, sizeof(place),
						  bits);
	sdc_random_seed(&random, bits[0], bits[1]);
	return sdc_noise_draw(noise->law, &random);
}

/*
 * keyed_noise(number integer, figures bytea, row bigint) returns float8
 *
 * The noise of a column of a rule, from 1, in a row.
 */
Datum
sdcf_keyed_noise(PG_FUNCTION_ARGS)
{
	Noise *noise = fcinfo->flinfo->fn_extra;
	int32 number = PG_GETARG_INT32(0);
	const double *factor;
	double sum = 0;
	int j;

	if (noise == NULL)
		fcinfo->flinfo->fn_extra = noise = read_noise(fcinfo);
	if (number < 1 || number > noise->columns)
		wrong_figures();
	factor = noise->factor + number * (number - 1) / 2;
	for (j = 0; j < number; j++)
		if (factor[j] != 0)
			sum += factor[j] * draw_noise(noise, PG_GETARG_INT64(2), j);
	PG_RETURN_FLOAT8(sum);
}
