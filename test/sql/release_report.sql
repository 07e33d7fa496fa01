-- release_report: a release in words, from rows of the history that are fixed.

\set SHOW_CONTEXT never

CREATE ROLE regress_sdc_reporter;
CREATE ROLE regress_sdc_auditor;
CREATE ROLE regress_sdc_stranger;
GRANT EXECUTE ON FUNCTION sdc.report(bigint, text)
TO regress_sdc_reporter, regress_sdc_auditor, regress_sdc_stranger;
GRANT SELECT ON sdc.release_history TO regress_sdc_auditor;

-- Two tables; one attack that could not be run; a sentence that quotes data.
INSERT INTO sdc.release_history (release, policy, owner, released_by, status,
    started, finished, snapshot, relations, measures)
VALUES (9000001, 'twin', 'regress_sdc_reporter', 'somebody', 'published',
    '2026-01-02 03:04:05+00', '2026-01-02 03:05:06+00', '10:20:',
    '[{"relation": "public.people", "target": "pub.people", "rows": 20000,
       "rules": {"income,tax": {"method": "microaggregate", "k": 5},
                 "age": {"method": "rank_swap", "p": 2.5}},
       "constraints": [{"attack": "transparency", "<=": 0.5},
                       {"attack": "worst", "<=": 0.6},
                       {"measure": "l_distinct", ">=": 2}],
       "columns": [{"name": "id", "type": "integer"},
                   {"name": "age", "type": "integer"},
                   {"name": "income", "type": "integer"},
                   {"name": "tax", "type": "numeric(10,2)"},
                   {"name": "region", "type": "text"}],
       "published": ["age", "income", "tax", "region"]},
      {"relation": "public.\"Visits\"", "target": "pub.\"Visits\"", "rows": 7,
       "rules": {"day": {"method": "null"}}, "constraints": [],
       "columns": [{"name": "day", "type": "date"}], "published": ["day"]}]',
    '[{"relation": "public.people",
       "gate": [
        {"place": 1, "requirement": "attack transparency reid_k <= 0.5",
         "value": 0.25, "bound": 0.5, "passed": true, "detail": "Fine."},
        {"place": 2, "requirement": "attack worst reid_k <= 0.6",
         "value": 0.25, "bound": 0.6, "passed": true, "detail": "Fine."},
        {"place": 3, "requirement": "measure l_distinct >= 2", "value": 2,
         "bound": 2, "passed": true, "detail": "x."}],
       "before": [
        {"measure": "records", "subject": "age, income", "value": 20000},
        {"measure": "k_anonymity", "subject": "age, income", "value": 1},
        {"measure": "prosecutor_average", "subject": "age, income",
         "value": 0.875},
        {"measure": "l_distinct", "subject": "region", "value": 1,
         "detail": "The smallest is 1."}],
       "after": [
        {"measure": "records", "subject": "age, income", "value": 20000},
        {"measure": "k_anonymity", "subject": "age, income", "value": 5},
        {"measure": "prosecutor_average", "subject": "age, income",
         "value": 0.125},
        {"measure": "l_distinct", "subject": "region", "value": 2,
         "detail": "The smallest is 2."}],
       "classes": {"before": {"1": 10000, "2": 3000, "4": 1000},
                   "after": {"5": 800, "16": 1000}},
       "attacks": [
        {"attack": "distance", "variant": "mahalanobis", "excuse": null,
         "records": 20000, "reid_d": 0.1, "reid_k": 0.125, "k_reid": 0},
        {"attack": "transparency", "variant": null, "excuse": null,
         "records": 20000, "reid_d": 0.2, "reid_k": 0.25, "k_reid": 0.0625},
        {"attack": "exact",
         "excuse": "No key can be compared in both tables."}],
       "knowing": {"attack": "transparency", "steps": [
        {"columns": 1, "last": "age", "found": 0.0625},
        {"columns": 2, "last": "income", "found": 0.125},
        {"columns": 6, "last": "<zip>", "found": 0.25}]},
       "disclosure": [
        {"measure": "rank_disclosure", "subject": "income", "value": 0.375,
         "detail": "x."},
        {"measure": "other", "subject": "income", "value": 1}],
       "utility": [
        {"measure": "value_change", "subject": "all columns", "value": 0.1},
        {"measure": "value_change", "subject": "income", "value": 0.2},
        {"measure": "value_change", "subject": "tax", "value": 0.15},
        {"measure": "value_change", "subject": "age", "value": 0.05},
        {"measure": "value_change", "subject": "region", "value": 0}]},
      {"relation": "public.\"Visits\"", "gate": [], "before": [], "after": [],
       "attacks": [], "disclosure": [], "utility": []}]');
