# One call of each function on a relation, for tests that go through all of
# them.  %r is the relation, quoted, with the columns of SdcCalls::rows.

package SdcCalls;

use strict;
use warnings;

use Exporter 'import';

our @EXPORT_OK = qw(%on_relation rows);

our %on_relation = (
	anatomize => q{sdc.anatomize(%r, 'made', 'id', 'age', 'disease', 2)},
	anonymize => q{sdc.anonymize(%r, 'made', 'age', k => 2, params => '{"suppression": 100}')},
	anonymize_itemsets => q{sdc.anonymize_itemsets(%r, 'made', 0.5, %m)},
	apply_strategy => q{sdc.apply_strategy(%r, 'made', 'kept')},
	attack_composition => q{sdc.attack_composition(ARRAY[%r, %r]::regclass[], 'id', 'age', 'disease')},
	attack_distance => q{sdc.attack_distance(%r, %r, 'id', 'age,income')},
	attack_joined => q{sdc.attack_joined(ARRAY[%r::regclass], ARRAY[%r::regclass])},
	attack_events => q{sdc.attack_events(%r, %r, 'id', mapping => %m)},
	attack_exact => q{sdc.attack_exact(%r, %r, 'id', 'age')},
	attack_itemset => q{sdc.attack_itemset(%r, %r, %r, mapping => %l)},
	attack_learned => q{sdc.attack_learned(%r, %r, 'id', 'age,income')},
	attack_likelihood => q{sdc.attack_likelihood(%r, %r, '{"age": {"method": "rank_swap", "p": 5}}', 'id', 'age')},
	attack_minimality => q{sdc.attack_minimality(%r, 'sex', 'id', 'income', 1)},
	'attack_minimality (search)' => q{sdc.attack_minimality(%r, NULL, 'id', 'disease', 1, 'local', %r, 'age', 1)},
	attack_probabilistic => q{sdc.attack_probabilistic(%r, %r, 'id', 'age,sex')},
	attack_transparency => q{sdc.attack_transparency(%r, %r, '{"age": {"method": "rank_swap", "p": 5}}', 'id', 'age')},
	candidate_sets => q{sdc.candidate_sets(%r, %r, '{"age": {"method": "rank_swap", "p": 5}}', 'id', 'age')},
	check_hierarchy => q{sdc.check_hierarchy(%r, 'age', 'tens')},
	check_release => q{sdc.check_release('policy of owner', %r)},
	check_strategy => q{sdc.check_strategy(%r, 'kept')},
	classify => q{sdc.classify(%r, %r, 'id', 'age', 'disease')},
	correct_moments => q{sdc.correct_moments(%r, '{"age": {"method": "add_noise", "alpha": 1}}', 'age')},
	create_dataset => q{sdc.create_dataset('made', %r, 'id', epsilon => 1)},
	create_policy => q{sdc.create_policy('made', %r, '{}', '[]')},
	customer_class_difference => q{sdc.customer_class_difference(%r, %r, %m)},
	declare => q{sdc.declare(%r, 'id', 'age', 'disease')},
	declared => q{sdc.declared(%r)},
	declared_nulls => q{sdc.declared_nulls(%r)},
	disclosure_report => q{sdc.disclosure_report(%r, %r, 'id', 'age,income')},
	drift => q{sdc.drift(%r)},
	estimate_linkage => q{sdc.estimate_linkage(%r, %r, 'age,sex')},
	frontier => q{sdc.frontier(%r, '{"income": {"method": "rank_swap", "p": [5, 10]}}', 'id', 'age,income', params => '{"repeats": 1}')},
	frontier_itemsets => q{sdc.frontier_itemsets(%r, '{"t": 0.5}', mapping => %m, params => '{"k": 1, "repeats": 1}')},
	inference_risk => q{sdc.inference_risk(%r, %r, 'id', 'age', 'disease')},
	item_set_distance => q{sdc.item_set_distance(%r, %r, %r, %l)},
	kmeans => q{sdc.kmeans(%r, 'id', 'age,income', 2)},
	l_multi => q{sdc.l_multi(%r, 'age', 'disease,sex')},
	lattice => q{sdc.lattice(%r, 'age', k => 2, params => '{"suppression": 100}')},
	learn_distance => q{sdc.learn_distance(%r, %r, 'id', 'age,income')},
	linkage_patterns => q{sdc.linkage_patterns(%r, %r, 'age,sex')},
	'mask (copy)' => q{sdc.mask(%r, '{"income": {"method": "rank_swap", "p": 20}}', 'made')},
	'mask (in place)' => q{sdc.mask(%r, '{"income": {"method": "rank_swap", "p": 20}}')},
	'mask (dry run)' => q{sdc.mask(%r, '{"income": {"method": "rank_swap", "p": 20}}', 'made', dry_run => true)},
	mean_price_error => q{sdc.mean_price_error(%r, %r, %r, %r, 'sex', %m)},
	membership_risk => q{sdc.membership_risk(%r, %r, 'id', 'age', 'disease', params => '{"repeats": 1}')},
	model_agreement => q{sdc.model_agreement(%r, %r, 'id', 'age', 'disease', variant => 'tree')},
	place_k => q{sdc.place_k(%r, %r, 'id,age', 0, 10, id => 'id', people => 'age')},
	posterior => q{sdc.posterior(%r, NULL, 'age', 'disease')},
	propensity => q{sdc.propensity(%r, %r, 'age')},
	recode_locally => q{sdc.recode_locally(%r, 'made', 'id', 'age', k => 2)},
	release_rows => q{sdc.release_rows('policy of owner', %r, '{1,2}')},
	release_values => q{sdc.release_values('policy of owner', %r)},
	risk_cells => q{sdc.risk_cells(%r, 'age', 'disease')},
	risk_records => q{sdc.risk_records(%r, 'id', 'age')},
	risk_records_into => q{sdc.risk_records_into(%r, 'made', 'id', 'age')},
	risk_report => q{sdc.risk_report(%r, 'age', 'disease')},
	sample_rows => q{sdc.sample_rows(%r, 'made')},
	separation => q{sdc.separation(%r, 'age,sex')},
	suda2 => q{sdc.suda2(%r, 'id', 'age,sex')},
	suggest => q{sdc.suggest(%r)},
	suppress => q{sdc.suppress(%r, 'made', 'id', 'age', k => 2)},
	gdpr_report => q{sdc.gdpr_report(%r, %r, 'age,sex', params => '{"n": 5}')},
	attack_table => q{sdc.attack_table(%r, 'id', 'income')},
	table_report => q{sdc.table_report(%r, 'id', 'income')},
	show_table => q{sdc.show_table(%r, 'id', 'income')},
	protect_table => q{sdc.protect_table(%r, NULL, '{"threshold": 3}', 'age,sex')},
	synthesize => q{sdc.synthesize(%r, 'made', 'age,sex')},
	synthesize_tables => q{sdc.synthesize_tables(ARRAY[%r]::regclass[], '{made}', '{"rare": 0}')},
	table_distance => q{sdc.table_distance(%r, %r, 'age,income')},
	transaction_report => q{sdc.transaction_report(%r, %r, 'id', %m)},
	turnover_error => q{sdc.turnover_error(%r, %r, %r, mapping => %l)},
	uniqueness => q{sdc.uniqueness(%r, keys => 'age', variant => 'pitman', params => '{"sampling_fraction": 0.1}')},
	utility_classifier => q{sdc.utility_classifier(%r, %r, 'age', 'disease', 'tree')},
	utility_clusters => q{sdc.utility_clusters(%r, %r, 'id', 'age,income', 2)},
	utility_report => q{sdc.utility_report(%r, %r, 'id')});

# Columns of purchases, and of a link of customers.
my $mapping = q{'{"customer": "id", "invoice": "buyer", "at": "at", "item": "sex", "price": "income", "quantity": "pieces"}'};
my $linked = $mapping =~ s/\}'$/, "masked": "id", "original": "id"}'/r;
s/%m/$mapping/, s/%l/$linked/ foreach values %on_relation;

# A query of so many rows.
sub rows
{
	my ($count) = @_;

	return qq{SELECT i AS id, 20 + i % 10 AS age, 1 + i % 2 AS sex,
	(i * 7919 % 1000)::float8 AS income, 'd' || i % 3 AS disease,
	date '2020-01-01' + i AS at, i % 5 + 1 AS pieces, i / 3 AS buyer
	FROM generate_series(1, $count) AS i};
}

1;
