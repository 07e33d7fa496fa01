/*
 * tied.c
 *		What rows show together that tables or persons tie to each other.
 *
 * The rows of a table that belong together, as all purchases of a person, all
 * members of a household, or what several tables have of one person, are made
 * one record each, in two tables that the attack likelihood reads as any
 * others.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "release/document.h"
#include "release/frontier.h"
#include "release/gate.h"
#include "release/history.h"
#include "release/publish.h"
#include "release/tied.h"
#include "release/versions.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/rules.h"
#include "topic/registry/roles.h"
#include "topic/transaction/purchases.h"

/* ----------------------------------------------------------------------
 * Tables that are attacked in the place of the masked one.  A release makes
 * them beside it; who only measures makes temporary ones.
 * ----------------------------------------------------------------------
 */

/* Can tables be made? */
static bool
can_make(const SdcGateCase *of)
{
	SdcCatalogRows *rows;

	if (of->staged)
		return true;
	if (XactReadOnly || RecoveryInProgress() ||
		InSecurityRestrictedOperation())
		return false;
	rows = sdcpg_catalog_read("SELECT pg_catalog.has_database_privilege("
							  "pg_catalog.current_database()::pg_catalog.text,"
							  " 'TEMP'::pg_catalog.text)",
							  NULL);
	return DatumGetBool(rows->value[0][0]);
}

static void
run_beside(const SdcGateCase *of, const char *sql)
{
	if (of->staged)
	{
		(void) sdcpg_staging_run(sql);
		return;
	}
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	sdcpg_catalog_run(sql, NULL, false);
	SPI_finish();
}

/* Makes a table of a query. */
static SdcRelation *
make_beside(const SdcGateCase *of, const char *sql)
{
	char *name = sdcpg_catalog_hidden_name("sdc_staging_");
	Oid schema = of->staged ? get_rel_namespace(of->masked->oid) : InvalidOid;
	const char *table = quote_qualified_identifier(
		of->staged ? get_namespace_name(schema) : "pg_temp", name);

	run_beside(of,
			   psprintf("CREATE %s TABLE %s AS %s",
						of->staged ? "UNLOGGED" : "TEMPORARY", table, sql));
	run_beside(of, psprintf("ANALYZE %s", table));
	if (!of->staged)
		schema = LookupExplicitNamespace("pg_temp", false);
	return sdcpg_relation_find(get_relname_relid(name, schema));
}

/* Runs the likelihood on tables that were made. */
static void
attack_beside(const SdcGateCase *of, const SdcAttackCase *seen,
			  SdcAttackOutcome *found)
{
	const SdcAttack *likelihood = sdcpg_attack_find("likelihood");

	if (!of->staged)
		sdcpg_frontier_look();
	sdcpg_attack_run(likelihood, seen, found);
	if (!of->staged)
		sdcpg_frontier_looked();
}

static void
drop_beside(const SdcGateCase *of, const SdcRelation *relation)
{
	run_beside(of, psprintf("DROP TABLE %s", relation->sql));
}

/* Takes what was found if it is more. */
static bool
is_more(const SdcAttackOutcome *found, const SdcAttackOutcome *outcome)
{
	return found->reason == NULL &&
		   (outcome->reason != NULL ||
			found->upper[SDC_STAT_FOUND] > outcome->upper[SDC_STAT_FOUND]);
}

/* ----------------------------------------------------------------------
 * What the tables of a release show together of columns that are no keys.
 *
 * The attack joined compares what is known of each table with what is shown
 * of it.  What nobody knows of another table may go with a key of the persons'
 * own: so the likelihood is run on these with what the others show.
 * ----------------------------------------------------------------------
 */

static void
attack_joined(const SdcGateCase *of, const SdcAttackCase *joined,
			  SdcAttackOutcome *outcome)
{
	List *names;
	char *sql =
		of->joined == NULL ? NULL : sdcpg_joined_beside(of->joined, &names);
	SdcAttackCase seen = *joined;
	SdcAttackOutcome found = {0};

	/* the other variant takes each table by itself */
	if (sql == NULL || of->keys == NULL ||
		(joined->method != NULL &&
		 strcmp(joined->method, sdcpg_joined_methods[0]) != 0))
		return;
	seen.masked = make_beside(of, sql);
	seen.published = list_concat(list_copy(of->published), names);
	seen.method = NULL;
	seen.params = NULL;
	sdcpg_published_name_people(sdcpg_attack_find("likelihood"), &seen);
	attack_beside(of, &seen, &found);
	drop_beside(of, seen.masked);
	if (!is_more(&found, outcome))
		return;
	found.parts = psprintf(
		"%s%sThis is what the table of the persons shows with columns of the "
		"others.",
		outcome->parts == NULL ? "" : outcome->parts,
		outcome->parts == NULL ? "" : " ");
	*outcome = found;
}

/* ----------------------------------------------------------------------
 * Which columns tie rows together.
 *
 * The person and the household, where they are declared and published as they
 * are or under pseudonyms.  Where no person is declared, any column that is
 * published so and not sensitive may be one under another name, as an account:
 * it is, if most keys are the same in all rows with one of its values, and
 * tell most of its values apart, of what is no pseudonym only together.
 * ----------------------------------------------------------------------
 */

/* Of groups of two or more rows, the share that is "most". */
#define MOSTLY 0.9
/* Of rows, the share that belongs to such groups, at least. */
#define ENOUGH_TIED 0.1

