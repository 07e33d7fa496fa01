/*
 * sequence.c
 *		What attacks found of releases before, and what of it still holds.
 *
 * An attack on everybody costs the same every night, however little changed.
 * Who is as he was, and his record, is found as before but for what the change
 * does: who changed may be found; and who was hidden by one of them may be
 * found when that one is gone, but nobody whom others hide as well.  That is
 * about twice the share of the changed rows.  So what an attack found then is
 * carried over with CHANGE_COUNTS times that share on top, and the gate judges
 * by the sum.  Where that does not hold, the attack is run on everybody, and
 * decides.  So a release far from its bounds is not attacked again, and one
 * near to them is.  test/bench/sql_nights.sh compares what is carried over
 * with attacks on everybody.
 *
 * How many rows changed is counted by what the attacks read, not by what masks
 * said: each person adds a keyed digest of the rows that he has in the
 * original and in the masked table to one of many sums, and the sums that
 * differ from those of then say how many persons do, whatever the reason.  No
 * value and no person can be told from a sum.
 *
 * A few rows can have others look all alike to who measures by deviations: as
 * soon as those who are far off leave, everybody is found.  So the deviations
 * of numbers, and how far masks move them, are kept, too, and where one is not
 * nearly what it was then everybody is attacked.
 */
#include "postgres.h"

#include <math.h>
#include <time.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "release/document.h"
#include "release/gate.h"
#include "release/publish.h"
#include "release/seal.h"
#include "release/tied.h"
#include "release/versions.h"
#include "topic/mask/rules.h"
#include "topic/registry/nulls.h"

/*
 * How many times the share that changed is added to what was found, and what
 * is added at least: a search takes another way when a row changes.
 */
#define CHANGE_COUNTS 3
#define CHANGE_LEAST  0.01

/*
 * The share of changed rows beyond which everybody is attacked again, and the
 * same of the scale of a column.
 */
#define CHANGE_MOST 0.1

/* Sums at least and at the most; about one for two rows. */
#define SUMS_LEAST 1024
#define SUMS_MOST  (1 << 20)

/* One release that attacks were run on. */
typedef struct Carried
{
	int64 release;
	double changed; /* share of the rows since, from above */
	Jsonb *found;   /* {"attacks": [...], "knowing": {...}} */
} Carried;

/* ----------------------------------------------------------------------
 * Marks: sums of digests, by which changed rows are counted.
 * ----------------------------------------------------------------------
 */

/* The squares of one column about a middle: Welford's sums. */
typedef struct Scale
{
	double count;
	double mean;
	double squares;
} Scale;

/* Of a number: the original, the masked one, and what is between them. */
#define SCALES 3
#define MOVES  2

/* Marks that are being made; in network order in a bytea. */
struct SdcMarks
{
	int64 rows;
	uint32 sums; /* a power of 2 */
	uint32 *sum;
	Jsonb *question; /* what the attacks were asked with */
	int numbers;
	Scale *scale; /* SCALES for each number */
};

static uint32
first_bytes(Datum digest)
{
	const uint8 *byte = (const uint8 *) VARDATA_ANY(DatumGetByteaPP(digest));

	return (uint32) byte[0] << 24 | (uint32) byte[1] << 16 |
		   (uint32) byte[2] << 8 | byte[3];
}

static void
start_rows(void *arg, TupleDesc descriptor)
{
}

static void
add_square(Scale *scale, double x)
{
	double move = x - scale->mean;

	if (!isfinite(x))
		return;
	scale->count++;
	scale->mean += move / scale->count;
	scale->squares += move * (x - scale->mean);
}

/* The root of the mean square. */
static double
deviation(const Scale *scale)
{
	return scale->count > 0 ? sqrt(scale->squares / scale->count) : 0;
}

