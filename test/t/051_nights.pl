# Night after night with every mask that releases can hold: each value is
# compared with the night before, and changes only where its row does; what
# each mask promises holds of those that are drawn together.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;

my $nights = 6;
my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'));
$node->init;
$node->start;

sub ask
{
	my ($query) = @_;

	return $node->safe_psql('postgres',
		"SET client_min_messages = warning; $query");
}

ask('CREATE EXTENSION sdc');
$node->safe_psql('postgres', "\\i $ENV{SDC_ROOT}/test/data/nights.sql",
	extra_params => [ '-v', 'rows=400' ]);
is(ask('SELECT * FROM masks_left()'), '', 'every mask of the registry is there');

# One call each, as a release commits.
sub release
{
	ask("CALL sdc.release('$_')") foreach qw(nights nights_levels nights_local);
}

foreach my $night (1 .. $nights)
{
	ask("SELECT change($night, 12)") if $night > 1;
	release();
	# no person's rows are parted by those of others, see versions_same.c
	is( ask(q{SELECT count(DISTINCT person) > 300, count(*) - count(DISTINCT person)
			FROM (SELECT v.person, lag(v.person) OVER (ORDER BY v.ctid) AS before
				FROM sdc.release_value AS v JOIN sdc.release_part AS p USING (part)
				WHERE p.policy = 'nights') AS x
			WHERE person IS DISTINCT FROM before}),
		't|0', 'what a first release remembers lies person by person')
	  if $night == 1;
	ask("SELECT check_night($night)");
	is(ask("SELECT part, what, rows FROM problem WHERE night = $night ORDER BY 1, 2"),
		'', "night $night: bounds, invariants, no change without reason");
}
cmp_ok(
	ask(q{SELECT min((measures -> 0 -> 'versions' ->> 'kept')::int)
		FROM (SELECT measures FROM sdc.releases('nights') OFFSET 1) AS r}),
	'>', 200, 'most rows stay as they were');
cmp_ok(
	ask(q{SELECT sum((measures -> 0 -> 'versions' ->> 'drawn')::int)
		FROM (SELECT measures FROM sdc.releases('nights') OFFSET 1) AS r}),
	'>', 30, 'and some are drawn');

# The checks find what they look for: all drawn anew, nothing has changed.
ask(q{SELECT sdc.create_policy(jsonb_set(sdc.policy_json('nights'),
	'{relations,0,params,fresh}', 'true'))});
release();
ask('SELECT check_night(99)');
is( ask(q{SELECT string_agg(part, ' ' ORDER BY part COLLATE "C") FROM problem
		WHERE night = 99 AND what = 'changed without reason'}),
	'anat bucket home land,town m1,m2 micro n1,n2 near noise outl q1,q2 r1,r2 s1,s2 shuf swap turn word',
	'a release that draws everything anew is noticed, in each part');

$node->stop;
done_testing();
