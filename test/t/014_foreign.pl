# Foreign tables: masked and measured like local ones, through postgres_fdw to
# the same server.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'));
$node->init;
$node->start;

if ($node->safe_psql('postgres',
		q{SELECT count(*) FROM pg_available_extensions
		WHERE name = 'postgres_fdw'}) eq '0')
{
	$node->stop;
	plan skip_all => 'postgres_fdw is not installed';
}

my ($host, $port) = ($node->host, $node->port);

$node->safe_psql('postgres', 'CREATE DATABASE far');
$node->safe_psql(
	'far', q{
	CREATE EXTENSION sdc;
	CREATE TABLE people AS
	SELECT i AS id, 'region ' || i % 4 AS region,
		(CASE WHEN i % 11 <> 0 THEN i * 37 % 251 END)::numeric AS income,
		20 + i % 60 AS "age ""now"""
	FROM generate_series(1, 2000) AS i;
	ALTER TABLE people ADD PRIMARY KEY (id)});
$node->safe_psql(
	'postgres', qq{
	CREATE EXTENSION sdc;
	CREATE EXTENSION postgres_fdw;
	CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host '$host', port '$port', dbname 'far', extensions 'sdc');
	CREATE USER MAPPING FOR CURRENT_USER SERVER far;
	CREATE FOREIGN TABLE people (
		id int, region text, income numeric,
		age int OPTIONS (column_name 'age "now"'))
	SERVER far OPTIONS (table_name 'people');
	CREATE TABLE near AS TABLE people;
	CREATE ROLE stranger LOGIN;
	GRANT SELECT ON people TO stranger});

sub ask
{
	return $node->safe_psql('postgres', $_[0]);
}

# Rows that a query over the foreign table gives otherwise than over the copy.
sub differ
{
	my ($query) = @_;
	my $near = $query =~ s/\bpeople\b/near/gr;

	return ask(
		"SELECT count(*) FROM (($query EXCEPT ALL $near)
			UNION ALL ($near EXCEPT ALL $query)) AS q");
}

my $window = 'OVER (PARTITION BY region ORDER BY id)';
my %masks = (
	'rank_swap' => "sdc.rank_swap(income, 10, seed => 1) $window",
	'shuffle' => "sdc.shuffle(age, 1) $window",
	'microaggregate' => "sdc.microaggregate(income::float8, 3) $window",
	'microaggregate_group' =>
	  "sdc.microaggregate_group(ROW(income, age), 3) $window",
	'boxes' => "sdc.microaggregate_group(ROW(income, age), 3, 'mondrian') $window",
	'add_noise' => "sdc.add_noise(income::float8, 0.1, seed => 1) $window",
	'pram' => 'sdc.pram(region, 80, seed => 1) OVER (ORDER BY id)',
	'top_code' => 'sdc.top_code(age, 60)');

foreach my $name (sort keys %masks)
{
	is(differ("SELECT id, $masks{$name} FROM people"),
		'0', "$name gives the same as on a local table");
}
is( differ(q{SELECT * FROM sdc.risk_report('people', '{region,age}')}),
	'0', 'so does risk_report');
is( differ(q{SELECT * FROM sdc.attack_distance('people', 'near', 'id',
		'{age}')}),
	'0', 'so does attack_distance');

like(
	ask("EXPLAIN (COSTS OFF) SELECT $masks{rank_swap} FROM people"),
	qr/WindowAgg.*Foreign Scan on people/s,
	'the mask itself runs here');

