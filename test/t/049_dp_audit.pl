# What a request under differential privacy costs, against the noise that it
# really drew.
#
# The library is loaded with a log of every draw (test/audit/dp_audit.c).  The
# formulas below are this file's own, in exact fractions: from the law of each
# draw, the bounds of the column and what one unit can change follow the
# epsilon and delta that the answers give away.  These must not exceed what was
# asked, what was asked must not exceed what was charged, and the answers must
# hold that noise and no other.

use strict;
use warnings;

use Math::BigInt;
use Math::BigRat;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;

my $library = "$ENV{TESTDIR}/dp_audit.so";
my $log = "$ENV{TESTDIR}/dp_audit.log";

plan skip_all => 'the library with a log of draws was not built'
  unless -f $library;

$ENV{SDC_AUDIT} = $log;
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

# Sixty units with one row each; 20 of each group, so that no limit on groups
# or rows changes a figure, only its noise.  Values are on every grid.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sdc;
	CREATE TABLE facts AS
		SELECT i AS unit, (ARRAY['a', 'b', 'c'])[1 + i % 3] AS g,
			i % 7 - 2 AS n, (i % 9 - 4)::float8 AS x, i % 64 + 0.0 AS v,
			substr('ppppppqqqqqrrrrrssss', 1 + i % 20, 1) AS m
		FROM generate_series(0, 59) AS i;
	UPDATE pg_proc SET probin = '} . $library . q{'
		WHERE probin = '$libdir/sdc'});
# a session that has loaded the other library does not load this one
SdcSession::keep($node);

# ----------------------------------------------------------------------
# Exact numbers
# ----------------------------------------------------------------------

sub exactly
{
	return Math::BigRat->new($_[0]);
}

sub power_of_2
{
	my ($exponent) = @_;

	return $exponent < 0
	  ? exactly(1) / Math::BigInt->new(2)->bpow(-$exponent)
	  : exactly(Math::BigInt->new(2)->bpow($exponent));
}

# The fraction that a double is.
sub of_double
{
	my ($part, $exponent) = POSIX::frexp($_[0]);

	return exactly(sprintf('%.0f', $part * 2**53)) *
	  power_of_2($exponent - 53);
}

sub most
{
	my ($most) = shift;

	foreach my $other (@_)
	{
		$most = $other if $other > $most;
	}
	return $most;
}

# ----------------------------------------------------------------------
# The log
# ----------------------------------------------------------------------

my @draw;

# Runs SQL; @draw has what it drew.
sub drawing
{
	my ($sql) = @_;

	unlink $log;
	my $out = $node->safe_psql('postgres', $sql);
	@draw = map { [split] }
	  split /\n/, (-f $log ? slurp_file($log) : '');
	return $out;
}

# The next draw, of this law: its fields.
sub drawn
{
	my ($law) = @_;
	my $next = shift @draw;

	die "a draw of $law is missing" if !defined $next || $next->[0] ne $law;
	return @$next;
}

# Scale and value of the next Laplace draw.
sub laplace
{
	my (undef, $numerator, $shift, $value) = drawn('laplace');

	return (exactly($numerator) / power_of_2($shift), exactly($value));
}

# Proposals until one is accepted: the rate a / b of that one.
sub accepted
{
	while (1)
	{
		my (undef, $part, $whole, $yes) = drawn('choice');

		return exactly($part) / exactly($whole) if $yes;
	}
}

# ----------------------------------------------------------------------
# What one record of difference gives away, for each kind of figure.  Each
# takes the answer, the rows that it was made from and how tables differ, takes
# its draws out of the log, says whether the answer holds them, and returns
# epsilon; undef where the choice that was drawn does not show it.
# ----------------------------------------------------------------------

my ($low, $high) = (-3, 5);

sub changes_sum_by
{
	my ($replace) = @_;

	return $replace ? most(-$low, $high, $high - $low) : most(-$low, $high);
}

sub audit_count
{
	my ($answer, $rows) = @_;
	my ($scale, $noise) = laplace();

	return (exactly($answer) == @$rows + $noise, 1 / $scale);
}

sub audit_whole_sum
{
	my ($answer, $rows, $replace) = @_;
	my ($scale, $noise) = laplace();
	my $sum = 0;

	$sum += $_->{n} foreach @$rows;
	return (exactly($answer) == $sum + $noise,
		changes_sum_by($replace) / $scale);
}

