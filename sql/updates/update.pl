#!/usr/bin/perl
#
# update.pl OLD NEW CHANGES: writes an update script to stdout.
#
# OLD and NEW are whole install scripts, CHANGES is written by hand: what
# becomes of tables, and of all else that cannot be told from the two.  make
# calls this, see ../../Makefile; CONTRIBUTING.md says what to write when.
#
# An object that looks the same to its users, or to which something was only
# added, is altered where it is: its rights and what depends on it stay.
#
#   routine     with the same types of arguments and the same result is
#               replaced, after it was moved to its new schema; defaults may be
#               added, and arguments renamed if nothing of others uses it
#   type        with the same attributes stays, attributes may be added at the
#               end
#   table       with the same definition stays, columns may be added at the
#               end; a table that CHANGES names is left to CHANGES
#   view        with the same text stays
#
# Any other object of OLD is renamed out of the way, NEW is run, and at the end
# it is dropped.  The script stops at the start, with a list, when anything
# that is not sdc's depends on such an object.
#
# Rights are granted and revoked only on what is new: inside an extension's
# script the rights of an object become those that pg_dump takes for granted,
# with all that the administrator has granted himself.

use strict;
use warnings;

my ($old_file, $new_file, $changes_file) = @ARGV;
die "usage: update.pl OLD NEW CHANGES\n" unless defined $changes_file;

sub slurp
{
	my ($name) = @_;

	open my $handle, '<', $name or die "cannot read $name: $!\n";
	local $/;
	my $text = <$handle>;
	close $handle;
	return $text // '';
}

my $quoted = qr/'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<dollar>\$\w*\$).*?\k<dollar>/s;

