-- nights.sql: a table with a column for every mask that releases can hold, in
-- which something changes every night, and what must hold of each night's
-- release beside the one before.  Read by test/t/051_nights.pl with a small
-- table and by test/bench/sql_nights.sh with a large one.

\ir masks.sql

-- What a person is like after so many changes.
CREATE FUNCTION person(id int, change int)
RETURNS TABLE (region int, swap float8, bucket float8, micro int, m1 float8, m2 float8,
			   noise float8, n1 float8, n2 float8, r1 float8, r2 float8, outl float8, q1 float8, q2 float8, land text, town text, shuf text, word text, turn text,
			   near int, round0 int, top float8, bottom float8, gen int, txt text,
			   ip inet, s1 int, s2 int, a1 int, a2 int, l1 int, l2 int, anat text,
			   pseu text, face text, born date, cons text, nul text,
			   scrb text, list text[], home point)
LANGUAGE sql AS $$
SELECT floor(3 * d[1])::int, exp(3 * d[2]), exp(3 * d[3]), floor(1e4 * d[4])::int,
	   d[5], d[5] + d[6], 10 * d[7], d[8], d[8] + d[9], d[33], d[33] + d[34], exp(4 * d[35]), d[37], d[37] + d[38], 'l' || floor(2 * d[36]), 't' || floor(5 * d[36]), 'n' || floor(1e5 * d[10]),
	   NULLIF('w' || floor(5 * d[11]), 'w4'), 't' || floor(3 * d[32]), floor(1e4 * d[12])::int,
	   floor(1e3 * d[13])::int, 10 * d[14], 10 * d[15], floor(100 * d[16])::int,
	   't' || floor(1e4 * d[17]),
	   ('10.' || floor(4 * d[18]) || '.' || floor(60 * d[19]) || '.1')::inet,
	   floor(4 * d[20])::int, floor(3 * d[21])::int, floor(100 * d[22])::int,
	   floor(4 * d[23])::int, floor(100 * d[24])::int, floor(4 * d[25])::int,
	   'a' || floor(6 * d[26]), 'p' || floor(1e6 * d[27]),
	   'f' || floor(40 * d[28]), date '1950-01-01' + floor(2e4 * d[29])::int,
	   'c', 'secret', 'from u' || floor(1e4 * d[30]) || '@web.test',
	   ARRAY['g' || floor(1e4 * d[31])], point(100 * d[6], 50 * d[9])
FROM (SELECT array_agg(draw(change, person.id, s) ORDER BY s) AS d
	  FROM generate_series(1, 38) AS s) AS x $$;

SELECT sdc.create_hierarchy('tens', 'numeric',
	'{"widths": [10, 50], "bottom": 0, "domain": [0, 100]}');
SELECT sdc.create_hierarchy('few', 'numeric',
	'{"widths": [2], "bottom": 0, "domain": [0, 4]}');

