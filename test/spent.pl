#!/usr/bin/perl
#
# spent.pl NAME COMMAND...: runs the command, and appends a line "NAME CPU
# WALL", in seconds, to the file $SDC_SPENT.  CPU is user and system time of
# all that the command has started, servers included: these leave their
# parents, so this program has itself made the one that takes in orphans (on
# Linux; elsewhere servers do not count).  A % in NAME stands for the last word
# of the command, without folder and ending.  The exit status is the command's.

use strict;
use warnings;
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);

# prctl(PR_SET_CHILD_SUBREAPER, 1), by the number that the call has here
my %prctl = (x86_64 => 157, aarch64 => 167, i686 => 172, riscv64 => 167);
my $machine = (POSIX::uname())[4];
my $name = shift;
my $last = $ARGV[-1] =~ s{.*/|\.[^./]*$}{}gr;

$name =~ s/%/$last/;

syscall($prctl{$machine}, 36, 1, 0, 0, 0)
  if $^O eq 'linux' && defined $prctl{$machine};
my $start = time;
my $child = fork // die "fork: $!\n";
if ($child == 0)
{
	exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";
}
# Ctrl-C and the like are for the command, which this program outlives
$SIG{$_} = 'IGNORE' for qw(INT HUP);
$SIG{TERM} = sub { kill 'TERM', $child };
my $status;
while ((my $ended = waitpid -1, 0) > 0 || $!{EINTR})
{
	next if $ended != $child;
	$status = $?;
	last;
}
# orphans that have ended, or are about to; others stay to themselves
for (1 .. 20)
{
	my $ended;

	do { $ended = waitpid -1, WNOHANG } while $ended > 0;
	last if $ended < 0;
	sleep .05;
}
if (my $file = $ENV{SDC_SPENT})
{
	my (undef, undef, $user, $system) = times;

	open my $out, '>>', $file or die "$file: $!\n";
	printf $out "%-40s %8.2f %8.1f\n", $name, $user + $system, time - $start;
	close $out;
}
kill $status & 127, $$ if $status & 127;
exit($status & 127 ? 128 + ($status & 127) : $status >> 8);
