-- transactions: measures of masked purchases, the attack by sets of items and
-- the protection against it.

\set SHOW_CONTEXT never
CREATE SCHEMA shop;
SET search_path = shop, public;

-- EX-PWS: tiny tables of the contest.
CREATE TABLE m (cid text PRIMARY KEY, gender text, nation text);
INSERT INTO m VALUES
    ('c1','f','UK'), ('c2','m','UK'), ('c3','f','FR'), ('c4','m','FR');
CREATE TABLE lnk (pid text PRIMARY KEY, cid text);
INSERT INTO lnk VALUES ('p1','c3'), ('p2','c1'), ('p3','c4'), ('p4','c2');
CREATE VIEW mm AS SELECT pid AS cid, gender, nation FROM lnk JOIN m USING (cid);
CREATE TABLE t (cid text, at date, item text, price numeric, qty int);
CREATE TABLE tm (LIKE t);
INSERT INTO t VALUES
    ('c1','2011-01-05','A',2.0,3), ('c1','2011-01-05','B',1.0,1),
    ('c1','2011-02-20','C',4.0,1), ('c2','2011-01-07','A',2.0,1),
    ('c2','2011-03-01','D',5.0,2), ('c3','2011-01-09','B',1.0,4),
    ('c3','2011-01-09','C',4.0,2), ('c4','2011-02-01','D',5.0,1),
    ('c4','2011-02-01','A',2.0,2), ('c4','2011-03-15','B',1.0,2);
INSERT INTO tm VALUES
    ('p2','2011-01-05','A',2.0,3), ('p2','2011-01-05','B',1.5,1),
    ('p2','2011-02-20','D',4.0,1), ('p4','2011-01-07','A',2.0,1),
    ('p4','2011-03-01','D',5.0,2), ('p1','2011-01-10','B',1.0,4),
    ('p1','2011-01-10','D',5.0,2), ('p3','2011-02-01','D',5.0,1),
    ('p3','2011-02-01','A',2.0,2), ('p3','2011-03-15','C',1.0,2);
\set map '{"customer": "cid", "quantity": "qty"}'
-- EX-PWS-1: 0.108333
SELECT round(sdc.mean_price_error('t', 'tm', 'm', 'mm', '{nation,gender}', :'map')::numeric, 6);
-- EX-PWS-2: 0.416667
SELECT round(sdc.item_set_distance('t', 'tm', 'lnk', :'map')::numeric, 6);
-- EX-PWS-3: p1>c4 p2>c4 p3>c2 p4>c2
SELECT string_agg(id || '>' || linked_id, ' ' ORDER BY id), max(candidates)
FROM sdc.attack_itemset('t', 'tm', 'lnk', mapping => :'map');
-- EX-PWS-4: 0.25
SELECT (sdc.reid(l)).reid_d
FROM sdc.attack_itemset('t', 'tm', 'lnk', mapping => :'map') l;
-- EX-PWS-5: 7
SELECT sdc.turnover_error('t', 'tm', 'lnk', 2, mapping => :'map');

-- Purchases by plain SQL: customers of very different sizes, ties, holes.
CREATE TABLE buy AS
SELECT 'c' || c AS customer, 'i' || inv AS invoice,
       timestamp '2011-01-01' + make_interval(days => (c * inv * 7) % 90, hours => 9) AS at,
       'item' || (x % 1000) * (x % 1000) * 12 / 1000000 AS item,
       round(1 + x / 1000 % 2000 / 100.0, 2) AS price, 1 + x / 3000 % 12 AS quantity
FROM generate_series(1, 24) AS c, generate_series(1, 1 + c % 4) AS inv,
     generate_series(1, 1 + (c * inv) % 3) AS line,
     LATERAL (SELECT ('x' || substr(md5(concat(c, '/', inv, '/', line)), 1, 7))::bit(28)::int) AS h(x);
INSERT INTO buy SELECT 'c25', invoice, at, item, price, quantity
FROM buy WHERE customer = 'c7';
INSERT INTO buy VALUES (NULL, 'x', '2011-01-01', 'item1', 5, 1);
CREATE TABLE sell AS
SELECT 'p' || (30 - substr(customer, 2)::int) AS customer, invoice,
       at + make_interval(days => (quantity % 3) - 1) AS at,
       CASE WHEN quantity % 4 = 0 THEN 'item' || quantity ELSE item END AS item,
       price + (quantity % 5) * 0.01 AS price, quantity
FROM buy WHERE customer <> 'c3';
CREATE TABLE truth AS
SELECT DISTINCT 'p' || (30 - substr(customer, 2)::int) AS masked,
       customer AS original FROM buy WHERE customer IS NOT NULL;
