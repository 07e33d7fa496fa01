-- pseudonym: the same name for the same person, made with a key.

CREATE TABLE sdc.secret (
    domain text PRIMARY KEY,
    key bytea NOT NULL,
    created timestamptz NOT NULL DEFAULT pg_catalog.now());

COMMENT ON TABLE sdc.secret IS
'keys of the domains of pseudonyms; never dumped, and no role but the owner of the extension can read them';
COMMENT ON COLUMN sdc.secret.domain IS
'name of the domain: what is equal in it has equal pseudonyms';
COMMENT ON COLUMN sdc.secret.key IS
'32 random bytes';
COMMENT ON COLUMN sdc.secret.created IS
'when the domain was used for the first time';

REVOKE ALL ON sdc.secret FROM PUBLIC;

-- No policy: without BYPASSRLS members of pg_read_all_data see no row, and
-- those of pg_write_all_data write none.  Its owner is not held by this.
ALTER TABLE sdc.secret ENABLE ROW LEVEL SECURITY;

CREATE FUNCTION sdc.pseudonym(
    value text,
    domain text,
    period text DEFAULT NULL,
    format text DEFAULT 'hex')
RETURNS text
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_pseudonym';

COMMENT ON FUNCTION sdc.pseudonym(text, text, text, text) IS
'pseudonym made with the key of the domain: equal for equal values in every table, another one in each period; format is hex, digits, uuid or email, or keeps the form of the value: same, card, iban, de_tax, fr_nir, es_dni, jp_my';

CREATE FUNCTION sdc.reveal(
    pseudonym text,
    domain text,
    period text DEFAULT NULL,
    format text DEFAULT 'same')
RETURNS text
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_reveal';

COMMENT ON FUNCTION sdc.reveal(text, text, text, text) IS
'the value that a pseudonym stands for, where its format keeps the form of the value; granted to nobody';

CREATE FUNCTION sdc.known_pseudonym(
    value text,
    domain text,
    period text DEFAULT NULL,
    format text DEFAULT 'hex')
RETURNS text
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_pseudonym_known';

COMMENT ON FUNCTION sdc.known_pseudonym(text, text, text, text) IS
'the pseudonym of a value in a domain that has a key already, and an error where it has none; for roles that may call pseudonym; masks call it on the servers of a distributed table';

CREATE FUNCTION sdc.forget_pseudonyms(domain text)
RETURNS boolean
LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_forget_pseudonyms';

COMMENT ON FUNCTION sdc.forget_pseudonyms(text) IS
'deletes the key of a domain, so that nobody can make or check its pseudonyms any more; false when there was none';

-- Who may make pseudonyms can find out whose they are by trying all names.
REVOKE ALL ON FUNCTION sdc.pseudonym(text, text, text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION sdc.reveal(text, text, text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION sdc.forget_pseudonyms(text) FROM PUBLIC;
