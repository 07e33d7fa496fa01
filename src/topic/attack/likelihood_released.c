/*
 * likelihood_released.c
 *		What columns that are no keys tell: one term of the likelihood for each
 *		that goes with what is known.
 *
 * What is computed from keys comes first (likelihood_computed.c).  The others
 * are learned from the true links (kernel/intruder/released.c): numbers as
 * they are, categories as means of what is known; then categories of both are
 * counted (released_categories.c).  Where more is shown than can be learned, a
 * sample says what is.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "lib/stringinfo.h"
#include "utils/lsyscache.h"

#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/host.h"
#include "kernel/intruder/intruder.h"
#include "topic/attack/known.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/transparency.h"

/* A day in the unit of timestamps as numbers. */
#define DAY ((double) USECS_PER_DAY)

/* A coordinate of a place, 0 or 1, as its text has it. */
static const double *
read_coordinate(SdcHost *host, const SdcFrame *frame, int field, int which)
{
	const SdcFrameColumn *column = &frame->column[field];
	double *number = sdc_new(host, double, (Size) frame->rows + 1);
	double place[2];
	int32 i;

	for (i = 0; i < frame->rows; i++)
		number[i] = column->code[i] >= 0 &&
							sscanf(sdcpg_dictionary_text(column->dictionary,
														 column->code[i]),
								   "(%lf,%lf)", &place[0], &place[1]) == 2
						? place[which]
						: NAN;
	return number;
}

/*
 * The coordinates of keys that are places, while there is room: the second
 * ones, as the first ones are known already, and both of what is shown.
 */
static void
read_places(SdcLikelihoodTerms *terms, SdcIntruderReleased *released,
			const double **person, const double **mask)
{
	const SdcTransparency *transparency = &terms->transparency;
	const SdcRelationColumns *keys = &transparency->keys;
	const SdcFrame *shown = transparency->masked.frame;
	int told = 0;
	int k;
	int which;

	for (k = 0; k < keys->count; k++)
	{
		int field = transparency->shown_field[k];
		int at = sdcpg_number_is(keys->column[k].base) ? -1 : told++;

		if (keys->column[k].base != POINTOID ||
			released->known == SDC_INTRUDER_KNOWN)
			continue;
		person[released->known++] =
			read_coordinate(terms->host, transparency->original.frame,
							transparency->told_field[at], 1);
		for (which = 0; which < 2 && released->masks < SDC_INTRUDER_KNOWN &&
						shown->column[field].dictionary != NULL;
			 which++)
			mask[released->masks++] =
				read_coordinate(terms->host, shown, field, which);
	}
}

/* The columns that are no keys, as far as they are numbers. */
static void
read_released(SdcLikelihoodTerms *terms, const double **number, int columns)
{
	const SdcTransparency *transparency = &terms->transparency;
	int k;

	for (k = 0; k < columns; k++)
		number[k] =
			transparency->released_dictionary[k] != NULL
				? NULL
				: sdcpg_transparency_numbers(&transparency->masked,
											 transparency->released_field[k]);
}

/* What a key that is a category tells of a column: how much it explains. */
typedef struct Told
{
	int key;
	int column;
	double explains;
} Told;

/* The mean of a column over the persons of each category, by person. */
static double
fill_told(const SdcLikelihoodTerms *terms, const SdcIntruderReleased *released,
		  const Told *told, double *others, double *mean)
{
	const SdcTransparency *transparency = &terms->transparency;
	int field = transparency->told_field[told->key];

	return sdc_intruder_known_means(
		terms->intruder, released, released->record[told->column],
		transparency->original.frame->column[field].code,
		sdcpg_dictionary_values(transparency->told_dictionary[told->key]),
		others, mean);
}

/* Leaves out what tells least of the column of which most tell. */
static int
leave_out_one(Told *told, int count, int columns)
{
	int *tell = palloc0(sizeof(int) * columns);
	int least = 0;
	int k;

	for (k = 0; k < count; k++)
		tell[told[k].column]++;
	for (k = 1; k < count; k++)
	{
		int more = tell[told[k].column] - tell[told[least].column];

		if (more > 0 ||
			(more == 0 && told[k].explains <= told[least].explains))
			least = k;
	}
	memmove(told + least, told + least + 1,
			sizeof(Told) * (count - least - 1));
	pfree(tell);
	return count - 1;
}

