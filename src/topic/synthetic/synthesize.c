/*
 * synthesize.c
 *		sdc.synthesize: a new table of records that nobody has.
 *
 * The columns are read as codes of their values, the kernel draws a code for
 * each record and column (kernel/synthetic), and the values of these codes are
 * written into a table that CREATE TABLE AS has made, so its owner and the
 * rights to it are PostgreSQL's business.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/synthetic/sequential.h"
#include "kernel/table/frequency.h"
#include "topic/mask/mask_copy.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/mask_write.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"
#include "topic/registry/words.h"
#include "topic/synthetic/row_checks.h"
#include "topic/synthetic/synthetic_private.h"

PG_FUNCTION_INFO_V1(sdcf_synthesize);

static const char *const params_keys[] = {
	"rows", "visit", "minbucket", "cp",     "smooth", "rare", "ascending",
	"like", "rls",   "fakes",     "locale", "sex",    NULL};

/* Records in the smallest leaf, and of the rarest category that is drawn. */
#define USUAL_LEAF 5
#define USUAL_CP   1e-8

/* A number is continuous when it has more values than one for so many rows. */
#define CONTINUOUS 10

/* So many different values are always categories. */
#define FEW_VALUES 20

/* Bytes of rows that are held back. */
#define HELD_BYTES (256 * 1024)

/* ----------------------------------------------------------------------
 * Which columns are drawn, which are numbered, which are withheld.
 * ----------------------------------------------------------------------
 */

/* The number of a column in the relation whose constraints hold; 0: none. */
static AttrNumber
number_in_like(const SdcSynthesis *synthesis, const SdcRelationColumn *column)
{
	return synthesis->like == synthesis->relation
			   ? column->number
			   : get_attnum(synthesis->like->oid, column->name);
}

/* The attributes that alone are a primary key or unique, as numbers. */
static List *
unique_attributes(const SdcRelation *relation)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	List *numbers = NIL;
	int64 i;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(relation->oid),
					   false);
	rows = sdcpg_catalog_read(
		"SELECT CAST(i.indkey[0] AS pg_catalog.int4)"
		" FROM pg_catalog.pg_index AS i"
		" WHERE i.indrelid OPERATOR(pg_catalog.=) $1 AND i.indisunique"
		" AND i.indnkeyatts OPERATOR(pg_catalog.=) 1"
		" AND i.indpred IS NULL AND i.indexprs IS NULL",
		&parameters);
	for (i = 0; i < rows->count; i++)
		numbers = lappend_int(numbers, DatumGetInt32(rows->value[i][0]));
	return numbers;
}

static bool
is_integer(Oid base)
{
	return base == INT2OID || base == INT4OID || base == INT8OID;
}

/* Is a column generated from others? */
static bool
is_generated(const SdcRelation *relation, AttrNumber number)
{
	return number > 0 && get_attgenerated(relation->oid, number) != '\0';
}

/* Why a column cannot be in the target; NULL when it can. */
static const char *
why_withheld(const SdcSynthesis *synthesis, const SdcRelationColumn *column,
			 const SdcRoles *roles, bool is_key)
{
	const SdcRoleColumn *role = sdcpg_roles_declared(roles, column->name);

	if (role != NULL && role->role == SDC_ROLE_IDENTIFIER)
		return "It is declared to name a person by itself.";
	if (role != NULL && role->role == SDC_ROLE_PERSON)
		return "It is declared to tell whose event a row is.";
	if (is_key && !is_integer(column->base))
		return "Its values are unique, and only whole numbers are made anew.";
	if (is_generated(synthesis->like, number_in_like(synthesis, column)))
		return "It is generated from other columns: compute it in the target.";
	if (!sdcpg_type_has_equality(column->base))
		return "Its values cannot be told apart.";
	return NULL;
}

static void
withhold(SdcSynthesis *synthesis, const SdcRelationColumn *column,
		 const char *reason, bool named)
{
	SdcWithheld *withheld = palloc(sizeof(SdcWithheld));

	if (named)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" cannot be synthesized", column->name),
				 errdetail_internal("%s", reason),
				 errhint("Leave it out of argument \"columns\".")));
	withheld->name = column->name;
	withheld->reason = reason;
	synthesis->withheld = lappend(synthesis->withheld, withheld);
}

