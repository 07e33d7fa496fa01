# learn_distance on data that take long: a cancel and a timeout are answered
# wherever they arrive (comparing, walking, the game, GLPK), the budget of work
# leaves a result with its bound, the same beside a busy session, the memory limit ends in a clear error, and
# the session can learn again afterwards.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Seconds: an answer takes well under one, the rest is for busy machines.
my $patience = 4;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "sdc.progress_interval = 0\njit = off");
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sdc;
	CREATE FUNCTION noise(i bigint, salt bigint, values_of bigint)
	RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
		SELECT ((i * 2654435761 + salt * 40503) % 4294967296 * 69069 + 12345)
			% 4294967296 / 65536 % values_of $$;
	CREATE TABLE original AS
	SELECT i AS id, noise(i, 1, 9000) AS a, noise(i, 2, 9000) AS b,
		noise(i, 3, 9000) AS c, noise(i, 4, 9000) AS d,
		noise(i, 5, 9000) AS e, noise(i, 6, 9000) AS f
	FROM generate_series(1, 500) AS i;
	CREATE TABLE masked AS
	SELECT id, a + noise(id, 11, 2500) AS a, b + noise(id, 12, 2500) AS b,
		c + noise(id, 13, 4000) AS c, d + noise(id, 14, 4000) AS d,
		e + noise(id, 15, 6000) AS e, f + noise(id, 16, 6000) AS f
	FROM original;
	-- How long after the timeout a call ended; NULL when it was not stopped.
	CREATE FUNCTION late(call text, after float8) RETURNS float8
	LANGUAGE plpgsql AS $$
	DECLARE
		start timestamptz := clock_timestamp();
	BEGIN
		EXECUTE call;
		RETURN NULL;
	EXCEPTION WHEN query_canceled THEN
		RETURN extract(epoch FROM clock_timestamp() - start) - after;
	END $$});

sub learn
{
	my ($method, $limit) = @_;

	return "sdc.learn_distance('original', 'masked', 'id', "
	  . "'{a,b,c,d,e,f}', '$method', '{\"work\": $limit}')";
}

foreach my $method (qw(wm choquet bilinear bilinear_pd))
{
	foreach my $after (0.05, 0.7, 3)
	{
		my $milliseconds = 1000 * $after;
		my $late = $node->safe_psql(
			'postgres', qq{
			SET statement_timeout = $milliseconds;
			SELECT late(\$\$SELECT * FROM @{[ learn($method, '1000000000000') ]}\$\$,
				$after)});

	  SKIP:
		{
			skip "$method was done before $after s", 1
			  if $late eq '' && $method eq 'wm';
			ok($late ne '' && $late < $patience,
				"$method answers a timeout at $after s: $late s");
		}
	}
}

# A cancel from another session, while the bound is being proven.
$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION cancel_prover() RETURNS float8 LANGUAGE plpgsql AS $$
	DECLARE
		victim int;
		asked timestamptz;
	BEGIN
		FOR i IN 1 .. 4000 LOOP
			PERFORM pg_stat_clear_snapshot();
			SELECT pid INTO victim FROM sdc.progress
			WHERE stage IN ('proving', 'solving', 'searching');
			EXIT WHEN victim IS NOT NULL;
			PERFORM pg_sleep(0.01);
		END LOOP;
		IF victim IS NULL THEN RETURN NULL; END IF;
		asked := clock_timestamp();
		PERFORM pg_cancel_backend(victim);
		FOR i IN 1 .. 4000 LOOP
			PERFORM pg_stat_clear_snapshot();
			EXIT WHEN NOT EXISTS (SELECT FROM sdc.progress WHERE pid = victim);
			PERFORM pg_sleep(0.01);
		END LOOP;
		RETURN extract(epoch FROM clock_timestamp() - asked);
	END $$});
my ($said, $complained) = ('', '');
my $running = IPC::Run::start(
	[
		'psql', '-X', '-d',
		$node->connstr('postgres'), '-c',
		"SELECT " . learn('choquet', '1000000000000')
	],
	'>', \$said, '2>', \$complained);
my $waited = $node->safe_psql('postgres', 'SELECT cancel_prover()');
$running->finish;
ok($waited ne '' && $waited < $patience,
	"a cancel while proving is answered: $waited s");
like($complained, qr/canceling statement/, 'and says so');

# The budget.
is( $node->safe_psql(
		'postgres', qq{
		SELECT reidentified BETWEEN uniform AND bound, bound <= records,
			exact = (reidentified = bound),
			exact OR explanation ~ 'at most \\d+ can be: the search reached'
		FROM } . learn('bilinear', 1000000000)),
	't|t|t|t',
	'a budget leaves a result and its bound');
my $alone = $node->safe_psql('postgres',
	'SELECT m FROM ' . learn('choquet', 300000000) . ' AS m');
my ($other, $trouble) = ('', '');
my $busy = IPC::Run::start(
	[
		'psql', '-X', '-d', $node->connstr('postgres'), '-c',
		'SET statement_timeout = 60000; SELECT sum(sqrt(i)) FROM generate_series(1, 400000000) AS i'
	],
	'>', \$other, '2>', \$trouble);
is( $node->safe_psql('postgres',
		'SELECT m FROM ' . learn('choquet', 300000000) . ' AS m'),
	$alone,
	'and the same one beside a busy session');
$node->safe_psql('postgres',
	"SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%generate_series(1, 400000000)%' AND pid <> pg_backend_pid()"
);
$busy->finish;

# The memory limit.
my ($code, $out, $err) = $node->psql(
	'postgres', qq{
	SET sdc.memory_limit = '2MB';
	\\set VERBOSITY sqlstate
	SELECT * FROM } . learn('choquet', '1000000000000'));
like($err, qr/54000/, 'too little memory is an error of its own');

# One session: timeout, memory error, and then a result.
is( $node->safe_psql(
		'postgres', qq{
		SET statement_timeout = 400;
		SELECT late(\$\$SELECT * FROM @{[ learn('bilinear', '1000000000000') ]}\$\$, 0) > 0;
		RESET statement_timeout;
		SELECT reidentified <= bound FROM sdc.learn_distance('original',
			'masked', 'id', '{a,b}', 'choquet', '{"work": 1000000000}')}),
	"t\nt",
	'a session learns again after a timeout');

$node->stop;
done_testing();
