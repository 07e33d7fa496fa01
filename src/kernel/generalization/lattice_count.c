/*
 * lattice_count.c
 *		The keys of a lattice and the classes of its nodes.
 *
 * Codes become groups that occur, level by level; the groups of a class are
 * packed into words, and classes are counted and rolled up by them.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/generalization/lattice.h"
#include "kernel/generalization/lattice_count.h"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"

/* A stretch of groups that keep their bits, or a group that changes. */
typedef struct SdcLatticePiece
{
	int word;
	int from; /* bits to the right of it */
	int to;   /* of the new group, when there is a map */
	/* of the group after it is moved, or of the stretch before */
	uint64_t mask;
	const int32_t *map; /* new groups, or NULL */
} SdcLatticePiece;

/* ----------------------------------------------------------------------
 * The groups of a class, packed into words.
 *
 * The groups lie side by side in a word of 64 bits, or in several when the
 * lowest level of all keys needs more; no group crosses words.  A higher level
 * needs fewer bits, so a step up moves the groups that stay to the right and
 * looks up those that change.
 * ----------------------------------------------------------------------
 */

void
sdc_lattice_pack_layout(const SdcLattice *lattice, const uint8_t *level,
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

/* ---------- groups packed into words ---------- */

/* Gives every key a word, by its bits on its lowest level. */
static void
lattice_pack_start(SdcLattice *lattice)
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

/* How the words of a node become those of one that is nowhere below it. */
static int
lattice_pack_plan(SdcLattice *lattice, const uint8_t *from,
				  const uint8_t *level, SdcLatticePiece *piece)
{
	SdcLatticeLayout old;
	SdcLatticeLayout new;
	int pieces = 0;
	bool open = false; /* may the last piece be made longer? */
	int j;

	sdc_lattice_pack_layout(lattice, from, &old);
	sdc_lattice_pack_layout(lattice, level, &new);
	for (j = 0; j < lattice->keys; j++)
	{
		bool changes = from[j] != level[j];
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
			changes ? compose_map(lattice, j, from[j], level[j]) : NULL;
		if (!changes)
			piece[pieces].from = old.shift[j] - new.shift[j];
		pieces++;
		open = !changes;
	}
	return pieces;
}

static inline uint64_t
move_piece(const SdcLatticePiece *piece, uint64_t word)
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
	SdcLatticePiece low;
	SdcLatticePiece change;
	SdcLatticePiece high;
} Step;

static bool
plan_step(const SdcLatticePiece *piece, int pieces, int words, Step *step)
{
	static const int32_t nothing[1] = {0};
	SdcLatticePiece *place;
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
	const SdcLatticePiece *change = &step->change;
	int32_t i;

	for (i = 0; i < n; i++)
		to[i] = (from[i] & step->low.mask) |
				(uint64_t) change->map[from[i] >> change->from & change->mask]
					<< change->to |
				(from[i] & step->high.mask) >> step->high.from;
}

/* Packs n classes. */
static void
lattice_pack(const SdcLatticePiece *piece, int pieces, int words,
			 const uint64_t *from, int32_t n, uint64_t *to)
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

/* All words as they are. */
static int
lattice_pack_keep(const SdcLattice *lattice, SdcLatticePiece *piece)
{
	int w;

	for (w = 0; w < lattice->words; w++)
		piece[w] = (SdcLatticePiece){w, 0, 0, ~UINT64_C(0), NULL};
	return lattice->words;
}

/* ----------------------------------------------------------------------
 * The keys of a lattice: groups that occur, level by level.
 *
 * A level keeps only groups that have records, so that group numbers are
 * short, and what the scores need of them: share of the domain and records.
 * NULL has the slot after the last value.
 * ----------------------------------------------------------------------
 */

/* libm: log and log2, in a measure, not in a mask. */

