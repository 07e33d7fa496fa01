# sdc.memory_limit bounds what a call holds: a call either fits or ends with a
# clear error, and the process never takes much more than the limit.

use strict;
use warnings;
use lib "$ENV{TESTDIR}/t";

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SdcMasks;

plan skip_all => 'no /proc/self/status' unless -r '/proc/self/status';

# Megabytes that a backend may take beside the limit: itself, the window's
# tuple store (work_mem), caches.
my $beside = 24;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf(
	'postgresql.conf', q{
	jit = off
	shared_buffers = '2MB'
	work_mem = '4MB'
	sdc.progress_interval = 0});
$node->start;
SdcMasks::make_table($node);
$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION peak() RETURNS bigint LANGUAGE sql AS $$
		SELECT substring(pg_read_file('/proc/self/status')
			FROM 'VmHWM:\s+(\d+)')::bigint / 1024
	$$});

is(SdcMasks::missing($node), '', 'every mask has a call');

sub run_limited
{
	my ($call, $limit, $seconds) = @_;
	my $query = SdcMasks::query($call);
	my ($status, $out, $err) = $node->psql(
		'postgres', qq{
		\\set VERBOSITY verbose
		SELECT peak();
		SET sdc.memory_limit = '$limit';
		SET statement_timeout = '${seconds}s';
		$query;
		SELECT peak()}, on_error_stop => 0);
	my @lines = split /\n/, $out;

	return ($lines[-1] - $lines[0], $err, scalar @lines);
}

foreach my $call (SdcMasks::calls())
{
	my ($more, $err) = run_limited($call, '1MB', 900);

	like(
		$err,
		qr/ERROR:\s+54000:\ memory\ required\ is\ more\ than\ sdc\.memory_limit
			\ \(1\ MB\)
			.*DETAIL:\s+The\ call\ holds\ \d+\ MB\ and\ asks\ for\ \d+\ MB\ more\.
			.*HINT:\s+Raise\ sdc\.memory_limit/sx,
		"$call: 1 MB is too little");
	foreach my $limit (32, 128)
	{
		($more, $err) = run_limited($call, "${limit}MB", 6);
		cmp_ok($more, '<', $limit + $beside,
			"$call: took $more MB with a limit of $limit MB"
			  . ($err =~ /54000/ ? ', refused' : ''));
	}
}

# The same backend goes on after the error.
my ($status, $out, $err) = $node->psql(
	'postgres', q{
	SET sdc.memory_limit = '1MB';
	SELECT count(m) FROM (SELECT sdc.shuffle(x1) OVER () AS m FROM data) AS q;
	RESET sdc.memory_limit;
	SELECT count(m) FROM (SELECT sdc.shuffle(x1) OVER () AS m FROM data) AS q},
	on_error_stop => 0);
like($err, qr/memory required is more/, 'an error first');
is($out, '1000000', 'and then the call that fits');

# Rules of single rows need no column at all: any number of rows is copied, in
# random order, with the least memory there is.
($status, $out, $err) = $node->psql(
	'postgres', q{
	CREATE TABLE many AS SELECT i AS id, i * 7.5 AS x FROM generate_series(1, 1100000) AS i;
	SET sdc.memory_limit = '1MB';
	SELECT count(*) FROM sdc.mask('many', '{"x": {"method": "round_to", "base": 10}}',
		target => 'many_masked', id => 'id');
	SELECT count(DISTINCT id), count(*) FILTER (WHERE x % 10 = 0) FROM many_masked},
	on_error_stop => 0);
like($out, qr/^1100000\|1100000$/m, 'rules of rows take no memory for each row');

# Columns that do not fit together are put aside in files, in the room that one
# call needs; where one call does not fit, the windows of PostgreSQL run.  The
# rows are the same, and in no order, and no file is left.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE people AS
	SELECT i AS id, CASE WHEN i % 97 > 0 THEN i * 7919 % 50021 END AS income,
		(i * 10007 % 60013) / 7.0::float8 AS weight, 'city' || i % 31 AS city,
		md5((i % 4000)::text) AS token, (i * 31 % 8009)::numeric(8,2) AS price,
		date '2000-01-01' + i * 17 % 5003 AS day, i % 7 AS region,
		repeat('x', i % 50) AS padding
	FROM generate_series(1, 60000) AS i});
