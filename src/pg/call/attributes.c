/*
 * attributes.c
 *		The quasi-identifiers and sensitive columns of a relation.
 *
 * A column that is both would be known to the intruder before the release, so
 * nothing could be learnt of it.
 */
#include "postgres.h"

#include "pg/call/attributes.h"
#include "pg/call/roles.h"

void
sdcpg_attributes_disjoint(const SdcRelationColumns *keys,
						  const SdcRelationColumns *sensitive)
{
	int i;
	int j;

	for (i = 0; i < keys->count; i++)
		for (j = 0; j < sensitive->count; j++)
			if (keys->column[i].number == sensitive->column[j].number)
				ereport(ERROR,
						(errcode(ERRCODE_DUPLICATE_COLUMN),
						 errmsg("column \"%s\" is both in \"keys\" and in "
								"\"sensitive\"",
								keys->column[i].name)));
}

SdcAttributes
sdcpg_attributes_find(const SdcRelation *relation, ArrayType *keys,
					  ArrayType *sensitive)
{
	SdcAttributes found;

	found.keys =
		sdcpg_roles_need_columns(relation, "keys", keys, SDC_ROLE_KEY);
	found.sensitive = sdcpg_roles_need_columns(relation, "sensitive",
											   sensitive, SDC_ROLE_SENSITIVE);
	sdcpg_attributes_disjoint(&found.keys, &found.sensitive);
	return found;
}

const char **
sdcpg_attributes_names(const SdcRelationColumns *columns)
{
	const char **names = palloc(sizeof(char *) * columns->count);
	int j;

	for (j = 0; j < columns->count; j++)
		names[j] = columns->column[j].name;
	return names;
}