/*
 * What keys that are categories tell of the columns that are numbers, as
 * further numbers that are known: all of it while there is room, or else what
 * tells most of each column.
 */
static void
read_told(SdcLikelihoodTerms *terms, SdcIntruderReleased *released,
		  const double **person, const double **learned)
{
	SdcHost *host = terms->host;
	Size persons = (Size) terms->transparency.original.frame->rows + 1;
	int keys = terms->transparency.told;
	int room =
		Min(Max(SDC_INTRUDER_TOGETHER - released->known, released->columns),
			SDC_INTRUDER_KNOWN - released->known);
	Told *told = palloc(sizeof(Told) * (keys * released->columns + 1));
	double *others = sdc_new(host, double, persons);
	double *mean = sdc_new(host, double, persons);
	int count = 0;
	int k;

	for (k = 0; k < keys * released->columns; k++)
	{
		told[count].key = k / released->columns;
		told[count].column = k % released->columns;
		if (released->record[told[count].column] == NULL)
			continue;
		told[count].explains =
			fill_told(terms, released, &told[count], others, mean);
		count += told[count].explains > 0;
	}
	host->release(host, others);
	host->release(host, mean);
	while (count > room)
		count = leave_out_one(told, count, released->columns);
	for (k = 0; k < count; k++)
	{
		others = sdc_new(host, double, persons);
		mean = sdc_new(host, double, persons);
		(void) fill_told(terms, released, &told[k], others, mean);
		learned[released->known] = others;
		person[released->known++] = mean;
	}
}

/* The codes of a field that is a category; a NULL is one of its own, if it is
 * known that a value is missing. */
static const int32 *
category_codes(SdcHost *host, const SdcFrame *frame, int field,
			   SdcDictionary *dictionary, bool missing, int32 *codes)
{
	const int32 *read = frame->column[field].code;
	int32 *code = sdc_new(host, int32, (Size) frame->rows + 1);
	int32 i;

	*codes = sdcpg_dictionary_values(dictionary);
	for (i = 0; i < frame->rows; i++)
		code[i] = read[i] == SDC_CODE_NULL ? missing ? *codes : -1 : read[i];
	*codes += missing;
	return code;
}

bool
sdcpg_likelihood_is_keyed(const SdcTransparency *transparency, int which)
{
	AttrNumber number = get_attnum(transparency->original.relation->oid,
								   transparency->released_column[which]);
	const SdcRule *rule = number == InvalidAttrNumber
							  ? NULL
							  : sdcpg_rules_of(&transparency->rules, number);

	return rule != NULL && (rule->method->traits & SDC_MASK_KEYED) != 0;
}

/*
 * Rows of a pseudonym, as a row sees it on the average, up to which it may be
 * a person's.  Nobody knows what goes with each of many names that have a few
 * rows: a law of them would be one of the true links.  That the rows belong
 * together is known, so their masked keys are put together.
 */
#define MOST_OF_NAME 50

/* Is it a name under a secret key that has few rows?  As a number it says
 * nothing, and as a category it is there, too. */
static bool
is_name(const SdcTransparency *transparency, int which)
{
	const SdcFrame *frame = transparency->masked.frame;
	SdcDictionary *dictionary = transparency->released_dictionary[which];
	const int32 *code =
		frame->column[transparency->released_field[which]].code;
	double squares = 0;
	double rows = 0;
	int32 *count;
	int32 i;

	if (!sdcpg_likelihood_is_keyed(transparency, which))
		return false;
	if (dictionary == NULL)
		return true;
	count = palloc0(sizeof(int32) * (sdcpg_dictionary_values(dictionary) + 1));
	for (i = 0; i < frame->rows; i++)
		if (code[i] >= 0)
		{
			/* 1, 3, 5, ... add up to a square */
			squares += 2 * count[code[i]]++ + 1;
			rows++;
		}
	pfree(count);
	return squares < MOST_OF_NAME * rows;
}

