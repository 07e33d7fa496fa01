# ALTER EXTENSION sdc UPDATE leads to the same objects, rights and comments as
# CREATE EXTENSION, keeps what was declared before, and what it adds is dumped.
#
# There is no release before this one, so an older version is made up: the
# script of this version without what came with policies, and the rest as the
# update.  That is how a real update script will be made.

use strict;
use warnings;

use File::Find;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Where the mirror of this run has the scripts of extensions.
my $directory;
find(
	sub { $directory = $File::Find::dir if $_ eq 'sdc.control' },
	"$ENV{SDC_TEMPORARY}/pg");
my ($version, $script) = ('', '');

foreach my $file (glob "$directory/sdc--*.sql")
{
	next unless $file =~ /sdc--(\d+\.\d+\.\d+)\.sql$/;
	$version = $1;
	$script = slurp_file($file);
}
plan skip_all => "$directory is not to be written to" unless -w $directory;

my $begins = index $script, "\n-- policy: how tables are masked";

cmp_ok($begins, '>', 0, "the script of $version has policies");

sub write_script
{
	my ($name, $text) = @_;

	open my $file, '>', "$directory/$name" or die "cannot write $name: $!\n";
	print $file $text;
	close $file;
}

write_script('sdc--0.0.9.sql', substr($script, 0, $begins + 1));
write_script("sdc--0.0.9--$version.sql", substr($script, $begins + 1));

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
my @server = ('-h', $node->host, '-p', $node->port);

sub ask
{
	my ($database, $query) = @_;

	return $node->safe_psql($database, $query);
}

ask('postgres', 'CREATE DATABASE fresh');
ask('postgres', 'CREATE DATABASE updated');
ask('fresh', 'CREATE EXTENSION sdc');
ask('updated', q{
	CREATE EXTENSION sdc VERSION '0.0.9';
	CREATE TABLE people AS SELECT i AS id, i % 4 AS age FROM generate_series(1, 40) AS i;
	SELECT sdc.declare('people', id => 'id', keys => '{age}')});
is(ask('updated', q{SELECT to_regclass('sdc.policy') IS NULL}),
	't', 'the old version has no policies');
ask('updated', 'ALTER EXTENSION sdc UPDATE');
is(ask('updated', q{SELECT extversion FROM pg_extension WHERE extname = 'sdc'}),
	$version, 'it is updated');

# Everything that the extension is made of.
my $objects = q{
	SELECT pg_describe_object(d.classid, d.objid, 0),
		obj_description(d.objid, (SELECT relname FROM pg_class WHERE oid = d.classid)),
		p.proacl, p.provolatile, p.proparallel, p.proisstrict, p.prosrc, c.relacl
	FROM pg_depend AS d
	JOIN pg_extension AS e ON e.oid = d.refobjid AND d.refclassid = 'pg_extension'::regclass
	LEFT JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
	LEFT JOIN pg_class AS c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
	WHERE e.extname = 'sdc' AND d.deptype = 'e'
	ORDER BY pg_describe_object(d.classid, d.objid, 0) COLLATE "C"};
my @fresh = split /\n/, ask('fresh', $objects);
my @updated = split /\n/, ask('updated', $objects);

cmp_ok(scalar(@fresh), '>', 200, 'there is something to compare');
is_deeply(\@updated, \@fresh, 'the objects and their rights are the same');

my $columns = q{
	SELECT attrelid::regclass, attname, format_type(atttypid, atttypmod),
		attnotnull, col_description(attrelid, attnum)
	FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
	WHERE relnamespace = 'sdc'::regnamespace AND attnum > 0
	ORDER BY relname COLLATE "C", attnum};
is(ask('updated', $columns), ask('fresh', $columns), 'so are columns');

my $dumped = q{
	SELECT c.oid::regclass, condition
	FROM pg_extension, unnest(extconfig, extcondition) AS d(oid, condition)
	JOIN pg_class AS c USING (oid) WHERE extname = 'sdc'
	ORDER BY relname COLLATE "C"};
is(ask('updated', $dumped), ask('fresh', $dumped), 'and what is dumped');
like(ask('updated', $dumped), qr/sdc\.release_history/,
	'which the history is part of');

# It works, and outlives a dump and restore into a database of this version.
is(ask('updated', q{SELECT count(*) FROM sdc.declared('people')}),
	'2', 'what was declared is kept');
ask('updated', 'CREATE SCHEMA pub');
ask('updated', q{SELECT sdc.create_policy('p', 'people', '{}',
	'[{"measure": "k_anonymity", ">=": 10}]',
	'{"schema": "pub", "attacks": ["distance"]}')});
ask('updated', q{CALL sdc.release('p')});
is(ask('updated', 'SELECT count(*) FROM pub.people'), '40', 'a release works');

my $dump = $node->basedir . '/updated.sql';
$node->command_ok([ 'pg_dump', '--no-sync', @server, '-f', $dump, 'updated' ],
	'dumped');
ask('postgres', 'CREATE DATABASE restored');
$node->command_ok(
	[
		'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', @server, '-f', $dump,
		'restored'
	],
	'restored');
is(ask('restored', q{SELECT status FROM sdc.releases('p')}),
	'published', 'with its history');

$node->stop;
unlink "$directory/sdc--0.0.9.sql", "$directory/sdc--0.0.9--$version.sql";
done_testing();
