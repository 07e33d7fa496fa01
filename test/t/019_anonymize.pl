# Strategies outlive a dump and restore, also where their owner is no role; what
# sdc.anonymize reads and writes is one snapshot; its memory is bounded.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
my @server = ('-h', $node->host, '-p', $node->port);

sub ask
{
	my ($database, $query) = @_;

	return $node->safe_psql($database, $query);
}

ask('postgres', 'CREATE EXTENSION sdc');
ask('postgres', q{
	CREATE ROLE maker;
	CREATE TABLE people AS
	SELECT i AS id, i % 50 AS age, 'it''s ' || i % 3 AS "o""dd", i % 7 AS illness
	FROM generate_series(1, 2000) AS i;
	GRANT SELECT ON people TO maker;
	SET ROLE maker;
	SELECT sdc.create_hierarchy('age', 'numeric', '{"widths": [5, 10]}');
	SELECT sdc.anonymize('people', 'pg_temp.made', '{age,"o\"dd"}', '{illness}',
		k => 20, l => 3, strategy => 'it''s "odd"',
		params => '{"hierarchies": {"age": "age"}, "suppression": 2.5}');
	SELECT sdc.create_strategy('mine', '{age}', '{1}', k => 3)});

my $content = q{
	SELECT * FROM sdc.strategy ORDER BY strategy COLLATE "C";
	SELECT * FROM sdc.check_strategy('people', 'it''s "odd"')};
my $before = ask('postgres', $content);
is(scalar(my @lines = split /\n/, $before), 2 + 5, 'there is something to compare');

my $dump = $node->basedir . '/strategies.sql';
$node->command_ok([ 'pg_dump', '--no-sync', @server, '-f', $dump, 'postgres' ],
	'a database with strategies is dumped');
ask('postgres', q{
	DROP OWNED BY maker;
	DROP ROLE maker;
	CREATE DATABASE restored});
# The grant to the role that is gone is an error, the strategies are not.
$node->run_log([ 'psql', '-X', '-q', @server, '-f', $dump, 'restored' ]);
is(ask('restored', $content), $before, 'all of them are restored');
ask('restored', 'SELECT sdc.drop_strategy(strategy) FROM sdc.strategy');
is(ask('restored', 'SELECT count(*) FROM sdc.strategy'), '0', 'and can be dropped');

# Another session adds rows that would be alone, while the rows are read and
# while the table is written: they are in neither.
ask('postgres', q{
	CREATE TABLE busy AS
	SELECT i AS id, i % 500 AS a, i % 40 AS b FROM generate_series(1, 400000) AS i});
my ($output, $errors) = ('', '');
my $writer = IPC::Run::start(
	[ 'psql', '-X', '-q', '-A', '-t', @server, '-c', q{
		DO $$ BEGIN
			FOR i IN 1 .. 100000 LOOP
				INSERT INTO busy VALUES (-i, -i, -i);
				COMMIT;
				EXIT WHEN to_regclass('stop') IS NOT NULL;
			END LOOP;
		END $$}, 'postgres' ],
	\'', \$output, \$errors);
$node->poll_query_until('postgres', 'SELECT count(*) > 400000 FROM busy');
my $counts = ask('postgres', q{
	SELECT count(*) FROM busy WHERE id < 0;
	SELECT value FROM sdc.anonymize('busy', 'quiet', '{a,b}', k => 100,
		params => '{"suppression": 20, "levels": {"a": 0, "b": 0}}')
	WHERE measure IN ('records', 'suppressed');
	SELECT count(*), count(*) FILTER (WHERE a IS NULL AND b IS NULL),
		count(*) FILTER (WHERE id < 0 AND a IS NOT NULL) FROM quiet;
	SELECT count(*) FROM busy WHERE id < 0;
	CREATE TABLE stop ()});
$writer->finish;
my ($first, $records, $suppressed, $written, $last) = split /\n/, $counts;
is($written, "$records|$suppressed|0",
	'the table holds what was counted, and no row that is alone');
cmp_ok($last, '>', $first, 'while another session added rows');
cmp_ok($suppressed, '>=', $first, 'rows that are alone were suppressed');

# Memory
my ($status, $out, $err) = $node->psql(
	'postgres', q{
	SET sdc.memory_limit = '1MB';
	SELECT * FROM sdc.anonymize('busy', 'never', '{id,a}', params => '{"levels": {"a": 0}}')});
like(
	$err,
	qr/memory required is more than sdc\.memory_limit/,
	'what is beyond sdc.memory_limit is refused');

$node->stop;
done_testing();
