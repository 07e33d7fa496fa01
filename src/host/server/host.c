/*
 * host.c
 *		PostgreSQL as the host of a kernel: memory, interrupts, progress.
 *
 * Every array a kernel asks for is counted against sdc.memory_limit before it
 * is taken, so that a call fails with a clear message and never because the
 * machine ran out of memory.  All of it lies in one context, which an error
 * or the end of the call deletes.
 */
#include "postgres.h"

#include <glpk.h>
#include <sys/mman.h>

#include "access/parallel.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/progress.h"
#include "kernel/base/host.h"
#include "kernel/base/keyed_hash.h"
#include "kernel/privacy/strong_bits.h"

static void host_check(SdcPgHost *host);

/* ----------------------------------------------------------------------
 * The settings (GUCs) of sdc.
 * ----------------------------------------------------------------------
 */

int sdcpg_memory_limit = 1024 * 1024;
static int memory_ceiling = 1024 * 1024;
bool sdcpg_allow_views = false;
int sdcpg_digits = 6;
double sdcpg_progress_interval = 2;
int sdcpg_count_with = SDC_COUNT_AUTO;

static const struct config_enum_entry count_with[] = {
	{"auto", SDC_COUNT_AUTO, false},
	{"rows", SDC_COUNT_ROWS, false},
	{"groups", SDC_COUNT_GROUPS, false},
	{NULL, 0, false}};

/*
 * Who is no superuser sets sdc.memory_limit up to sdc.memory_ceiling.  What
 * the configuration says, and what a parallel worker takes over, was decided
 * by others.
 */
static bool
check_memory_limit(int *limit, void **extra, GucSource source)
{
	if (*limit <= memory_ceiling || source < PGC_S_CLIENT ||
		InitializingParallelWorker || !IsTransactionState() || superuser())
		return true;
	GUC_check_errcode(ERRCODE_INSUFFICIENT_PRIVILEGE);
	GUC_check_errmsg("permission denied to set sdc.memory_limit above "
					 "sdc.memory_ceiling (%d MB)",
					 memory_ceiling / 1024);
	GUC_check_errhint("A superuser may raise sdc.memory_ceiling, for a role "
					  "too: ALTER ROLE ... SET sdc.memory_ceiling.");
	return false;
}

void
sdcpg_settings_define(void)
{
	/* before the limit, which is held to it */
	DefineCustomIntVariable(
		"sdc.memory_ceiling",
		"Sets the highest sdc.memory_limit of roles without superuser.",
		"A limit that was set before stays.", &memory_ceiling, 1024 * 1024,
		1024, MAX_KILOBYTES, PGC_SUSET, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"sdc.memory_limit", "Sets the memory one call of sdc may hold.",
		"A call that needs more fails before it takes it. "
		"The memory is given back when the call ends.",
		&sdcpg_memory_limit, 1024 * 1024, 1024, MAX_KILOBYTES, PGC_USERSET,
		GUC_UNIT_KB, check_memory_limit, NULL, NULL);
	DefineCustomRealVariable(
		"sdc.progress_interval",
		"Sets the time between two progress lines of a long call.",
		"Zero turns the lines off; the view sdc.progress goes on.",
		&sdcpg_progress_interval, 2, 0, 86400, PGC_USERSET, GUC_UNIT_S, NULL,
		NULL, NULL);
	DefineCustomEnumVariable(
		"sdc.count_with", "Sets who counts the records of a relation.",
		"rows: sdc reads all rows and counts. groups: PostgreSQL counts with "
		"GROUP BY. The result is the same; auto takes the faster way.",
		&sdcpg_count_with, SDC_COUNT_AUTO, count_with, PGC_USERSET, 0, NULL,
		NULL, NULL);
	/* not to be turned on by the owner of a database, or of a view */
	DefineCustomBoolVariable(
		"sdc.allow_views",
		"Lets superusers read views of others, and tables with their code.",
		"The functions in a view run with the rights of the role that reads "
		"it, and so may those in indexes, constraints and statistics of a "
		"table. Other roles read every relation that they have the right to.",
		&sdcpg_allow_views, false, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"sdc.digits", "Sets the significant digits of figures in reports.",
		"17 leaves figures as they were computed. Decisions are always taken "
		"on these.",
		&sdcpg_digits, 6, 1, SDC_ALL_DIGITS, PGC_USERSET, 0, NULL, NULL, NULL);
	MarkGUCPrefixReserved("sdc");
}