/* Values of a key that have a code, here or in the register. */
static int32_t
count_values(const SdcLatticeProblem *problem, int j)
{
	int32_t values = problem->frequency->values[j];

	return problem->people != NULL && problem->people->values[j] > values
			   ? problem->people->values[j]
			   : values;
}

static bool
key_fits(const SdcLatticeProblem *problem, int j)
{
	const SdcLatticeKey *key = &problem->key[j];

	return key->lowest >= 0 && key->lowest <= key->highest &&
		   key->highest < key->hierarchy->levels &&
		   key->highest < SDC_LATTICE_MAX_LEVELS &&
		   key->hierarchy->values >= count_values(problem, j);
}

/* Weights as parts of the largest. */
static SdcLatticeStatus
take_weights(SdcLattice *lattice, int *key)
{
	const SdcLatticeProblem *problem = &lattice->problem;
	double most = 0;
	int j;

	for (j = 0; j < lattice->keys; j++)
	{
		double weight = problem->key[j].weight;

		*key = j;
		if (!(weight >= 0) || isinf(weight))
			return SDC_LATTICE_WEIGHTS;
		most = weight > most ? weight : most;
	}
	*key = -1;
	if (most == 0)
		return SDC_LATTICE_WEIGHTS;
	for (j = 0; j < lattice->keys; j++)
		lattice->column[j].weight = problem->key[j].weight / most;
	return SDC_LATTICE_OK;
}

static int
bits_of(int32_t groups)
{
	int bits = 0;

	while (bits < 31 && (INT64_C(1) << bits) < groups)
		bits++;
	return bits;
}

/* The group of a slot; NULL is one more. */
static int32_t
group_of(const SdcLatticeKey *key, const SdcLatticeColumn *column, int level,
		 int32_t slot)
{
	const SdcHierarchy *hierarchy = key->hierarchy;

	if (slot < column->values)
		return hierarchy->group[level][slot];
	if (key->join_nulls && hierarchy->groups[level] == 1)
		return 0;
	return hierarchy->groups[level];
}

/* What share of the domain a group is, of a hierarchy's own numbering. */
static double
share_of(const SdcLatticeKey *key, const SdcLatticeColumn *column, int level,
		 int32_t group, const int32_t *members)
{
	if (group == key->hierarchy->groups[level])
		return column->domain > 0 ? 1 / column->domain : 0;
	if (key->share != NULL)
		return key->share[level][group];
	return (double) members[group] / column->domain;
}

/* What occurs of a slot; in the register only, it has no records. */
typedef struct Leaf
{
	int64_t *records;
	bool *there;
} Leaf;

/*
 * Fills one level: number[group] is scratch of groups + 1; at[slot] holds the
 * groups of the level below and becomes those of this one.
 */
static void
fill_level(SdcLattice *lattice, int j, int l, const Leaf *leaf, int32_t *at,
		   int32_t *number)
{
	SdcHost *host = lattice->host;
	const SdcLatticeKey *key = &lattice->problem.key[j];
	SdcLatticeColumn *column = &lattice->column[j];
	SdcLatticeLevel *level = &column->level[l];
	int at_level = column->lowest + l;
	int32_t groups = key->hierarchy->groups[at_level];
	int32_t *members =
		key->share == NULL
			? sdc_hierarchy_members(host, key->hierarchy, at_level)
			: NULL;
	int32_t occur = 0;
	int32_t slot;

	memset(number, -1, sizeof(int32_t) * ((size_t) groups + 1));
	for (slot = 0; slot <= column->values; slot++)
	{
		int32_t group;

		if (!leaf->there[slot])
			continue;
		group = group_of(key, column, at_level, slot);
		if (number[group] < 0)
		{
			number[group] = occur;
			level->total[occur] = 0;
			level->share[occur++] =
				share_of(key, column, at_level, group, members);
		}
		if (l > 0)
			level[-1].up[at[slot]] = number[group];
		at[slot] = number[group];
		level->total[at[slot]] += leaf->records[slot];
	}
	level->groups = occur;
	level->bits = bits_of(occur);
	host->release(host, members);
}

