-- likelihood_effects: a released column that is a law of the keys in each
-- category, a place of a person in his group, or two keys put together.  Who
-- knows the law computes it from the original file, and takes any record that
-- shows it: he finds as many as there are different values.  All keys are
-- published as NULL.
SET client_min_messages = warning;
CREATE FUNCTION drawn(i bigint, salt bigint) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT ('x' || substr(md5(i || ' ' || salt), 1, 12))::bit(48)::bigint / 281474976710656.0::float8 $$;
CREATE TABLE life AS
SELECT i AS id, round(exp(7 + 1.5 * (drawn(i, 1) + drawn(i, 11) - 1))::numeric, 2)::float8 AS income,
       round((300 + 1500 * drawn(i, 2))::numeric, 2)::float8 AS rent, round((300 + 1500 * drawn(i, 12))::numeric, 2)::float8 AS debt,
       1 + floor(26 * drawn(i, 3))::int AS canton, md5('j' || floor(12 * drawn(i, 4))) AS job, md5('h' || i / 3) AS home,
       18 + floor(60 * drawn(i, 5))::int AS age, drawn(i, 8) < .3 AS owner,
       point(floor(1000 * drawn(i, 34)), floor(1000 * drawn(i, 35))) AS place, timestamp '2024-01-01' + drawn(i, 9) * interval '300 days' AS seen