/* The person, digests of his rows of both sides, and numbers of both. */
static void
add_row(void *arg, TupleDesc descriptor, const Datum *values,
		const bool *isnull)
{
	struct SdcMarks *marks = arg;
	uint32 *sum = &marks->sum[first_bytes(values[0]) & (marks->sums - 1)];
	int side;
	int i;

	for (side = 1; side <= 2; side++)
		if (!isnull[side])
			*sum += first_bytes(values[side]);
	marks->rows += !isnull[1];
	for (i = 0; i < marks->numbers; i++)
	{
		Scale *scale = &marks->scale[SCALES * i];
		double x = isnull[3 + 2 * i] ? NAN : DatumGetFloat8(values[3 + 2 * i]);
		double y = isnull[4 + 2 * i] ? NAN : DatumGetFloat8(values[4 + 2 * i]);

		add_square(&scale[0], x);
		add_square(&scale[1], y);
		add_square(&scale[2], y - x);
	}
}

/* The row of a table (alias) as a digest; NULL where it has none. */
static char *
row_digest(const struct SdcVersions *versions, const SdcRelation *table,
		   const SdcRelationColumns *columns, const char *subject,
		   const char *alias)
{
	StringInfoData list;
	int i;

	initStringInfo(&list);
	for (i = 0; i < columns->count; i++)
		if (get_attnum(table->oid, columns->column[i].name) !=
			InvalidAttrNumber)
			appendStringInfo(&list, "%s%s.%s", list.len > 0 ? ", " : "", alias,
							 columns->column[i].sql);
	return psprintf("CASE WHEN %s.%s IS NOT NULL THEN"
					" sdc.release_digest(%s, '%s',"
					" record_out(ROW(%s.%s))::text,"
					" record_out(ROW(%s))::text, NULL, NULL) END",
					alias, versions->own.person,
					quote_literal_cstr(versions->policy), subject, alias,
					versions->id.sql, list.data);
}

/*
 * Those of the masked table: columns that attacks read, and all others that
 * are published, which may tell of a key.
 */
static SdcRelationColumns
shown_columns(const SdcGateCase *of, const SdcRelationColumns *read)
{
	SdcRelationColumns columns = sdcpg_relation_all_columns(of->masked);
	int count = columns.count;
	int i;
	int j;

	columns.count = 0;
	for (i = 0; i < count; i++)
	{
		const char *name = columns.column[i].name;
		bool shown = of->published == NIL ||
					 sdcpg_params_is_listed(of->published, name);

		for (j = 0; j < read->count; j++)
			shown |= strcmp(read->column[j].name, name) == 0;
		if (shown)
			columns.column[columns.count++] = columns.column[i];
	}
	return columns;
}

/* Adds the rows of both tables; the columns are of those of the original. */
static void
add_rows(struct SdcVersions *versions, struct SdcMarks *marks,
		 const SdcGateCase *of, const SdcRelationColumns *columns)
{
	SdcRelationColumns shown = shown_columns(of, columns);
	SdcRows rows = {start_rows, add_row, marks};
	SdcPgHost *host = sdcpg_host_begin("release", CurrentMemoryContext);
	int settings = NewGUCNestLevel();
	const char *person = versions->own.person;
	StringInfoData numbers;
	int i;

	initStringInfo(&numbers);
	marks->scale = palloc0(sizeof(Scale) * SCALES * (columns->count + 1));
	for (i = 0; i < columns->count; i++)
		if (sdcpg_number_is_arithmetic(columns->column[i].base))
		{
			const char *name = columns->column[i].name;

			appendStringInfo(&numbers, ", %s, %s",
							 sdcpg_versions_number(of->original, name, "o"),
							 sdcpg_versions_number(of->masked, name, "m"));
			marks->numbers++;
		}
	sdcpg_seal_pin_settings();
	sdcpg_rows_receive(
		host,
		psprintf("SELECT COALESCE(o.%s, m.%s), %s, %s%s FROM"
				 " (SELECT r.*, %s AS %s FROM %s AS r) AS o FULL JOIN"
				 " (SELECT r.*, %s AS %s FROM %s AS r) AS m ON m.%s = o.%s",
				 person, person,
				 row_digest(versions, of->original, columns, "original", "o"),
				 row_digest(versions, of->masked, &shown, "masked", "m"),
				 numbers.data, sdcpg_versions_person(versions, "r"), person,
				 of->original->sql, sdcpg_versions_person(versions, "r"),
				 person, of->masked->sql, person, person),
		&rows);
	AtEOXact_GUC(false, settings);
	sdcpg_host_end(host);
}

/*
 * The columns that attacks may read: keys, sensitive ones, and those that they
 * are masked with.
 */