void
sdcpg_synthesis_columns(SdcSynthesis *synthesis, ArrayType *names)
{
	SdcRelationColumns asked =
		names != NULL
			? sdcpg_relation_columns(synthesis->relation, "columns", names)
			: sdcpg_relation_all_columns(synthesis->relation);
	SdcRoles *roles = sdcpg_roles_find(synthesis->like->oid);
	List *unique = unique_attributes(synthesis->like);
	SdcRelationColumns *all = &synthesis->all;
	int j;

	all->column = palloc(sizeof(SdcRelationColumn) * (asked.count + 1));
	synthesis->visited.column =
		palloc(sizeof(SdcRelationColumn) * (asked.count + 1));
	synthesis->numbered = palloc0(sizeof(bool) * (asked.count + 1));
	synthesis->fake = palloc0(sizeof(SdcSyntheticFake *) * (asked.count + 1));
	for (j = 0; j < asked.count; j++)
	{
		const SdcRelationColumn *column = &asked.column[j];
		const SdcRoleColumn *role = sdcpg_roles_declared(roles, column->name);
		bool is_key =
			list_member_int(unique, number_in_like(synthesis, column)) ||
			(role != NULL && role->role == SDC_ROLE_ID);
		const char *reason = why_withheld(synthesis, column, roles, is_key);

		synthesis->fake[all->count] = NULL;
		if (!sdcpg_params_is_listed(synthesis->left, column->name))
			synthesis->fake[all->count] =
				sdcpg_synthetic_fake(synthesis, column);
		if (synthesis->fake[all->count] != NULL ||
			sdcpg_params_is_listed(synthesis->left, column->name))
		{
			all->column[all->count++] = *column;
			continue;
		}
		if (reason != NULL)
		{
			withhold(synthesis, column, reason, names != NULL);
			continue;
		}
		synthesis->numbered[all->count] = is_key;
		all->column[all->count++] = *column;
		if (!is_key)
			synthesis->visited.column[synthesis->visited.count++] = *column;
	}
	if (synthesis->visited.count == 0 && !synthesis->related)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation \"%s\" has no column that can be drawn",
						synthesis->relation->name)));
	if (synthesis->visited.count > SDC_MAX_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than %d columns to draw", SDC_MAX_COLUMNS)));
}

/* The place of a drawn column; stops for any other name. */
static int
visited_place(const SdcSynthesis *synthesis, const char *key, const char *name)
{
	int j;

	for (j = 0; j < synthesis->visited.count; j++)
		if (strcmp(synthesis->visited.column[j].name, name) == 0)
			return j;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("key \"%s\" in argument \"params\" names \"%s\", "
						   "which is not a column that is drawn",
						   key, name)));
}

/* Brings the columns that params.visit names to the front; how many. */
static int
order_visit(SdcSynthesis *synthesis)
{
	SdcRelationColumns *visited = &synthesis->visited;
	int front = 0;
	ListCell *cell;

	foreach (cell, sdcpg_params_names(synthesis->params, "visit"))
	{
		int place = visited_place(synthesis, "visit", lfirst(cell));
		SdcRelationColumn column = visited->column[place];

		if (place < front)
			sdcpg_params_wrong("visit", "a list of different columns");
		memmove(visited->column + front + 1, visited->column + front,
				sizeof(SdcRelationColumn) * (place - front));
		visited->column[front++] = column;
	}
	return front;
}

/* ----------------------------------------------------------------------
 * The originals as codes.
 * ----------------------------------------------------------------------
 */

static char *
write_query(const SdcSynthesis *synthesis)
{
	StringInfoData sql;
	ListCell *cell;
	int j;

	initStringInfo(&sql);
	for (j = 0; j < synthesis->visited.count; j++)
		appendStringInfo(&sql, "%s r.%s", j > 0 ? "," : "SELECT",
						 synthesis->visited.column[j].sql);
	foreach (cell, synthesis->extra)
		appendStringInfo(&sql, "%s %s", j++ > 0 ? "," : "SELECT",
						 (const char *) lfirst(cell));
	if (synthesis->from != NULL)
		appendStringInfoString(&sql, synthesis->from);
	else
		appendStringInfo(&sql, " FROM %s AS r", synthesis->relation->sql);
	return sql.data;
}

/* Turns codes in the order of arrival into ranks. */
static void
rank_codes(SdcSynthesis *synthesis, int j)
{
	const int32 *rank = sdcpg_dictionary_sort(synthesis->dictionary[j]);
	int32 *code = synthesis->frame->column[j].code;
	int32 i;

	for (i = 0; i < synthesis->frame->rows; i++)
		if (code[i] >= 0)
			code[i] = rank[code[i]];
	synthesis->column[j].code = synthesis->code[j] = code;
	synthesis->column[j].values =
		sdcpg_dictionary_values(synthesis->dictionary[j]);
}

/* The numbers of a column, by rank; stops at what is not finite. */
static double *
numbers_of(const SdcSynthesis *synthesis, int j)
{
	const SdcRelationColumn *column = &synthesis->visited.column[j];
	int32 values = synthesis->column[j].values;
	double *number = sdc_new(&synthesis->host->kernel, double, values + 1);
	int32 c;

	for (c = 0; c < values; c++)
	{
		number[c] = sdcpg_number(
			column->base, sdcpg_dictionary_value(synthesis->dictionary[j], c));
		if (!isfinite(number[c]))
			ereport(
				ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("column \"%s\" holds NaN or infinity", column->name),
				 errhint("Turn the values into NULL with a view.")));
	}
	return number;
}

