-- masks_attacked.sql: every mask of the registry on tables drawn at random,
-- and every attack on them.  Read by test/sql/likelihood_masks.sql with a few
-- small tables and by test/bench/sql_likelihood.sh with many.
--
-- The rules are data: a mask of the registry that none of them names is an
-- error of masks_left.

\ir masks.sql

-- Correlated numbers, a count, codes, an address, a text, a region.
CREATE FUNCTION draw_people(seed bigint, n int)
RETURNS TABLE (id int, x float8, y float8, z float8, w int, g text, ip inet,
			   t text, region int, born date, m text, l text[])
LANGUAGE sql AS $$
WITH base AS (
	SELECT i, draw(seed, i, 0) + draw(seed, i, 1) + draw(seed, i, 2) AS c,
		   draw(seed, i, 3) + draw(seed, i, 4) AS x,
		   draw(seed, i, 5) + draw(seed, i, 6) AS y,
		   draw(seed, i, 7) + draw(seed, i, 8) AS z,
		   draw(seed, i, 9) AS w, draw(seed, i, 10) AS g,
		   draw(seed, i, 11) AS ip, draw(seed, i, 12) AS t,
		   draw(seed, i, 13) AS region, draw(seed, i, 14) AS born
	FROM generate_series(1, n) AS i)
SELECT i::int, c + x, (c + y) * (c + y), c + c + z, floor(20 * w * (c + x))::int,
	   chr(97 + floor(8 * g * g)::int),
	   ('10.' || floor(4 * ip)::int || '.' || floor(ip * 997)::int % 64 || '.1')::inet,
	   'n' || floor(900 * t + 100)::int, floor(4 * region)::int,
	   date '1950-01-01' + floor(15000 * born)::int,
	   'u' || floor(900 * t)::int || '@web.test', ARRAY['l' || floor(40 * t)::int]
FROM base $$;

-- What is masked, and what the intruder knows.
CREATE TABLE mask_rules (name text PRIMARY KEY, keys text, rules jsonb);
INSERT INTO mask_rules
SELECT 'rank_swap ' || v, 'x,y,z,w',
	   (SELECT jsonb_object_agg(k, jsonb_build_object('method', 'rank_swap', 'p', 8, 'variant', v))
		FROM unnest('{x,y,z,w}'::text[]) AS k)
FROM unnest('{classic,buckets,distribution}'::text[]) AS v
UNION ALL
SELECT 'add_noise ' || v, 'x,y,z,w',
	   (SELECT jsonb_object_agg(k, jsonb_build_object('method', 'add_noise', 'alpha', 0.05, 'variant', v))
		FROM unnest('{x,y,z,w}'::text[]) AS k)
FROM unnest('{gaussian,laplace,uniform}'::text[]) AS v
UNION ALL
SELECT 'add_noise together ' || v, 'x,y,z,w',
	   jsonb_build_object('x,y,z', jsonb_build_object('method', 'add_noise', 'alpha', 0.2, 'variant', v))
FROM unnest('{gaussian,laplace,uniform}'::text[]) AS v
UNION ALL
SELECT 'microaggregate ' || k, 'x,y,z,w',
	   (SELECT jsonb_object_agg(c, jsonb_build_object('method', 'microaggregate', 'k', k))
		FROM unnest('{x,y,z,w}'::text[]) AS c)
FROM unnest('{3,10}'::int[]) AS k
UNION ALL VALUES
('rank_swap in strata', 'x,y,z,region',
 '{"x": {"method": "rank_swap", "p": 15, "strata": ["region"]}, "y": {"method": "rank_swap", "p": 15}, "z": {"method": "rank_swap", "p": 15}}'::jsonb),
('add_noise in strata', 'x,y,z,region',
 '{"x": {"method": "add_noise", "alpha": 0.1, "strata": ["region"]}, "y,z": {"method": "add_noise", "alpha": 0.1, "strata": ["region"]}}'),
('microaggregate together', 'x,y,z,w',
 '{"x,y": {"method": "microaggregate", "k": 3}, "z,w": {"method": "microaggregate", "k": 3}}'),
