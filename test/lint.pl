#!/usr/bin/perl
#
# lint.pl ROOT [BUILD]: checks the rules of the source that a compiler does
# not.  BUILD is where ROOT was built; the rules on symbols read its objects.
#
# Prints "ok - rule" or "not ok - rule" with the offenders as file:line below
# it, and "ok - rule # skip why" where a tool is missing.  A new rule is one
# more call of rule() at the end; a new file is found by itself.

use strict;
use warnings;
use File::Find;
use File::Temp qw(tempdir);

my ($root, $build) = @ARGV;
die "usage: lint.pl ROOT [BUILD]\n" unless defined $root;
chdir $root or die "cannot enter $root: $!\n";

my $longest_file = 1500;
my $longest_line = 79;
my $longest_function = 80;

my @files;
find(
	{
		no_chdir => 1,
		wanted => sub {
			my $name = s{^\./}{}r;
			$File::Find::prune = 1 if $name =~ m{^(\.git|build|bench)$};
			push @files, $name if -f $_ && !ignored($name);
		}
	},
	'.');
@files = sort @files;

my @c = grep { /\.[ch]$/ } @files;
my @src = grep { m{^src/} } @c;
my @kernel = grep { m{^src/kernel/} } @c;
my @host = grep { m{^src/(host|topic|release)/} || $_ eq 'src/module.c' } @c;

my $failed = 0;

