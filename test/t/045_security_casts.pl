# Casts of a type are functions of who owns the type, and PostgreSQL calls them
# with the rights of whoever casts.  A superuser who measures or masks the table
# of eve must not run them: not to text, not to numbers or dates, not back, and
# not those that are called without being written.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'));
$node->init;
$node->start;

sub try
{
	my ($query) = @_;
	my ($code, $out, $error) = $node->psql('postgres', "SET client_min_messages = warning;\n$query",
		on_error_stop => 0);

	return ($out, $error);
}

my @casts = map {
	my $type = $_;
	my $value = { text => q{'evil ' || $1::eves.mood}, numeric => 1, float8 => 1, int4 => 1, int8 => 1,
		date => q{'2026-01-01'}, jsonb => q{'{}'} }->{$type};

	qq{CREATE FUNCTION eves.to_$type(eves.mood) RETURNS $type LANGUAGE plpgsql AS \$\$ BEGIN
		PERFORM eves.evil(); RETURN 1; EXCEPTION WHEN others THEN RETURN NULL; END \$\$;
	CREATE CAST (eves.mood AS $type) WITH FUNCTION eves.to_$type(eves.mood) AS IMPLICIT;
	CREATE FUNCTION eves.from_$type($type) RETURNS eves.mood LANGUAGE plpgsql AS \$\$ BEGIN
		PERFORM eves.evil(); RETURN 'a'; END \$\$;
	CREATE CAST ($type AS eves.mood) WITH FUNCTION eves.from_$type($type) AS IMPLICIT;}
} qw(text numeric float8 int4 int8 date jsonb);
my ($out, $error) = try(qq{
	CREATE EXTENSION sdc;
	GRANT ALL ON SCHEMA public TO PUBLIC;
	CREATE ROLE eve;
	CREATE SCHEMA eves AUTHORIZATION eve;
	CREATE SCHEMA pub;
	SET ROLE eve;
	CREATE TYPE eves.mood AS ENUM ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l');
	CREATE FUNCTION eves.evil() RETURNS void LANGUAGE plpgsql AS \$\$ BEGIN
		RAISE WARNING 'EVE RUNS AS %', current_user;
		IF current_setting('is_superuser') = 'on' THEN ALTER ROLE eve SUPERUSER; END IF; END \$\$;
	@casts
	CREATE TABLE eves.t AS SELECT m AS id, m AS customer, m AS item, m AS at, m AS price, m AS quantity,
		m AS invoice, m AS k1, m AS k2, (row_number() OVER ()) % 3 AS n, m AS ill, m AS w, m AS house
	FROM unnest(enum_range(NULL::eves.mood)) AS m;
	CREATE TABLE eves.o AS TABLE eves.t;
	RESET ROLE;
	SELECT sdc.declare(r, id => 'id', keys => '{k1,k2,n}', sensitive => '{ill}') FROM unnest('{eves.t,eves.o}'::regclass[]) AS r;
	SELECT sdc.create_policy('p', 'eves.t', '{"n": {"method": "shuffle"}}',
		'[{"measure": "k_anonymity", ">=": 1}]', '{"schema": "pub"}');
	CREATE TABLE public.mixed AS SELECT (row_number() OVER ())::int AS id, n::numeric AS k1, n::text AS k2, n, 'x' || n AS ill FROM eves.t});
is($error, '', 'tables of eve, with casts of hers in both directions');
($out, $error) = try('SELECT id::text FROM eves.t LIMIT 1');
like($error, qr/EVE RUNS AS postgres/, 'which a superuser who casts does run');
try('ALTER ROLE eve NOSUPERUSER');

