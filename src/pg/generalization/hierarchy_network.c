/*
 * hierarchy_network.c
 *		Hierarchies of network addresses: the leading bits are kept.
 *
 * {"keep": [24, 16]} makes 192.168.3.0/24 and 192.168.0.0/16 of 192.168.3.4;
 * "keep6" says the same for IPv6, level by level.  A network that is wider
 * than what a level keeps stays as it is there.
 */
#include "postgres.h"

#include <sys/socket.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/inet.h"

#include "pg/server/compat.h"
#include "pg/generalization/hierarchy_kind.h"

typedef struct Network
{
	int *keep;  /* bits that level 1, 2, ... keeps; NULL: no rule for IPv4 */
	int *keep6; /* the same for IPv6 */
} Network;

static int *
read_bits(const SdcHierarchyList *list, int most)
{
	int *bits;
	int i;

	if (list->container == NULL)
		return NULL;
	bits = palloc(sizeof(int) * (list->count + 1));
	for (i = 0; i < list->count; i++)
	{
		bits[i] = sdcpg_hierarchy_item_integer(list, i, 0, most);
		if (i > 0 && bits[i] >= bits[i - 1])
			sdcpg_hierarchy_not_nested(list->key, i,
									   "must be less than the one before it");
	}
	return bits;
}

static void
parse_network(SdcHierarchyRule *rule, Jsonb *params)
{
	SdcHierarchyList keep = sdcpg_hierarchy_list(params, "keep", false);
	SdcHierarchyList keep6 = sdcpg_hierarchy_list(params, "keep6", false);
	int levels = Max(keep.count, keep6.count);
	Network *network = palloc(sizeof(Network));

	if (levels == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"params\" must have the key \"keep\" or "
						"the key \"keep6\""),
				 errhint("List the bits that each level keeps: {\"keep\": "
						 "[24, 16, 8], \"keep6\": [64, 48, 32]}.")));
	if (keep.container != NULL && keep6.container != NULL &&
		keep.count != keep6.count)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("keys \"keep\" and \"keep6\" in argument \"params\" "
						"must have as many elements as each other")));
	sdcpg_hierarchy_check_levels(levels + 2);
	network->keep = read_bits(&keep, 32);
	network->keep6 = read_bits(&keep6, 128);
	rule->levels = levels + 2;
	rule->detail = network;
}

static bool
is_address(Oid base)
{
	return base == INETOID || base == CIDROID;
}

static bool
label_network(const SdcHierarchyRule *rule, SdcHierarchyInput *input,
			  Datum value, int level, StringInfo label)
{
	const Network *network = rule->detail;
	inet *address = DatumGetInetPP(value);
	const int *keep =
		ip_family(address) == PGSQL_AF_INET ? network->keep : network->keep6;
	int bits;

	if (keep == NULL)
		return false;
	if (level == 0)
	{
		sdcpg_hierarchy_append_text(input, value, label);
		return true;
	}
	bits = Min(ip_bits(address), keep[level - 1]);
	appendStringInfoString(
		label, DatumGetCString(DirectFunctionCall1(
				   cidr_out,
				   InetPGetDatum(cidr_set_masklen_internal(address, bits)))));
	return true;
}

static const char *const keys[] = {"keep", "keep6", NULL};

const SdcHierarchyKind sdcpg_hierarchy_network = {
	.name = "network",
	.keys = keys,
	.reads = "network addresses",
	.accepts = is_address,
	.parse = parse_network,
	.label = label_network,
};
