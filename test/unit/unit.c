/*
 * unit.c
 *		A host for kernels outside PostgreSQL, and how to check.
 */
#include "unit.h"

#include <glpk.h>
#include <stdarg.h>
#include <stdlib.h>

typedef struct Chunk
{
	struct Chunk *next;
	struct Chunk *previous;
} Chunk;

static Chunk chunks = {&chunks, &chunks};
static uint64_t polls;
static int passed_count;
static int failed_count;

static void *
unit_alloc(SdcHost *host, size_t count, size_t size)
{
	Chunk *chunk;

	(void) host;
	if (size != 0 && count > SIZE_MAX / 2 / size)
		abort();
	chunk = malloc(sizeof(Chunk) + count * size);
	if (chunk == NULL)
		abort();
	chunk->next = chunks.next;
	chunk->previous = &chunks;
	chunks.next->previous = chunk;
	chunks.next = chunk;
	return chunk + 1;
}

static void
unit_release(SdcHost *host, void *memory)
{
	Chunk *chunk;

	(void) host;
	if (memory == NULL)
		return;
	chunk = (Chunk *) memory - 1;
	chunk->next->previous = chunk->previous;
	chunk->previous->next = chunk->next;
	free(chunk);
}

static void
unit_poll(SdcHost *host, uint64_t done, uint64_t total)
{
	(void) host;
	(void) done;
	(void) total;
	polls++;
}

static void
unit_stage(SdcHost *host, const char *name)
{
	(void) host;
	(void) name;
}

static bool
unit_pending(SdcHost *host)
{
	(void) host;
	return false;
}

SdcHost *
unit_host(void)
{
	static SdcHost host = {unit_alloc, unit_release, unit_poll, unit_stage,
						   unit_pending};

	return &host;
}

void
unit_release_all(void)
{
	while (chunks.next != &chunks)
		unit_release(NULL, chunks.next + 1);
}

size_t
unit_pieces(void)
{
	const Chunk *chunk;
	size_t count = 0;

	for (chunk = chunks.next; chunk != &chunks; chunk = chunk->next)
		count++;
	return count;
}

uint64_t
unit_polls(void)
{
	return polls;
}

void
unit_start(const char *topic)
{
	/* what was checked before a crash is to be seen */
	setvbuf(stdout, NULL, _IOLBF, 0);
	/* what GLPK prints is for a host that listens */
	glp_term_out(GLP_OFF);
	printf("# %s\n", topic);
}

bool
unit_sparing(void)
{
#ifdef __SANITIZE_ADDRESS__
	return getenv("SDC_UNIT_WHOLE") == NULL;
#else
	return false;
#endif
}

static int
counted(void)
{
	return passed_count + failed_count;
}

void
unit_check(bool passed, const char *format, ...)
{
	va_list arguments;

	passed_count += passed;
	failed_count += !passed;
	printf("%s %d - ", passed ? "ok" : "not ok", counted());
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
}

int
unit_finish(void)
{
	unit_release_all();
	printf("1..%d\n", counted());
	return failed_count == 0 ? 0 : 1;
}
