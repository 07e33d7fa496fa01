-- Attacks from outside on what protect_table publishes: a stranger has the
-- published table, what everybody knows, and what he contributed himself.

-- Firms in 5 regions and 4 branches; a few are large, many cells have one.
CREATE TABLE at_firms (firm int, region text, branch text, turnover int);
CREATE VIEW at_given AS
SELECT coalesce(region, 'Total') AS region, coalesce(branch, 'Total') AS branch, firm, sum(turnover) AS x
FROM at_firms GROUP BY GROUPING SETS ((region, branch, firm), (region, firm), (branch, firm), (firm));
CREATE VIEW at_true AS
SELECT region, branch, sum(x) AS value, max(x) AS x1, count(*) AS firms, min(firm) AS firm,
       sum(x) - coalesce(max(x) FILTER (WHERE place = 1), 0) - coalesce(max(x) FILTER (WHERE place = 2), 0) AS rest
FROM (SELECT *, row_number() OVER (PARTITION BY region, branch ORDER BY x DESC) AS place FROM at_given) AS g
GROUP BY region, branch;
CREATE FUNCTION at_fill(round int) RETURNS void LANGUAGE sql AS $$
    TRUNCATE at_firms;
    INSERT INTO at_firms
    SELECT i / 2, 'r' || (i * i * 7 + i * round + i / 3) % 5, 'b' || (i * i * i + i * 5 + round + i / 4) % 4,
           (1 + (i * i * 31 + i * round * 17) % 97) ^ 2
    FROM generate_series(1, 52) AS i;
$$;
-- What a coalition of firms knows: that each cell lies between 0 and twice its
-- value, as everybody does, and the cells that nobody else is in.
CREATE TABLE at_known (region text, branch text, lowest numeric, highest numeric);
CREATE FUNCTION at_know(coalition int[]) RETURNS void LANGUAGE sql AS $$
    TRUNCATE at_known;
    INSERT INTO at_known
    SELECT region, branch, CASE WHEN own THEN value ELSE 0 END, CASE WHEN own THEN value ELSE greatest(2 * value, 5) END
    FROM (SELECT region, branch, value,
                 NOT EXISTS (SELECT FROM at_given AS g WHERE g.region = t.region AND g.branch = t.branch
                             AND g.firm <> ALL (coalition)) AS own FROM at_true AS t) AS t;
$$;
-- The unsafe cells, other than their own, that they compute too closely.
CREATE FUNCTION at_broken() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN RETURN (
    SELECT count(*)
    FROM sdc.attack_table('at_table', '{region,branch}', params => '{"known": "at_known"}') AS a
    JOIN at_true AS t ON a.cell = jsonb_build_object('region', t.region, 'branch', t.branch)
    JOIN at_table AS s ON s.region = t.region AND s.branch = t.branch
    WHERE s.status = 'primary' AND (highest < t.value + ceil(0.15 * x1 - rest) - 0.01
                                    OR lowest > t.value - ceil(0.15 * x1 - rest) + 0.01)); END $$;
CREATE TABLE at_result (round int, who text, firms int[], unsafe bigint, broken bigint);
DO $$
DECLARE firms int[]; i int; j int;
BEGIN
    FOR round IN 1 .. 6 LOOP
        PERFORM at_fill(round);
        PERFORM sdc.protect_table('at_firms', 'at_table', '{"p_percent": 15}', '{region,branch}', 'turnover',
            '{"respondent": "firm", "status": "reason"}');
        PERFORM at_know('{}');
        INSERT INTO at_result VALUES (round, 'nobody in the table', '{}', (SELECT count(*) FROM at_table WHERE status = 'primary'), at_broken());
        firms := ARRAY(SELECT DISTINCT t.firm FROM at_true AS t JOIN at_table AS s USING (region, branch)
                       WHERE t.firms = 1 AND s.value IS NULL ORDER BY 1);
        FOR i IN 1 .. coalesce(cardinality(firms), 0) LOOP
            PERFORM at_know(ARRAY[firms[i]]);
            INSERT INTO at_result VALUES (round, 'one firm', ARRAY[firms[i]], (SELECT count(*) FROM at_table WHERE status = 'primary'), at_broken());
            -- two firms that tell each other: nothing is promised against them
            j := i % cardinality(firms) + 1;
            PERFORM at_know(ARRAY[firms[i], firms[j]]);
            INSERT INTO at_result VALUES (round, 'two firms', ARRAY[firms[i], firms[j]], (SELECT count(*) FROM at_table WHERE status = 'primary'), at_broken());
        END LOOP;
        DROP TABLE at_table;
    END LOOP;
