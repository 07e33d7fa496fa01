/*
 * measures.h
 *		The measures of risk, of what values give away, and of utility: the
 *		only list of them.
 *
 * risk_report, disclosure_report, utility_report, the words of constraints,
 * the report of a release and frontier loop over the rows.  A new measure is
 * a row, and a function of its report that puts the line.
 */
#ifndef SDC_TOPIC_REGISTRY_MEASURES_H
#define SDC_TOPIC_REGISTRY_MEASURES_H

#include "postgres.h"

#include "utils/jsonb.h"

/* The subject of a line that is about no column in particular. */
#define SDC_ALL_COLUMNS "all columns"

struct RiskReport;
struct SdcUtility;

/* What a bound on a measure of risk is as a model of a search. */
typedef enum SdcModelKind
{
	SDC_MODEL_NONE,   /* it is no model */
	SDC_MODEL_SIZE,   /* the least size of a class, or 1 / it */
	SDC_MODEL_VALUES, /* of line, an SdcClassMeasure, in each class */
	SDC_MODEL_SIZES   /* of line, an SdcSizeMeasure */
} SdcModelKind;

/* The searches that can take a model; or'ed. */
typedef enum SdcSearches
{
	SDC_SEARCH_LATTICE = 1,  /* lattice, anonymize, strategies */
	SDC_SEARCH_LOCAL = 2,    /* recode_locally */
	SDC_SEARCH_SUPPRESS = 4, /* suppress, where NULL is a category */
	SDC_SEARCH_ALL = 7
} SdcSearches;

/* Which report a measure is a line of. */
typedef enum SdcMeasureKind
{
	SDC_MEASURE_RISK,       /* a line of sdc.risk_report */
	SDC_MEASURE_DISCLOSURE, /* of sdc.disclosure_report */
	SDC_MEASURE_UTILITY,    /* of sdc.utility_report */
	SDC_MEASURE_TABLE       /* of sdc.table_report */
} SdcMeasureKind;

/* How a figure is to be read. */
typedef enum SdcUnit
{
	SDC_UNIT_COUNT, /* of records, classes, people */
	SDC_UNIT_SHARE, /* of 0 to 1 */
	SDC_UNIT_VALUE  /* anything */
} SdcUnit;

/* What is better: less risk, less loss, more protection. */
typedef enum SdcBetter
{
	SDC_BETTER_NEITHER,
	SDC_BETTER_LESS,
	SDC_BETTER_MORE
} SdcBetter;

/* What a bound on a measure says of how many records look alike. */
typedef enum SdcCrowd
{
	SDC_CROWD_NONE,    /* nothing */
	SDC_CROWD_COUNT,   /* so many */
	SDC_CROWD_CHANCE,  /* 1 / so many */
	SDC_CROWD_SHARE,   /* 1 / params.threshold, but for so great a share */
	SDC_CROWD_SHARE_2, /* 2, but for so great a share */
	SDC_CROWD_BELOW_2, /* 2, but for so many records */
	SDC_CROWD_BELOW_3, /* 3, likewise */
	SDC_CROWD_BELOW_5  /* 5, likewise */
} SdcCrowd;

/* A row: a measure. */
typedef struct SdcMeasure
{
	const char *name;
	const char *says; /* what it is, in a few words, for sdc.help */
	SdcMeasureKind kind;
	SdcUnit unit;
	SdcBetter better;
	bool usual;        /* shown when nobody names measures */
	bool always;       /* has each relation with keys this line? */
	const char *asked; /* of the measure that it comes with; NULL: its own */
	const char *words; /* in the report of a release; NULL: not there */
	const char *needs; /* "id, numbers"; NULL: nothing */
	SdcCrowd crowd;
	SdcModelKind model;
	int searches;       /* SdcSearches */
	int line;           /* SdcClassMeasure or SdcSizeMeasure of the model */
	const char *figure; /* starts the sentence of the worst class; %g is c */
	/*
	 * What puts the line, and perhaps others; called once for all of them.
	 * NULL of another report.
	 */
	void (*risk)(struct RiskReport *report);
	void (*utility)(struct SdcUtility *report);
} SdcMeasure;

/*
 * The next row of a kind after one, the first after NULL, in the order of the
 * report; NULL at the end.
 */
extern const SdcMeasure *sdcpg_measure_next(SdcMeasureKind kind,
											const SdcMeasure *after);

/* The row of a name, or NULL. */
extern const SdcMeasure *sdcpg_measure_find(SdcMeasureKind kind,
											const char *name);

/*
 * Is a bound on it one from below?  Of models only.  How classes that are
 * joined satisfy it is said by sdc_class_measures_growth and sdc_size_growth.
 */
extern bool sdcpg_measure_at_least(const SdcMeasure *measure);

/*
 * The share of the records that a guess finds at the most in a table that
 * holds a bound; 1 where it says nothing of that.  params are those of the
 * measure; records are those of the table, 0: not known.
 */
extern double sdcpg_measure_guessed(const SdcMeasure *measure, double bound,
									Jsonb *params, double records);

/* Must records be known for that? */
extern bool sdcpg_measure_counts(const SdcMeasure *measure);

/* How models of the searches grow, in words for sdc.help and the pages. */
extern const char *sdcpg_measure_growth(const SdcMeasure *measure);

/* All names of a kind; ends with NULL.  Allocated. */
extern const char *const *sdcpg_measure_words(SdcMeasureKind kind);

/*
 * Those that can be asked for in the argument measures, first the usual ones,
 * of which there are *usual; ends with NULL.  Allocated, with room for more
 * words.
 */
extern const char **sdcpg_measure_asked(SdcMeasureKind kind, int room,
										int *usual);

#endif
