/*
 * event_linkage.c
 *		sdc.attack_events: who is who by what is known of a person's events.
 *
 * A channel is one way to look at the events of a person: the set of his
 * items, of his days, of both together, of the days between his days, his
 * turnover, how many events there are.  Queries bring the events of both
 * relations, purchases.c makes marks and numbers of each person from them, and
 * the kernel learns from both, without being told who is who, how likely each
 * channel leaves them.
 *
 * The queries read the WITHs of purchases.h, one upon the other: ro, rm, rl
 * are the relations and the link as they are; eo, em, el have a person for
 * each period; ek are the events of eo that the intruder knows.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/transaction/event_groups.h"
#include "topic/attack/known.h"
#include "topic/attack/links.h"
#include "topic/registry/words.h"
#include "topic/transaction/purchases.h"

#define ITEM   SDC_PURCHASE_WANT(SDC_PURCHASE_ITEM)
#define AT     SDC_PURCHASE_WANT(SDC_PURCHASE_AT)
#define PRICE  SDC_PURCHASE_WANT(SDC_PURCHASE_PRICE)
#define PIECES SDC_PURCHASE_WANT(SDC_PURCHASE_QUANTITY)
#define AMOUNT SDC_PURCHASE_WANT(SDC_PURCHASE_AMOUNT)
#define MOMENT SDC_PURCHASE_MOMENT

/* Moments have a time of day. */
#define CLOCK (MOMENT << 1)

typedef enum ChannelKind
{
	CHANNEL_MARKS,  /* an event makes one */
	CHANNEL_GAPS,   /* of the days between days */
	CHANNEL_VALUES, /* an event makes one, which may have been moved */
	CHANNEL_NUMBER, /* all events of a person make one */
	CHANNEL_END
} ChannelKind;

/* The parts of a mark at most. */
#define MARK_PARTS 3

/*
 * One way to look at events: the columns whose values make a mark, or the
 * number in SQL of all events e of a person.  A setting is one of the
 * contest's (PWSCUP 2017): it is tried by itself, and period by period.  One
 * that is near is of the variant of this name.
 */
typedef struct Channel
{
	const char *name;
	ChannelKind kind;
	bool setting;
	unsigned needs;
	struct
	{
		unsigned column;
		SdcEventPartKind kind;
	} part[MARK_PARTS];
	const char *number;
	bool near;
} Channel;

#define WHOLE SDC_PART_CODE
#define DAY   SDC_PART_DAY
#define START SDC_PART_START

static const Channel channels[] = {
	{"items", CHANNEL_MARKS, false, ITEM, {{ITEM, WHOLE}}, .near = true},
	{"dates", CHANNEL_MARKS, false, AT, {{AT, DAY}}},
	{"items_dates",
	 CHANNEL_MARKS,
	 false,
	 ITEM | AT,
	 {{AT, DAY}, {ITEM, WHOLE}}},
	{"items_months",
	 CHANNEL_MARKS,
	 false,
	 ITEM | AT,
	 {{AT, SDC_PART_MONTH}, {ITEM, WHOLE}}},
	{"times",
	 CHANNEL_MARKS,
	 false,
	 MOMENT | CLOCK,
	 {{MOMENT, SDC_PART_CLOCK}},
	 .near = true},
	{"near_dates",
	 CHANNEL_VALUES,
	 false,
	 MOMENT,
	 {{MOMENT, SDC_PART_MOMENT}},
	 .near = true},
	{"near_amounts",
	 CHANNEL_VALUES,
	 false,
	 AMOUNT,
	 {{AMOUNT, SDC_PART_NUMBER}},
	 .near = true},
	{"intervals", CHANNEL_GAPS, false, AT, {{AT, DAY}}},
	{"amounts", CHANNEL_MARKS, false, AMOUNT, {{AMOUNT, WHOLE}}},
	{"turnover",
	 CHANNEL_NUMBER,
	 false,
	 AMOUNT,
	 {{0}},
	 "pg_catalog.sum(e.amount)"},
	{"prices",
	 CHANNEL_NUMBER,
	 false,
	 AMOUNT | PIECES,
	 {{0}},
	 "CASE WHEN pg_catalog.sum(e.quantity)" SDC_GT "0 THEN "
	 "pg_catalog.sum(e.amount)" SDC_BY "pg_catalog.sum(e.quantity) END"},
	{"counts",
	 CHANNEL_NUMBER,
	 false,
	 0,
	 {{0}},
	 "pg_catalog.count(*)",
	 .near = true},
	{"counts",
	 CHANNEL_NUMBER,
	 false,
	 AT,
	 {{0}},
	 "pg_catalog.count(DISTINCT e.day)",
	 .near = true},
	{"counts",
	 CHANNEL_NUMBER,
	 false,
	 ITEM,
	 {{0}},
	 "pg_catalog.count(DISTINCT e.item)",
	 .near = true},
	{"counts",
	 CHANNEL_NUMBER,
	 false,
	 PIECES,
	 {{0}},
	 "pg_catalog.sum(e.quantity)",
	 .near = true},
	{"s1", CHANNEL_MARKS, true, AT | PIECES, {{AT, DAY}, {PIECES, WHOLE}}},
	{"s2", CHANNEL_MARKS, true, ITEM | PRICE, {{ITEM, START}, {PRICE, WHOLE}}},
	{"s3",
	 CHANNEL_MARKS,
	 true,
	 ITEM | PIECES,
	 {{ITEM, START}, {PIECES, WHOLE}}},
	{"s4", CHANNEL_MARKS, true, ITEM | AT, {{ITEM, START}, {AT, DAY}}},
	{"s5",
	 CHANNEL_MARKS,
	 true,
	 ITEM | PRICE | PIECES,
	 {{ITEM, START}, {PRICE, WHOLE}, {PIECES, WHOLE}}},
	{"s6",
	 CHANNEL_MARKS,
	 true,
	 ITEM | AT | PIECES,
	 {{ITEM, START}, {AT, DAY}, {PIECES, WHOLE}}},
	{NULL, CHANNEL_END}};

