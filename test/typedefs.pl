#!/usr/bin/perl
#
# typedefs.pl ROOT: the names of all types that src/ and test/ declare with
# typedef, sorted, one a line: what pgindent wants to know.  The list is kept
# in test/typedefs.list; "make typedefs" renews it, and lint compares.

use strict;
use warnings;
use File::Find;

my ($root) = @ARGV;
die "usage: typedefs.pl ROOT\n" unless defined $root;

my %names;

find(
	{
		no_chdir => 1,
		wanted => sub {
			typedefs($_) if -f $_ && /\.[ch]$/;
		}
	},
	"$root/src",
	"$root/test");
print map { "$_\n" } sort keys %names;

sub typedefs
{
	my ($file) = @_;

	open my $handle, '<', $file or die "cannot read $file: $!\n";
	my $text = do { local $/; <$handle> };
	close $handle;
	$text =~ s{/\*.*?\*/|//[^\n]*|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*}{ }gsm;

	# Braces are emptied from the inside, so that a declaration is one
	# statement whatever its members are.
	while ($text =~ /\btypedef\b/g)
	{
		my $rest = substr $text, pos $text;
		my $declared = '';
		my $depth = 0;

		while ($rest =~ /\G([^{};]+|[{};])/gc)
		{
			$depth-- if $1 eq '}';
			last if $1 eq ';' && $depth == 0;
			$declared .= $1 eq '}' ? ' ' : $1 if $depth == 0 && $1 ne '{';
			$depth++ if $1 eq '{';
		}
		$names{ name_of($declared) } = 1;
	}
}

# The name that a declaration gives: of a pointer to a function it stands
# first, in parentheses; otherwise it is the last word but for an array's size.
sub name_of
{
	my ($declared) = @_;

	return $1
	  if $declared =~ /^[^(]*\(\s*\*+\s*(\w+)\s*\)/;
	$declared =~ s/\b__attribute__\s*\(\(.*\)\)//s;
	$declared =~ s/\([^()]*\)\s*$|\[[^\]]*\]\s*$//;
	return $1 if $declared =~ /(\w+)\s*$/;
	die "what does this declare? typedef $declared\n";
}
