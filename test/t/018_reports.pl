# Every report answers a cancel within a second at half a million rows, while
# it reads, counts and measures; a report without a call fails this test.

use strict;
use warnings;
use lib "$ENV{TESTDIR}/t";

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use SdcStop;
use Test::More;
use Time::HiRes qw(usleep);
use SdcSession;

# A stretch of work that is longer than SdcStop's patience and begins before the
# last of the moments of a cancel covers it, so few moments are enough: while
# rows are read, and later.
my @moments = (100, 1000);

my $keys = q{'{age,sex,education,marital,country}'};

# Function, and a call that takes a while.
my %calls = (
	risk_report => [
		"risk_report('people', $keys, '{occupation,income}', 'weight')",
		"risk_report('people', $keys, '{occupation}', params => '{\"nulls\":\"wildcard\"}')",
		"risk_report('people', $keys, '{occupation}', params => '{\"population\":\"people\"}')" ],
	risk_records =>
	  ["risk_records('people', 'id', $keys, '{occupation}', 'household', 'weight')"],
	risk_records_into => ["risk_records_into('people', 'pg_temp.risks', 'id', $keys)"],
	separation => ["separation('people', $keys)"],
	suggest => ["suggest('people')"],
	place_k => ["place_k('people', 'people', '{age,income}', 0, 1e6, id => 'id', people => 'age')"],
	drift => ["drift('people')"],
	uniqueness => [
		"uniqueness('people', keys => $keys, weight => 'weight', variant => 'poisson')",
		"uniqueness('people', keys => $keys, weight => 'weight', variant => 'poisson', params => '{\"terms\":\"main\"}')",
		"uniqueness('people', keys => $keys, weight => 'weight', variant => 'poisson', params => '{\"terms\":\"two_way\"}')",
		"uniqueness('people', keys => $keys, weight => 'weight', variant => 'pitman')" ],
	suda2 => ["suda2('people', 'id', $keys)"],
	protect_table => [
		"protect_table('people', NULL, '{\"threshold\":3}', '{education,marital,occupation}')",
		"protect_table('people', NULL, '{\"p_percent\":10}', '{education,country}', 'income')",
		# 9,000 cells; 160,000; a key of half a million values
		"protect_table('people', NULL, '{\"p_percent\":30}', '{age,country,sex}', 'income')",
		"protect_table('people', NULL, '{\"threshold\":5}', '{age,education,country,sex}')",
		"protect_table('people', NULL, '{\"threshold\":3}', '{id}')" ],
	attack_table => ["attack_table('people', '{id}', 'income')"],
	show_table => ["show_table('people', '{id}', 'income')"],
	table_report => ["table_report('people', keys => '{id}', value => 'income')"],
	check_hierarchy => ["check_hierarchy('people', 'income', 'tens')"],
	lattice => [
		"lattice('people', $keys, k => 3, params => '{\"suppression\":10}')",
		"lattice('people', $keys, '{occupation,income}', t => 0.4, params => '{\"suppression\":90,\"all\":true}')" ],
	anonymize =>
	  ["anonymize('people', 'pg_temp.made', $keys, params => '{\"suppression\":100}')"],
	apply_strategy => ["apply_strategy('people', 'pg_temp.made', 'kept')"],
	check_strategy => ["check_strategy('people', 'kept')"],
	check_release => ["check_release('checked', 'people')"],
	l_multi => ["l_multi('people', $keys, '{occupation,income}')"],
	posterior => ["posterior('people', NULL, $keys, '{occupation}')"],
	risk_cells => ["risk_cells('people', $keys, '{occupation,income}')"],
	disclosure_report =>
	  ["disclosure_report('people', 'people', 'id', '{age,income,weight}')"],
	utility_report => ["utility_report('people', 'people', 'id')"],
	table_distance =>
	  ["table_distance('people', 'people', '{age,income,weight}')"],
	propensity => ["propensity('people', 'people', '{age,income,weight}')"],
	suppress => [
		"suppress('people', 'pg_temp.made', 'id', $keys, seed => 1)",
		"suppress('people', 'pg_temp.made', 'id', $keys, '{occupation}', 5, 3, '{\"nulls\":\"category\"}', 1)" ],
	mask => [
		"mask('people', '{\"income\": {\"method\": \"rank_swap\", \"p\": 5}, \"age,weight\": {\"method\": \"add_noise\", \"alpha\": 0.1}}', target => 'pg_temp.made')",
		"mask('people', '{\"income\": {\"method\": \"shuffle\"}}')",
		"mask('people', '{\"sex,education\": {\"method\": \"suppress\", \"k\": 5}}', id => 'id', dry_run => true)" ],
	frontier => [
		"frontier('people', '{\"income\": {\"method\": \"rank_swap\", \"p\": [2, 5, 10]}, \"age\": {\"method\": \"microaggregate\", \"k\": [3, 5]}}', 'id', '{age,income,weight}')" ],
	sample_rows => ["sample_rows('people', 'pg_temp.made', '{marital}')"],
	gdpr_report => [
		"gdpr_report('people', 'people', '{age,sex,marital,income}')" ],
	synthesize => [
		"synthesize('people', 'pg_temp.made', '{age,sex,marital,income}')" ],
	synthesize_tables => [
		"synthesize_tables('{people}', '{pg_temp.made}')" ],
	recode_locally => ["recode_locally('people', 'pg_temp.made', 'id', $keys, k => 5)"],
	anatomize =>
	  ["anatomize('people', 'pg_temp.release', 'id', $keys, '{occupation}', 4)"],
	attack_minimality =>
	  ["attack_minimality('people', 'id', 'id', '{income}', 1)"],
	attack_exact => ["attack_exact('people', 'people', 'id', '{age,sex}')"],
	attack_composition =>
	  ["attack_composition('{people,people}', 'id', '{age,sex}', '{occupation}')"],
	correct_moments => [
		"correct_moments('people', '{\"income\":{\"method\":\"add_noise\",\"alpha\":1}}', '{age,income,weight}')" ],
	candidate_sets => [
		"candidate_sets('people', 'people', '{\"income\":{\"method\":\"rank_swap\",\"p\":5}}', 'id', '{age,income,weight}')" ],
	attack_transparency => [
		"attack_transparency('people', 'people', '{\"income\":{\"method\":\"shuffle\"},\"age\":{\"method\":\"shuffle\"},\"weight\":{\"method\":\"add_noise\",\"alpha\":1}}', 'id', '{age,income,weight}')",
		"attack_transparency('people', 'people', '{\"income,weight\":{\"method\":\"microaggregate\",\"k\":3}}', 'id', '{income,weight}')" ],
	attack_likelihood => [
		"attack_likelihood('people', 'people', '{\"income\":{\"method\":\"rank_swap\",\"p\":5},\"age\":{\"method\":\"rank_swap\",\"p\":20,\"variant\":\"distribution\"},\"weight\":{\"method\":\"add_noise\",\"alpha\":1}}', 'id', '{age,income,weight}')",
		"attack_likelihood('people', 'people', '{\"income,weight\":{\"method\":\"microaggregate\",\"k\":3}}', 'id', '{income,weight}')" ],
	estimate_linkage =>
	  ["estimate_linkage('people', 'people', '{age,sex}')"],
	linkage_patterns =>
	  ["linkage_patterns('people', 'people', '{age,sex}')"],
	attack_probabilistic =>
	  ["attack_probabilistic('people', 'people', 'id', '{age,sex,marital}')"],
	mean_price_error => ["mean_price_error('sold', 'sold', 'master', 'master', '{sex}')"],
	turnover_error => ["turnover_error('sold', 'sold', 'same')"],
	customer_class_difference => ["customer_class_difference('sold', 'sold')"],
	item_set_distance => ["item_set_distance('sold', 'sold', 'same')"],
	transaction_report => ["transaction_report('sold', 'sold', 'id')"],
	attack_itemset => [
		"attack_itemset('sold', 'sold', 'same')",
		"attack_itemset('sold', 'sold', 'same', 'tfidf')" ],
	attack_events => ["attack_events('sold', 'sold')"],
	attack_joined => ["attack_joined('{master,sold}', '{master,sold}', link => 'same')"],
	frontier_itemsets => ["frontier_itemsets('sold', '{\"t\": 0.5}', seed => 1)"],
	anonymize_itemsets =>
	  ["anonymize_itemsets('sold', 'pg_temp.sets', 0.5)"],
	attack_distance =>
	  ["attack_distance('people', 'people', 'id', '{age,income,weight}')"],
	learn_distance =>
	  ["learn_distance('people', 'people', 'id', '{age,income,weight}', 'bilinear')"],
	attack_learned =>
	  ["attack_learned('people', 'people', 'id', '{age,income,weight}')"],
	kmeans => ["kmeans('people', 'id', '{age,income,weight}', 20)"],
	utility_clusters =>
	  ["utility_clusters('people', 'people', 'id', '{age,income,weight}', 20)"],
	classify => [
		map { "classify('people', 'people', 'id', $keys, '{occupation}', '$_')" }
		  qw(nb knn tree logistic svm) ],
	utility_classifier =>
	  ["utility_classifier('people', 'people', $keys, '{occupation}', 'tree')"],
	inference_risk => ["inference_risk('people', 'people', 'id', $keys, '{occupation,income}')"],
	model_agreement => ["model_agreement('people', 'people', 'id', $keys, '{occupation}', variant => 'tree')"],
	membership_risk => ["membership_risk('people', 'people', 'id', $keys, '{occupation}')"]);