/* Variants; the first is for reports only, as it needs the truth. */
const char *const sdcpg_events_methods[] = {"strongest",    "all",
											"near",         "items",
											"dates",        "items_dates",
											"items_months", "times",
											"near_dates",   "near_amounts",
											"intervals",    "amounts",
											"turnover",     "prices",
											"counts",       "s1",
											"s2",           "s3",
											"s4",           "s5",
											"s6",           NULL};

#define ALL       "all"
#define NEAR      "near"
#define STRONGEST sdcpg_events_methods[0]

typedef enum Period
{
	PERIOD_NONE,
	PERIOD_WEEK,
	PERIOD_MONTH,
	PERIOD_QUARTER,
	PERIOD_YEAR
} Period;

static const char *const period_words[] = {"none",    "week", "month",
										   "quarter", "year", NULL};
static const char *const period_formats[] = {NULL, "IYYY-IW", "YYYY-MM",
											 "YYYY-Q", "YYYY"};

#define TAKES_EVENTS                                                     \
	{"period", SDC_KEY_WORD, .words = period_words},                     \
		{"known", SDC_KEY_INTEGER, .low = 1, .high = 1e9},               \
		{"days", SDC_KEY_INTEGER, .low = 0, .high = 366, .absent = "0"}, \
		{"rules", SDC_KEY_OBJECT}, SDC_TAKES_ASSIGNMENT

static const SdcKey event_keys[] = {
	TAKES_EVENTS, SDC_TAKES_CANDIDATES("100"), {NULL}};

const SdcKey sdcpg_events_params[] = {
	{"link", SDC_KEY_TEXT, .need = sdcpg_relation_need},
	{"mapping", SDC_KEY_OBJECT},
	TAKES_EVENTS,
	{NULL}};

/* The columns of events that are read, by their place behind the person. */
static const struct
{
	unsigned column;
	const char *name;
} read_columns[] = {{ITEM, "item"},       {AT, "day"},
					{MOMENT, "moment"},   {PRICE, "price"},
					{PIECES, "quantity"}, {AMOUNT, "amount"}};

typedef struct Events
{
	SdcPgHost *host;
	const char *variant;
	unsigned has; /* what both relations have */
	bool by_price;
	Period period;
	int64 known; /* events of a person; 0: all */
	int64 days;  /* that the intruder may be wrong by */
	char *with;  /* of ro, rm, rl to ek */

	/* what was read */
	SdcEventPersons persons;
	SdcEventTable table;
	int place[lengthof(read_columns)]; /* in the table; 0: not there */
	int32 *part[SDC_EVENTS_SIDES];     /* NULL: no periods */
	int parts;
	bool made[lengthof(channels)];
	SdcEventChannel channel[lengthof(channels)];
	SdcEventLinkage linkage; /* by the channels of a variant */
	SdcEventChannel chosen[lengthof(channels)];
} Events;

/* ----------------------------------------------------------------------
 * The queries.
 * ----------------------------------------------------------------------
 */

/* The parts of purchases that both relations have. */
static unsigned
find_parts(const SdcRelation *original, const SdcRelation *masked,
		   Jsonb *mapping)
{
	unsigned has = 0;
	int i;

	for (i = SDC_PURCHASE_AT; i < SDC_PURCHASE_COLUMNS; i++)
		if (sdcpg_purchases_has(original, mapping, (SdcPurchaseColumn) i) &&
			sdcpg_purchases_has(masked, mapping, (SdcPurchaseColumn) i))
			has |= SDC_PURCHASE_WANT(i);
	return has;
}

/* The truth of a masked relation: a link, the rows' ids, or the names. */
static void
append_truth(StringInfo with, Oid link, const char *id, Jsonb *mapping)
{
	appendStringInfoString(with, ", ");
	if (OidIsValid(link))
		sdcpg_purchases_link_with(with, "rl", sdcpg_relation_find(link),
								  mapping);
	else if (id != NULL)
		appendStringInfoString(
			with,
			"rl AS (SELECT DISTINCT ON (x.masked) x.masked, x.original FROM "
			"(SELECT m.customer AS masked, o.customer AS original, "
			"pg_catalog.count(*) AS n FROM ro AS o JOIN rm AS m "
			"ON o.id" SDC_EQ "m.id GROUP BY m.customer, o.customer) AS x "
			"ORDER BY x.masked, x.n DESC, x.original)");
	else
		appendStringInfoString(with,
							   "rl AS (SELECT DISTINCT r.customer AS masked, "
							   "r.customer AS original FROM rm AS r)");
}

