/*
 * roles.c
 *		What sdc.declare says of the columns of a relation; columns that nobody
 *		has declared and that give a key away; the type sdc.columns.
 *
 * The table sdc.role has a row for each column that was declared.  Columns
 * are kept by name, relations by OID: pg_dump writes a regclass as the name
 * of its relation, but would write the number of a column as it is, although
 * a restored table counts its columns anew.  So a declaration follows a
 * relation that is renamed, and a column that is renamed has lost its role
 * until it is declared again; sdc.drift shows it.  One that has taken the name
 * of a declared column is not taken for it: a text tells where in which table
 * that was, of which server, so that a restored one is believed by its names.
 */
#include "postgres.h"

#include "catalog/objectaddress.h"
#include "catalog/partition.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/data/dictionary.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/result.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"

/* ----------------------------------------------------------------------
 * What sdc.declare says of the columns of a relation.
 * ----------------------------------------------------------------------
 */

#define BUILTIN "pg_catalog."

/* The words of the roles, and the arguments of sdc.declare. */
static const struct
{
	const char *word;
	const char *argument;
} roles[SDC_ROLES] = {{"id", "id"},
					  {"identifier", "identifiers"},
					  {"key", "keys"},
					  {"sensitive", "sensitive"},
					  {"weight", "weight"},
					  {"strata", "strata"},
					  {"household", "household"},
					  {"insensitive", "insensitive"},
					  {"person", "person"},
					  {"time", "at"},
					  {"item", "item"},
					  {"amount", "amount"}};

const char *
sdcpg_roles_word(SdcRole role)
{
	return roles[role].word;
}

char *
sdcpg_roles_type(const SdcRelation *relation, const SdcRelationColumn *column)
{
	char *name = sdcpg_relation_type(relation, column);

	/* what has no schema is of pg_catalog */
	if (strncmp(name, BUILTIN, strlen(BUILTIN)) == 0)
		name += strlen(BUILTIN);
	return name;
}

/* Stops unless the column of a role has a type that the role can have. */
static void
check_type(const SdcRelation *relation, const SdcRelationColumns *columns,
		   SdcRole role, bool (*fits)(Oid base), const char *what)
{
	const SdcRelationColumn *column = columns[role].column;

	if (columns[role].count == 0 || fits(column->base))
		return;
	ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("column \"%s\" of relation \"%s\" cannot be %s",
						   column->name, relation->name, what),
					errdetail("Its type is %s; %s is %s.",
							  format_type_be(column->type), what,
							  role == SDC_ROLE_TIME ? "a date or a timestamp"
													: "a number")));
}

/*
 * Stops when there is a time, an item or an amount of nobody: rows are events
 * only when it is known whose they are.
 */
static void
check_events(const SdcRelation *relation, const SdcRelationColumns *columns)
{
	int role;

	for (role = SDC_ROLE_TIME; role <= SDC_ROLE_AMOUNT; role++)
		if (columns[role].count > 0 && columns[SDC_ROLE_PERSON].count == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("argument \"%s\" needs argument \"person\"",
							roles[role].argument),
					 errdetail("Nobody could tell whose events the rows of "
							   "relation \"%s\" are.",
							   relation->name)));
}

/* Stops when a column of a role that is counted cannot be. */
static void
check_equality(const SdcRelation *relation, int role,
			   const SdcRelationColumn *column)
{
	if (role == SDC_ROLE_IDENTIFIER || role == SDC_ROLE_INSENSITIVE ||
		sdcpg_type_is_counted(column->base))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column \"%s\" of relation \"%s\" cannot have the role %s",
					column->name, relation->name, roles[role].word),
			 errdetail("Values of type %s cannot be compared, so nobody can "
					   "count them.",
					   format_type_be(column->type)),
			 errhint("Name it in \"identifiers\", or in \"insensitive\", or "
					 "put what it tells into columns of other types.")));
}

/* Stops when a column has this role and a later one. */
static void
check_one_role(const SdcRelationColumns *columns, int role,
			   const SdcRelationColumn *column)
{
	int other;
	int i;

	for (other = role + 1; other < SDC_ROLES; other++)
		for (i = 0; i < columns[other].count; i++)
			if (columns[other].column[i].number == column->number)
				ereport(
					ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("column \"%s\" is given two roles", column->name),
					 errdetail("Arguments \"%s\" and \"%s\" name it.",
							   roles[role].argument, roles[other].argument)));
}

