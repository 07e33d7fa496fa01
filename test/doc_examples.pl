#!/usr/bin/perl
#
# doc_examples.pl [--accept] [PAGE ...]: are the examples of the pages true?
# PAGE is doc/masks.md or masks; without one all pages are read, and README.md,
# CHANGELOG.md, CONTRIBUTING.md and test/README.md.
#
# A ```sql block of a page is run by psql; the ``` block that follows it, with
# nothing but empty lines between, is what it must print.  A block that prints
# something must be followed by one; a block of another kind is left alone,
# except that a ```sh block that says only "./run demo" is run as well, and one
# whose lines call only psql and the scripts of bin/ is, with PGDATABASE set and
# in a directory of its own.  A line "[...]" in an output stands for any number of lines that are left out.  The
# blocks of a page run in turn, each in a session of its own, in a database
# that belongs to the page.
#
# Files that a page names, as `src/host/server/host.c`, must exist, and so must
# the places that its links lead to, and functions of the source, named as
# `sdcpg_host_begin` or `sdc_rank_swap()`.
#
# --accept writes what is printed now into the pages.
#
# Needs a server with sdc: ./run test doc, or test/with_cluster.sh.

use strict;
use warnings;
use FindBin;

my $root = "$FindBin::RealBin/..";
my $accept = @ARGV && $ARGV[0] eq '--accept' ? shift : 0;
my @pages = @ARGV;
my $demo = "./run demo\n";

chdir $root or die "$root: $!\n";
@pages = map { -f $_ ? $_ : -f "$_.md" ? "$_.md" : "doc/$_.md" } @pages;
@pages = grep { -f }
  glob('doc/*.md README.md CHANGELOG.md CONTRIBUTING.md test/README.md')
  unless @pages;

# A long call under a loaded machine must not add progress lines.
$ENV{PGOPTIONS} = '-c sdc.progress_interval=0';

sub slurp
{
	my ($name) = @_;

	open my $handle, '<', $name or die "$name: $!\n";
	local $/;
	return scalar <$handle>;
}

