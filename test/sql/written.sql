-- release: what a table tells while it is written is what it tells when read.

\set SHOW_CONTEXT never
SET client_min_messages = warning;

CREATE SCHEMA written;
SET search_path = written;

-- Keys and a sensitive column with NULL, with equal values that look different, and with some that are not finite.
CREATE TYPE mood AS ENUM ('well', 'so', 'bad');
CREATE TABLE visits AS
SELECT i AS id, 20 + i % 7 AS age,
       CASE WHEN i % 11 > 0 THEN 'r' || i % 3 END AS region,
       (ARRAY[1.0, 1.00, 2, 2.50, NULL, 'NaN'])[1 + i % 6]::numeric AS price,
       ('{0,-0,NaN,Infinity,7.5}'::float8[])[1 + i % 5] AS share,
       timestamptz '2020-01-02 03:04:05+00' + i % 13 * interval '1 day' AS at,
       date '2020-01-31' - i % 17 AS day, i % 2 = 0 AS paid,
       (ARRAY['well', 'so', 'bad'])[1 + i % 3]::mood AS mood,
       ('x' || i % 4)::char(5) AS letters, md5((i % 9)::text)::uuid AS token,
       repeat('long ', 700 * (i % 2)) || i AS told, 1.5::real * i AS part,
       i % 300::smallint AS small, i::bigint * 5000000000 AS wide,
       decode(md5(i::text), 'hex') AS bytes, make_interval(hours => 30 * i) AS span,
       ARRAY[timestamptz '2020-01-02 03:04:05+00', NULL] AS days
FROM generate_series(1, 600) AS i;
CREATE TABLE visits_alike AS SELECT id, age, region, price, share, at, day, paid,
       mood, letters, token, told, part, small, wide, bytes FROM visits;

CREATE FUNCTION publish(source regclass, target text, params jsonb DEFAULT '{}') RETURNS text LANGUAGE sql
AS $$ SELECT sdc.create_policy(target, source, '{"age": {"method": "top_code", "upper": 25}, "small": {"method": "shuffle"}}',
          '[{"measure": "k_anonymity", ">=": 1}]', '{"attacks": []}' || params);
      SELECT target $$;
SELECT sdc.declare(t::regclass, keys => '{age, region, price, share}', sensitive => '{mood}',
                   insensitive => (SELECT array_agg(attname) FROM pg_attribute
                                   WHERE attrelid = t::regclass AND attnum > 0
                                   AND NOT attname = ANY ('{age,region,price,share,mood}')))
FROM unnest('{visits, visits_alike}'::text[]) AS t;

-- Digests: of types whose text depends on settings, and of none.  A table is not published as it was written where values
-- of a key can look different and be equal.
SET DateStyle = 'German'; SET TimeZone = 'Asia/Tokyo'; SET IntervalStyle = 'sql_standard';
SET bytea_output = 'escape'; SET sdc.digits = 17;
SELECT publish('visits', 'of_settings', '{"keys": ["age", "region"]}'),
       publish('visits_alike', 'of_none', '{"keys": ["age", "region"]}'), publish('visits', 'of_forms');
CALL sdc.release('of_settings', target => 'written.of_settings');
CALL sdc.release('of_none', target => 'written.of_none');
CALL sdc.release('of_forms', target => 'written.of_forms');
RESET DateStyle; RESET TimeZone; RESET IntervalStyle; RESET bytea_output;
CREATE VIEW latest AS
SELECT DISTINCT ON (p.policy) p.policy, r.release, r.measures
FROM sdc.policy AS p, sdc.releases(p.policy) AS r
WHERE p.policy = ANY ('{of_settings,of_none,of_forms,in_little,by_groups}') ORDER BY p.policy, r.release DESC;
SELECT l.policy, v.rows, v.intact, v.detail FROM latest AS l, sdc.verify_release(l.release) AS v ORDER BY 1;
UPDATE of_none SET told = told || '.' WHERE id = 77;
SELECT v.rows, v.intact, v.detail FROM latest AS l, sdc.verify_release(l.release) AS v WHERE policy = 'of_none';

-- Risks: as a report of the published table counts them, also where its cells do not fit, and by two ways to count.
CREATE FUNCTION otherwise(published text)
RETURNS TABLE (measure text, subject text, told float8, counted float8) LANGUAGE sql
AS $$ WITH told AS (SELECT a.measure, a.subject, a.value FROM latest AS l,
          jsonb_to_recordset(l.measures -> 0 -> 'after') AS a (measure text, subject text, value float8)
          WHERE l.policy = published),
      counted AS (SELECT c.measure, c.subject, NULLIF(c.value, 'Infinity') AS value FROM sdc.risk_report(published::regclass, '{age, region, price, share}', '{mood}') AS c)
      SELECT COALESCE(t.measure, c.measure), COALESCE(t.subject, c.subject), t.value, c.value
      FROM told AS t FULL JOIN counted AS c ON c.measure = t.measure AND c.subject = t.subject
      WHERE t.value IS DISTINCT FROM c.value $$;
SELECT count(*) > 10 AS lines, max(value) FILTER (WHERE measure = 'records') AS records
FROM latest AS l, jsonb_to_recordset(l.measures -> 0 -> 'after') AS a (measure text, value float8) WHERE policy = 'of_forms';
SELECT * FROM otherwise('of_forms');
SELECT measures -> 0 -> 'classes' -> 'after' = (SELECT jsonb_object_agg(size, classes) FROM (
    SELECT size, count(*) AS classes FROM (SELECT count(*) AS size FROM of_forms GROUP BY age, region, price, share) AS c GROUP BY size) AS s) AS sizes
FROM latest WHERE policy = 'of_forms';
SET sdc.memory_limit = '1MB';
SELECT publish('visits', 'in_little');
CALL sdc.release('in_little', target => 'written.in_little');
SELECT * FROM otherwise('in_little');
RESET sdc.memory_limit;
SET sdc.count_with = groups;
SELECT publish('visits', 'by_groups');
CALL sdc.release('by_groups', target => 'written.by_groups');
SELECT * FROM otherwise('by_groups');
RESET sdc.count_with;
RESET sdc.digits;

SELECT sdc.drop_policy(policy) FROM latest;
DROP SCHEMA written CASCADE;
DELETE FROM sdc.release_history WHERE policy = ANY ('{of_settings,of_none,of_forms,in_little,by_groups}');
