#!/usr/bin/perl
#
# figures.pl [OPTIONS] [ROOT [BUILD]]: the figures of the house, of the source
# in ROOT (this clone) and of its build (the newest in ROOT/build).
#
#   --list FIGURE       what a figure has counted, one line each
#   --most FIGURE=N     no figures: silence when FIGURE is at most N, otherwise
#                       what it has counted, and status 1; may be repeated
#   --csv               figure,value
#
# It knows no folder by name.  A folder is a directory below src/ that holds
# sources, and a global is a symbol that an object of the library exports to
# others, but for the entries of SQL (sdcf_*, pg_finfo_*) and what PostgreSQL
# itself calls.  The figures:
#
#   files, lines        .c and .h below src/; "lines" are those of wc
#   folders             directories that hold them
#   comment_percent     of these lines, how many are comment or part of one
#   globals             as above (nm on the objects)
#   globals_of_a_folder of these, used by other objects, all of them in the
#                       folder that defines them
#   globals_of_an_object
#                       used in no other object, but in their own: could be
#                       static
#   globals_of_one      used in exactly one other object, whatever its folder
#   globals_of_tests    used nowhere in src/, but by name below test/
#   globals_of_nobody   used neither in src/ nor below test/
#   word_lists          arrays of two or more string literals, NULL-ended or
#                       not: declared arrays of char * and compound literals,
#                       but not the arguments of a macro
#   word_lists_repeated different sets of words that such lists hold more than
#                       once, in any order
#   sql_entries         functions, aggregates, window functions and procedures
#                       of the install script, overloads counted, and
#   sql_entries_NAME    of these, in the schema NAME
#   sql_names_NAME      their different names
#   longest_file        in lines, and
#   longest_function    in lines between its braces
#   functions           in .c files

use strict;
use warnings;
use File::Find;
use Getopt::Long;

my ($list, %most, $csv);
GetOptions('list=s' => \$list, 'most=i' => \%most, 'csv' => \$csv)
  or die "usage: figures.pl [--list FIGURE] [--most FIGURE=N] [--csv] [ROOT [BUILD]]\n";
my $root = $ARGV[0] // ($0 =~ m{^(.*)/} ? "$1/.." : '..');
my $build = $ARGV[1];

# All figures in the order in which they are printed, and what each counted.
my (@order, %value, %counted);

sub figure
{
	my ($name, $value, @what) = @_;

	push @order, $name;
	$value{$name} = $value;
	$counted{$name} = \@what;
}

sub slurp
{
	my ($name) = @_;

	open my $handle, '<', $name or die "cannot read $name: $!\n";
	local $/;
	my $text = <$handle>;
	close $handle;
	return $text // '';
}

# Files below ROOT/DIRECTORY whose name matches, relative to ROOT, sorted.
sub files_below
{
	my ($directory, $pattern) = @_;
	my @found;

	return () unless -d "$root/$directory";
	find(
		{
			no_chdir => 1,
			wanted => sub {
				push @found, substr($_, length("$root/"))
				  if -f $_ && $_ =~ $pattern;
			}
		},
		"$root/$directory");
	@found = sort @found;
	return @found;
}

sub folder
{
	my ($file) = @_;

	return $file =~ m{^(.*)/} ? $1 : '.';
}

my @src = files_below('src', qr/\.[ch]$/);
die "$root/src holds no sources\n" unless @src;
my %text = map { $_ => slurp("$root/$_") } @src;

# The same with comments blanked; lines keep their numbers.
my (%code, $comment_lines);

