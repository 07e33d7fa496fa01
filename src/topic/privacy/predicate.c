/*
 * predicate.c
 *		A condition that a stranger writes, and that can only choose rows.
 *
 * The text is never pasted into a query.  It is parsed by itself; its raw
 * tree may hold nodes of a short list only, so that analysing it calls no
 * code but that of PostgreSQL's own types, on constants.  It is analysed
 * against the one relation, constants are folded, and the result is checked
 * again, function by function.
 *
 * It never becomes part of a query: which rows it chooses would show in what
 * the executor reads.  Here each row is tested when it has been read, by the
 * same work whatever it holds.  What values still cost more or less is kept
 * small beside the rest by limits: who asks could multiply it, and the time of
 * one answer would tell of one row.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_clause.h"
#include "parser/parse_collate.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "parser/parse_type.h"
#include "tcop/tcopprot.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"

#include "host/call/relation.h"
#include "host/server/compat.h"
#include "topic/privacy/predicate.h"

static void
refuse(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("a predicate must not contain %s", what),
			 errdetail("It may compare columns with constants or each other, "
					   "by operators of PostgreSQL that cannot fail, joined "
					   "by AND, OR, NOT, IN, BETWEEN and IS NULL.")));
}

/* Bytes of a predicate, and tests that it makes of a row, at the most. */
#define MOST_BYTES 100000
#define MOST_TESTS 1000

/* Of a predicate, or of a constant in it, which a cast can make longer. */
static void
check_length(Size length)
{
	if (length > MOST_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the predicate is longer than %d bytes", MOST_BYTES),
				 errdetail("Long values take longer to compare: time "
						   "would tell of single rows.")));
}

static const char *const fallible =
	"operators that may fail, or that tell of the values they compare";

/* Positions in errors are those in another text than the caller's query. */
static void
hide_position(void *arg)
{
	errposition(0);
}

/* The raw tree of an expression that stands alone. */
static Node *
parse(const char *predicate)
{
	List *parsed = pg_parse_query(psprintf("SELECT %s", predicate));
	SelectStmt *select;
	ResTarget *target;

	if (list_length(parsed) != 1 ||
		!IsA(linitial_node(RawStmt, parsed)->stmt, SelectStmt))
		refuse("anything but one condition");
	select = (SelectStmt *) linitial_node(RawStmt, parsed)->stmt;
	if (select->op != SETOP_NONE || list_length(select->targetList) != 1 ||
		select->distinctClause != NIL || select->intoClause != NULL ||
		select->fromClause != NIL || select->whereClause != NULL ||
		select->groupClause != NIL || select->havingClause != NULL ||
		select->windowClause != NIL || select->valuesLists != NIL ||
		select->sortClause != NIL || select->limitOffset != NULL ||
		select->limitCount != NULL || select->lockingClause != NIL ||
		select->withClause != NULL)
		refuse("anything but one condition");
	target = linitial_node(ResTarget, select->targetList);
	if (target->name != NULL || target->indirection != NIL)
		refuse("anything but one condition");
	return target->val;
}

/* An operator is written by its name or as OPERATOR(pg_catalog.=). */
static void
check_operator_name(List *name)
{
	if (list_length(name) > 1 &&
		(list_length(name) != 2 ||
		 strcmp(strVal(linitial(name)), "pg_catalog") != 0))
		refuse("operators that are not PostgreSQL's own");
}

static void
check_type_name(ParseState *state, TypeName *name)
{
	Oid oid = typenameTypeId(state, name);
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(oid));
	Oid schema;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", oid);
	schema = ((Form_pg_type) GETSTRUCT(tuple))->typnamespace;
	ReleaseSysCache(tuple);
	if (schema != PG_CATALOG_NAMESPACE || name->setof || name->pct_type)
		refuse("casts to types that are not PostgreSQL's own");
}

static void check_raw(ParseState *state, Node *node);

static void
check_raw_list(ParseState *state, List *list)
{
	ListCell *cell;

	foreach (cell, list)
		check_raw(state, lfirst(cell));
}