('microaggregate all', 'x,y,z,w', '{"x,y,z,w": {"method": "microaggregate", "k": 3}}'),
('romm', 'x,y,z,w', '{"x,y,z": {"method": "romm", "alpha": 0.2}}'),
('romm in strata', 'x,y,z,region', '{"x,y": {"method": "romm", "alpha": 0.1, "strata": ["region"]}, "z": {"method": "romm", "alpha": 0.1}}'),
('outlier_noise', 'x,y,z,w', '{"y": {"method": "outlier_noise", "alpha": 0.3, "threshold": 1}, "x": {"method": "add_noise", "alpha": 0.3}, "z": {"method": "shuffle"}, "w": {"method": "outlier_noise", "alpha": 0.2, "threshold": 1}}'),
('outlier_noise alone', 'y,region', '{"y": {"method": "outlier_noise", "alpha": 0.1, "threshold": 1, "strata": ["region"]}}'),
('donut', 'home,w', '{"home": {"method": "donut", "inner": 0.2, "outer": 0.5}, "w": {"method": "pram", "p": 60}}'),
('donut earth', 'home', '{"home": {"method": "donut", "inner": 10000, "outer": 30000, "variant": "earth"}}'),
('data_shuffle', 'x,y,z,w', '{"x,y": {"method": "data_shuffle", "given": ["z"]}, "w": {"method": "pram", "p": 60}}'),
('data_shuffle in strata', 'x,y,region', '{"x,y": {"method": "data_shuffle", "given": ["z"], "strata": ["region"]}}'),
('record_swap', 'region,g,w', '{"region,g": {"method": "record_swap", "p": 20, "k": 2, "risk": ["w"]}}'),
('record_swap matched', 'region,w,born', '{"region": {"method": "record_swap", "p": 30, "match": ["g"]}, "w": {"method": "pram", "p": 60}, "born": {"method": "shuffle"}}'),
('shuffle', 'x,y,z', '{"x": {"method": "shuffle"}, "y": {"method": "shuffle"}, "z": {"method": "shuffle"}}'),
('shuffle in strata', 'x,y,w', '{"x": {"method": "shuffle", "strata": ["w"]}, "y": {"method": "shuffle", "strata": ["w"]}}'),
('anatomize', 'g,x', '{"g": {"method": "anatomize", "l": 2}, "x": {"method": "rank_swap", "p": 10}}'),
('pram', 'w,g,region,t', '{"w": {"method": "pram", "p": 60}, "g": {"method": "pram", "p": 60}, "t": {"method": "pram", "p": 60}}'),
('pram in strata', 'w,g,region', '{"w": {"method": "pram", "p": 60, "strata": ["region"]}, "g": {"method": "pram", "p": 60}}'),
('pram_matrix', 'g,region,x', '{"region": {"method": "pram_matrix", "matrix": {"0": {"0": 0.7, "1": 0.3}, "1": {"1": 0.6, "2": 0.4}, "2": {"2": 1}, "3": {"3": 0.5, "0": 0.5}}}, "x": {"method": "rank_swap", "p": 10}}'),
('pram_matrix in strata', 'g,region,x', '{"region": {"method": "pram_matrix", "variant": "invariant", "strata": ["g"], "matrix": {"0": {"0": 0.7, "1": 0.3}, "1": {"1": 0.6, "2": 0.4}, "2": {"2": 1}, "3": {"3": 0.5, "0": 0.5}}}, "x": {"method": "rank_swap", "p": 10}}'),
('top_code', 'x,y,w', '{"x": {"method": "top_code", "upper": 2}, "y": {"method": "top_code", "upper": 3}, "w": {"method": "top_code", "upper": 15}}'),
('bottom_code', 'x,y,w', '{"x": {"method": "bottom_code", "lower": 3}, "y": {"method": "bottom_code", "lower": 8}, "w": {"method": "bottom_code", "lower": 30}}'),
('round_to', 'x,y,z', '{"x": {"method": "round_to", "base": 0.5}, "y": {"method": "round_to", "base": 2}, "z": {"method": "round_to", "base": 1}}'),
('round_to random', 'x,y,z', '{"x": {"method": "round_to", "base": 0.5, "random": true}, "y": {"method": "round_to", "base": 2, "random": true}, "z": {"method": "round_to", "base": 1, "random": true}}'),
('generalize', 'w,g,region', '{"w": {"method": "generalize", "hierarchy": "tens", "level": 1}}'),
('mask_text', 't,g,region', '{"t": {"method": "mask_text", "keep": 2}}'),
('mask_inet', 'ip,g,region', '{"ip": {"method": "mask_inet", "keep": 16}}'),
('suppress', 'g,region,w', '{"g,region,w": {"method": "suppress", "k": 3}}'),
('suppress on top', 'x,region,g', '{"x": {"method": "rank_swap", "p": 5}, "region,g": {"method": "suppress", "k": 5}}'),
('anonymize', 'g,w,region', '{"w,region": {"method": "anonymize", "k": 3, "hierarchies": {"w": "tens", "region": "few"}}}'),
('recode_locally', 'g,w,region', '{"w,region": {"method": "recode_locally", "k": 3, "hierarchies": {"w": "tens", "region": "few"}}}'),
('pseudonym', 't,g,region', '{"t": {"method": "pseudonym", "domain": "attacked"}}'),
('pseudonym same', 't,g,region', '{"t": {"method": "pseudonym", "domain": "attacked", "format": "same"}}'),
('fake', 't,g,region', '{"t": {"method": "fake", "kind": "name", "domain": "attacked"}}'),
('scrub', 'm,g,region', '{"m": {"method": "scrub", "domain": "attacked"}}'),
('inside', 'l,g,region', '{"l": {"method": "inside", "paths": {"$": {"method": "fake", "kind": "city", "domain": "attacked"}}}}'),
('shift', 'born,g,region', '{"born": {"method": "shift", "domain": "attacked", "days": 300}}'),
('shift together', 'born,g,region', '{"born": {"method": "shift", "domain": "attacked", "by": "g", "days": 300}}'),
('constant', 'g,w', '{"g": {"method": "constant", "value": "-"}}'),
('null', 'g,w', '{"g": {"method": "null"}}'),
('keep', 'g,w,region', '{"g": {"method": "keep"}}'),
('sample_rows', 'x,y,z', '{"*": {"method": "sample_rows", "p": 40}, "x": {"method": "rank_swap", "p": 5}, "y": {"method": "rank_swap", "p": 5}, "z": {"method": "rank_swap", "p": 5}}');

