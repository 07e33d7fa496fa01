/*
 * intruder.c
 *		What the intruder knows: two files, rule by rule.
 *
 * Each add function turns the values of both files into places: segments of
 * the masked values in their order for the records, ranks or codes for the
 * persons; numbers stay numbers.
 */
#include "kernel/intruder/intruder_private.h"

#include <math.h>

#include "kernel/base/elementary.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/index/point_index.h"

/*
 * Segments to a window.  Classic swapping has a sharp edge, where a segment
 * blurs; the other laws are smooth and wide.
 */
#define SHARP_PIECES  128
#define SMOOTH_PIECES 32

/* The spread of groups that nobody has fitted, in standard deviations. */
#define GROUP_SPREAD 0.07

/* Of their Student law. */
#define GROUP_DEGREES 4

/* Neighbours that tell how wide a group is, and how far that is trusted. */
#define NEIGHBOURS  3
#define LEAST_WIDTH 0.05
#define MOST_WIDTH  20.0

/* The spread of the Student law, in deviations within groups: they have ends.
 */
#define LOST_SPREAD 0.9

/* Values that are no decimals of so many places lie anywhere. */
#define LEAST_GRAIN 1e-6
#define MOST_GRAINS 1e9
#define GRAIN_ERROR 1e-5

/* What sums lose in the arithmetic, beside the greatest value. */
#define FLOAT_PRECISION  1e-7
#define DOUBLE_PRECISION 1e-14

/* log(2 pi e) / 2: the entropy of a normal value. */
#define NORMAL_ENTROPY 1.4189385332046727

SdcIntruder *
sdc_intruder_create(SdcHost *host, int32_t persons, int32_t records,
					double error, uint64_t seed)
{
	SdcIntruder *intruder = sdc_new(host, SdcIntruder, 1);
	int32_t i;

	memset(intruder, 0, sizeof(*intruder));
	intruder->host = host;
	intruder->persons = persons;
	intruder->records = records;
	intruder->error = error;
	intruder->seed = seed;
	intruder->absent = sdc_new(host, uint8_t, persons);
	for (i = 0; i < persons; i++)
		intruder->absent[i] = 0;
	return intruder;
}

static void
release_tree(SdcHost *host, SdcTree *tree)
{
	if (tree == NULL)
		return;
	host->release(host, tree->node);
	host->release(host, tree->segment_box);
	host->release(host, tree->number_box);
	host->release(host, tree->record);
	host->release(host, tree->person);
	host->release(host, tree);
}

void
sdc_intruder_changed(SdcIntruder *intruder)
{
	release_tree(intruder->host, intruder->tree);
	intruder->tree = NULL;
}

static void
release_term(SdcHost *host, SdcTerm *term)
{
	int c;

	for (c = 0; c < term->head.columns; c++)
	{
		host->release(host, term->record_number[c]);
		host->release(host, term->person_number[c]);
	}
	host->release(host, term->record_number);
	host->release(host, term->person_number);
	host->release(host, term->grain);
	host->release(host, term->record);
	host->release(host, term->person);
	host->release(host, term->edge);
	host->release(host, term->owner);
	host->release(host, term->stratum);
	host->release(host, term->below);
	host->release(host, term->curve);
	host->release(host, term->sorted);
	host->release(host, term->position);
	host->release(host, term->own);
	host->release(host, term);
}

void
sdc_intruder_release(SdcIntruder *intruder)
{
	SdcHost *host = intruder->host;
	int t;

	sdc_intruder_changed(intruder);
	for (t = 0; t < intruder->terms; t++)
		release_term(host, intruder->term[t]);
	for (t = 0; t < intruder->laws; t++)
		host->release(host, intruder->law[t]);
	host->release(host, intruder->law);
	host->release(host, intruder->absent);
	host->release(host, intruder);
}

static void
count_absent(SdcIntruder *intruder, int32_t person)
{
	if (intruder->absent[person] < UINT8_MAX)
		intruder->absent[person]++;
}

/* A term at the end of the list; the caller has not more than there is room.
 */
bool
sdc_intruder_has_room(const SdcIntruder *intruder, int terms, int columns)
{
	int t;

	for (t = 0; t < intruder->terms; t++)
		columns += intruder->term[t]->head.columns;
	return intruder->terms + terms <= SDC_INTRUDER_TERMS &&
		   columns <= SDC_INTRUDER_TERMS;
}