/* The largest unit of time that all timestamps are multiples of. */
static double
grid_of_times(const double *number, int32 count)
{
	static const double units[] = {USECS_PER_DAY, USECS_PER_HOUR,
								   USECS_PER_MINUTE, USECS_PER_SEC};
	int u;
	int32 c;

	for (u = 0; u < lengthof(units); u++)
	{
		for (c = 0; c < count && fmod(number[c], units[u]) == 0; c++)
			;
		if (c == count)
			return units[u];
	}
	return 1;
}

static double
grid_of(const SdcSynthesis *synthesis, int j)
{
	const SdcSequentialColumn *column = &synthesis->column[j];
	Oid base = synthesis->visited.column[j].base;

	if (base == TIMESTAMPOID || base == TIMESTAMPTZOID)
		return grid_of_times(column->number, column->values);
	return sdc_sequential_grid(column->number, column->values);
}

/*
 * Can numbers of a type be made that are not in the original?  Not of a domain
 * whose constraints they might break.
 */
static bool
can_smooth(const SdcRelationColumn *column)
{
	return (column->type == column->base ||
			!DomainHasConstraints(column->type)) &&
		   (sdcpg_number_is_arithmetic(column->base) ||
			column->base == DATEOID || column->base == TIMESTAMPOID ||
			column->base == TIMESTAMPTZOID);
}

/* Does params.smooth, or else the number of its values, ask for smoothing? */
static bool
wants_smooth(const SdcSynthesis *synthesis, int j)
{
	const SdcRelationColumn *column = &synthesis->visited.column[j];
	JsonbValue value;

	if (!sdcpg_params_find(synthesis->params, "smooth", &value))
		return (int64) synthesis->column[j].values * CONTINUOUS >
			   synthesis->frame->rows;
	if (value.type == jbvBool)
		return value.val.boolean;
	return sdcpg_params_is_listed(
		sdcpg_params_names(synthesis->params, "smooth"), column->name);
}

/* Stops at numbers that hardly repeat, and would be repeated as they are. */
static void
refuse_numbers(const SdcSynthesis *synthesis, int j)
{
	int32 values = synthesis->column[j].values;

	if (values <= FEW_VALUES ||
		(int64) values * CONTINUOUS <= synthesis->frame->rows)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("column \"%s\" has too many different values to be drawn",
					synthesis->visited.column[j].name),
			 errdetail("Numbers that hardly repeat are smoothed, and those of "
					   "its type cannot be."),
			 errhint("Cast it to numeric with a view, leave it out, or leave "
					 "it out of params.smooth.")));
}

/* Stops at texts that hardly repeat: they are no categories. */
static void
refuse_texts(const SdcSynthesis *synthesis, int j)
{
	int32 values = synthesis->column[j].values;

	if (values <= SDC_SEQUENTIAL_BINS &&
		(values <= FEW_VALUES || (int64) values * 2 <= synthesis->frame->rows))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("column \"%s\" has too many different values to be drawn",
					synthesis->visited.column[j].name),
			 errdetail("Values that hardly repeat are names, keys or free "
					   "text, and would lead back to persons."),
			 errhint("Leave it out, or make it coarser with a view.")));
}

static void
describe_column(SdcSynthesis *synthesis, int j)
{
	const SdcRelationColumn *relation = &synthesis->visited.column[j];
	SdcSequentialColumn *column = &synthesis->column[j];
	Jsonb *params = synthesis->params;

	rank_codes(synthesis, j);
	column->leaf =
		sdcpg_params_integer(params, "minbucket", USUAL_LEAF, 1, 1000000);
	column->rare =
		sdcpg_params_integer(params, "rare", USUAL_LEAF, 0, 1000000);
	if (!sdcpg_number_is(relation->base))
	{
		refuse_texts(synthesis, j);
		return;
	}
	column->number = numbers_of(synthesis, j);
	if (!wants_smooth(synthesis, j))
		return;
	column->smooth = can_smooth(relation);
	if (!column->smooth)
		refuse_numbers(synthesis, j);
	else
		column->grid = grid_of(synthesis, j);
}

void
sdcpg_synthesis_load(SdcSynthesis *synthesis)
{
	int count = synthesis->visited.count;
	int read = count + list_length(synthesis->extra);
	SdcFrameType *types = palloc(sizeof(SdcFrameType) * read);
	int32 modifier;
	Oid type;
	Oid collation;
	int j;

	for (j = 0; j < read; j++)
		types[j] = SDC_FRAME_CODE;
	synthesis->dictionary = palloc0(sizeof(SdcDictionary *) * read);
	synthesis->code = palloc(sizeof(int32 *) * read);
	synthesis->column = palloc0(sizeof(SdcSequentialColumn) * read);
	synthesis->modifier = palloc(sizeof(int32) * read);
	synthesis->frame =
		sdcpg_frame_load_codes(synthesis->host, write_query(synthesis), read,
							   types, synthesis->dictionary);
	for (j = 0; j < count; j++)
	{
		get_atttypetypmodcoll(synthesis->relation->oid,
							  synthesis->visited.column[j].number, &type,
							  &modifier, &collation);
		(void) getBaseTypeAndTypmod(type, &modifier);
		synthesis->modifier[j] = modifier;
		describe_column(synthesis, j);
	}
}

