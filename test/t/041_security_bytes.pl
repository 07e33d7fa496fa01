# What is published is bytes: k is counted on what a reader can tell apart, a
# column made of a key is not published beside it, and the place of a row in a
# copy says nothing of where it stood.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'), 'new');
$node->init;
$node->start;

sub ask
{
	return $node->safe_psql('postgres', $_[0]);
}

sub try
{
	my ($code, $out, $error) = $node->psql('postgres', $_[0]);

	return $error;
}

ask('CREATE EXTENSION sdc');
my $icu = try(q{CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2',
	deterministic = false)}) eq '';
my $citext = try('CREATE EXTENSION citext') eq '';

# Types whose equal values print differently, and two forms of the value i.
my @types = (
	[ 'numeric', '(%s)::numeric(10,0)', '(%s)::numeric(12,2)' ],
	[ 'float8', '((%s) - 2)::float8', 'CASE WHEN (%1$s) = 2 THEN \'-0\'::float8 ELSE ((%1$s) - 2)::float8 END' ],
	[ 'float4', '((%s) - 1)::float4', 'CASE WHEN (%1$s) = 1 THEN \'-0\'::float4 ELSE ((%1$s) - 1)::float4 END' ],
	[ 'interval', 'make_interval(days => %s)', 'make_interval(hours => 24 * (%s))' ],
	[ 'jsonb', 'to_jsonb((%s)::numeric(10,0))', 'to_jsonb((%s)::numeric(12,2))' ],
	[ 'numeric[]', 'ARRAY[(%s)::numeric(10,0)]', 'ARRAY[(%s)::numeric(12,2)]' ],
	[ 'numrange', 'numrange((%s)::numeric(10,0), 100)', 'numrange((%s)::numeric(12,1), 100)' ],
	[ 'bpchar', q{('v' || %s)::bpchar}, q{('v' || %s || '  ')::bpchar} ]);
push @types, [ 'text COLLATE loose', q{'v' || %s}, q{'V' || %s} ] if $icu;
push @types, [ 'citext', q{'v' || %s}, q{'V' || %s} ] if $citext;
ok($icu, 'a collation that is not deterministic');

# A table of n rows with two keys of random types, in random forms.
sub make_table
{
	my ($table, $n) = @_;
	my @columns = map {
		my ($type, $first, $second) = @{ $types[ rand @types ] };
		my $values = 2 + int rand 4;
		my $value = "(w.x$_ % $values)";
		my $form = sprintf "CASE WHEN w.y$_ < 0.5 THEN (%s)::%s ELSE (%s)::%s END",
		  sprintf($first, $value), $type =~ s/ COLLATE.*//r,
		  sprintf($second, $value), $type =~ s/ COLLATE.*//r;
		[ "k$_ $type", $form ]
	} 1, 2;

	return sprintf q{CREATE TABLE %s (id int PRIMARY KEY, %s, ill text);
		INSERT INTO %s SELECT w.i, %s, 'ill ' || w.i %% 3 FROM (SELECT i, (random() * 1000)::int AS x1,
			(random() * 1000)::int AS x2, random() AS y1, random() AS y2
			FROM generate_series(1, %d) AS i) AS w;
		SELECT sdc.declare('%s', id => 'id', keys => '{k1,k2}', sensitive => '{ill}');},
	  $table, join(', ', map { $_->[0] } @columns), $table,
	  join(', ', map { $_->[1] } @columns), $n, $table;
}

# Classes by text, by equality, and the smallest by text.
my $classes = q{SELECT (SELECT count(*) FROM (SELECT DISTINCT concat(k1) COLLATE "C", concat(k2) COLLATE "C" FROM %1$s) AS d)
	|| ' ' || (SELECT count(*) FROM (SELECT DISTINCT k1, k2 FROM %1$s) AS d)
	|| ' ' || (SELECT min(n) FROM (SELECT count(*) AS n FROM %1$s
		GROUP BY concat(k1) COLLATE "C", concat(k2) COLLATE "C") AS g)};

# The writers; each gets as many of the 300 tables as the others, or one more.
my @writers = ('anonymize', 'suppress', 'recode_locally', 'mask', 'in place', 'suppress in place',
	'anatomize', 'sample_rows', 'release', 'anonymize_itemsets');

