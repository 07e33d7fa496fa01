# A release that pg_cron runs: as its owner, in both ways that pg_cron has; it
# survives kill -9 of the server at two points.  "@reboot" runs a job when the
# server starts, so nothing waits for a minute; SDC_TEST_LONG adds one that
# does.  Skipped without pg_cron.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
my $host = $node->host;

sub ask
{
	return $node->safe_psql('postgres', $_[0]);
}

# As a role; returns what psql prints, and the error.
sub ask_as
{
	my ($role, $query) = @_;
	my ($out, $error);

	$node->psql('postgres', "SET ROLE $role;\n$query",
		stdout => \$out, stderr => \$error);
	return ($out, $error);
}

ask(q{
	CREATE EXTENSION sdc;
	CREATE ROLE publisher LOGIN;
	CREATE ROLE other LOGIN;
	GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA sdc TO publisher, other;
	GRANT EXECUTE ON PROCEDURE sdc.release(text, text, bigint) TO publisher;
	CREATE SCHEMA AUTHORIZATION publisher;
	CREATE SCHEMA pub AUTHORIZATION publisher;
	SET ROLE publisher;
	CREATE TABLE publisher.people AS
	SELECT i AS id, 20 + i % 50 AS age, 0 AS mark, 1000 + i AS income
	FROM generate_series(1, 2000) AS i;
	SELECT sdc.declare('publisher.people', id => 'id', keys => '{age}',
		sensitive => '{income}', insensitive => '{mark}');
	SELECT sdc.create_policy(x, 'publisher.people',
		'{"income": {"method": "shuffle"}}',
		'[{"measure": "k_anonymity", ">=": 5}]',
		'{"schema": "pub", "attacks": ["distance"]}')
	FROM unnest(ARRAY['nightly', E'a''b\\\\c "d"; $$']) AS x});

# Without pg_cron, and with somebody's schema that looks like it.
my (undef, $error) = ask_as('publisher', q{SELECT sdc.schedule('nightly', '0 3 * * *')});
like($error, qr/ERROR:  extension pg_cron is not in this database/, 'without pg_cron');
like($error, qr/HINT:  .*pg_cron/, 'and what to do');
ask(q{
	CREATE SCHEMA cron;
	CREATE FUNCTION cron.schedule(text, text, text) RETURNS bigint LANGUAGE sql
	AS 'SELECT 666::bigint';
	GRANT USAGE ON SCHEMA cron TO PUBLIC});
(undef, $error) = ask_as('publisher', q{SELECT sdc.schedule('nightly', '0 3 * * *')});
like($error, qr/pg_cron is not in this database/, 'a schema of that name is not pg_cron');
ask('DROP SCHEMA cron CASCADE');

