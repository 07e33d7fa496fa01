/*
 * released_effects.c
 *		What a released column is in each category, beside a linear form.
 *
 * A tax is an income times the rate of a canton, a score the place of an
 * income among those of a canton.  Both are numbers of a person: the line of
 * his canton, learned from links, and his place in it, computed from all that
 * is known (by_category.c).  The one that explains most of what a form leaves
 * is added to it, until none explains much, and those that are learned are
 * learned again from what all others leave (backfitting; Breiman and Friedman
 * 1985).  Categories are keys that are no numbers, numbers of few values, the
 * parts in which a number lies, and pairs of these.  Parts have lines, not
 * means: means of parts found fewer beside homes that were moved (544 for 576
 * of 900), and the form has the number itself.
 */
#include "kernel/intruder/error_law.h"
#include "kernel/intruder/released.h"

#include <math.h>
#include <string.h>

#include "kernel/base/sort.h"
#include "kernel/intruder/by_category.h"
#include "kernel/linear/square.h"

/* Effects that are added to a form, and what part of what it leaves each
 * explains at least. */
#define EFFECTS       4
#define LEAST_OF_REST 0.2

/* In spreads, how far what is left may lie, where one in thirty who pays
 * something else is most of the squares; and when lines are learned again. */
#define FARTHEST       10
#define FARTHEST_AGAIN 100

/* Rounds of learning them again, and by what part the spread has to fall. */
#define ROUNDS     10
#define LEAST_FALL 0.01

/* Numbers that have lines and places: those that tell most. */
#define NUMBERS 8

/* Categories of which pairs are made. */
#define PAIRED 6

/* Persons of which it is told what lines explain: at least, of each category,
 * and at most. */
#define SAMPLE         8000
#define SAMPLE_OF_EACH 24
#define MOST_OF_SAMPLE 40000

/* Persons, or records, of which lines are learned: of more, every second or
 * third one does as well. */
#define LEARNED         100000
#define LEARNED_OF_EACH 100

/* Persons that are put in groups for the places of a column, all together. */
#define MOST_PLACED 20000000

/* Instead of a number of the form: the total of all that are known. */
#define TOTAL (-1)

/* Persons of a category that has a line, on the average. */
#define LINKS_OF_LINE 8

/* A further number of a line explains so much of what it leaves, and a pair of
 * categories of what a single one does. */
#define LEAST_OF_LINE 0.1
#define LEAST_OF_PAIR 0.5

/* An effect: a line of numbers in a category, a mean of a class of records, a
 * place, or two numbers multiplied or divided, or the greater one. */
typedef enum EffectKind
{
	EFFECT_NONE,
	EFFECT_LINE,
	EFFECT_CLASS,
	EFFECT_PLACE,
	EFFECT_PRODUCT,
	EFFECT_RATIO,
	EFFECT_GREATER
} EffectKind;

typedef struct Effect
{
	EffectKind kind;
	int category; /* or the column of classes */
	int numbers;
	int number[SDC_LINE_NUMBERS]; /* of the form */
	SdcGroupPlace place;
	double share; /* of what the form leaves */
	int at;       /* among the numbers of persons, or of records */
} Effect;

/* What is searched for effects. */
typedef struct Search
{
	SdcLearning *learning;
	bool nearer; /* is what lies far off taken for nearer? */
	SdcForm form;
	double *rest; /* of the form, by record */
	double left;  /* links of which it leaves something */
	double most;  /* that was explained of it by an effect */
	int numbers;
	int number[NUMBERS]; /* of the form, those that tell most first */
	int32_t *order[NUMBERS];
	int32_t *pair; /* room for the codes of a pair */
	int32_t *own;  /* each record by itself, -1: nobody's */
	/* what the variables of the form are of the links that are fitted, each
	 * less what those before are of it, of length 1; then the rest */
	int axes;
	int32_t links;
	double *axis;
	double *value; /* room for a number of these links */
} Search;

/* ---------------------------------------------------------------------------
 * Categories.
 */

static int
single_categories(const SdcIntruderReleased *released)
{
	return released->keys + released->coded;
}

/* The categories of which pairs are made: not the parts of numbers. */
static int
paired_categories(const SdcIntruderReleased *released, int *which)
{
	int count = 0;
	int k;

	for (k = 0; k < single_categories(released) && count < PAIRED; k++)
		if (k < released->no_numbers || k >= released->keys)
			which[count++] = k;
	return count;
}

static int
count_pairs(const SdcIntruderReleased *released)
{
	int which[PAIRED];
	int paired = paired_categories(released, which);

	return paired * (paired - 1) / 2;
}