uint64
sdcpg_synthesis_digest(const SdcSynthesis *synthesis)
{
	SdcHost *kernel = &synthesis->host->kernel;
	uint64 bits = (uint64) synthesis->frame->rows;
	int32 i;
	int j;

	for (j = 0; j < synthesis->visited.count; j++)
	{
		int32 values = synthesis->column[j].values + 1;
		int32 *count = sdc_new(kernel, int32, values);

		memset(count, 0, sizeof(int32) * values);
		for (i = 0; i < synthesis->frame->rows; i++)
			count[synthesis->code[j][i] + 1]++;
		for (i = 0; i < values; i++)
			bits = sdc_random_mix(bits ^ (uint64) count[i]) + (uint64) i;
		kernel->release(kernel, count);
	}
	return bits;
}

/* ----------------------------------------------------------------------
 * Values of records.
 * ----------------------------------------------------------------------
 */

/* A number as a value of a type; whole numbers are rounded already. */
static Datum
number_datum(Oid base, int32 modifier, double x)
{
	Datum value;

	switch (base)
	{
		case INT2OID:
			return Int16GetDatum((int16) x);
		case INT4OID:
			return Int32GetDatum((int32) x);
		case INT8OID:
			return Int64GetDatum((int64) x);
		case FLOAT4OID:
			return Float4GetDatum((float4) x);
		case FLOAT8OID:
			return Float8GetDatum(x);
		case DATEOID:
			return DateADTGetDatum((DateADT) x);
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return TimestampGetDatum((Timestamp) x);
		case NUMERICOID:
			value = DirectFunctionCall1(float8_numeric, Float8GetDatum(x));
			return modifier < 0 ? value
								: DirectFunctionCall2(numeric, value,
													  Int32GetDatum(modifier));
		default:
			elog(ERROR, "numbers of type %u cannot be made", base);
	}
}

static Datum
make_value(const SdcSynthesis *synthesis, int j, int32 code, double number)
{
	if (isnan(number))
		return sdcpg_dictionary_value(synthesis->dictionary[j], code);
	return number_datum(synthesis->visited.column[j].base,
						synthesis->modifier[j], number);
}

/* The value of a record; false for NULL. */
static bool
record_value(const SdcSynthesis *synthesis, int j, int32 i, Datum *value)
{
	const SdcSequentialRecords *records = synthesis->records;
	int32 code = records->code[j][i];

	if (code < 0)
		return false;
	*value =
		make_value(synthesis, j, code,
				   records->number[j] != NULL ? records->number[j][i] : NAN);
	return true;
}

bool
sdcpg_synthesis_admits(void *arg, int32 i, int j, int32 code, double number)
{
	SdcSynthesis *synthesis = arg;
	MemoryContext caller;
	bool *isnull;
	Datum *value;
	const int *reads;
	int count;
	int k;
	bool hold;

	reads = sdcpg_row_checks_reads(synthesis->checks, j, &count);
	if (count == 0)
		return true;
	caller = MemoryContextSwitchTo(sdcpg_row_checks_memory(synthesis->checks));
	value = sdcpg_row_checks_values(synthesis->checks, &isnull);
	for (k = 0; k < count; k++)
	{
		int of = reads[k];
		int place = synthesis->checked.column[of].number - 1;

		isnull[place] = of == j
							? code < 0
							: !record_value(synthesis, of, i, &value[place]);
		if (of == j && code >= 0)
			value[place] = make_value(synthesis, j, code, number);
	}
	hold = sdcpg_row_checks_hold(synthesis->checks, j);
	MemoryContextSwitchTo(caller);
	return hold;
}

/* ----------------------------------------------------------------------
 * Drawing.
 * ----------------------------------------------------------------------
 */

static void
add_order(SdcSynthesis *synthesis, int a, int b)
{
	SdcSequentialOrder *order = (SdcSequentialOrder *) synthesis->task.order;
	int i;

	for (i = 0; i < 2; i++)
		if (synthesis->column[i == 0 ? a : b].number == NULL)
			sdcpg_params_wrong("ascending",
							   "lists of numbers, dates or timestamps");
	if (synthesis->visited.column[a].base != synthesis->visited.column[b].base)
		sdcpg_params_wrong("ascending", "lists of columns of one type");
	order[synthesis->task.orders].a = a;
	order[synthesis->task.orders++].b = b;
}

/* params.ascending: "born,admitted,discharged", or several of these. */
static void
read_ascending(SdcSynthesis *synthesis)
{
	List *lists = sdcpg_params_names(synthesis->params, "ascending");
	int room = 1;
	ListCell *cell;

	foreach (cell, lists)
		room += strlen(lfirst(cell));
	synthesis->task.order = palloc(sizeof(SdcSequentialOrder) * room);
	foreach (cell, lists)
	{
		char *rest = pstrdup(lfirst(cell));
		char *name;
		int before = -1;

		while ((name = sdcpg_params_next_name(&rest)) != NULL)
		{
			int place = visited_place(synthesis, "ascending", name);

			if (before >= 0)
				add_order(synthesis, before, place);
			before = place;
		}
	}
}

