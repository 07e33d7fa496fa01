/*
 * masks.c
 *		The masking methods that rules may name: one row each, no other list.
 *
 * MASK takes every part of a row, so that a row which lacks one does not
 * compile.  The macros of this file spell the parts.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"

#include "kernel/mask/donut.h"
#include "kernel/mask/fake.h"
#include "kernel/mask/noise.h"
#include "kernel/mask/pram.h"
#include "kernel/mask/rank_swap.h"
#include "kernel/mask/record_swap.h"
#include "kernel/microaggregation/microaggregate.h"
#include "kernel/microaggregation/microaggregate_group.h"
#include "topic/attack/candidates.h"
#include "topic/generalization/generalization.h"
#include "topic/generalization/hierarchy.h"
#include "topic/mask/inside.h"
#include "topic/mask/mask_select.h"
#include "topic/mask/pram.h"
#include "topic/registry/masks.h"
#include "topic/registry/words.h"

#define MASK(name, sentence, example, applies, traits, keys, variants,    \
			 writes, candidates, likelihood, strength, loss, leaves, ...) \
	{                                                                     \
		name, sentence, example, applies, traits, keys, variants, writes, \
			candidates, likelihood, strength, loss, leaves, __VA_ARGS__   \
	}

/* What a SELECT has in place of columns, a call for the table, or nothing. */
#define WRITES(write) write, NULL
#define CALLS(sql)    NULL, sql
#define NO_SQL        NULL, NULL

/* What it applies to: as many columns as a relation can have, one, none. */
#define COLUMNS SDC_MASK_OF_COLUMNS, 1664
#define COLUMN  SDC_MASK_OF_COLUMNS, 1
#define PLACE   SDC_MASK_OF_COLUMNS, SDC_RECORD_SWAP_LEVELS
#define ROWS    SDC_MASK_OF_ROWS, 0
#define TABLE   SDC_MASK_OF_TABLE, 1664

/* Each row by itself, anywhere. */
#define BY_ROW \
	(SDC_MASK_ROW_LOCAL | SDC_MASK_DISTRIBUTABLE | SDC_MASK_IN_PLACE)

/* Each row by itself, but with a key that only this server makes. */
#define HERE_BY_ROW (SDC_MASK_ROW_LOCAL | SDC_MASK_IN_PLACE)

/* The keys of its rule. */
#define KEYS(...)    \
	(const SdcKey[]) \
	{                \
		__VA_ARGS__, \
		{            \
			NULL     \
		}            \
	}
#define NO_KEYS      \
	(const SdcKey[]) \
	{                \
		{            \
			NULL     \
		}            \
	}
#define NEEDS(name, type, low, high)            \
	{                                           \
		name, type, true, low, high, NULL, NULL \
	}
#define MAY(name, type, absent)               \
	{                                         \
		name, type, false, 0, 0, NULL, absent \
	}
#define MAY_NAME(name, type, names)                                         \
	{                                                                       \
		name, type, false, 0, 0, NULL, NULL, SDC_KEY_ONE, SDC_NAMES_##names \
	}
#define MAY_BE(name, words)                          \
	{                                                \
		name, SDC_KEY_WORD, false, 0, 0, words, NULL \
	}
#define NEEDS_ONE_OF(name, words)                   \
	{                                               \
		name, SDC_KEY_WORD, true, 0, 0, words, NULL \
	}
#define MAY_NUMBER(name, low, high)                        \
	{                                                      \
		name, SDC_KEY_NUMBER, false, low, high, NULL, NULL \
	}
#define NEEDS_HIERARCHY                                                       \
	{                                                                         \
		.name = "hierarchy", SDC_KEY_TEXT, true, .need = sdcpg_hierarchy_need \
	}
#define HIERARCHIES                                                     \
	{                                                                   \
		.name = "hierarchies", SDC_KEY_OBJECT, .names = SDC_NAMES_KEYS, \
		.need = sdcpg_hierarchy_need                                    \
	}
#define STRATA MAY_NAME("strata", SDC_KEY_NAMES, COLUMNS)
#define GROUP  NEEDS("k", SDC_KEY_INTEGER, 1, PG_INT32_MAX)

/* Variants for one column and for several, and one that is not searched. */
#define VARIANTS(one, several, slow) {one, several}, slow
#define NO_VARIANTS                  VARIANTS(NULL, NULL, NULL)

/* What a value can become: column by column, for the rule as a whole. */
#define CANDIDATES(describe, find)                                         \
	{                                                                      \
		false, sdcpg_candidates_##describe, sdcpg_candidates_##find, NULL, \
			NULL, InvalidOid                                               \
	}