my %rows;
my %said;
foreach my $limit (1000, 7, 5)
{
	my ($status, $out, $err) = $node->psql(
		'postgres', qq{
		SET sdc.memory_limit = '${limit}MB';
		SET client_min_messages = debug1;
		SELECT count(*) FROM sdc.mask('people', '{
			"income": {"method": "rank_swap", "p": 5},
			"weight": {"method": "add_noise", "alpha": 0.2},
			"city": {"method": "pram", "p": 80}, "token": {"method": "shuffle"},
			"price": {"method": "rank_swap", "p": 3, "strata": ["region"]},
			"day": {"method": "microaggregate", "k": 4}}',
			target => 'masked_$limit', id => 'id', seed => 7)});
	$said{$limit} = $err;
	$rows{$limit} = $node->safe_psql('postgres',
		"SELECT md5(string_agg(m::text, ' ' ORDER BY id)) FROM masked_$limit AS m");
}
my $aside = qr/columns are put aside in files/;
unlike($said{1000}, $aside, 'what fits is not put aside');
like($said{7}, $aside, 'what does not fit is');
is($rows{7}, $rows{1000}, '... with the same values');
is($rows{5}, $rows{1000}, 'and so are those of windows');
is( $node->safe_psql(
		'postgres', q{
		SELECT count(*) < 100 FROM (
			SELECT id - lag(id) OVER () AS step FROM masked_7) AS s WHERE step = 1}),
	't',
	'rows do not come in the order of the table');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'),
	0, 'no file is left');

# A mask that works on ranks alone needs no memory for each row: where columns
# do not fit, their keys are sorted in files, in many runs.  All that is the same
# in every row but the number: NULL, ties, strata, an order of the window or
# none, each variant, each width of a window and each way a value is kept.
my %swaps = (
	'few values, NULL, strata' => '{"income": {"method": "rank_swap", "p": 5, "strata": ["region", "city"]}}',
	'ties, buckets' => '{"weight": {"method": "rank_swap", "p": 20, "variant": "buckets"}}',
	'NaN, infinity, -0, distribution' => '{"odd": {"method": "rank_swap", "p": 1, "variant": "distribution"}}',
	'int2, everywhere' => '{"price": {"method": "rank_swap", "p": 100}}',
	'dates and booleans' => '{"day": {"method": "rank_swap", "p": 40}, "alone": {"method": "rank_swap", "p": 10}}',
	'int8 and times' => '{"many": {"method": "rank_swap", "p": 0.03}, "moment": {"method": "rank_swap", "p": 2, "strata": ["day"]}}',
	'shuffled, NULL, strata' => '{"income": {"method": "shuffle", "strata": ["region"]}, "odd": {"method": "shuffle"}}',
	'text, numeric in other forms, an enum' => '{"city": {"method": "rank_swap", "p": 30, "strata": ["region"]}, "paid": {"method": "rank_swap", "p": 7}, "mood": {"method": "shuffle"}}',
	'no value at all' => '{"nothing": {"method": "rank_swap", "p": 50, "strata": ["region"]}}');
my $in_files = qr/ranks change values in files/;