/* All persons are the last one. */
static int
count_categories(const SdcIntruderReleased *released)
{
	return single_categories(released) + count_pairs(released) + 1;
}

/* Parts of numbers have no places, and means that the form has already. */
static bool
is_parts(const SdcIntruderReleased *released, int category)
{
	return category >= released->no_numbers && category < released->keys;
}

/* The codes of two categories together, in the room for them; NULL: they are
 * too many. */
static const int32_t *
pair_codes(const Search *search, int a, int b, int32_t *codes)
{
	const SdcIntruderReleased *released = search->learning->released;
	int32_t i;

	if ((int64_t) released->codes[a] * released->codes[b] > SDC_LINE_CODES)
		return NULL;
	*codes = released->codes[a] * released->codes[b];
	for (i = 0; i < search->learning->intruder->persons; i++)
	{
		int32_t first = released->category[a][i];
		int32_t second = released->category[b][i];

		search->pair[i] =
			first < 0 || second < 0 ? -1 : first * released->codes[b] + second;
	}
	return search->pair;
}

/* All persons as one category, in that room. */
static const int32_t *
codes_of_all(const Search *search, int32_t *codes)
{
	size_t persons = (size_t) search->learning->intruder->persons;

	memset(search->pair, 0, sizeof(int32_t) * persons);
	*codes = 1;
	return search->pair;
}

/* The categories of a pair; false: it is none. */
static bool
is_pair(const SdcIntruderReleased *released, int category, int *a, int *b)
{
	int which[PAIRED];
	int paired = paired_categories(released, which);
	int pair = category - single_categories(released);
	int second = 1;
	int first = 0;

	if (pair < 0 || pair == count_pairs(released))
		return false;
	for (; pair > 0; pair--)
		if (++second == paired)
			second = ++first + 1;
	*a = which[first];
	*b = which[second];
	return true;
}

/* The codes of a category, of a pair, or of all; NULL: they are too many. */
static const int32_t *
codes_of(const Search *search, int category, int32_t *codes)
{
	const SdcIntruderReleased *released = search->learning->released;
	int a;
	int b;

	if (is_pair(released, category, &a, &b))
		return pair_codes(search, a, b, codes);
	if (category == single_categories(released) + count_pairs(released))
		return codes_of_all(search, codes);
	*codes = released->codes[category];
	return released->category[category];
}

/* ---------------------------------------------------------------------------
 * What is left to explain.
 */

/* What lies farther off is taken for so far off, or left out where many follow
 * no law. */
static double
within(const SdcLearning *learning, double x, double most)
{
	if (isnan(x) || fabs(x) <= most)
		return x;
	return sdc_learning_of_most(learning) ? NAN : copysign(most, x);
}

/* What a form leaves of the column, by record; NaN: nobody's.  Returns of how
 * many it leaves something. */
static double
fill_rest(const SdcLearning *learning, const SdcForm *form, double farthest,
		  double *rest)
{
	const SdcIntruder *intruder = learning->intruder;
	int32_t known = 0;
	int32_t i;

	for (i = 0; i < intruder->records; i++)
		rest[i] = NAN;
	for (i = 0; i < intruder->persons && form->spread > 10 * SDC_LEAST_SPREAD;
		 i++)
	{
		int32_t record = learning->released->partner[i];

		if (record < 0)
			continue;
		rest[record] = within(learning, sdc_learning_error(learning, form, i),
							  farthest * form->spread);
		known += !isnan(rest[record]);
	}
	return known;
}

/* Takes out of values what the axes so far are of them. */
static void
take_out(const Search *search, int axes, double *value)
{
	int a;
	int32_t k;

	for (a = 0; a < axes; a++)
	{
		const double *axis =
			search->axis + (size_t) a * (size_t) search->links;
		double factor = sdc_dot(axis, value, search->links);

		for (k = 0; k < search->links; k++)
			value[k] -= factor * axis[k];
	}
}

/* Adds values as an axis, if anything is left of them. */
static void
add_axis(Search *search, const double *value)
{
	double *axis =
		search->axis + (size_t) search->axes * (size_t) search->links;
	double before = sdc_dot(value, value, search->links);
	double square;
	int32_t k;

	memcpy(axis, value, sizeof(double) * (size_t) search->links);
	take_out(search, search->axes, axis);
	square = sdc_dot(axis, axis, search->links);
	if (!(square > 1e-12 * before))
		return;
	for (k = 0; k < search->links; k++)
		axis[k] /= sqrt(square);
	search->axes++;
}

