-- exact_linkage: who has a row that is equal.
\set SHOW_CONTEXT never

-- EX-SAL-3 to 5: a voter list (the intruder's file) against a salary table.
CREATE TABLE sal_external (ssn text, dob date, sex text, zip text);
INSERT INTO sal_external VALUES ('11-1-111', '1976-01-21', 'M', '53715'), ('33-3-333', '1976-02-28', 'M', '53703');
CREATE TABLE sal_original (ssn text, dob date, sex text, zip text, salary int);
INSERT INTO sal_original VALUES ('11-1-111', '1976-01-21', 'M', '53715', 50000), ('x2', '1986-04-13', 'F', '53715', 55000),
  ('33-3-333', '1976-02-28', 'M', '53703', 60000), ('x4', '1976-01-21', 'M', '53703', 65000),
  ('x5', '1986-04-13', 'F', '53706', 70000), ('x6', '1976-02-28', 'F', '53706', 75000);
SELECT id, linked_id, candidates, probability, correct FROM sdc.attack_exact('sal_external', 'sal_original', 'ssn', '{dob}');
SELECT l.id, l.candidates, l.correct, o.salary FROM sdc.attack_exact('sal_external', 'sal_original', 'ssn', '{dob,sex,zip}') AS l
JOIN sal_original AS o ON o.ssn = l.linked_id;
SELECT id, candidates FROM sdc.attack_exact('sal_external', 'sal_original', 'ssn', '{dob,zip}', '{"prefix": {"zip": 3}}') GROUP BY 1, 2 ORDER BY 1;
DROP TABLE sal_external, sal_original;

-- Purchases: many rows for one id.  In plain SQL, each pair of equal rows counts.
CREATE TABLE bought AS
SELECT 'c' || i % 23 AS customer, (i * 7) % 11 AS item, nullif(i % 5, 0) AS quantity, date '2026-01-01' + (i * 3) % 40 AS day
FROM generate_series(1, 150) AS i;
CREATE TABLE bought_masked AS
SELECT customer, item, CASE WHEN item % 3 = 0 THEN quantity + 1 ELSE quantity END AS quantity, day FROM bought WHERE item <> 5;
CREATE VIEW by_hand AS
SELECT o.customer AS id, m.customer AS linked_id, count(*) AS pairs
FROM bought AS o JOIN bought_masked AS m ON m.item = o.item AND m.quantity = o.quantity GROUP BY 1, 2;
CREATE TABLE linked AS SELECT * FROM sdc.attack_exact('bought', 'bought_masked', 'customer', '{item,quantity}', '{"nulls": "ignore"}');
SELECT count(*) AS rows, count(*) FILTER (WHERE linked_id IS NULL) AS alone FROM linked;
SELECT count(*) AS differences FROM (
  SELECT *, count(*) OVER (PARTITION BY id) AS n, sum(pairs) OVER (PARTITION BY id) AS total FROM by_hand) AS h
FULL JOIN linked AS l ON l.id = h.id AND l.linked_id = h.linked_id
WHERE h.n IS DISTINCT FROM l.candidates OR abs(l.probability - h.pairs / h.total) > 1e-12
   OR l.correct IS DISTINCT FROM (h.n = 1 AND h.id = h.linked_id) OR l.certain OR l.distance IS NOT NULL;
-- cut short: the right one and the likeliest stay, the rest has no name
SELECT count(*) AS rows, sum(probability)::numeric(10, 6) AS probability, bool_or(linked_id = id) AS has_own
FROM sdc.attack_exact('bought', 'bought_masked', 'customer', '{item}', '{"max_candidates": 3}') WHERE id = 'c7';
SELECT count(*) AS differences FROM (
  SELECT id, linked_id, probability FROM sdc.attack_exact('bought', 'bought_masked', 'customer', '{item}', '{"max_candidates": 3}')
  WHERE linked_id IS NOT NULL
  EXCEPT SELECT id, linked_id, probability FROM sdc.attack_exact('bought', 'bought_masked', 'customer', '{item}')) AS x;
-- a NULL is a value like any other, unless it agrees with nobody
SELECT round(sum(probability)::numeric, 9) = 23 AS adds_up, count(*) > (SELECT count(*) FROM linked) AS more
FROM sdc.attack_exact('bought', 'bought_masked', 'customer', '{item,quantity}');
SELECT sdc.declare('bought', nulls => 'wildcard');
SELECT count(*) AS differences FROM (
  SELECT * FROM sdc.attack_exact('bought', 'bought_masked', 'customer', '{item,quantity}') EXCEPT ALL TABLE linked) AS x;
SELECT sdc.declare('bought');
-- the other direction, another name, another order of rows, another type
SELECT count(DISTINCT id) FROM sdc.attack_exact('bought', 'bought_masked', 'customer', '{item}', '{"direction": "to_original"}');
CREATE VIEW renamed AS SELECT customer AS who, item::text AS thing, quantity::numeric AS quantity FROM bought_masked ORDER BY day DESC, item;
SELECT count(*) AS differences FROM (
  SELECT * FROM sdc.attack_exact('bought', 'renamed', 'customer', '{item,quantity}', '{"nulls": "ignore", "map": {"customer": "who", "item": "thing"}}')
  EXCEPT ALL TABLE linked) AS x;

-- Bad input
CREATE VIEW nobody AS SELECT * FROM bought WHERE false;
CREATE VIEW nameless AS SELECT nullif(customer, 'c3') AS customer, item FROM bought;
SELECT count(*), sum(candidates) FROM sdc.attack_exact('bought', 'nobody', 'customer', '{item}');
SELECT count(*) FROM sdc.attack_exact('nobody', 'bought', 'customer', '{item}');
SELECT * FROM sdc.attack_exact('bought', 'nameless', 'customer', '{item}');
SELECT * FROM sdc.attack_exact('bought', 'bought', 'customer', '{}');
SELECT * FROM sdc.attack_exact('bought', 'bought', 'nobody', '{item}');
SELECT * FROM sdc.attack_exact('bought', 'bought', 'customer', '{item}', '{"prefix": {"day": 2}}');
SELECT * FROM sdc.attack_exact('bought', 'bought', 'customer', '{item}', '{"prefix": {"item": 0}}');
SELECT * FROM sdc.attack_exact('bought', 'bought', 'customer', '{item}', '{"columns": ["item"]}');
SELECT * FROM sdc.attack_exact('bought', NULL, 'customer', '{item}');
DROP VIEW nameless, nobody, renamed, by_hand;
DROP TABLE linked, bought, bought_masked;

-- Equal values that print differently: who has the file in hand reads text.
CREATE TABLE forms AS SELECT i AS id, CASE WHEN i % 2 = 0 THEN (i / 4)::numeric(10,0) ELSE (i / 4)::numeric(10,2) END AS wage,
  i % 2 AS odd FROM generate_series(0, 39) AS i;
SELECT c AS compare, max(l.candidates) AS candidates, count(DISTINCT l.id) FILTER (WHERE l.id = l.linked_id) AS own
FROM unnest('{text,value,either}'::text[]) AS c, sdc.attack_exact('forms', 'forms', 'id', '{wage,odd}',
  jsonb_build_object('compare', c)) AS l GROUP BY c ORDER BY c;
SELECT c AS compare, max(l.candidates) AS candidates
FROM unnest('{text,value,either}'::text[]) AS c, sdc.attack_exact('forms', 'forms', 'id', '{wage}',
  jsonb_build_object('compare', c)) AS l GROUP BY c ORDER BY c;
-- Where all have one form, as copies of sdc have, text finds those who had it,
-- and either finds as many as value.
CREATE TABLE one_form AS SELECT id, wage::numeric(10,2) AS wage, odd FROM forms;
SELECT c AS compare, count(*) FILTER (WHERE l.id = l.linked_id) AS own, sum((l.linked_id IS NULL)::int) AS alone
FROM unnest('{text,value,either}'::text[]) AS c, sdc.attack_exact('forms', 'one_form', 'id', '{wage}',
  jsonb_build_object('compare', c)) AS l GROUP BY c ORDER BY c;
-- The gate takes the better of the two: here the forms were exchanged.
CREATE TABLE exchanged AS SELECT id, CASE WHEN id % 2 = 1 THEN wage::numeric(10,0) ELSE wage::numeric(10,2) END AS wage, odd FROM forms;
SELECT masked, d.measure, round(d.value::numeric, 3) AS value
FROM unnest('{forms,exchanged,one_form}'::regclass[]) AS masked,
  sdc.disclosure_report('forms', masked, 'id', '{wage}', '{odd}', measures => '{exact}') AS d
WHERE d.measure IN ('reid_d', 'reid_k') ORDER BY 1, 2;
SELECT * FROM sdc.attack_exact('forms', 'forms', 'id', '{wage}', '{"compare": "bytes"}');
-- A release in which a class has two forms hides nobody in the whole class.
SELECT count(*) AS people, sum(candidates) AS candidates FROM sdc.attack_composition('{forms}', 'id', '{wage}', '{odd}');
DROP TABLE forms, one_form, exchanged;