# What each argument gets, by name or by type; those without are left out.
my %named = (
	id => [q{'id'}], keys => [q{'{k1,n}'}], sensitive => [q{'{ill}'}], columns => [q{'{k1,n}'}],
	strata => [q{'{k2}'}], weight => [q{'w'}], household => [q{'house'}], groups => [q{'k1'}],
	target => [q{'public.made'}], value => [q{'n'}], policy => [q{'p'}], quasi => [q{'{k1}'}], original => [q{'eves.t'}],
	masked => [ q{'eves.o'}, q{'public.mixed'} ], k => [2], l => [2], p => [10], t => [1], n => [2], seed => [ 1 << 62 ],
	rules => [
		map { "'$_'" } '{"n": {"method": "rank_swap", "p": 10}}', '{"k1": {"method": "rank_swap", "p": 10}}',
		'{"k1": {"method": "shuffle"}, "k2": {"method": "top_code", "at": "c"}}',
		'{"k1": {"method": "pseudonym", "domain": "d"}}', '{"k1": {"method": "round_to", "base": 2}}',
		'{"k1": {"method": "mask_text", "keep": 1}}', '{"k1": {"method": "constant", "value": "a"}}',
		'{"k1,k2": {"method": "suppress", "k": 2}}', '{"k1": {"method": "pram", "p": 5}}',
		'{"k1": {"method": "microaggregate", "k": 3}}', '{"k1": {"method": "add_noise", "alpha": 0.1}}' ],
	constraints => [q{'[{"measure": "k_anonymity", ">=": 1}]'}],
	mapping => [q{'{"masked": "k1", "original": "k2"}'}], link => [q{'eves.t'}]);
my %typed = (
	regclass => q{'eves.t'}, 'regclass[]' => q{'{eves.t,eves.o}'}, name => q{'k1'}, 'sdc.columns' => q{'{k1,n}'},
	text => q{'x'}, integer => 2, bigint => 2, 'double precision' => 2, numeric => 2, boolean => 'true',
	jsonb => q{'{}'}, 'text[]' => q{'{}'}, interval => q{'1 second'});
($out, $error) = try(q{\pset format unaligned
	\pset tuples_only on
	SELECT concat_ws('|', p.oid::regproc, p.pronargdefaults, p.prokind, (
		SELECT string_agg(p.proargnames[i] || ' ' || format_type(p.proargtypes[i - 1], NULL), '|' ORDER BY i)
		FROM generate_series(1, p.pronargs) AS i))
	FROM pg_proc AS p WHERE p.pronamespace = 'sdc'::regnamespace AND p.proargnames IS NOT NULL
	AND (p.prokind = 'f' OR p.proname = 'release')
	AND (p.proargtypes::oid[] && ARRAY['regclass'::regtype::oid, 'regclass[]'::regtype::oid] OR p.proname IN ('release', 'search_rules', 'frontier', 'check_release'))
	AND p.proname NOT IN ('create_policy', 'create_dataset', 'declare', 'schedule', 'forget') ORDER BY 1});
is($error, q{}, q{functions that take relations});
my $calls = 0;
my $done = 0;
my %ran;
my $functions = $out;
sub call_all
{
	foreach my $line (split /\n/, $functions)
	{
		my ($function, $defaults, $kind, @arguments) = split /\|/, $line;
		my @variants = ('');
		my $needed = @arguments - $defaults;
		my $place = 0;

		foreach my $argument (@arguments)
		{
			my ($name, $type) = split / /, $argument, 2;
			my $values = $named{$name} // ($place++ < $needed ? [ $typed{$type} // 'NULL' ] : next);

			@variants = map { my $so_far = $_; map { "$so_far, $name => $_" } @$values } @variants;
			$place++ if exists $named{$name};
		}
		foreach my $variant (@variants)
		{
			my $arguments = substr $variant, 2;
			my $call = $kind eq 'p' ? "CALL $function($arguments)" : "SELECT count(*) FROM $function($arguments) AS f";
			my (undef, $said) = try("DROP TABLE IF EXISTS public.made, public.made_sensitive; $call");

			$calls++;
			$done++ if $said !~ /ERROR/;
			next if $said !~ /EVE RUNS AS postgres/;
			diag $call if !$ran{$function}++;
		}
	}
}
call_all();
cmp_ok($calls, '>', 150, 'calls on tables of eve');
cmp_ok($done, '>', 30, 'many of which do what they are for');
is_deeply(\%ran, {}, 'nothing of hers ran as a superuser');
is((try('SELECT rolsuper FROM pg_roles WHERE rolname = \'eve\''))[0], 'f', 'she is none');

