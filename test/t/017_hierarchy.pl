# Hierarchies outlive a dump and restore, also where their owner is no role;
# their creation is bounded by sdc.memory_limit, and two sessions cannot make
# one of the same name.  What a session keeps of them is never out of date.

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
	CREATE TABLE codes AS
	SELECT i AS value, i / 10 AS tens, 'it''s "quoted", {a\b} ' || i / 100 AS label
	FROM generate_series(1, 1000) AS i;
	GRANT SELECT ON codes TO maker;
	SET ROLE maker;
	SELECT sdc.create_hierarchy('it''s "odd"', 'table',
		'{"relation": "codes", "levels": ["value", "tens", "label"]}');
	SELECT sdc.create_hierarchy('age', 'numeric', '{"widths": [0.5, 10]}');
	SELECT sdc.create_hierarchy('born', 'date', '{"levels": ["month", "year"]}');
	SELECT sdc.create_hierarchy('school', 'order',
		'{"values": ["none", "primary", "higher"], "sizes": [2]}')});

my $content = q{
	SELECT * FROM sdc.hierarchy ORDER BY hierarchy COLLATE "C";
	SELECT * FROM sdc.hierarchy_value
	ORDER BY hierarchy COLLATE "C", place;
	SELECT value, sdc.generalize(value, 'it''s "odd"', 1),
		sdc.generalize(value, 'it''s "odd"', 2), sdc.generalize(value, 'age', 1),
		sdc.generalize('2000-01-01'::date + value, 'born', 1)
	FROM codes ORDER BY value};
my $before = ask('postgres', $content);
is(scalar(my @lines = split /\n/, $before),
	4 + 1003 + 1000, 'there is something to compare');

my $dump = $node->basedir . '/hierarchies.sql';
$node->command_ok([ 'pg_dump', '--no-sync', @server, '-f', $dump, 'postgres' ],
	'a database with hierarchies is dumped');
ask('postgres', q{
	DROP OWNED BY maker;
	DROP ROLE maker;
	CREATE DATABASE restored});
# The grant to the role that is gone is an error, the hierarchies are not.
$node->run_log([ 'psql', '-X', '-q', @server, '-f', $dump, 'restored' ]);
is(ask('restored', $content), $before, 'all of them are restored');
ask('restored', q{
	DROP TABLE codes;
	SELECT sdc.drop_hierarchy(hierarchy) FROM sdc.hierarchy;
	SELECT sdc.create_hierarchy('age', 'prefix', '{"length": 2}')});
is(ask('restored', q{SELECT sdc.generalize(37, 'age', 1)}),
	'3*', 'what was restored can be dropped and made again');
ask('restored', 'DROP EXTENSION sdc');

# Memory: a table of values that the limit holds, and one that it does not.
my ($status, $out, $err) = $node->psql(
	'postgres', q{
	CREATE TABLE large AS
	SELECT i AS value, i / 10 AS tens FROM generate_series(1, 100000) AS i;
	SET sdc.memory_limit = '1MB';
	SELECT sdc.create_hierarchy('large', 'table',
		'{"relation": "large", "levels": ["value", "tens"]}')});
like(
	$err,
	qr/memory required is more than sdc\.memory_limit/,
	'a hierarchy beyond sdc.memory_limit is refused');
is( ask('postgres', q{
	SELECT sdc.create_hierarchy('large', 'table',
		'{"relation": "large", "levels": ["value", "tens"]}');
	SELECT count(*) FROM large
	WHERE sdc.generalize(value, 'large', 1) = tens::text}),
	"\n100000",
	'within the default limit it works');

# The second of two sessions waits for the first, and then finds the name
# taken.
my ($input, $output, $errors) = ('', '', '');
my $first = IPC::Run::start(
	[ 'psql', '-X', '-q', '-A', '-t', @server, 'postgres' ],
	\$input, \$output, \$errors);
$input = "BEGIN; SELECT sdc.create_hierarchy('both', 'prefix',"
  . " '{\"length\": 3}'); SELECT 'made';\n";
$first->pump until $output =~ /made/ || $errors ne '';
my ($second_output, $second_errors) = ('', '');
my $second = IPC::Run::start(
	[
		'psql', '-X', '-q', @server, '-c',
		q{SELECT sdc.create_hierarchy('both', 'prefix', '{"length": 4}')},
		'postgres'
	],
	\'', \$second_output, \$second_errors);