# The step of the grid is the noise in the answer over the noise drawn.
sub audit_sum
{
	my ($answer, $rows, $replace) = @_;
	my ($scale, $noise) = laplace();
	my $sum = 0;
	my $step;

	$sum += $_->{x} foreach @$rows;
	return (1, undef) if $noise == 0;
	my $ratio = ($answer - $sum) / $noise->numify;
	$step = POSIX::floor(log($ratio) / log(2) + 0.5) if $ratio > 0;
	return (0, undef) if !defined $step;
	return (
		abs($answer - $sum - $noise->numify * 2**$step) <=
		  1e-12 * abs($answer) + 1e-12,
		changes_sum_by($replace) / ($scale * power_of_2($step)));
}

# A value in the bounds as one of -1 .. 1.
sub unit_value
{
	return ($_[0] - ($low + $high) / 2) / (($high - $low) / 2);
}

sub within
{
	my ($value, $least, $most) = @_;

	return $value < $least ? $least : $value > $most ? $most : $value;
}

# Count, sum and, for $squares, sum of 2 u^2 - 1, of values u in -1 .. 1, the
# sums on the grid with which the answer comes out.
sub audit_moments
{
	my ($answer, $rows, $replace, $squares, $figure) = @_;
	my @law = map { [laplace()] } 1 .. 2 + $squares;
	my @true = (scalar @$rows, 0, 0);

	foreach my $row (@$rows)
	{
		my $u = unit_value($row->{x});

		$true[1] += $u;
		$true[2] += 2 * $u * $u - 1;
	}
	my $cut = 0;
	foreach my $bits (30 .. 75)
	{
		my $one = 2**$bits;
		my $count = $true[0] + $law[0][1]->numify;
		my @mean = map {
			($true[$_] * $one + $law[$_][1]->numify) /
			  ($count < 1 ? 1 : $count) / $one
		} 1 .. 1 + $squares;
		my ($said, $bare) =
		  map { $figure->(@$_) } [ map { within($_, -1, 1) } @mean ], \@mean;

		next if abs($said - $answer) > 1e-9 * (1 + abs($answer));

		# what was cut off fits many grids
		$cut = 1;
		next if $said != $bare || $said == 0;

		# A record more or less changes all; a value replaced, the sums by
		# twice as much, and the count only where it comes to be missing.
		my $sums = 0;
		$sums += power_of_2($bits) / $law[$_][0] foreach 1 .. 1 + $squares;
		return (1,
			$replace
			? most(1 / $law[0][0] + $sums, 2 * $sums)
			: 1 / $law[0][0] + $sums);
	}
	return ($cut, undef);
}

sub audit_avg
{
	return audit_moments(
		@_, 0,
		sub {
			return ($low + $high) / 2 + ($high - $low) / 2 * $_[0];
		});
}

sub audit_var
{
	return audit_moments(
		@_, 1,
		sub {
			my $part = within(($_[1] + 1) / 2 - $_[0]**2, 0, 1);
			return (($high - $low) / 2)**2 * $part;
		});
}

sub audit_stddev
{
	return audit_moments(
		@_, 1,
		sub {
			my $part = within(($_[1] + 1) / 2 - $_[0]**2, 0, 1);
			return ($high - $low) / 2 * sqrt($part);
		});
}

# How far values up to $answer are from being the part of all that is asked
# for: the exponential mechanism accepts with exp(-rate loss), and a loss
# changes by up to max(p, w - p) with a value more or less, w with one replaced.
sub audit_quantile
{
	my ($answer, $rows, $replace, $p, $w, $half) = @_;
	my $rate = accepted();
	my ($less, $up_to, $all) = (0, 0, scalar @$rows);

	foreach my $row (@$rows)
	{
		$less++ if $row->{v} < $answer - $half;
		$up_to++ if $row->{v} < $answer + $half;
	}
	my $loss = most(0, $w * $less - $p * $all, $p * $all - $w * $up_to);
	return ($rate == 0, undef) if $loss == 0;
	return (1, 2 * ($replace ? $w : most($p, $w - $p)) * $rate / $loss);
}

# Permute and flip: all scores move one way with a record more or less, two
# move apart with a replaced one.
sub audit_mode
{
	my ($answer, $rows, $replace) = @_;
	my $rate = accepted();
	my %score = map { $_ => 0 } qw(p q r s z);

	$score{ $_->{m} }++ foreach @$rows;
	my $loss = most(values %score) - $score{$answer};
	return ($rate == 0, undef) if $loss == 0;
	return (1, ($replace ? 2 : 1) * $rate / $loss);
}