static double
information(int64_t part, int64_t whole)
{
	return (double) part * log2((double) whole / (double) part);
}

/* What the scores need of a level. */
static void
sum_level(const SdcLatticeColumn *column, const Leaf *leaf, const int32_t *at,
		  SdcLatticeLevel *level)
{
	int32_t slot;
	int32_t g;

	level->share_sum = 0;
	level->log_sum = 0;
	level->entropy = 0;
	for (g = 0; g < level->groups; g++)
	{
		double records = (double) level->total[g];

		level->share_sum += records * level->share[g];
		if (level->total[g] > 0)
			level->log_sum += records * log(level->share[g]);
	}
	for (slot = 0; slot <= column->values; slot++)
		if (leaf->records[slot] > 0)
			level->entropy +=
				information(leaf->records[slot], level->total[at[slot]]);
}

/* Takes the arrays of a level for at most that many groups. */
static void
take_level(SdcHost *host, SdcLatticeLevel *level, size_t groups, bool highest)
{
	level->share = sdc_new(host, double, groups);
	level->total = sdc_new(host, int64_t, groups);
	level->up = highest ? NULL : sdc_new(host, int32_t, groups);
}

static void
fill_column(SdcLattice *lattice, int j, const Leaf *leaf)
{
	SdcHost *host = lattice->host;
	const SdcHierarchy *hierarchy = lattice->problem.key[j].hierarchy;
	SdcLatticeColumn *column = &lattice->column[j];
	size_t slots = (size_t) column->values + 1;
	size_t groups = slots;
	int32_t *at = sdc_new(host, int32_t, slots);
	int32_t *number;
	int l;

	for (l = 0; l < column->levels; l++)
		if ((size_t) hierarchy->groups[column->lowest + l] + 1 > groups)
			groups = (size_t) hierarchy->groups[column->lowest + l] + 1;
	number = sdc_new(host, int32_t, groups);
	column->first = sdc_new(host, int32_t, slots);
	column->level = sdc_new(host, SdcLatticeLevel, (size_t) column->levels);
	memset(at, -1, sizeof(int32_t) * slots);
	for (l = 0; l < column->levels; l++)
	{
		SdcLatticeLevel *level = &column->level[l];

		host->poll(host, (uint64_t) l, (uint64_t) column->levels);
		take_level(host, level, l == 0 ? slots : (size_t) level[-1].groups,
				   l + 1 == column->levels);
		fill_level(lattice, j, l, leaf, at, number);
		sum_level(column, leaf, at, level);
		if (l == 0)
			memcpy(column->first, at, sizeof(int32_t) * slots);
	}
	column->marginal =
		sdc_new(host, int64_t, (size_t) column->level[0].groups);
	host->release(host, number);
	host->release(host, at);
}

/* Adds what occurs of a column in a table. */
static void
count_column(SdcHost *host, const SdcFrequency *frequency, int j,
			 int32_t values, bool records, Leaf *leaf)
{
	int32_t cell;

	for (cell = 0; cell < frequency->cells; cell++)
	{
		int32_t code = frequency->code[j][cell];
		int32_t slot = code == SDC_CODE_NULL ? values : code;

		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) cell, (uint64_t) frequency->cells);
		leaf->records[slot] += records ? frequency->count[cell] : 0;
		leaf->there[slot] = true;
	}
}

/* What occurs of each slot. */
static Leaf
count_slots(SdcLattice *lattice, int j)
{
	SdcHost *host = lattice->host;
	const SdcLatticeProblem *problem = &lattice->problem;
	int32_t values = lattice->column[j].values;
	size_t slots = (size_t) values + 1;
	Leaf leaf;

	leaf.records = sdc_new(host, int64_t, slots);
	leaf.there = sdc_new(host, bool, slots);
	memset(leaf.records, 0, sizeof(int64_t) * slots);
	memset(leaf.there, 0, sizeof(bool) * slots);
	count_column(host, problem->frequency, j, values, true, &leaf);
	if (problem->people != NULL)
		count_column(host, problem->people, j, values, false, &leaf);
	return leaf;
}

