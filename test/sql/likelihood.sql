-- attack_likelihood: each law against what is known of it, invariants, errors
\set VERBOSITY terse
CREATE TABLE people AS
SELECT i AS id,
       (i * 7919 % 4001)::int AS income,
       (i * 104729 % 3001)::int + (i * 7919 % 4001)::int / 8 AS savings,
       (i * 31 % 997)::float8 / 7 AS hours,
       i % 4 AS region,
       (ARRAY['a', 'b', 'c', 'd', 'e'])[1 + i * i % 5] AS job
FROM generate_series(1, 400) i;
ALTER TABLE people ADD PRIMARY KEY (id);

-- right links, by the intruder alone (one person at a time) and one to one;
-- the probabilities of each record add up to 1
CREATE FUNCTION found(original regclass, masked regclass, keys name[],
                      rules jsonb, params jsonb DEFAULT '{}',
                      OUT records bigint, OUT alone bigint,
                      OUT one_to_one bigint, OUT sums bigint)
LANGUAGE sql AS $$
WITH link AS (
    SELECT a.assignment, l.*
    FROM (VALUES ('none'), ('one_to_one')) a(assignment),
         sdc.attack_likelihood(original, masked, rules, 'id', keys,
             params || jsonb_build_object('assignment', a.assignment)) l),
person AS (
    SELECT assignment, id, bool_or(correct) AS correct,
           abs(sum(probability) - 1) < 1e-4 AS adds_up
    FROM link GROUP BY assignment, id)
SELECT count(*) FILTER (WHERE assignment = 'none'),
       count(*) FILTER (WHERE assignment = 'none' AND correct),
       count(*) FILTER (WHERE assignment = 'one_to_one' AND correct),
       count(*) FILTER (WHERE NOT adds_up)
FROM person
$$;

-- a mask and its attack, and the older attack by distance beside it
CREATE FUNCTION try(rules jsonb, keys name[] DEFAULT '{income,savings,hours}',
                    OUT records bigint, OUT alone bigint,
                    OUT one_to_one bigint, OUT sums bigint,
                    OUT distance bigint)
LANGUAGE plpgsql AS $$
BEGIN
    DROP TABLE IF EXISTS masked;
    PERFORM sdc.mask('people', rules, target => 'masked', seed => 4711);
    SELECT f.* INTO records, alone, one_to_one, sums
    FROM found('people', 'masked', keys, rules) f;
    SELECT count(*) INTO distance
    FROM sdc.attack_distance('people', 'masked', 'id',
                             '{income,savings,hours}') l
    WHERE l.correct;
END
$$;
SET client_min_messages = warning;

SELECT * FROM try('{"income": {"method": "rank_swap", "p": 10},
                    "savings": {"method": "rank_swap", "p": 10},
                    "hours": {"method": "rank_swap", "p": 10}}');
SELECT * FROM try('{"income": {"method": "rank_swap", "p": 20, "variant": "buckets"},
                    "savings": {"method": "rank_swap", "p": 20, "variant": "buckets"},
                    "hours": {"method": "rank_swap", "p": 20, "variant": "buckets"}}');
SELECT * FROM try('{"income": {"method": "rank_swap", "p": 10, "variant": "distribution"},
                    "savings": {"method": "rank_swap", "p": 10, "variant": "distribution"},
                    "hours": {"method": "rank_swap", "p": 10, "strata": ["region"]}}');
SELECT * FROM try('{"income": {"method": "add_noise", "alpha": 0.2},
                    "savings": {"method": "add_noise", "alpha": 0.2, "variant": "laplace"},
                    "hours": {"method": "add_noise", "alpha": 0.2, "variant": "uniform"}}');
SELECT * FROM try('{"income": {"method": "microaggregate", "k": 5},
                    "savings": {"method": "microaggregate", "k": 5},
                    "hours": {"method": "microaggregate", "k": 5}}');
SELECT * FROM try('{"income,savings,hours": {"method": "microaggregate", "k": 5}}');
SELECT * FROM try('{"income": {"method": "round_to", "base": 50},
                    "savings": {"method": "round_to", "base": 50, "random": true},
                    "hours": {"method": "top_code", "upper": 100}}');

-- columns shuffled independently tell nothing: chance is one of 400
SELECT records, alone <= 5 AS alone, one_to_one <= 5 AS one_to_one, sums
FROM try('{"income": {"method": "shuffle"}, "savings": {"method": "shuffle"},
           "hours": {"method": "shuffle"}}');

