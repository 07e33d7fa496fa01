-- copy_nights: copies of many nights, and what changes between them.
SET client_min_messages = warning;
INSERT INTO sdc.secret (domain, key) VALUES ('person', sha256('person'));
CREATE SCHEMA regress_pay;
CREATE TABLE regress_pay.staff (id int PRIMARY KEY, email text UNIQUE, salary float8, bonus int, age int, grade text, level int);
INSERT INTO regress_pay.staff SELECT i, 'p' || i || '@pay.test', 30000 + i * 7919 % 50000, i * 37 % 900, 20 + i * 31 % 45, 'g' || i * 13 % 7, i % 9 FROM generate_series(1, 300) AS i;
CREATE TABLE regress_pay.note (staff int REFERENCES regress_pay.staff, points float8);
INSERT INTO regress_pay.note SELECT i, i FROM generate_series(1, 300) AS i;

-- What is drawn anew, or made of all rows, is told; what each row becomes by itself and by a key is not.
\set rules '''{"*": {"method": "keep"}, "staff.salary": {"method": "add_noise", "alpha": 1}, "staff.bonus": {"method": "round_to", "base": 100, "random": true}, "staff.age": {"method": "rank_swap", "p": 10}, "staff.level": {"method": "round_to", "base": 3}, "note.points": {"method": "shuffle"}}'''
SELECT sdc.create_copy('regress_pay', 'regress_pay', 'regress_paid', :rules);
SELECT step, subject, detail FROM sdc.run_copy('regress_pay') WHERE step NOT IN ('mask', 'kept', 'write');
-- one copy by itself has no other ones
SELECT count(*) FROM sdc.copy_schema('regress_pay', 'regress_once', :rules) WHERE step = 'not covered';
DROP SCHEMA regress_once CASCADE;
-- and so it is: a mean of ten nights misses by a third of what one misses by (.316)
CREATE TEMP TABLE seen (night int, id int, salary float8);
CREATE FUNCTION pg_temp.nights(nights int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    FOR n IN 1 .. nights LOOP
        PERFORM * FROM sdc.run_copy('regress_pay', 4611686018427387905 + n);
        INSERT INTO seen SELECT n, id, salary FROM regress_paid.staff;
    END LOOP;
END $$;
SELECT pg_temp.nights(10);
SELECT stddev(m.salary - o.salary) / stddev(s.salary - o.salary) BETWEEN 0.2 AND 0.5 AS averages_out
FROM seen AS s JOIN regress_pay.staff AS o USING (id) JOIN (SELECT id, avg(salary) AS salary FROM seen GROUP BY id) AS m USING (id) WHERE s.night = 1;
SELECT sdc.drop_policy('regress_pay');
DROP SCHEMA regress_paid, regress_pay CASCADE;
SELECT sdc.forget_pseudonyms('person');
