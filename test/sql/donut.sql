-- donut: places moved to a ring; points as keys and released columns; place_k.
\set VERBOSITY terse
SET client_min_messages = notice;

-- homes around three towns, in metres and as longitude and latitude
CREATE TABLE homes AS
SELECT i AS id, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END AS sex, 20 + i % 60 AS age,
	point(1000 * (i % 3) + i * 7919 % 997, 500 * (i % 3) + i * 6101 % 911) AS home,
	point(10 + (i % 3) + (i * 7919 % 997) / 1e4, 50 + (i % 3) / 2.0 + (i * 6101 % 911) / 1e4) AS place
FROM generate_series(1, 900) AS i;
UPDATE homes SET home = NULL, place = NULL WHERE id % 100 = 0;
ALTER TABLE homes ADD PRIMARY KEY (id);

-- the ring, NULL stays, and the same places in another order of the rows
CREATE TABLE moved AS
SELECT id, home, sdc.donut(home, 100, 300, seed => 1) OVER () AS m, sdc.donut(place, 200, 900, 'earth', seed => 1) OVER () AS e
FROM homes;
SELECT count(*) FILTER (WHERE home <-> m BETWEEN 100 - 1e-6 AND 300 + 1e-6) AS in_ring,
	count(*) FILTER (WHERE m IS NULL) AS missing,
	count(*) FILTER (WHERE (home IS NULL) <> (m IS NULL)) AS not_alike FROM moved;
SELECT count(*) FILTER (WHERE d BETWEEN 200 - 1e-3 AND 900 + 1e-3) AS in_ring
FROM (SELECT 2 * 6371008.7714 * asin(sqrt(power(sind((e[1] - place[1]) / 2), 2)
		+ cosd(place[1]) * cosd(e[1]) * power(sind((e[0] - place[0]) / 2), 2))) AS d
	  FROM moved JOIN homes USING (id)) AS x;
SELECT count(*) AS other_order FROM (
	SELECT id, sdc.donut(home, 100, 300, seed => 1) OVER () AS m FROM (SELECT * FROM homes ORDER BY age, id DESC OFFSET 0) AS h) AS o
JOIN moved USING (id) WHERE o.m[0] <> moved.m[0] OR o.m[1] <> moved.m[1];
SELECT count(*) > 880 AS another_seed FROM (
	SELECT id, sdc.donut(home, 100, 300, seed => 2) OVER () AS m FROM homes) AS o
JOIN moved USING (id) WHERE NOT o.m ~= moved.m;

-- what is no place
SELECT sdc.donut(p, 1, 2, seed => 1) OVER () IS NULL AS lost FROM (VALUES (point('NaN', 1)), (point(1, 'infinity')), (point(1, 1))) AS v (p);
SELECT sdc.donut(point(200, 0), 1, 2, 'earth') OVER ();
SELECT sdc.donut(point(0, 91), 1, 2, 'earth') OVER ();
SELECT sdc.donut(point(0, 0), 3, 2) OVER ();
SELECT sdc.donut(point(0, 0), -1, 2) OVER ();
SELECT sdc.donut(point(0, 0), 1, 2e7, 'earth') OVER ();
SELECT sdc.donut(point(0, 0), 1, 2, 'globe') OVER ();
SELECT count(*) FROM (SELECT sdc.donut(home, 1, 2) OVER () FROM homes WHERE false) AS none;

-- a rule
SELECT step, subject, method, rows, changed FROM sdc.mask('homes',
	'{"home": {"method": "donut", "inner": 20, "outer": 60}, "place": {"method": "donut", "inner": 200, "outer": 900, "variant": "earth"}}', target => 'masked', id => 'id', seed => 1)
WHERE step = 'mask' ORDER BY subject;
SELECT count(*) AS in_ring FROM masked AS m JOIN homes AS h USING (id) WHERE h.home <-> m.home BETWEEN 20 - 1e-6 AND 60 + 1e-6;
SELECT 1 FROM sdc.mask('homes', '{"home": {"method": "donut", "inner": 500, "outer": 300}}', target => 'masked2');
SELECT 1 FROM sdc.mask('homes', '{"age": {"method": "donut", "inner": 100, "outer": 300}}', target => 'masked2');
SELECT 1 FROM sdc.mask('homes', '{"home": {"method": "donut", "inner": 100, "outer": 3e8, "variant": "earth"}}', target => 'masked2');
SELECT 1 FROM sdc.mask('homes', '{"home": {"method": "rank_swap", "p": 5}}', target => 'masked2');