/* A person for each period, and the amount of each event. */
static void
append_periods(StringInfo with, const Events *events)
{
	const char *of = period_formats[events->period];
	const char *period =
		of == NULL
			? NULL
			: psprintf(" OPERATOR(pg_catalog.||) ' ' "
					   "OPERATOR(pg_catalog.||) pg_catalog.to_char(CAST("
					   "r.day AS pg_catalog.timestamp), '%s')",
					   of);
	int i;

	for (i = 0; i < 2; i++)
	{
		char side = "om"[i];

		appendStringInfo(with, ", e%c AS (SELECT r.customer%s AS customer",
						 side, period == NULL ? "" : period);
		if (events->has & AT)
			appendStringInfoString(with, ", r.day, r.moment");
		if (events->has & ITEM)
			appendStringInfoString(with, ", r.item");
		if (events->has & PRICE)
			appendStringInfoString(with, ", r.price");
		if (events->has & PIECES)
			appendStringInfoString(with, ", r.quantity");
		if (events->has & AMOUNT)
			appendStringInfo(with, ", %s AS amount",
							 !events->by_price      ? "r.amount"
							 : events->has & PIECES ? "r.price" SDC_TIMES
													  "r.quantity"
													: "r.price");
		appendStringInfo(with, " FROM r%c AS r%s)", side,
						 period == NULL ? ""
										: " WHERE pg_catalog.isfinite(r.day)");
	}
	if (period == NULL)
		appendStringInfoString(
			with, ", el AS (SELECT r.masked, r.original FROM rl AS r)");
	else
		appendStringInfo(with,
						 ", el AS (SELECT DISTINCT k.masked%s AS masked, "
						 "k.original%s AS original FROM rl AS k JOIN rm AS r "
						 "ON r.customer" SDC_EQ
						 "k.masked WHERE pg_catalog.isfinite(r.day))",
						 period, period);
}

/* The events that the intruder knows, drawn by the seed. */
static void
append_known(StringInfo with, const Events *events)
{
	if (events->known == 0)
		appendStringInfoString(with, ", ek AS (SELECT * FROM eo)");
	else
		appendStringInfo(
			with,
			", ek AS (SELECT * FROM (SELECT e.*, pg_catalog.row_number() OVER "
			"(PARTITION BY e.customer ORDER BY pg_catalog.sha256("
			"pg_catalog.convert_to('" UINT64_FORMAT
			"' OPERATOR(pg_catalog.||) CAST(pg_catalog.to_jsonb(e)" SDC_MINUS
			"CAST('moment' AS pg_catalog.text) AS "
			"pg_catalog.text), 'UTF8'))) AS place FROM eo AS e) AS e "
			"WHERE e.place OPERATOR(pg_catalog.<=) " INT64_FORMAT ")",
			events->linkage.seed, events->known);
}

/* A day as a number; one without end is before or after all others. */
#define DAY_NUMBER                                                   \
	"CASE WHEN pg_catalog.isfinite(e.day) THEN CAST(e.day" SDC_MINUS \
		SDC_EPOCH " AS pg_catalog.int8) WHEN e.day" SDC_LT SDC_EPOCH \
	" THEN -2000000000 WHEN e.day IS NOT NULL THEN 2000000000 END AS day"

/* A moment as a number, from 2000 on; one without end is none. */
#define MOMENT_NUMBER                                         \
	"CASE WHEN pg_catalog.isfinite(e.moment) THEN "           \
	"CAST((pg_catalog.date_part('epoch', e.moment)" SDC_MINUS \
	"946684800)" SDC_TIMES "1000000 AS pg_catalog.int8) END AS moment"

/* ----------------------------------------------------------------------
 * The persons, through the channels.
 * ----------------------------------------------------------------------
 */

/* Reads the events of both sides, once for all channels. */
static void
read_events(Events *events)
{
	static const char *const file[SDC_EVENTS_SIDES] = {"ek", "em"};
	SdcFrameType types[lengthof(read_columns) + 1] = {SDC_FRAME_CODE};
	StringInfoData list;
	int count = 1;
	int side;
	int i;

	initStringInfo(&list);
	for (i = 0; i < lengthof(read_columns); i++)
	{
		bool numbered = (read_columns[i].column & (AT | MOMENT)) != 0;

		events->place[i] = 0;
		if ((events->has & read_columns[i].column) == 0)
			continue;
		if (numbered)
			appendStringInfo(&list, ", %s",
							 read_columns[i].column == AT ? DAY_NUMBER
														  : MOMENT_NUMBER);
		else
			appendStringInfo(&list, ", e.%s", read_columns[i].name);
		types[count] = numbered ? SDC_FRAME_COUNT : SDC_FRAME_CODE;
		events->place[i] = count++;
	}
	events->persons.host = events->host;
	for (side = 0; side < SDC_EVENTS_SIDES; side++)
		sdcpg_events_read(&events->persons, &events->table, side,
						  psprintf("WITH %s SELECT e.customer%s FROM %s AS e",
								   events->with, list.data, file[side]),
						  count, types);
	sdcpg_events_number(&events->persons,
						psprintf("WITH %s SELECT k.masked, k.original "
								 "FROM el AS k",
								 events->with));
}

