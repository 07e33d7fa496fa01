# sdc.memory_limit bounds what a call holds: a call either fits or ends with a
# clear error, and the process never takes much more than the limit.

use strict;
use warnings;
use lib "$ENV{TESTDIR}/t";

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SdcMasks;

plan skip_all => 'no /proc/self/status' unless -r '/proc/self/status';

# Megabytes that a backend may take beside the limit: itself, the window's
# tuple store (work_mem), caches.
my $beside = 24;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf(
	'postgresql.conf', q{
	jit = off
	shared_buffers = '2MB'
	work_mem = '4MB'
	sdc.progress_interval = 0});
$node->start;
SdcMasks::make_table($node);
$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION peak() RETURNS bigint LANGUAGE sql AS $$
		SELECT substring(pg_read_file('/proc/self/status')
			FROM 'VmHWM:\s+(\d+)')::bigint / 1024
	$$});

is(SdcMasks::missing($node), '', 'every mask has a call');

sub run_limited
{
	my ($call, $limit, $seconds) = @_;
	my $query = SdcMasks::query($call);
	my ($status, $out, $err) = $node->psql(
		'postgres', qq{
		\\set VERBOSITY verbose
		SELECT peak();
		SET sdc.memory_limit = '$limit';
		SET statement_timeout = '${seconds}s';
		$query;
		SELECT peak()}, on_error_stop => 0);
	my @lines = split /\n/, $out;

	return ($lines[-1] - $lines[0], $err, scalar @lines);
}

foreach my $call (SdcMasks::calls())
{
	my ($more, $err) = run_limited($call, '1MB', 120);

	like(
		$err,
		qr/ERROR:\s+54000:\ memory\ required\ is\ more\ than\ sdc\.memory_limit
			\ \(1\ MB\)
			.*DETAIL:\s+The\ call\ holds\ \d+\ MB\ and\ asks\ for\ \d+\ MB\ more\.
			.*HINT:\s+Raise\ sdc\.memory_limit/sx,
		"$call: 1 MB is too little");
	foreach my $limit (32, 128)
	{
		($more, $err) = run_limited($call, "${limit}MB", 6);
		cmp_ok($more, '<', $limit + $beside,
			"$call: took $more MB with a limit of $limit MB"
			  . ($err =~ /54000/ ? ', refused' : ''));
	}
}

# The same backend goes on after the error.
my ($status, $out, $err) = $node->psql(
	'postgres', q{
	SET sdc.memory_limit = '1MB';
	SELECT count(m) FROM (SELECT sdc.shuffle(x1) OVER () AS m FROM data) AS q;
	RESET sdc.memory_limit;
	SELECT count(m) FROM (SELECT sdc.shuffle(x1) OVER () AS m FROM data) AS q},
	on_error_stop => 0);
like($err, qr/memory required is more/, 'an error first');
is($out, '1000000', 'and then the call that fits');

($status, $out, $err) =
  $node->psql('postgres', q{LOAD 'sdc'; SET sdc.memory_limit = '100kB'});
like($err, qr/100 kB is outside the valid range/, 'a megabyte is the least');

$node->stop;
done_testing();