#define JOINT_CANDIDATES(describe, find)                                  \
	{                                                                     \
		true, sdcpg_candidates_##describe, sdcpg_candidates_##find, NULL, \
			NULL, InvalidOid                                              \
	}
#define NO_CANDIDATES(reason)                       \
	{                                               \
		false, NULL, NULL, reason, NULL, InvalidOid \
	}

/* One value, of a type of its own or that of the column. */
#define IMAGE(describe, type)                                             \
	{                                                                     \
		false, sdcpg_candidates_##describe, sdcpg_candidates_image, NULL, \
			sdcpg_image_##describe, type                                  \
	}

#define STRENGTH(key, form, whole, low, high) \
	{                                         \
		key, form, whole, low, high, NULL     \
	}
#define STRENGTH_OF_TWO(key, beside, low, high)       \
	{                                                 \
		key, SDC_MASK_PLAIN, false, low, high, beside \
	}
#define UNKNOWN_CANDIDATES(reason)                                          \
	{                                                                       \
		true, sdcpg_candidates_nothing, sdcpg_candidates_everybody, reason, \
			NULL, InvalidOid                                                \
	}

#define NO_STRENGTH STRENGTH(NULL, SDC_MASK_PLAIN, false, 0, 0)

#ifdef SDC_FAKE
#include "fake_mask.c" /* of test/registry */
#endif

/* The calls of the methods of the table, see SdcMask. */
static const char suppress[] =
	"SELECT pg_catalog.count(*) FROM pg_catalog.jsonb_to_record($4) AS j "
	"(k pg_catalog.int4, l pg_catalog.float8), LATERAL "
	"sdc.suppress(relation => $1, target => $6, id => $2, keys => $3, "
	"sensitive => $7, k => j.k, l => j.l, "
	"params => $4 OPERATOR(pg_catalog.-) "
	"CAST('{method,k,l,sensitive}' AS pg_catalog.text[]), seed => $5)";
static const char anonymize[] =
	"SELECT pg_catalog.count(*) FROM pg_catalog.jsonb_to_record($4) AS j "
	"(k pg_catalog.int4, l pg_catalog.float8, t pg_catalog.float8, "
	"c pg_catalog.float8, variant pg_catalog.text), "
	"LATERAL sdc.anonymize(relation => $1, target => $6, keys => $3, "
	"sensitive => $7, k => j.k, c => j.c, l => j.l, t => j.t, "
	"variant => COALESCE(j.variant, 'distinct'), "
	"params => $4 OPERATOR(pg_catalog.-) CAST("
	"'{method,variant,k,l,t,c,sensitive}' AS pg_catalog.text[]))";
static const char recode_locally[] =
	"SELECT pg_catalog.count(*) FROM pg_catalog.jsonb_to_record($4) AS j "
	"(k pg_catalog.int4, l pg_catalog.float8), "
	"LATERAL sdc.recode_locally(relation => $1, target => $6, id => $2, "
	"keys => $3, sensitive => $7, k => j.k, l => j.l, "
	"params => $4 OPERATOR(pg_catalog.-) "
	"CAST('{method,k,l,sensitive}' AS pg_catalog.text[]))";

static const char synthesize[] =
	"SELECT pg_catalog.count(*) FROM sdc.synthesize(relation => $1, "
	"target => $6, columns => $3, params => ($4 OPERATOR(pg_catalog.-) "
	"CAST('method' AS pg_catalog.text)) OPERATOR(pg_catalog.||) "
	"pg_catalog.jsonb_build_object('like', CAST($8 AS pg_catalog.text)), "
	"seed => $5)";