SdcLatticeStatus
sdc_lattice_keys_start(SdcLattice *lattice, int *key)
{
	SdcHost *host = lattice->host;
	const SdcLatticeProblem *problem = &lattice->problem;
	SdcLatticeStatus status = take_weights(lattice, key);
	int j;

	for (j = 0; j < lattice->keys && status == SDC_LATTICE_OK; j++)
	{
		*key = j;
		if (!key_fits(problem, j))
			status = SDC_LATTICE_LEVELS;
	}
	if (status != SDC_LATTICE_OK)
		return status;
	for (j = 0; j < lattice->keys; j++)
	{
		const SdcLatticeKey *from = &problem->key[j];
		SdcLatticeColumn *column = &lattice->column[j];
		Leaf leaf;

		column->values = count_values(problem, j);
		column->lowest = from->lowest;
		column->levels = from->highest - from->lowest + 1;
		column->height = from->hierarchy->levels - 1;
		column->domain = from->share != NULL
							 ? (double) from->domain
							 : (double) from->hierarchy->values;
		leaf = count_slots(lattice, j);
		fill_column(lattice, j, &leaf);
		host->release(host, leaf.records);
		host->release(host, leaf.there);
	}
	*key = -1;
	return SDC_LATTICE_OK;
}

void
sdc_lattice_keys_release(SdcLattice *lattice)
{
	SdcHost *host = lattice->host;
	int j;
	int l;

	for (j = 0; j < lattice->keys; j++)
	{
		SdcLatticeColumn *column = &lattice->column[j];

		for (l = 0; column->level != NULL && l < column->levels; l++)
		{
			host->release(host, column->level[l].up);
			host->release(host, column->level[l].share);
			host->release(host, column->level[l].total);
		}
		host->release(host, column->level);
		host->release(host, column->first);
		host->release(host, column->marginal);
	}
	host->release(host, lattice->column);
}

/* ----------------------------------------------------------------------
 * The classes of a node: counted, rolled up.
 *
 * Classes that become equal on a higher level meet in an array by their packed
 * key when that is short, else in a hash table.  New classes are numbered as
 * they come.
 * ----------------------------------------------------------------------
 */

/* Classes that are packed at a time. */
#define BLOCK 512

/* Keys whose places in that array are fetched ahead. */
#define AHEAD 16

/* Keys of at most that many bits index an array of 4 bytes each. */
#define DENSE_BITS 18

/* Room for the classes that so many of the origin make. */
static void
table_reserve(SdcLattice *lattice, SdcLatticeTable *table, int32_t classes)
{
	SdcHost *host = lattice->host;
	size_t held = (size_t) table->classes;
	size_t room;

	if (classes <= table->room)
		return;
	if (table->done > 0 && table->room <= INT32_MAX / 2 &&
		classes < 2 * table->room)
		classes = 2 * table->room;
	room = (size_t) classes;
	table->key = sdc_grow(host, table->key, held * (size_t) lattice->words,
						  room * (size_t) lattice->words, sizeof(uint64_t));
	table->count = sdc_grow(host, table->count, held, room, sizeof(int64_t));
	table->target =
		sdc_grow(host, table->target, (size_t) table->used[table->done], room,
				 sizeof(int32_t));
	if (lattice->problem.people != NULL)
		table->people =
			sdc_grow(host, table->people, held, room, sizeof(int64_t));
	if (lattice->problem.sensitives > 0)
	{
		held = (size_t) table->end[table->known];
		table->state =
			sdc_grow(host, table->state, held, room, sizeof(uint8_t));
		table->lost = sdc_grow(host, table->lost, held, room, sizeof(int64_t));
	}
	table->room = classes;
}