INSERT INTO truth VALUES ('p99', 'c99');
CREATE VIEW a_set AS
SELECT original AS id, array_agg(DISTINCT item) FILTER (WHERE item IS NOT NULL) AS s
FROM truth LEFT JOIN buy ON customer = original GROUP BY 1;
CREATE VIEW b_set AS
SELECT masked AS id, array_agg(DISTINCT item) FILTER (WHERE item IS NOT NULL) AS s
FROM truth LEFT JOIN sell ON customer = masked GROUP BY 1;
CREATE VIEW weights AS
SELECT i AS item, ln((SELECT count(*) FROM a_set)::float8
    / greatest(1, (SELECT count(*) FROM a_set WHERE i = ANY (s)))) AS w
FROM (SELECT item FROM buy UNION SELECT item FROM sell) AS x(i);
CREATE VIEW pairs AS
SELECT b.id AS masked, a.id AS original, cardinality(b.s) AS size,
       (SELECT count(*) FROM weights WHERE item = ANY (a.s) AND item = ANY (b.s)) AS shared,
       (SELECT count(*) FROM weights WHERE item = ANY (a.s) OR item = ANY (b.s)) AS either,
       (SELECT coalesce(sum(w), 0) FROM weights WHERE item = ANY (a.s) AND item = ANY (b.s)) AS w_shared,
       (SELECT coalesce(sum(w), 0) FROM weights WHERE item = ANY (a.s) OR item = ANY (b.s)) AS w_either
FROM a_set a, b_set b;
CREATE TABLE oracle AS
SELECT 'jaccard' AS method, masked, original,
       CASE either WHEN 0 THEN 0 ELSE 1 - shared::float8 / either END AS d FROM pairs
UNION ALL SELECT 'containment', masked, original,
       CASE coalesce(size, 0) WHEN 0 THEN 1 ELSE 1 - shared::float8 / size END FROM pairs
UNION ALL SELECT 'tfidf', masked, original,
       CASE w_either WHEN 0 THEN 0 ELSE 1 - w_shared / w_either END FROM pairs;
CREATE TABLE found AS
SELECT method, l.* FROM (VALUES ('jaccard'), ('containment'), ('tfidf')) AS x(method),
    LATERAL sdc.attack_itemset('buy', 'sell', 'truth', method) AS l;
-- Every nearest set, every tie, nothing else.
SELECT method, count(*) AS nearest, count(f.id) AS found,
       count(*) FILTER (WHERE abs(o.d - f.distance) < 1e-5) AS as_far,
       count(*) FILTER (WHERE n = f.candidates AND abs(f.probability - 1.0 / n) < 1e-9) AS as_many,
       count(*) FILTER (WHERE f.correct = (n = 1 AND t.original = o.original)) AS as_right
FROM (SELECT *, count(*) OVER (PARTITION BY method, masked) AS n
      FROM (SELECT *, min(d) OVER (PARTITION BY method, masked) AS least FROM oracle) AS x
      WHERE d < least + 1e-6) AS o
LEFT JOIN found AS f USING (method) JOIN truth AS t USING (masked)
WHERE f.id = masked AND f.linked_id = o.original OR f.id IS NULL
GROUP BY 1 ORDER BY 1;
SELECT method, count(*) AS rows, count(DISTINCT id) AS ids FROM found GROUP BY 1 ORDER BY 1;
-- The other direction: the same pairs of sets, seen from the original.
SELECT count(*) AS rows, bool_and(abs(l.distance - (SELECT min(d) FROM oracle o
    WHERE o.method = 'jaccard' AND o.original = l.id)) < 1e-12) AS nearest
FROM sdc.attack_itemset('buy', 'sell', 'truth', params => '{"direction": "to_masked"}') AS l;
SELECT id, linked_id IS NULL AS rest, round(probability::numeric, 4) AS probability
FROM sdc.attack_itemset('buy', 'sell', 'truth', 'containment',
                        params => '{"max_candidates": 2}') AS l WHERE id = 'p99';
-- The order of the rows does not matter.
CREATE TABLE upside AS SELECT * FROM buy ORDER BY price, item, quantity;
SELECT count(*) AS differ FROM (
    (TABLE found EXCEPT SELECT method, l.* FROM (VALUES ('jaccard'), ('containment'), ('tfidf')) AS x(method),
     LATERAL sdc.attack_itemset('upside', 'sell', 'truth', method) AS l)) AS x;