static const SdcMask masks[] = {
	MASK("rank_swap",
		 "Values trade places with others of nearly the same rank.",
		 "{\"income\": {\"method\": \"rank_swap\", \"p\": 10}}", COLUMN,
		 SDC_MASK_IN_PLACE | SDC_MASK_GATHERED,
		 KEYS(NEEDS("p", SDC_KEY_NUMBER, 0, 100), STRATA),
		 VARIANTS(sdc_rank_swap_words, NULL, NULL),
		 WRITES(sdcpg_write_rank_swap), CANDIDATES(moved, swap),
		 SDC_LIKELIHOOD_RANKS, STRENGTH("p", SDC_MASK_PLAIN, false, 0.1, 100),
		 SDC_MASK_MOVES, SDC_MASK_LEAVES_VALUES,
		 "Ranks are those of all rows."),
	MASK("microaggregate",
		 "Groups of k similar records, or values, get their mean.",
		 "{\"age,income\": {\"method\": \"microaggregate\", \"k\": 5}}",
		 COLUMNS, SDC_MASK_IN_PLACE | SDC_MASK_FINITE | SDC_MASK_GATHERED,
		 KEYS(GROUP, MAY("standardize", SDC_KEY_BOOLEAN, "true"), STRATA),
		 VARIANTS(sdc_microaggregate_words, sdc_group_words, "best"),
		 WRITES(sdcpg_write_microaggregate),
		 JOINT_CANDIDATES(numbers, centroid), SDC_LIKELIHOOD_CENTROID,
		 STRENGTH("k", SDC_MASK_PLAIN, true, 2, 1e6), SDC_MASK_MOVES,
		 SDC_MASK_LEAVES_MEAN, "A group may need any of the rows."),
	MASK("add_noise",
		 "Noise is added whose variance is alpha times that of the column.",
		 "{\"income\": {\"method\": \"add_noise\", \"alpha\": 0.1}}", COLUMNS,
		 SDC_MASK_IN_PLACE | SDC_MASK_OWN_DRAW | SDC_MASK_FINITE |
			 SDC_MASK_GATHERED,
		 KEYS(NEEDS("alpha", SDC_KEY_NUMBER, 0, 1e6), STRATA),
		 VARIANTS(sdc_noise_law_words, sdc_noise_law_words, NULL),
		 WRITES(sdcpg_write_add_noise), CANDIDATES(numbers, noise),
		 SDC_LIKELIHOOD_NOISE,
		 STRENGTH("alpha", SDC_MASK_PLAIN, false, 1e-3, 1e3), SDC_MASK_MOVES,
		 SDC_MASK_LEAVES_VARIANCE,
		 "Noise is in proportion to the variance of all rows."),
	MASK("outlier_noise",
		 "Noise is added to outliers only, in proportion to how far beyond a "
		 "robust limit they are.",
		 "{\"income\": {\"method\": \"outlier_noise\", \"alpha\": 0.3}}",
		 COLUMN, SDC_MASK_IN_PLACE | SDC_MASK_OWN_DRAW | SDC_MASK_FINITE,
		 KEYS(NEEDS("alpha", SDC_KEY_NUMBER, 0, 1e6),
			  {"threshold", SDC_KEY_NUMBER, false, 1, 1e6, NULL, "3"}, STRATA),
		 NO_VARIANTS, WRITES(sdcpg_write_outlier_noise),
		 CANDIDATES(numbers, outliers), SDC_LIKELIHOOD_OUTLIER,
		 STRENGTH("alpha", SDC_MASK_PLAIN, false, 1e-3, 1e3), SDC_MASK_MOVES,
		 SDC_MASK_LEAVES_NOTHING, "The limit is that of all rows."),
	MASK("romm",
		 "Records are turned by a random orthogonal matrix, so that means, "
		 "variances and covariances stay exactly.",
		 "{\"age,income\": {\"method\": \"romm\", \"alpha\": 0.5}}", COLUMNS,
		 SDC_MASK_IN_PLACE | SDC_MASK_OWN_DRAW | SDC_MASK_FINITE,
		 KEYS(NEEDS("alpha", SDC_KEY_NUMBER, 0, 1e6), STRATA), NO_VARIANTS,
		 WRITES(sdcpg_write_romm), CANDIDATES(numbers, everybody),
		 SDC_LIKELIHOOD_NOISE,
		 STRENGTH("alpha", SDC_MASK_PLAIN, false, 1e-3, 1e3), SDC_MASK_MOVES,
		 SDC_MASK_LEAVES_MOMENTS, "The matrix is one for all rows."),
	MASK("donut",
		 "Places are moved by at least the inner and at most the outer "
		 "radius, anywhere on that ring alike.",
		 "{\"home\": {\"method\": \"donut\", \"inner\": 100, "
		 "\"outer\": 500, \"variant\": \"earth\"}}",
		 COLUMN, SDC_MASK_IN_PLACE | SDC_MASK_OWN_DRAW | SDC_MASK_UNITS,
		 KEYS(NEEDS("inner", SDC_KEY_NUMBER, 0, 1e150),
			  NEEDS("outer", SDC_KEY_ABOVE, 0, 1e150)),
		 VARIANTS(sdc_donut_words, NULL, NULL), WRITES(sdcpg_write_donut),
		 CANDIDATES(located, ring), SDC_LIKELIHOOD_RING,
		 STRENGTH_OF_TWO("outer", "inner", 1e-6, 1e7), SDC_MASK_MOVES,
		 SDC_MASK_LEAVES_NOTHING, "Draws are made in the order of all rows.",
		 0, sdcpg_donut_check),
	MASK("shuffle", "Values are permuted at random.",
		 "{\"income\": {\"method\": \"shuffle\", \"strata\": \"region\"}}",
		 COLUMN, SDC_MASK_IN_PLACE | SDC_MASK_GATHERED, KEYS(STRATA),
		 NO_VARIANTS, WRITES(sdcpg_write_shuffle), CANDIDATES(moved, shuffle),
		 SDC_LIKELIHOOD_RANGE, NO_STRENGTH, SDC_MASK_MOVES,
		 SDC_MASK_LEAVES_VALUES, "Values move between all rows."),
	MASK("data_shuffle",
		 "Values are put in the order of draws that depend on other columns "
		 "of the record.",
		 "{\"income\": {\"method\": \"data_shuffle\", "
		 "\"given\": [\"age\"]}}",
		 COLUMNS, SDC_MASK_IN_PLACE | SDC_MASK_FINITE,
		 KEYS(MAY_NAME("given", SDC_KEY_NAMES, COLUMNS), STRATA), NO_VARIANTS,
		 WRITES(sdcpg_write_data_shuffle), CANDIDATES(numbers, everybody),
		 SDC_LIKELIHOOD_DRAWN, NO_STRENGTH, SDC_MASK_MOVES,
		 SDC_MASK_LEAVES_VALUES, "Ranks are those of all rows."),
	MASK("record_swap",
		 "Households that stand out, and p percent at the least, trade places "
		 "with similar ones elsewhere.",
		 "{\"region,zip\": {\"method\": \"record_swap\", \"p\": 5, "
		 "\"risk\": [\"age\", \"sex\"]}}",
		 PLACE, SDC_MASK_IN_PLACE,
		 KEYS(NEEDS("p", SDC_KEY_NUMBER, 0, 100),
			  MAY_NAME("household", SDC_KEY_TEXT, COLUMNS),
			  MAY_NAME("risk", SDC_KEY_NAMES, COLUMNS),
			  MAY_NAME("match", SDC_KEY_NAMES, COLUMNS),
			  {"k", SDC_KEY_INTEGER, false, 0, PG_INT32_MAX, NULL, "3"},
			  STRATA),
		 NO_VARIANTS, WRITES(sdcpg_write_record_swap),
		 JOINT_CANDIDATES(places, everybody), SDC_LIKELIHOOD_PLACES,
		 STRENGTH("p", SDC_MASK_PLAIN, false, 0.1, 100), SDC_MASK_MOVES,
		 SDC_MASK_LEAVES_VALUES, "Partners may be any of the rows."),
	MASK("pram",
		 "p percent of the values stay, the others are drawn from those of "
		 "the column.",
		 "{\"job\": {\"method\": \"pram\", \"p\": 80}}", COLUMN,
		 SDC_MASK_IN_PLACE | SDC_MASK_OWN_DRAW | SDC_MASK_GATHERED,
		 KEYS(NEEDS("p", SDC_KEY_NUMBER, 0, 100), STRATA),
		 VARIANTS(sdc_pram_words, NULL, NULL), WRITES(sdcpg_write_pram),
		 CANDIDATES(moved, pram), SDC_LIKELIHOOD_PRAM,
		 STRENGTH("p", SDC_MASK_REMAINDER, false, 0.1, 100), SDC_MASK_MOVES,
		 SDC_MASK_LEAVES_NOTHING,
		 "Values are drawn as often as they occur in all rows."),
	MASK("pram_matrix",
		 "Each category becomes one drawn by the chances of its row in a "
		 "matrix.",
		 "{\"sex\": {\"method\": \"pram_matrix\", \"matrix\": {\"f\": "
		 "{\"f\": 0.9, \"m\": 0.1}, \"m\": {\"f\": 0.2, \"m\": 0.8}}}}",
		 COLUMN, SDC_MASK_IN_PLACE | SDC_MASK_OWN_DRAW,
		 KEYS(NEEDS("matrix", SDC_KEY_OBJECT, 0, 0), STRATA),
		 VARIANTS(sdc_pram_matrix_words, NULL, NULL),
		 WRITES(sdcpg_write_pram_matrix), CANDIDATES(turned, turn),
		 SDC_LIKELIHOOD_MATRIX, NO_STRENGTH, SDC_MASK_MOVES,
		 SDC_MASK_LEAVES_NOTHING, "Draws are made in the order of all rows.",
		 0, sdcpg_pram_check),
	MASK("top_code", "Values above a bound become the bound.",
		 "{\"income\": {\"method\": \"top_code\", \"upper\": 90000}}", COLUMN,
		 BY_ROW, KEYS(NEEDS("upper", SDC_KEY_SCALAR, 0, 0)), NO_VARIANTS,
		 WRITES(sdcpg_write_bound), IMAGE(coded, InvalidOid),
		 SDC_LIKELIHOOD_EQUAL, NO_STRENGTH, SDC_MASK_MOVES,
		 SDC_MASK_LEAVES_NOTHING, NULL),
	MASK("bottom_code", "Values below a bound become the bound.",
		 "{\"age\": {\"method\": \"bottom_code\", \"lower\": 18}}", COLUMN,
		 BY_ROW, KEYS(NEEDS("lower", SDC_KEY_SCALAR, 0, 0)), NO_VARIANTS,
		 WRITES(sdcpg_write_bound), IMAGE(coded, InvalidOid),
		 SDC_LIKELIHOOD_EQUAL, NO_STRENGTH, SDC_MASK_MOVES,
		 SDC_MASK_LEAVES_NOTHING, NULL),
	MASK("round_to",
		 "Numbers are rounded to a multiple of base, the nearest or at "
		 "random one of the two.",
		 "{\"income\": {\"method\": \"round_to\", \"base\": 1000}}", COLUMN,
		 BY_ROW | SDC_MASK_OWN_DRAW,
		 KEYS(NEEDS("base", SDC_KEY_DECIMAL, 0, 0),
			  MAY("random", SDC_KEY_BOOLEAN, "false")),
		 NO_VARIANTS, WRITES(sdcpg_write_round_to), IMAGE(rounded, NUMERICOID),
		 SDC_LIKELIHOOD_ROUND,
		 STRENGTH("base", SDC_MASK_PLAIN, false, 1e-6, 1e12), SDC_MASK_MOVES,
		 SDC_MASK_LEAVES_NOTHING, NULL),
	MASK("generalize", "Values become groups of a level of a hierarchy.",
		 "{\"zip\": {\"method\": \"generalize\", \"hierarchy\": \"zip\", "
		 "\"level\": 2}}",
		 COLUMN, BY_ROW,
		 KEYS(NEEDS_HIERARCHY, NEEDS("level", SDC_KEY_INTEGER, 0, 63)),
		 NO_VARIANTS, WRITES(sdcpg_write_generalize),
		 IMAGE(generalized, TEXTOID), SDC_LIKELIHOOD_EQUAL,
		 STRENGTH("level", SDC_MASK_PLUS_ONE, true, 1, 64), SDC_MASK_LOSES,
		 SDC_MASK_LEAVES_NOTHING, NULL),
	MASK("mask_text", "Some characters are kept, the others replaced.",
		 "{\"phone\": {\"method\": \"mask_text\", \"keep\": 4}}", COLUMN,
		 BY_ROW,
		 KEYS(NEEDS("keep", SDC_KEY_INTEGER, PG_INT32_MIN, PG_INT32_MAX),
			  MAY("fill", SDC_KEY_TEXT, "*")),
		 NO_VARIANTS, WRITES(sdcpg_write_mask_text), IMAGE(text, TEXTOID),
		 SDC_LIKELIHOOD_EQUAL, NO_STRENGTH, SDC_MASK_LOSES,
		 SDC_MASK_LEAVES_NOTHING, NULL),
	MASK("mask_inet", "Some bits of an address are kept, the others are 0.",
		 "{\"ip\": {\"method\": \"mask_inet\", \"keep\": 16}}", COLUMN, BY_ROW,
		 KEYS(NEEDS("keep", SDC_KEY_INTEGER, 0, 128)), NO_VARIANTS,
		 WRITES(sdcpg_write_mask_inet), IMAGE(inet, INETOID),
		 SDC_LIKELIHOOD_EQUAL, NO_STRENGTH, SDC_MASK_LOSES,
		 SDC_MASK_LEAVES_NOTHING, NULL),
	MASK("suppress",
		 "Values become NULL until every record has k like it in these "
		 "columns.",
		 "{\"age,sex,zip\": {\"method\": \"suppress\", \"k\": 3}}", TABLE,
		 SDC_MASK_IN_PLACE | SDC_MASK_ON_TOP | SDC_MASK_NEEDS_ID,
		 KEYS(GROUP, MAY_NUMBER("l", 1, 1e4),
			  MAY_NAME("sensitive", SDC_KEY_NAMES, COLUMNS),
			  MAY_NAME("importance", SDC_KEY_OBJECT, KEYS),
			  MAY("models", SDC_KEY_OBJECTS, NULL)),
		 NO_VARIANTS, CALLS(suppress), CANDIDATES(keep, image_or_null),
		 SDC_LIKELIHOOD_NULL, STRENGTH("k", SDC_MASK_PLAIN, true, 2, 1e6),
		 SDC_MASK_LOSES, SDC_MASK_LEAVES_NOTHING,
		 "Classes are counted in all rows.", SDC_SEARCH_SUPPRESS),
	MASK("anonymize",
		 "Columns are generalized together until every class has k records, "
		 "with the least loss.",
		 "{\"region,born\": {\"method\": \"anonymize\", \"k\": 5, "
		 "\"suppression\": 2}}",
		 TABLE, 0,
		 KEYS(GROUP, MAY_NUMBER("l", 1, 1e9), MAY_NUMBER("t", 0, 1),
			  MAY_NUMBER("c", 0, 1e9),
			  MAY_NAME("sensitive", SDC_KEY_NAMES, COLUMNS), HIERARCHIES,
			  MAY_NUMBER("suppression", 0, 100),
			  MAY_BE("outliers", sdcpg_outlier_words),
			  MAY_BE("metric", sdcpg_generalization_metrics),
			  MAY_NAME("weights", SDC_KEY_OBJECT, KEYS),
			  MAY_NAME("levels", SDC_KEY_OBJECT, KEYS),
			  MAY("models", SDC_KEY_OBJECTS, NULL),
			  MAY("population", SDC_KEY_TEXT, NULL)),
		 VARIANTS(sdcpg_diversity_words, sdcpg_diversity_words, NULL),
		 CALLS(anonymize), CANDIDATES(levels, level), SDC_LIKELIHOOD_LEVELS,
		 STRENGTH("k", SDC_MASK_PLAIN, true, 2, 1e6), SDC_MASK_LOSES,
		 SDC_MASK_LEAVES_NOTHING, "Classes are counted in all rows.",
		 SDC_SEARCH_LATTICE),
	MASK("recode_locally",
		 "Each class is generalized in its own way until it has k records.",
		 "{\"zip,age\": {\"method\": \"recode_locally\", \"k\": 5}}", TABLE, 0,
		 KEYS(GROUP, MAY_NUMBER("l", 1, 1e9), MAY_NUMBER("t", 0, 1),
			  MAY_NAME("sensitive", SDC_KEY_NAMES, COLUMNS), HIERARCHIES,
			  MAY_NAME("weights", SDC_KEY_OBJECT, KEYS),
			  MAY("models", SDC_KEY_OBJECTS, NULL)),
		 NO_VARIANTS, CALLS(recode_locally), CANDIDATES(levels, level),
		 SDC_LIKELIHOOD_LEVELS, STRENGTH("k", SDC_MASK_PLAIN, true, 2, 1e6),
		 SDC_MASK_LOSES, SDC_MASK_LEAVES_NOTHING,
		 "Classes are made of all rows.", SDC_SEARCH_LOCAL),
	MASK("synthesize",
		 "The records are replaced by new ones, drawn from trees of the "
		 "columns; other columns are withheld.",
		 "{\"age,sex,income\": {\"method\": \"synthesize\", "
		 "\"minbucket\": 5}}",
		 TABLE, SDC_MASK_REPLACES,
		 KEYS({"minbucket", SDC_KEY_INTEGER, false, 1, 1e6, NULL, "5"},
			  {"rare", SDC_KEY_INTEGER, false, 0, 1e6, NULL, "5"},
			  MAY_NUMBER("cp", 0, 1), MAY("smooth", SDC_KEY_SCALAR, NULL),
			  {"rows", SDC_KEY_INTEGER, false, 1, 2147483646, NULL, NULL},
			  MAY_NAME("visit", SDC_KEY_NAMES, KEYS),
			  MAY_NAME("ascending", SDC_KEY_NAMES, KEYS),
			  MAY_NAME("fakes", SDC_KEY_OBJECT, KEYS),
			  MAY_BE("locale", sdc_fake_locales),
			  MAY_NAME("sex", SDC_KEY_TEXT, KEYS)),
		 NO_VARIANTS, CALLS(synthesize),
		 UNKNOWN_CANDIDATES("A synthetic record is nobody's."),
		 SDC_LIKELIHOOD_NONE,
		 STRENGTH("minbucket", SDC_MASK_PLAIN, true, 1, 1e6), SDC_MASK_LOSES,
		 SDC_MASK_LEAVES_NOTHING, "Trees are grown from all rows."),
	MASK("anatomize",
		 "Values are permuted within groups in which none has more than 1/l "
		 "of the records.",
		 "{\"disease\": {\"method\": \"anatomize\", \"l\": 3}}", COLUMN,
		 SDC_MASK_IN_PLACE, KEYS(NEEDS("l", SDC_KEY_NUMBER, 1, 1e9), STRATA),
		 NO_VARIANTS, WRITES(sdcpg_write_anatomize),
		 CANDIDATES(moved, shuffle), SDC_LIKELIHOOD_PERMUTED,
		 STRENGTH("l", SDC_MASK_PLAIN, false, 1, 1e3), SDC_MASK_MOVES,
		 SDC_MASK_LEAVES_VALUES,
		 "Groups are made of all rows, in the order of their ids."),
	MASK("pseudonym",
		 "The same value gets the same pseudonym, from a key of a domain.",
		 "{\"patient\": {\"method\": \"pseudonym\", \"domain\": \"study\"}}",
		 COLUMN, BY_ROW | SDC_MASK_CONSISTENT | SDC_MASK_KEYED,
		 KEYS(NEEDS("domain", SDC_KEY_TEXT, 0, 0),
			  MAY("period", SDC_KEY_TEXT, NULL),
			  MAY_BE("format", sdcpg_pseudonym_words)),
		 NO_VARIANTS, WRITES(sdcpg_write_pseudonym),
		 CANDIDATES(pseudonymous, pseudonyms), SDC_LIKELIHOOD_SET, NO_STRENGTH,
		 SDC_MASK_LOSES, SDC_MASK_LEAVES_NOTHING, NULL),
	MASK("fake",
		 "The same person gets the same value that looks real, from a key of "
		 "a domain.",
		 "{\"name\": {\"method\": \"fake\", \"kind\": \"name\", "
		 "\"domain\": \"person\", \"by\": \"id\"}}",
		 COLUMN, HERE_BY_ROW | SDC_MASK_KEYED,
		 KEYS(NEEDS_ONE_OF("kind", sdc_fake_words),
			  NEEDS("domain", SDC_KEY_TEXT, 0, 0),
			  MAY("period", SDC_KEY_TEXT, NULL),
			  MAY_BE("locale", sdc_fake_locales),
			  MAY_NAME("by", SDC_KEY_TEXT, COLUMNS),
			  MAY("sex", SDC_KEY_TEXT, NULL)),
		 NO_VARIANTS, WRITES(sdcpg_write_fake), CANDIDATES(faked, fakes),
		 SDC_LIKELIHOOD_SET, NO_STRENGTH, SDC_MASK_LOSES,
		 SDC_MASK_LEAVES_NOTHING,
		 "Its key and its lists are kept on one server."),
	MASK("scrub",
		 "In free text what looks like an identifier, or is one of the row, "
		 "gets the fake of its kind.",
		 "{\"body\": {\"method\": \"scrub\", \"domain\": \"person\"}}", COLUMN,
		 HERE_BY_ROW | SDC_MASK_LAST,
		 KEYS(NEEDS("domain", SDC_KEY_TEXT, 0, 0),
			  MAY("period", SDC_KEY_TEXT, NULL),
			  MAY_BE("locale", sdc_fake_locales),
			  MAY_NAME("known", SDC_KEY_NAMES, COLUMNS)),
		 NO_VARIANTS, WRITES(sdcpg_write_scrub),
		 UNKNOWN_CANDIDATES("What is found in a value is not known."),
		 SDC_LIKELIHOOD_NONE, NO_STRENGTH, SDC_MASK_LOSES,
		 SDC_MASK_LEAVES_NOTHING,
		 "Its key and its lists are kept on one server."),
	MASK("inside",
		 "Values at paths within JSON, XML, hstore, arrays and rows have "
		 "rules of their own; what has none becomes NULL.",
		 "{\"prefs\": {\"method\": \"inside\", \"paths\": {\"$.mail\": "
		 "{\"method\": \"fake\", \"kind\": \"email\", \"domain\": "
		 "\"person\"}, \"$.theme\": {\"method\": \"keep\"}}}}",
		 COLUMN, HERE_BY_ROW | SDC_MASK_LAST,
		 KEYS(NEEDS("paths", SDC_KEY_OBJECT, 0, 0),
			  MAY_NAME("known", SDC_KEY_NAMES, COLUMNS)),
		 NO_VARIANTS, WRITES(sdcpg_write_inside),
		 UNKNOWN_CANDIDATES("What is found in a value is not known."),
		 SDC_LIKELIHOOD_NONE, NO_STRENGTH, SDC_MASK_LOSES,
		 SDC_MASK_LEAVES_NOTHING,
		 "Its keys and its lists are kept on one server.", 0,
		 sdcpg_inside_check),
	MASK("shift",
		 "The dates of a person are moved by the same number of days, from a "
		 "key of a domain.",
		 "{\"visited\": {\"method\": \"shift\", \"domain\": \"person\", "
		 "\"by\": \"id\", \"days\": 183}}",
		 COLUMN, HERE_BY_ROW,
		 KEYS(NEEDS("domain", SDC_KEY_TEXT, 0, 0),
			  MAY("period", SDC_KEY_TEXT, NULL),
			  MAY_NAME("by", SDC_KEY_TEXT, COLUMNS),
			  {"days", SDC_KEY_INTEGER, false, 1, SDC_FAKE_MOST_DAYS, NULL,
			   "183"}),
		 NO_VARIANTS, WRITES(sdcpg_write_shift), CANDIDATES(shifted, shift),
		 SDC_LIKELIHOOD_SHIFT,
		 STRENGTH("days", SDC_MASK_PLAIN, true, 1, SDC_FAKE_MOST_DAYS),
		 SDC_MASK_MOVES, SDC_MASK_LEAVES_NOTHING,
		 "Its key is kept on one server."),
	MASK("constant", "Every value becomes the same one.",
		 "{\"name\": {\"method\": \"constant\", \"value\": \"-\"}}", COLUMN,
		 BY_ROW | SDC_MASK_UNREAD, KEYS(NEEDS("value", SDC_KEY_SCALAR, 0, 0)),
		 NO_VARIANTS, WRITES(sdcpg_write_constant),
		 CANDIDATES(nothing, everybody), SDC_LIKELIHOOD_NONE, NO_STRENGTH,
		 SDC_MASK_LOSES, SDC_MASK_LEAVES_NOTHING, NULL),
	MASK("null", "Every value becomes NULL.",
		 "{\"name\": {\"method\": \"null\"}}", COLUMN,
		 BY_ROW | SDC_MASK_UNREAD, NO_KEYS, NO_VARIANTS,
		 WRITES(sdcpg_write_null), CANDIDATES(nothing, everybody),
		 SDC_LIKELIHOOD_NONE, NO_STRENGTH, SDC_MASK_LOSES,
		 SDC_MASK_LEAVES_NOTHING, NULL),
	MASK("sample_rows",
		 "Only p percent of the rows stay, drawn at random, or all rows of p "
		 "percent of the persons.",
		 "{\"*\": {\"method\": \"sample_rows\", \"p\": 10}}", ROWS, 0,
		 KEYS(NEEDS("p", SDC_KEY_ABOVE, 0, 100), STRATA,
			  MAY_NAME("by", SDC_KEY_TEXT, COLUMNS),
			  MAY("domain", SDC_KEY_TEXT, NULL),
			  MAY("period", SDC_KEY_TEXT, NULL)),
		 NO_VARIANTS, NO_SQL,
		 NO_CANDIDATES(
			 "It is about rows: whoever is looked for may be absent."),
		 SDC_LIKELIHOOD_ROWS, STRENGTH("p", SDC_MASK_INVERSE, false, 1, 1e3),
		 SDC_MASK_LOSES, SDC_MASK_LEAVES_NOTHING,
		 "The share is exact, of all rows.", 0, sdcpg_sample_check),
	MASK("keep", "Values stay as they are, and the rules say so.",
		 "{\"sex\": {\"method\": \"keep\"}}", COLUMNS, BY_ROW | SDC_MASK_IDLE,
		 NO_KEYS, NO_VARIANTS, NO_SQL, CANDIDATES(keep, image),
		 SDC_LIKELIHOOD_EQUAL, NO_STRENGTH, SDC_MASK_LOSES_NOTHING,
		 SDC_MASK_LEAVES_ALL, NULL),
#ifdef SDC_FAKE
	FAKE_MASK,
#endif
};

const SdcMask *
sdcpg_mask_next(const SdcMask *mask)
{
	mask = mask == NULL ? masks : mask + 1;
	return mask < masks + lengthof(masks) ? mask : NULL;
}

const SdcMask *
sdcpg_mask_find(const char *name, int length)
{
	const SdcMask *mask;

	for (mask = sdcpg_mask_next(NULL); mask != NULL;
		 mask = sdcpg_mask_next(mask))
		if (strlen(mask->name) == length &&
			memcmp(mask->name, name, length) == 0)
			return mask;
	return NULL;
}

char *
sdcpg_mask_names(void)
{
	const SdcMask *mask;
	StringInfoData names;

	initStringInfo(&names);
	for (mask = sdcpg_mask_next(NULL); mask != NULL;
		 mask = sdcpg_mask_next(mask))
		appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "",
						 mask->name);
	return names.data;
}
