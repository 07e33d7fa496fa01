# What the tests on a cluster of Citus share: psql on the coordinator and on
# the workers, and the same rows as tables of every kind.

package Citus;

use strict;
use warnings;

use Exporter 'import';
use IPC::Run qw(run);

our @EXPORT = qw(ask attempt worker kinds %kind workers_say);

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

1;
