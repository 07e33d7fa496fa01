# Rules that need all rows of a distributed table: figures are gathered, then
# each server masks its own rows.  Values trade places over all servers, within
# the window; means are those of a plain table, to the bit; noise has the
# covariances it should; what cannot be done so is refused, and rows that
# change meanwhile are noticed.

use strict;
use warnings;

use IPC::Run qw(start finish);
use Test::More;
use Citus;

my $rows = 20000;
my $made = qq{SELECT i AS id, (i * 7919 % 10007)::int AS income,
	(i * 104729 % 5003)::float8 / 8 AS savings, (i * i % 97)::numeric AS age,
	CASE WHEN i % 11 > 0 THEN 'p' || i * i % 13 END AS job,
	date '2000-01-01' + (i * 31 % 900)::int AS day
	FROM generate_series(1, $rows) AS i};
ask(qq{SET client_min_messages = error;
	DROP TABLE IF EXISTS near, far, made, expected, alone;
	CREATE TABLE near AS $made;
	CREATE TABLE far AS $made WITH NO DATA;
	SELECT create_distributed_table('far', 'id');
	INSERT INTO far $made;
	CREATE TABLE alone (LIKE far);
	SELECT create_distributed_table('alone', NULL, colocate_with => 'none');
	INSERT INTO alone $made});

sub mask
{
	my ($table, $rules, $target, $more) = @_;

	return attempt(qq{SET client_min_messages = error; DROP TABLE IF EXISTS $target;
		SELECT changed FROM sdc.mask('$table', '{$rules}', '$target'$more)
		WHERE step = 'mask'});
}

# Rows by which two queries differ.
sub differ
{
	my ($a, $b) = @_;

	return ask("SELECT count(*) FROM ((($a) EXCEPT ALL ($b)) UNION ALL
		(($b) EXCEPT ALL ($a))) AS d");
}

