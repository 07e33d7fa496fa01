#!/usr/bin/env perl
#
# speed.pl [--large]: what sdc costs beside the least that PostgreSQL itself
# has to do for the same work.  Run by bench.sh inside a throw-away cluster.
#
# Prints one table, and writes it to bench/speed.csv and, as a picture, to
# bench/speed.svg.  Works and their floors run in turn, each in a session of
# its own, SDC_BENCH_ROUNDS (5) times, with 100,000 and 1,000,000 rows, with
# --large 10,000,000 as well.  Seconds are CPU seconds of all processes of the
# server that worked for the session, the median of the rounds; growth is that
# of sdc from the rows before to these, 1.0 where time grows as the rows do;
# memory is what the session's process touched without shared buffers.

use strict;
use warnings;
use POSIX qw(sysconf _SC_CLK_TCK);

my $rounds = $ENV{SDC_BENCH_ROUNDS} || 5;
my @sizes = split /,/, $ENV{SDC_BENCH_ROWS} || '100000,1000000';
push @sizes, 10_000_000 if grep { $_ eq '--large' } @ARGV;
my $pattern = $ENV{SDC_BENCH_ONLY} || '.';
my $hertz = sysconf(_SC_CLK_TCK);
my $out = "$ENV{SDC_ROOT}/bench";
my $postmaster = (split /\n/, slurp("$ENV{SDC_TEMPORARY}/data/postmaster.pid"))[0];

sub slurp
{
	my ($name) = @_;
	open my $file, '<', $name or die "$name: $!\n";
	local $/;
	return <$file>;
}

# ---------------------------------------------------------------------------
# The works.

my %rule = (
	rank_swap => '"income": {"method": "rank_swap", "p": 5}',
	microaggregate => '"rent": {"method": "microaggregate", "k": 5}',
	add_noise => '"hours": {"method": "add_noise", "alpha": 0.1}',
	pram => '"sector": {"method": "pram", "p": 80}',
	top_code => '"age": {"method": "top_code", "upper": 75}',
	mask_text => '"zip": {"method": "mask_text", "keep": 3}',
	shuffle => '"region": {"method": "shuffle"}',
	generalize => '"born": {"method": "generalize", "hierarchy": "born", "level": 2}',
	pseudonym => '"zip": {"method": "pseudonym", "domain": "bench"}',
	round_to => '"rent": {"method": "round_to", "base": 10}',
	null => '"note": {"method": "null"}');
my $six = join ', ', @rule{qw(rank_swap microaggregate add_noise pram top_code mask_text)};
my $noise = '"rent": {"method": "add_noise", "alpha": 0.1}';
my $email = '"email": {"method": "mask_text", "keep": 1}';
my $seven = join ', ', @rule{qw(rank_swap generalize pseudonym pram null)}, $noise, $email;
my $in_place = join ', ', @rule{qw(rank_swap pseudonym pram null top_code)}, $noise, $email;
my $by_value = join ', ', @rule{qw(generalize mask_text round_to top_code)};
my $copy = 'CREATE TABLE made AS SELECT * FROM people';
my $update = q{UPDATE updated SET income = income + 1, rent = rent + 1,
	age = age + 1, email = email || 'x', zip = zip || 'x', sector = sector || 'x', note = NULL};
my $workers = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0';
# a column of 1,000,000 rows does not fit
my $little = q{SET max_parallel_workers_per_gather = 0; SET sdc.memory_limit = '32MB'};
my $keys = 'age, sex, region';

sub copied
{
	my ($rules) = @_;
	return "SELECT * FROM sdc.mask('people', '{$rules}', target => 'made', seed => 1)";
}

# Every copy is in random order; this one is nothing else.
my $order = 'copy: no rule, random order';

