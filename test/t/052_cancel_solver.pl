# Calls that work in GLPK for long: a cancel and a timeout are answered at
# whatever moment they arrive, while the table or the records are read, while
# the heuristic, branch and cut, the relaxations or the attacks run.
#
# That GLPK is left in the middle of a run is seen in 010_solver; here are the
# SQL functions, on tables of some thousand cells and records whose search
# would go on for minutes.

use strict;
use warnings;
use lib "$ENV{TESTDIR}/t";

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use SdcStop;
use Test::More;
use SdcSession;

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'), 'new');
$node->init;
$node->append_conf('postgresql.conf', "sdc.progress_interval = 0\njit = off");
$node->start;
create_processor($node);
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sdc;
	SELECT setseed(.3);
	CREATE TABLE firms AS
	SELECT i AS id, 'a' || (random()^2 * 29)::int AS a,
		'b' || (random()^2 * 24)::int AS b, 'c' || (random()^2 * 9)::int AS c,
		(exp(3 * random()) * 10)::int AS x
	FROM generate_series(1, 30000) AS i;
	CREATE TABLE original AS
	SELECT i AS id, random() * 9 AS a, random() * 9 AS b, random() * 9 AS c,
		random() * 9 AS d, random() * 9 AS e
	FROM generate_series(1, 500) AS i;
	CREATE TABLE masked AS
	SELECT id, a + 3 * random() AS a, b + 3 * random() AS b,
		c + 4 * random() AS c, d + 4 * random() AS d, e + 6 * random() AS e
	FROM original;
	-- A table whose hidden cells are attacked, without other cells hidden.
	SELECT count(*) FROM sdc.protect_table('firms', 'hidden',
		'{"threshold": 3}', '{a,b,c}', params => '{"effort": 0, "method": "round"}');
	UPDATE hidden SET value = NULL, status = 'hidden'
	WHERE value < 10 AND a <> 'Total' AND b <> 'Total' AND c <> 'Total'});

sub protect
{
	my ($method, $rest) = @_;

	return "sdc.protect_table('firms', NULL, $rest, "
	  . qq[params => '{"method": "$method", "effort": 1000000}')];
}

my %call = (
	'suppress' =>
	  protect('suppress', q('{"threshold": 3}', '{a,b,c}', NULL)),
	'suppress sums' =>
	  protect('suppress', q('{"p_percent": 20}', '{a,b,c}', 'x')),
	'round' => protect('round', q('{"threshold": 3}', '{a,b,c}', NULL)),
	'adjust' => protect('adjust', q('{"p_percent": 20}', '{a,b,c}', 'x')),
	'attack_table' => q(sdc.attack_table('hidden', '{a,b,c}')),
	'attack_learned' => q(sdc.attack_learned('original', 'masked', 'id',
		'{a,b,c,d,e}', params => '{"work": 1000000000000}')));
foreach my $method (qw(wm owa choquet bilinear))
{
	$call{"learn_distance $method"} =
	  "sdc.learn_distance('original', 'masked', 'id', '{a,b,c,d,e}', "
	  . qq['$method', '{"work": 1000000000000}')];
}

my $stopped = 0;
foreach my $name (sort keys %call)
{
	foreach my $after (0.2, 0.9, 2.3)
	{
		my ($late, $error) =
		  stopped_after($node, $call{$name}, 1000 * $after);

		# a fast machine is done with some of them before
		like(
			$error,
			qr/^$|canceling statement due to statement timeout/,
			"$name is stopped at $after s, or was done");
		cmp_ok($late, '<', $patience, sprintf('within %.2f s', $late));
		$stopped += $error ne '';
	}
}
cmp_ok($stopped, '>', 10, "$stopped calls were stopped");

# The same session works on, and gives the same as a new one.
my $small = q{SELECT measure, value FROM sdc.protect_table('firms', NULL,
	'{"threshold": 3}', '{a,c}') WHERE measure <> 'seconds'};
my $new = $node->safe_psql('postgres', $small);
my ($code, $out, $err) = $node->psql(
	'postgres', qq{
	SET statement_timeout = 700;
	SELECT count(*) FROM $call{'suppress'};
	RESET statement_timeout;
	$small}, on_error_stop => 0);
like($err, qr/statement timeout/, 'a timeout ends a protection');
is($out, $new, 'and the same session protects the table after it');

$node->stop;
done_testing();
