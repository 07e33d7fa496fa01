/*
 * versions.h
 *		What a policy remembers of its releases, and what follows for the next.
 */
#ifndef SDC_RELEASE_VERSIONS_H
#define SDC_RELEASE_VERSIONS_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "host/call/catalog.h"
#include "release/gate.h"
#include "release/publish.h"
#include "topic/mask/rules.h"

/*
 * Masks a table by rules (those of the policy but for the id's) into the
 * staging table.  What was published of a person stays as long as the values
 * that it was made from do; others are drawn, new and changed rows together.
 * Notes all of it in the catalog, in the transaction of the release.  Falls
 * back on masking everything where nothing can be remembered: no id, or new
 * records.  O(rows log rows).
 */
extern void sdcpg_versions_mask(SdcStaging *staging, const char *policy,
								int64 release, Jsonb *rules, bool seeded,
								int64 seed);

/*
 * Gives a case its versions, if there are several releases that drew, and what
 * attacks found of releases of which little is changed.  O(rows).
 */
extern void sdcpg_versions_look_back(SdcStaging *staging, SdcGateCase *of);

/*
 * What an attack found then; false when nothing is known of it.  The upper
 * ends of its figures have the share of the rows that changed since, several
 * times, on top.
 */
extern bool sdcpg_versions_carried(const SdcGateCase *of,
								   const SdcAttack *attack, const char *method,
								   Jsonb *params, SdcAttackOutcome *outcome);

/*
 * Keeps what attacks that were run found now, and what one finds who knows
 * less (or NULL); forgets what that replaces.  In the transaction that
 * publishes.
 */
extern void sdcpg_versions_keep(struct SdcVersions *versions,
								const SdcEvidence *evidence, Jsonb *knowing);

/*
 * What the intruder has of all versions that are kept, see SdcAttackCase:
 * tables of the original and of the masked side with the columns that each
 * release drew; NULL when one release drew everything.  They are made once.
 */
extern const SdcAttackCase *sdcpg_versions_show(struct SdcVersions *versions,
												const SdcGateCase *of);

/* Has a table a foreign key to another one of the policy? */
extern bool sdcpg_versions_refers(const SdcStaging *child,
								  const SdcStaging *parent);

/*
 * Leaves the rows out that refer to one that is not published, of the tables
 * that are masked already: from what is put together, and from the staging
 * table where that is there.
 */
extern void sdcpg_versions_hold(struct SdcVersions *versions, bool staged);

/*
 * Warns of rows of a table of the release that refer to rows of another one
 * which are not published, as they wait or are not in a sample.
 */
extern void sdcpg_versions_orphans(const SdcStaging *child,
								   const SdcStaging *parent);

/*
 * The records of all versions that are kept, where they are new ones, which
 * are nobody's; and how many versions that is.  NULL: there is one only.
 */
extern const SdcRelation *
sdcpg_versions_pool(const struct SdcVersions *versions, int64 *draws);

/*
 * The share of those whom a column names in rows of now who had others, which
 * are gone; or that of these rows, if it is more.  Reads all that is
 * remembered, once for each column.
 */
extern double sdcpg_versions_gone(struct SdcVersions *versions,
								  const SdcRelationColumn *tie);

/*
 * All that is published of the rows that a column ties to those of now: what
 * was drawn for rows that are here or gone, and what else is published of
 * those that are here.  A table whose first column says whose a row is, as
 * text; the others have the names of their columns.  NULL: no row is gone.
 * O(rows of all versions).
 */
extern SdcRelation *sdcpg_versions_show_gone(struct SdcVersions *versions,
											 const SdcRelationColumn *tie,
											 List *published);

/*
 * Do draws for other values than those of now tell of these, as everybody has
 * moved alike?  Asks once; reads all that is remembered.
 */
extern bool sdcpg_versions_has_moved(struct SdcVersions *versions);

/*
 * What all draws for a row, whatever its values were, say of those of now, and
 * what else is published of it: a table as above, with a row for each id.
 * said: the columns of the former, numbers (const SdcRelationColumn *).
 * NULL: values have not moved.  O(rows of all versions).
 */
extern SdcRelation *sdcpg_versions_show_moved(struct SdcVersions *versions,
											  List *published, List **said);

/*
 * Says which columns of which releases an attack names, and adds whose
 * versions besides the policy's own it has seen.
 */