static SdcTerm *
add_term(SdcIntruder *intruder, SdcTermRule rule)
{
	SdcTerm *term = sdc_new(intruder->host, SdcTerm, 1);

	memset(term, 0, sizeof(*term));
	term->head.rule = rule;
	term->head.error = (float) intruder->error;
	term->head.floor = sdc_log_float(term->head.error);
	term->head.longest = 1;
	term->head.width = 1;
	sdc_intruder_changed(intruder);
	intruder->term[intruder->terms++] = term;
	return term;
}

static void
poll_rows(SdcIntruder *intruder, int32_t i, int32_t rows)
{
	if (i % SDC_POLL_STEPS == 0)
		intruder->host->poll(intruder->host, (uint64_t) i, (uint64_t) rows);
}

/* ---------------------------------------------------------------------------
 * Ranks.
 */

/* The law of a window, from the intruder's store. */
static int32_t
find_law(SdcIntruder *intruder, SdcRankSwapMethod method, int32_t n, int32_t w)
{
	int t;

	for (t = 0; t < intruder->laws; t++)
		if (intruder->law[t]->method == method && intruder->law[t]->n == n &&
			intruder->law[t]->w == w)
			return t;
	intruder->law =
		sdc_grow(intruder->host, intruder->law, (size_t) intruder->laws,
				 (size_t) intruder->laws + 1, sizeof(SdcRankLaw *));
	intruder->law[t] =
		sdc_rank_law_simulate(intruder->host, method, n, w, intruder->seed);
	return intruder->laws++;
}

void
sdc_intruder_drop_laws(SdcIntruder *intruder)
{
	int kept = 0;
	int l;
	int t;
	int32_t s;

	for (l = 0; l < intruder->laws; l++)
	{
		bool used = false;

		for (t = 0; t < intruder->terms; t++)
			for (s = 0; s < intruder->term[t]->head.strata; s++)
			{
				SdcStratum *stratum = &intruder->term[t]->stratum[s];

				if (stratum->law != l)
					continue;
				used = true;
				stratum->law = kept;
			}
		if (used)
			intruder->law[kept++] = intruder->law[l];
		else
			intruder->host->release(intruder->host, intruder->law[l]);
	}
	intruder->laws = kept;
}

/* Finds the strata of the sorted keys. */
static void
find_strata(SdcIntruder *intruder, SdcTerm *term)
{
	SdcHost *host = intruder->host;
	size_t room = 0;
	int32_t i = 0;

	host->release(host, term->stratum);
	term->stratum = NULL;
	term->head.strata = 0;
	while (i < term->references)
	{
		uint32_t number = (uint32_t) (term->sorted[i] >> 32);
		int32_t end = (int32_t) sdc_sort_keys_below(
			term->sorted, (size_t) term->references,
			sdc_intruder_key(number, UINT32_MAX) + 1);
		SdcStratum *stratum;

		if ((size_t) term->head.strata == room)
		{
			room = room * 2 + 1;
			term->stratum =
				sdc_grow(host, term->stratum, (size_t) term->head.strata, room,
						 sizeof(SdcStratum));
		}
		stratum = &term->stratum[term->head.strata++];
		stratum->number = number;
		stratum->start = i;
		stratum->values = (int32_t) sdc_sort_keys_below(
							  term->sorted, (size_t) term->references,
							  sdc_intruder_key(number, SDC_INTRUDER_MISSING)) -
						  i;
		i = end;
	}
}

/* Sets window, law and the size of a piece. */
static void
shape_stratum(SdcIntruder *intruder, SdcTerm *term, SdcStratum *stratum)
{
	SdcRankSwapMethod method = term->head.method;
	int32_t pieces =
		method == SDC_RANK_SWAP_CLASSIC ? SHARP_PIECES : SMOOTH_PIECES;
	int32_t longest;

	stratum->window = sdc_rank_swap_window(term->share, stratum->values);
	stratum->piece = stratum->window < pieces ? 1 : stratum->window / pieces;
	stratum->law = -1;
	if (stratum->window == 0)
		return;
	stratum->law =
		find_law(intruder, method, stratum->values, stratum->window);
	/* two neighbouring segments together have more than a piece */
	longest = intruder->law[stratum->law]->reach * 4 *
				  (stratum->window / stratum->piece + 1) +
			  8;
	if (term->head.longest < longest)
		term->head.longest = longest;
}

/* Cuts the values of a stratum: a long group of ties is a segment by itself.
 */