void
sdcpg_set_for_now(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

void
sdcpg_print_alike(void)
{
	static const char *const settings[][2] = {
		{"DateStyle", "ISO"},        {"IntervalStyle", "postgres"},
		{"extra_float_digits", "1"}, {"bytea_output", "hex"},
		{"xmlbinary", "base64"},     {"lc_monetary", "C"}};
	int i;

	for (i = 0; i < lengthof(settings); i++)
		sdcpg_set_for_now(settings[i][0], settings[i][1]);
}

/* ----------------------------------------------------------------------
 * Strong random bits for differential privacy, from the server.
 *
 * See strong_bits.h.  A call of pg_strong_random for every word costs some
 * hundred times as much as a word from a buffer of 4 kB.
 * ----------------------------------------------------------------------
 */

static void
fill(SdcStrongBits *bits, void *memory, size_t size)
{
	if (!pg_strong_random(memory, size))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values"),
				 errdetail("Noise is made from strong randomness only, and "
						   "its source has failed.")));
}

SdcStrongBits *
sdcpg_strong_bits(void)
{
	static SdcStrongBits bits;
	static int process = 0;

	if (process != MyProcPid)
	{
		sdc_strong_bits_start(&bits, fill);
		process = MyProcPid;
	}
	return &bits;
}

/* ----------------------------------------------------------------------
 * PostgreSQL as the host of a kernel: memory, interrupts, progress.
 * ----------------------------------------------------------------------
 */

/* The size of a large page on the machines that matter. */
#define LARGE_PAGE ((uintptr_t) 2 * 1024 * 1024)

/*
 * Bytes of an array, at least 1; stops when they and what is held already are
 * more than the limit.
 */
static Size
check_limit(SdcPgHost *host, Size held, Size count, Size size)
{
	Size limit = (Size) sdcpg_memory_limit * 1024;
	Size bytes = Max(count * size, 1);

	if ((size != 0 && count > MaxAllocHugeSize / size) || bytes > limit ||
		held > limit - bytes)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("memory required is more than sdc.memory_limit "
						"(%d MB)",
						sdcpg_memory_limit / 1024),
				 errdetail("The call holds %zu MB and asks for %zu MB more.",
						   host->used >> 20, bytes >> 20),
				 errhint("Raise sdc.memory_limit, or work on fewer rows: "
						 "strata with PARTITION BY, or a view.")));
	return bytes;
}

/*
 * Asks for large pages behind a large array: arrays are made for one call and
 * read at random, so page faults and misses of the address cache are a good
 * part of their cost.  Where the system does not know the request or refuses
 * it, nothing is lost.
 */
static void
prefer_large_pages(void *memory, Size bytes)
{
#ifdef MADV_HUGEPAGE
	uintptr_t first = TYPEALIGN(LARGE_PAGE, (uintptr_t) memory);
	uintptr_t last = TYPEALIGN_DOWN(LARGE_PAGE, (uintptr_t) memory + bytes);

	if (bytes >= 2 * LARGE_PAGE && last > first)
		(void) madvise((void *) first, last - first, MADV_HUGEPAGE);
#endif
}

/* Takes an array in a context after checking it against the limit. */
static void *
allocate(SdcPgHost *host, MemoryContext context, Size count, Size size)
{
	Size bytes = check_limit(host, host->used, count, size);
	void *memory = MemoryContextAllocHuge(context, bytes);

	prefer_large_pages(memory, bytes);
	host->used += GetMemoryChunkSpace(memory);
	host->peak = Max(host->peak, host->used);
	return memory;
}

static void *
host_alloc(SdcHost *kernel, size_t count, size_t size)
{
	SdcPgHost *host = (SdcPgHost *) kernel;

	return allocate(host, host->work, count, size);
}

static void
host_release(SdcHost *kernel, void *memory)
{
	SdcPgHost *host = (SdcPgHost *) kernel;

	if (memory == NULL)
		return;
	host->used -= GetMemoryChunkSpace(memory);
	pfree(memory);
}

static void
host_poll(SdcHost *kernel, uint64_t done, uint64_t total)
{
	SdcPgHost *host = (SdcPgHost *) kernel;

	host_check(host);
	sdcpg_progress_update(&host->progress, done, total);
}

static void
host_stage(SdcHost *kernel, const char *name)
{
	sdcpg_progress_stage(&((SdcPgHost *) kernel)->progress, name);
}

