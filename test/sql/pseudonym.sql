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

-- Pseudonyms that keep the form: FF1, see test/unit/same.c.
SELECT format, v, sdc.pseudonym(v, 'known', format => format) AS pseudonym,
       sdc.reveal(sdc.pseudonym(v, 'known', format => format), 'known', format => format) = v AS comes_back
FROM (VALUES ('same', '+49 171 555-0100'), ('same', 'HH-ab 1234'), ('same', '7'), ('card', '4111-1111-1111-1111'), ('card', '4111111111111112'),
      ('iban', 'DE89 3704 0044 0532 0130 00'), ('iban', 'MT84MALT011000012345MTLCAST001S'), ('de_tax', '86095742719'), ('fr_nir', '2 53 07 2B 073 004 70'),
      ('es_dni', 'X2482300W'), ('es_dni', '12345678Z'), ('jp_my', '123456789018')) AS f (format, v);
-- a bijection: as many as there are, each of the form
SELECT count(DISTINCT p) AS different, count(*) FILTER (WHERE p !~ '^[A-Z]-[0-9]{3}$') AS other_form,
       count(*) FILTER (WHERE p = v) < 20 AS few_stay
FROM (SELECT chr(65 + i % 26) || '-' || lpad((i / 26)::text, 3, '0') AS v,
             sdc.pseudonym(chr(65 + i % 26) || '-' || lpad((i / 26)::text, 3, '0'), 'known', format => 'same') AS p
      FROM generate_series(0, 25999) AS i) AS s;
-- right numbers stay right, wrong ones wrong: Luhn by hand
SELECT right_, count(*), count(DISTINCT p) AS different, count(*) FILTER (WHERE luhn % 10 = 0) AS hold
FROM (SELECT i, i % 2 = 0 AS right_, c, sdc.pseudonym(c, 'known', format => 'card') AS p,
             (SELECT sum(CASE WHEN n % 2 = 1 THEN d * 2 / 10 + d * 2 % 10 ELSE d END)
              FROM generate_series(1, 16) AS n, LATERAL (SELECT substr(sdc.pseudonym(c, 'known', format => 'card'), n, 1)::int AS d) AS x) AS luhn
      FROM (SELECT i, left(f, 15) || (right(f, 1)::int + i % 2) % 10 AS c
            FROM generate_series(1, 200) AS i, LATERAL (SELECT sdc.fake(i::text, 'card', 'known') AS f OFFSET 0) AS m) AS k) AS s
GROUP BY right_ ORDER BY right_;
-- another domain, period or format, another permutation
SELECT count(DISTINCT p) AS different FROM (VALUES (sdc.pseudonym('1234567890', 'known', format => 'same')),
    (sdc.pseudonym('1234567890', 'people', format => 'same')), (sdc.pseudonym('1234567890', 'known', 'May', 'same')),
    (sdc.pseudonym('1234567890', 'known', '', 'same')), (sdc.pseudonym('1234567890', 'known', format => 'digits'))) AS v (p);
SELECT sdc.reveal(sdc.pseudonym('1234567890', 'known', 'May', 'same'), 'known') = '1234567890' AS without_the_period;
SELECT sdc.pseudonym(NULL, 'known', format => 'same') IS NULL AND sdc.reveal(NULL, 'known') IS NULL AS stays_null;
SELECT sdc.pseudonym('Müller', 'known', format => 'same');
SELECT sdc.pseudonym(' - ', 'known', format => 'same');
SELECT sdc.pseudonym(repeat('1', 72), 'known', format => 'same');
SELECT length(sdc.pseudonym(repeat('1', 71), 'known', format => 'same'));
SELECT sdc.pseudonym(repeat('.', 257) || '1', 'known', format => 'same');
SELECT sdc.pseudonym('4111', 'known', format => 'card');
SELECT sdc.pseudonym('de89370400440532013000', 'known', format => 'iban');
SELECT sdc.reveal('a', 'known', format => 'hex');
-- as rules: what does not fit is told by its column, before anything is read
CREATE TABLE coded (plate varchar(10) UNIQUE, card text, tax bigint);
INSERT INTO coded VALUES ('HH-AB 12', '4111111111111111', 86095742719), ('M-XY 1', '5555 5555 5555 4444', 47036892816), (NULL, NULL, NULL);
SELECT subject, method, changed FROM sdc.mask('coded', '{"plate": {"method": "pseudonym", "domain": "known", "format": "same"},
    "card": {"method": "pseudonym", "domain": "known", "format": "card"}}', target => 'coded_out') WHERE step = 'mask' AND method IS NOT NULL ORDER BY 1;
SELECT count(*) FILTER (WHERE plate ~ '^[A-Z]+-[A-Z]{2} [0-9]+$' AND card ~ '^[45][0-9 ]+$') AS of_the_form FROM coded_out;
SELECT sdc.mask('coded', '{"tax": {"method": "pseudonym", "domain": "known", "format": "de_tax"}}', target => 'never');
SELECT sdc.mask('coded', '{"plate": {"method": "pseudonym", "domain": "known", "format": "card"}}', target => 'never');
INSERT INTO coded VALUES ('Ü-1');
SELECT sdc.mask('coded', '{"plate": {"method": "pseudonym", "domain": "known", "format": "same"}}', target => 'never');
DROP TABLE coded, coded_out;

-- Rights: not everyone may make pseudonyms, and nobody sees the key.
CREATE ROLE regress_sdc_clerk;
SET ROLE regress_sdc_clerk;
SELECT sdc.pseudonym('alice', 'known');
SELECT sdc.reveal('a1', 'known');
SELECT sdc.forget_pseudonyms('known');
SELECT key FROM sdc.secret;
RESET ROLE;
GRANT EXECUTE ON FUNCTION sdc.pseudonym(text, text, text, text) TO regress_sdc_clerk;
SET ROLE regress_sdc_clerk;
SELECT length(sdc.pseudonym('alice', 'known')), length(sdc.pseudonym('alice', 'a domain of the clerk'));
SELECT sdc.reveal('a1', 'known');
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
-- a column whose collation calls unequal texts equal
CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE loosely AS SELECT i AS id, (1000 + i)::text COLLATE loose AS code FROM generate_series(1, 9) AS i;
SELECT rows, changed FROM sdc.mask('loosely', '{"code": {"method": "pseudonym", "domain": "people", "format": "digits"}}', 'loosely_masked', 'id') WHERE step = 'mask';
INSERT INTO loosely VALUES (10, 'x');
SELECT count(*) FROM sdc.mask('loosely', '{"code": {"method": "pseudonym", "domain": "people", "format": "digits"}}', 'loosely_again', 'id');
DROP TABLE loosely, loosely_masked;
DROP COLLATION loose;
SELECT bool_and(sdc.forget_pseudonyms(domain)) FROM sdc.secret;
DROP FUNCTION hmac_by_hand(bytea, bytea);