-- Measures against plain SQL.
SELECT abs(sdc.item_set_distance('buy', 'sell', 'truth') - (SELECT avg(d) FROM oracle
    JOIN truth USING (masked, original) WHERE method = 'jaccard')) < 1e-12 AS ut_jaccard;
SELECT round(sdc.turnover_error('buy', 'sell', 'truth', 3, '12 days')::numeric, 8) = round(max(v), 8) AS subset
FROM (SELECT st, greatest((SELECT avg(d) FROM (SELECT d FROM unnest(ds) d ORDER BY d DESC LIMIT 3) q),
                          -(SELECT avg(d) FROM (SELECT d FROM unnest(ds) d ORDER BY d LIMIT 3) q)) AS v
      FROM (SELECT st, array_agg(
                coalesce((SELECT sum(price * quantity) FROM sell WHERE customer = masked AND at::date BETWEEN st::date AND st::date + 11), 0)
              - coalesce((SELECT sum(price * quantity) FROM buy WHERE customer = original AND at::date BETWEEN st::date AND st::date + 11), 0)) AS ds
            FROM generate_series(date '2010-12-15', '2011-04-10', interval '1 day') AS st, truth GROUP BY st) AS y) AS z;
CREATE VIEW people AS SELECT original AS customer, length(original) AS cell, NULL::text AS gap FROM truth;
CREATE VIEW masked_people AS SELECT masked AS customer, length(original) AS cell, NULL::text AS gap FROM truth;
SELECT round((sdc.mean_price_error('buy', 'sell', 'people', 'masked_people', '{cell,gap}')
    - (SELECT avg(abs(a.u - coalesce(b.u, 0))) FROM
        (SELECT cell, sum(price * quantity) / sum(quantity) AS u FROM buy JOIN people USING (customer) GROUP BY 1) a
        LEFT JOIN (SELECT cell, sum(price * quantity) / sum(quantity) AS u FROM sell JOIN masked_people USING (customer) GROUP BY 1) b
        USING (cell)))::numeric, 9) AS cmae_differs;
SELECT round((sdc.mean_price_error('buy', 'sell', 'people', 'masked_people', '{cell}', params => '{"variant": "2017"}')
    - (SELECT avg(abs(a.u - b.u)) FROM
        (SELECT cell, avg(p) AS u FROM (SELECT cell, avg(price) AS p FROM buy JOIN people USING (customer) GROUP BY 1, customer) x GROUP BY 1) a
        JOIN (SELECT cell, avg(p) AS u FROM (SELECT cell, avg(price) AS p FROM sell JOIN masked_people USING (customer) GROUP BY 1, customer) x GROUP BY 1) b
        USING (cell)))::numeric, 9) AS cmae_2017_differs;
CREATE VIEW figures AS
SELECT f, customer, -(max(at)::date - date '2011-01-01') AS r, count(DISTINCT at::date) AS n, sum(price * quantity) AS m
FROM (SELECT 'o' AS f, * FROM buy UNION ALL SELECT 'm', * FROM sell) AS x
WHERE customer IS NOT NULL GROUP BY 1, 2;
CREATE VIEW cells AS
SELECT f, (SELECT count(*) FROM unnest(q.r) c WHERE x.r > c) AS r,
       (SELECT count(*) FROM unnest(q.n) c WHERE x.n > c) AS n,
       (SELECT count(*) FROM unnest(q.m) c WHERE x.m > c) AS m, count(*) AS h
FROM figures AS x,
     (SELECT percentile_disc('{0.2,0.4,0.6,0.8}'::float8[]) WITHIN GROUP (ORDER BY r) AS r,
             percentile_disc('{0.2,0.4,0.6,0.8}'::float8[]) WITHIN GROUP (ORDER BY n) AS n,
             percentile_disc('{0.2,0.4,0.6,0.8}'::float8[]) WITHIN GROUP (ORDER BY m) AS m
      FROM figures WHERE f = 'o') AS q
GROUP BY 1, 2, 3, 4;
SELECT round(sdc.customer_class_difference('buy', 'sell')::numeric, 12) = round(sqrt(sum(power(coalesce(a.h, 0) - coalesce(b.h, 0), 2))
    / sum(power(coalesce(a.h, 0), 2) + power(coalesce(b.h, 0), 2)))::numeric, 12) AS rfm
FROM (SELECT * FROM cells WHERE f = 'o') a FULL JOIN (SELECT * FROM cells WHERE f = 'm') b USING (r, n, m);
SELECT sdc.customer_class_difference('buy', 'buy') AS same, sdc.customer_class_difference('buy', 'sell', params => '{"frequency": "invoices", "classes": 2}') BETWEEN 0 AND 1 AS invoices;

