# The rest of the audit: whose rights a view gets, how much memory a plain role
# takes, who sees what was declared, what a policy says of each table, and what
# messages give away.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'), 'new');
$node->init;
$node->start;

sub ask
{
	return $node->safe_psql('postgres', $_[0]);
}

# Runs a statement that may fail; returns what was said.
sub try
{
	my ($code, $out, $error) = $node->psql('postgres', $_[0]);

	return $error;
}

ask(q{
	CREATE EXTENSION sdc;
	CREATE ROLE eve LOGIN;
	CREATE ROLE plain LOGIN;
	CREATE SCHEMA eves AUTHORIZATION eve;
	GRANT USAGE ON SCHEMA eves TO PUBLIC;
	SET ROLE eve;
	CREATE TABLE eves.t AS
		SELECT i AS id, i % 7 AS age, i % 3 AS ward, i % 2 AS disease
		FROM generate_series(1, 60) AS i;
	CREATE FUNCTION eves.evil(a int) RETURNS int LANGUAGE plpgsql AS $$
	BEGIN
		IF current_setting('is_superuser') = 'on' THEN
			EXECUTE 'ALTER ROLE eve SUPERUSER';
		END IF;
		RETURN a;
	END $$;
	CREATE VIEW eves.v AS SELECT id, eves.evil(age) AS age, ward, disease
		FROM eves.t;
	RESET ROLE;
	CREATE VIEW mine AS SELECT * FROM eves.t;
	CREATE VIEW over AS SELECT * FROM eves.v});

# A view is not read with a superuser's rights.
for my $view ('eves.v', 'over')
{
	for my $call (
		"sdc.risk_report('$view', '{age,ward}', '{disease}')",
		"sdc.recode_locally('$view', 'public.o', 'id', '{age,ward}')",
		"sdc.suppress('$view', 'public.o', 'id', '{age,ward}')",
		"sdc.suggest('$view')")
	{
		like(try("SELECT * FROM $call"),
			qr/is not read with the rights of a superuser/, $call);
	}
}
is(ask(q{SELECT rolsuper FROM pg_roles WHERE rolname = 'eve'}),
	'f', 'nothing of the view ran as a superuser');
isnt(ask(q{SELECT count(*) FROM sdc.suggest('mine')}),
	'0', 'a view of his own is read');
isnt(ask(q{SET ROLE eve; SELECT count(*) FROM sdc.suggest('eves.v')}),
	'0', 'and any view by who is no superuser');
like(try(q{LOAD '$libdir/sdc'; SET ROLE eve; SET sdc.allow_views = on}),
	qr/permission denied/, 'who is none does not allow it');
ask(q{CREATE VIEW eves.w AS SELECT * FROM eves.t;
	ALTER VIEW eves.w OWNER TO eve});
isnt(ask(q{SET sdc.allow_views = on; SELECT count(*) FROM sdc.suggest('eves.w')}),
	'0', 'a superuser may allow it');

