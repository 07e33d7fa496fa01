/*
 * copy.h
 *		A safe copy of a schema: what was decided of its columns, and the
 *		search for what is left of the original.
 */
#ifndef SDC_RELEASE_COPY_H
#define SDC_RELEASE_COPY_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/execnodes.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "host/call/catalog.h"
#include "host/server/host.h"

/* A column and what is done to it. */
typedef struct SdcCopyColumn
{
	Oid table;
	AttrNumber number;
	char *relation;
	char *column;
	char *type;
	char *kind; /* of personal data; NULL: none was found */
	char *level;
	Jsonb *rule; /* NULL: nobody has decided */
	char *role;  /* or NULL */
	bool generated;
} SdcCopyColumn;

/* Original identifiers that are looked for. */
typedef struct SdcCopySought SdcCopySought;

/* A copy that is being decided about, or made. */
typedef struct SdcCopy
{
	char *schema;
	Oid namespace;
	char *target; /* the schema of the copy */
	Jsonb *rules;
	int columns;
	SdcCopyColumn *column;
	ReturnSetInfo *result;
	Datum seed;
	bool seeded;
	Jsonb *subset;     /* params of a copy of a part; NULL: of all */
	bool part;         /* only identifiers of its rows are looked for */
	bool calls_rows;   /* definitions call code of users with rows */
	List *words;       /* that are last names, too, and are no secret */
	const char *shown; /* the target as it is called in the end */
	SdcPgHost *host;
	SdcCopySought *sought;
} SdcCopy;

/* ----------------------------------------------------------------------
 * Decisions (copy_plan.c).
 * ----------------------------------------------------------------------
 */

/* clang-format off */
/*
 * In SQL: does a name in the catalogs stand in the text of a function f?  Each
 * text is cut into its words once, and what is looked for among them; only for
 * a name that is no word each text is read.  "word" is a pattern.
 */
#define SDC_COPY_IN_TEXT(name, word) \
	"CASE WHEN " name " ~ '\\W' THEN strpos(lower(f.prosrc), " \
	"lower(" name ")) > 0 ELSE lower(" name ") IN (SELECT lower(m[1] " \
	"COLLATE \"C\") FROM regexp_matches(f.prosrc, '" word "', 'g') AS m) END"

/* In SQL: a name as a pattern. */
#define SDC_COPY_PATTERN(name) \
	"regexp_replace(" name ", '([^[:alnum:]_])', '\\\\\\1', 'g')"

/*
 * In SQL: does a function f of a user read tables, as far as its text tells,
 * whatever it says of itself?
 */
#define SDC_COPY_READS_TABLES \
	"(f.prosrc ~* '\\mexecute\\M' OR CASE WHEN f.prosrc ~* " \
	"'\\m(from|join|table)\\M' THEN EXISTS (SELECT FROM pg_class AS c " \
	"WHERE c.oid >= 16384 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') " \
	"AND CASE WHEN " SDC_COPY_IN_TEXT("c.relname", "\\w+") " THEN " \
	"f.prosrc ~* concat('\\m(from|join|table)\\M[^;]*\\m', " \
	SDC_COPY_PATTERN("c.relname") ", '\\M') ELSE false END) ELSE false END " \
	"OR EXISTS (SELECT FROM pg_depend AS e WHERE e.classid = " \
	"'pg_proc'::regclass AND e.objid = f.oid AND e.refclassid = " \
	"'pg_class'::regclass))"

/*
 * In SQL: the functions of users, and of no extension, that a function f calls
 * by its text.  OFFSET 0: f must be of the query around it, or its words are
 * cut for each other function.
 */
#define SDC_COPY_CALLS \
	"SELECT g.oid FROM pg_proc AS g WHERE g.oid >= 16384 " \
	"AND CASE WHEN " SDC_COPY_IN_TEXT("g.proname", "(\\w+)\"?\\s*\\(") " " \
	"THEN g.proname !~ '\\W' OR f.prosrc ~* concat('\\m', " \
	SDC_COPY_PATTERN("g.proname") ", '\\M\"?\\s*\\(') ELSE false END " \
	"AND NOT EXISTS (SELECT FROM pg_depend AS e WHERE e.classid = " \
	"'pg_proc'::regclass AND e.objid = g.oid AND e.deptype = 'e') OFFSET 0"