# name, floor, work, how many times the floor it may cost, settings; a work
# that is not there is the one of that name less what the order costs
my @works = (
	[ 'copy: six rules', $copy, copied($six), 2.5 ],
	[ 'copy: six rules, less order', $copy, undef, 2.5 ],
	[ 'copy: seven rules', $copy, copied($seven), 3 ],
	[ 'copy: seven rules, less order', $copy, undef, 3 ],
	[ $order, $copy, copied('"age": {"method": "keep"}'), 1.8 ],
	(map { [ "copy: $_", $copy, copied($rule{$_}), 2 ] } sort keys %rule),
	[ 'copy: rank_swap in files', $copy, copied($rule{rank_swap}), 2, $little ],
	[ 'in place: seven rules', $update,
		"SELECT * FROM sdc.mask('updated', '{$in_place}', seed => 1)", 1.5 ],
	[ 'release, no attack', copied($by_value) =~ s/people/persons/r,
		"CALL sdc.release('bench', target => 'made')", 1.3 ],
	[ 'risk_report', "SELECT $keys, count(*) FROM people GROUP BY $keys",
		"SELECT * FROM sdc.risk_report('people', '{$keys}')", 1.1 ],
	[ 'risk_report, 2 workers', "SELECT $keys, count(*) FROM people GROUP BY $keys",
		"SELECT * FROM sdc.risk_report('people', '{$keys}')", 1.1, $workers ],
	[ 'suggest, 12 columns', "SELECT $keys, sector, count(*) FROM people GROUP BY $keys, sector",
		"SELECT * FROM sdc.suggest('people')", 3 ],
	[ 'utility_report, 3 columns',
		'SELECT avg(p.income - m.income), avg(p.rent - m.rent), avg(p.hours - m.hours) FROM people p JOIN masked m USING (id)',
		"SELECT * FROM sdc.utility_report('people', 'masked', 'id', '{income, rent, hours}')", 2 ],
	[ 'dp_count', 'SELECT count(*) FROM people', 'SELECT sdc.dp_count(1) FROM people', 1.3 ],
	[ 'dp_sum', 'SELECT sum(income) FROM people',
		'SELECT sdc.dp_sum(income, 0, 1e5, 1) FROM people', 1.3 ],
	[ 'dp_median', 'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY income) FROM people',
		'SELECT sdc.dp_median(income, 0, 1e5, 1) FROM people', 1 ],
	[ 'dp_sum, 2 workers', 'SELECT sum(income) FROM people',
		'SELECT sdc.dp_sum(income, 0, 1e5, 1) FROM people', 1.3, $workers ],
	[ 'information_loss', 'SELECT stddev(income), avg(abs(income - rent)) FROM people',
		'SELECT sdc.information_loss(income, rent) FROM people', 1.5 ]);
@works = grep { defined $_->[2] ? $_->[0] =~ /$pattern/ : $pattern eq '.' } @works;

# ---------------------------------------------------------------------------
# Measuring.

sub psql
{
	my ($script) = @_;
	my $name = "$ENV{SDC_TEMPORARY}/speed.sql";
	open my $file, '>', $name or die "$name: $!\n";
	print $file $script;
	close $file;
	my $said = `psql -XAtq -v ON_ERROR_STOP=1 -f '$name' 2>&1`;
	die "failed: $said\n$script" if $? != 0;
	return $said;
}

