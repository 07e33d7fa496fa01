# Masks and secrets on a cluster: rules of single rows are applied by each
# server to its own rows, with the same pseudonyms everywhere; what needs all
# rows is refused, a dry run too; a table stays as it is.

use strict;
use warnings;

use Test::More;
use Citus;
use SdcCalls qw(rows);

kinds('people', rows(400));
attempt(q{SELECT sdc.drop_hierarchy('tens'); SELECT sdc.drop_hierarchy('sexes');
	SELECT sdc.forget_pseudonyms('a study'); SELECT sdc.forget_pseudonyms('direct');
	DROP TABLE made; DROP ROLE steward; DROP ROLE stranger}, on => 1);

# The rows of a table, sorted.
sub content
{
	my ($table) = @_;

	return join "\n", sort split /\n/, ask("SELECT to_jsonb(t) FROM $table AS t");
}

# Hierarchies and keys of pseudonyms are the same on all servers.
ask(q{
	SELECT sdc.create_hierarchy('tens', 'interval', '{"levels": [[25], []]}');
	SELECT sdc.create_hierarchy('sexes', 'table', '{"rows": [["1", "any"], ["2", "any"]]}')});
my $hierarchies = q{SELECT md5(string_agg(h::text, '' ORDER BY h::text)) FROM
	(SELECT to_jsonb(t) AS h FROM sdc.hierarchy t UNION ALL
	 SELECT to_jsonb(t) FROM sdc.hierarchy_value t) AS a};
is_deeply([ workers_say($hierarchies) ], [ (ask($hierarchies)) x 2 ],
	'workers have the hierarchies');
my ($out, $error) = attempt(
	q{SELECT sdc.create_hierarchy('own', 'interval', '{"levels": [[1], []]}')},
	port => worker(1));
like($error, qr/a worker cannot create a hierarchy/, 'a worker makes none of its own');
($out, $error) = attempt(q{SELECT sdc.pseudonym('x', 'own')}, port => worker(1));
like($error, qr/a worker cannot make the key of a pseudonym domain/,
	'a worker makes no key of its own');
($out, $error) = attempt(q{SELECT count(sdc.pseudonym(sex::text, 'a study')) FROM distributed.people});
like($error, qr/a worker cannot make the key/, 'nor in a part of a query');
is(ask(q{SELECT count(*) FROM sdc.secret}), 0, 'and there is none');
my $one = ask(q{SELECT sdc.pseudonym('x', 'direct')});
is_deeply([ workers_say(q{SELECT sdc.pseudonym('x', 'direct')}) ], [ $one, $one ],
	'a key that the coordinator makes is everywhere');
is(ask(q{SELECT max(n) FROM (SELECT count(DISTINCT p) AS n FROM
	(SELECT age, sdc.pseudonym(age::text, 'direct') AS p
	 FROM distributed.people OFFSET 0) AS s GROUP BY age) AS t}), 1,
	'a value has one pseudonym on all servers');