/* In SQL: the functions o.g that a function k calls, by dependency, too. */
#define SDC_COPY_CALL \
	"(SELECT x.oid AS g FROM pg_proc AS f CROSS JOIN LATERAL (" \
	"(SELECT d.refobjid AS oid FROM pg_depend AS d WHERE d.classid = " \
	"'pg_proc'::regclass AND d.objid = f.oid AND d.refclassid = " \
	"'pg_proc'::regclass) UNION ALL (" SDC_COPY_CALLS ")) AS x " \
	"WHERE f.oid = k.oid AND f.oid >= 16384) AS o"

/* In SQL: the types "oid" that a type is made of, in brackets. */
#define SDC_COPY_MADE_OF \
	"(SELECT t.oid AS type, v.oid FROM pg_type AS t CROSS JOIN LATERAL (" \
	"VALUES (t.typbasetype), (t.typelem) UNION ALL SELECT a.atttypid " \
	"FROM pg_attribute AS a WHERE a.attrelid = t.typrelid AND a.attnum > 0 " \
	/* a range and its multirange, which PostgreSQL 13 has not */ \
	"UNION ALL SELECT unnest(ARRAY[r.rngsubtype, m.oid]) FROM pg_range AS " \
	"r CROSS JOIN LATERAL (SELECT (to_jsonb(r) ->> 'rngmultitypid')::oid) " \
	"AS m (oid) WHERE t.oid IN (r.rngtypid, m.oid)) AS v (oid) " \
	"WHERE v.oid <> 0)"

/*
 * In SQL: what an object o (class, oid) of the catalogs depends on.  Before
 * PostgreSQL 15 a generated column does, and not its expression.
 */
#define SDC_COPY_NEEDS \
	"(SELECT n.refclassid, n.refobjid FROM pg_depend AS n " \
	"WHERE n.classid = o.class AND n.objid = o.oid UNION ALL " \
	"SELECT n.refclassid, n.refobjid FROM pg_attrdef AS x " \
	"JOIN pg_attribute AS a ON a.attrelid = x.adrelid " \
	"AND a.attnum = x.adnum AND a.attgenerated <> '' JOIN pg_depend AS n " \
	"ON n.classid = 'pg_class'::regclass AND n.objid = x.adrelid " \
	"AND n.objsubid = x.adnum WHERE o.class = 'pg_attrdef'::regclass " \
	"AND x.oid = o.oid)"

/*
 * In SQL: the functions c.f that an object o (class, oid) of the catalogs
 * calls itself, by operators and checks of domains that it casts to, too.
 */
#define SDC_COPY_OWN_CALLS \
	"(SELECT CASE WHEN d.refclassid = 'pg_proc'::regclass THEN d.refobjid " \
	"ELSE q.oprcode::oid END AS f FROM " SDC_COPY_NEEDS " AS d " \
	"LEFT JOIN pg_operator " \
	"AS q ON d.refclassid = 'pg_operator'::regclass AND q.oid = d.refobjid " \
	"WHERE d.refclassid IN (" \
	"'pg_proc'::regclass, 'pg_operator'::regclass) UNION ALL " \
	"SELECT e.refobjid FROM " SDC_COPY_NEEDS " AS d JOIN pg_constraint AS k " \
	"ON k.contypid = d.refobjid JOIN pg_depend AS e ON e.classid = " \
	"'pg_constraint'::regclass AND e.objid = k.oid AND e.refclassid = " \
	"'pg_proc'::regclass WHERE d.refclassid = 'pg_type'::regclass) AS c"

/*
 * In SQL: parts of WITH RECURSIVE: "called", functions, those of a query and
 * those that they call; "call", which one g each of them f calls.
 */
