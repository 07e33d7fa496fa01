# What somebody who has all rights on a worker, and reads its logs, its
# write-ahead log and its files, learns of keys and of masks: a key is stored on
# each server, but it is in no statement, and in no row that a subscriber would
# be sent beside those of sdc.secret; values that a mask moves are in no log.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(sleep);
use Citus;

my %data = (coordinator => 'data', 'worker 1' => 'worker1', 'worker 2' => 'worker2');
my %log = (coordinator => 'server.log', 'worker 1' => 'worker1.log', 'worker 2' => 'worker2.log');

# How many files of a pattern contain a text.
sub files_with
{
	my ($pattern, $text) = @_;
	my $found = 0;

	foreach my $name (glob "$ENV{SDC_TEMPORARY}/$pattern")
	{
		open(my $file, '<:raw', $name) or die "$name: $!";
		local $/;
		$found++ if index(<$file>, $text) >= 0;
	}
	return $found;
}

# Runs a statement on all servers.
sub everywhere
{
	my ($sql) = @_;

	ask($sql);
	workers_say($sql);
}

everywhere($_) foreach 'ALTER SYSTEM SET log_statement = "all"', 'ALTER SYSTEM SET log_min_duration_statement = 0',
  'SELECT pg_reload_conf()';
sleep 0.5;
everywhere(q{SELECT 'this is logged'});

ask(q{SELECT sdc.pseudonym('', 'of secrets')});
my $key = ask(q{SELECT encode(key, 'hex') FROM sdc.secret WHERE domain = 'of secrets'});
like($key, qr/^[0-9a-f]{32,}$/, 'a key was made');
is_deeply([ workers_say(q{SELECT encode(key, 'hex') FROM sdc.secret WHERE domain = 'of secrets'}) ], [ $key, $key ],
	'and is on the workers');
foreach my $server (sort keys %data)
{
	is(files_with($log{$server}, 'this is logged'), 1, "$server: statements are logged");
	# as what travels writes it; bytes of sdc.secret itself are there
	is(files_with("$data{$server}/pg_wal/0*", $key), 0, "$server: the key does not travel through the write-ahead log");
	is(files_with($log{$server}, $key), 0, "$server: nor is it in the log");
	is(files_with("$data{$server}/pg_wal/0*", pack('H*', $key)) > 0 ? 1 : 0, 1, "$server: but where it is stored");
}

# Values trade places; nobody reads them in a log or finds them in a file.
ask(q{SET client_min_messages = error; DROP TABLE IF EXISTS far, made;
	CREATE TABLE far (id int, said text, amount float8); SELECT create_distributed_table('far', 'id');
	INSERT INTO far SELECT i, 'told-' || md5(i::text), i + 0.123456 FROM generate_series(1, 3000) AS i});
ask(qq{SELECT sdc.mask('far', '{"said": $_->[0], "amount": $_->[1]}', 'made'); DROP TABLE made})
  foreach [ '{"method": "rank_swap", "p": 5}', '{"method": "add_noise", "alpha": 0.1}' ],
  [ '{"method": "shuffle"}', '{"method": "microaggregate", "k": 3}' ];
foreach my $server (sort keys %data)
{
	my @left = grep { -f } glob "$ENV{SDC_TEMPORARY}/$data{$server}/base/pgsql_job_cache/*/*";

	is(files_with($log{$server}, 'told-' . ask(q{SELECT md5('5')})), 0, "$server: no value is in the log");
	is(scalar @left, 0, "$server: figures are gone");
}

everywhere($_) foreach 'ALTER SYSTEM RESET log_statement', 'ALTER SYSTEM RESET log_min_duration_statement',
  'SELECT pg_reload_conf()';
ask(q{DROP TABLE far; SELECT sdc.forget_pseudonyms('of secrets')});
done_testing();
