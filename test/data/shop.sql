-- shop.sql: a made shop of :customers customers in the schema :shop, with what real
-- ones have: 24 columns, a partitioned table, an enum, a domain, JSON, arrays,
-- generated columns, an identity, a serial, foreign keys (one composite, one
-- to itself, one to a text), a trigger and a view.  For tests and the demo.
CREATE SCHEMA :"shop";
SET search_path = :"shop";
CREATE TYPE tier AS ENUM ('basic', 'plus', 'pro');
CREATE DOMAIN email_address AS text CHECK (VALUE LIKE '%_@_%');
CREATE FUNCTION pick(a text[], i int) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT a[1 + (i::bigint * 2654435761 % 4294967296 / 65536)::int % cardinality(a)] $$;
CREATE TABLE country (code char(2) PRIMARY KEY, label text);
INSERT INTO country VALUES ('DE', 'Germany'), ('FR', 'France'), ('ES', 'Spain');
CREATE TABLE customer (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    first_name text NOT NULL, last_name text NOT NULL,
    full_name text GENERATED ALWAYS AS (first_name || ' ' || last_name) STORED,
    email email_address NOT NULL UNIQUE, login varchar(40) UNIQUE, phone varchar(30),
    gender char(1) CHECK (gender IN ('f', 'm')), date_of_birth date,
    street text, postcode varchar(10), city text, country char(2) REFERENCES country,
    iban text, card_number varchar(19), password_hash text NOT NULL, last_ip inet,
    salary numeric(10,2), level tier NOT NULL DEFAULT 'basic', tags text[], prefs jsonb NOT NULL DEFAULT '{}',
    referred_by bigint REFERENCES customer, notes text, created_at timestamptz NOT NULL DEFAULT now());
INSERT INTO customer (first_name, last_name, email, login, phone, gender, date_of_birth, street, postcode, city, country, iban,
    card_number, password_hash, last_ip, salary, level, tags, prefs, referred_by, notes)
SELECT pick('{Sabine,Heike,Petra,Anke,Birgit,Uwe,Torsten,Holger,Norbert,Matthias}', i), pick('{Müller,Schmidt,Schneider,Fischer,Weber,Meyer,Wagner,Becker}', i * 3) || CASE WHEN i % 3 = 0 THEN '-' || pick('{Kurz,Lang,Gross}', i) ELSE '' END,
    'user' || i || '@web.test', 'user_' || i, '+49 171 ' || 5550000 + i, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, date '1945-03-01' + i * 13 % 22000,
    pick('{Hauptstraße,Bahnhofstr.,Gartenweg,Lindenallee}', i) || ' ' || i % 120 + 1, (10000 + i * 37 % 89999)::text, pick('{Berlin,Hamburg,Kiel,Bonn}', i), pick('{DE,FR,ES}', i),
    'DE' || lpad((98 - (lpad((i::bigint * 98765432109 % 999999999999999)::text, 18, '0') || '131400')::numeric % 97)::text, 2, '0') || lpad((i::bigint * 98765432109 % 999999999999999)::text, 18, '0'),
    '4' || lpad((i::bigint * 99991 % 100000000000000)::text, 14, '0') || '0', md5('secret' || i), ('198.51.' || i % 255 || '.' || i * 7 % 255)::inet, 20000 + i * 131 % 60000,
    (pick('{basic,plus,pro}', i))::tier, ARRAY['news', 'user' || i || '@web.test'], jsonb_build_object('lang', 'de', 'contact', jsonb_build_object('email', 'user' || i || '@web.test')),
    nullif(i / 10, 0), CASE WHEN i % 20 = 0 THEN 'Called back on +49 171 ' || 5550000 + i ELSE 'fine' END
FROM generate_series(1, :customers) AS i;
CREATE TABLE orders (id bigserial, customer_id bigint NOT NULL REFERENCES customer ON DELETE CASCADE, placed date NOT NULL, amount numeric(10,2),
    net numeric(10,2) GENERATED ALWAYS AS (round(amount / 1.19, 2)) STORED, PRIMARY KEY (id, placed)) PARTITION BY RANGE (placed);
CREATE TABLE orders_2024 PARTITION OF orders FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE orders_2025 PARTITION OF orders FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
INSERT INTO orders (customer_id, placed, amount) SELECT 1 + i % :customers, date '2024-01-01' + i % 700, i * 7 % 300 + 0.5 FROM generate_series(1, 3 * :customers) AS i;
CREATE TABLE order_line (order_id bigint, placed date, n int, article text, PRIMARY KEY (order_id, placed, n), FOREIGN KEY (order_id, placed) REFERENCES orders);
INSERT INTO order_line SELECT id, placed, 1 + id % 3, pick('{kettle,lamp,chair,spoon}', id::int) FROM orders;
CREATE TABLE ticket (id serial PRIMARY KEY, email email_address REFERENCES customer (email), opened timestamptz, body text);
INSERT INTO ticket (email, opened, body) SELECT 'user' || i || '@web.test', '2025-01-01', CASE WHEN i % 2 = 0 THEN 'Please write to user' || i || '@web.test.' ELSE 'Where is my parcel?' END
FROM generate_series(1, :customers / 4) AS i;
CREATE TABLE audit (at timestamptz, who text, what jsonb);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO audit VALUES (now(), NEW.email, NULL); RETURN NEW; END $$;
CREATE TRIGGER noted AFTER UPDATE ON customer FOR EACH ROW EXECUTE FUNCTION note();
CREATE VIEW pro AS SELECT * FROM customer WHERE level = 'pro';
ANALYZE customer, orders, order_line, ticket;