/* A name as the mean of what else it has of a masked key. */
static void
read_name(SdcLikelihoodTerms *terms, const SdcIntruderReleased *released,
		  int which, double *known, double *shown)
{
	const SdcTransparency *transparency = &terms->transparency;
	Size records = (Size) transparency->masked.frame->rows;
	int32 codes;
	const int32 *code = category_codes(
		terms->host, transparency->masked.frame,
		transparency->released_field[which],
		transparency->released_dictionary[which], false, &codes);

	(void) sdc_intruder_masked_means(terms->intruder, released, code, codes,
									 known);
	memcpy(shown, known, sizeof(double) * records);
	terms->host->release(terms->host, unconstify(int32 *, code));
}

/* The columns that are categories, as means of what is known. */
static void
read_means(SdcLikelihoodTerms *terms, const SdcIntruderReleased *released,
		   const double **number, const double **learned)
{
	const SdcTransparency *transparency = &terms->transparency;
	Size records = (Size) transparency->masked.frame->rows + 1;
	SdcHost *host = terms->host;
	int k;

	for (k = 0; k < released->columns; k++)
	{
		double *known;
		double *shown;

		learned[k] = NULL;
		if (transparency->released_dictionary[k] == NULL)
			continue;
		shown = sdc_new(host, double, records);
		known = sdc_new(host, double, records);
		if (released->class_of_record[k] == NULL)
			read_name(terms, released, k, known, shown);
		else
			(void) sdc_intruder_category_means(
				terms->intruder, released, released->class_of_record[k],
				released->classes[k], known, shown);
		number[k] = shown;
		learned[k] = known;
	}
}

/* What is known of each key as a category: numbers by what part of the
 * persons is below, all else as it is.  Returns how many. */
static int
known_categories(SdcLikelihoodTerms *terms, const double *const *number,
				 int numbers, const int32 **person, int32 *codes)
{
	const SdcTransparency *transparency = &terms->transparency;
	const SdcFrame *frame = transparency->original.frame;
	SdcHost *host = terms->host;
	int count = 0;
	int k;

	for (k = 0; k < transparency->told; k++, count++)
		person[count] = category_codes(
			host, frame, transparency->told_field[k],
			transparency->told_dictionary[k], !terms->unknown, &codes[count]);
	for (k = 0; k < numbers; k++, count++)
		person[count] = sdc_intruder_bins(host, number[k], frame->rows,
										  !terms->unknown, &codes[count]);
	return count;
}

/* Numbers of few values by their values, behind the other categories.  Returns
 * how many. */
static int
coded_categories(SdcLikelihoodTerms *terms, const double *const *number,
				 int numbers, const int32 **person, int32 *codes)
{
	int32 rows = terms->transparency.original.frame->rows;
	int count = 0;
	int k;

	for (k = 0; k < numbers; k++)
	{
		person[count] = sdc_intruder_values(terms->host, number[k], rows,
											!terms->unknown, &codes[count]);
		count += person[count] != NULL;
	}
	return count;
}

/* The columns that are no keys as classes of records: numbers of few values,
 * and all that are no numbers, but for names. */
static void
read_classes(const SdcLikelihoodTerms *terms, SdcIntruderReleased *released)
{
	const SdcTransparency *transparency = &terms->transparency;
	const SdcFrame *frame = transparency->masked.frame;
	int columns = transparency->released;
	const int32 **class = sdc_new(terms->host, const int32 *, columns + 1);
	int32 *classes = sdc_new(terms->host, int32, columns + 1);
	int k;

	for (k = 0; k < columns; k++)
	{
		SdcDictionary *dictionary = transparency->released_dictionary[k];

		if (is_name(transparency, k))
		{
			class[k] = NULL;
			classes[k] = 0;
			continue;
		}
		class[k] = dictionary == NULL
					   ? sdc_intruder_values(terms->host, released->record[k],
											 frame->rows, true, &classes[k])
					   : category_codes(terms->host, frame,
										transparency->released_field[k],
										dictionary, true, &classes[k]);
	}
	released->class_of_record = class;
	released->classes = classes;
}