/*
 * Removes the declaration of a relation, and those of relations that are
 * gone: one of them may have had a number that is given out again some day.
 */
static void
forget(const SdcRelation *relation)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, REGCLASSOID,
					   ObjectIdGetDatum(relation->oid), false);
	sdcpg_catalog_write(
		"role",
		"DELETE FROM sdc.role AS r WHERE r.relation OPERATOR(pg_catalog.=) $1 "
		"OR NOT EXISTS (SELECT FROM pg_catalog.pg_class AS c "
		"WHERE c.oid OPERATOR(pg_catalog.=) r.relation)",
		&parameters);
}

static void
remember(const SdcRelation *relation, const SdcRelationColumn *column,
		 int role, int place)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, REGCLASSOID,
					   ObjectIdGetDatum(relation->oid), false);
	sdcpg_catalog_bind(
		&parameters, NAMEOID,
		DirectFunctionCall1(namein, CStringGetDatum(column->name)), false);
	sdcpg_catalog_bind_text(&parameters, roles[role].word);
	sdcpg_catalog_bind_text(&parameters, sdcpg_roles_type(relation, column));
	sdcpg_catalog_bind(&parameters, INT4OID, Int32GetDatum(place), false);
	sdcpg_catalog_bind_text(&parameters, sdcpg_relation_column_place(
											 relation->oid, column->number));
	sdcpg_catalog_write(
		"role",
		"INSERT INTO sdc.role "
		"(relation, column_name, role, type, place, column_place) "
		"VALUES ($1, $2, $3, $4, $5, $6)",
		&parameters);
}

/*
 * Replaces the declaration of a relation; columns[role] are those with that
 * role.  Stops unless the caller owns the relation, when a column has two
 * roles, or when the weight is not a number.  Forgets relations that are gone.
 */
static void
roles_declare(const SdcRelation *relation, const SdcRelationColumns *columns)
{
	int place = 0;
	int role;
	int i;

	sdcpg_catalog_need_owner(relation);
	/* whoever declares at the same time waits, as for ANALYZE or COMMENT */
	LockRelationOid(relation->oid, ShareUpdateExclusiveLock);
	check_type(relation, columns, SDC_ROLE_WEIGHT, sdcpg_number_is_arithmetic,
			   "a weight");
	check_type(relation, columns, SDC_ROLE_TIME, sdcpg_time_is, "a time");
	check_type(relation, columns, SDC_ROLE_AMOUNT, sdcpg_number_is_arithmetic,
			   "an amount");
	check_events(relation, columns);
	for (role = 0; role < SDC_ROLES; role++)
		for (i = 0; i < columns[role].count; i++)
		{
			check_equality(relation, role, &columns[role].column[i]);
			check_one_role(columns, role, &columns[role].column[i]);
		}
	forget(relation);
	for (role = 0; role < SDC_ROLES; role++)
		for (i = 0; i < columns[role].count; i++)
			remember(relation, &columns[role].column[i], role, ++place);
}

static SdcRole
role_of_word(const char *word)
{
	int role;

	for (role = 0; role < SDC_ROLES; role++)
		if (strcmp(roles[role].word, word) == 0)
			return role;
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
					errmsg("unknown role in table sdc.role")));
}

/* The declaration of this very relation. */
static SdcRoles *
read_declaration(Oid oid)
{
	SdcCatalogParameters parameters = {0};
	SdcRoles *declared = palloc(sizeof(SdcRoles));
	SdcCatalogRows *rows;
	int i;

	sdcpg_catalog_bind(&parameters, REGCLASSOID, ObjectIdGetDatum(oid), false);
	rows = sdcpg_catalog_read_owned(
		"role",
		"SELECT r.column_name, r.role, r.type, r.column_place "
		"FROM sdc.role AS r WHERE r.relation OPERATOR(pg_catalog.=) $1 "
		"ORDER BY r.place",
		&parameters);
	declared->oid = oid;
	declared->count = rows->count;
	declared->column = palloc(sizeof(SdcRoleColumn) * (rows->count + 1));
	for (i = 0; i < rows->count; i++)
	{
		SdcRoleColumn *column = &declared->column[i];

		column->name = NameStr(*DatumGetName(rows->value[i][0]));
		column->role = role_of_word(TextDatumGetCString(rows->value[i][1]));
		column->type = TextDatumGetCString(rows->value[i][2]);
		column->moved = sdcpg_relation_column_moved(
			rows->isnull[i][3] ? NULL : TextDatumGetCString(rows->value[i][3]),
			oid, get_attnum(oid, column->name));
	}
	return declared;
}