/* The variables of the form as axes, and the rest behind them. */
static void
find_axes(Search *search)
{
	const SdcLearning *learning = search->learning;
	SdcStandard rest;
	int32_t k;
	int c;

	search->axes = 0;
	for (k = 0; k < search->links; k++)
		search->value[k] = 1;
	add_axis(search, search->value);
	for (c = 0; c < learning->known; c++)
	{
		sdc_learning_values(learning, &learning->person[c], true,
							search->value);
		add_axis(search, search->value);
	}
	for (c = 0; c < learning->beside; c++)
	{
		sdc_learning_values(learning, &learning->record[c], false,
							search->value);
		add_axis(search, search->value);
	}
	rest = sdc_standard_kept(search->rest);
	sdc_learning_values(learning, &rest, false, search->value);
	take_out(search, search->axes, search->value);
	memcpy(search->axis + (size_t) search->axes * (size_t) search->links,
		   search->value, sizeof(double) * (size_t) search->links);
}

/* What part of the rest the values explain that the form does not have. */
static double
share_explained(const Search *search)
{
	const double *rest =
		search->axis + (size_t) search->axes * (size_t) search->links;
	double before = sdc_dot(search->value, search->value, search->links);
	double square;
	double with;

	take_out(search, search->axes, search->value);
	square = sdc_dot(search->value, search->value, search->links);
	if (!(square > 1e-12 * before))
		return 0;
	with = sdc_dot(search->value, rest, search->links);
	return with / square * (with / sdc_dot(rest, rest, search->links));
}

/* The numbers of the form that are known as they are, those that tell most of
 * the column first. */
static void
find_numbers(Search *search)
{
	const SdcLearning *learning = search->learning;
	int c;
	int k;

	search->numbers = 0;
	for (c = 0; c < learning->known; c++)
	{
		double factor = fabs(search->form.factor[1 + c]);

		if (learning->raw[c] == NULL)
			continue;
		for (k = search->numbers; k > 0; k--)
		{
			if (fabs(search->form.factor[1 + search->number[k - 1]]) >= factor)
				break;
			if (k < NUMBERS)
				search->number[k] = search->number[k - 1];
		}
		if (k < NUMBERS)
			search->number[k] = c;
		search->numbers += search->numbers < NUMBERS;
	}
}

/* Starts a search, or starts it again after an effect was added. */
static void
look_again(Search *search)
{
	search->form = sdc_learning_fit(search->learning);
	search->left =
		fill_rest(search->learning, &search->form,
				  search->nearer ? FARTHEST : INFINITY, search->rest);
	if (search->left > 0)
		find_axes(search);
}

static Search
start_search(SdcLearning *learning, bool nearer)
{
	SdcHost *host = learning->intruder->host;
	size_t persons = (size_t) learning->intruder->persons + 1;
	size_t links = (size_t) (learning->links + 1) / 2 + 1;
	Search search = {.learning = learning,
					 .nearer = nearer,
					 .links = (learning->links + 1) / 2};

	search.rest =
		sdc_new(host, double, (size_t) learning->intruder->records + 1);
	search.pair = sdc_new(host, int32_t, persons);
	search.own = sdc_learning_own_records(learning);
	search.axis =
		sdc_new(host, double, links *(size_t) (SDC_FORM_VARIABLES + 1));
	search.value = sdc_new(host, double, links);
	look_again(&search);
	find_numbers(&search);
	return search;
}

static void
end_search(Search *search)
{
	SdcHost *host = search->learning->intruder->host;
	int k;

	for (k = 0; k < NUMBERS; k++)
		if (search->order[k] != NULL)
			host->release(host, search->order[k]);
	host->release(host, search->rest);
	host->release(host, search->pair);
	host->release(host, search->own);
	host->release(host, search->axis);
	host->release(host, search->value);
}

/* ---------------------------------------------------------------------------
 * Lines.
 */

int32_t
sdc_learning_step(int32_t n, int32_t codes)
{
	int64_t sample = (int64_t) SAMPLE_OF_EACH * codes;

	if (sample < SAMPLE)
		sample = SAMPLE;
	return 1 +
		   n / (int32_t) (sample > MOST_OF_SAMPLE ? MOST_OF_SAMPLE : sample);
}

/* The step by which so many are read where lines by so many codes are
 * learned. */
static int32_t
step_of_lines(int32_t n, int32_t codes)
{
	int64_t enough = (int64_t) LEARNED_OF_EACH * codes;
	int64_t step = n / (enough > LEARNED ? enough : LEARNED);

	return step < 1 ? 1 : (int32_t) step;
}