FROM generate_series(1, 1000) AS i;
CREATE TABLE rate AS SELECT c AS canton, 0.05 + 0.2 * drawn(c, 77) AS of_income, 0.1 * drawn(c, 78) AS fixed FROM generate_series(1, 26) AS c;
CREATE TABLE share AS SELECT md5('j' || j) AS job, 0.05 + 0.2 * drawn(j, 79) AS of_rent FROM generate_series(0, 11) AS j;
CREATE TABLE both_rates AS
SELECT c AS canton, md5('j' || j) AS job, 0.05 + 0.2 * drawn(c * 100 + j, 80) AS of_income FROM generate_series(1, 26) AS c, generate_series(0, 11) AS j;
CREATE VIEW laws AS
SELECT l.*, r.of_income, r.fixed, s.of_rent, b.of_income AS of_both
FROM life AS l JOIN rate AS r USING (canton) JOIN share AS s USING (job) JOIN both_rates AS b USING (canton, job);
CREATE FUNCTION goes_with(keys text, law text, people int, OUT hits float8, OUT said float8, OUT by_law float8) LANGUAGE plpgsql AS $$
DECLARE rules jsonb := (SELECT jsonb_object_agg(k, '{"method": "null"}'::jsonb) FROM unnest(string_to_array(keys, ',')) AS k);
BEGIN
  DROP TABLE IF EXISTS life_of, life_masked;
  EXECUTE format('CREATE TABLE life_of AS SELECT id, %s, %s AS told FROM laws WHERE id <= %s', keys, law, people);
  PERFORM sdc.mask('life_of', rules, target => 'life_masked', id => 'id', seed => 11);
  SELECT count(DISTINCT told) INTO by_law FROM life_of;
  SELECT count(*) FILTER (WHERE correct), sum(probability) INTO hits, said
  FROM sdc.attack_likelihood('life_of', 'life_masked', rules, 'id', keys::sdc.columns, '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
END $$;
CREATE TABLE tried(n serial, what text, keys text, law text, people int DEFAULT 1000, least float8 DEFAULT .9);
INSERT INTO tried(what, keys, law) VALUES
('a rate of a canton', 'income,canton', 'round((income * of_income)::numeric, 2)'),
('a rate and a fixed sum', 'income,canton', 'round((income * of_income + 1000 * fixed)::numeric, 2)'),
('of two numbers', 'income,rent,canton', 'round(((income - rent) * of_income)::numeric, 2)'),
('two rates, added up', 'income,rent,canton,job', 'round((income * of_income + rent * of_rent)::numeric, 2)'),
('a rate of a pair', 'income,canton,job', 'round((income * of_both)::numeric, 2)'),
('a rate of an age', 'income,age', 'round((income * CASE WHEN age < 30 THEN .1 WHEN age < 65 THEN .2 ELSE .05 END)::numeric, 2)'),
('part of the group below', 'income,canton', 'percent_rank() OVER (PARTITION BY canton ORDER BY income)'),
('in deviations from the mean of the group', 'income,canton', 'round(((income - avg(income) OVER (PARTITION BY canton)) / stddev(income) OVER (PARTITION BY canton))::numeric, 5)'),
('less than the most of the group', 'income,canton', 'round((max(income) OVER (PARTITION BY canton) - income)::numeric, 2)'),
('part of the most of the group', 'income,canton', 'round((income / max(income) OVER (PARTITION BY canton))::numeric, 6)'),
('share of the group, of three', 'income,home', 'round((income / sum(income) OVER (PARTITION BY home))::numeric, 6)'),
('what all others of the group have', 'income,home', 'round((sum(income) OVER (PARTITION BY home) - income)::numeric, 2)'),
('more than the next of the group', 'income,canton', 'round((income - lag(income) OVER (PARTITION BY canton ORDER BY income))::numeric, 2)'),
('share of the own total', 'income,rent,debt', 'round((rent / (income + rent + debt))::numeric, 6)'),
('a product', 'income,rent', 'round((income * (1 + rent / 1000))::numeric, 2)');
INSERT INTO tried(what, keys, law, people) VALUES
('a rate of a canton, few people', 'income,canton', 'round((income * of_income)::numeric, 2)', 300);
-- one in thirty pays something else, and some hide it
INSERT INTO tried(what, keys, law) VALUES
('a rate, some of them wrong', 'income,canton', 'CASE WHEN id % 30 = 0 THEN 1e5 * drawn(id, 55) WHEN id % 33 <> 0 THEN round((income * of_income)::numeric, 2)::float8 END');
-- half of them pay nothing, which no rate says
INSERT INTO tried(what, keys, law, least) VALUES
('a rate, or nothing', 'income,canton', 'CASE WHEN drawn(id, 56) < .5 THEN round((income * of_income)::numeric, 2) ELSE 0 END', .9);
-- two categories are two effects, which a pair of them hides
INSERT INTO tried(what, keys, law, least) VALUES
('two rates, multiplied', 'income,canton,job', 'round((income * of_income * of_rent)::numeric, 3)', .98);
-- a law that a fifth of the people, or three in ten, do not follow
INSERT INTO tried(what, keys, law, least) VALUES
('a line, but for a fifth', 'income', 'CASE WHEN drawn(id, 57) < .8 THEN 3 * income + 7 ELSE 15000 * drawn(id, 58) END', .75),
('a sum, but for three in ten', 'income,rent', 'CASE WHEN drawn(id, 57) < .7 THEN income + 3 * rent ELSE 9000 * drawn(id, 58) END', .6),
('a product, but for a fifth', 'income,rent', 'CASE WHEN drawn(id, 57) < .8 THEN income * rent ELSE 3e6 * drawn(id, 58) END', .75),
('a rate, but for three in ten', 'income,canton', 'CASE WHEN drawn(id, 57) < .7 THEN round((income * of_income)::numeric, 2) ELSE 1000 * drawn(id, 58) END', .65),
('a rate, but for a fifth far off', 'income,canton', 'CASE WHEN drawn(id, 57) < .8 THEN round((income * of_income)::numeric, 2) ELSE 20000 * drawn(id, 58) END', .75),
('a rate and a number, but for a fifth', 'income,rent,canton', 'CASE WHEN drawn(id, 57) < .8 THEN round((income * of_income + rent)::numeric, 2) ELSE 3000 * drawn(id, 58) END', .75),
('a rate and a sum of it, but for a fifth', 'income,canton', 'CASE WHEN drawn(id, 57) < .8 THEN round((income * of_income + 1000 * fixed)::numeric, 2) ELSE 1000 * drawn(id, 58) END', .75);
INSERT INTO tried(what, keys, law, least) VALUES
('two rates, multiplied, but for a fifth', 'income,canton,job', 'CASE WHEN drawn(id, 57) < .8 THEN round((income * of_income * of_rent)::numeric, 3) ELSE 50 * drawn(id, 58) END', .75);
-- a law of its own in each class of records, which goes with nothing by itself
CREATE FUNCTION class(id int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT floor(5 * drawn(id, 59))::int';
INSERT INTO tried(what, keys, law, least) VALUES
('a rate of a class of records', 'income', 'chr(65 + class(id)) AS class, round((income * (.05 + .04 * class(id)))::numeric, 3)', .9),
('a rate and a sum of a class', 'income', 'class(id), round((income * (.05 + .04 * class(id)) + 200 * drawn(class(id), 60))::numeric, 3)', .9),
('of two classes', 'income', 'chr(65 + class(id)) AS class, class(id + 1000) + 1 AS other, round((income * (.05 + .04 * class(id)) * (class(id + 1000) + 1))::numeric, 3)', .9),
('of a class and a canton', 'income,canton', 'chr(65 + class(id)) AS class, round((income * of_income * (1 + class(id)))::numeric, 3)', .9),
('of a class, but for three in ten', 'income', 'chr(65 + class(id)) AS class, CASE WHEN drawn(id, 57) < .7 THEN round((income * (.05 + .04 * class(id)))::numeric, 3) ELSE 1000 * drawn(id, 58) END', .6);
-- what rises with several keys together, by any curve
INSERT INTO tried(what, keys, law, least) VALUES
('place by two keys', 'income,rent', 'row_number() OVER (ORDER BY income + rent)', .7),
('a score', 'income,rent,age', '1 / (1 + exp(-(income / 1000 - rent / 700 + age / 30.0)))', .7),
('a tax by brackets', 'income,rent', 'round((greatest(0, income + rent - 1000) * .1 + greatest(0, income + rent - 2500) * .2)::numeric, 3)', .7);
-- what a code shows by its letters, a text that is a time of the day, and who is near
INSERT INTO tried(what, keys, law, least) VALUES
('letters of a grid', 'place', 'chr(65 + floor(place[0] / 40)::int) || chr(65 + floor(place[1] / 40)::int)', .9),
('time of the day as text', 'seen', 'to_char(seen, ''HH24:MI'')', .9),
('place by distance', 'place', 'row_number() OVER (ORDER BY place <-> point(300, 300))', .7);
-- any law of its own in each class, or in one of them
INSERT INTO tried(what, keys, law, least) VALUES
('a rate of a canton and a class', 'income,canton', 'class(id), round((income * (.05 + .2 * drawn(10 * canton + class(id), 63)))::numeric, 3)', .7),
('the same, and both are seen', 'income', 'canton, class(id), round((income * (.05 + .2 * drawn(10 * canton + class(id), 63)))::numeric, 3)', .9),
('a rate of a class, and a sum', 'income,rent', 'class(id), round((income * (.05 + .04 * class(id)) + 3 * rent)::numeric, 3)', .9),
('of a class the income, of others the rent', 'income,rent', 'class(id), round((CASE WHEN class(id) < 3 THEN income * .2 ELSE 7 * rent END)::numeric, 3)', .8),
('the same, behind five other classes', 'income,rent', 'floor(2 * drawn(id, 71)), floor(3 * drawn(id, 72)) AS c, floor(4 * drawn(id, 73)) AS d, floor(5 * drawn(id, 74)) AS e, floor(6 * drawn(id, 75)) AS f, class(id) AS g, round((CASE WHEN class(id) < 3 THEN income * .2 ELSE 7 * rent END)::numeric, 3)', .8),
('in one class only', 'income,rent', 'class(id), CASE WHEN class(id) = 3 THEN round((income * .2)::numeric, 3) ELSE 300 * drawn(id, 64) END', .15);
-- another released number lowers it, or makes it grow
INSERT INTO tried(what, keys, law) VALUES
('less a percentage', 'income', 'round((60 * drawn(id, 81))::numeric, 1) AS percent, round((income * (1 - round((60 * drawn(id, 81))::numeric, 1) / 100))::numeric, 3)'),
('of two numbers, less a percentage', 'income,rent', 'round((60 * drawn(id, 81))::numeric, 1) AS percent, round((income + 2 * rent)::numeric * (1 - round((60 * drawn(id, 81))::numeric, 1) / 100), 3)'),
('compound interest', 'income', 'floor(2000 * drawn(id, 82)) AS days, round((income * power(1.04, floor(2000 * drawn(id, 82)) / 365))::numeric, 3)');
-- what is drawn goes with nothing, however many effects are tried
INSERT INTO tried(what, keys, law, least) VALUES
('drawn', 'income,rent,canton,job', 'drawn(id, 99)', 0),
('drawn, of few values', 'income,rent,canton,job', 'floor(20 * drawn(id, 98))', 0),
('drawn, beside a class', 'income,rent,canton,job', 'chr(65 + class(id)) AS class, drawn(id, 98)', 0),
('drawn, beside a number', 'income,rent,canton,job', 'drawn(id, 81) AS percent, drawn(id, 98)', 0);
-- a class and the own one tell who has both: who is alone in it is not told from others of his canton
INSERT INTO tried(what, keys, law, least) VALUES
('a table of a class and an age', 'age', 'class(id), floor(5000 * drawn(10 * age + class(id), 65))', .04);
SELECT what, hits >= least * by_law AS finds, hits < 12 AS next_to_nobody, abs(said - hits) < 3 + .1 * hits AS says_so
FROM tried, LATERAL goes_with(keys, law, people) AS g ORDER BY n;
-- errors of what was rounded down are all alike likely as far as they go
SELECT hits > 20 AS some, abs(said - hits) < .25 * hits AS says_so
FROM goes_with('seen', 'floor(300 * drawn(id, 84)) AS days, floor((floor(300 * drawn(id, 84)) + extract(epoch FROM seen) / 86400) / 3)', 1000);
-- with an error of its own it is said how far it goes
SELECT hits BETWEEN 100 AND 500 AS some, abs(said - hits) < 40 AS says_so
FROM goes_with('income,canton', 'round((income * of_income + drawn(id, 97))::numeric, 2)', 1000);
-- how many follow no law is known, too, also where neighbours are many
CREATE TABLE many AS
SELECT i AS id, round((5000 * drawn(i, 1))::numeric, 3)::float8 AS income,
       CASE WHEN drawn(i, 57) < .7 THEN 3 * round((5000 * drawn(i, 1))::numeric, 3)::float8 + 7 ELSE 15000 * drawn(i, 58) END AS told
FROM generate_series(1, 6000) AS i;
CREATE FUNCTION found_of(people int, OUT hits float8, OUT said float8) LANGUAGE plpgsql AS $$
BEGIN
  DROP TABLE IF EXISTS life_of, life_masked;
  CREATE TABLE life_of AS SELECT * FROM many WHERE id <= people;
  PERFORM sdc.mask('life_of', '{"income": {"method": "null"}}', target => 'life_masked', id => 'id', seed => 11);
  SELECT count(*) FILTER (WHERE correct), sum(probability) INTO hits, said
  FROM sdc.attack_likelihood('life_of', 'life_masked', '{"income": {"method": "null"}}', 'id', 'income', '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
END $$;
SELECT people, hits > .68 * people AS finds, abs(said - hits) < .02 * people AS says_so FROM unnest('{300,1000,6000}'::int[]) AS people, found_of(people);
DROP FUNCTION found_of;
DROP TABLE many;
-- husbands and wives take turns in the file, which hides no law from links
CREATE TABLE couples AS
SELECT i AS id, 1000 + 5000 * drawn(i, 101) AS income, CASE WHEN i % 2 = 1 THEN 'f' ELSE 'm' END AS sex
FROM generate_series(1, 1000) AS i;
SELECT count(*) FROM sdc.mask('couples', '{"income": {"method": "rank_swap", "p": 20}}', target => 'couples_masked', id => 'id', seed => 11);
CREATE TABLE couples_told AS
SELECT m.*, round((p.income * CASE sex WHEN 'f' THEN .2 ELSE .5 END + 5 * drawn(id, 102))::numeric)::float8 AS told FROM couples_masked AS m JOIN couples AS p USING (id, sex);
SELECT count(*) FILTER (WHERE correct) > 900 AS finds, abs(sum(probability) - count(*) FILTER (WHERE correct)) < 20 AS says_so
FROM sdc.attack_likelihood('couples', 'couples_told', '{"income": {"method": "rank_swap", "p": 20}}', 'id', 'income,sex', '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
DROP TABLE couples, couples_masked, couples_told;
-- a balance goes on by the amount from row to row of an account, by day, also
-- beside what is no number, or none that has a square; what does not go on is
-- no step; and one of all rows goes on by the number of the row, or its text
CREATE TABLE booked AS
SELECT i AS id, 'a' || i % 40 AS account, date '2026-01-01' + i / 40 * 3 AS day,
       round((9000 * drawn(i, 61) - 4500)::numeric, 2) AS amount, round((90000 * drawn(i, 62))::numeric, 2) AS other
FROM generate_series(40, 639) AS i;
CREATE FUNCTION by_steps(shown text, rows text, OUT hits float8, OUT said float8, OUT by_lag int) LANGUAGE plpgsql AS $$
BEGIN
  DROP TABLE IF EXISTS life_of, life_masked;
  EXECUTE format('CREATE TABLE life_of AS SELECT id, account, day, amount, %s AS balance FROM booked', shown);
  PERFORM sdc.mask('life_of', '{"amount": {"method": "null"}}', target => 'life_masked', id => 'id', seed => 11);
  SELECT count(*) FILTER (WHERE correct), sum(probability) INTO hits, said
  FROM sdc.attack_likelihood('life_of', 'life_masked', '{"amount": {"method": "null"}}', 'id', 'amount', '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
  EXECUTE format('SELECT count(*) FROM (SELECT id, balance - coalesce(lag(balance) OVER (%s), 0) AS step FROM life_masked) AS m
    JOIN life_of USING (id) WHERE amount = step', rows) INTO by_lag;
END $$;
SELECT shown, hits >= by_lag - 3 AS finds, hits < 8 AS next_to_nobody, abs(said - hits) < 3 + .05 * hits AS says_so
FROM (VALUES
('5000 + sum(amount) OVER (PARTITION BY account ORDER BY day)', 'PARTITION BY account ORDER BY day'), ('other', 'PARTITION BY account ORDER BY day'),
('CASE id WHEN 301 THEN ''NaN'' WHEN 302 THEN 1e400 WHEN 303 THEN 1e-400 ELSE sum(amount) OVER (PARTITION BY account ORDER BY day) END', 'PARTITION BY account ORDER BY day'),
('7 * id AS number, other AS drawn, sum(amount) OVER (ORDER BY id)', 'ORDER BY id'), ('to_char(id, ''FM0000'') AS number, sum(amount) OVER (ORDER BY id)', 'ORDER BY id'),
('7 * id AS number, 6 * id + other', 'ORDER BY id')) AS t(shown, rows), by_steps(shown, rows);
-- so does a total of the whole table, up or down, by nothing but itself, and of
-- a meter; a total of something else does not
UPDATE booked SET amount = abs(amount);
SELECT shown, hits > 550 AS finds, hits < 8 AS next_to_nobody, abs(said - hits) < 3 + .05 * hits AS says_so
FROM unnest('{"sum(amount) OVER (ORDER BY md5(id::text))", "1e7 - sum(amount) OVER (ORDER BY md5(id::text))", "sum(other) OVER (ORDER BY id)",
  "sum(amount) OVER (PARTITION BY account ORDER BY md5(id::text)) - amount"}'::text[]) AS shown, by_steps(shown, 'ORDER BY id');
DROP FUNCTION by_steps;
DROP TABLE booked;
DROP FUNCTION goes_with, class, drawn;
DROP VIEW laws;
DROP TABLE life, rate, share, both_rates, tried, life_of, life_masked;