-- What went wrong, in every way it can.
INSERT INTO sdc.release_history (release, policy, owner, released_by, status,
    started, finished, relations, measures, reason)
SELECT 9000001 + n, 'twin', 'regress_sdc_reporter', 'somebody', s.status,
       '2026-01-03 03:04:05+00', '2026-01-03 03:04:06+00',
       h.relations, CASE WHEN s.measured THEN jsonb_set(jsonb_set(h.measures,
           '{0,gate,2,passed}', 'false'), '{0,attacks,1,reid_k}', '0.75') END,
       s.reason
FROM sdc.release_history AS h,
     (VALUES (1, 'refused', true, 'A sentence.'),
             (2, 'refused', false, 'public.people: column "email": It is new.'),
             (3, 'failed', false, 'An error (SQLSTATE 53100) ended the run.'),
             (4, 'running', false, NULL)) AS s(n, status, measured, reason)
WHERE h.release = 9000001;

-- The whole report.
\pset format unaligned
\pset tuples_only on
SELECT sdc.report(9000001);
SELECT sdc.report(9000001, 'markdown');
\pset format aligned
\pset tuples_only off

-- The other verdicts; one that runs no more is interrupted.
SELECT release, (regexp_match(sdc.report(release),
                              '=\n\n(.*?)\n\nfact'))[1] AS verdict
FROM sdc.release_history WHERE policy = 'twin' ORDER BY release;

