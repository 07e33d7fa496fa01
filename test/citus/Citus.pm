# What the tests on a cluster of Citus share: psql on the coordinator and on
# the workers, the same rows as tables of every kind, and a worker that goes
# away.

package Citus;

use strict;
use warnings;

use Exporter 'import';
use IPC::Run qw(run start finish);
use Time::HiRes qw(sleep);

our @EXPORT = qw(ask attempt worker kinds %kind workers_say stop_worker start_worker meanwhile);

# Runs statements in one session; returns what they print and what they say.
# Of a worker if its port is named.
sub attempt
{
	my ($sql, %how) = @_;
	my @at = $how{port} ? ('-h', '127.0.0.1', '-p', $how{port}) : ();
	my ($out, $error) = ('', '');

	push @at, '-U', $how{user} if $how{user};
	run [ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=' . ($how{on} ? 0 : 1), @at,
		'-f', '-' ], '<', \$sql, '>', \$out, '2>', \$error;
	$error =~ s/^psql:<stdin>:\d+: //mg;
	chomp $out;
	return wantarray ? ($out, $error) : $out;
}

# The same, and stops when a statement fails.
sub ask
{
	my ($sql, %how) = @_;
	my ($out, $error) = attempt($sql, %how);

	die "$error\nof: $sql" if $error =~ /^(ERROR|FATAL|psql: error)/m;
	return $out;
}

# The port of a worker, 1 or 2.
sub worker
{
	my ($number) = @_;

	return $ENV{SDC_WORKER} + $number - 1;
}

# What both workers answer to a statement.
sub workers_say
{
	my ($sql) = @_;

	return map { ask($sql, port => worker($_)) } 1, 2;
}

# How a table of a kind is made from rows of a query, in a schema of its name.
our %kind = (
	plain => q{CREATE TABLE plain.%t AS %q},
	distributed => q{CREATE TABLE distributed.%t AS %q WITH NO DATA;
		SELECT create_distributed_table('distributed.%t', 'id');
		INSERT INTO distributed.%t %q},
	reference => q{CREATE TABLE reference.%t AS %q;
		SELECT create_reference_table('reference.%t')},
	managed => q{CREATE TABLE managed.%t AS %q;
		SELECT citus_add_local_table_to_metadata('managed.%t')},
	striped => q{CREATE TABLE striped.%t USING columnar AS %q WITH NO DATA;
		SELECT create_distributed_table('striped.%t', 'id');
		INSERT INTO striped.%t %q},
	parted => q{CREATE TABLE parted.%t (LIKE plain.%t) PARTITION BY RANGE (id);
		CREATE TABLE parted.%t_1 PARTITION OF parted.%t
			FOR VALUES FROM (MINVALUE) TO (100);
		CREATE TABLE parted.%t_2 PARTITION OF parted.%t
			FOR VALUES FROM (100) TO (MAXVALUE);
		SELECT create_distributed_table('parted.%t', 'id');
		INSERT INTO parted.%t %q});

# Makes a table of each kind with the rows of a query that has a column id.
sub kinds
{
	my ($table, $query) = @_;
	my $sql = "SET client_min_messages = error;\n";

	foreach my $name ('plain', grep { $_ ne 'plain' } sort keys %kind)
	{
		my $make = $kind{$name} =~ s/%t/$table/gr =~ s/%q/$query/gr;

		$sql .= "DROP SCHEMA IF EXISTS $name CASCADE; CREATE SCHEMA $name;\n$make;\n";
	}
	ask($sql);
}

# Ends the second worker at once, as a crash would.
sub stop_worker
{
	my $data = "$ENV{SDC_TEMPORARY}/worker2";

	open(my $file, '<', "$data/postmaster.pid") or die;
	my ($pid) = <$file> =~ /(\d+)/;
	kill 'QUIT', $pid;
	for (1 .. 100)
	{
		last unless -e "$data/postmaster.pid";
		sleep 0.1;
	}
}

sub start_worker
{
	system("cd $ENV{SDC_TEMPORARY} && HOME=$ENV{SDC_TEMPORARY} $ENV{SDC_AS_SERVER} "
		. "$ENV{SDC_BIN}/pg_ctl -D $ENV{SDC_TEMPORARY}/worker2 -w -l $ENV{SDC_TEMPORARY}/worker2.log start >/dev/null") == 0
	  or die 'the worker does not start';
	for (1 .. 100)
	{
		last if (attempt('SELECT 1', port => worker(2)))[0] eq '1';
		sleep 0.1;
	}
}

# Runs a statement and, when another session sees it at work on the worker,
# does something; returns what it said.
sub meanwhile
{
	my ($sql, $looks, $do) = @_;
	my ($out, $error, $seen) = ('', '', '');
	my $run = start [ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-c', $sql ], '>', \$out, '2>', \$error;
	# one session looks, as a connection for each look would come too late
	my $look = start [ 'psql', '-XqAt', '-h', '127.0.0.1', '-p', worker(2), '-c', qq{DO \$\$ BEGIN
		FOR i IN 1 .. 4000 LOOP
			PERFORM pg_stat_clear_snapshot();
			EXIT WHEN ($looks) > 0;
			PERFORM pg_sleep(0.003);
		END LOOP; END \$\$} ], '>', \$seen, '2>', \$seen;

	# until it is seen at work, or has ended
	while ($run->pumpable && $look->pumpable)
	{
		$run->pump_nb;
		$look->pump_nb;
		sleep 0.002;
	}
	$do->();
	finish $run;
	$look->kill_kill;
	return $error;
}

1;
