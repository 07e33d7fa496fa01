# Random schemas of tables that belong together: what synthesize_tables makes of
# their rows is taken by the same schema, with every key and constraint.
#
# Keys that own, refer, may be NULL, are unique, lead to the own table or in a
# circle; links of two tables; lines numbered within their parent; CHECKs.  As
# many schemas as SDC_TEST_SCHEMAS says, 12 without it; 500 were run by hand.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;

my $schemas = $ENV{SDC_TEST_SCHEMAS} // 12;

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'));
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION sdc');
srand(23);

sub below { return int(rand($_[0])) }
sub one { return $_[ below(scalar @_) ] }

# Columns that are no keys: their definition, and an expression over i.
sub column
{
	my ($name) = @_;
	return one(
		[ "$name text", "(ARRAY['a','b','c','d'])[1 + (i * 7 + i / 3) % 4]" ],
		[ "$name int CHECK ($name BETWEEN 0 AND 50)", 'i * 13 % 51' ],
		[ "$name numeric(8,2) NOT NULL", 'i * 7919 % 10007 / 100.0' ],
		[ "$name boolean", 'CASE WHEN i % 4 > 0 THEN i % 3 = 0 END' ],
		[ "$name date", "date '2020-01-01' + i * 37 % 600" ],
		[ "$name int, ${name}_to int, CHECK (${name}_to >= $name)",
			'i * 11 % 40, i * 11 % 40 + i % 9' ]);
}

# Keys to tables before it, to itself, or to one that comes later.
sub keys_of
{
	my ($t, $tables, $rows) = @_;
	my (@columns, @late);
	return ([], []) if $t == 0;
	foreach my $n (1 .. 1 + below(2))
	{
		my $to = below($t);
		my $unique = rand() < 0.15 && $rows->[$t] <= $rows->[$to];
		my $not_null = rand() < 0.6;
		my $value =
			$unique ? 'i'
		  : rand() < 0.5 ? "1 + (i * 17 + i / 5) % $rows->[$to]"
		  : "1 + i * i % (1 + $rows->[$to] / 2)";
		$value = "CASE WHEN i % 5 > 0 THEN $value END" unless $not_null;
		push @columns,
		  [ "k$n" . one(' int', ' bigint')
			  . ($not_null ? ' NOT NULL' : '') . ($unique ? ' UNIQUE' : ''),
			$value, "FOREIGN KEY (k$n) REFERENCES %s.t$to (id)"
			  . one('', ' ON DELETE CASCADE') ];
	}
	push @columns,
	  [ 'own int', 'CASE WHEN i > 5 THEN i / 2 END',
		"FOREIGN KEY (own) REFERENCES %s.t$t (id)" ]
	  if rand() < 0.2;
	return (\@columns);
}

