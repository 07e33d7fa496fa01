# GLPK inside a backend: right results, errors that stay errors, memory given
# back, and an answer to a cancel.  The functions come from a module made for
# this test, test/solver/solver_probe.c.

use strict;
use warnings;
use lib "$ENV{TESTDIR}/t";

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use SdcStop;
use Test::More;

my $probe = "$ENV{TESTDIR}/solver_probe.so";

plan skip_all => 'the solver probe was not built' unless -f $probe;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

sub postmaster
{
	return (split /\n/, slurp_file($node->data_dir . '/postmaster.pid'))[0];
}
my $postmaster = postmaster();

create_processor($node);
$node->safe_psql(
	'postgres', qq{
	CREATE FUNCTION linear(rows int, columns int, most float8)
	RETURNS text LANGUAGE c AS '$probe', 'probe_linear';
	CREATE FUNCTION unsliced(rows int, columns int)
	RETURNS text LANGUAGE c AS '$probe', 'probe_unsliced';
	CREATE FUNCTION whole(rows int, columns int, most float8)
	RETURNS text LANGUAGE c AS '$probe', 'probe_integer';
	CREATE FUNCTION number(number float8, whole bool)
	RETURNS text LANGUAGE c AS '$probe', 'probe_number';
	CREATE FUNCTION broken() RETURNS text LANGUAGE c
	AS '$probe', 'probe_error';
	CREATE FUNCTION memory() RETURNS text LANGUAGE c
	AS '$probe', 'probe_memory';
	CREATE PROCEDURE break(times int) LANGUAGE plpgsql AS \$\$
	BEGIN
		FOR i IN 1 .. times LOOP
			BEGIN
				PERFORM broken();
			EXCEPTION WHEN external_routine_exception THEN
			END;
		END LOOP;
	END \$\$;
	CREATE FUNCTION resident() RETURNS bigint LANGUAGE sql AS \$\$
		SELECT substring(pg_read_file('/proc/self/status')
			FROM 'RssAnon:\\s+(\\d+)')::bigint
	\$\$});

sub ask
{
	return $node->safe_psql('postgres', "SELECT $_[0]");
}

# Right results.  max x + y, 2 x + y <= 4, x + 3 y <= 6: (6/5, 8/5).
is(ask(q{number(2, false)}), 'optimal 2.8', 'linear program');
is(ask(q{number(2, true)}), 'optimal 2', 'integer program');
is(ask(q{number(-1, false)}), 'optimal 6', 'a negative number is a number');
foreach my $bad (qw(NaN Infinity -Infinity))
{
	is(ask(qq{number('$bad', false)}), 'not finite NaN', "$bad is refused");
	is(ask(qq{number('$bad', true)}),
		'not finite NaN', "$bad is refused by integer programs");
}
like(ask('linear(60, 90, 0)'), qr/^optimal \d/, 'a dense linear program');
like(ask('whole(2, 8, 0)'), qr/^optimal \d/, 'a market split of two sums');
like(ask('whole(5, 40, 5e8)'),
	qr/^feasible \d/, 'the limit ends a search with the point it has');

# Errors inside GLPK.
my ($status, $out, $err) = $node->psql(
	'postgres', q{
	\set VERBOSITY verbose
	SELECT pg_backend_pid();
	SELECT broken();
	SELECT pg_backend_pid();
	SELECT number(2, false)}, on_error_stop => 0);
like($err, qr/ERROR:\s+38000: linear programming library failed/,
	'an error inside GLPK is an error of PostgreSQL');
like($err, qr/DETAIL:\s+glp_set_obj_coef: j = 99/, 'with the words of GLPK');
like($out, qr/^(\d+)\n\1\noptimal 2.8$/, 'and the same backend goes on');

($status, $out, $err) = $node->psql(
	'postgres', q{
	\set VERBOSITY verbose
	SET sdc.memory_limit = '32MB';
	SELECT memory();
	RESET sdc.memory_limit;
	SELECT number(2, false)}, on_error_stop => 0);
like($err, qr/ERROR:\s+54000: .*more memory than sdc.memory_limit \(32 MB\)/,
	'GLPK keeps to sdc.memory_limit');
like($err, qr/HINT:.*Raise sdc.memory_limit/, 'and the hint says what to do');
is($out, 'optimal 2.8', 'the same backend goes on');