/* What keys tell of columns as categories of both: numbers by what part of the
 * records is below. */
static void
add_categories(SdcLikelihoodTerms *terms, const SdcIntruderReleased *released)
{
	const SdcTransparency *transparency = &terms->transparency;
	SdcHost *host = terms->host;
	int columns = transparency->released;
	const int32 **record = sdc_new(host, const int32 *, columns);
	int32 *record_codes = sdc_new(host, int32, columns);
	SdcIntruderCategories categories = {.keys = released->keys,
										.person = released->category,
										.person_codes = released->codes,
										.columns = columns,
										.record = record,
										.record_codes = record_codes,
										.partner = transparency->partner,
										.used = released->used,
										.gain = released->gain};
	int k;

	for (k = 0; k < columns; k++)
	{
		record[k] = released->class_of_record[k];
		record_codes[k] = released->classes[k];
		if (transparency->released_dictionary[k] == NULL &&
			!sdcpg_likelihood_is_keyed(transparency, k))
			record[k] = sdc_intruder_bins(host, released->record[k],
										  transparency->masked.frame->rows,
										  true, &record_codes[k]);
	}
	(void) sdc_intruder_add_categories(terms->intruder, &categories);
}

/* These names, and those of used columns, each once; NULL: there are none. */
static char *
join_names(List *names, const SdcTransparency *transparency, const bool *used)
{
	StringInfoData joined;
	ListCell *cell;
	int k;

	for (k = 0; k < transparency->released; k++)
		if (used[k])
			names = list_append_unique_ptr(
				names, unconstify(char *, transparency->released_name[k]));
	initStringInfo(&joined);
	foreach (cell, names)
		appendStringInfo(&joined, "%s%s", joined.len > 0 ? ", " : "",
						 (char *) lfirst(cell));
	return joined.len > 0 ? joined.data : NULL;
}

/* Where numbers are chosen for each column, all of them added up are one, as
 * incomes are that have a total. */
static void
add_total(const SdcLikelihoodTerms *terms, SdcIntruderReleased *released,
		  const double **person)
{
	int32 persons = terms->transparency.original.frame->rows;
	double *total;
	int32 i;
	int k;

	if (released->known <= SDC_INTRUDER_TOGETHER ||
		released->known == SDC_INTRUDER_KNOWN)
		return;
	total = sdc_new(terms->host, double, (Size) persons + 1);
	memset(total, 0, sizeof(double) * (Size) persons);
	for (k = 0; k < released->known; k++)
		for (i = 0; i < persons; i++)
			total[i] += person[k][i];
	person[released->known++] = total;
}

/* The time of the day of keys that are times, as further numbers. */
static void
add_times(const SdcLikelihoodTerms *terms, SdcIntruderReleased *released,
		  const double **person)
{
	const SdcRelationColumns *keys = &terms->transparency.keys;
	int32 persons = terms->transparency.original.frame->rows;
	int numbers = Min(terms->transparency.known, SDC_INTRUDER_KNOWN);
	int number = 0;
	int k;
	int32 i;

	for (k = 0; k < keys->count && number < numbers; k++)
	{
		bool is_number = sdcpg_number_is(keys->column[k].base);
		double *time;

		if (is_number && keys->column[k].base == TIMESTAMPOID &&
			released->known < SDC_INTRUDER_KNOWN)
		{
			time = sdc_new(terms->host, double, (Size) persons + 1);
			for (i = 0; i < persons; i++)
				time[i] =
					person[number][i] - DAY * floor(person[number][i] / DAY);
			person[released->known++] = time;
		}
		number += is_number;
	}
}

