/*
 * evidence.c
 *		What is known of a masked table: attacks run, reports made.
 *
 * The intruder is given the most there can be: the whole original as his
 * file, and the rules by which it was masked.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/call/catalog.h"
#include "pg/data/number.h"
#include "pg/release/evidence.h"
#include "pg/release/policy_params.h"
#include "pg/server/compat.h"

/* Which keys an attack can use. */
typedef enum Keys
{
	ALL_KEYS,     /* that are in both relations */
	SAME_KEYS,    /* of the same type in both */
	NUMERIC_KEYS, /* that are numbers in both */
} Keys;

/*
 * The attacks, in the order of sdcpg_gate_attacks.  Parameters: $1 original,
 * $2 masked, $3 id, $4 keys, $5 method, $6 params, $7 seed, $8 rules.
 */
static const struct
{
	const char *function;
	const char *arguments;
	const char *method; /* the usual one; NULL: it has none */
	Keys keys;
} attacks[] = {
	{"attack_distance", "method => $5, params => $6, seed => $7", "euclidean",
	 NUMERIC_KEYS},
	{"attack_learned", "method => $5, params => $6, seed => $7", "wm",
	 NUMERIC_KEYS},
	{"attack_probabilistic", "params => $6, seed => $7", NULL, ALL_KEYS},
	{"attack_transparency", "rules => $8, params => $6, seed => $7", NULL,
	 ALL_KEYS},
	{"attack_exact", "params => $6", NULL, SAME_KEYS}};

/* The statistics of sdc.reid_summary in the order of sdcpg_gate_stats. */
#define STATISTICS "s.reid_k, s.reid_d, s.k_reid, s.claimed, s.claim_precision"

SdcEvidence *
sdcpg_evidence_begin(const SdcGateCase *of)
{
	SdcEvidence *evidence = palloc0(sizeof(SdcEvidence));

	evidence->of = of;
	return evidence;
}

void
sdcpg_evidence_need_function(const char *name)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind_text(&parameters, name);
	rows = sdcpg_catalog_read(
		"SELECT 1 FROM pg_catalog.pg_proc AS p"
		" JOIN pg_catalog.pg_namespace AS n"
		" ON n.oid OPERATOR(pg_catalog.=) p.pronamespace"
		" WHERE n.nspname OPERATOR(pg_catalog.=) 'sdc'::pg_catalog.name"
		" AND p.proname OPERATOR(pg_catalog.=) $1::pg_catalog.name LIMIT 1",
		&parameters);
	if (rows->count == 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("function sdc.%s does not exist", name),
						errdetail("The policy needs it, and what "
								  "cannot be measured cannot be released.")));
}

/* Can an attack use a key, given what keys it can use at all? */
static bool
is_usable(const SdcGateCase *of, const char *name, Keys keys)
{
	SdcRelationColumn original;
	SdcRelationColumn masked;

	if (get_attnum(of->masked->oid, name) == InvalidAttrNumber)
		return false;
	original = sdcpg_relation_column(of->original, name);
	masked = sdcpg_relation_column(of->masked, name);
	switch (keys)
	{
		case SAME_KEYS:
			return original.base == masked.base;
		case NUMERIC_KEYS:
			return sdcpg_number_is(original.base) &&
				   sdcpg_number_is(masked.base);
		default:
			return true;
	}
}

/* The keys of a case that an attack can use, as name[]; NULL for none. */
static ArrayType *
usable_keys(const SdcGateCase *of, Keys keys)
{
	SdcRelationColumns all;
	SdcRelationColumns usable = {0};
	int i;

	if (of->keys == NULL)
		return NULL;
	all = sdcpg_relation_columns(of->original, "keys", of->keys);
	usable.column = palloc(sizeof(SdcRelationColumn) * all.count);
	for (i = 0; i < all.count; i++)
		if (is_usable(of, all.column[i].name, keys))
			usable.column[usable.count++] = all.column[i];
	return sdcpg_policy_names(&usable);
}

static void
bind_array(SdcCatalogParameters *parameters, Oid type, ArrayType *array)
{
	sdcpg_catalog_bind(parameters, type, PointerGetDatum(array),
					   array == NULL);
}