# Called in no time, whatever the table.
my @quick = qw(release_values release_rows create_policy declare declared declared_nulls create_dataset);

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'));
$node->init;
$node->append_conf('postgresql.conf', 'jit = off');
$node->start;
create_processor($node);
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sdc;
	SELECT setseed(0.5);
	CREATE TABLE people AS
	SELECT i AS id, nullif((17 + floor(74 * random() * random()))::int, 30) AS age,
		(random() < 0.5)::int AS sex, nullif(floor(16 * random())::int, 3) AS education,
		'm' || floor(7 * random()) AS marital, nullif(floor(41 * random())::int, 3) AS country,
		'o' || floor(14 * random()) AS occupation, (1e5 * random())::int AS income,
		1 + 100 * random() AS weight, i / 3 AS household
	FROM generate_series(1, 500000) AS i;
	ANALYZE people;
	CREATE TABLE sold AS
	SELECT i AS id, i / 10 AS customer, date '2020-01-01' + i % 365 AS at,
		floor(2000 * random() * random())::int AS item,
		round((20 * random())::numeric, 2) AS price, 1 + i % 9 AS quantity
	FROM generate_series(1, 500000) AS i;
	CREATE TABLE master AS
	SELECT DISTINCT customer, customer % 2 AS sex FROM sold;
	ALTER TABLE master ADD PRIMARY KEY (customer);
	ALTER TABLE sold ADD FOREIGN KEY (customer) REFERENCES master;
	CREATE TABLE same AS
	SELECT customer AS masked, customer AS original FROM master;
	ANALYZE;
	SELECT sdc.create_hierarchy('tens', 'prefix', '{"length": 6}');
	SELECT sdc.create_policy('checked', 'people', '{}',
		'[{"measure": "k_anonymity", ">=": 2}, {"attack": "distance", "<=": 1}]',
		'{"id": "id", "keys": ["age", "income", "weight"]}');
	SELECT sdc.create_strategy('kept', '{sex,education,marital,country,income}',
		'{0,0,0,0,0}',
		params => '{"suppression": 100}')});

