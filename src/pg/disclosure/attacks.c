/*
 * attacks.c
 *		The attacks that a report runs against a masked file.
 *
 * One table: a new attack is a function and a line in it.
 */
#include "postgres.h"

#include "pg/disclosure/attacks.h"
#include "pg/disclosure/exact_linkage.h"
#include "pg/disclosure/learned_distance.h"
#include "pg/disclosure/linkage.h"
#include "pg/disclosure/probabilistic_linkage.h"
#include "pg/disclosure/transparency.h"

/* Pairs of records that are compared one by one at the most. */
#define MAX_PAIRS INT64CONST(25000000)

/* The same for learning, and how long it may take in a report. */
#define MAX_LEARNED_PAIRS INT64CONST(4000000)
#define LEARNED_SECONDS   10

/* Numeric keys that are learned from at the most. */
#define MAX_LEARNED_KEYS 24

static const char *const no_numbers =
	"No key is a number in both relations, so nearest records cannot be "
	"looked for.";
static const char *const no_keys =
	"No key is named, so nobody can be looked for.";

/* Links every record of one file to the nearest of the other. */
static const char *
link_nearest(const SdcAttackTarget *target, SdcPgHost *host,
			 SdcLinkageMethod method, bool to_original, SdcLinkSuccess *found)
{
	SdcLinkageCall call = {0};
	SdcLinkage linkage;

	if (target->numeric_keys == NULL)
		return no_numbers;
	call.original = target->original->oid;
	call.masked = target->masked->oid;
	call.id = target->id;
	call.keys = target->numeric_keys;
	call.to_original = to_original;
	call.method = method;
	sdcpg_linkage_run(&linkage, host, &call);
	*found = sdcpg_link_success_count(&linkage);
	sdcpg_linkage_end(&linkage);
	return NULL;
}

static const char *
distance_to_masked(const SdcAttackTarget *target, SdcPgHost *host,
				   SdcLinkSuccess *found)
{
	return link_nearest(target, host, SDC_LINKAGE_EUCLIDEAN, false, found);
}

static const char *
distance_to_original(const SdcAttackTarget *target, SdcPgHost *host,
					 SdcLinkSuccess *found)
{
	return link_nearest(target, host, SDC_LINKAGE_EUCLIDEAN, true, found);
}

static const char *
mahalanobis_to_masked(const SdcAttackTarget *target, SdcPgHost *host,
					  SdcLinkSuccess *found)
{
	return link_nearest(target, host, SDC_LINKAGE_MAHALANOBIS, false, found);
}

static const char *
mahalanobis_to_original(const SdcAttackTarget *target, SdcPgHost *host,
						SdcLinkSuccess *found)
{
	return link_nearest(target, host, SDC_LINKAGE_MAHALANOBIS, true, found);
}

/* Links every original record to those that are equal in all keys. */
static const char *
exact(const SdcAttackTarget *target, SdcPgHost *host, SdcLinkSuccess *found)
{
	SdcExactCall call = {0};
	SdcExactLinkage linkage;

	if (target->keys == NULL)
		return no_keys;
	call.original = target->original->oid;
	call.masked = target->masked->oid;
	call.id = target->id;
	call.keys = target->keys;
	sdcpg_exact_linkage_run(&linkage, host, &call);
	*found = sdcpg_exact_linkage_success(&linkage);
	return NULL;
}

/* Links every original record by the agreements that EM finds to count. */
static const char *
probabilistic(const SdcAttackTarget *target, SdcPgHost *host,
			  SdcLinkSuccess *found)
{
	SdcProbabilisticLinkage linkage;
	const char *fault;

	if (target->keys == NULL)
		return no_keys;
	if (target->pairs > MAX_PAIRS)
		return "There are more than 25 million pairs of records; run "
			   "attack_probabilistic with blocks.";
	sdcpg_comparison_describe(&linkage.files, target->original->oid,
							  target->masked->oid, target->id, target->keys,
							  NULL, false);
	fault = sdcpg_probabilistic_linkage_run(&linkage, host, NULL);
	if (fault == NULL)
		*found = sdcpg_probabilistic_linkage_success(&linkage);
	return fault;
}

/* Links by the weights of the keys that re-identify the most. */
static const char *
learned(const SdcAttackTarget *target, SdcPgHost *host, SdcLinkSuccess *found)
{
	if (target->numeric_keys == NULL)
		return no_numbers;
	if (target->pairs > MAX_LEARNED_PAIRS)
		return "There are more than 4 million pairs of records; run "
			   "attack_learned on a sample.";
	if (ArrayGetNItems(ARR_NDIM(target->numeric_keys),
					   ARR_DIMS(target->numeric_keys)) > MAX_LEARNED_KEYS)
		return "There are more than 24 numeric keys; run attack_learned on "
			   "some of them.";
	*found = sdcpg_learned_success(
		host, target->original->oid, target->masked->oid, target->id,
		target->numeric_keys, false, LEARNED_SECONDS);
	return NULL;
}

/* Links every original record inside what the rules let it become. */
static const char *
transparency(const SdcAttackTarget *target, SdcPgHost *host,
			 SdcLinkSuccess *found)
{
	SdcTransparency known;

	if (target->keys == NULL)
		return no_keys;
	sdcpg_transparency_load(&known, host, target->original->oid,
							target->masked->oid, target->id, target->keys,
							target->rules, NULL);
	sdcpg_transparency_prepare(&known);
	*found = sdcpg_transparency_success(&known);
	return NULL;
}

const SdcAttack sdcpg_attacks[] = {
	{"distance", "distance to_masked",
	 "each original record is linked to the nearest masked ones by the "
	 "numeric keys",
	 distance_to_masked},
	{"distance", "distance to_original",
	 "each masked record is linked to the nearest original ones by the "
	 "numeric keys",
	 distance_to_original},
	{"mahalanobis", "mahalanobis to_masked",
	 "each original record is linked to the nearest masked ones by the "
	 "numeric keys, weighed by how masking changed them",
	 mahalanobis_to_masked},
	{"mahalanobis", "mahalanobis to_original",
	 "each masked record is linked to the nearest original ones by the "
	 "numeric keys, weighed by how masking changed them",
	 mahalanobis_to_original},
	{"learned", "learned",
	 "each original record is linked to the nearest masked ones, with the "
	 "weights of the numeric keys that re-identify the most",
	 learned},
	{"exact", "exact",
	 "each original record is linked to the masked ones that are equal in all "
	 "keys",
	 exact},
	{"probabilistic", "probabilistic",
	 "each original record is linked to the masked ones whose agreements in "
	 "the keys speak most for a match",
	 probabilistic},
	{"transparency", "transparency",
	 "each original record is linked to the nearest masked one that it can "
	 "have become by the rules",
	 transparency, true},
	{NULL, NULL, NULL, NULL}};
