# After a mask in place has committed and a checkpoint, a unique string and a
# unique number are in no file of the database: not of the table, its TOAST or
# its indexes, nor of anything else; the dead rows of the statistics catalogs
# are the exception that mask() itself names, until these are rewritten.

use strict;
use warnings;

use File::Find;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;

my $word = 'canary_QzX7vWm3';
my $number = 6838172910473625913;
my %canary = (string => $word, number => pack('q<', $number));

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'));
$node->init;
$node->append_conf('postgresql.conf', 'autovacuum = off');
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION sdc');
my $directory = $node->data_dir . '/base/'
  . $node->safe_psql('postgres',
	'SELECT oid FROM pg_database WHERE datname = current_database()');

# The files of the database that hold any canary.
sub files_with_canary
{
	my @found;

	$node->safe_psql('postgres', 'CHECKPOINT');
	find(
		sub {
			return unless -f $_;
			open my $file, '<:raw', $_ or return;
			local $/;
			my $bytes = <$file>;
			close $file;
			foreach my $kind (sort keys %canary)
			{
				push @found, "$_ has the $kind"
				  if defined $bytes && index($bytes, $canary{$kind}) >= 0;
			}
		},
		$directory);
	return @found;
}

# How many statistics show a canary.
sub statistics_with_canary
{
	return $node->safe_psql(
		'postgres', qq{
		SELECT (SELECT count(*) FROM pg_stats AS s
				WHERE s::text LIKE '%$word%' OR s::text LIKE '%$number%')
			+ (SELECT count(*) FROM pg_stats_ext AS s
			   WHERE s::text LIKE '%$word%' OR s::text LIKE '%$number%')});
}

my $columns = 'id integer, name text, number bigint, other integer';
my $fill = qq{
	SELECT i, CASE WHEN i % 10 = 0 THEN '$word' ELSE 'name' || i END,
		CASE WHEN i % 10 = 1 THEN $number ELSE i END, i
	FROM generate_series(1, 2000) AS i};

# What surrounds the table of each case; "t" is what is masked.
my %cases = (
	'plain' => qq{CREATE TABLE t ($columns); INSERT INTO t $fill},
	'indexes' => qq{
		CREATE TABLE t ($columns); INSERT INTO t $fill;
		CREATE INDEX ON t (name); CREATE INDEX ON t USING hash (number);
		CREATE INDEX ON t (upper(name), number); CREATE INDEX ON t USING brin (number);
		CREATE INDEX ON t (id) INCLUDE (name) WHERE number > 0},
	'dead rows' => qq{
		CREATE TABLE t ($columns); INSERT INTO t $fill;
		UPDATE t SET name = 'gone' WHERE id % 20 = 0; DELETE FROM t WHERE id % 100 = 1},
	'partitions' => qq{
		CREATE TABLE t ($columns) PARTITION BY RANGE (id);
		CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (700);
		CREATE TABLE t2 PARTITION OF t DEFAULT PARTITION BY RANGE (id);
		CREATE TABLE t3 PARTITION OF t2 DEFAULT;
		CREATE INDEX ON t (name); INSERT INTO t $fill},
	'TOAST' => qq{
		CREATE TABLE t ($columns); ALTER TABLE t ALTER name SET STORAGE EXTERNAL;
		INSERT INTO t SELECT id, name || repeat('x', 5000), number, other
		FROM ($fill) AS f (id, name, number, other)},
	'unique' => qq{
		CREATE TABLE t ($columns, PRIMARY KEY (id), UNIQUE (name, id), UNIQUE (number, id));
		INSERT INTO t $fill},
	'foreign keys' => qq{
		CREATE TABLE up (id integer PRIMARY KEY);
		INSERT INTO up SELECT i FROM generate_series(1, 2000) AS i;
		CREATE TABLE t ($columns, PRIMARY KEY (id), FOREIGN KEY (other) REFERENCES up);
		INSERT INTO t $fill;
		CREATE TABLE down (id integer REFERENCES t);
		INSERT INTO down SELECT i FROM generate_series(1, 2000) AS i},
	'trigger' => qq{
		CREATE TABLE t ($columns); CREATE TABLE audit (said text);
		CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS
		\$\$ BEGIN INSERT INTO audit VALUES (OLD.name || OLD.number); RETURN NEW; END \$\$;
		INSERT INTO t $fill;
		CREATE TRIGGER keep BEFORE UPDATE OR DELETE ON t FOR EACH ROW EXECUTE FUNCTION keep()},
	'generated column' => qq{
		CREATE TABLE t ($columns, copied text GENERATED ALWAYS AS (name || '!') STORED,
			again bigint GENERATED ALWAYS AS (number) STORED);
		INSERT INTO t $fill; CREATE INDEX ON t (copied)},
	'view' => qq{
		CREATE TABLE t ($columns); INSERT INTO t $fill;
		CREATE VIEW shown AS SELECT name, number FROM t;
		CREATE VIEW deeper AS SELECT * FROM shown},
	'late column' => qq{
		CREATE TABLE t ($columns); INSERT INTO t $fill;
		ALTER TABLE t DROP COLUMN other; ALTER TABLE t ADD late integer DEFAULT 7});

