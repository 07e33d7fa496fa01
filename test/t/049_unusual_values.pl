# Values that are no ordinary numbers, in every column of a table: NaN,
# infinity, numbers beyond float8, open-ended dates and times, points that are
# nowhere, NULL.  Every function on a relation gives an answer, or an error that
# has a code and names a column; no report is lost for one such value.  What a
# mask leaves of them an intruder who knows the mask still finds among his
# candidates.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;
use SdcCalls qw(%on_relation);

# Those that say no, and what they say: sums of prices are meant there.
my %refuses = (
	anonymize_itemsets => qr/purchases cannot be made into new baskets/,
	# one table has nothing to be joined with
	attack_joined => qr/tables cannot be joined/,
	attack_minimality => qr/cannot have made the group/,
	attack_table => qr/column "income" holds a value that is not finite/,
	customer_class_difference => qr/holds a value that is not finite/,
	mean_price_error => qr/holds a value that is not finite/,
	show_table => qr/column "income" holds a value that is not finite/,
	synthesize => qr/column "(age|at)" holds NaN or infinity/,
	synthesize_tables => qr/column "age" holds NaN or infinity/,
	table_report => qr/column "income" holds a value that is not finite/,
	transaction_report => qr/infinite/,
	turnover_error => qr/turnover is not finite/);

# They are about what is stored, not about the rows.
my %stores = map { $_ => 1 } qw(check_release release_values release_rows);

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'));
$node->init;
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sdc;
	SELECT sdc.create_hierarchy('tens', 'interval', '{"levels": [[25], []]}');
	SELECT sdc.create_hierarchy('months', 'date', '{"levels": ["month", "year"]}');
	SELECT sdc.create_strategy('kept', 'age', '{0}', params => '{"suppression": 100}');
	CREATE TABLE people AS SELECT i AS id,
		CASE i % 20 WHEN 3 THEN float8 'Infinity' WHEN 4 THEN 'NaN'
		WHEN 5 THEN '-Infinity' WHEN 6 THEN NULL ELSE 20 + i % 10 END AS age,
		1 + i % 2 AS sex,
		CASE i WHEN 7 THEN numeric 'NaN' WHEN 8 THEN 1e400 WHEN 9 THEN NULL
		ELSE i * 7919 % 1000 END AS income,
		CASE WHEN i % 13 > 0 THEN 'd' || i % 3 END AS disease,
		CASE i % 5 WHEN 0 THEN date 'infinity' WHEN 1 THEN NULL
		ELSE date '2020-01-01' + i END AS at, i % 5 + 1 AS pieces,
		i / 3 AS buyer,
		CASE i % 20 WHEN 3 THEN point 'Infinity,1' WHEN 4 THEN 'NaN,2'
		WHEN 6 THEN NULL ELSE point(i % 10, 20 + i % 7) END AS spot,
		CASE i % 5 WHEN 0 THEN timestamptz 'infinity' WHEN 1 THEN NULL
		WHEN 2 THEN '-infinity' ELSE timestamptz '2020-01-01 UTC' + i * interval '1 hour'
		END AS late
		FROM generate_series(1, 80) AS i;
	ALTER TABLE people ADD PRIMARY KEY (id)});

foreach my $name (sort keys %on_relation)
{
	next if $stores{$name};
	my $call = $on_relation{$name} =~ s/%r/'people'/gr;
	my $dated = $call =~ s/'age,/'at,/gr =~ s/'age'/'at'/gr =~ s/"age"/"at"/gr;

	foreach my $asked ($call eq $dated ? $call : ($call, $dated))
	{
		my $hint = $asked eq $call ? $name : "$name of dates";
		my ($error, $state);

		next if $asked =~ /'tens'/ && $asked eq $dated && $call ne $dated;
		$node->psql('postgres',
			"\\set VERBOSITY verbose\nBEGIN; SELECT * FROM $asked; ROLLBACK;",
			stderr => \$error, on_error_stop => 0);
		($error) = $error =~ /^psql:.*?ERROR:  (.*)/m;
		if ($error && $refuses{$name})
		{
			like($error, $refuses{$name}, "$hint: says why not");
			unlike($error, qr/^XX/, "$hint: with a code");
			next;
		}
		is($error, undef, "$hint: an answer");
	}
}