# A masked copy, here and there, and a mask in place.
ask("CREATE TABLE copy AS SELECT id, region, $masks{rank_swap} AS income
	FROM people");
is(ask('SELECT count(*), count(income) FROM copy'),
	'2000|1819', 'CREATE TABLE AS from a foreign table');
ask("UPDATE people t SET income = q.m
	FROM (SELECT id, $masks{rank_swap} AS m FROM people) AS q
	WHERE t.id = q.id");
is( ask(
		q{SELECT count(*), sum((p.income IS DISTINCT FROM c.income)::int),
			sum((p.income <> n.income)::int) > 1000
		FROM people p JOIN copy c USING (id) JOIN near n USING (id)}),
	'2000|0|t',
	'UPDATE masks the foreign table in place');
is( $node->safe_psql('far', 'SELECT sum(income) FROM people'),
	ask('SELECT sum(income) FROM near'),
	'and there the values are those that were there');

my ($status, $out, $err) = $node->psql(
	'postgres',
	"SELECT $masks{rank_swap} FROM people",
	extra_params => [ '-U', 'stranger' ]);
like($err, qr/user mapping not found/,
	'a role without a user mapping reads nothing');

# The statements of test/citus over partitions on another server, beside one that
# is here: reports by all ways of counting, counts that travel, masks, attacks.
$node->safe_psql('far', q{
	CREATE TABLE staff AS SELECT i AS id, i % 3 AS part, i % 5 AS region, i * i % 61 AS born,
		CASE WHEN i % 9 > 0 THEN 'job ' || i % 17 END AS job, i * 37 % 251 AS income, i % 7 = 0 AS ill
	FROM generate_series(1, 3000) AS i});
$node->safe_psql('postgres', q{
	CREATE FOREIGN TABLE all_staff (id int, part int, region int, born int, job text, income int, ill bool)
		SERVER far OPTIONS (table_name 'staff');
	CREATE TABLE staff (LIKE all_staff) PARTITION BY LIST (part);
	CREATE TABLE staff_0 PARTITION OF staff FOR VALUES IN (0);
	INSERT INTO staff SELECT * FROM all_staff WHERE part = 0;
	CREATE TABLE local_staff AS TABLE all_staff});
foreach my $part (1, 2)
{
	$node->safe_psql('far', "CREATE TABLE staff_$part AS SELECT * FROM staff WHERE part = $part");
	ask("CREATE FOREIGN TABLE staff_$part PARTITION OF staff FOR VALUES IN ($part)
		SERVER far OPTIONS (table_name 'staff_$part')");
}
my $set = 'SET enable_partitionwise_aggregate = on; SET sdc.progress_interval = 0;';
foreach my $with ('auto', 'rows', 'groups')
{
	foreach my $call (
		q{sdc.risk_report('%r', '{region,born,job}', '{ill,income}')},
		q{sdc.risk_report('%r', '{part,region}', '{job}', params => '{"nulls": "ignore"}')},
		q{sdc.uniqueness('%r', keys => '{region,born,job}', variant => 'pitman', params => '{"sampling_fraction": 0.1}')}, q{sdc.separation('%r', '{region,born,job}')},
		q{sdc.risk_records('%r', 'id', '{region,job}', '{ill}')},
		q{sdc.utility_report('local_staff', '%r', 'id', '{born,income}', seed => 1)},
		q{sdc.attack_exact('local_staff', '%r', 'id', '{region,job,income}')})
	{
		my ($out, $expected) = map { my $text = ask("$set SET sdc.count_with = $with;
			SELECT a FROM " . $call =~ s/%r/$_/r . ' AS a') =~ s/\bpublic\.(local_)?staff\b/it/gr; join "\n", sort split /\n/, $text } ('staff', 'local_staff');

		is($out, $expected, "$with: " . $call =~ s/\(.*//r . ' over partitions of two servers');
		isnt($out, '', 'and there is an answer');
	}
}
like(ask("$set EXPLAIN (VERBOSE) SELECT part, sdc.k_anonymity(born) FROM staff GROUP BY part"),
	qr/Remote SQL: SELECT part, sdc.k_anonymity/, 'an aggregate of sdc runs on the other server');
foreach my $count (
	'SELECT part, sdc.k_anonymity(born), sdc.class_histogram(born), sdc.l_diversity(born, ill) FROM %r GROUP BY part ORDER BY 1',
	'SELECT sdc.k_anonymity(sdc.cell(region, job)), sdc.unique_count(sdc.cell(region, born, job)) FROM %r',
	'SELECT sdc.k_anonymity(ROW(region, job)) FROM %r',
	'SELECT min(n) FROM (SELECT count(*) AS n FROM %r GROUP BY region, job) AS c')
{
	is(ask($set . $count =~ s/%r/staff/r), ask($count =~ s/%r/local_staff/r), "counts: $count");
}
foreach my $rules (
	'{"income": {"method": "rank_swap", "p": 5}, "job": {"method": "null"}, "born": {"method": "round_to", "base": 10}}',
	'{"income": {"method": "microaggregate", "k": 5}, "region": {"method": "pram", "p": 80}}')
{
	ask("SELECT count(*) FROM sdc.mask('staff', '$rules', 'masked', id => 'id', seed => 3)");
	ask("SELECT count(*) FROM sdc.mask('local_staff', '$rules', 'expected', id => 'id', seed => 3)");
	is(ask('SELECT count(*) FROM ((TABLE masked EXCEPT ALL TABLE expected) UNION ALL
		(TABLE expected EXCEPT ALL TABLE masked)) AS d'), '0', "masked alike: $rules");
	ask('DROP TABLE masked, expected');
}
($status, $out, $err) = $node->psql('postgres', q{SELECT * FROM sdc.mask('staff', '{"job": {"method": "null"}}')});
like($err, qr/^psql:.*ERROR:  /, 'in place it is refused: rows of another server are not rewritten');
is(ask('SELECT count(job) FROM staff') . '|' . ask('SELECT count(job) FROM local_staff'), '2667|2667',
	'and all values are there');

# Attacks that look at all that is shown, and nights of releases: documents, arrays
# and texts come from the other server as they are.
my $shown = q{SELECT i AS id, i % 3 AS part, i * 7919 % 1009 AS income, 1000 + i * i % 613 AS zip, 'n' || i % 40 AS name,
	jsonb_build_object('pay', jsonb_build_array(i % 3, i * 7919 % 1009), 'x', i * 31 % 97) AS doc,
	json_build_object('n', i * 7919 % 1009 / 3) AS note, ARRAY[i * 13 % 71, i * i % 613] AS list,
	'earns ' || i * 7919 % 1009 || ' in ' || i * i % 613 AS told, md5('b' || i * 7919 % 1009 / 20) AS digest,
	point(i * 7919 % 1009, i % 17) AS place, } . join(', ', map { "i * (7919 + 2 * $_) % 1009 AS c$_" } 1 .. 20);
$node->safe_psql($_, "CREATE TABLE all_shown AS $shown FROM generate_series(1, 120) AS i") foreach 'postgres', 'far';
ask('CREATE TABLE shown (LIKE all_shown) PARTITION BY LIST (part); CREATE TABLE shown_0 PARTITION OF shown FOR VALUES IN (0);
	INSERT INTO shown SELECT * FROM all_shown WHERE part = 0');
foreach my $part (1, 2)
{
	$node->safe_psql('far', "CREATE TABLE shown_$part AS SELECT * FROM all_shown WHERE part = $part");
	ask("CREATE FOREIGN TABLE shown_$part PARTITION OF shown FOR VALUES IN ($part)
		SERVER far OPTIONS (table_name 'shown_$part')");
}
my $rules = '{"income": {"method": "add_noise", "alpha": 0.002}, "zip": {"method": "round_to", "base": 10}}';
ask("SELECT count(*) FROM sdc.mask('shown', '$rules', 'shown_masked', id => 'id', seed => 3)");
ask("SELECT count(*) FROM sdc.mask('all_shown', '$rules', 'all_masked', id => 'id', seed => 3)");
foreach my $call (
	qq{sdc.attack_likelihood('%r', '%m', '$rules', 'id', 'income,zip', '{"max_candidates": 1}', 1)},
	qq{sdc.disclosure_report('%r', '%m', 'id', 'income,zip,name', 'list,c1', rules => '$rules', seed => 1)})
{
	my ($out, $expected) = map { my ($table, $masked) = @$_; my $text = ask("$set SELECT a FROM "
			. $call =~ s/%r/$table/gr =~ s/%m/$masked/gr . ' AS a') =~ s/\b(public\.)?(all_)?(shown|masked)(_masked)?\b/it/gr;
		join "\n", sort split /\n/, $text } [ 'shown', 'shown_masked' ], [ 'all_shown', 'all_masked' ];

	is($out, $expected, "partitions of two servers: $call");
	cmp_ok(scalar(() = $out =~ /,f,t\)|likelihood/g), '>', $call =~ /disclosure/ ? 0 : 108, 'which finds nearly all');
}
my $others = join ',', qw(part doc list told digest place), map { "c$_" } 1 .. 20;
my %nights;
foreach my $table ('shown', 'all_shown')
{
	# values of json cannot be compared with those of the night before
	ask(qq{ALTER TABLE $table DROP note; CREATE SCHEMA of_$table; SELECT sdc.declare('$table', id => 'id', keys => '{income,zip}', insensitive => '{$others}');
		SELECT sdc.create_policy('nights', '$table', '{"income": {"method": "rank_swap", "p": 20}, "zip": {"method": "add_noise", "alpha": 1},
			"name": {"method": "null"}, "doc": {"method": "keep"}, "list": {"method": "keep"},
			"id": {"method": "pseudonym", "domain": "of nights", "format": "digits"}}',
			'[{"attack": "likelihood", "<=": 1}, {"attack": "exact", "<=": 1}]',
			'{"schema": "of_$table", "attacks": ["exact", "likelihood"]}')});
	ask(q{CALL sdc.release('nights', seed => 4611686018427387999)});
	# of people on both servers some change, some go and some come
	ask("UPDATE $table SET income = income + 1 WHERE id % 50 IN (7, 8, 9); DELETE FROM $table WHERE id % 60 < 3;
		INSERT INTO $table (id, part, income, zip, doc, list) SELECT 1000 + i, i % 3, i, 1000 + i, '{\"pay\": [1, 2]}', '{1}' FROM generate_series(1, 9) AS i");
	ask(q{CALL sdc.release('nights', seed => 4611686018427387999)});
	$nights{$table} = ask("SELECT to_jsonb(r) - 'part' FROM of_$table.$table AS r ORDER BY id");
	is(ask(q{SELECT string_agg(status, ',') FROM (SELECT status FROM sdc.releases('nights') ORDER BY release DESC LIMIT 2) AS r}),
		'published,published', "two nights of $table");
	ask(q{SELECT sdc.drop_policy('nights')});
}
is($nights{shown}, $nights{all_shown}, 'the second night is that of a table of this server');
isnt($nights{shown}, '', 'and there is one');

# A server that is gone is an error here, and nothing more.
ask("ALTER SERVER far OPTIONS (SET dbname 'nowhere')");
($status, $out, $err) = $node->psql('postgres',
	"SELECT $masks{rank_swap} FROM people; SELECT 1", on_error_stop => 0);
like($err, qr/could not connect to server "far"/, 'a server that is gone');
is($out, '1', 'and the session goes on');

$node->stop;
done_testing();
