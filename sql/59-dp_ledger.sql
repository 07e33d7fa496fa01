-- dp_ledger: what was spent of the budgets of data sets.

CREATE SEQUENCE sdc.dp_log_id AS bigint;

COMMENT ON SEQUENCE sdc.dp_log_id IS
'numbers of the rows of sdc.dp_log';

CREATE TABLE sdc.dp_log (
    id bigint NOT NULL PRIMARY KEY
        DEFAULT pg_catalog.nextval('sdc.dp_log_id'::pg_catalog.regclass),
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    dataset bigint NOT NULL,
    budget bigint NOT NULL,
    role_name text NOT NULL,
    request text NOT NULL,
    cost bigint NOT NULL,
    delta_cost bigint NOT NULL);

COMMENT ON TABLE sdc.dp_log IS
'requests that were charged and not rolled back; the budgets themselves are sequences, which no ROLLBACK changes';
COMMENT ON COLUMN sdc.dp_log.cost IS
'in 1e-9 of epsilon, or of rho with zcdp accounting';
COMMENT ON COLUMN sdc.dp_log.delta_cost IS
'in 1e-18';

REVOKE ALL ON sdc.dp_log FROM PUBLIC;
REVOKE ALL ON SEQUENCE sdc.dp_log_id FROM PUBLIC;

SELECT pg_catalog.pg_extension_config_dump('sdc.dp_log_id', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.dp_log', '');

CREATE VIEW sdc.dp_ledger WITH (security_barrier) AS
SELECT l.id, l.at, d.name AS dataset, l.role_name AS role, l.request,
       CASE WHEN d.accounting OPERATOR(pg_catalog.=) 'zcdp' THEN 'rho'
            ELSE 'epsilon' END AS unit,
       pg_catalog.trim_scale(l.cost OPERATOR(pg_catalog./) 1000000000::pg_catalog.numeric) AS cost,
       pg_catalog.trim_scale(l.delta_cost OPERATOR(pg_catalog./)
           1000000000000000000::pg_catalog.numeric) AS delta_cost
FROM sdc.dp_log AS l
JOIN sdc.dp_dataset AS d ON d.id OPERATOR(pg_catalog.=) l.dataset
WHERE l.budget OPERATOR(pg_catalog.=) ANY (
          SELECT b.id FROM sdc.dp_budget AS b
          JOIN pg_catalog.pg_roles AS r
              ON r.oid OPERATOR(pg_catalog.=) b.role::pg_catalog.oid
          WHERE r.rolname OPERATOR(pg_catalog.=) current_user)
   OR EXISTS (
          SELECT FROM pg_catalog.pg_class AS c
          WHERE c.oid OPERATOR(pg_catalog.=) d.relation::pg_catalog.oid
            AND pg_catalog.pg_has_role(c.relowner, 'USAGE'));

COMMENT ON VIEW sdc.dp_ledger IS
'requests charged to the caller, or to data sets of tables that the caller owns';

GRANT SELECT ON sdc.dp_ledger TO PUBLIC;

CREATE TYPE sdc.dp_budget_state AS (
    dataset text,
    role text,
    unit text,
    total numeric,
    spent numeric,
    remaining numeric,
    delta_total numeric,
    delta_spent numeric,
    delta_remaining numeric,
    rolled_back numeric);

COMMENT ON TYPE sdc.dp_budget_state IS
'one budget, of a role or, where role is NULL, of a whole data set; unit is epsilon or rho, and rolled_back what was spent by requests whose rows in the log were rolled back';

CREATE FUNCTION sdc.remaining_budget(dataset text DEFAULT NULL)
RETURNS SETOF sdc.dp_budget_state
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_remaining_budget';

COMMENT ON FUNCTION sdc.remaining_budget(text) IS
'what is left of the budgets of the caller and of their data sets; owners of the table see those of all roles';
