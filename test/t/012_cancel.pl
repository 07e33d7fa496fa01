# A cancel is answered in every mask at a million rows, while it reads and
# while it works, and the memory is given back.
#
# Calls are listed in SdcMasks.pm; a window function of the extension without
# a call fails this test.

use strict;
use warnings;
use lib "$ENV{TESTDIR}/t";

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SdcMasks;
use SdcStop;

# Kilobytes that a backend may hold more after the error than before the call.
# A call holds some hundred MB.  The GNU malloc would keep up to 64 MB of what
# it got back for later; told a threshold, it gives all to the system.
my $kept = 16 * 1024;
$ENV{MALLOC_MMAP_THRESHOLD_} = 131072;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'jit = off');
$node->start;
SdcMasks::make_table($node);
create_processor($node);
$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION resident() RETURNS bigint LANGUAGE sql AS $$
		SELECT substring(pg_read_file('/proc/self/status')
			FROM 'RssAnon:\s+(\d+)')::bigint
	$$;
	-- Cancels the call once its progress is as asked, and returns what it has
	-- used by then; NULL if it ended before.
	CREATE FUNCTION cancel_when(condition text) RETURNS float8
	LANGUAGE plpgsql AS $$
	DECLARE
		victim int;
		asked float8;
	BEGIN
		LOOP
			PERFORM pg_stat_clear_snapshot();
			SELECT pid INTO victim FROM pg_stat_activity
			WHERE application_name = 'victim' AND query LIKE '%sdc.%';
			EXIT WHEN victim IS NOT NULL;
			PERFORM pg_sleep(0.005);
		END LOOP;
		LOOP
			EXECUTE 'SELECT pid FROM sdc.progress WHERE ' || condition
			INTO victim;
			IF victim IS NOT NULL THEN
				asked := processor(victim);
				PERFORM pg_cancel_backend(victim);
				RETURN asked;
			END IF;
			PERFORM pg_stat_clear_snapshot();
			IF NOT EXISTS (
				SELECT FROM pg_stat_activity
				WHERE application_name = 'victim' AND query LIKE '%sdc.%'
					AND state = 'active')
			THEN
				RETURN NULL;
			END IF;
			PERFORM pg_sleep(0.005);
		END LOOP;
	END $$});

is(SdcMasks::missing($node), '', 'every mask has a call');

my $resident = -r '/proc/self/status' ? 'resident()' : '0';
my $used = 'SELECT processor()';

# Starts a call in a session of its own.  It prints memory and the seconds used
# before, the count if it ended, the seconds and the memory after.
sub victim
{
	my ($setting, $call) = @_;
	my %session = (said => '', error => '');

	$session{handle} = IPC::Run::start(
		[
			'psql', '-X', '-At', '-d', $node->connstr('postgres'),
			map { ('-c', $_) } (
				"SET application_name = 'victim'", 'SET sdc.progress_interval = 0',
				"SELECT $resident", $setting, $used, SdcMasks::query($call),
				'SET statement_timeout = 0', $used, "SELECT $resident")
		],
		'>', \$session{said}, '2>', \$session{error},
		IPC::Run::timeout(900));
	return \%session;
}

# What the session printed, in order, without the tags of SET.
sub lines
{
	my ($session) = @_;

	$session->{handle}->finish;
	return grep { $_ ne 'SET' } split /\n/, $session->{said};
}

# Checks the answer; $asked is how many seconds the session had used when it was
# asked to stop, counted from the start of the call if $later.
sub check_answer
{
	my ($name, $session, $asked, $later) = @_;
	my @lines = lines($session);
	my ($before, $start) = @lines[ 0, 1 ];
	my ($end, $after) = @lines[ -2, -1 ];

	# a call may be stopped once it has sent its row: the error tells, not it
	if ($session->{error} eq '')
	{
		is(scalar(@lines), 5, "$name: ended before it was stopped");
		return;
	}
	my $waited = $end - ($later ? $start + $asked : $asked);

	like($session->{error}, qr/^ERROR:  canceling statement due to/,
		"$name: cancelled");
	cmp_ok($waited, '<', $patience,
		sprintf('%s: answered after %.2f s', $name, $waited));
	cmp_ok($after - $before, '<', $kept,
		sprintf('%s: memory is back, %d kB more', $name, $after - $before));
}

foreach my $call (SdcMasks::calls())
{
	foreach my $seconds (0.3, 3)
	{
		my $session =
		  victim("SET statement_timeout = '${seconds}s'", $call);

		check_answer("$call, statement_timeout $seconds s",
			$session, $seconds, 1);
	}
	foreach my $stage ("stage <> ''", "stage <> 'reading'")
	{
		my $session = victim('SET statement_timeout = 0', $call);
		my $asked = $node->safe_psql('postgres',
			qq{SELECT cancel_when(\$\$$stage\$\$)});

		# empty if it ended first; then the session says so, too
		check_answer("$call, cancelled when $stage",
			$session, $asked eq '' ? 0 : $asked);
	}
}

$node->stop;
done_testing();