-- The rules, and whether a column is a function of its row (d), or in which
-- columns with others.
-- A policy has one rule for the table as a whole, so there are three.
CREATE TABLE part (columns text, strata text, rule jsonb, kind text, policy text DEFAULT 'nights');
INSERT INTO part VALUES
('swap', 'region', '{"method": "rank_swap", "p": 5, "strata": ["region"]}', 'permuted'),
('bucket', NULL, '{"method": "rank_swap", "p": 5, "variant": "buckets"}', 'permuted'),
('micro', NULL, '{"method": "microaggregate", "k": 4}', 'means'),
('m1,m2', NULL, '{"method": "microaggregate", "k": 4}', 'groups'),
('noise', NULL, '{"method": "add_noise", "alpha": 0.2}', 'drifts'),
('n1,n2', NULL, '{"method": "add_noise", "alpha": 0.2}', 'noise'),
('r1,r2', NULL, '{"method": "romm", "alpha": 0.2}', 'noise'),
('outl', NULL, '{"method": "outlier_noise", "alpha": 0.2}', 'outliers'),
('home', NULL, '{"method": "donut", "inner": 2, "outer": 5}', 'ring'),
('q1,q2', NULL, '{"method": "data_shuffle", "given": ["r1"]}', 'permuted'),
('land,town', NULL, '{"method": "record_swap", "p": 20}', 'permuted'),
('shuf', NULL, '{"method": "shuffle"}', 'permuted'),
('word', NULL, '{"method": "pram", "p": 60}', 'domain'),
('turn', NULL, '{"method": "pram_matrix", "matrix": {"t0": {"t0": 0.8, "t1": 0.2}, "t1": {"t1": 0.7, "t2": 0.3}, "t2": {"t2": 1}}}', 'domain'),
('near', NULL, '{"method": "round_to", "base": 100, "random": true}', 'near'),
('round0', NULL, '{"method": "round_to", "base": 10}', 'function'),
('top', NULL, '{"method": "top_code", "upper": 8}', 'function'),
('bottom', NULL, '{"method": "bottom_code", "lower": 2}', 'function'),
('gen', NULL, '{"method": "generalize", "hierarchy": "tens", "level": 1}', 'function'),
('txt', NULL, '{"method": "mask_text", "keep": 2}', 'function'),
('ip', NULL, '{"method": "mask_inet", "keep": 16}', 'function'),
('s1,s2', NULL, '{"method": "suppress", "k": 3}', 'suppressed'),
('anat', NULL, '{"method": "anatomize", "l": 2}', 'permuted'),
('pseu', NULL, '{"method": "pseudonym", "domain": "nights"}', 'function'),
('face', NULL, '{"method": "fake", "kind": "name", "domain": "nights"}', 'function'),
('born', 'id', '{"method": "shift", "domain": "nights", "by": "id", "days": 100}', 'function'),
('scrb', NULL, '{"method": "scrub", "domain": "nights"}', 'function'),
('list', NULL, '{"method": "inside", "paths": {"$": {"method": "fake", "kind": "city", "domain": "nights"}}}', 'function'),
('cons', NULL, '{"method": "constant", "value": "-"}', 'function'),
('nul', NULL, '{"method": "null"}', 'function'),
('region', NULL, '{"method": "keep"}', 'function'),
('*', NULL, '{"method": "sample_rows", "p": 90}', 'sample');
INSERT INTO part VALUES
('a1,a2', NULL, '{"method": "anonymize", "k": 3, "hierarchies": {"a1": "tens", "a2": "few"}}', 'classes', 'nights_levels'),
('l1,l2', NULL, '{"method": "recode_locally", "k": 3, "hierarchies": {"l1": "tens", "l2": "few"}}', 'classes', 'nights_local');

-- Methods of the registry that no rule has.
CREATE FUNCTION masks_left() RETURNS SETOF text LANGUAGE sql AS $$
SELECT masks_known() EXCEPT SELECT rule ->> 'method' FROM part $$;

CREATE TABLE people AS
SELECT i AS id, p.* FROM generate_series(1, :rows) AS i, person(i, 0) AS p;
ALTER TABLE people ADD PRIMARY KEY (id);
SELECT sdc.declare('people', id => 'id',
	insensitive => '{swap,bucket,micro,n1,region,noise,m1,m2,n2,r1,r2,outl,q1,q2,land,town,shuf,word,turn,near,round0,top,bottom,gen,txt,ip,s1,s2,a1,a2,l1,l2,anat,pseu,face,born,cons,nul,scrb,list,home}');
CREATE SCHEMA out;
-- Without attacks, if so asked (-v plain=1).
\if :{?plain}
\else
	\set plain 0