my @functions = split /\n/, $node->safe_psql(
	'postgres', q{
	SELECT DISTINCT proname FROM pg_proc
	WHERE pronamespace = 'sdc'::regnamespace AND prokind = 'f'
		AND proargtypes::oid[] && '{regclass,regclass[]}'::regtype[]::oid[]
	ORDER BY 1});

is_deeply([ sort(keys %calls, @quick) ],
	[@functions], 'every function on a relation has a call');

foreach my $function (sort keys %calls)
{
	foreach my $call (@{ $calls{$function} })
	{
		foreach my $milliseconds (@moments)
		{
			my ($late, $error) =
			  stopped_after($node, "sdc.$call", $milliseconds);

			if ($error eq '')
			{
				pass("$call ended within $milliseconds ms");
				last;
			}
			like($error, qr/canceling statement due to statement timeout/,
				"$call: cancelled after $milliseconds ms");
			cmp_ok($late, '<', $patience,
				sprintf('%s: answered after %.2f s', $call, $late));
		}
	}
}

# What is computed from a key, and of everybody once it is known how: pieces of
# eighty lengths take long.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE named AS
	SELECT i AS id, md5(i::text) || md5((-i)::text) || md5('a' || i) AS name
	FROM generate_series(1, 400000) AS i;
	CREATE TABLE told AS
	SELECT id, NULL::text AS name, left(name, 10 + id % 80) AS told FROM named});
my ($out, $err) = ('', '');
my $run = IPC::Run::start(
	[
		'psql', '-X', '-At', '-d', $node->connstr('postgres'),
		'-c', 'SET sdc.progress_interval = 0', '-c',
		q{SELECT count(*) FROM sdc.attack_likelihood('named', 'told', '{"name": {"method": "null"}}', 'id', 'name')}
	],
	'>', \$out, '2>', \$err, IPC::Run::timeout(900));
my $computing = q{SELECT pid FROM sdc.progress WHERE stage = 'computing from keys'};
ok($node->poll_query_until('postgres', "SELECT EXISTS ($computing)"),
	'it is said that keys are computed from');
my $backend = $node->safe_psql('postgres', $computing);
my $asked = processor($backend) + 1.5;
usleep(20_000) while (processor($backend) // $asked) < $asked;
$node->safe_psql('postgres', "SELECT pg_cancel_backend($backend)");
my $gone = until_gone($backend);
my $waited = $gone > $asked ? $gone - $asked : 0;
$run->finish;
cmp_ok($waited, '<', $patience, sprintf('computing from keys: answered after %.2f s', $waited));
like($err, qr/canceling statement due to user request/, 'the cancel reaches the client');

$node->stop;
done_testing();
