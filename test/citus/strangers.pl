# Functions that somebody else has put where servers look for names.  Citus
# writes functions of pg_catalog without their schema, and a schema that others
# may write to has one that fits better: no call of sdc runs it.  And what needs
# more than one server to come to one value: keys that are written in several
# ways, and shards that the coordinator has itself.

use strict;
use warnings;

use Test::More;
use Citus;

my @kinds = qw(distributed reference managed parted);
my $rows = q{SELECT i AS id, i % 50 AS zip, i * 7919 % 1009 AS income, (i % 9)::numeric AS amount, 'n' || i AS name
	FROM generate_series(1, 300) AS i};

ask(q{SET client_min_messages = error;
	DO $$ BEGIN CREATE ROLE keeper LOGIN; CREATE ROLE stranger LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
	GRANT CREATE ON SCHEMA public TO stranger, keeper; GRANT EXECUTE ON ALL ROUTINES IN SCHEMA sdc TO keeper});
kinds('people', $rows);
foreach my $kind (keys %kind)
{
	ask(qq{GRANT USAGE ON SCHEMA $kind TO keeper; GRANT ALL ON ALL TABLES IN SCHEMA $kind TO keeper;
		CREATE VIEW $kind.seen AS SELECT * FROM $kind.people; GRANT SELECT ON $kind.seen TO keeper});
	ask("SELECT sdc.declare('$kind.people', id => 'id', keys => '{amount}')");
}

# A better fit for functions of any type, of a role that has no other rights.
my %better = ('concat(%t)' => [ 'text', qw(integer numeric text) ],
	'hash_array_extended(%t, bigint)' => [ 'bigint', qw(integer[] numeric[] text[] tid[]) ]);
foreach my $function (sort keys %better)
{
	my ($returns, @types) = @{ $better{$function} };

	ask('CREATE FUNCTION public.' . $function =~ s/%t/$_/r . " RETURNS $returns LANGUAGE plpgsql AS
		\$\$ BEGIN RAISE WARNING 'called by %', current_user; RETURN 1; END \$\$", user => 'stranger') foreach @types;
}

# How often keeper has called one, on any server, since it was asked last.
my $before = 0;

sub called
{
	my $now = 0;

	foreach my $log (qw(server worker1 worker2))
	{
		open(my $file, '<', "$ENV{SDC_TEMPORARY}/$log.log") or die;
		$now += grep { /WARNING:  called by keeper/ } <$file>;
	}
	my $more = $now - $before;
	$before = $now;
	return $more;
}

ask('SELECT min(pg_catalog.concat(amount)) FROM distributed.people', user => 'keeper');
ok(called() > 0, 'a query of the role itself runs the function of another one');

my @calls = ("sdc.risk_report('%r', '{zip,amount}', '{income}')", "sdc.suggest('%r')", "sdc.risk_records('%r', 'id', '{zip,amount}')",
	"sdc.utility_report('%r', '%r', 'id')", "sdc.disclosure_report('%r', '%r', 'id', '{zip,amount}', '{income}')",
	"sdc.separation('%r', '{zip,amount}')");
my @rules = ('"name": {"method": "null"}', '"amount": {"method": "round_to", "base": 2}', '"amount": {"method": "rank_swap", "p": 20}',
	'"income": {"method": "add_noise", "alpha": 0.5}', '"income,zip": {"method": "microaggregate", "k": 5}',
	'"income": {"method": "rank_swap", "p": 20, "strata": ["zip"]}');

foreach my $kind (@kinds)
{
	foreach my $call (@calls)
	{
		foreach my $of ('people', 'seen')
		{
			my $named = $call =~ s/%r/$kind.$of/gr;

			ask("SELECT count(*) FROM $named", user => 'keeper');
			is(called(), 0, "$named calls no function of others");
		}
	}
	foreach my $rule (@rules)
	{
		ask("SET client_min_messages = error; SELECT count(*) FROM sdc.mask('$kind.people', '{$rule}', 'made'); DROP TABLE made",
			user => 'keeper');
		is(called(), 0, "sdc.mask('$kind.people', {$rule}) calls no function of others");
	}
}
ask("SET client_min_messages = error; SELECT count(*) FROM sdc.risk_records_into('distributed.people', 'made', 'id', '{zip,amount}'); DROP TABLE made",
	user => 'keeper');
is(called(), 0, 'sdc.risk_records_into calls none');

# A copy of a schema, and a release, of tables that keeper has.
ask(q{GRANT CREATE ON DATABASE postgres TO keeper; SELECT sdc.synchronize_workers(); SELECT sdc.pseudonym('', 'person')});
ask(q{SET client_min_messages = error; CREATE SCHEMA kept; CREATE SCHEMA shown;
	CREATE TABLE kept.kind (zip int PRIMARY KEY, size numeric, boss text); SELECT create_reference_table('kept.kind');
	CREATE TABLE kept.people (id int PRIMARY KEY, zip int REFERENCES kept.kind (zip), income int, amount numeric, name text);
	SELECT create_distributed_table('kept.people', 'id');
	INSERT INTO kept.kind SELECT i, i, 'b' || i FROM generate_series(0, 49) AS i;
	INSERT INTO kept.people SELECT id, zip, income, amount, name FROM distributed.people;
	SELECT sdc.create_copy('kept', 'kept', 'copied', '{"*": {"method": "keep"}, "people.name": {"method": "null"},
		"kind.boss": {"method": "null"}, "people.income": {"method": "rank_swap", "p": 5}}');
	SELECT sdc.declare('kept.people', id => 'id', keys => '{zip,amount}', insensitive => '{income}');
	SELECT sdc.create_policy('kept too', 'kept.people', '{"name": {"method": "null"}, "zip": {"method": "null"},
		"amount": {"method": "round_to", "base": 5}, "income": {"method": "keep"}}',
		'[{"measure": "k_anonymity", ">=": 2}]', '{"schema": "shown", "attacks": ["exact"]}')}, user => 'keeper');