/* What lines are learned of: persons, or fewer of them to try them. */
static SdcLines
lines_of(const Search *search, const Effect *effect, const int32_t *code,
		 int32_t codes, bool sample)
{
	const SdcLearning *learning = search->learning;
	SdcLines of = {.persons = learning->intruder->persons,
				   .partner = learning->released->partner,
				   .column = search->rest,
				   .code = code,
				   .codes = codes,
				   .numbers = effect->numbers,
				   .step = step_of_lines(learning->intruder->persons, codes),
				   .degrees = learning->degrees};
	int a;

	for (a = 0; a < effect->numbers; a++)
		of.number[a] = learning->person[effect->number[a]];
	if (sample)
		of.step = sdc_learning_step(learning->intruder->persons, codes);
	return of;
}

/* Is this line the best one? */
static void
try_line(const Search *search, Effect *line, const int32_t *code,
		 int32_t codes, Effect *best)
{
	SdcIntruder *intruder = search->learning->intruder;
	SdcLines of = lines_of(search, line, code, codes, true);

	line->share = of.step *
				  sdc_lines_by_category(intruder->host, &of, NULL, NULL) /
				  search->left;
	if (line->share > best->share)
		*best = *line;
}

/* Means of a category, and lines of one number in it. */
static void
try_category(const Search *search, int category, Effect *best)
{
	const SdcIntruderReleased *released = search->learning->released;
	Effect line = {.kind = EFFECT_LINE, .category = category};
	int32_t codes;
	const int32_t *code = codes_of(search, category, &codes);
	/* of more, hardly any has the links for a line of its own */
	int32_t most = search->learning->intruder->persons / LINKS_OF_LINE;
	int k;

	if (code == NULL)
		return;
	if (!is_parts(released, category))
		try_line(search, &line, code, codes, best);
	line.numbers = 1;
	for (k = 0; k < search->numbers && codes <= most; k++)
	{
		line.number[0] = search->number[k];
		try_line(search, &line, code, codes, best);
	}
}

/*
 * The best category, and the best pair of them if it explains half of what
 * that leaves: among many pairs one is near to any law of a single category.
 * The form is the line of all.
 */
static void
try_categories(const Search *search, Effect *best)
{
	const SdcIntruderReleased *released = search->learning->released;
	SdcHost *host = search->learning->intruder->host;
	int single = single_categories(released);
	int categories = single + count_pairs(released);
	Effect pair;
	int c;

	for (c = 0; c < single; c++)
	{
		host->poll(host, 0, 0);
		try_category(search, c, best);
	}
	pair = *best;
	pair.share += LEAST_OF_PAIR * fmax(1 - pair.share, 0);
	for (; c < categories; c++)
	{
		host->poll(host, 0, 0);
		try_category(search, c, &pair);
	}
	/* it is the best one still where nothing was tried */
	if (pair.kind != EFFECT_NONE && pair.category >= single)
		*best = pair;
}

/* Means of the classes of records. */
static void
try_classes(const Search *search, Effect *best)
{
	const SdcLearning *learning = search->learning;
	SdcHost *host = learning->intruder->host;
	int c;

	for (c = 0; c < learning->released->columns; c++)
	{
		Effect mean = {.kind = EFFECT_CLASS, .category = c};
		SdcLines of;

		host->poll(host, 0, 0);
		if (!sdc_learning_is_class(learning, learning->column, c))
			continue;
		of = sdc_learning_lines_by_class(learning, c, search->own,
										 search->rest);
		of.step = sdc_learning_step(of.persons, of.codes);
		mean.share = of.step * sdc_lines_by_category(host, &of, NULL, NULL) /
					 search->left;
		if (mean.share > best->share)
			*best = mean;
	}
}

/* Further numbers of the best line, as long as they explain much of what it
 * leaves. */
static void
try_numbers(const Search *search, Effect *best)
{
	int32_t codes;
	const int32_t *code;

	if (best->kind != EFFECT_LINE)
		return;
	code = codes_of(search, best->category, &codes);
	while (best->numbers > 0 && best->numbers < SDC_LINE_NUMBERS)
	{
		Effect longer = *best;
		int k;

		for (k = 0; k < search->numbers; k++)
		{
			Effect line = *best;

			line.number[line.numbers++] = search->number[k];
			try_line(search, &line, code, codes, &longer);
		}
		if (longer.share - best->share <=
			LEAST_OF_LINE * fmax(1 - best->share, 0))
			break;
		*best = longer;
	}
}

/* ---------------------------------------------------------------------------
 * Places, products and ratios.
 */