$node->safe_psql('postgres', q{CREATE TYPE mood AS ENUM ('low', 'high', 'middle')});
foreach my $order ('', 'id', 'day, number')
{
	my $id = $order eq 'id' ? ", id => 'id'" : '';
	my $key = $order eq 'day, number' ? 'ALTER TABLE ranked ADD PRIMARY KEY (day, number)' : '';

	$node->safe_psql(
		'postgres', qq{
		CREATE TABLE IF NOT EXISTS ranked AS
		SELECT i * 7919 % 50021 AS id, CASE WHEN i % 97 > 0 THEN i * 7919 % 5021 END AS income,
			(i * 10007 % 60013) / 7.0::float8 AS weight, 'city' || i % 31 AS city,
			(i * 31 % 8009)::int2 AS price, NULLIF(i % 7, 3) AS region,
			CASE WHEN i % 5 = 0 THEN 'nan' WHEN i % 7 = 0 THEN '-0' WHEN i % 7 = 1 THEN '0'
				WHEN i % 11 = 0 THEN 'infinity' ELSE (i % 20011)::text END::float8 AS odd,
			date '2000-01-01' + i * 17 % 503 AS day, (-i)::bigint * i % 99999989 AS number,
			i % 3 = 0 AS alone, -i::bigint * 1000003 AS many,
			CASE WHEN i % 2 = 0 THEN timestamptz '2001-01-01 UTC' + i * interval '1 minute' END AS moment,
			NULL::real AS nothing, CASE WHEN i % 2 = 0 THEN 1.0 WHEN i % 13 > 0 THEN 1.00 END * (i % 300) AS paid,
			(ARRAY['low', 'high', 'middle'])[1 + i % 3]::mood AS mood
		FROM generate_series(1, 50000) AS i;
		$key});
	foreach my $name (sort keys %swaps)
	{
		foreach my $limit (1000, 1.4)
		{
			my $target = $limit == 1.4 ? 'in_files' : 'in_memory';
			my ($status, $out, $err) = $node->psql(
				'postgres', qq{
				SET sdc.memory_limit = '${limit}MB';
				SET client_min_messages = debug1;
				SELECT count(*) FROM sdc.mask('ranked', '$swaps{$name}', target => '$target'$id, seed => 7)});

			my @runs = $err =~ /$in_files/g;
			is(scalar @runs, $limit == 1.4 ? () = $swaps{$name} =~ /rank_swap|shuffle/g : 0, "$name, order ($order): $limit MB");
		}
		# byte by byte: -0 is not 0, and 1.0 not 1.00
		is( $node->safe_psql(
				'postgres', q{
				SELECT count(*), count(*) FILTER (WHERE (m *= f) IS NOT TRUE)
				FROM in_memory AS m FULL JOIN in_files AS f USING (id);
				DROP TABLE in_memory, in_files}),
			'50000|0', '... and the same values');
	}
}

# Where there is not even memory for what a mask notes of ranks, as ever.
($status, $out, $err) = $node->psql(
	'postgres', q{
	CREATE TABLE tall AS SELECT i * 7919.5 % 100003 AS x FROM generate_series(1, 1000000) AS i;
	ALTER TABLE tall ALTER x TYPE float8;
	SELECT peak();
	SET sdc.memory_limit = '8MB';
	SELECT count(*) FROM sdc.mask('tall', '{"x": {"method": "rank_swap", "p": 30}}', target => 'tall_8');
	SELECT peak();
	SET sdc.memory_limit = '1MB';
	SELECT count(*) FROM sdc.mask('tall', '{"x": {"method": "rank_swap", "p": 30}}', target => 'tall_1')},
	on_error_stop => 0);
my @peak = split /\n/, $out;
cmp_ok($peak[2] - $peak[0], '<', 8 + $beside, 'ranks of 1,000,000 rows in 8 MB');
like($err, qr/memory required is more than sdc.memory_limit \(1 MB\)/, '... and not in 1 MB');
is($node->safe_psql('postgres', q{
	SELECT count(*) FROM (SELECT x, count(*) FROM tall GROUP BY x EXCEPT SELECT x, count(*) FROM tall_8 GROUP BY x) AS s}),
	0, '... and each value is there as often');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'),
	0, 'again no file is left');

($status, $out, $err) =
  $node->psql('postgres', q{LOAD 'sdc'; SET sdc.memory_limit = '100kB'});
like($err, qr/100 kB is outside the valid range/, 'a megabyte is the least');

$node->stop;
done_testing();
