-- catalog: rules that every object of the extension keeps.
-- Each query lists offenders and must find none, so a new function needs no
-- change here.

-- From 17 on the array type of a type and the row type of a view are members,
-- too; nobody made them, so they are left out.
CREATE VIEW member AS
SELECT d.classid, d.objid,
       pg_describe_object(d.classid, d.objid, 0) AS object
FROM pg_depend d
JOIN pg_extension e ON e.oid = d.refobjid
WHERE d.refclassid = 'pg_extension'::regclass
  AND d.deptype = 'e' AND e.extname = 'sdc'
  AND NOT EXISTS (SELECT FROM pg_type t
                  LEFT JOIN pg_class c ON c.oid = t.typrelid
                  WHERE d.classid = 'pg_type'::regclass
                    AND (t.typarray = d.objid
                         OR t.oid = d.objid AND c.relkind <> 'c'));

CREATE VIEW routine AS
SELECT p.*, p.oid::regprocedure::text AS name, l.lanname AS language,
       'seed' = ANY (p.proargnames) AS has_seed
FROM pg_proc p
JOIN member m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
JOIN pg_language l ON l.oid = p.prolang;

-- The extension has members at all, so that the lists below mean something.
SELECT count(*) > 0 AS found FROM routine;

-- Everything is in the schema sdc, or in sdc_internal.
SELECT object FROM member
CROSS JOIN LATERAL pg_identify_object(classid, objid, 0) AS o
WHERE coalesce(o.schema NOT IN ('sdc', 'sdc_internal'), true)
  AND o.type IN ('function', 'procedure', 'aggregate', 'type', 'table',
                 'view', 'sequence', 'operator', 'index')
ORDER BY object COLLATE "C";

-- Every object has a comment.
SELECT object FROM member
WHERE obj_description(objid, (SELECT relname FROM pg_class
                              WHERE oid = classid)) IS NULL
ORDER BY object COLLATE "C";

-- What only aggregates, types and casts call is internal; everything else that is
-- internal is what a view is made of.
CREATE VIEW part AS
SELECT unnest(ARRAY[a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn,
                    a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn,
                    a.aggmfinalfn]) AS oid
FROM pg_aggregate a JOIN routine r ON r.oid = a.aggfnoid
UNION
SELECT unnest(ARRAY[t.typinput, t.typoutput, t.typreceive, t.typsend])
FROM pg_type t
JOIN member m ON m.classid = 'pg_type'::regclass AND m.objid = t.oid
WHERE t.typtype = 'b'
UNION
SELECT castfunc FROM pg_cast
UNION -- what is sent to the workers of Citus
SELECT 'sdc_internal.take_rows(text,text,jsonb)'::regprocedure
UNION
SELECT 'sdc_internal.take_grants(jsonb)'::regprocedure
UNION -- what CREATE EXTENSION asks
SELECT 'sdc_internal.check_creation()'::regprocedure;
SELECT name FROM routine
WHERE (pronamespace <> 'sdc_internal'::regnamespace)
      = (oid IN (SELECT oid FROM part))
  AND NOT EXISTS (SELECT FROM pg_depend d
                  JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass
                                   AND d.objid = w.oid
                  JOIN member m ON m.classid = 'pg_class'::regclass
                               AND m.objid = w.ev_class
                  WHERE d.refclassid = 'pg_proc'::regclass
                    AND d.refobjid = routine.oid)
ORDER BY name COLLATE "C";
DROP VIEW part;

-- A comment starts in lower case, has no period and no line break.
SELECT object FROM member
CROSS JOIN LATERAL obj_description(objid, (SELECT relname FROM pg_class
                                           WHERE oid = classid)) AS said
WHERE said ~ '^[A-Z][a-z]' OR said ~ '\.$' OR said ~ '\n'
ORDER BY object COLLATE "C";

-- No function runs with the rights of its owner.
SELECT name FROM routine WHERE prosecdef ORDER BY name COLLATE "C";

