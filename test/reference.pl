#!/usr/bin/perl
#
# reference.pl [--accept]: doc/reference.md and doc/glossary.md from the
# extension as it is installed: sdc.help, the comments and the settings.
#
# Prints "ok - PAGE" when a page is what it must be, else "not ok - PAGE" and
# what differs; --accept writes the pages.  Needs a server with sdc: ./run test
# doc reference, or test/with_cluster.sh.

use strict;
use warnings;
use FindBin;

my $root = "$FindBin::RealBin/..";
my $accept = @ARGV && $ARGV[0] eq '--accept';
my $database = 'sdc_reference';

$ENV{PGOPTIONS} = '-c search_path=pg_catalog -c sdc.progress_interval=0';

sub run
{
	system(@_) == 0 or die "$_[0] failed\n";
}

# The rows of a query, each a list of values.
sub rows
{
	my ($sql) = @_;

	open my $psql, '-|', 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-F', "\x1f",
	  '-R', "\x1e", '-d', $database, '-c', $sql
	  or die "cannot run psql\n";
	local $/;
	my $all = <$psql> // '';
	close $psql or die "psql failed\n";
	$all =~ s/\n\z//;
	return map { [ split /\x1f/, $_, -1 ] } split /\x1e/, $all;
}

# A sentence for a page: text of ours, in which only < and | need care.
sub plain
{
	my ($text) = @_;

	$text =~ s/\|/\\|/g;
	$text =~ s/</&lt;/g;
	return $text;
}

# Lines of at most 79 columns.
sub wrapped
{
	my ($text) = @_;
	my @lines = ('');

	foreach my $word (split / /, $text)
	{
		push @lines, '' if $lines[-1] ne '' && length("$lines[-1] $word") > 79;
		$lines[-1] .= ($lines[-1] eq '' ? '' : ' ') . $word;
	}
	return join("\n", @lines) . "\n";
}

sub sentence
{
	my ($text) = @_;

	return wrapped(plain(ucfirst($text) . '.'));
}

# A call as a code block, broken at its arguments.
sub call
{
	my ($text) = @_;
	my $indent = '    ';

	return "$indent$text\n" if length $text < 76;
	my ($head, $arguments, $tail) = $text =~ /^(.*?\()(.*)(\).*?)$/
	  or return "$indent$text\n";
	my @lines = ("$indent$head");
	my $deeper = $indent x 2;

	foreach my $argument (split /(?<=,) /, $arguments)
	{
		if (length("$lines[-1] $argument") > 79 || @lines == 1)
		{
			push @lines, "$deeper$argument";
		}
		else
		{
			$lines[-1] .= " $argument";
		}
	}
	$tail =~ s/^\) /)\n$deeper/ if length("$lines[-1]$tail") > 79;
	return join("\n", @lines) . "$tail\n";
}

sub indented
{
	my ($text) = @_;

	$text =~ s/^/    /gm;
	return "$text\n";
}

my $made = "This page is made from the extension by `./run accept doc %s`.\n";