my %audit = (
	'count' => \&audit_count,
	'sum(n)' => \&audit_whole_sum,
	'sum(x)' => \&audit_sum,
	'avg(x)' => \&audit_avg,
	'var(x)' => \&audit_var,
	'stddev(x)' => \&audit_stddev,
	'median(v)' => sub { audit_quantile(@_, 1, 2, 64 / 65536 / 2) },
	'quantile(v, 0.75)' => sub { audit_quantile(@_, 3, 4, 64 / 65536 / 2) },
	'mode(m)' => \&audit_mode);

# The rows as this file knows them.
my @fact = map {
	{
		g => (qw(a b c))[ $_ % 3 ], n => $_ % 7 - 2, x => $_ % 9 - 4,
		v => $_ % 64, m => substr('ppppppqqqqqrrrrrssss', $_ % 20, 1)
	}
} 0 .. 59;
# clipped to the bounds
$_->{x} = within($_->{x}, $low, $high) foreach @fact;
$_->{n} = within($_->{n}, $low, $high) foreach @fact;

# ----------------------------------------------------------------------
# Data sets that differ in all that makes up a cost
# ----------------------------------------------------------------------

my %set;

sub make_set
{
	my (%as) = @_;
	my $name = join '_', @as{qw(neighbours accounting groups rows)};

	return $name if $set{$name};
	my $delta = $as{accounting} eq 'pure' ? 0 : 0.5;
	$node->safe_psql(
		'postgres', qq{
		SELECT sdc.create_dataset('$name', 'facts', 'unit',
			neighbours => '$as{neighbours}', accounting => '$as{accounting}',
			max_groups => $as{groups}, max_rows => $as{rows},
			epsilon => 1000000, delta => $delta, min_epsilon => 1e-9,
			anew => true);
		SELECT sdc.grant_budget('$name', current_user::regrole, 1000000,
			$delta);
		SELECT sdc.describe_column('$name', 'n', $low, $high);
		SELECT sdc.describe_column('$name', 'x', $low, $high);
		SELECT sdc.describe_column('$name', 'v', 0, 64);
		SELECT sdc.describe_column('$name', 'm', categories => '{p,q,r,s,z}');
		SELECT sdc.describe_column('$name', 'g', categories => '{a,b,c,d}')
			WHERE '$as{accounting}' <> 'approx'});
	$set{$name} = {%as};
	return $name;
}

# The query for what the counters of a data set say: epsilon, rho and delta.
sub counters
{
	return qq{SELECT DISTINCT CASE unit WHEN 'rho' THEN 0 ELSE spent END,
		CASE unit WHEN 'rho' THEN spent ELSE 0 END, coalesce(delta_spent, 0)
		FROM sdc.remaining_budget('$_[0]');};
}

# Asks once, for SQL that is a SELECT: the lines of the answer, and what the
# counters of the data set and of the role went up by.
sub charging
{
	my ($name, $sql) = @_;
	my @line = map { [ split /\|/ ] }
	  split /\n/, drawing(counters($name) . "$sql;" . counters($name));
	my ($before, $after) = (shift @line, pop @line);

	return (\@line,
		map { exactly($after->[$_]) - exactly($before->[$_]) } 0 .. 2);
}

# P(Y >= steps), Y discrete Laplace of this scale.
sub tail
{
	my ($steps, $scale) = @_;
	my $rate = 1 / $scale->numify;

	return exp(-$steps * $rate - POSIX::log1p(exp(-$rate)));
}

