/*
 * hierarchy_names.c
 *		Texts and their numbers: an open-addressing hash table.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/memutils.h"

#include "pg/generalization/hierarchy_kind.h"

#define FIRST_ROOM 16
#define EMPTY      (-1)

struct SdcHierarchyNames
{
	MemoryContext context;
	SdcPgHost *host;
	int32 count;
	int32 room;
	char **text;
	int *length;
	uint32 *hash;
	/* numbers of texts by their hash; slots are a power of two */
	uint32 slots;
	int32 *slot;
};

static void
count_bytes(SdcHierarchyNames *names, int64 bytes)
{
	if (names->host != NULL)
		sdcpg_host_count(names->host, bytes);
}

static void *
grow_array(SdcHierarchyNames *names, void *array, Size size)
{
	return array == NULL
			   ? MemoryContextAllocHuge(names->context, names->room * size)
			   : repalloc_huge(array, names->room * size);
}

/* Puts the number into the first free slot from that of its hash on. */
static void
place_number(SdcHierarchyNames *names, int32 number)
{
	uint32 slot = names->hash[number] & (names->slots - 1);

	while (names->slot[slot] != EMPTY)
		slot = (slot + 1) & (names->slots - 1);
	names->slot[slot] = number;
}

/* Room for twice as many texts, in four slots each at the most. */
static void
grow(SdcHierarchyNames *names)
{
	int32 room = names->room == 0 ? FIRST_ROOM : names->room * 2;
	uint32 i;
	int32 number;

	if (names->room > PG_INT32_MAX / 4)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a hierarchy has too many values")));
	count_bytes(names, (int64) (room - names->room) *
						   (sizeof(char *) + sizeof(int) + sizeof(uint32) +
							2 * sizeof(int32)));
	names->room = room;
	names->text = grow_array(names, names->text, sizeof(char *));
	names->length = grow_array(names, names->length, sizeof(int));
	names->hash = grow_array(names, names->hash, sizeof(uint32));
	names->slot = grow_array(names, names->slot, 2 * sizeof(int32));
	names->slots = (uint32) room * 2;
	for (i = 0; i < names->slots; i++)
		names->slot[i] = EMPTY;
	for (number = 0; number < names->count; number++)
		place_number(names, number);
}

SdcHierarchyNames *
sdcpg_hierarchy_names_new(SdcPgHost *host)
{
	SdcHierarchyNames *names = palloc0(sizeof(SdcHierarchyNames));

	names->context = CurrentMemoryContext;
	names->host = host;
	grow(names);
	return names;
}

static int32
find_hashed(const SdcHierarchyNames *names, const char *text, int length,
			uint32 hash)
{
	uint32 slot = hash & (names->slots - 1);

	for (; names->slot[slot] != EMPTY; slot = (slot + 1) & (names->slots - 1))
	{
		int32 number = names->slot[slot];

		if (names->hash[number] == hash && names->length[number] == length &&
			memcmp(names->text[number], text, length) == 0)
			return number;
	}
	return -1;
}

int32
sdcpg_hierarchy_names_find(const SdcHierarchyNames *names, const char *text,
						   int length)
{
	return find_hashed(names, text, length,
					   hash_bytes((const unsigned char *) text, length));
}

int32
sdcpg_hierarchy_names_add(SdcHierarchyNames *names, const char *text,
						  int length)
{
	uint32 hash = hash_bytes((const unsigned char *) text, length);
	int32 number = find_hashed(names, text, length, hash);

	if (number >= 0)
		return number;
	if (names->count == names->room)
		grow(names);
	count_bytes(names, length + 1);
	number = names->count++;
	names->text[number] = MemoryContextAlloc(names->context, length + 1);
	memcpy(names->text[number], text, length);
	names->text[number][length] = '\0';
	names->length[number] = length;
	names->hash[number] = hash;
	place_number(names, number);
	return number;
}

int32
sdcpg_hierarchy_names_count(const SdcHierarchyNames *names)
{
	return names->count;
}

char *
sdcpg_hierarchy_names_text(const SdcHierarchyNames *names, int32 number)
{
	return names->text[number];
}
