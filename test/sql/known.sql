-- known: an intruder who knows deterministic rules applies them to what he
-- knows, in every attack that compares values; here beside a view that does.
CREATE FUNCTION noise(i bigint, salt bigint, values_of bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT (((i * 2654435761 + salt * 40503) % 4294967296 * 69069 + 12345) % 4294967296 / 65536) % values_of $$;
SELECT sdc.create_hierarchy('known_zip', 'prefix', '{"length": 5}');
CREATE TABLE people AS
SELECT i AS id, noise(i, 1, 9000)::float8 AS income, noise(i, 2, 700)::int AS rent, noise(i, 3, 60)::numeric AS age,
       lpad((10000 + noise(i, 4, 400) * 7)::text, 5, '0') AS zip, '0' || noise(i, 5, 900) + 100 AS phone,
       ('10.0.' || noise(i, 6, 200) || '.7')::inet AS ip, noise(i, 7, 50)::int AS gone
FROM generate_series(1, 200) AS i;
\set rules '{"income": {"method": "top_code", "upper": 4000}, "rent": {"method": "bottom_code", "lower": 300}, "age": {"method": "round_to", "base": 10}, "zip": {"method": "generalize", "hierarchy": "known_zip", "level": 2}, "phone": {"method": "mask_text", "keep": 2}, "ip": {"method": "mask_inet", "keep": 16}, "gone": {"method": "null"}}'
CREATE VIEW images AS
SELECT id, sdc.top_code(income, 4000) AS income, sdc.bottom_code(rent, 300) AS rent, sdc.round_to(age, 10) AS age,
       sdc.generalize(zip, 'known_zip', 2) AS zip, sdc.mask_text(phone::text, 2) AS phone, sdc.mask_inet(ip, 16) AS ip, NULL::int AS gone FROM people;
-- what is released was masked so, and some of it moved besides
CREATE TABLE released AS SELECT * FROM images;
UPDATE released SET income = income + noise(id, 8, 100) - 50;
-- the same links as of the images, and more than of the values
CREATE FUNCTION links(original regclass, keys name[], method text, params jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT md5(string_agg(l::text, ';' ORDER BY ordinality)) || ' ' || count(*) FILTER (WHERE correct)
  FROM sdc.attack_distance(original, 'released', 'id', keys, method, params) WITH ORDINALITY AS l
$$;
SELECT method, params->>'direction' AS direction, params->>'assignment' AS assignment,
       links('people', keys, method, params || jsonb_build_object('rules', :'rules'::jsonb)) = links('images', keys, method, params) AS as_images,
       split_part(links('people', keys, method, params || jsonb_build_object('rules', :'rules'::jsonb)), ' ', 2)::int AS with_rules,
       split_part(links('people', keys, method, params), ' ', 2)::int AS without
FROM (VALUES ('euclidean', '{income,rent,age}'::name[], '{}'::jsonb), ('mahalanobis', '{income,rent,age}', '{}'),
             ('euclidean', '{income,rent,age}', '{"direction": "to_original"}'), ('euclidean', '{income,rent,age}', '{"assignment": "one_to_one"}'),
             ('gower', '{income,rent,age,zip,phone,ip}', '{}')) AS c(method, keys, params);
-- a column of which nothing is left is no obstacle
SELECT count(*) FILTER (WHERE linked_id IS NOT NULL) AS linked FROM sdc.attack_distance('people', 'released', 'id', '{income,rent,gone}');
SELECT count(*) FILTER (WHERE correct) AS found,
       (SELECT count(*) FROM sdc.attack_distance('images', 'released', 'id', '{income,rent}') WHERE correct) AS by_the_others
FROM sdc.attack_distance('people', 'released', 'id', '{income,rent,gone}', params => jsonb_build_object('rules', :'rules'::jsonb));
-- what is learned, and the reports, which are told the rules
SELECT a.parameters = b.parameters AND a.reidentified = b.reidentified AS as_images, a.uniform > c.uniform AS more
FROM sdc.learn_distance('people', 'released', 'id', '{income,rent,age}', 'wm', jsonb_build_object('rules', :'rules'::jsonb)) AS a,
     sdc.learn_distance('images', 'released', 'id', '{income,rent,age}', 'wm') AS b,
     sdc.learn_distance('people', 'released', 'id', '{income,rent,age}', 'wm') AS c;
SELECT count(*) FILTER (WHERE correct) = (SELECT count(*) FILTER (WHERE correct) FROM sdc.attack_learned('images', 'released', 'id', '{income,rent,age}')) AS as_images
FROM sdc.attack_learned('people', 'released', 'id', '{income,rent,age}', params => jsonb_build_object('rules', :'rules'::jsonb));
SELECT d.subject, d.value = l.reid_d AS as_images
FROM sdc.disclosure_report('people', 'released', 'id', '{income,rent,age}', '{zip}', rules => :'rules', measures => '{distance}') AS d,
     LATERAL (SELECT (sdc.reid(a)).reid_d FROM sdc.attack_distance('images', 'released', 'id', '{income,rent,age}',
       params => jsonb_build_object('direction', split_part(d.subject, ' ', 2))) AS a) AS l
WHERE d.measure = 'reid_d' ORDER BY 1;
-- what pairs agree in: keys and blocks
SELECT count(*) FILTER (WHERE a IS DISTINCT FROM b) AS differ, count(*) FILTER (WHERE (a).correct) > (SELECT count(*) FROM sdc.attack_probabilistic('people', 'released', 'id',
         '{income,rent,age,phone}', '{"compare": {"income": "deviation"}}') WHERE correct) AS more
FROM (SELECT a FROM sdc.attack_probabilistic('people', 'released', 'id', '{income,rent,age,phone}',
        jsonb_build_object('compare', '{"income": "deviation"}'::jsonb, 'rules', :'rules'::jsonb)) AS a) AS x
FULL JOIN (SELECT b FROM sdc.attack_probabilistic('images', 'released', 'id', '{income,rent,age,phone}',
        '{"compare": {"income": "deviation"}}') AS b) AS y ON (a).id = (b).id AND (a).linked_id IS NOT DISTINCT FROM (b).linked_id;
SELECT md5(string_agg(e::text, ';')) = (SELECT md5(string_agg(e::text, ';')) FROM sdc.estimate_linkage('images', 'released', '{income,rent,age}', '{"block": ["zip"]}') AS e) AS as_images
FROM sdc.estimate_linkage('people', 'released', '{income,rent,age}', jsonb_build_object('block', '["zip"]'::jsonb, 'rules', :'rules'::jsonb)) AS e;
-- one scale for deviations, whoever is attacked
CREATE VIEW dear AS SELECT * FROM people ORDER BY income DESC LIMIT 40;
CREATE TABLE moved AS SELECT id, income + noise(id, 9, 40) - 20 AS income, rent + noise(id, 10, 4) - 2 AS rent, age + noise(id, 11, 3) - 1 AS age FROM people;
SELECT scale, count(*) FILTER (WHERE correct) > 30 AS found FROM unnest('{masked,pooled,own}'::text[]) AS scale,
  sdc.attack_probabilistic('dear', 'moved', 'id', '{income,rent,age}', jsonb_build_object('compare',
    '{"income": "deviation", "rent": "deviation", "age": "deviation"}'::jsonb, 'within', '{"income": [0.02, 0.1, 0.5], "rent": [0.02, 0.1, 0.5], "age": [0.05, 0.2, 0.5]}'::jsonb, 'scale', scale)) GROUP BY scale ORDER BY scale;
-- rounding at random leaves two values: the known one stays
SELECT count(*) AS links, count(*) FILTER (WHERE correct) > 100 AS found FROM sdc.attack_distance('people', 'people', 'id', '{income,age}',
  params => '{"rules": {"age": {"method": "round_to", "base": 10, "random": true}}}');
-- rules that are none
SELECT count(*) FROM sdc.attack_distance('people', 'released', 'id', '{income}', params => '{"rules": {"nobody": {"method": "null"}}}');
SELECT count(*) FROM sdc.attack_distance('people', 'released', 'id', '{income}', params => '{"rules": 5}');
SELECT sdc.drop_hierarchy('known_zip');
DROP VIEW images, dear;
DROP TABLE people, released, moved;
DROP FUNCTION links, noise;