/* What is known of the persons: numbers, and keys as categories. */
static void
read_keys(SdcLikelihoodTerms *terms, SdcIntruderReleased *released,
		  const double **person)
{
	const SdcTransparency *transparency = &terms->transparency;
	SdcHost *host = terms->host;
	int keys = transparency->told + 2 * SDC_INTRUDER_KNOWN;
	const int32 **category = sdc_new(host, const int32 *, keys);
	int32 *codes = sdc_new(host, int32, keys);
	int k;

	released->known = Min(transparency->known, SDC_INTRUDER_KNOWN);
	for (k = 0; k < released->known; k++)
		person[k] = sdcpg_transparency_numbers(&transparency->original,
											   transparency->known_field[k]);
	released->keys =
		known_categories(terms, person, released->known, category, codes);
	released->no_numbers = transparency->told;
	released->coded =
		coded_categories(terms, person, released->known,
						 category + released->keys, codes + released->keys);
	released->category = category;
	released->codes = codes;
	add_total(terms, released, person);
	add_times(terms, released, person);
	released->person = person;
}

/* The columns with as many before them: what a formula makes of columns is
 * learned first, and of these what they tell beyond. */
static SdcIntruderReleased
with_formulas(SdcHost *host, const SdcIntruderReleased *released,
			  const double *const *made, int formulas)
{
	SdcIntruderReleased with = *released;
	Size columns = (Size) released->columns + formulas;
	Size moved = released->columns;
	const double **record = sdc_new(host, const double *, columns + 1);
	const double **learned = sdc_new(host, const double *, columns + 1);
	const int32 **class_of = sdc_new(host, const int32 *, columns + 1);
	int32 *classes = sdc_new(host, int32, columns + 1);

	memset(learned, 0, sizeof(*learned) * columns);
	memset(class_of, 0, sizeof(*class_of) * columns);
	memset(classes, 0, sizeof(*classes) * columns);
	memcpy(record, made, sizeof(*record) * formulas);
	memcpy(record + formulas, released->record, sizeof(*record) * moved);
	memcpy(learned + formulas, released->learned, sizeof(*learned) * moved);
	memcpy(class_of + formulas, released->class_of_record,
		   sizeof(*class_of) * moved);
	memcpy(classes + formulas, released->classes, sizeof(*classes) * moved);
	with.columns = (int) columns;
	with.record = record;
	with.learned = learned;
	with.class_of_record = class_of;
	with.classes = classes;
	with.used = sdc_new(host, bool, columns + 1);
	memset(with.used, 0, sizeof(bool) * columns);
	with.gain = sdc_new(host, double, columns + 1);
	memset(with.gain, 0, sizeof(double) * columns);
	return with;
}

/* Learns columns, and what formulas make of them (made_of: of which ones, as
 * bits). */
static void
learn_with_formulas(SdcLikelihoodTerms *terms, SdcIntruderReleased *released,
					const double *const *made, const uint32 *made_of,
					int formulas)
{
	SdcIntruderReleased with;
	int c;
	int f;

	if (formulas == 0)
	{
		(void) sdc_intruder_add_released(terms->intruder, released);
		return;
	}
	with = with_formulas(terms->host, released, made, formulas);
	(void) sdc_intruder_add_released(terms->intruder, &with);
	for (c = 0; c < released->columns; c++)
		for (f = 0; f <= formulas; f++)
		{
			int of = f < formulas ? f : formulas + c;

			if (!with.used[of] || (f < formulas && !(made_of[f] >> c & 1)))
				continue;
			released->used[c] = true;
			released->gain[c] = fmax(released->gain[c], with.gain[of]);
		}
}

/* Terms for columns that are learned; used: for which there is one.  told: it
 * is only asked for which, and this was learned of them before, or NULL. */
