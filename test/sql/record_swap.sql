-- record_swap: households that stand out trade places with similar ones.
SET sdc.progress_interval = 0;
\pset null (null)

-- Households of 1 to 4 in 3 counties and some 20 towns.
CREATE TABLE census AS
SELECT i AS id, h AS home, 'c' || h * 7919 % 3 AS county, 'c' || h * 7919 % 3 || 't' || h * 104729 % 77 % 7 AS town,
	CASE WHEN i % 90 = 0 THEN 50 + i / 90 % 8 ELSE i * 7919 % 1009 % 8 END AS age, i * 31 % 2 AS sex
FROM generate_series(1, 2000) AS i, LATERAL (SELECT (i + i / 4 % 3) / 3 AS h) AS x;
CREATE TABLE census_moved AS SELECT * FROM census ORDER BY (id * 613) % 2003;
CREATE VIEW swapped AS SELECT *, place[1] AS new_county, place[2] AS new_town FROM (
	SELECT *, sdc.record_swap(ARRAY[county, town], home::text, ARRAY[age, sex]::text[], ARRAY[sex::text], 10, 4, 7) OVER () AS place FROM census) AS x;

-- 1. Members stay together; partners have as many members and the same sexes,
-- so households by size, and people by sex, stay in each town as many.
CREATE TABLE masked AS SELECT * FROM swapped;
SELECT count(*) AS torn FROM (SELECT FROM masked GROUP BY home HAVING count(DISTINCT new_town) > 1) AS x;
CREATE VIEW homes AS SELECT home, count(*) AS size, sum(sex) AS men, min(town) AS town, min(new_town) AS new_town, min(county) AS county, min(new_county) AS new_county FROM masked GROUP BY 1;
SELECT count(*) AS differences FROM (
	SELECT town, size, men, count(*) FROM homes GROUP BY 1, 2, 3 EXCEPT
	SELECT new_town, size, men, count(*) FROM homes GROUP BY 1, 2, 3) AS x;
-- 2. Who has fewer than 4 like himself in his town moves, unless there is no
-- partner; within the county, unless he stands out in it.
WITH alike AS (SELECT home, min(c) AS town, min(d) AS county FROM (
	SELECT home, count(*) OVER (PARTITION BY town, age, sex) AS c, count(*) OVER (PARTITION BY county, age, sex) AS d FROM census) AS x GROUP BY 1)
SELECT a.town < 4 AS at_risk, a.county < 4 AS in_county, count(*) > 0 AS households, count(*) FILTER (WHERE h.town = new_town) AS stay,
	count(*) FILTER (WHERE h.county <> new_county) AS change_county
FROM alike AS a JOIN homes AS h USING (home) GROUP BY 1, 2 ORDER BY 1, 2;
-- the share is met, to a pair
SELECT p, abs(count(*) FILTER (WHERE moved) - p / 100.0 * count(*)) <= 2 AS as_many FROM (
	SELECT p, home, bool_or(town <> m[1]) AS moved FROM (
		SELECT p, home, town, sdc.record_swap(ARRAY[town], home::text, '{}', '{}', p, 0, 5) OVER (PARTITION BY p) AS m FROM census, (SELECT unnest('{2.0,25,60}'::float8[]) AS p) AS q) AS x
	GROUP BY 1, 2) AS y GROUP BY 1 ORDER BY 1;
-- 3. The same seed, whatever the order; another seed differs; strata.
SELECT count(*) AS differences FROM (SELECT id, place FROM swapped EXCEPT
	SELECT id, sdc.record_swap(ARRAY[county, town], home::text, ARRAY[age, sex]::text[], ARRAY[sex::text], 10, 4, 7) OVER () FROM census_moved) AS x;
SELECT count(*) > 100 AS other_seed FROM (SELECT id, place FROM swapped EXCEPT
	SELECT id, sdc.record_swap(ARRAY[county, town], home::text, ARRAY[age, sex]::text[], ARRAY[sex::text], 10, 4, 8) OVER () FROM census) AS x;
