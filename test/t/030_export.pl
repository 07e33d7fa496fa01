# sdc_export writes the last release of a policy to files: what was released,
# whole or not at all, whatever ends it.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $export = "$ENV{SDC_BIN}/sdc_export";
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;
local $ENV{PGDATABASE} = 'postgres';
my $dir = $node->basedir . '/out put';
mkdir $dir or die "$dir: $!";

sub ask
{
	return $node->safe_psql('postgres', $_[0]);
}

# Runs it; returns status, output and error.
sub export
{
	my ($out, $error);

	IPC::Run::run([ 'bash', $export, @_ ], '<', \undef, '>', \$out, '2>', \$error);
	return ($? >> 8 || $? & 127, $out, $error);
}

sub files
{
	opendir my $handle, $dir or die "$dir: $!";
	return join ' ', sort grep { !/^\.\.?$/ } readdir $handle;
}

ask(q{
	CREATE EXTENSION sdc;
	CREATE SCHEMA pub;
	CREATE TABLE people AS
	SELECT i AS id, 20 + i % 50 AS age, 1000 + i AS income,
		E'line\nfeed, "quoted" ' || (i * 7 + 3) AS note, repeat(md5(i || 'f'), 20) AS filler
	FROM generate_series(1, 5000) AS i;
	CREATE TABLE "Visits/\x" AS SELECT i AS id, i % 3 AS ward FROM generate_series(1, 30) AS i;
	SELECT sdc.declare('people', id => 'id', keys => '{age}', sensitive => '{income}',
		insensitive => '{note,filler}');
	SELECT sdc.declare('"Visits/\x"', id => 'id', keys => '{ward}');
	SELECT sdc.create_policy('open data', 'people', '{"income": {"method": "shuffle"}}',
		'[{"measure": "k_anonymity", ">=": 5}]', '{"schema": "pub", "attacks": ["distance"]}');
	SELECT sdc.create_policy('open data', '"Visits/\x"', '{}',
		'[{"measure": "k_anonymity", ">=": 5}]', '{"schema": "pub", "attacks": ["exact"]}')});

my ($status, $out, $error) = export('open data', $dir);
is($status, 1, 'no release yet: refused');
like($error, qr/has no release/, 'and says so');
is(files(), '', 'nothing is written');

ask(q{CALL sdc.release('open data', seed => 5000000000000000001)});
($status, $out, $error) = export('open data', $dir);
is($status, 0, 'exported') or diag($error);
my $all = 'pub.Visits%2F%5Cx.csv pub.people.csv';
is(files(), $all, 'a file for each table, and nothing else');
ask('CREATE TABLE back (LIKE pub.people)');
my $csv = slurp_file("$dir/pub.people.csv");
like($csv, qr/^age,income,note,filler\n/, 'with a header');
$node->safe_psql('postgres', "COPY back FROM STDIN WITH (FORMAT csv, HEADER);\n$csv\\.\n");
is(ask('SELECT count(*) FROM (TABLE back EXCEPT ALL TABLE pub.people) AS d'), '0',
	'the file holds what was released');
is(ask('SELECT count(*) FROM back'), '5000', 'all of it');
is(sprintf('%o', (stat "$dir/pub.people.csv")[2] & 0777), sprintf('%o', 0666 & ~umask),
	'readable as the umask says');

# A dump: restored, it is the same.
($status, $out, $error) = export('--format', 'dump', 'open data', $dir);
is($status, 0, 'dumped') or diag($error);
is(files(), "open%20data.dump $all", 'in one file');
ask('CREATE DATABASE restored');
$node->safe_psql('restored', 'CREATE SCHEMA pub');
command_ok([ 'pg_restore', '--exit-on-error', '-d', 'restored', "$dir/open%20data.dump" ],
	'it can be restored');
is( $node->safe_psql('restored', q{SELECT (SELECT count(*) FROM pub.people) || ' '
		|| (SELECT count(*) FROM pub."Visits/\x")}),
	'5000 30', 'with all rows');

