/*
 * bilinear.c
 *		A column that keys and other columns make together.
 *
 * Who publishes the hours and the pay, wage by hours and an allowance, shows
 * neither a number of the person nor one of the record: the pay is a sum of
 * products, of each of which one factor is known of the person and the other
 * is shown of the record.  So each pair has an error of its own, which is
 * small where the two are one.  How small is fitted to the links as a Student
 * law (4 degrees; Lange, Little and Taylor 1989), and a density counts beside
 * that of the column over all persons, given the record's factors.
 */
#include "kernel/intruder/bilinear.h"

#include <math.h>
#include <string.h>

#include "kernel/base/sort.h"
#include "kernel/intruder/error_law.h"
#include "kernel/intruder/released.h"

/* Links that are fitted, and how often. */
#define LINKS  4000
#define ROUNDS 20

/* Records among which others are found that may be taken for a link's. */
#define OTHERS 2000

/* Spreads beyond which a link follows no such law, and how much wider than
 * fitted it may be. */
#define FAR_OFF 100
#define WIDEST  4

/* A part of what is wrong that changes no score. */
#define NOTHING 1e-8

/* The variance of a Student law with spread 1. */
#define STUDENT_VARIANCE 2.0

/* A form, and the law of its errors. */
typedef struct Law
{
	const SdcIntruderBilinear *form;
	double spread;
	int degrees;
	double wrong;  /* the share of those who follow none */
	double *level; /* of each record: what counts beside the density */
} Law;

/* Persons with links, and their records. */
typedef struct Links
{
	int32_t count;
	int32_t person[LINKS];
	int32_t record[LINKS];
	double error[LINKS];
} Links;

static double
error_of(const SdcIntruderBilinear *form, int32_t person, int32_t record)
{
	double error = form->record[0][record] - form->person[0][person];
	int c;

	for (c = 1; c < form->columns; c++)
		error -= form->person[c][person] * form->record[c][record];
	return error;
}

/* ---------------------------------------------------------------------------
 * The law.
 */

/* The links that have an error. */
static void
take_links(SdcIntruder *intruder, const SdcIntruderBilinear *form,
		   Links *links)
{
	int32_t drawn =
		sdc_intruder_draw_links(intruder->host, form->partner,
								intruder->persons, LINKS, links->person);
	int32_t k;

	links->count = 0;
	for (k = 0; k < drawn; k++)
	{
		int32_t person = links->person[k];
		double error = error_of(form, person, form->partner[person]);

		if (!isfinite(error))
			continue;
		links->person[links->count] = person;
		links->record[links->count] = form->partner[person];
		links->error[links->count++] = error;
	}
}

/* The median of the sizes of errors. */
static double
median_size(SdcHost *host, const Links *links)
{
	double *size = sdc_new(host, double, (size_t) links->count);
	double median;
	int32_t k;

	for (k = 0; k < links->count; k++)
		size[k] = fabs(links->error[k]);
	sdc_select_record(host, size, 1, links->count, links->count / 2, 0);
	median = size[links->count / 2];
	host->release(host, size);
	return median;
}

/* The spread of the errors that follow a law; of the others the share. */
static void
fit_spread(SdcHost *host, const Links *links, double least, Law *law)
{
	double most = FAR_OFF * fmax(median_size(host, links), least);
	int32_t follow = 0;
	int round;
	int32_t k;

	law->spread = most / FAR_OFF;
	for (round = 0; round < ROUNDS; round++)
	{
		double sum = 0;

		follow = 0;
		for (k = 0; k < links->count; k++)
		{
			double error = links->error[k];

			if (fabs(error) > most)
				continue;
			follow++;
			sum += sdc_student_weight(error, law->spread, SDC_FIT_DEGREES) *
				   error * error;
		}
		law->spread = fmax(sqrt(sum / follow), least);
	}
	law->wrong = fmax(law->wrong, 1 - (double) follow / links->count);
}

/* Means and covariances of what is known of the persons who lack nothing. */
typedef struct Known
{
	double mean[SDC_BILINEAR_COLUMNS];
	double covariance[SDC_BILINEAR_COLUMNS][SDC_BILINEAR_COLUMNS];
	int32_t count;
} Known;

static bool
knows_all(const SdcIntruderBilinear *form, int32_t person)
{
	int c;

	for (c = 0; c < form->columns; c++)
		if (!isfinite(form->person[c][person]))
			return false;
	return true;
}

static void
measure_known(SdcIntruder *intruder, const SdcIntruderBilinear *form,
			  Known *known)
{
	int32_t i;
	int c;
	int d;

	memset(known, 0, sizeof(*known));
	for (i = 0; i < intruder->persons; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			intruder->host->poll(intruder->host, 0, 0);
		if (!knows_all(form, i))
			continue;
		known->count++;
		for (c = 0; c < form->columns; c++)
		{
			double from = form->person[c][i] - known->mean[c];

			/* one by one, as Welford 1962 */
			known->mean[c] += from / known->count;
			for (d = 0; d <= c; d++)
				known->covariance[c][d] +=
					from * (form->person[d][i] - known->mean[d]);
		}
	}
	for (c = 0; c < form->columns; c++)
		for (d = 0; d <= c; d++)
		{
			known->covariance[c][d] /= known->count > 0 ? known->count : 1;
			known->covariance[d][c] = known->covariance[c][d];
		}
}