/*
 * The columns as those of the relation whose constraints hold; one of another
 * type there has no number.
 */
static SdcRelationColumns
checked_columns(const SdcSynthesis *synthesis)
{
	SdcRelationColumns columns = synthesis->visited;
	int j;

	columns.column = palloc(sizeof(SdcRelationColumn) * columns.count);
	for (j = 0; j < columns.count; j++)
	{
		const SdcRelationColumn *column = &synthesis->visited.column[j];
		AttrNumber number = number_in_like(synthesis, column);

		columns.column[j] = *column;
		if (number != InvalidAttrNumber &&
			sdcpg_relation_column(synthesis->like, column->name).base !=
				column->base)
			number = InvalidAttrNumber;
		columns.column[j].number = number;
	}
	return columns;
}

void
sdcpg_synthesis_task(SdcSynthesis *synthesis)
{
	SdcSequentialTask *task = &synthesis->task;
	char kind = get_rel_relkind(synthesis->like->oid);
	int64 drawn = synthesis->asked;

	task->rows = synthesis->frame->rows;
	task->columns = synthesis->visited.count;
	task->column = synthesis->column;
	task->drawn = (int32) (drawn == 0 ? task->rows : drawn);
	task->cp = sdcpg_params_number(synthesis->params, "cp", USUAL_CP, 0, 1);
	task->random = &synthesis->random;
	read_ascending(synthesis);
	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		return;
	synthesis->checked = checked_columns(synthesis);
	synthesis->checks = sdcpg_row_checks(synthesis->like, &synthesis->checked);
	if (sdcpg_row_checks_kept(synthesis->checks) == NIL)
		return;
	task->admits = sdcpg_synthesis_admits;
	task->arg = synthesis;
}

/* Draws under the guard: a constraint may raise what quotes a value. */
static void
draw(void *arg)
{
	SdcSynthesis *synthesis = arg;
	SdcHost *kernel = &synthesis->host->kernel;

	kernel->stage(kernel, "drawing");
	synthesis->records = sdc_sequential_records(kernel, &synthesis->task);
	synthesis->made =
		sdc_sequential_draw(kernel, &synthesis->task, synthesis->records);
}

void
sdcpg_synthesis_failed(const SdcSynthesis *synthesis)
{
	int j = 0;

	while (synthesis->records->step[j].failed < 0)
		j++;
	if (synthesis->records->step[j].rare > 0 &&
		synthesis->records->step[j].leaves == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" has rare values only",
						synthesis->visited.column[j].name),
				 errdetail("Fewer records have any of them than params.rare "
						   "asks for.")));
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("no value of column \"%s\" satisfies the constraints of a "
					"record",
					synthesis->visited.column[j].name),
			 errdetail("The columns drawn before it leave no value of the "
					   "original that the CHECK constraints, or "
					   "params.ascending, allow."),
			 errhint("Draw it before these columns (params.visit), or leave "
					 "out a column that is computed from others.")));
}

/* ----------------------------------------------------------------------
 * The target.
 * ----------------------------------------------------------------------
 */

/* A SELECT with the columns of the target. */
static char *
target_select(const SdcSynthesis *synthesis)
{
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	for (j = 0; j < synthesis->all.count; j++)
	{
		const SdcRelationColumn *column = &synthesis->all.column[j];

		appendStringInfo(&sql, "%s CAST(r.%s AS %s) AS %s",
						 j > 0 ? "," : "SELECT", column->sql,
						 sdcpg_relation_base_type(synthesis->relation, column),
						 column->sql);
	}
	appendStringInfo(&sql, " FROM %s AS r", synthesis->relation->sql);
	return sql.data;
}

/* The columns of the target as those of a plan that masks nothing. */
static SdcMaskPlan *
target_plan(const SdcRelation *relation, const SdcRelationColumns *columns)
{
	SdcMaskPlan *plan = palloc0(sizeof(SdcMaskPlan));
	int j;

	plan->relation = relation;
	plan->columns = columns->count;
	plan->column = palloc0(sizeof(SdcMaskColumn) * plan->columns);
	for (j = 0; j < plan->columns; j++)
		plan->column[j].column = columns->column[j];
	return plan;
}

/* A table that is to be made. */
typedef struct Creation
{
	SdcPgHost *host;
	const SdcTarget *target;
	const char *select;
} Creation;

static void
create(void *arg)
{
	const Creation *creation = arg;

	sdcpg_target_create_empty(creation->host, creation->target,
							  creation->select, NULL);
}

SdcMaskSink *
sdcpg_synthesis_target(SdcPgHost *host, SdcTarget *target, const char *select,
					   const SdcRelation *relation,
					   const SdcRelationColumns *columns)
{
	Creation creation = {host, target, select};

	sdcpg_mask_guard_own(target->name, create, &creation);
	CommandCounterIncrement();
	return sdcpg_mask_sink_open(
		target_plan(relation, columns),
		get_relname_relid(target->name, target->schema), InvalidOid, false,
		HELD_BYTES, NULL);
}