-- within strata the stratum is told
SELECT records, alone <= 12 AS alone, sums
FROM try('{"income": {"method": "shuffle", "strata": ["region"]}}',
         '{income,region}');

-- what is published as it is, is found
DROP TABLE masked;
CREATE TABLE masked AS SELECT * FROM people;
SELECT * FROM found('people', 'masked', '{income,savings,hours}', NULL);

-- the same, in any order of the rows, and by the seed
CREATE TABLE turned AS SELECT * FROM people ORDER BY md5(id::text);
SELECT count(*) AS different FROM (
    (SELECT * FROM sdc.attack_likelihood('people', 'masked', id => 'id', keys => '{job,region}')
     EXCEPT
     SELECT * FROM sdc.attack_likelihood('turned', 'masked', id => 'id', keys => '{job,region}'))
    UNION ALL
    (SELECT * FROM sdc.attack_likelihood('turned', 'masked', id => 'id', keys => '{job,region}')
     EXCEPT
     SELECT * FROM sdc.attack_likelihood('people', 'masked', id => 'id', keys => '{job,region}'))) d;

-- a sample that was swapped: who is in it, and where
DROP TABLE masked;
SELECT count(*) > 0 AS done FROM sdc.mask('people',
    '{"*": {"method": "sample_rows", "p": 20},
      "income": {"method": "rank_swap", "p": 5},
      "savings": {"method": "rank_swap", "p": 5},
      "hours": {"method": "rank_swap", "p": 5}}',
    target => 'masked', seed => 1);
WITH best AS (
    SELECT DISTINCT ON (id) id, linked_id, probability, correct
    FROM sdc.attack_likelihood('people', 'masked', id => 'id', keys => '{income,savings,hours}',
        rules => '{"*": {"method": "sample_rows", "p": 20},
          "income": {"method": "rank_swap", "p": 5},
          "savings": {"method": "rank_swap", "p": 5},
          "hours": {"method": "rank_swap", "p": 5}}')
    ORDER BY id, probability DESC)
SELECT count(*) AS persons, (SELECT count(*) FROM masked) AS released,
       count(*) FILTER (WHERE linked_id IS NOT NULL AND correct) >= 70 AS found,
       count(*) FILTER (WHERE linked_id IS NULL AND
                        id NOT IN (SELECT m.id::text FROM masked m)) >= 300 AS said_out
FROM best;

-- persons that the intruder does not know, and values that he does not know
DROP TABLE masked;
SELECT count(*) > 0 AS done FROM sdc.mask('people',
    '{"income": {"method": "rank_swap", "p": 10},
      "savings": {"method": "rank_swap", "p": 10}}',
    target => 'masked', seed => 2);
CREATE VIEW few AS
SELECT id, income, CASE WHEN id % 2 = 0 THEN savings END AS savings, hours
FROM people WHERE id <= 50;
SELECT * FROM found('few', 'masked', '{income,savings,hours}',
    '{"income": {"method": "rank_swap", "p": 10},
      "savings": {"method": "rank_swap", "p": 10}}', '{"nulls": "unknown"}');

-- cut after the mask: the ranks are those of the original
CREATE VIEW rich AS SELECT * FROM masked WHERE income > 3000;
SELECT ranks, (found('people', 'rich', '{income,savings}',
    '{"income": {"method": "rank_swap", "p": 10},
      "savings": {"method": "rank_swap", "p": 10}}',
    jsonb_build_object('ranks', ranks))).one_to_one
FROM (VALUES ('masked'), ('original'), ('likelier')) r(ranks);

-- p and variant that are not known
CREATE TABLE sixty AS SELECT * FROM people WHERE id <= 60;
SELECT count(*) > 0 AS done FROM sdc.mask('sixty',
    '{"income": {"method": "rank_swap", "p": 20},
      "savings": {"method": "rank_swap", "p": 20}}',
    target => 'masked_sixty', seed => 3);
SET client_min_messages = notice;
SELECT count(*) > 0 AS links
FROM sdc.attack_likelihood('sixty', 'masked_sixty', id => 'id', keys => '{income,savings}',
    rules => '{"income": {"method": "rank_swap", "p": 3},
      "savings": {"method": "rank_swap", "p": 3}}', params => '{"estimate": true}');
DROP TABLE masked_sixty, sixty;

-- beyond the budget
SELECT count(DISTINCT id) BETWEEN 1 AND 399 AS some
FROM sdc.attack_likelihood('people', 'masked', id => 'id', keys => '{income,savings}',
    rules => '{"income": {"method": "rank_swap", "p": 10},
      "savings": {"method": "rank_swap", "p": 10}}', params => '{"work": 4000}');

