/*
 * dictionary.c
 *		The different values of a column, and their codes.
 *
 * Open addressing over the codes, as values come; sorted once, at the end.
 * Copies of by-reference values are packed into blocks.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "pg/server/compat.h"
#include "pg/data/dictionary.h"
#include "pg/data/pack.h"

#define FIRST_ROOM 64
#define EMPTY      (-1)

struct SdcDictionary
{
	SdcPgHost *host;
	SdcEquality equality;
	int32 values;
	Size room; /* a power of two, more than values */
	Datum *value;
	uint32 *hash;
	int32 *slot; /* codes, 2 * room of them */
	Size mask;
	SdcPack pack; /* copies of by-reference values */
	/* after sorting */
	int32 *rank;
	FmgrInfo output;
};

static void
place_values(SdcDictionary *dictionary)
{
	SdcHost *host = &dictionary->host->kernel;
	Size slots = dictionary->room * 2;
	int32 code;

	host->release(host, dictionary->slot);
	dictionary->slot = sdc_new(host, int32, slots);
	memset(dictionary->slot, EMPTY, slots * sizeof(int32));
	dictionary->mask = slots - 1;
	for (code = 0; code < dictionary->values; code++)
	{
		Size at = dictionary->hash[code] & dictionary->mask;

		if (code % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		while (dictionary->slot[at] != EMPTY)
			at = (at + 1) & dictionary->mask;
		dictionary->slot[at] = code;
	}
}

static void
grow_values(SdcDictionary *dictionary)
{
	SdcPgHost *host = dictionary->host;

	dictionary->room =
		dictionary->room == 0 ? FIRST_ROOM : dictionary->room * 2;
	dictionary->value = sdcpg_host_grow(host, dictionary->value,
										dictionary->room, sizeof(Datum));
	dictionary->hash = sdcpg_host_grow(host, dictionary->hash,
									   dictionary->room, sizeof(uint32));
	place_values(dictionary);
}

SdcDictionary *
sdcpg_dictionary_new(SdcPgHost *host, Oid type, Oid collation)
{
	SdcDictionary *dictionary = sdc_new(&host->kernel, SdcDictionary, 1);
	Oid function;
	bool varlena;

	memset(dictionary, 0, sizeof(*dictionary));
	dictionary->host = host;
	sdcpg_equality_find(&dictionary->equality, type, collation, host->work);
	getTypeOutputInfo(type, &function, &varlena);
	fmgr_info_cxt(function, &dictionary->output, host->work);
	grow_values(dictionary);
	return dictionary;
}

/* A copy of a by-reference value, plain. */
static Datum
copy_value(SdcDictionary *dictionary, Datum value)
{
	const SdcColumnType *type = &dictionary->equality.type;
	Size size;

	if (type->by_value)
		return value;
	if (type->length == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM(value));
	size = datumGetSize(value, type->by_value, type->length);
	return PointerGetDatum(sdcpg_pack_copy(dictionary->host, &dictionary->pack,
										   DatumGetPointer(value), size));
}

static int32
add_value(SdcDictionary *dictionary, Datum value, uint32 hash)
{
	int32 code = dictionary->values;

	dictionary->value[code] = copy_value(dictionary, value);
	dictionary->hash[code] = hash;
	dictionary->values++;
	return code;
}

int32
sdcpg_dictionary_code(SdcDictionary *dictionary, Datum value)
{
	SdcEquality *equality = &dictionary->equality;
	uint32 hash;
	Size at;
	int32 code;

	value = sdcpg_equality_whole(equality, value);
	hash = (uint32) sdcpg_equality_hash(equality, value);
	at = hash & dictionary->mask;
	while ((code = dictionary->slot[at]) != EMPTY)
	{
		if (dictionary->hash[code] == hash &&
			sdcpg_equality_same(equality, dictionary->value[code], value))
		{
			if (sdcpg_equality_first(equality, value, dictionary->value[code]))
				dictionary->value[code] = copy_value(dictionary, value);
			return code;
		}
		at = (at + 1) & dictionary->mask;
	}
	code = add_value(dictionary, value, hash);
	dictionary->slot[at] = code;
	if ((Size) dictionary->values == dictionary->room)
		grow_values(dictionary);
	return code;
}

const int32 *
sdcpg_dictionary_sort(SdcDictionary *dictionary)
{
	SdcPgHost *host = dictionary->host;
	SdcHost *kernel = &host->kernel;
	SdcColumn column;
	Datum *sorted = sdc_new(kernel, Datum, dictionary->values);
	int32 *order;
	int32 i;

	memset(&column, 0, sizeof(column));
	column.type = dictionary->equality.type;
	column.rows = dictionary->values;
	column.count = dictionary->values;
	column.value = dictionary->value;
	order = sdcpg_column_order(host, &column);
	dictionary->rank = sdc_new(kernel, int32, dictionary->values);
	for (i = 0; i < dictionary->values; i++)
	{
		dictionary->rank[order[i]] = i;
		sorted[i] = dictionary->value[order[i]];
	}
	kernel->release(kernel, order);
	kernel->release(kernel, dictionary->value);
	kernel->release(kernel, dictionary->hash);
	kernel->release(kernel, dictionary->slot);
	dictionary->value = sorted;
	return dictionary->rank;
}

int32
sdcpg_dictionary_values(const SdcDictionary *dictionary)
{
	return dictionary->values;
}

Datum
sdcpg_dictionary_value(const SdcDictionary *dictionary, int32 rank)
{
	return dictionary->value[rank];
}

char *
sdcpg_dictionary_text(SdcDictionary *dictionary, int32 rank)
{
	if (rank < 0)
		return NULL;
	return OutputFunctionCall(&dictionary->output, dictionary->value[rank]);
}

Oid
sdcpg_dictionary_type(const SdcDictionary *dictionary)
{
	return dictionary->equality.type.type;
}
