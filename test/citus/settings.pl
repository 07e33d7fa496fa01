# A worker with settings of its own: another time zone, style of dates, digits
# of floats, order of texts.  Answers are those of a plain table all the same.
# A shard that moves changes nothing either.

use strict;
use warnings;

use Test::More;
use Citus;

my $made = q{SELECT i AS id, (i % 7)::float8 / 3 + 1e-15 * (i % 3) AS weight,
	date '2001-02-03' + i % 5 AS day, timestamptz '2001-02-03 23:30:00+00' + (i % 5) * interval '1 hour' AS at,
	(i % 3) * interval '25 hours' AS lasts, decode(lpad(to_hex(i % 9), 2, '0'), 'hex') AS bytes,
	CASE i % 4 WHEN 0 THEN 'a' WHEN 1 THEN 'B' WHEN 2 THEN 'ä' ELSE 'b' END AS letter,
	i * 7919 % 1009 AS income
	FROM generate_series(1, 2000) AS i};
my %other = (timezone => 'Asia/Tokyo', datestyle => 'German, DMY', intervalstyle => 'iso_8601',
	extra_float_digits => -3, bytea_output => 'escape', client_encoding => 'LATIN1',
	lc_messages => 'C', search_path => 'pg_temp', transform_null_equals => 'on');

ask(qq{SET client_min_messages = error; DROP SCHEMA IF EXISTS plain, distributed CASCADE;
	CREATE SCHEMA plain; CREATE SCHEMA distributed;
	CREATE TABLE plain.t AS $made;
	CREATE TABLE distributed.t AS $made WITH NO DATA;
	SELECT create_distributed_table('distributed.t', 'id');
	INSERT INTO distributed.t $made});
ask("ALTER SYSTEM SET $_ = '$other{$_}'", port => worker(1)) foreach sort keys %other;
ask('SELECT pg_reload_conf()', port => worker(1));
sleep 1;
is(ask('SHOW timezone', port => worker(1)), 'Asia/Tokyo', 'a worker has other settings');

# A query over the distributed table and over the plain one.
sub same
{
	my ($query, $what) = @_;
	my ($near, $far) = map { join "\n", sort split /\n/, scalar attempt($query =~ s/%t/$_.t/gr) } 'plain', 'distributed';

	is($far, $near, $what);
	isnt($near, '', 'and there is one: ' . (attempt($query =~ s/%t/plain.t/gr))[1]);
}

my $column;
foreach my $with ('rows', 'groups')
{
	foreach $column (qw(weight day at lasts bytes letter))
	{
		same("SET sdc.count_with = '$with'; SELECT * FROM sdc.risk_report('%t', '{$column}', '{income}')",
			"risk_report by $with of $column");
	}
	same("SET sdc.count_with = '$with'; SELECT * FROM sdc.suggest('%t')", "suggest by $with");
}
foreach $column (qw(weight day at bytes letter), '(income % 5)::money')
{
	same("SELECT sdc.k_anonymity(sdc.cell($column, letter)) FROM %t", "aggregate of cells of $column");
	same("SELECT * FROM sdc.risk_records('%t', 'id', '{$column}')", "risk_records of $column")
	  unless $column =~ /\W/;
}

sub mask
{
	my ($rules, $what) = @_;
	my @made = map {
		ask("SET client_min_messages = error; DROP TABLE IF EXISTS made;
			SELECT count(*) FROM sdc.mask('$_.t', '$rules', 'made')");
		join "\n", sort split /\n/, ask('SELECT to_jsonb(m) FROM (SELECT * FROM made OFFSET 0) AS m')
	} 'plain', 'distributed';

	is($made[1], $made[0], $what);
}

mask('{"income": {"method": "pseudonym", "domain": "of settings", "format": "digits"}}', 'pseudonyms of numbers');
mask('{"letter": {"method": "pseudonym", "domain": "of settings"}}', 'pseudonyms of letters');
mask('{"weight": {"method": "round_to", "base": 0.01}}', 'rounded floats');
mask('{"day": {"method": "top_code", "upper": "2001-02-05"}}', 'a bound that is a date');
mask('{"day": {"method": "constant", "value": "2001-02-05"}}', 'a constant date');
mask('{"at": {"method": "bottom_code", "lower": "2001-02-04 00:30:00+00"}}', 'a bound that is a time');
foreach $column (qw(weight day at letter))
{
	ask("SET client_min_messages = error; DROP TABLE IF EXISTS made;
		SELECT count(*) FROM sdc.mask('distributed.t', '{\"$column\": {\"method\": \"rank_swap\", \"p\": 10}}', 'made')");
	is(ask("SELECT count(*) FROM (SELECT $column FROM made EXCEPT ALL SELECT $column FROM plain.t) AS d"), 0,
		"values of $column are swapped over all servers");
}

# A shard that moves, between two calls.
my $shard = ask(q{SELECT min(shardid) FROM pg_dist_shard WHERE logicalrelid = 'distributed.t'::regclass});
my @ports = map { worker($_) } 1, 2;
my $from = ask("SELECT nodeport FROM citus_shards WHERE shardid = $shard");
my ($to) = grep { $_ ne $from } @ports;
my ($out, $error) = attempt("SET client_min_messages = error; DROP TABLE IF EXISTS made;
	SELECT citus_move_shard_placement($shard, '127.0.0.1', $from, '127.0.0.1', $to, 'block_writes')");
is($error, '', 'a shard moves');
same(q{SELECT * FROM sdc.risk_report('%t', '{day,income}', '{letter}')}, 'a report after it');
mask('{"letter": {"method": "pseudonym", "domain": "of settings"}}', 'pseudonyms after it');
ask(q{SET client_min_messages = error; DROP TABLE IF EXISTS made;
	SELECT count(*) FROM sdc.mask('distributed.t', '{"income": {"method": "rank_swap", "p": 10}}', 'made')});
is(ask('SELECT count(*) FROM (SELECT income FROM made EXCEPT ALL SELECT income FROM plain.t) AS d'), 0, 'and swaps');

ask("ALTER SYSTEM RESET $_", port => worker(1)) foreach sort keys %other;
ask('SELECT pg_reload_conf()', port => worker(1));
ask(q{SELECT sdc.forget_pseudonyms('of settings'); DROP TABLE made; DROP SCHEMA plain, distributed CASCADE});
# A worker with another version of sdc.
ask(q{SET client_min_messages = error; DROP TABLE IF EXISTS unlike, made;
	CREATE TABLE unlike (id int, name text); SELECT create_distributed_table('unlike', 'id');
	INSERT INTO unlike SELECT i, 'n' || i FROM generate_series(1, 50) AS i});
my $version = ask(q{SELECT extversion FROM pg_extension WHERE extname = 'sdc'});
my $mask = q{SELECT count(*) FROM sdc.mask('unlike', '{"name": {"method": "null"}}', 'made'%s)};
ask(q{UPDATE pg_extension SET extversion = 'x' WHERE extname = 'sdc'}, port => worker(2));
foreach my $more ('', ', dry_run => true')
{
	my ($out, $error) = attempt($mask =~ s/%s/$more/r);
	like($error, qr/^ERROR:  worker 127.0.0.1:\d+ has another version of sdc/, "another version is told$more");
}
is(ask(q{SELECT to_regclass('made') IS NULL}), 't', 'and nothing was masked');
ask(qq{UPDATE pg_extension SET extversion = '$version' WHERE extname = 'sdc'}, port => worker(2));
ask($mask =~ s/%s//r);
is(ask(q{SELECT count(*), count(name) FROM made}), '50|0', 'the same version masks');
ask('DROP TABLE unlike, made');
done_testing();
