# The page of a release is well-formed, asks for nothing from anywhere, defines
# each colour in each theme with enough contrast, and a browser renders it.
# Without Chromium the rendering is skipped.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'));
$node->init;
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sdc;
	CREATE SCHEMA pub;
	CREATE TABLE "<b>people</b>" AS
	SELECT i AS id, 'name ' || i AS name, 20 + i % 50 AS "a<ge&",
		(i * 7919 % 10007) AS income
	FROM generate_series(1, 600) AS i;
	SELECT sdc.declare('"<b>people</b>"', id => 'id', identifiers => '{name}',
		keys => '{a<ge&,income}')});

sub policy
{
	my ($p) = @_;

	$node->safe_psql(
		'postgres', qq{
		SELECT sdc.create_policy('open "data"', '"<b>people</b>"',
			'{"income": {"method": "rank_swap", "p": $p}}',
			'[{"attack": "distance", "<=": 0.5},
			  {"attack": "transparency", "<=": 0.5}]',
			'{"schema": "pub", "attacks": ["distance", "transparency"]}')});
	$node->psql('postgres', q{CALL sdc.release('open "data"', seed => 5000000000000000001)});
}

# Refused, published, failed, drifted.
policy(1);
policy(40);
$node->safe_psql('postgres', 'CREATE VIEW pub.watch AS SELECT * FROM pub."<b>people</b>"');
$node->safe_psql('postgres', 'CREATE RULE r AS ON DELETE TO pub."<b>people</b>" DO INSTEAD NOTHING');
policy(45);
$node->safe_psql('postgres', 'ALTER TABLE "<b>people</b>" ADD COLUMN "x>" int');
policy(45);
is( $node->safe_psql(
		'postgres', q{SELECT string_agg(status, ' ' ORDER BY release)
		FROM sdc.releases('open "data"')}),
	'refused published failed refused',
	'there is a release of each kind');

