# The server speaks the language of lc_messages, and so do the contexts of its
# errors.  What a guard takes out of an error of English words, a value or the
# statement that sdc has written, it takes out of one of German or Russian.

use strict;
use warnings;

use File::Temp qw(tempdir);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcCalls qw(%on_relation rows);

my ($version) = qx(pg_config --version) =~ /PostgreSQL (\d+)/;
my $messages = qx(pg_config --localedir);
chomp $messages;

# A locale of a language is that of C under another name: the messages are
# found by its name.
my ($plain) = grep { -d } glob('/usr/lib/locale/C.{utf8,UTF-8}');
my @languages = grep { -f "$messages/$_/LC_MESSAGES/postgres-$version.mo" }
  ('de', 'ru');
plan skip_all => 'no translated messages of PostgreSQL'
  unless @languages && defined $plain;
my $locales = tempdir(CLEANUP => 1);
my %name = (de => 'de_DE.utf8', ru => 'ru_RU.utf8');
foreach my $to ('C.utf8', map { $name{$_} } @languages)
{
	system('cp', '-r', $plain, "$locales/$to") == 0 or die 'no copy';
}
chmod 0755, $locales;
$ENV{LOCPATH} = $locales;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sdc;
	CREATE FUNCTION tell(v int) RETURNS boolean LANGUAGE plpgsql AS $$
	BEGIN
		IF v < 100 THEN RETURN true; END IF;
		RAISE EXCEPTION 'it was Canary%', v USING ERRCODE = '22023';
	END $$;
	CREATE TABLE told (id int PRIMARY KEY, a int CHECK (tell(a)), b text);
	INSERT INTO told SELECT i, i, 'b' || i FROM generate_series(1, 20) AS i;
	CREATE TABLE cast_to (id int PRIMARY KEY, b text CHECK (b::int > 0));
	INSERT INTO cast_to SELECT i, i FROM generate_series(1, 20) AS i;
	CREATE VIEW divided AS SELECT id, 1 / (id - 7) AS a FROM told;
	CREATE TABLE people AS } . rows(60) . q{;
	CREATE VIEW failing AS SELECT * FROM people WHERE 1 / (id - 7) < 7;
	SELECT sdc.create_hierarchy('tens', 'interval', '{"levels": [[25], []]}');
	SELECT sdc.create_strategy('kept', 'age', '{0}',
		params => '{"suppression": 100}')});

# Every call on a relation that cannot be read to its end.
my $calls = join "\n", "\\set ON_ERROR_STOP 0", map {
	my $call = $on_relation{$_} =~ s/%r/'failing'::regclass/gr;
	"BEGIN; SELECT count(*) FROM $call; ROLLBACK;"
} sort keys %on_relation;

# The error of a statement in a language, with its context.
sub error_of
{
	my ($language, $sql) = @_;
	my $error;

	$node->psql('postgres',
		qq{SET lc_messages = '$name{$language}';\n}
		  . "\\set SHOW_CONTEXT always\n\\set VERBOSITY verbose\n"
		  . $sql, stderr => \$error);
	return $error;
}

foreach my $language (@languages)
{
	my $zero = error_of($language, 'SELECT 1 / 0;');
	my $error;

	like($zero, qr/22012/, "$language: the server stops");
	unlike($zero, qr/division by zero/, "$language: it speaks the language");

	$error = error_of($language, q{SELECT * FROM sdc.mask('told',
		'{"a": {"method": "constant", "value": 777}}');});
	like($error, qr/masking relation "told" failed on a value/,
		"$language: a function of the user is silenced");
	unlike($error, qr/Canary|SELECT r\./, "$language: and what it says");

	$error = error_of($language, q{SELECT * FROM sdc.mask('cast_to',
		'{"b": {"method": "constant", "value": "3000000000"}}');});
	like($error, qr/masking relation "cast_to" met a number that is too large/,
		"$language: a value out of range is not shown");
	unlike($error, qr/3000000000/, "$language: in no line");

	$error = error_of($language,
		q{SELECT * FROM sdc.risk_report('divided', keys => 'a');});
	like($error, qr/22012/, "$language: a view divides by zero");
	unlike($error, qr/FROM public\.divided/,
		"$language: the statement that reads it is not shown");

	$error = error_of($language,
		q{SELECT * FROM sdc.suppress('divided', 'kept', id => 'id', keys => 'a',
			k => 2);});
	like($error, qr/22012/, "$language: and divides again");
	unlike($error, qr/CREATE TABLE|FROM public\.divided/,
		"$language: nor is one that writes");

	$error = error_of($language, $calls);
	cmp_ok(scalar(() = $error =~ /22012/g),
		'>', 40, "$language: most calls come as far as the rows");
	unlike($error, qr/SELECT|pg_catalog|CREATE TABLE/,
		"$language: and no call shows a statement of sdc");
}

done_testing();
