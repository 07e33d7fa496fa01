# Who may do what: every callable that reads, writes, grants or charges, called
# by five roles on seven kinds of relations.  What comes out is compared with
# test/data/guards.txt, a table for people to read; a callable without a row
# fails.
#
#   owner     owns the relations, the data set, the policy, and has the
#             EXECUTE of all jobs
#   curator   the same EXECUTE, and relations of its own, but none of these
#   member    a member of the role owner
#   stranger  nothing but a login
#   super     a superuser
#
# Each call runs in a subtransaction that is undone.  A character stands for
# what came out: + done, 0 done without a row, - insufficient privilege, and
# the letters of %said.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;
use SdcCalls qw(%on_relation rows);

my @roles = qw(owner curator member stranger super);
my @kinds = qw(table partitioned partition view secured foreign dropped);

# What an SQLSTATE is called in the table.
my %said = (
	'00000' => '+',    # done
	'00000 nothing' => '0',    # done, and there was no row
	'42501' => '-',    # insufficient privilege
	'42P01' => 'd',    # the relation is not there
	'42809' => 'k',    # the kind of relation is refused
	'0A000' => 'n',    # not supported for it
	'42704' => 'u',    # unknown object: as if it were not there
	'22023' => 'v',    # the relation does not do for this call
	'55000' => 's',    # not in the state that is needed
	'42710' => 'a',    # there is one already
	'2D000' => 't',    # cannot be undone, so not called inside a transaction
);

# Calls on what is kept by name.
my %on_name = (
	check_dataset => q{sdc.check_dataset('set of owner', 'analyst')},
	create_hierarchy => q{sdc.create_hierarchy('made', 'prefix', '{"length": 6}')},
	'create_policy (json)' => q{sdc.create_policy('{"policy": "made", "relations": [{"relation": "room.people", "rules": {}, "constraints": []}]}'::jsonb)},
	create_strategy => q{sdc.create_strategy('made', 'age', '{0}')},
	describe_column => q{sdc.describe_column('set of owner', 'age', 0, 90)},
	dp_choose => q{sdc.dp_choose(ARRAY[1, 2], '{1,2}', 1, 1)},
	dp_histogram => q{sdc.dp_histogram('set of owner', '{sex}', 0.5)},
	dp_query => q{sdc.dp_query('set of owner', '{count}', 0.5)},
	dp_synthesize => q{sdc.dp_synthesize('set of owner', 'made', 0.5)},
	drop_dataset => q{sdc.drop_dataset('set of owner')},
	drop_hierarchy => q{sdc.drop_hierarchy('tens')},
	drop_policy => q{sdc.drop_policy('policy of owner')},
	drop_strategy => q{sdc.drop_strategy('kept')},
	fake => q{sdc.fake('a', 'name', 'domain')},
	mask_inside => q{sdc.mask_inside('{"a": 1}'::jsonb, '{"$.a": {"method": "keep"}}')},
	scrub => q{sdc.scrub('a', 'domain')},
	check_copy => q{sdc.check_copy('public', 'public')},
	copy_schema => q{sdc.copy_schema('public_room', 'made_room')},
	create_copy => q{sdc.create_copy('made', 'public_room', 'made_room')},
	run_copy => q{sdc.run_copy('policy of owner')},
	plan_copy => q{sdc.plan_copy('public')},
	find_personal => q{sdc.find_personal('public')},
	forget_pseudonyms => q{sdc.forget_pseudonyms('domain')},
	gaussian => q{sdc.gaussian(1, 1, 1)},
	generalize => q{sdc.generalize(30, 'tens', 1)},
	grant_budget => q{sdc.grant_budget('set of owner', 'analyst', 1)},
	grant_to => q{sdc.grant_to('analyst', 'analyst')},
	help => q{sdc.help()},
	hierarchy_height => q{sdc.hierarchy_height('tens')},
	hierarchy_levels => q{sdc.hierarchy_levels(30, 'tens')},
	laplace => q{sdc.laplace(1, 1, 1)},
	policy_json => q{sdc.policy_json('policy of owner')},
	in_sample => q{sdc.in_sample('a', 'domain')},
	known_pseudonym => q{sdc.known_pseudonym('a', 'domain')},
	pseudonym => q{sdc.pseudonym('a', 'domain')},
	synchronize_workers => q{sdc.synchronize_workers()},
	release_cells => q{sdc.release_cells('policy of owner', '{0,0,1,1}', '{}', '{}', ROW(1))},
	release_digest => q{sdc.release_digest('policy of owner', 'person', '(1)', NULL, NULL, NULL)},
	releases => q{sdc.releases('policy of owner')},
	remaining_budget => q{sdc.remaining_budget('set of owner')},
	report => q{sdc.report(1)},
	reveal => q{sdc.reveal('a1', 'domain')},
	schedule => q{sdc.schedule('policy of owner', '0 3 * * *')},
	search_rules => q{sdc.search_rules('policy of owner')},
	shift_days => q{sdc.shift_days('a', 'domain')},
	verify_release => q{sdc.verify_release(1)});