/* How the rows with one value of a column go together. */
typedef struct Tie
{
	SdcRelationColumn column;
	const char *whose; /* whose rows they are, in words */
	bool shown;        /* is the column published? */
	bool varies;       /* is a key not the same in such rows? */
	bool alone;        /* have hardly any of its values several rows? */
	int64 most;        /* rows of a value, at the most */
} Tie;

static char *
as_text(const SdcRelationColumn *column, const char *alias)
{
	return sdcpg_query_cast_from(
		column->base, psprintf("%s.%s", alias, column->sql), "text");
}

/* Adds a column of the original, unless it is the one that ties. */
static void
add_known(SdcRelationColumns *known, const SdcRelationColumn *column,
		  const Tie *tie)
{
	int i;

	if (column->number == tie->column.number)
		return;
	for (i = 0; i < known->count; i++)
		if (known->column[i].number == column->number)
			return;
	known->column[known->count++] = *column;
}

/* The keys, and what is declared of events, of the original. */
static SdcRelationColumns
known_columns(const SdcGateCase *of, const Tie *tie, bool events)
{
	static const SdcRole of_events[] = {SDC_ROLE_TIME, SDC_ROLE_ITEM,
										SDC_ROLE_AMOUNT};
	List *names = sdcpg_policy_list_of(of->keys);
	SdcRelationColumns known = {0};
	ListCell *cell;
	size_t i;

	known.column = palloc(sizeof(SdcRelationColumn) *
						  (list_length(names) + lengthof(of_events)));
	foreach (cell, names)
	{
		SdcRelationColumn key =
			sdcpg_relation_column(of->original, lfirst(cell));

		add_known(&known, &key, tie);
	}
	for (i = 0; events && i < lengthof(of_events); i++)
	{
		const SdcRelationColumn *column = sdcpg_roles_column(
			of->original, sdcpg_roles_word(of_events[i]), NULL, of_events[i]);

		if (column != NULL)
			add_known(&known, column, tie);
	}
	return known;
}

/*
 * The groups, with n rows each: m0, m1, ... a value of each key; s0, s1, ...
 * say whether it is the only one.
 */
static char *
groups_query(const SdcGateCase *of, const SdcRelationColumn *column,
			 const SdcRelationColumns *keys)
{
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT pg_catalog.count(*) AS n");
	for (i = 0; i < keys->count; i++)
	{
		const char *key = as_text(&keys->column[i], "r");

		appendStringInfo(
			&sql,
			", pg_catalog.min(%s COLLATE pg_catalog.\"C\") AS m%d,"
			" COALESCE(pg_catalog.min(%s COLLATE pg_catalog.\"C\")"
			" OPERATOR(pg_catalog.=)"
			" pg_catalog.max(%s COLLATE pg_catalog.\"C\"), true) AS s%d",
			key, i, key, key, i);
	}
	appendStringInfo(&sql, " FROM %s AS r WHERE r.%s IS NOT NULL GROUP BY %s",
					 of->original->sql, column->sql, as_text(column, "r"));
	return sql.data;
}

/* How many groups do these keys tell apart? */
static int64
count_told(const char *groups, const bool *same, int count)
{
	StringInfoData list;
	int i;

	initStringInfo(&list);
	for (i = 0; i < count; i++)
		if (same[i])
			appendStringInfo(&list, "%sg.m%d", list.len > 0 ? ", " : "", i);
	return DatumGetInt64(
		sdcpg_catalog_read(
			psprintf("SELECT pg_catalog.count(*) FROM"
					 " (SELECT FROM (%s) AS g GROUP BY %s) AS t",
					 groups, list.data),
			NULL)
			->value[0][0]);
}

/*
 * Do keys that are the same in the rows of a group tell most groups apart?
 * What one of them tells by itself may go with it, as a town with its district
 * or a wage with the age; that is no name.
 */
static bool
tell_apart(const char *groups, const bool *same, int keys, int64 all)
{
	bool *one = palloc0(sizeof(bool) * keys);
	int i;

	for (i = 0; i < keys; i++)
	{
		one[i] = same[i];
		if (same[i] && count_told(groups, one, keys) >= MOSTLY * all)
			return false;
		one[i] = false;
	}
	return 2 * count_told(groups, same, keys) >= all;
}

/*
 * Fills in how rows go together; says whether they may be of one person, of
 * whom the column is a pseudonym or what is published as it is.
 */
static bool
look_at_groups(const SdcGateCase *of, Tie *tie, bool pseudonym)
{
	SdcRelationColumns keys = known_columns(of, tie, true);
	char *groups = groups_query(of, &tie->column, &keys);
	bool *same = palloc(sizeof(bool) * (keys.count + 1));
	int constant = 0;
	StringInfoData sql;
	Datum *value;
	int64 all;
	int64 tied;
	int64 rows;
	int i;

	initStringInfo(&sql);
	appendStringInfoString(
		&sql, "SELECT pg_catalog.count(*), pg_catalog.count(*) FILTER (WHERE"
			  " g.n OPERATOR(pg_catalog.>) 1), COALESCE(pg_catalog.max(g.n),"
			  " 0), COALESCE(pg_catalog.sum(g.n), 0)::pg_catalog.int8");
	for (i = 0; i < keys.count; i++)
		appendStringInfo(&sql,
						 ", pg_catalog.count(*) FILTER (WHERE g.n"
						 " OPERATOR(pg_catalog.>) 1 AND g.s%d)",
						 i);
	appendStringInfo(&sql, " FROM (%s) AS g", groups);
	value = sdcpg_catalog_read(sql.data, NULL)->value[0];
	all = DatumGetInt64(value[0]);
	tied = DatumGetInt64(value[1]);
	tie->most = DatumGetInt64(value[2]);
	rows = DatumGetInt64(value[3]);
	for (i = 0; i < keys.count; i++)
	{
		same[i] = DatumGetInt64(value[4 + i]) >= MOSTLY * tied;
		constant += same[i];
	}
	tie->varies = constant < keys.count;
	/* tied groups have all rows but one of each other group */
	tie->alone = tied == 0 || rows - (all - tied) < ENOUGH_TIED * rows;
	if (tie->alone || 2 * constant <= keys.count)
		return false;
	return pseudonym ? 2 * count_told(groups, same, keys.count) >= all
					 : tell_apart(groups, same, keys.count, all);
}

