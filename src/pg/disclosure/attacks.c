/*
 * attacks.c
 *		The attacks that a report runs against a masked file.
 *
 * One table: a new attack is a function and a line in it.
 */
#include "postgres.h"

#include "pg/disclosure/attacks.h"
#include "pg/disclosure/linkage.h"
#include "pg/disclosure/transparency.h"

/* Links every record of one file to the nearest of the other. */
static const char *
link_nearest(const SdcAttackTarget *target, SdcPgHost *host,
			 SdcLinkageMethod method, bool to_original, SdcLinkSuccess *found)
{
	SdcLinkageCall call = {0};
	SdcLinkage linkage;

	if (target->numeric_keys == NULL)
		return "No key is a number in both relations, so nearest records "
			   "cannot be looked for.";
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

/* Links every original record inside what the rules let it become. */
static const char *
transparency(const SdcAttackTarget *target, SdcPgHost *host,
			 SdcLinkSuccess *found)
{
	SdcTransparency known;

	if (target->keys == NULL)
		return "No key is named, so nobody can be looked for.";
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
	{"transparency", "transparency",
	 "each original record is linked to the nearest masked one that it can "
	 "have become by the rules",
	 transparency, true},
	{NULL, NULL, NULL, NULL}};
