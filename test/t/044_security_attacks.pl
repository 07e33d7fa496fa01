# Attacks that nothing else here tries: settings that the code of others leaves
# to a superuser's session, readers of the log of writes, names that change
# while a release waits, a directory that is exchanged under an export, and
# transactions that an analyst leaves open.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;

my $export = "$ENV{SDC_BIN}/sdc_export";
my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'), 'new');
$node->init;
$node->append_conf('postgresql.conf', q{
	wal_level = logical
	max_replication_slots = 4
	max_wal_senders = 4
	max_prepared_transactions = 4});
$node->start;
local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;
local $ENV{PGDATABASE} = 'postgres';

sub ask
{
	return $node->safe_psql('postgres', $_[0]);
}

# Runs statements that may fail; returns what was printed and what was said.
sub try
{
	my ($code, $out, $error) = $node->psql('postgres', $_[0], on_error_stop => 0);

	return ($out, $error);
}

ask(q{
	CREATE EXTENSION sdc;
	CREATE ROLE curator LOGIN;
	CREATE ROLE eve LOGIN;
	CREATE ROLE analyst LOGIN;
	CREATE ROLE other LOGIN;
	GRANT EXECUTE ON ALL ROUTINES IN SCHEMA sdc TO curator;
	CREATE SCHEMA data AUTHORIZATION curator;
	CREATE SCHEMA eves AUTHORIZATION eve;
	GRANT CREATE, USAGE ON SCHEMA eves TO curator;
	GRANT CREATE ON DATABASE postgres TO eve;
	SET ROLE curator;
	CREATE FUNCTION data.pay(a int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM set_config('search_path', 'data', false),
			set_config('application_name', 'owned', false),
			set_config('default_transaction_read_only', 'on', false);
		RETURN a;
	END $$;
	CREATE TABLE data.people AS SELECT i AS id, i % 5 AS a,
		'zyxw ' || i AS note FROM generate_series(1, 100) AS i;
	CREATE INDEX ON data.people ((a + data.pay(1)));
	RESET ALL;
	SELECT sdc.declare('data.people', id => 'id', keys => '{a}', insensitive => '{note}');
	SELECT sdc.create_policy('people', 'data.people', '{}',
		'[{"measure": "k_anonymity", ">=": 5}]',
		'{"schema": "eves", "table": "people", "drop": ["note"], "attacks": ["exact"]}');
	SELECT sdc.create_dataset('people', 'data.people', epsilon => 100),
		sdc.grant_budget('people', r, 50) FROM unnest('{analyst,other}'::regrole[]) AS r;
	RESET ALL});

# Code of the owner of a table runs while it is read.  What it sets must not
# stay with a session that goes on as somebody else.
my $settings = q{SELECT concat_ws(' ', current_setting('search_path'),
	current_setting('default_transaction_read_only'),
	current_setting('application_name') = 'owned')};
my ($before) = try($settings);
foreach my $call (
	q{SET ROLE curator; CALL sdc.release('people'); RESET ROLE},
	q{SELECT count(*) FROM sdc.mask('data.people', '{"a": {"method": "rank_swap", "p": 20}}') \g /dev/null},
	q{SET SESSION AUTHORIZATION analyst;
		SELECT * FROM sdc.dp_query('people', '{count}', 1, predicate => 'a > 1') \g /dev/null
		RESET SESSION AUTHORIZATION},
	q{SELECT * FROM sdc.verify_release((SELECT max(release) FROM sdc.releases('people'))) \g /dev/null})
{
	my ($out, $error) = try("$call;\n$settings");

	unlike($error, qr/ERROR/, "done: $call");
	is($out, $before, 'no setting stays');
}
($_) = try(qq{SET ROLE curator; SELECT count(*) FROM data.people WHERE a + 1 = 2 \\g /dev/null
	$settings});
isnt($_, $before, 'as they would after a query of one\'s own');
ask('DROP INDEX data.people_expr_idx');

# Readers of the log of writes see what is published, and nothing of the
# tables that were made on the way: they hold ids beside the masked values.
ask(q{CREATE PUBLICATION everything FOR ALL TABLES;
	SELECT pg_create_logical_replication_slot('reader', 'pgoutput');
	SET ROLE curator; DROP TABLE eves.people; CALL sdc.release('people');
	CREATE TABLE data.codes AS SELECT i % 5 AS a FROM generate_series(1, 100) AS i;
	SELECT sdc.declare('data.codes', keys => '{a}');
	SELECT sdc.create_policy('codes', 'data.codes', '{}', '[{"measure": "k_anonymity", ">=": 5}]',
		'{"schema": "eves", "attacks": []}');
	CALL sdc.release('codes')});
my $sent = q{FROM pg_logical_slot_peek_binary_changes('reader', NULL, NULL,
	'proto_version', '1', 'publication_names', 'everything')};
cmp_ok(ask("SELECT count(*) $sent WHERE position('\\x70656f706c65'::bytea IN data) > 0"),
	'>', 0, 'a subscriber is sent the published table');
is(ask("SELECT count(*) $sent WHERE position(convert_to('sdc_staging', 'UTF8') IN data) > 0"),
	0, 'and no other, nor what is published whole under the name that it was masked under');
is(ask("SELECT count(*) $sent WHERE position(convert_to('zyxw', 'UTF8') IN data) > 0"),
	0, 'nor a column that is not published');
ask(q{SELECT pg_drop_replication_slot('reader'); DROP PUBLICATION everything});

# eve owns the schema, and changes names while a release waits for a lock.
ask(q{SET ROLE eve;
	CREATE FUNCTION eves.evil(a int) RETURNS boolean LANGUAGE plpgsql AS $$
	BEGIN
		RAISE WARNING 'EVE RUNS AS %', current_user;
		RETURN true;
	END $$});
my %change = (
	'another table' => q{DROP TABLE eves.people;
		CREATE TABLE eves.people (a int CHECK (eves.evil(a)));
		GRANT ALL ON eves.people TO curator},
	'a view' => q{DROP TABLE eves.people;
		CREATE VIEW eves.people AS SELECT 1 AS a WHERE eves.evil(1);
		GRANT ALL ON eves.people TO curator},
	'another schema' => q{ALTER SCHEMA eves RENAME TO gone; CREATE SCHEMA eves;
		GRANT ALL ON SCHEMA eves TO curator;
		CREATE TABLE eves.people (a int CHECK (gone.evil(a)));
		GRANT ALL ON eves.people TO curator},
	'another owner' => q{RESET ROLE; ALTER TABLE eves.people OWNER TO eve;
		GRANT ALL ON eves.people TO curator},
	'no schema' => q{ALTER SCHEMA eves RENAME TO gone});
foreach my $what (sort keys %change)
{
	my ($said, $waits) = ('', 0);

	ask(q{SET ROLE curator; CALL sdc.release('people')});
	my $holder = $node->background_psql('postgres');
	# what curator waits for is held by eve's transaction, or by the table
	$holder->query_safe("SET client_min_messages = error; BEGIN; SET ROLE eve;
		$change{$what}");
	my $release = IPC::Run::start(
		[ 'psql', '-XAtq', '-c', 'SET ROLE curator', '-c', q{CALL sdc.release('people')} ],
		'>', \$said, '2>&1', IPC::Run::timeout(900));
	foreach (1 .. 600)
	{
		last if $waits = ask(q{SELECT count(*) FROM pg_stat_activity
			WHERE wait_event_type = 'Lock' AND query ~ 'CALL sdc'}) > 0;
		last if !$release->pumpable;
		$release->pump_nb;
		select undef, undef, undef, 0.1;
	}
	ok($waits, "$what: the release waits");
	$holder->query_safe('COMMIT');
	$holder->quit;
	$release->finish;
	like($said, qr/ERROR/, "$what: it is refused");
	unlike($said, qr/EVE RUNS/, "$what: and runs nothing of hers");
	is(ask(q{SELECT status FROM sdc.releases('people') ORDER BY release DESC LIMIT 1}),
		'failed', "$what: the history says so");
	ask(q{SET client_min_messages = error;
		DO $$BEGIN
			IF to_regnamespace('gone') IS NOT NULL THEN
				DROP SCHEMA IF EXISTS eves CASCADE;
				ALTER SCHEMA gone RENAME TO eves;
			END IF;
			IF (SELECT relkind FROM pg_class WHERE oid = to_regclass('eves.people')) = 'v' THEN
				DROP VIEW eves.people;
			ELSE
				DROP TABLE IF EXISTS eves.people;
			END IF;
		END$$});
}

# Who may write to the directory of an export puts another one in the place of
# the one that it works in, with a script of his own.
ask(q{SET ROLE curator; CALL sdc.release('people')});
my $dir = $node->basedir . '/out';
my $shims = $node->basedir . '/shims';
my $proof = $node->basedir . '/proof';
mkdir $_ foreach $dir, $shims;
append_to_file("$shims/chmod", qq{#!/usr/bin/env bash
for work in "$dir"/.sdc_export.*; do
	mv "\$work" "$dir/taken"
	mkdir "\$work"
	echo '\\! : >$proof' >"\$work/script"
	cp "\$work/script" "\$work/dump"
done
exec /bin/chmod "\$@"
});
chmod 0755, "$shims/chmod";
{
	local $ENV{PATH} = "$shims:$ENV{PATH}";
	my $said;

	IPC::Run::run([ 'bash', $export, 'people', $dir ], '<', \undef, '>', '/dev/null', '2>', \$said);
	ok(-d "$dir/taken", 'the directory was exchanged');
	ok(!-e $proof, 'the script of somebody else is not run');
}

# An analyst who leaves a transaction open, or prepared, keeps nobody from
# asking.
my $session = $node->background_psql('postgres');
$session->query_safe(q{SET ROLE analyst; BEGIN;
	SELECT count(*) FROM sdc.dp_query('people', '{count}', 1)});
ask(q{SET ROLE analyst; BEGIN; SELECT * FROM sdc.dp_query('people', '{count}', 1);
	PREPARE TRANSACTION 'left'});
my ($answer, $error) = try(q{SET statement_timeout = '60s'; SET ROLE other;
	SELECT count(*) FROM sdc.dp_query('people', '{count}', 1)});
is($error, '', 'another analyst asks meanwhile');
is($answer, '1', 'and is answered');
ask(q{ROLLBACK PREPARED 'left'});
$session->query_safe('ROLLBACK');
$session->quit;
is(ask(q{SELECT spent FROM sdc.remaining_budget('people') WHERE role IS NULL}),
	'4', 'all of it stays spent');

$node->stop;
done_testing();
