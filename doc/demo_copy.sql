-- demo_copy.sql: a safe copy of a shop.  ./run demo copy makes the shop of
-- test/data/shop.sql in the schema shop and runs this.
RESET search_path;
\pset footer off
\pset null '-'
\echo
\echo 'A shop: 2,000 customers, 6,000 orders, tickets. What of it is personal?'
\echo '    SELECT * FROM sdc.find_personal(''shop'');'
\echo
SELECT relation, column_name, kind, COALESCE(by_value, 'by name') AS seen, rule ->> 'method' AS rule
FROM sdc.find_personal('shop', '{"locale": "de"}') WHERE kind <> 'undecided';
\echo 'One call writes a safe copy into another schema. A column that nobody has'
\echo 'decided about stops it; {"*": {"method": "keep"}} keeps the harmless ones.'
\echo '    SELECT * FROM sdc.copy_schema(''shop'', ''safe'', ''{"*": {"method": "keep"}}'', ''{"locale": "de"}'');'
\echo
SELECT step, subject, rows, detail FROM sdc.copy_schema('shop', 'safe', '{"*": {"method": "keep"}}', '{"locale": "de"}')
WHERE step NOT IN ('mask', 'kept');
\echo 'A customer, before and after:'
\echo
SELECT e.key AS column, e.value AS shop, s.value AS safe
FROM jsonb_each_text((SELECT to_jsonb(c) FROM shop.customer AS c WHERE id = 20)) AS e
JOIN jsonb_each_text((SELECT to_jsonb(c) FROM safe.customer AS c WHERE id = 20)) AS s USING (key) ORDER BY e.key;
\echo 'Everything still joins: the tickets of customers, by their new e-mail address.'
\echo
SELECT count(*) AS tickets, count(DISTINCT c.id) AS customers FROM safe.ticket AS t JOIN safe.customer AS c USING (email);
\echo 'Is anything left of the original?'
\echo '    SELECT * FROM sdc.check_copy(''shop'', ''safe'');'
\echo
SELECT measure, value, detail FROM sdc.check_copy('shop', 'safe');
\echo 'And if somebody keeps the notes, in which phone numbers are?'
\echo
\unset ON_ERROR_STOP
SELECT sdc.copy_schema('shop', 'safe2', '{"*": {"method": "keep"}, "customer.notes": {"method": "keep"}}');
\echo
\echo 'More: doc/copy.md, doc/fake.md, doc/pseudonym.md.'