/* Is a column published?  All are, where nobody has said which. */
static bool
is_listed(List *published, const char *name)
{
	return published == NIL || sdcpg_params_is_listed(published, name);
}

/* Is a column published so that equal values stay equal? */
static bool
is_shown(const SdcGateCase *of, const SdcRules *rules,
		 const SdcRelationColumn *column)
{
	const SdcRule *rule = sdcpg_rules_of(rules, column->number);

	return is_listed(of->published, column->name) &&
		   get_attnum(of->masked->oid, column->name) != InvalidAttrNumber &&
		   (rule == NULL ||
			(rule->method->traits & (SDC_MASK_KEYED | SDC_MASK_IDLE)) != 0);
}

/*
 * Adds a column that is declared, if it ties rows.  One that is published may
 * do so over nights in any case.
 */
static void
add_declared(const SdcGateCase *of, const SdcRules *rules, SdcRole role)
{
	const char *word = sdcpg_roles_word(role);
	const SdcRelationColumn *column =
		sdcpg_roles_column(of->original, word, NULL, role);
	Tie *tie;

	if (column == NULL)
		return;
	tie = palloc0(sizeof(Tie));
	tie->column = *column;
	tie->whose = word;
	tie->shown = is_shown(of, rules, column);
	if (!tie->shown && role != SDC_ROLE_PERSON)
		return;
	(void) look_at_groups(of, tie, true);
	if (tie->most > 1)
		of->tied->ties = lappend(of->tied->ties, tie);
	if (tie->shown)
		of->tied->nights = lappend(of->tied->nights, tie);
}

/*
 * Adds columns that are as good as a person's name.  A pseudonym that each row
 * has for itself may be one over nights.
 */
static void
add_undeclared(const SdcGateCase *of, const SdcRules *rules)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(of->original);
	List *keys = sdcpg_policy_list_of(of->keys);
	List *sensitive = sdcpg_policy_list_of(of->sensitive);
	const SdcRelationColumn *household = sdcpg_roles_column(
		of->original, "household", NULL, SDC_ROLE_HOUSEHOLD);
	int i;

	for (i = 0; i < all.count; i++)
	{
		const SdcRelationColumn *column = &all.column[i];
		const SdcRule *rule = sdcpg_rules_of(rules, column->number);
		bool pseudonym =
			rule != NULL && (rule->method->traits & SDC_MASK_KEYED) != 0;
		Tie *tie;

		if (strcmp(column->name, of->id) == 0 ||
			sdcpg_params_is_listed(keys, column->name) ||
			(household != NULL && household->number == column->number) ||
			(!pseudonym && sdcpg_params_is_listed(sensitive, column->name)) ||
			!is_shown(of, rules, column))
			continue;
		tie = palloc0(sizeof(Tie));
		tie->column = *column;
		tie->whose = "person";
		tie->shown = true;
		if (look_at_groups(of, tie, pseudonym))
			of->tied->ties = lappend(of->tied->ties, tie);
		else if (!pseudonym || !tie->alone)
			continue;
		of->tied->nights = lappend(of->tied->nights, tie);
	}
}

/* Finds the ties of a release. */
static void
find_ties(const SdcGateCase *of)
{
	SdcRules rules;

	if (of->id == NULL || of->keys == NULL || of->protect != NULL ||
		get_attnum(of->masked->oid, of->id) == InvalidAttrNumber)
		return;
	rules = sdcpg_rules_read(of->rules, of->original);
	add_declared(of, &rules, SDC_ROLE_HOUSEHOLD);
	if (sdcpg_roles_column(of->original, "person", NULL, SDC_ROLE_PERSON) !=
		NULL)
		add_declared(of, &rules, SDC_ROLE_PERSON);
	else
		add_undeclared(of, &rules);
}

bool
sdcpg_gate_has_ties(const SdcGateCase *of)
{
	if (!of->tied->known)
		find_ties(of);
	of->tied->known = true;
	return of->tied->ties != NIL;
}

SdcRelationColumns
sdcpg_tied_columns(SdcStaging *staging)
{
	SdcGateCase *of = sdcpg_gate_case(staging->policy, staging->masked->oid);
	SdcRelationColumns columns = {0};
	ListCell *cell;

	of->rules = staging->rules;
	(void) sdcpg_gate_has_ties(of);
	staging->tied = of->tied;
	columns.column = palloc(sizeof(SdcRelationColumn) *
							(list_length(of->tied->nights) + 1));
	foreach (cell, of->tied->nights)
		columns.column[columns.count++] = ((const Tie *) lfirst(cell))->column;
	return columns;
}

