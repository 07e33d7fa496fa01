/*
 * lattice_table.c
 *		The classes of a node: counted, rolled up.
 *
 * Classes that become equal on a higher level meet in an array by their packed
 * key when that is short, else in a hash table.  New classes are numbered as
 * they come.
 */
#include "kernel/generalization/lattice_parts.h"

#include <string.h>

/* Classes that are packed at a time. */
#define BLOCK 512

/* Keys whose places in that array are fetched ahead. */
#define AHEAD 16

/* Keys of at most that many bits index an array of 4 bytes each. */
#define DENSE_BITS 18

/* Room for that many classes; what was in the table is lost. */
static void
reserve(SdcLattice *lattice, SdcLatticeTable *table, int32_t classes)
{
	SdcHost *host = lattice->host;

	if (classes <= table->room)
		return;
	host->release(host, table->key);
	host->release(host, table->count);
	host->release(host, table->state);
	table->room = 0;
	table->key =
		sdc_new(host, uint64_t, (size_t) classes * (size_t) lattice->words);
	table->count = sdc_new(host, int64_t, (size_t) classes);
	table->state = lattice->problem.sensitives > 0
					   ? sdc_new(host, uint8_t, (size_t) classes)
					   : NULL;
	table->room = classes;
}

void
sdc_lattice_table_release(SdcLattice *lattice, SdcLatticeTable *table)
{
	SdcHost *host = lattice->host;

	sdc_lattice_runs_release(lattice, table);
	host->release(host, table->key);
	host->release(host, table->count);
	host->release(host, table->state);
	memset(table, 0, sizeof(*table));
}

/* Joins a block of packed keys by an array that they index. */
static void
join_dense(uint32_t *dense, const uint64_t *key, const int64_t *count,
		   int32_t n, SdcLatticeTable *to, int32_t *target)
{
	uint32_t classes = (uint32_t) to->classes;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		uint32_t c = dense[key[i]];

		__builtin_prefetch(&dense[key[i + AHEAD < n ? i + AHEAD : i]], 1);

		/* no branch: whether a class is new cannot be foreseen */
		classes += c == 0;
		c = c == 0 ? classes : c;
		dense[key[i]] = c;
		to->key[c - 1] = key[i];
		to->count[c - 1] += count[i];
		target[i] = (int32_t) (c - 1);
	}
	to->classes = (int32_t) classes;
}

static inline uint64_t
mix(uint64_t word)
{
	word ^= word >> 32;
	return word * UINT64_C(0x9E3779B97F4A7C15);
}

/* The same by a hash table of 2^bits, empty where 0. */
static void
join_hashed(uint32_t *hashed, int bits, const uint64_t *key,
			const int64_t *count, int32_t n, SdcLatticeTable *to,
			int32_t *target)
{
	uint32_t last = (uint32_t) ((UINT64_C(1) << bits) - 1);
	uint32_t classes = (uint32_t) to->classes;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		uint32_t at = (uint32_t) (mix(key[i]) >> (64 - bits));
		uint32_t held = hashed[at];
		uint32_t c = held == 0 ? classes : held - 1;

		/* an empty place is the class to come, which has the key */
		to->key[classes] = key[i];
		while (to->key[c] != key[i])
		{
			at = (at + 1) & last;
			held = hashed[at];
			c = held == 0 ? classes : held - 1;
		}
		classes += held == 0;
		hashed[at] = c + 1;
		to->count[c] += count[i];
		target[i] = (int32_t) c;
	}
	to->classes = (int32_t) classes;
}

/* The same with keys of several words. */
static void
join_wide(uint32_t *hashed, int bits, int words, const uint64_t *key,
		  const int64_t *count, int32_t n, SdcLatticeTable *to,
		  int32_t *target)
{
	uint32_t last = (uint32_t) ((UINT64_C(1) << bits) - 1);
	size_t size = sizeof(uint64_t) * (size_t) words;
	int32_t i;
	int w;

	for (i = 0; i < n; i++, key += words)
	{
		uint64_t hash = 0;
		uint32_t at;
		uint32_t c;

		for (w = 0; w < words; w++)
			hash = mix(hash ^ key[w]);
		at = (uint32_t) (hash >> (64 - bits));
		c = hashed[at];
		while (c != 0 &&
			   memcmp(to->key + (size_t) (c - 1) * (size_t) words, key, size))
		{
			at = (at + 1) & last;
			c = hashed[at];
		}
		if (c == 0)
		{
			memcpy(to->key + (size_t) to->classes * (size_t) words, key, size);
			c = (uint32_t) ++to->classes;
			hashed[at] = c;
		}
		to->count[c - 1] += count[i];
		target[i] = (int32_t) (c - 1);
	}
}

static int
hash_bits(int32_t classes)
{
	int bits = 4;

	while ((INT64_C(1) << bits) < (int64_t) classes * 2)
		bits++;
	return bits;
}