/* "*" is a field, too, and nothing that can be analysed as a value. */
static void
check_raw_column(ColumnRef *column)
{
	ListCell *cell;

	foreach (cell, column->fields)
		if (!IsA(lfirst(cell), String))
			refuse("whole rows");
}

static void
check_raw_operator(ParseState *state, A_Expr *expression)
{
	switch (expression->kind)
	{
		case AEXPR_OP:
		case AEXPR_OP_ANY:
		case AEXPR_OP_ALL:
		case AEXPR_DISTINCT:
		case AEXPR_NOT_DISTINCT:
		case AEXPR_IN:
		case AEXPR_BETWEEN:
		case AEXPR_NOT_BETWEEN:
		case AEXPR_BETWEEN_SYM:
		case AEXPR_NOT_BETWEEN_SYM:
			break;
		default:
			refuse("patterns, NULLIF or the like");
	}
	check_operator_name(expression->name);
	check_raw(state, expression->lexpr);
	check_raw(state, expression->rexpr);
}

/* Before analysis: no functions by name, no subqueries, no parameters. */
static void
check_raw(ParseState *state, Node *node)
{
	check_stack_depth();
	if (node == NULL)
		return;
	switch (nodeTag(node))
	{
		case T_A_Const:
			return;
		case T_ColumnRef:
			check_raw_column((ColumnRef *) node);
			return;
		case T_List:
			check_raw_list(state, (List *) node);
			return;
		case T_A_Expr:
			check_raw_operator(state, (A_Expr *) node);
			return;
		case T_BoolExpr:
			check_raw_list(state, ((BoolExpr *) node)->args);
			return;
		case T_NullTest:
			check_raw(state, (Node *) ((NullTest *) node)->arg);
			return;
		case T_BooleanTest:
			check_raw(state, (Node *) ((BooleanTest *) node)->arg);
			return;
		case T_A_ArrayExpr:
			check_raw_list(state, ((A_ArrayExpr *) node)->elements);
			return;
		case T_TypeCast:
			check_type_name(state, ((TypeCast *) node)->typeName);
			check_raw(state, ((TypeCast *) node)->arg);
			return;
		case T_FuncCall:
			refuse("function calls");
			return;
		case T_SubLink:
			refuse("subqueries");
			return;
		default:
			refuse("anything but comparisons of columns and constants");
	}
}

/*
 * Comparisons that PostgreSQL does not call leakproof only because they take
 * a value apart that could be damaged; on whole values they cannot fail.
 */
static bool
is_comparison(Oid function)
{
	switch (function)
	{
		case F_NUMERIC_EQ:
		case F_NUMERIC_NE:
		case F_NUMERIC_LT:
		case F_NUMERIC_LE:
		case F_NUMERIC_GT:
		case F_NUMERIC_GE:
		case F_ENUM_EQ:
		case F_ENUM_NE:
			return true;
		default:
			return false;
	}
}

static bool
is_harmless(Oid function)
{
	return is_comparison(function) ||
		   (func_volatile(function) == PROVOLATILE_IMMUTABLE &&
			get_func_leakproof(function));
}

static void
check_function(Oid function, const char *what)
{
	if (!is_harmless(function))
		refuse(what);
}

/*
 * context: NULL, or where a part of a comparison is.  AND, OR and lists there
 * would stop at the first part that decides.
 */
static bool check_node(Node *node, void *context);

static void
check_joined(const void *comparison)
{
	if (comparison != NULL)
		refuse("AND, OR or lists within a comparison");
}

static void
check_constant(const Const *constant)
{
	if (!constant->constisnull)
		check_length(datumGetSize(constant->constvalue, constant->constbyval,
								  constant->constlen));
}

static void
check_variable(const Var *variable)
{
	if (variable->varattno == InvalidAttrNumber)
		refuse("whole rows");
	if (variable->varattno < 0)
		refuse("system columns");
	if (variable->varlevelsup != 0)
		refuse("anything but columns of the data set");
}

/*
 * A comparison of texts of two collations fails on the first row where both
 * are there.
 */
static void
check_collation(List *arguments, Oid collation)
{
	ListCell *cell;

	foreach (cell, arguments)
		if (!OidIsValid(collation) &&
			type_is_collatable(exprType(lfirst(cell))))
			refuse("comparisons of texts whose collations differ");
}