static void
cut_stratum(SdcTerm *term, SdcStratum *stratum)
{
	const uint64_t *sorted = term->sorted;
	int32_t end = stratum->start + stratum->values;
	int32_t open = stratum->start;
	int32_t i = stratum->start;

	stratum->first = term->head.segments;
	while (i < end)
	{
		int32_t next = i + 1;

		while (next < end && sorted[next] == sorted[i])
			next++;
		/* what is open ends before a group that does not fit */
		if (open < i && next - open > stratum->piece)
		{
			term->edge[term->head.segments++] = open;
			open = i;
		}
		i = next;
	}
	if (open < end)
		term->edge[term->head.segments++] = open;
	stratum->end = term->head.segments;
}

void
sdc_intruder_cut_ranks(SdcIntruder *intruder, SdcTerm *term)
{
	SdcHost *host = intruder->host;
	int32_t *edge;
	int32_t s;
	int32_t i;

	sdc_intruder_changed(intruder);
	host->release(host, term->edge);
	host->release(host, term->owner);
	edge = sdc_new(host, int32_t, (size_t) term->references + 1);
	term->edge = edge;
	term->owner = sdc_new(host, int32_t, (size_t) term->references + 1);
	term->head.segments = 0;
	term->head.longest = 1;
	term->head.width = 1;
	for (s = 0; s < term->head.strata; s++)
	{
		SdcStratum *stratum = &term->stratum[s];
		int32_t next = s + 1 < term->head.strata ? term->stratum[s + 1].start
												 : term->references;

		shape_stratum(intruder, term, stratum);
		cut_stratum(term, stratum);
		/* the missing values of the stratum are a segment behind */
		if (stratum->start + stratum->values < next)
			edge[term->head.segments++] = stratum->start + stratum->values;
		for (i = stratum->first; i < term->head.segments; i++)
			term->owner[i] = s;
		if (stratum->values > 0)
			term->head.width = fmax(
				term->head.width, (double) stratum->window / stratum->values *
									  (stratum->end - stratum->first));
	}
	edge[term->head.segments] = term->references;
	if (term->head.longest > term->head.segments)
		term->head.longest = term->head.segments;
	for (i = 0; i < intruder->records; i++)
	{
		poll_rows(intruder, i, intruder->records);
		term->record[i] =
			term->position[i] >= 0
				? sdc_sort_segment(term->edge, 0, term->head.segments,
								   term->position[i])
			: term->position[i] == SDC_PLACE_NOWHERE ? term->head.segments
													 : -1;
	}
}

