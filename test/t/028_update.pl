# ALTER EXTENSION sdc UPDATE leads to the same objects, rights and comments as
# CREATE EXTENSION; it keeps all that is stored, what administrators have
# granted and what depends on sdc, or names it and does nothing.
#
# The script of 0.1.0 is in sql/updates, and data/filled-0.1.0.sql is a database
# that 0.1.0 itself has filled.  What the real update does not happen to need
# is tried with a version that never was: this one, changed.

use strict;
use warnings;

use File::Find;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Where the mirror of this run has the scripts of extensions, and the library.
my ($directory, $library);
find(
	sub {
		$directory = $File::Find::dir if $_ eq 'sdc.control';
		$library = $File::Find::name if $_ eq 'sdc.so';
	},
	"$ENV{SDC_TEMPORARY}/pg");
plan skip_all => "$directory is not to be written to" unless -w $directory;

my ($version) =
  slurp_file("$directory/sdc.control") =~ /default_version = '([^']+)'/;
my $script = slurp_file("$directory/sdc--$version.sql");
my $old_script = slurp_file('updates/0.1.0.sql');
my @written;

sub write_script
{
	my ($name, $text) = @_;

	open my $file, '>', "$directory/$name" or die "cannot write $name: $!\n";
	print $file $text;
	close $file;
	push @written, "$directory/$name";
}

# An old script runs beside the new library: a function whose symbol is gone
# gets another one.  It is not called.
my %symbols = map { $_ => 1 } slurp_file($library) =~ /\b(sdcf_\w+)\b/g;
my ($any) = $script =~ /'MODULE_PATHNAME', '(\w+)'/;

$old_script =~ s/'(sdcf_\w+)'/"'" . ($symbols{$1} ? $1 : $any) . "'"/ge;
write_script('sdc--0.1.0.sql', $old_script);
ok(-f "$directory/sdc--0.1.0--$version.sql", 'there is an update from 0.1.0');

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
my @server = ('-h', $node->host, '-p', $node->port);

sub ask
{
	my ($database, $query) = @_;

	return $node->safe_psql($database, $query);
}

