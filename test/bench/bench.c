/*
 * bench.c
 *		What the kernel benchmarks share: a host, a clock, a form of result.
 */
#define _DEFAULT_SOURCE

#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

typedef struct Chunk
{
	size_t bytes;
	size_t padding;
} Chunk;

static size_t bytes_now;
static size_t bytes_peak;
static size_t bytes_kept;

/* The same request for large pages as in src/host/server/host.c. */
static void
prefer_large_pages(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
	const uintptr_t large = 2 * 1024 * 1024;
	uintptr_t first = ((uintptr_t) memory + large - 1) & ~(large - 1);
	uintptr_t last = ((uintptr_t) memory + bytes) & ~(large - 1);

	if (bytes >= 2 * large && last > first)
		(void) madvise((void *) first, last - first, MADV_HUGEPAGE);
#endif
}

static void *
bench_alloc(SdcHost *host, size_t count, size_t size)
{
	Chunk *chunk = malloc(sizeof(Chunk) + count * size);

	(void) host;
	if (chunk == NULL)
		abort();
	prefer_large_pages(chunk, count * size);
	chunk->bytes = count * size;
	bytes_now += chunk->bytes;
	bytes_peak = bytes_now > bytes_peak ? bytes_now : bytes_peak;
	return chunk + 1;
}

static void
bench_release(SdcHost *host, void *memory)
{
	Chunk *chunk;

	(void) host;
	if (memory == NULL)
		return;
	chunk = (Chunk *) memory - 1;
	bytes_now -= chunk->bytes;
	free(chunk);
}

static void
bench_poll(SdcHost *host, uint64_t done, uint64_t total)
{
	(void) host;
	(void) done;
	(void) total;
}

static void
bench_stage(SdcHost *host, const char *name)
{
	(void) host;
	(void) name;
}

static bool
bench_pending(SdcHost *host)
{
	(void) host;
	return false;
}

static SdcHost counting_host = {bench_alloc, bench_release, bench_poll,
								bench_stage, bench_pending};

SdcHost *
bench_host(void)
{
	return &counting_host;
}

double
bench_cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

double
bench_start(void)
{
	bytes_peak = bytes_now;
	return bench_cpu();
}

double
bench_stop(double start)
{
	bytes_kept = bytes_peak;
	return bench_cpu() - start;
}

void
bench_line(const char *topic, const char *what, size_t rows, int columns,
		   double seconds, const char *format, ...)
{
	va_list arguments;

	printf("bench,%s,%s,%zu,%d,%.4f,%.1f,", topic, what, rows, columns,
		   seconds, (double) bytes_kept / 1e6);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
}
