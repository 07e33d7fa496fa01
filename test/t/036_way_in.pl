# The ten commands of README.md, from a clone to a safe copy: run as they stand
# there by a role that owns its database and is no superuser, but for the first
# four, which install (here the extension is).  test/versions.sh types all ten
# in a bare system.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($block) = slurp_file("$ENV{TESTDIR}/README.md") =~ /^## Three ways in\n.*?^```sh\n(.*?)^```/ms;
my @commands = split /\n/, $block // '';
is(@commands, 10, 'README has ten commands');
is(join(' ', map { (split)[0] } @commands[ 0 .. 4 ]), 'sudo git make sudo sudo', 'of which the first ones install');
like($commands[4], qr/CREATE EXTENSION sdc/, 'the fifth is the one of a superuser');

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');

$node->safe_psql('postgres', 'CREATE ROLE anna LOGIN');
$node->safe_psql('postgres', "CREATE DATABASE $_ OWNER anna") for qw(shop staging);
{
	local $ENV{PGUSER} = 'anna';
	command_ok([ 'psql', '-Xq', '-d', 'shop', '-v', 'ON_ERROR_STOP=1', '-v', 'shop=shop', '-v', 'customers=200',
			'-f', "$ENV{TESTDIR}/data/shop.sql" ], 'anna has a shop');
}
for my $command (@commands[ 4 .. 9 ])
{
	my $said;

	local $ENV{PGUSER} = $command =~ /^sudo -u postgres / ? $superuser : 'anna';
	my $run = $command =~ s/^sudo -u postgres //r;
	$run =~ s/^\$\(pg_config --bindir\)/$ENV{SDC_BIN}/;
	IPC::Run::run([ 'sh', '-c', $run ], '<', \undef, '>', \$said, '2>&1');
	is($?, 0, $command) or diag $said;
	unlike($said, qr/^(?:ERROR|WARNING)/m, 'without an error or a warning');
}
is($node->safe_psql('shop', 'SELECT count(*) FROM dev.ticket JOIN dev.customer USING (email)'), '50', 'the copy joins');
is($node->safe_psql('staging', q{SELECT count(*) FROM shop.customer AS c WHERE c::text ~ 'web\.test|171 555'}), '0',
	'and has nobody of the original in it');
is($node->safe_psql('staging', 'SELECT count(*) FROM shop.customer'), '200', 'in the other database, too');

done_testing();
