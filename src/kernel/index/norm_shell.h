/*
 * norm_shell.h
 *		The point farthest from a slowly moving centre.
 *
 * Boxes serve badly here: the points of a shell are all about equally far.
 * Instead the points farthest from a reference centre are kept in a list,
 * farthest first.  A point at norm r from the reference is at most r + delta
 * away from a centre that moved by delta, so a search reads the list until
 * the next norm can no longer win.  If that takes too long, the tree of boxes
 * answers; the list is made anew once reading it has become dear.
 */
#ifndef SDC_KERNEL_NORM_SHELL_H
#define SDC_KERNEL_NORM_SHELL_H

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/index/point_index.h"
#include "kernel/index/points.h"

/* The list, and what reading it has cost. */
typedef struct SdcNormShell
{
	SdcPointIndex *tree;
	double reference[SDC_MAX_COLUMNS];
	int64_t length;     /* places, a multiple of the block size */
	int64_t head;       /* all places before are empty */
	double *coordinate; /* coordinate[(block * columns + column) * 32 + i] */
	double *norm;       /* norm[place], descending */
	int32_t *point;     /* point[place], -1 when it is gone */
	int32_t *place;     /* place[point], -1 when it is not listed */
	double beyond;      /* greatest norm not listed, -1: all are listed */
	int64_t searches;   /* since the list was made; -1: there is no list */
	int64_t cost;       /* points read by them, and by making the list */
	int64_t last_cost;  /* points read by the last search */
} SdcNormShell;

/* A shell of an index that must outlive it, with no list yet.  O(points). */
extern void sdc_norm_shell_create(SdcNormShell *shell, SdcPointIndex *tree);

/* Gives the list back; the index stays. */
extern void sdc_norm_shell_release(SdcNormShell *shell);

/*
 * The point of the tree farthest from the centre, of equally far ones the
 * first.  The tree must not be empty.
 */
extern int32_t sdc_norm_shell_farthest(SdcNormShell *shell,
									   const double *centre);

/* To be called when a point is removed from the tree. */
extern void sdc_norm_shell_remove(SdcNormShell *shell, int32_t point);

#endif
