/*
 * lattice_table.c
 *		The classes of a node: packed, counted, rolled up.
 *
 * The groups of a class lie side by side in a word of 64 bits, or in several
 * when the finest level of all keys needs more; no group crosses words.  A
 * coarser node needs fewer bits, so rolling up moves the groups that stay and
 * looks up those that change.  Classes that become equal meet in an array by
 * key when the key is short, else in a hash table.
 */
#include "kernel/lattice_parts.h"

#include <string.h>

/* Classes that are packed at a time. */
#define BLOCK 512

/* Keys of at most that many bits index an array of 4 bytes each. */
#define DENSE_BITS 18

/* A stretch of groups that keep their bits, or one that changes. */
typedef struct Piece
{
	int word;
	int from;
	int to;
	uint64_t mask; /* before it is moved to the right */
	const int32_t *map;
} Piece;

void
sdc_lattice_table_layout(const SdcLattice *lattice, const uint8_t *level,
						 SdcLatticeLayout *layout)
{
	int used = 0;
	int j;

	layout->bits = 0;
	for (j = 0; j < lattice->keys; j++)
	{
		int bits = lattice->column[j].level[level[j]].bits;

		if (j > 0 && lattice->word[j] != lattice->word[j - 1])
			used = 0;
		/* a group of no bits may lie behind the last bit */
		layout->shift[j] = bits == 0 ? 0 : used;
		layout->mask[j] = (UINT64_C(1) << bits) - 1;
		used += bits;
		if (lattice->word[j] == 0)
			layout->bits = used;
	}
}

/* Gives every key a word, by its bits on its lowest level. */
static void
assign_words(SdcLattice *lattice)
{
	int used = 0;
	int word = 0;
	int j;

	for (j = 0; j < lattice->keys; j++)
	{
		int bits = lattice->column[j].level[0].bits;

		if (used + bits > 64)
		{
			word++;
			used = 0;
		}
		lattice->word[j] = word;
		used += bits;
	}
	lattice->words = word + 1;
}

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

/* The groups of a level as groups of a higher one. */
static const int32_t *
compose_map(SdcLattice *lattice, int j, int from, int to)
{
	const SdcLatticeColumn *column = &lattice->column[j];
	int32_t *map = lattice->map[j];
	int32_t g;
	int l;

	if (to == from + 1)
		return column->level[from].up;
	for (g = 0; g < column->level[from].groups; g++)
	{
		map[g] = g;
		for (l = from; l < to; l++)
			map[g] = column->level[l].up[map[g]];
	}
	return map;
}

/* How the words of one level vector become those of another. */
static int
plan_pieces(SdcLattice *lattice, const SdcLatticeTable *from,
			const uint8_t *level, Piece *piece)
{
	SdcLatticeLayout old;
	SdcLatticeLayout new;
	int pieces = 0;
	bool open = false; /* may the last piece be made longer? */
	int j;

	sdc_lattice_table_layout(lattice, from->level, &old);
	sdc_lattice_table_layout(lattice, level, &new);
	for (j = 0; j < lattice->keys; j++)
	{
		bool changes = from->level[j] != level[j];
		uint64_t mask = old.mask[j] << old.shift[j];

		if (old.mask[j] == 0 || (changes && new.mask[j] == 0))
			continue;
		if (!changes && open && piece[pieces - 1].word == lattice->word[j] &&
			piece[pieces - 1].from - piece[pieces - 1].to ==
				old.shift[j] - new.shift[j])
		{
			piece[pieces - 1].mask |= mask;
			continue;
		}
		piece[pieces].word = lattice->word[j];
		piece[pieces].from = changes ? old.shift[j] : 0;
		piece[pieces].to = changes ? new.shift[j] : 0;
		piece[pieces].mask = changes ? old.mask[j] : mask;
		piece[pieces].map =
			changes ? compose_map(lattice, j, from->level[j], level[j]) : NULL;
		if (!changes)
			piece[pieces].from = old.shift[j] - new.shift[j];
		pieces++;
		open = !changes;
	}
	return pieces;
}

static inline uint64_t
move_piece(const Piece *piece, uint64_t word)
{
	if (piece->map == NULL)
		return (word & piece->mask) >> piece->from;
	return (uint64_t) piece->map[word >> piece->from & piece->mask]
		   << piece->to;
}

/*
 * One key of a single word changes, or none: the case of nearly all steps.
 * What lies below stays, what lies above moves to the right.
 */
typedef struct Step
{
	Piece low;
	Piece change;
	Piece high;
} Step;

