# A worker that goes away while a copy is written, a secret is made or a release
# runs leaves all of it or nothing; the same call works when it is back.  DDL
# of another session waits.

use strict;
use warnings;

use Test::More;
use Citus;

ask(q{SET client_min_messages = error; DROP TABLE IF EXISTS many, made;
	CREATE TABLE many AS SELECT i AS id, i % 97 AS key, 'n' || i AS name
		FROM generate_series(1, 200000) AS i WITH NO DATA;
	SELECT create_distributed_table('many', 'id');
	INSERT INTO many SELECT i, i % 97, 'n' || i FROM generate_series(1, 200000) AS i});
my $mask = q{SELECT count(*) FROM sdc.mask('many', '{"name": {"method": "pseudonym",
	"domain": "of faults"}}', 'made')};
my $busy = q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'INSERT INTO %made%'
	AND state = 'active' AND pid <> pg_backend_pid()};
my $left = q{SELECT (SELECT count(*) FROM pg_class WHERE relname = 'made'),
	(SELECT count(*) FROM sdc.secret WHERE domain = 'of faults')};

my $error = meanwhile($mask, $busy, \&stop_worker);
start_worker();
like($error, qr/^(ERROR|FATAL|WARNING)/m, 'a copy fails when a worker goes away');
is(ask($left), '0|0', 'and leaves neither a table nor a key');
ask(q{SELECT recover_prepared_transactions()});
is_deeply([ workers_say($left) ], [ '0|0', '0|0' ], 'nor on the workers');
is(ask(q{SELECT count(*) FROM pg_dist_partition WHERE logicalrelid::text LIKE '%made%'}), 0,
	'nor shards of it');
unlike($error, qr/n\d{3,}/, 'no value is in the message');
stop_worker();
($_, $error) = attempt(q{SELECT sdc.pseudonym('x', 'of faults')});
like($error, qr/^ERROR/m, 'no key is made while a worker is away');
($_, $error) = attempt(q{SELECT sdc.create_hierarchy('of faults', 'interval', '{"levels": [[1], []]}')});
like($error, qr/^ERROR/m, 'nor a hierarchy');
start_worker();
is(ask($left), '0|0', 'nothing of them is left');
is(ask(q{SELECT count(*) FROM sdc.hierarchy WHERE hierarchy = 'of faults'}), 0, 'of neither');
ask($mask);
is(ask('SELECT count(*), count(DISTINCT name) FROM made'), '200000|200000', 'then the same call works');
stop_worker();
($_, $error) = attempt(q{SELECT sdc.forget_pseudonyms('of faults')});
like($error, qr/^ERROR/m, 'a key is not forgotten while a worker is away');
start_worker();
is(ask(q{SELECT count(*) FROM sdc.secret WHERE domain = 'of faults'}), 1, 'and the coordinator keeps it');
is(ask(q{SELECT sdc.forget_pseudonyms('of faults')}), 't', 'then it is');
is_deeply([ workers_say(q{SELECT count(*) FROM sdc.secret WHERE domain = 'of faults'}) ], [ 0, 0 ],
	'everywhere');
ask('DROP TABLE made');

# The same while values trade places over all servers.
my $swap = q{SELECT count(*) FROM sdc.mask('many', '{"key": {"method": "rank_swap", "p": 5}}', 'made')};
my $counts = q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%many\_%' AND state = 'active'
	AND pid <> pg_backend_pid()};
$error = meanwhile($swap, $counts, \&stop_worker);
start_worker();
# it may have been faster
my $done = $error =~ /^(ERROR|FATAL|WARNING)/m ? 0 : 1;
is(ask(q{SELECT count(*) FROM pg_class WHERE relname = 'made'}), $done,
	'a swap whose worker goes away leaves all or nothing');
is(ask('SELECT count(*) FROM made'), 200000, 'if all, then every row') if $done;
ask('DROP TABLE made') if $done;
ask(q{SELECT recover_prepared_transactions()});
is_deeply([ workers_say(q{SELECT count(*) FROM pg_class WHERE relname LIKE 'made%'}) ], [ 0, 0 ],
	'nor on the workers');
ask($swap);
is(ask('SELECT count(*) FROM (SELECT key FROM made EXCEPT ALL SELECT key FROM many) AS d'), 0,
	'then the same call works');