SKIP:
{
	skip 'no /proc/self/status', 1 unless -r '/proc/self/status';
	my ($before, $after) = split /\n/, $node->safe_psql(
		'postgres', q{
		CALL break(200);
		SELECT resident();
		CALL break(2000);
		SELECT resident()});
	cmp_ok($after - $before, '<', 2048,
		"2,000 errors leave memory as it was ($before kB, then $after kB)");
}

# Starts statements in a session called victim; returns it with what it says.
sub victim
{
	my ($said, $error) = ('', '');
	my @commands = map { ('-c', $_) } "SET application_name = 'victim'", @_;
	my $handle = IPC::Run::start(
		[ 'psql', '-X', '-At', '-d', $node->connstr('postgres'), @commands ],
		'>', \$said, '2>', \$error, IPC::Run::timeout(900));

	return ($handle, \$said, \$error);
}

# The session's process, once it is inside the call for a while.
sub victims_process
{
	$node->poll_query_until(
		'postgres', q{
		SELECT count(*) = 1 FROM pg_stat_activity
		WHERE application_name = 'victim' AND state = 'active'
		  AND clock_timestamp() - query_start > '700 ms'})
	  or die 'the call did not start';
	return $node->safe_psql('postgres',
		q{SELECT pid FROM pg_stat_activity WHERE application_name = 'victim'});
}

# Lets a function of PostgreSQL stop a call, and checks that the answer comes
# soon and is the one expected.
sub stopped_by
{
	my ($name, $call, $function, $expected) = @_;
	my ($handle, $said, $error) = victim("SELECT $call");
	my $process = victims_process();
	my $asked = processor($process);

	$node->safe_psql('postgres', "SELECT $function($process)");
	my $waited = until_gone($process) - $asked;
	$handle->finish;
	like($$error, $expected, "$name is answered");
	cmp_ok($waited, '<', $patience, sprintf('within %.1f s', $waited));
}

my %long = (
	'simplex' => 'linear(1000, 2500, 0)',
	'one run of simplex' => 'unsliced(1000, 2500)',
	'branch and bound' => 'whole(5, 40, 0)');

# The measure sees a call that goes on after it was told to stop.
$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION stubborn() RETURNS bigint LANGUAGE plpgsql AS $$
	BEGIN
		RETURN (SELECT count(*) FROM generate_series(1, 1000000000));
	EXCEPTION WHEN query_canceled THEN
		DECLARE
			start float8 := processor();
		BEGIN
			WHILE processor() < start + 0.5 LOOP
			END LOOP;
			RETURN 1;
		END;
	END $$});
my ($later) = stopped_after($node, 'stubborn()', 300);
cmp_ok($later, '>', 0.1, sprintf('%.1f s late is seen', $later));

foreach my $kind (sort keys %long)
{
	my ($waited, $error) = stopped_after($node, $long{$kind}, 1000);

	like(
		$error,
		qr/canceling statement due to statement timeout/,
		"statement_timeout in $kind is answered");
	cmp_ok($waited, '<', $patience, sprintf('within %.1f s', $waited));
	stopped_by("pg_cancel_backend in $kind",
		$long{$kind}, 'pg_cancel_backend',
		qr/canceling statement due to user request/);
	stopped_by("pg_terminate_backend in $kind",
		$long{$kind}, 'pg_terminate_backend',
		qr/terminating connection due to administrator command/);
}

# A request that is no cancel is answered in passing and stops nothing.
SKIP:
{
	skip 'no pg_log_backend_memory_contexts before 14', 2
	  if $node->safe_psql('postgres', 'SHOW server_version_num') < 140000;
	my ($handle, $said) = victim('SELECT whole(5, 40, 1e9)');

	$node->safe_psql('postgres',
		'SELECT pg_log_backend_memory_contexts(' . victims_process() . ')');
	$handle->finish;
	like($$said, qr/feasible/, 'a harmless interrupt does not stop a search');
	ok(slurp_file($node->logfile) =~ /LOG:  level: \d; TopMemoryContext/,
		'and is answered');
}

is(postmaster(), $postmaster, 'the server was never restarted');
unlike(slurp_file($node->logfile), qr/crash|was terminated by signal/,
	'and no backend crashed');

$node->stop;
done_testing();