-- Row by row.
CREATE TABLE before AS SELECT row_number() OVER (ORDER BY customer, invoice, item, price) AS id, * FROM buy WHERE customer IS NOT NULL;
CREATE TABLE after AS SELECT id, customer, at + make_interval(days => id::int % 3) AS at, item,
    price * 2 AS price, quantity FROM before WHERE id % 4 > 0;
SELECT measure, value, detail FROM sdc.transaction_report('before', 'before', 'id');
SELECT round((max(value) FILTER (WHERE measure = 'date_moved'))::numeric, 9) = round((SELECT sum(id % 3) FROM after)::numeric / 31 / (SELECT count(*) FROM before), 9) AS date,
       round((max(value) FILTER (WHERE measure = 'price_changed'))::numeric, 9) = round((SELECT count(*) FROM after)::numeric / 2 / (SELECT count(*) FROM before), 9) AS price,
       round((max(value) FILTER (WHERE measure = 'rows_lost'))::numeric, 9) = round(1 - (SELECT count(*) FROM after)::numeric / (SELECT count(*) FROM before), 9) AS rows_lost
FROM sdc.transaction_report('before', 'after', 'id');
CREATE VIEW matrix AS
SELECT f, customer, item, sum(quantity) AS q FROM (SELECT 'o' AS f, customer, item, quantity FROM before
    UNION ALL SELECT 'm', customer, item, quantity FROM after) AS x GROUP BY 1, 2, 3;
CREATE VIEW cosines AS
SELECT f, a.item AS a, b.item AS b, sum(a.q * b.q)
    / (sqrt((SELECT sum(q * q) FROM matrix x WHERE x.f = f AND x.item = a.item AND x.f = a.f))
     * sqrt((SELECT sum(q * q) FROM matrix x WHERE x.item = b.item AND x.f = a.f))) AS w
FROM matrix a JOIN matrix b USING (f, customer) WHERE a.item < b.item GROUP BY f, a.f, a.item, b.item;
SELECT round((SELECT value FROM sdc.transaction_report('before', 'after', 'id') WHERE measure = 'item_similarity')::numeric, 9)
    = round(least(1, sum(abs(coalesce(x.w, 0) - coalesce(y.w, 0))) / sum(coalesce(x.w, 0)))::numeric, 9) AS item_similarity
FROM (SELECT * FROM cosines WHERE f = 'o') x FULL JOIN (SELECT * FROM cosines WHERE f = 'm') y USING (a, b);

-- jaccard_distance.
SELECT sdc.jaccard_distance('{a,b,b}'::text[], '{c,b}'), sdc.jaccard_distance('{}'::int[], '{}'),
       sdc.jaccard_distance('{1,NULL}'::int[], '{NULL}'), sdc.jaccard_distance('{{1,2},{3,4}}'::int[], '{4,3,2,1}'),
       sdc.jaccard_distance(NULL::int[], '{1}');
SELECT sdc.jaccard_distance(ARRAY['(1,1)'::point], ARRAY['(1,1)'::point]);

-- The protection: bounds hold, totals stay, one is found in each cluster.
CREATE TABLE shopping AS SELECT * FROM buy WHERE customer IS NOT NULL;
\set bounds '{"mean_price_error": 0.5, "turnover_error": 20, "customer_class_difference": 0.3, "k": 3, "master": "people", "columns": ["cell"], "link_target": "shop.who"}'
SELECT (SELECT value FROM sdc.anonymize_itemsets('shopping', target => 'shop.made', t => 0.5, params => :'bounds', seed => 7) WHERE measure = 'clusters') AS clusters \gset
SELECT :clusters BETWEEN 1 AND 24 AS fewer;
SELECT (SELECT sum(price * quantity) FROM made) = sum(price * quantity) AS turnover,
       (SELECT sum(quantity) FROM made) = sum(quantity) AS pieces,
       (SELECT count(DISTINCT s) FROM (SELECT array_agg(DISTINCT item) AS s FROM made GROUP BY customer) x) <= :clusters AS sets
FROM shopping;
SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum)
FROM pg_attribute WHERE attrelid = 'made'::regclass AND attnum > 0;
CREATE VIEW made_people AS SELECT masked AS customer, cell FROM who JOIN people ON customer = original;
SELECT sdc.item_set_distance('shopping', 'made', 'who') <= 0.5 AS jaccard,
       sdc.mean_price_error('shopping', 'made', 'people', 'made_people', '{cell}') <= 0.5 AS cmae,
       sdc.turnover_error('shopping', 'made', 'who', 3) <= 20 AS subset,
       sdc.customer_class_difference('shopping', 'made') <= 0.3 AS rfm;