# Nor is a table whose indexes, constraints or statistics call functions of
# somebody else: the planner works out calls of constants in them.
ask(q{
	SET ROLE eve;
	CREATE FUNCTION eves.pay(a int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
	BEGIN
		IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
			RAISE EXCEPTION 'eve runs as a superuser';
		END IF;
		RETURN a;
	END $$;
	CREATE OPERATOR eves.@#@ (FUNCTION = eves.pay, RIGHTARG = int);
	CREATE FUNCTION eves.make(name text, code text) RETURNS void
	LANGUAGE plpgsql AS $$BEGIN
		EXECUTE format('CREATE TABLE eves.%I AS SELECT * FROM eves.t', name);
		EXECUTE format(code, name);
	END$$;
	SELECT eves.make('indexed', 'CREATE INDEX ON eves.%I ((age + eves.pay(1)))'),
		eves.make('partial', 'CREATE INDEX ON eves.%I (age) WHERE age > eves.pay(1)'),
		eves.make('checked', 'ALTER TABLE eves.%I ADD CHECK (age > -eves.pay(1))'),
		eves.make('operated', 'CREATE INDEX ON eves.%I ((age - OPERATOR(eves.@#@) 1))'),
		eves.make('harmless', 'CREATE INDEX ON eves.%I ((age + 1))');
	CREATE TABLE eves.parted (LIKE eves.t) PARTITION BY RANGE ((age + eves.pay(1)));
	CREATE TABLE eves.part PARTITION OF eves.parted DEFAULT;
	SELECT eves.make('a_part', 'CREATE INDEX ON eves.%I ((age + eves.pay(1)))');
	CREATE TABLE eves.whole (LIKE eves.t) PARTITION BY LIST (ward);
	ALTER TABLE eves.whole ATTACH PARTITION eves.a_part DEFAULT;
	RESET ROLE;
	CREATE VIEW above AS SELECT * FROM eves.indexed;
	ALTER TABLE eves.whole OWNER TO CURRENT_USER});
my @code = qw(eves.indexed eves.partial eves.checked eves.operated eves.parted
  above eves.whole);
if (ask('SHOW server_version_num') >= 140000)
{
	ask(q{SET ROLE eve;
		SELECT eves.make('counted',
			'CREATE STATISTICS eves.counts ON (age + eves.pay(1)), (age + 2) FROM eves.%I')});
	push @code, 'eves.counted';
}
for my $table (@code)
{
	for my $call ("sdc.risk_report('$table', '{age,ward}', '{disease}')",
		"sdc.suggest('$table')",
		"sdc.sample_rows('$table', 'public.o', p => 50)",
		"sdc.suppress('$table', 'public.o', 'id', '{age,ward}')",
		qq{sdc.mask('$table', '{"age": {"method": "shuffle"}}', 'public.o')})
	{
		like(
			try("SET constraint_exclusion = on; SELECT * FROM $call"),
			qr/is not read with the rights of a superuser/, $call);
	}
}
unlike(
	try(q{SET ROLE eve; SELECT * FROM sdc.suggest('eves.indexed')}),
	qr/ERROR/, 'its owner reads it');
unlike(
	try(q{SELECT * FROM sdc.suggest('eves.harmless')}),
	qr/ERROR/, 'functions of PostgreSQL are no reason');
like(
	try(q{SET sdc.allow_views = on; SELECT * FROM sdc.suggest('eves.indexed')}),
	qr/eve runs as a superuser/,
	'a superuser may allow it, and then it does run');
unlike(
	try(q{SELECT * FROM sdc.mask('eves.indexed',
		'{"age": {"method": "rank_swap", "p": 20}}')}),
	qr/ERROR/, 'a mask in place runs as the owner');
unlike(
	try(q{SELECT sdc.create_dataset('eve', 'eves.partial', epsilon => 10),
			sdc.grant_budget('eve', current_user::regrole, 10);
		SELECT * FROM sdc.dp_query('eve', '{count}', 1, predicate => 'age > 1')}),
	qr/ERROR/, 'and so does a request under differential privacy');
like(
	try(q{SELECT sdc.create_policy('eve', 'eves.indexed',
			'{"age": {"method": "rank_swap", "p": 20}}', '[]', '{"attacks": []}');
		CALL sdc.release('eve', 'public.of_eve')}),
	qr/is not read with the rights of a superuser/, 'a release');
# as long as it is read, nobody adds one
like(
	ask(q{BEGIN; SELECT count(*) FROM sdc.suggest('eves.harmless');
		SELECT mode FROM pg_locks WHERE relation = 'eves.harmless'::regclass}),
	qr/ShareUpdateExclusiveLock/, 'indexes wait while it is read');

# A request under differential privacy has the rights of the owner of the table.
# Who owns a part of it does not get them by a function in an index: PostgreSQL
# works out its call of a constant when a request is planned.
ask(q{CREATE TABLE whole (id int, x int) PARTITION BY RANGE (id);
	CREATE ROLE parts_owner; CREATE ROLE parts_asker; CREATE SCHEMA parts AUTHORIZATION parts_owner;
	SET ROLE parts_owner;
	CREATE TABLE parts.first AS SELECT i AS id, i AS x FROM generate_series(1, 50) AS i;
	CREATE FUNCTION parts.become() RETURNS int LANGUAGE plpgsql AS
		'BEGIN ALTER ROLE parts_owner SUPERUSER; RETURN 1; EXCEPTION WHEN OTHERS THEN RETURN 1; END';
	CREATE FUNCTION parts.one(i int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS
		'BEGIN RETURN parts.become(); END';
	RESET ROLE;
	ALTER TABLE whole ATTACH PARTITION parts.first FOR VALUES FROM (0) TO (100);
	SELECT sdc.create_dataset('whole', 'whole', epsilon => 10);
	SELECT sdc.grant_budget('whole', 'parts_asker', 10);
	SET ROLE parts_owner;
	CREATE INDEX ON parts.first ((id + parts.one(1)))});
like(try(q{SET ROLE parts_asker; SELECT sdc.dp_query('whole', '{count}', 1)}),
	qr/"whole" has a part of another owner/, 'a part of another owner is not asked');
is(ask(q{SELECT rolsuper FROM pg_roles WHERE rolname = 'parts_owner'}), 'f',
	'and he has gained nothing');
ask('ALTER TABLE parts.first OWNER TO CURRENT_USER');
is(try(q{SET ROLE parts_asker; SELECT sdc.dp_query('whole', '{count}', 1)}), '',
	'with one owner it is');
ask('DROP TABLE whole');

# Nor does a gate that looks at tables of cells which were made without a policy.
ask(q{ALTER ROLE parts_owner NOSUPERUSER;
	CREATE TABLE cells (x text, x_parent text, value numeric, status text) PARTITION BY LIST (x);
	GRANT SELECT ON cells TO parts_asker;
	SET ROLE parts_owner;
	CREATE TABLE parts.cells (x text, x_parent text, value numeric, status text);
	RESET ROLE;
	ALTER TABLE cells ATTACH PARTITION parts.cells DEFAULT;
	SET ROLE parts_owner;
	CREATE INDEX ON parts.cells ((value + parts.one(1)));
	RESET ROLE;
	CREATE TABLE counted AS SELECT 'k' || i % 5 AS x FROM generate_series(1, 50) AS i;
	SELECT sdc.create_policy('counted', 'counted', '{}', '[{"table": "exact", "<=": 0}]',
		'{"protect": {"keys": ["x"]}}')});
like(try(q{CALL sdc.release('counted', 'public.counted_open')}),
	qr/"cells" is not read with the rights of a superuser/,
	'a table of cells with a part of another owner is not read by a gate');
is(ask(q{SELECT rolsuper FROM pg_roles WHERE rolname = 'parts_owner'}), 'f',
	'and he has gained nothing');
ask('DROP TABLE cells');

# Nor a foreign table: its owner says which server is asked, and as whom.  As
# the user who runs this server, without a password, his own functions would be
# run by a superuser there.
my $libraries = `$ENV{PG_CONFIG} --pkglibdir`;
chomp $libraries;
SKIP:
{
	skip 'no postgres_fdw', 6 unless -e "$libraries/postgres_fdw.so";
	my ($host, $port) = ($node->host, $node->port);
	my $me = ask('SELECT current_user');

	ask(qq{CREATE EXTENSION postgres_fdw;
		GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO eve;
		SET ROLE eve;
		CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw
			OPTIONS (host '$host', port '$port', dbname 'postgres');
		CREATE USER MAPPING FOR "$me" SERVER here OPTIONS (user '$me');
		CREATE FOREIGN TABLE eves.far (id int, age int, ward int, disease int)
			SERVER here OPTIONS (table_name 'v');
		RESET ROLE;
		CREATE VIEW above_far AS SELECT * FROM eves.far;
		CREATE FOREIGN TABLE his_server (id int, age int, ward int, disease int)
			SERVER here OPTIONS (schema_name 'eves', table_name 'v');});
	for my $table ('eves.far', 'above_far', 'his_server')
	{
		like(try("SELECT * FROM $_"),
			qr/is not read with the rights of a superuser/, $_)
		  for "sdc.suggest('$table')",
		  "sdc.risk_report('$table', '{age,ward}', '{disease}')";
	}
}
is(ask(q{SELECT rolsuper FROM pg_roles WHERE rolname = 'eve'}),
	'f', 'and nothing of it ran there as a superuser');

# The copy of a schema is checked by who owns it, and not where somebody else
# has put something in its place.
ask(q{
	GRANT CREATE ON DATABASE postgres TO eve;
	CREATE SCHEMA shop;
	CREATE TABLE shop.customer AS SELECT i AS id, 'p' || i || '@x.org' AS email
		FROM generate_series(1, 40) AS i;
	SELECT sdc.declare('shop.customer', 'id', identifiers => '{email}');
	SET ROLE eve;
	CREATE SCHEMA shop_copy;
	GRANT USAGE ON SCHEMA shop_copy TO PUBLIC;
	CREATE TYPE eves.pair AS (a text, b text);
	CREATE FUNCTION eves.show(eves.pair) RETURNS text LANGUAGE plpgsql AS
		$$BEGIN PERFORM eves.evil(1); RETURN 'shown'; END$$;
	CREATE CAST (eves.pair AS text) WITH FUNCTION eves.show(eves.pair)});
for my $copy (
	q{CREATE VIEW shop_copy.customer AS SELECT eves.evil(1) AS id, 'abcdef' AS email},
	q{CREATE TABLE shop_copy.customer AS SELECT 1 AS id, ROW('a', 'b')::eves.pair AS email},
	q{CREATE TABLE shop_copy.customer (id int, email text);
		CREATE INDEX ON shop_copy.customer ((id + eves.pay(1)));
		INSERT INTO shop_copy.customer SELECT i, i FROM generate_series(1, 9) AS i})
{
	ask("SET ROLE eve; $copy");
	like(try(q{SELECT * FROM sdc.check_copy('shop', 'shop_copy')}),
		qr/cannot be copied|is not read|is not a table/, $copy);
	ask(q{SET ROLE eve; DROP SCHEMA shop_copy CASCADE; CREATE SCHEMA shop_copy;
		GRANT USAGE ON SCHEMA shop_copy TO PUBLIC});
}
ask(q{CREATE SCHEMA own_copy;
	CREATE VIEW own_copy.customer AS SELECT 1 AS id, 'abcdef' AS email});
like(try(q{SELECT * FROM sdc.check_copy('shop', 'own_copy')}),
	qr/"customer" is not a table/, 'a view is no copy');
ask(q{SET ROLE eve;
	CREATE DOMAIN eves.positive AS int CHECK (eves.evil(VALUE) > 0);
	GRANT USAGE ON TYPE eves.positive TO PUBLIC;
	RESET ROLE;
	CREATE DOMAIN below AS eves.positive;
	CREATE SCHEMA other;
	CREATE TABLE other.t (id int, n below)});
like(try(q{SELECT * FROM sdc.plan_copy('other')}),
	qr/Type "eves.positive" belongs to another role/,
	'a domain of a domain of somebody else');
is(ask(q{SELECT rolsuper FROM pg_roles WHERE rolname = 'eve'}),
	'f', 'and nothing of it ran as a superuser');

# Memory above the ceiling is a superuser's to give.
like(try(q{LOAD '$libdir/sdc'; SET ROLE plain; SET sdc.memory_limit = '64GB'}),
	qr/permission denied to set sdc.memory_limit above/, 'not by a plain role');
like(try(q{SET ROLE plain; SET sdc.memory_limit = '64GB';
	SELECT sdc.rank_swap(1, 5) OVER (); SHOW sdc.memory_limit}),
	qr/permission denied to set sdc.memory_limit above/,
	'nor before the library is loaded');
like(try(q{LOAD '$libdir/sdc'; SET ROLE plain; SET sdc.memory_ceiling = '64GB'}),
	qr/permission denied/, 'nor the ceiling');
is(ask(q{LOAD '$libdir/sdc'; SET ROLE plain; SET sdc.memory_limit = '512MB';
	SHOW sdc.memory_limit}), '512MB', 'less is his own');
is(ask(q{LOAD '$libdir/sdc'; SET sdc.memory_limit = '64GB'; SHOW sdc.memory_limit}),
	'64GB', 'a superuser sets any');
ask(q{ALTER ROLE plain SET sdc.memory_limit = '2GB'});
is($node->safe_psql('postgres',
		q{SELECT sdc.rank_swap(1, 5) OVER () = 1; SHOW sdc.memory_limit},
		extra_params => [ '-U', 'plain' ]),
	"t\n2GB", 'and may set it for a role');

# What was declared is told to who may read.
ask(q{SELECT sdc.declare('eves.t', id => 'id', keys => '{age,ward}',
	sensitive => '{disease}', nulls => 'ignore');
	CREATE TABLE public.open AS SELECT i AS id, i % 3 AS age FROM generate_series(1, 30) AS i;
	GRANT SELECT ON public.open TO PUBLIC});
for my $call (q{sdc.declared('eves.t')}, q{sdc.declared_nulls('eves.t')},
	q{sdc.suggest('eves.t', '{"values": "skip"}')},
	q{sdc.synthesize('public.open', 'pg_temp.made', 'age', '{"like": "eves.t"}')},
	'sdc.role', 'sdc.null_meaning')
{
	like(try("SET ROLE plain; SELECT * FROM $call"),
		qr/permission denied for table/, "$call is not for all");
}
ask(q{GRANT SELECT (ward) ON eves.t TO plain});
is(ask(q{SET ROLE plain; SELECT count(*) FROM sdc.declared('eves.t')}),
	'4', 'who reads a column sees the roles');
is(ask(q{SET ROLE eve; SELECT sdc.declared_nulls('eves.t')}),
	'ignore', 'and so does the owner');
is(ask(q{SET ROLE eve; SELECT min(value) > 0
	FROM sdc.risk_report('eves.t') WHERE measure = 'records'}),
	't', 'who takes the columns from the declaration');

# A table of a policy without constraints is named, or said to be harmless.
ask(q{
	CREATE SCHEMA out;
	CREATE TABLE person AS SELECT i AS id, i % 5 AS age, i % 2 AS ill
		FROM generate_series(1, 100) AS i;
	CREATE TABLE code AS SELECT i AS ill, 'word ' || i AS word
		FROM generate_series(0, 1) AS i;
	SELECT sdc.declare('person', id => 'id', keys => '{age}', sensitive => '{ill}');
	SELECT sdc.declare('code', insensitive => '{ill,word}');
	SELECT sdc.create_policy('two', 'person', '{"age": {"method": "shuffle"}}',
		'[{"measure": "k_anonymity", ">=": 2}]', '{"schema": "out"}');
	SELECT sdc.create_policy('two', 'code', '{}', '[]',
		'{"schema": "out"}')});
like(try(q{CALL sdc.release('two')}),
	qr/relation "code" of policy "two" has no constraint/,
	'a table without constraints');
ask(q{SELECT sdc.create_policy('two', 'code', '{}', '[]',
	'{"schema": "out", "attacks": []}')});
ask(q{CALL sdc.release('two')});
is(ask(q{SELECT count(*) FROM out.code}), '2', 'unless nothing is attacked');

# Figures of the report: pseudonyms are no loss, money moves as numbers do, a
# generated column that is withheld is said to be, and the headline is of the
# table that the strongest attack is on.
ask(q{
	CREATE TABLE customer AS SELECT i AS id, 'p' || i AS name, i % 9 AS age,
		(1000 + i)::money AS balance, i AS salary
		FROM generate_series(1, 400) AS i;
	ALTER TABLE customer ADD net numeric GENERATED ALWAYS AS (salary * 2) STORED;
	CREATE TABLE ticket AS SELECT i AS id, i % 400 + 1 AS customer,
		i % 3 AS topic FROM generate_series(1, 600) AS i;
	SELECT sdc.declare('customer', id => 'id', identifiers => '{name}',
		keys => '{age,salary}', insensitive => '{balance,net}');
	SELECT sdc.declare('ticket', id => 'id', keys => '{topic}',
		insensitive => '{customer}');
	SELECT sdc.create_policy('crm', 'customer', '{
		"name": {"method": "pseudonym", "domain": "p"},
		"balance": {"method": "rank_swap", "p": 1},
		"salary": {"method": "rank_swap", "p": 1}}',
		'[{"measure": "k_anonymity", ">=": 1}]',
		'{"schema": "out", "attacks": ["distance"]}');
	SELECT sdc.create_policy('crm', 'ticket', '{
		"topic": {"method": "shuffle"},
		"customer": {"method": "pseudonym", "domain": "c", "format": "digits"}}',
		'[{"measure": "k_anonymity", ">=": 1}]',
		'{"schema": "out", "attacks": ["distance"]}')});
