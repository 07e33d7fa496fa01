# Every function on a relation (SdcCalls.pm) answers for a distributed table,
# a reference table, a local table that Citus knows, a columnar one and a
# partitioned one what it answers for a plain one, to the last bit, or is
# refused with a message that says why.  No server ends.

use strict;
use warnings;

use Test::More;
use Citus;
use SdcCalls qw(%on_relation rows);

# Not asked: they store something about the relation, these rows do not do for
# them, or they say how the relation itself is stored.
my %skipped = map { $_ => 1 } qw(attack_joined attack_minimality check_release release_values
  create_dataset create_policy declare declared declared_nulls release_rows), 'mask (in place)';

kinds('people', rows(400));
attempt("SELECT sdc.drop_hierarchy('tens'); SELECT sdc.drop_strategy('kept')", on => 1);
ask(q{
	SELECT sdc.create_hierarchy('tens', 'interval', '{"levels": [[25], []]}');
	SELECT sdc.create_strategy('kept', 'age', '{0}', params => '{"suppression": 100}')});
foreach my $kind (sort keys %kind)
{
	ask("SELECT sdc.declare('$kind.people', id => 'id')");
}

my %draws = map { $_ => 1 } split /\n/, ask(q{
	SELECT proname FROM pg_proc
	WHERE pronamespace = 'sdc'::regnamespace AND 'seed' = ANY (proargnames)});

# What a call returns and writes on a table of a kind; steps without what is
# about the relation and not about its rows.
sub answer
{
	my ($name, $kind) = @_;
	my $call = $on_relation{$name} =~ s/%r/'$kind.people'::regclass/gr;
	my $made = $call =~ /'made'/ && $call !~ /dry_run/;
	my ($what, $where) = ('a::text', 'true');

	$call =~ s/'made'\)$/'made', p => 10)/ if $name eq 'sample_rows';
	$call =~ s/\)$/, seed => 1)/ if $draws{ $name =~ s/ .*//r };
	($what, $where) = ('(subject, method, rows, changed, detail, measure, value)',
		"step IN ('mask', 'measure')") if $call =~ /'made'/ && $name ne 'protect_table';
	my ($out, $error) = attempt("SET client_min_messages = error;
		SET sdc.progress_interval = 0; BEGIN;
		SELECT $what FROM $call AS a WHERE $where;"
		. ($made ? 'SELECT to_jsonb(made) FROM made ORDER BY 1;' : '')
		. 'ROLLBACK');

	$out =~ s/\b\Q$kind\E\.//g;
	# ranks are drawn for all servers at once: the same incomes in other rows
	if ($name eq 'mask (copy)')
	{
		my @income = $out =~ /"income": ([^,]*)/g;

		$out =~ s/"income": [^,]*, //g;
		$out .= "\n" . join ' ', sort @income;
	}
	return (join("\n", sort split /\n/, $out), $error);
}

foreach my $name (sort keys %on_relation)
{
	next if $skipped{$name};
	my ($expected, $wrong) = answer($name, 'plain');

	is($wrong, '', "$name on a plain table");
	foreach my $kind (grep { $_ ne 'plain' } sort keys %kind)
	{
		my ($out, $error) = answer($name, $kind);

		if ($error =~ /^ERROR:  (method ".*" cannot mask|relation ".*" is distributed)/)
		{
			pass("$name on a $kind table is refused");
			diag("$name on $kind: $error");
			next;
		}
		is($error . $out, $expected, "$name on a $kind table");
	}
}
done_testing();