SdcRoles *
sdcpg_roles_look_up(Oid oid)
{
	SdcRoles *declared = read_declaration(oid);
	List *ancestors = NIL;
	ListCell *cell;

	if (declared->count == 0 && get_rel_relispartition(oid))
		ancestors = get_partition_ancestors(oid);
	foreach (cell, ancestors)
	{
		declared = read_declaration(lfirst_oid(cell));
		if (declared->count > 0)
			break;
	}
	return declared;
}

SdcRoles *
sdcpg_roles_find(Oid oid)
{
	SdcRoles *declared = sdcpg_roles_look_up(oid);
	int i;

	for (i = 0; i < declared->count; i++)
		if (declared->column[i].moved)
			ereport(
				ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" of relation \"%s\" is not the one "
						"that was declared",
						declared->column[i].name, get_rel_name(declared->oid)),
				 errdetail(SDC_ROLES_MOVED),
				 errhint("See what has changed with sdc.drift, and declare "
						 "the columns again with sdc.declare.")));
	return declared;
}

void
sdcpg_roles_need_reader(const SdcRelation *relation)
{
	if (!pg_class_ownercheck(relation->oid, GetUserId()) &&
		pg_class_aclcheck(relation->oid, GetUserId(), ACL_SELECT) !=
			ACLCHECK_OK &&
		pg_attribute_aclcheck_all(relation->oid, GetUserId(), ACL_SELECT,
								  ACLMASK_ANY) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV,
					   get_relkind_objtype(get_rel_relkind(relation->oid)),
					   relation->name);
}

/* Stops unless a declared column is still there. */
static SdcRelationColumn
present_column(const SdcRelation *relation, const SdcRoleColumn *column)
{
	if (get_attnum(relation->oid, column->name) == InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist",
						column->name, relation->name),
				 errdetail("It was declared with the role %s, and was dropped "
						   "or renamed since.",
						   roles[column->role].word),
				 errhint("See what has changed with sdc.drift, and declare "
						 "the columns again with sdc.declare.")));
	return sdcpg_relation_column(relation, column->name);
}

const SdcRoleColumn *
sdcpg_roles_declared(const SdcRoles *declared, const char *name)
{
	int i;

	for (i = 0; i < declared->count; i++)
		if (strcmp(declared->column[i].name, name) == 0)
			return &declared->column[i];
	return NULL;
}

void
sdcpg_roles_step_kept(ReturnSetInfo *result, const SdcRoles *declared,
					  const char *column, const char *method, bool alike)
{
	const SdcRoleColumn *role = sdcpg_roles_declared(declared, column);
	SdcStep step = SDC_STEP("kept");

	step.subject = column;
	step.method = method;
	step.detail =
		psprintf("As it is%s%s; %s%s.", method != NULL ? ", by its rule" : "",
				 alike ? ", equal values in one form" : "",
				 role != NULL ? "declared as " : "not declared",
				 role != NULL ? sdcpg_roles_word(role->role) : "");
	sdcpg_step_put(result, &step);
}

/* Is a column a declared key that the writers give one form? */
static bool
is_made_alike(const SdcRelation *relation, const SdcRoles *declared,
			  const SdcRelationColumn *column)
{
	const SdcRoleColumn *role = sdcpg_roles_declared(declared, column->name);

	return role != NULL && role->role == SDC_ROLE_KEY &&
		   sdcpg_column_has_forms(relation->oid, column->number);
}

void
sdcpg_roles_steps(ReturnSetInfo *result, const SdcRelation *relation,
				  const SdcRelationColumns *masked, List *dropped)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(relation);
	SdcRoles *declared = sdcpg_roles_find(relation->oid);
	Bitmapset *kept = NULL;
	ListCell *cell;
	int i;

	for (i = 0; i < all.count; i++)
	{
		char *name = all.column[i].name;

		if (sdcpg_relation_lists(masked, all.column[i].number) ||
			sdcpg_params_is_listed(dropped, name))
			continue;
		if (sdcpg_generated_from(relation, &all.column[i], masked) != NULL)
			sdcpg_step_masked(result, name, "null", -1, -1,
							  "Generated from a masked column.");
		else
			kept = bms_add_member(kept, i);
	}
	for (i = -1; (i = bms_next_member(kept, i)) >= 0;)
		sdcpg_roles_step_kept(
			result, declared, all.column[i].name, NULL,
			is_made_alike(relation, declared, &all.column[i]));
	foreach (cell, dropped)
	{
		SdcStep step = SDC_STEP("dropped");

		step.subject = lfirst(cell);
		step.detail = "The column was left out.";
		sdcpg_step_put(result, &step);
	}
}

