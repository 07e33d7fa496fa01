#!/usr/bin/perl
#
# demo_csv.pl FILE COLUMNS: writes the psql script with which ./run demo loads
# a CSV file and tells doc/demo.sql about it (the head of ./run says how).
#
# The file has a header line; comma, semicolon or tab separate, whichever the
# header has most of.  COLUMNS is a comma list of columns to mask, one with a
# comma in its name in double quotes.  A column whose values are all numbers,
# empty or NA becomes float8, any other text.  A file that is not UTF-8 is
# taken for LATIN1.

use strict;
use warnings;
use Cwd qw(abs_path);

my ($file, $columns) = @ARGV;
die "usage: demo_csv.pl FILE COLUMNS\n" unless defined $columns;

# First record of a CSV text, as far as it may reach over several lines.
sub first_record
{
	my ($text) = @_;

	return $text =~ /\A((?:[^"\r\n]|"(?:[^"]|"")*")*)(?:[\r\n]|\z)/
	  ? $1
	  : die "$file: the header line has an open quote\n";
}

# Fields of one CSV record; quoted ones as they are, others without the white
# space around them.
sub fields
{
	my ($record, $separator) = @_;
	my @fields;

	while ($record =~ /\G\s*(?:"((?:[^"]|"")*)"\s*|([^\Q$separator\E]*))(?:(\Q$separator\E)|\z)/gc)
	{
		my ($quoted, $plain, $more) = ($1, $2, $3);

		push @fields,
		  defined $quoted ? $quoted =~ s/""/"/gr : $plain =~ s/\s+\z//r;
		last unless defined $more;
	}
	die "cannot read these column names: $record\n"
	  unless (pos($record) // 0) == length $record;
	return @fields;
}

sub quote_name
{
	return '"' . ($_[0] =~ s/"/""/gr) . '"';
}

sub quote_text
{
	return "'" . ($_[0] =~ s/'/''/gr) . "'";
}

# Names as PostgreSQL takes them: not empty, at most 63 bytes, all different.
sub usable_names
{
	my %seen;
	my $number = 0;

	return map {
		my $name = $_;

		$number++;
		$name = "column_$number" if $name eq '';
		die "$file: a column name is longer than 63 bytes: $name\n"
		  if length $name > 63;
		$name .= "_$number" if $seen{$name};
		$seen{$name}++;
		$name;
	} @_;
}

sub separator_of
{
	my ($header) = @_;
	my $outside = $header =~ s/"(?:[^"]|"")*"//gr;
	my ($best) = sort {
		(() = $outside =~ /\Q$b\E/g) <=> (() = $outside =~ /\Q$a\E/g)
	} ',', ';', "\t";

	return $best;
}

open my $handle, '<:raw', $file or die "$file: $!\n";
my $text = do { local $/; <$handle> };
close $handle;
my $encoding = utf8::decode(my $copy = $text // '') ? 'UTF8' : 'LATIN1';
my $header = first_record(($text // '') =~ s/\A\xEF\xBB\xBF//r);
die "$file: there is no header line\n" if $header !~ /\S/;
utf8::encode($header) if $encoding eq 'LATIN1';

my $separator = separator_of($header);
my @names = usable_names(fields($header, $separator));
my %known = map { $_ => 1 } @names;
my @masked = fields($columns, ',');
foreach my $name (@masked)
{
	die "$file has no column \"$name\"; it has: " . join(', ', @names) . "\n"
	  unless $known{$name};
}
my $id = 'sdc_id';
$id .= '_' while $known{$id};

my $definitions = join ",\n    ", map { quote_name($_) . ' text' } @names;
my $list = join ', ', map { quote_name($_) } @names;
my $array = 'ARRAY[' . join(', ', map { quote_text($_) } @masked) . ']';
my $path = quote_text(abs_path($file));
my $delimiter = quote_text($separator);
my $quoted_id = quote_text($id);

print <<"SQL";
SET client_min_messages = warning;
CREATE TABLE public.input (
    ${\ quote_name($id)} bigint GENERATED ALWAYS AS IDENTITY,
    $definitions);
\\copy public.input ($list) FROM $path WITH (FORMAT csv, HEADER, DELIMITER $delimiter, ENCODING '$encoding')
ALTER TABLE public.input ADD PRIMARY KEY (${\ quote_name($id)});
CREATE TEMP TABLE given AS
SELECT * FROM unnest($array\::name[]) WITH ORDINALITY AS g (name, place);
CREATE TEMP TABLE about (
    name name, number bool, key bool, place int GENERATED ALWAYS AS IDENTITY);
SQL

print <<'SQL' =~ s/:id/$quoted_id/r;
DO $$
DECLARE
    name name;
    changes text;
BEGIN
    FOR name IN
        SELECT attname FROM pg_attribute
        WHERE attrelid = 'public.input'::regclass AND attnum > 1
        ORDER BY attnum
    LOOP
        EXECUTE format(
            'INSERT INTO about SELECT %1$L,
                 coalesce(bool_and(btrim(%1$I) ~ %2$L
                                   OR btrim(%1$I) IN ('''', ''NA'')), false)
                 AND count(*) FILTER (WHERE btrim(%1$I) ~ %2$L) > 0,
                 count(DISTINCT %1$I) BETWEEN 2 AND count(*) / 2
                 AND %1$L NOT IN (SELECT g.name FROM given g)
             FROM public.input',
            name, '^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$');
    END LOOP;
    SELECT string_agg(format(
        'ALTER %1$I TYPE float8 USING
             nullif(nullif(btrim(%1$I), ''''), ''NA'')::float8', a.name), ', ')
    INTO changes FROM about a WHERE number;
    IF changes IS NOT NULL THEN
        EXECUTE 'ALTER TABLE public.input ' || changes;
    END IF;
    FOR name IN
        SELECT a.name FROM about a JOIN given g USING (name) WHERE NOT number
    LOOP
        RAISE EXCEPTION 'column "%" holds values that are not numbers', name;
    END LOOP;
END $$;
ANALYZE public.input;
RESET client_min_messages;
SELECT 'public.input' AS rel,
       quote_ident(:id) AS id,
       (SELECT string_agg(quote_ident(name), ', ' ORDER BY place)
        FROM given) AS numeric,
       (SELECT array_agg(name ORDER BY place) FROM given) AS numeric_names,
       coalesce(string_agg(quote_ident(name), ', ' ORDER BY place)
                    FILTER (WHERE key), '')
           AS keys,
       coalesce(array_agg(name ORDER BY place) FILTER (WHERE key), '{}') AS keys_names
FROM about
\gset
DROP TABLE given, about;
SQL