/* Which stratum holds a key; -1: none. */
static int32_t
stratum_of(const SdcTerm *term, uint64_t key)
{
	uint32_t number = (uint32_t) (key >> 32);
	int32_t low = 0;
	int32_t high = term->head.strata;

	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;

		if (term->stratum[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < term->head.strata && term->stratum[low].number == number ? low
																		  : -1;
}

/*
 * The positions of a key in the reference, low .. behind - 1.  One that does
 * not occur stands where it would, if its stratum has values at all.
 */
static SdcPlace
place_key(const SdcTerm *term, uint64_t key, int32_t low, int32_t behind)
{
	SdcPlace place = {SDC_PLACE_UNKNOWN, SDC_PLACE_UNKNOWN};
	const SdcStratum *stratum;
	int32_t s;
	int32_t end;

	if (key == SDC_INTRUDER_UNKNOWN)
		return place;
	place.low = low;
	place.high = behind - 1;
	if (low < behind)
		return place;
	s = stratum_of(term, key);
	stratum = s < 0 ? NULL : &term->stratum[s];
	if (stratum == NULL || stratum->values == 0 ||
		(uint32_t) key == SDC_INTRUDER_MISSING)
	{
		place.low = place.high = SDC_PLACE_NOWHERE;
		return place;
	}
	end = stratum->start + stratum->values;
	place.low = low < end ? low : end - 1;
	place.high = place.low;
	return place;
}

/* Keys in their order, and the row of each. */
typedef struct Keys
{
	int32_t n;
	uint64_t *key;
	int32_t *row;
} Keys;

static Keys
sort_keys(SdcHost *host, const uint64_t *key, int32_t n)
{
	Keys keys = {n, sdc_new(host, uint64_t, (size_t) n + 1),
				 sdc_new(host, int32_t, (size_t) n + 1)};
	int32_t i;

	memcpy(keys.key, key, (size_t) n * sizeof(uint64_t));
	for (i = 0; i < n; i++)
		keys.row[i] = i;
	sdc_sort_keys(host, keys.key, keys.row, (size_t) n);
	return keys;
}

static void
release_keys(SdcHost *host, Keys *keys)
{
	host->release(host, keys->key);
	host->release(host, keys->row);
}

/* One pass over two sorted lists: where a key stands in the reference. */
typedef struct Merge
{
	const SdcTerm *term;
	int32_t low;
	int32_t behind;
} Merge;

/* The place of the next key, which is not below the one before. */
static SdcPlace
merge_key(Merge *merge, uint64_t key)
{
	const SdcTerm *term = merge->term;
	const uint64_t *sorted = term->sorted;

	while (merge->low < term->references && sorted[merge->low] < key)
		merge->low++;
	if (merge->behind < merge->low)
		merge->behind = merge->low;
	while (merge->behind < term->references && sorted[merge->behind] == key)
		merge->behind++;
	return place_key(term, key, merge->low, merge->behind);
}

static void
place_persons(SdcIntruder *intruder, SdcTerm *term, const uint64_t *key)
{
	SdcHost *host = intruder->host;
	Keys keys = sort_keys(host, key, intruder->persons);
	Merge merge = {term, 0, 0};
	int32_t k;

	for (k = 0; k < keys.n; k++)
	{
		int32_t i = keys.row[k];
		SdcPlace place = merge_key(&merge, keys.key[k]);
		bool occurs =
			place.low == SDC_PLACE_UNKNOWN || merge.low < merge.behind;

		poll_rows(intruder, k, keys.n);
		term->person[i] = place;
		term->own[i] = occurs && place.low >= 0 ? place.low : -1;
		if (!occurs)
			count_absent(intruder, i);
	}
	release_keys(host, &keys);
}

static void
place_records(SdcIntruder *intruder, SdcTerm *term, const Keys *keys)
{
	Merge merge = {term, 0, 0};
	int32_t k;

	for (k = 0; k < keys->n; k++)
	{
		SdcPlace place = merge_key(&merge, keys->key[k]);

		poll_rows(intruder, k, keys->n);
		term->position[keys->row[k]] = place.low;
		term->head.holes |= place.low == SDC_PLACE_UNKNOWN;
	}
}

/* The keys of the reference that are known are its first ones. */
static void
take_reference(SdcTerm *term, const Keys *keys)
{
	term->sorted = keys->key;
	term->references = (int32_t) sdc_sort_keys_below(
		keys->key, (size_t) keys->n, SDC_INTRUDER_UNKNOWN);
}

void
sdc_intruder_add_rank_swap(SdcIntruder *intruder, const SdcIntruderSwap *swap)
{
	SdcHost *host = intruder->host;
	SdcTerm *term = add_term(intruder, SDC_TERM_SWAP);
	Keys records;
	Keys reference;

	host->stage(host, "ranking");
	term->head.method = swap->method;
	term->share = swap->p;
	term->person = sdc_new(host, SdcPlace, intruder->persons);
	term->record = sdc_new(host, int32_t, intruder->records);
	term->position = sdc_new(host, int32_t, intruder->records);
	records = sort_keys(host, swap->record, intruder->records);
	reference = swap->reference == NULL
					? records
					: sort_keys(host, swap->reference, swap->references);
	take_reference(term, &reference);
	term->own = sdc_new(host, int32_t, intruder->persons);
	find_strata(intruder, term);
	place_persons(intruder, term, swap->person);
	place_records(intruder, term, &records);
	host->release(host, reference.row);
	if (swap->reference != NULL)
		release_keys(host, &records);
	sdc_intruder_cut_ranks(intruder, term);
}

/* ---------------------------------------------------------------------------
 * Codes.
 */

/* A term of codes: a code is a segment. */
static SdcTerm *
add_codes(SdcIntruder *intruder, SdcTermRule rule, const int32_t *record,
		  int32_t codes)
{
	SdcTerm *term = add_term(intruder, rule);
	SdcHost *host = intruder->host;
	int32_t i;

	term->head.segments = codes;
	term->record = sdc_new(host, int32_t, intruder->records);
	term->person = sdc_new(host, SdcPlace, intruder->persons);
	term->below = sdc_new(host, int32_t, (size_t) codes + 1);
	for (i = 0; i <= codes; i++)
		term->below[i] = 0;
	for (i = 0; i < intruder->records; i++)
	{
		poll_rows(intruder, i, intruder->records);
		term->record[i] = record[i] < 0 ? -1 : record[i];
		if (record[i] >= 0)
			term->below[record[i] + 1]++;
		else
			term->head.holes = true;
	}
	for (i = 0; i < codes; i++)
		term->below[i + 1] += term->below[i];
	term->head.known = term->below[codes];
	return term;
}

static int32_t
code_count(const SdcTerm *term, int32_t code)
{
	return term->below[code + 1] - term->below[code];
}

/* The persons' codes; absent: does one that no record has count? */
static void
set_codes(SdcIntruder *intruder, SdcTerm *term, const int32_t *person,
		  bool absent)
{
	int32_t i;

	for (i = 0; i < intruder->persons; i++)
	{
		SdcPlace place = {SDC_PLACE_UNKNOWN, SDC_PLACE_UNKNOWN};

		poll_rows(intruder, i, intruder->persons);
		if (person[i] >= 0)
		{
			place.low = place.high = person[i];
			if (code_count(term, person[i]) == 0)
			{
				if (absent)
					count_absent(intruder, i);
			}
		}
		term->person[i] = place;
	}
}

void
sdc_intruder_add_equal(SdcIntruder *intruder, const int32_t *person,
					   const int32_t *record, int32_t codes)
{
	SdcTerm *term = add_codes(intruder, SDC_TERM_EQUAL, record, codes);

	/* a suppressed record could be it: then the value is not missing */
	set_codes(intruder, term, person, !term->head.holes);
}

void
sdc_intruder_add_range(SdcIntruder *intruder, const int32_t *low,
					   const int32_t *high, const int32_t *record,
					   int32_t codes)
{
	SdcTerm *term = add_codes(intruder, SDC_TERM_RANGE, record, codes);
	int32_t i;

	for (i = 0; i < intruder->persons; i++)
	{
		bool known = low[i] <= high[i];

		poll_rows(intruder, i, intruder->persons);
		term->person[i].low = known ? low[i] : SDC_PLACE_UNKNOWN;
		term->person[i].high = high[i];
		if (known && !term->head.holes &&
			term->below[high[i] + 1] == term->below[low[i]])
			count_absent(intruder, i);
	}
}

/* How likely a value stays. */
static void
set_chance(SdcTerm *term, double p)
{
	float error = term->head.error;

	term->head.p = p;
	term->head.floor = sdc_log_float((float) ((1 - error) * (1 - p) + error));
}

void
sdc_intruder_add_pram(SdcIntruder *intruder, double p, const int32_t *person,
					  const int32_t *record, int32_t codes, int32_t strata)
{
	SdcTerm *term = add_codes(intruder, SDC_TERM_PRAM, record, codes * strata);

	term->head.codes = codes;
	set_chance(term, p);
	set_codes(intruder, term, person, false);
}

int
sdc_intruder_terms(const SdcIntruder *intruder)
{
	return intruder->terms;
}

void
sdc_intruder_renew_pram(SdcIntruder *intruder, int term, double p,
						const int32_t *person)
{
	SdcTerm *of = intruder->term[term];

	set_chance(of, p);
	set_codes(intruder, of, person, false);
}

void
sdc_intruder_add_matrix(SdcIntruder *intruder, const double *chance,
						int32_t matrices, const int32_t *person,
						const int32_t *record, int32_t codes, int32_t strata)
{
	SdcTerm *term =
		add_codes(intruder, SDC_TERM_MATRIX, record, codes * strata);
	size_t chances = (size_t) matrices * (size_t) codes * (size_t) codes;
	size_t i;

	term->head.codes = codes;
	term->head.strata = matrices;
	term->head.rows = matrices * codes;
	term->head.longest = codes;
	term->curve = sdc_new(intruder->host, float, chances);
	for (i = 0; i < chances; i++)
		term->curve[i] = (float) chance[i];
	set_codes(intruder, term, person, false);
}

void
sdc_intruder_add_table(SdcIntruder *intruder, const float *chance,
					   int32_t rows, const int32_t *person,
					   const int32_t *record, int32_t codes)
{
	SdcTerm *term = add_codes(intruder, SDC_TERM_MATRIX, record, codes);
	int32_t i;

	term->head.codes = codes;
	term->head.rows = rows;
	term->head.longest = codes;
	term->curve =
		sdc_new(intruder->host, float, (size_t) rows *(size_t) codes);
	memcpy(term->curve, chance,
		   sizeof(float) * (size_t) rows * (size_t) codes);
	for (i = 0; i < intruder->persons; i++)
	{
		SdcPlace place = {person[i] < 0 ? SDC_PLACE_UNKNOWN : person[i], 0};

		place.high = place.low;
		term->person[i] = place;
	}
}

/* The codes of numbers among the different ones of them; -1 for NaN. */
static int32_t
number_codes(SdcIntruder *intruder, const double *number, int32_t n,
			 int32_t *code, double *value)
{
	SdcHost *host = intruder->host;
	uint64_t *key = sdc_new(host, uint64_t, n);
	int32_t *row = sdc_new(host, int32_t, n);
	int32_t codes = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		key[i] = sdc_sort_key(number[i]);
		row[i] = i;
	}
	sdc_sort_keys(host, key, row, (size_t) n);
	for (i = 0; i < n; i++)
	{
		double x = number[row[i]];

		if (isnan(x))
		{
			code[row[i]] = -1;
			continue;
		}
		if (codes == 0 || value[codes - 1] != x)
			value[codes++] = x;
		code[row[i]] = codes - 1;
	}
	host->release(host, key);
	host->release(host, row);
	return codes;
}

/* The groups between whose means x lies. */
static SdcPlace
enclose(const double *mean, int32_t groups, double x)
{
	SdcPlace place = {0, 1 << 30};
	int32_t low = (int32_t) sdc_sort_up_to(mean, (size_t) groups, x);

	place.low = low == 0 ? 0 : low - 1;
	if (low > 0 && low < groups)
		place.high = (int32_t) ((mean[low] - x) / (mean[low] - mean[low - 1]) *
								(1 << 30));
	return place;
}

void
sdc_intruder_add_microaggregate(SdcIntruder *intruder, const double *person,
								const double *record)
{
	SdcHost *host = intruder->host;
	int32_t *code = sdc_new(host, int32_t, intruder->records);
	double *mean = sdc_new(host, double, intruder->records);
	int32_t groups =
		number_codes(intruder, record, intruder->records, code, mean);
	SdcTerm *term = add_codes(intruder, SDC_TERM_MICROAGGREGATE, code, groups);
	int32_t i;

	term->head.longest = 2;
	for (i = 0; i < intruder->persons; i++)
	{
		SdcPlace unknown = {SDC_PLACE_UNKNOWN, SDC_PLACE_UNKNOWN};

		poll_rows(intruder, i, intruder->persons);
		term->person[i] = isnan(person[i]) || groups == 0
							  ? unknown
							  : enclose(mean, groups, person[i]);
	}
	host->release(host, code);
	host->release(host, mean);
}

/* ---------------------------------------------------------------------------
 * Numbers.
 */

static double *
copy_numbers(SdcHost *host, const double *number, int32_t n)
{
	double *copy = sdc_new(host, double, n);

	memcpy(copy, number, (size_t) n * sizeof(double));
	return copy;
}

SdcTerm *
sdc_intruder_add_numbers(SdcIntruder *intruder, SdcTermRule rule, int columns,
						 const double *const *person,
						 const double *const *record)
{
	SdcTerm *term = add_term(intruder, rule);
	SdcHost *host = intruder->host;
	int32_t i;
	int c;

	/* groups may get another one */
	term->record_number = sdc_new(host, double *, columns + 1);
	term->person_number = sdc_new(host, double *, columns + 1);
	for (c = 0; c < columns; c++)
	{
		term->record_number[c] =
			copy_numbers(host, record[c], intruder->records);
		term->person_number[c] =
			copy_numbers(host, person[c], intruder->persons);
		for (i = 0; i < intruder->records; i++)
			term->head.holes |= isnan(record[c][i]);
	}
	term->head.columns = columns;
	return term;
}

/* The number that all values are multiples of, as decimals; 0: none. */
static double
grain_of(const double *value, int32_t n)
{
	double unit;

	for (unit = 1; unit > 0.5 * LEAST_GRAIN; unit /= 10)
	{
		double divisor = 0;
		int32_t i;

		for (i = 0; i < n; i++)
		{
			double times = isnan(value[i]) ? 0 : fabs(value[i]) / unit;

			if (!(times < MOST_GRAINS) ||
				fabs(times - rint(times)) > GRAIN_ERROR)
				break;
			divisor = sdc_common_divisor(rint(times), divisor);
		}
		if (i == n)
			return divisor * unit;
	}
	return 0;
}

/*
 * How finely a column is told: means may be rounded to a decimal, or to the
 * numbers of single precision; sums lose a little in double precision, too.
 */
static SdcGrain
measure_grain(const SdcIntruder *intruder, const double *person,
			  const double *record)
{
	SdcGrain grain = {grain_of(person, intruder->persons), 0};
	double most = 0;
	double precision = FLOAT_PRECISION;
	int32_t i;

	for (i = 0; i < intruder->records; i++)
		if (!isnan(record[i]))
		{
			most = fmax(most, fabs(record[i]));
			if ((double) (float) record[i] != record[i])
				precision = DOUBLE_PRECISION;
		}
	grain.record = grain_of(record, intruder->records) / 2 + precision * most;
	return grain;
}

/* Brings both files' columns to the mean and deviation of the masked one. */
static void
standardize(SdcIntruder *intruder, SdcTerm *term, int c)
{
	double *record = term->record_number[c];
	double *person = term->person_number[c];
	double mean = 0;
	double square = 0;
	int32_t known = 0;
	double deviation;
	int32_t i;

	for (i = 0; i < intruder->records; i++)
		if (!isnan(record[i]))
			mean += (record[i] - mean) / ++known;
	for (i = 0; i < intruder->records; i++)
		if (!isnan(record[i]))
			square += (record[i] - mean) * (record[i] - mean) / known;
	deviation = square > 0 ? sqrt(square) : 1;
	for (i = 0; i < intruder->records; i++)
		record[i] = (record[i] - mean) / deviation;
	for (i = 0; i < intruder->persons; i++)
		person[i] = (person[i] - mean) / deviation;
	term->grain[c].person /= deviation;
	term->grain[c].record /= deviation;
}

/* The rows of the masked columns without the missing values, as points. */
static SdcPoints *
read_points(SdcIntruder *intruder, const SdcIntruderGroups *groups,
			int32_t *row)
{
	SdcHost *host = intruder->host;
	SdcMatrix matrix = {0, groups->shown, NULL};
	SdcPoints *points;
	int32_t i;
	int c;

	for (i = 0; i < intruder->records; i++)
	{
		bool missing = false;

		for (c = 0; c < groups->shown; c++)
			missing |= !isfinite(groups->record[c][i]);
		if (!missing)
			row[matrix.rows++] = i;
	}
	if (matrix.rows == 0)
		return NULL;
	matrix.column = sdc_new(host, double *, groups->shown);
	for (c = 0; c < groups->shown; c++)
	{
		matrix.column[c] = sdc_new(host, double, matrix.rows);
		for (i = 0; i < (int32_t) matrix.rows; i++)
			matrix.column[c][i] = groups->record[c][row[i]];
	}
	points = sdc_points_create(host, &matrix, true);
	for (c = 0; c < groups->shown; c++)
		host->release(host, matrix.column[c]);
	host->release(host, matrix.column);
	return points;
}

/* The mean distance of each of different points to those next to it. */
static double *
measure_gaps(SdcHost *host, const SdcPoints *points)
{
	SdcPointIndex *index = sdc_point_index_create(host, points);
	double *gap = sdc_new(host, double, points->distinct);
	double at[SDC_MAX_COLUMNS];
	SdcNearest nearest;
	int32_t p;
	int32_t k;

	sdc_nearest_create(host, &nearest, NEIGHBOURS + 1);
	for (p = 0; p < points->distinct; p++)
	{
		sdc_points_get(points, points->first[p], at);
		sdc_nearest_clear(&nearest, NEIGHBOURS + 1);
		sdc_point_index_nearest(index, NULL, at, &nearest);
		gap[p] = 0;
		for (k = 0; k < nearest.count; k++)
			gap[p] += sqrt(nearest.item[k].distance) / NEIGHBOURS;
	}
	host->release(host, nearest.item);
	sdc_point_index_release(index);
	return gap;
}

/* The middle one of several numbers that are not negative. */
static double
median_of(SdcHost *host, const double *value, int32_t n)
{
	uint64_t *key = sdc_new(host, uint64_t, n);
	int32_t *place = sdc_new(host, int32_t, n);
	double median;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		key[i] = sdc_sort_key(value[i]);
		place[i] = i;
	}
	sdc_sort_keys(host, key, place, (size_t) n);
	median = value[place[n / 2]];
	host->release(host, key);
	host->release(host, place);
	return median;
}