SELECT (r).records, (r).reid_d * 25 <= :clusters AS one_each
FROM (SELECT sdc.reid(l) AS r FROM sdc.attack_itemset('shopping', 'made', 'who') l) x;
-- Dates stay, days of each customer too.
SELECT count(*) AS differ FROM (
    (SELECT original, at::date FROM who JOIN made ON customer = masked
     EXCEPT SELECT customer, at::date FROM shopping)
    UNION ALL
    (SELECT customer, at::date FROM shopping
     EXCEPT SELECT original, at::date FROM who JOIN made ON customer = masked)) x;
-- The same seed, other rows: the same table.
CREATE TABLE turned AS SELECT * FROM shopping ORDER BY item, price;
SELECT (SELECT value FROM sdc.anonymize_itemsets('turned', target => 'shop.made2', t => 0.5,
                              params => replace(:'bounds', 'shop.who', 'shop.who2')::jsonb, seed => 7) WHERE measure = 'clusters') = :clusters AS same_number;
SELECT count(*) AS differ FROM ((TABLE made EXCEPT ALL TABLE made2) UNION ALL (TABLE made2 EXCEPT ALL TABLE made)) x;
SELECT (SELECT value FROM sdc.anonymize_itemsets('turned', target => 'shop.made3', t => 0.5,
                              params => replace(:'bounds', 'shop.who', 'shop.who3')::jsonb, seed => 8) WHERE measure = 'clusters') = :clusters AS same_number;
SELECT count(*) > 0 AS another_seed FROM (TABLE who EXCEPT TABLE who3) x;
-- Bounds of nothing: everybody keeps the own set and every total.
SELECT (SELECT value FROM sdc.anonymize_itemsets('shopping', target => 'pg_temp.kept', t => 0, params => '{"turnover_error": 0, "customer_class_difference": 0}', seed => 1) WHERE measure = 'clusters') AS clusters;
SELECT sdc.item_set_distance('shopping', 'kept', 'kept_link') AS jaccard, sdc.turnover_error('shopping', 'kept', 'kept_link') AS subset;
-- Fewer pieces than items: told, and turnover is kept.
CREATE TABLE single (customer, at, item, price, quantity) AS VALUES
    ('a', date '2020-01-01', 1, 1.25, 1), ('a', '2020-01-01', 2, 1.25, 1),
    ('a', '2020-01-02', 3, 1.25, 1), ('b', '2020-01-01', 1, 1.25, 1);
SELECT (SELECT value FROM sdc.anonymize_itemsets('single', target => 'pg_temp.few', t => 1, seed => 1) WHERE measure = 'clusters') AS clusters;
SELECT sum(price * quantity), sum(quantity), count(DISTINCT item) FROM few;

-- Nothing, one customer, and errors.
CREATE TABLE nobody (LIKE shopping);
CREATE TABLE no_link (masked text, original text);
SELECT sdc.item_set_distance('nobody', 'nobody', 'no_link'), sdc.turnover_error('nobody', 'nobody', 'no_link'),
       sdc.customer_class_difference('nobody', 'nobody'), sdc.mean_price_error('nobody', 'nobody', 'people', 'people', '{cell}'),
       (SELECT value FROM sdc.anonymize_itemsets('nobody') WHERE measure = 'clusters'), (SELECT value FROM sdc.anonymize_itemsets('nobody', target => 'pg_temp.no_rows') WHERE measure = 'clusters');