\endif
SELECT sdc.create_policy(policy, 'people',
	jsonb_object_agg(columns, rule) || '{"id": {"method": "keep"}}',
	CASE CASE WHEN :plain = 0 THEN policy END WHEN 'nights' THEN '[{"attack": "distance", "<=": 0.9}, {"attack": "sequence", "<=": 1}]'
		ELSE '[{"measure": "k_anonymity", ">=": 1}]' END::jsonb,
	jsonb_build_object('schema', 'out', 'table', policy,
		'attacks', CASE CASE WHEN :plain = 0 THEN policy END WHEN 'nights' THEN '["distance"]' ELSE '[]' END::jsonb,
		'keys', CASE policy WHEN 'nights' THEN '["swap", "bucket", "micro", "n1"]'
			ELSE (SELECT jsonb_agg(c) FROM unnest(string_to_array(min(columns), ',')) AS c) END,
		'drop', (SELECT jsonb_agg(attname) FROM pg_attribute AS a
			WHERE attrelid = 'people'::regclass AND attnum > 0 AND attname <> 'id'
			AND NOT EXISTS (SELECT FROM part AS q WHERE q.policy = part.policy
				AND attname = ANY (string_to_array(q.columns, ','))))))
FROM part GROUP BY policy;

-- So many percent of the rows change in a night: a third each are other
-- people's values, leave, and come.  noise drifts in all of them.
CREATE FUNCTION change(night int, percent float8) RETURNS void LANGUAGE sql AS $$
UPDATE people SET noise = noise + 0.0001;
DELETE FROM people WHERE draw(night, id, 100) < percent / 300;
UPDATE people AS o SET (region, swap, bucket, micro, m1, m2, noise, n1, n2, r1, r2, outl, q1, q2, land, town, shuf, word, turn,
	near, round0, top, bottom, gen, txt, ip, s1, s2, a1, a2, l1, l2, anat, pseu,
	face, born, scrb, list, home) =
	(SELECT region, swap, bucket, micro, m1, m2, noise, n1, n2, r1, r2, outl, q1, q2, land, town, shuf, word, turn, near,
		round0, top, bottom, gen, txt, ip, s1, s2, a1, a2, l1, l2, anat, pseu,
		face, born, scrb, list, home
	 FROM person(o.id, night))
WHERE draw(night, id, 101) < percent / 300;
INSERT INTO people
SELECT m.id + i, p.* FROM (SELECT max(id) AS id, count(*) AS rows FROM people) AS m,
	generate_series(1, ceil(m.rows * percent / 300)::int) AS i, person((m.id + i)::int, 0) AS p $$;

-- Of each part and person the original when the value was published that still
-- is, and this value.
CREATE TABLE basis (part text, id int, original text, published text, value float8,
	PRIMARY KEY (part, id));
CREATE TABLE last_night (id int PRIMARY KEY);       -- published
CREATE TABLE known (id int PRIMARY KEY);            -- in the table then
CREATE TABLE waited (rows bigint);
CREATE TABLE drawn (part text, id int, value text[]);
CREATE TABLE problem (night int, part text, what text, rows bigint);

CREATE FUNCTION check_change(night int, p part) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	list text := CASE p.columns WHEN '*' THEN 'NULL' ELSE p.columns END;
BEGIN
	CREATE TEMP TABLE now ON COMMIT DROP AS SELECT 0 AS id, ''::text AS original,
		''::text AS published, 0::float8 AS value LIMIT 0;
	EXECUTE format('INSERT INTO now SELECT m.id, o.t, m.t, o.v FROM
		(SELECT id, ROW(%s)::text AS t FROM out.%s) AS m JOIN
		(SELECT id, ROW(%s)::text AS t, %s::float8 AS v FROM people) AS o USING (id)',
		list, p.policy, concat_ws(', ', list, p.strata),
		CASE p.kind WHEN 'drifts' THEN list ELSE 'NULL' END);
	ANALYZE now;
	-- no change without reason
	INSERT INTO problem SELECT night, p.columns, 'changed without reason', count(*)
	FROM now AS n JOIN basis AS b USING (id) WHERE b.part = p.columns
		AND n.published <> b.published AND n.original = b.original
	HAVING count(*) > 0;
	-- a small move seldom is one: the grid is about 1.3 wide
	INSERT INTO problem SELECT night, p.columns, 'a small move changed it', count(*)
	FROM now AS n JOIN basis AS b USING (id) WHERE b.part = p.columns
		AND n.published <> b.published AND abs(n.value - b.value) < 0.01
	HAVING count(*) > 0.05 * (SELECT count(*) FROM now);
	-- what is a function of the row follows it at once
	IF p.kind = 'function' THEN
		INSERT INTO problem SELECT night, p.columns, 'not what its row says', count(*)
		FROM (SELECT FROM now GROUP BY original HAVING count(DISTINCT published) > 1) AS d
		HAVING count(*) > 0;
	END IF;
	INSERT INTO basis AS b SELECT p.columns, id, original, published, value FROM now
	ON CONFLICT (part, id) DO UPDATE SET original = excluded.original,
		published = excluded.published, value = excluded.value
	WHERE b.published <> excluded.published;
	DELETE FROM basis AS b WHERE part = p.columns
		AND NOT EXISTS (SELECT FROM now AS n WHERE n.id = b.id);
	DROP TABLE now;
