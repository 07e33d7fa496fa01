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
			 const SdcRelation *from, const SdcRelation *to,
			 SdcLinkSuccess *found)
{
	SdcLinkage linkage;

	if (target->numeric_keys == NULL)
		return "No key is a number in both relations, so nearest records "
			   "cannot be looked for.";
	sdcpg_linkage_run(&linkage, host, from->oid, to->oid, target->id,
					  target->numeric_keys);
	*found = sdcpg_link_success_count(&linkage);
	sdcpg_linkage_end(&linkage);
	return NULL;
}

static const char *
distance_to_masked(const SdcAttackTarget *target, SdcPgHost *host,
				   SdcLinkSuccess *found)
{
	return link_nearest(target, host, target->original, target->masked, found);
}

static const char *
distance_to_original(const SdcAttackTarget *target, SdcPgHost *host,
					 SdcLinkSuccess *found)
{
	return link_nearest(target, host, target->masked, target->original, found);
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
	{"transparency", "transparency",
	 "each original record is linked to the nearest masked one that it can "
	 "have become by the rules",
	 transparency, true},
	{NULL, NULL, NULL, NULL}};