if (ask(q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_cron'}) eq '0')
{
	note 'pg_cron is not installed: the rest is skipped';
	$node->stop;
	done_testing();
	exit;
}

$node->append_conf(
	'postgresql.conf', qq{
	shared_preload_libraries = 'pg_cron'
	cron.database_name = 'postgres'
	cron.host = '$host'
	max_prepared_transactions = 4});
$node->restart;
ask('CREATE EXTENSION pg_cron; GRANT USAGE ON SCHEMA cron TO publisher, other');

# Jobs: made, replaced, removed; names and literals are quoted.
my ($job) = ask_as('publisher', q{SELECT sdc.schedule('nightly', '0 3 * * *')});
my $jobs = q{SELECT string_agg(username || ' ' || schedule || ' ' || command,
	E'\n' ORDER BY jobid) FROM cron.job};
is(ask($jobs),
	q{publisher 0 3 * * * CALL sdc.release(policy => 'nightly', target => NULL)},
	'a job is made, of the caller');
my ($again) = ask_as('publisher', q{SELECT sdc.schedule('nightly', '@reboot', 'pub.people')});
is($again, $job, 'again: the job is the same');
is(ask($jobs),
	q{publisher @reboot CALL sdc.release(policy => 'nightly', target => 'pub.people')},
	'and replaced');
(undef, $error) = ask_as('publisher', qq{SELECT sdc.schedule(p.policy, '0 4 * * *', p.policy)
	FROM (SELECT E'a''b\\\\c "d"; \$\$' AS policy) AS p});
is($error, '', 'a hostile name');
is( ask(q{SELECT command FROM cron.job WHERE schedule = '0 4 * * *'}),
	q{CALL sdc.release(policy => E'a''b\\\\c "d"; $$', target => E'a''b\\\\c "d"; $$')},
	'is quoted');
(undef, $error) = ask_as('publisher', q{SELECT sdc.schedule('nightly', 'whenever')});
isnt($error, '', 'a schedule that is none is an error');
(undef, $error) = ask_as('other', q{SELECT sdc.schedule('nightly', '0 3 * * *')});
like($error, qr/policy "nightly"/, 'others cannot schedule the policy');
my ($ended, $said) = ask_as('other', q{SELECT sdc.schedule('nightly', NULL)});
is("$ended$said", '', 'nor end its schedule');
($ended) = ask_as('publisher', q{SELECT sdc.schedule(E'a''b\\\\c "d"; $$', NULL)});
like($ended, qr/^\d+$/, 'the owner ends one');
($ended, $error) = ask_as('publisher', q{SELECT sdc.schedule(E'a''b\\\\c "d"; $$', NULL)});
is("$ended$error", '', 'once');
is(ask('SELECT count(*) FROM cron.job'), '1', 'and one is left');

# A search_path that shadows operators, each a trap.
ask(q{
	CREATE SCHEMA hostile;
	GRANT USAGE ON SCHEMA hostile TO publisher;
	CREATE FUNCTION hostile.trap(name, name) RETURNS boolean LANGUAGE plpgsql
	AS 'BEGIN RAISE EXCEPTION ''trapped''; END';
	CREATE FUNCTION hostile.trap(oid, oid) RETURNS boolean LANGUAGE plpgsql
	AS 'BEGIN RAISE EXCEPTION ''trapped''; END';
	CREATE FUNCTION hostile.trap(text, text) RETURNS boolean LANGUAGE plpgsql
	AS 'BEGIN RAISE EXCEPTION ''trapped''; END';
	CREATE OPERATOR hostile.= (FUNCTION = hostile.trap, LEFTARG = name, RIGHTARG = name);
	CREATE OPERATOR hostile.= (FUNCTION = hostile.trap, LEFTARG = oid, RIGHTARG = oid);
	CREATE OPERATOR hostile.= (FUNCTION = hostile.trap, LEFTARG = text, RIGHTARG = text)});
($again, $error) = ask_as('publisher', q{
	SET search_path = hostile, pg_catalog;
	SELECT sdc.schedule('nightly', '@reboot', 'pub.people')});
is("$again $error", "$job ", 'a hostile search_path traps nothing');
($again, $error) = ask_as('publisher', q{
	SET search_path = hostile, pg_catalog;
	SELECT sdc.schedule('no such job', NULL)});
is("$again$error", '', 'nor when a schedule is ended');

sub statuses
{
	return ask(q{SELECT string_agg(status, ' ' ORDER BY release)
		FROM sdc.releases('nightly')});
}

sub wait_for
{
	my ($query, $name) = @_;

	ok($node->poll_query_until('postgres', $query), $name)
	  or diag(ask('SELECT release, status, reason FROM sdc.release_history'));
}

sub wait_for_status
{
	my ($status, $name) = @_;

	wait_for(qq{SELECT (SELECT status FROM sdc.releases('nightly')
		ORDER BY release DESC LIMIT 1) IS NOT DISTINCT FROM '$status'}, $name);
}

sub published
{
	return ask(q{SELECT count(*) || ' ' || min(mark) || ' ' || max(mark)
		FROM pub.people});
}

# It runs, as its owner; by a connection, then by a worker of the server.
$node->restart;
wait_for_status('published', 'pg_cron runs it');
is(ask(q{SELECT released_by FROM sdc.release_history}), 'publisher', 'as its owner');
is(published(), '2000 0 0', 'and it is published');

# kill -9 of the server while it runs.  A prepared transaction keeps its lock
# over restarts, and so holds the job at a point.
my $mark = 0;
my %points = (
	'before it reads' => 'publisher.people',
	'masked and judged' => 'pub.people');
foreach my $workers ('off', 'on')
{
	$node->append_conf('postgresql.conf', "cron.use_background_workers = $workers");
	foreach my $point (sort keys %points)
	{
		my $name = "workers $workers, $point";
		my $before = published();

		$mark++;
		ask("UPDATE publisher.people SET mark = $mark");
		ask(q{UPDATE cron.job SET active = false});
		ask("BEGIN; LOCK TABLE $points{$point} IN ACCESS EXCLUSIVE MODE;
			PREPARE TRANSACTION 'hold'");
		ask(q{UPDATE cron.job SET active = true});
		$node->restart('immediate');
		wait_for_status('running', "$name: pg_cron runs it");
		wait_for(q{SELECT count(*) > 0 FROM pg_stat_activity
			WHERE wait_event_type = 'Lock' AND query ~ 'release'},
			"$name: it is held there");
		ask(q{UPDATE cron.job SET active = false});
		$node->kill9;
		# backends that outlive the server hold its shared memory for a while
		foreach (1 .. 300)
		{
			last if $node->start(fail_ok => 1);
			$node->stop('fast', fail_ok => 1);
			usleep(200_000);
		}
		like(statuses(), qr/interrupted$/, "$name: it does not read as success");
		ask("ROLLBACK PREPARED 'hold'");
		is(published(), $before, "$name: the published copy is the one before");
		ask(q{UPDATE cron.job SET active = true});
		$node->restart;
		wait_for_status('published', "$name: the next run publishes");
		is(published(), "2000 $mark $mark", "$name: one whole release");
	}
}

# A refused release is an error of the job, too.
ask_as('publisher', q{SELECT sdc.create_policy('nightly', 'publisher.people',
	'{"income": {"method": "shuffle"}}',
	'[{"measure": "k_anonymity", ">=": 5000}]', '{"schema": "pub"}')});
$node->restart;
wait_for_status('refused', 'a refused release');
wait_for(q{SELECT (SELECT status FROM cron.job_run_details
	ORDER BY runid DESC LIMIT 1) = 'failed'}, 'is a failed job');

SKIP:
{
	skip 'waits for a minute; set SDC_TEST_LONG', 2 unless $ENV{SDC_TEST_LONG};
	ask_as('publisher', q{SELECT sdc.schedule('nightly', '* * * * *')});
	my $runs = ask('SELECT count(*) FROM sdc.release_history');
	wait_for("SELECT count(*) > $runs FROM sdc.release_history", 'every minute');
	ask_as('publisher', q{SELECT sdc.schedule('nightly', NULL)});
	is(ask('SELECT count(*) FROM cron.job'), '0', 'and ended');
}

$node->stop;
done_testing();
