# sdc.mask runs its SELECT column by column (src/host/data/column_select.c), or
# by PostgreSQL's window functions where that cannot be.  With a seed both ways
# make the same bits, of every method of the registry.
#
# auto_explain tells which way was taken: only the windows have a WindowAgg.
# The windows are taken when equal values of a declared key may print
# differently (a numeric), and when the arrays would not fit the memory limit.

use strict;
use warnings;
use lib "$ENV{TESTDIR}/t";

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SdcSession;

my $rows = 11000;

# Rules for each method whose values go into columns of a SELECT.
my %rules = (
	rank_swap => [
		'{"x": {"method": "rank_swap", "p": 5}}',
		'{"x": {"method": "rank_swap", "p": 5, "strata": ["s", "t"]}}',
		'{"n": {"method": "rank_swap", "p": 5, "variant": "buckets"},
		  "name": {"method": "rank_swap", "p": 20}, "mood": {"method": "rank_swap", "p": 20}}',
		'{"at": {"method": "rank_swap", "p": 5, "variant": "distribution", "strata": "mood"}}' ],
	shuffle => [
		'{"name": {"method": "shuffle"}, "word": {"method": "shuffle", "strata": "s"}}',
		'{"place": {"method": "shuffle"}, "n": {"method": "shuffle", "strata": "x"}}' ],
	microaggregate => [
		'{"x": {"method": "microaggregate", "k": 4}, "born": {"method": "microaggregate", "k": 3, "strata": "s"}}',
		'{"x,y,born": {"method": "microaggregate", "k": 5}}',
		'{"x,y": {"method": "microaggregate", "k": 5, "variant": "mdav", "strata": "t"}}' ],
	add_noise => [
		'{"x": {"method": "add_noise", "alpha": 0.2}, "i": {"method": "add_noise", "alpha": 0.1, "strata": "s"}}',
		'{"x,y": {"method": "add_noise", "alpha": 0.2, "variant": "laplace"}}' ],
	pram => [
		'{"name": {"method": "pram", "p": 60}, "b": {"method": "pram", "p": 60}, "i": {"method": "pram", "p": 50}}',
		'{"word": {"method": "pram", "p": 60, "strata": ["t"]}}' ],
	pram_matrix => [
		'{"b": {"method": "pram_matrix", "matrix": {"true": {"true": 0.7, "false": 0.3}, "false": {"true": 0.4, "false": 0.6}}}}',
		'{"b": {"method": "pram_matrix", "variant": "invariant", "strata": "s", "matrix": {"true": {"true": 0.7, "false": 0.3}, "false": {"true": 0.4, "false": 0.6}}}}' ],
	romm => [
		'{"x,y": {"method": "romm", "alpha": 0.2}}',
		'{"x,i": {"method": "romm", "alpha": 0.3, "strata": "s"}}' ],
	outlier_noise => [
		'{"x": {"method": "outlier_noise", "alpha": 0.2}, "i": {"method": "outlier_noise", "alpha": 0.3, "threshold": 1, "strata": "s"}}' ],
	donut => [
		'{"home": {"method": "donut", "inner": 100, "outer": 500, "variant": "earth"}, "x": {"method": "shuffle"}}',
		'{"home": {"method": "donut", "inner": 0, "outer": 2}}' ],
	data_shuffle => [
		'{"x,i": {"method": "data_shuffle", "given": ["y", "born"]}}',
		'{"born": {"method": "data_shuffle", "given": ["x"], "strata": "s"}}' ],
	record_swap => [
		'{"s,t": {"method": "record_swap", "p": 30, "risk": ["b"]}}' ],
	anatomize => ['{"name": {"method": "anatomize", "l": 2}}'],
	top_code => ['{"x": {"method": "top_code", "upper": 10}}'],
	bottom_code => ['{"born": {"method": "bottom_code", "lower": "1980-01-01"}}'],
	round_to => ['{"n": {"method": "round_to", "base": 10}, "i": {"method": "round_to", "base": 7, "random": true}}'],
	generalize => ['{"s": {"method": "generalize", "hierarchy": "region", "level": 1}}'],
	mask_text => ['{"word": {"method": "mask_text", "keep": 2}}'],
	mask_inet => ['{"ip": {"method": "mask_inet", "keep": 16}}'],
	pseudonym => ['{"word": {"method": "pseudonym", "domain": "d"}, "x": {"method": "rank_swap", "p": 5}}'],
	fake => ['{"word": {"method": "fake", "kind": "email", "domain": "d", "by": "s"}, "x": {"method": "shuffle"}}'],
	scrub => ['{"word": {"method": "fake", "kind": "email", "domain": "d"}, "note": {"method": "scrub", "domain": "d"}}'],
	inside => ['{"list": {"method": "inside", "paths": {"$": {"method": "fake", "kind": "city", "domain": "d", "by": "s"}}}}'],
	shift => ['{"born": {"method": "shift", "domain": "d", "by": "s"}, "at": {"method": "shift", "domain": "d"}}'],
	constant => ['{"name": {"method": "constant", "value": "-"}, "x": {"method": "shuffle"}}'],
	null => ['{"name": {"method": "null"}, "x": {"method": "shuffle"}}'],
	sample_rows => ['{"*": {"method": "sample_rows", "p": 50, "strata": "s"}, "x": {"method": "shuffle"}}'],
	suppress => ['{"s,t": {"method": "suppress", "k": 20}, "x": {"method": "shuffle"}}'],
	anonymize => ['{"s": {"method": "anonymize", "k": 5, "hierarchies": {"s": "region"}}, "x": {"method": "shuffle"}}'],
	recode_locally => ['{"s": {"method": "recode_locally", "k": 5, "hierarchies": {"s": "region"}}, "x": {"method": "shuffle"}}'],
	# makes new records of what the other rules leave: no row is one of the table
	synthesize => [],
	keep => ['{"name": {"method": "keep"}, "x": {"method": "shuffle"}}']);

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'));
$node->init;
$node->append_conf(
	'postgresql.conf', q{
	session_preload_libraries = 'auto_explain'
	auto_explain.log_nested_statements = on
	auto_explain.log_level = notice
	auto_explain.log_min_duration = -1
	sdc.progress_interval = 0
	jit = off});