/* Numbers the periods of the persons of a side, which their ids end with. */
static int32 *
number_parts(Events *events, int side, List **periods)
{
	const SdcFrameColumn *ids = &events->persons.id[side];
	int32 n = events->persons.count[side];
	int32 *part = sdc_new(&events->host->kernel, int32, (Size) n + 1);
	int32 i;

	for (i = 0; i < n; i++)
	{
		const char *space = strrchr(sdcpg_frame_text(ids, i), ' ');
		const char *period = space == NULL ? "" : space + 1;
		ListCell *cell;

		part[i] = 0;
		foreach (cell, *periods)
		{
			if (strcmp(lfirst(cell), period) == 0)
				break;
			part[i]++;
		}
		if (part[i] == list_length(*periods))
			*periods = lappend(*periods, pstrdup(period));
	}
	return part;
}

static void
read_parts(Events *events)
{
	List *periods = NIL;
	int side;

	events->parts = 1;
	if (events->period == PERIOD_NONE)
		return;
	for (side = 0; side < SDC_EVENTS_SIDES; side++)
		events->part[side] = number_parts(events, side, &periods);
	events->parts = Max(list_length(periods), 1);
}

/* The place of a column in the table that was read. */
static int
place_of(const Events *events, unsigned column)
{
	int i = 0;

	while (read_columns[i].column != column)
		i++;
	return events->place[i];
}

/* All numbers that can be had, by one query for each side. */
static void
make_numbers(Events *events)
{
	SdcEventChannel made[lengthof(channels)];
	StringInfoData sql[SDC_EVENTS_SIDES];
	const char *text[SDC_EVENTS_SIDES];
	int count = 0;
	int side;
	int i;

	for (side = 0; side < SDC_EVENTS_SIDES; side++)
	{
		initStringInfo(&sql[side]);
		appendStringInfo(&sql[side], "WITH %s SELECT e.customer",
						 events->with);
		for (i = 0; channels[i].name != NULL; i++)
			if (channels[i].kind == CHANNEL_NUMBER &&
				(channels[i].needs & ~events->has) == 0)
				appendStringInfo(&sql[side], ", %s AS amount",
								 channels[i].number);
		appendStringInfo(&sql[side], " FROM %s AS e GROUP BY e.customer",
						 side == SDC_EVENTS_KNOWN ? "eo" : "em");
		text[side] = sql[side].data;
	}
	for (i = 0; channels[i].name != NULL; i++)
		count += channels[i].kind == CHANNEL_NUMBER &&
				 (channels[i].needs & ~events->has) == 0;
	sdcpg_events_numbers(&events->persons, text, count, made);
	count = 0;
	for (i = 0; channels[i].name != NULL; i++)
		if (channels[i].kind == CHANNEL_NUMBER &&
			(channels[i].needs & ~events->has) == 0)
		{
			events->channel[i] = made[count++];
			events->made[i] = true;
		}
}

static void
make_marks(Events *events, int i)
{
	SdcEventPart part[MARK_PARTS];
	int parts = 0;

	while (parts < MARK_PARTS && channels[i].part[parts].column != 0)
	{
		part[parts].kind = channels[i].part[parts].kind;
		part[parts].column = place_of(events, channels[i].part[parts].column);
		parts++;
	}
	/* who is wrong by a day still knows how far days are apart, nearly */
	if (channels[i].kind == CHANNEL_GAPS)
		sdcpg_events_gaps(&events->persons, &events->table, part[0].column,
						  &events->channel[i]);
	else
		sdcpg_events_marks(&events->persons, &events->table, part, parts,
						   events->days, &events->channel[i]);
	events->made[i] = true;
}

/* Is a channel one of a variant, and one that can be read? */
static bool
is_of(const Events *events, const Channel *channel, const char *variant)
{
	if (strcmp(variant, ALL) == 0)
	{
		if (channel->setting || channel->kind == CHANNEL_VALUES)
			return false;
	}
	else if (strcmp(variant, NEAR) == 0)
	{
		if (!channel->near)
			return false;
	}
	else if (strcmp(variant, channel->name) != 0)
		return false;
	/* numbers of all events are not known to who knows some */
	if (channel->kind == CHANNEL_NUMBER && events->known > 0)
		return false;
	/* nor are moments to who is wrong by days */
	if ((channel->needs & MOMENT) && events->days > 0)
		return false;
	return (channel->needs & ~events->has) == 0;
}

/*
 * Makes the channels of a variant; false when the relations do not have what
 * it needs.
 */
static bool
choose_channels(Events *events, const char *variant)
{
	SdcEventFiles *files = &events->linkage.files;
	int i;

	memset(files, 0, sizeof(*files));
	events->linkage.persons = &events->persons;
	for (i = 0; channels[i].name != NULL; i++)
	{
		if (!is_of(events, &channels[i], variant))
			continue;
		if (!events->made[i])
		{
			if (channels[i].kind == CHANNEL_NUMBER)
				make_numbers(events);
			else
				make_marks(events, i);
		}
		events->chosen[files->channels++] = events->channel[i];
	}
	files->persons = events->persons.count[SDC_EVENTS_KNOWN];
	files->records = events->persons.count[SDC_EVENTS_SHOWN];
	files->parts = events->parts;
	files->person_part = events->part[SDC_EVENTS_KNOWN];
	files->record_part = events->part[SDC_EVENTS_SHOWN];
	files->channel = events->chosen;
	return files->channels > 0;
}

/* ----------------------------------------------------------------------
 * Linking.
 * ----------------------------------------------------------------------
 */

