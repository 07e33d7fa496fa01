# Masks that decide nothing silently and tell nothing they should not: every
# declared identifier needs a rule, what is left as it is is said, errors name
# the column and no value, and a seed undoes no release.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'), 'new');
$node->init;
$node->start;

sub ask
{
	return $node->safe_psql('postgres', $_[0]);
}

sub try
{
	my ($code, $out, $error) = $node->psql('postgres', $_[0]);

	return $error;
}

ask(q{CREATE EXTENSION sdc;
	CREATE TABLE customer (id bigint PRIMARY KEY, first_name text, email text, phone varchar(30),
		zip text, salary int);
	INSERT INTO customer SELECT i, 'Ben ' || i, 'user' || i || '@web.de', '+49 30 canary' || i,
		'z' || i % 5, 1000 + i * 37 % 501 FROM generate_series(1, 300) AS i;
	SELECT sdc.declare('customer', id => 'id', identifiers => '{first_name,email}',
		keys => '{zip}', sensitive => '{salary}')});

# ---------------------------------------------------------------------------
# A decision for every column.

my $swap = q{"salary": {"method": "rank_swap", "p": 5}};
my $hidden = q{"first_name": {"method": "null"}, "email": {"method": "keep"}};

foreach my $call (
	qq{sdc.mask('customer', '{$swap}', target => 'leak')},
	qq{sdc.mask('customer', '{$swap}')},
	qq{sdc.mask('customer', '{$swap}', target => 'leak', dry_run => true)},
	qq{sdc.mask('customer', '{$swap, "first_name": {"method": "null"}}', target => 'leak')},
	qq{sdc.sample_rows('customer', p => 50, target => 'leak')})
{
	like(try("SELECT * FROM $call"), qr/is a declared identifier/, "$call: refused");
}
ask(qq{CREATE TABLE said AS SELECT * FROM sdc.mask('customer', '{$swap, $hidden}', target => 'meant')});
is(ask(q{SELECT string_agg(concat_ws(' ', subject, method, detail), '; ' ORDER BY subject) FROM said
		WHERE step = 'kept'}),
	'email keep As it is, by its rule; declared as identifier.; '
	  . 'id As it is; declared as id.; phone As it is; not declared.; '
	  . 'zip As it is; declared as key.',
	'each column that is left as it is has a line');
ask(q{SELECT sdc.declare('customer', id => 'id', identifiers => '{first_name,email}',
		keys => '{zip}', sensitive => '{salary}', insensitive => '{phone}');
	SELECT sdc.create_policy('p', 'customer', '{"salary": {"method": "rank_swap", "p": 5}}',
		'[{"measure": "k_anonymity", ">=": 5}]', '{"schema": "public", "table": "out", "attacks": ["exact"]}');
	CALL sdc.release('p')});
is(ask(q{SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute
		WHERE attrelid = 'public.out'::regclass AND attnum > 0}), 'phone zip salary',
	'a release withholds identifiers without a rule');

# ---------------------------------------------------------------------------
# Errors that help and give nothing away.

# What is said of rules for a copy and in place.
sub refused
{
	my ($rules, $expected, $name) = @_;

	foreach my $target ("target => 'never'", 'dry_run => false')
	{
		my $said = try("\\set SHOW_CONTEXT always\nSELECT * FROM sdc.mask('customer', '{$rules, $hidden}', $target)");

		like($said, $expected, "$name ($target): names the column");
		unlike($said, qr/SQL statement "SELECT|pg_catalog\.|SELECT r\./,
			"$name ($target): not the statement that was made");
		unlike($said, qr/canary/, "$name ($target): nor a value");
	}
}
refused(q{"id": {"method": "pseudonym", "domain": "d"}},
	qr/format "hex" do not fit column "id" of relation "customer".*type is bigint.*format digits/s,
	'hexadecimal digits for a bigint');
refused(q{"phone": {"method": "pseudonym", "domain": "d"}},
	qr/format "hex" do not fit column "phone".*character varying\(30\)/s,
	'32 letters for varchar(30)');
refused(q{"phone": {"method": "pseudonym", "domain": "d", "format": "digits"}},
	qr/format "digits" do not fit column "phone".*neither a digit/s, 'digits of what is none');
ask(q{CREATE FUNCTION tell(x int) RETURNS boolean LANGUAGE plpgsql AS
	$$ BEGIN RAISE EXCEPTION 'canary %', x USING ERRCODE = '22023'; END $$});
foreach my $code ('22023', '22003', '22001', '22012', '22P02', '23514', 'P0001')
{
	ask(qq{CREATE OR REPLACE FUNCTION tell(x int) RETURNS boolean LANGUAGE plpgsql AS
		\$\$ BEGIN IF x < 0 THEN RAISE EXCEPTION 'canary %', x USING ERRCODE = '$code'; END IF;
		RETURN true; END \$\$});
	ask('ALTER TABLE customer DROP CONSTRAINT IF EXISTS tells');
	ask('ALTER TABLE customer ADD CONSTRAINT tells CHECK (tell(salary))');
	my $said = try(qq{SELECT * FROM sdc.mask('customer',
		'{"salary": {"method": "constant", "value": -1}, $hidden}')});
	like($said, qr/ERROR/, "$code: raised by a function of the table");
	unlike($said, qr/canary/, "$code: its message is not shown");
}
ask('ALTER TABLE customer DROP CONSTRAINT tells');