# The same of places and times, where a type may be refused as well.
foreach my $name (sort keys %on_relation)
{
	next if $stores{$name};
	foreach my $column ('spot', 'late')
	{
		my $call = $on_relation{$name} =~ s/%r/'people'/gr;
		my $asked = $call =~ s/\bage\b/$column/gr;
		my $error;

		next if $asked eq $call;
		$node->psql('postgres',
			"\\set VERBOSITY verbose\nBEGIN; SELECT * FROM $asked; ROLLBACK;",
			stderr => \$error, on_error_stop => 0);
		($error) = ($error =~ /^psql:.*?ERROR:  (.*)/m, '');
		ok( $error eq ''
			  || $error =~ /^\w+: column "$column" .*(is not a number|cannot be synth|holds NaN)/
			  || $error =~ /^42804: hierarchy "tens" cannot read values of type/,
			"$name of $column: an answer, or its type is refused $error");
	}
}
is( $node->safe_psql('postgres', q{
	SELECT FROM sdc.anonymize('people', 'made', 'spot', k => 2,
		params => '{"suppression": 100}');
	SELECT count(*), min(n) > 1, count(spot) = (SELECT sum(n) FROM
		(SELECT count(*) AS n FROM people WHERE spot IS NOT NULL
		GROUP BY point_send(spot) HAVING count(*) > 1) AS p)
	FROM (SELECT spot, count(*) OVER (PARTITION BY point_send(spot)) AS n
		FROM made) AS m;
	DROP TABLE made}) =~ s/^\n+//r,
	'80|t|t', 'points are classes by their bytes');

# A number beyond double precision, and nothing else unusual: whoever says so
# does not show it.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE far AS SELECT id, 20 + id % 10 AS age, sex,
		CASE id WHEN 8 THEN 7.7e400 ELSE id * 7919 % 1000 END AS income,
		'd' || id % 3 AS disease, date '2020-01-01' + id AS at, pieces, buyer
		FROM people;
	CREATE TABLE near AS SELECT id, age, sex, least(income, 5) AS income,
		disease, at, pieces, buyer FROM far;
	ALTER TABLE far ADD PRIMARY KEY (id)});
foreach my $name (sort keys %on_relation)
{
	next if $stores{$name};
	foreach my $masked ('far', 'near')
	{
		my $call = $on_relation{$name} =~ s/%r/'far'/r =~ s/%r/'$masked'/gr;
		my $error;

		$node->psql('postgres',
			"BEGIN; SELECT * FROM $call; ROLLBACK;",
			stderr => \$error, on_error_stop => 0);
		unlike($error, qr/0{50}/, "$name does not show the number");
	}
}

# Hierarchies: a leaf of their own, and classes of k.
is( $node->safe_psql('postgres',
		q{SELECT sdc.generalize(v, 'months', l) FROM
		(VALUES (date 'infinity'), (date '-infinity'), (date '2020-02-03')) AS d (v),
		generate_series(0, 3) AS l ORDER BY v DESC, l}),
	join("\n", qw(infinity infinity infinity *
		2020-02-03 2020-02 2020 * -infinity -infinity -infinity *)),
	'open-ended dates are leaves right below the root');
is( $node->safe_psql('postgres',
		q{SELECT sdc.generalize(float8 'NaN', 'tens', l) FROM generate_series(0, 3) AS l}),
	"NaN\nNaN\nNaN\n*", 'so is NaN');
