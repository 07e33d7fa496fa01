# Whatever operators and functions the search_path finds first, sdc calls those
# of PostgreSQL.
#
# A schema at the head of the path has an operator for each of PostgreSQL's
# own, some more for pairs of types that PostgreSQL has none for, and a function
# for each that is called by name.  All of them raise an error.  NULLIF, CASE
# with a value, IS DISTINCT FROM, BETWEEN, IN and JOIN USING look operators up,
# too, and so do functions of PostgreSQL that are written in SQL (before 14).

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use FindBin;
use lib $FindBin::RealBin;
use SdcSession;
use SdcCalls qw(%on_relation rows);

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'), 'new');
$node->init;
$node->start;

# Runs statements that may fail; returns what was said.
sub try
{
	my ($sql, %other) = @_;
	my ($code, $out, $error) = $node->psql('postgres', $sql, %other);

	return $error;
}

$node->safe_psql('postgres', 'CREATE EXTENSION sdc; CREATE SCHEMA rel; '
	  . 'CREATE SCHEMA hostile; CREATE TABLE rel.people AS ' . rows(60));
$node->safe_psql('postgres', q{
	ALTER TABLE rel.people ADD PRIMARY KEY (id);
	SELECT sdc.declare('rel.people', 'id', keys => 'age', sensitive => 'disease',
		insensitive => 'sex,income,at,pieces,buyer');
	SELECT sdc.create_hierarchy('tens', 'interval', '{"levels": [[25], []]}');
	SELECT sdc.create_strategy('kept', 'age', '{0}', params => '{"suppression": 100}');
	SELECT sdc.create_policy('policy of owner', 'rel.people',
		'{"age": {"method": "rank_swap", "p": 20}}',
		'[{"measure": "k_anonymity", ">=": 1}]', '{"attacks": ["distance"]}');
	SELECT sdc.create_dataset('asked', 'rel.people', 'id', accounting => 'approx',
			epsilon => 1e6, delta => 0.5),
		sdc.describe_column('asked', 'age', 0, 100),
		sdc.describe_column('asked', 'sex', 0, 3, '{1,2}'),
		sdc.grant_budget('asked', current_user::regrole, 1e6, 0.5);
	CREATE SCHEMA shop;
	CREATE TABLE shop.customer AS SELECT id, 'p' || id || '@example.org' AS email,
		age FROM rel.people;
	ALTER TABLE shop.customer ADD PRIMARY KEY (id);
	CREATE TABLE shop.ticket AS SELECT id, id AS customer FROM rel.people;
	ALTER TABLE shop.ticket ADD FOREIGN KEY (customer) REFERENCES shop.customer (id)});

