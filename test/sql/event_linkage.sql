-- event_linkage: sdc.attack_events, the attack "events" of reports and gates.

\set SHOW_CONTEXT never
SET sdc.progress_interval = 0;

-- 60 people with 1 to 12 events each; who is who is n -> 'x' || n * 7 % 61.
CREATE TABLE bought AS
SELECT row_number() OVER (ORDER BY p, e) AS line, 'p' || p AS customer,
       date '2024-01-01' + (p * 13 + e * e * 17 + p * e) % 240 AS at,
       'i' || (p * p + e * 5) % 23 AS item,
       (1 + (p * 31 + e * 7) % 40)::numeric / 4 AS price, 1 + (p + e) % 5 AS quantity
FROM generate_series(1, 60) AS p, generate_series(1, 1 + p % 12) AS e;
CREATE TABLE renamed AS
SELECT line, 'x' || substr(customer, 2)::int * 7 % 61 AS customer, at, item,
       price, quantity
FROM bought;
CREATE TABLE who AS
SELECT DISTINCT r.customer AS masked, b.customer AS original
FROM renamed AS r JOIN bought AS b USING (line);

-- How many of how many are found, and by how many rows that is said.
CREATE FUNCTION found(variant text, masked regclass, link regclass,
                      params jsonb DEFAULT NULL, id name DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
SELECT count(*) FILTER (WHERE correct) || ' of ' || count(DISTINCT id) || ' in ' || count(*)
FROM sdc.attack_events('bought', masked, id, link, variant, NULL, params, 1)
$$;

-- New names alone: every channel finds nearly everybody.
SELECT v, found(v, 'renamed', 'who')
FROM unnest('{all,items,dates,items_dates,items_months,intervals,amounts,turnover,counts}'::text[]) AS v;
-- the settings of the contest, by customer and month
SELECT v, found(v, 'renamed', 'who') FROM unnest('{s1,s2,s3,s4,s5,s6}'::text[]) AS v;

-- The truth by the rows' ids, and of persons who keep their names.
SELECT found('dates', 'renamed', NULL, NULL, 'line'), found('dates', 'bought', NULL);

-- What is told is one person a record, the same for a seed, in any order.
CREATE VIEW shuffled AS SELECT * FROM renamed ORDER BY md5(line::text);
SELECT count(*), count(DISTINCT id), count(DISTINCT linked_id), bool_and(candidates = 1),
       bool_or(certain)
FROM sdc.attack_events('bought', 'renamed', link => 'who', seed => 1);
SELECT count(*) AS differ
FROM sdc.attack_events('bought', 'renamed', link => 'who', variant => 'counts', seed => 1) AS a
FULL JOIN sdc.attack_events('bought', 'shuffled', link => 'who', variant => 'counts', seed => 1) AS b
  USING (id, linked_id, distance)
WHERE a.candidates IS NULL OR b.candidates IS NULL;
-- each by itself: all equally good ones are named
SELECT found('counts', 'renamed', 'who', '{"assignment": "none"}'),
       found('counts', 'renamed', 'who', '{"assignment": "none", "max_candidates": 1}');

-- Who knows little finds less: one event, three, or all of each person.
SELECT k, found('dates', 'renamed', 'who', jsonb_build_object('known', k))
FROM unnest('{1,3,12}'::int[]) AS k;
SELECT found('items_dates', 'renamed', 'who', '{"known": 2}') =
       found('items_dates', 'shuffled', 'who', '{"known": 2}') AS any_order;
-- numbers of all events are not known to who knows some
SELECT found('turnover', 'renamed', 'who', '{"known": 3}');

-- Days that are off by up to two: only who allows for that finds them.
CREATE TABLE moved AS
SELECT line, customer, at + (line * 7 % 5)::int - 2 AS at, item, price, quantity FROM renamed;
SELECT found('dates', 'moved', 'who'), found('dates', 'moved', 'who', '{"days": 2}');

-- The same days later for everybody, each by a number of his own: the days
-- tell nothing, and what lies between them nearly all.
CREATE TABLE later AS
SELECT line, customer, at + (1 + substr(customer, 2)::int * 37 % 91) AS at, item, price, quantity
FROM renamed;
SELECT found('dates', 'later', 'who', '{"assignment": "none"}'), found('intervals', 'later', 'who');

-- A pseudonym for each month: by customer and month, or several of one.
CREATE TABLE monthly AS
SELECT line, md5(customer || to_char(at, 'YYYY-MM')) AS customer, at, item, price, quantity
FROM bought;
CREATE TABLE who_monthly AS
SELECT DISTINCT m.customer AS masked, b.customer AS original
FROM monthly AS m JOIN bought AS b USING (line);
SELECT found('dates', 'monthly', 'who_monthly'),
       found('dates', 'monthly', 'who_monthly', '{"period": "month"}'),
       found('dates', 'monthly', 'who_monthly', '{"period": "year"}');
SELECT found('dates', 'monthly', 'who_monthly', '{"assignment": "one_to_one"}');

-- Everybody is given the same events: nobody is found but by chance.
CREATE TABLE alike AS
SELECT m.masked AS customer, b.at, b.item, b.price, b.quantity
FROM who AS m CROSS JOIN bought AS b WHERE b.customer = 'p11';
SELECT v, (sdc.reid(l)).reid_d, count(*)
FROM unnest('{all,dates,turnover}'::text[]) AS v,
     LATERAL sdc.attack_events('bought', 'alike', link => 'who', variant => v,
         params => '{"assignment": "none"}') AS l GROUP BY v ORDER BY v;

-- NULLs, people without events, empty relations.
CREATE TABLE holes AS
SELECT customer, CASE WHEN line % 3 > 0 THEN at END AS at, NULLIF(item, 'i3') AS item,
       NULLIF(price, 1) AS price, CASE line % 4 WHEN 0 THEN NULL ELSE quantity END AS quantity
FROM renamed;
INSERT INTO holes VALUES (NULL, '2024-01-01', 'i1', 1, 1), ('x1', 'infinity', NULL, NULL, NULL),
    ('nobody', NULL, NULL, NULL, NULL);
SELECT v, found(v, 'holes', 'who') FROM unnest('{all,dates,intervals,turnover,counts}'::text[]) AS v;
-- a day without end is in no period
SELECT v, found(v, 'holes', 'who', '{"period": "month", "days": 1, "known": 5}')
FROM unnest('{dates,items}'::text[]) AS v;
CREATE TABLE empty AS SELECT * FROM bought WHERE false;
SELECT count(*) FROM sdc.attack_events('empty', 'empty');
SELECT count(*), count(linked_id) FROM sdc.attack_events('empty', 'renamed', link => 'who', variant => 'dates');
SELECT count(*) FROM sdc.attack_events('bought', 'empty', variant => 'dates');

-- Who knows the rules compares what they make of his own file.
\set rules '{"item": {"method": "mask_text", "keep": 2}, "price": {"method": "round_to", "base": 2}, "quantity": {"method": "top_code", "upper": 4}}'
SELECT count(*) AS steps FROM sdc.mask('bought', :'rules', 'coarse', 'line') WHERE step = 'write';
SELECT v, found(v, 'coarse', NULL) AS unknown, found(v, 'coarse', NULL, jsonb_build_object('rules', :'rules'::jsonb)) AS known
FROM unnest('{items,items_dates,amounts,turnover,counts,s5}'::text[]) AS v;
-- the same as his file after the same rules
SELECT count(*) AS differ
FROM sdc.attack_events('bought', 'coarse', variant => 'items', seed => 1, params => jsonb_build_object('rules', :'rules'::jsonb)) AS a
FULL JOIN sdc.attack_events('coarse', 'coarse', variant => 'items', seed => 1) AS b USING (id, linked_id, distance)
WHERE a.id IS NULL OR b.id IS NULL;
SELECT found('items', 'coarse', NULL, '{"rules": {"nothing": {"method": "keep"}}}');
SELECT found('items', 'coarse', NULL, '{"rules": 1}');

-- What sdc.declare says of a person, time, item and amount.
CREATE TABLE stays AS
SELECT line, customer AS patient, at::timestamp AS seen, item AS ward, price * quantity AS fee FROM bought;
CREATE TABLE stays_masked AS
SELECT line, 'x' || substr(patient, 2) AS patient, seen, ward, fee FROM stays;
SELECT sdc.attack_events('stays', 'stays_masked', 'line');
SELECT sdc.declare('stays', id => 'line', person => 'patient', at => 'seen', item => 'ward', amount => 'fee');
SELECT v, (sdc.reid(l)).reid_d
FROM unnest('{all,items,dates,turnover,amounts}'::text[]) AS v,
     LATERAL sdc.attack_events('stays', 'stays_masked', 'line', variant => v, seed => 1) AS l
GROUP BY v ORDER BY v;
SELECT count(*) FILTER (WHERE correct) > 0 AS a_mapping_goes_first
FROM sdc.attack_events('stays', 'stays_masked', 'line', variant => 'items', mapping => '{"item": "seen"}');

-- In a report it is there as soon as a person is declared, and when named.
SELECT measure, subject, round(value::numeric, 3) AS value, detail
FROM sdc.disclosure_report('stays', 'stays_masked', keys => '{ward}', seed => 1)
WHERE subject = 'events';
SELECT measure, subject, round(value::numeric, 3) AS value, detail
FROM sdc.disclosure_report('bought', 'renamed', 'line', '{item}', measures => '{events}',
    params => '{"events": {"variant": "dates"}}', seed => 1)
WHERE subject = 'events';
SELECT count(*) FROM sdc.disclosure_report('bought', 'renamed', 'line', '{item}') WHERE subject = 'events';

-- In the gate: each row alone passes, the events of a person do not.
SELECT sdc.create_policy('stays', 'stays', '{"patient": {"method": "pseudonym", "domain": "stays"},
    "seen": {"method": "keep"}, "ward": {"method": "keep"}, "fee": {"method": "keep"}}',
    '[{"attack": "events", "<=": 0.25}, {"attack": "events", "variant": "dates", "<=": 0.25},
      {"attack": "worst", "<=": 0.25},
      {"attack": "events", "variant": "s1", "<=": 0.25}]', '{"id": "line", "keys": ["ward"]}');