/* ----------------------------------------------------------------------
 * What the rows of a person show together.
 *
 * Noise that is drawn for each row averages out over the rows that a published
 * column, as the pseudonym of a person, ties together.  So persons become
 * records: the mean of each key over a person's rows is what is known of him,
 * and the mean of each published column, of words the most frequent, what is
 * shown.  How these go together the likelihood learns, whatever the mask.
 * Instead of the mean there is the middle of the least and the largest, which
 * is nearer where noise has edges; and where rows are not alike, as members of
 * a household, there are four of their values in order, all of them where
 * there are four rows.  The best counts.
 * ----------------------------------------------------------------------
 */

#define MOST_TIED 60

typedef enum By
{
	BY_MEAN,
	BY_MIDDLE,
	BY_ORDER
} By;

static const char *const by_words[] = {"mean", "middle", "order"};

/* A column of a record that is made of rows. */
#define PLACES 4
static const char *const places[PLACES] = {"0", ".66", ".33", "1"};

/* Values of a column that can be added up, or NULL. */
static char *
number_of(const SdcRelationColumn *column, const char *alias)
{
	char *value = psprintf("%s.%s", alias, column->sql);

	if (sdcpg_time_is(column->base))
		value = psprintf("CASE WHEN pg_catalog.isfinite(%s) THEN"
						 " pg_catalog.date_part('epoch'::pg_catalog.text, %s)"
						 " END",
						 value, value);
	else if (sdcpg_number_is_arithmetic(column->base))
		value = psprintf("CASE WHEN %s OPERATOR(pg_catalog.>) -1e300 AND"
						 " %s OPERATOR(pg_catalog.<) 1e300 THEN %s END",
						 value, value, value);
	else
		return NULL;
	/* sums of numeric are the same in any order of the rows */
	return psprintf("CAST(%s AS pg_catalog.numeric)", value);
}

static const char *
type_of(const SdcRelationColumn *column)
{
	return sdcpg_time_is(column->base) ||
				   sdcpg_number_is_arithmetic(column->base)
			   ? "pg_catalog.float8"
			   : "pg_catalog.text";
}

/* What the rows (alias) of a person show by a column, as SQL. */
static char *
tied_value(const SdcRelationColumn *column, const char *alias, By by,
		   int place)
{
	char *value = number_of(column, alias);
	const char *type = type_of(column);

	if (value == NULL)
		value =
			psprintf("%s COLLATE pg_catalog.\"C\"", as_text(column, alias));
	else if (by == BY_MIDDLE)
		return psprintf("CAST((pg_catalog.min(%s) OPERATOR(pg_catalog.+)"
						" pg_catalog.max(%s)) OPERATOR(pg_catalog./) 2 AS %s)",
						value, value, type);
	else if (by == BY_MEAN)
		return psprintf("CAST(pg_catalog.avg(%s) AS %s)", value, type);
	if (by == BY_ORDER)
		return psprintf("CAST(pg_catalog.percentile_disc(CAST(%s AS"
						" pg_catalog.float8)) WITHIN GROUP (ORDER BY %s) AS"
						" %s)",
						places[place], value, type);
	return psprintf("pg_catalog.mode() WITHIN GROUP (ORDER BY %s)", value);
}

/* The name of such a column, which no other one has. */
static const char *
tied_name(const SdcRelationColumn *column, int number)
{
	return makeObjectName(column->name, psprintf("of_person%d", number), NULL);
}

/* Adds a key that is not shown as such. */
static void
add_lost(StringInfo rules, Datum *element, int *count, const char *name)
{
	sdcpg_document_open(rules, name, '{');
	sdcpg_document_text(rules, "method", "null");
	sdcpg_document_close(rules, '{');
	element[(*count)++] = DirectFunctionCall1(namein, CStringGetDatum(name));
}

/* How many values are taken of a column: fewer where there are many. */
static int
count_places(By by, int columns)
{
	if (by != BY_ORDER)
		return 1;
	return columns * PLACES <= MOST_TIED / 2 ? PLACES : 1;
}

/* What is known of the persons; fills in keys and rules of the case. */
static SdcRelation *
make_known(const SdcGateCase *of, const Tie *tie, By by, SdcAttackCase *seen,
		   StringInfo lacking)
{
	SdcRelationColumns keys = known_columns(of, tie, true);
	int of_each = count_places(by, keys.count);
	Datum *element = palloc(sizeof(Datum) * (MOST_TIED + 2));
	StringInfoData sql;
	StringInfoData rules;
	int count = 0;
	int i;

	initStringInfo(&sql);
	sdcpg_document_begin(&rules);
	sdcpg_document_open(&rules, NULL, '{');
	appendStringInfo(&sql, "SELECT %s AS person", as_text(&tie->column, "r"));
	for (i = 0; i < keys.count * of_each && count < MOST_TIED; i++)
	{
		const SdcRelationColumn *key = &keys.column[i / of_each];
		const char *name = tied_name(key, count);

		appendStringInfo(&sql, ", %s AS %s",
						 tied_value(key, "r", by, i % of_each),
						 quote_identifier(name));
		appendStringInfo(lacking, ", CAST(NULL AS %s) AS %s", type_of(key),
						 quote_identifier(name));
		add_lost(&rules, element, &count, name);
	}
	appendStringInfo(&sql,
					 ", pg_catalog.count(*) AS rows_of_person FROM %s AS r"
					 " WHERE r.%s IS NOT NULL GROUP BY 1",
					 of->original->sql, tie->column.sql);
	appendStringInfoString(
		lacking, ", CAST(NULL AS pg_catalog.int8) AS rows_of_person");
	add_lost(&rules, element, &count, "rows_of_person");
	sdcpg_document_close(&rules, '{');
	seen->rules = sdcpg_document_end(&rules);
	seen->keys = construct_array(element, count, NAMEOID, NAMEDATALEN, false,
								 TYPALIGN_CHAR);
	return make_beside(of, sql.data);
}

