-- joined: sdc.attack_joined, the attack "joined" of policies.

\set SHOW_CONTEXT never
SET sdc.progress_interval = 0;
CREATE SCHEMA shop;
CREATE SCHEMA given;

-- Whole numbers below top that look drawn.
CREATE FUNCTION pick(c int, n int, top int) RETURNS int LANGUAGE sql IMMUTABLE AS
$$SELECT ('x' || substr(md5(c || ' ' || n), 1, 6))::bit(24)::int % top$$;
CREATE TABLE shop.customer (customer_id bigint PRIMARY KEY, born int);
CREATE TABLE shop.orders (order_id bigint PRIMARY KEY,
    customer_id bigint NOT NULL REFERENCES shop.customer, month int);
CREATE TABLE shop.ticket (ticket_id bigint PRIMARY KEY,
    customer_id bigint NOT NULL REFERENCES shop.customer, concert int);
INSERT INTO shop.customer SELECT c, 1950 + pick(c, 0, 12) FROM generate_series(1, 600) AS c;
INSERT INTO shop.orders SELECT c * 10 + n, c, pick(c, n, 12)
FROM generate_series(1, 600) AS c, generate_series(1, 2) AS n;
INSERT INTO shop.ticket SELECT c * 10 + n, c, pick(c, n + 2, 12)
FROM generate_series(1, 600) AS c, generate_series(1, 2) AS n;
SELECT sdc.declare('shop.customer', id => 'customer_id', keys => '{born}');
SELECT sdc.declare('shop.orders', id => 'order_id', person => 'customer_id', keys => '{month}');
SELECT sdc.declare('shop.ticket', id => 'ticket_id', person => 'customer_id', keys => '{concert}');

