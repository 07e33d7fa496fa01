# Declarations of sdc.declare outlive a dump and restore: with the tables, not
# with their numbers.

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
	CREATE SCHEMA "Odd, ""one""";
	CREATE TYPE "Odd, ""one""".mood AS ENUM ('sad', 'glad');
	CREATE TABLE people(
		gone int, id int, age int, zip varchar(5), weight numeric,
		"a, ""b""" text, mood "Odd, ""one""".mood);
	ALTER TABLE people DROP gone;
	CREATE TABLE "Odd, ""one"""."peo'ple" (LIKE people);
	CREATE TABLE visits(id int, year int, age int) PARTITION BY LIST (year);
	CREATE TABLE visits_1 PARTITION OF visits FOR VALUES IN (1);
	CREATE TABLE visits_2 PARTITION OF visits FOR VALUES IN (2);
	CREATE VIEW seen AS SELECT id, age FROM people;
	CREATE MATERIALIZED VIEW kept AS SELECT id, age FROM people;
	CREATE TABLE undeclared(a int);
	CREATE ROLE owner LOGIN;
	ALTER TABLE people OWNER TO owner;

	SELECT sdc.declare('people', id => 'id', keys => '{zip,age,mood}',
		weight => 'weight',
		insensitive => ARRAY['a, "b"']::name[]);
	SELECT sdc.declare('"Odd, ""one"""."peo''ple"', sensitive => '{age,zip}');
	SELECT sdc.declare('visits', id => 'id', keys => '{age}');
	SELECT sdc.declare('visits_2', keys => '{year,age}');
	SELECT sdc.declare('seen', keys => '{age}');
	SELECT sdc.declare('kept', keys => '{age,id}')});

# Each of them becomes a row without a table, and none of them is dumped.
ask('postgres', q{
	CREATE TABLE dropped(secret int, age int);
	SELECT sdc.declare('dropped', keys => '{age}', sensitive => '{secret}');
	DROP TABLE dropped});
is( ask('postgres', q{SELECT count(*) FROM sdc.role
		WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = relation)}),
	'2',
	'a dropped table leaves its rows behind');

my $declared = q{
	SELECT c.oid::regclass, d.* FROM pg_class AS c, sdc.declared(c.oid)
		WITH ORDINALITY AS d(column_name, role, type, inherited_from, place)
	WHERE c.relkind IN ('r', 'p', 'v', 'm')
	ORDER BY c.oid::regclass::text COLLATE "C", place};
my $before = ask('postgres', $declared);
is(scalar(my @lines = split /\n/, $before),
	17, 'there is something to compare');
is( ask('postgres', q{SELECT count(*) FROM sdc.role
		WHERE EXISTS (SELECT FROM pg_class WHERE oid = relation)}),
	'15',
	'and one partition inherits two');

# A whole dump, as text and as an archive.
my %restored = (plain => [ '-F', 'p' ], archive => [ '-F', 'c' ]);

foreach my $how (sort keys %restored)
{
	my $file = $node->basedir . "/$how";

	ask('postgres', "CREATE DATABASE $how");
	$node->command_ok(
		[
			'pg_dump', '--no-sync', @server, @{ $restored{$how} },
			'-f', $file, 'postgres'
		],
		"$how: dumped");
	$node->command_ok(
		$how eq 'plain'
		? [
			'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', @server,
			'-f', $file, $how
		  ]
		: [ 'pg_restore', '--exit-on-error', @server, '-d', $how, $file ],
		"$how: restored");
	is(ask($how, $declared), $before, "$how: the same is declared");
	is(ask($how, 'SELECT count(*) FROM sdc.role'),
		'15', "$how: without what was dropped");
	is( ask($how,
			q{SELECT count(*) FROM pg_class AS c, sdc.drift(c.oid)
			WHERE relname IN ('people', 'peo''ple', 'visits', 'seen')
			AND reason !~ '^It has no role'}),
		'0',
		"$how: no column has drifted");
}
my $dump = slurp_file($node->basedir . '/plain');
unlike($dump, qr/secret/, 'the dump does not name columns of dropped tables');
unlike($dump, qr/GRANT.*sdc\.role/, 'rights are those of the extension');

# Rights hold in the restored database, too.
ask('plain', q{SET ROLE owner;
	SELECT sdc.declare('people', keys => '{age}')});
is( ask('plain', q{SELECT column_name, role FROM sdc.declared('people')}),
	'age|key',
	'the owner declares in the restored database');
my ($status, $out, $err) = $node->psql('plain',
	q{SET ROLE owner; SELECT sdc.declare('visits', keys => '{age}')});
like($err, qr/must be owner of table visits/, 'and only what is his');

# Declarations go with the extension, which can be made again.
ask('plain', 'DROP EXTENSION sdc');
ask('plain', 'CREATE EXTENSION sdc');
is(ask('plain', 'SELECT count(*) FROM sdc.role'),
	'0', 'a new extension has no declarations');
ask('plain', q{SELECT sdc.declare('people', keys => '{age}')});
is( ask('plain', q{SELECT column_name, role FROM sdc.declared('people')}),
	'age|key',
	'and takes new ones');

$node->stop;
done_testing();
