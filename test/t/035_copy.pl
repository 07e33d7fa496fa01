# sdc_copy writes the safe copy of a policy into another database or a file:
# all of it, checked, or nothing, and leaves no copy behind.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $copy = "$ENV{SDC_BIN}/sdc_copy";
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;
local $ENV{PGDATABASE} = 'postgres';
local $ENV{PGUSER} = 'owner';
my $dir = $node->basedir . '/out put';
mkdir $dir or die "$dir: $!";
my $file = "$dir/shop's copy.sql";
# without the client's settings, so that work is looked for in one place
local $ENV{TMPDIR} = $dir;

# As the superuser of the cluster, in a database.
sub ask
{
	my ($query, $database) = @_;

	local $ENV{PGUSER};
	delete $ENV{PGUSER};
	return $node->safe_psql($database // 'postgres', $query);
}

# As the owner.
sub ask_owner
{
	return $node->safe_psql('postgres', $_[0]);
}

# Runs it; returns status, output and error.
sub copy
{
	my ($out, $error);

	IPC::Run::run([ 'bash', $copy, @_ ], '<', \undef, '>', \$out, '2>', \$error);
	return ($? >> 8 || $? & 127, $out, $error);
}

sub files
{
	opendir my $handle, $dir or die "$dir: $!";
	return join ' ', sort grep { !/^\.\.?$/ } readdir $handle;
}

sub schemas
{
	return ask(q{SELECT string_agg(nspname, ' ' ORDER BY nspname) FROM pg_namespace
		WHERE nspname !~ '^pg_|^sdc|^information_schema$'}, $_[0]);
}

# A number of people, all of whose identifiers have a mark that grep finds.
ask(q{
	CREATE ROLE owner LOGIN;
	CREATE ROLE guest LOGIN;
	CREATE EXTENSION sdc;
	SELECT sdc.grant_to('owner', 'publisher');
	GRANT CREATE ON DATABASE postgres TO owner;
	CREATE SCHEMA "My ""shop" AUTHORIZATION owner;
	CREATE DATABASE staging OWNER owner;
	CREATE DATABASE other OWNER owner});
my $shop = q{SET search_path = "My ""shop";};
ask_owner($shop . q{
	CREATE TYPE tier AS ENUM ('basic', 'pro');
	CREATE TYPE pair AS (a int, b tier);
	CREATE DOMAIN address AS text CHECK (VALUE LIKE '%_@_%');
	CREATE FUNCTION half(i int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT i / 2';
	CREATE FUNCTION apart(a int, b int) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT (a - b)::float8';
	CREATE TYPE span AS RANGE (subtype = int, subtype_diff = apart);
	CREATE FUNCTION unused() RETURNS text LANGUAGE sql AS $$ SELECT 'user7@web.test' $$;
	CREATE TABLE customer (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, first_name text, email address NOT NULL UNIQUE,
		phone text, level tier DEFAULT 'basic', duo pair, halves int GENERATED ALWAYS AS (half(points)) STORED, points int, tags tier[], open span);
	INSERT INTO customer (first_name, email, phone, points)
	SELECT 'Sabine', 'user' || i || '@web.test', '+49 171 ' || 5550000 + i, i FROM generate_series(1, 300) AS i;
	CREATE TABLE "odd ' table" (id serial, customer bigint NOT NULL REFERENCES customer, placed date) PARTITION BY RANGE (placed);
	CREATE TABLE part PARTITION OF "odd ' table" FOR VALUES FROM ('2024-01-01') TO ('2026-01-01');
	INSERT INTO "odd ' table" (customer, placed) SELECT 1 + i % 300, date '2024-01-01' + i % 700 FROM generate_series(1, 900) AS i;
	CREATE INDEX ON customer (half(points));
	CREATE VIEW pro AS SELECT * FROM customer WHERE level = 'pro';
	CREATE MATERIALIZED VIEW counted AS SELECT customer, count(*) FROM "odd ' table" GROUP BY 1;
	COMMENT ON TABLE customer IS 'Ask user1@web.test';
	SELECT sdc.create_copy('night', 'My "shop', 'staged', '{"*": {"method": "keep"},
		"customer.duo": {"method": "null"}, "customer.tags": {"method": "null"}, "customer.open": {"method": "null"}}', '{"locale": "de"}')});

# Into another database.
my ($status, $out, $error) = copy('--into', 'dbname=staging', '--as', 'shop', 'night');
is($status, 0, 'copied into another database') or diag($error);
is($error, '', 'without a word of complaint');
like($out, qr/None of \d+ original identifiers was found/, 'what was checked is told');
is(schemas('staging'), 'public shop', 'the copy is there, and nothing else');
is(schemas(), 'My "shop public', 'and is not left beside the original');
is(files(), '', 'nor is anything on disk');
is( ask(q{SELECT count(*) || ' ' || count(DISTINCT email) || ' ' || count(*) FILTER (WHERE email ~ 'web.test' OR phone ~ '555 ?\d{4}$') FROM shop.customer}, 'staging'),
	'300 300 0', 'all rows, unique, and nobody of the original');
is( ask(q{SELECT (SELECT count(*) FROM shop."odd ' table" AS t JOIN shop.customer AS c ON c.id = t.customer) || ' '
		|| (SELECT count(*) FROM shop.pro) || ' ' || (SELECT count(*) FROM shop.counted)}, 'staging'),
	'900 0 300', 'rows join, views read the copy');
is( ask(q{SELECT string_agg(conname || ' ' || convalidated, ',' ORDER BY conname) FROM pg_constraint
		WHERE contype = 'f' AND conparentid = 0}, 'staging'),
	q{odd ' table_customer_fkey true}, 'foreign keys are valid');
is( ask(q{SELECT string_agg(DISTINCT typname, ' ' ORDER BY typname) FROM pg_type AS t
		WHERE typnamespace = 'shop'::regnamespace AND typrelid NOT IN (SELECT oid FROM pg_class WHERE relkind <> 'c')
		AND typcategory <> 'A' AND typname NOT LIKE '%multirange'}, 'staging'),
	'address pair span tier', 'with the types it needs');
is( ask(q{SELECT string_agg(proname, ' ' ORDER BY proname) FROM pg_proc WHERE pronamespace = 'shop'::regnamespace
		AND proname !~ '^span'}, 'staging'),
	'apart half', 'and the functions it calls, and no other');
is(ask(q{SELECT count(*) FROM pg_description WHERE description ~ 'web.test'}, 'staging'), '0', 'no comment came along');
is(ask(q{INSERT INTO shop.customer (email, points) VALUES ('a@b', 8) RETURNING id || ' ' || halves || ' ' || level}, 'staging'),
	"301 4 basic", 'identities go on, and what is generated is');

# The next night takes its place; readers keep what they are reading.
($status, $out, $error) = copy('--into', 'dbname=staging', '--as', 'shop', '--seed', '7', 'night');
is($status, 0, 'the next night') or diag($error);
is(schemas('staging') . ' ' . ask('SELECT count(*) FROM shop.customer', 'staging'), 'public shop 300', 'takes its place');

# To a file: grep finds nobody, and it restores where the original's name is taken.
($status, $out, $error) = copy('night', $file);
is($status, 0, 'to a file') or diag($error);
like($out, qr/^\Q$file\E$/m, 'whose name it says');
is(files(), "shop's copy.sql", 'and nothing else');
my $text = slurp_file($file);
unlike($text, qr/web\.test|171 555|5550\d{3}/, 'no identifier in it');
ask('CREATE SCHEMA "My ""shop"; CREATE TABLE "My ""shop".mine (i int); CREATE FUNCTION "My ""shop".half(int) RETURNS int LANGUAGE sql AS $$ SELECT 3 $$', 'other');
ask('ALTER SCHEMA "My ""shop" OWNER TO owner', 'other');
command_ok([ 'psql', '-Xq', '-o', '/dev/null', '-d', 'other', '-f', $file ], 'the file is a script for psql');
is(schemas('other'), 'My "shop public staged', 'the copy has its name');
is(ask('SELECT count(*) FROM staged.customer', 'other'), '300', 'and its rows');
is(ask(q{SELECT count(*) FROM pg_proc WHERE pronamespace = 'staged'::regnamespace AND proname = 'half'}, 'other') . ask('SELECT "My ""shop".half(1)', 'other'),
	'13', 'what was there under the name of the original is untouched');

# What goes wrong leaves all as it was.
sub unchanged
{
	my ($name) = @_;

	is(schemas(), 'My "shop public', "$name: no copy beside the original");
	is(files(), "shop's copy.sql", "$name: no other file");
	ok(slurp_file($file) eq $text, "$name: the file of before is there");
	is(schemas('staging') . ask('SELECT count(*) FROM shop.customer', 'staging'), 'public shop300',
		"$name: the copy of before is there");
}

# a schema that is no copy
($status, $out, $error) = copy('--into', 'dbname=staging', '--as', 'public', 'night');
is($status, 1, 'a schema that is no copy: refused');
like($error, qr/was not made by sdc_copy/, 'and says so');
unchanged('no copy');
# an identifier that a rule keeps: found by run_copy
ask_owner($shop . q{CREATE TABLE log (line text); INSERT INTO log VALUES ('user5@web.test')});
for my $target ([ $file ], [ '--as', 'shop' ])
{
	my @into = @$target > 1 ? ('--into', 'dbname=staging') : ();
	($status, $out, $error) = @into ? copy(@into, @$target, 'night') : copy('night', @$target);
	is($status, 1, 'a table that is new: refused');
	like($error, qr/has changed since/, 'and says so');
	unchanged('drift');
}
ask_owner($shop . 'DROP TABLE log');

# What is beside rows is searched as it goes out: a function that a default
# of the copy calls, changed between the copy and what is read of it, and a
# table that somebody has put there.
sub meddle
{
	my ($what) = @_;
	my $bin = "$dir/bin";

	mkdir $bin;
	# before the structure is read, as pg_dump is asked for the first time
	append_to_file("$bin/pg_dump", <<"SH");
#!/bin/sh
if [ ! -e "$bin/done" ]; then
	: >"$bin/done"
	psql -Xq -d postgres -c '$what' >/dev/null
fi
exec "$ENV{SDC_BIN}/pg_dump" "\$@"
SH
	chmod 0755, "$bin/pg_dump";
	local $ENV{PATH} = "$bin:$ENV{PATH}";
	my @said = copy('night', $file);
	system('rm', '-rf', $bin);
	return @said;
}
($status, $out, $error) = meddle(q{CREATE OR REPLACE FUNCTION "My ""shop".half(i int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT i / 2 /* user12@web.test */ $$});
is($status, 1, 'a function that holds an identifier: refused');
like($error, qr/the check has found \d+ leaks of/, 'and says so');
unlike($error, qr/web\.test/, 'without it');
unchanged('function');
ask_owner(q{CREATE OR REPLACE FUNCTION "My ""shop".half(i int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT i / 2 $$});

# What the search does not know of the copy, but goes with it.
ask_owner(q{CREATE OR REPLACE FUNCTION "My ""shop".apart(a int, b int) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT 1.0::float8 /* user12@web.test */ $$});
($status, $out, $error) = copy('night', $file);
is($status, 1, 'a function of a range that holds an identifier: refused');
like($error, qr/would hold 1 original identifiers\nDETAIL:  They are in a function that is called in table "customer"\./, 'and says so');
unchanged('function of a range');
ask_owner(q{CREATE OR REPLACE FUNCTION "My ""shop".apart(a int, b int) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT (a - b)::float8'});

# Code that somebody puts there once the copy is made: it would run in the other
# database with the rights of whoever reads or writes there.
ask(q{CREATE FUNCTION public.meddling() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
	IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'staged') THEN EXECUTE (SELECT sql FROM public.meddled); END IF; END $$;
	CREATE TABLE public.meddled (sql text); GRANT SELECT ON public.meddled TO PUBLIC;
	CREATE FUNCTION public.fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
	CREATE EVENT TRIGGER meddling ON ddl_command_end WHEN TAG IN ('ALTER SCHEMA') EXECUTE FUNCTION public.meddling()});
for my $put (q{CREATE FUNCTION staged.own(int) RETURNS int LANGUAGE sql AS 'SELECT 1'},
	q{CREATE TRIGGER own AFTER INSERT ON staged.customer FOR EACH ROW EXECUTE FUNCTION public.fire()},
	q{CREATE RULE own AS ON DELETE TO staged.customer DO ALSO SELECT 1}, q{CREATE POLICY own ON staged.customer},
	q{CREATE STATISTICS staged.own ON id, email FROM staged.customer}, q{CREATE DOMAIN staged.own AS int CHECK (VALUE > 0)},
	q{CREATE TYPE staged.own AS (a int)}, q{CREATE OPERATOR staged.=== (FUNCTION = int4eq, LEFTARG = int, RIGHTARG = int)})
{
	ask("TRUNCATE public.meddled; INSERT INTO public.meddled VALUES (\$put\$$put\$put\$)");
	($status, $out, $error) = copy('night', $file);
	is($status, 1, "$put: refused");
	like($error, qr/there is something in the copy that sdc.run_copy has not made/, 'and says so');
	unchanged($put);
}
ask('DROP EVENT TRIGGER meddling; DROP FUNCTION public.meddling(), public.fire(); DROP TABLE public.meddled');

# Ends that nobody chose.
($status, $out, $error) = meddle('SELECT 1; \! exit 1');
is($status, 0, 'the control of the next one') or diag($error);
$text = slurp_file($file);
for my $section ('pre-data', 'post-data', 'data')
{
	my $bin = "$dir/bin";
	mkdir $bin;
	append_to_file("$bin/pg_dump", <<"SH");
#!/bin/bash
case "\$*" in
	*--section=$section*) "$ENV{SDC_BIN}/pg_dump" "\$@" | head -c 2500; exit 1 ;;
esac
exec "$ENV{SDC_BIN}/pg_dump" "\$@"
SH
	chmod 0755, "$bin/pg_dump";
	for my $to ([ 'night', $file ], [ '--into', 'dbname=staging', '--as', 'shop', 'night' ])
	{
		local $ENV{PATH} = "$bin:$ENV{PATH}";
		($status, $out, $error) = copy(@$to);
		is($status, 1, "pg_dump dies in $section: refused");
		rename $bin, "$dir.bin";
		unchanged("dies in $section");
		rename "$dir.bin", $bin;
	}
	system('rm', '-rf', $bin);
}

# Who stops it twice: the second one comes while it cleans up.
{
	my $bin = "$dir.psql";

	mkdir $bin or die "$bin: $!";
	append_to_file("$bin/psql", <<"SH");
#!/bin/bash
case "\$*" in
	*' -f '*) ;;
	*)
		if [ ! -e "$bin/done" ]; then
			: >"$bin/done"
			kill -INT \$PPID \$\$
		fi
		;;
esac
exec "$ENV{SDC_BIN}/psql" "\$@"
SH
	chmod 0755, "$bin/psql";
	local $ENV{PATH} = "$bin:$ENV{PATH}";
	($status, $out, $error) = copy('night', $file);
	is(schemas() . (-e "$bin/done"), 'My "shop public1', 'stopped while it cleans up: no copy beside the original');
	is(files(), "shop's copy.sql", 'and no work directory');
	$text = slurp_file($file);
}

# In a terminal nobody is asked to press a key in the middle.
SKIP:
{
	skip 'no terminal', 2 if !eval { local $SIG{__WARN__} = sub { }; require IO::Pty; IO::Pty->new };
	my $paged = "$dir.paged";
	local $ENV{PSQL_PAGER} = "touch '$paged'; cat";

	IPC::Run::run([ 'bash', $copy, 'night', $file ], '<pty<', \undef, '>pty>', \$out);
	is($? >> 8, 0, 'in a terminal') or diag($out);
	ok(!-e $paged, 'without a pager');
	$text = slurp_file($file);
}

# What others have made of the last copy, or put into it, would go with it.
ask('CREATE SCHEMA guests AUTHORIZATION guest; GRANT USAGE, CREATE ON SCHEMA shop TO guest; GRANT ALL ON ALL TABLES IN SCHEMA shop TO guest', 'staging');
for my $put (
	[ 'CREATE TABLE shop.mine (i int)', 'DROP TABLE shop.mine', 'table shop.mine' ],
	[ q{CREATE FUNCTION shop.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'}, 'DROP FUNCTION shop.mine()', 'function shop.mine()' ],
	[ 'CREATE VIEW guests.mine AS SELECT * FROM shop.pro', 'DROP VIEW guests.mine', 'view guests.mine' ],
	[ 'CREATE TABLE guests.mine (i int, t shop.tier)', 'DROP TABLE guests.mine', 'column t of table guests.mine' ],
	[ 'CREATE TABLE guests.mine (i bigint REFERENCES shop.customer)', 'DROP TABLE guests.mine', 'constraint mine_i_fkey on table guests.mine' ],
	[ q{RESET ROLE; CREATE TABLE guests.mine PARTITION OF shop."odd ' table" FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')}, 'RESET ROLE; DROP TABLE guests.mine', 'guests.mine' ],
	[ 'RESET ROLE; CREATE POLICY mine ON shop.customer', 'RESET ROLE; DROP POLICY mine ON shop.customer', 'policy mine on table shop.customer' ])
{
	my ($make, $drop, $named) = @$put;

	ask("SET ROLE guest; $make", 'staging');
	($status, $out, $error) = copy('--into', 'dbname=staging', '--as', 'shop', 'night');
	is($status, 1, "$make: refused");
	like($error, qr/schema "shop" cannot be replaced\nDETAIL:  It would go with the last copy, and is not of it: [^\n]*\Q$named\E\./, 'and says what');
	is(schemas('staging'), 'guests public shop', 'the copy of before is there');
	ask("SET ROLE guest; $drop", 'staging');
}
# nor goes what has the name that the last copy has meanwhile
ask('DROP SCHEMA guests; CREATE SCHEMA sdc_copy_last; CREATE TABLE sdc_copy_last.mine (i int)', 'staging');
($status, $out, $error) = copy('--into', 'dbname=staging', '--as', 'other', 'night');
is($status . ask('SELECT count(*) FROM sdc_copy_last.mine', 'staging'), '00', 'a schema with that name stays') or diag($error);
ask('DROP SCHEMA sdc_copy_last, other CASCADE; CREATE SCHEMA sdc_copy_aside', 'staging');
($status, $out, $error) = copy('--into', 'dbname=staging', '--as', 'other', 'night');
is($status . ask(q{SELECT to_regnamespace('sdc_copy_aside')}, 'staging'), '0sdc_copy_aside', 'and so does another one') or diag($error);
ask('DROP SCHEMA sdc_copy_aside, other CASCADE', 'staging');
($status, $out, $error) = copy('--into', 'dbname=staging', '--as', 'shop', 'night');
is($status . schemas('staging'), '0public shop', 'and is replaced when they are gone') or diag($error);

# A work directory with something of somebody else in it is not entered.
{
	my $bin = "$dir.mktemp";

	mkdir $bin or die "$bin: $!";
	append_to_file("$bin/mktemp", "#!/bin/sh\nmkdir '$dir/.theirs' && echo SELECT >'$dir/.theirs/seen.sql' && echo '$dir/.theirs'\n");
	chmod 0755, "$bin/mktemp";
	local $ENV{PATH} = "$bin:$ENV{PATH}";
	($status, $out, $error) = copy('night', $file);
	is($status, 1, 'a work directory that is not empty: refused');
	like($error, qr/somebody else has changed/, 'and says so');
	unchanged('another work directory');
}

# Rows that row-level security hides from the owner are not left out in silence.
ask_owner($shop . q{ALTER TABLE customer ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
	CREATE POLICY older ON customer USING (id > 10)});
($status, $out, $error) = copy('night', $file);
is($status, 1, 'rows that are hidden: refused');
like($error, qr/row-level security/, 'and says so');
unchanged('hidden rows');
ask_owner($shop . q{DROP POLICY older ON customer;
	ALTER TABLE customer DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY});

# Who may.
{
	local $ENV{PGUSER} = 'guest';
	($status, $out, $error) = copy('night', $file);
	is($status, 1, 'another role: refused');
	unchanged('another role');
}
{
	local $ENV{PGUSER};
	delete $ENV{PGUSER};
	($status, $out, $error) = copy('night', $file);
	is($status, 1, 'a superuser: refused');
	unchanged('a superuser');
}

# An archive for pg_restore, and the types that its tables need.
($status, $out, $error) = copy('--format', 'dump', 'night', "$dir/shop.dump");
is($status, 0, 'to an archive') or diag($error);
like($out, qr/^\Q$dir\E\/shop.dump.types.sql\n\Q$dir\E\/shop.dump$/m, 'whose names it says');
is(files(), "shop's copy.sql shop.dump shop.dump.types.sql", 'and nothing else');
is(schemas(), 'My "shop public', 'no copy beside the original');
ask('CREATE DATABASE archive OWNER owner');
command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'archive', '-f', "$dir/shop.dump.types.sql" ], 'types go before');
command_ok([ 'pg_restore', '--exit-on-error', '--no-owner', '-j', '2', '-d', 'archive', "$dir/shop.dump" ], 'and it is restored, by two processes');
is(ask(q{SELECT (SELECT count(*) FROM staged.customer) || ' ' || (SELECT count(*) FROM staged."odd ' table") || ' ' || (SELECT count(*) FROM staged.counted)}, 'archive'),
	'300 900 300', 'all of it');
my $restored;
IPC::Run::run([ 'pg_dump', 'archive' ], '>', \$restored) or die 'pg_dump';
unlike($restored, qr/web\.test|171 555|5550\d{3}/, 'no identifier in it');
ask('DROP DATABASE archive');
# which has the name of the database of the original in its head
ask('CREATE DATABASE "for user7@web.test" OWNER owner');
ask(q{CREATE EXTENSION sdc; SELECT sdc.grant_to('owner', 'publisher')}, 'for user7@web.test');
$node->safe_psql('for user7@web.test', q{CREATE SCHEMA s;
	CREATE TABLE s.c AS SELECT i AS id, 'user' || i || '@web.test' AS email FROM generate_series(1, 100) AS i;
	SELECT sdc.create_copy('night', 's', 'staged', '{"*": {"method": "keep"}}')});
my @named = ('--dbname', 'dbname=for\ user7@web.test');
($status, $out, $error) = copy(@named, '--format', 'dump', 'night', "$dir/named.dump");
like($error, qr/the check has found 1 leaks/, 'a database with the name of somebody: refused');
($status, $out, $error) = copy(@named, 'night', "$dir/named.sql");
is($status, 0, 'a script does not have it') or diag($error);
unlike(slurp_file("$dir/named.sql"), qr/user7/, 'indeed');
unlink "$dir/named.sql";
ask('DROP DATABASE "for user7@web.test"');
unlink "$dir/shop.dump", "$dir/shop.dump.types.sql";

# --keep, and the row type of a table, which cannot go anywhere.
($status, $out, $error) = copy('--keep', 'night', $file);
is($status, 0, 'kept') or diag($error);
is(schemas(), 'My "shop public staged', 'it is there');
($status, $out, $error) = copy('night', $file);
is($status, 0, 'where a copy was kept') or diag($error);
is(schemas(), 'My "shop public staged', 'one is there again');
ask_owner(q{CREATE TABLE staged.mine (t text)});
($status, $out, $error) = copy('night', $file);
is($status, 1, 'what somebody put there: refused');
is(schemas(), 'My "shop public staged', 'and stays');
ask_owner('DROP SCHEMA staged CASCADE');
ask_owner($shop . 'CREATE TABLE held (c customer)');
ask_owner(q{SELECT sdc.create_copy('held', 'My "shop', 'staged', '{"*": {"method": "keep"},
	"customer.duo": {"method": "null"}, "customer.tags": {"method": "null"}, "customer.open": {"method": "null"}, "held.c": {"method": "null"}}')});
$text = slurp_file($file);
($status, $out, $error) = copy('held', $file);
is($status, 1, 'the row type of a table: refused');
like($error, qr/row type of a table/, 'and says so');
unchanged('row type');

# Arguments.
for my $wrong ([], ['night'], [ '--into', 'dbname=staging' ], [ '--into', 'dbname=staging', 'night', $file ], [ '--seed' ], [ '--no-such', 'night', $file ],
	[ '--format', 'tar', 'night', $file ], [ '--format', 'dump', '--into', 'dbname=staging', 'night' ], [ '--format', 'dump', '--as', 'x', 'night', $file ],
	[ 'no such policy', $file ], [ 'night', "$dir/no/file" ], [ 'night', $dir ])
{
	($status, $out, $error) = copy(@$wrong);
	is($status, 1, "wrong arguments: @$wrong");
	isnt($error, '', 'and says so');
}
unchanged('arguments');

# What not every version has: columns that are set to NULL.
if ($node->safe_psql('postgres', 'SHOW server_version_num') >= 150000)
{
	$node->safe_psql('postgres', q{
		CREATE SCHEMA pairs;
		CREATE TABLE pairs.a (x int, y int, PRIMARY KEY (x, y));
		CREATE TABLE pairs.b (id int PRIMARY KEY, x int NOT NULL, y int, FOREIGN KEY (x, y) REFERENCES pairs.a ON DELETE SET NULL (y));
		INSERT INTO pairs.a VALUES (1, 1);
		INSERT INTO pairs.b VALUES (1, 1, 1);
		SELECT sdc.copy_schema('pairs', 'pairs_copy', '{"*": {"method": "keep"}}');
		DELETE FROM pairs_copy.a});
	is($node->safe_psql('postgres', 'SELECT x, y IS NULL FROM pairs_copy.b'), '1|t', 'a key sets those columns to NULL that it does in the original');
}

SKIP:
{
	skip 'no virtual columns before 18', 1
	  if $node->safe_psql('postgres', 'SHOW server_version_num') < 180000;
	is( ask(q{
		CREATE SCHEMA virtual;
		CREATE TABLE virtual.a (id int PRIMARY KEY, n int, part int GENERATED ALWAYS AS (n + 1) VIRTUAL);
		INSERT INTO virtual.a SELECT i, i FROM generate_series(1, 20) AS i;
		SET client_min_messages = warning;
		DO $$ BEGIN PERFORM * FROM sdc.copy_schema('virtual', 'virtual_copy', '{"*": {"method": "keep"}, "a.n": {"method": "constant", "value": 7}}'); END $$;
		SELECT count(*) || ' ' || min(part) || ' ' || max(part) FROM virtual_copy.a}), '20 8 8', 'what is computed as it is read is computed of masked columns');
}

done_testing();