# Purchases whose items are the first key.  Items are counted by their text, so
# both forms of one may be there; but customers of a cluster have one set.
my $buy = q{CREATE TABLE b AS SELECT id % 12 AS customer, date '2026-01-01' + id % 5 AS day, k1 AS item,
	1.0::float8 AS price, 1 AS quantity FROM t;
	CREATE TABLE said AS SELECT value AS clusters FROM sdc.anonymize_itemsets('b', 'o', 1, '{"at": "day"}') WHERE measure = 'clusters';};
my $sets = q{SELECT concat_ws(' ', greatest(count(DISTINCT items), max(clusters)), max(clusters), 1) FROM said,
	(SELECT string_agg(DISTINCT concat(item) COLLATE "C", '|' ORDER BY concat(item) COLLATE "C") AS items
	FROM o GROUP BY customer) AS s};
srand 20261122;
my %done;
my %wrong;
# One session for all tables: what to run, and of which table.
my $script = '';
my @asked;
foreach my $number (1 .. 300)
{
	my $k = 2 + int rand 4;
	my $n = 60 + int rand 100;
	my $writer = $writers[ $number % @writers ];
	my $out = $writer =~ /in place/ ? 't' : 'o';
	my $sql = "SELECT setseed(" . rand() . ");" . make_table('t', $n);
	my $promised = $k;

	$sql .= $writer eq 'anonymize'
	  ? "CREATE TABLE said AS SELECT * FROM sdc.anonymize('t', 'o', k => $k);"
	  : $writer eq 'suppress'
	  ? "SELECT sdc.suppress('t', id => 'id', keys => '{k1,k2}', k => $k, params => '{\"nulls\": \"category\"}', target => 'o');"
	  : $writer eq 'recode_locally'
	  ? "SELECT count(*) FROM sdc.recode_locally('t', 'o', k => $k);"
	  : $writer eq 'mask'
	  ? "SELECT count(*) FROM sdc.mask('t', '{\"ill\": {\"method\": \"shuffle\"}}', target => 'o');"
	  : $writer eq 'in place'
	  ? "SELECT count(*) FROM sdc.mask('t', '{\"ill\": {\"method\": \"shuffle\"}}');"
	  : $writer eq 'suppress in place'
	  ? "SELECT sdc.declare('t', id => 'id', keys => '{k1,k2}', sensitive => '{ill}', nulls => 'category');
		SELECT count(*) FROM sdc.mask('t', '{\"k1,k2\": {\"method\": \"suppress\", \"k\": $k}}', id => 'id');"
	  : $writer eq 'anatomize'
	  ? "SELECT sdc.anatomize('t', 'o', l => 2, release => 'permuted');"
	  : $writer eq 'anonymize_itemsets' ? $buy
	  : $writer eq 'sample_rows' ? "SELECT sdc.sample_rows('t', p => 100, target => 'o');"
	  : q{SET client_min_messages = error; -- of versions that are forgotten
		SELECT sdc.create_policy('p', 't', '{"ill": {"method": "shuffle"}}',
			'[{"measure": "k_anonymity", ">=": 1}]', '{"schema": "public", "table": "o", "attacks": ["exact"]}');
		CALL sdc.release('p');};
	# only these promise a k
	$promised = 1 if $writer !~ /^anonymize$|suppress|recode/;
	# nothing may be said, not even a warning, but by what clears up
	$script .= "\\warn table $number\nSET client_min_messages = notice;\n$sql\n\\warn made $number\n"
	  . "\\echo table $number\n"
	  . ($writer eq 'anonymize_itemsets' ? $sets : sprintf $classes, $out)
	  . ";\nSET client_min_messages = error;\nDROP TABLE IF EXISTS t, o, b, o_link, said;\n";
	$script .= "SELECT sdc.drop_policy('p');\n" if $writer eq 'release';
	push @asked, [ $number, $writer, $promised ];
}
my ($code, $answers, $complaints) = $node->psql('postgres', $script, on_error_stop => 0);
my (undef, %answer) = split /^table (\d+)\n/m, $answers;
foreach (@asked)
{
	my ($number, $writer, $promised) = @$_;
	my ($said) = $complaints =~ /^table $number\n(.*?)^made $number$/ms;
	my ($text, $equal, $smallest) = $answer{$number} =~ /^(\d+) (\d+) (\d+)$/m;

	if ($said ne '' || !defined $text)
	{
		diag "$number, $writer: $said" if !$wrong{"$writer fails"}++;
		next;
	}
	$done{$writer}++;
	if ($text != $equal || $smallest < $promised)
	{
		diag "$number, $writer: $text classes by text, $equal by equality, smallest $smallest"
		  if !$wrong{$writer}++;
	}
}
is($done{$_}, 30, "$_: 30 tables") foreach @writers;
is_deeply(\%wrong, {}, 'k by text is never below what is promised');