bool
sdcpg_events_one_to_one(const SdcEventLinkage *linkage)
{
	int32 n = linkage->files.persons;
	bool *taken = sdc_new(&linkage->persons->host->kernel, bool, (Size) n + 1);
	bool single = linkage->files.records <= n;
	int32 j;

	memset(taken, 0, sizeof(bool) * (n + 1));
	for (j = 0; j < linkage->files.records; j++)
	{
		int32 own = linkage->persons->partner[j];

		if (own < 0)
			continue;
		single = single && !taken[own];
		taken[own] = true;
	}
	linkage->persons->host->kernel.release(&linkage->persons->host->kernel,
										   taken);
	return single;
}

/* Rounds of learning, and records that are learned from. */
#define FIT_ROUNDS  4
#define FIT_RECORDS 2000

/* An intruder who looks at one person of each group of equal ones. */
typedef struct Searcher
{
	SdcHost *host;
	SdcEventGroups groups;
	SdcEventFiles files;
	SdcEventIntruder intruder;
} Searcher;

static void
start_searcher(Searcher *searcher, const SdcEventLinkage *linkage)
{
	SdcHost *host = &linkage->persons->host->kernel;

	searcher->host = host;
	searcher->groups = sdc_event_groups_create(host, &linkage->files, true);
	searcher->files =
		sdc_event_groups_files(host, &linkage->files, &searcher->groups);
	searcher->intruder = sdc_event_intruder_create(host, &searcher->files);
	sdc_event_intruder_fit(&searcher->intruder, FIT_ROUNDS, FIT_RECORDS);
}

static void
end_searcher(Searcher *searcher)
{
	sdc_event_intruder_release(&searcher->intruder);
	sdc_event_groups_files_release(searcher->host, &searcher->files);
	sdc_event_groups_release(searcher->host, &searcher->groups);
}

/* One to one needs everybody. */
static SdcLinkAssignment
assign(const SdcEventLinkage *linkage, const Searcher *searcher)
{
	SdcEventIntruder intruder =
		sdc_event_intruder_create(searcher->host, &linkage->files);
	SdcLinkAssignment assignment;

	sdc_event_intruder_believe(&intruder, searcher->intruder.law);
	assignment = sdc_event_intruder_assign(&intruder, linkage->seed);
	sdc_event_intruder_release(&intruder);
	return assignment;
}

/* The persons of the groups that are best for a record. */
static int32
count_persons(const Searcher *searcher)
{
	int32 persons = 0;
	int32 r;

	for (r = 0; r < searcher->intruder.rows; r++)
		persons += sdc_event_groups_size(&searcher->groups,
										 searcher->intruder.row[r]);
	return persons;
}

/* Is a group among the best ones?  They are ascending. */
static bool
is_best(const Searcher *searcher, int32 group)
{
	int32 low = 0;
	int32 high = searcher->intruder.rows;

	while (low < high)
	{
		int32 middle = low + (high - low) / 2;

		if (searcher->intruder.row[middle] < group)
			low = middle + 1;
		else
			high = middle;
	}
	return low < searcher->intruder.rows &&
		   searcher->intruder.row[low] == group;
}

/* Which records of a group are looked at? */
static bool
is_looked_at(const SdcEventLinkage *linkage, const bool *marked, int32 j)
{
	return linkage->persons->partner[j] >= 0 && (marked == NULL || marked[j]);
}

/* Links each record of a group of equal ones to the best persons. */
static void
count_group(const SdcEventLinkage *linkage, Searcher *searcher,
			const SdcEventGroups *records, int32 group, const bool *marked,
			SdcLinkSuccess *found)
{
	int32 persons = -1;
	int32 k;

	for (k = records->start[group]; k < records->start[group + 1]; k++)
	{
		int32 j = records->member[k];

		if (!is_looked_at(linkage, marked, j))
			continue;
		if (persons < 0)
		{
			sdc_event_intruder_best(&searcher->intruder, j);
			persons = count_persons(searcher);
		}
		found->records++;
		if (linkage->told != NULL && persons == 1)
			linkage->told[searcher->groups
							  .member[searcher->groups
										  .start[searcher->intruder.row[0]]]] =
				true;
		if (!is_best(searcher,
					 searcher->groups.group[linkage->persons->partner[j]]))
			continue;
		sdcpg_success_add(found, 1.0 / persons);
		found->unique_right += persons == 1;
	}
}

/* Links each record of a sample to the best persons. */
static void
count_nearest(const SdcEventLinkage *linkage, Searcher *searcher,
			  const SdcEventGroups *records, const bool *marked,
			  SdcLinkSuccess *found)
{
	int32 g;

	memset(found, 0, sizeof(*found));
	for (g = 0; g < records->groups; g++)
		count_group(linkage, searcher, records, g, marked, found);
}

/* Links everybody, one to one. */
static void
count_assigned(const SdcEventLinkage *linkage, const Searcher *searcher,
			   SdcLinkSuccess *found)
{
	SdcLinkAssignment assignment = assign(linkage, searcher);
	int32 j;

	memset(found, 0, sizeof(*found));
	for (j = 0; j < linkage->files.records; j++)
	{
		int32 own = linkage->persons->partner[j];

		if (linkage->told != NULL && assignment.row[j] >= 0)
			linkage->told[assignment.row[j]] = true;
		if (own < 0)
			continue;
		found->records++;
		if (assignment.row[j] == own)
		{
			sdcpg_success_add(found, 1);
			found->unique_right++;
		}
	}
}