sub prepare
{
	my ($rows) = @_;
	psql(<<"SQL");
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS sdc;
SELECT sdc.create_hierarchy('born', 'date', '{"levels": ["month", "year"]}')
WHERE NOT EXISTS (SELECT FROM sdc.hierarchy);
DROP TABLE IF EXISTS people, persons, updated, masked;
SELECT setseed(0.5);
CREATE TABLE people AS
SELECT i AS id, (20 + 60 * random())::int AS age, (random() < 0.5)::int AS sex,
	   'r' || floor(17 * random()) AS region, 1e5 * random() AS income,
	   1e4 * random() AS rent, 60 * random() AS hours,
	   's' || floor(12 * random()) AS sector,
	   lpad((1e5 * random())::int::text, 5, '0') AS zip,
	   date '1950-01-01' + (20000 * random())::int AS born,
	   'user' || i || '\@mail.example' AS email, md5(i::text) AS note
FROM generate_series(1, $rows) AS i;
ALTER TABLE people ADD PRIMARY KEY (id);
SELECT sdc.drop_policy('bench') WHERE EXISTS (SELECT FROM sdc.policy WHERE policy = 'bench');
CREATE TABLE persons AS SELECT id, age, sex, region, income, rent, hours, sector, zip, born FROM people;
SELECT sdc.declare('persons', keys => '{$keys}',
	insensitive => '{id, income, rent, hours, sector, zip, born}');
SELECT sdc.create_policy('bench', 'persons', '{$by_value}',
	'[{"measure": "k_anonymity", ">=": 1}]', '{"attacks": []}');
CREATE TABLE updated AS TABLE people;
ALTER TABLE updated ADD PRIMARY KEY (id);
SELECT count(*) FROM sdc.mask('people', '{$six}', target => 'masked', seed => 1);
VACUUM ANALYZE people, persons, updated, masked;
CHECKPOINT;
SQL
}

# Runs a statement; returns CPU seconds and the peak in MB.
sub session
{
	my ($statement, $settings) = @_;
	$settings = 'SET max_parallel_workers_per_gather = 0' if !defined $settings;
	my $reaped = "`awk '{ sub(/.*\\) /, \"\"); print \$14 + \$15 }' /proc/$postmaster/stat`";
	my ($before, $own, $peak, $after) = split ' ', psql(<<"SQL");
SET client_min_messages = error;
SET sdc.progress_interval = 0;
SET jit = off;
SET work_mem = '64MB';
$settings;
SELECT pg_backend_pid() AS pid, pg_sleep(0.1) \\gset
\\set before $reaped
\\o /dev/null
$statement;
\\o
\\set own `awk '{ sub(/.*\\) /, ""); print \$12 + \$13 }' /proc/:pid/stat`
\\set peak `awk '/^(VmHWM|RssShmem)/ { m[\$1] = \$2 } END { print m["VmHWM:"] - m["RssShmem:"] }' /proc/:pid/status`
SELECT pg_sleep(0.1) \\g /dev/null
\\set after $reaped
\\echo :before :own :peak :after
SQL
	psql('DROP TABLE IF EXISTS made');
	# children of the postmaster that went meanwhile: parallel workers
	return (($own + $after - $before) / $hertz, $peak / 1024);
}