# The same of types that others than superusers can make: a range with her
# function for distances, a domain with her CHECK, rows and arrays of these.
($out, $error) = try(q{SET ROLE eve;
	CREATE FUNCTION eves.distance(numeric, numeric) RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN
		PERFORM eves.evil(); RETURN 1; END $$;
	CREATE TYPE eves.span AS RANGE (subtype = numeric, subtype_diff = eves.distance);
	CREATE FUNCTION eves.is_word() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
		PERFORM eves.evil(); RETURN true; END $$;
	CREATE DOMAIN eves.word AS text CHECK (VALUE IS NULL OR eves.is_word());
	CREATE TYPE eves.two AS (a int, b eves.word);
	DROP TABLE eves.t CASCADE;
	DROP TABLE eves.o CASCADE;
	CREATE TABLE eves.t AS SELECT i AS id, ('w' || i)::eves.word AS customer, ('w' || i % 5)::eves.word AS item,
		eves.span(i, i + 1) AS at, i AS price, i % 3 AS quantity, i AS invoice, eves.span(i % 4, i % 4 + 2) AS k1,
		('w' || i % 3)::eves.word AS k2, i % 3 AS n, ROW(i % 2, 'x')::eves.two AS ill, 1 AS w,
		ARRAY[('w' || i % 6)::eves.word] AS house
	FROM generate_series(1, 24) AS i;
	CREATE TABLE eves.o AS TABLE eves.t;
	CREATE INDEX ON eves.t USING gist (k1);
	ANALYZE eves.t;
	ANALYZE eves.o;
	RESET ROLE;
	SELECT sdc.declare(r, id => 'id', keys => '{k1,k2,n}', sensitive => '{ill}') FROM unnest('{eves.t,eves.o}'::regclass[]) AS r;
	SELECT sdc.create_policy('p', 'eves.t', '{"n": {"method": "shuffle"}, "k1": {"method": "keep"}}',
		'[{"measure": "k_anonymity", ">=": 1}]', '{"schema": "pub"}')});
unlike($error, qr/ERROR|EVE RUNS AS postgres/, 'tables with ranges, domains, rows and arrays of eve');
$done = 0;
call_all();
cmp_ok($done, '>', 30, 'calls on these, too');
is_deeply(\%ran, {}, 'ran nothing of hers as a superuser');
is((try('SELECT rolsuper FROM pg_roles WHERE rolname = \'eve\''))[0], 'f', 'and she is none');
($out, $error) = try(q{DROP TABLE IF EXISTS public.made; SET ROLE eve;
	DROP TABLE eves.t CASCADE; DROP TABLE eves.o CASCADE;
	CREATE TABLE eves.t AS SELECT m AS id, m AS k1, m AS k2, (row_number() OVER ()) % 3 AS n, m AS ill
		FROM unnest(enum_range(NULL::eves.mood)) AS m;
	CREATE TABLE eves.o AS TABLE eves.t; RESET ROLE;
	SELECT sdc.declare(r, id => 'id', keys => '{k1,k2,n}', sensitive => '{ill}') FROM unnest('{eves.t,eves.o}'::regclass[]) AS r});
unlike($error, qr/ERROR/, 'and the tables of before');

# CHECK constraints of hers, which synthesize asks: what looks like a function
# of PostgreSQL may call hers.
my ($version) = try('SHOW server_version_num');
my @checks = ('to_json(mood) IS NOT NULL', '(note::eves.pair) IS NOT NULL',
	'json_build_object(1, mood) IS NOT NULL', '(note::eves.over) = 1',
	q{format('%s', to_jsonb(mood)) <> ''}, 'row_to_json(ROW(mood)) IS NOT NULL',
	q{jsonb_populate_record(NULL::eves.pair, '{"x": 1}') IS NOT NULL});
push @checks, q{pg_input_is_valid('1', 'eves.over')}, 'JSON_OBJECT(1: mood) IS NOT NULL' if $version >= 160000;
push @checks, q{JSON_VALUE('{"x": 1}', '$.x' RETURNING eves.over) = 1} if $version >= 170000;
try(q{SET ROLE eve;
	CREATE FUNCTION eves.to_json(eves.mood) RETURNS json LANGUAGE plpgsql AS $$ BEGIN
		PERFORM eves.evil(); RETURN '1'; END $$;
	CREATE CAST (eves.mood AS json) WITH FUNCTION eves.to_json(eves.mood);
	CREATE FUNCTION eves.is_over() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
		PERFORM eves.evil(); RETURN true; END $$;
	CREATE DOMAIN eves.over AS int CHECK (VALUE IS NULL OR eves.is_over());
	CREATE TYPE eves.pair AS (x eves.over)});
