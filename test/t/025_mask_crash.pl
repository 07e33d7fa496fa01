# The backend or the server dies in the middle of a mask in place: afterwards
# the table is wholly old, or, once it was committed, wholly new; its indexes
# agree with it, nothing is left beside it, and it can be masked.

use strict;
use warnings;

use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcCrash;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "restart_after_crash = on\nautovacuum = off\n");
$node->start;

# The expression of the index waits for an advisory lock when it is told to.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sdc;
	CREATE TABLE up (name text PRIMARY KEY);
	INSERT INTO up SELECT 'up' || i FROM generate_series(0, 9) AS i;
	CREATE FUNCTION pause(place_here text) RETURNS void VOLATILE LANGUAGE plpgsql AS $$
	BEGIN
		IF place_here = current_setting('test.place', true) THEN
			PERFORM pg_advisory_xact_lock(7);
		END IF;
	END $$;
	CREATE FUNCTION waiting(x integer, place text) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS
	$$ BEGIN IF x = 3000 THEN PERFORM public.pause(place); END IF; RETURN x; END $$;
	CREATE TABLE person (id integer PRIMARY KEY, up text REFERENCES up,
		name text, amount integer, note text, CHECK (waiting(id, 'reading') > 0));
	ALTER TABLE person ALTER note SET STORAGE EXTERNAL;
	INSERT INTO person SELECT i, 'up' || i % 10, 'name' || i, i,
		'note' || i || repeat('x', 3000) FROM generate_series(1, 5000) AS i;
	CREATE INDEX ON person (waiting(id, 'indexing'));
	CREATE INDEX ON person (name, amount);
	CREATE TABLE parts (id integer, name text) PARTITION BY RANGE (id);
	CREATE TABLE part_1 PARTITION OF parts FOR VALUES FROM (0) TO (2500);
	CREATE TABLE part_2 PARTITION OF parts DEFAULT;
	CREATE INDEX ON part_2 (waiting(id, 'partition'));
	INSERT INTO parts SELECT i, 'name' || i FROM generate_series(1, 5000) AS i});

my %mask = (
	person => q{SELECT count(*) FROM sdc.mask('person', '{
		"up": {"method": "shuffle"}, "name": {"method": "mask_text", "keep": 1},
		"note": {"method": "constant", "value": "none"},
		"amount": {"method": "round_to", "base": 10000}}')},
	parts => q{SELECT count(*) FROM sdc.mask('parts', '{
		"name": {"method": "mask_text", "keep": 1}}')});

# What a table is: "old", "new", or how much of it.
sub state_of
{
	my ($table) = @_;

	return $node->safe_psql(
		'postgres', qq{
		SELECT CASE WHEN count(*) <> 5000 THEN count(*) || ' rows'
			WHEN count(*) FILTER (WHERE name = 'name' || id) = 5000 THEN 'old'
			WHEN count(*) FILTER (WHERE name ~ '^n\\*+\$') = 5000 THEN 'new'
			ELSE 'mixed' END FROM $table});
}

sub check_table
{
	my ($table, $state, $when) = @_;

	is(state_of($table), $state, "$when: the table is wholly $state");
	if ($table eq 'person')
	{
		my $rest = $state eq 'old' ? q{amount = id AND note LIKE 'note' || id || 'xxx%'}
		  : q{amount IN (0, 10000) AND note = 'none'};

		is($node->safe_psql('postgres', "SELECT count(*) FROM person WHERE $rest"),
			'5000', "$when: in every column");
		is($node->safe_psql('postgres', q{
			SET enable_seqscan = off; SET enable_bitmapscan = off;
			SELECT count(*) FROM person WHERE name > 'a' AND amount >= 0}),
			'5000', "$when: an index finds all rows");
	}
	is($node->safe_psql('postgres', q{
		SELECT count(*) FROM pg_class WHERE relname ~ '^(pg_temp_|sdc_(masked|suppressed))'}),
		'0', "$when: nothing is left beside it");
}

# Starts a mask that will wait; returns its session and the pid of its backend.
sub start_mask
{
	my ($table, $place, $more) = @_;
	my ($in, $out) = ('', '');
	my $session = IPC::Run::start(
		[ 'psql', '-XAtq', '-d', $node->connstr('postgres') ],
		'<', \$in, '>', \$out, '2>', \$out, IPC::Run::timeout(900));

	$in .= "SET application_name = 'masker'; SET test.place = '$place'; $mask{$table};\n$more\n";
	$session->pump_nb;
	return ($session, \$in, \$out);
}

sub masker
{
	my ($condition) = @_;
	my $query = "SELECT pid FROM pg_stat_activity WHERE application_name = 'masker' AND $condition";

	$node->poll_query_until('postgres', "SELECT EXISTS ($query)")
	  or die 'the mask did not come to where it waits';
	return $node->safe_psql('postgres', $query);
}

# Holds a lock in another session until the server dies or it is let go.
sub hold
{
	my ($statement) = @_;
	my ($in, $out) = ('', '');
	my $session = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres') ],
		'<', \$in, '>', \$out, '2>', \$out, IPC::Run::timeout(900));

	$in .= "BEGIN; $statement;\n\\echo held\n";
	$session->pump until $out =~ /held/;
	return $session;
}

sub finish
{
	foreach my $session (@_)
	{
		eval { $session->kill_kill };
	}
}

my @places = (
	[ 'person', 'reading', 'SELECT pg_advisory_xact_lock(7)', "wait_event_type = 'Lock'" ],
	[ 'person', 'indexing', 'SELECT pg_advisory_xact_lock(7)', "wait_event_type = 'Lock'" ],
	[ 'person', 'verifying', 'LOCK TABLE up', "wait_event_type = 'Lock'" ],
	[ 'parts', 'partition', 'SELECT pg_advisory_xact_lock(7)', "wait_event_type = 'Lock'" ]);

foreach my $place (@places)
{
	my ($table, $name, $lock, $waits) = @$place;

	foreach my $death ('kill -9 of the backend', 'immediate stop')
	{
		my $holder = hold($lock);
		my ($session) = start_mask($table, $name, '');
		my $pid = masker($waits);

		if ($death eq 'immediate stop')
		{
			$node->stop('immediate');
			finish($session, $holder);
			$node->start;
		}
		else
		{
			kill_backend($node, $pid);
			# the holder loses its session with all others
			eval { $session->finish };
			finish($session, $holder);
		}
		check_table($table, 'old', "$name, $death");
	}
}

# Done, but not committed.
{
	my ($in, $out) = ('', '');
	my $session = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres') ],
		'<', \$in, '>', \$out, '2>', \$out, IPC::Run::timeout(900));

	$in .= "SET application_name = 'masker'; BEGIN; $mask{person};\n\\echo done\n";
	$session->pump until $out =~ /done/;
	my $pid = masker("state = 'idle in transaction'");

	kill_backend($node, $pid);
	finish($session);
	check_table('person', 'old', 'before the commit');
}

# Committed: the server stops at once, before any checkpoint.
foreach my $table (qw(person parts))
{
	$node->safe_psql('postgres', $mask{$table});
	$node->stop('immediate');
	$node->start;
	check_table($table, 'new', 'after the commit');
}
like($node->safe_psql('postgres', $mask{person}), qr/^\d+$/, 'it can be masked again');

$node->stop;
done_testing();