/*
 * Others than comparisons may be leakproof as well and fail: ^@ does on the
 * first text whose collation is nondeterministic.
 */
static void
check_operator(Oid operator, Oid function, List *arguments, Oid collation)
{
	static const char *const comparison[] = {"=", "<>", "<", "<=", ">", ">="};
	char *name = get_opname(operator);
	int i = 0;

	while (i < lengthof(comparison) &&
		   (name == NULL || strcmp(name, comparison[i]) != 0))
		i++;
	if (i == lengthof(comparison))
		refuse(fallible);
	check_function(function, fallible);
	check_collation(arguments, collation);
}

/* After analysis: every function that would run is known. */
static bool
check_node(Node *node, void *context)
{
	check_stack_depth();
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
			check_variable((Var *) node);
			return false;
		case T_Const:
			check_constant((Const *) node);
			break;
		case T_List:
		case T_BooleanTest:
		case T_RelabelType:
		case T_ArrayExpr:
			break;
		case T_BoolExpr:
			check_joined(context);
			break;
		case T_NullTest:
			/* the type is looked up when the first row has a value */
			if (((NullTest *) node)->argisrow)
				refuse("values that are rows");
			break;
		case T_OpExpr:
		case T_DistinctExpr:
			set_opfuncid((OpExpr *) node);
			check_operator(
				((OpExpr *) node)->opno, ((OpExpr *) node)->opfuncid,
				((OpExpr *) node)->args, ((OpExpr *) node)->inputcollid);
			return expression_tree_walker(node, check_node, node);
		case T_ScalarArrayOpExpr:
			check_joined(context);
			set_sa_opfuncid((ScalarArrayOpExpr *) node);
			check_operator(((ScalarArrayOpExpr *) node)->opno,
						   ((ScalarArrayOpExpr *) node)->opfuncid,
						   ((ScalarArrayOpExpr *) node)->args,
						   ((ScalarArrayOpExpr *) node)->inputcollid);
			return expression_tree_walker(node, check_node, node);
		case T_FuncExpr:
			check_function(((FuncExpr *) node)->funcid, "casts that may fail");
			break;
		default:
			refuse("casts that may fail, or anything else that may");
	}
	return expression_tree_walker(node, check_node, context);
}

/* The analysed condition, its constants folded. */
static Node *
analyse(const SdcRelation *relation, const char *predicate)
{
	ParseState *state = make_parsestate(NULL);
	Relation opened = table_open(relation->oid, AccessShareLock);
	Node *raw = parse(predicate);
	ParseNamespaceItem *item;
	Node *condition;

	check_raw(state, raw);
	item = addRangeTableEntryForRelation(state, opened, AccessShareLock, NULL,
										 true, false);
	addNSItemToQuery(state, item, false, true, true);
	condition = transformWhereClause(state, raw, EXPR_KIND_WHERE, "predicate");
	assign_expr_collations(state, condition);
	free_parsestate(state);
	table_close(opened, NoLock);
	return eval_const_expressions(NULL, condition);
}

/*
 * Truth of a test, or of a condition: AND is the least, OR the most.  No
 * branch depends on it: what cannot be foreseen takes a processor longer.
 */
enum
{
	UNTRUE,
	UNKNOWN,
	CERTAIN
};

#define TRUTH(truth) (1 << (truth))

/* The truths that IS TRUE and the like hold for. */
static int
truths_of(const Node *node)
{
	if (IsA(node, NullTest))
		return ((const NullTest *) node)->nulltesttype == IS_NULL
				   ? TRUTH(UNKNOWN)
				   : TRUTH(UNTRUE) | TRUTH(CERTAIN);
	switch (((const BooleanTest *) node)->booltesttype)
	{
		case IS_TRUE:
			return TRUTH(CERTAIN);
		case IS_NOT_TRUE:
			return TRUTH(UNTRUE) | TRUTH(UNKNOWN);
		case IS_FALSE:
			return TRUTH(UNTRUE);
		case IS_NOT_FALSE:
			return TRUTH(CERTAIN) | TRUTH(UNKNOWN);
		case IS_UNKNOWN:
			return TRUTH(UNKNOWN);
		default:
			return TRUTH(UNTRUE) | TRUTH(CERTAIN);
	}
}

