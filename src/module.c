/*
 * module.c
 *		What PostgreSQL sees when it loads the library.
 */
#include "postgres.h"

#include "fmgr.h"

PG_MODULE_MAGIC;
