# What a policy remembers of its versions and what is published never disagree,
# whatever ends a release: kill -9 of the backend at points of the run and at
# random, a cancel, a refusal.  Neither the memory nor the keys are dumped.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);
use lib "$ENV{TESTDIR}/t";
use SdcCrash;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'restart_after_crash = on');
$node->start;

sub ask
{
	my ($query, $database) = @_;

	return $node->safe_psql($database // 'postgres', $query);
}

ask(q{
	CREATE EXTENSION sdc;
	CREATE SCHEMA pub;
	CREATE TABLE people AS
	SELECT i AS id, (i * 7919 % 10007)::float8 AS income, i * 31 % 997 AS debt,
		7 * i AS salt FROM generate_series(1, 2000) AS i;
	ALTER TABLE people ADD PRIMARY KEY (id);
	SELECT sdc.declare('people', id => 'id', keys => '{income}',
		insensitive => '{salt,debt}');
	SELECT sdc.create_policy('nightly', 'people',
		'{"income": {"method": "add_noise", "alpha": 0.5},
		  "debt": {"method": "rank_swap", "p": 5}}',
		'[{"measure": "k_anonymity", ">=": 0}]',
		'{"schema": "pub", "attacks": []}')});
ask(q{CALL sdc.release('nightly')});

# How many values are remembered of a person and not published of him, and the
# other way round; salt is made of the id, so that what is published says whose it is.
sub differences
{
	return ask(q{
		WITH known AS (
			SELECT person, dense_rank() OVER (ORDER BY part) AS place, value[1]::float8 AS value
			FROM sdc.release_values('nightly', 'people') WHERE last IS NULL),
		out AS (
			SELECT sdc.release_digest('nightly', 'person', record_out(ROW(salt / 7))::text,
				NULL, NULL, NULL) AS person, place, value
			FROM pub.people, LATERAL (VALUES (1, income), (2, debt)) AS v (place, value))
		SELECT (SELECT count(*) FROM (TABLE known EXCEPT ALL TABLE out) AS d),
			(SELECT count(*) FROM (TABLE out EXCEPT ALL TABLE known) AS d)});
}

sub agree
{
	my ($name) = @_;

	is(differences(), '0|0', "$name: what is remembered is what is published, of each person");
	is( ask(q{SELECT string_agg(relname, ' ') FROM pg_class
			WHERE relnamespace = 'pub'::regnamespace AND relkind = 'r'}),
		'people',
		"$name: nothing else is left");
}

sub start_release
{
	my $release = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $release->query_safe('SELECT pg_backend_pid()');

	$release->query_until(qr/started/,
		"\\echo started\nCALL sdc.release('nightly');\n");
	return ($release, $pid);
}

agree('the first version');
is(ask('SELECT count(*) FROM sdc.release_value'), '4000', 'all persons, both columns');

# Changes for every run: values that move far, persons who leave and come.
my $round = 0;

sub change
{
	$round++;
	ask(qq{
		UPDATE people SET income = income + 50000, debt = debt + 1000
		WHERE id % 17 = $round % 17;
		DELETE FROM people WHERE id % 101 = $round;
		INSERT INTO people SELECT i, i * 7919 % 10007, i * 31 % 997, 7 * i
		FROM generate_series(10000 * $round, 10000 * $round + 99) AS i});
}

# Held where it is masked and judged, and where it has published but has not
# committed.
my %points = (
	'masked, not published' =>
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
foreach my $point (sort keys %points)
{
	my $holder = $node->background_psql('postgres');
	my ($release, $pid);

	change();
	if ($point =~ /not published/)
	{
		$holder->query_safe($points{$point});
		($release, $pid) = start_release();
	}
	else
	{
		($release, $pid) = start_release();
		$holder->query_safe($points{$point});
	}
	$node->poll_query_until('postgres',
		"SELECT cardinality(pg_blocking_pids($pid)) > 0")
	  or die 'the release is not held';
	kill_backend($node, $pid);
	eval { $holder->quit };
	eval { $release->quit };
	agree("killed when $point");
}

# At random.
foreach my $delay (20, 150, 400, 700, 1000, 1500)
{
	my ($release, $pid);

	change();
	($release, $pid) = start_release();
	usleep($delay * 1000);
	kill_backend($node, $pid);
	eval { $release->quit };
	agree("killed after $delay ms");
}

# The next release goes on from there.
ask(q{CREATE TABLE before AS SELECT * FROM pub.people});
ask(q{CALL sdc.release('nightly')});
agree('the release after');
cmp_ok(
	ask(q{SELECT count(*) FROM (TABLE before INTERSECT ALL TABLE pub.people) AS d}),
	'>', 500, 'most of what was published stays');

# The comparison notices when two persons have changed their values.
ask(q{
	UPDATE sdc.release_value AS v SET value = o.value
	FROM (SELECT part, person, lead(value, 1) OVER w AS value FROM sdc.release_value
		WHERE last IS NULL WINDOW w AS (PARTITION BY part ORDER BY person) LIMIT 2) AS o
	WHERE v.part = o.part AND v.person = o.person AND v.last IS NULL});
is(differences(), '2|2', 'the comparison notices values of somebody else');
ask(q{DELETE FROM sdc.release_value WHERE last IS NULL AND part =
	(SELECT min(part) FROM sdc.release_value) AND person =
	(SELECT person FROM sdc.release_value WHERE last IS NULL ORDER BY person DESC LIMIT 1)});
is(differences(), '2|3', 'and one that is forgotten');

# More rows than are written at a time, read by a plan with workers.
ask(q{
	SET min_parallel_table_scan_size = 0;
	SET parallel_setup_cost = 0;
	SET parallel_tuple_cost = 0;
	CREATE TABLE crowd AS
	SELECT i AS id, (i * 7919 % 10007)::float8 AS income FROM generate_series(1, 6000) AS i;
	SELECT sdc.declare('crowd', id => 'id', keys => '{income}');
	SELECT sdc.create_policy('crowd', 'crowd',
		'{"income": {"method": "add_noise", "alpha": 0.5}}',
		'[{"measure": "k_anonymity", ">=": 0}]',
		'{"schema": "pub", "attacks": []}');
	CALL sdc.release('crowd')});
is(ask(q{SELECT count(*) FROM sdc.release_values('crowd', 'crowd') WHERE last IS NULL}),
	'6000', 'a parallel plan does not keep a release from remembering');
ask(q{SELECT sdc.drop_policy('crowd'); DROP TABLE pub.crowd, crowd});

# A dump has neither the memory nor the key: the next release says so.
$node->command_ok(
	[ 'pg_dump', '-f', $node->basedir . '/dump.sql', $node->connstr('postgres') ],
	'a dump is made');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->command_ok(
	[ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f',
		$node->basedir . '/dump.sql', $node->connstr('restored') ],
	'and restored');
is(ask('SELECT count(*) FROM sdc.release_value', 'restored'),
	'0', 'what is remembered is not in the dump');
my ($code, $out, $err) = $node->psql('restored', q{CALL sdc.release('nightly')});
like($err, qr/ERROR: .*draws everything anew/, 'the next release is refused for it');
ask(q{SELECT sdc.create_policy(jsonb_set(sdc.policy_json('nightly'),
	'{relations,0,params,anew}', 'true'))}, 'restored');
($code, $out, $err) = $node->psql('restored', q{CALL sdc.release('nightly')});
like($err, qr/WARNING: .*draws everything anew/, 'unless its params allow it');
is($code, 0, 'then it is published');

$node->stop;
done_testing();
