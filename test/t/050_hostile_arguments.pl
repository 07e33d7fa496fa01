# Whatever a function is called with, it says what is wrong in an error with a
# code of its own: it never crashes, and never ends in an internal error.
#
# Every call of SdcCalls.pm is made on relations of every odd kind, and with
# each of its arguments replaced in turn by values of every odd kind; then as
# it is, in a cursor that is left, in a read-only transaction, with little
# memory, and cancelled.  SDC_FUZZ=1 makes all of these calls, without it every
# seventh is made.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;
use SdcCalls qw(%on_relation rows);

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'));
$node->init;
$node->append_conf('postgresql.conf', "jit = off\nlog_min_messages = fatal");
$node->start;
my $rows = rows(60);
$node->safe_psql(
	'postgres', qq{
	CREATE EXTENSION sdc;
	SELECT sdc.create_hierarchy('tens', 'interval', '{"levels": [[25], []]}');
	SELECT sdc.create_strategy('kept', 'age', '{0}', params => '{"suppression": 100}');
	CREATE SCHEMA odd;
	SET search_path = odd, public;
	CREATE TABLE people AS $rows;
	CREATE TABLE nobody (LIKE people);
	CREATE TABLE one AS TABLE people LIMIT 1;
	CREATE TABLE twice AS SELECT * FROM people, (VALUES (1), (2)) AS v (again);
	CREATE TABLE unknown AS SELECT NULL::int AS id, NULL::int AS age,
		NULL::int AS sex, NULL::float8 AS income, NULL::text AS disease,
		NULL::date AS at, NULL::int AS pieces, NULL::int AS buyer
		FROM generate_series(1, 9);
	CREATE TABLE bounds AS SELECT id, CASE id % 3 WHEN 0 THEN 2147483647
			WHEN 1 THEN -2147483648 END::int AS age, sex,
		(ARRAY['NaN', 'Infinity', '-Infinity', '-0', '1e308', '-1e308', '5e-324'])[1 + id % 7]::float8 AS income,
		repeat(chr(1 + id), 5000) AS disease,
		(ARRAY['infinity', '-infinity', '4713-01-01 BC', '5874897-12-31'])[1 + id % 4]::date AS at,
		pieces, buyer FROM people;
	CREATE TABLE odd_types AS SELECT md5(id::text)::uuid AS id,
		jsonb_build_array(age) AS age, point(sex, sex) AS sex,
		(ARRAY['NaN', '1e100', '0.000000000000000000001'])[1 + id % 3]::numeric AS income,
		disease::bytea AS disease, at - date '2020-01-01' || ' days' AS at,
		ARRAY[pieces, NULL] AS pieces, box(point(buyer, 1), point(1, 2)) AS buyer FROM people;
	CREATE TABLE intervals AS SELECT id, age * interval '1 day' AS age,
		sex::bit(3) AS sex, '1'::money AS income, '<a/>'::text AS disease,
		int4range(1, id) AS at, 'a=>b'::text AS pieces, inet '10.0.0.1' + id AS buyer
		FROM people;
	CREATE TABLE no_columns ();
	INSERT INTO no_columns DEFAULT VALUES;
	CREATE TABLE "so ""odd"" 'ä" AS SELECT *, 1 AS "a ""b"" 'c", 2 AS "select" FROM people;
	CREATE VIEW failing AS SELECT 1 / (id - 30) AS id, age, sex, income,
		disease, at, pieces, buyer FROM people;
	CREATE MATERIALIZED VIEW kept AS TABLE people;
	CREATE TABLE parts (LIKE people) PARTITION BY LIST (sex);
	CREATE SEQUENCE numbers;
	CREATE INDEX listed ON people (age);
	CREATE TYPE pair AS (id int, age int);
	ALTER TABLE odd_types ADD composite pair;
	CREATE FUNCTION try(sql text) RETURNS text LANGUAGE plpgsql AS \$\$
	BEGIN
		EXECUTE sql;
		RAISE EXCEPTION USING ERRCODE = 'GOOD0';
	EXCEPTION
		WHEN query_canceled THEN RETURN SQLSTATE;
		WHEN OTHERS THEN
			RETURN concat_ws(' ', SQLSTATE, CASE WHEN SQLSTATE ~ '^XX' THEN SQLERRM END);
	END \$\$});

my @relation = qw(nobody one twice unknown bounds odd_types intervals
  no_columns failing kept parts numbers listed pair pg_catalog.pg_class
  pg_catalog.pg_stats information_schema.tables);
push @relation, q{"so ""odd"" ''ä"};