/* The persons by a number that is known. */
static const int32_t *
order_of(Search *search, int k)
{
	SdcHost *host = search->learning->intruder->host;
	int32_t persons = search->learning->intruder->persons;
	const double *raw = search->learning->raw[search->number[k]];
	uint64_t *key;
	int32_t i;

	if (search->order[k] != NULL)
		return search->order[k];
	key = sdc_new(host, uint64_t, (size_t) persons + 1);
	search->order[k] = sdc_new(host, int32_t, (size_t) persons + 1);
	for (i = 0; i < persons; i++)
	{
		key[i] = sdc_sort_key(raw[i]);
		search->order[k][i] = i;
	}
	sdc_sort_keys(host, key, search->order[k], (size_t) persons);
	host->release(host, key);
	return search->order[k];
}

/* A number that is computed is tried as it is at the links. */
static void
try_value(const Search *search, Effect *effect, Effect *best)
{
	effect->share = share_explained(search);
	if (effect->share > best->share &&
		effect->share * search->links >= SDC_LEAST_EXPLAINED)
		*best = *effect;
}

static SdcGroups
groups_of(Search *search, int k, const int32_t *code, int32_t codes)
{
	SdcIntruder *intruder = search->learning->intruder;

	return sdc_groups_of(intruder->host, intruder->persons,
						 search->learning->raw[search->number[k]],
						 order_of(search, k), code, codes);
}

/* The places of a number among those of a category. */
static void
try_places(Search *search, int category, int k, const int32_t *code,
		   int32_t codes, Effect *best)
{
	const SdcLearning *learning = search->learning;
	SdcGroups groups = groups_of(search, k, code, codes);
	int place;

	for (place = 0; place < SDC_PLACES; place++)
	{
		Effect effect = {.kind = EFFECT_PLACE,
						 .category = category,
						 .numbers = 1,
						 .number = {search->number[k]},
						 .place = (SdcGroupPlace) place};
		double mean = 0;
		int32_t i;

		for (i = 0; i < search->links; i++)
		{
			double x =
				sdc_group_place(&groups, effect.place, learning->link[2 * i]);

			search->value[i] = isfinite(x) ? x : 0;
			mean += search->value[i] / search->links;
		}
		for (i = 0; i < search->links; i++)
			search->value[i] -= mean;
		try_value(search, &effect, best);
	}
	sdc_groups_release(learning->intruder->host, &groups);
}

/* The places of all numbers, the first ones first, as long as that is not too
 * much work. */
static void
try_all_places(Search *search, Effect *best)
{
	const SdcIntruderReleased *released = search->learning->released;
	int32_t persons = search->learning->intruder->persons;
	int categories = count_categories(released);
	int64_t work = 0;
	int c;
	int k;

	for (k = 0; k < search->numbers; k++)
		for (c = 0; c < categories; c++)
		{
			int32_t codes;
			const int32_t *code =
				is_parts(released, c) ? NULL : codes_of(search, c, &codes);

			/* with nobody else in a group there are no places */
			if (code == NULL || codes > persons - persons / 4)
				continue;
			work += persons;
			if (work > MOST_PLACED && work > persons)
				return;
			try_places(search, c, k, code, codes, best);
		}
}

/* A number as it is known of a person, or the total of those that are. */
static double
raw_number(const SdcLearning *learning, int number, int32_t person)
{
	double total = 0;
	int c;

	if (number != TOTAL)
		return learning->raw[number][person];
	for (c = 0; c < learning->known; c++)
		if (learning->raw[c] != NULL)
			total += learning->raw[c][person];
	return total;
}

/* A product or ratio of two numbers, of a person. */
static double
combined(const SdcLearning *learning, const Effect *effect, int32_t person)
{
	double x = raw_number(learning, effect->number[0], person);
	double y = raw_number(learning, effect->number[1], person);

	switch (effect->kind)
	{
		case EFFECT_PRODUCT:
			return x * y;
		case EFFECT_RATIO:
			return y == 0 ? NAN : x / y;
		default:
			return fmax(x, y);
	}
}

/* The share of the rest that two numbers explain together. */
static void
try_pair(const Search *search, Effect *effect, Effect *best)
{
	const SdcLearning *learning = search->learning;
	int32_t i;

	for (i = 0; i < search->links; i++)
	{
		double x = combined(learning, effect, learning->link[2 * i]);

		search->value[i] = isfinite(x) ? x : 0;
	}
	try_value(search, effect, best);
}

static int
number_or_total(const Search *search, int k)
{
	return k < search->numbers ? search->number[k] : TOTAL;
}

