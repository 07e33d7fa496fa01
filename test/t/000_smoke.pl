# The life of the extension in a database: created, used, dumped with
# pg_dump, restored into another database, dropped.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->safe_psql('postgres', 'CREATE EXTENSION sdc');
my $version = $node->safe_psql('postgres',
	q{SELECT extversion FROM pg_extension WHERE extname = 'sdc'});
like($version, qr/^\d+\.\d+\.\d+$/, 'the extension is created');
is( $node->safe_psql(
		'postgres',
		q{SELECT nspname FROM pg_extension e
		  JOIN pg_namespace n ON n.oid = e.extnamespace
		  WHERE extname = 'sdc'}),
	'sdc',
	'it lives in its own schema');

# Views keep the functions they call by name in a dump.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE people AS
	SELECT i AS id, i * 10 AS income FROM generate_series(1, 20) AS i;
	CREATE VIEW masked AS
	SELECT id, sdc.rank_swap(income, 20, seed => 7) OVER () AS income
	FROM people});
my $masked = 'SELECT string_agg(income::text, chr(44) ORDER BY id) FROM masked';
my $before = $node->safe_psql('postgres', $masked);

my $dump = $node->basedir . '/sdc.sql';
$node->command_ok(
	[
		'pg_dump', '--no-sync', '-h', $node->host, '-p', $node->port,
		'-f', $dump, 'postgres'
	],
	'a database with the extension is dumped');
unlike(slurp_file($dump), qr/CREATE FUNCTION sdc\./,
	'the dump holds no function of the extension');
$node->command_ok(
	[
		'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1',
		'-h', $node->host, '-p', $node->port,
		'-f', $dump, 'restored'
	],
	'the dump is restored');
is($node->safe_psql('restored', $masked),
	$before, 'a seed gives the same rows in the restored database');

my ($status, $out, $err) = $node->psql('restored', 'DROP EXTENSION sdc');
like($err, qr/view masked depends on/, 'a view protects the extension');
$node->safe_psql('restored', 'DROP EXTENSION sdc CASCADE');
is( $node->safe_psql(
		'restored', q{SELECT count(*) FROM pg_proc
		WHERE probin LIKE '%sdc%'}),
	'0',
	'nothing is left after DROP EXTENSION');

$node->stop;
done_testing();