$node->start;
$node->safe_psql(
	'postgres', qq{
	CREATE EXTENSION sdc;
	CREATE TYPE mood AS ENUM ('low', 'high', 'middle');
	CREATE TABLE people (part int, id int, x float8, y float8, n numeric, i bigint, name text,
		word varchar(40), place uuid, mood mood, b boolean, born date, at timestamptz, s text, t int,
		ip inet, exact numeric, note text, list text[], home point, PRIMARY KEY (part, id));
	INSERT INTO people SELECT h % 3, h, CASE WHEN h % 50 = 0 THEN NULL WHEN h % 51 = 0 THEN '-0' ELSE round(20 * sin(h)) END,
		h * h % 977, CASE WHEN h % 2 = 0 THEN 1.0 ELSE 1.00 END * (h % 300), h % 97,
		CASE WHEN h % 41 = 0 THEN NULL ELSE 'name ' || h % 13 END, md5(h::text),
		md5((h % 500)::text)::uuid, (ARRAY['low', 'high', 'middle'])[1 + h % 3]::mood, h % 5 = 0,
		date '1950-01-01' + h % 20000, timestamptz '2001-01-01 UTC' + h * interval '1 hour',
		(ARRAY['north', 'south', NULL, 'west'])[1 + h % 4], h % 2, ('10.' || h % 250 || '.3.4')::inet, h, 'from ' || md5(h::text), ARRAY['b' || h % 7, NULL],
		CASE WHEN h % 37 > 0 THEN point(10 + h % 100 / 10.0, 40 + h % 91 / 10.0) END
	FROM (SELECT i * 7919 % $rows AS h FROM generate_series(1, $rows) AS i) AS i;
	SELECT sdc.create_hierarchy('region', 'prefix', '{"length": 5}');
	CREATE TABLE same AS TABLE people;
	ALTER TABLE same ADD PRIMARY KEY (part, id);
	SELECT sdc.declare('same', keys => '{exact}');
});

# Runs sdc.mask; returns the plans of its statements that read the table.
sub mask
{
	my ($table, $rules, $target, $settings) = @_;
	my $id = $rules =~ /recode|suppress/ ? q{, id => 'id'} : '';
	my ($status, $out, $err) = $node->psql(
		'postgres', qq{
		SET client_min_messages = notice;
		SET auto_explain.log_min_duration = 0;
		$settings
		SELECT count(*) > 0 FROM sdc.mask('$table', '$rules'$target$id, seed => 42);});

	is($out, 't', "$table, $rules") or diag($err);
	return $err;
}

# The rows of tables, each as one hash, whatever their order.
sub digests
{
	return split /\n/, $node->safe_psql(
		'postgres',
		join "\n",
		map { "SELECT md5(string_agg(r::text, ',' ORDER BY part, id)) FROM $_ AS r;" } @_);
}

my ($status, $out, $err) = $node->psql('postgres',
	q{SELECT sdc.mask('people', '{"x": {"method": "none such"}}', 'made')});
my ($methods) = $err =~ /Methods are ([^.]+)\./;
is(join(' ', sort split /, /, $methods), join(' ', sort keys %rules),
	'every method of the registry has rules');