SELECT count(*) FROM sdc.attack_itemset('nobody', 'nobody', 'no_link');
SELECT count(*) FROM sdc.attack_itemset('shopping', 'nobody', 'no_link');
SELECT linked_id, candidates FROM sdc.attack_itemset('nobody', 'shopping', 'no_link') LIMIT 1;
SELECT measure, value FROM sdc.transaction_report('nobody', 'nobody', 'invoice');
CREATE TABLE one AS SELECT * FROM shopping WHERE customer = 'c4';
SELECT value FROM sdc.anonymize_itemsets('one', target => 'pg_temp.alone', seed => 1) WHERE measure = 'clusters';
SELECT id, linked_id, distance, correct FROM sdc.attack_itemset('one', 'alone', 'alone_link');
SELECT sdc.turnover_error('one', 'alone', 'alone_link');
SELECT sdc.turnover_error('one', 'alone', 'alone_link', 0);
SELECT sdc.turnover_error('one', 'alone', 'alone_link', 1, '1 month');
SELECT sdc.turnover_error('one', 'alone', 'alone_link', 1, '12 hours');
SELECT sdc.item_set_distance('one', 'alone', 'alone_link', '{"customers": "customer"}');
SELECT sdc.item_set_distance('one', 'alone', 'alone_link', '{"customer": 1}');
SELECT sdc.item_set_distance('one', 'alone', 'alone_link', '["customer"]');
SELECT sdc.item_set_distance('one', 'alone', 'alone_link', '{"item": "nothing"}');
SELECT sdc.customer_class_difference('one', 'alone', '{"price": "item"}');
SELECT sdc.customer_class_difference('one', 'alone', '{"at": "item"}');
SELECT sdc.customer_class_difference('one', 'alone', params => '{"classes": 1}');
SELECT sdc.customer_class_difference('one', NULL);
SELECT sdc.item_set_distance('one', 'alone', 'shopping');
SELECT sdc.item_set_distance('one', 'alone', 'shopping', '{"masked": "customer", "original": "customer"}');
SELECT sdc.mean_price_error('one', 'one', 'shopping', 'shopping', '{item}');
SELECT count(*) FROM sdc.attack_itemset('one', 'alone', 'alone_link', 'cosine');
SELECT count(*) FROM sdc.attack_itemset('t', 'tm', 'lnk', mapping => :'map', params => '{"direction": "both"}');
INSERT INTO no_link VALUES ('a', 'c1'), ('b', 'c1');
SELECT count(*) FROM sdc.attack_itemset('shopping', 'nobody', 'no_link', params => '{"direction": "to_masked"}');
SELECT count(*) FROM sdc.transaction_report('shopping', 'shopping', 'customer');
SELECT sdc.anonymize_itemsets('shopping', t => 1.5);
SELECT sdc.anonymize_itemsets('shopping', params => '{"mean_price_error": 1}');
SELECT sdc.anonymize_itemsets('shopping', params => '{"link_target": "x"}');
SELECT sdc.anonymize_itemsets('shopping', params => '{"turnover_error": 1, "k": 100}');
SELECT sdc.anonymize_itemsets('shopping', target => 'shop.made');
SELECT sdc.anonymize_itemsets('shopping', target => 'shop.same', params => '{"link_target": "shop.same"}');
CREATE VIEW broken AS SELECT customer, at, item, price, -quantity AS quantity FROM shopping;
SELECT sdc.anonymize_itemsets('broken');
CREATE VIEW holes AS SELECT customer, at, nullif(item, 'item1') AS item, price, quantity FROM shopping;
SELECT sdc.anonymize_itemsets('holes');
CREATE VIEW fine AS SELECT customer, at, item, price + 0.00000001 AS price, quantity FROM shopping;
SELECT sdc.anonymize_itemsets('fine');
CREATE VIEW endless AS SELECT customer, at, item, 'NaN'::numeric AS price, quantity FROM shopping;
SELECT sdc.anonymize_itemsets('endless');
SELECT sdc.turnover_error('endless', 'endless', 'who', 1, mapping => NULL) IS NULL AS nothing;
-- Quoted names.
CREATE TABLE "Odd ""table""" AS SELECT customer AS "c ""1""", at AS "a t", item AS "It'em", price AS "select", quantity AS "Q" FROM shopping;
SELECT (SELECT value FROM sdc.anonymize_itemsets('"Odd ""table"""', target => 'pg_temp."Made ""up"""', t => 0.5,
                              mapping => '{"customer": "c \"1\"", "at": "a t", "item": "It''em", "price": "select", "quantity": "Q"}', seed => 1) WHERE measure = 'clusters') > 0 AS clusters;
SELECT sum("select" * "Q") = (SELECT sum(price * quantity) FROM shopping) AS turnover FROM "Made ""up""";

SET client_min_messages = warning;
DROP SCHEMA shop CASCADE;

-- Through every channel: the customers of a cluster get one history.
CREATE TABLE shop AS
SELECT 'c' || c AS customer, date '2024-01-01' + (c * 13 + e * e * 17 + c * e) % 240 AS at,
       'i' || (c % 7) * 5 + (c * c + e * 5) % 9 AS item,
       round((1 + (c * 31 + e * 7) % 40) / 4.0, 2) AS price, 1 + (c + e) % 5 AS quantity
FROM generate_series(1, 120) AS c, generate_series(1, 2 + c % 9) AS e;
SELECT step, subject, measure, round(value::numeric, 3) AS value, left(detail, 60) AS detail
FROM sdc.anonymize_itemsets('shop', 'shop_x', 0.6, params =>
    '{"found": 0.25, "turnover_error": 5000, "customer_class_difference": 0.8,
      "item_turnover_error": 0.5, "link_target": "shop_truth"}', seed => 1);