# Balanced tags, as XML has them: the page is written so that it is XML, too.
sub unbalanced
{
	my ($page) = @_;
	my @open;

	$page =~ s/\A<!DOCTYPE html>\n//;
	while ($page =~ m{\G([^<]*)<(/?)(\w+)((?:\s+[\w:-]+="[^"<]*")*)\s*(/?)>}gc)
	{
		my ($before, $end, $name, $empty) = ($1, $2, $3, $5);

		return "bare & or > in: $before"
		  if (@open && $open[-1] ne 'style') && $before =~ /&(?!#\w+;)|>/;
		if ($end)
		{
			my $last = pop @open // '';
			return "</$name> closes <$last>" if $last ne $name;
		}
		elsif (!$empty) { push @open, $name }
	}
	return 'not read to its end: ' . substr($page, pos($page) // 0, 60)
	  if substr($page, pos($page) // 0) =~ /\S/;
	return @open ? "open: @open" : '';
}

# Relative luminance and contrast as WCAG 2 defines them.
sub luminance
{
	my @channel = map {
		my $c = hex($_) / 255;
		$c <= 0.03928 ? $c / 12.92 : (($c + 0.055) / 1.055)**2.4
	} $_[0] =~ /^#(..)(..)(..)$/;

	return 0.2126 * $channel[0] + 0.7152 * $channel[1] + 0.0722 * $channel[2];
}

sub contrast
{
	my ($one, $other) = sort { $b <=> $a } map { luminance($_) } @_;

	return ($one + 0.05) / ($other + 0.05);
}

# The colours of each theme, by name.
sub themes
{
	my ($page) = @_;
	my @themes;

	push @themes, { $1 =~ /--([\w-]+):(#\w{6})/g }
	  while $page =~ /:root\{([^}]*)\}/g;
	return @themes;
}

is(unbalanced('<p><b>x</p></b>') ne '', 1, 'the check finds what is wrong');
isnt(unbalanced('<p>a & b</p>'), '', 'and a bare ampersand');

my %page = map {
	$_ => $node->safe_psql('postgres', "SELECT sdc.report($_, 'html')")
} 1 .. 4;
foreach my $release (1 .. 4)
{
	my $page = $page{$release};

	is(unbalanced("$page\n"), '', "release $release: tags are balanced");
	unlike($page, qr/<script|<link|<img|<iframe|\s(src|href|on\w+)=|url\(|\@import|https?:/i,
		"release $release: nothing is asked for, nothing is run");
	unlike($page, qr/<b>|name \d+/, "release $release: names are escaped, no data");
	unlike($page, qr/[^\n\x20-\x7e]/, "release $release: ASCII only");
}
if (system('command -v xmllint >/dev/null 2>&1') == 0)
{
	my $file = $node->basedir . '/page.html';

	foreach my $release (1 .. 4)
	{
		append_to_file($file, '') unless -e $file;
		open my $handle, '>', $file or die "$file: $!";
		print $handle $page{$release};
		close $handle;
		command_ok([ 'xmllint', '--noout', '--nonet', $file ],
			"release $release: is XML");
	}
}

# Both runs, refused and published, are in the page of the second.
like($page{2}, qr{>refused</td>.*>published</td>}s, 'earlier runs are shown');
like($page{2}, qr{<title>release 1: .*<title>release 2: }s, 'in the chart as well');

my @themes = themes($page{1});
is(scalar @themes, 3, 'light, dark and print have colours');
like($page{1}, qr/\@media \(prefers-color-scheme:dark\)/, 'dark is asked for');
like($page{1}, qr/\@media print/, 'print as well');
foreach my $i (0 .. 2)
{
	my %colour = %{ $themes[$i] };

	is_deeply([ sort keys %colour ], [ sort keys %{ $themes[0] } ],
		"theme $i: all colours are defined");
	foreach my $ink (qw(ink muted good bad unknown))
	{
		cmp_ok(contrast($colour{$ink}, $colour{paper}), '>=', 4.5,
			"theme $i: $ink can be read");
	}
	cmp_ok(contrast($colour{ink}, $colour{"wash-$_"}), '>=', 4.5,
		"theme $i: a verdict that is $_ can be read")
	  foreach qw(good bad unknown);
	cmp_ok(contrast($colour{$_}, $colour{paper}), '>=', 2,
		"theme $i: bars $_ stand out") foreach qw(before after);
}
my %used = map { $_ => 1 } $page{1} =~ /var\(--([\w-]+)\)/g;
is_deeply([ grep { !exists $themes[0]{$_} } sort keys %used ],
	[], 'no colour is used that is not defined');

# The census: refused with p = 2 for the attack that knows p, passed with p = 5;
# the page of the second run has both.  The bound is that of 027_release_gate.pl.
{
	my $page;

	open my $file, '-|', 'gzip', '-dc',
	  "$ENV{TESTDIR}/data/published/census.csv.gz"
	  or die "cannot read the census: $!\n";
	my ($header, @rows) = <$file>;
	close $file;
	$header =~ s/["\s]//g;
	$node->safe_psql('postgres',
		'CREATE TABLE file ('
		  . join(', ', map { "$_ float8" } split /,/, lc $header)
		  . ");\nCOPY file FROM STDIN (FORMAT csv);\n@{[join '', @rows]}\\.\n"
		  . q{CREATE TABLE census AS
		SELECT row_number() OVER (ORDER BY f)::int AS id, afnlwgt, agi FROM file AS f;
		SELECT sdc.declare('census', id => 'id', keys => '{afnlwgt,agi}')});
	foreach my $p (2, 5)
	{
		my $rule = qq{{"method": "rank_swap", "p": $p}};

		$node->safe_psql(
			'postgres', qq{
			SELECT sdc.create_policy('census', 'census',
				'{"afnlwgt": $rule, "agi": $rule}',
				'[{"attack": "distance", "<=": 0.44},
				  {"attack": "transparency", "<=": 0.44}]',
				'{"schema": "pub", "attacks": ["distance", "transparency"]}')});
		$node->psql('postgres', q{CALL sdc.release('census', seed => 5000000000000000001)});
	}
	$page = $node->safe_psql('postgres', q{
		SELECT sdc.report(release, 'html') FROM sdc.releases('census')
		ORDER BY release DESC LIMIT 1});
	like($page, qr{verdict good">Published\. Both requirements}, 'census: p = 5 passes');
	like($page, qr{>refused</td>.*>published</td>}s, 'census: both runs are in its page');
	$page = $node->safe_psql('postgres', q{
		SELECT sdc.report(release, 'html') FROM sdc.releases('census')
		ORDER BY release LIMIT 1});
	like($page, qr{verdict bad">Refused\. 1 of 2}, 'census: p = 2 is refused');
	like($page, qr{distance found &#60;= 0\.44</td>[^\n]*class="good">holds.*transparency found &#60;= 0\.44</td>[^\n]*class="bad">does not hold}s,
		'census: by transparency, not by distance');
}

# A browser: what is in the window of a headless Chromium.
my ($chromium) = grep { system("command -v $_ >/dev/null 2>&1") == 0 }
  qw(chromium chromium-browser google-chrome);

sub browser
{
	my ($release, @arguments) = @_;
	my $dir = $node->basedir;
	my $file = "$dir/release_$release.html";
	my ($out, $error) = ('', '');

	open my $handle, '>', $file or die "$file: $!";
	print $handle $page{$release};
	close $handle;
	local $ENV{HOME} = $dir;
	my $timeout = IPC::Run::timeout(900);
	eval {
		IPC::Run::run(
			[ $chromium, '--headless', '--no-sandbox', '--disable-gpu',
				'--hide-scrollbars', "--user-data-dir=$dir/browser",
				'--window-size=1000,3600', @arguments, "file://$file" ],
			'<', \undef, '>', \$out, '2>', \$error, $timeout);
	};
	return $out;
}

SKIP:
{
	skip 'no Chromium', 6 unless defined $chromium;
	my $dir = $node->basedir;
	my %size;
	# a browser takes long to start: the first one says what it read, too
	foreach my $theme (0, 1)
	{
		my $shot = "$dir/theme_$theme.png";

		my $dom = browser(2, "--blink-settings=preferredColorScheme=$theme",
			"--screenshot=$shot", $theme == 0 ? '--dump-dom' : ());
		if ($theme == 0)
		{
			skip 'Chromium does not start here', 6 unless $dom =~ /<html/;
			like($dom, qr{<h1>Release 2 of policy}, 'the browser reads the page');
		}
		my $png = -e $shot ? slurp_file($shot) : '';
		is(substr($png, 1, 3), 'PNG', "theme $theme: rendered");
		# an empty page compresses to a few kilobytes
		cmp_ok(length $png, '>', 50_000, "theme $theme: something is on it");
		$size{$theme} = $png;
	}
	isnt($size{0}, $size{1}, 'the themes differ') if $size{0} ne '';
}

$node->stop;
done_testing();