sub median
{
	my @sorted = sort { $a <=> $b } @_;
	return $sorted[ $#sorted / 2 ];
}

# All works with a number of rows: [floor, sdc, peak] by name.
sub measure
{
	my ($rows) = @_;
	my (%seconds, %peak, %result);

	prepare($rows);
	for my $round (1 .. $rounds)
	{
		for my $work (@works)
		{
			my ($name, $floor, $own, undef, $settings) = @$work;
			my $key = $floor . ($settings // '');

			next if !defined $own;
			psql('VACUUM FULL updated') if $name =~ /in place/;
			if ((scalar @{ $seconds{$key} // [] }) < $round)
			{
				push @{ $seconds{$key} }, (session($floor, $settings))[0];
			}
			psql('VACUUM FULL updated') if $name =~ /in place/;
			my ($cpu, $mb) = session($own, $settings);
			push @{ $seconds{$name} }, $cpu;
			push @{ $peak{$name} }, $mb;
		}
	}
	for my $work (grep { defined $_->[2] } @works)
	{
		my $key = $work->[1] . ($work->[4] // '');
		$result{ $work->[0] } = [
			median(@{ $seconds{$key} }),
			median(@{ $seconds{ $work->[0] } }),
			median(@{ $peak{ $work->[0] } }) ];
	}
	for my $work (grep { !defined $_->[2] } @works)
	{
		my ($floor, $own, $mb) = @{ $result{ $work->[0] =~ s/, less order$//r } };

		$result{ $work->[0] } =
		  [ $floor, $own - ($result{$order}[1] - $floor), $mb ];
	}
	return \%result;
}

# ---------------------------------------------------------------------------
# Table, file and picture.

sub picture
{
	my ($rows, $result) = @_;
	my ($left, $width, $line, $most) = (230, 420, 20, 4);
	my $height = 60 + $line * @works;
	my $scale = $width / $most;
	my $y = 50;
	my $svg = qq{<svg xmlns="http://www.w3.org/2000/svg" width="@{[$left + $width + 60]}" height="$height" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="white"/>
<text x="10" y="20" font-size="14">CPU time beside PostgreSQL's own work, @{[commas($rows)]} rows (1 = the same)</text>
};

	for my $tick (0 .. $most)
	{
		my $x = $left + $tick * $scale;
		my $ink = $tick == 1 ? '#444' : '#ddd';
		$svg .= qq{<line x1="$x" y1="32" x2="$x" y2="@{[$height - 8]}" stroke="$ink"/><text x="$x" y="44" text-anchor="middle" fill="#666">$tick</text>\n};
	}
	for my $work (@works)
	{
		my ($name, undef, undef, $target) = @$work;
		my ($floor, $own) = @{ $result->{$name} };
		my $ratio = $own / ($floor || 0.01);
		my $bar = $scale * ($ratio > $most ? $most : $ratio);
		my $mark = $left + $scale * $target;
		my $text = $left + $bar + 6;
		# not across the mark
		$text = $mark + 6 if $mark > $text - 6 && $mark < $text + 28;
		my $ink = $ratio <= $target ? '#4878a8' : '#c06040';
		$svg .= qq{<text x="@{[$left - 8]}" y="@{[$y + 12]}" text-anchor="end">$name</text>}
		  . qq{<rect x="$left" y="@{[$y + 2]}" width="@{[sprintf '%.1f', $bar]}" height="13" fill="$ink"/>}
		  . ($target <= $most ? qq{<line x1="$mark" y1="$y" x2="$mark" y2="@{[$y + 17]}" stroke="black" stroke-width="2"/>} : '')
		  . qq{<text x="@{[sprintf '%.1f', $text]}" y="@{[$y + 12]}">@{[sprintf '%.2f', $ratio]}</text>\n};
		$y += $line;
	}
	$svg .= "</svg>\n";
	write_file("$out/speed.svg", $svg);
}

sub write_file
{
	my ($name, $text) = @_;
	open my $file, '>', $name or die "$name: $!\n";
	print $file $text;
	close $file;
}

sub commas
{
	my $text = reverse shift;
	$text =~ s/(\d{3})(?=\d)/$1,/g;
	return scalar reverse $text;
}

my $csv = "work,rows,floor_cpu_seconds,sdc_cpu_seconds,ratio,target,growth,peak_mb\n";
my $before;
printf "%-32s %10s %8s %8s %6s %6s %6s %7s\n", 'work', 'rows', 'floor s', 'sdc s',
  'ratio', 'target', 'growth', 'peak MB';
for my $i (0 .. $#sizes)
{
	my $result = measure($sizes[$i]);
	for my $work (@works)
	{
		my ($name, undef, undef, $target) = @$work;
		my ($floor, $own, $peak) = @{ $result->{$name} };
		my $growth = '';
		if ($before && $before->{$name}[1] > 0)
		{
			$growth = sprintf '%.2f',
			  $own / $before->{$name}[1] / ($sizes[$i] / $sizes[ $i - 1 ]);
		}
		my @cells = (
			$name, $sizes[$i],
			(map { sprintf '%.2f', $_ } $floor, $own),
			sprintf('%.2f', $own / ($floor || 0.01)),
			$target, $growth, sprintf('%.0f', $peak));
		printf "%-32s %10d %8s %8s %6s %6s %6s %7s\n", @cells;
		$csv .= join(',', map { /,/ ? qq{"$_"} : $_ } @cells) . "\n";
	}
	$before = $result;
	picture($sizes[$i], $result);
}
write_file("$out/speed.csv", $csv);
print "kept as bench/speed.csv, drawn as bench/speed.svg\n";
