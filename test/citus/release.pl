# A release of a distributed table is distributed, replaced by the next one,
# and refused where its rules need all rows.

use strict;
use warnings;

use Test::More;
use Citus;

my ($out, $error);
attempt(q{SELECT sdc.drop_policy('far'); SELECT sdc.drop_policy('nameless');
	SELECT sdc.drop_policy('ranks');
	SELECT sdc.drop_policy('nights')}, on => 1);
ask(q{SET client_min_messages = error;
	DROP SCHEMA IF EXISTS clinic, near, published CASCADE;
	CREATE SCHEMA clinic; CREATE SCHEMA near; CREATE SCHEMA published;
	CREATE TABLE near.visit AS SELECT i AS id, i % 3 AS region, i % 2 AS sex,
		1950 + i % 10 AS born, i * 7919 % 1000 AS income, 'n' || i AS name
	FROM generate_series(1, 3000) AS i;
	CREATE TABLE clinic.visit AS SELECT * FROM near.visit;
	SELECT create_distributed_table('clinic.visit', 'id')});

# What a policy of these rules measures and publishes of a table.
sub policy
{
	my ($name, $table, $rules, $more) = @_;

	return qq{
		SELECT sdc.declare('$table', id => 'id', keys => '{region,sex,born}', sensitive => '{income}');
		SELECT sdc.create_policy('$name', '$table', '{"income": $rules,
			"region": {"method": "keep"}, "sex": {"method": "keep"}, "born": {"method": "keep"},
			"name": {"method": "null"}$more}',
			'[{"measure": "k_anonymity", ">=": 2}, {"measure": "l_distinct", ">=": 2},
			  {"attack": "distance", "<=": 1}, {"attack": "exact", "<=": 1}]',
			'{"schema": "published", "attacks": ["distance", "exact"]}')};
}

my $code = '{"method": "top_code", "upper": 900}';
my $keep = ', "id": {"method": "pseudonym", "domain": "of release", "format": "digits"}';
my $gate = q{SELECT string_agg(g::text, ';' ORDER BY n) FROM sdc.releases('%s') AS r,
	jsonb_array_elements(r.measures -> 0 -> 'gate') WITH ORDINALITY AS g(g, n)
	WHERE r.release = (SELECT max(release) FROM sdc.releases('%s'))};
my $lies = q{SELECT citus_table_type, distribution_column FROM citus_tables
	WHERE table_name = 'published.visit'::regclass};
my $rows = 'SELECT * FROM published.visit';

