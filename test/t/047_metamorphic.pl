# The same rows in another guise give the same answer, to the last bit: in
# another order, in partitions, behind a view, on a foreign server, with other
# columns around, with indexes, counted in another way, with more workers.
# Every function on a relation is asked (SdcCalls.pm), what it returns is
# compared row by row, and so is the table that it writes.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcCalls qw(%on_relation rows);

# Not asked: they store something about the relation, or these rows do not do
# for them.
my %stores = map { $_ => 1 } qw(attack_joined attack_minimality check_release release_values release_rows create_dataset
  create_policy declare declared declared_nulls), 'mask (in place)';

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "jit = off\nmax_worker_processes = 16");
$node->start;
my ($host, $port) = ($node->host, $node->port);
# As few as will do, thinly spread: workers take turns by pages.
my $rows = rows(120);
my $thin = 'WITH (fillfactor = 10)';

$node->safe_psql(
	'postgres', qq{
	CREATE EXTENSION sdc;
	CREATE EXTENSION postgres_fdw;
	CREATE SERVER near FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host '$host', port '$port', dbname 'postgres');
	CREATE USER MAPPING FOR PUBLIC SERVER near;
	SELECT sdc.create_hierarchy('tens', 'interval', '{"levels": [[25], []]}');
	SELECT sdc.create_strategy('kept', 'age', '{0}', params => '{"suppression": 100}');
	CREATE SCHEMA plain;
	CREATE TABLE plain.people AS $rows;
	CREATE SCHEMA permuted;
	CREATE TABLE permuted.people $thin AS TABLE plain.people ORDER BY md5(id::text);
	CREATE SCHEMA parted;
	CREATE TABLE parted.people (LIKE plain.people) PARTITION BY HASH (id);
	CREATE TABLE parted.people_0 PARTITION OF parted.people
		FOR VALUES WITH (MODULUS 3, REMAINDER 0) $thin;
	CREATE TABLE parted.people_1 PARTITION OF parted.people
		FOR VALUES WITH (MODULUS 3, REMAINDER 1) $thin;
	CREATE TABLE parted.people_2 PARTITION OF parted.people
		FOR VALUES WITH (MODULUS 3, REMAINDER 2) $thin;
	INSERT INTO parted.people TABLE plain.people;
	CREATE SCHEMA seen;
	CREATE VIEW seen.people AS
		SELECT id, age, sex, income, disease, at, pieces, buyer
		FROM permuted.people;
	CREATE SCHEMA far;
	CREATE FOREIGN TABLE far.people (id int, age int, sex int, income float8,
		disease text, at date, pieces int, buyer int)
	SERVER near OPTIONS (schema_name 'plain', table_name 'people');
	CREATE SCHEMA shard;
	CREATE TABLE shard.people_1 AS SELECT * FROM parted.people_1;
	CREATE TABLE shard.people_2 AS SELECT * FROM parted.people_2;
	CREATE SCHEMA spread;
	CREATE TABLE spread.people (LIKE plain.people) PARTITION BY HASH (id);
	CREATE TABLE spread.people_0 PARTITION OF spread.people
		FOR VALUES WITH (MODULUS 3, REMAINDER 0);
	CREATE FOREIGN TABLE spread.people_1 PARTITION OF spread.people
		FOR VALUES WITH (MODULUS 3, REMAINDER 1)
		SERVER near OPTIONS (schema_name 'shard', table_name 'people_1');
	CREATE FOREIGN TABLE spread.people_2 PARTITION OF spread.people
		FOR VALUES WITH (MODULUS 3, REMAINDER 2)
		SERVER near OPTIONS (schema_name 'shard', table_name 'people_2');
	INSERT INTO spread.people_0 SELECT * FROM parted.people_0;
	CREATE SCHEMA scaled;
	CREATE TABLE scaled.people AS
		SELECT id, age, sex, 1024 * income AS income, disease, at, pieces, buyer
		FROM permuted.people;
	CREATE SCHEMA lived;
	CREATE TABLE lived.people (gone text, id int PRIMARY KEY, age int, sex int,
		left_too int, income float8, disease text, at date, pieces int,
		buyer int) WITH (fillfactor = 20);
	INSERT INTO lived.people
		SELECT 'x', id, age, sex, 1, income, disease, at, pieces, buyer
		FROM plain.people;
	ALTER TABLE lived.people DROP COLUMN gone, DROP COLUMN left_too;
	UPDATE lived.people SET age = age WHERE id % 3 = 0;
	CREATE INDEX ON lived.people (age, sex);
	SELECT sdc.declare(people::regclass, id => 'id')
	FROM unnest('{plain.people,permuted.people,parted.people,seen.people,far.people,spread.people,lived.people,scaled.people}'::text[]) AS people;
	ANALYZE});

# The name of a function, and whether it draws.
my %draws = map { $_ => 1 } split /\n/, $node->safe_psql(
	'postgres', q{
	SELECT proname FROM pg_proc
	WHERE pronamespace = 'sdc'::regnamespace AND 'seed' = ANY (proargnames)});

