# Requests to data sets leave the same traces whatever the data hold.
#
# A role without any right to a table asks for it, and then reads every counter
# that the server keeps for all to see: scans, rows and blocks of the table, its
# indexes and its TOAST table, locks, temporary files, pg_stat_statements.  200
# pairs of requests differ in one person: a predicate finds him or does not, he
# is in the table with these values or with others, or not at all.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;

my $persons = 1000;
my $pairs = 200;
my $synthetic = 60;
my $neighbours = 8;

srand(20240611);

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'), 'new');
$node->init;
my $libraries = `$ENV{PG_CONFIG} --pkglibdir`;
chomp $libraries;
my ($major) = `$ENV{PG_CONFIG} --version` =~ /(\d+)/;
my $statements = -e "$libraries/pg_stat_statements.so";
$node->append_conf(
	'postgresql.conf', q{
	autovacuum = off
	track_functions = all
	max_prepared_transactions = 2});
$node->append_conf(
	'postgresql.conf', q{
	shared_preload_libraries = 'pg_stat_statements'
	pg_stat_statements.track = all
	compute_query_id = on}) if $statements && $major >= 14;
$node->append_conf(
	'postgresql.conf', q{
	shared_preload_libraries = 'pg_stat_statements'
	pg_stat_statements.track = all}) if $statements && $major < 14;
$node->start;
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');