$comment_lines = 0;
foreach my $file (@src)
{
	my $text = $text{$file};

	$text =~ s{
		(?<comment> /\*.*?\*/ | //[^\n]* )
		| (?<string> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' )
	}{ defined $+{comment} ? blanked($+{comment}) : $+{string} }gsex;
	$code{$file} = $text;
}

sub blanked
{
	my ($comment) = @_;
	my $breaks = $comment =~ tr/\n//;

	$comment_lines += 1 + $breaks;
	return $breaks ? "\n" x $breaks : ' ';
}

sub line_of
{
	my ($text, $offset) = @_;

	return 1 + (substr($text, 0, $offset) =~ tr/\n//);
}

# ---------------------------------------------------------------------------
# Files and functions.

my %lines = map { $_ => ($text{$_} =~ tr/\n//) } @src;
my $all_lines = 0;
my %folders = map { folder($_) => 1 } @src;

$all_lines += $_ foreach values %lines;
figure('files', scalar(@src), @src);
figure('lines', $all_lines);
figure('folders', scalar(keys %folders), sort keys %folders);
figure('comment_percent', sprintf('%.1f', 100 * $comment_lines / $all_lines));

# [lines, file:line] of each function: from a brace in the first column after
# a line that ends its parameters, to the next one.
sub functions
{
	my @found;

	foreach my $file (grep { /\.c$/ } @src)
	{
		my ($number, $start, $before) = (0, undef, '');

		foreach my $line (split /\n/, $text{$file})
		{
			$number++;
			$start = $number if $line eq '{' && $before =~ /\)\s*$/;
			if ($line eq '}' && defined $start)
			{
				push @found, [ $number - $start - 1, "$file:$start" ];
				$start = undef;
			}
			$before = $line;
		}
	}
	return sort { $b->[0] <=> $a->[0] || $a->[1] cmp $b->[1] } @found;
}

# The longest of [lines, place] pairs, sorted; listed are the first twenty.
sub longest
{
	my ($name, @pairs) = @_;
	my $last = $#pairs < 19 ? $#pairs : 19;

	figure($name, @pairs ? $pairs[0][0] : 0,
		map { "$_->[1]: $_->[0] lines" } @pairs[ 0 .. $last ]);
}

my @functions = functions();

figure('functions', scalar @functions);
longest('longest_file',
	sort { $b->[0] <=> $a->[0] || $a->[1] cmp $b->[1] }
	map { [ $lines{$_}, $_ ] } @src);
longest('longest_function', @functions);

# ---------------------------------------------------------------------------
# Symbols.

sub newest_build
{
	my @builds = sort { -M $a <=> -M $b } glob "$root/build/*/sdc.so";

	die "$root is not built: ./run build\n" unless @builds;
	return $builds[0] =~ s{/sdc\.so$}{}r;
}

$build //= newest_build();

# Source that defines a global, and the sources whose objects use it.
my (%defined_in, %used_in);

my %source_of = map { "$build/" . s/\.c$/.o/r => $_ } grep { /\.c$/ } @src;
my $objects = join ' ', map { "'$_'" } sort keys %source_of;

foreach my $object (sort keys %source_of)
{
	die "$object is missing: build first\n" unless -f $object;
}
foreach my $line (`nm -A -g $objects`)
{
	next unless $line =~ /^(.*?):.*\s([A-Za-z])\s+(\S+)$/;
	my $source = $source_of{$1};

	if ($2 eq 'U')
	{
		$used_in{$3}{$source} = 1;
	}
	else
	{
		$defined_in{$3} = $source;
	}
}

# A name with a dot is one of the compiler's own.
my @globals = sort grep { !/^(sdcf_|pg_finfo_|_PG_|Pg_magic_func)|\./ }
  keys %defined_in;

# Words of all that is compiled or run below test/.
my %word_of_tests;

foreach my $file (files_below('test', qr/\.(c|h|pl|pm|sh|sql)$|Makefile$/))
{
	$word_of_tests{$_} = 1 foreach slurp("$root/$file") =~ /\b[A-Za-z_]\w+\b/g;
}

# Is a global named in the source that defines it, or by an inline function of
# its header, other than where it is defined and declared?
sub used_at_home
{
	my ($name) = @_;
	my $header = $defined_in{$name} =~ s/\.c$/.h/r;
	my $count = () = $code{$defined_in{$name}} =~ /\b\Q$name\E\b/g;
	my $inline = () = ($code{$header} // '') =~ /\b\Q$name\E\b/g;

	return $count > 1 || $inline > 1;
}

my (@of_folder, @of_object, @of_one, @of_tests, @of_nobody);

foreach my $name (@globals)
{
	my $home = $defined_in{$name};
	my @users = grep { $_ ne $home } sort keys %{ $used_in{$name} // {} };
	my @outside = grep { folder($_) ne folder($home) } @users;
	my $kind =
	    @users ? undef
	  : used_at_home($name) ? \@of_object
	  : $word_of_tests{$name} ? \@of_tests
	  : \@of_nobody;

	push @$kind, "$home: $name" if defined $kind;
	push @of_folder, "$home: $name (@users)" if @users && !@outside;
	push @of_one, "$home: $name ($users[0])" if @users == 1;
}
figure('globals', scalar(@globals), map { "$defined_in{$_}: $_" } @globals);
figure('globals_of_a_folder', scalar(@of_folder), @of_folder);
figure('globals_of_one', scalar(@of_one), @of_one);
figure('globals_of_an_object', scalar(@of_object), @of_object);
figure('globals_of_tests', scalar(@of_tests), @of_tests);
figure('globals_of_nobody', scalar(@of_nobody), @of_nobody);

# ---------------------------------------------------------------------------
# Lists of words.

my $string = qr/"(?:[^"\\\n]|\\.)*"/;

# The words between the braces of a list, or nothing if it holds other things.
sub words_of
{
	my ($body) = @_;

	$body =~ s/\[\s*\w+\s*\]\s*=//g;
	return () unless $body =~ /^(?:\s|,|NULL\b|$string)*$/;
	$body =~ s/($string)\s*(?=")/substr($1, 0, -1) . "\0"/ge;
	$body =~ s/\0"//g;
	return map { substr $_, 1, -1 } $body =~ /$string/g;
}

# [file:line, word, ...] of each list.
sub word_lists
{
	my @found;

	foreach my $file (@src)
	{
		my $code = $code{$file};

		while ($code =~ m{\bchar\s*(?:const\s*)?\*[\s\w*]*
			(?:\[[^\]]*\]\s*)+ (?:=|\)) \s*\{ ((?:[^{}"]|$string)*) \}}gsx)
		{
			my $offset = $-[0];
			my @words = words_of($1);

			push @found, [ "$file:" . line_of($code, $offset), @words ]
			  if @words > 1;
		}
	}
	return @found;
}

my @lists = word_lists();
my %same;

foreach my $list (@lists)
{
	my ($place, @words) = @$list;

	push @{ $same{ join "\0", sort @words } }, $list;
}

sub shown
{
	my ($place, @words) = @{ $_[0] };

	return "$place: @words";
}

my @repeated = grep { @$_ > 1 } map { $same{$_} } sort keys %same;

figure('word_lists', scalar(@lists), map { shown($_) } @lists);
figure('word_lists_repeated', scalar(@repeated),
	map { map { shown($_) } @$_ } @repeated);

# ---------------------------------------------------------------------------
# SQL, from the script that make has joined: that of the default version.

sub install_script
{
	my ($version) = slurp("$root/sdc.control") =~ /default_version\s*=\s*'([^']+)'/;

	return slurp("$build/sdc--$version.sql");
}

my $script = install_script();
my (%entries, %names);

$script =~ s/--[^\n]*//g;
while ($script =~ /\bCREATE\s+(?:OR\s+REPLACE\s+)?(FUNCTION|AGGREGATE|PROCEDURE)\s+(\w+)\.(\w+)/gi)
{
	push @{ $entries{$2} }, lc($1) . " $2.$3";
	$names{$2}{$3} = 1;
}
my @schemas = sort keys %entries;

figure('sql_entries', scalar(map { @{ $entries{$_} } } @schemas));
foreach my $schema (@schemas)
{
	figure("sql_entries_$schema", scalar @{ $entries{$schema} },
		sort @{ $entries{$schema} });
	figure("sql_names_$schema", scalar(keys %{ $names{$schema} }),
		sort keys %{ $names{$schema} });
}

# ---------------------------------------------------------------------------

foreach my $name (grep { defined $_ } $list, sort keys %most)
{
	# a schema that holds nothing has no figure of its own
	$value{$name} //= 0 if $name =~ /^sql_(entries|names)_/;
	die "no figure $name; there are: @order\n" unless defined $value{$name};
}

my $failed = 0;

if (defined $list)
{
	print map { "$_\n" } @{ $counted{$list} // [] };
}
elsif (%most)
{
	foreach my $name (sort keys %most)
	{
		next if $value{$name} <= $most{$name};
		print "$name is $value{$name}, may be $most{$name}\n",
		  map { "$_\n" } @{ $counted{$name} };
		$failed = 1;
	}
}
elsif ($csv)
{
	print map { "$_,$value{$_}\n" } @order;
}
else
{
	printf "%-24s %8s\n", $_, $value{$_} foreach @order;
}
exit $failed;