/* Joins n classes to those of a table; key bits tell how. */
static void
join(SdcLattice *lattice, const SdcLatticeTable *from,
	 const SdcLatticePiece *piece, int pieces, int key_bits,
	 SdcLatticeTable *to)
{
	SdcHost *host = lattice->host;
	bool dense = lattice->words == 1 && key_bits <= lattice->dense_bits;
	int bits = hash_bits(from->classes);
	int32_t first;
	int32_t c;

	to->classes = 0;
	memset(to->count, 0, sizeof(int64_t) * (size_t) from->classes);
	if (!dense)
		memset(lattice->hashed, 0, sizeof(uint32_t) << bits);
	for (first = 0; first < from->classes; first += BLOCK)
	{
		const uint64_t *key =
			from->key + (size_t) first * (size_t) lattice->words;
		const int64_t *count = from->count + first;
		int32_t *target = lattice->target + first;
		int32_t n =
			from->classes - first < BLOCK ? from->classes - first : BLOCK;

		if (first > 0 && first % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) first, (uint64_t) from->classes);
		sdc_lattice_pack(piece, pieces, lattice->words, key, n,
						 lattice->block);
		if (dense)
			join_dense(lattice->dense, lattice->block, count, n, to, target);
		else if (lattice->words == 1)
			join_hashed(lattice->hashed, bits, lattice->block, count, n, to,
						target);
		else
			join_wide(lattice->hashed, bits, lattice->words, lattice->block,
					  count, n, to, target);
	}
	for (c = 0; dense && c < to->classes; c++)
		lattice->dense[to->key[c]] = 0;
}

void
sdc_lattice_table_roll(SdcLattice *lattice, const SdcLatticeTable *from,
					   const uint8_t *level, SdcLatticeTable *to)
{
	SdcLatticePiece piece[SDC_LATTICE_MAX_KEYS];
	SdcLatticeLayout layout;
	int pieces = sdc_lattice_pack_plan(lattice, from->level, level, piece);

	to->filled = false;
	reserve(lattice, to, from->classes);
	sdc_lattice_pack_layout(lattice, level, &layout);
	join(lattice, from, piece, pieces, layout.bits, to);
	memcpy(to->level, level, (size_t) lattice->keys);
	if (lattice->problem.sensitives > 0)
		sdc_lattice_runs_roll(lattice, from, to);
	to->filled = true;
}

/* The cells of the frequency table as classes of one cell each. */
static void
pack_cells(SdcLattice *lattice, SdcLatticeTable *cells)
{
	SdcHost *host = lattice->host;
	const SdcFrequency *frequency = lattice->problem.frequency;
	SdcLatticeLayout layout;
	int32_t cell;
	int j;

	reserve(lattice, cells, frequency->cells);
	cells->classes = frequency->cells;
	sdc_lattice_pack_layout(lattice, cells->level, &layout);
	memset(cells->key, 0,
		   sizeof(uint64_t) * (size_t) cells->classes *
			   (size_t) lattice->words);
	for (j = 0; j < lattice->keys; j++)
	{
		const SdcLatticeColumn *column = &lattice->column[j];
		uint64_t *word = cells->key + lattice->word[j];

		for (cell = 0; cell < frequency->cells; cell++)
		{
			int32_t code = frequency->code[j][cell];
			int32_t slot = code == SDC_CODE_NULL ? column->values : code;

			if (cell % SDC_POLL_STEPS == 0)
				host->poll(host, (uint64_t) cell, (uint64_t) frequency->cells);
			*word |= (uint64_t) column->first[slot] << layout.shift[j];
			word += lattice->words;
		}
	}
	memcpy(cells->count, frequency->count,
		   sizeof(int64_t) * (size_t) frequency->cells);
}

static void
take_scratch(SdcLattice *lattice, int bits)
{
	SdcHost *host = lattice->host;
	size_t cells = (size_t) lattice->problem.frequency->cells;
	int j;

	lattice->block =
		sdc_new(host, uint64_t, (size_t) BLOCK * (size_t) lattice->words);
	lattice->dense_bits = bits < DENSE_BITS ? bits : DENSE_BITS;
	lattice->dense =
		sdc_new(host, uint32_t, (size_t) 1 << lattice->dense_bits);
	memset(lattice->dense, 0, sizeof(uint32_t) << lattice->dense_bits);
	lattice->hashed =
		sdc_new(host, uint32_t, (size_t) 1 << hash_bits((int32_t) cells));
	lattice->target = sdc_new(host, int32_t, cells);
	lattice->map = sdc_new(host, int32_t *, (size_t) lattice->keys);
	for (j = 0; j < lattice->keys; j++)
		lattice->map[j] = sdc_new(host, int32_t,
								  (size_t) lattice->column[j].level[0].groups);
}

void
sdc_lattice_table_start(SdcLattice *lattice)
{
	SdcHost *host = lattice->host;
	SdcLatticeTable cells;
	SdcLatticeTable *base = &lattice->base;
	SdcLatticePiece piece[SDC_LATTICE_MAX_KEYS];
	SdcLatticeLayout layout;

	sdc_lattice_pack_start(lattice);
	memset(&cells, 0, sizeof(cells));
	sdc_lattice_pack_layout(lattice, cells.level, &layout);
	take_scratch(lattice, layout.bits);
	pack_cells(lattice, &cells);
	reserve(lattice, base, cells.classes);
	join(lattice, &cells, piece, sdc_lattice_pack_keep(lattice, piece),
		 layout.bits, base);
	lattice->place = sdc_new(host, int32_t, (size_t) cells.classes);
	memcpy(lattice->place, lattice->target,
		   sizeof(int32_t) * (size_t) cells.classes);
	base->filled = true;
	sdc_lattice_table_release(lattice, &cells);
	sdc_lattice_runs_start(lattice);
}

void
sdc_lattice_table_finish(SdcLattice *lattice)
{
	SdcHost *host = lattice->host;
	int j;

	sdc_lattice_table_release(lattice, &lattice->base);
	sdc_lattice_table_release(lattice, &lattice->one);
	for (j = 0; lattice->map != NULL && j < lattice->keys; j++)
		host->release(host, lattice->map[j]);
	host->release(host, lattice->map);
	host->release(host, lattice->block);
	host->release(host, lattice->dense);
	host->release(host, lattice->hashed);
	host->release(host, lattice->target);
	host->release(host, lattice->place);
}
