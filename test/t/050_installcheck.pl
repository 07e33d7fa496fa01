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

done_testing();