# The fenced blocks of a page, each with its kind, text and lines.
sub blocks
{
	my (@lines) = @_;
	my (@blocks, $open);

	for my $i (0 .. $#lines)
	{
		if (!$open && $lines[$i] =~ /^```(\w*)\s*$/)
		{
			$open = { kind => $1, first => $i, text => '' };
		}
		elsif ($open && $lines[$i] =~ /^```\s*$/)
		{
			$open->{last} = $i;
			push @blocks, $open;
			$open = undef;
		}
		elsif ($open)
		{
			$open->{text} .= $lines[$i];
		}
	}
	return @blocks;
}

# What a command that reads stdin prints for a text; blanks at line ends are
# dropped.
sub run_command
{
	my ($command, $text) = @_;
	my $file = ($ENV{TMPDIR} // '/tmp') . "/doc_examples.$$";
	my $said;

	open my $handle, '>', $file or die "$file: $!\n";
	print $handle $text;
	close $handle;
	$said = `{ $command; } <$file 2>&1`;
	unlink $file;
	$said =~ s/[ \t]+$//mg;
	return $said =~ s/\n+\z/\n/r;
}

sub run_psql
{
	my ($database, $text) = @_;

	return run_command("psql -Xq -d $database", $text);
}

# The same for a script of the shell.
sub run_shell
{
	my ($database, $text) = @_;

	return run_command(
		'place=$(mktemp -d) && cd "$place" && '
		  . "PGDATABASE=$database bash; cd / && rm -rf \"\$place\"",
		$text);
}

# Does a block for the shell call only psql and what sdc installs?
sub is_script
{
	my ($block) = @_;

	return $block->{kind} eq 'sh'
	  && !grep { !/^(?:psql|sdc_\w+) / } split /\n/, $block->{text};
}

# The part of what is printed that lies between the first and the last line of
# a piece of the page.
sub excerpt
{
	my ($piece, $said) = @_;
	my ($first) = $piece =~ /^(.*\n)/;
	my ($last) = $piece =~ /^(.*\n)\z/m;

	return $piece if index($said, $piece) >= 0;
	return $1 if $said =~ /^(\Q$first\E(?:.*\n)*?\Q$last\E)/m;
	return "not printed: $piece";
}

# What is printed, with the lines left out that the page leaves out.
sub shortened
{
	my ($expected, $said) = @_;
	my @pieces = split /^\[\.\.\.\]\n/m, $expected, -1;

	return $said if @pieces < 2;
	return join "[...]\n", map { $_ eq '' ? '' : excerpt($_, $said) } @pieces;
}

# Compares two texts for the reader of a failure.
sub show_difference
{
	my ($expected, $said) = @_;

	print map { "#   page: $_\n" } split /\n/, $expected;
	print map { "#   psql: $_\n" } split /\n/, $said;
}

# Is block $next the output of block $block?
sub is_output
{
	my ($lines, $block, $next) = @_;

	return
	     $next
	  && $next->{kind} eq ''
	  && !grep { /\S/ } @$lines[ $block->{last} + 1 .. $next->{first} - 1 ];
}

# The heading of a page that a link #anchor leads to, as GitHub names it.
sub anchors
{
	my ($page) = @_;

	return map { my $name = lc; $name =~ s/[^\w -]//g; $name =~ tr/ /-/r }
	  slurp($page) =~ /^#+ +(.*?) *$/mg;
}

# The names in the C source, as the keys of a hash; read once.
my %source;

sub in_source
{
	my ($name) = @_;

	unless (%source)
	{
		$source{$_} = 1
		  foreach map { slurp($_) =~ /\b(sdc\w+)/g } glob 'src/*/*/*.[ch] src/*/*.[ch]';
	}
	return $source{$name};
}

# Things a page speaks of that are not there.
sub missing
{
	my ($page, $text) = @_;
	my $directory = $page =~ m{^(.*/)} ? $1 : '';
	my @missing;

	# names with <words> to fill in do not match this; TOPIC and VERSION are such
	# words, too
	foreach my $path ($text =~ m{`((?:src|sql|test|doc|expected)/[\w./*-]+)`}g)
	{
		next if $path =~ /TOPIC|VERSION/;
		my @found = grep { -e } glob $path;

		push @missing, $path unless @found;
	}
	push @missing, "function $_ in src"
	  foreach grep { !in_source($_) }
	  $text =~ /`(sdc(?:pg|f)_\w+|sdc_\w+(?=\(\)))(?:\(\))?`/g;
	foreach my $link ($text =~ m{\]\((?!https?:)([^)]+)\)}g)
	{
		my ($file, $anchor) = $link =~ /^([^#]*)(?:#(.*))?$/;
		my $target = $file eq '' ? $page : $directory . $file;

		push @missing, $link
		  unless -e $target
		  && (!defined $anchor || grep { $_ eq $anchor } anchors($target));
	}
	return @missing;
}

# The masks of a release depend on a key that a policy gets at random; with a
# seed and these keys the pages show the same figures every time.
my $keys = q{INSERT INTO sdc.policy_key
	SELECT policy, decode(repeat('5d', 32), 'hex')
	FROM unnest('{yearly,monthly}'::text[]) AS policy};
my $failed = 0;
my $number = 0;

# A page's database is a copy of one; a copy by the log, which 15 and later
# make unasked, takes four times as long.
my $copied = run_psql('postgres', 'SHOW server_version_num') =~ /(\d{6})/ && $1 >= 150000
  ? 'STRATEGY file_copy' : '';
run_psql('postgres', 'CREATE DATABASE doc_page');
run_psql('doc_page', "CREATE EXTENSION sdc;\n$keys");

foreach my $page (@pages)
{
	my @lines = split /^/, slurp($page);
	my @blocks = blocks(@lines);
	my $database = 'doc_' . ++$number;
	my @missing = missing($page, join '', @lines);

	printf "%s - %s links and paths\n", @missing ? 'not ok' : 'ok', $page;
	print map { "#   there is no $_\n" } @missing;
	$failed++ if @missing;
	my ($made, @runs);
	foreach my $i (0 .. $#blocks)
	{
		my ($block, $next) = @blocks[ $i, $i + 1 ];
		my $script =
		    $block->{kind} eq 'sql'                              ? $block->{text}
		  : $block->{kind} eq 'sh' && $block->{text} eq $demo ? slurp('doc/demo.sql')
		  : is_script($block)                                  ? $block->{text}
		  :                                                       undef;
		next unless defined $script;
		my $run = is_script($block) ? \&run_shell : \&run_psql;
		run_psql('postgres', "CREATE DATABASE $database TEMPLATE doc_page $copied") unless $made++;

		my $output = is_output(\@lines, $block, $next) ? $next : undef;
		my $expected = $output ? $output->{text} : '';
		my $said = shortened($expected, $run->($database, $script));
		my $same = $said eq $expected;

		printf "%s - %s line %d\n", $same || $accept ? 'ok' : 'not ok', $page,
		  $block->{first} + 1;
		next if $same;
		$failed++;
		show_difference($expected, $said) unless $accept;
		push @runs, [ $block, $output, $said ];
	}
	run_psql('postgres', "DROP DATABASE $database") if $made;
	next unless $accept && @runs;
	# from the last block up, so that line numbers stay true
	foreach my $run (reverse @runs)
	{
		my ($block, $output, $said) = @$run;
		my $first = $output ? $output->{first} : $block->{last} + 1;
		my $count = $output ? $output->{last} - $first + 1 : 0;
		my @new = $said eq '' ? () : ("```\n", $said, "```\n");

		splice @lines, $first, $count, @new;
	}
	open my $handle, '>', $page or die "$page: $!\n";
	print $handle @lines;
	close $handle or die "$page: $!\n";
}
exit($failed && !$accept ? 1 : 0);