extern void sdcpg_versions_tell(const struct SdcVersions *versions,
								SdcAttackOutcome *outcome);

/* A text with another name in the place of one that ends in a digit. */
extern char *sdcpg_versions_rename(char *text, const char *name,
								   const char *other);

/*
 * Warns of tables of other policies that are published and can be joined with
 * this one, as they have pseudonyms of the same domain.
 */
extern void sdcpg_joinable_warn(const SdcStaging *staging, const char *policy);

/* Drops the tables that the functions above have made. */
extern void sdcpg_versions_drop(SdcStaging *staging);

/* Adds what was kept, drawn and left waiting to the measures of a release. */
extern void sdcpg_versions_document(const SdcStaging *staging,
									StringInfo document);

/* ----------------------------------------------------------------------
 * What versions.c, release_values.c, looks.c and sequence.c have in common.
 * ----------------------------------------------------------------------
 */

/* What is told of a release, in rows. */
typedef struct SdcVersionsTally
{
	int64 rows;    /* of the table */
	int64 kept;    /* published as they were */
	int64 drawn;   /* published with a value drawn now */
	int64 waiting; /* for a larger batch, with old values or not at all */
	int64 left;    /* published last time and not now */
} SdcVersionsTally;

/* Columns that are masked together. */
typedef struct SdcPart
{
	SdcRelationColumns columns; /* none: which rows are published */
	SdcRelationColumns strata;  /* that are not among them */
	List *rules;                /* const SdcRule * */
	Jsonb *document;            /* the same */
	bool apart;                 /* does each row have a draw of its own? */
	int64 number;               /* of sdc.release_part; 0: not there yet */
	bool digested;              /* had it a number when rows were compared? */
	char **type;                /* of the masked columns */
	double *width;              /* of the grid of numbers; 0: none */
	double crowd;               /* rows that may be in a batch, in all */
	char *drawn;        /* the table with what was drawn now; NULL: nothing */
	char *batch;        /* the table of those that were drawn; NULL: all */
	bool sample;        /* does it say which rows are published? */
	const char *policy; /* that published it; NULL: that of the release */
	Oid relation;       /* of the part of another policy */
	const char *id;     /* the id of that policy, as SQL; NULL: the same */
	ArrayType *keys;    /* of that policy, if both publish one id; or NULL */
	char *fixed;        /* the table of what a function of the value made */
	int64 release;      /* that published it */
} SdcPart;

/* Names of columns beside those of the table, which has none called so. */
typedef struct SdcVersionsNames
{
	const char *person; /* the digest of an id */
	const char *lacks;  /* a draw */
	const char *rows;   /* of a batch, in a stratum */
	const char *all;    /* rows, in a stratum */
	const char *crowd;  /* of those who came, or of others */
	const char *alone;  /* the same, but each of the others by himself */
	const char *look;   /* begins the names of columns of a version */
	const char *when;   /* the releases in which a person changed */
} SdcVersionsNames;

/* What is known of one table while a release of it is made. */
struct SdcVersions
{
	SdcStaging *staging;
	const char *policy;
	int64 release;
	const SdcRelation *original;
	SdcRelationColumn id;
	SdcVersionsNames own; /* names that no column of the table has */
	Jsonb *rules;         /* of the policy, but for the id's */
	bool seeded;
	int64 seed;
	char *mark;     /* of the policy, see sdcpg_versions_mark */
	int parts;      /* of the rules of now */
	int all_parts;  /* and of rules of before, which follow them */
	int seen_parts; /* and of other policies, which follow these, and fixed */
	int fixed;      /* these: what rules of before made */
	int tried;      /* of these; numbers of tables */
	bool turned;    /* had the version before such rules? */
	List *others;   /* those policies: char * */
	List *linked;   /* whose tables are joined with this one: char * */
	SdcPart *part;
	bool remembers; /* is anything known of versions before? */
	/*
	 * The table of those who are not as they were, which are gone on with
	 * part by part; NULL: nobody is known to be, all of now are.
	 */
	const char *few;
	bool anew;         /* is none of it to be kept? */
	List *tables;      /* char *: to be dropped */
	List *hierarchies; /* the same */
	/* what may tie rows together that are not in the same version */
	SdcRelationColumns ties;
	List *gone;       /* of looks_gone.c: by which column, of whom */
	const char *kept; /* the table of all that is remembered; NULL: not yet */
	bool asked;       /* have values moved in a way that can be seen? */
	List *numbers;    /* SdcRelationColumn *: of which they have some */
	SdcVersionsTally tally;
	int64 versions;         /* that are attacked */
	struct SdcMarks *marks; /* of sequence.c; NULL: none */
	SdcAttackCase *seen;    /* of looks.c; NULL: there is none */
	List *looks;            /* of looks.c: those that are in it */
	List *telling;          /* of looks.c: columns that tell rows apart */
	List *repeated;         /* the same: those that do not */
	bool shown;             /* was it looked for? */
	/* of synthetic records: those of all versions; NULL: of one only */
	const SdcRelation *pool;
	int64 draws; /* versions in it that are not the same */
};