SdcRelationColumns
sdcpg_roles_columns(const SdcRelation *relation, const char *argument,
					ArrayType *names, SdcRole role)
{
	SdcRelationColumns columns = {0};
	SdcRoles *declared;
	int i;

	if (names != NULL)
		return sdcpg_relation_columns(relation, argument, names);
	declared = sdcpg_roles_find(relation->oid);
	columns.column = palloc(sizeof(SdcRelationColumn) * (declared->count + 1));
	for (i = 0; i < declared->count; i++)
		if (declared->column[i].role == role)
			columns.column[columns.count++] =
				present_column(relation, &declared->column[i]);
	return columns;
}

SdcRelationColumns
sdcpg_roles_need_columns(const SdcRelation *relation, const char *argument,
						 ArrayType *names, SdcRole role)
{
	SdcRelationColumns columns =
		sdcpg_roles_columns(relation, argument, names, role);

	if (columns.count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must name columns", argument),
				 errdetail("No column of relation \"%s\" is declared with the "
						   "role %s.",
						   relation->name, roles[role].word),
				 errhint("Write %s => ... here, or once for all calls in "
						 "sdc.declare.",
						 argument)));
	return columns;
}

SdcRelationColumn *
sdcpg_roles_column(const SdcRelation *relation, const char *argument,
				   const char *name, SdcRole role)
{
	SdcRelationColumn *column = palloc(sizeof(SdcRelationColumn));
	SdcRelationColumns columns;

	if (name != NULL)
	{
		*column = sdcpg_relation_column(relation, name);
		return column;
	}
	columns = sdcpg_roles_columns(relation, argument, NULL, role);
	if (columns.count == 0)
		return NULL;
	if (columns.count > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must name one column", argument),
				 errdetail("Several columns of relation \"%s\" are declared "
						   "with the role %s.",
						   relation->name, roles[role].word)));
	*column = columns.column[0];
	return column;
}

const char *
sdcpg_roles_id_argument(FunctionCallInfo fcinfo, int argument, Oid relation)
{
	SdcRelation *found;
	SdcRelationColumn *column;

	if (!PG_ARGISNULL(argument))
		return NameStr(*PG_GETARG_NAME(argument));
	found = sdcpg_relation_find(relation);
	column = sdcpg_roles_column(found, "id", NULL, SDC_ROLE_ID);
	if (column == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"id\" must name a column"),
				 errdetail("No column of relation \"%s\" is declared with the "
						   "role %s.",
						   found->name, roles[SDC_ROLE_ID].word),
				 errhint("Name the column that tells records apart, or "
						 "declare it with sdc.declare.")));
	return column->name;
}

ArrayType *
sdcpg_roles_names_argument(FunctionCallInfo fcinfo, int argument,
						   const char *name, Oid relation, SdcRole role)
{
	SdcRelationColumns columns;
	Datum *names;
	int i;

	if (!PG_ARGISNULL(argument))
		return PG_GETARG_ARRAYTYPE_P(argument);
	columns = sdcpg_roles_need_columns(sdcpg_relation_find(relation), name,
									   NULL, role);
	names = palloc(sizeof(Datum) * columns.count);
	for (i = 0; i < columns.count; i++)
		names[i] = DirectFunctionCall1(
			namein, CStringGetDatum(columns.column[i].name));
	return construct_array(names, columns.count, NAMEOID, NAMEDATALEN, false,
						   TYPALIGN_CHAR);
}

/* ----------------------------------------------------------------------
 * The quasi-identifiers and sensitive columns of a relation.
 *
 * A column that is both would be known to the intruder before the release, so
 * nothing could be learnt of it.
 * ----------------------------------------------------------------------
 */

