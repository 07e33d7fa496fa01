/*
 * mask_spread.c
 *		Masks of a distributed relation that need figures of all its rows.
 *
 * A rule that moves values between rows (rank_swap, shuffle, pram), or puts
 * means in their place (microaggregate of one column), needs the ranks of all
 * rows.  One query counts how often each value occurs in each shard.  Sorted
 * by value, and by shard within a value, the rows have ranks, although none of
 * them was seen.  The kernel draws what each rank becomes.  What the ranks of
 * each value in each shard become is packed into bytes, or, where there are
 * too many, how it was drawn and where they begin.  On the servers
 * sdc.value_taken() (mask_taken.c) gives the rows of a shard that have a value
 * what one after the other of these ranks becomes.
 *
 * Noise needs covariances only, and a key: what is drawn for a row is a
 * function of the key and of where the row lies, so it is the same for all
 * columns of the rule.
 *
 * The bytes go to the servers as an intermediate result of Citus, which is
 * rows of the protocol of COPY into a file of the transaction: neither the
 * text of a statement nor a table.  A row is a piece of them, so that nobody
 * copies all in one.  Numbers are in network order, values as their types send
 * them, so settings of a server have no say.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/data/rows.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/random.h"
#include "kernel/mask/noise.h"
#include "kernel/mask/pram.h"
#include "kernel/mask/rank_swap.h"
#include "kernel/microaggregation/microaggregate.h"
#include "kernel/microaggregation/parts.h"
#include "topic/mask/mask_copy.h"
#include "topic/mask/mask_private.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/mask_select.h"
#include "topic/mask/mask_spread.h"
#include "topic/mask/rules.h"

PG_FUNCTION_INFO_V1(sdcf_mask_figures);

/* Bytes of a row of such a result. */
#define PIECE_BYTES (64 * 1024)

/* Bytes of figures at the most: what is sent is copied in one piece. */
#define FIGURE_BYTES (512 * 1024 * 1024)

/* Of a value of a shard, at the least: which it is, and its rows. */
#define SHARD_VALUE_BYTES 2

/* Of a row that is told what it becomes, mostly. */
#define TOLD_BYTES 2

/* Numbers drawn for ranks at the most: see kernel/mask/rank_swap.h. */
#define DRAWN_RANKS (64 * SDC_RANK_STRIPES)

