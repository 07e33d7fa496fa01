# Rights that nobody grants to sdc itself: default privileges and schemas that
# are there before the extension, predefined roles that read and write all
# tables, and subscribers of all tables.  Then what copies and masks do with
# large objects, sequences and tables of other access methods.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'), 'new');
$node->init;
$node->append_conf('postgresql.conf', q{
	wal_level = logical
	max_replication_slots = 4
	max_wal_senders = 4});
$node->start;
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');

sub ask
{
	my ($query, $database) = @_;

	return $node->safe_psql($database // 'postgres', $query);
}

# What was said of statements that fail.
sub refused
{
	my ($query, $database) = @_;
	my ($code, $out, $error) = $node->psql($database // 'postgres', $query);

	return $code == 0 ? 'done' : $error;
}

ask(q{
	CREATE ROLE app;
	CREATE ROLE eve;
	CREATE ROLE boss SUPERUSER;
	CREATE ROLE "odd ""name";
	CREATE DATABASE other;
	GRANT CREATE ON DATABASE other TO eve});

# Default privileges would give others the keys, the budgets and the functions
# that are revoked from everyone.
foreach my $case (
	[ 'ALL ON TABLES', 'app', 'TABLES' ],
	[ 'SELECT ON TABLES', 'PUBLIC', 'TABLES' ],
	[ 'UPDATE ON SEQUENCES', 'app', 'SEQUENCES' ],
	[ 'EXECUTE ON FUNCTIONS', '"odd ""name"', 'ROUTINES' ],
	[ 'CREATE ON SCHEMAS', 'app', 'SCHEMAS' ])
{
	my ($right, $role, $kind) = @$case;
	my $said;

	ask("ALTER DEFAULT PRIVILEGES GRANT $right TO $role", 'other');
	$said = refused('CREATE EXTENSION sdc', 'other');
	like($said, qr/default privileges would let \Q$role\E at the keys and budgets/,
		"$right TO $role: refused");
	my ($hint) = $said =~ /(ALTER DEFAULT PRIVILEGES FOR ROLE .* REVOKE ALL ON $kind FROM .*)\./;
	ask($hint, 'other');
	is(refused('CREATE EXTENSION sdc; DROP EXTENSION sdc; DROP SCHEMA IF EXISTS sdc, sdc_internal', 'other'),
		'done', 'the hint helps');
}
ask(q{ALTER DEFAULT PRIVILEGES FOR ROLE boss GRANT ALL ON TABLES TO app;
	ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO PUBLIC;
	ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
	CREATE EXTENSION sdc; DROP EXTENSION sdc; DROP SCHEMA sdc}, 'other');
pass('those of another role, or that take rights, do not matter');

# Who owns the schema, or can create there, could put functions beside those of
# sdc that fit a call better.
my %before = (
	'the schema of somebody else' => 'CREATE SCHEMA sdc AUTHORIZATION eve',
	'a schema where somebody may create' => 'CREATE SCHEMA sdc; GRANT CREATE ON SCHEMA sdc TO eve',
	'a schema where everyone may create' => 'CREATE SCHEMA sdc; GRANT CREATE ON SCHEMA sdc TO PUBLIC',
	'a schema that holds a function of somebody else' => q{CREATE SCHEMA sdc;
		CREATE FUNCTION sdc.mask(regclass, jsonb, text) RETURNS int LANGUAGE sql AS 'SELECT 1';
		ALTER FUNCTION sdc.mask(regclass, jsonb, text) OWNER TO eve},
	'a schema with default privileges' => q{CREATE SCHEMA sdc;
		ALTER DEFAULT PRIVILEGES IN SCHEMA sdc GRANT SELECT ON TABLES TO app});
foreach my $what (sort keys %before)
{
	ask($before{$what}, 'other');
	like(refused('CREATE EXTENSION sdc', 'other'),
		$what =~ /default/ ? qr/default privileges would let app/
		: qr/schema "sdc" is not in the hands of superusers alone/, "$what: refused");
	ask('DROP SCHEMA sdc CASCADE', 'other');
}
ask('CREATE SCHEMA sdc; GRANT USAGE ON SCHEMA sdc TO eve; CREATE EXTENSION sdc; DROP EXTENSION sdc;
	DROP SCHEMA sdc', 'other');
pass('a schema of a superuser is taken');

# Readers of decoded writes get what is published, and no key.
ask(q{
	CREATE EXTENSION sdc;
	CREATE SCHEMA pub;
	CREATE TABLE people AS SELECT i AS id, i % 5 AS a FROM generate_series(1, 100) AS i;
	ALTER TABLE people ALTER id SET NOT NULL;
	SELECT sdc.declare('people', id => 'id', keys => '{a}');
	SELECT sdc.create_policy('people', 'people', '{"a": {"method": "pram", "p": 20}}',
		'[{"measure": "k_anonymity", ">=": 5}]',
		'{"schema": "pub", "attacks": ["exact"], "keep_versions": 2}');
	CREATE PUBLICATION everything FOR ALL TABLES;
	SELECT pg_create_logical_replication_slot('reader', 'pgoutput');
	SELECT sdc.pseudonym('anna', 'sent');
	CALL sdc.release('people')});

sub sent
{
	return ask(qq{SELECT count(*) FROM pg_logical_slot_peek_binary_changes('reader', NULL, NULL,
		'proto_version', '1', 'publication_names', 'everything')
		WHERE position(convert_to('$_[0]', 'UTF8') IN data) > 0});
}

my $secret = ask(q{SELECT encode(key, 'hex') FROM sdc.secret WHERE domain = 'sent'});
my $key = ask(q{SELECT encode(key, 'hex') FROM sdc.policy_key WHERE policy = 'people'});
is(length("$secret$key"), 128, 'two keys');
cmp_ok(sent('release_history'), '>', 0, 'a subscriber is sent tables of sdc');
is(sent($secret), 0, 'but not the key of a pseudonym');
is(sent($key), 0, 'nor that of a policy');
ask(q{INSERT INTO sdc.secret (domain, key) VALUES ('typed', decode(repeat('c4', 32), 'hex'))});
cmp_ok(sent('c4' x 32), '>', 0, 'as it would be by an INSERT');
like(refused(q{CALL sdc.release('people')}), qr/does not have a replica identity/,
	'a published table without a key needs a replica identity, as any');
ask('ALTER TABLE pub.people REPLICA IDENTITY FULL; ALTER TABLE people REPLICA IDENTITY FULL');
foreach (1 .. 4)
{
	ask(q{UPDATE people SET a = (a + 1) % 5 WHERE id % 9 = 0; DELETE FROM people WHERE id = (SELECT max(id) FROM people)});
	ask(q{CALL sdc.release('people')});
}
cmp_ok(ask('SELECT count(last) FROM sdc.release_value'), '>', 0, 'then there are more releases, which close values');
is(refused(q{SELECT sdc.forget_pseudonyms('typed')}), 'done', 'and a key can be forgotten');
ask(q{SELECT pg_drop_replication_slot('reader')});

# Such a row is as any other: it lasts, is found by its index, and is unique.
my $anna = ask(q{SELECT sdc.pseudonym('anna', 'sent')});
$node->stop('immediate');
$node->start;
is(ask(q{SELECT sdc.pseudonym('anna', 'sent')}), $anna, 'a crash keeps the key');
is(ask(q{SET enable_seqscan = off; SELECT count(*), bool_and(created < now()) FROM sdc.secret WHERE domain = 'sent'}),
	'1|t', 'an index finds it, once');
like(refused(q{INSERT INTO sdc.secret (domain, key) VALUES ('sent', '\x00')}),
	qr/duplicate key value violates unique constraint/, 'and it is unique');
like(refused(q{BEGIN READ ONLY; SELECT sdc.pseudonym('anna', 'never')}),
	qr/cannot execute INSERT in a read-only transaction/, 'no key is made where nothing may be written');

# Rights on all tables, and a right that somebody grants, are not enough.
ask(q{CREATE ROLE reader; CREATE ROLE writer; GRANT SELECT ON sdc.secret, sdc.policy_key TO reader;
	GRANT INSERT, UPDATE, DELETE, SELECT ON sdc.secret, sdc.policy_key TO writer});
ask('GRANT pg_read_all_data TO reader; GRANT pg_write_all_data TO writer') if $version >= 140000;
foreach my $table (qw(secret policy_key))
{
	is(ask("SET ROLE reader; SELECT count(*) FROM sdc.$table"), 0, "$table: no key is read");
	is(ask("SET ROLE reader; COPY sdc.$table TO STDOUT"), '', "$table: nor copied");
	is(ask("SET ROLE writer; WITH gone AS (DELETE FROM sdc.$table RETURNING 1) SELECT count(*) FROM gone"),
		0, "$table: none is deleted");
	is(ask("SET ROLE writer; WITH n AS (UPDATE sdc.$table SET key = '\\x00' RETURNING 1) SELECT count(*) FROM n"),
		0, "$table: none is changed");
	like(refused("SET ROLE writer; INSERT INTO sdc.$table VALUES ('x', '\\x00')"),
		qr/violates row-level security policy/, "$table: none is written");
}
is(ask(q{SELECT sdc.pseudonym('anna', 'sent')}), $anna, 'the key is what it was');

like(refused('ALTER EXTENSION sdc SET SCHEMA public'), qr/does not support SET SCHEMA/,
	'the extension stays in its schema');

# Large objects are not copied, so a column that refers to them needs a word.
# Sequences of a copy do not tell how far those of the original are.
ask(q{
	CREATE SCHEMA src;
	CREATE TABLE src.p (id bigint GENERATED BY DEFAULT AS IDENTITY (START 5000) PRIMARY KEY,
		picture oid, income int);
	INSERT INTO src.p (picture, income) SELECT lo_from_bytea(0, '\x01'), i FROM generate_series(1, 50) AS i;
	SELECT setval('src.p_id_seq', 123456)});
is(ask(q{SELECT decided_by FROM sdc.plan_copy('src', '{"*": {"method": "keep"}}') WHERE column_name = 'picture'}),
	'nobody', 'a rule for all columns is none for large objects');
like(refused(q{SELECT sdc.copy_schema('src', 'safe', '{"*": {"method": "keep"}}')}),
	qr/They are p\.picture\./, 'so there is no copy');
ask(q{SELECT sdc.copy_schema('src', 'safe', '{"*": {"method": "keep"}, "p.picture": {"method": "null"}}')});
is(ask(q{SELECT last_value FROM safe.p_id_seq}), ask('SELECT max(id) FROM safe.p'),
	'the sequence of a copy goes on after its own rows');

# A table of another access method stays one when it is masked in place.
ask(q{
	CREATE ACCESS METHOD heap2 TYPE TABLE HANDLER heap_tableam_handler;
	CREATE TABLE am (id int PRIMARY KEY, income int) USING heap2;
	INSERT INTO am SELECT i, 7 * i FROM generate_series(1, 200) AS i});
is(ask(q{SET default_table_access_method = heap2;
	SELECT count(*) FROM sdc.mask('am', '{"income": {"method": "constant", "value": 1}}') WHERE step = 'write';
	SELECT amname, min(income), max(income), count(*) FROM am,
		pg_class AS c JOIN pg_am AS a ON a.oid = c.relam WHERE c.oid = 'am'::regclass GROUP BY amname}),
	"1\nheap2|1|1|200", 'a table of another access method keeps it in place');
is(ask(q{SET default_table_access_method = heap2;
	CREATE TABLE plain (id int PRIMARY KEY, income int) USING heap;
	INSERT INTO plain SELECT i, 7 * i FROM generate_series(1, 200) AS i;
	SELECT count(*) FROM sdc.mask('plain', '{"income": {"method": "constant", "value": 1}}') WHERE step = 'write';
	SELECT amname, min(income), max(income), count(*) FROM plain,
		pg_class AS c JOIN pg_am AS a ON a.oid = c.relam WHERE c.oid = 'plain'::regclass GROUP BY amname}),
	"1\nheap|1|1|200", 'whatever the default of the session is');

done_testing();