END $$;

-- What must hold of those that were drawn together: o is their original.
CREATE FUNCTION check_drawn(night int, p part) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	c text[] := string_to_array(p.columns, ',');
	query text := CASE p.kind
	-- a permutation, within strata
	WHEN 'permuted' THEN format('
		SELECT ''not a permutation'', count(*) FROM
			(SELECT d.value[1], ROW(%2$s)::text FROM drawn AS d JOIN people AS o USING (id)
			 WHERE d.part = %3$L EXCEPT ALL
			 SELECT o.%1$s::text, ROW(%2$s)::text FROM drawn AS d JOIN people AS o USING (id)
			 WHERE d.part = %3$L) AS x', c[1], COALESCE('o.' || p.strata, ''), p.columns)
	-- at least k have each mean, and means leave the sum
	WHEN 'means' THEN format('
		SELECT ''group too small'', count(*) FROM (SELECT FROM drawn WHERE part = %2$L
			GROUP BY value HAVING count(*) < 4) AS x
		UNION ALL SELECT ''sum is not kept'', count(*) FROM (SELECT FROM drawn AS d
			JOIN people AS o USING (id) WHERE d.part = %2$L
			HAVING abs(sum(d.value[1]::float8 - o.%1$s)) > count(*)) AS x', c[1], p.columns)
	WHEN 'groups' THEN format('
		SELECT ''group too small'', count(*) FROM (SELECT FROM drawn WHERE part = %L
			GROUP BY value HAVING count(*) < 4) AS x', p.columns)
	WHEN 'classes' THEN format('
		SELECT ''class too small'', count(*) FROM (SELECT FROM drawn WHERE part = %L
			GROUP BY value HAVING count(*) < 3) AS x', p.columns)
	-- with NULL for any value
	WHEN 'suppressed' THEN format('
		SELECT ''class too small'', count(*) FROM
			(SELECT value, count(*) AS n FROM drawn WHERE part = %1$L GROUP BY value) AS a
		WHERE (SELECT sum(b.n) FROM (SELECT value, count(*) AS n FROM drawn
				WHERE part = %1$L GROUP BY value) AS b
			WHERE (a.value[1] = b.value[1] OR num_nulls(a.value[1], b.value[1]) > 0)
			  AND (a.value[2] = b.value[2] OR num_nulls(a.value[2], b.value[2]) > 0)) < 3',
		p.columns)
	WHEN 'domain' THEN format('
		SELECT ''not a value of the column'', count(*) FROM drawn AS d WHERE d.part = %2$L
		AND NOT EXISTS (SELECT FROM people AS o WHERE o.%1$s IS NOT DISTINCT FROM d.value[1])',
		c[1], p.columns)
	WHEN 'near' THEN format('
		SELECT ''not one of the two multiples'', count(*) FROM drawn AS d
		JOIN people AS o USING (id) WHERE d.part = %2$L AND (d.value[1]::numeric %% 100 <> 0
			OR abs(d.value[1]::float8 - o.%1$s) >= 100)', c[1], p.columns)
	-- eight standard deviations
	WHEN 'noise' THEN format('
		SELECT ''beyond any noise, or none'', count(*) FROM drawn AS d
		JOIN people AS o USING (id) WHERE d.part = %2$L
			AND (abs(d.value[1]::float8 - o.%1$s) > 8 * sqrt(0.2 / 12)
				OR d.value[1]::float8 = o.%1$s)', c[1], p.columns)
	WHEN 'ring' THEN format('
		SELECT ''not on the ring'', count(*) FROM drawn AS d
		JOIN people AS o USING (id) WHERE d.part = %2$L
			AND NOT (d.value[1]::point <-> o.%1$s BETWEEN 1.999999 AND 5.000001)', c[1], p.columns)
	-- what changes was beyond all that stays, and is there still
	WHEN 'outliers' THEN format('
		WITH v AS (SELECT o.%1$s AS was, d.value[1]::float8 AS shown FROM drawn AS d
			JOIN people AS o USING (id) WHERE d.part = %2$L),
			stay AS (SELECT min(was) AS low, max(was) AS high FROM v WHERE shown = was)
		SELECT ''no outlier, or none any more'', count(*) FROM v, stay
		WHERE shown <> was AND NOT (was > high AND shown > high)
			AND NOT (was < low AND shown < low)', c[1], p.columns)
	END;
BEGIN
	IF query IS NOT NULL THEN
		EXECUTE format('INSERT INTO problem SELECT %s, %L, x.* FROM (%s) AS x (what, rows)
			WHERE x.rows > 0', night, p.columns, query);
	END IF;
END $$;

-- Everything that must hold after the release of a night by a policy.
CREATE FUNCTION check_policy(night int, policy text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	p part;
	latest bigint := (SELECT max(release) FROM sdc.releases(check_policy.policy));
BEGIN
	TRUNCATE drawn;
	INSERT INTO drawn
	SELECT array_to_string(r.columns, ','), o.id, v.value
	FROM sdc.release_values(policy, 'people') AS v
	JOIN sdc.release_part AS r USING (part)
	JOIN (SELECT id, sdc.release_digest(check_policy.policy, 'person',
		record_out(ROW(id))::text, NULL, NULL, NULL) AS person FROM people OFFSET 0) AS o
		USING (person)
	WHERE v.drawn = latest;
	ANALYZE drawn;
	FOR p IN SELECT * FROM part AS q WHERE q.policy = check_policy.policy LOOP
		PERFORM check_change(night, p);
		PERFORM check_drawn(night, p);
	END LOOP;
END $$;

-- Of all policies, and who is published by the first one.
CREATE FUNCTION check_night(night int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	told jsonb := (SELECT measures -> 0 -> 'versions' FROM sdc.releases('nights')
		ORDER BY release DESC LIMIT 1);
BEGIN
	PERFORM check_policy(night, policy) FROM (SELECT DISTINCT policy FROM part) AS p;
	-- nobody vanishes who is there, nobody stays who is gone
	INSERT INTO problem SELECT night, '*', 'vanished', count(*) FROM last_night
	JOIN people USING (id) WHERE NOT EXISTS (SELECT FROM out.nights AS n WHERE n.id = people.id) HAVING count(*) > 0;
	INSERT INTO problem SELECT night, '*', 'gone, but published', count(*) FROM out.nights AS n
	WHERE NOT EXISTS (SELECT FROM people AS p WHERE p.id = n.id) HAVING count(*) > 0;
	-- who appears is new, or has waited
	INSERT INTO problem SELECT night, '*', 'appeared', count(*) FROM out.nights AS n
	JOIN known USING (id) WHERE NOT EXISTS (SELECT FROM last_night AS l WHERE l.id = n.id)
	HAVING count(*) > COALESCE((SELECT rows FROM waited), 0);
	-- the tally is right
	INSERT INTO problem SELECT night, '*', 'the tally is not that of the table', count(*)
	FROM out.nights HAVING count(*) <> (told ->> 'kept')::bigint + (told ->> 'drawn')::bigint;
	TRUNCATE last_night, known, waited;
	INSERT INTO last_night SELECT id FROM out.nights;
	INSERT INTO known SELECT id FROM people;
	INSERT INTO waited VALUES ((told ->> 'waiting')::bigint);
END $$;