static bool
plan_step(const Piece *piece, int pieces, int words, Step *step)
{
	static const int32_t nothing[1] = {0};
	Piece *place;
	int p;

	memset(step, 0, sizeof(*step));
	step->change.map = nothing;
	for (p = 0; p < pieces && words == 1; p++)
	{
		if (piece[p].map != NULL)
			place = &step->change;
		else
			place = piece[p].from == 0 ? &step->low : &step->high;
		if (place->mask != 0)
			return false;
		*place = piece[p];
	}
	return words == 1;
}

static void
pack_step(const Step *step, const uint64_t *from, int32_t n, uint64_t *to)
{
	const Piece *change = &step->change;
	int32_t i;

	for (i = 0; i < n; i++)
		to[i] = (from[i] & step->low.mask) |
				(uint64_t) change->map[from[i] >> change->from & change->mask]
					<< change->to |
				(from[i] & step->high.mask) >> step->high.from;
}

static void
pack(const Piece *piece, int pieces, int words, const uint64_t *from,
	 int32_t n, uint64_t *to)
{
	Step step;
	int32_t i;
	int p;

	if (plan_step(piece, pieces, words, &step))
	{
		pack_step(&step, from, n, to);
		return;
	}
	memset(to, 0, sizeof(uint64_t) * (size_t) n * (size_t) words);
	for (p = 0; p < pieces; p++)
	{
		const uint64_t *source = from + piece[p].word;
		uint64_t *target = to + piece[p].word;

		for (i = 0; i < n; i++, source += words, target += words)
			*target |= move_piece(&piece[p], *source);
	}
}

/* Joins a block of packed keys by an array that they index. */
static void
join_dense(uint32_t *dense, const uint64_t *key, const int64_t *count,
		   int32_t n, SdcLatticeTable *to, int32_t *target)
{
	int32_t i;

	for (i = 0; i < n; i++)
	{
		uint32_t c = dense[key[i]];

		if (c == 0)
		{
			to->key[to->classes] = key[i];
			to->count[to->classes] = 0;
			c = (uint32_t) ++to->classes;
			dense[key[i]] = c;
		}
		to->count[c - 1] += count[i];
		target[i] = (int32_t) (c - 1);
	}
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
	int32_t i;

	for (i = 0; i < n; i++)
	{
		uint32_t at = (uint32_t) (mix(key[i]) >> (64 - bits));
		uint32_t c = hashed[at];

		while (c != 0 && to->key[c - 1] != key[i])
		{
			at = (at + 1) & last;
			c = hashed[at];
		}
		if (c == 0)
		{
			to->key[to->classes] = key[i];
			to->count[to->classes] = 0;
			c = (uint32_t) ++to->classes;
			hashed[at] = c;
		}
		to->count[c - 1] += count[i];
		target[i] = (int32_t) (c - 1);
	}
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
			to->count[to->classes] = 0;
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
join(SdcLattice *lattice, const SdcLatticeTable *from, const Piece *piece,
	 int pieces, int key_bits, SdcLatticeTable *to)
{
	SdcHost *host = lattice->host;
	bool dense = lattice->words == 1 && key_bits <= lattice->dense_bits;
	int bits = hash_bits(from->classes);
	int32_t first;
	int32_t c;

	to->classes = 0;
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
		pack(piece, pieces, lattice->words, key, n, lattice->block);
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
	Piece piece[SDC_LATTICE_MAX_KEYS];
	SdcLatticeLayout layout;
	int pieces = plan_pieces(lattice, from, level, piece);

	to->filled = false;
	reserve(lattice, to, from->classes);
	sdc_lattice_table_layout(lattice, level, &layout);
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
	sdc_lattice_table_layout(lattice, cells->level, &layout);
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

/* All of the words as they are. */
static int
keep_pieces(const SdcLattice *lattice, Piece *piece)
{
	int w;

	for (w = 0; w < lattice->words; w++)
		piece[w] = (Piece){w, 0, 0, ~UINT64_C(0), NULL};
	return lattice->words;
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
	Piece piece[SDC_LATTICE_MAX_KEYS];
	SdcLatticeLayout layout;

	assign_words(lattice);
	memset(&cells, 0, sizeof(cells));
	sdc_lattice_table_layout(lattice, cells.level, &layout);
	take_scratch(lattice, layout.bits);
	pack_cells(lattice, &cells);
	reserve(lattice, base, cells.classes);
	join(lattice, &cells, piece, keep_pieces(lattice, piece), layout.bits,
		 base);
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