void
sdcpg_attributes_disjoint(const SdcRelationColumns *keys,
						  const SdcRelationColumns *sensitive)
{
	int i;

	for (i = 0; i < keys->count; i++)
		if (sdcpg_relation_lists(sensitive, keys->column[i].number))
			ereport(ERROR, (errcode(ERRCODE_DUPLICATE_COLUMN),
							errmsg("column \"%s\" is both in \"keys\" and in "
								   "\"sensitive\"",
								   keys->column[i].name)));
}

void
sdcpg_attributes_not_id(const SdcRelationColumn *id,
						const SdcRelationColumns *keys)
{
	if (sdcpg_relation_lists(keys, id->number))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" cannot be both id and key", id->name)));
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

/* ----------------------------------------------------------------------
 * sdc.declare and sdc.declared: what each column of a relation is.
 *
 * A declaration is written and read as a whole; all reports take from it what
 * their arguments leave open.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_declare);
PG_FUNCTION_INFO_V1(sdcf_declared);

/* The argument of sdc.declare for each role; 0 is the relation. */
static const struct
{
	SdcRole role;
	const char *name;
	bool is_array;
} arguments[] = {{SDC_ROLE_ID, "id", false},
				 {SDC_ROLE_IDENTIFIER, "identifiers", true},
				 {SDC_ROLE_KEY, "keys", true},
				 {SDC_ROLE_SENSITIVE, "sensitive", true},
				 {SDC_ROLE_WEIGHT, "weight", false},
				 {SDC_ROLE_STRATA, "strata", true},
				 {SDC_ROLE_HOUSEHOLD, "household", false},
				 {SDC_ROLE_INSENSITIVE, "insensitive", true},
				 {SDC_ROLE_PERSON, "person", false},
				 {SDC_ROLE_TIME, "at", false},
				 {SDC_ROLE_ITEM, "item", false},
				 {SDC_ROLE_AMOUNT, "amount", false}};

/* The place of argument "nulls", behind the roles that came first. */
#define NULLS_ARGUMENT 9

/* The columns that arguments[i] names; none when it is NULL. */
static SdcRelationColumns
named_columns(FunctionCallInfo fcinfo, const SdcRelation *relation, int i)
{
	SdcRelationColumns columns = {0};
	int place = i + 1 < NULLS_ARGUMENT ? i + 1 : i + 2;

	if (PG_ARGISNULL(place))
		return columns;
	if (arguments[i].is_array)
		return sdcpg_relation_columns(relation, arguments[i].name,
									  PG_GETARG_ARRAYTYPE_P(place));
	columns.count = 1;
	columns.column = palloc(sizeof(SdcRelationColumn));
	columns.column[0] =
		sdcpg_relation_column(relation, NameStr(*PG_GETARG_NAME(place)));
	return columns;
}

/*
 * declare(relation regclass, id name, identifiers columns, keys columns,
 *         sensitive columns, weight name, strata columns, household name,
 *         insensitive columns, nulls text, person name, at name, item name,
 *         amount name)
 */
Datum
sdcf_declare(PG_FUNCTION_ARGS)
{
	SdcRelationColumns columns[SDC_ROLES];
	SdcRelation *relation;
	bool is_empty = true;
	int i;

	sdcpg_args_need(fcinfo, 0);
	relation = sdcpg_relation_look_up(PG_GETARG_OID(0));
	for (i = 0; i < lengthof(arguments); i++)
	{
		columns[arguments[i].role] = named_columns(fcinfo, relation, i);
		is_empty = is_empty && columns[arguments[i].role].count == 0;
	}
	roles_declare(relation, columns);
	if (!PG_ARGISNULL(NULLS_ARGUMENT))
		sdcpg_nulls_declare(
			relation->oid,
			(SdcNulls) sdcpg_args_choice(
				"nulls", PG_GETARG_TEXT_PP(NULLS_ARGUMENT), sdc_nulls_words));
	else if (is_empty)
		sdcpg_nulls_forget(relation->oid);
	PG_RETURN_VOID();
}

/*
 * declared(relation regclass)
 */
