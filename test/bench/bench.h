/*
 * bench.h
 *		What the kernel benchmarks share: a host, a clock, a form of result.
 *
 * Each test/bench/kernel_<topic>.c is one program.  The kernels it runs are
 * compiled as in the product, without sanitizers, the program itself and the
 * reference algorithms beside it with -O2.  What it prints through bench_line
 * becomes the table and the CSV file of "make bench"; other lines are shown
 * as they are.
 */
#ifndef SDC_TEST_BENCH_H
#define SDC_TEST_BENCH_H

#include "kernel/base/host.h"
#include "kernel/privacy/strong_bits.h"

/* A host that allocates with malloc and counts bytes. */
extern SdcHost *bench_host(void);

/* CPU seconds that this process has used. */
extern double bench_cpu(void);

/*
 * A measured stretch: bench_stop(bench_start()) is its CPU seconds.  The most
 * memory that the host had given out at once in between is kept for the next
 * bench_line.
 */
extern double bench_start(void);
extern double bench_stop(double start);

/*
 * One measurement: what was run on how many rows and columns, its CPU
 * seconds, and a remark in printf's manner (a ratio, a rate) without comma.
 */
extern void bench_line(const char *topic, const char *what, size_t rows,
					   int columns, double seconds, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

#endif