# The call on the table of a schema, seeded.
# With an id, as without one rows of equal values are those of no order.
sub call
{
	my ($name, $schema) = @_;
	my $call = $on_relation{$name} =~ s/%r/'$schema.people'::regclass/gr;
	my $function = $name =~ s/ .*//r;

	$call =~ s/'made'\)$/'made', p => 10)/ if $name eq 'sample_rows';
	$call =~ s/\)$/, seed => 1)/ if $draws{$function};
	return $call;
}

my $settings = "SET client_min_messages = error;\nSET sdc.progress_interval = 0;\n"
  . "SET sdc.allow_views = on;\n";
my %workers = (
	none => 'SET max_parallel_workers_per_gather = 0;',
	map {
		($_ => "SET max_parallel_workers_per_gather = $_;"
			  . 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;'
			  . 'SET min_parallel_table_scan_size = 0;')
	} 2, 8);

# What each call returns and writes: lines, sorted, names of schemas left out.
sub answers
{
	my ($schema, $more, @names) = @_;
	my $sql = $settings . $more;
	my @answer;

	foreach my $name (@names)
	{
		my $call = call($name, $schema);
		my $made = $call =~ /'made'/ && $call !~ /dry_run/;

		$sql .= "BEGIN;\n\\echo <<<\nSELECT a::text FROM $call AS a "
		  . "ORDER BY a::text COLLATE \"C\";\n";
		$sql .= "UPDATE made SET income = income / 1024;\n"
		  if $made && $schema eq 'scaled' && $name ne 'risk_records_into';
		$sql .= "SELECT to_jsonb(made) FROM made ORDER BY 1;\n" if $made;
		$sql .= "ROLLBACK;\n";
	}
	my ($out, $error);
	$node->psql('postgres', $sql, on_error_stop => 0, stdout => \$out,
		stderr => \$error);
	is($error, '', "$schema: no call fails");
	$out =~ s/\b(plain|permuted|parted|seen|far|spread|lived|scaled)\.//g;
	# how long it took is another story
	@answer = split /^<<<\n?/m, $out;
	shift @answer;
	return map { my $name = $names[$_]; ($name => unhurried($name, $answer[$_])) }
	  0 .. $#names;
}

# Of what a writer says, the seconds and the statement, which says how the
# relation is read, are left out, what depends on the relation or is part of
# it, and examples, which are of the rows that come first.
sub unhurried
{
	my ($name, $answer) = @_;

	return $answer unless $on_relation{$name} =~ /'made'/;
	return join "\n", sort map { s/"SELECT .*"|,\d+(\.\d+)?(e-\d+)?,/,,/gr }
	  grep { !/^\((constraint|example|index|partition|view),/ } split /\n/, $answer;
}

my @names = grep { !$stores{$_} } sort keys %on_relation;
# A view cannot be masked.
my @names_seen = grep { !/^(mask|sample_rows|frontier)/ } @names;
# Some show incomes, or draw numbers that hang on the values as well.
my @names_scaled =
  grep { !/^(mask|frontier|anonymize_itemsets|anatomize|show_table|synthesize)/ } @names;
my %plain = answers('plain', $workers{none}, @names);
my @guises = (
	[ 'again', 'plain', $workers{none} ],
	[ 'rows in another order', 'permuted', $workers{none} ],
	[ 'partitions', 'parted', $workers{none} ],
	[ 'a view', 'seen', $workers{none} ],
	[ 'a foreign table', 'far', $workers{none} ],
	[ 'partitions on other servers', 'spread', $workers{none} ],
	[ 'partitions on other servers, which count', 'spread', 'SET enable_partitionwise_aggregate = on;' ],
	[ 'columns dropped, rows updated', 'lived', $workers{none} ],
	[ 'incomes in other units', 'scaled', $workers{none} ],
	[ 'counted by rows', 'plain', "SET sdc.count_with = 'rows';" ],
	[ 'counted by groups', 'plain', "SET sdc.count_with = 'groups';" ],
	[ 'two workers', 'permuted', $workers{2} ],
	[ 'eight workers', 'parted', $workers{8} ]);

foreach my $guise (@guises)
{
	my ($what, $schema, $more) = @$guise;
	my @asked =
		$schema eq 'seen' ? @names_seen
	  : $schema eq 'scaled' ? @names_scaled
	  : @names;
	my %answer = answers($schema, $more, @asked);

	foreach my $name (@asked)
	{
		my %expected = map { $_ => 1 } split /\n/, $plain{$name};
		my %got = map { $_ => 1 } split /\n/, $answer{$name};

		ok($answer{$name} eq $plain{$name}, "$name: $what")
		  or diag(map({ "- $_\n" } grep { !$got{$_} } sort keys %expected),
			map { "+ $_\n" } grep { !$expected{$_} } sort keys %got);
	}
}

# They do answer.
cmp_ok(length $plain{$_}, '>', 0, "$_ returns something")
  foreach grep { $_ ne 'attack_table' } @names; # no cell is hidden

$node->stop;
done_testing();
