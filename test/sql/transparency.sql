-- transparency: candidate_sets and attack_transparency against all pairs in
-- plain SQL, on files that were really masked.
\set SHOW_CONTEXT never

-- EX-RS: ten records by rank swapping, two ranks of ten
CREATE TABLE rs_original(id int PRIMARY KEY, a1 int, a2 int, a3 int, a4 int);
CREATE TABLE rs_masked  (id int PRIMARY KEY, a1 int, a2 int, a3 int, a4 int);
INSERT INTO rs_original VALUES (1,8,9,1,3),(2,6,7,10,2),(3,10,3,4,1),(4,7,1,2,6),(5,9,4,6,4),
  (6,2,2,8,8),(7,1,10,3,9),(8,4,8,7,10),(9,5,5,5,5),(10,3,6,9,7);
INSERT INTO rs_masked VALUES (1,10,10,3,5),(2,5,5,8,1),(3,8,4,2,2),(4,9,2,4,4),(5,7,3,5,6),
  (6,4,1,10,10),(7,3,9,1,7),(8,2,6,9,8),(9,6,7,6,3),(10,1,8,7,9);
\set swapped '{"a1":{"method":"rank_swap","p":20},"a2":{"method":"rank_swap","p":20},"a3":{"method":"rank_swap","p":20},"a4":{"method":"rank_swap","p":20}}'
-- EX-RS-1: 5, 5, 3, 4
SELECT * FROM sdc.candidate_sets('rs_original', 'rs_masked', :'swapped', 'id', '{a1,a2,a3,a4}') WHERE id = '2';
-- EX-RS-2: one record, (5,5,8,1)
SELECT m.* FROM sdc.attack_transparency('rs_original', 'rs_masked', :'swapped', 'id', '{a1,a2,a3,a4}') AS l
JOIN rs_masked AS m ON m.id::text = l.linked_id WHERE l.id = '2';
-- EX-RS-3: 1,1,1,1,2,1,1,1,2,2
SELECT string_agg(candidates::text, ',' ORDER BY id::int)
FROM sdc.candidate_sets('rs_original', 'rs_masked', :'swapped', 'id', '{a1,a2,a3,a4}') WHERE subject = '*';
SELECT id, linked_id, candidates, probability, round(distance::numeric, 6) AS distance, certain, correct
FROM sdc.attack_transparency('rs_original', 'rs_masked', :'swapped', 'id', '{a1,a2,a3,a4}');
-- EX-RS-4, EX-RS-5: 7 of 10 certain, all of them right; Reid_k 0.85
SELECT (sdc.reid(l)).* FROM sdc.attack_transparency('rs_original', 'rs_masked', :'swapped', 'id', '{a1,a2,a3,a4}') AS l;
-- Reid_k with the first 1 .. 4 attributes, and with all subsets of that size
CREATE FUNCTION reid_k(keys name[], rules jsonb) RETURNS numeric LANGUAGE sql AS $$
  SELECT ((sdc.reid(l)).reid_k)::numeric FROM sdc.attack_transparency('rs_original', 'rs_masked', rules, 'id', keys) AS l
$$;
SELECT cardinality(k) AS known, round(avg(reid_k(k, :'swapped')), 4) AS reid_k
FROM (SELECT array_remove(ARRAY[CASE WHEN s & 1 > 0 THEN 'a1' END, CASE WHEN s & 2 > 0 THEN 'a2' END,
        CASE WHEN s & 4 > 0 THEN 'a3' END, CASE WHEN s & 8 > 0 THEN 'a4' END], NULL)::name[] AS k
      FROM generate_series(1, 15) AS s) AS subsets GROUP BY 1 ORDER BY 1;
-- a bound that is too low leaves 9 of 10 nobody, one that is too high none
SELECT count(*) FILTER (WHERE candidates = 0) AS empty
FROM sdc.attack_transparency('rs_original', 'rs_masked', :'swapped', 'id', '{a1,a2,a3,a4}', '{"p_bound": 10}');
SELECT count(*) FILTER (WHERE candidates = 0) AS empty
FROM sdc.attack_transparency('rs_original', 'rs_masked', :'swapped', 'id', '{a1,a2,a3,a4}', '{"p_bound": {"a1": 30, "a3": 30}}');
-- EX-RS-7: distance alone finds half, and nothing of it is certain
SELECT (sdc.reid(l)).* FROM sdc.attack_distance('rs_original', 'rs_masked', 'id', '{a1,a2,a3,a4}') AS l;
-- and in the report
SELECT measure, subject, value FROM sdc.disclosure_report('rs_original', 'rs_masked', 'id', '{a1,a2,a3,a4}', rules => :'swapped')
WHERE subject = 'transparency';
SELECT measure, detail FROM sdc.disclosure_report('rs_original', 'rs_masked', 'id', '{a1,a2,a3,a4}', rules => :'swapped', measures => '{transparency}');
SELECT count(*) FROM sdc.disclosure_report('rs_original', 'rs_masked', 'id', '{a1,a2,a3,a4}', measures => '{transparency}') WHERE subject = 'transparency';