/*
 * What is shown of rows: columns of a table that has the id.  Versions that
 * are kept have columns for each release that drew something, and no names.
 */
typedef struct Shown
{
	const char *parts; /* says what a record is; NULL: rows that are tied */
	const SdcRelation *relation;
	SdcRelationColumns columns;
	bool named; /* has it the column that ties? */
	bool gone;  /* has it rows that are gone, and whose they are for an id? */
	int of_each;
	Jsonb *params; /* of the likelihood; NULL: none */
} Shown;

/* The columns but the id and the tie, of the masked table or of versions. */
static Shown
show(const SdcGateCase *of, const Tie *tie, By by,
	 const SdcAttackCase *versions)
{
	const SdcRelation *relation =
		versions == NULL ? of->masked : versions->masked;
	List *names = versions == NULL ? of->published
								   : sdcpg_policy_list_of(versions->keys);
	SdcRelationColumns all = sdcpg_relation_all_columns(relation);
	Shown shown = {NULL, relation, all, versions == NULL, false, 1};
	int count = 0;
	int i;

	for (i = 0; i < all.count && count < MOST_TIED; i++)
		if (strcmp(all.column[i].name, tie->column.name) != 0 &&
			strcmp(all.column[i].name, of->id) != 0 &&
			is_listed(names, all.column[i].name))
			shown.columns.column[count++] = all.column[i];
	shown.columns.count = count;
	shown.of_each = count_places(by, count);
	return shown;
}

/* The published name of whom a row (m) is; of versions the person's own. */
static char *
name_shown(const Shown *shown, const Tie *tie)
{
	SdcRelationColumn name;

	if (!shown->named)
		return psprintf("o.%s", tie->column.sql);
	name = sdcpg_relation_column(shown->relation, tie->column.name);
	return psprintf("m.%s", name.sql);
}

/* What is shown of all rows (m) of a person, and how many they are. */
static void
append_tied(StringInfo sql, By by, const Shown *shown)
{
	int i;

	for (i = 0; i < shown->columns.count * shown->of_each; i++)
	{
		const SdcRelationColumn *column =
			&shown->columns.column[i / shown->of_each];

		appendStringInfo(sql, ", %s AS %s",
						 tied_value(column, "m", by, i % shown->of_each),
						 quote_identifier(tied_name(column, MOST_TIED + i)));
	}
	appendStringInfo(sql, ", pg_catalog.count(*) AS rows_shown FROM %s AS m",
					 shown->relation->sql);
}

/*
 * What is shown of persons: the most rows of each that are tied together,
 * should he have several names.
 */
static SdcRelation *
make_tied(const SdcGateCase *of, const Tie *tie, By by, const Shown *shown,
		  const char *lacking)
{
	SdcRelationColumn id = sdcpg_relation_column(of->original, of->id);
	SdcRelationColumn own = sdcpg_relation_column(shown->relation, of->id);
	char *name = name_shown(shown, tie);
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(
		&sql, "SELECT DISTINCT ON (person) x.*%s FROM (SELECT %s AS person",
		lacking, as_text(&tie->column, "o"));
	append_tied(&sql, by, shown);
	appendStringInfo(
		&sql,
		" JOIN %s AS o ON %s OPERATOR(pg_catalog.=) %s"
		" WHERE o.%s IS NOT NULL AND %s IS NOT NULL GROUP BY 1, %s) AS x"
		" ORDER BY person, rows_shown DESC, x",
		of->original->sql, as_text(&own, "m"), as_text(&id, "o"),
		tie->column.sql, name, name);
	return make_beside(of, sql.data);
}

/* Of rows of all versions: the columns behind that which says whose they are.
 */
static Shown
show_gone(const SdcRelation *relation, By by, Jsonb *params)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(relation);
	SdcRelationColumns columns = {Min(all.count - 1, MOST_TIED),
								  all.column + 1};
	Shown shown = {.relation = relation,
				   .columns = columns,
				   .gone = true,
				   .of_each = count_places(by, columns.count),
				   .params = params};

	return shown;
}

/* What all these rows show of persons. */
static SdcRelation *
make_gone(const SdcGateCase *of, By by, const Shown *shown,
		  const char *lacking)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT x.*%s FROM (SELECT m.%s AS person", lacking,
					 shown->columns.column[-1].sql);
	append_tied(&sql, by, shown);
	appendStringInfoString(&sql, " GROUP BY 1) AS x");
	return make_beside(of, sql.data);
}

/* Columns of persons in a sentence, as those of their rows. */
static void
tell_tied(const Tie *tie, By by, const Shown *shown, SdcAttackOutcome *found)
{
	int i;

	for (i = 0; i < shown->columns.count * shown->of_each; i++)
	{
		const SdcRelationColumn *column =
			&shown->columns.column[i / shown->of_each];

		found->sentence = sdcpg_versions_rename(
			found->sentence, tied_name(column, MOST_TIED + i), column->name);
	}
	if (shown->parts != NULL)
	{
		found->parts = pstrdup(shown->parts);
		return;
	}
	found->parts = psprintf(
		"Here a record is all rows of one %s%s, by the %s "
		"of each column: column \"%s\" ties them together.",
		tie->whose,
		shown->gone ? ", also those that are gone from the table" : "",
		by_words[by], tie->column.name);
}

