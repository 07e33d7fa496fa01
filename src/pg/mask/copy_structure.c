/*
 * copy_structure.c
 *		What a masked copy takes over from its table besides the rows.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "commands/comment.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#include "pg/call/params.h"
#include "pg/call/params_names.h"
#include "pg/mask/copy_structure.h"
#include "pg/mask/mask_guard.h"
#include "pg/server/compat.h"

static const char *const words[] = {"comments", "not_null", "keys", "indexes",
									NULL};

typedef struct Copying
{
	const SdcRelation *relation;
	const SdcTarget *target;
	int wanted;
} Copying;

int
sdcpg_copy_structure_read(Jsonb *params)
{
	int wanted = 0;
	ListCell *cell;

	foreach (cell, sdcpg_params_names(params, "keep"))
	{
		int i = 0;

		while (words[i] != NULL && strcmp(words[i], lfirst(cell)) != 0)
			i++;
		if (words[i] == NULL)
			sdcpg_params_wrong("keep",
							   "a list of comments, not_null, keys, indexes");
		wanted |= 1 << i;
	}
	return wanted;
}

static void
run(const char *sql)
{
	if (SPI_execute(sql, false, 0) < 0)
		elog(ERROR, "could not change a copy");
}

/* Comments of the table and of its columns, found by name. */
static void
copy_comments(const Copying *copying, Oid copy)
{
	SdcRelationColumns columns = sdcpg_relation_all_columns(copying->relation);
	Oid original = copying->relation->oid;
	int i;

	CreateComments(copy, RelationRelationId, 0,
				   GetComment(original, RelationRelationId, 0));
	for (i = 0; i < columns.count; i++)
		CreateComments(copy, RelationRelationId,
					   get_attnum(copy, columns.column[i].name),
					   GetComment(original, RelationRelationId,
								  columns.column[i].number));
}

static void
copy_not_null(const Copying *copying)
{
	Relation original = table_open(copying->relation->oid, NoLock);
	TupleDesc descriptor = RelationGetDescr(original);
	int i;

	for (i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(descriptor, i);

		if (column->attnotnull && !column->attisdropped)
			run(psprintf("ALTER TABLE %s ALTER %s SET NOT NULL",
						 copying->target->sql,
						 quote_identifier(NameStr(column->attname))));
	}
	table_close(original, NoLock);
}

/* The columns of an index as SQL, or NULL for one that is left out. */
static char *
index_columns(const Copying *copying, Relation index)
{
	StringInfoData sql;
	int i;

	if (index->rd_rel->relam != BTREE_AM_OID ||
		RelationGetIndexExpressions(index) != NIL ||
		RelationGetIndexPredicate(index) != NIL ||
		!index->rd_index->indisvalid)
		return NULL;
	initStringInfo(&sql);
	for (i = 0; i < IndexRelationGetNumberOfKeyAttributes(index); i++)
		appendStringInfo(&sql, "%s%s", i > 0 ? ", " : "",
						 quote_identifier(get_attname(
							 copying->relation->oid,
							 index->rd_index->indkey.values[i], false)));
	return sql.data;
}

static void
copy_index(const Copying *copying, Relation index)
{
	char *columns = index_columns(copying, index);
	bool is_unique = index->rd_index->indisunique;

	if (columns == NULL)
		return;
	if (is_unique && (copying->wanted & SDC_COPY_KEYS))
		run(psprintf("ALTER TABLE %s ADD %s (%s)", copying->target->sql,
					 index->rd_index->indisprimary ? "PRIMARY KEY" : "UNIQUE",
					 columns));
	if (!is_unique && (copying->wanted & SDC_COPY_INDEXES))
		run(psprintf("CREATE INDEX ON %s (%s)", copying->target->sql,
					 columns));
}

static void
copy_indexes(const Copying *copying)
{
	Relation original = table_open(copying->relation->oid, NoLock);
	ListCell *cell;

	foreach (cell, RelationGetIndexList(original))
	{
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);

		copy_index(copying, index);
		index_close(index, NoLock);
	}
	table_close(original, NoLock);
}

static void
copy_all(void *arg)
{
	Copying *copying = arg;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	if (copying->wanted & SDC_COPY_NOT_NULL)
		copy_not_null(copying);
	if (copying->wanted & (SDC_COPY_KEYS | SDC_COPY_INDEXES))
		copy_indexes(copying);
	if (copying->wanted & SDC_COPY_COMMENTS)
		copy_comments(copying, get_relname_relid(copying->target->name,
												 copying->target->schema));
	SPI_finish();
}

void
sdcpg_copy_structure(const SdcRelation *relation, const SdcTarget *target,
					 int wanted)
{
	Copying copying = {relation, target, wanted};

	if (wanted != 0)
		sdcpg_mask_guard(target->name, copy_all, &copying);
}