/*
 * Where each column of the target is among those drawn; -1: numbered, a fake,
 * or a key to another table.
 */
static int *
places_of(const SdcSynthesis *synthesis)
{
	int *place = palloc(sizeof(int) * synthesis->all.count);
	int j;

	for (j = 0; j < synthesis->all.count; j++)
		place[j] =
			synthesis->numbered[j] || synthesis->fake[j] != NULL ||
					(synthesis->value != NULL && synthesis->value[j] != NULL)
				? -1
				: visited_place(synthesis, "columns",
								synthesis->all.column[j].name);
	return place;
}

/* The number in a column that is not drawn; PG_INT64_MIN: NULL. */
static int64
key_of(const SdcSynthesis *synthesis, int j, int32 i)
{
	return synthesis->value != NULL && synthesis->value[j] != NULL
			   ? synthesis->value[j][i]
			   : (int64) i + 1;
}

/* The value of a record in a column of the target; false for NULL. */
static bool
target_value(const SdcSynthesis *synthesis, int j, int place, int32 i,
			 Datum *value)
{
	int64 key;

	if (place >= 0)
		return record_value(synthesis, place, i, value);
	if (synthesis->fake[j] != NULL)
	{
		*value = sdcpg_synthetic_fake_value(synthesis, synthesis->fake[j]);
		return true;
	}
	key = key_of(synthesis, j, i);
	if (key == PG_INT64_MIN)
		return false;
	*value = number_datum(synthesis->all.column[j].base, -1, (double) key);
	return true;
}

static void
write_rows(SdcSynthesis *synthesis, SdcMaskSink *sink)
{
	SdcHost *kernel = &synthesis->host->kernel;
	MemoryContext row = AllocSetContextCreate(
		CurrentMemoryContext, "sdc synthetic row", ALLOCSET_SMALL_SIZES);
	Datum *value = palloc(sizeof(Datum) * synthesis->all.count);
	bool *isnull = palloc(sizeof(bool) * synthesis->all.count);
	int *place = places_of(synthesis);
	MemoryContext caller;
	int32 i;
	int j;

	sdcpg_synthetic_fakes_begin(synthesis);
	for (i = 0; i < synthesis->task.drawn; i++)
	{
		if (synthesis->dropped != NULL && synthesis->dropped[i])
			continue;
		MemoryContextReset(row);
		caller = MemoryContextSwitchTo(row);
		sdcpg_synthetic_fakes_next(synthesis, i);
		for (j = 0; j < synthesis->all.count; j++)
			isnull[j] = !target_value(synthesis, j, place[j], i, &value[j]);
		MemoryContextSwitchTo(caller);
		sdcpg_mask_sink_put(sink, value, isnull);
		if (i % 1024 == 0)
			kernel->poll(kernel, i, synthesis->task.drawn);
	}
	MemoryContextDelete(row);
}

void
sdcpg_synthesis_write(SdcSynthesis *synthesis)
{
	SdcMaskSink *sink = sdcpg_synthesis_target(
		synthesis->host, synthesis->target, target_select(synthesis),
		synthesis->relation, &synthesis->all);

	if (synthesis->records != NULL || synthesis->related)
		write_rows(synthesis, sink);
	(void) sdcpg_mask_sink_close(sink);
	CommandCounterIncrement();
	sdcpg_nulls_inherit(synthesis->relation->oid, synthesis->target);
}

/* ----------------------------------------------------------------------
 * What was done.
 * ----------------------------------------------------------------------
 */

/* "1 value", "5 values" */
static char *
counted(int64 count, const char *one, const char *many)
{
	return psprintf(INT64_FORMAT " %s", count, count == 1 ? one : many);
}

static void
put_drawn(const SdcSynthesis *synthesis, ReturnSetInfo *result, int j)
{
	const SdcSequentialColumn *column = &synthesis->column[j];
	SdcSequentialStep none = {0};
	const SdcSequentialStep *done =
		synthesis->records != NULL ? &synthesis->records->step[j] : &none;
	SdcStep step = SDC_STEP("draw");
	int before = synthesis->task.given + j;
	StringInfoData detail;

	initStringInfo(&detail);
	appendStringInfo(&detail, "From %s of %s, %d of %s in the smallest",
					 counted(done->leaves, "leaf", "leaves"),
					 before == 0
						 ? "no column"
						 : counted(before, "column before", "columns before"),
					 done->smallest, "the originals");
	if (column->smooth)
		appendStringInfo(&detail, "; %s smoothed",
						 counted(done->smoothed, "number", "numbers"));
	if (done->rare > 0)
		appendStringInfo(&detail, "; %s not drawn",
						 counted(done->rare, "rare value", "rare values"));
	if (done->climbed > 0)
		appendStringInfo(&detail,
						 "; %s a donor outside the leaf, by a constraint",
						 counted(done->climbed, "record has", "records have"));
	appendStringInfoChar(&detail, '.');
	step.subject = synthesis->visited.column[j].name;
	step.method =
		column->number != NULL ? "regression tree" : "classification tree";
	step.rows = synthesis->task.drawn;
	step.detail = detail.data;
	sdcpg_step_put(result, &step);
}

