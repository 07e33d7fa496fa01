-- nulls: one meaning of NULL for each relation, shared by all who count it.
\set SHOW_CONTEXT never

CREATE TABLE visit (id int PRIMARY KEY, age int, sex text, town text, illness text);
INSERT INTO visit SELECT i, 30 + i % 4 * 10, CASE WHEN i % 3 = 0 THEN 'm' ELSE 'f' END, 'town ' || i * i % 7, 'illness ' || i % 5
FROM generate_series(1, 60) AS i;

-- Without a word NULL is a category, and nothing is declared.
SELECT sdc.declared_nulls('visit') IS NULL AS undeclared;
CREATE FUNCTION k_of(rel regclass, params jsonb DEFAULT NULL) RETURNS float8 LANGUAGE sql AS $$
SELECT value FROM sdc.risk_report(rel, '{age,sex,town}', measures => '{k_anonymity}', params => params) $$;

-- Who writes NULL for a suppressed value says what it means.
SELECT (SELECT value FROM sdc.suppress('visit', id => 'id', keys => '{age,sex,town}', k => 3, seed => 1, target => 'suppressed') WHERE measure = 'suppressed') > 0 AS suppressed;
SELECT sdc.declared_nulls('suppressed'), k_of('suppressed') >= 3 AS holds, k_of('suppressed', '{"nulls": "category"}') AS as_category;
SELECT (SELECT value FROM sdc.suppress('visit', id => 'id', keys => '{age,sex,town}', k => 3, seed => 1, target => 'strict', params => '{"nulls": "category"}') WHERE measure = 'suppressed') > 0 AS suppressed;
SELECT sdc.declared_nulls('strict'), k_of('strict') >= 3 AS holds;
SELECT count(*) AS steps FROM sdc.mask('visit', '{"age,sex,town": {"method": "suppress", "k": 3}}', target => 'masked', seed => 1);
SELECT sdc.declared_nulls('masked'), k_of('masked') >= 3 AS holds;
CREATE TABLE inside AS TABLE visit;
ALTER TABLE inside ADD PRIMARY KEY (id);
SELECT count(*) AS steps FROM sdc.mask('inside', '{"age,sex,town": {"method": "suppress", "k": 3}}', seed => 1);
SELECT sdc.declared_nulls('inside'), k_of('inside') >= 3 AS holds;

-- So a policy can ask for what its rule gives, without another word; the published table is counted alike.
-- The key of the policy is given: of 60 records the attack finds 32 to 41 by the draw, and 40 is the bound.
INSERT INTO sdc.policy_key (policy, key) VALUES ('nulls', sha256('nulls'));
SELECT sdc.create_policy('nulls', 'visit', '{"age,sex,town": {"method": "suppress", "k": 3}}',
  '[{"measure": "k_anonymity", ">=": 3}]', '{"id": "id", "keys": ["age", "sex", "town"], "sensitive": ["illness"], "schema": "public", "table": "visit_published"}');
CALL sdc.release('nulls', seed => 4611686018427387905);
SELECT status FROM sdc.releases('nulls');
SELECT sdc.declared_nulls('visit_published'), k_of('visit_published') >= 3 AS holds;
SELECT rules #>> ARRAY['age,sex,town', 'k'] AS k, passed FROM sdc.frontier('visit',
  '{"age,sex,town": {"method": "suppress", "k": [2, 3, 4]}}', 'id', '{age,sex,town}', '{illness}', '[{"measure": "k_anonymity", ">=": 3}]', seed => 1) ORDER BY 1;
-- A gate that counts NULL as a category refuses the same rules, and passes them where the table says so.
SELECT sdc.create_policy('nulls', 'visit', '{"age,sex,town": {"method": "suppress", "k": 3}}',
  '[{"measure": "k_anonymity", ">=": 3, "params": {"nulls": "category"}}]', '{"id": "id", "keys": ["age", "sex", "town"], "sensitive": ["illness"], "schema": "public", "table": "visit_published"}');
SELECT bool_and(passed) AS passes FROM sdc.check_release('nulls', 'masked');
SELECT sdc.declare('visit', 'id', keys => '{age,sex,town}', sensitive => '{illness}', nulls => 'category');
CALL sdc.release('nulls', seed => 4611686018427387905);
SELECT sdc.declared_nulls('visit_published'), k_of('visit_published') >= 3 AS holds;