/*
 * How wide the group of each record is beside the middle one: groups of so
 * many people reach as far as the means next to theirs are away.  All are
 * alike where that does not show.
 */
static double *
measure_widths(SdcIntruder *intruder, const SdcIntruderGroups *groups)
{
	SdcHost *host = intruder->host;
	double *width = sdc_new(host, double, intruder->records);
	int32_t *row = sdc_new(host, int32_t, intruder->records);
	SdcPoints *points = read_points(intruder, groups, row);
	SdcPoints *different;
	int32_t i;
	int32_t p;

	for (i = 0; i < intruder->records; i++)
		width[i] = 1;
	if (points != NULL && points->distinct > NEIGHBOURS)
	{
		double *gap;
		double middle;

		different =
			sdc_points_subset(host, points, points->first, points->distinct);
		gap = measure_gaps(host, different);
		middle = median_of(host, gap, points->distinct);
		for (p = 0; p < points->distinct && middle > 0; p++)
			for (i = points->first[p]; i < points->first[p + 1]; i++)
				width[row[points->position[i]]] =
					fmin(fmax(gap[p] / middle, LEAST_WIDTH), MOST_WIDTH);
		host->release(host, gap);
		sdc_points_release(host, different);
	}
	if (points != NULL)
		sdc_points_release(host, points);
	host->release(host, row);
	return width;
}