Datum
sdcf_declared(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcRelation *relation;
	SdcRoles *declared;
	int i;

	sdcpg_args_need(fcinfo, 0);
	relation = sdcpg_relation_look_up(PG_GETARG_OID(0));
	sdcpg_roles_need_reader(relation);
	declared = sdcpg_roles_look_up(relation->oid);
	for (i = 0; i < declared->count; i++)
	{
		const SdcRoleColumn *column = &declared->column[i];
		Datum values[4];
		bool isnull[4] = {false, false, false, declared->oid == relation->oid};

		values[0] = DirectFunctionCall1(namein, CStringGetDatum(column->name));
		values[1] = CStringGetTextDatum(sdcpg_roles_word(column->role));
		values[2] = CStringGetTextDatum(column->type);
		values[3] = ObjectIdGetDatum(declared->oid);
		sdcpg_result_put(result, values, isnull);
	}
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * Columns that give a key away.
 *
 * Who generalizes a key and copies a column made from it has generalized
 * nothing.  PostgreSQL knows of generated columns; those that an application
 * fills are found by counting: for each value of the column, do the records
 * have one value of the key?
 * ----------------------------------------------------------------------
 */

/*
 * The keys that a column determines: for each a boolean, in one row.  concat
 * calls the output function of a type, which every type has, and no cast.
 */
static char *
dependency_query(const SdcRelation *relation, const SdcRelationColumns *keys,
				 const SdcRelationColumn *column)
{
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	appendStringInfoString(&sql,
						   "SELECT pg_catalog.sum(g.n) OPERATOR(pg_catalog.>=)"
						   " (pg_catalog.count(*) OPERATOR(pg_catalog.*) 2)");
	for (j = 0; j < keys->count; j++)
		appendStringInfo(
			&sql,
			", pg_catalog.bool_and(g.l%d OPERATOR(pg_catalog.=) g.h%d) AND "
			"(pg_catalog.min(g.l%d) OPERATOR(pg_catalog.<>) "
			"pg_catalog.max(g.h%d))",
			j, j, j, j);
	appendStringInfoString(&sql, " FROM (SELECT pg_catalog.count(*) AS n");
	for (j = 0; j < keys->count; j++)
		appendStringInfo(&sql,
						 ", pg_catalog.min(pg_catalog.concat(r.%s) COLLATE "
						 "pg_catalog.\"C\") AS l%d, "
						 "pg_catalog.max(pg_catalog.concat(r.%s) COLLATE "
						 "pg_catalog.\"C\") AS h%d",
						 keys->column[j].sql, j, keys->column[j].sql, j);
	appendStringInfo(&sql,
					 " FROM %s AS r GROUP BY pg_catalog.concat(r.%s) COLLATE "
					 "pg_catalog.\"C\") AS g",
					 relation->sql, column->sql);
	return sql.data;
}

/* The first key that a column determines, or NULL. */
static const SdcRelationColumn *
find_key(const SdcRelation *relation, const SdcRelationColumns *keys,
		 const SdcRelationColumn *column)
{
	SdcCatalogRows *rows =
		sdcpg_catalog_read(dependency_query(relation, keys, column), NULL);
	int j;

	if (rows->isnull[0][0] || !DatumGetBool(rows->value[0][0]))
		return NULL;
	for (j = 0; j < keys->count; j++)
		if (!rows->isnull[0][1 + j] && DatumGetBool(rows->value[0][1 + j]))
			return &keys->column[j];
	return NULL;
}

/* Columns that nobody has said anything about. */
static List *
find_unknown(const SdcRelation *relation, const SdcRelationColumns *keys,
			 List *known)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(relation);
	SdcRoles *roles = sdcpg_roles_find(relation->oid);
	List *unknown = NIL;
	int i;

	for (i = 0; i < all.count; i++)
		if (!sdcpg_relation_lists(keys, all.column[i].number) &&
			sdcpg_generated_from(relation, &all.column[i], keys) == NULL &&
			sdcpg_roles_declared(roles, all.column[i].name) == NULL &&
			!sdcpg_params_is_listed(known, all.column[i].name))
			unknown = lappend(unknown, &all.column[i]);
	return unknown;
}

List *
sdcpg_revealing_find(const SdcRelation *relation,
					 const SdcRelationColumns *keys, List *known)
{
	List *revealing = NIL;
	ListCell *cell;

	foreach (cell, find_unknown(relation, keys, known))
		if (find_key(relation, keys, lfirst(cell)) != NULL)
			revealing = lappend(revealing, lfirst(cell));
	return revealing;
}