/* What IS TRUE, IS NULL and the like ask of; NULL for anything else. */
static Node *
asked_of(const Node *node)
{
	return IsA(node, BooleanTest) ? (Node *) ((const BooleanTest *) node)->arg
		   : IsA(node, NullTest)  ? (Node *) ((const NullTest *) node)->arg
								  : NULL;
}

/* Is a condition made of more than one test? */
static bool
is_joined(const Node *node)
{
	Node *asked = asked_of(node);

	return IsA(node, BoolExpr) || IsA(node, ScalarArrayOpExpr) ||
		   (asked != NULL && is_joined(asked));
}

static void
note_tests(int *tests, int more)
{
	*tests += more;
	if (more > MOST_TESTS || *tests > MOST_TESTS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the predicate makes more than %d comparisons",
						MOST_TESTS),
				 errdetail("A list makes as many as it has elements. Time "
						   "would tell of single rows.")));
}

static bool
count_operators(Node *node, void *count)
{
	if (node == NULL)
		return false;
	*(int *) count += IsA(node, OpExpr) || IsA(node, DistinctExpr);
	return expression_tree_walker(node, count_operators, count);
}

static SdcCondition *
cut_test(Node *node, int *tests)
{
	SdcCondition *condition = palloc0(sizeof(SdcCondition));
	int operators = 0;

	(void) count_operators(node, &operators);
	note_tests(tests, Max(operators, 1));
	condition->test = node;
	return condition;
}

/* The elements of an array of constants. */
static List *
constant_elements(const Const *constant, int *tests)
{
	ArrayType *array = DatumGetArrayTypeP(constant->constvalue);
	Oid type = ARR_ELEMTYPE(array);
	List *elements = NIL;
	Datum *value;
	bool *isnull;
	int16 length;
	bool by_value;
	char align;
	int count;
	int i;

	note_tests(tests, ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)));
	get_typlenbyvalalign(type, &length, &by_value, &align);
	deconstruct_array(array, type, length, by_value, align, &value, &isnull,
					  &count);
	for (i = 0; i < count; i++)
		elements = lappend(elements,
						   makeConst(type, -1, constant->constcollid, length,
									 value[i], isnull[i], by_value));
	return elements;
}

/* "column = ANY (list)" as one test for each element; NULL for a column. */
static SdcCondition *
cut_list(const ScalarArrayOpExpr *list, int *tests)
{
	Node *array = lsecond(list->args);
	SdcCondition *condition = palloc0(sizeof(SdcCondition));
	int counted = 0;
	List *elements;
	ListCell *cell;

	if (IsA(array, ArrayExpr) && ((ArrayExpr *) array)->multidims)
		refuse("arrays of arrays");
	if (IsA(array, ArrayExpr))
		elements = ((ArrayExpr *) array)->elements;
	else if (IsA(array, Const) && !((Const *) array)->constisnull)
		elements = constant_elements((Const *) array, &counted);
	else
		return NULL;
	condition->join = list->useOr ? OR_EXPR : AND_EXPR;
	condition->part =
		palloc(sizeof(SdcCondition *) * (list_length(elements) + 1));
	foreach (cell, elements)
	{
		OpExpr *comparison = (OpExpr *) make_opclause(
			list->opno, BOOLOID, false, linitial(list->args), lfirst(cell),
			InvalidOid, list->inputcollid);

		comparison->opfuncid = list->opfuncid;
		condition->part[condition->parts++] =
			cut_test((Node *) comparison, tests);
	}
	return condition;
}

/*
 * The tree of a checked condition, cut at AND, OR, NOT, lists, and IS TRUE and
 * the like of these; counts its tests.
 */
