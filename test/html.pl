#!/usr/bin/perl
#
# html.pl [--check FILE] [>FILE]: README.md and all pages of doc/ as one page of HTML that needs
# nothing else: a list of the pages, a field that finds the sections with a
# word, light and dark, for screens from the width of a phone on and for print.
# ./run html writes build/sdc.html.  --check says "ok" when the links in FILE,
# what this has written, lead somewhere, and when in Chromium, where there is
# one, nothing is wider than a phone and the search finds what it should.
#
# Reads what the pages use of Markdown: headings, paragraphs, lists, tables,
# fenced and indented code, links, code and bold words.  Pictures are left out.

use strict;
use warnings FATAL => 'all';
use File::Spec;
use File::Temp;
use FindBin;

my $root = "$FindBin::RealBin/..";
my $check = @ARGV == 2 && $ARGV[0] eq '--check' ? File::Spec->rel2abs($ARGV[1]) : undef;
chdir $root or die "$root: $!\n";
my @pages = ('README.md', sort(glob 'doc/*.md'), 'CHANGELOG.md');
my %is_page = map { $_ => 1 } @pages;

sub slurp
{
	my ($name) = @_;

	open my $handle, '<:encoding(UTF-8)', $name or die "$name: $!\n";
	local $/;
	return scalar <$handle>;
}

sub escaped
{
	my ($text) = @_;

	$text =~ s/&/&amp;/g;
	$text =~ s/</&lt;/g;
	$text =~ s/>/&gt;/g;
	$text =~ s/"/&quot;/g;
	return $text;
}

# The name of a page within the one page.
sub page_id
{
	my ($page) = @_;

	return $page =~ s{^doc/}{}r =~ s/\.md$//r;
}

# A heading as a part of an address, as GitHub names it.
sub anchor
{
	my ($page, $heading) = @_;
	my $name = lc $heading;

	$name =~ s/[^\w -]//g;
	return page_id($page) . '--' . ($name =~ tr/ /-/r);
}