-- A declaration without the argument leaves the meaning, one of nothing removes it.
SELECT sdc.declare('visit', 'id', keys => '{age,sex}');
SELECT sdc.declared_nulls('visit');
SELECT sdc.declare('visit');
SELECT sdc.declared_nulls('visit') IS NULL AS undeclared;
SELECT sdc.declare('visit', nulls => 'none');

-- All who count take the declared meaning, and params goes before it.
CREATE TABLE holes AS SELECT id, nullif(age, 30) AS age, nullif(sex, 'm') AS sex, town, nullif(illness, 'illness 1') AS illness FROM visit;
CREATE FUNCTION same(expression text) RETURNS TABLE (nulls text, as_declared boolean, differs boolean) LANGUAGE plpgsql AS $$
DECLARE word text; given text; declared text; plain text;
BEGIN
  PERFORM sdc.declare('holes');
  EXECUTE format('SELECT string_agg(r::text, '','') FROM %s AS r', format(expression, '{}')) INTO plain;
  FOREACH word IN ARRAY '{category,wildcard,ignore}'::text[] LOOP
    PERFORM sdc.declare('holes', nulls => word);
    BEGIN
      EXECUTE format('SELECT string_agg(r::text, '','') FROM %s AS r', format(expression, jsonb_build_object('nulls', word))) INTO given;
    EXCEPTION WHEN feature_not_supported THEN
      given := plain;  -- declared, it is taken for category
    END;
    EXECUTE format('SELECT string_agg(r::text, '','') FROM %s AS r', format(expression, '{}')) INTO declared;
    nulls := word; as_declared := given = declared; differs := given <> plain;
    RETURN NEXT;
  END LOOP;
END $$;
SELECT * FROM same($$sdc.risk_report('holes', '{age,sex}', '{illness}', params => '%s')$$);
SELECT * FROM same($$sdc.risk_records('holes', 'id', '{age,sex,town}', '{illness}', params => '%s')$$);
SELECT * FROM same($$sdc.risk_cells('holes', '{age,sex}', '{illness}', params => '%s')$$);
SELECT * FROM same($$sdc.suda2('holes', 'id', '{age,sex,town}', params => '%s')$$);
SELECT * FROM same($$sdc.uniqueness('holes', 'visit', '{age,sex,town}', NULL, 'population', '%s')$$);
SELECT * FROM same($$sdc.uniqueness('holes', 'visit', '{age,sex,town}', NULL, 'dis', '%s')$$);
SELECT * FROM same($$sdc.posterior('holes', NULL, '{age,sex}', '{illness}', '%s')$$);
SELECT * FROM same($$sdc.attack_exact('holes', 'holes', 'id', '{age,sex,town}', '%s')$$);
SELECT * FROM same($$sdc.lattice('holes', '{age,sex}', '{illness}', 1, NULL, 3, params => '%s')$$);

-- A partition has what its parent says; a copy by rules, a sample and a view of its own each what they are told.
CREATE TABLE parent (a int, b int) PARTITION BY LIST (a);
CREATE TABLE part PARTITION OF parent FOR VALUES IN (1);
SELECT sdc.declare('parent', nulls => 'wildcard');
SELECT sdc.declared_nulls('part');
SELECT sdc.declare('holes', nulls => 'ignore');
SELECT count(*) AS steps FROM sdc.mask('holes', '{"age": {"method": "keep"}}', target => 'copied');
SELECT (SELECT rows FROM sdc.sample_rows('holes', p => 50, seed => 1, target => 'sampled') WHERE step = 'write') AS rows;
SELECT sdc.declared_nulls('copied'), sdc.declared_nulls('sampled');

-- Only an owner may say it, everybody may read it.
CREATE ROLE regress_sdc_nulls;
GRANT SELECT ON holes TO regress_sdc_nulls;
SET ROLE regress_sdc_nulls;
SELECT sdc.declare('holes', nulls => 'category');
SELECT sdc.declared_nulls('holes');
RESET ROLE;

-- What a dropped table leaves behind goes with the next declaration.
SELECT sdc.drop_policy('nulls');
DROP FUNCTION same, k_of;
SET client_min_messages = warning;
DROP TABLE holes, copied, sampled, parent, visit, visit_published, suppressed, strict, masked, inside;
DROP ROLE regress_sdc_nulls;
CREATE TABLE last (a int);
SELECT sdc.declare('last');
SELECT count(*) FROM sdc.null_meaning;
DROP TABLE last;