void
sdc_lattice_table_release(SdcLattice *lattice, SdcLatticeTable *table)
{
	SdcHost *host = lattice->host;

	sdc_lattice_runs_release(lattice, table);
	host->release(host, table->key);
	host->release(host, table->count);
	host->release(host, table->people);
	host->release(host, table->state);
	host->release(host, table->lost);
	host->release(host, table->target);
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

/* Joins classes from first to before last to a table; key bits tell how. */
static void
join(SdcLattice *lattice, const SdcLatticeTable *from, int32_t first,
	 int32_t last, const SdcLatticePiece *piece, int pieces, int key_bits,
	 SdcLatticeTable *to)
{
	SdcHost *host = lattice->host;
	bool dense = lattice->words == 1 && key_bits <= lattice->dense_bits;
	int bits = hash_bits(last - first);
	int32_t before = to->classes;
	int32_t begin = first;
	int32_t c;

	memset(to->count + before, 0, sizeof(int64_t) * (size_t) (last - first));
	if (!dense)
		memset(lattice->hashed, 0, sizeof(uint32_t) << bits);
	for (; first < last; first += BLOCK)
	{
		const uint64_t *key =
			from->key + (size_t) first * (size_t) lattice->words;
		const int64_t *count = from->count + first;
		int32_t *target = to->target + first;
		int32_t n = last - first < BLOCK ? last - first : BLOCK;

		if (first > begin && (first - begin) % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) first, (uint64_t) from->classes);
		lattice_pack(piece, pieces, lattice->words, key, n, lattice->block);
		if (dense)
			join_dense(lattice->dense, lattice->block, count, n, to, target);
		else if (lattice->words == 1)
			join_hashed(lattice->hashed, bits, lattice->block, count, n, to,
						target);
		else
			join_wide(lattice->hashed, bits, lattice->words, lattice->block,
					  count, n, to, target);
	}
	for (c = before; dense && c < to->classes; c++)
		lattice->dense[to->key[c]] = 0;
}

/* Adds the people of all classes up. */
static void
join_people(const SdcLatticeTable *from, SdcLatticeTable *to)
{
	int32_t c;

	if (to->people == NULL)
		return;
	memset(to->people, 0, sizeof(int64_t) * (size_t) to->classes);
	for (c = 0; c < from->classes; c++)
		to->people[to->target[c]] += from->people[c];
}

/* ---------- tables in parts ---------- */

/*
 * Classes do not cross the groups of a key.  With the base in the order of the
 * groups of one key, as its hierarchy has them, the classes of any node where
 * it is not at the top are in that order as well, and a part of them can be
 * counted, and judged, without the others.  A node that fails by far is told
 * by its first parts.
 */

static int
parts_at(const SdcLattice *lattice, const uint8_t *level)
{
	return lattice->part_key < 0 ? 1
								 : lattice->parts[level[lattice->part_key]];
}

/* The part, on a level of the key, that a class of a table comes into. */
static int
part_of(const SdcLattice *lattice, const SdcLatticeTable *table,
		const SdcLatticeLayout *layout, int32_t c, int level)
{
	int j = lattice->part_key;
	int32_t group = sdc_lattice_group(lattice, table, layout, c, j);
	int l;

	for (l = table->level[j]; l < level; l++)
		group = lattice->column[j].level[l].up[group];
	return lattice->part[level][group];
}

bool
sdc_lattice_table_alike(const SdcLattice *lattice,
						const SdcLatticeTable *table)
{
	int j = lattice->part_key;

	return j >= 0 && table->below[j] == table->level[j];
}