/* Less the log of the density of a record's column over all persons. */
static double
level_of(const Law *law, const Known *known, int32_t record)
{
	const SdcIntruderBilinear *form = law->form;
	double factor[SDC_BILINEAR_COLUMNS];
	double from = form->record[0][record];
	double variance = law->spread * law->spread * STUDENT_VARIANCE;
	int c;
	int d;

	for (c = 0; c < form->columns; c++)
	{
		factor[c] = c == 0 ? 1 : form->record[c][record];
		from -= factor[c] * known->mean[c];
	}
	for (c = 0; c < form->columns; c++)
		for (d = 0; d < form->columns; d++)
			variance += factor[c] * factor[d] * known->covariance[c][d];
	return -sdc_error_log_density(from, sqrt(variance / STUDENT_VARIANCE),
								  SDC_FIT_DEGREES);
}

static void
find_levels(SdcIntruder *intruder, const Known *known, Law *law)
{
	int32_t i;

	law->level =
		sdc_new(intruder->host, double, (size_t) intruder->records + 1);
	for (i = 0; i < intruder->records; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			intruder->host->poll(intruder->host, 0, 0);
		law->level[i] = level_of(law, known, i);
	}
}

/* Puts beside a link the records of others whose errors are the least: error
 * is room for them, the own one first. */
static void
put_nearest(const Law *law, const Links *links, int32_t link, double *error,
			double *unusual)
{
	int32_t others = links->count < OTHERS ? links->count : OTHERS;
	int count = 1;
	int32_t k;
	int m;

	error[0] = links->error[link];
	unusual[0] = law->level[links->record[link]];
	for (k = 1; k <= others; k++)
	{
		int32_t record = links->record[(link + k) % links->count];
		double of = error_of(law->form, links->person[link], record);

		if (record == links->record[link] || !isfinite(of))
			continue;
		for (m = count; m > 1 && fabs(error[m - 1]) > fabs(of); m--)
			if (m <= SDC_TOLD_RECORDS)
			{
				error[m] = error[m - 1];
				unusual[m] = unusual[m - 1];
			}
		if (m > SDC_TOLD_RECORDS)
			continue;
		error[m] = of;
		unusual[m] = law->level[record];
		count += count <= SDC_TOLD_RECORDS;
	}
	for (m = count; m <= SDC_TOLD_RECORDS; m++)
		error[m] = NAN;
	for (m = 0; m < count; m++)
		unusual[m] = sdc_exp(unusual[m]);
}

/* How wide the law is, and with which tails, beside those who come nearest. */
static void
choose_law(SdcIntruder *intruder, const Links *links, Law *law)
{
	SdcHost *host = intruder->host;
	int32_t step = links->count / SDC_TOLD_LINKS + 1;
	size_t room = (size_t) (links->count / step + 1) * (SDC_TOLD_RECORDS + 1);
	SdcErrorsBeside beside = {0, 0, sdc_new(host, double, room),
							  sdc_new(host, double, room)};
	SdcErrorLaw chosen;
	int32_t k;

	for (k = 0; k < links->count; k += step)
	{
		size_t at = (size_t) beside.links++ * (SDC_TOLD_RECORDS + 1);

		host->poll(host, 0, 0);
		put_nearest(law, links, k, beside.error + at, beside.unusual + at);
	}
	chosen = sdc_error_law_find(&beside, law->spread, law->wrong, WIDEST);
	law->spread *= chosen.wider;
	law->degrees = chosen.degrees;
	host->release(host, beside.error);
	host->release(host, beside.unusual);
}

/* The deviation of the column over links. */
static double
deviation_of(const SdcIntruderBilinear *form, const Links *links)
{
	double mean = 0;
	double squares = 0;
	int32_t k;

	for (k = 0; k < links->count; k++)
		mean += form->record[0][links->record[k]] / links->count;
	for (k = 0; k < links->count; k++)
	{
		double from = form->record[0][links->record[k]] - mean;

		squares += from * from;
	}
	return sqrt(squares / links->count);
}

/* False: there are no links, or their column has one value. */
static bool
find_law(SdcIntruder *intruder, Law *law)
{
	SdcHost *host = intruder->host;
	Links *links = sdc_new(host, Links, 1);
	double least = 0;
	Known known;

	take_links(intruder, law->form, links);
	if (links->count > 0)
		least = SDC_LEAST_SPREAD * deviation_of(law->form, links);
	if (least > 0)
	{
		measure_known(intruder, law->form, &known);
		fit_spread(host, links, least, law);
		find_levels(intruder, &known, law);
		choose_law(intruder, links, law);
	}
	host->release(host, links);
	return least > 0;
}

