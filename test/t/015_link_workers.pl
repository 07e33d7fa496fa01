# Linkage in parallel workers: a cancel and a timeout are answered at once and
# leave no worker; the links are those of one process; a foreign table is read
# like any other.

use strict;
use warnings;
use lib "$ENV{TESTDIR}/t";

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use SdcStop;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', qq{
max_worker_processes = 8
max_parallel_workers = 8
max_parallel_workers_per_gather = 2
});
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION sdc');
create_processor($node);

# Independent columns in both files: every search looks at most of the file.
my @keys = map { "a$_" } 1 .. 20;
my $list = join(', ', map { "random() AS $_" } @keys);
for my $table ('original', 'masked')
{
	$node->safe_psql('postgres',
		"CREATE TABLE $table AS SELECT i AS id, $list"
		  . ' FROM generate_series(1, 120000) AS i');
}
my $attack = sprintf q{SELECT count(*) FROM sdc.attack_distance(
	'original', 'masked', 'id', '{%s}')}, join(',', @keys);

my $workers =
  q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker'};
# Reading the tables starts workers as well, but for less than a second.
my $linking = $workers . q{ AND backend_start < clock_timestamp() - interval '1 s'};
my $attacking =
  q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'
	AND query LIKE '%attack_distance%' AND pid <> pg_backend_pid()};

# A timeout.
my ($status, $out, $err) =
  $node->psql('postgres', "SET statement_timeout = '2s'; $attack");
like($err, qr/canceling statement due to statement timeout/,
	'a timeout ends the search');
ok($node->poll_query_until('postgres', $workers, '0'),
	'no worker is left after a timeout');

# A cancel from another session, while workers are seen to run.
my $timer = IPC::Run::timeout(900);
my $run = IPC::Run::start(
	[
		'psql', '-X', '-At', '-h', $node->host, '-p', $node->port,
		'-c', $attack, 'postgres'
	],
	'>', \$out, '2>', \$err, $timer);
ok($node->poll_query_until('postgres', "SELECT ($linking) > 0"),
	'workers take part');
my $leader = $node->safe_psql('postgres', $attacking);
my $asked = processor($leader);
$node->safe_psql('postgres', "SELECT pg_cancel_backend($leader)");
my $waited = until_gone($leader) - $asked;
$run->finish;
cmp_ok($waited, '<', $patience, sprintf('a cancel is answered within %.2f s', $waited));
like($err, qr/canceling statement due to user request/,
	'the cancel reaches the client');
ok($node->poll_query_until('postgres', $workers, '0'),
	'no worker is left after a cancel');

# Other methods, and the assignment, answer as soon.
my $weights = join(',', (1) x 20);
for my $call (
	[ 'gower', "'original', 'masked'", 'NULL' ],
	[ 'owa', "'original', 'masked'", qq('{"weights": [$weights]}') ],
	[ 'euclidean', "'original', 'masked'", qq('{"assignment": "one_to_one"}') ])
{
	my ($method, $files, $params) = @$call;

	($waited, $err) = stopped_after($node,
		sprintf("sdc.attack_distance(%s, 'id', '{%s}', '%s', %s)",
			$files, join(',', @keys), $method, $params), 700);
	like($err, qr/canceling statement due to statement timeout/,
		"a timeout ends $method $params");
	cmp_ok($waited, '<', $patience, '... soon');
}
ok($node->poll_query_until('postgres', $workers, '0'),
	'no worker is left after these');

# A worker that is killed by name ends the call with an error, not the server.
$run = IPC::Run::start(
	[
		'psql', '-X', '-At', '-h', $node->host, '-p', $node->port,
		'-c', $attack, 'postgres'
	],
	'>', \$out, '2>', \$err, $timer);
$node->poll_query_until('postgres', "SELECT ($linking) > 0");
# On a busy machine it may be one that reads the tables and is just at its end:
# then those that follow are ended, until the call is over.
ok( $node->poll_query_until('postgres', qq{
		SELECT count(pg_terminate_backend(pid)) >= 0
			AND NOT EXISTS ($attacking)
		FROM pg_stat_activity
		WHERE backend_type = 'parallel worker'
			AND backend_start < clock_timestamp() - interval '1 s'}),
	'the call ends');
