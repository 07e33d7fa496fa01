# Secret bits from counts of random subsets, asked by a role that cannot read
# the table: exact counts give all of them away, a budget of epsilon 1 none.
#
# 64 bits, 256 subsets, least squares.  With epsilon 1 the share that is found
# is that of guessing, 1/2 with deviation 0.02 over ten runs; the limit of 0.6
# is five deviations off.  The larger case, 200 bits and 800 counts, is in
# test/unit/dp_reconstruction.c.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($bits, $counts, $runs) = (64, 256, 10);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql(
	'postgres', qq{
	CREATE EXTENSION sdc;
	SELECT setseed(0.25);
	CREATE TABLE secrets AS
		SELECT i AS id, random() < 0.5 AS secret
		FROM generate_series(0, $bits - 1) AS i;
	CREATE ROLE analyst LOGIN;
	SELECT sdc.create_dataset('secrets', 'secrets', 'id',
		epsilon => 1000000);
	SELECT sdc.grant_budget('secrets', 'analyst', 1000000)});
my @secret = map { $_ eq 't' } split /\n/,
  $node->safe_psql('postgres', 'SELECT secret FROM secrets ORDER BY id');

# The subsets, and (A'A)^-1 A' of them.
srand(23);
my @asked = map {
	[ map { rand() < 0.5 ? 1 : 0 } 1 .. $bits ]
} 1 .. $counts;
my @normal = map {
	my $i = $_;
	[ (map {
			my $j = $_;
			my $sum = 0;
			$sum += $_->[$i] * $_->[$j] foreach @asked;
			$sum
		} 0 .. $bits - 1),
		map { $_ == $i ? 1 : 0 } 0 .. $bits - 1 ]
} 0 .. $bits - 1;
foreach my $i (0 .. $bits - 1)
{
	my ($pivot) = sort { abs($normal[$b][$i]) <=> abs($normal[$a][$i]) }
	  $i .. $bits - 1;
	@normal[ $i, $pivot ] = @normal[ $pivot, $i ];
	my $scale = $normal[$i][$i];
	$_ /= $scale foreach @{ $normal[$i] };
	foreach my $j (grep { $_ != $i } 0 .. $bits - 1)
	{
		my $factor = $normal[$j][$i];
		$normal[$j][$_] -= $factor * $normal[$i][$_] foreach 0 .. 2 * $bits - 1;
	}
}

# The share of bits that these answers give away.
sub found
{
	my (@answer) = @_;
	my @right = (0) x $bits;
	my $correct = 0;

	foreach my $q (0 .. $counts - 1)
	{
		$right[$_] += $asked[$q][$_] * $answer[$q] foreach 0 .. $bits - 1;
	}
	foreach my $i (0 .. $bits - 1)
	{
		my $value = 0;

		$value += $normal[$i][ $bits + $_ ] * $right[$_]
		  foreach 0 .. $bits - 1;
		$correct++ if ($value > 0.5) == $secret[$i];
	}
	return $correct / $bits;
}

my @predicates = map {
	my $subset = $_;
	'secret AND id IN ('
	  . join(',', grep { $subset->[$_] } 0 .. $bits - 1) . ')'
} @asked;
my $exact = join ';',
  map { "SELECT count(*) FROM secrets WHERE $_" } @predicates;

is(found(split /\n/, $node->safe_psql('postgres', $exact)),
	1, 'exact counts give away every bit');

# As the analyst, with epsilon for all counts together.
sub attack
{
	my ($epsilon) = @_;
	my $each = sprintf '%.9f', $epsilon / $counts - 5e-10;
	my ($status, $out, $err) = $node->psql(
		'postgres',
		join(';',
			map { "SELECT (sdc.dp_query('secrets', '{count}', $each, predicate => '$_')).value" }
			  @predicates),
		extra_params => [ '-U', 'analyst' ]);

	is($err, '', "epsilon $epsilon is answered");
	return found(split /\n/, $out);
}

my ($status, $out, $err) = $node->psql('postgres', $exact,
	extra_params => [ '-U', 'analyst' ]);
like($err, qr/permission denied/, 'which the analyst may not ask');
is(attack(100000), 1, 'nor would epsilon 100000 protect them');
my $mean = 0;
$mean += attack(1) / $runs foreach 1 .. $runs;
cmp_ok($mean, '<=', 0.6, "epsilon 1 does: $mean of the bits are guessed right");
cmp_ok($mean, '>=', 0.4, 'no better and no worse than by chance');
is( $node->safe_psql('postgres',
		q{SELECT round(spent, 3) FROM sdc.remaining_budget('secrets') WHERE role IS NULL}),
	'100010.000',
	'and every count was charged');

$node->stop;
done_testing();
