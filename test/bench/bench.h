/*
 * bench.h
 *		What the kernel benchmarks share: a clock and one form of result.
 *
 * Each test/bench/kernel_<topic>.c is one program.  It is compiled with the
 * kernels as they are in the product (no sanitizer) and with test/unit/unit.c
 * for a host.  What it prints through bench_line becomes the table and the
 * CSV file of "make bench"; other lines are shown as they are.
 */
#ifndef SDC_TEST_BENCH_H
#define SDC_TEST_BENCH_H

/* CPU seconds that this process has used. */
extern double bench_cpu(void);

/*
 * One measurement: what was run on how many rows and columns, its CPU
 * seconds, and a remark in printf's manner (a ratio, a rate) without comma.
 * The peak memory of the process so far is added.
 */
extern void bench_line(const char *topic, const char *what, long rows,
					   int columns, double seconds, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

#endif