ask(q{CALL sdc.release('crm')});
my $lines = q{FROM sdc.release_history AS h,
	jsonb_array_elements(h.measures) AS t,
	jsonb_array_elements(t -> 'utility') AS l
	WHERE h.policy = 'crm' AND l ->> 'measure' = 'value_change'};
is(ask("SELECT string_agg(l ->> 'subject', ' ' ORDER BY l ->> 'subject') $lines"),
	'age all columns all columns balance salary topic',
	'neither pseudonyms nor what is withheld are losses');
is(ask("SELECT (l ->> 'value')::float8 < 0.05 $lines
	AND l ->> 'subject' = 'balance'"), 't', 'money moves as numbers do');
my $report = ask(q{SELECT sdc.report((SELECT max(release) FROM sdc.release_history))});
like($report, qr/net\W+numeric\W+withheld/, 'a generated column is withheld');
like($report, qr/\(distance on table public\.customer\)/, 'the headline names its table');
is(ask(q{SELECT count(net) FROM out.customer}), '0', 'and so it is');

# Types without equality are named when roles are given.
ask(q{CREATE TABLE place (id int, age int, location circle, doc json, x xml)});
like(try(qq{SELECT sdc.declare('place', id => 'id', $_)}),
	qr/column "(location|doc|x)" of relation "place" cannot have the role/,
	"declare: $_")
  for q{keys => '{age,location}'}, q{sensitive => '{doc}'}, q{strata => '{x}'};
is(ask(q{SELECT string_agg(role, ' ') FROM sdc.suggest('place')
	WHERE column_name IN ('location', 'doc', 'x')}),
	'identifier identifier identifier', 'suggest gives them a role they can have');

for my $call (q{sdc.risk_report('place', '{age,location}')},
	q{sdc.table_distance('place', 'place', '{age,doc}')})
{
	$_ = try("SELECT * FROM $call");
	like($_, qr/column "(location|doc)".* cannot be counted/, "$call names it");
	unlike($_, qr/QUERY|SELECT r\./, 'and shows no query');
}
unlike(try(q{SELECT sdc.utility_report('place', 'place', 'id')}), qr/ERROR/,
	'beside the keys they are compared as texts');

# A column that determines a masked key is not left beside it by mask.
ask(q{
	CREATE TABLE town AS SELECT i AS id, 'z' || i % 10 AS zip,
		'Z' || i % 10 AS place, i % 3 AS ward FROM generate_series(1, 100) AS i;
	SELECT sdc.declare('town', id => 'id', keys => '{zip}', sensitive => '{ward}')});
for my $target (q{target => 'out.town'}, q{target => 'out.town', dry_run => true},
	'dry_run => true', 'target => NULL')
{
	like(try(qq{SELECT sdc.mask('town', '{"zip": {"method": "shuffle"}}', $target)}),
		qr/column "place" of relation "town" gives away the key "zip"/,
		"mask, $target");
}
ask(q{SELECT sdc.mask('town', '{"zip": {"method": "shuffle"},
	"place": {"method": "keep"}}', target => 'out.town')});
is(ask('SELECT count(*) FROM out.town'), '100', 'unless a rule keeps it');

# An error of a value says where it was, and nothing of the value or of the
# statement.
ask(q{CREATE TABLE small (id int, a smallint, b text);
	INSERT INTO small VALUES (1, 32767, 'secret'), (2, 32766, 'secret')});
my $error = try(q{SELECT sdc.mask('small', '{"a": {"method": "round_to",
	"base": 1000}}', target => 'out.small')});
like($error, qr/CONTEXT:.*column "a" by rule "round_to"/,
	'an error names the column and the rule');
unlike($error, qr/3276|secret|SELECT (?!sdc\.mask)/, 'and nothing else');

done_testing();
