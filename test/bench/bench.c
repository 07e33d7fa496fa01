/*
 * bench.c
 *		What the kernel benchmarks share: a clock and one form of result.
 */
#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

double
bench_cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

void
bench_line(const char *topic, const char *what, long rows, int columns,
		   double seconds, const char *format, ...)
{
	struct rusage usage;
	va_list arguments;

	getrusage(RUSAGE_SELF, &usage);
	printf("bench,%s,%s,%ld,%d,%.3f,%ld,", topic, what, rows, columns, seconds,
		   usage.ru_maxrss / 1024);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
}