int32
sdcpg_events_people(const SdcEventLinkage *linkage)
{
	int32 people = 0;
	int32 j;

	for (j = 0; j < linkage->files.records; j++)
		people += linkage->persons->partner[j] >= 0;
	return people;
}

/* Pairs beyond which nobody is linked one to one unless that is asked for. */
#define MOST_PAIRS 1e9

void
sdcpg_events_link(const SdcAttack *row, const SdcAttackCase *of,
				  SdcEventLinkage *linkage, SdcLinkSuccess *found)
{
	Searcher searcher;
	SdcEventGroups groups;
	double records = linkage->files.records;
	bool can = sdcpg_events_one_to_one(linkage);
	const bool *marked;
	SdcLinkSuccess other;

	start_searcher(&searcher, linkage);
	if (linkage->assign_asked && linkage->assign && can)
	{
		count_assigned(linkage, &searcher, found);
		end_searcher(&searcher);
		return;
	}
	groups = sdc_event_groups_create(searcher.host, &linkage->files, false);
	marked = sdcpg_attack_sample(
		of, linkage->persons->host, linkage->files.records,
		sdc_event_intruder_cost(&searcher.intruder, groups.groups),
		row->budget);
	count_nearest(linkage, &searcher, &groups, marked, found);
	sdc_event_groups_release(searcher.host, &groups);
	if (!linkage->assign_asked && can && marked == NULL &&
		records * linkage->files.persons <= MOST_PAIRS)
	{
		bool *told = linkage->told;

		if (told != NULL)
			linkage->told = palloc0(linkage->files.persons);
		count_assigned(linkage, &searcher, &other);
		if (Max(other.right, other.unique_right) >
			Max(found->right, found->unique_right))
			*found = other;
		else
			linkage->told = told;
	}
	end_searcher(&searcher);
}

static int
compare_places(const void *a, const void *b)
{
	int32 x = *(const int32 *) a;
	int32 y = *(const int32 *) b;

	return x < y ? -1 : x > y;
}

/* The persons of the best groups of a record, ascending; returns how many. */
static int32
list_persons(const Searcher *searcher, int32 *person)
{
	const SdcEventGroups *groups = &searcher->groups;
	int32 persons = 0;
	int32 r;

	for (r = 0; r < searcher->intruder.rows; r++)
	{
		int32 g = searcher->intruder.row[r];
		int32 size = sdc_event_groups_size(groups, g);

		memcpy(&person[persons], &groups->member[groups->start[g]],
			   sizeof(int32) * size);
		persons += size;
	}
	if (searcher->intruder.rows > 1)
		qsort(person, persons, sizeof(int32), compare_places);
	return persons;
}

void
sdcpg_events_put_links(SdcEventLinkage *linkage, ReturnSetInfo *result,
					   int32 max_candidates)
{
	const SdcEventPersons *persons = linkage->persons;
	int32 *person;
	Searcher searcher;
	SdcLinkAssignment assignment = {0};
	SdcLinks links;
	int32 j;

	start_searcher(&searcher, linkage);
	person = sdc_new(searcher.host, int32, (Size) linkage->files.persons + 1);
	if (linkage->assign)
		assignment = assign(linkage, &searcher);
	sdcpg_links_begin(&links, persons->host, result, linkage->files.records);
	sdcpg_links_prepare_sets(&links, &persons->id[SDC_EVENTS_KNOWN],
							 linkage->files.persons, max_candidates);
	for (j = 0; j < linkage->files.records; j++)
	{
		double best;

		sdcpg_links_begin_record(
			&links, sdcpg_frame_text(&persons->id[SDC_EVENTS_SHOWN], j),
			persons->partner[j]);
		sdc_event_intruder_best(&searcher.intruder, j);
		best = -searcher.intruder.best;
		if (!linkage->assign)
			sdcpg_links_add(&links, person, list_persons(&searcher, person));
		else if (assignment.row[j] >= 0)
		{
			sdcpg_links_add(&links, &assignment.row[j], 1);
			best = -sdc_event_intruder_score(
				&searcher.intruder, searcher.groups.group[assignment.row[j]],
				j);
		}
		sdcpg_links_end_record(&links, best, false);
	}
	sdcpg_links_end(&links);
	end_searcher(&searcher);
}

/* ----------------------------------------------------------------------
 * The arguments of both ways to call it.
 * ----------------------------------------------------------------------
 */

/* The settings of the contest are tried month by month. */
static Period
usual_period(const char *variant)
{
	int i;

	for (i = 0; channels[i].name != NULL; i++)
		if (strcmp(channels[i].name, variant) == 0 && channels[i].setting)
			return PERIOD_MONTH;
	return PERIOD_NONE;
}

static void
read_event_params(Events *events, const SdcKey *keys, Jsonb *params)
{
	events->period = sdcpg_params_has(params, "period")
						 ? (Period) sdcpg_keys_choice(keys, params, "period")
						 : usual_period(events->variant);
	events->known = sdcpg_params_has(params, "known")
						? sdcpg_keys_integer(keys, params, "known")
						: 0;
	events->days = sdcpg_keys_integer(keys, params, "days");
	events->linkage.assign_asked = sdcpg_params_has(params, "assignment");
	events->linkage.assign =
		events->linkage.assign_asked &&
		sdcpg_keys_choice(keys, params, "assignment") == 1;
}

