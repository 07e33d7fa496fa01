-- anatomize: both releases against what Xiao and Tao prove, and bad input.

\set SHOW_CONTEXT never

CREATE FUNCTION draw(i int, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT ('x' || substr(md5(i || salt), 1, 6))::bit(24)::int % n
$$;
-- the keys of a record tell which it is, so that the test can look it up
CREATE TABLE people AS
SELECT i AS id, i AS "Key ""1""", ('z' || draw(i, 'z', 30))::varchar(8) AS zip,
       CASE WHEN draw(i, 'n', 8) > 0 THEN 'd' || least(draw(i, 's', 7), draw(i, 't', 7)) END AS disease,
       draw(i, 'w', 3) AS ward, 'secret' AS other
FROM generate_series(1, 200) AS i;
CREATE SCHEMA out;

-- Without a target only the number of groups is returned
SELECT l, (SELECT value FROM sdc.anatomize('people', id => 'id', keys => '{zip}', sensitive => '{disease}', l => l) WHERE measure = 'groups') = 200 / l AS n_by_l FROM generate_series(2, 4) AS l;

-- Two tables
SELECT value FROM sdc.anatomize('people', target => 'out.greedy', id => 'id', keys => ARRAY['Key "1"', 'zip'], sensitive => '{disease}', l => 3, seed => 1) WHERE measure = 'groups';
\d out.greedy
\d out.greedy_sensitive
SELECT * FROM out.greedy ORDER BY group_number, 1 LIMIT 5;
SELECT * FROM out.greedy_sensitive ORDER BY 1, 2 LIMIT 5;
-- What a release must keep: all keys once; all values; groups of at least l
-- different values, that are those of their records
CREATE FUNCTION verify(qi text, sa text) RETURNS TABLE(keys bool, groups_agree bool, groups bigint, least_l numeric) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TEMP TABLE truth AS SELECT g.group_number, p.disease, count(*) AS records
    FROM %s AS g JOIN people AS p ON p."Key ""1""" = g."Key ""1""" AND p.zip = g.zip GROUP BY 1, 2', qi);
  RETURN QUERY EXECUTE format('SELECT
    NOT EXISTS ((SELECT "Key ""1""", zip FROM people) EXCEPT ALL (SELECT "Key ""1""", zip FROM %1$s))
      AND (SELECT count(*) FROM %1$s) = (SELECT count(*) FROM people),
    NOT EXISTS (SELECT group_number, disease, records FROM %2$s EXCEPT ALL TABLE truth)
      AND NOT EXISTS (TABLE truth EXCEPT ALL SELECT group_number, disease, records FROM %2$s),
    (SELECT count(DISTINCT group_number) FROM %2$s),
    (SELECT min(n / r) FROM (SELECT sum(records) AS n, max(records) AS r FROM %2$s GROUP BY group_number) AS q)', qi, sa);
  DROP TABLE truth;
END $$;
SELECT * FROM verify('out.greedy', 'out.greedy_sensitive');
SELECT max(records) AS most, min(n) AS smallest, max(n) AS largest
FROM (SELECT records, sum(records) OVER (PARTITION BY group_number) AS n FROM out.greedy_sensitive) AS q;
SELECT value FROM sdc.anatomize('people', 'out.scanned', 'id', ARRAY['Key "1"', 'zip'], '{disease}', 3, 'order', seed => 1) WHERE measure = 'groups';
SELECT * FROM verify('out.scanned', 'out.scanned_sensitive');
-- the scan is that of diverse_group
SELECT count(*) FROM (SELECT "Key ""1""", sdc.diverse_group(disease, 3) OVER (ORDER BY id) AS g FROM people) AS d
JOIN out.scanned AS s USING ("Key ""1""") WHERE s.group_number = d.g;
SELECT value FROM sdc.anatomize('people', 'out.scanned_15', 'id', ARRAY['Key "1"', 'zip'], '{disease}', 1.5, 'order', seed => 1) WHERE measure = 'groups';
SELECT * FROM verify('out.scanned_15', 'out.scanned_15_sensitive');

-- One table: values stay in their group
SELECT value FROM sdc.anatomize('people', target => 'out.permuted', id => 'id', keys => ARRAY['Key "1"', 'zip'], sensitive => '{disease}', l => 3, release => 'permuted', seed => 1) WHERE measure = 'groups';
\d out.permuted
CREATE VIEW out.permuted_sensitive AS SELECT group_number, disease, count(*) AS records FROM out.permuted GROUP BY 1, 2;
SELECT * FROM verify('out.permuted', 'out.permuted_sensitive');
-- and who has which is drawn: of groups of 3 or 4 about a third keep their own
SELECT count(*) BETWEEN 40 AND 90 AS some_keep FROM out.permuted AS m JOIN people AS p USING ("Key ""1""")
WHERE m.disease IS NOT DISTINCT FROM p.disease;
-- nor does the order of the rows tell: neither that of keys nor of values
SELECT count(*) BETWEEN 40 AND 95 AS ascending
FROM (SELECT "Key ""1""" > lag("Key ""1""") OVER (PARTITION BY group_number ORDER BY ctid) AS up FROM out.permuted) AS q WHERE up;

-- The same seed: the same release, whatever the order of the table
CREATE TABLE shuffled AS TABLE people ORDER BY md5(id::text);
SELECT value FROM sdc.anatomize('shuffled', target => 'out.again', id => 'id', keys => ARRAY['Key "1"', 'zip'], sensitive => '{disease}', l => 3, seed => 1) WHERE measure = 'groups';
SELECT value FROM sdc.anatomize('shuffled', target => 'out.permuted_again', id => 'id', keys => ARRAY['Key "1"', 'zip'], sensitive => '{disease}', l => 3, release => 'permuted', seed => 1) WHERE measure = 'groups';
SELECT value FROM sdc.anatomize('shuffled', target => 'out.other', id => 'id', keys => ARRAY['Key "1"', 'zip'], sensitive => '{disease}', l => 3, seed => 2) WHERE measure = 'groups';
SELECT (SELECT string_agg(a::text, ';' ORDER BY a::text COLLATE "C") FROM out.greedy AS a) = (SELECT string_agg(a::text, ';' ORDER BY a::text COLLATE "C") FROM out.again AS a) AS same,
       (SELECT string_agg(a::text, ';' ORDER BY a::text COLLATE "C") FROM out.greedy_sensitive AS a) = (SELECT string_agg(a::text, ';' ORDER BY a::text COLLATE "C") FROM out.again_sensitive AS a) AS same_sensitive,
       (SELECT string_agg(a::text, ';' ORDER BY a::text COLLATE "C") FROM out.permuted AS a) = (SELECT string_agg(a::text, ';' ORDER BY a::text COLLATE "C") FROM out.permuted_again AS a) AS same_permuted,
       EXISTS (TABLE out.greedy EXCEPT TABLE out.other) AS differs;

-- Several sensitive columns: the combination counts and stays together
SELECT value FROM sdc.anatomize('people', target => 'out.both', id => 'id', keys => '{zip}', sensitive => '{disease,ward}', l => 5, seed => 1) WHERE measure = 'groups';
SELECT max(records), count(DISTINCT group_number) FROM out.both_sensitive;
SELECT value FROM sdc.anatomize('people', target => 'out.both_permuted', id => 'id', keys => '{zip}', sensitive => '{disease,ward}', l => 5, release => 'permuted', seed => 1) WHERE measure = 'groups';
SELECT count(*) FROM (SELECT disease, ward FROM people EXCEPT ALL SELECT disease, ward FROM out.both_permuted) AS q;

-- Declared columns; a temporary target; a view, a partitioned table
SELECT sdc.declare('people', id => 'id', keys => '{zip}', sensitive => '{disease}');
SELECT value FROM sdc.anatomize('people', target => 'pg_temp.release', id => NULL, keys => NULL, sensitive => NULL, l => 2) WHERE measure = 'groups';
SELECT count(*), (SELECT sum(records) FROM pg_temp.release_sensitive) FROM pg_temp.release;
CREATE VIEW ward_1 AS SELECT * FROM people WHERE ward = 1;
SELECT (SELECT value FROM sdc.anatomize('ward_1', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2) WHERE measure = 'groups') = (SELECT count(*) / 2 FROM ward_1) AS of_view;
CREATE TABLE parts (LIKE people) PARTITION BY LIST (ward);
CREATE TABLE part_0 PARTITION OF parts FOR VALUES IN (0);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES IN (1, 2);
INSERT INTO parts TABLE people;
SELECT value FROM sdc.anatomize('parts', target => 'out.parts', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2) WHERE measure = 'groups';
SELECT count(*) FROM out.parts;

-- Nothing is looked up in the search_path of the caller
DO $do$ DECLARE t text; BEGIN
  FOREACH t IN ARRAY '{int4,int8,text}'::text[] LOOP
    EXECUTE format('CREATE FUNCTION out.trap(%1$s, %1$s) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE ''trapped''; END $$', t);
    EXECUTE format('CREATE OPERATOR out.= (LEFTARG = %1$s, RIGHTARG = %1$s, FUNCTION = "out".trap)', t);
  END LOOP;
END $do$;
CREATE FUNCTION out.count(int4) RETURNS int4 LANGUAGE plpgsql AS $$ BEGIN RAISE 'trapped'; END $$;
CREATE DOMAIN out.int4 AS text CHECK (false);
CREATE DOMAIN out.int8 AS text CHECK (false);
SET search_path = out, pg_catalog;
SELECT 1 = 1;
SELECT value FROM sdc.anatomize('public.people', target => 'trapped', id => 'id', keys => ARRAY['Key "1"', 'zip'], sensitive => '{disease}', l => 3, seed => 1) WHERE measure OPERATOR(pg_catalog.=) 'groups';
SELECT value FROM sdc.anatomize('public.people', target => 'trapped_permuted', id => 'id', keys => ARRAY['Key "1"', 'zip'], sensitive => '{disease}', l => 3, release => 'permuted', seed => 1) WHERE measure OPERATOR(pg_catalog.=) 'groups';
RESET search_path;
SELECT count(*) FROM (TABLE out.greedy INTERSECT TABLE out.trapped) AS q;
SELECT count(*) FROM (TABLE out.permuted INTERSECT TABLE out.trapped_permuted) AS q;

-- Empty, one row, one value, not eligible
CREATE TABLE none AS SELECT * FROM people WHERE false;
SELECT value FROM sdc.anatomize('none', target => 'out.none', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2) WHERE measure = 'groups';
SELECT value FROM sdc.anatomize('none', target => 'out.none_permuted', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2, variant => 'order', release => 'permuted') WHERE measure = 'groups';
SELECT (SELECT count(*) FROM out.none), (SELECT count(*) FROM out.none_sensitive), (SELECT count(*) FROM out.none_permuted);
CREATE TABLE one AS SELECT * FROM people LIMIT 1;
SELECT sdc.anatomize('one', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2);
SELECT sdc.anatomize('people', id => 'id', keys => '{zip}', sensitive => '{other}', l => 2);
SELECT sdc.anatomize('people', id => 'id', keys => '{zip}', sensitive => '{other}', l => 2, variant => 'order');
SELECT sdc.anatomize('people', target => 'out.never', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 9);
SELECT to_regclass('out.never');

-- Arguments
SELECT sdc.anatomize(NULL, id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2);
SELECT sdc.anatomize('ward_1', id => NULL, keys => '{zip}', sensitive => '{disease}', l => 2);
SELECT sdc.anatomize('people', id => 'nix', keys => '{zip}', sensitive => '{disease}', l => 2);
SELECT sdc.anatomize('people', id => 'id', keys => '{nix}', sensitive => '{disease}', l => 2);
SELECT sdc.anatomize('people', id => 'id', keys => '{}', sensitive => '{disease}', l => 2);
SELECT sdc.anatomize('people', id => 'id', keys => '{zip}', sensitive => '{zip}', l => 2);
SELECT sdc.anatomize('people', id => 'id', keys => '{id}', sensitive => '{disease}', l => 2);
SELECT sdc.anatomize('people', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 1);
SELECT sdc.anatomize('people', id => 'id', keys => '{zip}', sensitive => '{disease}', l => NULL);
SELECT sdc.anatomize('people', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 'NaN');
SELECT sdc.anatomize('people', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2.5);
SELECT sdc.anatomize('people', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2, variant => 'best');
SELECT sdc.anatomize('people', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2, release => 'both');
SELECT sdc.anatomize('people', id => 'zip', keys => '{ward}', sensitive => '{disease}', l => 2);
SELECT sdc.anatomize('people', id => 'disease', keys => '{ward}', sensitive => '{zip}', l => 2);
SELECT sdc.anatomize('people', target => 'out.greedy', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2);
CREATE TABLE out.half_sensitive ();
SELECT sdc.anatomize('people', target => 'out.half', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2);
SELECT value FROM sdc.anatomize('people', target => 'out.half', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2, release => 'permuted') WHERE measure = 'groups';
SELECT sdc.anatomize('people', target => 'out.' || repeat('x', 60), id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2);
CREATE VIEW named AS SELECT id, zip AS records, disease AS group_number FROM people;
SELECT sdc.anatomize('named', target => 'out.named', id => 'id', keys => '{records}', sensitive => '{group_number}', l => 2);
CREATE VIEW circles AS SELECT id, zip, circle(point(id, ward), 1) AS place FROM people;
SELECT sdc.anatomize('circles', id => 'id', keys => '{zip}', sensitive => '{place}', l => 2);

-- The caller's rights, and rows that are hidden from the caller
CREATE ROLE anatomist;
GRANT USAGE ON SCHEMA sdc TO anatomist;
GRANT SELECT ON people TO anatomist;
SET ROLE anatomist;
SELECT sdc.anatomize('people', target => 'out.mine', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2);
SELECT sdc.anatomize('shuffled', target => 'pg_temp.mine', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2);
SELECT value FROM sdc.anatomize('people', target => 'pg_temp.mine', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2) WHERE measure = 'groups';
RESET ROLE;
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
SET ROLE anatomist;
SELECT sdc.anatomize('people', target => 'pg_temp.hidden', id => 'id', keys => '{zip}', sensitive => '{disease}', l => 2);
RESET ROLE;
REVOKE ALL ON people FROM anatomist;
REVOKE USAGE ON SCHEMA sdc FROM anatomist;
DROP OWNED BY anatomist;
DROP ROLE anatomist;

SET client_min_messages = warning;
DROP SCHEMA out CASCADE;
DROP TABLE people, shuffled, parts, none, one CASCADE;
DROP FUNCTION draw, verify;