#define SDC_COPY_CALLED(query) \
	"called AS (SELECT s.oid FROM (" query ") AS s (oid) UNION " \
	"SELECT o.g FROM called AS k CROSS JOIN LATERAL " SDC_COPY_CALL "), " \
	"call AS MATERIALIZED (SELECT k.oid AS f, o.g FROM called AS k " \
	"CROSS JOIN LATERAL " \
	SDC_COPY_CALL ")"

/*
 * In SQL: parts of WITH RECURSIVE: "trusted", objects (class, oid) of a query
 * "own" of such and the functions f that they call, by others, too, and that
 * run with the rights of their owners.  Whoever writes a row has them run.
 */
#define SDC_COPY_TRUSTED \
	"root AS (SELECT DISTINCT o.class, o.oid, c.f FROM own AS o " \
	"CROSS JOIN LATERAL " SDC_COPY_OWN_CALLS "), " \
	SDC_COPY_CALLED("SELECT root.f FROM root") ", " \
	"pair AS (SELECT * FROM root UNION SELECT p.class, p.oid, l.g " \
	"FROM pair AS p JOIN call AS l ON l.f = p.f), " \
	"trusted AS (SELECT p.class, p.oid, f.proname FROM pair AS p " \
	"JOIN pg_proc AS f ON f.oid = p.f WHERE f.prosecdef)"
/* clang-format on */

/*
 * Values printed as the search reads them, and an empty search_path, but for
 * temporary tables, until the level that is returned ends.
 */
extern int sdcpg_copy_settings(void);

/*
 * Stops when relations, types or functions of a schema belong to another role,
 * for their code would run with the rights of the caller.
 */
extern void sdcpg_copy_refuse_others(const char *schema, Oid namespace);

/*
 * Stops when code of another role would be called in the copy of a definition,
 * as rows of its tables are of other types.
 */
extern void sdcpg_copy_refuse_namesakes(SdcCopy *copy);

/*
 * Reads schema and rules and decides; rules and params may be NULL.  Stops
 * unless the caller owns all tables and nobody else's code is in them.
 */
extern void sdcpg_copy_decide(SdcCopy *copy, const char *schema, Jsonb *rules,
							  Jsonb *params);

/* Stops when there is a column that nobody has decided about. */
extern void sdcpg_copy_need_decisions(const SdcCopy *copy);

/* Is "table.column" a column of the schema? */
extern bool sdcpg_copy_names(const SdcCopy *copy, const char *key);

/* A text of a row, or NULL. */
static inline char *
sdcpg_copy_text(const SdcCatalogRows *rows, int64 i, int j)
{
	return rows->isnull[i][j] ? NULL : TextDatumGetCString(rows->value[i][j]);
}

/* The JSON of an argument; NULL: there is none. */
static inline Jsonb *
sdcpg_copy_json(FunctionCallInfo fcinfo, int argument)
{
	return PG_ARGISNULL(argument) ? NULL : PG_GETARG_JSONB_P(argument);
}

/* ----------------------------------------------------------------------
 * The copy (copy.c).
 * ----------------------------------------------------------------------
 */

/*
 * Runs a statement as the caller, and lets what reads after it see what it
 * did; how many rows it had.
 */
extern uint64 sdcpg_copy_run(const char *sql);

/*
 * How PostgreSQL would run a query, with the constants that it has computed.
 * Nothing is run but functions that are IMMUTABLE, of constants.
 */
extern char *sdcpg_copy_folded(const char *query);

/* Rows of a query of the catalog with the parameter $1. */
extern SdcCatalogRows *sdcpg_copy_ask(const char *sql, Oid oid);

/* The rows of a query of the catalogs as they are now, for everybody. */
extern SdcCatalogRows *
sdcpg_copy_read_now(const char *sql, const SdcCatalogParameters *parameters);

/* Is a column the first of its table? */
static inline bool
sdcpg_copy_is_first(const SdcCopy *copy, int i)
{
	return i == 0 || copy->column[i].table != copy->column[i - 1].table;
}

/*
 * The rules of a table as one document; appends its columns that are written.
 */