SELECT requirement, value > 0.9 AS nearly_all, passed FROM sdc.check_release('stays', 'stays_masked');
SELECT sdc.drop_policy('stays');
-- without the person rows that are alike in the keys are one record; without a
-- channel nothing is attacked by it
SELECT sdc.create_policy('stays', 'stays', '{"seen": {"method": "keep"}, "ward": {"method": "keep"}}',
    '[{"attack": "events", "<=": 0.25}]', '{"id": "line", "keys": ["ward"]}');
SELECT passed, detail FROM sdc.check_release('stays', 'stays_masked');
SELECT sdc.drop_policy('stays');
SELECT sdc.create_policy('stays', 'stays', '{"patient": {"method": "keep"}, "ward": {"method": "keep"}}',
    '[{"attack": "events", "<=": 0.25}]', '{"id": "line", "keys": ["ward"], "drop": ["seen"]}');
SELECT passed, detail ~ 'items' AS items, detail ~ 'dates' AS dates FROM sdc.check_release('stays', 'stays_masked');
SELECT sdc.drop_policy('stays');

-- What is not the same any more, but near: days moved by up to three, each row
-- by itself; amounts by 5 %; moments by whole days.  Plain SQL finds nearly
-- everybody; so must the attack, which is not told how far.
CREATE TABLE trips AS
SELECT row_number() OVER (ORDER BY p, e) AS line, 'p' || p AS customer,
       timestamp '2024-01-01' + (h[1] % 240) * interval '1 day' + (h[2] % 50000) * interval '1 second' AS at,
       round(exp(2 + h[3] % 1000 / 500.0), 2) AS amount, h
