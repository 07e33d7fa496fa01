# A masked copy writes whole pages, past shared buffers (src/topic/mask/
# mask_write.c): its rows are all there, also long ones, NULLs, and in a
# temporary table; a rollback to a savepoint, a kill of the server and a change
# of them after it find rows like any other.  Statistics are told of them, and
# where rows are read out of the log of writes, they are in it.

use strict;
use warnings;
use lib "$ENV{TESTDIR}/t";

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nwal_level = replica\n");
$node->start;

sub ask
{
	return $node->safe_psql('postgres', shift);
}

# Some notes are so long that they are put elsewhere, and some not compressed.
ask(q{CREATE EXTENSION sdc;
	CREATE TABLE person AS SELECT i AS id, nullif(i % 3, 0) AS a, i::numeric / 7 AS n,
		CASE WHEN i % 50 = 0 THEN (SELECT string_agg(md5((i * 1000 + j)::text), '')
			FROM generate_series(1, 600) AS j) END AS note,
		repeat('x', 3000) AS word FROM generate_series(1, 3000) AS i;
	ALTER TABLE person ALTER note SET STORAGE external;
	UPDATE person SET note = note || '' WHERE id % 100 = 0});

# Rows of a copy that are not those of the table with a of at most 1.
sub wrong
{
	my ($copy) = @_;

	return qq{SELECT count(*) FROM person AS p FULL JOIN $copy AS c USING (id)
		WHERE c.a IS DISTINCT FROM CASE WHEN p.a > 1 THEN 1 ELSE p.a END
		OR (p.n, p.note, p.word) IS DISTINCT FROM (c.n, c.note, c.word)};
}

my $mask = q{SELECT count(*) FROM sdc.mask('person', '{"a": {"method": "top_code", "upper": 1}}', target =>};

ask("$mask 'made')");
is(ask(wrong('made')), '0', 'all rows are in a copy');
is(ask("$mask 'pg_temp.made'); " . wrong('pg_temp.made')) =~ s/.*\n//sr, '0', 'and in one in a temporary table');
ask(qq{BEGIN;
	SAVEPOINT one;
	$mask 'again');
	ROLLBACK TO one;
	$mask 'again');
	UPDATE again SET a = NULL WHERE id = 1;
	DELETE FROM again WHERE id = 2;
	COMMIT});
is(ask('SELECT count(*), count(*) FILTER (WHERE id = 1 AND a IS NULL) FROM again'),
	'2999|1', 'rows of a copy can be changed in the transaction that made it');
ok( $node->poll_query_until(
		'postgres', q{SELECT n_tup_ins = 3000 FROM pg_stat_user_tables WHERE relname = 'made'}),
	'the statistics have the rows of a copy');

# What is not in the files is in the log.
ask("CHECKPOINT; $mask 'last')");
my $digest = q{SELECT md5(string_agg(l::text, chr(10) ORDER BY id)) FROM last AS l};
my $before = ask($digest);
$node->stop('immediate');
$node->start;
is(ask($digest), $before, 'a copy outlives a crash of the server');
is(ask(wrong('last')), '0', 'as it was');

# Who reads rows out of the log is sent them.
$node->append_conf('postgresql.conf', "wal_level = logical\n");
$node->restart;
ask(q{CREATE PUBLICATION everything FOR ALL TABLES;
	SELECT pg_create_logical_replication_slot('reader', 'pgoutput');});
ask("$mask 'sent')");
is( ask(q{SELECT count(*) FROM pg_logical_slot_peek_binary_changes('reader', NULL, NULL,
		'proto_version', '1', 'publication_names', 'everything') WHERE get_byte(data, 0) = ascii('I')}),
	'3000',
	'a subscriber is sent the rows of a copy');
$node->stop;

done_testing();