is( $node->safe_psql('postgres', q{
	SELECT FROM sdc.anonymize('people', 'made', 'at', k => 8,
		params => '{"suppression": 0, "hierarchies": {"at": "months"}}');
	SELECT min(count) >= 8, max(count) FILTER (WHERE at = 'infinity') = 16
	FROM (SELECT at, count(*) FROM made GROUP BY at) AS c;
	DROP TABLE made}) =~ s/^\n+//r, "t|t",
	'anonymize has classes of k, one of open-ended dates');

# Each mask that computes: the truth stays possible for who knows it.
foreach my $rule ('{"method": "microaggregate", "k": 3}',
	'{"method": "add_noise", "alpha": 0.3}', '{"method": "rank_swap", "p": 15}',
	'{"method": "shuffle"}', '{"method": "outlier_noise", "alpha": 0.3}',
	'{"method": "romm", "alpha": 0.3}', '{"method": "data_shuffle"}',
	'{"method": "data_shuffle", "given": ["pieces"]}',
	'{"method": "record_swap", "p": 30, "risk": ["age", "at"]}',
	'{"method": "round_to", "base": 5, "random": true}',
	'{"method": "round_to", "base": 5}',
	'{"method": "donut", "inner": 1, "outer": 2}',
	'{"method": "shift", "domain": "d", "days": 5, "by": "id"}')
{
	# of several columns, a record of which one is not finite is left out
	foreach my $column ('age', 'at', 'age,sex', 'at,late,sex', 'income', 'spot')
	{
		my $rules = qq({"$column": $rule});
		my ($method) = $rule =~ /"method": "(\w+)"/;
		my $several = $column =~ /,/;

		next
		  if $method eq 'donut' xor $column eq 'spot';
		next
		  if $several
		  && $method !~ /^(microaggregate|add_noise|romm|data_shuffle|record_swap)$/;
		next if $method eq 'shift' && $column ne 'at';
		next if $method eq 'round_to' && $column eq 'at';
		next if $column eq 'income' && $method !~ /swap|^shuffle|round_to/;

		is( $node->safe_psql('postgres', qq{
			SET client_min_messages = error;
			CREATE TABLE made AS TABLE people;
			ALTER TABLE made ADD PRIMARY KEY (id);
			SELECT FROM sdc.mask('made', '$rules');
			SELECT count(*), count(*) FILTER (WHERE contains_own)
			FROM sdc.candidate_sets('people', 'made', '$rules', 'id', '$column')
			WHERE subject = '*';
			SELECT count(*) >= 80 FROM sdc.attack_likelihood('people', 'made',
				'$rules', 'id', '$column');
			DROP TABLE made}) =~ s/^\n+//r, "80|80\nt",
			"$rule of $column: everybody is among his candidates");
	}
}

# Masks that compute with double precision say what is too large for it, where,
# and do not show it; those that move values, or round them, take it.
foreach my $rule ('{"method": "microaggregate", "k": 3}',
	'{"method": "add_noise", "alpha": 0.3}')
{
	my $error;

	$node->psql('postgres',
		qq{SELECT FROM sdc.mask('people', '{"income": $rule}', 'made')},
		stderr => \$error, on_error_stop => 0);
	like($error, qr/met a number that is too large.*NULL.*column "income"/s,
		"$rule of numeric: says what is too large, and where");
	unlike($error, qr/0{50}/, "$rule does not show it");
}
foreach my $rule ('{"method": "round_to", "base": 10}',
	'{"method": "top_code", "upper": 500}', '{"method": "pram", "p": 10}',
	'{"method": "rank_swap", "p": 15}', '{"method": "shuffle"}')
{
	is($node->safe_psql('postgres', qq{
		SET client_min_messages = error;
		SELECT FROM sdc.mask('people', '{"income": $rule}', 'made');
		SELECT count(*) FROM made; DROP TABLE made}) =~ s/^\n+//r,
		80, "$rule of numeric takes every number");
}

done_testing();