static SdcCondition *
cut(Node *node, int *tests)
{
	SdcCondition *condition = NULL;
	List *parts = NIL;
	ListCell *cell;

	check_stack_depth();
	if (IsA(node, ScalarArrayOpExpr))
		condition = cut_list((ScalarArrayOpExpr *) node, tests);
	if (condition != NULL)
		return condition;
	if (!is_joined(node) || IsA(node, ScalarArrayOpExpr))
		return cut_test(node, tests);
	condition = palloc0(sizeof(SdcCondition));
	if (IsA(node, BoolExpr))
	{
		condition->join = ((BoolExpr *) node)->boolop;
		parts = ((BoolExpr *) node)->args;
	}
	else
	{
		condition->truths = truths_of(node);
		parts = list_make1(asked_of(node));
	}
	condition->part = palloc(sizeof(SdcCondition *) * list_length(parts));
	foreach (cell, parts)
		condition->part[condition->parts++] = cut(lfirst(cell), tests);
	return condition;
}

static bool
add_columns(Node *node, void *columns)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		*(Bitmapset **) columns =
			bms_add_member(*(Bitmapset **) columns, ((Var *) node)->varattno);
	return expression_tree_walker(node, add_columns, columns);
}

SdcPredicate *
sdcpg_predicate_check(const SdcRelation *relation, const char *predicate)
{
	SdcPredicate *checked = palloc0(sizeof(SdcPredicate));
	ErrorContextCallback callback;
	Node *condition;
	int tests = 0;

	check_length(strlen(predicate));
	callback.callback = hide_position;
	callback.arg = NULL;
	callback.previous = error_context_stack;
	error_context_stack = &callback;
	condition = analyse(relation, predicate);
	error_context_stack = callback.previous;
	(void) check_node(condition, NULL);
	checked->sql = deparse_expression(
		condition, deparse_context_for("r", relation->oid), true, false);
	(void) add_columns(condition, &checked->columns);
	checked->condition = cut(condition, &tests);
	return checked;
}

/* A column of the relation as a column of the scan. */
static Node *
place_columns(Node *node, void *scan)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
	{
		Var *placed = copyObject((Var *) node);

		placed->varattno =
			(AttrNumber) (sdcpg_scan_place(scan, placed->varattno) + 1);
		return (Node *) placed;
	}
	return expression_tree_mutator(node, place_columns, scan);
}

/*
 * A strict operator on columns and constants: most tests are one, and a call
 * of its function costs a third of what PostgreSQL's interpreter of
 * expressions does.
 */
typedef struct SdcComparison
{
	FmgrInfo function;
	int place[2]; /* of columns; below 0: CONSTANT or ELEMENT */
	FunctionCallInfo call;
	/* with elements of a column of arrays, any of which is enough, or all */
	int array; /* its place; CONSTANT: there is none */
	bool any;
	/* of integers: which outcomes are true, as bits; 0: of other types */
	int outcomes;
	Oid type[2];
	/* are both of one type, so that either can stand in for a NULL? */
	bool alike;
} SdcComparison;

/* Operands that are no columns. */
enum
{
	CONSTANT = -1,
	ELEMENT = -2
};

/* Outcomes of a comparison. */
enum
{
	LESS = 1,
	EQUAL = 2,
	GREATER = 4
};

/* A column or a constant as an operand; false when it is neither. */
static bool
take_operand(SdcComparison *comparison, int number, Node *node)
{
	NullableDatum *operand = &comparison->call->args[number];

	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	comparison->place[number] = CONSTANT;
	if (IsA(node, CaseTestExpr))
		comparison->place[number] = ELEMENT;
	else if (IsA(node, Var))
		comparison->place[number] = ((Var *) node)->varattno - 1;
	else if (IsA(node, Const))
	{
		operand->value = ((Const *) node)->constvalue;
		operand->isnull = ((Const *) node)->constisnull;
	}
	else
		return false;
	return true;
}

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

/*
 * Integers are compared here: a call of a function for each row costs more
 * than all else that is done with it.
 */
