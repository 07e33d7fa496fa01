# mutants.pl: would a test notice if a line of the code were wrong?
#
#   ./run mutants directed [NAME...]      the changes of mutants/directed.txt
#   ./run mutants random N [SEED [DIR...]]
#                                         N lines of each src/DIR, by chance
#   ./run mutants check                   only: does each change still apply,
#                                         and is there each test it names?
#
# Each mutant is one change in a copy of the tree (build/mutants, or what
# SDC_MUTANTS names).  It is built there, which compiles one object, and the
# tests that should notice it are run there: those that directed.txt names; for
# a kernel the twelve nearest of the unit programs that it is linked into,
# without sanitizers, then six of them with these, then regression tests of the
# same topics; for a function of SQL the regression tests that call it.  A mutant that fails one
# of them is killed.  One that does not compile, or gives
# the same code, is not counted.  Who survives is listed, and the exit status
# is 1, unless mutants/equivalent.txt has the change and says why no test can
# notice it.

use strict;
use warnings;

use File::Basename qw(basename dirname);
use File::Path qw(make_path remove_tree);

my $root = dirname(dirname(__FILE__));
my $build = $ENV{SDC_BUILD} // '';
my $tree = $ENV{SDC_MUTANTS} // "$build/mutants";
my $object = "$tree/build/" . basename($build);

sub slurp
{
	my ($path) = @_;

	open my $file, '<', $path or die "$path: $!\n";
	local $/ = undef;
	return scalar <$file>;
}

sub spew
{
	my ($path, $text) = @_;

	open my $file, '>', $path or die "$path: $!\n";
	print $file $text;
	close $file;
}