-- Code in C is reached through symbols named sdcf_*, of this library.
SELECT name, probin, prosrc FROM routine
WHERE language = 'c'
  AND (prosrc !~ '^sdcf_' OR probin <> '$libdir/sdc')
ORDER BY name COLLATE "C";

-- A body in SQL or PL/pgSQL does not depend on the caller's search_path: it is
-- parsed when it is created, or it sets a search_path of its own.
SELECT name FROM routine
WHERE language NOT IN ('c', 'internal')
  AND to_jsonb(routine) ->> 'prosqlbody' IS NULL
  AND NOT EXISTS (SELECT FROM unnest(proconfig) AS setting
                  WHERE setting ~ '^search_path=')
ORDER BY name COLLATE "C";

-- A mask that takes a seed draws at random when the seed is left out: so it is
-- volatile, and the seed is the last argument, NULL unless given.  A longer
-- form of the same name has no defaults, or calls would be ambiguous.
SELECT name, provolatile FROM routine
WHERE has_seed AND prokind = 'w'
  AND (provolatile <> 'v'
       OR proargnames[pronargs] <> 'seed'
       OR proargtypes[pronargs - 1] <> 'bigint'::regtype
       OR pg_get_function_arg_default(oid, pronargs) <> 'NULL::bigint'
       OR (pronargdefaults = 0 AND NOT EXISTS (
             SELECT FROM routine shorter
             WHERE shorter.proname = routine.proname
               AND shorter.pronargs < routine.pronargs
               AND shorter.pronargdefaults > 0)))
ORDER BY name COLLATE "C";

-- A mask with OVER () may stand in a query that has a parallel part, and sees
-- NULL arguments itself: PostgreSQL does not apply STRICT to it.
SELECT name, proparallel, proisstrict FROM routine
WHERE prokind = 'w' AND (proparallel <> 's' OR proisstrict)
ORDER BY name COLLATE "C";

-- Immutable and stable functions may run in a worker unless they start some.
-- An aggregate is always called immutable; if its result is drawn at random,
-- its final function says so.
SELECT name FROM routine
WHERE prokind IN ('f', 'a') AND provolatile = 'i' AND proparallel <> 's'
  AND NOT EXISTS (SELECT FROM pg_aggregate a
                  JOIN pg_proc f ON f.oid = a.aggfinalfn
                  WHERE a.aggfnoid = routine.oid AND f.provolatile = 'v')
ORDER BY name COLLATE "C";

-- An aggregate that workers may run says how to join what they found.
SELECT r.name FROM routine r
JOIN pg_aggregate a ON a.aggfnoid = r.oid
WHERE r.proparallel = 's' AND a.aggkind = 'n'
  AND a.aggcombinefn = 0 AND a.aggtranstype <> 'internal'::regtype
ORDER BY name COLLATE "C";

-- Arguments have names, so that they can be given by name.
SELECT name FROM routine
WHERE prokind IN ('f', 'w', 'p') AND pronargs > 0
  AND coalesce('' = ANY (proargnames), true)
  AND NOT EXISTS (SELECT FROM pg_type t
                  WHERE routine.oid IN (t.typinput, t.typoutput, t.typreceive,
                                        t.typsend))
  AND NOT EXISTS (SELECT FROM pg_aggregate a
                  WHERE routine.oid IN (a.aggtransfn, a.aggfinalfn,
                                        a.aggcombinefn, a.aggserialfn,
                                        a.aggdeserialfn))
ORDER BY name COLLATE "C";

-- Whatever writes the table target returns the same kind of rows.
SELECT name FROM routine
WHERE 'target' = ANY (proargnames) AND 'text'::regtype = ANY (proargtypes)
  AND proname NOT IN ('uniqueness', 'release', 'schedule', 'create_copy') AND prorettype <> 'sdc.mask_step'::regtype
ORDER BY name COLLATE "C";

DROP VIEW routine, member;