static void
compare_integers(SdcComparison *comparison, const OpExpr *operation)
{
	static const struct
	{
		const char *name;
		int outcomes;
	} meaning[] = {{"=", EQUAL},   {"<>", LESS | GREATER},
				   {"<", LESS},    {"<=", LESS | EQUAL},
				   {">", GREATER}, {">=", GREATER | EQUAL}};
	char *name = get_opname(operation->opno);
	int i;

	for (i = 0; i < 2; i++)
		comparison->type[i] = exprType(list_nth(operation->args, i));
	if (operation->opno >= FirstNormalObjectId || name == NULL ||
		!is_integer(comparison->type[0]) || !is_integer(comparison->type[1]))
		return;
	for (i = 0; i < lengthof(meaning); i++)
		if (strcmp(name, meaning[i].name) == 0)
			comparison->outcomes = meaning[i].outcomes;
}

/* What is done with an element of a column of arrays; NULL: no column. */
static OpExpr *
element_operation(SdcComparison *comparison, const ScalarArrayOpExpr *list)
{
	Node *array = lsecond(list->args);
	CaseTestExpr *element = makeNode(CaseTestExpr);
	OpExpr *operation;

	element->typeId = get_base_element_type(exprType(array));
	element->typeMod = -1;
	element->collation = exprCollation(array);
	while (IsA(array, RelabelType))
		array = (Node *) ((RelabelType *) array)->arg;
	if (!IsA(array, Var))
		return NULL;
	comparison->array = ((Var *) array)->varattno - 1;
	comparison->any = list->useOr;
	operation = (OpExpr *) make_opclause(
		list->opno, BOOLOID, false, linitial(list->args), (Expr *) element,
		InvalidOid, list->inputcollid);
	operation->opfuncid = list->opfuncid;
	return operation;
}

/* The comparison that a test is, its columns those of the scan; or NULL. */
static SdcComparison *
make_comparison(Node *test)
{
	OpExpr *operation = IsA(test, OpExpr) ? (OpExpr *) test : NULL;
	SdcComparison *comparison = palloc0(sizeof(SdcComparison));
	int i;

	comparison->array = CONSTANT;
	if (IsA(test, ScalarArrayOpExpr))
		operation = element_operation(comparison, (ScalarArrayOpExpr *) test);
	if (operation == NULL || list_length(operation->args) != 2)
		return NULL;
	fmgr_info(operation->opfuncid, &comparison->function);
	fmgr_info_set_expr((Node *) operation, &comparison->function);
	if (!comparison->function.fn_strict)
		return NULL;
	comparison->call = palloc0(SizeForFunctionCallInfo(2));
	InitFunctionCallInfoData(*comparison->call, &comparison->function, 2,
							 operation->inputcollid, NULL, NULL);
	for (i = 0; i < 2; i++)
		if (!take_operand(comparison, i, list_nth(operation->args, i)))
			return NULL;
	compare_integers(comparison, operation);
	comparison->alike = comparison->type[0] == comparison->type[1];
	return comparison;
}

/*
 * PostgreSQL looks a collation up when the first texts are compared, which
 * counters of pg_collation show: so that is done whether there are any or not.
 */
static bool
look_up_collations(Node *node, void *context)
{
	Oid collation;

	if (node == NULL)
		return false;
	collation = exprInputCollation(node);
	if (OidIsValid(collation))
		(void) DirectFunctionCall2Coll(bttextcmp, collation,
									   CStringGetTextDatum("a"),
									   CStringGetTextDatum("b"));
	return expression_tree_walker(node, look_up_collations, context);
}

static void
open_condition(SdcCondition *condition, const SdcScan *scan)
{
	int i;

	if (condition->test != NULL)
	{
		Node *test = place_columns(condition->test, (void *) scan);

		(void) look_up_collations(test, NULL);
		/* checks rights, too */
		condition->ready = ExecInitExpr((Expr *) test, NULL);
		condition->comparison = make_comparison(test);
	}
	for (i = 0; i < condition->parts; i++)
		open_condition(condition->part[i], scan);
}

void
sdcpg_predicate_open(SdcPredicate *predicate, const SdcScan *scan)
{
	open_condition(predicate->condition, scan);
}

static inline int
truth_of(Datum value, bool isnull)
{
	return isnull ? UNKNOWN : CERTAIN * (int) DatumGetBool(value);
}

static inline int64
integer_of(Oid type, Datum value)
{
	return type == INT2OID   ? DatumGetInt16(value)
		   : type == INT4OID ? DatumGetInt32(value)
							 : DatumGetInt64(value);
}