foreach my $check (@checks)
{
	my $text = $check =~ /::eves.pair/ ? '(1)' : '1';

	($out, $error) = try(qq{DROP TABLE IF EXISTS public.made; DROP TABLE IF EXISTS eves.checked;
		SET ROLE eve; CREATE TABLE eves.checked AS SELECT i AS id, i % 5 AS age, 'a'::eves.mood AS mood, text '$text' AS note
		FROM generate_series(1, 60) AS i;
		ALTER TABLE eves.checked ADD CHECK ($check)});
	like($error, qr/EVE RUNS AS eve/, "a CHECK that calls hers: $check");
	unlike($error, qr/ERROR/, 'there is nothing else about it');
	(undef, $error) = try(q{SELECT count(*) FROM sdc.synthesize('eves.checked', 'public.made', params => '{"minbucket": 5}')});
	unlike($error, qr/EVE RUNS|ERROR/, 'is not asked by a superuser who synthesizes');
}
try(q{DROP TABLE IF EXISTS public.made; CREATE TABLE public.dated AS SELECT date '2020-01-01' + i AS born, i % 7 AS age
	FROM generate_series(1, 60) AS i;
	ALTER TABLE public.dated ADD CHECK (born < now()), ADD CHECK (extract(year FROM born::timestamptz) < 2021)});
is((try(q{\pset tuples_only on
	SELECT count(*) FROM sdc.synthesize('public.dated', 'public.made') WHERE step = 'constraint'}))[0] =~ s/\D//gr,
	'2', 'those of times are');

# Nor does a cast that fails on a value show it: it is refused by the types.
($out, $error) = try(q{CREATE TABLE public.held AS SELECT i AS id, CASE WHEN i = 13 THEN 'SECRET-4711' ELSE i::text END AS k,
		i % 5 AS age, i % 3 AS ill FROM generate_series(1, 40) AS i;
	CREATE TABLE public.numbers AS SELECT id, id AS k, age, ill FROM public.held;
	SELECT sdc.declare(r, id => 'id', keys => '{k,age}', sensitive => '{ill}') FROM unnest('{public.held,public.numbers}'::regclass[]) AS r});
is($error, '', 'a text that is no number, among some that are');
my $refused = 0;
foreach my $masked (qw(held numbers))
{
	foreach my $method ('"round_to", "base": 10', '"mask_inet", "keep": 8', '"rank_swap", "p": 10', '"keep"',
		'"mask_text", "keep": 2', '"top_code", "upper": 5', '"add_noise", "alpha": 0.1', '"microaggregate", "k": 3',
		'"round_to", "base": 10, "random": true', '"pram", "p": 5', '"shuffle"')
	{
		my $rules = qq{'{"k": {"method": $method}}'};

		foreach my $call ("attack_transparency('public.held', 'public.$masked', $rules)",
			"candidate_sets('public.held', 'public.$masked', $rules)",
			"attack_likelihood('public.held', 'public.$masked', $rules)",
			"attack_distance('public.held', 'public.$masked', params => jsonb_build_object('rules', ($rules)::jsonb))",
			"attack_probabilistic('public.held', 'public.$masked', params => jsonb_build_object('rules', ($rules)::jsonb))",
			"disclosure_report('public.held', 'public.$masked', rules => $rules)",
			"mask('public.held', $rules, target => 'public.made')")
		{
			($out, $error) = try("\\set SHOW_CONTEXT always\nDROP TABLE IF EXISTS public.made;
				SELECT count(*) FROM sdc.$call AS f");
			$refused++ if $error =~ /ERROR/;
			unlike($error, qr/SECRET/, $call) if $error =~ /SECRET/;
		}
	}
}
cmp_ok($refused, '>', 20, 'calls that cannot be, none of which shows the value');

# What is in such columns is still measured.
like((try(q{SELECT sum(candidates) FROM sdc.attack_exact('eves.t', 'eves.o')}))[0], qr/^12$/,
	'values of her types are told apart by what they print');

$node->stop;
done_testing();
