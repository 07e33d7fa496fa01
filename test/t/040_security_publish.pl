# What is published is published as the owner of the policy, and nothing else
# is replaced or exported: a table or a view that somebody puts in the place of
# a release never runs its code with the rights of who releases or exports.
# Each attempt would make its author a superuser.

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
# it runs the code of an index as the owner of the table, after a minute or so
$node->append_conf('postgresql.conf', 'autovacuum = off');
$node->start;
local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;
local $ENV{PGDATABASE} = 'postgres';
my $dir = $node->basedir . '/out';
mkdir $dir or die "$dir: $!";

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

sub export
{
	my ($out, $error);

	IPC::Run::run([ 'bash', $export, @_ ], '<', \undef, '>', \$out, '2>', \$error);
	return ($? >> 8 || $? & 127, $error);
}

# eve owns the schema; curator the policy "plain"; chief is a member of
# curator's role; postgres, a superuser, the policy "super".
ask(q{
	CREATE EXTENSION sdc;
	CREATE ROLE eve LOGIN;
	CREATE ROLE curator LOGIN;
	CREATE ROLE chief LOGIN IN ROLE curator;
	CREATE SCHEMA eves AUTHORIZATION eve;
	GRANT CREATE, USAGE ON SCHEMA eves TO curator, chief;
	GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA sdc TO curator, chief;
	GRANT EXECUTE ON PROCEDURE sdc.release(text, text, bigint) TO curator, chief;
	CREATE SCHEMA data AUTHORIZATION curator;
	SET ROLE eve;
	CREATE FUNCTION eves.evil(a int) RETURNS int LANGUAGE plpgsql AS $$
	BEGIN
		BEGIN
			EXECUTE 'RESET ROLE';
		EXCEPTION WHEN OTHERS THEN
			NULL;
		END;
		EXECUTE 'ALTER ROLE eve SUPERUSER';
		RETURN a;
	EXCEPTION WHEN OTHERS THEN
		RETURN a;
	END $$;
	CREATE FUNCTION eves.evil_check(a int) RETURNS boolean LANGUAGE plpgsql AS
	$$ BEGIN PERFORM eves.evil(a); RETURN true; END $$;
	CREATE FUNCTION eves.evil_trigger() RETURNS trigger LANGUAGE plpgsql AS
	$$ BEGIN PERFORM eves.evil(1); RETURN NEW; END $$;
	CREATE FUNCTION eves.evil_fixed(a int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS
	$$ BEGIN RETURN eves.evil(a); END $$;
	CREATE DOMAIN eves.evil_domain AS int CHECK (eves.evil_check(VALUE));
	GRANT USAGE ON SCHEMA eves TO PUBLIC;
	RESET ROLE;
	SET ROLE curator;
	CREATE TABLE data.people AS SELECT i AS id, i % 5 AS a FROM generate_series(1, 100) AS i;
	SELECT sdc.declare('data.people', id => 'id', keys => '{a}');
	SELECT sdc.create_policy('plain', 'data.people', '{}',
		'[{"measure": "k_anonymity", ">=": 5}]',
		'{"schema": "eves", "table": "plain", "attacks": ["exact"]}');
	RESET ROLE;
	SELECT sdc.create_policy('super', 'data.people', '{}',
		'[{"measure": "k_anonymity", ">=": 5}]',
		'{"schema": "eves", "table": "super", "attacks": ["exact"]}')});

my $is_super = q{SELECT rolsuper FROM pg_roles WHERE rolname = 'eve'};

# Who releases: the owner of the policy, a member of his role, a superuser who
# takes his role as cron does, and a superuser by his own policy.
my %releaser = (
	'plain owner' => [ 'plain', 'SET SESSION AUTHORIZATION curator' ],
	'member of the role of the owner' =>
	  [ 'plain', 'SET SESSION AUTHORIZATION chief; SET ROLE curator' ],
	'superuser as the owner' => [ 'plain', 'SET ROLE curator' ],
	'superuser' => [ 'super', 'SELECT 1' ]);

# What eve, who owns the schema, puts in the place of the published table; %s
# is its name.
my @tables = (
	[ 'a CHECK constraint', q{CREATE TABLE %s (a int CHECK (eves.evil_check(a)))} ],
	[ 'a domain', q{CREATE TABLE %s (a eves.evil_domain)} ],
	[ 'an index with an expression',
		q{CREATE TABLE %s (a int); CREATE INDEX ON %s (eves.evil_fixed(a))} ],
	[ 'a generated column',
		q{CREATE TABLE %s (a int, b int GENERATED ALWAYS AS (eves.evil_fixed(a)) STORED)} ],
	[ 'a default', q{CREATE TABLE %s (a int, b int DEFAULT eves.evil(1))} ],
	[ 'a trigger', q{CREATE TABLE %s (a int); CREATE TRIGGER t BEFORE INSERT OR DELETE ON %s
		FOR EACH ROW EXECUTE FUNCTION eves.evil_trigger()} ],
	[ 'a rule', q{CREATE TABLE %s (a int);
		CREATE RULE r AS ON INSERT TO %s DO ALSO SELECT eves.evil(1)} ],
	[ 'a policy of row-level security', q{CREATE TABLE %s (a int);
		ALTER TABLE %s ENABLE ROW LEVEL SECURITY; ALTER TABLE %s FORCE ROW LEVEL SECURITY;
		CREATE POLICY p ON %s USING (eves.evil_check(a))} ],
	[ 'a partitioned table', q{CREATE TABLE %s (a int) PARTITION BY RANGE ((eves.evil_fixed(a)))} ],
	[ 'a view', q{CREATE VIEW %s AS SELECT eves.evil(1) AS a} ],
	[ 'a plain table', q{CREATE TABLE %s (a int)} ]);

foreach my $who (sort keys %releaser)
{
	my ($policy, $become) = @{ $releaser{$who} };
	my $name = "eves.$policy";
	my $release = "$become; CALL sdc.release('$policy')";

	is(try($release), '', "$who: the first release");
	is(try($release), '', "$who: and one in its place");
	foreach my $table (@tables)
	{
		my ($what, $sql) = @$table;
		my ($status, $said);

		$sql =~ s/%s/$name/g;
		# an owner of a schema may drop what is in it
		ask("SET ROLE eve; DROP TABLE $name; $sql;
			GRANT ALL ON $name TO curator, chief, postgres");
		($status, $said) = export($policy, $dir);
		isnt($status, 0, "$who, $what: nothing is exported");
		like($said, qr/nothing is exported/, "$who, $what: and it is said");
		isnt(try($release), '', "$who, $what: the release is refused");
		is(ask($is_super), 'f', "$who, $what: the code has not run");
		ask($what eq 'a view' ? "DROP VIEW $name" : "DROP TABLE $name");
		is(try($release), '', "$who, $what: the next release");
	}
	# the very table, given to another role, or changed
	my $owner = $policy eq 'plain' ? 'curator' : 'postgres';
	foreach my $change (
		"ALTER TABLE $name OWNER TO eve",
		"ALTER TABLE $name ADD CHECK (eves.evil_check(a))",
		"ALTER TABLE $name ADD COLUMN b int DEFAULT eves.evil(1)",
		"CREATE INDEX evil ON $name (eves.evil_fixed(a))",
		"ALTER TABLE $name ALTER a TYPE eves.evil_domain")
	{
		my ($status, $said);

		ask($change);
		ask('ALTER ROLE eve NOSUPERUSER');    # ALTER itself runs code
		($status, $said) = export($policy, $dir);
		isnt($status, 0, "$who, $change: nothing is exported");
		like(try($release), qr/owner|cannot be replaced/,
			"$who, $change: the release is refused");
		is(ask($is_super), 'f', "$who, $change: the code has not run");
		ask("DROP TABLE $name");
		is(try($release), '', "$who, $change: the next release");
	}
	ask("DROP TABLE $name");
}

# An event trigger whose function a plain role can replace.
ask(q{CREATE FUNCTION eves.evil_event() RETURNS event_trigger LANGUAGE plpgsql AS
	$$ BEGIN PERFORM eves.evil(1); END $$;
	ALTER FUNCTION eves.evil_event() OWNER TO eve;
	CREATE EVENT TRIGGER evil ON ddl_command_start EXECUTE FUNCTION eves.evil_event();
	ALTER ROLE eve NOSUPERUSER});
like(try(q{CALL sdc.release('super')}), qr/event trigger "evil" calls a function/,
	'a superuser does not fire the event trigger of another role');
is(try(q{SET SESSION AUTHORIZATION curator; CALL sdc.release('plain')}), '',
	'a plain role releases: it runs with his rights');
is(try(q{SET ROLE curator; CALL sdc.release('plain')}), '', 'so does cron');
is(ask($is_super), 'f', 'and eve has gained nothing');

# The counters of a budget belong to the owner of the extension.  Who has them
# made fires no event trigger with his rights: neither that of eve nor one of a
# superuser that calls by the search path of who makes something.
ask(q{ALTER EVENT TRIGGER evil DISABLE;
	GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA sdc TO eve;
	CREATE TABLE eves.asked (id int); ALTER TABLE eves.asked OWNER TO eve;
	CREATE FUNCTION eves.noted() RETURNS int LANGUAGE sql AS 'SELECT eves.evil(1)';
	ALTER FUNCTION eves.noted() OWNER TO eve;
	CREATE FUNCTION public.noting() RETURNS event_trigger LANGUAGE plpgsql AS
	$$ BEGIN PERFORM noted(); EXCEPTION WHEN undefined_function THEN NULL; END $$;
	CREATE EVENT TRIGGER noting ON ddl_command_end EXECUTE FUNCTION public.noting();
	ALTER EVENT TRIGGER evil ENABLE});
is(try(q{SET SESSION AUTHORIZATION eve; SET search_path = eves;
	SELECT sdc.create_dataset('asked', 'asked', epsilon => 1);
	SELECT sdc.grant_budget('asked', 'eve', 1);
	SELECT * FROM sdc.dp_query('asked', '{count}', 1)}), '', 'eve makes a data set');
is(ask($is_super), 'f', 'and has gained nothing');
ask('DROP EVENT TRIGGER noting; DROP EVENT TRIGGER evil');
is(try(q{CALL sdc.release('super')}), '', 'released');

# The view of a policy's owner in an export by a superuser (with a file as the
# proof: a read-only transaction does not stop COPY TO PROGRAM).
my $proof = $node->basedir . '/proof';
ask(qq{SET ROLE curator;
	CREATE FUNCTION data.evil(a int) RETURNS int LANGUAGE plpgsql AS \$\$
	BEGIN
		COPY (SELECT 1) TO PROGRAM 'cat >$proof';
		RETURN a;
	EXCEPTION WHEN insufficient_privilege THEN
		RETURN a;
	END \$\$;
	ALTER TABLE eves.plain RENAME TO plain_old;
	CREATE VIEW eves.plain AS SELECT data.evil(a) AS a FROM eves.plain_old});
my ($status, $said) = export('plain', $dir);
isnt($status, 0, 'a view in place of the table: not exported');
ok(!-e $proof, 'and no command has run');
($status, $said) = export('--format', 'dump', 'plain', $dir);
isnt($status, 0, 'nor dumped');
ok(!-e $proof, 'and no command has run');
ask(q{DROP VIEW eves.plain; ALTER TABLE eves.plain_old RENAME TO plain});
($status, $said) = export('plain', $dir);
is($status, 0, 'the very table again: exported') or diag $said;

# Rows that were changed, as many as before.
ask('UPDATE eves.plain SET a = -1 WHERE a = 4');
($status, $said) = export('plain', $dir);
isnt($status, 0, 'other rows than were released: not exported');
like($said, qr/does not have the rows that were released/, 'and why');
unlike(slurp_file("$dir/eves.plain.csv"), qr/-1/, 'the file of before is there');
is( ask(q{SELECT intact || ' ' || detail FROM sdc.releases('plain') AS r,
		sdc.verify_release(r.release) WHERE r.status = 'published'
		ORDER BY r.release DESC LIMIT 1}),
	'false It does not have the rows that were released.',
	'verify_release says the same');
ask('UPDATE eves.plain SET a = 4 WHERE a = -1');
($status, $said) = export('plain', $dir);
is($status, 0, 'the same rows in another order: exported');

# A history that was changed has not the signature of what it says.
ask(q{UPDATE sdc.release_history SET measures = jsonb_set(measures, '{0,gate}', '[]')
	WHERE policy = 'plain' AND status = 'published'});
($status, $said) = export('plain', $dir);
isnt($status, 0, 'figures that were changed: not exported');
like($said, qr/history of the release was changed/, 'and why');

# Names: nobody can guess those of staging, and a long one is not cut.
like(try(q{SET ROLE curator; CALL sdc.release('plain', target => 'eves.} . 'n' x 64 . q{')}),
	qr/name of the published table is too long/, 'a name of 64 bytes is refused');
ask(q{CREATE TABLE seen (name text);
	CREATE FUNCTION note_table() RETURNS event_trigger LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO public.seen SELECT object_identity FROM pg_event_trigger_ddl_commands();
	END $$;
	GRANT INSERT ON seen TO PUBLIC;
	CREATE EVENT TRIGGER note ON ddl_command_end WHEN TAG IN ('CREATE TABLE AS')
	EXECUTE FUNCTION note_table();
	CALL sdc.release('super'); CALL sdc.release('super')});
is( ask(q{SELECT count(DISTINCT substr(name, 1, 49)) || ' '
		|| bool_and(name ~ '^eves.sdc_staging_[0-9a-f]{32}(_[a-z0-9]+)?$') FROM seen}),
	'2 true', 'staging tables, and those beside them, have random names');
ask('DROP EVENT TRIGGER note');

# Formulas of a spreadsheet.
ask(q{CREATE TABLE data.notes AS SELECT i AS id, -1 AS n, i % 2 AS "=cmd",
		(ARRAY['=HYPERLINK(1)', '+1', '-1', '@SUM(1)', E'\t=1', 'plain', NULL])[1 + i % 7] AS note
	FROM generate_series(1, 70) AS i;
	SELECT sdc.declare('data.notes', id => 'id', insensitive => '{note,n}', keys => '{"=cmd"}');
	SELECT sdc.create_policy('notes', 'data.notes', '{}', '[{"measure": "k_anonymity", ">=": 5}]',
		'{"schema": "data", "table": "noted", "attacks": ["exact"]}');
	CALL sdc.release('notes')});
($status, $said) = export('--guard', 'notes', $dir);
is($status, 0, 'exported with --guard') or diag $said;
my $csv = slurp_file("$dir/data.noted.csv");
like($csv, qr/^n,'=cmd,note\n/, 'the header is guarded');
unlike($csv, qr/,"?[=+@\t-]/, 'no text is a formula');
is(() = $csv =~ /^-1,\d,"?'[=+\@\t-]/mg, 50, 'numbers are as they are');
like($csv, qr/,plain$/m, 'other text is as it is');
($status) = export('notes', $dir);
like(slurp_file("$dir/data.noted.csv"), qr/,=HYPERLINK/, 'not without it');

# Looking for formulas is no cast: one to text is a function of the owner of
# the type, who would take back what SET ROLE gave away.
ask(q{CREATE ROLE mallory LOGIN;
	GRANT EXECUTE ON ALL ROUTINES IN SCHEMA sdc TO mallory;
	CREATE SCHEMA mal AUTHORIZATION mallory;
	CREATE SEQUENCE public.runs;
	GRANT USAGE ON public.runs TO PUBLIC;
	SET SESSION AUTHORIZATION mallory;
	CREATE TYPE mal.mood AS ENUM ('low', '=high');
	CREATE TABLE mal.people AS SELECT i AS id, i % 5 AS age,
		('{low,=high}'::mal.mood[])[1 + i % 2] AS mood
	FROM generate_series(1, 100) AS i;
	CREATE FUNCTION mal.evil(mal.mood) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM nextval('public.runs');
		EXECUTE 'RESET ROLE';
		RAISE WARNING 'EVIL runs as %', current_user;
		RETURN 'low';
	END $$;
	CREATE CAST (mal.mood AS text) WITH FUNCTION mal.evil(mal.mood);
	SELECT sdc.declare('mal.people', id => 'id', keys => 'age', insensitive => 'mood');
	SELECT sdc.create_policy('moods', 'mal.people', '{"age,mood": {"method": "keep"}}',
		'[{"measure": "k_anonymity", ">=": 2}]', '{"schema": "mal", "table": "out", "attacks": []}');
	CALL sdc.release('moods')});
foreach my $option ([], ['--guard'], ['--format', 'dump'])
{
	($status, $said) = export(@$option, 'moods', $dir);
	is($status, 0, "@$option: a table with a type of its owner is exported") or diag $said;
	unlike($said, qr/EVIL/, "@$option: his cast is not run");
	is(ask('SELECT is_called FROM public.runs'), 'f', "@$option: nor silently");
	next if !@$option || $option->[0] ne '--guard';
	$csv = slurp_file("$dir/mal.out.csv");
	like($csv, qr/^\d,'=high$/m, 'its values are guarded');
}

$node->stop;
done_testing();