/* What is gathered for a rule. */
typedef struct SdcGathering
{
	const SdcRule *rule;
	char *name;             /* of the intermediate result */
	const char *value;      /* of rules that draw: the SQL of it */
	SdcSpreadMethod method; /* NULL: means of groups */
	char *const *number;    /* of noise: the SQL of the columns */
	int64 changed;          /* values that become others; -1: not known */
	int64 rows;             /* of rules that draw: rows that were counted */
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

bool
sdcpg_mask_is_parted(const SdcRelation *relation, const SdcRule *rule)
{
	const unsigned traits = rule->method->traits;

	if (rule->method->stage != SDC_MASK_OF_COLUMNS ||
		traits & SDC_MASK_DISTRIBUTABLE)
		return false;
	/* what each row draws alone needs no neighbours, nor a single column */
	return sdcpg_rule_strata(rule, relation).count > 0 ||
		   (traits & SDC_MASK_GATHERED && !(traits & SDC_MASK_OWN_DRAW) &&
			rule->columns.count > 1);
}

void
sdcpg_mask_check_spread(const SdcRelation *relation, const SdcRule *rule)
{
	if (!(rule->method->traits &
		  (SDC_MASK_DISTRIBUTABLE | SDC_MASK_GATHERED)) &&
		!sdcpg_mask_is_parted(relation, rule))
		sdcpg_mask_refuse_spread(relation, rule, NULL);
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
	return psprintf("sdc.shard_place(r.%s, '%s'::pg_catalog.int4[])",
					quote_identifier(column), bounds);
}

/* The SQL of figures of a name that take one piece. */
static char *
figures_of(const char *name)
{
	return psprintf("(SELECT m.figures FROM pg_catalog.read_intermediate_"
					"result('%s', 'binary') AS m (figures "
					"pg_catalog.bytea))",
					name);
}

/* The SQL of others: their name, by which the function reads them. */
static char *
figures_named(const SdcGathering *gathering)
{
	StringInfoData sql;
	const char *byte;

	initStringInfo(&sql);
	appendStringInfo(&sql, "pg_catalog.decode('%08X", SDC_FIGURES_NAMED);
	for (byte = gathering->name; *byte != '\0'; byte++)
		appendStringInfo(&sql, "%02X", (unsigned char) *byte);
	appendStringInfoString(&sql, "', 'hex')");
	return sql.data;
}

static char *
finite_sql(const char *value)
{
	return psprintf("%s OPERATOR(pg_catalog.<>) ALL ("
					"'{NaN,Infinity,-Infinity}'::pg_catalog.float8[])",
					value);
}

/* What is not finite has no place in a mean. */
static char *
finite_value_sql(const char *value)
{
	return psprintf("CASE WHEN %s THEN %s END", finite_sql(value), value);
}

/* The SQL that so many values are all finite numbers. */
static char *
all_finite_sql(char *const *value, int values)
{
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	for (j = 0; j < values; j++)
		appendStringInfo(&sql, "%s%s", j > 0 ? " AND " : "",
						 finite_sql(value[j]));
	return sql.data;
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
					   const char *value, SdcSpreadMethod method)
{
	SdcGathering *gathering = add_gathering(plan, rule);
	int32 places;

	gathering->value = method == NULL ? finite_value_sql(value) : value;
	gathering->method = method;
	return psprintf("sdc.value_taken(%s, %s, %s)", gathering->value,
					place_of(plan->relation, &places),
					figures_named(gathering));
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

/* The SQL of a number that the columns make which tell records of r apart. */
static char *
number_of_order(const SdcMaskPlan *plan)
{
	char *number = "0::pg_catalog.int8";
	int i;

	for (i = 0; i < plan->order.count; i++)
		number = psprintf("pg_catalog.hash_array_extended(ARRAY[r.%s], %s)",
						  plan->order.column[i].sql, number);
	return number;
}

/*
 * The SQL of a number of a row of r.  With a seed it is made of the columns
 * that tell records apart, without one of the place where the row lies.
 */
static char *
number_of_row(const SdcMaskPlan *plan, const SdcRule *rule)
{
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
	return number_of_order(plan);
}

void
sdcpg_mask_spread_noise(SdcMaskPlan *plan, const SdcRule *rule,
						char *const *value)
{
	SdcGathering *gathering = add_gathering(plan, rule);
	char *row = number_of_row(plan, rule);
	char *figures = figures_of(gathering->name);
	char *all = all_finite_sql(value, rule->columns.count);
	int j;

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
						 all, value[j], j + 1, figures, row,
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
 * What is drawn for all ranks.
 * ----------------------------------------------------------------------
 */

void
sdcpg_spread_rank_swap(const SdcSpreadDraw *draw)
{
	sdc_rank_swap(draw->host,
				  (SdcRankSwapMethod) sdcpg_rule_variant(draw->rule),
				  draw->layers->stripes,
				  sdc_rank_layers_window(draw->layers,
										 sdcpg_rule_number(draw->rule, "p")),
				  draw->random, draw->from);
}

void
sdcpg_spread_shuffle(const SdcSpreadDraw *draw)
{
	sdc_rank_shuffle(draw->host, draw->layers->stripes, draw->random,
					 draw->from);
}

void
sdcpg_spread_pram(const SdcSpreadDraw *draw)
{
	sdc_pram_draw(draw->host, draw->layers->stripes,
				  sdcpg_rule_number(draw->rule, "p") / 100, draw->random,
				  draw->from);
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

/* Draws for the ranks of all rows, layer by layer. */
static void
draw_layers(SdcGathering *gathering, SdcHost *host, SdcRankLayers *layers,
			SdcRandom *random)
{
	SdcSpreadDraw draw = {host, gathering->rule, random, layers};
	int32 i;

	layers->from =
		sdc_new(host, int32, (Size) layers->layers * layers->stripes + 1);
	for (i = 0; i < layers->layers; i++)
	{
		draw.from = layers->from + (Size) i * layers->stripes;
		gathering->method(&draw);
	}
	if (layers->length == 1)
		return;
	layers->key = sdc_new(host, uint64, layers->stripes);
	for (i = 0; i < layers->stripes; i++)
		layers->key[i] = sdc_random_bits(random);
}

/*
 * Makes from[r], the rank that rank r takes its value from, which of all
 * values that is; returns how many ranks get another value than they had.
 */
static int64
name_values(const SdcShardCounts *counts, int32 *from)
{
	SdcHost *host = &counts->host->kernel;
	uint32 *own = sdc_new(host, uint32, counts->rows + 1);
	int64 changed = 0;
	uint32 value = 0;
	int64 r;

	for (r = 0; r < counts->rows; r++)
	{
		while (counts->start[value + 1] <= (uint64) r)
			value++;
		own[r] = value;
	}
	for (r = 0; r < counts->rows; r++)
	{
		if (r % SDC_POLL_STEPS == 0)
			host->poll(host, r, counts->rows);
		value = own[from[r]];
		changed += value != own[r];
		from[r] = (int32) value;
	}
	host->release(host, own);
	return changed;
}

/* The means of groups of neighbours in the order of the values. */
static double *
make_means(const SdcGathering *gathering, const SdcShardCounts *counts)
{
	const SdcRule *rule = gathering->rule;
	SdcHost *host = &counts->host->kernel;
	int32 k = (int32) sdcpg_rule_number(rule, "k");
	double *value = sdc_new(host, double, counts->rows + 1);
	double *mean = sdc_new(host, double, counts->rows + 1);
	uint32 own = 0;
	int64 r;

	if (counts->rows > SDC_MAX_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("means of groups can be made of %d rows at the most",
						SDC_MAX_ROWS)));
	for (r = 0; r < counts->rows; r++)
	{
		while (counts->start[own + 1] <= (uint64) r)
			own++;
		value[r] = DatumGetFloat8(counts->value[own]);
	}
	sdcpg_args_group_size(k, (int32) counts->rows);
	sdc_microaggregate(host,
					   (SdcMicroaggregateMethod) sdcpg_rule_variant(rule),
					   value, (int32) counts->rows, k, mean);
	host->release(host, value);
	return mean;
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
put_long_integers(StringInfo bytes, const uint64 *number, Size count)
{
	Size i;

	enlargeStringInfo(bytes, sizeof(uint64) * count);
	for (i = 0; i < count; i++)
	{
		uint64 swapped = pg_hton64(number[i]);

		memcpy(bytes->data + bytes->len + sizeof(uint64) * i, &swapped,
			   sizeof(uint64));
	}
	bytes->len += sizeof(uint64) * count;
}

/* Values as their type sends them. */
static void
put_sent(StringInfo bytes, const SdcShardCounts *counts)
{
	FmgrInfo send;
	Oid function;
	bool varlena;
	uint32 i;

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

/* Values as numbers, or as their type sends them. */
static void
put_values(StringInfo bytes, const SdcShardCounts *counts)
{
	uint32 i;

	if (counts->type.kind == SDC_COLUMN_COMPARED)
		put_sent(bytes, counts);
	else
		for (i = 0; i < counts->values; i++)
			pq_sendint64(bytes,
						 sdcpg_column_key(&counts->type, counts->value[i]));
}

/* A number in as few bytes as it needs, seven bits in each, low ones first. */
static void
put_short(StringInfo bytes, uint32 number)
{
	enlargeStringInfo(bytes, 5);
	for (; number >= 0x80; number >>= 7)
		bytes->data[bytes->len++] = (char) (number | 0x80);
	bytes->data[bytes->len++] = (char) number;
}

/*
 * The rows of a shard without a value; its values: how much further each is,
 * and how many rows.
 */
static void
put_place(StringInfo bytes, const SdcShardValues *place)
{
	uint32 last = PG_UINT32_MAX;
	uint32 i;

	pq_sendint32(bytes, place->missing);
	pq_sendint32(bytes, place->count);
	for (i = 0; i < place->count; i++)
	{
		put_short(bytes, place->value[i] - last);
		put_short(bytes, place->rows[i]);
		last = place->value[i];
	}
}

/*
 * What each row of a shard becomes, in the order of its values: how far it is
 * from the one before, forth and back by turns.  next is the rank that comes
 * next of each value.
 */
static void
put_become(StringInfo bytes, const SdcShardValues *place, const int32 *become,
		   uint64 *next)
{
	int32 last = 0;
	uint32 i;
	uint32 j;

	for (i = 0; i < place->count; i++)
	{
		const int32 *own = become + next[place->value[i]];

		CHECK_FOR_INTERRUPTS();
		for (j = 0; j < place->rows[i]; j++)
		{
			uint32 step = (uint32) own[j] - (uint32) last;

			put_short(bytes, (int32) step < 0 ? ~step << 1 | 1 : step << 1);
			last = own[j];
		}
		next[place->value[i]] += place->rows[i];
	}
}

/*
 * The shards; with what their rows become, if that is told, and then each with
 * its length before.
 */
static void
put_places(StringInfo bytes, const SdcShardCounts *counts, const int32 *become)
{
	SdcHost *host = &counts->host->kernel;
	uint64 *next = NULL;
	int32 p;

	if (become != NULL)
	{
		next = sdc_new(host, uint64, (Size) counts->values + 1);
		memcpy(next, counts->start, sizeof(uint64) * counts->values);
	}
	for (p = 0; p < counts->places; p++)
	{
		int start = bytes->len;
		uint32 length;

		if (become != NULL)
			pq_sendint32(bytes, 0);
		put_place(bytes, &counts->place[p]);
		if (become == NULL)
			continue;
		put_become(bytes, &counts->place[p], become, next);
		length = pg_hton32((uint32) (bytes->len - start) - sizeof(uint32));
		memcpy(bytes->data + start, &length, sizeof(uint32));
	}
}

/* How ranks take their values from others, unless that is told. */
static void
put_layers(StringInfo bytes, const SdcRankLayers *layers, bool told)
{
	pq_sendint64(bytes, layers->ranks);
	pq_sendint64(bytes, layers->length);
	pq_sendint32(bytes, layers->stripes);
	pq_sendint32(bytes, told ? 0 : layers->layers);
	if (told)
		return;
	put_integers(bytes, (const uint32 *) layers->from,
				 (Size) layers->layers * layers->stripes);
	if (layers->length > 1)
		put_long_integers(bytes, layers->key, layers->stripes);
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

/* Bytes that figures take, about, but for values that their type sends. */
static Size
figure_bytes(const SdcShardCounts *counts, const SdcRankLayers *layers)
{
	Size bytes = (Size) counts->values * sizeof(uint64) +
				 (layers->length == 1 ? (Size) counts->rows * TOLD_BYTES
									  : (Size) layers->layers *
											layers->stripes * sizeof(int32));
	int32 i;

	for (i = 0; i < counts->places; i++)
		bytes += counts->place[i].count * SHARD_VALUE_BYTES;
	return bytes;
}

/* Has the method draw, and packs what servers need of it. */
static void
pack_draw(StringInfo bytes, SdcMaskPlan *plan, SdcGathering *gathering,
		  SdcShardCounts *counts)
{
	SdcHost *host = &counts->host->kernel;
	SdcRankLayers layers = sdc_rank_layers_shape(
		counts->rows, gathering->method == NULL ? SDC_MAX_ROWS : DRAWN_RANKS);
	bool told = layers.length == 1;
	double *mean = NULL;
	int32 means = 0;
	SdcRandom random;
	int32 i;

	need_room(plan, figure_bytes(counts, &layers));
	/* at once, as it else grows to twice of it */
	enlargeStringInfo(bytes, (int) figure_bytes(counts, &layers));
	if (gathering->method == NULL)
	{
		mean = make_means(gathering, counts);
		layers.from = sdc_new(host, int32, counts->rows + 1);
		means = name_means(mean, layers.from, counts->rows);
	}
	else
	{
		start_random(plan, gathering->rule, &random);
		draw_layers(gathering, host, &layers, &random);
		if (told)
			gathering->changed = name_values(counts, layers.from);
	}
	pq_sendint32(bytes, SDC_FIGURES_DRAWN);
	pq_sendint32(bytes, counts->places);
	pq_sendint32(bytes, counts->values);
	pq_sendint32(bytes, means);
	put_layers(bytes, &layers, told);
	for (i = 0; i < means; i++)
		pq_sendfloat8(bytes, mean[i]);
	put_values(bytes, counts);
	put_places(bytes, counts, told ? layers.from : NULL);
	host->release(host, layers.from);
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
covariance_query(const SdcMaskPlan *plan, char *const *value, int columns)
{
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
				"(CASE WHEN pg_catalog.count(*) OPERATOR(pg_catalog.>) 1 THEN "
				"pg_catalog.count(*) OPERATOR(pg_catalog.-) 1 END))"
				"::pg_catalog.float8",
				i + j > 0 ? ", " : "", i, j, i, j);
	appendStringInfoString(&sql, " FROM (SELECT ");
	for (i = 0; i < columns; i++)
		appendStringInfo(&sql, "%s%s::pg_catalog.numeric AS c%d",
						 i > 0 ? ", " : "", value[i], i);
	appendStringInfo(&sql, " FROM %s AS r WHERE %s) AS q", plan->relation->sql,
					 all_finite_sql(value, columns));
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
	int columns = rule->columns.count;
	SdcCatalogRows *rows = sdcpg_catalog_read(
		covariance_query(plan, gathering->number, columns), NULL);
	double alpha = sdcpg_rule_number(rule, "alpha");
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
	pq_sendint32(bytes, SDC_FIGURES_NOISE);
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
static StringInfo figures_sent = NULL;

/* mask_figures(piece integer) returns bytea */
Datum
sdcf_mask_figures(PG_FUNCTION_ARGS)
{
	int64 start = PG_GETARG_INT32(0) * (int64) PIECE_BYTES;
	bytea *piece;
	Size length;

	if (figures_sent == NULL || start < 0 || start >= figures_sent->len)
		PG_RETURN_NULL();
	length = Min(figures_sent->len - start, PIECE_BYTES);
	piece = palloc(VARHDRSZ + length);
	SET_VARSIZE(piece, VARHDRSZ + length);
	memcpy(VARDATA(piece), figures_sent->data + start, length);
	PG_RETURN_BYTEA_P(piece);
}

static void
send_figures(const char *name, StringInfo bytes)
{
	figures_sent = bytes;
	PG_TRY();
	{
		SdcCatalogParameters parameters = {0};

		sdcpg_catalog_bind_text(&parameters, name);
		sdcpg_catalog_bind_text(
			&parameters, psprintf("SELECT sdc.mask_figures(i) AS figures FROM "
								  "pg_catalog.generate_series(0, %d) AS i",
								  (bytes->len - 1) / PIECE_BYTES));
		if (SPI_connect() != SPI_OK_CONNECT)
			elog(ERROR, "could not connect to SPI");
		sdcpg_catalog_run("SELECT pg_catalog.broadcast_intermediate_result("
						  "$1, $2)",
						  &parameters, false);
		/* of shards that are here, and of rows that come here */
		sdcpg_catalog_run("SELECT pg_catalog.create_intermediate_result("
						  "$1, $2)",
						  &parameters, false);
		SPI_finish();
	}
	PG_FINALLY();
	{
		figures_sent = NULL;
	}
	PG_END_TRY();
}

/* Has the values of a column counted. */
static void
read_counts(SdcShardCounts *counts, const SdcMaskPlan *plan,
			const SdcGathering *gathering)
{
	char *place = place_of(plan->relation, &counts->places);
	int32 modifier;
	Oid collation;
	Oid type;

	get_atttypetypmodcoll(plan->relation->oid,
						  gathering->rule->columns.column[0].number, &type,
						  &modifier, &collation);
	counts->type = gathering->method == NULL
					   ? sdcpg_column_type(FLOAT8OID, InvalidOid)
					   : sdcpg_column_type(type, collation);
	sdcpg_shard_counts_read(counts, plan->relation, gathering->value, place);
}

static void
gather(SdcMaskPlan *plan, SdcGathering *gathering)
{
	SdcPgHost *host = sdcpg_host_begin("mask", CurrentMemoryContext);
	MemoryContext caller = MemoryContextSwitchTo(host->work);
	SdcShardCounts counts = {host};
	StringInfoData bytes;

	initStringInfo(&bytes);
	if (gathering->value != NULL)
	{
		read_counts(&counts, plan, gathering);
		gathering->rows = counts.rows + counts.missing;
		pack_draw(&bytes, plan, gathering, &counts);
	}
	else
		pack_noise(&bytes, plan, gathering);
	send_figures(gathering->name, &bytes);
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

/* ----------------------------------------------------------------------
 * Rules whose rows must be together.
 *
 * The rows of a stratum are put aside in shards by their stratum, so that one
 * server has all of it and masks it with the functions that mask plain tables.
 * Where a rule needs neighbours in several columns the rows are parted by cuts
 * instead (kernel/microaggregation/parts.h), which a sample of them gives.
 * What the columns of the rules become comes back beside the rows, into a
 * table in shards like those of the relation, and the copy is made of that.
 * So rows move between servers, twice for the rules of the same strata, and
 * none comes here but those of the sample.
 * ----------------------------------------------------------------------
 */

/* Rows of a part that is cut, and groups that it has at the least; parts. */
#define PART_ROWS   20000
#define PART_GROUPS 200
#define MOST_PARTS  1024

/* Rows of the sample for each part. */
#define SAMPLE_ROWS 64

typedef struct SdcParting
{
	const SdcRule *rule; /* the first of them */
	char *part;   /* the SQL of the part of a row of r; NULL: it is cut */
	char **value; /* then: that of its columns as float8, */
	char *number; /* as an array of them, */
	char *finite; /* and that these are finite */
	int scale;    /* the first parameter of their units, and of whether
					 * parts have units of their own */
	char *column; /* the name of the part where rows are together */
	StringInfoData helpers;
	List *values; /* char *: the SQL of what columns become, */
	List *names;  /* and their names */
} SdcParting;

/* The SQL of the stratum of a row of r, as a text. */
static char *
stratum_sql(const SdcRelationColumns *strata)
{
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	for (i = 0; i < strata->count; i++)
		appendStringInfo(&sql, "%sr.%s", i > 0 ? ", " : "sdc.cell(",
						 strata->column[i].sql);
	appendStringInfoString(&sql, ") COLLATE pg_catalog.\"C\"");
	return sql.data;
}

/* What is read of a rule whose rows are parted by cuts. */
static void
start_cuts(SdcParting *parting, const SdcRule *rule)
{
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	parting->value = palloc(sizeof(char *) * rule->columns.count);
	for (j = 0; j < rule->columns.count; j++)
	{
		parting->value[j] = sdcpg_mask_type_number(&rule->columns.column[j]);
		appendStringInfo(&sql, "%s%s", j > 0 ? ", " : "ARRAY[",
						 parting->value[j]);
	}
	appendStringInfoChar(&sql, ']');
	parting->number = sql.data;
	parting->finite = all_finite_sql(parting->value, rule->columns.count);
}

/* The parts that a rule needs; those of the same strata are the same. */
static SdcParting *
parting_of(SdcMaskPlan *plan, const SdcRule *rule)
{
	SdcRelationColumns strata = sdcpg_rule_strata(rule, plan->relation);
	char *part = strata.count > 0 ? stratum_sql(&strata) : NULL;
	SdcParting *parting;
	ListCell *cell;

	foreach (cell, plan->partings)
	{
		parting = lfirst(cell);
		if (part != NULL && parting->part != NULL &&
			strcmp(part, parting->part) == 0)
			return parting;
	}
	parting = palloc0(sizeof(SdcParting));
	parting->rule = rule;
	parting->part = part;
	parting->column = sdcpg_mask_plan_unused(plan, ++plan->helper_count);
	initStringInfo(&parting->helpers);
	if (part == NULL)
		start_cuts(parting, rule);
	plan->partings = lappend(plan->partings, parting);
	return parting;
}

void
sdcpg_mask_write_parted(SdcMaskPlan *plan, const SdcRule *rule)
{
	SdcParting *parting = parting_of(plan, rule);
	StringInfoData helpers = plan->helpers;
	int j;

	/* as of a plain relation, but with its part */
	plan->spread = false;
	plan->part = psprintf("r.%s", parting->column);
	plan->helpers = parting->helpers;
	rule->method->write(plan, rule);
	parting->helpers = plan->helpers;
	plan->helpers = helpers;
	plan->part = NULL;
	plan->spread = true;
	for (j = 0; j < rule->columns.count; j++)
	{
		SdcMaskColumn *column =
			sdcpg_mask_plan_column(plan, rule->columns.column[j].number);
		char *name = sdcpg_mask_plan_unused(plan, ++plan->helper_count);

		parting->values = lappend(parting->values, column->value);
		parting->names = lappend(parting->names, name);
		column->value = psprintf("r.%s", name);
	}
}

char *
sdcpg_mask_parted_record(SdcMaskPlan *plan, const SdcRule *rule,
						 char **standardize)
{
	SdcParting *parting = plan->part == NULL ? NULL : llast(plan->partings);
	StringInfoData sql;
	int j;

	if (parting == NULL || parting->rule != rule || parting->part != NULL)
		return NULL;
	initStringInfo(&sql);
	parting->scale = plan->parameters.count;
	for (j = 0; j < rule->columns.count; j++)
		appendStringInfo(&sql, "%s%s OPERATOR(pg_catalog./) %s",
						 j > 0 ? ", " : "ROW(", parting->value[j],
						 sdcpg_mask_bind_secret(plan, 1));
	appendStringInfoChar(&sql, ')');
	sdcpg_catalog_bind(&plan->parameters, BOOLOID,
					   BoolGetDatum(sdcpg_rule_boolean(rule, "standardize")),
					   false);
	*standardize = psprintf("$%d", plan->parameters.count);
	return sql.data;
}

/*
 * Has records that are in several parts the units of all: those of a part
 * would be smaller where it was cut.
 */
static void
scale_records(SdcMaskPlan *plan, const SdcParting *parting)
{
	Datum *scale = plan->parameters.value + parting->scale;
	int columns = parting->rule->columns.count;
	SdcCatalogRows *rows;
	int j;

	if (!DatumGetBool(scale[columns]))
		return;
	rows = sdcpg_catalog_read(covariance_query(plan, parting->value, columns),
							  NULL);
	for (j = 0; j < columns; j++)
	{
		int variance = j * (j + 3) / 2;
		double width = rows->isnull[0][variance]
						   ? 0
						   : sqrt(DatumGetFloat8(rows->value[0][variance]));

		scale[j] = Float8GetDatum(width > 0 ? width : 1);
	}
	scale[columns] = BoolGetDatum(false);
}

/* A sample being read. */
typedef struct Sample
{
	SdcPgHost *host;
	SdcMatrix rows;
	size_t room;
} Sample;

static void
add_sampled(void *arg, TupleDesc descriptor, const Datum *values,
			const bool *isnull)
{
	Sample *sample = arg;
	ArrayType *record = DatumGetArrayTypeP(values[0]);
	size_t row = sample->rows.rows;
	int j;

	if (row == sample->room)
	{
		sample->room = row == 0 ? 1024 : 2 * row;
		for (j = 0; j < sample->rows.columns; j++)
			sample->rows.column[j] =
				sdcpg_host_grow(sample->host, sample->rows.column[j],
								sample->room, sizeof(double));
	}
	for (j = 0; j < sample->rows.columns; j++)
		sample->rows.column[j][row] =
			((const float8 *) ARR_DATA_PTR(record))[j];
	sample->rows.rows++;
}

/* Draws about so many of the rows, the same ones wherever they lie. */
static void
read_sample(Sample *sample, const SdcMaskPlan *plan, const SdcParting *parting,
			double share)
{
	SdcRows rows = {.row = add_sampled, .arg = sample};
	char *number = plan->order.count > 0
					   ? number_of_order(plan)
					   : psprintf("pg_catalog.hash_array_extended(%s, 0)",
								  parting->number);
	char *sql;

	sample->rows.columns = parting->rule->columns.count;
	sample->rows.column = palloc0(sizeof(double *) * sample->rows.columns);
	sql = psprintf(
		"SELECT %s FROM %s AS r WHERE %s AND (%s OPERATOR(pg_catalog.&) "
		"2147483647) OPERATOR(pg_catalog.<) %.0f",
		parting->number, plan->relation->sql, parting->finite, number,
		floor(Min(share, 1) * 2147483648.0));
	sdcpg_rows_receive(sample->host, sql, &rows);
}

/* Brings cuts to the servers; returns the SQL of the part of a row of r. */
static char *
send_parts(const SdcParting *parting, const SdcPartNode *node, int32 nodes)
{
	char *name = sdcpg_catalog_hidden_name("sdc_");
	StringInfoData bytes;
	int32 i;

	initStringInfo(&bytes);
	pq_sendint32(&bytes, SDC_FIGURES_PARTS);
	pq_sendint32(&bytes, nodes);
	for (i = 0; i < nodes; i++)
	{
		pq_sendint32(&bytes, node[i].column);
		pq_sendint32(&bytes, node[i].next);
		pq_sendfloat8(&bytes, node[i].cut);
	}
	send_figures(name, &bytes);
	return psprintf("sdc.part_of(%s, %s)", parting->number, figures_of(name));
}

/* Counts the rows of each part of so many. */
static int64 *
count_parts(const SdcMaskPlan *plan, const SdcParting *parting,
			const char *part, int32 parts)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(
		psprintf("SELECT %s AS part, pg_catalog.count(*) FROM %s AS r WHERE "
				 "%s GROUP BY 1",
				 part, plan->relation->sql, parting->finite),
		NULL);
	int64 *count = palloc0(sizeof(int64) * parts);
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		int32 number = DatumGetInt32(rows->value[i][0]);

		if (number >= 0 && number < parts)
			count[number] += DatumGetInt64(rows->value[i][1]);
	}
	return count;
}

/* Cuts the rows of a rule into parts, each with groups enough. */
static void
cut_parts(SdcMaskPlan *plan, SdcParting *parting)
{
	SdcPgHost *host = sdcpg_host_begin("mask", CurrentMemoryContext);
	SdcPartNode node[2 * MOST_PARTS];
	Sample sample = {host};
	double k = sdcpg_rule_number(parting->rule, "k");
	int64 rows = DatumGetInt64(
		sdcpg_catalog_read(psprintf("SELECT pg_catalog.count(*) FROM %s AS r "
									"WHERE %s",
									plan->relation->sql, parting->finite),
						   NULL)
			->value[0][0]);
	double parts = Min(rows / Max(PART_ROWS, PART_GROUPS * k), MOST_PARTS);
	int32 nodes;

	parting->part = "0";
	if (parts >= 2)
	{
		scale_records(plan, parting);
		read_sample(&sample, plan, parting, SAMPLE_ROWS * parts / rows);
		nodes =
			sdc_parts_grow(&host->kernel, &sample.rows, (int32) parts, node);
		sdc_parts_join(node,
					   count_parts(plan, parting,
								   send_parts(parting, node, nodes), nodes),
					   (int64) k);
		parting->part = send_parts(parting, node, nodes);
	}
	sdcpg_host_end(host);
}

/* Rows on their way. */
typedef struct Together
{
	SdcPgHost *host;
	SdcMaskPlan *plan;
	Oid schema;
	StringInfoData carried; /* the columns, as SQL over r */
} Together;

/* The columns that the copy is made of, and that which tells shards. */
static void
start_carried(Together *together, const char *home)
{
	const SdcMaskPlan *plan = together->plan;
	int i;

	initStringInfo(&together->carried);
	for (i = 0; i < plan->columns; i++)
		if (plan->column[i].read ||
			strcmp(plan->column[i].column.name, home) == 0)
			appendStringInfo(&together->carried, "%sr.%s",
							 together->carried.len > 0 ? ", " : "",
							 plan->column[i].column.sql);
}

/* The rows of a table of parts with what its rules make of them. */
static char *
masked_query(const Together *together, const SdcParting *parting,
			 const SdcTarget *stage)
{
	StringInfoData sql;
	ListCell *value;
	ListCell *name;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT %s", together->carried.data);
	forboth(value, parting->values, name, parting->names) appendStringInfo(
		&sql, ", %s AS %s", (char *) lfirst(value), (char *) lfirst(name));
	appendStringInfo(&sql, " FROM (SELECT %s, r.%s%s FROM %s AS r) AS r",
					 together->carried.data, parting->column,
					 parting->helpers.data, stage->sql);
	return sql.data;
}

/* Puts the rows aside by their parts, and back beside those of the relation
 * with what becomes of them. */
static void
bring_parts(Together *together, SdcParting *parting, const char *home)
{
	SdcMaskPlan *plan = together->plan;
	const char *name = plan->whole->name;
	SdcRelation *parted = palloc(sizeof(SdcRelation));
	SdcTarget *stage =
		sdcpg_mask_suppress_stage(together->schema, "sdc_parts", name);
	SdcTarget *masked =
		sdcpg_mask_suppress_stage(together->schema, "sdc_parted", name);
	ListCell *cell;

	sdcpg_target_fill(
		together->host, stage,
		psprintf("SELECT %s, %s AS %s FROM %s AS r", together->carried.data,
				 parting->part, parting->column, plan->relation->sql),
		NULL, parting->column, "none", sdcpg_shards_of(plan->whole->oid));
	(void) sdcpg_target_open(stage);
	sdcpg_target_fill(together->host, masked,
					  masked_query(together, parting, stage),
					  &plan->parameters, home, plan->whole->sql, 0);
	sdcpg_target_close();
	sdcpg_mask_suppress_drop(stage);
	sdcpg_mask_end_gathered(plan);
	*parted = *plan->whole;
	parted->sql = masked->sql;
	plan->relation = parted;
	plan->parted = masked;
	(void) sdcpg_target_open(masked);
	foreach (cell, parting->names)
		appendStringInfo(&together->carried, ", r.%s", (char *) lfirst(cell));
}

static void
bring_together(void *arg)
{
	Together *together = arg;
	SdcMaskPlan *plan = together->plan;
	char *home;
	ListCell *cell;

	plan->whole = plan->relation;
	(void) sdcpg_home_of(plan->whole->oid, &home);
	start_carried(together, home);
	foreach (cell, plan->partings)
	{
		SdcParting *parting = lfirst(cell);

		if (parting->part == NULL)
			cut_parts(plan, parting);
		bring_parts(together, parting, home);
	}
}

void
sdcpg_mask_gather(SdcPgHost *host, SdcMaskPlan *plan, Oid schema)
{
	if (plan->partings != NIL)
	{
		Together together = {host, plan, schema};

		sdcpg_progress_stage(&host->progress, "bringing rows together");
		sdcpg_mask_guard_own(plan->relation->name, bring_together, &together);
	}
	if (plan->gatherings == NIL)
		return;
	sdcpg_progress_stage(&host->progress, "gathering");
	sdcpg_mask_guard(plan->relation->name, gather_all, plan);
}

void
sdcpg_mask_end_gathered(SdcMaskPlan *plan)
{
	if (plan->parted == NULL)
		return;
	sdcpg_target_close();
	sdcpg_mask_suppress_drop(plan->parted);
	plan->relation = plan->whole;
	plan->parted = NULL;
}

/* Stops unless a copy has the rows that were counted. */
static void
check_written(const SdcMaskPlan *plan, const SdcMaskCount *count)
{
	ListCell *cell;

	foreach (cell, plan->gatherings)
	{
		const SdcGathering *gathering = lfirst(cell);

		/* no server has written a value more than was counted there */
		if (gathering->value != NULL && gathering->rows != count->rows)
			sdcpg_shard_rows_changed();
	}
}

void
sdcpg_mask_finish_gathered(const SdcMaskPlan *plan, SdcMaskCount *count)
{
	ListCell *cell;

	check_written(plan, count);
	foreach (cell, plan->gatherings)
	{
		const SdcGathering *gathering = lfirst(cell);
		const SdcMaskColumn *column = sdcpg_mask_plan_column(
			(SdcMaskPlan *) plan, gathering->rule->columns.column[0].number);

		count->changed[column - plan->column] = gathering->changed;
	}
}