foreach my $id ('', $keep)
{
	my %measured;
	my %published;
	my $name = $id ? 'far' : 'nameless';

	foreach my $table ('near.visit', 'clinic.visit')
	{
		ask(policy($name, $table, $code, $id));
		ask("CALL sdc.release('$name', seed => 4611686018427387999)");
		$measured{$table} = ask($gate =~ s/%s/$name/gr);
		$published{$table} = join "\n", sort split /\n/, ask($rows);
		next if $table eq 'near.visit' and ask('DROP TABLE published.visit') eq '' and
		  ask("SELECT sdc.drop_policy('$name')") eq '';
	}
	is($measured{'clinic.visit'}, $measured{'near.visit'}, "the gate measures the same, $name");
	isnt($measured{'clinic.visit'} // '', '', 'and it measures');
	is($published{'clinic.visit'}, $published{'near.visit'}, 'the same rows are published');
	is(ask($lies), $id ? 'distributed|id' : 'distributed|income', 'as a distributed table');
	ask("CALL sdc.release('$name', seed => 4611686018427387999)");
	is(join("\n", sort split /\n/, ask($rows)), $published{'clinic.visit'},
		'and the next release replaces them');
	is(ask("SELECT string_agg(status, ',') FROM sdc.releases('$name')"),
		'published,published,published', 'the history has all');
	ask("DROP TABLE published.visit; SELECT sdc.drop_policy('$name')");
}
# What the gate said of the last release; whom differencing finds is estimated from
# crowds, drawn by the number of the release.
sub gate
{
	my ($name) = @_;

	return ask($gate =~ s/%s/$name/gr) =~ s/("value": )[\d.]+(, "detail": "The attack differencing)/$1$2/r
		=~ s/\d+ (more|of)\b/$1/gr;
}

# Nights of a table that changes: people come, go and change, and the gate sees
# the same of the shards as of a plain table.
my %nights;
foreach my $table ('near.visit', 'clinic.visit')
{
	ask(policy('nights', $table, $code, $keep));
	ask("CALL sdc.release('nights', seed => 4611686018427387999)");
	for my $change ("UPDATE $table SET region = (region + 1) % 3 WHERE id % 100 = 7",
		"INSERT INTO $table SELECT 3000 + i, i % 3, i % 2, 1950 + i % 10, i, 'm' || i FROM generate_series(1, 60) AS i",
		"DELETE FROM $table WHERE id % 60 = 1")
	{
		ask($change);
		($out, $error) = attempt("CALL sdc.release('nights', seed => 4611686018427387999)");
		unlike($error, qr/^ERROR/m, "$table: $change");
		push @{ $nights{$table} }, gate('nights'), join("\n", sort split /\n/, ask($rows));
	}
	is(ask(q{SELECT count(*) FROM pg_class WHERE relname LIKE 'sdc\_%' AND relnamespace = 'published'::regnamespace}),
		0, 'nothing is left beside what is published');
	ask(q{DROP TABLE published.visit; SELECT sdc.drop_policy('nights')});
}
is_deeply($nights{'clinic.visit'}, $nights{'near.visit'}, 'the nights are the same');

# The same of a wide table, of which documents, arrays and texts are published
# beside masked keys: what a gate says of all that, and the second night.
my $wide = q{SELECT i AS id, i % 3 AS region, i % 2 AS sex, 1950 + i % 10 AS born, i * 7919 % 1000 AS income,
	'n' || i AS name, jsonb_build_object('pay', jsonb_build_array(i % 3, i * 7919 % 1000 / 100), 'at', i * 31 % 97) AS doc,
	ARRAY[i * 13 % 71, i % 10] AS list, 'said ' || i * 29 % 83 || ' times' AS told,
	point(i % 7, i % 5) AS place, } . join(', ', map { "i * (7919 + 2 * $_) % 101 AS c$_" } 1 .. 20) . ' FROM generate_series(1, 300) AS i';
my @others = (qw(doc list told place), map { "c$_" } 1 .. 20);
my $others = join ',', @others;
my $kept = join ', ', map { qq{"$_": {"method": "keep"}} } @others;
my %wide;
foreach my $table ('near.wide', 'clinic.wide')
{
	ask("CREATE TABLE $table AS $wide");
	ask("SELECT create_distributed_table('clinic.wide', 'id')") if $table eq 'clinic.wide';
	ask(policy('wide', $table, $code, "$keep, $kept") =~ s/\["distance", "exact"\]/["exact", "likelihood"]/r
		=~ s/\{"attack": "distance", "<=": 1\}/{"attack": "likelihood", "<=": 1}/r
		=~ s/(sensitive => '\{income\}')/$1, insensitive => '{$others}'/r);
	for my $change ('SELECT 1', "UPDATE $table SET region = (region + 1) % 3, told = 'moved' WHERE id % 100 = 7;
		INSERT INTO $table (id, region, sex, born, income, doc, list) SELECT 3000 + i, i % 3, i % 2, 1950 + i % 10, i, '{\"pay\": [7]}', '{1}'
			FROM generate_series(1, 12) AS i; DELETE FROM $table WHERE id % 60 = 1")
	{
		ask($change);
		($out, $error) = attempt("CALL sdc.release('wide', seed => 4611686018427387999)");
		unlike($error, qr/^ERROR/m, "$table: a night of a wide table");
		push @{ $wide{$table} }, gate('wide'),
		  join("\n", sort split /\n/, ask('SELECT to_jsonb(w) FROM published.wide AS w'));
	}
	ask(q{DROP TABLE published.wide; SELECT sdc.drop_policy('wide')});
}
is_deeply($wide{'clinic.wide'}, $wide{'near.wide'}, 'nights of a wide table are the same');
like($wide{'clinic.wide'}[2], qr/likelihood/, 'and the gate has looked');

($out, $error) = attempt(policy('ranks', 'clinic.visit', '{"method": "rank_swap", "p": 5}', ''));
like($error, qr/cannot mask the distributed relation/, 'a policy of rules that draw is refused');
is(ask(q{SELECT count(*) FROM sdc.policy WHERE policy = 'ranks'}), 0, 'and nothing is left of it');
ask(q{SELECT sdc.forget_pseudonyms('of release')});
done_testing();