$run->finish;
like($err, qr/terminating/, 'the end of a worker is an error of the call');
ok($node->poll_query_until('postgres', $workers, '0'),
	'no worker is left after that');
is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server goes on');

# An error that is caught leaves the transaction fit for writing.
is( $node->safe_psql(
		'postgres', qq{
		SET statement_timeout = '2s';
		SET client_min_messages = warning;
		DO \$\$
		BEGIN
			PERFORM * FROM ($attack) AS s;
		EXCEPTION WHEN query_canceled THEN
			CREATE TABLE after_cancel AS SELECT 1 AS a;
		END \$\$;
		SELECT a FROM after_cancel}),
	'1',
	'a cancel that is caught ends parallel mode');

# The role of the caller is that of its workers, and a lone process is enough.
is( $node->safe_psql(
		'postgres',
		q{SET max_parallel_workers = 0;
		  SELECT count(*) FROM sdc.attack_distance('original', 'original', 'id', '{a1,a2}')}),
	'120000',
	'without a free worker the call works alone');

# The intruder who knows the rules says the same with any number of workers.
# Those that are started are counted in the log, which lists them at that level.
$node->append_conf('postgresql.conf', 'log_min_messages = debug1');
$node->reload;
$node->safe_psql('postgres', q{
	CREATE TABLE ranked AS SELECT id, a1, a2 + a1 AS a2, a3 + a1 AS a3 FROM original WHERE id <= 20000;
	CREATE TABLE rules AS SELECT jsonb_object_agg(k, '{"method": "rank_swap", "p": 8}'::jsonb) AS rules
	FROM unnest('{a1,a2,a3}'::text[]) AS k;
	SELECT sdc.mask('ranked', rules, target => 'swapped', id => 'id', seed => 1) FROM rules});
my $likelihood =
  q{SELECT md5(string_agg(l::text, ' ')) FROM rules, sdc.attack_likelihood(
	'ranked', 'swapped', rules, 'id', '{a1,a2,a3}', seed => 1) AS l};
my %said;
for my $count (0, 1, 3)
{
	my $log = -s $node->logfile;
	$said{$count} = $node->safe_psql('postgres',
		"SET max_parallel_workers_per_gather = $count; $likelihood");
	my @started = slurp_file($node->logfile, $log) =~
	  /starting background worker process "parallel worker/g;
	is(@started > 0, $count > 0, 'workers are ' . ($count ? '' : 'not ') . 'started');
	is($said{$count}, $said{0}, "the links are the same with $count workers")
	  if $count > 0;
}
($status, $out, $err) = $node->psql('postgres',
	"SET statement_timeout = '1s'; $likelihood");
like($err, qr/canceling statement due to statement timeout/,
	'a timeout ends this attack');
ok($node->poll_query_until('postgres', $workers, '0'),
	'no worker is left after that either');

# A foreign table, over a connection to the same server.
SKIP:
{
	my $found = $node->safe_psql('postgres',
		q{SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'});
	skip 'postgres_fdw is not installed', 2 if $found eq '0';
	my ($host, $port) = ($node->host, $node->port);
	$node->safe_psql(
		'postgres', qq{
		CREATE EXTENSION postgres_fdw;
		CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw
			OPTIONS (host '$host', port '$port', dbname 'postgres');
		CREATE USER MAPPING FOR CURRENT_USER SERVER loopback;
		CREATE TABLE near AS SELECT id, a1, id % 7 AS b FROM original WHERE id <= 500;
		CREATE FOREIGN TABLE far (id int, a1 float8, b int)
			SERVER loopback OPTIONS (table_name 'near')});
	my $report =
	  q{SELECT string_agg(measure || value, ' ') FROM sdc.risk_report('%s', '{b}')};
	is( $node->safe_psql('postgres', sprintf($report, 'far')),
		$node->safe_psql('postgres', sprintf($report, 'near')),
		'a foreign table has the risk of its table');
	my $links =
	  q{SELECT md5(string_agg(l::text, ' ')) FROM sdc.attack_distance('near', '%s', 'id', '{a1,b}') AS l};
	is( $node->safe_psql('postgres', sprintf($links, 'far')),
		$node->safe_psql('postgres', sprintf($links, 'near')),
		'a foreign table is linked like its table');
}

$node->stop;
done_testing();