static void
learn_columns(SdcLikelihoodTerms *terms, SdcIntruderReleased *released,
			  SdcIntruderTold **told)
{
	const SdcTransparency *transparency = &terms->transparency;
	SdcHost *host = terms->host;
	const double *mask[SDC_INTRUDER_KNOWN];
	const double *person[SDC_INTRUDER_KNOWN];
	const double *person_learned[SDC_INTRUDER_KNOWN] = {NULL};
	const double *made[SDC_INTRUDER_RELEASED];
	uint32 made_of[SDC_INTRUDER_RELEASED];
	const double **number;
	const double **learned;
	int k;

	memset(released, 0, sizeof(*released));
	released->told = told;
	read_keys(terms, released, person);
	sdcpg_likelihood_add_orders(terms, released, person);
	released->partner = transparency->partner;
	released->columns = transparency->released;
	for (k = 0; k < transparency->numbers; k++)
		if (released->masks < SDC_INTRUDER_KNOWN &&
			!sdcpg_transparency_is_drawn(transparency,
										 transparency->number_key[k]))
			mask[released->masks++] = sdcpg_transparency_numbers(
				&transparency->masked, transparency->number[k].masked);
	released->person_learned = person_learned;
	released->mask = mask;
	read_places(terms, released, person, mask);
	number = sdc_new(host, const double *, released->columns + 1);
	learned = sdc_new(host, const double *, released->columns + 1);
	released->record = number;
	released->learned = learned;
	read_released(terms, number, released->columns);
	read_classes(terms, released);
	read_told(terms, released, person, person_learned);
	sdcpg_likelihood_add_groups(terms, released, person);
	sdcpg_likelihood_add_formulas(terms, released, person);
	released->used = sdc_new(host, bool, released->columns + 1);
	memset(released->used, 0, sizeof(bool) * released->columns);
	released->gain = sdc_new(host, double, released->columns + 1);
	memset(released->gain, 0, sizeof(double) * released->columns);
	if (released->keys > 0)
	{
		int formulas = told != NULL ? 0
									: sdcpg_likelihood_shown_formulas(
										  terms, released, made, made_of);

		if (told == NULL)
			sdcpg_likelihood_add_bilinear(terms, released);
		read_means(terms, released, number, learned);
		learn_with_formulas(terms, released, made, made_of, formulas);
	}
	add_categories(terms, released);
}

void
sdcpg_likelihood_add_released(SdcLikelihoodTerms *terms)
{
	SdcIntruderReleased released;
	List *names;

	terms->released = NULL;
	if (terms->transparency.released == 0)
		return;
	/* first, for no amount more is one of the amounts */
	names = sdcpg_likelihood_add_amounts(terms);
	names = list_concat_unique_ptr(
		names, sdcpg_likelihood_add_computed(
				   terms, palloc0(sizeof(bool) *
								  (terms->transparency.released + 1))));
	names = list_concat_unique_ptr(names, sdcpg_likelihood_add_totals(terms));
	learn_columns(terms, &released, NULL);
	terms->released = join_names(names, &terms->transparency, released.used);
}

/* ----------------------------------------------------------------------
 * Which are learned, where there are more than can be.
 *
 * All are read of a sample of records, and learned from its links: first what
 * is computed, then what goes with the keys, in lots, each with those that did
 * so in the lots before.
 * ----------------------------------------------------------------------
 */

/* Records of the sample, numbers and categories that are read of it at a time,
 * and places that are free for each lot. */
#define SAMPLE_RECORDS 2000
#define MOST_SHOWN     400
#define FREE_PLACES    4

/* What is chosen among, and what was. */
typedef struct Choice
{
	SdcLikelihoodTerms terms; /* of the sample, with all that is shown */
	List *shown; /* SdcShown *, which it notes what was tried of */
	int *chosen;
	int count;
} Choice;

/* The same terms with an intruder of their own and only some that is shown. */
static SdcLikelihoodTerms
some_terms(const SdcLikelihoodTerms *all, const int *which, int count)
{
	const SdcTransparency *from = &all->transparency;
	SdcLikelihoodTerms some = *all;
	SdcTransparency *to = &some.transparency;
	int k;

	some.intruder =
		sdc_intruder_create(all->host, from->original.frame->rows,
							from->masked.frame->rows, SDC_INTRUDER_ERROR, 0);
	to->released = count;
	to->released_field = palloc(sizeof(int) * (count + 1));
	to->released_column = palloc(sizeof(char *) * (count + 1));
	to->released_name = palloc(sizeof(char *) * (count + 1));
	to->released_tried = palloc(sizeof(bool) * (count + 1));
	to->released_dictionary = palloc(sizeof(SdcDictionary *) * (count + 1));
	for (k = 0; k < count; k++)
	{
		to->released_field[k] = from->released_field[which[k]];
		to->released_column[k] = from->released_column[which[k]];
		to->released_name[k] = from->released_name[which[k]];
		to->released_tried[k] = from->released_tried[which[k]];
		to->released_dictionary[k] = from->released_dictionary[which[k]];
	}
	return some;
}