# Nor of a table that a rule of the table needs on its way, in all that psql can
# show of an error; in place and into a copy.
ask(q{CREATE TABLE twice AS SELECT i / 2 AS id, i % 7 AS k1, i % 5 AS k2, 'x' || i % 3 AS ill
		FROM generate_series(1, 60) AS i;
	SELECT sdc.declare('twice', id => 'id', keys => '{k1,k2}', sensitive => '{ill}');
	CREATE TABLE few AS SELECT row_number() OVER () AS id, k1, k2, ill FROM twice;
	SELECT sdc.declare('few', id => 'id', keys => '{k1,k2}', sensitive => '{ill}');
	CREATE TABLE many AS SELECT i AS id, i AS k1, i % 1000 AS k2, 'x' AS ill
		FROM generate_series(1, 50000) AS i;
	SELECT sdc.declare('many', id => 'id', keys => '{k1,k2}', sensitive => '{ill}')});
my %failing = (
	twice => [ '{"k1,k2": {"method": "suppress", "k": 3}}', 'relation "twice" is not unique' ],
	few => [ '{"k1,k2": {"method": "anonymize", "k": 300}}', 'masking relation "few"' ],
	many => [ '{"k1,k2": {"method": "suppress", "k": 3}}', 'masking relation "many"' ]);