-- A known secret, so that each run has the same fakes and shifts.
INSERT INTO sdc.secret (domain, key) VALUES ('attacked', sha256('attacked')) ON CONFLICT DO NOTHING;

-- Methods of the registry that no rule names.
CREATE FUNCTION masks_left() RETURNS SETOF text LANGUAGE sql AS $$
SELECT masks_known() EXCEPT
SELECT r.value ->> 'method' FROM mask_rules, jsonb_each(rules) AS r $$;

-- The hierarchies of the rules.
SELECT sdc.create_hierarchy('tens', 'numeric',
	'{"widths": [10], "bottom": 0, "domain": [0, 100]}');
SELECT sdc.create_hierarchy('few', 'numeric',
	'{"widths": [2], "bottom": 0, "domain": [0, 4]}');

-- What weights that were learned with the truth find elsewhere, on another
-- masking of the same people: the rest of what they find at home is a fit to
-- chance.  NULL: nothing can be learned of these keys.
CREATE FUNCTION learned_elsewhere(keys sdc.columns, rules jsonb, seed int) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
	weights jsonb;
	found float8;
BEGIN
	DROP TABLE IF EXISTS elsewhere;
	PERFORM sdc.mask('people', rules, target => 'elsewhere', id => 'id', seed => seed + 1000000);
	weights := (sdc.learn_distance('people', 'elsewhere', 'id', keys, 'wm', seed => seed)).parameters -> 'weights';
	SELECT count(*) FILTER (WHERE correct AND candidates = 1) INTO found
	FROM sdc.attack_distance('people', 'masked', 'id', keys, 'wm', jsonb_build_object('weights', weights));
	RETURN found;
EXCEPTION WHEN invalid_parameter_value OR datatype_mismatch OR feature_not_supported OR wrong_object_type THEN
	RETURN NULL;
END $$;