static SdcRelationColumns
read_columns(const struct SdcVersions *versions, const SdcGateCase *of)
{
	SdcRules rules = sdcpg_rules_read(versions->rules, of->original);
	SdcRelationColumns columns = {0};
	SdcRelationColumns some;
	int told;
	int i;
	int j;

	if (of->keys != NULL)
	{
		some = sdcpg_relation_columns(of->original, "keys", of->keys);
		sdcpg_versions_add_columns(&columns, &some, NULL);
	}
	if (of->sensitive != NULL)
	{
		some =
			sdcpg_relation_columns(of->original, "sensitive", of->sensitive);
		sdcpg_versions_add_columns(&columns, &some, NULL);
	}
	told = columns.count;
	for (i = 0; i < rules.count; i++)
	{
		const SdcRelationColumns *own = &rules.rule[i].columns;
		bool read = own->count == 0;

		for (j = 0; j < told; j++)
			read |= sdcpg_relation_lists(own, columns.column[j].number);
		if (!read)
			continue;
		some = sdcpg_rule_strata(&rules.rule[i], of->original);
		sdcpg_versions_add_columns(&columns, own, NULL);
		sdcpg_versions_add_columns(&columns, &some, NULL);
	}
	return columns;
}

/* Names (char *) as an array of the document. */
static void
put_names(StringInfo document, const char *key, List *names)
{
	ListCell *cell;

	sdcpg_document_open(document, key, '[');
	foreach (cell, names)
		sdcpg_document_text(document, NULL, lfirst(cell));
	sdcpg_document_close(document, '[');
}

/* What releases before published by other rules, or not any more. */
static void
put_fixed(StringInfo document, const struct SdcVersions *versions)
{
	int p;

	sdcpg_document_open(document, "fixed", '[');
	for (p = versions->all_parts; p < versions->seen_parts; p++)
		if (versions->part[p].fixed != NULL)
			sdcpg_document_text(
				document, NULL,
				psprintf("%s " INT64_FORMAT,
						 versions->part[p].columns.column->name,
						 versions->part[p].release));
	sdcpg_document_close(document, '[');
}

