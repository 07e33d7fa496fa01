/*
 * seed_hash.c
 *		What the history keeps of a seed.
 *
 * Who knows the seed and the original can replay the masks, so the seed itself
 * is nowhere written.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "pg/release/seed_hash.h"
#include "pg/server/compat.h"

char *
sdcpg_seed_hash(const char *policy, int64 release, int64 seed)
{
	char *words =
		psprintf("%s:" INT64_FORMAT ":" INT64_FORMAT, policy, release, seed);
	bytea *bytes = (bytea *) cstring_to_text(words);
	Datum hash = DirectFunctionCall1(sha256_bytea, PointerGetDatum(bytes));

	Datum hexadecimal =
		DirectFunctionCall2(binary_encode, hash, CStringGetTextDatum("hex"));

	return TextDatumGetCString(hexadecimal);
}