-- Every method, with ties, NULLs and strata.
CREATE FUNCTION draw(i bigint, salt bigint, values_of bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT (((i * 2654435761 + salt * 40503) % 4294967296 * 69069 + 12345) % 4294967296 / 65536) % values_of $$;
SELECT sdc.create_hierarchy('tens', 'numeric', '{"widths": [10, 30]}');
CREATE TABLE people AS
SELECT i AS id, 'r' || draw(i, 1, 3) AS region, nullif(draw(i, 2, 40), 7)::int AS swap,
       nullif(draw(i, 3, 300), 70)::numeric AS bucket, 'n' || lpad(draw(i, 4, 90)::text, 2, '0') AS distribution,
       nullif(draw(i, 5, 500), 70) / 8.0::float8 AS mean, draw(i, 6, 30)::int AS sorted,
       draw(i, 7, 900)::float8 AS x, nullif(draw(i, 8, 700), 5)::numeric(10,2) AS y, date '2020-01-01' + draw(i, 8, 400)::int AS z,
       draw(i, 9, 1000)::float8 AS normal, nullif(draw(i, 10, 800), 3)::int AS laplace, draw(i, 11, 600)::numeric AS uniform,
       draw(i, 12, 400)::float8 AS u, nullif(draw(i, 13, 400), 4)::float8 AS v,
       nullif(draw(i, 14, 9), 4) AS shuffled, 'c' || draw(i, 15, 6) AS coded, 'c' || draw(i, 16, 6) AS same,
       draw(i, 17, 100)::int AS top, draw(i, 18, 100) / 4.0 AS bottom, (draw(i, 19, 100) - 50) / 4.0 AS near,
       nullif(draw(i, 20, 100) - 50, 9) / 4.0 AS random, draw(i, 21, 80)::int AS age, nullif('zip' || draw(i, 22, 40), 'zip9') AS zip,
       ('10.0.' || draw(i, 23, 8) || '.' || draw(i, 24, 250))::inet AS address,
       draw(i, 25, 5) AS hidden, draw(i, 26, 50) AS name, draw(i, 27, 7) AS fixed, draw(i, 28, 7) AS gone,
       draw(i, 29, 4) AS kept, draw(i, 30, 3) AS unruled,
       nullif(date '1990-01-01' + draw(i, 31, 3000)::int, '1995-05-05') AS moved, repeat('a', draw(i, 32, 60)::int) AS note, 'b' || draw(i, 33, 9) AS nick,
       nullif('t' || draw(i, 35, 5), 't4') AS turned, draw(i, 36, 400)::float8 AS rotated, draw(i, 36, 400) + draw(i, 40, 300) AS drawn,
       nullif(exp(draw(i, 37, 400) / 60.0)::int, 4) AS outlying, i / 2 AS home, 'u' || draw(i / 2, 38, 3) AS county,
       'u' || draw(i / 2, 38, 3) || nullif(draw(i / 2, 39, 4), 2) AS town,
       CASE WHEN i % 20 > 0 THEN point(179 + draw(i, 41, 200) / 100.0 - CASE WHEN draw(i, 41, 200) > 100 THEN 360 ELSE 0 END, draw(i, 42, 300) / 100.0) END AS place,
       point(draw(i, 43, 90), draw(i, 44, 90)) AS spot
FROM generate_series(1, 240) AS i;
\set rules '{"turned":{"method":"pram_matrix","strata":["region"],"matrix":{"t0":{"t0":0.5,"t1":0.5},"t1":{"t1":1},"t2":{"t2":0.9,"t3":0.1},"t3":{"t0":0.2,"t3":0.8}}},"rotated":{"method":"romm","alpha":0.2},"drawn":{"method":"data_shuffle","given":["rotated"]},"outlying":{"method":"outlier_noise","alpha":0.3,"threshold":1,"strata":["region"]},"county,town":{"method":"record_swap","p":30,"k":2,"household":"home","risk":["kept"]},"swap":{"method":"rank_swap","p":12.5,"strata":["region"]},"bucket":{"method":"rank_swap","p":10,"variant":"buckets"},"distribution":{"method":"rank_swap","p":8,"variant":"distribution","strata":["region"]},"mean":{"method":"microaggregate","k":4,"strata":["region"]},"sorted":{"method":"microaggregate","k":3,"variant":"sorted"},"x,y,z":{"method":"microaggregate","k":3,"strata":["region"]},"normal":{"method":"add_noise","alpha":0.01,"strata":["region"]},"laplace":{"method":"add_noise","alpha":0.01,"variant":"laplace"},"uniform":{"method":"add_noise","alpha":0.02,"variant":"uniform"},"u,v":{"method":"add_noise","alpha":0.05},"shuffled":{"method":"shuffle","strata":["region"]},"coded":{"method":"pram","p":70,"strata":["region"]},"same":{"method":"pram","p":100},"top":{"method":"top_code","upper":70},"bottom":{"method":"bottom_code","lower":"3.5"},"near":{"method":"round_to","base":2.5},"random":{"method":"round_to","base":2.5,"random":true},"age":{"method":"generalize","hierarchy":"tens","level":1},"zip":{"method":"mask_text","keep":4,"fill":"#"},"address":{"method":"mask_inet","keep":24},"hidden":{"method":"suppress","k":3},"name":{"method":"pseudonym","domain":"d"},"moved":{"method":"shift","domain":"d","days":20},"note":{"method":"fake","kind":"text","domain":"d"},"nick":{"method":"fake","kind":"login","domain":"d"},"fixed":{"method":"constant","value":1},"gone":{"method":"null"},"place":{"method":"donut","inner":10000,"outer":30000,"variant":"earth"},"spot":{"method":"donut","inner":2,"outer":9},"region,kept":{"method":"keep"}}'
\set keys '{swap,bucket,distribution,mean,sorted,x,y,z,normal,laplace,uniform,u,v,shuffled,coded,same,top,bottom,near,random,age,zip,address,hidden,name,fixed,gone,region,kept,unruled,moved,note,nick,turned,rotated,drawn,outlying,county,town,place,spot}'
CREATE TABLE masked AS
SELECT id, region, sdc.rank_swap(swap, 12.5, seed => 1) OVER s AS swap, sdc.rank_swap(bucket, 10, 'buckets', 2) OVER w AS bucket,
       sdc.rank_swap(distribution, 8, 'distribution', 3) OVER s AS distribution,
       sdc.microaggregate(mean, 4) OVER s AS mean, (sdc.microaggregate(sorted, 3, 'sorted') OVER w)::int AS sorted,
       CASE WHEN g IS NOT NULL THEN avg(x) OVER gs END AS x, CAST(CASE WHEN g IS NOT NULL THEN avg(y::float8) OVER gs END AS numeric(10,2)) AS y,
       CASE WHEN g IS NOT NULL THEN date '2000-01-01' + (avg((z - date '2000-01-01')::float8) OVER gs)::int END AS z,
       sdc.add_noise(normal, 0.01, seed => 4) OVER s AS normal,
       (sdc.add_noise(laplace, 0.01, 'laplace', 5) OVER w)::int AS laplace,
       (sdc.add_noise(uniform::float8, 0.02, 'uniform', 6) OVER w)::numeric AS uniform, uv[1] AS u, uv[2] AS v,
       sdc.shuffle(shuffled, 7) OVER s AS shuffled, sdc.pram(coded, 70, seed => 8) OVER s AS coded,
       sdc.pram(same, 100) OVER w AS same, sdc.top_code(top, 70) AS top, sdc.bottom_code(bottom, 3.5) AS bottom,
       sdc.round_to(near, 2.5) AS near, sdc.round_to(random, 2.5, 9)::numeric(10,3) AS random, sdc.generalize(age, 'tens', 1) AS age,
       sdc.mask_text(zip, 4, '#') AS zip, sdc.mask_inet(address, 24) AS address,
       CASE WHEN id % 5 > 0 THEN hidden END AS hidden, md5(name::text) AS name, 1 AS fixed, NULL::bigint AS gone, kept, unruled,
       moved + draw(id, 34, 41)::int - 20 AS moved, repeat('x', (length(note) + 7) / 8 * 8)::varchar(90) AS note, md5(nick) AS nick,
       sdc.pram_matrix(turned, '{"t0": {"t0": 0.5, "t1": 0.5}, "t1": {"t1": 1}, "t2": {"t2": 0.9, "t3": 0.1}, "t3": {"t0": 0.2, "t3": 0.8}}', seed => 11) OVER s AS turned,
       (sdc.romm(ROW(rotated), 0.2, seed => 12) OVER w)[1] AS rotated,
       (sdc.data_shuffle(ROW(drawn, rotated), 1, 15) OVER w)[1]::bigint AS drawn,
       (sdc.outlier_noise(outlying, 0.3, 1, 13) OVER s)::int AS outlying, swapped[1] AS county, swapped[2] AS town,
       sdc.donut(p.place, 10000, 30000, 'earth', 16) OVER w AS place, sdc.donut(p.spot, 2, 9, seed => 17) OVER w AS spot
FROM (SELECT *, sdc.microaggregate_group(ROW(x, y, z), 3) OVER (PARTITION BY region) AS g,
             sdc.add_noise(ROW(u, v), 0.05, seed => 10) OVER () AS uv,
             sdc.record_swap(ARRAY[county, town], home::text, ARRAY[kept::text], '{}', 30, 2, 14) OVER () AS swapped FROM people) AS p
WINDOW w AS (ORDER BY id), s AS (PARTITION BY region ORDER BY id), gs AS (PARTITION BY region, g);
CREATE TABLE sets AS SELECT * FROM sdc.candidate_sets('people', 'masked', :'rules', 'id', :'keys');
-- its own record is in every set of every record
SELECT subject, method, bool_and(exact) AS exact, bool_and(contains_own) AS contains_own,
       min(candidates), max(candidates), round(avg(candidates), 2) AS mean
FROM sets GROUP BY subject, method ORDER BY subject COLLATE "C";

-- a method without its attack, or without its line here, is noticed
DO $$
DECLARE
  hint text;
BEGIN
  PERFORM sdc.candidate_sets('people', 'masked', '{"swap":{"method":"?"}}', 'id', '{swap}');
EXCEPTION WHEN invalid_parameter_value THEN
  GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
  CREATE TABLE listed AS SELECT regexp_split_to_table(substring(hint FROM 'Methods are (.*)\.'), ', ') AS method;
END $$;
SELECT count(*) > 10 AS methods, count(*) FILTER (WHERE method NOT IN (SELECT method FROM sets WHERE method IS NOT NULL)) AS not_in_sets,
       string_agg(method, ', ') FILTER (WHERE method NOT IN (SELECT method FROM sets WHERE method IS NOT NULL)) AS of_rows
FROM listed;

-- All pairs: B_j(x) from its definition.
CREATE FUNCTION differences(subject_of text, condition text) RETURNS TABLE (subject text, pairs bigint, differ bigint) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format($q$
    WITH want AS (SELECT o.id::text AS id, count(*) FILTER (WHERE %s) AS candidates FROM o, m GROUP BY o.id)
    SELECT %L, sum(want.candidates)::bigint, count(*) FILTER (WHERE want.candidates <> sets.candidates)
    FROM want JOIN sets USING (id) WHERE sets.subject = %L $q$, condition, subject_of, subject_of);
END $$;
CREATE VIEW o AS SELECT *, avg(laplace) OVER () AS laplace_mean, stddev(uniform) OVER () AS uniform_sd FROM people;
-- ranks of masked values in their stratum, ties being intervals
CREATE VIEW m AS SELECT *,
       rank() OVER (PARTITION BY region, swap IS NULL ORDER BY swap) AS low,
       count(*) OVER (PARTITION BY region, swap IS NULL ORDER BY swap) AS high,
       floor(count(swap) OVER (PARTITION BY region) * 12.5 / 100) AS w FROM masked;
SELECT * FROM differences('swap', $$ o.region = m.region AND (o.swap IS NULL AND m.swap IS NULL OR
  m.low <= w + (SELECT count(*) FROM people x WHERE x.region = o.region AND x.swap <= o.swap) AND
  m.high >= 1 - w + (SELECT count(*) FROM people x WHERE x.region = o.region AND x.swap < o.swap) AND
  m.swap IS NOT NULL AND o.swap IS NOT NULL) $$);
SELECT * FROM differences('bucket', '(o.bucket IS NULL) = (m.bucket IS NULL)');
SELECT * FROM differences('distribution', '(o.distribution IS NULL) = (m.distribution IS NULL) AND o.region = m.region');
SELECT * FROM differences('shuffled', '(o.shuffled IS NULL) = (m.shuffled IS NULL) AND o.region = m.region');
SELECT * FROM differences('coded', 'o.region = m.region');
SELECT * FROM differences('same', 'o.same = m.same');
SELECT * FROM differences('turned', $$ o.region = m.region AND (o.turned IS NULL AND m.turned IS NULL OR
  m.turned BETWEEN CASE o.turned WHEN 't3' THEN 't0' ELSE o.turned END AND CASE o.turned WHEN 't0' THEN 't1' WHEN 't2' THEN 't3' ELSE o.turned END) $$);
SELECT * FROM differences('rotated', 'true');
SELECT * FROM differences('top', 'least(o.top, 70) = m.top');
SELECT * FROM differences('bottom', 'greatest(o.bottom, 3.5) = m.bottom');
SELECT * FROM differences('near', 'round(o.near / 2.5) * 2.5 = m.near');
SELECT * FROM differences('random', '(o.random IS NULL AND m.random IS NULL) OR abs(o.random - m.random) < 2.5');
SELECT * FROM differences('age', $$ m.age = sdc.generalize(o.age, 'tens', 1) $$);
SELECT * FROM differences('zip', 'left(o.zip, 4) IS NOT DISTINCT FROM left(m.zip, 4) AND length(o.zip) IS NOT DISTINCT FROM length(m.zip)');
SELECT * FROM differences('address', 'm.address >>= host(o.address)::inet');
SELECT * FROM differences('hidden', 'm.hidden IS NULL OR m.hidden = o.hidden');
SELECT * FROM differences('kept', 'm.kept = o.kept');
SELECT * FROM differences('unruled', 'm.unruled = o.unruled');
SELECT * FROM differences('name', 'true');
SELECT * FROM differences('uniform', 'abs(o.uniform - m.uniform) <= sqrt(3 * 0.02) * o.uniform_sd');
-- one column of means: the neighbours of x among those released in the stratum
SELECT * FROM differences('mean', $$ o.region = m.region AND (o.mean IS NULL AND m.mean IS NULL OR
  m.mean = (SELECT max(x.mean) FROM masked x WHERE x.region = o.region AND x.mean <= o.mean) OR
  m.mean = (SELECT min(x.mean) FROM masked x WHERE x.region = o.region AND x.mean >= o.mean)) $$);
-- several: the records of the same group, or none of their values
SELECT * FROM differences('x,y,z', $$ o.region = m.region AND
  (m.x, m.y, m.z) IS NOT DISTINCT FROM (SELECT (x.x, x.y, x.z) FROM masked x WHERE x.id = o.id) $$);

-- The intersection is what every set has; more keys never enlarge it.
CREATE FUNCTION sizes(keys name[], rules jsonb) RETURNS TABLE (id text, candidates bigint, own boolean) LANGUAGE sql AS
$$ SELECT id, candidates, contains_own FROM sdc.candidate_sets('people', 'masked', rules, 'id', keys) WHERE subject = '*' $$;
SELECT n, round(avg(now.candidates), 3) AS mean, bool_and(now.own) AS own, count(*) FILTER (WHERE now.candidates > before.candidates) AS enlarged
FROM generate_series(2, cardinality(:'keys'::name[])) AS n,
     sizes((:'keys'::name[])[1:n], :'rules') AS now JOIN LATERAL sizes((:'keys'::name[])[1:n - 1], :'rules') AS before ON before.id = now.id
WHERE n IN (2, 3, 6, 8, 14) GROUP BY n ORDER BY n;
WITH want AS (SELECT o.id::text AS id, count(*) AS candidates FROM o, m
       WHERE least(o.top, 70) = m.top AND o.kept = m.kept AND (m.hidden IS NULL OR m.hidden = o.hidden) AND o.region = m.region GROUP BY o.id)
SELECT count(*), count(*) FILTER (WHERE want.candidates <> got.candidates) AS differ
FROM want JOIN sizes('{top,kept,hidden,region}', :'rules') AS got USING (id);

-- Links: probabilities add up to 1, the best comes first, certain means right.
CREATE TABLE links AS SELECT row_number() OVER () AS n, l.* FROM sdc.attack_transparency('people', 'masked', :'rules', 'id', '{swap,top,random,normal}', '{"max_candidates": 3}') AS l;
SELECT count(DISTINCT id) AS records, bool_and(total) AS add_up, bool_and(at_most) AS at_most_3, sum(own) AS own_named, bool_or(certain_wrong) AS certain_wrong
FROM (SELECT id, abs(sum(probability) - 1) < 1e-9 AS total, count(linked_id) <= 3 AS at_most, count(*) FILTER (WHERE id = linked_id) AS own,
             bool_or(certain AND NOT correct) AS certain_wrong FROM links GROUP BY id) AS s;
SELECT (sdc.reid(l)).reid_d >= d.reid_d AS rsld_not_below_dld, (sdc.reid(l)).claim_precision
FROM sdc.attack_transparency('people', 'masked', :'rules', 'id', '{swap,top,random,kept}') AS l,
     (SELECT (sdc.reid(l)).reid_d FROM sdc.attack_distance('people', 'masked', 'id', '{swap,top,random,kept}') AS l) AS d GROUP BY d.reid_d;
-- pram: the posterior of a known matrix
WITH v AS (SELECT region, coded, count(*)::float8 / sum(count(*)) OVER (PARTITION BY region) AS share FROM masked GROUP BY 1, 2),
     w AS (SELECT o.id::text AS id, m.id::text AS linked_id, (0.7 * (o.coded = m.coded)::int + 0.3 * v.share) AS weight
           FROM o JOIN m USING (region) JOIN v ON v.region = m.region AND v.coded = m.coded),
     p AS (SELECT *, weight / sum(weight) OVER (PARTITION BY id) AS probability FROM w)
SELECT count(*), max(abs(p.probability - l.probability)) < 1e-12 AS agree
FROM sdc.attack_transparency('people', 'masked', :'rules', 'id', '{coded}', '{"max_candidates": 1000}') AS l JOIN p USING (id, linked_id);
-- normal noise: the density of the difference
WITH w AS (SELECT o.id::text AS id, m.id::text AS linked_id, exp(-(((o.normal - m.normal) / s.sd) ^ 2) / 2) AS weight
           FROM o JOIN m USING (region) JOIN (SELECT region, sqrt(0.01) * stddev(normal) AS sd FROM people GROUP BY region) AS s USING (region)),
     p AS (SELECT *, weight / sum(weight) OVER (PARTITION BY id) AS probability FROM w)
SELECT count(*) > 0 AS some, max(abs(p.probability - l.probability)) < 1e-8 AS agree, bool_or(l.certain) AS certain
FROM sdc.attack_transparency('people', 'masked', :'rules', 'id', '{normal}', '{"max_candidates": 1000, "delta": 1e-99}') AS l JOIN p USING (id, linked_id);

-- the order of the rows does not show
CREATE TABLE people_moved AS SELECT * FROM people ORDER BY draw(id, 40, 60000);
CREATE TABLE masked_moved AS SELECT * FROM masked ORDER BY draw(id, 41, 60000);
SELECT count(*) FROM (SELECT * FROM sets EXCEPT ALL SELECT * FROM sdc.candidate_sets('people_moved', 'masked_moved', :'rules', 'id', :'keys')) AS d;
SELECT count(*) FROM (SELECT * FROM sdc.attack_transparency('people', 'masked', :'rules', 'id', '{swap,bucket,normal}')
  EXCEPT ALL SELECT * FROM sdc.attack_transparency('people_moved', 'masked_moved', :'rules', 'id', '{swap,bucket,normal}')) AS d;

-- strata that are not shown: the values still tell, and the own record is inside
CREATE VIEW no_region AS SELECT id, swap, mean, x, y, z, normal, shuffled, coded FROM masked;
SELECT subject, bool_and(exact) AS exact, bool_and(contains_own) AS contains_own, max(candidates) AS max
FROM sdc.candidate_sets('people', 'no_region', :'rules', 'id', '{swap,mean,x,y,z,normal,shuffled,coded}') GROUP BY subject ORDER BY subject COLLATE "C";
-- and strata that were masked themselves are as good as not shown
CREATE VIEW other_region AS SELECT id, swap, 'r0'::text AS region FROM masked;
SELECT subject, bool_and(contains_own) AS contains_own, sum(candidates)
FROM sdc.candidate_sets('people', 'other_region', :'rules', 'id', '{swap}') GROUP BY subject ORDER BY subject;
SELECT sum(candidates) FROM sdc.candidate_sets('people', 'no_region', :'rules', 'id', '{swap}') WHERE subject = 'swap';

-- a sample: nobody is certain, and half of the probability is that of absence
CREATE TABLE sampled AS SELECT id, region, kept, sdc.rank_swap(swap, 12.5, seed => 1) OVER (PARTITION BY region ORDER BY id) AS swap,
  CASE WHEN g IS NOT NULL THEN avg(x) OVER gs END AS x, CASE WHEN g IS NOT NULL THEN avg(y) OVER gs END AS y
FROM (SELECT *, sdc.microaggregate_group(ROW(x, y), 3) OVER (PARTITION BY region ORDER BY id) AS g FROM people WHERE id % 2 = 0) AS p WINDOW gs AS (PARTITION BY region, g);
\set sampled '{"*":{"method":"sample_rows","p":50},"swap":{"method":"rank_swap","p":12.5,"strata":"region"},"x,y":{"method":"microaggregate","k":3,"strata":"region"},"kept":{"method":"keep"}}'
SELECT subject, bool_and(exact) AS exact, bool_and(contains_own) AS contains_own, count(*) FILTER (WHERE contains_own IS NULL) AS absent
FROM sdc.candidate_sets('people', 'sampled', :'sampled', 'id', '{swap,x,y,kept}') GROUP BY subject ORDER BY subject COLLATE "C";
SELECT bool_or(certain) AS certain, round(min(total)::numeric, 9) AS min, round(max(total)::numeric, 9) AS max, round(min(absent)::numeric, 9) AS absent FROM (SELECT id, bool_or(certain) AS certain, sum(probability) AS total,
  sum(probability) FILTER (WHERE linked_id IS NULL) AS absent FROM sdc.attack_transparency('people', 'sampled', :'sampled', 'id', '{swap,x,y,kept}', '{"max_candidates": 1000}') GROUP BY id) AS s;

-- the same rules as sdc.mask applies them, alone and to a sample
SELECT count(*) > 0 AS masked FROM sdc.mask('people', :'rules'::jsonb - 'name', 'by_mask', 'id', seed => 1);
SELECT count(*) AS subjects, bool_and(contains_own) AS contains_own, string_agg(subject, ' ' ORDER BY subject COLLATE "C") FILTER (WHERE NOT exact) AS not_exact
FROM (SELECT subject, bool_and(contains_own) AS contains_own, bool_and(exact) AS exact
      FROM sdc.candidate_sets('people', 'by_mask', :'rules'::jsonb - 'name', 'id', array_remove(:'keys'::name[], 'name')) GROUP BY subject) AS s;
SELECT count(*) > 0 AS masked FROM sdc.mask('people', :'rules'::jsonb - 'name' || '{"*":{"method":"sample_rows","p":40}}', 'sample_by_mask', 'id', seed => 2);
SELECT count(*) AS subjects, bool_and(contains_own) AS contains_own
FROM (SELECT subject, bool_and(contains_own) AS contains_own
      FROM sdc.candidate_sets('people', 'sample_by_mask', :'rules'::jsonb - 'name' || '{"*":{"method":"sample_rows","p":40}}', 'id', array_remove(:'keys'::name[], 'name')) GROUP BY subject) AS s;
DROP TABLE by_mask, sample_by_mask;

-- only some columns of a group are known: distance has to tell
SELECT subject, bool_and(exact) AS exact, bool_and(contains_own) AS contains_own, min(candidates)
FROM sdc.candidate_sets('people', 'masked', :'rules', 'id', '{x,z}') GROUP BY subject ORDER BY subject COLLATE "C";
-- the order of the keys is not that of the rule
SELECT subject, bool_and(exact) AS exact, max(candidates) FROM sdc.candidate_sets('people', 'masked', :'rules', 'id', '{z,x,y}') GROUP BY subject ORDER BY subject COLLATE "C";
-- a wrong k is noticed: the groups do not come out
SELECT subject, bool_and(exact) AS exact, bool_and(contains_own) AS contains_own
FROM sdc.candidate_sets('people', 'masked', '{"x,y,z":{"method":"microaggregate","k":5,"strata":["region"]}}', 'id', '{x,y,z}') GROUP BY subject ORDER BY subject COLLATE "C";

-- boxes of median cuts are found again
SELECT count(*) > 0 AS masked FROM sdc.mask('people', '{"x,y,z":{"method":"microaggregate","k":4,"variant":"mondrian"}}', target => 'boxed', seed => 1);
SELECT subject, bool_and(exact) AS exact, bool_and(contains_own) AS contains_own, min(candidates) >= 4 AS at_least_k
FROM sdc.candidate_sets('people', 'boxed', '{"x,y,z":{"method":"microaggregate","k":4,"variant":"mondrian"}}', 'id', '{x,y,z}') GROUP BY subject ORDER BY subject COLLATE "C";
DROP TABLE boxed;

-- columns without a rule, with another name, of another type
SELECT subject, method, bool_and(exact) AS exact, min(candidates)
FROM sdc.candidate_sets('people', 'masked', '{}', 'id', '{shuffled}') GROUP BY 1, 2 ORDER BY 1;
CREATE VIEW renamed AS SELECT id AS nr, swap::text AS s, region, top::numeric AS t FROM masked;
SELECT count(*) FROM (SELECT subject, id, candidates FROM sdc.candidate_sets('people', 'renamed', :'rules', 'id', '{swap,top}', '{"map": {"id": "nr", "swap": "s", "top": "t"}}')
  WHERE subject <> '*' EXCEPT SELECT subject, id, candidates FROM sets) AS d;

-- few rows, or none
CREATE TABLE few (id int, a int, b float8, c float8);
CREATE TABLE few_masked (LIKE few);
\set few '{"a":{"method":"rank_swap","p":10},"b,c":{"method":"microaggregate","k":2}}'
SELECT * FROM sdc.candidate_sets('few', 'few_masked', :'few', 'id', '{a,b,c}');
INSERT INTO few VALUES (1, 1, NULL, NULL);
SELECT * FROM sdc.attack_transparency('few', 'few_masked', :'few', 'id', '{a,b,c}');
INSERT INTO few_masked VALUES (1, 1, NULL, NULL);
SELECT * FROM sdc.attack_transparency('few', 'few_masked', :'few', 'id', '{a,b,c}');
INSERT INTO few VALUES (2, 1, 5, 6);
INSERT INTO few_masked VALUES (2, 1, 5, 6);
SELECT * FROM sdc.candidate_sets('few', 'few_masked', :'few', 'id', '{a,b,c}');

-- More columns in one rule than can be grouped again: distance has to tell.
SELECT format('CREATE TABLE wide AS SELECT i AS id, %s FROM generate_series(1, 6) AS i',
  string_agg(format('(i * %s %% 7)::float8 AS c%1$s', j), ', ')) AS make FROM generate_series(1, 100) AS j \gset
:make;
SELECT array_agg('c' || j) AS keys, jsonb_build_object(string_agg('c' || j, ','), '{"method":"microaggregate","k":2}'::jsonb) AS rules
FROM generate_series(1, 100) AS j \gset wide_
SELECT min(candidates), count(*) FILTER (WHERE correct)
FROM sdc.attack_transparency('wide', 'wide', :'wide_rules', 'id', :'wide_keys') WHERE linked_id = id;
DROP TABLE wide;

-- Labels that are on several levels, "*" as a value, and NULL, which becomes
-- "*" where it is suppressed: nobody is excluded from the own record.
CREATE TABLE labels (value text, label1 text, label2 text, label3 text);
INSERT INTO labels VALUES ('a1', 'A', 'X', '*'), ('a2', 'A', 'X', '*'), ('x', 'X', 'X', '*'),
  ('b', 'B', 'b', '*'), ('b2', 'b', 'Y', '*'), ('c1', 'C', '*', '*'), ('c2', 'C', '*', '*');
SELECT sdc.create_hierarchy('uneven', 'table', '{"relation": "labels", "levels": ["value", "label1", "label2", "label3"]}');
CREATE TABLE uneven (id int, v text, w text);
INSERT INTO uneven VALUES (1, 'a1', 'p'), (2, 'a2', 'q'), (3, 'x', 'r'), (4, 'b', 's'), (5, 'c1', '*'), (6, NULL, 'u'), (7, 'b2', NULL), (8, 'c2', 'z'), (9, NULL, NULL);
CREATE TABLE uneven_masked (id int, v text, w text);
INSERT INTO uneven_masked VALUES (1, 'A', 'p'), (2, 'X', '*'), (3, 'X', 'r'), (4, 'b', 's'), (5, '*', '*'), (6, NULL, 'u'), (7, 'b', NULL), (8, 'C', '*'), (9, '*', '*');
\set rules '{"v,w": {"method": "recode_locally", "k": 2, "hierarchies": {"v": "uneven"}}}'
SELECT key, count(*) AS own FROM unnest('{v,w}'::text[]) AS key,
  sdc.attack_transparency('uneven', 'uneven_masked', :'rules', 'id', ARRAY[key]) WHERE linked_id = id GROUP BY key ORDER BY key;
SELECT linked_id FROM sdc.attack_transparency('uneven', 'uneven_masked', :'rules', 'id', '{v}') WHERE id = '3' ORDER BY linked_id;
SELECT key, count(*) AS own, min(probability) > 0.05 AS possible FROM unnest('{v,w}'::text[]) AS key,
  sdc.attack_likelihood('uneven', 'uneven_masked', :'rules', 'id', ARRAY[key], seed => 1) WHERE linked_id = id GROUP BY key ORDER BY key;
DROP TABLE labels, uneven, uneven_masked;
SELECT sdc.drop_hierarchy('uneven');

-- arguments
SELECT sdc.candidate_sets(NULL, 'few', '{}', 'id', '{a}');
SELECT sdc.attack_transparency('few', 'few', NULL, 'id', '{a}');
SELECT sdc.attack_transparency('few', 'few', '{}', 'id', '{nobody}');
SELECT sdc.attack_transparency('few', 'few', '{"a":{"method":"rank_swap","p":101}}', 'id', '{a}');
SELECT sdc.attack_transparency('few', 'few', '{"a":{"method":"rank_swap","p":1,"variant":"no"}}', 'id', '{a}');
SELECT sdc.attack_transparency('few', 'few', '{}', 'id', '{a}', '{"bound": 1}');
SELECT sdc.attack_transparency('few', 'few', '{}', 'id', '{a}', '{"map": {"b": "c"}}');
SELECT sdc.attack_transparency('people', 'masked', '{"zip":{"method":"add_noise","alpha":1}}', 'id', '{zip}');

DROP VIEW o, m, no_region, other_region, renamed;
DROP TABLE rs_original, rs_masked, people, masked, sets, listed, links, people_moved, masked_moved, sampled, few, few_masked;
DROP FUNCTION reid_k, draw, differences, sizes;
SELECT sdc.drop_hierarchy('tens');
SELECT sdc.forget_pseudonyms('d');