# What is refused leaves the files of before.
my $before = $csv;
sub unchanged
{
	my ($name) = @_;

	is(files(), "open%20data.dump $all", "$name: no other file is there");
	ok(slurp_file("$dir/pub.people.csv") eq $before, "$name: the file of before is");
}
($status, $out, $error) = export('--max-age', '1 hour', 'open data', $dir);
is($status, 0, 'young enough') or diag($error);
ask(q{UPDATE sdc.release_history SET finished = now() - interval '2 hours'});
($status, $out, $error) = export('--max-age', '1 hour', 'open data', $dir);
is($status, 1, 'too old: refused');
like($error, qr/older than 1 hour/, 'and says so');
($status, $out, $error) = export('--max-age', 'soon', 'open data', $dir);
is($status, 1, 'an age that is none is an error');
ask('UPDATE pub.people SET age = 1 WHERE false; DELETE FROM pub.people WHERE income = 1001');
($status, $out, $error) = export('open data', $dir);
is($status, 1, 'rows that are gone since: refused');
like($error, qr/does not have the rows/, 'and says so');
unchanged('changed');
ask(q{CALL sdc.release('open data', seed => 5000000000000000001)});
($status, $out, $error) = export('open data', $dir);
is($status, 0, 'the next release') or diag($error);
$before = slurp_file("$dir/pub.people.csv");
ask(q{ALTER TABLE people ADD COLUMN email text});
$node->psql('postgres', q{CALL sdc.release('open data')});
($status, $out, $error) = export('open data', $dir);
is($status, 1, 'a refused release: refused');
like($error, qr/is refused; nothing is exported/, 'and says so');
unchanged('refused');
ask(q{ALTER TABLE people DROP COLUMN email; CALL sdc.release('open data', seed => 5000000000000000001)});

# A release that is not finished.
my $history = q{UPDATE sdc.release_history SET status = '%s'
	WHERE release = (SELECT max(release) FROM sdc.release_history)};
ask(sprintf $history, 'running');
($status, $out, $error) = export('open data', $dir);
is($status, 1, 'an interrupted release: refused');
like($error, qr/is interrupted/, 'and says so');
ask(sprintf $history, 'published');

# A full disk: no file may become longer than 64 kB.
foreach my $format ('csv', 'dump')
{
	my $said;

	IPC::Run::run(
		[ 'bash', '-c', 'ulimit -f 64; exec bash "$0" --format "$1" "open data" "$2"',
			$export, $format, $dir ],
		'<', \undef, '>', \$out, '2>', \$said);
	isnt($?, 0, "$format: a full disk is an error");
	like($said, qr/sdc_export: .*could not be written/, "$format: and says so");
	unchanged("$format: full disk");
}

# Killed while it waits in the middle, for a table that somebody has locked.
foreach my $signal ('TERM', 'INT', 'KILL')
{
	my $holder = $node->background_psql('postgres');
	$holder->query_safe('BEGIN');
	$holder->query_safe('LOCK TABLE pub.people IN ACCESS EXCLUSIVE MODE');
	my $pid = fork();
	if ($pid == 0)
	{
		open STDERR, '>', '/dev/null';
		$SIG{INT} = 'DEFAULT';
		setpgrp(0, 0);
		exec 'bash', $export, 'open data', $dir;
	}
	$node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity
		WHERE application_name = 'sdc_export' AND wait_event_type = 'Lock'});
	kill $signal, -$pid;
	waitpid $pid, 0;
	isnt($?, 0, "$signal: it does not read as success");
	$holder->query_safe('ROLLBACK');
	$holder->quit;
	# nobody can tidy up after KILL
	system('find', $dir, '-name', '.sdc_export.*', '-prune', '-exec', 'rm', '-rf', '{}', '+')
	  if $signal eq 'KILL';
	unchanged($signal);
}

# The backend is killed under it.
my $holder = $node->background_psql('postgres');
$holder->query_safe('BEGIN');
$holder->query_safe('LOCK TABLE pub.people IN ACCESS EXCLUSIVE MODE');
my $handle = IPC::Run::start([ 'bash', $export, 'open data', $dir ],
	'<', \undef, '>', \$out, '2>', \$error);
$node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity
	WHERE application_name = 'sdc_export' AND wait_event_type = 'Lock'});
ask(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity
	WHERE application_name = 'sdc_export'});
ok(!IPC::Run::finish($handle), 'its backend is ended: an error');
$holder->quit;
unchanged('ended');

# Bad calls.
foreach my $bad ([], ['open data'], ['open data', '/nowhere'], ['--format', 'xml', 'open data', $dir],
	['--what', 'open data', $dir], ['nothing', $dir], [q{it's; "$(touch x)"}, $dir],
	['--max-age'], ['--dbname', 'host=/nowhere', 'open data', $dir])
{
	($status, $out, $error) = export(@$bad);
	isnt($status, 0, "@$bad: an error");
	isnt($error, '', "@$bad: that says something");
}
unchanged('bad calls');
($status, $out) = export('--help');
like($out, qr/--max-age INTERVAL/, 'there is help');

$node->stop;
done_testing();
