/*
 * compat.h
 *		What differs between PostgreSQL 13 and 18, in one place.
 */
#ifndef SDC_HOST_COMPAT_H
#define SDC_HOST_COMPAT_H

#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/guc.h"

/* varlena macros moved out of postgres.h in 16 */
#if PG_VERSION_NUM >= 160000
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "varatt.h"
#endif

#if PG_VERSION_NUM < 140000
#define TYPALIGN_CHAR 'c'
/* numeric had no infinity */
#define numeric_is_inf(number) false
/* predefined roles were called default roles */
#define ROLE_PG_READ_ALL_STATS DEFAULT_ROLE_READ_ALL_STATS
#endif

/* 16 has one check of ownership for objects of every class. */
#if PG_VERSION_NUM >= 160000
#define pg_class_ownercheck(relation, role) \
	object_ownercheck(RelationRelationId, relation, role)
#endif

/* May a role call a function?  16 has one check for objects of every class. */
#if PG_VERSION_NUM >= 160000
#define sdc_function_aclcheck(function, role) \
	object_aclcheck(ProcedureRelationId, function, role, ACL_EXECUTE)
#else
#define sdc_function_aclcheck(function, role) \
	pg_proc_aclcheck(function, role, ACL_EXECUTE)
#endif

/* A row without its header; 18 can leave room before it. */
#if PG_VERSION_NUM >= 180000
#define sdc_minimal_tuple(descriptor, values, isnull) \
	heap_form_minimal_tuple(descriptor, values, isnull, 0)
#else
#define sdc_minimal_tuple(descriptor, values, isnull) \
	heap_form_minimal_tuple(descriptor, values, isnull)
#endif

/* The name of avg(float8) since 14. */
#if PG_VERSION_NUM < 140000
#define F_AVG_FLOAT8 2105
#define MONEYOID     CASHOID
#endif

/* The mark of functions that do not return, under the name 18 gave it. */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

/* Reserves the sdc. prefix of settings, under the name 15 gave it. */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

#if PG_VERSION_NUM < 150000
#define MAT_SRF_USE_EXPECTED_DESC 0x01
#define MAT_SRF_BLESS             0x02

/* 15's InitMaterializedSRF, for the flags sdc uses (none). */
static inline void
InitMaterializedSRF(FunctionCallInfo fcinfo, bits32 flags)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext caller;
	TupleDesc descriptor;

	if (result == NULL || !IsA(result, ReturnSetInfo) ||
		!(result->allowedModes & SFRM_Materialize))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot "
						"accept a set")));
	caller = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	result->returnMode = SFRM_Materialize;
	result->setResult = tuplestore_begin_heap(
		(result->allowedModes & SFRM_Materialize_Random) != 0, false,
		work_mem);
	result->setDesc = descriptor;
	MemoryContextSwitchTo(caller);
}
#endif

/* A new heap like another: since 15 its access method is an argument. */
#if PG_VERSION_NUM >= 150000
#define sdcpg_make_new_heap(table, space, method, persistence) \
	make_new_heap(table, space, method, persistence, AccessExclusiveLock)
#else
#define sdcpg_make_new_heap(table, space, method, persistence) \
	make_new_heap(table, space, persistence, AccessExclusiveLock)
#endif

/* An entry of an index; since 14 it is said whether the key is unchanged. */
#if PG_VERSION_NUM >= 140000
#define sdc_index_insert(index, value, isnull, tid, table, unique, info) \
	index_insert(index, value, isnull, tid, table, unique, false, info)
#else
#define sdc_index_insert(index, value, isnull, tid, table, unique, info) \
	index_insert(index, value, isnull, tid, table, unique, info)
#endif

/* The last argument of ReleaseCachedPlan: no resource owner. */
#if PG_VERSION_NUM >= 140000
#define SDC_PLAN_NO_OWNER NULL
#else
#define SDC_PLAN_NO_OWNER false
#endif

/* A message in the WAL that no ROLLBACK takes back; 17 asks about a flush. */
#if PG_VERSION_NUM >= 170000
#define sdc_log_logical_message(prefix, message, size) \
	LogLogicalMessage(prefix, message, size, false, false)
#else
#define sdc_log_logical_message(prefix, message, size) \
	LogLogicalMessage(prefix, message, size, false)
#endif

/* Multiranges come with 14. */
#if PG_VERSION_NUM >= 140000
#define sdc_type_is_multirange(type) type_is_multirange(type)
#else
#define sdc_type_is_multirange(type) false
#endif

/* A query that stands alone, analysed and rewritten. */
#if PG_VERSION_NUM >= 150000
#define sdc_analyze(raw, sql) \
	pg_analyze_and_rewrite_fixedparams(raw, sql, NULL, 0, NULL)
#else
#define sdc_analyze(raw, sql) pg_analyze_and_rewrite(raw, sql, NULL, 0, NULL)
#endif

/* Format: a hash of a row, as SQL; before 14 only texts have one. */
#if PG_VERSION_NUM >= 140000
#define SDC_HASH_ROW "hash_record_extended(ROW(%s), 0)"
#else
#define SDC_HASH_ROW \
	"hashtextextended(record_out(ROW(%s))::text COLLATE \"C\", 0)"
#endif

/* To run a query to its end; until 17 a flag said that it runs once. */
#if PG_VERSION_NUM >= 180000
#define sdc_executor_run(query) ExecutorRun(query, ForwardScanDirection, 0)
#define SDC_RUN_ONCE_PARAMETER
#define SDC_RUN_ONCE_ARGUMENT
#else
#define sdc_executor_run(query) \
	ExecutorRun(query, ForwardScanDirection, 0, true)
#define SDC_RUN_ONCE_PARAMETER , bool execute_once
#define SDC_RUN_ONCE_ARGUMENT  , execute_once
#endif

/* From 14 on a flag says that the tree of a utility statement is kept. */
#if PG_VERSION_NUM >= 140000
#define SDC_READ_ONLY_TREE_PARAMETER , bool read_only_tree
#define SDC_READ_ONLY_TREE_ARGUMENT  , read_only_tree
#else
#define SDC_READ_ONLY_TREE_PARAMETER
#define SDC_READ_ONLY_TREE_ARGUMENT
#endif

#endif
