/*
 * unit.h
 *		A host for kernels outside PostgreSQL, and how to check.
 *
 * Each test/unit/<topic>.c is one program: it calls unit_start, checks, and
 * returns unit_finish.  Built without any PostgreSQL include path, with
 * ASan and UBSan (make unit).
 */
#ifndef SDC_TEST_UNIT_H
#define SDC_TEST_UNIT_H

#include "kernel/base/host.h"
#include "kernel/privacy/strong_bits.h"

#include <stdio.h>

/* A host that allocates with malloc and frees all in unit_release_all. */
extern SdcHost *unit_host(void);
extern void unit_release_all(void);
/* Pieces of memory that are held, to see that a kernel gives its own back. */
extern size_t unit_pieces(void);
/* Times poll was called, to see that a kernel polls at all. */
extern uint64_t unit_polls(void);

extern void unit_start(const char *topic);
/* Prints "ok" or "not ok" with the text and counts it. */
extern void unit_check(bool passed, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Is this a program under the sanitizers that has a plain one beside it (see
 * test/unit/Makefile)?  It is to do enough to see each line at work; the plain
 * one does the rest.  SDC_UNIT_WHOLE in the environment: no.
 */
extern bool unit_sparing(void);

/* Exit status of the program: 0 when every check passed. */
extern int unit_finish(void);

#endif
