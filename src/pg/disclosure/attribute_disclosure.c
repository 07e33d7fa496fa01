/*
 * attribute_disclosure.c
 *		Which values of two aligned relations become known.
 *
 * The kernel marks the records whose value becomes known, column by column;
 * the marks of a measure are joined over the columns.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"

#include "kernel/risk/disclosure.h"
#include "pg/disclosure/attribute_disclosure.h"
#include "pg/server/compat.h"

/* The marks of one measure, joined over the columns so far. */
typedef struct Joint
{
	uint8_t *mark;
	int columns;
} Joint;

typedef struct Measuring
{
	SdcFindings *findings;
	SdcHost *host;
	const SdcAlignment *alignment;
	const SdcAttributeMeasures *measures;
	int32 records;
	uint8_t *mark; /* of one column */
	Joint rank;
	Joint deviation;
	Joint equal;
} Measuring;

char *
sdcpg_attribute_disclosure_words(int32 shown, int32 records)
{
	return psprintf("%d of %d records (%.2f %%)", shown, records,
					100.0 * shown / records);
}

/* Adds a line about marks; the sentence goes on with "in n of m records". */
static void
add_share(Measuring *measuring, const char *measure, const char *subject,
		  const uint8_t *mark, const char *sentence, const char *more)
{
	SdcDisclosureShare share =
		sdc_disclosure_count(measuring->host, mark, measuring->records);

	if (share.records == 0)
		sdcpg_findings_add(measuring->findings, SDC_FINDING_ATTRIBUTE, measure,
						   subject, NAN, "No record has an original value.");
	else
		sdcpg_findings_add(
			measuring->findings, SDC_FINDING_ATTRIBUTE, measure, subject,
			sdc_disclosure_share(share), "%s in %s%s.", sentence,
			sdcpg_attribute_disclosure_words(share.shown, share.records),
			more);
}

/* Adds the line of one column, and joins its marks to those before. */
static void
add_column(Measuring *measuring, const char *measure,
		   const SdcAlignedColumn *column, Joint *joint, const char *sentence,
		   const char *more)
{
	add_share(measuring, measure, column->original.sql, measuring->mark,
			  sentence, more);
	if (joint->columns++ == 0)
		memset(joint->mark, SDC_DISCLOSURE_NOTHING, measuring->records);
	sdc_disclosure_join(measuring->host, measuring->mark, measuring->records,
						joint->mark);
}

static void
measure_intervals(Measuring *measuring, const SdcAlignedColumn *column,
				  const SdcDisclosureNumbers *numbers)
{
	double p = measuring->measures->p;

	if (measuring->measures->rank)
	{
		sdc_disclosure_rank(measuring->host, numbers, p, measuring->mark);
		add_column(measuring, "rid", column, &measuring->rank,
				   psprintf("The original lies in the rank interval of the "
							"masked value (p = %g, w = %.0f)",
							p, floor(p * numbers->values / 200)),
				   "");
	}
	if (measuring->measures->deviation)
	{
		sdc_disclosure_deviation(measuring->host, numbers, p, measuring->mark);
		add_column(measuring, "sdid", column, &measuring->deviation,
				   psprintf("The original is no farther from the masked value "
							"than %g %% of the standard deviation",
							p),
				   "");
	}
}

/* Marks equal values; returns how many chance would leave. */
static double
mark_equal(Measuring *measuring, const SdcAlignedColumn *column,
		   const SdcDisclosureNumbers *numbers)
{
	SdcHost *host = measuring->host;

	if (column->number)
	{
		sdc_disclosure_equal(host, numbers, measuring->mark);
		return sdc_disclosure_chance(host, numbers);
	}
	sdc_disclosure_equal_codes(host, column->original_code,
							   column->masked_code, measuring->records,
							   measuring->mark);
	return sdc_disclosure_chance_codes(host, column->original_code,
									   column->masked_code, measuring->records,
									   column->values);
}

static void
measure_equality(Measuring *measuring, const SdcAlignedColumn *column,
				 const SdcDisclosureNumbers *numbers)
{
	double chance = mark_equal(measuring, column, numbers);

	add_column(measuring, "sadr", column, &measuring->equal,
			   "The original value is shown",
			   psprintf("; by chance it would be in %.2f %%%s", 100 * chance,
						column->as_text
							? " (compared as text: the types differ)"
							: ""));
	sdcpg_findings_add(measuring->findings, SDC_FINDING_EXPLANATION,
					   "sadr_chance", column->original.sql, chance,
					   "The share of records that would show their original "
					   "value if the masked values were dealt out at random.");
}

static void
measure_column(Measuring *measuring, const SdcAlignedColumn *column)
{
	SdcHost *host = measuring->host;
	SdcDisclosureNumbers numbers;

	memset(&numbers, 0, sizeof(numbers));
	if (column->number)
	{
		sdc_disclosure_prepare(host, &numbers, column->original_number,
							   column->masked_number, measuring->records);
		measure_intervals(measuring, column, &numbers);
	}
	if (measuring->measures->equal)
		measure_equality(measuring, column, &numbers);
	host->release(host, numbers.sorted);
}

/* The names of the columns that are numbers, or of all. */
static char *
list_columns(const SdcAlignment *alignment, bool numbers)
{
	StringInfoData list;
	int j;

	initStringInfo(&list);
	for (j = 0; j < alignment->columns; j++)
		if (alignment->column[j].number || !numbers)
			appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "",
							 alignment->column[j].original.sql);
	return list.data;
}

static void
add_joint(Measuring *measuring, const char *measure, const Joint *joint,
		  bool numbers, const char *sentence)
{
	if (joint->columns > 1)
		add_share(measuring, measure,
				  list_columns(measuring->alignment, numbers), joint->mark,
				  sentence, "");
}

void
sdcpg_attribute_disclosure_measure(SdcFindings *findings, SdcPgHost *host,
								   const SdcAlignment *alignment,
								   const SdcAttributeMeasures *measures)
{
	SdcHost *kernel = &host->kernel;
	Measuring measuring;
	int j;

	memset(&measuring, 0, sizeof(measuring));
	measuring.findings = findings;
	measuring.host = kernel;
	measuring.alignment = alignment;
	measuring.measures = measures;
	measuring.records = alignment->records;
	measuring.mark = sdc_new(kernel, uint8_t, alignment->records);
	measuring.rank.mark = sdc_new(kernel, uint8_t, alignment->records);
	measuring.deviation.mark = sdc_new(kernel, uint8_t, alignment->records);
	measuring.equal.mark = sdc_new(kernel, uint8_t, alignment->records);
	kernel->stage(kernel, "comparing columns");
	for (j = 0; j < alignment->columns; j++)
		measure_column(&measuring, &alignment->column[j]);
	add_joint(&measuring, "rid", &measuring.rank, true,
			  "All of these originals lie in the rank intervals");
	add_joint(&measuring, "sdid", &measuring.deviation, true,
			  "All of these originals lie within the distance");
	add_joint(&measuring, "sadr", &measuring.equal, false,
			  "All of these original values are shown");
}
