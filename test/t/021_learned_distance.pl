# learn_distance on data that take long: a cancel and a timeout are answered
# wherever they arrive (comparing, walking, the game, GLPK), the budget of work
# leaves a result with its bound, the same beside a busy session, the memory limit ends in a clear error, and
# the session can learn again afterwards.

use strict;
use warnings;
use lib "$ENV{TESTDIR}/t";

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use SdcStop;
use Test::More;
use SdcSession;

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'));
$node->init;
$node->append_conf('postgresql.conf', "sdc.progress_interval = 0\njit = off");
$node->start;
create_processor($node);
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
	FROM original});

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
		my ($late, $error) =
		  stopped_after($node, learn($method, '1000000000000'), 1000 * $after);

	  SKIP:
		{
			skip "$method was done before $after s", 2
			  if $error eq '' && $method eq 'wm';
			like(
				$error,
				qr/canceling statement due to statement timeout/,
				"$method answers a timeout at $after s");
			cmp_ok($late, '<', $patience, sprintf('within %.2f s', $late));
		}
	}
}

# A cancel from another session, while the bound is being proven.
my ($said, $complained) = ('', '');
my $running = IPC::Run::start(
	[
		'psql', '-X', '-d',
		$node->connstr('postgres'), '-c',
		"SELECT " . learn('choquet', '1000000000000')
	],
	'>', \$said, '2>', \$complained);
$node->poll_query_until(
	'postgres', q{
	SELECT count(*) > 0 FROM sdc.progress
	WHERE stage IN ('proving', 'solving', 'searching')})
  or die 'nothing was proven';
my $prover = $node->safe_psql('postgres', 'SELECT pid FROM sdc.progress');
my $asked = processor($prover);
$node->safe_psql('postgres', "SELECT pg_cancel_backend($prover)");
my $waited = until_gone($prover) - $asked;
$running->finish;
cmp_ok($waited, '<', $patience,
	sprintf('a cancel while proving is answered: %.2f s', $waited));
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

# One session: timeout, and then a result.
($code, $out, $err) = $node->psql(
	'postgres', qq{
	SET statement_timeout = 400;
	SELECT * FROM @{[ learn('bilinear', '1000000000000') ]};
	RESET statement_timeout;
	SELECT reidentified <= bound FROM sdc.learn_distance('original',
		'masked', 'id', '{a,b}', 'choquet', '{"work": 1000000000}')},
	on_error_stop => 0);
like($err, qr/statement timeout/, 'a timeout ends a call');
is($out, 't', 'a session learns again after it');

$node->stop;
done_testing();
