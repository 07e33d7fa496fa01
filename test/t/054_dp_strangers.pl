# What a stranger tries at a data set, from outside.
#
# Work that follows from whom a predicate finds, which the time of an answer
# tells, counted by the calls of an operator; and a schema that takes the name
# of another one while a request is checked.  No time is measured.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'track_functions = all');
$node->start;

# A type whose comparisons are counted; the operator is one of pg_catalog and
# said to be leakproof, as those are that a predicate may use.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sdc;
	CREATE ROLE analyst LOGIN;
	CREATE TYPE counted AS (word text);
	CREATE FUNCTION counted_eq(counted, counted) RETURNS boolean
	LANGUAGE plpgsql IMMUTABLE STRICT LEAKPROOF SET search_path = pg_catalog AS
		$$BEGIN RETURN $1.word = $2.word; END$$;
	SET allow_system_table_mods = on;
	CREATE OPERATOR pg_catalog.= (FUNCTION = counted_eq, LEFTARG = counted,
		RIGHTARG = counted);
	RESET allow_system_table_mods;
	CREATE FUNCTION counted_order(counted, counted) RETURNS integer
	LANGUAGE sql IMMUTABLE STRICT AS
		'SELECT pg_catalog.bttextcmp($1.word, $2.word)';
	CREATE FUNCTION counted_lt(counted, counted) RETURNS boolean
	LANGUAGE sql IMMUTABLE STRICT AS 'SELECT $1.word < $2.word';
	CREATE OPERATOR < (FUNCTION = counted_lt, LEFTARG = counted,
		RIGHTARG = counted);
	CREATE OPERATOR CLASS counted_ops DEFAULT FOR TYPE counted USING btree AS
		OPERATOR 1 <, OPERATOR 3 pg_catalog.=,
		FUNCTION 1 counted_order(counted, counted);
	CREATE TABLE people AS
		SELECT i AS id, i AS person,
			ROW(CASE WHEN i = 7 THEN 'hiv' ELSE 'flu' END)::counted AS disease,
			ROW('flu')::counted AS usual,
			ARRAY[ROW('flu'), ROW('ill'), NULL, ROW('cold')]::counted[] AS had
		FROM generate_series(1, 20) AS i;
	UPDATE people SET disease = NULL WHERE id = 8;
	SELECT sdc.create_dataset('people', 'people', 'person', epsilon => 1e6);
	SELECT sdc.describe_column('people', 'disease',
		categories => '{(flu),(cold),(none)}');
	SELECT sdc.grant_budget('people', 'analyst', 1e6)});

# What is answered, and the calls of the comparison meanwhile.
sub ask
{
	my ($figure, $predicate) = @_;
	my ($code, $found, $said) = $node->psql(
		'postgres', qq{
		BEGIN;
		SELECT COALESCE(category, value::text)
		FROM sdc.dp_query('people', '{$figure}', 1000,
			predicate => \$\$$predicate\$\$);
		SELECT 'calls ' || COALESCE(sum(pg_stat_get_xact_function_calls(oid)), 0)
		FROM pg_proc WHERE proname = 'counted_eq';
		COMMIT},
		extra_params => [ '-U', 'analyst' ]);

	return $code == 0 ? join(' ', split /\n/, $found) : $said;
}

my $list = join ',', map { "'(word$_)'" } 1 .. 99;

is(ask('count', q{disease = '(flu)'}),
	'18 calls 20', 'a comparison, also of a NULL');
is(ask('count', qq{disease IN ('(flu)', $list)}),
	'18 calls 2000', 'a list is compared to its end');
is(ask('count', qq{NOT disease IN ('(flu)', $list)}),
	'1 calls 2000', 'and one of which none may be');
is(ask('count', qq{disease IN ($list, usual)}),
	'18 calls 2000', 'and one with a column in it');
is(ask('count', qq{(disease IN ('(flu)', $list)) IS NOT TRUE}),
	'2 calls 2000', 'under a test of truth');
is(ask('count', qq{(disease = '(hiv)' OR disease IN ('(flu)', $list)) IS NULL}),
	'1 calls 2020', 'and of NULL');
# but for a NULL with a NULL
is(ask('count', q{disease = ANY (had)}),
	'18 calls 79', 'a column of arrays is, too');
is(ask('count', q{NOT '(flu)' = ANY (had)}),
	'0 calls 80', 'with a constant as well');
like(ask('count', qq{(disease IN ('(flu)', $list)) = (id = 7)}),
	qr/must not contain AND, OR or lists within a comparison/,
	'no list within a comparison');
like(ask('count', q{(id = 7 AND disease = '(hiv)') <> (id = 3)}),
	qr/must not contain AND, OR or lists within a comparison/, 'and no AND');
# two of the calls are those of before the first row
is(ask('mode(disease)', 'id > 0'),
	'(flu) calls 61', 'a value, or NULL, is compared with all categories');

# A schema takes the name of another one while a predicate is checked, which
# waits here; a view is there, in the place of the table.
$node->safe_psql(
	'postgres', q{
	CREATE ROLE landlord LOGIN;
	CREATE ROLE tenant;
	CREATE SCHEMA house AUTHORIZATION landlord;
	CREATE TABLE house.people AS
		SELECT i AS id, i AS person FROM generate_series(1, 20) AS i;
	GRANT USAGE ON SCHEMA house TO tenant;
	ALTER TABLE house.people OWNER TO tenant;
	GRANT CREATE ON DATABASE postgres TO landlord;
	SELECT sdc.create_dataset('house', 'house.people', 'person', epsilon => 1e6);
	SELECT sdc.grant_budget('house', 'analyst', 1e6);
	CREATE FUNCTION wait_here(integer, integer) RETURNS boolean
	LANGUAGE plpgsql IMMUTABLE AS
		$$BEGIN PERFORM pg_advisory_lock_shared(1); RETURN true; END$$;
	SET allow_system_table_mods = on;
	CREATE OPERATOR pg_catalog.=== (FUNCTION = wait_here, LEFTARG = integer,
		RIGHTARG = integer)});
my $holder = $node->background_psql('postgres');
$holder->query_safe('SELECT pg_advisory_lock(1)');
my $asker = $node->background_psql('postgres', on_error_stop => 0);
$asker->query_until(qr/asks/, q{
	SET SESSION AUTHORIZATION analyst;
	\echo asks
	SELECT value FROM sdc.dp_query('house', '{count}', 1000,
		predicate => '1 === 1');
});
$node->poll_query_until('postgres',
	q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'advisory')});
$node->safe_psql(
	'postgres', q{
	SET SESSION AUTHORIZATION landlord;
	ALTER SCHEMA house RENAME TO home;
	CREATE SCHEMA house;
	GRANT USAGE ON SCHEMA house TO PUBLIC;
	CREATE TABLE house.seen (who name);
	GRANT INSERT ON house.seen TO PUBLIC;
	CREATE FUNCTION house.look() RETURNS integer LANGUAGE plpgsql AS
		$$BEGIN INSERT INTO house.seen VALUES (current_user); RETURN 1; END$$;
	CREATE VIEW house.people AS SELECT house.look() AS id, 1 AS person;
	GRANT SELECT ON house.people TO PUBLIC});
$holder->quit;
$asker->quit;
is($node->safe_psql('postgres', 'SELECT * FROM house.seen'),
	'', 'no code of who owns the schema has run');
done_testing();