/* What attacks are asked with but for themselves: other words, other risk. */
static Jsonb *
make_question(const struct SdcVersions *versions, const SdcGateCase *of)
{
	StringInfoData document;
	SdcNulls meaning;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_text(&document, "mark", versions->mark);
	sdcpg_document_text(&document, "id", of->id);
	sdcpg_document_jsonb(&document, "rules", of->rules);
	put_names(&document, "keys", sdcpg_policy_list_of(of->keys));
	put_names(&document, "sensitive", sdcpg_policy_list_of(of->sensitive));
	put_names(&document, "published", of->published);
	put_fixed(&document, versions);
	sdcpg_document_number(&document, "p", of->p);
	if (sdcpg_nulls_declared(of->original->oid, &meaning))
		sdcpg_document_integer(&document, "nulls", meaning);
	if (sdcpg_nulls_declared(of->masked->oid, &meaning))
		sdcpg_document_integer(&document, "masked_nulls", meaning);
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

static struct SdcMarks *
make_marks(struct SdcVersions *versions, const SdcGateCase *of)
{
	struct SdcMarks *marks = palloc0(sizeof(*marks));
	SdcRelationColumns columns = read_columns(versions, of);

	marks->sums = SUMS_LEAST;
	while (marks->sums < SUMS_MOST && marks->sums < versions->tally.rows / 2)
		marks->sums *= 2;
	marks->sum = palloc0(sizeof(uint32) * marks->sums);
	marks->question = make_question(versions, of);
	add_rows(versions, marks, of, &columns);
	return marks;
}

static bytea *
marks_bytes(const struct SdcMarks *marks)
{
	bytea *bytes = palloc(VARHDRSZ + sizeof(uint32) * marks->sums);
	uint8 *byte = (uint8 *) VARDATA(bytes);
	uint32 i;

	SET_VARSIZE(bytes, VARHDRSZ + sizeof(uint32) * marks->sums);
	for (i = 0; i < 4 * marks->sums; i++)
		byte[i] = (uint8) (marks->sum[i / 4] >> (24 - 8 * (i % 4)));
	return bytes;
}

/*
 * The share of rows that differ from those of marks before: from the share of
 * sums that do, and three standard deviations of it, as several rows may be
 * in one sum.  1 where it cannot be told.
 */
static double
changed_share(const struct SdcMarks *marks, bytea *before, int64 rows)
{
	const uint8 *byte = (const uint8 *) VARDATA_ANY(before);
	double sums = marks->sums;
	double differ = 0;
	double changed;
	uint32 i;

	if (VARSIZE_ANY_EXHDR(before) != sizeof(uint32) * marks->sums)
		return 1;
	for (i = 0; i < marks->sums; i++)
		differ +=
			marks->sum[i] !=
			((uint32) byte[4 * i] << 24 | (uint32) byte[4 * i + 1] << 16 |
			 (uint32) byte[4 * i + 2] << 8 | (uint32) byte[4 * i + 3]);
	if (differ == 0)
		return 0;
	if (differ > sums / 2)
		return 1;
	changed = -sums * log(1 - differ / sums);
	changed += 3 * changed / sqrt(2 * sums);
	return Min(1, changed / Max(1, Min(rows, marks->rows)));
}

/*
 * The scales of all numbers, for what is kept; in few digits, as more would
 * tell of those who leave.
 */
static void
put_scales(StringInfo document, const struct SdcMarks *marks)
{
	int i;

	sdcpg_document_open(document, "scales", '[');
	for (i = 0; i < SCALES * marks->numbers; i++)
		sdcpg_document_text(document, NULL,
							psprintf("%.3g", deviation(&marks->scale[i])));
	sdcpg_document_close(document, '[');
}

/*
 * Is each number about as far spread as then, and moved as far or farther?  A
 * batch of a few rows is moved farther than a file is, night after night: that
 * has others look more alike to who measures by moves, never less.
 */
static bool
has_scales(const struct SdcMarks *marks, Jsonb *found)
{
	Jsonb *scales = sdcpg_document_part(found, "scales");
	int i;

	if (scales == NULL || JB_ROOT_COUNT(scales) != SCALES * marks->numbers)
		return false;
	for (i = 0; i < SCALES * marks->numbers; i++)
	{
		JsonbValue *value = getIthJsonbValueFromContainer(&scales->root, i);
		char *text = pnstrdup(value->val.string.val, value->val.string.len);
		double then = strtod(text, NULL);
		double now = deviation(&marks->scale[i]);

		if (fabs(now - then) > CHANGE_MOST * Max(now, then) &&
			(i % SCALES != MOVES || now < then))
			return false;
	}
	return true;
}

/* ----------------------------------------------------------------------
 * What was found before.
 * ----------------------------------------------------------------------
 */

/* The rows of a policy's table in sdc.release_finding. */
static void
bind_table(SdcCatalogParameters *parameters, struct SdcVersions *versions)
{
	sdcpg_catalog_bind_text(parameters, versions->policy);
	sdcpg_catalog_bind(parameters, REGCLASSOID,
					   ObjectIdGetDatum(versions->original->oid), false);
	sdcpg_catalog_bind_text(parameters, GetUserNameFromId(GetUserId(), false));
}

/*
 * Finds what attacks found of releases before, under the same rules, keys and
 * meaning of NULL, whose rows and scales are still as they were but for a
 * tenth at the most.  Nothing where everything was drawn anew.  O(rows).
 */
static void
find_carried(struct SdcVersions *versions, SdcGateCase *of)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int64 i;

	if (of->id == NULL || versions->staging->params.fresh ||
		sdcpg_policy_attacks_none(versions->staging->policy->params))
		return;
	versions->marks = make_marks(versions, of);
	if (!versions->remembers || versions->anew)
		return;
	bind_table(&parameters, versions);
	sdcpg_catalog_bind(&parameters, JSONBOID,
					   JsonbPGetDatum(versions->marks->question), false);
	rows = sdcpg_catalog_read_owned(
		"release_finding",
		"SELECT f.release, f.rows, f.marks, f.found"
		" FROM sdc.release_finding AS f"
		" WHERE f.policy OPERATOR(pg_catalog.=) $1"
		" AND f.relation OPERATOR(pg_catalog.=) $2"
		" AND f.owner OPERATOR(pg_catalog.=) $3::pg_catalog.name"
		" AND f.question OPERATOR(pg_catalog.=) $4"
		" ORDER BY f.release DESC",
		&parameters);
	for (i = 0; i < rows->count; i++)
	{
		Carried *carried = palloc(sizeof(Carried));

		carried->release = DatumGetInt64(rows->value[i][0]);
		carried->changed =
			changed_share(versions->marks, DatumGetByteaPP(rows->value[i][2]),
						  DatumGetInt64(rows->value[i][1]));
		carried->found = DatumGetJsonbP(rows->value[i][3]);
		if (carried->changed > CHANGE_MOST ||
			!has_scales(versions->marks, carried->found))
			continue;
		of->carried = lappend(of->carried, carried);
		if (of->knowing == NULL)
			of->knowing = sdcpg_document_part(carried->found, "knowing");
	}
}

