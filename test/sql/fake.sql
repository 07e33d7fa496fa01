-- fake: values that look real, the same for the same person everywhere.
SET client_min_messages = warning;
-- Known secrets, so that what is made of them can be named here.
INSERT INTO sdc.secret (domain, key) VALUES
    ('fake known', sha256('known')), ('fake other', sha256('other'));

-- The same person is the same in every table, session and order of calls;
-- locale, kind and sex only choose what is shown of him.
SELECT locale, sdc.fake('p1', 'name', 'fake known', locale => locale) AS name,
       sdc.fake('p1', 'email', 'fake known', locale => locale) AS email,
       sdc.fake('p1', 'address', 'fake known', locale => locale) AS address
FROM unnest('{en,de,fr,es,ja}'::text[]) AS locale;
SELECT locale, sdc.fake('p1', 'phone', 'fake known', locale => locale) AS phone,
       sdc.fake('p1', 'national_id', 'fake known', locale => locale) AS national_id,
       sdc.fake('p1', 'company', 'fake known', locale => locale) AS company,
       CASE WHEN locale <> 'ja' THEN sdc.fake('p1', 'iban', 'fake known', locale => locale) END AS iban
FROM unnest('{en,de,fr,es,ja}'::text[]) AS locale;
SELECT sdc.fake('p1', 'card', 'fake known') AS card, sdc.fake('a note of the customer', 'text', 'fake known') AS text,
       sdc.fake('p1', 'login', 'fake known') AS login, sdc.shift_days('p1', 'fake known') AS days;
-- by value, domain and period, and apart from pseudonyms
SELECT sdc.fake('p1', 'login', 'fake known') <> sdc.fake('p2', 'login', 'fake known') AS by_value,
       sdc.fake('p1', 'login', 'fake known') <> sdc.fake('p1', 'login', 'fake other') AS by_domain,
       sdc.fake('p1', 'login', 'fake known') <> sdc.fake('p1', 'login', 'fake known', '2026-11') AS by_period,
       sdc.fake('p1', 'login', 'fake known', '') <> sdc.fake('p1', 'login', 'fake known') AS empty_period,
       sdc.fake('p1', 'login', 'fake known') = sdc.fake('other', 'login', 'fake known', person => 'p1') AS by_person;
SELECT count(DISTINCT sdc.shift_days('p' || i, 'fake known', p)) > 1 AS shifts_differ
FROM generate_series(1, 5) AS i, unnest('{a,b}'::text[]) AS p;