-- empty relations, and what must not be
CREATE VIEW nobody AS SELECT * FROM people WHERE false;
SELECT * FROM sdc.attack_likelihood('nobody', 'masked', id => 'id', keys => '{income}');
SELECT * FROM sdc.attack_likelihood('people', 'nobody', id => 'id', keys => '{income}');
SELECT * FROM sdc.attack_likelihood('people', 'masked', id => 'id', keys => NULL);
SELECT * FROM sdc.attack_likelihood('people', 'masked', id => 'id', keys => '{income}',
    params => '{"worker": 1}');
SELECT * FROM sdc.attack_likelihood('people', 'masked', id => 'id', keys => '{income}',
    params => '{"estimate": true}');
SELECT * FROM sdc.attack_likelihood('people', 'masked', id => 'id', keys => '{income}',
    rules => '{"income": {"method": "rank_swop"}}');
DROP TABLE people, turned, masked CASCADE;
DROP FUNCTION found(regclass, regclass, name[], jsonb, jsonb);
DROP FUNCTION try(jsonb, name[]);

-- where few are sure, lists are long without being asked for: others have the
-- records that are likelier alone
CREATE TABLE faint AS
SELECT i AS id, (hashint4(i) % 100003)::float8 AS a, (hashint4(i + 1000000) % 100003)::float8 AS b,
       (hashint4(i + 2000000) % 100003)::float8 AS c, (hashint4(i + 3000000) % 100003)::float8 AS d,
       (hashint4(i + 4000000) % 100003)::float8 AS e, (hashint4(i + 5000000) % 100003)::float8 AS f
FROM generate_series(1, 500) AS i;
SELECT jsonb_object_agg(k, '{"method": "add_noise", "alpha": 0.7}'::jsonb) AS faintly
FROM unnest('{a,b,c,d,e,f}'::text[]) AS k \gset
SELECT count(*) > 0 AS done FROM sdc.mask('faint', :'faintly', target => 'fainter', id => 'id', seed => 1);
WITH f AS (
    SELECT room, count(*) FILTER (WHERE correct) AS found
    FROM unnest('{64,256,null}'::int[]) AS room,
         sdc.attack_likelihood('faint', 'fainter', :'faintly', 'id', 'a,b,c,d,e,f',
             jsonb_strip_nulls(jsonb_build_object('max_candidates', 1, 'room', room)))
    WHERE linked_id IS NOT NULL GROUP BY room)
SELECT long.found = given.found AS is_long, long.found > short.found AS finds_more
FROM f AS long, f AS given, f AS short
WHERE long.room IS NULL AND given.room = 256 AND short.room = 64;
DROP TABLE faint, fainter;

-- more keys than the intruder can weigh: he leaves some out
DO $$ BEGIN
    EXECUTE (SELECT format('CREATE TABLE wide AS SELECT i AS id, %s FROM generate_series(1, 40) AS i',
                           string_agg(format('(i * %s %% 37)::int AS k%s', 7919 + 2 * j, j), ', ' ORDER BY j))
             FROM generate_series(1, 70) AS j);
END $$;
SELECT string_agg('k' || j, ', ' ORDER BY j) AS keys,
       jsonb_object_agg('k' || j, '{"method": "add_noise", "alpha": 0.1}'::jsonb) AS noise,
       jsonb_object_agg('k' || j, '{"method": "rank_swap", "p": 10}'::jsonb) AS swap
FROM generate_series(1, 70) AS j \gset
SELECT count(*) > 0 AS done FROM sdc.mask('wide', :'noise', target => 'noisy', id => 'id', seed => 1);
SELECT count(*) > 0 AS done FROM sdc.mask('wide', :'swap', target => 'swapped', id => 'id', seed => 1);
SELECT count(*) FILTER (WHERE correct) AS found
FROM sdc.attack_likelihood('wide', 'noisy', :'noise', 'id', ('{' || :'keys' || '}')::sdc.columns);
SELECT count(*) FILTER (WHERE correct) AS found
FROM sdc.attack_likelihood('wide', 'swapped', :'swap', 'id', ('{' || :'keys' || '}')::sdc.columns);
SELECT format('{"%s": {"method": "add_noise", "alpha": 0.1}}', :'keys') AS together \gset
SELECT count(DISTINCT id) AS persons
FROM sdc.attack_likelihood('wide', 'noisy', :'together', 'id', ('{' || :'keys' || '}')::sdc.columns);
DROP TABLE wide, noisy, swapped;