-- the intruder: all on the ring are alike, and he knows it
CREATE FUNCTION links(rules jsonb, keys text) RETURNS SETOF sdc.link LANGUAGE sql AS $$
SELECT * FROM sdc.attack_likelihood('homes', 'masked', rules, 'id', keys::sdc.columns, seed => 1) $$;
CREATE FUNCTION said(rules jsonb, keys text) RETURNS TABLE (persons bigint, said numeric, found bigint) LANGUAGE sql AS $$
SELECT count(*), round(sum(probability)::numeric), count(*) FILTER (WHERE correct)
FROM (SELECT DISTINCT ON (id) * FROM links(rules, keys) ORDER BY id, probability DESC NULLS LAST, linked_id) AS best $$;
\set plane '{"home": {"method": "donut", "inner": 20, "outer": 60}}'
\set earth '{"place": {"method": "donut", "inner": 200, "outer": 900, "variant": "earth"}}'
SELECT * FROM said(:'plane', '{home}');
SELECT * FROM said(:'earth', '{place}');
SELECT * FROM said(:'plane', '{home,age}');
SELECT count(*) AS impossible FROM links(:'plane', '{home}') AS l JOIN homes AS h ON h.id::text = l.id JOIN masked AS m ON m.id::text = l.linked_id
WHERE probability > 0.01 AND NOT h.home <-> m.home BETWEEN 20 - 1e-6 AND 60 + 1e-6;
SELECT count(*) AS rows FROM sdc.attack_transparency('homes', 'masked', :'plane', 'id', '{home}') WHERE correct;
SELECT * FROM sdc.candidate_sets('homes', 'masked', :'plane', 'id', '{home}') LIMIT 3;
SELECT * FROM sdc.candidate_sets('homes', 'masked', :'earth', 'id', '{place}') LIMIT 3;

-- a point is a key or a released column like any other
SELECT measure, value FROM sdc.risk_report('homes', keys => '{home}') WHERE measure IN ('records', 'classes', 'unique_count');
SELECT sdc.declare('homes', id => 'id', keys => '{sex,age,home}', insensitive => '{place}');
SELECT count(*) > 5 AS has_report FROM sdc.risk_report('homes');
SELECT count(*) > 5 AS has_report FROM sdc.utility_report('homes', 'masked');
SELECT count(*) > 5 AS has_report FROM sdc.disclosure_report('homes', 'masked', rules => :'plane');
CREATE SCHEMA open;
SELECT sdc.create_policy('homes', 'homes', '{"home": {"method": "donut", "inner": 100, "outer": 300}, "place": {"method": "null"}}',
	'[{"attack": "likelihood", "<=": 1}]', '{"schema": "open", "table": "homes"}');
CALL sdc.release('homes');
SELECT count(*) AS published, count(*) FILTER (WHERE home IS NULL) AS missing FROM open.homes;

-- people who can live where a place was moved from: against plain loops
CREATE TABLE grid AS
SELECT point(50 * x, 50 * y) AS home, (x * 31 + y * 17) % 23 AS people FROM generate_series(0, 60) AS x, generate_series(0, 40) AS y;
CREATE TABLE around AS SELECT * FROM sdc.place_k('masked', 'grid', 'home', 20, 160, id => 'id');
SELECT count(*) AS rows, count(k) AS known, min(k) > 0 AS all_have_some, count(*) FILTER (WHERE k IS DISTINCT FROM
	(SELECT sum(people) FROM grid AS g WHERE g.home <-> m.home BETWEEN 20 AND 160) AND k IS NOT NULL) AS wrong
FROM around JOIN masked AS m ON m.id::text = around.id;
CREATE TABLE land AS
SELECT point(179.5 + x / 100.0 - CASE WHEN x > 50 THEN 360 ELSE 0 END, -17 + y / 100.0) AS home, 1 + abs(x + y) % 5 AS people
FROM generate_series(0, 100) AS x, generate_series(-50, 50) AS y;
CREATE TABLE island AS SELECT * FROM (VALUES ('1', point(180, -17)), ('2', point(-179.9, -17.1)), ('3', point(100, 20))) AS i (id, home);
SELECT sdc.declare('island', id => 'id');
SELECT i.id, coalesce(p.k, 0) = coalesce((SELECT sum(people) FROM land AS l WHERE 2 * 6371008.7714 * asin(sqrt(power(sind((l.home[1] - i.home[1]) / 2), 2)
		+ cosd(l.home[1]) * cosd(i.home[1]) * power(sind((l.home[0] - i.home[0]) / 2), 2))) BETWEEN 3000 AND 20000), 0) AS right_, p.k > 0 AS some
FROM island AS i JOIN sdc.place_k('island', 'land', 'home', 3000, 20000, 'earth') AS p ON p.id = i.id ORDER BY 1;
CREATE TABLE xy AS SELECT id, home[0] AS x, home[1] AS y FROM masked;
CREATE TABLE grid_xy AS SELECT home[0] AS x, home[1] AS y, people FROM grid;
SELECT count(*) AS not_the_same FROM sdc.place_k('xy', 'grid_xy', 'x,y', 20, 160, id => 'id') AS p JOIN around USING (id) WHERE p.k IS DISTINCT FROM around.k;
SELECT * FROM sdc.place_k('masked', 'grid', 'home,id', 100, 300, id => 'id');
SELECT * FROM sdc.place_k('xy', 'grid_xy', 'x', 100, 300, id => 'id');
SELECT * FROM sdc.place_k('masked', 'grid', 'home', 20, 60, id => 'id', people => 'home');
SELECT * FROM sdc.place_k('homes', 'grid', 'home', 100, 300, 'earth');

SET client_min_messages = warning;
SELECT sdc.drop_policy('homes');
DROP SCHEMA open CASCADE;
DROP FUNCTION said, links;
DROP TABLE homes, moved, masked, grid, grid_xy, xy, around, land, island;
