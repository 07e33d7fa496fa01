/*
 * window.h
 *		The protocol of window masks: a partition in, a value per row out.
 *
 * A mask is a callback that runs once per partition, at its first row.  It
 * reads the columns it needs, works, and leaves a value for every row; later
 * rows only hand their value out.  PARTITION BY therefore means strata, and
 * ORDER BY in the window decides the order of rows that are equal in value.
 */
#ifndef SDC_HOST_WINDOW_H
#define SDC_HOST_WINDOW_H

#include "postgres.h"

#include "fmgr.h"
#include "windowapi.h"

#include "host/data/column.h"
#include "host/server/host.h"

typedef struct SdcWindow
{
	FunctionCallInfo fcinfo;
	WindowObject object;
	SdcPgHost *host;
	int64 rows;
	/* what each row gets; rows start out as NULL */
	Datum *result;
	bool *isnull;
	/* is every value of several what it was?  Then the user is warned */
	bool unchanged;
} SdcWindow;

/*
 * Is nobody warned of masks that change nothing?  Set, and reset whatever
 * happens, by who counts for himself.
 */
extern bool sdcpg_window_silent;

typedef void (*SdcWindowMask)(SdcWindow *window);

/*
 * Runs a mask at the first row of a partition and returns the value of the
 * present row.  function is the SQL name, for messages and progress.
 * Arguments from number parameters on must be the same in every row.
 */
extern Datum sdcpg_window_call(FunctionCallInfo fcinfo, const char *function,
							   int parameters, SdcWindowMask mask);

/* The value of an argument in any row of the partition, 0-based. */
extern Datum sdcpg_window_value(SdcWindow *window, int argument, int64 row,
								bool *isnull);

/* Reads an argument over the whole partition, without its NULLs. */
extern SdcColumn *sdcpg_window_column(SdcWindow *window, int argument);

/* Parameters of the call; the name is for the message when one is NULL. */
extern double sdcpg_window_float8(SdcWindow *window, int argument,
								  const char *name);
extern int32 sdcpg_window_int32(SdcWindow *window, int argument,
								const char *name);
extern bool sdcpg_window_bool(SdcWindow *window, int argument,
							  const char *name);

/* A text parameter as its position in a list that ends with NULL. */
extern int sdcpg_window_choice(SdcWindow *window, int argument,
							   const char *name, const char *const *choices);

/* The seed parameter; strong randomness when it is NULL. */
extern uint64 sdcpg_window_seed(SdcWindow *window, int argument);

/*
 * Starts the stream of random numbers that the argument asks for: that of the
 * seed and of the digest of the values; of NULL, strong random numbers.
 */
extern void sdcpg_window_random(SdcWindow *window, int argument,
								SdcRandom *random, uint64 digest);

/* Gives row place the value, which is not NULL. */
static inline void
sdcpg_window_put(SdcWindow *window, int64 place, Datum value)
{
	window->result[place] = value;
	window->isnull[place] = false;
}

/*
 * Gives every row of the column the value of another: the row at rank r gets
 * the value at rank from[r].  Notes whether all stay.
 */
extern void sdcpg_window_move(SdcWindow *window, const SdcColumn *column,
							  const int32 *order, const int32 *from);

/* The float8 values in the order of their ranks; all must be finite. */
extern double *sdcpg_window_sorted_floats(SdcWindow *window,
										  const SdcColumn *column,
										  const int32 *order);

/* Gives the row at each rank its float8, which must be finite. */
extern void sdcpg_window_put_floats(SdcWindow *window, const SdcColumn *column,
									const int32 *order, const double *masked);

#endif