/* The name of a table of the release, as in SQL; it is dropped at the end. */
extern char *sdcpg_versions_name(struct SdcVersions *versions,
								 const char *suffix);

/*
 * Makes such a table of a query, and has it analyzed; returns its name.  NULL:
 * of what the policy remembers of the table now.
 */
extern char *sdcpg_versions_table(struct SdcVersions *versions,
								  const char *suffix, const char *query);

/* The table of all that the policy remembers of the table, made once. */
extern const char *sdcpg_versions_kept(struct SdcVersions *versions);

/*
 * Which closed draws of a part (m) are looks at the value of now (x), as SQL.
 * Noise that is new after moves smaller than itself averages out, so it is at
 * nearly the same value.
 */
extern const char *
sdcpg_versions_still_looks(const struct SdcVersions *versions,
						   const SdcPart *part);

/* What rules say of a column by itself; NULL: nothing, it is kept. */
extern Jsonb *sdcpg_versions_rule_of(Jsonb *rules, const char *column);

/*
 * Does another policy publish a column as this one does, as it is or as
 * pseudonyms, that tells most rows of the table apart?
 */
extern bool sdcpg_versions_tells_rows(struct SdcVersions *versions,
									  const SdcPolicyRelation *other);

/* The table of that suffix; stops when it was not made. */
extern SdcRelation *sdcpg_versions_find(struct SdcVersions *versions,
										const char *suffix);

/*
 * Has a part a key among its columns?  Of a policy whose table is joined with
 * this one those that it says are keys.
 */
extern bool sdcpg_versions_has_key(const SdcPart *part, ArrayType *keys);

/* A number of a table (alias) as float8, as SQL; NULL where it is none. */
extern char *sdcpg_versions_number(const SdcRelation *table, const char *name,
								   const char *alias);

/* Stops unless what a policy remembers is the caller's. */
extern void sdcpg_versions_need_memory(const char *policy);

/* A policy, a table and the caller, as $1 to $3: whose parts are read. */
extern void sdcpg_versions_bind_memory(SdcCatalogParameters *parameters,
									   const char *policy, Oid relation);

/*
 * Has what follows look a few of many rows up, one by one by the index, until
 * the level that NewGUCNestLevel began ends: nobody may have counted the rows.
 */
extern void sdcpg_versions_look_up(void);

/* Has a part values that are published? */
extern bool sdcpg_versions_has_values(int64 part);

/* Does a release leave rows of a table out?  NULL: it does not. */
extern bool sdcpg_versions_leaves_out(const struct SdcVersions *versions);

/*
 * Finds who is as he was, by one digest and one join, before anything is
 * drawn: makes the tables last, of what is remembered as published, few, and
 * mem, of those who are not.  False: that cannot be told.  O(rows).
 */
extern bool sdcpg_versions_find_same(struct SdcVersions *versions);

/*
 * Those who are as they were and are published, as SQL: "last AS k WHERE ...";
 * NULL where nobody is known to be.
 */
extern char *sdcpg_versions_same_sql(struct SdcVersions *versions);

/* One number of a query; 0 for NULL. */
extern double sdcpg_versions_ask(const char *sql);

/* Tells that nobody knows what was published before. */
extern void sdcpg_versions_tell_forgotten(struct SdcVersions *versions);

/*
 * Tells that hardly an id of the version before is there: most of its persons
 * are gone, or have other ids.
 */
extern void sdcpg_versions_tell_strangers(struct SdcVersions *versions);

/* Of such a row, what was published of a column of a part, as SQL. */
extern char *sdcpg_versions_same_value(const struct SdcVersions *versions,
									   int part, int i);