/*
 * Most interrupts are small jobs to do in passing; only one that raises an
 * error is a reason to stop.  The error waits until it can be let out, and no
 * more interrupts are answered meanwhile.
 */
static void
catch_interrupt(SdcPgHost *host)
{
	MemoryContext caller = CurrentMemoryContext;
	uint32 held = InterruptHoldoffCount;
	uint32 cancel_held = QueryCancelHoldoffCount;

	PG_TRY();
	{
		CHECK_FOR_INTERRUPTS();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(host->work);
		host->stopped = CopyErrorData();
		FlushErrorState();
		MemoryContextSwitchTo(caller);
		InterruptHoldoffCount = held;
		QueryCancelHoldoffCount = cancel_held;
	}
	PG_END_TRY();
}

static bool
host_pending(SdcHost *kernel)
{
	SdcPgHost *host = (SdcPgHost *) kernel;

	if (host->stopped == NULL && InterruptPending)
		catch_interrupt(host);
	return host->stopped != NULL;
}

/*
 * Answers interrupts, and raises the error that made pending say yes.  To be
 * called after code that could only ask.
 */
static void
host_check(SdcPgHost *host)
{
	if (host->stopped != NULL)
		ReThrowError(host->stopped);
	CHECK_FOR_INTERRUPTS();
}

/* The work context is going away, at the end of the call or by an error. */
static void
host_forget(void *arg)
{
	sdcpg_progress_end(&((SdcPgHost *) arg)->progress);
}

SdcPgHost *
sdcpg_host_begin(const char *function, MemoryContext keep)
{
	MemoryContext work = AllocSetContextCreate(
		CurrentMemoryContext, "sdc work", ALLOCSET_DEFAULT_SIZES);
	SdcPgHost *host = MemoryContextAllocZero(work, sizeof(SdcPgHost));
	MemoryContextCallback *forget;

	host->kernel.alloc = host_alloc;
	host->kernel.release = host_release;
	host->kernel.poll = host_poll;
	host->kernel.stage = host_stage;
	host->kernel.pending = host_pending;
	host->work = work;
	host->keep = keep;
	sdcpg_progress_begin(&host->progress, function);
	forget = MemoryContextAlloc(work, sizeof(MemoryContextCallback));
	forget->func = host_forget;
	forget->arg = host;
	MemoryContextRegisterResetCallback(work, forget);
	return host;
}

void
sdcpg_host_end(SdcPgHost *host)
{
	MemoryContextDelete(host->work);
}

void *
sdcpg_host_keep(SdcPgHost *host, Size count, Size size)
{
	return allocate(host, host->keep, count, size);
}

void *
sdcpg_host_grow(SdcPgHost *host, void *memory, Size count, Size size)
{
	Size held = memory != NULL ? GetMemoryChunkSpace(memory) : 0;
	Size bytes;

	if (memory == NULL)
		return allocate(host, host->work, count, size);
	bytes = check_limit(host, host->used - held, count, size);
	memory = repalloc_huge(memory, bytes);
	host->used += GetMemoryChunkSpace(memory) - held;
	host->peak = Max(host->peak, host->used);
	return memory;
}

void
sdcpg_host_count(SdcPgHost *host, int64 bytes)
{
	if (bytes > 0)
		check_limit(host, host->used, bytes, 1);
	host->used += bytes;
	host->peak = Max(host->peak, host->used);
}

/* ----------------------------------------------------------------------
 * Strong randomness, and hashes with a key.
 * ----------------------------------------------------------------------
 */

void
sdcpg_strong_bytes(void *bytes, Size length)
{
	if (!pg_strong_random(bytes, length))
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR),
						errmsg("could not generate random numbers")));
}

static uint64_t
draw_strong(void)
{
	return sdc_strong_bits_draw(sdcpg_strong_bits());
}

/* All streams share one buffer, for there may be one for each partition. */
void
sdcpg_strong_random(SdcRandom *random)
{
	sdc_random_strong(random, draw_strong);
}

uint64
sdcpg_strong_seed(void)
{
	uint64 seed;

	sdcpg_strong_bytes(&seed, sizeof(seed));
	return seed;
}

void
sdcpg_keyed_hash(const uint8 *key, int key_length, const void *data,
				 Size length, uint8 *output)
{
	SdcHmacKey hmac;

	Assert(key_length <= SDC_HASH_BLOCK);
	sdc_hmac_key(&hmac, key, key_length);
	sdc_hmac(&hmac, data, length, NULL, 0, output);
}