# The statements of a script, without comments and commands of psql.
sub statements
{
	my ($text) = @_;
	my @found;

	$text =~ s/^\\[^\n]*//gm;
	$text =~ s{($quoted)|--[^\n]*|/\*.*?\*/}{$1 // ''}gse;
	while ($text =~ /\G((?:$quoted|[^;'"\$]|\$)*);/gcs)
	{
		my $statement = $1;

		$statement =~ s/^\s+|\s+$//g;
		push @found, $statement if $statement ne '';
	}
	die "unfinished statement\n" if substr($text, pos($text) // 0) =~ /\S/;
	return @found;
}

# As texts are compared: schemas of the extension do not count, neither do
# white space and case.
sub plain
{
	my ($text) = @_;

	$text =~ s/($quoted)|\bsdc(?:_internal)?\.(?=\w)|(\s+)/
	  $1 \/\/ (defined $3 ? ' ' : '')/gsexi;
	$text =~ s/\s*([(),])\s*/$1/g;
	$text =~ s/^\s+|\s+$//g;
	return $text;
}

# Splits at commas outside of parentheses and strings.
sub items
{
	my ($text) = @_;
	my @found = ('');
	my $depth = 0;

	while ($text =~ /\G($quoted|.)/gs)
	{
		my $token = $1;

		$depth++ if $token eq '(' || $token eq '[';
		$depth-- if $token eq ')' || $token eq ']';
		if ($token eq ',' && $depth == 0)
		{
			push @found, '';
		}
		else
		{
			$found[-1] .= $token;
		}
	}
	s/^\s+|\s+$//g foreach @found;
	return grep { $_ ne '' } @found;
}

# The text inside the parenthesis that opens $text, and the text after it.
sub parenthesis
{
	my ($text) = @_;
	my $depth = 0;

	while ($text =~ /\G($quoted|.)/gs)
	{
		$depth++ if $1 eq '(';
		$depth-- if $1 eq ')';
		return (substr($text, 1, pos($text) - 2), substr($text, pos $text))
		  if $depth == 0;
	}
	die "parenthesis without end: $text\n";
}

my $two_words = qr/(?:double|character|bit|timestamp|time|interval)\b/i;

# One argument of a routine: mode, name, type, and whether it has a default.
sub argument
{
	my ($text) = @_;
	my $default = $text =~ s/\s*(?:\bDEFAULT\b|=).*//si ? 1 : 0;
	my $mode = $text =~ s/^(IN|OUT|INOUT|VARIADIC)\s+//i ? uc $1 : 'IN';
	my $name = $text !~ /^$two_words/ && $text =~ s/^(\w+)\s+(?=\S)// ? $1 : '';

	return { mode => $mode, name => $name, type => $text, default => $default };
}

# Reads a CREATE FUNCTION, PROCEDURE or AGGREGATE.
sub routine
{
	my ($kind, $schema, $name, $rest) = @_;
	my ($inside, $after) = parenthesis($rest);
	my @arguments = map { argument($_) } items($inside =~ s/\bORDER BY\b/,/ri);
	my @in = grep { $_->{mode} ne 'OUT' } @arguments;
	my $returns = '';

	if ($kind eq 'AGGREGATE')
	{
		my ($definition) = parenthesis($after =~ s/^\s+//r);
		my %said = map { /^(\w+)\s*=\s*(.*)$/s ? (uc $1, plain($2)) : () }
		  items($definition);

		$returns = join ' ', map { $_ // '' } @said{qw(STYPE FINALFUNC)};
	}
	elsif ($after =~ /^\s*RETURNS\s+(.*?)\s+(?:LANGUAGE|AS|WINDOW|STABLE|VOLATILE|IMMUTABLE)\b/si)
	{
		$returns = plain($1);
	}
	$kind = 'WINDOW' if $kind eq 'FUNCTION' && $after =~ /\bWINDOW\b/;
	return {
		kind => $kind,
		schema => $schema,
		name => $name,
		arguments => \@arguments,
		types => join(', ', map { $_->{type} } @in),
		identity => "$name(" . join(',', map { plain($_->{type}) } @in) . ')',
		returns => $returns
	};
}

# Everything that a script creates, by what it is and is called.
sub objects
{
	my (@statements) = @_;
	my %found;

	foreach my $text (@statements)
	{
		if ($text =~ /^CREATE\s+(FUNCTION|PROCEDURE|AGGREGATE)\s+(\w+)\.(\w+)\s*(\(.*)$/si)
		{
			my $routine = routine(uc $1, $2, $3, $4);

			$found{routine}{"$routine->{schema}.$routine->{identity}"} = $routine;
		}
		elsif ($text =~ /^CREATE\s+(TABLE|TYPE|SEQUENCE|VIEW)\s+(\w+)\.(\w+)\s*(.*)$/si)
		{
			my ($kind, $schema, $name, $rest) = (lc $1, $2, $3, $4);

			next if $kind eq 'type' && $rest eq '';
			$found{$kind}{"$schema.$name"} = {
				schema => $schema,
				name => $name,
				identity => $name,
				text => plain($rest),
				parts => $kind =~ /^t/ && $rest =~ /^(?:AS\s*)?(\(.*)$/si
				? [ items((parenthesis($1))[0]) ] : [],
				base => $rest =~ /\bINPUT\s*=/i ? 1 : 0
			};
		}
	}
	return \%found;
}

my @old_statements = statements(slurp($old_file));
my @new_statements = statements(slurp($new_file));
my $changes = slurp($changes_file);
my $old = objects(@old_statements);
my $new = objects(@new_statements);
my ($from) = $changes_file =~ m{([\d.]+)--[\d.]+\.sql$}
  or die "$changes_file is not called OLD--NEW.sql\n";

# What is written: before NEW runs, in its place, after it.  Of @refused and
# @renamed nothing of others may depend; the arguments of @renamed have other
# names now.
my (@move, @alter, @drop_views, @drop_routines, @drop_types, @refused, @renamed);

# Names of objects that are kept, as "kind name".
my %kept;

# What an old object is called after its move, by "kind name".
my %moved;

# Notes that an old object stays, as the new one; moves it when its schema is
# another one.
sub keep
{
	my ($kind, $before, $after, $how, $list) = @_;
	my $call = $kind eq 'routine' ? "($before->{types})" : '';

	$kept{"$kind $after->{schema}.$after->{identity}"} = 1;
	$moved{"$kind $before->{schema}.$before->{identity}"} =
	  "$after->{schema}.$after->{name}"
	  . ($kind eq 'routine' ? "($after->{types})" : '');
	push @$list, "ALTER $how $before->{schema}.$before->{name}$call"
	  . " SET SCHEMA $after->{schema}"
	  if $before->{schema} ne $after->{schema};
}

# The new object of a name: in the same schema, or in another one.
sub successor
{
	my ($kind, $before) = @_;
	my ($same, @others) = map { "$_.$before->{identity}" } $before->{schema},
	  qw(sdc sdc_internal);

	foreach my $name ($same, @others)
	{
		my $after = $new->{$kind}{$name};

		# one that stays where it is has not come from elsewhere
		return $after if defined $after
		  && ($name eq $same || !defined $old->{$kind}{$name});
	}
	return undef;
}

# ---------------------------------------------------------------------------
# Types, tables, views, sequences.

sub named_in_changes
{
	my ($object) = @_;

	return $changes =~ /\b\Q$object->{schema}.$object->{name}\E\b/;
}

# The parts that the new definition has more than the old one, or undef if it
# differs otherwise.
sub added
{
	my ($before, $after) = @_;
	my @old = map { plain($_) } @{ $before->{parts} };
	my @new = @{ $after->{parts} };
	my @columns;

	# Constraints of tables stand behind the columns.
	my $constraint = qr/^(?:PRIMARY|UNIQUE|CHECK|FOREIGN|CONSTRAINT|EXCLUDE)\b/i;
	my @old_constraints = grep { $_ =~ $constraint } @old;
	my @new_constraints = map { plain($_) } grep { $_ =~ $constraint } @new;

	return undef unless "@old_constraints" eq "@new_constraints";
	@old = grep { $_ !~ $constraint } @old;
	@new = grep { $_ !~ $constraint } @new;
	return undef if !@old || @new < @old;
	return undef if grep { $old[$_] ne plain($new[$_]) } 0 .. $#old;
	return [ @new[ @old .. $#new ] ];
}

sub same_type
{
	my ($before, $after) = @_;

	return undef unless defined $after && $before->{base} == $after->{base};
	return [] if $before->{text} eq $after->{text};
	return $before->{base} ? undef : added($before, $after);
}

my $number = 0;

# Renames an object out of the way; what it is called then.
sub put_away
{
	my ($kind, $object, $call) = @_;
	my $name = sprintf 'old_%d', ++$number;

	push @move, "ALTER $kind $object->{schema}.$object->{name}$call RENAME TO $name";
	push @refused, [
		$kind, "$object->{schema}.$name",
		"$object->{schema}.$object->{name}$call" ];
	return "$object->{schema}.$name";
}

# Types first decide, as a routine with a type that is replaced is replaced.
my @type_moves;
my %replaced_type;

foreach my $before (map { $old->{type}{$_} } sort keys %{ $old->{type} })
{
	my $after = successor('type', $before);
	my $added = same_type($before, $after);

	if (!defined $added)
	{
		$replaced_type{ $before->{name} } = $before;
		next;
	}
	keep('type', $before, $after, 'TYPE', \@type_moves);
	push @alter,
	  map { "ALTER TYPE $after->{schema}.$after->{name} ADD ATTRIBUTE $_" } @$added;
}

my $replaced_types = join '|', map { quotemeta } sort keys %replaced_type;

foreach my $before (map { $old->{table}{$_} } sort keys %{ $old->{table} })
{
	my $after = successor('table', $before);
	my $added;

	if (named_in_changes($before))
	{
		keep('table', $before, $after, 'TABLE', []) if defined $after;
		next;
	}
	if (!defined $after)
	{
		warn "$changes_file does not say what becomes of the table $before->{name}\n";
		next;
	}
	keep('table', $before, $after, 'TABLE', \@alter);
	next if $before->{text} eq $after->{text};
	$added = added($before, $after);
	warn "$changes_file does not say how the table $before->{name} changes\n"
	  unless defined $added;
	push @alter,
	  map { "ALTER TABLE $after->{schema}.$after->{name} ADD COLUMN $_" }
	  @{ $added // [] };
}

foreach my $before (map { $old->{sequence}{$_} } sort keys %{ $old->{sequence} })
{
	my $after = successor('sequence', $before);

	if (defined $after)
	{
		keep('sequence', $before, $after, 'SEQUENCE',
			named_in_changes($before) ? [] : \@alter);
	}
	elsif (!named_in_changes($before))
	{
		warn "$changes_file does not say what becomes of the sequence $before->{name}\n";
	}
}

# ---------------------------------------------------------------------------
# Routines.

sub names_replaced_type
{
	my ($routine) = @_;
	my $text = join ' ', $routine->{returns},
	  map { $_->{type} } @{ $routine->{arguments} };

	return $replaced_types ne '' && $text =~ /\b(?:$replaced_types)\b/;
}

# The results of all routines called so; of a final function there is one.
sub results
{
	my ($objects, $name) = @_;

	return join ';', map { $objects->{routine}{$_}{returns} }
	  sort grep { $objects->{routine}{$_}{name} eq $name }
	  keys %{ $objects->{routine} };
}

# Are the names of arguments other ones?  A name where there was none is no
# change.
sub renames
{
	my ($before, $after) = @_;
	my @old = @{ $before->{arguments} };

	return grep {
		my $name = $old[$_]{name};
		$name ne '' && $name ne $after->{arguments}[$_]{name}
	} 0 .. $#old;
}

# Can the new routine take the place of the old one, with CREATE OR REPLACE,
# but for names of arguments?
sub replaces
{
	my ($before, $after) = @_;
	my @old = @{ $before->{arguments} };
	my @new = @{ $after->{arguments} };

	return 0 if $before->{kind} ne $after->{kind} || @old != @new;
	return 0 if $before->{returns} ne $after->{returns};
	return 0 if names_replaced_type($before);
	foreach my $i (0 .. $#old)
	{
		return 0 if $old[$i]{mode} ne $new[$i]{mode};
		return 0 if $old[$i]{mode} eq 'OUT' && renames($before, $after);
		return 0 if plain($old[$i]{type}) ne plain($new[$i]{type});
		return 0 if $old[$i]{default} > $new[$i]{default};
	}
	if ($before->{kind} eq 'AGGREGATE' && $before->{returns} =~ / (\w+)$/)
	{
		return 0 if results($old, $1) ne results($new, $1);
	}
	return 1;
}

# Functions that read and write a type go with it.
my %goes_with_type;

foreach my $text (@old_statements)
{
	next unless $text =~ /^CREATE\s+TYPE\s+\w+\.(\w+)\s*\(\s*INPUT\b/si;
	next unless $replaced_type{$1};
	$goes_with_type{$1} = 1
	  while $text =~ /\b(?:INPUT|OUTPUT|RECEIVE|SEND)\s*=\s*(?:\w+\.)?(\w+)/gi;
}

my %replaced;

foreach my $before (map { $old->{routine}{$_} } sort keys %{ $old->{routine} })
{
	my $after = successor('routine', $before);

	if (defined $after && replaces($before, $after))
	{
		keep('routine', $before, $after, 'ROUTINE', \@move);
		push @renamed, [ $before, $after ] if renames($before, $after);
		next;
	}
	my $name = put_away('ROUTINE', $before, "($before->{types})");

	$replaced{ $before->{name} } = 1;
	push @drop_routines, $name unless $goes_with_type{ $before->{name} };
}

my $replaced = join '|', map { quotemeta } sort keys %replaced, keys %replaced_type;

foreach my $before (map { $old->{view}{$_} } sort keys %{ $old->{view} })
{
	my $after = successor('view', $before);

	if (defined $after && $before->{text} eq $after->{text}
		&& ($replaced eq '' || $before->{text} !~ /\b(?:$replaced)\b/))
	{
		keep('view', $before, $after, 'VIEW', \@move);
		next;
	}
	push @drop_views, put_away('VIEW', $before, '');
}

# Types come last: until then they go by the names that routines say.
push @move, @type_moves;
foreach my $name (sort keys %replaced_type)
{
	push @drop_types, put_away('TYPE', $replaced_type{$name}, '')
	  . ($replaced_type{$name}{base} ? ' CASCADE' : '');
}

# ---------------------------------------------------------------------------
# Rights.

# For each object of a GRANT or REVOKE: the statement for it alone, in three
# parts, and its kind and name.
sub rights
{
	my ($text) = @_;
	my ($head, $kind, $objects, $tail) = $text =~
	  /^((?:GRANT|REVOKE)\s+.*?\s+ON)\s+(?:(TABLE|SEQUENCE|FUNCTION|PROCEDURE|ROUTINE|SCHEMA|TYPE)\s+)?(.*)\s+((?:TO|FROM)\s+.*)$/si
	  or die "what does this grant? $text\n";

	$kind = uc($kind // 'TABLE');
	return map { {
			head => "$head $kind",
			object => $_,
			tail => $tail,
			plain => plain("$head $kind $_ $tail"),
			key => $kind =~ /^(?:FUNCTION|PROCEDURE|ROUTINE)$/
			? 'routine ' . identity_of($_)
			: lc($kind) . " $_"
		} } items($objects);
}

# "sdc.f(a text, b integer)" or "sdc.f(text, integer)" as an identity.
sub identity_of
{
	my ($call) = @_;
	my ($name, $rest) = $call =~ /^(\w+\.\w+)\s*(\(.*)?$/s
	  or return $call;
	my ($inside) = defined $rest ? parenthesis($rest) : '';

	return "$name("
	  . join(',', map { plain($_->{type}) }
		  grep { $_->{mode} ne 'OUT' } map { argument($_) } items($inside))
	  . ')';
}

my @old_rights = map { rights($_) } grep { /^(GRANT|REVOKE)\b/i } @old_statements;
my @new_rights = map { rights($_) } grep { /^(GRANT|REVOKE)\b/i } @new_statements;
my %old_right = map { $_->{plain} => 1 } @old_rights;
my %new_right = map { $_->{plain} => 1 } @new_rights;

# A view counts as a table when rights are granted, and so may a sequence.
sub names_of
{
	my ($key) = @_;

	return ($key) unless $key =~ /^table (.*)$/s;
	return ($key, "view $1", "sequence $1");
}

sub rights_to_write
{
	my ($text) = @_;

	return map { "$_->{head} $_->{object} $_->{tail}" } grep {
		my $right = $_;
		my $stays = $right->{key} eq 'schema sdc'
		  || grep { $kept{$_} } names_of($right->{key});

		!($stays && $old_right{ $right->{plain} });
	} rights($text);
}

# Rights that an object which stays has no more.
sub rights_to_take_back
{
	my @found;

	foreach my $right (grep { !$new_right{ $_->{plain} } } @old_rights)
	{
		my ($object) = grep { defined } map { $moved{$_} } names_of($right->{key});
		my ($head, $tail) = ($right->{head}, $right->{tail});

		next unless defined $object;
		if ($head =~ s/^GRANT/REVOKE/i)
		{
			$tail =~ s/^TO/FROM/i;
		}
		else
		{
			$head =~ s/^REVOKE/GRANT/i;
			$tail =~ s/^FROM/TO/i;
		}
		push @found, "$head $object $tail";
	}
	return @found;
}

# ---------------------------------------------------------------------------
# The new script, as far as it is needed.

my %old_text = map { plain($_) => 1 } @old_statements;
my @create;

foreach my $text (@new_statements)
{
	if ($text =~ /^CREATE\s+(FUNCTION|PROCEDURE|AGGREGATE)\s+(\w+)\.(\w+)\s*(\(.*)$/si)
	{
		my $routine = routine(uc $1, $2, $3, $4);

		$text =~ s/^CREATE/CREATE OR REPLACE/i
		  if $kept{"routine $routine->{schema}.$routine->{identity}"};
	}
	elsif ($text =~ /^CREATE\s+(TABLE|TYPE|SEQUENCE|VIEW)\s+(\w+\.\w+)/i)
	{
		next if $kept{ lc($1) . " $2" };
	}
	elsif ($text =~ /^(GRANT|REVOKE)\b/i)
	{
		push @create, rights_to_write($text);
		next;
	}
	elsif ($text =~ /^CREATE\s+SCHEMA\b/i)
	{
		unshift @move, $text unless $old_text{ plain($text) };
		next;
	}
	elsif ($text !~ /^COMMENT\b|\bpg_extension_config_dump\b/i)
	{
		next if $old_text{ plain($text) };
	}
	push @create, $text;
}

# ---------------------------------------------------------------------------
# Writing.

sub section
{
	my ($title, @texts) = @_;

	return unless @texts;
	print "\n-- $title\n", map { "\n$_;\n" } @texts;
}

# Stops when objects of others depend on what will be dropped.
sub write_refusal
{
	my @objects = (
		@refused,
		map { [
				'ARGUMENTS',
				"$_->[1]{schema}.$_->[1]{name}($_->[1]{types})",
				"$_->[0]{schema}.$_->[0]{name}($_->[0]{types})" ]
		} @renamed);
	my $objects = join ",\n            ",
	  map { '(' . join(', ', map { "'" . s/'/''/gr . "'" } @$_) . ')' } @objects;

	return unless @objects;
	print <<"END";

-- Nothing of others is dropped: it is named, and the update ends.

DO \$refuse\$
DECLARE
    others text;
    rights text;
BEGIN
    WITH gone AS (
        SELECT CASE kind
                   WHEN 'ROUTINE' THEN 'pg_catalog.pg_proc'
                   WHEN 'ARGUMENTS' THEN 'pg_catalog.pg_proc'
                   WHEN 'VIEW' THEN 'pg_catalog.pg_class'
                   ELSE 'pg_catalog.pg_type' END::pg_catalog.regclass AS class,
               CASE kind
                   WHEN 'ROUTINE' THEN (
                       SELECT p.oid FROM pg_catalog.pg_proc AS p
                       JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
                       WHERE n.nspname || '.' || p.proname = object)
                   WHEN 'ARGUMENTS' THEN pg_catalog.to_regprocedure(object)::pg_catalog.oid
                   WHEN 'VIEW' THEN pg_catalog.to_regclass(object)::pg_catalog.oid
                   ELSE pg_catalog.to_regtype(object)::pg_catalog.oid END AS oid,
               was, kind
        FROM (VALUES
            $objects) AS v(kind, object, was)),
    -- the row type of a view and the array type of any type go with it
    more AS (
        SELECT class, oid, was FROM gone
        UNION
        SELECT 'pg_catalog.pg_type'::pg_catalog.regclass, t.oid, was
        FROM gone JOIN pg_catalog.pg_type AS t ON t.typrelid = gone.oid
        WHERE gone.class = 'pg_catalog.pg_class'::pg_catalog.regclass
        UNION
        SELECT 'pg_catalog.pg_type'::pg_catalog.regclass, t.typarray, was
        FROM gone JOIN pg_catalog.pg_type AS t ON t.oid = gone.oid
        WHERE gone.class = 'pg_catalog.pg_type'::pg_catalog.regclass),
    -- a view depends through its rule
    dependent AS (
        SELECT CASE WHEN r.oid IS NULL THEN d.classid
                    ELSE 'pg_catalog.pg_class'::pg_catalog.regclass END AS classid,
               coalesce(r.ev_class, d.objid) AS objid,
               CASE WHEN r.oid IS NULL THEN d.objsubid ELSE 0 END AS objsubid,
               was
        FROM more
        JOIN pg_catalog.pg_depend AS d
            ON d.refclassid = more.class AND d.refobjid = more.oid
        LEFT JOIN pg_catalog.pg_rewrite AS r
            ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
           AND r.oid = d.objid
        WHERE d.deptype IN ('n', 'a')),
    other AS (
        SELECT pg_catalog.format('%s uses %s',
                   pg_catalog.pg_describe_object(classid, objid, objsubid), was) AS line
        FROM dependent AS o
        WHERE NOT EXISTS (
                SELECT FROM pg_catalog.pg_depend AS e
                WHERE e.classid = o.classid AND e.objid = o.objid
                  AND e.deptype = 'e'
                  AND e.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
                  AND e.refobjid = (SELECT x.oid FROM pg_catalog.pg_extension AS x
                                    WHERE x.extname = 'sdc'))
          AND NOT EXISTS (
                SELECT FROM more
                WHERE more.class = o.classid AND more.oid = o.objid)
          AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_type AS t, more
                WHERE o.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
                  AND t.typrelid = o.objid AND t.oid = more.oid)),
    -- what was granted or revoked by hand: what differs from the start
    right_of AS (
        SELECT was,
               coalesce(p.proacl, c.relacl,
                   acldefault(CASE WHEN p.oid IS NULL THEN 'r' ELSE 'f' END::"char",
                       coalesce(p.proowner, c.relowner))) AS now,
               coalesce(i.initprivs,
                   acldefault(CASE WHEN p.oid IS NULL THEN 'r' ELSE 'f' END::"char",
                       coalesce(p.proowner, c.relowner))) AS first
        FROM gone
        LEFT JOIN pg_catalog.pg_proc AS p
            ON gone.class = 'pg_catalog.pg_proc'::pg_catalog.regclass
           AND p.oid = gone.oid
        LEFT JOIN pg_catalog.pg_class AS c
            ON gone.class = 'pg_catalog.pg_class'::pg_catalog.regclass
           AND c.oid = gone.oid
        LEFT JOIN pg_catalog.pg_init_privs AS i
            ON i.classoid = gone.class AND i.objoid = gone.oid AND i.objsubid = 0
        WHERE kind IN ('ROUTINE', 'VIEW')),
    changed AS (
        (SELECT 'granted to' AS what, was, a.grantee, a.privilege_type
         FROM right_of CROSS JOIN pg_catalog.aclexplode(now) AS a
         EXCEPT
         SELECT 'granted to', was, a.grantee, a.privilege_type
         FROM right_of CROSS JOIN pg_catalog.aclexplode(first) AS a)
        UNION ALL
        (SELECT 'revoked from', was, a.grantee, a.privilege_type
         FROM right_of CROSS JOIN pg_catalog.aclexplode(first) AS a
         EXCEPT
         SELECT 'revoked from', was, a.grantee, a.privilege_type
         FROM right_of CROSS JOIN pg_catalog.aclexplode(now) AS a)),
    granted AS (
        SELECT pg_catalog.format('%s on %s %s %s', privilege_type, was, what,
                   CASE grantee WHEN 0 THEN 'PUBLIC'
                       ELSE grantee::pg_catalog.regrole::text END) AS line
        FROM changed)
    SELECT (SELECT pg_catalog.string_agg(DISTINCT line, ', ') FROM other),
           (SELECT pg_catalog.string_agg(DISTINCT line, ', ') FROM granted)
    INTO others, rights;
    IF others IS NOT NULL THEN
        RAISE EXCEPTION 'sdc cannot be updated while other objects use what has changed'
            USING ERRCODE = 'dependent_objects_still_exist',
                  DETAIL = pg_catalog.format('These parts of sdc $from go or change: %s.', others),
                  HINT = 'Drop them, update, and create them again with the names that doc/from-0.1.md gives.';
    END IF;
    IF rights IS NOT NULL THEN
        RAISE WARNING 'rights on functions and views of sdc that go or change are not kept'
            USING DETAIL = pg_catalog.format('In sdc $from: %s.', rights),
                  HINT = 'Grant and revoke them again; doc/from-0.1.md has the names.';
    END IF;
END;
\$refuse\$;
END
	return unless @renamed;

	# As contrib does where there is no ALTER: a routine without names of
	# arguments can be given some.
	print "\n-- Names of arguments.\n\n",
	  "UPDATE pg_catalog.pg_proc SET proargnames = NULL\n",
	  "WHERE oid IN (\n    ",
	  join(",\n    ",
		map { "'$_->[1]{schema}.$_->[1]{name}($_->[1]{types})'::pg_catalog.regprocedure" }
		@renamed),
	  ");\n";
}

my ($to) = $changes_file =~ /--([\d.]+)\.sql$/;

print "-- sdc: from version $from to $to.\n",
  "-- Made by sql/updates/update.pl; do not edit.\n",
  "\\echo Use \"ALTER EXTENSION sdc UPDATE TO '$to'\" to load this file. \\quit\n";
section('What is moved, or out of the way until the end.', @move);
write_refusal();
section('What has got more.', @alter);
print "\n", $changes;
section("What $to has.", @create, rights_to_take_back());
section('What nobody needs any more.',
	(@drop_views ? 'DROP VIEW ' . join(', ', @drop_views) : ()),
	(@drop_routines ? "DROP ROUTINE\n    " . join(",\n    ", @drop_routines) : ()),
	map { "DROP TYPE $_" } @drop_types);