ask('DROP TABLE made');

# And while the rows of a stratum are brought to one server, masked there, and
# go back; until it ends the transaction is open on the worker.
my $strata = q{SELECT count(*) FROM sdc.mask('many', '{"name": {"method": "shuffle", "strata": "key"}}', 'made', 'id')};
my $parts = q{(relname LIKE 'made%' OR relname LIKE 'sdc\_part%')};
foreach my $stage ('sdc\_parts\_', 'sdc\_parted\_')
{
	$error = meanwhile($strata, qq{SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%$stage%'
		AND state <> 'idle' AND pid <> pg_backend_pid()}, \&stop_worker);
	start_worker();
	like($error, qr/^(ERROR|FATAL|WARNING)/m, "$stage: rows of strata need the worker that goes away");
	unlike($error, qr/n\d{3,}/, 'and no value is in the message');
	ask(q{SELECT recover_prepared_transactions()});
	is(ask("SELECT count(*) FROM pg_class WHERE $parts"), 0, 'neither a copy nor rows put aside are left');
	is_deeply([ workers_say("SELECT count(*) FROM pg_class WHERE $parts") ], [ 0, 0 ], 'nor on the workers');
	is(ask(q{SELECT count(*) FROM pg_dist_partition WHERE logicalrelid::text ~ 'made|sdc_part'}), 0, 'nor shards');
	is(ask('SELECT count(DISTINCT name) FROM many'), 200000, 'and the table is as it was');
}
ask($strata);
is(ask('SELECT count(*) FROM (SELECT key, name FROM made EXCEPT ALL SELECT key, name FROM many) AS d'), 0,
	'then the same call works');
cmp_ok(ask('SELECT count(*) FROM made AS m JOIN many AS a USING (id) WHERE m.name = a.name'), '<', 2000,
	'and values have moved');
ask('DROP TABLE made');

# And while a release runs: what was published before stays as it was.
my $insert = $busy;
ask(q{SET client_min_messages = error; DROP SCHEMA IF EXISTS published CASCADE; CREATE SCHEMA published;
	SELECT sdc.declare('many', id => 'id', keys => '{key}');
	SELECT sdc.create_policy('of faults', 'many', '{"name": {"method": "null"}, "key": {"method": "keep"}}',
		'[{"measure": "k_anonymity", ">=": 2}]', '{"schema": "published", "attacks": ["exact"]}');
	CALL sdc.release('of faults')});
my $published = q{SELECT count(*), sum(key), count(name) FROM published.many};
my $first = ask($published);
ask(q{UPDATE many SET key = key + 1});
# until it ends the transaction of the release is open on the worker
$busy = q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%sdc\_staging\_%' AND state <> 'idle'
	AND pid <> pg_backend_pid()};
$error = meanwhile(q{CALL sdc.release('of faults')}, $busy, \&stop_worker);
start_worker();
ask(q{SELECT recover_prepared_transactions()});
like($error, qr/^(ERROR|FATAL|WARNING)/m, 'a release fails when a worker goes away');
is(ask($published), $first, 'and what was published stays');
# interrupted: the worker was missed by the commit only, when nothing can be written any more
like(ask(q{SELECT status FROM sdc.releases('of faults') ORDER BY release DESC LIMIT 1}), qr/^(failed|interrupted)$/,
	'the history has it');
is(ask(q{SELECT count(*) FROM citus_tables WHERE table_name::text LIKE 'published.%'}), 1, 'no other table is left');
ask(q{CALL sdc.release('of faults')});
isnt(ask($published), $first, 'the next release is published');
ask(q{SELECT sdc.drop_policy('of faults'); DROP SCHEMA published CASCADE});

# DDL of another session waits for the copy, or comes first.
$error = meanwhile($mask, $insert, sub { attempt('ALTER TABLE many ADD COLUMN more int') });
is($error =~ /^ERROR/m ? '' : ask('SELECT count(*) FROM made'), $error =~ /^ERROR/m ? '' : 200000,
	'a column that is added meanwhile harms nothing');
is(ask(q{SELECT count(*) FROM pg_attribute WHERE attrelid = 'many'::regclass AND attname = 'more'}), 1,
	'and is there');
ask(q{SELECT sdc.forget_pseudonyms('of faults'); DROP TABLE IF EXISTS made, many});
done_testing();