# The examples of the audit.
ask(q{CREATE TABLE vis (id int PRIMARY KEY, wage numeric, zip text, ill text);
	INSERT INTO vis SELECT i, CASE WHEN i % 2 = 0 THEN (1000 + i / 4)::numeric(10,0)
		ELSE (1000 + i / 4)::numeric(10,2) END, 'z', 'x' FROM generate_series(0, 39) AS i;
	SELECT count(*) FROM sdc.anonymize('vis', 'vis_a', '{wage,zip}', k => 4);
	SELECT sdc.suppress('vis', id => 'id', keys => '{wage,zip}', k => 4, target => 'vis_s')});
is(ask("SELECT min(n) FROM (SELECT count(*) AS n FROM $_ GROUP BY wage::text, zip) AS g"), 4,
	"$_: 4 records at least look alike") foreach qw(vis_a vis_s);

# Columns that give a key away.
ask(q{CREATE TABLE gen (id int PRIMARY KEY, born date,
		byear int GENERATED ALWAYS AS (extract(year FROM born)::int) STORED,
		zip text, zz text GENERATED ALWAYS AS (upper(zip)) STORED, code text, ill text, free int);
	INSERT INTO gen (id, born, zip, code, ill, free) SELECT i, date '1950-01-01' + i * 37,
		'z' || i % 50, md5((i % 50)::text), 'x' || i % 3, i * 7 % 11 FROM generate_series(1, 300) AS i;
	SELECT sdc.declare('gen', id => 'id', keys => '{born,zip}', sensitive => '{ill}');
	CREATE TABLE gen_said AS SELECT * FROM sdc.anonymize('gen', 'gen_a', k => 10)});
is(ask(q{SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute
		WHERE attrelid = 'gen_a'::regclass AND attnum > 0}), 'id born zip ill free',
	'anonymize withholds what is generated from a key, and what determines one');
is(ask(q{SELECT string_agg(subject, ' ' ORDER BY subject) FROM gen_said WHERE step = 'dropped'}),
	'byear code zz', 'and names it');
like(try(q{SELECT sdc.suppress('gen', id => 'id', keys => '{born,zip}', k => 3, target => 'gen_s')}),
	qr/column "code" of relation "gen" gives away the key "zip"/, 'suppress refuses, with the name');
like(try(q{SELECT sdc.recode_locally('gen', 'gen_r', k => 3)}),
	qr/column "code" of relation "gen" gives away the key "zip"/, 'so does recode_locally');
like(try(q{SELECT sdc.sample_rows('gen', p => 50, target => 'gen_p')}),
	qr/column "code" of relation "gen" gives away the key "zip"/, 'and sample_rows');
like(try(q{SELECT sdc.anatomize('gen', 'gen_t', keys => '{born,zip}', sensitive => '{code}')}),
	qr/column "code" of relation "gen" gives away the key "zip"/, 'and anatomize of what is released');
like(try(q{SELECT sdc.anatomize('gen', 'gen_t', keys => '{born,zip}', sensitive => '{zz}')}),
	qr/column "zz" of relation "gen" is generated from columns that it would be kept apart from/,
	'a sensitive column that is generated from a key');
like(try(q{SELECT sdc.anatomize('gen', 'gen_t', keys => '{byear,zip}', sensitive => '{born}')}),
	qr/column "byear" of relation "gen" is generated from columns/, 'and the other way round');
is(try(q{SELECT sdc.anatomize('gen', 'gen_t', l => 2)}), '', 'other columns are not released by anatomize');
ask(q{SELECT sdc.declare('gen', id => 'id', keys => '{born,zip}', sensitive => '{ill}',
		insensitive => '{code,free}');
	SELECT sdc.suppress('gen', id => 'id', keys => '{born,zip}', k => 3, target => 'gen_s')});
like(try(q{SELECT sdc.sample_rows('gen', p => 100, target => 'gen_p')}),
	qr/NOTICE:  column "byear" of relation "gen" is NULL.*column "zz" of relation "gen" is NULL/s,
	'a sample withholds generated columns and names them');
