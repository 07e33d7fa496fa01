# Statements one after the other in one session, for tests that make many calls.
#
# A psql and a backend of its own take longer than most calls.  After
# SdcSession::keep($node), $node->psql and safe_psql go to one psql that stays,
# with the same result, output and messages; before each call the session is
# made like a new one (ABORT, DISCARD ALL), or, after SdcSession::keep($node,
# 'new'), is one: for tests of code that others wrote, whose results a backend
# may know from an earlier call.  A call gets a psql of its own where that would
# not be the same: with most commands of psql, with other parameters than
# stdout, stderr, on_error_stop, on_error_die, timeout, and a user or separator
# among extra_params, where it makes or drops a database or sets what only new
# sessions have.

package SdcSession;

use strict;
use warnings;

use Errno;
use IPC::Open3;
use PostgreSQL::Test::Utils ();

our @ISA;

# Commands of psql whose effect ends with a call here, too; a variable that \gset
# makes stays, but whoever reads one has set it.
my $ours = qr{^\s*\\(?:set (?:VERBOSITY|SHOW_CONTEXT) \w+|pset (?:format unaligned|tuples_only on))$
	|\\(?:gset|g\ /dev/null|echo\ [<\w]+)$}mx;

# by node, database, options and environment: the psql that stays
my %session;
# by node: what begins a call
my %begin;
my $sessions = 0;
my $calls = 0;

sub keep
{
	my ($node, $how) = @_;

	@ISA = (ref $node);
	bless $node, __PACKAGE__;
	$begin{$node} = $how ? '\\connect' : "ABORT;\nDISCARD ALL;";
	return $node;
}

sub start_session
{
	my ($node, $database, @options) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/session' . ++$sessions;
	my $self = { sql => "$file.sql", begin => $begin{$node} };

	open $self->{said}, '+>', "$file.err" or die "$file.err: $!\n";
	$self->{pid} = open3($self->{in}, $self->{out},
		'>&' . fileno $self->{said},
		'psql', '-XAtq', '-d', $node->connstr($database), '-f', '-', @options);
	return $self;
}

# Ends all sessions of the node.
sub end_sessions
{
	my ($node) = @_;

	foreach my $key (grep { /^\Q$node\E / } keys %session)
	{
		my $self = delete $session{$key};

		close $self->{in};
		waitpid $self->{pid}, 0;
	}
	return;
}

# Runs sql, which may be stopped by an error; returns the status, what was
# printed and what was said, or nothing when the session had ended before.
sub in_session
{
	my ($self, $sql, $stops, $timeout) = @_;
	local $SIG{PIPE} = 'IGNORE';
	local $SIG{ALRM} = sub { kill 'TERM', $self->{pid}; die "psql timed out: $sql" };
	my $mark = 'end of call ' . ++$calls;
	my $printed = '';

	open my $file, '>', $self->{sql} or die "$self->{sql}: $!\n";
	print $file "\\set ON_ERROR_STOP $stops\n$sql\n";
	close $file;
	# the last line of all is read with the setting of before
	print { $self->{in} } <<"END";
\\set ON_ERROR_STOP 0
\\set VERBOSITY default
\\set SHOW_CONTEXT errors
$self->{begin}
\\warn $mark
\\i $self->{sql}
\\set ON_ERROR_STOP 0
\\echo $mark :ERROR
END
	$self->{in}->flush;
	alarm($timeout // 0);
	until ($printed =~ /^\Q$mark\E (true|false)\n\z/m)
	{
		my $read = sysread $self->{out}, $printed, 65536, length $printed;

		# a child that ends is no end of this one: tests of PostgreSQL 18 are told
		next if $read || (!defined $read && $!{EINTR});
		waitpid $self->{pid}, 0;
		return result($self, $mark, $? >> 8, $printed);
	}
	alarm 0;
	my $failed = $printed =~ s/^\Q$mark\E true\n\z//m;

	$printed =~ s/^\Q$mark\E false\n\z//m;
	return result($self, $mark, $failed && $stops ? 3 : 0, $printed);
}

sub result
{
	my ($self, $mark, $status, $printed) = @_;
	my $file = $self->{said};

	seek $file, 0, 0;
	my $said = join '', <$file>;
	truncate $file, 0;
	seek $file, 0, 0;
	$said =~ s/^.*^\Q$mark\E\n//ms or return;
	$said =~ s/^psql:\Q$self->{sql}\E:(\d+)/'psql:<stdin>:' . ($1 - 1)/gme;
	chomp($printed, $said);
	return ($status, $printed, $said);
}

sub psql
{
	my ($node, $database, $sql, %params) = @_;
	my @options = @{ $params{extra_params} // [] };

	if ($sql =~ s/$ours//gr =~ /\\|\bDATABASE\b|\bALTER ROLE\b.* SET\b/i
		|| grep({ $_ % 2 == 0 && $options[$_] !~ /^-[UF]$/ } 0 .. $#options)
		|| grep { !/^(stdout|stderr|on_error_stop|on_error_die|timeout|extra_params)$/ } keys %params)
	{
		end_sessions($node) if $sql =~ /\bDATABASE\b/i;
		return $node->SUPER::psql($database, $sql, %params);
	}
	my $key = join ' ', $node, $database, @options,
	  map { "$_=$ENV{$_}" } grep { /^PG/ } sort keys %ENV;
	local %ENV = $node->_get_env() if $node->can('_get_env');
	my @result;

	until (@result)
	{
		$session{$key} //= start_session($node, $database, @options);
		@result = in_session($session{$key}, $sql, $params{on_error_stop} // 1, $params{timeout});
		delete $session{$key} if !@result || $result[0] == 2;
	}
	my ($status, $printed, $said) = @result;

	${ $params{stdout} } = $printed if $params{stdout};
	${ $params{stderr} } = $said if $params{stderr};
	print STDERR "$said\n" if $said ne '' && !wantarray && !$params{stderr};
	die "error running SQL: '$said' with sql '$sql'"
	  if $status != 0 && $params{on_error_die};
	return wantarray ? ($status, $printed, $said) : $status;
}

# A server that stops does not wait for these.
foreach my $method (qw(stop restart kill9 teardown_node backup promote))
{
	no strict 'refs';
	*$method = sub {
		my ($node, @more) = @_;
		my $super = "SUPER::$method";

		end_sessions($node);
		return $node->$super(@more);
	};
}

1;
