# The registry is the only list of attacks and of measures: an attack and two
# measures that test/registry adds there, and nowhere else, are words of
# policies, figures of the gate, lines of the reports and of frontier.  The
# attack is one with a small budget, so that samples are seen, too.

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

run(q{
	CREATE EXTENSION sdc;
	CREATE SCHEMA pub;
	CREATE TABLE people AS SELECT i AS id, 20 + i % 5 AS age, i % 3 AS zip
	FROM generate_series(1, 60) AS i;
	SELECT sdc.declare('people', id => 'id', keys => '{age,zip}')});

sub policy
{
	my ($constraints, $name) = @_;

	return qq{SELECT sdc.create_policy('} . ($name // 'p') . qq{', 'people', '{}',
		'$constraints', '{"schema": "pub", "attacks": ["fake"]}')};
}

# Without the rows nobody knows the words.
foreach my $kind ('attack', 'measure', 'utility')
{
	my $word = { attack => 'fake', measure => 'fake_risk', utility => 'fake_loss' }->{$kind};
	my $error;

	$node->psql('postgres', policy(qq{[{"$kind": "$word", "<=": 1}]}),
		stderr => \$error);
	like($error, qr/unknown/, "sdc itself has no $kind $word");
}

# The same functions, of the library with the rows.
run(qq{UPDATE pg_proc SET probin = '$fake' WHERE probin = '\$libdir/sdc'});

# Words of a policy, figures of the gate.
run(policy(q{[{"attack": "fake", "<=": 0.25}, {"attack": "worst", "<=": 0.2},
	{"measure": "fake_risk", "<=": 30}, {"utility": "fake_loss", "<": 0.125}]}));
is( run(q{SELECT string_agg(concat_ws(' ', place, value, passed), ', ' ORDER BY place)
		FROM sdc.check_release('p', 'people')}),
	'1 0.25 t, 2 0.25 f, 3 30 t, 4 0.125 f',
	'the gate has the figures of all rows');
like(
	run(q{SELECT detail FROM sdc.check_release('p', 'people') WHERE place = 1}),
	qr/^The attack fake finds 25\.00 of 100 records/, 'and their sentences');
unlike(run(q{SELECT * FROM sdc.check_release('p', 'people')}),
	qr/FakeValue/, 'but not the examples');

# A key of params that the row does not have.
my $error;
$node->psql('postgres',
	policy('[{"attack": "fake", "params": {"force": 1}, "<=": 1}]'),
	stderr => \$error);
like($error, qr/"people", "right"/, 'params are checked by the row');

# Beyond the budget: 5,000 pairs are 500 people, and the bound is held against
# the upper end of the interval.
run(policy(q{[{"attack": "fake", "<=": 1, "params": {"people": 1000, "right": 100}}]},
	'sampled'));
my ($value, $detail) = split /\|/, run(
	q{SELECT value, detail FROM sdc.check_release('sampled', 'people',
	'{"seed": 4}')});
like($detail, qr/Attacked were 500 of 1000 people, drawn at random/,
	'the sentence tells of the sample');
my ($low, $high) = $detail =~ /is ([\d.]+) to ([\d.]+)\./;
cmp_ok($low, '<', 0.1, 'the interval has the truth above its lower end');
cmp_ok($high, '>', 0.1, 'and below its upper end');
cmp_ok(abs($value - $high), '<', 5e-5, 'the upper end is what counts');
is( run(q{SELECT value FROM sdc.check_release('sampled', 'people', '{"seed": 4}')}),
	$value, 'the same seed draws the same people');
# 95 % intervals over 200 seeds: at least 180 of them have the truth (a number
# below has a probability of 4e-4; those of draws without replacement are wider
# than they need to be).
cmp_ok(
	run(q{SELECT count(*) FROM generate_series(1, 200) AS s,
		LATERAL sdc.check_release('sampled', 'people',
			jsonb_build_object('seed', s)) AS r
		WHERE r.value >= 0.1
		AND (regexp_match(r.detail, 'is ([0-9.]+) to'))[1]::float8 <= 0.1}),
	'>=', 180, 'intervals cover the truth');

