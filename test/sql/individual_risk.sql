-- individual_risk: against closed forms and the integral in plain SQL.

-- EX-BF-1, EX-BF-2
SELECT round(sdc.individual_risk(1, 17)::numeric, 6) AS bf_1,
       round(sdc.individual_risk(2, 84.5)::numeric, 6) AS bf_2;

-- what sdcMicro 5.8.1 prints, to the last digit
SELECT f, people, abs(sdc.individual_risk(f, people) - risk) < 1e-15 AS exact,
       abs(sdc.individual_risk(f, people, 'approx') - risk) < 1e-15 AS approx
FROM (VALUES (2, 110.0, 0.0171442615962852), (2, 84.5, 0.0220423261832562), (1, 17, 0.177075834003514),
             (1, 541, 0.011654480146012), (1, 8, 0.297063077382834), (1, 5, 0.402359478108525)) AS v(f, people, risk);

-- with weights: each record's class, and the expected number of links
CREATE TABLE sample (id int, region text, age int, weight float8);
INSERT INTO sample VALUES (1,'n',30,12), (2,'n',30,20.5), (3,'s',40,7), (4,'s',50,300), (5,NULL,50,9), (6,NULL,50,11), (7,'s',30,1);
SELECT id, f, people, round(sdc.individual_risk(f, people)::numeric, 8) AS exact,
       round((CASE f WHEN 1 THEN coalesce(ln(people) / nullif(people - 1, 0), 1)
              ELSE (1 - 2 / (people - 2) * ln(people / 2)) * 2 / (people - 2) END)::numeric, 8) AS formula
FROM (SELECT id, count(*) OVER w AS f, sum(weight) OVER w AS people
      FROM sample WINDOW w AS (PARTITION BY region, age)) s ORDER BY id;

-- f = 1, 2, 3 in closed form, with x = (1 - p) / p
SELECT bool_and(abs(sdc.individual_risk(1, n) / r1 - 1) < 1e-13) AS one,
       bool_and(abs(sdc.individual_risk(2, 2 * n) / ((1 - r1) / x) - 1) < 1e-12) AS two,
       bool_and(abs(sdc.individual_risk(3, 3 * n) / ((0.5 - (1 - r1) / x) / x) - 1) < 1e-11) AS three
FROM (SELECT n, n - 1 AS x, ln(n) / (n - 1) AS r1 FROM unnest('{2.5,4,17,1000,1e6}'::float8[]) AS n) s;

-- any f: the integral of v^(f-1) / (1 + x v), by the midpoint rule
SELECT f, n, abs(sdc.individual_risk(f, n) /
                 (SELECT sum(((i - 0.5) / 20000) ^ (f - 1) / (1 + (n - f) / f * (i - 0.5) / 20000)) / 20000
                  FROM generate_series(1, 20000) AS i) - 1) < 1e-6 AS same
FROM (VALUES (2, 9.0), (5, 20.0), (5, 6.0), (17, 170.0), (30, 31.0), (40, 400.0)) AS v(f, n);

-- the whole population; weights below 1 count as 1; many people
SELECT sdc.individual_risk(4, 4) AS whole, sdc.individual_risk(4, 2.5) AS below,
       sdc.individual_risk(1, 1e300) < 1e-297 AS many,
       sdc.individual_risk(1000000000, 2e9) BETWEEN 5e-10 AND 5.000001e-10 AS large;

-- one in every plan, and NULL in, NULL out
SELECT provolatile, proparallel, proisstrict FROM pg_proc WHERE proname = 'individual_risk';
SELECT sdc.individual_risk(NULL, 3) AS a, sdc.individual_risk(3, NULL) AS b, sdc.individual_risk(3, 4, NULL) AS c;

-- errors
SELECT sdc.individual_risk(0, 3);
SELECT sdc.individual_risk(-1, 3);
SELECT sdc.individual_risk(1, 0);
SELECT sdc.individual_risk(1, 'NaN');
SELECT sdc.individual_risk(1, 'infinity');
SELECT sdc.individual_risk(1, 2, 'quick');

DROP TABLE sample;
