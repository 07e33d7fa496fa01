# make installcheck: the tests of test/sql against a server that has sdc, as
# packagers run them.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;

# Runs it for some tests, where nothing is built; returns status and output.
sub installcheck
{
	my ($tests) = @_;
	my $said;

	IPC::Run::run(
		[
			'make', '-C', $node->basedir, '-f', "$ENV{SDC_ROOT}/Makefile",
			"PG_CONFIG=$ENV{PG_CONFIG}", 'with_llvm=no', 'installcheck',
			"REGRESS=$tests"
		],
		'<', \undef, '>', \$said, '2>&1');
	return ($?, $said);
}

my ($status, $said) = installcheck('digits columns');
is($status, 0, 'make installcheck passes') or diag $said;
unlike($said, qr/Nothing to be done/, 'and does something');
like($said, qr/All 2 tests passed/, 'the tests that were asked for');

($status, $said) = installcheck('no_such_test');
isnt($status, 0, 'it fails where a test fails');

# What a test leaves behind fails it, as the next one would see it.
sub left_behind
{
	my ($sql) = @_;
	my $said;

	IPC::Run::run(
		[
			'bash', "$ENV{SDC_ROOT}/test/leaves_nothing.sh", 'psql', '-XAtq',
			'-d', 'contrib_regression'
		],
		'<', \$sql, '>', \$said, '2>&1');
	return $said;
}

is(left_behind('SELECT 1; CREATE TABLE gone (i int); DROP TABLE gone;'), "1\n", 'a test that leaves nothing');
is( left_behind(q{CREATE SCHEMA s; CREATE VIEW s.v AS SELECT 1; CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';
		CREATE ROLE regress_left; CREATE TYPE mood AS ENUM ('a'); CREATE TABLE t (i serial);
		INSERT INTO sdc.secret (domain, key) VALUES ('left', sha256('left'))}),
	join('', map { "left behind: $_\n" } 'domain left', 'function public.f()', 'relation public.t', 'relation s.v',
		'role regress_left', 'schema s', 'type public.mood'), 'one that leaves many things');

done_testing();