# Calls that commit, at the top.
my %at_the_top = (release => q{CALL sdc.release('policy of owner', 'public_room.out')});

# Functions of values alone: nothing to guard.
my @of_values = qw(bottom_code cell content_hash dp_halfwidth individual_risk jaccard_distance
  keyed_noise mask_figures mask_inet mask_seed mask_text part_of round_by_key round_float
  round_to shard_place top_code value_key value_taken);

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'));
$node->init;
$node->append_conf('postgresql.conf', 'jit = off');
$node->start;
my ($host, $port) = ($node->host, $node->port);

$node->safe_psql(
	'postgres', qq{
	CREATE EXTENSION sdc;
	CREATE EXTENSION postgres_fdw;
	CREATE ROLE owner LOGIN;
	CREATE ROLE curator LOGIN;
	CREATE ROLE member LOGIN IN ROLE owner;
	CREATE ROLE stranger LOGIN;
	CREATE ROLE super LOGIN SUPERUSER;
	CREATE ROLE analyst LOGIN;
	GRANT EXECUTE ON ALL ROUTINES IN SCHEMA sdc TO owner, curator;
	CREATE SERVER near FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host '$host', port '$port', dbname 'postgres');
	GRANT USAGE ON FOREIGN SERVER near TO owner;
	CREATE USER MAPPING FOR PUBLIC SERVER near OPTIONS (user 'super', password_required 'false');
	CREATE SCHEMA room AUTHORIZATION owner;
	CREATE SCHEMA public_room;
	GRANT ALL ON SCHEMA public_room TO PUBLIC;
	GRANT USAGE ON SCHEMA room TO PUBLIC;
	CREATE FUNCTION outcome(call text) RETURNS text LANGUAGE plpgsql AS \$\$
	DECLARE
		lines int;
	BEGIN
		EXECUTE 'SELECT count(*) FROM ' || call INTO lines;
		RAISE EXCEPTION USING ERRCODE = '00UND';
	EXCEPTION WHEN OTHERS THEN
		RETURN CASE WHEN SQLSTATE <> '00UND' THEN SQLSTATE
			WHEN lines > 0 THEN '00000' ELSE '00000 nothing' END;
	END \$\$});

my $rows = rows(60);
$node->safe_psql(
	'postgres', qq{
	SET ROLE owner;
	CREATE TABLE room.people AS $rows;
	CREATE TABLE room.parted (LIKE room.people) PARTITION BY RANGE (id);
	CREATE TABLE room.part_1 PARTITION OF room.parted FOR VALUES FROM (0) TO (31);
	CREATE TABLE room.part_2 PARTITION OF room.parted FOR VALUES FROM (31) TO (99);
	INSERT INTO room.parted TABLE room.people;
	CREATE VIEW room.seen AS TABLE room.people;
	CREATE TABLE room.secured AS TABLE room.people;
	ALTER TABLE room.secured ENABLE ROW LEVEL SECURITY;
	ALTER TABLE room.secured FORCE ROW LEVEL SECURITY;
	CREATE POLICY half ON room.secured USING (id <= 30);
	CREATE FOREIGN TABLE room.far (id int, age int, sex int, income float8,
		disease text, at date, pieces int, buyer int)
	SERVER near OPTIONS (schema_name 'room', table_name 'people');
	SELECT sdc.create_hierarchy('tens', 'interval', '{"levels": [[25], []]}');
	SELECT sdc.create_strategy('kept', 'age', '{0}', params => '{"suppression": 100}');
	SELECT sdc.create_dataset('set of owner', 'room.people', 'id', epsilon => 10);
	SELECT sdc.describe_column('set of owner', 'sex', categories => '{1,2}');
	SELECT sdc.create_policy('policy of owner', 'room.people', '{"id": {"method": "keep"}, "sex,disease,at,pieces,buyer": {"method": "keep"}}',
		'[{"measure": "k_anonymity", ">=": 1}]', '{"id": "id", "keys": ["age", "income"], "sensitive": ["sex", "disease", "at", "pieces", "buyer"]}');
	CALL sdc.release('policy of owner', 'public_room.out')});