/* Integers cost nothing to compare, so they are also where one is NULL. */
static inline int
compare_known(const SdcComparison *comparison)
{
	FunctionCallInfo call = comparison->call;
	bool isnull = call->args[0].isnull || call->args[1].isnull;
	int64 a = integer_of(comparison->type[0], call->args[0].value);
	int64 b = integer_of(comparison->type[1], call->args[1].value);
	int outcome = LESS * (a < b) + EQUAL * (a == b) + GREATER * (a > b);

	return isnull ? UNKNOWN
				  : CERTAIN * ((comparison->outcomes & outcome) != 0);
}

/*
 * Where one of two values is NULL the other is compared with itself, for the
 * time that it takes: one may be a long constant, or one of a long list.
 */
static bool
stand_in(const SdcComparison *comparison, NullableDatum *operand)
{
	int missing = operand[0].isnull ? 0 : 1;

	if (!comparison->alike || operand[1 - missing].isnull ||
		comparison->place[missing] == CONSTANT)
		return false;
	operand[missing] = operand[1 - missing];
	return true;
}

/* The operands are in the call. */
static int
compare_operands(const SdcComparison *comparison)
{
	FunctionCallInfo call = comparison->call;
	NullableDatum *operand = call->args;
	bool isnull = operand[0].isnull || operand[1].isnull;
	Datum value;

	if (comparison->outcomes != 0)
		return compare_known(comparison);
	if (isnull && !stand_in(comparison, operand))
		return UNKNOWN;
	call->isnull = false;
	value = FunctionCallInvoke(call);
	return truth_of(value, isnull || call->isnull);
}

static void
take_operands(const SdcComparison *comparison, const TupleTableSlot *row)
{
	NullableDatum *operand = comparison->call->args;
	int i;

	for (i = 0; i < 2; i++)
		if (comparison->place[i] >= 0)
		{
			operand[i].value = row->tts_values[comparison->place[i]];
			operand[i].isnull = row->tts_isnull[comparison->place[i]];
		}
}

/* With every element of the array of a row, whichever decides. */
static int
compare_elements(const SdcComparison *comparison, const TupleTableSlot *row)
{
	NullableDatum *element = &comparison->call->args[1];
	int least = CERTAIN;
	int most = UNTRUE;
	ArrayIterator elements;

	if (row->tts_isnull[comparison->array])
		return UNKNOWN;
	elements = array_create_iterator(
		DatumGetArrayTypeP(row->tts_values[comparison->array]), 0, NULL);
	while (array_iterate(elements, &element->value, &element->isnull))
	{
		int truth;

		take_operands(comparison, row);
		truth = compare_operands(comparison);
		least = Min(least, truth);
		most = Max(most, truth);
	}
	array_free_iterator(elements);
	return comparison->any ? most : least;
}

static int
compare(const SdcComparison *comparison, const TupleTableSlot *row)
{
	if (comparison->array >= 0)
		return compare_elements(comparison, row);
	take_operands(comparison, row);
	return compare_operands(comparison);
}

static int
test(const SdcCondition *condition, ExprContext *context)
{
	Datum value;
	bool isnull;

	if (condition->comparison != NULL)
		return compare(condition->comparison, context->ecxt_scantuple);
	value = ExecEvalExpr(condition->ready, context, &isnull);
	return truth_of(value, isnull);
}

static int
evaluate(const SdcCondition *condition, ExprContext *context)
{
	int least = CERTAIN;
	int most = UNTRUE;
	int i;

	if (condition->test != NULL)
		return test(condition, context);
	for (i = 0; i < condition->parts; i++)
	{
		int part = evaluate(condition->part[i], context);

		least = Min(least, part);
		most = Max(most, part);
	}
	if (condition->truths != 0)
		return CERTAIN * ((condition->truths & TRUTH(most)) != 0);
	return condition->join == OR_EXPR    ? most
		   : condition->join == AND_EXPR ? least
										 : CERTAIN - least;
}

bool
sdcpg_predicate_holds(const SdcPredicate *predicate, const SdcScan *scan)
{
	return evaluate(predicate->condition, scan->context) == CERTAIN;
}