sub job
{
	my ($name, $says) = @_;
	my $page = "## $name\n\n" . sentence($says);

	foreach my $row (rows("SELECT topic, says FROM sdc.help('$name')"))
	{
		my ($topic, $text) = @$row;

		if ($topic eq 'example')
		{
			$page .= "\nAn example that runs:\n\n" . indented($text);
		}
		elsif ($topic =~ /^(CALL )?sdc\.\w+\(/)
		{
			$page .= "\n" . call($topic) . "\n" . sentence($text);
		}
		elsif ($topic =~ /^\{/)
		{
			$page .= "\n" . indented($topic) . "\n" . wrapped(plain($text));
		}
	}
	return "$page\n";
}

sub people
{
	my (@persons) = @_;
	my $page = "## Rights\n\n"
	  . wrapped("sdc.grant_to(role, job) gives what a job needs beyond what "
		  . 'everyone may do.');

	$page .= "\n| job | does | may call | may read |\n|---|---|---|---|\n";
	foreach my $person (@persons)
	{
		my ($name, $says) = @$person;
		my @rights = map { $_->[0] } rows("SELECT topic FROM sdc.help('$name')");
		my %seen;
		my @calls = grep { !$seen{$_}++ }
		  map { /^(?:CALL )?sdc\.(\w+)\(/ ? $1 : () } @rights;
		my @reads = map { /^sdc\.(\w+)$/ ? $1 : () } @rights;

		$says =~ s/^role for sdc.grant_to: //;
		$page .= "| $name | " . plain($says) . ' | '
		  . join(', ', @calls) . ' | ' . join(', ', @reads) . " |\n";
	}
	return "$page\n";
}

sub types
{
	my $page = "## Rows\n\n" . wrapped('What functions return rows of.');

	foreach my $type (rows(q{
		SELECT c.oid, c.relname, obj_description(c.reltype, 'pg_type')
		FROM pg_class c WHERE c.relkind = 'c' AND c.relnamespace = 'sdc'::regnamespace
		ORDER BY c.relname COLLATE "C"}))
	{
		my ($oid, $name, $says) = @$type;
		my @columns = map { "$_->[0] $_->[1]" } rows(qq{
			SELECT attname, replace(format_type(atttypid, atttypmod),
			                        'double precision', 'float8')
			FROM pg_attribute WHERE attrelid = $oid AND attnum > 0
			  AND NOT attisdropped ORDER BY attnum});

		$page .= "\n" . call("sdc.$name (" . join(', ', @columns) . ')') . "\n"
		  . sentence($says);
	}
	return "$page\n";
}

sub relations
{
	my $page = "## Tables and views\n\n| name | holds |\n|---|---|\n";

	$page .= join '', map { "| sdc.$_->[0] | " . plain($_->[1]) . " |\n" } rows(q{
		SELECT c.relname, obj_description(c.oid, 'pg_class') FROM pg_class c
		WHERE c.relkind IN ('r', 'v') AND c.relnamespace = 'sdc'::regnamespace
		ORDER BY c.relname COLLATE "C"});
	return "$page\n";
}

sub settings
{
	my $page = "## Settings\n\n| name | default | does |\n|---|---|---|\n";

	return $page . join '', map {
		"| $_->[0] | $_->[1] | " . plain($_->[2]) . " |\n"
	} rows(q{
		LOAD 'sdc';
		SELECT name, concat(boot_val, ' ' || unit), short_desc FROM pg_settings
		WHERE name ~ '^sdc\.' ORDER BY name COLLATE "C"});
}

sub reference
{
	my @topics = rows('SELECT topic, says FROM sdc.help()');
	my @persons = grep { $_->[1] =~ /^role for/ } @topics;
	my @jobs = grep { $_->[1] !~ /^role for/ && $_->[0] ne 'glossary' } @topics;

	return "# Reference: every function, by job\n\n"
	  . wrapped('`SELECT * FROM sdc.help()` says the same in the database, and '
		  . '[glossary.md](glossary.md) what the words mean. '
		  . sprintf($made, 'reference') =~ s/\n//r)
	  . "\n"
	  . join('', map { job(@$_) } @jobs)
	  . people(@persons)
	  . types()
	  . relations()
	  . settings();
}

sub glossary
{
	return "# Glossary\n\n"
	  . wrapped("`sdc.help('k-anonymity')` says the same in the database. "
		  . sprintf($made, 'glossary') =~ s/\n//r)
	  . "\n| word | means |\n|---|---|\n"
	  . join '', map { "| $_->[0] | " . plain($_->[1]) . " |\n" }
	  rows(q{SELECT topic, says FROM sdc.help('glossary')});
}

sub check
{
	my ($name, $page) = @_;
	my $file = "$root/doc/$name.md";

	if ($accept)
	{
		open my $handle, '>', $file or die "cannot write $file: $!\n";
		print $handle $page;
		close $handle;
		return;
	}
	my $there = -f $file ? do { local (@ARGV, $/) = $file; <> } : '';

	print $there eq $page ? '' : 'not ',
	  "ok - doc/$name.md is that of the extension\n";
	return if $there eq $page;
	open my $diff, '|-', "diff -u '$file' - 2>&1 | sed 's/^/# /'"
	  or die "cannot run diff\n";
	print $diff $page;
	close $diff;
}

$| = 1;
run('createdb', $database);
run('psql', '-Xqd', $database, '-c', 'CREATE EXTENSION sdc');
check('reference', reference());
check('glossary', glossary());
run('dropdb', $database);