pg_noreturn static void
refuse_variant(const Events *events)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_UNDEFINED_COLUMN),
		 errmsg("the relations do not show \"%s\" of anybody's events",
				events->variant),
		 errdetail("A column that it needs is not in both relations%s.",
				   events->known > 0
					   ? ", or it needs all events, and some are known"
					   : ""),
		 errhint(
			 "Say in argument \"mapping\", or once with sdc.declare, which "
			 "columns are the person, time, item and amount.")));
}

/* Is a column among those (char *) that are published?  NIL: all are. */
static bool
is_published(List *published, const SdcRelationColumn *column)
{
	return published == NIL || sdcpg_params_is_listed(published, column->name);
}

/* Takes away what will not be published; is it said whose events rows are? */
static bool
keep_published(Events *events, const SdcPurchases *masked, List *published)
{
	int i;

	for (i = SDC_PURCHASE_AT; i < SDC_PURCHASE_COLUMNS; i++)
		if ((events->has & SDC_PURCHASE_WANT(i)) &&
			!is_published(published, &masked->column[i]))
			events->has &= ~SDC_PURCHASE_WANT(i);
	if (!(events->has & AT))
		events->has &= ~(MOMENT | CLOCK);
	return is_published(published, &masked->column[SDC_PURCHASE_CUSTOMER]);
}

/*
 * Reads the events of the original as known rules make them where that is one
 * value: who knows that prices are rounded compares rounded prices.
 */
static void
apply_rules(SdcPurchases *purchases, const SdcRelationColumn *id, Jsonb *rules)
{
	SdcRelationColumns keys = {0};
	int i;
	int k;

	if (rules == NULL)
		return;
	keys.column = palloc(sizeof(SdcRelationColumn) * SDC_PURCHASE_COLUMNS);
	for (i = 0; i < SDC_PURCHASE_COLUMNS; i++)
		if ((purchases->wanted & SDC_PURCHASE_WANT(i)) &&
			!sdcpg_relation_lists(&keys, purchases->column[i].number))
			keys.column[keys.count++] = purchases->column[i];
	purchases->relation =
		unconstify(SdcRelation *, sdcpg_known_original(purchases->relation, id,
													   &keys, rules, NULL));
	for (i = 0; i < SDC_PURCHASE_COLUMNS; i++)
		for (k = 0; k < keys.count; k++)
			if ((purchases->wanted & SDC_PURCHASE_WANT(i)) &&
				purchases->column[i].number == keys.column[k].number)
				purchases->column[i].base = keys.column[k].base;
}

/*
 * Finds the relations and writes the WITHs.  False when nobody will see whose
 * events the masked rows are.
 */
static bool
find_events(Events *events, Oid original, Oid masked, Oid link, const char *id,
			Jsonb *mapping, Jsonb *rules, List *published)
{
	SdcRelation *file[2] = {sdcpg_relation_find(original),
							sdcpg_relation_find(masked)};
	StringInfo with = makeStringInfo();
	int i;

	mapping = sdcpg_purchases_mapping(original, mapping);
	events->has = find_parts(file[0], file[1], mapping);
	if (events->has & AT)
		events->has |= MOMENT | CLOCK;
	if (OidIsValid(link))
		id = NULL;
	for (i = 0; i < 2; i++)
	{
		SdcPurchases purchases = sdcpg_purchases_find(
			i == 0 ? original : masked, mapping, events->has);
		SdcRelationColumn column;

		if (i == 1 && !keep_published(events, &purchases, published))
			return false;
		if ((events->has & AT) &&
			purchases.column[SDC_PURCHASE_AT].base == DATEOID)
			events->has &= ~CLOCK;
		if (id != NULL)
			column = sdcpg_relation_column(file[i], id);
		if (i == 0)
			apply_rules(&purchases, id == NULL ? NULL : &column, rules);
		if (i > 0)
			appendStringInfoString(with, ", ");
		sdcpg_purchases_with(with, i == 0 ? "ro" : "rm", &purchases,
							 id == NULL ? NULL : &column);
	}
	events->by_price = !(events->has & AMOUNT);
	if (events->has & PRICE)
		events->has |= AMOUNT;
	if (!(events->has & AT))
	{
		if (events->period != PERIOD_NONE || events->days > 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("periods and days need the time of each event"),
					 errhint("Say in argument \"mapping\", or with "
							 "sdc.declare, which column it is.")));
	}
	append_truth(with, link, id, mapping);
	append_periods(with, events);
	append_known(with, events);
	events->with = with->data;
	sdcpg_transactions_check(
		events->host,
		psprintf("%s, l AS (SELECT k.masked, k.original FROM el AS k)",
				 events->with),
		"l");
	read_events(events);
	read_parts(events);
	return true;
}

/* ----------------------------------------------------------------------
 * sdc.attack_events.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_attack_events);

/*
 * attack_events(original regclass, masked regclass, id name, link regclass,
 *               variant text, mapping jsonb, params jsonb, seed bigint)
 */
