# The linkage attacks at the size of real tables: each keeps to
# sdc.memory_limit, by a result or by a clear error; and each gives the same,
# to the last bit, whatever the workers, work_mem, the plan and the order of
# the rows.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Megabytes that a process may take beside the limit: itself, the rows that
# are returned (work_mem), what the query that reads holds, caches.
my $beside = 32;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf(
	'postgresql.conf', q{
	jit = off
	shared_buffers = '2MB'
	work_mem = '4MB'
	max_worker_processes = 8
	max_parallel_workers = 8
	max_parallel_workers_per_gather = 0
	sdc.progress_interval = 0});
$node->start;

# Four columns that hang together, some missing values, swapped by p = 3.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sdc;
	CREATE FUNCTION peak() RETURNS bigint LANGUAGE sql AS $$
		SELECT substring(pg_read_file('/proc/self/status')
			FROM 'VmHWM:\s+(\d+)')::bigint / 1024 $$;
	CREATE FUNCTION rules() RETURNS jsonb LANGUAGE sql AS $$
		SELECT jsonb_object_agg(k, '{"method": "rank_swap", "p": 3}'::jsonb)
		FROM unnest('{a,b,c,d}'::text[]) AS k $$;
	CREATE PROCEDURE make(name text, n int) LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM setseed(.25);
		EXECUTE format('CREATE TABLE %I AS
			SELECT i AS id, exp(h + random()) AS a, exp(h + random()) AS b,
				CASE WHEN i %% 97 > 0 THEN exp(h + random()) END AS c,
				round(h + 3 * random())::float8 AS d
			FROM (SELECT i, 2 * random() AS h
				  FROM generate_series(1, %s) AS i) AS r', name, n);
		PERFORM count(*) FROM sdc.mask(name, rules(), target => name || '_masked', seed => 7);
		-- the same rows in another order, which is that of the file
		EXECUTE format('CREATE TABLE %I AS SELECT * FROM %I ORDER BY md5(id::text)',
			name || '_moved', name);
		EXECUTE format('CREATE TABLE %I AS SELECT * FROM %I ORDER BY md5(id::text || 0)',
			name || '_masked_moved', name || '_masked');
	END $$;
	CALL make('small', 4000);
	CALL make('large', 20000)});

my %attack = (
	'distance' => "distance('FILE', 'MASKED', 'id', '{a,b,c,d}')",
	'mahalanobis' =>
	  "distance('FILE', 'MASKED', 'id', '{a,b,d}', 'mahalanobis')",
	'gower' => "distance('FILE', 'MASKED', 'id', '{a,b,c,d}', 'gower')",
	'distance one to one' => "distance('FILE', 'MASKED', 'id', '{a,b,c,d}', "
	  . q[params => '{"assignment": "one_to_one"}', seed => 1)],
	'probabilistic' =>
	  "probabilistic('FILE', 'MASKED', 'id', '{a,b,c,d}', seed => 1)",
	'probabilistic one to one' =>
	  "probabilistic('FILE', 'MASKED', 'id', '{a,b,c,d}', "
	  . q[params => '{"assignment": "one_to_one"}', seed => 1)],
	'transparency' =>
	  "transparency('FILE', 'MASKED', rules(), 'id', '{a,b,c,d}')",
	'likelihood' =>
	  "likelihood('FILE', 'MASKED', rules(), 'id', '{a,b,c,d}', seed => 1)",
	# the records that are compared grow with the square
	'learned' => "learned('FILE', 'MASKED', 'id', '{a,b,d}', 'wm', "
	  . q[params => '{"work": 200000000}')]);

sub call
{
	my ($name, $file, $moved) = @_;
	my $call = $attack{$name};
	my $after = $moved ? '_moved' : '';

	$call =~ s|FILE|$file$after|;
	$call =~ s/MASKED/${file}_masked$after/;
	return "sdc.attack_$call";
}