foreach my $table (sort keys %failing)
{
	my ($rules, $said) = @{ $failing{$table} };

	foreach my $target ('', ", target => 'nowhere'")
	{
		next if $target eq '' && $rules =~ /anonymize/;
		my $error = try("\\set VERBOSITY verbose\n\\set SHOW_CONTEXT always\nSET client_min_messages = notice;
			SET sdc.memory_limit = '1MB'; SELECT count(*) FROM sdc.mask('$table', '$rules', id => 'id'$target)");

		like($error, qr/$said/, "$table$target: the error names the table");
		unlike($error, qr/sdc_(masked|suppressed|staging)|[0-9a-f]{32}|SQL statement/,
			'and neither tables made on the way nor statements');
	}
}

# No name of a staging table in what is said or kept.
ask(q{SELECT sdc.create_policy('q', 'customer', '{"salary": {"method": "rank_swap", "p": 5}}',
	'[{"measure": "k_anonymity", ">=": 299}]', '{"schema": "public", "table": "never", "attacks": ["exact"]}')});
unlike(try(q{CALL sdc.release('q')}), qr/staging/, 'no internal name in the refusal');
is(ask(q{SELECT count(*) FROM sdc.release_history WHERE release_history::text ~ 'staging'}), 0,
	'nor in the history');

# ---------------------------------------------------------------------------
# Seeds.

foreach my $seed (1, 20240611, 4611686018427387903, -20240611)
{
	like(try("CALL sdc.release('p', seed => $seed)"), qr/must have 63 bits/, "seed $seed: too short");
}
# The attack of the audit: who has the release and the seed replays the swap on
# the released column, and reads off what each value was.
my $seed = '5000000000000000001';
ask(qq{CREATE TABLE inc AS SELECT i AS id, i * 7919 % 10007 AS inc FROM generate_series(1, 300) AS i;
	SELECT sdc.declare('inc', id => 'id', keys => '{inc}');
	SELECT sdc.create_policy('s', 'inc', '{"inc": {"method": "rank_swap", "p": 10}, "id": {"method": "keep"}}',
		'[{"measure": "k_anonymity", ">=": 1}]', '{"schema": "public", "table": "inc_out", "attacks": ["exact"]}');
	CALL sdc.release('s', seed => $seed)});
my $guessed = q{SELECT count(*) FROM (SELECT inc AS was, sdc.rank_swap(inc, 10, 'classic',
	sdc.mask_seed('inc', %s)) OVER (ORDER BY inc) AS is FROM inc_out) AS m
	JOIN inc_out AS r ON r.inc = m.is JOIN inc AS o ON o.id = r.id AND o.inc = m.was};
cmp_ok(ask(sprintf $guessed, $seed), '<', 90, 'the seed alone does not undo a release');
my $report = ask(q{SELECT sdc.report(release, 'markdown') FROM sdc.releases('s')});
my $history = ask('SELECT h::text FROM sdc.release_history AS h');
unlike($report . $history, qr/$seed/, 'the seed is not shown');
ok(ask(q{SELECT bool_and(position(encode(sha256(convert_to(policy || ':' || release || ':' || } . $seed
		. q{, 'UTF8')), 'hex') IN h::text) = 0) FROM sdc.release_history AS h}) eq 't',
	'nor a hash of it');
ask(qq{CREATE TABLE first AS TABLE inc_out; CALL sdc.release('s', seed => $seed)});
is(ask('SELECT count(*) FROM (TABLE first EXCEPT TABLE inc_out) AS d'), 0,
	'the same policy with the same seed repeats the release');

# Without a seed each draw is strong: nothing of 64 bits is behind a whole column.
ask(q{CREATE TABLE drawn AS SELECT i AS id, (i % 500)::numeric(8, 2) / CASE WHEN i % 2 = 0 THEN 1 ELSE 1.0 END AS v,
		i % 40 AS g, i % 3 AS h, CASE WHEN i = 1 THEN -1 ELSE i % 40 END AS lone FROM generate_series(1, 4000) AS i;
	SELECT sdc.declare('drawn', id => 'id', keys => '{v,g}', insensitive => '{h,lone}')});
my $round = q{{"v": {"method": "round_to", "base": 7, "random": true}}};
ask(qq{SELECT count(*) FROM sdc.mask('drawn', '$round', target => 'drawn_$_')}) foreach 1, 2;
is(ask('SELECT count(DISTINCT (d.v, r.v)) || chr(32) || count(DISTINCT d.v) FROM drawn AS d JOIN drawn_1 AS r USING (id)'),
	'500 500', 'random rounding: equal values are rounded alike, whatever their form');
cmp_ok(ask('SELECT count(DISTINCT a.v) FROM drawn_1 AS a JOIN drawn_2 AS b USING (id) WHERE a.v <> b.v'), '>', 10,
	'and anew each time');
# 500 values with a deviation of at most 3.5 each: 5 deviations of the mean
cmp_ok(ask('SELECT abs(avg(r.v - d.v)) FROM (SELECT DISTINCT ON (v) id, v FROM drawn) AS d JOIN drawn_1 AS r USING (id)'),
	'<', 5 * 3.5 / sqrt(500), 'without bias');
is(ask('SELECT bool_and(v % 7 = 0) FROM drawn_1'), 't', 'to multiples of the base');
like(ask(qq{SELECT sql FROM sdc.mask('drawn', '$round', target => 'x', dry_run => true) WHERE step = 'mask'}),
	qr/round_by_key\(.*, \$\d+\)/, 'by a key of 128 bits');
foreach my $call ("sdc.sample_rows('drawn', p => 20, target => '%s')",
	"sdc.suppress('drawn', id => 'id', keys => '{lone}', k => 5, params => '{\"nulls\": \"category\"}', target => '%s')",
	q{sdc.mask('drawn', '{"g,h": {"method": "microaggregate", "variant": "best", "k": 3}}', target => '%s')})
{
	my ($first, $second) = map { sprintf $call, "strong_$_" } 1, 2;
	my $columns = $call =~ /best/ ? 'g, h' : 'id';
	my $where = $call =~ /suppress/ ? 'WHERE lone IS NULL' : '';

	ask("SELECT count(*) FROM $first AS f; SELECT count(*) FROM $second AS f");
	is(ask('SELECT (SELECT count(*) FROM strong_1) = (SELECT count(*) FROM strong_2)'), 't', 'as many rows');
	cmp_ok(ask("SELECT count(*) FROM (SELECT $columns FROM strong_1 $where EXCEPT SELECT $columns FROM strong_2 $where) AS d"),
		'>=', $call =~ /best/ ? 0 : 1, "other rows each time: " . ($call =~ /sdc\.(\w+)/)[0]);
	ask('DROP TABLE strong_1, strong_2');
}
unlike(ask(q{SELECT string_agg(detail, ' ') FROM sdc.mask('drawn', '{"*": {"method": "sample_rows", "p": 20}}',
	target => 'x', dry_run => true)}), qr/\d{10}/, 'nothing drawn is shown');

# A key is made under the eyes of the server's own diagnosis, which everyone can
# turn on: not even who makes it sees it.
my $printed = try(q{SET client_min_messages = log; SET debug_pretty_print = off;
	SET debug_print_parse = on; SET debug_print_rewritten = on; SET debug_print_plan = on;
	SELECT count(sdc.pseudonym('a', 'printed'));
	SELECT sdc.create_policy('printed', 'customer', '{"first_name": {"method": "null"}, "email": {"method": "null"}}',
		'[{"measure": "k_anonymity", ">=": 1}]', '{"schema": "public", "table": "printed_out", "attacks": []}');
	CALL sdc.release('printed');
	SELECT count(*) FROM sdc.mask('drawn', '{"v": {"method": "round_to", "base": 7, "random": true}}', target => 'printed_mask')});
like($printed, qr/PLANNEDSTMT/, 'the plans of what was typed are shown');
is(($printed =~ /(ERROR:.*)/)[0], undef, 'nothing fails');
foreach my $key (ask(q{SELECT key FROM sdc.secret WHERE domain = 'printed'}),
	ask(q{SELECT key FROM sdc.policy_key WHERE policy = 'printed'}))
{
	my $bytes = join ' ', map { unpack 'c', $_ } split //, pack 'H*', $key =~ s/^\\x//r;

	is(length $key, 66, 'there is a key');
	is(index($printed =~ s/\s+/ /gr, $bytes), -1, 'which is not shown');
}
unlike($printed, qr/constvalue 20 \[ 80 0 0 0/, 'nor is a key of 16 bytes');

$node->stop;
done_testing();