# Asks, and holds the answers against the draws and these against the charge.
# $groups: none, public (a, b, c and an empty d) or, with approx, private.
sub audit_request
{
	my ($name, $figures, $epsilon, $groups, $delta) = @_;
	my $set = $set{$name};
	my $replace = $set->{neighbours} eq 'replace';
	my $word = join ', ', @$figures;
	my $title = "$name: $word, epsilon $epsilon, $groups groups";
	my (@given, @sure);

	# A choice with loss 0 does not show its rate: ask again.
	foreach my $try (1 .. 100)
	{
		my $array = join ',', map { qq{"$_"} } @$figures;
		my ($line, @cost) = charging($name,
			"SELECT cell->>'g', aggregate, coalesce(category, value::text) "
			  . "FROM sdc.dp_query('$name', '{$array}', $epsilon"
			  . ($groups eq 'none' ? '' : ", '{g}'")
			  . ($delta ? ", delta => $delta" : '') . ')');
		my $asked = exactly($epsilon);
		my $threshold;

		# What was charged is at least what was asked, in the units of the
		# account, and less than one of its steps more.
		if ($set->{accounting} eq 'zcdp')
		{
			my $rho = $asked * $asked / 2;
			die "$title: rho $cost[1] for $rho"
			  if $cost[1] < $rho || $cost[1] > $rho + exactly('3e-9') * (1 + $asked);
		}
		else
		{
			die "$title: charged $cost[0]"
			  if $cost[0] < $asked || $cost[0] >= $asked + exactly('1e-9');
		}
		die "$title: delta of $cost[2] charged"
		  if $cost[2] != ($delta ? exactly($delta) : 0);

		(undef, undef, undef, $threshold) = drawn('threshold')
		  if $groups eq 'private';
		audit_cells($title, $set, $figures, $groups, $threshold, $line,
			\@given, \@sure);
		last if @given >= @$figures && !grep { !defined } @given;
	}

	# One unit is in so many cells of the answer, each with so many rows; a
	# replaced one leaves as many as it enters.
	my $in = $groups eq 'none' ? 1
	  : $groups eq 'public' && $set->{groups} > 4 ? 4 : $set->{groups};
	my $times = $set->{rows} * $in * ($replace && $groups ne 'none' ? 2 : 1);
	my $sum = exactly(0);
	$sum += $given[$_] // die "$title: no choice showed its rate"
	  foreach 0 .. most($#given, $#{$figures});
	$sum *= $times;
	ok($sum <= exactly($epsilon),
		"$title: no more than asked is given away")
	  or diag($sum->numify . " of $epsilon");
	# The count of a replaced record is charged as if it moved with the sums,
	# so that moments use up 3/4 or 2/3 of their share.
	ok($sum->numify > 0.6 * $epsilon, "$title: nor is much of it wasted")
	  or diag($sum->numify . " of $epsilon");
	if ($groups eq 'private')
	{
		my $cells_of_unit = $in * ($replace ? 2 : 1);

		foreach my $one (@sure)
		{
			my ($steps, $scale) = @$one;
			my $shown =
			  -POSIX::expm1($cells_of_unit * POSIX::log1p(-tail($steps, $scale)));
			my $easier = -POSIX::expm1(
				$cells_of_unit * POSIX::log1p(-tail($steps - 1, $scale)));

			die "$title: a unit alone is shown with $shown"
			  if $shown > $delta;
			die "$title: the threshold is higher than it has to be"
			  if $easier <= $delta * (1 - 1e-9);
		}
		pass("$title: who is alone is shown with delta at most, and no lower "
			  . 'threshold would do');
	}
}

# The draws of one answer, cell by cell; epsilon of each figure into @$given,
# steps from a unit that is alone to the threshold into @$sure.
sub audit_cells
{
	my ($title, $set, $figures, $groups, $threshold, $line, $given, $sure) =
	  @_;
	my $hidden = $groups eq 'private' && !grep { $_ eq 'count' } @$figures;
	my $replace = $groups eq 'none' && $set->{neighbours} eq 'replace';
	my $left = { none => 1, public => 4, private => 3 }->{$groups};

	while ($left-- > 0)
	{
		my $group = @$line ? $line->[0][0] : undef;
		my @rows =
		  grep { $groups eq 'none' || $_->{g} eq ($group // '') } @fact;
		my $shown = $groups ne 'private';

		if (!$shown)
		{
			# the count that decides: the first of the figures, or the last draw
			my $at = $hidden ? draws_of($figures) : 0;
			my ($scale, $noise) =
			  (exactly($draw[$at][1]) / power_of_2($draw[$at][2]),
				exactly($draw[$at][3]));

			$shown = 20 + $noise >= $threshold;
			push @$sure, [ $threshold - $set->{rows}, $scale ];
			$given->[ scalar @$figures ] = 1 / $scale if $hidden;
			if (!$shown)
			{
				unshown($figures, $given, $replace);
				drawn('laplace') if $hidden;
				next;
			}
		}
		foreach my $i (0 .. $#{$figures})
		{
			my (undef, $said, $answer) = @{ shift @$line };
			my ($right, $epsilon) =
			  $audit{ $figures->[$i] }->($answer, \@rows, $replace);

			die "$title: $said is not what was counted and drawn"
			  if !$right || $said ne $figures->[$i];
			$given->[$i] = $epsilon
			  if defined $epsilon
			  && (!defined $given->[$i] || $epsilon > $given->[$i]);
		}
		drawn('laplace') if $hidden;
	}
	die "$title: lines or draws are left: "
	  . join('; ', map { join ' ', @$_ } @$line, @draw)
	  if @$line || @draw;
}

# A cell whose answers nobody sees; of whole numbers the draw says enough.
sub unshown
{
	my ($figures, $given, $replace) = @_;

	foreach my $i (0 .. $#{$figures})
	{
		my @law = map { [laplace()] } 1 .. draws_of([ $figures->[$i] ]);
		my $by =
		    $figures->[$i] eq 'count' ? 1
		  : $figures->[$i] eq 'sum(n)' ? changes_sum_by($replace)
		  : next;

		$given->[$i] = $by / $law[0][0];
	}
}

# How many Laplace draws these figures take.
sub draws_of
{
	my ($figures) = @_;
	my $draws = 0;

	$draws += /^avg/ ? 2 : /^var|^stddev/ ? 3 : 1 foreach @$figures;
	return $draws;
}

# ----------------------------------------------------------------------
# Requests to data sets
# ----------------------------------------------------------------------

my @single = map { [$_] } sort keys %audit;
my @sums = ([ 'count', 'sum(x)' ], [ 'sum(n)', 'avg(x)' ], ['sum(x)']);

foreach my $neighbours ('add_remove', 'replace')
{
	foreach my $limits ([ 1, 1 ], [ 3, 2 ], [ 7, 5 ])
	{
		my %as = (
			neighbours => $neighbours, groups => $limits->[0],
			rows => $limits->[1]);
		my $pure = make_set(%as, accounting => 'pure');
		my $approx = make_set(%as, accounting => 'approx');
		my $zcdp = make_set(%as, accounting => 'zcdp');

		foreach my $figures ($limits->[0] == 7 ? @sums : @single)
		{
			# so little that a choice is seldom the best, so much that a mean is
			# seldom cut off
			audit_request($pure, $figures,
				$figures->[0] eq 'mode(m)'
				? '0.0732050807568877'
				: '0.7320508075688772', 'none');
			audit_request($zcdp, $figures, '0.5', 'public');
		}
		audit_request($pure, [ sort keys %audit ],
			2.7 * $limits->[1], 'none');
		audit_request($approx, $_, '200.0000000001', 'private', '0.000001')
		  foreach [ 'count', 'avg(x)' ], [ 'sum(n)', 'var(x)' ], ['sum(x)'];
		audit_request($approx, ['sum(n)'], '0.25', 'private', '0.3');
	}
}

# Digits beyond those of the account, and the least that there is.
my $pure = make_set(
	neighbours => 'add_remove', accounting => 'pure', groups => 1, rows => 1);
my $zcdp = make_set(
	neighbours => 'add_remove', accounting => 'zcdp', groups => 1, rows => 1);
foreach my $epsilon ('0.000000001', '0.0000123456789', '0.1000000001',
	'0.9999999999', '1023.9999999999')
{
	foreach my $set ($pure, $zcdp)
	{
		audit_request($set, ['count'], $epsilon, 'none');
	}
}

# A rest that is cut off is charged and not used.
foreach my $set ($pure, $zcdp)
{
	my ($line, @cost) = charging($set,
		"SELECT value FROM sdc.dp_query('$set', '{count}', 0.0000000019)");
	my ($right, $epsilon) = audit_count($line->[0][0], \@fact);

	ok( $right && $epsilon <= exactly('0.0000000019'),
		"$set: of 1.9 billionths at most as much is given away");
	ok($cost[0] + $cost[1] > 0, "$set: and something is charged");
}

# A share below what noise can be made for: refused, and free.
my $before = drawing(counters($pure));
my ($refused) = $node->psql('postgres',
	"SELECT * FROM sdc.dp_query('$pure', '{count,count}', 0.000000001)");
isnt($refused, 0, 'two figures cannot share a billionth');
is(drawing(counters($pure)), $before, 'and that costs nothing');

# ----------------------------------------------------------------------
# Histograms
# ----------------------------------------------------------------------

foreach my $name (sort keys %set)
{
	my $set = $set{$name};
	my $private = $set->{accounting} eq 'approx';
	my $in = !$private && $set->{groups} > 4 ? 4 : $set->{groups};
	my $times =
	  $set->{rows} * $in * ($set->{neighbours} eq 'replace' ? 2 : 1);
	my ($right, $sum, $threshold) = (0, exactly(0));

	my @line = split /\n/, drawing(
		"SELECT count FROM sdc.dp_histogram('$name', '{g}', 3"
		  . ($private ? ', delta => 0.01)' : ')'));
	(undef, undef, undef, $threshold) = drawn('threshold') if $private;
	foreach my $cell ($private ? (20, 20, 20) : (20, 20, 20, 0))
	{
		my ($scale, $noise) = laplace();

		$sum = most($sum, $times / $scale);
		next if $private && $cell + $noise < $threshold;
		$right += shift(@line) == $cell + $noise;
	}
	ok( !@line && !@draw && $sum <= 3 && $sum > 2.99
		  && ($private || $right == 4),
		"$name: a histogram gives away what was asked");
}

# ----------------------------------------------------------------------
# Synthetic tables: the steps say what was drawn, and that is what was asked
# ----------------------------------------------------------------------

# The delta of rho zero-concentrated privacy at epsilon: the least over all
# orders.
sub delta_of
{
	my ($rho, $epsilon) = @_;
	my ($least, $at) = (0, 0);

	foreach my $width (0.05, 0.001, 0.00001)
	{
		my $middle = $at;

		foreach my $n (-200 .. 200)
		{
			my $a = 1 + exp($middle + $n * $width);
			my $log = ($a - 1) * ($a * $rho - $epsilon) +
			  $a * POSIX::log1p(-1 / $a) - log($a - 1);

			($least, $at) = ($log, $middle + $n * $width) if $log < $least;
		}
	}
	return exp($least);
}

# Takes the draws of a step out of the log; what the step gives away.
sub audit_step
{
	my ($set, $step, $detail) = @_;
	my $sides = $set->{neighbours} eq 'replace' ? 2 : 1;

	if ($step eq 'choose')
	{
		my ($epsilon) = $detail =~ /epsilon is exactly (\S+?)\.$/;

		accepted();
		return (1, exactly($epsilon), exactly($epsilon)**2 / 8, 0);
	}
	my ($cells, $law, $numerator, $shift) =
	  $detail =~ /^(\d+) cells?; the (\w+) is exactly (\d+) \/ 2\^(\d+)\.$/
	  or die "step: $detail";
	my $size = exactly($numerator) / power_of_2($shift);
	my ($right, $noise) = (1, 0);

	foreach (1 .. $cells)
	{
		my (undef, $top, $bits, $value) =
		  drawn($law eq 'scale' ? 'laplace' : 'gaussian');

		$right = 0 if $top ne $numerator || $bits ne $shift;
		$noise += $value;
	}
	return ($right, $sides * $set->{rows} / $size,
		$sides * $set->{rows}**2 / (2 * $size), $noise);
}

sub audit_synthesis
{
	my ($name, $method, $columns, $epsilon, $delta) = @_;
	my $set = $set{$name};
	my $title = "$name: $method of $columns, epsilon $epsilon, delta $delta";
	my ($line, @cost) = charging($name,
		"SELECT step, detail FROM sdc.dp_synthesize('$name', 'pg_temp.made', "
		  . "$epsilon, $delta, '$method', '$columns', "
		  . q{params => '{"bins": 3}')});
	my ($pure, $rho, $noise) = (exactly(0), exactly(0), 0);
	my $all = 1;
	my $records;

	foreach (@$line)
	{
		my ($step, $detail) = @$_;

		($records) = $detail =~ /noisy number of records is (-?\d+);/
		  if $step eq 'write';
		next if $step ne 'choose' && $step ne 'measure';
		my ($right, @used) = audit_step($set, $step, $detail);
		$all &&= $right;
		$pure += $used[0];
		$rho += $used[1];
		$noise += $used[2];
	}
	ok($all && !@draw, "$title: the noise that the steps say, and no other");
	if ($set->{accounting} eq 'zcdp')
	{
		my $asked = exactly($epsilon)**2 / 2;

		ok($rho <= $asked && $rho > 0.999 * $asked && $cost[1] >= $asked,
			"$title: rho is what was asked and charged");
	}
	elsif ($delta > 0)
	{
		my $bound = delta_of($rho->numify, $epsilon);

		ok( $bound <= $delta && delta_of(1.01 * $rho->numify, $epsilon) > $delta,
			"$title: all of the rho that epsilon and delta hold")
		  or diag("$bound of $delta");
		ok( $cost[0] == exactly($epsilon) && $cost[2] == exactly($delta),
			"$title: epsilon and delta are charged");
	}
	else
	{
		ok( $pure <= exactly($epsilon)
			  && $pure > 0.999 * exactly($epsilon)
			  && $cost[0] == exactly($epsilon),
			"$title: epsilon is what was asked and charged")
		  or diag($pure->numify);
	}
	# of one column the noisy total is the sum of its noisy counts
	is($records, 60 + $noise, "$title: the answer holds this noise")
	  if $columns !~ /,/;
}

foreach my $neighbours ('add_remove', 'replace')
{
	foreach my $rows (1, 5)
	{
		my %as = (neighbours => $neighbours, groups => 1, rows => $rows);
		my $pure = make_set(%as, accounting => 'pure');
		my $approx = make_set(%as, accounting => 'approx');
		my $zcdp = make_set(%as, accounting => 'zcdp');

		foreach my $method ('independent', 'mst', 'aim')
		{
			audit_synthesis($pure, $method, 'm,n,v', '7.3205080', 0);
			audit_synthesis($approx, $method, 'm,n,v', '1.25', '0.00001');
			audit_synthesis($approx, $method, 'm,n', '3', 0);
			audit_synthesis($zcdp, $method, 'm,n,v', '2.5', 0);
		}
		audit_synthesis($pure, 'mst', 'm', 7.5, 0);
		audit_synthesis($approx, 'independent', 'm', 10, '0.000001');
	}
}

# ----------------------------------------------------------------------
# Aggregates and noise for one number: the epsilon of the argument
# ----------------------------------------------------------------------

my %call = (
	'count' => 'sdc.dp_count(%s)',
	'avg(x)' => "sdc.dp_avg(x, $low, $high, %s)",
	'sum(x)' => "sdc.dp_sum(x, $low, $high, %s)",
	'var(x)' => "sdc.dp_var(x, $low, $high, %s)",
	'stddev(x)' => "sdc.dp_stddev(x, $low, $high, %s)",
	'median(v)' => 'sdc.dp_median(v, 0, 64, %s)',
	'quantile(v, 0.75)' =>
	  'sdc.dp_quantile(0.75, 0, 64, %s) WITHIN GROUP (ORDER BY v)',
	'mode(m)' => "sdc.dp_mode(m, '{p,q,r,s,z}'::text[], %s)");

foreach my $neighbours ('add_remove', 'replace')
{
	foreach my $figure (sort keys %call)
	{
		# means of the least epsilon are at their bounds
		foreach my $epsilon (0.1, $figure eq 'mode(m)' ? 0.05 : 0.75,
			$figure =~ /^(avg|var|std)/ ? 0.05 : 2**-30)
		{
			my ($right, $given);
			my $call = sprintf $call{$figure}, sprintf '%.17g', $epsilon;

			foreach my $try (1 .. 100)
			{
				my $answer = drawing("SET sdc.dp_neighbours = $neighbours; "
					  . "SET extra_float_digits = 3; SELECT $call FROM facts");
				($right, $given) =
				  $audit{$figure}
				  ->($answer, \@fact, $neighbours eq 'replace');
				last if !$right || defined $given;
			}
			ok( $right && !@draw && $given <= of_double($epsilon)
				  && $given->numify > 0.6 * $epsilon,
				"$call, $neighbours: the noise is that of epsilon");
		}
	}
}

# The step of the grid is the noise in the answer over the noise drawn; what
# a rounded value changes by is one step more than whole ones, which for a
# small rho is as much as a thousandth.
sub audit_number
{
	my ($answer, $value, $by, $law) = @_;
	my (undef, $numerator, $shift, $noise) = drawn($law);
	my $size = exactly($numerator) / power_of_2($shift);
	my $step = 0;

	if (ref $by eq '')
	{
		return (1, undef) if $noise == 0;
		my $ratio = ($answer - $value) / $noise;
		return (0, undef) if $ratio <= 0;
		$step = POSIX::floor(log($ratio) / log(2) + 0.5);
		$by = exactly((of_double($by) / power_of_2($step))->bfloor + 1);
	}
	else
	{
		$by = $by->[0];
		return (0, undef) if $answer - $value != $noise;
	}
	return (1,
		$law eq 'laplace' ? $by / $size : exactly($by)**2 / (2 * $size));
}

foreach my $law ('laplace', 'gaussian')
{
	foreach my $number ([ '10::int', 10, [3] ], [ '10::bigint', 10, [70000] ],
		[ '1::float8', 1, 0.3 ], [ '1::float8', 1, 2**-20 ],
		[ '1::float8', 1, 12345.678 ])
	{
		foreach my $budget (0.1, 1, 2**-20)
		{
			my ($value, $is, $by) = @$number;
			my $text = sprintf '%.17g', $budget;
			my $change = ref $by ? $by->[0] : sprintf '%.17g', $by;
			my $type = (split /::/, $value)[1];
			my ($right, $given);

			foreach my $try (1 .. 100)
			{
				my $answer = drawing(
					"SET extra_float_digits = 3; SELECT sdc.$law($value, $change\::$type, $text)"
				);
				($right, $given) = audit_number($answer, $is, $by, $law);
				last if !$right || defined $given;
			}
			ok( $right && $given <= of_double($budget)
				  && $given->numify > 0.99 * $budget,
				"sdc.$law($value, $change, $budget): the noise is that of it")
			  or diag(defined $given ? $given->numify : 'none');
		}
	}
}

# Choices: scores 0, 1, ... times the sensitivity, so that the loss is known.
foreach my $variant ('permute_and_flip', 'exponential')
{
	foreach my $monotonic ('true', 'false')
	{
		foreach my $by (1, 0.3, 1000)
		{
			my $given;

			foreach my $try (1 .. 100)
			{
				my $scores = join ',', map { $_ * $by } 0 .. 4;
				my $chosen = drawing(
					"SELECT sdc.dp_choose('{0,1,2,3,4}'::int[], '{$scores}', "
					  . "$by, 0.1, $monotonic, '$variant')");
				my $rate = accepted();

				next if $chosen == 4;
				# the exponential mechanism loses what the sum of all weights
				# can change by, too, unless all scores move one way
				$given = ($monotonic eq 'true' ? 1 : 2) * $rate / (4 - $chosen);
				last;
			}
			ok( defined $given && $given <= of_double(0.1)
				  && $given->numify > 0.099999,
				"dp_choose, $variant, monotonic $monotonic, sensitivity $by")
			  or diag(defined $given ? $given->numify : 'none');
		}
	}
}

# Masks that are given no seed draw from the strong source alone.
$node->safe_psql('postgres', q{
	CREATE TABLE drawn AS SELECT i AS id, i % 7 AS a, i % 5 AS b, (i * 7919 % 1000)::float8 AS x,
		i % 3 AS ill FROM generate_series(1, 60) AS i;
	SELECT sdc.declare('drawn', id => 'id', keys => '{a,b}', sensitive => '{ill}', insensitive => '{x}')});
sub seeds_of
{
	my ($call) = @_;

	unlink $log;
	$node->safe_psql('postgres', "SELECT count(*) FROM $call AS f; DROP TABLE IF EXISTS made, made_sensitive");
	return -e $log ? scalar(() = slurp_file($log) =~ /^seed /mg) : 0;
}
foreach my $rule ('{"a": {"method": "rank_swap", "p": 20}}', '{"a": {"method": "shuffle"}}',
	'{"x": {"method": "add_noise", "alpha": 0.5}}', '{"a": {"method": "pram", "p": 30}}',
	'{"x": {"method": "round_to", "base": 10, "random": true}}', '{"*": {"method": "sample_rows", "p": 50}}')
{
	is(seeds_of("sdc.mask('drawn', '$rule', target => 'made')"), 0, "no stream of 64 bits: $rule");
	cmp_ok(seeds_of("sdc.mask('drawn', '$rule', target => 'made', seed => 5)"), '>', 0, 'but with a seed');
}
is(seeds_of($_), 0, "no stream of 64 bits: $_") foreach
  q{sdc.sample_rows('drawn', p => 50, target => 'made')},
  q{sdc.suppress('drawn', target => 'made', id => 'id', keys => '{a,b}', k => 3)},
  q{sdc.anatomize('drawn', 'made', l => 2)},
  q{sdc.synthesize('drawn', 'made')};

done_testing();
