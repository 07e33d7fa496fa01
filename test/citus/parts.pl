# A report whose cells are too many is made by parts, each the classes of a
# certain hash: the same lines as on a plain table, in less memory.

use strict;
use warnings;

use Test::More;
use Citus;

my $rows = 40000;
my $made = qq{SELECT i AS id, (i * 7919 % 10007)::int AS a,
	CASE WHEN i % 11 > 0 THEN 'b' || i * i % 131 END AS b, (i * 31 % 700)::numeric(9, 2) AS c,
	(i * 104729 % 5003)::float8 / 8 - 100 AS d, (ARRAY['low', 'middle', 'high'])[1 + i % 3]::level AS e,
	i % 7 = 0 AS ill, i % 9 / 4.0::float8 + 1 AS weight, CASE WHEN i % 13 > 0 THEN (i * 17 % 29)::int END AS code
	FROM generate_series(1::bigint, $rows) AS i};
ask(qq{SET client_min_messages = error; DROP TABLE IF EXISTS near, far; DROP TYPE IF EXISTS level;
	CREATE TYPE level AS ENUM ('high', 'low', 'middle');
	SET citus.shard_count = 16;
	CREATE TABLE near AS $made;
	CREATE TABLE far AS $made WITH NO DATA;
	SELECT create_distributed_table('far', 'id');
	INSERT INTO far $made});

sub report
{
	my ($table, $limit, $rest) = @_;

	return attempt(qq{SET sdc.memory_limit = '$limit'; SET sdc.progress_interval = 0;
		SELECT r FROM sdc.risk_report('$table', $rest) AS r});
}


foreach my $rest (
	q{'{a,b}', '{ill,code}'}, q{'{a,b,c}', '{code}'}, q{'{d,e,a}', '{ill}'}, q{'{a,b,d}', NULL},
	q{'{c,d}', '{ill,code}', params => '{"nulls": "ignore", "threshold": 0.4}'},
	q{'{a,b}', '{code,e}', measures => '{k_anonymity, l_entropy, t_ordered, background_knowledge, classes, l_recursive}'})
{
	my ($whole, $wrong) = report('near', '1GB', $rest);
	my ($parts, $error) = report('far', '2MB', $rest);

	is($wrong, '', "a plain table: $rest");
	is($error . $parts, $whole, 'by parts it is the same');
	cmp_ok(scalar(() = $whole =~ /\n/g), '>', 3, 'which says something');
	($parts, $error) = report('far', '1GB', $rest);
	is($error . $parts, $whole, 'and as a whole');
	(undef, $error) = report('near', '2MB', $rest);
	like($error, qr/sdc.memory_limit/, 'for which so little memory is not enough');
}

# What asks for all cells at once is counted as a whole, and says what it lacks.
foreach my $rest (q{'{a,b}', '{ill}', params => '{"nulls": "wildcard"}'}, q{'{a,b,c}', measures => '{special_uniques}'})
{
	my (undef, $error) = report('far', '2MB', $rest);

	like($error, qr/sdc.memory_limit/, "not by parts: $rest");
}
# The risks of records as a table: in shards beside those of the rows, the same figures.
foreach my $rest (q{'{a,b}', '{ill,code}'}, q{'{d,e,a}', '{ill}', params => '{"sampling_fraction": 0.1}'},
	q{'{c,d}', '{code}', variant => 'approx', weight => 'weight'}, q{'{c}', '{code}', params => '{"nulls": "ignore"}'})
{
	my ($said, $error) = attempt(qq{SET sdc.memory_limit = '2MB'; SET sdc.progress_interval = 0;
		DROP TABLE IF EXISTS risks; SELECT rows FROM sdc.risk_records_into('far', 'risks', 'id', $rest)});

	is($error =~ s/^NOTICE.*\n//gr . $said, ask('SELECT count(*) FROM near'), "risks of records: $rest");
	is(ask(qq{SELECT count(*) FROM (SELECT * FROM risks OFFSET 0) AS m
		JOIN sdc.risk_records('near', 'id', $rest) AS r ON r.id = m.id::text
		WHERE (m.class_size, m.population, m.l_distinct, m.confidence) = (r.class_size, r.population, r.l_distinct, r.confidence)
		AND abs(m.risk - r.risk) <= 1e-15 * r.risk}), $said, 'each is that of risk_records of a plain table');
}
is(ask(q{SELECT count(*) FROM citus_tables AS a JOIN citus_tables AS b USING (colocation_id, distribution_column)
	WHERE a.table_name = 'far'::regclass AND b.table_name = 'risks'::regclass}), 1, 'beside the rows');
is(join(' ', map { $_ - $_ % 1 } workers_say(q{SELECT count(*) FROM pg_class WHERE relname LIKE 'sdc\_cells%'}),
	ask(q{SELECT count(*) FROM pg_class WHERE relname LIKE 'sdc\_cells%'})), '0 0 0', 'nothing else is left');
ask(q{CREATE TABLE other AS SELECT * FROM near WITH NO DATA; SELECT create_distributed_table('other', 'a');
	INSERT INTO other SELECT * FROM near; DROP TABLE risks; SELECT sdc.risk_records_into('other', 'risks', 'id', '{b}')});
is(ask(q{SELECT count(*) FROM other JOIN risks USING (a, id)}), ask('SELECT count(*) FROM near'),
	'with the column of the shards where that is not the id');

# Without the right to read there is nothing.
ask('DROP ROLE IF EXISTS stranger; CREATE ROLE stranger LOGIN');
my (undef, $error) = attempt(q{SET ROLE stranger; SET sdc.memory_limit = '2MB';
	SELECT count(*) FROM sdc.risk_report('far', '{a,b}')});
like($error, qr/permission denied/, 'a role without SELECT reads nothing');
(undef, $error) = attempt(q{SET ROLE stranger; SELECT sdc.risk_records_into('far', 'pg_temp.mine', 'id', '{a,b}')});
like($error, qr/permission denied/, 'nor has it written');
ask('DROP ROLE stranger; DROP TABLE near, far, other, risks; DROP TYPE level');
done_testing();