# Build products of a build in the tree; .gitignore names the same.
sub ignored
{
	my ($name) = @_;

	return $name =~ m{\.(o|bc|d|so|a|swp|orig|rej)$|~$}
	  || ($name =~ m{(^|/)sdc--[^/]*\.sql$} && $name !~ m{^sql/updates/});
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

# C text with comments blanked, and strings, too, unless they are to be kept;
# every line keeps its number.
sub code
{
	my ($name, $keep_strings) = @_;
	my $text = slurp($name);

	$text =~ s{
		(?<comment> /\*.*?\*/ | //[^\n]* )
		| (?<string> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' )
	}{
		defined $+{comment} ? blank($+{comment})
		  : ($keep_strings ? $+{string} : '""')
	}gsex;
	return $text;
}

sub blank
{
	my ($text) = @_;

	return $text =~ s/[^\n]//gr || ' ';
}

# Where a pattern occurs in the code of files, as "file:line: text".
sub occurrences
{
	my ($pattern, @names) = @_;
	my @found;

	foreach my $name (@names)
	{
		my $number = 0;

		foreach my $line (split /\n/, code($name))
		{
			$number++;
			push @found, "$name:$number: " . trimmed($line)
			  if $line =~ $pattern;
		}
	}
	return @found;
}

sub trimmed
{
	my ($text) = @_;

	$text =~ s/^\s+|\s+$//g;
	return $text;
}

# All "#include" lines: [file, line number, "name" or <name>].
sub includes
{
	my @found;

	foreach my $name (@_)
	{
		my $number = 0;

		foreach my $line (split /\n/, code($name, 1))
		{
			$number++;
			push @found, [ $name, $number, $1 ]
			  if $line =~ /^\s*#\s*include\s+(\S+)/;
		}
	}
	return @found;
}

# Runs a rule.  It returns its offenders, or a reference to the reason why it
# was not run.
sub rule
{
	my ($name, $check) = @_;
	my @offenders = $check->();

	if (@offenders && ref $offenders[0])
	{
		print "ok - $name # skip ${$offenders[0]}\n";
	}
	elsif (@offenders)
	{
		$failed++;
		print "not ok - $name\n", map { "  $_\n" } @offenders;
	}
	else
	{
		print "ok - $name\n";
	}
}

# Output of a command, by lines, when it fails; nothing when it succeeds.
sub complaints
{
	my ($command) = @_;
	my $said = `$command 2>&1`;

	return () if $? == 0;
	return grep { /\S/ } split /\n/, $said || "failed: $command";
}

sub quoted
{
	return join ' ', map { "'$_'" } @_;
}

# Global symbols that the objects of one layer define.
sub symbols
{
	my ($layer) = @_;
	my %source_of = map { ("$build/" . s/\.c$/.o/r) => $_ }
	  grep { m{^src/$layer/.*\.c$} } @c;
	my @missing = grep { !-f } keys %source_of;

	die "$missing[0] is missing: build first\n" if @missing;
	return map { /^(.*?):.*\s[A-Z]\s+(\S+)$/i ? [ $source_of{$1}, $2 ] : () }
	  split /\n/, `nm -A -g --defined-only @{[quoted(sort keys %source_of)]}`;
}

sub misnamed
{
	my ($layer, $pattern) = @_;

	return \'nothing is built' unless defined $build;
	return map { "$_->[0]: $_->[1]" }
	  grep { $_->[1] !~ $pattern } symbols($layer);
}

# ---------------------------------------------------------------------------
# Layers: src/kernel <- src/host <- src/topic <- src/release.

my $libc = join '|',
  qw(assert ctype errno float inttypes limits math setjmp stdarg stdbool
  stddef stdint stdlib string);

sub kernel_includes
{
	return map { "$_->[0]:$_->[1]: $_->[2]" } grep {
		my ($name, undef, $what) = @$_;
		!($what =~ m{^"kernel/}
			|| $what =~ m{^<($libc)\.h>$}
			|| ($what eq '<glpk.h>' && $name =~ m{/solver[^/]*\.c$})
			# instructions of the processor, by the compiler's own headers
			|| ($what =~ m{^<(cpuid|immintrin)\.h>$}
				&& $name =~ m{/keyed_hash\.c$}));
	} includes(@kernel);
}

# Among the folders of the kernel: base below linear, these below index and
# table, all four below the families; and no family includes, by whatever way
# round, one that includes it.
sub kernel_order
{
	my %depth = (base => 0, linear => 1, index => 2, table => 2);
	my (%below, %place, @found);

	foreach my $include (includes(@kernel))
	{
		my ($file, $line, $what) = @$include;
		my ($from) = $file =~ m{^src/kernel/(\w+)/};
		my ($to) = $what =~ m{^"kernel/(\w+)/};

		next if !defined $to || $from eq $to;
		$below{$from}{$to} = 1;
		$place{"$from $to"} //= "$file:$line: $what";
		push @found, "$file:$line: $what is not below $from"
		  if defined $depth{$from}
		  && ($depth{$to} // 9) >= $depth{$from};
	}
	foreach my $from (sort keys %below)
	{
		foreach my $to (sort keys %{ $below{$from} })
		{
			my %under = reachable($to, \%below);

			push @found, $place{"$from $to"} . ' is part of a circle'
			  if $under{$from};
		}
	}
	return @found;
}

# The folders that a folder includes, directly or not.
sub reachable
{
	my ($start, $below) = @_;
	my %seen;
	my @next = sort keys %{ $below->{$start} // {} };

	while (defined(my $folder = shift @next))
	{
		next if $seen{$folder}++;
		push @next, sort keys %{ $below->{$folder} // {} };
	}
	return %seen;
}

sub upward_includes
{
	my %above = (host => 'topic|release', topic => 'release');

	return map { "$_->[0]:$_->[1]: $_->[2]" } grep {
		my ($layer) = $_->[0] =~ m{^src/(\w+)/};
		my $above = defined $layer ? $above{$layer} : undef;
		defined $above && $_->[2] =~ m{^"($above)/};
	} includes(@src);
}

# What names and asks for columns lies below what reads them.
sub host_order
{
	return map { "$_->[0]:$_->[1]: $_->[2]" } grep {
		$_->[0] =~ m{^src/host/call/} && $_->[2] =~ m{^"host/data/}
		  || $_->[0] =~ m{^src/host/server/} && $_->[2] =~ m{^"host/(call|data)/}
	} includes(@src);
}

sub glpk_includes
{
	return map { "$_->[0]:$_->[1]: $_->[2]" } grep {
		$_->[2] =~ /glpk/
		  && $_->[0] !~ m{^src/(kernel/base/solver|host/server/host)\.[ch]$}
	} includes(@src);
}

sub relative_includes
{
	return map { "$_->[0]:$_->[1]: $_->[2]" } grep {
		my ($name) = $_->[2] =~ m{^"([^/"]+)"$};
		$_->[2] =~ m{^"\.}
		  || (defined $name && grep { m{/\Q$name\E$} } @src);
	} includes(@src);
}

# What a kernel must leave to its host.
sub kernel_calls
{
	my $calls = join '|',
	  qw(malloc calloc realloc free alloca strdup qsort qsort_r printf
	  fprintf puts putchar fopen open read write abort exit assert rand random
	  srand time clock getenv setlocale signal pthread_\w+ system);

	return occurrences(qr/(?<![\w>.])($calls)\s*\(/, @kernel);
}

# libm functions whose last digit differs between machines.
sub inexact_calls
{
	my $calls = join '|',
	  qw(exp exp2 exp10 expm1 log log2 log10 log1p pow sin cos tan asin acos
	  atan atan2 sinh cosh tanh cbrt hypot erf erfc lgamma tgamma fma);

	return occurrences(qr/(?<![\w>.])($calls)f?\s*\(/,
		grep { slurp($_) !~ m{\*\s*libm:} } @kernel);
}

sub alone
{
	my ($compiler) = @_;
	my @sources = grep { /\.c$/ } @kernel;
	my @headers = grep { /\.h$/ } @kernel;
	my $flags = '-std=gnu99 -fsyntax-only -Isrc -Wall -Wextra -Werror '
	  . '-Wdeclaration-after-statement -Wmissing-prototypes '
	  . '-Wno-unused-parameter -Wno-sign-compare '
	  . '-Wno-missing-field-initializers';

	return \"no $compiler" if system("command -v $compiler >/dev/null") != 0;
	return () unless @sources;
	# each header as a file that includes nothing else
	my $dir = tempdir(CLEANUP => 1);
	foreach my $header (@headers)
	{
		my $alone = "$dir/" . $header =~ s{[/.]}{_}gr . '.c';

		open my $handle, '>', $alone or die "$alone: $!\n";
		print $handle "#include \"$header\"\n";
		close $handle;
		push @sources, $alone;
	}
	return complaints("$compiler -I. $flags " . quoted(@sources))
	  if $compiler ne 'clang';
	# its driver starts anew for each file, and starting is most of its work:
	# what it would start is called once, with all files
	my ($once) = `clang -### -I. $flags '$sources[0]' 2>&1` =~
	  /^ *("[^\n]* "-cc1" [^\n]*) "[^"]*"$/m
	  or return 'clang -### names no command';
	return complaints($once . ' ' . quoted(@sources));
}

# ---------------------------------------------------------------------------
# Names.

sub entry_points
{
	return occurrences(qr/\bPG_FUNCTION_INFO_V1\b/,
		grep { !m{^src/(topic|release)/|^src/host/server/progress\.c$} }
		  @src);
}

# sdcf_ is what SQL calls, and nothing else is named so: figures.pl does not
# count such names as globals.
sub false_entries
{
	my @wrong;

	foreach my $file (grep { m{^src/.*\.c$} } @src)
	{
		my $text = slurp($file);

		while ($text =~ /^(?:static\b[^;{}()]*?)?\b(sdcf_\w+)(?=[(\[])/mg)
		{
			my $name = $1;

			push @wrong, "$file: $name is no entry of SQL"
			  unless $text =~ /PG_FUNCTION_INFO_V1\(\Q$name\E\)/;
		}
	}
	return @wrong;
}

# The linker leaves what a shared library lacks to the server that loads it.
sub undefined_symbols
{
	return \'nothing is built' unless defined $build && -f "$build/sdc.so";
	return map { /\bU\s+(sdc\w*)/ ? "sdc.so: $1 is not defined" : () }
	  `nm -D --undefined-only '$build/sdc.so'`;
}

# ---------------------------------------------------------------------------
# Errors.

# The text between the parenthesis at the given place and its partner.
sub argument
{
	my ($text, $start) = @_;
	my $depth = 0;

	pos($text) = $start;
	while ($text =~ /\G(?:[^()"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|([()]))/gc)
	{
		next unless defined $1;
		$depth += $1 eq '(' ? 1 : -1;
		return substr($text, $start, pos($text) - $start) if $depth == 0;
	}
	return substr($text, $start);
}

# Calls $check with place and arguments of every call of a function.
sub each_call
{
	my ($function, $check) = @_;

	foreach my $name (@host)
	{
		my $text = code($name, 1);

		while ($text =~ /\b$function\s*(?=\()/g)
		{
			my $line = 1 + (substr($text, 0, pos $text) =~ tr/\n//);

			$check->("$name:$line", argument($text, pos $text));
		}
	}
}

sub errors_without_code
{
	my @found;

	each_call(
		'ereport',
		sub {
			my ($place, $call) = @_;
			push @found, "$place: ereport without errcode"
			  if $call =~ /^\(\s*(ERROR|FATAL|PANIC)\b/
			  && $call !~ /\berrcode\s*\(/;
		});
	return @found;
}

# The literal text at the start of a message call, its pieces joined.
sub literal
{
	my ($call) = @_;

	return undef unless $call =~ /^\(\s*("(?:[^"\\]|\\.)*"(?:\s*\w*\s*"(?:[^"\\]|\\.)*")*)/;
	return join '', $1 =~ /"((?:[^"\\]|\\.)*)"/g;
}

sub message_style
{
	my @found;

	each_call(
		'(?:errmsg|errmsg_plural)',
		sub {
			my ($place, $call) = @_;
			my $text = literal($call) // return;
			push @found, "$place: $text"
			  if $text =~ /^[A-Z][a-z]/ || $text =~ /[.!\n]$/;
		});
	each_call(
		'(?:errdetail|errhint)',
		sub {
			my ($place, $call) = @_;
			my $text = literal($call) // return;
			push @found, "$place: $text"
			  if $text =~ /^[a-z]/ || $text !~ /[.?)]$/;
		});
	return @found;
}

# ---------------------------------------------------------------------------
# Shape of the text.

sub formatting
{
	my ($tool) = grep { system("command -v $_ >/dev/null") == 0 }
	  qw(clang-format-14 clang-format);

	return \'clang-format 14'
	  unless defined $tool && `$tool --version` =~ /version 14\./;
	return grep { /error:/ }
	  complaints("$tool --dry-run -Werror " . quoted(@c));
}

sub file_lengths
{
	return map {
		my $lines = slurp($_) =~ tr/\n//;
		$lines > $longest_file ? "$_:$longest_file: has $lines lines" : ();
	} @c;
}

sub line_lengths
{
	my @found;

	foreach my $name (@c)
	{
		my $number = 0;

		foreach my $line (split /\n/, slurp($name))
		{
			$number++;
			1 while $line =~ s/^([^\t]*)\t/$1 . ' ' x (4 - length($1) % 4)/e;
			push @found, "$name:$number: " . length($line) . ' columns'
			  if length($line) > $longest_line;
		}
	}
	return @found;
}

sub function_lengths
{
	my @found;

	foreach my $name (grep { /\.c$/ } @c)
	{
		my ($number, $start, $before) = (0, undef, '');

		foreach my $line (split /\n/, slurp($name))
		{
			$number++;
			$start = $number if $line eq '{' && $before =~ /\)\s*$/;
			if ($line eq '}' && defined $start)
			{
				my $lines = $number - $start - 1;

				push @found, "$name:$start: function of $lines lines"
				  if $lines > $longest_function;
				$start = undef;
			}
			$before = $line;
		}
	}
	return @found;
}

sub openings
{
	my @found = map { slurp($_) =~ m{\A/\*\n \* \S} ? () : "$_:1" } @c;

	push @found, map { slurp($_) =~ /\A-- \S/ ? () : "$_:1" }
	  grep { m{^sql/.*\.sql$} } @files;
	return @found;
}

sub whitespace
{
	my @found;

	foreach my $name (grep { !m{\.(out|csv|spec|gz|png|svg)$|^test/fuzz/corpus/} } @files)
	{
		my $text = slurp($name);
		my $number = 0;

		next if $text =~ /\0/;
		foreach my $line (split /\n/, $text)
		{
			$number++;
			push @found, "$name:$number" if $line =~ /[ \t\r]$/;
		}
		push @found, "$name:$number: no newline at the end"
		  if $text ne '' && $text !~ /\n\z/;
	}
	return @found;
}

sub declarations_in_for
{
	return occurrences(qr/\bfor\s*\(\s*(const\s+)?[A-Za-z_]\w*\s+\**\w+\s*=/,
		@c);
}

# ---------------------------------------------------------------------------
# Scripts, SQL, tests.

sub shell_syntax
{
	my @found;

	foreach my $name (@files)
	{
		next if $name =~ /\.(c|h|out|csv|md|sql)$/;
		next
		  unless $name =~ /\.sh$/ || slurp($name) =~ m{\A#!.*\b(ba)?sh\b};
		push @found, complaints("bash -n '$name'");
	}
	return @found;
}

sub sql_replacements
{
	my @found;

	foreach my $name (grep { m{^sql/.*\.sql$} } @files)
	{
		my $number = 0;

		foreach my $line (split /\n/, slurp($name))
		{
			$number++;
			push @found, "$name:$number: " . trimmed($line)
			  if $line =~ s/--.*//r =~ /\bOR\s+REPLACE\b|SECURITY\s+DEFINER/i;
		}
	}
	return @found;
}

sub unpaired_tests
{
	my %files = map { $_ => 1 } @files;
	my @found;

	foreach my $name (@files)
	{
		if ($name =~ m{^test/sql/(.*)\.sql$})
		{
			push @found, "$name:1: expected/$1.out is missing"
			  unless $files{"expected/$1.out"};
		}
		elsif ($name =~ m{^expected/(.*?)(_\d)?\.out$})
		{
			push @found, "$name:1: test/sql/$1.sql is missing"
			  unless $files{"test/sql/$1.sql"} || $files{"test/sql/$1$2.sql"};
		}
		elsif ($name =~ m{^test/isolation/specs/(.*)\.spec$})
		{
			push @found, "$name:1: test/isolation/expected/$1.out is missing"
			  unless $files{"test/isolation/expected/$1.out"};
		}
	}
	return @found;
}

# Columns that say whether something is as it should be.  An expectation that
# holds false there was accepted without being read.
my $verdict = qr/^(ok|same|right|equal|equals|agree|agrees|alike|sums|whole
	|many|every_one|holds|unchanged|identical|\w+_(ok|right|hold|holds|agree)
	|(all|same)_(?!groups)\w+)$/x;

sub false_verdicts
{
	my @found;

	foreach my $name (grep { m{^expected/.*\.out$} } @files)
	{
		my @line = split /\n/, slurp($name);
		my @column;

		foreach my $i (1 .. $#line)
		{
			my @cell;

			if ($line[$i] =~ /^-[-+]*$/ && $line[ $i - 1 ] =~ /^ /)
			{
				@column = map { trimmed($_) } split /\|/, $line[ $i - 1 ];
				next;
			}
			@column = () if $line[$i] !~ /^ /;
			@cell = map { trimmed($_) } split /\|/, $line[$i];
			push @found, map { "$name:" . ($i + 1) . ": $column[$_] is f" }
			  grep { $column[$_] =~ $verdict && ($cell[$_] // '') eq 'f' }
			  0 .. $#column;
		}
	}
	return @found;
}

# The number that PostgreSQL gives to an object depends on what was made
# before; the first one that a user gets is 16384.
sub object_numbers
{
	my @found;

	foreach my $name (grep { m{^(expected|test/isolation/expected)/} } @files)
	{
		my $number = 0;

		foreach my $line (split /\n/, slurp($name))
		{
			$number++;
			next unless $line =~ /^(WARNING|NOTICE|INFO|ERROR|DETAIL|HINT):/;
			push @found, "$name:$number: " . trimmed($line)
			  if $line =~ /\b(oid|relation|object|type|schema|seen:)\s+
				(1638[4-9]|1639\d|16[4-9]\d\d|1[7-9]\d{3})\b/xi;
		}
	}
	return @found;
}

sub typedefs
{
	my @kept = split /\n/, slurp('test/typedefs.list');
	my @found = split /\n/, `perl test/typedefs.pl .`;
	my %kept = map { $_ => 1 } @kept;
	my %found = map { $_ => 1 } @found;

	return map { "test/typedefs.list: $_: make typedefs" }
	  (grep { !$kept{$_} } @found), (grep { !$found{$_} } @kept);
}

# ---------------------------------------------------------------------------
# From one version to the next, and in and out of a server.

# Names in schema sdc that a script gives to be called: not what only
# aggregates and types use.
sub callable
{
	my ($script) = @_;
	my %names;

	$names{$1} = 1
	  while $script =~ /^CREATE (?:FUNCTION|AGGREGATE|PROCEDURE|VIEW)\s+sdc\.(\w+)/gm;
	delete $names{$1}
	  while $script =~ /^\s*(?:\w*FUNC|INPUT|OUTPUT|RECEIVE|SEND)\s*=\s*sdc\.(\w+)/gm;
	return \%names;
}

# Every name that 0.1.0 had is there or in the table of the page, and what the
# table gives as sdc.name is there.
sub renamed
{
	my $page = 'doc/from-0.1.md';

	return \'nothing is built' unless defined $build;
	my ($version) = slurp('sdc.control') =~ /default_version = '([^']+)'/;
	my $now = callable(slurp("$build/sdc--$version.sql"));
	my %listed;
	my @found;

	foreach my $line (grep { /^\|/ } split /\n/, slurp($page))
	{
		my (undef, $old, $new) = split /\|/, $line;

		$listed{$_} = 1 foreach $old =~ /`(?:sdc\.)?(\w+)/g;
		push @found, map { "$page: there is no sdc.$_" }
		  grep { !$now->{$_} } $new =~ /`sdc\.(\w+)/g;
	}
	push @found, map { "$page: sdc.$_ is gone and not listed" }
	  grep { !$now->{$_} && !$listed{$_} }
	  sort keys %{ callable(slurp('sql/updates/0.1.0.sql')) };
	return @found;
}

# The pages for who changes sdc name files and functions that are there, and
# each walk has at most 12 stations.
sub pages_of_the_house
{
	my $source = join "\n", map { slurp($_) } @src;
	my @found;

	foreach my $page ('doc/architecture.md', 'CONTRIBUTING.md', 'test/README.md')
	{
		my $text = slurp($page);

		push @found, map { "$page: there is no $_" }
		  grep { !-e $_ && !/[A-Z]{3}/ } $text =~ m{`((?:src|test|sql|bin)/[\w/.-]+\w)`}g;
		push @found, map { "$page: nothing is called $_" }
		  grep { $source !~ /\b\Q$_\E\b/ }
		  $text =~ /`(sdc(?:pg|f)?_\w+)(?:\(\))?`/g;
	}
	my ($walks) = slurp('doc/architecture.md') =~ /^## Six walks\n(.*?)^## /ms;
	my @walk = split /^### /m, $walks // '';

	shift @walk;
	push @found, 'doc/architecture.md: there are ' . @walk . ' walks, not 6'
	  if @walk != 6;
	foreach my $walk (@walk)
	{
		my ($name) = $walk =~ /^(\w+)/;

		push @found, "doc/architecture.md: the walk $name has $_ stations"
		  foreach grep { $_ > 12 } $walk =~ /^(\d+)\. /gm;
	}
	return @found;
}

sub uninstalled
{
	return \'nothing is built' unless defined $build;
	my $config = $ENV{PG_CONFIG} // 'pg_config';
	my $there = "$build/installed";
	my $make = "make -s -C '$build' -f ../../Makefile with_llvm=no "
	  . "PG_CONFIG='$config' DESTDIR='$there'";
	my @found = complaints("rm -rf '$there'; $make install");

	push @found, 'nothing was installed' unless `find '$there' -name sdc.so`;
	push @found, complaints("$make uninstall");
	push @found, map { "$_ is left" } split /\n/, `find '$there' ! -type d`;
	system "rm -rf '$there'";
	return @found;
}

# A function that a header shows others is preceded by a comment, its own or
# that of the functions right above it.
sub silent_functions
{
	my @found;

	foreach my $header (grep { m{^src/.*\.h$} && !/_private\.h$/ } @c)
	{
		my @line = split /\n/, slurp($header);

		foreach my $i (1 .. $#line)
		{
			my $before = $i - 1;

			next unless ("$line[$i] " . ($line[$i + 1] // "")) =~
			  /^extern [^;()]*?(\w+) ?\(/;
			my $name = $1;
			$before-- while $before > 0 && $line[$before] =~ /^\t/;
			push @found, "$header:" . ($i + 1) . ": $name"
			  unless $line[$before] =~ m{\*/\s*$|^extern|;\s*$};
		}
	}
	return @found;
}

# What test/figures.pl counts may be at most this much.  A ceiling goes down
# when a figure has, never up without a reason in the commit.
my %most = (
	files => 519,
	globals_of_a_folder => 846,
	globals_of_nobody => 0,
	globals_of_tests => 0,
	word_lists_repeated => 0,
);

# Only what is above is said; figures.pl --list names the symbols.
sub figures
{
	return \'nothing is built' unless defined $build;
	return grep { /, may be / } complaints("perl test/figures.pl "
		  . join(' ', map { "--most $_=$most{$_}" } sort keys %most)
		  . " . '$build'");
}

rule('kernel includes only libc and kernel', \&kernel_includes);
rule('no layer includes one above it', \&upward_includes);
rule('the folders of the kernel are in order', \&kernel_order);
rule('the folders of the host are in order', \&host_order);
rule('GLPK is seen only by the solver files', \&glpk_includes);
rule('includes are relative to src', \&relative_includes);
rule('kernel leaves memory and output to its host', \&kernel_calls);
rule('kernel uses no inexact libm function', \&inexact_calls);
rule('kernel compiles alone with gcc', sub { alone('gcc') });
rule('kernel compiles alone with clang', sub { alone('clang') });
rule('SQL entry points are beside their topic', \&entry_points);
rule('what is named sdcf_* is an entry of SQL', \&false_entries);
rule('kernel symbols are sdc_*', sub { misnamed('kernel', qr/^sdc_/) });
rule('host symbols are sdcpg_*',
	sub { misnamed('host', qr/^(sdcpg|(pg_finfo_)?sdcf)_/) });
foreach my $layer (qw(topic release))
{
	rule("$layer symbols are sdcpg_* or sdcf_*",
		sub { misnamed($layer, qr/^(sdcpg|(pg_finfo_)?sdcf)_/) });
}
rule('the library defines all it uses', \&undefined_symbols);
rule('errors have a code', \&errors_without_code);
rule('messages follow the style', \&message_style);
rule('formatted by clang-format 14', \&formatting);
rule("files have at most $longest_file lines", \&file_lengths);
rule("lines have at most $longest_line columns", \&line_lengths);
rule("functions have at most $longest_function lines", \&function_lengths);
rule('files open with a comment', \&openings);
rule('public functions say what they do', \&silent_functions);
rule('no white space at the end of lines', \&whitespace);
rule('declarations stand at the start of a block', \&declarations_in_for);
rule('shell scripts parse', \&shell_syntax);
rule('scripts replace nothing and lend no rights', \&sql_replacements);
rule('tests and expected results are paired', \&unpaired_tests);
rule('no accepted verdict is false', \&false_verdicts);
rule('no expectation has the number of an object', \&object_numbers);
rule('no figure of the house is above its ceiling', \&figures);
rule('changes that mutants make still apply',
	sub { complaints('perl test/mutants.pl check') });
rule('the list of types is current', \&typedefs);
rule('old names are there or in doc/from-0.1.md', \&renamed);
rule('pages name files and functions that are there', \&pages_of_the_house);
rule('make uninstall removes what make install has put there',
	\&uninstalled);
exit($failed ? 1 : 0);