/* Attacks persons by what is shown of their rows, put together in one way. */
static void
attack_shown(const SdcGateCase *of, const Tie *tie, By by, Shown shown,
			 SdcAttackOutcome *outcome)
{
	SdcAttackCase seen = {0};
	SdcAttackOutcome found = {0};
	StringInfoData lacking;

	initStringInfo(&lacking);
	seen.original = make_known(of, tie, by, &seen, &lacking);
	seen.masked = shown.gone ? make_gone(of, by, &shown, lacking.data)
							 : make_tied(of, tie, by, &shown, lacking.data);
	seen.id = "person";
	seen.p = of->p;
	seen.seeded = of->seeded;
	seen.seed = of->seed;
	seen.params = shown.params;
	attack_beside(of, &seen, &found);
	drop_beside(of, seen.original);
	drop_beside(of, seen.masked);
	if (!is_more(&found, outcome))
		return;
	tell_tied(tie, by, &shown, &found);
	*outcome = found;
}

/* The same by the masked table, or by all versions where these are given. */
static void
attack_tied(const SdcGateCase *of, const Tie *tie, By by,
			const SdcAttackCase *versions, SdcAttackOutcome *outcome)
{
	attack_shown(of, tie, by, show(of, tie, by, versions), outcome);
}

/*
 * What all versions show besides is attacked with a part of the work that the
 * likelihood is allowed: these attacks come every night.  Beyond it they are
 * on a sample, whose upper end counts.
 */
#define PART_OF_WORK 0.1