static void
put_line(ReturnSetInfo *result, const char *name, const char *subject,
		 const char *detail)
{
	SdcStep step = SDC_STEP(name);

	step.subject = subject;
	step.detail = detail;
	sdcpg_step_put(result, &step);
}

static void
put_columns(const SdcSynthesis *synthesis, ReturnSetInfo *result)
{
	ListCell *cell;
	int j;

	for (j = 0; j < synthesis->visited.count; j++)
		put_drawn(synthesis, result, j);
	for (j = 0; j < synthesis->all.count; j++)
		if (synthesis->numbered[j])
			put_line(result, "number", synthesis->all.column[j].name,
					 "A key: numbered anew from 1.");
		else if (synthesis->fake[j] != NULL)
			put_line(result, "fake", synthesis->all.column[j].name,
					 sdcpg_synthetic_fake_says(synthesis->fake[j]));
	foreach (cell, synthesis->withheld)
	{
		const SdcWithheld *withheld = lfirst(cell);

		put_line(result, "withhold", withheld->name, withheld->reason);
	}
	if (synthesis->checks == NULL)
		return;
	foreach (cell, sdcpg_row_checks_kept(synthesis->checks))
		put_line(result, "constraint", lfirst(cell), "Holds in every record.");
	foreach (cell, sdcpg_row_checks_left(synthesis->checks))
		put_line(result, "not covered", lfirst(cell),
				 "A CHECK that is not valid, reads a column that is not "
				 "drawn, or may run what a user has written: not looked "
				 "at.");
}

/* The codes of both files, column by column; smoothed numbers are their own */
static int32 *
united_codes(const SdcSynthesis *synthesis, int j, const int32 *shuffled)
{
	const SdcSequentialRecords *records = synthesis->records;
	const SdcSequentialColumn *column = &synthesis->column[j];
	int32 rows = synthesis->task.rows;
	int32 drawn = synthesis->task.drawn;
	int32 *code = sdc_new(&synthesis->host->kernel, int32, rows + drawn);
	int32 i;

	memcpy(code, synthesis->code[j], sizeof(int32) * rows);
	for (i = 0; i < drawn; i++)
	{
		int32 from = shuffled != NULL ? shuffled[i] : i;
		double number =
			records->number[j] != NULL ? records->number[j][from] : NAN;
		int32 own = records->code[j][from];

		code[rows + i] = isnan(number) || number == column->number[own]
							 ? own
							 : column->values;
	}
	return code;
}

/*
 * How many originals that are alone in their class are alone among the
 * synthetic records, too; each column shuffled by itself when that is asked.
 */
static int64
count_repeated(SdcSynthesis *synthesis, bool shuffle)
{
	SdcHost *kernel = &synthesis->host->kernel;
	int32 rows = synthesis->task.rows;
	int32 drawn = synthesis->task.drawn;
	int32 *class_of = sdc_new(kernel, int32, rows + drawn);
	int32 *order = sdc_new(kernel, int32, drawn);
	int32 *seen;
	int32 classes = 0;
	int64 repeated = 0;
	int32 i;
	int j;

	memset(class_of, 0, sizeof(int32) * (rows + drawn));
	for (i = 0; i < drawn; i++)
		order[i] = i;
	for (j = 0; j < synthesis->visited.count; j++)
	{
		int32 *code;

		for (i = drawn - 1; shuffle && i > 0; i--)
		{
			int32 other = sdc_random_below(&synthesis->random, i + 1);
			int32 swap = order[i];

			order[i] = order[other];
			order[other] = swap;
		}
		code = united_codes(synthesis, j, order);
		classes =
			sdc_grouping_refine(kernel, rows + drawn, code, false, class_of);
		kernel->release(kernel, code);
	}
	seen = sdc_new(kernel, int32, 2 * (Size) classes + 2);
	memset(seen, 0, sizeof(int32) * (2 * (Size) classes + 2));
	for (i = 0; i < rows + drawn; i++)
		seen[2 * (Size) class_of[i] + (i >= rows)]++;
	for (i = 0; i < classes; i++)
		repeated += seen[2 * (Size) i] == 1 && seen[2 * (Size) i + 1] == 1;
	kernel->release(kernel, class_of);
	kernel->release(kernel, order);
	kernel->release(kernel, seen);
	return repeated;
}

