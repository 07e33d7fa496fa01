-- likelihood_naive: intruders who use no law, only what a mask leaves to see
-- (how often a value occurs, the form of a text, the time of a day, the
-- commonest difference), find nothing that the likelihood attack does not.
SET client_min_messages = warning;
CREATE FUNCTION drawn(i bigint, salt bigint) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT ('x' || substr(md5(i || ' ' || salt), 1, 12))::bit(48)::bigint / 281474976710656.0::float8 $$;
INSERT INTO sdc.secret (domain, key) VALUES ('naive', sha256('naive'));
CREATE TABLE people AS
SELECT i AS id, (array['a','b','c','d','e','f','g','h'])[1 + i % 8] AS g, floor(4 * drawn(i, 1))::int AS region,
       (array['Ann','Bob','Cy','Dee','Eve','Fay','Gus','Hal','Ida','Jo'])[1 + floor(10 * drawn(i, 2) * drawn(i, 3))::int] AS name,
       CASE WHEN drawn(i, 4) < .3 THEN 'AB' || floor(10 + 90 * drawn(i, 5))::int || ' ' || floor(10 * drawn(i, 6))::int || 'CD'
            WHEN drawn(i, 4) < .6 THEN 'm' || floor(10 * drawn(i, 5))::int || ' 7A' ELSE 'xx-' || floor(1000 * drawn(i, 5))::int END AS code,
       date '1950-01-01' + floor(15000 * drawn(i, 7))::int AS born,
       timestamp '2024-01-01' + floor(300 * 86400 * drawn(i, 8))::int * interval '1 second' AS seen
