-- settings: what a session says of dates, intervals, floats, time zones and
-- strings has no part in what a seed draws, what a key makes, what is written,
-- or what an intruder finds.
SET client_min_messages = warning;
CREATE TABLE people AS
SELECT i AS id, date '2020-01-15' + i * 37 % 90 AS day, timestamptz '2020-01-15 UTC' + i * 37 % 9 * interval '5 hours' AS moment,
       timestamp '2020-01-15 01:30' + i * 37 % 9 * interval '5 hours' AS local, i % 7 / 3.0::float8 AS share,
       'a' || i % 11 || ' b' || i % 5 AS words
FROM generate_series(1, 120) AS i;
ALTER TABLE people ADD PRIMARY KEY (id);
UPDATE people SET day = CASE id WHEN 3 THEN 'infinity' WHEN 4 THEN '-infinity' ELSE '0044-03-15 BC' END::date,
  moment = CASE id WHEN 3 THEN 'infinity' WHEN 4 THEN '-infinity' ELSE '0044-03-15 BC' END::timestamptz WHERE id BETWEEN 3 AND 5;
CREATE TABLE calls (name text, call text);
INSERT INTO calls
SELECT concat(method, ' of ', name), format('sdc.mask(''people'', %L, ''made'', ''id'', seed => 7)', json_build_object(name, body || jsonb_build_object('method', method)))
FROM unnest('{day,moment,local,share}'::text[]) AS name, (VALUES ('pram', '{"p": 50}'::jsonb), ('rank_swap', '{"p": 20}'), ('record_swap', '{"risk": "words", "p": 50}'),
  ('shift', '{"domain": "settings"}'), ('add_noise', '{"alpha": 0.1}')) AS m(method, body)
WHERE (method <> 'shift' OR name <> 'share') AND (method <> 'add_noise' OR name NOT IN ('day', 'moment'));
INSERT INTO calls VALUES
  ('matrix of local', $$sdc.mask('people', (SELECT jsonb_build_object('local', jsonb_build_object('method', 'pram_matrix', 'matrix', jsonb_object_agg(d, jsonb_build_object(d, 0.5, next, 0.5))))
    FROM (SELECT to_char(local, 'YYYY-MM-DD HH24:MI:SS') AS d, coalesce(lead(to_char(local, 'YYYY-MM-DD HH24:MI:SS')) OVER (ORDER BY local), '2020-01-15 01:30:00') AS next
      FROM (SELECT DISTINCT local FROM people) AS q) AS r), 'made', 'id', seed => 7)$$),
  ('fake by share', $$sdc.mask('people', '{"words": {"method": "fake", "kind": "name", "domain": "settings", "by": "share"}}', 'made', 'id')$$),
  ('sample by share', $$sdc.mask('people', '{"*": {"method": "sample_rows", "by": "share", "domain": "settings", "p": 50}}', 'made', 'id')$$),
  ('recode_locally', $$sdc.recode_locally('people', 'made', 'id', 'day,share', k => 5)$$),
  ('intruder of pram', $$sdc.attack_likelihood('people', 'people', '{"day": {"method": "pram", "p": 50}}', 'id', 'day')$$),
  ('intruder of words', $$sdc.attack_likelihood('people', 'people', '{"share": {"method": "rank_swap", "p": 5}}', 'id', 'share')$$),
  ('moments of pram', $$sdc.correct_moments('people', '{"share": {"method": "pram", "p": 50}}', 'share')$$);
-- All that a call returns and writes, printed alike; its time left out.
CREATE FUNCTION told(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
    written text;
BEGIN
    EXECUTE 'CREATE TEMP TABLE answer AS SELECT * FROM ' || call;
    PERFORM set_config(name, value, true) FROM (VALUES ('datestyle', 'ISO'), ('timezone', 'UTC'), ('extra_float_digits', '1'), ('intervalstyle', 'postgres')) AS s(name, value);
    SELECT string_agg((to_jsonb(a) - 'seconds')::text, ';' ORDER BY (to_jsonb(a) - 'seconds')::text COLLATE "C") INTO result FROM answer AS a;
    IF to_regclass('made') IS NOT NULL THEN
        EXECUTE 'SELECT string_agg(m::text, '';'' ORDER BY m::text COLLATE "C") FROM made AS m' INTO written;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'GOOD0', MESSAGE = concat(md5(result), ' ', md5(written));
EXCEPTION WHEN OTHERS THEN
    RETURN concat(SQLSTATE, ' ', SQLERRM);
END $$;
-- a key that stays when a call is undone
SELECT sdc.pseudonym('a', 'settings') IS NULL AS none;
CREATE TABLE usual AS SELECT name, call, told(call) AS told FROM calls;
SELECT name, told FROM usual WHERE told NOT LIKE 'GOOD0 %';
SET datestyle = 'German, DMY';
SELECT name FROM usual WHERE told(call) <> told ORDER BY name;
RESET datestyle;
SET timezone = 'America/New_York';
SELECT name FROM usual WHERE told(call) <> told ORDER BY name;
RESET timezone;
SET extra_float_digits = 0;
SELECT name FROM usual WHERE told(call) <> told ORDER BY name;
RESET extra_float_digits;
SET intervalstyle = 'iso_8601';
SET bytea_output = 'escape';
SET standard_conforming_strings = off;
SELECT name FROM usual WHERE told(call) <> told ORDER BY name;
RESET ALL;
SELECT sdc.forget_pseudonyms('settings');
DROP TABLE people, calls, usual;
DROP FUNCTION told;
