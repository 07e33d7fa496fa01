/*
 * learned_explain.c
 *		What learned parameters say about attributes and pairs of them.
 *
 * Shapley values average what an attribute adds to the sets without it,
 * interaction indices what a pair adds beyond its two members.
 */
#include "kernel/attack/learned_explain.h"

#include <math.h>
#include <string.h>

/* The measure of a set of attributes; 0 of none. */
static double
measure(const double *parameter, int set)
{
	return set == 0 ? 0 : parameter[set - 1];
}

static int
size_of(int set)
{
	int size = 0;

	for (; set != 0; set &= set - 1)
		size++;
	return size;
}

/* The share of sets of a size among orders of n: s! (n - s)! / (n + 1)!. */
static double
share_of(int s, int n)
{
	double share = 1.0 / (n + 1);
	int i;

	for (i = 1; i <= s; i++)
		share *= (double) i / (n - s + i);
	return share;
}

static void
explain_sets(const SdcLearnedForm *form, const double *parameter,
			 double *importance, double *interaction)
{
	int n = form->columns;
	int set;
	int j;
	int k;

	for (set = 0; set < 1 << n; set++)
		for (j = 0; j < n; j++)
		{
			double with = measure(parameter, set | 1 << j);

			if (set >> j & 1)
				continue;
			importance[j] += share_of(size_of(set), n - 1) *
							 (with - measure(parameter, set));
			for (k = j + 1; k < n; k++)
				if ((set >> k & 1) == 0)
					interaction[j * n + k] +=
						share_of(size_of(set), n - 2) *
						(measure(parameter, set | 1 << j | 1 << k) - with -
						 measure(parameter, set | 1 << k) +
						 measure(parameter, set));
		}
}

/* Of half a matrix; the Shapley value has half of each interaction. */
static void
explain_pairs(const SdcLearnedForm *form, const double *half,
			  double *importance, double *interaction)
{
	int n = form->columns;
	int j;
	int k;

	for (j = 0; j < n; j++)
		for (k = j; k < n; k++, half++)
		{
			importance[j] += j == k ? *half : *half / 2;
			if (j == k)
				continue;
			importance[k] += *half / 2;
			interaction[j * n + k] = *half;
		}
}

static void
explain_matrix(const SdcLearnedForm *form, const double *half,
			   double *importance, double *interaction)
{
	int n = form->columns;
	double largest = 0;
	double sum = 0;
	int j;
	int k;

	for (j = 0; j < n; j++)
		for (k = j; k < n; k++, half++)
		{
			if (j != k)
				interaction[j * n + k] = *half;
			else
				importance[j] = *half;
		}
	for (j = 0; j < n; j++)
	{
		sum += fabs(importance[j]);
		largest = fmax(largest, fabs(importance[j]));
	}
	for (j = 0; j < n; j++)
		for (k = j + 1; k < n; k++)
		{
			double both = importance[j] * importance[k];
			bool positive = importance[j] > 0 && both > 0;

			if (largest > 0)
				interaction[j * n + k] /= positive ? sqrt(both) : largest;
		}
	for (j = 0; j < n; j++)
		if (sum > 0)
			importance[j] /= sum;
}

void
sdc_learned_explain(const SdcLearnedForm *form, const double *parameter,
					double *importance, double *interaction)
{
	size_t n = (size_t) form->columns;

	memset(importance, 0, n * sizeof(double));
	memset(interaction, 0, n * n * sizeof(double));
	switch (form->method)
	{
		case SDC_LEARNED_WM:
		case SDC_LEARNED_WM_M:
		case SDC_LEARNED_OWA:
			memcpy(importance, parameter, n * sizeof(double));
			break;
		case SDC_LEARNED_CHOQUET:
		case SDC_LEARNED_CHOQUET_M:
			explain_sets(form, parameter, importance, interaction);
			break;
		case SDC_LEARNED_CHOQUET2:
			explain_pairs(form, parameter, importance, interaction);
			break;
		default:
			explain_matrix(form, parameter, importance, interaction);
	}
}