CREATE VIEW histories AS
SELECT customer, array_agg(DISTINCT item ORDER BY item) AS items,
       array_agg(DISTINCT at ORDER BY at) AS days, sum(quantity) AS pieces,
       sum(price * quantity) AS turnover
FROM shop_x GROUP BY customer;
SELECT count(DISTINCT items) = count(DISTINCT (items, days)) AS same_days,
       count(DISTINCT items) BETWEEN 2 AND 25 AS few FROM histories;
SELECT bool_and(pieces <= 1) AS same_pieces, bool_and(turnover <= 0.01) AS same_turnover
FROM (SELECT max(pieces) - min(pieces) AS pieces, max(turnover) - min(turnover) AS turnover
      FROM histories GROUP BY items) AS h;
-- the books are kept, and each basket has days that somebody of its cluster had
SELECT sum(price * quantity), sum(quantity) FROM shop
UNION ALL SELECT sum(price * quantity), sum(quantity) FROM shop_x;
SELECT count(*) AS of_nobody FROM histories AS h
WHERE NOT EXISTS (SELECT FROM (SELECT array_agg(DISTINCT at ORDER BY at) AS days
                               FROM shop GROUP BY customer) AS o WHERE o.days = h.days);
-- one channel after the other, and all together
SELECT v, (sdc.reid(l)).reid_d <= 0.25 AS protected
FROM unnest('{all,items,dates,items_dates,intervals,turnover,counts}'::text[]) AS v,
     LATERAL sdc.attack_events('shop', 'shop_x', link => 'shop_truth', variant => v, seed => 1) AS l
GROUP BY v ORDER BY v;

-- Days that are moved by a number of each customer: what lies between stays.
SELECT count(*) FROM sdc.anonymize_itemsets('shop', 'shop_moved', 0.6, params =>
    '{"days": "shifted", "shift": 30, "link_target": "moved_truth"}', seed => 1);
CREATE VIEW days_of AS
SELECT l.masked, DENSE_RANK() OVER (PARTITION BY l.masked ORDER BY s.at) AS n, s.at
FROM moved_truth AS l JOIN (SELECT DISTINCT customer, at FROM shop) AS s ON s.customer = l.original;
WITH moved AS (
  SELECT m.customer, m.at - d.at AS days
  FROM (SELECT customer, at, DENSE_RANK() OVER (PARTITION BY customer ORDER BY at) AS n
        FROM (SELECT DISTINCT customer, at FROM shop_moved) AS x) AS m
  JOIN days_of AS d ON d.masked = m.customer AND d.n = m.n)
SELECT count(DISTINCT customer) AS customers, max(abs(days)) <= 30 AS within,
       count(DISTINCT (customer, days)) = count(DISTINCT customer) AS by_one_number,
       count(DISTINCT days) > 20 AS many_numbers
FROM moved;

-- Each alone: common days with own turnover, and the other way round.
SELECT count(*) FROM sdc.anonymize_itemsets('shop', 'shop_d', 0.6,
    params => '{"days": "common"}', seed => 1);
SELECT count(*) FROM sdc.anonymize_itemsets('shop', 'shop_a', 0.6,
    params => '{"amounts": "common"}', seed => 1);
SELECT (SELECT count(DISTINCT d) FROM (SELECT array_agg(DISTINCT at ORDER BY at) AS d FROM shop_d GROUP BY customer) AS x) <
       (SELECT count(DISTINCT d) FROM (SELECT array_agg(DISTINCT at ORDER BY at) AS d FROM shop_a GROUP BY customer) AS x) AS fewer_days,
       (SELECT count(DISTINCT t) FROM (SELECT sum(price * quantity) AS t FROM shop_a GROUP BY customer) AS x) <
       (SELECT count(DISTINCT t) FROM (SELECT sum(price * quantity) AS t FROM shop_d GROUP BY customer) AS x) AS fewer_sums;

-- A seed repeats itself whatever the order of the rows; without one it is new.
CREATE VIEW shop_turned AS SELECT * FROM shop ORDER BY md5(customer || at || item);
SELECT count(*) FROM sdc.anonymize_itemsets('shop_turned', 'shop_y', 0.6, params =>
    '{"found": 0.25, "turnover_error": 5000, "customer_class_difference": 0.8,
      "item_turnover_error": 0.5}', seed => 1);
