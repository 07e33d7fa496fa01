-- tally: the state of counting aggregates, as text and in binary form.

-- an aggregate of our own, whose result is the state
CREATE AGGREGATE tally(keys "any") (SFUNC = sdc_internal.tally_keys, STYPE = sdc_internal.tally, COMBINEFUNC = sdc_internal.tally_combine, PARALLEL = SAFE);
CREATE AGGREGATE tally_merge(state sdc_internal.tally) (SFUNC = sdc_internal.tally_combine, STYPE = sdc_internal.tally, COMBINEFUNC = sdc_internal.tally_combine, PARALLEL = SAFE);
CREATE AGGREGATE tally_listed(sensitive "any", allowed text[], c float8, l float8) (SFUNC = sdc_internal.tally_sensitive, STYPE = sdc_internal.tally);
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
SELECT tally(ROW(i % 2, 'a"\' || i % 2, CASE WHEN i > 2 THEN 'sad'::mood END)) FROM generate_series(1, 4) AS i;
SELECT tally_listed(i % 2, '{1,NULL,"x,y"}', 2.5, 1e-300) FROM generate_series(1, 4) AS i;

-- values do not depend on the settings of the session
CREATE TABLE state(t sdc_internal.tally);
SET datestyle = 'SQL, DMY';
SET intervalstyle = 'sql_standard';
SET extra_float_digits = -5;
INSERT INTO state SELECT tally(ROW(date '2020-02-01', interval '-1 day 2 hours', 0.1::float8 + i)) FROM generate_series(1, 2) AS i;
SELECT t FROM state;
CREATE TABLE texts AS SELECT t::text FROM state;
SET datestyle = 'German';
SELECT t::sdc_internal.tally::text = t AS same, sdc_internal.k_anonymity_final(t::sdc_internal.tally) FROM texts;
SHOW extra_float_digits;
RESET ALL;

-- many values of many types, through both forms and through a table
CREATE TABLE people AS
SELECT i AS id, nullif(i % 97, 5) AS a, repeat((i % 13)::text, i % 50) AS b, date '2000-01-01' + i % 3 AS c, (i % 7) / 7.0 AS d,
       (i % 5)::float8 / 3 AS e, ARRAY[i % 2, NULL] AS f, i % 3 = 0 AS g, CASE i % 2 WHEN 0 THEN 'sad'::mood ELSE 'ok' END AS h
FROM generate_series(1, 3000) AS i;
TRUNCATE state;
INSERT INTO state SELECT tally(ROW(a, b, c, d, e, f, g, h)) FROM people GROUP BY id % 5;
SELECT count(*), sdc_internal.class_histogram_final(tally_merge(t)) = (SELECT sdc.class_histogram(ROW(a, b, c, d, e, f, g, h)) FROM people) AS stored,
       sdc_internal.class_histogram_final(tally_merge(t::text::sdc_internal.tally)) = (SELECT sdc.class_histogram(ROW(a, b, c, d, e, f, g, h)) FROM people) AS text
FROM state;
COPY state TO STDOUT (FORMAT binary) \g tally.binary
CREATE TABLE copied(t sdc_internal.tally);
\copy copied FROM tally.binary (FORMAT binary)
\! rm tally.binary
SELECT sdc_internal.class_histogram_final(tally_merge(t)) = (SELECT sdc.class_histogram(ROW(a, b, c, d, e, f, g, h)) FROM people) AS binary,
       (SELECT string_agg(t::text, '' ORDER BY t::text) FROM copied) = (SELECT string_agg(t::text, '' ORDER BY t::text) FROM state) AS same
FROM copied;
SELECT sdc_internal.class_histogram_final(tally_merge(t)) FROM (SELECT NULL::sdc_internal.tally UNION ALL SELECT tally(a % 3) FROM people UNION ALL SELECT NULL) AS x(t);

-- equal values of the text form are one
SELECT '{"keys":0,"columns":[["pg_catalog","numeric",null,null]],"numbers":[],"lists":[],"cells":[[1,"1.0"],[2,"1.00"],[4,null],[1,null]]}'::sdc_internal.tally;
SELECT sdc_internal.l_frequency_final('{"keys":0,"columns":[["pg_catalog","numeric",null,null]],"numbers":[],"lists":[],"cells":[]}');

-- of equal values the state shows the same one in any order of rows
SELECT count(DISTINCT (state::jsonb)->'cells'), min(state)
FROM (SELECT d, tally(ROW(v::numeric, v::float8) ORDER BY v COLLATE "C" <> d, v)::text AS state
      FROM (VALUES ('-0'), ('0'), ('0.0'), ('0.00')) AS t(v), (VALUES ('-0'), ('0'), ('0.0'), ('0.00')) AS u(d) GROUP BY d) AS s;

-- what is no state is refused
CREATE FUNCTION try(state text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM state::sdc_internal.tally;
  RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
  RETURN sqlstate || ' ' || sqlerrm;
END $$;
CREATE FUNCTION with_part(part text, value text) RETURNS text LANGUAGE sql AS $$
  SELECT (jsonb '{"keys":1,"columns":[["pg_catalog","int4",null,null]],"numbers":[],"lists":[],"cells":[[2,"7"]]}'
          || jsonb_build_object(part, value::jsonb))::text
$$;
SELECT try('');
SELECT try('[]');
SELECT try('{}');
SELECT try('{"keys":1,"columns":[],"numbers":[],"lists":[],"cells":[]}');
SELECT try('{"keys":1,"columns":[],"numbers":[],"lists":[],"cell":[]}');
SELECT part, value, left(try(with_part(part, value)), 60) AS answer FROM (VALUES
  ('keys', '1'), ('keys', '2'), ('keys', '-1'), ('keys', '"1"'), ('keys', '1e30'), ('more', '1'),
  ('columns', '[["pg_catalog","int4"]]'), ('columns', '["int4"]'), ('columns', '{}'), ('columns', '[["pg_catalog","nothing",null,null]]'),
  ('columns', '[["nowhere","int4",null,null]]'), ('columns', '[["pg_catalog",null,null,null]]'), ('columns', '[["pg_catalog","internal",null,null]]'),
  ('columns', '[["pg_catalog","record",null,null]]'), ('columns', '[["pg_catalog","cstring",null,null]]'),
  ('columns', '[["sdc","measure",null,null]]'), ('columns', '[["pg_catalog","json",null,null]]'),
  ('columns', '[["pg_catalog","text",null,null]]'), ('columns', '[["pg_catalog","int4","pg_catalog","C"]]'),
  ('columns', '[["pg_catalog","text","pg_catalog","nothing"]]'), ('columns', '[["pg_catalog","text","pg_catalog",null]]'),
  ('columns', '[["pg_catalog","int4",null,null],["pg_catalog","int4",null,null]]'),
  ('numbers', '["1"]'), ('numbers', '[1e400]'), ('numbers', '1'), ('lists', '["a"]'), ('lists', '[[1]]'), ('lists', '[["a",null]]'),
  ('cells', '[[0,"7"]]'), ('cells', '[[-1,"7"]]'), ('cells', '[["1","7"]]'), ('cells', '[[1]]'), ('cells', '[[1,"7","8"]]'), ('cells', '[[1,7]]'),
  ('cells', '[1]'), ('cells', '[[1,"x"]]'), ('cells', '[[9223372036854775807,"7"],[1,"8"]]'), ('cells', '[[1e19,"7"]]'), ('cells', '[[1.5,"7"]]')) AS t(part, value);

-- the functions behind the aggregates take no harm from states of others
SELECT sdc_internal.l_recursive_final(tally(i)) FROM generate_series(1, 2) AS i;
SELECT sdc_internal.is_pd_recursive_final(tally(i)) FROM generate_series(1, 2) AS i;
SELECT sdc_internal.l_diversity_final(tally(i)) FROM generate_series(1, 2) AS i;
SELECT sdc_internal.l_diversity_method_final(tally(i)) FROM generate_series(1, 2) AS i;
SELECT sdc_internal.expected_reids_final(tally(i)) FROM generate_series(1, 2) AS i;
SELECT sdc_internal.is_dominant_final(tally(i)) FROM generate_series(1, 2) AS i;
SELECT sdc_internal.is_cell_disclosed_final(tally(i)) FROM generate_series(1, 2) AS i;
SELECT tally_merge(t) FROM (SELECT tally(i) FROM generate_series(1, 2) AS i UNION ALL SELECT tally(i::text) FROM generate_series(1, 2) AS i) AS s(t);
SELECT sdc_internal.tally_keys(NULL, 1);
SELECT sdc_internal.tally_combine(NULL, t) FROM state LIMIT 1;

DROP FUNCTION try, with_part;
DROP TABLE state, texts, people, copied;
DROP AGGREGATE tally("any");
DROP AGGREGATE tally_merge(sdc_internal.tally);
DROP AGGREGATE tally_listed("any", text[], float8, float8);
DROP TYPE mood;
