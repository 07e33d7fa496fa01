# What becomes of releases when a database is dumped and restored: keys are not
# dumped, so nothing of before can be verified or exported until a superuser
# puts them back, and each verdict says why.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
my @server = ('-h', $node->host, '-p', $node->port);

sub ask
{
	my ($query, $database) = @_;

	return $node->safe_psql($database // 'postgres', $query);
}

sub verdict
{
	my ($release, $database) = @_;

	return ask("SELECT intact || ' ' || detail FROM sdc.verify_release($release)", $database);
}

ask(q{
	CREATE EXTENSION sdc;
	CREATE ROLE publisher;
	CREATE SCHEMA pub AUTHORIZATION publisher;
	SELECT sdc.grant_to('publisher', 'publisher');
	CREATE TABLE people AS SELECT i AS id, 20 + i % 50 AS age, i * 7919 % 1000 AS income
		FROM generate_series(1, 500) AS i;
	ALTER TABLE people OWNER TO publisher;
	SET ROLE publisher;
	SELECT sdc.declare('people', id => 'id', keys => '{age}', sensitive => '{income}');
	SELECT sdc.create_policy('p', 'people', '{"income": {"method": "shuffle"}}',
		'[{"measure": "k_anonymity", ">=": 5}]', '{"schema": "pub", "attacks": ["exact"]}');
	CALL sdc.release('p')});
my $first = ask(q{SELECT max(release) FROM sdc.releases('p')});
my $intact = 'true It is what was published.';
is(verdict($first), $intact, 'verified where it was made');

my $dump = $node->basedir . '/dump.sql';
$node->command_ok([ 'pg_dump', '--no-sync', @server, '-f', $dump, 'postgres' ], 'dumped');
my $key = ask(q{SELECT encode(key, 'hex') FROM sdc.policy_key});
is(length $key, 64, 'a key');
unlike(slurp_file($dump), qr/$key/, 'that is not in the dump');
foreach my $database (qw(anew again))
{
	ask("CREATE DATABASE $database");
	$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', @server, '-f', $dump, $database ],
		"$database: restored");
	like(verdict($first, $database), qr/^false It was signed with a key that this database does not have/,
		"$database: without the key it is not verified, and the verdict says why");
}

# Nor does another policy draw for the same columns there: what the first one
# published is out, and nobody could tell what both show together.
my $other = q{SET ROLE publisher;
	SELECT sdc.create_policy('%s', 'people', '{"%s": {"method": "%s"}}', '[{"measure": "k_anonymity", ">=": 5}]',
		'{"schema": "pub", "table": "%s", "attacks": ["exact"] %s}');
	CALL sdc.release('%s')};
sub refused
{
	my ($name, $column, $method, $params, $database) = @_;

	my (undef, undef, $message) = $node->psql($database,
		sprintf($other, $name, $column, $method, $name, $params, $name), on_error_stop => 1);
	return $message =~ /draws everything anew.*What policy "p" published of the same columns is not known/s;
}
ok(refused('q', 'income', 'shuffle', '', 'again'), 'another policy over the same columns is refused');
ok(!refused('r', 'age', 'shuffle', '', 'again'), 'one over other columns is not');
ok(!refused('s', 'income', 'null', '', 'again'), 'nor one that draws nothing');
ok(!refused('t', 'income', 'shuffle', ', "apart": ["p"]', 'again'), 'nor one whose reader does not have the first');
is(ask(q{SELECT string_agg(policy || ' ' || status, ', ' ORDER BY release) FROM sdc.release_history}, 'again'),
	'p published, q failed, r published, s published, t published', 'as the history says');
ok(!refused('q', 'income', 'shuffle', '', 'postgres'), 'and none where what was published is remembered');

# Released anew, which its params must allow, the policy has another key.
ask(q{SET ROLE publisher;
	SELECT sdc.create_policy(jsonb_set(sdc.policy_json('p'), '{relations,0,params,anew}', 'true'));
	CALL sdc.release('p')}, 'anew');
my $second = ask(q{SELECT max(release) FROM sdc.releases('p')}, 'anew');
is(verdict($second, 'anew'), $intact, 'a release of after the restore is verified');
like(verdict($first, 'anew'), qr/^false It was signed with another key than the policy has now/,
	'one of before has another key, which is no change of the history');
isnt(ask('SELECT key FROM sdc.policy_key', 'anew'), "\\x$key", 'it is another key');

# The key put back by a superuser, and by nobody else.
my ($code, $out, $error) = $node->psql('again',
	"SET ROLE publisher; INSERT INTO sdc.policy_key VALUES ('p', '\\x$key')");
like($error, qr/permission denied/, 'the owner of a policy does not write keys');
($code, $out, $error) = $node->psql('again', 'SET ROLE publisher; TABLE sdc.policy_key');
like($error, qr/permission denied/, 'nor reads them');
ask("INSERT INTO sdc.policy_key (policy, key) VALUES ('p', '\\x$key')", 'again');
is(verdict($first, 'again'), $intact, 'with its key it is verified');
ask('UPDATE pub.people SET income = income + 1 WHERE income < 100', 'again');
is(verdict($first, 'again'), 'false It does not have the rows that were released.',
	'unless its rows were changed');
ask(q{UPDATE sdc.release_history SET measures = measures || '{"good": true}'}, 'again');
is(verdict($first, 'again'), 'false The history of the release was changed.', 'or its history');
ask(q{UPDATE sdc.release_history SET signature = right(signature, 64)}, 'again');
like(verdict($first, 'again'), qr/^false /, 'a signature that was cut is none');

$node->stop;
done_testing();