# Lines of reports.
is( run(q{SELECT string_agg(measure || ' ' || value, ', ' ORDER BY measure)
		FROM sdc.disclosure_report('people', 'people', measures => '{fake}')
		WHERE subject = 'fake' AND value IS NOT NULL}),
	'k_reid 0, reid_d 0.25, reid_k 0.25', 'disclosure_report runs the attack');
is( run(q{SELECT concat_ws(' ', value, detail, example)
		FROM sdc.risk_report('people') WHERE measure = 'fake_risk'}),
	'30 Half of the records. FakeValue', 'risk_report has the measure');
is( run(q{SELECT concat_ws(' ', value, detail)
		FROM sdc.utility_report('people', 'people') WHERE measure = 'fake_loss'}),
	'0.125 An eighth is lost.', 'utility_report has the measure');

# help has them, as what a policy may ask for.
is( run(q{SELECT string_agg(topic, ' ' ORDER BY topic COLLATE "C")
		FROM sdc.help('measures') WHERE topic ~ 'fake'}),
	'{"measure": "fake_risk", "<=": 0} {"utility": "fake_loss", "<=": 0.1}',
	'help has the measures');
is( run(q{SELECT says FROM sdc.help('utility') WHERE topic ~ 'fake_loss'}),
	'Share, 0 to 1: always an eighth. Less is better.', 'with what they are, in their job');
is( run(q{SELECT count(*) FROM sdc.help('attacks') WHERE topic ~ '"fake"'}),
	1, 'help has the attack');

# The recipes of a mask and of a report: functions of the same library.
run(qq{
	CREATE FUNCTION fake_add(value float8, by float8) RETURNS float8
	LANGUAGE c WINDOW AS '$fake', 'sdcf_fake_add';
	CREATE FUNCTION fake_report(relation regclass, keys sdc.columns DEFAULT NULL,
		measures sdc.columns DEFAULT NULL) RETURNS SETOF sdc.measure
	LANGUAGE c STABLE AS '$fake', 'sdcf_fake_report'});
is( run(q{SELECT count(*) FROM (SELECT age, fake_add(age, 2) OVER (PARTITION BY zip) AS more
		FROM people) AS s WHERE more <> age + 2}),
	0, 'a mask made by the recipe');
$node->psql('postgres', 'SELECT fake_add(age, id) OVER () FROM people', stderr => \$error);
like($error, qr/must be the same in every row/, 'whose parameter must not vary');
is( run(q{SELECT concat_ws(' ', measure, subject, value, detail) FROM fake_report('people')}),
	'cells age, zip 15 15 cells.', 'a report made by the recipe');
is( run(q{SELECT value FROM fake_report('people', 'zip', '{records}')}),
	'60', 'with its measures and keys');

# A release and its report.
$node->psql('postgres', q{CALL sdc.release('p')}, stderr => \$error);
like($error, qr/is refused/, 'the release is refused by the rows');
my $report = run(q{SELECT sdc.report(release) FROM sdc.releases('p')});
like($report, qr/^fake +pretends +25\.0 % +0\.0 %$/m,
	'the report shows the attack in its words');
like($report, qr/^half of the records +age, zip +30 +30$/m,
	'and the measure');
unlike($report, qr/FakeValue/, 'without an example');

# Frontier: risk by the attack, loss and a constraint by the measures.
is( run(q{SELECT concat_ws(' ', risk, loss, passed) FROM sdc.frontier('people', '{}',
		constraints => '[{"measure": "fake_risk", "<=": 30}]',
		params => '{"repeats": 1, "risk": {"attack": "fake"},
			"loss": {"utility": "fake_loss"}}')}),
	'0.25 0.125 t', 'frontier measures by the rows');
is( run(q{SELECT risk >= 0.25 FROM sdc.frontier('people', '{}', params => '{"repeats": 1}')}),
	't', 'and counts the attack among the usual ones, as the row says');

done_testing();