/* The length stands before the data, so no input is the start of another. */
static SdcHash
begin_digest(const SdcDigestKey *key, uint64 length)
{
	uint8 block[SDC_HASH_BLOCK];
	SdcHash hash;
	int i;

	memcpy(block, key->key, SDC_HASH_BLOCK);
	for (i = 0; i < 8; i++)
		block[SDC_HASH_BLOCK - 1 - i] = (uint8) (length >> (8 * i));
	sdc_hash_start(&hash);
	sdc_hash_add(&hash, block, SDC_HASH_BLOCK);
	return hash;
}

void
sdcpg_keyed_digest(SdcDigestKey *key, const void *data, Size length,
				   uint8 *output)
{
	SdcHash hash;

	if (length >= SDC_DIGEST_BEGUN)
		hash = begin_digest(key, length);
	else
	{
		if (key->begun[length].length == 0)
			key->begun[length] = begin_digest(key, length);
		hash = key->begun[length];
	}
	sdc_hash_add(&hash, data, length);
	sdc_hash_end(&hash, output);
}

/* ----------------------------------------------------------------------
 * Runs code that calls GLPK so that nothing of it can hurt the server.
 *
 * GLPK answers a wrong argument, a failed assertion or too much memory by
 * printing a message and calling abort(), which would restart the whole
 * cluster.  Its error hook leaves by ereport instead, after the terminal hook
 * has kept the message.  GLPK keeps a list of all its memory in one
 * environment, so freeing that gives back everything, whatever was going on.
 * ----------------------------------------------------------------------
 */

/* The end of what GLPK printed, without line breaks. */
#define TEXT_BYTES 512

static char said[TEXT_BYTES];
static int said_length;
static bool active;

/* Forgets what was said before the last line, which an error begins anew. */
static void
forget_lines(const char *printed)
{
	if (said_length > 0 && said[said_length - 1] == ' ' &&
		strncmp(printed, "Error detected", 14) != 0)
		said_length = 0;
}

/*
 * Keeps what GLPK prints and tells it that this is dealt with.  While it
 * solves it prints about ten times a second, which is the moment to ask
 * whether to go on: an error leaves it as one of its own would.
 */
static int
keep_text(void *info, const char *printed)
{
	SdcPgHost *host = info;

	forget_lines(printed);
	for (; *printed != '\0'; printed++)
	{
		if (said_length == TEXT_BYTES - 1)
		{
			memmove(said, said + TEXT_BYTES / 2, TEXT_BYTES / 2);
			said_length -= TEXT_BYTES / 2;
		}
		said[said_length++] = *printed == '\n' ? ' ' : *printed;
	}
	said[said_length] = '\0';
	host->kernel.poll(&host->kernel, 0, 0);
	return 1;
}

/* GLPK must not get control back: after this hook it would abort. */
static void
raise_error(void *info)
{
	while (said_length > 0 && said[said_length - 1] == ' ')
		said[--said_length] = '\0';
	if (strstr(said, "emory allocation") != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("linear programming needs more memory than "
						"sdc.memory_limit (%d MB) leaves",
						sdcpg_memory_limit / 1024),
				 errdetail_internal("%s", said),
				 errhint("Raise sdc.memory_limit, or use fewer columns or "
						 "rows.")));
	ereport(ERROR, (errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
					errmsg("linear programming library failed"),
					errdetail_internal("%s", said)));
}

/* Megabytes that the limit leaves to GLPK, which wants at least one. */
static int
memory_left(const SdcPgHost *host)
{
	Size limit = (Size) sdcpg_memory_limit * 1024;
	Size left = host->used < limit ? limit - host->used : 0;

	return Max((int) (left >> 20), 1);
}

/* The environment is made by the first call, and anew after it was freed. */
static void
enter(SdcPgHost *host)
{
	said_length = 0;
	said[0] = '\0';
	glp_term_hook(keep_text, host);
	glp_error_hook(raise_error, NULL);
	glp_mem_limit(memory_left(host));
}

void
sdcpg_solver_run(SdcPgHost *host, SdcSolverBody body, void *arg)
{
	if (active)
		elog(ERROR, "solver is already running");
	active = true;
	PG_TRY();
	{
		enter(host);
		body(host, arg);
	}
	PG_FINALLY();
	{
		active = false;
		glp_free_env();
	}
	PG_END_TRY();
	host_check(host);
}