/* ---------------------------------------------------------------------------
 * The term.
 */

static float
rival_score(const void *arg, int32_t person, int32_t record)
{
	const Law *law = arg;
	double error = error_of(law->form, person, record);

	return isfinite(error)
			   ? (float) sdc_error_with_wrong(
					 sdc_error_log_density(error, law->spread, law->degrees) +
						 law->level[record],
					 law->wrong)
			   : 0;
}

/* Does it tell own records from those that all terms so far take for them? */
static bool
tells_more(SdcIntruder *intruder, const Law *law)
{
	SdcRivals rivals;
	double before;
	double with;

	if (intruder->terms == 0)
		return true;
	rivals = sdc_rivals_find(intruder, law->form->partner);
	before = sdc_rivals_told(&rivals, NULL, NULL).log;
	with = sdc_rivals_told(&rivals, rival_score, law).log;
	sdc_rivals_release(intruder->host, &rivals);
	return with > before + SDC_LEAST_TOLD;
}

/* How far errors may be off, and add more than the floor, to float precision:
 * most are further, and need no logarithms. */
static double
reach_of(const Law *law, int32_t records)
{
	double most = -INFINITY;
	double least;
	int32_t i;

	if (law->degrees == SDC_DEGREES_UNIFORM)
		return law->spread;
	for (i = 0; i < records; i++)
		most = law->level[i] > most ? law->level[i] : most;
	/* where density and the highest level are this part of what is wrong */
	least = most - sdc_random_log(law->spread) -
			sdc_random_log(law->wrong * NOTHING);
	return law->spread *
		   sqrt(law->degrees * (sdc_exp(2 * least / (law->degrees + 1)) - 1));
}

static void
add_term(SdcIntruder *intruder, const Law *law)
{
	SdcHost *host = intruder->host;
	const double *person[SDC_BILINEAR_COLUMNS + 1];
	const double *record[SDC_BILINEAR_COLUMNS + 1];
	double *nothing = sdc_new(host, double, (size_t) intruder->persons + 1);
	int columns = law->form->columns;
	SdcTerm *term;

	memset(nothing, 0, sizeof(double) * (size_t) intruder->persons);
	memcpy(person, law->form->person, sizeof(*person) * (size_t) columns);
	memcpy(record, law->form->record, sizeof(*record) * (size_t) columns);
	person[columns] = nothing;
	record[columns] = law->level;
	term = sdc_intruder_add_numbers(intruder, SDC_TERM_BILINEAR, columns + 1,
									person, record);
	term->head.uneven = true;
	term->head.scale = law->spread;
	term->head.degrees = law->degrees;
	term->head.level = reach_of(law, intruder->records);
	term->head.width = law->spread;
	term->head.error = (float) law->wrong;
	term->head.exceptions = law->wrong > intruder->error;
	term->head.floor = sdc_log_float(term->head.error);
	host->release(host, nothing);
}

bool
sdc_intruder_add_bilinear(SdcIntruder *intruder,
						  const SdcIntruderBilinear *form)
{
	Law law = {.form = form, .wrong = intruder->error};
	bool more;

	if (!sdc_intruder_has_room(intruder, 1, form->columns + 1) ||
		!find_law(intruder, &law))
		return false;
	more = tells_more(intruder, &law);
	if (more)
		add_term(intruder, &law);
	intruder->host->release(intruder->host, law.level);
	return more;
}

/* ---------------------------------------------------------------------------
 * Scores.
 */

static float
score_of(const SdcTermHead *term, double error, double level)
{
	if (fabs(error) > term->level)
		return term->floor;
	return (float) sdc_error_with_wrong(
		sdc_error_log_density(error, term->scale, term->degrees) + level,
		term->error);
}

float
sdc_bilinear_score(const SdcTermHead *term, const double *known,
				   const double *number, size_t stride)
{
	int columns = sdc_compared_columns(term);
	double error = number[0] - known[0];
	int c;

	for (c = 1; c < columns; c++)
		error -= known[c] * number[(size_t) c * stride];
	if (!isfinite(error))
		return 0;
	return score_of(term, error, number[(size_t) columns * stride]);
}

float
sdc_bilinear_bound(const SdcTermHead *term, const double *known,
				   const double *box, bool holes)
{
	int columns = sdc_compared_columns(term);
	double low = box[0] - known[0];
	double high = box[1] - known[0];
	float top;
	int c;

	/* no record has the level, so none has all numbers */
	if (box[2 * columns] > box[2 * columns + 1])
		return 0;
	for (c = 1; c < columns; c++)
	{
		double at[2] = {known[c] * box[2 * c], known[c] * box[2 * c + 1]};

		low -= fmax(at[0], at[1]);
		high -= fmin(at[0], at[1]);
	}
	if (isnan(low) || isnan(high))
		return 0;
	/* in the order of a record's sum, so rounding keeps its error inside */
	top = score_of(term,
				   low > 0    ? low
				   : high < 0 ? high
							  : 0,
				   box[2 * columns + 1]);
	return holes && top < 0 ? 0 : top;
}