extern char *sdcpg_copy_rules_of(const SdcCopy *copy, Oid table,
								 StringInfo written);

/* Stops when there is a schema of that name. */
extern void sdcpg_copy_need_no_schema(const char *name);

/* Writes all of a copy into its target, a schema that is not there yet. */
extern void sdcpg_copy_make(SdcCopy *copy);

/* Puts a line about a part of the copy into the result. */
extern void sdcpg_copy_put(const SdcCopy *copy, const char *name,
						   const char *subject, const char *detail);

/*
 * Makes the indexes and keys of a relation, and of its partitions, in the
 * copy.  One that holds an identifier is left out, unless it is a key: then
 * its name is.
 */
extern void sdcpg_copy_indexes(const SdcCopy *copy, Oid table);

/* The method of the rule of a column; NULL: nobody has decided. */
extern char *sdcpg_copy_method(const SdcCopyColumn *column);

/* ----------------------------------------------------------------------
 * A copy every night (copy_nights.c).
 * ----------------------------------------------------------------------
 */

/*
 * Writes how a schema is copied into a policy; rules and params may be NULL.
 * Stops at a column without a decision.
 */
extern void sdcpg_copy_write(const char *policy, const char *schema,
							 const char *target, Jsonb *rules, Jsonb *params);

/* Appends what a policy says of copies under the key "copy". */
extern void sdcpg_copy_document(StringInfo document, Jsonb *copy);

/* ----------------------------------------------------------------------
 * What a copy has beside tables (copy_objects.c).
 * ----------------------------------------------------------------------
 */

/*
 * Gives a table of the copy sequences of its own in place of those that no
 * column owns and its defaults take numbers of.
 */
extern void sdcpg_copy_shared_sequences(const SdcCopy *copy, Oid table,
										const char *name);

/* Has these go on after the largest number, once the table has its rows. */
extern void sdcpg_copy_advance_sequences(const SdcCopy *copy, Oid table,
										 const char *name);

/* Makes the views that read nothing but the copy, and says which do not. */
extern void sdcpg_copy_views(const SdcCopy *copy);

/* Says what else is not in the copy. */
extern void sdcpg_copy_put_not_covered(const SdcCopy *copy);

/* ----------------------------------------------------------------------
 * A part of a schema (copy_subset.c).
 * ----------------------------------------------------------------------
 */

/*
 * Decides which rows are copied: rows of the table "from" as they come by a
 * hash, and all that belongs to them, until about "rows" are kept of all
 * tables.  Time grows with what is kept, but for one look at each root.
 */
extern void sdcpg_copy_subset(SdcCopy *copy, Jsonb *params);

/* The rows of a table that it has decided for, as a SELECT in brackets. */
extern char *sdcpg_copy_subset_rows(Oid table);

/* The temporary table of the rows of one table that are copied. */
#define SDC_COPY_ROWS "sdc_copy_rows"

/*
 * Makes that table of the rows that sdcpg_copy_subset has decided for; columns
 * is their list as SQL, without generated ones.
 */
extern void sdcpg_copy_subset_take(Oid table, const char *columns);

/* ----------------------------------------------------------------------
 * The search (copy_search.c).
 * ----------------------------------------------------------------------
 */

/*
 * Reads the original identifiers of a schema as the caller, one scan for each
 * table that has them, or those of the rows that a subset has decided for.
 */
extern SdcCopySought *sdcpg_copy_sought(const SdcCopy *copy);

/* How many different ones there are. */
extern int64 sdcpg_copy_sought_count(const SdcCopySought *sought);

/*
 * What a name or a definition holds that must not be in a copy, in words: an
 * identifier, or the last name of a person in a constant; NULL: nothing.
 */
extern const char *sdcpg_copy_holds(SdcCopySought *sought, const char *text);

/*
 * How many different ones are in the copy, column by column and in all
 * definitions; lines: a row of the result for each place.  The places are
 * appended as a list, without a name that holds one.
 */
extern int64 sdcpg_copy_search(const SdcCopy *copy, bool lines,
							   StringInfo places);

#endif
