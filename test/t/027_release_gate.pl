# The gate on the census table, with two keys known to the intruder: a rank swap
# with p = 2 is refused because of the attack that knows p, although linking
# nearest records would let it pass at the same bound; a larger p passes, and
# so do the other methods of swapping.  All runs are in the history.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

open my $file, '-|', 'gzip', '-dc',
  "$ENV{TESTDIR}/data/published/census.csv.gz"
  or die "cannot read the census: $!\n";
my ($header, @rows) = <$file>;
close $file;
$header =~ s/"//g;
$header =~ s/\s+$//;
my @columns = split /,/, lc $header;

$node->safe_psql('postgres',
	    'CREATE EXTENSION sdc; CREATE SCHEMA pub; CREATE TABLE file ('
	  . join(', ', map { "$_ float8" } @columns) . ");\n"
	  . "COPY file FROM STDIN (FORMAT csv);\n"
	  . join('', @rows)
	  . "\\.\n"
	  . q{CREATE TABLE census AS
	SELECT row_number() OVER (ORDER BY f)::int AS id, afnlwgt, agi FROM file AS f;
	SELECT sdc.declare('census', id => 'id', keys => '{afnlwgt,agi}');});
is($node->safe_psql('postgres', 'SELECT count(*) FROM census'),
	'1080', 'the census table is read');

# Releases with a rule for both columns, each looked at by itself: what the
# versions show together may be everything.  Returns whether it was published, and
# the values of both constraints.
sub release
{
	my ($rule) = @_;
	my $failed;

	$node->safe_psql(
		'postgres', qq{
		SELECT sdc.create_policy('census', 'census',
			'{"afnlwgt": $rule, "agi": $rule}',
			'[{"attack": "distance", "<=": 0.4},
			  {"attack": "transparency", "<=": 0.4},
			  {"attack": "sequence", "<=": 1}]',
			'{"schema": "pub", "attacks": ["distance", "transparency"]}')});
	$node->psql('postgres', q{CALL sdc.release('census', seed => 5000000000000000001)},
		stderr => \$failed);
	return ($failed,
		split /\|/, $node->safe_psql(
			'postgres', q{
		SELECT status, measures -> 0 -> 'gate' -> 0 -> 'passed',
			measures -> 0 -> 'gate' -> 1 -> 'passed',
			measures -> 0 -> 'gate' -> 0 -> 'value',
			measures -> 0 -> 'gate' -> 1 -> 'value'
		FROM sdc.releases('census') ORDER BY release DESC LIMIT 1}));
}

my ($failed, @verdict) = release('{"method": "rank_swap", "p": 2}');
note("p = 2: distance $verdict[3], transparency $verdict[4]");
is("@verdict[0 .. 2]", 'refused true false',
	'p = 2: refused by the transparency attack, not by plain linkage');
like($failed, qr/release 1 of policy "census" is refused/, 'and loudly');
is($node->safe_psql('postgres', q{SELECT to_regclass('pub.census') IS NULL}),
	't', 'nothing is published');

foreach my $rule (
	'{"method": "rank_swap", "p": 5}',
	'{"method": "rank_swap", "p": 2, "variant": "distribution"}',
	'{"method": "rank_swap", "p": 2, "variant": "buckets"}')
{
	($failed, @verdict) = release($rule);
	note("$rule: distance $verdict[3], transparency $verdict[4]");
	is("@verdict[0 .. 2]", 'published true true', "$rule passes");
}
is( $node->safe_psql(
		'postgres', q{SELECT string_agg(status, ' ' ORDER BY release)
		FROM sdc.releases('census')}),
	'refused published published published',
	'all runs are in the history');

$node->stop;
done_testing();