static void
put_summary(SdcSynthesis *synthesis, ReturnSetInfo *result)
{
	SdcStep step = SDC_STEP("write");
	int64 repeated;
	int64 chance;

	step.subject = synthesis->target->sql;
	step.method = "synthesize";
	step.rows = synthesis->records != NULL || synthesis->related
					? synthesis->task.drawn - synthesis->drops
					: 0;
	if (synthesis->visited.count == 0)
		step.detail = "No column is drawn, only keys.";
	else if (synthesis->records == NULL)
		step.detail = "There are no records to learn from.";
	else if ((int64) synthesis->task.rows + synthesis->task.drawn <=
			 SDC_MAX_ROWS)
	{
		repeated = count_repeated(synthesis, false);
		chance = count_repeated(synthesis, true);
		step.detail = psprintf(
			"%s unique in these columns in the original and unique again "
			"here; with columns drawn independently it would be " INT64_FORMAT
			".",
			counted(repeated, "record is", "records are"), chance);
	}
	sdcpg_step_put(result, &step);
}

void
sdcpg_synthesis_report(SdcSynthesis *synthesis, ReturnSetInfo *result)
{
	put_columns(synthesis, result);
	put_summary(synthesis, result);
}

/* ----------------------------------------------------------------------
 * sdc.synthesize.
 * ----------------------------------------------------------------------
 */

/* Puts the columns after the first ones in the order of their dependence. */
static void
order_by_dependence(SdcSynthesis *synthesis, int first)
{
	int count = synthesis->visited.count;
	SdcSequentialTask task = {.rows = synthesis->frame->rows,
							  .columns = count,
							  .column = synthesis->column};
	SdcSynthesis before = *synthesis;
	int *order = palloc(sizeof(int) * count);
	int j;

	if (task.rows == 0)
		return;
	sdc_sequential_order(&synthesis->host->kernel, &task, first, order);
	synthesis->visited.column = palloc(sizeof(SdcRelationColumn) * count);
	synthesis->dictionary = palloc(sizeof(SdcDictionary *) * count);
	synthesis->code = palloc(sizeof(int32 *) * count);
	synthesis->column = palloc(sizeof(SdcSequentialColumn) * count);
	synthesis->modifier = palloc(sizeof(int32) * count);
	for (j = 0; j < count; j++)
	{
		synthesis->visited.column[j] = before.visited.column[order[j]];
		synthesis->dictionary[j] = before.dictionary[order[j]];
		synthesis->code[j] = before.code[order[j]];
		synthesis->column[j] = before.column[order[j]];
		synthesis->modifier[j] = before.modifier[order[j]];
	}
}

/* The relation that params.like names, or the one that is read. */
static const SdcRelation *
find_like(const SdcSynthesis *synthesis)
{
	char *name = sdcpg_params_text(synthesis->params, "like");
	const SdcRelation *like;

	if (name == NULL)
		return synthesis->relation;
	like = sdcpg_relation_named(name);
	sdcpg_roles_need_reader(like);
	return like;
}

/* Returns how many columns are named to be drawn first. */
static int
read_arguments(FunctionCallInfo fcinfo, SdcSynthesis *synthesis)
{
	int first;

	memset(synthesis, 0, sizeof(*synthesis));
	sdcpg_args_need_first(fcinfo, 2);
	synthesis->params = PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3);
	sdcpg_params_check(synthesis->params, params_keys);
	synthesis->asked = sdcpg_params_integer(synthesis->params, "rows", 0, 1,
											SDC_MAX_ROWS - 1);
	synthesis->relation = sdcpg_relation_find(PG_GETARG_OID(0));
	synthesis->like = find_like(synthesis);
	sdcpg_synthesis_columns(synthesis,
							PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2));
	sdcpg_synthetic_fakes_check(synthesis->params, list_make1(synthesis));
	first = order_visit(synthesis);
	sdcpg_target_need_all_rows(synthesis->relation,
							   sdcpg_params_choice(synthesis->params, "rls",
												   sdcpg_row_security_words) ==
								   SDC_ROW_SECURITY_ALLOW);
	synthesis->target = sdcpg_target_find(PG_GETARG_TEXT_PP(1));
	return first;
}

/*
 * synthesize(relation regclass, target text, columns columns, params jsonb,
 *            seed bigint)
 */
Datum
sdcf_synthesize(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcSynthesis synthesis;
	int first = read_arguments(fcinfo, &synthesis);

	synthesis.host = sdcpg_host_begin("synthesize", CurrentMemoryContext);
	sdcpg_synthesis_load(&synthesis);
	order_by_dependence(&synthesis, first);
	if (PG_ARGISNULL(4))
		sdcpg_strong_random(&synthesis.random);
	else
		sdc_random_seed(&synthesis.random, (uint64) PG_GETARG_INT64(4),
						sdcpg_synthesis_digest(&synthesis));
	sdcpg_synthesis_task(&synthesis);
	if (synthesis.frame->rows > 0)
	{
		sdcpg_mask_guard(synthesis.relation->name, draw, &synthesis);
		if (!synthesis.made)
			sdcpg_synthesis_failed(&synthesis);
	}
	sdcpg_synthesis_write(&synthesis);
	sdcpg_synthesis_report(&synthesis, result);
	sdcpg_host_end(synthesis.host);
	return (Datum) 0;
}