FROM generate_series(1, 150) AS p, generate_series(1, 5) AS e,
     LATERAL (SELECT array_agg(abs(hashint4(p * 131 + e * 17 + s * 7919)) ORDER BY s) AS h
              FROM generate_series(1, 6) AS s) AS x;
CREATE TABLE near_days AS SELECT line, 'x' || substr(customer, 2)::int * 7 % 151 AS customer,
       at::date + h[4] % 7 - 3 AS at FROM trips;
CREATE TABLE near_sums AS SELECT line, 'x' || substr(customer, 2)::int * 7 % 151 AS customer,
       round(amount * (1 + (h[5] % 1001 - 500) / 10000.0), 2) AS amount FROM trips;
CREATE TABLE same_times AS SELECT line, 'x' || substr(customer, 2)::int * 7 % 151 AS customer,
       at + (h[6] % 201 - 100) * interval '1 day' AS at FROM trips;
SELECT masked, variant, (SELECT count(*) FILTER (WHERE correct)
    FROM sdc.attack_events('trips', masked, 'line', variant => variant, seed => 1)) AS found
FROM (VALUES ('near_days'::regclass, 'dates'), ('near_days', 'near_dates'), ('near_days', 'near'),
             ('near_sums', 'amounts'), ('near_sums', 'turnover'), ('near_sums', 'near_amounts'),
             ('same_times', 'dates'), ('same_times', 'times'), ('same_times', 'all')) AS v(masked, variant);
WITH nearest AS (
    SELECT DISTINCT ON (m.customer) m.customer AS masked, o.customer AS original
    FROM (SELECT DISTINCT customer FROM trips) AS o CROSS JOIN near_days AS m,
         LATERAL (SELECT min(abs(m.at - t.at::date)) AS off FROM trips AS t WHERE t.customer = o.customer) AS d
    GROUP BY m.customer, o.customer ORDER BY m.customer, sum(off), o.customer)
SELECT count(*) FILTER (WHERE masked = 'x' || substr(original, 2)::int * 7 % 151) AS by_plain_sql FROM nearest;
-- reports read events once for all channels
SELECT substring(detail FROM ' amounts [^,]*') AS amounts, substring(detail FROM 'near_amounts [^,]*') AS near_amounts
FROM sdc.disclosure_report('trips', 'near_sums', 'line', '{amount}', measures => '{events}',
    params => '{"events": {}}', seed => 1)