# Where a link of a page leads to.
sub target
{
	my ($page, $link) = @_;

	return $link if $link =~ m{^https?:};
	my ($file, $anchor) = $link =~ /^([^#]*)(?:#(.*))?$/;
	my $directory = $page =~ m{^(.*/)} ? $1 : '';
	my $full = $file eq '' ? $page : $directory . $file;
	1 while $full =~ s{[^/]+/\.\./}{};
	return undef unless $is_page{$full};
	return '#' . page_id($full) . (defined $anchor ? "--$anchor" : '');
}

# Code, links and bold words in a line.
sub inline
{
	my ($page, $text) = @_;
	my @code;

	$text =~ s/`([^`]+)`/push @code, '<code>' . escaped($1) . '<\/code>'; "\x01$#code\x01"/ge;
	$text =~ s/!\[[^\]]*\]\([^)]*\)//g;
	$text = escaped($text);
	$text =~ s{\[([^\]]+)\]\(([^)\s]+)\)}{
		my $to = target($page, $2); defined $to ? qq(<a href="$to">$1</a>) : $1 }ge;
	$text =~ s{\*\*(.+?)\*\*}{<b>$1</b>}g;
	$text =~ s/\x01(\d+)\x01/$code[$1]/g;
	return $text;
}

# A row of a table, whose cells may hold `a \| b`.
sub cells
{
	my ($row) = @_;

	$row =~ s/^\s*\|//;
	$row =~ s/\|\s*$//;
	return map { s/\\\|/|/g; s/^\s+|\s+$//gr } split /(?<!\\)\|/, $row, -1;
}

sub table
{
	my ($page, @rows) = @_;
	my $out = '<div class="wide"><table>';

	for my $i (0 .. $#rows)
	{
		next if $i == 1;
		my $tag = $i == 0 ? 'th' : 'td';
		$out .= '<tr>' . join('', map { "<$tag>" . inline($page, $_) . "</$tag>" } cells($rows[$i])) . '</tr>';
	}
	return "$out</table></div>\n";
}

sub list
{
	my ($page, @lines) = @_;
	my $tag = $lines[0] =~ /^\s*\d/ ? 'ol' : 'ul';
	my @items;

	for my $line (@lines)
	{
		if ($line =~ /^(?:[-*]|\d+\.)\s+(.*)/)
		{
			push @items, $1;
		}
		else
		{
			$items[-1] .= ' ' . ($line =~ s/^\s+//r);
		}
	}
	return "<$tag>" . join('', map { '<li>' . inline($page, $_) . '</li>' } @items) . "</$tag>\n";
}

# Takes the lines from $$at on that match.
sub take
{
	my ($lines, $at, $while) = @_;
	my @taken;

	push @taken, $lines->[ $$at++ ] while $$at < @$lines && $lines->[$$at] =~ $while;
	return @taken;
}

# A page, its sections as elements that the search shows or hides.
sub page
{
	my ($page) = @_;
	my @lines = split /\n/, slurp($page);
	my $out = '<article id="' . page_id($page) . '">';
	my $at = 0;

	while ($at < @lines)
	{
		my $line = $lines[$at];

		if ($line =~ /^```/)
		{
			$at++;
			my @code = take(\@lines, \$at, qr/^(?!```)/);
			$at++;
			$out .= '<pre>' . escaped(join "\n", @code) . "</pre>\n";
		}
		elsif ($line =~ /^(#+) +(.*?) *$/)
		{
			my ($level, $heading) = (length $1, $2);

			$out .= '</section>' if $out =~ /<section>/;
			$out .= qq(<section><h$level id=") . anchor($page, $heading) . '">' . inline($page, $heading) . "</h$level>\n";
			$at++;
		}
		elsif ($line =~ /^    \S/)
		{
			my @code = take(\@lines, \$at, qr/^(?:    |\s*$)/);
			pop @code while $code[-1] =~ /^\s*$/;
			$out .= '<pre>' . escaped(join "\n", map { s/^    //r } @code) . "</pre>\n";
		}
		elsif ($line =~ /^\|/)
		{
			$out .= table($page, take(\@lines, \$at, qr/^\|/));
		}
		elsif ($line =~ /^(?:[-*]|\d+\.) /)
		{
			$out .= list($page, take(\@lines, \$at, qr/^(?:[-*] |\d+\. |\s+\S)/));
		}
		elsif ($line =~ /^\s*$/)
		{
			$at++;
		}
		else
		{
			my @text = take(\@lines, \$at, qr/^(?!```|#+ |\||\s*$|[-*] |\d+\. )/);
			@text = ($lines[ $at++ ]) unless @text;
			$out .= '<p>' . inline($page, join ' ', @text) . "</p>\n";
		}
	}
	$out .= '</section>' if $out =~ /<section>/;
	return "$out</article>\n";
}

sub title
{
	my ($page) = @_;

	return slurp($page) =~ /^# +(.*?)(?::.*)?$/m ? $1 : $page;
}

# Does every link lead to something that is there?
sub check_links
{
	my ($html) = @_;
	my %there = map { $_ => 1 } $html =~ /\bid="([^"]+)"/g;
	my @lost = grep { !$there{$_} } $html =~ /href="#([^"]+)"/g;

	print @lost ? "not ok - links of the page\n" : "ok - links of the page\n";
	print map { "#   $_\n" } @lost;
	return !@lost;
}