my %relation = (
	table => q{'room.people'::regclass},
	partitioned => q{'room.parted'::regclass},
	partition => q{'room.part_1'::regclass},
	view => q{'room.seen'::regclass},
	secured => q{'room.secured'::regclass},
	foreign => q{'room.far'::regclass},
	dropped => q{'4000000000'::regclass});

# The outcomes of calls, one character each, by one role.
sub outcomes
{
	my ($role, @calls) = @_;
	my $sql = "SET search_path = public_room, public;\nSET client_min_messages = error;\n";
	my @state;

	$sql .= "SELECT public.outcome(\$call\$$_\$call\$);\n" foreach @calls;
	@state = split /\n/,
	  $node->safe_psql('postgres', $sql, extra_params => [ '-U', $role ]);
	is(scalar @state, scalar @calls, "$role: every call has an answer");
	return map { $said{$_} // "[$_]" } @state;
}

# Outcome of a statement that ends its transaction.
sub outcome_at_the_top
{
	my ($role, $sql) = @_;
	my $error;

	$node->psql('postgres', "\\set VERBOSITY sqlstate\n$sql",
		extra_params => [ '-U', $role ], stderr => \$error);
	return '+' unless $error =~ /ERROR:\s+(\w{5})/;
	return $said{$1} // "[$1]";
}

my %line;
foreach my $role (@roles)
{
	foreach my $kind (@kinds)
	{
		my @names = sort keys %on_relation;
		my @got =
		  outcomes($role, map { s/%r/$relation{$kind}/gr } @on_relation{@names});

		push @{ $line{$names[$_]}{$role} }, $got[$_] foreach 0 .. $#names;
	}
	my @names = sort keys %on_name;
	my @got = outcomes($role, @on_name{@names});
	push @{ $line{$names[$_]}{$role} }, $got[$_] foreach 0 .. $#names;
	foreach my $name (sort keys %at_the_top)
	{
		push @{ $line{$name}{$role} },
		  outcome_at_the_top($role, $at_the_top{$name});
	}
}

my @found = map {
	my $name = $_;
	sprintf '%-26s' . '  %-9s' x @roles, $name,
	  map { join '', @{ $line{$name}{$_} } } @roles
} sort keys %line;
s/\s+$// foreach @found;

# Every callable has a row.
my @callable = split /\n/, $node->safe_psql(
	'postgres', q{
	SELECT DISTINCT proname FROM pg_proc
	WHERE pronamespace = 'sdc'::regnamespace AND prokind IN ('f', 'p')
	ORDER BY 1});
my %has_row = map { s/ \(.*//r => 1 } keys %line;
$has_row{$_} = 1 foreach @of_values;
is_deeply([ grep { !$has_row{$_} } @callable ], [], 'every callable has a row');
is_deeply([ sort keys %has_row ], [@callable], 'every row is of a callable');

# The table that people have read.
my @known = grep { !/^(#|$)/ } split /\n/, slurp_file('data/guards.txt');
my %known = map { /^(.{26})/ ? (trimmed($1) => $_) : () } @known;

foreach my $row (@found)
{
	my ($name) = $row =~ /^(.{26})/;

	is($row, $known{ trimmed($name) }, trimmed($name));
}
is(scalar @known, scalar @found, 'no row of the table is left over');

sub trimmed
{
	return $_[0] =~ s/^\s+|\s+$//gr;
}

$node->stop;
done_testing();