sub make_table
{
	my ($t, $rows) = @_;
	my ($keys) = keys_of($t, scalar @$rows, $rows);
	my @other = map { column("c$_") } 1 .. 1 + below(3);
	my @all = ([ 'id ' . one('int', 'bigint') . ' PRIMARY KEY', 'i' ],
		@$keys, @other);
	return {
		name => "t$t",
		define => join(', ', map { $_->[0] } @all),
		select => join(', ', map { $_->[1] } @all),
		foreign => [ map { $_->[2] // () } @all ],
		rows => $rows->[$t] };
}

# A link of two tables, or lines of one.
sub make_link
{
	my ($t, $rows) = @_;
	my ($a, $b) = (0, below($t));
	my @other = column('c1');
	return {
		name => "t$t",
		define => "a int NOT NULL, n int, $other[0][0], PRIMARY KEY (a, n)",
		select => "1 + i / 3 % $rows->[$a], 1 + i % 3 + 3 * (i / (3 * $rows->[$a])), $other[0][1]",
		foreign => ["FOREIGN KEY (a) REFERENCES %s.t$a (id) ON DELETE CASCADE"],
		rows => 150 } if rand() < 0.5;
	return {
		name => "t$t",
		define => 'a int REFERENCES %s.t0 (id) ON DELETE CASCADE, '
		  . "b int, $other[0][0], PRIMARY KEY (a, b)",
		select => "1 + i / 4 % $rows->[$a], 1 + (i * 3 + i / 4) % $rows->[$b], $other[0][1]",
		distinct => 1,
		foreign => ["FOREIGN KEY (b) REFERENCES %s.t$b (id)"],
		rows => 120 };
}

sub make_schema
{
	my $count = 2 + below(3);
	my @rows = map { 30 + below(120) } 1 .. $count;
	my @tables = map { make_table($_, \@rows) } 0 .. $count - 1;
	push @tables, make_link($count, \@rows) if rand() < 0.6;
	# a circle, through a key that may be NULL
	if (rand() < 0.3)
	{
		$tables[0]{define} .= ', back int';
		$tables[0]{select} .= ", CASE WHEN i % 2 = 0 THEN 1 + i % $rows[1] END";
		push @{ $tables[0]{foreign} },
		  'FOREIGN KEY (back) REFERENCES %s.t1 (id)';
	}
	return @tables;
}

sub define
{
	my ($schema, @tables) = @_;
	return join '', "CREATE SCHEMA $schema;\n",
	  map { "CREATE TABLE $schema.$_->{name} ("
		  . $_->{define} =~ s/%s/$schema/gr . ");\n" } @tables;
}

sub constrain
{
	my ($schema, @tables) = @_;
	return join '', map {
		my $table = $_;
		map { "ALTER TABLE $schema.$table->{name} ADD " . s/%s/$schema/gr . ";\n" }
		  @{ $table->{foreign} }
	} @tables;
}

my ($failed, $rows) = (0, 0);
foreach my $n (1 .. $schemas)
{
	my @tables = make_schema();
	my @names = map { $_->{name} } @tables;
	my $sql = "SET client_min_messages = warning;\n" . define('old', @tables);
	foreach my $table (@tables)
	{
		my $select = "SELECT $table->{select} FROM generate_series(1, $table->{rows}) AS i";
		# a link has a pair once
		$select = "SELECT DISTINCT ON (a, b) * FROM ($select) AS s (a, b)"
		  if $table->{distinct};
		$sql .= "INSERT INTO old.$table->{name} $select;\n";
	}
	$sql .= constrain('old', @tables);
	# given in any order
	my @given = sort { rand() <=> 0.5 } @names;
	$sql .= "CREATE SCHEMA made;\nSELECT count(*) FROM sdc.synthesize_tables('{"
	  . join(',', map { "old.$_" } @given) . "}', '{"
	  . join(',', map { "made.$_" } @given) . "}', seed => $n);\n";
	$sql .= define('new', @tables);
	$sql .= "INSERT INTO new.$_->{name} SELECT * FROM made.$_->{name};\n"
	  foreach @tables;
	$sql .= constrain('new', @tables);
	$sql .= 'SELECT ' . join(' + ', map { "(SELECT count(*) FROM new.$_)" } @names)
	  . ";\nDROP SCHEMA old, made, new CASCADE;\n";
	my ($out, $err) = ('', '');
	my $code = $node->psql('postgres', $sql, stdout => \$out, stderr => \$err,
		on_error_stop => 1);
	if ($code != 0)
	{
		$failed++;
		diag("schema $n: $err\n$sql");
		$node->safe_psql('postgres',
			'DROP SCHEMA IF EXISTS old, made, new CASCADE');
		last if $failed >= 3;
	}
	$rows += (split /\n/, $out)[-1] // 0;
}
is($failed, 0, "$schemas random schemas take their synthetic rows");
cmp_ok($rows, '>', 50 * $schemas, 'which are some');

# The numbers of children and what they share with their parents.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE home (id int PRIMARY KEY, kind text, rent int);
	INSERT INTO home SELECT i, CASE WHEN i % 3 = 0 THEN 'flat' ELSE 'house' END,
		500 + i % 3 * 200 + i * 7919 % 100 FROM generate_series(1, 6000) AS i;
	CREATE TABLE person (id int PRIMARY KEY,
		home int NOT NULL REFERENCES home ON DELETE CASCADE, age int, role text);
	INSERT INTO person SELECT row_number() OVER (ORDER BY h.id, k), h.id,
		CASE WHEN k <= 2 THEN 25 + (h.id * 31 + k) % 40 ELSE h.id * 17 % 18 END,
		CASE WHEN k <= 2 THEN 'adult' ELSE 'child' END
		FROM home AS h, generate_series(1,
			CASE WHEN kind = 'flat' THEN h.id % 2 ELSE 2 + h.id % 4 END) AS k;
	SELECT count(*) FROM sdc.synthesize_tables('{person,home}',
		'{made_person,made_home}', seed => 5)});