# What a browser says of the page in a window of the width of a phone: is it
# wider, and how many sections does a search for "iban" leave of how many?
sub check_browser
{
	my ($file, $html) = @_;
	my ($chromium) = grep { system("command -v $_ >/dev/null 2>&1") == 0 } qw(chromium chromium-browser google-chrome);
	my $dir = File::Temp->newdir;
	my $sections = () = $html =~ /<section>/g;
	my $found = grep { /iban/i } map { s/<[^>]*>//gr } $html =~ /<section>(.*?)<\/section>/gs;

	unless ($chromium)
	{
		print "ok - the page in a browser # skip no Chromium\n";
		return 1;
	}
	open my $handle, '>', "$dir/phone.html" or die "$dir: $!\n";
	print $handle <<"HTML";
<iframe id="f" src="file://$file" style="width: 390px; height: 844px"></iframe><p id="said"></p><script>
f.onload = () => {
  const d = f.contentDocument, find = d.getElementById('find'), count = () => d.querySelectorAll('section:not(.gone)').length;
  const wide = d.documentElement.scrollWidth > d.documentElement.clientWidth, all = count();
  find.value = 'IBAN';
  find.dispatchEvent(new Event('input'));
  said.textContent = 'said: ' + wide + ' ' + all + ' ' + count();
}
</script>
HTML
	close $handle;
	my $said = `$chromium --headless --no-sandbox --disable-gpu --allow-file-access-from-files --user-data-dir=$dir/profile --virtual-time-budget=10000 --dump-dom file://$dir/phone.html 2>/dev/null`;
	my ($answer) = $said =~ /<p id="said">said: ([^<]*)/;
	my $ok = ($answer // '') eq "false $sections $found" && $found > 0 && $found < $sections;
	print $ok ? '' : 'not ', "ok - the page in a browser as wide as a phone\n";
	print '#   ', $answer // 'no answer', ", not false $sections $found\n" unless $ok;
	return $ok;
}

if (defined $check)
{
	my $html = slurp($check);
	my @ok = (check_links($html), check_browser($check, $html));

	exit((grep { !$_ } @ok) ? 1 : 0);
}
binmode STDOUT, ':encoding(UTF-8)';

my $links = join '', map { '<a href="#' . page_id($_) . '">' . escaped(title($_)) . '</a>' } @pages;
my $articles = join '', map { page($_) } @pages;
print <<"HTML";
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>sdc</title><style>
:root { color-scheme: light dark; --line: #8885; --back: #8881 }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 }
nav { padding: 1em; border-bottom: 1px solid var(--line) }
nav a { display: inline-block; margin: 0 .8em .2em 0 } nav div { max-height: 8em; overflow-y: auto }
input { font: inherit; width: 100%; box-sizing: border-box; padding: .4em; margin-bottom: .6em }
main { padding: 0 1em; max-width: 52em; margin: auto }
article { border-bottom: 1px solid var(--line); padding-bottom: 1em }
pre, .wide { overflow-x: auto } pre { background: var(--back); padding: .6em; font-size: 13px; line-height: 1.35 }
code { background: var(--back); overflow-wrap: anywhere } p, li, h1, h2, h3 { overflow-wrap: break-word }
table { border-collapse: collapse } th, td { border: 1px solid var(--line); padding: .2em .5em; text-align: left; vertical-align: top }
.gone { display: none }
\@media (min-width: 70em) { nav { position: fixed; top: 0; bottom: 0; width: 14em; overflow-y: auto; border: 0 }
  nav a { display: block } nav div { max-height: none } main { margin-left: 18em } }
\@media print { nav { display: none } pre { white-space: pre-wrap } }
</style></head><body>
<nav><input id="find" type="search" placeholder="Find a word" aria-label="Find a word"><span id="count"></span><div>$links</div></nav>
<main>$articles</main>
<script>
const sections = [...document.querySelectorAll('section')].map(s => [s, s.textContent.toLowerCase()]);
const find = document.getElementById('find');
function show() {
  const words = find.value.toLowerCase().split(/\\s+/).filter(w => w);
  let shown = 0;
  for (const [s, text] of sections) {
    const has = words.every(w => text.includes(w));
    s.classList.toggle('gone', !has);
    shown += has;
  }
  for (const a of document.querySelectorAll('article'))
    a.classList.toggle('gone', !a.querySelector('section:not(.gone)'));
  document.getElementById('count').textContent = words.length ? shown + ' sections' : '';
}
find.addEventListener('input', show);
// a link leads to what is shown
window.addEventListener('hashchange', () => { if (find.value) { find.value = ''; show(); document.getElementById(location.hash.slice(1))?.scrollIntoView(); } });
</script></body></html>
HTML