# The traps.
$node->safe_psql('postgres', q{
	/* not every type can be an argument or a result */
	CREATE FUNCTION pg_temp.make(statement text) RETURNS void LANGUAGE plpgsql AS
		$$BEGIN EXECUTE statement; EXCEPTION WHEN OTHERS THEN NULL; END$$;
	DO $make$
	DECLARE
		types oid[] := ARRAY(SELECT oid FROM pg_type WHERE typtype IN ('b', 'r')
			AND typnamespace = 'pg_catalog'::regnamespace AND typname !~ '^_');
		plain text := '{int2,int4,int8,numeric,float4,float8,text,name,varchar,bpchar,date,timestamp,timestamptz,oid,regclass,bool,bytea}';
		o record;
	BEGIN
		FOR o IN SELECT * FROM pg_operator WHERE oprleft = ANY (types)
				AND oprright = ANY (types) AND oprresult = ANY (types) LOOP
			PERFORM pg_temp.make(format('CREATE OR REPLACE FUNCTION hostile.trap_%s(%s, %s) RETURNS %s
				LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION ''a trap was called''; END$$',
				o.oprresult, o.oprleft::regtype, o.oprright::regtype, o.oprresult::regtype));
			PERFORM pg_temp.make(format('CREATE OPERATOR hostile.%s (LEFTARG = %s, RIGHTARG = %s,
				FUNCTION = hostile.trap_%s)', o.oprname, o.oprleft::regtype,
				o.oprright::regtype, o.oprresult));
		END LOOP;
		/* for pairs that PostgreSQL casts, an exact match is better */
		FOR o IN SELECT l, r, n FROM unnest(plain::text[]) AS l, unnest(plain::text[]) AS r,
				unnest('{=,<>,<,>,<=,>=,+,-,*,/,||}'::text[]) AS n
				WHERE NOT EXISTS (SELECT FROM pg_operator AS p WHERE p.oprname = n
					AND p.oprleft = l::regtype AND p.oprright = r::regtype) LOOP
			PERFORM pg_temp.make(format('CREATE OR REPLACE FUNCTION hostile.trap_pair(%s, %s) RETURNS bool
				LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION ''a trap was called''; END$$', o.l, o.r));
			PERFORM pg_temp.make(format('CREATE OPERATOR hostile.%s (LEFTARG = %s, RIGHTARG = %s,
				FUNCTION = hostile.trap_pair)', o.n, o.l, o.r));
		END LOOP;
		FOR o IN SELECT p.proname, p.prorettype, p.proretset,
				pg_get_function_identity_arguments(p.oid) AS arguments
				FROM pg_proc AS p WHERE p.pronamespace = 'pg_catalog'::regnamespace
				AND p.prokind IN ('f', 'a', 'w') AND p.provariadic = 0 AND p.pronargs > 0
				AND p.prorettype <> ALL ('{internal,cstring,trigger,event_trigger,anyelement,anyarray,anyrange,anyenum,anynonarray,record}'::regtype[])
				AND (SELECT bool_and(a = ANY (types)) FROM unnest(p.proargtypes) AS a)
				AND p.proargmodes IS NULL LOOP
			PERFORM pg_temp.make(format('CREATE OR REPLACE FUNCTION hostile.%I(%s) RETURNS %s
				LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION ''a trap was called''; END$$',
				o.proname, o.arguments, o.prorettype::regtype));
		END LOOP;
	END$make$});
cmp_ok(
	$node->safe_psql('postgres', q{SELECT count(*) FROM pg_proc
		WHERE pronamespace = 'hostile'::regnamespace}),
	'>', 1500, 'traps');

my $path = 'SET search_path = hostile, pg_catalog, public;';
like(try("$path SELECT $_"), qr/a trap was called/, "a trap: $_")
  for '1 = 1', q{nullif(1.5, 0)}, q{CASE 'a'::text WHEN 'a' THEN 1 END},
  q{lower('a'::text)}, q{1::numeric = 0};

my %call = map { $_ => "SELECT * FROM $on_relation{$_}" } keys %on_relation;
s/%r/'rel.people'/g foreach values %call;
$call{"help $_"} = "SELECT * FROM sdc.help('$_')"
  foreach 'mask', 'release', 'dp_query', 'rank_swap', 'attacks', 'measures',
  'glossary', 'methods';
my $mapping = q{'{"customer": "id", "invoice": "buyer", "at": "at", "item": "sex",
	"price": "income", "quantity": "pieces"}'};
my %other = (
	'attack_events, knowing' => qq{SELECT * FROM sdc.attack_events('rel.people',
		'rel.people', 'id', mapping => $mapping,
		params => '{"period": "month", "known": 2, "days": 1}')},
	'anonymize_itemsets, bounded' => qq{SELECT * FROM sdc.anonymize_itemsets('rel.people',
		'pg_temp.made', 0.5, $mapping, '{"turnover_error": 9}')},
	'help' => 'SELECT * FROM sdc.help()',
	'find_personal' => q{SELECT * FROM sdc.find_personal('shop')},
	'plan_copy' => q{SELECT * FROM sdc.plan_copy('shop')},
	'copy_schema' => q{SELECT * FROM sdc.copy_schema('shop', 'shop_copy', '{"*": {"method": "keep"}}')},
	'check_copy' => q{SELECT * FROM sdc.copy_schema('shop', 'shop_copy', '{"*": {"method": "keep"}}');
		SELECT * FROM sdc.check_copy('shop', 'shop_copy')},
	'dp_query' => q{SELECT * FROM sdc.dp_query('asked', '{count,avg(age)}', 1, '{sex}', 'age > 20')},
	'dp_query, private categories' =>
	  q{SELECT * FROM sdc.dp_query('asked', '{count}', 1, '{disease}', delta => 0.001)},
	'dp_histogram' => q{SELECT * FROM sdc.dp_histogram('asked', '{sex}', 1)},
	'dp_synthesize' => q{SELECT * FROM sdc.dp_synthesize('asked', 'pg_temp.made', 1, columns => 'age,sex')},
	'check_dataset' => q{SELECT * FROM sdc.check_dataset('asked', current_user::pg_catalog.regrole)},
	'remaining_budget' => q{SELECT * FROM sdc.remaining_budget()},
	'dp_ledger' => q{SELECT * FROM sdc.dp_ledger},
	'drop_dataset' => q{SELECT sdc.drop_dataset('asked')},
	'release' => q{COMMIT; CALL sdc.release('policy of owner', 'rel.published');
		CALL sdc.release('policy of owner', 'rel.published');
		SELECT * FROM sdc.releases('policy of owner');
		SELECT * FROM sdc.verify_release((SELECT pg_catalog.max(release) FROM sdc.release_history));
		SELECT sdc.report((SELECT pg_catalog.max(release) FROM sdc.release_history));
		SELECT * FROM sdc.drift('rel.people'); BEGIN},
	'frontier of a policy' =>
	  q{SELECT * FROM sdc.search_rules('policy of owner', '1 second', 1)},
	'policy_json' => q{SELECT sdc.policy_json('policy of owner')},
	'drop_policy' => q{SELECT sdc.drop_policy('policy of owner')},
	'pseudonym' => q{SELECT sdc.pseudonym('a', 'd'), sdc.fake('a', 'email', 'd')},
	'scrub' => q{SELECT sdc.scrub('Anna Berger, a@b.test', 'd', known => '{b}', become => '{c}')},
	'mask_inside' => q{SELECT sdc.mask_inside('{"a": "x@y.test"}'::jsonb, '{"$.a": {"method": "fake", "kind": "email", "domain": "d"}}')},
	'masks' => q{SELECT * FROM sdc.mask('rel.people', '{
		"income": {"method": "add_noise", "alpha": 0.1},
		"disease": {"method": "pram", "p": 50},
		"sex": {"method": "generalize", "hierarchy": "tens", "level": 1},
		"at": {"method": "shift", "domain": "d", "days": 3}}', 'pg_temp.made')},
	'masks of groups' => q{SELECT * FROM sdc.mask('rel.people', '{
		"age,income": {"method": "microaggregate", "k": 3},
		"disease,sex": {"method": "suppress", "k": 2}}', 'pg_temp.made', id => 'id')},
	'masks that turn' => q{SELECT * FROM sdc.mask('rel.people', '{
		"age,income": {"method": "romm", "alpha": 0.5}}', 'pg_temp.made', id => 'id');
		SELECT sdc.pram_matrix('a'::pg_catalog.text, '{"a": {"a": 0.5, "b": 0.5}, "b": {"b": 1}}') OVER ()},
	'reveal' => q{SELECT sdc.pseudonym('ab12', 'd', format => 'same'), sdc.reveal('zz99', 'd')},
	'fakes' => q{SELECT * FROM sdc.mask('shop.customer', '{
		"email": {"method": "fake", "kind": "email", "domain": "d"}}', 'pg_temp.made');
		SELECT * FROM sdc.mask('shop.customer', '{
		"email": {"method": "pseudonym", "domain": "d"}}', 'pg_temp.more')},
	'hierarchies' => q{SELECT sdc.create_hierarchy('made', 'table', '{"rows": [["1", "a"], ["2", "b"]]}');
		SELECT sdc.generalize('1'::pg_catalog.text, 'made', 1); SELECT * FROM sdc.hierarchy;
		SELECT sdc.drop_hierarchy('made')},
	'generalize date' => q{SELECT sdc.create_hierarchy('days', 'date', '{"levels": ["month", "year"]}');
		SELECT * FROM sdc.check_hierarchy('rel.people', 'at', 'days')},
	'grant_to' => q{SELECT sdc.grant_to(current_user::pg_catalog.regrole, 'publisher')},
	'schedule' => q{SELECT sdc.schedule('policy of owner', '0 3 * * *', 'rel.published')},
	'forget_pseudonyms' => q{SELECT sdc.pseudonym('a', 'd'); SELECT sdc.forget_pseudonyms('d')});
@call{ keys %other } = values %other;

foreach my $name (sort keys %call)
{
	my $error = try("SET client_min_messages = error; $path BEGIN; "
		  . "$call{$name}; ROLLBACK", on_error_stop => 0);

	unlike($error, qr/a trap was called/, "no trap: $name") or diag($call{$name});
	diag("$name: $error") if $error ne '' && $ENV{SDC_VERBOSE};
}

$node->stop;
done_testing();