/* Two numbers of the form, and each beside the total. */
static void
try_pairs(const Search *search, EffectKind kind, Effect *best)
{
	int a;
	int b;

	for (a = 0; a <= search->numbers; a++)
		for (b = 0; b <= search->numbers; b++)
		{
			Effect effect = {.kind = kind,
							 .numbers = 2,
							 .number = {number_or_total(search, a),
										number_or_total(search, b)}};

			/* each pair once, unless it matters which comes first */
			if (kind == EFFECT_RATIO ? a != b : a < b)
				try_pair(search, &effect, best);
		}
}

/* ---------------------------------------------------------------------------
 * Forms with effects.
 */

/* Learns the lines of all persons. */
static void
fill_line(const Search *search, const Effect *effect, SdcStandard *learned,
		  SdcStandard *named)
{
	SdcIntruder *intruder = search->learning->intruder;
	size_t persons = (size_t) intruder->persons + 1;
	int32_t codes;
	const int32_t *code = codes_of(search, effect->category, &codes);
	SdcLines of = lines_of(search, effect, code, codes, false);

	*learned = sdc_standard_kept(sdc_new(intruder->host, double, persons));
	*named = sdc_standard_kept(sdc_new(intruder->host, double, persons));
	(void) sdc_lines_by_category(intruder->host, &of,
								 sdc_standard_values(learned),
								 sdc_standard_values(named));
}

/* Learns the means of all records. */
static void
fill_class(const Search *search, const Effect *effect, SdcStandard *learned,
		   SdcStandard *shown)
{
	SdcIntruder *intruder = search->learning->intruder;
	size_t records = (size_t) intruder->records + 1;
	SdcLines of = sdc_learning_lines_by_class(
		search->learning, effect->category, search->own, search->rest);

	of.step = step_of_lines(of.persons, of.codes);
	*learned = sdc_standard_kept(sdc_new(intruder->host, double, records));
	*shown = sdc_standard_kept(sdc_new(intruder->host, double, records));
	(void) sdc_lines_by_category(intruder->host, &of,
								 sdc_standard_values(learned),
								 sdc_standard_values(shown));
}

/* The places of all persons. */
static void
fill_places(Search *search, const Effect *effect, double *value)
{
	SdcIntruder *intruder = search->learning->intruder;
	int32_t codes;
	const int32_t *code = codes_of(search, effect->category, &codes);
	SdcGroups groups;
	int32_t i;
	int k = 0;

	while (search->number[k] != effect->number[0])
		k++;
	groups = groups_of(search, k, code, codes);
	for (i = 0; i < intruder->persons; i++)
		value[i] = sdc_group_place(&groups, effect->place, i);
	sdc_groups_release(intruder->host, &groups);
}

/* Computes or learns an effect of all persons, or records. */
static void
fill_effect(Search *search, const Effect *effect, SdcStandard *learned,
			SdcStandard *named)
{
	SdcIntruder *intruder = search->learning->intruder;
	SdcHost *host = intruder->host;
	double *value;
	int32_t i;

	if (effect->kind == EFFECT_LINE)
	{
		fill_line(search, effect, learned, named);
		return;
	}
	if (effect->kind == EFFECT_CLASS)
	{
		fill_class(search, effect, learned, named);
		return;
	}
	value = sdc_new(host, double, (size_t) intruder->persons + 1);
	if (effect->kind == EFFECT_PLACE)
		fill_places(search, effect, value);
	for (i = 0; i < intruder->persons && effect->kind != EFFECT_PLACE; i++)
		value[i] = combined(search->learning, effect, i);
	*learned = *named = sdc_standard_kept(sdc_learning_standard(
		host, value, intruder->persons, SDC_MEASURE_VALUE));
	host->release(host, value);
}

static void
drop_effect(SdcHost *host, const SdcStandard *person, const SdcStandard *named)
{
	if (named->number != person->number)
		host->release(host, sdc_standard_values(named));
	host->release(host, sdc_standard_values(person));
}

/* Makes room for a number of the records before the column. */
static void
insert_record(SdcLearning *learning)
{
	int at = learning->beside++;

	learning->record[at + 1] = learning->record[at];
	learning->shown[at + 1] = learning->shown[at];
}

/* Adds an effect to the form. */
static void
use_effect(Search *search, Effect *effect)
{
	SdcLearning *learning = search->learning;

	if (effect->kind == EFFECT_CLASS)
	{
		effect->at = learning->beside;
		insert_record(learning);
		learning->record_effects++;
		learning->classes |= (uint32_t) 1 << effect->category;
		fill_effect(search, effect, &learning->record[effect->at],
					&learning->shown[effect->at]);
	}
	else
	{
		effect->at = learning->known++;
		learning->effects++;
		learning->raw[effect->at] = NULL;
		fill_effect(search, effect, &learning->person[effect->at],
					&learning->named[effect->at]);
	}
	look_again(search);
}