my $counts = q{SELECT kind, n, count(*)::float8 / 6000 AS share
	FROM (SELECT h.kind, count(p.id) AS n FROM %shome AS h
		LEFT JOIN %sperson AS p ON p.home = h.id GROUP BY h.id, h.kind) AS c
	GROUP BY kind, n};
my $across = q{SELECT kind, role, age / 10 AS age, count(*)::float8 /
		(SELECT count(*) FROM %sperson) AS share
	FROM %shome AS h JOIN %sperson AS p ON p.home = h.id
	GROUP BY kind, role, age / 10};
foreach my $case ([ 'children', $counts, 'kind, n' ],
	[ 'columns across the key', $across, 'kind, role, age' ])
{
	my ($name, $query, $using) = @$case;
	my $old = $query =~ s/%s//gr;
	my $new = $query =~ s/%s/made_/gr;
	my $distance = $node->safe_psql('postgres',
		"SELECT sum(abs(coalesce(a.share, 0) - coalesce(b.share, 0))) / 2 "
		  . "FROM ($old) AS a FULL JOIN ($new) AS b USING ($using)");
	cmp_ok($distance, '<', 0.05, "$name are distributed as in the original");
}
is( $node->safe_psql(
		'postgres', q{SELECT count(*) FROM made_person AS p
			WHERE NOT EXISTS (SELECT FROM made_home AS h WHERE h.id = p.home)}),
	0, 'there are no orphans');

# The same seed makes the same tables, in whatever order the rows lie.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE home2 (LIKE home INCLUDING ALL);
	INSERT INTO home2 SELECT * FROM home ORDER BY md5(id::text);
	CREATE TABLE person2 (LIKE person INCLUDING ALL,
		FOREIGN KEY (home) REFERENCES home2 ON DELETE CASCADE);
	INSERT INTO person2 SELECT * FROM person ORDER BY md5(id::text);
	SELECT count(*) FROM sdc.synthesize_tables('{person2,home2}',
		'{made_person2,made_home2}', seed => 5)});
is( $node->safe_psql(
		'postgres',
		'SELECT count(*) FROM ((TABLE made_person EXCEPT TABLE made_person2) '
		  . 'UNION ALL (TABLE made_person2 EXCEPT TABLE made_person)) AS d'),
	0, 'a seed gives the same children');

# What cannot be kept is refused, before anything is written.
my %refused = (
	'CREATE TABLE a (x int, y int, PRIMARY KEY (x, y)); CREATE TABLE b (x int, y int, v int, FOREIGN KEY (x, y) REFERENCES a)'
	  => qr/(of several columns|cannot be kept)/,
	"CREATE TABLE a (id text PRIMARY KEY, v int); CREATE TABLE b (a text REFERENCES a, v int)"
	  => qr/no whole number/,
	'CREATE TABLE a (id int PRIMARY KEY, b int NOT NULL); CREATE TABLE b (id int PRIMARY KEY, a int NOT NULL REFERENCES a); ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES b'
	  => qr/form a circle/,
	'CREATE TABLE a (id int PRIMARY KEY, v int, w int, UNIQUE (v, w)); CREATE TABLE b (a int REFERENCES a)'
	  => qr/unique index "a_v_w_key" of "a" cannot be kept/);
foreach my $define (sort keys %refused)
{
	my ($out, $err) = ('', '');
	$node->psql('postgres',
		"BEGIN; CREATE SCHEMA refused; SET search_path = refused; $define; "
		  . q{SELECT count(*) FROM sdc.synthesize_tables('{a,b}', '{made_a,made_b}')},
		stderr => \$err);
	like($err, $refused{$define}, 'refused: ' . substr($define, 0, 60));
}

done_testing();