/*
 * Is what an attack finds carried over?  Not what costs little, which so is
 * looked at every time; nor what may read more than is counted as changed.
 */
static bool
is_carried(const SdcAttack *attack, Jsonb *params)
{
	const SdcKey *key;

	if (attack->anew || !(attack->usual || attack->over_time))
		return false;
	for (key = attack->params; params != NULL && key->name != NULL; key++)
		if ((key->type == SDC_KEY_NAMES || key->type == SDC_KEY_OBJECT ||
			 key->type == SDC_KEY_TEXT) &&
			sdcpg_params_has(params, key->name))
			return false;
	return true;
}

/* Is this one of the attacks of a document, an object? */
static bool
is_attack(Jsonb *object, const SdcAttack *attack, const char *method,
		  Jsonb *params)
{
	return sdcpg_params_same_word(sdcpg_params_text(object, "attack"),
								  attack->name) &&
		   sdcpg_params_same_word(sdcpg_params_text(object, "variant"),
								  method) &&
		   sdcpg_params_same(sdcpg_params_object(object, "params"), params);
}

/* The attacks of a document: Jsonb *. */
static List *
attacks_of(Jsonb *found)
{
	return sdcpg_document_elements(sdcpg_document_part(found, "attacks"));
}

/* A figure of an attack; NaN when it has none. */
static double
figure_of(Jsonb *object, const char *key)
{
	return sdcpg_params_has(object, key)
			   ? sdcpg_params_number(object, key, NAN, 0, 1e300)
			   : NAN;
}

static void
read_outcome(const Carried *carried, Jsonb *object, SdcAttackOutcome *outcome)
{
	double more = carried->changed == 0
					  ? 0
					  : Max(CHANGE_COUNTS * carried->changed, CHANGE_LEAST);
	char *sample = sdcpg_params_text(object, "sample");
	int i;

	memset(outcome, 0, sizeof(*outcome));
	outcome->records = figure_of(object, "records");
	outcome->people = figure_of(object, "people");
	outcome->linked = sdcpg_params_boolean(object, "linked", false);
	for (i = 0; i < SDC_ATTACK_STATS; i++)
	{
		outcome->stat[i] = figure_of(object, sdcpg_attack_stats[i]);
		outcome->upper[i] =
			Min(1, more + figure_of(object, psprintf("%s_upper",
													 sdcpg_attack_stats[i])));
	}
	outcome->sentence = sdcpg_params_text(object, "sentence");
	outcome->sample = psprintf(
		"%s%sThat was in release " INT64_FORMAT
		"; at most %.3g %% of the rows have changed since, so the share found "
		"now is taken to be at most %.4g.",
		sample == NULL ? "" : sample, sample == NULL ? "" : " ",
		carried->release, 100 * carried->changed,
		outcome->upper[SDC_STAT_FOUND]);
}