my $deep = '{"a": ' x 3000;
my @value = (
	'NULL', q{''}, q{'{}'}, q{'[]'}, q{'null'}, q{'{NULL}'},
	q{'{{id,age},{sex,id}}'}, q{'id,id'}, q{'age'}, q{'{"age": null}'},
	q{'{"age": {"method": null}}'}, q{'[{"a": [1, {"b": []}]}]'}, "'$deep'",
	"'" . '[' x 3000 . ']' x 3000 . "'", q{repeat('a', 70000)}, q{'-1'},
	q{'0'}, q{'1e308'}, q{'NaN'}, q{'Infinity'}, q{'9223372036854775807'},
	q{'99999999999999999999'}, '0', '-1', '2147483647', q{'"'}, q{''''},
	q{'people'}, q{'{-1}'}, q{'{"n": -1, "work": 0, "k": 1e99, "p": "x"}'});

my (@call, %said);

# The calls, on a relation with SQL for %r.
foreach my $name (sort keys %on_relation)
{
	my $call = $on_relation{$name};
	my $usual = $call =~ s/%r/'people'::regclass/gr;

	foreach my $relation (@relation)
	{
		push @call, $call =~ s/%r/'$relation'::regclass/gr;
		# only the first, so that two differ
		push @call, ($call =~ s/%r/'$relation'::regclass/r) =~
		  s/%r/'people'::regclass/gr
		  if ($call =~ tr/%//) > 1;
	}
	# each argument in turn
	while ($usual =~ /(?<![\w:])('(?:[^']|'')*'(?:::[\w\[\]]+)?|\b\d+(?:\.\d+)?\b)/g)
	{
		my ($from, $to) = ($-[1], $+[1]);

		foreach my $value (@value)
		{
			my $changed = $usual;

			substr($changed, $from, $to - $from) = $value;
			push @call, $changed;
		}
	}
}

# Runs statements in one session; what each says, in order.
sub outcomes
{
	my ($settings, @sql) = @_;
	my ($status, $out, $error) = $node->psql(
		'postgres',
		join(
			"\n",
			q{SET search_path = odd, public; SET client_min_messages = error;
			SET sdc.progress_interval = 0; SET statement_timeout = '10min';},
			$settings, @sql),
		on_error_stop => 0);

	like($node->safe_psql('postgres', 'SELECT 1'), qr/^1$/,
		'the server is there');
	return split /\n/, $out;
}

sub judge
{
	my ($what, $calls, @outcome) = @_;
	my @bad;

	is(scalar @outcome, scalar @$calls, "$what: every call comes back")
	  or diag(substr $calls->[ scalar @outcome ] // '', 0, 300);
	foreach my $i (0 .. $#outcome)
	{
		$said{ substr $outcome[$i], 0, 5 }++;
		push @bad, "$outcome[$i]: " . substr($calls->[$i], 0, 300)
		  if $outcome[$i] =~ /^XX|^57014/;
	}
	is_deeply(\@bad, [], "$what: no internal error, nothing without an end");
}

sub tried
{
	return map { 'SELECT try($call$SELECT * FROM ' . $_ . '$call$);' } @_;
}

my @chosen = $ENV{SDC_FUZZ} ? @call : @call[ grep { $_ % 7 == 3 } 0 .. $#call ];
judge(scalar(@chosen) . ' calls', \@chosen, outcomes('', tried(@chosen)));

# As it is, but not left alone.
my @usual =
  map { $on_relation{$_} =~ s/%r/'people'::regclass/gr } sort keys %on_relation;
judge('little memory', \@usual,
	outcomes("SET sdc.memory_limit = '1MB';", tried(@usual)));
judge('read-only', \@usual,
	outcomes('SET default_transaction_read_only = on;', tried(@usual)));
judge(
	'left cursors',
	\@usual,
	outcomes(
		'',
		map {
			'SELECT try($call$DO $do$DECLARE c refcursor; r record; BEGIN '
			  . "OPEN c FOR SELECT * FROM $_; FETCH c INTO r; CLOSE c; END\$do\$\$call\$);"
		} @usual));
judge(
	'savepoints',
	\@usual,
	outcomes('', map { "BEGIN; SAVEPOINT a; " . (tried($_))[0] . ' ROLLBACK TO a; COMMIT;' } @usual));
foreach my $time (1, 3, 9)
{
	my @outcome =
	  outcomes("SET statement_timeout = '${time}ms';", tried(@usual));

	is_deeply([ grep { /^XX/ } @outcome ],
		[], "cancelled after $time ms: no internal error");
}
diag(join ', ', map { "$_ $said{$_}" } sort keys %said) if $ENV{SDC_FUZZ};
unlike(slurp_file($node->logfile), qr/PANIC|TRAP|was terminated by signal/,
	'no server process has crashed');

done_testing();
