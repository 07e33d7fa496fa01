/*
 * generated.c
 *		Generated columns, which give away what they are made from.
 *
 * A column generated from a key repeats the key, or part of it, so whoever
 * takes the key out of a record must take the column out as well.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "nodes/bitmapset.h"
#include "optimizer/optimizer.h"
#include "utils/rel.h"

#include "pg/server/generated.h"

/* The columns in the expression of a generated column, as the planner has it.
 */
static Bitmapset *
find_parts(Relation table, AttrNumber number)
{
	TupleConstr *constraints = RelationGetDescr(table)->constr;
	Bitmapset *parts = NULL;
	int i;

	for (i = 0; constraints != NULL && i < constraints->num_defval; i++)
		if (constraints->defval[i].adnum == number)
			pull_varattnos(stringToNode(constraints->defval[i].adbin), 1,
						   &parts);
	return parts;
}

uint64
sdcpg_generated_from(const SdcRelation *relation,
					 const SdcRelationColumn *column,
					 const SdcRelationColumns *columns)
{
	Relation table = table_open(relation->oid, AccessShareLock);
	uint64 from = 0;
	Bitmapset *parts;
	int j;

	if (TupleDescAttr(RelationGetDescr(table), column->number - 1)
			->attgenerated != '\0')
	{
		parts = find_parts(table, column->number);
		for (j = 0; j < columns->count; j++)
			if (bms_is_member(columns->column[j].number -
								  FirstLowInvalidHeapAttributeNumber,
							  parts))
				from |= UINT64CONST(1) << j;
	}
	table_close(table, AccessShareLock);
	return from;
}
