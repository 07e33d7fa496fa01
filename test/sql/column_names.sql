-- column_names: tables whose columns are called like what sdc writes itself into
-- its statements and tables of its own.

\set SHOW_CONTEXT never
SET sdc.progress_interval = 0;
SET client_min_messages = warning;
CREATE SCHEMA names_out;

-- The id, keys and sensitive column of a case; all columns are numbers.
CREATE TABLE names (c text);
INSERT INTO names SELECT unnest('{sdc_crowd,sdc_alone,sdc_person,sdc_rows,sdc_all,sdc_lacks,sdc_new,
    sdc_look,sdc_look_0_0_1,sdc_1,sdc_2,r,x,m,o,p,v,u,w,l,d,f,h,s,t,n,i,id,person,place,cell,value,part,
    size,classes,crowd,alone,here,ok,cell_0,v_0,masked,original,known,record,weight,row,ctid_,g,k,q,c1,c2}'::text[]);
CREATE FUNCTION make(id text, a text, b text, s text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DROP TABLE IF EXISTS named;
    EXECUTE format('CREATE TABLE named AS SELECT i::int AS %I, (i * 37 %% 101)::float8 AS %I,
        (i * 53 %% 89)::int AS %I, i %% 4 AS %I FROM generate_series(1, 240) AS i', id, a, b, s);
    EXECUTE format('SELECT sdc.declare(''named'', id => %L, keys => ARRAY[%L, %L]::name[], sensitive => ARRAY[%L]::name[])', id, a, b, s);
END $$;
-- What goes wrong in a case: nothing, or the first error of each step.
CREATE FUNCTION try(step text, query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
EXCEPTION WHEN OTHERS THEN
    RETURN NEXT step || ': ' || SQLERRM;
END $$;
CREATE FUNCTION rules(id text, a text, b text, method jsonb) RETURNS jsonb LANGUAGE sql AS $$
SELECT jsonb_build_object(id, '{"method": "keep"}'::jsonb, a, method, b, method) $$;
CREATE FUNCTION attempt(id text, a text, b text, s text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    method jsonb;
BEGIN
    PERFORM make(id, a, b, s);
    RETURN QUERY SELECT try('risk', 'SELECT count(*) FROM sdc.risk_report(''named'')');
    FOREACH method IN ARRAY ARRAY['{"method": "rank_swap", "p": 5}', '{"method": "add_noise", "alpha": 0.1}',
        '{"method": "pram", "p": 80}']::jsonb[]
    LOOP
        DROP TABLE IF EXISTS masked_named;
        RETURN QUERY SELECT try(method ->> 'method', format('SELECT count(*) FROM sdc.mask(''named'', %L, target => ''masked_named'')', rules(id, a, b, method)));
        RETURN QUERY SELECT try('likelihood', format('SELECT count(*) FROM sdc.attack_likelihood(''named'', ''masked_named'', rules => %L)', rules(id, a, b, method)));
    END LOOP;
    FOREACH method IN ARRAY ARRAY[
        jsonb_build_object(a || ',' || b, '{"method": "suppress", "k": 2}'::jsonb),
        jsonb_build_object(a || ',' || b, '{"method": "microaggregate", "k": 3}'::jsonb),
        jsonb_build_object(s, '{"method": "anatomize", "l": 2}'::jsonb),
        '{"*": {"method": "sample_rows", "p": 50}}']::jsonb[]
    LOOP
        DROP TABLE IF EXISTS masked_named;
        RETURN QUERY SELECT try(method::text, format('SELECT count(*) FROM sdc.mask(''named'', %L, target => ''masked_named'')',
            jsonb_build_object(id, '{"method": "keep"}'::jsonb) || method));
    END LOOP;
    DROP TABLE IF EXISTS masked_named;
    PERFORM sdc.mask('named', rules(id, a, b, '{"method": "rank_swap", "p": 5}'), target => 'masked_named');
    RETURN QUERY SELECT try('disclosure', 'SELECT count(*) FROM sdc.disclosure_report(''named'', ''masked_named'')');
    RETURN QUERY SELECT try('utility', 'SELECT count(*) FROM sdc.utility_report(''named'', ''masked_named'')');
END $$;
-- Each name is the id and a key, or another key and sensitive.
SELECT n.c, t.what FROM (SELECT c, i, lead(c, 1, 'y1') OVER w AS a, lead(c, 2, 'y2') OVER w AS b, lead(c, 3, 'y3') OVER w AS s
    FROM (SELECT c, row_number() OVER () AS i FROM names) AS x WINDOW w AS (ORDER BY i)) AS n,
    attempt(n.c, n.a, n.b, n.s) AS t (what) WHERE n.i % 2 = 1;

-- Night after night: all of them in one table, and as the id.
SELECT format('CREATE TABLE nights AS SELECT i AS z, %s FROM generate_series(1, 240) AS i',
    string_agg(format('(i * %s %% 211)::float8 AS %I', 37 + row, c), ', ')) FROM (SELECT c, row_number() OVER () AS row FROM names) AS x \gexec
SELECT sdc.declare('nights', id => 'z', keys => '{sdc_crowd,sdc_person,t}',
    insensitive => (SELECT array_agg(c)::name[] FROM names WHERE c NOT IN ('sdc_crowd', 'sdc_person', 't')));
CREATE FUNCTION release_twice(id text) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy('nights', 'nights', (SELECT jsonb_object_agg(c, CASE WHEN c IN ('sdc_crowd', 't', 'sdc_rows') THEN
        '{"method": "rank_swap", "p": 5, "strata": ["s"]}' WHEN c IN ('sdc_person', 'sdc_look_0_0_1', 'n') THEN '{"method": "add_noise", "alpha": 0.2}'
        ELSE '{"method": "keep"}' END::jsonb) FROM names WHERE c <> id),
    '[{"attack": "worst", "<=": 1}]', jsonb_build_object('schema', 'names_out', 'batch', 3, 'attacks', '["likelihood", "distance"]'::jsonb, 'id', id)) $$;
UPDATE nights SET s = z % 2;
SELECT release_twice('z');
CALL sdc.release('nights');
UPDATE nights SET sdc_crowd = -sdc_crowd, sdc_person = -sdc_person, t = -t WHERE z < 20;
DELETE FROM nights WHERE z > 230;
CALL sdc.release('nights');
UPDATE nights SET sdc_crowd = -sdc_crowd, sdc_person = -sdc_person, t = -t WHERE z BETWEEN 30 AND 50;
CALL sdc.release('nights');
SELECT row_number() OVER (ORDER BY release) AS night, status, reason,
       (SELECT string_agg(a ->> 'attack', ' ' ORDER BY a ->> 'attack') FROM jsonb_array_elements(measures -> 0 -> 'attacks') AS a) AS attacks
FROM sdc.releases('nights') ORDER BY 1;
SELECT sdc.drop_policy('nights');
DROP TABLE names_out.nights;
-- an id that is called so
CREATE FUNCTION nights_by(id text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM make(id, 'a', 'b', 'y');
    PERFORM sdc.create_policy('named', 'named', jsonb_build_object('a', '{"method": "rank_swap", "p": 5}'::jsonb,
        'b', '{"method": "add_noise", "alpha": 0.2}'::jsonb), '[{"attack": "worst", "<=": 1}]',
        '{"schema": "names_out", "batch": 2, "attacks": ["likelihood"]}');
    RETURN NEXT 'CALL sdc.release(''named'')';
    RETURN NEXT format('UPDATE named SET a = -a, b = -b WHERE %I < 9', id);
    RETURN NEXT format('DELETE FROM named WHERE %I > 235', id);
    RETURN NEXT 'CALL sdc.release(''named'')';
    RETURN NEXT 'SELECT sdc.drop_policy(''named'')';
    RETURN NEXT 'DROP TABLE names_out.named';
END $$;
SELECT nights_by('sdc_crowd') \gexec
SELECT nights_by('t') \gexec
SELECT nights_by('n') \gexec
SELECT nights_by('place') \gexec
SELECT nights_by('sdc_person') \gexec
SELECT nights_by('person') \gexec
DROP TABLE named, masked_named, names, nights;
DROP SCHEMA names_out CASCADE;
DROP FUNCTION make, try, rules, attempt, release_twice, nights_by;
SELECT sdc.forget_pseudonyms('names');