bool
sdcpg_versions_carried(const SdcGateCase *of, const SdcAttack *attack,
					   const char *method, Jsonb *params,
					   SdcAttackOutcome *outcome)
{
	ListCell *cell;
	ListCell *member;

	if (!is_carried(attack, params))
		return false;
	/* what has changed of the other tables is not known here */
	if ((attack->needs & SDC_NEEDS_TABLES) != 0)
		return false;
	/* few rows that have changed may be rows of many persons */
	if ((attack->needs & SDC_NEEDS_PERSON) != 0 ||
		(attack->over_time &&
		 (sdcpg_gate_has_ties(of) || !sdcpg_tied_few_gone(of))))
		return false;
	/* what other policies drew since is in no mark */
	if (attack->over_time && of->versions != NULL &&
		of->versions->others != NIL)
		return false;
	foreach (cell, of->carried)
	{
		const Carried *carried = lfirst(cell);

		foreach (member, attacks_of(carried->found))
			if (is_attack(lfirst(member), attack, method, params))
			{
				read_outcome(carried, lfirst(member), outcome);
				if (attack->over_time)
					sdcpg_tied_count_gone(of, outcome);
				return true;
			}
	}
	return false;
}

/* ----------------------------------------------------------------------
 * What is found now.
 * ----------------------------------------------------------------------
 */

static void
put_outcome(StringInfo document, const char *name,
			const SdcEvidenceAttack *run)
{
	const SdcAttackOutcome *outcome = &run->outcome;
	int i;

	sdcpg_document_open(document, NULL, '{');
	sdcpg_document_text(document, "attack", name);
	if (run->method != NULL)
		sdcpg_document_text(document, "variant", run->method);
	if (run->params != NULL)
		sdcpg_document_jsonb(document, "params", run->params);
	sdcpg_document_number(document, "records", outcome->records);
	sdcpg_document_number(document, "people", outcome->people);
	sdcpg_document_boolean(document, "linked", outcome->linked);
	for (i = 0; i < SDC_ATTACK_STATS; i++)
		if (!isnan(outcome->stat[i]))
		{
			sdcpg_document_number(document, sdcpg_attack_stats[i],
								  outcome->stat[i]);
			sdcpg_document_number(document,
								  psprintf("%s_upper", sdcpg_attack_stats[i]),
								  outcome->upper[i]);
		}
	sdcpg_document_text(document, "sentence", outcome->sentence);
	if (outcome->sample != NULL)
		sdcpg_document_text(document, "sample", outcome->sample);
	sdcpg_document_close(document, '{');
}

/*
 * Is what an attack found kept?  An attack that cannot be run may be one that
 * can the next time.
 */
static bool
is_kept(const SdcEvidenceAttack *run)
{
	return !run->carried && run->outcome.reason == NULL &&
		   is_carried(run->attack, run->params);
}

/*
 * The attacks that were run now.  Of one version only, the attack on all of
 * them is that by likelihood.
 */
static void
put_now(StringInfo document, const SdcEvidence *evidence)
{
	bool single = evidence->of->versions == NULL;
	ListCell *cell;

	foreach (cell, evidence->attacks)
	{
		const SdcEvidenceAttack *run = lfirst(cell);

		if (!is_kept(run))
			continue;
		put_outcome(document, run->attack->name, run);
		if (single && strcmp(run->attack->name, "likelihood") == 0)
			put_outcome(document, "sequence", run);
	}
}

/* Has one of the attacks of now taken the place of this one? */
static bool
is_replaced(const SdcEvidence *evidence, Jsonb *object)
{
	ListCell *cell;

	foreach (cell, evidence->attacks)
	{
		const SdcEvidenceAttack *run = lfirst(cell);

		if (is_kept(run) &&
			is_attack(object, run->attack, run->method, run->params))
			return true;
	}
	return false;
}

static void
write_row(struct SdcVersions *versions, Jsonb *found)
{
	const struct SdcMarks *marks = versions->marks;
	SdcCatalogParameters parameters = {0};

	bind_table(&parameters, versions);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(versions->release),
					   false);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(marks->question),
					   false);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(marks->rows),
					   false);
	sdcpg_catalog_bind(&parameters, BYTEAOID,
					   PointerGetDatum(marks_bytes(marks)), false);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(found), false);
	sdcpg_catalog_write("release_finding",
						"INSERT INTO sdc.release_finding (policy, relation,"
						" owner, release, question, rows, marks, found)"
						" VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
						&parameters);
}