# Values that move: the same ones, as many NULLs, in other rows.
foreach my $column ('income', 'savings', 'age', 'job', 'day')
{
	foreach my $rule ('"method": "rank_swap", "p": 5', '"method": "shuffle"',
		'"method": "rank_swap", "p": 5, "variant": "buckets"')
	{
		my ($changed, $error) = mask('far', qq{"$column": {$rule}}, 'made', '');

		is($error, '', "$column: $rule");
		is(differ("SELECT $column FROM made", "SELECT $column FROM near"), 0,
			'the values are the same');
		is(ask("SELECT count(*) FROM made JOIN near USING (id)
			WHERE made.$column IS DISTINCT FROM near.$column"), $changed,
			'as many as it says are in other rows');
		cmp_ok($changed, '>', $rows / 10, 'and these are many');
		is(ask("SELECT count(*) FROM made JOIN near USING (id)
			WHERE (made.$column IS NULL) <> (near.$column IS NULL)"), 0,
			'NULLs stay');
		is(ask(q{SELECT citus_table_type FROM citus_tables
			WHERE table_name = 'made'::regclass}), 'distributed', 'in a distributed table');
	}
}

# How far they move, in ranks of which equal values share the nearest ones.
my $ranks = 'SELECT %s AS v, min(r) AS low, max(r) AS high FROM (SELECT %s,
	row_number() OVER (ORDER BY %s) AS r FROM near) AS s GROUP BY 1';
my $far = sub {
	my ($column) = @_;
	my $r = $ranks =~ s/%s/$column/gr;

	return ask("WITH r AS MATERIALIZED ($r), m AS MATERIALIZED (SELECT id, $column FROM made)
		SELECT max(greatest(a.low - b.high, b.low - a.high, 0)),
			max(greatest(a.low - b.high, b.low - a.high, 0)) > $rows * 0.045,
			avg(abs(a.low - b.low)) > $rows * 0.015
		FROM near JOIN m USING (id) JOIN r AS a ON a.v = near.$column
		JOIN r AS b ON b.v = m.$column");
};
foreach my $table ('far', 'alone')
{
	mask($table, '"income": {"method": "rank_swap", "p": 5}', 'made', '');
	my ($most, $some, $mean) = split /\|/, $far->('income');
	cmp_ok($most, '<=', $rows * 0.05, "$table: no value moves further than the window");
	is("$some$mean", 'tt', 'and they move over all of it');
	is(differ('SELECT income FROM made', 'SELECT income FROM near'), 0, 'they are the same');
}
is(ask(q{SELECT citus_table_type, distribution_column, count(*) FROM citus_tables JOIN pg_dist_shard ON logicalrelid = table_name
	WHERE table_name = 'made'::regclass GROUP BY 1, 2}), 'distributed|<none>|1', 'a table of one shard becomes one');
is(ask(q{SELECT pg_relation_size('made')}), 0, 'of which nothing is left here');
# Partners lie on other servers, too: not in the shard alone.
cmp_ok(ask(q{SELECT count(*) FROM (SELECT DISTINCT get_shard_id_for_distribution_column('far', id), income FROM made) AS a
	JOIN (SELECT DISTINCT get_shard_id_for_distribution_column('far', id), income FROM far) AS b
	USING (get_shard_id_for_distribution_column, income)}), '<', $rows / 4,
	'values come from other shards') if mask('far', '"income": {"method": "shuffle"}', 'made', '') || 1;

# No masked row comes to the coordinator, whatever the type of the shards' column.
foreach my $type ([ 'bigint', 'id' ], [ 'numeric', 'id / 4.0' ], [ 'text', q{'t' || id} ], [ 'char(5)', 'id % 500' ],
	[ 'timestamptz', q{timestamptz '2000-01-01' + id * interval '1 day'} ], [ 'uuid', 'md5(id::text)::uuid' ])
{
	my $name = "by $type->[0]";

	ask(qq{SET client_min_messages = error; DROP TABLE IF EXISTS typed, made; CREATE TABLE typed (id $type->[0], income int);
		SELECT create_distributed_table('typed', 'id'); INSERT INTO typed SELECT $type->[1], income FROM near});
	my ($out, $error) = attempt(q{SET client_min_messages = debug1;
		SELECT count(*) FROM sdc.mask('typed', '{"income": {"method": "rank_swap", "p": 5}}', 'made')});
	unlike($error, qr/^ERROR|results on coordinator/m, "$name: written on the workers");
	is(differ('SELECT income FROM made', 'SELECT income FROM near'), 0, 'and the values are the same');
}
ask('DROP TABLE typed, made');

# Few values, many and one: ranks are looked up several together.
foreach my $different (1, 2, 3, 38, 150, 690)
{
	ask(qq{SET client_min_messages = error; DROP TABLE IF EXISTS few, made; CREATE TABLE few (id int, name text, number int);
		SELECT create_distributed_table('few', 'id');
		INSERT INTO few SELECT i, 'n' || i * i % $different, (i * 17 % $different) FROM generate_series(1, 701) AS i});
	ask(q{SELECT count(*) FROM sdc.mask('few', '{"name": {"method": "shuffle"}, "number": {"method": "rank_swap", "p": 20}}', 'made')});
	is(differ('SELECT name FROM made', 'SELECT name FROM few') . differ('SELECT number FROM made', 'SELECT number FROM few'),
		'00', "$different different values are kept");
}
ask('DROP TABLE few, made');

# With a seed the values that a row can get are drawn alike.
mask('far', '"income": {"method": "rank_swap", "p": 5}', 'made', ', seed => 3');
mask('far', '"income": {"method": "rank_swap", "p": 5}', 'expected', ', seed => 3');
is(differ('SELECT * FROM made', 'SELECT * FROM expected'), 0, 'a seed gives the same');
mask('far', '"income": {"method": "rank_swap", "p": 5}', 'expected', ', seed => 4');
isnt(differ('SELECT * FROM made', 'SELECT * FROM expected'), 0, 'another one does not');

# Post-randomisation: about p percent and who drew himself stay.
mask('far', '"job": {"method": "pram", "p": 80}', 'made', '');
my $same = ask('SELECT count(*) FROM made JOIN near USING (id) WHERE made.job = near.job');
my $known = ask('SELECT count(job) FROM near');
my $stay = ask('SELECT sum(n * (0.8 + 0.2 * n / sum)) FROM (SELECT count(*) AS n, sum(count(*)) OVER () FROM near WHERE job IS NOT NULL GROUP BY job) AS s');
cmp_ok(abs($same - $stay), '<', 5 * sqrt($known * 0.2 * 0.8), 'pram keeps as many as it should');
is(ask('SELECT count(*) FROM made WHERE job NOT IN (SELECT job FROM near WHERE job IS NOT NULL)'), 0,
	'and draws values of the column');

# Means: those of a plain table, to the bit.
foreach my $column ('income', 'savings', 'day')
{
	foreach my $k (3, 50)
	{
		mask('far', qq{"$column": {"method": "microaggregate", "k": $k}}, 'made', '');
		mask('near', qq{"$column": {"method": "microaggregate", "k": $k}}, 'expected', '');
		is(differ("SELECT $column FROM made", "SELECT $column FROM expected"), 0,
			"microaggregate $column by $k gives the means of a plain table");
		is(ask("SELECT count(*) FROM (SELECT $column FROM made GROUP BY 1 HAVING count(*) < $k) AS s"), 0,
			'each for k records at least');
	}
}

# Noise: its variance is a share of that of all rows, and it goes with that of
# other columns; each row has its own.
my $noise = '{"method": "add_noise", "alpha": 0.25}';
mask('far', qq{"savings": $noise}, 'made', '');
my @noise = split /\|/, ask(q{SELECT avg(m.savings - n.savings) / stddev(n.savings),
	variance(m.savings - n.savings) / variance(n.savings), count(DISTINCT m.savings - n.savings),
	abs(corr(m.savings - n.savings, n.savings)) < 0.04 FROM (SELECT * FROM made OFFSET 0) AS m JOIN near AS n USING (id)});
cmp_ok(abs($noise[0]), '<', 5 * 0.5 / sqrt($rows), 'noise has no mean');
cmp_ok(abs($noise[1] / 0.25 - 1), '<', 5 * sqrt(2 / $rows), 'its variance is alpha of that of the column');
cmp_ok($noise[2], '>', $rows * 0.99, 'each row has its own, whatever server it is on');
is($noise[3], 't', 'it does not go with the value');
ask(q{UPDATE near SET savings = income * 2 + id % 100; TRUNCATE far; INSERT INTO far SELECT * FROM near});
mask('far', qq{"income,savings": $noise}, 'made', '');
@noise = split /\|/, ask(q{SELECT corr(n.income, n.savings), corr(m.income - n.income, m.savings - n.savings),
	variance(m.savings - n.savings) / variance(n.savings) FROM (SELECT * FROM made OFFSET 0) AS m JOIN near AS n USING (id)});
cmp_ok(abs($noise[0] - $noise[1]), '<', 0.02, 'noise of two columns goes together as they do');
cmp_ok(abs($noise[2] / 0.25 - 1), '<', 5 * sqrt(2 / $rows), 'with the variance it should have');
my ($out, $error) = mask('far', qq{"savings": $noise}, 'made', ', seed => 1');
like($error, qr/needs a column that tells records apart/, 'a seed needs an id');
mask('far', qq{"savings": $noise}, 'made', q{, seed => 1, id => 'id'});
mask('far', qq{"savings": $noise}, 'expected', q{, seed => 1, id => 'id'});
is(differ('SELECT * FROM made', 'SELECT * FROM expected'), 0, 'and gives the same noise then');

ask(q{SET client_min_messages = error; DROP TABLE IF EXISTS striped;
	CREATE TABLE striped (id text, v float8) USING columnar; SELECT create_distributed_table('striped', 'id');
	INSERT INTO striped SELECT 'n' || i, i % 50 FROM generate_series(1, 1000) AS i});
($out, $error) = mask('striped', '"v": {"method": "add_noise", "alpha": 0.1}', 'made', '');
like($error, qr/needs a column that tells records apart/, 'a columnar table needs one, too');
mask('striped', '"v": {"method": "add_noise", "alpha": 0.1}', 'made', q{, id => 'id'});
is(ask('SELECT count(DISTINCT made.v - striped.v) FROM made JOIN striped USING (id)'), 1000, 'and each row has its noise');
ask('DROP TABLE striped');

# Several rules of such kinds at once, and a dry run.
mask('far', qq{"income": {"method": "rank_swap", "p": 10}, "savings": $noise,
	"age": {"method": "microaggregate", "k": 5}, "job": {"method": "null"}}, 'made', '');
is(differ('SELECT income FROM made', 'SELECT income FROM near') . ask(q{SELECT count(job) FROM made}), '00',
	'several rules at once');
is(ask(q{SELECT changed > 10000 FROM sdc.mask('far', '{"income": {"method": "rank_swap", "p": 5}}', 'other',
	dry_run => true) WHERE step = 'mask'}), 't', 'a dry run masks the same way');
is(ask(q{SELECT count(*) FROM pg_class WHERE relname = 'other'}), 0, 'and leaves nothing');

# The table whose shards are told by a masked column.
($out, $error) = mask('far', '"id": {"method": "shuffle"}', 'made', '');
is($error . differ('SELECT id FROM made', 'SELECT id FROM near'), '0', 'the column of the shards, too');

# What is refused, and when.
foreach my $refused (
	[ '"income": {"method": "romm", "alpha": 0.1}', 'The matrix is one for all rows' ],
	[ '"income": {"method": "outlier_noise", "alpha": 0.1}', 'The limit is that of all rows' ])
{
	($out, $error) = mask('far', $refused->[0], 'made', ', dry_run => true');
	like($error, qr/cannot mask the distributed relation "far"\nDETAIL:  $refused->[1]/, "refused: $refused->[0]");
}

# Strata go to a server each, which masks them as it would a plain table: with a
# seed and an id the same values, whatever the rule; so do records of several
# columns as long as they are few.
foreach my $rules (
	'"income": {"method": "rank_swap", "p": 5, "strata": "job"}',
	'"age": {"method": "shuffle", "strata": "job"}, "income": {"method": "shuffle", "strata": ["job", "day"]}',
	'"savings": {"method": "add_noise", "alpha": 0.5, "strata": "job"}',
	'"savings,income": {"method": "add_noise", "alpha": 0.5, "strata": "age"}',
	'"income": {"method": "microaggregate", "k": 3, "strata": "job"}',
	'"income,savings": {"method": "microaggregate", "k": 3, "strata": "age"}',
	'"income,savings,day": {"method": "microaggregate", "k": 4}',
	'"income,savings": {"method": "microaggregate", "k": 4, "variant": "mondrian", "standardize": false}',
	'"job": {"method": "pram", "p": 60, "strata": "age"}, "age": {"method": "pram", "p": 60, "strata": "job"}',
	'"income,savings": {"method": "romm", "alpha": 0.3, "strata": "job"}',
	'"income": {"method": "outlier_noise", "alpha": 0.3, "threshold": 1, "strata": "job"}',
	'"income,savings": {"method": "data_shuffle", "given": ["day"], "strata": "job"}',
	'"job": {"method": "anatomize", "l": 2, "strata": "day"}',
	'"day": {"method": "rank_swap", "p": 9, "strata": "job"}, "job": {"method": "null"}, "age": {"method": "round_to", "base": 10}',
	'"id": {"method": "shuffle", "strata": "job"}, "income": {"method": "rank_swap", "p": 3, "strata": "age"}')
{
	my %made;

	foreach my $table ('near', 'far')
	{
		my ($said, $wrong) = mask($table, $rules, $table eq 'near' ? 'expected' : 'made', q{, seed => 7, id => 'id'});

		is($wrong, '', "$table: $rules");
	}
	is(differ('SELECT * FROM made', 'SELECT * FROM expected'), 0, 'the same as of a plain table');
	isnt(differ('SELECT * FROM made', 'SELECT * FROM near'), 0, 'and masked');
	is(ask(q{SELECT citus_table_type FROM citus_tables WHERE table_name = 'made'::regclass}), 'distributed', 'in shards');
}
# Beside a rule that needs figures, which are of all rows; and without a seed.
mask('far', '"income": {"method": "rank_swap", "p": 5, "strata": "job"}, "savings": {"method": "rank_swap", "p": 5},
	"age": {"method": "top_code", "upper": 50}', 'made', '');
is(differ('SELECT job, income FROM made', 'SELECT job, income FROM near'), 0, 'strata keep their values');
is(differ('SELECT savings FROM made', 'SELECT savings FROM near') . ask('SELECT max(age) FROM made'), '050', 'beside other rules');
cmp_ok(ask('SELECT count(*) FROM made JOIN near USING (id) WHERE made.income <> near.income'), '>', $rows / 2, 'and they move');
is(ask(q{SELECT count(*) FROM sdc.mask('far', '{"income": {"method": "rank_swap", "p": 5, "strata": "job"}}', 'other',
	dry_run => true) WHERE step = 'example'}), 3, 'a dry run masks the same way');
my $left = q{SELECT count(*) FROM pg_class WHERE relname ~ '^(sdc_part|other)'};
is(join(' ', ask($left), workers_say($left)), '0 0 0', 'and nothing is left anywhere');
# No row comes to the coordinator.
($out, $error) = attempt(q{SET client_min_messages = debug1; DROP TABLE made;
	SELECT count(*) FROM sdc.mask('far', '{"income": {"method": "rank_swap", "p": 5, "strata": "job"},
		"savings,age": {"method": "microaggregate", "k": 5}}', 'made')});
unlike($error, qr/^ERROR|results on coordinator/m, 'rows move between servers only');
# A column that may not be read and is not: the copy is made of the others.
ask(q{SET client_min_messages = error; DROP ROLE IF EXISTS narrow; CREATE ROLE narrow LOGIN; GRANT CREATE ON SCHEMA public TO narrow;
	GRANT SELECT (id, income, savings, age, day) ON far TO narrow});
($out, $error) = attempt(q{SET ROLE narrow; SELECT count(*) FROM sdc.mask('far', '{"income": {"method": "shuffle", "strata": "age"},
	"job": {"method": "null"}}', 'narrow_made'); SELECT count(job), count(income) FROM narrow_made});
is($error . $out =~ s/.*\n//r, "0|$rows", 'a column without rights stays out of it');
($out, $error) = attempt(q{SET ROLE narrow; SELECT count(*) FROM sdc.mask('far', '{"income": {"method": "shuffle", "strata": "job"}}', 'narrow_other')});
like($error, qr/permission denied/, 'and is no stratum');
ask('DROP TABLE narrow_made; DROP OWNED BY narrow; DROP ROLE narrow');
# Strata by values that print differently and are equal, and by NULL.
ask(q{SET client_min_messages = error; DROP TABLE IF EXISTS odd, made; CREATE TABLE odd (id int, s numeric, f float8, v int);
	SELECT create_distributed_table('odd', 'id');
	INSERT INTO odd SELECT i, CASE i % 3 WHEN 0 THEN 1 WHEN 1 THEN 1.00 END, CASE WHEN i % 2 = 0 THEN 0.0 ELSE '-0'::float8 END, i FROM generate_series(1, 900) AS i;
	SELECT count(*) FROM sdc.mask('odd', '{"v": {"method": "shuffle", "strata": ["s", "f"]}}', 'made')});
ask('CREATE TABLE odd_near AS SELECT * FROM odd');
my $moved = 'FROM (SELECT * FROM made OFFSET 0) AS m JOIN odd_near AS o USING (v)';
is(ask("SELECT count(*) $moved WHERE (o.s IS NULL) <> (m.s IS NULL)"), 0, 'values stay in their stratum');
cmp_ok(ask("SELECT count(*) $moved WHERE o.s::text <> m.s::text"), '>', 100, 'which is one, however its values print');
cmp_ok(ask("SELECT count(*) $moved WHERE o.f::text <> m.f::text"), '>', 100, 'and so is that of zero');
ask('DROP TABLE odd_near');
ask('DROP TABLE odd, made');

# Of many records each part has its own groups: k of them at the least, with
# means that are theirs, and little more is lost than by groups of all.
ask(q{SET client_min_messages = error; DROP TABLE IF EXISTS many, whole, made; CREATE TABLE many (id int, a float8, b int, c numeric, d text);
	SELECT create_distributed_table('many', 'id');
	INSERT INTO many SELECT i, sqrt(-2 * ln((i * 7919 % 90007 + 1) / 90009.0)), (i::bigint * 104729 % 60013)::int, CASE WHEN i % 50 > 0 THEN i::bigint * 31 % 997 END, 'd' || i % 9
		FROM generate_series(1, 90000) AS i;
	CREATE TABLE whole AS SELECT * FROM many; UPDATE whole SET a = 'NaN' WHERE id % 1000 = 1; UPDATE many SET a = 'NaN' WHERE id % 1000 = 1});
my $groups = '{"a,b,c": {"method": "microaggregate", "k": 5}}';
ask("SELECT count(*) FROM sdc.mask('many', '$groups', 'made', id => 'id', seed => 1)");
is(ask('SELECT count(*), count(a), count(b), count(c) FROM made') , ask(q{SELECT count(*), count(*) FILTER (WHERE c IS NOT NULL AND a <> 'NaN'),
	count(*) FILTER (WHERE c IS NOT NULL AND a <> 'NaN'), count(*) FILTER (WHERE c IS NOT NULL AND a <> 'NaN') FROM whole}), 'records with a NULL are in no group');
is(ask('SELECT count(*) FROM (SELECT a, b, c FROM made WHERE a IS NOT NULL GROUP BY 1, 2, 3 HAVING count(*) < 5) AS g'), 0, 'groups have k records');
is(ask(q{SELECT count(*) FROM (SELECT m.a FROM (SELECT * FROM made OFFSET 0) AS m JOIN whole AS w USING (id) WHERE m.a IS NOT NULL
	GROUP BY m.a, m.b, m.c HAVING abs(avg(w.a) - m.a) > 1e-9 OR abs(avg(w.b) - m.b) > 0.5 OR abs(avg(w.c) - m.c) > 1e-9) AS g}), 0, 'and their means');
my $first = ask('SELECT md5(string_agg(m::text, E\'\n\' ORDER BY id)) FROM (SELECT * FROM made OFFSET 0) AS m');
ask(q{SET citus.shard_count = 5; SET client_min_messages = error; DROP TABLE IF EXISTS elsewhere, made; CREATE TABLE elsewhere (LIKE many); SELECT create_distributed_table('elsewhere', 'd');
	INSERT INTO elsewhere SELECT * FROM whole ORDER BY b});
ask("SELECT count(*) FROM sdc.mask('elsewhere', '$groups', 'made', id => 'id', seed => 1)");
is(ask('SELECT md5(string_agg(m::text, E\'\n\' ORDER BY id)) FROM (SELECT * FROM made OFFSET 0) AS m'), $first, 'wherever the rows lie');
my $lost = q{SELECT avg(power((m.a - w.a) / (SELECT stddev(a) FROM whole WHERE a <> 'NaN'), 2) + power((m.b - w.b) / (SELECT stddev(b) FROM whole), 2)
	+ power((m.c - w.c) / (SELECT stddev(c) FROM whole), 2)) FROM (SELECT * FROM %s OFFSET 0) AS m JOIN whole AS w USING (id) WHERE m.a IS NOT NULL};
ask("DROP TABLE IF EXISTS expected; SELECT count(*) FROM sdc.mask('whole', '$groups', 'expected', id => 'id', seed => 1)");
my ($by_parts, $by_all) = map { ask($lost =~ s/%s/$_/r) } 'made', 'expected';
cmp_ok($by_parts, '<', $by_all * 1.02, "the loss is $by_parts, of groups of all $by_all");
isnt(differ('SELECT a FROM made', 'SELECT a FROM expected'), 0, 'they are not the same groups');
# A sample that has none of the rows, and one value for all.
ask(q{SET client_min_messages = error; UPDATE elsewhere SET b = 1, c = 2, a = 3; DROP TABLE made});
ask("SELECT count(*) FROM sdc.mask('elsewhere', '$groups', 'made')");
is(ask('SELECT count(*), count(DISTINCT (a, b, c)) FROM made'), '90000|1', 'equal records are one part');
ask('DROP TABLE many, whole, made, expected, elsewhere');
($out, $error) = mask('far', '"income": {"method": "microaggregate", "k": 30000}', 'made', '');
like($error, qr/^ERROR:  .*\b(k|group)/, 'groups larger than the table');

# Rows that come between counting and masking.
ask(q{CREATE OR REPLACE FUNCTION slow(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1; END'});
my ($said, $wrong) = ('', '');
my $run = start [ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1' ], '<', \q{SET client_min_messages = error;
	DROP TABLE IF EXISTS made; BEGIN ISOLATION LEVEL READ COMMITTED;
	SELECT count(*) FROM sdc.mask('far', '{"income": {"method": "rank_swap", "p": 5}}', 'made'); COMMIT},
	'>', \$said, '2>', \$wrong;
for (1 .. 60)
{
	last if !$run->pumpable;
	attempt("INSERT INTO far SELECT 100000 + $_, $_, 0, 0, NULL, NULL");
}
finish $run;
like($wrong, qr/^$|rows of the relation have changed while it was masked/, 'rows that come meanwhile are noticed');
SKIP: {
	skip 'they did not come in between', 1 unless $wrong eq '';
	is(differ('SELECT income FROM made', 'SELECT income FROM far WHERE id IN (SELECT id FROM made)'), 0,
		'or the copy is whole');
}
unlike($wrong, qr/\b1000\d\d\b/, 'without a value');

# Surely so: what is done when the empty copy has been made, after counting.
foreach my $change ("INSERT INTO far SELECT 200000, income, 0, 0, NULL, NULL FROM far WHERE id = 1",
	'INSERT INTO far SELECT 200000, -77, 0, 0, NULL, NULL', 'INSERT INTO far SELECT 200000, NULL, 0, 0, NULL, NULL',
	'DELETE FROM far WHERE id = 5', 'UPDATE far SET income = NULL WHERE id = 5',
	'UPDATE far SET income = (SELECT income FROM near WHERE id = 6) WHERE id = 5')
{
	ask(qq{SET client_min_messages = error; TRUNCATE far; INSERT INTO far SELECT * FROM near; DROP TABLE IF EXISTS made;
		CREATE OR REPLACE FUNCTION meddle() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN $change; END';
		CREATE EVENT TRIGGER meddle ON ddl_command_end WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION meddle()});
	foreach my $rule ('"method": "rank_swap", "p": 5', '"method": "microaggregate", "k": 3')
	{
		($out, $error) = attempt(qq{SELECT sdc.mask('far', '{"income": {$rule}}', 'made')});
		like($error, qr/^ERROR:  rows of the relation have changed while it was masked\n/, "$rule: $change");
		is(ask(q{SELECT count(*) FROM pg_class WHERE relname = 'made'}), 0, 'and nothing is left');
	}
	ask('DROP EVENT TRIGGER meddle');
}
ask('DROP FUNCTION meddle');

# Figures that nobody gathered.
foreach my $figures ('', '\x00', '\x53446472', '\x53446472' . '7fffffff' x 4, '\x53446e6f' . '00000001' x 3,
	'\x53446472' . '00000001' . '00000001' . '00000000' . '00000001' . '00000000' . '00000001' . '00000009' . '00000004' . '00000007')
{
	($out, $error) = attempt("SELECT sdc.value_taken(7, 0, '$figures')");
	like($error, qr/was not made by a mask|rows of the relation have changed/, "figures '$figures'");
	($out, $error) = attempt("SELECT sdc.keyed_noise(1, '$figures', 0)");
	like($error, qr/was not made by a mask/, 'nor of noise');
}
foreach my $cuts ('', '\\x00', '\\x53447074' . '00000001', '\\x53447074' . '00000000', '\\x53447074' . '00000001' . '00000000' . '00000001' . '0' x 16,
	'\\x53447074' . '00000001' . '00000041' . '00000002' . '0' x 16)
{
	(undef, $error) = attempt("SELECT sdc.part_of('{1,2}', '$cuts')");
	like($error, qr/was not made by a mask/, "cuts '$cuts'");
}
is(ask('SELECT sdc.mask_figures(0) IS NULL'), 't', 'there are none outside of a mask');
ask('DROP TABLE IF EXISTS near, far, made, expected, alone; DROP FUNCTION slow');
done_testing();