-- All formats say the same: what is in json is in each of the others.
CREATE FUNCTION pg_temp.plain(page text) RETURNS text LANGUAGE sql AS $$
SELECT regexp_replace(replace(replace(replace(replace(replace(replace(replace(
    page, '&#60;', '<'), '&#62;', '>'), '&lt;', '<'), '&gt;', '>'),
    '&#34;', '"'), '&#38;', '&'), '\', ''), '\s+', ' ', 'g') $$;
CREATE TEMP VIEW said AS
SELECT release, t #>> '{}' AS text
FROM (SELECT release, sdc.report(release, 'json')::jsonb AS report
      FROM sdc.release_history WHERE policy = 'twin') AS h,
     unnest(ARRAY['$.blocks[*].text', '$.blocks[*].titles[*]',
                  '$.blocks[*].rows[*].label',
                  '$.blocks[*] ? (@.kind == "table").rows[*][*]']::jsonpath[])
         AS path,
     jsonb_path_query(report, path) AS t
WHERE jsonb_typeof(t) = 'string';
SELECT count(*) > 300 AS many FROM said;
SELECT DISTINCT format, text
FROM said, unnest('{text,markdown,html}'::text[]) AS format
WHERE position(regexp_replace(text, '\s+', ' ', 'g') IN
               pg_temp.plain(sdc.report(release, format))) = 0;
-- Numbers are not rounded in json, and are in the others.
SELECT jsonb_path_query(sdc.report(9000001, 'json')::jsonb,
           '$.blocks[*] ? (@.kind == "bars").rows[*]') AS bar;

-- Hostile names: nothing of them is markup, and no control character is left.
INSERT INTO sdc.release_history (release, policy, owner, released_by, status,
    started, finished, relations, measures, reason)
SELECT 9000010, x, 'regress_sdc_reporter', left(x, 20), 'refused',
    '2026-01-03 03:04:05+00', '2026-01-03 03:04:06+00',
    jsonb_build_array(jsonb_build_object('relation', x, 'target', x, 'rows', 1,
        'rules', jsonb_build_object(x, jsonb_build_object('method', x, x, x)),
        'columns', jsonb_build_array(jsonb_build_object('name', x, 'type', x)),
        'published', jsonb_build_array(x),
        'constraints', jsonb_build_array())),
    jsonb_build_array(jsonb_build_object('relation', x,
        'gate', jsonb_build_array(jsonb_build_object('requirement', x,
            'value', 1, 'bound', 2, 'passed', false, 'detail', x)),
        'attacks', jsonb_build_array(
            jsonb_build_object('attack', x, 'reid_k', 0.5, 'method', x),
            jsonb_build_object('attack', x, 'excuse', x)),
        'after', jsonb_build_array(jsonb_build_object('measure', 'records',
            'subject', x, 'value', 1)),
        'classes', jsonb_build_object('before', jsonb_build_object(x, 1),
            'after', jsonb_build_object('-1', 1, '1e400', 1, '3', 'x')),
        'utility', jsonb_build_array(
            jsonb_build_object('measure', 'value_change', 'subject',
                'all columns', 'value', 0.5),
            jsonb_build_object('measure', 'value_change', 'subject', x,
                'value', 0.5)))), x
FROM (SELECT '<script>alert(1)</script>"''&amp;]]>|`*_[x](http://e.x)'
             || chr(27) || '[31m' || chr(10) || '# h' || chr(155) || chr(233)
             AS x) AS hostile;
SELECT format,
       page ~ '[\x01-\x09\x0b-\x1f\x7f]' OR strpos(page, chr(155)) > 0 AS control,
       page ~ '<script|<\/script' AS script,
       page ~ '(^|[^\\])`|\n# h' AS markup
FROM unnest('{text,markdown,html,json}'::text[]) AS format,
     sdc.report(9000010, format) AS page;
SELECT page ~ '^[\x0a\x20-\x7e]*$' AS ascii,
       page ~* ' src=| href=|@import|url\(' AS external,
       page ~ '&#60;script&#62;alert\(1\)&#60;/script&#62;&#34;&#39;&#38;amp;' AS shown
FROM sdc.report(9000010, 'html') AS page;

-- Rows that are not as release writes them give a report, not an error.
INSERT INTO sdc.release_history (release, policy, owner, released_by, status,
    started, relations, measures)
SELECT 9000020 + n, 'odd', 'regress_sdc_reporter', 'x', 'failed',
       '2026-01-03 03:04:05+00', o.relations::jsonb, o.measures::jsonb
FROM (VALUES (1, '{}', '{}'), (2, '[]', '[]'), (3, '7', '"x"'),
             (4, '[[], {"rules": 3, "columns": [{}], "rows": "x"}]', '[[]]'),
             (5, '[{"columns": [{"name": "a"}], "published": "a",
                    "rules": {"a": 1}}]',
                 '[{"gate": {}, "attacks": [{}], "before": [{}],
                    "after": [{"measure": 3}], "classes": [],
                    "utility": [{"subject": "a"}]}]'))
     AS o(n, relations, measures);
SELECT release, format
FROM sdc.release_history,
     unnest('{text,markdown,html,json}'::text[]) AS format
WHERE policy = 'odd' AND length(sdc.report(release, format)) < 300;

-- Who may see the row sees the report, and nobody else learns that it is there.
SET ROLE regress_sdc_reporter;
SELECT sdc.report(9000001) ~ 'Published' AS owner;
SET ROLE regress_sdc_auditor;
SELECT sdc.report(9000001) ~ 'Published' AS auditor;
SET ROLE regress_sdc_stranger;
SELECT sdc.report(9000001);
SELECT sdc.report(8999999);
RESET ROLE;
REVOKE EXECUTE ON FUNCTION sdc.report(bigint, text) FROM regress_sdc_stranger;
SET ROLE regress_sdc_stranger;
SELECT sdc.report(9000001);
RESET ROLE;

-- Bad calls.
SELECT sdc.report(NULL);
SELECT sdc.report(9000001, NULL);
SELECT sdc.report(9000001, 'pdf');

DELETE FROM sdc.release_history WHERE release BETWEEN 9000000 AND 9000100;
DROP VIEW said;
REVOKE ALL ON FUNCTION sdc.report(bigint, text)
FROM regress_sdc_reporter, regress_sdc_auditor;
REVOKE ALL ON sdc.release_history FROM regress_sdc_auditor;
DROP ROLE regress_sdc_reporter, regress_sdc_auditor, regress_sdc_stranger;