/* The digest of the person of a row with this alias, as SQL. */
extern char *sdcpg_versions_person(const struct SdcVersions *versions,
								   const char *alias);

/*
 * The digest of whose a row with this alias is by a column that ties rows, as
 * SQL; NULL where the column is.
 */
extern char *sdcpg_versions_whose(const struct SdcVersions *versions,
								  const SdcRelationColumn *column,
								  const char *alias);

/* The digest of what a part is made from, of a row with the alias r. */
extern char *sdcpg_versions_cell(const struct SdcVersions *versions,
								 const SdcPart *part);

/*
 * The digests of all parts of the rules of now, one behind the other, of a row
 * (r) of the table now; and that of a part of them: as SQL.
 */
extern char *sdcpg_versions_cells(struct SdcVersions *versions);
extern char *sdcpg_versions_cell_at(const char *cells, int p);

/* The masked values of a part as text[], of a row with this alias. */
extern char *sdcpg_versions_values(const SdcPart *part, const char *alias);

/* The same as the policy that published a part knows him. */
extern char *sdcpg_versions_part_person(const struct SdcVersions *versions,
										const SdcPart *part,
										const char *alias);

/* Masks a table of the release into another one, which is dropped, too. */
extern char *sdcpg_versions_mask_table(struct SdcVersions *versions,
									   const char *from, Jsonb *rules,
									   const char *suffix);

/* Fills a part in by its rules. */
extern void sdcpg_versions_fill_part(const struct SdcVersions *versions,
									 SdcPart *part);

/* Finds what is remembered of a part under the same rules, NULL and key. */
extern void sdcpg_versions_find_part(const struct SdcVersions *versions,
									 SdcPart *part, const char *nulls);

/* Reads the parts of rules of before: what they published is out there. */
extern void sdcpg_versions_read_old_parts(struct SdcVersions *versions);

/*
 * Reads, behind all other parts, what rules of before that are a function of
 * the value have made of keys that other rules are for now.  Notes what this
 * release is made from.  O(rows) for each.
 */
extern void sdcpg_versions_read_fixed(struct SdcVersions *versions,
									  ArrayType *keys);

/* Drops the hierarchies of before that this has created again. */
extern void sdcpg_versions_drop_hierarchies(struct SdcVersions *versions);

/*
 * Reads a part from a row of its number, rules, columns with strata, types and
 * widths; false when its columns are gone.
 */
extern bool sdcpg_versions_read_part(const struct SdcVersions *versions,
									 SdcPart *part, const SdcCatalogRows *rows,
									 int row);

/*
 * Reads, behind the parts of the policy, those of other policies of its owner
 * that draw for some of the same columns of the table: who has both tables
 * averages them.  Warns of policies of other owners, which nobody can attack
 * together with this one.
 */
extern void sdcpg_versions_read_others(struct SdcVersions *versions);

/*
 * Does something in a subtransaction, as a hierarchy may be gone, or a column
 * of another type.  Returns the error that ended it, or NULL.
 */
extern ErrorData *sdcpg_versions_attempt(struct SdcVersions *versions,
										 bool (*work)(void *), void *arg);

/*
 * Do both policies publish the same id of the table, or another column that
 * tells rows apart?  Who has both joins them, so what each hides of one key is
 * known by another one.
 */
extern bool sdcpg_versions_is_joined(struct SdcVersions *versions,
									 const SdcPolicyRelation *other);

/* The keys of such a policy, as name[]; NULL for others. */
extern ArrayType *sdcpg_versions_keys_of_linked(struct SdcVersions *versions,
												const SdcPolicy *policy);

/* Those that are gone, or not for it any more, by their latest releases. */
extern List *sdcpg_versions_list_gone(const struct SdcVersions *versions);

/* What tells the keys of a policy apart, of which no key can be made. */
extern char *sdcpg_versions_mark(const char *policy);

/* Adds the columns of a list that neither it nor except (or NULL) has. */
extern void sdcpg_versions_add_columns(SdcRelationColumns *columns,
									   const SdcRelationColumns *more,
									   const SdcRelationColumns *except);

/*
 * Settles the grids of the new parts that were drawn in the table of a suffix,
 * as wide as the mask usually moves each column: the root of the mean square.
 */
extern void sdcpg_versions_settle_grids(struct SdcVersions *versions,
										const char *name);