static Jsonb *
part_of_work(const SdcAttackCase *sequence)
{
	double work =
		sequence->params != NULL && sdcpg_params_has(sequence->params, "work")
			? sdcpg_params_integer(sequence->params, "work", 0, 1,
								   PG_INT64_MAX / 2)
			: sdcpg_attack_find("likelihood")->budget;
	StringInfoData document;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_number(&document, "work",
						  Max(1, floor(work * PART_OF_WORK)));
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/*
 * The share of people up to which those with rows that are gone are counted
 * as found, and how many times: each of them, and one whom he hid.
 */
#define GONE_FEW    0.005
#define GONE_COUNTS 2

/* Of all people, those who had rows that are gone. */
static double
share_gone(const SdcGateCase *of)
{
	double share = 0;
	ListCell *cell;

	if (of->versions == NULL)
		return 0;
	(void) sdcpg_gate_has_ties(of);
	foreach (cell, of->tied->nights)
		share += sdcpg_versions_gone(of->versions,
									 &((const Tie *) lfirst(cell))->column);
	return share;
}

bool
sdcpg_tied_few_gone(const SdcGateCase *of)
{
	return share_gone(of) <= GONE_FEW;
}

void
sdcpg_tied_count_gone(const SdcGateCase *of, SdcAttackOutcome *outcome)
{
	double share = share_gone(of);
	int i;

	if (share == 0 || outcome->reason != NULL)
		return;
	for (i = 0; i < SDC_ATTACK_STATS; i++)
		outcome->upper[i] = Min(1, outcome->upper[i] + GONE_COUNTS * share);
	outcome->sample = psprintf(
		"%s%s%.3g %% of the people had rows that are gone from the table: "
		"they are taken to be found, and as many whom they hid, so the share "
		"found is taken to be at most %.4g.",
		outcome->sample == NULL ? "" : outcome->sample,
		outcome->sample == NULL ? "" : " ", 100 * share,
		outcome->upper[SDC_STAT_FOUND]);
}

/*
 * Persons by all rows that any version had of them.  What is known of rows
 * that are gone is gone, too: a person is known by those that are here.
 */
static void
attack_gone(const SdcGateCase *of, Jsonb *params, SdcAttackOutcome *outcome)
{
	ListCell *cell;

	(void) sdcpg_gate_has_ties(of);
	foreach (cell, of->tied->nights)
	{
		const Tie *tie = lfirst(cell);
		const SdcRelation *rows = sdcpg_versions_show_gone(
			of->versions, &tie->column, of->published);

		if (rows == NULL)
			continue;
		attack_shown(of, tie, BY_MEAN, show_gone(rows, BY_MEAN, params),
					 outcome);
		if (tie->varies)
			attack_shown(of, tie, BY_ORDER, show_gone(rows, BY_ORDER, params),
						 outcome);
	}
}

/* The column of a list by a name; NULL: it has none. */
static const SdcRelationColumn *
find_column(List *columns, const char *name)
{
	ListCell *cell;

	foreach (cell, columns)
		if (strcmp(((const SdcRelationColumn *) lfirst(cell))->name, name) ==
			0)
			return lfirst(cell);
	return NULL;
}

/* By how much a number that is said of persons is off, in variances. */
static double
noise_of(const SdcAttackCase *seen, const char *name)
{
	const char *sql = quote_identifier(name);

	return sdcpg_versions_ask(psprintf(
		"SELECT avg((m.%s - o.%s) ^ 2::float8) / nullif(var_pop(o.%s), 0)"
		" FROM %s AS m JOIN %s AS o USING (person)",
		sql, sql, sql, seen->masked->sql, seen->original->sql));
}

/* Both sides of what is said of persons: the known ones are numbers where a
 * number is said of them.  Fills in the keys. */
static void
make_said(const SdcGateCase *of, const SdcRelation *rows, List *said,
		  SdcAttackCase *seen)
{
	SdcRelationColumn id = sdcpg_relation_column(of->original, of->id);
	SdcRelationColumns keys =
		sdcpg_relation_columns(of->original, "keys", of->keys);
	SdcRelationColumns shown = sdcpg_relation_all_columns(rows);
	StringInfoData known;
	StringInfoData masked;
	int i;

	initStringInfo(&known);
	initStringInfo(&masked);
	appendStringInfo(&known, "SELECT %s AS person", as_text(&id, "r"));
	appendStringInfo(&masked, "SELECT m.%s AS person", shown.column[0].sql);
	for (i = 1; i < shown.count; i++)
		appendStringInfo(&masked, ", m.%s", shown.column[i].sql);
	for (i = 0; i < keys.count; i++)
	{
		const SdcRelationColumn *key = &keys.column[i];
		bool is_said = find_column(said, key->name) != NULL;

		appendStringInfo(&known, ", %s AS %s",
						 is_said ? sdcpg_mask_type_number(key)
								 : psprintf("r.%s", key->sql),
						 key->sql);
		if (get_attnum(rows->oid, key->name) == InvalidAttrNumber)
			appendStringInfo(&masked, ", CAST(NULL AS %s) AS %s", type_of(key),
							 key->sql);
	}
	appendStringInfo(&known, " FROM %s AS r", of->original->sql);
	appendStringInfo(&masked, " FROM %s AS m", rows->sql);
	seen->original = make_beside(of, known.data);
	seen->masked = make_beside(of, masked.data);
	seen->keys = of->keys;
}

/* What is said of a number is as far off as noise would put it; other keys
 * have the rules that they have, or are not shown. */
static Jsonb *
rules_of_said(const SdcGateCase *of, const SdcRelation *rows, List *said,
			  const SdcAttackCase *seen)
{
	StringInfoData rules;
	ListCell *cell;

	sdcpg_document_begin(&rules);
	sdcpg_document_open(&rules, NULL, '{');
	foreach (cell, sdcpg_policy_list_of(of->keys))
	{
		const char *name = lfirst(cell);
		bool is_said = find_column(said, name) != NULL;
		bool is_shown = get_attnum(rows->oid, name) != InvalidAttrNumber;
		Jsonb *rule = sdcpg_versions_rule_of(of->rules, name);

		if (is_shown && !is_said)
		{
			if (rule != NULL)
				sdcpg_document_jsonb(&rules, quote_identifier(name), rule);
			continue;
		}
		sdcpg_document_open(&rules, quote_identifier(name), '{');
		sdcpg_document_text(&rules, "method", is_said ? "add_noise" : "null");
		if (is_said)
			sdcpg_document_number(&rules, "alpha", noise_of(seen, name));
		sdcpg_document_close(&rules, '{');
	}
	sdcpg_document_close(&rules, '{');
	return sdcpg_document_end(&rules);
}

/*
 * Attacks persons by numbers that are said of some of their keys: the rest is
 * about a normal law, so who weighs it as noise finds more than who learns how
 * they go together (of 300 by three numbers of noise .05: 50 % for 38).
 * False: none of them is a key.
 */
static bool
attack_said(const SdcGateCase *of, const SdcRelation *rows, List *said,
			const char *parts, Jsonb *params, SdcAttackOutcome *outcome)
{
	SdcAttackCase seen = {.id = "person", .p = of->p, .params = params};
	SdcAttackOutcome found = {0};
	bool any = false;
	ListCell *cell;

	foreach (cell, sdcpg_policy_list_of(of->keys))
		any |= find_column(said, lfirst(cell)) != NULL;
	if (!any)
		return false;
	seen.seeded = of->seeded;
	seen.seed = of->seed;
	make_said(of, rows, said, &seen);
	seen.rules = rules_of_said(of, rows, said, &seen);
	attack_beside(of, &seen, &found);
	drop_beside(of, seen.original);
	drop_beside(of, seen.masked);
	if (is_more(&found, outcome))
	{
		found.parts = pstrdup(parts);
		*outcome = found;
	}
	return true;
}

/*
 * Rows by what all draws say of the values of now, where everybody's values
 * have moved alike.
 */
static void
attack_moved(const SdcGateCase *of, Jsonb *params, SdcAttackOutcome *outcome)
{
	static const char *const parts =
		"Here what was drawn for values of before is taken together with the "
		"rest, as these go with the values of now.";
	List *said;
	const SdcRelation *rows =
		sdcpg_versions_show_moved(of->versions, of->published, &said);
	Tie tie = {.whose = "person", .shown = true, .most = 1};
	Shown shown;

	if (rows == NULL || attack_said(of, rows, said, parts, params, outcome))
		return;
	tie.column = sdcpg_relation_column(of->original, of->id);
	shown = show_gone(rows, BY_MEAN, params);
	shown.parts = parts;
	attack_shown(of, &tie, BY_MEAN, shown, outcome);
}

/* Persons by all versions of their rows. */
static void
attack_versions(const SdcGateCase *of, const SdcAttackCase *versions,
				SdcAttackOutcome *outcome)
{
	ListCell *cell;

	if (!sdcpg_gate_has_ties(of))
		return;
	foreach (cell, of->tied->ties)
	{
		const Tie *tie = lfirst(cell);

		if (tie->shown)
			attack_tied(of, tie, BY_MEAN, versions, outcome);
	}
}

/* ----------------------------------------------------------------------
 * Rows of a person whom nothing published ties together.
 *
 * Rows that are alike in all that is known, and in what is shown of it, are no
 * crowd if they are all of one person: whoever finds any of them has found
 * him.  So they are one record each, and the likelihood is run on these.
 * ----------------------------------------------------------------------
 */

/*
 * The original rows, one of those of a person that are alike in the keys and
 * in what is shown of these: what is drawn for each row is a look of its own.
 */
static char *
unlike_query(const SdcGateCase *of, const Tie *tie)
{
	SdcRelationColumns keys = known_columns(of, tie, false);
	SdcRelationColumn id = sdcpg_relation_column(of->original, of->id);
	SdcRelationColumn own = sdcpg_relation_column(of->masked, of->id);
	SdcRelationColumn shown;
	StringInfoData list;
	int i;

	initStringInfo(&list);
	appendStringInfoString(&list, as_text(&tie->column, "r"));
	for (i = 0; i < keys.count; i++)
	{
		const SdcRelationColumn *key = &keys.column[i];

		appendStringInfo(&list, ", %s", as_text(key, "r"));
		if (get_attnum(of->masked->oid, key->name) == InvalidAttrNumber)
			continue;
		shown = sdcpg_relation_column(of->masked, key->name);
		appendStringInfo(&list, ", %s", as_text(&shown, "m"));
	}
	return psprintf("SELECT DISTINCT ON (%s) r.* FROM %s AS r"
					" LEFT JOIN %s AS m ON %s OPERATOR(pg_catalog.=) %s"
					" WHERE r.%s IS NOT NULL ORDER BY %s, m.%s IS NULL, %s",
					list.data, of->original->sql, of->masked->sql,
					as_text(&own, "m"), as_text(&id, "r"), tie->column.sql,
					list.data, own.sql, as_text(&id, "r"));
}

static void
attack_alike(const SdcGateCase *of, const Tie *tie,
			 const SdcAttackCase *events, SdcAttackOutcome *outcome)
{
	SdcAttackCase seen = *events;
	SdcAttackOutcome found = {0};
	SdcRelation *known = make_beside(of, unlike_query(of, tie));
	SdcRelationColumn id = sdcpg_relation_column(of->original, of->id);
	SdcRelationColumn own = sdcpg_relation_column(of->masked, of->id);

	seen.original = known;
	seen.masked =
		make_beside(of, psprintf("SELECT m.* FROM %s AS m JOIN %s AS o ON %s"
								 " OPERATOR(pg_catalog.=) %s",
								 of->masked->sql, known->sql,
								 as_text(&own, "m"), as_text(&id, "o")));
	seen.keys = of->keys;
	seen.method = NULL;
	seen.params = NULL;
	seen.joined = NULL;
	seen.changes = NULL;
	attack_beside(of, &seen, &found);
	drop_beside(of, seen.original);
	drop_beside(of, seen.masked);
	if (!is_more(&found, outcome))
		return;
	found.parts = "Here rows of one person that are alike in the keys are one "
				  "record.";
	*outcome = found;
}

static void
attack_ties(const SdcGateCase *of, const SdcAttackCase *events,
			SdcAttackOutcome *outcome)
{
	ListCell *cell;

	if (events->method != NULL || !sdcpg_gate_has_ties(of))
		return;
	if (!can_make(of))
	{
		const char *why = "Rows of one person were not put together, as no "
						  "temporary table can be made here.";

		if (outcome->reason != NULL)
			outcome->reason = pstrdup(why);
		else
			outcome->parts = pstrdup(why);
		return;
	}
	foreach (cell, of->tied->ties)
	{
		const Tie *tie = lfirst(cell);

		if (!tie->shown)
		{
			attack_alike(of, tie, events, outcome);
			continue;
		}
		attack_tied(of, tie, BY_MEAN, NULL, outcome);
		/* of two values the middle is the mean */
		if (tie->most > 2)
			attack_tied(of, tie, BY_MIDDLE, NULL, outcome);
		if (tie->varies)
			attack_tied(of, tie, BY_ORDER, NULL, outcome);
	}
}

/*
 * What rows that are gone show of persons, and what values that have moved
 * show of rows.
 */
static void
attack_other_versions(const SdcGateCase *of, const SdcAttackCase *sequence,
					  SdcAttackOutcome *outcome)
{
	Jsonb *params = part_of_work(sequence);
	bool few = outcome->reason == NULL && sdcpg_tied_few_gone(of);

	if (!few)
		attack_gone(of, params, outcome);
	attack_moved(of, params, outcome);
	if (few)
		sdcpg_tied_count_gone(of, outcome);
}

void
sdcpg_tied_attack(const SdcGateCase *of, const SdcAttack *attack,
				  const SdcAttackCase *seen, SdcAttackOutcome *outcome)
{
	if ((attack->needs & SDC_NEEDS_TABLES) != 0)
		attack_joined(of, seen, outcome);
	if ((attack->needs & SDC_NEEDS_PERSON) != 0)
		attack_ties(of, seen, outcome);
	if (attack->over_time && seen->versions != NULL)
		attack_versions(of, seen->versions, outcome);
	if (attack->over_time && of->versions != NULL)
		attack_other_versions(of, seen, outcome);
}
