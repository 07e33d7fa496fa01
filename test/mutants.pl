# mutants.pl: would a test notice if a line of the code were wrong?
#
#   ./run mutants directed [NAME...]      the changes of mutants/directed.txt
#   ./run mutants random N [SEED [DIR]]   N lines of src/DIR drawn by chance
#   ./run mutants check                   only: does each change still apply,
#                                         and is there each test it names?
#
# Each mutant is one change in a copy of the tree (build/mutants).  It is built
# there, which compiles one object, and the tests that should notice it are run
# there: those that directed.txt names; the unit programs that the kernel is
# linked into; for a function of SQL the regression tests that call it.  A
# mutant that fails one of them is killed.  One that does not compile, or gives
# the same code, is not counted.  Who survives is listed, and the exit status
# is 1, unless mutants/equivalent.txt has the change and says why no test can
# notice it.

use strict;
use warnings;

use File::Basename qw(basename dirname);
use File::Path qw(make_path remove_tree);

my $root = dirname(dirname(__FILE__));
my $build = $ENV{SDC_BUILD} // '';
my $tree = "$build/mutants";
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
		"find '$object' -name '*.d' -exec sed -i 's#$root/#$tree/#g' {} + ; find '$object' -exec touch {} +"
	  ) == 0
	  or die "the build cannot be copied\n";
	works('./run build') or die slurp("$tree/log");
}

# ----------------------------------------------------------------------
# Which tests
# ----------------------------------------------------------------------

my %linked;

# The unit programs that a kernel is linked into, smallest sources first.
sub programs_of
{
	my ($file) = @_;

	if (!%linked)
	{
		works("make -s -f test/unit/Makefile BUILD='$object/unit' "
			  . "LDLIBS='-lglpk -lm -Wl,-Map=\$@.map'", 3600)
		  or die slurp("$tree/log");
		# what has a plain program besides is the same source
		foreach my $map (grep { !/\.plain\.map$/ } glob "$object/unit/bin/*.map")
		{
			my $program = basename($map, '.map');

			push @{ $linked{$_} }, $program
			  foreach slurp($map) =~ /kernels\.a\((\w+)\.o\)\s*\n/g;
			# a program may include the source of a kernel
			push @{ $linked{$1} }, $program
			  while slurp("$tree/test/unit/$program.c") =~
			  /#include "kernel\/\w+\/(\w+)\.c"/g;
		}
	}
	my %seen;
	my $stem = basename($file, '.c');

	# its own program before its neighbours'
	return
	  map { [ 'unit', $_ ] }
	  sort {
		  ($b =~ /^\Q$stem\E/) <=> ($a =~ /^\Q$stem\E/)
			|| -s "$tree/test/unit/$a.c" <=> -s "$tree/test/unit/$b.c"
	  } grep { !$seen{$_}++ } @{ $linked{$stem} // [] };
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

sub passes
{
	my ($kind, @name) = @_;

	return works("./run test $kind @name", 900) if $kind ne 'unit';
	foreach my $name (@name)
	{
		return 0
		  if !works(
			"make -s -f test/unit/Makefile BUILD='$object/unit' '$object/unit/bin/$name'"
		  )
		  || !works(
			"env SDC_UNIT_WHOLE=1 setarch -R '$object/unit/bin/$name'", 120)
		  || slurp("$tree/log") =~ /^not ok/m;
	}
	return 1;
}

my %sound;

# Does one of these tests notice?  A test that fails without a mutant says
# nothing.  Unit programs are tried one by one, tests with a server together.
sub noticed
{
	my (@test) = @_;
	my %name;

	foreach my $test (@test)
	{
		my ($kind, $name) = @$test;

		push @{ $name{$kind} }, $name;
	}
	foreach my $kind (sort { $b cmp $a } keys %name)
	{
		my @group =
		  $kind eq 'unit'
		  ? map { [$_] } @{ $name{$kind} }
		  : [ @{ $name{$kind} } ];
		foreach my $names (@group)
		{
			return "$kind @$names" if !passes($kind, @$names);
		}
	}
	return undef;
}

sub check_sound
{
	my (@test) = @_;

	foreach my $test (@test)
	{
		my $word = "@$test";

		next if $sound{$word}++;
		passes(@$test) or die "$word fails without a mutant:\n", slurp("$tree/log");
	}
}

# ----------------------------------------------------------------------
# One mutant
# ----------------------------------------------------------------------

# The assembly of a source of the copy, or undef.
sub assembly
{
	my ($file) = @_;

	# a header is compiled with those that include it
	return '' if $file =~ /\.h$/;
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
	my $result;

	check_sound(@test);
	spew("$tree/$file", $text);
	my $after = assembly($file);
	if (!defined $after)
	{
		$result = 'does not compile';
	}
	elsif ($after eq $before && $after ne '')
	{
		$result = 'same code';
	}
	else
	{
		my $by = noticed(@test);

		$result = defined $by ? "killed by $by" : 'survived';
	}
	spew("$tree/$file", $right);
	return $result;
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
		? programs_of($mutant->{file})
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
my %only;

$| = 1;
if (($what // '') eq 'check')
{
	directed();
	exit 0;
}
die "run this through ./run mutants\n" if !$build;
if (($what // '') eq 'directed')
{
	%only = map { $_ => 1 } @more;
	@mutant = grep { !%only || $only{ $_->{name} } } directed();
}
elsif (($what // '') eq 'random')
{
	$wanted = $more[0] // 20;
	@mutant = drawn($more[1] // 1, $more[2] // '');
}
else
{
	die "usage: ./run mutants directed [NAME...] | random N [SEED [DIR]] | check\n";
}
copy_tree();

my $accepted = accepted();
my %table;
my $survivors = 0;

foreach my $mutant (@mutant)
{
	last if $wanted-- <= 0;
	finish_drawn($mutant) if $what eq 'random';
	my ($family) = $mutant->{file} =~ m{^src/(\w+(?:/\w+)?)};
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
	if ($result =~ /^(does|same)/)
	{
		$wanted++;
		next;
	}
	$table{$family}{ (split /[ :]/, $result)[0] }++;
	$survivors++ if $result =~ /^survived/;
}
printf "%-28s %8s %8s %10s\n", 'family', 'killed', 'survived', 'equivalent';
printf "%-28s %8d %8d %10d\n", $_,
  map { $_ // 0 } @{ $table{$_} }{qw(killed survived equivalent)}
  foreach sort keys %table;
remove_tree($tree) if !$ENV{SDC_KEEP};
exit($survivors != 0);