/* Gives a term of groups one more column, in which no person has a value. */
static void
add_widths(SdcIntruder *intruder, SdcTerm *term, double *width)
{
	SdcHost *host = intruder->host;
	int c = term->head.columns++;
	int32_t i;

	term->head.uneven = true;
	term->record_number[c] = width;
	term->person_number[c] = sdc_new(host, double, intruder->persons);
	for (i = 0; i < intruder->persons; i++)
		term->person_number[c][i] = NAN;
}

/* The sum of the squares that are known; adds their number to *known. */
static double
sum_of_squares(const double *value, int32_t n, int64_t *known)
{
	double sum = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		if (!isnan(value[i]))
		{
			sum += value[i] * value[i];
			++*known;
		}
	return sum;
}

/*
 * The spread by the squares within groups: those of the people less those of
 * the means.  0 where nobody can tell.
 */
static double
lost_spread(const SdcIntruder *intruder, const SdcTerm *term)
{
	int columns = sdc_compared_columns(&term->head);
	int64_t people = 0;
	int64_t means = 0;
	double lost = 0;
	double width;
	int c;

	for (c = 0; c < columns; c++)
		lost +=
			sum_of_squares(term->person_number[c], intruder->persons,
						   &people) -
			sum_of_squares(term->record_number[c], intruder->records, &means);
	if (people != means || people == 0 || lost <= 0)
		return 0;
	people = 0;
	width = !term->head.uneven ? (double) means / columns
							   : sum_of_squares(term->record_number[columns],
												intruder->records, &people);
	return LOST_SPREAD * sqrt(lost / columns / width);
}