FROM generate_series(1, 400) AS i;
ALTER TABLE people ADD came date, ADD went date;
UPDATE people SET came = seen::date, went = seen::date + floor(400 * drawn(id, 11))::int;
UPDATE people SET name = NULL WHERE id % 37 = 0;
UPDATE people SET born = NULL WHERE id % 41 = 0;
UPDATE people SET born = 'infinity' WHERE id = 7;
-- what the likelihood attack finds, and what it says
CREATE FUNCTION likelihood(keys text, rules jsonb, OUT hits float8, OUT said float8) LANGUAGE plpgsql AS $$
BEGIN
  DROP TABLE IF EXISTS masked;
  PERFORM sdc.mask('people', rules, target => 'masked', id => 'id', seed => 11);
  SELECT count(*) FILTER (WHERE correct), sum(probability) INTO hits, said
  FROM sdc.attack_likelihood('people', 'masked', rules, 'id', keys::sdc.columns, '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
END $$;
-- who takes any record that looks the same: what he finds on the average
CREATE FUNCTION naive(sight text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE hits float8;
BEGIN
  EXECUTE format('WITH a AS (SELECT id, (%1$s)::text AS s FROM people), b AS (SELECT id, (%1$s)::text AS s FROM masked),
    n AS (SELECT s, count(*) AS c FROM b GROUP BY s)
    SELECT coalesce(sum(1.0 / n.c), 0) FROM a JOIN b USING (id) JOIN n ON n.s = b.s WHERE a.s = b.s', sight) INTO hits;
  RETURN hits;
END $$;
CREATE TABLE tried(what text, keys text, rules jsonb, sight text);
INSERT INTO tried VALUES
('pseudonyms: how often', 'g,name,region', '{"g": {"method": "pseudonym", "domain": "naive"}, "name": {"method": "pseudonym", "domain": "naive"}}',
 'row(region, count(*) OVER (PARTITION BY name), name IS NULL)'),
('pseudonyms: beside what', 'name,region', '{"name": {"method": "pseudonym", "domain": "naive"}}',
 'row(region, count(*) OVER (PARTITION BY name, region), count(*) OVER (PARTITION BY name), name IS NULL)'),
('pseudonyms: form', 'code,region', '{"code": {"method": "pseudonym", "domain": "naive", "format": "same"}}',
 $$row(region, regexp_replace(regexp_replace(regexp_replace(code, '[0-9]', '9', 'g'), '[a-z]', 'a', 'g'), '[A-Z]', 'A', 'g'))$$),
('fakes: how often', 'name,region', '{"name": {"method": "fake", "kind": "first_name", "domain": "naive"}}',
 'row(region, count(*) OVER (PARTITION BY name), name IS NULL)'),
('fakes: how often, by another column', 'g,name,region', '{"name": {"method": "fake", "kind": "name", "domain": "naive", "by": "g"}, "g": {"method": "pseudonym", "domain": "naive"}}',
 'row(region, count(*) OVER (PARTITION BY g, region))'),
('shift: time of the day', 'seen', '{"seen": {"method": "shift", "domain": "naive", "days": 300}}', 'seen::time'),
('shift: time of the day, by group', 'seen,g', '{"seen": {"method": "shift", "domain": "naive", "days": 300, "by": "g"}}', 'row(g, seen::time)'),
('shift: what lies between', 'came,went', '{"came": {"method": "shift", "domain": "naive", "days": 300, "by": "id"}, "went": {"method": "shift", "domain": "naive", "days": 300, "by": "id"}}',
 'went - came');
SELECT what, l.hits >= naive(sight) - 4 AS no_less, naive(sight) > 5 AS something, abs(l.said - l.hits) < 20 AS says_so
FROM tried, LATERAL likelihood(keys, rules) AS l ORDER BY what;
-- dates that several have moved alike: the commonest difference of each group
SELECT l.hits AS likelihood, round(l.said) AS said FROM likelihood('born,g', '{"born": {"method": "shift", "domain": "naive", "days": 300, "by": "g"}}') AS l;
WITH difference AS (
  SELECT a.g, b.born - a.born AS d, row_number() OVER (PARTITION BY a.g ORDER BY count(*) DESC) AS place
  FROM people AS a JOIN masked AS b USING (g) WHERE isfinite(a.born) AND isfinite(b.born) AND abs(b.born - a.born) <= 300 GROUP BY 1, 2)
SELECT count(*) >= 380 AS by_the_commonest_difference
FROM people AS a JOIN masked AS b USING (id) JOIN difference AS d ON d.g = a.g AND d.place = 1 AND isfinite(a.born) AND b.born = a.born + d.d;
-- who knows a part of a group needs some of it; who does not know it, nothing
CREATE VIEW few AS SELECT * FROM people WHERE drawn(id, 9) < .25;
SELECT count(*) FILTER (WHERE correct) > 0.9 * (SELECT count(*) FROM few) AS a_quarter
FROM sdc.attack_likelihood('few', 'masked', '{"born": {"method": "shift", "domain": "naive", "days": 300, "by": "g"}}', 'id', 'born,g', '{"max_candidates": 1}', 1);
SELECT count(*) FILTER (WHERE correct) < 120 AS group_not_known
FROM sdc.attack_likelihood('people', 'masked', '{"born": {"method": "shift", "domain": "naive", "days": 300, "by": "g"}}', 'id', 'born', '{"max_candidates": 1}', 1);
-- the sets of times that were shifted hold the own record, too
SELECT hits > 0 AS shifted FROM likelihood('seen,g', '{"seen": {"method": "shift", "domain": "naive", "days": 30, "by": "g"}}');
SELECT bool_and(contains_own) AS contains_own, max(candidates) < 400 AS excludes
FROM sdc.candidate_sets('people', 'masked', '{"seen": {"method": "shift", "domain": "naive", "days": 30, "by": "g"}}', 'id', 'seen') WHERE subject = 'seen';
-- and those of forms
SELECT hits > 0 AS named FROM likelihood('code', '{"code": {"method": "pseudonym", "domain": "naive", "format": "same"}}');
SELECT bool_and(contains_own) AS contains_own, bool_and(exact) AS exact, max(candidates) < 400 AS excludes
FROM sdc.candidate_sets('people', 'masked', '{"code": {"method": "pseudonym", "domain": "naive", "format": "same"}}', 'id', 'code') WHERE subject = 'code';
-- what goes with a key without being one: who knows that the tax is .7 times
-- the income takes the nearest record
ALTER TABLE people ADD income int, ADD tax int, ADD luck int;
UPDATE people SET income = floor(1000 * drawn(id, 21)), luck = floor(1000 * drawn(id, 22));
UPDATE people SET tax = round(0.7 * income + 10 * drawn(id, 23) - 5);
UPDATE people SET tax = NULL WHERE id % 43 = 0;
SELECT sum(changed) > 0 AS masked FROM sdc.mask('people', '{"income": {"method": "add_noise", "alpha": 0.5}}', target => 'masked_tax', id => 'id', seed => 11);
CREATE VIEW without_tax AS SELECT id, income, luck FROM masked_tax;
CREATE FUNCTION by_income(masked regclass, params jsonb, OUT hits float8, OUT said float8) LANGUAGE sql AS $$
  SELECT count(*) FILTER (WHERE correct), sum(probability)
  FROM sdc.attack_likelihood('people', masked, '{"income": {"method": "add_noise", "alpha": 0.5}}', 'id', 'income', '{"max_candidates": 1}' || params, 1) WHERE linked_id IS NOT NULL $$;
WITH nearest AS (
  SELECT a.id, m.id AS linked FROM people AS a, LATERAL (SELECT id FROM masked_tax AS b WHERE tax IS NOT NULL ORDER BY abs(b.tax - 0.7 * a.income), id LIMIT 1) AS m)
SELECT n.hits > 60 AS something, w.hits >= n.hits AS no_less, abs(w.said - w.hits) < 30 AS says_so, o.hits < 15 AS not_without, s.hits < 15 AS not_if_told
FROM (SELECT count(*) FILTER (WHERE id = linked) AS hits FROM nearest) AS n, by_income('masked_tax', '{}') AS w,
     by_income('without_tax', '{}') AS o, by_income('masked_tax', '{"released": false}') AS s;
-- the report says which columns these are, and not those that tell nothing
SELECT detail LIKE '%goes with the keys: tax.%' AS says_which
FROM sdc.disclosure_report('people', 'masked_tax', 'id', 'income', rules => '{"income": {"method": "add_noise", "alpha": 0.5}}', measures => 'likelihood') WHERE measure = 'found';
-- texts go with a key by the numbers in them, or by their category, which a
-- digest keeps; each is told, and a category that says nothing is not
CREATE TABLE told AS SELECT p.id, p.income, 'b' || p.income / 10 AS band, md5('b' || p.income / 10) AS digest, jsonb_build_object('pay', p.income) AS doc, ARRAY[p.luck, p.income] AS list, 'z' || p.luck / 10 AS zone FROM people AS p;
CREATE FUNCTION beside(col text, OUT hits float8, OUT said float8, OUT detail text) LANGUAGE plpgsql AS $$
DECLARE rules jsonb := '{"income": {"method": "add_noise", "alpha": 2}}';
BEGIN
  DROP TABLE IF EXISTS told_of, told_masked;
  EXECUTE format('CREATE TABLE told_of AS SELECT id, income, %I FROM told', col);
  PERFORM sdc.mask('told_of', rules, target => 'told_masked', id => 'id', seed => 11);
  SELECT count(*) FILTER (WHERE correct), sum(probability) INTO hits, said
  FROM sdc.attack_likelihood('told_of', 'told_masked', rules, 'id', 'income', '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
  SELECT d.detail INTO detail FROM sdc.disclosure_report('told_of', 'told_masked', 'id', 'income', rules => rules, measures => 'likelihood') AS d WHERE measure = 'found';
END $$;
SELECT k.subject, b.hits > k.least AS finds, b.said - b.hits < 15 AS not_too_sure, b.detail LIKE '%goes with the keys: ' || k.subject || '.%' AS says_which
FROM (VALUES ('band', 60), ('digest', 60), ('doc', 150), ('list', 150), ('zone', 0)) AS k (subject, least), beside(k.subject) AS b;
DROP FUNCTION beside;
DROP TABLE told, told_of, told_masked;
-- a key that is a text goes with a number of the file by who is alike: all of
-- a job earn about the same, so one of each job is found, however it is hidden;
-- a code that each has alone tells nothing, but for a number in it
CREATE TABLE worker AS
SELECT i AS id, md5('j' || i % 25) AS job, md5('c' || i) AS code, 'p' || i AS post, 3 * i + floor(2 * drawn(i, 25))::int AS line, 1000 * (i * 7 % 25) + floor(100 * drawn(i, 24))::int AS wage
FROM generate_series(1, 500) AS i;
CREATE FUNCTION by_text(key text, rule jsonb, params jsonb, OUT hits float8, OUT said float8) LANGUAGE plpgsql AS $$
BEGIN
  DROP TABLE IF EXISTS worker_masked;
  PERFORM sdc.mask('worker', jsonb_build_object('job', rule, 'code', rule, 'post', rule), target => 'worker_masked', id => 'id', seed => 11);
  SELECT count(*) FILTER (WHERE correct), sum(probability) INTO hits, said
  FROM sdc.attack_likelihood('worker', 'worker_masked', jsonb_build_object('job', rule, 'code', rule, 'post', rule), 'id', key::sdc.columns, '{"max_candidates": 1}' || params, 1) WHERE linked_id IS NOT NULL;
END $$;
SELECT k.key, k.rule ->> 'method' AS method, k.params, b.hits BETWEEN k.least AND k.most AS finds, abs(b.said - b.hits) < 15 AS says_so
FROM (VALUES ('job', '{"method": "null"}'::jsonb, '{}'::jsonb, 20, 30), ('job', '{"method": "null"}', '{"released": false}', 0, 6),
             ('job', '{"method": "pram", "p": 90}', '{}', 20, 40), ('code', '{"method": "null"}', '{}', 0, 6), ('post', '{"method": "null"}', '{}', 480, 500)) AS k (key, rule, params, least, most),
     by_text(k.key, k.rule, k.params) AS b;
DROP FUNCTION by_text;
DROP TABLE worker, worker_masked;
-- a relation of any other kind: where a value is missing, the month of a date,
-- a first letter, a rank, a curve that falls and rises; texts beside texts, as
-- a district follows from a town.  Nothing goes with what was drawn beside it.
CREATE TABLE life AS
SELECT i AS id, date '1950-01-01' + floor(15000 * drawn(i, 31))::int AS born, exp(3 + 3 * drawn(i, 32)) AS income,
       md5('t' || floor(40 * drawn(i, 33))) AS town, chr(65 + floor(20 * drawn(i, 34))::int) || md5(i::text) AS name, (i * 7919) % 1000003 AS pin,
       chr(65 + floor(20 * drawn(i, 36))::int) || left(md5('f' || i), 6) || ' ' || chr(65 + floor(20 * drawn(i, 37))::int) || left(md5('l' || i), 7) AS called,
       CASE WHEN i % 3 = 0 THEN 'nick' || i % 50 END AS nick, NULL::text AS unused,
       (array['Al','Barbara','Ty','Constantin','Eve','Margarete','Jo'])[1 + floor(7 * drawn(i, 38))::int] || ' ' || (array['Ng','Featherstone','Poe','Wolf','Abernathy'])[1 + floor(5 * drawn(i, 39))::int] AS who
FROM generate_series(1, 800) AS i;
-- a collation that is not that of bytes, where the server has one
DO $$ BEGIN
  EXECUTE 'ALTER TABLE life ADD mixed text COLLATE ' || CASE WHEN EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') THEN '"und-x-icu"' ELSE '"C"' END;
  UPDATE life SET mixed = CASE id % 2 WHEN 0 THEN upper(name) ELSE lower(name) END;
END $$;
CREATE FUNCTION in_space(of text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT md5(decode('6ba7b8109dad11d180b400c04fd430c8', 'hex') || convert_to(of, 'UTF8')) $$;
CREATE FUNCTION goes_with(key text, rule jsonb, expression text, OUT hits float8, OUT said float8) LANGUAGE plpgsql AS $$
DECLARE rules jsonb := (SELECT jsonb_object_agg(k, rule) FROM unnest(string_to_array(key, ',')) AS k);
BEGIN
  DROP TABLE IF EXISTS life_of, life_masked;
  EXECUTE format('CREATE TABLE life_of AS SELECT id, %s, %s AS told FROM life', key, expression);
  PERFORM sdc.mask('life_of', rules, target => 'life_masked', id => 'id', seed => 11);
  SELECT count(*) FILTER (WHERE correct), sum(probability) INTO hits, said
  FROM sdc.attack_likelihood('life_of', 'life_masked', rules, 'id', key::sdc.columns, '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
END $$;
SELECT k.what, b.hits BETWEEN k.least AND k.most AS finds, abs(b.said - b.hits) < 12 AS says_so
FROM (VALUES ('month', 'born', '{"method": "shift", "domain": "naive", "days": 300}'::jsonb, 'extract(month FROM born)::int', 150, 500),
             ('weekday', 'born', '{"method": "null"}', 'to_char(born, ''Day'')', 4, 12),
             ('letter', 'name', '{"method": "null"}', 'md5(left(name, 1))', 12, 28),
             ('rank', 'income', '{"method": "add_noise", "alpha": 2}', 'rank() OVER (ORDER BY income)', 800, 800),
             ('curve', 'income', '{"method": "add_noise", "alpha": 2}', 'abs(income - 90)', 780, 800),
             ('district', 'town', '{"method": "null"}', 'md5((ascii(town) % 7)::text)', 3, 14),
             ('town', 'town', '{"method": "pram", "p": 90}', 'md5(town)', 30, 60),
             ('name''s digest', 'name', '{"method": "null"}', 'md5(lower(name))', 780, 800),
             ('name''s digest as bytes', 'name', '{"method": "pseudonym", "domain": "naive"}', 'sha512(convert_to(name, ''UTF8''))', 780, 800),
             ('number''s digest', 'pin', '{"method": "add_noise", "alpha": 2}', 'encode(sha256(convert_to(pin::text, ''UTF8'')), ''hex'')', 780, 800),
             ('digest with a secret', 'name', '{"method": "null"}', 'md5(name || ''secret'')', 0, 4),
             ('date''s digest', 'born', '{"method": "null"}', 'md5(to_char(born, ''DD.MM.YYYY''))', 750, 800),
             ('a piece of it', 'name', '{"method": "null"}', '''X-'' || upper(substr(md5(name), 9, 7))', 780, 800),
             ('in base64', 'name', '{"method": "null"}', 'encode(sha512(convert_to(name, ''UTF8'')), ''base64'')', 780, 800),
             ('as uuid', 'name', '{"method": "null"}', 'md5(name)::uuid', 780, 800),
             ('as number', 'name', '{"method": "null"}', '(''x'' || left(md5(name), 8))::bit(32)::int', 780, 800),
             ('bytes as uuid', 'pin', '{"method": "null"}', 'rpad(encode(convert_to(pin::text, ''UTF8''), ''hex''), 32, ''0'')::uuid', 780, 800),
             ('the server''s hash', 'name', '{"method": "null"}', 'hashtext(name)', 780, 800),
             ('its rest', 'name', '{"method": "null"}', 'abs(hashtext(name)) % 997', 400, 700),
             ('a number''s rest', 'pin', '{"method": "null"}', 'pin % 1009', 400, 700),
             ('last digits', 'pin', '{"method": "null"}', 'right(pin::text, 4)', 700, 800),
             ('of two in capitals', 'name,pin', '{"method": "null"}', 'md5(upper(pin || ''|'' || name))', 780, 800),
             ('of a row', 'name,pin', '{"method": "null"}', 'md5(row(name, pin)::text)', 780, 800),
             ('of all', 'name,pin,town', '{"method": "null"}', 'hashtextextended(name || '';'' || pin || '';'' || town, 0)', 780, 800),
             ('two of three', 'name,pin,town', '{"method": "null"}', 'md5(name || pin)', 780, 800),
             ('each in its own form', 'called,born,town', '{"method": "null"}', 'md5(upper(called) || ''|'' || to_char(born, ''DD.MM.YYYY''))', 780, 800),
             ('where a key is NULL', 'name,nick,pin', '{"method": "null"}', 'md5(concat(name, nick, pin))', 780, 800),
             ('beside a key that nobody has', 'called,born,unused', '{"method": "null"}', 'md5(upper(called) || to_char(born, ''DDMMYYYY''))', 780, 800),
             ('three in their own forms', 'called,born,name', '{"method": "null"}', 'left(encode(sha256(convert_to(lower(name) || upper(called) || to_char(born, ''YYYYMMDD''), ''UTF8'')), ''hex''), 16)', 780, 800),
             ('mail', 'called,name', '{"method": "null"}', 'lower(name) || ''.'' || upper(called) || ''@x.org''', 780, 800),
             ('digest of a digest', 'name', '{"method": "null"}', 'md5(md5(name))', 780, 800),
             ('digest of another one''s bytes', 'name', '{"method": "null"}', 'encode(sha256(sha256(convert_to(name, ''UTF8''))), ''base64'')', 780, 800),
             ('digest of a line', 'name', '{"method": "null"}', 'md5(name || chr(10))', 780, 800),
             ('uuid in the space of hosts', 'name', '{"method": "null"}', 'overlay(overlay(in_space(name) PLACING ''3'' FROM 13) PLACING (ARRAY[''8'', ''9'', ''a'', ''b''])[1 + (''x'' || substr(in_space(name), 17, 1))::bit(4)::int % 4] FROM 17)::uuid', 780, 800),
             ('in base 16', 'pin', '{"method": "null"}', '''ID-'' || lpad(upper(to_hex(pin)), 8, ''0'')', 780, 800),
             ('in base 2', 'pin', '{"method": "null"}', 'pin::bit(24)::text', 780, 800),
             ('other letters', 'name', '{"method": "null"}', 'translate(name, ''abcdef0123456789'', ''0f1e2d3c4b5a6978'')', 780, 800),
             ('other letters in each place', 'called', '{"method": "null"}', '(SELECT string_agg(chr(35 + (ascii(c) + 3 * n::int) % 90), '''' ORDER BY n) FROM regexp_split_to_table(called, '''') WITH ORDINALITY AS x(c, n))', 780, 800),
             ('bits turned', 'pin', '{"method": "null"}', 'pin # 123456', 780, 800),
             ('what is left of a multiple', 'pin', '{"method": "null"}', '(pin::bigint * 7919 + 12) % 1000003', 780, 800),
             ('place in the alphabet', 'name', '{"method": "null"}', '''P'' || lpad((row_number() OVER (ORDER BY name))::text, 5, ''0'')', 780, 800),
             ('place by two keys', 'town,name', '{"method": "null"}', 'row_number() OVER (ORDER BY town DESC, name)', 780, 800),
             ('place by a secret', 'name', '{"method": "null"}', 'row_number() OVER (ORDER BY md5(name || ''secret''))', 0, 4),
             ('name, initial and year', 'who,born', '{"method": "null"}', 'split_part(who, '' '', 1) || '' '' || left(split_part(who, '' '', 2), 1) || ''. ('' || extract(year FROM born) || '')''', 590, 800),
             ('words and a number', 'who,income', '{"method": "null"}', '''Room '' || id % 7 || '' of '' || id % 5 || '': '' || split_part(who, '' '', 1) || '' with '' || (10 * income)::int || ''k a year''', 700, 800),
             ('place in an alphabet of both cases', 'mixed', '{"method": "null"}', 'row_number() OVER (ORDER BY mixed)', 780, 800),
             ('month of birth in a digest', 'called,born', '{"method": "null"}', 'md5(upper(called) || to_char(born, ''YYYYMM''))', 720, 800),
             ('a rounded number''s digest', 'income', '{"method": "null"}', 'md5(round(income)::text)', 240, 400),
             ('last bits of a hash', 'name', '{"method": "null"}', 'hashtext(name) & 1023', 400, 700),
             ('of two and a secret', 'name,pin', '{"method": "null"}', 'md5(pin || ''secret'' || name)', 0, 4),
             ('drawn', 'town', '{"method": "null"}', 'md5((id % 7)::text)', 0, 4),
             ('missing', 'town', '{"method": "null"}', 'CASE WHEN ascii(town) % 7 > 0 THEN drawn(id, 35) END', 0, 8),
             ('in a sentence', 'name', '{"method": "null"}', '(ARRAY[''Called '', ''Wrote to Mr '', ''''])[1 + id % 3] || name || '' again'' || repeat(''!'', id % 4)', 780, 800),
             ('another''s in a sentence', 'name', '{"method": "null"}', '''Called '' || lead(name) OVER (ORDER BY id) || '' again''', 0, 4),
             ('last name in a sentence', 'called', '{"method": "null"}', '(ARRAY[''Called '', ''Wrote to Mr ''])[1 + id % 2] || split_part(called, '' '', 2) || '' again'' || repeat(''!'', id % 4)', 780, 800),
             ('number in a sentence', 'pin', '{"method": "null"}', '(ARRAY[''Room 7, pin '', ''Pin ''])[1 + id % 2] || pin || '', twice''', 780, 800),
             ('last name''s digest', 'called', '{"method": "null"}', 'md5(split_part(called, '' '', 2))', 780, 800),
             ('initials', 'called', '{"method": "null"}', 'left(called, 1) || left(split_part(called, '' '', 2), 1)', 280, 400),
             ('mail', 'called', '{"method": "null"}', 'lower(replace(called, '' '', ''.'')) || (ARRAY[''@x.org'', ''@a.com''])[1 + id % 2]', 780, 800),
             ('third in an array', 'income', '{"method": "add_noise", "alpha": 2}', 'ARRAY[id % 7, id % 5, (100 * income)::int]', 700, 800),
             ('deep in a document', 'income', '{"method": "add_noise", "alpha": 2}', 'jsonb_build_object(''a'', 1, ''b'', jsonb_build_object(''x'', md5(id::text), ''y'', jsonb_build_array(1, (100 * income)::int)))', 700, 800),
             ('in one of two documents', 'income', '{"method": "add_noise", "alpha": 2}', 'CASE id % 2 WHEN 0 THEN json_build_object(''a'', id % 7, ''pay'', (100 * income)::int) ELSE json_build_object(''pay'', (100 * income)::int) END', 700, 800),
             ('late in a text', 'income', '{"method": "add_noise", "alpha": 2}', 'repeat(''so it is. '', 40) || ''Room 7, floor '' || id % 3 || '', pay '' || (100 * income)::int', 700, 800),
             ('in three parts', 'income', '{"method": "add_noise", "alpha": 2}', 'make_interval(secs => (1000 * income)::int)', 700, 800),
             ('after 20 others', 'income', '{"method": "add_noise", "alpha": 2}', (SELECT string_agg(format('drawn(id, %s) AS c%s', 40 + g, g), ', ') FROM generate_series(1, 20) AS g) || ', 0.7 * income', 780, 800),
             ('digest after 20 others', 'name', '{"method": "null"}', (SELECT string_agg(format('''x'' || drawn(id, %s) AS c%s', 40 + g, g), ', ') FROM generate_series(1, 20) AS g) || ', md5(name)', 780, 800),
             ('beside a document that is no text', 'income', '{"method": "add_noise", "alpha": 2}', '(''{"a": "\u0000", "b": "\ud800"}'')::json AS doc, (''{"\u0000": '' || (100 * income)::int || ''}'')::json', 700, 800),
             ('at the last of 120 places', 'income', '{"method": "add_noise", "alpha": 2}', '(SELECT jsonb_object_agg(''k'' || g, CASE g WHEN 99 THEN (100 * income)::int ELSE (1e6 * drawn(id, 70 + g))::int END) FROM generate_series(1, 120) AS g)', 700, 800),
             ('after a long start', 'income', '{"method": "add_noise", "alpha": 2}', 'repeat(''x'', 120) || chr(65 + (10 * ln(income))::int % 26)', 15, 80),
             ('beside a column of which it could be a place', 'income', '{"method": "add_noise", "alpha": 2}', 'left(income::int::text, 1) AS a, 0.7 * income AS "a.b", 0', 780, 800),
             ('after 450 others', 'income', '{"method": "add_noise", "alpha": 2}', (SELECT string_agg('true AS c' || g, ', ') FROM generate_series(1, 450) AS g) || ', 0.7 * income', 780, 800),
             ('after 300 texts', 'name', '{"method": "null"}', (SELECT string_agg('''x''::text AS c' || g, ', ') FROM generate_series(1, 300) AS g) || ', md5(name)', 780, 800),
             ('two after 20 others', 'income', '{"method": "add_noise", "alpha": 2}', '(10 * income)::int / 100 AS c0, ' || (SELECT string_agg(format('''x'' || drawn(id, %s) AS c%s', 40 + g, g), ', ') FROM generate_series(1, 20) AS g) || ', (10 * income)::int % 100', 500, 800)) AS k (what, key, rule, expression, least, most),
     goes_with(k.key, k.rule, k.expression) AS b;
-- where half of the texts name somebody
SELECT hits BETWEEN 390 AND 410 AS finds, said - hits < 12 AS not_too_sure
FROM goes_with('name', '{"method": "null"}', 'CASE id % 2 WHEN 0 THEN ''Wrote to Mr '' || name || '' again'' || repeat(''!'', id % 4) END');
-- and where three of ten name anybody: what is said is within 5 percent of all
SELECT hits BETWEEN 420 AND 560 AS finds, said - hits < 40 AS not_too_sure
FROM goes_with('name', '{"method": "null"}', '''Wrote to Mr '' || CASE WHEN drawn(id, 38) < .7 THEN name ELSE (array_agg(name) OVER ())[1 + floor(800 * drawn(id, 39))::int] END || '' again'' || repeat(''!'', id % 4)');
-- the digest of what was masked tells no more than that: it is not counted twice
SELECT sum(changed) > 0 AS masked FROM sdc.mask('life', '{"name": {"method": "pram", "p": 60}}', target => 'life_drawn', id => 'id', seed => 11);
CREATE TABLE life_digest AS SELECT id, name, md5(name) AS told FROM life_drawn;
ALTER TABLE life_drawn DROP COLUMN born, DROP COLUMN income, DROP COLUMN town, DROP COLUMN pin, DROP COLUMN mixed;
SELECT min(hits) > 350 AS finds, max(hits) - min(hits) < 5 AS no_more, max(said) - min(said) < 5 AS not_surer
FROM (SELECT count(*) FILTER (WHERE correct) AS hits, sum(probability) AS said
      FROM unnest('{life_drawn,life_digest}'::regclass[]) AS f (masked),
           sdc.attack_likelihood('life', masked, '{"name": {"method": "pram", "p": 60}}', 'id', 'name', '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL GROUP BY masked) AS x;
DROP TABLE life_drawn, life_digest;
-- nor is a sentence with it (names without digits, which tell as numbers)
CREATE TABLE life_words AS SELECT id, translate(name, '0123456789', 'ghijklmnop') AS name FROM life;
SELECT sum(changed) > 0 AS masked FROM sdc.mask('life_words', '{"name": {"method": "pram", "p": 60}}', target => 'life_drawn', id => 'id', seed => 11);
CREATE TABLE life_sentence AS SELECT id, name, 'Called ' || name || ' again' || repeat('!', id % 4) AS told FROM life_drawn;
SELECT min(hits) > 350 AS finds, max(hits) - min(hits) < 5 AS no_more, max(said) - min(said) < 5 AS not_surer
FROM (SELECT count(*) FILTER (WHERE correct) AS hits, sum(probability) AS said
      FROM unnest('{life_drawn,life_sentence}'::regclass[]) AS f (masked),
           sdc.attack_likelihood('life_words', masked, '{"name": {"method": "pram", "p": 60}}', 'id', 'name', '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL GROUP BY masked) AS x;
DROP TABLE life_words, life_drawn, life_sentence;
-- nor where the mask hardly changes anything, and it agrees with the keys
SELECT sum(changed) > 0 AS masked FROM sdc.mask('life', '{"name": {"method": "pram", "p": 99}}', target => 'life_drawn', id => 'id', seed => 11);
CREATE FUNCTION told_of_name(file text, OUT detail text) LANGUAGE plpgsql AS $$
BEGIN
  DROP TABLE IF EXISTS life_digest;
  EXECUTE format('CREATE TABLE life_digest AS SELECT d.id, d.name, md5(%s.name) AS told FROM life_drawn AS d JOIN life AS l USING (id)', left(replace(file, 'original', 'l'), 1));
  SELECT r.detail INTO detail FROM sdc.disclosure_report('life', 'life_digest', 'id', 'name', rules => '{"name": {"method": "pram", "p": 99}}', measures => 'likelihood') AS r WHERE measure = 'found';
END $$;
SELECT told, detail LIKE '%goes with the keys: told%' AS says_so
FROM unnest('{drawn,original}'::text[]) AS told, LATERAL (SELECT detail FROM told_of_name(told)) AS d;
DROP FUNCTION told_of_name;
DROP TABLE life_drawn, life_digest;
-- digests that PostgreSQL has no function for, a piece of each; others, and the
-- base64 of addresses in the web
CREATE TABLE guest (id, name, sha1, sha3_256, sha3_512) AS VALUES
(1, 'Guest 1', '1237509b2383', '23d7d72e9549', '2c20f4fcc9be'),
(2, 'Guest 2', '393c48a56cb9', '30df2e0ec642', '51bc8a109b16'),
(3, 'Guest 3', '5f160652c1bf', 'fc911495678d', '3a6269d10807'),
(4, 'Guest 4', '5ffe09a2723d', '8d41e2ede885', '9461bf44ecb0'),
(5, 'Guest 5', 'c344928e5b48', '2ca3b0e0f6f9', '43baa150b870'),
(6, 'Guest 6', 'ebf3bbbb984d', '027cabc505dd', 'b08d3561d15e'),
(7, 'Guest 7', 'ed044ea80b69', '230f1a1afca4', 'f6c45ff758c4'),
(8, 'Guest 8', '23f36527981c', 'e6f588b4cb80', '82836fb40a1e'),
(9, 'Guest 9', 'bf002c37455d', 'ce6de8a4f082', '29425ae889f4'),
(10, 'Guest 10', '75fb40603c26', '68ec027dc720', 'ffb0d31e8bb3'),
(11, 'Guest 11', 'cc6034db705a', '1c8d8cb86b9b', 'd457b6a99b54'),
(12, 'Guest 12', 'b9f655e3e78b', '8ff9da529d7f', 'fe3eb53ffcf2');
CREATE FUNCTION of_guests(told text, OUT hits float8, OUT said float8) LANGUAGE plpgsql AS $$
BEGIN
  DROP TABLE IF EXISTS guest_masked;
  EXECUTE format('CREATE TABLE guest_masked AS SELECT id, NULL::text AS name, %s AS told FROM guest', told);
  SELECT count(*) FILTER (WHERE correct), sum(probability) INTO hits, said
  FROM sdc.attack_likelihood('guest', 'guest_masked', '{"name": {"method": "null"}}', 'id', 'name', '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
END $$;
SELECT told, hits = 12 AS finds, abs(said - hits) < 1 AS says_so
FROM unnest(ARRAY['sha1', 'sha3_256', 'sha3_512', 'sha224(name::bytea)', 'sha384(name::bytea)',
                  $$translate(encode(sha256(name::bytea), 'base64'), '+/=', '-_')$$]) AS told, LATERAL of_guests(told);
DROP FUNCTION of_guests;
DROP TABLE guest, guest_masked;
-- where a value is missing tells of which half a person is
SELECT 2 * count(*) FILTER (WHERE own) > count(*) * 1.9 AS of_the_own_half
FROM (SELECT (m.told IS NULL) = (o.told IS NULL) AS own
      FROM sdc.attack_likelihood('life_of', 'life_masked', '{"town": {"method": "null"}}', 'id', 'town', '{"max_candidates": 1}', 1) AS l
      JOIN life_of AS o ON o.id::text = l.id JOIN life_masked AS m ON m.id::text = l.linked_id) AS x;
-- and so does what is true or false
SELECT hits < 8 AS few, said < 12 AS not_too_sure FROM goes_with('town', '{"method": "null"}', 'ascii(town) % 2 = 0');
SELECT 2 * count(*) FILTER (WHERE own) > count(*) * 1.9 AS of_the_own_half
FROM (SELECT m.told = o.told AS own
      FROM sdc.attack_likelihood('life_of', 'life_masked', '{"town": {"method": "null"}}', 'id', 'town', '{"max_candidates": 1}', 1) AS l
      JOIN life_of AS o ON o.id::text = l.id JOIN life_masked AS m ON m.id::text = l.linked_id) AS x;
DROP FUNCTION goes_with, in_space;
DROP TABLE life, life_of, life_masked;
-- who may not read them does not use them
CREATE ROLE regress_sdc_no_tax;
GRANT SELECT ON people TO regress_sdc_no_tax;
GRANT SELECT (id, income) ON masked_tax TO regress_sdc_no_tax;
SET ROLE regress_sdc_no_tax;
SELECT hits < 15 AS may_not FROM by_income('masked_tax', '{}');
RESET ROLE;
DROP FUNCTION by_income;
DROP VIEW without_tax;
DROP TABLE masked_tax;
DROP OWNED BY regress_sdc_no_tax;
DROP ROLE regress_sdc_no_tax;
-- what goes with the last of twelve keys, with their total, with half of them,
-- and with a score of all, of few people, too
SELECT string_agg(format('floor(90000 * drawn(i, %s))::int AS k%s', 500 + g, g), ', ') AS list,
       jsonb_object_agg('k' || g, '{"method": "null"}'::jsonb) AS rules, string_agg('k' || g, ',') AS keys,
       string_agg('NULL::int AS k' || g, ', ') AS masked, string_agg('k' || g, ' + ') AS total,
       string_agg('k' || g, ' + ') FILTER (WHERE g > 6) AS half, string_agg(format('%s * k%s', 1 + g * 0.3, g), ' + ') AS score
FROM generate_series(1, 12) AS g \gset
CREATE FUNCTION found_beside_keys(persons int, shown text, rules jsonb, keys text[], list text, masked text) RETURNS int
LANGUAGE plpgsql SET client_min_messages = warning AS $$
DECLARE
  found int;
BEGIN
  DROP TABLE IF EXISTS keys_of, keys_masked;
  EXECUTE format('CREATE TABLE keys_of AS SELECT i AS id, %s FROM generate_series(1, %s) AS i', list, persons);
  EXECUTE format('CREATE TABLE keys_masked AS SELECT id, %s, %s AS shown FROM keys_of', masked, shown);
  SELECT count(*) FILTER (WHERE correct) INTO found
  FROM sdc.attack_likelihood('keys_of', 'keys_masked', rules, 'id', keys, '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
  RETURN found;
END $$;
SELECT what, persons, found_beside_keys(persons, shown, :'rules', string_to_array(:'keys', ','), :'list', :'masked') > 0.95 * persons AS finds
FROM (VALUES ('last', 400, '0.7 * k12'), ('total', 400, :'total'), ('half', 400, :'half'), ('score', 400, :'score'),
             ('last', 60, '0.7 * k12'), ('total', 60, :'total'), ('score', 150, :'score')) AS shown (what, persons, shown);
-- the wage that goes with the last of twelve keys that are texts; 61 jobs
SELECT string_agg(format('floor(61 * drawn(i, %s)) || ''j'' AS k%s', 600 + g, g), ', ') AS list,
       string_agg('NULL::text AS k' || g, ', ') AS masked
FROM generate_series(1, 12) AS g \gset
SELECT found_beside_keys(400, 'drawn(length(k12) * 1000 + ascii(k12) * 7 + ascii(substr(k12, 2)), 700) * 1000 + drawn(id, 701)',
                         :'rules', string_to_array(:'keys', ','), :'list', :'masked') > 45 AS finds;
DROP FUNCTION found_beside_keys(int, text, jsonb, text[], text, text);
DROP TABLE keys_of, keys_masked;
-- codes that are put together of pieces of keys, and the sounds of a name
CREATE TABLE coded AS
SELECT i AS id, (SELECT initcap(string_agg(chr(97 + floor(26 * drawn(i, 800 + g))::int), '')) FROM generate_series(1, 4) AS g) || ' ' ||
       (SELECT initcap(string_agg(chr(97 + floor(26 * drawn(i, 810 + g))::int), '')) FROM generate_series(1, 5 + i % 3) AS g) AS name,
       date '1940-01-01' + floor(25000 * drawn(i, 820))::int AS born
FROM generate_series(1, 400) AS i;
CREATE FUNCTION by_code(shown text) RETURNS bigint LANGUAGE plpgsql SET client_min_messages = warning AS $$
DECLARE
  found bigint;
BEGIN
  DROP TABLE IF EXISTS coded_masked;
  EXECUTE format('CREATE TABLE coded_masked AS SELECT id, NULL::text AS name, NULL::date AS born, %s AS shown FROM coded', shown);
  SELECT count(*) FILTER (WHERE correct) INTO found
  FROM sdc.attack_likelihood('coded', 'coded_masked', '{"name": {"method": "null"}, "born": {"method": "null"}}', 'id', 'name,born',
                             '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
  RETURN found;
END $$;
SELECT shown, width_bucket(by_code(shown), '{0, 20, 380}'::bigint[]) AS hits
FROM (VALUES ('right(md5(id || ''a secret''), 8)'),
             ('left(name, 1) || substr(name, 6, 1) || to_char(born, ''YYMMDD'')'),
             ('to_char(born, ''DDMMYY'') || (id % 7)'),
             ('reverse(lower(name))'),
             ('id % 10 || substr(name, 2, 2) || right(name, 2) || ''-'' || to_char(born, ''MM-YY'')')) AS codes (shown);
-- the sounds of the last name (Soundex; the first rows are examples of the National Archives)
UPDATE coded SET name = (array['Ann Tymczak', 'Bob Pfister', 'Cy Honeyman', 'Dee Lloyd'])[id] WHERE id <= 4;
CREATE FUNCTION sound(word text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT upper(left(word, 1)) || rpad(left(replace(substr(regexp_replace(
     translate(upper(word), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '01230120022455012623010202'), '(.)\1+', '\1', 'g'), 2), '0', ''), 3), 3, '0') $$;
SELECT name, sound(split_part(name, ' ', 2)) FROM coded WHERE id <= 4 ORDER BY id;
SELECT by_code('sound(split_part(name, '' '', 2))') >= count(*) FILTER (WHERE alone) AND count(*) FILTER (WHERE alone) > 150 AS by_sound
FROM (SELECT count(*) OVER (PARTITION BY sound(split_part(name, ' ', 2))) = 1 AS alone FROM coded) AS codes;
DROP FUNCTION by_code, sound;
DROP TABLE coded, coded_masked;
-- a number that is a key's in some of the rows; the last: as often as by chance
CREATE TABLE copied AS
SELECT i AS id, round(20000 * exp(drawn(i, 850))) AS income, round(20000 * exp(drawn(i, 851))) AS rent, date '1940-01-01' + floor(25000 * drawn(i, 852))::int AS born,
       floor(5 * drawn(i, 853)) AS cars
FROM generate_series(1, 400) AS i;
CREATE FUNCTION by_copy(shown text, OUT hits bigint, OUT said float8) LANGUAGE plpgsql SET client_min_messages = warning AS $$
BEGIN
  DROP TABLE IF EXISTS copied_masked;
  EXECUTE format('CREATE TABLE copied_masked AS SELECT id, NULL::float8 AS income, NULL::float8 AS rent, NULL::date AS born, NULL::float8 AS cars, %s AS shown FROM copied', shown);
  SELECT count(*) FILTER (WHERE correct), sum(probability) INTO hits, said
  FROM sdc.attack_likelihood('copied', 'copied_masked', '{"income": {"method": "null"}, "rent": {"method": "null"}, "born": {"method": "null"}, "cars": {"method": "null"}}',
                             'id', 'income,rent,born,cars', '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
END $$;
SELECT shown, width_bucket(hits, '{0, 20, 60, 150, 380}'::bigint[]) AS hits, said < 1.1 * hits + 5 AS not_too_sure
FROM (VALUES ('greatest(income, rent)'), ('CASE WHEN drawn(id, 854) < .5 THEN income ELSE 20000 + 50000 * drawn(id, 855) END'),
             ('CASE WHEN drawn(id, 856) < .5 THEN born END'), ('CASE WHEN drawn(id, 857) < .2 THEN cars ELSE floor(5 * drawn(id, 858)) END')) AS copies (shown),
     LATERAL by_copy(shown);
DROP FUNCTION by_copy;
DROP TABLE copied, copied_masked;
-- a number in a digest is whole: there is no -0
CREATE TABLE score AS SELECT i AS id, md5('s' || i) AS name, 4 * drawn(i, 870) - 2 AS points FROM generate_series(1, 300) AS i;
CREATE TABLE score_masked AS SELECT id, NULL::text AS name, NULL::float8 AS points, md5(name || trunc(points)::int) AS told FROM score;
SELECT count(*) FILTER (WHERE correct) > 290 AS finds
FROM sdc.attack_likelihood('score', 'score_masked', '{"name": {"method": "null"}, "points": {"method": "null"}}', 'id', 'name,points',
                           '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
DROP TABLE score, score_masked;
-- nor is a remainder looked for in the least number, which -1 does not divide
CREATE TABLE least AS SELECT i AS id, CASE i WHEN 1 THEN '-9223372036854775808' ELSE '-1' END AS code FROM generate_series(1, 300) AS i;
CREATE TABLE least_masked AS SELECT id, NULL::text AS code, (id % 5 = 0)::int AS told FROM least;
SELECT count(*) > 0 AS answers
FROM sdc.attack_likelihood('least', 'least_masked', '{"code": {"method": "null"}}', 'id', 'code', '{"max_candidates": 1}', 1);
DROP TABLE least, least_masked;
-- a digest with a salt that the record shows tells the key, to whom all who have
-- that key are alike; with a secret it tells nothing
CREATE TABLE salted AS SELECT i AS id, 'p' || floor(1e6 * drawn(i, 880)) || '@x.ch' AS mail, 'n' || i % 50 AS name FROM generate_series(1, 300) AS i;
CREATE FUNCTION by_salt(key text, shown text, OUT hits bigint, OUT said float8) LANGUAGE plpgsql SET client_min_messages = warning AS $$
BEGIN
  DROP TABLE IF EXISTS salted_masked;
  EXECUTE format('CREATE TABLE salted_masked AS SELECT id, NULL::text AS %s, %s FROM salted', key, shown);
  SELECT count(*) FILTER (WHERE correct), sum(probability) INTO hits, said
  FROM sdc.attack_likelihood('salted', 'salted_masked', jsonb_build_object(key, '{"method": "null"}'::jsonb), 'id', key::sdc.columns,
                             '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
END $$;
SELECT key, shown, width_bucket(hits, '{0, 5, 40, 60, 295}'::bigint[]) AS hits, said < 1.1 * hits + 5 AS not_too_sure
FROM (VALUES ('mail', 'id * 7 AS salt, md5(id * 7 || ''-'' || upper(mail)) AS told'),
             ('mail', 'encode(sha256((mail || '':'' || md5(id::text))::bytea), ''base64'') AS told, md5(id::text) AS salt'),
             ('name', 'id / 2.0 AS salt, substr(md5(name || id / 2.0), 1, 12) AS told'),
             ('mail', 'md5(id::text) AS salt, md5(md5(id::text) || mail || drawn(id, 881)) AS told')) AS d (key, shown),
     LATERAL by_salt(key, shown);
DROP FUNCTION by_salt;
DROP TABLE salted, salted_masked;
-- a tax is an income times the rate of a canton
CREATE TABLE taxed AS SELECT i AS id, round(20000 * exp(drawn(i, 830))) AS income, 'c' || floor(8 * drawn(i, 831)) AS canton FROM generate_series(1, 400) AS i;
CREATE TABLE taxed_masked AS
SELECT id, NULL::float8 AS income, NULL::text AS canton, income * (0.05 + 0.2 * drawn(ascii(substr(canton, 2)), 832)) AS tax FROM taxed;
SELECT count(*) FILTER (WHERE correct) > 300 AS finds
FROM sdc.attack_likelihood('taxed', 'taxed_masked', '{"income": {"method": "null"}, "canton": {"method": "null"}}', 'id', 'income,canton',
                           '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
DROP TABLE taxed, taxed_masked;
-- a place is two numbers: their sum, a distance, or one of them tells of whom
-- a record is, as they do of two keys that are numbers; a number that was drawn
-- tells no more than the place that is shown
CREATE TABLE homes AS
SELECT i AS id, point(x, y) AS home, x, y
FROM (SELECT i, 2000 * drawn(i, 31) - 1000 AS x, 2000 * drawn(i, 32) - 1000 AS y FROM generate_series(1, 300) AS i) AS d;
CREATE FUNCTION by_place(keys text, told text, OUT hits float8, OUT said float8) LANGUAGE plpgsql AS $$
DECLARE rules jsonb := CASE keys WHEN 'home' THEN '{"home": {"method": "donut", "inner": 200, "outer": 600}}'::jsonb
                                 ELSE '{"x": {"method": "add_noise", "alpha": 0.5}, "y": {"method": "add_noise", "alpha": 0.5}}' END;
BEGIN
  DROP TABLE IF EXISTS homes_drawn, homes_masked;
  PERFORM sdc.mask('homes', rules, target => 'homes_drawn', id => 'id', seed => 11);
  EXECUTE format('CREATE TABLE homes_masked AS SELECT id, d.home, d.x, d.y, %s AS told FROM homes_drawn AS d JOIN homes AS h USING (id)', told);
  IF keys = 'home' THEN
    ALTER TABLE homes_masked DROP COLUMN x, DROP COLUMN y;
  ELSE
    ALTER TABLE homes_masked DROP COLUMN home;
  END IF;
  SELECT count(*) FILTER (WHERE correct), sum(probability) INTO hits, said
  FROM sdc.attack_likelihood('homes', 'homes_masked', rules, 'id', keys::sdc.columns, '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
END $$;
SELECT keys, told, width_bucket(hits, '{0, 60, 150, 290}'::float8[]) AS hits, abs(said - hits) < 20 AS says_so
FROM unnest('{home,"x,y"}'::text[]) AS keys,
     unnest('{drawn(id\, 33),h.x,h.x + h.y,h.home <-> point(300\,-200),round(h.home <-> point(300\,-200)),sqrt(3 * (h.x - 90) ^ 2 + (h.y + 40) ^ 2)}'::text[]) AS told,
     LATERAL by_place(keys, told);
DROP FUNCTION by_place;
DROP TABLE homes, homes_drawn, homes_masked;
-- equal values have equal pseudonyms: of a town where only some of the people
-- are in the file (or known), those who are found tell its name
CREATE TABLE citizen AS
SELECT i AS id, 'town ' || floor(40 * drawn(i, 41) ^ 1.5) AS town, 20 + floor(60 * drawn(i, 42))::int AS age,
       round(exp(10 + drawn(i, 43))) AS income
FROM generate_series(1, 900) AS i;
CREATE FUNCTION by_town(kept bool, people text, cut text, OUT hits float8, OUT said float8) LANGUAGE plpgsql AS $$
DECLARE
  rules jsonb := '{"income": {"method": "add_noise", "alpha": 0.5}}';
BEGIN
  DROP TABLE IF EXISTS citizen_masked;
  IF NOT kept THEN
    rules := rules || '{"town": {"method": "pseudonym", "domain": "naive"}}';
  END IF;
  PERFORM sdc.mask('citizen', rules, target => 'citizen_masked', id => 'id', seed => 11);
  EXECUTE 'DELETE FROM citizen_masked WHERE ' || cut;
  EXECUTE 'CREATE OR REPLACE VIEW citizen_known AS SELECT * FROM citizen WHERE ' || people;
  SELECT count(*) FILTER (WHERE correct), sum(probability) INTO hits, said
  FROM sdc.attack_likelihood('citizen_known', 'citizen_masked', rules, 'id', 'town,age,income', '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
END $$;
SELECT people, cut, p.hits > .9 * k.hits AS as_if_kept, k.hits > 300 AS many, abs(p.said - p.hits) < .1 * p.hits AS says_so
FROM (VALUES ('true', 'id % 3 = 0'), ('id % 2 = 0', 'false')) AS v(people, cut),
     LATERAL by_town(true, people, cut) AS k, LATERAL by_town(false, people, cut) AS p;
-- a collation in which unequal texts are equal: no pattern may be asked of it
CREATE COLLATION alike (PROVIDER = icu, LOCALE = 'und-u-ks-level2', DETERMINISTIC = false);
DROP TABLE citizen_masked;
CREATE TABLE citizen_alike AS
SELECT id, town COLLATE alike AS town, income, ('Block ' || income || ' of ' || town) COLLATE alike AS home FROM citizen;
SELECT sum(changed) > 0 AS masked
FROM sdc.mask('citizen_alike', '{"income": {"method": "add_noise", "alpha": 2}}', target => 'citizen_masked', id => 'id', seed => 11);
SELECT count(*) FILTER (WHERE correct) > 800 AS by_home
FROM sdc.attack_likelihood('citizen_alike', 'citizen_masked', '{"income": {"method": "add_noise", "alpha": 2}}', 'id', 'town,income', '{"max_candidates": 1}', 1)
WHERE linked_id IS NOT NULL;
DROP TABLE citizen_alike;
-- the boss is one of them: who works for whom is all that is left; alone is
-- who is so in the tree, by plain SQL
CREATE TABLE worker_of AS
SELECT i AS id, 'name ' || i AS name, CASE WHEN i > 1 THEN 'name ' || 1 + floor((i - 1) * drawn(i, 44)) END AS boss
FROM generate_series(1, 200) AS i;
CREATE FUNCTION alone_in_tree() RETURNS bigint LANGUAGE plpgsql SET client_min_messages = warning AS $$
BEGIN
  CREATE TEMP TABLE tree AS SELECT name, boss, '' AS kind FROM worker_of;
  FOR round IN 1 .. 12 LOOP
    CREATE TEMP TABLE next AS
    SELECT t.name, t.boss, md5(t.kind || coalesce((SELECT b.kind FROM tree AS b WHERE b.name = t.boss), '-') ||
           coalesce((SELECT string_agg(w.kind, ',' ORDER BY w.kind) FROM tree AS w WHERE w.boss = t.name), '')) AS kind
    FROM tree AS t;
    DROP TABLE tree;
    ALTER TABLE next RENAME TO tree;
  END LOOP;
  RETURN (SELECT count(*) FROM (SELECT 1 FROM tree GROUP BY kind HAVING count(*) = 1) AS alone);
END $$;
SELECT sum(changed) > 0 AS masked
FROM sdc.mask('worker_of', '{"name": {"method": "pseudonym", "domain": "naive"}, "boss": {"method": "pseudonym", "domain": "naive"}}', target => 'worker_of_masked', id => 'id');
SELECT alone > 50 AS many, hits >= alone AS found, abs(said - hits) < 15 AS says_so
FROM alone_in_tree() AS alone,
     LATERAL (SELECT count(*) FILTER (WHERE correct) AS hits, sum(probability) AS said
              FROM sdc.attack_likelihood('worker_of', 'worker_of_masked', '{"name": {"method": "pseudonym", "domain": "naive"}, "boss": {"method": "pseudonym", "domain": "naive"}}',
                                         'id', 'name,boss', '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL) AS found;
DROP FUNCTION by_town, alone_in_tree;
DROP VIEW citizen_known;
DROP TABLE citizen, citizen_masked, worker_of, worker_of_masked, tree;
DROP COLLATION alike;
-- a mean times k is a sum of k people: who takes sets of three that add up,
-- among all whose sets are few
CREATE TABLE paid AS
SELECT i AS id, floor(90000 * drawn(i, 21))::int AS pay, floor(900 * drawn(i, 22))::int AS hours,
       floor(90000 * drawn(i, 23))::int AS rent, floor(900 * drawn(i, 24))::int AS size
FROM generate_series(1, 150) AS i;
CREATE FUNCTION by_sums(rounded bool, OUT hits float8, OUT said float8) LANGUAGE plpgsql AS $$
DECLARE rules jsonb := '{"pay,hours": {"method": "microaggregate", "k": 3}, "rent,size": {"method": "microaggregate", "k": 3}}';
BEGIN
  DROP TABLE IF EXISTS grouped;
  PERFORM sdc.mask('paid', rules, target => 'grouped', id => 'id', seed => 11);
  IF rounded THEN
    UPDATE grouped SET pay = round(pay / 3000.0) * 3000, rent = round(rent / 3000.0) * 3000;
  END IF;
  SELECT count(*) FILTER (WHERE correct), sum(probability) INTO hits, said
  FROM sdc.attack_likelihood('paid', 'grouped', rules, 'id', 'pay,rent', '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
END $$;
SELECT hits > 120 AS most, abs(said - hits) < 15 AS says_so FROM by_sums(false);
SELECT hits < 100 AS fewer_where_rounded, said - hits < 15 AS not_too_sure FROM by_sums(true);
DROP FUNCTION by_sums;
DROP TABLE paid, grouped;
-- households that were swapped: who takes anybody of the same town, age and sex.
-- That a household has few records makes its own ones look no less likely, and
-- county and town, in either order, are not counted twice
CREATE TABLE living AS
SELECT i AS id, 'h' || md5(h::text) AS hh, 'c' || t / 5 AS county, 't' || t AS town,
  20 + 10 * floor(7 * drawn(i, 31))::int AS age, (ARRAY['m', 'f'])[1 + floor(2 * drawn(i, 32))::int] AS sex
FROM (SELECT i, 1 + i % 200 AS h, floor(20 * drawn(1 + i % 200, 33))::int AS t FROM generate_series(1, 600) AS i) AS p;
CREATE FUNCTION of_places(rules jsonb, keys text, OUT likelihood float8, OUT said float8, OUT naive float8) LANGUAGE plpgsql SET client_min_messages = error AS $$
BEGIN
  DROP TABLE IF EXISTS moved;
  PERFORM sdc.mask('living', rules, target => 'moved', id => 'id', seed => 11);
  SELECT count(*) FILTER (WHERE correct), sum(probability) INTO likelihood, said
  FROM sdc.attack_likelihood('living', 'moved', rules, 'id', keys::sdc.columns, '{"max_candidates": 1}', 1) WHERE linked_id IS NOT NULL;
  SELECT sum((m.town = p.town)::int::float8 / n.c) INTO naive FROM living AS p JOIN moved AS m USING (id)
  JOIN (SELECT town, age, sex, count(*) AS c FROM moved GROUP BY 1, 2, 3) AS n ON (n.town, n.age, n.sex) = (p.town, p.age, p.sex);
END $$;
SELECT r.rules ->> 'hh' IS NULL AS in_clear, keys, likelihood >= naive AS no_less, abs(said - likelihood) < 0.1 * said AS says_so
FROM unnest(ARRAY['{"county,town": {"method": "record_swap", "p": 30, "household": "hh"}}',
                  '{"county,town": {"method": "record_swap", "p": 30, "household": "hh"}, "hh": {"method": "pseudonym", "domain": "naive"}}']::jsonb[]) AS r (rules),
     unnest('{"county,town,age,sex","town,county,age,sex"}'::text[]) AS keys, LATERAL of_places(r.rules, keys) ORDER BY 1, 2;
DROP FUNCTION of_places;
DROP TABLE living, moved;
DROP VIEW few;
DROP TABLE people, masked, tried;
DROP FUNCTION likelihood, naive, drawn;
SELECT sdc.forget_pseudonyms('naive') IS NOT NULL AS forgotten;