# What the extension consists of, line by line.
sub objects
{
	my ($database) = @_;

	return split /\n/, ask(
		$database, q{
	SET search_path = '';
	WITH member AS (
		SELECT classid, objid
		FROM pg_depend
		WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sdc'))
	SELECT 'object ' || pg_describe_object(classid, objid, 0) || ': ' ||
		coalesce(obj_description(objid, classid::regclass::name), 'no comment')
	FROM member
	UNION ALL
	SELECT 'rights ' || pg_describe_object(m.classid, m.objid, 0) || ': ' ||
		coalesce((
			SELECT string_agg(r::text, ' ' ORDER BY r::text)
			FROM aclexplode(coalesce(p.proacl, c.relacl, t.typacl, n.nspacl, usual)) AS r), '')
		|| ' at first ' || coalesce((
			SELECT string_agg(r::text, ' ' ORDER BY r::text)
			FROM aclexplode(coalesce(i.initprivs, usual)) AS r), '')
	FROM member AS m
	LEFT JOIN pg_proc AS p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
	LEFT JOIN pg_class AS c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
	LEFT JOIN pg_type AS t ON m.classid = 'pg_type'::regclass AND t.oid = m.objid
	LEFT JOIN pg_namespace AS n ON m.classid = 'pg_namespace'::regclass AND n.oid = m.objid
	LEFT JOIN pg_init_privs AS i ON i.classoid = m.classid AND i.objoid = m.objid
		AND i.objsubid = 0
	CROSS JOIN LATERAL (SELECT CASE
		WHEN p.oid IS NOT NULL THEN acldefault('f', p.proowner)
		WHEN c.relkind = 'S' THEN acldefault('s', c.relowner)
		WHEN c.oid IS NOT NULL THEN acldefault('r', c.relowner)
		WHEN t.oid IS NOT NULL THEN acldefault('T', t.typowner)
		WHEN n.oid IS NOT NULL THEN acldefault('n', n.nspowner) END) AS u(usual)
	UNION ALL
	SELECT CASE WHEN p.prokind = 'a' THEN 'aggregate ' || p.oid::regprocedure ||
			(SELECT concat_ws(' ', aggkind, aggnumdirectargs, aggtransfn, aggfinalfn,
				aggcombinefn, aggserialfn, aggdeserialfn, aggfinalextra, aggfinalmodify,
				aggsortop, aggtranstype::regtype, aggtransspace, agginitval,
				p.proargnames, p.proparallel, p.prorettype::regtype)
			FROM pg_aggregate WHERE aggfnoid = p.oid)
		ELSE pg_get_functiondef(p.oid) END
	FROM member JOIN pg_proc AS p ON p.oid = objid
	WHERE classid = 'pg_proc'::regclass
	UNION ALL
	SELECT 'column ' || c.oid::regclass || '.' || attname || ' ' ||
		format_type(atttypid, atttypmod) || ' ' || attnotnull || ' ' ||
		coalesce(pg_get_expr(adbin, adrelid), '') || ' ' || coalesce(attacl::text, '')
		|| ' ' || row_number() OVER (PARTITION BY c.oid ORDER BY attnum) || ' ' ||
		coalesce(col_description(attrelid, attnum), '')
	FROM member
	LEFT JOIN pg_type AS t ON classid = 'pg_type'::regclass AND t.oid = objid
	JOIN pg_class AS c ON c.oid = typrelid
		OR classid = 'pg_class'::regclass AND c.oid = objid
	JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped
	LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
	UNION ALL
	-- from 18 on NOT NULL has a name, which the rename of a column leaves
	SELECT 'constraint ' || conrelid::regclass || ' ' ||
		CASE WHEN contype = 'n' THEN '' ELSE conname::text END || ' ' ||
		pg_get_constraintdef(c.oid)
	FROM member JOIN pg_constraint AS c ON conrelid = objid
	WHERE classid = 'pg_class'::regclass
	UNION ALL
	SELECT 'index ' || pg_get_indexdef(indexrelid)
	FROM member JOIN pg_index ON indrelid = objid
	WHERE classid = 'pg_class'::regclass
	UNION ALL
	SELECT 'view ' || oid::regclass || ' ' || coalesce(reloptions::text, '') || ' ' ||
		pg_get_viewdef(oid)
	FROM member JOIN pg_class ON oid = objid
	WHERE classid = 'pg_class'::regclass AND relkind = 'v'
	UNION ALL
	SELECT 'dumped ' || d.oid::regclass || ' ' || condition
	FROM pg_extension, unnest(extconfig, extcondition) AS d(oid, condition)
	WHERE extname = 'sdc'
	ORDER BY 1});
}

# Compares, and shows what only one of them has.
sub same_objects
{
	my ($database, $name) = @_;
	my @here = objects($database);
	my @fresh = objects('fresh');
	my %fresh = map { $_ => 1 } @fresh;
	my %here = map { $_ => 1 } @here;

	is(join("\n", grep { !$fresh{$_} } @here), '', "$name: nothing else");
	is(join("\n", grep { !$here{$_} } @fresh), '', "$name: nothing is missing");
	is(scalar(@here), scalar(@fresh), "$name: nothing is there twice");
	is(ask($database, q{SELECT extversion FROM pg_extension WHERE extname = 'sdc'}),
		$version, "$name: of the new version");
}

ask('postgres', "CREATE DATABASE $_") foreach qw(fresh plain filled invented);
ask('fresh', 'CREATE EXTENSION sdc');
cmp_ok(scalar(objects('fresh')), '>', 500, 'there is something to compare');

# ---------------------------------------------------------------------------
# Nothing stored.

ask('plain', q{CREATE EXTENSION sdc VERSION '0.1.0'; ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC});
(undef, undef, my $open) = $node->psql('plain', 'ALTER EXTENSION sdc UPDATE');
like($open, qr/default privileges would let PUBLIC at the keys and budgets/,
	'no table that is new is opened by default privileges');
ask('plain', q{ALTER DEFAULT PRIVILEGES REVOKE SELECT ON TABLES FROM PUBLIC; ALTER EXTENSION sdc UPDATE});
is(ask('plain', q{SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class
	WHERE relnamespace = 'sdc'::regnamespace AND relrowsecurity}),
	'policy_key secret', 'what is updated keeps its keys from readers of all tables');
same_objects('plain', 'from 0.1.0');
ask('plain', 'DROP EXTENSION sdc');
is(ask('plain', q{
	SELECT pg_describe_object(classid, objid, 0) FROM pg_depend
	WHERE refclassid = 'pg_namespace'::regclass
	AND refobjid IN (SELECT oid FROM pg_namespace WHERE nspname LIKE 'sdc%')}),
	'', 'dropped, nothing is left');

# ---------------------------------------------------------------------------
# Filled by 0.1.0.

my $filled = slurp_file('data/filled-0.1.0.sql');

$filled =~ s/(CREATE EXTENSION IF NOT EXISTS sdc WITH SCHEMA sdc)/$1 VERSION '0.1.0'/;
append_to_file($node->basedir . '/filled.sql', $filled);
$node->command_ok(
	[
		'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', @server,
		'-f', $node->basedir . '/filled.sql', 'filled'
	],
	'what 0.1.0 had stored is there');

# Tables of 0.1.0 with their columns, and what they are called now when they
# were renamed.  A column whose content the update changes stands in %changed.
my %renamed = ();
my %changed = (
	'sdc.release_history.seed_hash' => 1,    # dropped
	'sdc.policy_relation.rules' => 1,    # p of pram is a percentage
	'sdc.policy_relation.constraints' => 1,    # names of measures
	'sdc.release_history.relations' => 1,    # rel is relation
	'sdc.release_history.measures' => 1);    # both
# Columns that were renamed.
my %now = (
	'sdc.role.rel' => 'relation',
	'sdc.policy_relation.rel' => 'relation',
	'sdc.dp_dataset.rel' => 'relation',
	'sdc.dp_dataset.rel_name' => 'relation_name',
	'sdc.strategy.method' => 'variant');
my %columns;

foreach my $line (split /\n/, ask('filled', q{
	SELECT c.oid::regclass, attname
	FROM pg_class AS c JOIN pg_attribute ON attrelid = c.oid AND attnum > 0
	WHERE relnamespace = 'sdc'::regnamespace AND relkind = 'r'
	ORDER BY 1, attnum}))
{
	my ($table, $column) = split /\|/, $line;

	push @{ $columns{$table} }, $column unless $changed{"$table.$column"};
}

sub rows
{
	my ($database, $table) = @_;
	my $old = ask($database,
		q{SELECT extversion FROM pg_extension WHERE extname = 'sdc'}) eq '0.1.0';
	my $columns = join ', ',
	  map { '"' . ($old ? $_ : $now{"$table.$_"} // $_) . '"' } @{ $columns{$table} };

	$table = $renamed{$table} // $table unless $old;
	return ask($database, "SELECT $columns FROM $table ORDER BY 1, 2, 3");
}

sub sequences
{
	my ($database) = @_;

	return ask($database, q{
		SELECT sequencename, last_value FROM pg_sequences
		WHERE schemaname = 'sdc' ORDER BY 1});
}

# What roles other than the owner may do, by name.
sub granted
{
	my ($database) = @_;

	return ask($database, q{
		SELECT proname, pg_get_userbyid(grantee), privilege_type
		FROM pg_proc, aclexplode(proacl)
		WHERE pronamespace = 'sdc'::regnamespace AND grantee <> 0
		AND grantee <> proowner
		UNION ALL
		SELECT relname, pg_get_userbyid(grantee), privilege_type
		FROM pg_class, aclexplode(relacl)
		WHERE relnamespace = 'sdc'::regnamespace AND grantee <> 0
		AND grantee <> relowner ORDER BY 1, 2, 3});
}

# What nobody has in the file: an attack of a method of its own, and a search
# that was given seconds.
ask('filled', q{UPDATE sdc.policy_relation SET constraints = constraints
	|| '[{"attack": "distance", "method": "mahalanobis", "<=": 1},
	{"attack": "learned", "params": {"time_limit": 0.5, "direction": "to_masked"}, "<=": 1}]' WHERE policy = 'wide'});

# Nor do its policies have all measures whose names were short.
ask('filled', q{UPDATE sdc.policy_relation SET constraints = (
	SELECT jsonb_agg(jsonb_build_object(CASE WHEN w = 'dis' THEN 'measure' ELSE 'utility' END, w, '<=', 1) ORDER BY n)
	FROM unnest('{dis,il1s,il1,il_variables,il_correl,sse_sst,mean,eigen,kl,tv,ncp,c_avg}'::text[])
		WITH ORDINALITY AS u (w, n)) WHERE policy = 'yearly'});

my %before = map { $_ => rows('filled', $_) } sort keys %columns;
my $sequences = sequences('filled');
my $granted = granted('filled');

is(scalar(grep { $_ eq '' } values %before), 0, 'every table has rows');
like($granted, qr/pseudonym\|sdc_update_steward/, 'a right was granted');

# A view that names columns as 0.1.0 did is named, dropped and made again.
my ($failed, undef, $refusal) = $node->psql('filled', 'ALTER EXTENSION sdc UPDATE');
isnt($failed, 0, 'a view of what has other arguments stops the update');
like($refusal, qr/view public\.figures uses sdc\.risk_report/, 'and is named');
ask('filled', q{
	DROP VIEW figures;
	ALTER EXTENSION sdc UPDATE;
	CREATE VIEW figures AS SELECT * FROM sdc.risk_report('people', 'zip,age')});

sub all_kept
{
	my ($database, $name) = @_;

	foreach my $table (sort keys %before)
	{
		is(rows($database, $table), $before{$table}, "$name: $table");
	}
	is(sequences($database) =~ s/\n?release_part_number.*//r,
		$sequences, "$name: sequences, budgets spent");
	is(granted($database), $granted, "$name: rights that were granted");
	is(ask($database, q{SELECT count(*) FROM pg_proc
			WHERE pronamespace = 'sdc'::regnamespace AND proname = 'rank_swap'
			AND has_function_privilege('sdc_update_steward', oid, 'EXECUTE')}),
		'0', "$name: rights that were revoked");
	is(ask($database, q{SELECT zip FROM coarse WHERE id = 1}),
		'101**', "$name: a view that uses sdc, a hierarchy");
	is(ask($database, q{SELECT value FROM figures WHERE measure = 'k_anonymity'}),
		'3', "$name: a view of a report");
	is(ask($database, q{SELECT count(*) FROM sdc.declared('people')}),
		'6', "$name: a declaration");
}

all_kept('filled', 'updated');
is(ask('filled', q{SELECT sdc.pseudonym('name 1', 'staff')}),
	'cb89e00a8632d114a04f979596aa7918', 'pseudonyms stay the same');
is(ask('filled', q{SELECT release, status FROM sdc.releases('yearly')}),
	'2|published', 'the history is read');

# A dump of the updated database, with what it has granted.
my $dump = $node->basedir . '/updated.sql';

# keys are never dumped
$before{'sdc.secret'} = '';
$node->command_ok([ 'pg_dump', '--no-sync', @server, '-f', $dump, 'filled' ],
	'dumped');
ask('postgres', 'CREATE DATABASE restored');
$node->command_ok(
	[
		'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', @server, '-f', $dump,
		'restored'
	],
	'restored');
all_kept('restored', 'restored');
# the masks are drawn anew: the bound must not be a matter of chance
ask('restored', q{UPDATE sdc.policy_relation
	SET constraints = '[{">=": 1, "measure": "k_anonymity"}]' WHERE policy = 'yearly'});
ask('restored', q{CALL sdc.release('yearly')});
is(ask('restored', q{SELECT release, status FROM sdc.releases('yearly')}),
	"2|published\n4|published", 'a policy of 0.1.0 releases');

# The policy of the table wide has every method and most of the words that
# 0.1.0 knew: it still releases.
is(ask('filled', q{SELECT rules #>> '{turned,p}' FROM sdc.policy_relation
		WHERE policy = 'wide'}) + 0, 60, 'p of pram is a percentage');
is(ask('filled', q{SELECT string_agg(coalesce(c ->> 'disclosure', c ->> 'utility', c ->> 'variant'), ' ' ORDER BY n)
		FROM sdc.policy_relation, jsonb_array_elements(constraints) WITH ORDINALITY AS e (c, n)
		WHERE policy = 'wide'}),
	'rank_disclosure interval_disclosure information_loss mahalanobis',
	'measures and attacks in constraints have their names of now');
is(ask('filled', q{SELECT string_agg(coalesce(c ->> 'measure', c ->> 'utility'), ' ' ORDER BY n)
		FROM sdc.policy_relation, jsonb_array_elements(constraints) WITH ORDINALITY AS e (c, n)
		WHERE policy = 'yearly'}),
	'correct_match information_loss relative_change value_change inverse_correlations '
	. 'relative_squared_error mean eigenvalues kullback_leibler total_variation certainty_penalty '
	. 'normalized_average_class', 'so have all measures whose names were short');
is(ask('filled', q{SELECT jsonb_array_length(constraints) FROM sdc.policy_relation WHERE policy = 'wide'}),
	'9', 'and none is lost');
is(ask('filled', q{SELECT constraints -> -1 -> 'params' FROM sdc.policy_relation WHERE policy = 'wide'}),
	'{"work": 500000000, "direction": "to_masked"}', 'and seconds are steps');
is(ask('filled', q{SELECT count(*) FILTER (WHERE l ->> 'measure' = 'information_loss') > 0,
		count(*) FILTER (WHERE l ->> 'measure' IN ('il1s', 'rid', 'sdid', 'sadr',
			'il_variables', 'il_correl', 'sse_sst', 'eigen', 'kl', 'tv', 'ncp', 'c_avg'))
		FROM sdc.release_history, jsonb_array_elements(measures) AS m, jsonb_array_elements(m -> 'utility') AS l
		WHERE release = 1}),
	't|0', 'so have the lines of an old release');
like(ask('filled', q{SELECT sdc.report(1, 'markdown')}), qr/public\.wide/,
	'the report of an old release names its table');
# what it publishes had no role in 0.1.0, and needs one now
$node->psql('filled', q{CALL sdc.release('wide')});
like(ask('filled', q{SELECT reason FROM sdc.releases('wide') ORDER BY release DESC LIMIT 1}),
	qr/columns "shuffled", .*"kept": Published, and nobody has said/,
	'a column without a role is not released');
ask('filled', q{SELECT sdc.declare('wide', id => 'id', keys => '{swapped,averaged,x,y}',
	sensitive => 'noisy', insensitive => (SELECT array_agg(attname) FROM pg_attribute
		WHERE attrelid = 'wide'::regclass AND attnum > 0
		AND attname <> ALL ('{id,swapped,averaged,x,y,noisy}')))});
ask('filled', q{CALL sdc.release('wide')});
is(ask('filled', q{SELECT status FROM sdc.releases('wide') ORDER BY release DESC LIMIT 1}),
	'published', 'a policy with all words of 0.1.0 releases');

# ---------------------------------------------------------------------------
# A version that never was: this one, with less and with other things.

# The statement that creates a type or table, less its last column.
sub less
{
	my ($text, $object) = @_;

	$text =~ s/(CREATE (?:TYPE|TABLE) \Q$object\E (?:AS )?\(.*?),\s*\w+ [\w ]+(?=\);|,\s*(?:CHECK|PRIMARY)\b)/$1/s
	  or die "$object is not there\n";
	return $text;
}

my $invented = less(less($script, 'sdc.role_suggestion'), 'sdc.policy');
my $extra =
  $invented =~ /^CREATE SCHEMA sdc_internal\b/m
  ? ''
  : 'CREATE SCHEMA sdc_internal;';

$invented =~ s/(\\quit\n)/$1$extra/;
$invented =~ s/^COMMENT ON .*?'(?:[^']|'')*';\n//gms;
$invented =~ s/\bsdc\.drift\(/sdc_internal.drift(/g;
$invented =~ s/^(CREATE FUNCTION sdc\.suggest\(\s*)relation regclass/$1rel regclass/m
  or die "suggest is not there\n";
$invented .= qq{
	CREATE TYPE sdc.gone AS (a integer);
	CREATE FUNCTION sdc.gone(a integer DEFAULT 3) RETURNS sdc.gone
	LANGUAGE c AS 'MODULE_PATHNAME', '$any';
	CREATE FUNCTION sdc.gone_state(a float8, b sdc.gone) RETURNS float8
	LANGUAGE c AS 'MODULE_PATHNAME', '$any';
	CREATE AGGREGATE sdc.gone(sdc.gone) (SFUNC = sdc.gone_state, STYPE = float8);
	CREATE VIEW sdc.gone_view AS SELECT (sdc.gone()).a;
	GRANT SELECT ON sdc.gone_view TO PUBLIC;
	REVOKE ALL ON FUNCTION sdc.declared(regclass) FROM PUBLIC;
	GRANT SELECT ON sdc.secret TO PUBLIC;
};
write_script('sdc--0.0.9.sql', $invented);
append_to_file($node->basedir . '/old.sql', $invented);
append_to_file($node->basedir . "/0.0.9--$version.sql",
	$extra eq '' ? '' : 'DROP SCHEMA sdc_internal;');

my $update;
my @make = (
	'perl', 'updates/update.pl', $node->basedir . '/old.sql',
	"$directory/sdc--$version.sql", $node->basedir . "/0.0.9--$version.sql");

ok(run_command_to(\$update, @make), 'an update is made');

sub run_command_to
{
	my ($output, @command) = @_;
	my $said = '';
	my $result = IPC::Run::run(\@command, '>', $output, '2>', \$said);

	is($said, '', 'without a warning');
	return $result;
}

write_script("sdc--0.0.9--$version.sql", $update);
ask('invented', q{
	CREATE EXTENSION sdc VERSION '0.0.9';
	CREATE VIEW mine AS SELECT * FROM sdc.gone(7);
	CREATE VIEW also_mine AS SELECT a FROM sdc.gone_view;
	CREATE TABLE kept (g sdc.gone);
	CREATE TABLE defaulted (a integer DEFAULT ((sdc.gone()).a));
	CREATE VIEW reports AS SELECT * FROM sdc.drift('pg_class');
	CREATE VIEW suggestions AS SELECT * FROM sdc.suggest('pg_class')}
	  =~ s/sdc\.drift/sdc_internal.drift/r);

my ($status, $out, $refused) =
  $node->psql('invented', 'ALTER EXTENSION sdc UPDATE');

isnt($status, 0, 'what others use is not dropped');
like($refused, qr/ERROR:  sdc cannot be updated while other objects use/,
	'that is said');
like($refused, qr/\Q$_\E[,.(]/, "named: $_")
  foreach 'view public.mine uses sdc.gone(integer)',
  'view public.also_mine uses sdc.gone_view',
  'column g of table public.kept uses sdc.gone',
  'default value for column a of table public.defaulted uses sdc.gone(integer)',
  'view public.suggestions uses sdc.suggest';
unlike($refused =~ s/^(?!DETAIL).*//gmr,
	qr/reports|view sdc|old_/, 'nothing else is');
is(ask('invented', q{SELECT extversion FROM pg_extension WHERE extname = 'sdc'}),
	'0.0.9', 'nothing has changed');
ask('invented', q{
	DROP VIEW mine, also_mine, suggestions;
	DROP TABLE kept, defaulted;
	GRANT EXECUTE ON FUNCTION sdc.gone(integer) TO sdc_update_steward;
	REVOKE EXECUTE ON FUNCTION sdc.gone_state(float8, sdc.gone) FROM PUBLIC});
my ($ignored, $nothing, $warned) =
  $node->psql('invented', 'ALTER EXTENSION sdc UPDATE');

like($warned, qr/WARNING.*\n.*EXECUTE on sdc\.gone\(integer\) granted to sdc_update_steward,/,
	'what was granted on a function that is gone is told');
like($warned, qr/EXECUTE on sdc\.gone_state\([^)]*\) revoked from PUBLIC\.\n/,
	'so is what was revoked, and nothing else');
same_objects('invented', 'from what never was');
is(ask('invented', 'SELECT count(*) FROM reports'),
	ask('invented', q{SELECT count(*) FROM sdc.drift('pg_class')}),
	'a view whose function moved works, with a column more below it');

$node->stop;
unlink @written;
done_testing();