ok( $node->poll_query_until(
		'postgres',
		q{SELECT count(*) = 1 FROM pg_stat_activity
		  WHERE wait_event_type = 'Lock' AND query LIKE '%create_hierarchy%'}),
	'the second session waits');
$input = "COMMIT;\n\\q\n";
$first->finish;
$second->finish;
like($second_errors, qr/hierarchy "both" already exists/,
	'and then finds the name taken');
is(ask('postgres', q{SELECT sdc.hierarchy_height('both')}),
	'3', 'the first one is kept');

# A table of values is kept in the session, for whoever means the same row of
# sdc.hierarchy.  An old snapshot goes on to see the old one, also when it reads
# it after the new one was made; the next snapshot sees the new one.
my $other = $node->basedir . '/other.sql';
append_to_file($other, q{
	SELECT sdc.drop_hierarchy('kept');
	SELECT sdc.create_hierarchy('kept', 'table', '{"rows": [["a", "new"]]}')});
ask('postgres', q{
	SELECT sdc.create_hierarchy('kept', 'table', '{"rows": [["a", "old"]]}')});
is( ask('postgres', qq{
	SELECT sdc.generalize('a', 'kept', 1);
	BEGIN ISOLATION LEVEL REPEATABLE READ;
	SELECT sdc.generalize('a', 'kept', 1);
	\\! psql -X -q -o /dev/null @server -d postgres -1 -f $other
	SELECT sdc.generalize('a', 'kept', 1);
	COMMIT;
	SELECT sdc.generalize('a', 'kept', 1);
	SELECT sdc.generalize('a', 'kept', 1)}),
	"old\nold\nold\nnew\nnew",
	'a session sees the hierarchy of its snapshot');

# Made and dropped twice within a transaction, undone in part.
is( ask('postgres', q{
	BEGIN;
	SELECT sdc.create_hierarchy('made', 'table', '{"rows": [["a", "1"]]}');
	SELECT sdc.generalize('a', 'made', 1);
	SAVEPOINT s;
	SELECT sdc.drop_hierarchy('made');
	SELECT sdc.create_hierarchy('made', 'table', '{"rows": [["a", "2"]]}');
	SELECT sdc.generalize('a', 'made', 1);
	SELECT sdc.drop_hierarchy('made');
	SELECT sdc.create_hierarchy('made', 'table', '{"rows": [["a", "3"]]}');
	SELECT sdc.generalize('a', 'made', 1);
	ROLLBACK TO s;
	SELECT sdc.generalize('a', 'made', 1);
	ROLLBACK;
	SELECT count(*) FROM sdc.hierarchy WHERE hierarchy = 'made'}),
	"\n1\n\n\n2\n\n\n3\n1\n0",
	'and what its transaction made of it');

# What one statement reads, the next finds.
ask('postgres', qq{CREATE FUNCTION memory_contexts() RETURNS text
	LANGUAGE c AS '$ENV{TESTDIR}/memory_contexts', 'memory_contexts';
	CREATE VIEW kept AS SELECT count(*)
	FROM regexp_split_to_table(memory_contexts(), '\n') AS line WHERE line LIKE 'sdc hierarchy|%'});
is( ask('postgres', q{
	SELECT count(DISTINCT sdc.generalize(value, 'large', 1)) FROM large;
	SELECT * FROM kept;
	SELECT sdc.drop_hierarchy('large');
	SELECT sdc.hierarchy_height('both');
	SELECT count(sdc.generalize('a', 'kept', 1));
	SELECT * FROM kept}),
	"10001\n1\n\n3\n1\n1",
	'tables are kept until hierarchies change');

# What a session has read for one role it does not hand to another that may not.
ask('postgres', q{
	CREATE ROLE outsider;
	SELECT sdc.create_hierarchy('own', 'table', '{"rows": [["1", "a"]]}');
	REVOKE SELECT ON sdc.hierarchy_value FROM PUBLIC});
($status, $out, $err) = $node->psql('postgres', q{
	SELECT sdc.generalize('1'::text, 'own', 1);
	SET ROLE outsider;
	SELECT sdc.generalize('1'::text, 'own', 1)});
is($out, 'a', 'who may read a hierarchy uses it');
like($err, qr/permission denied for table hierarchy_value/,
	'and leaves it to nobody in his session');
ask('postgres', 'GRANT SELECT ON sdc.hierarchy_value TO PUBLIC');

$node->stop;
done_testing();
