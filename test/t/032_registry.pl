# The registry is the only list of masking methods: a method that test/registry
# adds there, and nowhere else, is one of sdc.mask, of policies, of the gate,
# of the attack that knows the rules, and of frontier.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $fake = "$ENV{TESTDIR}/sdc_fake.so";

plan skip_all => 'the library with fake rows was not built' unless -f $fake;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

sub run
{
	return $node->safe_psql('postgres', $_[0]);
}

# What a statement that fails says.
sub complaint
{
	my ($result, $out, $error) = $node->psql('postgres', $_[0]);

	isnt($result, 0, "refused: $_[0]");
	return $error;
}

run(q{
	CREATE EXTENSION sdc;
	CREATE TABLE people (id int PRIMARY KEY, age int, income int);
	INSERT INTO people SELECT i, 20 + i * 7 % 60, i * i % 9973
	FROM generate_series(1, 400) AS i;
	SELECT sdc.declare('people', 'id', keys => '{age}',
		sensitive => '{income}')});

my $rules = q{'{"age": {"method": "fake_floor", "step": 10}}'};

# Without the row nobody knows the method.
like(complaint(qq{SELECT * FROM sdc.mask('people', $rules, target => 'm')}),
	qr/unknown method "fake_floor"/, 'sdc itself does not have it');

# The same functions, of the library with the row.
run(qq{UPDATE pg_proc SET probin = '$fake' WHERE probin = '\$libdir/sdc'});

is( run(q{SELECT says FROM sdc.help('methods') WHERE topic ~ 'fake_floor'}),
	'Numbers become the multiple of step below them.', 'help has it');
run(qq{SELECT * FROM sdc.mask('people', $rules, target => 'm', seed => 1)});
is( run(q{SELECT count(*) FROM people JOIN m USING (id)
		WHERE m.age <> people.age / 10 * 10 OR m.income <> people.income}),
	0, 'sdc.mask writes what the row says');
like(
	complaint(
		q{SELECT sdc.create_policy('p', 'people',
			'{"age": {"method": "fake_floor", "step": 0}}', '[]')}),
	qr/key "step" in the rule of "age" must be a number above 0, at most 1000000/,
	'a policy checks its keys');
like(
	complaint(
		q{SELECT sdc.create_policy('p', 'people',
			'{"age": {"method": "fake_floor", "width": 2}}', '[]')}),
	qr/Method "fake_floor" has the keys step\./, 'and names them');

# The intruder who knows the rule: as many candidates as have the same floor.
is( run(qq{SELECT count(*) FILTER (WHERE n.candidates <> c.candidates)
		FROM (SELECT DISTINCT id, candidates FROM sdc.attack_transparency(
			'people', 'm', $rules, 'id', '{age}')) AS n
		JOIN (SELECT id::text, count(*) OVER (PARTITION BY age / 10)
			AS candidates FROM people) AS c USING (id)}),
	0, 'attack_transparency intersects what the row says');

run(qq{SELECT sdc.create_policy('p', 'people', $rules,
	'[{"attack": "transparency", "stat": "reid_k", "<=": 0.05}]',
	'{"schema": "public", "table": "published", "id": "id"}');
	CALL sdc.release('p', seed => 4611686018427387905)});
is(run(q{SELECT string_agg(status, ',') FROM sdc.releases('p')}),
	'published', 'the gate measures and publishes');

is( run(qq{SELECT count(DISTINCT rules) FROM sdc.frontier('people',
		'{"age": {"method": "fake_floor", "step": [5, 10, 20]}}',
		'id', '{age}', '{income}', '[]', '{"risk": {"attack": "transparency"}}', 1)}),
	3, 'frontier varies it');
is( run(qq{SELECT count(DISTINCT rules -> 'age' -> 'step') > 1
		FROM sdc.search_rules('p', '5s', 1)}),
	't', 'search_rules turns its strength');

$node->stop;
done_testing();