is(called(), 0, 'policies call no function of others');
ask(q{SELECT count(*) FROM sdc.run_copy('kept')}, user => 'keeper');
is(called(), 0, 'a copy of a schema calls none');
is(ask('SELECT count(*), count(name), count(income) FROM copied.people'), '300|0|300', 'and there is one');
ask(q{CALL sdc.release('kept too')}, user => 'keeper');
is(called(), 0, 'a release calls none');
is(ask('SELECT count(*), count(name) FROM shown.people'), '300|0', 'and there is one');
ask(q{SET client_min_messages = error; SELECT sdc.drop_policy('kept'); SELECT sdc.drop_policy('kept too');
	DROP SCHEMA kept, copied, shown CASCADE}, user => 'keeper');
called();
ask(q{SET client_min_messages = error; BEGIN; SAVEPOINT a; SELECT count(*) FROM sdc.risk_report('distributed.people', '{amount}'); ROLLBACK TO a;
	SELECT count(*) FROM sdc.mask('distributed.people', '{"amount": {"method": "round_to", "base": 2}}', 'made'); ROLLBACK}, user => 'keeper');
is(called(), 0, 'nor after a subtransaction was taken back');
ask(q{SET client_min_messages = error; SELECT set_config('search_path', '', false);
	SELECT count(*) FROM sdc.mask('distributed.people', '{"amount": {"method": "round_to", "base": 2}}', 'public.made'); DROP TABLE public.made},
	user => 'keeper');
is(called(), 0, 'nor where the search_path here is empty');
is(ask(q{SET client_min_messages = error; SET search_path = public, sdc; SELECT NULL FROM sdc.risk_report('distributed.people', '{amount}') LIMIT 0;
	SHOW search_path}, user => 'keeper'), 'public, sdc', 'the search_path of the session stays');
ask('DROP FUNCTION ' . join(', ', map { my $f = $_; my (undef, @types) = @{ $better{$f} }; map { 'public.' . $f =~ s/%t/$_/r } @types } sort keys %better),
	user => 'stranger');

# Values of a key that is written in several ways come to one form, here and
# where values trade places.
ask(q{UPDATE distributed.people SET amount = amount + 0.00 WHERE id % 2 = 0});
foreach my $rule ('"name": {"method": "null"}', '"amount": {"method": "rank_swap", "p": 20}', '"amount": {"method": "shuffle"}',
	'"income": {"method": "rank_swap", "p": 20}')
{
	ask("SET client_min_messages = error; DROP TABLE IF EXISTS made; SELECT count(*) FROM sdc.mask('distributed.people', '{$rule}', 'made')");
	is(ask('SELECT count(*) FROM (SELECT amount, income FROM (SELECT amount, NULL AS income FROM made UNION ALL SELECT NULL, income FROM made) AS m
		EXCEPT ALL SELECT amount, income FROM (SELECT amount, NULL::int AS income FROM distributed.people
			UNION ALL SELECT NULL, income FROM distributed.people) AS d) AS e'), 0, "the values are those of before: $rule");
	is(ask('SELECT count(DISTINCT amount::text), count(DISTINCT amount) FROM made'), '9|9', 'and each is written in one way');
}

# A coordinator that has shards of its own.
ask("SELECT citus_set_node_property('127.0.0.1', $ENV{SDC_CITUS_PORT}, 'shouldhaveshards', true)");
ask(qq{SET client_min_messages = error; CREATE SCHEMA home; CREATE TABLE home.people AS $rows WITH NO DATA;
	SELECT create_distributed_table('home.people', 'id', colocate_with => 'none', shard_count => 6); INSERT INTO home.people $rows});
is(ask(q{SELECT count(DISTINCT nodeport) FROM citus_shards WHERE table_name = 'home.people'::regclass}), 3, 'three servers have shards');
foreach my $rule (@rules)
{
	ask("SET client_min_messages = error; DROP TABLE IF EXISTS made; SELECT count(*) FROM sdc.mask('home.people', '{$rule}', 'made')");
	is(ask('SELECT count(*), count(DISTINCT id) FROM made'), '300|300', "then all rows are masked: $rule");
	is(ask('SELECT count(*) FROM (SELECT income FROM made EXCEPT ALL SELECT income FROM home.people) AS e'), 0, 'and values trade places')
	  if $rule =~ /rank_swap/;
}
is(ask(q{SELECT string_agg(concat(measure, value), ' ' ORDER BY measure) FROM sdc.risk_report('home.people', '{zip,amount}', '{income}')}),
	ask(q{SELECT string_agg(concat(measure, value), ' ' ORDER BY measure) FROM sdc.risk_report('plain.people', '{zip,amount}', '{income}')}),
	'and reports are those of a plain table');
ask('SET client_min_messages = error; DROP TABLE made; DROP SCHEMA home CASCADE');
ask("SELECT citus_set_node_property('127.0.0.1', $ENV{SDC_CITUS_PORT}, 'shouldhaveshards', false)");
foreach my $kind (keys %kind)
{
	ask("SET client_min_messages = error; DROP SCHEMA $kind CASCADE");
}
ask('DROP OWNED BY keeper, stranger; DROP ROLE keeper, stranger');
done_testing();
