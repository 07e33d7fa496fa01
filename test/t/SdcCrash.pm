# A backend that is killed takes the server through recovery.  That it is back
# is read in its log: until it has noticed the death it answers on, and a psql
# that it refuses while it recovers may break the pipe of the test that asks.

package SdcCrash;

use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Utils;
use Time::HiRes qw(usleep);

our @EXPORT = qw(kill_backend);

# How many times the server has begun to take connections.
sub starts
{
	my ($node) = @_;
	my $log = slurp_file($node->logfile);

	return scalar(() = $log =~ /database system is ready to accept/g);
}

# Kills the backend pid of node with -9, and waits until the server is back.
sub kill_backend
{
	my ($node, $pid) = @_;
	my $starts = starts($node);

	kill('KILL', $pid) == 1 or die "there is no backend $pid to kill";
	foreach (1 .. 1800)
	{
		return if starts($node) > $starts;
		usleep(100_000);
	}
	die 'the server did not come back';
}

1;