# Tables a0, b1 ... (one person has other values of the same width), c1 ... (one
# person, of the last page, is missing).  Every 20th person has notes in TOAST.
my $setup = q{
	CREATE EXTENSION sdc;
	CREATE ROLE curator;
	CREATE ROLE analyst LOGIN;
	CREATE SCHEMA cur AUTHORIZATION curator;
	GRANT USAGE ON SCHEMA cur TO analyst;
	GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA sdc TO curator;
	GRANT EXECUTE ON FUNCTION sdc.dp_synthesize TO analyst;
	CREATE FUNCTION cur.fill(name text, other int, missing int)
	RETURNS void LANGUAGE plpgsql AS $$BEGIN
		EXECUTE format('CREATE TABLE cur.%I (id int, person int, age int,
			cost numeric, region text, disease text, note text)', name);
		EXECUTE format('ALTER TABLE cur.%I ALTER note SET STORAGE EXTERNAL', name);
		EXECUTE format('INSERT INTO cur.%I SELECT i, p,
			CASE WHEN p = $1 THEN 99 ELSE 20 + i %% 60 END,
			100 + i %% 800,
			(ARRAY[''north'', ''south''])[(i + (p = $1)::int) %% 2 + 1],
			(ARRAY[''flu'', ''hiv'', ''ill''])[(i + (p = $1)::int) %% 3 + 1],
			CASE WHEN p %% 20 = 0 THEN repeat(chr(65 + i %% 26), 3000)
				ELSE repeat(chr(97 + (i + (p = $1)::int) %% 26), 20) END
			FROM (SELECT i, (i * 7) %% PERSONS AS p FROM
				generate_series(1, 2 * PERSONS) AS i) AS s
			WHERE p <> $2 ORDER BY i', name)
			USING other, missing;
		EXECUTE format('CREATE INDEX ON cur.%I (disease)', name);
		EXECUTE format('CREATE INDEX ON cur.%I (id) INCLUDE (person)', name);
		EXECUTE format('CREATE INDEX ON cur.%I (age)', name);
		EXECUTE format('ALTER TABLE cur.%I OWNER TO curator', name);
	END$$;
	CREATE FUNCTION cur.declare(name text) RETURNS void LANGUAGE plpgsql AS $$BEGIN
		PERFORM sdc.create_dataset(name, 'cur.' || name, 'person',
			max_rows => 2, max_groups => 2, accounting => 'approx',
			epsilon => 1e9, delta => 0.9);
		PERFORM sdc.describe_column(name, 'age', 0, 120),
			sdc.describe_column(name, 'cost', 0, 1000),
			sdc.describe_column(name, 'region', categories => '{north,south}'),
			sdc.grant_budget(name, 'analyst', 1e9, 0.9);
	END$$;};
$setup =~ s/PERSONS/$persons/g;
$node->safe_psql('postgres', $setup);
$node->safe_psql('postgres', 'CREATE EXTENSION pg_stat_statements')
  if $statements;

# numbers of budgets are written into the log: as many digits for each
$node->safe_psql('postgres',
	q{SELECT setval('sdc.dp_budget_id', 100)});
my %other = map { ("b$_" => 1 + int(rand($persons - 1))) } 1 .. $neighbours;
my %missing = map { ("c$_" => (2 * $persons - $_) * 7 % $persons) } 1 .. 3;
foreach my $name ('a0', sort(keys %other), sort(keys %missing))
{
	my $other = $other{$name} // -1;
	my $missing = $missing{$name} // -1;

	$node->safe_psql('postgres',
		"SELECT cur.fill('$name', $other, $missing), cur.declare('$name')");
}
$node->safe_psql('postgres', 'VACUUM ANALYZE');

# What a plain role sees of its transaction: counters of the table and of what
# belongs to it, and its locks; and of pg_stat_statements and of temporary
# files.  The functions run with the rights of who calls them.  They are planned
# each time, as functions of SQL are before 18: to plan them anew now and then
# would take locks that they look at.
$node->safe_psql(
	'postgres', q{
	CREATE SCHEMA look;
	GRANT USAGE ON SCHEMA look TO analyst;
	CREATE VIEW look.parts AS
	WITH own AS (
		SELECT oid, reltoastrelid, relname FROM pg_class
		WHERE relnamespace = 'cur'::regnamespace AND relkind = 'r')
	SELECT relname AS name, oid, 'table' AS part FROM own
	UNION ALL SELECT relname, reltoastrelid, 'toast' FROM own
	UNION ALL SELECT relname, indexrelid, 'index ' || indkey::text
	FROM own JOIN pg_index ON indrelid = oid
	UNION ALL SELECT relname, indexrelid, 'index of toast'
	FROM own JOIN pg_index ON indrelid = reltoastrelid;
	CREATE FUNCTION look.counters(dataset text) RETURNS text LANGUAGE sql
		SET plan_cache_mode = force_custom_plan AS $$
		SELECT string_agg(concat_ws(' ', part, pg_stat_get_xact_numscans(oid),
			pg_stat_get_xact_tuples_returned(oid),
			pg_stat_get_xact_tuples_fetched(oid),
			pg_stat_get_xact_tuples_inserted(oid) +
			pg_stat_get_xact_tuples_updated(oid) +
			pg_stat_get_xact_tuples_deleted(oid),
			pg_stat_get_xact_blocks_fetched(oid),
			pg_stat_get_xact_blocks_hit(oid)), ', ' ORDER BY part)
		FROM look.parts WHERE name = dataset$$;
	CREATE FUNCTION look.locks(dataset text) RETURNS text LANGUAGE sql
		SET plan_cache_mode = force_custom_plan AS $$
		SELECT count(*) || ': ' || string_agg(concat_ws(' ', l.locktype,
			coalesce(p.part, regexp_replace(l.relation::regclass::text,
				'_\d+$', '')), l.page, l.tuple, l.mode), ', '
			ORDER BY l.locktype, coalesce(p.part, regexp_replace(
				l.relation::regclass::text, '_\d+$', '')), l.page, l.tuple, l.mode)
		FROM pg_locks AS l LEFT JOIN look.parts AS p ON p.oid = l.relation
		WHERE pid = pg_backend_pid() AND l.relation::regclass::text
			!~ '^(look|pg_)' AND l.locktype <> 'virtualxid'$$;
	/* catalogs: what is looked up in them, and functions that are counted */
	CREATE FUNCTION look.catalogs() RETURNS text LANGUAGE sql
		SET plan_cache_mode = force_custom_plan AS $$
		SELECT string_agg(line, ', ' ORDER BY line) FROM (
			SELECT concat_ws(' ', relname, coalesce(seq_scan, 0), coalesce(idx_scan, 0))
			FROM pg_stat_xact_sys_tables
			WHERE seq_scan + idx_scan > 0 AND relname !~ '^pg_toast_'
			UNION ALL SELECT concat_ws(' ', schemaname || '.' || funcname, calls)
			FROM pg_stat_xact_user_functions WHERE schemaname <> 'look') AS s (line)$$;
	GRANT SELECT ON look.parts TO analyst;});
$node->safe_psql(
	'postgres', $statements
	? q{
	CREATE FUNCTION look.reset() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS
		$$BEGIN PERFORM pg_stat_statements_reset(); END$$;
	CREATE FUNCTION look.statements() RETURNS text LANGUAGE sql
		SET plan_cache_mode = force_custom_plan AS $$
		SELECT string_agg(concat_ws(' ', rolname, calls, rows,
			CASE WHEN rolname = 'curator' THEN shared_blks_hit + shared_blks_read END,
			local_blks_hit + local_blks_read, temp_blks_read, temp_blks_written
			JIT),
			', ' ORDER BY rolname, query, calls, rows)
		FROM pg_stat_statements AS s JOIN pg_roles AS r ON r.oid = s.userid
		WHERE rolname IN ('curator', 'analyst')$$;}
	=~ s/JIT/$version < 150000 ? '' : ', jit_functions, jit_inlining_count'/er
	: q{
	CREATE FUNCTION look.reset() RETURNS void LANGUAGE sql AS '';
	CREATE FUNCTION look.statements() RETURNS text LANGUAGE sql
		SET plan_cache_mode = force_custom_plan AS $$SELECT ''$$;});
my $flush =
  $version >= 150000 ? 'SELECT pg_stat_force_next_flush();' : '';

# Before 15 the counters of a transaction hold what others of its session have
# not sent yet, so they are looked at before, too.
sub difference
{
	my ($now, $before) = @_;
	my @before = split /, /, $before;

	return join ', ', map {
		my ($part, $figures) = /^(.*?)((?: \d+){6})$/ or die "counters: $_";
		my @was = (split / /, shift @before)[ -6 .. -1 ];

		join ' ', $part, map { $_ - shift @was } split ' ', $figures;
	} split /, /, $now;
}

# The same of a list "name figure figure, ...", and of figures alone.
sub named_difference
{
	my %was = map { /^(\S+) (.*)$/ ? ($1 => $2) : () } split /, /, $_[1];

	# before 15 what the statements of before have left to send is there, too
	return join ', ', grep { !/^\S+( 0)+$/ }
	  map { /^(\S+) (.*)$/; "$1 " . list_difference($2, $was{$1} // '') }
	  split /, /, $_[0];
}

sub list_difference
{
	my @was = split / /, $_[1] // '';

	return join ' ', map { $_ - (shift(@was) // 0) } split / /, $_[0] // '';
}

# Ways to ask, and settings that would have another plan made.
my %way = (
	plain => sub { "SELECT count(*) FROM $_[0];" },
	loop => sub {
		"DO \$\$DECLARE r record; BEGIN FOR r IN SELECT * FROM "
		  . "$_[0] LOOP NULL; END LOOP; END\$\$;";
	},
	cursor => sub {
		"DECLARE c CURSOR FOR SELECT * FROM $_[0]; MOVE ALL IN c; CLOSE c;";
	},
	prepared => sub {
		"PREPARE p AS SELECT count(*) FROM $_[0]; "
		  . "EXECUTE p; EXECUTE p; DEALLOCATE p;";
	},
	dynamic => sub {
		my $quoted = $_[0] =~ s/'/''/gr;

		"DO \$\$BEGIN EXECUTE 'SELECT * FROM $quoted'; END\$\$;";
	},
	savepoint => sub {
		"SAVEPOINT s; SELECT count(*) FROM $_[0]; ROLLBACK TO s;";
	});
my @settings = (
	'',
	"SET work_mem = '64kB'; SET hash_mem_multiplier = 1;",
	'SET enable_seqscan = off; SET random_page_cost = 0;',
	'SET enable_bitmapscan = off; SET seq_page_cost = 1000000;',
	"SET sdc.memory_limit = '1MB';",
	'SET default_transaction_isolation = "repeatable read";');
my @slow_settings = (
	'SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; '
	  . 'SET parallel_tuple_cost = 0; SET max_parallel_workers_per_gather = 4;',
	($version >= 160000
		? 'SET debug_parallel_query = on;'
		: 'SET force_parallel_mode = on;'),
	'SET jit = on; SET jit_above_cost = 0;');
my @requests = (
	q{'{count}', 0.001},
	q{'{sum(age)}', 0.001},
	q{'{count,avg(cost),median(age)}', 0.3},
	q{'{count}', 0.3, '{region}'},
	q{'{count,sum(cost)}', 0.3, '{disease,region}', delta => 1e-9},
	"(SELECT array_agg('sum(age)'::text) FROM generate_series(1, 300)), 2");

sub value_of
{
	my ($id) = @_;
	my $person = $id * 7 % $persons;

	return (
		age => 20 + $id % 60,
		disease => (qw(flu hiv ill))[ $id % 3 ],
		region => (qw(north south))[ $id % 2 ],
		note => $person % 20 == 0
		? chr(65 + $id % 26)
		: chr(97 + $id % 26));
}

# Two predicates of one length, one of which finds a person that the other does
# not: by index, by TOAST, by both, among others or alone.
sub predicates
{
	my $id = 100 + int(rand($persons * 2 - 200));
	my %value = value_of($id);
	my $wrong = $value{disease} eq 'hiv' ? 'flu' : 'hiv';
	my $note = "$value{note}$value{note}";
	my @forms = (
		[ "id = $id AND disease = '$value{disease}'",
			"id = $id AND disease = '$wrong'" ],
		[ "id <= 40 OR id = $id AND disease = '$value{disease}'",
			"id <= 40 OR id = $id AND disease = '$wrong'" ],
		[ "disease = '$value{disease}' AND note >= '$note' AND id = $id",
			"disease = '$wrong' AND note >= '$note' AND id = $id" ],
		[ "id = $id AND note >= '$note'", "id = $id AND note >= '~~'" ],
		[ "id BETWEEN $id AND $id", 'id BETWEEN ' . ('9' x length $id)
			  . ' AND ' . ('9' x length $id) ],
		[ "NOT (id <> $id OR disease <> '$value{disease}')",
			"NOT (id <> $id OR disease <> '$wrong')" ],
		[ "id IN ($id, 1) AND age = $value{age}",
			"id IN ($id, 1) AND age = 11" ]);

	return @{ $forms[ rand @forms ] };
}

sub any_of
{
	return $_[ rand @_ ];
}

# The pairs: what is asked of which table, twice.
my @pairs;
foreach my $i (1 .. $pairs)
{
	# workers and compilation for each query of the catalogs take their time
	my $slow = $i % 20 == 0;
	my $settings = any_of($slow ? @slow_settings : @settings);
	my $request = $requests[ rand($slow ? 5 : 6) ];
	my @predicate = predicates();
	my %pair = (
		settings => $settings,
		way => any_of(sort keys %way),
		rows => 0);

	if ($i % 4 != 3)
	{
		$pair{table} = [ 'a0', 'a0' ];
	}
	elsif ($i % 8 == 3)
	{
		my $table = any_of(sort keys %other);

		$pair{table} = [ 'a0', $table ];
		$predicate[1] = $predicate[0];
		@predicate = ("person = $other{$table}") x 2 if $i % 16 == 3;
	}
	else
	{
		my $table = any_of(sort keys %missing);

		$pair{table} = [ 'a0', $table ];
		$pair{rows} = 2;
		$predicate[1] = $predicate[0];
		@predicate = ("person = $missing{$table}") x 2 if $i % 16 == 7;
	}
	$pair{ask} = [
		map {
			my $quoted = $predicate[$_] =~ s/'/''/gr;
			"sdc.dp_query('$pair{table}[$_]', $request, predicate => '$quoted')"
		} 0 .. 1
	];
	push @pairs, \%pair;
}

# The same of whole synthetic tables, which have no predicate: of so many
# records, and with the steps counted, since their numbers are answers.
my @columns = ('age,region', 'age,cost,region');
foreach my $i (1 .. $synthetic)
{
	my $slow = $i % 20 == 0;
	my $missing = $i % 3 == 0;
	my $table = any_of(sort keys %{ $missing ? \%missing : \%other });
	my $columns = any_of(@columns);
	my $method = any_of('mst', 'independent', 'aim');
	my $delta = any_of(0, 1e-9);

	push @pairs,
	  {
		settings => any_of($slow ? @slow_settings : @settings),
		way => any_of(grep { $_ ne 'prepared' } sort keys %way),
		rows => $missing ? 2 : 0,
		table => [ 'a0', $table ],
		makes => 1,
		ask => [
			map {
				"(SELECT count(*) FROM sdc.dp_synthesize('$_', 'pg_temp.made', 0.5, "
				  . "$delta, '$method', '$columns', 50, "
				  . "'{\"bins\": {\"age\": 4, \"cost\": 5}}')) AS s"
			} 'a0', $table
		] };
}

# One session of the analyst asks them all, each pair after a rehearsal that
# fills caches, and looks after each request.
my $script = '';
foreach my $i (0 .. $#pairs)
{
	my $pair = $pairs[$i];

	foreach my $turn (0, 1, 0, 1)
	{
		my $table = $pair->{table}[$turn];

		$script .= "$pair->{settings}\nSELECT look.reset();\nBEGIN;\n"
		  . "SELECT 'before', $i, $turn, look.counters('$table'), look.catalogs();\n"
		  . $way{ $pair->{way} }->($pair->{ask}[$turn])
		  . "\nSELECT 'look', $i, $turn, look.counters('$table'), "
		  . "look.locks('$table'), look.catalogs();\nCOMMIT;\n$flush\n"
		  . "SELECT 'after', $i, $turn, temp_files, temp_bytes, look.statements() "
		  . "FROM pg_stat_database WHERE datname = current_database();\n"
		  . "RESET ALL;\n"
		  . ($pair->{makes} ? "SET client_min_messages = warning; "
			  . "DROP TABLE IF EXISTS pg_temp.made;\n" : '');
	}
}
my ($status, $out, $err) = $node->psql('postgres', $script,
	extra_params => [ '-U', 'analyst', '-F', "\t" ]);
is($status, 0, 'all requests are answered');
is($err, '', 'without a message');

my %seen;
foreach my $line (split /\n/, $out)
{
	my ($kind, $i, $turn, @figures) = split /\t/, $line;

	# the second time counts
	$seen{$i}[$turn]{$kind} = [@figures]
	  if $kind =~ /^(before|look|after)$/;
}
is(scalar(keys %seen), $pairs + $synthetic, 'and looked at');

my (@unequal, %scans);
foreach my $i (0 .. $#pairs)
{
	my ($left, $right) = @{ $seen{$i} };
	my $pair = $pairs[$i];
	my ($counters, $locks) = @{ $left->{look} };
	my ($counters2, $locks2) = @{ $right->{look} };

	$counters = difference($counters, $left->{before}[0]);
	$counters2 = difference($counters2, $right->{before}[0]);
	my ($catalogs, $catalogs2) =
	  map { named_difference($_->{look}[2], $_->{before}[1]) } $left, $right;
	my $runs = $pair->{way} eq 'prepared' ? 2 : 1;
	my $statements1 = $left->{after}[2] // '';
	my $statements2 = $right->{after}[2] // '';

	# nothing but the length of the table differs, which all can see
	foreach my $text ($counters2, $statements2)
	{
		my $short = 2 * $persons - $pair->{rows};
		my $whole = 2 * $persons;

		$text =~ s/(?<= )$short(?= )/$whole/g;
		$short *= 2;
		$whole *= 2;
		$text =~ s/(?<= )$short(?= )/$whole/g;
	}
	$scans{ $counters =~ /\btable (\d+) (\d+)/ ? "$1 $2" : 'none' }++;
	push @unequal, "$pair->{way} $pair->{settings} @{$pair->{ask}}:\n"
	  . join("\n", $counters, $counters2, $locks, $locks2, $catalogs,
		$catalogs2, $statements1, $statements2)
	  if $counters ne $counters2 || $locks ne $locks2
	  || $catalogs ne $catalogs2
	  || $statements1 ne $statements2;
}
is(scalar(@unequal), 0, scalar(@pairs) . ' pairs leave the same traces')
  or diag(join "\n\n", @unequal[ 0 .. ($#unequal > 4 ? 4 : $#unequal) ]);
is( join(', ', sort keys %scans),
	join(', ', map { "$_ " . $_ * 2 * $persons } 1, 2),
	'every request reads every row, once, by a sequential scan');
my %temporary =
  map { (join(' ', @{ $_->{after} }[ 0, 1 ]) => 1) } map { @$_ } values %seen;
is(join(', ', sort keys %temporary), '0 0', 'and writes no temporary file');
unlike($out, qr/SIReadLock/, 'nor leaves predicate locks');
like($out, qr/analyst \d+ \d+/, 'pg_stat_statements has the requests')
  if $statements;
unlike($out, qr/curator \d+ \d+/,
	'and not how the rows were read, or how long that took');

# What the server counts of all its sessions, none of which works beside this
# one: blocks and rows of the database, WAL, SLRU, and from 16 on pg_stat_io.
# Before 15 it comes late.  Some pairs are asked four times; the least counts,
# as some requests need another page of the log, or a record of its sequence.
my @server;
my $io = $version < 160000 ? q{0} : q{(SELECT string_agg(concat_ws(chr(9),
	coalesce(reads, 0) + coalesce(hits, 0), coalesce(writes, 0),
	coalesce(extends, 0), coalesce(reuses, 0)), chr(9) ORDER BY object, context)
	FROM pg_stat_io WHERE backend_type = 'client backend')};
if ($version >= 150000)
{
	my @some = grep { $_ % 9 == 0 } 0 .. $pairs - 1;
	my $look = qq{SELECT pg_stat_force_next_flush();
		SELECT %s, blks_read + blks_hit, tup_returned, tup_fetched, tup_inserted,
			tup_updated, tup_deleted, conflicts, temp_files, temp_bytes, deadlocks,
			(SELECT concat_ws(chr(9), wal_records, wal_fpi, wal_bytes) FROM pg_stat_wal),
			(SELECT concat_ws(chr(9), sum(blks_zeroed), sum(blks_hit + blks_read),
				sum(blks_exists)) FROM pg_stat_slru), $io
		FROM pg_stat_database WHERE datname = current_database();\n};
	my (%least, %now);

	$script = '';
	foreach my $i (@some)
	{
		foreach my $turn ((0, 1) x 4)
		{
			$script .= "$pairs[$i]{settings}\n" . sprintf($look, "'before', $i, $turn")
			  . "SELECT count(*) FROM $pairs[$i]{ask}[$turn];\n"
			  . sprintf($look, "'server', $i, $turn") . "RESET ALL;\n";
		}
	}
	($status, $out, $err) = $node->psql('postgres', $script,
		extra_params => [ '-U', 'analyst', '-F', "\t" ]);
	is($err, '', 'asked again');
	foreach my $line (grep { /^(before|server)\t/ } split /\n/, $out)
	{
		my ($kind, $i, $turn, @figures) = split /\t/, $line;

		if ($kind eq 'before')
		{
			@now{ 0 .. $#figures } = @figures;
			next;
		}
		foreach my $j (0 .. $#figures)
		{
			my $difference = $figures[$j] - $now{$j};
			my $least = \$least{$i}[$turn][$j];

			# the length of the table
			$difference += $pairs[$i]{rows} if $j == 1 && $turn == 1;
			$$least = $difference if !defined $$least || $difference < $$least;
		}
	}
	foreach my $i (@some)
	{
		my @both = map { join ' ', @{ $least{$i}[$_] } } 0, 1;

		push @server, "@{$pairs[$i]{ask}}:\n$both[0]\n$both[1]"
		  if $both[0] ne $both[1];
	}
	is(scalar(keys %least), scalar(@some), 'and looked at');
	cmp_ok($least{0}[0][10], '>', 0, 'a request writes to the log');
}
is(scalar(@server), 0, 'nor differ blocks, rows, WAL and SLRU of the server')
  or diag(join "\n\n", @server);

# EXPLAIN is refused at every depth, in a session that has just begun, where
# the library is not there before the query runs, and later on.
$node->safe_psql(
	'postgres', q{
	CREATE SCHEMA an AUTHORIZATION analyst;
	SET ROLE analyst;
	CREATE FUNCTION an.loop() RETURNS int LANGUAGE plpgsql AS $$
		DECLARE r record; BEGIN
		FOR r IN SELECT * FROM sdc.dp_query('a0', '{count}', 1) LOOP NULL; END LOOP;
		RETURN 1; END$$;
	CREATE FUNCTION an.deep() RETURNS int LANGUAGE plpgsql AS $$
		BEGIN PERFORM an.loop(); RETURN 1; END$$;
	CREATE FUNCTION an.caught() RETURNS text LANGUAGE plpgsql AS $$
		BEGIN RETURN an.deep(); EXCEPTION WHEN OTHERS THEN RETURN SQLERRM; END$$;
	CREATE FUNCTION an.plain() RETURNS numeric LANGUAGE sql AS
		$$SELECT value FROM sdc.dp_query('a0', '{count}', 1)$$;
	CREATE FUNCTION an.lines(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
		DECLARE r record; BEGIN
		FOR r IN EXECUTE 'EXPLAIN (ANALYZE, BUFFERS) ' || query LOOP
			RETURN NEXT r; END LOOP; END$$;
	CREATE FUNCTION an.line(query text) RETURNS text LANGUAGE plpgsql AS $$
		DECLARE r text; BEGIN
		EXECUTE 'eXpLaIn (ANALYZE, BUFFERS) ' || query INTO r; RETURN r; END$$;
	CREATE FUNCTION an.planned() RETURNS numeric IMMUTABLE LANGUAGE plpgsql AS $$
		BEGIN RETURN an.plain(); END$$;
	CREATE FUNCTION an.plan(query text) RETURNS text LANGUAGE plpgsql AS $$
		DECLARE r text; BEGIN
		EXECUTE 'EXPLAIN (BUFFERS) ' || query INTO r; RETURN r; END$$;});
my $explain = 'EXPLAIN (ANALYZE, BUFFERS)';
my @explained = (
	"$explain SELECT * FROM sdc.dp_query('a0', '{count}', 1)",
	"$explain SELECT (sdc.dp_query('a0', '{count}', 1)).value",
	"$explain SELECT * FROM sdc.dp_histogram('a0', '{region}', 1)",
	"$explain SELECT * FROM sdc.dp_synthesize('a0', 'pg_temp.made', 1)",
	"$explain SELECT an.loop()",
	"$explain SELECT an.deep()",
	"$explain SELECT an.plain()",
	"$explain WITH w AS MATERIALIZED (SELECT an.deep()) SELECT * FROM w",
	"$explain SELECT (SELECT an.deep()) FROM generate_series(1, 2)",
	"$explain CREATE TEMP TABLE t AS SELECT an.loop()",
	"PREPARE p AS SELECT an.deep(); $explain EXECUTE p",
	"SELECT an.lines('SELECT an.deep()')",
	"SELECT an.line('SELECT an.deep()')",
	"SELECT an.line('SELECT an.plain()')",
	"EXPLAIN (BUFFERS) SELECT an.planned()",
	"SELECT an.plan('SELECT an.planned()')",
	"SELECT an.line('SELECT an.planned()')",
	"SELECT an.line('SELECT * FROM sdc.dp_query(''a0'', ''{count}'', 1)')",
	"DO \$\$BEGIN PERFORM an.line('SELECT an.loop()'); END\$\$",
	"DECLARE c CURSOR WITH HOLD FOR SELECT an.line('SELECT an.deep()')");
my $spent = "SELECT spent FROM sdc.remaining_budget('a0') WHERE role IS NULL";
my $before = $node->safe_psql('postgres', $spent);
my @as_analyst = (extra_params => [ '-U', 'analyst' ]);
foreach my $sql (@explained)
{
	foreach my $first ('',
		"SELECT sdc.dp_halfwidth('laplace', 1, 1, 0.9);")
	{
		($status, $out, $err) = $node->psql('postgres', "$first $sql", @as_analyst);
		like($err, qr/cannot be explained/, "refused: $first $sql");
	}
}
like(
	$node->safe_psql('postgres', "SELECT an.line('SELECT an.caught()')"),
	qr/Result/,
	'an error that is caught lets EXPLAIN go on');
is($node->safe_psql('postgres', $spent), $before, 'nothing was charged for it');
foreach my $sql ("EXPLAIN SELECT an.loop()",
	"SELECT an.caught() = '1', an.plain() > 0")
{
	($status, $out, $err) = $node->psql('postgres', $sql, @as_analyst);
	is($err, '', "not refused: $sql");
}

# What is looked up when the first value of its kind comes along, in sessions
# that have looked nothing up yet: one person of table z alone has a rare
# label, a text in a column of another collation, a category.
$node->safe_psql('postgres', q{
	CREATE COLLATION cur.other (provider = libc, locale = 'C');
	CREATE TYPE cur.ill AS ENUM ('flu', 'hiv', 'rare', 'none');
	CREATE DOMAIN cur.illness AS cur.ill;
	CREATE TYPE cur.pair AS (a int, b text);
	CREATE TABLE cur.y AS SELECT i AS id,
		(ARRAY['flu', 'hiv'])[1 + i % 2]::cur.illness AS ill,
		NULL::text COLLATE cur.other AS note, NULL::text AS plain,
		NULL::name AS named, NULL::int[] AS list, NULL::cur.pair AS pair,
		NULL::numeric AS price, NULL::cur.ill AS unit, NULL::date AS day,
		'pg_class'::regclass AS reg, NULL::char(3) COLLATE "POSIX" AS code
	FROM generate_series(1, 500) AS i;
	CREATE TABLE cur.z AS TABLE cur.y;
	UPDATE cur.z SET ill = 'rare', note = 'x', plain = 'x', named = 'x',
		list = '{7}', pair = (1, 'x'), price = 1.5, unit = 'hiv',
		reg = 'pg_proc', day = '2020-01-01', code = 'x' WHERE id = 97;
	ALTER TABLE cur.y OWNER TO curator;
	ALTER TABLE cur.z OWNER TO curator;
	CREATE FUNCTION cur.first(name text, unit text) RETURNS void
	LANGUAGE plpgsql AS $$BEGIN
		PERFORM sdc.create_dataset(concat(name, unit), 'cur.' || name, unit,
			accounting => 'approx', epsilon => 1e6, delta => 0.9, anew => true);
		PERFORM sdc.describe_column(concat(name, unit), c, categories => v)
		FROM (VALUES ('list', '{"{7}"}'::text[]), ('note', '{x}'),
			('unit', '{flu}'), ('pair', '{"(1,x)"}')) AS s (c, v);
		PERFORM sdc.grant_budget(concat(name, unit), 'analyst', 1e6, 0.9);
	END$$;
	SELECT cur.first(t, u) FROM unnest('{y,z}'::text[]) AS t,
		unnest('{NULL,note,unit,list,pair,price,day}'::text[]) AS u});
$node->safe_psql('postgres', 'VACUUM FULL cur.y');
$node->safe_psql('postgres', 'VACUUM FULL cur.z');
my @firsts = (
	map({ [ '', "'{count}', 0.01, '{$_}', delta => 1e-9" ] }
		qw(ill plain named code price day), 'ill,note,day'),
	map({ [ '', "'{count}', 0.01, '{$_}'" ] } qw(note list unit pair)),
	map({ [ '', "'{count}', 0.01, predicate => '$_'" ] }
		q{note = ''x''}, q{note < ''x''}, q{note IN (''x'', ''y'')},
		q{note IS DISTINCT FROM ''x''}, q{note <= ''x'' AND id = 3},
		q{note BETWEEN ''a'' AND ''x''},
		q{named = ''x''}, q{code = ''x''}, q{price > 1},
		q{unit <> ''flu''}, q{day > ''2019-01-01''}, q{list IS NULL}),
	map({ [ $_, "'{count}', 0.01" ] } qw(note unit price day)),
	[ '', q{'{mode(unit),mode(note)}', 0.01} ]);
foreach my $first (@firsts)
{
	my ($unit, $request) = @$first;
	my ($y, $z) = map {
		my $query = "BEGIN;\nSELECT * FROM sdc.dp_query('$_$unit', $request) "
		  . "\\g /dev/null\nSELECT relname, seq_scan, idx_scan "
		  . 'FROM pg_stat_xact_sys_tables ORDER BY 1';
		my (undef, $counted, $error) = $node->psql('postgres', $query, @as_analyst);

		is($error, '', "answered: $_$unit $request");
		$counted;
	} 'y', 'z';

	like($y, qr/^pg_class\|\d/m, 'catalogs are counted');
	is($z, $y, 'and looked up alike');
}
foreach my $refused (
	[ '', q{'{count}', 0.01, '{reg}', delta => 1e-9},
		qr/column "reg" cannot be asked for without categories/ ],
	[ 'list', q{'{count}', 0.01}, qr/column "list" cannot be a unit/ ],
	[ 'pair', q{'{count}', 0.01}, qr/column "pair" cannot be a unit/ ],
	[ '', q{'{count}', 0.01, predicate => 'pair IS NULL'},
		qr/must not contain values that are rows/ ],
	[ '', q{'{count}', 0.01, predicate => 'note = code'},
		qr/must not contain comparisons of texts whose collations differ/ ],
	[ '', q{'{count}', 0.01, predicate => 'note ^@ ''x'''},
		qr/must not contain operators that may fail/ ])
{
	my ($unit, $request, $why) = @$refused;

	foreach my $table ("y$unit", "z$unit")
	{
		my $now = $spent =~ s/'a0'/'$table'/r;

		$before = $node->safe_psql('postgres', $now);
		($status, $out, $err) = $node->psql('postgres',
			"SELECT * FROM sdc.dp_query('$table', $request)", @as_analyst);
		like($err, $why, "refused: $table $request");
		is($node->safe_psql('postgres', $now), $before, 'before the charge');
	}
}

# A column that is computed as a row is read would fail on one person's row.
SKIP:
{
	skip 'no virtual columns before 18', 6
	  if $node->safe_psql('postgres', 'SHOW server_version_num') < 180000;
	$node->safe_psql('postgres', q{
		CREATE TABLE virtual (id int, n int, part int GENERATED ALWAYS AS (1000 / n) VIRTUAL);
		INSERT INTO virtual SELECT i, i - 5 FROM generate_series(1, 20) AS i;
		SELECT sdc.create_dataset('virtual', 'virtual', epsilon => 1000);
		SELECT sdc.describe_column('virtual', 'part', 0, 1000), sdc.describe_column('virtual', 'n', 0, 1000);
		SELECT sdc.grant_budget('virtual', 'analyst', 1000)});
	my $now = $spent =~ s/'a0'/'virtual'/r;
	$before = $node->safe_psql('postgres', $now);
	foreach my $request (q{'{sum(part)}', 1}, q{'{count}', 1, predicate => 'part > 3'})
	{
		($status, $out, $err) = $node->psql('postgres',
			"SELECT * FROM sdc.dp_query('virtual', $request)", @as_analyst);
		like($err, qr/column "part" is computed whenever a row is read/, "refused: $request");
		is($node->safe_psql('postgres', $now), $before, 'before the charge');
	}
	($status, $out, $err) = $node->psql('postgres',
		"SELECT value FROM sdc.dp_query('virtual', '{count}', 900, predicate => 'n > 3')", @as_analyst);
	is($err, '', 'the table can be asked');
	is($out, '12', 'for other columns');
}

# A server that explains all that runs does not tell an analyst what it expects
# of the rows, which it knows from its statistics.
($status, $out, $err) = $node->psql('postgres', q{
	LOAD 'auto_explain';
	SET auto_explain.log_min_duration = 0;
	SET auto_explain.log_nested_statements = on;
	SET ROLE analyst;
	SET client_min_messages = debug5;
	SELECT * FROM sdc.dp_query('a0', '{count}', 1)});
like($err, qr/Query Text: SELECT \* FROM sdc.dp_query/,
	'auto_explain tells of the request');
unlike($err, qr/\bcur\.a0\b/, 'and not of how the rows are read');

# Predicate locks would show rows, so there are none.
$before = $node->safe_psql('postgres', $spent);
foreach my $begin ('BEGIN ISOLATION LEVEL SERIALIZABLE;',
	'SET default_transaction_isolation = serializable;')
{
	($status, $out, $err) = $node->psql('postgres',
		"$begin SELECT * FROM sdc.dp_query('a0', '{count}', 1)", @as_analyst);
	like($err, qr/cannot be part of a serializable transaction/,
		"refused: $begin");
}
is($node->safe_psql('postgres', $spent), $before, 'and nothing was charged');

# Answers come in steps of time where the curator says so.
$node->safe_psql('postgres', q{
	SELECT sdc.create_dataset('slow', 'cur.a0', epsilon => 10,
		min_duration => '200 ms', anew => true),
	sdc.grant_budget('slow', 'analyst', 10)});
is( $node->safe_psql(
		'postgres', q{
		SELECT clock_timestamp() AS start \gset
		SELECT count(*) AS answers FROM sdc.dp_query('slow', '{count}', 1) \gset
		SELECT clock_timestamp() - :'start' >= interval '200 ms'},
		@as_analyst),
	't',
	'an answer takes its time');

# Whether memory is enough follows from the number of rows alone: not from how
# long the names of units are, nor from whether their numbers have gaps.
$node->safe_psql('postgres', q{
	CREATE TABLE cur.units AS SELECT i % 900 AS dense, i % 900 * 1000003 AS sparse,
		(i % 900)::text AS short, repeat((i % 900)::text, 60) AS long,
		(i % 900)::numeric AS number, repeat('9', 200)::numeric + i % 900 AS large,
		i % 7 AS age FROM generate_series(1, 27000) AS i;
	ALTER TABLE cur.units OWNER TO curator;
	SELECT sdc.create_dataset(u, 'cur.units', u, epsilon => 1e6, max_rows => 20,
			anew => true),
		sdc.describe_column(u, 'age', 0, 10), sdc.grant_budget(u, current_user::regrole, 1e6)
	FROM unnest('{dense,sparse,short,long,number,large}'::text[]) AS u;
	/* the least limit that is enough, in kB: what is enough is so with more */
	CREATE FUNCTION cur.least(dataset text, figures text) RETURNS int
	LANGUAGE plpgsql AS $$DECLARE
		less int := 63;
		enough int := 161;
		half int := 160;
	BEGIN
		WHILE enough - less > 1 LOOP
			BEGIN
				PERFORM set_config('sdc.dp_memory_limit', half * 16 || 'kB', false);
				PERFORM sdc.dp_query(dataset, figures::text[], 1);
				enough := half;
			EXCEPTION WHEN program_limit_exceeded THEN
				less := half;
			END;
			half := (less + enough) / 2;
		END LOOP;
		RETURN nullif(enough, 161) * 16; END$$});
foreach my $figures ('{count}', '{sum(age)}', '{sum(age),avg(age)}')
{
	my %least = map {
		$_ => $node->safe_psql('postgres', "SELECT cur.least('$_', '$figures')")
	} qw(dense sparse short long number large);

	cmp_ok($least{dense}, '>', 1024, "memory of $figures is limited");
	is($least{sparse}, $least{dense}, 'gaps of numbers do not matter');
	is($least{$_}, $least{short}, "nor lengths: $_") foreach qw(long number large);
}

# Sessions that are kept here go on when a child ends, of which tests of
# PostgreSQL 18 are told while they wait: that looked like their own end.
{
	local $SIG{CHLD} = sub { };
	my $child = fork // die "fork: $!\n";

	exec 'sleep', '0.3' if $child == 0;
	is($node->safe_psql('postgres', 'SELECT 7 FROM pg_sleep(1)', timeout => 60),
		7, 'another child that ends is no end of a session');
	waitpid $child, 0;
}

# Another session of the analyst does not see when the work was done.
$node->safe_psql('postgres', q{
	CREATE TABLE cur.steps AS SELECT i AS id, i % 7 AS age
		FROM generate_series(1, 300000) AS i;
	ALTER TABLE cur.steps OWNER TO curator;
	SELECT sdc.create_dataset('steps', 'cur.steps', 'id', epsilon => 10,
		min_duration => '3 s'),
	sdc.describe_column('steps', 'age', 0, 10),
	sdc.grant_budget('steps', 'analyst', 10)});
foreach my $request (
	q{SELECT count(*) FROM sdc.dp_query('steps', '{sum(age)}', 1)},
	q{SELECT count(*) FROM sdc.dp_synthesize('steps', 'pg_temp.made', 1, columns => 'age')})
{
	my ($said, %events, $looks) = ('');
	my $handle = IPC::Run::start(
		[ 'psql', '-XAtq', '-U', 'analyst', '-d', $node->connstr('postgres'),
			'-c', "SET application_name = 'asks'", '-c',
			'SET sdc.progress_interval = 0.1', '-c', $request ],
		'>', \$said, '2>&1', IPC::Run::timeout(900));

	while ($handle->pumpable)
	{
		my $seen = $node->safe_psql('postgres', q{
			SELECT coalesce(wait_event_type || ' ' || wait_event, 'none')
			FROM pg_stat_activity WHERE application_name = 'asks' AND state = 'active'
			UNION ALL SELECT 'progress ' || function FROM sdc.progress}, @as_analyst);

		$looks++ if $seen ne '';
		$events{$_}++ foreach split /\n/, $seen;
		$handle->pump_nb;
		last if $said ne '';
	}
	$handle->finish;
	like($said, qr/^\d+\n$/, "answered without a notice: $request");
	cmp_ok($looks, '>', 3, 'while it was looked at');
	is(join(', ', grep { !/^none|^IO |^LWLock |^IPC / } sort keys %events),
		'', 'which shows neither how far it is nor that it waits');
}

# What stays in the memory of a session, which readers of all statistics see,
# does not tell whom a predicate has found: each is asked twice, after both.
{
	my @predicates = map { my $quoted = $_ =~ s/'/''/gr; $quoted }
	  map { my %is = value_of($_); ("id = $_ AND disease = '$is{disease}' AND note > ''",
		  "id = $_ AND disease = 'none' AND note > 'zzz'") } 100, 1400;
	my $look = q{SELECT 'memory', concat_ws(' ', sum(split_part(line, '|', 2)::int8),
			sum(split_part(line, '|', 3)::int8), count(*))
		FROM regexp_split_to_table(memory_contexts(), '\n') AS line
		WHERE line ~ '^[^|]+[|]' AND line !~ 'SQL function|Exec|Portal|SPI|Expr|CachedPlan|Message';};

	$node->safe_psql('postgres', qq{CREATE FUNCTION memory_contexts() RETURNS text
		LANGUAGE c AS '$ENV{TESTDIR}/memory_contexts', 'memory_contexts'});
	$node->safe_psql('postgres', q{SELECT sdc.grant_budget('a0', 'postgres', 1e9)});
	my $asked = join "\n", map {
		"SELECT count(*) FROM sdc.dp_query('a0', '{count,sum(age)}', 0.01, predicate => '$_') \\g /dev/null\n$look"
	} (@predicates) x 3;
	my %left;

	# what others did to the catalogs meanwhile is once; what tells is always
	foreach (1 .. 3)
	{
		my @left = $node->safe_psql('postgres', $asked) =~ /^memory\|(.*)$/mg;

		%left = map { $_ => 1 } @left[ -8 .. -1 ];
		last if keys %left == 1;
	}
	is(keys %left, 1, 'the memory of the session tells nothing')
	  or diag(join ', ', sort keys %left);
}

$node->stop;
done_testing();
