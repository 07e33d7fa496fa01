/*
 * attributes.c
 *		The quasi-identifiers and sensitive columns of a relation.
 *
 * A column that is both would be known to the intruder before the release, so
 * nothing could be learnt of it.
 */
#include "postgres.h"

#include "pg/attributes.h"
#include "pg/roles.h"

SdcAttributes
sdcpg_attributes_find(const SdcRelation *relation, ArrayType *keys,
					  ArrayType *sensitive)
{
	SdcAttributes found;
	int i;
	int j;

	found.keys =
		sdcpg_roles_need_columns(relation, "keys", keys, SDC_ROLE_KEY);
	found.sensitive = sdcpg_roles_need_columns(relation, "sensitive",
											   sensitive, SDC_ROLE_SENSITIVE);
	for (i = 0; i < found.keys.count; i++)
		for (j = 0; j < found.sensitive.count; j++)
			if (found.keys.column[i].number ==
				found.sensitive.column[j].number)
				ereport(ERROR,
						(errcode(ERRCODE_DUPLICATE_COLUMN),
						 errmsg("column \"%s\" is both in \"keys\" and in "
								"\"sensitive\"",
								found.keys.column[i].name)));
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