/* Chooses what is computed, and lists the rest; returns how many that are. */
static int
choose_computed(Choice *choice, int *rest)
{
	int shown = choice->terms.transparency.released;
	bool *told = palloc0(sizeof(bool) * (shown + 1));
	SdcLikelihoodTerms some;
	const int *kept;
	int left = 0;
	int n = 0;
	int k;

	for (k = 0; k < shown; k++)
		rest[k] = k;
	some = some_terms(&choice->terms, rest, shown);
	(void) sdcpg_likelihood_add_computed(&some, told);
	sdc_intruder_release(some.intruder);
	kept = some.transparency.released_field;
	/* what is not computed is there in the same order */
	for (k = 0; k < shown; k++)
	{
		bool is_kept = n < some.transparency.released &&
					   kept[n] == choice->terms.transparency.released_field[k];

		n += is_kept;
		if (is_kept)
			((SdcShown *) list_nth(choice->shown, k))->tried =
				some.transparency.released_tried[n - 1];
		if (is_kept && !told[k])
			rest[left++] = k;
		else if (told[k] &&
				 choice->count < SDC_INTRUDER_RELEASED - FREE_PLACES)
			choice->chosen[choice->count++] = k;
	}
	return left;
}

/* A lot, and what was learned of its columns, which the next one goes on
 * with. */
typedef struct Lot
{
	int *column;
	int count;
	SdcIntruderTold *told[SDC_INTRUDER_RELEASED]; /* NULL: not learned yet */
	double gain[SDC_INTRUDER_RELEASED];
} Lot;

/* Keeps some columns of a lot. */
static void
keep_columns(SdcHost *host, Lot *lot, const bool *kept)
{
	int place[SDC_INTRUDER_RELEASED];
	int count = lot->count;
	int k;

	lot->count = 0;
	for (k = 0; k < count; k++)
	{
		SdcIntruderTold *told = lot->told[k];

		place[k] = kept[k] ? lot->count : -1;
		lot->told[k] = NULL;
		if (!kept[k])
		{
			sdc_intruder_forget(host, told);
			continue;
		}
		lot->told[lot->count] = told;
		lot->gain[lot->count] = lot->gain[k];
		lot->column[lot->count++] = lot->column[k];
	}
	for (k = 0; k < lot->count; k++)
		sdc_intruder_move_told(lot->told[k], place, count);
}

/* Keeps at most so many, those by which most is gained. */
static void
keep_best(SdcHost *host, Lot *lot, int most)
{
	bool kept[SDC_INTRUDER_RELEASED];
	int k;
	int j;

	for (k = 0; k < lot->count; k++)
	{
		int better = 0;

		for (j = 0; j < lot->count; j++)
			better += lot->gain[j] > lot->gain[k] ||
					  (lot->gain[j] == lot->gain[k] && j < k);
		kept[k] = better < most;
	}
	keep_columns(host, lot, kept);
}

/* Learns a lot, and keeps what goes with the keys. */
static void
learn_lot(const Choice *choice, Lot *lot)
{
	SdcLikelihoodTerms some =
		some_terms(&choice->terms, lot->column, lot->count);
	SdcIntruderReleased released;

	learn_columns(&some, &released, lot->told);
	sdc_intruder_release(some.intruder);
	memcpy(lot->gain, released.gain, sizeof(double) * lot->count);
	keep_columns(choice->terms.host, lot, released.used);
}