is(ask(q{SELECT sdc.forget_pseudonyms('direct')}), 't', 'a key is forgotten');
is_deeply([ workers_say(q{SELECT count(*) FROM sdc.secret}) ], [ 0, 0 ], 'everywhere');
is(ask(q{BEGIN; SELECT sdc.pseudonym('x', 'direct'); ROLLBACK;
	SELECT count(*) FROM sdc.secret}) =~ s/.*\n//r, 0, 'a key that is rolled back');
is_deeply([ workers_say(q{SELECT count(*) FROM sdc.secret}) ], [ 0, 0 ], 'is nowhere');

# Each server masks its own rows.
my $rules = q{{"disease": {"method": "pseudonym", "domain": "a study"},
	"income": {"method": "top_code", "upper": 900},
	"age": {"method": "generalize", "hierarchy": "tens", "level": 1},
	"at": {"method": "null"}, "pieces": {"method": "round_to", "base": 2},
	"id": {"method": "keep"}}};
foreach my $kind (grep { $_ ne 'plain' } sort keys %kind)
{
	my $lies = ask(qq{
		SET client_min_messages = error;
		DROP TABLE IF EXISTS expected, made;
		SELECT count(*) FROM sdc.mask('plain.people', '$rules', 'expected');
		SELECT detail FROM sdc.mask('$kind.people', '$rules', 'made')
		WHERE step = 'distribute'}) =~ s/^\d+\n?//r;
	is(content('made'), content('expected'),
		"a copy of a $kind table has the rows of that of a plain one");
	my $type = ask(q{SELECT citus_table_type || coalesce(distribution_column, '')
		FROM citus_tables WHERE table_name = 'made'::regclass});
	my %type = (reference => 'reference<none>', managed => '');
	is($type, $type{$kind} // 'distributedid', "and lies as a $kind table does");
	is($lies eq '', $kind eq 'managed', 'and the result says so');
	is(ask(q{SELECT count(DISTINCT colocation_id) FROM citus_tables
		WHERE table_name IN ('made'::regclass, 'distributed.people'::regclass)}), 1,
		'beside its table') if $kind eq 'distributed';
	ask('DROP TABLE made, expected');
}
is(ask(qq{SELECT count(*) FROM run_command_on_workers('SELECT count(*) FROM sdc.secret')
	WHERE result = '1'}), 2, 'the key of the domain is on all workers');
like((attempt(qq{EXPLAIN (COSTS off) INSERT INTO distributed.people
	SELECT id, age, sex, sdc.top_code(income, 9::float8), sdc.known_pseudonym(disease,
	'a study', NULL, 'hex'), at, pieces, buyer FROM distributed.people
	ORDER BY id}))[0],
	qr/^Custom Scan \(Citus Adaptive\)/, 'such a statement stays on the workers');

# Rows lie in an order that what is published makes: not in that they lay in.
# A primary key that stays as it is orders them alone; one that is masked may not tell them apart.
my $income = '"income": {"method": "round_to", "base": 100}';
foreach my $case (['7', '', $income], ['i', '', $income], ['i', 'PRIMARY KEY (home, id)', $income],
	['i', 'PRIMARY KEY (home, id)', qq{"id": {"method": "round_to", "base": 1000}, $income}])
{
	my ($id, $key, $rules) = @$case;
	my %lies;

	foreach my $direction ('ASC', 'DESC')
	{
		ask(qq{SET client_min_messages = error; DROP TABLE IF EXISTS ranked, made;
			CREATE TABLE ranked (home int, id int, kind smallint, income int, note text${\($key && ", $key")});
			SELECT create_distributed_table('ranked', 'home');
			INSERT INTO ranked SELECT 7, $id, i % 3, 1000 - i, 'note ' || i % 5
				FROM generate_series(1, 500) AS i ORDER BY i $direction;
			SELECT count(*) FROM sdc.mask('ranked', '{$rules}', 'made')});
		$lies{$direction} = ask("SELECT string_agg(concat(m), ' ') FROM (SELECT * FROM made) AS m");
	}
	ok(length $lies{ASC} > 500 && $lies{ASC} eq $lies{DESC},
		"rows lie as they did in no way, the second column is $id $key, $rules");
}
ask(q{SET client_min_messages = error; DROP TABLE IF EXISTS ranked, made;
	CREATE TABLE ranked (id int, income int, note json);
	SELECT create_distributed_table('ranked', 'id');
	INSERT INTO ranked SELECT 7, 1000 - i, '{}' FROM generate_series(1, 500) AS i;
	SELECT count(*) FROM sdc.mask('ranked', '{"income": {"method": "round_to", "base": 1000, "random": true}}', 'made')});
is(ask('SELECT count(*) FROM (SELECT income, lag(income) OVER () AS before FROM made) AS m
	WHERE income < before'), 0, 'rows that differ in what was masked only lie in the order of that');
ask('DROP TABLE ranked, made');

# The column that says where a row is may change: then rows move.
ask(q{SELECT count(*) FROM sdc.mask('distributed.people',
	'{"id": {"method": "pseudonym", "domain": "a study", "format": "digits"}}', 'made')});
is(ask(q{SELECT count(*) FROM made m JOIN (SELECT sdc.pseudonym(id::text, 'a study',
	NULL, 'digits')::int AS id, age, income FROM plain.people OFFSET 0) AS p
	USING (id, age, income)}), 400, 'the column of the shards is masked too');
ask('DROP TABLE made');
($out, $error) = attempt(q{SELECT * FROM sdc.mask('distributed.people',
	'{"id": {"method": "null"}}', 'made')});
like($error, qr/^ERROR/, 'but not with NULL');
is(ask(q{SELECT count(*) FROM pg_class WHERE relname = 'made'}), 0, 'and nothing is left');

# What needs all rows is refused when it is planned.
foreach my $rule (
	'"income": {"method": "romm", "alpha": 1}',
	'"disease": {"method": "anatomize", "l": 2}',
	'"age,sex": {"method": "suppress", "k": 3}',
	'"*": {"method": "sample_rows", "p": 10}')
{
	foreach my $dry ('false', 'true')
	{
		($out, $error) = attempt(qq{SELECT * FROM sdc.mask('distributed.people',
			'{$rule}', 'made', dry_run => $dry)});
		like($error, qr/^ERROR:  method ".*" cannot mask the distributed relation "people"\nDETAIL:  .* Each server has only some of them\.\nHINT:/,
			"refused: $rule, dry run $dry");
	}
}
is(ask(q{SELECT count(*) FROM sdc.mask('distributed.people',
	'{"income": {"method": "rank_swap", "p": 5, "strata": "sex"}}', 'pg_temp.made');
	SELECT count(*), sum(income) FROM made}) =~ s/.*\n//r,
	ask(q{SELECT count(*), sum(income) FROM distributed.people}),
	'a temporary copy is made on this server, by any rule');
foreach my $kind (grep { $_ ne 'plain' } sort keys %kind)
{
	my $before = ask("SELECT md5(string_agg(p::text, '' ORDER BY id)) FROM $kind.people AS p");

	foreach my $dry ('false', 'true')
	{
		($out, $error) = attempt(qq{SELECT * FROM sdc.mask('$kind.people',
			'{"sex": {"method": "null"}}', dry_run => $dry)});
		like($error, qr/cannot be masked in place\nDETAIL:  Its rows are in shards/,
			"a $kind table is not masked in place, dry run $dry");
	}
	is(ask("SELECT md5(string_agg(p::text, '' ORDER BY id)) FROM $kind.people AS p"),
		$before, 'and stays as it is');
}
($out, $error) = attempt(q{SELECT * FROM sdc.mask('distributed.people',
	'{"sex": {"method": "keep"}, "pieces": {"method": "top_code", "upper": 99}}', 'made')});
like($error, qr/WARNING:  the rule of "pieces" leaves every value/,
	'a rule that changes nothing is told');
ask('DROP TABLE made');

# Rights are those of the coordinator.
ask(q{CREATE ROLE steward LOGIN; CREATE ROLE stranger LOGIN;
	GRANT SELECT ON distributed.people TO steward, stranger;
	GRANT USAGE ON SCHEMA distributed TO steward, stranger;
	GRANT CREATE ON SCHEMA public TO steward, stranger;
	GRANT EXECUTE ON FUNCTION sdc.pseudonym(text, text, text, text) TO steward;
	SELECT sdc.synchronize_workers()});
is_deeply([ workers_say(q{SELECT has_function_privilege('steward', oid, 'EXECUTE'),
	has_function_privilege('stranger', oid, 'EXECUTE') FROM pg_proc
	WHERE oid = 'sdc.pseudonym(text,text,text,text)'::regprocedure}) ],
	[ 't|f', 't|f' ], 'rights are brought to the workers');
my $pseudonym = q{'{"disease": {"method": "pseudonym", "domain": "of steward"}}'};
my $mask = qq{SELECT count(*) FROM sdc.mask('distributed.people', $pseudonym, 'made')};
($out, $error) = attempt($mask, user => 'steward');
like($error, qr/has no key\nHINT:  Make it first/, 'a plain role makes the key first');
ask("SELECT sdc.pseudonym('', 'of steward')", user => 'steward');
ask($mask, user => 'steward');
is(ask('SELECT count(DISTINCT disease) FROM made'), 3, 'a plain role with the right makes pseudonyms');
is(ask(q{SELECT sum(result::int) FROM run_command_on_workers($$SELECT count(*) FROM sdc.secret
	WHERE domain = 'of steward'$$)}), 2, 'and a key on all servers');
($out, $error) = attempt(qq{SELECT * FROM sdc.mask('distributed.people', $pseudonym, 'other')},
	user => 'stranger');
like($error, qr/permission denied for function/, 'without the right it does not');
foreach my $call (q{sdc.known_pseudonym('1', 'of steward')},
	q{sdc.synchronize_workers()},
	q{sdc_internal.take_rows('secret', 'domain', '{"value": null, "rows": []}')},
	q{sdc_internal.take_grants('[]')})
{
	($out, $error) = attempt("SELECT $call", user => 'stranger', port => worker(1));
	like($error, qr/permission denied/, "a stranger on a worker: $call");
}
ask(q{REVOKE EXECUTE ON FUNCTION sdc.pseudonym(text, text, text, text) FROM steward;
	SELECT sdc.synchronize_workers()});
is_deeply([ workers_say(q{SELECT has_function_privilege('steward',
	'sdc.pseudonym(text,text,text,text)', 'EXECUTE')}) ], [ 'f', 'f' ], 'rights are taken away');
ask(q{SELECT sdc.forget_pseudonyms('of steward')});
is(ask(q{SELECT sum(result::int) FROM run_command_on_workers($$SELECT count(*) FROM sdc.secret
	WHERE domain = 'of steward'$$)}), 0, 'forgotten everywhere');
ask(q{DROP TABLE made; DROP OWNED BY steward, stranger; DROP ROLE steward, stranger});
is(ask(q{SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
	WHERE nspname = 'sdc' AND relname LIKE 'c\_%'}), 0, 'no table of the way is left');
done_testing();
