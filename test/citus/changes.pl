# Tables with foreign keys, distributed beside each other and to a reference
# table, are copied as a schema and lie there as they did; a worker that goes
# away leaves the last copy.  A shard that moves while a mask or a release runs
# changes nothing.

use strict;
use warnings;

use Test::More;
use Citus;

ask(q{SET client_min_messages = error; DROP SCHEMA IF EXISTS firm, dev, published CASCADE;
	CREATE SCHEMA firm; CREATE SCHEMA published;
	CREATE TABLE firm.country (code int PRIMARY KEY, name text);
	SELECT create_reference_table('firm.country');
	CREATE TABLE firm.person (id int PRIMARY KEY, zip int, income int, name text,
		country int REFERENCES firm.country (code));
	SELECT create_distributed_table('firm.person', 'id');
	CREATE TABLE firm.visit (id int, person int, cost int, note text, PRIMARY KEY (person, id));
	SELECT create_distributed_table('firm.visit', 'person', colocate_with => 'firm.person');
	ALTER TABLE firm.visit ADD FOREIGN KEY (person) REFERENCES firm.person (id);
	CREATE TABLE firm.here (code int, size int);
	INSERT INTO firm.here SELECT i, i * i FROM generate_series(1, 20) AS i;
	INSERT INTO firm.country SELECT i, 'land' || i FROM generate_series(1, 5) AS i;
	INSERT INTO firm.person SELECT i, 1000 + i % 50, i * 7919 % 1009, 'n' || i, 1 + i % 5 FROM generate_series(1, 2000) AS i;
	INSERT INTO firm.visit SELECT i, 1 + i % 2000, i * 31 % 97, 'told' || i FROM generate_series(1, 50000) AS i});