my $fallen_back = 0;
my ($unmasked) = digests('people');
foreach my $method (sort keys %rules)
{
	foreach my $rules (@{ $rules{$method} })
	{
		my $columns = mask('people', $rules, q{, target => 'columns'}, '');
		my $windows = mask('same', $rules, q{, target => 'windows'}, '');

		# records, points and long texts need more than 1 MB whichever way
		my $limit = $rules =~ /^{"\w+,|^{"word"|^{"home"|strata": "x"|pseudonym|"name.*"word"/ ? 4 : 1;
		my $small = mask('people', $rules, q{, target => 'small'}, "SET sdc.memory_limit = '${limit}MB';");
		unlike($small, qr/leak/, "$rules: no file is left open");
		$fallen_back++ if $small =~ /WindowAgg/ && $columns !~ /WindowAgg/;

		# the sample is drawn below the masks, by windows
		unlike($columns, qr/WindowAgg/, "$rules: without windows")
		  unless $rules =~ /sample_rows|suppress|anonymize|recode/;
		like($windows, qr/WindowAgg/, "$rules: with windows");
		my ($by_columns, $by_windows, $in_little) = digests(qw(columns windows small));

		is($by_columns, $by_windows, "$rules: the same bits");
		is($in_little, $by_windows, "$rules: the same bits in little memory");
		isnt($by_columns, $unmasked, "$rules: values have changed");
		$node->safe_psql('postgres', 'DROP TABLE columns, windows, small');
	}
}

cmp_ok($fallen_back, '>', 5, 'little memory leads to windows');

# In place: as a copy.
foreach my $rules ('{"x": {"method": "rank_swap", "p": 5, "strata": "s"}, "name": {"method": "shuffle"}}')
{
	$node->safe_psql('postgres', 'CREATE TABLE placed AS TABLE people; ALTER TABLE placed ADD PRIMARY KEY (part, id)');
	mask('people', $rules, q{, target => 'columns'}, '');
	unlike(mask('placed', $rules, '', ''), qr/WindowAgg/, 'in place without windows');
	my ($placed, $copied) = digests(qw(placed columns));

	is($placed, $copied, 'in place as into a copy');
}

# The copy comes in another order each time, and not in that of the rows, also
# when it does not fit into memory and is spread over temporary files.
foreach my $padding (1, 400)
{
	$node->safe_psql(
		'postgres', qq{
		CREATE TABLE wide AS SELECT i AS id, repeat('x', $padding) || i AS text FROM generate_series(1, 5000) AS i;
		SET sdc.memory_limit = '4MB';
		SET log_temp_files = 0;
		SELECT count(*) FROM sdc.mask('wide', '{"text": {"method": "keep"}}', 'wide_1', seed => 1);
		SELECT count(*) FROM sdc.mask('wide', '{"text": {"method": "keep"}}', 'wide_2', seed => 1)});
	my @order = map {
		[ split /,/, $node->safe_psql('postgres', "SELECT string_agg(id::text, ',' ORDER BY ctid) FROM $_") ]
	} qw(wide_1 wide_2);
	my $stayed = grep { $order[0][$_] == $_ + 1 } 0 .. 4999;
	my $together = grep { abs($order[0][$_] - $order[0][ $_ + 1 ]) == 1 } 0 .. 4998;
	my $again = grep { $order[0][$_] == $order[1][$_] } 0 .. 4999;
	my $drift = 0;
	$drift += $order[0][$_] < $order[0][ $_ + 1 ] foreach 0 .. 4998;

	# of a random order: Poisson with mean 1, 2 and 1; more than 15 in 1e10
	cmp_ok($stayed, '<', 15, "padding $padding: rows are not where they were");
	cmp_ok($together, '<', 18, 'nor beside whom they were');
	cmp_ok($again, '<', 15, 'nor where they are in another copy');
	# mean 2499.5, standard deviation sqrt(5001/12) = 20.4; 6 of them
	cmp_ok(abs($drift - 2499.5), '<', 123, 'nor in order');
	is($node->safe_psql('postgres', 'SELECT md5(string_agg(w::text, chr(10) ORDER BY id)) FROM wide_1 AS w'),
		$node->safe_psql('postgres', 'SELECT md5(string_agg(w::text, chr(10) ORDER BY id)) FROM wide AS w'),
		'and all of them are there');
	$node->safe_psql('postgres', 'DROP TABLE wide, wide_1, wide_2');
}
like(slurp_file($node->logfile), qr/temporary file: path .*size [1-9]/, 'some went through temporary files');

# Who may not call a function of a mask cannot have it called for him.
$node->safe_psql(
	'postgres', q{
	CREATE ROLE masker;
	GRANT SELECT ON people TO masker;
	GRANT CREATE ON SCHEMA public TO masker;
	REVOKE EXECUTE ON FUNCTION sdc.shuffle FROM PUBLIC});
($status, $out, $err) = $node->psql(
	'postgres', q{
	SET ROLE masker;
	SELECT * FROM sdc.mask('people', '{"x": {"method": "shuffle"}}', target => 'made')});
like($err, qr/permission denied for function shuffle/, 'the right to call a mask is asked for');

done_testing();