static void
bind_jsonb(SdcCatalogParameters *parameters, Jsonb *value)
{
	sdcpg_catalog_bind(parameters, JSONBOID, PointerGetDatum(value),
					   value == NULL);
}

static void
bind_relation(SdcCatalogParameters *parameters, const SdcRelation *relation)
{
	sdcpg_catalog_bind(parameters, REGCLASSOID,
					   ObjectIdGetDatum(relation->oid), false);
}

static void
bind_id(SdcCatalogParameters *parameters, const char *id)
{
	Datum name =
		id == NULL ? 0 : DirectFunctionCall1(namein, CStringGetDatum(id));

	sdcpg_catalog_bind(parameters, NAMEOID, name, id == NULL);
}

/* Runs attack number i and takes down how it went. */
static void
run_attack(const SdcGateCase *of, int i, SdcEvidenceAttack *attack,
		   ArrayType *keys)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int j;

	bind_relation(&parameters, of->original);
	bind_relation(&parameters, of->masked);
	bind_id(&parameters, of->id);
	bind_array(&parameters, NAMEARRAYOID, keys);
	sdcpg_catalog_bind_text(&parameters, attack->method != NULL
											 ? attack->method
											 : attacks[i].method);
	bind_jsonb(&parameters, attack->params);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(of->seed),
					   !of->seeded);
	bind_jsonb(&parameters, of->rules);
	rows = sdcpg_catalog_read(
		psprintf("SELECT s.records, " STATISTICS
				 " FROM (SELECT (sdc.reid(l)).* FROM sdc.%s("
				 "original => $1, masked => $2, id => $3, keys => $4, %s)"
				 " AS l) AS s",
				 attacks[i].function, attacks[i].arguments),
		&parameters);
	attack->records = DatumGetInt64(rows->value[0][0]);
	for (j = 0; j < SDC_EVIDENCE_STATS; j++)
		attack->stat[j] = rows->isnull[0][j + 1]
							  ? NAN
							  : DatumGetFloat8(rows->value[0][j + 1]);
	if (attack->records == 0)
		attack->excuse = "No record could be attacked.";
}

static bool
same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool
same_params(Jsonb *a, Jsonb *b)
{
	return a == NULL || b == NULL
			   ? a == b
			   : compareJsonbContainers(&a->root, &b->root) == 0;
}

/* The number of an attack. */
static int
find_attack(const char *name)
{
	int i = 0;

	while (strcmp(sdcpg_gate_attacks[i], name) != 0)
		i++;
	return i;
}

const SdcEvidenceAttack *
sdcpg_evidence_attack(SdcEvidence *evidence, const char *name,
					  const char *method, Jsonb *params)
{
	int i = find_attack(name);
	ArrayType *keys = usable_keys(evidence->of, attacks[i].keys);
	SdcEvidenceAttack *attack;
	ListCell *cell;

	if (method != NULL && same_text(method, attacks[i].method))
		method = NULL;
	foreach (cell, evidence->attacks)
	{
		attack = lfirst(cell);
		if (strcmp(attack->name, name) == 0 &&
			same_text(attack->method, method) &&
			same_params(attack->params, params))
			return attack;
	}
	attack = palloc0(sizeof(SdcEvidenceAttack));
	attack->name = sdcpg_gate_attacks[i];
	attack->method = method == NULL ? NULL : pstrdup(method);
	attack->params = params;
	if (evidence->of->id == NULL)
		attack->excuse = "No column is declared as the id, so nobody could "
						 "tell a right link from a wrong one.";
	else if (keys == NULL)
		attack->excuse = "No key can be compared in both tables.";
	else
	{
		sdcpg_evidence_need_function(attacks[i].function);
		run_attack(evidence->of, i, attack, keys);
	}
	evidence->attacks = lappend(evidence->attacks, attack);
	return attack;
}

bool
sdcpg_evidence_applies(const SdcEvidence *evidence, const char *name)
{
	ArrayType *chosen = evidence->of->attacks;
	Datum *element;
	int count;
	int i;

	if (chosen == NULL)
		return true;
	deconstruct_array(chosen, TEXTOID, -1, false, TYPALIGN_INT, &element, NULL,
					  &count);
	for (i = 0; i < count; i++)
		if (strcmp(TextDatumGetCString(element[i]), name) == 0)
			return true;
	return false;
}