# A copy of the schema.
ask(q{SELECT sdc.create_copy('of changes', 'firm', 'dev', '{"*": {"method": "keep"}, "person.name": {"method": "null"},
	"country.name": {"method": "null"}, "visit.note": {"method": "pseudonym", "domain": "of changes"}}')});
my $run = q{SELECT count(*) FROM sdc.run_copy('of changes')};
my $lies = q{SELECT string_agg(concat_ws(' ', split_part(table_name::text, '.', 2), citus_table_type, distribution_column),
	', ' ORDER BY table_name::text) FROM citus_tables WHERE table_name::text LIKE '%s.%%'};
my $joined = q{SELECT count(*), count(DISTINCT p.id), count(p.name), sum(v.cost), sum(p.income), count(c.code)
	FROM %s.visit AS v JOIN %s.person AS p ON p.id = v.person JOIN %s.country AS c ON c.code = p.country};

# A query of a schema.
sub of
{
	my ($schema, $sql) = @_;

	return ask($sql =~ s/%s/$schema/gr =~ s/%%/%/gr);
}

ask($run);
is(of('dev', $lies), of('firm', $lies), 'tables of the copy lie as those of the schema');
like(of('dev', $lies), qr/^country reference.*, person distributed id, visit distributed person$/, 'and they are distributed');
my @sums = map { [ split /\|/, of($_, $joined) ] } 'firm', 'dev';
is(join('|', @{ $sums[1] }[ 0, 1, 3, 5 ]), join('|', @{ $sums[0] }[ 0, 1, 3, 5 ]), 'rows go together as before');
is($sums[1][2], 0, 'names are gone');
is(of('dev', q{SELECT count(*) FROM %s.person AS m JOIN firm.person AS a USING (id) WHERE m.zip = a.zip}) < 400 ? 1 : 0, 1,
	'and other columns are masked');
is(of('dev', q{SELECT count(*), sum(size) FROM %s.here}), '20|2870', 'a table of the coordinator stays one');
is(ask(q{SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND convalidated AND connamespace = 'dev'::regnamespace
	AND conparentid = 0}), 2, 'foreign keys are there');
is(ask(q{SELECT sum(value) FROM sdc.check_copy('firm', 'dev', '{"*": {"method": "keep"}, "person.name": {"method": "null"},
	"country.name": {"method": "null"}, "visit.note": {"method": "pseudonym", "domain": "of changes"}}')}), 0, 'and the check finds nothing');

# A worker goes away while the next one is made.
ask(q{UPDATE firm.visit SET cost = cost + 1});
my $last = of('dev', $joined);
my $busy = q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%sdc\_copy\_%' AND state <> 'idle'
	AND pid <> pg_backend_pid()};
my $error = meanwhile($run, $busy, \&stop_worker);
start_worker();
ask(q{SELECT recover_prepared_transactions()});
like($error, qr/^(ERROR|FATAL|WARNING)/m, 'a copy of a schema fails when a worker goes away');
is(of('dev', $joined), $last, 'and the last one stays');
is(ask(q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'sdc\_copy\_%'}), 0, 'nothing else is left');
is_deeply([ workers_say(q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'sdc\_copy\_%'}) ], [ 0, 0 ], 'nor on the workers');
ask($run);
isnt(of('dev', $joined), $last, 'then the same call works');

# Moves the shards of the persons, and of all tables beside them, to the other worker.
sub move
{
	my $shard = ask(q{SELECT min(shardid) FROM pg_dist_shard WHERE logicalrelid = 'firm.person'::regclass});
	my $from = ask("SELECT nodeport FROM citus_shards WHERE shardid = $shard");
	my ($to) = grep { $_ != $from } map { worker($_) } 1, 2;

	return (attempt("SET statement_timeout = '120s';
		SELECT citus_move_shard_placement($shard, '127.0.0.1', $from, '127.0.0.1', $to, 'block_writes')"))[1];
}

my $made = q{SELECT count(*) FROM pg_class WHERE relname = 'made' AND relnamespace = 'published'::regnamespace};
foreach my $rules ('{"note": {"method": "null"}}', '{"cost": {"method": "rank_swap", "p": 5}}')
{
	my $moved;

	ask('DROP TABLE IF EXISTS published.made');
	$busy = q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%visit\_%' AND state <> 'idle' AND pid <> pg_backend_pid()};
	$error = meanwhile("SELECT count(*) FROM sdc.mask('firm.visit', '$rules', 'published.made')", $busy, sub { $moved = move() });
	diag("move: $moved") if $moved ne '';
	if ($error =~ /^ERROR/m)
	{
		is(ask($made), 0, "a mask that is stopped by a shard that moves leaves nothing: $error");
		ask("SELECT count(*) FROM sdc.mask('firm.visit', '$rules', 'published.made')");
	}
	is(ask(q{SELECT count(*), sum(cost), count(DISTINCT id) FROM published.made}),
		ask(q{SELECT count(*), sum(cost), count(DISTINCT id) FROM firm.visit}), "a copy while a shard moves has all rows: $rules");
}
ask(q{DROP TABLE published.made;
	SELECT sdc.declare('firm.person', id => 'id', keys => '{zip}', insensitive => '{income,country}');
	SELECT sdc.create_policy('of changes 2', 'firm.person', '{"name": {"method": "null"}, "zip": {"method": "keep"},
		"income": {"method": "keep"}, "country": {"method": "keep"}}',
		'[{"measure": "k_anonymity", ">=": 2}]', '{"schema": "published", "attacks": ["exact"]}')});
my $moved;
$busy = q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%person\_%' AND state <> 'idle' AND pid <> pg_backend_pid()};
$error = meanwhile(q{CALL sdc.release('of changes 2')}, $busy, sub { $moved = move() });
if ($error =~ /^ERROR/m)
{
	is(ask(q{SELECT count(*) FROM pg_class WHERE relname = 'person' AND relnamespace = 'published'::regnamespace}), 0,
		"a release that is stopped by it publishes nothing: $error");
	ask(q{CALL sdc.release('of changes 2')});
}
is(ask(q{SELECT count(*), sum(income), count(name) FROM published.person}), ask(q{SELECT count(*), sum(income), 0 FROM firm.person}),
	'a release while a shard moves has all rows');
like(ask(q{SELECT string_agg(status, ',' ORDER BY release) FROM sdc.releases('of changes 2')}), qr/^((failed|interrupted),)?published$/, 'and the history says so');
ask(q{CALL sdc.release('of changes 2')});

# The same of a copy of the schema.
undef $moved;
$last = of('dev', $joined);
$busy = q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%visit\_%' AND state <> 'idle' AND pid <> pg_backend_pid()};
$error = meanwhile($run, $busy, sub { $moved = move() });
diag("move: $moved") if $moved ne '';
if ($error =~ /^ERROR/m)
{
	is(of('dev', $joined), $last, "a copy of a schema that is stopped by it leaves the last one: $error");
	ask($run);
}
is(join('|', (split /\|/, of('dev', $joined))[ 0, 1, 3, 5 ]), join('|', (split /\|/, of('firm', $joined))[ 0, 1, 3, 5 ]),
	'a copy of a schema while a shard moves has all rows');

# What says in which shard a row is cannot be NULL.
foreach my $rule ('"method": "null"', '"method": "constant", "value": null')
{
	foreach my $more ('', ', dry_run => true')
	{
		(undef, $error) = attempt(qq{SELECT * FROM sdc.mask('firm.visit', '{"person": {$rule}}', 'published.made'$more)});
		like($error, qr/^ERROR:  method ".*" cannot mask the distributed.*Column "person" says in which shard a row is/s,
			"a rule that makes the distribution column NULL is refused: $rule$more");
	}
}
ask(q{CREATE TABLE firm.size (size float8, part float8); SELECT create_distributed_table('firm.size', 'size');
	INSERT INTO firm.size SELECT i, i FROM generate_series(1, 50) AS i; INSERT INTO firm.size VALUES ('NaN', 1)});
foreach my $rule ('"size": {"method": "microaggregate", "k": 5}', '"size,part": {"method": "add_noise", "alpha": 0.1}',
	'"size,part": {"method": "microaggregate", "k": 5}')
{
	(undef, $error) = attempt(qq{SELECT * FROM sdc.mask('firm.size', '{$rule}', 'published.made')});
	like($error, qr/^ERROR:  method ".*" cannot mask the distributed relation "size".*Column "size" says in which.*would be NULL in some rows.*FROM firm.size/ms,
		"and one that does so of some rows: $rule");
}
is(ask($made), 0, 'and leaves nothing');
ask(q{SELECT sdc.mask('firm.size', '{"size": {"method": "constant", "value": 5}}', 'published.made')});
is(ask(q{SELECT count(*), count(DISTINCT size), min(size) FROM published.made}), '51|1|5', 'a constant for it puts all rows in one shard');

ask(q{SELECT sdc.drop_policy('of changes'); SELECT sdc.drop_policy('of changes 2');
	SELECT sdc.forget_pseudonyms('of changes'); DROP SCHEMA firm, dev, published CASCADE});
# the copy gave the keys of its tables pseudonyms of this domain
is(ask(q{SELECT sdc.forget_pseudonyms('person')}), 't', 'the key of the copy is forgotten');
is(ask(q{SELECT count(*) FROM sdc.secret}), 0, 'and no other one is there');
is_deeply([ workers_say(q{SELECT count(*) FROM sdc.secret}) ], [ 0, 0 ], 'nor on the workers');
done_testing();