WHERE subject = 'events' AND measure = 'reid_d';
-- neither does who is wrong by a day know moments, nor what has no time of day
SELECT sdc.attack_events('trips', 'same_times', 'line', variant => 'times', params => '{"days": 1}');
SELECT sdc.attack_events('trips', 'near_days', 'line', variant => 'times');
-- the gate
SELECT sdc.declare('trips', id => 'line', person => 'customer', at => 'at');
CREATE SCHEMA trips_out;
SELECT sdc.create_policy('trips', 'trips',
    '{"customer": {"method": "pseudonym", "domain": "moved"},
      "at": {"method": "shift", "by": "line", "days": 3, "domain": "moved"}}',
    '[{"attack": "events", "<=": 0.5}]',
    '{"schema": "trips_out", "attacks": ["events"], "drop": ["line", "amount", "h"]}');
\set VERBOSITY sqlstate
CALL sdc.release('trips');
\set VERBOSITY default
SELECT status, substring(reason FROM 'near_dates [^,]*') AS near_dates, substring(reason FROM ' times [^,]*') AS times FROM sdc.releases('trips');
SELECT sdc.drop_policy('trips');
DROP SCHEMA trips_out;
DROP TABLE trips, near_days, near_sums, same_times;

-- Errors.
SELECT sdc.attack_events('bought', 'renamed', variant => 'strongest');
SELECT sdc.attack_events('bought', 'renamed', variant => 'faces');
SELECT sdc.attack_events('bought', 'renamed', variant => NULL);
SELECT sdc.attack_events('bought', NULL);
SELECT sdc.attack_events('bought', 'renamed', 'lines');
SELECT sdc.attack_events('bought', 'renamed', mapping => '{"person": "customer"}');
SELECT sdc.attack_events('bought', 'renamed', mapping => '{"at": "item"}');
SELECT sdc.attack_events('bought', 'renamed', params => '{"period": "day"}');
SELECT sdc.attack_events('bought', 'renamed', params => '{"known": 0}');
SELECT sdc.attack_events('bought', 'renamed', params => '{"days": 400}');
SELECT sdc.attack_events('bought', 'renamed', params => '{"windows": 4}');
CREATE VIEW timeless AS SELECT customer, item FROM bought;
SELECT sdc.attack_events('timeless', 'timeless', variant => 'dates');
SELECT sdc.attack_events('timeless', 'timeless', params => '{"period": "month"}');
SELECT count(*) FILTER (WHERE correct) FROM sdc.attack_events('timeless', 'timeless', seed => 1);
CREATE TABLE twice AS SELECT * FROM who UNION ALL SELECT * FROM who WHERE masked = 'x1';
SELECT sdc.attack_events('bought', 'renamed', link => 'twice');
SELECT sdc.create_policy('bad', 'bought', '{}', '[{"attack": "events", "<=": 1, "variant": "faces"}]');
SELECT sdc.create_policy('bad', 'bought', '{}', '[{"attack": "events", "<=": 1, "params": {"known": "all"}}]');
-- How far moments were moved is learned of some records: where every third person
-- has one event that tells nothing, these are not all that is looked at.
CREATE FUNCTION in_turn(turn int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE found bigint;
BEGIN
    CREATE TABLE turns AS
    SELECT to_char(p, 'FM000') AS customer, 'i' || p % 3 AS item, timestamp '2024-01-01' + interval '1 second' *
           CASE WHEN p % 3 = turn THEN 0 ELSE (p::bigint * p * 7919 + e * 104729 * p) % 30000000 END AS at
    FROM generate_series(0, 299) AS p, generate_series(1, 6) AS e WHERE p % 3 <> turn OR e = 1;
    CREATE TABLE turns_moved AS
    SELECT customer, item, CASE WHEN customer::int % 3 = turn THEN at ELSE at +
           interval '1 second' * (extract(epoch FROM at)::bigint * 37 % 900001 - 450000) END AS at FROM turns;
    SELECT count(*) FILTER (WHERE correct) INTO found
    FROM sdc.attack_events('turns', 'turns_moved', variant => 'near_dates', seed => 1);
    DROP TABLE turns, turns_moved;
    RETURN found;
END $$;
SELECT turn, in_turn(turn) > 150 AS finds FROM generate_series(0, 2) AS turn;
DROP FUNCTION in_turn(int);
DROP VIEW shuffled, timeless;
DROP TABLE bought, coarse, renamed, who, moved, later, monthly, who_monthly, alike, holes, empty, stays, stays_masked, twice;
DROP FUNCTION found;