void
sdcpg_revealing_refuse(const SdcRelation *relation,
					   const SdcRelationColumns *keys, List *known)
{
	ListCell *cell;

	if (sdcpg_roles_find(relation->oid)->count == 0)
		return;
	foreach (cell, find_unknown(relation, keys, known))
	{
		const SdcRelationColumn *column = lfirst(cell);
		const SdcRelationColumn *key = find_key(relation, keys, column);

		if (key != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" of relation \"%s\" gives away the "
							"key \"%s\"",
							column->name, relation->name, key->name),
					 errdetail("Its value determines that of the key in every "
							   "record, and it would be left as it is."),
					 errhint("Declare what it is with sdc.declare, name it "
							 "among the keys, give it a rule where rules are "
							 "taken, or leave it out.")));
	}
}

/* ----------------------------------------------------------------------
 * sdc.columns: the type of arguments that name columns.
 *
 * A value is a columns, byte by byte; what differs is what may be typed:
 * 'age,sex' and '{age,sex}' mean the same.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_columns_in);
PG_FUNCTION_INFO_V1(sdcf_columns_out);
PG_FUNCTION_INFO_V1(sdcf_columns_from);
PG_FUNCTION_INFO_V1(sdcf_columns_to);

static ArrayType *
make_names(Datum *name, int count)
{
	return construct_array(name, count, NAMEOID, NAMEDATALEN, false,
						   TYPALIGN_CHAR);
}

pg_noreturn static void
refuse(const char *text)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("names of columns cannot be read from \"%s\"", text),
			 errhint("Write 'age,sex', '{age,sex}' or ARRAY['age', 'sex']; a "
					 "name with a space or a sign in it stands in double "
					 "quotes.")));
}

/* Is it an array as PostgreSQL writes it, which may say where it starts? */
static bool
is_array(const char *start)
{
	if (*start == '[')
		return strchr("0123456789+-", start[1]) != NULL && start[1] != '\0';
	return *start == '{' && strchr(start, '}') != NULL;
}

/* "age, sex": names as they are, a comma or a space in one needs quotes. */
static ArrayType *
read_list(const char *text)
{
	List *words;
	ListCell *cell;
	Datum *name;
	int count = 0;

	/* what other notations have, JSON or a tuple, is in no plain name */
	if (strcspn(text, "([{") == strspn(text, " \t\r\n") &&
		text[strspn(text, " \t\r\n")] != '\0')
		refuse(text);
	if (strchr(text, '"') == NULL && strpbrk(text, "()[]{};'") != NULL)
		refuse(text);
	if (!SplitGUCList(pstrdup(text), ',', &words))
		refuse(text);
	name = palloc(sizeof(Datum) * (list_length(words) + 1));
	foreach (cell, words)
		name[count++] =
			DirectFunctionCall1(namein, CStringGetDatum(lfirst(cell)));
	return make_names(name, count);
}

/* columns_in(cstring) returns sdc.columns */
Datum
sdcf_columns_in(PG_FUNCTION_ARGS)
{
	char *text = PG_GETARG_CSTRING(0);
	const char *start = text + strspn(text, " \t\r\n");

	if (is_array(start))
		PG_RETURN_DATUM(OidInputFunctionCall(F_ARRAY_IN, text, NAMEOID, -1));
	PG_RETURN_ARRAYTYPE_P(read_list(text));
}

/* columns_out(sdc.columns) returns cstring */
Datum
sdcf_columns_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(OidOutputFunctionCall(F_ARRAY_OUT, PG_GETARG_DATUM(0)));
}

/* columns_to(columns sdc.columns) returns name[] */
Datum
sdcf_columns_to(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* columns_from(names text[]) and other arrays of texts returns sdc.columns */
Datum
sdcf_columns_from(PG_FUNCTION_ARGS)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);
	Oid type = ARR_ELEMTYPE(array);
	int16 length;
	bool byvalue;
	char align;
	Oid output;
	bool varlena;
	Datum *element;
	bool *isnull;
	int count;
	int i;

	if (type == NAMEOID)
		PG_RETURN_ARRAYTYPE_P(array);
	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("names of columns must not contain nulls")));
	get_typlenbyvalalign(type, &length, &byvalue, &align);
	getTypeOutputInfo(type, &output, &varlena);
	deconstruct_array(array, type, length, byvalue, align, &element, &isnull,
					  &count);
	for (i = 0; i < count; i++)
		element[i] = DirectFunctionCall1(
			namein,
			CStringGetDatum(OidOutputFunctionCall(output, element[i])));
	PG_RETURN_ARRAYTYPE_P(make_names(element, count));
}