-- Masks table number seed and runs the attacks named; right is how many of the
-- records are found, by the figure that is the greatest.
CREATE TABLE attacked (name text, seed int, attack text, found float8, records int);
CREATE TABLE said (name text, seed int, band int, links int, said float8, right_ int);
CREATE FUNCTION attack_masks(seed int, n int, attacks text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
	r mask_rules;
	kept int;
BEGIN
	DROP TABLE IF EXISTS people;
	CREATE TABLE people AS SELECT * FROM draw_people(seed, n);
	ALTER TABLE people ADD PRIMARY KEY (id);
	FOR r IN SELECT * FROM mask_rules ORDER BY name LOOP
		DROP TABLE IF EXISTS masked;
		-- a place only where one is masked, as it would tell of other masks
		ALTER TABLE people DROP COLUMN IF EXISTS home;
		IF r.rules ? 'home' THEN
			ALTER TABLE people ADD home point;
			UPDATE people SET home = point(draw(attack_masks.seed, id, 15) * draw(attack_masks.seed, id, 16) * 3, 50 + draw(attack_masks.seed, id, 17) * 3);
		END IF;
		PERFORM sdc.mask('people', r.rules, target => 'masked', id => 'id', seed => seed);
		SELECT count(*) INTO kept FROM masked;
		IF attacks <> '{}' THEN
			INSERT INTO attacked
			SELECT r.name, attack_masks.seed, split_part(m.subject, ' ', 1),
				   max(m.value) * kept, kept
			FROM sdc.disclosure_report('people', 'masked', 'id', r.keys::sdc.columns,
				rules => r.rules, measures => attacks, seed => seed) AS m
			WHERE m.measure IN ('found', 'reid_k', 'reid_d', 'k_reid')
			GROUP BY 3;
		END IF;
		IF 'learned' = ANY (attacks) THEN
			INSERT INTO attacked
			SELECT r.name, attack_masks.seed, 'elsewhere',
				   learned_elsewhere(r.keys::sdc.columns, r.rules, attack_masks.seed), kept;
		END IF;
		-- the likeliest record of each person, and whether it is his
		INSERT INTO said
		SELECT r.name, attack_masks.seed, least(floor(10 * probability), 9), count(*),
			   sum(probability), count(*) FILTER (WHERE correct)
		FROM sdc.attack_likelihood('people', 'masked', r.rules, 'id', r.keys::sdc.columns,
			'{"max_candidates": 1}', seed) WHERE linked_id IS NOT NULL
		GROUP BY 3;
	END LOOP;
END $$;

-- By mask: what likelihood finds beside the best of the others, and whether
-- that is more by more than two deviations of chance.  Of weights that were
-- learned counts what they find elsewhere.
CREATE VIEW attacks_compared AS
SELECT l.name, l.records, l.found, o.attack AS other, o.found AS other_found,
	   o.found - l.found > 2 * sqrt(o.found * (1 - o.found / o.records) + 1) AS less
FROM (SELECT name, sum(found) AS found, sum(records) AS records
	  FROM attacked WHERE attack = 'likelihood' GROUP BY 1) AS l
LEFT JOIN LATERAL (
	SELECT attack, sum(found) AS found, sum(records) AS records FROM attacked AS a
	WHERE a.name = l.name AND attack NOT IN ('likelihood', 'learned')
	GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 1) AS o ON true;

-- How much more likelihood finds than that attack, table by table of the same
-- masks, and the half width of its interval of 95 percent: records of all.
CREATE VIEW attacks_differences AS
SELECT name, sum(more) AS more,
	   1.96 * sqrt(count(*) * coalesce(var_samp(more), 0)) AS noise
FROM (SELECT c.name, l.seed, l.found - coalesce(o.found, 0) AS more
	  FROM attacks_compared AS c
	  JOIN attacked AS l ON l.name = c.name AND l.attack = 'likelihood'
	  LEFT JOIN attacked AS o ON o.name = c.name AND o.attack = c.other AND o.seed = l.seed) AS d
GROUP BY 1;

-- Ten bands of what is said, against what is right.
CREATE VIEW bands AS
SELECT name, band, sum(links) AS links, sum(said) / sum(links) AS said,
	   sum(right_)::float8 / sum(links) AS is_right
FROM said GROUP BY name, band;

-- The same, tested: a band fails when its error is above .05 by more than
-- chance explains.  Tables are independent, links of one table are not, so
-- the deviation is that of the tables' own errors; z is that of an error rate
-- of 5 percent over 250 bands (Bonferroni).
CREATE VIEW bands_tested AS
SELECT name, band, links, said, is_right, abs(said - is_right) AS error, deviation,
	   abs(said - is_right) - 0.05 > 3.54 * deviation AS fails
FROM (SELECT name, band, sum(links) AS links, sum(said) / sum(links) AS said,
			 sum(right_)::float8 / sum(links) AS is_right,
			 -- of a ratio, by clusters; not below that of independent links
			 greatest(sqrt(count(*) / greatest(count(*) - 1, 1)::float8
				* sum(power(said - right_ - links * mean, 2))),
				sqrt(sum(links) * greatest(sum(said) / sum(links) * (1 - sum(said) / sum(links)), 0))) / sum(links) AS deviation
	  FROM (SELECT *, sum(said - right_) OVER w / sum(links) OVER w AS mean FROM said
			WINDOW w AS (PARTITION BY name, band)) AS s
	  GROUP BY 1, 2) AS b
WHERE links >= 200;