void
sdc_intruder_add_group(SdcIntruder *intruder, const SdcIntruderGroups *groups)
{
	SdcTerm *term =
		sdc_intruder_add_numbers(intruder, SDC_TERM_GROUP, groups->columns,
								 groups->person, groups->record);
	int c;

	term->grain = sdc_new(intruder->host, SdcGrain, groups->columns);
	for (c = 0; c < groups->columns; c++)
	{
		term->grain[c] =
			measure_grain(intruder, groups->person[c], groups->record[c]);
		standardize(intruder, term, c);
	}
	term->fit = groups->spread == 0;
	term->head.scale = groups->spread == 0 ? GROUP_SPREAD : groups->spread;
	term->head.degrees = GROUP_DEGREES;
	term->head.level = -NORMAL_ENTROPY;
	term->head.width = 0.1;
	if (groups->shown > 0 && sdc_intruder_has_room(intruder, 0, 1))
		add_widths(intruder, term, measure_widths(intruder, groups));
	if (groups->whole)
		term->lost = lost_spread(intruder, term);
}

int32_t
sdc_intruder_draw_links(SdcHost *host, const int32_t *partner, int32_t persons,
						int32_t most, int32_t *link)
{
	int32_t *linked = sdc_new(host, int32_t, (size_t) persons + 1);
	int32_t count = 0;
	SdcRandom random;
	int32_t i;

	for (i = 0; i < persons; i++)
		if (partner[i] >= 0)
			linked[count++] = i;
	most = most < count ? most : count;
	sdc_random_seed(&random, 0, 3);
	sdc_random_draw(&random, linked, count, most);
	memcpy(link, linked, sizeof(int32_t) * (size_t) most);
	host->release(host, linked);
	return most;
}
