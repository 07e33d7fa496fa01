# The view sdc.progress and the NOTICE lines: who sees what, when a row comes
# and when it goes.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "sdc.progress_interval = 0");
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sdc;
	CREATE ROLE owner LOGIN;
	CREATE ROLE other LOGIN;
	CREATE ROLE member LOGIN IN ROLE owner;
	CREATE ROLE monitor LOGIN IN ROLE pg_read_all_stats;
	CREATE TABLE people AS
	SELECT i AS id, md5(i::text) AS name FROM generate_series(1, 600000) AS i;
	GRANT SELECT ON people TO owner});

# Sorting long texts takes seconds, which is long enough to be looked at.
my $mask = q{SELECT count(m) FROM (SELECT sdc.rank_swap(repeat('x', 300) || name,
	5, seed => 1) OVER () AS m FROM people) AS q};

# Starts commands in a session of their own; returns it with what it says.
sub session
{
	my ($user, @commands) = @_;
	my ($said, $error) = ('', '');
	my $handle = IPC::Run::start(
		[
			'psql', '-X', '-At', '-d', $node->connstr('postgres'),
			'-U', $user, map { ('-c', $_) } @commands
		],
		'>', \$said, '2>', \$error, IPC::Run::timeout(900));

	return ($handle, \$said, \$error);
}

sub rows
{
	my ($columns, $user) = @_;

	return $node->safe_psql('postgres', "SELECT $columns FROM sdc.progress",
		extra_params => [ '-U', $user // 'owner' ]);
}

sub wait_for
{
	my ($condition) = @_;

	$node->poll_query_until('postgres',
		"SELECT EXISTS (SELECT FROM sdc.progress WHERE $condition)")
	  or die "no row with $condition";
}

sub wait_until_empty
{
	return $node->poll_query_until('postgres',
		'SELECT NOT EXISTS (SELECT FROM sdc.progress)');
}

is(rows('count(*)'), '0', 'no row before');

# A call that runs to its end.
my ($handle, $said, $error) =
  session('owner', 'SELECT pg_backend_pid()', $mask);
wait_for(q{stage = 'reading' AND percent BETWEEN 0 AND 100});
is( rows(
		q{(database, role, function)::text,
		pid IN (SELECT pid FROM pg_stat_activity), elapsed > '0s'}),
	'(postgres,owner,rank_swap)|t|t',
	'the row says who runs what');
wait_for(q{stage = 'sorting' AND percent > 0 AND remaining > '0s'});
pass('sorting shows its percentage and the time left');

my $hidden = 'pid IS NOT NULL, num_nulls(database, role, function, stage,'
  . ' percent, elapsed, remaining)';
is(rows($hidden, 'other'), 't|7', 'another role sees only the process');
like(rows($hidden, 'member'), qr/^t\|[012]$/, 'a member of the role sees all');
like(rows($hidden, 'monitor'), qr/^t\|[012]$/,
	'a member of pg_read_all_stats sees all');
$handle->finish;
is(rows('count(*)'), '0', 'no row after the end');
like($$said, qr/^\d+\n600000$/, 'the mask ran to its end');
unlike($$error, qr/NOTICE/, 'no line with sdc.progress_interval = 0');

# An error, caught or not, a cancel, the end of the session.
($handle, $said, $error) =
  session('owner', $mask, 'SELECT pg_sleep(60)');
wait_for('true');
$node->safe_psql('postgres', 'SELECT pg_cancel_backend(pid) FROM sdc.progress');
ok(wait_until_empty(), 'no row after a cancel');
is( $node->safe_psql(
		'postgres', q{SELECT count(*) FROM pg_stat_activity
		WHERE usename = 'owner' AND backend_type = 'client backend'}),
	'1',
	'while the session goes on');
$handle->kill_kill;

($handle, $said, $error) = session('owner', $mask);
wait_for('true');
$node->safe_psql('postgres',
	'SELECT pg_terminate_backend(pid) FROM sdc.progress');
ok(wait_until_empty(), 'no row after pg_terminate_backend');
$handle->finish;

is( $node->safe_psql(
		'postgres', qq{
		SET client_min_messages = error;
		CREATE FUNCTION left_after() RETURNS bigint LANGUAGE plpgsql AS \$\$
		BEGIN
			PERFORM * FROM ($mask) AS q;
			RETURN -1;
		EXCEPTION WHEN query_canceled THEN
			RETURN (SELECT count(*) FROM sdc.progress);
		END \$\$;
		SET statement_timeout = '1500ms';
		SELECT left_after()}),
	'0',
	'no row after an error that was caught');

# A cursor that stays open between two partitions holds no row.
is( $node->safe_psql(
		'postgres', q{
		BEGIN;
		DECLARE masked CURSOR FOR
			SELECT sdc.rank_swap(repeat('x', 300) || name, 5, seed => 1)
				OVER (PARTITION BY id > 10000) IS NULL
			FROM people WHERE id <= 20000 ORDER BY id > 10000;
		FETCH 1 FROM masked;
		SELECT count(*) FROM sdc.progress;
		CLOSE masked;
		COMMIT}),
	"f\n0",
	'an open cursor between two rows shows nothing');

# The lines that the client gets.
($handle, $said, $error) =
  session('owner', q{SET sdc.progress_interval = '100ms'},
	$mask =~ s/FROM people/FROM people WHERE id <= 200000/r);
$handle->finish;
like(
	$$error,
	qr/NOTICE:  rank_swap: sorting, \d+ % done, about \d+ s left/,
	'lines with percent and time left');
my ($status, $out, $err) = $node->psql('postgres',
	q{SET sdc.progress_interval = '1h';
	SELECT count(m) FROM
	(SELECT sdc.rank_swap(id, 5) OVER () AS m FROM people LIMIT 10000) AS q});
unlike($err, qr/NOTICE/, 'a call that takes less than the interval is silent');

$node->stop;
done_testing();