/* Chooses what is learned, lot by lot. */
static void
choose_learned(Choice *choice, const int *rest, int left)
{
	Lot lot = {.column = choice->chosen + choice->count};
	int room = SDC_INTRUDER_RELEASED - choice->count;
	int next = 0;

	while (next < left)
	{
		keep_best(choice->terms.host, &lot,
				  room - Min(FREE_PLACES, left - next));
		while (lot.count < room && next < left)
			lot.column[lot.count++] = rest[next++];
		learn_lot(choice, &lot);
	}
	choice->count += lot.count;
	keep_best(choice->terms.host, &lot, 0);
}

/* The chosen ones in the order of all, and the first ones where places are
 * left: a sample may have missed that they tell a little. */
static List *
list_chosen(const Choice *choice, List *shown)
{
	bool *is_chosen = palloc0(sizeof(bool) * (list_length(shown) + 1));
	int free = SDC_INTRUDER_RELEASED - choice->count;
	List *chosen = NIL;
	int k;

	for (k = 0; k < choice->count; k++)
		is_chosen[choice->chosen[k]] = true;
	for (k = 0; k < list_length(shown); k++)
		if (is_chosen[k] || free-- > 0)
			chosen = lappend(chosen, list_nth(shown, k));
	return chosen;
}

/* Chooses among what can be read at a time. */
static List *
choose_some(const SdcLikelihoodCall *call, List *shown)
{
	SdcPgHost *host = sdcpg_host_begin(NULL, CurrentMemoryContext);
	SdcTransparencyAsk ask = {.shown = shown,
							  .released = list_length(shown),
							  .published = call->published,
							  .sample = SAMPLE_RECORDS};
	Choice choice = {.terms = {.host = &host->kernel,
							   .unknown = sdcpg_likelihood_is_unknown(call)},
					 .shown = shown};
	SdcTransparency *transparency = &choice.terms.transparency;
	List *chosen = NIL;
	int *rest = palloc(sizeof(int) * (list_length(shown) + 1));

	choice.chosen =
		palloc(sizeof(int) * (list_length(shown) + SDC_INTRUDER_RELEASED));
	sdcpg_transparency_read(transparency, host, call->original, call->masked,
							call->id, call->keys, call->rules, call->params,
							&ask);
	if (transparency->original.frame->rows > 0 &&
		transparency->masked.frame->rows > 0)
	{
		choose_learned(&choice, rest, choose_computed(&choice, rest));
		chosen = list_chosen(&choice, shown);
	}
	sdcpg_host_end(host);
	return chosen;
}

/* Whose call it is, and who is told how far it is. */
typedef struct Choosing
{
	const SdcLikelihoodCall *call;
	SdcHost *host;
} Choosing;

/* Chooses among what is shown, a part of it after the other, each beside what
 * was chosen before; arg is a Choosing. */
static List *
choose_shown(void *arg, List *shown)
{
	const SdcLikelihoodCall *call = ((Choosing *) arg)->call;
	SdcHost *host = ((Choosing *) arg)->host;
	List *chosen = NIL;
	ListCell *cell;

	host->stage(host, "choosing what goes with the keys");
	foreach (cell, shown)
	{
		chosen = lappend(chosen, lfirst(cell));
		if (list_length(chosen) == MOST_SHOWN)
			chosen = choose_some(call, chosen);
	}
	return list_length(chosen) > SDC_INTRUDER_RELEASED
			   ? choose_some(call, chosen)
			   : chosen;
}

void
sdcpg_likelihood_ask(const SdcLikelihoodCall *call, SdcPgHost *host,
					 SdcTransparency *transparency)
{
	Choosing choosing = {call, &host->kernel};
	SdcTransparencyAsk ask = {.published = call->published,
							  .choose = choose_shown,
							  .arg = &choosing};

	if (!call->keys_only &&
		sdcpg_params_boolean(call->params, "released", true))
		ask.released = SDC_INTRUDER_RELEASED;
	sdcpg_transparency_read(transparency, host, call->original, call->masked,
							call->id, call->keys, call->rules, call->params,
							&ask);
}