# A command in the copy: true when it ends well, and within its time.
sub works
{
	my ($command, $seconds) = @_;

	# all that a caller's make or build has set would reach the copy
	delete local @ENV{qw(SDC_BUILD MAKEFLAGS MFLAGS)};
	return system('bash', '-c',
		"cd '$tree' && timeout "
		  . ($seconds // 600)
		  . " $command >'$tree/log' 2>&1 </dev/null") == 0;
}

# The tree as it is, with what was built of it.
sub copy_tree
{
	remove_tree($tree);
	make_path(dirname($object));
	system('bash', '-c',
		"cd '$root' && tar cf - --exclude=./build --exclude=./.git --exclude=./bench . | tar xf - -C '$tree'"
	  ) == 0
	  or die "the tree cannot be copied\n";
	make_path($object);
	system('bash', '-c',
		"cd '$build' && tar cf - --exclude=./mutants --exclude=./fuzz . | tar xf - -C '$object'"
	  ) == 0
	  or die "the build cannot be copied\n";
	# what it depends on is in the copy, or a changed header builds nothing
	system('bash', '-c',
		"find '$object' -name '*.d' -exec sed -i 's#$root/#$tree/#g' {} +"
	  ) == 0
	  or die "the build cannot be copied\n";
	works('./run build') or die slurp("$tree/log");
}

# ----------------------------------------------------------------------
# Which tests
# ----------------------------------------------------------------------

my %linked;

# What makes unit programs, below $object/unit with sanitizers, below
# $object/quick without.
sub unit_make
{
	my ($kind, $more, @program) = @_;

	return "make -s -f test/unit/Makefile BUILD='$object/$kind' $more "
	  . ($kind eq 'quick'
		? "CFLAGS='-std=gnu99 -O1 -w -ffp-contract=off' "
		: '')
	  . join ' ', map { "'$object/$kind/bin/$_'" } @program;
}

# The unit programs that a kernel is linked into, smallest sources first.
sub programs_of
{
	my ($file) = @_;

	if (!%linked)
	{
		my @program = grep { $_ ne 'unit' }
		  map { basename($_, '.c') } glob "$tree/test/unit/*.c";

		works(unit_make('quick', "LDLIBS='-lglpk -lm -Wl,-Map=\$\@.map'",
				@program), 3600)
		  or die slurp("$tree/log");
		foreach my $program (@program)
		{
			push @{ $linked{$_} }, $program
			  foreach slurp("$object/quick/bin/$program.map") =~
			  /kernels\.a\((\w+)\.o\)\s*\n/g;
			# a program may include the source of a kernel
			push @{ $linked{$_} }, $program
			  foreach slurp("$tree/test/unit/$program.c") =~
			  /#include "kernel\/\w+\/(\w+)\.c"/g;
		}
	}
	my %seen;
	my $stem = basename($file, '.c');

	# who takes minutes is run for the kernels that it asks for only
	my ($long) =
	  slurp("$tree/test/unit/Makefile") =~ /^plain := (.*)$/m;
	my $asked = qr{#include "\Q@{[ $file =~ s/^src.//r =~ s/\.c$//r ]}\E\.[ch]"};
	my %asks = map { $_ => slurp("$tree/test/unit/$_.c") =~ $asked ? 1 : 0 }
	  @{ $linked{$stem} // [] };

	$long =~ tr/ /|/;

	# its own program, those that ask for it by name, and its neighbours
	return sort {
		($b =~ /^\Q$stem\E/) <=> ($a =~ /^\Q$stem\E/)
		  || $asks{$b} <=> $asks{$a}
		  || -s "$tree/test/unit/$a.c" <=> -s "$tree/test/unit/$b.c"
	  }
	  grep { !$seen{$_}++ && ($asks{$_} || $_ !~ /^(?:$long)$/) }
	  @{ $linked{$stem} // [] };
}

# Each way to test a kernel, the cheap ones first.
sub tests_of_kernel
{
	my ($file) = @_;
	my @program = programs_of($file);
	my @near = @program[ 0 .. ($#program < 5 ? $#program : 5) ];
	my @more = @program[ 0 .. ($#program < 11 ? $#program : 11) ];
	my $stem = basename($file, '.c');
	my %seen;
	my @topic =
	  grep { !$seen{$_}++ && -e "$root/test/sql/$_.sql" } $stem, @near;

	return (
		(map { [ 'quick', $_ ] } @more),
		(map { [ 'unit', $_ ] } @near),
		(map { [ 'regress', $_ ] } @topic));
}

# The regression tests that call the SQL functions of a file, or, where it has
# none, of its folder: the six shortest.
sub regress_of
{
	my ($file) = @_;
	my @function = slurp("$root/$file") =~ /PG_FUNCTION_INFO_V1\(sdcf_(\w+)\)/g;
	my %calls;

	@function =
	  map { slurp($_) =~ /PG_FUNCTION_INFO_V1\(sdcf_(\w+)\)/g }
	  glob "$root/" . dirname($file) . '/*.c'
	  if !@function;
	foreach my $test (glob "$root/test/sql/*.sql")
	{
		my $text = slurp($test);

		$calls{$test} = grep { $text =~ /\bsdc\.$_\b/ } @function;
	}
	my @test = sort { -s $a <=> -s $b } grep { $calls{$_} } keys %calls;
	my $own = "$root/test/sql/" . basename($file, '.c') . '.sql';

	unshift @test, $own if -f $own;
	my %seen;
	return map { [ 'regress', basename($_, '.sql') ] }
	  (grep { !$seen{$_}++ } @test)[ 0 .. ($#test < 5 ? $#test : 5) ];
}

my %patience;

sub passes
{
	my ($kind, @name) = @_;

	return works("./run test $kind @name", 900)
	  if $kind !~ /^(unit|quick)$/;
	foreach my $name (@name)
	{
		my $start = time;

		return 0
		  if !works(unit_make($kind, '', $name))
		  || !works(
			"env SDC_UNIT_WHOLE=1 setarch -R '$object/$kind/bin/$name'",
			$patience{"$kind $name"} // 600)
		  || slurp("$tree/log") =~ /^not ok/m;
		# who takes ten times as long as it should does not end
		$patience{"$kind $name"} //= 20 + 10 * (time - $start);
	}
	return 1;
}

my %sound;

# The tests in the order in which they are tried: unit programs one by one,
# tests with a server together.
sub in_groups
{
	my (@test) = @_;
	my %name;
	my @group;

	push @{ $name{ $_->[0] } }, $_->[1] foreach @test;
	foreach my $kind (grep { $name{$_} }
		qw(quick unit tap regress isolation doc))
	{
		push @group,
		  $kind =~ /^(unit|quick)$/
		  ? map { [ $kind, $_ ] } @{ $name{$kind} }
		  : [ $kind, @{ $name{$kind} } ];
	}
	return @group;
}

# A test that fails without a mutant says nothing.
sub check_sound
{
	my ($kind, @name) = @_;

	foreach my $name (@name)
	{
		next if $sound{"$kind $name"}++;
		passes($kind, $name)
		  or die "$kind $name fails without a mutant:\n", slurp("$tree/log");
	}
}

# ----------------------------------------------------------------------
# One mutant
# ----------------------------------------------------------------------

# The assembly of a source of the copy, or undef.
sub assembly
{
	my ($file) = @_;

	# a header is compiled with those that include it, a script not at all
	return '' if $file !~ /\.c$/;
	my $server = $file =~ m{^src/kernel/} ? '' : '-I$(${PG_CONFIG} --includedir-server) -D_GNU_SOURCE';

	works("gcc -std=gnu99 -O2 -w -fwrapv -fno-strict-aliasing -ffp-contract=off $server -Isrc -S -o '$tree/out.s' $file")
	  or return undef;
	return slurp("$tree/out.s");
}

# same, broken, killed (and by what) or survived.
sub try_mutant
{
	my ($file, $text, @test) = @_;
	my $right = slurp("$root/$file");
	my $before = assembly($file);

	spew("$tree/$file", $text);
	my $after = assembly($file);
	spew("$tree/$file", $right);
	return 'does not compile' if !defined $after;
	return 'same code' if $after eq $before && $after ne '';
	foreach my $group (in_groups(@test))
	{
		check_sound(@$group);
		spew("$tree/$file", $text);
		my $unseen = passes(@$group);

		spew("$tree/$file", $right);
		return "killed by @$group" if !$unseen;
	}
	return 'survived';
}

# ----------------------------------------------------------------------
# Mutants that somebody has thought of
# ----------------------------------------------------------------------

# Where a test of a kind stands.
my %place = (
	unit => 'test/unit/%s.c', regress => 'test/sql/%s.sql',
	isolation => 'test/isolation/specs/%s.spec', tap => 'test/t/%s.pl',
	doc => 'doc/%s.md');

# Tests of those that are named and not there.
sub missing_tests
{
	return grep { !-e sprintf "$root/" . ($place{ $_->[0] } // '%s'), $_->[1] }
	  @_;
}

# NAME FILE: KIND TEST, ...; what it takes away; lines - of the text that goes
# and + of what comes for it.  What does not apply any more is told.
sub directed
{
	my @mutant;
	my @stale;

	foreach my $block (split /\n\n+/, slurp("$root/test/mutants/directed.txt"))
	{
		my ($head, @line) = grep { !/^#/ } split /\n/, $block;

		next if !defined $head;
		$head =~ /^(\w+) (\S+): (.*)$/ or die "directed.txt: $head\n";
		my ($name, $file, $tests) = ($1, $2, $3);
		my $old = join "\n", map { substr $_, 1 } grep { /^-/ } @line;
		my $new = join "\n", map { substr $_, 1 } grep { /^\+/ } @line;
		my @test = map { [split] } split /, /, $tests;
		my $text = -e "$root/$file" ? slurp("$root/$file") : '';
		my $at = index $text, $old;

		push @stale, "$name: no test @$_" foreach missing_tests(@test);
		if ($at < 0 || index($text, $old, $at + 1) >= 0)
		{
			push @stale, "$name: the text to change is not once in $file";
			next;
		}
		substr($text, $at, length $old) = $new;
		push @mutant,
		  {
			name => $name, file => $file, text => $text, old => $old,
			new => $new, test => \@test
		  };
	}
	die map { "$_\n" } @stale if @stale;
	return @mutant;
}

# ----------------------------------------------------------------------
# Mutants by chance
# ----------------------------------------------------------------------

my %other = (
	'<' => '<=', '<=' => '<', '>' => '>=', '>=' => '>', '==' => '!=',
	'!=' => '==', '+' => '-', '-' => '+', '*' => '/', '&&' => '||',
	'||' => '&&', min => 'max', max => 'min', floor => 'ceil',
	ceil => 'floor', true => 'false', false => 'true', i => 'j', j => 'i');

# Comments and texts as blanks of the same length.
sub blanked
{
	my ($text) = @_;

	$text =~ s{(/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')}
		{ (my $blank = $1) =~ s/[^\n]/ /g; $blank }gse;
	return $text;
}

# The ways to change a line: [what kind, the line then].
sub changes
{
	my ($line, $code) = @_;
	my @change;
	my $put = sub {
		my ($kind, $from, $to, $new) = @_;
		my $changed = $line;

		substr($changed, $from, $to - $from) = $new;
		push @change, [ $kind, $changed ];
	};

	return () if $code !~ /^\t+\S/ || $code =~ /^\s*(static|extern|#|const|typedef|case)\b/;
	$put->('comparison', $-[1], $+[1], $other{$1})
	  while $code =~ / (<=|>=|==|!=|<|>)(?= )/g;
	$put->('arithmetic', $-[1], $+[1], $other{$1})
	  while $code =~ /(?<=[\w)\]]) ([-+*]) (?=[\w(])/g;
	$put->('logic', $-[1], $+[1], $other{$1}) while $code =~ / (&&|\|\|)(?= |$)/g;
	$put->('constant', $-[1], $+[1], $1 + 1)
	  while $code =~ /(?<![\w.\[])(\d{1,3})(?![\w.])/g;
	$put->('rounding', $-[1], $+[1], $other{$1})
	  while $code =~ /\b(floor|ceil)\(/g;
	$put->('index', $-[1], $+[1], $other{$1}) while $code =~ /\[(i|j)\]/g;
	$put->('result', $-[1], $+[1], $other{$1})
	  while $code =~ /\breturn (true|false);/g;
	$put->('condition', $-[1], $+[1], "!($1)")
	  if $code =~ /^\t+(?:else )?(?:if|while) \((.*)\)$/
	  && ($code =~ tr/(//) == ($code =~ tr/)//);
	$put->('statement', $-[1], $+[1], ';')
	  if $code =~ /^\t+((?:break|continue);|\w[\w>.\[\]-]*(?:\+\+|--);|[\w>.\[\]*-]+ (?:[-+|&*]?=) .*;)$/
	  && $code !~ /^\t\w+ \*?\w+ = /;
	$put->('call', $-[1], $+[1], ';')
	  if $code =~ /^\t+([a-z_0-9]+\(.*\);)$/
	  && $code !~ /^\t+(if|while|for|return|switch|sizeof|pfree)\b|poll|release/;
	return @change;
}

# Everything that could be changed below src/DIR, in an order that SEED draws.
sub drawn
{
	my ($seed, $dir) = @_;
	my @mutant;

	foreach my $path (sort glob "$root/src/*.c $root/src/*/*.c $root/src/*/*/*.c")
	{
		my $file = substr $path, 1 + length $root;
		my @line = split /\n/, slurp($path);
		my @code = split /\n/, blanked(slurp($path));

		next if index($file, "src/$dir") != 0;
		foreach my $n (0 .. $#line)
		{
			push @mutant,
			  {
				name => "$file:" . ($n + 1) . " $_->[0]", file => $file,
				n => $n, old => $line[$n], new => $_->[1]
			  } foreach changes($line[$n], $code[$n]);
		}
	}
	# a generator of its own: that of Perl differs between versions
	my $state = $seed % 2147483647 || 1;
	$_->{key} = $state = $state * 16807 % 2147483647 foreach @mutant;
	return sort { $a->{key} <=> $b->{key} } @mutant;
}

sub finish_drawn
{
	my ($mutant) = @_;
	my @line = split /\n/, slurp("$root/$mutant->{file}"), -1;

	$line[ $mutant->{n} ] = $mutant->{new};
	$mutant->{text} = join "\n", @line;
	$mutant->{test} = [
		$mutant->{file} =~ m{^src/kernel/}
		? tests_of_kernel($mutant->{file})
		: regress_of($mutant->{file})
	];
}

# ----------------------------------------------------------------------
# The round
# ----------------------------------------------------------------------

# FILE | line | changed line | why: no test can notice it.
sub accepted
{
	my %why;

	foreach my $line (split /\n/, slurp("$root/test/mutants/equivalent.txt"))
	{
		next if $line =~ /^#|^$/;
		my @field = split / \|\|\| /, $line;

		die "equivalent.txt: $line\n" if @field != 4;
		$field[2] =~ s/^\(nothing\)$//;
		$why{"$field[0]\n$field[1]\n$field[2]"} = $field[3];
	}
	return \%why;
}

sub bare
{
	(my $text = $_[0]) =~ s/\s+/ /g;
	$text =~ s/^ | $//g;
	return $text;
}

my ($what, @more) = @ARGV;
my @mutant;
my $wanted = 1e9;
my @dir;

$| = 1;
if (($what // '') eq 'check')
{
	directed();
	exit 0;
}
die "run this through ./run mutants\n" if !$build;
if (($what // '') eq 'directed')
{
	# in the order in which they are asked for
	my %known = map { $_->{name} => $_ } @mutant = directed();
	@mutant = map { $known{$_} // die "no mutant is called $_\n" } @more if @more;
}
elsif (($what // '') eq 'random')
{
	$wanted = $more[0] // 20;
	@dir = @more > 2 ? @more[ 2 .. $#more ] : '';
}
else
{
	die "usage: ./run mutants directed [NAME...] | random N [SEED [DIR...]] | check\n";
}
copy_tree();

my $accepted = accepted();
my %table;
my $survivors = 0;

# What became of it; whether it counts.
sub try_and_say
{
	my ($mutant) = @_;
	my ($family) = $mutant->{file} =~ m{^(?:src/)?(\w+(?:/\w+)?)};
	my $change = bare($mutant->{old}) . ' => ' . bare($mutant->{new});
	my $why = $accepted->{
		join "\n", $mutant->{file}, bare($mutant->{old}),
		bare($mutant->{new}) };
	my $result =
	    defined $why ? "equivalent: $why"
	  : !@{ $mutant->{test} } ? 'survived: no test'
	  : try_mutant(@$mutant{qw(file text)}, @{ $mutant->{test} });

	print "$mutant->{name}: $result",
	  $result =~ /^survived/ ? "\n    $change\n" : "\n";
	return 0 if $result =~ /^(does|same)/;
	$table{$family}{ (split /[ :]/, $result)[0] }++;
	$survivors++ if $result =~ /^survived/;
	return 1;
}

try_and_say($_) foreach @mutant;
foreach my $dir (@dir)
{
	my $left = $wanted;

	foreach my $mutant (drawn($more[1] // 1, $dir))
	{
		last if $left <= 0;
		finish_drawn($mutant);
		$left -= try_and_say($mutant);
	}
}
printf "%-28s %8s %8s %10s\n", 'family', 'killed', 'survived', 'equivalent';
printf "%-28s %8d %8d %10d\n", $_,
  map { $_ // 0 } @{ $table{$_} }{qw(killed survived equivalent)}
  foreach sort keys %table;
remove_tree($tree) if !$ENV{SDC_KEEP};
exit($survivors != 0);