# ANALYZE of these as well, before; and what is masked in place of t.
my %analyzed = ('partitions' => [qw(t2)], 'a partition alone' => [qw(whole)],
	'a child' => [qw(parent)]);

$cases{'a partition alone'} = qq{
	CREATE TABLE whole ($columns) PARTITION BY RANGE (id);
	CREATE TABLE t PARTITION OF whole DEFAULT; CREATE INDEX ON whole (name);
	CREATE STATISTICS above ON name, number FROM whole; INSERT INTO t $fill};
$cases{'a child'} = qq{
	CREATE TABLE parent ($columns); CREATE TABLE t () INHERITS (parent);
	INSERT INTO t $fill};

my $rules = q{{"name": {"method": "mask_text", "keep": 0},
	"number": {"method": "round_to", "base": 1000000}}};

foreach my $case (sort keys %cases)
{
	$node->safe_psql(
		'postgres', qq{
		CREATE SCHEMA home; SET search_path = home;
		$cases{$case};
		CREATE STATISTICS both_columns ON name, number FROM t;
		ANALYZE t});
	$node->safe_psql('postgres', "ANALYZE home.$_") foreach @{ $analyzed{$case} || [] };
	cmp_ok(scalar(files_with_canary()), '>=', 2, "$case: the canaries are there before");
	# long values are not kept in statistics
	cmp_ok(statistics_with_canary(), '>=', $case eq 'TOAST' ? 1 : 3,
		"$case: the statistics show them");

	$node->safe_psql('postgres', qq{
		SELECT count(*) FROM sdc.mask('home.t', '$rules', seed => 1)});
	is($node->safe_psql('postgres', qq{
		SELECT count(*) FROM home.t WHERE name LIKE '%$word%' OR number = $number}),
		'0', "$case: no row has them");
	is(statistics_with_canary(), '0', "$case: no statistics show them");

	my %statistics = map { $_ => 1 } split /\n/, $node->safe_psql(
		'postgres', q{
		SELECT regexp_replace(pg_relation_filepath(c.oid), '.*/', '')
		FROM pg_class c LEFT JOIN pg_class o ON o.reltoastrelid = c.oid
		WHERE coalesce(o.oid, c.oid) IN ('pg_statistic'::regclass,
			'pg_statistic_ext_data'::regclass)});
	is(join(', ', grep { !/^(\d+)/ || !$statistics{$1} } files_with_canary()),
		'', "$case: no file has them, but for the statistics catalogs");

	$node->safe_psql('postgres', 'VACUUM FULL pg_statistic');
	$node->safe_psql('postgres', 'VACUUM FULL pg_statistic_ext_data');
	is(join(', ', files_with_canary()), '', "$case: then no file at all");
	$node->safe_psql('postgres', 'SET client_min_messages = warning; DROP SCHEMA home CASCADE');
}

# What keeps them is named: a materialized view, a publication.
$node->safe_psql(
	'postgres', qq{
	CREATE TABLE t ($columns); INSERT INTO t $fill;
	CREATE VIEW shown AS SELECT * FROM t;
	CREATE MATERIALIZED VIEW kept AS SELECT * FROM shown;
	CREATE PUBLICATION told FOR TABLE t});
is( $node->safe_psql(
		'postgres', qq{
		SELECT string_agg(subject, ', ' ORDER BY subject COLLATE "C")
		FROM sdc.mask('t', '$rules', seed => 1) WHERE step = 'not covered'}),
	'backups, public.kept, server log, statistics, told, write-ahead log',
	'what is not covered is listed');
cmp_ok(scalar(files_with_canary()), '>', 0, 'and it is true: the materialized view has them');
$node->safe_psql('postgres', 'REFRESH MATERIALIZED VIEW kept');
is(join(', ', files_with_canary()), '', 'until it is refreshed');

# A unique violation shows no value, neither to the client nor in the log.
$node->safe_psql('postgres', "CREATE TABLE u (id integer PRIMARY KEY, name text UNIQUE);
	INSERT INTO u VALUES (1, '$word 1'), (2, '$word 2')");
my $before = -s $node->logfile;
my ($status, $out, $error) = $node->psql('postgres', qq{
	SELECT sdc.mask('u', '{"name": {"method": "mask_text", "keep": 15, "fill": ""}}')});
like($error, qr/would violate constraint "u_name_key"/, 'a duplicate is refused');
unlike($error, qr/$word/, 'the client is shown no value');
my $log = substr(slurp_file($node->logfile), $before);
like($log, qr/u_name_key/, 'the log has the error');
unlike($log, qr/$word/, 'and no value');
is($node->safe_psql('postgres', 'SELECT count(DISTINCT name) FROM u'), '2', 'the table is as it was');

$node->stop;
done_testing();