SELECT count(*) AS differ FROM (TABLE shop_x EXCEPT ALL TABLE shop_y) AS d;

-- Histories drawn by classes: of recency, frequency and money, none changes its
-- number of customers; the books are kept; a cell keeps its mean price.
CREATE TABLE shop_people AS
SELECT DISTINCT customer, 'cell' || ascii(right(customer, 1)) % 3 AS cell FROM shop;
SELECT measure, round(value::numeric, 3) <= 0.6 AS low FROM sdc.anonymize_itemsets('shop', 'shop_drawn', 0.6, params =>
    '{"found": 0.25, "days": "drawn", "amounts": "drawn", "customer_class_difference": 0.1, "mean_price_error": 0.2,
      "master": "shop_people", "columns": ["cell"], "link_target": "drawn_truth"}', seed => 1)
WHERE measure IN ('found', 'customer_class_difference', 'mean_price_error', 'item_set_distance') ORDER BY measure;
SELECT round(sdc.customer_class_difference('shop', 'shop_drawn')::numeric, 3) <= 0.1 AS classes,
       (SELECT count(DISTINCT s) FROM (SELECT array_agg(DISTINCT item) AS s FROM shop_drawn GROUP BY customer) AS x)
           BETWEEN 2 AND 25 AS clusters;
SELECT sum(price * quantity), sum(quantity) FROM shop
UNION ALL SELECT sum(price * quantity), sum(quantity) FROM shop_drawn;
-- each turnover and each last day is somebody's, as often as before
SELECT count(*) AS differ FROM (
    (SELECT sum(price * quantity), NULL::timestamp FROM shop GROUP BY customer
     UNION ALL SELECT NULL, max(at) FROM shop GROUP BY customer)
    EXCEPT ALL
    (SELECT sum(price * quantity), NULL::timestamp FROM shop_drawn GROUP BY customer
     UNION ALL SELECT NULL, max(at) FROM shop_drawn GROUP BY customer)) AS d;
-- and hardly ever that of who it is
SELECT count(*) FILTER (WHERE o.turnover = m.turnover) < count(*) / 5.0 AS turnover,
       count(*) FILTER (WHERE o.days = m.days) < count(*) / 5.0 AS days
FROM drawn_truth AS l
JOIN (SELECT customer, sum(price * quantity) AS turnover, array_agg(DISTINCT at) AS days FROM shop GROUP BY 1) AS o
    ON o.customer = l.original
JOIN (SELECT customer, sum(price * quantity) AS turnover, array_agg(DISTINCT at) AS days FROM shop_drawn GROUP BY 1) AS m
    ON m.customer = l.masked;
-- one of the two by itself
SELECT v, (SELECT max(value) FILTER (WHERE measure = 'alone_in_class') BETWEEN 0 AND 1
           FROM sdc.anonymize_itemsets('shop', 'shop_' || v, 0.6, params =>
               ('{"' || v || '": "drawn"}')::jsonb, seed => 1)) AS made
FROM unnest('{days,amounts}'::text[]) AS v;
DROP TABLE shop_drawn, drawn_truth, shop_people, shop_days, shop_amounts;

-- What cannot be had: nothing is kept.
SELECT count(*) FROM sdc.anonymize_itemsets('shop', 'never', 0.6,
    params => '{"found": 0.25, "days": "own", "amounts": "own"}', seed => 1);
SELECT count(*) FROM sdc.anonymize_itemsets('shop', 'never', 0.01,
    params => '{"found": 0.25}', seed => 1);
SELECT count(*) FROM sdc.anonymize_itemsets('shop', 'never', 0.6,
    params => '{"found": 0.25, "customer_class_difference": 0}', seed => 1);
SELECT count(*) FROM sdc.anonymize_itemsets('shop', 'never', 0.6,
    params => '{"found": 0.25, "item_turnover_error": 0}', seed => 1);
SELECT to_regclass('never');
SELECT count(*) FROM sdc.anonymize_itemsets('shop', params => '{"found": 2}');
SELECT count(*) FROM sdc.anonymize_itemsets('shop', params => '{"days": "none"}');
SELECT count(*) FROM sdc.anonymize_itemsets('shop', params => '{"shift": 0}');
-- nobody
CREATE TABLE empty_shop AS SELECT * FROM shop WHERE false;
SELECT step, measure, value FROM sdc.anonymize_itemsets('empty_shop', 'none', params => '{"found": 0}');
DROP VIEW histories, days_of, shop_turned;
DROP TABLE shop, shop_a, shop_d, shop_moved, shop_truth, shop_x, shop_y, moved_truth, empty_shop, "none";