# Ways to run the same.
my @plan = (
	[ 'two workers', 'SET max_parallel_workers_per_gather = 2', 0 ],
	[ 'one worker, read by workers as well', q{
		SET max_parallel_workers_per_gather = 1;
		SET parallel_setup_cost = 0;
		SET parallel_tuple_cost = 0;
		SET min_parallel_table_scan_size = 0}, 0 ],
	[ 'little work_mem, no hashing', q{
		SET work_mem = '64kB';
		SET enable_hashagg = off;
		SET enable_hashjoin = off;
		SET enable_mergejoin = off}, 0 ],
	[ 'another order of the rows', 'SET enable_seqscan = off', 1 ]);

foreach my $name (sort keys %attack)
{
	my $sum = sub {
		my ($settings, $moved) = @_;

		return $node->safe_psql(
			'postgres', qq{
			SET client_min_messages = warning;
			$settings;
			SELECT count(*), md5(string_agg(l::text, ' ' ORDER BY l::text))
			FROM @{[ call($name, 'small', $moved) ]} AS l});
	};
	my $alone = $sum->('SELECT 1 WHERE false', 0);

	like($alone, qr/^[1-9]\d+\|/, "$name links");
	is($sum->($_->[1], $_->[2]), $alone, "$name: $_->[0]") foreach @plan;
}

# Ten columns beside two keys are learned without a copy of each by each
# measure, which would take 16 MB with what else is held.
my ($wide_status, $wide, $wide_err) = $node->psql(
	'postgres', q{
	SET client_min_messages = warning;
	CREATE TABLE wide AS
		SELECT i AS id, 1000 + i * 7919.0 % 10007 AS a, i * 10007.0 % 10009 AS b
		FROM generate_series(1, 10000) AS i;
	SELECT FROM sdc.mask('wide', '{"a": {"method": "rank_swap", "p": 1},
		"b": {"method": "rank_swap", "p": 1}}', target => 'wide_masked', id => 'id', seed => 3);
	CREATE TABLE wide_shown AS
		SELECT *, id * 31 % 9973 AS c1, id * 37 % 9973 AS c2, id * 41 % 9973 AS c3,
			id * 43 % 9973 AS c4, id * 47 % 9973 AS c5, id * 53 % 9973 AS c6,
			id * 59 % 9973 AS c7, id * 61 % 9973 AS c8, id * 67 % 9973 AS c9, id * 71 % 9973 AS c10
		FROM wide_masked;
	SET sdc.memory_limit = '15MB';
	SELECT count(*) FROM sdc.attack_likelihood('wide', 'wide_shown',
		'{"a": {"method": "rank_swap", "p": 1}, "b": {"method": "rank_swap", "p": 1}}',
		'id', 'a,b', '{"max_candidates": 1}', 1)});
like($wide, qr/^10000$/m, 'ten columns beside two keys in 15 MB') or diag($wide_err);

SKIP:
{
	skip 'no /proc/self/status', 3 * keys %attack
	  unless -r '/proc/self/status';
	foreach my $name (sort keys %attack)
	{
		foreach my $limit (8, 16, 64)
		{
			my ($status, $out, $err) = $node->psql(
				'postgres', qq{
				SET client_min_messages = warning;
				\\set VERBOSITY sqlstate
				SELECT peak();
				SET sdc.memory_limit = '${limit}MB';
				SELECT count(*) FROM @{[ call($name, 'large', 0) ]};
				SELECT peak()}, on_error_stop => 0);
			my @lines = split /\n/, $out;
			my $more = $lines[-1] - $lines[0];

			ok( $more < $limit + $beside
				  && ($err eq '' || $err =~ /^psql:<stdin>:\d+: ERROR:  54000$/),
				"$name: took $more MB with a limit of $limit MB"
				  . ($err eq '' ? '' : ', refused'))
			  or diag($err);
		}
	}
}

$node->stop;
done_testing();
