-- likelihood_parts: whoever the intruder knows and whatever he knows of them,
-- each person by himself is found as in the attack on everybody.
CREATE FUNCTION noise(i bigint, salt bigint, values_of bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT (((i * 2654435761 + salt * 40503) % 4294967296 * 69069 + 12345) % 4294967296 / 65536) % values_of $$;
CREATE TABLE people AS
SELECT i AS id, noise(i, 1, 30000)::float8 AS a, noise(i, 2, 30000)::float8 AS b, noise(i, 3, 50)::int AS c, noise(i, 4, 30000)::float8 AS d, noise(i, 5, 6)::int AS e
FROM generate_series(1, 300) AS i;
CREATE TABLE masked AS
SELECT id, sdc.rank_swap(a, 6, seed => 1) OVER (ORDER BY id) AS a, sdc.rank_swap(b, 10, 'distribution', seed => 2) OVER (ORDER BY id) AS b,
       sdc.rank_swap(c, 8, seed => 3) OVER (ORDER BY id) AS c, sdc.add_noise(d, 0.02, seed => 4) OVER (ORDER BY id) AS d, e
FROM people;
-- 20 intruders: some rows and some columns, by a generator that is the same everywhere
CREATE TABLE intruder AS
SELECT s, ARRAY(SELECT k FROM unnest('{a,b,c,d,e}'::name[]) WITH ORDINALITY AS u(k, o) WHERE noise(s, 20 + o, 5) < 3 OR noise(s, 30, 5) = o - 1) AS keys,
       20 + 5 * (s % 10) AS percent
FROM generate_series(1, 20) AS s;
CREATE VIEW known AS SELECT p.* FROM people AS p, intruder AS n
WHERE n.s = current_setting('sdc_test.intruder')::int AND noise(p.id, 100 + n.s, 100) < n.percent;
CREATE TABLE outcome(s int, part boolean, id text, linked_id text, probability float8, correct boolean);
DO $$
DECLARE n record;
BEGIN
  FOR n IN SELECT * FROM intruder ORDER BY s LOOP
    PERFORM set_config('sdc_test.intruder', n.s::text, false);
    INSERT INTO outcome SELECT n.s, f.part, l.id, l.linked_id, l.probability, l.correct
    FROM (VALUES ('known'::regclass, true), ('people', false)) AS f(original, part),
      sdc.attack_likelihood(f.original, 'masked', '{"a": {"method": "rank_swap", "p": 6}, "b": {"method": "rank_swap", "p": 10, "variant": "distribution"},
        "c": {"method": "rank_swap", "p": 8}, "d": {"method": "add_noise", "alpha": 0.02}}', 'id', n.keys, '{"assignment": "none", "ranks": "masked", "max_candidates": 1, "released": false}', 1) AS l;
  END LOOP;
END $$;
SELECT count(DISTINCT s) AS intruders, count(*) AS persons, count(*) FILTER (WHERE p.correct) AS found, count(*) FILTER (WHERE w.correct) AS found_in_whole,
       count(*) FILTER (WHERE p.correct <> w.correct) AS differ
FROM (SELECT s, id, bool_or(correct) AS correct FROM outcome WHERE part GROUP BY s, id) AS p
JOIN (SELECT s, id, bool_or(correct) AS correct FROM outcome WHERE NOT part GROUP BY s, id) AS w USING (s, id);
-- the other way round: what a release of some rows, cut after the mask, shows
-- of its people, with ranks of the original: with fewer to be mistaken for, nobody
-- found in the whole is lost
CREATE VIEW cut AS SELECT * FROM masked WHERE a > 20000;
SELECT count(*) FILTER (WHERE l.id IN (SELECT id::text FROM cut)) AS released, count(*) FILTER (WHERE l.correct) AS found,
       count(*) FILTER (WHERE w.correct AND NOT l.correct AND l.id IN (SELECT id::text FROM cut)) AS lost
FROM sdc.attack_likelihood('people', 'cut', '{"a": {"method": "rank_swap", "p": 6}, "c": {"method": "rank_swap", "p": 8}}', 'id', '{a,c,e}',
       '{"assignment": "none", "ranks": "original", "max_candidates": 1, "released": false}', 1) AS l
JOIN sdc.attack_likelihood('people', 'masked', '{"a": {"method": "rank_swap", "p": 6}, "c": {"method": "rank_swap", "p": 8}}', 'id', '{a,c,e}',
       '{"assignment": "none", "ranks": "original", "max_candidates": 1, "released": false}', 1) AS w USING (id)
WHERE l.linked_id IS NOT NULL AND w.linked_id IS NOT NULL;
DROP VIEW cut, known;
DROP TABLE people, masked, intruder, outcome;
DROP FUNCTION noise;