-- The hash is HMAC-SHA-256 with the key of the domain: a value made by hand.
CREATE FUNCTION hmac_of(key bytea, message bytea) RETURNS bytea LANGUAGE sql AS $$
SELECT sha256(o || sha256(i || message)) FROM (
    SELECT decode(string_agg(lpad(to_hex(get_byte(k, n) # 92), 2, '0'), '' ORDER BY n), 'hex') AS o,
           decode(string_agg(lpad(to_hex(get_byte(k, n) # 54), 2, '0'), '' ORDER BY n), 'hex') AS i
    FROM (SELECT key || decode(repeat('00', 32), 'hex') AS k) AS p, generate_series(0, 63) AS n) AS pads $$;
SELECT sdc.shift_days(v, 'fake known', days => 100) = CASE WHEN d < 100 THEN d - 100 ELSE d - 99 END AS by_hand
FROM unnest('{x,Łódź,""}'::text[]) AS v,
     floor(('x' || left(encode(hmac_of(sha256('known'), '\x06' || convert_to(v, 'UTF8')), 'hex'), 12))::bit(48)::bigint::numeric
           * 200 / 281474976710656) AS d;

-- Persons: what is shown of one fits, sex chooses the list.
SELECT count(*) AS persons, count(*) FILTER (WHERE name <> first || ' ' || last) AS other_names,
       count(*) FILTER (WHERE email <> login || '@example.org') AS other_logins,
       count(*) FILTER (WHERE first_f = first_m) AS of_both_sexes,
       count(*) FILTER (WHERE first NOT IN (first_f, first_m)) AS of_no_sex,
       abs(count(*) FILTER (WHERE first = first_f) - 500) < 100 AS halves
FROM (SELECT sdc.fake(p, 'first_name', d) AS first, sdc.fake(p, 'last_name', d) AS last,
             sdc.fake(p, 'name', d) AS name, sdc.fake(p, 'login', d) AS login, sdc.fake(p, 'email', d) AS email,
             sdc.fake(p, 'first_name', d, sex => 'F') AS first_f, sdc.fake(p, 'first_name', d, sex => 'Male') AS first_m
      FROM generate_series(1, 1000) AS i, LATERAL (SELECT 'person ' || i AS p, 'fake known' AS d) AS of) AS s;
SELECT (sdc.fake('p', 'first_name', 'fake known', sex => a) = sdc.fake('p', 'first_name', 'fake known', sex => b)) = alike AS right_list
FROM (VALUES ('f', 'weiblich', true), ('f', '女', true), ('m', 'H', true), ('m', '男性', true), ('f', 'm', false),
             ('a very long word that is no sex', NULL, true)) AS v (a, b, alike);

-- Places: the city and its postcode.
SELECT bool_and(address = street || ', ' || postcode || ' ' || city) AS fit, count(DISTINCT city) > 30 AS cities,
       count(DISTINCT left(postcode, 2)) FILTER (WHERE city = 'Berlin') AS berlin
FROM (SELECT sdc.fake(i::text, 'address', 'fake known', locale => 'de') AS address,
             sdc.fake(i::text, 'street', 'fake known', locale => 'de') AS street,
             sdc.fake(i::text, 'postcode', 'fake known', locale => 'de') AS postcode,
             sdc.fake(i::text, 'city', 'fake known', locale => 'de') AS city
      FROM generate_series(1, 1000) AS i) AS s;

-- Check digits, by SQL: Luhn of cards, mod 97 of accounts.
SELECT count(*) FILTER (WHERE luhn % 10 <> 0) AS wrong_cards FROM (
    SELECT sum(CASE WHEN n % 2 = 1 THEN (d * 2) / 10 + (d * 2) % 10 ELSE d END) AS luhn
    FROM generate_series(1, 300) AS i, LATERAL (SELECT sdc.fake(i::text, 'card', 'fake known') AS c OFFSET 0) AS f,
         generate_series(1, 16) AS n, LATERAL (SELECT substr(c, n, 1)::int AS d) AS s GROUP BY i) AS l;
SELECT count(*) FILTER (WHERE remainder <> 1) AS wrong_ibans FROM (
    SELECT string_agg(CASE WHEN ch ~ '\d' THEN ch ELSE (ascii(ch) - 55)::text END, '' ORDER BY n)::numeric % 97 AS remainder
    FROM generate_series(1, 100) AS i, unnest('{en,de,fr,es}'::text[]) AS l,
         LATERAL (SELECT sdc.fake(i::text, 'iban', 'fake known', locale => l) AS c OFFSET 0) AS f,
         generate_series(1, length(c)) AS n, LATERAL (SELECT substr(substr(c, 5) || left(c, 4), n, 1) AS ch) AS s
    GROUP BY i, l) AS m;
-- Phones ring at nobody's: the ranges of the regulators, and nothing else.
SELECT locale, count(*) FILTER (WHERE phone !~ range) AS outside
FROM generate_series(1, 500) AS i, (VALUES ('en', '^\+1 \d{3} 555 01\d\d$'),
    ('de', '^\+49 (30 23125|69 90009|40 66969|221 4710|89 99998) \d{3}$'),
    ('fr', '^\+33 (1 99 00|2 61 91|3 53 01|4 65 71|5 36 49|6 39 98) \d\d \d\d$'),
    ('es', '^\+34 99\d \d{3} \d{3}$'), ('ja', '^0[789]0-0\d{3}-\d{4}$')) AS v (locale, range),
    LATERAL (SELECT sdc.fake(i::text, 'phone', 'fake known', locale => locale) AS phone OFFSET 0) AS f
GROUP BY locale ORDER BY locale;

-- Addresses and logins do not meet, a fake is not what it stands for.
SELECT count(DISTINCT sdc.fake(i::text, 'email', 'fake known', locale => 'ja')) AS addresses FROM generate_series(1, 100000) AS i;
SELECT count(*) FILTER (WHERE sdc.fake(name, 'first_name', 'fake known', person => i::text) = name) AS own_names
FROM generate_series(1, 2000) AS i, LATERAL (SELECT sdc.fake('', 'first_name', 'fake known', person => i::text) AS name OFFSET 0) AS f;
-- Texts are as long, to eight characters; the size of a column bounds all.
SELECT l AS length, length(sdc.fake(repeat('ü', l), 'text', 'fake known')) AS text,
       length(sdc.fake(repeat('ü', l), 'text', 'fake known', size => 20)) AS at_most_20
FROM unnest('{0,1,8,9,100,4001,100000}'::int[]) AS l;
SELECT kind, max(length(sdc.fake(i::text, kind, 'fake known', locale => 'de', size => 22))) AS at_most_22
FROM generate_series(1, 300) AS i, unnest('{first_name,last_name,name,login,email,street,city,address,company,card}'::text[]) AS kind
GROUP BY kind ORDER BY kind;

-- NULL, and arguments that are none.
SELECT sdc.fake(NULL, 'name', 'fake known') IS NULL AS stays_null, sdc.shift_days(NULL, 'fake known') IS NULL AS days,
       sdc.fake('a', 'name', 'fake known', person => NULL) = sdc.fake('a', 'name', 'fake known') AS no_person;
SELECT sdc.fake('a', 'nam', 'fake known');
SELECT sdc.fake('a', 'name', 'fake known', locale => 'xx');
SELECT sdc.fake('a', 'name', '');
SELECT sdc.fake('a', NULL, 'fake known');
SELECT sdc.fake('a', 'name', NULL);
SELECT sdc.fake('a', 'name', 'fake known', locale => NULL);
SELECT sdc.fake('a', 'iban', 'fake known', locale => 'ja');
SELECT sdc.fake('a', 'email', 'fake known', size => 21);
SELECT sdc.fake('a', 'email', 'fake known', size => -1);
SELECT sdc.shift_days('a', 'fake known', days => 0);
SELECT sdc.shift_days('a', 'fake known', days => 36501);

-- As rules: one bundle, two tables, the plan's refusals.
CREATE TABLE client (id int PRIMARY KEY, sex text, first text, last varchar(12), email varchar(60) UNIQUE, phone text,
                     born date, seen timestamptz, note text, city char(12), pin text UNIQUE, n numeric);
INSERT INTO client
SELECT i, CASE i % 3 WHEN 0 THEN 'f' WHEN 1 THEN 'm' END, 'First' || i, 'Last' || i, 'u' || i || '@mail.test', '0' || i,
       date '1970-01-01' + i, timestamptz '2020-01-01 12:00 UTC' + i * interval '1 hour', repeat('n', i % 50), 'Town', 'p' || i, i
FROM generate_series(1, 300) AS i;
UPDATE client SET first = NULL, born = 'infinity' WHERE id = 7;
CREATE TABLE visit (client int REFERENCES client, mail text, at date);
INSERT INTO visit SELECT i, 'u' || i || '@mail.test', date '1970-01-01' + i + 10 FROM generate_series(1, 300) AS i;
CREATE FUNCTION bundle(kind text) RETURNS jsonb LANGUAGE sql AS $$
SELECT jsonb_build_object('method', 'fake', 'kind', kind, 'domain', 'fake known', 'by', 'id', 'sex', 'sex') $$;
SELECT subject, method, changed FROM sdc.mask('client', jsonb_build_object(
    'first', bundle('first_name'), 'last', bundle('last_name'), 'email', bundle('email'), 'city', bundle('city'),
    'note', '{"method": "fake", "kind": "text", "domain": "fake known"}'::jsonb,
    'born', '{"method": "shift", "domain": "fake known", "by": "id", "days": 90}'::jsonb,
    'seen', '{"method": "shift", "domain": "fake known", "by": "id", "days": 90}'::jsonb), target => 'client_out', id => 'id')
WHERE step = 'mask' AND method IS NOT NULL ORDER BY subject;
SELECT count(*) AS rows, count(*) FILTER (WHERE o.first <> sdc.fake('', 'first_name', 'fake known', sex => o.sex, person => o.id::text)) AS other_first,
       count(*) FILTER (WHERE position(lower(left(o.first, 1)) IN o.email) <> 1) AS other_mail,
       count(DISTINCT o.email) AS mails, count(o.first) AS firsts, max(length(o.last)) AS last,
       count(*) FILTER (WHERE length(o.note) <> (length(c.note) + 7) / 8 * 8) AS other_lengths,
       count(*) FILTER (WHERE c.born + extract(day FROM o.seen - c.seen)::int <> o.born) AS not_alike,
       count(*) FILTER (WHERE o.born = c.born) AS infinite, max(abs(extract(epoch FROM o.seen - c.seen))) / 86400 <= 90 AS within
FROM client_out AS o JOIN client AS c USING (id);
-- the other table, by the person that it refers to
SELECT count(*) AS steps FROM sdc.mask('visit', '{"mail": {"method": "fake", "kind": "email", "domain": "fake known"},
    "at": {"method": "shift", "domain": "fake known", "by": "client", "days": 90}}', target => 'visit_out') WHERE step = 'mask' AND method <> 'keep';
SELECT count(*) AS visits, count(*) FILTER (WHERE c.born + 10 = v.at) AS ten_days_after
FROM visit_out AS v JOIN client_out AS c ON c.id = v.client;
-- Summer time: what lies between two times of a person stays to the second,
-- in a zone with summer time too, and the same whatever zone masks it; the
-- hour that a clock shows there may be another one.
CREATE TABLE stay (person int, place int, at timestamptz);
INSERT INTO stay SELECT p, h, timestamptz '2023-01-05 00:30+00' + (p * 37 + h * 61) * interval '24 hours' + p * interval '7 minutes'
FROM generate_series(1, 60) AS p, generate_series(1, 6) AS h;
CREATE FUNCTION stays(zone text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE steps bigint;
BEGIN
    PERFORM set_config('timezone', zone, true);
    SELECT count(*) INTO steps FROM sdc.mask('stay', '{"at": {"method": "shift", "domain": "fake known", "by": "person", "days": 200}}',
        target => 'stay_' || lower(left(zone, 3)));
    RETURN steps;
END $$;
SELECT stays(zone) > 0 AS masked FROM unnest('{Europe/Berlin,UTC}'::text[]) AS zone;
SELECT count(*) AS differ FROM (TABLE stay_eur EXCEPT ALL TABLE stay_utc) AS d;
SELECT count(DISTINCT extract(epoch FROM m.at - o.at)) > 40 AS shifts,
       bool_and(extract(epoch FROM m.at - o.at)::int % 86400 = 0) AS whole_days,
       bool_and(extract(epoch FROM m.at - n.at) = extract(epoch FROM o.at - q.at)) AS intervals_stay,
       count(*) FILTER (WHERE (m.at AT TIME ZONE 'Europe/Berlin')::time <> (o.at AT TIME ZONE 'Europe/Berlin')::time) > 40 AS clocks_differ
FROM stay_utc AS m JOIN stay AS o USING (person, place) JOIN stay_utc AS n USING (person) JOIN stay AS q
     ON q.person = n.person AND q.place = n.place;
DROP TABLE stay, stay_eur, stay_utc;
DROP FUNCTION stays(text);
-- what the plan refuses
CREATE FUNCTION refused(rules jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d text; h text;
BEGIN
    PERFORM sdc.mask('client', rules, target => 'never');
    RETURN 'done';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT;
    RETURN concat_ws(' | ', SQLERRM, d, h);
END $$;
SELECT refused('{"phone": {"method": "fake", "kind": "shoe", "domain": "d"}}');
SELECT refused('{"phone": {"method": "fake", "domain": "d"}}');
SELECT refused('{"phone": {"method": "fake", "kind": "phone"}}');
SELECT refused('{"phone": {"method": "fake", "kind": "phone", "domain": "d", "by": "nobody"}}');
SELECT refused('{"pin": {"method": "fake", "kind": "national_id", "domain": "d"}}');
SELECT refused('{"pin": {"method": "fake", "kind": "first_name", "domain": "d"}}');
-- 1,600,000 values in a unique column: where only the tail of an address has
-- room they may meet, and with the names before it they do not
CREATE UNLOGGED TABLE many (wide text, narrow varchar(22));
INSERT INTO many SELECT 'x', 'x' FROM generate_series(1, 1600000);
CREATE UNIQUE INDEX ON many (wide) WHERE false;
CREATE UNIQUE INDEX ON many (narrow) WHERE false;
SELECT sdc.mask('many', '{"wide": {"method": "fake", "kind": "email", "domain": "d"},
    "narrow": {"method": "fake", "kind": "email", "domain": "d"}}', target => 'many_safe');
DROP TABLE many;
SELECT refused('{"last": {"method": "fake", "kind": "iban", "domain": "d"}}');
SELECT refused('{"n": {"method": "fake", "kind": "phone", "domain": "d"}}');
SELECT refused('{"note": {"method": "shift", "domain": "d"}}');
SELECT refused('{"born": {"method": "shift", "domain": "d", "days": 0}}');
SELECT refused('{"born": {"method": "shift", "domain": "d", "by": "id", "kind": "x"}}');
-- a person that is withheld is still who the fakes are by
SELECT count(*) > 0 AS done FROM sdc.mask('client', jsonb_build_object('id', '{"method": "null"}'::jsonb, 'first', bundle('first_name')), target => 'client_gone');
SELECT count(*) FILTER (WHERE id IS NULL) AS no_id, count(DISTINCT first) > 100 AS names FROM client_gone;

-- In place: whatever refers to a column that gets fakes would lose its partner.
SELECT count(*) > 0 AS done FROM sdc.mask('client', jsonb_build_object('email', bundle('email'), 'born', '{"method": "shift", "domain": "fake known"}'::jsonb));
SELECT count(*) FILTER (WHERE email LIKE '%@example.org') AS fakes FROM client;

-- Rights: nobody's until they are granted.
CREATE ROLE regress_sdc_faker;
SET ROLE regress_sdc_faker;
SELECT sdc.fake('p1', 'name', 'fake known');
SELECT sdc.shift_days('p1', 'fake known');
RESET ROLE;
DROP ROLE regress_sdc_faker;
DROP TABLE client, visit, client_out, visit_out, client_gone CASCADE;
DROP FUNCTION bundle, refused, hmac_of;
SELECT bool_and(sdc.forget_pseudonyms(domain)) FROM sdc.secret WHERE domain LIKE 'fake %';
SELECT sdc.forget_pseudonyms('d') IS NOT NULL AS d;