Datum
sdcf_attack_events(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *mapping = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	Jsonb *params = PG_ARGISNULL(6) ? NULL : PG_GETARG_JSONB_P(6);
	Events events;
	int32 max_candidates;

	memset(&events, 0, sizeof(events));
	sdcpg_args_need_first(fcinfo, 2);
	sdcpg_args_need(fcinfo, 4);
	events.variant =
		sdcpg_events_methods[1 + sdcpg_args_choice("variant",
												   PG_GETARG_TEXT_PP(4),
												   sdcpg_events_methods + 1)];
	sdcpg_params_check_keys(params, event_keys);
	read_event_params(&events, event_keys, params);
	max_candidates =
		(int32) sdcpg_keys_integer(event_keys, params, "max_candidates");
	events.linkage.seed =
		PG_ARGISNULL(7) ? sdcpg_strong_seed() : (uint64) PG_GETARG_INT64(7);
	events.host = sdcpg_host_begin("attack_events", CurrentMemoryContext);
	(void) find_events(&events, PG_GETARG_OID(0), PG_GETARG_OID(1),
					   PG_ARGISNULL(3) ? InvalidOid : PG_GETARG_OID(3),
					   PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2)),
					   mapping, sdcpg_known_rules(params, NULL), NIL);
	if (!choose_channels(&events, events.variant))
		refuse_variant(&events);
	if (!events.linkage.assign_asked)
		events.linkage.assign = sdcpg_events_one_to_one(&events.linkage);
	else if (events.linkage.assign &&
			 !sdcpg_events_one_to_one(&events.linkage))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("several masked persons are one original person"),
				 errhint("Leave \"assignment\" out, or name a \"period\" "
						 "within which pseudonyms do not change.")));
	sdcpg_events_put_links(&events.linkage, result, max_candidates);
	sdcpg_host_end(events.host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * The attack "events": each channel alone and all together, and the one that
 * finds the most.
 * ----------------------------------------------------------------------
 */

void
sdcpg_events_check(const char *method, Jsonb *params)
{
	(void) sdcpg_purchases_mapping(InvalidOid,
								   sdcpg_params_object(params, "mapping"));
}

/*
 * Where only some persons were released: how many are said to be among them,
 * and how many of these are, in a sentence.  NULL: nothing to say, or not all
 * records were linked.
 */
static char *
tell_members(const SdcEventLinkage *linkage, const SdcLinkSuccess *found)
{
	const int32 *partner = linkage->persons->partner;
	int32 persons = linkage->files.persons;
	bool *here = palloc0(persons + 1);
	int32 members = 0;
	int32 said = 0;
	int32 right = 0;
	int32 i;

	for (i = 0; i < linkage->files.records; i++)
		if (partner[i] >= 0)
			here[partner[i]] = true;
	for (i = 0; i < persons; i++)
	{
		members += here[i];
		said += linkage->told[i];
		right += linkage->told[i] && here[i];
	}
	if (members == persons || found->records < sdcpg_events_people(linkage))
		return NULL;
	return psprintf(" Of %d known persons %d are said to be among the %d "
					"released, %d rightly.",
					persons, said, members, right);
}

double
sdcpg_events_share(const SdcLinkSuccess *found)
{
	return found->records == 0
			   ? 0
			   : Max(found->right + found->error, found->unique_right) /
					 found->records;
}

void
sdcpg_attack_events(const SdcAttack *row, const SdcAttackCase *of,
					SdcPgHost *host, SdcAttackOutcome *outcome)
{
	char *link = sdcpg_params_text(of->params, "link");
	bool strongest = strcmp(of->method, STRONGEST) == 0;
	StringInfoData said;
	SdcLinkSuccess best = {0};
	char *members = NULL;
	int tried = 0;
	Events events;
	int v;

	memset(&events, 0, sizeof(events));
	events.host = host;
	events.variant = of->method;
	events.linkage.seed = of->seeded ? (uint64) of->seed : sdcpg_strong_seed();
	read_event_params(&events, sdcpg_events_params, of->params);
	if (!find_events(&events, of->original->oid, of->masked->oid,
					 link == NULL ? InvalidOid : sdcpg_relation_oid(link),
					 of->id, sdcpg_params_object(of->params, "mapping"),
					 sdcpg_known_rules(of->params, of->rules), of->published))
	{
		outcome->reason = "What is published does not tell whose events the "
						  "rows are.";
		return;
	}
	initStringInfo(&said);
	for (v = 1; sdcpg_events_methods[v] != NULL; v++)
	{
		const char *variant = sdcpg_events_methods[v];
		SdcLinkSuccess found;

		if (strongest ? usual_period(variant) != PERIOD_NONE
					  : strcmp(variant, of->method) != 0)
			continue;
		if (!choose_channels(&events, variant))
			continue;
		events.linkage.told = palloc0(events.linkage.files.persons + 1);
		sdcpg_events_link(row, of, &events.linkage, &found);
		appendStringInfo(&said, "%s%s %.4g %%", tried++ > 0 ? ", " : "",
						 variant, 100 * sdcpg_events_share(&found));
		if (tried == 1 ||
			sdcpg_events_share(&found) > sdcpg_events_share(&best))
		{
			best = found;
			members = tell_members(&events.linkage, &found);
		}
	}
	if (tried == 0)
	{
		outcome->reason = "The relations show nothing that a person could be "
						  "known by through that channel.";
		return;
	}
	sdcpg_attack_links(outcome, &best, sdcpg_events_people(&events.linkage));
	if (strongest && outcome->reason == NULL)
		outcome->parts = psprintf("Found by channel: %s.%s", said.data,
								  members == NULL ? "" : members);
}