/* Replaces what a release before found; NULL: by nothing. */
static void
rewrite_row(struct SdcVersions *versions, int64 release, Jsonb *found)
{
	SdcCatalogParameters parameters = {0};

	bind_table(&parameters, versions);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(release), false);
	if (found != NULL)
		sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(found),
						   false);
	sdcpg_catalog_write(
		"release_finding",
		found != NULL
			? "UPDATE sdc.release_finding AS f SET found = $5"
			  " WHERE f.policy OPERATOR(pg_catalog.=) $1"
			  " AND f.relation OPERATOR(pg_catalog.=) $2"
			  " AND f.owner OPERATOR(pg_catalog.=) $3::pg_catalog.name"
			  " AND f.release OPERATOR(pg_catalog.=) $4"
			: "DELETE FROM sdc.release_finding AS f"
			  " WHERE f.policy OPERATOR(pg_catalog.=) $1"
			  " AND f.relation OPERATOR(pg_catalog.=) $2"
			  " AND f.owner OPERATOR(pg_catalog.=) $3::pg_catalog.name"
			  " AND f.release OPERATOR(pg_catalog.=) $4",
		&parameters);
}

/* What is left of a release before; NULL: nothing. */
static Jsonb *
left_of(const Carried *carried, const SdcEvidence *evidence, Jsonb *knowing)
{
	Jsonb *known = sdcpg_document_part(carried->found, "knowing");
	StringInfoData document;
	ListCell *cell;
	int left = 0;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_open(&document, "attacks", '[');
	foreach (cell, attacks_of(carried->found))
		if (!is_replaced(evidence, lfirst(cell)))
		{
			sdcpg_document_jsonb(&document, NULL, lfirst(cell));
			left++;
		}
	sdcpg_document_close(&document, '[');
	sdcpg_document_jsonb(&document, "scales",
						 sdcpg_document_part(carried->found, "scales"));
	if (known != NULL && knowing == NULL)
	{
		sdcpg_document_jsonb(&document, "knowing", known);
		left++;
	}
	sdcpg_document_close(&document, '{');
	return left == 0 ? NULL : sdcpg_document_end(&document);
}

/* Forgets the releases whose findings are not carried over any more. */
static void
forget_others(struct SdcVersions *versions, const SdcGateCase *of)
{
	SdcCatalogParameters parameters = {0};
	Datum *release = palloc(sizeof(Datum) * (list_length(of->carried) + 1));
	int count = 0;
	ListCell *cell;

	foreach (cell, of->carried)
		release[count++] =
			Int64GetDatum(((const Carried *) lfirst(cell))->release);
	bind_table(&parameters, versions);
	sdcpg_catalog_bind(
		&parameters, INT8ARRAYOID,
		PointerGetDatum(construct_array(release, count, INT8OID, 8,
										FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)),
		false);
	sdcpg_catalog_write(
		"release_finding",
		"DELETE FROM sdc.release_finding AS f"
		" WHERE f.policy OPERATOR(pg_catalog.=) $1"
		" AND f.relation OPERATOR(pg_catalog.=) $2"
		" AND f.owner OPERATOR(pg_catalog.=) $3::pg_catalog.name"
		" AND NOT f.release OPERATOR(pg_catalog.=) ANY ($4)",
		&parameters);
}

void
sdcpg_versions_keep(struct SdcVersions *versions, const SdcEvidence *evidence,
					Jsonb *knowing)
{
	StringInfoData document;
	ListCell *cell;
	bool any = knowing != NULL;

	if (versions == NULL || versions->marks == NULL)
		return;
	forget_others(versions, evidence->of);
	foreach (cell, evidence->attacks)
		any |= is_kept(lfirst(cell));
	if (!any)
		return;
	foreach (cell, evidence->of->carried)
	{
		const Carried *carried = lfirst(cell);

		rewrite_row(versions, carried->release,
					left_of(carried, evidence, knowing));
	}
	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_open(&document, "attacks", '[');
	put_now(&document, evidence);
	sdcpg_document_close(&document, '[');
	put_scales(&document, versions->marks);
	if (knowing != NULL)
		sdcpg_document_jsonb(&document, "knowing", knowing);
	sdcpg_document_close(&document, '{');
	write_row(versions, sdcpg_document_end(&document));
}

/* ----------------------------------------------------------------------
 * Are there several versions, and what is known of those before?
 * ----------------------------------------------------------------------
 */

