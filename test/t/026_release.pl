# A release survives whatever ends it: kill -9 of the backend and of the server
# at several points, pg_terminate_backend, a cancel.  Afterwards the published
# copy is one whole release, the history says what happened, and the next
# release works.  Policies and history outlive a dump and restore, and an
# update of the extension.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);
use lib "$ENV{TESTDIR}/t";
use SdcSession;
use SdcCrash;

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'));
$node->init;
$node->append_conf('postgresql.conf', 'restart_after_crash = on');
$node->start;
my @server = ('-h', $node->host, '-p', $node->port);

sub ask
{
	my ($query, $database) = @_;

	return $node->safe_psql($database // 'postgres', $query);
}

# Each release is told apart by the constant that its rows carry.
ask(q{
	CREATE EXTENSION sdc;
	CREATE ROLE reader;
	CREATE SCHEMA pub;
	CREATE TABLE people AS
	SELECT i AS id, 'canary ' || i AS name, 20 + i % 50 AS age, 0 AS mark,
		1000 + i AS income
	FROM generate_series(1, 1000) AS i;
	ALTER TABLE people ADD PRIMARY KEY (id);
	SELECT sdc.declare('people', id => 'id', identifiers => '{name}',
		keys => '{age}', sensitive => '{income}', insensitive => '{mark}');
	SELECT sdc.create_policy('nightly', 'people',
		'{"income": {"method": "shuffle"}}',
		'[{"measure": "k_anonymity", ">=": 5}]',
		'{"schema": "pub", "attacks": ["distance"]}')});
ask(q{CALL sdc.release('nightly')});
ask('GRANT USAGE ON SCHEMA pub TO reader; GRANT SELECT ON pub.people TO reader');

# What is published as it was written is read neither for its digest nor to be
# counted; where the text of a value depends on a setting it is read for that.
foreach my $case ([ 'numbers and texts', 'numeric', 0 ], [ 'intervals', 'interval', 1 ])
{
	my ($name, $type, $scans) = @$case;

	ask(qq{CREATE TABLE of_$type AS
		SELECT i AS id, 20 + i % 7 AS age, 'r' || i % 3 AS region, (i % 20)::text::$type AS paid
		FROM generate_series(1, 1000) AS i;
		SELECT sdc.declare('of_$type', keys => '{age,region}', insensitive => '{id,paid}');
		SELECT sdc.create_policy('of_$type', 'of_$type', '{"age": {"method": "top_code", "upper": 24}}',
			'[{"measure": "k_anonymity", ">=": 5}]', '{"attacks": []}')});
	ask(qq{CALL sdc.release('of_$type', target => 'shown_$type')});
	# before PostgreSQL 15 a session tells what it counted at the end of a statement, if half a second has passed
	ask('SELECT pg_sleep(1)');
	ok( $node->poll_query_until(
			'postgres',
			"SELECT n_tup_ins = 1000 FROM pg_stat_all_tables WHERE relname = 'shown_$type'"),
		"$name: the rows were counted");
	is( ask("SELECT seq_scan FROM pg_stat_all_tables WHERE relname = 'shown_$type'"),
		$scans, "$name: the published table was read $scans times");
	is( ask(qq{SELECT v.intact FROM sdc.releases('of_$type') AS r, sdc.verify_release(r.release) AS v}),
		't', "$name: it is what was published");
	ask("SELECT sdc.declare('of_$type'); SELECT sdc.drop_policy('of_$type');"
		  . " DROP TABLE of_$type, shown_$type");
}
my $mark = 0;

# What is published: all rows of one release, readable by whom it was before.
sub published_whole
{
	my ($expected, $name) = @_;

	is( ask(q{SELECT count(*) || ' ' || count(DISTINCT income) || ' ' || min(mark)
			|| ' ' || max(mark) || ' ' || has_table_privilege('reader', 'pub.people', 'SELECT')
			FROM pub.people}),
		"1000 1000 $expected $expected true",
		"$name: the published copy is one whole release");
	is( ask(q{SELECT string_agg(relname, ' ') FROM pg_class
			WHERE relnamespace = 'pub'::regnamespace}),
		'people',
		"$name: nothing else is left");
}

sub last_status
{
	return ask(q{SELECT status FROM sdc.releases('nightly')
		ORDER BY release DESC LIMIT 1});
}

# Waits until the server answers again, all locks of before being gone.
sub wait_for_server
{
	foreach (1 .. 600)
	{
		my ($code, $out) = $node->psql('postgres', 'SELECT 1');

		return if defined $code && $code == 0;
		usleep(100_000);
	}
	die 'the server does not come back';
}

# Starts a release that is to be killed; returns its handle and process.
sub start_release
{
	my $release = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $release->query_safe('SELECT pg_backend_pid()');

	$release->query_until(qr/started/,
		"\\echo started\nCALL sdc.release('nightly');\n");
	return ($release, $pid);
}

sub wait_until_blocked
{
	my ($pid, $name) = @_;

	ok( $node->poll_query_until(
			'postgres', "SELECT cardinality(pg_blocking_pids($pid)) > 0"),
		"$name: the release is held there");
}

# Points of a release, and what holds it there.
my %points = (
	'before it reads' =>
	  'BEGIN; LOCK TABLE people IN ACCESS EXCLUSIVE MODE',
	'masked and judged, not published' =>
	  'BEGIN; LOCK TABLE pub.people IN ACCESS EXCLUSIVE MODE',
	'published, not committed' => q{BEGIN;
		DO $$ BEGIN
			FOR i IN 1 .. 600 LOOP
				PERFORM FROM sdc.release_history
				WHERE status = 'running' FOR UPDATE;
				EXIT WHEN FOUND;
				PERFORM pg_sleep(0.1);
			END LOOP;
		END $$});

# Ways to end it.
my %ends = (
	'kill -9 of the backend' => sub {
		my ($pid) = @_;

		kill_backend($node, $pid);
	},
	'kill -9 of the server' => sub {
		$node->kill9;
		# backends that outlive the server hold its shared memory for a while
		foreach (1 .. 300)
		{
			last if $node->start(fail_ok => 1);
			$node->stop('fast', fail_ok => 1);
			usleep(200_000);
		}
		wait_for_server();
	},
	'pg_terminate_backend' => sub {
		my ($pid) = @_;

		ask("SELECT pg_terminate_backend($pid)");
		$node->poll_query_until('postgres',
			"SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $pid");
	},
	'a cancel' => sub {
		my ($pid) = @_;

		ask("SELECT pg_cancel_backend($pid)");
		$node->poll_query_until('postgres',
			"SELECT state = 'idle' FROM pg_stat_activity WHERE pid = $pid");
	});

foreach my $point (sort keys %points)
{
	foreach my $end (sort keys %ends)
	{
		my $name = "$end, $point";
		my $holder = $node->background_psql('postgres', on_error_stop => 0);
		my ($release, $pid);

		ask('UPDATE people SET mark = mark + 1');
		if ($point =~ /^published/)
		{
			# The row that is to be locked comes with the release, which must
			# not be past it before the lock is there.
			my $gate = $node->background_psql('postgres');

			$gate->query_safe($points{'before it reads'});
			($release, $pid) = start_release();
			$node->poll_query_until('postgres',
				"SELECT cardinality(pg_blocking_pids($pid)) > 0");
			$holder->query_safe($points{$point});
			$gate->query_safe('COMMIT');
			$gate->quit;
			$node->poll_query_until('postgres',
				"SELECT pg_blocking_pids($pid) = ARRAY["
				  . $holder->query_safe('SELECT pg_backend_pid()') . ']');
		}
		else
		{
			$holder->query_safe($points{$point});
			($release, $pid) = start_release();
		}
		wait_until_blocked($pid, $name);
		is(last_status(), 'running', "$name: the history has it");
		$ends{$end}->($pid);
		eval { $holder->quit };
		eval { $release->quit };
		published_whole($mark, $name);
		is( last_status(),
			$end eq 'a cancel' && $point !~ /^published/
			? 'failed'
			: 'interrupted',
			"$name: the history says what happened");
		ask(q{CALL sdc.release('nightly')});
		$mark = ask('SELECT max(mark) FROM people');
		published_whole($mark, "$name, released again");
		is(last_status(), 'published', "$name: the next release is in the history");
	}
}
is( ask(q{SELECT string_agg(DISTINCT status, ' ' ORDER BY status)
		FROM sdc.release_history}),
	'failed interrupted published',
	'what was interrupted is noted as such by the release after it');

# Killed at any time: what is published is what the last published run says.
foreach my $round (1 .. 6)
{
	my ($release, $pid);
	my $known = ask('SELECT max(release) FROM sdc.release_history');

	ask('UPDATE people SET mark = mark + 1');
	($release, $pid) = start_release();
	usleep(25_000 * $round);
	if ($round % 3 == 0) { $ends{'kill -9 of the server'}->($pid) }
	else { $ends{'kill -9 of the backend'}->($pid) }
	eval { $release->quit };
	# Killed before the release has written its first row, the last status is
	# that of the release before.
	my $status =
	  ask('SELECT max(release) FROM sdc.release_history') eq $known
	  ? 'interrupted'
	  : last_status();
	my $new = ask('SELECT max(mark) FROM people');

	like($status, qr/^(interrupted|published)$/, "round $round: $status");
	$mark = $new if $status eq 'published';
	published_whole($mark, "round $round");
}

# Dump and restore.
my $history = q{
	SELECT release, policy, status, released_by, started, finished, snapshot,
		relations, measures, reason, seeded, signature FROM sdc.releases('nightly')};
ask(q{CALL sdc.release('nightly')});
ask(q{
	CREATE TABLE dropped (id int);
	SELECT sdc.create_policy('gone', 'dropped', '{}', '[]');
	DROP TABLE dropped});
my $policy = ask(q{SELECT sdc.policy_json('nightly')});
my $before = ask($history);
my $last = ask('SELECT max(release) FROM sdc.release_history');
cmp_ok(scalar(my @lines = split /\n/, $before),
	'>', 20, 'there is something to compare');

foreach my $how ('p', 'c')
{
	my $file = $node->basedir . "/dump_$how";
	my $database = "restored_$how";

	ask("CREATE DATABASE $database");
	$node->command_ok(
		[ 'pg_dump', '--no-sync', @server, '-F', $how, '-f', $file, 'postgres' ],
		"$how: dumped");
	$node->command_ok(
		$how eq 'p'
		? [ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', @server, '-f', $file, $database ]
		: [ 'pg_restore', '--exit-on-error', @server, '-d', $database, $file ],
		"$how: restored");
	is(ask(q{SELECT sdc.policy_json('nightly')}, $database),
		$policy, "$how: the policy is the same");
	is(ask($history, $database), $before, "$how: the history is the same");
	is(ask('SELECT count(*) FROM sdc.policy_relation', $database),
		'1', "$how: the table that is gone is not");
	# what was remembered is not dumped: the next release must be allowed to forget
	my ($code, $out, $error) = $node->psql($database, q{CALL sdc.release('nightly')});
	like($error, qr/ERROR: .*draws everything anew/, "$how: the next release is refused");
	ask(q{SELECT sdc.create_policy(jsonb_set(sdc.policy_json('nightly'),
		'{relations,0,params,anew}', 'true'))}, $database);
	ask(q{CALL sdc.release('nightly')}, $database);
	cmp_ok(ask('SELECT max(release) FROM sdc.release_history', $database),
		'>', $last, "$how: the next release has a number of its own");
	is(ask('SELECT count(*) FROM pub.people', $database),
		'1000', "$how: and replaced the restored copy");
}

$node->stop;
done_testing();