/* Writes a part that is remembered from now on, with its word for NULL. */
extern void sdcpg_versions_write_part(const struct SdcVersions *versions,
									  SdcPart *part, const char *nulls);

/* Writes the types of a part that is remembered already. */
extern void sdcpg_versions_write_types(const SdcPart *part);

/*
 * Had a row of the result (x) something published before, by the parts of now,
 * with or without that for the sample?  As SQL.
 */
extern char *sdcpg_versions_published(const struct SdcVersions *versions,
									  bool sample);

/*
 * Persons who had something published before by parts that are not compared
 * with it; a query of rows of mem (m), to which conditions can be added.
 */
extern char *sdcpg_versions_elsewhere(struct SdcVersions *versions);

/* An object with a number in it. */
extern Jsonb *sdcpg_versions_with_number(Jsonb *object, const char *key,
										 double number);

/* Does what a rule makes depend on chance, or on more than its own row? */
static inline bool
sdcpg_versions_draws(const SdcRule *rule)
{
	unsigned traits = rule->method->traits;

	if ((traits & SDC_MASK_ROW_LOCAL) == 0)
		return true;
	return (traits & SDC_MASK_OWN_DRAW) != 0 &&
		   sdcpg_rule_boolean(rule, "random");
}

/* Does a part make new records?  O(rules). */
extern bool sdcpg_versions_makes_records(const SdcPart *part);

/* The part that makes new records; NULL: there is none.  O(rules). */
extern SdcPart *sdcpg_versions_records_part(struct SdcVersions *versions);

/*
 * Makes the seed of new records, unless one is given or they are to be fresh:
 * the same one for the same originals and rules in an epoch.  O(rows columns).
 */
extern void sdcpg_versions_seed_records(struct SdcVersions *versions,
										int64 epoch);

/*
 * Puts the new records together with those that are remembered, and remembers
 * them, with the word for NULL.  O(rows columns of all versions).
 */
extern void sdcpg_versions_keep_records(struct SdcVersions *versions,
										const char *nulls);

/*
 * Writes new records under their digest (as SQL) as the only ones of the table
 * that are published now, and forgets what is too old.
 */
extern void sdcpg_versions_remember_records(struct SdcVersions *versions,
											const SdcPart *part,
											const char *digest);

/*
 * The names of the relations that the latest release of a policy ($1)
 * published under a name ($5), as a query.
 */
#define SDC_PUBLISHED_AS                                         \
	"SELECT e.value OPERATOR(pg_catalog.->>) 'relation'"         \
	" FROM (SELECT h.relations FROM sdc.release_history AS h"    \
	" WHERE h.policy OPERATOR(pg_catalog.=) $1"                  \
	" AND h.status OPERATOR(pg_catalog.=) 'published'"           \
	" ORDER BY h.release DESC LIMIT 1) AS k CROSS JOIN LATERAL"  \
	" pg_catalog.jsonb_array_elements(k.relations) AS e (value)" \
	" WHERE (e.value OPERATOR(pg_catalog.->>) 'target')"         \
	" OPERATOR(pg_catalog.=) $5"

/* Format: the numbers of columns of a relation, 0 for those it has not. */
#define SDC_NUMBERS_SQL                           \
	"ARRAY(SELECT COALESCE((SELECT a.attnum"      \
	" FROM pg_catalog.pg_attribute AS a"          \
	" WHERE a.attrelid OPERATOR(pg_catalog.=) %s" \
	" AND a.attname OPERATOR(pg_catalog.=)"       \
	" c.name::pg_catalog.name), 0::int2)"         \
	" FROM pg_catalog.unnest(%s)"                 \
	" WITH ORDINALITY AS c (name, place) ORDER BY c.place)"

/*
 * Follows names: a table that takes the name of one that the policy is not for
 * any more, as a load or a restore makes it, goes on with what that one
 * published; and so do columns that were renamed.
 */
extern void sdcpg_versions_follow(const struct SdcVersions *versions);

/*
 * What the version before, which is still published, and this one leave of
 * each other, for the attack differencing; nothing where there is none.
 * O(rows of both).
 */
extern void sdcpg_versions_changes(struct SdcVersions *versions,
								   SdcGateCase *of);

/* Writes what the release publishes, and forgets what is too old. */
extern void sdcpg_versions_remember(struct SdcVersions *versions);

#endif