/*
 * The releases that have drawn what is remembered as published of parts with
 * keys, as SQL; is one of these drawn now?
 */
static char *
key_draws(struct SdcVersions *versions, ArrayType *keys, bool *drawn)
{
	bool whole = versions->few == NULL;
	StringInfoData parts;
	int p;

	*drawn = false;
	initStringInfo(&parts);
	for (p = 0; p < versions->all_parts; p++)
	{
		if (!sdcpg_versions_has_key(&versions->part[p], keys))
			continue;
		*drawn |= versions->part[p].drawn != NULL;
		if (whole)
			appendStringInfo(&parts, "%s" INT64_FORMAT,
							 parts.len > 0 ? ", " : "",
							 versions->part[p].number);
		else if (p < versions->parts)
			appendStringInfo(&parts, "%sk.drawn[%d]",
							 parts.len > 0 ? ", " : "", p + 1);
	}
	if (whole)
		return psprintf("SELECT DISTINCT m.drawn FROM %s AS m"
						" WHERE m.last IS NULL AND m.part"
						" OPERATOR(pg_catalog.=) ANY (ARRAY[%s]"
						"::pg_catalog.int8[])",
						sdcpg_versions_name(versions, "mem"), parts.data);
	/* persons have few combinations of releases */
	return psprintf("SELECT DISTINCT u.drawn FROM (SELECT DISTINCT k.drawn"
					" FROM %s AS k) AS k CROSS JOIN LATERAL"
					" pg_catalog.unnest(ARRAY[%s]::pg_catalog.int8[])"
					" AS u (drawn) WHERE u.drawn IS NOT NULL",
					sdcpg_versions_name(versions, "last"), parts.data);
}

/*
 * Is there anything to attack all versions by?  To put it together is part of
 * that attack, and who asks for DEBUG1 is told what it cost as one.
 */
static bool
is_seen(struct SdcVersions *versions, const SdcGateCase *of)
{
	clock_t begun = clock();
	bool seen = sdcpg_versions_show(versions, of) != NULL;

	ereport(DEBUG1,
			(errmsg_internal("attack \"sequence\" took %.3f s of CPU",
							 (double) (clock() - begun) / CLOCKS_PER_SEC)));
	return seen;
}

/* Are there several versions?  Counts those that drew. */
static bool
are_several(struct SdcVersions *versions, const SdcGateCase *of)
{
	SdcCatalogRows *rows;
	char *draws;
	bool drawn;

	/* the rules of before are others, or those of other policies are */
	if (!versions->remembers || versions->others != NIL ||
		versions->fixed > 0 || versions->staging->params.fresh)
		return (versions->seen_parts > versions->parts ||
				versions->staging->params.fresh) &&
			   is_seen(versions, of);
	draws = key_draws(versions, of->keys, &drawn);
	rows = sdcpg_catalog_read(
		psprintf("SELECT pg_catalog.count(*) FROM (%s) AS d", draws), NULL);
	versions->versions = DatumGetInt64(rows->value[0][0]) + drawn;
	return versions->versions > 1;
}

/*
 * Are rows gone that a column ties to those of now, or have values moved?  To
 * ask reads all that is remembered; values that are drawn for all in each
 * night move only in a night that draws.
 */
static bool
have_gone(struct SdcVersions *versions)
{
	int i;

	for (i = 0; i < versions->ties.count; i++)
		if (sdcpg_versions_gone(versions, &versions->ties.column[i]) > 0)
			return true;
	return versions->parts > 0 && versions->tally.drawn > 0 &&
		   sdcpg_versions_has_moved(versions);
}

void
sdcpg_versions_look_back(SdcStaging *staging, SdcGateCase *of)
{
	struct SdcVersions *versions = staging->versions;

	if (versions == NULL || of->keys == NULL)
		return;
	if (versions->id.name != NULL)
		sdcpg_versions_read_fixed(versions, of->keys);
	/* where nobody is remembered, rows by other rules tell not who changed */
	if (versions->mark != NULL || !versions->turned)
		sdcpg_versions_changes(versions, of);
	if (versions->id.name == NULL)
		return;
	if (are_several(versions, of) || have_gone(versions))
		of->versions = versions;
	if (versions->mark != NULL)
		find_carried(versions, of);
}