/* Adds what explains most of the rest; false: nothing explains much. */
static bool
add_effect(Search *search, Effect *effect)
{
	SdcLearning *learning = search->learning;
	Effect best = {.kind = EFFECT_NONE};

	if (search->left == 0)
		return false;
	try_categories(search, &best);
	try_numbers(search, &best);
	try_classes(search, &best);
	if (learning->measure == SDC_MEASURE_VALUE)
	{
		try_all_places(search, &best);
		try_pairs(search, EFFECT_PRODUCT, &best);
		try_pairs(search, EFFECT_RATIO, &best);
		try_pairs(search, EFFECT_GREATER, &best);
	}
	search->most = fmax(search->most, best.share);
	if (best.share <
		(sdc_learning_of_most(learning) ? SDC_LEAST_OF_MOST : LEAST_OF_REST))
		return false;
	use_effect(search, &best);
	*effect = best;
	return true;
}

/* What an effect is of a link. */
static double
effect_at(const SdcLearning *learning, const Effect *effect, int32_t person)
{
	return effect->kind == EFFECT_CLASS
			   ? sdc_standard_at(&learning->record[effect->at],
								 learning->released->partner[person])
			   : sdc_standard_at(&learning->person[effect->at], person);
}

/* Adds to the rest what the form has of an effect. */
static void
give_back(Search *search, const Effect *effect)
{
	const SdcLearning *learning = search->learning;
	int before = effect->kind == EFFECT_CLASS ? learning->known : 0;
	double factor = search->form.factor[1 + before + effect->at];
	int32_t i;

	for (i = 0; i < learning->intruder->persons; i++)
	{
		int32_t record = learning->released->partner[i];

		if (record >= 0)
			search->rest[record] += factor * effect_at(learning, effect, i);
	}
}

/* Learns an effect again from what all others leave of the column. */
static void
learn_again(Search *search, const Effect *effect)
{
	SdcLearning *learning = search->learning;
	bool of_records = effect->kind == EFFECT_CLASS;
	SdcStandard *learned = of_records ? learning->record : learning->person;
	SdcStandard *shown = of_records ? learning->shown : learning->named;
	SdcStandard again;
	SdcStandard shown_again;

	(void) fill_rest(learning, &search->form,
					 search->nearer ? FARTHEST_AGAIN : INFINITY, search->rest);
	give_back(search, effect);
	fill_effect(search, effect, &again, &shown_again);
	drop_effect(learning->intruder->host, &learned[effect->at],
				&shown[effect->at]);
	learned[effect->at] = again;
	shown[effect->at] = shown_again;
	look_again(search);
}

/* Learns all lines again until that does not help any more. */
static void
learn_all_again(Search *search, const Effect *effect, int added)
{
	int round;
	int e;

	for (round = 0; round < ROUNDS && added > 0; round++)
	{
		double before = search->form.spread;

		for (e = 0; e < added && search->left > 0; e++)
			if (effect[e].kind == EFFECT_LINE ||
				effect[e].kind == EFFECT_CLASS)
				learn_again(search, &effect[e]);
		if (search->left == 0 ||
			search->form.spread > (1 - LEAST_FALL) * before)
			break;
	}
}

/*
 * Means of a category instead of its lines, where they do as well once all is
 * learned again: what a form has of a number before its effects are known is
 * not what it has with them, and lines make up for it as far as they can.
 */
static void
try_means(Search *search, Effect *effect, int added)
{
	const SdcIntruderReleased *released = search->learning->released;
	Effect *last = &effect[added - 1];
	double before = search->form.spread;
	Effect line = *last;

	if (last->kind != EFFECT_LINE || last->numbers == 0 || search->left == 0 ||
		is_parts(released, last->category))
		return;
	last->numbers = 0;
	learn_all_again(search, effect, added);
	if (search->left == 0 || search->form.spread <= before)
		return;
	*last = line;
	learn_all_again(search, effect, added);
}

/* Takes the last effect of the persons out of the form. */
static void
drop_last(Search *search)
{
	SdcLearning *learning = search->learning;

	learning->known--;
	learning->effects--;
	drop_effect(learning->intruder->host, &learning->person[learning->known],
				&learning->named[learning->known]);
	look_again(search);
}

/*
 * Both categories of a pair instead of it, where they do as well together:
 * more people have them, and there are more of which both are known.  Returns
 * how many effects there are.
 */