is(ask('SELECT count(byear) || \' \' || count(zz) || \' \' || count(code) FROM gen_p'), '0 0 300',
	'they are NULL there');
is(ask('SELECT count(*) FROM gen_s WHERE (born IS NULL AND byear IS NOT NULL)
	OR (zip IS NULL AND zz IS NOT NULL)'), 0, 'declared, it is copied; generated columns are NULL');

# The place of a row: how many of the rows of a copy are where they were.
ask(q{CREATE TABLE plain (id bigint PRIMARY KEY, first_name text, salary int);
	INSERT INTO plain SELECT i, 'n' || i, i * 7919 % 10007 FROM generate_series(1, 2000) AS i;
	SELECT sdc.declare('plain', id => 'id', keys => '{salary}', insensitive => '{first_name}');
	SELECT count(*) FROM sdc.mask('plain', '{"salary": {"method": "round_to", "base": 10}}',
		target => 'p_mask');
	SELECT sdc.sample_rows('plain', p => 100, target => 'p_sample');
	SELECT sdc.suppress('plain', id => 'id', keys => '{salary}', k => 1, target => 'p_suppress');
	SELECT count(*) FROM sdc.anonymize('plain', 'p_anonymize', k => 2);
	SELECT count(*) FROM sdc.recode_locally('plain', 'p_recode', k => 2);
	CREATE TABLE p_in_place (id bigint PRIMARY KEY, was int);
	INSERT INTO p_in_place SELECT i, i FROM generate_series(1, 2000) AS i;
	SELECT count(*) FROM sdc.mask('p_in_place',
		'{"id": {"method": "pseudonym", "domain": "d", "format": "digits"}}', id => 'id')});
# What a release publishes: as a mask by value left it, of a key that is shown
# by the first of its forms, and twice of a mask that draws, new and replaced.
ask(q{CREATE TABLE staff (id bigint PRIMARY KEY, salary int, hours float8);
	INSERT INTO staff SELECT i, i, i FROM generate_series(1, 2000) AS i;
	CREATE TABLE forms AS SELECT id, salary::numeric, hours FROM staff;
	SELECT sdc.declare(t, id => 'id', keys => '{salary}', insensitive => '{hours}')
	FROM unnest('{staff,forms}'::regclass[]) AS t;
	SELECT sdc.create_policy(p, t::regclass, r::jsonb, '[{"measure": "k_anonymity", ">=": 1}]', '{"attacks": []}')
	FROM (VALUES ('p_value', 'staff', '{"hours": {"method": "round_to", "base": 10}}'),
		('p_form', 'forms', '{"hours": {"method": "round_to", "base": 10}}'),
		('p_draw', 'staff', '{"hours": {"method": "add_noise", "alpha": 0.1}}')) AS x (p, t, r);
	CALL sdc.release('p_value', target => 'p_value');
	CALL sdc.release('p_form', target => 'p_form');
	CALL sdc.release('p_draw', target => 'p_draw')});
foreach my $copy (qw(p_mask p_sample p_suppress p_anonymize p_recode p_in_place p_value p_form p_draw))
{
	my $id = $copy eq 'p_in_place' ? 'was' : $copy =~ /p_(value|form|draw)/ ? 'salary' : 'id';
	my ($same, $correlation) = split / /, ask(qq{SELECT count(*) FILTER (WHERE place = $id) || ' ' ||
		abs(corr(place, $id))::numeric(6,3) FROM (SELECT row_number() OVER (ORDER BY ctid) AS place, *
		FROM $copy) AS p});

	# of 2000: 1 expected, and a deviation of 0.022 of the correlation
	cmp_ok($same, '<', 12, "$copy: no row is where it was");
	cmp_ok($correlation, '<', 0.13, "$copy: nor nearby");
}
foreach my $policy (qw(p_value p_draw))
{
	my @place = map {
		ask(qq{CALL sdc.release('$policy', target => '$policy');
			SELECT string_agg(salary::text, ' ' ORDER BY ctid) FROM $policy})
	} 1 .. 2;
	my ($first, $second) = map { [ split ' ' ] } @place;

	cmp_ok(scalar(grep { $first->[$_] == $second->[$_] } 0 .. 1999),
		'<', 12, "$policy: no row is where it was in the release before");
}

$node->stop;
done_testing();