END $$;
SELECT who, count(*) AS attacks, sum(unsafe) AS cells, count(*) FILTER (WHERE broken > 0) AS succeed
FROM at_result GROUP BY who ORDER BY who COLLATE "C";

-- Every firm knows what it gave to each cell, and that the cell is not below
-- that: no firm bounds what another one gave closer than the rule says.
CREATE TABLE at_gave (region text, branch text, lowest numeric, highest numeric);
CREATE FUNCTION at_skewed(round int) RETURNS void LANGUAGE sql AS $$
    TRUNCATE at_firms;
    INSERT INTO at_firms
    SELECT i * 5 / 7, 'r' || 1 + (i * 7919 + round * 31) % 4, 'b' || 1 + (i * 104729 + i * i * 7 + round * 17) % 1013 % 4,
           ceil(5 * power(1 - (i * 611953 + i * i * 37 + round * 15485863::bigint) % 1009 / 1009.0, -1.2))
    FROM generate_series(1, 42) AS i;
$$;
CREATE FUNCTION at_closer(own int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    TRUNCATE at_gave;
    INSERT INTO at_gave
    SELECT region, branch, sum(x) FILTER (WHERE firm = own), CASE WHEN count(*) = 1 THEN sum(x) END
    FROM at_given GROUP BY region, branch HAVING bool_or(firm = own);
    RETURN (SELECT count(*)
            FROM sdc.attack_table('at_table', '{region,branch}', params => '{"known": "at_gave", "least": 1}') AS a
            CROSS JOIN LATERAL (SELECT coalesce(sum(x) FILTER (WHERE firm = own), 0) AS x, max(x) FILTER (WHERE firm <> own) AS x1
                                FROM at_given AS g WHERE g.region = a.cell->>'region' AND g.branch = a.cell->>'branch') AS g
            WHERE highest - x < 1.2 * x1 - 0.01);
END $$;
TRUNCATE at_result;
DO $$
DECLARE round int;
BEGIN
    FOREACH round IN ARRAY '{1,6,8,12,15}'::int[] LOOP
        PERFORM at_skewed(round);
        PERFORM sdc.protect_table('at_firms', 'at_table', '{"p_percent": 20}', '{region,branch}', 'turnover', '{"respondent": "firm"}');
        INSERT INTO at_result SELECT round, NULL, ARRAY[firm], NULL, at_closer(firm)
        FROM (SELECT DISTINCT firm FROM at_given JOIN at_table AS s USING (region, branch) WHERE s.value IS NULL) AS f;
        DROP TABLE at_table;
    END LOOP;
END $$;
SELECT count(DISTINCT round) AS tables, count(*) AS firms, count(*) FILTER (WHERE broken > 0) AS closer FROM at_result;

-- Percentages beside hidden cells, with one digit, are knowledge, too: they
-- lie within half a digit, of a total that is shown.
CREATE TABLE at_people AS
SELECT r AS region, b AS branch
FROM (VALUES ('r1', 'b1', 2), ('r1', 'b2', 18), ('r1', 'b3', 9), ('r2', 'b1', 11), ('r2', 'b2', 6),
             ('r2', 'b3', 25), ('r3', 'b1', 30), ('r3', 'b2', 4), ('r3', 'b3', 7)) AS t(r, b, n),
     generate_series(1, n);
SELECT value FROM sdc.protect_table('at_people', 'at_counts', keys => 'region,branch') WHERE measure = 'secondary';
CREATE VIEW at_count AS SELECT coalesce(region, 'Total') AS region, coalesce(branch, 'Total') AS branch, count(*) AS n
FROM at_people GROUP BY CUBE (region, branch);
CREATE VIEW at_shares AS SELECT region, branch, round(100.0 * n / 112, 1) AS share FROM at_count;
CREATE VIEW at_percent AS SELECT region, branch, (share - 0.05) / 100 * 112 AS lowest, (share + 0.05) / 100 * 112 AS highest
FROM at_shares;
SELECT count(*) AS hidden, count(*) FILTER (WHERE exact) AS exact
FROM sdc.attack_table('at_counts', '{region,branch}', params => '{"unit": 1, "least": 1}');
SELECT count(*) AS hidden, count(*) FILTER (WHERE exact) AS exact
FROM sdc.attack_table('at_counts', '{region,branch}', params => '{"unit": 1, "least": 1, "known": "at_percent"}');
-- The same table, its keys renamed, protected in another way.
CREATE VIEW at_other AS SELECT region AS area, branch AS class FROM at_people;
SELECT value FROM sdc.protect_table('at_other', 'at_counts2', '{"threshold": 5}', '{area,class}',
    params => '{"weight": "cells"}') WHERE measure = 'secondary';
CREATE VIEW at_renamed AS SELECT area AS region, area_parent AS region_parent, class AS branch,
    class_parent AS branch_parent, value FROM at_counts2;
SELECT count(*) AS hidden, count(*) FILTER (WHERE exact) AS exact
FROM sdc.attack_table('at_counts', '{region,branch}', params => '{"unit": 1, "with": "at_renamed"}');
-- Rounded totals of a table that somebody else has published.
CREATE VIEW at_rounded AS SELECT region, branch, greatest(r - 4, 0) AS lowest, r + 4 AS highest
FROM (SELECT region, branch, round(n / 5.0) * 5 AS r FROM at_count) AS c;
SELECT sum(highest - lowest) AS alone FROM sdc.attack_table('at_counts', '{region,branch}', params => '{"unit": 1}');
SELECT sum(highest - lowest) AS with_rounded
FROM sdc.attack_table('at_counts', '{region,branch}', params => '{"unit": 1, "known": "at_rounded"}');

-- Cell keys of two domains are two draws of the noise for the same cell.
CREATE TABLE at_ids AS SELECT row_number() OVER () AS id, region, branch FROM at_people;
SELECT measure FROM sdc.protect_table('at_ids', 'at_noise1', keys => 'region,branch', params =>
    '{"method": "cell_key", "domain": "at 1", "respondent": "id"}') WHERE measure = 'cells';
SELECT measure FROM sdc.protect_table('at_ids', 'at_noise2', keys => 'region,branch', params =>
    '{"method": "cell_key", "domain": "at 2", "respondent": "id"}') WHERE measure = 'cells';
SELECT (SELECT sum(highest - lowest) FROM sdc.attack_table('at_noise1', 'region,branch', params => '{"noise": 5, "unit": 1}'))
     > (SELECT sum(highest - lowest) FROM sdc.attack_table('at_noise1', 'region,branch',
            params => '{"noise": 5, "unit": 1, "with": "at_noise2"}')) AS narrower;

-- Adjusted tables: who knows the method computes what it makes of every table
-- there is, and keeps those that it makes the published one of.
CREATE TABLE at_in (x text, y text);
CREATE TABLE at_seen (leaf int[], published numeric[]);
DO $$
DECLARE leaf int[];
BEGIN
    FOR n IN 0 .. 255 LOOP
        leaf := ARRAY[n % 4, n / 4 % 4, n / 16 % 4, n / 64];
        TRUNCATE at_in;
        INSERT INTO at_in SELECT 'x' || k / 2, 'y' || k % 2
        FROM generate_series(0, 3) AS k, generate_series(1, leaf[k + 1]);
        -- a label that nobody has would be none of the table
        CONTINUE WHEN (SELECT count(DISTINCT x) < 2 OR count(DISTINCT y) < 2 FROM at_in);
        PERFORM sdc.protect_table('at_in', 'at_out', keys => 'x,y', params => '{"method": "adjust"}');
        INSERT INTO at_seen SELECT leaf, array_agg(value ORDER BY x COLLATE "C", y COLLATE "C") FROM at_out;
        DROP TABLE at_out;
    END LOOP;
END $$;
SELECT count(*) AS small, count(*) FILTER (WHERE least = most) AS known
FROM (SELECT leaf[k] AS n, min(leaf[k]) OVER w AS least, max(leaf[k]) OVER w AS most
      FROM at_seen, generate_series(1, 4) AS k WINDOW w AS (PARTITION BY published, k)) AS s
WHERE n IN (1, 2);
-- No small number is published where a small one was.
SELECT count(*) AS published FROM at_seen, generate_series(1, 4) AS k
WHERE leaf[k] IN (1, 2) AND published[(ARRAY[5, 6, 8, 9])[k]] IN (1, 2);
SELECT measure, value FROM sdc.protect_table('at_people', 'at_adjusted', keys => 'region,branch', params => '{"method": "adjust"}')
WHERE measure IN ('unsafe', 'largest');
SELECT count(*) AS cells, count(*) FILTER (WHERE exact) AS exact, count(*) FILTER (WHERE n NOT BETWEEN lowest AND highest) AS wrong
FROM sdc.attack_table('at_adjusted', 'region,branch', params => '{"noise": 2, "adjusted": 3, "unit": 1}') AS a
JOIN at_count AS t ON a.cell = jsonb_build_object('region', region, 'branch', branch);
-- A cell of 1 or 2 that was published as it is would say that it is 3 or more.
UPDATE at_adjusted SET value = 2 WHERE region = 'r1' AND branch = 'b1';
SELECT lowest >= 3 AS at_least_3 FROM sdc.attack_table('at_adjusted', 'region,branch', params => '{"noise": 4, "adjusted": 3}')
WHERE cell = '{"region": "r1", "branch": "b1"}';

-- A policy attacks adjusted tables by what was changed at most, and its report
-- has the table.
CREATE SCHEMA at_open;
SELECT sdc.create_policy('at', 'at_people', '{}', '[{"table": "exact", "<=": 0}]', '{"schema": "at_open", "table": "cells",
    "protect": {"keys": ["region", "branch"], "params": {"method": "adjust"}}}');
CALL sdc.release('at');
SELECT line FROM regexp_split_to_table((SELECT sdc.report(max(release), 'text') FROM sdc.releases('at')), E'\n') AS line
WHERE line ~ 'Tables of cells|hidden or changed|No attack|singling_out|What readers see|^region |^r[0-9] |^Total |changed ';
SELECT sdc.drop_policy('at');
DROP TABLE at_open.cells;
SELECT sdc.create_policy('at', 'at_people', '{}', '[{"table": "exact", "<=": 0}]', '{"schema": "at_open", "table": "cells2",
    "protect": {"keys": ["region", "branch"], "rules": {"threshold": 3}}}');
CALL sdc.release('at');
SELECT line FROM regexp_split_to_table((SELECT sdc.report(max(release), 'text') FROM sdc.releases('at')), E'\n') AS line
WHERE line ~ 'Tables of cells|hidden or changed|What readers see|^region |^r[0-9] |^Total |changed ';
SELECT sdc.report(max(release), 'html') ~ '<td[^>]*>x</td>' AS marked FROM sdc.releases('at');
SELECT sdc.drop_policy('at');
DROP TABLE at_open.cells2;
-- with the intervals of readers, who know that hidden counts are 1 or more
SELECT sdc.create_policy('at', 'at_people', '{}', '[{"table": "exact", "<=": 0}]', '{"schema": "at_open", "table": "cells3",
    "protect": {"keys": ["region", "branch"], "rules": {"threshold": 3}, "intervals": true}}');
CALL sdc.release('at');
SELECT regexp_replace(line, ' +$', '') AS line
FROM regexp_split_to_table((SELECT sdc.report(max(release), 'text') FROM sdc.releases('at')), E'\n') AS line
WHERE line ~ 'What readers see|^region |^r[0-9] |^Total ';
SELECT count(*) AS hidden, count(*) FILTER (WHERE NOT r.shown ~ format('[^0-9]%s to %s[^0-9]', lowest, highest)) AS missing
FROM sdc.attack_table('at_open.cells3', 'region,branch', params => '{"unit": 1, "least": 1}'),
    (SELECT relations -> 0 ->> 'shown' AS shown FROM sdc.releases('at') ORDER BY release DESC LIMIT 1) AS r;
SELECT sdc.drop_policy('at');

-- Equations that are told: months of quarters, and a sum over two of them.  By
-- plain arithmetic apr is 5 - 4; jan and mar share 10 - 3.
CREATE TABLE at_cells (cell text, value numeric);
INSERT INTO at_cells VALUES ('jan', NULL), ('feb', 3), ('mar', NULL), ('q1', 10), ('apr', NULL),
    ('may', 4), ('q2', 5), ('ends', NULL), ('alone', NULL);
CREATE TABLE at_equations (equation int, total text, part text);
INSERT INTO at_equations VALUES (1, 'q1', 'jan'), (1, 'q1', 'feb'), (1, 'q1', 'mar'),
    (2, 'q2', 'apr'), (3, 'ends', 'jan'), (2, 'q2', 'may'), (3, 'ends', 'apr');
SELECT * FROM sdc.attack_table('at_cells', 'cell', params => '{"parts": "at_equations"}') ORDER BY cell;
SELECT * FROM sdc.attack_table('at_cells', 'cell', params => '{"parts": "at_equations", "exact": true}') ORDER BY cell;
SELECT * FROM sdc.attack_table('at_cells', 'cell', params => '{"parts": "at_equations", "exact": true, "unit": 1}') ORDER BY cell;
SELECT * FROM sdc.attack_table('at_cells', 'cell') ORDER BY cell;
SELECT * FROM sdc.attack_table('at_cells', 'cell,value', params => '{"parts": "at_equations"}');
INSERT INTO at_equations VALUES (3, 'q1', 'jan');
SELECT * FROM sdc.attack_table('at_cells', 'cell', params => '{"parts": "at_equations"}');
UPDATE at_equations SET total = 'end' WHERE equation = 3;
SELECT * FROM sdc.attack_table('at_cells', 'cell', params => '{"parts": "at_equations"}');
UPDATE at_equations SET total = NULL WHERE equation = 3;
SELECT * FROM sdc.attack_table('at_cells', 'cell', params => '{"parts": "at_equations"}');
DROP TABLE at_cells, at_equations;

-- Nothing is published as it is, and what is known is more than a table with no value would have.
CREATE TABLE at_none AS SELECT region, NULL::numeric AS value FROM unnest('{r1,r2,Total}'::text[]) AS region;
CREATE TABLE at_large (region text, lowest numeric, highest numeric);
INSERT INTO at_large VALUES ('Total', 5000, 7000), ('r1', 2000, NULL), ('r2', NULL, 4500);
SELECT cell ->> 'region' AS region, lowest, highest, exact FROM sdc.attack_table('at_none', 'region', params => '{"known": "at_large"}') ORDER BY 1;
DROP TABLE at_none, at_large;

-- Errors.
SELECT * FROM sdc.attack_table('at_counts', 'region,branch', params => '{"adjusted": 3}');
SELECT * FROM sdc.attack_table('at_counts', 'region,branch', params => '{"known": "at_shares"}');
SELECT * FROM sdc.attack_table('at_counts', 'region,branch', params => '{"known": "at_percent", "earlier": "at_counts"}');
UPDATE at_known SET lowest = 9, highest = 8, region = 'r1', branch = 'b1';
SELECT * FROM sdc.attack_table('at_counts', 'region,branch', params => '{"known": "at_known"}');

DROP SCHEMA at_open CASCADE;
DROP FUNCTION at_fill, at_know, at_broken, at_skewed, at_closer;
DROP VIEW at_true, at_given, at_percent, at_shares, at_renamed, at_rounded, at_other, at_count;
DROP TABLE at_firms, at_known, at_gave, at_result, at_people, at_counts, at_counts2, at_ids, at_noise1, at_noise2, at_in, at_seen, at_adjusted;
SELECT sdc.forget_pseudonyms('at 1'), sdc.forget_pseudonyms('at 2');
