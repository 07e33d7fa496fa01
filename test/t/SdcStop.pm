# How long a call goes on after it was asked to stop.
#
# What counts is the processor time that its backend uses, not the clock: a
# machine that is busy with other tests gives the backend few turns, and a clock
# would call it late.  A backend that waits for ever uses none, so the calls of
# this file end with an error after some minutes.  Where there is no /proc the
# clock counts.

package SdcStop;

use strict;
use warnings;

use Exporter 'import';
use Time::HiRes qw(time usleep);

our @EXPORT = qw($patience create_processor processor until_gone stopped_after);

# Seconds.  An answer is due within one; a slow machine needs more.
our $patience = 3;

my $proc = -r '/proc/self/stat';

# Ticks of /proc are hundredths of a second on every Linux.
my $ticks = 100;

# Creates the SQL function processor(pid): seconds that a backend has used.
sub create_processor
{
	my ($node) = @_;
	my $used =
	  $proc
	  ? qq{SELECT (field[12]::float8 + field[13]::float8) / $ticks
		FROM regexp_split_to_array(regexp_replace(
			pg_read_file('/proc/' || pid || '/stat'), '^.*\\) ', ''), ' ') AS field}
	  : 'SELECT extract(epoch FROM clock_timestamp())::float8';

	$node->safe_psql(
		'postgres', qq{
		CREATE FUNCTION processor(pid int DEFAULT pg_backend_pid())
		RETURNS float8 LANGUAGE sql VOLATILE AS \$\$ $used \$\$});
	return;
}

# Seconds that a process has used; undef when it is gone.
sub processor
{
	my ($pid) = @_;

	return kill(0, $pid) ? time : undef unless $proc;
	open(my $file, '<', "/proc/$pid/stat") or return;
	my $line = <$file>;
	close($file);
	return unless defined $line && $line =~ s/^.*\) //s;
	my ($user, $system) = (split / /, $line)[ 11, 12 ];
	return ($user + $system) / $ticks;
}

# Waits until a process is gone; returns the seconds it had used when it was
# seen last.
sub until_gone
{
	my ($pid) = @_;
	my ($seen, $end) = (0, time + 300);

	while (defined(my $used = processor($pid)))
	{
		$seen = $used;
		die "process $pid does not stop" if time > $end;
		usleep(10_000);
	}
	return $seen;
}

# Runs "SELECT count(*) FROM $call" under a statement_timeout; returns how many
# seconds it went on after it, and the error: '' when it had ended before.
# $before holds settings.
sub stopped_after
{
	my ($node, $call, $milliseconds, $before) = @_;
	my ($said, $error);

	$before //= '';
	$node->psql(
		'postgres', qq{
		SET sdc.progress_interval = 0;
		SET client_min_messages = warning;
		$before;
		SELECT processor() AS start \\gset
		SET statement_timeout = $milliseconds;
		SELECT count(*) AS lines FROM $call \\gset
		SET statement_timeout = 0;
		SELECT processor() - :start},
		on_error_stop => 0, stdout => \$said, stderr => \$error, timeout => 300);
	$said =~ /(\S+)\s*\z/ or die "the session said: $said $error";
	return ($1 - $milliseconds / 1000, $error);
}

1;