-- New names alone, in the order of the originals: table by table few are
-- found, by all together nearly everybody.
CREATE TABLE given.customer AS SELECT customer_id * 7 % 601 AS customer_id, born FROM shop.customer;
CREATE TABLE given.orders AS SELECT order_id, customer_id * 7 % 601 AS customer_id, month FROM shop.orders;
CREATE TABLE given.ticket AS SELECT ticket_id, customer_id * 7 % 601 AS customer_id, concert FROM shop.ticket;
CREATE TABLE who AS SELECT customer_id * 7 % 601 AS masked, customer_id AS original FROM shop.customer;
CREATE FUNCTION found(originals regclass[], masked regclass[], params jsonb DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
SELECT CASE WHEN avg((correct)::int) > 0.85 THEN 'nearly all' WHEN avg(correct::int) < 0.16 THEN 'few' ELSE 'some' END
       || ' of ' || count(DISTINCT id)
FROM sdc.attack_joined(originals, masked, link => 'who', params => params, seed => 1)
$$;
SELECT found('{shop.customer,shop.orders}', '{given.customer,given.orders}') AS orders,
       found('{shop.customer,shop.ticket}', '{given.customer,given.ticket}') AS tickets,
       found('{shop.customer,shop.orders,shop.ticket}', '{given.customer,given.orders,given.ticket}') AS together,
       found('{shop.ticket,shop.customer,shop.orders}', '{given.ticket,given.customer,given.orders}') AS any_order;
-- beside tables that tell nothing, however many come first
SELECT found(array_fill('who'::regclass, '{64}') || '{shop.customer,shop.orders,shop.ticket}'::regclass[],
             array_fill('who'::regclass, '{64}') || '{given.customer,given.orders,given.ticket}'::regclass[]) AS among_many;
-- the same for a seed, whatever the order of the rows
CREATE VIEW given.turned AS SELECT * FROM given.orders ORDER BY md5(order_id::text);
SELECT count(*) AS differ
FROM sdc.attack_joined('{shop.customer,shop.orders}', '{given.customer,given.orders}', link => 'who', seed => 1) AS a
FULL JOIN sdc.attack_joined('{shop.customer,shop.orders}', '{given.customer,given.turned}', link => 'who', seed => 1) AS b
  USING (id, linked_id, distance)
WHERE a.candidates IS NULL OR b.candidates IS NULL;
-- who is who by the ids of the rows, and of persons who keep their names
SELECT count(*) FILTER (WHERE correct) > 500 AS by_ids
FROM sdc.attack_joined('{shop.customer,shop.orders,shop.ticket}', '{given.customer,given.orders,given.ticket}', seed => 1);
SELECT count(*) FILTER (WHERE correct) > 500 AS by_names
FROM sdc.attack_joined('{shop.customer,shop.orders,shop.ticket}', '{shop.customer,shop.orders,shop.ticket}', seed => 1);

-- What a row refers to tells of it; what else refers to that is not followed.
CREATE TABLE shop.hall (hall_id bigint PRIMARY KEY, town text);
CREATE TABLE shop.seat (seat_id bigint PRIMARY KEY, hall_id bigint REFERENCES shop.hall,
    ticket_id bigint REFERENCES shop.ticket, place int);
INSERT INTO shop.hall SELECT h, 'town ' || h FROM generate_series(0, 11) AS h;
INSERT INTO shop.seat SELECT ticket_id, concert, ticket_id, pick(ticket_id::int, 9, 30) FROM shop.ticket;
CREATE TABLE given.hall AS SELECT 100 - hall_id AS hall_id, town FROM shop.hall;
CREATE TABLE given.seat AS SELECT 100 - hall_id AS hall_id, ticket_id, place FROM shop.seat;
SELECT count(*) FILTER (WHERE correct) > 400 AS by_seats
FROM sdc.attack_joined('{shop.customer,shop.ticket,shop.seat,shop.hall}',
    '{given.customer,given.ticket,given.seat,given.hall}', person => 'shop.customer', link => 'who', seed => 1);
-- without the column that links, the join is cut
CREATE VIEW given.loose AS SELECT ticket_id, concert FROM given.ticket;
SELECT found('{shop.customer,shop.orders,shop.ticket}', '{given.customer,given.orders,given.loose}');
DROP VIEW given.loose;

-- NULLs, nobody, errors.
SELECT count(*) FROM sdc.attack_joined('{shop.customer,shop.orders}', '{given.customer,given.orders}',
    params => '{"assignment": "none", "max_candidates": 1}', link => 'who', seed => 1);
SELECT sdc.attack_joined('{shop.customer}', '{given.customer}');
SELECT sdc.attack_joined('{shop.customer,shop.orders}', '{given.customer}');
SELECT sdc.attack_joined('{}', '{}');
SELECT sdc.attack_joined(NULL, '{given.customer}');
SELECT sdc.attack_joined('{shop.customer,NULL}', '{given.customer,given.orders}');
SELECT sdc.attack_joined('{shop.customer,shop.orders}', '{given.customer,given.orders}', person => 'shop.ticket');
SELECT sdc.attack_joined('{shop.customer,shop.orders}', '{given.customer,given.orders}', params => '{"known": 1}');
SELECT sdc.attack_joined('{shop.orders,shop.ticket}', '{given.orders,given.ticket}');
DROP TABLE shop.seat, shop.hall, given.seat, given.hall, given.customer, given.orders CASCADE;
DROP TABLE given.ticket;

-- In a policy: each table passes by itself, and the release is refused for
-- what they tell together, though no constraint names that.
CREATE FUNCTION policy(step int) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy('shop', 'shop.customer', jsonb_build_object(
    'customer_id', '{"method": "pseudonym", "format": "digits", "domain": "shop"}'::jsonb,
    'born', jsonb_build_object('method', 'round_to', 'base', step)),
    '[{"attack": "exact", "<=": 0.16}]', '{"schema": "given", "attacks": ["exact"]}');
SELECT sdc.create_policy('shop', 'shop.orders', jsonb_build_object(
    'customer_id', '{"method": "pseudonym", "format": "digits", "domain": "shop"}'::jsonb,
    'month', jsonb_build_object('method', 'round_to', 'base', step)),
    '[{"attack": "exact", "<=": 0.16}]', '{"schema": "given", "attacks": ["exact"]}');
SELECT sdc.create_policy('shop', 'shop.ticket', jsonb_build_object(
    'customer_id', '{"method": "pseudonym", "format": "digits", "domain": "shop"}'::jsonb,
    'concert', jsonb_build_object('method', 'round_to', 'base', step)),
    '[{"attack": "exact", "<=": 0.16}]', '{"schema": "given", "attacks": ["exact"]}');
$$;
SELECT policy(1);
\set VERBOSITY sqlstate
CALL sdc.release('shop');
\set VERBOSITY default
SELECT r.status, t ->> 'relation' AS relation, g ->> 'requirement' AS requirement, g -> 'passed' AS passed
FROM sdc.releases('shop') AS r, jsonb_array_elements(r.measures) AS t, jsonb_array_elements(t -> 'gate') AS g;
-- coarser values in all of them pass, and the links hold
SELECT policy(12);
CALL sdc.release('shop');
SELECT r.status, g ->> 'requirement' AS requirement, g -> 'passed' AS passed,
       g ->> 'detail' ~ 'Found by table: customer .*, orders .*, ticket .*; together' AS told
FROM sdc.releases('shop') AS r, jsonb_array_elements(r.measures) AS t, jsonb_array_elements(t -> 'gate') AS g
WHERE g ->> 'requirement' ~ 'joined' ORDER BY r.release;
SELECT (SELECT count(*) FROM given.orders LEFT JOIN given.customer AS c USING (customer_id) WHERE c.born IS NULL) AS orphan_orders,
       (SELECT count(*) FROM given.ticket LEFT JOIN given.customer AS c USING (customer_id) WHERE c.born IS NULL) AS orphan_tickets;
-- another bound of its own, each table by itself, and in "worst"
SELECT sdc.create_policy('shop', 'shop.customer',
    '{"customer_id": {"method": "pseudonym", "format": "digits", "domain": "shop"}, "born": {"method": "keep"}}',
    '[{"attack": "joined", "<=": 0.9}, {"attack": "joined", "variant": "apart", "<=": 0.9}, {"attack": "worst", "<=": 0.9}]',
    '{"schema": "given", "attacks": ["exact"]}');
CALL sdc.release('shop');
SELECT g ->> 'requirement' AS requirement, g -> 'passed' AS passed
FROM (SELECT * FROM sdc.releases('shop') ORDER BY release DESC LIMIT 1) AS r,
     jsonb_array_elements(r.measures) AS t, jsonb_array_elements(t -> 'gate') AS g WHERE t ->> 'relation' = 'shop.customer';
-- one table alone has nothing to be joined with
SELECT passed, detail FROM sdc.check_release('shop', 'given.customer', '{"relation": "shop.customer"}') LIMIT 1;
SELECT sdc.create_policy('bad', 'shop.customer', '{}', '[{"attack": "joined", "<=": 1, "variant": "both"}]');
SELECT sdc.create_policy('bad', 'shop.customer', '{}', '[{"attack": "joined", "<=": 1, "params": {"known": 1}}]');
-- Columns that nobody knows of another table go with a key of the persons' own:
-- a tax with an income, by itself, or as the sum of what was paid.  They count
-- where the released tables can be joined, and not where a key has no partner.
CREATE TABLE shop.earner (id int PRIMARY KEY, income int, town int);
CREATE TABLE shop.tax (n int PRIMARY KEY, earner int NOT NULL REFERENCES shop.earner, amount int, town int);
INSERT INTO shop.earner SELECT i, i * 7919 % 2003, i % 4 FROM generate_series(1, 400) AS i;
INSERT INTO shop.tax SELECT 1000 + 2 * id + k, id, CASE k WHEN 0 THEN id % 37 ELSE 3 * income + 7 - id % 37 END, town
FROM shop.earner, generate_series(0, 1) AS k;
SELECT sdc.declare('shop.earner', id => 'id', keys => '{income,town}');
SELECT sdc.declare('shop.tax', id => 'n', keys => '{town}', insensitive => '{earner,amount}');
CREATE FUNCTION earners(key jsonb, dropped text[]) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy('earners', rel, rules, '[{"attack": "worst", "<=": 0.3}]',
    jsonb_build_object('schema', 'given', 'drop', drops))
FROM (VALUES ('shop.earner'::regclass, jsonb_build_object('income', '{"method": "null"}'::jsonb, 'id', $1), '{town}'::text[]),
             ('shop.tax', jsonb_build_object('earner', $1), dropped)) AS t(rel, rules, drops)
$$;
\set name '{"method": "pseudonym", "format": "digits", "domain": "earner"}'
\set VERBOSITY sqlstate
SELECT earners(:'name', '{town}');
CALL sdc.release('earners');
\set VERBOSITY default
SELECT status, reason ~ 'joined finds 400 of 400 .* keys: .*tax_amount_sum.* persons shows with columns of the others' AS by_sum
FROM sdc.releases('earners');
SELECT earners(:'name', '{town,amount}');
CALL sdc.release('earners');
-- Nor need there be a foreign key: pseudonyms of the id say as much.
DELETE FROM shop.tax WHERE n % 2 = 0;
ALTER TABLE shop.tax DROP CONSTRAINT tax_earner_fkey;
\set VERBOSITY sqlstate
SELECT earners(:'name', '{town}');
CALL sdc.release('earners');
\set VERBOSITY default
SELECT status, reason ~ 'joined finds [2-4]\d\d of 400.* keys: tax_amount\.' AS by_value
FROM sdc.releases('earners') ORDER BY release;
-- They are found further away, too.
CREATE TABLE shop.slip (m int PRIMARY KEY, n int NOT NULL REFERENCES shop.tax, paid int, town int);
INSERT INTO shop.slip SELECT t.n + 5000, t.n, 3 * e.income + 7, e.town FROM shop.tax AS t JOIN shop.earner AS e ON e.id = t.earner;
SELECT sdc.declare('shop.slip', id => 'm', keys => '{town}', insensitive => '{n,paid}');
SELECT sdc.create_policy('slips', rel, rules, '[{"attack": "worst", "<=": 0.3}]', jsonb_build_object(
    'schema', 'given', 'table', 'slips_' || place, 'drop', drops, 'apart', '{earners}'::text[]))
FROM (VALUES (1, 'shop.earner'::regclass, jsonb_build_object('income', '{"method": "null"}'::jsonb, 'id', :'name'::jsonb), '{town}'::text[]),
             (2, 'shop.tax', jsonb_build_object('earner', :'name'::jsonb, 'n', replace(:'name', 'earner', 'slip')::jsonb), '{town,amount}'),
             (3, 'shop.slip', jsonb_build_object('n', replace(:'name', 'earner', 'slip')::jsonb), '{town}')) AS t(place, rel, rules, drops);
\set VERBOSITY sqlstate
CALL sdc.release('slips');
\set VERBOSITY default
SELECT status, reason ~ 'joined finds [2-4]\d\d of 400.* keys: slip_paid\.' AS by_value FROM sdc.releases('slips');
-- In two policies nobody attacks them together: a warning says so, unless the
-- other one is said to be for others, or has other pseudonyms.
CREATE FUNCTION taxes(name text, domain text, params jsonb) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy(name, 'shop.tax',
    jsonb_build_object('earner', jsonb_build_object('method', 'pseudonym', 'format', 'digits', 'domain', domain)),
    '[{"attack": "worst", "<=": 0.3}]', jsonb_build_object('schema', 'given', 'table', name) || params) $$;
SELECT taxes('taxes', 'earner', '{}');
CALL sdc.release('taxes');
SELECT taxes('taxes', 'earner', '{"apart": ["earners"]}');
CALL sdc.release('taxes');
SELECT taxes('taxes_other', 'other', '{}');
CALL sdc.release('taxes_other');
SELECT sdc.drop_policy(policy) FROM unnest('{earners,slips,taxes,taxes_other}'::text[]) AS policy;
SELECT sdc.drop_policy('shop');

-- Numbers and days that were moved a little: near values tell what equal ones
-- do not, as many as plain SQL that pairs the sorted amounts.
CREATE SCHEMA near;
CREATE TABLE near.person AS SELECT i AS id FROM generate_series(1, 300) AS i;
ALTER TABLE near.person ADD PRIMARY KEY (id);
CREATE TABLE near.sale AS
SELECT i AS id, 1 + i % 300 AS person, (hashint4(i) & 1023)::float8 AS amount,
       date '2020-01-01' + (hashint4(i + 5000) & 1023) AS day
FROM generate_series(1, 1200) AS i;
ALTER TABLE near.sale ADD FOREIGN KEY (person) REFERENCES near.person;
SELECT sdc.declare('near.person', id => 'id'),
       sdc.declare('near.sale', person => 'person', keys => '{amount,day}', insensitive => '{id}');
CREATE TABLE near.named AS SELECT id + 5000 AS id FROM near.person;
CREATE TABLE near.link AS SELECT id AS original, id + 5000 AS masked FROM near.person;
\set move '60 * ((hashint4(id + 9000) & 1023) / 1023.0::float8 - 0.5)'
CREATE TABLE near.amount AS SELECT person + 5000 AS person, amount + :move AS amount FROM near.sale;
CREATE TABLE near.day AS SELECT person + 5000 AS person, day + (:move)::int AS day FROM near.sale;
CREATE TABLE near.never AS SELECT person, CASE WHEN row_number() OVER () % 9 = 0 THEN 'infinity' ELSE day END AS day FROM near.day;
WITH o AS (SELECT person, array_agg(amount ORDER BY amount) AS a FROM near.sale GROUP BY 1),
m AS (SELECT person, array_agg(amount ORDER BY amount) AS a FROM near.amount GROUP BY 1),
n AS (SELECT m.person AS masked, o.person, row_number() OVER (PARTITION BY m.person
          ORDER BY (SELECT sum((x - y) ^ 2) FROM unnest(o.a, m.a) AS u (x, y))) AS place FROM o, m)
SELECT count(*) > 280 AS sql_finds FROM n WHERE place = 1 AND masked = person + 5000;
SELECT t AS moved, count(*) FILTER (WHERE correct AND by = '{}') < 60 AS equal_hide,
       count(*) FILTER (WHERE correct AND by <> '{}') > 280 AS near_tell
FROM unnest('{near.amount,near.day,near.never}'::regclass[]) AS t, unnest('{"{}","{\"near\": true}"}'::jsonb[]) AS by,
     sdc.attack_joined('{near.person,near.sale}', ARRAY['near.named', t]::regclass[],
                       link => 'near.link', params => by, seed => 1)
GROUP BY 1 ORDER BY t::text;
SELECT sdc.attack_joined('{near.person,near.sale}', '{near.named,near.amount}', params => '{"near": 1}');
-- the gate takes the better of both
SELECT sdc.create_policy('near', t, rules::jsonb, '[{"attack": "exact", "<=": 0.2}]',
    ('{"schema": "given", "attacks": ["exact"]' || params || '}')::jsonb)
FROM (VALUES ('near.person'::regclass, '{"id": {"method": "pseudonym", "format": "digits", "domain": "shop"}}', ''),
    ('near.sale', '{"person": {"method": "pseudonym", "format": "digits", "domain": "shop"},
      "amount": {"method": "add_noise", "alpha": 0.001}, "day": {"method": "null"}}', ', "drop": ["id"], "id": "id"')) AS p (t, rules, params);
\set VERBOSITY sqlstate
CALL sdc.release('near');
\set VERBOSITY default
SELECT r.status, g -> 'passed' AS passed, g ->> 'detail' ~ 'sale \d.* by near values; together .* by near values' AS told
FROM sdc.releases('near') AS r, jsonb_array_elements(r.measures) AS t, jsonb_array_elements(t -> 'gate') AS g
WHERE g ->> 'requirement' ~ 'joined';
SELECT sdc.drop_policy('near');
DROP SCHEMA near CASCADE;

-- Tables without a foreign key are joined by a column that both publish in the
-- same way and that tells the rows of one apart; not by numbers that count rows,
-- nor where one of them gets other names.
CREATE SCHEMA bank;
CREATE TABLE bank.holder AS
SELECT i AS id, 'A' || md5(i || 'a') AS account, row_number() OVER (ORDER BY md5(i || 'n')) AS number, i * 7919 % 2003 AS wealth FROM generate_series(1, 300) AS i;
CREATE TABLE bank.loan AS
SELECT 5000 + id AS id, account, number, id * 104729 % 997 AS rate, 3 * wealth + 7 AS tax FROM bank.holder WHERE id % 10 > 0;
SELECT sdc.declare('bank.holder', id => 'id', keys => '{wealth}', insensitive => '{account,number}');
SELECT sdc.declare('bank.loan', id => 'id', keys => '{rate}', insensitive => '{account,number,tax}');
CREATE FUNCTION bank(rules jsonb, dropped text[]) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy('bank', 'bank.holder', '{"wealth": {"method": "null"}}' || (rules -> 0), '[{"attack": "worst", "<=": 0.1}]',
    jsonb_build_object('schema', 'given', 'drop', dropped));
SELECT sdc.create_policy('bank', 'bank.loan', '{"rate": {"method": "null"}}' || (rules -> 1), '[{"attack": "worst", "<=": 0.1}]',
    jsonb_build_object('schema', 'given', 'drop', dropped));
$$;
\set named '{"account": {"method": "pseudonym", "domain": "shop"}}'
\set other '{"account": {"method": "pseudonym", "domain": "other"}}'
\set VERBOSITY sqlstate
SELECT bank('[{}, {}]', '{number}');
CALL sdc.release('bank');
SELECT count(*) AS sql_finds FROM bank.holder AS h JOIN bank.loan AS l USING (account) WHERE h.wealth = (l.tax - 7) / 3;
SELECT bank(jsonb_build_array(:'named'::jsonb, :'named'::jsonb), '{number}');
CALL sdc.release('bank');
SELECT bank(jsonb_build_array(:'named'::jsonb, :'other'::jsonb), '{number}');
CALL sdc.release('bank');
SELECT bank('[{}, {}]', '{account}');
CALL sdc.release('bank');
\set VERBOSITY default
SELECT r.status, bool_or((g ->> 'value')::float8 > 0.85) FILTER (WHERE g ->> 'requirement' ~ 'joined') AS found
FROM sdc.releases('bank') AS r, jsonb_array_elements(r.measures) AS t, jsonb_array_elements(t -> 'gate') AS g
GROUP BY r.release, r.status ORDER BY r.release;
SELECT sdc.drop_policy('bank');
DROP FUNCTION bank;
DROP SCHEMA bank CASCADE;
DROP SCHEMA shop CASCADE;
DROP SCHEMA given CASCADE;
DROP TABLE who;
DROP FUNCTION pick, found, policy, earners, taxes;
SELECT sdc.forget_pseudonyms('shop'), sdc.forget_pseudonyms('earner'), sdc.forget_pseudonyms('other'), sdc.forget_pseudonyms('slip');
