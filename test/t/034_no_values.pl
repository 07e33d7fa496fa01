# No value of the data in what outlives it: a table whose worst class holds
# values that occur nowhere else, a policy with a constraint for every word
# that there is, each of them refused.  Neither the error, the log of the
# server, the history, the reports of the release nor the sentences of
# check_release and frontier have any of these values.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'));
$node->init;
$node->append_conf('postgresql.conf', 'log_statement = none');
$node->start;

# The secrets: a text and a number in each role, in classes of one record.
my $secret = qr/CanaryKey|CanaryMrsSecret|98765432|87654321|CanaryCode/;

$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sdc;
	CREATE SCHEMA pub;
	CREATE TABLE people AS
	SELECT i AS id, CASE i WHEN 7 THEN 'CanaryKey' ELSE 'z' || i % 3 END AS zip,
		CASE i WHEN 7 THEN 98765432 ELSE 20 + i % 5 END AS age,
		CASE i WHEN 7 THEN 'CanaryMrsSecret' ELSE 'd' || i % 4 END AS disease,
		(CASE i WHEN 7 THEN 87654321 ELSE i % 11 END)::float8 AS debt,
		CASE i WHEN 7 THEN 'CanaryCode' ELSE 'c' || i % 2 END AS code
	FROM generate_series(1, 90) AS i;
	SELECT sdc.declare('people', id => 'id', keys => '{zip,age}',
		sensitive => '{disease,debt}', insensitive => '{code}');
	CREATE TABLE outside AS SELECT id + 1000 AS id, zip, age, disease, debt
	FROM people;
	CREATE TABLE earlier AS SELECT * FROM people WHERE id < 60});

# The words of a kind, as the error about an unknown one lists them.
sub words
{
	my ($kind) = @_;
	my $error;

	$node->psql('postgres', qq{SELECT sdc.create_policy('none', 'people', '{}',
		'[{"$kind": "no such", "<=": 1}]')}, stderr => \$error);
	die "no list of words: $error" unless $error =~ /Known are (.*?)\.(?:\n|\z)/;
	return split /, (?:and )?/, $1;
}

# What an attack needs of params.
my %params = (
	composition => '{"releases": ["earlier"]}',
	minimality => '{"groups": "code", "l": 2}',
	membership => '{"external": "outside", "repeats": 1}',
	itemset => '{"link": "people"}',
	events => '{"mapping": {"customer": "code", "item": "disease", "amount": "debt"}}');
my @constraints;
foreach my $kind ('measure', 'attack', 'disclosure', 'utility')
{
	my @words = words($kind);

	cmp_ok(scalar @words, '>=', 3, "there are words of the kind $kind");
	foreach my $word (@words)
	{
		push @constraints, sprintf '{"%s": "%s", "<": %s%s}', $kind, $word,
		  # no share is below 0, and a bound of a risk below it is an error
		  $kind eq 'utility' ? '-1e9' : '0',
		  exists $params{$word} ? qq{, "params": $params{$word}} : '';
	}
}
my $all = '[' . join(', ', @constraints) . ']';
my $keep = join ', ', map { qq("$_": {"method": "keep"}) }
  ('zip', 'disease', 'code', 'id');
my $rules = '{"debt": {"method": "rank_swap", "p": 5}, '
  . qq("age": {"method": "rank_swap", "p": 5}, $keep});

# The values are there to be told, or this test tells nothing.
like(
	$node->safe_psql('postgres',
		q{SELECT string_agg(m.example, ' ') FROM sdc.risk_report('people') AS m}),
	$secret, 'the examples of a report are values of the worst class');
unlike(
	$node->safe_psql('postgres',
		q{SELECT string_agg(concat(m.measure, m.subject, m.detail), ' ')
		FROM sdc.risk_report('people') AS m}),
	$secret, 'its sentences are not');

$node->safe_psql('postgres', qq{SELECT sdc.create_policy('p', 'people',
	'$rules', '$all', '{"schema": "pub"}')});
my $start = -s $node->logfile;
my $error;
$node->psql('postgres', q{CALL sdc.release('p', seed => 5000000000000000001)}, stderr => \$error);
like($error, qr/is refused/, 'the release is refused');
is( $node->safe_psql(
		'postgres', q{SELECT count(*) FROM sdc.releases('p') AS r,
		jsonb_array_elements(r.measures -> 0 -> 'gate') AS g
		WHERE NOT (g ->> 'passed')::boolean}),
	scalar @constraints, 'by every constraint');
is( $node->safe_psql(
		'postgres', q{SELECT string_agg(g ->> 'requirement', ', ')
		FROM sdc.releases('p') AS r,
		jsonb_array_elements(r.measures -> 0 -> 'gate') AS g
		WHERE g ->> 'requirement' LIKE 'measure l_distinct%'
			AND (g ->> 'value')::float8 = 1}),
	'measure l_distinct < 0', 'the worst class was looked at');
unlike($error, $secret, 'the error has no value');
unlike($node->safe_psql('postgres', 'SELECT * FROM sdc.release_history'),
	$secret, 'the history has no value');
foreach my $format ('text', 'markdown', 'html', 'json')
{
	unlike(
		$node->safe_psql('postgres',
			"SELECT sdc.report(release, '$format') FROM sdc.releases('p')"),
		$secret, "the report as $format has no value");
}
unlike(
	$node->safe_psql('postgres', q{SELECT * FROM sdc.check_release('p', 'people')}),
	$secret, 'the sentences of check_release have no value');
unlike(
	$node->safe_psql('postgres', qq{SELECT detail FROM sdc.frontier('people',
		rules => '$rules', constraints => '$all', params => '{"repeats": 1}',
		id => 'id', keys => '{zip,age}', sensitive => '{disease,debt}')}),
	$secret, 'the sentences of frontier have no value');

my $log = slurp_file($node->logfile, $start);
like($log, qr/is refused/, 'the log has the error');
unlike($log, $secret, 'and no value');

done_testing();