/* The classes of the origin before the end of a part. */
static int32_t
part_end(const SdcLattice *lattice, const SdcLatticeTable *table, int part)
{
	const SdcLatticeTable *from = table->origin;
	SdcLatticeLayout layout;
	int32_t low = table->used[part];
	int32_t high = from->classes;

	if (sdc_lattice_table_alike(lattice, table))
		return from->end[part + 1];
	if (part + 1 == table->parts)
		return high;
	sdc_lattice_pack_layout(lattice, from->level, &layout);
	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;

		if (part_of(lattice, from, &layout, middle,
					table->level[lattice->part_key]) <= part)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void
sdc_lattice_table_begin(SdcLattice *lattice, SdcLatticeTable *from,
						const uint8_t *level, SdcLatticeTable *to)
{
	to->classes = 0;
	to->parts = parts_at(lattice, level);
	to->done = to->known = 0;
	to->judged = false;
	to->least = lattice->group_size;
	memcpy(to->level, level, (size_t) lattice->keys);
	to->origin = from;
	memcpy(to->below, from->level, (size_t) lattice->keys);
	to->filled = true;
}

void
sdc_lattice_table_extend(SdcLattice *lattice, SdcLatticeTable *table,
						 int parts)
{
	SdcLatticePiece piece[SDC_LATTICE_MAX_KEYS];
	SdcLatticeTable *from = table->origin;
	SdcLatticeLayout layout;
	int pieces;

	if (table->done >= parts)
		return;
	sdc_lattice_table_extend(
		lattice, from,
		sdc_lattice_table_alike(lattice, table) ? parts : from->parts);
	pieces = lattice_pack_plan(lattice, from->level, table->level, piece);
	sdc_lattice_pack_layout(lattice, table->level, &layout);
	for (; table->done < parts; table->done++)
	{
		int32_t first = table->used[table->done];
		int32_t last = part_end(lattice, table, table->done);

		table_reserve(lattice, table, last);
		join(lattice, from, first, last, piece, pieces, layout.bits, table);
		table->used[table->done + 1] = last;
		table->end[table->done + 1] = table->classes;
	}
	/* a register has no parts */
	join_people(from, table);
}

void
sdc_lattice_table_roll(SdcLattice *lattice, SdcLatticeTable *from,
					   const uint8_t *level, SdcLatticeTable *to)
{
	sdc_lattice_table_begin(lattice, from, level, to);
	sdc_lattice_table_extend(lattice, to, to->parts);
}

/* The place of each group of a level in the order of the one above it. */
static int32_t *
place_groups(SdcHost *host, const SdcLatticeLevel *level, const int32_t *above)
{
	int32_t *place = sdc_new(host, int32_t, (size_t) level->groups);
	int32_t *start;
	int32_t sum = 0;
	int32_t g;

	for (g = 0; above == NULL && g < level->groups; g++)
		place[g] = g;
	if (above == NULL)
		return place;
	start = sdc_new(host, int32_t, (size_t) level[1].groups);
	memset(start, 0, sizeof(int32_t) * (size_t) level[1].groups);
	for (g = 0; g < level->groups; g++)
		start[above[level->up[g]]]++;
	for (g = 0; g < level[1].groups; g++)
	{
		int32_t n = start[g];

		start[g] = sum;
		sum += n;
	}
	for (g = 0; g < level->groups; g++)
		place[g] = start[above[level->up[g]]]++;
	host->release(host, start);
	return place;
}

/* Divides the groups of a level, in their order, into parts of like size. */
static void
divide_level(SdcLattice *lattice, int l, const int32_t *place)
{
	SdcHost *host = lattice->host;
	const SdcLatticeLevel *level =
		&lattice->column[lattice->part_key].level[l];
	int32_t *group = sdc_new(host, int32_t, (size_t) level->groups);
	int64_t before = 0;
	int64_t last = -1;
	int32_t g;

	for (g = 0; g < level->groups; g++)
		group[place[g]] = g;
	lattice->part[l] = sdc_new(host, uint8_t, (size_t) level->groups);
	lattice->parts[l] = 0;
	for (g = 0; g < level->groups; g++)
	{
		int64_t part = before / (lattice->records / SDC_LATTICE_PARTS + 1);

		lattice->parts[l] += part != last;
		last = part;
		lattice->part[l][group[g]] = (uint8_t) (lattice->parts[l] - 1);
		before += level->total[group[g]];
	}
	host->release(host, group);
}

/* Puts the classes of the base into the order of the places of groups. */
static void
sort_base(SdcLattice *lattice, const int32_t *place)
{
	SdcHost *host = lattice->host;
	SdcLatticeTable *base = &lattice->base;
	int j = lattice->part_key;
	size_t n = (size_t) base->classes;
	size_t words = (size_t) lattice->words;
	int32_t groups = lattice->column[j].level[0].groups;
	int32_t *start = sdc_new(host, int32_t, (size_t) groups + 1);
	int32_t *to = sdc_new(host, int32_t, n);
	uint64_t *key = sdc_new(host, uint64_t, n * words);
	int64_t *count = sdc_new(host, int64_t, n);
	SdcLatticeLayout layout;
	int32_t c;

	sdc_lattice_pack_layout(lattice, base->level, &layout);
	memset(start, 0, sizeof(int32_t) * ((size_t) groups + 1));
	for (c = 0; c < base->classes; c++)
		start[place[sdc_lattice_group(lattice, base, &layout, c, j)] + 1]++;
	for (c = 0; c < groups; c++)
		start[c + 1] += start[c];
	for (c = 0; c < base->classes; c++)
	{
		to[c] =
			start[place[sdc_lattice_group(lattice, base, &layout, c, j)]]++;
		memcpy(key + (size_t) to[c] * words, base->key + (size_t) c * words,
			   sizeof(uint64_t) * words);
		count[to[c]] = base->count[c];
	}
	memcpy(base->key, key, sizeof(uint64_t) * n * words);
	memcpy(base->count, count, sizeof(int64_t) * n);
	for (c = 0; c < lattice->cells; c++)
		base->target[c] = to[base->target[c]];
	host->release(host, count);
	host->release(host, key);
	host->release(host, to);
	host->release(host, start);
}

/* The classes of the base before the end of each part. */
static void
end_base(SdcLattice *lattice)
{
	SdcLatticeTable *base = &lattice->base;
	SdcLatticeLayout layout;
	int32_t c;

	base->parts = base->done = parts_at(lattice, base->level);
	base->known = lattice->problem.sensitives > 0 ? base->parts : 0;
	sdc_lattice_pack_layout(lattice, base->level, &layout);
	for (c = 0; lattice->part_key >= 0 && c < base->classes; c++)
		base->end[part_of(lattice, base, &layout, c, 0) + 1] = c + 1;
	base->end[base->parts] = base->classes;
}

/* Divides tables into parts, by the key that has the most groups. */
static void
start_parts(SdcLattice *lattice)
{
	SdcHost *host = lattice->host;
	const SdcLatticeColumn *column;
	int32_t *place = NULL;
	int j;
	int l;

	if (lattice->part_key < 0)
		return;
	for (j = 0; j < lattice->keys; j++)
		if (lattice->column[j].level[0].groups >
			lattice->column[lattice->part_key].level[0].groups)
			lattice->part_key = j;
	column = &lattice->column[lattice->part_key];
	lattice->parts = sdc_new(host, int, (size_t) column->levels);
	lattice->part = sdc_new(host, uint8_t *, (size_t) column->levels);
	for (l = column->levels - 1; l >= 0; l--)
	{
		int32_t *next = place_groups(host, &column->level[l], place);

		host->release(host, place);
		place = next;
		divide_level(lattice, l, place);
	}
	sort_base(lattice, place);
	host->release(host, place);
}

/* Packs the keys of a table into classes from first on. */
static void
pack_table(SdcLattice *lattice, const SdcFrequency *frequency, int32_t first,
		   SdcLatticeTable *cells)
{
	SdcHost *host = lattice->host;
	SdcLatticeLayout layout;
	int32_t cell;
	int j;

	sdc_lattice_pack_layout(lattice, cells->level, &layout);
	for (j = 0; j < lattice->keys; j++)
	{
		const SdcLatticeColumn *column = &lattice->column[j];
		uint64_t *word = cells->key +
						 (size_t) first * (size_t) lattice->words +
						 lattice->word[j];

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
}

/*
 * The cells of the frequency table as classes of one cell each, and after them
 * those of the register, which have no records.
 */
static void
pack_cells(SdcLattice *lattice, SdcLatticeTable *cells)
{
	const SdcFrequency *frequency = lattice->problem.frequency;
	const SdcFrequency *people = lattice->problem.people;
	size_t ours = (size_t) frequency->cells;

	table_reserve(lattice, cells, lattice->cells);
	cells->classes = lattice->cells;
	memset(cells->key, 0,
		   sizeof(uint64_t) * (size_t) cells->classes *
			   (size_t) lattice->words);
	memset(cells->count, 0, sizeof(int64_t) * (size_t) cells->classes);
	memcpy(cells->count, frequency->count, sizeof(int64_t) * ours);
	pack_table(lattice, frequency, 0, cells);
	if (people == NULL)
		return;
	pack_table(lattice, people, frequency->cells, cells);
	memset(cells->people, 0, sizeof(int64_t) * ours);
	memcpy(cells->people + ours, people->count,
		   sizeof(int64_t) * (size_t) people->cells);
}

static void
take_scratch(SdcLattice *lattice, int bits)
{
	SdcHost *host = lattice->host;
	size_t cells = (size_t) lattice->cells;
	int j;

	lattice->block =
		sdc_new(host, uint64_t, (size_t) BLOCK * (size_t) lattice->words);
	lattice->dense_bits = bits < DENSE_BITS ? bits : DENSE_BITS;
	lattice->dense =
		sdc_new(host, uint32_t, (size_t) 1 << lattice->dense_bits);
	memset(lattice->dense, 0, sizeof(uint32_t) << lattice->dense_bits);
	lattice->hashed =
		sdc_new(host, uint32_t, (size_t) 1 << hash_bits((int32_t) cells));
	lattice->map = sdc_new(host, int32_t *, (size_t) lattice->keys);
	for (j = 0; j < lattice->keys; j++)
		lattice->map[j] = sdc_new(host, int32_t,
								  (size_t) lattice->column[j].level[0].groups);
	if (!lattice->bounded)
		return;
	lattice->size = sdc_new(host, int64_t, cells);
	lattice->match = sdc_new(host, int64_t, cells);
}

void
sdc_lattice_table_start(SdcLattice *lattice)
{
	SdcLatticeTable cells;
	SdcLatticeTable *base = &lattice->base;
	SdcLatticePiece piece[SDC_LATTICE_MAX_KEYS];
	SdcLatticeLayout layout;

	lattice_pack_start(lattice);
	memset(&cells, 0, sizeof(cells));
	sdc_lattice_pack_layout(lattice, cells.level, &layout);
	take_scratch(lattice, layout.bits);
	pack_cells(lattice, &cells);
	table_reserve(lattice, base, cells.classes);
	join(lattice, &cells, 0, cells.classes, piece,
		 lattice_pack_keep(lattice, piece), layout.bits, base);
	join_people(&cells, base);
	base->least = lattice->group_size;
	start_parts(lattice);
	end_base(lattice);
	/* nothing is ever rolled up into the base */
	lattice->place = base->target;
	base->target = NULL;
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
	for (j = 0; lattice->parts != NULL &&
				j < lattice->column[lattice->part_key].levels;
		 j++)
		host->release(host, lattice->part[j]);
	host->release(host, lattice->part);
	host->release(host, lattice->parts);
	host->release(host, lattice->block);
	host->release(host, lattice->dense);
	host->release(host, lattice->hashed);
	host->release(host, lattice->place);
	host->release(host, lattice->size);
	host->release(host, lattice->match);
}