static int
try_both(Search *search, Effect *effect, int added)
{
	SdcLearning *learning = search->learning;
	Effect *last = &effect[added - 1];
	double before = search->form.spread;
	Effect pair = *last;
	int a;
	int b;

	if (last->kind != EFFECT_LINE || search->left == 0 || added == EFFECTS ||
		learning->known == SDC_FORM_PERSONS ||
		!is_pair(learning->released, last->category, &a, &b))
		return added;
	last->category = a;
	learn_again(search, last);
	if (search->left == 0)
		return added;
	effect[added] = pair;
	effect[added].category = b;
	use_effect(search, &effect[added]);
	learn_all_again(search, effect, added + 1);
	if (search->left == 0 || search->form.spread <= before)
		return added + 1;
	drop_last(search);
	*last = pair;
	learn_all_again(search, effect, added);
	return added;
}

/* Does nothing of what is left lie far off? */
static bool
is_near(const Search *search)
{
	int32_t i;

	for (i = 0; i < search->learning->intruder->records; i++)
		if (fabs(search->rest[i]) > FARTHEST * search->form.spread)
			return false;
	return true;
}

/* The form with all effects that explain much, and what one explains at most;
 * true: none of what is left of it lies far off. */
static bool
add_effects(SdcLearning *learning, bool nearer, double *most)
{
	Search search = start_search(learning, nearer);
	Effect effect[EFFECTS];
	int added = 0;
	bool near = is_near(&search);

	while (added < EFFECTS && learning->known < SDC_FORM_PERSONS &&
		   learning->beside < SDC_FORM_RECORDS &&
		   add_effect(&search, &effect[added]))
	{
		added++;
		learn_all_again(&search, effect, added);
		try_means(&search, effect, added);
		added = try_both(&search, effect, added);
	}
	*most = fmax(*most, search.most);
	end_search(&search);
	return near;
}

void
sdc_learning_drop_effects(const SdcLearning *with)
{
	SdcHost *host = with->intruder->host;
	int c;

	for (c = with->known - with->effects; c < with->known; c++)
		drop_effect(host, &with->person[c], &with->named[c]);
	for (c = with->beside - with->record_effects; c < with->beside; c++)
		drop_effect(host, &with->record[c], &with->shown[c]);
}

/* The form without what categories tell of the column by itself: effects tell
 * it better, as they are of the same form. */
static SdcLearning
without_means(const SdcLearning *form)
{
	SdcLearning without = *form;
	int c;

	without.known = 0;
	for (c = 0; c < form->known; c++)
		if (form->named[c].number == form->person[c].number)
		{
			without.raw[without.known] = form->raw[c];
			without.named[without.known] = form->named[c];
			without.person[without.known++] = form->person[c];
		}
	return without;
}

static int
count_effects(const SdcLearning *learning)
{
	return learning->effects + learning->record_effects;
}

/*
 * A form with effects, with what lies far off as it is, or nearer; again: may
 * the latter be better?  It is where what lies far off hides all of them, and
 * may be where many follow no law: then a fifth who follow one of its own may
 * be all that is near.
 */
static SdcLearning
with_effects_of(const SdcLearning *form, bool nearer, bool *again,
				double *most)
{
	SdcLearning with = without_means(form);
	bool near = add_effects(&with, nearer, most);

	*again = !nearer && (sdc_learning_of_most(form) ||
						 (!near && count_effects(&with) == 0));
	return with;
}

/* Takes a form with effects, if it gains more than the one before. */
static void
take_more(SdcLearning *chosen, double *gain, const SdcLearning *with)
{
	double more = count_effects(with) > 0 ? sdc_learning_gain(with) : 0;

	if (more <= *gain)
	{
		sdc_learning_drop_effects(with);
		return;
	}
	sdc_learning_drop_effects(chosen);
	*gain = more;
	*chosen = *with;
}

SdcLearning
sdc_learning_with_effects(const SdcLearning *form, const SdcLearning *best,
						  double gain, double *most)
{
	static const SdcMeasure tried[] = {SDC_MEASURE_VALUE, SDC_MEASURE_SIZE};
	SdcLearning chosen = *best;
	int f;

	*most = 0;
	for (f = 0; f < SDC_LENGTH(tried); f++)
	{
		bool again = true;
		int nearer;

		for (nearer = 0; nearer < 2 && again; nearer++)
		{
			SdcLearning with =
				with_effects_of(&form[tried[f]], nearer == 1, &again, most);

			take_more(&chosen, &gain, &with);
		}
	}
	return chosen;
}
