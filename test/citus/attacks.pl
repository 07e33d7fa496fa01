# Attacks that look at everything a release shows beside its masked keys (texts,
# numbers in them, documents, arrays, many columns) answer for distributed
# tables what they answer for plain ones, to the last bit, and find the same.

use strict;
use warnings;

use Test::More;
use Citus;

my $rows = 600;
my $noise = 'income + (i * 104729 % 41) - 20';
my $shown = q{'b' || income / 10 AS band, md5('b' || income / 20) AS digest,
	jsonb_build_object('pay', jsonb_build_array(i % 3, income), 'at', jsonb_build_object('zip', zip, 'x', i * 31 % 97)) AS doc,
	json_build_object('n', income / 3, 'luck', i * 17 % 89) AS note,
	ARRAY[i * 13 % 71, income] AS list, 'earns ' || income || ' in ' || zip AS told,
	xmlelement(name pay, income)::text AS mark, point(income, zip % 100) AS place,
	repeat('x', 120) || zip AS long, ARRAY['n' || zip, 'm'] AS words, i % 2 = 0 AS odd,
	CASE WHEN i % 7 > 0 THEN income * 2 + i % 3 END AS tax};
my $many = join ', ', map { "(i * (7919 + 2 * $_) % 1009)::int AS c$_" } 1 .. 30;
my $people = qq{(SELECT i, (i * 7919 % 1009)::int AS income, (1000 + i * i % 613)::int AS zip,
	(ARRAY['Ann', 'Bob', 'Cy', 'Dee'])[1 + i % 4] || ' ' || chr(65 + i % 26) || 'olt' || i % 40 AS name
	FROM generate_series(1, $rows) AS i) AS p};
my %made = (
	people => "SELECT i AS id, income, zip, name, $shown, $many FROM $people",
	masked => "SELECT i AS id, ($noise)::int AS income, zip / 10 * 10 AS zip, CASE WHEN i > 0 THEN 'x' END AS name, $shown, $many FROM $people");
my $rules = '{"income": {"method": "add_noise", "alpha": 0.002, "variant": "uniform"}, "zip": {"method": "round_to", "base": 10}}';

ask(q{SET client_min_messages = error; DROP SCHEMA IF EXISTS near, far, other CASCADE;
	CREATE SCHEMA near; CREATE SCHEMA far; CREATE SCHEMA other});
foreach my $table (sort keys %made)
{
	ask("CREATE TABLE near.$table AS $made{$table}");
	# beside each other, and by another column
	foreach my $lies ([ 'far', 'id' ], [ 'other', 'zip' ])
	{
		ask("CREATE TABLE $lies->[0].$table AS $made{$table} WITH NO DATA;
			SELECT create_distributed_table('$lies->[0].$table', '$lies->[1]');
			INSERT INTO $lies->[0].$table $made{$table}");
	}
}

# What a call says of the tables of a schema, whose name it does not say.
sub answer
{
	my ($schema, $call) = @_;
	my ($out, $error) = attempt("SET sdc.progress_interval = 0; SELECT a FROM " . $call =~ s/%s/$schema/gr . ' AS a');

	$error =~ s/^NOTICE.*\n(DETAIL.*\n)?(HINT.*\n)?//mg;
	return ($error . join "\n", sort split /\n/, $out) =~ s/\b$schema\.//gr;
}

foreach my $call (
	qq{sdc.attack_likelihood('%s.people', '%s.masked', '$rules', 'id', 'income,zip', '{"max_candidates": 1}', 1)},
	qq{sdc.attack_likelihood('%s.people', '%s.masked', '$rules', 'id', 'income,zip,name', '{"max_candidates": 3, "assignment": "none"}', 1)},
	qq{sdc.attack_likelihood('%s.people', '%s.masked', '$rules', 'id', 'name', '{"max_candidates": 1}', 1)},
	qq{sdc.attack_likelihood('%s.people', '%s.masked', NULL, 'id', 'zip', NULL, 1)},
	qq{sdc.attack_likelihood('%s.people', '%s.people', '{"zip": {"method": "rank_swap", "p": 5}}', 'id', 'zip,income', NULL, 1)},
	qq{sdc.disclosure_report('%s.people', '%s.masked', 'id', 'income,zip', rules => '$rules', seed => 1)},
	qq{sdc.disclosure_report('%s.people', '%s.masked', 'id', 'income,zip,name', 'tax,c1', rules => '$rules', measures => 'likelihood', seed => 1)},
	qq{sdc.attack_transparency('%s.people', '%s.masked', '$rules', 'id', 'income,zip', seed => 1)},
	qq{sdc.attack_learned('%s.people', '%s.masked', 'id', 'income,zip,c1', seed => 1)},
	qq{sdc.gdpr_report('%s.people', '%s.masked', 'income,zip', params => '{"n": 20}', seed => 1)},
	qq{sdc.suggest('%s.people')},
	qq{sdc.risk_report('%s.people', '{zip,band}', '{told,place,words}')})
{
	my $expected = answer('near', $call);

	unlike($expected, qr/^ERROR/m, "a plain table: $call");
	cmp_ok(length $expected, '>', 100, 'which says something');
	is(answer($_, $call), $expected, "$_: the same") foreach 'far', 'other';
}
# It is what is shown that is found: by the keys alone it would be few.
my $found = q{SELECT count(*) FILTER (WHERE correct) FROM sdc.attack_likelihood('far.people', '%s', '%r', 'id',
	'income,zip', '{"max_candidates": 1%m}', 1)} =~ s/%r/$rules/r;
my $all = ask($found =~ s/%s/far.masked/r =~ s/%m//r);
cmp_ok($all, '>', $rows * 0.9, 'nearly all are found by what is shown');
cmp_ok(ask($found =~ s/%s/far.masked/r =~ s/%m/, "released": false/r), '<', $all / 2, 'and few without it');

# A role that may not read a column sees no more of it over shards.
ask(q{SET client_min_messages = error; DROP ROLE IF EXISTS narrow; CREATE ROLE narrow LOGIN;
	GRANT USAGE ON SCHEMA far TO narrow; GRANT SELECT (id, income, zip) ON far.people, far.masked TO narrow});
my ($out, $error) = attempt(qq{SET ROLE narrow; SELECT count(*) FROM sdc.attack_likelihood('far.people', 'far.masked', '$rules', 'id', 'income,zip')});
my ($narrow, $denied) = attempt(qq{SET ROLE narrow; SELECT told FROM far.masked});
like($denied, qr/permission denied/, 'a column is not for everybody');
unlike($error, qr/\b1000\b|earns/, 'and no value of it is told');
ask('DROP OWNED BY narrow; DROP ROLE narrow; DROP SCHEMA near, far, other CASCADE');
done_testing();
