# What 012_cancel.pl and 013_memory.pl share: calls of every mask, and a table
# to mask.

package SdcMasks;

use strict;
use warnings;

# Signature, as in the schema sdc, and calls; the first call is always run, the
# others with SDC_TEST_LONG=1 only.
our @calls = (
	[ 'rank_swap(anyelement,double precision,text,bigint)' => (
			'rank_swap(x1, 5, seed => 1)',
			q{rank_swap(name, 5, 'buckets', seed => 1)},
			q{rank_swap(x1, 5, 'distribution', seed => 1)}) ],
	[ 'shuffle(anyelement,bigint)' => 'shuffle(name, seed => 1)' ],
	[ 'microaggregate(double precision,integer,text,bigint)' => (
			'microaggregate(x1, 3)', q{microaggregate(x1, 3, 'sorted')}) ],
	[ 'microaggregate_group(record,integer,text,boolean,bigint)' => (
			map { "microaggregate_group(ROW(x1, x2, x3, x4), 3, '$_', seed => 1)" }
			  qw(mdav vmdav fast best pca mondrian)),
		q{microaggregate_group(ROW(x1, x2, name), 3)},
		q{microaggregate_group(ROW(x1, x2), 3, 'mdav', false, 1)} ],
	[ 'microaggregate_bound(record,integer,boolean)' =>
		'microaggregate_bound(ROW(x1, x2, x3, x4), 3)' ],
	[ 'add_noise(double precision,double precision,text,bigint)' =>
		'add_noise(x1, 0.2, seed => 1)' ],
	[ 'add_noise(record,double precision,text,bigint)' =>
		'add_noise(ROW(x1, x2, x3, x4), 0.2, seed => 1)' ],
	[ 'romm(record,double precision,bigint)' =>
		'romm(ROW(x1, x2, x3, x4), 0.2, seed => 1)' ],
	[ 'donut(point,double precision,double precision,text,bigint)' => (
			'donut(point(x1, x2), 0.1, 0.2, seed => 1)',
			q{donut(point(x1, x2), 100, 500, 'earth', seed => 1)}) ],
	[ 'data_shuffle(record,integer,bigint)' =>
		'data_shuffle(ROW(x1, x2, x3, x4), 2, seed => 1)' ],
	[ 'outlier_noise(double precision,double precision,double precision,bigint)' =>
		'outlier_noise(x1, 0.2, 1, seed => 1)' ],
	[ 'record_swap(text[],text,text[],text[],double precision,integer,bigint)' =>
		q{record_swap(ARRAY[left(category, 2), category], name, '{}', '{}', 10, 3, seed => 1)} ],
	[ 'pram(text,double precision,text,bigint)' =>
		'pram(category, 20, seed => 1)' ],
	[ 'pram_matrix(text,jsonb,text,bigint)' =>
		q{pram_matrix(right(category, 1), '{"0": {"0": 0.5, "1": 0.5}, "1": {"1": 1}, "2": {"2": 1}, "3": {"3": 1}, "4": {"4": 1}, "5": {"5": 1}, "6": {"6": 1}, "7": {"7": 1}, "8": {"8": 1}, "9": {"9": 1}}', seed => 1)} ],
	[ 'diverse_group(anyelement,double precision)' =>
		'diverse_group(category, 10)' ]);

# The calls to run: all of the first ones, or all.
sub calls
{
	return map {
		my ($signature, @variants) = @$_;
		$ENV{SDC_TEST_LONG} ? @variants : $variants[0];
	} @calls;
}

# What is wrong with the list: signatures on one side only.
sub missing
{
	my ($node) = @_;
	my %listed = map { ($_->[0] => 1) } @calls;
	my @found = split /\n/, $node->safe_psql(
		'postgres', q{
		SET search_path = sdc;
		SELECT oid::regprocedure FROM pg_proc
		WHERE pronamespace = 'sdc'::regnamespace AND prokind = 'w'});
	my @missing = map { "no call of $_" } grep { !delete $listed{$_} } @found;

	return join ', ', @missing, map { "no function $_" } sort keys %listed;
}

# A table of a million rows.
sub make_table
{
	my ($node) = @_;

	$node->safe_psql(
		'postgres', q{
		CREATE EXTENSION sdc;
		SELECT setseed(0.5);
		CREATE TABLE data AS
		SELECT random() AS x1, random() AS x2, random() AS x3, random() AS x4,
			md5(i::text) AS name, (i % 1000)::text AS category
		FROM generate_series(1, 1000000) AS i});
}

# The query that runs a call and returns how many values it gave.
sub query
{
	my ($call) = @_;

	return "SELECT count(m) FROM (SELECT sdc.$call OVER () AS m FROM data) AS q";
}

1;
