# Noise in several sessions of a server that has loaded sdc before they were
# forked: each has bits of its own, whatever seed it sets.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'sdc'");
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sdc;
	CREATE TABLE people AS SELECT i AS id FROM generate_series(1, 1000) AS i});

# Noise on a grid of 2^40 steps: two draws are the same once in 4e12.
my $sessions = 10;
my %seen;
foreach my $session (1 .. $sessions)
{
	my @noise = split /\n/, $node->safe_psql(
		'postgres', q{
		SET extra_float_digits = 3;
		SELECT 'seed' FROM setseed(0.42);
		SELECT sdc.laplace(0::float8, 1, 1), sdc.gaussian(0::float8, 1, 1),
			sdc.dp_sum(id::float8, 0, 1, 1)
		FROM people});

	$seen{ $noise[-1] }++;
}
is(scalar keys %seen, $sessions, 'no two sessions draw the same noise');

# A session goes on where it was after an error in the middle of a statement.
my %drawn;
my $statements = join ';', map {
	q{SELECT sdc.laplace(0::float8, 1, 1); SELECT 1 / (sdc.laplace(0, 1, 1024))}
} 1 .. 5;
my ($status, $out, $err) =
  $node->psql('postgres', $statements, on_error_stop => 0);
$drawn{$_}++ foreach split /\n/, $out;
is(scalar keys %drawn, 5, 'nor does a session after an error');

$node->stop;
done_testing();
