-- pseudonym: keyed names that join.
\set SHOW_CONTEXT never

-- HMAC-SHA-256 in plain SQL, from RFC 2104, for keys of 32 bytes.
CREATE FUNCTION hmac_by_hand(key bytea, message bytea) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
  inner_block bytea := decode(repeat('36', 64), 'hex');
  outer_block bytea := decode(repeat('5c', 64), 'hex');
BEGIN
  FOR i IN 0..length(key) - 1 LOOP
    inner_block := set_byte(inner_block, i, get_byte(inner_block, i) # get_byte(key, i));
    outer_block := set_byte(outer_block, i, get_byte(outer_block, i) # get_byte(key, i));
  END LOOP;
  RETURN sha256(outer_block || sha256(inner_block || message));
END $$;
-- RFC 4231, test case 1 (a key of 20 bytes is padded with zeros)
SELECT encode(hmac_by_hand(decode(repeat('0b', 20), 'hex'), 'Hi There'), 'hex')
  = 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7' AS rfc_4231;

-- The key is made at the first use, once for each domain, and only once.
SELECT sdc.pseudonym('alice', 'people') = sdc.pseudonym('alice', 'people') AS equal,
       sdc.pseudonym('alice', 'people') <> sdc.pseudonym('bob', 'people') AS by_value,
       sdc.pseudonym('alice', 'people') <> sdc.pseudonym('alice', 'orders') AS by_domain,
       sdc.pseudonym('alice', 'people') <> sdc.pseudonym('alice', 'people', '2026-11') AS by_period,
       sdc.pseudonym('alice', 'people', '') <> sdc.pseudonym('alice', 'people') AS empty_period;
SELECT domain, length(key), count(*) OVER () FROM sdc.secret ORDER BY domain;
SELECT count(DISTINCT key) FROM sdc.secret;

-- Against the definition; the key of the test domain is known.
INSERT INTO sdc.secret (domain, key) SELECT 'known', sha256('a key for tests');
SELECT sdc.pseudonym(v, 'known')
         = left(encode(hmac_by_hand(sha256('a key for tests'), '\x00'::bytea || convert_to(v, 'UTF8')), 'hex'), 32) AS hex,
       sdc.pseudonym(v, 'known', 'May')
         = left(encode(hmac_by_hand(sha256('a key for tests'),
             '\x0103000000'::bytea || 'May'::bytea || convert_to(v, 'UTF8')), 'hex'), 32) AS period
FROM (VALUES ('alice'), (''), ('53715'), (repeat('long ', 1000))) AS t(v);
SELECT sdc.pseudonym('alice', 'known') AS hex,
       sdc.pseudonym('alice', 'known', format => 'uuid')::uuid AS uuid,
       sdc.pseudonym('alice', 'known', format => 'email') AS email,
       sdc.pseudonym('+49 171 555-0100', 'known', format => 'digits') AS digits;
-- the first 64 bits of the value are in the UUID, but for the version
SELECT replace(sdc.pseudonym('alice', 'known', format => 'uuid'), '-', '') LIKE
       left(sdc.pseudonym('alice', 'known'), 12) || '8' || '%' AS version_8;

-- Digits: no two share one, lengths and signs stay, no number gets a leading zero.
SELECT count(DISTINCT p), count(*) FILTER (WHERE length(p) = length(v) AND p !~ '^-?0.' AND (left(p, 1) = '-') = (left(v, 1) = '-'))
FROM (SELECT v, sdc.pseudonym(v, 'known', format => 'digits') AS p
      FROM (SELECT i::text AS v FROM generate_series(-12000, 12000) AS i) AS a) AS b;
SELECT count(DISTINCT sdc.pseudonym(i::text, 'known', format => 'digits')::bigint)
FROM generate_series(1, 20000) AS i;
-- and they are spread: a chi-square of the last digit, 9 degrees, p = 1e-6 is 45.1
SELECT sum((n - 2000) ^ 2 / 2000.0) < 45.1 AS spread
FROM (SELECT count(*) AS n FROM (
        SELECT right(sdc.pseudonym((1000000 + i)::text, 'known', format => 'digits'), 1) AS d
        FROM generate_series(1, 20000) AS i) AS a GROUP BY d) AS b;
SELECT sdc.pseudonym('C 1234', 'known', format => 'digits');
SELECT sdc.pseudonym('- -', 'known', format => 'digits');
SELECT sdc.pseudonym('', 'known', format => 'digits');
SELECT sdc.pseudonym(repeat('1', 257), 'known', format => 'digits');
SELECT length(sdc.pseudonym(repeat('1', 256), 'known', format => 'digits'));

-- Foreign keys still join, whatever the table.
CREATE TABLE customer (id text PRIMARY KEY);
CREATE TABLE purchase (customer text REFERENCES customer);
INSERT INTO customer SELECT 'c' || i FROM generate_series(1, 50) AS i;
INSERT INTO purchase SELECT 'c' || 1 + i % 50 FROM generate_series(1, 300) AS i;
SELECT count(*) FROM (SELECT sdc.pseudonym(id, 'people') AS p FROM customer) AS c
JOIN (SELECT sdc.pseudonym(customer, 'people') AS p FROM purchase) AS o USING (p);
DROP TABLE purchase, customer;
-- domains that change from row to row
SELECT count(DISTINCT sdc.pseudonym('x', 'domain ' || i % 3, nullif(i % 2, 0)::text)) FROM generate_series(1, 60) AS i;

-- Bad input
SELECT sdc.pseudonym(NULL, 'known') IS NULL AS stays_null;
SELECT sdc.pseudonym('a', NULL);
SELECT sdc.pseudonym('a', '');
SELECT sdc.pseudonym('a', 'known', format => 'md5');
SELECT sdc.pseudonym('a', 'known', format => NULL);
UPDATE sdc.secret SET key = 'short' WHERE domain = 'orders';
SELECT sdc.pseudonym('a', 'orders');
BEGIN READ ONLY;
SELECT length(sdc.pseudonym('a', 'known'));
ROLLBACK;
-- a key that was rolled back was never there
BEGIN;
SELECT length(sdc.pseudonym('a', 'rolled back'));
ROLLBACK;
SELECT count(*) FROM sdc.secret WHERE domain = 'rolled back';

-- Rights: not everyone may make pseudonyms, and nobody sees the key.
CREATE ROLE regress_sdc_clerk;
SET ROLE regress_sdc_clerk;
SELECT sdc.pseudonym('alice', 'known');
SELECT sdc.forget_pseudonyms('known');
SELECT key FROM sdc.secret;
RESET ROLE;
GRANT EXECUTE ON FUNCTION sdc.pseudonym(text, text, text, text) TO regress_sdc_clerk;
SET ROLE regress_sdc_clerk;
SELECT length(sdc.pseudonym('alice', 'known')), length(sdc.pseudonym('alice', 'a domain of the clerk'));
SELECT key FROM sdc.secret;
SELECT sdc.forget_pseudonyms('known');
-- the function that makes no keys
SELECT sdc.known_pseudonym('alice', 'known') = sdc.pseudonym('alice', 'known') AS same,
       sdc.known_pseudonym('al1ce', 'known', '2020', 'uuid')
       = sdc.pseudonym('al1ce', 'known', '2020', 'uuid') AS of_period;
SELECT sdc.known_pseudonym('alice', 'unknown');
SELECT sdc.synchronize_workers();
RESET ROLE;
REVOKE EXECUTE ON FUNCTION sdc.pseudonym(text, text, text, text) FROM regress_sdc_clerk;
SET ROLE regress_sdc_clerk;
SELECT sdc.known_pseudonym('alice', 'known');
SELECT sdc_internal.take_rows('secret', 'domain', '{"value": null, "rows": []}');
SELECT sdc_internal.take_grants('[]');
RESET ROLE;
SELECT sdc.synchronize_workers() AS workers;
SELECT count(*) FROM sdc.secret WHERE domain = 'unknown';
DROP OWNED BY regress_sdc_clerk;
DROP ROLE regress_sdc_clerk;

-- Forgetting
CREATE TABLE before AS SELECT sdc.pseudonym('alice', 'people') AS p;
SELECT sdc.forget_pseudonyms('people'), sdc.forget_pseudonyms('people'), sdc.forget_pseudonyms(NULL);
SELECT p <> sdc.pseudonym('alice', 'people') AS another_key FROM before;
DROP TABLE before;
SELECT bool_and(sdc.forget_pseudonyms(domain)) FROM sdc.secret;
DROP FUNCTION hmac_by_hand(bytea, bytea);