SELECT count(*) AS left_county FROM (SELECT county, sdc.record_swap(ARRAY[county, town], home::text, '{}', '{}', 50, 0, 1) OVER (PARTITION BY county) AS m FROM census) AS x WHERE m[1] <> county;
-- 4. No household: each record by itself; NULLs of places stay.
SELECT id, sdc.record_swap(ARRAY[place], NULL, '{}', '{}', 100, 0, 1) OVER () AS moved
FROM (VALUES (1, 'a'), (2, 'b'), (3, NULL), (4, 'a'), (5, 'b')) AS v(id, place) ORDER BY 1;
-- the rare one is taken first, and there is nobody to trade with another size
SELECT id, sdc.record_swap(ARRAY[place], home, ARRAY[kind], '{}', 0, 2, 1) OVER () AS moved
FROM (VALUES (1, 'a', 'h', 'x'), (2, 'a', 'h', 'y'), (3, 'b', 'i', 'y'), (4, 'b', 'j', 'y'), (5, 'a', 'k', 'y')) AS v(id, place, home, kind) ORDER BY 1;
SELECT sdc.record_swap(ARRAY[town], NULL, '{}', '{}', 5) OVER () FROM census WHERE false;
SELECT sdc.record_swap(ARRAY['a'], NULL, '{}', '{}', 50, 0) OVER ();
-- 5. Arguments.
SELECT sdc.record_swap(ARRAY[town], county, '{}', '{}', 5) OVER () FROM census;
SELECT sdc.record_swap(ARRAY[town], home::text, '{}', '{}', 101) OVER () FROM census;
SELECT sdc.record_swap(ARRAY[town], home::text, '{}', '{}', 5, -1) OVER () FROM census;
SELECT sdc.record_swap(ARRAY[town], home::text, '{}', '{}', NULL) OVER () FROM census;
SELECT sdc.record_swap('{}', home::text, '{}', '{}', 5) OVER () FROM census;
SELECT sdc.record_swap(CASE WHEN id > 9 THEN ARRAY[county, town] ELSE ARRAY[town] END, NULL, '{}', '{}', 5) OVER () FROM census;
SELECT sdc.record_swap(ARRAY[town], home::text, '{}', '{}', id) OVER () FROM census;

-- 6. By a rule: the intruder knows on how many levels places stay, and for whom.
\set rules '''{"county,town": {"method": "record_swap", "p": 30, "household": "home", "risk": ["age"], "match": ["sex"], "k": 2}}'''
SELECT subject, method, changed > 100 AS changed FROM sdc.mask('census', :rules, target => 'published', id => 'id', seed => 3) WHERE step = 'mask';
SELECT count(*) AS torn FROM (SELECT FROM published GROUP BY home HAVING count(DISTINCT (county, town)) > 1) AS x;
SELECT count(*) > 1900 AS all, abs(sum(probability) - count(*) FILTER (WHERE correct)) < 2.5 * sqrt(count(*)) AS as_said,
	count(*) FILTER (WHERE correct) > 25 AS some
FROM sdc.attack_likelihood('census', 'published', :rules, 'id', '{town,county,age,sex}', '{"max_candidates": 1}') WHERE linked_id IS NOT NULL;
SELECT count(*) > 1900 AS all, abs(sum(probability) - count(*) FILTER (WHERE correct)) < 2.5 * sqrt(count(*)) AS as_said
FROM sdc.attack_likelihood('census', 'published', :rules, 'id', '{county,sex}', '{"max_candidates": 1}') WHERE linked_id IS NOT NULL;
-- members of a household in two places
SELECT sdc.mask('census', '{"town": {"method": "record_swap", "p": 5, "household": "county"}}', target => 'x', id => 'id');
-- a pseudonym in the place of the household: no notice
SELECT count(*) FROM sdc.mask('census', '{"town": {"method": "record_swap", "p": 5, "household": "home"}, "home": {"method": "null"}}', target => 'unheld', id => 'id', seed => 3) WHERE step = 'mask';
SELECT sdc.mask('census', '{"town": {"method": "record_swap", "p": 5, "household": "hone"}}', target => 'x', id => 'id');
SELECT sdc.mask('census', '{"town": {"method": "record_swap", "p": 5, "risk": "age", "match": ["nobody"]}}', target => 'x', id => 'id');
SELECT sdc.mask('census', '{"town": {"method": "record_swap"}}', target => 'x', id => 'id');
DROP TABLE census, census_moved, masked, published, unheld CASCADE;