-- columns of many different numbers are coded otherwise than others: the same
-- numbers of another type give the same links, with ties, both zeros and NaN
CREATE TABLE many AS
SELECT i AS id, CASE i % 50 WHEN 0 THEN '0'::float8 WHEN 1 THEN '-0' WHEN 2 THEN 'NaN'
        ELSE i * 7919 % 100003 END AS x, (i * 104729 % 7001)::bigint AS y
FROM generate_series(1, 9000) AS i;
SELECT count(*) > 0 AS done
FROM sdc.mask('many', '{"x": {"method": "rank_swap", "p": 2}, "y": {"method": "rank_swap", "p": 2}}',
    target => 'moved', id => 'id', seed => 3);
CREATE VIEW many_numeric AS SELECT id, x::numeric AS x, y::numeric AS y FROM many;
CREATE VIEW moved_numeric AS SELECT id, x::numeric AS x, y::numeric AS y FROM moved;
CREATE FUNCTION links(text) RETURNS text LANGUAGE sql AS $$
SELECT md5(string_agg(l::text, ' ' ORDER BY l.id::int, l.linked_id::int, l.probability))
FROM sdc.attack_likelihood(('many' || $1)::regclass, ('moved' || $1)::regclass,
    '{"x": {"method": "rank_swap", "p": 2}, "y": {"method": "rank_swap", "p": 2}}',
    'id', '{x,y}', seed => 1) AS l $$;
SELECT links('') = links('_numeric') AS same;
-- where memory is short the search is made in pieces, and finds the same
SELECT links('') AS whole \gset
SET sdc.memory_limit = '14MB';
SELECT links('') = :'whole' AS same;
RESET sdc.memory_limit;
DROP FUNCTION links;
DROP TABLE many, moved CASCADE;

-- uniform noise of a whole file ends at an edge that is known, and a count is
-- rounded then: who is further off is no candidate
CREATE TABLE edge AS
SELECT i AS id, (i * 7919 % 1009) / 10.0::float8 AS x, i * 6101 % 97 AS n FROM generate_series(1, 600) AS i;
SELECT '{"x": {"method": "add_noise", "alpha": 0.01, "variant": "uniform"},
         "n": {"method": "add_noise", "alpha": 0.001, "variant": "uniform"}}' AS uniform \gset
SELECT count(*) > 0 AS done FROM sdc.mask('edge', :'uniform', target => 'edged', id => 'id', seed => 1);
SELECT count(*) FILTER (WHERE abs(m.x - e.x) > 1.01 * sqrt(0.03 * v.x)) AS beyond_x,
       count(*) FILTER (WHERE abs(m.n - e.n) - 0.5 > sqrt(0.003 * v.n)) AS beyond_n,
       count(*) FILTER (WHERE correct) > 450 AS own
FROM sdc.attack_likelihood('edge', 'edged', :'uniform', 'id', '{x,n}', '{"released": false}', seed => 1) AS l
JOIN edge AS e ON e.id::text = l.id JOIN edged AS m ON m.id::text = l.linked_id,
     (SELECT var_pop(x) AS x, var_pop(n) AS n FROM edge) AS v
WHERE probability > 0.01;
DROP TABLE edge, edged;

-- what he knows has errors, in keys that were published as they are: who is
-- right is found all the same, and a column that was made anew tells nothing
CREATE TABLE true_people AS
SELECT i AS id, (i * 7919 % 1009) / 10.0::float8 AS x, i * 6101 % 7 AS n FROM generate_series(1, 400) AS i;
CREATE VIEW known_people AS
SELECT id, CASE WHEN id % wrong = 1 THEN x + 0.01 ELSE x END AS x, wrong, n, (id * 31 + 5) % 7 AS other
FROM true_people, unnest('{401,20}'::int[]) AS wrong;
CREATE VIEW published AS SELECT id, x, n, n AS other FROM true_people;
CREATE VIEW known_one AS SELECT * FROM known_people WHERE wrong = 401;
CREATE VIEW known_many AS SELECT * FROM known_people WHERE wrong = 20;
SELECT known, count(*) FILTER (WHERE correct) BETWEEN least AND most AS found, sum(probability) BETWEEN least AND most AS said
FROM (VALUES ('known_one', 399, 400.1), ('known_many', 380, 393)) AS c(known, least, most),
     LATERAL (SELECT id, bool_or(correct) AS correct, max(probability) AS probability
              FROM sdc.attack_likelihood(known::regclass, 'published', '{}', 'id', '{x,n,other}', '{"released": false}', seed => 1)
              GROUP BY id) AS l
GROUP BY known, least, most ORDER BY known;
DROP TABLE true_people CASCADE;
